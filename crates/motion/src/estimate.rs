//! Pose, velocities and accelerations of frames as they come, without the future.
//!
//! Computes a Kalman filter of constant acceleration and white jerk for every degree of freedom, with the steady gains
//! of `gain`. On the manifold: a pose goes on by  omega dt + alpha dt^2/2 + omega x alpha dt^3/12  (the logarithm of
//! the turn to fourth order), and what a frame teaches is the way from the predicted pose to the measured one. Free
//! joints travel in world axes; v and a are given in child axes as everywhere, v = R^T p', v' = R^T p'' - omega x v.
//! The first frames are fitted by polynomials (`start`).
//! Source: `gain`; our own on the manifold. We differ from an extended filter: the small turn between axes before
//! and after a correction is left out of the gains.
//! Not here: the whole motion at once (`trajectory`).
//! Checked by: `tests/estimate.rs`.

mod gain;
mod start;
mod tuning;

pub use gain::Gains;
pub use tuning::{Delay, Tuning};

use crate::clip::joint_of_coordinate;
use crate::error::Error;
use crate::pose;
use anthropi_dynamics::model::{BodyJoint, Figure, Forest};
use anthropi_dynamics::spatial::Vec3;
use start::Start;

/// What is known of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate<'a> {
    /// which frame, counted from zero over all that were taken or skipped
    pub frame: usize,
    /// coordinates
    pub pose: &'a [f64],
    /// velocities
    pub v: &'a [f64],
    /// accelerations: derivatives of the numbers v
    pub a: &'a [f64],
}

/// Pose and its derivatives in time; travel of free joints in world axes.
#[derive(Clone, Debug)]
struct Known {
    pose: Vec<f64>,
    rate: Vec<f64>,
    second: Vec<f64>,
}

/// Estimates frames as they come. After construction it uses no heap.
#[derive(Clone, Debug)]
pub struct OnlineEstimator {
    figure: Figure,
    dt: f64,
    gains: Gains,
    delay: Delay,
    /// frames taken or skipped
    count: usize,
    start: Start,
    now: Known,
    before: Known,
    predicted: Vec<f64>,
    way: Vec<f64>,
    missed: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

/// Parts of the frame rate between which a cut-off makes a filter.
const CUTOFFS: [f64; 2] = [2e-4, 0.45];

impl OnlineEstimator {
    /// For frames of a figure that come `dt` seconds apart.
    ///
    /// # Errors
    /// Times, jerk or noise not above zero; a cut-off below 0.0002 or above 0.45 of the frame rate.
    pub fn new(figure: &Figure, dt: f64, tuning: Tuning) -> Result<OnlineEstimator, Error> {
        for (what, value) in [("time between frames", dt), ("jerk", tuning.jerk), ("noise", tuning.noise)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::OutOfRange { what: what.into(), value, expected: "more than zero" });
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
        let known = Known { pose: figure.forest().home().to_vec(), rate: numbers(nv), second: numbers(nv) };
        Ok(OnlineEstimator {
            figure: figure.clone(),
            dt,
            gains,
            delay: tuning.delay,
            count: 0,
            start: Start::new(figure.forest(), gains.filter[0]),
            now: known.clone(),
            before: known,
            predicted: numbers(nq),
            way: numbers(nv),
            missed: numbers(nv),
            v: numbers(nv),
            a: numbers(nv),
        })
    }

    /// Gains of the filter once it has started.
    pub fn gains(&self) -> Gains {
        self.gains
    }

    /// Frames after which the filter has started.
    pub fn start_frames(&self) -> usize {
        self.start.length()
    }

    /// Takes a frame; gives the estimate of this one or, with a delay, of the one before: `None` at the first.
    ///
    /// # Errors
    /// A pose of the wrong length or with numbers that are not finite, or a quaternion without length; nothing has
    /// changed then, and the next frame is welcome ([`OnlineEstimator::skip`] if time has gone on).
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
        let known = if self.delay == Delay::None { 0 } else { 1 };
        Ok((self.count > known).then(|| self.estimate(known)))
    }

    /// Lets a frame pass that was not seen: the motion goes on as it was. A start that is not over begins anew.
    pub fn skip(&mut self) {
        core::mem::swap(&mut self.now, &mut self.before);
        self.start.again();
        self.predict();
        self.now.pose.copy_from_slice(&self.predicted);
        self.count += 1;
    }

    /// What is known of the newest frame, without waiting for the next.
    pub fn latest(&mut self) -> Option<Estimate<'_>> {
        (self.count > 0).then(|| self.estimate(0))
    }

    /// What is known of the frame before the newest.
    pub fn delayed(&mut self) -> Option<Estimate<'_>> {
        (self.count > 1).then(|| self.estimate(1))
    }

    /// Forgets what was: the next frame is the first of another motion.
    pub fn begin_anew(&mut self) {
        self.start.again();
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

    /// Where the frame before leads: a pose, and the rates of `now`.
    fn predict(&mut self) {
        let (dt, last) = (self.dt, &self.before);
        for i in 0..self.way.len() {
            self.way[i] = dt * (last.rate[i] + 0.5 * dt * last.second[i]);
            self.now.rate[i] = last.rate[i] + dt * last.second[i];
            self.now.second[i] = last.second[i];
        }
        let forest = self.figure.forest();
        for i in turns(forest) {
            // the axis itself turns: [omega, alpha] dt^3/12 of the logarithm
            let bend =
                pose::triple(&last.rate, i).cross(pose::triple(&last.second, i)).scale(dt * dt * dt / 12.0);
            add(&mut self.way[i..], bend);
        }
        pose::along(forest, &last.pose, &self.way, 1.0, &mut self.predicted);
    }

    /// What the new frame teaches about itself and, with a delay, about the one before.
    fn correct(&mut self, pose: &[f64]) {
        let forest = self.figure.forest();
        self.now.pose.copy_from_slice(pose);
        pose::settle_lengths(forest, &mut self.now.pose);
        pose::difference(forest, &self.predicted, &self.now.pose, &mut self.missed);
        let steps = [self.dt, self.dt * self.dt];
        let learn = |known: &mut Known, k: [f64; 3]| {
            known.rate.iter_mut().zip(&self.missed).for_each(|(x, r)| *x += k[1] / steps[0] * r);
            known.second.iter_mut().zip(&self.missed).for_each(|(x, r)| *x += k[2] / steps[1] * r);
        };
        learn(&mut self.now, self.gains.filter);
        pose::along(forest, &self.predicted, &self.missed, self.gains.filter[0], &mut self.now.pose);
        if self.delay == Delay::OneFrame {
            learn(&mut self.before, self.gains.smoother);
            self.predicted.copy_from_slice(&self.before.pose);
            pose::along(forest, &self.predicted, &self.missed, self.gains.smoother[0], &mut self.before.pose);
        }
    }

    /// The newest frame (0) or the one before (1), with v and a as everywhere.
    fn estimate(&mut self, back: usize) -> Estimate<'_> {
        let known = if back == 0 { &self.now } else { &self.before };
        self.v.copy_from_slice(&known.rate);
        self.a.copy_from_slice(&known.second);
        for body in self.figure.forest().bodies().iter().skip(1).filter(|b| b.joint == BodyJoint::Free) {
            let (iq, iv) = (body.iq as usize, body.iv as usize);
            let axes = pose::quaternion(&known.pose, iq + 3).inverse();
            let linear = axes.rotate(pose::triple(&known.rate, iv + 3));
            let turned = pose::triple(&known.rate, iv).cross(linear);
            let change = axes.rotate(pose::triple(&known.second, iv + 3)) - turned;
            self.v[iv + 3..iv + 6].copy_from_slice(&linear.to_array());
            self.a[iv + 3..iv + 6].copy_from_slice(&change.to_array());
        }
        Estimate { frame: self.count - 1 - back, pose: &known.pose, v: &self.v, a: &self.a }
    }
}

/// First numbers in v of what turns freely.
fn turns(forest: &Forest) -> impl Iterator<Item = usize> + '_ {
    let freely = |j: BodyJoint| matches!(j, BodyJoint::Spherical | BodyJoint::Free);
    forest.bodies().iter().skip(1).filter(move |b| freely(b.joint)).map(|b| b.iv as usize)
}

fn add(values: &mut [f64], x: Vec3) {
    values.iter_mut().zip(x.to_array()).for_each(|(v, x)| *v += x);
}
