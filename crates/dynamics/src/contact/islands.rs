//! Islands: figures and boxes that contacts or connections join, apart from all others.
//!
//! Computes  the connected components of the trees of the forest over contacts and connections; each is solved alone.
//! Order: by the first contact of each island; its contacts and trees ascending. Another island changes no bit.
//! Checked by: tests below.

use super::patch::Patch;
use crate::model::{BodyIx, Forest};

/// The islands of an instant.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// representative of each tree, by its root
    joined: Vec<u32>,
    /// number of the island of each representative
    number: Vec<u32>,
    /// contacts and trees of all islands, and where each island's begin
    contacts: Vec<u32>,
    first_contact: Vec<usize>,
    trees: Vec<u32>,
    first_tree: Vec<usize>,
    /// island of each contact
    of: Vec<u32>,
}

impl Islands {
    /// Finds the islands of some contacts. `roots` gives the root of each body's tree.
    pub fn find(&mut self, forest: &Forest, roots: &[u32], patches: &[Patch]) {
        self.joined.clear();
        self.joined.extend(0..roots.len() as u32);
        for p in patches {
            self.join(roots, p.pair.a, p.pair.b);
        }
        for l in forest.loops() {
            self.join(roots, l.a, l.b);
        }
        self.number.clear();
        self.number.resize(roots.len(), u32::MAX);
        self.of.clear();
        let mut count = 0;
        for p in patches {
            let body = if p.pair.a == BodyIx::WORLD { p.pair.b } else { p.pair.a };
            let root = self.root(roots[body.index()]) as usize;
            if self.number[root] == u32::MAX {
                self.number[root] = count;
                count += 1;
            }
            self.of.push(self.number[root]);
        }
        sort(&self.of, count as usize, &mut self.first_contact, &mut self.contacts);
        self.of.clear();
        for (i, root) in roots.iter().enumerate().skip(1) {
            let island = if *root as usize == i { self.number[self.root(*root) as usize] } else { u32::MAX };
            self.of.push(island);
        }
        sort(&self.of, count as usize, &mut self.first_tree, &mut self.trees);
        self.trees.iter_mut().for_each(|t| *t += 1); // the world is left out
    }

    /// Number of islands.
    pub fn len(&self) -> usize {
        self.first_contact.len() - 1
    }

    /// Contacts of an island.
    pub fn contacts(&self, island: usize) -> &[u32] {
        &self.contacts[self.first_contact[island]..self.first_contact[island + 1]]
    }

    /// Roots of the trees of an island.
    pub fn trees(&self, island: usize) -> &[u32] {
        &self.trees[self.first_tree[island]..self.first_tree[island + 1]]
    }

    fn root(&self, mut tree: u32) -> u32 {
        while self.joined[tree as usize] != tree {
            tree = self.joined[tree as usize];
        }
        tree
    }

    fn join(&mut self, roots: &[u32], a: BodyIx, b: BodyIx) {
        if a == BodyIx::WORLD || b == BodyIx::WORLD {
            return;
        }
        let (a, b) = (self.root(roots[a.index()]), self.root(roots[b.index()]));
        let low = a.min(b);
        (self.joined[a as usize], self.joined[b as usize]) = (low, low);
    }
}

/// Indices by their group, in order; entries without a group are left out.
fn sort(of: &[u32], groups: usize, first: &mut Vec<usize>, sorted: &mut Vec<u32>) {
    first.clear();
    first.resize(groups + 1, 0);
    for g in of.iter().filter(|g| **g != u32::MAX) {
        first[*g as usize + 1] += 1;
    }
    (0..groups).for_each(|g| first[g + 1] += first[g]);
    sorted.clear();
    sorted.resize(first[groups], 0);
    for (i, g) in of.iter().enumerate().filter(|(_, g)| **g != u32::MAX) {
        sorted[first[*g as usize]] = i as u32;
        first[*g as usize] += 1;
    }
    (1..=groups).rev().for_each(|g| first[g] = first[g - 1]);
    first[0] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_sorted_in_order() {
        let (mut first, mut sorted) = (Vec::new(), Vec::new());
        sort(&[1, 0, u32::MAX, 1, 2, 0], 3, &mut first, &mut sorted);
        assert_eq!((first, sorted), (vec![0, 2, 4, 5], vec![1, 5, 0, 3, 4]));
        let (mut first, mut sorted) = (vec![7], vec![7]);
        sort(&[], 0, &mut first, &mut sorted);
        assert_eq!((first, sorted), (vec![0], vec![]));
    }
}
