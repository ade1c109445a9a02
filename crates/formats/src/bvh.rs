//! BVH: a skeleton and its motion as text, in all common dialects.
//!
//! | file | content |
//! |---|---|
//! | `text.rs` | tokens, numbers and positions of a text |
//! | `hierarchy.rs` | the skeleton |
//! | `frames.rs` | the motion |
//! | `convention.rs` | guesses the unit and the up axis; conversion to metres and z up and back |
//! | `checks.rs` | detection of a rest pose in the first frame; anomalies of a recording |
//! | `angles.rs` | Euler angles about any axes, continuous over frames |
//! | `write.rs` | the writer |
//!
//! There is no standard. We assume: position channels replace the OFFSET; rotations are intrinsic, in the order of the
//! channels. Files state neither the unit of length nor the up axis; both are guessed unless given, and notes report the
//! guess.
//!
//! With y up, x here is z of the file, y is x, z is y: a cyclic permutation of axes, hence a rotation; +z (forward) in
//! the file becomes +x. With z up nothing changes.

pub(crate) mod angles;
pub mod checks;
pub(crate) mod convention;
mod frames;
mod hierarchy;
pub(crate) mod text;
mod write;

use crate::Error;
use crate::names::stem;
use anthropi_motion::recording::{Recording, Up};
use text::Cursor;

pub use write::{write, write_with};

/// Longest text read, bytes.
pub const MAX_BYTES: u64 = 256 << 20;
/// Most joints of a skeleton.
pub const MAX_BONES: usize = 4096;
/// Most joints times frames: 32 joints for 72 minutes at 120 Hz, 0.9 GB.
pub const MAX_SAMPLES: usize = 1 << 24;

/// Origin of a unit given by the caller.
pub(crate) const GIVEN: &str = "as given";

/// Overrides for what the reader otherwise guesses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// unit of length, m; guessed from the legs by default
    pub unit: Option<f64>,
    /// up axis; guessed by default
    pub up: Option<Up>,
    /// treat the first frame as part of the motion, even if it looks like a rest pose
    pub keep_first_frame: bool,
}

/// Choice between the two triples of Euler angles that describe a rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Angles {
    /// the second angle from -90 to 90 degrees (0 to 180 if first and third axis are the same), as in nearly all files;
    /// the other two jump by half a turn where it reaches its bounds
    #[default]
    Principal,
    /// nearest to the previous frame, starting with principal ones: no jumps, and the second angle unbounded
    Continuous,
}

/// Reads a recording; unit, up axis and a leading T-pose are guessed and reported in its notes.
///
/// # Errors
/// The first syntax error, with line and column; text beyond [`MAX_BYTES`], [`MAX_BONES`] or
/// [`MAX_SAMPLES`].
///
/// ```
/// let text = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 1 Yrotation\n End Site\n {\n  OFFSET 0 -0.9 0\n }\n}\n\
///             MOTION\nFrames: 2\nFrame Time: 0.01\n0\n90\n";
/// let recording = anthropi_formats::bvh::read(text, "turn.bvh")?;
/// assert_eq!(recording.frames(), 2);
/// # Ok::<(), anthropi_formats::Error>(())
/// ```
pub fn read(text: &str, file: &str) -> Result<Recording, Error> {
    read_with(text, file, &Options::default())
}

/// As [`read`], with overrides.
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, file: &str, options: &Options) -> Result<Recording, Error> {
    let mut cursor = Cursor::new(text, file, MAX_BYTES)?;
    let mut notes = Vec::new();
    let skeleton = hierarchy::read(&mut cursor, &mut notes)?;
    let mut recording = frames::read(&mut cursor, skeleton, notes)?;
    recording.name = stem(file);
    convention::resolve(&mut recording, options.unit.map(|unit| (unit, GIVEN)), options.up);
    if !options.keep_first_frame {
        checks::split_off_rest_pose(&mut recording);
    }
    checks::add_notes(&mut recording);
    Ok(recording)
}
