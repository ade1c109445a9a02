//! Spatial vectors: motion (velocity, acceleration, joint axis) and force (wrench, momentum).
//!
//! Angular part first in both. The two kinds cannot be mixed up: only `Motion::dot(Force)`, the power, joins them.
//!
//! ```compile_fail
//! use anthropi_dynamics::spatial::{Force, Motion};
//! let nonsense = Motion::<f64>::default() + Force::<f64>::default();
//! ```

use super::{Real, Vec3};
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A velocity, acceleration or direction of motion of a rigid body, about some point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Motion<T = f64> {
    /// angular part
    pub angular: Vec3<T>,
    /// linear part, of the body's point at the origin
    pub linear: Vec3<T>,
}

/// A wrench, impulse or momentum on a rigid body, about some point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Force<T = f64> {
    /// moment about the origin
    pub angular: Vec3<T>,
    /// force
    pub linear: Vec3<T>,
}

macro_rules! vector_space {
    ($ty:ident) => {
        impl<T: Real> $ty<T> {
            /// From its two parts.
            #[inline(always)]
            pub fn new(angular: Vec3<T>, linear: Vec3<T>) -> Self {
                $ty { angular, linear }
            }
            /// Both parts times `k`.
            #[inline(always)]
            pub fn times(self, k: T) -> Self {
                $ty { angular: self.angular.times(k), linear: self.linear.times(k) }
            }
            /// The six numbers, angular first.
            #[inline(always)]
            pub fn to_array(self) -> [T; 6] {
                let (a, l) = (self.angular, self.linear);
                [a.x, a.y, a.z, l.x, l.y, l.z]
            }
        }
        impl<T: Real> Add for $ty<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                $ty { angular: self.angular + b.angular, linear: self.linear + b.linear }
            }
        }
        impl<T: Real> Sub for $ty<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                $ty { angular: self.angular - b.angular, linear: self.linear - b.linear }
            }
        }
        impl<T: Real> Neg for $ty<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $ty { angular: -self.angular, linear: -self.linear }
            }
        }
        impl<T: Real> AddAssign for $ty<T> {
            #[inline(always)]
            fn add_assign(&mut self, b: Self) {
                *self = *self + b;
            }
        }
        impl<T: Real> SubAssign for $ty<T> {
            #[inline(always)]
            fn sub_assign(&mut self, b: Self) {
                *self = *self - b;
            }
        }
    };
}
vector_space!(Motion);
vector_space!(Force);

impl<T: Real> Motion<T> {
    /// Power of a force on this motion.
    #[inline(always)]
    pub fn dot(self, f: Force<T>) -> T {
        self.angular.dot(f.angular) + self.linear.dot(f.linear)
    }

    /// `self x m`: rate of a motion vector that moves with velocity `self`. [F2008 §2.9]
    #[inline(always)]
    pub fn cross_motion(self, m: Motion<T>) -> Motion<T> {
        Motion {
            angular: self.angular.cross(m.angular),
            linear: self.angular.cross(m.linear) + self.linear.cross(m.angular),
        }
    }

    /// `self x* f`: rate of a force vector that moves with velocity `self`. [F2008 §2.9]
    #[inline(always)]
    pub fn cross_force(self, f: Force<T>) -> Force<T> {
        Force {
            angular: self.angular.cross(f.angular) + self.linear.cross(f.linear),
            linear: self.angular.cross(f.linear),
        }
    }

    /// The same motion about the point `d` away.
    #[inline(always)]
    pub fn shifted(self, d: Vec3<T>) -> Motion<T> {
        Motion { angular: self.angular, linear: self.linear + self.angular.cross(d) }
    }
}

impl<T: Real> Force<T> {
    /// The same force about the point `d` away.
    #[inline(always)]
    pub fn shifted(self, d: Vec3<T>) -> Force<T> {
        Force { angular: self.angular - d.cross(self.linear), linear: self.linear }
    }

    /// A force acting at the point `r`, taken about the origin.
    #[inline(always)]
    pub fn at_point(force: Vec3<T>, r: Vec3<T>) -> Force<T> {
        Force { angular: r.cross(force), linear: force }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vec3;
    use super::*;

    #[test]
    fn power_does_not_depend_on_the_point() {
        let m = Motion::new(vec3(0.1, -0.4, 0.3), vec3(1.0, 2.0, -0.5));
        let f = Force::new(vec3(2.0, 0.1, -3.0), vec3(-1.0, 0.7, 0.2));
        let d = vec3(0.3, 0.9, -0.2);
        assert!((m.dot(f) - m.shifted(d).dot(f.shifted(d))).abs() < 1e-15);
    }

    #[test]
    fn crosses_are_dual() {
        let v = Motion::new(vec3(0.1, -0.4, 0.3), vec3(1.0, 2.0, -0.5));
        let m = Motion::new(vec3(-0.7, 0.2, 0.5), vec3(0.4, -1.0, 0.6));
        let f = Force::new(vec3(2.0, 0.1, -3.0), vec3(-1.0, 0.7, 0.2));
        assert!((v.cross_motion(m).dot(f) + m.dot(v.cross_force(f))).abs() < 1e-14);
    }
}
