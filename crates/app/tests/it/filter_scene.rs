//! Filter scenes: built in, and the reader.

use anthropi_app::builtin;
use anthropi_app::filter_scene::{self, MotionSource};
use anthropi_app::resolve::{ItemKind, toml_kind};
use anthropi_dynamics::spatial::vec3;
use anthropi_motion::filter::Mode;

#[test]
fn names_and_lines_are_those_of_the_texts() {
    for b in builtin::FILTER_SCENES {
        let read = builtin::filter_scene(b.name).expect("a built-in scene").expect("it reads");
        assert_eq!((read.name.as_str(), read.what.as_str()), (b.name, b.what));
        assert_eq!(toml_kind(b.text, b.name).unwrap(), ItemKind::FilterScene);
        assert!(builtin::scene(b.name).is_none() && builtin::motion(b.name).is_none(), "{}", b.name);
    }
    assert!(builtin::filter_scene("no-such-scene").is_none());
    assert!(toml_kind("{", "x.toml").is_err());
}

#[test]
fn pushes_come_from_all_sides_with_the_same_strength() {
    let scene = builtin::filter_scene("push-standing").unwrap().unwrap();
    assert_eq!(
        (&scene.motion, scene.mode),
        (&MotionSource::Stand { duration: 20.0, rate: 100.0 }, Some(Mode::Online))
    );
    let figure = builtin::figure("human-28").unwrap().unwrap().figure;
    let pushes = scene.pushes_on(&figure).unwrap();
    assert_eq!(pushes.len(), 8);
    let mut sum = vec3(0.0, 0.0, 0.0);
    for (k, p) in pushes.iter().enumerate() {
        // two digits behind the point are written
        assert!((p.force.norm() - 40.0).abs() < 0.01 && (p.to - p.from - 0.2).abs() < 1e-12, "push {k}");
        assert!(!p.is_known && p.link == figure.find_link("chest").unwrap());
        // at the centre of mass of the chest
        assert_eq!(p.point, vec3(0.0, 0.0, 0.2));
        sum += p.force;
    }
    assert!(sum.norm() < 1e-9, "{sum:?}");
}

#[test]
fn all_fields_are_read() {
    let text = r#"
        name = "all"
        motion = "keyed-walk"
        figure = "human-40"
        height = 1.8
        mass = 75
        rate = 50
        cut = [0.5, 2.0]
        speed = 1.2
        reverse = true
        mirror = true
        turn = { degrees = -30, at = 1.0, over = 0.5 }
        blend = "keyed-run"
        weight = 0.25
        join = "keyed-kick"
        repeat = 3
        fade = 0.3
        push = [{ at = 1, for = 0.5, link = "head", force = [1, 2, 3], point = [0, 0, 0.1], known = true }]
    "#;
    let read = filter_scene::read(text, "all.toml", None).unwrap();
    assert_eq!(
        (read.motion, read.figure.as_deref()),
        (MotionSource::Motion("keyed-walk".into()), Some("human-40"))
    );
    assert_eq!((read.height, read.mass, read.mode), (Some(1.8), Some(75.0), None));
    let expected = filter_scene::MotionEdits {
        cut: Some((0.5, 2.0)),
        speed: Some(1.2),
        reverse: true,
        mirror: true,
        turn: Some((-30.0, 1.0, 1.5)),
        blend: Some("keyed-run".into()),
        weight: Some(0.25),
        join: Some("keyed-kick".into()),
        repeat: Some(3),
        fade: Some(0.3),
        rate: Some(50.0),
    };
    assert_eq!(read.edits, expected);
}

#[test]
fn a_figure_by_name_makes_no_scene_of_connections() {
    // both kinds have `figure`: the check for a filter scene comes first
    let text = "motion = \"stand\"\nfigure = \"human-28\"";
    assert_eq!(toml_kind(text, "x.toml").unwrap(), ItemKind::FilterScene);
    let long = "#".repeat(filter_scene::MAX_BYTES + 1);
    let refused = filter_scene::read(&long, "long.toml", None).unwrap_err().to_string();
    assert!(refused.contains("long.toml") && refused.contains("bytes"), "{refused}");
}
