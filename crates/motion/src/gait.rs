//! Walking and running from parameters and words [L1992 ch. 9] (`docs/walking.md`).
//!
//! | part | what it does |
//! |---|---|
//! | [`parameter`], [`determinant`], [`style`] | what can be asked for |
//! | [`ground`], [`steps`] | footprints and times of a way |
//! | `feet`, `pressure`, `pattern`, `stairs` | paths of the feet, of the centre of pressure, and of the upper body |
//! | `height`, `center` | path of the centre of mass that belongs to them |
//! | `flight`, `band` | runs: loads around flights, and angular momentum that stays in the air |
//! | `jump`, `way` | jumps, and ways put together from pieces between them |
//! | `puppet`, `plan` | poses; a whole walk |
//! | `planning`, `settle`, `wish` | passes until all agree |
//! | `pilot`, `walk` | a figure that follows by torques and the ground alone; `guide` the same in a simulation |
//! | `stroll`, `course`, `between`, `leap`, `pace` | a walk without end whose gait changes on the way |
//! | [`measure`], `look`, `cycle` | what the walk was like |
//! | [`people`] | how people walk |
//! | [`load`] | a pack on the back |

mod band;
mod between;
mod center;
mod course;
mod cycle;
pub mod determinant;
mod feet;
mod flight;
pub mod ground;
mod guide;
mod height;
mod jump;
mod leap;
pub mod load;
mod look;
pub mod measure;
mod pace;
pub mod parameter;
mod pattern;
pub mod people;
mod pilot;
mod plan;
mod planning;
mod pressure;
mod puppet;
mod settle;
mod stairs;
pub mod steps;
mod stroll;
pub mod style;
mod walk;
mod way;
mod wish;

pub use guide::Guide;
pub use jump::Jumped;
pub use look::Look;
pub use measure::{Measured, Sample};
pub use pace::Pace;
pub use stroll::Stroll;
pub use walk::{Settings, Walked, Walker};
