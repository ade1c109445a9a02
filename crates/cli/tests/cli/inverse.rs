//! `inverse`: files, measured forces and refusals.

use crate::people::{self, FRAMES, RATE};
use crate::room::Room;
use serde_json::Value;
use std::fmt::Write;

/// Tolerance of the ground force, relative to the weight.
const WEIGHT: f64 = 0.01;

fn room(name: &str) -> Room {
    Room::with(name, &[("squat.bvh", &people::squat(|_| [0.0; 3]))])
}

#[track_caller]
fn refused(room: &Room, args: &[&str], parts: &[&str]) {
    room.refused(&[&["inverse"], args].concat(), parts);
}

/// Column names, and rows of numbers.
fn csv(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let names = lines.next().unwrap().split(',').map(String::from).collect();
    let number = |x: &str| x.parse().unwrap_or_else(|_| panic!("`{x}` is no number"));
    (names, lines.map(|l| l.split(',').map(number).collect()).collect())
}

#[track_caller]
fn column<'a>(names: &[String], rows: &'a [Vec<f64>], name: &str) -> impl Iterator<Item = f64> + 'a {
    let k = names.iter().position(|n| n == name).unwrap_or_else(|| panic!("no {name} in {names:?}"));
    rows.iter().map(move |r| r[k])
}

#[test]
fn torques_powers_and_forces_are_written() {
    let room = room("inverse_csv");
    let result = room.fine(&["inverse", "squat.bvh", "--mass", "70", "--out", "f.csv", "--json"]);
    assert_eq!(
        (&result["frames"], &result["out"], &result["measured_frames"]),
        (&FRAMES.into(), &"f.csv".into(), &0.into())
    );
    let (names, rows) = csv(&room.read("f.csv"));
    assert_eq!((names[0].as_str(), rows.len()), ("t", FRAMES));
    for (f, row) in rows.iter().enumerate() {
        assert!((row[0] - f as f64 / RATE).abs() < 1e-6 && row.len() == names.len());
    }
    for k in 0..6 {
        assert!(names.contains(&format!("tau:root.{k}")), "{names:?}");
    }
    for joint in ["left_hip", "left_knee", "left_ankle", "right_knee", "neck", "left_elbow"] {
        assert!(
            names.contains(&format!("tau:{joint}.0")) && names.contains(&format!("power:{joint}")),
            "{joint}"
        );
    }
    assert!(!names.contains(&"power:root".to_string()));
    // N: the ground carries the weight, shared by the feet, without a root residual
    let weight = 70.0 * 9.81;
    let fz: Vec<f64> = column(&names, &rows, "ground:fz").collect();
    let mean = fz.iter().sum::<f64>() / fz.len() as f64;
    assert!((mean - weight).abs() < 0.05 * weight, "{mean} of {weight}");
    let feet = column(&names, &rows, "left_foot:fz").zip(column(&names, &rows, "right_foot:fz"));
    for ((l, r), f) in feet.zip(&fz) {
        assert!((l + r - f).abs() < 1e-6 && (l - r).abs() < WEIGHT * weight, "{l} {r} {f}");
    }
    assert!(column(&names, &rows, "tau:root.5").skip(5).take(90).all(|f| f.abs() < WEIGHT * weight));
    // m: the centre of pressure is on the ground between the feet; each foot on its side (y is left here)
    let middle = column(&names, &rows, "cop:y").zip(column(&names, &rows, "cop:z"));
    middle.for_each(|(y, z)| assert!(y.abs() < 0.01 && z.abs() < 0.01, "{y} {z}"));
    assert!(column(&names, &rows, "left_foot:py").all(|y| (y - 0.09).abs() < 0.05));
    // W: power is torque times speed; a squat goes down and up
    let power: Vec<f64> = column(&names, &rows, "power:left_knee").collect();
    assert!(power[25] < -5.0 && power[75] > 5.0, "{} {}", power[25], power[75]);
    let peak = result["torque_peak_Nm"]["value"].as_f64().unwrap();
    assert!((10.0..500.0).contains(&peak), "{peak}");
}

#[test]
fn every_format_has_the_same_numbers() {
    let room = room("inverse_formats");
    for out in ["f.csv", "f.sto", "f.mot", "f.json"] {
        room.fine(&["inverse", "squat.bvh", "--out", out, "--json"]);
    }
    let (names, rows) = csv(&room.read("f.csv"));
    let json: Value = serde_json::from_str(&room.read("f.json")).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), FRAMES);
    for file in ["f.sto", "f.mot"] {
        let about = room.fine(&["inspect", file, "--json"]);
        let columns: Vec<&str> =
            about["columns"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(columns, names[1..], "{file}");
        assert_eq!(about["frames"], FRAMES, "{file}");
        let text = room.read(file);
        let last: Vec<f64> = text.lines().last().unwrap().split('\t').map(|x| x.parse().unwrap()).collect();
        assert_eq!(&last, rows.last().unwrap(), "{file}");
    }
    let text = room.run(&["inverse", "squat.bvh"]);
    assert!(text.code == 0 && text.out.contains("no file written; use --out FILE.csv"), "{text:?}");
    let text = room.run(&["inverse", "squat.bvh", "--out", "f.csv"]);
    assert!(text.out.ends_with("squat.bvh -> f.csv\n"), "{}", text.out);
}

/// Forces of two plates in OpenSim's format, y up, each half of `newtons`, from a time on.
fn plates(newtons: f64, from: f64) -> String {
    let mut text = "grf\nversion=1\nnRows=51\nnColumns=19\ninDegrees=yes\nendheader\ntime".to_string();
    for plate in ["", "1_"] {
        for (what, axes) in [("force_v", "xyz"), ("force_p", "xyz"), ("torque_", "xyz")] {
            axes.chars().for_each(|axis| {
                let _ = write!(text, "\t{plate}ground_{what}{axis}");
            });
        }
    }
    for sample in 0..51 {
        let _ = write!(text, "\n{}", from + f64::from(sample) * 0.0198);
        // x is forward and z to the right; the centre of a foot is some cm ahead of the ankle
        for side in [-0.09, 0.09] {
            let _ = write!(text, "\t0\t{}\t0\t0.05\t0\t{side}\t0\t0\t0", 0.5 * newtons);
        }
    }
    text.push('\n');
    text
}

#[test]
fn measured_forces_replace_estimated_ones() {
    let room = room("inverse_plates");
    room.write("grf.mot", plates(500.0, 0.0));
    let args = ["inverse", "squat.bvh", "--mass", "70", "--forces", "grf.mot", "--out", "f.csv", "--json"];
    let result = room.fine(&args);
    // until 0.99 s, at 60 frames a second
    assert_eq!(result["measured_frames"], 60, "{}", result["notes"]);
    assert!(result["notes"].to_string().contains("60 of 100 frames have measured forces"));
    let (names, rows) = csv(&room.read("f.csv"));
    let fz: Vec<f64> = column(&names, &rows, "ground:fz").collect();
    assert!(fz[..60].iter().all(|f| (f - 500.0).abs() < 1e-9), "{:?}", &fz[..60]);
    assert!(fz[62..95].iter().all(|f| (f - 70.0 * 9.81).abs() < 150.0), "{:?}", &fz[62..]);
    // both feet have a force
    for foot in ["left_foot:fz", "right_foot:fz"] {
        assert!(column(&names, &rows, foot).take(60).all(|f| (f - 250.0).abs() < 1e-9), "{foot}");
    }
    // the weight that the plates lack is a root residual
    let residual = result["root_residual"]["force_rms_N"].as_f64().unwrap();
    assert!((80.0..300.0).contains(&residual), "{residual}");
}

#[test]
fn measured_forces_that_do_not_fit_are_refused() {
    let room = room("inverse_refusals");
    room.write("late.mot", plates(700.0, 100.0));
    refused(
        &room,
        &["squat.bvh", "--forces", "late.mot"],
        &[
            "late.mot: forces from 100.000 to 100.990 s have no time in common with the motion, 0.000 to 1.650 s",
        ],
    );
    room.write("knee.mot", crate::motions::STO);
    refused(&room, &["squat.bvh", "--forces", "knee.mot"], &["knee.mot", "no force columns"]);
    room.write("m.trc", crate::motions::TRC);
    refused(&room, &["squat.bvh", "--forces", "m.trc"], &["m.trc"]);
    refused(
        &room,
        &["squat.bvh", "--forces", "squat.bvh"],
        &["squat.bvh: measured forces are read from .mot, .sto and .c3d"],
    );
    refused(&room, &["squat.bvh", "--forces", "none.mot"], &["none.mot: No such file"]);
    refused(&room, &["squat.bvh", "--forces", "plates.xlsx"], &["plates.xlsx"]);
    room.write("grf.mot", plates(700.0, 0.0).replace("\t350\t", "\tx\t"));
    refused(&room, &["squat.bvh", "--forces", "grf.mot"], &["grf.mot:8:"]);
    refused(&room, &["squat.bvh", "--out", "f.obj"], &["f.obj", ".csv"]);
    refused(&room, &["squat.bvh", "--out", "none/f.csv"], &["none/f.csv"]);
    refused(&room, &["human-28"], &["`human-28` is a figure, not a motion"]);
    refused(&room, &["m.trc"], &["marker positions but no skeleton"]);
    refused(&room, &["knee.mot"], &["--figure MODEL.osim"]);
    assert!(!room.files().iter().any(|f| f.starts_with("f.") || f.contains("tmp")), "{:?}", room.files());
}

#[test]
fn a_measured_walk_is_explained() {
    let Some(dir) = testkit::data("opensim/gait2354") else { return };
    let path = |file: &str| dir.join(file).display().to_string();
    let room = Room::new("inverse_real");
    let (ik, model, grf) =
        (path("subject01_walk1_ik.mot"), path("subject01_simbody.osim"), path("subject01_walk1_grf.mot"));
    let args = ["inverse", &ik, "--figure", &model, "--forces", &grf, "--out", "f.sto", "--json"];
    let result = room.fine(&args);
    assert!(result["measured_frames"] == result["frames"], "{result}");
    assert!((1.0..1.5).contains(&result["grf"]["peak_bw"].as_f64().unwrap()), "{result}");
    assert!(result["root_residual"]["force_rms_bw"].as_f64().unwrap() < 0.12, "{result}");
    let columns = room.fine(&["inspect", "f.sto", "--json"])["columns"].to_string();
    assert!(columns.contains("tau:knee_angle_r") && columns.contains("_r:fz"), "{columns}");
}
