//! Installation: completions, manual pages, licences.

use crate::room::Room;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The commands, as the program's own help names them.
pub fn commands(room: &Room) -> Vec<String> {
    let help = room.run(&["--help"]).out;
    let list =
        help.split("Commands:\n").nth(1).and_then(|h| h.split("\n\n").next()).expect("a list of commands");
    // lines that go on are farther to the right
    let begins = list.lines().filter_map(|l| l.strip_prefix("  ")).filter(|l| !l.starts_with(' '));
    begins.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help").map(String::from).collect()
}

#[test]
fn shells_complete_every_command() {
    let room = Room::new("completions");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let got = room.run(&["completions", shell]);
        assert!(got.code == 0 && got.err.is_empty(), "{shell}: {}", got.err);
        assert!(commands(&room).iter().all(|c| got.out.contains(c.as_str())), "{shell}");
        assert!(got.out.contains("step-frequency"), "{shell}: options of `walk`");
    }
    room.refused(&["completions", "tcsh"], &["tcsh", "bash", "zsh", "fish", "powershell"]);
    assert!(
        room.fine(&["completions", "bash", "--json"])["script"].as_str().unwrap().contains("complete -F")
    );
}

#[test]
fn bash_takes_the_completions() {
    let room = Room::new("bash_completions");
    room.write("anthropi.bash", room.run(&["completions", "bash"]).out);
    let script = "source anthropi.bash && COMP_WORDS=(anthropi insp) COMP_CWORD=1 && \
                  _anthropi anthropi insp anthropi && echo ${COMPREPLY[@]}";
    let Ok(got) = Command::new("bash").args(["-c", script]).current_dir(room.path("")).output() else {
        return; // a machine without bash
    };
    assert_eq!(
        String::from_utf8_lossy(&got.stdout).trim(),
        "inspect",
        "{}",
        String::from_utf8_lossy(&got.stderr)
    );
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let room = Room::new("man");
    let result = room.fine(&["man", "man1", "--json"]);
    let all = commands(&room);
    assert_eq!(result["pages"].as_array().unwrap().len(), all.len() + 1);
    for command in &all {
        let page = room.read(&format!("man1/anthropi-{command}.1"));
        assert!(page.starts_with(".ie") || page.starts_with(".TH"), "{command}: {}", &page[..80]);
        assert!(
            page.contains("Example:") && page.contains(&format!("anthropi {command}")),
            "{command}: {page}"
        );
    }
    assert!(room.run(&["man"]).out.contains("anthropi\\-walk(1)"));
    room.write("taken", "");
    room.refused(&["man", "taken"], &["taken: "]);
}

#[test]
fn licences_tell_of_every_crate_in_the_program() {
    let result = Room::new("licences").run(&["licences"]).out;
    let is_crate = |line: &&str| !line.starts_with([' ', '=']) && line.contains(": ");
    let listed: BTreeSet<&str> =
        result.split("The page of the studio").next().unwrap().lines().filter(is_crate).collect();
    let listed: BTreeSet<&str> = listed.iter().filter_map(|l| l.split(": ").next()).collect();
    let again = "run crates/cli/licences.py";

    // linked crates are listed
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = ["tree", "--locked", "--offline", "-p", "anthropi", "-e", "normal,build", "--prefix", "none"];
    let got = Command::new(env!("CARGO")).args(tree).current_dir(&root).output().expect("cargo runs");
    let got = String::from_utf8(got.stdout).expect("UTF-8");
    let linked = got.lines().filter(|l| !l.contains("crates/") && !l.trim().is_empty());
    let mut count = 0;
    for line in linked {
        let name = line.replacen(" v", " ", 1).split(" (").next().unwrap().to_string();
        assert!(
            listed.contains(name.as_str()),
            "`{name}` is in the program and not in licences.txt: {again}"
        );
        count += 1;
    }
    assert!(count > 30, "{count} crates: {got}");

    // listed crates are locked
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).expect("the lock file");
    for name in &listed {
        let (name, version) = name.split_once(' ').expect("name and version");
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(
            lock.contains(&entry),
            "`{name} {version}` is in licences.txt and not in Cargo.lock: {again}"
        );
    }
    for licence in ["== MIT ==", "== Apache-2.0 ==", "three ", "uplot "] {
        assert!(result.contains(licence), "{licence}");
    }
}
