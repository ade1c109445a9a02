//! Response to forces of connections and contacts, through the articulated-body factor.
//!
//! Computes  K^T lambda projected on each degree of freedom, and M^-1 K^T lambda.
//! Source: the outward sweep of `algo::aba`, with Y of `climb` in place of joint forces.
//! Checked by: `tests/it/constraint.rs` (dense KKT; the fast path against the plain one).

use super::climb::{Climb, PACKS, Seen, Side};
use crate::algo::{aba, at, fit};
use crate::model::{BodyIx, BodyJoint, Forest};
use crate::spatial::{LANES, Lanes, Real, Vec3};
use multiversion::multiversion;

/// Packs the numbers of one connection into lanes.
#[inline(always)]
pub(crate) fn side(lambda: &[f64]) -> Side {
    let mut side = Side::default();
    for (k, l) in lambda.iter().enumerate() {
        side[k / LANES].set_lane(k % LANES, *l);
    }
    side
}

/// Adds forces `lambda`, packed for each connection, to the joint forces of the factor.
#[multiversion(targets("x86_64+avx+avx2"))]
pub(crate) fn push(climb: &Climb, forest: &Forest, work: &mut aba::Work, lambda: &[Side]) {
    for (i, lambda) in lambda.iter().enumerate() {
        let y = climb.of(i);
        for body in climb.shared(i, i) {
            let (b, c) = (&forest.bodies()[body], &mut work.bodies[body]);
            let iv = b.iv as usize;
            match b.joint {
                BodyJoint::Revolute(_) | BodyJoint::Prismatic(_) => c.dof[0].u += seen(&y[iv].y, lambda),
                BodyJoint::Universal(..) => {
                    c.dof[0].u += seen(&y[iv].y, lambda);
                    c.dof[1].u += seen(&y[iv + 1].y, lambda);
                }
                BodyJoint::Spherical | BodyJoint::Free => {
                    c.k += seen_by_three(at(y, iv), lambda);
                    if b.joint == BodyJoint::Free {
                        c.a += seen_by_three(at(y, iv + 3), lambda);
                    }
                }
            }
        }
    }
}

/// Projection of forces on a degree of freedom.
#[inline(always)]
fn seen(y: &Side, lambda: &Side) -> f64 {
    let mut sum = Lanes::default();
    for p in 0..PACKS {
        sum += y[p] * lambda[p];
    }
    sum.total()
}

/// The acceleration of three degrees of freedom under forces.
#[inline(always)]
fn seen_by_three(y: &[Seen; 3], lambda: &Side) -> Vec3 {
    Vec3 { x: seen(&y[0].dy, lambda), y: seen(&y[1].dy, lambda), z: seen(&y[2].dy, lambda) }
}

/// Workspace of the response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    /// K^T lambda projected on each degree of freedom through the factor
    push: Vec<f64>,
    /// angular and linear, of each body
    bodies: Vec<(Vec3, Vec3)>,
}

impl Response {
    /// Angular and linear response of a body, about its origin.
    pub fn of(&self, body: BodyIx) -> (Vec3, Vec3) {
        self.bodies[body.index()]
    }

    /// x += M^-1 K^T lambda, by one outward sweep over the factor.
    pub fn add(
        &mut self,
        climb: &Climb,
        forest: &Forest,
        work: &aba::Work,
        lambda: &[Side],
        implicit: bool,
        x: &mut [f64],
    ) {
        let mut push = core::mem::take(&mut self.push);
        project(&mut push, climb, forest, lambda);
        respond(self, forest, work, &push, implicit, x);
        self.push = push;
    }

    /// x += M^-1 f for forces projected on each degree of freedom through the factor.
    pub fn spread(&mut self, forest: &Forest, work: &aba::Work, push: &[f64], implicit: bool, x: &mut [f64]) {
        respond(self, forest, work, push, implicit, x);
    }
}

/// K^T lambda projected on each degree of freedom.
#[multiversion(targets("x86_64+avx+avx2"))]
fn project(push: &mut Vec<f64>, climb: &Climb, forest: &Forest, lambda: &[Side]) {
    fit(push, forest.nv());
    push.fill(0.0);
    for (i, lambda) in lambda.iter().enumerate() {
        let y = climb.of(i);
        for at in climb.shared(i, i) {
            let b = &forest.bodies()[at];
            for dof in b.iv as usize..b.iv as usize + b.joint.nv() {
                push[dof] += seen(&y[dof].y, lambda);
            }
        }
    }
}

#[multiversion(targets("x86_64+avx+avx2"))]
fn respond(
    response: &mut Response,
    forest: &Forest,
    work: &aba::Work,
    push: &[f64],
    implicit: bool,
    x: &mut [f64],
) {
    fit(&mut response.bodies, forest.bodies().len());
    response.bodies[0] = (Vec3::ZERO, Vec3::ZERO);
    for (i, (b, c)) in forest.bodies().iter().zip(&work.bodies).enumerate().skip(1) {
        let (up_al, up_a) = response.bodies[b.parent.index()];
        let iv = b.iv as usize;
        let part = |at: usize| Vec3::from_array(&[push[at], push[at + 1], push[at + 2]]);
        if b.joint == BodyJoint::Free {
            let a = c.m_inv.mul(part(iv + 3));
            let al = c.d_inv.mul(part(iv)) - c.g.mul(a);
            add3(x, iv, c.p.r.tr_mul(al));
            add3(x, iv + 3, c.p.r.tr_mul(a));
            response.bodies[i] = (al, a);
            continue;
        }
        let a = up_a + up_al.cross(c.p.d);
        let single = |k: usize, al: Vec3| {
            let d = &c.dof[k];
            (push[iv + k] - d.un.dot(al) - d.uf.dot(a)) * d.d_inv
        };
        response.bodies[i] = match b.joint {
            BodyJoint::Revolute(_) => {
                let k = single(0, up_al);
                x[iv] += k;
                (c.p.e1.mad(k, up_al), a)
            }
            BodyJoint::Prismatic(_) => {
                let k = single(0, up_al);
                x[iv] += k;
                (up_al, c.p.e1.mad(k, a))
            }
            BodyJoint::Universal(..) => {
                let k1 = single(0, up_al);
                let al = c.p.e1.mad(k1, up_al);
                let k2 = single(1, al);
                x[iv] += k1;
                x[iv + 1] += k2;
                (c.p.e2.mad(k2, al), a)
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                let mut al = c.d_inv.mul(part(iv)) - c.g.mul(a);
                if aba::keeps_rotor(b, implicit) {
                    al += up_al - c.d_inv.mul(c.art.j.mul(up_al));
                }
                add3(x, iv, c.p.r.tr_mul(al - up_al));
                (al, a)
            }
        };
    }
}

fn add3(x: &mut [f64], at: usize, v: Vec3) {
    for (k, value) in v.to_array().into_iter().enumerate() {
        x[at + k] += value;
    }
}
