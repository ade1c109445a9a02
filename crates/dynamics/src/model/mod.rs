//! Figures: as declared, as compiled for the algorithms, and their state.
//!
//! [`Figure`] is a graph of links and joints with handles that survive edits. [`Forest`] is the same figure as dense
//! arrays for the algorithms, valid for one revision. [`State`] is q and v of one revision. `build` makes a
//! figure, only `structure` changes it; `scale` and `base` return changed copies.

mod arena;
mod base;
mod build;
mod compile;
mod figure;
mod forest;
mod scale;
mod shape;
mod state;
mod structure;

pub use base::BASE_NAME;
pub use build::{FigureBuilder, JointSpec, LinkSpec};
pub use figure::{Figure, Joint, JointHandle, Link, LinkHandle, STANDARD_GRAVITY};
pub use forest::{Body, BodyIx, BodyJoint, Forest, JointPlace, LinkPlace, Loop};
pub use shape::{PlacedShape, Shape};
pub use state::State;
pub use structure::Change;
