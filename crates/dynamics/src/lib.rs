//! Dynamics of articulated figures whose structure may change at any instant.
//!
//! Opens no file, reads no clock, starts no thread, prints nothing.
//!
//! | module | what it is |
//! |---|---|
//! | [`spatial`] | vectors, rotations, motion and force, inertias; knows no bodies |
//! | [`joint`] | what may move between two links, and the joint's own forces |
//! | [`constraint`] | connections that close loops |
//! | [`algo`] | kinematics and dynamics of trees |
//! | [`sim`] | motion in time |
//! | [`model`] | figures as declared ([`model::Figure`]), as computed on ([`model::Forest`]), their [`model::State`] |
//!
//! SI units, radians, right-handed, z up. Spatial vectors have the angular part first. Quaternions are [w, x, y, z].

pub mod algo;
pub mod constraint;
mod error;
pub mod joint;
pub mod model;
pub mod sim;
pub mod spatial;

pub use error::Error;
