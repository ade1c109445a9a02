//! Collision, impact, contact and friction by hypothesis and validity check [NY2000J §4].

mod check;
mod dense;
mod detect;
mod hypothesis;
mod material;
mod patch;
mod region;
mod report;
mod scenery;

pub use check::{Broken, Outcome, Problem};
pub use detect::Detector;
pub use hypothesis::{Block, Face, Grip, Hypothesis, Six};
pub use material::{Material, MaterialIx, Materials, Surface};
pub use patch::{MAX_VERTICES, Meeting, Patch, PatchKey, Vertex};
pub use report::{Answer, Contact, Overlap, Slip, Tally, Touch};
pub use scenery::{Ground, Heights, Scenery, World};
