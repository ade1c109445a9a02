//! `list`: what comes with the program.

use super::Outcome;
use crate::report;
use anthropi_io::builtin::{self, Builtin};
use serde_json::{Value, json};

/// Lists it.
pub fn run(as_json: bool) -> anyhow::Result<Outcome> {
    let (figures, motions) = (builtin::figures(), builtin::motions());
    let (styles, walks) = (builtin::styles(), builtin::walks());
    let scenes = &[builtin::scenes(), builtin::filterings()].concat()[..];
    if as_json {
        let each = |list: &[Builtin]| -> Vec<Value> {
            list.iter().map(|b| json!({ "name": b.name, "what": b.what })).collect()
        };
        let all = json!({
            "figures": each(figures), "scenes": each(scenes), "motions": each(motions), "styles": each(styles),
            "walks": each(walks),
        });
        report::json(&all)?;
    } else {
        let all = [figures, scenes, motions, styles, walks];
        let width = all.iter().flat_map(|l| l.iter()).map(|b| b.name.len()).max().unwrap_or(0);
        let lines = |list: &[Builtin]| -> String {
            list.iter().map(|b| format!("  {:width$}  {}\n", b.name, b.what)).collect()
        };
        let [figures, scenes, motions, styles, walks] = all.map(lines);
        report::print(&format!(
            "figures\n{figures}\nscenes\n{scenes}\nmotions\n{motions}\nstyles of walking (walk --style)\n{styles}\n\
             walks (walk NAME)\n{walks}"
        ))?;
    }
    Ok(Outcome::Fine)
}
