//! OSIM, the models of OpenSim: bodies, joints by coordinates, markers. Files of the generations 2 to 4.
//!
//! Source: the OpenSim API documentation; files of opensim-models. In files before version 4 a joint lies inside the
//! body it carries, later in a `JointSet`, with frames of its own.
//! We differ: see the table. Muscles, contact geometry, wrapping and meshes are ignored and counted in a warning.
//!
//! | OSIM | figure |
//! |---|---|
//! | y up | z up: (x, y, z) becomes (x, -z, y), for links too; joints keep the axes of the file |
//! | joint of several coordinates | massless links `BODY/COORDINATE`, the last one is `BODY`; joints named by coordinates |
//! | six coordinates to ground, none locked | the free joint `root`, which has no ranges |
//! | `range` of a coordinate, clamped or not | range of the joint |
//! | `BallJoint` | spherical joint of that name |
//! | axis that is not a linear function of its coordinate | frozen at coordinate 0; a warning states the lost motion |
//! | `locked` | locked at the default value |
//! | joint that carries no mass | locked, with a warning |
//!
//! Checked by: `tests/it/osim.rs` (OpenSim 4.6), `crates/motion/tests/it/gait2354.rs` (measured ground forces).

mod axis;
mod build;
mod chain;
mod clip;
mod coordinates;
mod document;
mod frame;
mod function;
mod joint;
mod spline;

pub use clip::clip;

use crate::error::{Error, Warning};
use crate::{Loaded, xml};
use anthropi_dynamics::joint::Range;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Mat3, Transform, Vec3, vec3};
use coordinates::Drive;
use std::sync::Arc;

/// A model read from a file: the figure, and the map from the file's coordinates to its own.
#[derive(Clone, Debug)]
pub struct Model {
    /// the figure
    pub figure: Arc<Figure>,
    /// coordinates in the order of the file
    pub coordinates: Vec<Coordinate>,
    /// markers on the figure
    pub markers: Vec<Marker>,
    /// unsupported or questionable content
    pub warnings: Vec<Warning>,
    /// map from coordinates to q
    drives: Vec<Drive>,
}

/// A coordinate as the file declares it; rad or m.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// its name
    pub name: String,
    /// the joint it belongs to, as the file names it
    pub joint: String,
    /// default value
    pub default: f64,
    /// range, if the file gives one
    pub range: Option<Range>,
    /// held at its default
    pub is_locked: bool,
    /// an angle, not a length
    pub is_angle: bool,
}

/// A motion-capture marker on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// its name
    pub name: String,
    /// link it is fixed to
    pub link: LinkHandle,
    /// position, link axes
    pub point: Vec3,
}

/// Reads the figure of an OSIM file; `file` is its name for messages.
///
/// # Errors
/// As [`read_model`].
pub fn read(text: &str, file: &str) -> Result<Loaded, Error> {
    let model = read_model(text, file)?;
    Ok(Loaded { figure: Arc::unwrap_or_clone(model.figure), warnings: model.warnings })
}

/// Reads an OSIM file with its coordinates and markers; `file` is its name for messages.
///
/// # Errors
/// Text that is not XML; invalid or unsupported bodies, joints and functions, with line and column.
pub fn read_model(text: &str, file: &str) -> Result<Model, Error> {
    let root = xml::parse(text, file, &["OpenSimDocument"])?;
    let model = root.child("Model").ok_or_else(|| root.refuse("has no Model"))?;
    build::build(model, file)
}

/// From axes with y up to axes with z up: (x, y, z) becomes (x, -z, y).
fn z_up_from_y_up() -> Transform {
    let rotation = Mat3 { x: vec3(1.0, 0.0, 0.0), y: vec3(0.0, 0.0, 1.0), z: vec3(0.0, -1.0, 0.0) };
    Transform { rotation, translation: Vec3::ZERO }
}
