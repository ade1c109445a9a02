//! Contact forces of an island: hypothesis and check [NY2000J §4.3, Fig. 3], and interior points behind it.
//!
//! Computes  impulses p and velocities u = u_free + G p of all contacts that satisfy every condition of `hypothesis`.
//! A pass solves one linear system for all contacts under their modes; each contact then checks its own solution and
//! may change its mode. A few contacts are solved in their own rows, with a small dense G; many in the velocities of the
//! figures (`space`), where the system does not grow with contacts and no G is formed. Passes begin at the modes of the
//! last step; if they do not end soon, `cone` solves from the interior and a few passes from its modes make it exact.
//! The friction centre of a contact is fixed in the first solve. If it then differs from the centre of pressure, that of
//! a sliding contact moves along in further passes, with its derivative in the rows; a sticking contact that violates the
//! yaw limit there is solved again. Remaining violations are clamped: forces are never invalid.
//! Source: [NY2000J §4.3-4.7].
//! Checked by: `tests/it/contact_solver.rs` (an independent cone solver, 600 hard states).

use super::cone::Cone;
use super::face::{Block, Face, Six, norm3};
use super::hypothesis::{Change, Grip, History, Hypothesis};
use super::report::SolveMethod;
use super::rows::Rows;
use super::space::Space;
use super::validity::yaw_at_pressure_center;
use crate::algo::fit;
use crate::dense::DenseSystem;

/// Most passes from the modes of the last step, and if that step needed the cone solver: of a few contacts, whose passes
/// are cheap, and of many.
const MAX_PASSES: [usize; 2] = [30, 16];
const MAX_PASSES_OF_MANY: [usize; 2] = [10, 4];
/// Passes with moving friction centres.
const FOLLOWING_PASSES: usize = 30;
/// Passes from the modes of the cone solver, on its way and at its end.
const EARLY_PASSES: usize = 6;
const LATE_PASSES: usize = 16;
/// Passes from the modes of the last step where all else failed.
const LAST_PASSES: usize = 60;
/// Attempts of the cone solver: on its way, at its end, and with fixed corrections.
const MAX_STAGES: usize = 9;
/// Most contacts that are solved in their own rows: in reach, and loaded in the last step.
const FEW_IN_REACH: usize = 10;
const FEW_LOADED: usize = 4;
/// Complementarity, part of its first size, at which modes of the cone solver are tried.
const EARLY: f64 = 1e-10;
/// Tolerance of its velocity conditions, m/s or part of the load.
const CONE_TOLERANCE: f64 = 1e-7;
/// Moves of the friction centre.
const OUTER_PASSES: usize = 3;
/// A friction centre this near to the centre of pressure stays, m.
const CENTER_TOLERANCE: f64 = 1e-5;

/// Statistics of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// passes, over all outer passes
    pub passes: usize,
    /// factors of the cone solver
    pub factors: usize,
    /// method that found the forces
    pub method: SolveMethod,
    /// whether the velocity conditions hold too
    pub is_exact: bool,
    /// whether forces were clamped
    pub is_cut: bool,
}

/// The contact problem of an instant.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// the contacts
    pub faces: Vec<Face>,
    /// mode of each contact
    pub modes: Vec<Hypothesis>,
    /// velocity without contact impulses
    pub free: Vec<Six>,
    /// impulses of the last step, preferred where contacts are redundant; empty for none
    pub guess: Vec<Six>,
    /// whether the last solve of these contacts needed the cone solver
    pub is_hard: bool,
    /// G: one row of blocks per contact; empty if contacts are many and their coordinates are known
    pub g: Vec<Block>,
    /// G of each contact alone
    pub(super) own: Vec<Block>,
    /// coordinates of unit mass
    pub(super) space: Space,
    /// whether the coordinates belong to these contacts
    pub(super) has_space: bool,
    /// impulses
    pub p: Vec<Six>,
    /// velocities
    pub u: Vec<Six>,
    pub(super) work: Scratch,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) dense: DenseSystem,
    pub(super) cone: Cone,
    pub(super) rows: Vec<Rows>,
    /// loaded contacts, and the first row of each
    pub(super) active: Vec<(usize, usize)>,
    pub(super) x: Vec<f64>,
    pub(super) near: Vec<f64>,
    /// contact, new mode and history
    pub(super) changes: Vec<(usize, Change, History)>,
    pub(super) history: Vec<History>,
    pub(super) start: Vec<Hypothesis>,
    /// friction centres and yaw radii before they move
    pub(super) centers: Vec<([f64; 2], f64)>,
    /// result of the sweeps while passes are tried
    pub(super) kept: (Vec<Six>, Vec<Six>, Vec<Hypothesis>),
    pub(super) loads: Vec<super::passes::Load>,
    pub(super) push: Vec<Six>,
    pub(super) change: Vec<Six>,
}

impl Problem {
    /// Removes all contacts.
    pub fn clear(&mut self) {
        self.faces.clear();
        self.modes.clear();
        self.free.clear();
        self.guess.clear();
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.faces.len()
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// Resizes G and the results.
    pub fn fit(&mut self) {
        let n = self.len();
        fit(&mut self.g, n * n);
        fit(&mut self.p, n);
        fit(&mut self.u, n);
    }

    /// The block of G between contacts `i` and `j`.
    pub fn block(&self, i: usize, j: usize) -> &Block {
        &self.g[i * self.len() + j]
    }

    /// Solves from the current modes and leaves those of the solution.
    pub fn solve(&mut self) -> Outcome {
        self.prepare();
        let mut outcome = self.solve_moving_centers();
        if !outcome.is_exact {
            outcome.is_cut |= self.limit_energy();
        }
        self.is_hard = outcome.method != SolveMethod::Check;
        outcome
    }

    /// The own blocks of all contacts.
    pub(super) fn prepare(&mut self) {
        let n = self.len();
        fit(&mut self.p, n);
        fit(&mut self.u, n);
        self.own.clear();
        if self.g.len() == n * n {
            self.own.extend((0..n).map(|i| self.g[i * (n + 1)]));
        } else {
            self.own.extend((0..n).map(|i| self.space.own(i)));
        }
    }

    /// The coordinates, from G if they are not known.
    fn know_space(&mut self) {
        if !self.has_space {
            self.space.load_dense(&self.g, self.len());
        }
    }

    fn solve_moving_centers(&mut self) -> Outcome {
        let mut all = Outcome { is_exact: true, ..Outcome::default() };
        for outer in 0..=OUTER_PASSES {
            let mut is_done = false;
            if outer > 0 {
                // sliding friction centres follow the centre of pressure within the passes
                let (passes, is_followed) = self.follow();
                all.passes += passes;
                is_done = is_followed;
            }
            if !is_done {
                let one = self.solve_fixed_centers();
                all.passes += one.passes;
                all.factors += one.factors;
                all.is_exact = one.is_exact;
                if one.method != SolveMethod::Check {
                    all.method = one.method;
                }
            }
            if !self.move_centers(outer) {
                if !all.is_exact {
                    all.is_cut = self.make_valid();
                }
                return all;
            }
        }
        // contacts that still violate their yaw limit get friction at the centre of pressure only; the rest is clamped
        for round in 0..OUTER_PASSES {
            if !self.drop_yaw(round) {
                break;
            }
            let one = self.solve_fixed_centers();
            all.passes += one.passes;
            all.is_exact = one.is_exact;
        }
        all.is_cut = self.make_valid();
        all
    }

    /// Removes the yaw row of contacts that violate their yaw limit at the centre of pressure; false if none does.
    fn drop_yaw(&mut self, round: usize) -> bool {
        let mut any = false;
        for ((face, hy), p) in self.faces.iter_mut().zip(&mut self.modes).zip(&self.p) {
            let is_point = face.count == 1 || face.friction_rows() == 0;
            if p[2] <= 1e-12 || is_point || face.is_surely_within(p) {
                continue;
            }
            let (center, size) = yaw_at_pressure_center(face, p);
            if size > face.static_friction * p[2] * (1.0 + 1e-9) {
                any = true;
                // two alternating positions: take the midpoint
                let part = if round == 0 { 1.0 } else { 0.5 };
                let to = |k: usize| face.center[k] + part * (center[k] - face.center[k]);
                face.set_center([to(0), to(1)]);
                face.yaw_radius = 0.0;
                if hy.grip == Grip::Directed {
                    hy.grip = Grip::Compliant;
                }
            }
        }
        any
    }

    /// Passes with moving friction centres; modes stay unchanged if they do not terminate.
    fn follow(&mut self) -> (usize, bool) {
        self.save_modes();
        self.work.centers.clear();
        self.work.centers.extend(self.faces.iter().map(|f| (f.center, f.yaw_radius)));
        let (passes, is_done) = self.passes(FOLLOWING_PASSES, true);
        if !is_done {
            self.restore_modes();
            for (face, (center, d)) in self.faces.iter_mut().zip(&self.work.centers) {
                (face.center, face.yaw_radius) = (*center, *d);
            }
        }
        (passes, is_done)
    }

    fn save_modes(&mut self) {
        self.work.start.clear();
        self.work.start.extend_from_slice(&self.modes);
    }

    fn restore_modes(&mut self) {
        self.modes.copy_from_slice(&self.work.start);
    }

    /// One solve with fixed friction centres.
    pub fn solve_fixed_centers(&mut self) -> Outcome {
        self.prepare();
        self.save_modes();
        let most = if are_few(self.modes.iter()) { MAX_PASSES } else { MAX_PASSES_OF_MANY };
        let most = most[usize::from(self.is_hard)];
        let (passes, is_done) = self.passes(most, false);
        let mut outcome = Outcome { passes, is_exact: is_done, ..Outcome::default() };
        if is_done {
            return outcome;
        }
        self.restore_modes();
        self.p.fill([0.0; 6]);
        self.move_by_impulses();
        outcome.method = SolveMethod::Cone;
        for stage in 0..MAX_STAGES {
            let is_solved = self.follow_cone(stage);
            outcome.factors = self.work.cone.factors();
            if is_solved {
                let (more, is_polished) =
                    self.polish(if stage == 0 { EARLY_PASSES } else { LATE_PASSES }, false);
                outcome.passes += more;
                if is_polished {
                    return Outcome { method: SolveMethod::Polished, is_exact: true, ..outcome };
                }
                // exact to the accuracy of the interior point
                let violations = self.violations();
                outcome.is_exact = violations.velocity.max(violations.complementarity) <= CONE_TOLERANCE;
                if outcome.is_exact && stage > 0 {
                    break;
                }
            }
        }
        if !outcome.is_exact {
            // last, with patience
            let (more, is_done) = self.polish(LAST_PASSES, true);
            outcome.passes += more;
            if is_done {
                return Outcome { method: SolveMethod::Polished, is_exact: true, ..outcome };
            }
        }
        outcome
    }

    /// Passes from the current modes, or from those of the start; everything stays unchanged if they do not terminate.
    fn polish(&mut self, most: usize, is_from_start: bool) -> (usize, bool) {
        let (p, u, modes) = &mut self.work.kept;
        p.clone_from(&self.p);
        u.clone_from(&self.u);
        modes.clone_from(&self.modes);
        if is_from_start {
            self.restore_modes();
        }
        let (passes, is_done) = self.passes(most, false);
        if !is_done {
            let (p, u, modes) = &self.work.kept;
            self.p.copy_from_slice(p);
            self.u.copy_from_slice(u);
            self.modes.copy_from_slice(modes);
        }
        (passes, is_done)
    }

    /// The cone solver alone, to the end of its path; false, with nothing changed, if it does not converge.
    pub fn solve_cone(&mut self) -> bool {
        self.prepare();
        self.follow_cone(0);
        (1..MAX_STAGES).any(|stage| self.follow_cone(stage))
    }

    /// Runs the cone solver and derives modes from its solution: on its way (stage 0), to its end (1), and with fixed
    /// corrections. False, with nothing changed, if it does not get there.
    fn follow_cone(&mut self, stage: usize) -> bool {
        let mut cone = core::mem::take(&mut self.work.cone);
        let p = &mut self.work.kept.0;
        fit(p, self.faces.len());
        if stage == 0 {
            self.know_space();
            cone.begin(&self.faces, &self.own, &self.free);
        }
        let (space, p) = (&mut self.space, &mut self.work.kept.0);
        let is_converged = match stage {
            0 => cone.approach(space, EARLY, p),
            1 => cone.finish(space, p),
            _ => cone.correct(space, p),
        };
        let p = &self.work.kept.0;
        if is_converged {
            self.p.copy_from_slice(p);
            let load = self.p.iter().fold(0.0_f64, |m, p| m.max(p[2]));
            // negligible loads become zero
            self.p.iter_mut().filter(|p| p[2] <= 1e-10 * load).for_each(|p| *p = [0.0; 6]);
            self.move_by_impulses();
            self.guess.clone_from(&self.p);
            for (i, (face, mode)) in self.faces.iter().zip(&mut self.modes).enumerate() {
                let (p, u) = (&self.p[i], &self.u[i]);
                // of two numbers whose product vanishes the larger is not zero
                let carries = |k: &usize| {
                    let above = (face.normal_velocity(*k, u) - face.target[*k]) / cone.speed();
                    cone.share(i, *k) > above
                };
                let is_loaded = p[2] > 0.0;
                let set = (0..face.count).filter(|k| is_loaded && carries(k)).fold(0, |s, i| s | 1 << i);
                *mode = Hypothesis { set, ..Hypothesis::default() };
                let slip = face.slip(u);
                let target = face.target_slip();
                let speed = norm3(&[0, 1, 2].map(|r| slip[r] - target[r])) / cone.speed();
                let left = (face.dynamic_friction * p[2] - norm3(&face.friction(p))) / cone.load();
                if set != 0 && speed > left && face.friction_rows() > 0 {
                    *mode = face.directed(mode, p, u, rho(&self.own[i]));
                }
            }
        }
        self.work.cone = cone;
        is_converged
    }

    /// Moves friction centres to the centres of pressure where it matters; false if nowhere.
    fn move_centers(&mut self, outer: usize) -> bool {
        let mut any = false;
        for ((face, hy), p) in self.faces.iter_mut().zip(&mut self.modes).zip(&self.p) {
            if p[2] <= 1e-12 || face.count == 1 || face.friction_rows() == 0 {
                continue;
            }
            if hy.grip == Grip::Stick && face.is_surely_within(p) {
                continue;
            }
            let (center, over) = yaw_at_pressure_center(face, p);
            let gone = distance(center, face.center);
            let is_over = over > face.static_friction * p[2] * (1.0 + 1e-9);
            if is_over && (gone > 1e-9 || outer == OUTER_PASSES)
                || hy.grip != Grip::Stick && gone > CENTER_TOLERANCE
            {
                any = true;
                if outer < OUTER_PASSES {
                    let rows = face.friction_rows();
                    face.set_center(center);
                    if hy.grip == Grip::Directed && face.friction_rows() != rows {
                        hy.grip = Grip::Compliant;
                    }
                }
            }
        }
        any
    }
}

/// Whether contacts of these modes are so few that they are solved in their own rows.
pub(super) fn are_few<'a>(modes: impl ExactSizeIterator<Item = &'a Hypothesis>) -> bool {
    modes.len() <= FEW_IN_REACH && modes.filter(|m| m.set != 0).count() <= FEW_LOADED
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}

/// Inverse of the mean tangential diagonal of a contact's own G.
pub(super) fn rho(g: &Block) -> f64 {
    2.0 / (g[0][0] + g[1][1])
}
