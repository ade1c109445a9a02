//! Errors: exit codes, and messages that name the problem and its place.

use crate::figures::{BEAD_TOML, BRICK_TOML, CHAIN_TOML, LOOP_TOML, PENDULUM_URDF};
use crate::room::Room;

fn room(name: &str) -> Room {
    let files = [
        ("bead.toml", BEAD_TOML),
        ("brick.toml", BRICK_TOML),
        ("chain.toml", CHAIN_TOML),
        ("loop.toml", LOOP_TOML),
        ("pendulum.urdf", PENDULUM_URDF),
    ];
    Room::with(name, &files)
}

#[track_caller]
fn refused(room: &Room, code: i32, args: &[&str], parts: &[&str]) {
    let got = room.run(args);
    assert_eq!(got.code, code, "{args:?}: {}", got.err);
    assert!(got.out.is_empty(), "{args:?} prints no answer: {}", got.out);
    for part in parts {
        assert!(got.err.contains(part), "{args:?}\nexpected: {part}\ngot: {}", got.err);
    }
    assert!(!got.err.contains("panicked"), "{}", got.err);
}

#[test]
fn usage() {
    let room = room("usage");
    refused(&room, 2, &[], &["Usage"]);
    refused(&room, 2, &["inspekt"], &["inspekt", "inspect"]);
    refused(&room, 2, &["inspect"], &["FILE|NAME"]);
    refused(&room, 2, &["inspect", "brick.toml", "--base", "loose"], &["loose", "fixed, free"]);
    refused(&room, 2, &["compute", "brick.toml"], &["--quantities"]);
    refused(
        &room,
        2,
        &["compute", "brick.toml", "--want", "mas_matrix"],
        &["did you mean `mass_matrix`", "jacobian:LINK", "closure"],
    );
    refused(
        &room,
        2,
        &["compute", "brick.toml", "--want", "com", "--gravity", "0,0"],
        &["three finite numbers", "`0,0`"],
    );
    refused(
        &room,
        2,
        &["compute", "brick.toml", "--want", "com", "--gravity", "0,0,NaN"],
        &["three finite numbers"],
    );
    refused(&room, 2, &["simulate", "brick.toml", "--integrator", "magic"], &["magic", "rk4"]);
    refused(&room, 2, &["simulate", "brick.toml", "--dt", "0"], &["--dt is 0", "seconds above zero"]);
    refused(&room, 2, &["simulate", "brick.toml", "--dt", "1e-300"], &["steps, expected at most 1e9"]);
    refused(&room, 2, &["simulate", "brick.toml", "--duration", "-1"], &["--duration is -1"]);
}

#[test]
fn unknown_figures() {
    let room = room("not_there");
    refused(
        &room,
        2,
        &["inspect", "humam-28"],
        &["no file, built-in figure or scene `humam-28`", "did you mean `human-28`"],
    );
    refused(&room, 2, &["simulate", "no-such-scene"], &["no-such-scene"]);
    refused(&room, 2, &["inspect", "none.urdf"], &["none.urdf: No such file"]);
    refused(&room, 2, &["inspect", "."], &[".: is a directory"]);
    room.write("notes.txt", "hello");
    refused(&room, 2, &["inspect", "notes.txt"], &["notes.txt: unknown kind of file", ".urdf", ".bvh"]);
}

#[test]
fn figures_that_cannot_be_read() {
    let room = room("unreadable");
    room.write("bytes.urdf", b"<robot name='\xff'/>");
    refused(&room, 2, &["inspect", "bytes.urdf"], &["bytes.urdf: not UTF-8", "13"]);
    room.write("cut.urdf", &PENDULUM_URDF[..200]);
    refused(&room, 2, &["inspect", "cut.urdf"], &["cut.urdf:"]);
    room.write("other.xml", "<svg/>");
    refused(&room, 2, &["inspect", "other.xml"], &["other.xml:1:", "svg"]);
    room.write("empty.xml", "");
    refused(&room, 2, &["inspect", "empty.xml"], &["empty.xml"]);
    room.write("bad.toml", "name = \"x\"\n[[link]]\nname = 3\n");
    refused(&room, 2, &["inspect", "bad.toml"], &["bad.toml:3:"]);
}

#[test]
fn states_that_do_not_fit() {
    let room = room("states");
    let compute = |state: &str, parts: &[&str]| {
        room.write("s.json", state);
        refused(&room, 2, &["compute", "chain.toml", "--state", "s.json", "--want", "com"], parts);
    };
    compute("{\n \"q\": {,}\n}", &["s.json: ", "line 2 column 8"]);
    compute("{\"q\": {\"elbow\": NaN}}", &["s.json: ", "line 1 column 17"]);
    compute("{\"q\": {\"elbow\": 1e999}}", &["s.json: ", "number out of range", "line 1"]);
    compute("[]", &["s.json: the file: is a list, expected a table"]);
    compute("{\"Q\": {}}", &["s.json: there is no field `Q`", "q, v, a, tau, forces"]);
    compute("{\"q\": []}", &["s.json: q: is a list, expected a table"]);
    compute(
        "{\"q\": {\"elbw\": 1}}",
        &["q.elbw: there is no joint `elbw`; did you mean `elbow`?", "shoulder, elbow, slide"],
    );
    compute(
        "{\"v\": {\"shoulder\": [1, 2]}}",
        &["s.json: v.shoulder: has 2 numbers, expected a list of 3 numbers"],
    );
    compute("{\"q\": {\"shoulder\": 1}}", &["q.shoulder: is the number 1, expected a list of 4 numbers"]);
    compute("{\"q\": {\"shoulder\": [0, 0, 0, 0]}}", &["q.shoulder: length of the quaternion"]);
    compute("{\"a\": {\"elbow\": [\"x\"]}}", &["a.elbow[0]: is the text \"x\", expected a number"]);
    compute("{\"tau\": {\"elbow\": null}}", &["tau.elbow: is null, expected a number or a list of one"]);
    compute("{\"forces\": {}}", &["s.json: forces: is a table, expected a list"]);
    compute("{\"forces\": [{}]}", &["forces[0]: `link` is missing"]);
    compute(
        "{\"forces\": [{\"link\": \"tol\"}]}",
        &["forces[0].link: there is no link `tol`; did you mean `tool`?"],
    );
    compute("{\"forces\": [{\"link\": 3}]}", &["forces[0].link: is the number 3, expected a link name"]);
    compute(
        "{\"forces\": [{\"link\": \"tool\", \"force\": [1, 2]}]}",
        &["forces[0].force: has 2 numbers, expected a list of 3"],
    );
    compute(
        "{\"forces\": [{\"link\": \"tool\", \"Force\": []}]}",
        &["forces[0]: there is no field `Force`; did you mean `force`?"],
    );
    refused(
        &room,
        2,
        &["compute", "chain.toml", "--state", "none.json", "--want", "com"],
        &["none.json: No such file"],
    );
    room.write("fixed.json", "{\"q\": {\"root\": [0]}}");
    let args = ["compute", "brick.toml", "--base", "fixed", "--state", "fixed.json", "--want", "com"];
    refused(&room, 2, &args, &["q.root: has 1 number, expected an empty list"]);
}

#[test]
fn unknown_quantities() {
    let room = room("quantities");
    let want = |figure, want, parts: &[&str]| refused(&room, 2, &["compute", figure, "--want", want], parts);
    want("chain.toml", "jacobian:lwoer", &["jacobian:lwoer", "did you mean `lower`?"]);
    want("chain.toml", "closure", &["`chain` has no connections"]);
    want("chain.toml", "closed_inverse_dynamics", &["`chain` has no connections"]);
    refused(&room, 2, &["inspect", "pendulum.urdf", "--height", "1.8"], &["pendulum.urdf", "no stature"]);
    refused(&room, 2, &["inspect", "brick.toml", "--mass", "-3"], &["mass is -3", "more than zero"]);
}

#[test]
fn results_that_are_not_finite() {
    let room = room("not_finite");
    room.write("s.json", "{\"q\": {\"slide\": -1}, \"tau\": {\"turn\": 1}}");
    let args =
        ["compute", "bead.toml", "--state", "s.json", "--want", "mass_matrix,forward_dynamics", "--json"];
    refused(&room, 1, &args, &["no: `forward_dynamics` is not finite: the mass matrix is singular"]);
    room.write("s.json", "{\"v\": {\"turn\": 1e200}}");
    let args = ["compute", "bead.toml", "--state", "s.json", "--want", "com,bias", "--json"];
    refused(&room, 1, &args, &["no: `bias` is not finite", "too large"]);
}

#[test]
fn files_that_cannot_be_written() {
    let room = room("unwritable");
    refused(
        &room,
        2,
        &["convert", "brick.toml", "brick.obj"],
        &["brick.obj: unknown kind of file", "figures are written as"],
    );
    refused(
        &room,
        2,
        &["convert", "brick.toml", "no/where.toml"],
        &["no/where.toml: the output folder no does not exist"],
    );
    refused(&room, 2, &["convert", "none.toml", "x.urdf"], &["none.toml: No such file"]);
    refused(&room, 2, &["simulate", "brick.toml", "--out", "brick.toml"], &["brick.toml: "]);
}

#[test]
fn motions_that_cannot_be_retargeted() {
    let room = room("carried");
    room.write("squat.bvh", crate::people::squat(|_| [0.0; 3]));
    room.write("t.sto", crate::motions::STO);
    room.write("m.trc", crate::motions::TRC);
    let convert = |args: &[&str], parts: &[&str]| {
        refused(&room, 2, &[&["convert"], args].concat(), parts);
        assert!(!room.files().iter().any(|f| f.starts_with("x.")), "{args:?}: {:?}", room.files());
    };
    convert(
        &["squat.bvh", "x.bvh", "--figure", "brick.toml"],
        &["brick", "retargeting needs a pelvis and legs"],
    );
    convert(&["squat.bvh", "x.bvh", "--figure", "high-bar"], &["high-bar"]);
    convert(&["squat.bvh", "x.bvh", "--figure", "none.toml"], &["none.toml: No such file"]);
    convert(&["squat.bvh", "x.obj", "--figure", "human-28"], &["x.obj", ".bvh"]);
    convert(&["squat.bvh", "x.json", "--height", "18"], &["(as given) is 18", "0.4 to 2.8 m, such as 1.7"]);
    convert(&["squat.bvh", "x.json", "--mass", "0"], &["above zero"]);
    convert(
        &["t.sto", "x.bvh", "--figure", "human-28"],
        &["t.sto", "coordinates of a model", "--figure MODEL.osim"],
    );
    convert(&["t.sto", "x.bvh", "--figure", "none.osim"], &["none.osim: No such file"]);
    convert(&["t.sto", "x.bvh"], &["tables are written as .mot"]);
    convert(&["m.trc", "x.bvh", "--figure", "human-28"], &["marker positions but no skeleton"]);
}
