//! Noise model of the estimator.
//!
//! Cut-offs become ratios of jerk and noise by the relation derived in `gain`.

use super::gain;
use crate::cutoff;

/// Whether an estimate waits for the frame after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delay {
    /// each frame is estimated at once
    None,
    /// a frame is estimated when the next one arrives: less noise in poses and velocities, less lag of accelerations
    #[default]
    OneFrame,
}

/// Process and measurement noise; only the ratio of jerk to noise matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// square root of the spectral density of the jerk, rad/s^2.5 (m/s^2.5 for travel)
    pub jerk: f64,
    /// standard deviation of a measured coordinate, rad (m)
    pub noise: f64,
    /// delay of the estimate
    pub delay: Delay,
}

/// Default noise of a captured coordinate, rad or m.
const NOISE: f64 = 0.004;

impl Tuning {
    /// The band of `smooth::low_pass` at `cutoff` Hz, for frames `dt` seconds apart (see `gain`).
    pub fn with_cutoff(cutoff: f64, dt: f64) -> Tuning {
        let w = gain::pole(cutoff);
        Tuning { jerk: NOISE * (dt * libm::pow(w, 6.0)).sqrt(), noise: NOISE, delay: Delay::OneFrame }
    }

    /// For walking: 6 Hz.
    pub fn walk(dt: f64) -> Tuning {
        Tuning::with_cutoff(cutoff::SLOW, dt)
    }

    /// For running: 15 Hz.
    pub fn run(dt: f64) -> Tuning {
        Tuning::with_cutoff(cutoff::FAST, dt)
    }

    /// The equivalent cut-off, Hz.
    pub fn cutoff(&self, dt: f64) -> f64 {
        gain::cutoff(self.pole(dt))
    }

    /// w of [`gain`], 1/s.
    pub(super) fn pole(&self, dt: f64) -> f64 {
        let ratio = self.jerk / self.noise;
        libm::pow(ratio * ratio / dt, 1.0 / 6.0)
    }
}
