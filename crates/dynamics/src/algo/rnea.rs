//! Inverse dynamics of a tree by the recursive Newton-Euler algorithm.
//!
//! Computes  tau = M(q) a + h(q, v) - J^T f_ext  in O(n), without forming M.
//! Source: [F2008 ch. 5]; [NY2000 §III-A] for open chains.
//! We differ: world axes, origin at each joint, classical accelerations; gravity enters as acceleration -g of the
//! world; the matrix `U = [al]x + [w]x[w]x` of a body serves its centre and all its children.
//! Not here: loops (`constraint`), joint springs and damping (`Forest::add_passive_forces`).
//! Cost: 4573 flops and 5376 bytes of work for human28, 4329 and 5376 for human42 (`flops`).
//! Checked by: `tests/it/oracle.rs` (Pinocchio), `tests/it/trees.rs` (identity with M), `tests/it/closed_form.rs`.

use super::{Placed, at, at_mut, fit, pair, place};
use crate::model::{BodyJoint, Forest};
use crate::spatial::{Force, Mat3, Real, Sym3, Vec3};
use multiversion::multiversion;

/// Scratch of [`inverse_dynamics`].
#[derive(Clone, Debug, Default)]
pub struct Work<T = f64> {
    bodies: Vec<Record<T>>,
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Record<T> {
    p: Placed<T>,
    w: Vec3<T>,  // angular velocity
    u: Mat3<T>,  // acceleration of the point r from the origin is a + u r
    al: Vec3<T>, // angular acceleration
    a: Vec3<T>,  // acceleration of the origin, less gravity
    n: Vec3<T>,  // moment about the origin that the joint must give
    f: Vec3<T>,  // force that the joint must give
}

/// Joint forces that give the joints the acceleration `a`.
///
/// # Panics
/// When a slice is shorter than the forest asks.
#[multiversion(targets("x86_64+avx+avx2"))]
pub fn inverse_dynamics(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    external: Option<&[Force]>,
    work: &mut Work,
    tau: &mut [f64],
) {
    kernel(forest, q, v, a, external, work, tau);
}

#[inline(always)]
pub(super) fn kernel<T: Real>(
    forest: &Forest,
    q: &[T],
    v: &[T],
    acc: &[T],
    external: Option<&[Force<T>]>,
    work: &mut Work<T>,
    tau: &mut [T],
) {
    fit(&mut work.bodies, forest.bodies().len());
    let ws = &mut work.bodies[..];
    ws[0] = Record { a: Vec3::splat(-forest.gravity()), ..Record::default() };
    ws[0].p.r = Mat3::identity();

    // outward: velocities, accelerations and the forces they need
    for (i, b) in forest.bodies().iter().enumerate().skip(1) {
        let up = &ws[b.parent.index()];
        let iv = b.iv as usize;
        let p = place(b, q, &up.p.r);
        let mut a = up.a + up.u.mul(p.d);
        let (wj, aj) = match b.joint {
            BodyJoint::Revolute(_) => (p.e1.times(at::<1, T>(v, iv)[0]), p.e1.times(at::<1, T>(acc, iv)[0])),
            BodyJoint::Prismatic(_) => {
                let slide = p.e1.times(at::<1, T>(v, iv)[0]);
                a += p.e1.times(at::<1, T>(acc, iv)[0]) + up.w.cross(slide + slide);
                (Vec3::default(), Vec3::default())
            }
            BodyJoint::Universal(..) => {
                let ([v1, v2], [a1, a2]) = (*at::<2, T>(v, iv), *at::<2, T>(acc, iv));
                let wj = p.e2.mad(v2, p.e1.times(v1));
                (wj, p.e1.cross(p.e2).mad(v1 * v2, p.e2.mad(a2, p.e1.times(a1))))
            }
            BodyJoint::Spherical => {
                (p.r.mul(Vec3::from_array(at(v, iv))), p.r.mul(Vec3::from_array(at(acc, iv))))
            }
            BodyJoint::Free => {
                let (w, lin) = (Vec3::from_array(at(v, iv)), Vec3::from_array(at(v, iv + 3)));
                // not through U: the free joint's displacement does not turn with the world
                a = up.a + p.r.mul(Vec3::from_array(at(acc, iv + 3)) + w.cross(lin));
                (p.r.mul(w), p.r.mul(Vec3::from_array(at(acc, iv))))
            }
        };
        let w = up.w + wj;
        let al = up.al + aj + up.w.cross(wj);
        let u = Mat3::point_acceleration(w, al);
        let h = p.r.mul_const(b.moment);
        let mut f = a.scale(b.mass) + u.mul(h);
        // the second moment is constant in body axes: turn two vectors instead of a matrix
        let (wb, alb) = (p.r.tr_mul(w), p.r.tr_mul(al));
        let j = Sym3::<T>::splat(&b.second);
        let mut n = p.r.mul(j.mul(alb) + wb.cross(j.mul(wb))) + h.cross(a);
        if let Some(e) = external {
            n -= e[i].angular;
            f -= e[i].linear;
        }
        ws[i] = Record { p, w, u, al, a, n, f };
    }

    // inward: joint forces; each body hands its force on to its parent
    for (i, b) in forest.bodies().iter().enumerate().skip(1).rev() {
        let (up, c) = pair(ws, b.parent.index(), i);
        let iv = b.iv as usize;
        match b.joint {
            BodyJoint::Revolute(_) => at_mut::<1, T>(tau, iv)[0] = c.p.e1.dot(c.n),
            BodyJoint::Prismatic(_) => at_mut::<1, T>(tau, iv)[0] = c.p.e1.dot(c.f),
            BodyJoint::Universal(..) => *at_mut(tau, iv) = [c.p.e1.dot(c.n), c.p.e2.dot(c.n)],
            BodyJoint::Spherical => *at_mut(tau, iv) = c.p.r.tr_mul(c.n).to_array(),
            BodyJoint::Free => {
                *at_mut(tau, iv) = c.p.r.tr_mul(c.n).to_array();
                *at_mut(tau, iv + 3) = c.p.r.tr_mul(c.f).to_array();
                continue;
            }
        }
        if b.has_armature {
            for k in 0..b.joint.nv() {
                tau[iv + k] += acc[iv + k].scale(b.armature[k]);
            }
        }
        up.f += c.f;
        up.n += c.n + c.p.d.cross(c.f);
    }
}
