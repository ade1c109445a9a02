//! Reports of skipped tests, and the recordings whose absence is the most common reason.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reports that a test cannot run here: prints `SKIPPED TEST: REASON` and appends it to the file `$ANTHROPI_SKIPS`.
///
/// # Panics
/// In CI (`CI=true`), which must be able to run every test.
#[track_caller]
pub fn skip(reason: &str) {
    report(reason);
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "skipped in CI: {reason}");
}

/// A file or folder of the recordings beside the repository; if absent, reports the skip, which is allowed in CI too.
pub fn data(path: &str) -> Option<PathBuf> {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    if full.exists() {
        return Some(full);
    }
    report(&format!("no recording shared/data/{path}"));
    None
}

fn report(reason: &str) {
    let thread = std::thread::current();
    let line = format!("SKIPPED {}: {reason}", thread.name().unwrap_or("test"));
    eprintln!("{line}");
    if let Some(file) = std::env::var_os("ANTHROPI_SKIPS") {
        let opened = OpenOptions::new().create(true).append(true).open(file);
        opened
            .and_then(|mut f| f.write_all(format!("{line}\n").as_bytes()))
            .expect("the file of skipped tests");
    }
}
