//! Rigid-body inertia: ten numbers (mass, first moment, second moment about the origin).

use super::{Force, Mat3, Motion, Real, Sym3, Transform, Vec3};
use core::ops::{Add, Mul};

/// Mass properties of a rigid body about the origin of the frame they are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Inertia<T = f64> {
    /// mass
    pub mass: T,
    /// mass times centre of mass
    pub moment: Vec3<T>,
    /// second moment about the origin
    pub second: Sym3<T>,
}

impl<T: Real> Mul<Motion<T>> for Inertia<T> {
    type Output = Force<T>;
    /// Momentum about the origin.
    #[inline(always)]
    fn mul(self, m: Motion<T>) -> Force<T> {
        Force {
            angular: self.second.mul(m.angular) + self.moment.cross(m.linear),
            linear: m.linear.times(self.mass) - self.moment.cross(m.angular),
        }
    }
}

impl<T: Real> Add for Inertia<T> {
    type Output = Self;
    /// Both bodies moving as one.
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Inertia { mass: self.mass + b.mass, moment: self.moment + b.moment, second: self.second + b.second }
    }
}

impl<T: Real> Inertia<T> {
    /// The same body about a point from which the present origin is `d` away (parallel-axis theorem).
    #[inline(always)]
    pub fn shifted(&self, d: Vec3<T>) -> Self {
        // J - [d]x[h]x - [h + m d]x[d]x written out
        let (h, j) = (self.moment, &self.second);
        let hm = h + d.times(self.mass);
        let g = h + hm;
        let t = d.dot(g);
        Inertia {
            mass: self.mass,
            moment: hm,
            second: Sym3 {
                xx: j.xx + t - d.x * g.x,
                yy: j.yy + t - d.y * g.y,
                zz: j.zz + t - d.z * g.z,
                xy: j.xy - d.x * hm.y - h.x * d.y,
                xz: j.xz - d.x * hm.z - h.x * d.z,
                yz: j.yz - d.y * hm.z - h.y * d.z,
            },
        }
    }
}

impl Inertia {
    /// No body at all.
    pub const ZERO: Inertia = Inertia {
        mass: 0.0,
        moment: Vec3::ZERO,
        second: Sym3 { xx: 0.0, yy: 0.0, zz: 0.0, xy: 0.0, xz: 0.0, yz: 0.0 },
    };

    /// From the mass, the centre of mass and the second moment about the centre of mass.
    pub fn about_center(mass: f64, center: Vec3, central: Sym3) -> Inertia {
        Inertia { mass, moment: center.scale(mass), second: central + Sym3::of_point(mass, center) }
    }

    /// Centre of mass; the origin for a massless body.
    pub fn center(&self) -> Vec3 {
        if self.mass > 0.0 { self.moment.scale(1.0 / self.mass) } else { Vec3::ZERO }
    }

    /// Second moment about the centre of mass.
    pub fn central(&self) -> Sym3 {
        self.second - Sym3::of_point(self.mass, self.center())
    }

    /// The same body written in the outer frame of `outer_from_inner`.
    pub fn seen_from(&self, outer_from_inner: &Transform) -> Inertia {
        let r: &Mat3 = &outer_from_inner.rotation;
        let turned =
            Inertia { mass: self.mass, moment: r.mul(self.moment), second: Sym3::turned(&self.second, r) };
        turned.shifted(outer_from_inner.translation)
    }

    /// A body of `length` times the size and `mass` times the mass.
    pub fn scaled(&self, length: f64, mass: f64) -> Inertia {
        Inertia {
            mass: self.mass * mass,
            moment: self.moment.scale(mass * length),
            second: self.second.scaled(mass * length * length),
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.mass.is_finite() && self.moment.is_finite() && self.second.full().max_abs().is_finite()
    }

    /// By how much the central second moment misses being one of real matter, relative to its size: each
    /// principal moment is at least zero and at most the sum of the other two. Zero when it is possible.
    pub fn impossibility(&self) -> f64 {
        let [a, b, c] = self.central().eigenvalues();
        // what rounding leaves of a point mass is nothing
        const ROUNDING: f64 = 1e-12;
        let about_origin = self.second.xx + self.second.yy + self.second.zz;
        if c.abs() <= ROUNDING * about_origin {
            return 0.0;
        }
        let size = c.abs().max(f64::MIN_POSITIVE);
        ((c - a - b).max(-a) / size).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Quat, vec3};
    use super::*;

    #[test]
    fn momentum_is_the_same_in_both_frames() {
        let i = Inertia::about_center(2.0, vec3(0.1, -0.2, 0.3), Sym3::diagonal(vec3(0.3, 0.4, 0.5)));
        let a_from_b = Transform::new(vec3(0.3, -1.0, 0.2), Quat::exp(vec3(0.4, 0.1, -0.8)));
        let m = Motion::new(vec3(0.1, -0.4, 0.3), vec3(1.0, 2.0, -0.5));
        let d = (a_from_b * i) * (a_from_b * m) - a_from_b * (i * m);
        assert!(d.angular.norm() + d.linear.norm() < 1e-14);
        assert!((i.center() - vec3(0.1, -0.2, 0.3)).norm() < 1e-16);
    }

    #[test]
    fn impossible_inertia_is_seen() {
        let of =
            |x, y, z| Inertia::about_center(1.0, Vec3::ZERO, Sym3::diagonal(vec3(x, y, z))).impossibility();
        assert_eq!(of(1.0, 1.0, 1.0), 0.0);
        assert!(of(1.0, 1.0, 3.0) > 0.3);
        assert!(of(-0.1, 1.0, 1.0) > 0.05);
    }
}
