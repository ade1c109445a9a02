//! Unit wrenches of connections and contacts climbing through the articulated-body factor, and the response to them.
//!
//! Computes  Y = L^-T K^T,  G = Y^T D^-1 Y = K M^-1 K^T,  what each degree of freedom sees of K^T lambda, and M^-1 K^T
//! lambda.
//! Source: Popov-Vereshchagin elimination on the factor of `algo::aba`; L and D as in M = L^T D L.
//! We differ: the up to six columns of a connection go side by side through the lanes of two packs, so that every
//! operation is a vector one; two connections meet only at the bodies that both paths share.
//! Not here: the solution (`low_rank`, `solve`).
//! Cost: about 150 vector operations for a revolute body and one connection.
//! Checked by: `tests/constraint.rs` (dense K M^-1 K^T).

use super::MAX_ROWS;
use crate::algo::{aba, fit};
use crate::model::{BodyIx, BodyJoint, Forest};
use crate::spatial::{Eliminated, Force, LANES, Lanes, Mat3, Real, Sym3, Vec3};
use multiversion::multiversion;

/// Packs that hold the rows of one connection.
const PACKS: usize = MAX_ROWS.div_ceil(LANES);

/// One number for each row of a connection or contact; what is beyond its rows is zero.
pub(crate) type Side = [Lanes; PACKS];

/// What each degree of freedom sees of each connection's unit wrenches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Climb {
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
    /// Makes room for `loops` connections or contacts.
    pub fn reset(&mut self, forest: &Forest, loops: usize) {
        self.loops = loops;
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
pub(crate) fn climb(
    climb: &mut Climb,
    forest: &Forest,
    work: &aba::Work,
    i: usize,
    wrenches: &[Force],
    body: BodyIx,
    arm: Vec3,
    sign: f64,
    implicit: bool,
) {
    let mut k = columns(wrenches, arm, sign);
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
fn columns(wrenches: &[Force], arm: Vec3, sign: f64) -> Columns {
    let mut k = Columns { n: Default::default(), f: Default::default() };
    for (j, w) in wrenches.iter().enumerate() {
        let f = w.linear.scale(sign);
        let n = w.angular.scale(sign) + arm.cross(f);
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
pub(crate) fn delassus(climb: &Climb, forest: &Forest, work: &aba::Work, start: &[usize], g: &mut [f64]) {
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

/// The numbers of one connection, side by side.
#[inline(always)]
pub(crate) fn side(lambda: &[f64]) -> Side {
    let mut side = Side::default();
    for (k, l) in lambda.iter().enumerate() {
        side[k / LANES].set_lane(k % LANES, *l);
    }
    side
}

/// Scratch of the response to forces of connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    /// K^T lambda seen by each degree of freedom through the factor
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
        fit(&mut self.push, forest.nv());
        for (dof, push) in self.push.iter_mut().enumerate() {
            *push = climb.seen_force(dof, lambda);
        }
        fit(&mut self.bodies, forest.bodies().len());
        self.bodies[0] = (Vec3::ZERO, Vec3::ZERO);
        for (i, (b, c)) in forest.bodies().iter().zip(&work.bodies).enumerate().skip(1) {
            let (up_al, up_a) = self.bodies[b.parent.index()];
            let iv = b.iv as usize;
            let part = |at: usize| Vec3::from_array(&[self.push[at], self.push[at + 1], self.push[at + 2]]);
            if b.joint == BodyJoint::Free {
                let a = c.m_inv.mul(part(iv + 3));
                let al = c.d_inv.mul(part(iv)) - c.g.mul(a);
                add3(x, iv, c.p.r.tr_mul(al));
                add3(x, iv + 3, c.p.r.tr_mul(a));
                self.bodies[i] = (al, a);
                continue;
            }
            let a = up_a + up_al.cross(c.p.d);
            let single = |k: usize, al: Vec3| {
                let d = &c.dof[k];
                (self.push[iv + k] - d.un.dot(al) - d.uf.dot(a)) * d.d_inv
            };
            self.bodies[i] = match b.joint {
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
}

fn add3(x: &mut [f64], at: usize, v: Vec3) {
    for (k, value) in v.to_array().into_iter().enumerate() {
        x[at + k] += value;
    }
}
