//! The optimum of a step: the motion nearest to what is wanted that the ground and the joints can give.
//!
//! Computes accelerations a and contact forces f that minimise
//!     1/2 a^T H a - g^T a + sum eps_i |f_i|^2 / 2
//!     with   A a + bias = sum W_i f_i + pushes     six balances of the whole figure, exact
//!            f_i in its friction cone              exact
//!            |tau| <= strength,  tau = M a + h - sum J_i^T f_i
//! Torques are eliminated: a balance of the whole figure is nothing but a row whose torque is zero, and a joint at its
//! bound is one more row whose torque is known. With the rows R in use, a = a0 - H^-1 R^T y (a0 = H^-1 g), and the dual
//! of `dual.rs` with S = R H^-1 R^T and b = R a0 + h_R - tau_R gives y and the forces: what the tasks want from outside,
//! split over the cones; what cannot be given is taken from the motion. Bounds come and go by their multipliers' signs.
//! Not here: connections that close loops (`pseudo_inverse` has them; `Body::set_solver` refuses).
//! Always feasible: no force and no torque is a fall, and a fall is a motion.
//! Source: our own; tasks and balances of [NY2000F eq. 1-9] with the pseudo-inverse replaced by a program with bounds.
//! Why this solver: six unknowns (and one for each joint at its bound) instead of 32 pyramid edges; round cones; warm
//! start by y. `docs/filter.md` has the measurement against dense active sets and crates.
//! Checked by: `tests/filter.rs`, tests of `dual`.

use super::dense::{Normal, sum_of_products};
use super::grips::Grip;
use super::stance::Limb;
use super::terms::Terms;
use crate::dual::{Cone, Dual};
use crate::split::balance_rows;
use anthropi_dynamics::algo::{aba, crba, rnea};
use anthropi_dynamics::model::Forest;
use anthropi_dynamics::spatial::{Force, Vec3};

/// Passes over bounds; after half of them joints at their bounds stay there.
const PASSES: usize = 12;
/// Balances are met to this part of the weight before the root takes the rest.
const DONE: f64 = 1e-9;
/// Joints may pass their bound by this part of it.
const OVER: f64 = 1e-6;

/// No point carries more, body weights.
const MOST: f64 = 12.0;
/// No joint accelerates more, rad/s2 or m/s2.
const WILD: f64 = 2e4;

/// A contact as the program sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touching {
    /// limb, and point of it
    pub limb: usize,
    pub contact: usize,
    pub at: Vec3,
    pub cone: Cone,
}

/// What is told about a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Newton's steps
    pub steps: usize,
    /// passes over the bounds of torques
    pub passes: usize,
    /// joints at their bounds
    pub at_bounds: usize,
    /// whether the optimum was found; if not, the motion is possible but not the nearest
    pub is_optimal: bool,
}

/// Solves step after step, each from the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    dual: Dual,
    /// U^-T R^T, a row after another
    climbed: Vec<f64>,
    /// U^-T g
    free: Vec<f64>,
    /// R as rows
    rows: Vec<f64>,
    /// joints at their bounds, and which bound
    bounds: Vec<(usize, f64)>,
    kept: Vec<(usize, f64)>,
    mass: crba::PathMatrix,
    work: crba::Work,
    aba: aba::Work,
}

/// A motion and the forces behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solution {
    /// accelerations
    pub a: Vec<f64>,
    /// joint forces, those of springs and dampers taken off
    pub tau: Vec<f64>,
    /// forces of the ground, by point that touches
    pub forces: Vec<Vec3>,
    /// forces of the connections, by held direction
    pub grips: Vec<f64>,
    external: Vec<Force>,
    rnea: rnea::Work,
}

/// What is given besides the tasks.
pub(crate) struct Given<'a> {
    pub forest: &'a Forest,
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub terms: &'a Terms,
    pub limbs: &'a [Limb],
    pub touching: &'a [Touching],
    /// connections that close loops
    pub grips: &'a [Grip],
    /// from outside, about the centre of mass
    pub pushed: Force,
    /// the same by body, about its origin
    pub pushes: &'a [Force],
    /// what springs, dampers and pushes do, by degree of freedom
    pub helped: &'a [f64],
    /// springs and dampers alone
    pub passive: &'a [f64],
    /// by degree of freedom
    pub strength: &'a [f64],
    /// force and length that make balances comparable
    pub units: [f64; 2],
}

impl Program {
    /// Solves with the factor of H in `normal`.
    pub fn solve(&mut self, normal: &Normal, given: &Given, out: &mut Solution) -> Solved {
        let nv = given.forest.nv();
        self.free.clear();
        self.free.extend_from_slice(&normal.g);
        normal.solve_transposed(&mut self.free);
        // joints may have become stronger or weaker since
        self.bounds.retain(|(k, _)| given.strength[*k].is_finite());
        self.bounds.iter_mut().for_each(|(k, bound)| *bound = given.strength[*k].copysign(*bound));
        let mut told = Solved::default();
        let mut has_mass = false;
        loop {
            told.passes += 1;
            if !self.bounds.is_empty() && !has_mass {
                crba::mass_matrix(given.forest, given.q, &mut self.work, &mut self.mass);
                has_mass = true;
            }
            self.stage(normal, given);
            let (steps, is_optimal) = self.dual.search(DONE);
            told.steps += steps;
            told.is_optimal = is_optimal;
            self.accelerate(normal, nv, &mut out.a);
            out.forces.clear();
            out.forces.extend((0..given.touching.len()).map(|i| self.dual.force(i)));
            out.grips.clear();
            let may_leave = told.passes <= PASSES / 2;
            if !self.change_bounds(given, may_leave, out) || told.passes == PASSES {
                break;
            }
        }
        told.at_bounds = self.bounds.len();
        if !told.is_optimal || !out.is_within(given) {
            told.is_optimal = false;
            self.let_go(given, out);
        }
        told
    }

    /// The motion under the torques of the last solution, which did not know of all that pushes: every joint's balance
    /// is a row whose torque is known, and the forces of the ground are those that hold what stands best.
    pub fn follow(&mut self, normal: &Normal, given: &Given, root: usize, out: &mut Solution) {
        let nv = given.forest.nv();
        self.kept.clear();
        self.kept.append(&mut self.bounds);
        let joints = (0..nv).filter(|k| !(root..root + 6).contains(k));
        self.bounds.extend(joints.map(|k| (k, out.tau[k])));
        crba::mass_matrix(given.forest, given.q, &mut self.work, &mut self.mass);
        self.stage(normal, given);
        self.dual.search(DONE);
        self.accelerate(normal, nv, &mut out.a);
        out.forces.clear();
        out.forces.extend((0..given.touching.len()).map(|i| self.dual.force(i)));
        core::mem::swap(&mut self.bounds, &mut self.kept);
        if !out.a.iter().all(|a| a.abs() < WILD) {
            self.let_go(given, out);
        }
    }

    /// The fall back: what was found, cut to what is possible, and the motion that follows from it. Forces stay in
    /// their cones, which hold every part of a force; torques are cut to their bounds; accelerations are those of
    /// forward dynamics.
    fn let_go(&mut self, given: &Given, out: &mut Solution) {
        let most = MOST * given.units[0];
        for f in &mut out.forces {
            let size = f.norm();
            *f = if !size.is_finite() { Vec3::ZERO } else { f.scale((most / size.max(most)).min(1.0)) };
        }
        for (t, s) in out.tau.iter_mut().zip(given.strength) {
            // the root has none; a joint whose torque is no number has none either
            *t = if s.is_finite() && t.is_finite() { t.clamp(-s, *s) } else { 0.0 };
        }
        out.grips.clear();
        out.gather(given);
        for (t, p) in out.tau.iter_mut().zip(given.passive) {
            *t += p;
        }
        let external = Some(&out.external[..]);
        aba::forward_dynamics(
            given.forest,
            given.q,
            given.v,
            &out.tau,
            external,
            None,
            &mut self.aba,
            &mut out.a,
        );
        // the next search begins anew
        self.dual.y.fill(0.0);
        self.bounds.clear();
    }

    /// Rows in use, S and b.
    fn stage(&mut self, normal: &Normal, given: &Given) {
        let (nv, n) = (given.forest.nv(), 6 + self.bounds.len());
        let Program { dual, climbed, rows, bounds, free, mass, .. } = self;
        let [force, length] = given.units;
        let scales = [1.0 / (force * length), 1.0 / force];
        let same_size = dual.y.len() == n;
        dual.reset(n);
        if !same_size {
            dual.y[6..].fill(0.0);
        }
        rows.clear();
        rows.resize(n * nv, 0.0);
        for (k, m) in given.terms.momentum.iter().enumerate() {
            for (r, x) in m.to_array().into_iter().enumerate() {
                rows[r * nv + k] = x * scales[r / 3];
            }
        }
        for ((k, _), own) in bounds.iter().zip(rows[6 * nv..].chunks_exact_mut(nv)) {
            mass.row_into(given.forest, *k, own);
            own.iter_mut().for_each(|x| *x *= scales[0]);
        }
        climbed.clear();
        climbed.extend_from_slice(rows);
        for row in climbed.chunks_exact_mut(nv) {
            normal.solve_transposed(row);
        }
        let balance = (given.terms.bias - given.pushed).to_array();
        for i in 0..n {
            let row = &climbed[i * nv..(i + 1) * nv];
            let rest = if i < 6 {
                balance[i] * scales[i / 3]
            } else {
                let (k, bound) = bounds[i - 6];
                (given.terms.h[k] - given.helped[k] - bound) * scales[0]
            };
            dual.wanted[i] = sum_of_products(row, free) + rest;
            for j in 0..=i {
                let s = sum_of_products(row, &climbed[j * nv..(j + 1) * nv]);
                (dual.give[i * n + j], dual.give[j * n + i]) = (s, s);
            }
        }
        for t in given.touching {
            dual.cones.push(t.cone);
            let balance = balance_rows(t.at - given.terms.center);
            dual.rows.extend((0..6).map(|r| balance[r].scale(scales[r / 3])));
            let limb = &given.limbs[t.limb];
            let arm = t.at - given.terms.kinematics.body_pose(limb.body).translation;
            dual.rows.extend(bounds.iter().map(|(k, _)| {
                let column = limb.jacobian[*k];
                (column.linear + column.angular.cross(arm)).scale(scales[0])
            }));
        }
    }

    /// a = U^-1 (U^-T g - U^-T R^T y).
    fn accelerate(&self, normal: &Normal, nv: usize, a: &mut Vec<f64>) {
        a.clear();
        a.extend_from_slice(&self.free);
        for (y, row) in self.dual.y.iter().zip(self.climbed.chunks_exact(nv)) {
            a.iter_mut().zip(row).for_each(|(a, r)| *a -= y * r);
        }
        normal.solve_upper(a);
    }

    /// Joints that passed a bound are held at it, and those let go whose bound is not needed; whether any changed.
    fn change_bounds(&mut self, given: &Given, may_leave: bool, out: &mut Solution) -> bool {
        out.torques(given);
        let before = self.bounds.len();
        if may_leave {
            // y is at least zero at an upper bound, at most at a lower one
            let y = &self.dual.y[6..];
            let mut n = 0;
            self.bounds.retain(|(_, bound)| {
                n += 1;
                y[n - 1] * bound >= 0.0
            });
        }
        let left = before != self.bounds.len();
        let mut added = false;
        for (k, (tau, strength)) in out.tau.iter().zip(given.strength).enumerate() {
            if tau.abs() > strength * (1.0 + OVER) && !self.bounds.iter().any(|(b, _)| *b == k) {
                self.bounds.push((k, strength.copysign(*tau)));
                added = true;
            }
        }
        left || added
    }
}

impl Solution {
    /// Whether accelerations and forces are numbers that a figure can have, and torques within their bounds.
    pub fn is_within(&self, given: &Given) -> bool {
        let most = MOST * given.units[0];
        self.a.iter().all(|a| a.abs() < WILD)
            && self.forces.iter().all(|f| f.norm() < most)
            && self.tau.iter().zip(given.strength).all(|(t, s)| t.abs() <= s * (1.0 + 1e2 * OVER))
    }

    /// tau = M a + h - passive - J^T pushes - sum J^T f.
    pub fn torques(&mut self, given: &Given) {
        self.gather(given);
        self.tau.resize(given.forest.nv(), 0.0);
        let external = Some(&self.external[..]);
        rnea::inverse_dynamics(
            given.forest,
            given.q,
            given.v,
            &self.a,
            external,
            &mut self.rnea,
            &mut self.tau,
        );
        self.tau.iter_mut().zip(given.passive).for_each(|(t, p)| *t -= p);
    }

    /// All forces from outside by body.
    fn gather(&mut self, given: &Given) {
        self.external.clear();
        self.external.extend_from_slice(given.pushes);
        for (t, f) in given.touching.iter().zip(&self.forces) {
            let body = given.limbs[t.limb].body;
            let arm = t.at - given.terms.kinematics.body_pose(body).translation;
            self.external[body.index()] += Force::at_point(*f, arm);
        }
        for (grip, lambda) in given.grips.iter().zip(&self.grips) {
            grip.push(given.terms, *lambda, &mut self.external);
        }
    }

    /// The root takes what rounding and a search that was cut short have left of the balances: exact again.
    pub fn settle(&mut self, given: &Given, root: usize) {
        for _ in 0..2 {
            let mut forces = given.pushed;
            for (t, f) in given.touching.iter().zip(&self.forces) {
                forces += Force::new((t.at - given.terms.center).cross(*f), *f);
            }
            for (grip, lambda) in given.grips.iter().zip(&self.grips) {
                forces += grip.on_figure(given.terms).times(*lambda);
            }
            let left = forces - given.terms.bias - given.terms.momentum_rate(&self.a);
            let mut m = [[0.0; 7]; 6];
            for k in 0..6 {
                let column = given.terms.momentum[root + k].to_array();
                (0..6).for_each(|r| m[r][k] = column[r]);
            }
            let left = left.to_array();
            (0..6).for_each(|r| m[r][6] = left[r]);
            if let Some(x) = eliminate(m) {
                (0..6).for_each(|k| self.a[root + k] += x[k]);
            }
        }
        self.torques(given);
    }
}

/// Solves six equations, the right side in the last column, by elimination with pivots.
pub(super) fn eliminate(mut m: [[f64; 7]; 6]) -> Option<[f64; 6]> {
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
