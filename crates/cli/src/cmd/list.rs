//! `list`: what comes with the program.

use super::Outcome;
use crate::report;
use anthropi_io::builtin::{self, Builtin};
use serde_json::{Value, json};

/// Lists it.
pub fn run(as_json: bool) -> anyhow::Result<Outcome> {
    let (figures, motions) = (builtin::figures(), builtin::motions());
    let scenes = &[builtin::scenes(), builtin::filterings()].concat()[..];
    if as_json {
        let each = |list: &[Builtin]| -> Vec<Value> {
            list.iter().map(|b| json!({ "name": b.name, "what": b.what })).collect()
        };
        let all = json!({
            "figures": each(figures), "scenes": each(scenes), "motions": each(motions), "styles": [],
        });
        report::json(&all)?;
    } else {
        let width = figures.iter().chain(scenes).chain(motions).map(|b| b.name.len()).max().unwrap_or(0);
        let lines = |list: &[Builtin]| -> String {
            list.iter().map(|b| format!("  {:width$}  {}\n", b.name, b.what)).collect()
        };
        let [figures, scenes, motions] = [figures, scenes, motions].map(lines);
        report::print(&format!("figures\n{figures}\nscenes\n{scenes}\nmotions\n{motions}"))?;
    }
    Ok(Outcome::Fine)
}
