//! Reports about contacts after a step.

use super::patch::{MAX_VERTICES, Patch};
use super::region::{Hull, Set};
use crate::spatial::{Force, Mat3, Vec3};

/// Geometry of a contact [NY2000J Table 1].
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

/// Relative motion along a contact [NY2000J Table 2].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slip {
    /// none
    #[default]
    Stick,
    /// about a centre inside the contact region
    Spin,
    /// any other
    Slide,
}

/// Method that found the forces of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolveMethod {
    /// hypothesis and check, from the warm start or from single-contact solves
    #[default]
    Check,
    /// hypothesis and check from the modes of the cone solver
    Polished,
    /// the cone solver
    Cone,
}

/// One contact in the last step.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// patch, at the midpoint of the step
    pub patch: Patch,
    /// force on link a and moment about the patch's point, world axes; mean over the step, impacts included
    pub wrench: Force,
    /// centre of pressure, if there is force
    pub center: Option<Vec3>,
    /// geometry
    pub touch: Touch,
    /// relative motion
    pub slip: Slip,
    /// method that found the force
    pub method: SolveMethod,
    /// loaded points of the patch, one bit each
    pub carrying: u8,
    /// velocity of link a relative to link b at the end of the step: linear then angular, axes and point of the patch
    pub velocity: [f64; 6],
}

/// Frame of a contact's virtual link, and its constrained directions [NY2000J §4.2].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualLink {
    /// origin, world axes
    pub point: Vec3,
    /// axes in world axes: z out of the supporting link; x along the line of a line contact
    pub axes: Mat3,
    /// whether v_x, v_y, v_z, w_x, w_y, w_z are constrained
    pub held: [bool; 6],
}

impl Contact {
    /// The virtual link's frame [NY2000J Fig. 2] and constraints [Table 1, Table 2]. The origin is the point of a point
    /// contact, otherwise the rotation centre if it lies in the region, otherwise the centre of pressure. `None` without
    /// force.
    pub fn virtual_link(&self) -> Option<VirtualLink> {
        let center = self.center?;
        let patch = &self.patch;
        let mut places = [[0.0; 2]; MAX_VERTICES];
        places.iter_mut().zip(patch.vertices()).for_each(|(p, v)| *p = v.xy);
        let region = Hull::from_points(&places[..patch.vertices().len()], self.carrying as Set);
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

/// Statistics over a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// steps with a contact in reach
    pub steps: u64,
    /// passes of hypothesis and check in the worst step
    pub passes_max: usize,
    /// passes of all steps
    pub passes: u64,
    /// factors of the cone solver of all steps
    pub factors: u64,
    /// steps that needed the cone solver
    pub fallbacks: u64,
    /// steps whose forces violate a condition by more than the tolerance
    pub violations: u64,
    /// steps in which a force (usually a yaw moment) was clamped to its limit
    pub cuts: u64,
    /// steps whose forces are valid but violate a velocity condition
    pub unsolved: u64,
    /// impacts with restitution
    pub impacts: u64,
    /// deepest overlap after a step, extrapolated from its midpoint and before the correction, m
    pub penetration_max: f64,
}

/// Two overlapping shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// name of one, a link or scenery
    pub a: String,
    /// name of the other
    pub b: String,
    /// depth, m
    pub depth: f64,
}

impl Touch {
    /// Name.
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
    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Slip::Stick => "stick",
            Slip::Spin => "spin",
            Slip::Slide => "slide",
        }
    }
}

impl SolveMethod {
    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            SolveMethod::Check => "check",
            SolveMethod::Polished => "polished",
            SolveMethod::Cone => "cone",
        }
    }
}
