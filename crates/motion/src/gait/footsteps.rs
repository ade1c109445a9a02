//! Footstep planning: from path segments to timed footprints, from standing through acceleration, the segments and
//! braking to standing.
//!
//! Timing: the swing foot lifts at `lift` and lands at `land`, with land - lift = t_step - t_ds; the other foot lifts
//! t_ds later [L1992 eq. 9.4-9.7]. t_ds < 0 is flight.
//! Source: our own; speed ramps from experiments.

use super::foot_path::StancePhase;
use super::leg_ik::LegIk;
use super::parameter::{Kind, Parameters, REFERENCE_STATURE};
use super::refuse;
use super::style::Style;
use super::terrain::{Footprint, Terrain, TerrainProfile};
use crate::curve::Curve;
use crate::error::Error;

/// Largest change of speed per step, m/s: speeding up, and braking.
const MAX_SPEED_UP: f64 = 0.5;
const MAX_BRAKING: f64 = 0.3;
/// Steps slower than this before and after a run are walked, m/s, for legs of 0.89 m.
const MIN_RUN_SPEED: f64 = 1.5;
/// Largest turn per step, rad.
const MAX_TURN: f64 = 0.8;
/// Durations, s: standing at the start (the centre of mass leads the centre of pressure), first and last weight shift,
/// and from the last landing to the end.
pub(crate) const INITIAL_STANCE: f64 = 1.0;
const FIRST_WEIGHT_SHIFT: f64 = 0.6;
pub(crate) const LAST_WEIGHT_SHIFT: f64 = 0.7;
const FINAL_STANCE: f64 = 2.0;
/// Least distance of a foot to an edge of the ground, m.
const EDGE_MARGIN: f64 = 0.015;
/// Leg length that lengths of the gait model are stated for, m.
pub(crate) const REFERENCE_LEG: f64 = 0.89;

/// A segment of the path with constant gait and terrain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// steady steps; those that change the speed come before
    pub steps: usize,
    /// gait parameters
    pub parameters: Parameters,
    /// gait style
    pub style: Style,
    /// turn over the whole segment, rad, positive to the left
    pub turn: f64,
    /// terrain
    pub ground: Terrain,
    /// whether a change of speed changes the step length only
    pub keeps_rhythm: bool,
}

impl Segment {
    /// Straight ahead on level ground in the neutral style.
    pub fn ahead(parameters: Parameters, steps: usize) -> Segment {
        Segment {
            steps,
            parameters,
            style: Style::default(),
            turn: 0.0,
            ground: Terrain::Level,
            keeps_rhythm: false,
        }
    }
}

/// A footstep: one foot lifts, swings and lands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footstep {
    /// swing foot: 0 left, 1 right
    pub side: usize,
    /// footprint after landing
    pub print: Footprint,
    /// time of toe-off, s
    pub lift: f64,
    /// time of landing, s
    pub land: f64,
    /// gait parameters
    pub parameters: Parameters,
    /// gait style
    pub style: Style,
    /// index of its segment
    pub segment: usize,
    /// whether it has the constant speed of its segment
    pub is_steady: bool,
    /// whether the sole lands flat
    pub is_flat: bool,
    /// height of its stair above that of the other foot, m; zero without stairs
    pub rise: f64,
    /// heading of the path, rad
    pub heading: f64,
}

/// A footstep plan: start, steps and terrain.
#[derive(Clone, Debug, PartialEq)]
pub struct Footsteps {
    /// footsteps in order of time
    pub steps: Vec<Footstep>,
    /// footprints at the start, left and right
    pub start: [Footprint; 2],
    /// height profile of the ground
    pub profile: TerrainProfile,
    /// end of the plan, s
    pub end: f64,
    /// heading at the start, rad
    pub heading: f64,
    /// style at the start
    pub style: Style,
}

/// Standing state at the start of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub prints: [Footprint; 2],
    pub profile: TerrainProfile,
    pub heading: f64,
    pub style: Style,
}

impl Start {
    /// At the origin.
    pub fn standing(style: &Style, size: &FootSize) -> Start {
        let (profile, half) = (TerrainProfile::default(), half_width(style, size));
        let prints = [1.0, -1.0].map(|sign| Footprint::on(&profile, 0.0, sign * half, sign * style.toe_out));
        Start { prints, profile, heading: 0.0, style: *style }
    }
}

/// Lateral distance of an ankle from the path, m.
fn half_width(style: &Style, size: &FootSize) -> f64 {
    (2.0 * size.half + style.width * size.scale) / 2.0
}

/// A step before its footprint is known.
#[derive(Clone, Copy)]
struct StepTarget {
    parameters: Parameters,
    style: Style,
    turn: f64,
    ground: Terrain,
    segment: usize,
    is_steady: bool,
}

impl Footstep {
    /// Time of mid swing, s.
    pub(crate) fn mid_swing(&self) -> f64 {
        0.5 * (self.lift + self.land)
    }
}

/// 1 for the left side (0), -1 for the right (1).
pub(crate) fn sign(side: usize) -> f64 {
    if side == 0 { 1.0 } else { -1.0 }
}

impl Footsteps {
    /// The step that a stance of a foot began with.
    pub(crate) fn step_into(&self, side: usize, stance: &StancePhase) -> Option<&Footstep> {
        self.steps.iter().find(|s| s.side == side && s.land == stance.land)
    }

    /// Curve of a value of the steps, with its nodes in mid swing; postures of the style are reached when the first foot
    /// lifts.
    pub(crate) fn curve(&self, value: impl Fn(&Footstep) -> f64) -> Curve {
        let first = &self.steps[0];
        let parameters = Parameters { kind: Kind::Walk, ..first.parameters };
        let standing = Footstep { style: self.style, parameters, ..*first };
        let keys = self.steps.iter().map(|s| (s.mid_swing(), value(s)));
        Curve::through(&core::iter::once((0.0, value(&standing))).chain(keys).collect::<Vec<_>>(), None)
    }

    /// Standing state after the last step.
    pub(crate) fn after(&self) -> Start {
        let last = |side: usize| self.steps.iter().rev().find(|s| s.side == side);
        Start {
            prints: [0, 1].map(|side| last(side).map_or(self.start[side], |s| s.print)),
            profile: self.profile.clone(),
            heading: self.steps.last().map_or(self.heading, |s| s.heading),
            style: self.steps.last().map_or(self.style, |s| s.style),
        }
    }

    /// Plans the footsteps of a path from a standing state, by default at the origin.
    ///
    /// # Errors
    /// A path without steps; turns that are too sharp or not on level ground.
    pub(crate) fn plan(
        segments: &[Segment],
        size: &FootSize,
        from: Option<Start>,
    ) -> Result<Footsteps, Error> {
        let targets = step_targets(segments, size.scale)?;
        let from = from.unwrap_or_else(|| Start::standing(&segments[0].style, size));
        let Start { prints: start, profile, heading: begin, style } = from;
        let mut terrain = TerrainBuilder { profile, current: Terrain::Level, edge: 0.0 };
        // position and heading of the path
        let middle = (start[0].at + start[1].at).scale(0.5);
        let (mut x, mut y, mut heading) = (middle.x, middle.y, begin);
        let mut steps: Vec<Footstep> = Vec::new();
        let mut lift = INITIAL_STANCE + FIRST_WEIGHT_SHIFT;
        let mut side = 1;
        for (k, w) in targets.iter().enumerate() {
            let is_last = k + 1 == targets.len();
            let half_turn = 0.5 * w.turn;
            let length = w.parameters.length * if k == 0 { 0.5 } else { 1.0 };
            let length = if is_last { 0.0 } else { terrain.extend(w.ground, x, length, size) };
            heading += half_turn;
            x += length * libm::cos(heading);
            y += length * libm::sin(heading);
            heading += half_turn;
            let sign = sign(side);
            let apart = sign * half_width(&w.style, size);
            let (px, py) = (x - apart * libm::sin(heading), y + apart * libm::cos(heading));
            let print = Footprint::on(&terrain.profile, px, py, heading + sign * w.style.toe_out);
            let land = lift + w.parameters.swing();
            let rise = match w.ground {
                Terrain::Stairs { rise, .. } if !is_last => rise,
                _ => 0.0,
            };
            steps.push(Footstep {
                side,
                print,
                lift,
                land,
                parameters: w.parameters,
                style: w.style,
                segment: w.segment,
                is_steady: w.is_steady,
                is_flat: w.ground.is_stairs() || is_last,
                rise,
                heading,
            });
            lift = land + targets.get(k + 1).map_or(w.parameters.double, |n| n.parameters.double);
            side = 1 - side;
        }
        let end = steps.last().map_or(0.0, |s| s.land) + FINAL_STANCE;
        Ok(Footsteps { steps, start, profile: terrain.profile, end, heading: begin, style })
    }
}

/// Height profile under construction.
struct TerrainBuilder {
    profile: TerrainProfile,
    current: Terrain,
    /// start of the last piece
    edge: f64,
}

impl TerrainBuilder {
    /// Extends the profile for a step of `length` from `x`; returns its horizontal length.
    fn extend(&mut self, terrain: Terrain, x: f64, length: f64, size: &FootSize) -> f64 {
        if terrain == self.current {
            return match terrain {
                Terrain::Level => length,
                Terrain::Slope(angle) => length * libm::cos(angle),
                Terrain::Stairs { rise, tread } => {
                    self.edge += tread;
                    self.profile.push(self.edge, rise, 0.0);
                    tread
                }
            };
        }
        // the terrain changes just ahead of the other foot; on stairs the feet are centred on the treads
        self.current = terrain;
        let (rise, slope) = match terrain {
            Terrain::Level => (0.0, 0.0),
            Terrain::Slope(angle) => (0.0, libm::tan(angle)),
            Terrain::Stairs { rise, .. } => (rise, 0.0),
        };
        let (edge, length) = if let Terrain::Stairs { tread, .. } = terrain {
            let edge = x + 0.5 * (tread + size.toe + size.heel);
            (edge, edge + 0.5 * (tread - size.toe - size.heel) - x)
        } else {
            let edge = x + size.toe + EDGE_MARGIN;
            (edge, length.max(edge + EDGE_MARGIN - size.heel - x))
        };
        self.edge = edge;
        self.profile.push(edge, rise, slope);
        length
    }
}

/// Dimensions of a figure's feet and legs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FootSize {
    /// of heel and toe forward of the ankle, m
    pub heel: f64,
    pub toe: f64,
    /// half the breadth of a sole, m
    pub half: f64,
    /// leg length relative to [`REFERENCE_LEG`]
    pub scale: f64,
}

impl FootSize {
    pub fn new(leg_ik: &LegIk) -> FootSize {
        let [a, b] = leg_ik.soles;
        FootSize {
            heel: a.heel.x.min(b.heel.x),
            toe: a.toe.x.max(b.toe.x),
            half: a.half.max(b.half),
            scale: leg_ik.hip_height / REFERENCE_LEG,
        }
    }
}

/// Steps of the segments with those that speed up and brake.
fn step_targets(segments: &[Segment], scale: f64) -> Result<Vec<StepTarget>, Error> {
    if segments.iter().all(|s| s.steps == 0) {
        return refuse("the path has no steps");
    }
    let mut all: Vec<StepTarget> = Vec::new();
    let mut speed = 0.0;
    for (n, s) in segments.iter().enumerate() {
        if s.turn != 0.0 && s.ground != Terrain::Level {
            return refuse("the path turns on a slope or on stairs; turn on level ground");
        }
        let turn = s.turn / s.steps.max(1) as f64;
        if turn.abs() > MAX_TURN {
            let steps = (s.turn.abs() / MAX_TURN).ceil();
            return refuse(format!(
                "the path turns by {:.0} degrees per step; the maximum is {:.0}: use {steps} steps",
                turn.to_degrees(),
                MAX_TURN.to_degrees()
            ));
        }
        let mut parameters = s.parameters;
        if let Terrain::Stairs { tread, .. } = s.ground {
            parameters.length = tread;
            parameters.speed = tread * parameters.frequency;
        }
        // a run brakes to walking speed by running
        let before = all.last().map(|w| w.parameters).filter(|p| p.kind == Kind::Run);
        // a slope or stairs begin with the steady steps
        let ground = all.last().map_or(Terrain::Level, |w| w.ground);
        let step = |parameters| StepTarget {
            parameters,
            style: s.style,
            turn: 0.0,
            ground,
            segment: n,
            is_steady: false,
        };
        let between = |speed| transition(&before.unwrap_or(parameters), speed, s.keeps_rhythm, scale);
        let change = if before.is_some() && parameters.speed < speed { MAX_BRAKING } else { MAX_SPEED_UP };
        all.extend(ramp(speed, parameters.speed, change).into_iter().map(|v| step(between(v))));
        let steady = StepTarget { turn, ground: s.ground, is_steady: true, ..step(parameters) };
        all.extend(core::iter::repeat_n(steady, s.steps));
        speed = parameters.speed;
    }
    // braking, and a last step that brings the feet together
    let (n, s) = (segments.len() - 1, &segments[segments.len() - 1]);
    let last = all.last().map_or(s.parameters, |w| w.parameters);
    let down = ramp(0.0, speed, MAX_BRAKING).into_iter().rev();
    let mut slowing: Vec<Parameters> = down.map(|v| transition(&last, v, s.keeps_rhythm, scale)).collect();
    slowing.extend(slowing.last().copied());
    let ground = if s.ground.is_stairs() { Terrain::Level } else { s.ground };
    let (style, segment) = (s.style, n);
    let step = |parameters| StepTarget { parameters, style, turn: 0.0, ground, segment, is_steady: false };
    all.extend(slowing.into_iter().map(step));
    Ok(all)
}

/// Speeds between two, ends excluded, one per step.
fn ramp(from: f64, to: f64, change: f64) -> Vec<f64> {
    let n = ((to - from).abs() / change).ceil() as usize;
    let n = if from == 0.0 { n.max(1) } else { n.saturating_sub(1) };
    (0..n).map(|k| from + (to - from) * (k + 1) as f64 / (n + 1) as f64).collect()
}

/// Parameters of a transition step. A run begins and ends with walking steps.
fn transition(to: &Parameters, speed: f64, keeps_rhythm: bool, scale: f64) -> Parameters {
    if to.kind == Kind::Run && speed < MIN_RUN_SPEED * scale.sqrt() {
        return Parameters::walking(speed, REFERENCE_STATURE * scale);
    }
    to.at_speed(speed, keeps_rhythm)
}
