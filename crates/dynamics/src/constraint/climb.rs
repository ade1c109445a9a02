//! Unit wrenches of connections climbing through the articulated-body factor.
//!
//! Computes  Y = L^-T K^T,  G = Y^T D^-1 Y = K M^-1 K^T,  and what each degree of freedom sees of K^T lambda.
//! Source: Popov-Vereshchagin elimination on the factor of `algo::aba`; L and D as in M = L^T D L.
//! We differ: the up to six columns of a connection go side by side through the lanes of two packs, so that every
//! operation is a vector one; two connections meet only at the bodies that both paths share.
//! Not here: the solution (`low_rank`, `solve`).
//! Cost: about 150 vector operations for a revolute body and one connection.
//! Checked by: `tests/constraint.rs` (dense K M^-1 K^T).

use super::MAX_ROWS;
use super::rows::LoopState;
use crate::algo::{aba, fit};
use crate::model::{BodyIx, BodyJoint, Forest};
use crate::spatial::{Eliminated, LANES, Lanes, Mat3, Real, Sym3, Vec3};
use multiversion::multiversion;

/// Packs that hold the rows of one connection.
const PACKS: usize = MAX_ROWS.div_ceil(LANES);

/// One number for each row of a connection; what is beyond its rows is zero.
pub(super) type Side = [Lanes; PACKS];

/// What each degree of freedom sees of each connection's unit wrenches.
#[derive(Clone, Debug, Default)]
pub(super) struct Climb {
    loops: usize,
    /// by degree of freedom, then by connection
    y: Vec<Side>,
    /// by body, then by connection: whether the body is on the path of either end
    is_seen: Vec<bool>,
    /// size that the diagonal of G would have if the two ends of each connection did not cancel
    pub scale: f64,
}

/// Columns of wrenches on a body, about its origin.
struct Columns {
    n: [Vec3<Lanes>; PACKS],
    f: [Vec3<Lanes>; PACKS],
}

impl Climb {
    /// Makes room for the connections of a forest.
    pub fn reset(&mut self, forest: &Forest) {
        self.loops = forest.loops().len();
        self.scale = 0.0;
        fit(&mut self.y, forest.nv() * self.loops);
        self.y.fill(Side::default());
        fit(&mut self.is_seen, forest.bodies().len() * self.loops);
        self.is_seen.fill(false);
    }

    /// What degree of freedom `dof` sees of forces `lambda`, given side by side for each connection.
    pub fn seen_force(&self, dof: usize, lambda: &[Side]) -> f64 {
        let own = &self.y[dof * self.loops..(dof + 1) * self.loops];
        let mut sum = Lanes::default();
        for (y, l) in own.iter().zip(lambda) {
            for p in 0..PACKS {
                sum += y[p] * l[p];
            }
        }
        sum.0.iter().sum()
    }
}

/// Sends the wrenches of connection `i` on one of its bodies, `arm` from the body's origin, up to the root.
#[multiversion(targets("x86_64+avx+avx2"))]
#[allow(clippy::too_many_arguments)] // one climb
pub(super) fn climb(
    climb: &mut Climb,
    forest: &Forest,
    work: &aba::Work,
    i: usize,
    state: &LoopState,
    body: BodyIx,
    arm: Vec3,
    sign: f64,
    implicit: bool,
) {
    let mut k = columns(state, arm, sign);
    let mut at = body.index();
    while at > 0 {
        let (b, c) = (&forest.bodies()[at], &work.bodies[at]);
        let iv = b.iv as usize;
        climb.is_seen[at * climb.loops + i] = true;
        match b.joint {
            BodyJoint::Revolute(_) => k.let_go(climb, iv, i, c.p.e1, &c.dof[0], false),
            BodyJoint::Prismatic(_) => k.let_go(climb, iv, i, c.p.e1, &c.dof[0], true),
            BodyJoint::Universal(..) => {
                k.let_go(climb, iv + 1, i, c.p.e2, &c.dof[1], false);
                k.let_go(climb, iv, i, c.p.e1, &c.dof[0], false);
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                let turned = k.n;
                climb.note(iv, i, &turned, &c.d_inv);
                for p in 0..PACKS {
                    k.f[p] -= transposed_times(&c.g, turned[p]);
                    k.n[p] = Vec3::default();
                    if b.joint == BodyJoint::Spherical && aba::keeps_rotor(b, implicit) {
                        let d = times(&c.d_inv.full(), turned[p]);
                        k.n[p] = turned[p] - times(&c.art.j.full(), d);
                    }
                }
                if b.joint == BodyJoint::Free {
                    climb.note(iv + 3, i, &k.f, &c.m_inv);
                    return;
                }
            }
        }
        for p in 0..PACKS {
            k.n[p] += Vec3::splat(c.p.d).cross(k.f[p]);
        }
        at = b.parent.index();
    }
}

impl Climb {
    /// Three rows of Y at once: those of a spherical joint, or of a free one's travel.
    #[inline(always)]
    fn note(&mut self, iv: usize, i: usize, k: &[Vec3<Lanes>; PACKS], inverse: &Sym3) {
        for p in 0..PACKS {
            for (x, row) in k[p].to_array().into_iter().enumerate() {
                self.y[(iv + x) * self.loops + i][p] += row;
            }
            let size = k[p].dot(times(&inverse.full(), k[p]));
            self.scale = size.0.iter().fold(self.scale, |m, s| m.max(*s));
        }
    }
}

impl Columns {
    /// Lets go of a single degree of freedom along `e`: y = S^T K, K -= U y / D.
    #[inline(always)]
    fn let_go(&mut self, climb: &mut Climb, dof: usize, i: usize, e: Vec3, d: &Eliminated, slides: bool) {
        for p in 0..PACKS {
            let along = if slides { self.f[p] } else { self.n[p] };
            let y = along.x.scale(e.x) + along.y.scale(e.y) + along.z.scale(e.z);
            climb.y[dof * climb.loops + i][p] += y;
            let yd = y.scale(d.d_inv);
            climb.scale = (y * yd).0.iter().fold(climb.scale, |m, s| m.max(*s));
            self.n[p] -= Vec3 { x: yd.scale(d.un.x), y: yd.scale(d.un.y), z: yd.scale(d.un.z) };
            self.f[p] -= Vec3 { x: yd.scale(d.uf.x), y: yd.scale(d.uf.y), z: yd.scale(d.uf.z) };
        }
    }
}

/// The unit wrenches of a connection about a body's origin, side by side.
#[inline(always)]
fn columns(state: &LoopState, arm: Vec3, sign: f64) -> Columns {
    let mut k = Columns { n: Default::default(), f: Default::default() };
    for (j, r) in state.rows().iter().enumerate() {
        let f = r.wrench.linear.scale(sign);
        let n = r.wrench.angular.scale(sign) + arm.cross(f);
        for (to, from) in [(&mut k.n, n), (&mut k.f, f)] {
            let to = &mut to[j / LANES];
            to.x.set_lane(j % LANES, from.x);
            to.y.set_lane(j % LANES, from.y);
            to.z.set_lane(j % LANES, from.z);
        }
    }
    k
}

/// A constant matrix times a vector of lanes.
#[inline(always)]
fn times(m: &Mat3, v: Vec3<Lanes>) -> Vec3<Lanes> {
    transposed_times(&m.transpose(), v)
}

/// A constant matrix transposed times a vector of lanes.
#[inline(always)]
fn transposed_times(m: &Mat3, v: Vec3<Lanes>) -> Vec3<Lanes> {
    let dot = |c: Vec3| v.x.scale(c.x) + v.y.scale(c.y) + v.z.scale(c.z);
    Vec3 { x: dot(m.x), y: dot(m.y), z: dot(m.z) }
}

/// G = Y^T D^-1 Y, lower triangle of the `m` by `m` matrix `g`; `start` gives the first row of each connection.
#[multiversion(targets("x86_64+avx+avx2"))]
pub(super) fn delassus(climb: &Climb, forest: &Forest, work: &aba::Work, start: &[usize], g: &mut [f64]) {
    let (loops, m) = (climb.loops, start[climb.loops]);
    for i in 0..loops {
        for j in 0..=i {
            let block = block(climb, forest, work, i, j);
            for (r, row) in block.iter().enumerate().take(start[i + 1] - start[i]) {
                let row_at = (start[i] + r) * m + start[j];
                for (c, to) in g[row_at..row_at + start[j + 1] - start[j]].iter_mut().enumerate() {
                    *to = row[c / LANES].0[c % LANES];
                }
            }
        }
    }
}

/// The rows of connection `i` against those of connection `j`.
#[inline(always)]
fn block(climb: &Climb, forest: &Forest, work: &aba::Work, i: usize, j: usize) -> [Side; MAX_ROWS] {
    let mut g = [Side::default(); MAX_ROWS];
    let loops = climb.loops;
    let y = |dof: usize, l: usize| &climb.y[dof * loops + l];
    for (at, (b, c)) in forest.bodies().iter().zip(&work.bodies).enumerate().skip(1) {
        if !(climb.is_seen[at * loops + i] && climb.is_seen[at * loops + j]) {
            continue;
        }
        let iv = b.iv as usize;
        match b.joint {
            BodyJoint::Revolute(_) | BodyJoint::Prismatic(_) => {
                add_single(&mut g, y(iv, i), y(iv, j), c.dof[0].d_inv)
            }
            BodyJoint::Universal(..) => {
                add_single(&mut g, y(iv, i), y(iv, j), c.dof[0].d_inv);
                add_single(&mut g, y(iv + 1, i), y(iv + 1, j), c.dof[1].d_inv);
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                add_triple(
                    &mut g,
                    [0, 1, 2].map(|k| y(iv + k, i)),
                    [0, 1, 2].map(|k| y(iv + k, j)),
                    &c.d_inv,
                );
                if b.joint == BodyJoint::Free {
                    add_triple(
                        &mut g,
                        [3, 4, 5].map(|k| y(iv + k, i)),
                        [3, 4, 5].map(|k| y(iv + k, j)),
                        &c.m_inv,
                    );
                }
            }
        }
    }
    g
}

#[inline(always)]
fn add_single(g: &mut [Side; MAX_ROWS], yi: &Side, yj: &Side, d_inv: f64) {
    let yj = yj.map(|y| y.scale(d_inv));
    for (r, row) in g.iter_mut().enumerate() {
        let k = yi[r / LANES].0[r % LANES];
        for p in 0..PACKS {
            row[p] += yj[p].scale(k);
        }
    }
}

#[inline(always)]
fn add_triple(g: &mut [Side; MAX_ROWS], yi: [&Side; 3], yj: [&Side; 3], inverse: &Sym3) {
    let full = inverse.full();
    let mut d = [Side::default(); 3];
    for p in 0..PACKS {
        let v = times(&full, Vec3 { x: yj[0][p], y: yj[1][p], z: yj[2][p] });
        (d[0][p], d[1][p], d[2][p]) = (v.x, v.y, v.z);
    }
    for (r, row) in g.iter_mut().enumerate() {
        let k = |x: usize| yi[x][r / LANES].0[r % LANES];
        for p in 0..PACKS {
            row[p] += d[0][p].scale(k(0)) + d[1][p].scale(k(1)) + d[2][p].scale(k(2));
        }
    }
}
