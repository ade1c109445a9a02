//! Which velocities a contact or a connection reaches: its unit impulses on the degrees of freedom of its paths.
//!
//! Computes  for each contact, by degree of freedom on the paths of its two links, y = L^-T J^T of the articulated-body
//! factor M = L^T D L and z = D^-1/2 y. In coordinates of unit mass, z maps impulses to velocities and back:
//! G_ij = z_i^T z_j, summed over shared degrees of freedom. Neither M nor a full G is formed.
//! Source: climbs as in `constraint::climb`.
//! Cost: memory for the degrees of freedom on the paths only.
//! Checked by: `tests/it/contact_robust.rs`.

use super::face::Block;
use super::step::Instant;
use crate::constraint::MAX_ROWS;
use crate::constraint::climb::{self, Climb, End, Side};
use crate::model::{BodyIx, BodyJoint, Forest};
use crate::spatial::{Force, Lanes, Real, Sym3};
use multiversion::multiversion;

/// A contact's unit impulses on a degree of freedom.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    pub body: u32,
    pub dof: u32,
    /// through the articulated-body factor
    pub y: Side,
    /// the same for unit mass
    pub z: Side,
}

/// Unit impulses of contacts and connections on degrees of freedom.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    climb: Climb,
    start: Vec<usize>,
    parts: Vec<Part>,
    scale: f64,
}

/// One number for each degree of freedom of a body, and three at once.
type Roots = ([f64; 2], [[f64; 3]; 3]);

impl Reach {
    pub fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.parts.clear();
        self.scale = 0.0;
    }

    /// Size of the diagonal of G without cancellation between two ends.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Adds a contact or connection with its unit wrenches on link a; the two ends are bodies and the arms of its point.
    pub fn add(&mut self, at: &Instant, wrenches: &[Force; MAX_ROWS], ends: [End; 2]) {
        self.climb.reset(at.forest, 1);
        for end in ends {
            climb::climb(&mut self.climb, at.forest, at.work, 0, wrenches, end, at.is_implicit, false);
        }
        self.scale = self.scale.max(self.climb.scale());
        collect(self, at);
        self.start.push(self.parts.len());
    }

    /// The parts of a contact, by ascending degree of freedom.
    #[inline(always)]
    pub fn of(&self, i: usize) -> &[Part] {
        &self.parts[self.start[i]..self.start[i + 1]]
    }

    /// G of two contacts, rows of the first.
    #[inline(always)]
    pub fn block(&self, i: usize, j: usize) -> Block {
        let mut g = [Side::default(); MAX_ROWS];
        let (mut a, mut b) = (self.of(i), self.of(j));
        while let ([x, more_a @ ..], [y, more_b @ ..]) = (a, b) {
            match x.dof.cmp(&y.dof) {
                core::cmp::Ordering::Less => a = more_a,
                core::cmp::Ordering::Greater => b = more_b,
                core::cmp::Ordering::Equal => {
                    for r in 0..MAX_ROWS {
                        let k = x.z[r / 4].0[r % 4];
                        for p in 0..g[r].len() {
                            g[r][p] += y.z[p].scale(k);
                        }
                    }
                    (a, b) = (more_a, more_b);
                }
            }
        }
        g.map(|row| {
            let ([a, b, c, d], [e, f, ..]) = (row[0].0, row[1].0);
            [a, b, c, d, e, f]
        })
    }

    /// Adds impulses of one contact, projected on the degrees of freedom.
    #[inline(always)]
    pub fn push(&self, i: usize, lambda: &Side, push: &mut [f64]) {
        for part in self.of(i) {
            let mut sum = Lanes::default();
            for (y, l) in part.y.iter().zip(lambda) {
                sum += *y * *l;
            }
            push[part.dof as usize] += sum.total();
        }
    }
}

/// Copies the paths of the last climb.
#[multiversion(targets("x86_64+avx+avx2"))]
fn collect(reach: &mut Reach, at: &Instant) {
    let Reach { climb, parts, .. } = reach;
    for body in climb.shared(0, 0) {
        let b = &at.forest.bodies()[body];
        let first = b.iv as usize;
        let roots = roots(at, body);
        let seen = &climb.of(0)[first..first + b.joint.nv()];
        let mut note = |k: usize, z: Side| {
            parts.push(Part { body: body as u32, dof: (first + k) as u32, y: seen[k].y, z });
        };
        match b.joint {
            BodyJoint::Spherical | BodyJoint::Free => {
                let three = |root: &[[f64; 3]; 3], from: usize, k: usize| -> Side {
                    core::array::from_fn(|p| {
                        let mut sum = Lanes::default();
                        (k..3).for_each(|i| sum += seen[from + i].y[p].scale(root[i][k]));
                        sum
                    })
                };
                (0..3).for_each(|k| note(k, three(&roots.1, 0, k)));
                if b.joint == BodyJoint::Free {
                    let travel = cholesky(&at.work.bodies[body].m_inv);
                    (0..3).for_each(|k| note(3 + k, three(&travel, 3, k)));
                }
            }
            _ => (0..seen.len()).for_each(|k| note(k, seen[k].y.map(|y| y.scale(roots.0[k])))),
        }
    }
}

/// Square roots of D^-1 of a body's joint.
#[inline(always)]
fn roots(at: &Instant, body: usize) -> Roots {
    let c = &at.work.bodies[body];
    match at.forest.bodies()[body].joint {
        BodyJoint::Spherical | BodyJoint::Free => ([0.0; 2], cholesky(&c.d_inv)),
        _ => ([c.dof[0].d_inv.sqrt(), c.dof[1].d_inv.sqrt()], [[0.0; 3]; 3]),
    }
}

/// Lower factor R with R R^T = `a`.
#[inline(always)]
fn cholesky(a: &Sym3) -> [[f64; 3]; 3] {
    let xx = a.xx.sqrt();
    let (xy, xz) = (a.xy / xx, a.xz / xx);
    let yy = (a.yy - xy * xy).sqrt();
    let yz = (a.yz - xz * xy) / yy;
    let zz = (a.zz - xz * xz - yz * yz).sqrt();
    [[xx, 0.0, 0.0], [xy, yy, 0.0], [xz, yz, zz]]
}

/// The root of each body's tree.
pub(super) fn trees(forest: &Forest, roots: &mut Vec<u32>) {
    roots.clear();
    for (i, b) in forest.bodies().iter().enumerate() {
        let root = if b.parent == BodyIx::WORLD { i as u32 } else { roots[b.parent.index()] };
        roots.push(root);
    }
}
