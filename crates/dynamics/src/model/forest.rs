//! The compiled figure: its moving bodies as dense arrays, depth first.
//!
//! Links without relative motion (fixed or locked joints) are one body. Body 0 is the world, so every body has a parent
//! that comes before it. Valid for one revision of the figure; rebuilt in O(links) after an edit.
//!
//! Body frames are chosen such that the origin is the joint's, the joint's axis is a coordinate axis and, where
//! possible, no constant rotation is left between parent and child.

use super::figure::{JointHandle, LinkHandle};
use crate::error::Error;
use crate::joint::{Dof, MAX_DOF, Passive, Slide, Turn};
use crate::spatial::{Axis, Mat3, Sym3, Transform, Vec3};
use std::ops::Range;

/// Index of a body in the arrays of one revision. 0 is the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyIx(pub(crate) u32);

impl BodyIx {
    /// The world, root of all trees.
    pub const WORLD: BodyIx = BodyIx(0);

    /// Index into arrays with one entry per body, the world first.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Relative motion of a body and its parent; axes are those of its own frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyJoint {
    /// turns about an axis
    Revolute(Axis),
    /// slides along an axis
    Prismatic(Axis),
    /// turns about the first axis, then about the second
    Universal(Axis, Axis),
    /// turns freely
    Spherical,
    /// moves freely; its parent is the world
    Free,
}

impl BodyJoint {
    /// Numbers in q.
    pub fn nq(self) -> usize {
        match self {
            BodyJoint::Spherical => 4,
            BodyJoint::Free => 7,
            other => other.nv(),
        }
    }

    /// Numbers in v.
    pub fn nv(self) -> usize {
        match self {
            BodyJoint::Revolute(_) | BodyJoint::Prismatic(_) => 1,
            BodyJoint::Universal(..) => 2,
            BodyJoint::Spherical => 3,
            BodyJoint::Free => 6,
        }
    }
}

/// Constants of one body.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Body {
    /// joint to the parent
    pub joint: BodyJoint,
    /// whether `turn` is not the identity
    pub is_turned: bool,
    /// whether any armature is not zero
    pub has_armature: bool,
    /// parent body
    pub parent: BodyIx,
    /// first of its numbers in q
    pub iq: u32,
    /// first of its numbers in v
    pub iv: u32,
    /// degrees of freedom on the path above it
    pub depth: u32,
    /// joint origin, in parent axes from the parent's origin
    pub origin: Vec3,
    /// axes of the joint, in parent axes
    pub turn: Mat3,
    /// mass
    pub mass: f64,
    /// mass times centre, in its own axes
    pub moment: Vec3,
    /// second moment about its origin, in its own axes
    pub second: Sym3,
    /// mass of the body's subtree
    pub subtree_mass: f64,
    /// added to the diagonal of the mass matrix
    pub armature: [f64; MAX_DOF],
}

impl Body {
    /// Coordinates of its joint, as a range in q.
    pub fn coordinates(&self) -> Range<usize> {
        self.iq as usize..self.iq as usize + self.joint.nq()
    }

    /// Degrees of freedom of its joint, as a range in v.
    pub fn dofs(&self) -> Range<usize> {
        self.iv as usize..self.iv as usize + self.joint.nv()
    }
}

/// Pose of a link on a body.
#[derive(Clone, Copy, Debug)]
pub struct LinkPlace {
    /// body
    pub body: BodyIx,
    /// link frame in the body frame
    pub body_from_link: Transform,
}

/// Coordinate ranges of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointPlace {
    /// first number in q
    pub iq: usize,
    /// first number in v
    pub iv: usize,
    /// numbers in q
    pub nq: usize,
    /// numbers in v
    pub nv: usize,
}

impl JointPlace {
    /// Coordinates of the joint, as a range in q.
    pub fn coordinates(&self) -> Range<usize> {
        self.iq..self.iq + self.nq
    }

    /// Degrees of freedom of the joint, as a range in v.
    pub fn dofs(&self) -> Range<usize> {
        self.iv..self.iv + self.nv
    }
}

/// A connection between two links of the forest, which closes a loop.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// the virtual joint
    pub joint: JointHandle,
    /// body of the link that the virtual link represents
    pub a: BodyIx,
    /// joint frame on it
    pub a_from_joint: Transform,
    /// body of the virtual link's parent
    pub b: BodyIx,
    /// joint frame on it
    pub b_from_joint: Transform,
    /// rotations left free
    pub turn: Turn,
    /// translations left free
    pub slide: Slide,
    /// properties of the first free directions, rotations before translations
    pub dof: [Dof; MAX_DOF],
    /// whether it has passive forces along them
    pub is_passive: bool,
}

/// The moving bodies of a figure.
#[derive(Clone, Debug)]
pub struct Forest {
    pub(super) gravity: Vec3,
    pub(crate) bodies: Vec<Body>,
    pub(super) nq: usize,
    pub(super) nv: usize,
    pub(super) links: Vec<LinkPlace>,
    pub(super) joints: Vec<JointPlace>,
    pub(super) home: Vec<f64>,
    pub(super) passive: Vec<Passive>,
    pub(super) damping: Vec<f64>,
    pub(super) loops: Vec<Loop>,
    /// for each degree of freedom, the one just above it on its path, plus one; 0 at the top
    pub(crate) dof_parent: Vec<u32>,
    /// start of each degree of freedom's row in packed matrices, and the total length
    pub(crate) row: Vec<u32>,
}

impl Forest {
    /// Degrees of freedom.
    #[inline(always)]
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Numbers in q.
    #[inline(always)]
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Constants of all bodies, the world first.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Acceleration of free fall.
    #[inline(always)]
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// q of the home pose.
    pub fn home(&self) -> &[f64] {
        &self.home
    }

    /// Body and pose of an existing link.
    pub fn link_place(&self, link: LinkHandle) -> &LinkPlace {
        &self.links[link.0.slot()]
    }

    /// Coordinate ranges of an existing joint.
    pub fn joint_place(&self, joint: JointHandle) -> JointPlace {
        self.joints[joint.0.slot()]
    }

    /// Coordinate ranges of the joint in each slot of the figure.
    pub(super) fn joint_places(&self) -> &[JointPlace] {
        &self.joints
    }

    /// Joints with passive forces.
    pub fn passive(&self) -> &[Passive] {
        &self.passive
    }

    /// Connections that close loops.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// Viscous damping of each degree of freedom.
    pub fn damping(&self) -> &[f64] {
        &self.damping
    }

    /// Adds the passive forces of the joints to `tau`.
    pub fn add_passive_forces(&self, q: &[f64], v: &[f64], tau: &mut [f64]) {
        self.passive.iter().for_each(|p| p.add_force(q, v, tau, true));
    }

    /// The same without viscous damping, for steps that treat it implicitly.
    pub fn add_undamped_forces(&self, q: &[f64], v: &[f64], tau: &mut [f64]) {
        self.passive.iter().for_each(|p| p.add_force(q, v, tau, false));
    }

    /// Energy in the joints' springs.
    pub fn spring_energy(&self, q: &[f64]) -> f64 {
        self.passive.iter().map(|p| p.energy(q)).sum()
    }

    pub(super) fn empty(gravity: Vec3) -> Forest {
        Forest {
            gravity,
            bodies: Vec::new(),
            nq: 0,
            nv: 0,
            links: Vec::new(),
            joints: Vec::new(),
            home: Vec::new(),
            passive: Vec::new(),
            damping: Vec::new(),
            loops: Vec::new(),
            dof_parent: Vec::new(),
            row: Vec::new(),
        }
    }

    pub(crate) fn check_len(&self, what: &str, expected: usize, got: usize) -> Result<(), Error> {
        if expected == got { Ok(()) } else { Err(Error::Dimension { what: what.into(), expected, got }) }
    }
}
