//! Motions of figures as JSON, CSV and tables: exact round trips, continuous angles, errors with their position.

use anthropi_dynamics::spatial::{Axis, Quat};
use anthropi_formats::motion::{self, Motion, csv, json, table_from_clip};
use anthropi_formats::{Error, sto, trc};
use anthropi_motion::markers::{Analog, Markers};
use std::path::PathBuf;
use testkit::odd;

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn json_round_trips_bit_for_bit() {
    for figure in odd::figures() {
        let clip = odd::clip(figure, 40);
        let text = json::write(&clip);
        let again = json::read(&text, "c.json").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((&again.name, again.dt(), again.start()), (&clip.name, clip.dt(), clip.start()));
        assert_eq!(bits(again.poses()), bits(clip.poses()), "{}", clip.name);
        assert_eq!(json::write(&again), text, "{}", clip.name);
        let other: serde_json::Value = serde_json::from_str(&text).unwrap();
        let frames = other["frames"].as_array().unwrap();
        assert_eq!(frames.len(), 40);
        assert_eq!(other["coordinates"].as_array().unwrap().len(), frames[0].as_array().unwrap().len());
        let count: u64 =
            other["joints"].as_array().unwrap().iter().map(|j| j["count"].as_u64().unwrap()).sum();
        assert_eq!(count as usize, clip.figure().forest().nq());
    }
}

#[test]
fn json_errors_have_a_position() {
    let text = json::write(&odd::clip(odd::odd(), 3));
    let wrong = |text: &str, part: &str| {
        let error = json::read(text, "c.json").unwrap_err();
        let (Error::Syntax { place, .. } | Error::Field { place, .. }) = &error else { panic!("{error}") };
        let said = error.to_string();
        assert!(said.starts_with(&format!("c.json:{place}: ")) && said.contains(part), "{said}");
        place.line
    };
    wrong("", "EOF");
    wrong("{}", "`format` is missing");
    wrong("[]", "expected");
    wrong(&text.replace("anthropi clip", "other"), "anthropi clip");
    wrong(&text.replace("\"version\": 1", "\"version\": 2"), "version: 2");
    wrong(&text.replace("\"dt\": ", "\"dt\": -"), "dt: -");
    wrong(&text.replace("\"dt\"", "\"dT\""), "`dt` is missing");
    wrong(&text.replace("kind = \\\"free\\\"", "kind = \\\"loose\\\""), "loose");
    wrong(&text.replace("\"frames\": [\n[", "\"frames\": [\n[1,"), "frame 0: ");
    wrong(&text.replace("\"frames\": [\n[", "\"frames\": [\n[1e999,"), "number out of range");
    wrong(&text.replace("\"frames\": [\n[", "\"frames\": [\n[null,"), "null");
    wrong(&format!("{text}x"), "trailing");
    let line = wrong(&text[..text.len() - 20], "EOF");
    assert!(line > 10, "near the end, not in line {line}");
    wrong(&format!("{}{}", "[".repeat(10_000), text), "expected");
    let deep = text.replace("\"start\"", &format!("\"x\": {}, \"start\"", "[".repeat(10_000)));
    wrong(&deep, "expected value");
}

#[test]
fn tables_hold_the_motion() {
    let clip = odd::clip(odd::odd(), 5);
    let text = csv::from_clip(&clip);
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(header[..3], ["t", "q:root.0", "q:root.1"]);
    assert!(header.contains(&"q:wrist") && header.contains(&"q:cardan.1") && header.contains(&"q:ball.2"));
    for (frame, line) in lines.enumerate() {
        let values: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        assert_eq!(values.len(), header.len());
        assert_eq!((values[0], &values[1..]), (clip.time(frame), clip.pose(frame)));
    }
}

#[test]
fn angles_are_continuous_and_give_the_rotations() {
    let clip = odd::clip(odd::odd(), 200);
    let table = table_from_clip(&clip);
    assert!(table.in_degrees);
    assert_eq!((table.rows(), table.time[0]), (200, 0.25));
    for label in
        ["root_tx", "root_rx", "shoulder_rz", "wrist", "slant", "rail", "cardan_1", "ball_rz", "ball_rx"]
    {
        assert!(table.find(label).is_some(), "{label} in {:?}", table.labels);
    }
    for k in 0..table.labels.len() {
        let column: Vec<f64> = table.column(k).collect();
        let jump = column.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
        // angles change fast near gimbal lock, but a discontinuity would be half a turn
        assert!(jump < 90.0, "{}: {jump}", table.labels[k]);
    }
    let columns = ["shoulder_rx", "shoulder_ry", "shoulder_rz"].map(|l| table.find(l).unwrap());
    let shoulder = clip.figure().find_joint("shoulder").unwrap();
    let place = clip.figure().forest().joint_place(shoulder);
    for frame in 0..clip.frames() {
        let angle = |k: usize| table.values[frame * table.labels.len() + columns[k]].to_radians();
        let axes = [Axis::X, Axis::Y, Axis::Z];
        let turn = (0..3).fold(Quat::IDENTITY, |q, k| q.then(Quat::about(axes[k].unit(), angle(k))));
        let q = &clip.pose(frame)[place.iq..place.iq + 4];
        let error = turn.inverse().then(Quat([q[0], q[1], q[2], q[3]])).log().norm();
        assert!(error < 1e-9, "frame {frame}: {error:e}");
    }
    let again = sto::read(sto::write(&table).unwrap().as_bytes(), "t.sto").unwrap();
    assert_eq!((bits(&again.values), &again.labels), (bits(&table.values), &table.labels));
}

#[test]
fn markers_round_trip_as_trc() {
    let at = |k: usize| (k != 3).then(|| [0.1 * k as f64, -0.25, 1.0 + k as f64]);
    let points = (0..8).map(|k| at(k).map(|p| anthropi_dynamics::spatial::Vec3::from_array(&p))).collect();
    let labels = vec!["R.ASIS".into(), "Top Head".into()];
    let (rate, first_frame, unit) = (50.0, 7, 0.001);
    let analog = Analog::default();
    let (name, plates, notes) = ("m".into(), Vec::new(), Vec::new());
    let markers = Markers { name, labels, rate, first_frame, points, analog, plates, unit, notes };
    let again = trc::read(trc::write(&markers).unwrap().as_bytes(), "m.trc").unwrap();
    assert_eq!((&again.labels, again.rate, again.first_frame), (&markers.labels, 50.0, 7));
    for (a, b) in again.points.iter().zip(&markers.points) {
        assert_eq!(a.is_some(), b.is_some());
        assert!(a.zip(*b).is_none_or(|(a, b)| (a - b).norm() < 1e-12));
    }
    assert_eq!(csv::from_markers(&markers).lines().nth(2), Some("0.02,0.2,-0.25,3,,,"));
    let labels = vec!["a\tb".into(), "c".into()];
    assert!(trc::write(&Markers { labels, ..markers }).is_err());
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn files_are_read_by_ending_in_any_encoding() {
    let folder = folder("encodings");
    let bvh = "HIERARCHY\nROOT H\u{fc}fte\n{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\nEnd Site\n{\nOFFSET 0 -0.9 0\n}\n}\n\
               MOTION\nFrames: 2\nFrame Time: 0.01\n0\n90\n";
    let latin: Vec<u8> = bvh.chars().map(|c| c as u32 as u8).collect();
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(bvh.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    for (file, bytes) in [("a.bvh", bvh.as_bytes().to_vec()), ("b.BVH", latin), ("c.bvh", wide)] {
        std::fs::write(folder.join(file), bytes).unwrap();
        let Motion::Recording(r) = motion::read(&folder.join(file), &motion::Options::default()).unwrap()
        else {
            panic!("{file} is a recording")
        };
        assert_eq!(r.skeleton.bones[0].name, "H\u{fc}fte", "{file}");
    }
    let said =
        |file: &str| motion::read(&folder.join(file), &motion::Options::default()).unwrap_err().to_string();
    assert!(said("none.bvh").contains("none.bvh: No such file"), "{}", said("none.bvh"));
    assert!(said("a.txt").contains(".bvh, .amc"));
    std::fs::write(folder.join("walk_1.amc"), "1\nroot 0 0 0 0 0 0\n").unwrap();
    assert!(said("walk_1.amc").contains("its skeleton is not in the same folder"), "{}", said("walk_1.amc"));
}

#[test]
fn real_files_are_read() {
    let options = motion::Options::default();
    for (file, frames) in [("asfamc/16_15.amc", 471), ("asfamc/16.asf", 1), ("bvh/16_15.bvh", 471)] {
        let Some(path) = testkit::data(file) else { return };
        let Motion::Recording(r) = motion::read(&path, &options).unwrap() else { panic!("{file}") };
        assert_eq!(r.frames(), frames, "{file}");
    }
    for file in ["c3d/Eb015pi.c3d", "opensim/gait2354/subject01_walk1.trc"] {
        let Some(path) = testkit::data(file) else { return };
        assert!(matches!(motion::read(&path, &options).unwrap(), Motion::Markers(_)), "{file}");
    }
    let Some(path) = testkit::data("opensim/gait2354/subject01_walk1_ik.mot") else { return };
    assert!(matches!(motion::read(&path, &options).unwrap(), Motion::Table(_)));
}
