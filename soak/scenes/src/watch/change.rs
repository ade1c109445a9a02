//! Actions between steps, and the invariants they must preserve.

use super::{Fault, Kind, Pushed, Run};
use crate::build;
use crate::measure::{Flow, groups, largest, momenta, velocities};
use crate::recipe::{Act, Verb};
use anthropi_dynamics::Error;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{JointHandle, JointSpec, LinkHandle, State};
use anthropi_dynamics::sim::{Control, Driver, Hold, Integrator, Script, ScriptedForce, Simulation};
use anthropi_dynamics::spatial::{Force, Motion, Quat, Transform, Vec3};

/// Tolerance of momentum across a structural change, relative to the internal exchange.
const MOMENTUM: f64 = 1e-11;
/// Tolerance of velocities across a cut or a change of root, relative to the largest.
const UNCHANGED: f64 = 1e-9;

/// External joint torques.
#[derive(Clone, Debug)]
struct Torques(Vec<f64>);

impl Driver for Torques {
    fn drive(&mut self, _: f64, _: &State, tau: &mut [f64]) {
        tau.copy_from_slice(&self.0);
    }

    fn boxed(&self) -> Box<dyn Driver> {
        Box::new(self.clone())
    }
}

impl Run<'_> {
    pub(super) fn change(&mut self, step: usize) -> Result<(), Fault> {
        let recipe = self.recipe;
        for act in recipe.acts.iter().filter(|a| a.step == step) {
            self.seen.acts += 1;
            self.act(act, step)?;
            self.least = f64::INFINITY;
        }
        Ok(())
    }

    fn act(&mut self, act: &Act, step: usize) -> Result<(), Fault> {
        match &act.verb {
            Verb::Connect { a, b, kind, at, turn } => {
                let Some(a) = self.find(a) else { return Ok(()) };
                let parent = match b {
                    None => None,
                    Some(b) => match self.find(b) {
                        Some(b) => Some(b),
                        None => return Ok(()),
                    },
                };
                let name = format!("grip{step}-{}", self.seen.acts);
                let mut joint = JointSpec::new(name, *kind);
                (joint.parent, joint.child_from_joint) = (parent, Transform::new(*at, *turn));
                self.keeping_momentum(step, |sim| sim.connect(a, joint).map(|_| ()))
            }
            Verb::CutConnection(n) => {
                let mut all = self.sim.figure().connections().map(|(h, ..)| h);
                let Some(joint) = all.nth(*n) else { return Ok(()) };
                drop(all);
                self.keeping_velocities(step, |sim| sim.cut(joint).map(|_| ()))
            }
            Verb::CutJoint(link) => {
                let Some(joint) = self.joint_of(link) else { return Ok(()) };
                self.keeping_velocities(step, |sim| sim.cut(joint).map(|_| ()))
            }
            Verb::Lock(link, k) => {
                let Some(joint) = self.joint_of(link) else { return Ok(()) };
                let done = self.sim.edit(|f, s| f.lock(joint, *k, s));
                self.allowed(step, done)
            }
            Verb::Unlock(link, k) => {
                let Some(joint) = self.joint_of(link) else { return Ok(()) };
                let is_locked =
                    self.sim.figure().joint(joint).is_ok_and(|j| j.dof.get(*k).is_some_and(|d| d.locked));
                if !is_locked {
                    return Ok(());
                }
                self.keeping_velocities(step, |sim| sim.edit(|f, s| f.unlock(joint, *k, s)).map(|_| ()))
            }
            Verb::Reroot(link) => {
                let Some(link) = self.find(link) else { return Ok(()) };
                self.keeping_velocities(step, |sim| sim.edit(|f, s| f.reroot(link, s)).map(|_| ()))
            }
            Verb::Push { link, point, force, torque, steps } => {
                let Some(link) = self.find(link) else { return Ok(()) };
                let from = self.sim.time() - 0.25 * self.recipe.dt;
                let until = from + *steps as f64 * self.recipe.dt;
                let inertia = self.sim.figure().link(link).expect("it was just found").spec.inertia;
                let least = inertia.central().eigenvalues()[0];
                let (point, force, torque) = (*point, force.scale(inertia.mass), torque.scale(least));
                let script = Script::Between { from, until };
                let done = self.sim.push(ScriptedForce::Link { link, point, force, torque, script });
                self.allowed(step, done)?;
                self.pushed.push(Pushed { link, point, force, torque, until });
                Ok(())
            }
            Verb::Hold { links, stiffness, damping, turn, over } => {
                self.hold(links, *stiffness, *damping, *turn, *over, step)
            }
            Verb::Drive { size } => {
                let figure = self.sim.figure();
                let mut tau = build::effective_inertia(figure, self.sim.state());
                tau.iter_mut().enumerate().for_each(|(k, t)| *t *= size * (k as f64).sin());
                for (h, _) in figure.joints().filter(|(_, j)| j.kind == JointKind::Free) {
                    let p = figure.forest().joint_place(h);
                    tau[p.iv..p.iv + p.nv].fill(0.0);
                }
                self.driven = Some((figure.revision(), tau.clone()));
                self.sim.drive(Box::new(Torques(tau)));
                Ok(())
            }
        }
    }

    fn hold(
        &mut self,
        links: &[String],
        stiffness: f64,
        damping: f64,
        turn: f64,
        over: f64,
        step: usize,
    ) -> Result<(), Fault> {
        let mut holds: Vec<Hold> = Vec::new();
        let inertia = build::effective_inertia(self.sim.figure(), self.sim.state());
        for joint in links.iter().filter_map(|l| self.joint_of(l)) {
            let j = self.sim.figure().joint(joint).expect("it was just found");
            let is_held = holds.iter().any(|h| h.joint == joint);
            if is_held || matches!(j.kind, JointKind::Free | JointKind::Fixed) || j.coordinates().nv() == 0 {
                continue;
            }
            let mut target = self.sim.state().q_of(self.sim.figure(), joint).expect("it is there").to_vec();
            if j.kind == JointKind::Spherical && target.len() == 4 {
                let now = Quat([target[0], target[1], target[2], target[3]]);
                target = now.then(Quat::exp(Vec3 { x: turn, y: 0.5 * turn, z: 0.0 })).0.to_vec();
            } else {
                let part = if matches!(j.kind, JointKind::Prismatic { .. }) { 0.1 } else { 1.0 };
                target.iter_mut().for_each(|x| *x += part * turn);
            }
            // only the default step treats controls implicitly
            let explicit = self.recipe.integrator != Integrator::Midpoint;
            let part = if explicit { build::least(self.sim.figure(), joint, &inertia) } else { 1.0 };
            holds.push(Hold { joint, target, stiffness: part * stiffness, damping: part * damping });
        }
        let control = Control { name: format!("hold{step}-{}", self.seen.acts), holds, over };
        let from = control
            .holds
            .iter()
            .map(|h| self.sim.state().q_of(self.sim.figure(), h.joint).map_or(Vec::new(), <[f64]>::to_vec));
        let from = from.collect();
        let done = self.sim.control(control.clone(), true);
        self.allowed(step, done)?;
        self.holds.push((control, self.sim.time(), from));
        Ok(())
    }

    fn find(&self, link: &str) -> Option<LinkHandle> {
        self.sim.figure().find_link(link).ok()
    }

    fn joint_of(&self, link: &str) -> Option<JointHandle> {
        let figure = self.sim.figure();
        figure.link(self.find(link)?).ok().map(|l| l.joint())
    }

    /// Whether an error is acceptable, since actions are chosen at random.
    fn allowed<T>(&self, step: usize, done: Result<T, Error>) -> Result<(), Fault> {
        match done {
            Ok(_)
            | Err(
                Error::SelfConnection { .. }
                | Error::WrongKind { .. }
                | Error::BaseNotFree { .. }
                | Error::NoInertia { .. },
            ) => Ok(()),
            Err(e) => self.fault(Kind::Refused, step, e.to_string()),
        }
    }

    /// Checks a connection: floating bodies keep their momentum, and energy does not grow.
    fn keeping_momentum(
        &mut self,
        step: usize,
        change: impl FnOnce(&mut Simulation) -> Result<(), Error>,
    ) -> Result<(), Fault> {
        let (before, energy) = (momenta(&mut self.sim), self.sim.energy().kinetic);
        let done = change(&mut self.sim);
        self.allowed(step, done)?;
        let (after, now) = (momenta(&mut self.sim), self.sim.energy().kinetic);
        let of = groups(self.sim.figure());
        for g in (1..of.len()).filter(|g| of[*g] == *g) {
            let sum = |all: &[Flow]| {
                let own = all.iter().zip(&of).filter(|(_, o)| **o == g);
                own.fold(Flow::default(), |s, (f, _)| s.and(f))
            };
            let (b, a) = (sum(&before), sum(&after));
            let rate = off(a.momentum, b.momentum) / b.size();
            self.seen.momentum = largest(self.seen.momentum, rate);
            if !(rate <= MOMENTUM) {
                return self.fault(Kind::Momentum, step, format!("connect changes momentum by {rate:e}"));
            }
        }
        if !(now <= energy * (1.0 + 1e-9) + 1e-12) {
            return self.fault(
                Kind::Momentum,
                step,
                format!("connect raises the kinetic energy from {energy} to {now}"),
            );
        }
        Ok(())
    }

    /// Checks a change without velocity jumps.
    fn keeping_velocities(
        &mut self,
        step: usize,
        change: impl FnOnce(&mut Simulation) -> Result<(), Error>,
    ) -> Result<(), Fault> {
        let before = velocities(&mut self.sim);
        let done = change(&mut self.sim);
        self.allowed(step, done)?;
        let after = velocities(&mut self.sim);
        let size = before.iter().fold(1e-3, |m, (_, v)| largest(m, norm(*v)));
        for (name, v) in &before {
            let Some((_, now)) = after.iter().find(|(n, _)| n == name) else {
                return self.fault(Kind::Jump, step, format!("link {name} is gone"));
            };
            let jump = norm(*now - *v) / size;
            if !(jump <= UNCHANGED) {
                return self.fault(
                    Kind::Jump,
                    step,
                    format!("the velocity of {name} jumps by {jump:e} of {size:e}"),
                );
            }
        }
        Ok(())
    }
}

fn off(a: Force, b: Force) -> f64 {
    (a - b).to_array().into_iter().fold(0.0, |m, x| largest(m, x.abs()))
}

fn norm(m: Motion) -> f64 {
    m.to_array().into_iter().fold(0.0, |m, x| largest(m, x.abs()))
}
