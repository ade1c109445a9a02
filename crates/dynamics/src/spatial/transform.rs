//! Pose of one frame in another. `a_from_b` maps coordinates in `b` to `a`, so names cancel.

use super::{Force, Inertia, Mat3, Motion, Quat, Real, Vec3};
use core::ops::Mul;

/// Rotation and translation: a point `p` of the inner frame is `rotation p + translation` in the outer one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Transform<T = f64> {
    /// axes of the inner frame as columns, in outer axes
    pub rotation: Mat3<T>,
    /// origin of the inner frame, in outer axes
    pub translation: Vec3<T>,
}

impl<T: Real> Default for Transform<T> {
    fn default() -> Self {
        Transform { rotation: Mat3::identity(), translation: Vec3::default() }
    }
}

impl<T: Real> Transform<T> {
    /// The other way round.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        Transform {
            rotation: self.rotation.transpose(),
            translation: -self.rotation.tr_mul(self.translation),
        }
    }

    /// A point of the inner frame, in the outer one.
    #[inline(always)]
    pub fn point(&self, p: Vec3<T>) -> Vec3<T> {
        self.rotation.mul(p) + self.translation
    }
}

impl Transform {
    /// Same place, same axes.
    #[inline]
    pub fn identity() -> Transform {
        Transform::default()
    }

    /// Pure translation.
    #[inline]
    pub fn translation(p: Vec3) -> Transform {
        Transform { rotation: Mat3::identity(), translation: p }
    }

    /// From a position and an orientation.
    pub fn new(position: Vec3, orientation: Quat) -> Transform {
        Transform { rotation: orientation.to_matrix(), translation: position }
    }

    /// Orientation as a quaternion, w >= 0.
    pub fn orientation(&self) -> Quat {
        Quat::from_matrix(&self.rotation)
    }
}

impl<T: Real> Mul for Transform<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Transform { rotation: self.rotation.mul_mat(&b.rotation), translation: self.point(b.translation) }
    }
}

impl<T: Real> Mul<Motion<T>> for Transform<T> {
    type Output = Motion<T>;
    #[inline(always)]
    fn mul(self, m: Motion<T>) -> Motion<T> {
        let angular = self.rotation.mul(m.angular);
        Motion { angular, linear: self.rotation.mul(m.linear) + self.translation.cross(angular) }
    }
}

impl<T: Real> Mul<Force<T>> for Transform<T> {
    type Output = Force<T>;
    #[inline(always)]
    fn mul(self, f: Force<T>) -> Force<T> {
        let linear = self.rotation.mul(f.linear);
        Force { angular: self.rotation.mul(f.angular) + self.translation.cross(linear), linear }
    }
}

impl Mul<Inertia> for Transform {
    type Output = Inertia;
    /// The same body, seen from the outer frame.
    fn mul(self, i: Inertia) -> Inertia {
        i.seen_from(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::vec3;
    use super::*;

    #[test]
    fn power_is_the_same_in_both_frames() {
        let a_from_b = Transform::new(vec3(0.3, -1.0, 0.2), Quat::exp(vec3(0.4, 0.1, -0.8)));
        let m = Motion::new(vec3(0.1, -0.4, 0.3), vec3(1.0, 2.0, -0.5));
        let f = Force::new(vec3(2.0, 0.1, -3.0), vec3(-1.0, 0.7, 0.2));
        assert!((m.dot(f) - (a_from_b * m).dot(a_from_b * f)).abs() < 1e-14);
        let back = a_from_b.inverse() * (a_from_b * m) - m;
        assert!(back.angular.norm() + back.linear.norm() < 1e-15);
    }
}
