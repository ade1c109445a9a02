//! Placing a body in world axes: the first line of every sweep.
//!
//! Computes  R = R_parent turn R(q)  and  d = R_parent origin (+ e q),  with the world directions of the joint's axes.
//! Source: [F2008 ch. 4]. We differ: axes are coordinate axes of a frame of our choice (`model::compile`).
//! Not here: velocities.
//! Checked by: `tests/it/oracle.rs` (Pinocchio placements).

use super::at;
use crate::model::{Body, BodyJoint};
use crate::spatial::{Mat3, Quat, Real, Vec3};

/// A body's frame as its parent's frame and its own coordinates give it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Placed<T> {
    /// world from body axes
    pub r: Mat3<T>,
    /// from the parent's origin to the body's, world axes
    pub d: Vec3<T>,
    /// first axis of the joint, world axes
    pub e1: Vec3<T>,
    /// second axis of a universal joint, world axes
    pub e2: Vec3<T>,
}

#[inline(always)]
pub(crate) fn place<T: Real>(b: &Body, q: &[T], parent: &Mat3<T>) -> Placed<T> {
    let iq = b.iq as usize;
    let base = if b.is_turned { parent.mul_mat_const(&b.turn) } else { *parent };
    let d = parent.mul_const(b.origin);
    let none = Vec3::default();
    match b.joint {
        BodyJoint::Revolute(x) => {
            let (s, c) = at::<1, T>(q, iq)[0].sin_cos();
            Placed { r: base.rotate(x, s, c), d, e1: base.col(x), e2: none }
        }
        BodyJoint::Prismatic(x) => {
            let e1 = base.col(x);
            Placed { r: base, d: e1.mad(at::<1, T>(q, iq)[0], d), e1, e2: none }
        }
        BodyJoint::Universal(x, y) => {
            let [q1, q2] = *at::<2, T>(q, iq);
            let (s, c) = q1.sin_cos();
            let half = base.rotate(x, s, c);
            let (s, c) = q2.sin_cos();
            Placed { r: half.rotate(y, s, c), d, e1: base.col(x), e2: half.col(y) }
        }
        BodyJoint::Spherical => {
            Placed { r: base.mul_mat(&Quat(*at::<4, T>(q, iq)).to_matrix()), d, e1: none, e2: none }
        }
        BodyJoint::Free => {
            let (x, turn) = (Vec3::from_array(at(q, iq)), Quat(*at::<4, T>(q, iq + 3)).to_matrix());
            let r = if b.is_turned { base.mul_mat(&turn) } else { turn };
            Placed { r, d: d + base.mul(x), e1: none, e2: none }
        }
    }
}
