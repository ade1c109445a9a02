//! Contacts one after the other: each by itself, given what the others do.
//!
//! Computes  impulses of one contact alone, always (by a search along the compliance of friction where hypothesis and
//! check finds nothing), and block Gauss-Seidel over all of them. Every iterate satisfies all force conditions.
//! Source: textbook (projected Gauss-Seidel); the checks are those of [NY2000J §4.4-4.5] (`hypothesis`).
//! Checked by: `tests/contact_solver.rs`.

use super::check::{Problem, rho};
use super::face::{Block, Face, Six, dot6, norm3};
use super::hypothesis::{Change, Grip, History, Hypothesis};

/// Halvings (of the logarithm) in the search for a slip.
const BISECTIONS: usize = 60;
/// Passes of a contact by itself.
const PASSES_ALONE: usize = 20;

impl Problem {
    /// Block Gauss-Seidel from the impulses at hand; returns whether it converged.
    pub fn gauss_seidel(&mut self, sweeps: usize, tolerance: f64) -> bool {
        let n = self.len();
        self.move_by_impulses();
        let mut alone = self.work.alone.take().unwrap_or_default();
        alone.work.answers_left = self.work.answers_left;
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
                is_converged = true;
                break;
            }
        }
        self.work.answers_left = alone.work.answers_left;
        self.work.alone = Some(alone);
        is_converged
    }

    /// Whether sweeps have used up what this solve may spend on them.
    pub(super) fn is_exhausted(&self) -> bool {
        self.work.answers_left == Some(0)
    }

    /// [`Problem::answer_thoughts`] of one contact by itself, counted.
    fn answer_alone(&mut self) -> bool {
        self.work.answers_left = self.work.answers_left.map(|n| n.saturating_sub(1));
        self.answer_thoughts()
    }

    /// One contact by itself, from a thought and, if that leads nowhere, from every start there is.
    fn solve_alone(
        &mut self,
        face: &Face,
        g: &Block,
        free: Six,
        hy: Hypothesis,
    ) -> Option<(Six, Hypothesis)> {
        self.clear();
        self.faces.push(*face);
        self.thoughts.push(hy);
        self.free.push(free);
        self.fit();
        self.g[0] = *g;
        if self.passes_alone() {
            return Some((self.p[0], self.thoughts[0]));
        }
        self.search_alone(face)
    }

    /// One contact by itself, always: with friction = -slip / alpha the answer is unique and continuous in alpha, friction
    /// against its limit has opposite signs at both ends, and between them is the slip that Coulomb's law asks for.
    fn search_alone(&mut self, face: &Face) -> Option<(Six, Hypothesis)> {
        let of = |this: &Problem| (this.p[0], this.thoughts[0]);
        let thought = |set, alpha| Hypothesis { set, grip: Grip::Compliant, alpha, ..Hypothesis::default() };
        // nothing sinks: free
        self.thoughts[0] = Hypothesis::default();
        self.answer_alone();
        if face.normal_excess(0, &self.p[0], &self.u[0], 1.0) <= 1e-9 {
            return Some(of(self));
        }
        let mut set = self.carry_alone(face, thought(0, 0.0)).unwrap_or(0);
        let over = |this: &Problem, mu: f64| norm3(&face.friction(&this.p[0])) - mu * this.p[0][2];
        if set != 0 && over(self, face.static_friction) <= 1e-12 * self.p[0][2] {
            return Some((self.p[0], Hypothesis { set, ..Hypothesis::default() }));
        }
        let mean = face.mean_slip(&self.g[0]).max(1e-300);
        let (mut low, mut high) = (1e-10 * mean, 1e8 * mean);
        for step in 0..BISECTIONS {
            let alpha = (low * high).sqrt();
            let Some(next) = self.carry_alone(face, thought(set, alpha)) else {
                low = alpha; // rows that contradict each other without compliance
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
                self.thoughts[0] = face.directed(&answer.1, &self.p[0], &self.u[0], rho(&self.g[0]));
                if self.passes_alone() {
                    return Some(of(self));
                }
            }
        }
        set = self.carry_alone(face, thought(set, high))?;
        if set == 0 {
            return None;
        }
        let hy = face.directed(&self.thoughts[0], &self.p[0], &self.u[0], rho(&self.g[0]));
        Some((self.p[0], hy))
    }

    /// The points that carry under a friction that is given by its compliance: tries all sets, the given one first.
    fn carry_alone(&mut self, face: &Face, hy: Hypothesis) -> Option<u8> {
        let speed = self.free[0].iter().fold(1e-9_f64, |m, x| m.max(x.abs()));
        let (mut best, mut least) = (None, 1e-5);
        for set in [hy.set].into_iter().chain(face.starts()) {
            if self.is_exhausted() {
                return None;
            }
            self.thoughts[0] = Hypothesis { set, ..hy };
            if !self.answer_alone() {
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
        self.thoughts[0] = Hypothesis { set: best?, ..hy };
        self.answer_alone().then_some(best?)
    }

    fn passes_alone(&mut self) -> bool {
        let mut past = History::default();
        for _ in 0..PASSES_ALONE {
            if !self.answer_alone() {
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
}
