//! What goes out: JSON or text on standard output, everything else on standard error; and folders for files.

use anthropi_io::Warning;
use anyhow::{Context, bail};
use comfy_table::{CellAlignment, Table, presets};
use serde_json::Value;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Prints a command's JSON.
pub fn json(value: &Value) -> anyhow::Result<()> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    print(&text)
}

/// Prints text for people. A reader that has seen enough (`| head`) is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e.into()),
        _ => Ok(()),
    }
}

/// Tells the person something on standard error; there is nobody to tell when that is closed.
pub fn say(kind: &str, what: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {what}");
}

/// Makes a folder, with those above it, if it is not there.
pub fn folder(path: &Path) -> anyhow::Result<()> {
    if path.exists() && !path.is_dir() {
        bail!("{}: is a file; a folder is asked for here", path.display());
    }
    fs::create_dir_all(path).with_context(|| path.display().to_string())
}

/// Tells about what a file holds that is doubtful.
pub fn warnings(file: &str, warnings: &[Warning]) {
    for w in warnings {
        let separator = if w.place.is_some() { ":" } else { ": " };
        say("warning", &format!("{file}{separator}{w}"));
    }
}

/// A table without frame whose columns after the first are numbers.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A number with about six digits.
pub fn number(x: f64) -> String {
    /// Between these, plain notation reads best.
    const PLAIN: std::ops::Range<f64> = 1e-4..1e6;
    let x = x + 0.0; // no negative zeros
    if x == 0.0 || PLAIN.contains(&x.abs()) { format!("{x:.5}") } else { format!("{x:.4e}") }
}
