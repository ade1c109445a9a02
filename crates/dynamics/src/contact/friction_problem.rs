//! The door for contact problems from outside: given W, q and mu, forces with their merit and the effort spent.
//!
//! Computes  r in the cones |r_T| <= mu r_N with  u = W r + q,  u_N + mu |u_T| in duality with r_N and friction against
//! u_T: Coulomb's law in the form of De Saxce [DF1998]. Merit: the natural map  r - P_K(r - (u + mu |u_T| e_N)), over |q|,
//! as the Siconos collection judges solutions [ABH2018].
//! Problems fall apart into islands; each is scaled and solved as the contacts of a step are (`check`).
//! Not here: contacts of figures (`step`).
//! Checked by: `tests/it/friction_problem.rs`.

use super::check::Problem;
use super::face::{Face, Six};
use super::given::{Given, Three};
use super::hypothesis::Hypothesis;
use crate::error::Error;

/// Largest asymmetry of W, part of its largest entry. Problems of the Siconos collection have up to 2.5e-3; they are
/// solved as they are given.
const ASYMMETRY: f64 = 1e-2;

/// A frictional contact problem in three dimensions: W, q and mu. Each contact has three rows, normal first.
///
/// ```
/// use anthropi_dynamics::contact::FrictionProblem;
/// // a point of 2 kg that arrives at 1 m/s and slides at 3 m/s
/// let w = [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
/// let problem = FrictionProblem::from_dense(&w, &[-1.0, 3.0, 0.0], &[0.5])?;
/// let solution = problem.solve();
/// assert!((solution.forces[0] - 2.0).abs() < 1e-12 && (solution.forces[1] + 1.0).abs() < 1e-12);
/// assert!(solution.merit < 1e-12);
/// # Ok::<(), anthropi_dynamics::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FrictionProblem {
    w: Given,
    q: Vec<f64>,
    mu: Vec<f64>,
    asymmetry: f64,
}

/// Forces of a [`FrictionProblem`].
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionSolution {
    /// r, three numbers a contact, normal first; inside the cones
    pub forces: Vec<f64>,
    /// u = W r + q
    pub velocities: Vec<f64>,
    /// natural map over |q|: how far r and u are from Coulomb's law
    pub merit: f64,
    /// linear systems solved: passes of hypothesis and check, and factors of the interior points
    pub effort: usize,
    /// whether every island was solved exactly
    pub is_exact: bool,
}

impl FrictionProblem {
    /// A problem with a dense W, row by row.
    ///
    /// # Errors
    /// Lengths that do not match, numbers that are not finite, negative friction, W not symmetric.
    pub fn from_dense(w: &[f64], q: &[f64], mu: &[f64]) -> Result<FrictionProblem, Error> {
        let n = mu.len();
        if w.len() != 9 * n * n {
            return Err(Error::Dimension { what: "W".into(), expected: 9 * n * n, got: w.len() });
        }
        let mut blocks = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let entry = |r: usize, c: usize| w[(3 * i + r) * 3 * n + 3 * j + c];
                let block: Three = core::array::from_fn(|r| core::array::from_fn(|c| entry(r, c)));
                if i == j || block.as_flattened().iter().any(|x| *x != 0.0) {
                    blocks.push((i, j, block));
                }
            }
        }
        FrictionProblem::from_blocks(&blocks, q, mu)
    }

    /// A problem with a sparse W: row, column and block of 3 by 3, each at most once, both halves.
    ///
    /// # Errors
    /// As [`FrictionProblem::from_dense`]; contacts that do not exist.
    pub fn from_blocks(
        blocks: &[(usize, usize, Three)],
        q: &[f64],
        mu: &[f64],
    ) -> Result<FrictionProblem, Error> {
        let n = mu.len();
        if q.len() != 3 * n {
            return Err(Error::Dimension { what: "q".into(), expected: 3 * n, got: q.len() });
        }
        let wrong =
            |what: &str, value: f64, expected| Error::OutOfRange { what: what.into(), value, expected };
        for (name, values) in [("an entry of q", q), ("a coefficient of friction", mu)] {
            if let Some(x) = values.iter().find(|x| !x.is_finite()) {
                return Err(wrong(name, *x, "finite numbers"));
            }
        }
        if let Some(x) = mu.iter().find(|x| **x < 0.0) {
            return Err(wrong("a coefficient of friction", *x, "at least 0"));
        }
        let mut sorted = blocks.to_vec();
        sorted.sort_by_key(|b| (b.0, b.1));
        sorted.dedup_by_key(|b| (b.0, b.1));
        if sorted.len() != blocks.len() {
            return Err(Error::Dimension {
                what: "different blocks of W".into(),
                expected: sorted.len(),
                got: blocks.len(),
            });
        }
        let mut largest = 0.0_f64;
        for (i, j, block) in &sorted {
            if *i.max(j) >= n {
                return Err(wrong("a contact of W", *i.max(j) as f64, "a number below that of contacts"));
            }
            for x in block.as_flattened() {
                if !x.is_finite() {
                    return Err(wrong("an entry of W", *x, "finite numbers"));
                }
                largest = largest.max(x.abs());
            }
        }
        let mut asymmetry = 0.0_f64;
        for (i, j, block) in &sorted {
            let other =
                sorted.binary_search_by_key(&(*j, *i), |b| (b.0, b.1)).map_or([[0.0; 3]; 3], |k| sorted[k].2);
            for r in 0..3 {
                for c in 0..3 {
                    let off = (block[r][c] - other[c][r]).abs();
                    asymmetry = asymmetry.max(off / largest.max(f64::MIN_POSITIVE));
                }
            }
        }
        if asymmetry > ASYMMETRY {
            return Err(wrong("the asymmetry of W over its largest entry", asymmetry, "a symmetric matrix"));
        }
        let w = Given::from_sorted(n, sorted.into_iter().map(|(i, j, b)| (i, j as u32, b)));
        Ok(FrictionProblem { w, q: q.to_vec(), mu: mu.to_vec(), asymmetry })
    }

    /// Largest difference of W and its transpose, part of the largest entry.
    pub fn asymmetry(&self) -> f64 {
        self.asymmetry
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.mu.len()
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.mu.is_empty()
    }

    /// Forces and velocities that satisfy Coulomb's law.
    pub fn solve(&self) -> FrictionSolution {
        let n = self.len();
        let mut forces = vec![0.0; 3 * n];
        let (mut effort, mut is_exact) = (0, true);
        for members in self.islands() {
            let (p, spent, exact) = self.solve_island(&members);
            effort += spent;
            is_exact &= exact;
            for (i, p) in members.iter().zip(p) {
                // normal last inside
                forces[3 * i..3 * i + 3].copy_from_slice(&[p[2], p[0], p[1]]);
            }
        }
        let (velocities, merit) = (self.velocities(&forces), self.merit(&forces));
        FrictionSolution { forces, velocities, merit, effort, is_exact }
    }

    /// u = W r + q.
    pub fn velocities(&self, forces: &[f64]) -> Vec<f64> {
        let mut u = self.q.clone();
        for (i, u) in u.chunks_exact_mut(3).enumerate() {
            for (j, block) in self.w.row(i) {
                let r = &forces[3 * *j as usize..][..3];
                (0..3).for_each(|k| u[k] += block[k][0] * r[0] + block[k][1] * r[1] + block[k][2] * r[2]);
            }
        }
        u
    }

    /// The natural map of forces over |q| (over 1 if q is zero).
    ///
    /// # Panics
    /// Without three numbers for each contact.
    pub fn merit(&self, forces: &[f64]) -> f64 {
        assert_eq!(forces.len(), 3 * self.len(), "three numbers a contact");
        let u = self.velocities(forces);
        let mut sum = 0.0;
        for ((r, u), mu) in forces.chunks_exact(3).zip(u.chunks_exact(3)).zip(&self.mu) {
            let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
            let at = [r[0] - u[0] - mu * slip, r[1] - u[1], r[2] - u[2]];
            let on = project(at, *mu);
            sum += (0..3).map(|k| (r[k] - on[k]) * (r[k] - on[k])).sum::<f64>();
        }
        let size = self.q.iter().map(|q| q * q).sum::<f64>().sqrt();
        sum.sqrt() / if size > 0.0 { size } else { 1.0 }
    }

    /// Contacts that W couples, by their least member.
    fn islands(&self) -> Vec<Vec<usize>> {
        let n = self.len();
        let (mut of, mut islands) = (vec![usize::MAX; n], Vec::<Vec<usize>>::new());
        for first in 0..n {
            if of[first] != usize::MAX {
                continue;
            }
            let mut members = vec![first];
            of[first] = islands.len();
            let mut next = 0;
            while next < members.len() {
                for (j, _) in self.w.row(members[next]) {
                    if of[*j as usize] == usize::MAX {
                        of[*j as usize] = islands.len();
                        members.push(*j as usize);
                    }
                }
                next += 1;
            }
            members.sort_unstable();
            islands.push(members);
        }
        islands
    }

    /// Impulses of an island, linear systems solved, and whether they are exact. Velocities are scaled to about 1, and W too.
    fn solve_island(&self, members: &[usize]) -> (Vec<Six>, usize, bool) {
        let speed =
            members.iter().flat_map(|i| &self.q[3 * i..3 * i + 3]).fold(0.0_f64, |m, x| m.max(x.abs()));
        let own = |i: &usize| self.w.own(*i);
        let give = members.iter().map(own).fold(0.0_f64, |m, w| m.max(w[0][0]).max(w[1][1]).max(w[2][2]));
        if speed == 0.0 || give == 0.0 {
            return (vec![[0.0; 6]; members.len()], 0, speed == 0.0);
        }
        let turn = [1, 2, 0]; // rows (tangent, tangent, normal)
        let blocks = members.iter().enumerate().flat_map(|(a, i)| {
            self.w.row(*i).iter().map(move |(j, block)| {
                let b = members.binary_search(&(*j as usize)).expect("islands hold their neighbours");
                (
                    a,
                    b as u32,
                    core::array::from_fn(|r| core::array::from_fn(|c| block[turn[r]][turn[c]] / give)),
                )
            })
        });
        let mut problem = Problem::default();
        problem.space.load_given(Given::from_sorted(members.len(), blocks));
        problem.has_space = true;
        for i in members {
            let q = &self.q[3 * i..3 * i + 3];
            problem.faces.push(Face::new(&[[0.0; 2]], &[0.0], [self.mu[*i]; 2]));
            problem.modes.push(Hypothesis { set: 1, ..Hypothesis::default() });
            problem.free.push([q[1] / speed, q[2] / speed, q[0] / speed, 0.0, 0.0, 0.0]);
        }
        let outcome = problem.solve();
        let p = problem.p.iter().map(|p| p.map(|x| x * speed / give)).collect();
        (p, outcome.passes + outcome.factors, outcome.is_exact)
    }
}

/// The nearest point of the friction cone, normal first.
fn project(x: [f64; 3], mu: f64) -> [f64; 3] {
    let size = (x[1] * x[1] + x[2] * x[2]).sqrt();
    if size <= mu * x[0] {
        return x;
    }
    if mu * size <= -x[0] {
        return [0.0; 3];
    }
    let normal = (x[0] + mu * size) / (1.0 + mu * mu);
    [normal, mu * normal * x[1] / size, mu * normal * x[2] / size]
}
