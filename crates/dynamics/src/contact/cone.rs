//! Exact cone solver: the forces of many contacts by an interior-point method.
//!
//! Computes  x = (w, phi) of every contact, w the share of each of its points in the normal impulse, phi its friction,
//! with  w >= 0,  |phi| <= mu sum(w),  and velocities  y = C (u_free + G p) - wanted,  p = C^T x,  such that
//! w_i y_i = 0, y_i >= 0, and friction is against the slip.
//! With the normal velocities raised by mu |slip| (the correction of De Saxce) these are the optimality conditions of a
//! convex problem over the product of the cones, so a primal-dual method with Nesterov-Todd scaling follows its central
//! path; the correction is taken from the last iterate. Redundant contacts need no special case: the path ends in the
//! analytic centre of all solutions, which shares loads evenly, and every iterate has valid forces.
//! Source: textbook interior points for second-order cones [AG2003]; correction [DF1998].
//! We differ: the correction is updated in every iteration, with its derivative in Newton's matrix; only if that fails
//! (one hard state in a thousand) is it updated in an outer loop.
//! Not here: moving the friction centre (`check`).
//! Cost: 10 to 20 factors of a matrix with 3 to 7 rows a contact; the fallback of hypothesis and check.
//! Checked by: `tests/it/contact_solver.rs`.

mod part;

use super::face::{Block, Face, Six, dot6};
use super::patch::MAX_VERTICES;
use crate::algo::fit;
use crate::dense::DenseSystem;
use part::{Part, dot, norm};

const MAX_ITERATIONS: usize = 60;
/// Outer updates of the correction.
const MAX_CORRECTIONS: usize = 40;
/// Outer updates without improvement after which a correction within this tolerance, m/s, is accepted.
const MAX_STALLED: usize = 3;
const STALLED_TOLERANCE: f64 = 1e-6;
/// Most work of a solve, in cubes of rows. A pile of 25 contacts has about 160 rows and 250 factorisations.
pub(super) const MAX_WORK: f64 = 1e9;
/// Largest extrapolation of a correction, in units of its last change.
const MAX_EXTRAPOLATION: f64 = 50.0;
/// Shorter steps make no progress.
const STUCK: f64 = 1e-5;
/// Final complementarity relative to the initial one.
const CONVERGED: f64 = 1e-14;
/// Least complementarity relative to the stationarity residual.
const AHEAD: f64 = 1e-2;
/// Compliance added to G, part of its mean diagonal. Contacts on links held by connections can press without moving anything;
/// without compliance their forces would be unbounded.
const COMPLIANCE: f64 = 1e-10;
/// Step length, part of the distance to the cones' boundary.
const CLOSE: f64 = 0.99;
/// Rows of one contact: shares and friction.
const MAX_SIZE: usize = MAX_VERTICES + 3;

/// Workspace of the solver.
#[derive(Clone, Debug, Default)]
pub struct Cone {
    parts: Vec<Part>,
    /// first row of each contact, and the number of all
    start: Vec<usize>,
    /// C G C^T
    g: Vec<f64>,
    dense: DenseSystem,
    /// C u_free - wanted
    b: Vec<f64>,
    x: Vec<f64>,
    gx: Vec<f64>,
    dx: Vec<f64>,
    rhs: Vec<f64>,
    /// outer corrections and their changes, now and before
    found: Vec<(f64, f64)>,
    last: Vec<(f64, f64)>,
    /// the last finite iterate
    good: Vec<f64>,
    /// remaining part of [`MAX_WORK`]; `None`: unlimited
    pub(super) work_left: Option<f64>,
}

impl Cone {
    /// Solves with fixed friction centres; writes impulses and velocities. Returns whether it converged.
    pub fn solve(&mut self, faces: &[Face], g: &[Block], free: &[Six], p: &mut [Six], u: &mut [Six]) -> bool {
        self.prepare(faces);
        self.fill(faces, g, free);
        let is_done = self.x.is_empty() || self.follow_path() || self.correct_outside();
        self.write(faces, g, free, p, u);
        is_done
    }

    fn prepare(&mut self, faces: &[Face]) {
        self.parts.clear();
        self.start.clear();
        self.start.push(0);
        let mut m = 0;
        for f in faces {
            let k = f.friction_rows();
            let part = Part {
                n: f.count,
                k,
                mu: f.dynamic_friction,
                has_orthant: f.count > 1 || k == 0,
                ..Part::default()
            };
            m += part.n + part.k;
            self.parts.push(part);
            self.start.push(m);
        }
        fit(&mut self.g, m * m);
        for to in [&mut self.b, &mut self.x, &mut self.gx, &mut self.dx, &mut self.rhs] {
            fit(to, m);
        }
    }

    /// C G C^T and C u_free - wanted, with the current friction centres.
    fn fill(&mut self, faces: &[Face], g: &[Block], free: &[Six]) {
        let (count, m) = (faces.len(), self.x.len());
        for i in 0..count {
            let (ci, ni) = columns(&faces[i]);
            let stick_velocity = faces[i].target_slip();
            for r in 0..ni {
                let n = faces[i].count;
                let wanted = if r < n { faces[i].target[r] } else { stick_velocity[r - n] };
                self.b[self.start[i] + r] = dot6(&ci[r], &free[i]) - wanted;
            }
            for j in 0..=i {
                let (cj, nj) = columns(&faces[j]);
                let block = &g[i * count + j];
                for (c, column) in cj.iter().enumerate().take(nj) {
                    let mut gc = [0.0; 6];
                    (0..6).for_each(|r| gc[r] = dot6(&block[r], column));
                    for (r, row) in ci.iter().enumerate().take(ni) {
                        let (a, b) = (self.start[i] + r, self.start[j] + c);
                        let value = dot6(row, &gc);
                        self.g[a * m + b] = value;
                        self.g[b * m + a] = value;
                    }
                }
            }
        }
        let mean = (0..m).map(|i| self.g[i * m + i]).sum::<f64>() / m as f64;
        (0..m).for_each(|i| self.g[i * m + i] += COMPLIANCE * mean);
    }

    /// Follows the path with a fixed correction, a convex problem that always converges, and updates the correction in an
    /// outer loop.
    fn correct_outside(&mut self) -> bool {
        self.parts.iter_mut().for_each(|p| p.correction = Some(0.0));
        self.last.clear();
        let (mut nearest, mut in_vain) = (f64::INFINITY, 0);
        for _ in 0..MAX_CORRECTIONS {
            if !self.follow_path() {
                return false;
            }
            let mut largest = 0.0_f64;
            self.found.clear();
            for p in &self.parts {
                let new = p.mu * norm(&p.l[1..]);
                let change = new - p.correction.unwrap_or(0.0);
                largest = largest.max(change.abs());
                self.found.push((new, change));
            }
            in_vain = if largest < 0.9 * nearest { 0 } else { in_vain + 1 };
            nearest = nearest.min(largest);
            if largest <= 1e-9 || in_vain >= MAX_STALLED && largest <= STALLED_TOLERANCE {
                return true;
            }
            // converges slowly with many contacts: extrapolate from the last two
            let (mut along, mut square) = (0.0, 0.0);
            for ((_, change), (_, before)) in self.found.iter().zip(&self.last) {
                along += change * (change - before);
                square += (change - before) * (change - before);
            }
            let part = if square > 0.0 { (along / square).clamp(-MAX_EXTRAPOLATION, 1.0) } else { 0.0 };
            for (i, p) in self.parts.iter_mut().enumerate() {
                let (new, _) = self.found[i];
                let old = self.last.get(i).map_or(new, |l| l.0);
                p.correction = Some((new - part * (new - old)).max(0.0));
            }
            core::mem::swap(&mut self.last, &mut self.found);
        }
        false
    }

    /// A start inside all cones: every contact gets the load that would stop it alone, shared evenly.
    fn begin(&mut self) -> (f64, f64) {
        let m = self.b.len();
        let (mut speed, mut give) = (0.0_f64, 0.0_f64);
        for (part, at) in self.parts.iter().zip(&self.start) {
            for i in *at..*at + part.n {
                speed = speed.max(self.b[i].abs());
                give = give.max(self.g[i * m + i]);
            }
            for i in *at + part.n..*at + part.n + part.k {
                speed = speed.max(self.b[i].abs());
            }
        }
        let speed = speed.max(1e-6);
        let push = (speed / give.max(1e-300)).max(1e-12);
        for (part, at) in self.parts.iter_mut().zip(&self.start) {
            let share = push / part.n as f64;
            self.x[*at..*at + part.n].fill(share);
            self.x[*at + part.n..*at + part.n + part.k].fill(0.0);
            part.lw = [speed; MAX_VERTICES];
            part.s = [part.mu * push, 0.0, 0.0, 0.0];
            part.l = [speed, 0.0, 0.0, 0.0];
        }
        (push, speed)
    }

    fn follow_path(&mut self) -> bool {
        self.good.clear();
        let (push, speed) = self.begin();
        let size = push * speed;
        let m = self.b.len();
        for _ in 0..MAX_ITERATIONS {
            for i in 0..m {
                self.gx[i] = inner(&self.g[i * m..(i + 1) * m], &self.x[..m]);
            }
            // residual of stationarity: G x + b + correction - A^T l
            let mut off = 0.0_f64;
            let (mut gap, mut cones) = (0.0, 0.0);
            for (c, part) in self.parts.iter().enumerate() {
                let at = self.start[c];
                for i in 0..part.n {
                    let mut r = self.gx[at + i] + self.b[at + i];
                    if part.k > 0 {
                        r += part.correction.unwrap_or_else(|| part.mu * norm(&part.l[1..]))
                            - part.mu * part.l[0];
                    }
                    if part.has_orthant {
                        r -= part.lw[i];
                    }
                    self.rhs[at + i] = -r;
                    off = off.max(r.abs());
                    if part.has_orthant {
                        gap += part.lw[i] * self.x[at + i];
                        cones += 1.0;
                    }
                }
                for j in 0..part.k {
                    let r = self.gx[at + part.n + j] + self.b[at + part.n + j] - part.l[1 + j];
                    self.rhs[at + part.n + j] = -r;
                    off = off.max(r.abs());
                }
                if part.k > 0 {
                    gap += dot(&part.s, &part.l);
                    cones += 1.0;
                }
            }
            let mean = gap / cones;
            if !(mean.is_finite() && off.is_finite() && self.x.iter().all(|x| x.is_finite())) {
                // back to the last finite iterate, or to zero
                match self.good.len() == self.x.len() {
                    true => self.x.copy_from_slice(&self.good),
                    false => self.x.fill(0.0),
                }
                return false;
            }
            if mean <= CONVERGED * size && off <= 1e-10 {
                return true;
            }
            self.good.clear();
            self.good.extend_from_slice(&self.x);
            // complementarity must not run ahead of the residual, or the path ends at the boundary
            let least = size * (0.1 * CONVERGED).max(AHEAD * off / speed);
            if !self.step(mean, least) {
                return false;
            }
        }
        false
    }

    /// One predictor and corrector; complementarity stays above `least`, where rounding begins.
    fn step(&mut self, mean: f64, least: f64) -> bool {
        let m = self.b.len();
        if self.work_left.is_some_and(|left| left <= 0.0) {
            return false;
        }
        self.work_left = self.work_left.map(|left| left - (m * m * m) as f64);
        self.parts.iter_mut().for_each(Part::scale);
        // H = G + A^T W^-2 A
        let h = self.dense.matrix(m);
        h.copy_from_slice(&self.g[..m * m]);
        for (c, p) in self.parts.iter().enumerate() {
            p.add_to(h, m, self.start[c], &self.x[self.start[c]..]);
        }
        // the derivative of the correction makes it unsymmetric
        let is_symmetric = self.parts.iter().all(|p| p.k == 0 || p.correction.is_some());
        if !self.dense.factor_plainly(is_symmetric) {
            return false;
        }
        self.gx[..m].copy_from_slice(&self.rhs[..m]); // stationarity; G x is no longer needed
        let mut sigma = 0.0;
        for is_corrector in [false, true] {
            for (c, p) in self.parts.iter_mut().enumerate() {
                let at = self.start[c];
                p.complementarity(&self.x[at..at + p.n], is_corrector.then_some((sigma * mean).max(least)));
            }
            for c in 0..self.parts.len() {
                let at = self.start[c];
                let p = &self.parts[c];
                let mut r = [0.0; MAX_SIZE];
                p.pull_back(&self.x[at..at + p.n], &mut r);
                for (i, r) in r.iter().enumerate().take(p.n + p.k) {
                    self.rhs[at + i] = self.gx[at + i] + r;
                }
            }
            self.dx.copy_from_slice(&self.rhs);
            self.dense.solve(&mut self.dx);
            let mut longest = 1.0_f64;
            for (c, p) in self.parts.iter_mut().enumerate() {
                let at = self.start[c];
                let own = at..at + p.n + p.k;
                p.directions(&self.x[own.clone()], &self.dx[own.clone()]);
                longest = longest.min(p.longest(&self.x[own]));
            }
            if !is_corrector {
                let (mut after, mut cones) = (0.0, 0.0);
                for (c, p) in self.parts.iter().enumerate() {
                    let at = self.start[c];
                    let (gap, n) = p.gap_after(&self.x[at..at + p.n], longest);
                    after += gap;
                    cones += n;
                }
                let ratio = (after / cones / mean).clamp(0.0, 1.0);
                sigma = (ratio * ratio * ratio).max(1e-4);
                continue;
            }
            let step = if longest < 1.0 { CLOSE * longest } else { 1.0 };
            if step < STUCK {
                return false;
            }
            for (c, p) in self.parts.iter_mut().enumerate() {
                let at = self.start[c];
                let own = at..at + p.n + p.k;
                self.x[own.clone()].iter_mut().zip(&self.dx[own.clone()]).for_each(|(x, d)| *x += step * d);
                p.advance(&self.x[own], step);
            }
        }
        true
    }

    fn write(&self, faces: &[Face], g: &[Block], free: &[Six], p: &mut [Six], u: &mut [Six]) {
        for (c, face) in faces.iter().enumerate() {
            let (columns, n) = columns(face);
            let mut sum = [0.0; 6];
            for (column, x) in columns.iter().take(n).zip(&self.x[self.start[c]..]) {
                (0..6).for_each(|r| sum[r] += column[r] * x);
            }
            p[c] = sum;
        }
        let n = faces.len();
        for i in 0..n {
            u[i] = free[i];
            for j in 0..n {
                (0..6).for_each(|r| u[i][r] += dot6(&g[i * n + j][r], &p[j]));
            }
        }
    }

    /// Load shares of a contact's points, after a solve.
    pub fn shares(&self, c: usize) -> &[f64] {
        &self.x[self.start[c]..self.start[c] + self.parts[c].n]
    }
}

/// Wrenches of unit shares and unit friction, and their number.
fn columns(face: &Face) -> ([Six; MAX_SIZE], usize) {
    let mut c = [[0.0; 6]; MAX_SIZE];
    for i in 0..face.count {
        let [x, y] = face.places[i];
        c[i] = [0.0, 0.0, 1.0, y, -x, 0.0];
    }
    let k = face.friction_rows();
    (0..k).for_each(|j| c[face.count + j] = face.friction_column(j));
    (c, face.count + k)
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
