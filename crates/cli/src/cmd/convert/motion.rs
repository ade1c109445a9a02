//! Motions to files: as they are where the format allows it, else as the motion of a figure.

use crate::args::ConvertArgs;
use crate::{edit, motions};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::Figure;
use anthropi_io::motion::{self, Motion};
use anthropi_io::svg::{self, Frame};
use anthropi_io::{Warning, load};
use anthropi_motion::Clip;
use anthropi_motion::recording::Recording;
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
                if let Motion::Recording(r) = &motion { lost_on_the_way(r) } else { Vec::new() };
            let moving = motions::moving_of(motion, &args.input, &args.person)?;
            notes.extend(moving.notes);
            let clip = edit::edited(moving.clip, &args.edit, &args.person)?;
            warnings.extend(save_clip(&clip, output)?);
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

/// Poses from the first frame to the last.
fn strip(clip: &Clip) -> String {
    const POSES: usize = 9;
    let last = clip.frames() - 1;
    let frames: Vec<usize> =
        (0..POSES.min(last + 1)).map(|k| k * last / (POSES - 1).min(last).max(1)).collect();
    let figure = clip.figure();
    let roots = figure.joints().filter(|(_, j)| j.kind == JointKind::Free);
    let root = roots.map(|(handle, _)| figure.forest().joint_place(handle).iq).next();
    let pose = |f: &usize| {
        let mut q = clip.pose(*f).to_vec();
        // side by side, wherever it walks
        if let Some(root) = root {
            q[root..root + 2].fill(0.0);
        }
        Frame { q, label: format!("{:.2} s", clip.time(*f)) }
    };
    svg::strip(figure, &frames.iter().map(pose).collect::<Vec<_>>())
}

/// A motion of a figure as a picture; with the ending of a figure, only that.
pub fn save_clip(clip: &Clip, output: &Path) -> anyhow::Result<Vec<Warning>> {
    if has_ending(output, &["svg"]) {
        load::replace(output, strip(clip).as_bytes())?;
        return Ok(Vec::new());
    }
    if !has_ending(output, &["toml", "urdf", "xml", "mjcf"]) {
        return Ok(motion::save_clip(output, clip)?);
    }
    let mut warnings = load::save(output, clip.figure())?;
    warnings.push(warning("only the figure that moves is written, not its motion"));
    Ok(warnings)
}

/// What a motion of a figure does not keep of a recording.
pub fn lost_on_the_way(recording: &Recording) -> Vec<Warning> {
    let rest = recording.rest.is_some().then(|| warning("the rest pose before the motion is left out"));
    rest.into_iter().collect()
}

fn warning(what: &str) -> Warning {
    Warning { place: None, what: what.into() }
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|e| endings.iter().any(|ending| e.eq_ignore_ascii_case(ending)))
}
