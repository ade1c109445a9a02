//! What is let pass.

/// Residual force that is put down to measuring, rms in body weights. [H2015 passim] advises 5 % of the ground force.
pub const FORCE: f64 = 0.05;
/// Residual moment likewise, rms in body weights times metres.
pub const MOMENT: f64 = 0.05;
/// Depth of a foot or hand in the ground, and height at which a foot may stand above it, m: captured soles are not known
/// better.
pub const DEPTH: f64 = 0.03;
/// Mean speed of a stance along the ground, m/s.
pub const SKATE: f64 = 0.12;
/// Pull of the ground, body weights.
pub const PULL: f64 = 0.1;
/// Centre of pressure outside of what touches, m.
pub const OUTSIDE: f64 = 0.03;
/// Gravity in flights, off by this part.
pub const GRAVITY: f64 = 0.2;
/// Bodies that fall with less than this part of gravity float; and weight carried by nothing, body weights.
pub const FLOATS: f64 = 0.3;
/// Speed of a joint from one frame to the next, rad/s.
pub const LEAP: f64 = 35.0;
