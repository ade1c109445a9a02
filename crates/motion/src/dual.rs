//! Contact forces in friction cones, by the dual problem.
//!
//! Computes the forces f_i in the round cones K_i that minimise
//!     1/2 (b - sum W_i f_i)^T S^-1 (b - sum W_i f_i) + sum eps_i |f_i|^2 / 2
//! with W_i of n rows and three columns: the contribution of a force to each of n balances. The dual has n unknowns for any
//! number of forces: minimise  y^T S y / 2 + sum eps_i |P_i(W_i^T y / eps_i)|^2 / 2 - b.y  with P_i the projection to
//! K_i; then f_i = P_i(W_i^T y / eps_i), and S y = b - sum W_i f_i is the residual. The dual is strongly convex with a
//! piecewise smooth gradient: Newton's method with a line search converges in a few steps. Forces with a price p |f_i| instead
//! of a cone, limited in size (`PricedForce`), enter the same way: they act only where y passes the price.
//! Source: our own; Moreau's decomposition for the dual. The cones are round, not pyramids. Limits of the centre of pressure
//! and of the yaw moment follow from unilateral forces at several points.
//! Not here: the balances: wrenches (`split`), motions (`filter`).
//! Checked by: tests below, tests of `split` and `filter::qp`.

use anthropi_dynamics::spatial::{Vec3, vec3};

/// Most Newton steps.
const MAX_STEPS: usize = 40;
/// Factors on the force cost, in order, for a cold start.
const CONTINUATION: [f64; 3] = [1e4, 1e2, 1.0];
/// Required decrease of a line-search step, parts of the slope (Armijo).
const ARMIJO: f64 = 1e-4;

/// Friction cone of a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cone {
    /// axis of the cone, unit
    pub normal: Vec3,
    /// coefficient of friction
    pub friction: f64,
    /// cost of the force squared
    pub eps: f64,
}

/// A force in any direction that costs its size besides its square: it is zero unless it is worth its price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PricedForce {
    /// cost of the size
    pub price: f64,
    /// cost of the force squared
    pub eps: f64,
    /// largest size
    pub limit: f64,
}

impl PricedForce {
    /// The best force for W^T y = `u`, what it adds to the dual, and its derivative.
    fn best(&self, u: Vec3) -> (Vec3, f64, Option<ProjectionDerivative>) {
        let size = u.norm();
        if size <= self.price {
            return (Vec3::ZERO, 0.0, None);
        }
        let direction = u.scale(1.0 / size);
        let (free, rate) = ((size - self.price) / self.eps, 1.0 / self.eps);
        let (f, along) = if free < self.limit { (free, rate) } else { (self.limit, 0.0) };
        let value = f * (size - self.price) - 0.5 * self.eps * f * f;
        let derivative = ProjectionDerivative::Ball { direction, along, across: f / size };
        (direction.scale(f), value, Some(derivative))
    }
}

/// A problem with its scratch space and last solution. Allocates only for problems larger than all before.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConeDual {
    /// unknowns
    pub y: Vec<f64>,
    /// the cones
    pub cones: Vec<Cone>,
    /// forces with a price
    pub priced: Vec<PricedForce>,
    /// W_i row by row: `n` for the first cone, `n` for the second, ..., then those of the forces with a price
    pub rows: Vec<Vec3>,
    /// S, row by row
    pub compliance: Vec<f64>,
    /// b
    pub rhs: Vec<f64>,
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
}

impl ConeDual {
    /// Resizes to `n` balances and clears the cones; the last solution stays as warm start if the size is unchanged.
    pub fn reset(&mut self, n: usize) {
        self.cones.clear();
        self.priced.clear();
        self.rows.clear();
        self.y.resize(n, 0.0);
        for x in [&mut self.rhs, &mut self.gradient, &mut self.step, &mut self.trial] {
            x.clear();
            x.resize(n, 0.0);
        }
        for m in [&mut self.compliance, &mut self.hessian] {
            m.clear();
            m.resize(n * n, 0.0);
        }
    }

    /// Force of a cone; after the cones, those with a price.
    pub fn force(&self, i: usize) -> Vec3 {
        self.term(i, &self.y).0
    }

    fn n(&self) -> usize {
        self.y.len()
    }

    fn terms(&self) -> usize {
        self.cones.len() + self.priced.len()
    }

    /// W_i^T y: what a unit of force `i` gains.
    fn gain(&self, i: usize, y: &[f64]) -> Vec3 {
        let rows = &self.rows[i * y.len()..(i + 1) * y.len()];
        rows.iter().zip(y).fold(Vec3::ZERO, |sum, (w, y)| w.mad(*y, sum))
    }

    /// Force `i` for y, what it adds to the dual, and the derivative of the force with respect to W_i^T y.
    fn term(&self, i: usize, y: &[f64]) -> (Vec3, f64, Option<ProjectionDerivative>) {
        let u = self.gain(i, y);
        match self.cones.get(i) {
            Some(cone) => {
                let (f, derivative) = project(u.scale(1.0 / cone.eps), cone);
                (f, 0.5 * cone.eps * f.dot(f), derivative)
            }
            None => self.priced[i - self.cones.len()].best(u),
        }
    }

    /// Derivative of force `i` times a vector.
    fn turned(&self, i: usize, derivative: &ProjectionDerivative, w: Vec3) -> Vec3 {
        self.cones.get(i).map_or(derivative.apply(w), |cone| derivative.apply(w).scale(1.0 / cone.eps))
    }

    fn value(&self, y: &[f64]) -> f64 {
        let n = self.n();
        let mut value = 0.0;
        for k in 0..n {
            let given: f64 = self.compliance[k * n..(k + 1) * n].iter().zip(y).map(|(s, y)| s * y).sum();
            value += y[k] * (0.5 * given - self.rhs[k]);
        }
        (0..self.terms()).for_each(|i| value += self.term(i, y).1);
        value
    }

    /// The least cost, as y gives it.
    pub fn cost(&self) -> f64 {
        -self.value(&self.y)
    }

    /// Second derivatives of the least cost by the entries of b from `first` on, row by row: that block of the inverse of
    /// the Hessian at y; false if there is none.
    pub fn curvature(&mut self, first: usize, block: &mut Vec<f64>) -> bool {
        let n = self.n();
        block.clear();
        self.linearise();
        if !self.factor() {
            return false;
        }
        for k in first..n {
            self.step.fill(0.0);
            self.step[k] = 1.0;
            self.substitute();
            block.extend_from_slice(&self.step[first..]);
        }
        true
    }

    /// Computes gradient and Hessian at y; returns the value.
    fn linearise(&mut self) -> f64 {
        let n = self.n();
        let mut value = 0.0;
        self.hessian.copy_from_slice(&self.compliance);
        for k in 0..n {
            let given: f64 =
                self.compliance[k * n..(k + 1) * n].iter().zip(&self.y).map(|(s, y)| s * y).sum();
            value += self.y[k] * (0.5 * given - self.rhs[k]);
            self.gradient[k] = given - self.rhs[k];
        }
        for i in 0..self.terms() {
            let (f, added, slope) = self.term(i, &self.y);
            value += added;
            let Some(slope) = slope else { continue };
            for k in 0..n {
                let w = self.rows[i * n + k];
                self.gradient[k] += w.dot(f);
                let turned = self.turned(i, &slope, w);
                let rows = &self.rows[i * n..(i + 1) * n];
                for (h, w) in self.hessian[k * n..k * n + k + 1].iter_mut().zip(rows) {
                    *h += w.dot(turned);
                }
            }
        }
        value
    }

    /// Newton's method from the current y until all entries of the gradient are below `tolerance`. Returns the number of
    /// steps, and whether it converged.
    pub fn newton(&mut self, tolerance: f64) -> (usize, bool) {
        for steps in 0..MAX_STEPS {
            let value = self.linearise();
            if self.gradient.iter().all(|g| g.abs() < tolerance) {
                return (steps, true);
            }
            if !self.solve_step() {
                return (steps, false);
            }
            let slope: f64 = self.step.iter().zip(&self.gradient).map(|(s, g)| s * g).sum();
            let mut length = 1.0;
            loop {
                for ((t, y), s) in self.trial.iter_mut().zip(&self.y).zip(&self.step) {
                    *t = y + length * s;
                }
                // rounding hides the last decreases: accept the full step
                let is_flat = slope.abs() < 1e-14 * (1.0 + value.abs());
                if is_flat || self.value(&self.trial) <= value + ARMIJO * length * slope {
                    self.y.copy_from_slice(&self.trial);
                    break;
                }
                length *= 0.5;
                if length < 1e-10 {
                    return (steps, false);
                }
            }
        }
        (MAX_STEPS, false)
    }

    /// Newton's method from the current y; if that fails, from zero with gradually decreasing force cost.
    pub fn solve(&mut self, tolerance: f64) -> (usize, bool) {
        let (mut steps, mut has_converged) = self.newton(tolerance);
        if !has_converged {
            self.y.fill(0.0);
            for factor in CONTINUATION {
                self.cones.iter_mut().for_each(|c| c.eps *= factor);
                let (more, found) = self.newton(tolerance);
                (steps, has_converged) = (steps + more, found);
                self.cones.iter_mut().for_each(|c| c.eps /= factor);
            }
        }
        (steps, has_converged)
    }

    /// step := -hessian^-1 gradient; false if not positive definite.
    fn solve_step(&mut self) -> bool {
        if !self.factor() {
            return false;
        }
        self.step.iter_mut().zip(&self.gradient).for_each(|(s, g)| *s = -g);
        self.substitute();
        self.step.iter().all(|x| x.is_finite())
    }

    /// Cholesky factorisation of the lower triangle of the Hessian; false if not positive definite.
    fn factor(&mut self) -> bool {
        let (n, h) = (self.n(), &mut self.hessian);
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
        true
    }

    /// step := hessian^-1 step, with the factor.
    fn substitute(&mut self) {
        let n = self.n();
        let (h, x) = (&self.hessian, &mut self.step);
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| h[i * n + k] * x[k]).sum();
            x[i] = (x[i] - sum) / h[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| h[k * n + i] * x[k]).sum();
            x[i] = (x[i] - sum) / h[i * n + i];
        }
    }
}

/// Derivative of a projection.
#[derive(Clone, Copy)]
pub(crate) enum ProjectionDerivative {
    /// inside the cone
    Inside,
    /// on its surface: along the edge, and around the axis
    Edge { edge: Vec3, along: f64, normal: Vec3, outward: Vec3, round: f64 },
    /// of a limited force along its direction and across
    Ball { direction: Vec3, along: f64, across: f64 },
}

impl ProjectionDerivative {
    pub fn apply(&self, e: Vec3) -> Vec3 {
        match *self {
            ProjectionDerivative::Inside => e,
            ProjectionDerivative::Edge { edge, along, normal, outward, round } => {
                let flat = e - normal.scale(normal.dot(e)) - outward.scale(outward.dot(e));
                edge.scale(along * edge.dot(e)) + flat.scale(round)
            }
            ProjectionDerivative::Ball { direction, along, across } => {
                let part = direction.scale(direction.dot(e));
                part.scale(along) + (e - part).scale(across)
            }
        }
    }
}

/// Projection of `u` to a cone, and its derivative; `None` where the force is zero.
pub(crate) fn project(u: Vec3, cone: &Cone) -> (Vec3, Option<ProjectionDerivative>) {
    let (n, mu) = (cone.normal, cone.friction);
    let normal = n.dot(u);
    let tangent = u - n.scale(normal);
    let tangential = tangent.norm();
    if tangential <= mu * normal {
        return (u, Some(ProjectionDerivative::Inside));
    }
    if mu * tangential <= -normal {
        return (vec3(0.0, 0.0, 0.0), None);
    }
    let outward = tangent.scale(1.0 / tangential);
    let edge = n + outward.scale(mu);
    let size = (normal + mu * tangential) / (1.0 + mu * mu);
    let (along, round) = (1.0 / (1.0 + mu * mu), size * mu / tangential);
    (edge.scale(size), Some(ProjectionDerivative::Edge { edge, along, normal: n, outward, round }))
}

#[cfg(test)]
mod tests;
