//! HIDDS: hybrid inverse and direct dynamics, with torques refined by iterative learning.
//!
//! Inverse dynamics of an assumed figure estimates the torques of a desired motion (`torque_estimate`); forward dynamics
//! simulates the real figure, of the same structure with other masses, under these torques, with constrained contacts and weak
//! joint feedback (`forward_simulation`). Each run improves the torques of the next (`learning_law`), until the posture error
//! is small.
//! Source: [L1992 §9.5] for the hybrid; [L1992 §9.6] suggests the refinement as future work.
//! We differ: ground forces are computed, not given; refinement is automatic, by one of two laws.
//! Never worse: a run with a larger error is reported and dropped, and the step from the best torques halved.
//! Not here: ground forces of a spring leg (`virtual_leg`).
//! Checked by: `tests/it/hidds.rs`.
//!
//! | part | content |
//! |---|---|
//! | `desired_motion` | the desired motion and its contacts |
//! | `contact_rows` | Jacobians of active contacts |
//! | `torque_estimate` | torques by inverse dynamics, with the wrench of the root split over the contacts |
//! | `forward_simulation` | forward dynamics with constrained contacts |
//! | `learning_law` | torques of the next run |
//! | `contact_check` | contact violations of a run |

mod contact_check;
mod contact_rows;
mod desired_motion;
mod forward_simulation;
mod learning_law;
mod torque_estimate;

pub use contact_check::ContactViolations;
pub use desired_motion::{DesiredMotion, DesiredSample};
pub use forward_simulation::ContactHold;

use super::check_range;
use crate::clip::Clip;
use crate::error::Error;
use crate::filter::dynamics_terms::free_body;
use anthropi_dynamics::algo::crba;
use anthropi_dynamics::model::{BodyJoint, Figure, Link};
use anthropi_dynamics::spatial::{Vec3, vec3};
use forward_simulation::{Feedback, ForwardSimulation, Run};
use serde::Serialize;
use std::sync::Arc;
use torque_estimate::TorqueEstimator;

/// Normal of the ground.
const UP: Vec3 = vec3(0.0, 0.0, 1.0);

/// Torques of the first run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialTorques {
    /// inverse dynamics of the assumed figure along the course
    #[default]
    Estimated,
    /// static torques of each pose
    Static,
    /// zero
    Zero,
}

/// Update law of the torques.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LearningLaw {
    /// adds the model error observed in a run to the estimate
    #[default]
    Model,
    /// adds the torques of the feedback
    Feedback,
}

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HiddsSettings {
    /// torques of the first run
    pub start: InitialTorques,
    /// update law of the torques
    pub law: LearningLaw,
    /// targets of points in contact
    pub hold: ContactHold,
    /// largest number of runs after the first
    pub runs: usize,
    /// factor on the update, in (0, 1]
    pub gain: f64,
    /// feedback stiffness over inertia, 1/s^2
    pub stiffness: f64,
    /// posture error at which to stop, degrees
    pub tolerance_deg: f64,
    /// coefficient of friction of the ground
    pub friction: f64,
}

impl Default for HiddsSettings {
    fn default() -> HiddsSettings {
        HiddsSettings {
            start: InitialTorques::Estimated,
            law: LearningLaw::Model,
            hold: ContactHold::Desired,
            runs: 15,
            gain: 1.0,
            stiffness: 60.0,
            tolerance_deg: 1e-3,
            friction: crate::inverse::FRICTION,
        }
    }
}

/// Report of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// posture error, RMS over rotational joints and samples, degrees; infinite for diverged runs
    pub posture_deg: f64,
    /// position error of the root at the end, m; infinite for diverged runs
    #[serde(rename = "root_end_m")]
    pub root_end: f64,
    /// factor on the update before this run
    pub gain: f64,
    /// whether it was the best run so far
    pub is_best: bool,
    /// contact violations of its ground forces
    #[serde(flatten)]
    pub violations: ContactViolations,
}

/// Torques that make the real figure follow a desired motion.
#[derive(Clone, Debug)]
pub struct Refined {
    /// by sample, all degrees of freedom; zero for the root
    pub torques: Vec<Vec<f64>>,
    /// motion under these torques, until it diverges
    pub motion: Clip,
    /// total ground force by sample, N
    pub ground: Vec<Vec3>,
    /// reports of all runs
    pub history: Vec<RunReport>,
    /// index of the best run
    pub best: usize,
    /// largest residual force on the root in the estimate, N; zero for other initial torques
    pub unexplained: f64,
}

/// Damping ratio of the feedback, and least inertia it is scaled by, kg m^2.
const DAMPING_RATIO: f64 = 0.7;
const MIN_INERTIA: f64 = 0.3;
/// Relative change of the error at which to stop.
const CONVERGED: f64 = 0.02;
/// Least gain.
const MIN_GAIN: f64 = 1.0 / 64.0;

/// Finds torques with which the `real` figure follows a desired motion, given the `assumed` one.
///
/// # Errors
/// A desired motion that is empty, not finite or of another figure; figures of different structure, without a free root, or
/// with loop closures; a setting out of range; implausibly large torques.
pub fn refine(
    assumed: &Figure,
    real: &Arc<Figure>,
    desired: &DesiredMotion,
    settings: &HiddsSettings,
) -> Result<Refined, Error> {
    check(settings)?;
    desired.check(assumed)?;
    check_same_structure(assumed, real)?;
    let mut estimator = TorqueEstimator::new(assumed, settings.friction)?;
    TorqueEstimator::new(real, settings.friction)?;
    let feedback = feedback(assumed, &estimator, desired, settings.stiffness);
    let (start, unexplained) = initial_torques(desired, &mut estimator, settings.start);
    let mut simulation = ForwardSimulation::new(real, estimator.root, desired, settings.hold);
    let weight = real.mass() * real.gravity().norm();
    let report_on = |run: &Run, gain: f64| {
        let (posture_deg, root_end) = errors(real, run);
        let violations = contact_check::check_contacts(desired, run, weight, settings.friction);
        RunReport { posture_deg, root_end, gain, is_best: true, violations }
    };
    let mut torques = start;
    let mut run = simulation.run(&torques, &feedback)?;
    let mut history = vec![report_on(&run, settings.gain)];
    let (mut best, mut gain) = (0, settings.gain);
    let mut proposed = learning_law::next_torques(settings.law, desired, &mut estimator, &run, &torques);
    for n in 1..=settings.runs {
        if history[best].posture_deg <= settings.tolerance_deg || gain < MIN_GAIN {
            break;
        }
        let tried: Vec<Vec<f64>> = torques.iter().zip(&proposed).map(|(a, b)| blended(a, b, gain)).collect();
        let other = simulation.run(&tried, &feedback)?;
        let report = report_on(&other, gain);
        let (was, is) = (history[best].posture_deg, report.posture_deg);
        let is_best = is < was || is.is_infinite() && was.is_infinite() && other.a.len() > run.a.len();
        history.push(RunReport { is_best, ..report });
        if is_best {
            (torques, run, best) = (tried, other, n);
        }
        if (is - was).abs() < CONVERGED * was && (gain >= settings.gain || !is_best) {
            break;
        }
        if !is_best {
            gain *= 0.5;
            continue;
        }
        gain = (2.0 * gain).min(settings.gain);
        proposed = learning_law::next_torques(settings.law, desired, &mut estimator, &run, &torques);
    }
    let ground = run.forces.iter().map(|f| f.iter().fold(Vec3::ZERO, |sum, f| sum + *f)).collect();
    let motion = Clip::new("hybrid", real.clone(), desired.dt, run.q.concat())?;
    Ok(Refined { torques, motion, ground, history, best, unexplained })
}

fn blended(a: &[f64], b: &[f64], part: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect()
}

/// Torques of the first run, and the largest residual force.
fn initial_torques(
    desired: &DesiredMotion,
    estimator: &mut TorqueEstimator,
    start: InitialTorques,
) -> (Vec<Vec<f64>>, f64) {
    let mut most = 0.0f64;
    let torques = desired.samples.iter().enumerate().map(|(n, sample)| {
        let rest = vec![0.0; sample.v.len()];
        let (v, a) = match start {
            InitialTorques::Zero => return rest,
            InitialTorques::Static => (&rest, &rest),
            InitialTorques::Estimated => (&sample.v, &sample.a),
        };
        let mut tau = estimator.generalized_forces(&sample.q, v, a);
        let residual = estimator.split_with_ground(desired, n, &mut tau);
        if start == InitialTorques::Estimated {
            most = most.max(residual);
        }
        tau
    });
    let torques = torques.collect();
    (torques, most)
}

/// kp = stiffness I, kd = 2 * 0.7 sqrt(stiffness) I with the inertia I of each joint at the first sample.
fn feedback(
    figure: &Figure,
    estimator: &TorqueEstimator,
    desired: &DesiredMotion,
    stiffness: f64,
) -> Feedback {
    let forest = figure.forest();
    let (mut work, mut mass) = (crba::Work::default(), crba::PathMatrix::default());
    crba::mass_matrix(forest, &desired.samples[0].q, &mut work, &mut mass);
    let mut inertia: Vec<f64> =
        mass.to_dense(forest).iter().enumerate().map(|(k, row)| row[k].max(MIN_INERTIA)).collect();
    inertia[estimator.root_dofs()].fill(0.0);
    let damping = 2.0 * DAMPING_RATIO * stiffness.sqrt();
    Feedback {
        stiffness: inertia.iter().map(|i| stiffness * i).collect(),
        damping: inertia.iter().map(|i| damping * i).collect(),
    }
}

/// Posture error, degrees RMS over rotational joints, and position error of the root at the end, m.
fn errors(figure: &Figure, run: &Run) -> (f64, f64) {
    if run.has_diverged {
        return (f64::INFINITY, f64::INFINITY);
    }
    let bodies = figure.forest().bodies().iter().skip(1);
    let turning = bodies.filter(|b| !matches!(b.joint, BodyJoint::Free | BodyJoint::Prismatic(_)));
    let dofs: Vec<usize> = turning.flat_map(|b| b.dofs()).collect();
    let squares: f64 = run.error.iter().flat_map(|e| dofs.iter().map(|k| e[*k] * e[*k])).sum();
    let count = (run.error.len() * dofs.len()).max(1);
    let root = free_body(figure.forest()).zip(run.error.last());
    let end = root.map_or(0.0, |(b, e)| e[b.dofs()][3..].iter().map(|x| x * x).sum::<f64>());
    ((squares / count as f64).sqrt().to_degrees(), end.sqrt())
}

/// Rejects figures that differ in more than masses.
fn check_same_structure(assumed: &Figure, real: &Figure) -> Result<(), Error> {
    let same = |one: &Link, other: &Link| {
        let joints = assumed.joint(one.joint()).ok().zip(real.joint(other.joint()).ok());
        joints.is_some_and(|(a, b)| {
            a.coordinates() == b.coordinates()
                && a.parent_from_joint == b.parent_from_joint
                && a.child_from_joint == b.child_from_joint
        })
    };
    let (mut a, mut b) = (assumed.links(), real.links());
    loop {
        let link = match (a.next(), b.next()) {
            (None, None) => return Ok(()),
            (Some(x), Some(y)) if x.0 == y.0 && same(x.1, y.1) => continue,
            (x, y) => x.or(y).map_or("", |(_, l)| &l.spec.name),
        };
        let what =
            format!("its link `{link}` differs from that of `{}`; only masses may differ", assumed.name);
        return Err(Error::Unsuitable { subject: real.name.clone(), what });
    }
}

fn check(settings: &HiddsSettings) -> Result<(), Error> {
    check_range("friction", settings.friction, "more than zero", |x| x > 0.0)?;
    check_range("gain", settings.gain, "more than zero", |x| x > 0.0)?;
    check_range("stiffness", settings.stiffness, "zero or more", |x| x >= 0.0)?;
    check_range("tolerance", settings.tolerance_deg, "zero or more", |x| x >= 0.0)?;
    check_range("gain", settings.gain, "one at most", |x| x <= 1.0)
}
