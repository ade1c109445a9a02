//! `list`: built-in items.

use super::Outcome;
use crate::report;
use anthropi_app::builtin::{Builtin, FIGURES, FILTER_SCENES, MOTIONS, SCENES, STYLES, WALKS};
use serde_json::json;

/// Prints names and summaries of all built-in items.
pub fn run(as_json: bool) -> anyhow::Result<Outcome> {
    let scenes = [SCENES, FILTER_SCENES].concat();
    let value = || json!({ "figures": FIGURES, "scenes": scenes, "motions": MOTIONS, "styles": STYLES, "walks": WALKS });
    let all = [
        ("figures", FIGURES),
        ("scenes", &scenes),
        ("motions", MOTIONS),
        ("walking styles (walk --style)", STYLES),
        ("walks (walk NAME)", WALKS),
    ];
    let width = all.iter().flat_map(|(_, l)| l.iter()).map(|b| b.name.len()).max().unwrap_or(0);
    let lines = |list: &[Builtin]| -> String {
        list.iter().map(|b| format!("  {:width$}  {}\n", b.name, b.what)).collect()
    };
    report::show(as_json, value, || all.map(|(title, list)| format!("{title}\n{}", lines(list))).join("\n"))?;
    Ok(Outcome::Fine)
}
