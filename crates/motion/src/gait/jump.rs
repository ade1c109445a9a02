//! Jumps with both feet, on the spot or ahead: crouch, push off, flight, landing, standing up.
//!
//! Asked for are the rise h of the centre of mass after the feet have left, and how far the feet go. It leaves with
//! v = sqrt(2 g h) and lands lower by a drop d, on flat soles: t_flight = (v + sqrt(v^2 + 2 g d)) / g. Heights are polynomials
//! of degree five between standing, crouch, lift, landing, the lowest point and standing, whose loads end at zero where
//! flight begins and begin at zero where it ends. The rest is as in runs (`flight`, `center`).
//! Source: our own.
//! Checked by: `crates/io/tests/jumps.rs`.

use super::feet::{Path, quintic};
use super::ground::Ground;
use super::measure::{Range, Sample};
use super::parameter::{Kind, Parameters, Request, Stature};
use super::plan::DT;
use super::pressure::Pressure;
use super::puppet::Sole;
use super::steps::{PuppetSize, Start, Step, Steps, Stretch};
use crate::ease::step as ease;
use crate::error::Error;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Rise where nothing is said, m, and least and most, for legs of 0.89 m; farthest, m.
const USUAL: f64 = 0.1;
const RISES: [f64; 2] = [0.03, 0.4];
const FARTHEST: f64 = 0.8;
/// Gravity that flights are reckoned with, m/s2.
const GRAVITY: f64 = 9.81;
/// It lands so much lower than it leaves, m, for legs of 0.89 m: on soles, not on toes.
const DROP: f64 = 0.1;
/// Way of the push and of the landing, m, and what a metre of rise adds.
const PUSH: [f64; 2] = [0.10, 0.55];
const ABSORB: [f64; 2] = [0.13, 0.55];
/// Their times, in way / speed.
const SLOWNESS: f64 = 2.1;
/// Upward acceleration in the crouch and at the lowest point, parts of gravity.
const TURNING: f64 = 0.7;
/// Standing before, going down, standing up, standing after, s.
const STILL: f64 = 0.5;
const DOWN: f64 = 0.5;
const UP: f64 = 0.75;
const AFTER: f64 = 0.8;
/// Knees are straightest just after feet have left and just before they land, rad.
const KNEE: f64 = 0.35;
/// Trunk ahead per m of crouch, rad/m; when feet leave and when they land, rad.
const LEAN: f64 = 2.6;
const LEAN_AIR: [f64; 2] = [0.12, 0.25];
/// Arms ahead: at the end of the crouch, when feet leave, land, and at the lowest point, rad.
const ARMS: [f64; 4] = [-0.5, 1.0, 0.5, 0.3];
/// Where pressure is on soles that are flat, part of their length.
const MIDDLE: f64 = 0.42;
/// Heels rise so long before feet leave, s.
pub(super) const HEELS: f64 = 0.13;
/// Feet are drawn up by this, m, and by so much of the rise.
const DRAWN: [f64; 2] = [0.03, 1.2];

/// Parameters of a jump: its length is how far feet go, its step the whole time.
pub(super) fn parameters(request: Request, who: Stature) -> Result<Parameters, Error> {
    let refuse = |what: String| Err(Error::Gait { what });
    if request.speed.is_some() || request.frequency.is_some() {
        return refuse("a jump has a height and a length; speed and step frequency follow from them".into());
    }
    let scale = who.leg / 0.89;
    let (rise, length) = (request.height.unwrap_or(USUAL * scale), request.length.unwrap_or(0.0));
    let [least, most] = RISES.map(|r| r * scale);
    if !(least..=most).contains(&rise) {
        return refuse(format!(
            "a jump that rises by {rise} m is asked for; legs of {:.2} m allow {least:.2} to {most:.2} m",
            who.leg
        ));
    }
    let farthest = FARTHEST * scale;
    if !(0.0..=farthest).contains(&length) {
        return refuse(format!(
            "a jump of {length} m is asked for; legs of {:.2} m allow 0 to {farthest:.2} m",
            who.leg
        ));
    }
    let v = (2.0 * GRAVITY * rise).sqrt();
    let flight = (v + (v * v + 2.0 * GRAVITY * DROP * scale).sqrt()) / GRAVITY;
    let mut p =
        Parameters { kind: Kind::Jump, speed: 0.0, length, frequency: 0.0, step: 0.0, double: -flight, rise };
    p.step = Phases::of(&p, scale).end;
    (p.frequency, p.speed) = (1.0 / p.step, length / flight);
    Ok(p)
}

/// When it does what, s.
#[derive(Clone, Copy, Debug)]
struct Phases {
    crouch: f64,
    lift: f64,
    land: f64,
    low: f64,
    up: f64,
    end: f64,
    /// ways of push and landing, speeds of lift and landing
    ways: [f64; 2],
    speeds: [f64; 2],
    drop: f64,
    /// how much farther legs reach after the lift and before the landing: feet follow the body within a moment
    more: [f64; 2],
}

impl Phases {
    fn of(p: &Parameters, scale: f64) -> Phases {
        let drop = DROP * scale;
        let v = (2.0 * GRAVITY * p.rise).sqrt();
        let speeds = [v, (v * v + 2.0 * GRAVITY * drop).sqrt()];
        let ways = [PUSH, ABSORB].map(|[a, b]| a * scale + b * p.rise);
        let crouch = STILL + DOWN;
        let whole = |t: f64| (t / DT).round() * DT;
        let lift = whole(crouch + SLOWNESS * ways[0] / speeds[0]);
        let land = lift - p.double;
        let low = land + SLOWNESS * ways[1] / speeds[1];
        // feet leave and come down with this acceleration, see `drawn` and `rise_of_feet`
        let pull = FOLLOW * (DRAWN[0] * scale + DRAWN[1] * p.rise) / (p.double * p.double);
        let more = speeds.map(|v| 0.5 * v * v / (GRAVITY + pull));
        Phases {
            more,
            crouch,
            lift,
            land,
            low,
            up: low + UP,
            end: whole(low + UP + AFTER),
            ways,
            speeds,
            drop,
        }
    }
}

/// The steps of a jump: both feet at once.
///
/// # Errors
/// Jumps that turn, and those on ground that is not level.
pub(super) fn steps(stretch: &Stretch, size: &PuppetSize, start: &Start) -> Result<Steps, Error> {
    let refuse = |what: &str| Err(Error::Gait { what: what.into() });
    if stretch.turn != 0.0 {
        return refuse("the jump turns; turn before or after");
    }
    let is_level = |p: &super::ground::Print| p.plane[1] == 0.0;
    if stretch.ground != Ground::Level || !start.prints.iter().all(is_level) {
        return refuse("the jump is on ground that is not level; jump before or after");
    }
    let phases = Phases::of(&stretch.parameters, size.scale);
    let (ahead, aside) = (libm::cos(start.heading), libm::sin(start.heading));
    let way = vec3(ahead, aside, 0.0).scale(stretch.parameters.length);
    let steps = [1, 0].map(|side| {
        let mut print = start.prints[side];
        print.at += way;
        Step {
            side,
            print,
            lift: phases.lift,
            land: phases.land,
            parameters: stretch.parameters,
            style: stretch.style,
            stretch: 0,
            is_steady: false,
            is_flat: true,
            rise: 0.0,
            heading: start.heading,
        }
    });
    Ok(Steps {
        steps: steps.to_vec(),
        start: start.prints,
        profile: start.profile.clone(),
        end: phases.end,
        heading: start.heading,
        style: start.style,
    })
}

/// The jump that steps are, if they are one.
pub(super) fn of(steps: &Steps, scale: f64) -> Option<Jump> {
    let step = steps.steps.first().filter(|s| s.parameters.kind == Kind::Jump)?;
    Some(Jump { phases: Phases::of(&step.parameters, scale) })
}

/// Acceleration of [`rise_of_feet`] at its ends.
const FOLLOW: f64 = 64.0;

/// How feet are drawn up over the flight, from 0 to 1 and back, fast at both ends.
pub(super) fn rise_of_feet(s: f64) -> f64 {
    let bump = 16.0 * s * s * (1.0 - s) * (1.0 - s);
    bump * (2.0 - bump)
}

/// How far feet are drawn up, m.
pub(super) fn drawn(step: &Step, scale: f64) -> f64 {
    DRAWN[0] * scale + DRAWN[1] * step.parameters.rise
}

/// A jump over time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    phases: Phases,
}

impl Jump {
    /// Samples in which feet leave and land.
    fn ends(&self) -> [usize; 2] {
        [self.phases.lift, self.phases.land].map(|t| (t / DT - 1e-6).ceil() as usize)
    }

    /// Heights of the centre of mass; `leg` tells the height at a sample at which knees have an angle.
    pub fn heights(&self, samples: usize, standing: f64, leg: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let p = &self.phases;
        let [a, b] = self.ends();
        let leaves = (leg(a, KNEE) - p.more[0]).min(leg(b, KNEE) - p.more[1] + p.drop);
        let lands = leaves - p.drop;
        let (low, lowest) = (leaves - p.ways[0], lands - p.ways[1]);
        let turn = TURNING * GRAVITY;
        (0..samples)
            .map(|k| {
                let t = k as f64 * DT;
                if t < p.crouch {
                    let from = p.crouch - DOWN;
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

    /// Keys of the trunk's lean.
    pub fn lean(&self, own: f64) -> Vec<(f64, f64)> {
        let p = &self.phases;
        let [a, b] = LEAN_AIR;
        let [down, low] = p.ways.map(|way| own + LEAN * way);
        vec![(STILL, own), (p.crouch, down), (p.lift, own + a), (p.land, own + b), (p.low, low), (p.up, own)]
    }

    /// Keys of the arms, ahead.
    pub fn arms(&self, own: f64, amount: f64) -> Vec<(f64, f64)> {
        let p = &self.phases;
        let [back, up, land, low] = ARMS.map(|x| own + amount * x);
        vec![(STILL, own), (p.crouch, back), (p.lift, up), (p.land, land), (p.low, low), (p.up, own)]
    }

    /// Centre of pressure: in the middle of the soles, at the toes when heels rise.
    pub fn pressure(&self, feet: &[Path; 2], soles: &[Sole; 2]) -> Vec<Pressure> {
        let p = &self.phases;
        (0..feet[0].ankle.len())
            .map(|k| {
                let t = k as f64 * DT;
                let has_left = t >= p.lift - 1e-9;
                let s = if has_left { 0.0 } else { ease((t - p.crouch) / (p.lift - HEELS - p.crouch)) };
                let along = MIDDLE + (1.0 - MIDDLE) * s;
                let mut share = [0.0; 4];
                let mut at = Vec3::ZERO;
                for side in 0..2 {
                    let (sole, stances) = (&soles[side], &feet[side].stances);
                    let print = &stances[usize::from(has_left)].print;
                    let x = sole.heel.x + along * (sole.toe.x - sole.heel.x);
                    at += print.point(vec3(x, 0.0, 0.0)).scale(0.5);
                    (share[2 * side], share[2 * side + 1]) = (0.5 * (1.0 - along), 0.5 * along);
                }
                let is_free = has_left && t < p.land - 1e-9;
                Pressure { at, share: if is_free { [0.0; 4] } else { share }, is_free }
            })
            .collect()
    }
}

/// A jump as it came out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jumped {
    /// rise of the centre of mass after the feet have left, m
    pub height: f64,
    /// how far the feet went, m
    pub length: f64,
    /// time in the air, s
    pub flight: f64,
    /// vertical force, body weights
    pub load: Range,
}

/// The jumps of a way, measured on the figure; `weight` in N.
pub(super) fn measured(steps: &Steps, samples: &[Sample], weight: f64) -> Vec<Jumped> {
    let jumps = steps.steps.iter().filter(|s| s.parameters.kind == Kind::Jump && s.side == 1);
    jumps.filter_map(|step| jumped(step, samples, weight)).collect()
}

fn jumped(step: &Step, samples: &[Sample], weight: f64) -> Option<Jumped> {
    let index = |t: f64| samples.partition_point(|s| s.time < t);
    let middle = index(0.5 * (step.lift + step.land));
    let flies = |s: &&Sample| s.force.iter().all(|f| f.norm() == 0.0);
    let (before, after) = samples.split_at_checked(middle)?;
    let (up, down) = (before.iter().rev().take_while(flies).count(), after.iter().take_while(flies).count());
    let air = samples.get(middle - up..middle + down).filter(|a| !a.is_empty())?;
    let top = air.iter().map(|s| s.center.z).fold(f64::NEG_INFINITY, f64::max);
    let (from, to) = (samples.get(index(step.lift - 0.3))?, samples.get(index(step.land + 0.3))?);
    let way = [0, 1].map(|s| to.sole[s] - from.sole[s]);
    let mean = (way[0] + way[1]).scale(0.5);
    let mut load = Range::default();
    let around = index(step.lift - 1.0)..index(step.land + 1.0);
    samples[around].iter().for_each(|s| load.take((s.force[0].z + s.force[1].z) / weight));
    Some(Jumped {
        height: top - air[0].center.z,
        length: mean.x * libm::cos(step.heading) + mean.y * libm::sin(step.heading),
        flight: air.len() as f64 * DT,
        load,
    })
}
