//! How strongly the filter goes after what, from the figure and its pace.
//!
//! Rates are multiples of the figure's own, omega = sqrt(g / height of the centre of mass), the rate at which it falls
//! over; weights are unit-free: accelerations of lengths count by that height.

/// Rates (1/s) of feedback, and weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// joints
    pub joint: f64,
    /// pelvis and chest, their orientation
    pub trunk: f64,
    /// centre of mass, level
    pub level: f64,
    /// centre of mass, vertical
    pub height: f64,
    /// angular momentum
    pub spin: f64,
    /// feet in the air
    pub swing: f64,
    /// damping of joints, trunk and feet in the air; 1 is critical
    pub damping: f64,
    /// points that stand: their velocity...
    pub hold: f64,
    /// ...and the way back to where they stood
    pub back: f64,
    /// weight of pelvis and chest against one joint
    pub trunk_weight: f64,
    /// of the centre of mass
    pub center_weight: f64,
    /// of angular momentum
    pub spin_weight: f64,
    /// of feet in the air: place and orientation
    pub swing_weight: [f64; 2],
    /// of points that stand
    pub hold_weight: f64,
    /// of contact forces, in body weights
    pub force_weight: f64,
    /// of the rest of a sole on its way down
    pub down_weight: f64,
    /// of feet in the air that are to stay off the ground
    pub clear_weight: f64,
    /// of points that come off it
    pub lift_weight: f64,
    /// feedback on the centre of mass asks for no more, parts of gravity: level, vertical
    pub most: [f64; 2],
    /// the foot in the air goes by so much of the error of the capture point...
    pub step: f64,
    /// ...beyond this, m...
    pub step_least: f64,
    /// ...but no farther, m
    pub step_most: f64,
    /// the reference leans to where it can be carried at this rate, 1/s...
    pub lean: f64,
    /// ...and by no more, m
    pub lean_most: f64,
    /// part of the change of angular momentum that is asked for
    pub spin_ahead: f64,
    /// the natural rate
    pub omega: f64,
}

impl Gains {
    /// For a figure whose centre of mass is at `height` when it stands, in a field of gravity.
    pub fn of(height: f64, gravity: f64) -> Gains {
        let omega = (gravity / height).sqrt();
        let length = 1.0 / (height * height);
        Gains {
            joint: 12.0 * omega,
            trunk: 6.0 * omega,
            level: 2.4 * omega,
            height: 4.0 * omega,
            spin: 2.0 * omega,
            swing: 10.0 * omega,
            damping: 1.0,
            hold: 700.0,
            back: 20.0,
            trunk_weight: 10.0,
            center_weight: 2000.0 * length,
            spin_weight: 3000.0 * length,
            swing_weight: [200.0 * length, 3.0],
            hold_weight: 1e5 * length,
            force_weight: 1.6,
            down_weight: 2000.0 * length,
            clear_weight: 1e5 * length,
            lift_weight: 3000.0 * length,
            most: [0.5, 0.3],
            step: 1.1,
            step_least: 0.03 * height,
            step_most: 0.33 * height,
            lean: 1.0 * omega,
            lean_most: 0.15 * height,
            spin_ahead: 1.0,
            omega,
        }
    }

    /// For somebody who follows joints, trunk and feet so many times as fast, damped by so much, and brings the centre of
    /// mass and the angular momentum back so many times as fast; 1 each is usual.
    pub fn tuned(self, following: f64, damping: f64, balance: f64) -> Gains {
        Gains {
            joint: following * self.joint,
            trunk: following * self.trunk,
            swing: following * self.swing,
            damping: damping * self.damping,
            level: balance * self.level,
            height: balance * self.height,
            spin: balance * self.spin,
            ..self
        }
    }
}
