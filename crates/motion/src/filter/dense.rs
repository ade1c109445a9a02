//! Weighted least squares in one matrix: rows are added, then solved.
//!
//! Computes the H and g of  min 1/2 sum w (row.a - b)^2 = min 1/2 a^T H a - g^T a,  and Cholesky's factor H = U^T U.
//! Upper triangle in rows, so that every inner loop runs over contiguous memory.
//! Checked by: tests below.

/// H and g, then the factor of H.
#[derive(Clone, Debug, Default)]
pub(crate) struct Normal {
    n: usize,
    h: Vec<f64>,
    /// right-hand side
    pub g: Vec<f64>,
}

impl Normal {
    /// Nothing is asked of `n` unknowns.
    pub fn clear(&mut self, n: usize) {
        self.n = n;
        self.h.clear();
        self.h.resize(n * n, 0.0);
        self.g.clear();
        self.g.resize(n, 0.0);
    }

    /// Asks for one unknown to be `b`.
    pub fn add_one(&mut self, k: usize, weight: f64, b: f64) {
        self.h[k * self.n + k] += weight;
        self.g[k] += weight * b;
    }

    /// Adds to H where `i` meets `j`, not before it.
    pub fn add_at(&mut self, i: usize, j: usize, x: f64) {
        self.h[i * self.n + j] += x;
    }

    /// Asks for `R` rows at once; `columns` are those of the unknowns in `path`, which ascends.
    pub fn add<const R: usize>(
        &mut self,
        path: &[u32],
        columns: impl Fn(usize) -> [f64; R],
        weight: [f64; R],
        b: [f64; R],
    ) {
        for (n, &i) in path.iter().enumerate() {
            let mut own = columns(i as usize);
            (0..R).for_each(|r| own[r] *= weight[r]);
            self.g[i as usize] += dot(&own, &b);
            let row = &mut self.h[i as usize * self.n..(i as usize + 1) * self.n];
            for &j in &path[n..] {
                row[j as usize] += dot(&own, &columns(j as usize));
            }
        }
    }

    /// Factors H. A pivot that rounding has eaten is put back to a small part of the largest.
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

/// In four sums side by side: the same bits on every machine, and no chain of additions to wait for.
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
    fn the_solution_is_that_of_the_normal_equations() {
        let n = 9;
        let mut normal = Normal::default();
        normal.clear(n);
        (0..n).for_each(|k| normal.add_one(k, 0.5 + k as f64, 0.1 * k as f64));
        let column = |k: usize| [(k as f64).sin(), (2.0 * k as f64).cos(), 1.0];
        normal.add(&[0, 2, 3, 7], column, [3.0, 20.0, 100.0], [1.0, -2.0, 0.5]);
        let (h, g) = (normal.h.clone(), normal.g.clone());
        normal.factor();
        let mut x = g.clone();
        normal.solve_transposed(&mut x);
        normal.solve_upper(&mut x);
        for i in 0..n {
            let row: f64 = (0..n).map(|j| if j < i { h[j * n + i] } else { h[i * n + j] } * x[j]).sum();
            assert!((row - g[i]).abs() < 1e-12, "row {i}: {row} {}", g[i]);
        }
    }
}
