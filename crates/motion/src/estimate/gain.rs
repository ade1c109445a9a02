//! Gains of a filter for signals of constant acceleration and white jerk.
//!
//! Computes, for the state (x, x' dt, x'' dt^2) measured once a frame, the steady covariance P- before a measurement
//! (Riccati), and from it, with s = P-_11 + r,
//!     filter     K = P- H^T / s               new state = predicted + K (measured - predicted)
//!     smoother   S = P F^T H^T / s            state of the frame before += S (measured - predicted)
//! where P = (1 - K H) P-. S is the Rauch-Tung-Striebel gain P F^T (P-)^-1 times K: the inverse cancels.
//! Source: Kalman (1960); Rauch, Tung and Striebel (1965).
//!
//! Cut-off. In continuous time, with jerk density q and measurement density R = r dt, the error of the filter obeys
//! s^3 + 2 w s^2 + 2 w^2 s + w^3 with w^6 = q / R, a Butterworth pattern, and the non-causal smoother
//! has the gain q / (q + R w^6): 1 / (1 + (omega / w)^6), without lag. It halves the power at
//!     omega_c = w (sqrt 2 - 1)^(1/6) = 0.863 w,
//! the definition of the cut-off in `smooth::low_pass`; the same cut-off then means the same band off-line and on-line.
//! Cost of causality: slow accelerations lag by 2 / w = 0.275 / cut-off (46 ms at 6 Hz,
//! 18 ms at 15 Hz), poses and velocities not. In steps of a frame q dt^5 / r = (w dt)^6 is the only number the gains depend on.
//! Not here: coordinates (`estimate`).
//! Checked by: tests below (continuous time, spectrum of the innovations), `tests/it/estimate.rs`.

use core::f64::consts::{SQRT_2, TAU};

/// Gains of one degree of freedom, for x, x' dt and x'' dt^2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// for the newest frame
    pub filter: [f64; 3],
    /// for the previous frame
    pub smoother: [f64; 3],
}

/// w of a cut-off, both per second.
pub(super) fn pole(cutoff: f64) -> f64 {
    TAU * cutoff / libm::pow(SQRT_2 - 1.0, 1.0 / 6.0)
}

/// Cut-off in Hz of w.
pub(super) fn cutoff(pole: f64) -> f64 {
    pole * libm::pow(SQRT_2 - 1.0, 1.0 / 6.0) / TAU
}

type Square = [[f64; 3]; 3];

/// Relative change at which the Riccati iteration has converged.
const CONVERGED: f64 = 1e-14;
/// The slowest valid filter converges well before.
const MAX_ITERATIONS: usize = 100_000;

impl Gains {
    /// Steady gains for `w dt`.
    pub fn steady(w_dt: f64) -> Gains {
        let noise = process_noise(libm::pow(w_dt, 6.0));
        let mut before = identity();
        let mut gains = Gains::from_covariance(&before);
        for _ in 0..MAX_ITERATIONS {
            before = predicted(&updated(&before, &gains.filter), &noise);
            let next = Gains::from_covariance(&before);
            let pairs = gains.filter.iter().zip(&next.filter);
            let change = pairs.map(|(a, b)| (a - b).abs() / b).fold(0.0, f64::max);
            gains = next;
            if change < CONVERGED {
                break;
            }
        }
        gains
    }

    /// Gains from the covariance before a measurement of variance one.
    fn from_covariance(before: &Square) -> Gains {
        let s = before[0][0] + 1.0;
        let filter = [0, 1, 2].map(|i| before[i][0] / s);
        let after = updated(before, &filter);
        // F^T H^T = (1, 1, 1/2)
        let smoother = after.map(|row| (row[0] + row[1] + 0.5 * row[2]) / s);
        Gains { filter, smoother }
    }
}

fn identity() -> Square {
    core::array::from_fn(|i| core::array::from_fn(|j| f64::from(u8::from(i == j))))
}

/// Process noise of white jerk over a frame, in frames: integral of g g^T with g = (t^2/2, t, 1).
fn process_noise(density: f64) -> Square {
    let q = [[1.0 / 20.0, 1.0 / 8.0, 1.0 / 6.0], [1.0 / 8.0, 1.0 / 3.0, 0.5], [1.0 / 6.0, 0.5, 1.0]];
    q.map(|row| row.map(|x| x * density))
}

/// (1 - K H) P
fn updated(p: &Square, k: &[f64; 3]) -> Square {
    core::array::from_fn(|i| core::array::from_fn(|j| p[i][j] - k[i] * p[0][j]))
}

/// F P F^T + Q with F = ((1, 1, 1/2), (0, 1, 1), (0, 0, 1)), symmetrised
fn predicted(p: &Square, noise: &Square) -> Square {
    let fold = |v: [f64; 3]| [v[0] + v[1] + 0.5 * v[2], v[1] + v[2], v[2]];
    let rows: Square = p.map(fold);
    let columns: Square = core::array::from_fn(|j| fold(core::array::from_fn(|i| rows[i][j])));
    core::array::from_fn(|i| core::array::from_fn(|j| 0.5 * (columns[i][j] + columns[j][i]) + noise[i][j]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative error of gains against their series for slow filters: first order in `w dt`.
    const SERIES: f64 = 0.02;

    #[test]
    fn slow_filters_have_the_gains_of_continuous_time() {
        let w = 0.01;
        let [a, b, c] = Gains::steady(w).filter;
        for (gain, expected) in [(a, 2.0 * w), (b, 2.0 * w * w), (c, w * w * w)] {
            assert!((gain / expected - 1.0).abs() < SERIES, "{gain:e} instead of {expected:e}");
        }
        assert!((cutoff(pole(6.0)) - 6.0).abs() < 1e-12);
    }

    /// Sampled, white jerk three times integrated has the spectrum (w dt)^6 E(z) / |1 - z|^6 with E the samples of the
    /// quintic B-spline; with noise of variance one it must be s D(z) D(1/z) / |1 - z|^6, D of the filter's error.
    #[test]
    fn innovations_are_white() {
        for w_dt in [0.1f64, 0.4, 0.9, 2.0] {
            let [k0, k1, k2] = Gains::steady(w_dt).filter;
            // (1 - K H) F and the coefficients of its characteristic polynomial
            let a = [[k0, k0, 0.5 * k0], [k1, k1, 0.5 * k1], [k2, k2, 0.5 * k2]];
            let f = [[1.0, 1.0, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]];
            let m: Square = core::array::from_fn(|i| core::array::from_fn(|j| f[i][j] - a[i][j]));
            let minor = |i: usize, j: usize| m[i][i] * m[j][j] - m[i][j] * m[j][i];
            let c2 = -(m[0][0] + m[1][1] + m[2][2]);
            let c1 = minor(0, 1) + minor(0, 2) + minor(1, 2);
            let c0 = -(m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
                - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]));
            let (s, density) = (1.0 / (1.0 - k0), w_dt.powi(6));
            // at z = 1, -1 and i: |D|^2, |1 - z|^6 and 120 E
            let at = [
                ((1.0 + c2 + c1 + c0).powi(2), 0.0, 120.0),
                ((-1.0 + c2 - c1 + c0).powi(2), 64.0, 16.0),
                ((c0 - c2).powi(2) + (c1 - 1.0).powi(2), 8.0, 64.0),
            ];
            for (d, one, e) in at {
                let expected = one + density * e / 120.0;
                assert!((s * d / expected - 1.0).abs() < 1e-8, "{w_dt}: {} instead of {expected}", s * d);
            }
        }
    }

    #[test]
    fn fast_filters_trust_the_measurement_and_smoothers_see_ahead() {
        let gains = Gains::steady(30.0);
        assert!(gains.filter[0] > 0.999 && gains.filter[0] < 1.0, "{gains:?}");
        let gains = Gains::steady(0.4);
        assert!(gains.smoother[1] > 0.0 && gains.smoother[0] < gains.filter[0], "{gains:?}");
    }
}
