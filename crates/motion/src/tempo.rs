//! Playback speed of a motion: whether it would be plausible if played faster or slower.
//!
//! Played k times as fast, velocities grow with k and inertial forces with k^2 while the weight stays: the external
//! wrench becomes  weight + k^2 (required - weight)  for the same poses and contacts. In flight the body falls with k^2 g.
//! Recordings at one frame rate labelled with another play at the ratio of the two: `mislabelled` looks for such a ratio that
//! both gravity in flight and the residual forces, or strong residual forces alone, ask for.
//! Source: our own.
//! Not here: what the certificate says of it (`certificate`).
//! Checked by: `tests/it/certificate.rs`.

use crate::inverse::Inverse;
use crate::pose::triple;
use crate::smooth;
use crate::split::{Point, Splitter};
use anthropi_dynamics::spatial::{Force, Vec3};
use std::ops::Range;

/// Number of frames sampled.
const SAMPLES: usize = 300;
/// Cut-off of the wrenches, Hz: noise would favour slow playback.
const CUTOFF: f64 = 4.0;
/// Common frame rates of motion capture, Hz.
const FRAME_RATES: [f64; 11] = [24.0, 25.0, 30.0, 50.0, 60.0, 100.0, 120.0, 150.0, 200.0, 240.0, 250.0];
/// Ratios nearer to one than this are not looked for, and none beyond the second.
const MIN_RATIO: f64 = 1.45;
const MAX_RATIO: f64 = 5.0;
/// Residuals below this need no explanation, body weights.
const MIN_RESIDUAL: f64 = 0.24;
/// Residuals of a frame count up to this, body weights: single outliers are discontinuities.
const MAX_FRAME_RESIDUAL: f64 = 1.0;
/// Another speed must reduce the residual to less than this part: on its own, and where flights agree.
const MAX_RESIDUAL_PART: f64 = 0.45;
const MAX_RESIDUAL_PART_IN_FLIGHT: f64 = 0.75;
/// Speeds with a residual up to this many times the least count as equally good.
const AS_GOOD: f64 = 1.5;
/// Flights shorter than this do not determine gravity, s; part of a flight excluded at each end.
const MIN_FLIGHT: f64 = 0.1;
const END_PART: f64 = 0.2;
/// Flights agree with a ratio within this factor.
const FLIGHT_TOLERANCE: f64 = 1.15;

/// Residual forces as a function of the playback speed.
pub(crate) struct Residuals<'a> {
    inverse: &'a Inverse,
    frames: Range<usize>,
    /// moment about the centre of mass and force of each frame, smoothed
    wrenches: Vec<Force>,
}

impl<'a> Residuals<'a> {
    /// Over some frames of a motion.
    pub fn new(inverse: &'a Inverse, frames: Range<usize>) -> Residuals<'a> {
        let mut values: Vec<f64> = inverse.frames.iter().flat_map(|f| f.required.to_array()).collect();
        smooth::low_pass(&mut values, 6, 1.0 / inverse.trajectory.clip.dt(), CUTOFF);
        let wrenches = values.chunks_exact(6).map(|w| Force::new(triple(w, 0), triple(w, 3))).collect();
        Residuals { inverse, frames, wrenches }
    }

    /// Mean force and moment that contacts cannot supply at `speed`, body weights.
    pub fn at(&self, speed: f64) -> f64 {
        let inverse = self.inverse;
        let figure = inverse.trajectory.clip.figure();
        let weight = inverse.weight();
        let still = Force::new(Vec3::ZERO, figure.gravity().scale(-figure.mass()));
        let (normal, length) = (inverse.schedule.ground.normal(), inverse.length());
        let step = self.frames.len().div_ceil(SAMPLES).max(1);
        let (mut splitter, mut forces, mut points) = (Splitter::default(), Vec::new(), Vec::new());
        let (mut sum, mut count) = (0.0, 0);
        for f in self.frames.clone().step_by(step) {
            points.clear();
            let at = inverse.frames[f].contact_forces.iter().map(|p| p.at);
            points.extend(at.map(|at| Point { at, normal, friction: inverse.friction }));
            let wanted = still + (self.wrenches[f] - still).times(speed * speed);
            let split =
                splitter.split(wanted, inverse.frames[f].center, &points, [weight, length], &mut forces);
            let residual =
                split.residual.linear.norm() / weight + split.residual.angular.norm() / (weight * length);
            sum += residual.min(MAX_FRAME_RESIDUAL);
            count += 1;
        }
        sum / f64::from(count.max(1))
    }
}

/// A motion labelled with the wrong frame rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mislabelled {
    /// playback speed at which the motion is plausible, relative to the given one
    pub speed: f64,
    /// mean residual force as given and at that speed, body weights
    pub residual: [f64; 2],
    /// number of flights that fall accordingly
    pub flights: usize,
}

/// Looks for a frame rate that makes a motion plausible; `None` if the given one will do, or none clearly does.
pub fn mislabelled(inverse: &Inverse) -> Option<Mislabelled> {
    let clip = &inverse.trajectory.clip;
    let residuals = Residuals::new(inverse, 0..clip.frames());
    let now = residuals.at(1.0);
    let falls = flights(inverse);
    if now < MIN_RESIDUAL && falls.is_empty() {
        return None;
    }
    let tried = FRAME_RATES.iter().map(|rate| rate * clip.dt()).filter(|k| {
        let ratio = k.max(1.0 / k);
        (MIN_RATIO..=MAX_RATIO).contains(&ratio)
    });
    let mut accepted: Vec<Mislabelled> = Vec::new();
    for speed in tried {
        let agrees = |g: &&f64| {
            let off = g.sqrt() * speed;
            off.max(1.0 / off) < FLIGHT_TOLERANCE
        };
        let agreeing = falls.iter().filter(agrees).count();
        let then = residuals.at(speed);
        let by_flight = agreeing > 0
            && 2 * agreeing > falls.len()
            && then < MAX_RESIDUAL_PART_IN_FLIGHT * now
            && now > 0.5 * MIN_RESIDUAL;
        // whatever is slow enough is plausible: residuals alone say nothing about faster playback
        let by_residual = speed < 1.0 && now > MIN_RESIDUAL && then < MAX_RESIDUAL_PART * now && {
            // a flight at about the right gravity speaks against
            let normal = falls.iter().filter(|g| (0.6..1.6).contains(*g)).count();
            2 * normal <= falls.len()
        };
        if by_flight || by_residual {
            accepted.push(Mislabelled { speed, residual: [now, then], flights: agreeing });
        }
    }
    let least = accepted.iter().map(|m| m.residual[1]).fold(f64::INFINITY, f64::min);
    let distance = |m: &Mislabelled| libm::log(m.speed).abs();
    let best = |a: &Mislabelled, b: &Mislabelled| {
        // flights determine the speed, residuals only bound it
        (b.flights > 0).cmp(&(a.flights > 0)).then(distance(a).total_cmp(&distance(b)))
    };
    accepted.into_iter().filter(|m| m.residual[1] <= AS_GOOD * least || m.flights > 0).min_by(best)
}

/// Fall of each flight, parts of gravity.
fn flights(inverse: &Inverse) -> Vec<f64> {
    let clip = &inverse.trajectory.clip;
    let weight = inverse.weight();
    let up = inverse.schedule.ground.normal();
    let fall = |flight: Range<usize>| {
        let trim = (flight.len() as f64 * END_PART) as usize;
        let middle = flight.start + trim..flight.end - trim;
        let carried: f64 = middle.clone().map(|f| inverse.frames[f].required.linear.dot(up) / weight).sum();
        1.0 - carried / middle.len().max(1) as f64
    };
    let all = inverse.schedule.flights().into_iter();
    let inside = all.filter(|f| f.start > 0 && f.end < clip.frames());
    inside.filter(|f| f.len() as f64 * clip.dt() >= MIN_FLIGHT).map(fall).filter(|g| *g > 0.0).collect()
}
