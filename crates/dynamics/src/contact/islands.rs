//! Islands: figures and boxes that contacts or connections join, apart from all others.
//!
//! Computes  their solutions, one after the other, and before that the connected components of the trees of the forest over contacts and connections; each is solved alone.
//! Order: by the first contact of each island; its contacts and trees ascending. Another island changes no bit.
//! Checked by: tests below.

use super::check::{Outcome, are_few};
use super::patch::Patch;
use super::report::SolveMethod;
use super::step::{Contacts, Instant, TOLERANCE};
use crate::algo::fit;
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

impl Contacts {
    /// Solves every island. With a coefficient of restitution, an island that would gain energy is solved again without
    /// and its impulses are multiplied: Poisson's rule.
    pub(super) fn solve_islands(&mut self, at: &Instant, restitution: Option<f64>) -> Outcome {
        let n = self.problem.len();
        fit(&mut self.problem.p, n);
        fit(&mut self.problem.u, n);
        fit(&mut self.methods, n);
        let mut all = Outcome { is_exact: true, ..Outcome::default() };
        let mut violates = false;
        for i in 0..self.islands.len() {
            self.load_island(at, i);
            let mut one = self.island.solve();
            violates |= self.enforce_validity(&mut one);
            if let Some(e) = restitution
                && self.island.energy_gain() > 0.0
            {
                self.island.solve_without_restitution();
                self.island.p.iter_mut().flatten().for_each(|x| *x *= 1.0 + e);
            }
            self.take_island(i, one.method);
            all.passes += one.passes;
            all.factors += one.factors;
            all.is_exact &= one.is_exact;
            all.is_cut |= one.is_cut;
            if one.method != SolveMethod::Check {
                all.method = one.method;
            }
        }
        self.tally.violations += u64::from(violates);
        all
    }

    /// Copies the contacts of an island.
    fn load_island(&mut self, at: &Instant, i: usize) {
        let (from, to) = (&self.problem, &mut self.island);
        to.clear();
        to.is_hard = false;
        let contacts = self.islands.contacts(i);
        for k in contacts.iter().map(|k| *k as usize) {
            to.faces.push(from.faces[k]);
            to.modes.push(from.modes[k]);
            to.free.push(from.free[k]);
            to.guess.push(from.guess[k]);
            let known = self.warm_starts.binary_search_by_key(&self.patches[k].pair.key, |m| m.key);
            to.is_hard |= known.is_ok_and(|i| self.warm_starts[i].is_hard);
        }
        let are_few = are_few(to.modes.iter());
        self.delassus.give(at, &self.roots, [contacts, self.islands.trees(i)], are_few, to);
    }

    /// Copies the solution of an island back.
    fn take_island(&mut self, i: usize, method: SolveMethod) {
        let (from, to) = (&self.island, &mut self.problem);
        for (j, k) in self.islands.contacts(i).iter().map(|k| *k as usize).enumerate() {
            (to.faces[k], to.modes[k], to.p[k], to.u[k]) =
                (from.faces[j], from.modes[j], from.p[j], from.u[j]);
            self.methods[k] = method;
        }
    }

    /// Projects invalid forces of an island onto valid ones; returns whether they still violate a condition.
    fn enforce_validity(&mut self, outcome: &mut Outcome) -> bool {
        if self.island.violations().force <= TOLERANCE {
            return false;
        }
        outcome.is_cut |= self.island.make_valid();
        !(self.island.violations().force <= TOLERANCE)
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
