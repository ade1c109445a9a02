//! Symmetric positive semidefinite systems of any rank: the least-norm solution.
//!
//! Computes  x = G^+ r  for a small dense G = L L^T, L with `rank` columns by Cholesky with diagonal pivoting.
//! Large pivots: plain LDL^T (`ldl`). Otherwise G^+ = L (L^T L)^-1 (L^T L + mu)^-1 L^T, with mu = 0 unless the matrix
//! may become singular in motion, and one step of refinement.
//! Source: pseudo-inverse by a full-rank factor; textbook.
//! Not here: matrices too large for O(n^3).
//! Checked by: tests below; `tests/it/closure.rs` (least-norm forces against eigenvectors).

use super::ldl::{Ldl, stride};
use crate::algo::fit;

/// Pivots below this part of the matrix's size are zero: the remaining rows are dependent.
const DEPENDENT: f64 = 1e-11;

/// Directions with an eigenvalue of G below this part of its size are damped: near a singular pose an exact solution
/// would need unbounded forces.
pub(crate) const DAMPING: f64 = 1e-10;

/// Pivots larger than this part of the matrix's size need no pivoting.
const HEALTHY: f64 = 1e-7;

/// The factor of a semidefinite matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct LowRank {
    n: usize,
    rank: usize,
    /// whether the matrix is well conditioned
    is_regular: bool,
    /// whether all pivots are large in the given order, so that the plain LDL^T suffices
    is_plain: bool,
    plain: Ldl,
    /// rows in pivot order, `n` columns kept
    l: Vec<f64>,
    /// inverse diagonal of L
    inverse: Vec<f64>,
    order: Vec<usize>,
    /// Cholesky factor of L^T L if the rank is deficient
    c: Vec<f64>,
    inverse_c: Vec<f64>,
    /// the same of L^T L + mu
    damped: Vec<f64>,
    inverse_damped: Vec<f64>,
    x: Vec<f64>,
    z: Vec<f64>,
    /// the matrix itself, right-hand side and residual: for one step of refinement
    g: Vec<f64>,
    rhs: Vec<f64>,
    residual: Vec<f64>,
}

impl LowRank {
    /// Whether the matrix is well conditioned.
    pub fn is_regular(&self) -> bool {
        self.is_regular
    }

    /// Number of independent rows.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Factors the `n` by `n` matrix `g`, rows [`stride`] apart, whose entries are sums of numbers of size `scale`: far
    /// smaller values are rounding. `damping` (zero or [`DAMPING`]) is for matrices that may become singular.
    pub fn compute(&mut self, g: &[f64], n: usize, scale: f64, damping: f64) {
        self.compute_with(g, n, scale, damping, &[]);
    }

    /// The same with a right-hand side `r` (empty for none), which is faster, for [`LowRank::solution`].
    pub fn compute_with(&mut self, g: &[f64], n: usize, scale: f64, damping: f64, r: &[f64]) {
        self.n = n;
        let apart = stride(n);
        let size = (0..n).fold(scale, |m, i| m.max(g[i * apart + i]));
        let least = DEPENDENT * size;
        self.rank = n;
        // try without pivoting first: most matrices are regular
        self.is_plain = self.plain.factor(g, n, HEALTHY * size, r);
        self.is_regular = self.is_plain;
        if self.is_plain {
            return;
        }
        fit(&mut self.l, n * n);
        fit(&mut self.inverse, n);
        self.order.clear();
        self.order.extend(0..n);
        self.x.clear();
        self.x.extend((0..n).map(|i| g[i * apart + i]));
        for k in 0..n {
            // the largest remaining diagonal entry is the next pivot
            let mut best = k;
            for i in k + 1..n {
                if self.x[i] > self.x[best] {
                    best = i;
                }
            }
            if !(self.x[best] > least) {
                self.rank = k;
                break;
            }
            self.x.swap(k, best);
            self.order.swap(k, best);
            for j in 0..k {
                self.l.swap(k * n + j, best * n + j);
            }
            let pivot = self.x[k].sqrt();
            self.l[k * n + k] = pivot;
            self.inverse[k] = 1.0 / pivot;
            let (head, tail) = self.l.split_at_mut((k + 1) * n);
            let own = &head[k * n..k * n + k];
            for i in k + 1..n {
                let row = &mut tail[(i - k - 1) * n..(i - k - 1) * n + k + 1];
                let (p, q) = (self.order[i].max(self.order[k]), self.order[i].min(self.order[k]));
                let dot: f64 = own.iter().zip(&row[..k]).map(|(a, b)| a * b).sum();
                let value = (g[q * apart + p] - dot) / pivot;
                row[k] = value;
                self.x[i] -= value * value;
            }
        }
        self.is_regular = damping == 0.0 && self.rank == n;
        if !self.is_regular {
            self.factor_gram(damping * size);
            self.g.clear();
            self.g.extend_from_slice(&g[..n * apart]);
        }
    }

    /// x := G^+ x, for the right-hand side given to [`LowRank::compute_with`], in `x` too.
    pub fn solution(&mut self, x: &mut [f64]) {
        if self.is_plain { self.plain.solution(x) } else { self.solve(x) }
    }

    /// x := G^+ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        if self.is_plain {
            return self.plain.solve(x);
        }
        if self.is_regular {
            return self.solve_once(x);
        }
        // one step of refinement restores the digits lost by squaring L^T L
        let mut rhs = core::mem::take(&mut self.rhs);
        let mut residual = core::mem::take(&mut self.residual);
        rhs.clear();
        rhs.extend_from_slice(x);
        self.solve_once(x);
        residual.clear();
        let (n, g) = (self.n, &self.g);
        let row = |i: usize| (0..n).map(move |j| g[i.min(j) * stride(n) + i.max(j)]);
        residual.extend((0..n).map(|i| rhs[i] - row(i).zip(&*x).map(|(g, x)| g * x).sum::<f64>()));
        self.solve_once(&mut residual);
        x.iter_mut().zip(&residual).for_each(|(x, r)| *x += r);
        (self.rhs, self.residual) = (rhs, residual);
    }

    fn solve_once(&mut self, x: &mut [f64]) {
        let (n, r) = (self.n, self.rank);
        for (to, from) in self.x.iter_mut().zip(&self.order) {
            *to = x[*from];
        }
        if self.is_regular {
            lower(&self.l, &self.inverse, n, &mut self.x);
            lower_transposed(&self.l, &self.inverse, n, &mut self.x);
        } else {
            fit(&mut self.z, n);
            for j in 0..r {
                self.z[j] = (j..n).map(|i| self.l[i * n + j] * self.x[i]).sum();
            }
            lower(&self.c, &self.inverse_c, r, &mut self.z);
            lower_transposed(&self.c, &self.inverse_c, r, &mut self.z);
            lower(&self.damped, &self.inverse_damped, r, &mut self.z);
            lower_transposed(&self.damped, &self.inverse_damped, r, &mut self.z);
            for i in 0..n {
                self.x[i] = (0..r.min(i + 1)).map(|j| self.l[i * n + j] * self.z[j]).sum();
            }
        }
        for (from, to) in self.x.iter().zip(&self.order) {
            x[*to] = *from;
        }
    }

    /// Cholesky factors of L^T L and of L^T L + mu.
    fn factor_gram(&mut self, mu: f64) {
        let (n, r, l) = (self.n, self.rank, &self.l);
        let gram = |i: usize, j: usize| (i..n).map(|k| l[k * n + i] * l[k * n + j]).sum::<f64>();
        cholesky(&mut self.c, &mut self.inverse_c, r, gram);
        cholesky(&mut self.damped, &mut self.inverse_damped, r, |i, j| {
            gram(i, j) + if i == j { mu } else { 0.0 }
        });
    }
}

/// Lower factor of a positive definite matrix given by its entries, and its inverse diagonal.
fn cholesky(c: &mut Vec<f64>, inverse: &mut Vec<f64>, n: usize, entry: impl Fn(usize, usize) -> f64) {
    fit(c, n * n);
    fit(inverse, n);
    for i in 0..n {
        for j in 0..=i {
            let s = entry(i, j) - (0..j).map(|k| c[i * n + k] * c[j * n + k]).sum::<f64>();
            c[i * n + j] = if i == j { s.sqrt() } else { s * inverse[j] };
        }
        inverse[i] = 1.0 / c[i * n + i];
    }
}

/// x := L^-1 x, with the inverse diagonal of L.
fn lower(l: &[f64], inverse: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        let row = &l[i * n..i * n + i];
        let s: f64 = row.iter().zip(x.iter()).map(|(a, b)| a * b).sum();
        x[i] = (x[i] - s) * inverse[i];
    }
}

/// x := L^-T x, with the inverse diagonal of L.
fn lower_transposed(l: &[f64], inverse: &[f64], n: usize, x: &mut [f64]) {
    for i in (0..n).rev() {
        x[i] *= inverse[i];
        let xi = x[i];
        for (y, a) in x[..i].iter_mut().zip(&l[i * n..]) {
            *y -= a * xi;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with the factor's stride.
    fn rows<const N: usize>(g: [f64; N], n: usize) -> Vec<f64> {
        g.chunks(n)
            .flat_map(|row| row.iter().copied().chain(core::iter::repeat_n(0.0, stride(n) - n)))
            .collect()
    }

    #[test]
    fn full_rank_is_solved_exactly() {
        let g = rows([4.0, 1.0, 0.5, 0.0, 3.0, -1.0, 0.0, 0.0, 2.0], 3);
        let mut x = [1.0, 2.0, 3.0];
        let mut f = LowRank::default();
        f.compute(&g, 3, 1.0, 0.0);
        f.solve(&mut x);
        let back = [4.0 * x[0] + x[1] + 0.5 * x[2], x[0] + 3.0 * x[1] - x[2], 0.5 * x[0] - x[1] + 2.0 * x[2]];
        assert!(back.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-14), "{back:?}");
        assert_eq!(f.rank(), 3);
    }

    #[test]
    fn the_least_norm_solution_of_dependent_rows() {
        // the same row twice: each gets half
        let g = rows([2.0, 2.0, 0.0, 2.0], 2);
        let mut x = [1.0, 1.0];
        let mut f = LowRank::default();
        f.compute(&g, 2, 1.0, 0.0);
        f.solve(&mut x);
        assert_eq!(f.rank(), 1);
        assert!((x[0] - 0.25).abs() < 1e-15 && (x[1] - 0.25).abs() < 1e-15, "{x:?}");
        // the zero matrix
        f.compute(&rows([0.0], 1), 1, 1.0, 0.0);
        let mut x = [1.0];
        f.solve(&mut x);
        assert_eq!((f.rank(), x), (0, [0.0]));
    }
}
