//! Acclaim ASF and AMC: a skeleton in one text, motions on it in others.
//!
//! | file | content |
//! |---|---|
//! | `lines.rs` | lines and words with their positions |
//! | `skeleton.rs` | ASF |
//! | `motion.rs` | AMC |
//!
//! A bone rotates about its proximal end, the distal end of its parent. Its rotation relative to the parent is C R C^-1: C
//! from `axis`, R from the values of its `dof`, in order about fixed axes (so the last one is leftmost); all frames are
//! aligned with the world at rest. The root's `position` and `orientation` precede its channels.
//! Source: "Acclaim Skeleton File Definition V1.10" and "Acclaim Format - ASF line Details" (Oxford Metrics).
//! We differ: `length` is interpreted as in the CMU database (0.45: lengths are inches times 0.45) only if it gives a
//! plausible leg length; otherwise the unit is guessed as for BVH.
//! Not here: masses, limits, `:skin`, and dofs that translate or stretch a bone (notes report them).

mod lines;
mod motion;
mod skeleton;

use crate::Error;
use crate::bvh::{GIVEN, checks, convention};
use crate::names::stem;
use anthropi_motion::assumption::Assumption;
use anthropi_motion::note::Note;
use anthropi_motion::recording::{Recording, Up};

pub use crate::bvh::{MAX_BONES, MAX_BYTES, MAX_SAMPLES};

/// Default frame rate, Hz; AMC does not store it.
pub const DEFAULT_RATE: f64 = 120.0;

/// Overrides for what the reader otherwise assumes or guesses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// frame rate, Hz; default [`DEFAULT_RATE`]
    pub rate: Option<f64>,
    /// unit of length, m; from the skeleton's `length` by default
    pub unit: Option<f64>,
    /// up axis; guessed by default
    pub up: Option<Up>,
}

/// Reads a skeleton as a recording of one frame, at rest.
///
/// # Errors
/// The first syntax error.
pub fn read_at_rest(asf: &str, file: &str, options: &Options) -> Result<Recording, Error> {
    let acclaim = skeleton::read(asf, file)?;
    let mut recording = finish(motion::at_rest(&acclaim), &acclaim, options);
    recording.name = stem(file);
    recording.notes.push("a skeleton without a motion: one frame, at rest".into());
    Ok(recording)
}

/// Reads a motion on its skeleton at 120 Hz.
///
/// # Errors
/// The first syntax error in either text, or a motion that does not match the skeleton.
pub fn read(asf: &str, asf_file: &str, amc: &str, amc_file: &str) -> Result<Recording, Error> {
    read_with(asf, asf_file, amc, amc_file, &Options::default())
}

/// As [`read`], with overrides.
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
    recording.name = stem(amc_file);
    let rate = options.rate.filter(|r| *r > 0.0 && r.is_finite());
    recording.dt = 1.0 / rate.unwrap_or(DEFAULT_RATE);
    recording.notes.push(match rate {
        Some(rate) => format!("{rate} frames per second, as given").into(),
        None => Note::warning(format!(
            "{DEFAULT_RATE} frames per second assumed; AMC files do not state the rate"
        ))
        .assuming(Assumption::FrameRate),
    });
    Ok(finish(recording, &acclaim, options))
}

/// Resolves unit and up axis and checks for anomalies.
fn finish(mut recording: Recording, acclaim: &skeleton::Acclaim, options: &Options) -> Recording {
    let inches = 0.0254 / acclaim.length;
    let stated = format!("1/{} inch, from the length in the skeleton", acclaim.length);
    let unit = match options.unit {
        Some(unit) => Some((unit, GIVEN)),
        None => convention::legs_fit(&recording, inches).then_some((inches, stated.as_str())),
    };
    if unit.is_none() {
        let what = format!("length {} in the skeleton does not give a plausible leg length", acclaim.length);
        recording.notes.push(what.into());
    }
    convention::resolve(&mut recording, unit, options.up);
    checks::add_notes(&mut recording);
    recording
}

/// Candidate skeletons of a motion file in its folder, most likely first: of the same name, of a prefix of the name
/// (`16.asf` for `16_15.amc`), the only one.
///
/// ```
/// let folder = ["1.asf", "16.asf", "16_15.amc", "7.asf"];
/// assert_eq!(anthropi_formats::acclaim::skeleton_candidates("clips/16_15.amc", &folder), ["16.asf"]);
/// ```
pub fn skeleton_candidates<'a>(amc_file: &str, folder: &[&'a str]) -> Vec<&'a str> {
    let motion = stem(amc_file).to_ascii_lowercase();
    let is_skeleton = |name: &str| name.to_ascii_lowercase().ends_with(".asf");
    let skeletons: Vec<&str> = folder.iter().copied().filter(|n| is_skeleton(n)).collect();
    let begins = |name: &str| {
        let stem = stem(name).to_ascii_lowercase();
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
