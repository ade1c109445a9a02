//! Path of the centre of pressure, and the distribution of the load over the feet.
//!
//! In single support it moves from the heel edge, once the foot is flat, to the toe edge at heel rise; downstairs from
//! the toe edge back and forth. In double support it is the virtual foot between the two [L1992 §9.4.5]:
//!     p = (1 - alpha) p_rear + alpha p_front,  alpha(t) linear, cosine or cubic.
//! In flight no foot carries a load.

use super::foot_path::{FootPath, StancePhase};
use super::footsteps::{Footsteps, INITIAL_STANCE, LAST_WEIGHT_SHIFT, sign};
use super::leg_ik::SoleEdges;
use super::parameter::Kind;
use crate::ease::step as ease;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Medial offset from the ankle, m: normal, and its increase without lateral displacement.
const MEDIAL: f64 = 0.012;
const MEDIAL_GROWTH: f64 = 0.025;
/// Used fraction of half the sole's breadth.
const USED_BREADTH: f64 = 0.7;
/// Least load on each foot in double support, fraction.
const MIN_SHARE: f64 = 0.015;
/// Heel-to-toe progression: fraction covered early, end of that phase, start of the slow rest.
const EARLY_PROGRESS: [f64; 3] = [0.88, 0.26, 0.03];
/// Retreat from the toe edge downstairs, fraction of the sole.
const DOWNSTAIRS_RETREAT: f64 = 0.5;
/// Start of the centre of pressure in running (flat landing), fraction of the sole.
const RUN_START: f64 = 0.45;

/// Centre of pressure and load distribution of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CenterOfPressure {
    pub at: Vec3,
    /// fraction of the load on left heel, left toe, right heel, right toe
    pub share: [f64; 4],
    /// whether no foot is on the ground
    pub in_flight: bool,
}

/// A single-support phase.
struct SingleSupport<'a> {
    side: usize,
    stance: &'a StancePhase,
    from: f64,
    to: f64,
    inside: f64,
    ends: [f64; 2],
    is_first: bool,
    runs: bool,
}

impl SingleSupport<'_> {
    /// Position along the sole at a time, foot axes.
    fn along(&self, t: f64) -> f64 {
        let flat = self.stance.flat.max(if self.is_first { self.from } else { 0.0 });
        let rise = self.stance.rise.min(self.to).max(flat + 1e-3);
        let s = ((t - flat) / (rise - flat)).clamp(0.0, 1.0);
        if self.runs {
            return self.ends[0] + (self.ends[1] - self.ends[0]) * ease(s);
        }
        if self.stance.stair < 0.0 {
            // from the toe edge back and forth
            let back = DOWNSTAIRS_RETREAT * 16.0 * (s * (1.0 - s)).powi(2);
            return self.ends[1] + (self.ends[0] - self.ends[1]) * back;
        }
        let [part, end, start] = EARLY_PROGRESS;
        let level = part * ease(s / end) + (1.0 - part) * ease((s - start) / (1.0 - start));
        let s = level + (ease(s) - level) * self.stance.climb();
        self.ends[0] + (self.ends[1] - self.ends[0]) * s
    }

    fn place(&self, along: f64) -> Vec3 {
        self.stance.print.point(vec3(along, self.inside, 0.0))
    }
}

/// Centre of pressure and load distribution every `dt`.
pub(crate) fn path(
    steps: &Footsteps,
    feet: &[FootPath; 2],
    soles: &[SoleEdges; 2],
    dt: f64,
) -> Vec<CenterOfPressure> {
    let samples = feet[0].samples.len();
    let supports = supports(steps, feet, soles);
    let middle = |side: usize| 0.5 * (soles[side].heel.x + soles[side].toe.x);
    let rest = |k: usize| {
        let both = [0, 1].map(|s| {
            let stances = &feet[s].stances;
            stances[if k == 0 { 0 } else { stances.len() - 1 }].print.point(vec3(middle(s), 0.0, 0.0))
        });
        (both[0] + both[1]).scale(0.5)
    };
    let along = |side: usize, at: f64| {
        let sole = &soles[side];
        ((at - sole.heel.x) / (sole.toe.x - sole.heel.x)).clamp(0.0, 1.0)
    };
    let foot = |share: &mut [f64; 4], side: usize, part: f64, at: f64| {
        share[2 * side] += part * (1.0 - along(side, at));
        share[2 * side + 1] += part * along(side, at);
    };
    // on both feet in mid-sole, the part on one of them
    let both = |side: usize, part: f64| {
        let left = if side == 0 { part } else { 1.0 - part };
        let mut share = [0.0; 4];
        foot(&mut share, 0, left, middle(0));
        foot(&mut share, 1, 1.0 - left, middle(1));
        share
    };
    let (first, last) = (&supports[0], &supports[supports.len() - 1]);
    let mut n = 0;
    (0..samples)
        .map(|k| {
            let t = k as f64 * dt;
            if t < first.from {
                let s = ease((t - INITIAL_STANCE) / (first.from - INITIAL_STANCE));
                let at = rest(0) + (first.place(first.along(first.from)) - rest(0)).scale(s);
                return CenterOfPressure { at, share: both(first.side, 0.5 + 0.5 * s), in_flight: false };
            }
            if t >= last.to {
                let s = ease((t - last.to) / LAST_WEIGHT_SHIFT);
                let from = last.place(last.along(last.to));
                let at = from + (rest(1) - from).scale(s);
                return CenterOfPressure { at, share: both(last.side, 1.0 - 0.5 * s), in_flight: false };
            }
            while n + 1 < supports.len() && t >= supports[n + 1].from {
                n += 1;
            }
            let now = &supports[n];
            let mut share = [0.0; 4];
            if t < now.to {
                let at = now.along(t);
                foot(&mut share, now.side, 1.0, at);
                return CenterOfPressure { at: now.place(at), share, in_flight: false };
            }
            let next = &supports[n + 1];
            let (a, b) = (now.along(t), next.along(t));
            let s = (t - now.to) / (next.from - now.to);
            // flight, or double support on the virtual foot
            let flies = feet[now.side].stances.iter().all(|s| !(s.land <= t && t < s.lift));
            let alpha = MIN_SHARE + (1.0 - 2.0 * MIN_SHARE) * steps.steps[n + 1].style.sharing.at(s);
            if !flies {
                foot(&mut share, now.side, 1.0 - alpha, a);
                foot(&mut share, next.side, alpha, b);
            }
            let at = now.place(a).scale(1.0 - alpha) + next.place(b).scale(alpha);
            CenterOfPressure { at, share, in_flight: flies }
        })
        .collect()
}

/// Single-support phases, one per step.
fn supports<'a>(
    steps: &Footsteps,
    feet: &'a [FootPath; 2],
    soles: &[SoleEdges; 2],
) -> Vec<SingleSupport<'a>> {
    let all = &steps.steps;
    all.iter()
        .enumerate()
        .map(|(k, step)| {
            let side = 1 - step.side;
            let (from, to) = (
                k.checked_sub(1).map_or(step.lift, |b| step.lift.max(all[b].land)),
                all.get(k + 1).map_or(step.land, |n| step.land.min(n.lift)),
            );
            let middle = 0.5 * (from + to);
            let stance = feet[side].stances.iter().find(|s| s.land <= middle && middle < s.lift);
            let stance = stance.unwrap_or(&feet[side].stances[0]);
            let sole = &soles[side];
            let half = 0.5 * (sole.heel.x + sole.toe.x);
            let sway = step.style.determinants.lateral;
            let inside = (MEDIAL + MEDIAL_GROWTH * (1.0 - sway))
                .clamp(-USED_BREADTH * sole.half, USED_BREADTH * sole.half);
            let is_first = k == 0;
            let runs = steps.step_into(side, stance).is_some_and(|s| s.parameters.kind == Kind::Run);
            let ends = [
                if is_first {
                    half
                } else if runs {
                    sole.heel.x + RUN_START * (sole.toe.x - sole.heel.x)
                } else {
                    sole.heel.x
                },
                if stance.rise.is_finite() { sole.toe.x } else { half },
            ];
            SingleSupport { side, stance, from, to, inside: -sign(side) * inside, ends, is_first, runs }
        })
        .collect()
}
