//! Where the ground pushes: the path of the centre of pressure and how the feet share the load.
//!
//! On one foot it goes from the heel's edge, once the sole is flat, to the toe's edge when the heel rises; downstairs from
//! the toe's edge back and there again. In double
//! support it lies on the virtual leg's foot between the two [L1992 §9.4.5]:
//!     p = (1 - alpha) p_rear + alpha p_front,  alpha(t) linear, cosine or cubic.
//! In flight there is none.

use super::feet::{Path, Stance};
use super::parameter::Kind;
use super::puppet::Sole;
use super::steps::{LAST_SHIFT, STAND, Step, Steps};
use crate::ease::step as ease;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Inside of the line of the ankle, m: the usual, and how it grows when the body is to sway less.
const INSIDE: f64 = 0.012;
const LESS: f64 = 0.025;
/// Part of the sole's half breadth that is used.
const WITHIN: f64 = 0.7;
/// Part of the load that both feet carry at least in double support: a foot that has landed is loaded.
const LEAST: f64 = 0.015;
/// Progress from heel to toe: part made in a first rush, its end, start of the rest.
const RUSH: [f64; 3] = [0.88, 0.26, 0.03];
/// Downstairs it goes back from the toe by so much of the sole.
const BACK: f64 = 0.5;

/// In runs soles come down flat, and pressure begins at this part of their length.
const RUN_FROM: f64 = 0.45;

/// At a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pressure {
    /// centre of pressure
    pub at: Vec3,
    /// part of the load on each foot's heel and toe: left heel, left toe, right heel, right toe
    pub share: [f64; 4],
    /// whether anything stands
    pub is_free: bool,
}

/// A time on one foot.
struct Support<'a> {
    side: usize,
    stance: &'a Stance,
    from: f64,
    to: f64,
    inside: f64,
    ends: [f64; 2],
    is_first: bool,
    runs: bool,
}

impl Support<'_> {
    /// Place along the sole at a time, in the foot.
    fn along(&self, t: f64) -> f64 {
        let flat = self.stance.flat.max(if self.is_first { self.from } else { 0.0 });
        let rise = self.stance.rise.min(self.to).max(flat + 1e-3);
        let s = ((t - flat) / (rise - flat)).clamp(0.0, 1.0);
        if self.runs {
            return self.ends[0] + (self.ends[1] - self.ends[0]) * ease(s);
        }
        if self.stance.stair < 0.0 {
            // from the toe's edge back and there again
            let back = BACK * 16.0 * (s * (1.0 - s)).powi(2);
            return self.ends[1] + (self.ends[0] - self.ends[1]) * back;
        }
        let [part, end, start] = RUSH;
        let level = part * ease(s / end) + (1.0 - part) * ease((s - start) / (1.0 - start));
        let s = level + (ease(s) - level) * self.stance.climb();
        self.ends[0] + (self.ends[1] - self.ends[0]) * s
    }

    fn place(&self, along: f64) -> Vec3 {
        self.stance.print.point(vec3(along, self.inside, 0.0))
    }
}

/// Centre of pressure and shares every `dt`.
pub(crate) fn path(steps: &Steps, feet: &[Path; 2], soles: &[Sole; 2], dt: f64) -> Vec<Pressure> {
    let samples = feet[0].ankle.len();
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
    let both = |left: f64| {
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
                let s = ease((t - STAND) / (first.from - STAND));
                let at = rest(0) + (first.place(first.along(first.from)) - rest(0)).scale(s);
                let part = 0.5 + 0.5 * s;
                return Pressure {
                    at,
                    share: both(if first.side == 0 { part } else { 1.0 - part }),
                    is_free: false,
                };
            }
            if t >= last.to {
                let s = ease((t - last.to) / LAST_SHIFT);
                let from = last.place(last.along(last.to));
                let part = 1.0 - 0.5 * s;
                let share = both(if last.side == 0 { part } else { 1.0 - part });
                return Pressure { at: from + (rest(1) - from).scale(s), share, is_free: false };
            }
            while n + 1 < supports.len() && t >= supports[n + 1].from {
                n += 1;
            }
            let now = &supports[n];
            let mut share = [0.0; 4];
            if t < now.to {
                let at = now.along(t);
                foot(&mut share, now.side, 1.0, at);
                return Pressure { at: now.place(at), share, is_free: false };
            }
            let next = &supports[n + 1];
            let (a, b) = (now.along(t), next.along(t));
            let s = (t - now.to) / (next.from - now.to);
            // flight, or the virtual leg
            let flies = feet[now.side].stances.iter().all(|s| !(s.land <= t && t < s.lift));
            let alpha = LEAST + (1.0 - 2.0 * LEAST) * steps.steps[n + 1].style.sharing.at(s);
            if !flies {
                foot(&mut share, now.side, 1.0 - alpha, a);
                foot(&mut share, next.side, alpha, b);
            }
            let at = now.place(a).scale(1.0 - alpha) + next.place(b).scale(alpha);
            Pressure { at, share, is_free: flies }
        })
        .collect()
}

/// Times on one foot, one for each step.
fn supports<'a>(steps: &Steps, feet: &'a [Path; 2], soles: &[Sole; 2]) -> Vec<Support<'a>> {
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
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let sway = step.style.determinants.lateral;
            let inside = (INSIDE + LESS * (1.0 - sway)).clamp(-WITHIN * sole.half, WITHIN * sole.half);
            let is_first = k == 0;
            let runs = stance_runs(all, side, stance);
            let ends = [
                if is_first {
                    half
                } else if runs {
                    sole.heel.x + RUN_FROM * (sole.toe.x - sole.heel.x)
                } else {
                    sole.heel.x
                },
                if stance.rise.is_finite() { sole.toe.x } else { half },
            ];
            Support { side, stance, from, to, inside: -sign * inside, ends, is_first, runs }
        })
        .collect()
}

/// Whether the step that ended in a stance ran.
fn stance_runs(steps: &[Step], side: usize, stance: &Stance) -> bool {
    let step = steps.iter().find(|s| s.side == side && s.land == stance.land);
    step.is_some_and(|s| s.parameters.kind == Kind::Run)
}
