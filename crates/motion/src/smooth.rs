//! Zero-lag low-pass: a Butterworth filter run forward and backward.
//!
//! Computes a second-order Butterworth filter applied twice, its cut-off raised so that both passes together halve the
//! power (3 dB) at the requested cut-off.
//! Source: [W2009 ch. 3] for the two passes and the corrected cut-off.
//! We differ: the ends are extended by point reflection, which preserves trends.
//! Not here: derivatives (`spline`), causal estimates (`estimate`).
//! Checked by: tests below.

use core::f64::consts::{PI, SQRT_2};

/// Cut-offs above this part of the sampling rate leave the signal unchanged.
const MAX_CUTOFF: f64 = 0.45;
/// Extension of the ends, periods of the cut-off; the filter has settled after it.
const EXTENSION: f64 = 1.5;

/// Filters signals (by sample, then by signal) sampled `rate` times a second; `cutoff` Hz.
pub fn low_pass(values: &mut [f64], signals: usize, rate: f64, cutoff: f64) {
    let samples = values.len().checked_div(signals).unwrap_or(0);
    if samples < 2 || cutoff >= MAX_CUTOFF * rate {
        return;
    }
    let extra = ((EXTENSION * rate / cutoff).ceil() as usize).clamp(1, samples - 1);
    let mut long = extended(values, signals, samples, extra);
    let filter = Biquad::low_pass(rate, cutoff);
    filter.run(&mut long, signals, false);
    filter.run(&mut long, signals, true);
    values.copy_from_slice(&long[extra * signals..][..samples * signals]);
}

/// Extends by `extra` samples before and after, reflected at the first and last point.
fn extended(values: &[f64], signals: usize, samples: usize, extra: usize) -> Vec<f64> {
    let row = |i: usize| &values[i * signals..(i + 1) * signals];
    let reflected = |at: usize, of: usize| row(at).iter().zip(row(of)).map(|(a, x)| 2.0 * a - x);
    let mut long = Vec::with_capacity(values.len() + 2 * extra * signals);
    (1..=extra).rev().for_each(|k| long.extend(reflected(0, k)));
    long.extend_from_slice(values);
    (1..=extra).for_each(|k| long.extend(reflected(samples - 1, samples - 1 - k)));
    long
}

/// y_n = b (x_n + 2 x_{n-1} + x_{n-2}) - a_1 y_{n-1} - a_2 y_{n-2}.
struct Biquad {
    b: f64,
    a: [f64; 2],
}

impl Biquad {
    fn low_pass(rate: f64, cutoff: f64) -> Biquad {
        // corrected for two passes [W2009 ch. 3]
        let k = libm::tan(PI * cutoff / rate) / libm::pow(SQRT_2 - 1.0, 0.25);
        let scale = 1.0 / (1.0 + SQRT_2 * k + k * k);
        Biquad { b: k * k * scale, a: [2.0 * (k * k - 1.0) * scale, (1.0 - SQRT_2 * k + k * k) * scale] }
    }

    /// Starts in the steady state of the first sample.
    fn run(&self, x: &mut [f64], signals: usize, backward: bool) {
        let n = x.len() / signals;
        let first = if backward { n - 1 } else { 0 };
        let start = x[first * signals..(first + 1) * signals].to_vec();
        let (mut x1, mut x2, mut y1, mut y2) = (start.clone(), start.clone(), start.clone(), start);
        for step in 0..n {
            let i = if backward { n - 1 - step } else { step };
            for (s, x) in x[i * signals..(i + 1) * signals].iter_mut().enumerate() {
                let y = self.b * (*x + 2.0 * x1[s] + x2[s]) - self.a[0] * y1[s] - self.a[1] * y2[s];
                (x2[s], x1[s], y2[s], y1[s]) = (x1[s], *x, y1[s], y);
                *x = y;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(frequency: f64, cutoff: f64) -> f64 {
        let (rate, n) = (120.0, 1200);
        let wave = |i: usize| (2.0 * PI * frequency * i as f64 / rate).sin();
        let mut x: Vec<f64> = (0..n).map(wave).collect();
        low_pass(&mut x, 1, rate, cutoff);
        // in phase with the input: no lag
        let (mut in_phase, mut squares) = (0.0, 0.0);
        for i in 400..800 {
            in_phase += x[i] * wave(i);
            squares += wave(i) * wave(i);
        }
        in_phase / squares
    }

    #[test]
    fn halves_the_power_at_the_cutoff() {
        assert!((gain(6.0, 6.0) - 0.5f64.sqrt()).abs() < 2e-3, "{}", gain(6.0, 6.0));
        assert!((gain(0.6, 6.0) - 1.0).abs() < 1e-3, "{}", gain(0.6, 6.0));
        assert!(gain(30.0, 6.0).abs() < 2e-3, "{}", gain(30.0, 6.0));
    }

    #[test]
    fn leaves_lines_alone() {
        let line = |i: usize, s: usize| 0.3 + (1.5 - s as f64) * i as f64;
        let mut x: Vec<f64> = (0..60).flat_map(|i| [line(i, 0), line(i, 1)]).collect();
        low_pass(&mut x, 2, 120.0, 6.0);
        for i in 0..60 {
            for s in 0..2 {
                // remaining effect of the extended ends
                assert!((x[2 * i + s] - line(i, s)).abs() < 1e-3, "{i} {s}: {}", x[2 * i + s]);
            }
        }
    }
}
