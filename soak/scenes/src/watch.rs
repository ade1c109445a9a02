//! A scene run step by step, and what it must not do.

use crate::build;
use crate::measure::{Flow, closure, groups, largest, limit_energy, momenta, unlawful, velocities};
use crate::recipe::{Act, Recipe, Verb};
use anthropi_dynamics::Error;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{JointHandle, JointSpec, LinkHandle, State};
use anthropi_dynamics::sim::{Control, Driver, Hold, Integrator, Load, Script, Simulation};
use anthropi_dynamics::spatial::{Force, Motion, Quat, Transform, Vec3};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Connections are closed to this, m or rad.
const CLOSED: f64 = 1e-8;
/// Contact forces keep their laws to this part of the load.
const LAWFUL: f64 = 1e-8;
/// Momentum across a change of structure, against what flows inside.
const MOMENTUM: f64 = 1e-11;
/// Velocities across a cut or a change of root, against the largest.
const UNCHANGED: f64 = 1e-9;
/// A step may take this long on a processor, s.
const SLOW: f64 = 0.25;
/// Energy gained without work from which on we ask whether the length of the step explains it, of the energy at hand.
const GAIN: f64 = 1e-3;
/// A gain that the integrator explains falls to less than this with a quarter of the step: to a quarter of it for first
/// order, to half of it where velocities have no bound (what passes a stretched pose).
const EXPLAINED: f64 = 0.75;
/// Overlap from which on pushing apart is work, m.
const DEEP: f64 = 1e-5;
/// Angle of a step from which on it is too long to tell anything of energy and closure, rad.
const FAST: f64 = 0.3;

/// What was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Panic,
    Diverged,
    Closure,
    Energy,
    Contact,
    Momentum,
    Jump,
    Slow,
    Refused,
    Text,
    Differs,
}

impl Kind {
    /// Whether some scenes may end so: poses at which mechanisms are singular, and motions faster than their steps, are
    /// among the random ones, and are where the engine is known to be weak (`docs/accuracy.md`).
    pub fn is_weakness(self) -> bool {
        matches!(self, Kind::Diverged | Kind::Closure | Kind::Energy | Kind::Slow)
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Panic => "panic",
            Kind::Diverged => "diverged",
            Kind::Closure => "closure",
            Kind::Energy => "energy",
            Kind::Contact => "contact",
            Kind::Momentum => "momentum",
            Kind::Jump => "jump",
            Kind::Slow => "slow",
            Kind::Refused => "refused",
            Kind::Text => "text",
            Kind::Differs => "differs",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Fault {
    pub kind: Kind,
    pub step: usize,
    pub what: String,
}

/// What was seen in a scene that went well.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub steps: u64,
    pub contact_steps: u64,
    pub acts: u64,
    pub unsolved: u64,
    pub cuts: u64,
    pub fallbacks: u64,
    pub closure: f64,
    pub unlawful: f64,
    pub momentum: f64,
    pub slowest: f64,
    pub deepest: f64,
    /// gains of energy that were looked at and come from the length of the step
    pub explained: u64,
    /// steps in which something turned too far
    pub fast: u64,
    /// the largest of them, of the energy at hand
    pub gain: f64,
    pub digest: u64,
}

impl Seen {
    pub fn add(&mut self, other: &Seen) {
        self.steps += other.steps;
        self.contact_steps += other.contact_steps;
        self.acts += other.acts;
        self.unsolved += other.unsolved;
        self.cuts += other.cuts;
        self.fallbacks += other.fallbacks;
        self.explained += other.explained;
        self.fast += other.fast;
        self.closure = self.closure.max(other.closure);
        self.unlawful = self.unlawful.max(other.unlawful);
        self.momentum = self.momentum.max(other.momentum);
        self.slowest = self.slowest.max(other.slowest);
        self.deepest = self.deepest.max(other.deepest);
        self.gain = self.gain.max(other.gain);
    }
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps what panics say instead of printing it.
pub fn listen_to_panics() {
    std::panic::set_hook(Box::new(|info| PANIC.with(|p| *p.borrow_mut() = info.to_string())));
}

/// Runs a scene; a panic is a fault like others. `tell` is called after each step.
pub fn run(recipe: &Recipe, tell: &mut dyn FnMut(&str)) -> Result<Seen, Fault> {
    let result = catch_unwind(AssertUnwindSafe(|| Run::new(recipe)?.all(tell)));
    result.unwrap_or_else(|_| {
        let what = PANIC.with(|p| p.borrow().clone());
        Err(Fault { kind: Kind::Panic, step: 0, what })
    })
}

/// Something that pushes a link for a while.
#[derive(Clone, Debug)]
struct Pushed {
    link: LinkHandle,
    point: Vec3,
    force: Vec3,
    torque: Vec3,
    until: f64,
}

/// Torques of joints from outside.
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

/// Where everything is that does work, before a step.
struct Before {
    time: f64,
    points: Vec<Motion>,
    q: Vec<f64>,
    v: Vec<f64>,
}

struct Run<'a> {
    recipe: &'a Recipe,
    sim: Simulation,
    seen: Seen,
    pushed: Vec<Pushed>,
    /// controls: when each began, and where its joints were
    holds: Vec<(Control, f64, Vec<Vec<f64>>)>,
    driven: Option<(u64, Vec<f64>)>,
    work: f64,
    /// least energy less work since the last change, and the step before which it was
    least: f64,
    least_at: usize,
    /// energy at hand since then
    scale: f64,
    is_deep: bool,
    is_fast: bool,
}

impl<'a> Run<'a> {
    fn new(recipe: &'a Recipe) -> Result<Run<'a>, Fault> {
        let fault = |kind, what: String| Fault { kind, step: 0, what };
        let by_hand = build::by_hand(recipe).map_err(|e| fault(Kind::Refused, e.to_string()))?;
        let mut sim = by_hand;
        if recipe.by_text
            && let Some(read) = build::by_text(recipe, &sim).map_err(|e| fault(Kind::Text, e))?
        {
            sim = read;
        }
        sim.integrator = recipe.integrator;
        Ok(Run {
            recipe,
            sim,
            seen: Seen::default(),
            pushed: Vec::new(),
            holds: Vec::new(),
            driven: None,
            work: 0.0,
            least: f64::INFINITY,
            least_at: 0,
            scale: 0.0,
            is_deep: false,
            is_fast: false,
        })
    }

    fn all(mut self, tell: &mut dyn FnMut(&str)) -> Result<Seen, Fault> {
        for step in 0..self.recipe.steps {
            self.change(step)?;
            self.step(step)?;
            tell(&self.line(step));
        }
        let t = self.sim.contact_tally();
        (self.seen.unsolved, self.seen.cuts, self.seen.fallbacks) = (t.unsolved, t.cuts, t.fallbacks);
        self.seen.contact_steps = t.steps;
        self.seen.digest = self.sim.digest();
        Ok(self.seen)
    }

    fn line(&mut self, step: usize) -> String {
        let e = self.sim.energy();
        let fastest = self.sim.state().v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        format!(
            "{step:4}  kinetic {:.6e}  energy less work {:.9e}  fastest {fastest:.3e}  open {:.1e}  contacts {}  overlap {:.1e}",
            e.kinetic,
            e.total() - self.work,
            closure(&mut self.sim),
            self.sim.contacts().len(),
            self.sim.penetration(),
        )
    }

    fn fault<T>(&self, kind: Kind, step: usize, what: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { kind, step, what: what.into() })
    }

    // changes of structure

    fn change(&mut self, step: usize) -> Result<(), Fault> {
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
                let done = self.sim.push(Load::Link { link, point, force, torque, script });
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
            // only the default step takes controls implicitly
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

    /// What may be refused, since the choice of what to change was blind.
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

    /// A connection made: the momentum of what floats is kept, and energy does not grow.
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

    /// A change in which nothing jumps.
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

    // a step

    fn step(&mut self, step: usize) -> Result<(), Fault> {
        self.note_energy(step);
        let before = self.before();
        let violations = self.sim.contact_tally().violations;
        let (clock, cpu) = (Instant::now(), processor_seconds());
        let stepped = self.sim.step(self.recipe.dt);
        let mut took = clock.elapsed().as_secs_f64();
        if took > SLOW {
            took = took.min(processor_seconds() - cpu);
        }
        self.seen.slowest = self.seen.slowest.max(took);
        self.seen.steps += 1;
        if let Err(e) = stepped {
            return self.fault(Kind::Diverged, step, e.to_string());
        }
        if took > SLOW {
            return self.fault(Kind::Slow, step, format!("took {took:.2} s"));
        }
        let s = self.sim.state();
        if s.q.iter().chain(&s.v).any(|x| !x.is_finite()) {
            return self.fault(Kind::Diverged, step, "a number is not finite");
        }
        let was_fast = self.is_fast;
        let most = velocities(&mut self.sim).iter().fold(0.0, |m, (_, v)| largest(m, v.angular.norm()));
        self.is_fast = !(most * self.recipe.dt <= FAST);
        self.seen.fast += u64::from(self.is_fast);
        if !was_fast {
            self.look_at_connections(step)?;
        }
        self.look_at_contacts(step, violations)?;
        self.work += self.work_since(&before);
        self.look_at_energy(step)
    }

    fn look_at_connections(&mut self, step: usize) -> Result<(), Fault> {
        let told = self.sim.closure();
        let open = largest(largest(closure(&mut self.sim), told.linear), told.angular);
        if !(open <= CLOSED) {
            return self.fault(
                Kind::Closure,
                step,
                format!("a connection is open by {open:e}, told {:e}", told.linear.max(told.angular)),
            );
        }
        self.seen.closure = self.seen.closure.max(open);
        Ok(())
    }

    fn look_at_contacts(&mut self, step: usize, violations: u64) -> Result<(), Fault> {
        let new = self.sim.contact_tally().violations - violations;
        if new > 0 {
            return self.fault(Kind::Contact, step, format!("{new} violations"));
        }
        // after a bounce within the step forces are sums of what acted at several poses
        if self.recipe.surface.restitution == 0.0 {
            let worst = unlawful(self.sim.contacts());
            if !(worst <= LAWFUL) {
                return self.fault(
                    Kind::Contact,
                    step,
                    format!("a force breaks its law by {worst:e} of the load"),
                );
            }
            self.seen.unlawful = self.seen.unlawful.max(worst);
        }
        if self.recipe.touches {
            let depth = self.sim.penetration();
            self.is_deep = !(depth <= DEEP);
            self.seen.deepest = self.seen.deepest.max(depth);
        }
        Ok(())
    }

    // energy

    /// Energy less the work done so far.
    fn balance(&mut self) -> f64 {
        let limits = limit_energy(self.sim.figure(), self.sim.state());
        self.sim.energy().total() + limits - self.work
    }

    fn note_energy(&mut self, step: usize) {
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

    fn look_at_energy(&mut self, step: usize) -> Result<(), Fault> {
        if self.recipe.integrator == Integrator::Euler || self.is_deep || self.is_fast {
            return Ok(());
        }
        let gain = self.balance() - self.least;
        if gain <= GAIN * self.scale {
            return Ok(());
        }
        // does the length of the step explain it?
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

    fn before(&mut self) -> Before {
        let figure = self.sim.figure();
        self.pushed.retain(|p| figure.link(p.link).is_ok());
        let s = self.sim.state();
        let (time, q, v) = (self.sim.time(), s.q.clone(), s.v.clone());
        Before { time, points: self.point_velocities(), q, v }
    }

    /// Of the points that are pushed, with the turning of their links.
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
    /// which is what changes the kinetic energy, however far things were moved.
    fn work_since(&mut self, before: &Before) -> f64 {
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

/// What was missing to the target in the middle of a step.
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

fn off(a: Force, b: Force) -> f64 {
    (a - b).to_array().into_iter().fold(0.0, |m, x| largest(m, x.abs()))
}

fn norm(m: Motion) -> f64 {
    m.to_array().into_iter().fold(0.0, |m, x| largest(m, x.abs()))
}

/// Processor time of this thread; 0 where the system does not tell.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()).map_or(0.0, |n| 1e-9 * n)
}
