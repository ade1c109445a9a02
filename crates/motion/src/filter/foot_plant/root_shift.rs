//! Shift of the root so that the legs reach their footprints.
//!
//! Computes a small shift r(t) of the root, as cubic B-splines in time, with small accelerations, that brings stances to
//! ground height and keeps every hip within reach of its ankle:
//!     min  |r''|^2 / A^2 + |r|^2 / S^2 + sum over stances (r_z - depth)^2 / D^2   with  |hip + r - ankle| <= reach,
//! with soft balls; Newton's method with a banded Hessian. The reach ends shortly before the leg is straight: nearly straight
//! legs need large rotations for small motions.
//! Not here: rotation of the root.

use crate::admm::{SplineBasis, SplineWeights};
use crate::banded::Banded;
use crate::pose;
use anthropi_dynamics::spatial::Vec3;

/// Knot distance of the splines, s.
const KNOT_DISTANCE: f64 = 0.05;
/// Scales of the cost: acceleration A, m/s2, shift S, m, depth D, m, and distance out of reach, m.
const ACCELERATION_SCALE: f64 = 0.5;
const SHIFT_SCALE: f64 = 0.05;
const DEPTH_SCALE: f64 = 0.01;
const REACH_SCALE: f64 = 0.01;
/// Coefficients coupled with one: cubic splines reach over four knots, of three axes each.
const BAND: usize = 11;
/// Most Newton steps, relative decrease at which they stop, and shortest and required step of the line search.
const MAX_STEPS: usize = 50;
const TOLERANCE: f64 = 1e-7;
const MIN_LENGTH: f64 = 1e-4;
const ARMIJO: f64 = 1e-4;

/// Constraints of a frame on the root.
#[derive(Clone, Debug, Default)]
pub(super) struct RootConstraints {
    /// depths of feet in contact below the ground, m
    pub depths: Vec<f64>,
    /// from the end of a limb to its top, and its reach, m
    pub limbs: Vec<(Vec3, f64)>,
}

/// Shifts by frame.
pub(super) fn shifts(constraints: &[RootConstraints], dt: f64) -> Vec<Vec3> {
    let basis = SplineBasis::over((constraints.len().max(2) - 1) as f64 * dt, KNOT_DISTANCE, false);
    let mut fit = Fit { basis, dt, constraints, x: vec![0.0; 3 * basis.len()], system: Banded::default() };
    fit.descend();
    (0..constraints.len()).map(|f| fit.shift(&fit.x, &fit.weights(f))).collect()
}

/// The problem at some coefficients: three in a row for each spline function.
struct Fit<'a> {
    basis: SplineBasis,
    dt: f64,
    constraints: &'a [RootConstraints],
    x: Vec<f64>,
    system: Banded,
}

impl Fit<'_> {
    fn weights(&self, frame: usize) -> SplineWeights {
        self.basis.at(frame as f64 * self.dt)
    }

    fn shift(&self, x: &[f64], at: &SplineWeights) -> Vec3 {
        at.0.iter().fold(Vec3::ZERO, |sum, (i, w, _)| sum + pose::triple(x, 3 * i).scale(*w))
    }

    fn cost(&self, x: &[f64]) -> f64 {
        let mut cost = 0.0;
        for (f, constraints) in self.constraints.iter().enumerate() {
            let at = self.weights(f);
            let (r, curve) = (self.shift(x, &at), curve(x, &at));
            cost += 0.5 * (curve.dot(curve) * ACCELERATION_SCALE.powi(-2) + r.dot(r) * SHIFT_SCALE.powi(-2));
            let depths = constraints.depths.iter().map(|depth| (r.z - depth).powi(2));
            cost += 0.5 * depths.sum::<f64>() * DEPTH_SCALE.powi(-2);
            let beyond =
                constraints.limbs.iter().map(|(chain, reach)| ((*chain + r).norm() - reach).max(0.0));
            cost += 0.5 * beyond.map(|b| b * b).sum::<f64>() * REACH_SCALE.powi(-2);
        }
        cost
    }

    /// Hessian, and the negative gradient.
    fn linearise(&mut self) -> Vec<f64> {
        let mut g = vec![0.0; self.x.len()];
        let mut system = core::mem::take(&mut self.system);
        system.clear(self.x.len(), BAND, 0);
        for (f, constraints) in self.constraints.iter().enumerate() {
            let at = self.weights(f);
            let (r, curve) = (self.shift(&self.x, &at), curve(&self.x, &at));
            // by shift: slope, and second derivative as rows
            let mut slope = r.scale(SHIFT_SCALE.powi(-2));
            let mut stiffness = [[0.0; 3]; 3];
            (0..3).for_each(|i| stiffness[i][i] = SHIFT_SCALE.powi(-2));
            for depth in &constraints.depths {
                slope.z += (r.z - depth) * DEPTH_SCALE.powi(-2);
                stiffness[2][2] += DEPTH_SCALE.powi(-2);
            }
            for (chain, reach) in &constraints.limbs {
                let chain = *chain + r;
                let beyond = chain.norm() - reach;
                if beyond > 0.0 {
                    let n = chain.scale(1.0 / chain.norm());
                    slope += n.scale(beyond * REACH_SCALE.powi(-2));
                    let round = beyond / chain.norm();
                    let n = n.to_array();
                    for i in 0..3 {
                        stiffness[i][i] += round * REACH_SCALE.powi(-2);
                        (0..3).for_each(|j| {
                            stiffness[i][j] += (1.0 - round) * n[i] * n[j] * REACH_SCALE.powi(-2)
                        });
                    }
                }
            }
            let (slope, curve) = (slope.to_array(), curve.to_array());
            for (i, value, bend) in at.0 {
                for a in 0..3 {
                    g[3 * i + a] -= value * slope[a] + bend * curve[a] * ACCELERATION_SCALE.powi(-2);
                    for (j, other, other_bend) in at.0 {
                        for b in (0..3).filter(|b| 3 * j + b <= 3 * i + a) {
                            let bends =
                                if a == b { bend * other_bend * ACCELERATION_SCALE.powi(-2) } else { 0.0 };
                            system.add(3 * i + a, 3 * j + b, value * other * stiffness[a][b] + bends);
                        }
                    }
                }
            }
        }
        self.system = system;
        g
    }

    /// Newton's method with a line search: the cost is convex and piecewise smooth.
    fn descend(&mut self) {
        let mut cost = self.cost(&self.x);
        for _ in 0..MAX_STEPS {
            let gradient = self.linearise();
            if !self.system.factor() {
                return;
            }
            let mut step = gradient.clone();
            self.system.solve(&mut step);
            let decrement: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            if decrement <= TOLERANCE * (1.0 + cost) {
                return;
            }
            let mut length = 1.0;
            loop {
                let trial: Vec<f64> = self.x.iter().zip(&step).map(|(x, s)| x + length * s).collect();
                let next = self.cost(&trial);
                if next <= cost - ARMIJO * length * decrement {
                    (self.x, cost) = (trial, next);
                    break;
                }
                length *= 0.5;
                if length < MIN_LENGTH {
                    return;
                }
            }
        }
    }
}

fn curve(x: &[f64], at: &SplineWeights) -> Vec3 {
    at.0.iter().fold(Vec3::ZERO, |sum, (i, _, w)| sum + pose::triple(x, 3 * i).scale(*w))
}
