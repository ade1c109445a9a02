//! A whole walk as a reference that obeys dynamics before anything is simulated.
//!
//! `planning` makes it, in passes of `settle`. Differences are those of the step: v[k] = (q[k] - q[k-1])/dt,
//! a[k] = (v[k+1] - v[k])/dt, likewise for c and L, so that the equation of motion holds for the samples and not only in
//! the limit.
//! Source: our own.

use super::feet::{self, Path};
use super::ground::Print;
use super::jump;
use super::pressure::{self, Pressure};
use super::puppet::Puppet;
use super::steps::{PuppetSize, Steps};
use crate::pose;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::BodyJoint;
use anthropi_dynamics::spatial::{Quat, Vec3};

/// Time between samples of a plan that is walked, s.
pub(crate) const DT: f64 = 0.001;

/// A walk as a reference.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub steps: Steps,
    pub size: PuppetSize,
    /// time between samples, s
    pub dt: f64,
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

/// By foot and stance: when the heel has to rise, s.
pub(crate) type Rises = [Vec<f64>; 2];

impl Plan {
    /// Feet and pressure of a walk, and no poses yet.
    pub fn blank(puppet: &Puppet, steps: Steps, rises: &Rises, dt: f64) -> Plan {
        let forest = puppet.figure.forest();
        let size = PuppetSize::of(puppet);
        let feet = feet::paths(&steps, &puppet.soles, size.scale, rises, dt);
        let pressure = match jump::of(&steps, size.scale) {
            Some(jump) => jump.pressure(&feet, &puppet.soles),
            None => pressure::path(&steps, &feet, &puppet.soles, dt),
        };
        let samples = pressure.len();
        Plan {
            size,
            dt,
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
        }
    }

    pub fn samples(&self) -> usize {
        self.center.len()
    }

    /// The last step of the engine that it leads.
    pub fn last(&self) -> usize {
        (self.samples() - 2) * (self.dt / DT).round() as usize
    }

    /// Velocities, accelerations and angular momentum of the poses.
    pub fn differentiate(&mut self, puppet: &Puppet) {
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
                v.iter_mut().for_each(|v| *v /= self.dt);
                for b in forest.bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
                    // travel in the axes of the middle, as `sim::advance` has it
                    let (iq, iv) = (b.iq as usize + 3, b.iv as usize);
                    let half = pose::quaternion(before, iq)
                        .then(Quat::exp(pose::triple(v, iv).scale(0.5 * self.dt)));
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
                self.a[k * nv + i] = (self.v[(k + 1) * nv + i] - self.v[k * nv + i]) / self.dt;
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
        let rate = |k: usize| (self.spin[k + 1] - self.spin[k]).scale(1.0 / self.dt);
        // nothing moves at the ends
        (0..n).map(|k| if (5..n - 5).contains(&k) { rate(k) } else { Vec3::ZERO }).collect()
    }

    /// Second difference of the centre of mass.
    pub fn acceleration(&self, k: usize) -> Vec3 {
        if k == 0 || k + 1 >= self.samples() {
            return Vec3::ZERO;
        }
        (self.center[k + 1] - self.center[k].scale(2.0) + self.center[k - 1]).scale(1.0 / (self.dt * self.dt))
    }
}
