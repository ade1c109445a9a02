//! Hypothesis and check over all contacts [NY2000J §4.3, Fig. 3], and the exact cone solver behind it.
//!
//! Computes  impulses p and velocities u = u_free + G p of all contacts that satisfy every condition of `hypothesis`.
//! A pass solves one linear system for all contacts under their hypotheses; each then checks its own answer and changes
//! its mind or not. M is factored once and G is given: passes touch small matrices only. The passes are counted; a solve
//! that has not ended after [`MAX_PASSES`] of them begins anew from a sweep in which each contact answers for itself, and
//! then goes to the interior-point solver (`cone`), followed by passes from the states it found. Should that fail, block
//! Gauss-Seidel goes on for more sweeps, as far as `MOST_ANSWERS` lets it. Contacts that needed it once go there sooner the
//! next time.
//! In a sweep each contact answers for itself; where hypothesis and check finds nothing there, a search along the
//! compliance of friction always does (`search_alone`).
//! The friction centre of a contact stays where it is in the first solve. Where it then is not at the centre of pressure,
//! sliding contacts take it along in further passes, with its derivative in the rows; what sticks and breaks the yaw
//! limit there is solved again. What then still breaks a limit is cut back to it: forces are never invalid.
//! Source: [NY2000J §4.3-4.7].
//! Checked by: `tests/contact_solver.rs` (an independent cone solver, 10,000 hard states).

use super::cone::{Cone, MOST_WORK};
use super::dense::Dense;
use super::face::{Block, Face, Six, dot6, norm3};
use super::hypothesis::{Change, Grip, History, Hypothesis};
use super::judge::yaw_at_pressure_center;
use super::report::Answer;
use super::rows::Rows;
use crate::algo::fit;

/// Passes of one solve.
const MAX_PASSES: usize = 30;
/// Passes of one solve where the last one needed the cone solver.
const FEW_PASSES: usize = 16;
/// Passes after which only one contact at a time changes the points that carry.
const PATIENT_PASSES: usize = 10;
/// Sweeps of the fallback, each round followed by a few passes.
const SWEEPS: [usize; 7] = [1, 1, 4, 16, 64, 128, 256];
const POLISHING_PASSES: usize = 8;
/// Rounds of sweeps followed by as many passes as ever; then comes the interior-point solver.
const EARLY_ROUNDS: usize = 2;
/// Answers of single contacts in all sweeps of a solve, for each of its contacts and at least: what has not converged by
/// then, contacts whose rows contradict each other among it, hardly ever does.
const MOST_ANSWERS: usize = 5_000;
const LEAST_ANSWERS: usize = 30_000;
/// Share of a point in the load below which it does not carry, in an answer of the cone solver.
const LEAST_SHARE: f64 = 1e-4;
/// Velocity that is as good as none in such an answer, m/s.
const ALMOST: f64 = 1e-7;
/// Velocity conditions of an answer of the cone solver, m/s or part of the load.
const SOLVED: f64 = 1e-7;
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
    /// sweeps of the cone solver, at most
    pub sweeps: usize,
    /// answers of single contacts in these sweeps
    pub answers: usize,
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
    /// impulses to be near to where contacts are redundant: those of the last step; empty for none
    pub guess: Vec<Six>,
    /// whether the last solve of these contacts needed the cone solver
    pub is_hard: bool,
    /// G: a row of blocks for each contact
    pub g: Vec<Block>,
    /// impulses
    pub p: Vec<Six>,
    /// velocities
    pub u: Vec<Six>,
    pub(super) work: Scratch,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    dense: Dense,
    cone: Cone,
    rows: Vec<Rows>,
    /// contacts that carry, and the first row of each
    active: Vec<(usize, usize)>,
    x: Vec<f64>,
    near: Vec<f64>,
    /// who thinks again, what, and what that adds to its past
    changes: Vec<(usize, Change, History)>,
    history: Vec<History>,
    start: Vec<Hypothesis>,
    /// friction centres and yaw radii before they follow
    centers: Vec<([f64; 2], f64)>,
    /// answers of the sweeps while passes are tried
    kept: (Vec<Six>, Vec<Six>, Vec<Hypothesis>),
    /// how many answers of single contacts the sweeps of this solve may still use; `None` for any number
    pub(super) answers_left: Option<usize>,
    /// one contact by itself
    pub(super) alone: Option<Box<Problem>>,
}

impl Problem {
    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.faces.clear();
        self.thoughts.clear();
        self.free.clear();
        self.guess.clear();
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.faces.len()
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
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
        let most = LEAST_ANSWERS.max(MOST_ANSWERS * self.len());
        (self.work.answers_left, self.work.cone.work_left) = (Some(most), Some(MOST_WORK));
        let mut outcome = self.solve_moving_centers();
        if !outcome.is_exact {
            outcome.is_cut |= self.gain_nothing();
        }
        outcome.answers = most - self.work.answers_left.unwrap_or(most);
        (self.work.answers_left, self.work.cone.work_left) = (None, None);
        self.is_hard = outcome.answer != Answer::Check;
        outcome
    }

    fn solve_moving_centers(&mut self) -> Outcome {
        let mut all = Outcome { is_exact: true, ..Outcome::default() };
        for outer in 0..=OUTER_PASSES {
            let mut is_done = false;
            if outer > 0 {
                // sliding friction centres follow the centre of pressure within the passes
                let (passes, is_followed) = self.follow();
                all.passes += passes;
                is_done = is_followed;
            }
            if !is_done {
                let one = self.solve_fixed_centers();
                all.passes += one.passes;
                all.sweeps += one.sweeps;
                all.is_exact = one.is_exact;
                if one.answer != Answer::Check {
                    all.answer = one.answer;
                }
            }
            if !self.move_centers(outer) {
                if !all.is_exact {
                    all.is_cut = self.make_valid();
                }
                return all;
            }
        }
        // friction of what still breaks its yaw limit acts at the centre of pressure alone; the rest is cut
        for round in 0..OUTER_PASSES {
            if !self.drop_yaw(round) {
                break;
            }
            let one = self.solve_fixed_centers();
            all.passes += one.passes;
            all.is_exact = one.is_exact;
        }
        all.is_cut = self.make_valid();
        all
    }

    /// Takes the yaw row from contacts that break their yaw limit at the centre of pressure; false if none does.
    fn drop_yaw(&mut self, round: usize) -> bool {
        let mut any = false;
        for ((face, hy), p) in self.faces.iter_mut().zip(&mut self.thoughts).zip(&self.p) {
            let is_point = face.count == 1 || face.friction_rows() == 0;
            if p[2] <= 1e-12 || is_point || face.is_surely_within(p) {
                continue;
            }
            let (center, size) = yaw_at_pressure_center(face, p);
            if size > face.static_friction * p[2] * (1.0 + 1e-9) {
                any = true;
                // two places that lead to each other: between them
                let part = if round == 0 { 1.0 } else { 0.5 };
                let to = |k: usize| face.center[k] + part * (center[k] - face.center[k]);
                face.set_center([to(0), to(1)]);
                face.yaw_radius = 0.0;
                if hy.grip == Grip::Directed {
                    hy.grip = Grip::Compliant;
                }
            }
        }
        any
    }

    /// Passes in which friction centres follow; thoughts stay as they were if that does not end.
    fn follow(&mut self) -> (usize, bool) {
        self.keep_thoughts();
        self.work.centers.clear();
        self.work.centers.extend(self.faces.iter().map(|f| (f.center, f.yaw_radius)));
        let (passes, is_done) = self.passes(MAX_PASSES, true);
        if !is_done {
            self.restore_thoughts();
            for (face, (center, d)) in self.faces.iter_mut().zip(&self.work.centers) {
                (face.center, face.yaw_radius) = (*center, *d);
            }
        }
        (passes, is_done)
    }

    fn keep_thoughts(&mut self) {
        self.work.start.clear();
        self.work.start.extend_from_slice(&self.thoughts);
    }

    fn restore_thoughts(&mut self) {
        self.thoughts.copy_from_slice(&self.work.start);
    }

    /// One solve with friction centres where they are; falls back if it must.
    pub fn solve_fixed_centers(&mut self) -> Outcome {
        self.keep_thoughts();
        let most = if self.is_hard { FEW_PASSES } else { MAX_PASSES };
        let (passes, is_done) = self.passes(most, false);
        let mut outcome = Outcome { passes, is_exact: is_done, ..Outcome::default() };
        if is_done {
            return outcome;
        }
        self.restore_thoughts();
        self.p.fill([0.0; 6]);
        // a heap that was hard in the last step mostly still is
        let first = if self.is_hard || self.is_exhausted() { EARLY_ROUNDS } else { 0 };
        for (round, sweeps) in SWEEPS.into_iter().enumerate().skip(first) {
            if round == EARLY_ROUNDS && self.solve_cone() {
                let (more, is_polished) = self.polish(POLISHING_PASSES);
                outcome.passes += more;
                if is_polished {
                    return Outcome { answer: Answer::Polished, is_exact: true, ..outcome };
                }
                // to the digits an interior point has; a few sweeps from there may find more
                let judged = self.judge();
                outcome.is_exact = judged.velocity.max(judged.complementarity) <= SOLVED;
            }
            let is_converged = self.gauss_seidel(sweeps, CONVERGED);
            outcome.sweeps += sweeps;
            let most = if round < EARLY_ROUNDS { MAX_PASSES } else { POLISHING_PASSES };
            let (more, is_polished) = self.polish(most);
            outcome.passes += more;
            if is_polished {
                // begun anew from a guess in which each contact answered for itself, or after the cone solver
                let answer = if round < EARLY_ROUNDS { Answer::Check } else { Answer::Polished };
                return Outcome { answer, is_exact: true, ..outcome };
            }
            outcome.is_exact |= is_converged;
            if outcome.is_exact || round >= EARLY_ROUNDS && self.is_exhausted() {
                break;
            }
        }
        Outcome { answer: Answer::Cone, ..outcome }
    }

    /// Passes from the thoughts at hand; where they do not end everything stays as it was.
    fn polish(&mut self, most: usize) -> (usize, bool) {
        let (p, u, thoughts) = &mut self.work.kept;
        p.clone_from(&self.p);
        u.clone_from(&self.u);
        thoughts.clone_from(&self.thoughts);
        let (passes, is_done) = self.passes(most, false);
        if !is_done {
            let (p, u, thoughts) = &self.work.kept;
            self.p.copy_from_slice(p);
            self.u.copy_from_slice(u);
            self.thoughts.copy_from_slice(thoughts);
        }
        (passes, is_done)
    }

    /// The cone solver, and what its answer lets think; false where it did not converge, and nothing has changed.
    pub fn solve_cone(&mut self) -> bool {
        let mut cone = core::mem::take(&mut self.work.cone);
        let (p, u, _) = &mut self.work.kept;
        fit(p, self.faces.len());
        fit(u, self.faces.len());
        let is_converged = cone.solve(&self.faces, &self.g, &self.free, p, u);
        if is_converged {
            self.p.copy_from_slice(p);
            self.u.copy_from_slice(u);
            let load = self.p.iter().fold(0.0_f64, |m, p| m.max(p[2]));
            // what carries next to nothing carries nothing
            self.p.iter_mut().filter(|p| p[2] <= 1e-10 * load).for_each(|p| *p = [0.0; 6]);
            self.move_by_impulses();
            self.guess.clone_from(&self.p);
            let n = self.faces.len();
            for (i, (face, thought)) in self.faces.iter().zip(&mut self.thoughts).enumerate() {
                let (p, u) = (&self.p[i], &self.u[i]);
                let carries = |k: &usize| {
                    let share = cone.shares(i)[*k];
                    share > LEAST_SHARE * p[2] && face.normal_velocity(*k, u) - face.target[*k] < ALMOST
                };
                let is_loaded = p[2] > 1e-7 * load;
                let set = (0..face.count).filter(|k| is_loaded && carries(k)).fold(0, |s, k| s | 1 << k);
                *thought = Hypothesis { set, ..Hypothesis::default() };
                let slip = norm3(&face.slip(u));
                if set != 0 && slip > ALMOST && face.friction_rows() > 0 {
                    *thought = face.directed(thought, p, u, rho(&self.g[i * n + i]));
                }
            }
        }
        self.work.cone = cone;
        is_converged
    }

    /// At most `most` passes; returns how many, and whether all checks passed. `follow`: with friction centres that
    /// follow the centres of pressure of the answer at hand.
    pub(super) fn passes(&mut self, most: usize, follow: bool) -> (usize, bool) {
        let n = self.len();
        self.work.history.clear();
        self.work.history.resize(n, History::default());
        if follow {
            for (past, (hy, (p, u))) in
                self.work.history.iter_mut().zip(self.thoughts.iter().zip(self.p.iter().zip(&self.u)))
            {
                past.spin = (hy.grip == Grip::Directed && p[2] > 0.0).then(|| u[5] / p[2]);
            }
        }
        for pass in 1..=most {
            if !self.answer_thoughts() {
                return (pass, false);
            }
            let scale = self.p.iter().fold(1e-12_f64, |m, p| m.max(p[2].abs()));
            let mut changes = core::mem::take(&mut self.work.changes);
            changes.clear();
            for i in 0..n {
                let g = &self.g[i * n + i];
                let (hy, mut past) = (&self.thoughts[i], self.work.history[i]);
                let (face, p) = (&mut self.faces[i], &self.p[i]);
                if past.spin.is_some() && p[2] > 0.0 && hy.grip == Grip::Directed {
                    let rows = face.friction_rows();
                    face.set_center(Face::pressure_center(p));
                    if face.friction_rows() != rows {
                        past.spin = None;
                        let new = Hypothesis { grip: Grip::Compliant, ..*hy };
                        changes.push((i, Change::Friction(new), past));
                        continue;
                    }
                }
                let change = face.check(g, hy, p, &self.u[i], scale, rho(g), false, &mut past);
                changes.extend(change.map(|c| (i, c, past)));
            }
            let is_done = changes.is_empty();
            if pass > PATIENT_PASSES {
                // of the points that carry, one contact at a time, in turns
                let normals = changes.iter().filter(|c| matches!(c.1, Change::Normal(_))).count();
                let (turn, mut seen) = (pass % normals.max(1), 0);
                changes.retain(|c| {
                    seen += usize::from(matches!(c.1, Change::Normal(_)));
                    matches!(c.1, Change::Friction(_)) || seen == turn + 1
                });
            }
            for (i, c, past) in &changes {
                let (Change::Normal(new) | Change::Friction(new)) = c;
                self.thoughts[*i] = *new;
                self.work.history[*i] = *past;
            }
            self.work.changes = changes;
            if is_done {
                return (pass, true);
            }
        }
        (most, false)
    }

    /// [`Problem::answer_thoughts`] where everything that carries is a surface that sticks: G itself. `None` if not.
    fn answer_stuck(&mut self) -> Option<bool> {
        let n = self.len();
        let w = &mut self.work;
        w.active.clear();
        w.x.clear();
        for (i, (face, hy)) in self.faces.iter().zip(&self.thoughts).enumerate() {
            if hy.set != 0 || hy.grip != Grip::Stick {
                let wanted = face.stuck_surface(hy)?;
                w.active.push((i, w.x.len()));
                w.x.extend(wanted.iter().zip(&self.free[i]).map(|(w, u)| w - u));
            }
        }
        let m = w.x.len();
        self.p.fill([0.0; 6]);
        if m > 0 {
            let k = w.dense.matrix(m);
            for &(i, at) in &w.active {
                for &(j, to) in w.active.iter().filter(|a| a.0 >= i) {
                    for (r, row) in self.g[i * n + j].iter().enumerate() {
                        k[(at + r) * m + to..(at + r) * m + to + 6].copy_from_slice(row);
                    }
                }
            }
            if !w.dense.factor(true) {
                return Some(false);
            }
            w.near.clear();
            let guess = |i: usize| self.guess.get(i).copied().unwrap_or_default();
            w.active.iter().for_each(|a| w.near.extend(guess(a.0)));
            w.dense.solve_near(&mut w.x, &w.near);
            if !w.x.iter().all(|x| x.is_finite()) {
                return Some(false);
            }
            for &(i, at) in &w.active {
                self.p[i].copy_from_slice(&w.x[at..at + 6]);
            }
        }
        self.move_by_impulses();
        Some(true)
    }

    /// Impulses and velocities if every thought were right; false if the system has no solution.
    pub(super) fn answer_thoughts(&mut self) -> bool {
        if let Some(is_solved) = self.answer_stuck() {
            return is_solved;
        }
        let n = self.len();
        let w = &mut self.work;
        w.rows.clear();
        w.active.clear();
        let mut m = 0;
        let mut is_symmetric = true;
        for (i, (face, hy)) in self.faces.iter().zip(&self.thoughts).enumerate() {
            // without points that carry there is no friction either, except in the search of one contact by itself
            if hy.set != 0 || hy.grip == Grip::Compliant {
                let rows = face.rows(hy, rho(&self.g[i * n + i]), w.history.get(i).and_then(|h| h.spin));
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
                    if is_symmetric && j < i {
                        continue;
                    }
                    fill(k, m, at, to, &self.g[i * n + j], r, c);
                }
                for (e, bend) in r.bend.iter().flatten().enumerate().take(r.count - r.normals) {
                    for (c, bend) in bend.iter().enumerate().take(r.normals) {
                        k[(at + r.normals + e) * m + at + c] += bend;
                    }
                }
                for q in 0..r.count {
                    let free = if r.is_plain { self.free[i][q] } else { dot6(&r.a[q], &self.free[i]) };
                    w.x[at + q] = r.wanted[q] - free;
                    k[(at + q) * m + at + q] += r.soft[q];
                }
            }
            if !w.dense.factor(is_symmetric) {
                return false;
            }
            w.near.clear();
            if w.dense.is_weak() {
                for (&(i, _), r) in w.active.iter().zip(&w.rows) {
                    let guess = self.guess.get(i).copied().unwrap_or_default();
                    let near = self.faces[i].in_columns(&self.thoughts[i], r, &guess);
                    w.near.extend_from_slice(&near[..r.count]);
                }
            }
            w.dense.solve_near(&mut w.x[..m], &w.near);
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
    pub(super) fn move_by_impulses(&mut self) {
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

    /// Moves friction centres to the centres of pressure where that matters; false if nowhere.
    fn move_centers(&mut self, outer: usize) -> bool {
        let mut any = false;
        for ((face, hy), p) in self.faces.iter_mut().zip(&mut self.thoughts).zip(&self.p) {
            if p[2] <= 1e-12 || face.count == 1 || face.friction_rows() == 0 {
                continue;
            }
            if hy.grip == Grip::Stick && face.is_surely_within(p) {
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
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

/// One over the mean tangential entry of a contact's own G.
pub(super) fn rho(g: &Block) -> f64 {
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
