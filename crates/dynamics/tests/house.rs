//! The house stays in order: files and functions that can be read at a sitting, few places that may panic and each with
//! its reason, crates that use only those below them; and the figures that ARCHITECTURE.md tells of all this are true.

mod tree;

use tree::*;

/// Longest file of source, and longest function.
const FILE: usize = 600;
const FUNCTION: usize = 80;
/// Half of the files are shorter than this.
const MEDIAN: usize = 200;
/// Places that may panic, per thousand lines of a library.
const PANICS: f64 = 3.0;
/// Figures may be off by this part before they have to be written anew; those per line or per thousand lines by this.
const STALE: f64 = 0.06;
const STALE_RATE: f64 = 0.03;

const LIBRARIES: [&str; 3] = ["dynamics", "motion", "io"];
const FRONT_ENDS: [&str; 3] = ["cli", "studio", "py"];

/// Longer functions, each with the reason why it is not cut: it mirrors one algorithm and is read from top to bottom.
const LONG: [(&str, &str, &str); 4] = [
    ("crates/dynamics/src/algo/rnea.rs", "kernel", "recursive Newton-Euler in its two sweeps [F2008 ch. 5]"),
    (
        "crates/dynamics/src/contact/hypothesis.rs",
        "check",
        "the checks of one contact in their order [NY2000J]",
    ),
    (
        "crates/dynamics/src/contact/hypothesis.rs",
        "check_friction",
        "the last of them, by what is thought of the contact",
    ),
    (
        "crates/dynamics/src/sim/midpoint.rs",
        "midpoint_once",
        "one step: half of the way, forces, the other half",
    ),
];

fn sources(name: &str) -> Vec<Source> {
    rust_files(&root().join("crates").join(name).join("src")).iter().map(|p| Source::of(p)).collect()
}

fn all_sources() -> Vec<Source> {
    [LIBRARIES, FRONT_ENDS].concat().into_iter().flat_map(sources).collect()
}

#[test]
fn no_file_is_long() {
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
        assert!(lines <= FILE, "{path} has {lines} lines; look for the second idea in it");
    }
}

#[test]
fn no_function_is_long() {
    let mut excused = LONG.to_vec();
    for source in all_sources() {
        for f in source.functions().into_iter().filter(|f| f.lines > FUNCTION) {
            let excuse = excused.iter().position(|(path, name, _)| source.path == *path && f.name == *name);
            let Some(excuse) = excuse else {
                panic!("{}:{}: `{}` has {} lines; name its parts", source.path, f.line, f.name, f.lines);
            };
            excused.remove(excuse);
        }
    }
    assert!(excused.is_empty(), "excused, and not long: {excused:?}");
}

#[test]
fn panics_are_few_and_have_reasons() {
    for (name, is_library) in LIBRARIES.map(|n| (n, true)).into_iter().chain(FRONT_ENDS.map(|n| (n, false))) {
        let sources = sources(name);
        for s in &sources {
            for p in s.panics() {
                let is_meant = match p.word {
                    // what our own callers break, or what no code can reach
                    "expect" | "assert!" | "assert_eq!" | "unreachable!" => p.has_reason,
                    _ => false,
                };
                assert!(is_meant, "{}:{}: `{}` without a sentence that says why", s.path, p.line, p.word);
            }
        }
        let rate = Figures::of(name, &sources).panics;
        assert!(!is_library || rate < PANICS, "{name}: {rate:.1} places that may panic per thousand lines");
    }
}

#[test]
fn crates_use_only_those_below() {
    let below: [(&str, &[&str]); 6] = [
        ("dynamics", &[]),
        ("motion", &["dynamics"]),
        ("io", &["dynamics", "motion"]),
        ("studio", &["dynamics", "motion", "io"]),
        ("cli", &["dynamics", "motion", "io", "studio"]),
        ("py", &["dynamics", "motion", "io"]),
    ];
    for (name, below) in below {
        for dependency in dependencies(name) {
            if let Some(own) = dependency.strip_prefix("anthropi-") {
                assert!(below.contains(&own), "crates/{name} uses {own}, which is not below it");
            }
            // who has no tools for it does no physics
            let is_for_physics = ["libm", "nalgebra", "glam", "parry3d-f64"].contains(&dependency.as_str());
            assert!(!(is_for_physics && FRONT_ENDS.contains(&name)), "crates/{name} uses {dependency}");
        }
    }
}

/// Front ends ask and show; what is worked out with angles and roots belongs in a library.
#[test]
fn front_ends_hold_no_physics() {
    for source in FRONT_ENDS.into_iter().flat_map(sources) {
        for word in ["libm::", ".sin()", ".cos()", ".sin_cos()", ".tan()", ".atan2(", ".sqrt()", ".hypot("] {
            let at = source.code.find(word);
            assert!(at.is_none(), "{}:{} uses {word}", source.path, source.line(at.unwrap_or(0)));
        }
    }
}

/// Names under `[dependencies]` of a crate, whatever the target; not those of its tests.
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

/// What is told of a crate.
#[derive(Clone, Debug, Default)]
struct Figures {
    name: String,
    source: usize,
    tests: usize,
    median: usize,
    p90: usize,
    longest: (String, usize),
    /// per thousand lines of source
    panics: f64,
}

impl Figures {
    fn of(name: &str, sources: &[Source]) -> Figures {
        let mut lengths: Vec<usize> = Vec::new();
        let mut longest = (String::new(), 0);
        let (mut tests, mut panics) = (0, 0);
        for s in sources {
            let (source, own) = s.lines();
            tests += own;
            panics += s.panics().len();
            if source > 0 {
                lengths.push(source);
            }
            if source > longest.1 {
                longest = (s.path.clone(), source);
            }
        }
        lengths.sort_unstable();
        let source: usize = lengths.iter().sum();
        Figures {
            name: name.into(),
            source,
            tests,
            median: lengths[lengths.len() / 2],
            p90: lengths[lengths.len() * 9 / 10],
            longest,
            panics: 1000.0 * panics as f64 / source as f64,
        }
    }

    /// As a row of the table.
    fn row(&self) -> String {
        format!(
            "| {} | {} | {} | {:.2} | {} | {} | {} ({}) | {:.1} |",
            self.name,
            hundreds(self.source),
            hundreds(self.tests),
            self.tests as f64 / self.source as f64,
            self.median,
            self.p90,
            self.longest.1,
            self.longest.0.rsplit('/').next().unwrap_or_default(),
            self.panics
        )
    }
}

fn hundreds(lines: usize) -> usize {
    (lines + 50) / 100 * 100
}

fn lines_of(folder: &str, endings: &[&str]) -> usize {
    let folder = root().join(folder);
    if !folder.exists() {
        return 0;
    }
    endings.iter().flat_map(|e| files(&folder, e)).map(|f| read(f).lines().count()).sum()
}

/// Crates by themselves, then all that is ours.
fn counted() -> Vec<Figures> {
    let mut rows = Vec::new();
    for name in [LIBRARIES, FRONT_ENDS].concat() {
        let mut row = Figures::of(&format!("`crates/{name}`"), &sources(name));
        row.tests += lines_of(&format!("crates/{name}/tests"), &["rs", "py"]);
        rows.push(row);
    }
    let mut all = Figures::of("all, with Python and `web`", &all_sources());
    all.source += lines_of("crates/py/python", &["py", "pyi"]) + lines_of("web/src", &["ts", "css"]);
    all.tests = rows.iter().map(|r| r.tests).sum::<usize>()
        + lines_of("web/tests", &["mjs", "ts"])
        + lines_of("oracle", &["py", "rs", "mjs", "sh"])
        + lines_of("fuzz", &["rs"]);
    rows.push(all);
    rows
}

#[test]
fn files_are_short_and_the_page_tells_true_figures() {
    let page = read(root().join("ARCHITECTURE.md"));
    let rows = counted();
    let fresh: String = rows.iter().map(|r| r.row() + "\n").collect();
    for row in &rows {
        assert!(row.median < MEDIAN, "{}: half of the files have more than {} lines", row.name, row.median);
        let told = page.lines().find(|l| l.starts_with(&format!("| {} |", row.name)));
        let told: Vec<f64> = told
            .unwrap_or_else(|| panic!("ARCHITECTURE.md tells no figures of {}; they are\n{fresh}", row.name))
            .split('|')
            .skip(2)
            .filter_map(|cell| cell.split_whitespace().next()?.parse().ok())
            .collect();
        let counted = [row.source, row.tests, row.median, row.p90, row.longest.1].map(|n| n as f64);
        let rates = [row.tests as f64 / row.source as f64, row.panics];
        let [source, tests, rate, median, p90, longest, panics] = told[..] else {
            panic!("{}: seven figures are told, not {}; they are\n{fresh}", row.name, told.len());
        };
        let is_near = [source, tests, median, p90, longest]
            .iter()
            .zip(counted)
            .all(|(told, is)| (told - is).abs() <= STALE * is + 10.0)
            && [rate, panics].iter().zip(rates).all(|(told, is)| (told - is).abs() <= STALE_RATE + 0.05 * is);
        assert!(is_near, "ARCHITECTURE.md is stale about {}; its figures are\n{fresh}", row.name);
    }
}

#[test]
fn code_is_told_from_comments_literals_and_tests() {
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
