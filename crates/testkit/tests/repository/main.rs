//! Tests of the repository itself: its map stays true, its layers hold, its code stays readable.

mod architecture;
mod code;
mod source;
