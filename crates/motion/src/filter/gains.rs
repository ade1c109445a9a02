//! How strongly the filter goes after what, from the figure and its pace.
//!
//! Rates are multiples of the figure's own, omega = sqrt(g / height of the centre of mass), the rate at which it falls
//! over; weights are unit-free: accelerations of lengths count by that height.

/// Rates (1/s) of critically damped feedback, and weights.
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
            hold: 300.0,
            back: 20.0,
            trunk_weight: 10.0,
            center_weight: 2000.0 * length,
            spin_weight: 3000.0 * length,
            swing_weight: [60.0 * length, 3.0],
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
}

pub(crate) fn tune(g: &mut Gains) {
    let Ok(text) = std::env::var("SET") else { return };
    for kv in text.split(',') {
        let Some((k, v)) = kv.split_once('=') else { continue };
        let v: f64 = v.parse().unwrap();
        match k {
            "joint" => g.joint = v,
            "trunk" => g.trunk = v,
            "level" => g.level = v,
            "height" => g.height = v,
            "spin" => g.spin = v,
            "swing" => g.swing = v,
            "hold" => g.hold = v,
            "back" => g.back = v,
            "trunk_weight" => g.trunk_weight = v,
            "center_weight" => g.center_weight = v,
            "spin_weight" => g.spin_weight = v,
            "hold_weight" => g.hold_weight = v,
            "force_weight" => g.force_weight = v,
            "down_weight" => g.down_weight = v,
            "clear_weight" => g.clear_weight = v,
            "lift_weight" => g.lift_weight = v,
            "step" => g.step = v,
            "step_least" => g.step_least = v,
            "step_most" => g.step_most = v,
            "lean" => g.lean = v,
            "lean_most" => g.lean_most = v,
            "spin_ahead" => g.spin_ahead = v,
            "omega" => g.omega = v,
            "most" => g.most[0] = v,
            "mostz" => g.most[1] = v,
            "swp" => g.swing_weight[0] = v,
            "swo" => g.swing_weight[1] = v,
            _ => panic!("{k}"),
        }
    }
}
