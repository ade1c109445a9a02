use crate::figures::{BRICK_TOML, CHAIN_TOML, PENDULUM_URDF};
use crate::room::{Room, assert_near};
use serde_json::json;

#[test]
fn a_brick_falls_freely() {
    let room = Room::with("simulate_brick", &[("brick.toml", BRICK_TOML)]);
    let run =
        room.fine(&["simulate", "brick.toml", "--duration", "0.5", "--dt", "0.01", "--out", "run", "--json"]);
    assert_eq!((&run["steps"], &run["dt"], &run["duration"]), (&json!(50), &json!(0.01), &json!(0.5)));
    assert_eq!(run["diverged"], false);
    assert_eq!(run["events"], json!([{ "t": 0.0, "what": "start", "coordinates": 6 }]));
    assert_eq!(run["closure_error"], json!({ "max_m": 0.0, "max_rad": 0.0 }));
    let nothing = json!({ "steps": 0, "passes_max": 0, "passes_mean": 0.0, "fallbacks": 0, "violations": 0, "cuts": 0, "unsolved": 0,
        "impacts": 0, "penetration_max_m": 0.0 });
    assert_eq!(run["contact"], nothing);
    for field in ["p50", "p99"] {
        assert!(run["us_per_step"][field].as_f64().unwrap() > 0.0);
    }
    assert_near(&run["energy"]["start"], &[0.0]);
    assert!(run["energy"]["max_drift"].as_f64().unwrap() < 1e-9, "{}", run["energy"]);

    let saved: serde_json::Value = serde_json::from_str(&room.read("run/summary.json")).unwrap();
    assert_eq!(saved, run);
    let table = room.read("run/trajectory.csv");
    let lines: Vec<&str> = table.lines().collect();
    let q: Vec<String> = (0..7).map(|k| format!("q:root.{k}")).collect();
    let v: Vec<String> = (0..6).map(|k| format!("v:root.{k}")).collect();
    assert_eq!(lines[0], format!("t,{},{}", q.join(","), v.join(",")));
    assert_eq!(lines.len(), 52);
    let last: Vec<f64> = lines[51].split(',').map(|x| x.parse().unwrap()).collect();
    // free fall for half a second
    assert_near(&json!([last[0], last[3], last[13]]), &[0.5, -0.5 * 9.81 * 0.25, -9.81 * 0.5]);
}

#[test]
fn the_same_run_gives_the_same_bits() {
    let room = Room::with("simulate_digest", &[("chain.toml", CHAIN_TOML)]);
    for integrator in ["default", "euler", "rk4"] {
        let run = |seed: &str| {
            let args = [
                "simulate",
                "chain.toml",
                "--tumble",
                seed,
                "--integrator",
                integrator,
                "--duration",
                "1",
                "--json",
            ];
            room.fine(&args)["digest"].as_str().unwrap().to_string()
        };
        assert_eq!(run("7"), run("7"), "{integrator}");
        assert_ne!(run("7"), run("8"), "{integrator}");
        assert_eq!(run("7").len(), 16);
    }
}

#[test]
fn a_state_file_starts_and_drives_the_motion() {
    let room = Room::with("simulate_state", &[("pendulum.urdf", PENDULUM_URDF)]);
    // the torque that holds the pendulum where it is
    let hold = 2.0 * 9.81 * 0.5 * 0.5_f64.sin();
    room.write("hold.json", format!(r#"{{"q": {{"hinge": 0.5}}, "tau": {{"hinge": {hold}}}}}"#));
    let args =
        ["simulate", "pendulum.urdf", "--state", "hold.json", "--duration", "0.2", "--out", "run", "--json"];
    let run = room.fine(&args);
    assert!(run["energy"]["max_drift"].as_f64().unwrap() < 1e-9, "{run}");
    let table = room.read("run/trajectory.csv");
    assert!(table.starts_with("t,q:hinge,v:hinge\n0,0.5,0\n"), "{}", &table[..60]);
}

#[test]
fn text_output_has_the_ledger_and_the_energy() {
    let room = Room::new("simulate_text");
    let got = room.run(&["simulate", "human-28", "--duration", "0.1"]);
    assert_eq!(got.code, 0, "{}", got.err);
    for part in ["free base", "kinetic, J", "0.100", "100 steps of 0.001 s"] {
        assert!(got.out.contains(part), "{part}\n{}", got.out);
    }
}

#[test]
fn a_diverging_motion_is_a_negative_result() {
    let room = Room::with("simulate_diverges", &[("chain.toml", CHAIN_TOML)]);
    room.write("wild.json", r#"{"v": {"shoulder": [1e170, 1e170, -1e170], "elbow": 1e170}}"#);
    let got = room.run(&["simulate", "chain.toml", "--state", "wild.json", "--json", "--out", "run"]);
    assert_eq!(got.code, 1, "{}", got.err);
    assert!(got.err.starts_with("no: the motion diverged at t = "), "{}", got.err);
    let summary: serde_json::Value = serde_json::from_str(&got.out).unwrap();
    assert_eq!(summary["diverged"], true);
    assert!(room.read("run/summary.json").contains("\"diverged\": true"));
}
