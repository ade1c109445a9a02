//! Causal estimate of pose, velocity and acceleration, frame by frame.
//!
//! Computes a Kalman filter of constant acceleration and white jerk for every degree of freedom, with the steady gains
//! of `gain`. On the manifold: a pose advances by  omega dt + alpha dt^2/2 + omega x alpha dt^3/12  (the logarithm of
//! the rotation to fourth order), and the innovation is the displacement from the predicted to the measured pose. Free
//! joints travel in world axes; v and a are in child axes, v = R^T p', v' = R^T p'' - omega x v.
//! Polynomials fit the first frames (`start`).
//! Source: `gain`; our own on the manifold. We differ from an extended Kalman filter: the gains ignore the small
//! rotation of the axes by a correction.
//! Not here: the whole motion at once (`trajectory`).
//! Checked by: `tests/it/estimate.rs`.

mod gain;
mod start;
mod tuning;

pub use gain::Gains;
pub use tuning::{Delay, Tuning};

use crate::clip::joint_of_coordinate;
use crate::error::Error;
use crate::pose;
use anthropi_dynamics::model::{Body, BodyJoint, Figure};
use start::Start;

/// Estimated state of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate<'a> {
    /// frame number, counting pushed and skipped frames from zero
    pub frame: usize,
    /// coordinates
    pub pose: &'a [f64],
    /// velocities
    pub v: &'a [f64],
    /// accelerations: time derivatives of `v`
    pub a: &'a [f64],
}

/// Pose and its time derivatives; travel of free joints in world axes.
#[derive(Clone, Debug)]
struct FrameState {
    pose: Vec<f64>,
    rate: Vec<f64>,
    second: Vec<f64>,
}

/// Causal estimator. Does not allocate after construction.
#[derive(Clone, Debug)]
pub struct OnlineEstimator {
    figure: Figure,
    dt: f64,
    gains: Gains,
    delay: Delay,
    /// frames pushed or skipped
    count: usize,
    start: Start,
    now: FrameState,
    before: FrameState,
    predicted: Vec<f64>,
    step: Vec<f64>,
    innovation: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

/// Range of the cut-off, part of the frame rate.
const CUTOFFS: [f64; 2] = [2e-4, 0.45];

impl OnlineEstimator {
    /// Estimator for frames `dt` seconds apart.
    ///
    /// # Errors
    /// Times, jerk or noise not positive; a cut-off below 0.0002 or above 0.45 of the frame rate.
    pub fn new(figure: &Figure, dt: f64, tuning: Tuning) -> Result<OnlineEstimator, Error> {
        for (what, value) in [("time between frames", dt), ("jerk", tuning.jerk), ("noise", tuning.noise)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::OutOfRange { what: what.into(), value, expected: "a positive number" });
            }
        }
        let part = tuning.cutoff(dt) * dt;
        if !(CUTOFFS[0]..=CUTOFFS[1]).contains(&part) {
            let what = "cut-off of the estimator, as a part of the frame rate".into();
            return Err(Error::OutOfRange { what, value: part, expected: "between 0.0002 and 0.45" });
        }
        let gains = Gains::steady(tuning.pole(dt) * dt);
        let (nq, nv) = (figure.forest().nq(), figure.forest().nv());
        let numbers = |n: usize| vec![0.0; n];
        let state =
            FrameState { pose: figure.forest().home().to_vec(), rate: numbers(nv), second: numbers(nv) };
        Ok(OnlineEstimator {
            figure: figure.clone(),
            dt,
            gains,
            delay: tuning.delay,
            count: 0,
            start: Start::new(figure.forest(), gains.filter[0]),
            now: state.clone(),
            before: state,
            predicted: numbers(nq),
            step: numbers(nv),
            innovation: numbers(nv),
            v: numbers(nv),
            a: numbers(nv),
        })
    }

    /// Steady-state gains.
    pub fn gains(&self) -> Gains {
        self.gains
    }

    /// Number of frames of the start-up phase.
    pub fn start_frames(&self) -> usize {
        self.start.length()
    }

    /// Takes a frame; returns its estimate or, with a delay, that of the previous frame (`None` at the first).
    ///
    /// # Errors
    /// A pose of the wrong length, numbers that are not finite, or a zero quaternion; the estimator is then unchanged
    /// and accepts the next frame ([`OnlineEstimator::skip`] if time has passed).
    pub fn push(&mut self, pose: &[f64]) -> Result<Option<Estimate<'_>>, Error> {
        self.check(pose)?;
        core::mem::swap(&mut self.now, &mut self.before);
        if !self.start.is_over() {
            let forest = self.figure.forest();
            self.start.push(forest, pose);
            self.start.fit(forest, 0, self.dt, &mut self.now);
            self.start.fit(forest, 1, self.dt, &mut self.before);
        } else {
            self.predict();
            self.correct(pose);
        }
        self.count += 1;
        let state = if self.delay == Delay::None { 0 } else { 1 };
        Ok((self.count > state).then(|| self.estimate(state)))
    }

    /// Skips a missing frame: the motion is extrapolated. An unfinished start-up restarts.
    pub fn skip(&mut self) {
        core::mem::swap(&mut self.now, &mut self.before);
        self.start.restart();
        self.predict();
        self.now.pose.copy_from_slice(&self.predicted);
        self.count += 1;
    }

    /// Estimate of the newest frame, without delay.
    pub fn latest(&mut self) -> Option<Estimate<'_>> {
        (self.count > 0).then(|| self.estimate(0))
    }

    /// Estimate of the frame before the newest.
    pub fn delayed(&mut self) -> Option<Estimate<'_>> {
        (self.count > 1).then(|| self.estimate(1))
    }

    /// Resets the estimator: the next frame starts another motion.
    pub fn reset(&mut self) {
        self.start.restart();
    }

    pub(crate) fn check(&self, pose: &[f64]) -> Result<(), Error> {
        let forest = self.figure.forest();
        if pose.len() != forest.nq() {
            let what = format!("frame {} of `{}`", self.count, self.figure.name);
            return Err(Error::Dimension { what, expected: forest.nq(), got: pose.len() });
        }
        let no_turn = || pose::quaternions(forest).find(|i| !(pose::quaternion(pose, *i).norm() > 0.0));
        match pose.iter().position(|x| !x.is_finite()).or_else(no_turn) {
            None => Ok(()),
            Some(i) => Err(Error::NotFinite {
                clip: self.figure.name.clone(),
                frame: self.count,
                joint: joint_of_coordinate(&self.figure, i),
            }),
        }
    }

    /// Predicts the pose, and the rates of `now`, from the previous frame.
    fn predict(&mut self) {
        let (dt, last) = (self.dt, &self.before);
        for i in 0..self.step.len() {
            self.step[i] = dt * (last.rate[i] + 0.5 * dt * last.second[i]);
            self.now.rate[i] = last.rate[i] + dt * last.second[i];
            self.now.second[i] = last.second[i];
        }
        let forest = self.figure.forest();
        let has_rotation = |b: &&Body| matches!(b.joint, BodyJoint::Spherical | BodyJoint::Free);
        for i in forest.bodies().iter().skip(1).filter(has_rotation).map(|b| b.dofs().start) {
            // the axis rotates too: [omega, alpha] dt^3/12 of the logarithm
            let bend = pose::triple(&last.rate, i).cross(pose::triple(&last.second, i));
            let bend = bend.scale(dt * dt * dt / 12.0).to_array();
            self.step[i..].iter_mut().zip(bend).for_each(|(step, x)| *step += x);
        }
        pose::along(forest, &last.pose, &self.step, 1.0, &mut self.predicted);
    }

    /// Corrects the new frame and, with a delay, the previous one.
    fn correct(&mut self, pose: &[f64]) {
        let forest = self.figure.forest();
        self.now.pose.copy_from_slice(pose);
        pose::normalise(forest, &mut self.now.pose);
        pose::difference(forest, &self.predicted, &self.now.pose, &mut self.innovation);
        let steps = [self.dt, self.dt * self.dt];
        let learn = |state: &mut FrameState, k: [f64; 3]| {
            state.rate.iter_mut().zip(&self.innovation).for_each(|(x, r)| *x += k[1] / steps[0] * r);
            state.second.iter_mut().zip(&self.innovation).for_each(|(x, r)| *x += k[2] / steps[1] * r);
        };
        learn(&mut self.now, self.gains.filter);
        pose::along(forest, &self.predicted, &self.innovation, self.gains.filter[0], &mut self.now.pose);
        if self.delay == Delay::OneFrame {
            learn(&mut self.before, self.gains.smoother);
            self.predicted.copy_from_slice(&self.before.pose);
            pose::along(
                forest,
                &self.predicted,
                &self.innovation,
                self.gains.smoother[0],
                &mut self.before.pose,
            );
        }
    }

    /// The newest frame (0) or the previous one (1), with v and a in child axes.
    fn estimate(&mut self, back: usize) -> Estimate<'_> {
        let state = if back == 0 { &self.now } else { &self.before };
        self.v.copy_from_slice(&state.rate);
        self.a.copy_from_slice(&state.second);
        for body in self.figure.forest().bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
            let (iq, iv) = (body.coordinates().start, body.dofs().start);
            let axes = pose::quaternion(&state.pose, iq + 3).inverse();
            let linear = axes.rotate(pose::triple(&state.rate, iv + 3));
            let turned = pose::triple(&state.rate, iv).cross(linear);
            let change = axes.rotate(pose::triple(&state.second, iv + 3)) - turned;
            self.v[iv + 3..iv + 6].copy_from_slice(&linear.to_array());
            self.a[iv + 3..iv + 6].copy_from_slice(&change.to_array());
        }
        Estimate { frame: self.count - 1 - back, pose: &state.pose, v: &self.v, a: &self.a }
    }
}
