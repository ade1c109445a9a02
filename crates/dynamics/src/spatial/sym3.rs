//! Symmetric 3x3 matrices: second moments and point masses.

use super::vec3::componentwise;
use super::{Mat3, Real, Vec3, vec3};
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

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

componentwise!(Sym3, xx, yy, zz, xy, xz, yz);

impl Sym3 {
    /// Diagonal matrix.
    pub fn diagonal(d: Vec3) -> Sym3 {
        Sym3 { xx: d.x, yy: d.y, zz: d.z, ..Sym3::default() }
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

    /// `self * k`.
    #[inline(always)]
    pub fn scaled(self, k: f64) -> Self {
        Sym3 {
            xx: self.xx.scale(k),
            yy: self.yy.scale(k),
            zz: self.zz.scale(k),
            xy: self.xy.scale(k),
            xz: self.xz.scale(k),
            yz: self.yz.scale(k),
        }
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
    use super::super::Axis;
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
