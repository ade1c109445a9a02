//! Benchmarks on the peers' figures: `ours` times them, `guard` counts their instructions.

pub mod exact;
pub mod flat;
pub mod grip;
pub mod sample;
pub mod stand;
pub mod sway;
