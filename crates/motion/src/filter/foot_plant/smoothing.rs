//! Corrections of inverse kinematics without leaps.
//!
//! Poses are found frame by frame; near stretched limbs and joint limits neighbouring frames may find quite different ones.
//! Where the correction (pose less posture) changes too fast, its low-passed path is taken instead, with smooth transitions:
//! feet then miss their paths a little, but nothing moves faster than it did.

use crate::ease::step;
use crate::pose;
use crate::smooth;
use anthropi_dynamics::model::Forest;

/// Fastest change of a correction, rad/s.
const MAX_RATE: f64 = 25.0;
/// Cut-off of the corrections around faster changes, Hz.
const CUTOFF: f64 = 5.0;
/// Time before and after in which the smooth correction is taken alone, and until which it fades, s.
const NEAR: f64 = 0.05;
const FADE: f64 = 0.12;

/// Smooths the corrections from `postures` to `poses` where they leap; `root` is its range of degrees of freedom.
pub(super) fn smooth(
    forest: &Forest,
    root: core::ops::Range<usize>,
    dt: f64,
    postures: &[Vec<f64>],
    poses: &mut [Vec<f64>],
) {
    let nv = forest.nv();
    let mut corrections = vec![0.0; nv * poses.len()];
    for ((d, posture), pose) in corrections.chunks_exact_mut(nv).zip(postures).zip(&*poses) {
        pose::difference(forest, posture, pose, d);
    }
    let at = |f: usize| &corrections[f * nv..(f + 1) * nv];
    let leaps = |f: &usize| {
        let change = |k: usize| (at(*f)[k] - at(*f - 1)[k]).abs();
        (0..nv).filter(|k| !root.contains(k)).map(change).fold(0.0, f64::max) > MAX_RATE * dt
    };
    let leaps: Vec<usize> = (1..poses.len()).filter(leaps).collect();
    if leaps.is_empty() {
        return;
    }
    let mut slow = corrections.clone();
    smooth::low_pass(&mut slow, nv, 1.0 / dt, CUTOFF);
    let mut nearest = leaps.iter().copied().peekable();
    let mut before = None;
    for (f, (posture, pose)) in postures.iter().zip(poses).enumerate() {
        while let Some(leap) = nearest.next_if(|leap| *leap <= f) {
            before = Some(leap);
        }
        let distances = [before.map(|b| f - b), nearest.peek().map(|n| n - f)];
        let Some(frames) = distances.into_iter().flatten().min() else { continue };
        let part = 1.0 - step((frames as f64 * dt - NEAR) / (FADE - NEAR));
        if part > 0.0 {
            let blend = |k: usize| at(f)[k] + part * (slow[f * nv + k] - at(f)[k]);
            let correction: Vec<f64> = (0..nv).map(blend).collect();
            pose::along(forest, posture, &correction, 1.0, pose);
        }
    }
}
