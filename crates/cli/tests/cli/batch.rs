//! `batch`: search, tables, resume.

use crate::room::{Got, Room};
use anthropi_formats::parquet::{self, Column};
use serde_json::Value;
use std::fs;
use std::sync::OnceLock;

/// Motions and their files, made once, as that takes longest.
const MOTIONS: [(&str, &str); 3] =
    [("keyed-walk", "walk.bvh"), ("keyed-kick", "kick.bvh"), ("keyed-sit-stand", "sit.json")];

fn motions() -> &'static [String; 3] {
    static MADE: OnceLock<[String; 3]> = OnceLock::new();
    MADE.get_or_init(|| {
        let room = Room::new("batch_motions");
        MOTIONS.map(|(motion, file)| {
            let got = room.run(&["convert", motion, file]);
            assert_eq!(got.code, 0, "{got:?}");
            room.read(file)
        })
    })
}

/// A folder `in` with two motions of one name, one in our own format, a truncated file, and files that are not motions.
fn room(name: &str) -> Room {
    let room = Room::new(name);
    fs::create_dir_all(room.path("in/a/deep")).unwrap();
    for (file, text) in ["in/walk.bvh", "in/a/walk.bvh", "in/a/sit.json"].iter().zip(motions()) {
        room.write(file, text);
    }
    let walk = room.read("in/walk.bvh");
    room.write("in/a/deep/broken.BVH", &walk[..walk.len() / 2]);
    room.write("in/notes.json", "{\"what\": \"no motion\"}");
    room.write("in/figure.toml", "name = \"no motion\"\n");
    room.write("in/.hidden.bvh", "");
    room.write("in/notes.txt", "");
    room
}

const CLIPS: [&str; 4] = ["a/deep/broken.BVH", "a/sit.json", "a/walk.bvh", "walk.bvh"];

/// The summary of a run with an expected exit code.
#[track_caller]
fn batch(room: &Room, code: i32, args: &[&str]) -> Value {
    let got = run(room, args);
    assert_eq!(got.code, code, "{args:?}: {}\n{}", got.err, got.out);
    serde_json::from_str(&got.out).unwrap_or_else(|e| panic!("{args:?}: {e}\n{}", got.out))
}

fn run(room: &Room, args: &[&str]) -> Got {
    room.run(&[&["batch"], args, &["--json"]].concat())
}

#[track_caller]
fn counts(summary: &Value, [clips, done, skipped, failed]: [u64; 4]) {
    let got = ["clips", "done", "skipped", "failed"].map(|name| summary[name].as_u64().expect("a count"));
    assert_eq!(got, [clips, done, skipped, failed], "{summary}");
    assert!(summary["seconds"].as_f64().is_some_and(|s| s > 0.0), "{summary}");
}

fn table(room: &Room, folder: &str) -> Vec<(String, Column)> {
    let path = room.path(&format!("{folder}/results.parquet"));
    parquet::read("results", fs::read(path).unwrap()).unwrap()
}

#[track_caller]
fn column<'a>(table: &'a [(String, Column)], name: &str) -> &'a Column {
    &table.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("no column {name}")).1
}

#[track_caller]
fn texts(table: &[(String, Column)], name: &str) -> Vec<String> {
    match column(table, name) {
        Column::Text(v) => v.iter().map(|t| t.clone().unwrap_or_default()).collect(),
        other => panic!("{name} is {other:?}"),
    }
}

fn journal(room: &Room, folder: &str) -> Vec<String> {
    room.read(&format!("{folder}/journal.jsonl")).lines().map(String::from).collect()
}

#[test]
fn a_folder_becomes_a_table() {
    let room = room("batch_table");
    let summary = batch(&room, 1, &["in", "--out", "out"]);
    counts(&summary, [4, 4, 0, 1]);
    assert_eq!(summary["failures"][0]["path"], "a/deep/broken.BVH", "{summary}");
    let table = table(&room, "out");
    assert_eq!(texts(&table, "path"), CLIPS);
    assert_eq!(texts(&table, "status"), ["refused", "ok", "ok", "ok"]);
    let errors = texts(&table, "error");
    assert!(
        errors[0].starts_with("a/deep/broken.BVH:") && errors[1..].iter().all(String::is_empty),
        "{errors:?}"
    );
    let [physical, faithful, certain] = ["physical", "faithful", "certain"].map(|name| texts(&table, name));
    for (k, verdict) in texts(&table, "verdict").iter().enumerate() {
        // our own format holds the figure, BVH only a skeleton
        let is_figure_given = CLIPS[k].ends_with(".json");
        let expected = match verdict.as_str() {
            "" => ["", ""],
            word => [
                if word == "consistent" { "green" } else { "red" },
                if is_figure_given { "green" } else { "amber" },
            ],
        };
        assert_eq!([&physical[k], &certain[k]], expected, "{}", CLIPS[k]);
        assert_eq!(faithful[k], "", "{}", CLIPS[k]);
    }
    // the numbers are those of `certify`
    let result: Value = serde_json::from_str(&room.run(&["certify", "in/a/walk.bvh", "--json"]).out).unwrap();
    for (name, place) in [
        ("residual_force_rms_N", "/root_residual/force_rms_N"),
        ("residual_force_rms_bw", "/root_residual/force_rms_bw"),
        ("residual_moment_rms_Nm", "/root_residual/moment_rms_Nm"),
        ("penetration_max_m", "/contact/penetration_max_m"),
        ("grf_peak_bw", "/grf/peak_bw"),
        ("torque_peak_Nm", "/torque_peak_Nm"),
        ("fps", "/fps"),
    ] {
        let Column::Number(values) = column(&table, name) else { panic!("{name} is no number") };
        assert_eq!((values[0], values[2]), (None, result.pointer(place).unwrap().as_f64()), "{name}");
    }
    assert_eq!(texts(&table, "verdict")[2], result["verdict"].as_str().unwrap());
    let Column::Whole(findings) = column(&table, "findings") else { panic!("findings are counted") };
    assert_eq!(findings[2], Some(result["findings"].as_array().unwrap().len() as i64));
    // the CSV has the same values
    let csv = room.read("out/results.csv");
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    assert_eq!(names, table.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>());
    assert_eq!(csv.lines().count(), 1 + CLIPS.len());
    assert!(csv.lines().nth(3).unwrap().contains(&result["torque_peak_Nm"].to_string()), "{csv}");
    assert!(!csv.contains("wall_s") && journal(&room, "out").iter().all(|line| line.contains("\"wall_s\":")));
    assert!(!room.path("out/pages").exists());
}

#[test]
fn the_text_lists_failures() {
    let room = room("batch_text");
    let got = room.run(&["batch", "in", "--out", "out"]);
    assert_eq!(got.code, 1, "{got:?}");
    assert!(got.out.contains("4 done now") && got.out.contains("refused  a/deep/broken.BVH:"), "{}", got.out);
    assert_eq!(got.err.trim(), "no: 1 of 4 clips have no result");
    fs::remove_file(room.path("in/a/deep/broken.BVH")).unwrap();
    let got = room.run(&["batch", "in", "--out", "out", "--resume"]);
    assert!(got.code == 0 && got.err.is_empty(), "exit 0 when all ran, whatever the verdict: {got:?}");
}

#[test]
fn the_text_has_verdicts_falls_and_the_worst_clips() {
    let room = room("batch_worst");
    let got = room.run(&["batch", "in", "--out", "out"]);
    let summary = batch(&room, 1, &["in", "--out", "out", "--resume"]);
    let verdicts = &summary["verdicts"];
    let [yes, no] = ["consistent", "not consistent"].map(|v| verdicts[v].as_u64().expect("a count"));
    assert_eq!(yes + no, 3, "{summary}");
    assert!(got.out.contains(&format!("\n{yes} consistent with physics, {no} not\n")), "{}", got.out);
    assert_eq!(summary["worst"].as_array().unwrap().len() as u64, no, "{summary}");
    assert!(summary.get("fell").is_none() && summary.get("protocol").is_none(), "{summary}");

    // a sudden jump to the side in the middle of the walk
    let walk = room.read("in/walk.bvh");
    let (head, frames) = walk.split_at(walk.find("Frame Time").expect("frames"));
    let moved = |(k, line): (usize, &str)| match line.split_once(' ') {
        Some((x, rest)) if k > 150 => format!("{} {rest}\n", x.parse::<f64>().unwrap() + 60.0),
        _ => format!("{line}\n"),
    };
    room.write(
        "in/jumps.bvh",
        format!("{head}{}", frames.lines().enumerate().map(moved).collect::<String>()),
    );
    let got = room.run(&["batch", "in", "--out", "out"]);
    let summary = batch(&room, 1, &["in", "--out", "out", "--resume"]);
    let worst = &summary["worst"][0];
    assert_eq!(
        (worst["path"].as_str(), worst["verdict"].as_str()),
        (Some("jumps.bvh"), Some("not consistent"))
    );
    let shown = got.out.lines().find(|l| l.contains("jumps.bvh")).expect("a line of the table");
    assert!(shown.contains(worst["worst_what"].as_str().unwrap()), "{shown}\n{worst}");

    let filter = ["in", "--out", "filtered", "--job", "filter"];
    let got = room.run(&[&["batch"], &filter[..]].concat());
    let summary = batch(&room, 1, &[&filter[..], &["--resume"]].concat());
    let fell = summary["fell"].as_u64().expect("a count");
    assert!(
        got.out.contains(&format!("filtered: {} without a fall, {fell} fell; ", 4 - fell)),
        "{}",
        got.out
    );
    let protocol = &summary["protocol"];
    // the truncated file is a failure
    assert_eq!(protocol["clips"].as_u64(), Some(5), "{summary}");
    let success = protocol["success"].as_u64().expect("a count");
    assert!(success <= 4 - fell, "{summary}");
    assert_eq!(
        [&protocol["success_with_help"], &protocol["success_with_any_help"]],
        [success; 2],
        "{summary}"
    );
    let part = 20.0 * success as f64;
    let [error, velocity, acceleration] =
        ["g_mpjpe_mm", "e_vel_mm", "e_acc_mm"].map(|name| protocol[name].as_f64().expect("a mean"));
    assert!(
        got.out.contains(&format!(
            "\ntracking success: {success} of 5 clips ({part:.1} %), no fall and joint error within 0.5 m\ntracking error: \
             G-MPJPE {error:.1} mm, E_vel {velocity:.2} mm/frame, E_acc {acceleration:.2} mm/frame^2 at 30 frames per second"
        )),
        "{}",
        got.out
    );
    assert_eq!(summary["worst"].as_array().unwrap().len(), 4, "{summary}");
    assert!(got.out.contains("joints, deg") && got.out.contains("worst finding of the input"), "{}", got.out);
    assert!(summary["worst"][0]["joint_rms_deg"].as_f64().is_some(), "{summary}");
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let room = room("batch_jobs");
    for n in ["1", "2"] {
        counts(&batch(&room, 1, &["in", "--out", n, "--jobs", n]), [4, 4, 0, 1]);
    }
    for file in ["results.csv", "results.parquet"] {
        let [one, two] = ["1", "2"].map(|n| fs::read(room.path(n).join(file)).unwrap());
        assert!(one == two, "{file} differs");
    }
}

#[test]
fn resuming_repeats_nothing() {
    let room = room("batch_resume");
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume"]), [4, 4, 0, 1]);
    let before = ["results.csv", "results.parquet"].map(|f| fs::read(room.path("out").join(f)).unwrap());
    fs::remove_file(room.path("out/results.parquet")).unwrap();
    // remains of a killed run are removed, other files stay
    fs::create_dir_all(room.path("out/a")).unwrap();
    let (left, others) =
        (["out/.results.csv.41.tmp", "out/a/.walk.html.7.tmp"], ["out/.mine.tmp", "out/notes.7.tmp"]);
    left.iter().chain(&others).for_each(|f| room.write(f, "half"));
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume"]), [4, 0, 4, 1]);
    let after = ["results.csv", "results.parquet"].map(|f| fs::read(room.path("out").join(f)).unwrap());
    assert!(before == after, "tables from the journal are those of the run");
    assert!(!left.iter().any(|f| room.path(f).exists()) && others.iter().all(|f| room.path(f).exists()));
    assert_eq!(journal(&room, "out").len(), 4);
    // other settings give other rows; the old ones are kept
    let heavy = ["in", "--out", "out", "--resume", "--mass", "90"];
    counts(&batch(&room, 1, &heavy), [4, 4, 0, 1]);
    let Column::Number(mass) = column(&table(&room, "out"), "mass_kg").clone() else { panic!("a number") };
    assert!((mass[3].unwrap() - 90.0).abs() < 1e-9, "{mass:?}");
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume", "--jobs", "1"]), [4, 0, 4, 1]);
    counts(&batch(&room, 1, &heavy), [4, 0, 4, 1]);
    // changed and new files are processed
    room.write("in/walk.bvh", room.read("in/a/walk.bvh"));
    room.write("in/new.bvh", room.read("in/a/walk.bvh"));
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume"]), [5, 2, 3, 1]);
    // without --resume all are
    counts(&batch(&room, 1, &["in", "--out", "out"]), [5, 5, 0, 1]);
}

#[test]
fn a_truncated_journal_loses_only_its_last_line() {
    let room = room("batch_torn");
    batch(&room, 1, &["in", "--out", "out"]);
    let whole = fs::read(room.path("out/results.parquet")).unwrap();
    let lines = journal(&room, "out");
    let torn = format!("{}\n{}\n{}", lines[0], lines[1], &lines[2][..lines[2].len() / 2]);
    room.write("out/journal.jsonl", &torn);
    let got = run(&room, &["in", "--out", "out", "--resume"]);
    counts(&serde_json::from_str(&got.out).unwrap(), [4, 2, 2, 1]);
    assert!(got.err.contains("journal.jsonl:3: not a row"), "{}", got.err);
    assert!(whole == fs::read(room.path("out/results.parquet")).unwrap());
    // the truncated line stays a line
    assert_eq!(journal(&room, "out").len(), 5);
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume"]), [4, 0, 4, 1]);
    // truncated inside a multi-byte character
    let mut bytes = torn.into_bytes();
    bytes.extend("µ".as_bytes().iter().take(1));
    room.write("out/journal.jsonl", &bytes);
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume"]), [4, 2, 2, 1]);
}

#[test]
fn pages_mirror_the_folders() {
    let room = room("batch_pages");
    counts(&batch(&room, 1, &["in", "--out", "in/out", "--resume"]), [4, 4, 0, 1]);
    // rows exist, pages do not
    counts(&batch(&room, 1, &["in", "--out", "in/out", "--resume", "--pages"]), [4, 3, 1, 1]);
    for page in ["walk.bvh.html", "a/walk.bvh.html", "a/sit.json.html"] {
        assert!(room.read(&format!("in/out/pages/{page}")).starts_with("<!DOCTYPE html>"), "{page}");
    }
    fs::remove_file(room.path("in/out/pages/walk.bvh.html")).unwrap();
    counts(&batch(&room, 1, &["in", "--out", "in/out", "--resume", "--pages"]), [4, 1, 3, 1]);
}

#[test]
fn inputs_are_files_folders_and_patterns() {
    let room = room("batch_inputs");
    let paths = |args: &[&str]| {
        batch(&room, 0, &[args, &["--out", "out"]].concat());
        texts(&table(&room, "out"), "path")
    };
    assert_eq!(paths(&["in/walk.bvh"]), ["walk.bvh"]);
    assert_eq!(paths(&["in/walk.bvh", "in/a/walk.bvh", "./in/walk.bvh"]), ["a/walk.bvh", "walk.bvh"]);
    assert_eq!(paths(&["in/*/walk.bvh"]), ["a/walk.bvh"], "relative to the fixed part of the pattern");
    assert_eq!(paths(&["in/**/walk.bvh", "in/a/sit.json"]), ["a/sit.json", "a/walk.bvh", "walk.bvh"]);
}

#[test]
fn an_amc_is_done_again_with_another_skeleton() {
    let room = Room::new("batch_amc");
    fs::create_dir_all(room.path("in")).unwrap();
    room.write("in/x.amc", ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n");
    // a missing skeleton may appear later
    let summary = batch(&room, 1, &["in", "--out", "out", "--resume"]);
    assert_eq!((&summary["failed"], &summary["refused"]), (&1.into(), &0.into()), "{summary}");
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume"]), [1, 1, 0, 1]);
    // a skeleton is not a clip, but part of the content
    room.write("in/x.asf", "nothing");
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume"]), [1, 1, 0, 1]);
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume"]), [1, 0, 1, 1]);
    room.write("in/x.asf", "nothing more");
    counts(&batch(&room, 1, &["in", "--out", "out", "--resume"]), [1, 1, 0, 1]);
}

#[test]
fn invalid_inputs_are_refused() {
    let room = room("batch_refused");
    fs::create_dir_all(room.path("empty/too")).unwrap();
    room.write("file", "");
    let cases: [(&[&str], &[&str]); 9] = [
        (&["empty", "--out", "out"], &["no motion found in empty", ".bvh"]),
        (&["none", "--out", "out"], &["none: No such file"]),
        (&["in/*.fbx", "--out", "out"], &["nothing matches in/*.fbx"]),
        (&["in"], &["--out"]),
        (&["in", "--out", "in"], &["in is an input and cannot also hold the results"]),
        (&["in", "--out", "file"], &["file"]),
        (&["in", "--out", "out", "--jobs", "0"], &["--jobs"]),
        (&["in", "--out", "out", "--figure", "humam-28"], &["did you mean `human-28`"]),
        (&["in", "--out", "out", "--parts", "none.toml"], &["none.toml: No such file"]),
    ];
    for (args, said) in cases {
        let got = run(&room, args);
        assert!(got.code == 2 && got.out.is_empty(), "{args:?}: {got:?}");
        assert!(said.iter().all(|s| got.err.contains(s)), "{args:?}\nexpected: {said:?}\ngot: {}", got.err);
    }
    assert!(!room.path("out").exists(), "nothing is left behind");
}

#[test]
fn motions_of_one_name_are_kept_apart() {
    let room = Room::new("batch_collision");
    fs::create_dir_all(room.path("in")).unwrap();
    for file in ["in/walk.bvh", "in/walk.json"] {
        assert_eq!(room.run(&["convert", "keyed-walk", file, "--cut", "0,0.3"]).code, 0);
    }
    counts(&batch(&room, 0, &["in", "--out", "out", "--job", "filter"]), [2, 2, 0, 0]);
    for motion in ["walk.bvh.bvh", "walk.json.bvh"] {
        assert!(room.path("out/motions").join(motion).exists(), "{motion}");
    }
    assert!(!room.path("out/motions/walk.bvh").exists());
}

#[test]
fn a_folder_is_filtered() {
    let room = room("batch_filter");
    let summary = batch(&room, 1, &["in", "--out", "out", "--job", "filter", "--pages"]);
    counts(&summary, [4, 4, 0, 1]);
    let table = table(&room, "out");
    assert_eq!(texts(&table, "status"), ["refused", "ok", "ok", "ok"]);
    assert_eq!(texts(&table, "job"), ["filter"; 4]);
    let verdicts = [texts(&table, "verdict"), texts(&table, "output_verdict")].concat();
    assert!(verdicts.iter().filter(|v| !v.is_empty()).count() == 6, "{verdicts:?}");
    let Column::Flag(fell) = column(&table, "fell") else { panic!("a flag") };
    assert!(fell[0].is_none() && fell[1..].iter().all(Option::is_some), "{fell:?}");
    // the numbers are those of `filter`
    let result: Value = serde_json::from_str(&room.run(&["filter", "in/walk.bvh", "--json"]).out).unwrap();
    for (name, place) in [
        ("joint_rms_deg", "/tracking/joint_rms_deg"),
        ("joint_max_deg", "/tracking/joint_max_deg"),
        ("root_rms_m", "/tracking/root_rms_m"),
        ("link_rms_m", "/tracking/link_rms_m"),
        ("residual_force_rms_N", "/input/root_residual/force_rms_N"),
        ("output_residual_force_rms_N", "/output/root_residual/force_rms_N"),
        ("output_grf_peak_bw", "/output/grf/peak_bw"),
        ("duration_s", "/duration_s"),
        ("max_error_m", "/protocol/max_m"),
        ("g_mpjpe_mm", "/protocol/g_mpjpe_mm"),
        ("e_vel_mm", "/protocol/e_vel_mm"),
        ("e_acc_mm", "/protocol/e_acc_mm"),
    ] {
        let Column::Number(v) = column(&table, name) else { panic!("{name} is a number") };
        assert!(v[3].is_some(), "{name}");
        assert_eq!(v[3], result.pointer(place).and_then(Value::as_f64), "{name}");
    }
    let Column::Flag(success) = column(&table, "success") else { panic!("a flag") };
    assert_eq!((success[0], success[3]), (None, result["protocol"]["success"].as_bool()));
    for name in ["assist_peak_bw", "assist_fraction"] {
        let Column::Number(help) = column(&table, name) else { panic!("{name} is a number") };
        assert_eq!(help[..], [None, Some(0.0), Some(0.0), Some(0.0)], "{name}");
    }
    for clip in ["a/sit.json", "a/walk.bvh", "walk.bvh"] {
        let page = room.path(&format!("out/pages/{clip}.html"));
        assert!(page.exists(), "{}", page.display());
    }
    let index = fs::read_to_string(room.path("out/index.html")).unwrap();
    assert!(
        index.contains("href=\"pages/a/walk.bvh.html\"") && index.contains("1 without a result"),
        "{index}"
    );
    for shown in ["Tracking success: ", " of 4 clips (", "Tracking error: G-MPJPE ", "mean joint error, mm"] {
        assert!(index.contains(shown), "{shown}\n{index}");
    }
    for motion in ["a/sit.bvh", "a/walk.bvh", "walk.bvh"] {
        assert!(room.path("out/motions").join(motion).exists(), "{motion}");
    }
    // only missing motions are made again
    let [some, all] = ["out/motions", "out"].map(|dir| fs::read_dir(room.path(dir)).unwrap().count());
    assert!(some == 2 && all == 6, "{some} {all}");
    let again = ["in", "--out", "out", "--job", "filter", "--pages", "--resume"];
    counts(&batch(&room, 1, &again), [4, 0, 4, 1]);
    fs::remove_dir_all(room.path("out/motions/a")).unwrap();
    counts(&batch(&room, 1, &again), [4, 2, 2, 1]);
    // rows of a program without some column are made again
    let old: String =
        journal(&room, "out").iter().map(|l| format!("{}\n", l.replace("\"success\"", "\"was\""))).collect();
    room.write("out/journal.jsonl", old);
    counts(&batch(&room, 1, &again), [4, 3, 1, 1]);
    // another mode changes the settings
    counts(&batch(&room, 1, &[&again[..], &["--mode", "online"]].concat()), [4, 4, 0, 1]);
}
