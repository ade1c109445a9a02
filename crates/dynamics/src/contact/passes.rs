//! Passes of hypothesis and check, and the linear system of a pass: in the rows of the contacts or in the velocities
//! of the figures.
//!
//! Computes  impulses and velocities of all contacts under their modes, rows `a` and columns `b` of `rows`:
//! a u + soft x = wanted, p = b x, u = u_free + G p; and the modes that follow.
//! With many contacts rigid rows get a small compliance in the factor, and the solution is refined against the rigid
//! rows: a proximal iteration from the last impulses, which chooses among redundant forces those nearest to them.
//! Source: [NY2000J §4.3]; [PB2014] proximal point.
//! Checked by: `tests/it/contact_solver.rs`.

use super::check::{Problem, rho};
use super::face::{Block, Face, Six, dot6};
use super::hypothesis::{Change, Grip, History, Hypothesis};
use super::rows::Rows;
use crate::algo::fit;

/// Passes after which only one contact at a time changes its loaded points.
const PATIENT_PASSES: usize = 10;
/// Compliance of rigid rows in the factor, part of the row's own diagonal.
const PROXIMAL: f64 = 1e-7;
/// Least diagonal of a row, part of the largest.
const LEAST: f64 = 1e-9;
/// Most refinements, and the residual at which they end, m/s.
const REFINEMENTS: usize = 6;
const REFINED: f64 = 1e-12;

/// A loaded contact in the velocities of the figures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    contact: usize,
    rows: Rows,
    /// compliances of the factor, and unknown impulses
    soft: [f64; 6],
    x: [f64; 6],
}

impl Load {
    /// Residual of the rows.
    #[inline(always)]
    fn residual(&self, u: &Six) -> Six {
        let (rows, mut r) = (&self.rows, [0.0; 6]);
        for q in 0..rows.count {
            r[q] = rows.wanted[q] - dot6(&rows.a[q], u) - rows.soft[q] * self.x[q];
        }
        self.bend(&self.x, &mut r);
        r
    }

    /// Removes the effect of the friction centre's motion from the rows across the slip.
    #[inline(always)]
    fn bend(&self, x: &Six, r: &mut Six) {
        let rows = &self.rows;
        for (e, bend) in rows.bend.iter().flatten().enumerate().take(rows.count - rows.normals) {
            (0..rows.normals).for_each(|c| r[rows.normals + e] -= bend[c] * x[c]);
        }
    }

    /// x := S^-1 x of the compliances.
    #[inline(always)]
    fn soften(&self, mut x: Six) -> Six {
        (0..self.rows.normals).for_each(|q| x[q] /= self.soft[q]);
        let normals = x;
        self.bend(&normals, &mut x);
        (self.rows.normals..self.rows.count).for_each(|q| x[q] /= self.soft[q]);
        x
    }

    /// b x.
    #[inline(always)]
    fn wrench(&self, x: &Six) -> Six {
        let mut p = [0.0; 6];
        for (b, x) in self.rows.b[..self.rows.count].iter().zip(x) {
            (0..6).for_each(|r| p[r] += b[r] * x);
        }
        p
    }

    /// b S^-1 a.
    #[inline(always)]
    fn stiffness(&self) -> Block {
        let mut h = [[0.0; 6]; 6];
        for c in 0..6 {
            let mut a = [0.0; 6];
            (0..self.rows.count).for_each(|q| a[q] = self.rows.a[q][c]);
            let p = self.wrench(&self.soften(a));
            (0..6).for_each(|r| h[r][c] = p[r]);
        }
        h
    }
}

impl Problem {
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
                let g = &self.own[i];
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
        let n = self.len();
        if self.g.len() != n * n {
            return self.solve_modes_in_space();
        }
        if let Some(is_solved) = self.solve_sticking() {
            return is_solved;
        }
        let w = &mut self.work;
        w.rows.clear();
        w.active.clear();
        let mut m = 0;
        let mut is_symmetric = true;
        for (i, (face, hy)) in self.faces.iter().zip(&self.modes).enumerate() {
            // no friction without loaded points, except in the search of a single contact
            if hy.set != 0 || hy.grip == Grip::Compliant {
                let rows = face.rows(hy, rho(&self.own[i]), w.history.get(i).and_then(|h| h.spin));
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
        if self.g.len() != n * n {
            self.space.respond(&self.p, &mut self.u);
            for (u, free) in self.u.iter_mut().zip(&self.free) {
                (0..6).for_each(|r| u[r] += free[r]);
            }
            return;
        }
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

    /// [`Problem::solve_modes`] in the velocities of the figures.
    fn solve_modes_in_space(&mut self) -> bool {
        let mut loads = core::mem::take(&mut self.work.loads);
        self.collect_loads(&mut loads);
        self.space.begin();
        loads.iter().for_each(|l| self.space.add(l.contact, &l.stiffness()));
        let is_solved = self.space.factor() && self.refine(&mut loads);
        self.work.loads = loads;
        is_solved
    }

    /// Rows of all loaded contacts, with the last impulses in their columns.
    fn collect_loads(&mut self, loads: &mut Vec<Load>) {
        loads.clear();
        self.p.fill([0.0; 6]);
        let mut largest = 0.0_f64;
        for (i, (face, hy)) in self.faces.iter().zip(&self.modes).enumerate() {
            if hy.set == 0 {
                continue;
            }
            let g = &self.own[i];
            let mut rows = face.rows(hy, rho(g), self.work.history.get(i).and_then(|h| h.spin));
            if rows.is_plain {
                (0..6).for_each(|q| (rows.a[q][q], rows.b[q][q]) = (1.0, 1.0));
                rows.normals = 6;
            }
            let guess = self.guess.get(i).copied().unwrap_or_default();
            let x = if rows.is_plain { guess } else { face.in_columns(hy, &rows, &guess) };
            let mut soft = [0.0; 6];
            for q in 0..rows.count {
                soft[q] = (0..6).map(|r| rows.a[q][r] * dot6(&g[r], &rows.a[q])).sum();
                largest = largest.max(soft[q]);
            }
            loads.push(Load { contact: i, rows, soft, x });
        }
        for l in loads.iter_mut() {
            for q in 0..l.rows.count {
                l.soft[q] = l.rows.soft[q] + PROXIMAL * l.soft[q].max(LEAST * largest);
            }
            self.p[l.contact] = l.wrench(&l.x);
        }
    }

    /// Solves for the impulses of the loads with the factor; false if they are not finite.
    fn refine(&mut self, loads: &mut [Load]) -> bool {
        let n = self.len();
        let (mut push, mut change) =
            (core::mem::take(&mut self.work.push), core::mem::take(&mut self.work.change));
        fit(&mut push, n);
        fit(&mut change, n);
        push.fill([0.0; 6]);
        self.move_by_impulses();
        let mut is_finite = true;
        for _ in 0..REFINEMENTS {
            let mut worst = 0.0_f64;
            for l in loads.iter() {
                let r = l.residual(&self.u[l.contact]);
                worst = r.iter().fold(worst, |m, x| m.max(x.abs()));
                push[l.contact] = l.wrench(&l.soften(r));
            }
            is_finite = worst.is_finite();
            if worst <= REFINED || !is_finite {
                break;
            }
            self.space.solve(&push, &mut change);
            for l in loads.iter_mut() {
                let (u, du) = (&self.u[l.contact], &change[l.contact]);
                let mut r = l.residual(u);
                (0..l.rows.count).for_each(|q| r[q] -= dot6(&l.rows.a[q], du));
                let dx = l.soften(r);
                (0..l.rows.count).for_each(|q| l.x[q] += dx[q]);
                self.p[l.contact] = l.wrench(&l.x);
            }
            self.move_by_impulses();
        }
        (self.work.push, self.work.change) = (push, change);
        is_finite && self.p.iter().flatten().all(|x| x.is_finite())
    }
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
