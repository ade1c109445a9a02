use crate::room::Room;
use serde_json::{Value, json};

const SCENES: [&str; 19] = [
    "pendulum",
    "four-bar",
    "two-link-ground",
    "fig14",
    "fig15",
    "high-bar",
    "swing-break",
    "monkey-swing",
    "rope-lift",
    "drop-box",
    "slide-incline",
    "spin-plate",
    "rocking-block",
    "dominoes",
    "stand-28",
    "step-28",
    "walk-28",
    "fall-28",
    "two-figures-collide",
];

/// Filter scenes.
const FILTERED: [&str; 4] = ["filter-walk", "filter-kick", "filter-turn-30", "push-standing"];

#[test]
fn all_are_listed() {
    let room = Room::new("scenes_list");
    let list = room.fine(&["list", "--json"]);
    let names: Vec<&str> =
        list["scenes"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, [&SCENES[..], &FILTERED].concat());
    let result = room.run(&["list"]).out;
    assert!(result.contains("high-bar") && result.contains("push-standing"), "{result}");
}

#[test]
fn short_runs_stay_closed_and_repeat_bit_for_bit() {
    let room = Room::new("scenes_short");
    for scene in SCENES {
        let run = || room.fine(&["simulate", scene, "--duration", "0.2", "--json"]);
        let first = run();
        assert_eq!(first["steps"], 200, "{scene}");
        assert_eq!(first["diverged"], false, "{scene}");
        for unit in ["max_m", "max_rad"] {
            assert!(
                first["closure_error"][unit].as_f64().unwrap() < 1e-8,
                "{scene}: {}",
                first["closure_error"]
            );
        }
        assert_eq!(first["digest"], run()["digest"], "{scene}");
    }
}

#[test]
fn coordinate_ledgers_match_the_papers() {
    let room = Room::new("scenes_ledger");
    let ledgers = [
        ("two-link-ground", [1, 6, 0, 1], 6, 2),
        ("high-bar", [16, 6, 0, 2], 12, 12),
        ("swing-break", [16, 6, 2, 8], 24, 8),
        ("monkey-swing", [16, 0, 12, 6], 12, 22),
        ("rope-lift", [28, 6, 8, 6], 12, 36),
    ];
    for (scene, [figure, base, environment, connections], rank, free) in ledgers {
        let about = room.fine(&["inspect", scene, "--json"]);
        assert_eq!((&about["kind"], &about["name"]), (&json!("scene"), &json!(scene)));
        let c = &about["coordinates"];
        let ledger =
            json!({ "figure": figure, "base": base, "environment": environment, "connections": connections });
        assert_eq!(c["ledger"], ledger, "{scene}");
        assert_eq!(c["total"], figure + base + environment + connections, "{scene}");
        assert_eq!((&c["rank"], &c["free"]), (&json!(rank), &json!(free)), "{scene}");
    }
    let text = room.run(&["inspect", "high-bar"]).out;
    assert!(text.contains("event at 1.5 s: the right hand lets go"), "{text}");
}

#[test]
fn a_gymnast_lets_go_and_keeps_the_energy() {
    let room = Room::new("scenes_high_bar");
    let run = room.fine(&[
        "simulate",
        "high-bar",
        "--duration",
        "3",
        "--integrator",
        "rk4",
        "--out",
        "run",
        "--json",
    ]);
    let energy = &run["energy"];
    let drift = energy["max_drift"].as_f64().unwrap() / energy["start"].as_f64().unwrap();
    assert!(drift < 1e-6, "{energy}");
    let coordinates: Vec<&Value> =
        run["events"].as_array().unwrap().iter().map(|e| &e["coordinates"]).collect();
    assert_eq!(coordinates, [24, 23, 22]);
    assert_eq!(run["events"][1], json!({ "t": 1.5, "what": "the right hand lets go", "coordinates": 23 }));

    // two grips, then one, then none; every 5 ms
    let forces = room.read("run/forces.csv");
    let lines: Vec<&str> = forces.lines().collect();
    assert_eq!(lines[0], "t,connection,px,py,pz,fx,fy,fz,nx,ny,nz,link,other,cx,cy,cz,state,slip,solver");
    assert!(lines.iter().all(|l| l.split(',').count() == 19), "{}", lines[1]);
    assert!(
        lines[1].contains(",right_hand,bar,,,,,,") || lines[1].contains(",left_hand,bar,,,,,,"),
        "{}",
        lines[1]
    );
    let of = |name: &str| lines.iter().filter(|l| l.contains(name)).count();
    assert_eq!((of(",right_grip,"), of(",left_grip,")), (300, 480));
    assert_eq!(room.read("run/trajectory.csv").lines().count(), 3002);
    for picture in ["frames", "energy", "closure", "forces"] {
        let svg = room.read(&format!("run/{picture}.svg"));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{picture}");
    }
    assert!(room.read("run/frames.svg").contains("1.50 s"));
}

#[test]
fn hands_let_go_on_signals() {
    let room = Room::new("scenes_signals");
    let args = ["simulate", "monkey-swing", "--duration", "0.3", "--json", "--out", "run"];
    let signals = ["--signal", "click_left@0.2", "--signal", "click_right@0.1"];
    let run = room.fine(&[&args[..], &signals].concat());
    let expected = json!([
        { "t": 0.0, "what": "start", "coordinates": 34 },
        { "t": 0.1, "what": "the right hand lets go", "coordinates": 31 },
        { "t": 0.2, "what": "the left hand lets go", "coordinates": 34 },
    ]);
    assert_eq!(run["events"], expected);
    // the free joint's numbers have their columns from the beginning, empty until the hand lets go
    let table = room.read("run/trajectory.csv");
    let columns: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let at = columns.iter().position(|c| *c == "q:left_grip.6").expect("a column");
    let value = |line: usize| table.lines().nth(line).unwrap().split(',').nth(at).unwrap().to_string();
    assert_eq!(value(1), "");
    assert!(value(300).parse::<f64>().is_ok());
    assert!(table.lines().all(|l| l.split(',').count() == columns.len()));

    let got = room.run(&["simulate", "monkey-swing", "--signal", "click_lft@1"]);
    assert_eq!(got.code, 2);
    assert!(got.err.contains("no signal `click_lft`; did you mean `click_left`?"), "{}", got.err);
    assert_eq!(room.run(&["simulate", "monkey-swing", "--signal", "click_left"]).code, 2);
}

#[test]
fn a_scene_may_use_a_figure_beside_it() {
    let room = Room::with("scenes_beside", &[("brick.toml", crate::figures::BRICK_TOML)]);
    room.write(
        "pair.toml",
        "duration = 0.1\n[[figure]]\nuse = \"brick.toml\"\nname = \"a\"\n[[figure]]\nuse = \"brick.toml\"\nname = \"b\"\n\
         at = [1, 0, 0]\n[[connect]]\nname = \"rod\"\na = \"a/brick\"\nb = \"b/brick\"\nkind = \"fixed\"\nlater = true\n\
         [[event]]\nat = 0.05\ndo = \"connect\"\nwhat = \"rod\"\n",
    );
    let run = room.fine(&["simulate", "pair.toml", "--json"]);
    assert_eq!(run["events"][1], json!({ "t": 0.05, "what": "connect rod", "coordinates": 12 }));
    assert_eq!(run["steps"], 100);
    let got = room.run(&["simulate", "pair.toml", "--height", "2"]);
    assert!(got.code == 2 && got.err.contains("--height is for figures"), "{}", got.err);
}

#[test]
fn text_output_has_the_events() {
    let room = Room::new("scenes_text");
    let got = room.run(&["simulate", "fig15", "--duration", "1"]);
    assert_eq!(got.code, 0, "{}", got.err);
    for part in ["at 0.500 s: cut link3 (10 coordinates)", "largest closure error"] {
        assert!(got.out.contains(part), "{part}\n{}", got.out);
    }
}

#[test]
fn wrong_scenes_are_refused() {
    let room = Room::new("scenes_wrong");
    room.write("self.toml", "[[figure]]\nuse = \"human-16\"\n[[connect]]\nname = \"c\"\na = \"head\"\nb = \"head\"\nkind = \"fixed\"\n");
    let got = room.run(&["simulate", "self.toml"]);
    assert_eq!(got.code, 2);
    assert!(got.err.contains("self.toml:6:5: b of connection `c`: joins a link to itself"), "{}", got.err);
    room.write(
        "far.toml",
        "[[figure]]\nuse = \"human-16\"\n[[connect]]\nname = \"c\"\na = \"left_hand\"\nb = \"right_foot\"\n\
                kind = \"fixed\"\na_at = [0, 0, -9]\nb_at = [0, 0, 0]\n",
    );
    let got = room.run(&["inspect", "far.toml"]);
    assert_eq!(got.code, 2);
    assert!(
        got.err.contains("far.toml: the connections cannot be closed") && got.err.contains("`c`"),
        "{}",
        got.err
    );
}

#[test]
fn a_walk_is_inspected_and_simulated() {
    let room = Room::new("scenes_walk");
    let about = room.fine(&["inspect", "walk-28", "--json"]);
    assert_eq!(about["walk"]["speed_m_s"], 1.2);
    let text = room.run(&["inspect", "walk-28"]).out;
    assert!(text.contains("the figure walks 10 steps from rest to rest"), "{text}");
    let run = room.fine(&["simulate", "walk-28", "--json"]);
    assert_eq!(run["duration"], about["walk"]["duration_s"]);
    assert_eq!((&run["diverged"], &run["contact"]["violations"]), (&json!(false), &json!(0)));
    let refused = room.run(&["simulate", "walk-28", "--gravity", "0,0,-1.6"]);
    assert!(refused.code == 2 && refused.err.contains("its walk is planned"), "{}", refused.err);
}
