//! Collision, impact, contact and friction by hypothesis and validity check [NY2000J §4].

mod detect;
mod material;
mod patch;
mod report;
mod scenery;

pub use detect::Detector;
pub use material::{Material, MaterialIx, Materials, Surface};
pub use patch::{MAX_VERTICES, Meeting, Patch, PatchKey, Vertex};
pub use report::{Answer, Contact, Overlap, Slip, Tally, Touch};
pub use scenery::{Ground, Heights, Scenery, World};
