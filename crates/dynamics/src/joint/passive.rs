//! Passive joint forces: spring, damping, dry friction, limit springs.
//!
//! Computes  tau = -k (q - rest) - b v - c v / sqrt(v^2 + s^2) + limit(q, v).
//! Source: [L1992 §8.2.3] for the limits.
//! We differ: limits of a spherical joint act on the angles of its rotation order and are brought to child axes by
//! the transpose of the rates matrix.
//! Not here: damping inside the integrator (`sim::integrate` treats it implicitly).
//! Checked by: `tests/it/passive.rs` (virtual work, energy).

use super::{Dof, MAX_DOF};
use crate::spatial::{Quat, Real, RotationOrder, Vec3};

/// Rate below which dry friction fades out, rad/s or m/s.
const FRICTION_RATE: f64 = 1e-2;

/// Relation of a joint's coordinates to its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PassiveShape {
    /// `count` coordinates, each a degree of freedom; entry k is degree of freedom `dof[k]` of the joint
    Scalars {
        /// how many are left unlocked
        count: usize,
    },
    /// a quaternion
    Ball {
        /// angles for the limits
        order: RotationOrder,
        /// orientation at which the spring rests
        home: Quat,
    },
}

/// The passive part of one joint, with its coordinate indices.
#[derive(Clone, Copy, Debug)]
pub struct Passive {
    /// first number in q
    pub iq: usize,
    /// first number in v
    pub iv: usize,
    /// how coordinates and degrees of freedom relate
    pub shape: PassiveShape,
    /// properties, in the order of the coordinates
    pub dof: [Dof; MAX_DOF],
}

impl Passive {
    /// Adds the joint's passive force to `tau`, without damping if `damped` is false.
    pub fn add_force(&self, q: &[f64], v: &[f64], tau: &mut [f64], damped: bool) {
        match self.shape {
            PassiveShape::Scalars { count } => {
                for k in 0..count {
                    let (d, x, rate) = (&self.dof[k], q[self.iq + k], v[self.iv + k]);
                    let spring = -d.stiffness * (x - d.rest);
                    tau[self.iv + k] += spring + friction(d, rate, damped) + limit(d, x, rate);
                }
            }
            PassiveShape::Ball { order, home } => {
                let now = Quat([q[self.iq], q[self.iq + 1], q[self.iq + 2], q[self.iq + 3]]);
                let turn = home.inverse().then(now).log().to_array();
                let mut pull = [0.0; MAX_DOF];
                for (axis, d) in order.axes().iter().zip(&self.dof) {
                    let k = axis.index();
                    tau[self.iv + k] += friction(d, v[self.iv + k], damped);
                    pull[k] = -d.stiffness * (turn[k] - d.rest);
                }
                let torque = gradient_to_torque(Vec3::from_array(&turn), Vec3::from_array(&pull));
                for (k, t) in torque.to_array().into_iter().enumerate() {
                    tau[self.iv + k] += t;
                }
                if self.dof.iter().any(|d| d.range.is_some() && d.limit.is_some()) {
                    self.add_ball_limits(order, now, v, tau);
                }
            }
        }
    }

    /// Energy stored in the springs (limit springs are not conservative and have none).
    pub fn energy(&self, q: &[f64]) -> f64 {
        let half_square = |d: &Dof, x: f64| 0.5 * d.stiffness * (x - d.rest) * (x - d.rest);
        match self.shape {
            PassiveShape::Scalars { count } => {
                (0..count).map(|k| half_square(&self.dof[k], q[self.iq + k])).sum()
            }
            PassiveShape::Ball { home, order } => {
                let now = Quat([q[self.iq], q[self.iq + 1], q[self.iq + 2], q[self.iq + 3]]);
                let turn = home.inverse().then(now).log().to_array();
                order.axes().iter().zip(&self.dof).map(|(a, d)| half_square(d, turn[a.index()])).sum()
            }
        }
    }

    /// Power of force f on angle rate r equals torque times velocity: torque = E^-T f with velocity = E rate.
    fn add_ball_limits(&self, order: RotationOrder, now: Quat, v: &[f64], tau: &mut [f64]) {
        /// Smallest cosine of the middle angle used in E^-1: the first and last axes coincide at zero.
        const MIN_DETERMINANT: f64 = 0.05;
        let angles = order.angles(now);
        let e = order.rates_to_velocity(angles);
        // E^-1 has rows (b x c, c x a, a x b) / det
        let (bc, ca, ab) = (e.y.cross(e.z), e.z.cross(e.x), e.x.cross(e.y));
        let det = e.x.dot(bc);
        let k = 1.0 / if det.abs() < MIN_DETERMINANT { MIN_DETERMINANT.copysign(det) } else { det };
        let w = Vec3::from_array(&[v[self.iv], v[self.iv + 1], v[self.iv + 2]]);
        let mut torque = Vec3::ZERO;
        for (i, row) in [bc, ca, ab].into_iter().enumerate() {
            let row = row.scale(k);
            torque += row.scale(limit(&self.dof[i], angles[i], row.dot(w)));
        }
        for (k, t) in torque.to_array().into_iter().enumerate() {
            tau[self.iv + k] += t;
        }
    }
}

/// Torque in child axes that does the work of `pull` on the rotation vector `x`: the transpose of the inverse right
/// Jacobian, w - x x w / 2 + c x x (x x w).
fn gradient_to_torque(x: Vec3, pull: Vec3) -> Vec3 {
    /// Below this squared angle the series of c is exact to the last bits.
    const SMALL: f64 = 1e-3;
    let tt = x.dot(x);
    let c = if tt < SMALL {
        1.0 / 12.0 + tt * (1.0 / 720.0 + tt / 30_240.0)
    } else {
        let t = tt.sqrt();
        let (sin, cos) = Real::sin_cos(t);
        1.0 / tt - (1.0 + cos) / (2.0 * t * sin)
    };
    let xp = x.cross(pull);
    // at a half turn the direction of the rotation vector is arbitrary
    let bend = x.cross(xp).scale(if c.is_finite() { c } else { 0.0 });
    pull - xp.scale(0.5) + bend
}

fn friction(d: &Dof, rate: f64, damped: bool) -> f64 {
    let viscous = if damped { d.damping * rate } else { 0.0 };
    if d.friction == 0.0 {
        return -viscous; // most joints: no root, no division
    }
    -viscous - d.friction * rate / (rate * rate + FRICTION_RATE * FRICTION_RATE).sqrt()
}

fn limit(d: &Dof, x: f64, rate: f64) -> f64 {
    match (d.limit, d.range) {
        (Some(spring), Some(range)) => spring.force(range, x, rate),
        _ => 0.0,
    }
}
