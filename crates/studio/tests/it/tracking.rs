//! Motions under the filter: gains, pushes of a filter scene, restarts without a discontinuity.

use anthropi_studio::command::Gains;
use anthropi_studio::file::open_files;
use anthropi_studio::protocol::Mode;
use anthropi_studio::replay::Replay;
use anthropi_studio::simulator::ForceSource;
use anthropi_studio::{Command, Session, library, protocol};

/// Largest displacement per frame, m: 2.4 m/s at 60 frames per second.
const STEP: f64 = 0.04;
/// Cosine of the largest turn of the pelvis per frame: it swings by some degrees in every step.
const TURN: f64 = 0.98;

fn digest(session: &Session) -> u64 {
    session.simulator().digest()
}

fn tuned(gains: Gains) -> Command {
    Command::Filter { is_on: true, friction: 0.8, gains }
}

/// Horizontal position and heading of the root.
fn root(session: &Session) -> ([f64; 2], [f64; 2]) {
    let simulator = session.simulator();
    let (link, _) = simulator.figure().links().next().unwrap();
    let pose = simulator.kinematics().link_pose(simulator.figure().forest(), link);
    let (ahead, length) = (pose.rotation.x, pose.rotation.x.x.hypot(pose.rotation.x.y));
    ([pose.translation.x, pose.translation.y], [ahead.x / length, ahead.y / length])
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Number of pushes drawn.
fn pushes(session: &mut Session) -> usize {
    protocol::frame(session).arrows.iter().filter(|a| a.kind == ForceSource::User).count()
}

#[test]
fn each_gain_changes_the_motion_and_replays_to_the_same_bits() {
    let run = |gains: Option<Gains>| {
        let mut session = library::open("keyed-kick").unwrap();
        session.advance(20).unwrap();
        if let Some(gains) = gains {
            session.apply(tuned(gains)).unwrap();
        }
        session.advance(100).unwrap();
        session
    };
    let usual = Gains::default();
    let alone = digest(&run(None));
    assert_eq!(digest(&run(Some(usual))), alone, "default gains change nothing");
    for gains in [
        Gains { strength: 0.2, ..usual },
        Gains { following: 0.5, ..usual },
        Gains { damping: 2.0, ..usual },
        Gains { balance: 0.5, ..usual },
    ] {
        let session = run(Some(gains));
        assert_ne!(digest(&session), alone, "{gains:?}");
        let replay = Replay::read(&session.replay().write(), "mine.json").unwrap();
        let again = replay.run(library::open("keyed-kick").unwrap(), &mut |_| ()).unwrap();
        assert!(replay.is_same(&again), "{gains:?}");
    }
    // and back to the defaults
    let mut session = library::open("keyed-kick").unwrap();
    session.apply(tuned(Gains { strength: 0.2, following: 2.0, ..usual })).unwrap();
    session.apply(tuned(usual)).unwrap();
    session.advance(120).unwrap();
    assert_eq!(digest(&session), alone);
}

#[test]
fn replays_without_gains_are_read() {
    let text = r#"{"source": "keyed-kick", "steps": 60, "digest": "0", "log": [{"step": 3, "do": "filter", "is_on": true, "friction": 0.5}]}"#;
    let replay = Replay::read(text, "old.json").unwrap();
    assert_eq!(
        replay.log[0].command,
        Command::Filter { is_on: true, friction: 0.5, gains: Gains::default() }
    );
    // default gains are not written
    assert!(!replay.write().contains("gains"));
    let error =
        Replay::read(&text.replace("0.5}", "0.5, \"gains\": {\"courage\": 2}}"), "new.json").unwrap_err();
    assert!(error.to_string().contains("courage"), "{error}");
}

#[test]
fn gains_out_of_range_are_refused_by_name() {
    let mut session = library::open("keyed-kick").unwrap();
    let usual = Gains::default();
    for (gains, name) in [
        (Gains { strength: 0.0, ..usual }, "strength"),
        (Gains { following: -1.0, ..usual }, "following"),
        (Gains { damping: f64::NAN, ..usual }, "damping"),
        (Gains { balance: 1e9, ..usual }, "balance"),
    ] {
        let error = session.apply(tuned(gains)).unwrap_err().to_string();
        assert!(error.starts_with(name), "{error}");
    }
    assert!(session.log().is_empty());
}

#[test]
fn a_motion_that_ends_restarts_at_the_figure() {
    for name in ["keyed-walk", "filter-turn-30"] {
        let mut session = library::open(name).unwrap();
        let start = root(&session).0;
        let (mut begun, mut last) = (0, root(&session));
        for _ in 0..1500 {
            session.advance(1).unwrap();
            let now = root(&session);
            assert!(distance(now.0, last.0) < STEP, "{name}: discontinuity at step {}", session.step());
            if session.take_messages().iter().any(|t| t.contains("restarts")) {
                begun += 1;
                let turn = now.1[0] * last.1[0] + now.1[1] * last.1[1];
                assert!(turn > TURN, "{name}: turns at step {}: {turn}", session.step());
            }
            last = now;
        }
        assert!(begun >= 1, "{name} is too long for this test");
        assert!(distance(last.0, start) > 3.0, "{name}: {last:?}");
        // the same bits when repeated
        let end = digest(&session);
        session.rewind(session.step() - 700).unwrap();
        session.advance(700).unwrap();
        assert_eq!(digest(&session), end, "{name}");
    }
}

#[test]
fn a_fallen_figure_restarts_and_never_sinks() {
    let mut session = library::open("keyed-walk").unwrap();
    session.advance(60).unwrap();
    let push = Command::Push { link: "chest".into(), at: [0.0; 3], force: [0.0, 900.0, 0.0], seconds: 0.3 };
    session.apply(push).unwrap();
    let mut fell = 0;
    for _ in 0..240 {
        session.advance(1).unwrap();
        fell += session.take_messages().iter().filter(|t| t.contains("the figure fell")).count();
        let center = protocol::frame(&mut session).center[2];
        assert!(center > 0.3, "at {center} m in step {}", session.step());
    }
    assert!(fell >= 1);
}

#[test]
fn pushes_of_a_scene_act_at_their_times() {
    let mut session = library::open("push-standing").unwrap();
    session.advance(95).unwrap();
    assert_eq!(pushes(&mut session), 0);
    let before = root(&session).0;
    session.advance(10).unwrap();
    assert_eq!(pushes(&mut session), 1);
    session.advance(40).unwrap();
    assert_eq!(pushes(&mut session), 0);
    let pushed = root(&session).0[0] - before[0];
    assert!(pushed > 1e-3, "forward by {pushed} m");
}

#[test]
fn filter_scenes_and_walks_open_as_files() {
    let drop = |text: &str| open_files(vec![("mine.toml".into(), text.as_bytes().to_vec())]);
    let session = drop("motion = \"keyed-kick\"\nspeed = 1.2\n").unwrap();
    assert_eq!(protocol::structure(&session).mode, Mode::Filter);
    let session = drop("friction = 0.5\n[[segment]]\nsteps = 2\n").unwrap();
    assert_eq!(protocol::structure(&session).friction, Some(0.5));
    for (text, words) in [
        ("motion = \"keyed-kick\"\nfigure = \"human-40\"\n", "retargets them"),
        ("motion = \"keyed-kick\"\ncut = [7, 9]\n", "cut"),
        ("[[segment]]\nsteps = 2\nslope_deg = 5\n", "level ground"),
        ("motion = \"gone.bvh\"\n", "gone.bvh"),
    ] {
        let error = drop(text).unwrap_err().to_string();
        assert!(error.contains("mine") && error.contains(words), "{error}");
    }
}
