//! Motion in time: integration on the manifold of poses, scripted forces, controls, drivers, events, whole simulations.

mod control;
mod driver;
mod event;
mod integrate;
mod midpoint;
mod momentum;
mod rk4;
mod script;
mod simulation;

pub use control::{Control, Hold};
pub use driver::Driver;
pub use event::{Action, Event, Happened, Trigger, coordinates};
pub use integrate::{Integrator, advance};
pub use script::{Script, ScriptedForce};
pub use simulation::{Energy, Simulation, Stepped};
