//! `filter`: what it tells and writes, that its record holds what it says, and every way to be refused.

use crate::people;
use crate::room::{Room, number};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::algo::{jacobian, rnea};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Motion, Vec3, vec3};
use anthropi_io::csv::names_of_coordinates;
use anthropi_io::load;
use serde_json::Value;
use std::collections::HashMap;

/// Forces that are left over, N and N m: rounding of forces of a thousand newtons.
const LEFT_OVER: f64 = 1e-6;

/// What a run tells that must end with a code.
#[track_caller]
fn filter(room: &Room, code: i32, args: &[&str]) -> Value {
    room.told("filter", code, args)
}

#[track_caller]
fn refused(room: &Room, args: &[&str], parts: &[&str]) {
    room.refused(&[&["filter"], args].concat(), parts);
}

/// Fields others rely on are there and make sense.
#[track_caller]
fn sane(told: &Value) {
    for (path, from, to) in [
        ("/frames", 3.0, 1e6),
        ("/fps", 1.0, 1e3),
        ("/falls", 0.0, 1e3),
        ("/tracking/joint_rms_deg", 0.0, 60.0),
        ("/tracking/joint_max_deg", 0.0, 180.0),
        ("/tracking/root_rms_m", 0.0, 1.0),
        ("/tracking/link_rms_m", 0.0, 1.0),
        ("/input/root_residual/force_rms_N", 0.0, 1e5),
        ("/input/contact/frames", 0.0, 1e6),
        ("/output/root_residual/force_rms_N", 0.0, LEFT_OVER),
        ("/output/root_residual/force_peak_N", 0.0, LEFT_OVER),
        ("/output/root_residual/moment_rms_Nm", 0.0, LEFT_OVER),
        ("/output/root_residual/moment_peak_Nm", 0.0, LEFT_OVER),
        ("/output/root_residual/force_rms_bw", 0.0, LEFT_OVER),
        ("/output/contact/frames", 1.0, 1e6),
        ("/output/contact/normal_violations", 0.0, 0.0),
        ("/output/contact/friction_violations", 0.0, 0.0),
        ("/output/contact/cop_outside", 0.0, 0.0),
        ("/output/contact/torque_violations", 0.0, 0.0),
        ("/output/contact/penetration_max_m", 0.0, 0.1),
        ("/output/contact/skate_mean_m_per_s", 0.0, 0.1),
        ("/output/grf/peak_bw", 0.5, 20.0),
        ("/output/grf/step_peak_bw", 0.5, 60.0),
        ("/output/torque_peak_Nm", 1.0, 2e3),
        ("/output/power_peak_W", 0.0, 1e5),
        ("/jitter/input", 0.0, 1e7),
        ("/jitter/output", 0.0, 1e7),
        ("/time_per_frame_us/p50", 1.0, 1e7),
        ("/time_per_frame_us/p99", 1.0, 1e8),
        ("/realtime_factor", 1e-6, 1e6),
        ("/delay_frames", 0.0, 1.0),
        ("/solver/fallbacks", 0.0, 1e6),
        ("/solver/infeasible", 0.0, 0.0),
        ("/solver/at_strength", 0.0, 1e6),
        ("/solver/newton_per_step", 0.0, 100.0),
    ] {
        let got = number(told, path);
        assert!((from..=to).contains(&got), "{path} is {got}");
    }
    assert!(
        told["notes"].is_array()
            && told["mode"].is_string()
            && told["output_from_motion"]["verdict"].is_string()
    );
    assert_eq!(told["fell"].as_bool(), Some(!told["fell_at_s"].is_null()), "{}", told["fell_at_s"]);
    let verdict = told["output"]["verdict"].as_str().expect("a word");
    assert!(["consistent", "not consistent"].contains(&verdict), "{verdict}");
}

#[test]
fn a_walk_stands_in_both_modes() {
    let room = Room::new("filter_walk");
    for (mode, delay) in [("offline", 0.0), ("online", 1.0)] {
        let told = filter(&room, 0, &["keyed-walk", "--mode", mode]);
        sane(&told);
        assert_eq!((told["mode"].as_str(), number(&told, "/delay_frames")), (Some(mode), delay));
        assert_eq!((&told["fell"], number(&told, "/falls")), (&false.into(), 0.0));
        assert_eq!(told["output"]["verdict"], "consistent");
        assert!(number(&told, "/tracking/joint_rms_deg") < 6.0, "{}", told["tracking"]);
    }
    // the certificate of the given motion is that of `certify`
    let told = filter(&room, 0, &["keyed-walk"]);
    assert_eq!(told["mode"], "offline");
    let certified: Value = serde_json::from_str(&room.run(&["certify", "keyed-walk", "--json"]).out).unwrap();
    assert_eq!(told["input"], certified);
}

#[test]
fn files_are_written() {
    let room = Room::new("filter_files");
    let args =
        ["filter", "keyed-walk", "--cut", "0,1", "--out", "w.json", "--report", "w.html", "--record", "rec"];
    let got = room.run(&args);
    assert_eq!(got.code, 0, "{}", got.err);
    for part in [
        "given",
        "filtered",
        "residual force, rms",
        "verdict",
        "times real time",
        "motion: w.json",
        "open w.html",
    ] {
        assert!(got.out.contains(part), "expected {part} in {}", got.out);
    }
    assert_eq!(room.files(), ["rec", "w.html", "w.json"]);
    let page = room.read("w.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("every force has a source"));
    for outside in ["src=\"http", "<link", "@import", "url(http", "fetch("] {
        assert!(!page.contains(outside), "{outside}");
    }
    // what was written is what is judged: the same motion gives the same certificate
    let told = filter(&room, 0, &["keyed-walk", "--cut", "0,1"]);
    let written: Value = serde_json::from_str(&room.run(&["certify", "w.json", "--json"]).out).unwrap();
    for field in ["root_residual", "contact", "grf", "verdict", "frames"] {
        assert_eq!(written[field], told["output_from_motion"][field], "{field}");
    }
    for out in ["w.bvh", "w.glb", "w.csv", "w.sto", "w.svg"] {
        filter(&room, 0, &["keyed-walk", "--cut", "0,0.3", "--out", out]);
        assert!(room.path(out).exists(), "{out}");
    }
    // without --out people are told how to keep and see it
    let got = room.run(&["filter", "keyed-walk", "--cut", "0,0.3"]);
    assert!(got.out.contains("--out FILE.bvh") && got.out.contains("--report FILE.html"), "{}", got.out);
}

#[test]
fn bvh_keeps_its_skeleton() {
    let room = Room::with("filter_skeleton", &[("squat.bvh", &people::squat(|_| [0.0; 3]))]);
    let told = filter(&room, 0, &["squat.bvh", "--out", "out.bvh"]);
    let names = |file: &str| {
        let text = room.read(file);
        let of = |line: &str| line.trim().strip_prefix("JOINT ").map(String::from);
        text.lines().filter_map(of).collect::<Vec<_>>()
    };
    assert_eq!(names("squat.bvh"), names("out.bvh"));
    // its motion is the filtered one: judged alone, both are the same but for rounding of angles
    let written: Value = serde_json::from_str(&room.run(&["certify", "out.bvh", "--json"]).out).unwrap();
    let alone = &told["output_from_motion"];
    for (path, near) in [
        ("/frames", 0.0),
        ("/figure/mass_kg", 1e-6),
        ("/root_residual/force_rms_N", 0.1),
        ("/grf/peak_bw", 1e-3),
        ("/torque_peak_Nm", 0.1),
        ("/ground/height_m", 1e-4),
    ] {
        let (a, b) = (number(&written, path), number(alone, path));
        assert!((a - b).abs() <= near, "{path}: {a} written, {b} judged");
    }
    // a motion with other frames is written on the skeleton of its figure
    filter(&room, 0, &["squat.bvh", "--cut", "0,1", "--out", "part.bvh"]);
    assert!(names("part.bvh").contains(&"left_thigh".to_string()), "{:?}", names("part.bvh"));
}

#[test]
fn motions_are_changed_before_they_are_filtered() {
    let room = Room::new("filter_edit");
    let told = filter(&room, 0, &["keyed-walk", "--turn", "20,0.5,2.5", "--resample", "50"]);
    assert!((number(&told, "/fps") - 50.0).abs() < 1e-9);
    let plain = number(&told, "/frames");
    let told = filter(&room, 0, &["keyed-walk", "--join", "keyed-walk", "--resample", "50"]);
    assert!(number(&told, "/frames") > 1.5 * plain, "{} {plain}", told["frames"]);
    let heavy = filter(&room, 0, &["keyed-walk", "--cut", "0,1", "--mass", "100"]);
    assert!((number(&heavy, "/input/figure/mass_kg") - 100.0).abs() < 1e-9);
}

/// Rows of a table by the names of its columns.
fn rows(text: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = text.lines().map(|l| l.split(',').collect::<Vec<_>>());
    (lines.next().expect("a header"), lines.collect())
}

/// A recorded step.
struct Step<'a> {
    t: &'a str,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

fn steps<'a>(text: &'a str, figure: &Figure) -> Vec<Step<'a>> {
    let (header, rows) = rows(text);
    let column =
        |name: String| header.iter().position(|h| *h == name).unwrap_or_else(|| panic!("no column {name}"));
    let all = |letter: &str, names: &[String]| {
        names.iter().map(|n| column(format!("{letter}:{n}"))).collect::<Vec<_>>()
    };
    let (dofs, q) = (figure.dof_names(), all("q", &names_of_coordinates(figure)));
    let [v, a, tau] = ["v", "a", "tau"].map(|letter| all(letter, &dofs));
    assert_eq!((header[0], header.len()), ("t", 1 + q.len() + 3 * dofs.len()));
    let pick = |row: &[&str], at: &[usize]| at.iter().map(|i| row[*i].parse().expect("a number")).collect();
    rows.iter()
        .map(|r| Step { t: r[0], q: pick(r, &q), v: pick(r, &v), a: pick(r, &a), tau: pick(r, &tau) })
        .collect()
}

/// Link, place and force of each contact by the text of its time.
fn pushes(text: &str) -> HashMap<&str, Vec<(&str, Vec3, Vec3)>> {
    let (header, rows) = rows(text);
    assert_eq!(header.join(","), "t,link,px,py,pz,fx,fy,fz,nx,ny,nz");
    let mut all: HashMap<&str, Vec<_>> = HashMap::new();
    for row in rows {
        let x: Vec<f64> = row[2..].iter().map(|x| x.parse().expect("a number")).collect();
        assert_eq!(x[6..], [0.0; 3], "no moment at a point");
        all.entry(row[0]).or_default().push((row[1], vec3(x[0], x[1], x[2]), vec3(x[3], x[4], x[5])));
    }
    all
}

#[test]
fn records_hold_the_equation_of_motion() {
    let room = Room::new("filter_record");
    for mode in ["offline", "online"] {
        // pushes are forces like those of the ground
        let push = ["--push", "chest,0.2034,0.1,60,20,0", "--push", "head,0.2534,0.2,0,-10,5"];
        let walk = ["keyed-walk", "--cut", "0,0.6", "--mode", mode, "--record", mode];
        let told = filter(&room, 0, &[&walk[..], &push].concat());
        let figure = load::figure(&room.path(&format!("{mode}/figure.xml"))).unwrap().figure;
        let (states, contacts) =
            (room.read(&format!("{mode}/states.csv")), room.read(&format!("{mode}/contacts.csv")));
        let (steps, pushes) = (steps(&states, &figure), pushes(&contacts));
        assert_eq!(steps.len() as f64, number(&told, "/output/steps"));
        let pushed = |link: &str| pushes.values().flatten().filter(|(l, ..)| *l == link).count();
        assert_eq!([pushed("chest"), pushed("head")], [100, 200], "{mode}");
        check(&figure, &steps, &pushes, mode);
    }
}

/// M a + h - tau - sum J^T f = 0, and v+ = v + a dt.
fn check(figure: &Figure, steps: &[Step], pushes: &HashMap<&str, Vec<(&str, Vec3, Vec3)>>, mode: &str) {
    let forest = figure.forest();
    let (mut worst, mut found) = (0.0_f64, 0);
    let (mut work, mut kinematics) = (rnea::Work::default(), Kinematics::default());
    let mut left = vec![0.0; forest.nv()];
    let mut columns = vec![Motion::default(); forest.nv()];
    for step in steps.iter().step_by(7) {
        rnea::inverse_dynamics(forest, &step.q, &step.v, &step.a, None, &mut work, &mut left);
        left.iter_mut().zip(&step.tau).for_each(|(l, tau)| *l -= tau);
        kinematics.update(forest, &step.q, None, None);
        for (link, at, force) in pushes.get(step.t).into_iter().flatten() {
            let body = forest.link_place(figure.find_link(link).expect("a link of the figure")).body;
            jacobian::of_body_point(forest, &kinematics, body, *at, &mut columns);
            left.iter_mut().zip(&columns).for_each(|(l, c)| *l -= c.linear.dot(*force));
            found += 1;
        }
        worst = left.iter().fold(worst, |w, l| w.max(l.abs()));
    }
    assert!(found > 100, "{mode}: {found} forces have the time of a state");
    assert!(worst < LEFT_OVER, "{mode}: {worst:e} is left over");
    for pair in steps.windows(2) {
        let dt = pair[1].t.parse::<f64>().unwrap() - pair[0].t.parse::<f64>().unwrap();
        for k in 0..forest.nv() {
            let off = pair[1].v[k] - pair[0].v[k] - pair[0].a[k] * dt;
            assert!(
                off.abs() < 1e-9 * (1.0 + pair[0].a[k].abs()),
                "{mode}: v is off by {off:e} at {}",
                pair[1].t
            );
        }
    }
}

#[test]
fn a_fall_is_an_answer() {
    let room = Room::new("filter_fall");
    let args = ["keyed-walk", "--strength", "0.05", "--out", "fall.bvh", "--report", "fall.html"];
    let told = filter(&room, 1, &args);
    assert_eq!(told["fell"], true);
    let (at, end) = (number(&told, "/fell_at_s"), number(&told, "/duration_s"));
    assert!(at > 0.0 && at <= end && number(&told, "/falls") >= 1.0, "{at} of {end}");
    assert_eq!(told["output"]["verdict"], "not consistent");
    assert!(told["notes"].to_string().contains("the figure fell at"), "{}", told["notes"]);
    assert!(room.path("fall.bvh").exists() && room.read("fall.html").contains("It fell at"));
    let got = room.run(&["filter", "keyed-walk", "--strength", "0.05"]);
    assert_eq!(got.code, 1);
    assert!(got.out.contains("it FELL at") && got.err.contains("no: keyed-walk fell at"), "{}", got.err);
}

#[test]
fn joints_may_be_of_any_strength() {
    let room = Room::new("filter_strength");
    let told = filter(&room, 0, &["keyed-kick", "--strength", "none"]);
    sane(&told);
    assert_eq!(number(&told, "/solver/at_strength"), 0.0);
}

#[test]
fn nonsense_is_refused() {
    let room = Room::with("filter_nonsense", &[("squat.bvh", &people::squat(|_| [0.0; 3]))]);
    for (option, value, said) in [
        ("--mode", "later", "online, offline"),
        ("--strength", "0", "above zero or `none`"),
        ("--strength", "weak", "above zero or `none`"),
        ("--friction", "-1", "above zero"),
        ("--ground", "low", "expected a number"),
        ("--height", "18", "0.4 to 2.8 m"),
        ("--cut", "9,10", "--cut"),
        ("--join", "none.bvh", "none.bvh: No such file"),
        ("--out", "w.xyz", "w.xyz: filtered motions are written as .bvh"),
        ("--out", "w.xml", "w.xml: filtered motions are written as .bvh"),
        ("--out", "none/w.bvh", "none/w.bvh"),
        ("--report", "none/w.html", "none/w.html"),
        ("--record", "squat.bvh", "squat.bvh"),
        ("--figure", "humam-28", "did you mean `human-28`"),
    ] {
        refused(&room, &["squat.bvh", option, value], &[said]);
    }
    refused(&room, &[], &["MOTION"]);
    refused(&room, &["none.bvh"], &["none.bvh: No such file"]);
    refused(&room, &["human-28"], &["`human-28` is no motion but a figure or scene"]);
    room.write("snake.bvh", people::snake());
    refused(&room, &["snake.bvh"], &["snake.bvh: ", "no foot was found", "--parts FILE"]);
    let whole = room.read("squat.bvh");
    room.write("nan.bvh", whole.replacen(" -75 ", " NaN ", 1));
    refused(&room, &["nan.bvh"], &["nan.bvh:"]);
    room.write("short.bvh", people::first_frames(2));
    refused(&room, &["short.bvh"], &["2 frames", "at least three"]);
    assert!(!room.files().iter().any(|f| f.contains("tmp")), "{:?}", room.files());
}
