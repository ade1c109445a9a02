//! Anthropi for Python: figures, states, motions and data sets with numpy arrays in and out.
//!
//! A front end without computations of its own. `python/anthropi` has the pure Python part and the type stubs.
//!
//! | file | content |
//! |---|---|
//! | `arrays.rs`, `error.rs`, `signals.rs` | arrays; errors as exceptions; Ctrl+C |
//! | `figure.rs`, `from_arrays.rs` | `Figure`: built in, from a file, from arrays |
//! | `state.rs`, `structure.rs` | `State`, and structure edits |
//! | `dynamics.rs`, `batch.rs` | dynamics of one state, and of arrays of states by SIMD lanes and threads |
//! | `closed.rs` | closed chains |
//! | `simulation.rs` | `Simulation` and its `Record` |
//! | `clip.rs` | `Clip`: motions |
//! | `certify.rs`, `filter.rs`, `walk.rs` | certificates, filtered motions, walks |
//! | `dataset.rs` | data sets |
//! | `options.rs`, `json.rs`, `builtins.rs` | keywords; serde results as Python values; built-in items |

// `cargo test NAME` also builds a test program of this crate, which cannot link without Python
#![cfg(not(test))]

mod arrays;
mod batch;
mod builtins;
mod certify;
mod clip;
mod closed;
mod dataset;
mod dynamics;
mod error;
mod figure;
mod filter;
mod from_arrays;
mod json;
mod options;
mod signals;
mod simulation;
mod state;
mod structure;
mod walk;

use pyo3::prelude::*;

#[pymodule]
mod _anthropi {
    #[pymodule_export]
    use super::builtins::builtins;
    #[pymodule_export]
    use super::certify::{Certificate, certify};
    #[pymodule_export]
    use super::clip::Clip;
    #[pymodule_export]
    use super::dataset::{Run, Work, find_clips};
    #[pymodule_export]
    use super::dynamics::time_inverse_dynamics;
    #[pymodule_export]
    use super::figure::Figure;
    #[pymodule_export]
    use super::filter::{Filtered, OnlineFilter, filter};
    #[pymodule_export]
    use super::simulation::{Record, Simulation};
    #[pymodule_export]
    use super::state::State;
    #[pymodule_export]
    use super::walk::{Walk, walk};
}
