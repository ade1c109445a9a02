//! Torques of a motion by inverse dynamics, with the wrench of the root split over the contacts.
//!
//! Computes  M a + h - passive  of the assumed figure (all rows, including the root), then ground forces f at the contacts
//! that give the six rows of the root, and torques  tau = M a + h - passive - J^T f  of the joints.
//! Source: [L1992 §9.5], inverse dynamics as the estimate of torques; the contact forces are those of `split`.
//! We differ: the thesis prescribes the force on the base (eq. 9.13); here the motion of the base is prescribed and the
//! contacts provide the force, first inside their friction cones, the rest by minimum-norm forces in any direction. A residual
//! beyond these (two points leave one moment, flight all six rows) accelerates the base, as in the thesis; the torques then
//! keep the joint accelerations, and the residual is reported.
//! Checked by: `tests/it/hidds.rs`.

use super::UP;
use super::contact_rows::ContactRows;
use super::desired_motion::DesiredMotion;
use crate::error::Error;
use crate::filter::dynamics_terms::{DynamicsTerms, PointMotion};
use crate::filter::normal_equations::{NormalEquations, sum_of_products};
use crate::papers::root_of_tree;
use crate::split::{Point, Splitter, balance_rows};
use anthropi_dynamics::algo::{crba, rnea};
use anthropi_dynamics::model::{BodyIx, Figure};
use anthropi_dynamics::spatial::{Force, Vec3};
use std::ops::Range;

/// Damping of the minimum-norm forces, parts of the largest entry, and refinement rounds that remove it.
const DAMPING: f64 = 1e-9;
const REFINEMENTS: usize = 4;
/// Residual below which the base is not accelerated, parts of the weight.
const MIN_RESIDUAL: f64 = 1e-9;
/// Length that compares moments with forces, parts of the height of the centre of mass above the contacts; its least value,
/// m, and its value without contacts, m.
const LENGTH: f64 = 0.5;
const MIN_LENGTH: f64 = 0.05;
const LENGTH_IN_FLIGHT: f64 = 0.5;
/// Least weight that forces are scaled by, N.
const MIN_WEIGHT: f64 = 1e-3;

/// Estimates torques for motions of one figure.
#[derive(Clone, Debug)]
pub(super) struct TorqueEstimator<'a> {
    pub figure: &'a Figure,
    friction: f64,
    pub root: BodyIx,
    splitter: Splitter,
}

impl<'a> TorqueEstimator<'a> {
    /// For a figure with a free root and without loop closures.
    pub fn new(figure: &'a Figure, friction: f64) -> Result<TorqueEstimator<'a>, Error> {
        Ok(TorqueEstimator { figure, friction, root: root_of_tree(figure)?, splitter: Splitter::default() })
    }

    /// Degrees of freedom of the root.
    pub fn root_dofs(&self) -> Range<usize> {
        self.figure.forest().bodies()[self.root.index()].dofs()
    }

    /// M a + h - passive, all rows.
    pub fn generalized_forces(&self, q: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
        let forest = self.figure.forest();
        let [mut torque, mut passive] = [(); 2].map(|()| vec![0.0; forest.nv()]);
        rnea::inverse_dynamics(forest, q, v, a, None, &mut rnea::Work::default(), &mut torque);
        forest.add_passive_forces(q, v, &mut passive);
        torque.iter_mut().zip(&passive).for_each(|(n, p)| *n -= p);
        torque
    }

    /// Turns generalized forces at a sample into torques: the contacts provide the rows of the root, which become zero.
    /// Returns the residual force, N, with moments divided by a length.
    pub fn split_with_ground(&mut self, desired: &DesiredMotion, n: usize, torque: &mut [f64]) -> f64 {
        let (forest, sample) = (self.figure.forest(), &desired.samples[n]);
        let mut terms = DynamicsTerms::default();
        terms.update_motion(forest, &sample.q, &sample.v, &sample.a);
        let contacts = ContactRows::new(forest, &terms, desired, n);
        let wrench = terms.root_wrench(forest, self.root, torque);
        let point = |m: &PointMotion| Point { at: m.at, normal: UP, friction: self.friction };
        let points: Vec<Point> = contacts.motions.iter().map(point).collect();
        let center = terms.com;
        let low = points.iter().map(|p| p.at.z).fold(f64::INFINITY, f64::min);
        let length =
            if low.is_finite() { (LENGTH * (center.z - low)).max(MIN_LENGTH) } else { LENGTH_IN_FLIGHT };
        let weight = (self.figure.mass() * forest.gravity().norm()).max(MIN_WEIGHT);
        let mut forces = Vec::new();
        let split = self.splitter.split(wrench, center, &points, [weight, length], &mut forces);
        let residual = add_min_norm_forces(&mut forces, &points, split.residual, center, length);
        let residual = residual.linear.norm() + residual.angular.norm() / length;
        contacts.add_forces(&forces, -1.0, torque);
        if residual > MIN_RESIDUAL * weight {
            self.accelerate_base(&sample.q, &contacts.rows, torque);
        }
        torque[self.root_dofs()].fill(0.0);
        residual
    }

    /// The residual in the rows of the root accelerates it: M_bb a' = J_b^T f' - residual with J_b a' = 0, so that contacts
    /// stay in place; the torques keep the joint accelerations.
    fn accelerate_base(&self, q: &[f64], contacts: &[Vec<f64>], torque: &mut [f64]) {
        let (forest, root) = (self.figure.forest(), self.root_dofs());
        let (mut work, mut mass) = (crba::Work::default(), crba::PathMatrix::default());
        crba::mass_matrix(forest, q, &mut work, &mut mass);
        let dense = mass.to_dense(forest);
        let mut base = NormalEquations::default();
        base.factor_matrix(6, 0.0, |i, j| dense[root.start + i][root.start + j]);
        let rows: Vec<&[f64]> = contacts.iter().map(|r| &r[root.clone()]).collect();
        let mut responses: Vec<Vec<f64>> = rows.iter().map(|r| r.to_vec()).collect();
        responses.iter_mut().for_each(|x| base.solve(x));
        let gram = |i: usize, j: usize| sum_of_products(rows[i], &responses[j]);
        let m = rows.len();
        let mut normal = NormalEquations::default();
        normal.factor_matrix(m, DAMPING, gram);
        let mut base_acceleration: Vec<f64> = torque[root.clone()].iter().map(|x| -x).collect();
        base.solve(&mut base_acceleration);
        let mut forces = vec![0.0; m];
        for _ in 0..REFINEMENTS {
            let mut more: Vec<f64> = rows.iter().map(|r| -sum_of_products(r, &base_acceleration)).collect();
            normal.solve(&mut more);
            for (y, x) in more.iter().zip(&responses) {
                base_acceleration.iter_mut().zip(x).for_each(|(a, x)| *a += y * x);
            }
            forces.iter_mut().zip(&more).for_each(|(f, y)| *f += y);
        }
        for (k, torque) in torque.iter_mut().enumerate() {
            *torque += sum_of_products(&dense[k][root.clone()], &base_acceleration);
            *torque -= (0..m).map(|r| contacts[r][k] * forces[r]).sum::<f64>();
        }
    }
}

/// Adds the minimum-norm forces at points that provide a wrench; returns the residual.
fn add_min_norm_forces(
    forces: &mut [Vec3],
    points: &[Point],
    wrench: Force,
    center: Vec3,
    length: f64,
) -> Force {
    if points.is_empty() {
        return wrench;
    }
    // W: six rows, three columns per point, moments divided by the length
    let columns: Vec<[Vec3; 6]> =
        points.iter().map(|p| balance_rows((p.at - center).scale(1.0 / length))).collect();
    let row = |r: usize| columns.iter().flat_map(move |c| c[r].to_array()).collect::<Vec<f64>>();
    let rows: Vec<Vec<f64>> = (0..6).map(row).collect();
    let mut normal = NormalEquations::default();
    normal.factor_matrix(6, DAMPING, |i, j| sum_of_products(&rows[i], &rows[j]));
    let mut left = wrench;
    for _ in 0..REFINEMENTS {
        let mut y = Force::new(left.angular.scale(1.0 / length), left.linear).to_array();
        normal.solve(&mut y);
        for ((f, c), p) in forces.iter_mut().zip(&columns).zip(points) {
            let own = (0..6).fold(Vec3::ZERO, |sum, r| sum + c[r].scale(y[r]));
            *f += own;
            left -= Force::at_point(own, p.at - center);
        }
    }
    left
}
