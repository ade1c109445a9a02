//! `list`: what comes with the program.

use super::Outcome;
use crate::report;
use anthropi_io::builtin;
use serde_json::{Value, json};

/// Lists it.
pub fn run(as_json: bool) -> anyhow::Result<Outcome> {
    let figures = builtin::figures();
    if as_json {
        let each: Vec<Value> = figures.iter().map(|b| json!({ "name": b.name, "what": b.what })).collect();
        report::json(&json!({ "figures": each, "scenes": [], "motions": [], "styles": [] }))?;
    } else {
        let width = figures.iter().map(|b| b.name.len()).max().unwrap_or(0);
        let lines: String = figures.iter().map(|b| format!("  {:width$}  {}\n", b.name, b.what)).collect();
        report::print(&format!("figures\n{lines}"))?;
    }
    Ok(Outcome::Fine)
}
