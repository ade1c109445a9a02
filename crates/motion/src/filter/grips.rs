//! The figure's connections as rows of a step: hands on a bar, hands that hold each other.
//!
//! Computes for each held direction of each connection the row K and the number c with  K a = c  that closes it at the
//! end of the step, and what its force does. With q+ = q (+) dt (v + dt a) and the error e of the direction,
//!     e(q+) = e + dt K (v + dt a) + dt^2 K' v / 2 + O(dt^3),   so   c = -(e / dt + K v) / dt - K' v / 2.
//! A motion of such rows stays closed without a correction that no force explains.
//! Source: held directions of `dynamics::constraint`, [NY2000J eq. 5-8]; theta_C'' = 0 of [NY2000F eq. 1]. We differ: c
//! closes positions, where theta_C'' = 0 lets them drift.
//! Checked by: `tests/pseudo_inverse.rs` (a figure on a bar).

use super::terms::Terms;
use anthropi_dynamics::algo::jacobian;
use anthropi_dynamics::constraint::{Constraints, Projection};
use anthropi_dynamics::joint::Turn;
use anthropi_dynamics::model::{BodyIx, Forest, Loop};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{Force, Motion, Vec3};

/// A held direction of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Grip {
    /// K, and the generalized force of a unit force
    pub row: Vec<f64>,
    /// c
    pub target: f64,
    /// whether it holds a turn
    pub is_turn: bool,
    /// bodies that it pushes and pulls
    ends: [BodyIx; 2],
    /// of a unit force on the first of them, about `point`
    wrench: Force,
    point: Vec3,
}

impl Grip {
    /// Adds what a force of size `lambda` does to the bodies.
    pub fn push(&self, terms: &Terms, lambda: f64, external: &mut [Force]) {
        for (body, sign) in self.moved() {
            let arm = terms.kinematics.body_pose(body).translation - self.point;
            external[body.index()] += self.wrench.times(sign * lambda).shifted(arm);
        }
    }

    /// What a unit force does to the whole figure, about its centre of mass: nothing between two of its own links.
    pub fn on_figure(&self, terms: &Terms) -> Force {
        let own = self.wrench.shifted(terms.center - self.point);
        self.moved().fold(Force::default(), |sum, (_, sign)| sum + own.times(sign))
    }

    fn moved(&self) -> impl Iterator<Item = (BodyIx, f64)> {
        self.ends.into_iter().zip([1.0, -1.0]).filter(|(body, _)| *body != BodyIx::WORLD)
    }
}

/// All connections of a figure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grips {
    /// their held directions, in the order of `Constraints::lambda`
    pub rows: Vec<Grip>,
    constraints: Constraints,
    projection: Projection,
    columns: Vec<Motion>,
}

impl Grips {
    /// Brings the figure to where its connections are closed and stay so.
    pub fn close(&mut self, forest: &Forest, q: &mut [f64], v: &mut [f64]) {
        if !forest.loops().is_empty() {
            // no step led here: what the correction moves says nothing of velocities
            self.projection.apply(forest, q, v, f64::INFINITY, advance);
        }
    }

    /// Largest gap of the connections, m, and largest angle, rad.
    pub fn error(&mut self, forest: &Forest, q: &[f64], v: &[f64]) -> (f64, f64) {
        self.constraints.place(forest, q, v);
        self.constraints.closure_error()
    }

    /// Rows at a state, for a step of `dt`.
    pub fn update(&mut self, forest: &Forest, terms: &Terms, q: &[f64], v: &[f64], dt: f64) {
        self.rows.clear();
        if forest.loops().is_empty() {
            return;
        }
        self.constraints.place(forest, q, v);
        self.columns.resize(forest.nv(), Motion::default());
        let Grips { rows, constraints, columns, .. } = self;
        for (l, state) in forest.loops().iter().zip(constraints.states()) {
            let first = rows.len();
            rows.extend(state.rows().iter().map(|r| Grip {
                row: vec![0.0; forest.nv()],
                target: 0.0,
                is_turn: r.wrench.angular != Vec3::ZERO,
                ends: [l.a, l.b],
                wrench: r.wrench,
                point: state.point,
            }));
            for (body, sign) in [(l.a, 1.0), (l.b, -1.0)].into_iter().filter(|(b, _)| *b != BodyIx::WORLD) {
                jacobian::of_body_point(forest, &terms.kinematics, body, state.point, columns);
                for grip in &mut rows[first..] {
                    grip.row.iter_mut().zip(&*columns).for_each(|(x, c)| *x += sign * c.dot(grip.wrench));
                }
            }
            for (grip, r) in rows[first..].iter_mut().zip(state.rows()) {
                let speed: f64 = grip.row.iter().zip(v).map(|(k, v)| k * v).sum();
                let bias = bias(terms, l, grip);
                grip.target = -(r.error / dt + speed) / dt - 0.5 * bias;
            }
        }
    }
}

/// K' v: second rate of the error when no coordinate accelerates. Directions turn with b, and so does what slides along
/// them.
fn bias(terms: &Terms, l: &Loop, grip: &Grip) -> f64 {
    let of = |body: BodyIx| {
        if body == BodyIx::WORLD {
            return (Motion::default(), Motion::default());
        }
        let arm = grip.point - terms.kinematics.body_pose(body).translation;
        let v = terms.kinematics.body_velocity(body).shifted(arm);
        (v, terms.kinematics.point_acceleration(body, arm))
    };
    let ((va, aa), (vb, ab)) = (of(l.a), of(l.b));
    let turning = match l.turn {
        Turn::Twice(first, second) if grip.is_turn => {
            let axis = |body: BodyIx, joint: Vec3, from: &anthropi_dynamics::spatial::Transform| {
                terms.kinematics.body_pose(body).rotation.mul(from.rotation.mul(joint))
            };
            let (e1, e2) = (axis(l.b, first, &l.b_from_joint), axis(l.a, second, &l.a_from_joint));
            let rate = vb.angular.cross(e1).cross(e2) + e1.cross(va.angular.cross(e2));
            rate.dot((va - vb).angular)
        }
        _ if grip.is_turn => vb.angular.cross(grip.wrench.angular).dot((va - vb).angular),
        _ => 2.0 * vb.angular.cross(grip.wrench.linear).dot((va - vb).linear),
    };
    (aa - ab).dot(grip.wrench) + turning
}
