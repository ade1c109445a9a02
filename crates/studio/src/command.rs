//! What hands do to a figure, in words that can be logged and read back.
//!
//! Links and joints go by name, so that a log can be read by people and outlives changes of the engine's own numbers.

use crate::Error;
use crate::asked::Asked;
use serde::{Deserialize, Serialize};

/// Something that is done, once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// a hand takes hold of a point of a link (link axes) and pulls it to a place in the world, by a spring
    Drag {
        /// who is pulled
        link: String,
        /// where, in the link's axes, m
        at: [f64; 3],
        /// to where in the world, m
        to: [f64; 3],
    },
    /// the hand lets go
    LetGo,
    /// a push for a while
    Push {
        /// who is pushed
        link: String,
        /// where, in the link's axes, m
        at: [f64; 3],
        /// world axes, N
        force: [f64; 3],
        /// for how long, s
        seconds: f64,
    },
    /// a force that stays until it is changed; zero ends it
    Force {
        /// on whom, at its origin
        link: String,
        /// world axes, N
        force: [f64; 3],
    },
    /// a torque (or force) on a degree of freedom that stays until it is changed; zero ends it
    Torque {
        /// which joint
        joint: String,
        /// which of its degrees of freedom
        dof: usize,
        /// N m, or N
        size: f64,
    },
    /// a point of a link is held where it is in the world
    Pin {
        /// who is held
        link: String,
        /// where, in the link's axes, m
        at: [f64; 3],
    },
    /// two links hold each other where the point of the first is
    Connect {
        /// the one
        link: String,
        /// its point, in its axes, m
        at: [f64; 3],
        /// the other
        to: String,
    },
    /// a joint is cut: a connection opens, or a limb flies off
    Cut {
        /// which
        joint: String,
    },
    /// a degree of freedom keeps its value from now on
    Lock {
        /// of which joint
        joint: String,
        /// which
        dof: usize,
    },
    /// ...and moves again
    Unlock {
        /// of which joint
        joint: String,
        /// which
        dof: usize,
    },
    /// a degree of freedom is put at a value, at rest
    Put {
        /// of which joint
        joint: String,
        /// which
        dof: usize,
        /// rad or m
        value: f64,
        /// order of rotation that the angle belongs to, such as `zyx`; absent: the joint's own
        #[serde(default, skip_serializing_if = "Option::is_none")]
        order: Option<String>,
    },
    /// a link becomes the root of its figure
    Root {
        /// which
        link: String,
    },
    /// what a scene waits for happens
    Signal {
        /// its name
        name: String,
    },
    /// the filter: whether it works, on what ground, and how the figure goes after the motion
    Filter {
        /// or the reference is shown as it is
        is_on: bool,
        /// coefficient of friction
        friction: f64,
        /// as usual where nothing is said
        #[serde(default, skip_serializing_if = "Gains::is_usual")]
        gains: Gains,
    },
    /// another gait, from a step soon on
    Gait(Asked),
}

/// How a figure goes after a motion; 1 each is usual.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gains {
    /// torques of its joints, times those of people
    pub strength: f64,
    /// how fast joints, trunk and feet come back to the motion
    pub following: f64,
    /// how much that is damped
    pub damping: f64,
    /// how fast centre of mass and angular momentum come back to the motion
    pub balance: f64,
}

impl Default for Gains {
    fn default() -> Gains {
        Gains { strength: 1.0, following: 1.0, damping: 1.0, balance: 1.0 }
    }
}

impl Gains {
    /// Least and most of each.
    pub const RANGE: [f64; 2] = [0.1, 10.0];

    fn is_usual(&self) -> bool {
        *self == Gains::default()
    }

    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// A gain out of range, by its name.
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
    /// Whether it changes the structure or the pose by hand, so that people want it undone.
    pub fn is_edit(&self) -> bool {
        use Command::{Connect, Cut, Force, Lock, Pin, Put, Root, Torque, Unlock};
        matches!(
            self,
            Pin { .. }
                | Connect { .. }
                | Cut { .. }
                | Lock { .. }
                | Unlock { .. }
                | Put { .. }
                | Root { .. }
                | Force { .. }
                | Torque { .. }
        )
    }
}
