//! Connections that close loops: constraint view [NY2000J §2-3.1] and generalized-coordinate view [NY2000 §II-III].

pub(crate) mod climb;
mod closure;
mod drive;
pub mod generalized;
mod project;
pub(crate) mod response;
mod rows;
mod solve;

pub use closure::Closure;
pub use project::{CLOSED, Closed, Projection};
pub use rows::{LoopState, MAX_ROWS};
pub use solve::{Constraints, Work, forward_dynamics, plain_forward_dynamics};
