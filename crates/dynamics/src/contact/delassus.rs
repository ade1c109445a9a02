//! Delassus matrix G of the contacts, with connections held.
//!
//! Computes  G = J P J^T  and  P J^T p,  P the inverse of the mass matrix with the connections' rows held:
//! G_cc - G_ck G_kk^+ G_kc over the climbs of connections (k) and contacts (c).
//! Source: [NY2000J eq. 20-21]; climbs as in `constraint::climb`.
//! Checked by: `tests/it/contact_robust.rs` (glued boxes are one box).

use super::check::Problem;
use super::face::{Block, Six};
use super::patch::Patch;
use super::step::Instant;
use crate::algo::aba::MovingBody;
use crate::algo::fit;
use crate::constraint::MAX_ROWS;
use crate::constraint::climb::{self, Climb, Side};
use crate::constraint::response::{self, Response};
use crate::dense::{DAMPING, LowRank, stride};
use crate::model::{BodyIx, Forest};
use crate::spatial::{Force, Motion, Vec3};
use multiversion::multiversion;

/// Delassus matrix of contacts, with connections held.
#[derive(Clone, Debug, Default)]
pub(super) struct Delassus {
    climb: Climb,
    response: Response,
    start: Vec<usize>,
    g: Vec<f64>,
    /// factor of the connections' own part
    loops: LowRank,
    loops_g: Vec<f64>,
    /// responses of the connections to unit impulses of contacts, by column
    coupling: Vec<f64>,
    loop_rows: usize,
    /// velocities of the connections' rows without contact
    open: Vec<f64>,
    sides: Vec<Side>,
    /// of each contact: diagonal without connections, and whether connections hold it completely
    own: Vec<[f64; 6]>,
    is_held: Vec<bool>,
}

/// A contact whose diagonal is reduced to less than this part by the connections cannot move: the rest is rounding.
const HELD: f64 = 1e-8;

impl Delassus {
    /// Writes G of all patches, with connections held, into the problem, and projects its free velocities onto the connections
    /// `rest` seconds after the pose: the velocities `freed` before projection have second-order errors, to which nearly
    /// immobile contacts would respond with arbitrary forces.
    pub fn compute(
        &mut self,
        at: &Instant,
        patches: &[Patch],
        bodies: &[MovingBody],
        freed: &[Motion],
        rest: f64,
        problem: &mut Problem,
    ) {
        let rows = self.climb_all(at, patches, bodies);
        fit(&mut self.is_held, patches.len());
        if self.loop_rows == 0 {
            self.is_held.fill(false);
            write_blocks(&self.climb, at.forest, patches.len(), problem);
            return;
        }
        let apart = stride(rows);
        fit(&mut self.g, rows * apart);
        climb::delassus(&self.climb, at.forest, &self.start, &mut self.g);
        let n = patches.len();
        let first = self.loop_rows;
        let own = |i: usize| core::array::from_fn(|r| self.g[(first + 6 * i + r) * (apart + 1)]);
        self.own.clear();
        self.own.extend((0..n).map(own));
        self.hold_connections(rows);
        self.free_with_connections(at, bodies, freed, rest, problem);
        for (i, own) in self.own.iter().enumerate() {
            let at =
                |r: usize, c: usize| self.g[(first + 6 * i + r.min(c)) * apart + first + 6 * i + r.max(c)];
            let block: Block = core::array::from_fn(|r| core::array::from_fn(|c| at(r, c)));
            self.is_held[i] = leave_held(block, own, &mut problem.free[i]) == 0;
        }
        self.write_free_blocks(n, apart, problem);
    }

    /// Propagates the wrenches of all connections, then of all patches, to the roots; returns the number of rows.
    fn climb_all(&mut self, at: &Instant, patches: &[Patch], bodies: &[MovingBody]) -> usize {
        let loops = at.forest.loops();
        self.climb.reset(at.forest, loops.len() + patches.len());
        self.start.clear();
        self.start.push(0);
        let mut rows = 0;
        let mut climb_ends = |slot: usize,
                              wrenches: &[Force; MAX_ROWS],
                              point: Vec3,
                              a: BodyIx,
                              b: BodyIx| {
            for (body, sign) in [(a, 1.0), (b, -1.0)] {
                let arm = point - bodies[body.index()].pose.translation;
                let end = climb::End { body, arm, sign };
                climb::climb(&mut self.climb, at.forest, at.work, slot, wrenches, end, at.is_implicit, false);
            }
        };
        for (i, (l, state)) in loops.iter().zip(at.loops.states()).enumerate() {
            climb_ends(i, &state.wrenches(), state.point, l.a, l.b);
            rows += state.rows().len();
            self.start.push(rows);
        }
        self.loop_rows = rows;
        for (k, p) in patches.iter().enumerate() {
            let (x, y, z, o) = (p.axes.x, p.axes.y, p.axes.z, Vec3::ZERO);
            let wrenches: [Force; MAX_ROWS] = [
                Force::new(o, x),
                Force::new(o, y),
                Force::new(o, z),
                Force::new(x, o),
                Force::new(y, o),
                Force::new(z, o),
            ];
            climb_ends(loops.len() + k, &wrenches, p.point, p.pair.a, p.pair.b);
            rows += 6;
            self.start.push(rows);
        }
        rows
    }

    /// Writes the remaining G into the problem; zero for held contacts.
    fn write_free_blocks(&self, n: usize, apart: usize, problem: &mut Problem) {
        for i in 0..n {
            for r in 0..6 {
                let row = &self.g[(self.loop_rows + 6 * i + r) * apart + self.loop_rows..];
                for j in i..n {
                    let is_held = self.is_held[i] || self.is_held[j];
                    for c in if i == j { r } else { 0 }..6 {
                        let x = if is_held { 0.0 } else { row[6 * j + c] };
                        problem.g[i * n + j][r][c] = x;
                        problem.g[j * n + i][c][r] = x;
                    }
                }
            }
        }
    }

    /// Eliminates the connections: G_cc - G_ck G_kk^+ G_kc.
    fn hold_connections(&mut self, rows: usize) {
        let (m, apart) = (self.loop_rows, stride(rows));
        fit(&mut self.loops_g, m * stride(m));
        for i in 0..m {
            self.loops_g[i * stride(m)..][..m].copy_from_slice(&self.g[i * apart..][..m]);
        }
        self.loops.compute(&self.loops_g, m, self.climb.scale(), DAMPING);
        fit(&mut self.coupling, (rows - m) * m);
        for c in m..rows {
            let column = &mut self.coupling[(c - m) * m..(c - m + 1) * m];
            column.iter_mut().enumerate().for_each(|(k, x)| *x = self.g[k * apart + c]);
            self.loops.solve(column);
        }
        for i in m..rows {
            for j in i..rows {
                let x = &self.coupling[(j - m) * m..(j - m + 1) * m];
                let s: f64 = x.iter().enumerate().map(|(k, x)| self.g[k * apart + i] * x).sum();
                self.g[i * apart + j] -= s;
            }
        }
    }

    /// u_free - G_ck G_kk^+ (K v_free + rest K' v): the connections rotate during `rest`.
    fn free_with_connections(
        &mut self,
        at: &Instant,
        bodies: &[MovingBody],
        freed: &[Motion],
        rest: f64,
        problem: &mut Problem,
    ) {
        self.open.clear();
        for (l, state) in at.forest.loops().iter().zip(at.loops.states()) {
            let of = |b: BodyIx| freed[b.index()].shifted(state.point - bodies[b.index()].pose.translation);
            let relative = of(l.a) - of(l.b);
            self.open.extend(state.rows().iter().map(|row| relative.dot(row.wrench)));
        }
        if rest > 0.0 {
            self.open.iter_mut().zip(at.loops.turning()).for_each(|(open, b)| *open += rest * b);
        }
        let columns = self.coupling.chunks_exact(self.loop_rows);
        for (free, column) in problem.free.as_flattened_mut().iter_mut().zip(columns) {
            *free -= column.iter().zip(&self.open).map(|(c, v)| c * v).sum::<f64>();
        }
    }

    /// Whether connections prevent all relative motion of a contact's links, so that it is inactive.
    pub fn is_held(&self, contact: usize) -> bool {
        self.is_held[contact]
    }

    /// x += M^-1 J^T p times `scale`, with connections held.
    pub fn respond(&mut self, at: &Instant, p: &[Six], scale: f64, x: &mut [f64]) {
        self.sides.clear();
        let m = self.loop_rows;
        for l in self.start.windows(2).take(at.forest.loops().len()) {
            let mut lambda = [0.0; MAX_ROWS];
            for (k, row) in (l[0]..l[1]).enumerate() {
                let mut s = 0.0;
                for (c, p) in p.iter().flatten().enumerate() {
                    s -= self.coupling[c * m + row] * p;
                }
                lambda[k] = s * scale;
            }
            self.sides.push(response::side(&lambda));
        }
        self.sides.extend(p.iter().map(|p| response::side(&p.map(|x| x * scale))));
        self.response.add(&self.climb, at.forest, at.work, &self.sides, at.is_implicit, x);
    }
}

/// Removes from a contact's free velocity the part that its impulses cannot change because connections hold it: a
/// second-order error of the step. `own` is the diagonal without connections. Returns the rank of the remaining G, by
/// Gaussian elimination with diagonal pivots; the velocity in rows beyond the rank is removed.
fn leave_held(mut g: Block, own: &Six, free: &mut Six) -> usize {
    let mut left = *free;
    let mut rows = [0, 1, 2, 3, 4, 5];
    for rank in 0..6 {
        let part = |r: &usize| g[*r][*r] / own[*r];
        let most = (rank..6).max_by(|a, b| part(&rows[*a]).total_cmp(&part(&rows[*b]))).unwrap_or(rank);
        rows.swap(rank, most);
        let p = rows[rank];
        if !(part(&p) > HELD) {
            rows[rank..].iter().for_each(|r| free[*r] -= left[*r]);
            return rank;
        }
        let pivot = g[p];
        for &r in &rows[rank + 1..] {
            let f = pivot[r] / pivot[p];
            (0..6).for_each(|c| g[r][c] -= f * pivot[c]);
            left[r] -= f * left[p];
        }
    }
    6
}

/// G of contacts alone, block by block.
#[multiversion(targets("x86_64+avx+avx2"))]
fn write_blocks(climb: &Climb, forest: &Forest, n: usize, problem: &mut Problem) {
    for i in 0..n {
        for j in i..n {
            let packs = climb::block(climb, forest, i, j);
            let mut block = [[0.0; 6]; 6];
            for r in 0..6 {
                let ([a, b, c, d], [e, f, ..]) = (packs[r][0].0, packs[r][1].0);
                block[r] = [a, b, c, d, e, f];
            }
            if i == j {
                // symmetric to the bit
                for r in 1..6 {
                    (0..r).for_each(|c| block[r][c] = block[c][r]);
                }
            } else {
                let transposed = &mut problem.g[j * n + i];
                for r in 0..6 {
                    (0..6).for_each(|c| transposed[c][r] = block[r][c]);
                }
            }
            problem.g[i * n + j] = block;
        }
    }
}
