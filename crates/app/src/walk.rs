//! Walks (TOML): a figure and a sequence of segments, which [`anthropi_motion::gait`] plans and simulates.
//!
//! Seconds, metres, kilograms, newtons, degrees. Errors name line, column and field. Standing, starting and stopping are
//! added. Values that a segment omits are those of the segment before, except the turn.
//!
//! ```toml
//! name = "round the corner"     # optional; default: the file name
//! what = "walks and turns"      # optional, for lists
//! figure = "anthropi-42"        # optional: a built-in figure or a file beside this one
//! height = 1.8                  # optional: of the figure
//! mass = 75                     # optional: of the figure, without its load
//! load_kg = 10                  # optional: a backpack
//! friction = 0.8                # optional: coefficient of the ground
//!
//! [[segment]]
//! steps = 6                     # steady steps; steps that change the speed come before
//! seconds = 4                   # or a duration, rounded to whole steps
//! speed = 1.2                   # m/s; any one or two of the three
//! step_length = 0.6             # m
//! step_frequency = 2.0          # steps per second
//! gait = "walk"                 # or "run", or "jump": with both feet, from rest to rest, `step_length` far
//! jump_height = 0.2             # for jumps: rise of the centre of mass, m
//! style = "happily"             # a built-in style or a file beside this one
//! turn_deg = 90                 # over the segment, to the left
//! slope_deg = 5                 # uphill; 0 for level ground
//! stairs = { rise = 0.17, tread = 0.30 }   # one tread per step; negative rise: downstairs
//! determinants = { pelvic_list = 0.5 }     # amplitudes that differ from the style's; 0 off, 1 normal
//!
//! [[push]]                      # as in filter scenes
//! at = 3.0
//! for = 0.2
//! link = "chest"
//! force = [0, 50, 0]
//! ```

mod prepared;
mod request;
pub(crate) mod segment;
mod style;

pub use prepared::PreparedWalk;
pub use request::{GaitRequest, MAX_RISE, MAX_SLOPE_DEG, RequestError, StairsRequest, TREADS, gait_word};
pub use segment::{SegmentLength, SegmentRequest};
pub use style::{NEUTRAL, NamedStyle, find as find_style, read as read_style, rounded};

use crate::filter_scene::{NamedForce, push};
use crate::resolve::{self, ItemKind};
use anthropi_dynamics::model::Figure;
use anthropi_formats::fields::{Field, Source, Table};
use anthropi_formats::{Error, Place};
use anthropi_motion::filter::AppliedForce;
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::Stature;
use std::path::Path;

/// Largest file, bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Most segments.
pub const MAX_SEGMENTS: usize = 1000;
/// Most steps of a segment and of a walk.
pub const MAX_STEPS: usize = 2000;
/// Default figure.
pub const WALKER: &str = "anthropi-42";
/// Range of the coefficient of friction, from ice to more than rubber.
pub const FRICTIONS: [f64; 2] = [0.01, 5.0];

/// A walk.
#[derive(Clone, Debug, Default)]
pub struct WalkFile {
    /// name
    pub name: String,
    /// one-line summary
    pub what: String,
    /// a built-in figure or a path
    pub figure: Option<String>,
    /// stature of the figure, m
    pub height: Option<f64>,
    /// mass of the figure, kg
    pub mass: Option<f64>,
    /// mass of a backpack, kg
    pub load: Option<f64>,
    /// coefficient of friction of the ground
    pub friction: Option<f64>,
    /// segments
    pub requests: Vec<SegmentRequest>,
    /// pushes, and the place of their link names
    pushes: Vec<(NamedForce, Place)>,
    file: String,
}

impl WalkFile {
    /// A walk that does not come from a file.
    pub fn new(name: impl Into<String>, requests: Vec<SegmentRequest>) -> WalkFile {
        WalkFile { name: name.into(), requests, ..WalkFile::default() }
    }

    /// The pushes, as written.
    pub fn pushes(&self) -> impl Iterator<Item = &NamedForce> {
        self.pushes.iter().map(|(push, _)| push)
    }

    /// The pushes on a figure.
    ///
    /// # Errors
    /// A link that the figure does not have, with the line that names it.
    pub fn pushes_on(&self, figure: &Figure) -> Result<Vec<AppliedForce>, Error> {
        push::on(&self.pushes, figure, &self.file)
    }

    /// The segments for a body size.
    ///
    /// # Errors
    /// Parameters outside of the human range, with the line of the segment if it comes from a file.
    pub fn segments(&self, stature: Stature) -> Result<Vec<Segment>, Error> {
        let each = |(i, request): (usize, &SegmentRequest)| {
            request.segment(stature).map_err(|error| match request.place {
                Some(place) => Error::Field {
                    file: self.file.clone(),
                    place,
                    field: format!("segment {}", i + 1),
                    what: error.to_string(),
                },
                None => Error::Motion { source: error },
            })
        };
        self.requests.iter().enumerate().map(each).collect()
    }
}

/// Reads a walk from `text`; `file` is its name for messages, `dir` the folder of its files.
///
/// # Errors
/// Text that is not TOML, unknown keys and names, invalid values, each with file, line, column and field.
pub fn read(text: &str, file: &str, dir: Option<&Path>) -> Result<WalkFile, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    root.allow(&[
        &["name", "what", "figure", "height", "mass", "load_kg", "friction"],
        &[segment::key(&root), "push"],
    ])?;
    let name = root.name()?;
    let given =
        |key: &str, read: &dyn Fn(&Field) -> Result<f64, Error>| root.get(key).map(|f| read(&f)).transpose();
    Ok(WalkFile {
        name,
        what: root.get("what").map_or(Ok(""), |f| f.string())?.to_string(),
        figure: root.get("figure").map(|f| resolve::name_or_path(&f, ItemKind::Figure, dir)).transpose()?,
        height: given("height", &|f| f.positive())?,
        mass: given("mass", &|f| f.positive())?,
        load: given("load_kg", &|f| f.not_negative())?,
        friction: given("friction", &|f| f.within(FRICTIONS))?,
        requests: segment::read(&root, dir)?,
        pushes: push::read(&root)?,
        file: file.into(),
    })
}
