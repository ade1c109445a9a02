//! Inverse kinematics of any tree with priorities: what comes later never disturbs what comes before.
//!
//! Computes  q that, level by level, minimises the weighted errors of its tasks within what the levels before it leave
//! free, and within the limits of the joints; last the distance to a posture.
//! Source: [NH1986 SR-inverse], with priorities by null spaces.
//! We differ: any number of levels, each a damped least-squares problem in the null space of those before (orthogonal
//! factors with pivots, not projectors); steps on the manifold; limits by an active set; damping grows with the error.
//! Not here: closed loops (`constraint` of the dynamics), motions (`retarget`).
//! Checked by: `tests/ik.rs`.

mod coordinates;
mod goal;
mod levels;

pub use goal::{Goal, Task};

use crate::error::Error;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Motion, Vec3};
use coordinates::Steps;
use levels::{Level, Solve};
use std::sync::Arc;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// at most so many steps
    pub iterations: usize,
    /// a step smaller than this is the last; levels are met below it. m, rad
    pub tolerance: f64,
    /// no joint turns more in a step, rad
    pub largest_turn: f64,
    /// part of the squared error of a level that damps the first steps; less for a start that is near
    pub caution: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { iterations: 100, tolerance: 1e-9, largest_turn: 0.5, caution: 0.1 }
    }
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// steps made
    pub iterations: usize,
    /// whether the search came to rest
    pub is_settled: bool,
    /// error of each task: m or rad
    pub residuals: Vec<f64>,
    /// caution at the end, for a next search that starts near
    pub caution: f64,
    /// degrees of freedom (places in v; angles of the order for ball joints) that are at a limit
    pub at_limit: Vec<usize>,
}

/// Caution is less after each step that made things better, more after others, within these bounds.
const BOLDER: f64 = 0.3;
const WARIER: f64 = 5.0;
const CAUTIONS: (f64, f64) = (1e-6, 1e2);
/// How far places leave the line of a step, for the square of its largest turn: some joints in a row, limbs of a metre.
const CURVATURE: f64 = 5.0;
/// A level with a smaller error is met, and may be left for the sake of those behind it...
const MET: f64 = 1e-3;
/// ...by no more than this. m, rad
const LEFT: f64 = 0.05;
/// Errors that differ by less are the same, relative.
const SAME: f64 = 1e-9;
/// Damping that is always there, squared: 1e-3 m / rad. Keeps steps finite at stretched limbs.
const LEAST_DAMPING: f64 = 1e-6;
/// So many steps of levels without those behind them, where the search did not come to rest.
const POLISH: usize = 20;

/// Finds poses of a figure; keeps what it needs from one to the next.
pub struct Solver {
    figure: Arc<Figure>,
    steps: Steps,
    kinematics: Kinematics,
    columns: Vec<Motion>,
    order: Vec<u8>,
    levels: Vec<Level>,
    solve: Solve,
    step: Vec<f64>,
    wish: Vec<f64>,
    trial: Vec<f64>,
}

impl Solver {
    /// For a figure.
    pub fn new(figure: Arc<Figure>) -> Solver {
        let nv = figure.forest().nv();
        Solver {
            steps: Steps::of(&figure),
            kinematics: Kinematics::default(),
            columns: vec![Motion::default(); nv],
            order: Vec::new(),
            levels: Vec::new(),
            solve: Solve::default(),
            step: vec![0.0; nv],
            wish: vec![0.0; nv],
            trial: Vec::new(),
            figure,
        }
    }

    /// Who is posed.
    pub fn figure(&self) -> &Arc<Figure> {
        &self.figure
    }

    /// Changes `q` to meet the tasks, and as near to `posture` as they leave free. Starts from `q`, brought within the
    /// limits. Where tasks cannot be met, comes as near as possible; the outcome tells how near.
    ///
    /// # Errors
    /// Poses of the wrong length; numbers that are not finite; weights below zero.
    pub fn solve(
        &mut self,
        q: &mut [f64],
        tasks: &[Task],
        posture: Option<&[f64]>,
        options: &Options,
    ) -> Result<Outcome, Error> {
        self.check(q, tasks, posture)?;
        let mut outcome = Outcome { caution: options.caution, ..Outcome::default() };
        self.steps.clamp(q);
        self.order(tasks);
        let levels = self.order.len();
        self.search(q, tasks, levels, posture, options, &mut outcome);
        // what did not come to rest: levels that are not met once more without those behind them
        let settled = outcome.is_settled;
        for some in (1..levels + usize::from(posture.is_some())).rev().filter(|_| !settled) {
            let largest = if some < levels { f64::INFINITY } else { 2.0 * LEFT };
            if self.levels[..some].iter().any(|l| (options.tolerance..largest).contains(&l.size())) {
                let options = Options { iterations: POLISH, ..*options };
                outcome.caution = options.caution;
                self.search(q, tasks, some, None, &options, &mut outcome);
            }
        }
        outcome.is_settled = settled;
        pose::settle(self.figure.forest(), None, q);
        self.kinematics.update(self.figure.forest(), q, None, None);
        outcome.residuals =
            tasks.iter().map(|t| t.goal.error(&self.figure, &self.kinematics).norm()).collect();
        outcome.at_limit = self.steps.at_limit(q);
        Ok(outcome)
    }

    /// Steps with the first so many levels, none of which makes things worse.
    fn search(
        &mut self,
        q: &mut [f64],
        tasks: &[Task],
        levels: usize,
        posture: Option<&[f64]>,
        options: &Options,
        outcome: &mut Outcome,
    ) {
        self.levels.clear();
        self.levels.resize_with(levels, Level::default);
        let last = outcome.iterations + options.iterations;
        outcome.is_settled = false;
        self.linearise(q, tasks);
        while !outcome.is_settled && outcome.iterations < last {
            self.levels.iter_mut().for_each(|l| l.damp(LEAST_DAMPING, outcome.caution));
            let largest = self.step_from(q, posture, options);
            outcome.iterations += 1;
            outcome.is_settled = self.step.iter().all(|s| s.abs() < options.tolerance);
            self.kinematics.update(self.figure.forest(), &self.trial, None, None);
            let bend = (CURVATURE * largest * largest).min(LEFT);
            let is_better = self.is_better(tasks, options.tolerance, bend);
            let change = if is_better { BOLDER } else { WARIER };
            outcome.caution = (outcome.caution * change).clamp(CAUTIONS.0, CAUTIONS.1);
            if is_better {
                q.copy_from_slice(&self.trial);
                self.linearise(q, tasks);
            }
        }
    }

    /// A step from a pose, and the pose it leads to. Returns its largest number.
    fn step_from(&mut self, q: &[f64], posture: Option<&[f64]>, options: &Options) -> f64 {
        self.wish(q, posture);
        let (lower, upper) = self.steps.bounds(q);
        let wish = posture.map(|_| &self.wish[..]);
        self.solve.step(&self.levels, wish, lower, upper, &mut self.step);
        let largest = self.steps.largest_turn(&self.step);
        let part = if largest > options.largest_turn { options.largest_turn / largest } else { 1.0 };
        self.step.iter_mut().for_each(|s| *s *= part);
        self.trial.clear();
        self.trial.extend_from_slice(q);
        self.steps.advance(&mut self.trial, &self.step);
        largest * part
    }

    /// Whether the kinematics of a trial are better than what was linearised. The first level that differs decides;
    /// levels that are met may be left by as much as a step bends away from its line.
    fn is_better(&self, tasks: &[Task], tolerance: f64, bend: f64) -> bool {
        for (level, wanted) in self.levels.iter().zip(&self.order) {
            let errors = tasks.iter().filter(|t| t.level == *wanted);
            let square = |e: Vec3| e.dot(e);
            let new = errors.map(|t| t.weight * square(t.goal.error(&self.figure, &self.kinematics)));
            let (new, old) = (new.sum::<f64>().sqrt(), level.size());
            let is_met = old < MET && new < bend || new.max(old) < tolerance;
            if is_met || (new - old).abs() <= SAME * old {
                continue;
            }
            return new < old;
        }
        true
    }

    fn check(&self, q: &[f64], tasks: &[Task], posture: Option<&[f64]>) -> Result<(), Error> {
        let nq = self.figure.forest().nq();
        for (what, pose) in [("pose to start from", Some(q)), ("posture", posture)] {
            let Some(pose) = pose else { continue };
            if pose.len() != nq {
                return Err(Error::Dimension { what: what.into(), expected: nq, got: pose.len() });
            }
            if let Some(x) = pose.iter().find(|x| !x.is_finite()) {
                return Err(Error::OutOfRange { what: what.into(), value: *x, expected: "finite numbers" });
            }
        }
        tasks.iter().try_for_each(|t| t.check(&self.figure))
    }

    /// Which levels there are.
    fn order(&mut self, tasks: &[Task]) {
        self.order.clear();
        self.order.extend(tasks.iter().map(|t| t.level));
        self.order.sort_unstable();
        self.order.dedup();
    }

    /// Rows and errors of all tasks, by level, at a pose.
    fn linearise(&mut self, q: &[f64], tasks: &[Task]) {
        self.kinematics.update(self.figure.forest(), q, None, None);
        self.steps.prepare(q);
        for (level, wanted) in self.levels.iter_mut().zip(&self.order) {
            level.clear();
            for task in tasks.iter().filter(|t| t.level == *wanted) {
                task.linearise(&self.figure, &self.kinematics, &mut self.columns, |row, error| {
                    level.push(row, error);
                    self.steps.convert(level.last_mut());
                });
            }
        }
    }

    /// The way to the posture, in the coordinates of steps.
    fn wish(&mut self, q: &[f64], posture: Option<&[f64]>) {
        let Some(posture) = posture else { return };
        pose::difference(self.figure.forest(), q, posture, &mut self.wish);
        self.steps.convert_way(q, &mut self.wish);
    }
}

/// How far a pose is beyond the limits of a figure's joints, m or rad: the largest of all.
pub fn beyond_limits(figure: &Figure, q: &[f64]) -> f64 {
    Steps::of(figure).excess(q)
}
