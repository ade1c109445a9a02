//! Prioritised inverse kinematics of any tree: lower levels never disturb higher ones.
//!
//! Computes  q that, level by level, minimises the weighted task errors in the null space of the levels before and
//! within the joint limits; last the distance to a posture.
//! Source: [NH1986 SR-inverse], with priorities by null spaces.
//! We differ: any number of levels, each a damped least-squares problem in the null space of those before (orthogonal
//! factors with pivots, not projectors); steps on the manifold; limits by an active set; damping grows with the error.
//! Not here: closed loops (`constraint` of the dynamics), motions (`retarget`).
//! Checked by: `tests/it/ik.rs`.

mod least_squares;
mod step_coordinates;
mod task;

pub use task::{Goal, Task};

use crate::error::Error;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Motion, Vec3};
use least_squares::{Level, PrioritizedLeastSquares};
use std::sync::Arc;
use step_coordinates::StepCoordinates;

/// Settings of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// maximum number of iterations
    pub iterations: usize,
    /// step size at convergence, and error below which a level is met, m or rad
    pub tolerance: f64,
    /// largest rotation of a joint per iteration, rad
    pub max_rotation: f64,
    /// initial damping, relative to the squared error of a level; smaller for a start near the solution
    pub damping: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { iterations: 100, tolerance: 1e-9, max_rotation: 0.5, damping: 0.1 }
    }
}

/// Result of a solve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// iterations used
    pub iterations: usize,
    /// whether the iteration converged
    pub has_converged: bool,
    /// error of each task, m or rad
    pub residuals: Vec<f64>,
    /// final damping, to start the next nearby solve with
    pub damping: f64,
    /// degrees of freedom at a limit (indices into v; Euler angles for ball joints)
    pub at_limit: Vec<usize>,
}

/// Factors on the damping after an accepted and a rejected step, and its range.
const DAMPING_DECREASE: f64 = 0.3;
const DAMPING_INCREASE: f64 = 5.0;
const DAMPING_RANGE: (f64, f64) = (1e-6, 1e2);
/// Least squared damping, (1e-3 m/rad)^2: keeps steps finite at stretched limbs.
const MIN_DAMPING: f64 = 1e-6;
/// Nonlinearity of positions per squared rotation of a step, m/rad^2: a few joints in series, limbs of a metre.
const CURVATURE: f64 = 5.0;
/// A level with a smaller error is met and may deviate in favour of lower levels by up to the second, m or rad.
const MET: f64 = 1e-3;
const MAX_DEVIATION: f64 = 0.05;
/// Relative difference below which errors are equal.
const EQUAL_ERRORS: f64 = 1e-9;
/// Iterations on the upper levels alone after a search that did not converge.
const POLISH_ITERATIONS: usize = 20;

/// Inverse kinematics solver of a figure.
pub struct Solver {
    figure: Arc<Figure>,
    steps: StepCoordinates,
    kinematics: Kinematics,
    columns: Vec<Motion>,
    order: Vec<u8>,
    levels: Vec<Level>,
    solve: PrioritizedLeastSquares,
    step: Vec<f64>,
    target: Vec<f64>,
    trial: Vec<f64>,
}

impl Solver {
    /// Solver for a figure.
    pub fn new(figure: Arc<Figure>) -> Solver {
        let nv = figure.forest().nv();
        Solver {
            steps: StepCoordinates::new(&figure),
            kinematics: Kinematics::default(),
            columns: vec![Motion::default(); nv],
            order: Vec::new(),
            levels: Vec::new(),
            solve: PrioritizedLeastSquares::default(),
            step: vec![0.0; nv],
            target: vec![0.0; nv],
            trial: Vec::new(),
            figure,
        }
    }

    /// The figure.
    pub fn figure(&self) -> &Arc<Figure> {
        &self.figure
    }

    /// Solves the tasks from the start `q`, clamped to the limits, and approaches `posture` in the remaining null space.
    /// Tasks that cannot be met are approached; the outcome contains their errors.
    ///
    /// # Errors
    /// Poses of the wrong length; numbers that are not finite; negative weights.
    pub fn solve(
        &mut self,
        q: &mut [f64],
        tasks: &[Task],
        posture: Option<&[f64]>,
        options: &Options,
    ) -> Result<Outcome, Error> {
        self.check(q, tasks, posture)?;
        let mut outcome = Outcome { damping: options.damping, ..Outcome::default() };
        self.steps.clamp(q);
        self.order(tasks);
        let levels = self.order.len();
        self.search(q, tasks, levels, posture, options, &mut outcome);
        // without convergence, unmet upper levels are polished without the lower ones
        let has_converged = outcome.has_converged;
        for some in (1..levels + usize::from(posture.is_some())).rev().filter(|_| !has_converged) {
            let largest = if some < levels { f64::INFINITY } else { 2.0 * MAX_DEVIATION };
            if self.levels[..some].iter().any(|l| (options.tolerance..largest).contains(&l.size())) {
                let options = Options { iterations: POLISH_ITERATIONS, ..*options };
                outcome.damping = options.damping;
                self.search(q, tasks, some, None, &options, &mut outcome);
            }
        }
        outcome.has_converged = has_converged;
        pose::make_continuous(self.figure.forest(), None, q);
        self.kinematics.update(self.figure.forest(), q, None, None);
        outcome.residuals =
            tasks.iter().map(|t| t.goal.error(&self.figure, &self.kinematics).norm()).collect();
        outcome.at_limit = self.steps.at_limit(q);
        Ok(outcome)
    }

    /// Monotone iteration on the first `levels` levels.
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
        outcome.has_converged = false;
        self.linearise(q, tasks);
        while !outcome.has_converged && outcome.iterations < last {
            self.levels.iter_mut().for_each(|l| l.damp(MIN_DAMPING, outcome.damping));
            let largest = self.step_from(q, posture, options);
            outcome.iterations += 1;
            outcome.has_converged = self.step.iter().all(|s| s.abs() < options.tolerance);
            self.kinematics.update(self.figure.forest(), &self.trial, None, None);
            let bend = (CURVATURE * largest * largest).min(MAX_DEVIATION);
            let is_better = self.is_better(tasks, options.tolerance, bend);
            let change = if is_better { DAMPING_DECREASE } else { DAMPING_INCREASE };
            outcome.damping = (outcome.damping * change).clamp(DAMPING_RANGE.0, DAMPING_RANGE.1);
            if is_better {
                q.copy_from_slice(&self.trial);
                self.linearise(q, tasks);
            }
        }
    }

    /// Computes a step and its trial pose. Returns the largest rotation.
    fn step_from(&mut self, q: &[f64], posture: Option<&[f64]>, options: &Options) -> f64 {
        self.target(q, posture);
        let (lower, upper) = self.steps.bounds(q);
        let target = posture.map(|_| &self.target[..]);
        self.solve.step(&self.levels, target, lower, upper, &mut self.step);
        let largest = self.steps.max_rotation(&self.step);
        let part = if largest > options.max_rotation { options.max_rotation / largest } else { 1.0 };
        self.step.iter_mut().for_each(|s| *s *= part);
        self.trial.clear();
        self.trial.extend_from_slice(q);
        self.steps.advance(&mut self.trial, &self.step);
        largest * part
    }

    /// Whether the trial improves on the linearised pose. The first level that differs decides; a met level may deviate
    /// by the nonlinearity of the step.
    fn is_better(&self, tasks: &[Task], tolerance: f64, bend: f64) -> bool {
        for (level, priority) in self.levels.iter().zip(&self.order) {
            let errors = tasks.iter().filter(|t| t.level == *priority);
            let square = |e: Vec3| e.dot(e);
            let new = errors.map(|t| t.weight * square(t.goal.error(&self.figure, &self.kinematics)));
            let (new, old) = (new.sum::<f64>().sqrt(), level.size());
            let is_met = old < MET && new < bend || new.max(old) < tolerance;
            if is_met || (new - old).abs() <= EQUAL_ERRORS * old {
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

    /// Collects the levels of the tasks.
    fn order(&mut self, tasks: &[Task]) {
        self.order.clear();
        self.order.extend(tasks.iter().map(|t| t.level));
        self.order.sort_unstable();
        self.order.dedup();
    }

    /// Jacobian rows and errors of all tasks by level.
    fn linearise(&mut self, q: &[f64], tasks: &[Task]) {
        self.kinematics.update(self.figure.forest(), q, None, None);
        self.steps.prepare(q);
        for (level, priority) in self.levels.iter_mut().zip(&self.order) {
            level.clear();
            for task in tasks.iter().filter(|t| t.level == *priority) {
                task.linearise(&self.figure, &self.kinematics, &mut self.columns, |row, error| {
                    level.push(row, error);
                    self.steps.convert(level.last_mut());
                });
            }
        }
    }

    /// Displacement to the posture, in step coordinates.
    fn target(&mut self, q: &[f64], posture: Option<&[f64]>) {
        let Some(posture) = posture else { return };
        pose::difference(self.figure.forest(), q, posture, &mut self.target);
        pose::free_travel_to_child(self.figure.forest(), q, &mut self.target);
        self.steps.convert_displacement(&mut self.target);
    }
}

/// Largest violation of the figure's joint limits, m or rad.
pub fn beyond_limits(figure: &Figure, q: &[f64]) -> f64 {
    StepCoordinates::new(figure).excess(q)
}
