//! Code limits: lengths of files and functions, panic sites with reasons, dependencies between crates.

use super::source::*;

/// Longest source file and function, lines.
const MAX_FILE_LINES: usize = 600;
const MAX_FUNCTION_LINES: usize = 80;
/// Panic sites per thousand lines of a library.
const MAX_PANIC_RATE: f64 = 3.0;

const LIBRARIES: [&str; 4] = ["dynamics", "motion", "formats", "app"];
const FRONT_ENDS: [&str; 3] = ["cli", "studio", "py"];

/// Longer functions, with the reason: each mirrors one algorithm and reads from top to bottom.
const LONG: [(&str, &str, &str); 4] = [
    ("crates/dynamics/src/algo/rnea.rs", "kernel", "recursive Newton-Euler in its two sweeps [F2008 ch. 5]"),
    (
        "crates/dynamics/src/contact/hypothesis.rs",
        "check",
        "the checks of one contact in their order [NY2000J]",
    ),
    ("crates/dynamics/src/contact/hypothesis.rs", "check_friction", "the friction checks, by contact mode"),
    (
        "crates/dynamics/src/sim/midpoint.rs",
        "midpoint_once",
        "one step: half the motion, forces, the other half",
    ),
];

fn sources(name: &str) -> Vec<Source> {
    rust_files(&root().join("crates").join(name).join("src")).iter().map(|p| Source::read(p)).collect()
}

fn all_sources() -> Vec<Source> {
    LIBRARIES.into_iter().chain(FRONT_ENDS).flat_map(sources).collect()
}

#[test]
fn files_are_short() {
    let mut lengths: Vec<(String, usize)> =
        all_sources().into_iter().map(|s| (s.path.clone(), s.lines().0)).collect();
    for (folder, ending) in [
        ("crates/py/python", "py"),
        ("web/src", "ts"),
        ("web/src", "css"),
        ("oracle", "py"),
        ("soak/scenes/src", "rs"),
    ] {
        let files = files(&root().join(folder), ending);
        lengths.extend(files.iter().map(|f| (f.display().to_string(), read(f).lines().count())));
    }
    for (path, lines) in lengths {
        assert!(lines <= MAX_FILE_LINES, "{path} has {lines} lines; split it by ideas");
    }
}

#[test]
fn functions_are_short() {
    let mut excused = LONG.to_vec();
    for source in all_sources() {
        for f in source.functions().into_iter().filter(|f| f.lines > MAX_FUNCTION_LINES) {
            let excuse = excused.iter().position(|(path, name, _)| source.path == *path && f.name == *name);
            let Some(excuse) = excuse else {
                panic!("{}:{}: `{}` has {} lines; split it", source.path, f.line, f.name, f.lines);
            };
            excused.remove(excuse);
        }
    }
    assert!(excused.is_empty(), "no longer long: {excused:?}");
}

#[test]
fn panics_are_few_and_have_reasons() {
    for (name, is_library) in LIBRARIES.map(|n| (n, true)).into_iter().chain(FRONT_ENDS.map(|n| (n, false))) {
        let sources = sources(name);
        for s in &sources {
            for p in s.panics() {
                let is_meant = match p.word {
                    // broken by our own callers, or unreachable
                    "expect" | "assert!" | "assert_eq!" | "unreachable!" => p.has_reason,
                    _ => false,
                };
                assert!(is_meant, "{}:{}: `{}` without a reason", s.path, p.line, p.word);
            }
        }
        let lines: usize = sources.iter().map(|s| s.lines().0).sum();
        let sites: usize = sources.iter().map(|s| s.panics().len()).sum();
        let rate = 1000.0 * sites as f64 / lines as f64;
        assert!(!is_library || rate < MAX_PANIC_RATE, "{name}: {rate:.1} panic sites per thousand lines");
    }
}

#[test]
fn crates_use_only_those_below() {
    let below: [(&str, &[&str]); 7] = [
        ("dynamics", &[]),
        ("motion", &["dynamics"]),
        ("formats", &["dynamics", "motion"]),
        ("app", &["dynamics", "motion", "formats"]),
        ("studio", &["dynamics", "motion", "formats", "app"]),
        ("cli", &["dynamics", "motion", "formats", "app", "studio"]),
        ("py", &["dynamics", "motion", "formats", "app"]),
    ];
    for (name, below) in below {
        for dependency in dependencies(name) {
            if let Some(own) = dependency.strip_prefix("anthropi-") {
                assert!(below.contains(&own), "crates/{name} uses {own}, which is not below it");
            }
            // front ends do no physics
            let is_for_physics = ["libm", "nalgebra", "glam", "parry3d-f64"].contains(&dependency.as_str());
            assert!(!(is_for_physics && FRONT_ENDS.contains(&name)), "crates/{name} uses {dependency}");
        }
    }
}

/// Front ends translate; formulas belong in a library.
#[test]
fn front_ends_hold_no_physics() {
    for source in FRONT_ENDS.into_iter().flat_map(sources) {
        for word in ["libm::", ".sin()", ".cos()", ".sin_cos()", ".tan()", ".atan2(", ".sqrt()", ".hypot("] {
            let at = source.code.find(word);
            assert!(at.is_none(), "{}:{} uses {word}", source.path, source.line(at.unwrap_or(0)));
        }
    }
}

/// Dependencies of a crate for any target, without dev-dependencies.
fn dependencies(name: &str) -> Vec<String> {
    let text = read(root().join("crates").join(name).join("Cargo.toml"));
    let mut names = Vec::new();
    let mut is_in = false;
    for line in text.lines() {
        if line.starts_with('[') {
            is_in = line.trim_end().ends_with("dependencies]") && !line.contains("dev-dependencies");
        } else if is_in && let Some((key, _)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
            names.push(key.trim().split('.').next().unwrap_or_default().to_string());
        }
    }
    names
}

#[test]
fn code_is_separated_from_comments_literals_and_tests() {
    let text = r##"//! a comment with { and "
fn short() -> char { '{' } // }
fn raw<'a>(x: &'a str) -> String {
    let s = r#"fn none() { .unwrap() "#;
    /* panic!( /* nested */ { */
    x.parse::<u8>().expect("digits, checked above");
    assert!(s != "a b");
    assert_eq!(s.len(), [1, 2].len(), "as long as a pair");
    format!("{s}\" }}")
}
#[cfg(test)]
mod tests {
    fn inner() { None::<u8>.unwrap(); }
}
fn last(a: [u8; 3]) -> u8 {
    a.first().copied().unwrap()
}
"##;
    let source = Source::new("crates/x/src/y.rs".into(), text.into());
    assert_eq!(source.lines(), (13, 4));
    let functions: Vec<(String, usize, usize)> =
        source.functions().into_iter().map(|f| (f.name, f.line, f.lines)).collect();
    let expected = [("short", 2, 1), ("raw", 3, 8), ("last", 15, 3)].map(|(n, a, b)| (n.to_string(), a, b));
    assert_eq!(functions, expected);
    let panics: Vec<_> = source.panics().into_iter().map(|p| (p.line, p.word, p.has_reason)).collect();
    assert_eq!(
        panics,
        [(6, "expect", true), (7, "assert!", false), (8, "assert_eq!", true), (16, "unwrap", false)]
    );
}
