//! Readers and writers of figure and motion files. Bytes in, values out; every error names file, line and field.

pub mod acclaim;
pub mod anatomy;
pub mod base64;
pub mod bvh;
mod bytes;
pub mod c3d;
pub mod csv;
mod error;
pub mod fields;
pub mod figure;
pub mod file;
pub mod gltf;
pub mod load;
pub mod mjcf;
pub mod motion;
pub mod names;
pub mod npz;
pub mod osim;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod sto;
pub mod trc;
pub mod urdf;
mod xml;

pub use error::{Error, Place, Warning};

use anthropi_dynamics::model::Figure;

/// A figure read from a file, with warnings.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// the figure
    pub figure: Figure,
    /// unsupported or questionable content
    pub warnings: Vec<Warning>,
}
