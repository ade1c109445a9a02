//! The dynamics filter: from any reference motion to a physically consistent one (`docs/filter.md`).
//!
//! | part | what it does |
//! |---|---|
//! | `run` | a whole motion, on-line or off-line; `keeper`, `proof`, `track`, `doubt` what came of it, or what speaks against it |
//! | `online` | frame by frame; `guard` what is believed, `causal` who touches, `tracker` centre of mass and momentum |
//! | `reference`, `aim` | where the reference is at an instant |
//! | `body` | the figure, one internal step after another; `begin` where it starts |
//! | `stance` | which points stand; `adapt` leaning and stepping |
//! | `tasks`, `gains` | what is asked of the accelerations, and how strongly |
//! | `program` | the nearest motion that physics allows, by `dense` and the crate's `dual` |
//! | `pseudo_inverse`, `grips` | the same by the paper's pseudo-inverses, connections too |
//! | `known` | some accelerations, torques or paths of points are known: the rest of them |
//! | [`strength`] | how strong joints are |
//! | `terms` | kinematics and momentum at a state |

mod adapt;
mod aim;
mod begin;
mod body;
mod causal;
pub(crate) mod dense;
mod doubt;
mod gains;
mod grips;
mod guard;
mod keeper;
mod known;
mod online;
mod program;
mod proof;
mod pseudo_inverse;
mod reference;
mod run;
mod stance;
pub mod strength;
mod tasks;
pub(crate) mod terms;
mod track;
mod tracker;

pub use aim::{Aim, Floor};
pub use body::{Body, GroundForce, Outside, Solver};
pub use gains::Gains;
pub(crate) use keeper::Keeper;
pub use known::{Drawn, Known, Whole, whole};
pub use online::OnlineFilter;
pub use program::Solved;
pub use proof::Proof;
pub use reference::Reference;
pub use run::{Filtered, Mode, Push, Settings, Step, run};
pub use track::Tracking;
pub(crate) use track::fallen;
