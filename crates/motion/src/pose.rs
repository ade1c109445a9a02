//! Poses of a figure on the configuration manifold: difference, interpolation and continuous quaternions.
//!
//! Computes  v with b = a (+) v,  a (+) s v,  and interpolated poses. Free joints travel in world axes.
//! Not here: integrating a velocity (`sim::advance` of `dynamics`).
//! Checked by: tests below.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{BodyJoint, Forest};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use core::f64::consts::TAU;

/// Index of the first number of each quaternion.
pub fn quaternions(forest: &Forest) -> impl Iterator<Item = usize> + '_ {
    forest.bodies().iter().skip(1).filter_map(|b| match b.joint {
        BodyJoint::Spherical => Some(b.coordinates().start),
        BodyJoint::Free => Some(b.coordinates().start + 3),
        _ => None,
    })
}

/// The quaternion at index `i`.
#[inline]
pub fn quaternion(q: &[f64], i: usize) -> Quat {
    Quat([q[i], q[i + 1], q[i + 2], q[i + 3]])
}

/// The vector at index `i`.
#[inline]
pub fn triple(q: &[f64], i: usize) -> Vec3 {
    Vec3 { x: q[i], y: q[i + 1], z: q[i + 2] }
}

/// Displacement from pose `a` to pose `b`, in the order of v: rotation vectors in child axes of `a`, travel of free joints in
/// world axes.
pub fn difference(forest: &Forest, a: &[f64], b: &[f64], displacement: &mut [f64]) {
    for body in forest.bodies().iter().skip(1) {
        let (iq, iv) = (body.coordinates().start, body.dofs().start);
        let mut turn = |iq: usize| {
            let u = quaternion(a, iq).inverse().then(quaternion(b, iq)).log();
            displacement[iv..iv + 3].copy_from_slice(&u.to_array());
        };
        match body.joint {
            BodyJoint::Spherical => turn(iq),
            BodyJoint::Free => {
                turn(iq + 3);
                (0..3).for_each(|k| displacement[iv + 3 + k] = b[iq + k] - a[iq + k]);
            }
            other => (0..other.nv()).for_each(|k| displacement[iv + k] = b[iq + k] - a[iq + k]),
        }
    }
}

/// The pose after the part `s` of a displacement from pose `a`.
pub fn along(forest: &Forest, a: &[f64], displacement: &[f64], s: f64, pose: &mut [f64]) {
    for body in forest.bodies().iter().skip(1) {
        let (iq, iv) = (body.coordinates().start, body.dofs().start);
        let mut turn = |iq: usize| {
            let q = quaternion(a, iq).then(Quat::exp(triple(displacement, iv).scale(s))).normalized();
            pose[iq..iq + 4].copy_from_slice(&q.0);
        };
        match body.joint {
            BodyJoint::Spherical => turn(iq),
            BodyJoint::Free => {
                turn(iq + 3);
                (0..3).for_each(|k| pose[iq + k] = a[iq + k] + s * displacement[iv + 3 + k]);
            }
            other => (0..other.nq()).for_each(|k| pose[iq + k] = a[iq + k] + s * displacement[iv + k]),
        }
    }
}

/// The pose between `a` (s = 0) and `b` (s = 1), along the shortest path of each joint.
pub fn between(forest: &Forest, a: &[f64], b: &[f64], s: f64, pose: &mut [f64]) {
    let mut displacement = vec![0.0; forest.nv()];
    difference(forest, a, b, &mut displacement);
    along(forest, a, &displacement, s, pose);
}

/// Rotates the travel of free joints from child axes, as in v, to world axes.
pub(crate) fn free_travel_to_world(forest: &Forest, q: &[f64], displacement: &mut [f64]) {
    for b in forest.bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
        let (iq, iv) = (b.coordinates().start, b.dofs().start);
        let linear = quaternion(q, iq + 3).rotate(triple(displacement, iv + 3));
        displacement[iv + 3..iv + 6].copy_from_slice(&linear.to_array());
    }
}

/// Rotates the travel of free joints from world to child axes.
pub(crate) fn free_travel_to_child(forest: &Forest, q: &[f64], displacement: &mut [f64]) {
    for b in forest.bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
        let (iq, iv) = (b.coordinates().start, b.dofs().start);
        let linear = quaternion(q, iq + 3).inverse().rotate(triple(displacement, iv + 3));
        displacement[iv + 3..iv + 6].copy_from_slice(&linear.to_array());
    }
}

/// Sets the coordinates of a joint nearest to a rotation of its child; angles stay continuous with those in `q`.
pub(crate) fn set_rotation(kind: &JointKind, turn: Quat, q: &mut [f64]) {
    match *kind {
        JointKind::Revolute { axis } => q[0] = near(twist(turn, axis), q[0]),
        JointKind::Universal { first, second } => {
            // only the first rotation moves the second axis
            let (from, to) = (second, turn.rotate(second));
            let across = from.dot(to) - first.dot(from) * first.dot(to);
            let angle = libm::atan2(first.dot(from.cross(to)), across);
            let rest = Quat::about(first, -angle).then(turn);
            (q[0], q[1]) = (near(angle, q[0]), near(twist(rest, second), q[1]));
        }
        JointKind::Spherical => q[..4].copy_from_slice(&turn.0),
        JointKind::Free => q[3..7].copy_from_slice(&turn.0),
        JointKind::Fixed | JointKind::Prismatic { .. } | JointKind::Partial { .. } => {}
    }
}

/// Twist angle of a rotation about a unit axis.
fn twist(turn: Quat, axis: Vec3) -> f64 {
    let [w, x, y, z] = turn.0;
    2.0 * libm::atan2(vec3(x, y, z).dot(axis), w)
}

/// The equivalent angle nearest to another.
fn near(angle: f64, to: f64) -> f64 {
    to + wrap_angle(angle - to)
}

/// The equivalent angle between -pi and pi.
pub(crate) fn wrap_angle(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// The shortest rotation between unit vectors; half a turn is about `about`.
pub(crate) fn shortest(from: Vec3, to: Vec3, about: Vec3) -> Quat {
    let (axis, w) = (from.cross(to), 1.0 + from.dot(to));
    if w < 1e-9 {
        return Quat([0.0, about.x, about.y, about.z]);
    }
    Quat([w, axis.x, axis.y, axis.z]).normalized()
}

/// Normalises the quaternions.
pub fn normalise(forest: &Forest, pose: &mut [f64]) {
    for i in quaternions(forest) {
        let q = quaternion(pose, i).normalized();
        pose[i..i + 4].copy_from_slice(&q.0);
    }
}
/// Quaternions of this length, up to rounding, count as normalised.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Normalises the quaternions and chooses signs continuous with the previous pose.
/// Unit quaternions keep their bits, so that writing and reading a motion is lossless.
pub fn make_continuous(forest: &Forest, before: Option<&[f64]>, pose: &mut [f64]) {
    for i in quaternions(forest) {
        let q = quaternion(pose, i);
        let q = if (q.norm() - 1.0).abs() <= ROUNDING { q } else { q.normalized() };
        let sign = before.map_or(q.0[0], |b| (0..4).map(|k| b[i + k] * q.0[k]).sum());
        (0..4).for_each(|k| pose[i + k] = if sign < 0.0 { -q.0[k] } else { q.0[k] });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::joint::JointKind;
    use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkSpec, Shape, State};
    use anthropi_dynamics::spatial::{Transform, vec3};

    #[test]
    fn displacements_lead_to_the_target_and_signs_are_continuous() {
        let ball = Shape::Sphere { radius: 0.1 }.inertia(1000.0).unwrap();
        let mut b = FigureBuilder::new("two");
        let a = b.add(LinkSpec::new("a", ball), JointSpec::new("free", JointKind::Free)).unwrap();
        let ball_joint = JointSpec::new("ball", JointKind::Spherical).on(a, Transform::identity());
        let link = b.add(LinkSpec::new("b", ball), ball_joint).unwrap();
        let hinge = JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) };
        b.add(LinkSpec::new("c", ball), JointSpec::new("hinge", hinge).on(link, Transform::identity()))
            .unwrap();
        let figure = b.build().unwrap();
        let (forest, home) = (figure.forest(), State::home(&figure).q);
        let displacement: Vec<f64> = (0..forest.nv()).map(|k| 0.3 - 0.1 * k as f64).collect();
        let (mut there, mut back, mut half) = (home.clone(), vec![0.0; forest.nv()], home.clone());
        along(forest, &home, &displacement, 1.0, &mut there);
        difference(forest, &home, &there, &mut back);
        assert!(displacement.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-14), "{back:?}");
        between(forest, &home, &there, 0.5, &mut half);
        difference(forest, &half, &there, &mut back);
        assert!(displacement.iter().zip(&back).all(|(a, b)| (0.5 * a - b).abs() < 1e-14), "{back:?}");
        let mut flipped = there.clone();
        for i in quaternions(forest) {
            (0..4).for_each(|k| flipped[i + k] *= -2.0);
        }
        make_continuous(forest, Some(&home), &mut flipped);
        assert!(flipped.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-14), "{flipped:?}");
    }
}
