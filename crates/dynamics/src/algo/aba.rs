//! Forward dynamics of a tree by the articulated-body algorithm.
//!
//! Computes  a = M(q)^-1 (tau - h(q, v) + J^T f_ext)  in O(n), without forming M.
//! Source: [F2008 ch. 7], [L1992 ch. 5-7] (branched chains, multi-DOF joints, moving base, external forces).
//! We differ: world axes, origin at each joint, classical accelerations, 3x3 blocks (`spatial::Articulated`). A
//! spherical joint without armature leaves nothing angular above it: only a point mass, a force and its own torque.
//! Not here: loops (`constraint`), joint springs (`Forest::add_passive_forces`).
//! Cost: 8590 flops and 11648 bytes of work for human28, 7604 and 11648 for human42 (`flops`).
//! Checked by: `tests/it/oracle.rs` (Pinocchio), `tests/it/trees.rs` (inverse of RNEA; CRBA and LTL).

use super::fk::Kinematics;
use super::{Placed, at, at_mut, fit, pair, place};
use crate::model::{Body, BodyIx, BodyJoint, Forest};
use crate::spatial::{Articulated, Eliminated, Force, Mat3, Motion, Real, Sym3, Transform, Vec3};
use multiversion::multiversion;

/// Scratch of [`forward_dynamics`]: after a call it holds the factor of the mass matrix.
#[derive(Clone, Debug, Default)]
pub struct Work<T = f64> {
    pub(crate) bodies: Vec<Record<T>>,
}

/// Pose of a body and velocity about its origin, world axes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MovingBody {
    /// pose
    pub pose: Transform,
    /// velocity
    pub velocity: Motion,
}

impl MovingBody {
    /// Collects all bodies of a forest.
    pub(crate) fn collect(forest: &Forest, kinematics: &Kinematics, bodies: &mut Vec<MovingBody>) {
        bodies.clear();
        bodies.extend((0..forest.bodies().len()).map(|i| {
            let body = BodyIx(i as u32);
            MovingBody { pose: kinematics.body_pose(body), velocity: kinematics.body_velocity(body) }
        }));
    }
}

impl Work {
    /// One body at the pose of the last call, and its velocity there: found along the path to its root.
    #[inline(always)]
    pub(crate) fn place_body(&self, forest: &Forest, v: &[f64], body: BodyIx) -> MovingBody {
        let own = &self.bodies[body.index()];
        let (mut origin, mut speed) = (Vec3::ZERO, Vec3::ZERO);
        let mut i = body.index();
        while i > 0 {
            let (b, c) = (&forest.bodies()[i], &self.bodies[i]);
            let iv = b.iv as usize;
            origin += c.p.d;
            speed += self.bodies[b.parent.index()].w.cross(c.p.d);
            match b.joint {
                BodyJoint::Prismatic(_) => speed += c.p.e1.scale(v[iv]),
                BodyJoint::Free => speed += c.p.r.mul(Vec3::from_array(at(v, iv + 3))),
                BodyJoint::Revolute(_) | BodyJoint::Universal(..) | BodyJoint::Spherical => {}
            }
            i = b.parent.index();
        }
        let pose = Transform { rotation: own.p.r, translation: origin };
        MovingBody { pose, velocity: Motion::new(own.w, speed) }
    }

    /// All bodies at the pose of the last call, with velocities `v`.
    pub(crate) fn place_bodies(&self, forest: &Forest, v: &[f64], bodies: &mut Vec<MovingBody>) {
        fit(bodies, forest.bodies().len());
        bodies[0] = MovingBody::default();
        for (i, (b, c)) in forest.bodies().iter().zip(&self.bodies).enumerate().skip(1) {
            let (up, own) = pair(bodies, b.parent.index(), i);
            own.pose.rotation = c.p.r;
            own.pose.translation = up.pose.translation + c.p.d;
            own.velocity = carried(b, c, &up.velocity, v);
        }
    }

    /// Velocities of all bodies at the pose of the last call.
    pub(crate) fn move_bodies(&self, forest: &Forest, v: &[f64], velocities: &mut Vec<Motion>) {
        fit(velocities, forest.bodies().len());
        velocities[0] = Motion::default();
        for (i, (b, c)) in forest.bodies().iter().zip(&self.bodies).enumerate().skip(1) {
            let (up, own) = pair(velocities, b.parent.index(), i);
            *own = carried(b, c, up, v);
        }
    }
}

/// Velocity of a body about its origin, from its parent's.
#[inline(always)]
fn carried(b: &Body, c: &Record<f64>, up: &Motion, v: &[f64]) -> Motion {
    let iv = b.iv as usize;
    let (linear, angular) = (up.linear + up.angular.cross(c.p.d), up.angular);
    match b.joint {
        BodyJoint::Revolute(_) => Motion::new(c.p.e1.mad(v[iv], angular), linear),
        BodyJoint::Prismatic(_) => Motion::new(angular, c.p.e1.mad(v[iv], linear)),
        BodyJoint::Universal(..) => Motion::new(c.p.e2.mad(v[iv + 1], c.p.e1.mad(v[iv], angular)), linear),
        BodyJoint::Spherical => Motion::new(angular + c.p.r.mul(Vec3::from_array(at(v, iv))), linear),
        BodyJoint::Free => {
            Motion::new(c.p.r.mul(Vec3::from_array(at(v, iv))), c.p.r.mul(Vec3::from_array(at(v, iv + 3))))
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Record<T> {
    pub p: Placed<T>,
    pub w: Vec3<T>,  // angular velocity
    pub za: Vec3<T>, // angular acceleration that the joint has at zero coordinate acceleration
    pub zl: Vec3<T>, // the same, linear, at the body's origin
    pub art: Articulated<T>,
    pub g: Mat3<T>,              // spherical, free: D^-1 H
    pub k: Vec3<T>,              // spherical, free: D^-1 (torque - n)
    pub d_inv: Sym3<T>,          // spherical, free: D^-1
    pub m_inv: Sym3<T>,          // free: inverse of the point mass left
    pub dof: [Eliminated<T>; 2], // single axes
    pub al: Vec3<T>,
    pub a: Vec3<T>, // acceleration of the origin, less gravity
}

/// Accelerations of the joints under the joint forces `tau`.
///
/// `implicit` adds to the diagonal of M, one number a degree of freedom: an integrator's time step times damping.
/// A joint that moves no inertia gives numbers that are not finite.
///
/// # Panics
/// When a slice is shorter than the forest asks.
#[multiversion(targets("x86_64+avx+avx2"))]
#[allow(clippy::too_many_arguments)] // the quantities of the equation
pub fn forward_dynamics(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    external: Option<&[Force]>,
    implicit: Option<&[f64]>,
    work: &mut Work,
    a: &mut [f64],
) {
    kernel(forest, q, v, tau, external, implicit, work, a);
}

/// The first two of the three sweeps of [`forward_dynamics`]: the factor of the mass matrix, and the remaining joint
/// forces.
#[multiversion(targets("x86_64+avx+avx2"))]
pub(crate) fn factorize(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    external: Option<&[Force]>,
    implicit: Option<&[f64]>,
    work: &mut Work,
) {
    fit(&mut work.bodies, forest.bodies().len());
    sweep(forest, &mut work.bodies, q, v, external);
    factor(forest, &mut work.bodies, tau, implicit);
}

/// The last sweep of [`forward_dynamics`].
#[multiversion(targets("x86_64+avx+avx2"))]
pub(crate) fn accelerations(
    forest: &Forest,
    v: &[f64],
    implicit: Option<&[f64]>,
    work: &mut Work,
    a: &mut [f64],
) {
    accelerate(forest, &mut work.bodies, v, implicit, a);
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(super) fn kernel<T: Real>(
    forest: &Forest,
    q: &[T],
    v: &[T],
    tau: &[T],
    external: Option<&[Force<T>]>,
    implicit: Option<&[f64]>,
    work: &mut Work<T>,
    a: &mut [T],
) {
    fit(&mut work.bodies, forest.bodies().len());
    let ws = &mut work.bodies[..];
    sweep(forest, ws, q, v, external);
    factor(forest, ws, tau, implicit);
    accelerate(forest, ws, v, implicit, a);
}

/// Outward: poses, velocities, bias accelerations, rigid inertias.
#[inline(always)]
fn sweep<T: Real>(forest: &Forest, ws: &mut [Record<T>], q: &[T], v: &[T], external: Option<&[Force<T>]>) {
    ws[0].p.r = Mat3::identity();
    ws[0].w = Vec3::default();
    ws[0].al = Vec3::default();
    ws[0].a = Vec3::splat(-forest.gravity());
    for (i, b) in forest.bodies().iter().enumerate().skip(1) {
        let up = &ws[b.parent.index()];
        let iv = b.iv as usize;
        let (up_r, up_w) = (up.p.r, up.w);
        let p = place(b, q, &up_r);
        let c = &mut ws[i];
        c.zl = up_w.centripetal(p.d);
        let wj = match b.joint {
            BodyJoint::Revolute(_) => {
                let wj = p.e1.times(at::<1, T>(v, iv)[0]);
                c.za = up_w.cross(wj);
                wj
            }
            BodyJoint::Prismatic(_) => {
                let slide = p.e1.times(at::<1, T>(v, iv)[0]);
                c.zl += up_w.cross(slide + slide);
                c.za = Vec3::default();
                Vec3::default()
            }
            BodyJoint::Universal(..) => {
                let [v1, v2] = *at::<2, T>(v, iv);
                let wj = p.e2.mad(v2, p.e1.times(v1));
                c.za = p.e1.cross(p.e2).mad(v1 * v2, up_w.cross(wj));
                wj
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                let wj = p.r.mul(Vec3::from_array(at(v, iv)));
                c.za = up_w.cross(wj);
                wj
            }
        };
        let w = up_w + wj;
        let h = p.r.mul_const(b.moment);
        let j = Sym3::turned(&b.second, &p.r);
        let (mut n, mut f) = (w.cross(j.mul(w)), w.centripetal(h));
        if let Some(e) = external {
            n -= e[i].angular;
            f -= e[i].linear;
        }
        (c.p, c.w) = (p, w);
        c.art = Articulated::rigid(b.mass, h, j, n, f);
    }
}

/// Inward: eliminates the joints from the leaves to the roots. [F2008 eq. 7.25-7.30]
#[inline(always)]
fn factor<T: Real>(forest: &Forest, ws: &mut [Record<T>], tau: &[T], implicit: Option<&[f64]>) {
    for (i, b) in forest.bodies().iter().enumerate().skip(1).rev() {
        let (up, c) = pair(ws, b.parent.index(), i);
        let iv = b.iv as usize;
        match b.joint {
            BodyJoint::Revolute(_) => {
                let mut left = c.art;
                let t = at::<1, T>(tau, iv)[0];
                c.dof[0] = left.eliminate_rotation(c.p.e1, t, added(b, implicit, 0));
                left.add_bias(c.za, c.zl);
                up.art.add_shifted(&left, c.p.d);
            }
            BodyJoint::Prismatic(_) => {
                let mut left = c.art;
                let t = at::<1, T>(tau, iv)[0];
                c.dof[0] = left.eliminate_translation(c.p.e1, t, added(b, implicit, 0));
                left.add_bias(c.za, c.zl);
                up.art.add_shifted(&left, c.p.d);
            }
            BodyJoint::Universal(..) => {
                let [t1, t2] = *at::<2, T>(tau, iv);
                let mut left = c.art;
                c.dof[1] = left.eliminate_rotation(c.p.e2, t2, added(b, implicit, 1));
                c.dof[0] = left.eliminate_rotation(c.p.e1, t1, added(b, implicit, 0));
                left.add_bias(c.za, c.zl);
                up.art.add_shifted(&left, c.p.d);
            }
            BodyJoint::Spherical if has_added(b, implicit) => {
                let left = eliminate_ball_with_armature(b, c, Vec3::from_array(at(tau, iv)), implicit);
                up.art.add_shifted(&left, c.p.d);
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                let torque = c.p.r.mul(Vec3::from_array(at(tau, iv)));
                let art = &c.art;
                let d_inv = art.j.inverse();
                let full = d_inv.full();
                let g = full.mul_mat(&art.h);
                let k = full.mul(torque - art.n);
                let mass = art.m - Sym3::tr_product(&art.h, &g);
                let force = art.f + art.h.tr_mul(k);
                (c.g, c.k, c.d_inv) = (g, k, d_inv);
                if b.joint == BodyJoint::Spherical {
                    up.art.add_point(&mass, force + mass.mul(c.zl), torque, c.p.d);
                } else {
                    let push = c.p.r.mul(Vec3::from_array(at(tau, iv + 3)));
                    c.m_inv = mass.inverse();
                    c.a = c.m_inv.mul(push - force);
                }
            }
        }
    }
}

/// Outward: accelerations from the roots to the leaves. [F2008 eq. 7.31-7.33]
#[inline(always)]
fn accelerate<T: Real>(
    forest: &Forest,
    ws: &mut [Record<T>],
    v: &[T],
    implicit: Option<&[f64]>,
    acc: &mut [T],
) {
    for (i, b) in forest.bodies().iter().enumerate().skip(1) {
        let (up, c) = pair(ws, b.parent.index(), i);
        let iv = b.iv as usize;
        if b.joint == BodyJoint::Free {
            c.al = c.k - c.g.mul(c.a);
            let (w, lin) = (Vec3::from_array(at(v, iv)), Vec3::from_array(at(v, iv + 3)));
            *at_mut(acc, iv) = c.p.r.tr_mul(c.al).to_array();
            *at_mut(acc, iv + 3) = (c.p.r.tr_mul(c.a - up.a) - w.cross(lin)).to_array();
            continue;
        }
        let a = up.a + up.al.cross(c.p.d) + c.zl;
        let al = up.al + c.za;
        match b.joint {
            BodyJoint::Revolute(_) => {
                let k = c.dof[0].acceleration(al, a);
                at_mut::<1, T>(acc, iv)[0] = k;
                (c.al, c.a) = (c.p.e1.mad(k, al), a);
            }
            BodyJoint::Prismatic(_) => {
                let k = c.dof[0].acceleration(al, a);
                at_mut::<1, T>(acc, iv)[0] = k;
                (c.al, c.a) = (al, c.p.e1.mad(k, a));
            }
            BodyJoint::Universal(..) => {
                let k1 = c.dof[0].acceleration(al, a);
                let al = c.p.e1.mad(k1, al);
                let k2 = c.dof[1].acceleration(al, a);
                *at_mut(acc, iv) = [k1, k2];
                (c.al, c.a) = (c.p.e2.mad(k2, al), a);
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                let mut own = c.k - c.g.mul(a);
                if has_added(b, implicit) {
                    own += al - c.d_inv.mul(c.art.j.mul(al));
                }
                *at_mut(acc, iv) = c.p.r.tr_mul(own - al).to_array();
                (c.al, c.a) = (own, a);
            }
        }
    }
}

/// Inertia added to degree of freedom `k` of the body's joint.
#[inline(always)]
fn added(b: &Body, implicit: Option<&[f64]>, k: usize) -> f64 {
    b.armature[k] + implicit.map_or(0.0, |x| x[b.iv as usize + k])
}

#[inline(always)]
fn has_added(b: &Body, implicit: Option<&[f64]>) -> bool {
    keeps_rotor(b, implicit.is_some())
}

/// Whether a spherical joint's rotor leaves angular inertia above the joint.
#[inline(always)]
pub(crate) fn keeps_rotor(b: &Body, is_implicit: bool) -> bool {
    b.has_armature || is_implicit
}

/// A spherical joint whose rotor keeps part of the angular inertia above it: D = J + B, B = R diag R^T.
#[inline(always)]
fn eliminate_ball_with_armature<T: Real>(
    b: &Body,
    c: &mut Record<T>,
    tau: Vec3<T>,
    implicit: Option<&[f64]>,
) -> Articulated<T> {
    let torque = c.p.r.mul(tau);
    let mut left = c.art;
    if let Some(rotor) = even_rotor(b, implicit) {
        // B is a number: what is left is J - J D^-1 J = B - B D^-1 B, H - J D^-1 H = B D^-1 H, n + J k = torque - B k
        let d_inv = (left.j + Sym3::isotropic(T::splat(rotor))).inverse();
        let full = d_inv.full();
        let g = full.mul_mat(&left.h);
        let k = full.mul(torque - left.n);
        left.n = torque - k.scale(rotor);
        left.f += left.h.tr_mul(k);
        left.m -= Sym3::tr_product(&left.h, &g);
        left.h = Mat3 { x: g.x.scale(rotor), y: g.y.scale(rotor), z: g.z.scale(rotor) };
        left.j = Sym3::isotropic(T::splat(rotor)) - d_inv.scaled(rotor * rotor);
        (c.g, c.k, c.d_inv) = (g, k, d_inv);
    } else {
        let [x, y, z] = [0, 1, 2].map(|k| added(b, implicit, k));
        let rotor = Sym3::diagonal(Vec3 { x, y, z });
        let d_inv = (left.j + Sym3::turned(&rotor, &c.p.r)).inverse();
        let (full, j) = (d_inv.full(), left.j.full());
        let (g, dj) = (full.mul_mat(&left.h), full.mul_mat(&j));
        let k = full.mul(torque - left.n);
        left.n += j.mul(k);
        left.f += left.h.tr_mul(k);
        left.m -= Sym3::tr_product(&left.h, &g);
        left.h -= j.mul_mat(&g);
        left.j -= Sym3::tr_product(&j, &dj);
        (c.g, c.k, c.d_inv) = (g, k, d_inv);
    }
    left.add_bias(c.za, c.zl);
    left
}

/// The rotor of a ball that is the same about all axes and not larger than the body's own moment, beside which it would
/// lose digits.
#[inline(always)]
fn even_rotor(b: &Body, implicit: Option<&[f64]>) -> Option<f64> {
    let rotor = added(b, implicit, 0);
    let is_even = rotor == added(b, implicit, 1) && rotor == added(b, implicit, 2);
    (is_even && rotor <= b.second.xx + b.second.yy + b.second.zz).then_some(rotor)
}
