//! `convert`: convert a figure, a scene (as one figure in its initial pose) or a motion to another format.

pub mod motion;

use super::Outcome;
use crate::args::ConvertArgs;
use crate::{motions, outputs, report, source};
use anthropi_app::resolve;
use anthropi_formats::motion::is_motion_out;
use anthropi_motion::note::texts;
use serde_json::json;
use std::path::Path;

/// Reads, writes, and warns about losses.
pub fn run(args: &ConvertArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let output = args.output.display().to_string();
    let (options, subject, edits) = (args.motion.options(), args.person.subject(), args.edit.edits());
    let reads = [&[Some(Path::new(&args.input))][..], &motions::reads(&subject, &edits)];
    outputs::refuse_clashes(&reads.concat(), &[("OUT", Some(&args.output))])?;
    let (mut warnings, mut notes) = (Vec::new(), Vec::new());
    let written = match motions::read(&args.input, &options)? {
        Some(motion) => motion::save(motion, args, &subject, &edits, &mut notes)?,
        None => {
            motions::refuse_options(&options, &args.input)?;
            let loaded = source::load_any(&args.input).map_err(motions::or_motions)?;
            warnings = loaded.warnings;
            match is_motion_out(&args.output) {
                true => motion::save_still(loaded.figure, &args.output)?,
                false => resolve::save_figure(&args.output, &loaded.figure)?,
            }
        }
    };
    report::warnings(&output, &written);
    warnings.extend(written);
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    if !as_json {
        // the file is what was asked for; routine findings about its source are for --verbose
        notes.retain(|n| n.is_warning || report::is_verbose());
    }
    report::show(
        as_json,
        || json!({ "in": args.input, "out": output, "warnings": warnings, "notes": texts(&notes) }),
        || format!("{} -> {output}\n{}", args.input, report::notes(&notes)),
    )?;
    Ok(Outcome::Fine)
}
