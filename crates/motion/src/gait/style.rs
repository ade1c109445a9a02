//! Gait style: everything except speed, step length and step frequency.
//!
//! A style scales the default pace and sets posture and amplitudes. Named styles are data files (`anthropi_app::walk`).

use super::determinant::Determinants;
use super::parameter::{PaceRequest, Parameters};
pub use crate::papers::virtual_leg::Sharing;

/// A gait style. Angles in rad; lengths in m for legs of 0.89 m, scaled with leg length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// factor on the default speed
    pub speed: f64,
    /// factor on the natural step frequency
    pub frequency: f64,
    /// amplitudes of the six determinants
    pub determinants: Determinants,
    /// step width between the ankles in excess of a sole's breadth
    pub width: f64,
    /// toe-out angle
    pub toe_out: f64,
    /// lowering of the pelvis
    pub crouch: f64,
    /// anterior pelvic tilt
    pub tilt: f64,
    /// forward lean of the trunk
    pub lean: f64,
    /// flexion of the head from upright
    pub bow: f64,
    /// factor on the arm swing
    pub arms: f64,
    /// abduction of the arms
    pub arms_out: f64,
    /// mean flexion of the shoulders
    pub arms_ahead: f64,
    /// elbow flexion
    pub elbows: f64,
    /// factor on the counter-rotation of chest and pelvis
    pub counter: f64,
    /// extra foot clearance in mid swing
    pub clearance: f64,
    /// factor on the vertical oscillation
    pub bounce: f64,
    /// lateral tilt of the trunk over the stance leg
    pub sway: f64,
    /// load transfer in double support
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
    /// Fills in the style's speed for an empty request, and the style's step frequency unless frequency or length is
    /// given. `natural` completes a request without style.
    pub fn request(
        &self,
        mut request: PaceRequest,
        natural: impl Fn(PaceRequest) -> Option<Parameters>,
    ) -> PaceRequest {
        if request.speed.is_none() && request.length.is_none() && request.frequency.is_none() {
            request.speed = natural(request).map(|p| p.speed * self.speed);
        }
        if self.frequency != 1.0 && request.length.is_none() && request.frequency.is_none() {
            request.frequency = natural(request).map(|p| p.frequency * self.frequency);
        }
        request
    }
}
