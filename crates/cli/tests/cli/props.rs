//! Props: found, given, forbidden, written and read back.

use crate::filter::{check, steps, wrenches};
use crate::room::{Room, number};
use anthropi_formats::load;

/// Friction of the default settings, and rounding of forces, N.
const FRICTION: f64 = 0.8;
const ROUNDING: f64 = 1e-6;
/// Contacts hold within this of a surface, m.
const CONTACT: f64 = 0.006;

fn room(name: &str) -> Room {
    Room::with(name, &[("sitting.toml", &testkit::motions::sitting())])
}

#[test]
fn certificates_say_what_carries() {
    let room = room("props_certify");
    let result = room.json_result("certify", 0, &["sitting.toml"]);
    let seat = &result["props"][0];
    assert_eq!((&seat["kind"], &seat["given"]), (&"seat".into(), &false.into()));
    assert!((0.3..0.5).contains(&number(seat, "/height_m")) && number(seat, "/mean_bw") > 0.3, "{seat}");
    assert!(number(seat, "/uses/0/to_s") > number(seat, "/uses/0/from_s"), "{seat}");
    let got = room.run(&["certify", "sitting.toml", "--report", "sit.html"]);
    assert!(got.out.contains("surroundings") && got.out.contains("seat 0."), "{}", got.out);
    let page = room.read("sit.html");
    assert!(page.contains("data-props=\"") && page.contains("id=\"surroundings\""));
    let result = room.json_result("certify", 1, &["sitting.toml", "--props", "none"]);
    assert_eq!(result["props"].as_array().map(Vec::len), Some(0));
    let result = room.json_result("certify", 0, &["keyed-walk"]);
    assert_eq!(result["props"].as_array().map(Vec::len), Some(0));
}

#[test]
fn filtered_motions_sit_on_their_seat() {
    let room = room("props_filter");
    let part = ["--cut", "0,3.9", "--assist", "none", "--speed", "1"];
    let files = ["sitting.toml", "--out", "sit.gltf", "--save-props", "scene.toml", "--record", "rec"];
    let result = room.json_result("filter", 0, &[&files[..], &part].concat());
    let seat = &result["props"][0];
    assert!(number(seat, "/mean_bw") > 0.3, "{seat}");
    assert!(room.read("sit.gltf").contains("\"seat 1\""));
    // the record: equation of motion, cones and surface
    let figure = load::figure(&room.path("rec/figure.xml")).expect("the figure").figure;
    let (states, contacts) = (room.read("rec/states.csv"), room.read("rec/contacts.csv"));
    let (steps, wrenches) = (steps(&states, &figure), wrenches(&contacts));
    check(&figure, &steps, &wrenches, "sitting");
    let props = room.read("rec/props.csv");
    let row: Vec<&str> = props.lines().nth(1).expect("a prop").split(',').collect();
    let value = |k: usize| row[k].parse::<f64>().expect("a number");
    let (top, mut seated) = (value(3) + value(7), 0);
    assert!((top - number(seat, "/at_m/2")).abs() < 1e-9 && row[0] == "seat", "{props}");
    for (_, at, force) in wrenches.values().flatten().filter(|(link, ..)| *link == "pelvis") {
        seated += 1;
        let f = force.linear;
        assert!((at.z - top).abs() < CONTACT, "{at:?} on {top}");
        assert!(f.x.hypot(f.y) <= FRICTION * f.z + ROUNDING, "{f:?}");
    }
    assert!(seated > 1000, "{seated}");
    // the scene gives the prop back
    let scene = room.read("scene.toml");
    assert!(scene.contains("kind = \"seat\"") && scene.contains("props = \"none\""), "{scene}");
    let again = room.json_result("filter", 0, &[&["scene.toml"][..], &part].concat());
    let given = &again["props"][0];
    assert_eq!(given["given"], true);
    assert!((number(given, "/height_m") - number(seat, "/height_m")).abs() < 1e-3, "{given}");
}

#[test]
fn wrong_props_are_refused() {
    let room = room("props_refused");
    for bad in ["sofa:0.4", "seat", "seat:-0.4", "seat:0.4,1", "seat:nan"] {
        room.refused(&["certify", "sitting.toml", "--prop", bad], &["--prop", "seat:0.45", bad]);
    }
    room.refused(&["filter", "keyed-walk", "--mode", "online", "--prop", "seat:0.45"], &["--mode offline"]);
    room.refused(&["filter", "keyed-walk", "--mode", "online", "--props", "auto"], &["--mode offline"]);
    room.refused(&["filter", "keyed-walk", "--save-props", "x.json"], &["--save-props", ".toml"]);
    room.write("bad.toml", "motion = \"keyed-walk\"\n[[prop]]\nkind = \"sofa\"\nheight = 0.4\n");
    room.refused(&["filter", "bad.toml"], &["bad.toml", "kind of prop 1", "sofa"]);
    let far = ["certify", "keyed-walk", "--prop", "seat:0.45,50,50"];
    let got = room.run(&far);
    assert!(got.out.contains("not used"), "{} {}", got.out, got.err);
}
