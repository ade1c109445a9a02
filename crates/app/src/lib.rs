//! Application layer of command line, Python and studio: name resolution, requests, runs, results, data sets, reports.

pub mod assessment;
#[cfg(feature = "batch")]
pub mod batch;
pub mod builtin;
pub mod filter_scene;
pub mod keyed;
pub mod loaded_motion;
pub mod palette;
pub mod plot;
pub mod push_recovery;
pub mod report;
pub mod resolve;
pub mod result;
pub mod scene;
pub mod svg;
pub mod walk;

pub use anthropi_formats::{Error, Loaded, Place, Warning};

/// Tests the examples of the README and of the book.
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
