//! Passes over a plan until all of it agrees.
//!
//! In each: heights (`height`), level path of the centre of mass (`center`), poses by closed-form legs (`puppet`), angular
//! momentum L of the poses, whose rate shifts the centre of pressure for the next pass; and the chest turns against
//! the legs until little is left for friction about the vertical:
//!     m_z = L'_z - m [(p - c) x c'']_z,   chest yaw -= gain / I  integral integral m_z   (slow parts taken out).
//! Source: our own.

use super::center::level;
use super::flight::{Flight, second};
use super::height::heights;
use super::jump;
use super::pattern::Pattern;
use super::plan::Plan;
use super::puppet::{NEARLY, Posture, Puppet};
use super::wish::{KNEE_STANDING, hip, leg_height};
use crate::pose;
use crate::program::Memory;
use crate::smooth::low_pass;
use crate::spline::Spline;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// The change of the centre of pressure at which passes end, m.
const SETTLED: f64 = 2e-4;
/// Passes in which heights and the chest's turn are still changed.
const FREE: usize = 8;
/// Inertia of the upper body about the vertical, as part of the mass, m2, and what is taken of its error per pass.
const CHEST_INERTIA: f64 = 0.032;
const CHEST_GAIN: f64 = 0.5;
/// Slower turns of the chest are taken out, Hz.
const SLOW: f64 = 0.35;
/// Plans with flights take so many passes more.
const FLIGHT_PASSES: usize = 12;
/// A small turn, rad, that shows how a turn of the body changes its angular momentum.
const LITTLE: f64 = 1e-3;

/// What is between passes, besides the plan.
#[derive(Clone, Debug)]
pub(crate) struct Settling {
    pattern: Pattern,
    flight: Option<Flight>,
    postures: Vec<Posture>,
    /// from the pelvis to the centre of mass
    above: Vec<Vec3>,
    /// heights of the centre of mass
    z: Vec<f64>,
    risen: Option<Memory<1>>,
    /// rates of angular momentum
    rates: Vec<Vec3>,
    /// turn of the chest, and small turns of the body in flight
    chest: Vec<f64>,
    turns: [Vec<f64>; 3],
    inertia: [f64; 3],
    pass: usize,
    passes: usize,
}

impl Settling {
    /// From nothing, with so many passes at most.
    pub fn of(plan: &Plan, puppet: &mut Puppet, passes: usize) -> Settling {
        let n = plan.samples();
        let pattern = match &jump::of(&plan.steps, plan.size.scale) {
            Some(jump) => Pattern::of_jump(&plan.steps, jump),
            None => Pattern::of(&plan.steps, plan.size.scale),
        };
        let mut postures: Vec<Posture> = (0..n).map(|k| pattern.at(k as f64 * plan.dt, 0.0)).collect();
        for (k, p) in postures.iter_mut().enumerate() {
            p.feet = [0, 1].map(|s| (plan.feet[s].ankle[k], plan.feet[s].turn[k]));
            let at = plan.pressure[k].at;
            p.pelvis.0 = at + vec3(0.0, 0.0, 0.95 * puppet.hip_height - puppet.hips[0].z);
        }
        let flight = Flight::of(&plan.pressure);
        Settling {
            inertia: inertia(puppet, &postures[n / 2]),
            postures,
            above: vec![vec3(0.0, 0.0, 0.1 * puppet.hip_height); n],
            z: vec![0.0; n],
            risen: None,
            rates: vec![Vec3::ZERO; n],
            chest: vec![0.0; n],
            turns: core::array::from_fn(|_| vec![0.0; n]),
            pass: 0,
            passes: passes + if flight.is_some() { FLIGHT_PASSES } else { 0 },
            pattern,
            flight,
        }
    }

    /// From what passes over the same walk with coarser samples, `dt` apart, have found: heights and the chest's turn stay.
    pub fn finer(coarse: &Settling, dt: f64, plan: &Plan, puppet: &mut Puppet, passes: usize) -> Settling {
        let mut fine = Settling::of(plan, puppet, FREE + passes);
        fine.pass = FREE;
        let known: Vec<f64> = (0..coarse.z.len())
            .flat_map(|k| {
                let (a, r) = (coarse.above[k], coarse.rates[k]);
                [coarse.z[k], coarse.chest[k], a.x, a.y, a.z, r.x, r.y, r.z]
            })
            .collect();
        let spline = Spline::through(&known, 8, dt);
        let mut now = [0.0; 8];
        for k in 0..plan.samples() {
            let t = k as f64 * plan.dt;
            spline.value(t, &mut now);
            (fine.z[k], fine.chest[k]) = (now[0], now[1]);
            (fine.above[k], fine.rates[k]) = (vec3(now[2], now[3], now[4]), vec3(now[5], now[6], now[7]));
            fine.postures[k].chest = fine.pattern.at(t, now[1]).chest;
        }
        fine
    }

    /// Makes a pass; whether it was the last one.
    pub fn pass(&mut self, plan: &mut Plan, puppet: &mut Puppet) -> bool {
        let figure = puppet.figure.clone();
        let forest = figure.forest();
        let (nq, mass, gravity) = (forest.nq(), figure.mass(), forest.gravity().norm());
        let is_free = self.pass < FREE;
        if is_free {
            self.rise(plan, puppet, gravity);
        }
        plan.balance(&self.z, &self.rates, mass, gravity);
        let mut kinematics = Kinematics::default();
        for k in 0..plan.samples() {
            let q = &mut plan.q[k * nq..(k + 1) * nq];
            for _ in 0..2 {
                self.postures[k].pelvis.0 = plan.center[k] - self.above[k];
                puppet.pose(&self.postures[k], q);
                kinematics.update(forest, q, None, None);
                let center = centroidal::center_of_mass(forest, &kinematics);
                self.above[k] = center - self.postures[k].pelvis.0;
            }
        }
        plan.differentiate(puppet);
        let before = core::mem::replace(&mut self.rates, plan.rates());
        if self.flight.is_some() {
            self.turn_body(plan, [mass, gravity]);
        } else if is_free {
            let mut flat: Vec<f64> = self.rates.iter().flat_map(|r| r.to_array()).collect();
            low_pass(&mut flat, 3, 1.0 / plan.dt, 15.0);
            self.rates = flat.chunks_exact(3).map(|r| vec3(r[0], r[1], r[2])).collect();
        }
        let apart = before.iter().zip(&self.rates).map(|(a, b)| {
            let d = *a - *b;
            libm::hypot(d.x, d.y) / (mass * gravity)
        });
        let apart = apart.fold(0.0, f64::max);
        plan.settling.push(apart);
        self.pass += 1;
        if self.pass < FREE && self.flight.is_none() {
            self.turn_chest(plan, mass);
        }
        let is_last = self.pass == self.passes || !is_free && apart < SETTLED;
        if is_last {
            plan.out_of_reach = (0..2)
                .flat_map(|s| self.postures.iter().map(move |p| (s, p)))
                .map(|(s, p)| (hip(puppet, s, p) - p.feet[s].0).norm() - puppet.reach(s, NEARLY[0]))
                .fold(0.0, f64::max);
        }
        is_last
    }

    /// Heights of a pass, from poses and heights of the pass before.
    fn rise(&mut self, plan: &Plan, puppet: &Puppet, gravity: f64) {
        let (postures, above) = (&self.postures, &self.above);
        if let Some(jump) = jump::of(&plan.steps, plan.size.scale) {
            let leg = |k: usize, knee: f64| {
                let height = |s| leg_height(puppet, s, &postures[k], above[k].z, puppet.reach(s, knee));
                height(0).min(height(1))
            };
            self.z = jump.heights(plan.samples(), leg(0, KNEE_STANDING), leg);
            return;
        }
        let wishes = plan.wishes(puppet, postures, above, gravity);
        let legs = heights(&wishes, gravity, plan.dt, &mut self.risen);
        self.z = match &mut self.flight {
            None => legs,
            Some(flight) => {
                let most: Vec<f64> = wishes.iter().map(|w| w.most).collect();
                flight.heights(&legs, &most, &self.z, gravity)
            }
        };
    }

    /// Turns the chest against the moment about the vertical.
    fn turn_chest(&mut self, plan: &Plan, mass: f64) {
        let mut sum = 0.0;
        let dt = plan.dt;
        let twice = |signal: &mut Vec<f64>| {
            let mut slow = signal.clone();
            low_pass(&mut slow, 1, 1.0 / dt, SLOW);
            signal.iter_mut().zip(&slow).for_each(|(x, s)| *x -= s);
        };
        let mut spin: Vec<f64> = (0..plan.samples())
            .map(|k| {
                sum += dt * plan.twist(k, self.rates[k], mass);
                sum
            })
            .collect();
        twice(&mut spin);
        let mut sum = 0.0;
        let mut turn: Vec<f64> = spin
            .iter()
            .map(|s| {
                sum -= CHEST_GAIN * s * dt / (CHEST_INERTIA * mass);
                sum
            })
            .collect();
        twice(&mut turn);
        for (k, p) in self.postures.iter_mut().enumerate() {
            self.chest[k] += turn[k];
            p.chest = self.pattern.at(k as f64 * dt, self.chest[k]).chest;
        }
    }

    /// Turns the body so that angular momentum stays in flight; rates are those that are left.
    fn turn_body(&mut self, plan: &Plan, [mass, gravity]: [f64; 2]) {
        let Some(flight) = &self.flight else { return };
        let n = plan.samples();
        let load: Vec<f64> = (0..n).map(|k| mass * (gravity + plan.acceleration(k).z)).collect();
        let (rates, inertia) = (&self.rates, self.inertia);
        let left: [Vec<f64>; 3] = [
            rates.iter().map(|r| r.x).collect(),
            rates.iter().map(|r| r.y).collect(),
            (0..n).map(|k| plan.twist(k, rates[k], mass)).collect(),
        ];
        let found: [Vec<f64>; 3] =
            core::array::from_fn(|i| flight.turn(&left[i], &self.turns[i], &load, inertia[i]));
        for (k, r) in self.rates.iter_mut().enumerate() {
            let [x, y, z] =
                [0, 1, 2].map(|i| inertia[i] * (second(&found[i], k) - second(&self.turns[i], k)));
            *r += vec3(x, y, z);
        }
        self.turns = found;
        for (k, p) in self.postures.iter_mut().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|i| self.turns[i][k]);
            let usual = self.pattern.at(k as f64 * plan.dt, z);
            let turn = Quat::exp(vec3(x, y, 0.0));
            (p.pelvis.1, p.chest) = (turn.then(usual.pelvis.1), turn.then(usual.chest));
        }
    }
}

impl Plan {
    /// Path of the centre of mass from heights and rates of angular momentum.
    fn balance(&mut self, z: &[f64], rates: &[Vec3], mass: f64, gravity: f64) {
        let n = z.len();
        let (mut w2, mut px, mut py) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for k in 0..n {
            let up = if k == 0 || k + 1 == n {
                0.0
            } else {
                (z[k + 1] - 2.0 * z[k] + z[k - 1]) / (self.dt * self.dt)
            };
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
        let (x, y) = (level(&px, &w2, self.dt), level(&py, &w2, self.dt));
        for k in 0..n {
            self.center[k] = vec3(x[k], y[k], z[k]);
        }
    }

    /// Moment about the vertical that friction has to give, N m.
    fn twist(&self, k: usize, rate: Vec3, mass: f64) -> f64 {
        let (arm, a) = (self.pressure[k].at - self.center[k], self.acceleration(k));
        rate.z - mass * (arm.x * a.y - arm.y * a.x)
    }
}

/// Angular momentum about x and y per rate of turn of the whole upper body, about z of the chest.
fn inertia(puppet: &mut Puppet, posture: &Posture) -> [f64; 3] {
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
