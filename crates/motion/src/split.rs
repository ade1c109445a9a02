//! The forces at contact points that best give a wrench, inside their friction cones.
//!
//! Computes the forces f_i in the cones K_i that minimise
//!     |b - sum J_i^T f_i|^2 / (2 eps) + sum |f_i|^2 / 2
//! with b the wrench asked for and J_i^T f its moment and force. The dual has six unknowns, however many points there
//! are: minimise  eps |y|^2 / 2 + sum |P_i(J_i y)|^2 / 2 - b.y  with P_i the projection on K_i; then f_i = P_i(J_i y),
//! and eps y is what no force in the cones can give. It is strongly convex with a piecewise smooth gradient: Newton's
//! method with a line search ends in a few steps.
//! Source: our own; Moreau's decomposition for the dual. The cones are round, not pyramids. Centre of pressure inside
//! the hull and the limit of the yaw moment follow from points that only push.
//! Not here: which points touch (`touch`); motion that follows from forces (`dynamics::contact`).
//! Checked by: tests below.

use anthropi_dynamics::spatial::{Force, Vec3, vec3};

/// What cannot be given weighs so many times more than the forces (units of the weight and the length given).
const EPS: f64 = 1e-7;
/// Towards `EPS` from here, when it cannot be reached at once.
const FIRST_EPS: f64 = 1e-1;
const EPS_STEP: f64 = 1e-2;
/// Newton's steps for one `EPS`.
const STEPS: usize = 40;
/// Gradient that ends the search, parts of the weight: y reaches 1/`EPS`, so this is what rounding leaves.
const DONE: f64 = 1e-8;
/// Decrease that a step of the line search must reach, as part of the slope.
const ARMIJO: f64 = 1e-4;

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
    y: [f64; 6],
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
        let scaled = Scaled { points, origin, length };
        let b = to_array(wanted.angular.scale(1.0 / (weight * length)), wanted.linear.scale(1.0 / weight));
        let (mut steps, mut is_exact) = (0, points.is_empty());
        if !is_exact {
            is_exact = scaled.newton(EPS, &b, &mut self.y, &mut steps);
        }
        if !is_exact {
            (self.y, self.y[5]) = ([0.0; 6], 1.0);
            let mut eps = FIRST_EPS;
            while eps > EPS {
                scaled.newton(eps, &b, &mut self.y, &mut steps);
                eps *= EPS_STEP;
            }
            is_exact = scaled.newton(EPS, &b, &mut self.y, &mut steps);
        }
        forces.clear();
        forces.extend(points.iter().map(|p| project(scaled.velocity(p, &self.y), p).0.scale(weight)));
        let given = forces
            .iter()
            .zip(points)
            .fold(Force::default(), |sum, (f, p)| sum + Force::new((p.at - origin).cross(*f), *f));
        Split { missing: wanted - given, steps, is_exact }
    }
}

struct Scaled<'a> {
    points: &'a [Point],
    origin: Vec3,
    length: f64,
}

impl Scaled<'_> {
    fn arm(&self, p: &Point) -> Vec3 {
        (p.at - self.origin).scale(1.0 / self.length)
    }

    /// J_i y.
    fn velocity(&self, p: &Point, y: &[f64; 6]) -> Vec3 {
        vec3(y[3], y[4], y[5]) + vec3(y[0], y[1], y[2]).cross(self.arm(p))
    }

    /// Value, gradient, and Hessian where it is wanted.
    fn evaluate(
        &self,
        eps: f64,
        b: &[f64; 6],
        y: &[f64; 6],
        hessian: Option<&mut [[f64; 6]; 6]>,
    ) -> (f64, [f64; 6]) {
        let mut value = 0.0;
        let mut gradient = [0.0; 6];
        for k in 0..6 {
            value += 0.5 * eps * y[k] * y[k] - b[k] * y[k];
            gradient[k] = eps * y[k] - b[k];
        }
        let mut curvature = [[0.0; 6]; 6];
        for (k, row) in curvature.iter_mut().enumerate() {
            row[k] = eps;
        }
        for p in self.points {
            let (f, slope) = project(self.velocity(p, y), p);
            value += 0.5 * f.dot(f);
            let arm = self.arm(p);
            let wrench = to_array(arm.cross(f), f);
            (0..6).for_each(|k| gradient[k] += wrench[k]);
            if hessian.is_some() {
                add_curvature(&mut curvature, arm, &slope);
            }
        }
        if let Some(h) = hessian {
            *h = curvature;
        }
        (value, gradient)
    }

    /// Whether the minimum was reached.
    fn newton(&self, eps: f64, b: &[f64; 6], y: &mut [f64; 6], steps: &mut usize) -> bool {
        let size = 1.0 + b.iter().map(|b| b.abs()).fold(0.0, f64::max);
        let mut h = [[0.0; 6]; 6];
        for _ in 0..STEPS {
            let (value, gradient) = self.evaluate(eps, b, y, Some(&mut h));
            if gradient.iter().all(|g| g.abs() < DONE * size) {
                return true;
            }
            let Some(step) = solve(h, gradient.map(|g| -g)) else { return false };
            let slope: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            *steps += 1;
            let mut part = 1.0;
            loop {
                let mut there = *y;
                (0..6).for_each(|k| there[k] += part * step[k]);
                let (new, _) = self.evaluate(eps, b, &there, None);
                // rounding of the value hides the last decreases: then a whole step is as good
                if new <= value + ARMIJO * part * slope || slope.abs() < 1e-14 * (1.0 + value.abs()) {
                    *y = there;
                    break;
                }
                part *= 0.5;
                if part < 1e-10 {
                    return false;
                }
            }
        }
        false
    }
}

/// Projection of `u` on the cone of a point, and its derivative as rows.
fn project(u: Vec3, p: &Point) -> (Vec3, [Vec3; 3]) {
    let (n, mu) = (p.normal, p.friction);
    let normal = n.dot(u);
    let across = u - n.scale(normal);
    let sideways = across.norm();
    if sideways <= mu * normal {
        return (u, [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)]);
    }
    if mu * sideways <= -normal {
        return (Vec3::ZERO, [Vec3::ZERO; 3]);
    }
    let t = across.scale(1.0 / sideways);
    let edge = n + t.scale(mu);
    let size = (normal + mu * sideways) / (1.0 + mu * mu);
    let (along, round) = (1.0 / (1.0 + mu * mu), size * mu / sideways);
    let row = |e: Vec3| {
        let flat = e - n.scale(n.dot(e)) - t.scale(t.dot(e));
        edge.scale(along * edge.dot(e)) + flat.scale(round)
    };
    (edge.scale(size), [row(vec3(1.0, 0.0, 0.0)), row(vec3(0.0, 1.0, 0.0)), row(vec3(0.0, 0.0, 1.0))])
}

/// h += J^T D J with J y = y_linear + y_angular x arm.
fn add_curvature(h: &mut [[f64; 6]; 6], arm: Vec3, d: &[Vec3; 3]) {
    // columns of J: e_k x arm, then e_k
    let unit = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)];
    let column = |k: usize| if k < 3 { unit[k].cross(arm) } else { unit[k - 3] };
    for j in 0..6 {
        let c = column(j);
        let turned = vec3(d[0].dot(c), d[1].dot(c), d[2].dot(c));
        for (i, row) in h.iter_mut().enumerate() {
            row[j] += column(i).dot(turned);
        }
    }
}

/// Of a positive definite matrix, by Cholesky's factors.
fn solve(mut h: [[f64; 6]; 6], mut x: [f64; 6]) -> Option<[f64; 6]> {
    for j in 0..6 {
        for k in 0..j {
            for i in j..6 {
                h[i][j] -= h[i][k] * h[j][k];
            }
        }
        if !(h[j][j] > 0.0) {
            return None;
        }
        let root = h[j][j].sqrt();
        (j..6).for_each(|i| h[i][j] /= root);
    }
    for i in 0..6 {
        (0..i).for_each(|k| x[i] -= h[i][k] * x[k]);
        x[i] /= h[i][i];
    }
    for i in (0..6).rev() {
        (i + 1..6).for_each(|k| x[i] -= h[k][i] * x[k]);
        x[i] /= h[i][i];
    }
    Some(x)
}

fn to_array(angular: Vec3, linear: Vec3) -> [f64; 6] {
    Force::new(angular, linear).to_array()
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
