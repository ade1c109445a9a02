//! C3D: markers, analog signals and force plates in one binary file.
//!
//! Reads integer and float data of Intel, DEC and SGI processors, and force plates of types 1 to 4.
//! Source: the C3D file format user guide (c3d.org), by which parameters override the header.
//! We differ: lengths are in metres and z is up; a plate's wrench acts from the ground on the person (`plates.rs`).
//! Not here: events, rotations (`ROTATION`), plates of other types; notes report what is ignored.
//! Checked by: `tests/it/c3d.rs`, also against ezc3d.
//!
//! Why not the crate `c3dio` (0.8): it rejects files whose counts are bytes (FP_Type1), and panics on damaged files.

pub(crate) mod axes;
mod data;
mod parameters;
mod plates;

use crate::bytes::{Bytes, Processor};
use crate::error::Error;
use crate::names::stem;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::markers::Markers;
use anthropi_motion::note::Note;
use anthropi_motion::recording::Up;
use axes::Upwards;
use data::Layout;
use parameters::Parameters;

/// Size of a block; positions in the file are block numbers, from one.
const BLOCK: usize = 512;
/// Second byte of every C3D file.
const KEY: u8 = 0x50;
/// Coordinates beyond this are in millimetres, if the file does not state the unit.
const FAR: f64 = 20.0;
/// Tolerated relative difference between stated and actual analog rate.
const SAME_RATE: f64 = 1e-3;

/// Overrides for what the reader otherwise guesses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// up axis; guessed by default
    pub up: Option<Up>,
    /// whether to subtract the mean over the frames of FORCE_PLATFORM:ZERO from the plates' channels
    pub baseline: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { up: None, baseline: true }
    }
}

/// Reads a C3D file. The `notes` of the result report guesses and ignored data.
///
/// # Errors
/// An invalid, truncated or inconsistent file: with the byte offset and what was expected.
pub fn read(bytes: &[u8], file: &str) -> Result<Markers, Error> {
    read_with(bytes, file, &Options::default())
}

/// As [`read`], with overrides.
///
/// # Errors
/// As [`read`].
pub fn read_with(bytes: &[u8], file: &str, options: &Options) -> Result<Markers, Error> {
    let mut notes = Vec::new();
    let (bytes, parameters) = open(bytes, file)?;
    let layout = Layout::find(bytes, &parameters, &mut notes)?;
    let (processor, kind) = (bytes.processor.name(), if layout.is_real { "float" } else { "integer" });
    let plates = parameters.count("FORCE_PLATFORM", "USED").unwrap_or(0);
    let (points, signals) = (layout.points, layout.channels);
    let what = format!("{processor} file, {kind} data, {points} points, {signals} signals, {plates} plates");
    notes.push(what.into());
    if parameters.count("ROTATION", "USED").is_some_and(|n| n > 0) {
        notes.push(Note::warning("rotations (group ROTATION) are ignored"));
    }

    let mut points = data::points(bytes, &layout, &mut notes);
    let labels =
        names(parameters.continued("POINT", "LABELS", Parameters::texts), layout.points, "point", &mut notes);
    let analog = data::analog(bytes, &parameters, &layout, &mut notes)?;

    // to metres and z up
    let unit = unit(&parameters, &points, &mut notes);
    let surfaces = plates::surfaces(&parameters, unit, &mut notes);
    let up = match options.up {
        Some(up) => {
            notes.push("up axis as given".into());
            if up == Up::Y { Upwards::Y } else { Upwards::Z }
        }
        None => upwards(&parameters, &surfaces, &points, layout.points, unit, &mut notes),
    };
    for p in points.iter_mut().flatten() {
        *p = up.to_z_up(p.scale(unit));
    }
    let recorded =
        plates::Recorded { bytes, parameters: &parameters, layout: &layout, analog: &analog, unit, up };
    let plates = plates::measure(&recorded, &surfaces, options.baseline, &mut notes)?;

    let (rate, first_frame) = (layout.rate, layout.first_frame);
    Ok(Markers { name: stem(file), labels, rate, first_frame, points, analog, plates, unit, notes })
}

/// Header and parameters.
fn open<'a>(data: &'a [u8], file: &'a str) -> Result<(Bytes<'a>, Parameters<'a>), Error> {
    let mut bytes = Bytes { data, file, processor: Processor::Intel };
    if data.len() < BLOCK {
        let what = format!("the file has {} bytes, expected a header of {BLOCK}", data.len());
        return Err(bytes.error(data.len(), "header", what));
    }
    if data[1] != KEY {
        let what = format!("found {:#04x}, expected the key {KEY:#04x} of a C3D file", data[1]);
        return Err(bytes.error(1, "header", what));
    }
    let Some(start) = usize::from(data[0]).checked_sub(1).filter(|b| *b > 0).map(|b| b * BLOCK) else {
        return Err(bytes.error(0, "header", "expected the parameters in block 2 or later"));
    };
    let code = bytes.byte(start + 3, "processor")?;
    bytes.processor = Processor::from_code(code).ok_or_else(|| {
        let what = format!("found {code}, expected 84 (Intel), 85 (DEC) or 86 (SGI/MIPS)");
        bytes.error(start + 3, "processor", what)
    })?;
    // the section ends where the data start; its block count is a byte and may have wrapped
    let data_start = usize::from(bytes.word(16, "data start")?).saturating_sub(1) * BLOCK;
    let counted = start + usize::from(data[start + 2]) * BLOCK;
    let end = if data_start > start { data_start } else { counted };
    Ok((bytes, parameters::read(bytes, start, end)?))
}

/// Exactly `count` labels; missing ones are generated, with a note.
fn names(mut labels: Vec<String>, count: usize, thing: &str, notes: &mut Vec<Note>) -> Vec<String> {
    labels.truncate(count);
    let given = labels.len();
    for k in labels.len()..count {
        labels.push(format!("{thing}{}", k + 1));
    }
    if given < count {
        let missing = count - given;
        let what = format!("{missing} of {count} labels are missing; generated as {thing}N");
        notes.push(Note::warning(what));
    }
    for (k, label) in labels.iter_mut().enumerate().filter(|(_, l)| l.is_empty()) {
        *label = format!("{thing}{}", k + 1);
    }
    labels
}

/// Unit of length of the file, m.
fn unit(parameters: &Parameters, points: &[Option<Vec3>], notes: &mut Vec<Note>) -> f64 {
    let name = parameters.word("POINT", "UNITS");
    if let Some(unit) = name.as_deref().and_then(axes::metres) {
        notes.push(format!("lengths in {}, from POINT:UNITS", name.unwrap_or_default()).into());
        return unit;
    }
    let is_far = points.iter().flatten().any(|p| p.norm() > FAR);
    let reason = name
        .map_or("POINT:UNITS is missing".into(), |n| format!("POINT:UNITS `{n}` is not a unit of length"));
    let (unit, guess) = if is_far { (1e-3, "mm") } else { (1.0, "m") };
    notes.push(format!("{reason}: {guess} assumed from the size of the coordinates").into());
    unit
}

/// Up axis: from the screen axes; else normal to the plates, towards the points; else along the body.
fn upwards(
    parameters: &Parameters,
    surfaces: &[plates::Surface],
    points: &[Option<Vec3>],
    in_a_frame: usize,
    unit: f64,
    notes: &mut Vec<Note>,
) -> Upwards {
    let screen = parameters.word("POINT", "Y_SCREEN");
    let by_screen = screen.as_deref().and_then(Upwards::from_name);
    let by_plates = surfaces.first().map(|s| {
        let seen: Vec<Vec3> = points.iter().flatten().map(|p| p.scale(unit) - s.middle).collect();
        let above: f64 = seen.iter().map(|d| d.dot(s.normal())).sum();
        Upwards::nearest(if above < 0.0 { -s.normal() } else { s.normal() })
    });
    let (up, why) = match (by_screen, by_plates) {
        (Some(up), _) => (up, "from POINT:Y_SCREEN"),
        (None, Some(up)) => (up, "guessed from the first force plate"),
        (None, None) => match axes::along_the_body(points, in_a_frame) {
            Some(up) => (up, "guessed from the spread of the points"),
            None => (Upwards::Z, "by default"),
        },
    };
    notes.push(format!("up axis: {}, {why}", up.name()).into());
    if let Some(other) = by_plates.filter(|other| *other != up) {
        let what = format!("the up axis is uncertain: the normal of the force plates is {}", other.name());
        notes.push(Note::warning(what));
    }
    up
}
