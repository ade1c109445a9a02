//! What impulses of contacts do to the velocities of contacts: G, with connections held.
//!
//! Computes  G = J P J^T  and  P J^T p,  P the inverse of the mass matrix with the connections' rows held:
//! G_cc - G_ck G_kk^+ G_kc over the climbs of connections (k) and contacts (c).
//! Source: [NY2000J eq. 20-21]; climbs as in `constraint::climb`.
//! Checked by: `tests/contact_robust.rs` (glued boxes are one box).

use super::check::Problem;
use super::face::Six;
use super::patch::Patch;
use super::stage::Instant;
use crate::algo::aba::MovingBody;
use crate::algo::fit;
use crate::constraint::MAX_ROWS;
use crate::constraint::climb::{self, Climb, Response, Side};
use crate::constraint::low_rank::{DAMPING, LowRank};
use crate::model::BodyIx;
use crate::spatial::{Force, Vec3};

/// G of contacts, with connections held.
#[derive(Clone, Debug, Default)]
pub(super) struct Delassus {
    climb: Climb,
    response: Response,
    start: Vec<usize>,
    g: Vec<f64>,
    /// factor of the connections' own part
    loops: LowRank,
    loops_g: Vec<f64>,
    /// forces of connections to unit impulses of contacts, by column
    coupling: Vec<f64>,
    loop_rows: usize,
    sides: Vec<Side>,
}

impl Delassus {
    /// G of all patches, with connections held, into the problem.
    pub fn compute(&mut self, at: &Instant, patches: &[Patch], bodies: &[MovingBody], problem: &mut Problem) {
        let loops = at.forest.loops();
        self.climb.reset(at.forest, loops.len() + patches.len());
        self.start.clear();
        self.start.push(0);
        let mut rows = 0;
        let mut climb_ends = |slot: usize, wrenches: &[Force], point: Vec3, a: BodyIx, b: BodyIx| {
            for (body, sign) in [(a, 1.0), (b, -1.0)] {
                let arm = point - bodies[body.index()].pose.translation;
                let (forest, work) = (at.forest, at.work);
                climb::climb(&mut self.climb, forest, work, slot, wrenches, body, arm, sign, at.is_implicit);
            }
        };
        for (i, (l, state)) in loops.iter().zip(at.loops.states()).enumerate() {
            let (wrenches, n) = state.wrenches();
            climb_ends(i, &wrenches[..n], state.point, l.a, l.b);
            rows += n;
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
            climb_ends(loops.len() + k, &wrenches, p.point, p.meeting.a, p.meeting.b);
            rows += 6;
            self.start.push(rows);
        }
        fit(&mut self.g, rows * rows);
        climb::delassus(&self.climb, at.forest, at.work, &self.start, &mut self.g);
        if self.loop_rows > 0 {
            self.hold_connections(rows);
        }
        let n = patches.len();
        for i in 0..n {
            for j in 0..=i {
                for r in 0..6 {
                    let from = (self.loop_rows + 6 * i + r) * rows + self.loop_rows + 6 * j;
                    for c in 0..if i == j { r + 1 } else { 6 } {
                        let x = self.g[from + c];
                        problem.g[i * n + j][r][c] = x;
                        problem.g[j * n + i][c][r] = x;
                    }
                }
            }
        }
    }

    /// Takes the connections' answer out of the contacts' part: G_cc - G_ck G_kk^+ G_kc.
    fn hold_connections(&mut self, rows: usize) {
        let m = self.loop_rows;
        self.loops_g.clear();
        for i in 0..m {
            self.loops_g.extend_from_slice(&self.g[i * rows..i * rows + m]);
        }
        self.loops.compute(&self.loops_g, m, self.climb.scale, DAMPING);
        fit(&mut self.coupling, (rows - m) * m);
        for c in m..rows {
            let column = &mut self.coupling[(c - m) * m..(c - m + 1) * m];
            column.copy_from_slice(&self.g[c * rows..c * rows + m]);
            self.loops.solve(column);
        }
        for i in m..rows {
            for j in m..=i {
                let x = &self.coupling[(j - m) * m..(j - m + 1) * m];
                let own = &self.g[i * rows..i * rows + m];
                let s: f64 = own.iter().zip(x).map(|(a, b)| a * b).sum();
                self.g[i * rows + j] -= s;
            }
        }
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
            self.sides.push(climb::side(&lambda));
        }
        self.sides.extend(p.iter().map(|p| climb::side(&p.map(|x| x * scale))));
        self.response.add(&self.climb, at.forest, at.work, &self.sides, at.is_implicit, x);
    }
}
