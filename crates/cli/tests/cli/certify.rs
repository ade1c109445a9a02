//! `certify`: results, options and refusals.

use crate::people::{self, FRAMES, RATE};
use crate::room::{Room, number};
use serde_json::Value;

fn room(name: &str) -> Room {
    let still = |_: f64| [0.0; 3];
    Room::with(name, &[("squat.bvh", &people::squat(still)), ("lifted.bvh", &people::lifted())])
}

fn data(file: &str) -> Option<String> {
    testkit::data(file).map(|path| path.display().to_string())
}

/// The result of a run with an expected exit code.
#[track_caller]
fn certificate(room: &Room, code: i32, args: &[&str]) -> Value {
    room.json_result("certify", code, args)
}

#[track_caller]
fn refused(room: &Room, args: &[&str], parts: &[&str]) {
    room.refused(&[&["certify"], args].concat(), parts);
}

fn notes(value: &Value) -> String {
    value["notes"].to_string()
}

/// All documented fields exist and are within human limits.
#[track_caller]
fn sane(c: &Value) {
    for (path, from, to) in [
        ("/root_residual/force_rms_N", 0.0, 1e4),
        ("/root_residual/force_peak_N", 0.0, 1e5),
        ("/root_residual/moment_rms_Nm", 0.0, 1e4),
        ("/root_residual/moment_peak_Nm", 0.0, 1e5),
        ("/root_residual/force_rms_bw", 0.0, 10.0),
        ("/contact/frames", 0.0, 1e6),
        ("/contact/normal_violations", 0.0, 1e6),
        ("/contact/friction_violations", 0.0, 1e6),
        ("/contact/cop_outside", 0.0, 1e6),
        ("/contact/unsupported", 0.0, 1e6),
        ("/contact/penetration_max_m", 0.0, 1.0),
        ("/contact/skate_mean_m_per_s", 0.0, 2.0),
        ("/grf/peak_bw", 0.5, 20.0),
        ("/torque_peak_Nm", 1.0, 2e3),
        ("/power_peak_W", 0.0, 2e4),
        ("/figure/mass_kg", 30.0, 150.0),
        ("/figure/stature_m", 1.0, 2.3),
    ] {
        let got = number(c, path);
        assert!((from..=to).contains(&got), "{path} is {got}");
    }
    let bw = number(c, "/root_residual/force_rms_N") / (number(c, "/figure/mass_kg") * 9.81);
    assert!((bw - number(c, "/root_residual/force_rms_bw")).abs() < 1e-9, "{bw}");
    assert!(number(c, "/root_residual/force_rms_N") <= number(c, "/root_residual/force_peak_N"));
    assert!(number(c, "/contact/frames") <= number(c, "/frames"));
    let findings = c["findings"].as_array().expect("a list");
    for f in findings {
        assert!(number(f, "/severity") >= 1.0 && number(f, "/from_s") < number(f, "/to_s"), "{f}");
        assert!(f["what"].as_str().is_some_and(|w| w.len() > 10) && f["unit"].is_string(), "{f}");
    }
    let verdict = c["verdict"].as_str().expect("a word");
    assert!(["consistent", "not consistent"].contains(&verdict), "{verdict}");
    assert!(findings.is_empty() || verdict == "not consistent", "{findings:?}");
}

#[test]
fn a_squat_is_consistent() {
    let room = room("certify_squat");
    let c = certificate(&room, 0, &["squat.bvh"]);
    sane(&c);
    assert_eq!((&c["verdict"], c["findings"].as_array().unwrap().len()), (&"consistent".into(), 0));
    assert_eq!((number(&c, "/frames"), number(&c, "/contact/frames")), (FRAMES as f64, FRAMES as f64));
    assert!((number(&c, "/fps") - RATE).abs() < 1e-4);
    // legs of 87 cm are 0.491 of the stature
    assert!((number(&c, "/figure/stature_m") - 0.87 / 0.491).abs() < 1e-3);
    assert!((1.0..1.3).contains(&number(&c, "/grf/peak_bw")));
    assert!(number(&c, "/root_residual/force_rms_bw") < 1e-3);
    assert!(number(&c, "/ground/height_m").abs() < 0.01);
    assert_eq!(number(&c, "/cutoff/hz"), 6.0);
    for spot in ["left_heel", "left_toe", "right_heel", "right_toe"] {
        assert_eq!(c["touches"][spot], serde_json::json!([[0, FRAMES]]), "{spot}");
    }
    let text = room.run(&["certify", "squat.bvh"]);
    assert!(text.code == 0 && text.err.is_empty(), "{}", text.err);
    for part in ["residual force", "ground force", "stature 1.772 m, estimated", "verdict: consistent"] {
        assert!(text.out.contains(part), "expected {part} in {}", text.out);
    }
}

#[test]
fn a_squat_in_the_air_is_not() {
    let room = room("certify_lifted");
    let c = certificate(&room, 1, &["lifted.bvh"]);
    sane(&c);
    assert_eq!(c["verdict"], "not consistent");
    assert_eq!(c["findings"][0]["fault"], "float", "{}", c["findings"]);
    let got = room.run(&["certify", "lifted.bvh"]);
    assert_eq!(got.code, 1);
    assert!(got.out.contains("findings, worst first") && got.out.contains("verdict: not consistent"));
    assert!(got.err.contains("no: lifted.bvh is not physically consistent"), "{}", got.err);
}

/// State and reason of a lamp.
fn lamp<'a>(result: &'a Value, name: &str) -> (&'a str, &'a str) {
    let lamp = &result["lamps"][name];
    (lamp["state"].as_str().expect("a state"), lamp["reason"].as_str().expect("a reason"))
}

#[test]
fn lamps_say_why_and_what_is_assumed() {
    let room = room("certify_lamps");
    let c = certificate(&room, 0, &["squat.bvh"]);
    assert_eq!(lamp(&c, "physical").0, "green");
    assert!(c["lamps"]["faithful"].is_null(), "{}", c["lamps"]);
    let (state, reason) = lamp(&c, "certain");
    assert!(
        state == "amber" && reason.contains("soles are estimated") && reason.contains("mass"),
        "{reason}"
    );
    let c = certificate(&room, 1, &["lifted.bvh"]);
    let what = c["findings"][0]["what"].as_str().expect("a text");
    assert_eq!(lamp(&c, "physical"), ("red", what));
    // a given figure is certain; its limits are not widened
    room.run(&["convert", "squat.bvh", "squat.json"]);
    let c = certificate(&room, 0, &["squat.json"]);
    assert_eq!((lamp(&c, "certain").0, number(&c, "/uncertainty/sole_m")), ("green", 0.0));
    let text = room.run(&["certify", "squat.bvh"]).out;
    assert!(text.contains("verdict: consistent\n\u{2713} physical   ! certain\n  certain: soles"), "{text}");
    let page = room.run(&["certify", "lifted.bvh", "--report", "x.html"]);
    assert_eq!(page.code, 1);
    let page = room.read("x.html");
    for part in ["<b>physical: no</b>", "lamp red", "<b>certain: with reservations</b>", "lamp amber"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<b>faithful"));
}

#[test]
fn estimated_soles_do_not_excuse_flat_feet_below_the_ground() {
    let room = room("certify_flat");
    room.run(&["convert", "squat.bvh", "squat.json"]);
    for (ground, code) in [("0.02", 0), ("0.045", 1)] {
        for (file, soles) in [("squat.bvh", 0.03), ("squat.json", 0.0)] {
            let c = certificate(&room, code, &[file, "--ground", ground]);
            assert_eq!(number(&c, "/uncertainty/sole_m"), soles, "{file}");
            assert_eq!(c["uncertainty"]["explained"], serde_json::json!([]), "{file}");
            let weight = number(&c, "/figure/mass_kg") * 9.81;
            let limit = number(&c, "/uncertainty/moment_limit_Nm") / weight;
            assert!((limit - 0.05 - soles).abs() < 1e-9, "{file}: {limit}");
            assert!(!lamp(&c, "certain").1.contains("within the uncertainty"), "{file}");
        }
    }
}

#[test]
fn a_cutoff_that_empties_the_motion_is_refused() {
    let room = room("certify_cutoff");
    for cutoff in ["0.000001", "0.3"] {
        for file in ["squat.bvh", "lifted.bvh"] {
            refused(
                &room,
                &[file, "--cutoff", cutoff],
                &[&format!("{cutoff} Hz"), "too low", "use at least"],
            );
        }
    }
    for cutoff in ["6", "10", "none"] {
        certificate(&room, 0, &["squat.bvh", "--cutoff", cutoff]);
        certificate(&room, 1, &["lifted.bvh", "--cutoff", cutoff]);
    }
}

#[test]
fn a_report_is_self_contained() {
    let room = room("certify_report");
    for (file, code, verdict) in [("squat.bvh", 0, "consistent"), ("lifted.bvh", 1, "not consistent")] {
        assert_eq!(room.run(&["certify", file, "--report", "x.html"]).code, code);
        let page = room.read("x.html");
        assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
        assert!(page.contains("<svg") && page.to_lowercase().contains(verdict), "{file}");
        for outside in ["src=\"http", "<link", "@import", "url(http", "fetch("] {
            assert!(!page.contains(outside), "{file}: {outside}");
        }
        assert!(page.len() < 3_000_000, "{} bytes", page.len());
    }
    assert!(!room.files().iter().any(|f| f.contains("tmp")), "{:?}", room.files());
    refused(&room, &["squat.bvh", "--report", "none/x.html"], &["none/x.html"]);
}

#[test]
fn options_for_the_person_act() {
    let room = room("certify_person");
    let plain = certificate(&room, 0, &["squat.bvh"]);
    let c = certificate(&room, 0, &["squat.bvh", "--mass", "100"]);
    assert!((number(&c, "/figure/mass_kg") - 100.0).abs() < 1e-9 && notes(&c).contains("100.0 kg, as given"));
    let ratio = 100.0 / number(&plain, "/figure/mass_kg");
    assert!((number(&c, "/torque_peak_Nm") / number(&plain, "/torque_peak_Nm") - ratio).abs() < 1e-3 * ratio);
    assert!((number(&c, "/grf/peak_bw") - number(&plain, "/grf/peak_bw")).abs() < 1e-3);
    let c = certificate(&room, 0, &["squat.bvh", "--height", "1.9"]);
    assert!((number(&c, "/figure/stature_m") - 1.9).abs() < 1e-9 && notes(&c).contains("1.900 m, as given"));
    let mass = |sex: &str| number(&certificate(&room, 0, &["squat.bvh", "--sex", sex]), "/figure/mass_kg");
    assert!(
        mass("female") < number(&plain, "/figure/mass_kg")
            && number(&plain, "/figure/mass_kg") < mass("male")
    );
    // toes add two ball joints; hinge knees remove four coordinates; elbows that do not turn are noted
    let dof = |c: &Value| number(c, "/figure/dof");
    let c = certificate(&room, 0, &["squat.bvh", "--toes"]);
    assert_eq!(dof(&c), dof(&plain) + 6.0);
    let c = certificate(&room, 0, &["squat.bvh", "--hinges"]);
    assert_eq!(dof(&c), dof(&plain) - 4.0);
    assert!(
        notes(&c).contains("left_elbow does not rotate about one axis and stays a ball joint"),
        "{}",
        notes(&c)
    );
    let c = certificate(&room, 0, &["squat.bvh", "--figure", "human-28"]);
    assert!(notes(&c).contains("retargeted to human-28"), "{}", notes(&c));
    assert!((number(&c, "/figure/stature_m") - number(&plain, "/figure/stature_m")).abs() < 1e-9);
}

#[test]
fn parts_can_be_named() {
    let room = room("certify_parts");
    // a skeleton with meaningless names and a right knee called tail
    let strange = people::squat(|_| [0.0; 3]).replace("mixamorig:RightLeg", "tail");
    room.write("strange.bvh", strange);
    room.write("parts.toml", "[parts]\n\"tail\" = \"right_shank\"\n");
    let c = certificate(&room, 0, &["strange.bvh", "--parts", "parts.toml"]);
    assert_eq!(number(&c, "/contact/frames"), FRAMES as f64);
    room.write("parts.toml", "[parts]\n\"tial\" = \"right_shank\"\n");
    refused(
        &room,
        &["strange.bvh", "--parts", "parts.toml"],
        &["tial", "no bone or link has this name", "tail"],
    );
    room.write("parts.toml", "[parts]\n\"tail\" = \"right_flipper\"\n");
    refused(
        &room,
        &["strange.bvh", "--parts", "parts.toml"],
        &["parts.toml:2:", "right_flipper", "right_shank"],
    );
    room.write("parts.toml", "[limbs]\n");
    refused(&room, &["strange.bvh", "--parts", "parts.toml"], &["parts.toml:1:", "limbs", "parts"]);
    refused(&room, &["squat.bvh", "--parts", "none.toml"], &["none.toml: No such file"]);
}

#[test]
fn options_for_forces_act() {
    let room = room("certify_forces");
    let c = certificate(&room, 0, &["squat.bvh", "--cutoff", "none"]);
    assert!(c["cutoff"]["hz"].is_null());
    let c = certificate(&room, 0, &["squat.bvh", "--cutoff", "10"]);
    assert_eq!((number(&c, "/cutoff/hz"), &c["cutoff"]["why"]), (10.0, &"as requested".into()));
    // a ground 20 cm too low: the person floats
    let c = certificate(&room, 1, &["squat.bvh", "--ground", "-0.2"]);
    assert_eq!((number(&c, "/ground/height_m"), &c["findings"][0]["fault"]), (-0.2, &"float".into()));
    // 6 cm too high: penetration
    let c = certificate(&room, 1, &["squat.bvh", "--ground", "0.06"]);
    assert_eq!(c["findings"][0]["fault"], "penetration");
    assert!((number(&c, "/contact/penetration_max_m") - 0.06).abs() < 0.015);
    // swaying sideways on ice
    room.write("sway.bvh", people::sway());
    let slips = |mu: &str| {
        number(&certificate_of(&room, &["sway.bvh", "--friction", mu]), "/contact/friction_violations")
    };
    assert!(slips("0.01") > 10.0 && slips("0.8") == 0.0);
}

/// The result with any verdict.
fn certificate_of(room: &Room, args: &[&str]) -> Value {
    let got = room.run(&[&["certify"], args, &["--json"]].concat());
    assert!(got.code < 2, "{args:?}: {}", got.err);
    serde_json::from_str(&got.out).expect("JSON")
}

#[test]
fn invalid_arguments_are_refused() {
    let room = room("certify_nonsense");
    for (option, value, said) in [
        ("--height", "0", "above zero"),
        ("--height", "-1.8", "above zero"),
        ("--height", "tall", "above zero"),
        ("--height", "NaN", "above zero"),
        ("--height", "18", "0.4 to 2.8 m"),
        ("--mass", "-70", "above zero"),
        ("--mass", "inf", "above zero"),
        ("--mass", "5000", "1 to 700 kg"),
        ("--sex", "robot", "female, male"),
        ("--cutoff", "-6", "expected Hz above zero, `auto` or `none`"),
        ("--cutoff", "fast", "expected Hz above zero, `auto` or `none`"),
        ("--ground", "low", "expected a number"),
        ("--ground", "NaN", "expected a number"),
        ("--friction", "0", "above zero"),
        ("--friction", "-0.5", "above zero"),
        ("--fps", "60", "--fps applies only to .amc files"),
        ("--asf", "s.asf", "--asf applies only to .amc files"),
        ("--figure", "humam-28", "did you mean `human-28`"),
        ("--figure", "none.urdf", "none.urdf: No such file"),
    ] {
        refused(&room, &["squat.bvh", option, value], &[said]);
    }
    refused(&room, &[], &["MOTION"]);
    refused(&room, &["none.bvh"], &["none.bvh: No such file"]);
    refused(&room, &["human-28"], &["`human-28` is a figure, not a motion"]);
    refused(&room, &["high-bar"], &["`high-bar` is a scene, not a motion"]);
    refused(&room, &["."], &["`.` is a folder", "anthropi batch"]);
    refused(&room, &["squat.txt"], &["`squat.txt` is not a motion", ".bvh"]);
    refused(&room, &["keyed"], &["there is no built-in motion `keyed`", "keyed-walk", ".bvh"]);
}

#[test]
fn broken_files_are_refused_with_the_position() {
    let room = room("certify_hostile");
    let whole = people::squat(|_| [0.0; 3]);
    let motion = whole.find("MOTION").unwrap();
    let line = whole[..motion].lines().count();
    // an empty file has no position
    room.write("empty.bvh", "");
    refused(&room, &["empty.bvh"], &["empty.bvh: the file is empty"]);
    let cases: [(&str, Vec<u8>, String); 7] = [
        ("half.bvh", whole.as_bytes()[..motion / 2].to_vec(), "half.bvh:".into()),
        ("cut.bvh", whole.as_bytes()[..whole.len() - 400].to_vec(), "cut.bvh:".into()),
        ("nan.bvh", whole.replacen(" -75 ", " NaN ", 1).into_bytes(), format!("nan.bvh:{}:", line + 4)),
        ("inf.bvh", whole.replacen(" -75 ", " 1e999 ", 1).into_bytes(), format!("inf.bvh:{}:", line + 4)),
        ("many.bvh", whole.replace("Frames: 100", "Frames: 99999999999").into_bytes(), "many.bvh:".into()),
        ("time.bvh", whole.replace("Frame Time: 0.0", "Frame Time: -0.0").into_bytes(), "time.bvh:".into()),
        ("bytes.bvh", vec![0xff; 300], "bytes.bvh:1:".into()),
    ];
    for (file, bytes, said) in cases {
        room.write(file, bytes);
        refused(&room, &[file], &[&said]);
        refused(&room, &[file, "--json", "--report", "x.html"], &[&said]);
        let place = room.run(&["certify", file]).err;
        let place = place.split(&format!("{file}:")).nth(1).unwrap_or("").split(':').take(2);
        assert!(
            place.clone().count() == 2 && place.clone().all(|n| n.parse::<usize>().is_ok()),
            "{file}: {place:?}"
        );
    }
    assert!(!room.files().iter().any(|f| f.ends_with("html") || f.contains("tmp")), "{:?}", room.files());
}

#[test]
fn other_skeletons_are_refused_with_a_reason() {
    let room = room("certify_no_person");
    room.write("snake.bvh", people::snake());
    room.fine(&["convert", "snake.bvh", "snake.glb", "--json"]);
    refused(
        &room,
        &["snake.bvh"],
        &["snake.bvh: ", "no foot was found", "no bone was recognised as the pelvis", "--parts FILE"],
    );
    room.write("short.bvh", people::first_frames(2));
    refused(&room, &["short.bvh"], &["2 frames", "at least three"]);
    room.write("m.trc", crate::motions::TRC);
    refused(&room, &["m.trc"], &["m.trc", "marker positions but no skeleton"]);
    room.write("t.sto", crate::motions::STO);
    refused(&room, &["t.sto"], &["t.sto", "--figure MODEL.osim"]);
    refused(&room, &["t.sto", "--figure", "human-28"], &["t.sto", "--figure MODEL.osim"]);
}

#[test]
fn recorded_motions_are_assessed() {
    let room = Room::new("certify_real");
    for (file, most) in [("bvh/02_01.bvh", 0.04), ("bvh/35_01.bvh", 0.04), ("asfamc/16_15.amc", 0.05)] {
        let Some(path) = data(file) else { return };
        let c = certificate_of(&room, &[&path]);
        sane(&c);
        assert!(number(&c, "/root_residual/force_rms_bw") < most, "{file}: {}", c["root_residual"]);
        assert!((1.0..2.0).contains(&number(&c, "/grf/peak_bw")), "{file}");
    }
    // a jump leaves the ground and obeys gravity
    let jump = certificate_of(&room, &[&data("bvh/13_11.bvh").unwrap()]);
    sane(&jump);
    assert!(number(&jump, "/contact/frames") < number(&jump, "/frames"));
    assert_eq!(number(&jump, "/cutoff/hz"), 15.0);
    assert!(!jump["findings"].to_string().contains("\"gravity\""), "{}", jump["findings"]);
}
