//! The forces at contact points that best give a wrench, inside their friction cones.
//!
//! Computes the forces f_i in the cones K_i that minimise
//!     |b - sum J_i^T f_i|^2 / (2 eps) + sum |f_i|^2 / 2
//! with b the wrench asked for and J_i^T f its moment and force, by the dual of six unknowns (`dual` with S = eps).
//! Not here: which points touch (`touch`); motion that follows from forces (`dynamics::contact`).
//! Checked by: tests below.

use crate::dual::{Cone, Dual};
use anthropi_dynamics::spatial::{Force, Vec3, vec3};

/// What cannot be given weighs so many times more than the forces (units of the weight and the length given).
const EPS: f64 = 1e-7;
/// Towards `EPS` from here, when it cannot be reached at once.
const FIRST_EPS: f64 = 1e-1;
const EPS_STEP: f64 = 1e-2;
/// Gradient that ends the search, parts of the weight: y reaches 1/`EPS`, so this is what rounding leaves.
const DONE: f64 = 1e-8;

/// A point that may push.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// where, world axes
    pub at: Vec3,
    /// away from what it pushes on, unit
    pub normal: Vec3,
    /// coefficient of friction
    pub friction: f64,
}

/// Finds splits one after another, each from the last.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    dual: Dual,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// what no forces in the cones can give: moment about the origin given, and force
    pub missing: Force,
    /// steps it took
    pub steps: usize,
    /// whether the answer is exact
    pub is_exact: bool,
}

impl Splitter {
    /// Splits `wanted` (about `origin`, world axes) over points into `forces`. `weight` (N) and `length` (m) make
    /// moments comparable to forces: body weight and half the stature, say.
    pub fn split(
        &mut self,
        wanted: Force,
        origin: Vec3,
        points: &[Point],
        [weight, length]: [f64; 2],
        forces: &mut Vec<Vec3>,
    ) -> Split {
        let dual = &mut self.dual;
        dual.reset(6);
        let scaled =
            Force::new(wanted.angular.scale(1.0 / (weight * length)), wanted.linear.scale(1.0 / weight));
        dual.wanted.copy_from_slice(&scaled.to_array());
        for p in points {
            dual.cones.push(Cone { normal: p.normal, friction: p.friction, eps: 1.0 });
            dual.rows.extend(balance_rows((p.at - origin).scale(1.0 / length)));
        }
        let size = 1.0 + scaled.to_array().iter().map(|b| b.abs()).fold(0.0, f64::max);
        let (mut steps, mut is_exact) = (0, points.is_empty());
        let mut search = |dual: &mut Dual, eps: f64| {
            (0..6).for_each(|k| dual.give[7 * k] = eps);
            let (taken, is_there) = dual.newton(DONE * size);
            steps += taken;
            is_there
        };
        if !is_exact {
            is_exact = search(dual, EPS);
        }
        if !is_exact {
            dual.y.copy_from_slice(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
            let mut eps = FIRST_EPS;
            while eps > EPS {
                search(dual, eps);
                eps *= EPS_STEP;
            }
            is_exact = search(dual, EPS);
        }
        forces.clear();
        forces.extend((0..points.len()).map(|i| dual.force(i).scale(weight)));
        let given = forces
            .iter()
            .zip(points)
            .fold(Force::default(), |sum, (f, p)| sum + Force::new((p.at - origin).cross(*f), *f));
        Split { missing: wanted - given, steps, is_exact }
    }
}

/// What a force with this arm gives to moment and force: rows of W.
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

    fn split(wanted: Force, points: &[Point]) -> (Vec<Vec3>, Split) {
        let mut forces = Vec::new();
        let split = Splitter::default().split(wanted, vec3(0.0, 0.0, 0.9), points, UNITS, &mut forces);
        (forces, split)
    }

    fn valid(forces: &[Vec3], points: &[Point]) {
        for (f, p) in forces.iter().zip(points) {
            let n = f.dot(p.normal);
            assert!(n >= 0.0 && (*f - p.normal.scale(n)).norm() <= p.friction * n * (1.0 + 1e-12), "{f:?}");
        }
    }

    #[test]
    fn what_can_be_given_is_given() {
        let points = [foot(0.0, 0.1), foot(0.3, -0.1)].concat();
        // weight, a push forward that brakes, and a moment that shifts the centre of pressure a little
        let wanted = Force::new(vec3(20.0, -60.0, 5.0), vec3(80.0, -20.0, 900.0));
        let (forces, split) = split(wanted, &points);
        valid(&forces, &points);
        assert!(split.is_exact, "{} steps", split.steps);
        assert!(
            split.missing.linear.norm() < 1e-3 && split.missing.angular.norm() < 1e-3,
            "{:?}",
            split.missing
        );
    }

    #[test]
    fn of_what_cannot_be_given_the_nearest_is() {
        let points = foot(0.0, 0.0);
        // pulling is not possible at all
        let (forces, found) = split(Force::new(Vec3::ZERO, vec3(0.0, 0.0, -300.0)), &points);
        assert!(found.is_exact && forces.iter().all(|f| f.norm() < 1e-3), "{forces:?}");
        assert!((found.missing.linear - vec3(0.0, 0.0, -300.0)).norm() < 1e-3);
        // a push far outside the cone, without caring for moments: points straight below the origin
        let below = [Point { at: vec3(0.0, 0.0, 0.9), normal: UP, friction: 0.5 }];
        let (forces, found) = split(Force::new(Vec3::ZERO, vec3(1000.0, 0.0, 500.0)), &below);
        valid(&forces, &below);
        // nearest point of the cone: (u_n + mu u_t) / (1 + mu^2) (1, mu)
        let normal = (500.0 + 0.5 * 1000.0) / 1.25;
        assert!(found.is_exact && (forces[0] - vec3(0.5 * normal, 0.0, normal)).norm() < 1e-3, "{forces:?}");
    }

    #[test]
    fn many_wrenches_are_split_exactly_and_no_small_change_is_better() {
        let points = [foot(0.1, 0.1), foot(-0.2, -0.12)].concat();
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut splitter = Splitter::default();
        let (mut forces, mut most) = (Vec::new(), 0);
        for _ in 0..500 {
            let wanted = Force::new(
                vec3(200.0 * random(), 200.0 * random(), 60.0 * random()),
                vec3(500.0 * random(), 500.0 * random(), 500.0 + 900.0 * random()),
            );
            let origin = vec3(0.0, 0.0, 0.9);
            let found = splitter.split(wanted, origin, &points, UNITS, &mut forces);
            assert!(found.is_exact, "{wanted:?}");
            valid(&forces, &points);
            most = most.max(found.steps);
            // what is missing has no power on any force that could be added, and none on those that act
            let missing = found.missing;
            for (f, p) in forces.iter().zip(&points) {
                let arm = p.at - origin;
                let along = |g: Vec3| {
                    (missing.linear.dot(g) + missing.angular.dot(arm.cross(g)) / UNITS[1].powi(2)) / UNITS[0]
                };
                // eps f^2 is left of it
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
