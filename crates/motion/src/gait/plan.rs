//! A whole walk as a reference that obeys dynamics before anything is simulated.
//!
//! Paths of feet (`feet`), centre of pressure (`pressure`), upper body (`pattern`); then, in passes until they agree:
//! heights (`height`), level path of the centre of mass (`center`), poses by closed-form legs (`puppet`), angular
//! momentum L of the poses, whose rate shifts the centre of pressure for the next pass; and the chest turns against
//! the legs until little is left for friction about the vertical:
//!     m_z = L'_z - m [(p - c) x c'']_z,   chest yaw -= gain / I  integral integral m_z   (slow parts taken out).
//! Differences are those of the step: v[k] = (q[k] - q[k-1])/dt, a[k] = (v[k+1] - v[k])/dt, likewise for c and L, so
//! that the equation of motion holds for the samples and not only in the limit.
//! Source: our own.

use super::center::level;
use super::feet::{self, Path, Stance};
use super::flight::{Flight, second};
use super::ground::Print;
use super::height::{Wish, heights};
use super::jump;
use super::parameter::Kind;
use super::pattern::{Pattern, size};
use super::pressure::{self, Pressure};
use super::puppet::{NEARLY, Posture, Puppet};
use super::stairs;
use super::steps::{PuppetSize, Step, Steps};
use crate::curve::Curve;
use crate::pose;
use crate::smooth::low_pass;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::BodyJoint;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Time between samples, s.
pub(crate) const DT: f64 = 0.001;
/// Passes at most, and the change of the centre of pressure at which they end, m.
const PASSES: usize = 14;
const SETTLED: f64 = 2e-4;
/// Passes of a draft, which shows when heels have to rise; looked at every so many samples.
const DRAFT: usize = 4;
const LOOK: usize = 5;
/// Ankles bend so far up, rad, in usual and in long steps; heels rise this much earlier than they would be there, s.
const DORSIFLEXION: [f64; 2] = [0.46, 0.38];
const DORSIFLEXION_RUN: f64 = 0.5;
const EARLIER: f64 = 0.02;
/// Passes in which heights and the chest's turn are still changed.
const FREE: usize = 8;
/// Knees of legs that reach far bend at least so, rad.
const KNEE_LEAST: f64 = 0.15;
/// Knees while standing, rad.
const KNEE_STANDING: f64 = 0.10;
/// Knees in stance: (part of stance, angle in rad for a usual step).
const KNEE: [[f64; 2]; 5] = [[0.0, 0.06], [0.22, 0.29], [0.58, 0.07], [0.80, 0.04], [1.0, 0.44]];
/// Inertia of the upper body about the vertical, as part of the mass, m2, and what is taken of its error per pass.
const CHEST_INERTIA: f64 = 0.032;
const CHEST_GAIN: f64 = 0.5;
/// Slower turns of the chest are taken out, Hz.
const SLOW: f64 = 0.35;
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
/// Plans with flights take so many passes more.
const FLIGHT_PASSES: usize = 12;
/// A small turn, rad, that shows how a turn of the body changes its angular momentum.
const LITTLE: f64 = 1e-3;

/// A walk as a reference.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub steps: Steps,
    pub size: PuppetSize,
    pub feet: [Path; 2],
    pub pressure: Vec<Pressure>,
    /// coordinates, velocities and accelerations, sample after sample
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    /// centre of mass
    pub center: Vec<Vec3>,
    /// angular momentum about it
    pub spin: Vec<Vec3>,
    /// by pass: largest change of the centre of pressure, m
    pub settling: Vec<f64>,
    /// by how much feet were out of reach at most, m
    pub out_of_reach: f64,
}

impl Plan {
    pub fn samples(&self) -> usize {
        self.center.len()
    }

    /// Plans a walk.
    pub fn of(puppet: &mut Puppet, steps: Steps) -> Plan {
        let figure = puppet.figure.clone();
        let forest = figure.forest();
        let size = PuppetSize::of(puppet);
        let feet = feet::paths(&steps, &puppet.soles, size.scale, &Default::default(), DT);
        let jump = jump::of(&steps, size.scale);
        let pressure = match &jump {
            Some(jump) => jump.pressure(&feet, &puppet.soles),
            None => pressure::path(&steps, &feet, &puppet.soles, DT),
        };
        let samples = pressure.len();
        let mut plan = Plan {
            size,
            feet,
            pressure,
            q: forest.home().repeat(samples),
            v: vec![0.0; samples * forest.nv()],
            a: vec![0.0; samples * forest.nv()],
            center: vec![Vec3::ZERO; samples],
            spin: vec![Vec3::ZERO; samples],
            settling: Vec::new(),
            out_of_reach: 0.0,
            steps,
        };
        if jump.is_some() {
            plan.settle(puppet, PASSES);
            return plan;
        }
        plan.settle(puppet, DRAFT);
        let rises = plan.rises(puppet);
        if rises.iter().flatten().any(|t| t.is_finite()) {
            plan.feet = feet::paths(&plan.steps, &puppet.soles, size.scale, &rises, DT);
            plan.pressure = pressure::path(&plan.steps, &plan.feet, &puppet.soles, DT);
        }
        plan.settle(puppet, PASSES);
        plan
    }

    /// By foot and stance: when the heel has to rise because the ankle bends no farther.
    fn rises(&self, puppet: &Puppet) -> [Vec<f64>; 2] {
        let figure = puppet.figure.clone();
        let (forest, nq) = (figure.forest(), figure.forest().nq());
        let mut kinematics = Kinematics::default();
        let mut rises = [0, 1].map(|s| vec![f64::INFINITY; self.feet[s].stances.len()]);
        for k in (0..self.samples()).step_by(LOOK) {
            let t = k as f64 * DT;
            kinematics.update(forest, &self.q[k * nq..(k + 1) * nq], None, None);
            let turns = puppet.turns(&kinematics);
            for (s, rises) in rises.iter_mut().enumerate() {
                let n = self.feet[s].stances.partition_point(|x| x.land <= t).max(1) - 1;
                let stance = &self.feet[s].stances[n];
                let [_, shank, foot] = turns.legs[s];
                let up = foot.inverse().then(shank).rotate(vec3(0.0, 0.0, 1.0));
                let is_flat = stance.flat <= t && t < stance.rise;
                if is_flat
                    && libm::atan2(up.x, up.z) > self.most_dorsiflexion(s, stance)
                    && stance.lift.is_finite()
                {
                    rises[n] = rises[n].min(t - EARLIER);
                }
            }
        }
        rises
    }

    fn most_dorsiflexion(&self, side: usize, stance: &Stance) -> f64 {
        let step = self.steps.steps.iter().find(|s| s.side == side && s.land == stance.land);
        if step.is_some_and(|s| s.parameters.kind == Kind::Run) {
            return DORSIFLEXION_RUN;
        }
        let [usual, long] = DORSIFLEXION;
        let level = usual + (long - usual) * step.map_or(0.0, |s| 1.0 - feet::ease_of(s, self.size.scale));
        let part = if stance.stair < 0.0 { 1.0 } else { stance.climb() };
        level + part * (stairs::DORSIFLEXION - level)
    }

    fn settle(&mut self, puppet: &mut Puppet, passes: usize) {
        self.settling.clear();
        let figure = puppet.figure.clone();
        let forest = figure.forest();
        let (nq, mass, gravity) = (forest.nq(), figure.mass(), forest.gravity().norm());
        let n = self.samples();
        let jump = jump::of(&self.steps, self.size.scale);
        let pattern = match &jump {
            Some(jump) => Pattern::of_jump(&self.steps, jump),
            None => Pattern::of(&self.steps, self.size.scale),
        };
        let mut chest = vec![0.0; n];
        let mut rates = vec![Vec3::ZERO; n];
        let mut postures: Vec<Posture> = (0..n).map(|k| pattern.at(k as f64 * DT, 0.0)).collect();
        for (k, p) in postures.iter_mut().enumerate() {
            p.feet = [0, 1].map(|s| (self.feet[s].ankle[k], self.feet[s].turn[k]));
            let at = self.pressure[k].at;
            p.pelvis.0 = at + vec3(0.0, 0.0, 0.95 * puppet.hip_height - puppet.hips[0].z);
        }
        // from the pelvis to the centre of mass
        let mut above = vec![vec3(0.0, 0.0, 0.1 * puppet.hip_height); n];
        let mut z = vec![0.0; n];
        let mut kinematics = Kinematics::default();
        let mut flight = Flight::of(&self.pressure);
        let passes = passes + if flight.is_some() { FLIGHT_PASSES } else { 0 };
        let mut turns: [Vec<f64>; 3] = core::array::from_fn(|_| vec![0.0; n]);
        let inertia = self.inertia(puppet, &postures[n / 2]);
        for pass in 0..passes {
            if pass < FREE {
                z = self.rise(puppet, (&postures, &above), &mut flight, &z, gravity);
            }
            self.balance(&z, &rates, mass, gravity);
            for k in 0..n {
                let q = &mut self.q[k * nq..(k + 1) * nq];
                for _ in 0..2 {
                    postures[k].pelvis.0 = self.center[k] - above[k];
                    puppet.pose(&postures[k], q);
                    kinematics.update(forest, q, None, None);
                    let center = centroidal::center_of_mass(forest, &kinematics);
                    above[k] = center - postures[k].pelvis.0;
                }
            }
            self.differentiate(puppet);
            let before = core::mem::take(&mut rates);
            rates = self.rates();
            if let Some(f) = &flight {
                self.turn_body(f, inertia, [mass, gravity], &mut rates, &mut turns);
                for (k, p) in postures.iter_mut().enumerate() {
                    let [x, y, z] = [0, 1, 2].map(|i| turns[i][k]);
                    let usual = pattern.at(k as f64 * DT, z);
                    let turn = Quat::exp(vec3(x, y, 0.0));
                    (p.pelvis.1, p.chest) = (turn.then(usual.pelvis.1), turn.then(usual.chest));
                }
            } else if pass < FREE {
                let mut flat: Vec<f64> = rates.iter().flat_map(|r| r.to_array()).collect();
                low_pass(&mut flat, 3, 1.0 / DT, 15.0);
                rates = flat.chunks_exact(3).map(|r| vec3(r[0], r[1], r[2])).collect();
            }
            let apart = before.iter().zip(&rates).map(|(a, b)| {
                let d = *a - *b;
                libm::hypot(d.x, d.y) / (mass * gravity)
            });
            let apart = apart.fold(0.0, f64::max);
            self.settling.push(apart);
            if pass >= FREE && apart < SETTLED {
                break;
            }
            if pass + 1 < FREE && flight.is_none() {
                self.turn_chest(&rates, mass, &mut chest);
                for (k, p) in postures.iter_mut().enumerate() {
                    p.chest = pattern.at(k as f64 * DT, chest[k]).chest;
                }
            }
        }
        self.out_of_reach = (0..2)
            .flat_map(|s| postures.iter().map(move |p| (s, p)))
            .map(|(s, p)| (hip(puppet, s, p) - p.feet[s].0).norm() - puppet.reach(s, NEARLY[0]))
            .fold(0.0, f64::max);
    }

    /// Heights of a pass, from poses and heights of the pass before.
    fn rise(
        &self,
        puppet: &Puppet,
        (postures, above): (&[Posture], &[Vec3]),
        flight: &mut Option<Flight>,
        last: &[f64],
        gravity: f64,
    ) -> Vec<f64> {
        if let Some(jump) = jump::of(&self.steps, self.size.scale) {
            let leg = |k: usize, knee: f64| {
                let height = |s| leg_height(puppet, s, &postures[k], above[k].z, puppet.reach(s, knee));
                height(0).min(height(1))
            };
            return jump.heights(self.samples(), leg(0, KNEE_STANDING), leg);
        }
        let wishes = self.wishes(puppet, postures, above, gravity);
        let legs = heights(&wishes, gravity, DT);
        let Some(flight) = flight else { return legs };
        let most: Vec<f64> = wishes.iter().map(|w| w.most).collect();
        flight.heights(&legs, &most, last, gravity)
    }

    /// Path of the centre of mass from heights and rates of angular momentum.
    fn balance(&mut self, z: &[f64], rates: &[Vec3], mass: f64, gravity: f64) {
        let n = z.len();
        let (mut w2, mut px, mut py) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for k in 0..n {
            let up = if k == 0 || k + 1 == n { 0.0 } else { (z[k + 1] - 2.0 * z[k] + z[k - 1]) / (DT * DT) };
            let load = gravity + up;
            let p = &self.pressure[k];
            if p.is_free {
                (px[k], py[k]) = (p.at.x, p.at.y);
                continue;
            }
            let load = load.max(0.02 * gravity);
            w2[k] = load / (z[k] - p.at.z);
            px[k] = p.at.x + rates[k].y / (mass * load);
            py[k] = p.at.y - rates[k].x / (mass * load);
        }
        let (x, y) = (level(&px, &w2, DT), level(&py, &w2, DT));
        for k in 0..n {
            self.center[k] = vec3(x[k], y[k], z[k]);
        }
    }

    /// Velocities, accelerations and angular momentum of the poses.
    fn differentiate(&mut self, puppet: &Puppet) {
        let figure = puppet.figure.clone();
        let forest = figure.forest();
        let (nq, nv, n) = (forest.nq(), forest.nv(), self.samples());
        let mut kinematics = Kinematics::default();
        for k in 0..n {
            if k > 0 {
                let (before, now) = self.q.split_at_mut(k * nq);
                let (before, now) = (&before[(k - 1) * nq..], &mut now[..nq]);
                puppet.settle(Some(before), now);
                let v = &mut self.v[k * nv..(k + 1) * nv];
                pose::difference(forest, before, now, v);
                v.iter_mut().for_each(|v| *v /= DT);
                for b in forest.bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
                    // travel in the axes of the middle, as `sim::advance` has it
                    let (iq, iv) = (b.iq as usize + 3, b.iv as usize);
                    let half =
                        pose::quaternion(before, iq).then(Quat::exp(pose::triple(v, iv).scale(0.5 * DT)));
                    let travel = half.inverse().rotate(pose::triple(v, iv + 3));
                    v[iv + 3..iv + 6].copy_from_slice(&travel.to_array());
                }
            } else {
                puppet.settle(None, &mut self.q[..nq]);
            }
            let (q, v) = (&self.q[k * nq..(k + 1) * nq], &self.v[k * nv..(k + 1) * nv]);
            kinematics.update(forest, q, Some(v), None);
            self.spin[k] = centroidal::momentum(forest, &kinematics).angular;
        }
        for k in 0..n - 1 {
            for i in 0..nv {
                self.a[k * nv + i] = (self.v[(k + 1) * nv + i] - self.v[k * nv + i]) / DT;
            }
        }
    }

    /// Where a foot stands, or from the middle of its swing on will stand.
    pub fn print_at(&self, side: usize, t: f64) -> &Print {
        let stances = &self.feet[side].stances;
        let n = stances.partition_point(|s| s.land <= t).max(1) - 1;
        let here = &stances[n];
        let there = stances.get(n + 1).filter(|s| t > 0.5 * (here.lift + s.land));
        &there.unwrap_or(here).print
    }

    /// L'.
    pub fn rates(&self) -> Vec<Vec3> {
        let n = self.samples();
        let rate = |k: usize| (self.spin[k + 1] - self.spin[k]).scale(1.0 / DT);
        // nothing moves at the ends
        (0..n).map(|k| if (5..n - 5).contains(&k) { rate(k) } else { Vec3::ZERO }).collect()
    }

    /// Second difference of the centre of mass.
    pub fn acceleration(&self, k: usize) -> Vec3 {
        if k == 0 || k + 1 >= self.samples() {
            return Vec3::ZERO;
        }
        (self.center[k + 1] - self.center[k].scale(2.0) + self.center[k - 1]).scale(1.0 / (DT * DT))
    }

    /// Turns the chest against the moment about the vertical.
    fn turn_chest(&self, rates: &[Vec3], mass: f64, chest: &mut [f64]) {
        let n = self.samples();
        let mut sum = 0.0;
        let twice = |signal: &mut Vec<f64>| {
            let mut slow = signal.clone();
            low_pass(&mut slow, 1, 1.0 / DT, SLOW);
            signal.iter_mut().zip(&slow).for_each(|(x, s)| *x -= s);
        };
        let mut spin: Vec<f64> = (0..n)
            .map(|k| {
                let (arm, a) = (self.pressure[k].at - self.center[k], self.acceleration(k));
                sum += DT * (rates[k].z - mass * (arm.x * a.y - arm.y * a.x));
                sum
            })
            .collect();
        twice(&mut spin);
        let mut sum = 0.0;
        let mut turn: Vec<f64> = spin
            .iter()
            .map(|s| {
                sum -= CHEST_GAIN * s * DT / (CHEST_INERTIA * mass);
                sum
            })
            .collect();
        twice(&mut turn);
        chest.iter_mut().zip(&turn).for_each(|(c, t)| *c += t);
    }

    /// Turns the body so that angular momentum stays in flight, and tells the rates that are left.
    fn turn_body(
        &self,
        flight: &Flight,
        inertia: [f64; 3],
        [mass, gravity]: [f64; 2],
        rates: &mut [Vec3],
        turns: &mut [Vec<f64>; 3],
    ) {
        let n = self.samples();
        let load: Vec<f64> = (0..n).map(|k| mass * (gravity + self.acceleration(k).z)).collect();
        let yaw = |k: usize| {
            let (arm, a) = (self.pressure[k].at - self.center[k], self.acceleration(k));
            rates[k].z - mass * (arm.x * a.y - arm.y * a.x)
        };
        let left: [Vec<f64>; 3] = [
            rates.iter().map(|r| r.x).collect(),
            rates.iter().map(|r| r.y).collect(),
            (0..n).map(yaw).collect(),
        ];
        let found: [Vec<f64>; 3] =
            core::array::from_fn(|i| flight.turn(&left[i], &turns[i], &load, inertia[i]));
        for (k, r) in rates.iter_mut().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|i| inertia[i] * (second(&found[i], k) - second(&turns[i], k)));
            *r += vec3(x, y, z);
        }
        *turns = found;
    }

    /// Angular momentum about x and y per rate of turn of the whole upper body, about z of the chest.
    fn inertia(&self, puppet: &mut Puppet, posture: &Posture) -> [f64; 3] {
        let figure = puppet.figure.clone();
        let forest = figure.forest();
        let mut kinematics = Kinematics::default();
        let (mut here, mut there) = (forest.home().to_vec(), forest.home().to_vec());
        puppet.pose(posture, &mut here);
        let mut v = vec![0.0; forest.nv()];
        [0, 1, 2].map(|axis| {
            let about = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)][axis];
            let turn = Quat::about(about, LITTLE);
            let mut p = *posture;
            p.chest = turn.then(p.chest);
            if axis < 2 {
                p.pelvis.1 = turn.then(p.pelvis.1);
            }
            puppet.pose(&p, &mut there);
            pose::difference(forest, &here, &there, &mut v);
            v.iter_mut().for_each(|v| *v /= LITTLE);
            kinematics.update(forest, &here, Some(&v), None);
            centroidal::momentum(forest, &kinematics).angular.to_array()[axis]
        })
    }

    /// Heights that legs ask for and allow.
    fn wishes(&self, puppet: &Puppet, postures: &[Posture], above: &[Vec3], gravity: f64) -> Vec<Wish> {
        let stances: [Vec<Option<(&Stance, &Step)>>; 2] = [0, 1].map(|s| self.phases(s));
        let crouch = self.step_curve(|s| s.style.crouch * self.size.scale);
        let bounces = self.bounces(gravity);
        let mut last = 0.0;
        (0..self.samples())
            .map(|k| {
                let (p, share) = (&postures[k], &self.pressure[k].share);
                let t = k as f64 * DT;
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
            for k in (from / DT) as usize..((to / DT) as usize).min(told.len()) {
                told[k] = most * libm::cos((k as f64 * DT - from) * pace - BOUNCE_LATER);
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
                let t = k as f64 * DT;
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
fn leg_height(puppet: &Puppet, side: usize, p: &Posture, above: f64, long: f64) -> f64 {
    let hip = hip(puppet, side, p);
    let way = hip - p.feet[side].0;
    let level = way.x * way.x + way.y * way.y;
    let up = (long * long - level).max(0.04 * long * long).sqrt();
    p.feet[side].0.z + up + (p.pelvis.0.z + above - hip.z)
}

/// Where a hip is in a posture.
fn hip(puppet: &Puppet, side: usize, p: &Posture) -> Vec3 {
    p.pelvis.0 + p.pelvis.1.rotate(puppet.hips[side])
}
