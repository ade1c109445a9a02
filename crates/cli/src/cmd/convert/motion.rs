//! Motions to files: as they are where the format allows it, else as the motion of a figure.

use crate::args::ConvertArgs;
use crate::{edit, motions};
use anthropi_dynamics::model::Figure;
use anthropi_io::motion::{self, Motion};
use anthropi_io::{Warning, judging, moving};
use anthropi_motion::Clip;
use std::path::Path;
use std::sync::Arc;

/// Writes a motion, on the figure that the options ask for; returns what was lost, adds what was found.
pub fn save(motion: Motion, args: &ConvertArgs, notes: &mut Vec<String>) -> anyhow::Result<Vec<Warning>> {
    let output = args.output.as_path();
    let as_it_is = args.person.figure.is_none() && args.edit.is_empty();
    match &motion {
        Motion::Recording(recording) if has_ending(output, &["bvh"]) && as_it_is => {
            notes.extend_from_slice(motion.notes());
            Ok(motion::save_recording(output, recording)?)
        }
        Motion::Markers(markers) if as_it_is => {
            notes.extend_from_slice(motion.notes());
            Ok(motion::save_markers(output, markers)?)
        }
        Motion::Table(table) if as_it_is => Ok(motion::save_table(output, table)?),
        _ => {
            let mut warnings =
                if let Motion::Recording(r) = &motion { judging::lost_on_the_way(r) } else { Vec::new() };
            let read = motions::moving_of(motion, &args.input, &args.person)?;
            notes.extend(read.notes);
            let clip = edit::edited(read.clip, &args.edit, &args.person)?;
            warnings.extend(moving::save(&clip, output)?);
            Ok(warnings)
        }
    }
}

/// Writes a figure as a motion of one frame, as it is declared.
pub fn save_still(figure: Figure, output: &Path) -> anyhow::Result<Vec<Warning>> {
    /// Any time will do for one frame.
    const DT: f64 = 1.0 / 60.0;
    let home = figure.forest().home().to_vec();
    let clip = Clip::new(figure.name.clone(), Arc::new(figure), DT, home)?;
    Ok(motion::save_clip(output, &clip)?)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|e| endings.iter().any(|ending| e.eq_ignore_ascii_case(ending)))
}
