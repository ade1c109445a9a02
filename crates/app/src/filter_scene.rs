//! Filter scenes, in our own TOML format: a motion, its edits, and pushes. [`anthropi_motion::filter`] runs them.
//!
//! Seconds, metres, kilograms, newtons, degrees; times count from the first frame. Every error names line, column and
//! field.
//!
//! ```toml
//! name = "pushed"               # optional; default: the file name
//! what = "a walk is pushed"     # optional, for lists
//! motion = "keyed-walk"         # a built-in motion, a file beside this one, or "stand": the home pose at rest
//! figure = "human-28"           # optional: retarget to a built-in figure or a file beside this one
//! height = 1.8                  # optional: of the figure
//! mass = 75                     # optional: of the figure
//! mode = "online"               # or "offline", the default
//! duration = 20                 # of "stand"
//! rate = 100                    # frames per second; default: those of the motion
//!
//! props = "none"                # optional: the ground alone carries, and the props below; default: "auto", props are found
//!
//! # edits, all optional, applied in this order, as in `anthropi convert`
//! cut = [0.5, 2.0]              # keep the part between two times
//! speed = 1.2                   # times as fast
//! reverse = true                # backward
//! mirror = true                 # swap left and right
//! turn = { degrees = 30, at = 1.0, over = 1.0 }  # turn the path to the left from `at` on, within `over`
//! blend = "slow.bvh"            # blend with another motion by `weight`; walks are aligned step by step
//! weight = 0.5
//! join = "keyed-kick"           # append another motion
//! repeat = 3                    # number of repetitions
//! fade = 0.2                    # cross-fade of `join` and `repeat`
//!
//! [[push]]
//! at = 1.0                      # start
//! for = 0.2                     # duration
//! link = "chest"
//! force = [40, 0, 0]            # world axes
//! point = [0, 0, 0.1]           # in link axes; default: the centre of mass
//! known = true                  # the filter compensates it, like a load; default: an unmodelled disturbance
//!
//! [[prop]]
//! kind = "seat"                 # seat, step or rail
//! height = 0.45                 # of its surface above the ground
//! at = [1.0, 0.2]               # optional: its middle, x and y
//! size = [0.4, 0.4]             # optional: length and width
//! ```

mod edits;
pub mod prop;
pub(crate) mod push;

pub use edits::{FADE, MotionEdits, WEIGHT};
pub use push::NamedForce;

use crate::resolve::{self, ItemKind};
use anthropi_dynamics::model::Figure;
use anthropi_formats::fields::{Field, Source, Table};
use anthropi_formats::{Error, Place};
use anthropi_motion::filter::{AppliedForce, Mode};
use anthropi_motion::surroundings::Surroundings;
use std::path::Path;

/// Longest text, bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Most pushes.
const MAX_PUSHES: usize = 10_000;
/// Longest duration of "stand", s.
const MAX_STAND: f64 = 3600.0;
/// Default duration of "stand", s.
const STAND: f64 = 5.0;
/// Default frame rate of "stand", and range of frame rates, Hz.
const RATE: f64 = 100.0;
const RATES: [f64; 2] = [10.0, 1000.0];

/// Modes of the filter by their words in options and files.
pub const MODES: [(&str, Mode); 2] = [("online", Mode::Online), ("offline", Mode::Offline)];
/// Default figure of "stand".
pub const STANDING: &str = "human-28";

/// A filter scene.
#[derive(Clone, Debug)]
pub struct FilterScene {
    /// its name
    pub name: String,
    /// one-line summary
    pub what: String,
    /// the motion to filter
    pub motion: MotionSource,
    /// figure to retarget to, a built-in name or a path; default: that of the motion
    pub figure: Option<String>,
    /// stature of the figure, m
    pub height: Option<f64>,
    /// mass of the figure, kg
    pub mass: Option<f64>,
    /// on-line or off-line
    pub mode: Option<Mode>,
    /// props besides the ground
    pub surroundings: Option<Surroundings>,
    /// edits of the motion
    pub edits: MotionEdits,
    pushes: Vec<(NamedForce, Place)>,
    file: String,
}

/// The motion of a filter scene before its edits.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionSource {
    /// a built-in motion or a path
    Motion(String),
    /// the home pose of the figure
    Stand {
        /// s
        duration: f64,
        /// frames per second
        rate: f64,
    },
}

impl FilterScene {
    /// The pushes.
    pub fn pushes(&self) -> impl Iterator<Item = &NamedForce> {
        self.pushes.iter().map(|(push, _)| push)
    }

    /// The pushes on the links of a figure.
    ///
    /// # Errors
    /// A link that the figure does not have, with its line.
    pub fn pushes_on(&self, figure: &Figure) -> Result<Vec<AppliedForce>, Error> {
        push::on(&self.pushes, figure, &self.file)
    }
}

/// Reads a filter scene from `text`; `file` is its name for messages, `dir` the folder of the files it names.
///
/// # Errors
/// Text that is not TOML, unknown keys and names, values out of range, each with file, line, column and field.
pub fn read(text: &str, file: &str, dir: Option<&Path>) -> Result<FilterScene, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    root.allow(&[
        &["name", "what", "motion", "figure", "height", "mass", "mode", "duration", "rate", "props", "prop"],
        &["cut", "speed", "reverse", "mirror", "turn", "blend", "weight", "join", "repeat", "fade", "push"],
    ])?;
    let name = root.name()?;
    let mut edits = edits(&root, dir)?;
    let motion = start(&root, dir, &mut edits)?;
    Ok(FilterScene {
        name,
        what: root.get("what").map_or(Ok(""), |f| f.string())?.to_string(),
        motion,
        figure: root.optional("figure", |f| resolve::name_or_path(f, ItemKind::Figure, dir))?,
        height: root.optional("height", Field::positive)?,
        mass: root.optional("mass", Field::positive)?,
        mode: root.optional("mode", |f| f.word(&MODES))?,
        surroundings: prop::read(&root)?,
        edits,
        pushes: push::read(&root)?,
        file: file.into(),
    })
}

fn start(root: &Table, dir: Option<&Path>, edits: &mut MotionEdits) -> Result<MotionSource, Error> {
    let field = root.require("motion", "a built-in motion, a file beside this one, or \"stand\"")?;
    let duration = root.get("duration");
    if field.string()? != "stand" {
        return match duration {
            Some(duration) => {
                Err(duration.wrong("applies to motion = \"stand\" only; use `cut` for other motions"))
            }
            None => Ok(MotionSource::Motion(motion(&field, dir)?)),
        };
    }
    let duration = duration.map_or(Ok(STAND), |f| f.within([3.0 / RATES[0], MAX_STAND]))?;
    Ok(MotionSource::Stand { duration, rate: edits.rate.take().unwrap_or(RATE) })
}

fn motion(field: &Field, dir: Option<&Path>) -> Result<String, Error> {
    resolve::name_or_path(field, ItemKind::Motion, dir)
}

fn edits(root: &Table, dir: Option<&Path>) -> Result<MotionEdits, Error> {
    let (blend, weight) = (root.get("blend"), root.get("weight"));
    if let (None, Some(weight)) = (&blend, &weight) {
        return Err(weight.wrong("needs `blend`, the other motion"));
    }
    Ok(MotionEdits {
        cut: root.optional("cut", span)?,
        speed: root.optional("speed", Field::positive)?,
        reverse: root.flag("reverse")?,
        mirror: root.flag("mirror")?,
        turn: root.optional("turn", turn)?,
        blend: blend.map(|f| motion(&f, dir)).transpose()?,
        weight: weight.map(|f| f.within([0.0, 1.0])).transpose()?,
        join: root.optional("join", |f| motion(f, dir))?,
        repeat: root.optional("repeat", times)?,
        fade: root.optional("fade", Field::positive)?,
        rate: root.optional("rate", |f| f.within(RATES))?,
    })
}

fn span(field: &Field) -> Result<(f64, f64), Error> {
    match field.array()? {
        [from, to] if 0.0 <= from && from < to => Ok((from, to)),
        [from, to] => {
            Err(field.wrong(format!("is [{from}, {to}], expected [start, end] with 0 <= start < end")))
        }
    }
}

/// Degrees, start and end.
fn turn(field: &Field) -> Result<(f64, f64, f64), Error> {
    let table = field.table("turn")?;
    table.allow(&[&["degrees", "at", "over"]])?;
    let degrees = table.require("degrees", "degrees to the left")?.within([-360.0, 360.0])?;
    let at = table.require("at", "the start in seconds")?.not_negative()?;
    let over = table.require("over", "the duration in seconds")?.positive()?;
    Ok((degrees, at, at + over))
}

fn times(field: &Field) -> Result<usize, Error> {
    match field.within([1.0, 1e4])? {
        n if n.fract() == 0.0 => Ok(n as usize),
        n => Err(field.wrong(format!("is {n}, expected an integer"))),
    }
}
