//! Who moves: a scene in the simulation, a motion under the filter, or somebody who walks.

mod followed;
mod forces;
mod simulated;
mod strolled;

pub use followed::Followed;
pub use simulated::Simulated;
pub use strolled::Strolled;

use crate::Error;
use crate::command::Command;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::contact::Scenery;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use serde_json::Value;

/// Somebody who moves in steps.
#[derive(Clone, Debug)]
pub enum Actor {
    /// a scene
    Simulated(Box<Simulated>),
    /// a motion under the filter
    Followed(Box<Followed>),
    /// a walk without end
    Strolled(Box<Strolled>),
}

/// A force that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// where from
    pub kind: Kind,
    /// where, world axes
    pub at: Vec3,
    /// N, world axes
    pub force: Vec3,
}

/// Where a force comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// contact
    Contact,
    /// a connection
    Connection,
    /// a hand
    Hand,
}

impl Kind {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Contact => "contact",
            Kind::Connection => "connection",
            Kind::Hand => "hand",
        }
    }
}

macro_rules! each {
    ($self:expr, $a:ident => $then:expr) => {
        match $self {
            Actor::Simulated($a) => $then,
            Actor::Followed($a) => $then,
            Actor::Strolled($a) => $then,
        }
    };
}

impl Actor {
    /// Length of a step, s.
    pub fn dt(&self) -> f64 {
        each!(self, a => a.dt())
    }

    /// Makes a step.
    ///
    /// # Errors
    /// A motion that is no longer finite.
    pub fn step(&mut self) -> Result<(), Error> {
        each!(self, a => a.step())
    }

    /// Does what is told.
    ///
    /// # Errors
    /// What cannot be done here, in words; nothing has changed then.
    pub fn obey(&mut self, command: &Command) -> Result<(), Error> {
        each!(self, a => a.obey(command))
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        each!(self, a => a.time())
    }

    /// The figure as it is now.
    pub fn figure(&self) -> &Figure {
        each!(self, a => a.figure())
    }

    /// Coordinates and velocities.
    pub fn state(&self) -> (&[f64], &[f64]) {
        each!(self, a => a.state())
    }

    /// Joint torques that are known, in the order of the velocities; empty where there are none.
    pub fn torques(&self) -> &[f64] {
        match self {
            Actor::Simulated(_) => &[],
            Actor::Followed(a) => a.torques(),
            Actor::Strolled(a) => a.torques(),
        }
    }

    /// The reference, where there is one.
    pub fn ghost(&self) -> Option<&[f64]> {
        match self {
            Actor::Simulated(_) => None,
            Actor::Followed(a) => a.ghost(),
            Actor::Strolled(a) => a.ghost(),
        }
    }

    /// Forces to be drawn.
    pub fn arrows(&self) -> Vec<Arrow> {
        each!(self, a => a.arrows())
    }

    /// Where the hand pulls to.
    pub fn pulls_to(&self) -> Option<Vec3> {
        each!(self, a => a.pulls_to())
    }

    /// What stands still.
    pub fn scenery(&self) -> &[Scenery] {
        match self {
            Actor::Simulated(a) => a.scenery(),
            Actor::Followed(_) | Actor::Strolled(_) => &[],
        }
    }

    /// Names of signals that something waits for.
    pub fn signals(&self) -> &[String] {
        match self {
            Actor::Simulated(a) => a.signals(),
            Actor::Followed(_) | Actor::Strolled(_) => &[],
        }
    }

    /// Friction of the floor, of a figure that the filter moves.
    pub fn friction(&self) -> Option<f64> {
        match self {
            Actor::Simulated(_) => None,
            Actor::Followed(a) => Some(a.settings().friction),
            Actor::Strolled(a) => Some(a.friction()),
        }
    }

    /// The gait that is asked for, of somebody who walks.
    pub fn gait(&self) -> Option<Value> {
        match self {
            Actor::Strolled(a) => Some(a.gait()),
            Actor::Simulated(_) | Actor::Followed(_) => None,
        }
    }

    /// Numbers to be plotted: name, unit, value.
    pub fn measures(&self) -> Vec<(&'static str, &'static str, f64)> {
        each!(self, a => a.measures())
    }

    /// What happened in the last step, a sentence each.
    pub fn told(&mut self) -> Vec<String> {
        each!(self, a => a.told())
    }

    /// A number that changes with every bit of the state (FNV-1a).
    pub fn digest(&self) -> u64 {
        let (q, v) = self.state();
        let bytes = q.iter().chain(v).flat_map(|x| x.to_bits().to_le_bytes());
        bytes.fold(0xCBF2_9CE4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3))
    }

    /// Poses of links now.
    pub fn kinematics(&self) -> Kinematics {
        let mut kinematics = Kinematics::default();
        let (q, v) = self.state();
        kinematics.update(self.figure().forest(), q, Some(v), None);
        kinematics
    }
}
