//! Factor of the mass matrix along the branches of the tree, and solves with it.
//!
//! Computes  M = L^T D L  with unit L, in place; L has the branch-sparsity of M, so nothing fills in.
//! Source: [F2008 §6.5].
//! We differ: rows of paths (`crba::PathMatrix`) instead of a dense array; 1/D is kept instead of D.
//! Not here: forward dynamics (`aba` is faster); this is for where M itself is wanted.
//! Cost: 3228 flops and 2496 bytes of work for human28, 4858 and 3408 for human42, without solves (`flops`).
//! Checked by: `tests/it/trees.rs` (against ABA), tests of a dense Cholesky.

use super::crba::PathMatrix;
use crate::error::Error;
use crate::model::Forest;
use crate::spatial::Real;

/// The factor of a mass matrix.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    packed: Vec<f64>,
}

impl Factor {
    /// Factors `m`.
    ///
    /// # Errors
    /// A pivot that is not positive: some joint moves no inertia.
    pub fn compute(&mut self, forest: &Forest, m: &PathMatrix) -> Result<(), Error> {
        self.packed.clear();
        self.packed.extend_from_slice(&m.packed);
        kernel(forest, &mut self.packed)
    }

    /// x := M^-1 x.
    pub fn solve(&self, forest: &Forest, x: &mut [f64]) {
        self.solve_lower_transposed(forest, x);
        self.solve_diagonal_lower(forest, x);
    }

    /// x := L^-T x, from the leaves to the roots.
    pub fn solve_lower_transposed(&self, forest: &Forest, x: &mut [f64]) {
        for k in (0..forest.nv()).rev() {
            let xk = x[k];
            let mut ancestor = forest.dof_parent[k];
            for l in self.off_diagonal(forest, k).iter().rev() {
                x[ancestor as usize - 1] -= l * xk;
                ancestor = forest.dof_parent[ancestor as usize - 1];
            }
        }
    }

    /// x := L^-1 D^-1 x, from the roots to the leaves.
    pub fn solve_diagonal_lower(&self, forest: &Forest, x: &mut [f64]) {
        for k in 0..forest.nv() {
            let mut s = x[k] * self.packed[forest.row[k + 1] as usize - 1];
            let mut ancestor = forest.dof_parent[k];
            for l in self.off_diagonal(forest, k).iter().rev() {
                s -= l * x[ancestor as usize - 1];
                ancestor = forest.dof_parent[ancestor as usize - 1];
            }
            x[k] = s;
        }
    }

    fn off_diagonal(&self, forest: &Forest, k: usize) -> &[f64] {
        &self.packed[forest.row[k] as usize..forest.row[k + 1] as usize - 1]
    }
}

/// M in, L and 1/D out.
#[inline(always)]
pub(super) fn kernel<T: Real>(forest: &Forest, packed: &mut [T]) -> Result<(), Error> {
    let (row, up) = (&forest.row, &forest.dof_parent);
    for k in (0..forest.nv()).rev() {
        let n = (row[k + 1] - row[k]) as usize;
        let (head, tail) = packed.split_at_mut(row[k] as usize);
        let own = &mut tail[..n];
        let mut pivots = (0..T::LANES).map(|lane| own[n - 1].lane(lane));
        if let Some(pivot) = pivots.find(|d| !(*d > 0.0)) {
            return Err(Error::NonPositivePivot { index: k, pivot });
        }
        let d_inv = own[n - 1].recip();
        own[n - 1] = d_inv;
        let mut ancestor = up[k];
        for i in (0..n - 1).rev() {
            let l = own[i] * d_inv;
            let start = row[ancestor as usize - 1] as usize;
            for (y, x) in head[start..=start + i].iter_mut().zip(&own[..=i]) {
                *y -= *x * l;
            }
            own[i] = l;
            ancestor = up[ancestor as usize - 1];
        }
    }
    Ok(())
}
