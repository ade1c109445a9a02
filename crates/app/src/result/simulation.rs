//! Simulations.

use anthropi_dynamics::contact::Tally;
use anthropi_dynamics::sim::Happened;
use serde::Serialize;

/// Result of `simulate`, and content of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct SimulationResult {
    /// name of the figure
    pub figure: String,
    /// completed steps
    pub steps: u64,
    /// time step, s
    pub dt: f64,
    /// simulated time, s
    pub duration: f64,
    /// wall time
    pub wall_s: f64,
    /// wall time per step
    pub us_per_step: StepTime,
    /// total energy
    pub energy: EnergyDrift,
    /// largest closure error of the connections
    pub closure_error: ClosureError,
    /// the start and all events
    pub events: Vec<EventResult>,
    /// contact statistics
    pub contact: ContactTally,
    /// hash of the final state: equal digests mean equal bits
    pub digest: String,
    /// whether the simulation ended early
    pub diverged: bool,
}

/// Quantiles of the wall time per step, us.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StepTime {
    /// median
    pub p50: f64,
    /// 99th percentile
    pub p99: f64,
}

/// Total energy, J.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EnergyDrift {
    /// at the start
    pub start: f64,
    /// at the end
    pub end: f64,
    /// largest difference from the start
    pub max_drift: f64,
}

/// Largest closure error after a step.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ClosureError {
    /// position
    pub max_m: f64,
    /// orientation
    pub max_rad: f64,
}

/// An event.
#[derive(Clone, Debug, Serialize)]
pub struct EventResult {
    /// time, s
    pub t: f64,
    /// description
    pub what: String,
    /// coordinates after it
    pub coordinates: usize,
}

impl EventResult {
    /// The result of an event.
    pub fn new(event: &Happened) -> EventResult {
        EventResult { t: event.time, what: event.what.clone(), coordinates: event.coordinates }
    }
}

/// Contact statistics.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ContactTally {
    /// steps with contact
    pub steps: u64,
    /// most solver passes in a step
    pub passes_max: usize,
    /// mean solver passes per step with contact
    pub passes_mean: f64,
    /// steps solved by the cone solver
    pub fallbacks: u64,
    /// steps with forces that violate a contact condition
    pub violations: u64,
    /// steps with forces cut to their limit
    pub cuts: u64,
    /// steps whose forces are valid but inexact
    pub unsolved: u64,
    /// impacts
    pub impacts: u64,
    /// deepest overlap
    pub penetration_max_m: f64,
}

impl ContactTally {
    /// The statistics of a simulation.
    pub fn new(tally: &Tally) -> ContactTally {
        ContactTally {
            steps: tally.steps,
            passes_max: tally.passes_max,
            passes_mean: if tally.steps == 0 { 0.0 } else { tally.passes as f64 / tally.steps as f64 },
            fallbacks: tally.fallbacks,
            violations: tally.violations,
            cuts: tally.cuts,
            unsolved: tally.unsolved,
            impacts: tally.impacts,
            penetration_max_m: tally.penetration_max,
        }
    }
}
