//! Force plates of a C3D file: the ground reaction wrench from analog channels.
//!
//! A plate's axes follow from its corners: x from the second to the first, y from the fourth to the first, z completes a
//! right-handed system, pointing down. The channels give the wrench in these axes about the plate's own origin:
//! - type 1: force, centre of pressure and free moment; type 2: force and moment;
//! - type 3: four vertical and four horizontal forces of sensors at (+-a, +-b, az0);
//! - type 4: as type 2 after CAL_MATRIX, in column-major order.
//!
//! ORIGIN points from the sensors' origin to the centre of the surface, so its z is negative. Half of all files have the
//! opposite vector; we reverse it as ezc3d does (for type 3, where a and b are distances, only z).
//! Signs: channels may hold the force of the person on the plate or the reaction. On average a plate pushes up, so the
//! wrench of a plate that pulls is reversed, with a note.
//!
//! ezc3d ignores that sign and ZERO; otherwise its forces, moments about the centre and centres of pressure of types 2 to
//! 4 agree with ours. Its moment of type 1 is F x p - T where ours is p x F + T, of opposite sign.

use super::axes::{self, Upwards};
use super::data::Layout;
use super::parameters::Parameters;
use crate::bytes::Bytes;
use crate::error::Error;
use anthropi_dynamics::spatial::{Mat3, Vec3, vec3};
use anthropi_motion::markers::{Analog, Plate};
use anthropi_motion::note::Note;

/// Least normal force for a meaningful centre of pressure, N.
pub(super) const LEAST_LOAD: f64 = 10.0;
/// Side lengths, from small plates to treadmills, m.
const SIDES: std::ops::Range<f64> = 0.05..20.0;
/// Least sine of the angle between two sides of a surface.
const LEAST_SINE: f64 = 0.1;
/// Largest baseline relative to the largest force; above it the plate was loaded.
const LARGEST_BASELINE: f64 = 0.1;

/// Geometry of a plate: metres, axes of the file.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    /// index in the file, from zero
    index: usize,
    kind: u32,
    corners: [Vec3; 4],
    pub middle: Vec3,
    /// from the plate's axes, z down, to those of the file
    file_from_plate: Mat3,
    /// ORIGIN, corrected
    origin: Vec3,
}

impl Surface {
    /// Upward normal.
    pub fn normal(&self) -> Vec3 {
        -self.file_from_plate.z
    }
}

/// The usable plates; notes report why others are ignored.
pub(super) fn surfaces(parameters: &Parameters, unit: f64, notes: &mut Vec<Note>) -> Vec<Surface> {
    let used = parameters.count("FORCE_PLATFORM", "USED").unwrap_or(0);
    let kinds = parameters.counts("FORCE_PLATFORM", "TYPE");
    let corners = parameters.numbers("FORCE_PLATFORM", "CORNERS");
    let origins = parameters.numbers("FORCE_PLATFORM", "ORIGIN");
    let mut surfaces = Vec::new();
    for (index, kind) in kinds.iter().enumerate().take(used as usize) {
        let found = match kind {
            1..=4 => surface(index, *kind as u32, &corners, &origins, unit),
            _ => Err(format!("type {kind} is not supported (1 to 4 are)")),
        };
        match found {
            Ok(surface) => surfaces.push(surface),
            Err(why) => notes.push(Note::warning(format!("force plate {} ignored: {why}", index + 1))),
        }
    }
    if used > kinds.len() as u64 {
        notes.push(format!("{used} force plates in use, but FORCE_PLATFORM:TYPE has {}", kinds.len()).into());
    }
    surfaces
}

fn surface(index: usize, kind: u32, corners: &[f64], origins: &[f64], unit: f64) -> Result<Surface, String> {
    let numbers = corners.get(12 * index..12 * (index + 1)).ok_or("FORCE_PLATFORM:CORNERS is too short")?;
    let corner = |k: usize| vec3(numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]).scale(unit);
    let corners = [0, 1, 2, 3].map(corner);
    let sides = [0, 1, 2, 3].map(|k| (corners[k] - corners[(k + 1) % 4]).norm());
    let (along, across) = (corners[0] - corners[1], corners[0] - corners[3]);
    let down = along.cross(across);
    let no_surface = "its corners do not span a surface";
    if !sides.iter().all(|s| SIDES.contains(s)) || down.norm() < LEAST_SINE * along.norm() * across.norm() {
        return Err(format!("{no_surface}: sides of {:.2e} m and {:.2e} m", sides[0], sides[1]));
    }
    let (x, z) = (along.normalized().ok_or(no_surface)?, down.normalized().ok_or(no_surface)?);
    let file_from_plate = Mat3 { x, y: z.cross(x), z };

    let given = origins.get(3 * index..3 * (index + 1)).map(|o| vec3(o[0], o[1], o[2]).scale(unit));
    let given = given.filter(|o| o.is_finite()).unwrap_or(Vec3::ZERO);
    let origin = match kind {
        3 => vec3(given.x.abs(), given.y.abs(), -given.z.abs()),
        _ if given.z > 0.0 => -given,
        _ => given,
    };
    let middle = corners.iter().fold(Vec3::ZERO, |sum, c| sum + *c).scale(0.25);
    Ok(Surface { index, kind, corners, middle, file_from_plate, origin })
}

/// Force, moment about the centre of the surface, and centre of pressure if the plate measures it; plate axes, N, N m, m.
#[derive(Clone, Copy, Debug)]
struct PlateLoad {
    force: Vec3,
    moment: Vec3,
    center: Option<Vec3>,
}

/// Content of a file.
pub(super) struct Recorded<'a> {
    pub bytes: Bytes<'a>,
    pub parameters: &'a Parameters<'a>,
    pub layout: &'a Layout,
    pub analog: &'a Analog,
    /// unit of length, m
    pub unit: f64,
    pub up: Upwards,
}

/// Measurements of the plates, world axes.
pub(super) fn measure(
    recorded: &Recorded,
    surfaces: &[Surface],
    takes_baseline: bool,
    notes: &mut Vec<Note>,
) -> Result<Vec<Plate>, Error> {
    let Recorded { bytes, parameters, layout, analog, unit, up } = *recorded;
    let zero = if takes_baseline { baseline_samples(parameters, layout) } else { 0..0 };
    let mut taken = vec![false; layout.channels];
    let mut plates = Vec::new();
    for surface in surfaces {
        let name = format!("force plate {}", surface.index + 1);
        let channels = match channels(parameters, surface, &mut taken) {
            Ok(channels) => channels,
            Err(why) => {
                notes.push(Note::warning(format!("{name} ignored: {why}")));
                continue;
            }
        };
        let units = Units::find(surface, &channels, analog, unit, &name, notes);
        let matrix = calibration(bytes, parameters, surface)?;
        let sensors = Sensors { surface, channels: &channels, units, matrix };
        let zeros = baseline(&sensors, analog, zero.clone(), &name, notes);
        let loads: Vec<PlateLoad> =
            (0..layout.frames * layout.samples).map(|s| sensors.load(analog, s, &zeros)).collect();
        plates.push(placed(surface, &loads, up, &name, notes));
    }
    if !parameters.numbers("FORCE_PLATFORM", "FPCOPPOLY").iter().all(|c| *c == 0.0) {
        notes.push("FORCE_PLATFORM:FPCOPPOLY, a correction of the centre of pressure, is not applied".into());
    }
    Ok(plates)
}

/// Channel indices of a plate, from zero; each belongs to a single plate.
fn channels(parameters: &Parameters, surface: &Surface, taken: &mut [bool]) -> Result<Vec<usize>, String> {
    let all = parameters.counts("FORCE_PLATFORM", "CHANNEL");
    let stride = parameters.get("FORCE_PLATFORM", "CHANNEL").and_then(|p| p.dimensions.first()).copied();
    let (stride, needed) = (usize::from(stride.unwrap_or(0)), if surface.kind == 3 { 8 } else { 6 });
    let row = all.get(stride * surface.index..stride * (surface.index + 1)).filter(|row| row.len() >= needed);
    let row = row.ok_or(format!("FORCE_PLATFORM:CHANNEL lacks some of its {needed} channels"))?;
    let mut channels = Vec::with_capacity(needed);
    for channel in &row[..needed] {
        let k = (*channel as usize).wrapping_sub(1);
        match taken.get_mut(k) {
            None => return Err(format!("its channel {channel} was not recorded")),
            Some(true) => return Err(format!("its channel {channel} is used twice")),
            Some(free) => *free = true,
        }
        channels.push(k);
    }
    Ok(channels)
}

/// Units of the channels in SI.
#[derive(Clone, Copy, Debug)]
struct Units {
    force: f64,
    moment: f64,
    length: f64,
}

impl Units {
    fn find(
        surface: &Surface,
        channels: &[usize],
        analog: &Analog,
        unit: f64,
        name: &str,
        notes: &mut Vec<Note>,
    ) -> Units {
        let unit_name = |k: usize| analog.units[channels[k]].as_str();
        let default = Units { force: 1.0, moment: unit, length: unit };
        if surface.kind == 4 {
            return default; // the channels are voltages; the matrix converts to N and N times the unit of length
        }
        let force = axes::newtons(unit_name(0)).unwrap_or_else(|| {
            notes.push(Note::warning(format!("{name}: unknown unit of force `{}`, N assumed", unit_name(0))));
            1.0
        });
        if surface.kind == 3 {
            return Units { force, ..default };
        }
        let moment = axes::newton_metres(unit_name(5)).unwrap_or_else(|| {
            let what =
                format!("unknown unit of moment `{}`, N times the unit of length assumed", unit_name(5));
            notes.push(Note::warning(format!("{name}: {what}")));
            unit
        });
        let length = if surface.kind == 1 { axes::metres(unit_name(3)).unwrap_or(unit) } else { unit };
        Units { force, moment, length }
    }
}

type Matrix6 = [[f64; 6]; 6];

fn calibration(bytes: Bytes, parameters: &Parameters, surface: &Surface) -> Result<Option<Matrix6>, Error> {
    if surface.kind != 4 {
        return Ok(None);
    }
    let (field, plate) = ("FORCE_PLATFORM:CAL_MATRIX", surface.index + 1);
    let numbers = parameters.numbers("FORCE_PLATFORM", "CAL_MATRIX");
    let at = parameters.get("FORCE_PLATFORM", "CAL_MATRIX").map_or(0, |p| p.at);
    let (first, last) = (36 * surface.index, 36 * (surface.index + 1));
    let Some(numbers) = numbers.get(first..last) else {
        let what = format!("has {} numbers, but plate {plate} of type 4 needs {last}", numbers.len());
        return Err(bytes.error(at, field, what));
    };
    if let Some(bad) = numbers.iter().find(|x| !x.is_finite()) {
        return Err(bytes.error(at + 4 * first, field, format!("found {bad}, expected a finite number")));
    }
    let mut matrix = [[0.0; 6]; 6];
    for (k, x) in numbers.iter().enumerate() {
        matrix[k % 6][k / 6] = *x;
    }
    Ok(Some(matrix))
}

/// Conversion of a plate's channels to its load.
struct Sensors<'a> {
    surface: &'a Surface,
    channels: &'a [usize],
    units: Units,
    matrix: Option<Matrix6>,
}

impl Sensors<'_> {
    fn raw(&self, analog: &Analog, sample: usize, zeros: &[f64; 8]) -> [f64; 8] {
        let mut raw = [0.0; 8];
        for (k, channel) in self.channels.iter().enumerate() {
            raw[k] = analog.values[sample * analog.labels.len() + channel] - zeros[k];
        }
        raw
    }

    #[allow(non_snake_case)] // F, M: force and moment
    fn load(&self, analog: &Analog, sample: usize, zeros: &[f64; 8]) -> PlateLoad {
        let c = self.raw(analog, sample, zeros);
        let Units { force, moment, length } = self.units;
        let o = self.surface.origin;
        match self.surface.kind {
            1 => {
                let (F, p) = (vec3(c[0], c[1], c[2]).scale(force), vec3(c[3], c[4], 0.0).scale(length));
                PlateLoad { force: F, moment: p.cross(F) + vec3(0.0, 0.0, c[5] * moment), center: Some(p) }
            }
            3 => {
                let [x12, x34, y14, y23, z1, z2, z3, z4] = c.map(|f| f * force);
                let F = vec3(x12 + x34, y14 + y23, z1 + z2 + z3 + z4);
                let M = vec3(
                    o.y * (z1 + z2 - z3 - z4),
                    o.x * (-z1 + z2 + z3 - z4),
                    o.y * (x34 - x12) + o.x * (y14 - y23),
                );
                PlateLoad { force: F, moment: M + F.cross(vec3(0.0, 0.0, o.z)), center: None }
            }
            _ => {
                let mut w = [c[0], c[1], c[2], c[3], c[4], c[5]];
                if let Some(matrix) = &self.matrix {
                    w = matrix.map(|row| row.iter().zip(&c).map(|(m, c)| m * c).sum());
                }
                let (F, M) = (vec3(w[0], w[1], w[2]).scale(force), vec3(w[3], w[4], w[5]).scale(moment));
                // about the centre, at o from the origin of M
                PlateLoad { force: F, moment: M + F.cross(o), center: None }
            }
        }
    }
}

/// Samples of the frames in FORCE_PLATFORM:ZERO, which count from one.
fn baseline_samples(parameters: &Parameters, layout: &Layout) -> std::ops::Range<usize> {
    match parameters.counts("FORCE_PLATFORM", "ZERO")[..] {
        [first, last, ..] if first >= 1 && first <= last && last <= layout.frames as u64 => {
            (first as usize - 1) * layout.samples..last as usize * layout.samples
        }
        _ => 0..0,
    }
}

/// Mean of each channel over some samples, zero if the plate was loaded.
fn baseline(
    sensors: &Sensors,
    analog: &Analog,
    samples: std::ops::Range<usize>,
    name: &str,
    notes: &mut Vec<Note>,
) -> [f64; 8] {
    const NONE: [f64; 8] = [0.0; 8];
    if samples.is_empty() {
        return NONE;
    }
    let mut zeros = NONE;
    for s in samples.clone() {
        let raw = sensors.raw(analog, s, &NONE);
        for k in 0..8 {
            zeros[k] += raw[k] / samples.len() as f64;
        }
    }
    if sensors.surface.kind == 1 {
        (zeros[3], zeros[4]) = (0.0, 0.0); // positions, not loads
    }
    let count = analog.values.len() / analog.labels.len().max(1);
    let force = |s| sensors.load(analog, s, &NONE).force;
    let largest = (0..count).map(|s| force(s).norm()).fold(0.0, f64::max);
    let sum = samples.clone().map(force).fold(Vec3::ZERO, |sum, f| sum + f);
    let resting = sum.scale(1.0 / samples.len() as f64).norm();
    if !(resting <= LARGEST_BASELINE * largest) {
        let why = "because it was loaded in the frames of FORCE_PLATFORM:ZERO";
        notes.push(format!("{name}: no baseline subtracted, {why} ({resting:.1} N)").into());
        return NONE;
    }
    notes.push(format!("{name}: baseline of {resting:.1} N subtracted, from FORCE_PLATFORM:ZERO").into());
    zeros
}

/// Loads in world axes, reversed if they are those of the person on the plate.
fn placed(surface: &Surface, loads: &[PlateLoad], up: Upwards, name: &str, notes: &mut Vec<Note>) -> Plate {
    // plate z is down: a load that pushes the person up is negative there
    let pull: f64 = loads.iter().map(|l| l.force.z).filter(|z| z.abs() >= LEAST_LOAD).sum();
    let sign = if pull > 0.0 { -1.0 } else { 1.0 };
    if pull > 0.0 {
        notes.push(format!("{name} holds the force on the plate: reversed to the ground reaction").into());
    }
    let world = |v: Vec3| up.to_z_up(surface.file_from_plate.mul(v));
    let middle = up.to_z_up(surface.middle);
    let mut plate =
        Plate { kind: surface.kind, corners: surface.corners.map(|c| up.to_z_up(c)), ..Plate::default() };
    for load in loads {
        let PlateLoad { force, moment, center } = *load;
        let pressure = center.unwrap_or(vec3(-moment.y / force.z, moment.x / force.z, 0.0));
        let is_loaded = force.z.abs() >= LEAST_LOAD && pressure.is_finite();
        plate.center.push(is_loaded.then(|| middle + world(pressure)));
        plate.force.push(world(force).scale(sign));
        plate.moment.push(world(moment).scale(sign));
    }
    plate
}
