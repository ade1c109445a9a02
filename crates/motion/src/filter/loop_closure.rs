//! Loop closures as acceleration constraints: hands on a bar, hands that hold each other.
//!
//! Computes for each constrained direction the row K and the target c with  K a = c  that closes it at the end of the step,
//! and the effect of its force. With q+ = q (+) dt (v + dt a) and the error e of the direction,
//!     e(q+) = e + dt K (v + dt a) + dt^2 K' v / 2 + O(dt^3),   so   c = -(e / dt + K v) / dt - K' v / 2.
//! Loops stay closed without a position correction that no force explains.
//! Source: constrained directions of `dynamics::constraint`, [NY2000J eq. 5-8]; theta_C'' = 0 of [NY2000F eq. 1]. We differ: c
//! closes positions, where theta_C'' = 0 lets them drift.
//! Checked by: `tests/it/pseudo_inverse.rs` (a figure on a bar).

use super::dynamics_terms::DynamicsTerms;
use anthropi_dynamics::algo::jacobian;
use anthropi_dynamics::constraint::{Constraints, Projection};
use anthropi_dynamics::joint::Turn;
use anthropi_dynamics::model::{BodyIx, Forest, Loop};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{Force, Motion, Transform, Vec3};

/// A constrained direction of a loop closure.
#[derive(Clone, Debug)]
pub(crate) struct ClosureRow {
    /// K, also the generalized force of a unit force
    pub coefficients: Vec<f64>,
    /// c
    pub target: f64,
    /// whether it constrains a rotation
    pub is_turn: bool,
    /// bodies it acts on, with opposite signs
    ends: [BodyIx; 2],
    /// wrench of a unit force on the first body, about `point`
    wrench: Force,
    point: Vec3,
}

impl ClosureRow {
    /// Adds a force of size `lambda` to the external forces of the bodies.
    pub fn add_force(&self, terms: &DynamicsTerms, lambda: f64, external: &mut [Force]) {
        for (body, sign) in self.ends_with_sign() {
            let arm = terms.kinematics.body_pose(body).translation - self.point;
            external[body.index()] += self.wrench.times(sign * lambda).shifted(arm);
        }
    }

    /// Wrench of a unit force on the whole figure, about its centre of mass: zero between two of its links.
    pub fn on_figure(&self, terms: &DynamicsTerms) -> Force {
        let own = self.wrench.shifted(terms.com - self.point);
        self.ends_with_sign().fold(Force::default(), |sum, (_, sign)| sum + own.times(sign))
    }

    fn ends_with_sign(&self) -> impl Iterator<Item = (BodyIx, f64)> {
        self.ends.into_iter().zip([1.0, -1.0]).filter(|(body, _)| *body != BodyIx::WORLD)
    }
}

/// All loop closures of a figure.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopClosures {
    /// constrained directions, in the order of `Constraints::lambda`
    pub rows: Vec<ClosureRow>,
    constraints: Constraints,
    projection: Projection,
}

impl LoopClosures {
    /// Projects the state to closed loops.
    pub fn close(&mut self, forest: &Forest, q: &mut [f64], v: &mut [f64]) {
        if !forest.loops().is_empty() {
            // infinite time step: the correction must not change velocities
            self.projection.apply(forest, q, v, f64::INFINITY, advance);
        }
    }

    /// Largest gap, m, and largest angle, rad.
    pub fn error(&mut self, forest: &Forest, q: &[f64], v: &[f64]) -> (f64, f64) {
        self.constraints.place(forest, q, v);
        self.constraints.closure_error()
    }

    /// Updates the rows for a step of `dt`.
    pub fn update(&mut self, forest: &Forest, terms: &DynamicsTerms, q: &[f64], v: &[f64], dt: f64) {
        self.rows.clear();
        if forest.loops().is_empty() {
            return;
        }
        self.constraints.place(forest, q, v);
        let mut columns = vec![Motion::default(); forest.nv()];
        let LoopClosures { rows, constraints, .. } = self;
        for (l, state) in forest.loops().iter().zip(constraints.states()) {
            let first = rows.len();
            rows.extend(state.rows().iter().map(|r| ClosureRow {
                coefficients: vec![0.0; forest.nv()],
                target: 0.0,
                is_turn: r.wrench.angular != Vec3::ZERO,
                ends: [l.a, l.b],
                wrench: r.wrench,
                point: state.point,
            }));
            for (body, sign) in [(l.a, 1.0), (l.b, -1.0)].into_iter().filter(|(b, _)| *b != BodyIx::WORLD) {
                jacobian::of_body_point(forest, &terms.kinematics, body, state.point, &mut columns);
                for ClosureRow { coefficients, wrench, .. } in &mut rows[first..] {
                    coefficients.iter_mut().zip(&columns).for_each(|(x, c)| *x += sign * c.dot(*wrench));
                }
            }
            for (row, r) in rows[first..].iter_mut().zip(state.rows()) {
                let speed: f64 = row.coefficients.iter().zip(v).map(|(k, v)| k * v).sum();
                let bias = bias(terms, l, row);
                row.target = -(r.error / dt + speed) / dt - 0.5 * bias;
            }
        }
    }
}

/// K' v: second derivative of the error for a = 0. The directions rotate with body b.
fn bias(terms: &DynamicsTerms, l: &Loop, row: &ClosureRow) -> f64 {
    let of = |body: BodyIx| {
        if body == BodyIx::WORLD {
            return (Motion::default(), Motion::default());
        }
        let arm = terms.arm(body, row.point);
        let v = terms.kinematics.body_velocity(body).shifted(arm);
        (v, terms.kinematics.point_acceleration(body, arm))
    };
    let ((va, aa), (vb, ab)) = (of(l.a), of(l.b));
    let turning = match l.turn {
        Turn::Twice(first, second) if row.is_turn => {
            let axis = |body: BodyIx, joint: Vec3, from: &Transform| {
                terms.kinematics.body_pose(body).rotation.mul(from.rotation.mul(joint))
            };
            let (e1, e2) = (axis(l.b, first, &l.b_from_joint), axis(l.a, second, &l.a_from_joint));
            let rate = vb.angular.cross(e1).cross(e2) + e1.cross(va.angular.cross(e2));
            rate.dot((va - vb).angular)
        }
        _ if row.is_turn => vb.angular.cross(row.wrench.angular).dot((va - vb).angular),
        _ => 2.0 * vb.angular.cross(row.wrench.linear).dot((va - vb).linear),
    };
    (aa - ab).dot(row.wrench) + turning
}
