//! The first frames of an estimator.
//!
//! Computes value, rate and second derivative of least-squares polynomials through all frames there are: of degree 0, 1
//! and, from five frames on, 2, until the newest frame weighs no more in the fit than in the filter. Ways are taken
//! from the pose of the frame that is asked for, where the derivatives of the logarithm are omega and alpha.
//! Source: our own.
//! Not here: what comes after (`estimate`).
//! Checked by: `tests/estimate.rs`.

use super::Known;
use crate::fit::{self, Weights};
use crate::pose;
use anthropi_dynamics::model::Forest;

/// Least and most frames of the start; the fit has a curvature from the least on.
const FRAMES: [usize; 2] = [5, 64];

#[derive(Clone, Debug)]
pub(super) struct Start {
    /// frames that have come
    frames: usize,
    /// they themselves
    poses: Vec<f64>,
    /// by number of frames, for the newest and the one before
    fits: Vec<[Weights; 2]>,
    way: Vec<f64>,
    value: Vec<f64>,
}

impl Start {
    /// For a filter in which the newest frame weighs `gain`.
    pub(super) fn new(forest: &Forest, gain: f64) -> Start {
        let fits = fits(gain);
        let [way, value] = [0.0; 2].map(|x| vec![x; forest.nv()]);
        Start { frames: 0, poses: vec![0.0; forest.nq() * fits.len()], fits, way, value }
    }

    /// How many frames it takes.
    pub(super) fn length(&self) -> usize {
        self.fits.len()
    }

    pub(super) fn is_over(&self) -> bool {
        self.frames == self.fits.len()
    }

    /// Forgets all frames, unless it is over.
    pub(super) fn again(&mut self) {
        if !self.is_over() {
            self.frames = 0;
        }
    }

    /// Takes a frame.
    pub(super) fn push(&mut self, forest: &Forest, pose: &[f64]) {
        let own = &mut self.poses[self.frames * forest.nq()..][..forest.nq()];
        own.copy_from_slice(pose);
        pose::settle_lengths(forest, own);
        self.frames += 1;
    }

    /// What is known of the frame `back` (0 or 1) before the newest, if it is there.
    pub(super) fn fit(&mut self, forest: &Forest, back: usize, dt: f64, known: &mut Known) {
        let nq = forest.nq();
        let Some(at) = self.frames.checked_sub(1 + back) else { return };
        let weights = &self.fits[self.frames - 1][back];
        let reference = &self.poses[at * nq..(at + 1) * nq];
        for values in [&mut self.value, &mut known.rate, &mut known.second] {
            values.fill(0.0);
        }
        for (pose, w) in self.poses.chunks_exact(nq).zip(weights) {
            pose::difference(forest, reference, pose, &mut self.way);
            for (i, d) in self.way.iter().enumerate() {
                self.value[i] += w[0] * d;
                known.rate[i] += w[1] / dt * d;
                known.second[i] += w[2] / (dt * dt) * d;
            }
        }
        pose::along(forest, reference, &self.value, 1.0, &mut known.pose);
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
