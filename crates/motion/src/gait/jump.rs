//! Two-footed jumps, in place or forward: crouch, push-off, flight, landing, standing up.
//!
//! Given are the rise h of the centre of mass after take-off and the distance. Take-off velocity v = sqrt(2 g h); the
//! landing is lower by d, on flat soles: t_flight = (v + sqrt(v^2 + 2 g d)) / g. Heights are quintics between standing,
//! crouch, take-off, landing, lowest point and standing, with zero load at take-off and landing. The rest is as in
//! running (`flight`, `com_path`).
//! Source: our own.
//! Checked by: `tests/it/jumps.rs`.

use super::cop::CenterOfPressure;
use super::foot_path::{FootPath, quintic};
use super::footsteps::{FootSize, Footstep, Footsteps, REFERENCE_LEG, Segment, Start};
use super::leg_ik::SoleEdges;
use super::measure::{Sample, along, sample_at};
use super::parameter::{Kind, PaceRequest, Parameters, Stature};
use super::plan::DT;
use super::refuse;
use super::terrain::Terrain;
use crate::ease::step as ease;
use crate::error::Error;
use anthropi_dynamics::spatial::{Vec3, vec3};
use serde::Serialize;

/// Lengths are in m for legs of [`REFERENCE_LEG`]: default rise, its range, and the longest distance.
const DEFAULT_RISE: f64 = 0.1;
const RISES: [f64; 2] = [0.03, 0.4];
const MAX_DISTANCE: f64 = 0.8;
/// Gravity of the flight phase, m/s2.
const GRAVITY: f64 = 9.81;
/// Height lost from take-off on the toes to landing on flat soles.
const DROP: f64 = 0.1;
/// Vertical distance of push-off and landing, and its increase per metre of rise.
const PUSH_OFF: [f64; 2] = [0.10, 0.55];
const LANDING: [f64; 2] = [0.13, 0.55];
/// Duration of push-off and landing, in distance / speed.
const PHASE_TIME: f64 = 2.1;
/// Upward acceleration in the crouch and at the lowest point, in g.
const REVERSAL: f64 = 0.7;
/// Durations, s: standing before, crouching, standing up, standing after.
const STANDING_BEFORE: f64 = 0.5;
const CROUCHING: f64 = 0.5;
const STANDING_UP: f64 = 0.75;
const STANDING_AFTER: f64 = 0.8;
/// Knee flexion at its least, just after take-off and just before landing, rad.
const KNEE: f64 = 0.35;
/// Trunk lean per metre of crouch, rad/m; at take-off and landing, rad.
const LEAN: f64 = 2.6;
const LEAN_AIR: [f64; 2] = [0.12, 0.25];
/// Shoulder flexion at the end of the crouch, take-off, landing and lowest point, rad.
const ARMS: [f64; 4] = [-0.5, 1.0, 0.5, 0.3];
/// Centre of pressure of a flat sole, fraction of its length.
const COP_FLAT: f64 = 0.42;
/// Heel rise before take-off, s.
pub(super) const HEEL_RISE: f64 = 0.13;
/// Lift of the feet in flight: constant, and per metre of rise.
const FOOT_LIFT: [f64; 2] = [0.03, 1.2];
/// Second derivative of [`foot_lift_curve`] at its ends.
const FOOT_LIFT_CURVATURE: f64 = 64.0;

/// Parameters of a jump: `length` is the distance, `step` the total duration.
pub(super) fn parameters(request: PaceRequest, stature: Stature) -> Result<Parameters, Error> {
    if request.speed.is_some() || request.frequency.is_some() {
        return refuse("a jump has a height and a length; speed and step frequency follow from them");
    }
    let scale = stature.leg / REFERENCE_LEG;
    let (rise, length) = (request.height.unwrap_or(DEFAULT_RISE * scale), request.length.unwrap_or(0.0));
    let [min, max] = RISES.map(|r| r * scale);
    if !(min..=max).contains(&rise) {
        return refuse(format!(
            "a jump height of {rise} m is requested; legs of {:.2} m allow {min:.2} to {max:.2} m",
            stature.leg
        ));
    }
    let max = MAX_DISTANCE * scale;
    if !(0.0..=max).contains(&length) {
        return refuse(format!(
            "a jump of {length} m is requested; legs of {:.2} m allow 0 to {max:.2} m",
            stature.leg
        ));
    }
    let v = (2.0 * GRAVITY * rise).sqrt();
    let flight = (v + (v * v + 2.0 * GRAVITY * DROP * scale).sqrt()) / GRAVITY;
    let mut p =
        Parameters { kind: Kind::Jump, speed: 0.0, length, frequency: 0.0, step: 0.0, double: -flight, rise };
    p.step = Jump::new(&p, scale).end;
    (p.frequency, p.speed) = (1.0 / p.step, length / flight);
    Ok(p)
}

/// Phases and reference curves of a jump.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    /// ends of the phases, s
    crouch: f64,
    lift: f64,
    land: f64,
    low: f64,
    up: f64,
    end: f64,
    /// distances of push-off and landing, speeds at take-off and landing
    distances: [f64; 2],
    speeds: [f64; 2],
    drop: f64,
    /// leg extension after take-off and before landing, until the feet move with the body
    extension: [f64; 2],
}

impl Jump {
    fn new(p: &Parameters, scale: f64) -> Jump {
        let drop = DROP * scale;
        let v = (2.0 * GRAVITY * p.rise).sqrt();
        let speeds = [v, (v * v + 2.0 * GRAVITY * drop).sqrt()];
        let distances = [PUSH_OFF, LANDING].map(|[a, b]| a * scale + b * p.rise);
        let crouch = STANDING_BEFORE + CROUCHING;
        let whole = |t: f64| (t / DT).round() * DT;
        let lift = whole(crouch + PHASE_TIME * distances[0] / speeds[0]);
        let land = lift - p.double;
        let low = land + PHASE_TIME * distances[1] / speeds[1];
        // acceleration of the feet at both ends of the flight
        let pull =
            FOOT_LIFT_CURVATURE * (FOOT_LIFT[0] * scale + FOOT_LIFT[1] * p.rise) / (p.double * p.double);
        let extension = speeds.map(|v| 0.5 * v * v / (GRAVITY + pull));
        let up = low + STANDING_UP;
        let end = whole(low + STANDING_UP + STANDING_AFTER);
        Jump { crouch, lift, land, low, up, end, distances, speeds, drop, extension }
    }
}

/// The simultaneous footsteps of a jump.
///
/// # Errors
/// Jumps that turn or are not on level ground.
pub(super) fn steps(segment: &Segment, size: &FootSize, start: &Start) -> Result<Footsteps, Error> {
    if segment.turn != 0.0 {
        return refuse("a jump cannot turn; turn before or after it");
    }
    let is_level = |p: &super::terrain::Footprint| p.plane[1] == 0.0;
    if segment.ground != Terrain::Level || !start.prints.iter().all(is_level) {
        return refuse("a jump needs level ground");
    }
    let jump = Jump::new(&segment.parameters, size.scale);
    let (ahead, aside) = (libm::cos(start.heading), libm::sin(start.heading));
    let travel = vec3(ahead, aside, 0.0).scale(segment.parameters.length);
    let steps = [1, 0].map(|side| {
        let mut print = start.prints[side];
        print.at += travel;
        Footstep {
            side,
            print,
            lift: jump.lift,
            land: jump.land,
            parameters: segment.parameters,
            style: segment.style,
            segment: 0,
            is_steady: false,
            is_flat: true,
            rise: 0.0,
            heading: start.heading,
        }
    });
    Ok(Footsteps {
        steps: steps.to_vec(),
        start: start.prints,
        profile: start.profile.clone(),
        end: jump.end,
        heading: start.heading,
        style: start.style,
    })
}

/// The jump of a footstep plan, if it is one.
pub(super) fn find(steps: &Footsteps, scale: f64) -> Option<Jump> {
    let step = steps.steps.first().filter(|s| s.parameters.kind == Kind::Jump)?;
    Some(Jump::new(&step.parameters, scale))
}

/// Lift of the feet over the flight, relative to its peak, with high acceleration at both ends.
pub(super) fn foot_lift_curve(s: f64) -> f64 {
    let bump = 16.0 * s * s * (1.0 - s) * (1.0 - s);
    bump * (2.0 - bump)
}

/// Peak lift of the feet, m.
pub(super) fn foot_lift(step: &Footstep, scale: f64) -> f64 {
    FOOT_LIFT[0] * scale + FOOT_LIFT[1] * step.parameters.rise
}

impl Jump {
    /// Heights of the centre of mass; `leg` is its height at a sample with a given knee flexion.
    pub fn heights(&self, samples: usize, standing: f64, leg: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let p = self;
        let [a, b] = [p.lift, p.land].map(|t| (t / DT - 1e-6).ceil() as usize);
        let leaves = (leg(a, KNEE) - p.extension[0]).min(leg(b, KNEE) - p.extension[1] + p.drop);
        let lands = leaves - p.drop;
        let (low, lowest) = (leaves - p.distances[0], lands - p.distances[1]);
        let turn = REVERSAL * GRAVITY;
        (0..samples)
            .map(|k| {
                let t = k as f64 * DT;
                if t < p.crouch {
                    let from = p.crouch - CROUCHING;
                    quintic(from, p.crouch, [standing, 0.0, 0.0], [low, 0.0, turn], t.max(from))
                } else if t < p.lift {
                    quintic(p.crouch, p.lift, [low, 0.0, turn], [leaves, p.speeds[0], -GRAVITY], t)
                } else if t < p.land {
                    let s = t - p.lift;
                    leaves + p.speeds[0] * s - 0.5 * GRAVITY * s * s
                } else if t < p.low {
                    quintic(p.land, p.low, [lands, -p.speeds[1], -GRAVITY], [lowest, 0.0, turn], t)
                } else {
                    quintic(p.low, p.up, [lowest, 0.0, turn], [standing, 0.0, 0.0], t.min(p.up))
                }
            })
            .collect()
    }

    /// Keys of a curve at the ends of the phases.
    fn keys(&self, values: [f64; 6]) -> [(f64, f64); 6] {
        let times = [STANDING_BEFORE, self.crouch, self.lift, self.land, self.low, self.up];
        core::array::from_fn(|k| (times[k], values[k]))
    }

    /// Keys of the trunk lean.
    pub fn lean(&self) -> [(f64, f64); 6] {
        let [down, low] = self.distances.map(|d| LEAN * d);
        self.keys([0.0, down, LEAN_AIR[0], LEAN_AIR[1], low, 0.0])
    }

    /// Keys of the shoulder flexion.
    pub fn arms(&self, own: f64, amount: f64) -> [(f64, f64); 6] {
        let [back, up, land, low] = ARMS.map(|x| own + amount * x);
        self.keys([own, back, up, land, low, own])
    }

    /// Centre of pressure: mid-sole, moving to the toes before heel rise.
    pub fn pressure(&self, feet: &[FootPath; 2], soles: &[SoleEdges; 2]) -> Vec<CenterOfPressure> {
        let p = self;
        (0..feet[0].samples.len())
            .map(|k| {
                let t = k as f64 * DT;
                let has_left = t >= p.lift - 1e-9;
                let s = if has_left { 0.0 } else { ease((t - p.crouch) / (p.lift - HEEL_RISE - p.crouch)) };
                let along = COP_FLAT + (1.0 - COP_FLAT) * s;
                let mut share = [0.0; 4];
                let mut at = Vec3::ZERO;
                for side in 0..2 {
                    let (sole, stances) = (&soles[side], &feet[side].stances);
                    let print = &stances[usize::from(has_left)].print;
                    let x = sole.heel.x + along * (sole.toe.x - sole.heel.x);
                    at += print.point(vec3(x, 0.0, 0.0)).scale(0.5);
                    (share[2 * side], share[2 * side + 1]) = (0.5 * (1.0 - along), 0.5 * along);
                }
                let in_flight = has_left && t < p.land - 1e-9;
                CenterOfPressure { at, share: if in_flight { [0.0; 4] } else { share }, in_flight }
            })
            .collect()
    }
}

/// Measures of a simulated jump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeasuredJump {
    /// rise of the centre of mass after take-off, m
    pub height: f64,
    /// distance of the feet, m
    pub length: f64,
    /// flight time, s
    #[serde(rename = "flight_s")]
    pub flight: f64,
    /// highest vertical force, body weights
    #[serde(rename = "vertical_max_bw")]
    pub peak: f64,
}

/// Measures of all jumps; `weight` in N.
pub(super) fn measured(steps: &Footsteps, samples: &[Sample], weight: f64) -> Vec<MeasuredJump> {
    let jumps = steps.steps.iter().filter(|s| s.parameters.kind == Kind::Jump && s.side == 1);
    jumps.filter_map(|step| measure(step, samples, weight)).collect()
}

fn measure(step: &Footstep, samples: &[Sample], weight: f64) -> Option<MeasuredJump> {
    let index = |t: f64| samples.partition_point(|s| s.time < t);
    let middle = index(step.mid_swing());
    let flies = |s: &&Sample| s.force.iter().all(|f| f.norm() == 0.0);
    let (before, after) = samples.split_at_checked(middle)?;
    let (up, down) = (before.iter().rev().take_while(flies).count(), after.iter().take_while(flies).count());
    let air = samples.get(middle - up..middle + down).filter(|a| !a.is_empty())?;
    let top = air.iter().map(|s| s.center.z).fold(f64::NEG_INFINITY, f64::max);
    let (from, to) = (sample_at(samples, step.lift - 0.3)?, sample_at(samples, step.land + 0.3)?);
    let travel = [0, 1].map(|s| to.sole[s] - from.sole[s]);
    let mean = (travel[0] + travel[1]).scale(0.5);
    let around = &samples[index(step.lift - 1.0)..index(step.land + 1.0)];
    let load = around.iter().map(|s| (s.force[0].z + s.force[1].z) / weight);
    Some(MeasuredJump {
        height: top - air[0].center.z,
        length: along(mean, step.heading)[0],
        flight: air.len() as f64 * DT,
        peak: load.fold(f64::NEG_INFINITY, f64::max),
    })
}
