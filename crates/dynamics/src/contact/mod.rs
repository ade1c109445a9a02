//! Collision, impact, contact and friction by hypothesis and validity check [NY2000J §4].

mod broad;
mod check;
mod collider;
mod cone;
mod dense;
mod detect;
mod hypothesis;
mod material;
mod memory;
mod narrow;
mod patch;
mod region;
mod report;
mod scenery;
mod stage;

pub use check::{Broken, Outcome, Problem};
pub use detect::Detector;
pub use hypothesis::{Block, Face, Grip, Hypothesis, Six};
pub use material::{Material, MaterialIx, Materials, Surface};
pub use patch::{MAX_VERTICES, Meeting, Patch, PatchKey, Vertex};
pub use report::{Answer, Contact, Overlap, Slip, Tally, Touch, VirtualLink};
pub use scenery::{Ground, Heights, Scenery, World};
pub use stage::{Contacts, Instant, TOLERANCE};
