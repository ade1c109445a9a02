//! Sessions: commands, rewind, undo, and replay to the same bits.

use anthropi_dynamics::spatial::{Quat, RotationOrder};
use anthropi_studio::command::Gains;
use anthropi_studio::file::open_files;
use anthropi_studio::protocol::Mode;
use anthropi_studio::replay::Replay;
use anthropi_studio::simulator::ForceSource;
use anthropi_studio::{Command, Session, library, protocol};

fn digest(session: &Session) -> u64 {
    session.simulator().digest()
}

fn drag(link: &str, to: [f64; 3]) -> Command {
    Command::Drag { link: link.into(), at: [0.0; 3], to }
}

#[test]
fn every_library_item_opens_and_moves() {
    for item in library::items() {
        let mut session = library::open(item.name).unwrap_or_else(|e| panic!("{}: {e}", item.name));
        let before = digest(&session);
        session.advance(30).unwrap_or_else(|e| panic!("{}: {e}", item.name));
        assert_ne!(before, digest(&session), "{} does not move", item.name);
        let (structure, frame) = (protocol::structure(&session), protocol::frame(&mut session));
        assert_eq!(frame.poses.len(), 7 * structure.links.len(), "{}", item.name);
        let dofs: usize = structure.joints.iter().map(|j| j.dofs.len()).sum();
        assert_eq!(frame.angles.len(), dofs, "{}", item.name);
    }
}

#[test]
fn rewind_is_exact_and_undo_drops_an_edit() {
    let mut session = library::open("monkey-swing").unwrap();
    session.advance(120).unwrap();
    let there = digest(&session);
    session.apply(drag("chest", [0.5, 0.0, 1.0])).unwrap();
    session.advance(500).unwrap();
    let after = digest(&session);
    session.rewind(120).unwrap();
    assert_eq!((digest(&session), session.step(), session.log().len()), (there, 120, 0));
    // the same again, then an edit
    session.apply(drag("chest", [0.5, 0.0, 1.0])).unwrap();
    session.advance(500).unwrap();
    assert_eq!(digest(&session), after);
    let revision = session.simulator().figure().revision();
    let link = session.simulator().figure().links().last().unwrap().1.spec.name.clone();
    session.apply(Command::Pin { link, at: [0.0; 3] }).unwrap();
    assert_ne!(session.simulator().figure().revision(), revision);
    session.advance(100).unwrap();
    session.undo().unwrap();
    assert_eq!((digest(&session), session.step()), (after, 620));
    assert!(session.undo().is_err());
    assert!(session.rewind(10_000).is_err());
}

#[test]
fn a_replay_ends_with_the_same_bits() {
    let mut session = library::open("stand-28").unwrap();
    let push = Command::Push { link: "chest".into(), at: [0.0; 3], force: [40.0, 10.1, 0.0], seconds: 0.2 };
    session.advance(50).unwrap();
    session.apply(push).unwrap();
    session.advance(100).unwrap();
    session.apply(drag("left_forearm", [0.1, 0.7, 1.3])).unwrap();
    session.apply(drag("left_forearm", [0.1, 0.7, 1.4])).unwrap();
    session.advance(100).unwrap();
    session.apply(Command::LetGo).unwrap();
    session.apply(Command::Lock { joint: "left_knee".into(), dof: 0 }).unwrap();
    session.advance(50).unwrap();
    // only the last drag within a step is logged
    assert_eq!(session.log().len(), 4);
    let text = session.replay().write();
    let replay = Replay::read(&text, "mine.json").unwrap();
    let again = replay.run(library::open(&replay.source).unwrap(), &mut |_| ()).unwrap();
    assert!(replay.is_same(&again) && digest(&again) == digest(&session));
    for (from, to) in [("\"steps\": 300", "\"steps\": 3"), ("lock", "loop"), ("{", "["), ("300", "1e99")] {
        let error = Replay::read(&text.replacen(from, to, 1), "mine.json").unwrap_err().to_string();
        assert!(error.starts_with("mine.json: "), "{error}");
    }
}

#[test]
fn commands_act_or_are_refused() {
    let mut session = library::open("stand-28").unwrap();
    for bad in [
        drag("tail", [0.0; 3]),
        Command::Cut { joint: "tail".into() },
        Command::Lock { joint: "left_knee".into(), dof: 7 },
        Command::Put { joint: "left_knee".into(), dof: 0, value: f64::NAN, order: None },
        Command::Put { joint: "root".into(), dof: 0, value: 1.0, order: None },
        Command::Filter { is_on: true, friction: 1.0, gains: Gains::default() },
        Command::Torque { joint: "left_knee".into(), dof: 3, size: 1.0 },
        Command::Torque { joint: "left_knee".into(), dof: 0, size: 1e9 },
        Command::Force { link: "head".into(), force: [0.0, 1e9, 0.0] },
        Command::Force { link: "head".into(), force: [f64::NAN, 0.0, 0.0] },
        Command::Push { link: "head".into(), at: [0.0; 3], force: [-1e5, 0.0, 0.0], seconds: 1.0 },
    ] {
        let before = digest(&session);
        let error = session.apply(bad.clone()).expect_err("refused").to_string();
        assert!(error.len() > 15, "{bad:?}: {error}");
        assert_eq!((digest(&session), session.log().len()), (before, 0), "{bad:?}");
    }
    session.apply(Command::Put { joint: "left_knee".into(), dof: 0, value: 0.6, order: None }).unwrap();
    let frame = protocol::frame(&mut session);
    assert!(frame.angles.iter().any(|a| (a - 0.6).abs() < 1e-6), "{:?}", frame.angles);
    // an angle in another rotation order
    let put = |joint: &str, order: &str| Command::Put {
        joint: joint.into(),
        dof: 2,
        value: 0.3,
        order: Some(order.into()),
    };
    session.apply(put("left_hip", "yzx")).unwrap();
    let (figure, q) = (session.simulator().figure(), session.simulator().state().0);
    let hip = figure.forest().joint_place(figure.find_joint("left_hip").unwrap());
    let turn = Quat([q[hip.iq], q[hip.iq + 1], q[hip.iq + 2], q[hip.iq + 3]]);
    assert!((RotationOrder::Yzx.angles(turn)[2] - 0.3).abs() < 1e-12);
    for (joint, order) in [("left_hip", "xyx"), ("left_knee", "xyz")] {
        let error = session.apply(put(joint, order)).unwrap_err().to_string();
        assert!(error.contains(joint) && error.contains("rotation order"), "{error}");
    }
    // a leg that is cut off moves freely
    session.apply(Command::Cut { joint: "left_knee".into() }).unwrap();
    session.advance(20).unwrap();
    session.apply(Command::Connect { link: "left_forearm".into(), at: [0.0; 3], to: "head".into() }).unwrap();
    session.advance(20).unwrap();
    assert_eq!(protocol::structure(&session).connections.len(), 1);
    // the drag force is drawn
    session.apply(drag("right_forearm", [1.0, 0.0, 2.0])).unwrap();
    session.advance(1).unwrap();
    let arrows = protocol::frame(&mut session).arrows;
    assert!(arrows.iter().any(|a| a.kind == ForceSource::User), "{arrows:?}");
}

#[test]
fn a_motion_under_the_filter_is_pushed_and_shown_with_its_reference() {
    let mut session = library::open("keyed-walk").unwrap();
    session.advance(40).unwrap();
    let calm = digest(&session);
    assert_eq!(protocol::structure(&session).mode, Mode::Filter);
    session.rewind(20).unwrap();
    let push = Command::Push { link: "chest".into(), at: [0.0; 3], force: [0.0, 60.0, 0.0], seconds: 0.2 };
    session.apply(push).unwrap();
    session.advance(20).unwrap();
    assert_ne!(digest(&session), calm);
    let frame = protocol::frame(&mut session);
    assert_eq!(frame.ghost.unwrap().len(), frame.poses.len());
    assert!(frame.pressure.is_some());
    // without the filter the reference is shown
    session.apply(Command::Filter { is_on: false, friction: 0.8, gains: Gains::default() }).unwrap();
    session.advance(5).unwrap();
    assert!(protocol::frame(&mut session).ghost.is_none());
    session.apply(Command::Filter { is_on: true, friction: 0.8, gains: Gains::default() }).unwrap();
    session.advance(5).unwrap();
    assert!(session.apply(Command::Cut { joint: "left_knee".into() }).is_err());
}

#[test]
fn files_open_by_their_content() {
    let bvh = |name: &str| {
        let clip = anthropi_app::builtin::motion(name).unwrap().unwrap();
        anthropi_formats::motion::clip_bytes(std::path::Path::new("walk.bvh"), &clip).unwrap().0
    };
    let text = |t: &str| t.as_bytes().to_vec();
    let scene = anthropi_app::builtin::SCENES.iter().find(|b| b.name == "high-bar").unwrap().text;
    let figure = anthropi_app::builtin::FIGURES.iter().find(|b| b.name == "human-16").unwrap().text;
    let keyed = anthropi_app::builtin::MOTIONS.iter().find(|b| b.name == "keyed-kick").unwrap().text;
    let mut last = library::open("pendulum").unwrap();
    last.advance(30).unwrap();
    for (name, bytes, mode) in [
        ("walk.bvh", bvh("keyed-walk"), Mode::Filter),
        ("mine.toml", text(scene), Mode::Scene),
        ("figure.toml", text(figure), Mode::Scene),
        ("kick.toml", text(keyed), Mode::Filter),
        ("replay.json", text(&last.replay().write()), Mode::Scene),
    ] {
        let mut session = open_files(vec![(name.into(), bytes)]).unwrap_or_else(|e| panic!("{name}: {e}"));
        session.advance(20).unwrap();
        assert_eq!(protocol::structure(&session).mode, mode, "{name}");
    }
    let garbage: Vec<u8> = (0..1_000_000u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let claims = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1000000 Xrotation\n";
    for (name, bytes, part) in [
        ("x.bvh", garbage.clone(), "x.bvh"),
        ("x.toml", garbage.clone(), "x.toml"),
        ("x.json", garbage.clone(), "x.json"),
        ("x.npz", garbage.clone(), "x.npz"),
        ("x.xml", garbage.clone(), "x.xml"),
        ("x.exe", garbage, ".bvh"),
        ("claims.bvh", text(claims), "claims.bvh"),
        ("walk.amc", text(":FULLY-SPECIFIED\n"), ".asf"),
        ("empty.bvh", Vec::new(), "empty.bvh"),
        ("points.trc", text("PathFileType\t4\n"), "points.trc"),
    ] {
        let error = open_files(vec![(name.into(), bytes)]).expect_err(name).to_string();
        assert!(error.contains(part), "{name}: {error}");
    }
    assert!(open_files(Vec::new()).is_err());
}

#[test]
fn exported_motions_open_again() {
    let mut session = library::open("keyed-walk").unwrap();
    session.advance(90).unwrap();
    for ending in ["bvh", "json", "csv", "glb"] {
        let (name, bytes) = session.export(ending).unwrap();
        assert!(name.ends_with(ending) && bytes.len() > 1000, "{name}");
        if ending == "bvh" || ending == "json" {
            let again = open_files(vec![(name, bytes)]).unwrap();
            assert_eq!(protocol::structure(&again).mode, Mode::Filter);
        }
    }
    assert!(session.export("exe").is_err());
    // the same certificate as from the off-line filter
    let clip = anthropi_app::builtin::motion("keyed-walk").unwrap().unwrap();
    let settings = anthropi_motion::filter::FilterSettings::default();
    let filtered = anthropi_motion::filter::run(&clip, &settings, &mut |_| (), &mut |_| ()).unwrap();
    assert_eq!(
        session.certificate().unwrap(),
        serde_json::json!(anthropi_app::result::ForceCertificate::new(&filtered))
    );
    assert!(library::open("pendulum").unwrap().certificate().is_err());
    // a change of structure restarts the recording
    let mut session = library::open("stand-28").unwrap();
    session.advance(100).unwrap();
    session.apply(Command::Cut { joint: "left_knee".into() }).unwrap();
    session.advance(100).unwrap();
    assert!(session.export("csv").unwrap().1.len() > 100);
}
