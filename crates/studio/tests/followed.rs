//! Motions under the filter: gains, pushes that come with a scene, and beginning anew without a leap.

use anthropi_studio::command::Gains;
use anthropi_studio::file::open_files;
use anthropi_studio::replay::Replay;
use anthropi_studio::{Command, Session, library, stage};

/// Nobody who walks goes farther from one frame to the next, m: 2.4 m/s at 60 frames a second.
const STEP: f64 = 0.04;
/// Cosine of how far the pelvis turns then: it swings by some degrees in every step.
const TURN: f64 = 0.98;

fn digest(session: &Session) -> u64 {
    session.actor().digest()
}

fn tuned(gains: Gains) -> Command {
    Command::Filter { is_on: true, friction: 0.8, gains }
}

/// Where the root is, and the way it looks along the ground.
fn root(session: &Session) -> ([f64; 2], [f64; 2]) {
    let actor = session.actor();
    let (link, _) = actor.figure().links().next().unwrap();
    let pose = actor.kinematics().link_pose(actor.figure().forest(), link);
    let (ahead, length) = (pose.rotation.x, pose.rotation.x.x.hypot(pose.rotation.x.y));
    ([pose.translation.x, pose.translation.y], [ahead.x / length, ahead.y / length])
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Forces of hands that are drawn now.
fn shoved(session: &mut Session) -> usize {
    let frame = stage::frame(session);
    frame["arrows"].as_array().unwrap().iter().filter(|a| a["kind"] == "hand").count()
}

#[test]
fn each_gain_changes_the_motion_and_replays_to_the_same_bits() {
    let run = |gains: Option<Gains>| {
        let mut session = library::open("keyed-kick").unwrap();
        session.advance(20).unwrap();
        if let Some(gains) = gains {
            session.obey(tuned(gains)).unwrap();
        }
        session.advance(100).unwrap();
        session
    };
    let usual = Gains::default();
    let alone = digest(&run(None));
    assert_eq!(digest(&run(Some(usual))), alone, "usual gains are those without a word");
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
    // and back to usual
    let mut session = library::open("keyed-kick").unwrap();
    session.obey(tuned(Gains { strength: 0.2, following: 2.0, ..usual })).unwrap();
    session.obey(tuned(usual)).unwrap();
    session.advance(120).unwrap();
    assert_eq!(digest(&session), alone);
}

#[test]
fn replays_from_before_there_were_gains_are_read() {
    let text = r#"{"source": "keyed-kick", "steps": 60, "digest": "0", "log": [{"step": 3, "do": "filter", "is_on": true, "friction": 0.5}]}"#;
    let replay = Replay::read(text, "old.json").unwrap();
    assert_eq!(
        replay.log[0].command,
        Command::Filter { is_on: true, friction: 0.5, gains: Gains::default() }
    );
    // usual gains are not written either
    assert!(!replay.write().contains("gains"));
    let error =
        Replay::read(&text.replace("0.5}", "0.5, \"gains\": {\"courage\": 2}}"), "new.json").unwrap_err();
    assert!(error.to_string().contains("courage"), "{error}");
}

#[test]
fn gains_that_make_no_sense_are_refused_by_name() {
    let mut session = library::open("keyed-kick").unwrap();
    let usual = Gains::default();
    for (gains, name) in [
        (Gains { strength: 0.0, ..usual }, "strength"),
        (Gains { following: -1.0, ..usual }, "following"),
        (Gains { damping: f64::NAN, ..usual }, "damping"),
        (Gains { balance: 1e9, ..usual }, "balance"),
    ] {
        let error = session.obey(tuned(gains)).unwrap_err().to_string();
        assert!(error.starts_with(name), "{error}");
    }
    assert!(session.log().is_empty());
}

#[test]
fn a_motion_that_travels_begins_anew_where_the_figure_is() {
    for name in ["keyed-walk", "filter-turn-30"] {
        let mut session = library::open(name).unwrap();
        let start = root(&session).0;
        let (mut begun, mut last) = (0, root(&session));
        for _ in 0..1500 {
            session.advance(1).unwrap();
            let now = root(&session);
            assert!(distance(now.0, last.0) < STEP, "{name}: leaps at step {}", session.step());
            if session.told().iter().any(|t| t.contains("begins anew")) {
                begun += 1;
                let turn = now.1[0] * last.1[0] + now.1[1] * last.1[1];
                assert!(turn > TURN, "{name}: turns at step {}: {turn}", session.step());
            }
            last = now;
        }
        assert!(begun >= 1, "{name} is too long for this test");
        assert!(distance(last.0, start) > 3.0, "{name}: {last:?}");
        // and exactly so when it is done again
        let end = digest(&session);
        session.rewind(session.step() - 700).unwrap();
        session.advance(700).unwrap();
        assert_eq!(digest(&session), end, "{name}");
    }
}

#[test]
fn who_falls_begins_anew_and_never_sinks() {
    let mut session = library::open("keyed-walk").unwrap();
    session.advance(60).unwrap();
    let push = Command::Push { link: "chest".into(), at: [0.0; 3], force: [0.0, 900.0, 0.0], seconds: 0.3 };
    session.obey(push).unwrap();
    let mut fell = 0;
    for _ in 0..240 {
        session.advance(1).unwrap();
        fell += session.told().iter().filter(|t| t.contains("the figure fell")).count();
        let center = stage::frame(&mut session)["center"][2].as_f64().unwrap();
        assert!(center > 0.3, "at {center} m in step {}", session.step());
    }
    assert!(fell >= 1);
}

#[test]
fn pushes_of_a_scene_come_at_their_times() {
    let mut session = library::open("push-standing").unwrap();
    session.advance(95).unwrap();
    assert_eq!(shoved(&mut session), 0);
    let before = root(&session).0;
    session.advance(10).unwrap();
    assert_eq!(shoved(&mut session), 1);
    session.advance(40).unwrap();
    assert_eq!(shoved(&mut session), 0);
    let pushed = root(&session).0[0] - before[0];
    assert!(pushed > 1e-3, "forward by {pushed} m");
}

#[test]
fn scenes_of_the_filter_and_walks_are_dropped_as_files() {
    let drop = |text: &str| open_files(vec![("mine.toml".into(), text.as_bytes().to_vec())]);
    let session = drop("motion = \"keyed-kick\"\nspeed = 1.2\n").unwrap();
    assert_eq!(stage::structure(&session)["mode"], "filter");
    let session = drop("friction = 0.5\n[[stretch]]\nsteps = 2\n").unwrap();
    assert_eq!(stage::structure(&session)["friction"], 0.5);
    for (text, words) in [
        ("motion = \"keyed-kick\"\nfigure = \"human-40\"\n", "carries them over"),
        ("motion = \"keyed-kick\"\ncut = [7, 9]\n", "cut"),
        ("[[stretch]]\nsteps = 2\nslope_deg = 5\n", "level ground"),
        ("motion = \"gone.bvh\"\n", "gone.bvh"),
    ] {
        let error = drop(text).unwrap_err().to_string();
        assert!(error.contains("mine") && error.contains(words), "{error}");
    }
}
