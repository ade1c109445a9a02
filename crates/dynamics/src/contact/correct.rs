//! Position correction of overlap and creep, without any velocity.
//!
//! Computes  a displacement M^-1 J^T x that corrects a part of each contact's error: overlap along the normal, and creep
//! of sticking contacts along the surface and about the normal.
//! Source: [NY2000J §4.8, eq. 20b] removes overlap by a prescribed acceleration.
//! We differ: a displacement adds no velocity, and no energy except that of the lift.
//! Checked by: `tests/it/contact.rs` (initial overlap resolves gently).

use super::check::{Problem, are_few};
use super::face::{Block, Face, Six, dot6};
use super::hypothesis::Grip;
use super::patch::MAX_VERTICES;
use super::step::{Contacts, Instant, TOUCHING, normal};
use crate::algo::fit;
use crate::dense::DenseSystem;

/// Part of overlap and creep corrected per step.
const CORRECTED_PART: f64 = 0.2;
/// Smaller overlap and creep are not corrected, m.
const SMALL: f64 = 1e-10;
/// Fastest correction, m/s: initial overlaps resolve gently.
const FASTEST: f64 = 1.0;
/// Overlap beyond which creep is not corrected, m.
const DEEP: f64 = 1e-5;
/// Damping of the correction's matrix, relative to its mean diagonal.
const DAMPED: f64 = 1e-4;

/// The displacement of a step's correction.
#[derive(Clone, Debug, Default)]
pub(super) struct Shift {
    /// contact, row and wanted displacement
    rows: Vec<(usize, Six, f64)>,
    /// first row of each contact
    start: Vec<usize>,
    x: Vec<f64>,
    impulses: Vec<Six>,
    /// of an island
    push: Vec<Six>,
    moved: Vec<Six>,
    dq: Vec<f64>,
    pub is_used: bool,
}

impl Contacts {
    /// Gap of a point at the end of the step, without correction.
    fn end_gap(&self, at: &Instant, k: usize, i: usize) -> f64 {
        let v = &self.patches[k].vertices()[i];
        let (u0, u1) = (normal(v.xy, &self.before[k]), normal(v.xy, &self.problem.u[k]));
        if self.has_met(self.patches[k].pair.a.index()) {
            v.gap - at.since * u0 + at.h * u1
        } else {
            v.gap + (at.h - at.since) * u1
        }
    }

    /// The displacement that corrects part of overlap and creep. [NY2000J §4.8]
    pub(super) fn correct(&mut self, at: &Instant) {
        let mut shift = core::mem::take(&mut self.shift);
        shift.rows.clear();
        let most = FASTEST * at.h;
        let mut largest = 0.0_f64;
        self.is_deep = false;
        for k in 0..self.patches.len() {
            for i in 0..self.problem.faces[k].count {
                let depth = -self.end_gap(at, k, i);
                self.tally.penetration_max = self.tally.penetration_max.max(depth);
                self.is_deep |= depth > DEEP;
            }
        }
        for (k, patch) in self.patches.iter().enumerate() {
            let (face, hy) = (&self.problem.faces[k], &self.problem.modes[k]);
            let mut wanted = [0.0; MAX_VERTICES];
            let mut pushed = hy.set;
            for i in 0..face.count {
                let depth = -self.end_gap(at, k, i);
                wanted[i] = (CORRECTED_PART * depth.max(0.0)).min(most);
                // overlaps without force are corrected too
                if depth > TOUCHING {
                    pushed |= 1 << i;
                }
            }
            if pushed == 0 {
                continue;
            }
            let hull = face.hull_of(pushed);
            let mut want = |row: Six, x: f64| {
                shift.rows.push((k, row, x));
                largest = largest.max(x.abs());
            };
            if hull.corners().len() <= 2 {
                for i in hull.corners() {
                    let [x, y] = face.places[*i as usize];
                    want([0.0, 0.0, 1.0, y, -x, 0.0], wanted[*i as usize]);
                }
            } else {
                let plane = Face { target: wanted, ..*face }.target_plane(hull.corners());
                for (c, x) in plane.into_iter().enumerate() {
                    let mut row = [0.0; 6];
                    row[2 + c] = 1.0;
                    want(row, x);
                }
            }
            if hy.set != 0 && hy.grip == Grip::Stick && face.friction_rows() > 0 && !self.is_deep {
                let m = self.warm_starts.binary_search_by_key(&patch.pair.key, |m| m.key);
                let ends = [patch.pair.a, patch.pair.b].map(|b| &self.bodies[b.index()]);
                let drift = m.ok().and_then(|i| self.warm_starts[i].drift(patch, ends)).unwrap_or([0.0; 3]);
                let rows = [
                    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                    [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
                    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
                ];
                for c in 0..face.friction_rows() {
                    want(rows[c], -CORRECTED_PART * drift[c]);
                }
            }
        }
        shift.is_used = largest > SMALL;
        if shift.is_used {
            self.solve_shift(at, &mut shift);
        }
        self.shift = shift;
    }

    /// Solves (G + damping) x = wanted in the rows of each island.
    fn solve_shift(&mut self, at: &Instant, shift: &mut Shift) {
        shift.impulses.clear();
        shift.impulses.resize(self.patches.len(), [0.0; 6]);
        shift.start.clear();
        let mut next = 0;
        for k in 0..self.patches.len() {
            shift.start.push(next);
            next += shift.rows[next..].iter().take_while(|r| r.0 == k).count();
        }
        shift.start.push(next);
        for i in 0..self.islands.len() {
            let contacts = self.islands.contacts(i);
            let wants = |k: &u32| {
                shift.rows[shift.start[*k as usize]..shift.start[*k as usize + 1]].iter().any(|r| r.2 != 0.0)
            };
            if !contacts.iter().any(wants) {
                continue;
            }
            if self.islands.len() > 1 {
                let are_few = are_few(contacts.iter().map(|k| &self.problem.modes[*k as usize]));
                let members = [contacts, self.islands.trees(i)];
                self.delassus.give(at, &self.roots, members, are_few, &mut self.island);
            }
            let is_solved = if self.island.g.is_empty() {
                shift_in_space(contacts, &mut self.island, shift)
            } else {
                shift_in_rows(contacts, &self.island.g, &mut self.dense, shift)
            };
            if !is_solved {
                contacts.iter().for_each(|k| shift.impulses[*k as usize] = [0.0; 6]);
            }
        }
        fit(&mut shift.dq, at.forest.nv());
        shift.dq.fill(0.0);
        self.delassus.respond(at, &shift.impulses, 1.0, &mut shift.dq);
        shift.is_used = shift.dq.iter().all(|x| x.is_finite());
    }

    /// The displacement of the last step's correction, if any, as velocities times time.
    pub fn displacement(&self) -> Option<&[f64]> {
        self.shift.is_used.then_some(&self.shift.dq[..])
    }
}

/// The damped system of a few contacts, in their rows.
fn shift_in_rows(contacts: &[u32], g: &[Block], dense: &mut DenseSystem, shift: &mut Shift) -> bool {
    let n = contacts.len();
    let rows = || {
        let of = |(i, k): (usize, &u32)| {
            (shift.start[*k as usize]..shift.start[*k as usize + 1]).map(move |row| (i, row))
        };
        contacts.iter().enumerate().flat_map(of)
    };
    let m = rows().count();
    let k = dense.matrix(m);
    for (a, (i, row)) in rows().enumerate() {
        for (b, (j, column)) in rows().enumerate().take(a + 1) {
            let (row, column) = (&shift.rows[row].1, &shift.rows[column].1);
            let g = &g[i * n + j];
            let x = (0..6).filter(|r| row[*r] != 0.0).map(|r| row[r] * dot6(&g[r], column)).sum();
            k[a * m + b] = x;
            k[b * m + a] = x;
        }
    }
    // contradictory or nearly dependent rows must not cause large displacements
    if !dense.factor_damped(DAMPED) {
        return false;
    }
    shift.x.clear();
    shift.x.extend(rows().map(|(_, row)| shift.rows[row].2));
    dense.solve(&mut shift.x);
    for ((_, row), x) in rows().zip(&shift.x) {
        let (k, row, _) = &shift.rows[row];
        (0..6).for_each(|c| shift.impulses[*k][c] += row[c] * x);
    }
    true
}

/// The same system of many contacts, in the velocities of the figures.
fn shift_in_space(contacts: &[u32], island: &mut Problem, shift: &mut Shift) -> bool {
    let (mut sum, mut count) = (0.0, 0.0);
    island.space.begin();
    for (i, k) in contacts.iter().enumerate() {
        let own = island.space.own(i);
        for (_, row, _) in &shift.rows[shift.start[*k as usize]..shift.start[*k as usize + 1]] {
            sum += (0..6).map(|r| row[r] * dot6(&own[r], row)).sum::<f64>();
            count += 1.0;
        }
    }
    let soft = DAMPED * sum / f64::max(count, 1.0);
    shift.push.clear();
    for (i, k) in contacts.iter().enumerate() {
        let (mut h, mut push) = ([[0.0; 6]; 6], [0.0; 6]);
        for (_, row, wanted) in &shift.rows[shift.start[*k as usize]..shift.start[*k as usize + 1]] {
            for r in 0..6 {
                (0..6).for_each(|c| h[r][c] += row[r] * row[c] / soft);
                push[r] += row[r] * wanted / soft;
            }
        }
        island.space.add(i, &h);
        shift.push.push(push);
    }
    if !island.space.factor() {
        return false;
    }
    fit(&mut shift.moved, contacts.len());
    island.space.solve(&shift.push, &mut shift.moved);
    for (k, moved) in contacts.iter().zip(&shift.moved) {
        let k = *k as usize;
        for (_, row, wanted) in &shift.rows[shift.start[k]..shift.start[k + 1]] {
            let x = (wanted - dot6(row, moved)) / soft;
            (0..6).for_each(|c| shift.impulses[k][c] += row[c] * x);
        }
    }
    true
}
