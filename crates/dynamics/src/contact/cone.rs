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
//! Linear systems are those of `space`: a contact's rows of Newton's matrix are eliminated first, 3 to 11 of them.
//! Cost: 10 to 20 factors of a matrix of the figures' degrees of freedom.
//! Checked by: `tests/it/contact_solver.rs`.

mod part;

use super::face::{Block, Face, Six, dot6};
use super::patch::MAX_VERTICES;
use super::space::Space;
use super::step::FREE;
use crate::algo::fit;
use part::{Own, Part, dot, norm};

const MAX_ITERATIONS: usize = 60;
/// Iterations without progress at the end of the path.
const MAX_STALLED: usize = 3;
/// Most factors of a solve, all paths together.
const MAX_FACTORS: usize = 250;
/// Largest extrapolation of a correction, in units of its last change.
const MAX_EXTRAPOLATION: f64 = 50.0;
/// Shorter steps make no progress.
const STUCK: f64 = 1e-3;
/// Steps this short in a row make too little.
const SLOW: f64 = 0.05;
const MAX_CRAWLS: usize = 3;
/// Final complementarity relative to the initial one.
const CONVERGED: f64 = 1e-14;
/// The same where rounding stops it.
const STALLED: f64 = 1e-10;
/// Least residual of stationarity that rounding lets one ask for, part of the speed.
const ROUNDING: f64 = 1e-10;
/// A shorter step is taken again with more centring.
const SHORT: f64 = 0.1;
/// Centring of that step.
const CENTRED: f64 = 0.5;
/// Complementarity, part of its first size, below which directions are refined.
const REFINED: f64 = 1e-6;
/// Least complementarity relative to the stationarity residual.
const AHEAD: f64 = 1e-2;
/// Compliance added to G, part of its mean diagonal. Contacts on links held by connections can press without moving anything;
/// without compliance their forces would be unbounded.
const COMPLIANCE: f64 = 1e-12;
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
    /// velocities less targets without impulses
    b: Vec<f64>,
    x: Vec<f64>,
    /// velocities less targets, from impulses and compliance alone
    gx: Vec<f64>,
    dx: Vec<f64>,
    rhs: Vec<f64>,
    left: Vec<f64>,
    /// diagonal of C G C^T, and compliance of all rows
    give: Vec<f64>,
    soft: f64,
    /// factor of each contact's own rows
    own: Vec<Own>,
    /// impulses and velocities of contacts
    p: Vec<Six>,
    u: Vec<Six>,
    /// outer corrections and their changes, now and before
    found: Vec<(f64, f64)>,
    last: Vec<(f64, f64)>,
    /// the last finite iterate
    good: Vec<f64>,
    factors: usize,
    /// sizes of loads and velocities
    push: f64,
    speed: f64,
}

impl Cone {
    /// Begins a solve with fixed friction centres.
    pub fn begin(&mut self, faces: &[Face], own: &[Block], free: &[Six]) {
        self.prepare(faces, own, free);
        self.factors = 0;
        (self.push, self.speed) = self.start_inside();
    }

    /// Follows the path until complementarity is this part of its first size; writes impulses. Returns whether it got there.
    pub fn approach(&mut self, space: &mut Space, part: f64, p: &mut [Six]) -> bool {
        let is_there = self.x.is_empty() || self.follow_path(space, part);
        self.impulses(&self.x, p);
        is_there
    }

    /// Follows the path to its end; writes impulses. Returns whether it converged.
    pub fn finish(&mut self, space: &mut Space, p: &mut [Six]) -> bool {
        self.approach(space, CONVERGED, p)
    }

    /// Fixes the corrections and follows the path again, a convex problem that always converges; writes impulses. The
    /// corrections approach those of the solution from call to call.
    pub fn correct(&mut self, space: &mut Space, p: &mut [Six]) -> bool {
        self.update_corrections();
        self.start_inside();
        self.approach(space, CONVERGED, p)
    }

    /// Number of factors of the last solve.
    pub fn factors(&self) -> usize {
        self.factors
    }

    fn prepare(&mut self, faces: &[Face], own: &[Block], free: &[Six]) {
        self.parts.clear();
        self.start.clear();
        self.start.push(0);
        self.b.clear();
        self.give.clear();
        for ((f, g), free) in faces.iter().zip(own).zip(free) {
            let part = Part::new(f);
            let stick_velocity = f.target_slip();
            for r in 0..part.n + part.k {
                let column = &part.columns[r];
                let wanted =
                    if r < part.n { f.target[part.points[r] as usize] } else { stick_velocity[r - part.n] };
                self.b.push(dot6(column, free) - wanted);
                self.give.push(quadratic(g, column));
            }
            self.parts.push(part);
            self.start.push(self.b.len());
        }
        let m = self.b.len();
        self.soft = COMPLIANCE * self.give.iter().sum::<f64>() / m.max(1) as f64;
        for to in [&mut self.x, &mut self.gx, &mut self.dx, &mut self.rhs] {
            fit(to, m);
        }
        for to in [&mut self.found, &mut self.last] {
            to.clear();
            to.reserve(faces.len());
        }
        fit(&mut self.own, faces.len());
        fit(&mut self.p, faces.len());
        fit(&mut self.u, faces.len());
    }

    /// C^T x of all contacts.
    fn impulses(&self, x: &[f64], p: &mut [Six]) {
        for ((part, at), p) in self.parts.iter().zip(&self.start).zip(p) {
            *p = part.wrench(&x[*at..*at + part.n + part.k]);
        }
    }

    /// gx := C G C^T x + compliance.
    fn respond(&mut self, space: &mut Space) {
        let mut p = core::mem::take(&mut self.p);
        self.impulses(&self.x, &mut p);
        space.respond(&p, &mut self.u);
        self.p = p;
        for ((part, at), u) in self.parts.iter().zip(&self.start).zip(&self.u) {
            for i in 0..part.n + part.k {
                self.gx[at + i] = dot6(&part.columns[i], u) + self.soft * self.x[at + i];
            }
        }
    }

    /// The next corrections, from the duals of the last path. They converge slowly with many contacts: extrapolated from
    /// the last two.
    fn update_corrections(&mut self) {
        if self.parts.iter().all(|p| p.correction.is_none()) {
            self.parts.iter_mut().for_each(|p| p.correction = Some(p.mu * norm(&p.l[1..])));
            self.last.clear();
            return;
        }
        self.found.clear();
        for p in &self.parts {
            let new = p.mu * norm(&p.l[1..]);
            self.found.push((new, new - p.correction.unwrap_or(0.0)));
        }
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

    /// A start inside all cones: every contact gets the load that would stop it alone, shared evenly.
    fn start_inside(&mut self) -> (f64, f64) {
        let (mut speed, mut give) = (0.0_f64, 0.0_f64);
        for (part, at) in self.parts.iter().zip(&self.start) {
            for i in *at..*at + part.n {
                speed = speed.max(self.b[i].abs());
                give = give.max(self.give[i]);
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

    fn follow_path(&mut self, space: &mut Space, part: f64) -> bool {
        self.good.clear();
        let (speed, size) = (self.speed, self.push * self.speed);
        let (mut least_error, mut in_vain, mut crawls) = (f64::INFINITY, 0, 0);
        for _ in 0..MAX_ITERATIONS {
            self.respond(space);
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
            if mean <= part * size && off <= (1e3 * part).max(ROUNDING) * speed {
                return true;
            }
            // the end of the path, as far as rounding lets it be seen
            let error = (mean / size).max(1e-3 * off / speed);
            in_vain = if error < 0.5 * least_error { 0 } else { in_vain + 1 };
            least_error = least_error.min(error);
            if in_vain >= MAX_STALLED && mean <= STALLED * size && off <= 1e3 * STALLED * speed {
                return true;
            }
            self.good.clear();
            self.good.extend_from_slice(&self.x);
            // complementarity must not run ahead of the residual, or the path ends at the boundary
            let least = size * (0.1 * CONVERGED).max(AHEAD * off / speed);
            let is_end = mean <= STALLED * size && off <= 1e3 * STALLED * speed;
            let Some(step) = self.step(space, mean, least) else { return is_end };
            crawls = if step < SLOW { crawls + 1 } else { 0 };
            if step < STUCK || crawls > MAX_CRAWLS {
                return is_end;
            }
        }
        false
    }

    /// One predictor and corrector; complementarity stays above `least`, where rounding begins.
    /// Returns its length, `None` without a factor.
    fn step(&mut self, space: &mut Space, mean: f64, least: f64) -> Option<f64> {
        if self.factors >= MAX_FACTORS {
            return None;
        }
        self.factors += 1;
        self.parts.iter_mut().for_each(Part::scale);
        space.begin();
        for (c, p) in self.parts.iter().enumerate() {
            if p.n > 0 {
                let own = &mut self.own[c];
                own.factor(p, &self.x[self.start[c]..], self.soft);
                space.add(c, &own.h);
            }
        }
        if !space.factor() {
            return None;
        }
        let m = self.b.len();
        self.gx[..m].copy_from_slice(&self.rhs[..m]); // stationarity; G x is no longer needed
        let is_late = mean <= REFINED * self.push * self.speed;
        let longest = self.aim(space, None, is_late);
        let ratio = (self.gap_after(longest) / mean).clamp(0.0, 1.0);
        let sigma = (ratio * ratio * ratio).max(1e-4);
        let mut longest = self.aim(space, Some(((sigma * mean).max(least), true)), is_late);
        if longest < SHORT {
            longest = self.aim(space, Some(((CENTRED * mean).max(least), false)), is_late);
        }
        let step = if longest < 1.0 { CLOSE * longest } else { 1.0 };
        if step < STUCK {
            return Some(step);
        }
        for (p, at) in self.parts.iter_mut().zip(&self.start) {
            let own = *at..*at + p.n + p.k;
            self.x[own.clone()].iter_mut().zip(&self.dx[own.clone()]).for_each(|(x, d)| *x += step * d);
            p.advance(&self.x[own], step);
        }
        Some(step)
    }

    /// Directions of the predictor, or of a corrector towards a complementarity, with the second order of the last
    /// direction or without. Returns the longest step, at most 1.
    fn aim(&mut self, space: &mut Space, target: Option<(f64, bool)>, is_late: bool) -> f64 {
        for (p, at) in self.parts.iter_mut().zip(&self.start) {
            p.complementarity(&self.x[*at..at + p.n], target);
            let mut r = [0.0; MAX_SIZE];
            p.pull_back(&self.x[*at..at + p.n], &mut r);
            for (i, r) in r.iter().enumerate().take(p.n + p.k) {
                self.rhs[at + i] = self.gx[at + i] + r;
            }
        }
        self.direction(space, is_late);
        let mut longest = 1.0_f64;
        for (p, at) in self.parts.iter_mut().zip(&self.start) {
            let own = *at..*at + p.n + p.k;
            p.directions(&self.x[own.clone()], &self.dx[own.clone()]);
            longest = longest.min(p.longest(&self.x[own]));
        }
        longest
    }

    /// Mean complementarity after a step.
    fn gap_after(&self, step: f64) -> f64 {
        let (mut after, mut cones) = (0.0, 0.0);
        for (p, at) in self.parts.iter().zip(&self.start) {
            let (gap, n) = p.gap_after(&self.x[*at..at + p.n], step);
            after += gap;
            cones += n;
        }
        after / cones
    }

    /// dx: the rows of each contact by its own factor, its velocity change by that of `space`.
    fn direction(&mut self, space: &mut Space, is_refined: bool) {
        let mut left = core::mem::take(&mut self.left);
        left.clone_from(&self.rhs);
        self.dx.fill(0.0);
        for round in 0..=usize::from(is_refined) {
            if round > 0 {
                // what C G C^T and the contacts' own rows leave of the right-hand side
                let mut p = core::mem::take(&mut self.p);
                self.impulses(&self.dx, &mut p);
                space.respond(&p, &mut self.u);
                self.p = p;
                for ((part, at), (own, u)) in
                    self.parts.iter().zip(&self.start).zip(self.own.iter().zip(&self.u))
                {
                    let rows = *at..*at + part.n + part.k;
                    for (i, x) in left[rows.clone()].iter_mut().enumerate() {
                        *x =
                            self.rhs[at + i] - dot6(&part.columns[i], u) - own.row(i, &self.dx[rows.clone()]);
                    }
                }
            }
            self.solve_rows(space, &left);
        }
        self.left = left;
    }

    /// dx += the solution for a right-hand side.
    fn solve_rows(&mut self, space: &mut Space, r: &[f64]) {
        let mut p = core::mem::take(&mut self.p);
        for (c, (part, at)) in self.parts.iter().zip(&self.start).enumerate() {
            let n = part.n + part.k;
            let mut x = [0.0; MAX_SIZE];
            x[..n].copy_from_slice(&r[*at..at + n]);
            self.own[c].solve(&mut x[..n]);
            p[c] = part.wrench(&x);
        }
        space.solve(&p, &mut self.u);
        self.p = p;
        for (c, (part, at)) in self.parts.iter().zip(&self.start).enumerate() {
            let n = part.n + part.k;
            let mut x = [0.0; MAX_SIZE];
            (0..n).for_each(|i| x[i] = r[at + i] - dot6(&part.columns[i], &self.u[c]));
            self.own[c].solve(&mut x[..n]);
            (0..n).for_each(|i| self.dx[at + i] += x[i]);
        }
    }

    /// Load share of a contact's point over the size of loads, after a solve.
    pub fn share(&self, c: usize, point: usize) -> f64 {
        let part = &self.parts[c];
        let known = part.points[..part.n].iter().position(|p| *p as usize == point);
        known.map_or(0.0, |i| self.x[self.start[c] + i] / self.push)
    }

    /// Size of velocities of the problem, m/s.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Size of loads of the problem.
    pub fn load(&self) -> f64 {
        self.push
    }
}

/// c^T G c.
fn quadratic(g: &Block, c: &Six) -> f64 {
    (0..6).map(|r| c[r] * dot6(&g[r], c)).sum()
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
