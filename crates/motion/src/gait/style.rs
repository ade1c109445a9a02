//! How somebody walks: everything besides speed, length and frequency.
//!
//! A style changes parameters by factors and says what the body does; determinants are in `determinant.rs`. Words stand
//! for styles; they are data, read by the crate that reads files.

use super::determinant::Determinants;
use super::parameter::{Parameters, Request};
pub use crate::virtual_leg::Sharing;

/// A manner of walking. Angles in rad, lengths in m for legs of 0.89 m, others in proportion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// factor on the speed that people have when they are asked to walk so
    pub speed: f64,
    /// factor on the step frequency that belongs to the speed
    pub frequency: f64,
    /// the six determinants
    pub determinants: Determinants,
    /// ankles apart, beyond the breadth of a sole
    pub width: f64,
    /// feet turned out
    pub toe_out: f64,
    /// pelvis lower than legs allow
    pub crouch: f64,
    /// pelvis tilted ahead
    pub tilt: f64,
    /// trunk leaned ahead
    pub lean: f64,
    /// head bowed against upright
    pub bow: f64,
    /// swing of the arms, and of the shoulders against the pelvis
    pub arms: f64,
    /// arms held out to the side
    pub arms_out: f64,
    /// arms held ahead, where they swing about
    pub arms_ahead: f64,
    /// bend of the elbows
    pub elbows: f64,
    /// chest turned against the pelvis
    pub counter: f64,
    /// feet raised in mid swing, more than needed
    pub clearance: f64,
    /// lift of the body with each step, as a factor
    pub bounce: f64,
    /// trunk tilted to the leg that stands
    pub sway: f64,
    /// how the load goes over in double support
    pub sharing: Sharing,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            speed: 1.0,
            frequency: 1.0,
            determinants: Determinants::default(),
            width: 0.04,
            toe_out: 0.0,
            crouch: 0.0,
            tilt: 5.4f64.to_radians(),
            lean: 0.0,
            bow: 0.0,
            arms: 1.0,
            arms_out: 5f64.to_radians(),
            arms_ahead: 0.0,
            elbows: 20f64.to_radians(),
            counter: 1.0,
            clearance: 0.0,
            bounce: 1.0,
            sway: 0.0,
            sharing: Sharing::Cosine,
        }
    }
}

impl Style {
    /// What is asked for in this style: where nothing is said the usual speed times the style's factor, and where the
    /// frequency is not said the natural one times its factor.
    pub fn request(&self, asked: Request, natural: impl Fn(Request) -> Option<Parameters>) -> Request {
        let is_free = asked.speed.is_none() && asked.length.is_none() && asked.frequency.is_none();
        let mut request = asked;
        if is_free {
            request.speed = natural(asked).map(|p| p.speed * self.speed);
        }
        if self.frequency != 1.0 && request.length.is_none() && request.frequency.is_none() {
            request.frequency = natural(request).map(|p| p.frequency * self.frequency);
        }
        request
    }
}
