//! dynamics
pub mod spatial;
