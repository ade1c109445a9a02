//! The real binary in a fresh directory.

mod batch;
mod certify;
mod compute;
mod contact;
mod convert;
mod errors;
mod figures;
mod filter;
mod inspect;
mod install;
mod inverse;
mod motions;
mod notes;
mod people;
mod props;
mod pushes;
mod refusals;
mod room;
mod roundtrip;
mod scenes;
mod simulate;
mod studio;
mod walk;

use room::Room;

#[test]
fn list_names_what_is_built_in() {
    let room = Room::new("list");
    let list = room.fine(&["list", "--json"]);
    let names: Vec<&str> =
        list["figures"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"human-28"), "{names:?}");
    for field in ["scenes", "motions", "styles"] {
        assert!(list[field].is_array(), "{field}");
    }
    assert!(list["figures"].as_array().unwrap().iter().all(|f| f["what"].as_str().unwrap().len() > 10));
    let text = room.run(&["list"]);
    assert!(text.code == 0 && names.iter().all(|n| text.out.contains(n)), "{text:?}");
}

#[test]
fn every_built_in_figure_can_be_inspected_and_computed() {
    let room = Room::new("built_in");
    for figure in room.fine(&["list", "--json"])["figures"].as_array().unwrap() {
        let name = figure["name"].as_str().unwrap();
        let about = room.fine(&["inspect", name, "--json"]);
        let out = room.fine(&["compute", name, "--want", "dofs,forward_dynamics", "--json"]);
        assert_eq!(out["dofs"], about["coordinates"]["generalized"], "{name}");
        assert_eq!(out["forward_dynamics"].as_array().unwrap().len(), about["coordinates"]["tree"], "{name}");
    }
}

#[test]
fn help_shows_an_example_for_every_command() {
    let room = Room::new("help");
    for command in install::commands(&room) {
        let got = room.run(&[&command, "--help"]);
        assert_eq!(got.code, 0, "{command}");
        assert!(got.out.contains(&format!("Example:\n  anthropi {command}")), "{command}: {}", got.out);
    }
}
