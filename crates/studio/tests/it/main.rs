//! Studio sessions.

mod endless_walk;
mod random;
mod session;
mod thumbnail;
mod tracking;
