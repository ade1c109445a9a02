//! ARCHITECTURE.md is true: its paths and functions exist, modules depend only on those above them, citations are listed,
//! and the tests named by files exist.

use super::source::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn page() -> String {
    read(root().join("ARCHITECTURE.md"))
}

/// Words between backticks of a line.
fn ticked(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// First cell of a row of a table, if the line is one.
fn first_cell(line: &str) -> Option<&str> {
    line.strip_prefix("| ")?.split(" |").next()
}

#[test]
fn named_paths_exist() {
    let page = page();
    let folders = ["crates/", "bench/", "docs/", "oracle/", "fixtures/", "web/"];
    let whole = ["docs", "oracle", "fuzz", "web"];
    let words = page.split(|c: char| c.is_whitespace() || "`(),;:".contains(c));
    let paths = words.filter(|w| folders.iter().any(|f| w.starts_with(f)) || whole.contains(w));
    for path in paths.map(|w| w.trim_end_matches('.')) {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names {path}, which does not exist");
    }
}

/// Bare file names: in a table row they belong to its folder, elsewhere to any folder.
#[test]
fn named_files_exist() {
    let endings = ["rs", "ts", "py", "pyi", "toml", "md", "sh", "txt"];
    let all: Vec<String> = ["crates", "web", "docs", "oracle", "bench", "fuzz", "soak"]
        .iter()
        .flat_map(|folder| endings.iter().flat_map(move |e| files(&root().join(folder), e)))
        .map(|p| p.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned())
        .chain(["deny.toml", "README.md", "Cargo.toml"].map(String::from))
        .collect();
    let mut base = None;
    for line in page().lines() {
        if let Some(folder) = section_folder(line) {
            base = Some(folder.to_string());
        } else if line.starts_with('#') {
            base = None;
        }
        let of_row = first_cell(line).and_then(|cell| ticked(cell).find(|w| w.starts_with("crates/")));
        let folder = of_row.map(String::from).or_else(|| first_cell(line).and(base.clone()));
        let is_file =
            |w: &&str| endings.iter().any(|e| w.ends_with(&format!(".{e}"))) && !w.contains(['*', ' ']);
        for file in ticked(line).filter(is_file) {
            let is_there = |path: &String| {
                path == file
                    || path.ends_with(&format!("/{file}"))
                        && folder.as_ref().is_none_or(|f| path.starts_with(f.as_str()))
            };
            assert!(
                file.starts_with('.') || all.iter().any(is_there),
                "ARCHITECTURE.md names `{file}`, which does not exist{}",
                folder.map_or(String::new(), |f| format!(" in {f}"))
            );
        }
    }
}

/// "In `crates/x/src`, ..." before a table of its files.
fn section_folder(line: &str) -> Option<&str> {
    line.strip_prefix("In `")?.split('`').next().filter(|w| w.starts_with("crates/"))
}

/// `Type::function` and `module::function` in text and diagrams.
#[test]
fn named_functions_exist() {
    let sources: Vec<Source> = ["crates", "bench"]
        .iter()
        .flat_map(|f| rust_files(&root().join(f)))
        .map(|p| Source::read(&p))
        .collect();
    let page = page();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut count = 0;
    for (at, _) in page.match_indices("::") {
        let owner = page[..at].rsplit(|c: char| !is_name(c)).next().unwrap_or_default();
        let name: String = page[at + 2..].chars().take_while(|c| is_name(*c)).collect();
        if owner.is_empty()
            || name.is_empty()
            || owner == "std"
            || page[at + 2 + name.len()..].starts_with("::")
        {
            continue;
        }
        let defines = |s: &Source| {
            let is_owner = s.path.split(['/', '.']).any(|part| part == owner)
                || ["impl ", "enum ", "trait ", "struct ", "> "]
                    .iter()
                    .any(|w| s.code.contains(&format!("{w}{owner}")));
            let has = |word: &str| {
                s.code
                    .match_indices(&format!("{word}{name}"))
                    .any(|(i, m)| !s.code[i + m.len()..].starts_with(is_name))
            };
            is_owner && ["fn ", "struct ", "enum ", "trait ", "mod ", "type ", "    "].iter().any(|w| has(w))
        };
        assert!(sources.iter().any(defines), "ARCHITECTURE.md names `{owner}::{name}`, which does not exist");
        count += 1;
    }
    assert!(count > 40, "only {count} functions are named");
}

#[test]
fn modules_use_only_those_to_their_left() {
    let order = ["spatial", "joint", "model", "algo", "dense", "constraint", "contact", "sim"];
    let src = root().join("crates/dynamics/src");
    for (i, module) in order.iter().enumerate() {
        for file in rust_files(&src.join(module)) {
            let source = Source::read(&file);
            for right in &order[i + 1..] {
                let used = source.code.contains(&format!("crate::{right}"));
                assert!(!used, "{} uses `{right}`, which is to its right", source.path);
            }
        }
    }
}

/// Tables after "In `crates/x/src`, each uses only those above it": dependencies point upwards, and the table is complete.
#[test]
fn modules_use_only_those_above_them() {
    let page = page();
    let mut lines = page.lines();
    let mut tables = 0;
    while let Some(line) = lines.next() {
        let Some(folder) = section_folder(line).filter(|_| line.contains("each uses only those above it"))
        else {
            continue;
        };
        let rows = lines.by_ref().skip(1).take_while(|l| l.starts_with('|')).skip(2);
        let mut rank: BTreeMap<String, usize> = BTreeMap::new();
        for (k, row) in rows.enumerate() {
            let cell = first_cell(row).unwrap_or_else(|| panic!("no row: {row}"));
            for name in ticked(cell) {
                rank.entry(module(Path::new(name))).or_insert(k);
            }
        }
        let src = root().join(folder);
        for file in rust_files(&src) {
            let own = module(file.strip_prefix(&src).expect("inside"));
            if ["lib", "main", "rng"].contains(&own.as_str()) {
                continue;
            }
            let at = *rank.get(&own).unwrap_or_else(|| panic!("{folder}: `{own}` is not in the table"));
            let source = Source::read(&file);
            for used in source.used_modules() {
                let above = rank.get(&used).is_none_or(|k| *k <= at);
                assert!(above, "{} uses `{used}`, which is below `{own}` in the table", source.path);
            }
        }
        for name in rank.keys() {
            let is_there = src.join(name).is_dir() || src.join(format!("{name}.rs")).exists();
            assert!(is_there, "{folder}: `{name}` of the table does not exist");
        }
        tables += 1;
    }
    assert_eq!(tables, 3, "motion, formats and app have such tables");
}

/// `clip/join.rs` and `clip.rs` belong to `clip`.
fn module(path: &Path) -> String {
    let first = path.components().next().map(|c| c.as_os_str().to_string_lossy().into_owned());
    first.unwrap_or_default().trim_end_matches(".rs").to_string()
}

#[test]
fn dynamics_opens_no_file_and_prints_nothing() {
    for file in rust_files(&root().join("crates/dynamics/src")) {
        let text = read(&file);
        for word in ["std::fs", "std::thread", "std::time", "println!", "eprintln!"] {
            assert!(!text.contains(word), "{} uses {word}", file.display());
        }
    }
}

#[test]
fn cited_keys_are_listed() {
    let listed = read(root().join("docs/references.md"));
    for folder in ["crates", "bench"] {
        for file in rust_files(&root().join(folder)) {
            for key in cited(&read(&file)) {
                assert!(
                    listed.contains(&format!("| {key} |")),
                    "{} cites [{key}], not in docs/references.md",
                    file.display()
                );
            }
        }
    }
}

/// Keys such as NY2000 in `[NY2000 eq. 39]`: capitals, four digits, perhaps a letter, at the start of a bracket.
fn cited(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for part in text.split('[').skip(1) {
        let word: String = part.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        let letters = word.chars().take_while(char::is_ascii_uppercase).count();
        let digits = word[letters..].chars().take_while(char::is_ascii_digit).count();
        if (1..=4).contains(&letters) && digits == 4 && word.len() - letters - digits <= 1 {
            keys.push(word);
        }
    }
    keys
}

/// "Checked by: tests below, `tests/clip.rs`": there are such tests.
#[test]
fn tests_that_files_name_exist() {
    for crate_ in ["dynamics", "motion", "formats", "app", "studio", "cli"] {
        let home: PathBuf = root().join("crates").join(crate_);
        for file in rust_files(&home.join("src")) {
            let source = Source::read(&file);
            let header: Vec<&str> = source.text.lines().take_while(|l| l.starts_with("//!")).collect();
            let Some(from) = header.iter().position(|l| l.starts_with("//! Checked by:")) else { continue };
            // the sentence may continue on the next line
            let checks = header[from..].join(" ").replace("//! ", "");
            if checks.contains("tests below") {
                assert!(source.lines().1 > 0, "{} has no tests below", source.path);
            }
            for path in ticked(&checks).filter(|w| w.contains('/') || w.ends_with(".rs")) {
                let near = [
                    home.join(path),
                    root().join(path),
                    file.with_file_name(path),
                    file.with_extension("").join(path),
                ];
                let is_there = near.iter().any(|p| p.exists())
                    || !path.ends_with(".rs") && near.iter().any(|p| p.with_extension("rs").exists());
                assert!(is_there, "{} says it is checked by `{path}`, which does not exist", source.path);
            }
        }
    }
}
