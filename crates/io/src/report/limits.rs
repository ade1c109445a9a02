//! What is let pass. The first ones are those of `anthropi_motion::certificate`, which keeps them to itself; a test
//! compares those that findings tell. The last three only colour a number and are no part of the verdict.

use anthropi_motion::certificate::{Fault, Finding};

/// Residual force, rms, body weights.
pub const FORCE: f64 = 0.05;
/// Residual moment, rms, body weights times metres.
pub const MOMENT: f64 = 0.05;
/// Depth of a foot or hand in the ground and height of standing on air, m.
pub const DEPTH: f64 = 0.03;
/// Mean speed of a stance along the ground, m/s.
pub const SKATE: f64 = 0.12;
/// Pull of the ground, body weights.
pub const PULL: f64 = 0.1;
/// Centre of pressure outside of what touches, m.
pub const OUTSIDE: f64 = 0.03;
/// Gravity in flights, off by this part.
pub const GRAVITY: f64 = 0.2;
/// Weight carried while nothing touches.
pub const FLOATS: f64 = 0.3;
/// Speed of a joint from one frame to the next, rad/s.
pub const LEAP: f64 = 35.0;

/// Hard landings reach this, body weights.
pub const PEAK_FORCE: f64 = 7.0;
/// The strongest joints of strong people reach this, N m per kg of the body.
pub const PEAK_TORQUE: f64 = 5.0;
/// Sprints and jumps reach this at one joint, W per kg of the body.
pub const PEAK_POWER: f64 = 30.0;

/// Size of a finding with its unit.
pub fn size(finding: &Finding) -> String {
    let x = finding.size;
    match unit(finding) {
        Unit::Metres => format!("{:.1} cm", 100.0 * x),
        Unit::Other(unit, digits) => format!("{x:.digits$} {unit}").trim_end().to_string(),
    }
}

/// What is let pass of it with its unit, where that is one number.
pub fn let_pass(finding: &Finding) -> String {
    let limit = finding.size / finding.severity;
    match (finding.fault, unit(finding)) {
        (Fault::Tempo, _) => "\u{2013}".into(),
        (_, Unit::Metres) => format!("{:.1} cm", 100.0 * limit),
        (_, Unit::Other(unit, digits)) => format!("{limit:.digits$} {unit}").trim_end().to_string(),
    }
}

enum Unit {
    Metres,
    Other(&'static str, usize),
}

fn unit(finding: &Finding) -> Unit {
    match finding.fault {
        Fault::Tempo => Unit::Other("times", 1),
        Fault::Gravity => Unit::Other("g off", 2),
        // feet above the ground, or weight on nothing: told apart by what is let pass
        Fault::Float if finding.size > 2.0 * DEPTH * finding.severity => Unit::Other("BW", 2),
        Fault::Float | Fault::Penetration | Fault::Balance => Unit::Metres,
        Fault::Skate => Unit::Other("m/s", 2),
        Fault::Pull => Unit::Other("BW", 2),
        Fault::Slip => Unit::Other("", 2),
        Fault::Leap => Unit::Other("rad/s", 0),
    }
}
