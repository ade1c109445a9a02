//! Heights that legs ask for and allow, and loads, sample by sample of a plan.

use super::feet::Stance;
use super::height::Wish;
use super::parameter::Kind;
use super::pattern::size;
use super::plan::Plan;
use super::puppet::{Posture, Puppet};
use super::stairs;
use super::steps::Step;
use crate::curve::Curve;
use anthropi_dynamics::spatial::Vec3;

/// Knees of legs that reach far bend at least so, rad.
const KNEE_LEAST: f64 = 0.15;
/// Knees while standing, rad.
pub(crate) const KNEE_STANDING: f64 = 0.10;
/// Knees in stance: (part of stance, angle in rad for a usual step).
const KNEE: [[f64; 2]; 5] = [[0.0, 0.06], [0.22, 0.29], [0.58, 0.07], [0.80, 0.04], [1.0, 0.44]];
/// Loads in walking leave one body weight by so much at usual speed, m/s; and by no more.
const LOADS: [f64; 2] = [0.47, 0.31];
const LOADS_AT: f64 = 1.4;
const LOADS_MOST: [f64; 2] = [0.7, 0.7];
/// The body rises and falls by this part of the arc that straight legs would give, at most with this acceleration, in
/// gravity; it is lowest after the middle of double support by so much, rad of a step.
const BOUNCE: f64 = 0.49;
const BOUNCE_MOST: f64 = 0.60;
const BOUNCE_LATER: f64 = 0.04;
/// Hips of a figure of scale one are so high, m.
const LEG: f64 = 0.89;
/// Loads on stairs, body weights.
const STAIR_LOADS: [f64; 2] = [0.5, 1.5];
/// Loads in running that heights are sought with before flights are made, body weights.
const RUN_LOADS: [f64; 2] = [0.5, 1.6];
/// Knees in the stance of runs, for the height of the body, rad.
const KNEE_RUN: f64 = 0.38;

impl Plan {
    /// Heights that legs ask for and allow.
    pub fn wishes(&self, puppet: &Puppet, postures: &[Posture], above: &[Vec3], gravity: f64) -> Vec<Wish> {
        let stances: [Vec<Option<(&Stance, &Step)>>; 2] = [0, 1].map(|s| self.phases(s));
        let crouch = self.step_curve(|s| s.style.crouch * self.size.scale);
        let bounces = self.bounces(gravity);
        let mut last = 0.0;
        (0..self.samples())
            .map(|k| {
                let (p, share) = (&postures[k], &self.pressure[k].share);
                let t = k as f64 * self.dt;
                let height = |s: usize, long: f64| leg_height(puppet, s, p, above[k].z, long);
                let (mut wish, mut part) = (0.0, 0.0);
                for s in 0..2 {
                    let own = share[2 * s] + share[2 * s + 1];
                    if own > 0.0 {
                        wish += own * height(s, puppet.reach(s, self.knee(stances[s][k], t)));
                        part += own;
                    }
                }
                if part > 0.0 {
                    last = wish / part;
                }
                let most =
                    (0..2).map(|s| height(s, puppet.reach(s, KNEE_LEAST))).fold(f64::INFINITY, f64::min);
                let low = crouch.value(t);
                let step = stances[0][k].or(stances[1][k]).map(|(_, s)| s).unwrap_or(&self.steps.steps[0]);
                Wish { height: last - low, most: most - low, load: self.loads(k, step), bounce: bounces[k] }
            })
            .collect()
    }

    /// Vertical accelerations of a body that rises and falls once a step, lowest in double support; none on stairs.
    fn bounces(&self, gravity: f64) -> Vec<f64> {
        let leg = LEG * self.size.scale;
        let mut told = vec![0.0; self.samples()];
        for three in self.steps.steps.windows(3) {
            let [a, s, b] = three else { continue };
            if s.parameters.kind != Kind::Walk || s.rise != 0.0 || b.rise != 0.0 {
                continue;
            }
            let (from, to) = (0.5 * (a.land + s.lift), 0.5 * (s.land + b.lift));
            let half = 0.5 * s.parameters.length;
            let arc = leg - (leg * leg - half * half).max(0.0).sqrt();
            let pace = core::f64::consts::TAU / (to - from);
            let most = (BOUNCE * s.style.bounce * 0.5 * arc * pace * pace).min(BOUNCE_MOST * gravity);
            for k in (from / self.dt) as usize..((to / self.dt) as usize).min(told.len()) {
                told[k] = most * libm::cos((k as f64 * self.dt - from) * pace - BOUNCE_LATER);
            }
        }
        told
    }

    fn loads(&self, k: usize, step: &Step) -> [f64; 2] {
        if self.pressure[k].is_free || step.parameters.kind == Kind::Run {
            return RUN_LOADS;
        }
        if step.rise != 0.0 {
            return STAIR_LOADS;
        }
        let fast = (step.parameters.speed / LOADS_AT).max(1.0) * step.style.bounce;
        [1.0 - (LOADS[0] * fast).min(LOADS_MOST[0]), 1.0 + (LOADS[1] * fast).min(LOADS_MOST[1])]
    }

    /// By sample: the stance a foot is in, and the step that ended in it.
    fn phases(&self, side: usize) -> Vec<Option<(&Stance, &Step)>> {
        let stances = &self.feet[side].stances;
        let mut n = 0;
        (0..self.samples())
            .map(|k| {
                let t = k as f64 * self.dt;
                while n + 1 < stances.len() && t >= stances[n + 1].land {
                    n += 1;
                }
                let stance = &stances[n];
                let step = self.steps.steps.iter().find(|s| s.side == side && s.land == stance.land);
                (t < stance.lift).then_some((stance, step.unwrap_or(&self.steps.steps[0])))
            })
            .collect()
    }

    /// Bend of a knee that carries.
    fn knee(&self, phase: Option<(&Stance, &Step)>, t: f64) -> f64 {
        let Some((stance, step)) = phase else { return KNEE_STANDING };
        if stance.land < 0.0 || !stance.lift.is_finite() {
            return KNEE_STANDING;
        }
        if step.parameters.kind == Kind::Run {
            return KNEE_RUN * step.style.determinants.stance_knee;
        }
        let s = (t - stance.land) / (stance.lift - stance.land);
        let n = KNEE.iter().position(|k| s < k[0]).unwrap_or(KNEE.len() - 1).max(1);
        let ([a, x], [b, y]) = (KNEE[n - 1], KNEE[n]);
        let u = crate::ease::step((s - a) / (b - a));
        let amount = step.style.determinants.stance_knee * size(step, self.size.scale);
        let bend = x + (y - x) * u;
        let level = KNEE[0][1] + (bend - KNEE[0][1]) * if s < 0.6 { amount } else { 1.0 };
        let part = |s: &Step| stairs::part(s, self.size.scale);
        let next = self.steps.steps.iter().find(|n| n.land > step.land);
        stairs::knee(s, [part(step), next.map_or(0.0, part)], level)
    }

    /// A value of the steps over time.
    fn step_curve(&self, value: impl Fn(&Step) -> f64) -> Curve {
        let steps = &self.steps.steps;
        let standing = Step { style: self.steps.style, ..steps[0] };
        let keys = core::iter::once((0.0, value(&standing)))
            .chain(steps.iter().map(|s| (0.5 * (s.lift + s.land), value(s))));
        Curve::through(&keys.collect::<Vec<_>>(), None)
    }
}

/// Height of the centre of mass, `above` the pelvis, with a leg of some length from hip to ankle.
pub(crate) fn leg_height(puppet: &Puppet, side: usize, p: &Posture, above: f64, long: f64) -> f64 {
    let hip = hip(puppet, side, p);
    let way = hip - p.feet[side].0;
    let level = way.x * way.x + way.y * way.y;
    let up = (long * long - level).max(0.04 * long * long).sqrt();
    p.feet[side].0.z + up + (p.pelvis.0.z + above - hip.z)
}

/// Where a hip is in a posture.
pub(crate) fn hip(puppet: &Puppet, side: usize, p: &Posture) -> Vec3 {
    p.pelvis.0 + p.pelvis.1.rotate(puppet.hips[side])
}
