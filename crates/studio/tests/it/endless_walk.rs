//! Endless walks: gait changes, pushes, replay.

use anthropi_studio::file::open_files;
use anthropi_studio::gait::GaitCommand;
use anthropi_studio::protocol::Mode;
use anthropi_studio::replay::Replay;
use anthropi_studio::{Command, Session, library, protocol};

fn measure(session: &mut Session, name: &str) -> f64 {
    let frame = protocol::frame(session);
    let measure = frame.measures.iter().find(|m| m.name == name).expect("a measure of that name");
    f64::from(measure.value)
}

fn command(text: &str) -> Command {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn gait_commands_change_the_measured_gait() {
    let mut session = library::open("endless-walk").unwrap();
    let structure = protocol::structure(&session);
    assert_eq!(structure.mode, Mode::Walk);
    assert!(structure.gaits.unwrap().styles.len() > 10);
    session.advance(9000).unwrap();
    assert!((measure(&mut session, "speed") - 1.3).abs() < 0.01);
    session.apply(command(r#"{"do": "gait", "speed": 0.8, "style": "sadly"}"#)).unwrap();
    assert!(protocol::frame(&mut session).gait.unwrap().is_planning);
    session.advance(7000).unwrap();
    assert!((measure(&mut session, "speed") - 0.8).abs() < 0.01);
    assert!(measure(&mut session, "residual force") < 1e-6);
    session
        .apply(command(r#"{"do": "gait", "step_length": 0.6, "step_frequency": 1.5, "turn_deg": 6}"#))
        .unwrap();
    session.advance(8000).unwrap();
    assert!((measure(&mut session, "cadence") - 90.0).abs() < 0.5);
    assert!((measure(&mut session, "step length") - 0.6).abs() < 0.03);
    session.apply(command(r#"{"do": "gait", "speed": 0.0}"#)).unwrap();
    session.advance(9000).unwrap();
    assert_eq!(measure(&mut session, "speed"), 0.0);
    for bad in [
        r#"{"do": "gait", "speed": 9.0}"#,
        r#"{"do": "gait", "style": "like a crab"}"#,
        r#"{"do": "gait", "determinants": {"elbow": 1.0}}"#,
        r#"{"do": "gait", "determinants": {"foot": 7.0}}"#,
        r#"{"do": "gait", "turn_deg": 90.0}"#,
        r#"{"do": "cut", "joint": "left_knee"}"#,
    ] {
        let (before, logged) = (session.simulator().digest(), session.log().len());
        let error = session.apply(command(bad)).expect_err(bad).to_string();
        assert!(error.len() > 20, "{bad}: {error}");
        assert_eq!((session.simulator().digest(), session.log().len()), (before, logged));
    }
    assert!(library::open("pendulum").unwrap().apply(Command::Gait(GaitCommand::default())).is_err());
    assert!(serde_json::from_str::<Command>(r#"{"do": "gait", "sped": 1}"#).is_err());
}

#[test]
fn replay_and_rewind_are_exact() {
    let mut session = library::open("endless-walk-28").unwrap();
    session.advance(4000).unwrap();
    session.apply(command(r#"{"do": "gait", "speed": 1.0, "determinants": {"pelvic_list": 0.0}}"#)).unwrap();
    session.advance(600).unwrap();
    let push = Command::Push { link: "chest".into(), at: [0.0; 3], force: [0.0, 60.0, 0.0], seconds: 0.2 };
    session.apply(push).unwrap();
    session.advance(2400).unwrap();
    let replay = Replay::read(&session.replay().write(), "walk.json").unwrap();
    let again = replay.run(library::open(&replay.source).unwrap(), &mut |_| ()).unwrap();
    assert!(replay.is_same(&again));
    // rewind into the planning of the gait change
    let end = session.simulator().digest();
    let log = session.log().to_vec();
    session.rewind(4300).unwrap();
    session.advance(300).unwrap();
    session.apply(log[1].command.clone()).unwrap();
    session.advance(2400).unwrap();
    assert_eq!(session.simulator().digest(), end);
}

#[test]
fn without_the_filter_the_plan_is_shown() {
    let mut session = library::open("endless-walk-28").unwrap();
    session.advance(3000).unwrap();
    assert!(protocol::frame(&mut session).ghost.is_some());
    session.apply(command(r#"{"do": "filter", "is_on": false, "friction": 0.8}"#)).unwrap();
    session.advance(10).unwrap();
    assert!(protocol::frame(&mut session).ghost.is_none());
    session.apply(command(r#"{"do": "filter", "is_on": true, "friction": 0.6}"#)).unwrap();
    session.advance(3000).unwrap();
    assert!((measure(&mut session, "speed") - 1.3).abs() < 0.03);
}

/// Addresses and replays from before the rename.
#[test]
fn earlier_names_still_open() {
    for (alias, name) in [("stroll", "endless-walk"), ("stroll-28", "endless-walk-28")] {
        assert_eq!(library::open(alias).unwrap().source, name);
    }
    let text = r#"{"source": "stroll-28", "steps": 5, "digest": "0", "log": []}"#;
    let session = open_files(vec![("old.json".into(), text.into())]).unwrap();
    assert_eq!((session.source.as_str(), session.step()), ("endless-walk-28", 5));
}
