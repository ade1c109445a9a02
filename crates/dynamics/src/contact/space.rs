//! The velocities of one island of contacts, in coordinates of unit mass: where its large systems are solved.
//!
//! Computes  with s the coordinates, u_c = z_c^T s the velocities of contact c and s = sum z_c p_c those under impulses:
//! the change of velocities under  p_c = r_c - H_c u_c,  from  (1 + sum z_c H_c z_c^T) s = sum z_c r_c,  H_c any 6 by 6
//! block. A matrix of the size of the figures' degrees of freedom, however many contacts; sparse between trees.
//! Source: velocity-space Newton systems as in [CPH2022] and [TET2012]; for us M is 1, by `reach`.
//! Checked by: `tests/it/contact_solver.rs`, `tests/it/friction_problem.rs`.

use super::face::{Block, Six};
use super::given::Given;
use super::reach::Reach;
use crate::algo::fit;
use crate::dense::Blocks;
use crate::model::Forest;
use crate::spatial::{LANES, Lanes, Real};
use multiversion::multiversion;

/// Pivots of G below this part of its largest diagonal entry are rounding.
const DEPENDENT: f64 = 1e-13;
/// Most coordinates of a contact that are multiplied at once.
const PACK: usize = LANES;

/// Six rows of a contact on one coordinate, and zeros.
type Row = [Lanes; 2];

/// Coordinates of an island.
#[derive(Clone, Debug, Default)]
pub(super) struct Space {
    blocks: Blocks,
    /// degrees of freedom of each node (a tree), and its first coordinate
    sizes: Vec<u32>,
    first: Vec<usize>,
    pairs: Vec<(u32, u32)>,
    /// of each contact: first entry, entry where its second node begins, and its nodes
    start: Vec<usize>,
    split: Vec<usize>,
    nodes: Vec<[u32; 2]>,
    /// coordinate inside its node, and unit impulses on it
    place: Vec<u32>,
    z: Vec<Row>,
    /// coordinates of a vector
    s: Vec<f64>,
    /// z by packs of coordinates of one node, and the first pack of each contact
    packs: Vec<[Lanes; 6]>,
    first_pack: Vec<usize>,
    /// H z^T of a contact, by packs
    product: Vec<[Lanes; 6]>,
    /// work of the factor of a given G
    left: Vec<f64>,
    /// a given sparse G instead of coordinates
    given: Option<Given>,
}

impl Space {
    /// Takes over the contacts `members` of an island from their reach. `first_dof` gives the first degree of freedom of
    /// each of its `trees` (roots, ascending), and its number of them.
    pub fn load(
        &mut self,
        forest: &Forest,
        roots: &[u32],
        reach: &Reach,
        skip: usize,
        members: &[u32],
        trees: &[u32],
    ) {
        self.clear();
        for tree in trees {
            let root = *tree as usize;
            let bodies = &forest.bodies()[root..];
            let same = roots[root..].iter().take_while(|r| **r == *tree).count();
            self.add_node(bodies[..same].iter().map(|b| b.joint.nv() as u32).sum());
        }
        for &c in members {
            let parts = reach.of(skip + c as usize);
            let mut nodes = [u32::MAX; 2];
            let mut split = None;
            let mut of_tree = (u32::MAX, 0, 0);
            for (k, part) in parts.iter().enumerate() {
                let tree = roots[part.body as usize];
                if of_tree.0 != tree {
                    let node = trees.binary_search(&tree).expect("an island holds the trees of its contacts");
                    let last = forest.bodies()[tree as usize].iv + self.sizes[node] - 1;
                    of_tree = (tree, node as u32, last);
                    if k > 0 {
                        split = Some(self.z.len());
                    }
                    nodes[usize::from(k > 0)] = node as u32;
                }
                // leaves first, so that elimination follows the branches
                self.place.push(of_tree.2 - part.dof);
                self.z.push(part.z);
            }
            self.close(nodes, split);
        }
        self.finish();
    }

    /// Takes over a given G, row by row of blocks, by its factor: one node of as many coordinates as G has rank.
    pub fn load_dense(&mut self, g: &[Block], contacts: usize) {
        self.clear();
        let m = 6 * contacts;
        let entry = |r: usize, c: usize| g[(r / 6) * contacts + c / 6][r % 6][c % 6];
        fit(&mut self.left, 0);
        self.left.extend((0..m).map(|i| entry(i, i)));
        let least = DEPENDENT * self.left.iter().fold(0.0_f64, |m, x| m.max(*x));
        // z by coordinate, then by row
        fit(&mut self.s, 0);
        let mut rank = 0;
        while rank < m {
            let best = (0..m).fold(0, |b, i| if self.left[i] > self.left[b] { i } else { b });
            if !(self.left[best] > least) {
                break;
            }
            let pivot = self.left[best].sqrt();
            for i in 0..m {
                let mut x = entry(best, i);
                (0..rank).for_each(|k| x -= self.s[k * m + best] * self.s[k * m + i]);
                self.s.push(x / pivot);
            }
            for i in 0..m {
                let z = self.s[rank * m + i];
                self.left[i] -= z * z;
            }
            self.left[best] = 0.0;
            rank += 1;
        }
        self.add_node(rank as u32);
        for c in 0..contacts {
            for k in 0..rank {
                let row = |r: usize| if r < 6 { self.s[k * m + 6 * c + r] } else { 0.0 };
                self.place.push(k as u32);
                self.z.push([Lanes([row(0), row(1), row(2), row(3)]), Lanes([row(4), row(5), 0.0, 0.0])]);
            }
            self.close([0, u32::MAX], None);
        }
        self.finish();
    }

    /// Takes over a given sparse G: the unknowns are impulses then.
    pub fn load_given(&mut self, given: Given) {
        self.clear();
        (0..given.len()).for_each(|_| self.add_node(3));
        for (i, row) in given.start.windows(2).enumerate() {
            let later = given.blocks[row[0]..row[1]].iter().map(|b| b.0).filter(|j| *j as usize > i);
            self.pairs.extend(later.map(|j| (i as u32, j)));
        }
        let len = self.len();
        fit(&mut self.s, len);
        self.blocks.prepare(&self.sizes, &self.pairs, true);
        self.given = Some(given);
    }

    fn clear(&mut self) {
        self.given = None;
        self.sizes.clear();
        self.first.clear();
        self.pairs.clear();
        self.start.clear();
        self.start.push(0);
        self.split.clear();
        self.nodes.clear();
        self.place.clear();
        self.z.clear();
        self.packs.clear();
        self.first_pack.clear();
    }

    fn add_node(&mut self, size: u32) {
        self.first.push(self.len());
        self.sizes.push(size);
    }

    fn len(&self) -> usize {
        self.first.last().map_or(0, |f| f + self.sizes[self.first.len() - 1] as usize)
    }

    fn close(&mut self, nodes: [u32; 2], split: Option<usize>) {
        let (from, to) = (self.start[self.nodes.len()], self.z.len());
        self.first_pack.push(self.packs.len());
        for z in [&self.z[from..split.unwrap_or(to)], &self.z[split.unwrap_or(to)..to]] {
            for four in z.chunks(PACK) {
                let entry = |l: usize, r: usize| four.get(l).map_or(0.0, |z| z[r / 4].0[r % 4]);
                let row = |r: usize| Lanes([entry(0, r), entry(1, r), entry(2, r), entry(3, r)]);
                self.packs.push(core::array::from_fn(row));
            }
        }
        self.start.push(to);
        self.split.push(split.unwrap_or(to));
        self.nodes.push(nodes);
        if split.is_some() {
            self.pairs.push((nodes[0].min(nodes[1]), nodes[0].max(nodes[1])));
        }
    }

    fn finish(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let len = self.len();
        fit(&mut self.s, len);
        self.blocks.prepare(&self.sizes, &self.pairs, false);
    }

    /// Begins the matrix 1 + sum z H z^T.
    pub fn begin(&mut self) {
        self.blocks.set_identity();
    }

    /// Adds a contact's H to the matrix.
    pub fn add(&mut self, contact: usize, h: &Block) {
        match &self.given {
            Some(given) => given.add(&mut self.blocks, contact, h),
            None => add(self, contact, h),
        }
    }

    /// Factors the matrix; false if that fails.
    pub fn factor(&mut self) -> bool {
        self.blocks.factor()
    }

    /// Solves for the velocities `u` of the contacts under impulses r - H u.
    pub fn solve(&mut self, r: &[Six], u: &mut [Six]) {
        if let Some(given) = &self.given {
            given.solve(&mut self.blocks, &mut self.s, r, u);
            return;
        }
        collect(self, r);
        self.blocks.solve(&mut self.s);
        spread(self, u);
    }

    /// Velocities of all contacts under impulses.
    pub fn respond(&mut self, p: &[Six], u: &mut [Six]) {
        if let Some(given) = &self.given {
            given.respond(p, u);
            return;
        }
        collect(self, p);
        spread(self, u);
    }

    /// A contact's own block of G.
    pub fn own(&self, contact: usize) -> Block {
        if let Some(given) = &self.given {
            return given.own(contact);
        }
        let mut g = [[0.0; 6]; 6];
        for z in &self.z[self.start[contact]..self.start[contact + 1]] {
            for r in 0..6 {
                let k = z[r / 4].0[r % 4];
                for c in r..6 {
                    g[r][c] += k * z[c / 4].0[c % 4];
                }
            }
        }
        for r in 1..6 {
            (0..r).for_each(|c| g[r][c] = g[c][r]);
        }
        g
    }
}

/// s := sum z p.
#[multiversion(targets("x86_64+avx+avx2"))]
fn collect(space: &mut Space, p: &[Six]) {
    space.s.fill(0.0);
    for (c, p) in p.iter().enumerate() {
        if *p == [0.0; 6] {
            continue;
        }
        let [a, b, d, e, f, g] = *p;
        let (low, high) = (Lanes([a, b, d, e]), Lanes([f, g, 0.0, 0.0]));
        for (range, node) in space.segments(c) {
            let first = space.first[node];
            for k in range {
                let z = &space.z[k];
                space.s[first + space.place[k] as usize] += (z[0] * low + z[1] * high).total();
            }
        }
    }
}

/// u_c := z_c^T s.
#[multiversion(targets("x86_64+avx+avx2"))]
fn spread(space: &Space, u: &mut [Six]) {
    for (c, u) in u.iter_mut().enumerate() {
        let mut sum = Row::default();
        for (range, node) in space.segments(c) {
            let first = space.first[node];
            for k in range {
                let s = space.s[first + space.place[k] as usize];
                (sum[0], sum[1]) = (sum[0] + space.z[k][0].scale(s), sum[1] + space.z[k][1].scale(s));
            }
        }
        let ([a, b, c, d], [e, f, ..]) = (sum[0].0, sum[1].0);
        *u = [a, b, c, d, e, f];
    }
}

impl Space {
    /// Entries of a contact by node.
    #[inline(always)]
    fn segments(&self, c: usize) -> impl Iterator<Item = (core::ops::Range<usize>, usize)> + use<> {
        let (from, split, to) = (self.start[c], self.split[c], self.start[c + 1]);
        let [a, b] = self.nodes[c];
        let both = [(from..split, a as usize), (split..to, b as usize)];
        both.into_iter().filter(|(range, _)| !range.is_empty())
    }
}

/// Adds z H z^T of a contact.
#[multiversion(targets("x86_64+avx+avx2"))]
fn add(space: &mut Space, c: usize, h: &Block) {
    let (from, split, to) = (space.start[c], space.split[c], space.start[c + 1]);
    let [a, b] = space.nodes[c];
    let Space { product, packs, first_pack, z, place, blocks, .. } = space;
    let mut next = first_pack[c];
    for (columns, column_node) in [(from..split, a), (split..to, b)] {
        let count = columns.len().div_ceil(PACK);
        if count == 0 {
            continue;
        }
        product.clear();
        for z in &packs[next..next + count] {
            let mut all = [Lanes::default(); 6];
            for (to, h) in all.iter_mut().zip(h) {
                for (z, h) in z.iter().zip(h) {
                    *to += z.scale(*h);
                }
            }
            product.push(all);
        }
        next += count;
        for (rows, row_node) in [(from..split, a), (split..to, b)] {
            if rows.is_empty() {
                continue;
            }
            let (block, width) = blocks.block(row_node as usize, column_node as usize);
            for (z, at) in z[rows.clone()].iter().zip(&place[rows]) {
                let row = &mut block[*at as usize * width..(*at as usize + 1) * width];
                let ([z0, z1, z2, z3], [z4, z5, ..]) = (z[0].0, z[1].0);
                for (product, places) in product.iter().zip(place[columns.clone()].chunks(PACK)) {
                    let low = product[0].scale(z0) + product[1].scale(z1) + product[2].scale(z2);
                    let sum = low + product[3].scale(z3) + product[4].scale(z4) + product[5].scale(z5);
                    for (x, at) in sum.0.iter().zip(places) {
                        row[*at as usize] += x;
                    }
                }
            }
        }
    }
}
