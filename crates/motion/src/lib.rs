//! Motions of figures: recordings as files hold them, and what is computed from them.
//!
//! | module | what it is |
//! |---|---|
//! | [`anatomy`] | which bone or link is which part of the body |
//! | [`clip`] | a motion of a figure |
//! | [`ik`] | poses that meet goals, with priorities |
//! | [`pose`] | ways between poses |
//! | [`recording`] | a captured or keyed motion on its own skeleton: BVH, ASF/AMC |
//! | [`retarget`] | motions carried over to other figures |
//! | [`markers`] | captured points in space, analog signals, force plates: C3D, TRC |
//! | [`table`] | named columns over time: MOT, STO |
//!
//! SI units, radians, z up, whatever the file had; what was converted is told.

pub mod anatomy;
pub mod clip;
mod error;
pub mod ik;
pub mod markers;
pub mod pose;
pub mod recording;
pub mod retarget;
pub mod table;

pub use clip::Clip;
pub use error::Error;
