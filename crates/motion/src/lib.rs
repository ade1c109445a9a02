//! Motions of figures: recordings as files hold them, and what is computed from them.
//!
//! | module | what it is |
//! |---|---|
//! | [`anthropometry`] | masses and inertias of body segments, by published tables |
//! | [`anatomy`] | which bone or link is which part of the body |
//! | [`clip`] | a motion of a figure |
//! | [`person`] | a figure for the skeleton of a recording |
//! | [`plates`] | measured ground forces over time |
//! | [`clip`] | a motion of a figure; cut, warped, joined, blended, turned, mirrored |
//! | [`estimate`] | pose, velocities and accelerations of frames as they come |
//! | [`pose`] | ways between poses |
//! | [`recording`] | a captured or keyed motion on its own skeleton: BVH, ASF/AMC |
//! | [`trajectory`] | a clip with velocities and accelerations; by [`smooth`] and [`spline`] |
//! | [`ik`] | poses that meet goals, with priorities |
//! | [`pose`] | ways between poses |
//! | [`recording`] | a captured or keyed motion on its own skeleton: BVH, ASF/AMC |
//! | [`retarget`] | motions carried over to other figures |
//! | [`markers`] | captured points in space, analog signals, force plates: C3D, TRC |
//! | [`split`] | forces at contacts that give a wrench, inside their cones |
//! | [`spots`] | points of a figure that may touch the ground |
//! | [`touch`] | who touches the ground when, and where the ground is |
//! | [`inverse`] | forces behind a motion; smoothing by [`cutoff`] |
//! | [`certificate`] | could a person have moved so? |
//! | [`table`] | named columns over time: MOT, STO |
//!
//! SI units, radians, z up, whatever the file had; what was converted is told.

pub mod anatomy;
pub mod anthropometry;
pub mod certificate;
pub mod clip;
pub mod cutoff;
mod error;
pub mod inverse;
pub mod estimate;
pub mod ik;
pub mod markers;
pub mod person;
pub mod plates;
pub mod pose;
pub mod recording;
pub mod smooth;
pub mod spline;
pub mod split;
pub mod spots;
pub mod retarget;
pub mod table;
pub mod touch;
pub mod trajectory;

pub use certificate::Certificate;
pub use clip::Clip;
pub use error::Error;
pub use person::Person;
pub use estimate::{Estimate, OnlineEstimator, Tuning};
pub use trajectory::Trajectory;
