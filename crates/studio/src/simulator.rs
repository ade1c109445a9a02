//! What the studio simulates: a scene, a motion tracked by the on-line filter, or an endless walk.

mod forces;
mod scene;
mod tracking;
mod walk;

pub use scene::SceneSimulator;
pub use tracking::TrackingSimulator;
pub use walk::WalkSimulator;

use crate::Error;
use crate::command::Command;
use crate::protocol::GaitState;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::contact::{Scenery, SceneryShape};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Transform, Vec3};
use serde::Serialize;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;
#[cfg(test)]
use ts_rs::TS;

/// A simulator of one of three kinds; see [`Simulate`] for its methods.
#[derive(Clone, Debug)]
pub enum Simulator {
    /// forward dynamics of a scene
    Scene(Box<SceneSimulator>),
    /// a motion tracked by the on-line filter
    Tracking(Box<TrackingSimulator>),
    /// an endless walk
    Walk(Box<WalkSimulator>),
}

impl Deref for Simulator {
    type Target = dyn Simulate;

    fn deref(&self) -> &Self::Target {
        match self {
            Simulator::Scene(s) => &**s,
            Simulator::Tracking(s) => &**s,
            Simulator::Walk(s) => &**s,
        }
    }
}

impl DerefMut for Simulator {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Simulator::Scene(s) => &mut **s,
            Simulator::Tracking(s) => &mut **s,
            Simulator::Walk(s) => &mut **s,
        }
    }
}

/// A figure that advances in fixed steps and takes commands.
pub trait Simulate {
    /// Length of a step, s.
    fn dt(&self) -> f64;

    /// Makes a step.
    ///
    /// # Errors
    /// A state that is no longer finite.
    fn step(&mut self) -> Result<(), Error>;

    /// Applies a command.
    ///
    /// # Errors
    /// A command that is refused; nothing changes.
    fn apply(&mut self, command: &Command) -> Result<(), Error>;

    /// Seconds since the start.
    fn time(&self) -> f64;

    /// The figure with its current structure.
    fn figure(&self) -> &Figure;

    /// Coordinates and velocities.
    fn state(&self) -> (&[f64], &[f64]);

    /// Coordinates of the reference.
    fn ghost(&self) -> Option<&[f64]> {
        None
    }

    /// Forces to draw.
    fn arrows(&self) -> Vec<ForceArrow>;

    /// Target of the drag spring.
    fn drag_target(&self) -> Option<Vec3>;

    /// Ground and fixed solids. Tracked motions and endless walks are on the floor z = 0.
    fn scenery(&self) -> &[Scenery] {
        static FLOOR: LazyLock<[Scenery; 1]> = LazyLock::new(|| [level_floor()]);
        &*FLOOR
    }

    /// Signals the scene waits for.
    fn signals(&self) -> &[String] {
        &[]
    }

    /// Friction coefficient of the floor, unless the scene has materials.
    fn friction(&self) -> Option<f64>;

    /// Gait of an endless walk.
    fn gait(&self) -> Option<GaitState> {
        None
    }

    /// Numbers to plot: name, unit, value.
    fn measures(&self) -> Vec<(&'static str, &'static str, f64)>;

    /// Event messages since the last call.
    fn take_messages(&mut self) -> Vec<String>;

    /// Hash of the state (FNV-1a): changes with every bit.
    fn digest(&self) -> u64 {
        let (q, v) = self.state();
        let bytes = q.iter().chain(v).flat_map(|x| x.to_bits().to_le_bytes());
        bytes.fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3))
    }

    /// Poses and velocities of the links.
    fn kinematics(&self) -> Kinematics {
        let mut kinematics = Kinematics::default();
        let (q, v) = self.state();
        kinematics.update(self.figure().forest(), q, Some(v), None);
        kinematics
    }
}

/// A force to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceArrow {
    /// origin of the force
    pub source: ForceSource,
    /// world, m
    pub at: Vec3,
    /// world, N
    pub force: Vec3,
}

/// Origin of a force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(TS))]
pub enum ForceSource {
    /// contact with the ground or another link
    Contact,
    /// a loop joint
    Connection,
    /// the user, or a push of the scene
    User,
}

/// The floor z = 0.
pub(crate) fn level_floor() -> Scenery {
    Scenery {
        name: "floor".into(),
        ground: SceneryShape::Plane,
        world_from_it: Transform::identity(),
        material: Default::default(),
    }
}
