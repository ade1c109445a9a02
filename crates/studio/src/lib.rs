//! The studio's engine: interactive simulation for the browser page (as WebAssembly), and native replay of its sessions.
//!
//! | module | content |
//! |---|---|
//! | [`command`], [`gait`] | user commands, as they are logged |
//! | [`protocol`] | messages to the page: structure and frames |
//! | [`simulator`] | one step of a scene, a tracked motion or an endless walk |
//! | [`user_forces`] | drag spring, pushes, constant forces and torques |
//! | [`session`] | a simulator with its log: commands, steps, rewind, undo |
//! | [`replay`] | the log as a file |
//! | `recorder` | past poses, for export |
//! | [`library`], [`mod@file`], `motions` | opening items and files |
//! | [`thumbnail`] | pictures of the library |
//! | `wasm` | JavaScript bindings |
//!
//! No physics here: it is in `dynamics` and `motion`.

pub mod command;
pub mod error;
pub mod file;
pub mod gait;
pub mod library;
mod motions;
pub mod protocol;
mod recorder;
pub mod replay;
pub mod session;
pub mod simulator;
pub mod thumbnail;
pub mod user_forces;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use command::Command;
pub use error::Error;
pub use session::Session;
