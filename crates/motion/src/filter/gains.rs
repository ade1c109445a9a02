//! Feedback rates and task weights.
//!
//! Rates are multiples of omega = sqrt(g / height of the centre of mass), the rate of the inverted pendulum; weights are
//! dimensionless: linear accelerations are divided by that height.

/// Factor on the weights of centre of mass and angular momentum that puts them before posture: an error of a hundredth of
/// a radian in a joint then costs as much as one of 0.1 m/s2 in the centre of mass.
const MOMENTUM_FIRST: f64 = 50.0;
/// Factor on the feedback rate of joints with momentum before posture: what momentum asks of them is given back sooner.
const PLANNED_JOINTS: f64 = 2.0;

/// Feedback rates (1/s) and task weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// joints
    pub joint: f64,
    /// orientation of pelvis and chest
    pub trunk: f64,
    /// centre of mass, horizontal
    pub com_horizontal: f64,
    /// centre of mass, vertical
    pub com_vertical: f64,
    /// angular momentum
    pub angular_momentum: f64,
    /// swing feet
    pub swing: f64,
    /// damping ratio of joints, trunk and swing feet; 1 is critical
    pub damping: f64,
    /// velocity of points in contact
    pub contact_velocity: f64,
    /// return of points in contact to their anchors
    pub contact_position: f64,
    /// weight of pelvis and chest, against one joint
    pub trunk_weight: f64,
    /// weight of the centre of mass
    pub center_weight: f64,
    /// weight of the angular momentum
    pub angular_momentum_weight: f64,
    /// weights of swing feet: position and orientation
    pub swing_weight: [f64; 2],
    /// weight of points in contact
    pub contact_weight: f64,
    /// weight of contact forces, in body weights
    pub force_weight: f64,
    /// weight of the rest of a sole coming down
    pub down_weight: f64,
    /// weight of ground clearance of swing feet
    pub clearance_weight: f64,
    /// weight of lifting points
    pub lift_weight: f64,
    /// limits of the feedback on the centre of mass, parts of gravity: horizontal, vertical
    pub max_com_feedback: [f64; 2],
    /// swing-foot shift, parts of the capture-point error
    pub step_gain: f64,
    /// dead zone of the capture-point error, m
    pub step_dead_zone: f64,
    /// largest swing-foot shift, m
    pub max_step: f64,
    /// rate of leaning, 1/s
    pub lean_rate: f64,
    /// largest lean, m
    pub max_lean: f64,
    /// feed-forward of the rate of angular momentum, parts
    pub angular_momentum_feedforward: f64,
    /// natural rate of the inverted pendulum, 1/s
    pub omega: f64,
}

impl Gains {
    /// For a figure with the centre of mass at `height` while standing, m.
    pub fn from_height(height: f64, gravity: f64) -> Gains {
        let omega = (gravity / height).sqrt();
        let length = 1.0 / (height * height);
        Gains {
            joint: 12.0 * omega,
            trunk: 6.0 * omega,
            com_horizontal: 2.4 * omega,
            com_vertical: 4.0 * omega,
            angular_momentum: 2.0 * omega,
            swing: 10.0 * omega,
            damping: 1.0,
            contact_velocity: 700.0,
            contact_position: 20.0,
            trunk_weight: 10.0,
            center_weight: 2000.0 * length,
            angular_momentum_weight: 3000.0 * length,
            swing_weight: [200.0 * length, 3.0],
            contact_weight: 1e5 * length,
            force_weight: 1.6,
            down_weight: 2000.0 * length,
            clearance_weight: 1e5 * length,
            lift_weight: 3000.0 * length,
            max_com_feedback: [0.5, 0.3],
            step_gain: 1.1,
            step_dead_zone: 0.03 * height,
            max_step: 0.33 * height,
            lean_rate: 1.0 * omega,
            max_lean: 0.15 * height,
            angular_momentum_feedforward: 1.0,
            omega,
        }
    }

    /// With momentum before posture, for plans that are made anew while they are tracked.
    pub fn momentum_first(self) -> Gains {
        Gains {
            center_weight: MOMENTUM_FIRST * self.center_weight,
            angular_momentum_weight: MOMENTUM_FIRST / 1.5 * self.angular_momentum_weight,
            joint: PLANNED_JOINTS * self.joint,
            ..self
        }
    }

    /// With the weights of centre of mass and angular momentum, and the feedback rate of joints, scaled.
    pub(crate) fn scaled(self, momentum: f64, joints: f64) -> Gains {
        Gains {
            center_weight: momentum * self.center_weight,
            angular_momentum_weight: momentum * self.angular_momentum_weight,
            joint: joints * self.joint,
            ..self
        }
    }

    /// Scales the rates of joints, trunk and swing feet, their damping, and the rates of centre of mass and angular momentum;
    /// 1 is the default of each.
    pub fn tuned(self, following: f64, damping: f64, balance: f64) -> Gains {
        Gains {
            joint: following * self.joint,
            trunk: following * self.trunk,
            swing: following * self.swing,
            damping: damping * self.damping,
            com_horizontal: balance * self.com_horizontal,
            com_vertical: balance * self.com_vertical,
            angular_momentum: balance * self.angular_momentum,
            ..self
        }
    }
}
