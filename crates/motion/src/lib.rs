//! Motions of figures: recordings as files hold them, and what is computed from them.
//!
//! | module | what it is |
//! |---|---|
//! | [`recording`] | a captured or keyed motion on its own skeleton: BVH, ASF/AMC |
//! | [`markers`] | captured points in space, analog signals, force plates: C3D, TRC |
//! | [`table`] | named columns over time: MOT, STO |
//! | [`plates`] | measured ground forces over time |
//! | [`anatomy`] | which bone or link is which part of the body |
//! | [`anthropometry`] | masses and inertias of body segments, by published tables |
//! | [`person`] | a figure for the skeleton of a recording |
//! | [`clip`] | a motion of a figure; cut, warped, joined, blended, turned, mirrored |
//! | [`pose`] | ways between poses |
//! | [`trajectory`] | a clip with velocities and accelerations; by [`smooth`], [`spline`] and [`cutoff`] |
//! | [`estimate`] | pose, velocities and accelerations of frames as they come |
//! | [`ik`] | poses that meet goals, with priorities |
//! | [`keyed`] | motions made from keys |
//! | [`retarget`] | motions carried over to other figures |
//! | [`footing`] | motions put on their feet |
//! | [`replan`] | motions on their feet that the ground can carry |
//! | [`spots`] | points of a figure that may touch the ground |
//! | [`touch`] | who touches the ground when, and where the ground is |
//! | [`split`] | forces at contacts that give a wrench, inside their cones |
//! | [`inverse`] | forces behind a motion |
//! | [`hybrid`] | torques that move a figure along a course, refined over runs |
//! | [`virtual_leg`] | the ground as a spring along the leg |
//! | [`certificate`] | could a person have moved so? |
//!
//! SI units, radians, z up, whatever the file had; what was converted is told.

pub mod anatomy;
pub mod anthropometry;
pub mod certificate;
pub mod clip;
mod curve;
pub mod cutoff;
mod dual;
mod ease;
mod error;
pub mod estimate;
pub mod filter;
mod fit;
pub mod footing;
pub mod gait;
mod hull;
pub mod hybrid;
pub mod ik;
pub mod inverse;
pub mod keyed;
pub mod markers;
pub mod mend;
pub mod person;
pub mod plates;
pub mod pose;
mod program;
pub mod recording;
pub mod replan;
pub mod retarget;
#[cfg(test)]
#[path = "../../dynamics/tests/testkit/rng.rs"]
mod rng;
pub mod smooth;
pub mod spline;
pub mod split;
pub mod spots;
pub mod table;
pub mod touch;
pub mod trajectory;
pub mod virtual_leg;

pub use certificate::Certificate;
pub use clip::Clip;
pub use error::Error;
pub use estimate::{Estimate, OnlineEstimator, Tuning};
pub use person::Person;
pub use trajectory::Trajectory;
