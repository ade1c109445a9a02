//! Start-up of the estimator.
//!
//! Computes value, rate and second derivative of least-squares polynomials through all frames so far: of degree 0, 1
//! and, from five frames on, 2, until the newest frame weighs no more in the fit than in the filter. Displacements are
//! relative to the estimated frame, where the derivatives of the logarithm are omega and alpha.
//! Source: our own.
//! Not here: the steady state (`estimate`).
//! Checked by: `tests/it/estimate.rs`.

use super::FrameState;
use crate::fit::{self, Weights};
use crate::pose;
use anthropi_dynamics::model::Forest;

/// Fewest and most frames; the fit is quadratic from the fewest on.
const FRAMES: [usize; 2] = [5, 64];

#[derive(Clone, Debug)]
pub(super) struct Start {
    /// number of frames so far
    frames: usize,
    /// their poses
    poses: Vec<f64>,
    /// by number of frames, for the newest and the previous frame
    fits: Vec<[Weights; 2]>,
    step: Vec<f64>,
    value: Vec<f64>,
}

impl Start {
    /// For a filter that weighs the newest frame by `gain`.
    pub(super) fn new(forest: &Forest, gain: f64) -> Start {
        let fits = fits(gain);
        let [step, value] = [0.0; 2].map(|x| vec![x; forest.nv()]);
        Start { frames: 0, poses: vec![0.0; forest.nq() * fits.len()], fits, step, value }
    }

    /// Number of frames.
    pub(super) fn length(&self) -> usize {
        self.fits.len()
    }

    pub(super) fn is_over(&self) -> bool {
        self.frames == self.fits.len()
    }

    /// Discards all frames unless start-up is over.
    pub(super) fn restart(&mut self) {
        if !self.is_over() {
            self.frames = 0;
        }
    }

    /// Takes a frame.
    pub(super) fn push(&mut self, forest: &Forest, pose: &[f64]) {
        let own = &mut self.poses[self.frames * forest.nq()..][..forest.nq()];
        own.copy_from_slice(pose);
        pose::normalise(forest, own);
        self.frames += 1;
    }

    /// Estimate of the frame `back` (0 or 1) before the newest, if it exists.
    pub(super) fn fit(&mut self, forest: &Forest, back: usize, dt: f64, state: &mut FrameState) {
        let nq = forest.nq();
        let Some(at) = self.frames.checked_sub(1 + back) else { return };
        let weights = &self.fits[self.frames - 1][back];
        let reference = &self.poses[at * nq..(at + 1) * nq];
        for values in [&mut self.value, &mut state.rate, &mut state.second] {
            values.fill(0.0);
        }
        for (pose, w) in self.poses.chunks_exact(nq).zip(weights) {
            pose::difference(forest, reference, pose, &mut self.step);
            for (i, d) in self.step.iter().enumerate() {
                self.value[i] += w[0] * d;
                state.rate[i] += w[1] / dt * d;
                state.second[i] += w[2] / (dt * dt) * d;
            }
        }
        pose::along(forest, reference, &self.value, 1.0, &mut state.pose);
    }
}

fn fits(gain: f64) -> Vec<[Weights; 2]> {
    let mut fits = Vec::new();
    for n in 1..=FRAMES[1] {
        let degree = if n < FRAMES[0] { (n - 1).min(1) } else { 2 };
        let weights = [n - 1, n.saturating_sub(2)].map(|at| fit::weights(n, at, degree));
        let newest = weights[0][n - 1][0];
        fits.push(weights);
        if n >= FRAMES[0] && newest <= gain {
            break;
        }
    }
    fits
}
