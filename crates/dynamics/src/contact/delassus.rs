//! Response of the figures to contacts, with connections held.
//!
//! Computes  P J^T p  and blocks of  G = J P J^T, P the inverse of the mass matrix; where there are connections their
//! rows are held:  G_cc - G_ck G_kk^+ G_kc  over the reach of connections (k) and contacts (c).
//! Source: [NY2000J eq. 20-21].
//! Cost: without connections only the blocks asked for; with them G of all contacts.
//! Checked by: `tests/it/contact_robust.rs` (glued boxes are one box).

use super::check::Problem;
use super::face::{Block, Six};
use super::patch::Patch;
use super::reach::Reach;
use super::step::Instant;
use crate::algo::aba::MovingBody;
use crate::algo::fit;
use crate::constraint::MAX_ROWS;
use crate::constraint::climb::End;
use crate::constraint::response::{self, Response};
use crate::dense::{DAMPING, LowRank, stride};
use crate::model::BodyIx;
use crate::spatial::{Force, Motion, Vec3};
use multiversion::multiversion;

/// Delassus matrix of contacts, with connections held.
#[derive(Clone, Debug, Default)]
pub(super) struct Delassus {
    reach: Reach,
    response: Response,
    /// first row of each connection
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
    push: Vec<f64>,
    /// of each contact: diagonal without connections, and whether connections hold it completely
    own: Vec<[f64; 6]>,
    is_held: Vec<bool>,
}

/// A contact whose diagonal is reduced to less than this part by the connections cannot move: the rest is rounding.
const HELD: f64 = 1e-8;

impl Delassus {
    /// Prepares the response to all patches. With connections, also G, and the free velocities are projected onto them
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
        self.reach_all(at, patches, bodies);
        fit(&mut self.is_held, patches.len());
        self.is_held.fill(false);
        if self.loop_rows == 0 {
            return;
        }
        let n = patches.len();
        let rows = self.loop_rows + 6 * n;
        let apart = stride(rows);
        self.fill_dense(at, n, apart);
        let first = self.loop_rows;
        let own = |i: usize| core::array::from_fn(|r| self.g[(first + 6 * i + r) * (apart + 1)]);
        self.own.clear();
        self.own.extend((0..n).map(own));
        self.hold_connections(rows);
        self.free_with_connections(at, bodies, freed, rest, problem);
        for (i, own) in self.own.iter().enumerate() {
            let block = self.held_block(i, i, apart);
            self.is_held[i] = leave_held(block, own, &mut problem.free[i]) == 0;
        }
    }

    /// The reach of all connections, then of all patches.
    fn reach_all(&mut self, at: &Instant, patches: &[Patch], bodies: &[MovingBody]) {
        self.reach.clear();
        self.start.clear();
        self.start.push(0);
        let end = |body: BodyIx, point: Vec3, sign: f64| {
            let arm = point - bodies[body.index()].pose.translation;
            End { body, arm, sign }
        };
        let mut rows = 0;
        for (l, state) in at.forest.loops().iter().zip(at.loops.states()) {
            let ends = [end(l.a, state.point, 1.0), end(l.b, state.point, -1.0)];
            self.reach.add(at, &state.wrenches(), ends);
            rows += state.rows().len();
            self.start.push(rows);
        }
        self.loop_rows = rows;
        for p in patches {
            let (x, y, z, o) = (p.axes.x, p.axes.y, p.axes.z, Vec3::ZERO);
            let wrenches: [Force; MAX_ROWS] = [
                Force::new(o, x),
                Force::new(o, y),
                Force::new(o, z),
                Force::new(x, o),
                Force::new(y, o),
                Force::new(z, o),
            ];
            self.reach.add(at, &wrenches, [end(p.pair.a, p.point, 1.0), end(p.pair.b, p.point, -1.0)]);
        }
    }

    /// G of connections and `n` contacts, on the diagonal and to the right of it.
    fn fill_dense(&mut self, at: &Instant, n: usize, apart: usize) {
        let loops = at.forest.loops().len();
        fit(&mut self.g, (self.loop_rows + 6 * n) * apart);
        let first = |i: usize| if i < loops { self.start[i] } else { self.loop_rows + 6 * (i - loops) };
        for i in 0..loops + n {
            for j in i..loops + n {
                let block = self.reach.block(i, j);
                let (rows, columns) = (first(i + 1) - first(i), first(j + 1) - first(j));
                for (r, row) in block.iter().enumerate().take(rows) {
                    let at = (first(i) + r) * apart + first(j);
                    self.g[at..at + columns].copy_from_slice(&row[..columns]);
                }
            }
        }
    }

    /// G of two contacts with connections held, from the dense matrix.
    fn held_block(&self, i: usize, j: usize, apart: usize) -> Block {
        let first = self.loop_rows;
        let entry = |r: usize, c: usize| {
            let (r, c) = (first + 6 * i + r, first + 6 * j + c);
            self.g[r.min(c) * apart + r.max(c)]
        };
        core::array::from_fn(|r| core::array::from_fn(|c| entry(r, c)))
    }

    /// Gives an island what it is solved with: G of its contacts, if they are few or connections are held, or else their
    /// coordinates.
    pub fn give(
        &self,
        at: &Instant,
        roots: &[u32],
        [contacts, trees]: [&[u32]; 2],
        are_few: bool,
        island: &mut Problem,
    ) {
        let n = contacts.len();
        let has_loops = self.loop_rows > 0;
        island.has_space = !has_loops && !are_few;
        if island.has_space {
            let skip = at.forest.loops().len();
            island.space.load(at.forest, roots, &self.reach, skip, contacts, trees);
            island.g.clear();
            return;
        }
        fit(&mut island.g, n * n);
        if has_loops {
            self.copy_blocks(contacts, &mut island.g);
        } else {
            write_blocks(&self.reach, at.forest.loops().len(), contacts, &mut island.g);
        }
    }

    /// G of some contacts from the dense matrix, with connections held; zero for held contacts.
    fn copy_blocks(&self, contacts: &[u32], g: &mut [Block]) {
        let apart = stride(self.loop_rows + 6 * self.is_held.len());
        for (a, i) in contacts.iter().enumerate() {
            for (b, j) in contacts.iter().enumerate() {
                let (i, j) = (*i as usize, *j as usize);
                let is_held = self.is_held[i] || self.is_held[j];
                g[a * contacts.len() + b] =
                    if is_held { [[0.0; 6]; 6] } else { self.held_block(i, j, apart) };
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
        self.loops.compute(&self.loops_g, m, self.reach.scale(), DAMPING);
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
        let loops = at.forest.loops().len();
        fit(&mut self.push, at.forest.nv());
        self.push.fill(0.0);
        let m = self.loop_rows;
        for (i, l) in self.start.windows(2).enumerate().take(loops) {
            let mut lambda = [0.0; MAX_ROWS];
            for (k, row) in (l[0]..l[1]).enumerate() {
                let mut s = 0.0;
                for (c, p) in p.iter().flatten().enumerate() {
                    s -= self.coupling[c * m + row] * p;
                }
                lambda[k] = s * scale;
            }
            self.reach.push(i, &response::side(&lambda), &mut self.push);
        }
        for (i, p) in p.iter().enumerate().filter(|(_, p)| **p != [0.0; 6]) {
            self.reach.push(loops + i, &response::side(&p.map(|x| x * scale)), &mut self.push);
        }
        self.response.spread(at.forest, at.work, &self.push, at.is_implicit, x);
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

/// G of some contacts alone, block by block, the first of which is `skip` in the reach.
#[multiversion(targets("x86_64+avx+avx2"))]
fn write_blocks(reach: &Reach, skip: usize, contacts: &[u32], g: &mut [Block]) {
    let n = contacts.len();
    for (a, i) in contacts.iter().enumerate() {
        for (b, j) in contacts.iter().enumerate().skip(a) {
            let mut block = reach.block(skip + *i as usize, skip + *j as usize);
            if a == b {
                // symmetric to the bit
                for r in 1..6 {
                    (0..r).for_each(|c| block[r][c] = block[c][r]);
                }
            } else {
                let transposed = &mut g[b * n + a];
                for r in 0..6 {
                    (0..6).for_each(|c| transposed[c][r] = block[r][c]);
                }
            }
            g[a * n + b] = block;
        }
    }
}
