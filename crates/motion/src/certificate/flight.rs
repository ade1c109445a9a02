//! Intervals without contact: the body must be in free fall.

use super::faults::{Fault, Faults, Unit};
use super::limits::{DEPTH, FLOATS, GRAVITY, SKATE};
use crate::inverse::Inverse;
use std::ops::Range;

/// Flights shorter than this do not determine gravity, s.
const MIN_FLIGHT: f64 = 0.1;
/// Part of a flight excluded at each end, where smoothing mixes in the take-off.
const END_PART: f64 = 0.2;

/// Step height: difference between the contacts before and after a flight, m.
const STEP: f64 = 0.05;

/// A rise or drop takes at least this part of the time of a free fall.
const IN_TIME: f64 = 0.8;

/// Assesses all flights.
pub fn find(faults: &mut Faults) {
    for flight in faults.inverse.schedule.flights() {
        if lifted(faults, &flight) {
            continue;
        }
        let inside = flight.start.max(faults.assessed.start)..flight.end.min(faults.assessed.end);
        if inside.len() as f64 * faults.dt() < MIN_FLIGHT {
            continue;
        }
        let trim = (inside.len() as f64 * END_PART) as usize;
        assess(faults, flight, inside.start + trim..inside.end - trim);
    }
}

/// Reports a figure that rises or sinks faster than in a jump or fall; returns whether it did.
fn lifted(faults: &mut Faults, flight: &Range<usize>) -> bool {
    let Some(step) = step(faults.inverse, flight) else { return false };
    let g = faults.inverse.trajectory.clip.figure().gravity().norm();
    let (seconds, least) = (flight.len() as f64 * faults.dt(), (2.0 * step.abs() / g).sqrt());
    if seconds > IN_TIME * least {
        return false;
    }
    let way = if step > 0.0 { "rises" } else { "sinks" };
    let what = format!(
        "it {way} by {:.0} cm between supports within {seconds:.2} s; a free fall of that height takes {least:.2} s",
        100.0 * step.abs()
    );
    faults.add((Fault::Float, Unit::Metres), flight.clone(), flight.start, step.abs(), STEP, what);
    true
}

/// Height of the contacts after a flight over those before it, if above [`STEP`].
fn step(inverse: &Inverse, flight: &Range<usize>) -> Option<f64> {
    let schedule = &inverse.schedule;
    let before = schedule.lowest_contact(flight.start.checked_sub(1)?)?;
    let after = (flight.end < schedule.frames()).then(|| schedule.lowest_contact(flight.end))??;
    Some(after - before).filter(|s| s.abs() > STEP)
}

/// Speed of the slowest contact point that is near the ground.
fn slowest(inverse: &Inverse, frame: usize) -> f64 {
    let schedule = &inverse.schedule;
    let near = schedule.tracks.iter().filter(|t| schedule.ground.above(t.lowest(frame)) < DEPTH);
    near.map(|t| t.speed[frame]).reduce(f64::min).unwrap_or(0.0)
}

fn assess(faults: &mut Faults, frames: Range<usize>, middle: Range<usize>) {
    let inverse = faults.inverse;
    let g = inverse.trajectory.clip.figure().gravity().norm();
    let mass = inverse.trajectory.clip.figure().mass();
    let up = inverse.schedule.ground.normal();
    // wanted = m (a - g)
    let carried = |f: usize| inverse.frames[f].required.linear.dot(up) / (mass * g);
    let mean = middle.clone().map(carried).sum::<f64>() / middle.len().max(1) as f64;
    let falls = 1.0 - mean;
    let worst =
        middle.clone().max_by(|a, b| carried(*a).abs().total_cmp(&carried(*b).abs())).unwrap_or(frames.start);
    let seconds = frames.len() as f64 * faults.dt();
    let gap = 100.0 * middle.clone().map(|f| inverse.schedule.lowest(f)).fold(0.0, f64::max);
    let (kind, size, limit, what) = if falls < FLOATS && gap < 100.0 * DEPTH {
        let speed = middle.clone().map(|f| slowest(inverse, f)).sum::<f64>() / middle.len().max(1) as f64;
        let what = format!(
            "feet that slide at {speed:.2} m/s or faster carry {mean:.2} of the weight for {seconds:.2} s"
        );
        ((Fault::Skate, Unit::MetresPerSecond), speed, SKATE, what)
    } else if falls < FLOATS {
        let what = format!(
            "{mean:.2} of the weight is carried for {seconds:.2} s without contact; the lowest point is up to {gap:.0} cm \
             above the ground"
        );
        ((Fault::Float, Unit::BodyWeights), mean, FLOATS, what)
    } else if let Some(step) = (falls - 1.0).abs().gt(&GRAVITY).then(|| step(inverse, &frames)).flatten() {
        let way = if step > 0.0 { "rises" } else { "sinks" };
        let what = format!(
            "it {way} by {:.0} cm between supports without a step, falling with {falls:.2} of gravity",
            100.0 * step.abs()
        );
        ((Fault::Float, Unit::Metres), step.abs(), STEP, what)
    } else if (falls - 1.0).abs() > GRAVITY {
        let (times, way) = if falls > 1.0 { (falls.sqrt(), "fast") } else { (1.0 / falls.sqrt(), "slow") };
        let what = format!(
            "it is in flight for {seconds:.2} s and falls with {falls:.2} of gravity, as if played {times:.2} times too {way}"
        );
        ((Fault::Gravity, Unit::Ratio), (falls - 1.0).abs(), GRAVITY, what)
    } else {
        return;
    };
    faults.add(kind, frames, worst, size, limit, what);
}
