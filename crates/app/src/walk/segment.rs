//! Segments of a walk: requested values, their resolution for a body size, and the `[[segment]]` tables of walk files.

use super::request::{GaitRequest, RequestError, StairsRequest};
use super::style::{self, NamedStyle};
use super::{MAX_SEGMENTS, MAX_STEPS};
use anthropi_formats::fields::{Field, Table};
use anthropi_formats::{Error, Place};
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::{Kind, PaceRequest, Parameters, Stature};
use anthropi_motion::gait::terrain::Terrain;
use std::path::Path;

/// Default step frequency on stairs, 1/s.
const STAIR_FREQUENCY: f64 = 1.3;

/// Length of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SegmentLength {
    /// number of steps
    Steps(usize),
    /// duration, s, rounded to whole steps
    Seconds(f64),
}

/// A segment of a walk with all defaults filled in, for any body size.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentRequest {
    /// number of steps or duration
    pub length: SegmentLength,
    /// requested speed, step length, step frequency and jump height
    pub pace: PaceRequest,
    /// walk, run or jump
    pub kind: Kind,
    /// style and its name
    pub style: NamedStyle,
    /// turn to the left, rad
    pub turn: f64,
    /// level, slope or stairs
    pub ground: Terrain,
    /// position in the walk file, if it comes from one
    pub place: Option<Place>,
}

impl Default for SegmentRequest {
    fn default() -> SegmentRequest {
        SegmentRequest {
            length: SegmentLength::Steps(10),
            pace: PaceRequest::default(),
            kind: Kind::Walk,
            style: NamedStyle::default(),
            turn: 0.0,
            ground: Terrain::Level,
            place: None,
        }
    }
}

impl SegmentRequest {
    /// Gait parameters for a body size.
    ///
    /// # Errors
    /// Parameters outside of the human range.
    pub fn parameters(&self, stature: Stature) -> Result<Parameters, anthropi_motion::Error> {
        Parameters::from_request(self.styled_pace(stature), self.kind, stature)
    }

    /// The requested pace with the factors of the style; on stairs a step is a tread.
    fn styled_pace(&self, stature: Stature) -> PaceRequest {
        if let Terrain::Stairs { tread, .. } = self.ground {
            let PaceRequest { speed, frequency, .. } = self.pace;
            let default = STAIR_FREQUENCY * self.style.style.frequency;
            let frequency = frequency.or(speed.map(|v| v / tread)).or(Some(default));
            return PaceRequest { length: Some(tread), frequency, ..PaceRequest::default() };
        }
        if self.kind == Kind::Jump {
            return self.pace;
        }
        self.style.style.request(self.pace, |r| Parameters::from_request(r, self.kind, stature).ok())
    }

    /// The segment for a body size.
    pub(super) fn segment(&self, stature: Stature) -> Result<Segment, anthropi_motion::Error> {
        let parameters = self.parameters(stature)?;
        self.style.style.determinants.check()?;
        if let (Terrain::Stairs { tread, .. }, Some(length)) = (self.ground, self.pace.length) {
            let what = format!("steps of {length} m are requested; on stairs a step is a tread, {tread} m");
            return Err(anthropi_motion::Error::Gait { what });
        }
        let pace = self.styled_pace(stature);
        let given = [pace.speed, pace.length, pace.frequency].iter().flatten().count();
        let steps = match self.length {
            SegmentLength::Steps(n) => n,
            SegmentLength::Seconds(t) => ((t * parameters.frequency).round() as usize).clamp(1, MAX_STEPS),
        };
        Ok(Segment {
            steps,
            parameters,
            style: self.style.style,
            turn: self.turn,
            ground: self.ground,
            // two of the three fix the rhythm
            keeps_rhythm: given >= 2,
        })
    }
}

/// Names of the tables of segments in walk files: the present one, and that of version 0.1.
pub(crate) const KEYS: [&str; 2] = ["segment", "stretch"];

/// The name that a walk file uses.
pub(super) fn key(root: &Table) -> &'static str {
    KEYS.into_iter().find(|key| root.get(key).is_some()).unwrap_or(KEYS[0])
}

/// Reads all segments of a walk file.
pub(super) fn read(root: &Table, dir: Option<&Path>) -> Result<Vec<SegmentRequest>, Error> {
    let field = root.require(key(root), "at least one [[segment]]")?;
    let list = field.list()?;
    if list.is_empty() || list.len() > MAX_SEGMENTS {
        return Err(field.wrong(format!("has {} entries, expected 1 to {MAX_SEGMENTS}", list.len())));
    }
    let mut all: Vec<SegmentRequest> = Vec::new();
    for (i, field) in list.iter().enumerate() {
        let table = field.table(format!("segment {}", i + 1))?;
        let resolved = request(&table)?.resolve(&all, &|name| style::find(name, dir));
        let segment = resolved.map_err(|error| at_its_line(error, &table))?;
        all.push(SegmentRequest { place: Some(field.place()), ..segment });
    }
    let steps: usize = all.iter().map(|s| if let SegmentLength::Steps(n) = s.length { n } else { 0 }).sum();
    if steps > MAX_STEPS {
        return Err(field.wrong(format!("has {steps} steps in all, expected at most {MAX_STEPS}")));
    }
    Ok(all)
}

fn request(table: &Table) -> Result<GaitRequest, Error> {
    table.allow(&[
        &["steps", "seconds", "speed", "step_length", "step_frequency", "gait", "style"],
        &["jump_height", "turn_deg", "slope_deg", "stairs", "determinants"],
    ])?;
    let positive = |key: &str| table.get(key).map(|f| f.positive()).transpose();
    let number = |key: &str| table.get(key).map(|f| f.number()).transpose();
    let word = |key: &str| table.get(key).map(|f| f.string().map(String::from)).transpose();
    Ok(GaitRequest {
        steps: table.get("steps").map(|f| whole(&f)).transpose()?,
        seconds: number("seconds")?,
        speed: positive("speed")?,
        step_length: positive("step_length")?,
        step_frequency: positive("step_frequency")?,
        jump_height: positive("jump_height")?,
        gait: word("gait")?,
        style: word("style")?,
        turn_deg: number("turn_deg")?,
        slope_deg: number("slope_deg")?,
        stairs: table.get("stairs").map(|f| stairs(&f)).transpose()?,
        determinants: table.get("determinants").map_or(Ok(Default::default()), |f| style::amplitudes(&f))?,
    })
}

fn whole(field: &Field) -> Result<u64, Error> {
    match field.within([1.0, MAX_STEPS as f64])? {
        n if n.fract() == 0.0 => Ok(n as u64),
        n => Err(field.wrong(format!("is {n}, expected a whole number of steps"))),
    }
}

fn stairs(field: &Field) -> Result<StairsRequest, Error> {
    let table = field.table("stairs")?;
    table.allow(&[&["rise", "tread"]])?;
    Ok(StairsRequest {
        rise: table.require("rise", "metres of each stair")?.number()?,
        tread: table.require("tread", "metres of depth of each stair")?.number()?,
    })
}

/// The error with file, line and column of the field it is about.
fn at_its_line(error: RequestError, table: &Table) -> Error {
    let RequestError::Value { path, what } = &error else { return error.into() };
    let mut field = path.first().and_then(|key| table.get(key));
    if let [key, entry, ..] = path[..] {
        field = field.and_then(|f| f.table(key).ok()).and_then(|t| t.get(entry));
    }
    match field {
        Some(field) => field.wrong(what.clone()),
        None => error.into(),
    }
}
