//! Symmetric positive definite systems of a few dozen rows: G = W^T D^-1 W, rows of W in packs of lanes.
//!
//! Computes  x = G^-1 r  for well-conditioned G; reports small pivots.
//! Source: left-looking elimination without square roots; textbook.
//! We differ: a row is whole packs, zero up to the diagonal and beyond the matrix, so that no loop has a remainder; up
//! to sixteen rows the current row stays in registers, and even and odd eliminations accumulate separately to shorten
//! the dependency chain.
//! Not here: dependent rows (`low_rank`).
//! Cost: n^3 / 6 multiplications and as many subtractions, a quarter of that many instructions.
//! Checked by: tests below, against the plain form; `tests/it/constraint.rs`.

use crate::algo::fit;
use crate::spatial::{LANES, Lanes, Real};
use multiversion::multiversion;

/// All bits of the lanes from a number on.
const FROM: [[u64; LANES]; LANES + 1] =
    [[!0, !0, !0, !0], [0, !0, !0, !0], [0, 0, !0, !0], [0, 0, 0, !0], [0, 0, 0, 0]];

/// Row stride of a symmetric matrix of `n` rows: blocks are written in whole packs, and entries beyond the last column
/// are never read. Only the upper triangle counts.
#[inline(always)]
pub(crate) const fn stride(n: usize) -> usize {
    (n + 2 * LANES - 1).next_multiple_of(LANES)
}

/// The factor of a positive definite matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ldl {
    n: usize,
    /// strictly upper factor, by rows of packs
    w: Vec<Lanes>,
    /// one over the pivots, D^-1
    inverse: Vec<f64>,
    x: Vec<[f64; LANES]>,
}

impl Ldl {
    /// Factors the `n` by `n` matrix `g`, rows [`stride`] apart; false as soon as a pivot is not larger than `least`.
    /// A right-hand side `r` (empty for none) is eliminated along with it, for [`Ldl::solution`].
    pub fn factor(&mut self, g: &[f64], n: usize, least: f64, r: &[f64]) -> bool {
        self.n = n;
        let packs = n.div_ceil(LANES);
        fit(&mut self.w, n * packs);
        fit(&mut self.inverse, n);
        fit(&mut self.x, packs);
        self.x.fill([0.0; LANES]);
        self.x.as_flattened_mut()[..r.len()].copy_from_slice(r);
        factor(self, g, least)
    }

    /// x := G^-1 r, with the right-hand side given to [`Ldl::factor`].
    pub fn solution(&mut self, x: &mut [f64]) {
        x[..self.n].copy_from_slice(&self.x.as_flattened()[..self.n]);
        back(self, x);
    }

    /// x := G^-1 x.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.x.as_flattened_mut()[..self.n].copy_from_slice(&x[..self.n]);
        for (k, (row, inverse)) in self.w.chunks_exact(self.x.len().max(1)).zip(&self.inverse).enumerate() {
            let first = k / LANES;
            let f = self.x[first][k % LANES] * inverse;
            self.x[first..].iter_mut().zip(&row[first..]).for_each(|(y, w)| *y = (Lanes(*y) - w.scale(f)).0);
        }
        self.solution(x);
    }
}

#[multiversion(targets("x86_64+avx+avx2"))]
fn factor(ldl: &mut Ldl, g: &[f64], least: f64) -> bool {
    let packs = ldl.n.div_ceil(LANES);
    match packs {
        1 => factor_few::<1>(ldl, g, least),
        2 => factor_few::<2>(ldl, g, least),
        3 => factor_few::<3>(ldl, g, least),
        4 => factor_few::<4>(ldl, g, least),
        _ => factor_many(ldl, g, least, packs),
    }
}

/// Rows of `P` packs.
#[inline(always)]
fn factor_few<const P: usize>(ldl: &mut Ldl, g: &[f64], least: f64) -> bool {
    let (rows, _) = ldl.w.as_chunks_mut::<P>();
    let mut x = [Lanes::default(); P];
    for p in 0..P {
        x[p] = Lanes(ldl.x[p]);
    }
    for k in 0..ldl.n {
        let (above, below) = rows.split_at_mut(k);
        let (own, _) = g[k * stride(ldl.n)..].as_chunks::<LANES>();
        let (mut even, mut odd) = ([Lanes::default(); P], [Lanes::default(); P]);
        for p in 0..P {
            even[p] = Lanes(own[p]);
        }
        let (pairs, last) = above.as_chunks::<2>();
        let (inverse, _) = ldl.inverse.as_chunks::<2>();
        for ([first, second], inverse) in pairs.iter().zip(inverse) {
            let (f, h) = (entry(first, k) * inverse[0], entry(second, k) * inverse[1]);
            for p in 0..P {
                even[p] -= first[p].scale(f);
                odd[p] -= second[p].scale(h);
            }
        }
        if let [last] = last {
            let f = entry(last, k) * ldl.inverse[k - 1];
            for p in 0..P {
                even[p] -= last[p].scale(f);
            }
        }
        for p in 0..P {
            even[p] += odd[p];
        }
        below[0] = even;
        let Some(inverse) = take_pivot(&mut below[0], k, ldl.n, least) else { return false };
        ldl.inverse[k] = inverse;
        let f = entry(&x, k) * inverse;
        for p in 0..P {
            x[p] -= below[0][p].scale(f);
        }
    }
    for p in 0..P {
        ldl.x[p] = x[p].0;
    }
    true
}

/// Rows of any length.
#[inline(always)]
fn factor_many(ldl: &mut Ldl, g: &[f64], least: f64, packs: usize) -> bool {
    for k in 0..ldl.n {
        let (above, below) = ldl.w.split_at_mut(k * packs);
        let row = &mut below[..packs];
        let (own, _) = g[k * stride(ldl.n)..].as_chunks::<LANES>();
        row.iter_mut().zip(own).for_each(|(w, g)| *w = Lanes(*g));
        let first = k / LANES;
        for (other, inverse) in above.chunks_exact(packs).zip(&ldl.inverse) {
            let f = entry(other, k) * inverse;
            row[first..].iter_mut().zip(&other[first..]).for_each(|(w, o)| *w -= o.scale(f));
        }
        let Some(inverse) = take_pivot(row, k, ldl.n, least) else { return false };
        ldl.inverse[k] = inverse;
        let f = ldl.x[first][k % LANES] * inverse;
        ldl.x.iter_mut().zip(&*row).for_each(|(x, w)| *x = (Lanes(*x) - w.scale(f)).0);
    }
    true
}

/// Number `k` of a row.
#[inline(always)]
fn entry(row: &[Lanes], k: usize) -> f64 {
    row[k / LANES].0[k % LANES]
}

/// Inverse pivot of row `k`; zeroes the row outside the factor.
#[inline(always)]
fn take_pivot(row: &mut [Lanes], k: usize, n: usize, least: f64) -> Option<f64> {
    let pivot = entry(row, k);
    row[..k / LANES].fill(Lanes::default());
    row[k / LANES] = row[k / LANES].masked(&FROM[k % LANES + 1]);
    if !n.is_multiple_of(LANES) {
        let before = FROM[n % LANES].map(|bits| !bits);
        row[n / LANES] = row[n / LANES].masked(&before);
    }
    (pivot > least).then(|| 1.0 / pivot)
}

/// x := D^-1 x, then the rows of W from last to first, by column updates to shorten the dependency chain.
#[inline(always)]
fn back(ldl: &Ldl, x: &mut [f64]) {
    let packs = ldl.x.len();
    for k in (0..ldl.n).rev() {
        x[k] *= ldl.inverse[k];
        let known = x[k];
        let column = ldl.w[k / LANES..].iter().step_by(packs);
        x[..k].iter_mut().zip(column).for_each(|(x, w)| *x -= w.0[k % LANES] * known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A well-conditioned matrix of size `n`, with the factor's row stride.
    fn well_conditioned(n: usize) -> Vec<f64> {
        let mut g = vec![f64::NAN; n * stride(n)]; // the lower triangle is never used
        for i in 0..n {
            for j in i..n {
                g[i * stride(n) + j] =
                    1.0 / (1.0 + (i as f64 - j as f64).abs()) + if i == j { 1.0 } else { 0.0 };
            }
        }
        g
    }

    #[test]
    fn solves_matrices_of_every_size() {
        for n in 0..40 {
            let g = well_conditioned(n);
            let wanted: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            let at = |i: usize, j: usize| g[i.min(j) * stride(n) + i.max(j)];
            let mut x: Vec<f64> = (0..n).map(|i| (0..n).map(|j| at(i, j) * wanted[j]).sum()).collect();
            let mut f = Ldl::default();
            assert!(f.factor(&g, n, 1e-9, &x));
            let mut beside = vec![0.0; n];
            f.solution(&mut beside);
            f.solve(&mut x);
            assert_eq!(x, beside, "{n} rows: beside the factor and after it");
            let worst = x.iter().zip(&wanted).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(worst < 1e-13, "{n} rows: {worst}");
        }
    }

    #[test]
    fn reports_nearly_singular_matrices() {
        for n in [2, 7, 16, 23] {
            let mut g = well_conditioned(n);
            // the last row is the first one
            for i in 1..n - 1 {
                g[i * stride(n) + n - 1] = g[i];
            }
            (g[n - 1], g[(n - 1) * stride(n) + n - 1]) = (g[0], g[0]);
            assert!(!Ldl::default().factor(&g, n, 1e-9, &[]), "{n} rows");
        }
    }
}
