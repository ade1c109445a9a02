//! The dynamics filter: from any reference motion to a physically consistent one.

mod aim;
mod body;
mod causal;
mod dense;
mod gains;
mod online;
mod program;
mod reference;
mod stance;
pub mod strength;
mod tasks;
mod terms;
mod tracker;

pub use aim::Aim;
pub use body::{Body, GroundForce, Outside};
pub use gains::Gains;
pub use online::OnlineFilter;
pub use program::Solved;
pub use reference::Reference;
