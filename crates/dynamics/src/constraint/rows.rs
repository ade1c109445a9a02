//! Constrained directions of a connection: direction, error and rates.
//!
//! Computes  for each constrained direction: the wrench of a unit force in it, the position error, the velocity, the
//! acceleration (with the terms of moving directions).
//! Source: [NY2000J eq. 5-8]: a connection is a six-degree-of-freedom pair with some constrained directions.
//! We differ: directions are written in world axes at the frame on link a; sliding directions are fixed in b.
//! Not here: free directions (`drive`, `closure`).
//! Checked by: `tests/it/constraint.rs` (differences in time).

use crate::joint::{Slide, Turn};
use crate::model::Loop;
use crate::spatial::{Force, Motion, Quat, Transform, Vec3};

/// Most directions one connection can constrain.
pub const MAX_ROWS: usize = 6;

/// One constrained direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// wrench on link a of a unit force in this direction, world axes, about the point of the connection
    pub wrench: Force,
    /// time derivative of the direction
    rate: Vec3,
    /// position error: zero when the connection is closed
    pub error: f64,
}

/// The constrained directions of a connection at a pose.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoopState {
    rows: [Row; MAX_ROWS],
    count: usize,
    /// point of the connection: the origin of the frame on link a, world axes
    pub point: Vec3,
}

/// Pose and velocity of the two frames of a connection, world axes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    /// frame on link a
    pub a: Transform,
    /// frame on link b
    pub b: Transform,
    /// velocity of link a at the point of the connection
    pub va: Motion,
    /// velocity of link b at the point of the connection
    pub vb: Motion,
}

impl LoopState {
    /// The directions of `connection` at the given ends. Orientation errors are expensive and zero unless requested.
    pub fn compute(&mut self, connection: &Loop, ends: &Ends, with_errors: bool) {
        (self.point, self.count) = (ends.a.translation, 0);
        self.add_turns(connection.turn, ends, with_errors);
        self.add_slides(connection.slide, ends);
    }

    /// Unit wrenches of the rows, zero beyond them.
    #[inline(always)]
    pub(crate) fn wrenches(&self) -> [Force; MAX_ROWS] {
        let mut wrenches = [Force::default(); MAX_ROWS];
        for (wrench, row) in wrenches.iter_mut().zip(self.rows()) {
            *wrench = row.wrench;
        }
        wrenches
    }

    /// Constrained directions: those the joint does not leave free.
    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.count]
    }

    fn add_turns(&mut self, turn: Turn, ends: &Ends, with_errors: bool) {
        let (ra, rb) = (&ends.a.rotation, &ends.b.rotation);
        let (wa, wb) = (ends.va.angular, ends.vb.angular);
        let mut held = |direction: Vec3, rate: Vec3, error: f64| {
            self.rows[self.count] = Row { wrench: Force::new(direction, Vec3::ZERO), rate, error };
            self.count += 1;
        };
        match turn {
            Turn::Any => {}
            Turn::None => {
                let error = if with_errors {
                    Quat::from_matrix(&rb.transpose().mul_mat(ra)).log().to_array()
                } else {
                    [0.0; 3]
                };
                for (axis, e) in [rb.x, rb.y, rb.z].into_iter().zip(error) {
                    held(axis, wb.cross(axis), e);
                }
            }
            Turn::About(axis) => {
                let (ea, eb) = (ra.mul(axis), rb.mul(axis));
                let x = rb.mul(axis.any_perpendicular());
                let off = eb.cross(ea);
                for side in [x, eb.cross(x)] {
                    held(side, wb.cross(side), side.dot(off));
                }
            }
            Turn::Twice(first, second) => {
                let (e1, e2) = (rb.mul(first), ra.mul(second));
                let normal = e1.cross(e2);
                let rate = wb.cross(e1).cross(e2) + e1.cross(wa.cross(e2));
                held(normal, rate, first.dot(second) - e1.dot(e2));
            }
        }
    }

    fn add_slides(&mut self, slide: Slide, ends: &Ends) {
        let rb = &ends.b.rotation;
        let gap = ends.a.translation - ends.b.translation;
        let mut held = |direction: Vec3| {
            let rate = ends.vb.angular.cross(direction);
            self.rows[self.count] =
                Row { wrench: Force::new(Vec3::ZERO, direction), rate, error: direction.dot(gap) };
            self.count += 1;
        };
        match slide {
            Slide::Any => {}
            Slide::None => [rb.x, rb.y, rb.z].into_iter().for_each(held),
            Slide::Along(axis) => {
                let (e, x) = (rb.mul(axis), rb.mul(axis.any_perpendicular()));
                [x, e.cross(x)].into_iter().for_each(held);
            }
            Slide::Across(normal) => held(rb.mul(normal)),
        }
    }
}

impl Row {
    /// Rate of the error: relative velocity of a and b in this direction.
    pub fn velocity(&self, ends: &Ends) -> f64 {
        (ends.va - ends.vb).dot(self.wrench)
    }

    /// The part of the error's second derivative due to the rotation of the direction, at the relative velocity of a and b;
    /// the rest is their relative acceleration at the point of the connection. Twice for the linear part, as in Coriolis
    /// acceleration.
    #[inline(always)]
    pub fn turning(&self, relative: Motion) -> f64 {
        if self.wrench.angular == Vec3::ZERO {
            2.0 * self.rate.dot(relative.linear)
        } else {
            self.rate.dot(relative.angular)
        }
    }
}
