//! `inspect` and `convert` on motions: output, round trips and refusals.

use crate::room::Room;
use serde_json::{Value, json};

/// A person of two bones that turns once about the vertical, with a T-pose in front.
const BVH: &str = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n \
JOINT LeftUpLeg\n {\n  OFFSET 10 0 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  JOINT LeftFoot\n  {\n   OFFSET 0 -95 0\n   \
CHANNELS 1 Xrotation\n   End Site\n   {\n    OFFSET 0 0 15\n   }\n  }\n }\n JOINT Head\n {\n  OFFSET 0 60 0\n  CHANNELS 0\n  \
End Site\n  {\n   OFFSET 0 20 0\n  }\n }\n}\n\
MOTION\nFrames: 4\nFrame Time: 0.02\n\
0 95 0 0 0 0 0 0 0 0\n1 95 2 0 0 40 5 10 0 20\n2 96 4 0 0 41 5.5 11 0 21\n3 95 6 0 0 42 6 12 0 22\n";

const ASF: &str = ":version 1.10\n:name one\n:units\n mass 1.0\n length 0.45\n angle deg\n:root\n order TX TY TZ RX RY RZ\n \
axis XYZ\n position 0 0 0\n orientation 0 0 0\n:bonedata\n begin\n id 1\n name lfemur\n direction 0 -1 0\n length 7\n axis 0 0 0 XYZ\n \
dof rx\n end\n begin\n id 2\n name lfoot\n direction 0 -1 0\n length 7\n axis 0 0 0 XYZ\n end\n:hierarchy\n begin\n root lfemur\n \
lfemur lfoot\n end\n";
const AMC: &str =
    ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 16 0 0 0 0\nlfemur 10\n2\nroot 0 16 1 0 0 0\nlfemur 20\n";
pub const TRC: &str = "PathFileType\t4\t(X/Y/Z)\ta.trc\n\
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n50\t50\t2\t1\tmm\t50\t1\t2\n\
Frame#\tTime\tHEAD\t\t\n\t\tX1\tY1\tZ1\n\n1\t0\t100\t1700\t-20\n2\t0.02\t\t\t\n";
pub const STO: &str =
    "walk\nversion=1\nnRows=2\nnColumns=2\ninDegrees=yes\nendheader\ntime\tknee\n0\t1.5\n0.5\tnan\n";

fn room(name: &str) -> Room {
    Room::with(name, &[("walk.bvh", BVH), ("s.asf", ASF), ("s_1.amc", AMC), ("m.trc", TRC), ("t.sto", STO)])
}

#[test]
fn inspect_lists_the_joints_of_a_recording() {
    let room = room("motion_inspect");
    let about = room.fine(&["inspect", "walk.bvh", "--json"]);
    assert_eq!(
        (&about["kind"], &about["name"], &about["up"]),
        (&json!("motion"), &json!("walk"), &json!("y"))
    );
    assert_eq!(about["unit_m"], 0.01);
    assert_eq!(about["frames"], 3, "the T-pose is split off: {}", about["notes"]);
    assert_eq!(about["fps"], 50.0);
    assert!((about["duration_s"].as_f64().unwrap() - 0.04).abs() < 1e-12);
    let foot = &about["joints"][2];
    assert_eq!((&foot["name"], &foot["parent"]), (&json!("LeftFoot"), &json!("LeftUpLeg")));
    assert_eq!(foot["channels"], json!(["Xrotation"]));
    assert!((foot["length_m"].as_f64().unwrap() - 0.15).abs() < 1e-12);
    assert!(about["notes"].to_string().contains("unit of length: centimetre"), "{}", about["notes"]);
    assert!(about["warnings"].is_array());
    let kept =
        room.fine(&["inspect", "walk.bvh", "--keep-first-frame", "--unit", "0.02", "--up", "z", "--json"]);
    assert_eq!((&kept["frames"], &kept["unit_m"], &kept["up"]), (&json!(4), &json!(0.02), &json!("z")));
    let text = room.run(&["inspect", "walk.bvh"]);
    assert!(
        text.code == 0 && text.out.contains("4 joints, 3 frames") && text.out.contains("    LeftFoot"),
        "{text:?}"
    );
}

#[test]
fn inspect_describes_other_motions() {
    let room = room("motion_kinds");
    let amc = room.fine(&["inspect", "s_1.amc", "--json"]);
    assert_eq!((&amc["kind"], &amc["frames"], &amc["fps"]), (&json!("motion"), &json!(2), &json!(120.0)));
    room.write("elsewhere.asf", ASF);
    let amc = room.fine(&["inspect", "s_1.amc", "--asf", "elsewhere.asf", "--fps", "60", "--json"]);
    assert!(amc["notes"].to_string().contains("elsewhere.asf") && amc["fps"] == 60.0, "{}", amc["notes"]);
    assert_eq!(room.fine(&["inspect", "s.asf", "--json"])["frames"], 1);
    let trc = room.fine(&["inspect", "m.trc", "--json"]);
    assert_eq!(
        (&trc["kind"], &trc["labels"], &trc["seen"]),
        (&json!("markers"), &json!(["HEAD"]), &json!(0.5))
    );
    let sto = room.fine(&["inspect", "t.sto", "--json"]);
    assert_eq!((&sto["kind"], &sto["columns"]), (&json!("table"), &json!(["knee"])));
    assert_eq!((&sto["in_degrees"], &sto["fps"]), (&json!(true), &json!(2.0)));
    for file in ["s_1.amc", "m.trc", "t.sto"] {
        assert_eq!(room.run(&["inspect", file]).code, 0, "{file}");
    }
}

#[test]
fn a_recording_converts_to_all_formats() {
    let room = room("motion_convert");
    for out in ["a.bvh", "a.csv", "a.json", "a.mot", "a.sto", "a.glb", "a.gltf", "a.toml"] {
        let done = room.fine(&["convert", "walk.bvh", out, "--json"]);
        assert!(done["warnings"].is_array() && done["out"] == out, "{done}");
        assert!(room.path(out).metadata().unwrap().len() > 300, "{out}");
    }
    // round trip: the same numbers, with the T-pose
    assert_eq!(room.read("a.bvh").lines().last(), BVH.lines().last());
    assert_eq!(
        room.fine(&["inspect", "a.bvh", "--json"])["notes"],
        room.fine(&["inspect", "walk.bvh", "--json"])["notes"]
    );
    // a motion of a figure, and its round trip
    let about = room.fine(&["inspect", "a.json", "--json"]);
    assert_eq!(
        (&about["kind"], &about["frames"], &about["figure"]),
        (&json!("motion"), &json!(3), &json!("walk"))
    );
    assert_eq!(about["joints"].as_array().unwrap().len(), 4);
    room.fine(&["convert", "a.json", "b.json", "--json"]);
    assert_eq!(room.read("a.json"), room.read("b.json"));
    room.fine(&["convert", "a.json", "b.csv", "--json"]);
    assert_eq!(room.read("a.csv"), room.read("b.csv"));
    let first = room.read("a.csv").lines().next().unwrap().to_string();
    assert!(first.starts_with("t,q:Hips.0,q:Hips.1,"), "{first}");
    // the figure can be computed with
    assert!(room.fine(&["inspect", "a.toml", "--json"])["mass_kg"].as_f64().unwrap() > 0.1);
    // joint positions after the round trips
    room.fine(&["convert", "b.json", "c.bvh", "--json"]);
    let again = room.fine(&["inspect", "c.bvh", "--unit", "0.01", "--up", "y", "--json"]);
    assert_eq!(again["frames"], 3);
    assert_eq!(again["joints"][2]["offset_m"], about_offset(&room));
    let text = room.run(&["convert", "walk.bvh", "a.csv"]);
    assert_eq!(text.out, "walk.bvh -> a.csv\n");
    assert!(text.err.contains("warning: a.csv: the rest pose before the motion is left out"), "{}", text.err);
}

fn about_offset(room: &Room) -> Value {
    room.fine(&["inspect", "walk.bvh", "--json"])["joints"][2]["offset_m"].clone()
}

#[test]
fn markers_tables_and_figures_convert_where_possible() {
    let room = room("motion_convert_others");
    for out in ["m.csv", "m.json", "n.trc"] {
        room.fine(&["convert", "m.trc", out, "--json"]);
    }
    assert_eq!(room.read("m.csv"), "t,HEAD.x,HEAD.y,HEAD.z\n0,0.1,0.02,1.7\n0.02,,,\n");
    assert_eq!(room.fine(&["inspect", "n.trc", "--json"])["seen"], 0.5);
    for out in ["t.csv", "t.json", "u.sto"] {
        room.fine(&["convert", "t.sto", out, "--json"]);
    }
    assert_eq!(room.read("t.csv"), "t,knee\n0,1.5\n0.5,\n");
    let rows: Value = serde_json::from_str(&room.read("t.json")).unwrap();
    assert_eq!(rows["rows"], json!([[1.5], [null]]));
    for out in ["h.glb", "h.bvh", "h.json", "h.csv"] {
        room.fine(&["convert", "human-28", out, "--json"]);
    }
    assert_eq!(room.fine(&["inspect", "h.json", "--json"])["frames"], 1);
}

#[test]
fn broken_motions_are_refused_with_the_position() {
    let room = room("motion_hostile");
    let claim = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 99999999 Xposition\n}\nMOTION\nFrames: 999999999999\nFrame Time: 0\n";
    room.write("empty.bvh", "");
    room.write("half.bvh", &BVH[..BVH.len() - 30]);
    room.write("nan.bvh", BVH.replace("96", "nan"));
    room.write("claim.bvh", claim);
    room.write("frames.bvh", BVH.replace("Frames: 4", "Frames: 999999999999"));
    room.write("noise.bvh", [0xff, 0x00, 0x80, 0x01].repeat(100));
    room.write("short.c3d", [2u8, 0x50, 0, 0]);
    room.write("noise.npz", [1u8, 2, 3].repeat(100));
    room.write("state.json", r#"{"q": {}}"#);
    room.write("half.json", "{\n\"format\": \"anthropi clip\",\n");
    room.write("bad.amc", AMC.replace("lfemur 20", "lfemur x"));
    let refusals: [(&str, &str); 11] = [
        ("empty.bvh", "empty.bvh: the file is empty"),
        ("half.bvh", "half.bvh:35:1: Frames: "),
        ("nan.bvh", "nan.bvh:35:"),
        ("claim.bvh", "claim.bvh:5:10: CHANNELS of a: "),
        ("frames.bvh", "frames.bvh:"),
        ("noise.bvh", "noise.bvh:1:1: "),
        ("short.c3d", "short.c3d: byte 4: header: "),
        ("noise.npz", "noise.npz: byte "),
        ("state.json", "state.json:1:"),
        ("half.json", "half.json:3:"),
        ("bad.amc", "bad.amc:8:8: "),
    ];
    for (file, said) in refusals {
        let asf: &[&str] = if file.ends_with("amc") { &["--asf", "s.asf"] } else { &[] };
        room.refused(&[&["inspect", file], asf].concat(), &[said]);
        room.refused(&[&["convert", file, "out.csv"], asf].concat(), &[said]);
        room.refused(&[&["inspect", file, "--json"], asf].concat(), &[said]);
    }
    assert!(!room.files().iter().any(|f| f.starts_with("out") || f.contains("tmp")), "{:?}", room.files());
}

#[test]
fn inapplicable_options_and_extensions_are_refused() {
    let room = room("motion_refusals");
    room.refused(&["inspect", "none.bvh"], &["none.bvh: No such file"]);
    room.refused(&["inspect", "walk.bvh", "--base", "free"], &["--base is for figures"]);
    room.refused(&["inspect", "human-28", "--unit", "0.01"], &["--unit applies only to .bvh"]);
    room.refused(&["inspect", "walk.bvh", "--fps", "60"], &["--fps applies only to .amc"]);
    room.refused(&["inspect", "walk.bvh", "--unit", "-1"], &["above zero"]);
    room.refused(&["inspect", "t.sto", "--up", "z"], &["--up applies only to"]);
    room.refused(&["inspect", "s_1.amc", "--asf", "none.asf"], &["none.asf: No such file"]);
    room.refused(&["convert", "walk.bvh", "out.trc"], &["motions of figures are written as .json"]);
    room.refused(&["convert", "m.trc", "out.bvh"], &["markers are written as .json"]);
    room.refused(&["convert", "t.sto", "out.glb"], &["tables are written as .mot"]);
    room.refused(&["convert", "walk.bvh", "none/out.csv"], &["none/out.csv"]);
}

#[test]
fn recorded_motions_are_read_and_written() {
    let Some(data) = testkit::data("") else { return };
    let room = Room::new("motion_real");
    let path = |file: &str| data.join(file).display().to_string();
    for (file, frames) in [("bvh/16_15.bvh", 471), ("asfamc/16_15.amc", 471), ("c3d/Eb015pi.c3d", 450)] {
        assert_eq!(room.fine(&["inspect", &path(file), "--json"])["frames"], frames, "{file}");
    }
    let plates = room.fine(&["inspect", &path("c3d/Eb015pi.c3d"), "--json"])["plates"].clone();
    assert_eq!(plates[0]["kind"], 2);
    assert!(plates[0]["peak_force_N"].as_f64().unwrap() > 500.0);
    let warnings = room.fine(&["inspect", &path("bvh/16_15.bvh"), "--json"])["warnings"].to_string();
    assert!(warnings.contains("thorax"), "{warnings}");
    for file in ["bvh/16_15.bvh", "bvh_other/bandai_dataset-2_run_normal_027.bvh", "asfamc/16_15.amc"] {
        for ending in ["bvh", "csv", "json", "glb", "mot"] {
            let out = format!("x.{ending}");
            room.fine(&["convert", &path(file), &out, "--json"]);
            assert!(room.path(&out).metadata().unwrap().len() > 1000, "{file} to {ending}");
        }
    }
}
