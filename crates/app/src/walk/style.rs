//! Walking styles (TOML): differences from the neutral walk.
//!
//! ```toml
//! name = "tired"               # optional; default: the file name
//! what = "slow, bent, heavy"   # optional, for lists
//! speed = 0.54                 # factor of the default speed, unless one is requested
//! frequency = 1.0              # factor of the step frequency at a speed
//! width = 0.04                 # distance of the ankles beyond the width of a sole, m (for legs of 0.89 m, others in proportion)
//! toe_out_deg = 0              # feet turned out
//! crouch = 0.02                # pelvis below its normal height, m
//! lean_deg = 7                 # trunk forward
//! bow_deg = 18                 # head bowed; negative: raised
//! arms = 0.4                   # factor of the arm swing
//! arms_out_deg = 5             # arms to the side
//! arms_ahead_deg = 6           # mean arm angle forward
//! elbows_deg = 12              # flexion
//! counter = 0.6                # factor of the counter-rotation of the chest
//! clearance = 0.0              # extra height of the feet in mid-swing, m
//! bounce = 0.45                # factor of the vertical excursion
//! sway_deg = 0                 # trunk tilted towards the stance leg
//! sharing = "cosine"           # load transfer in double support; or "linear", "cubic"
//!
//! [determinants]               # amplitudes: 1 normal, 0 off
//! pelvic_rotation = 1.0
//! pelvic_list = 0.8
//! stance_knee = 1.0
//! foot = 0.5
//! swing_knee = 0.9
//! lateral = 1.0
//! ```

use crate::{builtin, resolve};
use anthropi_formats::Error;
use anthropi_formats::fields::{Field, Source, Table};
use anthropi_motion::gait::determinant::{Determinants, NAMES};
use anthropi_motion::gait::style::Style;
use anthropi_motion::papers::virtual_leg::Sharing;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A named style.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedStyle {
    /// name
    pub name: String,
    /// one-line summary
    pub what: String,
    /// its numbers
    pub style: Style,
}

impl Default for NamedStyle {
    fn default() -> NamedStyle {
        NamedStyle { name: NEUTRAL.into(), what: String::new(), style: Style::default() }
    }
}

/// The default style.
pub const NEUTRAL: &str = "neutral";

/// A number of a style: key, range in the file, and field.
type Number = (&'static str, [f64; 2], fn(&mut Style) -> &mut f64);

/// All numbers; keys that end in `_deg` are degrees.
const NUMBERS: [Number; 16] = [
    ("speed", [0.2, 2.0], |s| &mut s.speed),
    ("frequency", [0.5, 2.0], |s| &mut s.frequency),
    ("width", [-0.05, 0.3], |s| &mut s.width),
    ("toe_out_deg", [-20.0, 45.0], |s| &mut s.toe_out),
    ("crouch", [0.0, 0.25], |s| &mut s.crouch),
    ("tilt_deg", [-10.0, 25.0], |s| &mut s.tilt),
    ("lean_deg", [-15.0, 40.0], |s| &mut s.lean),
    ("bow_deg", [-30.0, 60.0], |s| &mut s.bow),
    ("arms", [0.0, 3.0], |s| &mut s.arms),
    ("arms_out_deg", [0.0, 80.0], |s| &mut s.arms_out),
    ("arms_ahead_deg", [-40.0, 90.0], |s| &mut s.arms_ahead),
    ("elbows_deg", [0.0, 140.0], |s| &mut s.elbows),
    ("counter", [0.0, 3.0], |s| &mut s.counter),
    ("clearance", [0.0, 0.3], |s| &mut s.clearance),
    ("bounce", [0.0, 2.0], |s| &mut s.bounce),
    ("sway_deg", [-10.0, 15.0], |s| &mut s.sway),
];

const SHARINGS: [(&str, Sharing); 3] =
    [("linear", Sharing::Linear), ("cosine", Sharing::Cosine), ("cubic", Sharing::Cubic)];

/// Reads a style from `text`; `file` is its name for messages.
///
/// # Errors
/// Text that is not TOML, unknown keys, values of the wrong type or out of range, each with file, line, column and field.
pub fn read(text: &str, file: &str) -> Result<NamedStyle, Error> {
    let source = Source { file, text };
    let tree = source.parse(super::MAX_BYTES)?;
    let root = Table::root(&source, &tree);
    let keys: Vec<&str> = NUMBERS.iter().map(|(key, ..)| *key).collect();
    root.allow(&[&["name", "what", "sharing", "determinants"], &keys])?;
    let mut style = Style::default();
    for (key, range, place) in NUMBERS {
        let Some(field) = root.get(key) else { continue };
        let value = field.within(range)?;
        *place(&mut style) = if key.ends_with("_deg") { value.to_radians() } else { value };
    }
    if let Some(field) = root.get("sharing") {
        style.sharing = field.word(&SHARINGS)?;
    }
    if let Some(field) = root.get("determinants") {
        for (name, amplitude) in amplitudes(&field)? {
            style.determinants.get_mut(&name).into_iter().for_each(|own| *own = amplitude);
        }
    }
    let name = root.name()?;
    let what = root.get("what").map_or(Ok(""), |f| f.string())?.to_string();
    Ok(NamedStyle { name, what, style })
}

/// Amplitudes of determinants in a table.
pub(super) fn amplitudes(field: &Field) -> Result<BTreeMap<String, f64>, Error> {
    let table = field.table("determinants")?;
    table.allow(&[&NAMES])?;
    let given = NAMES.iter().filter_map(|name| Some((name, table.get(name)?)));
    given
        .map(|(name, f)| Ok((name.to_string(), f.within([0.0, rounded(Determinants::max_amplitude(name))])?)))
        .collect()
}

/// Rounded down to two decimals, as in messages.
pub fn rounded(most: f64) -> f64 {
    (100.0 * most + 1e-6).floor() / 100.0
}

/// The built-in style of a name, else the style in a file of that name in `dir`.
///
/// # Errors
/// A file that cannot be read.
pub fn find(name: &str, dir: Option<&Path>) -> Option<Result<NamedStyle, Error>> {
    let read_file = |path: PathBuf| read(&anthropi_formats::file::text(&path)?, &path.to_string_lossy());
    builtin::style(name).or_else(|| resolve::beside(name, dir).map(read_file))
}
