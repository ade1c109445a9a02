//! Error messages: place (file and line, field, or option), problem, and expectation or remedy. One line, exit code 2,
//! nothing on standard output.

use crate::room::{Got, Room};

const BVH: &str = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n\
                   MOTION\nFrames: 2\nFrame Time: 0.01\n0 0 0\n0 0 0\n";
const LINK: &str = "name = \"t\"\n[[link]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n";

/// A command line, and what its message must contain: place, problem, expectation.
type Case<'a> = (&'a str, [&'a str; 3]);

fn room(name: &str) -> Room {
    let room = Room::new(&format!("errors_{name}"));
    for ending in ["bvh", "toml", "urdf", "c3d", "npz", "json", "trc", "sto", "osim"] {
        room.write(&format!("empty.{ending}"), "");
        room.write(&format!("noise.{ending}"), b"\x93\xfa\x00\x01\xffnoise\n\x80\x81\n");
    }
    std::fs::create_dir(room.path("folder.bvh")).expect("a folder");
    std::fs::create_dir(room.path("folder")).expect("a folder");
    for (file, text) in [
        ("notes.txt", "hello"),
        ("still.bvh", BVH),
        ("short.bvh", &BVH[..BVH.len() - 3]),
        ("nan.bvh", &BVH.replacen("\n0 0 0\n", "\n0 nan 0\n", 1)),
        ("key.toml", &LINK.replace("mass", "mas")),
        ("nan.toml", &LINK.replace("= 1", "= nan")),
        ("below.toml", &LINK.replace("= 1", "= -1")),
        ("word.toml", &LINK.replace("= 1", "= \"heavy\"")),
        ("nameless.toml", &LINK.replace("name = \"a\"\n", "")),
        ("kind.toml", &format!("{LINK}[link.joint]\nname = \"j\"\nkind = \"revolutte\"\n")),
        ("broken.toml", "name = \"t\"\n[[link\n"),
        (
            "link.urdf",
            "<robot name=\"r\"><link name=\"a\"/><joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>",
        ),
        ("open.urdf", "<robot name=\"r\">\n<link name=\"a\">\n</robot>"),
        ("scene.toml", "[[figure]]\nuse = \"humna-28\"\n"),
        (
            "event.toml",
            "[[figure]]\nuse = \"human-28\"\n[[event]]\nsignal = \"go\"\ndo = \"cutt\"\nwhat = \"x\"\n",
        ),
        ("fast.toml", "name = \"w\"\n[[segment]]\nsteps = 4\nspeed = 9\n"),
        ("sped.toml", "name = \"w\"\n[[segment]]\nsteps = 4\nsped = 1\n"),
        ("filter.toml", "motion = \"keyed-walq\"\n"),
        ("still.toml", "motion = \"still.bvh\"\n"),
        ("push.toml", "motion = \"stand\"\n[[push]]\nat = 1\nfor = 0.2\nlink = \"chest\"\nforce = [1, 2]\n"),
        ("style.toml", "name = \"x\"\narmswing = 3\n"),
        ("parts.toml", "[parts]\nleft_leg = \"x\"\n"),
        ("state.json", "{\"q\": {\"left_kne\": 1}}"),
        ("replay.json", "{\"steps\": 3}"),
    ] {
        room.write(file, text);
    }
    room
}

#[track_caller]
fn check(room: &Room, (line, parts): &Case) -> Got {
    let args: Vec<&str> = line.split_whitespace().collect();
    let got = room.run(&args);
    let said = format!("$ anthropi {line}\n{}", got.err);
    assert_eq!(got.code, 2, "{said}");
    assert!(got.out.is_empty(), "{said}\nand on standard output: {}", got.out);
    assert!(got.err.starts_with("error: "), "{said}");
    for part in parts {
        assert!(got.err.contains(part), "{said}\nlacks: {part}");
    }
    // words of the implementation
    for word in [
        "panicked",
        "os error",
        "Err(",
        "Some(",
        "None",
        "Error {",
        "float literal",
        "..=",
        "non-zero type",
        "EOF",
    ] {
        assert!(!got.err.contains(word), "{said}\nsays `{word}`");
    }
    got
}

/// Errors of files and values: one line.
#[track_caller]
fn check_all(name: &str, cases: &[Case]) {
    let room = room(name);
    for case in cases {
        let got = check(&room, case);
        assert_eq!(got.err.trim_end().lines().count(), 1, "$ anthropi {}\n{}", case.0, got.err);
    }
}

/// Usage errors: one line or a list, and where to read more.
#[track_caller]
fn check_usage(name: &str, cases: &[Case]) {
    let room = room(name);
    for case in cases {
        let got = check(&room, case);
        assert!(got.err.trim_end().ends_with("For more information, try '--help'."), "{}", got.err);
    }
}

#[test]
fn names_and_extensions() {
    check_all(
        "names",
        &[
            (
                "inspect humam-28",
                ["`humam-28`", "there is no file, built-in figure or scene", "did you mean `human-28`?"],
            ),
            ("inspect nothing", ["`nothing`", "there is no file", "Available: human-16"]),
            ("inspect none.bvh", ["none.bvh", "No such file", ""]),
            (
                "inspect notes.txt",
                [
                    "notes.txt",
                    "unknown kind of file",
                    ".toml, .urdf, .xml, .mjcf and .osim; motions are read from .bvh",
                ],
            ),
            ("inspect folder", ["folder", "is a directory", ""]),
            ("inspect folder.bvh", ["folder.bvh", "Is a directory", ""]),
            ("simulate keyed-walk", ["`keyed-walk`", "is a motion", "expected a figure"]),
            ("simulate filter-walk", ["`filter-walk`", "is a filter scene", "`anthropi filter filter-walk`"]),
            ("simulate walk-tour", ["`walk-tour`", "is a walk", "`anthropi walk walk-tour`"]),
            ("certify human-28", ["`human-28`", "is a figure, not a motion", "`anthropi list`"]),
            ("filter keyed-wlk", ["`keyed-wlk`", "no built-in motion", "did you mean `keyed-walk`?"]),
            ("walk walk-tuor", ["`walk-tuor`", "no built-in walk", "did you mean `walk-tour`?"]),
            ("walk --style hapily", ["`hapily`", "no built-in style", "did you mean `happily`?"]),
            ("walk --figure pendulum", ["`pendulum`", "is a scene", "expected a figure"]),
            (
                "filter keyed-walk --push chset,1,0.2,0,60,0",
                ["--push", "no link `chset`", "did you mean `chest`?"],
            ),
            ("simulate high-bar --signal go@1", ["--signal go", "`high-bar`", "has no signals"]),
            (
                "simulate monkey-swing --signal click@1",
                ["--signal", "no signal `click`", "Available: click_right, click_left"],
            ),
            (
                "compute human-28 --want com --state state.json",
                ["state.json: q.left_kne", "no joint", "did you mean `left_knee`?"],
            ),
            ("filter x.fbx", ["`x.fbx`", "is not a motion", "export it as BVH"]),
            ("certify walks/*.bvh", ["`walks/*.bvh`", "is a pattern", "`anthropi batch 'walks/*.bvh'"]),
            ("batch folder --out out", ["folder", "no motion found in", "motions are read from .bvh"]),
        ],
    );
}

#[test]
fn empty_files_and_noise() {
    let empty = ["bvh", "toml", "urdf", "c3d", "npz", "json", "trc", "sto", "osim"]
        .map(|e| format!("inspect empty.{e}"));
    for line in &empty {
        check_all("noise", &[(line, [&line[8..], "the file is empty", ""])]);
    }
    check_all(
        "noise",
        &[
            ("inspect noise.bvh", ["noise.bvh:1:1", "", "expected HIERARCHY"]),
            ("inspect noise.toml", ["noise.toml", "not UTF-8 text", "first bad byte at 0"]),
            ("inspect noise.c3d", ["noise.c3d", "the file has", "expected a header of 512"]),
            ("inspect noise.npz", ["noise.npz: byte 0", "not an NPZ file", "expected `PK`"]),
            ("inspect noise.trc", ["noise.trc:1:1", "not a TRC file", "expected `PathFileType`"]),
            ("inspect noise.json", ["noise.json:1:1", "", "expected value"]),
        ],
    );
}

#[test]
fn fields_of_files() {
    check_all(
        "fields",
        &[
            ("inspect key.toml", ["key.toml:4:1", "mas of link `a`: unknown key", "`mass`"]),
            ("inspect nan.toml", ["nan.toml:4:8: mass of link `a`", "is NaN", "expected a number"]),
            ("inspect below.toml", ["below.toml:4:8: mass of link `a`", "is -1", "expected zero or more"]),
            ("inspect word.toml", ["word.toml:4:8: mass of link `a`", "is a string", "expected a number"]),
            ("inspect nameless.toml", ["nameless.toml:2:1: name of link 1", "is missing", "expected a name"]),
            ("inspect kind.toml", ["kind.toml:8:8: kind", "revolutte", "revolute"]),
            ("inspect broken.toml", ["broken.toml:2:", "", "expected"]),
            (
                "inspect link.urdf",
                ["link.urdf:1:", "found \"b\"", "expected the name of a link of this robot"],
            ),
            ("inspect open.urdf", ["open.urdf:3:1", "robot", "expected"]),
            (
                "simulate scene.toml",
                ["scene.toml:2:7: use of figure 1", "no built-in figure `humna-28`", "`human-28`"],
            ),
            (
                "simulate event.toml",
                ["event.toml:5:6: do of event 1", "is \"cutt\"", "expected one of \"cut\""],
            ),
            (
                "walk fast.toml",
                [
                    "fast.toml:2:1: segment 1",
                    "282 steps per minute are requested (4.70 per second, at 9.00 m/s)",
                    "the maximum is 182",
                ],
            ),
            ("walk sped.toml", ["sped.toml:4:1", "sped of segment 1: unknown key", "`speed`"]),
            (
                "filter filter.toml",
                ["filter.toml:1:10: motion", "no built-in motion `keyed-walq`", "`keyed-walk`"],
            ),
            ("filter push.toml", ["push.toml:6:9: force of push 1", "has 2 numbers", "expected 3"]),
            ("walk --style style.toml", ["style.toml:2:1", "armswing: unknown key", "`arms`"]),
            (
                "certify keyed-walk --parts parts.toml",
                ["parts.toml:2:12: left_leg of parts", "is \"x\"", "\"left_thigh\""],
            ),
            ("inspect short.bvh", ["short.bvh:15:1", "states 2", "ends after 1 frame"]),
            ("inspect nan.bvh", ["nan.bvh:14:3: frame 1, Hips", "`nan`", "expected a finite number"]),
            (
                "simulate replay.json --replay",
                ["replay.json", "not a studio replay", "missing field `source`"],
            ),
        ],
    );
}

#[test]
fn invalid_values() {
    check_all(
        "values",
        &[
            ("walk --speed 9", ["at 9.00 m/s", "282 steps per minute", "the maximum is 182"]),
            ("walk --speed -1", ["the speed of a gait", "is -1", "expected a number above zero"]),
            (
                "walk --turn 900",
                ["the path", "turns by 90 degrees per step", "the maximum is 46: use 20 steps"],
            ),
            ("walk --load 900", ["`anthropi-42`", "a load of 900 kg", "the maximum is its own mass"]),
            (
                "walk walk-tour --speed 1",
                ["--speed", "is for walks without a script", "the segments of `walk-tour` set it"],
            ),
            ("simulate human-28 --dt 0", ["--dt", "is 0", "expected seconds"]),
            ("simulate human-28 --duration -1", ["--duration", "is -1", "expected seconds"]),
            (
                "convert keyed-walk x.csv --cut 30,40",
                ["--cut", "(there is 0.000 to", "is 30; expected a time of the clip"],
            ),
            (
                "convert still.bvh x.csv --height 18",
                ["stature of `still` (as given)", "is 18", "0.4 to 2.8 m, such as 1.7"],
            ),
            ("convert human-28 x.toml --unit 0.01", ["--unit", "not to `human-28`", "applies only to .bvh"]),
            (
                "compute human-28 --want com --generalized root",
                ["--generalized", "neither is requested", "closure and closed_inverse_dynamics"],
            ),
            ("simulate high-bar --height 1.8", ["--height", "`high-bar` is a scene", "is for figures"]),
        ],
    );
}

#[test]
fn output_paths() {
    check_all(
        "places",
        &[
            (
                "convert human-28 x.obj",
                [
                    "x.obj",
                    "unknown kind of file",
                    "figures are written as .toml, .urdf, .xml, .mjcf and .svg",
                ],
            ),
            ("convert human-28 no/x.toml", ["no/x.toml", "the output folder no does not exist", ""]),
            ("convert keyed-walk folder.bvh", ["folder.bvh", "is a directory", ""]),
            ("simulate human-28 --out notes.txt", ["notes.txt", "is a file", "expected a folder"]),
            ("man notes.txt", ["notes.txt", "is a file", "expected a folder"]),
            ("filter keyed-walk --out x.foo", ["x.foo", "", "are written as .bvh"]),
            ("walk --out x.foo", ["x.foo", "", "walks are written as .bvh"]),
            (
                "inverse keyed-walk --out x.foo",
                ["x.foo", "unknown kind of file", "tables are written as .mot, .sto, .csv and .json"],
            ),
            (
                "filter still.toml --out still.bvh",
                ["--out still.bvh", "would be overwritten", "use another name"],
            ),
            (
                "filter still.bvh --out ./still.bvh",
                ["--out ./still.bvh", "would be overwritten", "use another name"],
            ),
            (
                "convert still.bvh folder/../still.bvh",
                ["OUT folder/../still.bvh", "would be overwritten", "another name"],
            ),
            (
                "walk --out x.svg --cycle x.svg",
                ["--out and --cycle", "are both x.svg", "use different names"],
            ),
            (
                "certify still.bvh --report still.bvh",
                ["--report still.bvh", "expected the extension .html", "still.html"],
            ),
            ("walk --report x.pdf", ["--report x.pdf", "expected the extension .html", "x.html"]),
            ("walk --cycle x.png", ["--cycle x.png", "expected the extension .svg", "x.svg"]),
            ("filter keyed-walk --out x", ["x: ", "are written as .bvh", "such as x.bvh"]),
            (
                "filter keyed-walk --survive --report x.pdf",
                ["x.pdf", "", "expected the extension .svg, .html, .htm"],
            ),
        ],
    );
}

#[test]
fn command_lines() {
    check_usage(
        "typed",
        &[
            ("inspekt human-28", ["'inspekt'", "unrecognized subcommand", "'inspect'"]),
            ("inspect", ["<FILE|NAME>", "were not provided", "Usage: anthropi inspect"]),
            ("filter a.bvh b.bvh", ["'b.bvh'", "expected one file", "`anthropi batch` takes many"]),
            ("list x", ["'x'", "unexpected argument", "Usage: anthropi list"]),
            ("walk --sped 1", ["'--sped'", "unexpected argument", "'--speed'"]),
            ("simulate human-28 --dt soon", ["'--dt <S>'", "'soon'", "expected a number"]),
            ("inspect human-28 --height NaN", ["'--height <M>'", "'NaN'", "expected a number"]),
            ("simulate human-28 --integrator magic", ["'--integrator", "'magic'", "default, euler, rk4"]),
            ("simulate high-bar --signal go", ["'--signal <NAME@TIME>'", "'go'", "such as click@1.5"]),
            (
                "compute human-28 --want mas_matrix",
                ["'--quantities <LIST>'", "no quantity `mas_matrix`", "did you mean `mass_matrix`?"],
            ),
            (
                "compute human-28 --want com --gravity 1,2",
                ["'--gravity <X,Y,Z>'", "'1,2'", "three finite numbers such as 0,0,-9.81"],
            ),
            (
                "convert still.bvh x.csv --unit inch",
                ["'--unit <M>'", "'inch'", "expected a number above zero"],
            ),
            ("convert keyed-walk x.csv --turn 30", ["'--turn <DEG,FROM,TO>'", "'30'", "such as 30,0.5,2"]),
            (
                "filter keyed-walk --push chest",
                ["'--push <LINK,AT,FOR,FX,FY,FZ>'", "'chest'", "such as chest,1.0,0.2,40,0,0"],
            ),
            ("filter keyed-walk --mode fast", ["'--mode", "'fast'", "online, offline"]),
            (
                "filter keyed-walk --survive --directions 0",
                ["'--directions <N>'", "'0'", "a whole number from 1 to 360"],
            ),
            ("walk --steps 0", ["'--steps <N>'", "'0'", "a whole number from 1 to 2000"]),
            ("walk --steps 2.5", ["'--steps <N>'", "'2.5'", "a whole number from 1 to 2000"]),
            ("walk --slope 80", ["'--slope <DEG>'", "a slope of 80 degrees", "expected -20 to 20"]),
            ("walk --stairs 0.17", ["'--stairs <RISE,TREAD>'", "'0.17'", "such as 0.17,0.30"]),
            (
                "walk --without list",
                [
                    "'--without <NAME>'",
                    "no determinant `list`",
                    "expected one of pelvic_rotation, pelvic_list",
                ],
            ),
            (
                "walk --determinant foot=9",
                ["'--determinant <NAME=AMOUNT>'", "`foot` is 9", "expected 0 (off) to 1.2"],
            ),
            (
                "certify keyed-walk --cutoff 0",
                ["'--cutoff <HZ>'", "'0'", "expected Hz above zero, `auto` or `none`"],
            ),
            ("batch folder", ["--out <DIR>", "were not provided", "Usage: anthropi batch"]),
            ("completions tcsh", ["'<SHELL>'", "'tcsh'", "bash, elvish, fish, powershell, zsh"]),
        ],
    );
}
