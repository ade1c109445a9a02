//! A joint as a product of constant placements and elementary motions, as URDF and MJCF compose joints.
//!
//! Computes  parent_from_child = C0 M1(q1) C1 M2(q2) ... Cn;  locked degrees of freedom are constants.

use anthropi_dynamics::joint::{JointKind, MAX_NQ};
use anthropi_dynamics::model::Joint;
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};

/// An elementary motion; axes in the frame before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Motion {
    None,
    Hinge(Vec3),
    Slide(Vec3),
    Ball,
    Free,
}

/// One factor of the product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Factor {
    Constant(Transform),
    /// a motion and the (first) degree of freedom of its joint
    Move(Motion, usize),
}

/// The factors of a joint, from the parent link to the child link.
pub(crate) fn factors(joint: &Joint) -> Vec<Factor> {
    let c = joint.coordinates();
    let singles: Vec<Motion> = match joint.kind {
        JointKind::Fixed | JointKind::Partial { .. } => vec![],
        JointKind::Revolute { axis } => vec![Motion::Hinge(axis)],
        JointKind::Prismatic { axis } => vec![Motion::Slide(axis)],
        JointKind::Universal { first, second } => vec![Motion::Hinge(first), Motion::Hinge(second)],
        JointKind::Spherical if !c.has_locks() => vec![Motion::Ball],
        JointKind::Spherical => joint.order.axes().map(|a| Motion::Hinge(a.unit())).to_vec(),
        JointKind::Free => vec![Motion::Free],
    };
    let mut list = vec![Factor::Constant(joint.parent_from_joint)];
    for (k, motion) in singles.into_iter().enumerate() {
        let locked = k < c.locked.len() && c.locked[k];
        list.push(if locked { Factor::Constant(motion.at(c.locked_at[k])) } else { Factor::Move(motion, k) });
    }
    list.push(Factor::Constant(joint.child_from_joint.inverse()));
    list
}

/// Coordinates of a free joint at a pose.
pub(crate) fn free_coordinates(pose: &Transform) -> [f64; MAX_NQ] {
    let (p, [w, x, y, z]) = (pose.translation, pose.orientation().0);
    [p.x, p.y, p.z, w, x, y, z]
}

impl Motion {
    /// Placement at a coordinate; identity for motions of several coordinates.
    pub fn at(self, q: f64) -> Transform {
        match self {
            Motion::Hinge(axis) => Quat::about(axis, q).to_transform(),
            Motion::Slide(axis) => Transform::translation(axis.scale(q)),
            Motion::None | Motion::Ball | Motion::Free => Transform::identity(),
        }
    }

    /// The joint that makes it.
    pub fn kind(self) -> JointKind {
        match self {
            Motion::None => JointKind::Fixed,
            Motion::Hinge(axis) => JointKind::Revolute { axis },
            Motion::Slide(axis) => JointKind::Prismatic { axis },
            Motion::Ball => JointKind::Spherical,
            Motion::Free => JointKind::Free,
        }
    }

    /// Whether its coordinate is an angle.
    pub fn is_hinge(self) -> bool {
        matches!(self, Motion::Hinge(_))
    }
}
