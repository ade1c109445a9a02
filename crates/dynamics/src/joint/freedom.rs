//! Free rotations and translations of a joint, as connections use them.

use super::JointKind;
use crate::spatial::Vec3;

/// Rotations a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// none
    None,
    /// about one axis
    About(Vec3),
    /// about a first axis fixed in the parent and a second one fixed in the child
    Twice(Vec3, Vec3),
    /// all
    Any,
}

/// Translations a joint leaves free; directions are fixed in the parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slide {
    /// none
    None,
    /// along a line
    Along(Vec3),
    /// in a plane, given by its normal
    Across(Vec3),
    /// all
    Any,
}

impl Turn {
    /// Rotations left free.
    pub fn count(&self) -> usize {
        match self {
            Turn::None => 0,
            Turn::About(_) => 1,
            Turn::Twice(..) => 2,
            Turn::Any => 3,
        }
    }
}

impl Slide {
    /// Translations left free.
    pub fn count(&self) -> usize {
        match self {
            Slide::None => 0,
            Slide::Along(_) => 1,
            Slide::Across(_) => 2,
            Slide::Any => 3,
        }
    }
}

impl JointKind {
    /// Free rotations and translations of the joint.
    pub fn freedom(&self) -> (Turn, Slide) {
        match *self {
            JointKind::Fixed => (Turn::None, Slide::None),
            JointKind::Revolute { axis } => (Turn::About(axis), Slide::None),
            JointKind::Prismatic { axis } => (Turn::None, Slide::Along(axis)),
            JointKind::Universal { first, second } => (Turn::Twice(first, second), Slide::None),
            JointKind::Spherical => (Turn::Any, Slide::None),
            JointKind::Free => (Turn::Any, Slide::Any),
            JointKind::Partial { turn, slide } => (turn, slide),
        }
    }
}
