//! Spatial algebra: vectors, rotations, motion and force, placements, inertias. Knows no bodies.
//!
//! Angular part first, always. Everything is generic over [`Real`]: one figure (`f64`) or [`LANES`] at once ([`Lanes`]).

mod articulated;
mod inertia;
mod lanes;
mod mat3;
mod motion;
mod real;
mod rotation;
mod sym3;
mod transform;
mod vec3;

pub use articulated::{Articulated, Eliminated};
pub use inertia::Inertia;
pub use lanes::{LANES, Lanes};
pub use mat3::Mat3;
pub use motion::{Force, Motion};
pub use real::{Real, SIN_COS_ERROR, SIN_COS_RANGE};
pub use rotation::{Quat, RotationOrder};
pub use sym3::Sym3;
pub use transform::Transform;
pub use vec3::{Axis, Vec3, vec3};
