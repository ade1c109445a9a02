//! The dynamics filter: from any reference motion to a physically consistent one.

mod adapt;
mod aim;
mod begin;
mod body;
mod causal;
mod dense;
mod doubt;
mod gains;
mod grips;
mod guard;
mod online;
mod program;
mod proof;
mod pseudo_inverse;
mod reference;
mod run;
mod stance;
pub mod strength;
mod tasks;
mod terms;
mod track;
mod tracker;

pub use aim::Aim;
pub use body::{Body, GroundForce, Outside, Solver};
pub use gains::Gains;
pub use online::OnlineFilter;
pub use program::Solved;
pub use proof::Proof;
pub use reference::Reference;
pub use run::{Filtered, Mode, Push, Settings, Step, run};
pub use track::Tracking;
