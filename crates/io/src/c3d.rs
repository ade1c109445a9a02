//! C3D: captured points, analog signals and force plates in one binary file.
//!
//! Read are integer and float data of Intel, DEC and SGI processors, and force plates of types 1 to 4.
//! Source: the C3D file format user guide (c3d.org), by which parameters win over the header.
//! We differ: lengths are metres and z is up; a plate's wrench is the one of the ground on the person (`plates.rs`).
//! Not here: events, rotations (`ROTATION`), plates of other types; notes say what was left out.
//! Checked by: `tests/c3d.rs`, there also against ezc3d.
//!
//! Why not the crate `c3dio` (0.8): it refuses files whose counts are bytes (FP_Type1), and broken files make it panic.

pub(crate) mod axes;
mod bytes;
mod data;
mod parameters;
mod plates;

use crate::error::Error;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::markers::Markers;
use anthropi_motion::recording::Up;
use axes::Upwards;
use bytes::{Bytes, Processor};
use data::Layout;
use parameters::Parameters;
use std::path::Path;

/// Size of a block: places in the file are counted in them, from one.
const BLOCK: usize = 512;
/// Second byte of every C3D file.
const KEY: u8 = 0x50;
/// Points farther from the origin than this are in millimetres, when the file does not say.
const FAR: f64 = 20.0;
/// Analog rates that differ from the data by less than this agree, relative.
const SAME_RATE: f64 = 1e-3;

/// What to do where files are not clear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// the axis that points up; `None` to find out
    pub up: Option<Up>,
    /// whether to take the mean over the frames of FORCE_PLATFORM:ZERO off the plates' channels
    pub baseline: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { up: None, baseline: true }
    }
}

/// Reads a C3D file. `notes` of the result say what was found, decided and left out.
///
/// # Errors
/// Bytes that are not a C3D file, or one that is cut off or contradicts itself: which byte, and what was expected.
pub fn read(bytes: &[u8], file: &str) -> Result<Markers, Error> {
    read_with(bytes, file, &Options::default())
}

/// [`read`] with answers to what the file may leave open.
///
/// # Errors
/// As [`read`].
pub fn read_with(bytes: &[u8], file: &str, options: &Options) -> Result<Markers, Error> {
    let mut notes = Vec::new();
    let (bytes, parameters) = open(bytes, file)?;
    let layout = Layout::find(bytes, &parameters, &mut notes)?;
    notes.push(format!(
        "{} file, {} data, {} points, {} signals, {} plates",
        bytes.processor.name(),
        if layout.is_real { "float" } else { "integer" },
        layout.points,
        layout.channels,
        parameters.count("FORCE_PLATFORM", "USED").unwrap_or(0),
    ));
    if parameters.count("ROTATION", "USED").is_some_and(|n| n > 0) {
        notes.push("rotations (group ROTATION) are left out".into());
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
            notes.push("up axis as asked for".into());
            if up == Up::Y { Upwards::Y } else { Upwards::Z }
        }
        None => upwards(&parameters, &surfaces, &points, layout.points, unit, &mut notes),
    };
    for p in points.iter_mut().flatten() {
        *p = up.to_z_up(p.scale(unit));
    }
    let plates = plates::measure(
        bytes,
        &parameters,
        &layout,
        &surfaces,
        &analog,
        unit,
        up,
        options.baseline,
        &mut notes,
    )?;

    let name =
        Path::new(file).file_stem().map_or_else(|| file.to_string(), |s| s.to_string_lossy().into_owned());
    let (rate, first_frame) = (layout.rate, layout.first_frame);
    Ok(Markers { name, labels, rate, first_frame, points, analog, plates, unit, notes })
}

/// Header and parameters.
fn open<'a>(data: &'a [u8], file: &'a str) -> Result<(Bytes<'a>, Parameters<'a>), Error> {
    let mut bytes = Bytes { data, file, processor: Processor::Intel };
    if data.len() < BLOCK {
        let what = format!("the file has {} bytes; a C3D file begins with a header of {BLOCK}", data.len());
        return Err(bytes.error(data.len(), "header", what));
    }
    if data[1] != KEY {
        return Err(bytes.error(
            1,
            "header",
            format!("{:#04x} is not the key {KEY:#04x} of a C3D file", data[1]),
        ));
    }
    let Some(start) = usize::from(data[0]).checked_sub(1).filter(|b| *b > 0).map(|b| b * BLOCK) else {
        return Err(bytes.error(0, "header", "the parameters cannot be before block 2"));
    };
    let code = bytes.byte(start + 3, "processor")?;
    bytes.processor = Processor::from_code(code).ok_or_else(|| {
        bytes.error(start + 3, "processor", format!("{code}; 84 (Intel), 85 (DEC) or 86 (SGI/MIPS) expected"))
    })?;
    // the section ends where the data begin; its own count of blocks is a byte and may have wrapped
    let data_start = usize::from(bytes.word(16, "data start")?).saturating_sub(1) * BLOCK;
    let counted = start + usize::from(data[start + 2]) * BLOCK;
    let end = if data_start > start { data_start } else { counted };
    Ok((bytes, parameters::read(bytes, start, end)?))
}

/// As many names as there are things: what the file lacks is made up and said.
fn names(mut labels: Vec<String>, count: usize, thing: &str, notes: &mut Vec<String>) -> Vec<String> {
    labels.truncate(count);
    let given = labels.len();
    for k in labels.len()..count {
        labels.push(format!("{thing}{}", k + 1));
    }
    if given < count {
        notes.push(format!("{} of {count} labels are missing, named {thing}N", count - given));
    }
    for (k, label) in labels.iter_mut().enumerate().filter(|(_, l)| l.is_empty()) {
        *label = format!("{thing}{}", k + 1);
    }
    labels
}

/// Metres in a unit of the file.
fn unit(parameters: &Parameters, points: &[Option<Vec3>], notes: &mut Vec<String>) -> f64 {
    let name = parameters.word("POINT", "UNITS");
    if let Some(unit) = name.as_deref().and_then(axes::metres) {
        notes.push(format!("lengths in {}, as POINT:UNITS says", name.unwrap_or_default()));
        return unit;
    }
    let is_far = points.iter().flatten().any(|p| p.norm() > FAR);
    let said =
        name.map_or("POINT:UNITS is missing".into(), |n| format!("POINT:UNITS `{n}` is no unit of length"));
    let (unit, guess) = if is_far { (1e-3, "mm") } else { (1.0, "m") };
    notes.push(format!("{said}: lengths taken as {guess} by their size"));
    unit
}

/// Up as the screen axes say; else across the plates, towards the points; else along the body.
fn upwards(
    parameters: &Parameters,
    surfaces: &[plates::Surface],
    points: &[Option<Vec3>],
    in_a_frame: usize,
    unit: f64,
    notes: &mut Vec<String>,
) -> Upwards {
    let screen = parameters.word("POINT", "Y_SCREEN");
    let by_screen = screen.as_deref().and_then(Upwards::from_name);
    let by_plates = surfaces.first().map(|s| {
        let seen: Vec<Vec3> = points.iter().flatten().map(|p| p.scale(unit) - s.middle).collect();
        let above: f64 = seen.iter().map(|d| d.dot(s.normal())).sum();
        Upwards::nearest(if above < 0.0 { -s.normal() } else { s.normal() })
    });
    if let Some(up) = by_screen {
        notes.push(format!("{} is up, as POINT:Y_SCREEN says", up.name()));
        if let Some(other) = by_plates.filter(|other| *other != up) {
            notes.push(format!("the force plates look towards {}: up is doubtful", other.name()));
        }
        return up;
    }
    if let Some(up) = by_plates {
        notes.push(format!("{} is up: guessed from the first force plate", up.name()));
        return up;
    }
    if let Some(up) = axes::along_the_body(points, in_a_frame) {
        notes.push(format!("{} is up: guessed from the spread of the points", up.name()));
        return up;
    }
    notes.push("z is up: nothing says otherwise".into());
    Upwards::Z
}
