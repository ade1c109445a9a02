//! Hypothesis and check over all contacts [NY2000J §4.3, Fig. 3], and the exact cone solver behind it.
//!
//! Computes  impulses p and velocities u = u_free + G p of all contacts that satisfy every condition of `hypothesis`.
//! A pass solves one linear system for all contacts under their modes; each contact then checks its own solution and
//! may change its mode. M is factored once and G is given: passes work on small matrices only. A solve that has not
//! terminated after [`MAX_PASSES`] restarts from a sweep of single-contact solves, and then uses the interior-point solver
//! (`cone`), followed by passes from the modes it found. If that fails, block Gauss-Seidel continues with more sweeps, up
//! to `MAX_LOCAL_SOLVES`. Contacts that needed the fallback get there sooner in the next step.
//! In a sweep each contact is solved alone; if hypothesis and check fails there, a search along the compliance of
//! friction always succeeds (`search_alone`).
//! The friction centre of a contact is fixed in the first solve. If it then differs from the centre of pressure, that of
//! a sliding contact moves along in further passes, with its derivative in the rows; a sticking contact that violates the
//! yaw limit there is solved again. Remaining violations are clamped: forces are never invalid.
//! Source: [NY2000J §4.3-4.7].
//! Checked by: `tests/it/contact_solver.rs` (an independent cone solver, 9,000 hard states).

use super::cone::{Cone, MAX_WORK};
use super::face::{Block, Face, Six, dot6, norm3};
use super::hypothesis::{Change, Grip, History, Hypothesis};
use super::report::SolveMethod;
use super::rows::Rows;
use super::validity::yaw_at_pressure_center;
use crate::algo::fit;
use crate::dense::DenseSystem;

/// Most passes of one solve.
const MAX_PASSES: usize = 30;
/// Most passes if the last solve needed the cone solver.
const FEW_PASSES: usize = 16;
/// Passes after which only one contact at a time changes its loaded points.
const PATIENT_PASSES: usize = 10;
/// Gauss-Seidel sweeps of the fallback, each round followed by a few passes.
const SWEEPS: [usize; 7] = [1, 1, 4, 16, 64, 128, 256];
const POLISHING_PASSES: usize = 8;
/// Rounds of sweeps with the full number of passes, before the interior-point solver.
const EARLY_ROUNDS: usize = 2;
/// Single-contact solves in all sweeps, per contact and at least: solves that have not converged by then, for example with
/// contradictory rows, rarely do.
const MAX_LOCAL_SOLVES: usize = 5_000;
const MIN_LOCAL_SOLVES: usize = 30_000;
/// Share of the load below which a point is unloaded, in a solution of the cone solver.
const MIN_SHARE: f64 = 1e-4;
/// Velocity that counts as zero in such a solution, m/s.
const ZERO_VELOCITY: f64 = 1e-7;
/// Tolerance of its velocity conditions, m/s or part of the load.
const CONE_TOLERANCE: f64 = 1e-7;
/// Sweeps have converged when no impulse changes by more than this part of the load.
const CONVERGED: f64 = 1e-11;
/// Moves of the friction centre.
const OUTER_PASSES: usize = 3;
/// A friction centre this near to the centre of pressure stays, m.
const CENTER_TOLERANCE: f64 = 1e-5;

/// Statistics of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// passes, over all outer passes
    pub passes: usize,
    /// Gauss-Seidel sweeps, at most
    pub sweeps: usize,
    /// single-contact solves in these sweeps
    pub local_solves: usize,
    /// method that found the forces
    pub method: SolveMethod,
    /// whether the velocity conditions hold too
    pub is_exact: bool,
    /// whether forces were clamped
    pub is_cut: bool,
}

/// The contact problem of an instant.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// the contacts
    pub faces: Vec<Face>,
    /// mode of each contact
    pub modes: Vec<Hypothesis>,
    /// velocity without contact impulses
    pub free: Vec<Six>,
    /// impulses of the last step, preferred where contacts are redundant; empty for none
    pub guess: Vec<Six>,
    /// whether the last solve of these contacts needed the cone solver
    pub is_hard: bool,
    /// G: one row of blocks per contact
    pub g: Vec<Block>,
    /// impulses
    pub p: Vec<Six>,
    /// velocities
    pub u: Vec<Six>,
    pub(super) work: Scratch,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    dense: DenseSystem,
    cone: Cone,
    rows: Vec<Rows>,
    /// loaded contacts, and the first row of each
    active: Vec<(usize, usize)>,
    x: Vec<f64>,
    near: Vec<f64>,
    /// contact, new mode and history
    changes: Vec<(usize, Change, History)>,
    history: Vec<History>,
    start: Vec<Hypothesis>,
    /// friction centres and yaw radii before they move
    centers: Vec<([f64; 2], f64)>,
    /// result of the sweeps while passes are tried
    kept: (Vec<Six>, Vec<Six>, Vec<Hypothesis>),
    /// single-contact solves left for the sweeps of this solve; `None`: unlimited
    pub(super) local_solves_left: Option<usize>,
    /// problem of a single contact
    pub(super) alone: Option<Box<Problem>>,
}

impl Problem {
    /// Removes all contacts.
    pub fn clear(&mut self) {
        self.faces.clear();
        self.modes.clear();
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

    /// Resizes G and the results.
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

    /// Solves from the current modes and leaves those of the solution.
    pub fn solve(&mut self) -> Outcome {
        let most = MIN_LOCAL_SOLVES.max(MAX_LOCAL_SOLVES * self.len());
        (self.work.local_solves_left, self.work.cone.work_left) = (Some(most), Some(MAX_WORK));
        let mut outcome = self.solve_moving_centers();
        if !outcome.is_exact {
            outcome.is_cut |= self.limit_energy();
        }
        outcome.local_solves = most - self.work.local_solves_left.unwrap_or(most);
        (self.work.local_solves_left, self.work.cone.work_left) = (None, None);
        self.is_hard = outcome.method != SolveMethod::Check;
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
                if one.method != SolveMethod::Check {
                    all.method = one.method;
                }
            }
            if !self.move_centers(outer) {
                if !all.is_exact {
                    all.is_cut = self.make_valid();
                }
                return all;
            }
        }
        // contacts that still violate their yaw limit get friction at the centre of pressure only; the rest is clamped
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

    /// Removes the yaw row of contacts that violate their yaw limit at the centre of pressure; false if none does.
    fn drop_yaw(&mut self, round: usize) -> bool {
        let mut any = false;
        for ((face, hy), p) in self.faces.iter_mut().zip(&mut self.modes).zip(&self.p) {
            let is_point = face.count == 1 || face.friction_rows() == 0;
            if p[2] <= 1e-12 || is_point || face.is_surely_within(p) {
                continue;
            }
            let (center, size) = yaw_at_pressure_center(face, p);
            if size > face.static_friction * p[2] * (1.0 + 1e-9) {
                any = true;
                // two alternating positions: take the midpoint
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

    /// Passes with moving friction centres; modes stay unchanged if they do not terminate.
    fn follow(&mut self) -> (usize, bool) {
        self.save_modes();
        self.work.centers.clear();
        self.work.centers.extend(self.faces.iter().map(|f| (f.center, f.yaw_radius)));
        let (passes, is_done) = self.passes(MAX_PASSES, true);
        if !is_done {
            self.restore_modes();
            for (face, (center, d)) in self.faces.iter_mut().zip(&self.work.centers) {
                (face.center, face.yaw_radius) = (*center, *d);
            }
        }
        (passes, is_done)
    }

    fn save_modes(&mut self) {
        self.work.start.clear();
        self.work.start.extend_from_slice(&self.modes);
    }

    fn restore_modes(&mut self) {
        self.modes.copy_from_slice(&self.work.start);
    }

    /// One solve with fixed friction centres, including the fallbacks.
    pub fn solve_fixed_centers(&mut self) -> Outcome {
        self.save_modes();
        let most = if self.is_hard { FEW_PASSES } else { MAX_PASSES };
        let (passes, is_done) = self.passes(most, false);
        let mut outcome = Outcome { passes, is_exact: is_done, ..Outcome::default() };
        if is_done {
            return outcome;
        }
        self.restore_modes();
        self.p.fill([0.0; 6]);
        // a pile that was hard in the last step usually still is
        let first = if self.is_hard || self.is_exhausted() { EARLY_ROUNDS } else { 0 };
        for (round, sweeps) in SWEEPS.into_iter().enumerate().skip(first) {
            if round == EARLY_ROUNDS && self.solve_cone() {
                let (more, is_polished) = self.polish(POLISHING_PASSES);
                outcome.passes += more;
                if is_polished {
                    return Outcome { method: SolveMethod::Polished, is_exact: true, ..outcome };
                }
                // exact to the accuracy of the interior point; a few sweeps may improve it
                let violations = self.violations();
                outcome.is_exact = violations.velocity.max(violations.complementarity) <= CONE_TOLERANCE;
            }
            let is_converged = self.gauss_seidel(sweeps, CONVERGED);
            outcome.sweeps += sweeps;
            let most = if round < EARLY_ROUNDS { MAX_PASSES } else { POLISHING_PASSES };
            let (more, is_polished) = self.polish(most);
            outcome.passes += more;
            if is_polished {
                // restarted from single-contact solves, or after the cone solver
                let method = if round < EARLY_ROUNDS { SolveMethod::Check } else { SolveMethod::Polished };
                return Outcome { method, is_exact: true, ..outcome };
            }
            outcome.is_exact |= is_converged;
            if outcome.is_exact || round >= EARLY_ROUNDS && self.is_exhausted() {
                break;
            }
        }
        Outcome { method: SolveMethod::Cone, ..outcome }
    }

    /// Passes from the current modes; everything stays unchanged if they do not terminate.
    fn polish(&mut self, most: usize) -> (usize, bool) {
        let (p, u, modes) = &mut self.work.kept;
        p.clone_from(&self.p);
        u.clone_from(&self.u);
        modes.clone_from(&self.modes);
        let (passes, is_done) = self.passes(most, false);
        if !is_done {
            let (p, u, modes) = &self.work.kept;
            self.p.copy_from_slice(p);
            self.u.copy_from_slice(u);
            self.modes.copy_from_slice(modes);
        }
        (passes, is_done)
    }

    /// Runs the cone solver and derives modes from its solution; false, with nothing changed, if it does not converge.
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
            // negligible loads become zero
            self.p.iter_mut().filter(|p| p[2] <= 1e-10 * load).for_each(|p| *p = [0.0; 6]);
            self.move_by_impulses();
            self.guess.clone_from(&self.p);
            let n = self.faces.len();
            for (i, (face, mode)) in self.faces.iter().zip(&mut self.modes).enumerate() {
                let (p, u) = (&self.p[i], &self.u[i]);
                let carries = |k: &usize| {
                    let share = cone.shares(i)[*k];
                    share > MIN_SHARE * p[2] && face.normal_velocity(*k, u) - face.target[*k] < ZERO_VELOCITY
                };
                let is_loaded = p[2] > 1e-7 * load;
                let set = (0..face.count).filter(|k| is_loaded && carries(k)).fold(0, |s, k| s | 1 << k);
                *mode = Hypothesis { set, ..Hypothesis::default() };
                let slip = norm3(&face.slip(u));
                if set != 0 && slip > ZERO_VELOCITY && face.friction_rows() > 0 {
                    *mode = face.directed(mode, p, u, rho(&self.g[i * n + i]));
                }
            }
        }
        self.work.cone = cone;
        is_converged
    }

    /// At most `most` passes; returns their number and whether all checks passed. `follow`: friction centres follow the
    /// centres of pressure.
    pub(super) fn passes(&mut self, most: usize, follow: bool) -> (usize, bool) {
        let n = self.len();
        self.work.history.clear();
        self.work.history.resize(n, History::default());
        if follow {
            for (past, (hy, (p, u))) in
                self.work.history.iter_mut().zip(self.modes.iter().zip(self.p.iter().zip(&self.u)))
            {
                past.spin = (hy.grip == Grip::Directed && p[2] > 0.0).then(|| u[5] / p[2]);
            }
        }
        for pass in 1..=most {
            if !self.solve_modes() {
                return (pass, false);
            }
            let scale = self.p.iter().fold(1e-12_f64, |m, p| m.max(p[2].abs()));
            let mut changes = core::mem::take(&mut self.work.changes);
            changes.clear();
            for i in 0..n {
                let g = &self.g[i * n + i];
                let (hy, mut past) = (&self.modes[i], self.work.history[i]);
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
                // one contact at a time changes its loaded points, in turns
                let normals = changes.iter().filter(|c| matches!(c.1, Change::Normal(_))).count();
                let (turn, mut seen) = (pass % normals.max(1), 0);
                changes.retain(|c| {
                    seen += usize::from(matches!(c.1, Change::Normal(_)));
                    matches!(c.1, Change::Friction(_)) || seen == turn + 1
                });
            }
            for (i, c, past) in &changes {
                let (Change::Normal(new) | Change::Friction(new)) = c;
                self.modes[*i] = *new;
                self.work.history[*i] = *past;
            }
            self.work.changes = changes;
            if is_done {
                return (pass, true);
            }
        }
        (most, false)
    }

    /// [`Problem::solve_modes`] if all loaded contacts are sticking surfaces: the matrix is G itself. `None` if not.
    fn solve_sticking(&mut self) -> Option<bool> {
        let n = self.len();
        let w = &mut self.work;
        w.active.clear();
        w.x.clear();
        for (i, (face, hy)) in self.faces.iter().zip(&self.modes).enumerate() {
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

    /// Impulses and velocities under the current modes; false if the system has no solution.
    pub(super) fn solve_modes(&mut self) -> bool {
        if let Some(is_solved) = self.solve_sticking() {
            return is_solved;
        }
        let n = self.len();
        let w = &mut self.work;
        w.rows.clear();
        w.active.clear();
        let mut m = 0;
        let mut is_symmetric = true;
        for (i, (face, hy)) in self.faces.iter().zip(&self.modes).enumerate() {
            // no friction without loaded points, except in the search of a single contact
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
                    let near = self.faces[i].in_columns(&self.modes[i], r, &guess);
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

    /// Moves friction centres to the centres of pressure where it matters; false if nowhere.
    fn move_centers(&mut self, outer: usize) -> bool {
        let mut any = false;
        for ((face, hy), p) in self.faces.iter_mut().zip(&mut self.modes).zip(&self.p) {
            if p[2] <= 1e-12 || face.count == 1 || face.friction_rows() == 0 {
                continue;
            }
            if hy.grip == Grip::Stick && face.is_surely_within(p) {
                continue;
            }
            let (center, over) = yaw_at_pressure_center(face, p);
            let gone = distance(center, face.center);
            let is_over = over > face.static_friction * p[2] * (1.0 + 1e-9);
            if is_over && (gone > 1e-9 || outer == OUTER_PASSES)
                || hy.grip != Grip::Stick && gone > CENTER_TOLERANCE
            {
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

/// Inverse of the mean tangential diagonal of a contact's own G.
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
