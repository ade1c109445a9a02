//! Spells without contact: bodies fall there with gravity and nothing else.

use super::faults::{Fault, Faults, Finding, Unit};
use super::limits::{DEPTH, FLOATS, GRAVITY, SKATE};
use crate::inverse::Inverse;
use std::ops::Range;

/// Shorter flights tell nothing about gravity, s.
const SHORT: f64 = 0.1;
/// Flights are judged without these parts at both ends, where smoothing mixes in the thrust.
const ENDS: f64 = 0.2;

/// Feet that stand higher by this after a flight, m, have gone up.
const STEP: f64 = 0.05;

/// Going up or down takes at least this part of the time of a free fall.
const IN_TIME: f64 = 0.8;

/// Looks at all flights.
pub fn find(faults: &mut Faults) {
    for flight in faults.inverse.touches.flights() {
        if lifted(faults, &flight) {
            continue;
        }
        let inside = flight.start.max(faults.judged.start)..flight.end.min(faults.judged.end);
        if inside.len() as f64 * faults.dt() < SHORT {
            continue;
        }
        let trim = (inside.len() as f64 * ENDS) as usize;
        judge(faults, flight, inside.start + trim..inside.end - trim);
    }
}

/// Whether the figure goes up or down in less time than a jump or a fall takes; that is told.
fn lifted(faults: &mut Faults, flight: &Range<usize>) -> bool {
    let Some(step) = step(faults.inverse, flight) else { return false };
    let g = faults.inverse.trajectory.clip.figure().gravity().norm();
    let (seconds, least) = (flight.len() as f64 * faults.dt(), (2.0 * step.abs() / g).sqrt());
    if seconds > IN_TIME * least {
        return false;
    }
    let way = if step > 0.0 { "rises" } else { "sinks" };
    let what = format!(
        "it {way} by {:.0} cm from one place to stand to another within {seconds:.2} s; falling so far takes {least:.2} s",
        100.0 * step.abs()
    );
    let (frames, worst, size) = (flight.clone(), flight.start, step.abs());
    let (fault, unit, severity) = (Fault::Float, Unit::Metres, size / STEP);
    faults.findings.push(Finding { fault, frames, worst, size, unit, severity, what });
    true
}

/// By how much the feet stand higher after a flight than before it, if that is much.
fn step(inverse: &Inverse, flight: &Range<usize>) -> Option<f64> {
    let touches = &inverse.touches;
    let standing = |f: usize| {
        let down = (0..touches.places.len()).filter(|k| touches.is_on(*k, f));
        down.map(|k| touches.ground.above(touches.tracks[k].lowest(f))).reduce(f64::min)
    };
    let (before, after) = (standing(flight.start.checked_sub(1)?)?, flight.end);
    let after = (after < touches.frames()).then(|| standing(after)).flatten()?;
    Some(after - before).filter(|s| s.abs() > STEP)
}

/// Speed of the slowest spot that is near the ground.
fn slowest(inverse: &Inverse, frame: usize) -> f64 {
    let touches = &inverse.touches;
    let near = touches.tracks.iter().filter(|t| touches.ground.above(t.lowest(frame)) < DEPTH);
    near.map(|t| t.speed[frame]).reduce(f64::min).unwrap_or(0.0)
}

fn judge(faults: &mut Faults, frames: Range<usize>, middle: Range<usize>) {
    let inverse = faults.inverse;
    let g = inverse.trajectory.clip.figure().gravity().norm();
    let mass = inverse.trajectory.clip.figure().mass();
    let up = inverse.touches.ground.normal();
    // wanted = m (a - g)
    let carried = |f: usize| inverse.frames[f].wanted.linear.dot(up) / (mass * g);
    let mean = middle.clone().map(carried).sum::<f64>() / middle.len().max(1) as f64;
    let falls = 1.0 - mean;
    let worst =
        middle.clone().max_by(|a, b| carried(*a).abs().total_cmp(&carried(*b).abs())).unwrap_or(frames.start);
    let seconds = frames.len() as f64 * faults.dt();
    let lowest = |f: usize| {
        let points = inverse.touches.tracks.iter().flat_map(|t| t.at(f));
        points.map(|p| inverse.touches.ground.above(*p)).fold(f64::INFINITY, f64::min)
    };
    let gap = 100.0 * middle.clone().map(lowest).fold(0.0, f64::max);
    let ((fault, unit), size, limit, what) = if falls < FLOATS && gap < 100.0 * DEPTH {
        let speed = middle.clone().map(|f| slowest(inverse, f)).sum::<f64>() / middle.len().max(1) as f64;
        let what = format!(
            "{mean:.2} of the weight is carried for {seconds:.2} s on feet that slide at {speed:.2} m/s or faster"
        );
        ((Fault::Skate, Unit::MetresPerSecond), speed, SKATE, what)
    } else if falls < FLOATS {
        let what = format!(
            "{mean:.2} of the weight is carried for {seconds:.2} s while nothing touches; the lowest point is up to {gap:.0} \
             cm above the ground"
        );
        ((Fault::Float, Unit::BodyWeights), mean, FLOATS, what)
    } else if let Some(step) = (falls - 1.0).abs().gt(&GRAVITY).then(|| step(inverse, &frames)).flatten() {
        let way = if step > 0.0 { "rises" } else { "sinks" };
        let what = format!(
            "it {way} by {:.0} cm from one place to stand to another without a step, falling with {falls:.2} of gravity",
            100.0 * step.abs()
        );
        ((Fault::Float, Unit::Metres), step.abs(), STEP, what)
    } else if (falls - 1.0).abs() > GRAVITY {
        let (times, way) = if falls > 1.0 { (falls.sqrt(), "fast") } else { (1.0 / falls.sqrt(), "slow") };
        let what = format!(
            "it is in the air for {seconds:.2} s and falls with {falls:.2} of gravity, as if it played {times:.2} times too {way}"
        );
        ((Fault::Gravity, Unit::Ratio), (falls - 1.0).abs(), GRAVITY, what)
    } else {
        return;
    };
    faults.findings.push(Finding { fault, frames, worst, size, unit, severity: size / limit, what });
}
