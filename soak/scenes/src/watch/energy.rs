//! Energy balance: no gain without work, except for integration errors.

use super::{Fault, Kind, Pushed, Run};
use crate::measure::limit_energy;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::sim::Integrator;
use anthropi_dynamics::spatial::{Force, Motion, Quat, Vec3};

/// Least energy gain that is examined, relative to the available energy.
const GAIN: f64 = 1e-3;
/// An integration error falls to less than this with a quarter of the step: to a quarter for first
/// order, to half where velocities are unbounded (passing a stretched pose).
const EXPLAINED: f64 = 0.75;

/// State of everything that does work, before a step.
pub(super) struct Before {
    time: f64,
    points: Vec<Motion>,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Run<'_> {
    /// Energy minus the work done so far.
    fn balance(&mut self) -> f64 {
        let limits = limit_energy(self.sim.figure(), self.sim.state());
        self.sim.energy().total() + limits - self.work
    }

    pub(super) fn note_energy(&mut self, step: usize) {
        let now = self.balance();
        let e = self.sim.energy();
        if self.is_deep || now < self.least || self.is_fast {
            (self.least, self.least_at) = (now, step);
            self.scale = 0.0;
        }
        let figure = self.sim.figure();
        let weight = 0.01 * figure.mass() * figure.gravity().norm();
        self.scale = self.scale.max(e.kinetic + e.spring.abs()).max(weight).max(1e-3);
    }

    pub(super) fn look_at_energy(&mut self, step: usize) -> Result<(), Fault> {
        if self.recipe.integrator == Integrator::Euler || self.is_deep || self.is_fast {
            return Ok(());
        }
        let gain = self.balance() - self.least;
        if gain <= GAIN * self.scale {
            return Ok(());
        }
        // is it an integration error?
        let mut finer = Run::new(self.recipe)?;
        let least_at = self.least_at;
        for before in 0..least_at {
            finer.change(before)?;
            let from = finer.before();
            finer.sim.step(self.recipe.dt).map_err(|e| Fault {
                kind: Kind::Differs,
                step,
                what: e.to_string(),
            })?;
            finer.work += finer.work_since(&from);
        }
        finer.change(least_at)?;
        let start = finer.balance();
        let mut most = 0.0_f64;
        for _ in 0..4 * (step + 1 - least_at) {
            let from = finer.before();
            if finer.sim.step(0.25 * self.recipe.dt).is_err() {
                most = f64::INFINITY;
                break;
            }
            finer.work += finer.work_since(&from);
            most = most.max(finer.balance() - start);
        }
        let part = gain / self.scale;
        if most <= EXPLAINED * gain {
            self.seen.explained += 1;
            self.seen.gain = self.seen.gain.max(part);
            (self.least, self.least_at) = (self.balance(), step + 1);
            return Ok(());
        }
        self.fault(
            Kind::Energy,
            step,
            format!("gains {part:.3e} of its energy ({gain:.3e} J) without work since step {least_at}; with a quarter of the step {most:.3e} J"),
        )
    }

    pub(super) fn before(&mut self) -> Before {
        let figure = self.sim.figure();
        self.pushed.retain(|p| figure.link(p.link).is_ok());
        let s = self.sim.state();
        let (time, q, v) = (self.sim.time(), s.q.clone(), s.v.clone());
        Before { time, points: self.point_velocities(), q, v }
    }

    /// Velocities of the pushed points and angular velocities of their links.
    fn point_velocities(&mut self) -> Vec<Motion> {
        let k = self.sim.kinematics().clone();
        let forest = self.sim.figure().forest();
        let of = |p: &Pushed| {
            let arm = k.link_pose(forest, p.link).rotation.mul(p.point);
            k.link_velocity(forest, p.link).shifted(arm)
        };
        self.pushed.iter().map(of).collect()
    }

    /// Work of pushes, controls and drivers over the last step: force times the mean of the velocities before and after,
    /// which determines the change of kinetic energy, independent of the displacement.
    pub(super) fn work_since(&mut self, before: &Before) -> f64 {
        let h = self.sim.time() - before.time;
        let middle = before.time + 0.5 * h;
        let after = self.point_velocities();
        let mut work = 0.0;
        for ((p, v0), v1) in
            self.pushed.iter().zip(&before.points).zip(&after).filter(|((p, _), _)| middle < p.until)
        {
            work += 0.5 * h * (*v0 + *v1).dot(Force::new(p.torque, p.force));
        }
        let (figure, state) = (self.sim.figure(), self.sim.state());
        for (handle, joint) in figure.joints() {
            let at = figure.forest().joint_place(handle);
            let q0 = &before.q[at.iq..at.iq + at.nq];
            let (v0, v1) = (&before.v[at.iv..at.iv + at.nv], &state.v[at.iv..at.iv + at.nv]);
            let moved = |i: usize| 0.5 * h * (v0[i] + v1[i]);
            for (control, since, from) in &self.holds {
                for (hold, from) in control.holds.iter().zip(from).filter(|(h, _)| h.joint == handle) {
                    if hold.target.len() != at.nq || joint.kind == JointKind::Free {
                        continue;
                    }
                    let part = if control.over > 0.0 {
                        ((middle - since) / control.over).clamp(0.0, 1.0)
                    } else {
                        1.0
                    };
                    let missing =
                        missing(joint.kind, from, &hold.target, part * part * (3.0 - 2.0 * part), q0, v0, h);
                    for i in 0..at.nv {
                        // stiffness and damping act at the end of the step
                        let viscosity = hold.damping + 0.5 * h * hold.stiffness;
                        let (force, most) =
                            (hold.stiffness * missing[i] - viscosity * v1[i], effort(joint, i, at.nq));
                        work += force.clamp(-most, most) * moved(i);
                    }
                }
            }
            if let Some((revision, tau)) = &self.driven
                && *revision == figure.revision()
            {
                work += (0..at.nv).map(|i| tau[at.iv + i] * moved(i)).sum::<f64>();
            }
        }
        work
    }
}

/// Distance to the target in the middle of a step.
fn missing(kind: JointKind, from: &[f64], to: &[f64], part: f64, q: &[f64], v: &[f64], h: f64) -> [f64; 3] {
    if kind == JointKind::Spherical && to.len() == 4 {
        let quat = |q: &[f64]| Quat([q[0], q[1], q[2], q[3]]);
        let wanted = quat(from).then(Quat::exp(quat(from).inverse().then(quat(to)).log().scale(part)));
        let middle = quat(q).then(Quat::exp(Vec3 { x: v[0], y: v[1], z: v[2] }.scale(0.5 * h)));
        return middle.inverse().then(wanted).log().to_array();
    }
    let mut e = [0.0; 3];
    for i in 0..to.len() {
        e[i] = from[i] + part * (to[i] - from[i]) - q[i] - 0.5 * h * v[i];
    }
    e
}

fn effort(joint: &anthropi_dynamics::model::Joint, i: usize, nq: usize) -> f64 {
    let dof = if joint.kind == JointKind::Spherical && nq == 4 {
        joint.order.axes().iter().position(|a| a.index() == i)
    } else {
        joint.coordinates().free_dofs().nth(i)
    };
    dof.map_or(f64::INFINITY, |d| joint.dof[d].effort)
}
