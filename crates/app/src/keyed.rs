//! Keyframed motions (TOML): poses at a few times, and feet pinned to the ground. [`anthropi_motion::keyed`] makes the
//! motion.
//!
//! Seconds, metres, degrees. Errors name line, column and field.
//!
//! ```toml
//! name = "sway"                  # optional; default: the file name without extension
//! what = "shifts its weight"     # optional, for lists
//! figure = "human-28"            # a built-in figure
//! fps = 100                      # frames per second
//! duration = 1.2                 # of the motion, or of one cycle
//! balance = true                 # adjust the path of the pelvis until the motion is balanced; default false
//!
//! [cycle]                        # for a periodic motion; duration times fps must be a whole number
//! travel = 1.4                   # distance per cycle at a steady pace, m
//! repeat = 3                     # cycles
//! mirror = true                  # each side repeats the other half a cycle later; give the keys of one side
//!
//! [[key]]                        # in order of time; a joint passes through the keys that name it
//! at = 0.0
//! root = { height = 0.93, ahead = 0, left = 0, bend = 2, tilt = 0, twist = 3 }   # any of these
//! left_knee = 10                 # angles about the joint's axes, or in its rotation order
//! left_hip = [-20, 0, 0]
//!
//! [[pin]]                        # a foot fixed to the ground
//! foot = "left_foot"
//! on = "flat"                    # or "heel", "toe": it turns about that edge
//! from = 0.1
//! to = 0.5
//! ```
//!
//! In a cycle, `ahead` is the deviation of the root from its steady pace, and pins may extend past the end of the cycle.

mod entries;

use crate::builtin;
use crate::resolve::ItemKind;
use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Source, Table};
use anthropi_motion::clip::Clip;
use anthropi_motion::keyed::{Cycle, KeyedMotion};
use std::path::Path;
use std::sync::Arc;

/// Largest file, bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Most keys, and most pins.
pub const MAX_ENTRIES: usize = 1000;
/// Most frames of all cycles.
pub const MAX_FRAMES: f64 = 1e5;
/// Most frames of the motion or of one cycle.
pub const MAX_KEYED_FRAMES: f64 = 1e4;
/// Longest motion or cycle, s.
pub const MAX_DURATION: f64 = 20.0;
/// Range of frames per second.
const FPS: [f64; 2] = [10.0, 1000.0];
/// Tolerance for a whole number of frames in a cycle.
const WHOLE: f64 = 1e-6;
/// Farthest travel, m.
const MAX_TRAVEL: f64 = 100.0;

/// Reads a keyframed motion from `text`; `file` is its name for messages.
///
/// # Errors
/// Text that is not TOML, unknown keys and names, invalid values, pins out of reach, each with file, line, column and
/// field.
pub fn read(text: &str, file: &str) -> Result<Clip, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    let keyed = keyed(&root, file)?;
    let table = root.with_label(format!("motion `{}`", keyed.name));
    keyed.clip().map_err(|e| match e {
        // the label already names the motion
        anthropi_motion::Error::Unsuitable { what, .. } => table.wrong(what),
        other => table.wrong(other.to_string()),
    })
}

/// Reads the keys alone; [`KeyedMotion::clip`] makes the motion.
///
/// # Errors
/// As [`read`], except for pins out of reach.
pub fn read_keys(text: &str, file: &str) -> Result<KeyedMotion, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    keyed(&Table::root(&source, &tree), file)
}

fn keyed(root: &Table, file: &str) -> Result<KeyedMotion, Error> {
    root.allow(&[&["name", "what", "figure", "fps", "duration", "balance", "cycle", "key", "pin"]])?;
    if let Some(what) = root.get("what") {
        what.string()?;
    }
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or(file);
    let name = root.get("name").map_or(Ok(stem), |f| f.string())?;
    let fps = root.require("fps", "frames a second")?.within(FPS)?;
    let field = root.require("duration", "seconds of the motion, or of one cycle")?;
    let duration = field.within([1.0 / fps, MAX_DURATION])?;
    if duration * fps > MAX_KEYED_FRAMES {
        return Err(
            field.wrong(format!("gives {} frames, expected at most {MAX_KEYED_FRAMES}", duration * fps))
        );
    }
    let mut keyed = KeyedMotion {
        name: name.into(),
        figure: Arc::new(figure(root)?),
        fps,
        duration,
        cycle: None,
        tracks: Vec::new(),
        pins: Vec::new(),
        is_balanced: root.flag("balance")?,
    };
    keyed.cycle = root.get("cycle").map(|f| cycle(&f, &field, &keyed)).transpose()?;
    entries::read(root, &mut keyed)?;
    Ok(keyed)
}

fn figure(root: &Table) -> Result<anthropi_dynamics::model::Figure, Error> {
    let field = root.require("figure", "the name of a built-in figure")?;
    let name = field.string()?;
    let all = builtin::names(ItemKind::Figure);
    let loaded = builtin::figure(name).ok_or_else(|| field.unknown("built-in figure", name, all))??;
    Ok(loaded.figure)
}

fn cycle(field: &Field, duration: &Field, keyed: &KeyedMotion) -> Result<Cycle, Error> {
    let table = field.table("cycle")?;
    table.allow(&[&["travel", "repeat", "mirror"]])?;
    let frames = keyed.duration * keyed.fps;
    if (frames - frames.round()).abs() > WHOLE {
        return Err(
            duration.wrong(format!("is {frames:.3} frames, expected a whole number of them in a cycle"))
        );
    }
    let travel = table.get("travel").map_or(Ok(0.0), |f| f.within([-MAX_TRAVEL, MAX_TRAVEL]))?;
    let repeat = match table.get("repeat") {
        None => 1.0,
        Some(field) => {
            let n = field.within([1.0, (MAX_FRAMES / frames).floor()])?;
            if n.fract() != 0.0 {
                return Err(field.wrong(format!("is {n}, expected a whole number of cycles")));
            }
            n
        }
    };
    let is_mirrored = table.flag("mirror")?;
    Ok(Cycle { travel, repeat: repeat as usize, is_mirrored })
}
