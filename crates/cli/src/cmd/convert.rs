//! `convert`: a figure, that of a scene at its start, or a motion, from one format to another.

pub mod motion;

use super::Outcome;
use crate::args::ConvertArgs;
use crate::{motions, outputs, report, source};
use anthropi_io::load;
use anthropi_io::motion::is_motion_out;
use serde_json::{Value, json};
use std::path::Path;

/// Reads, writes, and tells what was lost on the way.
pub fn run(args: &ConvertArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let output = args.output.display().to_string();
    let reads = [&[Some(Path::new(&args.input))][..], &args.edit.reads(), &args.person.reads()];
    outputs::refuse_clashes(&reads.concat(), &[("OUT", Some(&args.output))])?;
    let (mut warnings, mut notes) = (Vec::new(), Vec::new());
    let written = match motions::read(&args.input, &args.motion)? {
        Some(motion) => motion::save(motion, args, &mut notes)?,
        None => {
            motions::refuse_options(&args.motion, &args.input)?;
            let loaded = source::load_any(&args.input).map_err(motions::or_motions)?;
            warnings = loaded.warnings;
            match is_motion_out(&args.output) {
                true => motion::save_still(loaded.figure, &args.output)?,
                false => load::save(&args.output, &loaded.figure)?,
            }
        }
    };
    report::warnings(&output, &written);
    if as_json {
        warnings.extend(written);
        let warnings: Vec<Value> = warnings.iter().map(|w| w.to_string().into()).collect();
        report::json(&json!({ "in": args.input, "out": output, "warnings": warnings, "notes": notes }))?;
    } else {
        report::print(&format!("{} -> {output}\n", args.input))?;
    }
    Ok(Outcome::Fine)
}
