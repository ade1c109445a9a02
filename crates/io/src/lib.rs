//! Figures from files and back. Bytes in, values out; every error names file, place and field.

pub mod acclaim;
pub mod anatomy;
mod base64;
#[cfg(feature = "batch")]
pub mod batch;
pub mod builtin;
pub mod bvh;
pub mod c3d;
pub mod csv;
mod error;
mod fields;
pub mod figure;
pub mod filtering;
pub mod gltf;
pub mod judging;
pub mod keyed;
pub mod load;
pub mod mjcf;
pub mod motion;
pub mod moving;
pub mod names;
pub mod npz;
pub mod osim;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod plot;
pub mod report;
pub mod scene;
mod shelf;
pub mod sto;
pub mod svg;
pub mod trc;
pub mod urdf;
pub mod walking;
mod xml;

pub use error::{Error, Place, Warning};

use anthropi_dynamics::model::Figure;

/// A figure read from a file, and what to know about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// the figure
    pub figure: Figure,
    /// what was left out or is doubtful
    pub warnings: Vec<Warning>,
}

/// The examples of the README and of the book are tested here.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/contact.md")]
    struct Contact;
    #[doc = include_str!("../../../docs/motions.md")]
    struct Motions;
    #[doc = include_str!("../../../docs/programmer.md")]
    struct Programmer;
}
