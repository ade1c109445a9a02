//! Small dense, possibly singular systems: solutions exact on the range, near the least norm otherwise.
//!
//! Computes  x with K x = r: by Cholesky or, for matrices that are not symmetric, by elimination with pivots. Where a
//! pivot is weak, (K + eps) is factored instead and the solution refined against K.
//! Source: textbook (proximal refinement).
//! Not here: rank and least-norm solutions of semidefinite matrices (`low_rank`).
//! Checked by: tests below.

use super::ldl::{Ldl, stride};
use crate::algo::fit;
use multiversion::multiversion;

/// Added to the diagonal of a weak matrix, relative to its mean.
const SHIFT: f64 = 1e-10;
/// A pivot below this part of the mean diagonal is weak.
const WEAK: f64 = 1e-8;
/// Refinements of the solution of a weak matrix.
const REFINEMENTS: usize = 2;

/// A square system and its factor.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseSystem {
    n: usize,
    k: Vec<f64>,
    factor: Vec<f64>,
    inverse: Vec<f64>,
    order: Vec<u32>,
    is_symmetric: bool,
    is_weak: bool,
    /// whether the plain LDL^T of a symmetric matrix succeeded
    is_plain: bool,
    plain: Ldl,
    residual: Vec<f64>,
    correction: Vec<f64>,
}

impl DenseSystem {
    /// Resizes to an `n` by `n` matrix, to be written row by row; the upper triangle suffices for a symmetric one.
    pub fn matrix(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        fit(&mut self.k, n * n);
        &mut self.k[..n * n]
    }

    /// Factors the matrix; false if that fails.
    pub fn factor(&mut self, is_symmetric: bool) -> bool {
        let n = self.n;
        self.is_symmetric = is_symmetric;
        let mean = (0..n).map(|i| self.k[i * n + i].abs()).sum::<f64>() / n.max(1) as f64;
        self.is_plain = is_symmetric && self.factor_in_rows(WEAK * mean);
        if self.is_plain {
            self.is_weak = false;
            return true;
        }
        self.is_weak = is_symmetric || !self.factor_shifted(0.0, WEAK * mean);
        if self.is_weak && is_symmetric {
            // refinement reads the whole matrix
            for i in 0..n {
                (0..i).for_each(|j| self.k[i * n + j] = self.k[j * n + i]);
            }
        }
        !self.is_weak || self.factor_shifted(SHIFT * mean, 1e-3 * SHIFT * mean)
    }

    /// Factors a symmetric matrix damped by `shift` times its mean diagonal.
    pub fn factor_damped(&mut self, shift: f64) -> bool {
        let n = self.n;
        (self.is_symmetric, self.is_weak, self.is_plain) = (true, false, false);
        let mean = (0..n).map(|i| self.k[i * n + i].abs()).sum::<f64>() / n.max(1) as f64;
        self.factor_shifted(shift * mean, 0.0)
    }

    /// Plain LDL^T of a symmetric matrix; false if a pivot is not larger than `least`.
    fn factor_in_rows(&mut self, least: f64) -> bool {
        let (n, apart) = (self.n, stride(self.n));
        if apart == n {
            return self.plain.factor(&self.k, n, least, &[]);
        }
        fit(&mut self.factor, n * apart);
        for (to, from) in self.factor.chunks_exact_mut(apart).zip(self.k.chunks_exact(n.max(1))) {
            to[..n].copy_from_slice(from);
        }
        self.plain.factor(&self.factor, n, least, &[])
    }

    fn factor_shifted(&mut self, shift: f64, least: f64) -> bool {
        let n = self.n;
        fit(&mut self.factor, n * n);
        fit(&mut self.inverse, n);
        self.factor[..n * n].copy_from_slice(&self.k[..n * n]);
        (0..n).for_each(|i| self.factor[i * n + i] += shift);
        if self.is_symmetric { self.cholesky(least) } else { self.eliminate(least) }
    }

    /// Upper Cholesky factor in place, K = U^T U, by row updates, which vectorise.
    fn cholesky(&mut self, least: f64) -> bool {
        let n = self.n;
        let (factor, inverse) = (&mut self.factor[..n * n], &mut self.inverse[..n]);
        for k in 0..n {
            let (head, tail) = factor.split_at_mut((k + 1) * n);
            let row = &mut head[k * n..];
            let pivot = row[k];
            if !(pivot > least) {
                return false;
            }
            let root = 1.0 / pivot.sqrt();
            inverse[k] = root;
            row[k..].iter_mut().for_each(|x| *x *= root);
            for (below, i) in tail.chunks_exact_mut(n).zip(k + 1..n) {
                let f = row[i];
                below[i..].iter_mut().zip(&row[i..]).for_each(|(x, u)| *x -= f * u);
            }
        }
        true
    }

    fn eliminate(&mut self, least: f64) -> bool {
        self.order.clear();
        self.order.extend(0..self.n as u32);
        eliminate(&mut self.factor, self.n, &mut self.order, &mut self.inverse, least)
    }

    /// Whether the rows are dependent, so that the solution is not unique.
    pub fn is_weak(&self) -> bool {
        self.is_weak
    }

    /// x := the solution of K x = x, the one nearest to `near` if not unique.
    pub fn solve_near(&mut self, x: &mut [f64], near: &[f64]) {
        let n = self.n;
        if self.is_weak {
            for i in 0..n {
                x[i] -= inner(&self.k[i * n..(i + 1) * n], &near[..n]);
            }
        }
        self.solve(x);
        if self.is_weak {
            x.iter_mut().zip(near).for_each(|(x, near)| *x += near);
        }
    }

    /// x := K^-1 x.
    pub fn solve(&mut self, x: &mut [f64]) {
        if !self.is_weak {
            return self.solve_once(x);
        }
        let n = self.n;
        let (mut residual, mut correction) =
            (core::mem::take(&mut self.residual), core::mem::take(&mut self.correction));
        residual.clear();
        residual.extend_from_slice(&x[..n]);
        self.solve_once(x);
        let mut last = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            correction.clear();
            correction.extend((0..n).map(|i| residual[i] - inner(&self.k[i * n..(i + 1) * n], &x[..n])));
            let size = correction.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
            if !(size < 0.5 * last) {
                break; // contradictory rows
            }
            last = size;
            self.solve_once(&mut correction);
            x.iter_mut().zip(&correction).for_each(|(x, c)| *x += c);
        }
        (self.residual, self.correction) = (residual, correction);
    }

    fn solve_once(&mut self, x: &mut [f64]) {
        if self.is_plain {
            return self.plain.solve(x);
        }
        let n = self.n;
        let f = &self.factor;
        if self.is_symmetric {
            for k in 0..n {
                x[k] *= self.inverse[k];
                let xk = x[k];
                x[k + 1..n].iter_mut().zip(&f[k * n + k + 1..]).for_each(|(y, u)| *y -= u * xk);
            }
            for k in (0..n).rev() {
                let s = inner(&f[k * n + k + 1..(k + 1) * n], &x[k + 1..n]);
                x[k] = (x[k] - s) * self.inverse[k];
            }
            return;
        }
        // rows in pivot order
        let mut y = core::mem::take(&mut self.inverse);
        let at = y.len();
        y.extend(self.order.iter().map(|i| x[*i as usize]));
        for i in 0..n {
            let s = inner(&f[i * n..i * n + i], &y[at..at + i]);
            y[at + i] -= s;
        }
        for i in (0..n).rev() {
            let s = inner(&f[i * n + i + 1..(i + 1) * n], &x[i + 1..n]);
            x[i] = (y[at + i] - s) * y[i];
        }
        y.truncate(at);
        self.inverse = y;
    }
}

/// Gaussian elimination with row pivots, in place; also stores the inverted diagonal.
#[multiversion(targets("x86_64+avx+avx2"))]
fn eliminate(f: &mut [f64], n: usize, order: &mut [u32], inverse: &mut [f64], least: f64) -> bool {
    for k in 0..n {
        let mut best = k;
        for i in k + 1..n {
            if f[i * n + k].abs() > f[best * n + k].abs() {
                best = i;
            }
        }
        if !(f[best * n + k].abs() > least && f[best * n + k].is_finite()) {
            return false;
        }
        if best != k {
            order.swap(k, best);
            let (head, tail) = f.split_at_mut(best * n);
            head[k * n..(k + 1) * n].swap_with_slice(&mut tail[..n]);
        }
        inverse[k] = 1.0 / f[k * n + k];
        let (head, tail) = f.split_at_mut((k + 1) * n);
        let pivot = &head[k * n + k + 1..(k + 1) * n];
        for row in tail.chunks_exact_mut(n).take(n - k - 1) {
            let factor = row[k] * inverse[k];
            row[k] = factor;
            if factor != 0.0 {
                row[k + 1..].iter_mut().zip(pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    true
}

#[inline(always)]
fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residual(k: &[f64], x: &[f64], r: &[f64]) -> f64 {
        let n = r.len();
        (0..n).map(|i| (inner(&k[i * n..(i + 1) * n], x) - r[i]).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn both_factors_solve() {
        let k = [4.0, 1.0, 0.5, 1.0, 3.0, -1.0, 0.5, -1.0, 2.0];
        let r = [1.0, 2.0, 3.0];
        let mut d = DenseSystem::default();
        for is_symmetric in [true, false] {
            d.matrix(3).copy_from_slice(&k);
            assert!(d.factor(is_symmetric));
            let mut x = r;
            d.solve(&mut x);
            assert!(residual(&k, &x, &r) < 1e-14);
        }
        let k = [0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 3.0, 1.0, 0.0];
        d.matrix(3).copy_from_slice(&k);
        assert!(d.factor(false));
        let mut x = r;
        d.solve(&mut x);
        assert!(residual(&k, &x, &r) < 1e-14);
    }

    #[test]
    fn redundant_rows_share_the_load() {
        let k = [2.0, 2.0, 2.0, 2.0];
        let mut d = DenseSystem::default();
        for is_symmetric in [true, false] {
            d.matrix(2).copy_from_slice(&k);
            assert!(d.factor(is_symmetric));
            let mut x = [1.0, 1.0];
            d.solve(&mut x);
            assert!((x[0] - 0.25).abs() < 1e-6 && (x[1] - 0.25).abs() < 1e-6, "{x:?}");
            assert!(residual(&k, &x, &[1.0, 1.0]) < 1e-12);
        }
    }
}
