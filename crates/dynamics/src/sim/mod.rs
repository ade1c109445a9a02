//! Motion in time: integration on the manifold of poses, scripted forces, whole simulations of trees.

mod integrate;
mod momentum;
mod script;
mod simulation;

pub use integrate::{Integrator, advance};
pub use script::{Load, Script};
pub use simulation::{Energy, Simulation, Stepped};
