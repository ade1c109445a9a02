//! Articulated-body inertia in 3x3 blocks, with its bias force.
//!
//! Computes  [n; f] = [J H; H^T M] [al; a] + [n0; f0],  the force that gives a body and all that hangs on it the
//! (classical) acceleration [al; a] of the point it is written about.
//! Source: [F2008 §7.2], [L1992 ch. 5]; blocks and elimination at the joint's own point as in docs/notation.md.
//! We differ: classical instead of spatial accelerations; world axes; the point is the joint's origin, so that a
//! rotary joint moves no point and a spherical joint leaves only a point mass above it.
//! Not here: the recursion (`algo::aba`).
//! Checked by: `tests/it/trees.rs`.

use super::{Mat3, Real, Sym3, Vec3};

/// Inertia and bias of an articulated body about a point.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Articulated<T = f64> {
    /// moment per angular acceleration
    pub j: Sym3<T>,
    /// moment per linear acceleration
    pub h: Mat3<T>,
    /// force per linear acceleration
    pub m: Sym3<T>,
    /// moment at zero acceleration
    pub n: Vec3<T>,
    /// force at zero acceleration
    pub f: Vec3<T>,
}

/// One eliminated degree of freedom: U = [un; uf] = I^A S, 1/D, u = tau - S.p.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Eliminated<T = f64> {
    /// moment part of U
    pub un: Vec3<T>,
    /// force part of U
    pub uf: Vec3<T>,
    /// 1 / D
    pub d_inv: T,
    /// joint force left for the joint
    pub u: T,
}

impl<T: Real> Eliminated<T> {
    /// Acceleration of the degree of freedom once its body would have [al; a] without it.
    #[inline(always)]
    pub fn acceleration(&self, al: Vec3<T>, a: Vec3<T>) -> T {
        (self.u - self.un.dot(al) - self.uf.dot(a)) * self.d_inv
    }
}

impl<T: Real> Articulated<T> {
    /// One rigid body: `h` mass times centre, `j` second moment, `n` and `f` the velocity-dependent force.
    #[inline(always)]
    pub fn rigid(mass: f64, h: Vec3<T>, j: Sym3<T>, n: Vec3<T>, f: Vec3<T>) -> Self {
        Articulated { j, h: Mat3::cross_of(h), m: Sym3::isotropic(T::splat(mass)), n, f }
    }

    /// Lets go of a rotation about `e` through the point. `armature` adds to D.
    #[inline(always)]
    pub fn eliminate_rotation(&mut self, e: Vec3<T>, tau: T, armature: f64) -> Eliminated<T> {
        let (un, uf) = (self.j.mul(e), self.h.tr_mul(e));
        self.eliminate(un, uf, e.dot(un) + T::splat(armature), tau - e.dot(self.n))
    }

    /// Lets go of a translation along `e`. `armature` adds to D.
    #[inline(always)]
    pub fn eliminate_translation(&mut self, e: Vec3<T>, tau: T, armature: f64) -> Eliminated<T> {
        let (un, uf) = (self.h.mul(e), self.m.mul(e));
        self.eliminate(un, uf, e.dot(uf) + T::splat(armature), tau - e.dot(self.f))
    }

    /// I^a = I^A - U U^T / D,  p^a = p^A + U u / D. [F2008 eq. 7.25-7.26]
    #[inline(always)]
    fn eliminate(&mut self, un: Vec3<T>, uf: Vec3<T>, d: T, u: T) -> Eliminated<T> {
        let d_inv = d.recip();
        let (kn, kf, k) = (un.times(d_inv), uf.times(d_inv), u * d_inv);
        self.j = self.j.minus_outer(un, kn);
        self.m = self.m.minus_outer(uf, kf);
        self.h.x -= un.times(kf.x);
        self.h.y -= un.times(kf.y);
        self.h.z -= un.times(kf.z);
        self.n += un.times(k);
        self.f += uf.times(k);
        Eliminated { un, uf, d_inv, u }
    }

    /// Adds the force that a bias acceleration [za; zl] of the joint causes.
    #[inline(always)]
    pub fn add_bias(&mut self, za: Vec3<T>, zl: Vec3<T>) {
        self.n += self.j.mul(za) + self.h.mul(zl);
        self.f += self.h.tr_mul(za) + self.m.mul(zl);
    }

    /// Adds `c`, whose point is `d` away.
    #[inline(always)]
    pub fn add_shifted(&mut self, c: &Articulated<T>, d: Vec3<T>) {
        // H' = H + [d]x M,  J' = J - H [d]x + [d]x H'^T
        let h = c.h + c.m.full().crossed(d);
        let hd = Mat3 {
            x: c.h.y.times(d.z) - c.h.z.times(d.y),
            y: c.h.z.times(d.x) - c.h.x.times(d.z),
            z: c.h.x.times(d.y) - c.h.y.times(d.x),
        };
        let dh = h.transpose().crossed(d);
        self.j += c.j + upper(&dh) - upper(&hd);
        self.h += h;
        self.m += c.m;
        self.f += c.f;
        self.n += c.n + d.cross(c.f);
    }

    /// Adds what is left above a spherical joint `d` away: a point mass tensor, a force and the joint's torque.
    #[inline(always)]
    pub fn add_point(&mut self, m: &Sym3<T>, f: Vec3<T>, torque: Vec3<T>, d: Vec3<T>) {
        let h = m.full().crossed(d);
        self.j += upper(&h.transpose().crossed(d));
        self.h += h;
        self.m += *m;
        self.f += f;
        self.n += torque + d.cross(f);
    }
}

/// The upper triangle of a matrix known to be symmetric (or of a difference that will be).
#[inline(always)]
fn upper<T: Real>(m: &Mat3<T>) -> Sym3<T> {
    Sym3 { xx: m.x.x, yy: m.y.y, zz: m.z.z, xy: m.y.x, xz: m.z.x, yz: m.z.y }
}
