//! A gait request as every front end states it: the command line, walk files, Python and the studio fill in the same
//! fields, and `resolve` checks them. Omitted fields follow the segment before, except the turn.

use super::style::NamedStyle;
use super::{MAX_STEPS, SegmentLength, SegmentRequest};
use crate::builtin;
use crate::resolve;
use anthropi_formats::Error;
use anthropi_motion::gait::determinant::NAMES;
use anthropi_motion::gait::parameter::{Kind, PaceRequest};
use anthropi_motion::gait::terrain::Terrain;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Shortest and longest segment, s.
const SECONDS: [f64; 2] = [0.1, 1200.0];
/// Largest turn of a segment to either side, degrees.
const TURN: f64 = 3600.0;
/// Steepest slope up or down, degrees.
pub const MAX_SLOPE_DEG: f64 = 20.0;
/// Highest stair up or down, m.
pub const MAX_RISE: f64 = 0.35;
/// Shallowest and deepest tread, m.
pub const TREADS: [f64; 2] = [0.2, 1.0];
/// Words for the kinds of gait.
const GAITS: [(&str, Kind); 3] = [("walk", Kind::Walk), ("run", Kind::Run), ("jump", Kind::Jump)];

/// Word for a kind of gait.
pub fn gait_word(kind: Kind) -> &'static str {
    GAITS.iter().find(|(_, k)| *k == kind).map_or("", |(word, _)| word)
}

/// One segment of a walk as requested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GaitRequest {
    /// steady steps, or jumps
    pub steps: Option<u64>,
    /// duration in s, rounded to whole steps; instead of `steps`
    pub seconds: Option<f64>,
    /// m/s; at most two of speed, step length and step frequency
    pub speed: Option<f64>,
    /// m; for jumps the distance
    pub step_length: Option<f64>,
    /// steps per second
    pub step_frequency: Option<f64>,
    /// rise of the centre of mass in a jump, m
    pub jump_height: Option<f64>,
    /// `walk`, `run` or `jump`
    pub gait: Option<String>,
    /// name of a built-in style, or a file
    pub style: Option<String>,
    /// turn over the segment, degrees to the left
    pub turn_deg: Option<f64>,
    /// slope, degrees uphill
    pub slope_deg: Option<f64>,
    /// stairs, one tread per step; instead of `slope_deg`
    pub stairs: Option<StairsRequest>,
    /// amplitudes that differ from the style's: 0 off, 1 normal
    pub determinants: BTreeMap<String, f64>,
}

/// A flight of stairs as requested.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StairsRequest {
    /// height of a stair, m; negative downstairs
    pub rise: f64,
    /// depth of a stair, m
    pub tread: f64,
}

/// Reason why a gait request is refused.
#[derive(Debug)]
pub enum RequestError {
    /// a value that cannot be used
    Value {
        /// the field, then the entry in it where it is a table
        path: Vec<&'static str>,
        /// value and expectation
        what: String,
    },
    /// a style file that cannot be read
    Style(Error),
}

impl From<RequestError> for Error {
    fn from(error: RequestError) -> Error {
        match error {
            RequestError::Value { mut path, what } => {
                path.reverse();
                let what = format!("{}: {what}", path.join(" of "));
                Error::Motion { source: anthropi_motion::Error::Gait { what } }
            }
            RequestError::Style(error) => error,
        }
    }
}

fn refuse<T>(path: &[&'static str], what: String) -> Result<T, RequestError> {
    Err(RequestError::Value { path: path.to_vec(), what })
}

fn within(path: &[&'static str], x: f64, [low, high]: [f64; 2]) -> Result<f64, RequestError> {
    if (low..=high).contains(&x) { Ok(x) } else { refuse(path, format!("is {x}, expected {low} to {high}")) }
}

impl GaitRequest {
    /// The segment that follows `before`; `find_style` returns the style of a name, if there is one.
    ///
    /// # Errors
    /// The first field whose value cannot be used.
    pub fn resolve(
        &self,
        before: &[SegmentRequest],
        find_style: &dyn Fn(&str) -> Option<Result<NamedStyle, Error>>,
    ) -> Result<SegmentRequest, RequestError> {
        let last = before.last().cloned().unwrap_or_default();
        let (was, jumped) = (last.ground, last.kind == Kind::Jump);
        let mut segment = SegmentRequest { turn: 0.0, place: None, ..last };
        if let Some(word) = &self.gait {
            let Some((_, kind)) = GAITS.iter().find(|(w, _)| w == word) else {
                let known = GAITS.map(|(w, _)| w).join("\", \"");
                return refuse(&["gait"], format!("is \"{word}\", expected one of \"{known}\""));
            };
            segment.kind = *kind;
        }
        let jumps = segment.kind == Kind::Jump;
        segment.length = match (self.steps, self.seconds) {
            (Some(_), Some(_)) => {
                return refuse(&["seconds"], "conflicts with `steps`; give one of them".into());
            }
            (Some(n), None) => {
                SegmentLength::Steps(within(&["steps"], n as f64, [1.0, MAX_STEPS as f64])? as usize)
            }
            (None, Some(t)) => SegmentLength::Seconds(within(&["seconds"], t, SECONDS)?),
            (None, None) if jumps == jumped => segment.length,
            (None, None) if jumps => SegmentLength::Steps(1),
            (None, None) => SegmentRequest::default().length,
        };
        if let Some(name) = &self.style {
            segment.style = match find_style(name) {
                Some(style) => style.map_err(RequestError::Style)?,
                None => {
                    let all: Vec<&str> = builtin::names(resolve::ItemKind::Style).collect();
                    let all = all.join(", ");
                    let what = format!(
                        "there is no style `{name}` and no such file beside this one. Available: {all}"
                    );
                    return refuse(&["style"], what);
                }
            };
        }
        for (name, amplitude) in &self.determinants {
            let Some(own) = segment.style.style.determinants.get_mut(name) else {
                let all = NAMES.join(", ");
                return refuse(
                    &["determinants"],
                    format!("there is no determinant `{name}`. Available: {all}"),
                );
            };
            *own = *amplitude;
        }
        if let Some(turn) = self.turn_deg {
            segment.turn = within(&["turn_deg"], turn, [-TURN, TURN])?.to_radians();
        }
        segment.ground = self.terrain()?.unwrap_or(was);
        segment.pace = self.pace(before, &segment, was);
        Ok(segment)
    }

    fn terrain(&self) -> Result<Option<Terrain>, RequestError> {
        Ok(match (self.slope_deg, self.stairs) {
            (Some(_), Some(_)) => {
                return refuse(&["stairs"], "conflicts with `slope_deg`; give one of them".into());
            }
            (Some(slope), None) => {
                let slope = within(&["slope_deg"], slope, [-MAX_SLOPE_DEG, MAX_SLOPE_DEG])?;
                Some(if slope == 0.0 { Terrain::Level } else { Terrain::Slope(slope.to_radians()) })
            }
            (None, Some(StairsRequest { rise, tread })) => Some(Terrain::Stairs {
                rise: within(&["stairs", "rise"], rise, [-MAX_RISE, MAX_RISE])?,
                tread: within(&["stairs", "tread"], tread, TREADS)?,
            }),
            (None, None) => None,
        })
    }

    /// Stairs and jumps have their own pace; after them the pace requested before holds again.
    fn pace(&self, before: &[SegmentRequest], segment: &SegmentRequest, was: Terrain) -> PaceRequest {
        let own = PaceRequest {
            speed: self.speed,
            length: self.step_length,
            frequency: self.step_frequency,
            height: self.jump_height,
        };
        if own != PaceRequest::default() {
            return own;
        }
        let is_plain = |s: &&SegmentRequest| !s.ground.is_stairs() && s.kind != Kind::Jump;
        let jumped = before.last().is_some_and(|s| s.kind == Kind::Jump);
        match segment.kind == Kind::Jump {
            true if jumped => segment.pace,
            true => PaceRequest::default(),
            false if segment.ground.is_stairs() && was.is_stairs() => segment.pace,
            false if segment.ground.is_stairs() => PaceRequest::default(),
            false => before.iter().rev().find(is_plain).map_or(PaceRequest::default(), |s| s.pace),
        }
    }
}
