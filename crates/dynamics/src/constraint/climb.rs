//! Propagates unit wrenches of connections and contacts to the root through the articulated-body factor.
//!
//! Computes  Y = L^-T K^T,  D^-1 Y,  G = Y^T D^-1 Y = K M^-1 K^T,  and the accelerations of the rows without their forces.
//! Source: Popov-Vereshchagin elimination on the factor of `algo::aba`; L and D as in M = L^T D L.
//! We differ: the up to six columns of a connection share the lanes of two packs, so that every operation is vectorised;
//! two connections interact only at bodies on both paths.
//! Not here: the solution (`dense`, `solve`), the response to forces (`response`).
//! Cost: about 80 vector operations for a revolute body and one connection, 110 for a spherical one; 26 for each degree
//! of freedom that two connections share.
//! Checked by: `tests/it/constraint.rs` (dense K M^-1 K^T).

use super::MAX_ROWS;
use crate::algo::{aba, at_mut, fit};
use crate::dense::stride;
use crate::model::{BodyIx, BodyJoint, Forest};
use crate::spatial::{Eliminated, Force, LANES, Lanes, Mat3, Real, Sym3, Vec3};
use multiversion::multiversion;

/// Packs that hold the rows of one connection.
pub(super) const PACKS: usize = MAX_ROWS.div_ceil(LANES);

/// One number for each row of a connection or contact, zero beyond its rows.
pub(crate) type Side = [Lanes; PACKS];

/// Projections of each connection's unit wrenches on each degree of freedom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Climb {
    nv: usize,
    /// by connection, then by degree of freedom; undefined for bodies that are not on the connection's paths
    y: Vec<Seen>,
    /// bodies on the path of either end of each connection, a bit each
    paths: Vec<u64>,
    /// words that the bits of one connection take
    words: usize,
    /// accelerations of each connection's rows without its forces, less those of moving directions
    free: Vec<Side>,
    /// largest contribution to a diagonal entry of G
    largest: Lanes,
}

/// Projection of a connection's unit wrenches on a degree of freedom: y, and D^-1 y of its joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub y: Side,
    pub dy: Side,
}

impl Seen {
    #[inline(always)]
    fn note(&mut self, p: usize, y: Lanes, dy: Lanes, is_known: bool) {
        let (old_y, old_dy) = if is_known { (self.y[p], self.dy[p]) } else { Default::default() };
        (self.y[p], self.dy[p]) = (old_y + y, old_dy + dy);
    }
}

/// Point of application of a connection's or contact's unit wrenches.
pub(crate) struct End {
    pub body: BodyIx,
    /// point of the connection, from the body's origin
    pub arm: Vec3,
    /// 1 on link a, -1 on link b
    pub sign: f64,
}

impl Climb {
    /// Resizes for `loops` connections or contacts.
    pub fn reset(&mut self, forest: &Forest, loops: usize) {
        self.nv = forest.nv();
        self.largest = Lanes::default();
        fit(&mut self.y, self.nv * loops);
        self.words = forest.bodies().len().div_ceil(u64::BITS as usize);
        fit(&mut self.paths, self.words * loops);
        self.paths.fill(0);
        fit(&mut self.free, loops);
        self.free.fill(Side::default());
    }

    /// Size of the diagonal of G without cancellation between the two ends of each connection.
    pub fn scale(&self) -> f64 {
        self.largest.0.iter().fold(0.0, |m: f64, s| m.max(*s))
    }

    /// Acceleration of row `k` of connection `i` without its forces, after climbs with `free`.
    #[inline(always)]
    pub fn free(&self, i: usize, k: usize) -> f64 {
        self.free[i][k / LANES].0[k % LANES]
    }

    /// Marks the body as on the path of connection `i`; returns whether it was already.
    #[inline(always)]
    fn visit(&mut self, i: usize, body: usize) -> bool {
        let word = &mut self.paths[i * self.words + body / 64];
        let bit = 1 << (body % 64);
        let is_known = *word & bit != 0;
        *word |= bit;
        is_known
    }

    /// Bodies on the paths of both connections, in the order of the forest.
    #[inline(always)]
    pub(crate) fn shared(&self, i: usize, j: usize) -> impl Iterator<Item = usize> + '_ {
        let of = |i: usize| &self.paths[i * self.words..(i + 1) * self.words];
        of(i).iter().zip(of(j)).enumerate().flat_map(|(w, (a, b))| Bits(a & b).map(move |bit| 64 * w + bit))
    }

    #[inline(always)]
    pub(crate) fn of(&self, i: usize) -> &[Seen] {
        &self.y[i * self.nv..(i + 1) * self.nv]
    }

    #[inline(always)]
    fn of_mut(&mut self, i: usize) -> &mut [Seen] {
        &mut self.y[i * self.nv..(i + 1) * self.nv]
    }
}

/// Indices of the set bits of a word.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let at = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (at < u64::BITS).then_some(at as usize)
    }
}

/// Propagates the wrenches of connection `i` from one of its ends to the root. With `free`, also accumulates the
/// accelerations of its rows without its forces.
#[multiversion(targets("x86_64+avx+avx2"))]
#[allow(clippy::too_many_arguments)] // one climb
pub(crate) fn climb(
    climb: &mut Climb,
    forest: &Forest,
    work: &aba::Work,
    i: usize,
    wrenches: &[Force; MAX_ROWS],
    end: End,
    implicit: bool,
    free: bool,
) {
    let mut k = Columns::new(wrenches, &end);
    (k.largest, k.seen) = (climb.largest, climb.free[i]);
    let mut body = end.body.index();
    if free {
        k.see(Vec3::ZERO, work.bodies[body].w.centripetal(end.arm));
    }
    while body > 0 {
        let (b, c) = (&forest.bodies()[body], &work.bodies[body]);
        let iv = b.iv as usize;
        let is_known = climb.visit(i, body);
        let y = climb.of_mut(i);
        match b.joint {
            BodyJoint::Revolute(_) => k.eliminate(&mut y[iv], is_known, c.p.e1, &c.dof[0], false),
            BodyJoint::Prismatic(_) => k.eliminate(&mut y[iv], is_known, c.p.e1, &c.dof[0], true),
            BodyJoint::Universal(..) => {
                k.eliminate(&mut y[iv + 1], is_known, c.p.e2, &c.dof[1], false);
                k.eliminate(&mut y[iv], is_known, c.p.e1, &c.dof[0], false);
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                let turned = k.n;
                k.eliminate_three(&turned, at_mut(y, iv), is_known, &c.d_inv, c.k);
                for p in 0..PACKS {
                    k.f[p] -= transposed_times(&c.g, turned[p]);
                }
                if b.joint == BodyJoint::Free {
                    let pushed = k.f;
                    k.eliminate_three(&pushed, at_mut(y, iv + 3), is_known, &c.m_inv, c.a);
                    (climb.largest, climb.free[i]) = (k.largest, k.seen);
                    return;
                }
                k.n = Default::default();
                if aba::keeps_rotor(b, implicit) {
                    let kept = Mat3::identity() - c.art.j.full().mul_mat(&c.d_inv.full());
                    k.n = turned.map(|n| times(&kept, n));
                }
            }
        }
        if free {
            k.see(c.za, c.zl);
        }
        for p in 0..PACKS {
            k.n[p] += Vec3::splat(c.p.d).cross(k.f[p]);
        }
        body = b.parent.index();
    }
    if free {
        k.see(Vec3::ZERO, work.bodies[0].a);
    }
    (climb.largest, climb.free[i]) = (k.largest, k.seen);
}

/// Columns of wrenches on a body, about its origin, and the sums so far.
#[derive(Default)]
struct Columns {
    n: [Vec3<Lanes>; PACKS],
    f: [Vec3<Lanes>; PACKS],
    largest: Lanes,
    seen: Side,
}

impl Columns {
    /// The unit wrenches of a connection about a body's origin, side by side.
    #[inline(always)]
    fn new(wrenches: &[Force; MAX_ROWS], end: &End) -> Columns {
        let mut k = Columns::default();
        for p in 0..PACKS {
            let row =
                |l: usize| if p * LANES + l < MAX_ROWS { wrenches[p * LANES + l] } else { Force::default() };
            let four = [row(0), row(1), row(2), row(3)];
            k.n[p] = side_by_side(four.map(|w| w.angular)).times(Lanes::splat(end.sign));
            k.f[p] = side_by_side(four.map(|w| w.linear)).times(Lanes::splat(end.sign));
            k.n[p] += Vec3::splat(end.arm).cross(k.f[p]);
        }
        k
    }

    /// Eliminates a single degree of freedom along `e`: y = S^T K, K -= U y / D.
    #[inline(always)]
    fn eliminate(&mut self, y: &mut Seen, is_known: bool, e: Vec3, d: &Eliminated, slides: bool) {
        for p in 0..PACKS {
            let along = dot(e, if slides { self.f[p] } else { self.n[p] });
            let part = along.scale(d.d_inv);
            y.note(p, along, part, is_known);
            self.largest = self.largest.larger(along * part);
            self.seen[p] += part.scale(d.u);
            self.n[p] -= Vec3 { x: part.scale(d.un.x), y: part.scale(d.un.y), z: part.scale(d.un.z) };
            self.f[p] -= Vec3 { x: part.scale(d.uf.x), y: part.scale(d.uf.y), z: part.scale(d.uf.z) };
        }
    }

    /// Eliminates three degrees of freedom at once, of a ball or of free travel: `k` are their projections, `inverse` their
    /// D^-1 and `own` their free acceleration.
    #[inline(always)]
    fn eliminate_three(
        &mut self,
        k: &[Vec3<Lanes>; PACKS],
        y: &mut [Seen; 3],
        is_known: bool,
        inverse: &Sym3,
        own: Vec3,
    ) {
        let full = inverse.full();
        for p in 0..PACKS {
            let part = times(&full, k[p]);
            y[0].note(p, k[p].x, part.x, is_known);
            y[1].note(p, k[p].y, part.y, is_known);
            y[2].note(p, k[p].z, part.z, is_known);
            self.largest = self.largest.larger(k[p].dot(part));
            self.seen[p] += dot(own, k[p]);
        }
    }

    /// Adds the projection of the current body's acceleration on the rows.
    #[inline(always)]
    fn see(&mut self, angular: Vec3, linear: Vec3) {
        for p in 0..PACKS {
            self.seen[p] += dot(angular, self.n[p]) + dot(linear, self.f[p]);
        }
    }
}

/// One vector per lane.
#[inline(always)]
fn side_by_side(v: [Vec3; LANES]) -> Vec3<Lanes> {
    let [a, b, c, d] = v;
    Vec3 { x: Lanes([a.x, b.x, c.x, d.x]), y: Lanes([a.y, b.y, c.y, d.y]), z: Lanes([a.z, b.z, c.z, d.z]) }
}

/// A constant matrix times a vector of lanes.
#[inline(always)]
fn times(m: &Mat3, v: Vec3<Lanes>) -> Vec3<Lanes> {
    transposed_times(&m.transpose(), v)
}

/// A constant matrix transposed times a vector of lanes.
#[inline(always)]
fn transposed_times(m: &Mat3, v: Vec3<Lanes>) -> Vec3<Lanes> {
    Vec3 { x: dot(m.x, v), y: dot(m.y, v), z: dot(m.z, v) }
}

#[inline(always)]
fn dot(c: Vec3, v: Vec3<Lanes>) -> Lanes {
    v.x.scale(c.x) + v.y.scale(c.y) + v.z.scale(c.z)
}

/// G = Y^T D^-1 Y of the `m` rows of all connections, rows [`stride`] apart, on the diagonal and to the right of it;
/// `start` gives the first row of each connection.
#[multiversion(targets("x86_64+avx+avx2"))]
pub(crate) fn delassus(climb: &Climb, forest: &Forest, start: &[usize], g: &mut [f64]) {
    let (loops, apart) = (start.len() - 1, stride(start[start.len() - 1]));
    for i in 0..loops {
        let rows = start[i + 1] - start[i];
        // from left to right: the next block overwrites what one writes beyond its columns
        for j in i..loops {
            let block = block(climb, forest, i, j);
            let packs = (start[j + 1] - start[j]).div_ceil(LANES);
            // rows by number, not by count: a block whose rows are counted does not stay in registers
            for r in 0..MAX_ROWS {
                for p in 0..PACKS {
                    if r < rows && p < packs {
                        *at_mut(g, (start[i] + r) * apart + start[j] + p * LANES) = block[r][p].0;
                    }
                }
            }
        }
    }
}

/// The rows of connection `i` against those of connection `j`.
#[inline(always)]
pub(crate) fn block(climb: &Climb, forest: &Forest, i: usize, j: usize) -> [Side; MAX_ROWS] {
    let mut g = [Side::default(); MAX_ROWS];
    let (yi, yj) = (climb.of(i), climb.of(j));
    for at in climb.shared(i, j) {
        let b = &forest.bodies()[at];
        let dofs = b.iv as usize..b.iv as usize + b.joint.nv();
        for (i, j) in yi[dofs.clone()].iter().zip(&yj[dofs]) {
            for r in 0..MAX_ROWS {
                let k = i.y[r / LANES].0[r % LANES];
                for p in 0..PACKS {
                    g[r][p] += j.dy[p].scale(k);
                }
            }
        }
    }
    g
}
