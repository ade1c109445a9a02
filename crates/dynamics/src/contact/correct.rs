//! Position correction of overlap and creep, without any velocity.
//!
//! Computes  a displacement M^-1 J^T x that corrects a part of each contact's error: overlap along the normal, and creep
//! of sticking contacts along the surface and about the normal.
//! Source: [NY2000J §4.8, eq. 20b] removes overlap by a prescribed acceleration.
//! We differ: a displacement adds no velocity, and no energy except that of the lift.
//! Checked by: `tests/it/contact.rs` (initial overlap resolves gently).

use super::face::{Face, Six, dot6};
use super::hypothesis::Grip;
use super::patch::MAX_VERTICES;
use super::step::{Contacts, Instant, TOUCHING, normal};
use crate::algo::fit;

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
    rows: Vec<(usize, Six, f64)>,
    x: Vec<f64>,
    impulses: Vec<Six>,
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

    fn solve_shift(&mut self, at: &Instant, shift: &mut Shift) {
        let m = shift.rows.len();
        let k = self.dense.matrix(m);
        for (i, (pi, ri, _)) in shift.rows.iter().enumerate() {
            for (j, (pj, rj, _)) in shift.rows.iter().enumerate().take(i + 1) {
                let g = self.problem.block(*pi, *pj);
                let x = (0..6).filter(|r| ri[*r] != 0.0).map(|r| ri[r] * dot6(&g[r], rj)).sum();
                k[i * m + j] = x;
                k[j * m + i] = x;
            }
        }
        // contradictory or nearly dependent rows must not cause large displacements
        shift.is_used = self.dense.factor_damped(DAMPED);
        if !shift.is_used {
            return;
        }
        shift.x.clear();
        shift.x.extend(shift.rows.iter().map(|r| r.2));
        self.dense.solve(&mut shift.x);
        shift.impulses.clear();
        shift.impulses.resize(self.patches.len(), [0.0; 6]);
        for ((p, row, _), x) in shift.rows.iter().zip(&shift.x) {
            (0..6).for_each(|c| shift.impulses[*p][c] += row[c] * x);
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
