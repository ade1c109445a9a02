use crate::figures::{BRICK_TOML, LOOP_TOML, PENDULUM_URDF};
use crate::room::Room;
use serde_json::json;

#[test]
fn a_pendulum_is_listed_link_by_link() {
    let room = Room::with("inspect_pendulum", &[("pendulum.urdf", PENDULUM_URDF)]);
    let about = room.fine(&["inspect", "pendulum.urdf", "--json"]);
    assert_eq!(about["kind"], "figure");
    assert_eq!(about["name"], "pendulum");
    assert_eq!(about["mass_kg"], 2.0);
    let links = json!([
        { "name": "base", "parent": null, "mass_kg": 0.0 },
        { "name": "rod", "parent": "base", "mass_kg": 2.0 },
    ]);
    assert_eq!(about["links"], links);
    let hinge = json!({ "name": "hinge", "type": "revolute", "dof": 1, "parent": "base", "child": "rod",
        "actuated": true, "range": [[-1.5, 1.0]], "locked": [false] });
    assert_eq!(about["joints"][1], hinge);
    let coordinates = json!({ "tree": 1, "connections": 0, "total": 1, "rank": 0, "free": 1, "generalized": ["hinge"],
        "ledger": { "figure": 1, "base": 0, "environment": 0, "connections": 0 } });
    assert_eq!(about["coordinates"], coordinates);
    let text = room.run(&["inspect", "pendulum.urdf"]);
    assert!(
        text.code == 0 && text.out.contains("rod  2.000 kg  joint hinge: revolute [-86 to 57 deg]"),
        "{}",
        text.out
    );
}

#[test]
fn a_base_can_be_freed_and_fixed() {
    let room = Room::with("inspect_base", &[("pendulum.urdf", PENDULUM_URDF), ("brick.toml", BRICK_TOML)]);
    let free = room.fine(&["inspect", "pendulum.urdf", "--base", "free", "--json"]);
    assert_eq!(free["joints"][0]["name"], "root");
    assert_eq!(free["joints"][0]["type"], "free");
    let ledger = json!({ "figure": 1, "base": 6, "environment": 0, "connections": 0 });
    assert_eq!(free["coordinates"]["ledger"], ledger);
    assert_eq!(
        free["coordinates"]["generalized"],
        json!(["root.0", "root.1", "root.2", "root.3", "root.4", "root.5", "hinge"])
    );
    let fixed = room.fine(&["inspect", "brick.toml", "--base", "fixed", "--json"]);
    assert_eq!(fixed["coordinates"]["total"], 0);
}

#[test]
fn height_and_mass_scale() {
    let room = Room::with("inspect_scale", &[("brick.toml", BRICK_TOML)]);
    let about = room.fine(&["inspect", "brick.toml", "--mass", "8", "--height", "2", "--json"]);
    assert_eq!(about["mass_kg"], 8.0);
    assert_eq!(about["stature_m"], 2.0);
}

#[test]
fn loops_are_counted() {
    let room = Room::with("inspect_loop", &[("loop.toml", LOOP_TOML)]);
    let about = room.fine(&["inspect", "loop.toml", "--json"]);
    let c = &about["coordinates"];
    assert_eq!((&c["tree"], &c["connections"], &c["total"]), (&json!(2), &json!(3), &json!(5)));
    // the rods lie in one line: to first order the knot can still move across it
    assert_eq!((&c["rank"], &c["free"]), (&json!(4), &json!(1)));
    assert_eq!(c["generalized"].as_array().unwrap().len(), 1);
    let knot = json!({ "name": "knot", "type": "spherical", "dof": 3, "a": "left", "b": "right" });
    assert_eq!(about["connections"], json!([knot]));
}
