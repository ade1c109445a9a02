//! Block Gauss-Seidel: single-contact solves with the other contacts fixed.
//!
//! Computes  impulses of one contact alone, always (by a search along the compliance of friction if hypothesis and check
//! fails), and block Gauss-Seidel over all of them. Every iterate satisfies all force conditions.
//! Source: textbook (projected Gauss-Seidel); the checks are those of [NY2000J §4.4-4.5] (`hypothesis`).
//! Checked by: `tests/it/contact_solver.rs`.

use super::check::{Problem, rho};
use super::face::{Block, Face, Six, dot6, norm3};
use super::hypothesis::{Change, Grip, History, Hypothesis};

/// Bisections (of the logarithm) in the search for a slip.
const BISECTIONS: usize = 60;
/// Passes of a single contact.
const PASSES_ALONE: usize = 20;

impl Problem {
    /// Block Gauss-Seidel from the current impulses; returns whether it converged.
    pub fn gauss_seidel(&mut self, sweeps: usize, tolerance: f64) -> bool {
        let n = self.len();
        self.move_by_impulses();
        let mut alone = self.work.alone.take().unwrap_or_default();
        alone.work.local_solves_left = self.work.local_solves_left;
        let mut is_converged = false;
        for _ in 0..sweeps {
            if alone.is_exhausted() {
                break;
            }
            let (mut largest, mut is_answered) = (0.0_f64, true);
            for i in 0..n {
                let g = self.g[i * n + i];
                let mut free = self.u[i];
                (0..6).for_each(|r| free[r] -= dot6(&g[r], &self.p[i]));
                let Some((p, hy)) = alone.solve_alone(&self.faces[i], &g, free, self.modes[i]) else {
                    is_answered = false;
                    continue;
                };
                self.modes[i] = hy;
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
                is_converged = true;
                break;
            }
        }
        self.work.local_solves_left = alone.work.local_solves_left;
        self.work.alone = Some(alone);
        is_converged
    }

    /// Whether the budget of single-contact solves is used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.work.local_solves_left == Some(0)
    }

    /// [`Problem::solve_modes`] of a single contact, counted.
    fn solve_modes_alone(&mut self) -> bool {
        self.work.local_solves_left = self.work.local_solves_left.map(|n| n.saturating_sub(1));
        self.solve_modes()
    }

    /// Solves a single contact from a mode and, if that fails, from every initial set.
    fn solve_alone(
        &mut self,
        face: &Face,
        g: &Block,
        free: Six,
        hy: Hypothesis,
    ) -> Option<(Six, Hypothesis)> {
        self.clear();
        self.faces.push(*face);
        self.modes.push(hy);
        self.free.push(free);
        self.fit();
        self.g[0] = *g;
        if self.passes_alone() {
            return Some((self.p[0], self.modes[0]));
        }
        self.search_alone(face)
    }

    /// Always solves a single contact: with friction = -slip / alpha the solution is unique and continuous in alpha, friction
    /// minus its limit has opposite signs at both ends, and its root satisfies Coulomb's law.
    fn search_alone(&mut self, face: &Face) -> Option<(Six, Hypothesis)> {
        let of = |this: &Problem| (this.p[0], this.modes[0]);
        let mode = |set, alpha| Hypothesis { set, grip: Grip::Compliant, alpha, ..Hypothesis::default() };
        // no penetration: free
        self.modes[0] = Hypothesis::default();
        self.solve_modes_alone();
        if face.normal_excess(0, &self.p[0], &self.u[0], 1.0) <= 1e-9 {
            return Some(of(self));
        }
        let mut set = self.carry_alone(face, mode(0, 0.0)).unwrap_or(0);
        let over = |this: &Problem, mu: f64| norm3(&face.friction(&this.p[0])) - mu * this.p[0][2];
        if set != 0 && over(self, face.static_friction) <= 1e-12 * self.p[0][2] {
            return Some((self.p[0], Hypothesis { set, ..Hypothesis::default() }));
        }
        let mean = face.mean_slip(&self.g[0]).max(1e-300);
        let (mut low, mut high) = (1e-10 * mean, 1e8 * mean);
        for step in 0..BISECTIONS {
            let alpha = (low * high).sqrt();
            let Some(next) = self.carry_alone(face, mode(set, alpha)) else {
                low = alpha; // contradictory rows without compliance
                continue;
            };
            set = next;
            if over(self, face.dynamic_friction) > 0.0 {
                low = alpha;
            } else {
                high = alpha;
            }
            if step % 12 == 11 && set != 0 {
                let answer = of(self);
                self.modes[0] = face.directed(&answer.1, &self.p[0], &self.u[0], rho(&self.g[0]));
                if self.passes_alone() {
                    return Some(of(self));
                }
            }
        }
        set = self.carry_alone(face, mode(set, high))?;
        if set == 0 {
            return None;
        }
        let hy = face.directed(&self.modes[0], &self.p[0], &self.u[0], rho(&self.g[0]));
        Some((self.p[0], hy))
    }

    /// Loaded points for a given friction compliance: tries all sets, the given one first.
    fn carry_alone(&mut self, face: &Face, hy: Hypothesis) -> Option<u8> {
        let speed = self.free[0].iter().fold(1e-9_f64, |m, x| m.max(x.abs()));
        let (mut best, mut least) = (None, 1e-5);
        for set in [hy.set].into_iter().chain(face.starts()) {
            if self.is_exhausted() {
                return None;
            }
            self.modes[0] = Hypothesis { set, ..hy };
            if !self.solve_modes_alone() {
                continue;
            }
            let excess = face.normal_excess(set, &self.p[0], &self.u[0], speed);
            if excess < least {
                (best, least) = (Some(set), excess);
            }
            if excess < 1e-12 {
                break;
            }
        }
        self.modes[0] = Hypothesis { set: best?, ..hy };
        self.solve_modes_alone().then_some(best?)
    }

    fn passes_alone(&mut self) -> bool {
        let mut past = History::default();
        for _ in 0..PASSES_ALONE {
            if !self.solve_modes_alone() {
                return false;
            }
            let (g, p, u) = (&self.g[0], &self.p[0], &self.u[0]);
            let scale = p[2].abs().max(1e-12);
            match self.faces[0].check(g, &self.modes[0], p, u, scale, rho(g), true, &mut past) {
                None => return true,
                Some(Change::Normal(new) | Change::Friction(new)) => self.modes[0] = new,
            }
        }
        false
    }
}
