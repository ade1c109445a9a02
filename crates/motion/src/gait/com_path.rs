//! Centre-of-mass path: height from the stance legs, horizontal path from the centre of pressure.
//!
//! Height: a cubic spline z(t) with
//!     min  sum (z - z_leg)^2 / s_z^2 + (z'' - b)^2 / s_a^2
//!     s.t. z <= reach,  min <= 1 + z''/g <= max.
//! z_leg is the height for the stance-phase knee angle: extended at heel strike, flexed under load, extended, flexed
//! before toe-off [L1992 §9.4.3: double knee lock]. b(t) oscillates once per step, upward in double support.
//! Source: our own.
//!
//! Horizontal: with z(t) and the rate of angular momentum L' given, the ground reaction force passes through the centre
//! of pressure p:
//!     c'' = w2 (c - p~),  w2 = (g + z'')/(z - p_z),  p~ = p + (L'_y, -L'_x) / (m (g + z''))
//! with c given at both ends: one tridiagonal solve by central differences over the whole walk, which cannot diverge and
//! includes starting and stopping. In flight w2 = 0: c moves at constant velocity.
//! Source: [K2003 cart and table]; the boundary-value form is our own.
//! Not here: height in flight (`flight`).

use super::foot_path::{StancePhase, table};
use super::footsteps::{Footstep, REFERENCE_LEG};
use super::leg_ik::{LegIk, Posture};
use super::parameter::Kind;
use super::plan::WalkPlan;
use super::stairs;
use super::upper_body::relative_step;
use crate::admm::{Problem, SplineBasis, WarmStart, solve_from};
use crate::ease::step as ease;
use anthropi_dynamics::spatial::Vec3;

// height spline
/// Knot spacing and sampling of the targets, s.
const KNOT_SPACING: f64 = 0.04;
const SAMPLING: f64 = 0.01;
/// Scales of the errors of height, m, and acceleration, m/s2.
const HEIGHT_SCALE: f64 = 0.028;
const ACCELERATION_SCALE: f64 = 2.7;
/// Scales of constraint violations: reach, m, and load, body weights.
const REACH_SCALE: f64 = 0.002;
const LOAD_SCALE: f64 = 0.02;
/// ADMM penalty, and iterations per pass; the next pass continues from there.
const PENALTY: f64 = 300.0;
const ITERATIONS: usize = 150;

// targets of the height
/// Least knee flexion at full reach, and knee flexion standing, rad.
const MIN_KNEE: f64 = 0.15;
pub(crate) const KNEE_STANDING: f64 = 0.10;
/// Stance knee flexion of a normal step: (fraction of stance, rad).
const KNEE: [[f64; 2]; 5] = [[0.0, 0.06], [0.22, 0.29], [0.58, 0.07], [0.80, 0.04], [1.0, 0.44]];
/// Stance knee flexion in running, rad.
const KNEE_RUN: f64 = 0.38;
/// Deviation of the load from body weight (below, above) up to a speed in m/s, and its limit at higher speeds.
const LOAD_DEVIATION: [f64; 2] = [0.47, 0.31];
const LOAD_DEVIATION_SPEED: f64 = 1.4;
const MAX_LOAD_DEVIATION: [f64; 2] = [0.7, 0.7];
/// Load limits on stairs, and in running before flight is imposed, body weights.
const STAIR_LOADS: [f64; 2] = [0.5, 1.5];
const RUN_LOADS: [f64; 2] = [0.5, 1.6];
/// Vertical oscillation: fraction of the arc over a straight leg, largest acceleration in g, phase lag behind
/// mid double support, rad.
const BOUNCE: f64 = 0.49;
const MAX_BOUNCE: f64 = 0.60;
const BOUNCE_LAG: f64 = 0.04;

/// Target of the height at a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeightTarget {
    pub height: f64,
    /// reach of the legs
    pub max: f64,
    /// load limits, body weights
    pub load: [f64; 2],
    /// vertical acceleration, m/s2
    pub bounce: f64,
}

/// Heights every `dt`, warm-started from the last pass.
pub(crate) fn heights(
    targets: &[HeightTarget],
    gravity: f64,
    dt: f64,
    last: &mut Option<WarmStart<1>>,
) -> Vec<f64> {
    let duration = (targets.len() - 1) as f64 * dt;
    let basis = SplineBasis::over(duration, KNOT_SPACING, false);
    let every = ((SAMPLING / dt).round() as usize).max(1);
    let mut problem = Problem::new(basis.len());
    let sampled: Vec<HeightTarget> = targets.iter().copied().step_by(every).collect();
    for (k, w) in sampled.iter().enumerate() {
        let at = basis.at(k as f64 * every as f64 * dt);
        problem.add_target(&at.value().plus(-w.height).times(1.0 / HEIGHT_SCALE), 1.0);
        problem.add_target(&at.second_derivative().plus(-w.bounce).times(1.0 / ACCELERATION_SCALE), 1.0);
        problem.add_constraint(at.value().plus(-w.max).times(1.0 / REACH_SCALE));
        let load = at.second_derivative().times(1.0 / gravity).plus(1.0);
        problem.add_constraint(load.times(1.0 / LOAD_SCALE));
    }
    let project = |row: usize, [x]: [f64; 1]| {
        let w = &sampled[row / 2];
        [if row.is_multiple_of(2) {
            x.min(0.0)
        } else {
            x.clamp(w.load[0] / LOAD_SCALE, w.load[1] / LOAD_SCALE)
        }]
    };
    let state = last.get_or_insert_with(|| WarmStart::at([vec![targets[0].height; basis.len()]]));
    solve_from(&[problem], PENALTY, ITERATIONS, state, project);
    let [found] = &state.x;
    (0..targets.len()).map(|k| basis.at(k as f64 * dt).value_of(found)).collect()
}

impl WalkPlan {
    /// Height targets of all samples. `pelvis_to_com`: vectors from the pelvis to the centre of mass.
    pub fn height_targets(
        &self,
        leg_ik: &LegIk,
        postures: &[Posture],
        pelvis_to_com: &[Vec3],
        gravity: f64,
    ) -> Vec<HeightTarget> {
        let stances: [Vec<Option<(&StancePhase, &Footstep)>>; 2] = [0, 1].map(|s| self.phases(s));
        let crouch = self.steps.curve(|s| s.style.crouch * self.size.scale);
        let bounces = self.bounces(gravity);
        let mut last = 0.0;
        (0..self.samples())
            .map(|k| {
                let (p, share) = (&postures[k], &self.pressure[k].share);
                let t = k as f64 * self.dt;
                let height = |s: usize, length: f64| leg_height(leg_ik, s, p, pelvis_to_com[k].z, length);
                let (mut sum, mut part) = (0.0, 0.0);
                for s in 0..2 {
                    let own = share[2 * s] + share[2 * s + 1];
                    if own > 0.0 {
                        sum += own * height(s, leg_ik.reach(s, self.knee(stances[s][k], t)));
                        part += own;
                    }
                }
                if part > 0.0 {
                    last = sum / part;
                }
                let max = (0..2).map(|s| height(s, leg_ik.reach(s, MIN_KNEE))).fold(f64::INFINITY, f64::min);
                let low = crouch.value(t);
                let step = stances[0][k].or(stances[1][k]).map(|(_, s)| s).unwrap_or(&self.steps.steps[0]);
                HeightTarget {
                    height: last - low,
                    max: max - low,
                    load: self.loads(k, step),
                    bounce: bounces[k],
                }
            })
            .collect()
    }

    /// Vertical accelerations of an oscillation once per step, lowest in double support; zero on stairs.
    fn bounces(&self, gravity: f64) -> Vec<f64> {
        let leg = REFERENCE_LEG * self.size.scale;
        let mut accelerations = vec![0.0; self.samples()];
        for three in self.steps.steps.windows(3) {
            let [a, s, b] = three else { continue };
            if s.parameters.kind != Kind::Walk || s.rise != 0.0 || b.rise != 0.0 {
                continue;
            }
            let (from, to) = (0.5 * (a.land + s.lift), 0.5 * (s.land + b.lift));
            let half = 0.5 * s.parameters.length;
            let arc = leg - (leg * leg - half * half).max(0.0).sqrt();
            let omega = core::f64::consts::TAU / (to - from);
            let max = (BOUNCE * s.style.bounce * 0.5 * arc * omega * omega).min(MAX_BOUNCE * gravity);
            for k in (from / self.dt) as usize..((to / self.dt) as usize).min(accelerations.len()) {
                accelerations[k] = max * libm::cos((k as f64 * self.dt - from) * omega - BOUNCE_LAG);
            }
        }
        accelerations
    }

    fn loads(&self, k: usize, step: &Footstep) -> [f64; 2] {
        if self.pressure[k].in_flight || step.parameters.kind == Kind::Run {
            return RUN_LOADS;
        }
        if step.rise != 0.0 {
            return STAIR_LOADS;
        }
        let factor = (step.parameters.speed / LOAD_DEVIATION_SPEED).max(1.0) * step.style.bounce;
        let [below, above] = [0, 1].map(|k| (LOAD_DEVIATION[k] * factor).min(MAX_LOAD_DEVIATION[k]));
        [1.0 - below, 1.0 + above]
    }

    /// By sample: stance phase of a foot, and the step before it.
    fn phases(&self, side: usize) -> Vec<Option<(&StancePhase, &Footstep)>> {
        let stances = &self.feet[side].stances;
        let mut n = 0;
        (0..self.samples())
            .map(|k| {
                let t = k as f64 * self.dt;
                while n + 1 < stances.len() && t >= stances[n + 1].land {
                    n += 1;
                }
                let stance = &stances[n];
                let step = self.steps.step_into(side, stance).unwrap_or(&self.steps.steps[0]);
                (t < stance.lift).then_some((stance, step))
            })
            .collect()
    }

    /// Stance knee flexion.
    fn knee(&self, phase: Option<(&StancePhase, &Footstep)>, t: f64) -> f64 {
        let Some((stance, step)) = phase else { return KNEE_STANDING };
        if stance.land < 0.0 || !stance.lift.is_finite() {
            return KNEE_STANDING;
        }
        if step.parameters.kind == Kind::Run {
            return KNEE_RUN * step.style.determinants.stance_knee;
        }
        let s = (t - stance.land) / (stance.lift - stance.land);
        let amount = step.style.determinants.stance_knee * relative_step(step, self.size.scale);
        let [_, bend] = table(&KNEE, s, ease);
        let level = KNEE[0][1] + (bend - KNEE[0][1]) * if s < 0.6 { amount } else { 1.0 };
        let part = |s: &Footstep| stairs::steepness(s, self.size.scale);
        let next = self.steps.steps.iter().find(|n| n.land > step.land);
        stairs::knee(s, [part(step), next.map_or(0.0, part)], level)
    }
}

/// Height of the centre of mass, `above` the pelvis, for a hip-to-ankle distance `length`.
pub(crate) fn leg_height(leg_ik: &LegIk, side: usize, p: &Posture, above: f64, length: f64) -> f64 {
    let hip = hip(leg_ik, side, p);
    let leg = hip - p.feet[side].0;
    let level = leg.x * leg.x + leg.y * leg.y;
    let up = (length * length - level).max(0.04 * length * length).sqrt();
    p.feet[side].0.z + up + (p.pelvis.0.z + above - hip.z)
}

/// Position of a hip.
pub(crate) fn hip(leg_ik: &LegIk, side: usize, p: &Posture) -> Vec3 {
    p.pelvis.0 + p.pelvis.1.rotate(leg_ik.hips[side])
}

/// Solves c'' = w2 (c - p) with c = p at both ends.
pub(crate) fn horizontal_path(p: &[f64], w2: &[f64], dt: f64) -> Vec<f64> {
    let n = p.len();
    let mut c = vec![0.0; n];
    let mut upper = vec![0.0; n];
    (c[0], upper[0]) = (p[0], 0.0);
    for k in 1..n - 1 {
        // c[k-1] - (2 + w2 dt^2) c[k] + c[k+1] = -w2 dt^2 p[k]
        let x = w2[k] * dt * dt;
        let pivot = -(2.0 + x) - upper[k - 1];
        upper[k] = 1.0 / pivot;
        c[k] = (-x * p[k] - c[k - 1]) / pivot;
    }
    c[n - 1] = p[n - 1];
    for k in (0..n - 1).rev() {
        c[k] -= upper[k] * c[k + 1];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_horizontal_path_meets_the_closed_form_and_the_differential_equation() {
        let (dt, n) = (0.001, 4001);
        let w2 = vec![10.0; n];
        let p: Vec<f64> = (0..n).map(|k| if (1500..2500).contains(&k) { 1.0 } else { 0.0 }).collect();
        let c = horizontal_path(&p, &w2, dt);
        // closed form at the middle: 1 - exp(-w/2) for a box of one second
        let w = 10f64.sqrt();
        assert!((c[2000] - (1.0 - libm::exp(-0.5 * w))).abs() < 2e-3, "{}", c[2000]);
        assert!(c[0] == 0.0 && c[n - 1] == 0.0);
        let k = 1700;
        let acceleration = (c[k + 1] - 2.0 * c[k] + c[k - 1]) / (dt * dt);
        assert!((acceleration - 10.0 * (c[k] - p[k])).abs() < 1e-6);
    }
}
