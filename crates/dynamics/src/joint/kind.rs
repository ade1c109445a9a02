//! The kinds of joints and the relative pose of the child. [NY2000 §VI]

use super::{MAX_NQ, Slide, Turn};
use crate::spatial::{Motion, Quat, Transform, Vec3, vec3};

/// Relative motion that a joint allows. Axes are unit vectors in the joint frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// none
    Fixed,
    /// turns about an axis
    Revolute {
        /// axis of rotation
        axis: Vec3,
    },
    /// slides along an axis
    Prismatic {
        /// direction of travel
        axis: Vec3,
    },
    /// turns about `first`, then about `second`, which is carried along by the first
    Universal {
        /// axis fixed in the parent
        first: Vec3,
        /// axis fixed in the child
        second: Vec3,
    },
    /// turns about any axis
    Spherical,
    /// moves freely; only between a figure and the world
    Free,
    /// turns and slides in chosen directions; only as a connection, which has no coordinates of its own to integrate
    Partial {
        /// rotations left free
        turn: Turn,
        /// translations left free
        slide: Slide,
    },
}

impl JointKind {
    /// Numbers in q.
    pub fn nq(&self) -> usize {
        match self {
            JointKind::Spherical => 4,
            JointKind::Free => MAX_NQ,
            other => other.nv(),
        }
    }

    /// Degrees of freedom: numbers in v.
    pub fn nv(&self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute { .. } | JointKind::Prismatic { .. } => 1,
            JointKind::Universal { .. } => 2,
            JointKind::Spherical => 3,
            JointKind::Free => 6,
            JointKind::Partial { turn, slide } => turn.count() + slide.count(),
        }
    }

    /// Name in files and reports.
    pub fn name(&self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Revolute { .. } => "revolute",
            JointKind::Prismatic { .. } => "prismatic",
            JointKind::Universal { .. } => "universal",
            JointKind::Spherical => "spherical",
            JointKind::Free => "free",
            JointKind::Partial { turn: Turn::About(_), slide: Slide::Along(_) } => "cylindrical",
            JointKind::Partial { turn: Turn::About(_), slide: Slide::Across(_) } => "planar",
            JointKind::Partial { .. } => "partial",
        }
    }

    /// Coordinates of the identity.
    pub fn neutral(&self) -> [f64; MAX_NQ] {
        let mut q = [0.0; MAX_NQ];
        match self {
            JointKind::Spherical => q[0] = 1.0,
            JointKind::Free => q[3] = 1.0,
            _ => {}
        }
        q
    }

    /// Placement of the child side of the joint on its parent side. Reads the first `nq` numbers of `q`.
    pub fn transform(&self, q: &[f64]) -> Transform {
        match *self {
            JointKind::Fixed | JointKind::Partial { .. } => Transform::identity(),
            JointKind::Revolute { axis } => Quat::about(axis, q[0]).to_transform(),
            JointKind::Prismatic { axis } => Transform::translation(axis.scale(q[0])),
            JointKind::Universal { first, second } => {
                Quat::about(first, q[0]).then(Quat::about(second, q[1])).to_transform()
            }
            JointKind::Spherical => Quat([q[0], q[1], q[2], q[3]]).to_transform(),
            JointKind::Free => Transform::new(vec3(q[0], q[1], q[2]), Quat([q[3], q[4], q[5], q[6]])),
        }
    }

    /// Velocity of the child side relative to the parent side, in child-side axes about its origin.
    pub fn velocity(&self, q: &[f64], v: &[f64]) -> Motion {
        match *self {
            JointKind::Fixed | JointKind::Partial { .. } => Motion::default(),
            JointKind::Revolute { axis } => Motion::new(axis.scale(v[0]), Vec3::ZERO),
            JointKind::Prismatic { axis } => Motion::new(Vec3::ZERO, axis.scale(v[0])),
            JointKind::Universal { first, second } => {
                let carried = Quat::about(second, -q[1]).rotate(first);
                Motion::new(carried.scale(v[0]) + second.scale(v[1]), Vec3::ZERO)
            }
            JointKind::Spherical => Motion::new(vec3(v[0], v[1], v[2]), Vec3::ZERO),
            JointKind::Free => Motion::new(vec3(v[0], v[1], v[2]), vec3(v[3], v[4], v[5])),
        }
    }

    /// The same joint with parent and child swapped, for coordinates converted by [`JointKind::reverse`].
    /// Axes change sign, so single coordinates keep their values.
    pub fn reversed(&self) -> JointKind {
        match *self {
            JointKind::Revolute { axis } => JointKind::Revolute { axis: -axis },
            JointKind::Prismatic { axis } => JointKind::Prismatic { axis: -axis },
            JointKind::Universal { first, second } => JointKind::Universal { first: -second, second: -first },
            same => same,
        }
    }

    /// Coordinates and velocity of the joint with parent and child swapped.
    pub fn reverse(&self, q: &mut [f64], v: &mut [f64]) {
        match self {
            JointKind::Universal { .. } => {
                q.swap(0, 1);
                v.swap(0, 1);
            }
            JointKind::Spherical => {
                // the old parent turns against the old child: omega' = -R omega in the old parent's axes
                let quat = Quat([q[0], q[1], q[2], q[3]]);
                let w = -quat.rotate(vec3(v[0], v[1], v[2]));
                q[..4].copy_from_slice(&quat.inverse().0);
                v[..3].copy_from_slice(&w.to_array());
            }
            _ => {}
        }
    }
}
