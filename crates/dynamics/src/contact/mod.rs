//! Collision, impact, contact and friction by hypothesis and validity check [NY2000J §4].

mod broad;
mod check;
mod collider;
mod cone;
mod correct;
mod delassus;
mod detect;
mod face;
mod friction_problem;
mod given;
mod hypothesis;
mod islands;
mod material;
mod narrow;
mod passes;
mod patch;
mod reach;
mod region;
mod report;
mod rows;
mod scenery;
mod space;
mod step;
mod validity;
mod warm_start;

pub use check::{Outcome, Problem};
pub use detect::Detector;
pub use face::{Block, Face, Six};
pub use friction_problem::{FrictionProblem, FrictionSolution};
pub use hypothesis::{Grip, Hypothesis};
pub use material::{Material, MaterialIx, Materials, Surface};
pub use patch::{ContactPair, MAX_VERTICES, Patch, PatchKey, Vertex};
pub use report::{Contact, Overlap, Slip, SolveMethod, Tally, Touch, VirtualLink};
pub use scenery::{HeightField, Scenery, SceneryShape, World};
pub use step::{Contacts, Instant, TOLERANCE};
pub use validity::Violations;
