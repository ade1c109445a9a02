//! Walking and running from parameters and words [L1992 ch. 9].

mod center;
pub mod determinant;
mod feet;
pub mod ground;
mod guide;
mod height;
pub mod measure;
pub mod parameter;
mod pattern;
mod pilot;
mod plan;
mod pressure;
mod puppet;
pub mod steps;
pub mod style;
mod walk;

pub use guide::Guide;
pub use measure::{Measured, Sample};
pub use walk::{Settings, Walked, Walker};
