//! Joints: relative motion of two links, and passive joint forces.
//!
//! Coordinates: revolute and prismatic 1 number; universal 2; spherical q = quaternion, v = angular velocity of the
//! child in child axes; free q = [x, y, z, w, qx, qy, qz], v = [angular, linear] of the child in child axes.

mod coordinates;
mod dof;
mod freedom;
mod kind;
mod limit;
mod passive;

pub use coordinates::{Coordinates, JointState, MAX_NV};
pub use dof::Dof;
pub use freedom::{Slide, Turn};
pub use kind::JointKind;
pub use limit::{LimitLaw, LimitSpring, Range};
pub use passive::{Passive, PassiveShape};

/// Most numbers in the q of one joint.
pub const MAX_NQ: usize = 7;
/// Most degrees of freedom that one joint can lock, limit or spring: a free joint has no such properties.
pub const MAX_DOF: usize = 3;
