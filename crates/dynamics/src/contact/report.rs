//! What is told about contacts after a step.

use super::patch::Patch;
use crate::spatial::{Force, Vec3};

/// How two links touch [NY2000J Table 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Touch {
    /// near, without force
    #[default]
    Free,
    /// in one point
    Point,
    /// along a line
    Line,
    /// over a surface
    Surface,
}

/// How two links move along each other [NY2000J Table 2].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slip {
    /// not at all
    #[default]
    Stick,
    /// about a centre inside the contact region
    Spin,
    /// anyhow else
    Slide,
}

/// Who found the forces of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// hypothesis and check
    #[default]
    Check,
    /// hypothesis and check from the states that the cone solver found
    Polished,
    /// the cone solver
    Cone,
}

/// One contact at the last step.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// where, in the middle of the step
    pub patch: Patch,
    /// force on link a and moment about the patch's point, world axes; mean over the step
    pub wrench: Force,
    /// centre of pressure; where there is force
    pub center: Option<Vec3>,
    /// how they touch
    pub touch: Touch,
    /// how they move along each other
    pub slip: Slip,
    /// who found the force
    pub answer: Answer,
}

/// Sums over a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// steps with a contact in reach
    pub steps: u64,
    /// passes of hypothesis and check in the worst step
    pub passes_max: usize,
    /// passes of all steps
    pub passes: u64,
    /// steps that needed the cone solver
    pub fallbacks: u64,
    /// steps whose forces broke a condition by more than the tolerance
    pub violations: u64,
    /// steps in which a yaw moment was cut back to its limit
    pub cuts: u64,
    /// steps whose forces are valid but do not give every contact its wanted velocity
    pub unsolved: u64,
    /// impacts with restitution
    pub impacts: u64,
    /// deepest overlap after a step, m
    pub penetration_max: f64,
}

/// Two shapes that overlap where the motion begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// one of them, `link` or scenery
    pub a: String,
    /// the other
    pub b: String,
    /// how deep, m
    pub depth: f64,
}

impl Touch {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Touch::Free => "free",
            Touch::Point => "point",
            Touch::Line => "line",
            Touch::Surface => "surface",
        }
    }
}

impl Slip {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Slip::Stick => "stick",
            Slip::Spin => "spin",
            Slip::Slide => "slide",
        }
    }
}

impl Answer {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Check => "check",
            Answer::Polished => "polished",
            Answer::Cone => "cone",
        }
    }
}
