//! Normal equations of weighted least squares, and their Cholesky factor.
//!
//! Computes the H and g of  min 1/2 sum w (row.a - b)^2 = min 1/2 a^T H a - g^T a,  and H = U^T U.
//! The upper triangle is stored by rows, so that every inner loop runs over contiguous memory.
//! Checked by: tests below.

/// H and g, then the factor of H.
#[derive(Clone, Debug, Default)]
pub(crate) struct NormalEquations {
    n: usize,
    h: Vec<f64>,
    /// right-hand side
    pub g: Vec<f64>,
}

impl NormalEquations {
    /// Starts with `n` unknowns and no rows.
    pub fn clear(&mut self, n: usize) {
        self.n = n;
        self.h.clear();
        self.h.resize(n * n, 0.0);
        self.g.clear();
        self.g.resize(n, 0.0);
    }

    /// Adds the row  x_k = b.
    pub fn add_one(&mut self, k: usize, weight: f64, b: f64) {
        self.h[k * self.n + k] += weight;
        self.g[k] += weight * b;
    }

    /// Adds to the entry (i, j) of H, i <= j.
    pub fn add_at(&mut self, i: usize, j: usize, x: f64) {
        self.h[i * self.n + j] += x;
    }

    /// Adds `R` rows at once; `columns` are those of the unknowns in `dofs`, which ascend.
    pub fn add<const R: usize>(
        &mut self,
        dofs: &[u32],
        columns: impl Fn(usize) -> [f64; R],
        weight: [f64; R],
        b: [f64; R],
    ) {
        for (n, &i) in dofs.iter().enumerate() {
            let mut own = columns(i as usize);
            (0..R).for_each(|r| own[r] *= weight[r]);
            self.g[i as usize] += dot(&own, &b);
            let row = &mut self.h[i as usize * self.n..(i as usize + 1) * self.n];
            for &j in &dofs[n..] {
                row[j as usize] += dot(&own, &columns(j as usize));
            }
        }
    }

    /// Assembles and factors a symmetric matrix, with a part of its largest diagonal entry added to the diagonal.
    pub fn factor_matrix(&mut self, n: usize, damping: f64, entry: impl Fn(usize, usize) -> f64) {
        self.clear(n);
        let largest = (0..n).map(|i| entry(i, i)).fold(0.0, f64::max);
        for i in 0..n {
            (i..n).for_each(|j| self.add_at(i, j, entry(i, j)));
            self.add_at(i, i, damping * largest);
        }
        self.factor();
    }

    /// Factors H; pivots lost to rounding become a small part of the largest.
    pub fn factor(&mut self) {
        let n = self.n;
        let largest = (0..n).map(|k| self.h[k * n + k]).fold(f64::MIN_POSITIVE, f64::max);
        for k in 0..n {
            let (above, below) = self.h.split_at_mut((k + 1) * n);
            let row = &mut above[k * n..];
            let pivot = row[k].max(1e-14 * largest);
            let scale = 1.0 / pivot.sqrt();
            row[k] = pivot;
            row[k..].iter_mut().for_each(|x| *x *= scale);
            for i in k + 1..n {
                let factor = row[i];
                if factor != 0.0 {
                    let start = (i - k - 1) * n;
                    subtract(&mut below[start + i..start + n], &row[i..n], factor);
                }
            }
        }
    }

    /// x := H^-1 x.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_transposed(x);
        self.solve_upper(x);
    }

    /// x := U^-T x.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        for k in 0..self.n {
            let row = &self.h[k * self.n..(k + 1) * self.n];
            if x[k] != 0.0 {
                x[k] /= row[k];
                let known = x[k];
                subtract(&mut x[k + 1..], &row[k + 1..], known);
            }
        }
    }

    /// x := U^-1 x.
    pub fn solve_upper(&self, x: &mut [f64]) {
        for k in (0..self.n).rev() {
            let row = &self.h[k * self.n..(k + 1) * self.n];
            x[k] = (x[k] - sum_of_products(&row[k + 1..], &x[k + 1..])) / row[k];
        }
    }
}

fn subtract(x: &mut [f64], row: &[f64], factor: f64) {
    x.iter_mut().zip(row).for_each(|(x, r)| *x -= factor * r);
}

fn dot<const R: usize>(a: &[f64; R], b: &[f64; R]) -> f64 {
    let mut sum = 0.0;
    (0..R).for_each(|r| sum += a[r] * b[r]);
    sum
}

/// Dot product in four interleaved sums: same bits on every machine, no long dependency chain.
pub(crate) fn sum_of_products(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (mut a, mut b) = (a.chunks_exact(4), b.chunks_exact(4));
    for (a, b) in (&mut a).zip(&mut b) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_satisfies_the_normal_equations() {
        let n = 9;
        let mut normal = NormalEquations::default();
        normal.clear(n);
        (0..n).for_each(|k| normal.add_one(k, 0.5 + k as f64, 0.1 * k as f64));
        let column = |k: usize| [(k as f64).sin(), (2.0 * k as f64).cos(), 1.0];
        normal.add(&[0, 2, 3, 7], column, [3.0, 20.0, 100.0], [1.0, -2.0, 0.5]);
        let (h, g) = (normal.h.clone(), normal.g.clone());
        normal.factor();
        let mut x = g.clone();
        normal.solve(&mut x);
        for i in 0..n {
            let row: f64 = (0..n).map(|j| if j < i { h[j * n + i] } else { h[i * n + j] } * x[j]).sum();
            assert!((row - g[i]).abs() < 1e-12, "row {i}: {row} {}", g[i]);
        }
    }
}
