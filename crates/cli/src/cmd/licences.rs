//! `licences`: whose work is in the program, and under which terms.

use super::Outcome;
use crate::report;
use serde_json::json;

/// Written by `licences.py` beside it.
const NOTICES: &str = include_str!("../../licences.txt");

/// Prints the notices.
pub fn run(as_json: bool) -> anyhow::Result<Outcome> {
    if as_json {
        report::json(&json!({ "licence": env!("CARGO_PKG_LICENSE"), "notices": NOTICES }))?;
    } else {
        report::print(NOTICES)?;
    }
    Ok(Outcome::Fine)
}
