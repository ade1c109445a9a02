//! Symmetric banded systems with a few dense unknowns at the end.
//!
//! Computes  [B E; E^T D] x = g  with B banded, E and D dense and narrow, by the Cholesky factor of B and of the Schur
//! complement of D: O(n band^2).
//! Checked by: tests below.

/// A system, then its factor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Banded {
    n: usize,
    band: usize,
    dense: usize,
    /// B: row i holds the columns i - band ..= i
    b: Vec<f64>,
    /// E, by dense unknown, then D, row by row
    e: Vec<f64>,
    d: Vec<f64>,
}

impl Banded {
    /// Starts with zeros: `n` unknowns with entries up to `band` beside the diagonal, and `dense` more.
    pub fn clear(&mut self, n: usize, band: usize, dense: usize) {
        (self.n, self.band, self.dense) = (n, band, dense);
        for (list, size) in
            [(&mut self.b, n * (band + 1)), (&mut self.e, n * dense), (&mut self.d, dense * dense)]
        {
            list.clear();
            list.resize(size, 0.0);
        }
    }

    /// Adds to the entry (i, j), i >= j; dense unknowns come last.
    pub fn add(&mut self, i: usize, j: usize, x: f64) {
        let (n, w) = (self.n, self.band + 1);
        if i < n {
            self.b[i * w + self.band + j - i] += x;
        } else if j < n {
            self.e[(i - n) * n + j] += x;
        } else {
            self.d[(i - n) * self.dense + j - n] += x;
        }
    }

    /// Factors the system; false if not positive definite.
    pub fn factor(&mut self) -> bool {
        let (n, band, w) = (self.n, self.band, self.band + 1);
        for i in 0..n {
            let first = i.saturating_sub(band);
            for j in first..=i {
                let from = first.max(j.saturating_sub(band));
                let own = &self.b[i * w + band + from - i..i * w + band + j - i];
                let other = &self.b[j * w + band + from - j..j * w + band];
                let sum: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                let x = self.b[i * w + band + j - i] - sum;
                if j < i {
                    self.b[i * w + band + j - i] = x / self.b[j * w + band];
                } else if x > 0.0 {
                    self.b[i * w + band] = x.sqrt();
                } else {
                    return false;
                }
            }
        }
        // E := L^-1 E, D := chol(D - E^T E)
        for k in 0..self.dense {
            let (b, e) = (&self.b, &mut self.e[k * n..(k + 1) * n]);
            forward(b, band, e);
        }
        for i in 0..self.dense {
            for j in 0..=i {
                let column = |k: usize| &self.e[k * n..(k + 1) * n];
                let sum: f64 = column(i).iter().zip(column(j)).map(|(a, b)| a * b).sum();
                let m = self.dense;
                let more: f64 = (0..j).map(|k| self.d[i * m + k] * self.d[j * m + k]).sum();
                let x = self.d[i * m + j] - sum - more;
                if j < i {
                    self.d[i * m + j] = x / self.d[j * m + j];
                } else if x > 0.0 {
                    self.d[i * m + i] = x.sqrt();
                } else {
                    return false;
                }
            }
        }
        true
    }

    /// x := the solution for the right-hand side x.
    pub fn solve(&self, x: &mut [f64]) {
        let (n, m) = (self.n, self.dense);
        let (x, last) = x.split_at_mut(n);
        forward(&self.b, self.band, x);
        for i in 0..m {
            let sum: f64 = self.e[i * n..(i + 1) * n].iter().zip(&*x).map(|(a, b)| a * b).sum();
            let more: f64 = (0..i).map(|k| self.d[i * m + k] * last[k]).sum();
            last[i] = (last[i] - sum - more) / self.d[i * m + i];
        }
        for i in (0..m).rev() {
            let more: f64 = (i + 1..m).map(|k| self.d[k * m + i] * last[k]).sum();
            last[i] = (last[i] - more) / self.d[i * m + i];
        }
        for (i, y) in last.iter().enumerate() {
            x.iter_mut().zip(&self.e[i * n..(i + 1) * n]).for_each(|(x, e)| *x -= e * y);
        }
        let w = self.band + 1;
        for i in (0..n).rev() {
            x[i] /= self.b[i * w + self.band];
            let first = i.saturating_sub(self.band);
            let known = x[i];
            let row = &self.b[i * w + self.band + first - i..i * w + self.band];
            x[first..i].iter_mut().zip(row).for_each(|(x, l)| *x -= l * known);
        }
    }
}

/// x := L^-1 x.
fn forward(b: &[f64], band: usize, x: &mut [f64]) {
    let w = band + 1;
    for i in 0..x.len() {
        let first = i.saturating_sub(band);
        let row = &b[i * w + band + first - i..i * w + band];
        let sum: f64 = row.iter().zip(&x[first..i]).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - sum) / b[i * w + band];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_satisfies_the_system() {
        let (n, band, dense) = (23, 4, 3);
        let all = n + dense;
        let mut full = vec![0.0; all * all];
        let mut system = Banded::default();
        system.clear(n, band, dense);
        for i in 0..all {
            for j in (0..=i).filter(|j| i >= n || i - j <= band) {
                let x = if i == j { 9.0 } else { ((7 * i + 3 * j) as f64).sin() };
                system.add(i, j, x);
                (full[i * all + j], full[j * all + i]) = (x, x);
            }
        }
        let g: Vec<f64> = (0..all).map(|i| (i as f64).cos()).collect();
        let mut x = g.clone();
        assert!(system.factor());
        system.solve(&mut x);
        for i in 0..all {
            let row: f64 = (0..all).map(|j| full[i * all + j] * x[j]).sum();
            assert!((row - g[i]).abs() < 1e-12, "{i}: {row} {}", g[i]);
        }
    }
}
