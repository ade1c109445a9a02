//! A contact problem from outside, with a G of its own: sparse blocks of 3 by 3, points only.
//!
//! Computes  velocities u = W p + q of points under impulses, and their change under  p_c = r_c - H_c u_c:
//! (1 + H W) p = r, sparse where W is. Inside, rows are (v_x, v_y, v_z), z the normal.
//! Not here: checks of the problem and its merit (`friction_problem`).
//! Checked by: `tests/it/friction_problem.rs`.

use super::face::{Block, Six};
use crate::dense::Blocks;

/// A block of three rows.
pub(super) type Three = [[f64; 3]; 3];

/// A sparse G of points.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// first block of each row
    pub start: Vec<usize>,
    /// column and block, columns ascending; every row has its diagonal
    pub blocks: Vec<(u32, Three)>,
}

impl Given {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// From rows, columns and blocks in order.
    pub fn from_sorted(n: usize, blocks: impl Iterator<Item = (usize, u32, Three)>) -> Given {
        let mut given = Given { start: vec![0], blocks: Vec::new() };
        for (i, j, block) in blocks {
            while given.start.len() <= i {
                given.start.push(given.blocks.len());
            }
            given.blocks.push((j, block));
        }
        while given.start.len() <= n {
            given.start.push(given.blocks.len());
        }
        given
    }

    /// Blocks of a row.
    pub fn row(&self, i: usize) -> &[(u32, Three)] {
        &self.blocks[self.start[i]..self.start[i + 1]]
    }

    /// The block of a point alone.
    pub fn own(&self, i: usize) -> Block {
        let mut g = [[0.0; 6]; 6];
        for (_, block) in self.row(i).iter().filter(|b| b.0 as usize == i) {
            (0..3).for_each(|r| g[r][..3].copy_from_slice(&block[r]));
        }
        g
    }

    /// u := W p.
    pub fn respond(&self, p: &[Six], u: &mut [Six]) {
        for (i, u) in u.iter_mut().enumerate() {
            let mut sum = [0.0; 3];
            for (j, block) in self.row(i) {
                let p = &p[*j as usize];
                (0..3).for_each(|r| sum[r] += block[r][0] * p[0] + block[r][1] * p[1] + block[r][2] * p[2]);
            }
            *u = [sum[0], sum[1], sum[2], 0.0, 0.0, 0.0];
        }
    }

    /// Adds the rows of a point to 1 + H W.
    pub fn add(&self, to: &mut Blocks, i: usize, h: &Block) {
        for (j, w) in self.row(i) {
            let (block, _) = to.block(i, *j as usize);
            for r in 0..3 {
                for c in 0..3 {
                    block[3 * r + c] += h[r][0] * w[0][c] + h[r][1] * w[1][c] + h[r][2] * w[2][c];
                }
            }
        }
    }

    /// Velocities under impulses r - H u, by the factor of 1 + H W; `p` are those impulses.
    pub fn solve(&self, factor: &mut Blocks, p: &mut [f64], r: &[Six], u: &mut [Six]) {
        for (p, r) in p.chunks_exact_mut(3).zip(r) {
            p.copy_from_slice(&r[..3]);
        }
        factor.solve(p);
        for (i, u) in u.iter_mut().enumerate() {
            let mut sum = [0.0; 3];
            for (j, block) in self.row(i) {
                let p = &p[3 * *j as usize..][..3];
                (0..3).for_each(|r| sum[r] += block[r][0] * p[0] + block[r][1] * p[1] + block[r][2] * p[2]);
            }
            *u = [sum[0], sum[1], sum[2], 0.0, 0.0, 0.0];
        }
    }
}
