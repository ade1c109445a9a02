//! Forward dynamics of a scene, with user forces and edits of the structure.

use super::{ForceArrow, ForceSource, Simulate};
use crate::Error;
use crate::command::Command;
use crate::user_forces::UserForces;
use anthropi_app::scene::Scene;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::contact::{Scenery, World};
use anthropi_dynamics::joint::{Coordinates, JointKind, MAX_DOF};
use anthropi_dynamics::model::{Figure, JointHandle, JointSpec, LinkHandle};
use anthropi_dynamics::sim::{Energy, Script, ScriptedForce, Simulation};
use anthropi_dynamics::spatial::{RotationOrder, Transform, Vec3};
use anthropi_motion::filter::AppliedForce;

/// A simulated scene.
#[derive(Clone, Debug)]
pub struct SceneSimulator {
    simulation: Simulation,
    world: Option<World>,
    dt: f64,
    user: UserForces,
    link_forces: Vec<AppliedForce>,
    kinematics: Kinematics,
    energy: Energy,
    /// events reported so far
    reported: usize,
    /// number of the last connection made by the user
    last_connection: usize,
    signals: Vec<String>,
}

impl SceneSimulator {
    /// A scene at its start.
    ///
    /// # Errors
    /// A scene that cannot be simulated.
    pub fn new(scene: &Scene) -> Result<SceneSimulator, Error> {
        let mut simulation = scene.simulation()?;
        let energy = simulation.energy();
        Ok(SceneSimulator {
            simulation,
            world: scene.world.clone(),
            dt: scene.dt,
            user: UserForces::default(),
            link_forces: Vec::new(),
            kinematics: Kinematics::default(),
            energy,
            reported: 0,
            last_connection: 0,
            signals: scene.signals().iter().map(|s| s.to_string()).collect(),
        })
    }

    fn link(&self, name: &str) -> Result<LinkHandle, Error> {
        Ok(self.figure().find_link(name)?)
    }

    fn joint(&self, name: &str) -> Result<JointHandle, Error> {
        Ok(self.figure().find_joint(name)?)
    }

    /// Connects a point of a link by a spherical joint.
    fn connect(
        &mut self,
        word: &str,
        link: LinkHandle,
        at: [f64; 3],
        parent: Option<LinkHandle>,
    ) -> Result<(), Error> {
        let named = |n: &usize| format!("{word}-{n}");
        let made = (self.last_connection + 1..).find(|n| self.figure().find_joint(&named(n)).is_err());
        let made = made.expect("a free number");
        let joint = JointSpec {
            parent,
            child_from_joint: Transform::translation(Vec3::from_array(&at)),
            actuated: false,
            ..JointSpec::new(named(&made), JointKind::Spherical)
        };
        self.simulation.connect(link, joint)?;
        self.last_connection = made;
        Ok(())
    }

    /// Sets a coordinate, its joint at rest, and closes the loops again.
    fn put(&mut self, joint: &str, dof: usize, value: f64, order: Option<&str>) -> Result<(), Error> {
        let handle = self.joint(joint)?;
        let mut coordinates = self.figure().joint(handle)?.coordinates();
        if let Some(name) = order {
            coordinates.order = other_order(joint, &coordinates, name)?;
        }
        let is_there = dof < coordinates.kind.nv().min(MAX_DOF) && !coordinates.locked[dof];
        if matches!(coordinates.kind, JointKind::Free | JointKind::Partial { .. }) || !is_there {
            return Err(Error(format!("`{joint}` has no degree of freedom {dof} that can be set")));
        }
        if !value.is_finite() {
            return Err(Error(format!("{value} is not a value for `{joint}`")));
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
}

impl Simulate for SceneSimulator {
    fn dt(&self) -> f64 {
        self.dt
    }

    fn time(&self) -> f64 {
        self.simulation.time()
    }

    fn figure(&self) -> &Figure {
        self.simulation.figure()
    }

    fn state(&self) -> (&[f64], &[f64]) {
        let state = self.simulation.state();
        (&state.q, &state.v)
    }

    fn scenery(&self) -> &[Scenery] {
        self.world.as_ref().map_or(&[], |w| &w.scenery)
    }

    fn signals(&self) -> &[String] {
        &self.signals
    }

    fn friction(&self) -> Option<f64> {
        None
    }

    fn drag_target(&self) -> Option<Vec3> {
        self.user.drag_target()
    }

    fn step(&mut self) -> Result<(), Error> {
        let (figure, state, time) =
            (self.simulation.figure(), self.simulation.state(), self.simulation.time());
        self.kinematics.update(figure.forest(), &state.q, Some(&state.v), None);
        self.link_forces = self.user.link_forces(figure, &self.kinematics, time, self.dt);
        let links = self.link_forces.iter().map(|&AppliedForce { link, point, force, .. }| {
            ScriptedForce::Link { link, point, force, torque: Vec3::ZERO, script: Script::Constant }
        });
        let joints = self.user.torques.iter().filter_map(|(joint, dof, size)| {
            let joint = figure.find_joint(joint).ok()?;
            Some(ScriptedForce::Joint { joint, dof: *dof, size: *size, script: Script::Constant })
        });
        let loads: Vec<ScriptedForce> = links.chain(joints).collect();
        self.simulation.clear_loads();
        loads.into_iter().try_for_each(|load| self.simulation.push(load))?;
        self.simulation.step(self.dt)?;
        self.energy = self.simulation.energy();
        Ok(())
    }

    fn apply(&mut self, command: &Command) -> Result<(), Error> {
        if self.user.apply(self.simulation.figure(), command, self.simulation.time())? {
            return Ok(());
        }
        match command {
            Command::Pin { link, at } => {
                let link = self.link(link)?;
                self.connect("pin", link, *at, None)?;
            }
            Command::Connect { link, at, to } => {
                let (link, other) = (self.link(link)?, self.link(to)?);
                self.connect("grip", link, *at, Some(other))?;
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
            _ => return Err(Error("this command needs a motion under the filter; a scene is open".into())),
        }
        Ok(())
    }

    fn arrows(&self) -> Vec<ForceArrow> {
        let contacts = self.simulation.contacts().iter().filter_map(|c| {
            Some(ForceArrow { source: ForceSource::Contact, at: c.center?, force: c.wrench.linear })
        });
        let held = self.simulation.connection_forces();
        let held = held.map(|(_, wrench, at)| ForceArrow {
            source: ForceSource::Connection,
            at,
            force: wrench.linear,
        });
        let forest = self.figure().forest();
        // the structure may have changed since the last step
        let mut now = Kinematics::default();
        if !self.link_forces.is_empty() {
            now.update(forest, &self.simulation.state().q, None, None);
        }
        let hands = self.link_forces.iter().map(|f| {
            let at = now.link_pose(forest, f.link).point(f.point);
            ForceArrow { source: ForceSource::User, at, force: f.force }
        });
        contacts.chain(held).chain(hands).collect()
    }

    fn measures(&self) -> Vec<(&'static str, &'static str, f64)> {
        let ground: f64 = self.simulation.contacts().iter().map(|c| c.wrench.linear.z).sum();
        vec![
            ("energy", "J", self.energy.total()),
            ("kinetic energy", "J", self.energy.kinetic),
            ("ground force", "N", ground),
            ("closure error", "m", self.simulation.closure().linear),
        ]
    }

    fn take_messages(&mut self) -> Vec<String> {
        let all = self.simulation.happened();
        let new = all[self.reported.min(all.len())..].iter().map(|h| h.what.clone()).collect();
        self.reported = all.len();
        new
    }
}

/// A rotation order by name, for a spherical joint without locks.
fn other_order(joint: &str, coordinates: &Coordinates, name: &str) -> Result<RotationOrder, Error> {
    let wrong = |what: String| Err(Error(format!("`{joint}`: {what}")));
    match RotationOrder::from_name(name) {
        None => wrong(format!("`{name}` is not a rotation order, expected one such as `zyx`")),
        Some(_) if coordinates.kind != JointKind::Spherical => wrong("it has no rotation order".into()),
        Some(order) if order != coordinates.order && coordinates.locked.contains(&true) => {
            wrong("it is locked in its own rotation order; unlock it first".into())
        }
        Some(order) => Ok(order),
    }
}
