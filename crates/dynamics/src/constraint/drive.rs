//! Forces of a connection along its free directions: springs, damping, friction, limits, motors.
//!
//! Computes  the connection's own coordinates and rates from the two frames, and the wrench on link a (and its opposite
//! on link b) that does the work f_k rate_k.
//! Source: [NY2000J §3.1] (compliant joints); limits as [L1992 §8.2.3].
//! We differ: only the first three free directions of a connection have properties, rotations before translations.
//! Not here: held directions (`rows`); break limits (`sim::Trigger`).
//! Checked by: `tests/it/drive.rs` (a spring connection against the same spring in a tree).

use super::MAX_ROWS;
use super::closure::{VirtualColumns, virtual_columns, virtual_rates};
use super::rows::Ends;
use crate::joint::{MAX_DOF, Passive, PassiveShape, Slide, Turn};
use crate::model::Loop;
use crate::spatial::{Force, Motion, Quat, RotationOrder, Vec3};

/// Passive wrench of the connection on link a, about its point.
pub(super) fn passive_wrench(l: &Loop, e: &Ends) -> Force {
    let columns = virtual_columns(l, e);
    let n = columns.list().len().min(MAX_DOF);
    let (mut q, v) = (coordinates(l, e), virtual_rates(&columns, e));
    let mut shape = PassiveShape::Scalars { count: n };
    if l.turn == Turn::Any {
        let turn = Quat::from_matrix(&e.b.rotation.transpose().mul_mat(&e.a.rotation));
        q[..4].copy_from_slice(&turn.0);
        shape = PassiveShape::Ball { order: RotationOrder::default(), home: Quat::IDENTITY };
    }
    let mut tau = [0.0; MAX_ROWS];
    Passive { iq: 0, iv: 0, shape, dof: l.dof }.add_force(&q, &v, &mut tau, true);
    wrench(&columns, &tau)
}

/// Wrench on link a of a force `f` on the connection's coordinate `k`; zero for a coordinate it does not have.
pub(super) fn motor_wrench(l: &Loop, e: &Ends, k: usize, f: f64) -> Force {
    let columns = virtual_columns(l, e);
    let mut forces = [0.0; MAX_ROWS];
    if k < columns.list().len() {
        forces[k] = f;
    }
    wrench(&columns, &forces)
}

/// The wrench that does the work of `forces` on the rates of the coordinates.
fn wrench(columns: &VirtualColumns, forces: &[f64; MAX_ROWS]) -> Force {
    let list = columns.list();
    let mut sum = Force::default();
    for (c, f) in list.iter().zip(forces) {
        let Motion { angular, linear } = c.motion;
        sum += Force::new(angular, linear).times(*f);
    }
    if list.iter().filter(|c| c.motion.angular != Vec3::ZERO).count() == 2 {
        // axes that are not orthogonal: t with t.x = f0, t.y = f1
        let (x, y) = (list[0].motion.angular, list[1].motion.angular);
        let c = x.dot(y);
        let det = 1.0 - c * c;
        sum.angular = x.scale((forces[0] - c * forces[1]) / det) + y.scale((forces[1] - c * forces[0]) / det);
    }
    sum
}

/// Angles and displacements of the connection's free directions (not for spherical ones).
fn coordinates(l: &Loop, e: &Ends) -> [f64; MAX_ROWS] {
    let b_from_a = e.b.rotation.transpose().mul_mat(&e.a.rotation);
    let mut q = [0.0; MAX_ROWS];
    match l.turn {
        Turn::None | Turn::Any => {}
        Turn::About(axis) => {
            let x = axis.any_perpendicular();
            q[0] = angle_about(axis, x, b_from_a.mul(x));
        }
        Turn::Twice(first, second) => {
            q[0] = angle_about(first, second, b_from_a.mul(second));
            q[1] = -angle_about(second, first, b_from_a.tr_mul(first));
        }
    }
    let gap = e.b.rotation.tr_mul(e.a.translation - e.b.translation);
    let n = l.turn.count();
    match l.slide {
        Slide::None => {}
        Slide::Along(axis) => q[n] = axis.dot(gap),
        Slide::Across(normal) => {
            let x = normal.any_perpendicular();
            (q[n], q[n + 1]) = (x.dot(gap), normal.cross(x).dot(gap));
        }
        Slide::Any => q[n..n + 3].copy_from_slice(&gap.to_array()),
    }
    q
}

/// Angle about `axis` that takes `from` to `to`, seen along the axis.
fn angle_about(axis: Vec3, from: Vec3, to: Vec3) -> f64 {
    let flat = |v: Vec3| v - axis.scale(axis.dot(v));
    let (f, t) = (flat(from), flat(to));
    libm::atan2(axis.dot(f.cross(t)), f.dot(t))
}
