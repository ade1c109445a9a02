//! What is told about contacts after a step.

use super::patch::{MAX_VERTICES, Patch};
use super::region::{Hull, Set};
use crate::spatial::{Force, Mat3, Vec3};

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
    /// hypothesis and check, from the last step's states or from a guess in which each contact answers for itself
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
    /// force on link a and moment about the patch's point, world axes; mean over the step, impacts included
    pub wrench: Force,
    /// centre of pressure; where there is force
    pub center: Option<Vec3>,
    /// how they touch
    pub touch: Touch,
    /// how they move along each other
    pub slip: Slip,
    /// who found the force
    pub answer: Answer,
    /// points of the patch that carry, one bit each
    pub carrying: u8,
    /// velocity of link a against link b at the end of the step: linear then angular, axes and point of the patch
    pub velocity: [f64; 6],
}

/// The frame of a contact's virtual link, and the directions that are held in it [NY2000J §4.2].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualLink {
    /// origin, world axes
    pub point: Vec3,
    /// axes in world axes: z out of the link that carries; x along the line of a line contact
    pub axes: Mat3,
    /// whether v_x, v_y, v_z, w_x, w_y, w_z are held
    pub held: [bool; 6],
}

impl Contact {
    /// The virtual link's frame [NY2000J Fig. 2] and what it holds [Table 1, Table 2]. The origin is the point of a point
    /// contact; else the rotation centre where that lies in the region, and the centre of pressure otherwise. `None`
    /// without force.
    pub fn virtual_link(&self) -> Option<VirtualLink> {
        let center = self.center?;
        let patch = &self.patch;
        let mut places = [[0.0; 2]; MAX_VERTICES];
        places.iter_mut().zip(patch.vertices()).for_each(|(p, v)| *p = v.xy);
        let region = Hull::of(&places[..patch.vertices().len()], self.carrying as Set);
        let corners = region.corners();
        let mut axes = patch.axes;
        if let [i, j] = corners[..] {
            let along = patch.place(places[j as usize]) - patch.place(places[i as usize]);
            if let Some(x) = along.normalized() {
                axes = Mat3 { x, y: axes.z.cross(x), z: axes.z };
            }
        }
        let [vx, vy, .., w] = self.velocity;
        let point = match (corners, self.slip) {
            ([i], _) => patch.place(places[*i as usize]),
            (_, Slip::Spin) => patch.place([-vy / w, vx / w]),
            _ => center,
        };
        let (is_line, is_surface) = (corners.len() == 2, corners.len() > 2);
        let holds_slip = self.slip != Slip::Slide;
        let holds_turn = self.slip == Slip::Stick && corners.len() > 1;
        let held = [holds_slip, holds_slip, true, is_surface, is_line || is_surface, holds_turn];
        Some(VirtualLink { point, axes, held })
    }
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
    /// steps in which a force (mostly a yaw moment) was cut back to its limit
    pub cuts: u64,
    /// steps whose forces are valid but do not give every contact its wanted velocity
    pub unsolved: u64,
    /// impacts with restitution
    pub impacts: u64,
    /// deepest overlap after a step, as foreseen from its middle and before the correction, m
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
