//! Walks, in our own format: stretches of a way one after the other, and who walks. [`anthropi_motion::gait`] walks them.
//!
//! Seconds, metres, kilograms, newtons, degrees. Every complaint names line, column and field. Standing, starting and
//! stopping come by themselves. What a stretch does not say follows the one before, but for its turn.
//!
//! ```toml
//! name = "round the corner"     # optional; else the name of the file
//! what = "walks and turns"      # optional, for lists
//! figure = "anthropi-42"        # optional: who walks; a built-in figure or a file beside this one
//! height = 1.8                  # optional: of the figure
//! mass = 75                     # optional: of the figure, without its load
//! load_kg = 10                  # optional: a pack on the back
//! friction = 0.8                # optional: of the ground
//!
//! [[stretch]]
//! steps = 6                     # at the stretch's own speed; those in which the speed changes come before
//! seconds = 4                   # or so long, in whole steps
//! speed = 1.2                   # m/s; any one or two of the three
//! step_length = 0.6             # m
//! step_frequency = 2.0          # steps a second
//! gait = "walk"                 # or "run", or "jump": with both feet, from standing to standing, `step_length` far
//! jump_height = 0.2             # of jumps: rise of the centre of mass, m
//! style = "happily"             # a built-in style or a file beside this one
//! turn_deg = 90                 # in this stretch, to the left
//! slope_deg = 5                 # uphill; 0 is level ground
//! stairs = { rise = 0.17, tread = 0.30 }   # upstairs, one tread a step; rise below zero: downstairs
//! determinants = { pelvic_list = 0.5 }     # amplitudes that differ from the style's; 0 off, 1 usual
//!
//! [[push]]                      # as in scenes of the filter
//! at = 3.0
//! for = 0.2
//! link = "chest"
//! force = [0, 50, 0]
//! ```

mod person;
mod stretch;
mod style;

pub use person::Person;
pub use stretch::{Lasts, Part, slope_of, stairs_of};
pub(crate) use style::built_in as built_in_style;
pub use style::{Manner, NEUTRAL, read as read_style, rounded};

use crate::error::{Error, Place};
use crate::fields::{Field, Source, Table};
use crate::filtering::{Shove, beside, push};
use crate::shelf;
use anthropi_dynamics::model::Figure;
use anthropi_motion::filter::Push;
use anthropi_motion::gait::parameter::Stature;
use anthropi_motion::gait::steps::Stretch;
use std::path::Path;

/// Longest text we read.
pub const MAX_BYTES: usize = 1 << 20;
/// Most stretches.
pub const MAX_STRETCHES: usize = 1000;
/// Most steps of a stretch and of a walk.
pub const MAX_STEPS: usize = 2000;
/// Who walks where no figure is named.
pub const WALKER: &str = "anthropi-42";
/// Friction of the ground, from ice to more than rubber.
pub const FRICTIONS: [f64; 2] = [0.01, 5.0];

/// A walk.
#[derive(Clone, Debug)]
pub struct Walking {
    /// what people call it
    pub name: String,
    /// what it shows, in one line
    pub what: String,
    /// who walks: a built-in figure or a path
    pub figure: Option<String>,
    /// stature of the figure, m
    pub height: Option<f64>,
    /// mass of the figure, kg
    pub mass: Option<f64>,
    /// mass of a pack on its back, kg
    pub load: Option<f64>,
    /// coefficient of friction of the ground
    pub friction: Option<f64>,
    /// the way
    pub parts: Vec<Part>,
    /// pushes and where they name their links
    pushes: Vec<(Shove, Place)>,
    file: String,
}

impl Walking {
    /// A walk that nobody wrote down.
    pub fn of(name: impl Into<String>, parts: Vec<Part>) -> Walking {
        Walking {
            name: name.into(),
            what: String::new(),
            figure: None,
            height: None,
            mass: None,
            load: None,
            friction: None,
            parts,
            pushes: Vec::new(),
            file: String::new(),
        }
    }

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

    /// The way as somebody walks it.
    ///
    /// # Errors
    /// Parameters nobody walks with, with the line of the stretch where it was read from a file.
    pub fn stretches(&self, who: Stature) -> Result<Vec<Stretch>, Error> {
        let each = |(i, part): (usize, &Part)| {
            part.stretch(who).map_err(|error| match (part.place, error) {
                (Some(place), error) => Error::Field {
                    file: self.file.clone(),
                    place,
                    field: format!("stretch {}", i + 1),
                    what: error.to_string(),
                },
                (None, error) => Error::Motion { source: error },
            })
        };
        self.parts.iter().enumerate().map(each).collect()
    }
}

/// Whether a text is a walk: it has stretches. Text that is no TOML is none.
pub fn is_walking(text: &str) -> bool {
    toml::de::DeTable::parse(text).is_ok_and(|t| t.get_ref().contains_key("stretch"))
}

/// Reads a walk from `text`; `file` is its name for messages, `dir` where the files it uses are.
///
/// # Errors
/// Text that is not TOML, keys and names we do not know, values that cannot be, each with file, line, column and field.
pub fn read(text: &str, file: &str, dir: Option<&Path>) -> Result<Walking, Error> {
    let source = Source { file, text };
    let tree = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    root.allow(&[
        &["name", "what", "figure", "height", "mass", "load_kg", "friction"],
        &["stretch", "push"],
    ])?;
    let name = root.name()?;
    let figures = || shelf::names(shelf::FIGURES);
    let given =
        |key: &str, read: &dyn Fn(&Field) -> Result<f64, Error>| root.get(key).map(|f| read(&f)).transpose();
    Ok(Walking {
        name,
        what: root.get("what").map_or(Ok(""), |f| f.string())?.to_string(),
        figure: root.get("figure").map(|f| beside::name(&f, "figure", figures(), dir)).transpose()?,
        height: given("height", &|f| f.positive())?,
        mass: given("mass", &|f| f.positive())?,
        load: given("load_kg", &|f| f.not_negative())?,
        friction: given("friction", &|f| f.within(FRICTIONS))?,
        parts: stretch::read(&root, dir)?,
        pushes: push::read(&root)?,
        file: file.into(),
    })
}
