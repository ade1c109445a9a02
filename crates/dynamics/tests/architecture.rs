//! ARCHITECTURE.md stays true: the paths it names exist, modules use only those to their left, cited keys are listed.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.as_ref().display()))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn named_paths_exist() {
    let page = read(root().join("ARCHITECTURE.md"));
    let named =
        page.split('`').skip(1).step_by(2).filter(|w| {
            ["crates/", "bench/", "docs", "oracle", "fixtures/"].iter().any(|p| w.starts_with(p))
        });
    for path in named {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names `{path}`, which does not exist");
    }
}

#[test]
fn modules_use_only_those_to_their_left() {
    let order = ["spatial", "joint", "model", "algo", "constraint", "contact", "sim"];
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (i, module) in order.iter().enumerate() {
        for file in rust_files(&src.join(module)) {
            let text = read(&file);
            for right in &order[i + 1..] {
                let used = text
                    .lines()
                    .any(|l| !l.trim_start().starts_with("//") && l.contains(&format!("crate::{right}")));
                assert!(!used, "{} uses `{right}`, which is to its right", file.display());
            }
        }
    }
}

#[test]
fn dynamics_opens_no_file_and_prints_nothing() {
    for file in rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
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

/// Keys such as NY2000 of `[NY2000 eq. 39]`: capitals, four digits, perhaps a letter, at the start of a bracket.
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
