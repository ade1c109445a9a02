//! The dynamics filter: turns a reference motion into a physically consistent one (`docs/filter.md`).
//!
//! | part | content |
//! |---|---|
//! | `run` | filters a whole motion, on-line or off-line |
//! | `prepare` | intermediate frames, treadmill motions, contact schedule; maps the result back |
//! | [`repair`] | removes discontinuities from the input |
//! | [`foot_plant`] | foot-plant clean-up: no foot slides, floats or penetrates while in contact |
//! | [`momentum_plan`] | plans centre of mass and angular momentum so that the contacts can carry the motion |
//! | `offline`, `replan` | tracks the plan, made anew on the way; `assist` helps from outside where nothing else stands |
//! | `online` | filters frame by frame; `input_guard` rejects bad frames, `contact_detector` detects contacts, `centroid_tracker` smooths centre of mass and angular momentum |
//! | `reference` | the reference motion, and its state at an instant |
//! | `simulated_body` | the simulated figure and its integration step; `initial_state` where it starts |
//! | `contact_state` | contact state of each point; `balance` leaning and capture-point steps |
//! | `tasks`, `gains` | desired accelerations, feedback rates and weights |
//! | `qp` | the nearest feasible accelerations, by `normal_equations` and the crate's `dual` |
//! | `loop_closure` | loop closures as constraint rows, for the pseudo-inverse solver of [`crate::papers`] |
//! | `dynamics_terms` | kinematics and momentum at a state |
//! | `applied_force` | forces besides gravity and the ground |
//! | [`strength`] | torque limits of the joints |
//! | [`push_recovery`] | the largest push that a filtered motion survives |
//! | `recorder`, `audit`, `warning`, `physical` | results, falls, tracking error, the physical lamp |

mod applied_force;
mod assist;
mod audit;
mod balance;
mod centroid_tracker;
mod contact_detector;
mod contact_state;
pub(crate) mod dynamics_terms;
pub mod foot_plant;
mod gains;
mod initial_state;
mod input_guard;
pub(crate) mod loop_closure;
pub mod momentum_plan;
pub(crate) mod normal_equations;
mod offline;
mod online;
mod physical;
mod prepare;
pub mod push_recovery;
pub(crate) mod qp;
mod recorder;
pub(crate) mod reference;
pub mod repair;
mod replan;
mod run;
pub(crate) mod simulated_body;
pub mod strength;
pub(crate) mod tasks;
mod warning;

pub use applied_force::AppliedForce;
pub use assist::{AssistInterval, AssistReport};
pub use audit::Audit;
pub use gains::Gains;
pub use online::OnlineFilter;
pub use qp::SolveReport;
pub use recorder::TrackingError;
pub(crate) use recorder::{Recorder, has_fallen};
pub use reference::{Floor, Reference, ReferenceSample};
pub use run::{FilterSettings, Filtered, Mode, SolvedStep, run};
pub use simulated_body::{GroundForce, SimulatedBody, Solver};
