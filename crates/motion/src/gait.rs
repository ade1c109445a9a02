//! Walking, running and jumping synthesised from gait parameters and styles [L1992 ch. 9] (`docs/walking.md`).
//!
//! | module | content |
//! |---|---|
//! | [`parameter`], [`determinant`], [`style`], [`terrain`] | what a caller can request |
//! | [`footsteps`] | footprints and their timing |
//! | `foot_path`, `cop`, `upper_body`, `stairs` | reference paths of the feet, the centre of pressure and the upper body |
//! | `com_path`, `flight`, `jump` | centre-of-mass path; flight phases; jumps |
//! | `leg_ik` | whole-body poses by closed-form leg inverse kinematics |
//! | `planning`, `plan` | fixed-point iteration to a dynamically consistent plan; the plan |
//! | `controller`, `walk` | plan tracking by joint torques: simulated here, or driving another simulation |
//! | `endless` | an endless walk whose gait changes on request |
//! | [`measure`], [`normative`] | gait measures of a simulated walk; normative joint angles |
//! | [`backpack`] | a load on the back |

pub mod backpack;
mod com_path;
mod controller;
mod cop;
pub mod determinant;
mod endless;
mod flight;
mod foot_path;
pub mod footsteps;
mod jump;
mod leg_ik;
pub mod measure;
pub mod normative;
pub mod parameter;
mod plan;
mod planning;
mod stairs;
pub mod style;
pub mod terrain;
mod upper_body;
mod walk;

pub use endless::{EndlessWalk, MeasuredPace};
pub use jump::MeasuredJump;
pub use measure::{GaitMeasures, Sample};
pub use walk::{WalkDriver, WalkResult, WalkSettings, Walker};

/// Refuses a gait.
fn refuse<T>(what: impl Into<String>) -> Result<T, crate::error::Error> {
    Err(crate::error::Error::Gait { what: what.into() })
}
