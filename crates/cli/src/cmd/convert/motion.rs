//! Writes motions: unchanged if the format allows it, else as the motion of a figure.

use crate::args::ConvertArgs;
use crate::motions;
use anthropi_app::assessment;
use anthropi_app::filter_scene::MotionEdits;
use anthropi_app::loaded_motion::{self, SubjectOptions};
use anthropi_dynamics::model::Figure;
use anthropi_formats::motion::{self, Motion};
use anthropi_formats::{Warning, file};
use anthropi_motion::Clip;
use anthropi_motion::note::Note;
use std::path::Path;
use std::sync::Arc;

/// Writes a motion on the requested figure; returns what the format cannot hold, and adds notes.
pub fn save(
    motion: Motion,
    args: &ConvertArgs,
    subject: &SubjectOptions,
    edits: &MotionEdits,
    notes: &mut Vec<Note>,
) -> anyhow::Result<Vec<Warning>> {
    let output = args.output.as_path();
    let as_it_is = subject.figure.is_none() && edits.is_empty();
    match &motion {
        Motion::Recording(recording) if file::has_extension(output, &["bvh"]) && as_it_is => {
            notes.extend_from_slice(motion.notes());
            Ok(motion::save_recording(output, recording)?)
        }
        Motion::Markers(markers) if as_it_is => {
            notes.extend_from_slice(motion.notes());
            Ok(motion::save_markers(output, markers)?)
        }
        Motion::Table(table) if as_it_is => Ok(motion::save_table(output, table)?),
        _ => {
            let mut warnings = match &motion {
                Motion::Recording(recording) => assessment::rest_pose_warning(recording),
                _ => Vec::new(),
            };
            let read = motions::on_subject(motion, &args.input, subject)?;
            notes.extend(read.notes);
            let clip = motions::edited(read.clip, edits, subject)?;
            warnings.extend(loaded_motion::save(&clip, output)?);
            Ok(warnings)
        }
    }
}

/// Writes a figure as a motion of one frame, its home pose.
pub fn save_still(figure: Figure, output: &Path) -> anyhow::Result<Vec<Warning>> {
    /// Arbitrary for one frame.
    const DT: f64 = 1.0 / 60.0;
    let home = figure.forest().home().to_vec();
    let clip = Clip::new(figure.name.clone(), Arc::new(figure), DT, home)?;
    Ok(motion::save_clip(output, &clip)?)
}
