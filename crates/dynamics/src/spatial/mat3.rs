//! 3x3 matrices by columns: rotations, and blocks of inertias.

use super::vec3::componentwise;
use super::{Axis, Real, Vec3, vec3};
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A 3x3 matrix by columns; most often a rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Mat3<T = f64> {
    /// first column
    pub x: Vec3<T>,
    /// second column
    pub y: Vec3<T>,
    /// third column
    pub z: Vec3<T>,
}

componentwise!(Mat3, x, y, z);

impl<T: Real> Mat3<T> {
    /// The unit matrix.
    #[inline(always)]
    pub fn identity() -> Self {
        let (o, l) = (T::splat(0.0), T::splat(1.0));
        Mat3 { x: vec3(l, o, o), y: vec3(o, l, o), z: vec3(o, o, l) }
    }

    /// The same matrix in every lane.
    #[inline(always)]
    pub fn splat(m: &Mat3) -> Self {
        Mat3 { x: Vec3::splat(m.x), y: Vec3::splat(m.y), z: Vec3::splat(m.z) }
    }

    /// `[d]x`, with `[d]x v = d x v`.
    #[inline(always)]
    pub fn cross_of(d: Vec3<T>) -> Self {
        let o = T::default();
        Mat3 { x: vec3(o, d.z, -d.y), y: vec3(-d.z, o, d.x), z: vec3(d.y, -d.x, o) }
    }

    /// Matrix times vector.
    #[inline(always)]
    pub fn mul(&self, v: Vec3<T>) -> Vec3<T> {
        self.z.mad(v.z, self.y.mad(v.y, self.x.times(v.x)))
    }

    /// Matrix times a constant vector.
    #[inline(always)]
    pub fn mul_const(&self, v: Vec3) -> Vec3<T> {
        self.x.scale(v.x) + self.y.scale(v.y) + self.z.scale(v.z)
    }

    /// Transpose times vector.
    #[inline(always)]
    pub fn tr_mul(&self, v: Vec3<T>) -> Vec3<T> {
        vec3(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }

    /// Matrix times matrix.
    #[inline(always)]
    pub fn mul_mat(&self, b: &Mat3<T>) -> Mat3<T> {
        Mat3 { x: self.mul(b.x), y: self.mul(b.y), z: self.mul(b.z) }
    }

    /// Matrix times a constant matrix.
    #[inline(always)]
    pub fn mul_mat_const(&self, b: &Mat3) -> Mat3<T> {
        Mat3 { x: self.mul_const(b.x), y: self.mul_const(b.y), z: self.mul_const(b.z) }
    }

    /// Rows become columns.
    #[inline(always)]
    pub fn transpose(&self) -> Mat3<T> {
        let s = self;
        Mat3 { x: vec3(s.x.x, s.y.x, s.z.x), y: vec3(s.x.y, s.y.y, s.z.y), z: vec3(s.x.z, s.y.z, s.z.z) }
    }

    /// One column.
    #[inline(always)]
    pub fn col(&self, a: Axis) -> Vec3<T> {
        match a {
            Axis::X => self.x,
            Axis::Y => self.y,
            Axis::Z => self.z,
        }
    }

    /// `self` times the rotation about a coordinate axis with the given sine and cosine.
    #[inline(always)]
    pub fn rotate(&self, a: Axis, sin: T, cos: T) -> Mat3<T> {
        let mix = |u: Vec3<T>, v: Vec3<T>| (u.mad(cos, v.times(sin)), v.mad(cos, -u.times(sin)));
        match a {
            Axis::X => {
                let (y, z) = mix(self.y, self.z);
                Mat3 { x: self.x, y, z }
            }
            Axis::Y => {
                let (z, x) = mix(self.z, self.x);
                Mat3 { x, y: self.y, z }
            }
            Axis::Z => {
                let (x, y) = mix(self.x, self.y);
                Mat3 { x, y, z: self.z }
            }
        }
    }

    /// `[d]x * self`.
    #[inline(always)]
    pub fn crossed(&self, d: Vec3<T>) -> Mat3<T> {
        Mat3 { x: d.cross(self.x), y: d.cross(self.y), z: d.cross(self.z) }
    }

    /// `[al]x + [w]x[w]x`: the acceleration of the point `r` of a body is `a + U r`.
    #[inline(always)]
    pub fn point_acceleration(w: Vec3<T>, al: Vec3<T>) -> Mat3<T> {
        let (xx, yy, zz) = (w.x * w.x, w.y * w.y, w.z * w.z);
        let (xy, xz, yz) = (w.x * w.y, w.x * w.z, w.y * w.z);
        Mat3 {
            x: vec3(-(yy + zz), xy + al.z, xz - al.y),
            y: vec3(xy - al.z, -(xx + zz), yz + al.x),
            z: vec3(xz + al.y, yz - al.x, -(xx + yy)),
        }
    }
}

impl Mat3 {
    /// Every entry times `k`.
    pub fn scale_by(&self, k: f64) -> Mat3 {
        Mat3 { x: self.x.scale(k), y: self.y.scale(k), z: self.z.scale(k) }
    }

    /// Largest absolute entry.
    pub fn max_abs(&self) -> f64 {
        [self.x, self.y, self.z].iter().flat_map(|c| c.to_array()).fold(0.0, |m: f64, v| m.max(v.abs()))
    }

    /// By rows.
    pub fn from_rows(r: [[f64; 3]; 3]) -> Mat3 {
        Mat3 {
            x: vec3(r[0][0], r[1][0], r[2][0]),
            y: vec3(r[0][1], r[1][1], r[2][1]),
            z: vec3(r[0][2], r[1][2], r[2][2]),
        }
    }

    /// By rows.
    pub fn to_rows(self) -> [[f64; 3]; 3] {
        let t = self.transpose();
        [t.x.to_array(), t.y.to_array(), t.z.to_array()]
    }
}
