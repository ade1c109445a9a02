//! BVH: a skeleton and its motion as text, in all the dialects we met.
//!
//! | part | what it does |
//! |---|---|
//! | `text.rs` | words, numbers and places of a text |
//! | `hierarchy.rs` | the skeleton |
//! | `frames.rs` | the motion |
//! | `convention.rs` | which unit, which axis is up; to metres and z up and back |
//! | `oddity.rs` | a first frame that is not part of the motion; what is strange about a recording |
//! | `angles.rs` | angles of a rotation about any axes, near those of the frame before |
//! | `write.rs` | the writer |
//!
//! There is no standard. We take: position channels replace the OFFSET; rotations are applied in the order of the
//! channels, each about the axes the former ones left; lengths have no stated unit and the up axis is not stated, so
//! both are guessed unless given, and the guess is told in the notes.
//!
//! With y up, x here is z of the file, y is x, z is y: a cyclic change of axes, hence a rotation, and who faces +z in
//! the file faces +x here. With z up nothing changes.

pub(crate) mod angles;
pub(crate) mod convention;
mod frames;
mod hierarchy;
pub(crate) mod oddity;
pub(crate) mod text;
mod write;

use crate::Error;
use anthropi_motion::recording::{Recording, Up};
use text::Cursor;

pub use write::{write, write_with};

/// Longest text we read, bytes.
pub const MAX_BYTES: u64 = 256 << 20;
/// Most joints of a skeleton.
pub const MAX_BONES: usize = 4096;
/// Most joints times frames: 32 joints for 72 minutes at 120 frames a second, 0.9 GB.
pub const MAX_PLACES: usize = 1 << 24;

/// Where a unit is from that the caller gave.
pub(crate) const ASKED: &str = "as asked";

/// What a reader should not find out itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// metres in a unit of length, above zero; guessed from the legs if not given
    pub unit: Option<f64>,
    /// the axis that points up; guessed if not given
    pub up: Option<Up>,
    /// the first frame is part of the motion, whatever it looks like
    pub keep_first_frame: bool,
}

/// Which angles of a turn are written; two triples give the same turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Angles {
    /// those with the second one from -90 to 90 degrees (0 to 180 if first and third axis are the same), as nearly all
    /// files have it; the other two leap by half a turn where it meets its ends
    #[default]
    Principal,
    /// those nearest to the frame before, beginning with principal ones: no leaps, and the second angle unbounded
    Continuous,
}

/// Reads a recording; unit, up axis and a T-pose in front are found out and told in its notes.
///
/// # Errors
/// The first place where the text is not BVH, with line and column; text beyond [`MAX_BYTES`], [`MAX_BONES`] or
/// [`MAX_PLACES`].
///
/// ```
/// let text = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 1 Yrotation\n End Site\n {\n  OFFSET 0 -0.9 0\n }\n}\n\
///             MOTION\nFrames: 2\nFrame Time: 0.01\n0\n90\n";
/// let recording = anthropi_io::bvh::read(text, "turn.bvh")?;
/// assert_eq!(recording.frames(), 2);
/// # Ok::<(), anthropi_io::Error>(())
/// ```
pub fn read(text: &str, file: &str) -> Result<Recording, Error> {
    read_with(text, file, &Options::default())
}

/// As [`read`], with what is known already.
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, file: &str, options: &Options) -> Result<Recording, Error> {
    let mut cursor = Cursor::new(text, file, MAX_BYTES)?;
    let mut notes = Vec::new();
    let skeleton = hierarchy::read(&mut cursor, &mut notes)?;
    let mut recording = frames::read(&mut cursor, skeleton, notes)?;
    recording.name = text::stem(file);
    convention::settle(&mut recording, options.unit.map(|unit| (unit, ASKED)), options.up);
    if !options.keep_first_frame {
        oddity::set_rest_apart(&mut recording);
    }
    oddity::tell(&mut recording);
    Ok(recording)
}
