//! Styles, in our own format: a word, a line about it, and what differs from walking as usual.
//!
//! ```toml
//! name = "tired"               # optional; else the name of the file
//! what = "slow, bent, heavy"   # optional, for lists
//! speed = 0.54                 # times the usual speed, where none is asked for
//! frequency = 1.0              # times the step frequency that belongs to the speed
//! width = 0.04                 # ankles apart beyond the breadth of a sole, m (for legs of 0.89 m, others in proportion)
//! toe_out_deg = 0              # feet turned out
//! crouch = 0.02                # pelvis lower than legs allow, m
//! lean_deg = 7                 # trunk ahead
//! bow_deg = 18                 # head bowed; below zero raised
//! arms = 0.4                   # swing of the arms, times the usual
//! arms_out_deg = 5             # arms to the side
//! arms_ahead_deg = 6           # arms ahead, where they swing about
//! elbows_deg = 12              # bend
//! counter = 0.6                # chest against pelvis, times the usual
//! clearance = 0.0              # feet raised in mid swing, beyond what is needed, m
//! bounce = 0.45                # rise and fall with each step, times the usual
//! sway_deg = 0                 # trunk tilted to the leg that stands
//! sharing = "cosine"           # how the load goes over in double support; or "linear", "cubic"
//!
//! [determinants]               # amplitudes, 1 usual, 0 off
//! pelvic_rotation = 1.0
//! pelvic_list = 0.8
//! stance_knee = 1.0
//! foot = 0.5
//! swing_knee = 0.9
//! lateral = 1.0
//! ```

use crate::error::Error;
use crate::fields::{Field, Source, Table};
use crate::shelf;
use anthropi_motion::gait::determinant::{Determinants, NAMES};
use anthropi_motion::gait::style::Style;
use anthropi_motion::virtual_leg::Sharing;
use std::path::Path;

/// A style under its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Manner {
    /// what people call it
    pub name: String,
    /// what it looks like, in one line
    pub what: String,
    /// its numbers
    pub style: Style,
}

impl Default for Manner {
    fn default() -> Manner {
        Manner { name: NEUTRAL.into(), what: String::new(), style: Style::default() }
    }
}

/// The style of who is not told how to walk.
pub const NEUTRAL: &str = "neutral";

/// A number of a style: its key, its range as written, and where it goes.
struct Number {
    key: &'static str,
    range: [f64; 2],
    place: fn(&mut Style) -> &mut f64,
}

const fn number(key: &'static str, range: [f64; 2], place: fn(&mut Style) -> &mut f64) -> Number {
    Number { key, range, place }
}

/// All numbers; keys that end in `_deg` are degrees.
const NUMBERS: [Number; 16] = [
    number("speed", [0.2, 2.0], |s| &mut s.speed),
    number("frequency", [0.5, 2.0], |s| &mut s.frequency),
    number("width", [-0.05, 0.3], |s| &mut s.width),
    number("toe_out_deg", [-20.0, 45.0], |s| &mut s.toe_out),
    number("crouch", [0.0, 0.25], |s| &mut s.crouch),
    number("tilt_deg", [-10.0, 25.0], |s| &mut s.tilt),
    number("lean_deg", [-15.0, 40.0], |s| &mut s.lean),
    number("bow_deg", [-30.0, 60.0], |s| &mut s.bow),
    number("arms", [0.0, 3.0], |s| &mut s.arms),
    number("arms_out_deg", [0.0, 80.0], |s| &mut s.arms_out),
    number("arms_ahead_deg", [-40.0, 90.0], |s| &mut s.arms_ahead),
    number("elbows_deg", [0.0, 140.0], |s| &mut s.elbows),
    number("counter", [0.0, 3.0], |s| &mut s.counter),
    number("clearance", [0.0, 0.3], |s| &mut s.clearance),
    number("bounce", [0.0, 2.0], |s| &mut s.bounce),
    number("sway_deg", [-10.0, 15.0], |s| &mut s.sway),
];

const SHARINGS: [(&str, Sharing); 3] =
    [("linear", Sharing::Linear), ("cosine", Sharing::Cosine), ("cubic", Sharing::Cubic)];

/// Reads a style from `text`; `file` is its name for messages.
///
/// # Errors
/// Text that is not TOML, keys we do not know, values of the wrong type or outside of their range, each with file, line,
/// column and field.
pub fn read(text: &str, file: &str) -> Result<Manner, Error> {
    let source = Source { file, text };
    let tree = source.parse(super::MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    let keys: Vec<&str> = NUMBERS.iter().map(|n| n.key).collect();
    root.allow(&[&["name", "what", "sharing", "determinants"], &keys])?;
    let mut style = Style::default();
    for number in &NUMBERS {
        let Some(field) = root.get(number.key) else { continue };
        let value = field.within(number.range)?;
        *(number.place)(&mut style) = if number.key.ends_with("_deg") { value.to_radians() } else { value };
    }
    if let Some(field) = root.get("sharing") {
        style.sharing = field.word(&SHARINGS)?;
    }
    if let Some(field) = root.get("determinants") {
        determinants(&field, &mut style.determinants)?;
    }
    let name = root.name()?;
    let what = root.get("what").map_or(Ok(""), |f| f.string())?.to_string();
    Ok(Manner { name, what, style })
}

/// Amplitudes of determinants that a table gives.
pub(super) fn determinants(field: &Field, into: &mut Determinants) -> Result<(), Error> {
    let table = field.table("determinants")?;
    table.allow(&[&NAMES])?;
    for name in NAMES {
        let (Some(field), Some(place)) = (table.get(name), into.get_mut(name)) else { continue };
        *place = field.within([0.0, rounded(Determinants::most(name))])?;
    }
    Ok(())
}

/// Down to two digits, as people are told it.
pub fn rounded(most: f64) -> f64 {
    (100.0 * most + 1e-6).floor() / 100.0
}

/// The built-in style of that name.
pub(crate) fn built_in(name: &str) -> Option<Result<Manner, Error>> {
    shelf::find(shelf::STYLES, name).map(|b| read(b.text, b.name))
}

/// A style by its word, or from a file beside the one that names it.
pub(super) fn named(field: &Field, dir: Option<&Path>) -> Result<Manner, Error> {
    let given = field.string()?;
    if let Some(style) = built_in(given) {
        return style;
    }
    let path = dir.map_or_else(|| Path::new(given).into(), |dir| dir.join(given));
    if path.is_file() {
        return read(&crate::load::text(&path)?, &path.to_string_lossy());
    }
    let all: Vec<&str> = shelf::names(shelf::STYLES).collect();
    Err(field.wrong(format!(
        "there is no style `{given}` and no such file beside this one; there is: {}",
        all.join(", ")
    )))
}
