//! What a filter takes a motion and its frames for.
//!
//! Cut-offs become ratios of jerk and noise by the relation derived in `gain`.

use super::gain;

/// Whether an estimate waits for the frame after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delay {
    /// each frame is answered at once
    None,
    /// a frame is answered when the next one has come: less noise in poses and velocities, accelerations lag a frame less
    #[default]
    OneFrame,
}

/// What the filter takes the motion and its frames for; only the ratio of jerk and noise matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// root of the density of the jerk, rad/s^2.5 (m/s^2.5 for travel)
    pub jerk: f64,
    /// standard deviation of a coordinate in a frame, rad (m)
    pub noise: f64,
    /// whether to wait for a frame
    pub delay: Delay,
}

/// Noise of a captured coordinate where nothing is known about it, rad or m.
const NOISE: f64 = 0.004;
/// Cut-offs by which walking and running are smoothed, Hz.
const WALK: f64 = 6.0;
const RUN: f64 = 15.0;

impl Tuning {
    /// Passes what `smooth::low_pass` passes at `cutoff` Hz, for frames `dt` seconds apart (see `gain`).
    pub fn with_cutoff(cutoff: f64, dt: f64) -> Tuning {
        let w = gain::pole(cutoff);
        Tuning { jerk: NOISE * (dt * libm::pow(w, 6.0)).sqrt(), noise: NOISE, delay: Delay::OneFrame }
    }

    /// For walking: 6 Hz.
    pub fn walk(dt: f64) -> Tuning {
        Tuning::with_cutoff(WALK, dt)
    }

    /// For running: 15 Hz.
    pub fn run(dt: f64) -> Tuning {
        Tuning::with_cutoff(RUN, dt)
    }

    /// The cut-off it amounts to, Hz.
    pub fn cutoff(&self, dt: f64) -> f64 {
        gain::cutoff(self.pole(dt))
    }

    /// w of [`gain`], 1/s.
    pub(super) fn pole(&self, dt: f64) -> f64 {
        let ratio = self.jerk / self.noise;
        libm::pow(ratio * ratio / dt, 1.0 / 6.0)
    }
}
