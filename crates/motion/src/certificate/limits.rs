//! Tolerances of the certificate.

/// Residual force attributed to measurement, RMS in body weights. [H2015 passim] advises 5 % of the ground force.
pub const FORCE: f64 = 0.05;
/// Residual moment attributed to measurement, RMS in body weights times metres.
pub const MOMENT: f64 = 0.05;
/// Penetration of a foot or hand, and height of a contact above the ground, m: the accuracy of captured soles.
pub const DEPTH: f64 = 0.03;
/// Mean sliding speed of a stance, m/s.
pub const SKATE: f64 = 0.12;
/// Pull of the ground, body weights.
pub const PULL: f64 = 0.1;
/// Displacement of the links by smoothing, RMS over half a second, m.
pub const SMOOTHED: f64 = crate::smoothing_loss::MAX_DISPLACEMENT;
/// Force hidden by smoothing, RMS over half a second, body weights.
pub const HIDDEN: f64 = crate::smoothing_loss::MAX_ACCELERATION;
/// Distance of the centre of pressure from the support, m.
pub const OUTSIDE: f64 = 0.03;
/// Relative error of gravity in flight.
pub const GRAVITY: f64 = 0.2;
/// A body that falls with less than this part of gravity floats; also weight carried without contact, body weights.
pub const FLOATS: f64 = 0.3;
/// Speed of a joint from one frame to the next, rad/s.
pub const DISCONTINUITY: f64 = 35.0;
