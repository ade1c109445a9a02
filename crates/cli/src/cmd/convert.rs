//! `convert`: a figure, or that of a scene at its start, from one format to another.

use super::Outcome;
use crate::args::ConvertArgs;
use crate::{report, source};
use anthropi_io::load;
use serde_json::{Value, json};

/// Reads, writes, and tells what was lost on the way.
pub fn run(args: &ConvertArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let mut loaded = source::load_any(&args.input)?;
    let output = args.output.display().to_string();
    let written = load::save(&args.output, &loaded.figure)?;
    report::warnings(&output, &written);
    if as_json {
        loaded.warnings.extend(written);
        let warnings: Vec<Value> = loaded.warnings.iter().map(|w| w.to_string().into()).collect();
        report::json(&json!({ "in": args.input, "out": output, "warnings": warnings }))?;
    } else {
        report::print(&format!("{} -> {output}\n", args.input))?;
    }
    Ok(Outcome::Fine)
}
