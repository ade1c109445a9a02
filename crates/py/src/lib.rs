//! Anthropi for Python: figures, states, motions and data sets with numpy arrays in and out.
//!
//! A front end: it translates, and computes nothing itself. `python/anthropi` has what is Python only, and the types of all
//! of this.
//!
//! | file | what |
//! |---|---|
//! | `arrays.rs`, `error.rs`, `signals.rs` | numbers in and out; errors as exceptions; Ctrl+C |
//! | `figure.rs`, `from_arrays.rs` | `Figure`: built in, from a file, from arrays |
//! | `state.rs`, `structure.rs` | `State`, and the verbs of change |
//! | `dynamics.rs`, `batch.rs` | dynamics of one state, and of many by lanes and threads |
//! | `closed.rs` | closed chains |
//! | `simulation.rs` | `Simulation` and its `Record` |
//! | `clip.rs` | `Clip`: motions |
//! | `certify.rs`, `filter.rs`, `walk.rs` | what is asked of motions, and what came out |
//! | `dataset.rs` | many clips |
//! | `options.rs`, `told.rs`, `builtins.rs` | keywords; JSON as Python's values; what is built in |

// `cargo test NAME` builds a program of tests even here, where there are none: Python's symbols would be missing in it
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
mod options;
mod signals;
mod simulation;
mod state;
mod structure;
mod told;
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
