//! Frames that no body can have been in: leaps of a joint or of the whole figure, mended and told.
//!
//! A leap is a step from one frame to the next that is faster than any person. Between leaps a joint has runs of frames;
//! runs too short to be a motion are noise, and give way to what lies around them. A leap between two long runs is a
//! cut: joints go over it within a few frames; if the whole figure leaps, what follows is moved back.
//! Source: our own. Not here: noise within what people can do (`smooth`).
//! Checked by: tests below.

use crate::clip::{Clip, joint_of_coordinate};
use crate::pose;
use crate::touch::spells;
use anthropi_dynamics::model::{Body, BodyJoint};
use anthropi_dynamics::spatial::Quat;
use std::ops::Range;

/// No joint of a person turns faster, rad/s...
pub(crate) const TURN: f64 = 60.0;
/// ...and nobody moves faster, m/s.
pub(crate) const TRAVEL: f64 = 20.0;
/// Runs shorter than this between leaps are noise, s.
const SHORT: f64 = 0.1;
/// Joints go over a cut within so long, s.
const OVER: f64 = 0.05;

/// The clip without leaps, and what was done, a sentence each.
pub fn mend(clip: &Clip) -> (Clip, Vec<String>) {
    let figure = clip.figure().clone();
    let (nq, frames, dt) = (figure.forest().nq(), clip.frames(), clip.dt());
    let mut q = clip.poses().to_vec();
    let mut notes = Vec::new();
    for body in figure.forest().bodies().iter().skip(1) {
        let leaps: Vec<bool> = (1..frames).map(|f| is_leap(body, &q, nq, f, dt)).collect();
        if !leaps.contains(&true) {
            continue;
        }
        let name = joint_of_coordinate(&figure, body.iq as usize);
        let quiet: Vec<bool> = leaps.iter().map(|l| !l).collect();
        // runs of frames: a spell of quiet steps and the frame it ends at
        let mut runs: Vec<Range<usize>> = spells(&quiet).into_iter().map(|s| s.start..s.end + 1).collect();
        let least = ((SHORT / dt).ceil() as usize).min(frames / 3);
        runs.retain(|r| r.len() >= least.max(2));
        if runs.is_empty() {
            continue;
        }
        let bad = frames - runs.iter().map(Range::len).sum::<usize>();
        if bad > 0 {
            notes.push(format!("{name} leaps: {bad} of {frames} frames replaced by what lies around them"));
        }
        if body.joint == BodyJoint::Free {
            move_back(body, &mut q, nq, &runs, dt, &name, &mut notes);
        }
        for pair in runs.windows(2) {
            let over = if pair[0].end == pair[1].start { ((0.5 * OVER / dt) as usize).max(1) } else { 0 };
            let from = (pair[0].end - 1).saturating_sub(over).max(pair[0].start);
            let to = (pair[1].start + over).min(pair[1].end - 1);
            if over > 0 && body.joint != BodyJoint::Free {
                notes.push(format!(
                    "{name} leaps at {:.2} s; it goes over in {} frames",
                    clip.time(to),
                    to - from
                ));
            }
            (from + 1..to).for_each(|f| mix(body, &mut q, nq, [from, to], f));
        }
        let (first, last) = (runs[0].start, runs[runs.len() - 1].end - 1);
        (0..first).for_each(|f| mix(body, &mut q, nq, [first, first], f));
        (last + 1..frames).for_each(|f| mix(body, &mut q, nq, [last, last], f));
    }
    if notes.is_empty() { (clip.clone(), notes) } else { (clip.with_same_frames(q), notes) }
}

/// Whether a joint leaps into a frame.
fn is_leap(body: &Body, q: &[f64], nq: usize, frame: usize, dt: f64) -> bool {
    let [a, b] = [&q[(frame - 1) * nq..frame * nq], &q[frame * nq..(frame + 1) * nq]];
    let iq = body.iq as usize;
    let turn = |i: usize| pose::quaternion(a, i).inverse().then(pose::quaternion(b, i)).log().norm();
    match body.joint {
        BodyJoint::Spherical => turn(iq) > TURN * dt,
        BodyJoint::Free => {
            turn(iq + 3) > TURN * dt || (pose::triple(b, iq) - pose::triple(a, iq)).norm() > TRAVEL * dt
        }
        BodyJoint::Prismatic(_) => (b[iq] - a[iq]).abs() > TRAVEL * dt,
        other => (0..other.nq()).any(|k| (b[iq + k] - a[iq + k]).abs() > TURN * dt),
    }
}

/// Puts each run of a free joint where the one before leads, by travel alone.
fn move_back(
    body: &Body,
    q: &mut [f64],
    nq: usize,
    runs: &[Range<usize>],
    dt: f64,
    name: &str,
    notes: &mut Vec<String>,
) {
    let i = body.iq as usize;
    for pair in runs.windows(2) {
        let at = |q: &[f64], f: usize| pose::triple(&q[f * nq..(f + 1) * nq], i);
        let (last, first) = (pair[0].end - 1, pair[1].start);
        let speed = (at(q, last) - at(q, last - 1)).scale((first - last) as f64);
        let leap = at(q, first) - at(q, last) - speed;
        if leap.norm() > TRAVEL * dt {
            notes.push(format!(
                "{name} leaps by {:.2} m at {:.2} s; what follows is moved back",
                leap.norm(),
                first as f64 * dt
            ));
            for frame in first..q.len() / nq {
                let moved = at(q, frame) - leap;
                q[frame * nq + i..frame * nq + i + 3].copy_from_slice(&moved.to_array());
            }
        }
    }
}

/// The coordinates of a joint in a frame from those in two others.
fn mix(body: &Body, q: &mut [f64], nq: usize, [from, to]: [usize; 2], frame: usize) {
    let s = if to > from { (frame - from) as f64 / (to - from) as f64 } else { 0.0 };
    let turned = |q: &mut [f64], i: usize| {
        let [a, b] = [from, to].map(|f| pose::quaternion(&q[f * nq..(f + 1) * nq], i));
        let turn = Quat::exp(a.inverse().then(b).log().scale(s));
        q[frame * nq + i..frame * nq + i + 4].copy_from_slice(&a.then(turn).normalized().0);
    };
    let iq = body.iq as usize;
    let line = |q: &mut [f64], i: usize| {
        q[frame * nq + i] = q[from * nq + i] + s * (q[to * nq + i] - q[from * nq + i]);
    };
    match body.joint {
        BodyJoint::Spherical => turned(q, iq),
        BodyJoint::Free => {
            (0..3).for_each(|k| line(q, iq + k));
            turned(q, iq + 3);
        }
        other => (0..other.nq()).for_each(|k| line(q, iq + k)),
    }
}
