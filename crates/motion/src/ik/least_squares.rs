//! Prioritised, damped, bounded least squares: each level is solved in the null space of those before.
//!
//! Computes  for k = 1, 2, ...:  y that minimises |A_k N y - (b_k - A_k x)|^2 + damping |y|^2,  x += N y,  N := N null(A_k N).
//! Source: [NH1986 SR-inverse] for damping and priorities; null spaces by Householder factors with pivots, as in textbooks.
//! We differ: bounds by fixing what passes them and solving again (an active set that only grows within a step).
//! Checked by: `tests/it/ik.rs`, tests below.

/// Pivots below this are rank deficient and leave the direction to lower levels, m/rad.
const MIN_PIVOT: f64 = 1e-3;
/// Active-set iterations; remaining violations are clamped.
const MAX_ACTIVE_SET_PASSES: usize = 12;
/// Violations below this are clamped without another iteration.
const BOUND_TOLERANCE: f64 = 1e-12;

/// Tasks of equal priority: rows of A and b.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    rows: Vec<f64>,
    errors: Vec<f64>,
    /// squared
    damping: f64,
}

impl Level {
    /// Sets the damping: a minimum plus a multiple of the squared error.
    pub fn damp(&mut self, min: f64, factor: f64) {
        let size = self.size();
        self.damping = min + factor * size * size;
    }

    pub fn clear(&mut self) {
        self.rows.clear();
        self.errors.clear();
    }

    pub fn push(&mut self, row: impl Iterator<Item = f64>, error: f64) {
        self.rows.extend(row);
        self.errors.push(error);
    }

    pub fn last_mut(&mut self) -> &mut [f64] {
        let n = self.rows.len() / self.errors.len().max(1);
        let start = self.rows.len() - n;
        &mut self.rows[start..]
    }

    /// Norm of the errors.
    pub fn size(&self) -> f64 {
        self.errors.iter().map(|e| e * e).sum::<f64>().sqrt()
    }
}

/// Workspace of the solution.
#[derive(Clone, Debug, Default)]
pub(super) struct PrioritizedLeastSquares {
    /// rows: basis of the null space
    basis: Vec<f64>,
    /// columns: task rows projected onto the basis
    projected: Vec<f64>,
    rest: Vec<f64>,
    order: Vec<usize>,
    gram: Vec<f64>,
    y: Vec<f64>,
    is_fixed: Vec<bool>,
    /// the basis consists of the unit vectors of the free coordinates
    is_whole: bool,
}

impl PrioritizedLeastSquares {
    /// The step; `target` is the preferred step in the null space of all levels.
    pub fn step(
        &mut self,
        levels: &[Level],
        target: Option<&[f64]>,
        lower: &[f64],
        upper: &[f64],
        step: &mut [f64],
    ) {
        let n = step.len();
        self.is_fixed.clear();
        self.is_fixed.resize(n, false);
        step.fill(0.0);
        for _ in 0..MAX_ACTIVE_SET_PASSES {
            self.solve_free(levels, target, step);
            let mut is_inside = true;
            for i in 0..n {
                let bounded = step[i].clamp(lower[i].min(0.0), upper[i].max(0.0));
                if !self.is_fixed[i] && (bounded - step[i]).abs() > BOUND_TOLERANCE {
                    (self.is_fixed[i], is_inside) = (true, false);
                    step[i] = bounded;
                }
            }
            if is_inside {
                break;
            }
        }
        (0..n).for_each(|i| step[i] = step[i].clamp(lower[i].min(0.0), upper[i].max(0.0)));
    }

    /// The step with the fixed coordinates given.
    fn solve_free(&mut self, levels: &[Level], target: Option<&[f64]>, step: &mut [f64]) {
        let n = step.len();
        (0..n).filter(|i| !self.is_fixed[*i]).for_each(|i| step[i] = 0.0);
        let free: Vec<usize> = (0..n).filter(|i| !self.is_fixed[*i]).collect();
        self.basis.clear();
        self.basis.resize(free.len() * n, 0.0);
        free.iter().enumerate().for_each(|(k, i)| self.basis[k * n + i] = 1.0);
        self.is_whole = true;
        for level in levels {
            self.solve_level(level, step);
        }
        if let Some(target) = target {
            self.approach(target, step);
        }
    }

    fn dimension(&self, n: usize) -> usize {
        self.basis.len() / n.max(1)
    }

    /// Adds the step of a level and reduces the basis to its null space.
    fn solve_level(&mut self, level: &Level, step: &mut [f64]) {
        let (n, m) = (step.len(), level.errors.len());
        let r = self.dimension(n);
        if r == 0 || m == 0 {
            return;
        }
        self.project(level, step, r);
        let rank = self.factor(r, m);
        self.least_squares(level.damping, r, rank);
        // y back through the reflections, then into the step; the basis is rotated so that its first rows are used up
        for j in (0..rank).rev() {
            let (v, y) = (&self.projected[self.order[j] * (r + 1)..], &mut self.y);
            reflect(v, j, r, y, 1);
        }
        for (k, y) in self.y.iter().enumerate() {
            (0..n).for_each(|i| step[i] += y * self.basis[k * n + i]);
        }
        self.is_whole = false;
        if rank == r {
            self.basis.clear();
            return;
        }
        for j in 0..rank {
            reflect(&self.projected[self.order[j] * (r + 1)..], j, r, &mut self.basis, n);
        }
        self.basis.drain(..rank * n);
    }

    /// Columns (A N)^T, each with room for one more entry, and the remaining errors.
    fn project(&mut self, level: &Level, step: &[f64], r: usize) {
        let n = step.len();
        self.projected.clear();
        self.rest.clear();
        for (row, e) in level.rows.chunks_exact(n).zip(&level.errors) {
            self.rest.push(e - dot(row, step));
            if self.is_whole {
                self.projected.extend((0..n).filter(|i| !self.is_fixed[*i]).map(|i| row[i]));
            } else {
                self.projected.extend(self.basis.chunks_exact(n).map(|b| dot(row, b)));
            }
            self.projected.push(0.0);
        }
        debug_assert_eq!(self.projected.len(), level.errors.len() * (r + 1));
    }

    /// Householder factors with pivots. Column `order[j]` holds R above the diagonal, the reflection below it, and the
    /// diagonal of R in its last entry. Returns the rank.
    fn factor(&mut self, r: usize, m: usize) -> usize {
        let w = r + 1;
        self.order.clear();
        self.order.extend(0..m);
        for j in 0..r.min(m) {
            let tail = |c: usize| self.projected[c * w + j..c * w + r].iter().map(|x| x * x).sum::<f64>();
            let pivot = (j..m).max_by(|a, b| tail(self.order[*a]).total_cmp(&tail(self.order[*b])));
            let Some(pivot) = pivot else { return j };
            self.order.swap(j, pivot);
            let c = self.order[j];
            let size = tail(c).sqrt();
            if !(size > MIN_PIVOT) {
                return j;
            }
            // v = x + sign(x_j) |x| e_j, scaled so that H = I - v v^T
            let diagonal = if self.projected[c * w + j] > 0.0 { -size } else { size };
            self.projected[c * w + j] -= diagonal;
            let scale = (size * (size + (self.projected[c * w + j] + diagonal).abs())).sqrt();
            self.projected[c * w + j..c * w + r].iter_mut().for_each(|x| *x /= scale);
            self.projected[c * w + r] = diagonal;
            for k in j + 1..m {
                let other = self.order[k];
                let columns = [c * w..c * w + w, other * w..other * w + r];
                let [v, x] = self.projected.get_disjoint_mut(columns).expect("two different columns");
                reflect(v, j, r, x, 1);
            }
        }
        r.min(m)
    }

    /// z of (R R^T + damping) z = R b, then zeros.
    fn least_squares(&mut self, damping: f64, r: usize, rank: usize) {
        let w = r + 1;
        self.gram.clear();
        self.gram.resize(rank * rank, 0.0);
        self.y.clear();
        self.y.resize(r, 0.0);
        for (j, c) in self.order.iter().enumerate() {
            let column = &self.projected[c * w..(c + 1) * w];
            let entry = |i: usize| if i == j { column[r] } else { column[i] };
            let count = rank.min(j + 1);
            for a in 0..count {
                self.y[a] += entry(a) * self.rest[*c];
                for b in 0..=a {
                    self.gram[a * rank + b] += entry(a) * entry(b);
                }
            }
        }
        (0..rank).for_each(|a| self.gram[a * rank + a] += damping);
        cholesky_solve(&mut self.gram, rank, &mut self.y[..rank]);
    }

    /// Approaches a target in the null space.
    fn approach(&mut self, target: &[f64], step: &mut [f64]) {
        let n = step.len();
        let displacement: Vec<f64> = target.iter().zip(step.iter()).map(|(w, s)| w - s).collect();
        // the basis is orthonormal: its coordinates of the displacement are the least-squares solution
        for b in self.basis.chunks_exact(n) {
            let y = dot(b, &displacement);
            step.iter_mut().zip(b).for_each(|(s, b)| *s += y * b);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Applies I - v v^T, with entries j..r of v, to rows j..r of `x`, which has `n` columns.
fn reflect(v: &[f64], j: usize, r: usize, x: &mut [f64], n: usize) {
    if n == 1 {
        let sum = dot(&v[j..r], &x[j..r]);
        (j..r).for_each(|i| x[i] -= sum * v[i]);
        return;
    }
    let mut sum = vec![0.0; n];
    for i in j..r {
        (0..n).for_each(|c| sum[c] += v[i] * x[i * n + c]);
    }
    for i in j..r {
        (0..n).for_each(|c| x[i * n + c] -= v[i] * sum[c]);
    }
}

/// Solves with a symmetric positive definite matrix given by its lower half.
fn cholesky_solve(a: &mut [f64], n: usize, x: &mut [f64]) {
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - sum;
            a[i * n + j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / a[j * n + j] };
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| a[i * n + k] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[k * n + i] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(rows: &[[f64; 3]], errors: &[f64]) -> Level {
        let mut level = Level::default();
        rows.iter().zip(errors).for_each(|(r, e)| level.push(r.iter().copied(), *e));
        level
    }

    const FREE: ([f64; 3], [f64; 3]) = ([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]);

    #[test]
    fn lower_levels_use_the_null_space() {
        let levels =
            [level(&[[1.0, 1.0, 0.0]], &[2.0]), level(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[5.0, 1.0])];
        let mut step = [0.0; 3];
        PrioritizedLeastSquares::default().step(&levels, Some(&[0.0, 0.0, 7.0]), &FREE.0, &FREE.1, &mut step);
        // x + y = 2 exactly; the second level leaves errors of 2
        for (got, expected) in step.into_iter().zip([3.0, -1.0, 7.0]) {
            assert!((got - expected).abs() < 1e-12, "{step:?}");
        }
    }

    #[test]
    fn free_coordinates_compensate_for_bounded_ones() {
        let levels = [level(&[[1.0, 1.0, 1.0]], &[3.0])];
        let mut step = [0.0; 3];
        PrioritizedLeastSquares::default().step(&levels, None, &[-9.0; 3], &[0.5, 9.0, 9.0], &mut step);
        assert!((step[0] - 0.5).abs() < 1e-12 && (step[1] - 1.25).abs() < 1e-12, "{step:?}");
    }

    #[test]
    fn contradictory_and_zero_rows_are_harmless() {
        let mut one = level(&[[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3]], &[1.0, 3.0, 5.0]);
        one.damping = 1e-9;
        let mut step = [0.0; 3];
        PrioritizedLeastSquares::default().step(&[one], None, &FREE.0, &FREE.1, &mut step);
        assert!((step[0] - 2.0).abs() < 1e-6 && step[1] == 0.0, "{step:?}");
    }
}
