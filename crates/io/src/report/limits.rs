//! What is let pass: the limits of the certificate, and three that only colour a number and are no part of the verdict.

use anthropi_motion::certificate::{Fault, Finding, Unit};

pub use anthropi_motion::certificate::limits::{
    DEPTH, FLOATS, FORCE, GRAVITY, LEAP, MOMENT, OUTSIDE, PULL, SKATE,
};

/// Hard landings reach this, body weights.
pub const PEAK_FORCE: f64 = 7.0;
/// The strongest joints of strong people reach this, N m per kg of the body.
pub const PEAK_TORQUE: f64 = 5.0;
/// Sprints and jumps reach this at one joint, W per kg of the body.
pub const PEAK_POWER: f64 = 30.0;

/// Size of a finding with its unit.
pub fn size(finding: &Finding) -> String {
    told(finding, finding.size)
}

/// What is let pass of it with its unit, where that is one number.
pub fn let_pass(finding: &Finding) -> String {
    match finding.fault {
        Fault::Tempo => "\u{2013}".into(),
        _ => told(finding, finding.size / finding.severity),
    }
}

fn told(finding: &Finding, x: f64) -> String {
    match (finding.fault, finding.unit) {
        (Fault::Tempo, _) => format!("{x:.1} times"),
        (Fault::Gravity, _) => format!("{x:.2} g off"),
        (_, Unit::Metres) => format!("{:.1} cm", 100.0 * x),
        (_, Unit::RadiansPerSecond) => format!("{x:.0} rad/s"),
        (_, Unit::Ratio) => format!("{x:.2}"),
        (_, unit) => format!("{x:.2} {unit}"),
    }
}
