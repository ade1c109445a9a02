//! Distribution of a wrench over contact points with friction cones.
//!
//! Computes the forces f_i in the cones K_i that minimise
//!     |b - sum J_i^T f_i|^2 / (2 eps) + sum |f_i|^2 / 2
//! with b the wrench and J_i^T f the moment and force of f, by the dual with six unknowns (`dual` with S = eps). That is one
//! instant; over time, limbs hand their loads over to each other gradually (`split::over_time`).
//! Not here: the contact schedule (`contact_schedule`); motion under the forces (`dynamics::contact`).
//! Checked by: tests below.

mod limb_price;
mod over_time;

use crate::dual::{Cone, ConeDual};
use anthropi_dynamics::spatial::{Force, Vec3, vec3};
pub(crate) use over_time::SplitOverTime;

/// Weight of the forces against the residual, in the given units of weight and length.
const EPS: f64 = 1e-7;
/// Start value and factor towards `EPS` for a cold start.
const FIRST_EPS: f64 = 1e-1;
const EPS_STEP: f64 = 1e-2;
/// Tolerance of the gradient, parts of the weight: y reaches 1/`EPS`, so rounding prevents a smaller one.
const TOLERANCE: f64 = 1e-8;

/// A contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// position, world axes, m
    pub at: Vec3,
    /// contact normal, towards the figure, unit
    pub normal: Vec3,
    /// coefficient of friction
    pub friction: f64,
}

/// A contact point of a limb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LimbPoint {
    pub point: Point,
    /// number of the limb
    pub limb: usize,
    /// point near which the forces of the limb pass, if any
    pub aim: Option<Vec3>,
    /// cost of its force squared; one for a point that stands
    pub cost: f64,
}

/// Splits wrenches, with warm start.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    dual: ConeDual,
}

/// Result of a split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// residual that no forces in the cones can provide: moment about the origin, and force
    pub residual: Force,
    /// Newton steps
    pub steps: usize,
    /// whether the solver converged
    pub is_exact: bool,
}

impl Splitter {
    /// Splits `wrench` (about `origin`, world axes) over points into `forces`. `weight` (N) and `length` (m) make
    /// moments comparable to forces, such as body weight and half the stature.
    pub fn split(
        &mut self,
        wrench: Force,
        origin: Vec3,
        points: &[Point],
        [weight, length]: [f64; 2],
        forces: &mut Vec<Vec3>,
    ) -> Split {
        let dual = &mut self.dual;
        dual.reset(6);
        let scaled =
            Force::new(wrench.angular.scale(1.0 / (weight * length)), wrench.linear.scale(1.0 / weight));
        dual.rhs.copy_from_slice(&scaled.to_array());
        for p in points {
            dual.cones.push(Cone { normal: p.normal, friction: p.friction, eps: 1.0 });
            dual.rows.extend(balance_rows((p.at - origin).scale(1.0 / length)));
        }
        let (steps, is_exact) = if points.is_empty() { (0, true) } else { meet_wrench(dual) };
        forces.clear();
        forces.extend((0..points.len()).map(|i| dual.force(i).scale(weight)));
        let given = forces
            .iter()
            .zip(points)
            .fold(Force::default(), |sum, (f, p)| sum + Force::new((p.at - origin).cross(*f), *f));
        Split { residual: wrench - given, steps, is_exact }
    }
}

/// Solves a problem whose first six rows are a wrench that is to be met; from a poor start, with a cheap residual at first.
fn meet_wrench(dual: &mut ConeDual) -> (usize, bool) {
    let size = 1.0 + dual.rhs.iter().map(|b| b.abs()).fold(0.0, f64::max);
    let n = dual.rhs.len();
    let mut steps = 0;
    let mut search = |dual: &mut ConeDual, eps: f64| {
        (0..6).for_each(|k| dual.compliance[(n + 1) * k] = eps);
        let (taken, has_converged) = dual.newton(TOLERANCE * size);
        steps += taken;
        has_converged
    };
    let mut is_exact = search(dual, EPS);
    if !is_exact {
        dual.y.fill(0.0);
        dual.y[5] = 1.0;
        let mut eps = FIRST_EPS;
        while eps > EPS {
            search(dual, eps);
            eps *= EPS_STEP;
        }
        is_exact = search(dual, EPS);
    }
    (steps, is_exact)
}

/// Rows of W: moment and force of a force with this arm.
pub(crate) fn balance_rows(arm: Vec3) -> [Vec3; 6] {
    let unit = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)];
    // row k of [arm]x: e_k . (arm x f) = (e_k x arm) . f
    [unit[0].cross(arm), unit[1].cross(arm), unit[2].cross(arm), unit[0], unit[1], unit[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: [f64; 2] = [700.0, 0.9];
    const UP: Vec3 = vec3(0.0, 0.0, 1.0);

    fn foot(x: f64, y: f64) -> Vec<Point> {
        [(-0.05, 0.04), (-0.05, -0.04), (0.15, 0.04), (0.15, -0.04)]
            .map(|(dx, dy)| Point { at: vec3(x + dx, y + dy, 0.0), normal: UP, friction: 0.8 })
            .to_vec()
    }

    fn split(wrench: Force, points: &[Point]) -> (Vec<Vec3>, Split) {
        let mut forces = Vec::new();
        let split = Splitter::default().split(wrench, vec3(0.0, 0.0, 0.9), points, UNITS, &mut forces);
        (forces, split)
    }

    fn valid(forces: &[Vec3], points: &[Point]) {
        for (f, p) in forces.iter().zip(points) {
            let n = f.dot(p.normal);
            assert!(n >= 0.0 && (*f - p.normal.scale(n)).norm() <= p.friction * n * (1.0 + 1e-12), "{f:?}");
        }
    }

    #[test]
    fn feasible_wrenches_are_matched() {
        let points = [foot(0.0, 0.1), foot(0.3, -0.1)].concat();
        // weight, a braking force, and a moment that shifts the centre of pressure a little
        let wrench = Force::new(vec3(20.0, -60.0, 5.0), vec3(80.0, -20.0, 900.0));
        let (forces, split) = split(wrench, &points);
        valid(&forces, &points);
        assert!(split.is_exact, "{} steps", split.steps);
        assert!(
            split.residual.linear.norm() < 1e-3 && split.residual.angular.norm() < 1e-3,
            "{:?}",
            split.residual
        );
    }

    #[test]
    fn infeasible_wrenches_are_approximated() {
        let points = foot(0.0, 0.0);
        // contacts cannot pull
        let (forces, found) = split(Force::new(Vec3::ZERO, vec3(0.0, 0.0, -300.0)), &points);
        assert!(found.is_exact && forces.iter().all(|f| f.norm() < 1e-3), "{forces:?}");
        assert!((found.residual.linear - vec3(0.0, 0.0, -300.0)).norm() < 1e-3);
        // a force far outside the cone, at the origin so that moments do not matter
        let below = [Point { at: vec3(0.0, 0.0, 0.9), normal: UP, friction: 0.5 }];
        let (forces, found) = split(Force::new(Vec3::ZERO, vec3(1000.0, 0.0, 500.0)), &below);
        valid(&forces, &below);
        // nearest point of the cone: (u_n + mu u_t) / (1 + mu^2) (1, mu)
        let normal = (500.0 + 0.5 * 1000.0) / 1.25;
        assert!(found.is_exact && (forces[0] - vec3(0.5 * normal, 0.0, normal)).norm() < 1e-3, "{forces:?}");
    }

    #[test]
    fn random_wrenches_are_split_optimally() {
        let points = [foot(0.1, 0.1), foot(-0.2, -0.12)].concat();
        let mut rng = testkit::Rng::new(1);
        let mut random = || rng.signed();
        let mut splitter = Splitter::default();
        let (mut forces, mut most) = (Vec::new(), 0);
        for _ in 0..500 {
            let wrench = Force::new(
                vec3(200.0 * random(), 200.0 * random(), 60.0 * random()),
                vec3(500.0 * random(), 500.0 * random(), 500.0 + 900.0 * random()),
            );
            let origin = vec3(0.0, 0.0, 0.9);
            let found = splitter.split(wrench, origin, &points, UNITS, &mut forces);
            assert!(found.is_exact, "{wrench:?}");
            valid(&forces, &points);
            most = most.max(found.steps);
            // the residual has no component along acting forces nor along forces that could be added
            let residual = found.residual;
            for (f, p) in forces.iter().zip(&points) {
                let arm = p.at - origin;
                let along = |g: Vec3| {
                    (residual.linear.dot(g) + residual.angular.dot(arm.cross(g)) / UNITS[1].powi(2))
                        / UNITS[0]
                };
                // up to eps f^2
                assert!(along(*f).abs() < 2.0 * EPS * f.dot(*f) / UNITS[0] + 1e-6, "acts: {}", along(*f));
                for k in 0..8 {
                    let a = f64::from(k) * core::f64::consts::FRAC_PI_4;
                    let edge = vec3(0.8 * a.cos(), 0.8 * a.sin(), 1.0);
                    assert!(along(edge) < 1e-6, "could help: {}", along(edge));
                }
            }
        }
        assert!(most < 200, "{most} steps");
    }
}
