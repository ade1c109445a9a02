//! Forces of a connection along the directions it leaves free: springs, damping, friction, limits, motors.
//!
//! Computes  the connection's own coordinates and rates from the two frames, and the wrench on link a (and its opposite
//! on link b) that does the work f_k rate_k.
//! Source: [NY2000J §3.1] (compliant joints); limits as [L1992 §8.2.3].
//! We differ: properties are known for the first three free directions of a connection, rotations before translations.
//! Checked by: `tests/drive.rs` (a spring connection against the same spring in a tree).

use super::closure::{VirtualColumn, virtual_columns, virtual_rates};
use super::rows::Ends;
use crate::joint::{MAX_DOF, Passive, PassiveShape, Slide, Turn};
use crate::model::Loop;
use crate::spatial::{Force, Motion, Quat, RotationOrder, Vec3};

/// Wrench on link a, about the connection's point, of the forces the connection makes by itself.
pub(super) fn passive_wrench(l: &Loop, e: &Ends) -> Force {
    let columns = virtual_columns(l, e);
    let n = columns.len().min(MAX_DOF);
    let (q, v) = (coordinates(l, e), virtual_rates(&columns, e));
    let mut tau = [0.0; MAX_DOF];
    let is_ball = l.turn == Turn::Any;
    let (shape, q) = if is_ball {
        let turn = Quat::from_matrix(&e.b.rotation.transpose().mul_mat(&e.a.rotation));
        let shape = PassiveShape::Ball { order: RotationOrder::default(), home: Quat::IDENTITY };
        (shape, turn.0.to_vec())
    } else {
        (PassiveShape::Scalars { count: n }, q)
    };
    Passive { iq: 0, iv: 0, shape, dof: l.dof }.add_force(&q, &v, &mut tau, true);
    wrench(&columns, &tau[..n])
}

/// Wrench on link a of a force `f` on the connection's coordinate `k`; none for a coordinate it does not have.
pub(super) fn motor_wrench(l: &Loop, e: &Ends, k: usize, f: f64) -> Force {
    let columns = virtual_columns(l, e);
    let mut forces = vec![0.0; columns.len()];
    if let Some(to) = forces.get_mut(k) {
        *to = f;
    }
    wrench(&columns, &forces)
}

/// The wrench that does the work of `forces` on the rates of the coordinates.
fn wrench(columns: &[VirtualColumn], forces: &[f64]) -> Force {
    let turns = columns.iter().filter(|c| c.motion.angular != Vec3::ZERO).count();
    let mut sum = Force::default();
    for (c, f) in columns.iter().zip(forces) {
        let Motion { angular, linear } = c.motion;
        sum += Force::new(angular, linear).times(*f);
    }
    if let (2, [a, b, ..], [fa, fb, ..]) = (turns, columns, forces) {
        // axes that are not at a right angle: t with t.x = fa, t.y = fb
        let (x, y) = (a.motion.angular, b.motion.angular);
        let c = x.dot(y);
        let det = 1.0 - c * c;
        sum.angular = x.scale((fa - c * fb) / det) + y.scale((fb - c * fa) / det);
    }
    sum
}

/// Angles and displacements of the connection's free directions (not for turning about any axis).
fn coordinates(l: &Loop, e: &Ends) -> Vec<f64> {
    let b_from_a = e.b.rotation.transpose().mul_mat(&e.a.rotation);
    let mut q = match l.turn {
        Turn::None | Turn::Any => vec![],
        Turn::About(axis) => {
            let x = axis.any_perpendicular();
            vec![angle_about(axis, x, b_from_a.mul(x))]
        }
        Turn::Twice(first, second) => vec![
            angle_about(first, second, b_from_a.mul(second)),
            -angle_about(second, first, b_from_a.tr_mul(first)),
        ],
    };
    let gap = e.b.rotation.tr_mul(e.a.translation - e.b.translation);
    match l.slide {
        Slide::None => {}
        Slide::Along(axis) => q.push(axis.dot(gap)),
        Slide::Across(normal) => {
            let x = normal.any_perpendicular();
            q.extend([x.dot(gap), normal.cross(x).dot(gap)]);
        }
        Slide::Any => q.extend(gap.to_array()),
    }
    q
}

/// Angle about `axis` that takes `from` to `to`, seen along the axis.
fn angle_about(axis: Vec3, from: Vec3, to: Vec3) -> f64 {
    let flat = |v: Vec3| v - axis.scale(axis.dot(v));
    let (f, t) = (flat(from), flat(to));
    libm::atan2(axis.dot(f.cross(t)), f.dot(t))
}
