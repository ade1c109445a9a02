//! Large sparse systems of dense blocks: L U without pivots, nodes in the order of least degree.
//!
//! Computes  x with K x = r, where K has blocks for pairs of nodes (trees of a heap, groups of unknowns) and its
//! symmetric part is positive definite, so that no pivoting is needed.
//! Source: block elimination; minimum degree [GL1989].
//! We differ: exact degrees over rows of bits, as there are at most a few thousand nodes; zeros inside a block are
//! skipped, so that the branches of a tree, leaves first, cause no fill.
//! Not here: dependent rows (`low_rank`), small systems (`ldl`).
//! Cost: memory for the blocks of the factor; for one node n^3 2/3 operations at most.
//! Checked by: tests below.

use crate::algo::fit;
use multiversion::multiversion;

/// Least pivot, part of the diagonal before elimination: smaller ones are rounding. Solutions are refined by the callers.
const LOST: f64 = 1e-15;

/// A sparse matrix of blocks and its factor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// number of unknowns of each node, and coupled pairs of nodes, smaller first
    sizes: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    /// position of each node in the order of elimination, and the size at each position
    position: Vec<u32>,
    widths: Vec<usize>,
    /// first unknown of each node, and of each position
    first: Vec<usize>,
    begin: Vec<usize>,
    /// for each position its later neighbours: positions, and where U (row by row) and L are
    start: Vec<usize>,
    later: Vec<u32>,
    above: Vec<usize>,
    below: Vec<usize>,
    diagonal: Vec<usize>,
    values: Vec<f64>,
    inverse: Vec<f64>,
    x: Vec<f64>,
    /// whether rows inside a node are exchanged, and which took each place
    is_pivoted: bool,
    swaps: Vec<u32>,
    /// rows of bits of the graph, and degrees, while the order is sought
    bits: Vec<u64>,
    degree: Vec<u32>,
}

impl Blocks {
    /// Prepares for nodes of some sizes and coupled `pairs` of them, sorted and unique, the smaller node first.
    ///
    /// Nodes with `is_pivoted` may have any regular blocks on the diagonal: rows inside a node are exchanged.
    pub fn prepare(&mut self, sizes: &[u32], pairs: &[(u32, u32)], is_pivoted: bool) {
        self.is_pivoted = is_pivoted;
        if self.sizes == sizes && self.pairs == pairs {
            return;
        }
        self.sizes.clear();
        self.sizes.extend_from_slice(sizes);
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        let n = sizes.len();
        self.order();
        fit(&mut self.widths, n);
        fit(&mut self.diagonal, n);
        (0..n).for_each(|i| self.widths[self.position[i] as usize] = sizes[i] as usize);
        self.begin.clear();
        let mut sum = 0;
        for w in &self.widths {
            self.begin.push(sum);
            sum += w;
        }
        self.first.clear();
        let mut at = 0;
        for size in sizes {
            self.first.push(at);
            at += *size as usize;
        }
        fit(&mut self.inverse, sum);
        fit(&mut self.swaps, sum);
        fit(&mut self.x, sum);
        fit(&mut self.above, self.later.len());
        fit(&mut self.below, self.later.len());
        let mut at = 0;
        for k in 0..n {
            self.diagonal[k] = at;
            at += self.widths[k] * self.widths[k];
            for e in self.start[k]..self.start[k + 1] {
                let area = self.widths[k] * self.widths[self.later[e] as usize];
                (self.above[e], self.below[e]) = (at, at + area);
                at += 2 * area;
            }
        }
        fit(&mut self.values, at);
    }

    /// Order of least degree, and the neighbours eliminated later of each position.
    fn order(&mut self) {
        let n = self.sizes.len();
        let words = n.div_ceil(64);
        fit(&mut self.bits, n * words);
        self.bits.fill(0);
        fit(&mut self.position, n);
        self.position.fill(u32::MAX);
        fit(&mut self.degree, n);
        for &(a, b) in &self.pairs {
            let (a, b) = (a as usize, b as usize);
            self.bits[a * words + b / 64] |= 1 << (b % 64);
            self.bits[b * words + a / 64] |= 1 << (a % 64);
        }
        let count = |row: &[u64]| row.iter().map(|w| w.count_ones()).sum::<u32>();
        for i in 0..n {
            self.degree[i] = count(&self.bits[i * words..(i + 1) * words]);
        }
        self.start.clear();
        self.start.push(0);
        self.later.clear();
        for k in 0..n {
            let free = (0..n).filter(|i| self.position[*i] == u32::MAX);
            let Some(best) = free.min_by_key(|i| self.degree[*i]) else { break };
            self.position[best] = k as u32;
            let from = self.later.len();
            for w in 0..words {
                let mut word = self.bits[best * words + w];
                while word != 0 {
                    self.later.push((64 * w) as u32 + word.trailing_zeros());
                    word &= word - 1;
                }
            }
            for e in from..self.later.len() {
                let i = self.later[e] as usize;
                for w in 0..words {
                    self.bits[i * words + w] |= self.bits[best * words + w];
                }
                self.bits[i * words + best / 64] &= !(1 << (best % 64));
                self.bits[i * words + i / 64] &= !(1 << (i % 64));
                self.degree[i] = count(&self.bits[i * words..(i + 1) * words]);
            }
            self.start.push(self.later.len());
        }
        for k in 0..n {
            let own = &mut self.later[self.start[k]..self.start[k + 1]];
            own.iter_mut().for_each(|i| *i = self.position[*i as usize]);
            own.sort_unstable();
        }
    }

    /// Number of unknowns.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Sets the matrix to the identity.
    pub fn set_identity(&mut self) {
        self.values.fill(0.0);
        for (at, w) in self.diagonal.iter().zip(&self.widths) {
            (0..*w).for_each(|i| self.values[at + i * (w + 1)] = 1.0);
        }
    }

    /// The block of two coupled nodes, row by row, and the number of its columns.
    #[inline(always)]
    pub fn block(&mut self, row: usize, column: usize) -> (&mut [f64], usize) {
        let (i, j) = (self.position[row] as usize, self.position[column] as usize);
        let at = match i.cmp(&j) {
            core::cmp::Ordering::Equal => self.diagonal[i],
            core::cmp::Ordering::Less => self.above[self.edge(i, j)],
            core::cmp::Ordering::Greater => self.below[self.edge(j, i)],
        };
        let (rows, columns) = (self.widths[i], self.widths[j]);
        (&mut self.values[at..at + rows * columns], columns)
    }

    /// Where the later neighbour `j` of position `i` is listed.
    #[inline(always)]
    fn edge(&self, i: usize, j: usize) -> usize {
        let own = &self.later[self.start[i]..self.start[i + 1]];
        self.start[i] + own.binary_search(&(j as u32)).expect("only coupled nodes have blocks")
    }

    /// Factors the matrix in place; false if it is not finite.
    pub fn factor(&mut self) -> bool {
        factor(self)
    }

    /// x := K^-1 x.
    pub fn solve(&mut self, x: &mut [f64]) {
        for (i, size) in self.sizes.iter().enumerate() {
            let (from, to, n) = (self.first[i], self.begin[self.position[i] as usize], *size as usize);
            self.x[to..to + n].copy_from_slice(&x[from..from + n]);
        }
        substitute(self);
        for (i, size) in self.sizes.iter().enumerate() {
            let (to, from, n) = (self.first[i], self.begin[self.position[i] as usize], *size as usize);
            x[to..to + n].copy_from_slice(&self.x[from..from + n]);
        }
    }
}

#[multiversion(targets("x86_64+avx+avx2"))]
fn factor(m: &mut Blocks) -> bool {
    for k in 0..m.widths.len() {
        let n = m.widths[k];
        let (head, tail) = m.values.split_at_mut(m.diagonal[k] + n * n);
        let pivot = &mut head[m.diagonal[k]..];
        let inverse = &mut m.inverse[m.begin[k]..m.begin[k] + n];
        let swaps = if m.is_pivoted { Some(&mut m.swaps[m.begin[k]..m.begin[k] + n]) } else { None };
        if !eliminate(pivot, n, inverse, swaps) {
            return false;
        }
        let base = m.diagonal[k] + n * n;
        for e in m.start[k]..m.start[k + 1] {
            let w = m.widths[m.later[e] as usize];
            let area = n * w;
            let above = &mut tail[m.above[e] - base..][..area];
            if m.is_pivoted {
                for (i, j) in m.swaps[m.begin[k]..m.begin[k] + n].iter().enumerate() {
                    swap_rows(above, w, i, *j as usize);
                }
            }
            lower(pivot, n, above, w);
            upper(pivot, n, inverse, &mut tail[m.below[e] - base..][..area]);
        }
        for e in m.start[k]..m.start[k + 1] {
            let i = m.later[e] as usize;
            for f in m.start[k]..m.start[k + 1] {
                let j = m.later[f] as usize;
                let to = match i.cmp(&j) {
                    core::cmp::Ordering::Equal => m.diagonal[i],
                    core::cmp::Ordering::Less => m.above[m.edge(i, j)],
                    core::cmp::Ordering::Greater => m.below[m.edge(j, i)],
                };
                let (rows, columns) = (m.widths[i], m.widths[j]);
                let (own, rest) = m.values.split_at_mut(to);
                subtract_product(
                    &mut rest[..rows * columns],
                    &own[m.below[e]..m.below[e] + rows * n],
                    &own[m.above[f]..m.above[f] + n * columns],
                    n,
                    columns,
                );
            }
        }
    }
    true
}

/// L U of a dense block in place; L has a unit diagonal.
#[inline(always)]
fn eliminate(a: &mut [f64], n: usize, inverse: &mut [f64], mut swaps: Option<&mut [u32]>) -> bool {
    for k in 0..n {
        inverse[k] = a[k * (n + 1)].abs(); // before elimination
    }
    for k in 0..n {
        if let Some(swaps) = swaps.as_deref_mut() {
            let size = |i: usize| a[i * n + k].abs();
            let best = (k..n).fold(k, |b, i| if size(i) > size(b) { i } else { b });
            swaps[k] = best as u32;
            swap_rows(a, n, k, best);
        }
        let (head, tail) = a.split_at_mut((k + 1) * n);
        let row = &head[k * n..];
        let pivot = row[k];
        if !pivot.is_finite() {
            return false;
        }
        let least = LOST * inverse[k];
        inverse[k] = 1.0 / if pivot.abs() > least { pivot } else { least };
        for below in tail.chunks_exact_mut(n) {
            if below[k] != 0.0 {
                let f = below[k] * inverse[k];
                below[k] = f;
                below[k + 1..].iter_mut().zip(&row[k + 1..]).for_each(|(x, u)| *x -= f * u);
            }
        }
    }
    true
}

/// Exchanges two rows of `w` entries.
#[inline(always)]
fn swap_rows(a: &mut [f64], w: usize, i: usize, j: usize) {
    if i != j {
        let (head, tail) = a.split_at_mut(i.max(j) * w);
        head[i.min(j) * w..][..w].swap_with_slice(&mut tail[..w]);
    }
}

/// B := L^-1 B for `w` columns.
#[inline(always)]
fn lower(a: &[f64], n: usize, b: &mut [f64], w: usize) {
    for i in 1..n {
        let (head, tail) = b.split_at_mut(i * w);
        let row = &mut tail[..w];
        for (j, above) in head.chunks_exact(w).enumerate() {
            let f = a[i * n + j];
            if f != 0.0 {
                row.iter_mut().zip(above).for_each(|(x, y)| *x -= f * y);
            }
        }
    }
}

/// B := B U^-1, row by row.
#[inline(always)]
fn upper(a: &[f64], n: usize, inverse: &[f64], b: &mut [f64]) {
    for row in b.chunks_exact_mut(n) {
        for k in 0..n {
            if row[k] != 0.0 {
                let f = row[k] * inverse[k];
                row[k] = f;
                row[k + 1..].iter_mut().zip(&a[k * n + k + 1..(k + 1) * n]).for_each(|(x, u)| *x -= f * u);
            }
        }
    }
}

/// C -= A B with `n` columns of A and `w` of B and C.
#[inline(always)]
fn subtract_product(c: &mut [f64], a: &[f64], b: &[f64], n: usize, w: usize) {
    for (row, a) in c.chunks_exact_mut(w).zip(a.chunks_exact(n)) {
        for (f, b) in a.iter().zip(b.chunks_exact(w)) {
            if *f != 0.0 {
                row.iter_mut().zip(b).for_each(|(x, y)| *x -= f * y);
            }
        }
    }
}

#[multiversion(targets("x86_64+avx+avx2"))]
fn substitute(m: &mut Blocks) {
    let count = m.widths.len();
    for k in 0..count {
        let n = m.widths[k];
        let a = &m.values[m.diagonal[k]..m.diagonal[k] + n * n];
        let (head, rest) = m.x.split_at_mut(m.begin[k] + n);
        let x = &mut head[m.begin[k]..];
        if m.is_pivoted {
            let swaps = &m.swaps[m.begin[k]..m.begin[k] + n];
            swaps.iter().enumerate().for_each(|(i, j)| x.swap(i, *j as usize));
        }
        for i in 1..n {
            let s = inner(&a[i * n..i * n + i], &x[..i]);
            x[i] -= s;
        }
        for e in m.start[k]..m.start[k + 1] {
            let j = m.later[e] as usize;
            let l = &m.values[m.below[e]..m.below[e] + n * m.widths[j]];
            let to = &mut rest[m.begin[j] - m.begin[k] - n..][..m.widths[j]];
            to.iter_mut().zip(l.chunks_exact(n)).for_each(|(y, l)| *y -= inner(l, x));
        }
    }
    for k in (0..count).rev() {
        let n = m.widths[k];
        let (head, rest) = m.x.split_at_mut(m.begin[k] + n);
        let x = &mut head[m.begin[k]..];
        for e in m.start[k]..m.start[k + 1] {
            let j = m.later[e] as usize;
            let w = m.widths[j];
            let u = &m.values[m.above[e]..m.above[e] + n * w];
            let from = &rest[m.begin[j] - m.begin[k] - n..][..w];
            x.iter_mut().zip(u.chunks_exact(w)).for_each(|(y, u)| *y -= inner(u, from));
        }
        let a = &m.values[m.diagonal[k]..m.diagonal[k] + n * n];
        for i in (0..n).rev() {
            let s = inner(&a[i * n + i + 1..(i + 1) * n], &x[i + 1..]);
            x[i] = (x[i] - s) * m.inverse[m.begin[k] + i];
        }
    }
}

#[inline(always)]
fn inner(a: &[f64], b: &[f64]) -> f64 {
    let (a4, a1) = a.as_chunks::<4>();
    let (b4, b1) = b.as_chunks::<4>();
    let mut sum = [0.0; 4];
    for (x, y) in a4.iter().zip(b4) {
        (0..4).for_each(|i| sum[i] += x[i] * y[i]);
    }
    let rest: f64 = a1.iter().zip(b1).map(|(x, y)| x * y).sum();
    (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    #[test]
    fn heaps_of_blocks_are_solved() {
        let mut seed = 3;
        let mut m = Blocks::default();
        for (nodes, is_pivoted) in [(1, false), (2, true), (5, false), (12, true), (12, false)] {
            let sizes: Vec<u32> = (0..nodes).map(|i| 1 + (i * 5 % 7)).collect();
            let mut pairs = Vec::new();
            for a in 0..nodes {
                for b in a + 1..nodes {
                    if b == a + 1 || next(&mut seed) > 0.2 {
                        pairs.push((a, b));
                    }
                }
            }
            m.prepare(&sizes, &pairs, is_pivoted);
            m.set_identity();
            let n = m.len();
            let first: Vec<usize> =
                sizes.iter().scan(0, |sum, s| Some(core::mem::replace(sum, *sum + *s as usize))).collect();
            let mut full = vec![0.0; n * n];
            for (a, b) in (0..nodes).map(|i| (i, i)).chain(pairs.iter().flat_map(|p| [*p, (p.1, p.0)])) {
                let (a, b) = (a as usize, b as usize);
                let (block, width) = m.block(a, b);
                for (k, x) in block.iter_mut().enumerate() {
                    *x += 0.3 * next(&mut seed) + if a == b && k % (width + 1) == 0 { 5.0 } else { 0.0 };
                    full[(first[a] + k / width) * n + first[b] + k % width] = *x;
                }
            }
            let x: Vec<f64> = (0..n).map(|_| next(&mut seed)).collect();
            let mut r: Vec<f64> = (0..n).map(|i| inner(&full[i * n..(i + 1) * n], &x)).collect();
            assert!(m.factor());
            m.solve(&mut r);
            assert!(r.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-13));
        }
    }
}
