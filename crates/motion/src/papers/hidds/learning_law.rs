//! Iterative learning: the torques of the next run.
//!
//! [`LearningLaw::Model`]. A run gives the accelerations a of the real figure under torques tau and ground forces f, so
//! d = tau + J^T f - ID(q, v, a)  is the model error of the assumed figure's inverse dynamics ID. The next torques are those
//! of  ID(desired) + d,  split again with the ground (`torque_estimate`). With M assumed and M' real, d = (M' - M) a + ...,
//! and the next error is about M'^-1 (M' - M) times the last: a tenth for masses wrong by a tenth, without a gain to tune.
//!
//! [`LearningLaw::Feedback`], the standard law of iterative learning control: adds the feedback torques, smoothed, with a lead
//! of a few milliseconds because feedback lags. It needs no model and learns more slowly.
//! Source: [L1992 §9.6] proposes the repetition; both laws are textbook forms of it.

use super::LearningLaw;
use super::contact_rows::ContactRows;
use super::desired_motion::DesiredMotion;
use super::forward_simulation::Run;
use super::torque_estimate::TorqueEstimator;
use crate::filter::dynamics_terms::DynamicsTerms;

/// Standard deviation of the Gaussian smoothing of feedback torques, s, and standard deviations at which it is truncated.
const SMOOTHING: f64 = 0.006;
const TRUNCATION: f64 = 4.0;
/// Lead of the feedback torques, s.
const LEAD: f64 = 0.008;

/// Torques of the next run, after one under `torques`.
pub(super) fn next_torques(
    law: LearningLaw,
    desired: &DesiredMotion,
    estimator: &mut TorqueEstimator,
    run: &Run,
    torques: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    match law {
        LearningLaw::Model => by_model(desired, estimator, run, torques),
        LearningLaw::Feedback => by_feedback(desired.dt, run, torques),
    }
}

fn by_model(
    desired: &DesiredMotion,
    estimator: &mut TorqueEstimator,
    run: &Run,
    torques: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let forest = estimator.figure.forest();
    let nv = forest.nv();
    let (mut terms, mut next_torques) = (DynamicsTerms::default(), torques.to_vec());
    for (n, sample) in desired.samples.iter().enumerate().take(run.a.len()) {
        let (q, v, a) = (&run.q[n], &run.v[n], &run.a[n]);
        let explained = estimator.generalized_forces(q, v, a);
        let mut model_error: Vec<f64> =
            (0..nv).map(|k| torques[n][k] + run.feedback_torque[n][k] - explained[k]).collect();
        terms.update_motion(forest, q, v, &vec![0.0; nv]);
        ContactRows::new(forest, &terms, desired, n).add_forces(&run.forces[n], 1.0, &mut model_error);
        next_torques[n] = estimator.generalized_forces(&sample.q, &sample.v, &sample.a);
        next_torques[n].iter_mut().zip(&model_error).for_each(|(torque, d)| *torque += d);
        estimator.split_with_ground(desired, n, &mut next_torques[n]);
    }
    next_torques
}

fn by_feedback(dt: f64, run: &Run, torques: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (lead, reach) = ((LEAD / dt).round() as isize, (TRUNCATION * SMOOTHING / dt).ceil() as isize);
    let gaussian: Vec<f64> =
        (-reach..=reach).map(|k| libm::exp(-0.5 * (k as f64 * dt / SMOOTHING).powi(2))).collect();
    let total: f64 = gaussian.iter().sum();
    let last = run.feedback_torque.len() as isize - 1;
    let mut next_torques = torques.to_vec();
    for (n, tau) in next_torques.iter_mut().enumerate() {
        for (weight, k) in gaussian.iter().zip(-reach..=reach) {
            let from = (n as isize + lead + k).clamp(0, last) as usize;
            tau.iter_mut().zip(&run.feedback_torque[from]).for_each(|(t, f)| *t += weight / total * f);
        }
    }
    next_torques
}
