//! Splines and low-passes of random signals: linear, symmetric in time, independent for each signal, and exact where exact
//! values are known.

use anthropi_motion::smooth::low_pass;
use anthropi_motion::spline::Spline;
use core::f64::consts::{PI, TAU};
use testkit::Rng;

/// Rounding of numbers of size one in banded systems.
const ROUNDING: f64 = 1e-11;

fn noise(rng: &mut Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| rng.signed()).collect()
}

/// Value and two derivatives of the first signal.
fn at(spline: &Spline, t: f64) -> [f64; 3] {
    let (mut x, mut v, mut a) = ([0.0], [0.0], [0.0]);
    spline.at(t, [&mut x, &mut v, &mut a]);
    [x[0], v[0], a[0]]
}

#[test]
fn splines_interpolate_and_evaluate_consistently() {
    let mut rng = Rng::new(1);
    for n in [1, 2, 3, 5, 6, 7, 12, 100] {
        let (dt, signals) = (0.02, 3);
        let values = noise(&mut rng, n * signals);
        let spline = Spline::through(&values, signals, dt);
        let ways = || [vec![0.0; signals], vec![0.0; signals], vec![0.0; signals]];
        for i in 0..n {
            let ([mut x, mut v, mut a], [mut y, mut w, mut b]) = (ways(), ways());
            spline.at_sample(i, [&mut x, &mut v, &mut a]);
            spline.at(i as f64 * dt, [&mut y, &mut w, &mut b]);
            let mut value = vec![0.0; signals];
            spline.value(i as f64 * dt, &mut value);
            for s in 0..signals {
                assert!(
                    (x[s] - values[i * signals + s]).abs() < ROUNDING,
                    "{n} samples: sample {i} is missed"
                );
                assert!((y[s] - x[s]).abs() < ROUNDING && (value[s] - x[s]).abs() < ROUNDING, "{n}, {i}");
                assert!((v[s] - w[s]).abs() < ROUNDING / dt, "{n}, {i}: slopes {} {}", v[s], w[s]);
                assert!((a[s] - b[s]).abs() < ROUNDING / (dt * dt), "{n}, {i}: curvatures {} {}", a[s], b[s]);
            }
        }
        // one signal alone, or among others
        let alone: Vec<f64> = values.iter().skip(1).step_by(signals).copied().collect();
        let alone = Spline::through(&alone, 1, dt);
        let mut all = vec![0.0; signals];
        for k in 0..40 {
            let t = k as f64 / 39.0 * (n - 1) as f64 * dt;
            spline.value(t, &mut all);
            assert!((at(&alone, t)[0] - all[1]).abs() < ROUNDING, "{n}: {t}");
        }
    }
}

/// Four derivatives of a quintic spline are continuous at its knots, and consistent with its values.
#[test]
fn splines_are_smooth_with_consistent_derivatives() {
    let mut rng = Rng::new(2);
    let (n, dt) = (20, 0.1);
    let spline = Spline::through(&noise(&mut rng, n), 1, dt);
    for k in 1..190 {
        let (t, h) = (f64::from(k) * 0.01, 1e-5);
        let [before, now, after] = [t - h, t, t + h].map(|t| at(&spline, t));
        for d in 0..2 {
            let numeric = (after[d] - before[d]) / (2.0 * h);
            assert!(
                (numeric - now[d + 1]).abs() < 1e-5 * (1.0 + now[d + 1].abs()) / dt,
                "derivative {d} at {t}: {numeric} and {}",
                now[d + 1]
            );
        }
    }
    for knot in 1..n - 1 {
        let t = knot as f64 * dt;
        let (left, right) = (at(&spline, t - 1e-12), at(&spline, t));
        for d in 0..3 {
            assert!(
                (left[d] - right[d]).abs() < 1e-6 * (1.0 + right[d].abs()),
                "knot {knot}: derivative {d} is discontinuous"
            );
        }
    }
}

#[test]
fn splines_are_linear_and_the_same_backwards() {
    let mut rng = Rng::new(3);
    for n in [4, 9, 33] {
        let dt = 0.5;
        let (x, y, k) = (noise(&mut rng, n), noise(&mut rng, n), 3.0 * rng.signed());
        let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + k * y).collect();
        let back: Vec<f64> = x.iter().rev().copied().collect();
        let [x, y, sum, back] = [x, y, sum, back].map(|values| Spline::through(&values, 1, dt));
        let end = (n - 1) as f64 * dt;
        for step in 0..=50 {
            let t = end * f64::from(step) / 50.0;
            let (a, b, c, d) = (at(&x, t), at(&y, t), at(&sum, t), at(&back, end - t));
            for derivative in 0..3 {
                let expected = a[derivative] + k * b[derivative];
                assert!((c[derivative] - expected).abs() < 1e3 * ROUNDING, "{n}, {t}: not linear");
                let sign = if derivative == 1 { -1.0 } else { 1.0 };
                assert!(
                    (a[derivative] - sign * d[derivative]).abs() < 1e3 * ROUNDING,
                    "{n}, {t}: not symmetric"
                );
            }
        }
    }
}

/// A spline is constant outside its samples.
#[test]
fn splines_stay_at_their_ends() {
    let spline = Spline::through(&[1.0, 4.0, 2.0, 8.0, 5.0, 7.0], 1, 0.1);
    for (t, end) in [(-3.0, 0.0), (-1e-9, 0.0), (0.5 + 1e-9, 0.5), (9.0, 0.5)] {
        assert_eq!(at(&spline, t)[0], at(&spline, end)[0], "{t}");
    }
    let mut nothing: [f64; 0] = [];
    Spline::through(&[], 0, 0.1).value(0.3, &mut nothing);
}

fn passed(x: &[f64], rate: f64, cutoff: f64) -> Vec<f64> {
    let mut y = x.to_vec();
    low_pass(&mut y, 1, rate, cutoff);
    y
}

#[test]
fn low_passes_are_linear_and_keep_signals_apart() {
    let mut rng = Rng::new(4);
    for n in [2, 3, 10, 200] {
        let (x, y, k) = (noise(&mut rng, n), noise(&mut rng, n), 2.0 * rng.signed());
        let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + k * y).collect();
        let mut both: Vec<f64> = x.iter().zip(&y).flat_map(|(x, y)| [*x, *y]).collect();
        low_pass(&mut both, 2, 100.0, 7.0);
        let [x, y, sum] = [x, y, sum].map(|x| passed(&x, 100.0, 7.0));
        for i in 0..n {
            assert!((sum[i] - x[i] - k * y[i]).abs() < ROUNDING, "{n}: sample {i}");
            assert!(both[2 * i] == x[i] && both[2 * i + 1] == y[i], "{n}: sample {i} of two signals");
        }
    }
}

/// Constants are preserved up to rounding; an offset of the input is an offset of the output.
#[test]
fn low_passes_keep_levels_and_the_mean() {
    let mut rng = Rng::new(5);
    let level = passed(&[3.25; 50], 60.0, 6.0);
    assert!(level.iter().all(|x| (x - 3.25).abs() < 1e-12), "{level:?}");
    let x = noise(&mut rng, 300);
    let raised: Vec<f64> = x.iter().map(|x| x + 1000.0).collect();
    for (a, b) in passed(&x, 60.0, 6.0).iter().zip(passed(&raised, 60.0, 6.0)) {
        assert!((b - a - 1000.0).abs() < 1e-9, "{a} {b}");
    }
    // signals that cannot be filtered are unchanged
    assert_eq!(passed(&[5.0], 60.0, 6.0), [5.0]);
    assert_eq!(passed(&[5.0, 9.0, 1.0], 60.0, 27.0), [5.0, 9.0, 1.0]);
}

/// Gain 1 / (1 + (tan / tan_c)^4) of two passes, at any frequency and any rate, without lag.
#[test]
fn low_passes_have_the_gain_of_two_passes_of_butterworth() {
    for (rate, cutoff) in [(60.0, 6.0), (120.0, 6.0), (100.0, 15.0), (250.0, 4.0)] {
        for frequency in [0.3, 0.7, 1.0, 1.5, 2.5].map(|part| part * cutoff) {
            let n = (40.0 * rate / frequency) as usize;
            let wave = |i: usize, phase: f64| (TAU * frequency * i as f64 / rate + phase).sin();
            let x: Vec<f64> = (0..n).map(|i| wave(i, 0.0)).collect();
            let y = passed(&x, rate, cutoff);
            // the middle only: the ends are extended
            let (mut sine, mut cosine, mut count) = (0.0, 0.0, 0.0);
            for i in n / 4..3 * n / 4 {
                sine += y[i] * wave(i, 0.0);
                cosine += y[i] * wave(i, 0.5 * PI);
                count += 0.5;
            }
            let warped = |hz: f64| (PI * hz / rate).tan();
            // the corner of each pass is corrected so that both together halve the power
            let corner = warped(cutoff) / (2f64.sqrt() - 1.0).powf(0.25);
            let gain = 1.0 / (1.0 + (warped(frequency) / corner).powi(4));
            assert!(
                (sine / count - gain).abs() < 0.02,
                "{rate} {cutoff} {frequency}: {} not {gain}",
                sine / count
            );
            assert!(
                (cosine / count).abs() < 0.02,
                "{rate} {cutoff} {frequency}: a lag of {}",
                cosine / count
            );
        }
    }
}

/// A forward-backward filter is symmetric in time away from the ends.
#[test]
fn low_passes_are_symmetric_in_time() {
    let mut rng = Rng::new(6);
    let x = noise(&mut rng, 400);
    let back: Vec<f64> = x.iter().rev().copied().collect();
    let (a, b) = (passed(&x, 100.0, 6.0), passed(&back, 100.0, 6.0));
    for i in 100..300 {
        assert!((a[i] - b[399 - i]).abs() < 1e-6, "sample {i}: {} {}", a[i], b[399 - i]);
    }
}
