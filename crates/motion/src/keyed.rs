//! Motions made from keys: joint angles at a few times, and who stands where when.
//!
//! Computes, in this order:
//! 1. curves through the keys of each angle (`crate::curve`), cubic with continuous second derivatives; cycles close;
//! 2. paths of the feet (`feet`): exactly on their places while they are pinned, as the keys have them in the air;
//! 3. poses with these feet and the keyed pelvis, by `ik`;
//! 4. where asked, a path of the pelvis on which the ground can carry the figure (`balance`), and 3. again, until
//!    both agree.
//!
//! Source: our own; for 4. the cart-table model of walking machines.
//! Not here: files (`anthropi_io::keyed`).
//! Checked by: `crates/io/tests/keyed.rs`.

mod balance;
mod feet;
mod make;
mod score;

use crate::clip::Clip;
use crate::error::Error;
use anthropi_dynamics::model::{Figure, JointHandle, LinkHandle};
use std::sync::Arc;

/// What of a sole is on the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sole {
    /// all of it
    Flat,
    /// its rear edge
    Heel,
    /// its front edge
    Toe,
}

/// A foot that stays where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// which foot
    pub link: LinkHandle,
    /// with what
    pub sole: Sole,
    /// since when, s
    pub from: f64,
    /// until when, s
    pub to: f64,
}

/// Keys of one coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// whose
    pub joint: JointHandle,
    /// which: angle of the joint's order; of the root: x ahead, y to the left, z height, then bend, tilt, twist (yxz)
    pub component: usize,
    /// time and value, times rising; m, rad
    pub keys: Vec<(f64, f64)>,
}

/// A motion that comes again and again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// m ahead in one cycle, at a steady pace; keys of the root's x say how it differs from that
    pub travel: f64,
    /// how many cycles
    pub repeat: usize,
    /// whether the right side does half a cycle later what the left side does, and the left what the right does
    pub is_mirrored: bool,
}

/// A motion in keys.
#[derive(Clone, Debug)]
pub struct Keyed {
    /// what it is called
    pub name: String,
    /// who moves
    pub figure: Arc<Figure>,
    /// frames a second; a cycle has a whole number of frames
    pub fps: f64,
    /// of the motion, or of one cycle, s
    pub duration: f64,
    /// whether it comes again
    pub cycle: Option<Cycle>,
    /// keys by coordinate; what has none stays at home
    pub tracks: Vec<Track>,
    /// who stands when
    pub pins: Vec<Pin>,
    /// whether the path of the pelvis is changed until the ground can carry the figure
    pub is_balanced: bool,
}

impl Keyed {
    /// The motion.
    ///
    /// # Errors
    /// A figure without a root or feet; sides that do not mirror; a pinned foot that its leg does not reach.
    pub fn clip(&self) -> Result<Clip, Error> {
        make::clip(self)
    }

    fn wrong(&self, what: impl Into<String>) -> Error {
        Error::Unsuitable { subject: self.name.clone(), what: what.into() }
    }
}
