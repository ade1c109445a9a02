//! A figure with the hands on it: what the browser page runs as WebAssembly, and what replays it natively.
//!
//! | part | what it does |
//! |---|---|
//! | [`command`] | what hands do, in words that can be logged |
//! | [`asked`] | a gait in such words |
//! | [`hands`] | forces that hands give while they hold |
//! | [`actor`] | who moves: a scene, a figure under the filter, somebody who walks |
//! | [`session`] | an actor in time: commands, steps, rewinding, undoing |
//! | [`replay`] | the log of a session as a file, and its way back |
//! | `tape` | poses as they were, for export |
//! | [`stage`] | what is drawn: solids once, poses and forces every frame |
//! | [`library`], [`mod@file`], `motions` | what can be opened |
//! | [`thumbnail`] | small pictures of the library |
//! | `page` | the same for JavaScript |
//!
//! No physics here: whoever moves is of `dynamics` or `motion`.

pub mod actor;
pub mod asked;
pub mod command;
pub mod error;
pub mod file;
pub mod hands;
pub mod library;
mod motions;
#[cfg(target_arch = "wasm32")]
mod page;
pub mod replay;
pub mod session;
pub mod stage;
mod tape;
pub mod thumbnail;

pub use command::Command;
pub use error::Error;
pub use session::Session;
