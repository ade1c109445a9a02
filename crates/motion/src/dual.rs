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
mod tests {
    use super::*;
    use clarabel::algebra::CscMatrix;
    use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SecondOrderConeT, SupportedConeT};
    use std::time::Instant;

    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        }
    }

    /// Eight points of two feet, their balances about a centre of mass, and a random S.
    fn problem(random: &mut Random) -> Dual {
        let mut dual = Dual::default();
        dual.reset(6);
        for k in 0..8 {
            let foot = if k < 4 { 0.1 } else { -0.1 };
            let at = vec3(0.1 * random.next(), foot + 0.05 * random.next(), -0.9);
            dual.cones.push(Cone { normal: vec3(0.0, 0.0, 1.0), friction: 0.8, eps: 1e-2 });
            dual.rows.extend(crate::split::balance_rows(at));
        }
        let factor: Vec<f64> = (0..36).map(|_| random.next()).collect();
        for i in 0..6 {
            dual.wanted[i] = 0.5 * random.next() + if i == 5 { 1.0 } else { 0.0 };
            for j in 0..6 {
                let s: f64 = (0..6).map(|k| factor[6 * i + k] * factor[6 * j + k]).sum();
                dual.give[6 * i + j] = 1e-3 * (s + if i == j { 0.1 } else { 0.0 });
            }
        }
        dual
    }

    /// The same problem in its forces, by an interior-point method for cones:
    /// min 1/2 f^T (W^T S^-1 W + eps) f - (W^T S^-1 b)^T f with |f_level| <= mu f_normal.
    fn by_clarabel(dual: &Dual) -> (Vec<f64>, f64, impl Fn(&[f64]) -> f64) {
        let (n, count) = (6, dual.cones.len());
        let mut inverse = vec![0.0; 36];
        for k in 0..n {
            // columns of S^-1 by Newton's own factors: gradient -e_k, Hessian S
            let mut copy = dual.clone();
            copy.hessian.copy_from_slice(&dual.give);
            copy.gradient.fill(0.0);
            copy.gradient[k] = -1.0;
            assert!(copy.solve_step());
            (0..n).for_each(|i| inverse[i * n + k] = copy.step[i]);
        }
        let w = |row: usize, force: usize| dual.rows[force / 3 * n + row].to_array()[force % 3];
        let cost = |i: usize, j: usize| {
            let sum: f64 = (0..36).map(|k| w(k / 6, i) * inverse[k] * w(k % 6, j)).sum();
            sum + if i == j { dual.cones[0].eps } else { 0.0 }
        };
        let size = 3 * count;
        let dense: Vec<Vec<f64>> =
            (0..size).map(|i| (0..size).map(|j| if j >= i { cost(i, j) } else { 0.0 }).collect()).collect();
        let linear: Vec<f64> = (0..size)
            .map(|j| -(0..36).map(|k| dual.wanted[k / 6] * inverse[k] * w(k % 6, j)).sum::<f64>())
            .collect();
        // s = (mu f_z, f_x, f_y) in the second-order cone: A f + s = 0
        let mut a = vec![vec![0.0; size]; size];
        for k in 0..count {
            a[3 * k][3 * k + 2] = -dual.cones[k].friction;
            a[3 * k + 1][3 * k] = -1.0;
            a[3 * k + 2][3 * k + 1] = -1.0;
        }
        let cones: Vec<SupportedConeT<f64>> = (0..count).map(|_| SecondOrderConeT(3)).collect();
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-13,
            tol_gap_rel: 1e-13,
            tol_feas: 1e-13,
            ..DefaultSettings::default()
        };
        let (p, a) = (CscMatrix::from(&dense), CscMatrix::from(&a));
        let start = Instant::now();
        let mut solver = DefaultSolver::new(&p, &linear, &a, &vec![0.0; size], &cones, settings).unwrap();
        solver.solve();
        let seconds = start.elapsed().as_secs_f64();
        let value = move |f: &[f64]| {
            let square = |i: usize| -> f64 {
                let off: f64 = (i + 1..size).map(|j| dense[i][j] * f[j]).sum();
                f[i] * (0.5 * dense[i][i] * f[i] + off + linear[i])
            };
            (0..size).map(square).sum::<f64>()
        };
        (solver.solution.x.clone(), seconds, value)
    }

    #[test]
    fn forces_are_those_of_an_interior_point_method() {
        let mut random = Random(7);
        let (mut ours, mut theirs, mut edges) = (0.0, 0.0, 0);
        for _ in 0..100 {
            let mut dual = problem(&mut random);
            let start = Instant::now();
            let (_, is_there) = dual.search(1e-10);
            ours += start.elapsed().as_secs_f64();
            assert!(is_there);
            let (x, seconds, value) = by_clarabel(&dual);
            let own: Vec<f64> = (0..8).flat_map(|k| dual.force(k).to_array()).collect();
            // its forces are as exact as the root of its tolerance; the cost tells more
            assert!(value(&own) <= value(&x) + 1e-9 * (1.0 + value(&x).abs()));
            theirs += seconds;
            for k in 0..8 {
                let (f, other) = (dual.force(k), vec3(x[3 * k], x[3 * k + 1], x[3 * k + 2]));
                assert!((f - other).norm() < 1e-2 * (1.0 + f.norm()), "{f:?} {other:?}");
                edges += usize::from(f.z > 1e-6 && (f.x.hypot(f.y) - 0.8 * f.z).abs() < 1e-9);
            }
        }
        assert!(edges > 50, "{edges} forces at the edge of their cones");
        println!("ours {:.1} us cold, Clarabel {:.1} us", 1e4 * ours, 1e4 * theirs);
    }
}
