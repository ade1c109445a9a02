//! Motions of figures: recordings as files hold them, and what is computed from them.
//!
//! | module | what it is |
//! |---|---|
//! | [`clip`] | a motion of a figure; cut, warped, joined, blended, turned, mirrored |
//! | [`estimate`] | pose, velocities and accelerations of frames as they come |
//! | [`pose`] | ways between poses |
//! | [`recording`] | a captured or keyed motion on its own skeleton: BVH, ASF/AMC |
//! | [`trajectory`] | a clip with velocities and accelerations; by [`smooth`] and [`spline`] |
//! | [`markers`] | captured points in space, analog signals, force plates: C3D, TRC |
//! | [`table`] | named columns over time: MOT, STO |
//!
//! SI units, radians, z up, whatever the file had; what was converted is told.

pub mod clip;
mod error;
pub mod estimate;
mod fit;
pub mod markers;
pub mod pose;
pub mod recording;
pub mod smooth;
pub mod spline;
pub mod table;
pub mod trajectory;

pub use clip::Clip;
pub use error::Error;
pub use estimate::{Estimate, OnlineEstimator, Tuning};
pub use trajectory::Trajectory;
