//! Events during a motion: cut or make connections, start or stop controllers.

use super::control::Running;
use super::simulation::Simulation;
use crate::error::Error;
use crate::model::{Figure, JointSpec, LinkHandle};
use crate::spatial::{Force, Vec3};

/// Condition of an event. Every event happens once.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// at a time, s
    At(f64),
    /// on a signal ([`Simulation::signal`])
    Signal(String),
    /// when a point of a link is no longer inside a box
    Leaves {
        /// the link
        link: LinkHandle,
        /// its point, link axes
        point: Vec3,
        /// link in whose axes the box is; `None` is the world
        of: Option<LinkHandle>,
        /// corners of the box
        lower: Vec3,
        /// corners of the box
        upper: Vec3,
    },
    /// when the force or moment of a connection passes a limit [NY2000J §3.1]
    Exceeds {
        /// name of the connection
        connection: String,
        /// N
        force: f64,
        /// N m, about the connection's point
        torque: f64,
    },
}

/// Action of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// cut the connection or joint of that name; nothing if it no longer exists
    Cut(String),
    /// connect a link at its current pose
    Connect {
        /// the link
        a: LinkHandle,
        /// the joint, with the other link as its parent
        joint: Box<JointSpec>,
    },
    /// start the control of that name
    Start(String),
    /// stop the control of that name
    Stop(String),
}

/// A scheduled event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// condition
    pub when: Trigger,
    /// action
    pub action: Action,
    /// description
    pub what: String,
}

/// An event that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// s
    pub time: f64,
    /// description
    pub what: String,
    /// coordinates after it, those of connections included
    pub coordinates: usize,
}

/// Coordinates of a figure, those of its connections included.
pub fn coordinates(figure: &Figure) -> usize {
    figure.forest().nv() + figure.connections().map(|(_, _, j)| j.coordinates().nv()).sum::<usize>()
}

impl Simulation {
    /// Schedules an event.
    ///
    /// # Errors
    /// Removed links, times and limits that are not finite, unknown controls.
    pub fn expect(&mut self, event: Event) -> Result<(), Error> {
        let numbers = match &event.when {
            Trigger::At(t) => t.is_finite(),
            Trigger::Signal(_) => true,
            Trigger::Leaves { link, point, of, lower, upper } => {
                self.figure().link(*link)?;
                of.map(|l| self.figure().link(l)).transpose()?;
                [point, lower, upper].iter().all(|v| v.is_finite())
            }
            Trigger::Exceeds { force, torque, .. } => !(force.is_nan() || torque.is_nan()),
        };
        if !numbers {
            return Err(Error::NotFinite { what: format!("a number of the event `{}`", event.what) });
        }
        if let Action::Start(name) | Action::Stop(name) = &event.action
            && !self.controls.iter().any(|c| c.control.name == *name)
        {
            return Err(Error::UnknownName { what: "control", name: name.clone() });
        }
        self.events.push(event);
        Ok(())
    }

    /// Sends a signal; events that wait for it happen at the beginning of the next step.
    pub fn signal(&mut self, name: &str) {
        self.signals.push(name.into());
    }

    /// Pending events.
    pub fn expected(&self) -> &[Event] {
        &self.events
    }

    /// Past events, in order.
    pub fn happened(&self) -> &[Happened] {
        &self.happened
    }

    /// Runs all due events; `h` is the coming step. Does not allocate without events.
    pub(super) fn settle(&mut self, h: f64) -> Result<(), Error> {
        if self.events.is_empty() {
            self.signals.clear();
            return Ok(());
        }
        let needs_places = |e: &Event| matches!(e.when, Trigger::Leaves { .. });
        if self.events.iter().any(needs_places) {
            self.kinematics();
        }
        let mut i = 0;
        while i < self.events.len() {
            if self.is_due(&self.events[i].when, h) {
                let event = self.events.remove(i);
                self.happen(event)?;
            } else {
                i += 1;
            }
        }
        self.signals.clear();
        Ok(())
    }

    /// A time is due in the step nearest to it.
    fn is_due(&self, when: &Trigger, h: f64) -> bool {
        match when {
            Trigger::At(t) => self.time() >= t - 0.5 * h,
            Trigger::Signal(name) => self.signals.contains(name),
            Trigger::Leaves { link, point, of, lower, upper } => {
                let p = self.place_of(*link).map(|world_from_link| world_from_link.point(*point));
                let b = of.map(|l| self.place_of(l));
                let (Some(p), None | Some(Some(_))) = (p, b) else { return false };
                let p = b.flatten().map_or(p, |world_from_b| world_from_b.inverse().point(p));
                let inside = |x: f64, l: f64, u: f64| (l..=u).contains(&x);
                !(inside(p.x, lower.x, upper.x)
                    && inside(p.y, lower.y, upper.y)
                    && inside(p.z, lower.z, upper.z))
            }
            Trigger::Exceeds { connection, force, torque } => self
                .force_of(connection)
                .is_some_and(|f| f.linear.norm() > *force || f.angular.norm() > *torque),
        }
    }

    fn place_of(&self, link: LinkHandle) -> Option<crate::spatial::Transform> {
        self.figure().link(link).ok()?;
        Some(self.kinematics.link_pose(self.figure().forest(), link))
    }

    /// Force of a connection at the last step, if the structure is still that of the step.
    fn force_of(&self, connection: &str) -> Option<Force> {
        let named = |joint| self.figure().joint(joint).is_ok_and(|j| j.name == connection);
        self.connection_forces().find(|(joint, _, _)| named(*joint)).map(|(_, force, _)| force)
    }

    fn happen(&mut self, event: Event) -> Result<(), Error> {
        match event.action {
            Action::Cut(name) => {
                let Ok(joint) = self.figure().find_joint(&name) else { return Ok(()) };
                self.cut(joint)?;
            }
            Action::Connect { a, joint } => {
                self.connect(a, *joint)?;
            }
            Action::Start(name) => {
                self.each_control(&name, |c, sim| c.start(&sim.figure, &sim.state, sim.time))
            }
            Action::Stop(name) => self.each_control(&name, |c, _| c.stop()),
        }
        if self.events.iter().any(|e| matches!(e.when, Trigger::Leaves { .. })) {
            self.kinematics();
        }
        let coordinates = coordinates(self.figure());
        self.happened.push(Happened { time: self.time(), what: event.what, coordinates });
        Ok(())
    }

    fn each_control(&mut self, name: &str, change: impl Fn(&mut Running, &Simulation)) {
        let mut controls = core::mem::take(&mut self.controls);
        controls.iter_mut().filter(|c| c.control.name == name).for_each(|c| change(c, self));
        self.controls = controls;
        self.stepper.restart();
    }
}
