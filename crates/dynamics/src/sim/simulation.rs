//! A figure moving in time: state, scripted loads, controls, drivers, events, energy, divergence, digest.

use super::control::{Control, Running};
use super::driver::{Driven, Driver};
use super::event::{Event, Happened};
use super::integrate::{ForceSum, Integrator, Loads, Stepper};
use super::script::ScriptedForce;
use crate::algo::{energy, fk::Kinematics};
use crate::constraint::{Closed, Constraints};
use crate::contact::{Contact, Contacts, Overlap, Tally, World};
use crate::error::Error;
use crate::model::{Change, Figure, Forest, JointHandle, JointSpec, LinkHandle, State};
use crate::spatial::{Force, Vec3};

/// A figure in motion.
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(super) figure: Figure,
    pub(super) state: State,
    pub(super) time: f64,
    steps: u64,
    /// integration method
    pub integrator: Integrator,
    loads: Vec<ScriptedForce>,
    pub(super) controls: Vec<Running>,
    driver: Option<Driven>,
    pub(super) events: Vec<Event>,
    pub(super) signals: Vec<String>,
    pub(super) happened: Vec<Happened>,
    pub(super) stepper: Stepper,
    pub(super) kinematics: Kinematics,
    driven: Constraints,
    contacts: Option<Contacts>,
    /// revision of the figure at the last step: forces belong to it
    stepped: Option<u64>,
}

/// Energy of a figure, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// kinetic
    pub kinetic: f64,
    /// gravitational
    pub potential: f64,
    /// elastic
    pub spring: f64,
}

impl Energy {
    /// Total.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.spring
    }
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stepped {
    /// time after the step
    pub time: f64,
}

impl Simulation {
    /// Starts at a state.
    pub fn new(figure: Figure, state: State) -> Result<Simulation, Error> {
        figure.check(&state)?;
        Ok(Simulation {
            figure,
            state,
            time: 0.0,
            steps: 0,
            integrator: Integrator::default(),
            loads: Vec::new(),
            controls: Vec::new(),
            driver: None,
            events: Vec::new(),
            signals: Vec::new(),
            happened: Vec::new(),
            stepper: Stepper::default(),
            kinematics: Kinematics::default(),
            driven: Constraints::default(),
            contacts: None,
            stepped: None,
        })
    }

    /// The figure.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// Position and velocity.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Accelerations of the last evaluation of the dynamics.
    pub fn accelerations(&self) -> &[f64] {
        self.stepper.accelerations()
    }

    /// Adds a scripted force.
    pub fn push(&mut self, load: ScriptedForce) -> Result<(), Error> {
        match &load {
            ScriptedForce::Joint { joint, dof, size, script } => {
                let j = self.figure.joint(*joint)?;
                if *dof >= j.kind.nv() {
                    let name = format!("{}.{dof}", j.name);
                    return Err(Error::UnknownName { what: "degree of freedom", name });
                }
                script.check()?;
                if !size.is_finite() {
                    return Err(Error::NotFinite { what: format!("load on joint `{}`", j.name) });
                }
            }
            ScriptedForce::Link { link, point, force, torque, script } => {
                let name = &self.figure.link(*link)?.spec.name;
                script.check()?;
                if ![point, force, torque].iter().all(|v| v.is_finite()) {
                    return Err(Error::NotFinite { what: format!("load on link `{name}`") });
                }
            }
        }
        self.loads.push(load);
        Ok(())
    }

    /// Removes all scripted forces.
    pub fn clear_loads(&mut self) {
        self.loads.clear();
    }

    /// Adds a controller. It starts now if `is_on`, otherwise by an event.
    pub fn control(&mut self, control: Control, is_on: bool) -> Result<(), Error> {
        control.check(&self.figure)?;
        let mut running = Running::new(control);
        if is_on {
            running.start(&self.figure, &self.state, self.time);
        }
        self.controls.push(running);
        Ok(())
    }

    /// Sets the driver that supplies joint forces at the beginning of every step. A change of structure removes it.
    pub fn drive(&mut self, driver: Box<dyn Driver>) {
        self.driver = Some(Driven::new(driver, &self.figure));
    }

    /// Changes the structure during the motion. A refused change leaves the motion unchanged to the last bit.
    pub fn edit<T>(
        &mut self,
        change: impl FnOnce(&mut Figure, &mut State) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let done = change(&mut self.figure, &mut self.state)?;
        self.jumped();
        Ok(done)
    }

    /// Discards state that is valid only while the pose is continuous.
    fn jumped(&mut self) {
        self.stepper.restart();
        self.contacts.iter_mut().for_each(Contacts::forget_anchors);
    }

    /// Connects link `a` to another (or the world) at the current pose. Positions stay; velocities jump so that momentum is
    /// conserved and the new joint's constrained directions are at rest. [NY2000 §V]
    pub fn connect(&mut self, a: LinkHandle, joint: JointSpec) -> Result<JointHandle, Error> {
        let joint = self.figure.closed_here(a, joint, &self.state)?;
        let handle = self.figure.connect(a, joint, &mut self.state)?;
        self.stepper.jump(self.figure.forest(), &self.state.q, &mut self.state.v);
        Ok(handle)
    }

    /// Cuts a connection, or a joint of the tree: its subtree becomes free.
    pub fn cut(&mut self, joint: JointHandle) -> Result<Change, Error> {
        let change = self.figure.cut(joint, &mut self.state)?;
        self.stepper.restart();
        Ok(change)
    }

    /// Moves the pose until all connections are closed.
    ///
    /// # Errors
    /// Connections that cannot be closed, with the remaining gap; the state is then unchanged.
    pub fn assemble(&mut self) -> Result<Closed, Error> {
        let closed = self.stepper.assemble(&self.figure, &mut self.state)?;
        self.jumped();
        Ok(closed)
    }

    /// Closure error after the last step.
    pub fn closure(&self) -> Closed {
        self.stepper.closure()
    }

    /// Force and moment of each connection on its link a, world axes, about the connection's point, at the last
    /// evaluation of the dynamics: joint, wrench, point. Nothing after a change of structure, until the next step.
    pub fn connection_forces(&self) -> impl Iterator<Item = (JointHandle, Force, Vec3)> + '_ {
        let loops = self.figure.forest().loops();
        let known = if self.stepped == Some(self.figure.revision()) { loops.len() } else { 0 };
        loops[..known].iter().enumerate().map(|(i, l)| {
            let (wrench, point) = self.stepper.constraints().wrench(i);
            (l.joint, wrench, point)
        })
    }

    /// Enables contact of the figure with a world and itself. Returns the shapes that already overlap: they are moved apart
    /// gently, without velocity.
    ///
    /// # Errors
    /// Invalid sizes and numbers; removed links.
    pub fn touch(&mut self, world: World) -> Result<Vec<Overlap>, Error> {
        world.check()?;
        let mut contacts = Contacts::new(world);
        let overlaps = contacts.overlaps(&self.figure, &self.state.q);
        self.contacts = Some(contacts);
        Ok(overlaps)
    }

    /// Contacts of the last step.
    pub fn contacts(&self) -> &[Contact] {
        self.contacts.as_ref().map_or(&[], |c| c.reports())
    }

    /// Deepest overlap of any two shapes now, m.
    pub fn penetration(&mut self) -> f64 {
        let Some(contacts) = &mut self.contacts else { return 0.0 };
        contacts.prepare(&self.figure);
        contacts.penetration(self.figure.forest(), &self.state.q, &self.state.v)
    }

    /// Contact statistics so far.
    pub fn contact_tally(&self) -> Tally {
        self.contacts.as_ref().map_or_else(Tally::default, |c| c.tally())
    }

    /// Runs due events, then advances by `h` seconds. Does not allocate once warm.
    ///
    /// # Errors
    /// A step that is not positive; a motion that is no longer finite (the state before the step is lost).
    pub fn step(&mut self, h: f64) -> Result<Stepped, Error> {
        if !(h > 0.0 && h.is_finite()) {
            return Err(Error::OutOfRange { what: "time step".into(), value: h, expected: "more than zero" });
        }
        self.settle(h)?;
        let forest = self.figure.forest();
        let mut loads = Scripted {
            figure: &self.figure,
            loads: &self.loads,
            controls: &self.controls,
            held: self.driver.as_mut().map_or(&[], |d| d.forces(&self.figure, self.time, &self.state)),
            kinematics: &mut self.kinematics,
            driven: &mut self.driven,
        };
        let (q, v) = (&mut self.state.q, &mut self.state.v);
        if let Some(contacts) = &mut self.contacts {
            contacts.prepare(&self.figure);
        }
        let contacts = self.contacts.as_mut();
        self.stepper.step(self.integrator, forest, &mut loads, contacts, self.time, h, q, v);
        self.steps += 1;
        self.time += h;
        self.stepped = Some(self.figure.revision());
        match v.iter().position(|x| !x.is_finite()).or_else(|| non_finite(forest, q)) {
            Some(k) => {
                let dof = self.figure.dof_names().swap_remove(k);
                Err(Error::Diverged { time: self.time, dof })
            }
            None => Ok(Stepped { time: self.time }),
        }
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Energy now.
    pub fn energy(&mut self) -> Energy {
        let (forest, s) = (self.figure.forest(), &self.state);
        self.kinematics.update(forest, &s.q, Some(&s.v), None);
        Energy {
            kinetic: energy::kinetic(forest, &self.kinematics, &s.v),
            potential: energy::potential(forest, &self.kinematics),
            spring: forest.spring_energy(&s.q),
        }
    }

    /// Poses and velocities now.
    pub fn kinematics(&mut self) -> &Kinematics {
        let (forest, s) = (self.figure.forest(), &self.state);
        self.kinematics.update(forest, &s.q, Some(&s.v), None);
        &self.kinematics
    }

    /// Hash of the state (FNV-1a): equal digests mean equal motion.
    pub fn digest(&self) -> u64 {
        let bytes = self.state.q.iter().chain(&self.state.v).flat_map(|x| x.to_bits().to_le_bytes());
        bytes.fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3))
    }
}

/// Index into v of the first body whose q is not finite.
fn non_finite(forest: &Forest, q: &[f64]) -> Option<usize> {
    let bad = |b: &&crate::model::Body| {
        let iq = b.iq as usize;
        q[iq..iq + b.joint.nq()].iter().any(|x| !x.is_finite())
    };
    forest.bodies().iter().skip(1).find(bad).map(|b| b.iv as usize)
}

struct Scripted<'a> {
    figure: &'a Figure,
    loads: &'a [ScriptedForce],
    controls: &'a [Running],
    /// joint forces from outside
    held: &'a [f64],
    kinematics: &'a mut Kinematics,
    /// connections that motors act on
    driven: &'a mut Constraints,
}

impl Loads for Scripted<'_> {
    fn add(&mut self, forest: &Forest, time: f64, q: &[f64], v: &[f64], mut push: ForceSum) -> bool {
        self.controls.iter().for_each(|c| c.add(self.figure, forest, time, q, v, &mut push));
        let ForceSum { tau, external, .. } = push;
        tau.iter_mut().zip(self.held).for_each(|(t, held)| *t += held);
        let (mut placed, mut driven) = (false, false);
        for load in self.loads {
            match load {
                ScriptedForce::Joint { joint, dof, size, script } => {
                    let Ok(j) = self.figure.joint(*joint) else { continue };
                    if let Some(i) = forest.loops().iter().position(|l| l.joint == *joint) {
                        if !core::mem::replace(&mut driven, true) {
                            self.driven.place(forest, q, v);
                        }
                        self.driven.add_motor_force(forest, i, *dof, size * script.at(time), external);
                        continue;
                    }
                    let place = forest.joint_place(*joint);
                    if let Some(k) = j.coordinates().free_dofs().position(|d| d == *dof) {
                        tau[place.iv + k] += size * script.at(time);
                    }
                }
                ScriptedForce::Link { link, point, force, torque, script } => {
                    if self.figure.link(*link).is_err() {
                        continue;
                    }
                    if !placed {
                        self.kinematics.update(forest, q, None, None);
                        placed = true;
                    }
                    let place = forest.link_place(*link);
                    let r = self
                        .kinematics
                        .body_pose(place.body)
                        .rotation
                        .mul(place.body_from_link.point(*point));
                    let wrench = Force::at_point(*force, r) + Force::new(*torque, crate::spatial::Vec3::ZERO);
                    external[place.body.index()] += wrench.times(script.at(time));
                }
            }
        }
        placed || driven
    }
}
