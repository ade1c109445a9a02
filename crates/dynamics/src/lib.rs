//! Dynamics of articulated figures whose structure may change at any instant.
//!
//! Opens no file, reads no clock, starts no thread, prints nothing.
//!
//! | module | content |
//! |---|---|
//! | [`spatial`] | vectors, rotations, motion and force, inertias; knows no bodies |
//! | [`joint`] | relative motion of two links, and passive joint forces |
//! | [`model`] | figures as declared ([`model::Figure`]), as compiled ([`model::Forest`]), their [`model::State`] |
//! | [`algo`] | kinematics and dynamics of trees, one algorithm a module |
//! | [`constraint`] | connections that close loops, in two views |
//! | [`contact`] | collision, impact, contact and friction |
//! | [`sim`] | motion in time: steps, loads, controls, events |
//!
//! SI units, radians, right-handed, z up. Spatial vectors have the angular part first. Quaternions are `[w, x, y, z]`.
//!
//! ```
//! use anthropi_dynamics::{joint::JointKind, model::*, sim::Simulation, spatial::*};
//!
//! // a ball is thrown, catches a fixed point in flight, and swings on it
//! let mut b = FigureBuilder::new("ball");
//! let ball = Shape::Sphere { radius: 0.1 };
//! let link = b.add(LinkSpec::new("ball", ball.inertia(1000.0)?), JointSpec::new("free", JointKind::Free))?;
//! let figure = b.build()?;
//! let mut state = State::home(&figure);
//! state.v[3] = 2.0; // m/s along x
//! let mut sim = Simulation::new(figure, state)?;
//! let mut string = JointSpec::new("string", JointKind::Spherical);
//! string.child_from_joint = Transform::translation(vec3(0.0, 0.0, 0.5));
//! sim.connect(link, string)?;
//! for _ in 0..1000 {
//!     sim.step(1e-3)?;
//! }
//! assert!(sim.closure().linear < 1e-10);
//! # Ok::<(), anthropi_dynamics::Error>(())
//! ```

pub mod algo;
pub mod constraint;
pub mod contact;
mod dense;
mod error;
pub mod joint;
pub mod model;
pub mod sim;
pub mod spatial;

pub use error::Error;
