//! Motions of figures: recordings, and kinematics and dynamics computed from them.
//!
//! | module | content |
//! |---|---|
//! | [`recording`] | skeletal motion as a file holds it: BVH, ASF/AMC |
//! | [`markers`] | marker positions, analog signals and force plates: C3D, TRC |
//! | [`table`] | named columns over time: MOT, STO |
//! | [`plates`] | measured ground reaction forces |
//! | [`anatomy`] | body part of each bone or link |
//! | [`anthropometry`] | masses and inertias of body segments from published tables |
//! | [`person`] | a figure built for the skeleton of a recording |
//! | [`clip`] | a motion of a figure: cut, warp, join, blend, turn, mirror |
//! | [`pose`] | displacement and interpolation of poses |
//! | [`trajectory`] | a clip with velocities and accelerations; by [`smooth`], [`spline`] and [`cutoff`] |
//! | [`estimate`] | causal estimate of pose, velocity and acceleration |
//! | [`ik`] | inverse kinematics with priorities |
//! | [`keyed`] | motions from keyframes |
//! | [`retarget`] | motion retargeting |
//! | [`contact_points`] | contact points of a figure |
//! | [`contact_schedule`] | contact intervals of a motion, and its ground |
//! | [`hull`] | convex hulls in the plane: support polygons, outlines |
//! | [`split`] | distribution of a wrench over contacts with friction cones |
//! | [`surroundings`] | seats, steps and rails that a motion needs |
//! | [`inverse`] | ground forces and joint torques by inverse dynamics |
//! | [`filter`] | the dynamics filter: foot-plant clean-up, centre-of-mass planning, a QP for each step |
//! | [`gait`] | walking, running and jumping from gait parameters and styles |
//! | [`papers`] | methods of the sources, as published: pseudo-inverse filter, HIDDS, virtual leg |
//! | [`tempo`] | playback speed at which a motion is plausible |
//! | [`certificate`] | physical plausibility of a motion |
//! | [`lamps`] | three lamps of a result: physical, faithful, certain; [`assumption`] what it assumes |
//! | [`smoothing_loss`] | what a low-pass takes away, and the least cut-off that keeps the motion |
//! | [`deviation`] | how far a filtered motion is from the given one |
//! | [`tracking_protocol`] | error of a tracked motion, as learned motion trackers report it |
//! | [`note`] | notes and warnings to the person |
//!
//! SI units, radians, z up; readers convert and note what they converted.

mod admm;
pub mod anatomy;
pub mod anthropometry;
pub mod assumption;
mod banded;
pub mod centroid;
pub mod certificate;
pub mod clip;
pub mod contact_points;
pub mod contact_schedule;
mod curve;
pub mod cutoff;
pub mod deviation;
mod dual;
mod ease;
mod error;
pub mod estimate;
pub mod filter;
mod fit;
pub mod gait;
pub mod hull;
pub mod ik;
pub mod inverse;
pub mod keyed;
pub mod lamps;
pub mod markers;
pub mod note;
pub mod papers;
pub mod person;
mod planner;
pub mod plates;
pub mod pose;
pub mod recording;
pub mod retarget;
pub mod smooth;
pub mod smoothing_loss;
pub mod spline;
pub mod split;
pub mod surroundings;
pub mod table;
pub mod tempo;
pub mod tracking_protocol;
pub mod trajectory;

pub use certificate::Certificate;
pub use clip::Clip;
pub use error::Error;
pub use estimate::{Estimate, OnlineEstimator, Tuning};
pub use note::Note;
pub use person::Person;
pub use trajectory::Trajectory;
