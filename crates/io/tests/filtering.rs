//! Scenes of the dynamics filter: those built in, and what the reader makes of texts.

use anthropi_dynamics::spatial::vec3;
use anthropi_io::filtering::{self, Start};
use anthropi_io::{builtin, keyed, scene};
use anthropi_motion::filter::Mode;

#[test]
fn names_and_lines_are_those_of_the_texts() {
    for b in builtin::filterings() {
        let read = builtin::filtering(b.name).expect("a built-in scene").expect("it reads");
        assert_eq!((read.name.as_str(), read.what.as_str()), (b.name, b.what));
        assert!(filtering::is_filtering(b.text) && !keyed::is_keyed(b.text), "{}", b.name);
        assert!(builtin::scene(b.name).is_none() && builtin::motion(b.name).is_none(), "{}", b.name);
    }
    assert!(builtin::filtering("no-such-scene").is_none());
    for b in builtin::scenes().iter().chain(builtin::figures()).chain(builtin::motions()) {
        assert!(!filtering::is_filtering(b.text), "{}", b.name);
    }
    assert!(!filtering::is_filtering("{"));
}

#[test]
fn pushes_come_from_all_sides_with_the_same_strength() {
    let scene = builtin::filtering("push-standing").unwrap().unwrap();
    assert_eq!(
        (&scene.motion, scene.mode),
        (&Start::Stand { duration: 20.0, rate: 100.0 }, Some(Mode::Online))
    );
    let figure = builtin::figure("human-28").unwrap().unwrap().figure;
    let pushes = scene.pushes_on(&figure).unwrap();
    assert_eq!(pushes.len(), 8);
    let mut sum = vec3(0.0, 0.0, 0.0);
    for (k, p) in pushes.iter().enumerate() {
        // two digits behind the point are written
        assert!(
            (p.outside.force.norm() - 40.0).abs() < 0.01 && (p.to - p.from - 0.2).abs() < 1e-12,
            "push {k}"
        );
        assert!(!p.outside.is_known && p.outside.link == figure.find_link("chest").unwrap());
        // at the centre of mass of the chest
        assert_eq!(p.outside.at, vec3(0.0, 0.0, 0.2));
        sum += p.outside.force;
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
    let read = filtering::read(text, "all.toml", None).unwrap();
    assert_eq!((read.motion, read.figure.as_deref()), (Start::Motion("keyed-walk".into()), Some("human-40")));
    assert_eq!((read.height, read.mass, read.mode), (Some(1.8), Some(75.0), None));
    let expected = filtering::Changes {
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
    assert_eq!(read.changes, expected);
}

#[test]
fn a_figure_by_name_makes_no_scene_of_connections() {
    // both have `figure`; who asks first whether it is one of the filter is right
    let text = "motion = \"stand\"\nfigure = \"human-28\"";
    assert!(filtering::is_filtering(text) && scene::is_scene(text));
    let long = "#".repeat(filtering::MAX_BYTES + 1);
    let refused = filtering::read(&long, "long.toml", None).unwrap_err().to_string();
    assert!(refused.contains("long.toml") && refused.contains("bytes"), "{refused}");
}
