//! Filter scenes, built in and from files; pushes; push recovery.

use crate::room::Room;
use serde_json::Value;

/// The result of a run with an expected exit code.
#[track_caller]
fn filter(room: &Room, code: i32, args: &[&str]) -> Value {
    room.json_result("filter", code, args)
}

/// The result of a run without a fall and with a consistent output.
#[track_caller]
fn filter_without_fall(room: &Room, args: &[&str]) -> Value {
    let result = filter(room, 0, args);
    assert_eq!(
        (&result["fell"], &result["output"]["verdict"]),
        (&false.into(), &"consistent".into()),
        "{args:?}"
    );
    result
}

/// Direction of the root's path between two frames, degrees, in a motion as CSV.
fn path(text: &str, from: usize, to: usize) -> f64 {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).expect(name);
    let (x, y) = (column("q:root.0"), column("q:root.1"));
    let rows: Vec<Vec<f64>> =
        lines.map(|l| l.split(',').map(|n| n.parse().expect("a number")).collect()).collect();
    let (a, b) = (&rows[from], &rows[to]);
    (b[y] - a[y]).atan2(b[x] - a[x]).to_degrees()
}

#[test]
fn built_in_scenes_do_not_fall_in_both_modes() {
    let room = Room::new("pushes_built_in");
    for mode in ["online", "offline"] {
        for scene in ["filter-walk", "filter-kick", "push-standing"] {
            let result = filter_without_fall(&room, &[scene, "--mode", mode]);
            assert_eq!((&result["mode"], &result["name"]), (&mode.into(), &scene.into()));
        }
    }
    // the default mode is that of the scene
    let result = filter_without_fall(&room, &["push-standing"]);
    assert_eq!((&result["mode"], &result["frames"]), (&"online".into(), &2001.into()));
    assert!(result["notes"].to_string().contains("8 pushes of up to 8.0 N s"), "{}", result["notes"]);
}

/// Tolerance of the path, degrees.
const STRAY: f64 = 5.0;

#[test]
fn filter_turn_30_turns() {
    let room = Room::new("pushes_turn");
    for mode in ["online", "offline"] {
        let result = filter_without_fall(&room, &["filter-turn-30", "--mode", mode, "--out", "turn.csv"]);
        let last = result["frames"].as_u64().unwrap() as usize - 1;
        let text = room.read("turn.csv");
        // first and last cycle, of a second
        let (start, end) = (path(&text, 0, 100), path(&text, last - 100, last));
        assert!(start.abs() < STRAY, "{mode}: begins at {start} degrees");
        assert!((end - start - 30.0).abs() < STRAY, "{mode}: from {start} to {end} degrees");
    }
    // options override the scene
    filter_without_fall(&room, &["filter-turn-30", "--turn", "-20,1,2.5", "--out", "turn.csv"]);
    let end = path(&room.read("turn.csv"), 400, 500);
    assert!((end + 20.0).abs() < STRAY, "{end}");
}

#[test]
fn joined_and_blended_motions_do_not_fall() {
    let room = Room::new("pushes_edit");
    for mode in ["online", "offline"] {
        filter_without_fall(&room, &["keyed-walk", "--join", "keyed-walk", "--fade", "1", "--mode", mode]);
        filter_without_fall(&room, &["keyed-walk", "--blend", "keyed-run", "--mode", mode]);
    }
    filter_without_fall(&room, &["keyed-kick", "--join", "keyed-walk"]);
}

#[test]
fn people_of_any_size_do_not_fall() {
    let room = Room::new("pushes_sizes");
    for (height, mass) in [("1.5", "45"), ("1.95", "110")] {
        for mode in ["online", "offline"] {
            let args = ["keyed-walk", "--height", height, "--mass", mass, "--mode", mode];
            let result = filter_without_fall(&room, &args);
            let figure = &result["input"]["figure"];
            assert!((figure["mass_kg"].as_f64().unwrap() - mass.parse::<f64>().unwrap()).abs() < 1e-9);
        }
    }
}

const SHOVED: &str = r#"
what = "a small walk that is shoved"
motion = "keyed-walk"
height = 1.6
mass = 60
mode = "online"
cut = [0, 2]
rate = 50

[[push]]
at = 0.5
for = 0.2
link = "chest"
force = [0, 30, 0]
"#;

#[test]
fn own_scenes_run_and_options_override_them() {
    let room = Room::with("pushes_own", &[("shoved.toml", SHOVED)]);
    let result = filter_without_fall(&room, &["shoved.toml"]);
    assert_eq!(
        (&result["name"], &result["mode"], &result["frames"]),
        (&"shoved".into(), &"online".into(), &101.into())
    );
    assert_eq!(result["input"]["figure"]["mass_kg"].as_f64().map(f64::round), Some(60.0));
    let result =
        filter_without_fall(&room, &["shoved.toml", "--mode", "offline", "--mass", "80", "--cut", "0,1"]);
    assert_eq!((&result["mode"], &result["frames"]), (&"offline".into(), &51.into()));
    assert_eq!(result["input"]["figure"]["mass_kg"].as_f64().map(f64::round), Some(80.0));
    let result = filter_without_fall(&room, &["shoved.toml", "--push", "head,0.2,0.1,10,0,0"]);
    assert!(result["notes"].to_string().contains("1 push of up to 1.0 N s"), "{}", result["notes"]);
    // motions are relative to the scene file
    std::fs::create_dir(room.path("below")).unwrap();
    room.run(&["convert", "keyed-walk", "below/walk.json", "--cut", "0,1"]);
    room.write("below/beside.toml", "motion = \"walk.json\"");
    assert_eq!(filter_without_fall(&room, &["below/beside.toml"])["frames"], 101);
    // another figure stands
    room.write("stand.toml", "motion = \"stand\"\nfigure = \"human-40\"\nduration = 1\nmass = 90");
    let result = filter_without_fall(&room, &["stand.toml"]);
    assert_eq!(
        (&result["frames"], result["input"]["figure"]["mass_kg"].as_f64().map(f64::round)),
        (&101.into(), Some(90.0))
    );
}

#[test]
fn wrong_scenes_are_refused_with_a_reason() {
    let room = Room::new("pushes_wrong");
    let push = "motion = \"stand\"\n[[push]]\nat = 1\nfor = 0.2\nlink = \"chest\"\nforce = [1, 0, 0]\n";
    for (text, said) in [
        (
            "motion = \"keyed-wolk\"".to_string(),
            "wrong.toml:1:10: motion: there is no built-in motion `keyed-wolk`",
        ),
        ("motion = 3".into(), "wrong.toml:1:10: motion: is a number, expected a string"),
        (
            "motion = \"stand\"\nmode = \"later\"".into(),
            "wrong.toml:2:8: mode: is \"later\", expected one of \"online\", \"offline\"",
        ),
        ("motion = \"stand\"\ncolour = 1".into(), "wrong.toml:2:1: colour: unknown key"),
        ("motion = \"stand\"\nmass = -1".into(), "wrong.toml:2:8: mass: is -1, expected more than zero"),
        (
            "motion = \"stand\"\nfigure = \"human\"".into(),
            "wrong.toml:2:10: figure: there is no built-in figure `human`",
        ),
        ("motion = \"stand\"\nduration = 1e9".into(), "wrong.toml:2:12: duration: is 1000000000"),
        (
            "motion = \"keyed-walk\"\nduration = 1".into(),
            "wrong.toml:2:12: duration: applies to motion = \"stand\" only",
        ),
        ("motion = \"keyed-walk\"\nturn = { degrees = 30, at = 1 }".into(), "over of turn: is missing"),
        ("motion = \"keyed-walk\"\nweight = 0.5".into(), "wrong.toml:2:10: weight: needs `blend`"),
        (
            "motion = \"keyed-walk\"\nrepeat = 1.5".into(),
            "wrong.toml:2:10: repeat: is 1.5, expected an integer",
        ),
        ("motion = \"keyed-walk\"\ncut = [2, 1]".into(), "wrong.toml:2:7: cut: is [2, 1]"),
        ("motion = \"stand".into(), "wrong.toml:1:"),
        (
            push.replace("chest", "tail"),
            "wrong.toml:5:8: link of push 1: there is no link `tail`; `human-28` has pelvis",
        ),
        (push.replace("[1, 0, 0]", "[1, 0]"), "force of push 1: has 2 numbers, expected 3"),
        (push.replace("0.2", "0"), "for of push 1: is 0, expected more than zero"),
        (push.replace("at = 1\n", ""), "at of push 1: is missing"),
        (push.replace("at = 1\n", "at = 9\n"), "push 1 begins at 9 s, but the motion is over at 5.00 s"),
    ] {
        room.write("wrong.toml", &text);
        room.refused(&["filter", "wrong.toml"], &[said]);
    }
}

#[test]
fn wrong_pushes_are_refused() {
    let room = Room::new("pushes_refused");
    let push = |text: &'static str| ["filter", "keyed-walk", "--push", text];
    room.refused(&push("tail,1,0.2,40,0,0"), &["--push: there is no link `tail`", "pelvis, chest, head"]);
    room.refused(&push("chets,1,0.2,40,0,0"), &["did you mean `chest`"]);
    room.refused(&push("chest,1,0.2,40,0"), &["such as chest,1.0,0.2,40,0,0"]);
    room.refused(&push("chest,8,0.2,40,0,0"), &["begins at 8 s, but the motion is over at 3.00 s"]);
    for (args, said) in [
        (&["--survive", "--link", "tail"][..], "--link: there is no link `tail`"),
        (&["--survive", "--at", "2.9"], "until 3.10 s, but the motion is over at 3.00 s"),
        (&["--survive", "--report", "x.pdf"], "expected the extension .svg, .html, .htm"),
        (&["--survive", "--out", "x.bvh"], "cannot be used with"),
        (&["--link", "chest"], "--survive"),
    ] {
        room.refused(&[&["filter", "keyed-walk"], args].concat(), &[said]);
    }
}

#[test]
fn other_commands_name_the_one_that_runs_them() {
    let room = Room::with("pushes_others", &[("shoved.toml", SHOVED)]);
    for scene in ["filter-walk", "shoved.toml"] {
        for command in ["simulate", "compute"] {
            let more: &[&str] = if command == "compute" { &["--want", "com"] } else { &[] };
            let said = format!("`anthropi filter {scene}`");
            room.refused(&[&[command, scene], more].concat(), &[&said]);
        }
    }
    room.refused(&["certify", "filter-walk"], &["`anthropi filter filter-walk`"]);
    let about = room.fine(&["inspect", "push-standing", "--json"]);
    assert_eq!((&about["kind"], &about["figure"]), (&"scene".into(), &"human-28".into()));
    assert_eq!(about["pushes"].as_array().map(Vec::len), Some(8));
    assert_eq!(about["links"].as_array().map(Vec::len), Some(13));
    assert_eq!(about["run_by"], "anthropi filter push-standing");
    let result = room.run(&["inspect", "shoved.toml"]);
    assert!(
        result.code == 0 && result.out.contains("push at 0.5 s for 0.2 s: (0, 30, 0) N on chest"),
        "{result:?}"
    );
}

#[test]
fn the_largest_push_survived_is_found_by_direction() {
    let room = Room::new("pushes_survive");
    let args = ["keyed-walk", "--survive", "--mode", "online", "--directions", "2"];
    let result = filter(&room, 0, &[&args[..], &["--report", "rose.svg"]].concat());
    let all = result["survived"].as_array().unwrap();
    assert!((result["watched_s"].as_f64().unwrap() - 1.8).abs() < 1e-9, "{result}");
    assert_eq!((all.len(), &result["link"], &result["standing"]), (2, &"chest".into(), &false.into()));
    for (one, degrees) in all.iter().zip([0.0, 180.0]) {
        let number = |key: &str| one[key].as_f64().unwrap();
        assert!((number("direction_deg") - degrees).abs() < 1e-9);
        assert!((50.0..=800.0).contains(&number("force_N")), "{one}");
        assert!((number("impulse_Ns") - 0.2 * number("force_N")).abs() < 1e-9, "{one}");
    }
    assert!(room.read("rose.svg").contains("backward"));
    // the push found is survived, a stronger one is not
    let force = all[0]["force_N"].as_f64().unwrap();
    for (force, code) in [(force, 0), (800.0, 1)] {
        let push = format!("chest,1.0,0.2,{force},0,0");
        filter(&room, code, &["keyed-walk", "--mode", "online", "--push", &push]);
    }
}
