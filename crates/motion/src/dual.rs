//! Forces in friction cones by the dual of what they share.
//!
//! Computes the forces f_i in the round cones K_i that minimise
//!     1/2 (b - sum W_i f_i)^T S^-1 (b - sum W_i f_i) + sum eps_i |f_i|^2 / 2
//! with W_i of n rows and three columns: what a force gives to each of n balances. The dual has n unknowns, however many
//! forces there are: minimise  y^T S y / 2 + sum eps_i |P_i(W_i^T y / eps_i)|^2 / 2 - b.y  with P_i the projection on
//! K_i; then f_i = P_i(W_i^T y / eps_i), and S y = b - sum W_i f_i is what the forces do not give. It is strongly convex
//! with a piecewise smooth gradient: Newton's method with a line search ends in a few steps.
//! Source: our own; Moreau's decomposition for the dual. The cones are round, not pyramids. Centre of pressure inside
//! the hull and the limit of the yaw moment follow from points that only push.
//! Not here: what is balanced: wrenches (`split`), motions (`filter`).
//! Checked by: tests of `split` and `filter::program`.

use anthropi_dynamics::spatial::{Vec3, vec3};

/// Newton's steps for one search.
const STEPS: usize = 40;
/// Forces cost so many times more at first, when a search has to begin from afar.
const SOFTER: [f64; 3] = [1e4, 1e2, 1.0];
/// Decrease that a step of the line search must reach, as part of the slope.
const ARMIJO: f64 = 1e-4;

/// A force in a cone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cone {
    /// axis of the cone, unit
    pub normal: Vec3,
    /// coefficient of friction
    pub friction: f64,
    /// cost of the force squared
    pub eps: f64,
}

/// A problem, its scratch, and the last solution. No heap once it has seen its largest problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dual {
    /// unknowns
    pub y: Vec<f64>,
    /// the cones
    pub cones: Vec<Cone>,
    /// W_i row by row: `n` for the first cone, `n` for the second, ...
    pub rows: Vec<Vec3>,
    /// S, row by row
    pub give: Vec<f64>,
    /// b
    pub wanted: Vec<f64>,
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    there: Vec<f64>,
}

impl Dual {
    /// Makes room for `n` balances and forgets cones; the solution stays as a start if the size is the same.
    pub fn reset(&mut self, n: usize) {
        self.cones.clear();
        self.rows.clear();
        self.y.resize(n, 0.0);
        for x in [&mut self.wanted, &mut self.gradient, &mut self.step, &mut self.there] {
            x.clear();
            x.resize(n, 0.0);
        }
        for m in [&mut self.give, &mut self.hessian] {
            m.clear();
            m.resize(n * n, 0.0);
        }
    }

    /// Force of a cone.
    pub fn force(&self, cone: usize) -> Vec3 {
        project(self.pull(cone, &self.y), &self.cones[cone]).0
    }

    fn n(&self) -> usize {
        self.y.len()
    }

    /// W_i^T y / eps_i.
    fn pull(&self, cone: usize, y: &[f64]) -> Vec3 {
        let rows = &self.rows[cone * y.len()..(cone + 1) * y.len()];
        let sum = rows.iter().zip(y).fold(Vec3::ZERO, |sum, (w, y)| w.mad(*y, sum));
        sum.scale(1.0 / self.cones[cone].eps)
    }

    fn value(&self, y: &[f64]) -> f64 {
        let n = self.n();
        let mut value = 0.0;
        for k in 0..n {
            let given: f64 = self.give[k * n..(k + 1) * n].iter().zip(y).map(|(s, y)| s * y).sum();
            value += y[k] * (0.5 * given - self.wanted[k]);
        }
        for i in 0..self.cones.len() {
            let f = project(self.pull(i, y), &self.cones[i]).0;
            value += 0.5 * self.cones[i].eps * f.dot(f);
        }
        value
    }

    /// Gradient and Hessian at y; gives the value.
    fn derive(&mut self) -> f64 {
        let n = self.n();
        let mut value = 0.0;
        self.hessian.copy_from_slice(&self.give);
        for k in 0..n {
            let given: f64 = self.give[k * n..(k + 1) * n].iter().zip(&self.y).map(|(s, y)| s * y).sum();
            value += self.y[k] * (0.5 * given - self.wanted[k]);
            self.gradient[k] = given - self.wanted[k];
        }
        for i in 0..self.cones.len() {
            let cone = self.cones[i];
            let (f, slope) = project(self.pull(i, &self.y), &cone);
            value += 0.5 * cone.eps * f.dot(f);
            let Some(slope) = slope else { continue };
            let rows = &self.rows[i * n..(i + 1) * n];
            for (k, w) in rows.iter().enumerate() {
                self.gradient[k] += w.dot(f);
                let turned = slope.apply(*w).scale(1.0 / cone.eps);
                for (h, w) in self.hessian[k * n..k * n + k + 1].iter_mut().zip(rows) {
                    *h += w.dot(turned);
                }
            }
        }
        value
    }

    /// Newton's method from the present y until the gradient is below `done` everywhere. Gives the number of steps, and
    /// whether it got there.
    pub fn newton(&mut self, done: f64) -> (usize, bool) {
        for steps in 0..STEPS {
            let value = self.derive();
            if self.gradient.iter().all(|g| g.abs() < done) {
                return (steps, true);
            }
            if !self.solve_step() {
                return (steps, false);
            }
            let slope: f64 = self.step.iter().zip(&self.gradient).map(|(s, g)| s * g).sum();
            let mut part = 1.0;
            loop {
                for ((t, y), s) in self.there.iter_mut().zip(&self.y).zip(&self.step) {
                    *t = y + part * s;
                }
                // rounding of the value hides the last decreases: then a whole step is as good
                let is_flat = slope.abs() < 1e-14 * (1.0 + value.abs());
                if is_flat || self.value(&self.there) <= value + ARMIJO * part * slope {
                    self.y.copy_from_slice(&self.there);
                    break;
                }
                part *= 0.5;
                if part < 1e-10 {
                    return (steps, false);
                }
            }
        }
        (STEPS, false)
    }

    /// Newton's method from the present y; if that does not get there, from zero with cones that are softer at first.
    pub fn search(&mut self, done: f64) -> (usize, bool) {
        let (mut steps, mut is_there) = self.newton(done);
        if !is_there {
            self.y.fill(0.0);
            for soft in SOFTER {
                self.cones.iter_mut().for_each(|c| c.eps *= soft);
                let (more, found) = self.newton(done);
                (steps, is_there) = (steps + more, found);
                self.cones.iter_mut().for_each(|c| c.eps /= soft);
            }
        }
        (steps, is_there)
    }

    /// step := -hessian^-1 gradient, by Cholesky's factors of the lower triangle; false if it is not positive.
    fn solve_step(&mut self) -> bool {
        let n = self.n();
        let (h, x) = (&mut self.hessian, &mut self.step);
        for j in 0..n {
            for i in j..n {
                let mut sum = h[i * n + j];
                for k in 0..j {
                    sum -= h[i * n + k] * h[j * n + k];
                }
                h[i * n + j] = sum;
            }
            let pivot = h[j * n + j];
            if !(pivot > 0.0) {
                return false;
            }
            let scale = 1.0 / pivot.sqrt();
            (j..n).for_each(|i| h[i * n + j] *= scale);
        }
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| h[i * n + k] * x[k]).sum();
            x[i] = (-self.gradient[i] - sum) / h[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| h[k * n + i] * x[k]).sum();
            x[i] = (x[i] - sum) / h[i * n + i];
        }
        x.iter().all(|x| x.is_finite())
    }
}

/// Derivative of a projection.
#[derive(Clone, Copy)]
enum Slope {
    /// inside the cone
    Whole,
    /// on its surface: along the edge, and round the axis
    Edge { edge: Vec3, along: f64, normal: Vec3, outward: Vec3, round: f64 },
}

impl Slope {
    fn apply(&self, e: Vec3) -> Vec3 {
        match *self {
            Slope::Whole => e,
            Slope::Edge { edge, along, normal, outward, round } => {
                let flat = e - normal.scale(normal.dot(e)) - outward.scale(outward.dot(e));
                edge.scale(along * edge.dot(e)) + flat.scale(round)
            }
        }
    }
}

/// Projection of `u` on a cone, and its derivative; none where the force is zero.
fn project(u: Vec3, cone: &Cone) -> (Vec3, Option<Slope>) {
    let (n, mu) = (cone.normal, cone.friction);
    let normal = n.dot(u);
    let across = u - n.scale(normal);
    let sideways = across.norm();
    if sideways <= mu * normal {
        return (u, Some(Slope::Whole));
    }
    if mu * sideways <= -normal {
        return (vec3(0.0, 0.0, 0.0), None);
    }
    let outward = across.scale(1.0 / sideways);
    let edge = n + outward.scale(mu);
    let size = (normal + mu * sideways) / (1.0 + mu * mu);
    let (along, round) = (1.0 / (1.0 + mu * mu), size * mu / sideways);
    (edge.scale(size), Some(Slope::Edge { edge, along, normal: n, outward, round }))
}

#[cfg(test)]
mod tests;
