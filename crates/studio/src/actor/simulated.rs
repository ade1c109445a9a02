//! A scene in the simulation, with the hands on it.

use super::{Arrow, Kind};
use crate::Error;
use crate::command::Command;
use crate::hands::{Acting, Hands};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::contact::{Scenery, World};
use anthropi_dynamics::joint::{Coordinates, JointKind, MAX_DOF};
use anthropi_dynamics::model::{Figure, JointHandle, JointSpec, LinkHandle};
use anthropi_dynamics::sim::{Energy, Load, Script, Simulation};
use anthropi_dynamics::spatial::{RotationOrder, Transform, Vec3, vec3};
use anthropi_io::scene::Scene;

/// A scene that runs.
#[derive(Clone, Debug)]
pub struct Simulated {
    simulation: Simulation,
    world: Option<World>,
    dt: f64,
    hands: Hands,
    acting: Vec<Acting>,
    kinematics: Kinematics,
    energy: Energy,
    happened: usize,
    /// connections that hands have made
    made: usize,
    /// what the scene waits for
    signals: Vec<String>,
}

impl Simulated {
    /// A scene at its start.
    ///
    /// # Errors
    /// A scene that cannot begin.
    pub fn of(scene: &Scene) -> Result<Simulated, Error> {
        let mut simulation = scene.simulation()?;
        let energy = simulation.energy();
        Ok(Simulated {
            simulation,
            world: scene.world.clone(),
            dt: scene.dt,
            hands: Hands::default(),
            acting: Vec::new(),
            kinematics: Kinematics::default(),
            energy,
            happened: 0,
            made: 0,
            signals: scene.signals().iter().map(|s| s.to_string()).collect(),
        })
    }

    pub(super) fn dt(&self) -> f64 {
        self.dt
    }

    pub(super) fn time(&self) -> f64 {
        self.simulation.time()
    }

    pub(super) fn figure(&self) -> &Figure {
        self.simulation.figure()
    }

    pub(super) fn state(&self) -> (&[f64], &[f64]) {
        let state = self.simulation.state();
        (&state.q, &state.v)
    }

    pub(super) fn scenery(&self) -> &[Scenery] {
        self.world.as_ref().map_or(&[], |w| &w.scenery)
    }

    pub(super) fn signals(&self) -> &[String] {
        &self.signals
    }

    pub(super) fn pulls_to(&self) -> Option<Vec3> {
        self.hands.pulls_to()
    }

    pub(super) fn step(&mut self) -> Result<(), Error> {
        let (figure, state, time) =
            (self.simulation.figure(), self.simulation.state(), self.simulation.time());
        self.kinematics.update(figure.forest(), &state.q, Some(&state.v), None);
        self.acting = self.hands.acting(figure, &self.kinematics, time, self.dt);
        let links = self.acting.iter().filter_map(|a| {
            let link = figure.find_link(&a.link).ok()?;
            let (point, force) = (a.at, a.force);
            Some(Load::Link { link, point, force, torque: Vec3::ZERO, script: Script::Constant })
        });
        let joints = self.hands.torques.iter().filter_map(|(joint, dof, size)| {
            let joint = figure.find_joint(joint).ok()?;
            Some(Load::Joint { joint, dof: *dof, size: *size, script: Script::Constant })
        });
        let loads: Vec<Load> = links.chain(joints).collect();
        self.simulation.clear_loads();
        loads.into_iter().try_for_each(|load| self.simulation.push(load))?;
        self.simulation.step(self.dt)?;
        self.energy = self.simulation.energy();
        Ok(())
    }

    pub(super) fn obey(&mut self, command: &Command) -> Result<(), Error> {
        self.check(command)?;
        if self.hands.take(command, self.simulation.time()) {
            return Ok(());
        }
        match command {
            Command::Pin { link, at } => {
                let link = self.link(link)?;
                self.grip("pin", link, *at, None)?;
            }
            Command::Connect { link, at, to } => {
                let (link, other) = (self.link(link)?, self.link(to)?);
                self.grip("grip", link, *at, Some(other))?;
            }
            Command::Cut { joint } => {
                let joint = self.joint(joint)?;
                self.simulation.cut(joint)?;
            }
            Command::Lock { joint, dof } => {
                let joint = self.joint(joint)?;
                self.simulation.edit(|figure, state| figure.lock(joint, *dof, state))?;
            }
            Command::Unlock { joint, dof } => {
                let joint = self.joint(joint)?;
                self.simulation.edit(|figure, state| figure.unlock(joint, *dof, state))?;
            }
            Command::Put { joint, dof, value, order } => self.put(joint, *dof, *value, order.as_deref())?,
            Command::Root { link } => {
                let link = self.link(link)?;
                self.simulation.edit(|figure, state| figure.reroot(link, state))?;
            }
            Command::Signal { name } => self.simulation.signal(name),
            _ => return Err(Error("this is for a motion under the filter; a scene is open".into())),
        }
        Ok(())
    }

    /// Refuses names that are not there.
    fn check(&self, command: &Command) -> Result<(), Error> {
        match command {
            Command::Drag { link, .. } | Command::Push { link, .. } | Command::Force { link, .. } => {
                self.link(link).map(|_| ())
            }
            Command::Torque { joint, dof, .. } => {
                let joint = self.figure().joint(self.joint(joint)?)?;
                match *dof < joint.kind.nv() {
                    true => Ok(()),
                    false => Err(Error(format!("`{}` has no degree of freedom {dof}", joint.name))),
                }
            }
            _ => Ok(()),
        }
    }

    fn link(&self, name: &str) -> Result<LinkHandle, Error> {
        Ok(self.figure().find_link(name)?)
    }

    fn joint(&self, name: &str) -> Result<JointHandle, Error> {
        Ok(self.figure().find_joint(name)?)
    }

    /// Holds a point of a link and lets it turn.
    fn grip(
        &mut self,
        word: &str,
        link: LinkHandle,
        at: [f64; 3],
        parent: Option<LinkHandle>,
    ) -> Result<(), Error> {
        let named = |n: &usize| format!("{word}-{n}");
        let made = (self.made + 1..).find(|n| self.figure().find_joint(&named(n)).is_err());
        let made = made.expect("there are fewer joints than numbers");
        let joint = JointSpec {
            parent,
            child_from_joint: Transform::translation(vec3(at[0], at[1], at[2])),
            actuated: false,
            ..JointSpec::new(named(&made), JointKind::Spherical)
        };
        self.simulation.connect(link, joint)?;
        self.made = made;
        Ok(())
    }

    /// A coordinate at a value, its joint at rest; connections are closed again.
    fn put(&mut self, joint: &str, dof: usize, value: f64, order: Option<&str>) -> Result<(), Error> {
        let handle = self.joint(joint)?;
        let mut coordinates = self.figure().joint(handle)?.coordinates();
        if let Some(name) = order {
            coordinates.order = other_order(joint, &coordinates, name)?;
        }
        let is_there = dof < coordinates.kind.nv().min(MAX_DOF) && !coordinates.locked[dof];
        if matches!(coordinates.kind, JointKind::Free | JointKind::Partial { .. }) || !is_there {
            return Err(Error(format!(
                "`{joint}` has no degree of freedom {dof} that can be put at a value"
            )));
        }
        if !value.is_finite() {
            return Err(Error(format!("{value} is no value for `{joint}`")));
        }
        let before = self.simulation.clone();
        let put = self.simulation.edit(|figure, state| {
            let full = coordinates.expand(state.q_of(figure, handle)?, state.v_of(figure, handle)?);
            let (mut angles, _) = coordinates.angles_and_rates(&full);
            angles[dof] = value;
            let full = coordinates.at_angles(angles);
            let (mut q, mut v) = (vec![0.0; coordinates.nq()], vec![0.0; coordinates.nv()]);
            coordinates.reduce(&full, &mut q, &mut v);
            state.set_q(figure, handle, &q)?;
            state.set_v(figure, handle, &v)
        });
        let has_connections = self.figure().connections().next().is_some();
        let closed =
            put.and_then(|()| if has_connections { self.simulation.assemble().map(|_| ()) } else { Ok(()) });
        closed.map_err(|error| {
            self.simulation = before;
            error.into()
        })
    }

    pub(super) fn arrows(&self) -> Vec<Arrow> {
        let contacts = self
            .simulation
            .contacts()
            .iter()
            .filter_map(|c| Some(Arrow { kind: Kind::Contact, at: c.center?, force: c.wrench.linear }));
        let held = self.simulation.connection_forces();
        let held = held.map(|(_, wrench, at)| Arrow { kind: Kind::Connection, at, force: wrench.linear });
        let forest = self.figure().forest();
        // those of the last step may be of another structure
        let mut now = Kinematics::default();
        if !self.acting.is_empty() {
            now.update(forest, &self.simulation.state().q, None, None);
        }
        let hands = self.acting.iter().filter_map(|a| {
            let link = self.figure().find_link(&a.link).ok()?;
            let at = now.link_pose(forest, link).point(a.at);
            Some(Arrow { kind: Kind::Hand, at, force: a.force })
        });
        contacts.chain(held).chain(hands).collect()
    }

    pub(super) fn measures(&self) -> Vec<(&'static str, &'static str, f64)> {
        let ground: f64 = self.simulation.contacts().iter().map(|c| c.wrench.linear.z).sum();
        vec![
            ("energy", "J", self.energy.total()),
            ("kinetic energy", "J", self.energy.kinetic),
            ("ground force", "N", ground),
            ("closure error", "m", self.simulation.closure().linear),
        ]
    }

    pub(super) fn told(&mut self) -> Vec<String> {
        let all = self.simulation.happened();
        let new = all[self.happened.min(all.len())..].iter().map(|h| h.what.clone()).collect();
        self.happened = all.len();
        new
    }
}

/// An order of rotation by its name, for a joint that can be seen in any.
fn other_order(joint: &str, coordinates: &Coordinates, name: &str) -> Result<RotationOrder, Error> {
    let wrong = |what: String| Err(Error(format!("`{joint}`: {what}")));
    match RotationOrder::from_name(name) {
        None => wrong(format!("`{name}` is no order of rotation, expected one such as `zyx`")),
        Some(_) if coordinates.kind != JointKind::Spherical => wrong("it has no order of rotation".into()),
        Some(order) if order != coordinates.order && coordinates.locked.contains(&true) => {
            wrong("what is locked is locked in its own order of rotation; unlock it first".into())
        }
        Some(order) => Ok(order),
    }
}
