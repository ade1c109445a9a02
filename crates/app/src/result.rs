//! Results as serde types: the JSON of the command line, the dictionaries of Python and the messages of the studio.
//! The Python stubs (`anthropi/typing.py`) list the same fields; `tests/it/result.rs` compares them.

mod certificate;
mod filter;
mod prop;
mod simulation;
mod walk;

pub use certificate::{
    CertificateResult, FigureSummary, FindingResult, ForceCertificate, ForceContactSummary, GroundReaction,
    GroundResult, InverseResult, StepGroundReaction, TimedPeak, Verdict,
};
pub use filter::{
    AssistIntervalResult, AssistResult, FilterResult, FrameTime, Jitter, ProtocolResult, SolverSummary,
    Tracking, mode_name,
};
pub use prop::{PropResult, PropUseResult};
pub use simulation::{ClosureError, ContactTally, EnergyDrift, EventResult, SimulationResult, StepTime};
pub use walk::{RequestedSegments, SegmentSummary, StepStudy, StepSummary, WalkSummary};

use serde::{Serialize, Serializer};

/// Serialises named entries as a map, in their order.
fn as_map<K: Serialize, V: Serialize, S: Serializer>(entries: &[(K, V)], out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(entries.iter().map(|(key, value)| (key, value)))
}
