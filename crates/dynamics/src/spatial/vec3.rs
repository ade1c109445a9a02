//! 3-vectors and coordinate axes.

use super::Real;
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A vector in three dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Vec3<T = f64> {
    /// along the first axis
    pub x: T,
    /// along the second axis
    pub y: T,
    /// along the third axis
    pub z: T,
}

/// One of the three coordinate axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// first
    X,
    /// second
    Y,
    /// third
    Z,
}

/// Short for `Vec3 { x, y, z }`.
#[inline(always)]
pub const fn vec3<T>(x: T, y: T, z: T) -> Vec3<T> {
    Vec3 { x, y, z }
}

macro_rules! componentwise {
    ($ty:ident, $($f:ident),*) => {
        impl<T: Real> Add for $ty<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self { $ty { $($f: self.$f + b.$f),* } }
        }
        impl<T: Real> Sub for $ty<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self { $ty { $($f: self.$f - b.$f),* } }
        }
        impl<T: Real> Neg for $ty<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self { $ty { $($f: -self.$f),* } }
        }
        impl<T: Real> AddAssign for $ty<T> {
            #[inline(always)]
            fn add_assign(&mut self, b: Self) { $(self.$f += b.$f;)* }
        }
        impl<T: Real> SubAssign for $ty<T> {
            #[inline(always)]
            fn sub_assign(&mut self, b: Self) { $(self.$f -= b.$f;)* }
        }
    };
}
componentwise!(Vec3, x, y, z);
pub(super) use componentwise;

impl Axis {
    /// The axis as a unit vector.
    pub fn unit(self) -> Vec3 {
        match self {
            Axis::X => vec3(1.0, 0.0, 0.0),
            Axis::Y => vec3(0.0, 1.0, 0.0),
            Axis::Z => vec3(0.0, 0.0, 1.0),
        }
    }

    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl Vec3 {
    /// The zero vector.
    pub const ZERO: Vec3 = vec3(0.0, 0.0, 0.0);

    /// Euclidean length.
    #[inline]
    pub fn norm(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Same direction, length one; `None` for a vector without a direction.
    #[inline]
    pub fn normalized(self) -> Option<Vec3> {
        let n = self.norm();
        (n > 0.0 && n.is_finite()).then(|| self.scale(1.0 / n))
    }

    /// Whether no component is infinite or NaN.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// Some unit vector at a right angle to this one.
    pub fn any_perpendicular(self) -> Vec3 {
        let (x, y, z) = (self.x.abs(), self.y.abs(), self.z.abs());
        let least = if x <= y && x <= z {
            Axis::X
        } else if y <= z {
            Axis::Y
        } else {
            Axis::Z
        };
        self.cross(least.unit()).normalized().unwrap_or(Axis::X.unit())
    }
}

impl<T: Real> Vec3<T> {
    /// From its three components.
    #[inline(always)]
    pub fn from_array(a: &[T; 3]) -> Self {
        vec3(a[0], a[1], a[2])
    }

    /// The three components.
    #[inline(always)]
    pub fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }

    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat(a: Vec3) -> Self {
        vec3(T::splat(a.x), T::splat(a.y), T::splat(a.z))
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, b: Self) -> T {
        self.z.mad(b.z, self.y.mad(b.y, self.x * b.x))
    }

    /// Vector product `self x b`.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        vec3(self.y * b.z - self.z * b.y, self.z * b.x - self.x * b.z, self.x * b.y - self.y * b.x)
    }

    /// `self * k`.
    #[inline(always)]
    pub fn times(self, k: T) -> Self {
        vec3(self.x * k, self.y * k, self.z * k)
    }

    /// `self * k` with a constant of the model.
    #[inline(always)]
    pub fn scale(self, k: f64) -> Self {
        vec3(self.x.scale(k), self.y.scale(k), self.z.scale(k))
    }

    /// `self * k + c`.
    #[inline(always)]
    pub fn mad(self, k: T, c: Self) -> Self {
        vec3(self.x.mad(k, c.x), self.y.mad(k, c.y), self.z.mad(k, c.z))
    }

    /// `self x (self x d)`: centripetal acceleration of the point `d` at angular velocity `self`.
    #[inline(always)]
    pub fn centripetal(self, d: Self) -> Self {
        self.times(self.dot(d)) - d.times(self.dot(self))
    }
}
