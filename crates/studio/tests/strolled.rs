//! A walk without end in a session: gaits that change on the way, pushes, replay.

use anthropi_studio::asked::Asked;
use anthropi_studio::replay::Replay;
use anthropi_studio::{Command, Session, library, stage};

fn measure(session: &mut Session, name: &str) -> f64 {
    let frame = stage::frame(session);
    let all = frame["measures"].as_array().expect("measures");
    all.iter().find(|m| m["name"] == name).and_then(|m| m["value"].as_f64()).expect("it is measured")
}

fn asked(text: &str) -> Command {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn gaits_change_while_it_walks() {
    let mut session = library::open("stroll").unwrap();
    let structure = stage::structure(&session);
    assert_eq!(structure["mode"], "walk");
    assert!(structure["gaits"]["styles"].as_array().unwrap().len() > 10);
    session.advance(9000).unwrap();
    assert!((measure(&mut session, "speed") - 1.3).abs() < 0.01);
    session.obey(asked(r#"{"do": "gait", "speed": 0.8, "style": "sadly"}"#)).unwrap();
    assert_eq!(stage::frame(&mut session)["gait"]["is_planning"], true);
    session.advance(7000).unwrap();
    assert!((measure(&mut session, "speed") - 0.8).abs() < 0.01);
    assert!(measure(&mut session, "force without a source") < 1e-6);
    session
        .obey(asked(r#"{"do": "gait", "step_length": 0.6, "step_frequency": 1.5, "turn_deg": 6}"#))
        .unwrap();
    session.advance(8000).unwrap();
    assert!((measure(&mut session, "steps a minute") - 90.0).abs() < 0.5);
    assert!((measure(&mut session, "step length") - 0.6).abs() < 0.03);
    session.obey(asked(r#"{"do": "gait", "speed": 0.0}"#)).unwrap();
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
        let (before, logged) = (session.actor().digest(), session.log().len());
        let error = session.obey(asked(bad)).expect_err(bad).to_string();
        assert!(error.len() > 20, "{bad}: {error}");
        assert_eq!((session.actor().digest(), session.log().len()), (before, logged));
    }
    assert!(library::open("pendulum").unwrap().obey(Command::Gait(Asked::default())).is_err());
    assert!(serde_json::from_str::<Command>(r#"{"do": "gait", "sped": 1}"#).is_err());
}

#[test]
fn it_is_replayed_and_rewound_to_the_bit() {
    let mut session = library::open("stroll-28").unwrap();
    session.advance(4000).unwrap();
    session.obey(asked(r#"{"do": "gait", "speed": 1.0, "determinants": {"pelvic_list": 0.0}}"#)).unwrap();
    session.advance(600).unwrap();
    let push = Command::Push { link: "chest".into(), at: [0.0; 3], force: [0.0, 60.0, 0.0], seconds: 0.2 };
    session.obey(push).unwrap();
    session.advance(2400).unwrap();
    let replay = Replay::read(&session.replay().write(), "walk.json").unwrap();
    let again = replay.run(library::open(&replay.source).unwrap(), &mut |_| ()).unwrap();
    assert!(replay.is_same(&again));
    // back into the midst of planning, and on
    let end = session.actor().digest();
    let log = session.log().to_vec();
    session.rewind(4300).unwrap();
    session.advance(300).unwrap();
    session.obey(log[1].command.clone()).unwrap();
    session.advance(2400).unwrap();
    assert_eq!(session.actor().digest(), end);
}

#[test]
fn the_plan_is_shown_where_the_filter_is_off() {
    let mut session = library::open("stroll-28").unwrap();
    session.advance(3000).unwrap();
    assert!(!stage::frame(&mut session)["ghost"].is_null());
    session.obey(asked(r#"{"do": "filter", "is_on": false, "friction": 0.8}"#)).unwrap();
    session.advance(10).unwrap();
    assert!(stage::frame(&mut session)["ghost"].is_null());
    session.obey(asked(r#"{"do": "filter", "is_on": true, "friction": 0.6}"#)).unwrap();
    session.advance(3000).unwrap();
    assert!((measure(&mut session, "speed") - 1.3).abs() < 0.03);
}
