//! BVH in all its dialects: reading, round trips, error positions.
//!
//! Data: `shared/data/bvh*` beside the repository; without it the tests report that they are skipped.

use crate::{assert_messages, has_note, table, turn_between, world};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_formats::bvh::{self, Angles, Options};
use anthropi_motion::recording::{Channel, Recording, Up};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use testkit::data;
use testkit::mutation::{Random, mutated};

/// Unit of the CMU database, m.
const CMU: f64 = 0.0254 / 0.45;

/// A person with legs of 0.9 m, in centimetres: hips, legs, head. 6 + 3 + 3 + 3 values.
const PERSON: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT LeftFoot
  {
    OFFSET 10 -90 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0 15
    }
  }
  JOINT RightFoot
  {
    OFFSET -10 -90 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0 15
    }
  }
  JOINT Head
  {
    OFFSET 0 60 0
    CHANNELS 3 Zrotation Xrotation Yrotation
  }
}
MOTION
Frames: 2
Frame Time: 0.01
1 92 3 0 0 0  0 0 0  0 0 0  0 0 0
1 92 4 0 0 90  0 0 0  0 0 0  10 20 30
";

fn read(text: &str) -> Recording {
    bvh::read(text, "t.bvh").unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn error(text: &str) -> String {
    match bvh::read(text, "t.bvh") {
        Ok(_) => panic!("was read:\n{text}"),
        Err(e) => e.to_string(),
    }
}

fn one(channels: &str, motion: &str) -> String {
    format!("HIERARCHY\nROOT a\n{{\nOFFSET 1 2 3\nCHANNELS {channels}\n}}\nMOTION\n{motion}")
}

fn close(a: Vec3, b: Vec3) {
    assert!((a - b).norm() < 1e-12, "{a:?} {b:?}");
}

/// Largest difference of two recordings: rotations, positions, lengths.
fn difference(a: &Recording, b: &Recording) -> f64 {
    assert_eq!(a.frames(), b.frames());
    assert_eq!(a.rest.is_some(), b.rest.is_some());
    let quats = |a: &[Quat], b: &[Quat]| {
        a.iter()
            .zip(b)
            .flat_map(|(a, b)| a.0.into_iter().zip(b.0))
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max)
    };
    let vectors = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| (*a - *b).norm()).fold(0.0, f64::max);
    let mut worst = quats(&a.rotations, &b.rotations).max(vectors(&a.positions, &b.positions));
    if let (Some(a), Some(b)) = (&a.rest, &b.rest) {
        worst = worst.max(quats(&a.0, &b.0)).max(vectors(&a.1, &b.1));
    }
    for (a, b) in a.skeleton.bones.iter().zip(&b.skeleton.bones) {
        assert_eq!((&a.name, a.parent, &a.channels), (&b.name, b.parent, &b.channels));
        worst = worst.max((a.offset - b.offset).norm());
        worst = worst.max((a.end.unwrap_or(Vec3::ZERO) - b.end.unwrap_or(Vec3::ZERO)).norm());
        assert_eq!(a.end.is_some(), b.end.is_some());
    }
    assert_eq!((a.skeleton.bones.len(), a.convention, a.dt), (b.skeleton.bones.len(), b.convention, b.dt));
    worst
}

fn round_trip_error(recording: &Recording) -> f64 {
    difference(recording, &read(&bvh::write(recording).0))
}

#[test]
fn a_person_is_read_in_metres_and_z_up() {
    let r = read(PERSON);
    assert_eq!((r.frames(), r.dt, r.name.as_str()), (2, 0.01, "t"));
    assert_eq!((r.convention.unit, r.convention.up), (0.01, Up::Y));
    assert!(has_note(&r, "centimetre") && has_note(&r, "up axis: y"), "{:?}", r.notes);
    // file (x, y, z) is (z, x, y) here: left is +y, forward +x
    close(r.skeleton.bones[1].offset, vec3(0.0, 0.1, -0.9));
    close(r.skeleton.bones[1].end.unwrap(), vec3(0.15, 0.0, 0.0));
    close(r.positions_at(0)[0], vec3(0.03, 0.01, 0.92));
    let places = world(&r, 1);
    // a quarter turn about the vertical: +x becomes +y, the left foot is at -x
    close(places[1].0, vec3(0.04 - 0.1, 0.01, 0.02));
    assert!(round_trip_error(&r) < 1e-12);
}

#[test]
fn line_ends_case_and_white_space_do_not_matter() {
    let plain = read(PERSON);
    let texts = [
        PERSON.replace('\n', "\r\n"),
        PERSON.replace('\n', "\r"),
        PERSON.replace("{\n", "{\r\n").replace("0\n", "0 \t \n"),
        PERSON.replace(' ', "\t"),
        PERSON.to_uppercase().replace("HIPS", "Hips").replace("HEAD", "Head"),
        PERSON.replace("End Site", "END SITE").replace("\n  {", " {"),
        PERSON.replace("End Site", "end site toe of this leg"),
        PERSON.replace("Frames: 2", "frames:2").replace("Frame Time:", "Frame   time :"),
        PERSON.replace("0.01\n", "1e-2\n\n\n").replace("92", "+92.00000e0"),
        format!("\u{feff}{PERSON}\n\n \t "),
        PERSON.trim_end().into(),
    ];
    for text in texts {
        let r = read(&text);
        let same = plain.rotations == r.rotations && plain.positions == r.positions && plain.dt == r.dt;
        assert!(same && plain.skeleton.bones[1].end == r.skeleton.bones[1].end, "{text}");
    }
}

#[test]
fn unusual_names_are_read() {
    for name in ["Left Foot", "mixamorig:LeftFoot", "L.Foot", "a \"quoted\" Foot", "Füße foot", "Foot}x"] {
        let r = read(&PERSON.replace("LeftFoot", name));
        assert_eq!(r.skeleton.bones[1].name, name);
        assert!(round_trip_error(&r) < 1e-12);
    }
    let r = read(&PERSON.replace("LeftFoot", "\"Left { Foot\""));
    assert_eq!(r.skeleton.bones[1].name, "Left { Foot");
    assert!(round_trip_error(&r) < 1e-12);
    assert!(has_note(&read(&PERSON.replace("RightFoot", "LeftFoot")), "duplicate joint names"));
    let unnamed = error(&PERSON.replace("JOINT Head", "JOINT "));
    assert!(unnamed.contains("t.bvh:24:3: the joint has no name"), "{unnamed}");
}

#[test]
fn positions_replace_the_offset() {
    let r = bvh::read_with(
        &one("3 Zposition Xposition Yrotation", "Frames: 1\nFrame Time: 1\n30 10 0\n"),
        "t",
        &Options { unit: Some(1.0), up: Some(Up::Z), keep_first_frame: false },
    );
    let r = r.unwrap();
    close(r.positions[0], vec3(10.0, 2.0, 30.0));
    close(r.skeleton.bones[0].offset, vec3(1.0, 2.0, 3.0));
    assert!(has_note(&r, "as given"));
}

#[test]
fn all_sets_of_channels_are_read() {
    let axes = ["X", "Y", "Z"];
    let mut sets: Vec<Vec<&str>> = vec![vec![]];
    for i in 0..3 {
        sets.push(vec![axes[i]]);
        for j in (0..3).filter(|j| *j != i) {
            sets.push(vec![axes[i], axes[j]]);
            (0..3).filter(|k| *k != j).for_each(|k| sets.push(vec![axes[i], axes[j], axes[k]]));
        }
    }
    assert_eq!(sets.len(), 1 + 3 + 6 + 12);
    for set in sets {
        let rotations: String = set.iter().map(|a| format!(" {a}rotation")).collect();
        let channels = format!("{} Yposition{rotations}", 1 + set.len());
        // through gimbal lock, beyond half turns, by tiny and whole angles
        let mut rows = String::new();
        for n in 0..200 {
            let t = f64::from(n - 100);
            let angles = [t * 1.8, t * 0.9 * 2.0, -t * 3.7].map(|a| format!(" {a:.4}"));
            rows += &format!("{t}{}\n", angles[..set.len()].concat());
        }
        let text = one(&channels, &format!("Frames: 200\nFrame Time: .0083333\n{rows}"));
        let options = Options { up: Some(Up::Y), unit: Some(0.01), keep_first_frame: true };
        let r = bvh::read_with(&text, "t.bvh", &options).unwrap();
        let again = bvh::read_with(&bvh::write(&r).0, "t.bvh", &options).unwrap();
        assert!(!has_note(&again, "exceed their principal range"), "{channels}");
        let continuous =
            bvh::read_with(&bvh::write_with(&r, Angles::Continuous).0, "t.bvh", &options).unwrap();
        let worst = difference(&r, &again).max(difference(&r, &continuous));
        assert!(worst < 1e-9, "{channels}: {worst:e}");
        assert_eq!(again.dt, 0.008_333_3);
        // each column is the product of elementary rotations
        let unit = |a: &str| match a {
            "X" => vec3(0.0, 1.0, 0.0), // y up: x of the file is our y, and so on
            "Y" => vec3(0.0, 0.0, 1.0),
            _ => vec3(1.0, 0.0, 0.0),
        };
        let t = 37.0 - 100.0;
        let angles = [t * 1.8, t * 0.9 * 2.0, -t * 3.7f64];
        let q = set
            .iter()
            .zip(angles)
            .fold(Quat::IDENTITY, |q, (a, t)| q.then(Quat::about(unit(a), t.to_radians())));
        assert!(turn_between(q, r.rotations[37]) < 1e-6, "{channels}");
    }
}

#[test]
fn joints_without_channels_and_several_roots_are_read() {
    let text = "HIERARCHY ROOT a { CHANNELS 0 OFFSET 0 1 0 JOINT b { OFFSET 0 2 0 CHANNELS 1 Xrotation JOINT c { OFFSET 0 1 0 End Site \
                { OFFSET 0 0 0 } } End Site { OFFSET 1 0 0 } } } ROOT d { OFFSET 5 0 0 CHANNELS 3 Xposition Yposition Zposition } \
                MOTION Frames: 2 Frame Time: 0.5 90 1 2 3 80 4 5 6";
    let r = read(text);
    let parents: Vec<Option<usize>> = r.skeleton.bones.iter().map(|b| b.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), None]);
    assert_eq!((r.frames(), r.skeleton.bones[3].channels.len()), (2, 3));
    assert!(has_note(&r, "wrapped") || r.notes.iter().all(|n| !n.contains("wrapped")));
    assert!(round_trip_error(&r) < 1e-9);
}

#[test]
fn frames_may_span_lines() {
    let wrapped = PERSON.replace("  0 0 0", "\n0 0 0");
    let (plain, r) = (read(PERSON), read(&wrapped));
    assert_eq!((&plain.rotations, &plain.positions), (&r.rotations, &r.positions));
    assert!(has_note(&r, "wrapped over several lines"));
    // line ends are ignored: no frame ends with a line, but the number of values matches
    let (head, rows) = PERSON.split_at(PERSON.find("1 92 3").unwrap());
    let words: Vec<&str> = rows.split_whitespace().collect();
    let flowing: String = words.chunks(4).map(|c| c.join(" ") + "\n").collect();
    assert_eq!(read(&format!("{head}{flowing}")).positions, plain.positions);
    let short: String = words[..29].chunks(4).map(|c| c.join(" ") + "\n").collect();
    assert!(error(&format!("{head}{short}")).contains("Frames: states 2, but the file ends after 1 frame"));
    assert!(error(&format!("{head}{flowing} 1")).contains("t.bvh:33:1: frame 1: has 4 values, expected 15"));
}

/// Replacements in [`PERSON`], with the error they cause.
const ERRORS: &str = r#"
    HIERARCHY | HIERACHY | t.bvh:1:1: found `HIERACHY`, expected HIERARCHY
    OFFSET 10 -90 0 | OFFSET 10 x 0 | t.bvh:8:15: OFFSET of LeftFoot: found `x`, expected a number
    OFFSET 10 -90 0 | OFFSET 10 -90 | t.bvh:9:5: OFFSET of LeftFoot: found `CHANNELS`, expected a number
    OFFSET 10 -90 0 |  | t.bvh:6:3: LeftFoot: has no OFFSET, expected three numbers
    CHANNELS 6 | CHANNELS 99999999 | t.bvh:5:12: CHANNELS of Hips: found `99999999`, expected a count from 0 to 6
    CHANNELS 6 | CHANNELS 5 | CHANNELS of Hips: found `Yrotation` after 5 channels, more than the stated number
    Xposition | Xscale | found `Xscale` as channel 1 of 6, expected e.g. Xposition
    Yposition | Xposition | `Xposition`: given twice
    Frames: 2 | Frames: 3 | t.bvh:35:1: Frames: states 3, but the file ends after 2 frames
    10 20 30 | 10 20 | t.bvh:34:1: Frames: states 2, but the file ends after 1 frame and 14 of 15 values of the next
    10 20 30 | 10 20 30 40\n0 | t.bvh:34:1: frame 2: has 16 values, expected 15, one per channel
    10 20 30 | 10 nan 30 | t.bvh:34:33: frame 2, Head: found `nan`, expected a finite number
    10 20 30 | 10 -inf 30 | t.bvh:34:33: frame 2, Head: found `-inf`, expected a finite number
    10 20 30 | 10 1e999 30 | found `1e999`, expected a finite number
    10 20 30 | 10 2,5 30 | found `2,5`, expected a number with a decimal point
    Frame Time: 0.01 | Frame Time: 0 | t.bvh:32:13: Frame Time: found 0, expected a time above zero
    Frame Time: 0.01 | Frame Time: -1 | Frame Time: found -1, expected a time above zero
    Frame Time: 0.01 | Frame Time: nan | Frame Time: found `nan`, expected a finite number
    Frames: 2 | Frames: 999999999999 | t.bvh:31:9: Frames: 999999999999 frames of 15 values, but the rest
    Frames: 2 | Frames: -1 | Frames: found `-1`, expected a whole number
    Frames: 2\n |  | t.bvh:31:1: found `Frame`, expected Frames:
    MOTION | } | t.bvh:30:1: found `}`, expected ROOT or MOTION
      }\n}\nMOTION |   }\nMOTION | found `MOTION` in Hips, expected OFFSET, CHANNELS, JOINT, End Site or }
"#;

#[test]
fn errors_have_a_position() {
    assert_messages(table(ERRORS).map(|[from, to, want]| (error(&PERSON.replacen(&from, &to, 1)), want)));
    assert_messages([
        (error(""), "t.bvh:1:1: found ``, expected HIERARCHY"),
        (error("Kaydara FBX Binary  \0"), "t.bvh:1:1: this is an FBX file; export it as BVH"),
        (error("; FBX 7.3.0 project file"), "t.bvh:1:1: this is an FBX file; export it as BVH"),
        (error("HIERARCHY\nMOTION"), "no ROOT before MOTION"),
        (error("HIERARCHY\nROOT a\n{"), "t.bvh:3:2: found end of file, expected `}` of a"),
        (error(&one("0", "Frames: 9\nFrame Time: 1\n")), "9 frames of a skeleton without channels"),
    ]);
}

#[test]
fn surplus_lines_are_reported() {
    let r = read(&PERSON.replace("Frames: 2", "Frames: 1"));
    assert_eq!(r.frames(), 1);
    assert!(has_note(&r, "ignored: 1 line after the 1 frame stated, from line 34 on"), "{:?}", r.notes);
    assert_eq!(read(&PERSON.replace("Frames: 2", "Frames: 0")).frames(), 0);
}

#[test]
fn impossible_frame_counts_are_rejected_before_allocation() {
    // many joints without channels, one with: each frame of two bytes would take 4000 samples
    let mut text = String::from("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n");
    (0..4000).for_each(|i| text += &format!("JOINT j{i} {{ OFFSET 0 1 0 }}\n"));
    text += "}\nMOTION\nFrames: 100000\nFrame Time: 1\n";
    text += &"0\n".repeat(100_000);
    assert!(error(&text).contains("100000 frames of 4001 joints exceed the limit"));
    let deep = "JOINT a { OFFSET 0 0 0 ".repeat(5000);
    assert!(error(&format!("HIERARCHY ROOT r {{ OFFSET 0 0 0 {deep}")).contains("more than 4096 joints"));
    // the deepest accepted skeleton can be written
    let (open, close) = ("JOINT a { OFFSET 0 0 0 ".repeat(4095), "}".repeat(4096));
    let text = format!(
        "HIERARCHY ROOT r {{ OFFSET 0 0 0 CHANNELS 1 Xrotation {open}{close} MOTION Frames: 1 Frame Time: 1 5"
    );
    assert!(round_trip_error(&read(&text)) < 1e-9);
}

/// PERSON scaled, optionally with other axes.
fn scaled(by: f64, order: [usize; 3]) -> String {
    let mut text = String::new();
    for line in PERSON.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |w: &str| w.parse::<f64>().unwrap() * by;
        if words[0] == "OFFSET" {
            let v = order.map(|n| number(words[1 + n]));
            text += &format!("OFFSET {} {} {}\n", v[0], v[1], v[2]);
        } else if words[0].parse::<f64>().is_ok() {
            let v = order.map(|n| number(words[n]));
            text += &format!("{} {} {} {}\n", v[0], v[1], v[2], words[3..].join(" "));
        } else {
            text += &format!("{line}\n");
        }
    }
    text
}

#[test]
fn units_and_up_axes_are_guessed() {
    for (by, unit, name) in [
        (1.0, 0.01, "centimetre"),
        (0.01, 1.0, "metre"),
        (10.0, 0.001, "millimetre"),
        (1.0 / 2.54, 0.0254, "inch"),
        (0.01 / CMU, CMU, "CMU"),
        (0.75, 0.01, "centimetre"),
    ] {
        for (order, up) in [([0, 1, 2], Up::Y), ([2, 0, 1], Up::Z)] {
            let r = read(&scaled(by, order));
            assert_eq!((r.convention.unit, r.convention.up), (unit, up), "{by} {:?}", r.notes);
            assert!(has_note(&r, name));
            assert!(round_trip_error(&r) < 1e-9);
            if by != 0.75 {
                assert!((r.positions_at(0)[0] - vec3(0.03, 0.01, 0.92)).norm() < 1e-6);
            }
        }
    }
    let r = read(&scaled(0.55, [0, 1, 2]));
    assert!(has_note(&r, "uncertain"), "{:?}", r.notes);
}

#[test]
fn rest_pose_and_motion_may_have_different_up_axes() {
    // the root is rotated by 90 degrees about x in every frame, and walks along y
    let r = read(&changed(40, |n, row| {
        (row[1], row[2], row[4], row[5]) = (3.0 * n as f64, 92.0, 90.0, 0.0);
    }));
    assert_eq!(r.convention.up, Up::Z, "{:?}", r.notes);
    assert!(has_note(&r, "the lowest joint keeps its height"), "{:?}", r.notes);
    // crawling along z: at rest the head is up, in motion it is in front
    let r = read(&changed(40, |n, row| {
        (row[1], row[2], row[4], row[5]) = (30.0, 3.0 * n as f64, 90.0, 0.0);
    }));
    assert_eq!(r.convention.up, Up::Y, "{:?}", r.notes);
}

/// PERSON walking, with rows from a function of time.
fn moving(frames: usize, row: impl Fn(usize) -> [f64; 15]) -> String {
    let mut text = PERSON[..PERSON.find("Frames").unwrap()].to_string();
    text += &format!("Frames: {frames}\nFrame Time: 0.01\n");
    for n in 0..frames {
        text += &row(n).map(|x| x.to_string()).join(" ");
        text.push('\n');
    }
    text
}

/// PERSON walking, with changed rows.
fn changed(frames: usize, change: impl Fn(usize, &mut [f64; 15])) -> String {
    moving(frames, |n| {
        let mut row = stride(n);
        change(n, &mut row);
        row
    })
}

fn stride(n: usize) -> [f64; 15] {
    let t = n as f64 * 0.05;
    let s = |k: f64| 20.0 * (t + k).sin();
    [0.0, 92.0, n as f64, 0.0, s(0.1), 5.0, s(0.0), s(1.0), 0.0, s(2.0), s(3.0), 0.0, s(4.0), 0.0, 0.0]
}

#[test]
fn a_leading_t_pose_is_split_off_and_written_back() {
    // converters set all angles to zero, or to those of another pose
    for angle in [0.0, 70.0] {
        let text = moving(50, |n| {
            let mut row = stride(n.max(1));
            if n == 0 {
                row[3..].fill(0.0);
                row[9] = angle;
            }
            row
        });
        let r = read(&text);
        assert_eq!(r.frames(), 49, "{:?}", r.notes);
        assert!(r.rest.is_some() && has_note(&r, "taken as the rest pose"));
        let kept =
            bvh::read_with(&text, "t", &Options { keep_first_frame: true, ..Options::default() }).unwrap();
        assert_eq!((kept.frames(), kept.rest.is_some()), (50, false));
        assert!(round_trip_error(&r) < 1e-10);
        assert!(bvh::write(&r).0.contains("Frames: 50\n"));
    }
    // a motion that starts in any pose, at rest or mid-step, keeps its first frame
    assert_eq!(read(&moving(50, stride)).frames(), 50);
    assert_eq!(read(&moving(50, |_| stride(3))).frames(), 50);
    assert_eq!(read(&moving(50, |n| stride(n / 10 * 40))).frames(), 50);
}

#[test]
fn anomalies_are_reported() {
    let r = read(&changed(50, |n, row| {
        row[13] = if n < 20 { 0.0 } else { 90.0 };
    }));
    assert!(
        has_note(&r, "1 discontinuity; the first between rows 20 and 21 of the file, where Head rotates 90"),
        "{:?}",
        r.notes
    );
    let still = read(&changed(50, |_, row| {
        row[12..].fill(0.0);
    }));
    assert!(has_note(&still, "joints that never rotate: Head"), "{:?}", still.notes);
    let uneven = read(&PERSON.replace("OFFSET 10 -90 0", "OFFSET 10 -93 0"));
    assert!(has_note(&uneven, "LeftFoot 3.0 cm"), "{:?}", uneven.notes);
    assert!(!has_note(&still, "bones of different length"));
}

#[test]
fn angles_are_continuous_through_gimbal_lock() {
    // the middle angle passes 90 degrees: the written angles continue like those of the file
    let text = changed(180, |n, row| {
        (row[12], row[13], row[14]) = (10.0, n as f64, 20.0);
    });
    let r = read(&text);
    let written = bvh::write_with(&r, Angles::Continuous).0;
    assert!(has_note(&r, "exceed their principal range"), "{:?}", r.notes);
    let rows = |text: &str| -> Vec<Vec<f64>> {
        let numbers = text.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit()));
        numbers.map(|l| l.split_whitespace().map(|w| w.parse().unwrap()).collect()).collect()
    };
    for (a, b) in rows(&text).iter().zip(rows(&written)) {
        let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-6, "{a:?}\n{b:?}");
    }
    assert!(round_trip_error(&r) < 1e-9);
}

// --- real files ----------------------------------------------------------------------------------------------------

fn files() -> Vec<PathBuf> {
    let folders = ["bvh", "bvh_other", "asfamc"].into_iter().filter_map(data);
    let mut files: Vec<PathBuf> = folders
        .flat_map(|f| std::fs::read_dir(f).unwrap().map(|e| e.unwrap().path()))
        .filter(|p| p.extension().is_some_and(|e| e == "bvh"))
        .collect();
    files.sort();
    files
}

/// All values after the frame time, by row.
fn values(text: &str, channels: usize) -> Vec<Vec<f64>> {
    let from = text.find("Frame Time").unwrap();
    let words: Vec<f64> = text[from..].split_whitespace().skip(3).map(|w| w.parse().unwrap()).collect();
    words.chunks(channels).map(<[f64]>::to_vec).collect()
}

#[test]
fn all_real_files_round_trip() {
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let r = bvh::read(&text, path.to_str().unwrap()).unwrap_or_else(|e| panic!("{e}"));
        if std::env::var("SHOW_NOTES").is_ok() {
            println!("{}\n  {}", r.name, r.notes.join("\n  "));
        }
        let written = bvh::write(&r).0;
        let channels: Vec<Channel> = r.skeleton.bones.iter().flat_map(|b| b.channels.clone()).collect();
        let (before, after) = (values(&text, channels.len()), values(&written, channels.len()));
        assert_eq!(before.len(), after.len(), "{path:?}");
        let (mut angle, mut place) = (0.0f64, 0.0f64);
        let apart = |a: f64, b: f64| (a - b - 360.0 * ((a - b) / 360.0).round()).abs();
        for (a, b) in before.iter().zip(&after) {
            let mut n = 0;
            for bone in &r.skeleton.bones {
                let turns =
                    n + bone.channels.iter().take_while(|c| matches!(c, Channel::Position(_))).count();
                place = (n..turns).map(|n| (a[n] - b[n]).abs()).fold(place, f64::max);
                n += bone.channels.len();
                angle = (turns..n).map(|n| apart(a[n], b[n])).fold(angle, f64::max);
            }
        }
        let again = difference(&r, &bvh::read(&written, path.to_str().unwrap()).unwrap());
        eprintln!("{}: {angle:e} degrees, {place:e} units, read again {again:e}", r.name);
        assert!(angle < 1e-6 && place < 1e-6 && again < 1e-9, "{path:?}");
    }
}

#[test]
fn cmu_files_are_read() {
    for path in files().iter().filter(|p| p.parent().unwrap().ends_with("bvh")) {
        let r = bvh::read(&std::fs::read_to_string(path).unwrap(), path.to_str().unwrap()).unwrap();
        assert_eq!((r.convention.unit, r.convention.up), (CMU, Up::Y), "{path:?}");
        assert!(r.rest.is_some() && has_note(&r, "taken as the rest pose"), "{path:?} {:?}", r.notes);
        assert!(has_note(&r, "lost the bone between (thorax)"), "{path:?}");
        assert!(has_note(&r, "joints that never rotate"), "{path:?}");
        let hip = r.positions_at(0)[0].z;
        assert!((0.75..1.15).contains(&hip), "{path:?} {hip}");
    }
}

#[test]
fn bandai_files_are_read() {
    let Some(path) = data("bvh_other/bandai_dataset-2_run_normal_027.bvh") else { return };
    let r = bvh::read(&std::fs::read_to_string(path).unwrap(), "bandai").unwrap();
    assert_eq!((r.frames(), r.convention.unit, r.convention.up), (102, 0.01, Up::Y), "{:?}", r.notes);
    assert!(r.rest.is_none() && r.skeleton.bones.iter().all(|b| b.channels.len() == 6));
    let hips = r.skeleton.find("Hips").unwrap();
    close(r.positions_at(0)[hips], vec3(4.30045, -0.038889, 0.828834));
    // upright: head above, feet below, nothing far below the floor
    let places = world(&r, 50);
    let z = |name: &str| places[r.skeleton.find(name).unwrap()].0.z;
    assert!(
        z("Head") > 1.2 && z("Head") < 1.8 && z("Foot_L").min(z("Foot_R")) < 0.3,
        "{} {}",
        z("Head"),
        z("Foot_L")
    );
}

/// In flight the joints near the centre of mass are in free fall.
#[test]
fn jumps_fall_with_gravity() {
    for (name, flight) in [("02_04", 0.49), ("13_11", 0.36)] {
        let Some(path) = data(&format!("bvh/{name}.bvh")) else { return };
        let r = bvh::read(&std::fs::read_to_string(path).unwrap(), name).unwrap();
        let mut heights = Vec::new();
        for frame in 0..r.frames() {
            let places = world(&r, frame);
            // the mean of trunk and thighs approximates the centre of mass
            let of = |n: &str| places[r.skeleton.find(n).unwrap()].0.z;
            heights.push((2.0 * of("Spine1") + of("Hips") + 0.5 * (of("LeftLeg") + of("RightLeg"))) / 4.0);
        }
        // parabola through the middle of the flight, around the apex
        let top = (0..heights.len()).max_by(|a, b| heights[*a].total_cmp(&heights[*b])).unwrap();
        let half = (0.3 * flight / r.dt) as usize;
        let g = fitted_acceleration(&heights[top - half..=top + half], r.dt);
        eprintln!("{name}: g = {g:.2}");
        assert!((8.3..11.3).contains(&-g), "{name} {g}");
    }
}

/// Second derivative of the least-squares parabola.
fn fitted_acceleration(z: &[f64], dt: f64) -> f64 {
    let n = z.len() as f64;
    let t = |i: usize| (i as f64 - 0.5 * (n - 1.0)) * dt;
    let sum = |f: &dyn Fn(usize) -> f64| (0..z.len()).map(f).sum::<f64>();
    let (t2, t4) = (sum(&|i| t(i).powi(2)), sum(&|i| t(i).powi(4)));
    let (z0, z2) = (sum(&|i| z[i]), sum(&|i| z[i] * t(i).powi(2)));
    2.0 * (n * z2 - t2 * z0) / (n * t4 - t2 * t2)
}

// --- long and hostile ---------------------------------------------------------------------------------------------

/// ANTHROPI_BVH_FRAMES=72000 in a release build shows the time of ten minutes of 32 joints.
#[test]
fn long_files_are_read_fast() {
    let frames: usize =
        std::env::var("ANTHROPI_BVH_FRAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let mut text = String::from(
        "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n",
    );
    (1..31).for_each(|i| {
        text += &format!("JOINT j{i}\n{{\nOFFSET 0 3 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n");
    });
    text += &"}\n".repeat(31);
    text += &format!("MOTION\nFrames: {frames}\nFrame Time: .0083333\n");
    for f in 0..frames {
        let row: Vec<String> =
            (0..96).map(|c| format!("{:.4}", 90.0 * (f as f64 * 0.01 + c as f64).sin())).collect();
        text += &row.join(" ");
        text.push('\n');
    }
    let start = Instant::now();
    let r = read(&text);
    let reading = start.elapsed();
    let written = bvh::write(&r).0;
    eprintln!(
        "{frames} frames, {} bytes: read {reading:?}, written {:?}",
        text.len(),
        start.elapsed() - reading
    );
    assert_eq!(r.frames(), frames);
    assert!(written.len() > text.len() / 2);
    assert!(reading < Duration::from_secs(20), "{reading:?}");
}

/// Everything read can be written and read again.
fn survive(text: &str) {
    if let Ok(r) = bvh::read(text, "t") {
        assert_eq!(r.rotations.len(), r.positions.len());
        assert!(r.positions.iter().all(|p| p.is_finite()) && r.rotations.iter().all(|q| q.is_finite()));
        let written = bvh::write(&r).0;
        bvh::read(&written, "t").unwrap_or_else(|e| panic!("{e}\n{text}\n---\n{written}"));
    }
}

#[test]
fn truncated_files_never_panic() {
    (0..PERSON.len()).for_each(|n| survive(&PERSON[..n]));
}

#[test]
fn changed_bytes_never_panic() {
    let words = "1e308|-1e12|1e-320|nan|inf|-0||{|}|OFFSET|CHANNELS 6|JOINT|ROOT x|End Site|MOTION|\
                 Frames: 99999999999999999999|\r|\n|\t|\0|é|Xrotation|Zposition|\"|7e7";
    let words: Vec<&str> = words.split('|').collect();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let moving = moving(5, stride);
    for text in [PERSON, &moving] {
        for _ in 0..6000 {
            survive(&mutated(text, &words, &mut random));
        }
    }
}
