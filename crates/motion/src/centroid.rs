//! Centre of mass and angular momentum of a motion as functions of time.
//!
//! Computes c, c', c'' and L about c, L' in each frame from quintic splines; between frames the polynomials of degree
//! five through c, c', c'' (and of degree three through L, L') of both, so that all are continuous.

use crate::clip::Clip;
use crate::pose;
use crate::smooth;
use crate::spline::Spline;
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_dynamics::spatial::Vec3;

/// Centre of mass and angular momentum at a time, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CentroidalState {
    /// centre of mass, m
    pub com: Vec3,
    /// its velocity, m/s
    pub velocity: Vec3,
    /// its acceleration, m/s2
    pub acceleration: Vec3,
    /// angular momentum about it, N m s
    pub angular_momentum: Vec3,
    /// rate of the angular momentum, N m
    pub moment: Vec3,
}

/// Centre of mass and angular momentum over time.
#[derive(Clone, Debug)]
pub struct CentroidalTrajectory {
    start: f64,
    dt: f64,
    /// by frame, at least one
    frames: Vec<CentroidalState>,
    /// whether accelerations and moments are linear between frames, as in plans
    is_linear: bool,
}

impl CentroidalState {
    /// Sum of all quantities: a state and a change of it.
    pub fn plus(&self, change: &CentroidalState) -> CentroidalState {
        CentroidalState {
            com: self.com + change.com,
            velocity: self.velocity + change.velocity,
            acceleration: self.acceleration + change.acceleration,
            angular_momentum: self.angular_momentum + change.angular_momentum,
            moment: self.moment + change.moment,
        }
    }
}

impl CentroidalTrajectory {
    /// Of a motion, without smoothing.
    pub fn from_clip(clip: &Clip) -> CentroidalTrajectory {
        let signals = centroidal_signals(&Trajectory::from_clip(clip, None));
        CentroidalTrajectory::through(&signals, clip.start(), clip.dt())
    }

    /// Of a plan: accelerations and moments are linear between frames.
    pub(crate) fn from_states(frames: Vec<CentroidalState>, start: f64, dt: f64) -> CentroidalTrajectory {
        CentroidalTrajectory { start, dt, frames, is_linear: true }
    }

    /// Without what is faster than `cutoff`, Hz.
    pub(crate) fn smoothed(&self, cutoff: f64) -> CentroidalTrajectory {
        let mut signals: Vec<f64> = self
            .frames
            .iter()
            .flat_map(|m| [m.com.to_array(), m.angular_momentum.to_array()].concat())
            .collect();
        smooth::low_pass(&mut signals, 6, 1.0 / self.dt, cutoff);
        CentroidalTrajectory::through(&signals, self.start, self.dt)
    }

    /// Through [`centroidal_signals`].
    fn through(signals: &[f64], start: f64, dt: f64) -> CentroidalTrajectory {
        let spline = Spline::through(signals, 6, dt);
        let mut out = [[0.0; 6]; 3];
        let [x, rate, second] = &mut out;
        let frame = |f: usize| {
            spline.at_sample(f, [x, rate, second]);
            CentroidalState {
                com: pose::triple(x, 0),
                velocity: pose::triple(rate, 0),
                acceleration: pose::triple(second, 0),
                angular_momentum: pose::triple(x, 3),
                moment: pose::triple(rate, 3),
            }
        };
        let frames = (0..signals.len() / 6).map(frame).collect();
        CentroidalTrajectory { start, dt, frames, is_linear: false }
    }

    /// States by frame.
    pub fn frames(&self) -> &[CentroidalState] {
        &self.frames
    }

    /// State at a time; outside of the motion its first or last frame.
    pub fn at(&self, t: f64) -> CentroidalState {
        let last = self.frames.len() - 1;
        let x = ((t - self.start) / self.dt).clamp(0.0, last as f64);
        let i = (x as usize).min(last.saturating_sub(1));
        let (a, b, s, h) = (self.frames[i], self.frames[(i + 1).min(last)], x - i as f64, self.dt);
        if self.is_linear {
            return linear(&a, &b, s * h, h);
        }
        let [com, velocity, acceleration] = quintic(
            [a.com, a.velocity.scale(h), a.acceleration.scale(h * h)],
            [b.com, b.velocity.scale(h), b.acceleration.scale(h * h)],
            s,
        );
        let [angular_momentum, moment] =
            cubic([a.angular_momentum, a.moment.scale(h)], [b.angular_momentum, b.moment.scale(h)], s);
        CentroidalState {
            com,
            velocity: velocity.scale(1.0 / h),
            acceleration: acceleration.scale(1.0 / (h * h)),
            angular_momentum,
            moment: moment.scale(1.0 / h),
        }
    }
}

/// The state a time `t` after `a`, with acceleration and moment linear until `b`, `h` later.
fn linear(a: &CentroidalState, b: &CentroidalState, t: f64, h: f64) -> CentroidalState {
    let jerk = (b.acceleration - a.acceleration).scale(1.0 / h);
    let rate = (b.moment - a.moment).scale(1.0 / h);
    CentroidalState {
        com: a.com + (a.velocity + a.acceleration.scale(0.5 * t) + jerk.scale(t * t / 6.0)).scale(t),
        velocity: a.velocity + (a.acceleration + jerk.scale(0.5 * t)).scale(t),
        acceleration: a.acceleration + jerk.scale(t),
        angular_momentum: a.angular_momentum + (a.moment + rate.scale(0.5 * t)).scale(t),
        moment: a.moment + rate.scale(t),
    }
}

/// Centre of mass and angular momentum about it, six numbers for each frame.
pub(crate) fn centroidal_signals(trajectory: &Trajectory) -> Vec<f64> {
    let forest = trajectory.clip.figure().forest();
    let mut kinematics = Kinematics::default();
    let signals = |frame| {
        let (q, v, _) = trajectory.at(frame);
        kinematics.update(forest, q, Some(v), None);
        let com = centroidal::center_of_mass(forest, &kinematics);
        com.to_array().into_iter().chain(centroidal::momentum(forest, &kinematics).angular.to_array())
    };
    (0..trajectory.clip.frames()).flat_map(signals).collect()
}

/// Value and two derivatives, at s from 0 to 1, of the quintic with given ones at both ends.
fn quintic(a: [Vec3; 3], b: [Vec3; 3], s: f64) -> [Vec3; 3] {
    // remainder at the second end of the parabola from the first
    let [x, v, c] = a;
    let rest = [b[0] - x - v - c.scale(0.5), b[1] - v - c, b[2] - c];
    let of = |k: [f64; 3]| rest[0].scale(k[0]) + rest[1].scale(k[1]) + rest[2].scale(k[2]);
    let (third, fourth, fifth) = (of([10.0, -4.0, 0.5]), of([-15.0, 7.0, -1.0]), of([6.0, -3.0, 0.5]));
    let sum = |k: [f64; 6]| {
        x.scale(k[0])
            + v.scale(k[1])
            + c.scale(k[2])
            + third.scale(k[3])
            + fourth.scale(k[4])
            + fifth.scale(k[5])
    };
    let (s2, s3) = (s * s, s * s * s);
    [
        sum([1.0, s, 0.5 * s2, s3, s3 * s, s3 * s2]),
        sum([0.0, 1.0, s, 3.0 * s2, 4.0 * s3, 5.0 * s2 * s2]),
        sum([0.0, 0.0, 1.0, 6.0 * s, 12.0 * s2, 20.0 * s3]),
    ]
}

/// Value and derivative, at s from 0 to 1, of the cubic with given ones at both ends.
fn cubic(a: [Vec3; 2], b: [Vec3; 2], s: f64) -> [Vec3; 2] {
    let ([x, v], delta) = (a, b[0] - a[0]);
    let second = delta.scale(3.0) - v.scale(2.0) - b[1];
    let third = v + b[1] - delta.scale(2.0);
    [
        x + v.scale(s) + second.scale(s * s) + third.scale(s * s * s),
        v + second.scale(2.0 * s) + third.scale(3.0 * s * s),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::vec3;

    #[test]
    fn polynomials_are_reproduced_between_frames() {
        let position = |t: f64| vec3(t.powi(5), 1.0 - t * t, 0.3 * t.powi(3));
        let momentum = |t: f64| vec3(t * t, -t, t.powi(3));
        let signals = (0..20).map(|i| 0.1 * f64::from(i)).flat_map(|t| [position(t), momentum(t)]);
        let signals: Vec<f64> = signals.flat_map(Vec3::to_array).collect();
        let centroid = CentroidalTrajectory::through(&signals, 2.0, 0.1);
        for t in [0.0, 0.04, 0.77, 1.234, 1.9] {
            let m = centroid.at(2.0 + t);
            let a = vec3(20.0 * t.powi(3), -2.0, 1.8 * t);
            assert!((m.com - position(t)).norm() < 1e-9 && (m.acceleration - a).norm() < 1e-6, "{t}: {m:?}");
            assert!((m.velocity - vec3(5.0 * t.powi(4), -2.0 * t, 0.9 * t * t)).norm() < 1e-8);
            let moment = vec3(2.0 * t, -1.0, 3.0 * t * t);
            assert!(
                (m.angular_momentum - momentum(t)).norm() < 1e-9 && (m.moment - moment).norm() < 1e-7,
                "{t}: {m:?}"
            );
        }
    }
}
