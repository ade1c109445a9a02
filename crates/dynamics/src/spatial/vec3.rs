//! 3-vectors, 3x3 matrices by columns, symmetric 3x3 matrices: what spatial quantities are made of.

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

/// A symmetric 3x3 matrix.
#[allow(missing_docs)] // the six entries are their names
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Sym3<T = f64> {
    pub xx: T,
    pub yy: T,
    pub zz: T,
    pub xy: T,
    pub xz: T,
    pub yz: T,
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
componentwise!(Mat3, x, y, z);
componentwise!(Sym3, xx, yy, zz, xy, xz, yz);

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
    pub fn norm(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// Same direction, length one; `None` for a vector without a direction.
    pub fn normalized(self) -> Option<Vec3> {
        let n = self.norm();
        (n > 0.0 && n.is_finite()).then(|| self.scale(1.0 / n))
    }

    /// Whether no component is infinite or NaN.
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

    /// By rows, as people and files write matrices.
    pub fn from_rows(r: [[f64; 3]; 3]) -> Mat3 {
        Mat3 {
            x: vec3(r[0][0], r[1][0], r[2][0]),
            y: vec3(r[0][1], r[1][1], r[2][1]),
            z: vec3(r[0][2], r[1][2], r[2][2]),
        }
    }

    /// By rows, as people and files write matrices.
    pub fn to_rows(self) -> [[f64; 3]; 3] {
        let t = self.transpose();
        [t.x.to_array(), t.y.to_array(), t.z.to_array()]
    }
}

impl Sym3 {
    /// Diagonal matrix.
    pub fn diagonal(d: Vec3) -> Sym3 {
        Sym3 { xx: d.x, yy: d.y, zz: d.z, ..Sym3::default() }
    }

    /// `self * k`.
    pub fn scaled(self, k: f64) -> Sym3 {
        Sym3 {
            xx: self.xx * k,
            yy: self.yy * k,
            zz: self.zz * k,
            xy: self.xy * k,
            xz: self.xz * k,
            yz: self.yz * k,
        }
    }

    /// Second moment of a point mass: `m (c.c 1 - c c^T)`, that is `-m [c]x[c]x`.
    pub fn of_point(mass: f64, c: Vec3) -> Sym3 {
        let cc = c.dot(c);
        Sym3 {
            xx: mass * (cc - c.x * c.x),
            yy: mass * (cc - c.y * c.y),
            zz: mass * (cc - c.z * c.z),
            xy: -mass * c.x * c.y,
            xz: -mass * c.x * c.z,
            yz: -mass * c.y * c.z,
        }
    }

    /// Eigenvalues, smallest first (cyclic Jacobi rotations).
    pub fn eigenvalues(&self) -> [f64; 3] {
        let mut values = self.eigen().0;
        values.sort_by(f64::total_cmp);
        values
    }

    /// Eigenvalues and the rotation whose columns are the eigenvectors: `S = V diag(e) V^T`.
    pub fn eigen(&self) -> ([f64; 3], Mat3) {
        /// Three sweeps give full precision on 3x3; more do no harm.
        const SWEEPS: usize = 12;
        let mut a = self.full().to_rows();
        let mut v = Mat3::identity().to_rows();
        for _ in 0..SWEEPS {
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..3 {
                    (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
                }
                for k in 0..3 {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                    (v[k][p], v[k][q]) = (c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]);
                }
            }
        }
        let mut v = Mat3::from_rows(v);
        if v.x.cross(v.y).dot(v.z) < 0.0 {
            v.z = -v.z;
        }
        ([a[0][0], a[1][1], a[2][2]], v)
    }
}

impl<T: Real> Sym3<T> {
    /// The same matrix in every lane.
    #[inline(always)]
    pub fn splat(s: &Sym3) -> Self {
        let f = T::splat;
        Sym3 { xx: f(s.xx), yy: f(s.yy), zz: f(s.zz), xy: f(s.xy), xz: f(s.xz), yz: f(s.yz) }
    }

    /// `k` times the unit matrix.
    #[inline(always)]
    pub fn isotropic(k: T) -> Self {
        Sym3 { xx: k, yy: k, zz: k, ..Self::default() }
    }

    /// All nine entries.
    #[inline(always)]
    pub fn full(&self) -> Mat3<T> {
        Mat3 {
            x: vec3(self.xx, self.xy, self.xz),
            y: vec3(self.xy, self.yy, self.yz),
            z: vec3(self.xz, self.yz, self.zz),
        }
    }

    /// Matrix times vector.
    #[inline(always)]
    pub fn mul(&self, v: Vec3<T>) -> Vec3<T> {
        self.full().mul(v)
    }

    /// `R S R^T` with a constant `S`.
    #[inline(always)]
    pub fn turned(s: &Sym3, r: &Mat3<T>) -> Sym3<T> {
        Self::product(&r.mul_mat_const(&s.full()), &r.transpose())
    }

    /// `a b`, known to be symmetric: only six entries are formed.
    #[inline(always)]
    pub fn product(a: &Mat3<T>, b: &Mat3<T>) -> Sym3<T> {
        let row = a.transpose();
        Sym3 {
            xx: row.x.dot(b.x),
            yy: row.y.dot(b.y),
            zz: row.z.dot(b.z),
            xy: row.x.dot(b.y),
            xz: row.x.dot(b.z),
            yz: row.y.dot(b.z),
        }
    }

    /// `a^T b`, known to be symmetric.
    #[inline(always)]
    pub fn tr_product(a: &Mat3<T>, b: &Mat3<T>) -> Sym3<T> {
        Sym3 {
            xx: a.x.dot(b.x),
            yy: a.y.dot(b.y),
            zz: a.z.dot(b.z),
            xy: a.x.dot(b.y),
            xz: a.x.dot(b.z),
            yz: a.y.dot(b.z),
        }
    }

    /// Inverse of a positive definite matrix by cofactors, one division.
    #[inline(always)]
    pub fn inverse(&self) -> Sym3<T> {
        let s = self;
        let cxx = s.yy * s.zz - s.yz * s.yz;
        let cxy = s.xz * s.yz - s.xy * s.zz;
        let cxz = s.xy * s.yz - s.xz * s.yy;
        let k = s.xz.mad(cxz, s.xy.mad(cxy, s.xx * cxx)).recip();
        Sym3 {
            xx: cxx * k,
            xy: cxy * k,
            xz: cxz * k,
            yy: (s.xx * s.zz - s.xz * s.xz) * k,
            yz: (s.xy * s.xz - s.xx * s.yz) * k,
            zz: (s.xx * s.yy - s.xy * s.xy) * k,
        }
    }

    /// `self - u w^T` where `w` is a multiple of `u`.
    #[inline(always)]
    pub fn minus_outer(&self, u: Vec3<T>, w: Vec3<T>) -> Sym3<T> {
        let s = self;
        Sym3 {
            xx: s.xx - u.x * w.x,
            yy: s.yy - u.y * w.y,
            zz: s.zz - u.z * w.z,
            xy: s.xy - u.x * w.y,
            xz: s.xz - u.x * w.z,
            yz: s.yz - u.y * w.z,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_a_turned_diagonal() {
        let r = Mat3::<f64>::identity().rotate(Axis::X, 0.6, 0.8).rotate(Axis::Z, 0.8, -0.6);
        let s = Sym3::turned(&Sym3::diagonal(vec3(3.0, 1.0, 2.0)), &r);
        for (got, want) in s.eigenvalues().iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - want).abs() < 1e-14, "{got} {want}");
        }
        let (e, v) = s.eigen();
        let back = Sym3::turned(&Sym3::diagonal(vec3(e[0], e[1], e[2])), &v);
        assert!((back - s).full().max_abs() < 1e-14);
    }

    #[test]
    fn inverse_of_symmetric() {
        let s = Sym3 { xx: 2.0, yy: 3.0, zz: 4.0, xy: 0.5, xz: -0.3, yz: 0.7 };
        let one = s.full().mul_mat(&s.inverse().full()) - Mat3::identity();
        assert!(one.max_abs() < 1e-15);
    }
}
