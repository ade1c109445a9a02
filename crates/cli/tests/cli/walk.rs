//! `walk`: output, files and errors.

use crate::room::{Room, number};
use serde_json::Value;

/// Residual force, N: rounding of forces of a thousand newtons.
const LEFT_OVER: f64 = 1e-6;

#[track_caller]
fn walk(room: &Room, code: i32, args: &[&str]) -> Value {
    room.json_result("walk", code, args)
}

#[track_caller]
fn refused(room: &Room, args: &[&str], parts: &[&str]) {
    room.refused(&[&["walk"], args].concat(), parts);
}

/// All fields are present and plausible.
#[track_caller]
fn sane(result: &Value) {
    for (path, from, to) in [
        ("/speed", 0.1, 5.0),
        ("/step_length", 0.1, 2.0),
        ("/step_frequency", 0.3, 4.0),
        ("/double_support_fraction", 0.0, 0.5),
        ("/flight_fraction", 0.0, 0.5),
        ("/requested/speed", 0.1, 5.0),
        ("/landing_speed_m_per_s", 0.0, 1.0),
        ("/ground_force/vertical_max_bw", 0.9, 5.0),
        ("/ground_force/vertical_min_bw", 0.0, 1.1),
        ("/ground_force/friction_used", 0.0, 0.8 + LEFT_OVER),
        ("/realtime_factor", 1e-3, 1e4),
        ("/certificate/root_residual/force_peak_N", 0.0, LEFT_OVER),
        ("/certificate/root_residual/moment_peak_Nm", 0.0, LEFT_OVER),
        ("/certificate/contact/normal_violations", 0.0, 0.0),
        ("/certificate/contact/friction_violations", 0.0, 0.0),
        ("/certificate/contact/cop_outside", 0.0, 0.0),
        ("/certificate/contact/penetration_max_m", 0.0, 0.05),
        ("/certificate/contact/skate_mean_m_per_s", 0.0, 0.1),
        ("/certificate/grf/peak_bw", 0.9, 6.0),
        ("/certificate/torque_peak_Nm", 1.0, 1e3),
        ("/certificate/power_peak_W", 1.0, 1e4),
        ("/determinants/pelvic_rotation/max", 0.1, 4.5),
        ("/determinants/pelvic_list/min", -5.5, -0.1),
    ] {
        let got = number(result, path);
        assert!((from..=to).contains(&got), "{path} is {got}");
    }
    assert_eq!(result["fell"].as_bool(), Some(!result["fell_at_s"].is_null()));
    assert!(result["certificate"]["verdict"].is_string() && result["notes"].is_array());
    let names = ["pelvic_rotation", "pelvic_list", "stance_knee", "foot", "swing_knee", "lateral"];
    for name in names {
        let range = &result["determinants"][name];
        assert!(number(range, "/min") <= number(range, "/max"), "{name}: {range}");
    }
}

#[test]
fn a_walk_has_the_requested_pace() {
    let room = Room::new("walk_asked");
    let result = walk(&room, 0, &["--speed", "1.2", "--steps", "4"]);
    sane(&result);
    assert!((number(&result, "/speed") / 1.2 - 1.0).abs() < 0.01);
    // eq. 9.3 and 9.7 of the thesis, steps per minute
    let f = (1.2 * 60.0 / (0.004 * 1.7_f64)).sqrt();
    assert!((number(&result, "/step_frequency") * 60.0 / f - 1.0).abs() < 0.01);
    let double = (29.08 - 0.16 * f) / 100.0;
    assert!((number(&result, "/double_support_fraction") - double).abs() < 0.01);
    assert_eq!(result["steady_steps"], 4);
    assert!(result["compared_with_neutral"].is_null());
    assert_eq!(result["certificate"]["verdict"], "consistent");
    // two of three
    let result = walk(&room, 0, &["--step-length", "0.6", "--step-frequency", "1.8", "--steps", "3"]);
    assert!((number(&result, "/requested/speed") - 1.08).abs() < 1e-9);
    assert!((number(&result, "/step_length") / 0.6 - 1.0).abs() < 0.01, "{}", result["step_length"]);
}

#[test]
fn a_style_is_compared_with_the_neutral_walk() {
    let room = Room::new("walk_style");
    let result = walk(&room, 0, &["--style", "tired", "--steps", "3"]);
    sane(&result);
    assert_eq!(result["requested"]["style"], "tired");
    let against = &result["compared_with_neutral"];
    for key in [
        "speed",
        "step_length",
        "step_frequency",
        "double_support_fraction",
        "vertical_m",
        "lateral_m",
        "knee_stance_deg",
        "knee_swing_deg",
        "lean_deg",
        "peak_force_bw",
    ] {
        let row = &against[key];
        let by = number(row, "/this") - number(row, "/neutral");
        assert!((number(row, "/by") - by).abs() < 1e-12, "{key}: {row}");
    }
    assert!(number(against, "/speed/by") < -0.3 && number(against, "/lean_deg/by") > 2.0, "{against}");
    // a style from a file
    room.write("mine.toml", "speed = 0.8\narms = 0.2\n");
    let result = walk(&room, 0, &["--style", "mine.toml", "--steps", "2"]);
    assert_eq!(
        (result["requested"]["style"].as_str(), result["name"].as_str()),
        (Some("mine"), Some("walk, mine"))
    );
    assert!((number(&result, "/requested/speed") - 0.8 * 1.3).abs() < 1e-9);
}

#[test]
fn determinants_turns_slopes_loads_and_pushes_are_taken() {
    let room = Room::new("walk_options");
    let result =
        walk(&room, 0, &["--without", "pelvic_list", "--determinant", "pelvic_rotation=0.5", "--steps", "3"]);
    assert_eq!(number(&result, "/requested/determinants/pelvic_list"), 0.0);
    let most = |name: &str| number(&result, &format!("/determinants/{name}/max"));
    assert!(most("pelvic_list") < 1.0 && most("pelvic_rotation") < 2.5, "{}", result["determinants"]);
    let result = walk(&room, 0, &["--turn", "60", "--steps", "4", "--speed", "1"]);
    assert!((number(&result, "/requested/turn_deg") - 60.0).abs() < 1e-9);
    let result = walk(&room, 0, &["--slope", "4", "--speed", "0.9", "--steps", "3", "--friction", "0.7"]);
    assert!((number(&result, "/requested/slope_deg") - 4.0).abs() < 1e-9);
    assert_eq!(number(&result, "/ground_force/friction"), 0.7);
    let result =
        walk(&room, 0, &["--load", "10", "--steps", "2", "--speed", "1", "--mass", "65", "--height", "1.6"]);
    assert!((number(&result, "/mass_kg") - 75.0).abs() < 1e-6 && number(&result, "/load_kg") == 10.0);
    assert_eq!(number(&result, "/height_m"), 1.6);
    let push = ["--push", "chest,3,0.1,0,20,0", "--steps", "3", "--speed", "1"];
    let result = walk(&room, 0, &push);
    assert!(result["notes"].to_string().contains("pushed once"), "{}", result["notes"]);
    // too strong to recover from
    let result = walk(&room, 1, &["--push", "chest,3,0.5,0,2000,0", "--steps", "3", "--speed", "1"]);
    assert_eq!(result["fell"], true);
}

#[test]
fn one_step_is_studied() {
    let room = Room::new("walk_step");
    let heavy = ["--real", "chest=1.15", "--real", "thigh=0.9", "--real", "shank=0.9"];
    let step = ["--figure", "human-28", "--speed", "1.2", "--steps", "4", "--hidds", "--virtual-leg"];
    let result = walk(&room, 0, &[&step[..], &heavy, &["--cycle", "c.svg", "--report", "w.html"]].concat());
    let hidds = &result["one_step"]["hidds"];
    let errors: Vec<f64> =
        hidds["runs"].as_array().unwrap().iter().map(|run| number(run, "/posture_deg")).collect();
    // another body by inverse dynamics alone, and by refined torques
    assert!(errors.len() > 1 && errors[0] > 0.1 && number(hidds, "/posture_deg") < 0.3, "{errors:?}");
    let time = number(&result, "/one_step/to_s") - number(&result, "/one_step/from_s");
    assert!((time * number(&result, "/step_frequency") - 1.0).abs() < 0.02, "{time}");
    let leg = &result["one_step"]["virtual_leg"];
    assert!(number(leg, "/peak_bw") > 0.8 && number(leg, "/height_rms_m") < 0.05, "{leg}");
    for joint in ["hip", "knee", "ankle"] {
        let near = &result["people"][joint];
        let [one, two] = ["/within_1_sd", "/within_2_sd"].map(|field| number(near, field));
        assert!((0.0..=two).contains(&one) && two <= 1.0, "{near}");
    }
    assert_eq!(room.read("c.svg").matches("class=\"band\"").count(), 3);
    assert!(room.read("w.html").contains("Posture error by run"));
    refused(&room, &["--hidds", "--real", "tail=2", "--steps", "4"], &["--mass-factor", "tail", "chest"]);
    refused(&room, &["--hidds", "--real", "chest=-2"], &["chest=1.15"]);
    refused(&room, &["--real", "chest=2"], &["--hidds"]);
    refused(&room, &["--hidds", "--steps", "1"], &["--steps 4"]);
    refused(&room, &["--cycle", "c.svg", "--steps", "1"], &["--steps 4"]);
}

#[test]
fn files_are_written_and_read_back() {
    let room = Room::new("walk_files");
    let args =
        ["walk", "--speed", "1", "--steps", "2", "--out", "w.bvh", "--report", "w.html", "--record", "rec"];
    let got = room.run(&args);
    assert_eq!(got.code, 0, "{}", got.err);
    for part in ["walked", "step length", "pelvic rotation", "consistent", "motion: w.bvh", "open w.html"] {
        assert!(got.out.contains(part), "expected {part} in {}", got.out);
    }
    assert_eq!(room.files(), ["rec", "w.bvh", "w.html"]);
    let result = room.fine(&["inspect", "w.bvh", "--json"]);
    assert!(number(&result, "/frames") > 300.0, "{result}");
    assert!(room.read("w.html").starts_with("<!DOCTYPE html>"));
    let states = room.read("rec/states.csv");
    let steps = states.lines().count() - 1;
    assert!(steps > 3000 && states.starts_with("t,q:root.0"), "{steps}");
    assert!(room.read("rec/contacts.csv").lines().count() > steps);
    assert!(room.read("rec/figure.xml").contains("<mujoco"));
    for out in ["w.csv", "w.json", "w.glb", "w.svg"] {
        let got = room.run(&["walk", "--speed", "1", "--steps", "1", "--out", out]);
        assert_eq!(got.code, 0, "{out}: {}", got.err);
        assert!(room.path(out).is_file(), "{out}");
    }
}

#[test]
fn scripts_are_walked_and_inspected() {
    let script =
        "what = \"two\"\nload_kg = 3\n[[segment]]\nsteps = 2\nspeed = 1\n[[segment]]\nstyle = \"happily\"\n";
    let room = Room::with("walk_script", &[("two.toml", script)]);
    let result = walk(&room, 0, &["two.toml"]);
    assert_eq!(result["name"], "two");
    let stretches = result["requested"]["stretches"].as_array().unwrap();
    assert_eq!(stretches.len(), 2);
    assert_eq!((&stretches[1]["style"], &stretches[1]["speed"]), (&"happily".into(), &1.0.into()));
    assert_eq!(number(&result, "/load_kg"), 3.0);
    let result = room.fine(&["inspect", "two.toml", "--json"]);
    assert_eq!((&result["kind"], &result["steps"]), (&"walk".into(), &4.into()));
    assert_eq!((&result["what"], &result["run_by"]), (&"two".into(), &"anthropi walk two.toml".into()));
    let result = room.fine(&["inspect", "walk-tour", "--json"]);
    assert_eq!((result["kind"].as_str(), result["stretches"].as_array().unwrap().len()), (Some("walk"), 4));
    assert!(room.run(&["inspect", "walk-hill"]).out.contains("segment 2: 6 steps"));
    room.refused(&["certify", "walk-tour"], &["is a walk", "anthropi walk walk-tour"]);
    room.refused(&["simulate", "two.toml"], &["is a walk"]);
    room.refused(&["inspect", "walk-tour", "--mass", "50"], &["--mass is for figures", "is a walk"]);
    // options override the script, except its segments
    let result = walk(&room, 0, &["two.toml", "--load", "0", "--figure", "human-28"]);
    assert_eq!((number(&result, "/load_kg"), &result["figure"]), (0.0, &"human-28".into()));
    refused(&room, &["two.toml", "--speed", "1"], &["--speed is for walks without a script", "two.toml"]);
}

#[test]
fn styles_and_walks_are_listed() {
    let room = Room::new("walk_list");
    let list = room.fine(&["list", "--json"]);
    for (field, least, one) in [("styles", 10, "happily"), ("walks", 3, "walk-tour")] {
        let all = list[field].as_array().unwrap();
        assert!(all.len() >= least && all.iter().any(|s| s["name"] == one), "{field}");
        assert!(all.iter().all(|s| s["what"].as_str().unwrap().len() > 10));
    }
    let text = room.run(&["list"]).out;
    assert!(text.contains("sneaking") && text.contains("walk-stairs"), "{text}");
}

#[test]
fn invalid_values_are_refused_with_the_limit() {
    let room = Room::with(
        "walk_refused",
        &[
            ("bad.toml", "[[segment]]\nspeed = 1\nstpes = 3\n"),
            ("style.toml", "arms = 9\n"),
            ("none.toml", "x = 1\n"),
        ],
    );
    for (args, parts) in [
        (&["--step-length", "3", "--step-frequency", "1"][..], &["steps of 3.00 m", "is 1.12 m"][..]),
        (&["--step-frequency", "5"], &["300 steps per minute", "the maximum is 182"]),
        (&["--speed", "-1"], &["speed", "above zero"]),
        (&["--speed", "1", "--step-length", "1", "--step-frequency", "2"], &["give two"]),
        (&["--mass", "-3"], &["--mass", "above zero"]),
        (&["--load", "-3"], &["load is -3", "zero or more"]),
        (&["--load", "300"], &["300 kg", "the maximum is its own mass"]),
        (
            &["--style", "hapily"],
            &["no built-in style `hapily`", "did you mean `happily`", "tired", "FILE.toml"],
        ),
        (&["--style", "style.toml"], &["style.toml:1:8", "arms: is 9, expected 0 to 3"]),
        (&["--style", "absent.toml"], &["absent.toml"]),
        (&["--figure", "human-29"], &["human-29", "human-28"]),
        (&["--figure", "pendulum"], &["`pendulum` is a scene"]),
        (&["--slope", "60"], &["60 degrees", "-20 to 20"]),
        (&["--stairs", "0.17"], &["rise and tread"]),
        (&["--stairs", "0.17,0.3", "--slope", "3"], &["cannot be used with"]),
        (&["--stairs", "0.17,0.3", "--turn", "30"], &["turn"]),
        (&["--turn", "360", "--steps", "2"], &["turns by", "use"]),
        (&["--friction", "0"], &["friction of 0", "0.01 to 5"]),
        (&["--determinant", "hand=1"], &["no determinant `hand`", "pelvic_list"]),
        (&["--determinant", "foot=5"], &["`foot` is 5", "0 (off) to 1.2"]),
        (&["--without", "all"], &["no determinant `all`"]),
        (&["--push", "tail,1,1,1,0,0"], &["no link `tail`", "chest"]),
        (&["--steps", "0"], &["--steps"]),
        (&["--out", "w.docx"], &["walks are written as .bvh"]),
        (&["walk-tower"], &["no built-in walk `walk-tower`", "walk-tour"]),
        (&["happily"], &["`happily` is a style", "--style happily"]),
        (&["none.toml"], &["is not a walk", "[[segment]]"]),
        (&["bad.toml"], &["bad.toml:3:1", "stpes of segment 1", "`steps`"]),
        (&["absent.toml"], &["absent.toml"]),
    ] {
        refused(&room, args, parts);
    }
}
