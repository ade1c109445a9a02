//! Acclaim ASF and AMC: a skeleton in one text, motions on it in others.
//!
//! | part | what it does |
//! |---|---|
//! | `lines.rs` | lines and words with their places |
//! | `skeleton.rs` | ASF |
//! | `motion.rs` | AMC |
//!
//! A bone turns about its near end, which is the far end of its parent. Its turn against the parent is C R C^-1: C
//! from `axis`, R from the values of its `dof`, in their order about fixed axes (so the last one is leftmost); all
//! frames agree with the world's at rest. The root's `position` and `orientation` come before its channels.
//! Source: "Acclaim Skeleton File Definition V1.10" and "Acclaim Format - ASF line Details" (Oxford Metrics).
//! We differ: a `length` of 0.45 is read as in the CMU database, lengths in the file are inches times 0.45, and only
//! if the legs are then those of a person; otherwise the unit is guessed as for BVH.
//! Not here: masses, limits, `:skin`, and dofs that move or stretch a bone (told in the notes when they occur).

mod lines;
mod motion;
mod skeleton;

use crate::Error;
use crate::bvh::{ASKED, convention, oddity, text};
use anthropi_motion::recording::{Recording, Skeleton, Up};

pub use crate::bvh::{MAX_BONES, MAX_BYTES, MAX_PLACES};

/// Frames a second when nothing is said; AMC does not store it.
pub const USUAL_RATE: f64 = 120.0;

/// What a reader should not find out itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// frames a second; [`USUAL_RATE`] if not given
    pub rate: Option<f64>,
    /// metres in a unit of length; from the skeleton's `length` if not given
    pub unit: Option<f64>,
    /// the axis that points up; guessed if not given
    pub up: Option<Up>,
}

/// Reads a skeleton, in metres and z up, with notes on what was found.
///
/// # Errors
/// The first place where the text is not ASF.
pub fn read_skeleton(asf: &str, file: &str) -> Result<(Skeleton, Vec<String>), Error> {
    let acclaim = skeleton::read(asf, file)?;
    let recording = finish(motion::at_rest(&acclaim), &acclaim, &Options::default());
    Ok((recording.skeleton, recording.notes))
}

/// Reads a skeleton as a recording of one frame, at rest.
///
/// # Errors
/// The first place where the text is not ASF.
pub fn read_at_rest(asf: &str, file: &str, options: &Options) -> Result<Recording, Error> {
    let acclaim = skeleton::read(asf, file)?;
    let mut recording = finish(motion::at_rest(&acclaim), &acclaim, options);
    recording.name = text::stem(file);
    recording.notes.push("a skeleton without a motion: one frame, at rest".into());
    Ok(recording)
}

/// Reads a motion on its skeleton at 120 frames a second.
///
/// # Errors
/// The first place where one of the texts is not ASF or AMC, or the motion is not one of this skeleton.
pub fn read(asf: &str, asf_file: &str, amc: &str, amc_file: &str) -> Result<Recording, Error> {
    read_with(asf, asf_file, amc, amc_file, &Options::default())
}

/// As [`read`], with what is known already.
///
/// # Errors
/// As [`read`].
pub fn read_with(
    asf: &str,
    asf_file: &str,
    amc: &str,
    amc_file: &str,
    options: &Options,
) -> Result<Recording, Error> {
    let acclaim = skeleton::read(asf, asf_file)?;
    let mut recording = motion::read(&acclaim, amc, amc_file)?;
    recording.name = text::stem(amc_file);
    let rate = options.rate.filter(|r| *r > 0.0 && r.is_finite());
    recording.dt = 1.0 / rate.unwrap_or(USUAL_RATE);
    recording.notes.push(match rate {
        Some(rate) => format!("{rate} frames a second, as asked"),
        None => format!("{USUAL_RATE} frames a second are assumed; AMC files do not tell"),
    });
    Ok(finish(recording, &acclaim, options))
}

/// Unit, up axis, oddities.
fn finish(mut recording: Recording, acclaim: &skeleton::Acclaim, options: &Options) -> Recording {
    let inches = 0.0254 / acclaim.length;
    let stated = format!("1/{} inch by the length in the skeleton", acclaim.length);
    let unit = match options.unit {
        Some(unit) => Some((unit, ASKED)),
        None => convention::legs_fit(&recording, inches).then_some((inches, stated.as_str())),
    };
    if unit.is_none() {
        let what = format!("length {} in the skeleton does not give the size of a person", acclaim.length);
        recording.notes.push(what);
    }
    convention::settle(&mut recording, unit, options.up);
    oddity::tell(&mut recording);
    recording
}

/// Names of a folder that may hold the skeleton of a motion file, most likely first: of the same name, of the name's
/// beginning (`16.asf` for `16_15.amc`), the only one there.
///
/// ```
/// let folder = ["1.asf", "16.asf", "16_15.amc", "7.asf"];
/// assert_eq!(anthropi_io::acclaim::skeleton_candidates("clips/16_15.amc", &folder), ["16.asf"]);
/// ```
pub fn skeleton_candidates<'a>(amc_file: &str, folder: &[&'a str]) -> Vec<&'a str> {
    let motion = text::stem(amc_file).to_ascii_lowercase();
    let is_skeleton = |name: &str| name.to_ascii_lowercase().ends_with(".asf");
    let skeletons: Vec<&str> = folder.iter().copied().filter(|n| is_skeleton(n)).collect();
    let begins = |name: &str| {
        let stem = text::stem(name).to_ascii_lowercase();
        let rest = motion.strip_prefix(&stem)?;
        (!rest.starts_with(|c: char| c.is_alphanumeric())).then_some(rest.len())
    };
    let mut fitting: Vec<(usize, &str)> =
        skeletons.iter().filter_map(|n| begins(n).map(|left| (left, *n))).collect();
    fitting.sort();
    match (fitting.is_empty(), skeletons.as_slice()) {
        (true, [only]) => vec![*only],
        _ => fitting.into_iter().map(|(_, n)| n).collect(),
    }
}
