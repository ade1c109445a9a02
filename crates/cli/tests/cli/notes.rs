//! Notes: at most three without `--verbose`, complete in the JSON; colour on terminals only.

use crate::room::Room;
use std::process::Command;

/// Lines of the section of notes.
fn notes(text: &str) -> Vec<&str> {
    let section = text.split("\nnotes\n").nth(1).expect("notes");
    section.lines().take_while(|line| line.starts_with("  ")).collect()
}

#[test]
fn three_notes_by_default_and_all_of_them_with_verbose() {
    let room = Room::new("notes");
    room.run(&["convert", "keyed-walk", "walk.bvh"]);
    let all = room.json_result("certify", 0, &["walk.bvh"])["notes"].as_array().unwrap().len();
    assert!(all > 3, "{all}");
    let short = room.run(&["certify", "walk.bvh"]);
    let lines = notes(&short.out);
    assert_eq!(lines.len(), 4, "{}", short.out);
    assert!(
        lines[3].ends_with("--verbose") && lines[3].contains(&format!("{} more note", all - 3)),
        "{lines:?}"
    );
    for option in ["--verbose", "-v"] {
        let long = room.run(&["certify", "walk.bvh", option]);
        assert_eq!(notes(&long.out).len(), all, "{}", long.out);
    }
}

#[test]
fn losses_of_every_file_of_a_format_are_routine() {
    let room = Room::new("routine_losses");
    let lost = "masses, shapes and limits of the figure are not written";
    assert!(!room.run(&["convert", "keyed-walk", "a.bvh"]).err.contains(lost));
    assert!(room.run(&["convert", "keyed-walk", "b.bvh", "--verbose"]).err.contains(lost));
    assert!(room.json_result("convert", 0, &["keyed-walk", "c.bvh"])["warnings"].to_string().contains(lost));
}

/// Runs a command in a terminal; `None` without the program `script`.
fn in_a_terminal(room: &Room, args: &str, no_color: &str) -> Option<String> {
    let command = format!("{} {args}", env!("CARGO_BIN_EXE_anthropi"));
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).env("NO_COLOR", no_color).env("TERM", "xterm");
    let got = script.current_dir(room.path("")).output().ok()?;
    Some(String::from_utf8_lossy(&got.stdout).into_owned())
}

#[test]
fn colour_is_for_terminals() {
    let room = Room::new("colour");
    let piped = room.run(&["certify", "keyed-walk"]);
    assert!(!piped.out.contains('\u{1b}') && !piped.err.contains('\u{1b}'), "{piped:?}");
    let (certify, json) = ("certify keyed-walk", "certify keyed-walk --json");
    let Some(coloured) = in_a_terminal(&room, certify, "") else { return };
    assert!(coloured.contains("\u{1b}[1m\u{1b}[32mconsistent\u{1b}[0m"), "{coloured:?}");
    for (args, no_color) in [(certify, "1"), (json, "")] {
        let plain = in_a_terminal(&room, args, no_color).expect("as before");
        assert!(plain.contains("consistent") && !plain.contains("\u{1b}[3"), "{args}: {plain:?}");
    }
}

#[test]
fn old_names_of_options_still_work() {
    let room = Room::new("old_options");
    let com = |option| room.fine(&["compute", "human-28", option, "com", "--json"]);
    assert_eq!(com("--want"), com("--quantities"));
    let tumble = |option| room.run(&["simulate", "human-16", option, "7", "--duration", "0.01"]).code;
    assert_eq!((tumble("--tumble"), tumble("--random-velocities")), (0, 0));
    for (old, new, rest) in [
        ("--job", "--task", ["batch", ".", "--out", "out", "filter"]),
        ("--first", "--initial-torques", ["walk", "--hidds", "--steps", "0", "zero"]),
        ("--real", "--mass-factor", ["walk", "--hidds", "--steps", "0", "chest=2"]),
    ] {
        let run = |option| {
            let (last, first) = rest.split_last().unwrap();
            room.run(&[first, &[option, last]].concat()).err
        };
        assert_eq!(run(old), run(new), "{old}");
        assert!(!run(old).contains("unexpected argument"), "{old}");
    }
}
