//! Commands: what the user does to a figure. Links and joints go by name, so that a log is readable and outlives changes
//! of the engine's indices.

use crate::Error;
use crate::gait::GaitCommand;
use serde::{Deserialize, Serialize};
#[cfg(test)]
use ts_rs::TS;

/// A command, applied between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(TS))]
pub enum Command {
    /// pull a point of a link to a target with a spring
    Drag {
        /// the link
        link: String,
        /// in the link's axes, m
        at: [f64; 3],
        /// world, m
        to: [f64; 3],
    },
    /// end the drag
    LetGo,
    /// apply a force for a time
    Push {
        /// the link
        link: String,
        /// in the link's axes, m
        at: [f64; 3],
        /// world axes, N
        force: [f64; 3],
        /// duration, s
        seconds: f64,
    },
    /// apply a constant force; zero removes it
    Force {
        /// the link; the force acts at its origin
        link: String,
        /// world axes, N
        force: [f64; 3],
    },
    /// apply a constant torque (or force) to a degree of freedom; zero removes it
    Torque {
        /// the joint
        joint: String,
        /// degree of freedom
        dof: usize,
        /// N m, or N
        size: f64,
    },
    /// fix a point of a link in the world
    Pin {
        /// the link
        link: String,
        /// in the link's axes, m
        at: [f64; 3],
    },
    /// connect two links at a point of the first
    Connect {
        /// first link
        link: String,
        /// in its axes, m
        at: [f64; 3],
        /// second link
        to: String,
    },
    /// cut a joint: open a connection, or detach a limb
    Cut {
        /// the joint
        joint: String,
    },
    /// lock a degree of freedom at its value
    Lock {
        /// the joint
        joint: String,
        /// degree of freedom
        dof: usize,
    },
    /// unlock a degree of freedom
    Unlock {
        /// the joint
        joint: String,
        /// degree of freedom
        dof: usize,
    },
    /// set a degree of freedom to a value, at rest
    Put {
        /// the joint
        joint: String,
        /// degree of freedom
        dof: usize,
        /// rad or m
        value: f64,
        /// rotation order of the angle, such as `zyx`; absent: the joint's own
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        order: Option<String>,
    },
    /// make a link the root of its figure
    Root {
        /// the link
        link: String,
    },
    /// send a signal the scene waits for
    Signal {
        /// its name
        name: String,
    },
    /// switch and tune the filter
    Filter {
        /// off: show the reference
        is_on: bool,
        /// friction coefficient of the floor
        friction: f64,
        /// absent: defaults
        #[serde(default, skip_serializing_if = "Gains::is_default")]
        #[cfg_attr(test, ts(optional, as = "Option<Gains>"))]
        gains: Gains,
    },
    /// change the gait of an endless walk
    Gait(GaitCommand),
}

/// Gains of the filter, relative to their defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(test, derive(TS))]
pub struct Gains {
    /// joint torque limits, relative to human strength
    pub strength: f64,
    /// how fast joints, trunk and feet return to the motion
    pub following: f64,
    /// damping of that return
    pub damping: f64,
    /// how fast centre of mass and angular momentum return to the motion
    pub balance: f64,
}

impl Default for Gains {
    fn default() -> Gains {
        Gains { strength: 1.0, following: 1.0, damping: 1.0, balance: 1.0 }
    }
}

impl Gains {
    /// Smallest and largest gain.
    pub const RANGE: [f64; 2] = [0.1, 10.0];

    fn is_default(&self) -> bool {
        *self == Gains::default()
    }

    /// Checks the range of each gain.
    ///
    /// # Errors
    /// The name of a gain out of range.
    pub fn check(&self) -> Result<(), Error> {
        let all = [
            ("strength", self.strength),
            ("following", self.following),
            ("damping", self.damping),
            ("balance", self.balance),
        ];
        let [least, most] = Gains::RANGE;
        match all.iter().find(|(_, x)| !(least..=most).contains(x)) {
            Some((name, x)) => Err(Error(format!("{name} is {x}, expected {least} to {most}"))),
            None => Ok(()),
        }
    }
}

impl Command {
    /// Whether undo reverts it: changes of structure, pose and constant forces.
    pub fn is_edit(&self) -> bool {
        use Command::{Drag, Filter, Gait, LetGo, Push, Signal};
        !matches!(self, Drag { .. } | LetGo | Push { .. } | Signal { .. } | Filter { .. } | Gait(_))
    }
}
