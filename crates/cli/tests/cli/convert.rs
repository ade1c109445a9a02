use crate::figures::{CHAIN_TOML, PENDULUM_URDF, SPRUNG_MJCF};
use crate::people;
use crate::room::{Room, assert_near, numbers};
use serde_json::json;
use std::collections::BTreeMap;

const WANT: &str =
    "mass_matrix,bias,forward_dynamics,link_poses,com,momentum,kinetic_energy,potential_energy";

#[test]
fn round_trips_compute_the_same() {
    let files = [("pendulum.urdf", PENDULUM_URDF), ("sprung.xml", SPRUNG_MJCF), ("chain.toml", CHAIN_TOML)];
    let room = Room::with("convert_round_trip", &files);
    let hinge = r#"{"q": {"hinge": 0.4}, "v": {"hinge": -1.5}}"#;
    let chain = r#"{"q": {"shoulder": [0.8, 0.2, -0.1, 0.4], "elbow": 0.7, "slide": 0.05},
                    "v": {"shoulder": [1, 2, 3], "elbow": 0.5, "slide": -0.2}}"#;
    // a URDF has no spherical joints
    let cases = [
        ("pendulum.urdf", hinge, &["a.toml", "a.xml", "a.urdf"][..]),
        ("sprung.xml", hinge, &["b.toml", "b.mjcf"]),
        ("chain.toml", chain, &["c.toml", "c.xml", "c.toml"]),
    ];
    for (first, state, chain) in cases {
        let expected = numbers(&room.compute(first, state, WANT, &["--gravity", "0,0,-9.81"]));
        let mut from = first;
        for to in chain {
            let done = room.fine(&["convert", from, to, "--json"]);
            assert_eq!((&done["in"], &done["out"]), (&json!(from), &json!(to)));
            assert!(done["warnings"].is_array());
            let got = room.compute(to, state, WANT, &["--gravity", "0,0,-9.81"]);
            assert_near(&got, &expected);
            from = to;
        }
    }
}

#[test]
fn an_old_file_is_replaced_or_left_whole() {
    let room = Room::with("convert_replace", &[("pendulum.urdf", PENDULUM_URDF), ("out.toml", "old")]);
    room.fine(&["convert", "pendulum.urdf", "out.toml", "--json"]);
    assert!(room.read("out.toml").contains("pendulum"));
    room.write("broken.urdf", "<robot name='x'>");
    assert_eq!(room.run(&["convert", "broken.urdf", "out.toml"]).code, 2);
    assert!(room.read("out.toml").contains("pendulum"), "a failed run keeps the old file");
    assert_eq!(room.files(), ["broken.urdf", "out.toml", "pendulum.urdf"], "no temporary file stays");
}

#[test]
fn a_byte_order_mark_and_an_mjcf_called_urdf_are_read() {
    let room = Room::with(
        "convert_bom",
        &[("bom.urdf", &format!("\u{feff}{PENDULUM_URDF}")), ("odd.urdf", SPRUNG_MJCF)],
    );
    assert_eq!(room.fine(&["inspect", "bom.urdf", "--json"])["name"], "pendulum");
    assert_eq!(room.fine(&["inspect", "odd.urdf", "--json"])["name"], "sprung");
}

#[test]
fn a_scene_becomes_its_figure_at_the_start() {
    let room = Room::new("convert_scene");
    for scene in ["monkey-swing", "rope-lift"] {
        let start = numbers(&room.compute(scene, "{}", "link_poses,com", &[]));
        for out in ["out.toml", "out.xml"] {
            let done = room.fine(&["convert", scene, out, "--json"]);
            let warnings = done["warnings"].to_string();
            assert!(warnings.contains("only the scene's figure at its start is converted"), "{warnings}");
        }
        assert_near(&room.compute("out.toml", "{}", "link_poses,com", &[]), &start);
        let xml = room.read("out.xml");
        assert_eq!(xml.matches("<connect ").count(), 2, "{scene}");
        let counted = |name: &str| room.fine(&["inspect", name, "--json"])["coordinates"].clone();
        for what in ["tree", "connections", "rank", "generalized"] {
            assert_eq!(counted("out.toml")[what], counted(scene)[what], "{scene}: {what}");
        }
        // the connections are those of the scene: at rest both begin to move alike
        let mut rates: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for dof in room.compute(scene, "{}", "dofs", &[])["dofs"].as_array().unwrap() {
            let dof = dof.as_str().unwrap();
            let joint = dof.split_once('.').map_or(dof, |(joint, _)| joint);
            rates.entry(joint.into()).or_default().push(0.0);
        }
        let still = json!({ "v": rates }).to_string();
        let expected = numbers(&room.compute(scene, &still, "forward_dynamics", &[]));
        assert_near(&room.compute("out.toml", &still, "forward_dynamics", &[]), &expected);
    }
    // a scene file, too
    room.write("mine.toml", "[[figure]]\nuse = \"human-16\"\n");
    let done = room.fine(&["convert", "mine.toml", "mine.xml", "--json"]);
    assert_eq!(done["out"], "mine.xml");
}

#[test]
fn a_person_becomes_another_figure() {
    let room = Room::with("convert_person", &[("squat.bvh", &people::squat(|_| [0.0; 3]))]);
    let done = room.fine(&["convert", "squat.bvh", "y.bvh", "--figure", "human-28", "--json"]);
    let notes = done["notes"].to_string();
    assert!(notes.contains("retargeted to human-28: lengths are 1.000 times"), "{notes}");
    assert!(notes.contains("contacts held in place"), "{notes}");
    let about = room.fine(&["inspect", "y.bvh", "--json"]);
    assert_eq!((&about["frames"], about["joints"].as_array().unwrap().len()), (&json!(people::FRAMES), 13));
    assert_eq!(about["joints"][0]["name"], "pelvis");
    // the converted motion keeps its verdict
    let certificate = room.fine(&["certify", "y.bvh", "--json"]);
    assert_eq!(certificate["verdict"], "consistent", "{}", certificate["findings"]);
    // another size: steps scale with the legs
    let done = room.fine(&[
        "convert",
        "squat.bvh",
        "small.json",
        "--figure",
        "human-28",
        "--height",
        "1.2",
        "--json",
    ]);
    assert!(!done["notes"].to_string().contains("lengths are 1.000"), "{}", done["notes"]);
    let small = room.fine(&["certify", "small.json", "--json"]);
    assert!((small["figure"]["stature_m"].as_f64().unwrap() - 1.2).abs() < 1e-9, "{}", small["figure"]);
    for file in ["y.glb", "y.gltf", "y.csv", "y.mot", "y.json"] {
        room.fine(&["convert", "squat.bvh", file, "--figure", "human-28", "--json"]);
        assert!(room.path(file).metadata().unwrap().len() > 10_000, "{file}");
    }
    assert_eq!(&std::fs::read(room.path("y.glb")).unwrap()[..4], b"glTF");
}

#[test]
fn other_skeletons_get_a_capsule_figure() {
    let room = Room::with("convert_snake", &[("snake.bvh", &people::snake())]);
    let done = room.fine(&["convert", "snake.bvh", "snake.glb", "--json"]);
    assert!(done["notes"].to_string().contains("a figure of capsules"), "{}", done["notes"]);
    assert_eq!(&std::fs::read(room.path("snake.glb")).unwrap()[..4], b"glTF");
    room.fine(&["convert", "snake.bvh", "snake.toml", "--json"]);
    assert_eq!(room.fine(&["inspect", "snake.toml", "--json"])["links"].as_array().unwrap().len(), 5);
    let got = room.run(&["convert", "snake.bvh", "x.bvh", "--figure", "human-28"]);
    assert_eq!(got.code, 2, "{}", got.out);
    assert!(got.err.contains("snake") && got.err.contains("leg"), "{}", got.err);
}

#[test]
fn a_figure_is_drawn_in_its_home_pose() {
    let room = Room::with("convert_drawn", &[("chain.toml", CHAIN_TOML)]);
    for (figure, name) in [("chain.toml", "chain"), ("human-28", "human-28"), ("four-bar", "four-bar")] {
        room.fine(&["convert", figure, "drawn.svg", "--json"]);
        let drawn = room.read("drawn.svg");
        assert!(drawn.starts_with("<svg") && drawn.contains(name), "{figure}: {}", &drawn[..200]);
    }
}
