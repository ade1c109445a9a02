//! How somebody walks: everything besides speed, length and frequency.
//!
//! A style changes parameters by factors and says what the body does; determinants are in `determinant.rs`. Words stand
//! for styles; they are data, read by the crate that reads files.

use super::determinant::Determinants;
use super::parameter::{Parameters, Request};

/// Part of the load that both feet carry at least in double support.
const LEAST: f64 = 0.015;

/// How the load goes over in double support: alpha(t) of the virtual leg [L1992 §9.4.5].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// in proportion to time
    Linear,
    /// (1 - cos)/2
    #[default]
    Cosine,
    /// 3 s^2 - 2 s^3
    Cubic,
}

impl Sharing {
    /// Part that the front foot carries, at a part of the double support. Both carry a little at once: a foot that has
    /// landed is loaded.
    pub fn at(self, s: f64) -> f64 {
        LEAST + (1.0 - 2.0 * LEAST) * self.curve(s)
    }

    fn curve(self, s: f64) -> f64 {
        let s = s.clamp(0.0, 1.0);
        match self {
            Sharing::Linear => s,
            Sharing::Cosine => 0.5 - 0.5 * libm::cos(core::f64::consts::PI * s),
            Sharing::Cubic => s * s * (3.0 - 2.0 * s),
        }
    }
}

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
            lean: 0f64.to_radians(),
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
