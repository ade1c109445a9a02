//! Shared by the tests and benchmarks of all crates; never a dependency of a shipped crate.
//!
//! Unit tests inside `src` of `anthropi-motion` or above may only use items with types of `anthropi-dynamics`: Cargo
//! compiles `motion` a second time for them, and its types differ from those here.

pub mod captured;
mod figures;
pub mod gait_step;
pub mod keyed_step;
pub mod motions;
pub mod mutation;
pub mod odd;
mod rng;
mod skip;

pub use figures::*;
pub use rng::{Rng, free_figure};
pub use skip::{data, skip};
