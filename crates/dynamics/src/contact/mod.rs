//! Collision, impact, contact and friction by hypothesis and validity check [NY2000J §4].

mod broad;
mod check;
mod collider;
mod cone;
mod correct;
mod delassus;
mod dense;
mod detect;
mod face;
mod hypothesis;
mod judge;
mod material;
mod memory;
mod narrow;
mod patch;
mod region;
mod report;
mod rows;
mod scenery;
mod stage;
mod sweep;

pub use check::{Outcome, Problem};
pub use detect::Detector;
pub use face::{Block, Face, Six};
pub use hypothesis::{Grip, Hypothesis};
pub use judge::Broken;
pub use material::{Material, MaterialIx, Materials, Surface};
pub use patch::{MAX_VERTICES, Meeting, Patch, PatchKey, Vertex};
pub use report::{Answer, Contact, Overlap, Slip, Tally, Touch, VirtualLink};
pub use scenery::{Ground, Heights, Scenery, World};
pub use stage::{Contacts, Instant, TOLERANCE};
