//! The QP of a step: the nearest accelerations to the desired ones that contacts and joints can produce.
//!
//! Computes accelerations a and contact forces f that minimise
//!     1/2 a^T H a - g^T a + sum eps_i |f_i|^2 / 2
//!     with   A a + bias = sum W_i f_i + pushes     six balances of the whole figure, exact; assistance, where it is
//!                                                  allowed, is a force with a price (`assist`)
//!            f_i in its friction cone              exact
//!            |tau| <= strength,  tau = M a + h - sum J_i^T f_i
//! Torques are eliminated: the six balances are rows with zero torque, and each joint at its bound adds a row with known
//! torque. With these rows R, a = a0 - H^-1 R^T y (a0 = H^-1 g), and the dual of `dual.rs` with S = R H^-1 R^T and
//! b = R a0 + h_R - tau_R gives y and the contact forces; the motion gives up what the forces cannot provide. Bounds enter
//! and leave the active set by the signs of their multipliers.
//! Not here: loop closures (`pseudo_inverse` handles them; `SimulatedBody::set_solver` refuses them).
//! Always feasible: zero forces and torques give a fall.
//! Source: our own; tasks and balances of [NY2000F eq. 1-9] with a bounded QP instead of the pseudo-inverse.
//! Why this solver: six unknowns (and one for each joint at its bound) instead of 32 pyramid edges; round cones; warm
//! start by y. `docs/filter.md` compares it with dense active-set solvers and other crates.
//! Checked by: `tests/it/filter.rs`, tests of `dual`.

use super::normal_equations::sum_of_products;
use super::simulated_body::SimulatedBody;
use crate::dual::{Cone, ConeDual};
use crate::split::balance_rows;
use anthropi_dynamics::algo::{aba, crba, rnea};
use anthropi_dynamics::spatial::{Force, Vec3};

/// Active-set passes over the torque bounds; in the second half no bound is released.
const MAX_PASSES: usize = 12;
/// Tolerance of the balances, parts of the weight; the root then takes the rest.
const BALANCE_TOLERANCE: f64 = 1e-9;
/// Relative tolerance of the torque bounds: while solving, and of the result.
const BOUND_TOLERANCE: f64 = 1e-6;
const RESULT_TOLERANCE: f64 = 1e2 * BOUND_TOLERANCE;
/// Largest plausible contact force, body weights, and acceleration, rad/s2 or m/s2.
const MAX_FORCE: f64 = 12.0;
const MAX_ACCELERATION: f64 = 2e4;

/// An active contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveContact {
    /// limb, and contact of the limb
    pub limb: usize,
    pub contact: usize,
    pub at: Vec3,
    pub cone: Cone,
}

/// Solver statistics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Newton steps
    pub steps: usize,
    /// active-set passes over the torque bounds
    pub passes: usize,
    /// joints at their torque bounds
    pub at_bounds: usize,
    /// whether the optimum was found; if not, the motion is feasible but not the nearest
    pub is_optimal: bool,
}

/// Solver with warm start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Qp {
    dual: ConeDual,
    /// U^-T R^T, row by row
    whitened: Vec<f64>,
    /// U^-T g
    free: Vec<f64>,
    /// joints at their bounds, with the bound
    bounds: Vec<(usize, f64)>,
    kept: Vec<(usize, f64)>,
    mass: crba::PathMatrix,
    work: crba::Work,
    aba: aba::Work,
}

/// Accelerations and forces of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepSolution {
    /// accelerations
    pub a: Vec<f64>,
    /// joint torques, without springs and dampers
    pub tau: Vec<f64>,
    /// ground forces, by active contact
    pub forces: Vec<Vec3>,
    /// assistance, about the centre of mass
    pub assist: Force,
    /// loop-closure forces, by row
    pub closure_forces: Vec<f64>,
    external: Vec<Force>,
    rnea: rnea::Work,
}

impl Qp {
    /// Solves for the tasks, whose H is factored.
    pub fn solve(&mut self, body: &SimulatedBody, solution: &mut StepSolution) -> SolveReport {
        self.free.clone_from(&body.normal.g);
        body.normal.solve_transposed(&mut self.free);
        // torque bounds may have changed since the last step
        self.bounds.retain(|(k, _)| body.strength[*k].is_finite());
        self.bounds.iter_mut().for_each(|(k, bound)| *bound = body.strength[*k].copysign(*bound));
        let mut report = SolveReport::default();
        let mut has_mass = false;
        loop {
            report.passes += 1;
            if !self.bounds.is_empty() && !has_mass {
                crba::mass_matrix(body.figure.forest(), &body.q, &mut self.work, &mut self.mass);
                has_mass = true;
            }
            let (steps, is_optimal) = self.solve_with_bounds(body, solution);
            report.steps += steps;
            report.is_optimal = is_optimal;
            solution.closure_forces.clear();
            let may_release = report.passes <= MAX_PASSES / 2;
            if !self.update_bounds(body, may_release, solution) || report.passes == MAX_PASSES {
                break;
            }
        }
        report.at_bounds = self.bounds.len();
        if !report.is_optimal || !solution.is_feasible(body) {
            report.is_optimal = false;
            self.fall_back(body, solution);
        }
        report
    }

    /// The motion under the torques of the last solution, which ignored unmodelled forces: every joint is a row with known
    /// torque, and the contact forces best satisfy the tasks.
    pub fn solve_with_torques(&mut self, body: &SimulatedBody, solution: &mut StepSolution) {
        self.kept.clear();
        self.kept.append(&mut self.bounds);
        let root = body.root_iv..body.root_iv + 6;
        let joints = (0..body.figure.forest().nv()).filter(|k| !root.contains(k));
        self.bounds.extend(joints.map(|k| (k, solution.tau[k])));
        crba::mass_matrix(body.figure.forest(), &body.q, &mut self.work, &mut self.mass);
        self.solve_with_bounds(body, solution);
        core::mem::swap(&mut self.bounds, &mut self.kept);
        if !solution.a.iter().all(|a| a.abs() < MAX_ACCELERATION) {
            self.fall_back(body, solution);
        }
    }

    /// Accelerations a = U^-1 (U^-T g - U^-T R^T y) and contact forces with the torques in `bounds`; the Newton steps, and
    /// whether they converged.
    fn solve_with_bounds(&mut self, body: &SimulatedBody, solution: &mut StepSolution) -> (usize, bool) {
        self.assemble(body);
        let found = self.dual.solve(BALANCE_TOLERANCE);
        let StepSolution { a, forces, .. } = solution;
        a.clone_from(&self.free);
        for (y, row) in self.dual.y.iter().zip(self.whitened.chunks_exact(body.figure.forest().nv())) {
            a.iter_mut().zip(row).for_each(|(a, r)| *a -= y * r);
        }
        body.normal.solve_upper(a);
        forces.clear();
        forces.extend((0..body.contacts.len()).map(|i| self.dual.force(i)));
        let assist = |k: usize| self.dual.priced.get(k).map(|_| self.dual.force(body.contacts.len() + k));
        let [angular, linear] = [assist(1), assist(0)].map(Option::unwrap_or_default);
        solution.assist = Force::new(angular, linear);
        found
    }

    /// Fallback: limits forces (scaled ones stay in their cones) and torques, then computes the accelerations by forward
    /// dynamics.
    fn fall_back(&mut self, body: &SimulatedBody, solution: &mut StepSolution) {
        let limit = MAX_FORCE * body.units()[0];
        for f in &mut solution.forces {
            let size = f.norm();
            *f = if !size.is_finite() { Vec3::ZERO } else { f.scale((limit / size.max(limit)).min(1.0)) };
        }
        for (t, s) in solution.tau.iter_mut().zip(&body.strength) {
            // zero for the root, and for torques that are not finite
            *t = if s.is_finite() && t.is_finite() { t.clamp(-s, *s) } else { 0.0 };
        }
        if !solution.assist.to_array().iter().all(|x| x.is_finite()) {
            solution.assist = Force::default();
        }
        solution.closure_forces.clear();
        solution.collect_external(body);
        for (t, p) in solution.tau.iter_mut().zip(&body.passive) {
            *t += p;
        }
        let StepSolution { tau, a, external, .. } = solution;
        let (forest, work) = (body.figure.forest(), &mut self.aba);
        aba::forward_dynamics(forest, &body.q, &body.v, tau, Some(external), None, work, a);
        // cold start of the next step
        self.dual.y.fill(0.0);
        self.bounds.clear();
    }

    /// Assembles R, S and b.
    fn assemble(&mut self, body: &SimulatedBody) {
        let (nv, n) = (body.figure.forest().nv(), 6 + self.bounds.len());
        let Qp { dual, whitened, bounds, free, mass, .. } = self;
        let [force, length] = body.units();
        let scales = [1.0 / (force * length), 1.0 / force];
        let same_size = dual.y.len() == n;
        dual.reset(n);
        if !same_size {
            dual.y[6..].fill(0.0);
        }
        whitened.clear();
        whitened.resize(n * nv, 0.0);
        for (k, m) in body.now.momentum.iter().enumerate() {
            for (r, x) in m.to_array().into_iter().enumerate() {
                whitened[r * nv + k] = x * scales[r / 3];
            }
        }
        for ((k, _), own) in bounds.iter().zip(whitened[6 * nv..].chunks_exact_mut(nv)) {
            mass.row_into(body.figure.forest(), *k, own);
            own.iter_mut().for_each(|x| *x *= scales[0]);
        }
        for row in whitened.chunks_exact_mut(nv) {
            body.normal.solve_transposed(row);
        }
        let balance = (body.now.bias - body.applied_wrench).to_array();
        for i in 0..n {
            let row = &whitened[i * nv..(i + 1) * nv];
            let rest = if i < 6 {
                balance[i] * scales[i / 3]
            } else {
                let (k, bound) = bounds[i - 6];
                (body.now.h[k] - body.applied_tau[k] - bound) * scales[0]
            };
            dual.rhs[i] = sum_of_products(row, free) + rest;
            for j in 0..=i {
                let s = sum_of_products(row, &whitened[j * nv..(j + 1) * nv]);
                (dual.compliance[i * n + j], dual.compliance[j * n + i]) = (s, s);
            }
        }
        for t in &body.contacts {
            dual.cones.push(t.cone);
            let balance = balance_rows(t.at - body.now.com);
            dual.rows.extend((0..6).map(|r| balance[r].scale(scales[r / 3])));
            let limb = &body.limbs[t.limb];
            let arm = body.now.arm(limb.body, t.at);
            dual.rows.extend(bounds.iter().map(|(k, _)| limb.jacobian.of_point(*k, arm).scale(scales[0])));
        }
        for (priced, rows) in body.priced_assistance() {
            dual.priced.push(priced);
            dual.rows.extend((0..6).map(|r| rows[r].scale(scales[r / 3])));
            // it acts on the root: no joint feels it
            dual.rows.extend(bounds.iter().map(|_| Vec3::ZERO));
        }
    }

    /// Adds violated torque bounds and releases those no longer needed; true if any changed.
    fn update_bounds(
        &mut self,
        body: &SimulatedBody,
        may_release: bool,
        solution: &mut StepSolution,
    ) -> bool {
        solution.compute_torques(body);
        let before = self.bounds.len();
        if may_release {
            // multipliers are nonnegative at upper bounds, nonpositive at lower ones
            let y = &self.dual.y[6..];
            let mut n = 0;
            self.bounds.retain(|(_, bound)| {
                n += 1;
                y[n - 1] * bound >= 0.0
            });
        }
        let released = before != self.bounds.len();
        let mut added = false;
        for (k, (tau, strength)) in solution.tau.iter().zip(&body.strength).enumerate() {
            if tau.abs() > strength * (1.0 + BOUND_TOLERANCE) && !self.bounds.iter().any(|(b, _)| *b == k) {
                self.bounds.push((k, strength.copysign(*tau)));
                added = true;
            }
        }
        released || added
    }
}

impl StepSolution {
    /// Whether accelerations and forces are plausible and torques within their bounds.
    pub fn is_feasible(&self, body: &SimulatedBody) -> bool {
        let limit = MAX_FORCE * body.units()[0];
        self.a.iter().all(|a| a.abs() < MAX_ACCELERATION)
            && self.forces.iter().all(|f| f.norm() < limit)
            && self.tau.iter().zip(&body.strength).all(|(t, s)| t.abs() <= s * (1.0 + RESULT_TOLERANCE))
    }

    /// tau = M a + h - passive - J^T applied - sum J^T f.
    pub fn compute_torques(&mut self, body: &SimulatedBody) {
        self.collect_external(body);
        self.tau.resize(body.figure.forest().nv(), 0.0);
        let StepSolution { a, tau, external, rnea, .. } = self;
        rnea::inverse_dynamics(body.figure.forest(), &body.q, &body.v, a, Some(external), rnea, tau);
        self.tau.iter_mut().zip(&body.passive).for_each(|(t, p)| *t -= p);
    }

    /// Collects all external forces by body.
    fn collect_external(&mut self, body: &SimulatedBody) {
        self.external.clear();
        self.external.extend_from_slice(&body.applied_forces);
        self.external[body.root.index()] += body.assistance_on_root(self.assist);
        for (t, f) in body.contacts.iter().zip(&self.forces) {
            body.now.add_force(body.limbs[t.limb].body, t.at, *f, &mut self.external);
        }
        for (row, lambda) in body.closures.rows.iter().zip(&self.closure_forces) {
            row.add_force(&body.now, *lambda, &mut self.external);
        }
    }

    /// Corrects the root acceleration for the residual of the balances, left by rounding or an unfinished solve.
    pub fn close_root_balance(&mut self, body: &SimulatedBody) {
        for _ in 0..2 {
            let mut forces = body.applied_wrench + self.assist;
            for (t, f) in body.contacts.iter().zip(&self.forces) {
                forces += Force::at_point(*f, t.at - body.now.com);
            }
            for (row, lambda) in body.closures.rows.iter().zip(&self.closure_forces) {
                forces += row.on_figure(&body.now).times(*lambda);
            }
            let residual = forces - body.now.bias - body.now.momentum_rate(&self.a);
            let mut m = [[0.0; 7]; 6];
            let columns = body.now.momentum[body.root_iv..].iter().take(6).chain([&residual]);
            for (k, column) in columns.enumerate() {
                column.to_array().into_iter().zip(&mut m).for_each(|(x, row)| row[k] = x);
            }
            for (a, x) in self.a[body.root_iv..].iter_mut().zip(solve_six(m).unwrap_or_default()) {
                *a += x;
            }
        }
        self.compute_torques(body);
    }
}

/// Solves six equations, right-hand side in the last column, by Gaussian elimination with pivoting.
pub(crate) fn solve_six(mut m: [[f64; 7]; 6]) -> Option<[f64; 6]> {
    for k in 0..6 {
        let pivot = (k..6).max_by(|a, b| m[*a][k].abs().total_cmp(&m[*b][k].abs()))?;
        m.swap(k, pivot);
        if !(m[k][k].abs() > 0.0) {
            return None;
        }
        for i in k + 1..6 {
            let part = m[i][k] / m[k][k];
            (k..7).for_each(|j| m[i][j] -= part * m[k][j]);
        }
    }
    let mut x = [0.0; 6];
    for k in (0..6).rev() {
        let sum: f64 = (k + 1..6).map(|j| m[k][j] * x[j]).sum();
        x[k] = (m[k][6] - sum) / m[k][k];
    }
    Some(x)
}
