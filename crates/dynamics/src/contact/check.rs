//! Hypothesis and check over all contacts [NY2000J §4.3, Fig. 3], and the exact cone solver behind it.
//!
//! Computes  impulses p and velocities u = u_free + G p of all contacts that satisfy every condition of `hypothesis`.
//! A pass solves one linear system for all contacts under their hypotheses; each then checks its own answer and changes
//! its mind or not. M is factored once and G is given: passes touch small matrices only. The passes are counted; a solve
//! that has not ended after [`MAX_PASSES`] of them goes to block Gauss-Seidel (every iterate satisfies all force
//! conditions) for ever more sweeps, each time followed by a few passes from the states it found.
//! The friction centre of a contact stays where it is during a solve, and follows the centre of pressure in outer passes.
//! What then still breaks the yaw limit at the real centre of pressure is cut back to it: forces are never invalid.
//! Source: [NY2000J §4.3-4.7]; fallback as projected Gauss-Seidel on the same matrices.
//! Checked by: `tests/contact_solver.rs` (an independent cone solver, 10,000 hard states).

use super::dense::Dense;
use super::hypothesis::{Block, Change, Face, Grip, History, Hypothesis, Rows, Six, dot6};
use super::region::{Hull, yaw_of};
use super::report::Answer;
use crate::algo::fit;

/// Passes of one solve.
const MAX_PASSES: usize = 30;
/// Passes after which only one contact at a time changes the points that carry.
const PATIENT_PASSES: usize = 10;
/// Sweeps of the fallback, each round followed by a few passes.
const SWEEPS: [usize; 5] = [10, 20, 40, 80, 160];
const POLISHING_PASSES: usize = 6;
/// Passes of a contact by itself.
const PASSES_ALONE: usize = 60;
/// The fallback has converged when nothing changes by more than this part of the load.
const CONVERGED: f64 = 1e-11;
/// Moves of the friction centre.
const OUTER_PASSES: usize = 3;
/// A friction centre this near to the centre of pressure need not move, m.
const NEAR: f64 = 1e-5;

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// passes of all outer ones
    pub passes: usize,
    /// who answered
    pub answer: Answer,
    /// whether every condition on velocities holds as well
    pub is_exact: bool,
    /// whether a yaw moment was cut back
    pub is_cut: bool,
}

/// The contacts of an instant and what is thought of them.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// the contacts
    pub faces: Vec<Face>,
    /// what is thought of each
    pub thoughts: Vec<Hypothesis>,
    /// velocity without contact impulses
    pub free: Vec<Six>,
    /// G: a row of blocks for each contact
    pub g: Vec<Block>,
    /// impulses
    pub p: Vec<Six>,
    /// velocities
    pub u: Vec<Six>,
    work: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    dense: Dense,
    rows: Vec<Rows>,
    /// contacts that carry, and the first row of each
    active: Vec<(usize, usize)>,
    x: Vec<f64>,
    changes: Vec<(usize, Change)>,
    history: Vec<History>,
    start: Vec<Hypothesis>,
}

impl Problem {
    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.faces.clear();
        self.thoughts.clear();
        self.free.clear();
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.faces.len()
    }

    /// Makes room for G and the answers.
    pub fn fit(&mut self) {
        let n = self.len();
        fit(&mut self.g, n * n);
        fit(&mut self.p, n);
        fit(&mut self.u, n);
    }

    /// The block of G between contacts `i` and `j`.
    pub fn block(&self, i: usize, j: usize) -> &Block {
        &self.g[i * self.len() + j]
    }

    /// Solves from the thoughts at hand, which end as those of the answer.
    pub fn solve(&mut self) -> Outcome {
        let mut all = Outcome { is_exact: true, ..Outcome::default() };
        for outer in 0..=OUTER_PASSES {
            let one = self.solve_fixed_centers();
            all.passes += one.passes;
            all.is_exact = one.is_exact;
            if one.answer != Answer::Check {
                all.answer = one.answer;
            }
            if !self.move_centers(outer) {
                return all;
            }
        }
        all.is_cut = self.cut_yaw();
        all
    }

    /// One solve with friction centres where they are; falls back if it must.
    pub fn solve_fixed_centers(&mut self) -> Outcome {
        self.work.start.clear();
        self.work.start.extend_from_slice(&self.thoughts);
        let (passes, is_done) = self.passes(MAX_PASSES);
        let mut outcome = Outcome { passes, is_exact: is_done, ..Outcome::default() };
        if is_done {
            return outcome;
        }
        let start = core::mem::take(&mut self.work.start);
        self.thoughts.copy_from_slice(&start);
        self.work.start = start;
        self.p.fill([0.0; 6]);
        for sweeps in SWEEPS {
            let is_converged = self.gauss_seidel(sweeps, CONVERGED);
            let (p, u) = (self.p.clone(), self.u.clone());
            let found = self.thoughts.clone();
            let (more, is_done) = self.passes(POLISHING_PASSES);
            outcome.passes += more;
            if is_done {
                return Outcome { answer: Answer::Polished, is_exact: true, ..outcome };
            }
            (self.p, self.u, self.thoughts) = (p, u, found);
            outcome.is_exact = is_converged;
            if is_converged {
                break;
            }
        }
        Outcome { answer: Answer::Cone, ..outcome }
    }

    /// At most `most` passes; returns how many, and whether all checks passed.
    fn passes(&mut self, most: usize) -> (usize, bool) {
        let n = self.len();
        self.work.history.clear();
        self.work.history.resize(n, History::default());
        for pass in 1..=most {
            if !self.answer_thoughts() {
                return (pass, false);
            }
            let scale = self.p.iter().fold(1e-12_f64, |m, p| m.max(p[2].abs()));
            let mut changes = core::mem::take(&mut self.work.changes);
            changes.clear();
            for i in 0..n {
                let g = self.g[i * n + i];
                let (hy, past) = (&self.thoughts[i], &mut self.work.history[i]);
                let change =
                    self.faces[i].check(&g, hy, &self.p[i], &self.u[i], scale, rho(&g), false, past);
                changes.extend(change.map(|c| (i, c)));
            }
            let is_done = changes.is_empty();
            if pass > PATIENT_PASSES
                && let Some(first) = changes.iter().position(|(_, c)| matches!(c, Change::Normal(_)))
            {
                let only = changes[first];
                changes.clear();
                changes.push(only);
            }
            for (i, c) in &changes {
                let (Change::Normal(new) | Change::Friction(new)) = c;
                self.thoughts[*i] = *new;
            }
            self.work.changes = changes;
            if is_done {
                return (pass, true);
            }
        }
        (most, false)
    }

    /// Impulses and velocities if every thought were right; false if the system has no solution.
    fn answer_thoughts(&mut self) -> bool {
        let n = self.len();
        let w = &mut self.work;
        w.rows.clear();
        w.active.clear();
        let mut m = 0;
        let mut is_symmetric = true;
        for (i, (face, hy)) in self.faces.iter().zip(&self.thoughts).enumerate() {
            if hy.set != 0 {
                let rows = face.rows(hy, rho(&self.g[i * n + i]));
                w.active.push((i, m));
                m += rows.count;
                w.rows.push(rows);
                is_symmetric &= hy.grip != Grip::Directed;
            }
        }
        self.p.iter_mut().for_each(|p| *p = [0.0; 6]);
        if m > 0 {
            fit(&mut w.x, m);
            let k = w.dense.matrix(m);
            for (&(i, at), r) in w.active.iter().zip(&w.rows) {
                for (&(j, to), c) in w.active.iter().zip(&w.rows) {
                    if is_symmetric && j > i {
                        continue;
                    }
                    fill(k, m, at, to, &self.g[i * n + j], r, c);
                }
                for q in 0..r.count {
                    let free = if r.is_plain { self.free[i][q] } else { dot6(&r.a[q], &self.free[i]) };
                    w.x[at + q] = r.wanted[q] - free;
                    k[(at + q) * m + at + q] += r.soft[q];
                }
            }
            if is_symmetric {
                mirror(k, m);
            }
            if !w.dense.factor(is_symmetric) {
                return false;
            }
            w.dense.solve(&mut w.x[..m]);
            if !w.x[..m].iter().all(|x| x.is_finite()) {
                return false;
            }
            for (&(i, at), r) in w.active.iter().zip(&w.rows) {
                let p = &mut self.p[i];
                for q in 0..r.count {
                    let x = w.x[at + q];
                    if r.is_plain {
                        p[q] = x;
                    } else {
                        (0..6).for_each(|c| p[c] += r.b[q][c] * x);
                    }
                }
            }
        }
        self.move_by_impulses();
        true
    }

    /// u = u_free + G p.
    fn move_by_impulses(&mut self) {
        let n = self.len();
        for i in 0..n {
            let mut u = self.free[i];
            for j in 0..n {
                if self.p[j] != [0.0; 6] {
                    let g = &self.g[i * n + j];
                    (0..6).for_each(|r| u[r] += dot6(&g[r], &self.p[j]));
                }
            }
            self.u[i] = u;
        }
    }

    /// Block Gauss-Seidel from the impulses at hand; returns whether it converged.
    pub fn gauss_seidel(&mut self, sweeps: usize, tolerance: f64) -> bool {
        let n = self.len();
        self.move_by_impulses();
        let mut alone = Problem::default();
        for _ in 0..sweeps {
            let (mut largest, mut is_answered) = (0.0_f64, true);
            for i in 0..n {
                let g = self.g[i * n + i];
                let mut free = self.u[i];
                (0..6).for_each(|r| free[r] -= dot6(&g[r], &self.p[i]));
                let Some((p, hy)) = alone.solve_alone(&self.faces[i], &g, free, self.thoughts[i]) else {
                    is_answered = false;
                    continue;
                };
                self.thoughts[i] = hy;
                let mut change = [0.0; 6];
                (0..6).for_each(|r| change[r] = p[r] - self.p[i][r]);
                if change != [0.0; 6] {
                    for j in 0..n {
                        let g = &self.g[j * n + i];
                        (0..6).for_each(|r| self.u[j][r] += dot6(&g[r], &change));
                    }
                    self.p[i] = p;
                    largest = change.iter().fold(largest, |m, c| m.max(c.abs()));
                }
            }
            let load = self.p.iter().fold(1e-9_f64, |m, p| m.max(p[2]));
            if is_answered && largest <= tolerance * load {
                return true;
            }
        }
        false
    }

    /// One contact by itself, from a thought and, if that leads nowhere, from every start there is.
    fn solve_alone(&mut self, face: &Face, g: &Block, free: Six, hy: Hypothesis) -> Option<(Six, Hypothesis)> {
        self.clear();
        self.faces.push(*face);
        self.thoughts.push(hy);
        self.free.push(free);
        self.fit();
        self.g[0] = *g;
        if self.passes_alone() {
            return Some((self.p[0], self.thoughts[0]));
        }
        for set in face.starts() {
            self.thoughts[0] = Hypothesis { set, ..Hypothesis::default() };
            if self.passes_alone() {
                return Some((self.p[0], self.thoughts[0]));
            }
        }
        None
    }

    fn passes_alone(&mut self) -> bool {
        let mut past = History::default();
        for _ in 0..PASSES_ALONE {
            if !self.answer_thoughts() {
                return false;
            }
            let (g, p, u) = (&self.g[0], &self.p[0], &self.u[0]);
            let scale = p[2].abs().max(1e-12);
            match self.faces[0].check(g, &self.thoughts[0], p, u, scale, rho(g), true, &mut past) {
                None => return true,
                Some(Change::Normal(new) | Change::Friction(new)) => self.thoughts[0] = new,
            }
        }
        false
    }

    /// Moves friction centres to the centres of pressure where that matters; false if nowhere.
    fn move_centers(&mut self, outer: usize) -> bool {
        let mut any = false;
        for ((face, hy), p) in self.faces.iter_mut().zip(&mut self.thoughts).zip(&self.p) {
            if p[2] <= 1e-12 || face.count == 1 || face.friction_rows() == 0 {
                continue;
            }
            let (center, over) = yaw_at_pressure_center(face, p);
            let gone = distance(center, face.center);
            let is_over = over > face.static_friction * p[2] * (1.0 + 1e-9);
            if is_over && (gone > 1e-9 || outer == OUTER_PASSES) || hy.grip != Grip::Stick && gone > NEAR {
                any = true;
                if outer < OUTER_PASSES {
                    let rows = face.friction_rows();
                    face.set_center(center);
                    if hy.grip == Grip::Directed && face.friction_rows() != rows {
                        hy.grip = Grip::Compliant;
                    }
                }
            }
        }
        any
    }

    /// Cuts yaw moments back to their limit at the real centre of pressure: what is left becomes slip.
    fn cut_yaw(&mut self) -> bool {
        let mut is_cut = false;
        for (face, p) in self.faces.iter().zip(&mut self.p) {
            if p[2] <= 1e-12 || face.friction_rows() == 0 {
                continue;
            }
            let places = &face.places[..face.count];
            let center = face.hull.nearest(places, Face::pressure_center(p)).place;
            let d = face.hull.yaw_radius(places, center);
            let tangential = [p[0], p[1]];
            let yaw = p[5] - yaw_of(center, tangential);
            let limit = face.static_friction * p[2];
            let left = limit * limit - p[0] * p[0] - p[1] * p[1];
            let room = d * left.max(0.0).sqrt();
            if yaw.abs() > room * (1.0 + 1e-12) {
                p[5] = yaw_of(center, tangential) + room.copysign(yaw);
                is_cut = true;
            }
        }
        if is_cut {
            self.move_by_impulses();
        }
        is_cut
    }
}

/// Centre of pressure inside the region, and the size of friction with the yaw moment taken there.
fn yaw_at_pressure_center(face: &Face, p: &Six) -> ([f64; 2], f64) {
    let places = &face.places[..face.count];
    let center = face.hull.nearest(places, Face::pressure_center(p)).place;
    let d = face.hull.yaw_radius(places, center).max(1e-10);
    let yaw = (p[5] - yaw_of(center, [p[0], p[1]])) / d;
    (center, (p[0] * p[0] + p[1] * p[1] + yaw * yaw).sqrt())
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

/// One over the mean tangential entry of a contact's own G.
fn rho(g: &Block) -> f64 {
    2.0 / (g[0][0] + g[1][1])
}

/// Writes A_i G_ij B_j into the matrix.
#[inline(always)]
fn fill(k: &mut [f64], m: usize, at: usize, to: usize, g: &Block, r: &Rows, c: &Rows) {
    // G B first, or G itself
    let mut gb = [[0.0; 6]; 6]; // by column
    for (q, gb) in gb.iter_mut().enumerate().take(c.count) {
        if c.is_plain {
            (0..6).for_each(|x| gb[x] = g[x][q]);
        } else {
            (0..6).for_each(|x| gb[x] = dot6(&g[x], &c.b[q]));
        }
    }
    for p in 0..r.count {
        let row = &mut k[(at + p) * m + to..(at + p) * m + to + c.count];
        for (x, gb) in row.iter_mut().zip(&gb) {
            *x = if r.is_plain { gb[p] } else { dot6(&r.a[p], gb) };
        }
    }
}

/// Copies the lower triangle to the upper one.
fn mirror(k: &mut [f64], m: usize) {
    for i in 0..m {
        for j in 0..i {
            k[j * m + i] = k[i * m + j];
        }
    }
}

/// What an answer breaks, worst over all contacts, judged without regard to how it was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Broken {
    /// pulling, pressure outside the region, friction and yaw beyond the limit at the real centre of pressure; against
    /// the load, moments at a lever of 0.1 m
    pub force: f64,
    /// a point that sinks, m/s
    pub velocity: f64,
    /// force where there is a gap, friction not against the slip: the smaller of m/s and part of the load
    pub complementarity: f64,
}

impl Problem {
    /// Judges the impulses at hand.
    pub fn judge(&self) -> Broken {
        let load = self.p.iter().fold(1e-12_f64, |m, p| m.max(p[2]));
        let mut worst = Broken::default();
        for ((face, p), u) in self.faces.iter().zip(&self.p).zip(&self.u) {
            for i in 0..face.count {
                worst.velocity = worst.velocity.max(face.target[i] - face.normal_velocity(i, u));
            }
            if p[2] <= 1e-13 * load {
                let most = p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                worst.force = worst.force.max(most / load);
                continue;
            }
            let places = &face.places[..face.count];
            // the region is made of the points that touch
            let touching = face.touching(u, 1e-6);
            let region = if touching == 0 { face.hull } else { Hull::of(places, touching) };
            let near = region.nearest(places, Face::pressure_center(p));
            worst.force = worst.force.max(near.distance * p[2] / load / 0.1);
            let (center, size) = yaw_at_pressure_center(face, p);
            let d = face.hull.yaw_radius(places, center);
            let limit = face.static_friction * p[2];
            let yaw = (p[5] - yaw_of(center, [p[0], p[1]])).abs();
            let excess = if d > 1e-9 { size - limit } else { norm2(p) - limit };
            worst.force = worst.force.max(excess / load);
            if d <= 1e-9 {
                worst.force = worst.force.max(yaw / load / 0.1);
            }
            let gap = u[2] + u[3] * near.place[1] - u[4] * near.place[0] - expected(face, &region, near.place);
            worst.complementarity = worst.complementarity.max(gap * p[2] / load);
            let wish = face.slip(&[face.wish[0], face.wish[1], 0.0, 0.0, 0.0, face.wish[2]]);
            let slip = face.slip(u);
            let off = [0, 1, 2].map(|i| slip[i] - wish[i]);
            let speed = super::hypothesis::norm3(&off);
            if speed > 1e-9 && face.friction_rows() > 0 {
                let f = face.friction(p);
                let along = face.dynamic_friction * p[2] / speed;
                let wrong = super::hypothesis::norm3(&[0, 1, 2].map(|i| f[i] + along * off[i])) / load;
                worst.complementarity = worst.complementarity.max(speed.min(wrong));
            }
        }
        worst
    }
}

fn norm2(p: &Six) -> f64 {
    (p[0] * p[0] + p[1] * p[1]).sqrt()
}

/// Normal velocity that the targets give a place of the region.
fn expected(face: &Face, region: &Hull, at: [f64; 2]) -> f64 {
    let corners = region.corners();
    if corners.len() < 3 {
        return corners.iter().fold(f64::INFINITY, |m, i| m.min(face.target[*i as usize]));
    }
    let plane = face.target_plane(corners);
    plane[0] + plane[1] * at[1] - plane[2] * at[0]
}
