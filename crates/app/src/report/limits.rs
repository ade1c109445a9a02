//! Tolerances: those of the certificate, and three rules of thumb that colour a number but do not affect the verdict.

use anthropi_motion::certificate::{Fault, Finding, Unit};

pub use anthropi_motion::certificate::limits::{
    DEPTH, DISCONTINUITY, FLOATS, FORCE, GRAVITY, HIDDEN, MOMENT, OUTSIDE, PULL, SKATE, SMOOTHED,
};

/// Reached in hard landings, body weights.
pub const PEAK_FORCE: f64 = 7.0;
/// Reached by the strongest joints of strong people, N m per kg of body mass.
pub const PEAK_TORQUE: f64 = 5.0;
/// Reached at one joint in sprints and jumps, W per kg of body mass.
pub const PEAK_POWER: f64 = anthropi_motion::deviation::HUMAN_POWER;

/// Size of a finding with its unit.
pub fn size(finding: &Finding) -> String {
    with_unit(finding, finding.size)
}

/// Tolerance of a finding with its unit, if it is one number.
pub fn tolerance(finding: &Finding) -> String {
    match finding.fault {
        Fault::Tempo => "\u{2013}".into(),
        _ => with_unit(finding, finding.size / finding.severity),
    }
}

fn with_unit(finding: &Finding, x: f64) -> String {
    match (finding.fault, finding.unit) {
        (Fault::Tempo, _) => format!("{x:.1} times"),
        (Fault::Gravity, _) => format!("{x:.2} g off"),
        (_, Unit::Metres) => format!("{:.1} cm", 100.0 * x),
        (_, Unit::RadiansPerSecond) => format!("{x:.0} rad/s"),
        (_, Unit::Ratio) => format!("{x:.2}"),
        (_, unit) => format!("{x:.2} {unit}"),
    }
}
