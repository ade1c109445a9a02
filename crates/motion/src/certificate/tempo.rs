//! Whether a motion would be possible if it played faster or slower.
//!
//! Played k times as fast, velocities grow with k and all that is inertial with k^2, while weight stays: the wrench from
//! outside becomes  weight + k^2 (wanted - weight)  for the same poses and contacts. The k at which least of it is
//! missing is the speed at which the motion was made.

use super::faults::{Fault, Faults, Finding, Unit};
use crate::inverse::Inverse;
use crate::smooth;
use crate::split::{Point, Splitter};
use anthropi_dynamics::spatial::{Force, Vec3};

/// Speeds that are tried, as parts of the given one.
const SPEEDS: [f64; 13] = [0.33, 0.36, 0.4, 0.45, 0.5, 0.55, 0.63, 0.71, 0.83, 1.2, 1.41, 1.7, 2.0];
/// So many frames are looked at.
const FRAMES: usize = 300;
/// Wrenches are smoothed at this, Hz: noise would speak for slow play.
const CUTOFF: f64 = 4.0;
/// Less than this missing gives no reason to doubt, body weights.
const MISSING: f64 = 0.1;
/// Another speed must leave less than this part of what is missing.
const BETTER: f64 = 0.6;
/// Speeds that leave up to this many times the least are as good.
const AS_GOOD: f64 = 1.5;

/// Adds a finding over the whole motion.
pub fn find(faults: &mut Faults) {
    let wrenches = wrenches(faults.inverse, faults.dt());
    let missing = |k: f64| missing(faults.inverse, &wrenches, faults.judged.clone(), k);
    let now = missing(1.0);
    if now < MISSING {
        return;
    }
    let tried = SPEEDS.map(|k| (k, missing(k)));
    let least = tried.iter().map(|t| t.1).fold(f64::INFINITY, f64::min);
    if least >= BETTER * now {
        return;
    }
    // slower than needed is possible too: of the speeds that do, the one nearest to that of the file
    let enough = (AS_GOOD * least).min(BETTER * now);
    let does = tried.iter().filter(|t| t.1 <= enough).min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
    let Some((k, least)) = does.copied() else { return };
    let (times, way) = if k < 1.0 { (1.0 / k, "fast") } else { (k, "slow") };
    let what = format!(
        "it plays at least {times:.1} times too {way}: at that pace {least:.2} body weights of force would be missing in \
         the mean, now it is {now:.2}"
    );
    let frames = faults.judged.clone();
    let severity = now / least.max(0.1 * MISSING);
    faults.findings.push(Finding {
        fault: Fault::Tempo,
        worst: frames.start,
        frames,
        size: times,
        unit: Unit::Ratio,
        severity,
        what,
    });
}

/// Of a speed from the given one.
fn distance(k: f64) -> f64 {
    libm::log(k).abs()
}

/// Moment about the centre of mass and force of each frame, smoothed.
fn wrenches(inverse: &Inverse, dt: f64) -> Vec<Force> {
    let mut values: Vec<f64> = inverse.frames.iter().flat_map(|f| f.wanted.to_array()).collect();
    smooth::low_pass(&mut values, 6, 1.0 / dt, CUTOFF);
    let vector = |w: &[f64]| Vec3 { x: w[0], y: w[1], z: w[2] };
    values.chunks_exact(6).map(|w| Force::new(vector(w), vector(&w[3..]))).collect()
}

/// Mean force and moment that no contact gives at another speed, body weights.
fn missing(inverse: &Inverse, wrenches: &[Force], judged: std::ops::Range<usize>, k: f64) -> f64 {
    let figure = inverse.trajectory.clip.figure();
    let weight = inverse.weight();
    let still = Force::new(Vec3::ZERO, figure.gravity().scale(-figure.mass()));
    let (normal, length) = (inverse.touches.ground.normal(), inverse.length());
    let step = judged.len().div_ceil(FRAMES).max(1);
    let (mut splitter, mut forces, mut points) = (Splitter::default(), Vec::new(), Vec::new());
    let (mut sum, mut count) = (0.0, 0);
    for f in judged.step_by(step) {
        points.clear();
        let at = inverse.frames[f].pushes.iter().map(|p| p.at);
        points.extend(at.map(|at| Point { at, normal, friction: inverse.friction }));
        let wanted = still + (wrenches[f] - still).times(k * k);
        let split = splitter.split(wanted, inverse.frames[f].center, &points, [weight, length], &mut forces);
        sum += split.missing.linear.norm() / weight + split.missing.angular.norm() / (weight * length);
        count += 1;
    }
    sum / f64::from(count.max(1))
}
