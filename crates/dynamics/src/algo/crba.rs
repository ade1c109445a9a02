//! Mass matrix of a tree by the composite-rigid-body algorithm, stored branch-sparse.
//!
//! Computes  M(q)  in O(n depth): one row a degree of freedom, holding only the degrees of freedom on its path to the
//! root, for all other entries are zero.
//! Source: [F2008 ch. 6].
//! We differ: world axes, origin at each joint; the row's force [n; f] climbs the path by n += d x f.
//! Not here: factorisation (`ltl`).
//! Cost: 6061 flops and 6080 bytes of work for human28, 6837 and 6992 for human42, M included (`flops`).
//! Checked by: `tests/it/oracle.rs` (Pinocchio), `tests/it/trees.rs` (columns by RNEA, symmetry, positive).

use super::{Placed, at_mut, fit, place};
use crate::model::{Body, BodyJoint, Forest};
use crate::spatial::{Inertia, Mat3, Real, Sym3, Vec3};
use multiversion::multiversion;

/// A symmetric matrix in rows of paths: row k holds the entries of the degrees of freedom from the root to k.
/// Rows of ancestors are prefixes of the same path, so inner loops run over contiguous memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathMatrix<T = f64> {
    pub(super) packed: Vec<T>,
}

/// Scratch of [`mass_matrix`].
#[derive(Clone, Debug, Default)]
pub struct Work<T = f64> {
    bodies: Vec<Record<T>>,
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Record<T> {
    p: Placed<T>,
    h: Vec3<T>, // composite: mass times centre, from the origin
    j: Sym3<T>, // composite: second moment about the origin
}

/// Mass matrix, armature included.
///
/// # Panics
/// When `q` is shorter than the forest asks.
#[multiversion(targets("x86_64+avx+avx2"))]
pub fn mass_matrix(forest: &Forest, q: &[f64], work: &mut Work, m: &mut PathMatrix) {
    kernel(forest, q, work, m);
}

#[inline(always)]
pub(super) fn kernel<T: Real>(forest: &Forest, q: &[T], work: &mut Work<T>, m: &mut PathMatrix<T>) {
    fit(&mut work.bodies, forest.bodies().len());
    fit(&mut m.packed, forest.row[forest.nv()] as usize);
    let (ws, mm) = (&mut work.bodies[..], &mut m.packed[..]);

    // outward: poses and the bodies' own inertias
    ws[0] = Record::default();
    ws[0].p.r = Mat3::identity();
    for (i, b) in forest.bodies().iter().enumerate().skip(1) {
        let p = place(b, q, &ws[b.parent.index()].p.r);
        ws[i] = Record { p, h: p.r.mul_const(b.moment), j: Sym3::turned(&b.second, &p.r) };
    }

    // inward: composite inertias, and the row of each degree of freedom
    for (i, b) in forest.bodies().iter().enumerate().skip(1).rev() {
        let c = ws[i];
        if b.parent.index() > 0 {
            let whole = Inertia { mass: T::splat(b.subtree_mass), moment: c.h, second: c.j }.shifted(c.p.d);
            let up = &mut ws[b.parent.index()];
            up.h += whole.moment;
            up.j += whole.second;
        }
        let turning = |e: Vec3<T>| (c.j.mul(e), e.cross(c.h));
        match b.joint {
            BodyJoint::Revolute(_) => {
                let (n, f) = turning(c.p.e1);
                climb(forest, ws, i, b, [n], [f], mm);
            }
            BodyJoint::Prismatic(_) => {
                let (n, f) = (c.h.cross(c.p.e1), c.p.e1.scale(b.subtree_mass));
                climb(forest, ws, i, b, [n], [f], mm);
            }
            BodyJoint::Universal(..) => {
                let ((n1, f1), (n2, f2)) = (turning(c.p.e1), turning(c.p.e2));
                climb(forest, ws, i, b, [n1, n2], [f1, f2], mm);
            }
            BodyJoint::Spherical => {
                let r = &c.p.r;
                let ((nx, fx), (ny, fy), (nz, fz)) = (turning(r.x), turning(r.y), turning(r.z));
                climb(forest, ws, i, b, [nx, ny, nz], [fx, fy, fz], mm);
            }
            BodyJoint::Free => free_block(forest, b, &c, mm),
        }
        if b.has_armature {
            for k in 0..b.joint.nv() {
                mm[forest.row[b.iv as usize + k + 1] as usize - 1] += T::splat(b.armature[k]);
            }
        }
    }
}

/// A free body's 6x6 block: its path begins with itself.
#[inline(always)]
fn free_block<T: Real>(forest: &Forest, b: &Body, c: &Record<T>, mm: &mut [T]) {
    let (r, iv) = (&c.p.r, b.iv as usize);
    let (h, o) = (r.tr_mul(c.h), T::default());
    let j = [c.j.mul(r.x), c.j.mul(r.y), c.j.mul(r.z)].map(|n| r.tr_mul(n).to_array());
    // linear row x, angular column y: (e_y x h)_x
    let cross = [[o, h.z, -h.y], [-h.z, o, h.x], [h.y, -h.x, o]];
    for k in 0..3 {
        let row = forest.row[iv + k] as usize;
        mm[row..=row + k].copy_from_slice(&j[k][..=k]);
        let row = forest.row[iv + 3 + k] as usize;
        *at_mut(mm, row) = cross[k];
        mm[row + 3..=row + 3 + k].fill(o);
        mm[row + 3 + k] = T::splat(b.subtree_mass);
    }
}

/// Writes the `N` rows of body `i`: its own block, then one block for each ancestor.
#[inline(always)]
fn climb<T: Real, const N: usize>(
    forest: &Forest,
    ws: &[Record<T>],
    i: usize,
    b: &Body,
    mut n: [Vec3<T>; N],
    f: [Vec3<T>; N],
    mm: &mut [T],
) {
    let start: &[u32; N] = super::at(&forest.row, b.iv as usize);
    let (c, depth) = (&ws[i], b.depth as usize);
    for k in 0..N {
        let at = start[k] as usize + depth;
        match b.joint {
            BodyJoint::Revolute(_) => mm[at] = c.p.e1.dot(n[k]),
            BodyJoint::Prismatic(_) => mm[at] = c.p.e1.dot(f[k]),
            BodyJoint::Universal(..) => {
                mm[at] = c.p.e1.dot(n[k]);
                if k == 1 {
                    mm[at + 1] = c.p.e2.dot(n[k]);
                }
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                let own = c.p.r.tr_mul(n[k]).to_array();
                mm[at..=at + k].copy_from_slice(&own[..=k]);
            }
        }
    }
    let (mut up, mut d) = (b.parent.index(), c.p.d);
    while up > 0 {
        let (ub, uc) = (&forest.bodies()[up], &ws[up]);
        let depth = ub.depth as usize;
        for k in 0..N {
            n[k] += d.cross(f[k]);
            let at = start[k] as usize + depth;
            match ub.joint {
                BodyJoint::Revolute(_) => mm[at] = uc.p.e1.dot(n[k]),
                BodyJoint::Prismatic(_) => mm[at] = uc.p.e1.dot(f[k]),
                BodyJoint::Universal(..) => *at_mut(mm, at) = [uc.p.e1.dot(n[k]), uc.p.e2.dot(n[k])],
                BodyJoint::Spherical => *at_mut(mm, at) = uc.p.r.tr_mul(n[k]).to_array(),
                BodyJoint::Free => {
                    *at_mut(mm, at) = uc.p.r.tr_mul(n[k]).to_array();
                    *at_mut(mm, at + 3) = uc.p.r.tr_mul(f[k]).to_array();
                }
            }
        }
        (d, up) = (uc.p.d, ub.parent.index());
    }
}

impl PathMatrix {
    /// One row of the whole matrix.
    pub fn row_into(&self, forest: &Forest, row: usize, into: &mut [f64]) {
        into.fill(0.0);
        self.each(forest, |i, j, x| {
            if i == row {
                into[j] = x;
            } else if j == row {
                into[i] = x;
            }
        });
    }

    /// M := M + diag(x): inertia that joints have in addition, or what implicit feedback and viscosity act like.
    pub fn add_diagonal(&mut self, forest: &Forest, x: &[f64]) {
        for (k, x) in x.iter().enumerate().take(forest.nv()) {
            self.packed[forest.row[k + 1] as usize - 1] += x;
        }
    }
}

impl<T: Real> PathMatrix<T> {
    /// Row, column and value of every entry that may be other than zero, of the lower triangle.
    fn each(&self, forest: &Forest, mut f: impl FnMut(usize, usize, T)) {
        for k in 0..forest.nv() {
            let (start, end) = (forest.row[k] as usize, forest.row[k + 1] as usize);
            // walk the path upwards from k itself
            let mut dof = k as u32 + 1;
            for x in self.packed[start..end].iter().rev() {
                let i = dof as usize - 1;
                f(k, i, *x);
                dof = forest.dof_parent[i];
            }
        }
    }

    /// All entries, row by row, both triangles.
    pub fn to_dense(&self, forest: &Forest) -> Vec<Vec<T>> {
        let n = forest.nv();
        let mut dense = vec![vec![T::default(); n]; n];
        self.each(forest, |i, j, x| (dense[i][j], dense[j][i]) = (x, x));
        dense
    }
}
