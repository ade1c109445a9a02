//! Scenes of the dynamics filter, in our own format: a motion, how it is changed, and who is pushed how.
//! [`anthropi_motion::filter`] runs them; motions are told by name, and read by who runs it.
//!
//! Seconds, metres, kilograms, newtons, degrees; times count from the first frame. Every complaint names line, column
//! and field.
//!
//! ```toml
//! name = "shoved"               # optional; else the name of the file
//! what = "a walk is shoved"     # optional, for lists
//! motion = "keyed-walk"         # a built-in motion, a file beside this one, or "stand": the home pose, standing still
//! figure = "human-28"           # optional: who moves; a built-in figure or a file beside this one
//! height = 1.8                  # optional: of the figure
//! mass = 75                     # optional: of the figure
//! mode = "online"               # or "offline", the default
//! duration = 20                 # of "stand"
//! rate = 100                    # frames a second; absent: those of the motion
//!
//! # changes of the motion, all optional, made in this order as `anthropi convert` makes them
//! cut = [0.5, 2.0]              # the part between two times
//! speed = 1.2                   # times as fast
//! reverse = true                # backward
//! mirror = true                 # left becomes right
//! turn = { degrees = 30, at = 1.0, over = 1.0 }  # from a time on it heads elsewhere, to the left; the turn takes `over`
//! blend = "slow.bvh"            # mixed with another motion, `weight` of it; walks step by step
//! weight = 0.5
//! join = "keyed-kick"           # goes on with another motion
//! repeat = 3                    # so many times
//! fade = 0.2                    # how long one motion becomes the next, where joined and repeated
//!
//! [[push]]
//! at = 1.0                      # when it begins
//! for = 0.2                     # how long it lasts
//! link = "chest"
//! force = [40, 0, 0]            # world axes
//! point = [0, 0, 0.1]           # where, in the link's axes; absent: its centre of mass
//! known = true                  # the figure reckons with it, as with a load; absent: it comes unawares
//! ```

pub(crate) mod beside;
mod certificate;
mod changes;
pub(crate) mod push;

pub use certificate::certificate;
pub use changes::Changes;
pub use push::Shove;

use crate::error::{Error, Place};
use crate::fields::{Field, Source, Table};
use crate::shelf;
use anthropi_dynamics::model::Figure;
use anthropi_motion::filter::{Mode, Push};
use std::path::Path;

/// Longest text we read.
pub const MAX_BYTES: usize = 1 << 20;
/// Most pushes.
pub const MAX_PUSHES: usize = 10_000;
/// Longest time a figure stands, s.
pub const MAX_STAND: f64 = 3600.0;
/// Seconds a figure stands that is not told how long.
const STAND: f64 = 5.0;
/// Frames a second, of a figure that stands and as people may ask.
const RATE: f64 = 100.0;
const RATES: [f64; 2] = [10.0, 1000.0];

/// Who stands where no figure is named.
pub const STANDING: &str = "human-28";

/// A scene of the filter.
#[derive(Clone, Debug)]
pub struct Filtering {
    /// what people call it
    pub name: String,
    /// what it shows, in one line
    pub what: String,
    /// what is filtered
    pub motion: Start,
    /// who moves: a built-in figure or a path; else the one of the motion
    pub figure: Option<String>,
    /// stature of the figure, m
    pub height: Option<f64>,
    /// mass of the figure, kg
    pub mass: Option<f64>,
    /// how much of the motion is known
    pub mode: Option<Mode>,
    /// how the motion is changed
    pub changes: Changes,
    pushes: Vec<(Shove, Place)>,
    file: String,
}

/// What a scene of the filter begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// a built-in motion, or a path
    Motion(String),
    /// the home pose of the figure
    Stand {
        /// how long, s
        duration: f64,
        /// frames a second
        rate: f64,
    },
}

impl Filtering {
    /// The pushes, as written.
    pub fn pushes(&self) -> impl Iterator<Item = &Shove> {
        self.pushes.iter().map(|(shove, _)| shove)
    }

    /// The pushes on a figure.
    ///
    /// # Errors
    /// A link that the figure does not have, with the line that names it.
    pub fn pushes_on(&self, figure: &Figure) -> Result<Vec<Push>, Error> {
        push::on(&self.pushes, figure, &self.file)
    }
}

/// Whether a text is a scene of the filter: it has a motion. Text that is no TOML is none.
pub fn is_filtering(text: &str) -> bool {
    toml::de::DeTable::parse(text).is_ok_and(|t| t.get_ref().contains_key("motion"))
}

/// Reads a scene of the filter from `text`; `file` is its name for messages, `dir` where the files it uses are.
///
/// # Errors
/// Text that is not TOML, keys and names we do not know, values that cannot be, each with file, line, column and field.
pub fn read(text: &str, file: &str, dir: Option<&Path>) -> Result<Filtering, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    root.allow(&[
        &["name", "what", "motion", "figure", "height", "mass", "mode", "duration", "rate"],
        &["cut", "speed", "reverse", "mirror", "turn", "blend", "weight", "join", "repeat", "fade", "push"],
    ])?;
    let name = root.name()?;
    let figures = || shelf::names(shelf::FIGURES);
    let mut changes = changes(&root, dir)?;
    let motion = start(&root, dir, &mut changes)?;
    Ok(Filtering {
        name,
        what: root.get("what").map_or(Ok(""), |f| f.string())?.to_string(),
        motion,
        figure: given(&root, "figure", |f| beside::name(f, "figure", figures(), dir))?,
        height: given(&root, "height", Field::positive)?,
        mass: given(&root, "mass", Field::positive)?,
        mode: given(&root, "mode", |f| f.word(&[("online", Mode::Online), ("offline", Mode::Offline)]))?,
        changes,
        pushes: push::read(&root)?,
        file: file.into(),
    })
}

fn start(root: &Table, dir: Option<&Path>, changes: &mut Changes) -> Result<Start, Error> {
    let field = root.require("motion", "a built-in motion, a file beside this one, or \"stand\"")?;
    let duration = root.get("duration");
    if field.string()? != "stand" {
        return match duration {
            Some(duration) => {
                Err(duration.wrong("is for motion = \"stand\"; `cut` keeps a part of other motions"))
            }
            None => Ok(Start::Motion(motion(&field, dir)?)),
        };
    }
    let duration = duration.map_or(Ok(STAND), |f| f.within([3.0 / RATES[0], MAX_STAND]))?;
    Ok(Start::Stand { duration, rate: changes.rate.take().unwrap_or(RATE) })
}

fn motion(field: &Field, dir: Option<&Path>) -> Result<String, Error> {
    beside::name(field, "motion", shelf::names(shelf::MOTIONS), dir)
}

fn changes(root: &Table, dir: Option<&Path>) -> Result<Changes, Error> {
    let flag = |key: &str| root.get(key).map_or(Ok(false), |f| f.bool());
    let (blend, weight) = (root.get("blend"), root.get("weight"));
    if let (None, Some(weight)) = (&blend, &weight) {
        return Err(weight.wrong("is for a mix; `blend` names the other motion"));
    }
    Ok(Changes {
        cut: given(root, "cut", span)?,
        speed: given(root, "speed", Field::positive)?,
        reverse: flag("reverse")?,
        mirror: flag("mirror")?,
        turn: given(root, "turn", turn)?,
        blend: blend.map(|f| motion(&f, dir)).transpose()?,
        weight: weight.map(|f| f.within([0.0, 1.0])).transpose()?,
        join: given(root, "join", |f| motion(f, dir))?,
        repeat: given(root, "repeat", times)?,
        fade: given(root, "fade", Field::positive)?,
        rate: given(root, "rate", |f| f.within(RATES))?,
    })
}

fn span(field: &Field) -> Result<(f64, f64), Error> {
    match field.array()? {
        [from, to] if 0.0 <= from && from < to => Ok((from, to)),
        [from, to] => {
            Err(field
                .wrong(format!("is [{from}, {to}], expected two times from zero on, the first one first")))
        }
    }
}

/// Degrees, and from when until when.
fn turn(field: &Field) -> Result<(f64, f64, f64), Error> {
    let table = field.table("turn")?;
    table.allow(&[&["degrees", "at", "over"]])?;
    let degrees = table.require("degrees", "degrees to the left")?.within([-360.0, 360.0])?;
    let at = table.require("at", "seconds from the first frame until the turn begins")?.not_negative()?;
    let over = table.require("over", "seconds that the turn takes")?.positive()?;
    Ok((degrees, at, at + over))
}

fn times(field: &Field) -> Result<usize, Error> {
    match field.within([1.0, 1e4])? {
        n if n.fract() == 0.0 => Ok(n as usize),
        n => Err(field.wrong(format!("is {n}, expected a whole number of times"))),
    }
}

/// A field that may be absent.
fn given<'a, T>(
    root: &Table<'a>,
    key: &str,
    read: impl Fn(&Field<'a>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    root.get(key).map(|f| read(&f)).transpose()
}
