//! Motions in keys, in our own format: a few poses, and who stands when. [`anthropi_motion::keyed`] makes the motion.
//!
//! Seconds, metres, degrees. Every complaint names line, column and field.
//!
//! ```toml
//! name = "sway"                  # optional; else the name of the file, without its ending
//! what = "shifts its weight"     # optional, for lists
//! figure = "human-28"            # a built-in figure
//! fps = 100                      # frames a second
//! duration = 1.2                 # of the motion, or of one cycle
//! balance = true                 # change the path of the pelvis until the ground can carry the figure; default no
//!
//! [cycle]                        # for a motion that comes again and again; duration times fps is then a whole number
//! travel = 1.4                   # m ahead in a cycle, at a steady pace
//! repeat = 3                     # cycles
//! mirror = true                  # each side does half a cycle later what the other does; keys of one side are enough
//!
//! [[key]]                        # times rise; a joint passes through the keys that name it, others do not bind it
//! at = 0.0
//! root = { height = 0.93, ahead = 0, left = 0, bend = 2, tilt = 0, twist = 3 }   # any of them
//! left_knee = 10                 # angles of the joint's axes, or of its rotation order
//! left_hip = [-20, 0, 0]
//!
//! [[pin]]                        # a foot that stays where it is
//! foot = "left_foot"
//! on = "flat"                    # or "heel", "toe": it turns about that edge
//! from = 0.1
//! to = 0.5
//! ```
//!
//! In a cycle, `ahead` says how the root differs from its steady pace, and pins may go on past the end of the cycle.

mod entries;

use crate::error::Error;
use crate::fields::{Field, Source, Table};
use crate::{load, shelf};
use anthropi_motion::clip::Clip;
use anthropi_motion::keyed::{Cycle, Keyed};
use std::path::Path;
use std::sync::Arc;

/// Longest text we read.
pub const MAX_BYTES: usize = 1 << 20;
/// Most keys, and most pins.
pub const MAX_ENTRIES: usize = 1000;
/// Most frames of all cycles.
pub const MAX_FRAMES: f64 = 1e5;
/// Most frames of the motion or of one cycle.
pub const MAX_KEYED_FRAMES: f64 = 1e4;
/// Longest motion or cycle, s.
pub const MAX_DURATION: f64 = 20.0;
/// Frames a second.
const FPS: [f64; 2] = [10.0, 1000.0];
/// A cycle is so near to a whole number of frames.
const WHOLE: f64 = 1e-6;
/// Farthest travel, m.
const MAX_TRAVEL: f64 = 100.0;

/// Reads a motion in keys from `text`; `file` is its name for messages.
///
/// # Errors
/// Text that is not TOML, keys and names we do not know, values that cannot be, pins that no leg reaches, each with
/// file, line, column and field.
pub fn read(text: &str, file: &str) -> Result<Clip, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    let keyed = keyed(&root, file)?;
    let table = root.known_as(format!("motion `{}`", keyed.name));
    keyed.clip().map_err(|e| match e {
        // the motion is named already
        anthropi_motion::Error::Unsuitable { what, .. } => table.wrong(what),
        other => table.wrong(other.to_string()),
    })
}

/// Reads the keys alone, from which [`Keyed::clip`] makes the motion.
///
/// # Errors
/// As [`read`], but for pins that no leg reaches.
pub fn read_keys(text: &str, file: &str) -> Result<Keyed, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    keyed(&Table::root(&source, &tree), file)
}

/// The built-in motion of that name.
pub(crate) fn built_in(name: &str) -> Option<Result<Clip, Error>> {
    shelf::find(shelf::MOTIONS, name).map(|b| read(b.text, b.name))
}

/// Whether a text is a motion in keys. Text that is no TOML is none.
pub fn is_keyed(text: &str) -> bool {
    toml::de::DeTable::parse(text).is_ok_and(|t| t.get_ref().contains_key("key"))
}

fn keyed(root: &Table, file: &str) -> Result<Keyed, Error> {
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
    let mut keyed = Keyed {
        name: name.into(),
        figure: Arc::new(figure(root)?),
        fps,
        duration,
        cycle: None,
        tracks: Vec::new(),
        pins: Vec::new(),
        is_balanced: root.get("balance").map_or(Ok(false), |f| f.bool())?,
    };
    keyed.cycle = root.get("cycle").map(|f| cycle(&f, &field, &keyed)).transpose()?;
    entries::read(root, &mut keyed)?;
    Ok(keyed)
}

fn figure(root: &Table) -> Result<anthropi_dynamics::model::Figure, Error> {
    let field = root.require("figure", "the name of a built-in figure")?;
    let name = field.string()?;
    let all = shelf::names(shelf::FIGURES);
    let loaded = load::built_in(name).ok_or_else(|| field.unknown("built-in figure", name, all))??;
    Ok(loaded.figure)
}

fn cycle(field: &Field, duration: &Field, keyed: &Keyed) -> Result<Cycle, Error> {
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
    let is_mirrored = table.get("mirror").map_or(Ok(false), |f| f.bool())?;
    Ok(Cycle { travel, repeat: repeat as usize, is_mirrored })
}
