//! Fixed-point iteration from footsteps to a dynamically consistent plan.
//!
//! A draft shows when heels must rise for lack of dorsiflexion; then the plan is iterated with coarse samples, and last
//! with those of the simulation. Each pass computes height and horizontal path of the centre of mass (`com_path`), poses
//! by closed-form leg IK (`leg_ik`) and their angular momentum L, whose rate shifts the centre of pressure in the next
//! pass. The chest counter-rotates to reduce the free moment of friction about the vertical:
//!     m_z = L'_z - m [(p - c) x c'']_z,   chest yaw -= gain / I  integral integral m_z   (high-pass filtered).
//! Source: our own.

use super::com_path::{KNEE_STANDING, heights, hip, horizontal_path, leg_height};
use super::flight::{Flight, second_derivative};
use super::foot_path::{self, StancePhase};
use super::footsteps::Footsteps;
use super::jump;
use super::leg_ik::{LegIk, NEARLY_STRAIGHT, Posture};
use super::parameter::Kind;
use super::plan::{DT, HeelRises, WalkPlan};
use super::stairs;
use super::upper_body::UpperBody;
use crate::admm::WarmStart;
use crate::pose;
use crate::smooth::low_pass;
use crate::spline::Spline;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

// stages
/// Sample time of coarse passes, s. Plans with flight are fine from the start, to resolve take-off and landing.
const COARSE_DT: f64 = 0.004;
/// Largest number of passes of the draft, of the coarse plan and of its refinement; added with flight.
const DRAFT_PASSES: usize = 4;
const COARSE_PASSES: usize = 14;
const FINE_PASSES: usize = 6;
const FLIGHT_PASSES: usize = 12;
/// Passes that still change height and chest rotation.
const SHAPING_PASSES: usize = 8;
/// Change of the centre of pressure at convergence, m.
const COP_TOLERANCE: f64 = 2e-4;

// heel rise
/// Sampling of the draft, s.
const DRAFT_SAMPLING: f64 = 0.005;
/// Largest dorsiflexion in normal and long steps and in running, rad; lead of the heel rise, s.
const MAX_DORSIFLEXION: [f64; 2] = [0.46, 0.38];
const MAX_DORSIFLEXION_RUN: f64 = 0.5;
const HEEL_RISE_LEAD: f64 = 0.02;

// rotations
/// Inertia of the upper body about the vertical per body mass, m2; gain of the counter-rotation; its high-pass cutoff, Hz.
const CHEST_INERTIA: f64 = 0.032;
const CHEST_GAIN: f64 = 0.5;
const CHEST_CUTOFF: f64 = 0.35;
/// Low-pass cutoff of the rates of angular momentum, Hz.
const MOMENTUM_CUTOFF: f64 = 15.0;
/// Angle of the finite difference for inertias, rad.
const PROBE_ANGLE: f64 = 1e-3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Draft,
    Coarse,
    Fine,
}

/// A plan in progress.
#[derive(Clone, Debug)]
pub(crate) struct Planner {
    pub plan: WalkPlan,
    rises: HeelRises,
    iteration: Iteration,
    stage: Stage,
    stays_coarse: bool,
}

impl Planner {
    pub fn new(leg_ik: &mut LegIk, steps: Footsteps) -> Planner {
        let is_walk = steps.steps.iter().all(|s| s.parameters.kind == Kind::Walk);
        let jumps = steps.steps.iter().any(|s| s.parameters.kind == Kind::Jump);
        let rises = HeelRises::default();
        let plan = WalkPlan::blank(leg_ik, steps, &rises, if is_walk { COARSE_DT } else { DT });
        let (stage, passes) = if jumps { (Stage::Fine, COARSE_PASSES) } else { (Stage::Draft, DRAFT_PASSES) };
        let iteration = Iteration::new(&plan, leg_ik, passes);
        Planner { plan, rises, iteration, stage, stays_coarse: false }
    }

    /// Plans with coarse samples only, which is faster.
    pub fn coarse(leg_ik: &mut LegIk, steps: Footsteps) -> Planner {
        Planner { stays_coarse: true, ..Planner::new(leg_ik, steps) }
    }

    /// Makes a pass; returns whether the plan is done.
    pub fn pass(&mut self, leg_ik: &mut LegIk) -> bool {
        if !self.iteration.pass(&mut self.plan, leg_ik) {
            return false;
        }
        match self.stage {
            Stage::Draft => {
                self.rises = self.plan.heel_rises(leg_ik);
                self.restart(leg_ik, self.plan.dt);
                self.iteration = Iteration::new(&self.plan, leg_ik, COARSE_PASSES);
                self.stage = Stage::Coarse;
            }
            Stage::Coarse if self.plan.dt > DT && !self.stays_coarse => {
                let dt = self.plan.dt;
                self.restart(leg_ik, DT);
                self.iteration = Iteration::refine(&self.iteration, dt, &self.plan, leg_ik, FINE_PASSES);
                self.stage = Stage::Fine;
            }
            Stage::Coarse | Stage::Fine => return true,
        }
        false
    }

    fn restart(&mut self, leg_ik: &LegIk, dt: f64) {
        self.plan = WalkPlan::blank(leg_ik, self.plan.steps.clone(), &self.rises, dt);
    }
}

impl WalkPlan {
    /// By foot and stance: time at which the ankle reaches its largest dorsiflexion.
    fn heel_rises(&self, leg_ik: &LegIk) -> HeelRises {
        let figure = leg_ik.figure.clone();
        let (forest, nq) = (figure.forest(), figure.forest().nq());
        let mut kinematics = Kinematics::default();
        let mut rises = [0, 1].map(|s| vec![f64::INFINITY; self.feet[s].stances.len()]);
        for k in (0..self.samples()).step_by(((DRAFT_SAMPLING / self.dt).round() as usize).max(1)) {
            let t = k as f64 * self.dt;
            kinematics.update(forest, &self.q[k * nq..(k + 1) * nq], None, None);
            let orientations = leg_ik.orientations(&kinematics);
            for (s, rises) in rises.iter_mut().enumerate() {
                let n = self.feet[s].stances.partition_point(|x| x.land <= t).max(1) - 1;
                let stance = &self.feet[s].stances[n];
                let [_, shank, foot] = orientations.legs[s];
                let up = foot.inverse().then(shank).rotate(vec3(0.0, 0.0, 1.0));
                let is_flat = stance.flat <= t && t < stance.rise;
                if is_flat
                    && libm::atan2(up.x, up.z) > self.max_dorsiflexion(s, stance)
                    && stance.lift.is_finite()
                {
                    rises[n] = rises[n].min(t - HEEL_RISE_LEAD);
                }
            }
        }
        rises
    }

    fn max_dorsiflexion(&self, side: usize, stance: &StancePhase) -> f64 {
        let step = self.steps.step_into(side, stance);
        if step.is_some_and(|s| s.parameters.kind == Kind::Run) {
            return MAX_DORSIFLEXION_RUN;
        }
        let [normal, long] = MAX_DORSIFLEXION;
        let level =
            normal + (long - normal) * step.map_or(0.0, |s| 1.0 - foot_path::normality(s, self.size.scale));
        let part = if stance.stair < 0.0 { 1.0 } else { stance.climb() };
        level + part * (stairs::DORSIFLEXION - level)
    }
}

/// State of the iteration apart from the plan.
#[derive(Clone, Debug)]
struct Iteration {
    upper_body: UpperBody,
    flight: Option<Flight>,
    postures: Vec<Posture>,
    /// from the pelvis to the centre of mass
    pelvis_to_com: Vec<Vec3>,
    /// heights of the centre of mass
    z: Vec<f64>,
    height_warm_start: Option<WarmStart<1>>,
    /// rates of angular momentum
    rates: Vec<Vec3>,
    /// chest yaw, and small rotations of the body near flights
    chest: Vec<f64>,
    rotations: [Vec<f64>; 3],
    inertia: [f64; 3],
    pass: usize,
    passes: usize,
}

impl Iteration {
    fn new(plan: &WalkPlan, leg_ik: &mut LegIk, passes: usize) -> Iteration {
        let n = plan.samples();
        let upper_body = match &jump::find(&plan.steps, plan.size.scale) {
            Some(jump) => UpperBody::from_jump(&plan.steps, jump),
            None => UpperBody::from_footsteps(&plan.steps, plan.size.scale),
        };
        let mut postures: Vec<Posture> = (0..n).map(|k| upper_body.at(k as f64 * plan.dt, 0.0)).collect();
        for (k, p) in postures.iter_mut().enumerate() {
            p.feet = plan.feet.each_ref().map(|foot| (foot.samples[k].ankle, foot.samples[k].turn));
            let at = plan.pressure[k].at;
            p.pelvis.0 = at + vec3(0.0, 0.0, 0.95 * leg_ik.hip_height - leg_ik.hips[0].z);
        }
        let flight = Flight::find(&plan.pressure);
        Iteration {
            inertia: inertia(leg_ik, &postures[n / 2]),
            postures,
            pelvis_to_com: vec![vec3(0.0, 0.0, 0.1 * leg_ik.hip_height); n],
            z: vec![0.0; n],
            height_warm_start: None,
            rates: vec![Vec3::ZERO; n],
            chest: vec![0.0; n],
            rotations: core::array::from_fn(|_| vec![0.0; n]),
            pass: 0,
            passes: passes + if flight.is_some() { FLIGHT_PASSES } else { 0 },
            upper_body,
            flight,
        }
    }

    /// Continues a coarse iteration of sample time `dt`, keeping its heights and chest rotation.
    fn refine(coarse: &Iteration, dt: f64, plan: &WalkPlan, leg_ik: &mut LegIk, passes: usize) -> Iteration {
        let mut fine = Iteration::new(plan, leg_ik, SHAPING_PASSES + passes);
        fine.pass = SHAPING_PASSES;
        let known: Vec<f64> = (0..coarse.z.len())
            .flat_map(|k| {
                let (a, r) = (coarse.pelvis_to_com[k], coarse.rates[k]);
                [coarse.z[k], coarse.chest[k], a.x, a.y, a.z, r.x, r.y, r.z]
            })
            .collect();
        let spline = Spline::through(&known, 8, dt);
        let mut now = [0.0; 8];
        for k in 0..plan.samples() {
            let t = k as f64 * plan.dt;
            spline.value(t, &mut now);
            (fine.z[k], fine.chest[k]) = (now[0], now[1]);
            (fine.pelvis_to_com[k], fine.rates[k]) =
                (vec3(now[2], now[3], now[4]), vec3(now[5], now[6], now[7]));
            fine.postures[k].chest = fine.upper_body.at(t, now[1]).chest;
        }
        fine
    }

    /// Makes a pass; returns whether it was the last.
    fn pass(&mut self, plan: &mut WalkPlan, leg_ik: &mut LegIk) -> bool {
        let figure = leg_ik.figure.clone();
        let forest = figure.forest();
        let (nq, mass, gravity) = (forest.nq(), figure.mass(), forest.gravity().norm());
        let is_shaping = self.pass < SHAPING_PASSES;
        if is_shaping {
            self.update_heights(plan, leg_ik, gravity);
        }
        plan.solve_center(&self.z, &self.rates, mass, gravity);
        let mut kinematics = Kinematics::default();
        for k in 0..plan.samples() {
            let q = &mut plan.q[k * nq..(k + 1) * nq];
            for _ in 0..2 {
                self.postures[k].pelvis.0 = plan.center[k] - self.pelvis_to_com[k];
                leg_ik.pose(&self.postures[k], q);
                kinematics.update(forest, q, None, None);
                let center = centroidal::center_of_mass(forest, &kinematics);
                self.pelvis_to_com[k] = center - self.postures[k].pelvis.0;
            }
        }
        plan.differentiate(leg_ik);
        let before = core::mem::replace(&mut self.rates, plan.momentum_rates());
        if self.flight.is_some() {
            self.conserve_angular_momentum(plan, [mass, gravity]);
        } else if is_shaping {
            let mut flat: Vec<f64> = self.rates.iter().flat_map(|r| r.to_array()).collect();
            low_pass(&mut flat, 3, 1.0 / plan.dt, MOMENTUM_CUTOFF);
            self.rates = flat.chunks_exact(3).map(|r| vec3(r[0], r[1], r[2])).collect();
        }
        let apart = before.iter().zip(&self.rates).map(|(a, b)| {
            let d = *a - *b;
            libm::hypot(d.x, d.y) / (mass * gravity)
        });
        let apart = apart.fold(0.0, f64::max);
        self.pass += 1;
        if self.pass < SHAPING_PASSES && self.flight.is_none() {
            self.counter_rotate_chest(plan, mass);
        }
        let is_last = self.pass == self.passes || !is_shaping && apart < COP_TOLERANCE;
        if is_last {
            plan.out_of_reach = (0..2)
                .flat_map(|s| self.postures.iter().map(move |p| (s, p)))
                .map(|(s, p)| (hip(leg_ik, s, p) - p.feet[s].0).norm() - leg_ik.reach(s, NEARLY_STRAIGHT[0]))
                .fold(0.0, f64::max);
        }
        is_last
    }

    /// Heights of a pass from the poses and heights of the last one.
    fn update_heights(&mut self, plan: &WalkPlan, leg_ik: &LegIk, gravity: f64) {
        let (postures, pelvis_to_com) = (&self.postures, &self.pelvis_to_com);
        if let Some(jump) = jump::find(&plan.steps, plan.size.scale) {
            let leg = |k: usize, knee: f64| {
                let above = pelvis_to_com[k].z;
                let height = |s| leg_height(leg_ik, s, &postures[k], above, leg_ik.reach(s, knee));
                height(0).min(height(1))
            };
            self.z = jump.heights(plan.samples(), leg(0, KNEE_STANDING), leg);
            return;
        }
        let targets = plan.height_targets(leg_ik, postures, pelvis_to_com, gravity);
        let legs = heights(&targets, gravity, plan.dt, &mut self.height_warm_start);
        self.z = match &mut self.flight {
            None => legs,
            Some(flight) => {
                let reach: Vec<f64> = targets.iter().map(|w| w.max).collect();
                flight.heights(&legs, &reach, &self.z, gravity)
            }
        };
    }

    /// Rotates the chest against the free moment about the vertical.
    fn counter_rotate_chest(&mut self, plan: &WalkPlan, mass: f64) {
        let mut sum = 0.0;
        let dt = plan.dt;
        let high_pass = |signal: &mut Vec<f64>| {
            let mut slow = signal.clone();
            low_pass(&mut slow, 1, 1.0 / dt, CHEST_CUTOFF);
            signal.iter_mut().zip(&slow).for_each(|(x, s)| *x -= s);
        };
        let mut spin: Vec<f64> = (0..plan.samples())
            .map(|k| {
                sum += dt * plan.free_moment(k, self.rates[k], mass);
                sum
            })
            .collect();
        high_pass(&mut spin);
        let mut sum = 0.0;
        let mut turn: Vec<f64> = spin
            .iter()
            .map(|s| {
                sum -= CHEST_GAIN * s * dt / (CHEST_INERTIA * mass);
                sum
            })
            .collect();
        high_pass(&mut turn);
        for (k, p) in self.postures.iter_mut().enumerate() {
            self.chest[k] += turn[k];
            p.chest = self.upper_body.at(k as f64 * dt, self.chest[k]).chest;
        }
    }

    /// Rotates the body to keep angular momentum constant in flight; updates the rates.
    fn conserve_angular_momentum(&mut self, plan: &WalkPlan, [mass, gravity]: [f64; 2]) {
        let Some(flight) = &self.flight else { return };
        let n = plan.samples();
        let load: Vec<f64> = (0..n).map(|k| mass * (gravity + plan.acceleration(k).z)).collect();
        let (rates, inertia) = (&self.rates, self.inertia);
        let left: [Vec<f64>; 3] = [
            rates.iter().map(|r| r.x).collect(),
            rates.iter().map(|r| r.y).collect(),
            (0..n).map(|k| plan.free_moment(k, rates[k], mass)).collect(),
        ];
        let found: [Vec<f64>; 3] =
            core::array::from_fn(|i| flight.rotations(&left[i], &self.rotations[i], &load, inertia[i]));
        for (k, r) in self.rates.iter_mut().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|i| {
                inertia[i]
                    * (second_derivative(&found[i], k, DT) - second_derivative(&self.rotations[i], k, DT))
            });
            *r += vec3(x, y, z);
        }
        self.rotations = found;
        for (k, p) in self.postures.iter_mut().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|i| self.rotations[i][k]);
            let curve = self.upper_body.at(k as f64 * plan.dt, z);
            let turn = Quat::exp(vec3(x, y, 0.0));
            (p.pelvis.1, p.chest) = (turn.then(curve.pelvis.1), turn.then(curve.chest));
        }
    }
}

impl WalkPlan {
    /// Path of the centre of mass from heights and rates of angular momentum.
    fn solve_center(&mut self, z: &[f64], rates: &[Vec3], mass: f64, gravity: f64) {
        let n = z.len();
        let (mut w2, mut px, mut py) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for k in 0..n {
            let load = gravity + second_derivative(z, k, self.dt);
            let p = &self.pressure[k];
            if p.in_flight {
                (px[k], py[k]) = (p.at.x, p.at.y);
                continue;
            }
            let load = load.max(0.02 * gravity);
            w2[k] = load / (z[k] - p.at.z);
            px[k] = p.at.x + rates[k].y / (mass * load);
            py[k] = p.at.y - rates[k].x / (mass * load);
        }
        let (x, y) = (horizontal_path(&px, &w2, self.dt), horizontal_path(&py, &w2, self.dt));
        for k in 0..n {
            self.center[k] = vec3(x[k], y[k], z[k]);
        }
    }

    /// Free moment of friction about the vertical, N m.
    fn free_moment(&self, k: usize, rate: Vec3, mass: f64) -> f64 {
        let (arm, a) = (self.pressure[k].at - self.center[k], self.acceleration(k));
        rate.z - mass * (arm.x * a.y - arm.y * a.x)
    }
}

/// Angular momentum per angular velocity: about x and y of the whole upper body, about z of the chest.
fn inertia(leg_ik: &mut LegIk, posture: &Posture) -> [f64; 3] {
    let figure = leg_ik.figure.clone();
    let forest = figure.forest();
    let mut kinematics = Kinematics::default();
    let (mut here, mut there) = (forest.home().to_vec(), forest.home().to_vec());
    leg_ik.pose(posture, &mut here);
    let mut v = vec![0.0; forest.nv()];
    [0, 1, 2].map(|axis| {
        let about = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)][axis];
        let turn = Quat::about(about, PROBE_ANGLE);
        let mut p = *posture;
        p.chest = turn.then(p.chest);
        if axis < 2 {
            p.pelvis.1 = turn.then(p.pelvis.1);
        }
        leg_ik.pose(&p, &mut there);
        pose::difference(forest, &here, &there, &mut v);
        v.iter_mut().for_each(|v| *v /= PROBE_ANGLE);
        kinematics.update(forest, &here, Some(&v), None);
        centroidal::momentum(forest, &kinematics).angular.to_array()[axis]
    })
}
