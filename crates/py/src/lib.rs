//! Anthropi for Python: figures, states, motions and data sets with numpy arrays in and out.
//!
//! A front end: it translates, and computes nothing itself. `python/anthropi` has what is Python only, and the types of all
//! of this.
//!
//! | file | what |
//! |---|---|
//! | `arrays.rs`, `error.rs` | numbers in and out; errors as exceptions |
//! | `figure.rs`, `from_arrays.rs` | `Figure`: built in, from a file, from arrays |
//! | `state.rs`, `structure.rs` | `State`, and the verbs of change |
//! | `dynamics.rs`, `batch.rs` | dynamics of one state, and of many by lanes and threads |
//! | `closed.rs` | closed chains |
//! | `simulation.rs` | `Simulation` |

mod arrays;
mod batch;
mod closed;
mod dynamics;
mod error;
mod figure;
mod from_arrays;
mod simulation;
mod state;
mod structure;

use pyo3::prelude::*;

#[pymodule]
mod _anthropi {
    #[pymodule_export]
    use super::dynamics::time_inverse_dynamics;
    #[pymodule_export]
    use super::figure::Figure;
    #[pymodule_export]
    use super::simulation::{Record, Simulation};
    #[pymodule_export]
    use super::state::State;
}
