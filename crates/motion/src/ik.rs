//! Inverse kinematics of any tree with priorities: what comes later never disturbs what comes before.
//!
//! Computes  q that, level by level, minimises the weighted errors of its tasks within what the levels before it leave
//! free, and within the limits of the joints; last the distance to a posture.
//! Source: [NH1986] (singularity-robust inverse, priorities by null spaces).
//! We differ: any number of levels, each a damped least-squares problem in the null space of those before (orthogonal
//! factors with pivots, not projectors); steps on the manifold; limits by an active set; damping grows with the error.
//! Not here: closed loops (`constraint` of the dynamics), motions (`retarget`).
//! Checked by: `tests/ik.rs`.

mod coordinates;
mod levels;

use crate::error::Error;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::algo::jacobian;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Motion, Quat, Vec3};
use coordinates::Steps;
use levels::{Level, Solve};
use std::sync::Arc;

/// What is wanted of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// a point of it is at a place
    Place {
        /// which link
        link: LinkHandle,
        /// in link axes, m
        point: Vec3,
        /// in the world, m
        at: Vec3,
    },
    /// it is turned so
    Turn {
        /// which link
        link: LinkHandle,
        /// world from link
        to: Quat,
    },
    /// a direction of it points so; it may turn about that
    Direction {
        /// which link
        link: LinkHandle,
        /// unit vector in link axes
        axis: Vec3,
        /// unit vector in the world
        to: Vec3,
    },
}

/// A goal, when it counts and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// what is wanted
    pub goal: Goal,
    /// levels count one after the other, the lowest first
    pub level: u8,
    /// among tasks of its level
    pub weight: f64,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// at most so many steps
    pub iterations: usize,
    /// a step smaller than this is the last; levels are met below it. m, rad
    pub tolerance: f64,
    /// no joint turns more in a step, rad
    pub largest_turn: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { iterations: 100, tolerance: 1e-9, largest_turn: 0.5 }
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
    /// degrees of freedom (places in v; angles of the order for ball joints) that are at a limit
    pub at_limit: Vec<usize>,
}

/// Part of the squared error of a level that is added as damping at first: far away steps are careful.
const CAUTION: f64 = 0.1;
/// It is less after each step that made the error smaller, more after others, within these bounds.
const BOLDER: f64 = 0.4;
const WARIER: f64 = 4.0;
const CAUTIONS: (f64, f64) = (1e-6, 1e2);
/// Damping that is always there, squared: 1e-3 m / rad. Keeps steps finite at stretched limbs.
const LEAST_DAMPING: f64 = 1e-6;
/// So many steps of each level without those behind it, where the search did not come to rest.
const POLISH: usize = 10;

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
    best: Vec<f64>,
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
            best: Vec::new(),
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
        let mut outcome = Outcome::default();
        self.steps.clamp(q);
        self.order(tasks);
        let levels = self.order.len();
        self.search(q, tasks, levels, posture, options, &mut outcome);
        // what did not come to rest: each level once more without those behind it
        let settled = outcome.is_settled;
        for levels in (1..levels + usize::from(posture.is_some())).rev().filter(|_| !settled) {
            let options = Options { iterations: POLISH, ..*options };
            self.search(q, tasks, levels, None, &options, &mut outcome);
        }
        outcome.is_settled = settled;
        pose::settle(self.figure.forest(), None, q);
        self.kinematics.update(self.figure.forest(), q, None, None);
        outcome.residuals = tasks.iter().map(|t| self.error(&t.goal).norm()).collect();
        outcome.at_limit = self.steps.at_limit(q);
        Ok(outcome)
    }

    /// Steps with the first so many levels; leaves the best pose met.
    fn search(
        &mut self,
        q: &mut [f64],
        tasks: &[Task],
        levels: usize,
        posture: Option<&[f64]>,
        options: &Options,
        outcome: &mut Outcome,
    ) {
        let mut best: Option<Vec<f64>> = None;
        self.levels.clear();
        self.levels.resize_with(levels, || Level::new(CAUTION));
        let last = outcome.iterations + options.iterations;
        outcome.is_settled = false;
        loop {
            self.kinematics.update(self.figure.forest(), q, None, None);
            self.steps.prepare(q);
            self.linearise(tasks, options.tolerance);
            let errors: Vec<f64> = self.levels.iter().map(|l| l.size().max(options.tolerance)).collect();
            if best.as_ref().is_none_or(|b| is_better(&errors, b, options.tolerance)) {
                best = Some(errors);
                self.best.clear();
                self.best.extend_from_slice(q);
            }
            if outcome.is_settled || outcome.iterations >= last {
                break;
            }
            self.advance(q, posture, options);
            outcome.iterations += 1;
            outcome.is_settled = self.step.iter().all(|s| s.abs() < options.tolerance);
        }
        q.copy_from_slice(&self.best);
    }

    fn advance(&mut self, q: &mut [f64], posture: Option<&[f64]>, options: &Options) {
        self.wish(q, posture);
        let (lower, upper) = self.steps.bounds(q);
        let wish = posture.map(|_| &self.wish[..]);
        self.solve.step(&self.levels, wish, lower, upper, &mut self.step);
        let largest = self.steps.largest_turn(&self.step);
        let part = if largest > options.largest_turn { options.largest_turn / largest } else { 1.0 };
        self.step.iter_mut().for_each(|s| *s *= part);
        self.steps.advance(q, &self.step);
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
        for task in tasks {
            let (link, is_finite) = match task.goal {
                Goal::Place { link, point, at } => (link, point.is_finite() && at.is_finite()),
                Goal::Turn { link, to } => (link, to.is_finite() && to.norm() > 0.0),
                Goal::Direction { link, axis, to } => (link, axis.is_finite() && to.is_finite()),
            };
            let name = &self.figure.link(link)?.spec.name;
            if !is_finite {
                let what = format!("goal of link `{name}`");
                return Err(Error::OutOfRange { what, value: f64::NAN, expected: "finite numbers" });
            }
            if !(task.weight >= 0.0 && task.weight.is_finite()) {
                let what = format!("weight of a task of link `{name}`");
                return Err(Error::OutOfRange { what, value: task.weight, expected: "zero or more" });
            }
        }
        Ok(())
    }

    /// The way to a goal: m along, or rad about, world axes.
    fn error(&self, goal: &Goal) -> Vec3 {
        let pose = |link| self.kinematics.link_pose(self.figure.forest(), link);
        match *goal {
            Goal::Place { link, point, at } => at - pose(link).point(point),
            Goal::Turn { link, to } => to.normalized().then(pose(link).orientation().inverse()).log(),
            Goal::Direction { link, axis, to } => turn_between(pose(link).rotation.mul(axis), to),
        }
    }

    /// Which levels there are.
    fn order(&mut self, tasks: &[Task]) {
        self.order.clear();
        self.order.extend(tasks.iter().map(|t| t.level));
        self.order.sort_unstable();
        self.order.dedup();
    }

    /// Rows, errors and damping of all tasks, by level.
    fn linearise(&mut self, tasks: &[Task], tolerance: f64) {
        for k in 0..self.levels.len() {
            let (wanted, before) = (self.order[k], self.levels[k].size());
            let is_first = self.levels[k].is_empty();
            self.levels[k].clear();
            for task in tasks.iter().filter(|t| t.level == wanted) {
                self.add(k, task);
            }
            let (size, level) = (self.levels[k].size(), &mut self.levels[k]);
            let is_better = size < before || size < tolerance;
            let change = if is_better { BOLDER } else { WARIER };
            let caution = level.caution * if is_first { 1.0 } else { change };
            level.caution = caution.clamp(CAUTIONS.0, CAUTIONS.1);
            level.damping = LEAST_DAMPING + level.caution * size * size;
        }
    }

    fn add(&mut self, level: usize, task: &Task) {
        let forest = self.figure.forest();
        let (link, point) = match task.goal {
            Goal::Place { link, point, .. } => (link, point),
            Goal::Turn { link, .. } | Goal::Direction { link, .. } => (link, Vec3::ZERO),
        };
        jacobian::of_link_point(forest, &self.kinematics, link, point, &mut self.columns);
        let along = match task.goal {
            Goal::Direction { to, .. } => Some(to),
            _ => None,
        };
        let (error, weight) = (self.error(&task.goal).to_array(), task.weight.sqrt());
        for (axis, e) in error.into_iter().enumerate() {
            let row = self.columns.iter().map(|c| match task.goal {
                Goal::Place { .. } => c.linear.to_array()[axis] * weight,
                _ => {
                    // a turn about the direction itself changes nothing
                    let free = along.map_or(Vec3::ZERO, |d| d.scale(d.dot(c.angular)));
                    (c.angular - free).to_array()[axis] * weight
                }
            });
            self.levels[level].push(row, e * weight);
            self.steps.convert(self.levels[level].last_mut());
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

/// Whether errors of levels are no larger than others, the first that differ decide.
fn is_better(errors: &[f64], than: &[f64], tolerance: f64) -> bool {
    let mut pairs = errors.iter().zip(than).map(|(a, b)| a - b);
    pairs.find(|d| d.abs() > tolerance).is_none_or(|d| d < 0.0)
}

/// The shortest turn from one direction to another, as a rotation vector.
fn turn_between(from: Vec3, to: Vec3) -> Vec3 {
    let (Some(from), Some(to)) = (from.normalized(), to.normalized()) else { return Vec3::ZERO };
    let axis = from.cross(to);
    if axis.norm() < 1e-12 && from.dot(to) < 0.0 {
        return from.any_perpendicular().scale(core::f64::consts::PI);
    }
    let half = Quat([1.0 + from.dot(to), axis.x, axis.y, axis.z]);
    half.normalized().log()
}
