//! `filter`: results, files, the recorded equation of motion, and refusals.

use crate::people;
use crate::room::{Room, number};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::algo::{jacobian, rnea};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Force, Motion, Vec3, vec3};
use anthropi_formats::csv::coordinate_names;
use anthropi_formats::load;
use serde_json::Value;
use std::collections::HashMap;

/// Residual forces, N and N m: rounding errors of forces of a thousand newtons.
const LEFT_OVER: f64 = 1e-6;

/// The result of a run with an expected exit code.
#[track_caller]
fn filter(room: &Room, code: i32, args: &[&str]) -> Value {
    room.json_result("filter", code, args)
}

#[track_caller]
fn refused(room: &Room, args: &[&str], parts: &[&str]) {
    room.refused(&[&["filter"], args].concat(), parts);
}

/// All documented fields exist and are plausible.
#[track_caller]
fn sane(result: &Value) {
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
        let got = number(result, path);
        assert!((from..=to).contains(&got), "{path} is {got}");
    }
    assert!(
        result["notes"].is_array()
            && result["mode"].is_string()
            && result["output_from_motion"]["verdict"].is_string()
    );
    assert_eq!(result["fell"].as_bool(), Some(!result["fell_at_s"].is_null()), "{}", result["fell_at_s"]);
    let verdict = result["output"]["verdict"].as_str().expect("a word");
    assert!(["consistent", "not consistent"].contains(&verdict), "{verdict}");
}

#[test]
fn a_walk_does_not_fall_in_both_modes() {
    let room = Room::new("filter_walk");
    for (mode, delay) in [("offline", 0.0), ("online", 1.0)] {
        let result = filter(&room, 0, &["keyed-walk", "--mode", mode]);
        sane(&result);
        assert_eq!((result["mode"].as_str(), number(&result, "/delay_frames")), (Some(mode), delay));
        assert_eq!((&result["fell"], number(&result, "/falls")), (&false.into(), 0.0));
        assert_eq!(result["output"]["verdict"], "consistent");
        assert!(number(&result, "/tracking/joint_rms_deg") < 6.0, "{}", result["tracking"]);
    }
    // the certificate of the input is that of `certify`
    let result = filter(&room, 0, &["keyed-walk"]);
    assert_eq!(result["mode"], "offline");
    let certified: Value = serde_json::from_str(&room.run(&["certify", "keyed-walk", "--json"]).out).unwrap();
    assert_eq!(result["input"], certified);
}

#[test]
fn files_are_written() {
    let room = Room::new("filter_files");
    let args =
        ["filter", "keyed-walk", "--cut", "0,1", "--out", "w.json", "--report", "w.html", "--record", "rec"];
    let got = room.run(&args);
    assert_eq!(got.code, 0, "{}", got.err);
    for part in [
        "input",
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
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("No fall, physically consistent"));
    for outside in ["src=\"http", "<link", "@import", "url(http", "fetch("] {
        assert!(!page.contains(outside), "{outside}");
    }
    // the written motion has the same certificate
    let result = filter(&room, 0, &["keyed-walk", "--cut", "0,1"]);
    let written: Value = serde_json::from_str(&room.run(&["certify", "w.json", "--json"]).out).unwrap();
    for field in ["root_residual", "contact", "grf", "verdict", "frames"] {
        assert_eq!(written[field], result["output_from_motion"][field], "{field}");
    }
    for out in ["w.bvh", "w.glb", "w.csv", "w.sto", "w.svg"] {
        filter(&room, 0, &["keyed-walk", "--cut", "0,0.3", "--out", out]);
        assert!(room.path(out).exists(), "{out}");
    }
    // without --out the text names the options
    let got = room.run(&["filter", "keyed-walk", "--cut", "0,0.3"]);
    assert!(got.out.contains("--out FILE.bvh") && got.out.contains("--report FILE.html"), "{}", got.out);
}

#[test]
fn bvh_keeps_its_skeleton() {
    let room = Room::with("filter_skeleton", &[("squat.bvh", &people::squat(|_| [0.0; 3]))]);
    let result = filter(&room, 0, &["squat.bvh", "--out", "out.bvh"]);
    let names = |file: &str| {
        let text = room.read(file);
        let of = |line: &str| line.trim().strip_prefix("JOINT ").map(String::from);
        text.lines().filter_map(of).collect::<Vec<_>>()
    };
    assert_eq!(names("squat.bvh"), names("out.bvh"));
    // it has the filtered motion: the certificates agree up to rounding of the angles
    let written: Value = serde_json::from_str(&room.run(&["certify", "out.bvh", "--json"]).out).unwrap();
    let alone = &result["output_from_motion"];
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
    // a motion with other frames is written with the skeleton of its figure
    filter(&room, 0, &["squat.bvh", "--cut", "0,1", "--out", "part.bvh"]);
    assert!(names("part.bvh").contains(&"left_thigh".to_string()), "{:?}", names("part.bvh"));
}

#[test]
fn edits_are_applied_before_filtering() {
    let room = Room::new("filter_edit");
    let result = filter(&room, 0, &["keyed-walk", "--turn", "20,0.5,2.5", "--resample", "50"]);
    assert!((number(&result, "/fps") - 50.0).abs() < 1e-9);
    let plain = number(&result, "/frames");
    let result = filter(&room, 0, &["keyed-walk", "--join", "keyed-walk", "--resample", "50"]);
    assert!(number(&result, "/frames") > 1.5 * plain, "{} {plain}", result["frames"]);
    let heavy = filter(&room, 0, &["keyed-walk", "--cut", "0,1", "--mass", "100"]);
    assert!((number(&heavy, "/input/figure/mass_kg") - 100.0).abs() < 1e-9);
}

/// Column names and rows of a table.
fn rows(text: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = text.lines().map(|l| l.split(',').collect::<Vec<_>>());
    (lines.next().expect("a header"), lines.collect())
}

/// A recorded step.
pub struct Step<'a> {
    pub t: &'a str,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

pub fn steps<'a>(text: &'a str, figure: &Figure) -> Vec<Step<'a>> {
    let (header, rows) = rows(text);
    let column =
        |name: String| header.iter().position(|h| *h == name).unwrap_or_else(|| panic!("no column {name}"));
    let all = |letter: &str, names: &[String]| {
        names.iter().map(|n| column(format!("{letter}:{n}"))).collect::<Vec<_>>()
    };
    let (dofs, q) = (figure.dof_names(), all("q", &coordinate_names(figure)));
    let [v, a, tau] = ["v", "a", "tau"].map(|letter| all(letter, &dofs));
    assert_eq!((header[0], header.len()), ("t", 1 + q.len() + 3 * dofs.len()));
    let pick = |row: &[&str], at: &[usize]| at.iter().map(|i| row[*i].parse().expect("a number")).collect();
    rows.iter()
        .map(|r| Step { t: r[0], q: pick(r, &q), v: pick(r, &v), a: pick(r, &a), tau: pick(r, &tau) })
        .collect()
}

/// Link, point, and force with the moment about that point, by the text of its time.
pub type Wrenches<'a> = HashMap<&'a str, Vec<(&'a str, Vec3, Force)>>;

pub fn wrenches(text: &str) -> Wrenches<'_> {
    let (header, rows) = rows(text);
    assert_eq!(header.join(","), "t,link,px,py,pz,fx,fy,fz,nx,ny,nz");
    let mut all = Wrenches::new();
    for row in rows {
        let x: Vec<f64> = row[2..].iter().map(|x| x.parse().expect("a number")).collect();
        let [at, force, moment] = [0, 3, 6].map(|i| vec3(x[i], x[i + 1], x[i + 2]));
        all.entry(row[0]).or_default().push((row[1], at, Force::new(moment, force)));
    }
    all
}

#[test]
fn records_hold_the_equation_of_motion() {
    let room = Room::new("filter_record");
    for mode in ["offline", "online"] {
        // pushes are recorded like ground forces
        let push = ["--push", "chest,0.2034,0.1,60,20,0", "--push", "head,0.2534,0.2,0,-10,5"];
        let walk = ["keyed-walk", "--cut", "0,0.6", "--mode", mode, "--record", mode];
        let result = filter(&room, 0, &[&walk[..], &push].concat());
        let figure = load::figure(&room.path(&format!("{mode}/figure.xml"))).unwrap().figure;
        let (states, contacts) =
            (room.read(&format!("{mode}/states.csv")), room.read(&format!("{mode}/contacts.csv")));
        let (steps, pushes) = (steps(&states, &figure), wrenches(&contacts));
        assert_eq!(steps.len() as f64, number(&result, "/output/steps"));
        let pushed = |link: &str| pushes.values().flatten().filter(|(l, ..)| *l == link).count();
        assert_eq!([pushed("chest"), pushed("head"), pushed("pelvis")], [100, 200, 0], "{mode}");
        let moments = pushes.values().flatten().map(|(.., f)| f.angular.norm());
        assert_eq!(moments.fold(0.0, f64::max), 0.0, "{mode}: no moment at a point");
        check(&figure, &steps, &pushes, mode);
    }
}

/// M a + h - tau - sum J^T f = 0, and v+ = v + a dt.
pub fn check(figure: &Figure, steps: &[Step], pushes: &Wrenches, mode: &str) {
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
            let power = |c: &Motion| c.linear.dot(force.linear) + c.angular.dot(force.angular);
            left.iter_mut().zip(&columns).for_each(|(l, c)| *l -= power(c));
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
fn a_fall_is_a_result() {
    let room = Room::new("filter_fall");
    let args =
        ["keyed-walk", "--strength", "0.05", "--cut", "0,1", "--out", "fall.bvh", "--report", "fall.html"];
    let result = filter(&room, 1, &args);
    assert_eq!(result["fell"], true);
    let (at, end) = (number(&result, "/fell_at_s"), number(&result, "/duration_s"));
    assert!(at > 0.0 && at <= end && number(&result, "/falls") >= 1.0, "{at} of {end}");
    assert_eq!(result["output"]["verdict"], "not consistent");
    assert!(result["notes"].to_string().contains("the figure fell at"), "{}", result["notes"]);
    assert!(room.path("fall.bvh").exists() && room.read("fall.html").contains("Fell at"));
    let got = room.run(&["filter", "keyed-walk", "--strength", "0.05", "--cut", "0,1"]);
    assert_eq!(got.code, 1);
    assert!(got.out.contains("FELL at") && got.err.contains("no: keyed-walk fell at"), "{}", got.err);
}

/// A walk that is pushed sideways with more than half its weight: it falls without assistance.
const PUSHED: [&str; 5] = ["keyed-walk", "--cut", "0,3", "--push", "chest,0.6,0.2,0,400,0"];

#[test]
fn assistance_keeps_a_motion_up_and_is_never_silent() {
    let room = Room::new("filter_assist");
    let files = ["--report", "w.html", "--record", "rec"];
    let result = filter(&room, 0, &[&PUSHED[..], &files].concat());
    let assist = &result["assist"];
    let peak = number(assist, "/peak_bw");
    assert!(peak > 0.0 && peak <= 0.3 + 1e-9 && number(assist, "/peak_moment_bw_m") > 0.0, "{assist}");
    assert!((1e-3..1.0).contains(&number(assist, "/fraction")), "{assist}");
    let intervals = assist["intervals"].as_array().unwrap();
    let end = number(&result, "/duration_s");
    for i in intervals {
        let (from, to) = (number(i, "/from_s"), number(i, "/to_s"));
        assert!(0.0 <= from && from < to && to <= end + 1e-9, "{i} of {end} s");
    }
    let highest = intervals.iter().map(|i| number(i, "/peak_bw")).fold(0.0, f64::max);
    assert_eq!(highest, peak, "{assist}");
    assert_eq!((&result["fell"], &result["output"]["verdict"]), (&false.into(), &"not consistent".into()));
    assert!(
        result["notes"].to_string().contains("without assistance the figure falls"),
        "{}",
        result["notes"]
    );
    assert_eq!(number(&result, "/speed"), 1.0);

    let page = room.read("w.html");
    for part in
        ["No fall, consistent but for assistance", "id=\"assistance\"", "data-assist=", "class=\"touch c3\""]
    {
        assert!(page.contains(part), "{part}");
    }
    // the record has the assistance as a wrench on the root, in its steps only
    let figure = load::figure(&room.path("rec/figure.xml")).unwrap().figure;
    let (states, contacts) = (room.read("rec/states.csv"), room.read("rec/contacts.csv"));
    let (steps, wrenches) = (steps(&states, &figure), wrenches(&contacts));
    let assisted = wrenches.values().flatten().filter(|(link, ..)| *link == "pelvis").count();
    let frames = number(assist, "/fraction") * number(&result, "/frames");
    let per_frame = steps.len() as f64 / (number(&result, "/frames") - 1.0);
    assert!(
        assisted > 0 && assisted as f64 <= frames * per_frame + 1e-6,
        "{assisted} steps, {frames} frames"
    );
    check(&figure, &steps, &wrenches, "assisted");

    let got = room.run(&[&["filter"], &PUSHED[..]].concat());
    assert_eq!(got.code, 0, "{}", got.err);
    assert!(got.out.contains("  assistance        up to 0."), "{}", got.out);
    let row = got.out.lines().find(|line| line.starts_with(" verdict")).expect("a verdict");
    assert!(row.contains("  consistent but for assistance  "), "{row}");
    let less = filter(&room, 0, &[&PUSHED[..], &["--assist", "0.2"]].concat());
    let peak = number(&less, "/assist/peak_bw");
    assert!(peak > 0.0 && peak <= 0.2 + 1e-9, "{}", less["assist"]);

    let result = filter(&room, 1, &[&PUSHED[..], &["--assist", "none"]].concat());
    assert_eq!((&result["fell"], number(&result, "/assist/peak_bw")), (&true.into(), 0.0));
    assert_eq!(result["assist"]["intervals"], Value::Array(Vec::new()));
}

#[test]
fn a_wrong_frame_rate_is_corrected_unless_the_speed_is_given() {
    let room = Room::new("filter_tempo");
    room.run(&["convert", "keyed-jump", "fast.bvh", "--speed", "2"]);
    let result = filter(&room, 0, &["fast.bvh", "--out", "slow.bvh", "--report", "slow.html"]);
    assert_eq!(number(&result, "/speed"), 0.5, "{}", result["notes"]);
    assert!(result["notes"].to_string().contains("2.00 times too fast"), "{}", result["notes"]);
    assert!(
        (number(&result, "/fps") - 100.0).abs() < 1e-6
            && (number(&result, "/input/fps") - 200.0).abs() < 1e-6
    );
    let time = |file: &str| -> f64 {
        let text = room.read(file);
        let line = text.lines().find_map(|line| line.strip_prefix("Frame Time:")).expect("a frame time");
        line.trim().parse().expect("a number")
    };
    assert!((time("slow.bvh") / time("fast.bvh") - 2.0).abs() < 1e-9);
    let frames = |file: &str| room.read(file).lines().find(|l| l.starts_with("Frames:")).map(String::from);
    assert_eq!(frames("slow.bvh"), frames("fast.bvh"));
    assert!(
        room.read("slow.html").contains("0.50 times its given speed: 100 frames per second instead of 200")
    );
    // at the given speed
    let got = room.run(&["filter", "fast.bvh", "--speed", "1", "--json"]);
    let result: Value = serde_json::from_str(&got.out).unwrap();
    assert_eq!((number(&result, "/speed"), number(&result, "/fps").round()), (1.0, 200.0));
}

#[test]
fn assistance_and_automatic_speed_need_the_whole_motion() {
    let room = Room::new("filter_whole_motion");
    let online = ["keyed-walk", "--cut", "0,0.3", "--mode", "online"];
    refused(&room, &[&online[..], &["--assist", "auto"]].concat(), &["--assist needs --mode offline"]);
    refused(&room, &[&online[..], &["--speed", "auto"]].concat(), &["--speed auto needs --mode offline"]);
    let inverses = ["keyed-walk", "--cut", "0,0.3", "--solver", "pinv", "--assist", "0.2"];
    refused(&room, &inverses, &["--assist needs --solver qp"]);
    // the mode of a scene, too
    refused(&room, &["push-standing", "--assist", "0.1"], &["--assist needs --mode offline"]);
    let result = filter(&room, 0, &[&online[..], &["--assist", "none", "--speed", "1"]].concat());
    assert_eq!((number(&result, "/assist/fraction"), number(&result, "/speed")), (0.0, 1.0));
    room.refused(
        &["batch", ".", "--out", "out", "--task", "filter", "--mode", "online", "--assist", "auto"],
        &["--assist needs --mode offline"],
    );
    room.refused(&["batch", ".", "--out", "out", "--speed", "2"], &["expected `auto` or 1"]);
}

#[test]
fn strength_can_be_unlimited() {
    let room = Room::new("filter_strength");
    let result = filter(&room, 0, &["keyed-kick", "--strength", "none"]);
    sane(&result);
    assert_eq!(number(&result, "/solver/at_strength"), 0.0);
}

#[test]
fn invalid_arguments_are_refused() {
    let room = Room::with("filter_nonsense", &[("squat.bvh", &people::squat(|_| [0.0; 3]))]);
    for (option, value, said) in [
        ("--mode", "later", "online, offline"),
        ("--strength", "0", "above zero or `none`"),
        ("--strength", "weak", "above zero or `none`"),
        ("--assist", "0", "above zero up to 1, `auto` or `none`"),
        ("--assist", "1.5", "above zero up to 1, `auto` or `none`"),
        ("--speed", "fast", "above zero or `auto`"),
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
    refused(&room, &["human-28"], &["`human-28` is a figure, not a motion"]);
    room.write("snake.bvh", people::snake());
    refused(&room, &["snake.bvh"], &["snake.bvh: ", "no foot was found", "--parts FILE"]);
    let whole = room.read("squat.bvh");
    room.write("nan.bvh", whole.replacen(" -75 ", " NaN ", 1));
    refused(&room, &["nan.bvh"], &["nan.bvh:"]);
    room.write("short.bvh", people::first_frames(2));
    refused(&room, &["short.bvh"], &["2 frames", "at least three"]);
    assert!(!room.files().iter().any(|f| f.contains("tmp")), "{:?}", room.files());
}
