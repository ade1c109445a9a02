//! Least-squares polynomials through samples at equal steps.
//!
//! Computes the weight of each sample in value, slope and curvature of the polynomial, from discrete Chebyshev
//! polynomials:  p_{k+1} = t p_k - b_k p_{k-1},  b_k = k^2 (n^2 - k^2) / (4 (4 k^2 - 1)),  |p_k|^2 = b_k |p_{k-1}|^2,
//! with t counted from the middle.
//! Source: Gram (1883), Forsythe (1957).
//! Not here: curves through the samples (`spline`).
//! Checked by: tests below.

/// Weights of each sample in value, slope and curvature; time in samples.
pub(crate) type Weights = Vec<[f64; 3]>;

/// Weights of `n` samples for the polynomial at sample `at`; its degree is below `n`.
pub(crate) fn weights(n: usize, at: usize, degree: usize) -> Weights {
    let middle = 0.5 * (n as f64 - 1.0);
    let degree = degree.min(n - 1);
    let there = orthogonal(n, at as f64 - middle, degree);
    let weight = |i: usize| {
        let here = orthogonal(n, i as f64 - middle, degree);
        let mut square = n as f64;
        let mut w = [0.0; 3];
        for k in 0..=degree {
            square *= if k > 0 { ratio(n, k) } else { 1.0 };
            (0..3).for_each(|d| w[d] += here[k][0] * there[k][d] / square);
        }
        w
    };
    (0..n).map(weight).collect()
}

/// Polynomials up to a degree, with first and second derivative.
fn orthogonal(n: usize, t: f64, degree: usize) -> Vec<[f64; 3]> {
    let mut p = vec![[1.0, 0.0, 0.0]];
    for k in 0..degree {
        let b = if k > 0 { ratio(n, k) } else { 0.0 };
        let (last, before) = (p[k], if k > 0 { p[k - 1] } else { [0.0; 3] });
        p.push([0, 1, 2].map(|d| {
            // (t p)^(d) = t p^(d) + d p^(d-1)
            let rise = if d > 0 { d as f64 * last[d - 1] } else { 0.0 };
            t * last[d] + rise - b * before[d]
        }));
    }
    p
}

/// b_k
fn ratio(n: usize, k: usize) -> f64 {
    let (nn, kk) = ((n * n) as f64, (k * k) as f64);
    kk * (nn - kk) / (4.0 * (4.0 * kk - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Rng;

    #[test]
    fn polynomials_are_reproduced() {
        for (n, degree) in [(1usize, 0), (2, 1), (4, 1), (5, 2), (9, 2), (5, 4), (19, 4)] {
            for at in [0, n.saturating_sub(2), n - 1] {
                // (t/n - 0.3)^degree
                let (x, slope, power) = (at as f64 / n as f64 - 0.3, 1.0 / n as f64, degree as i32);
                let mut got = [0.0; 3];
                for (i, w) in weights(n, at, degree).iter().enumerate() {
                    let value = (i as f64 / n as f64 - 0.3).powi(power);
                    (0..3).for_each(|d| got[d] += w[d] * value);
                }
                let (m, l) = (f64::from(power), f64::from((power - 1).max(0)));
                let expected = [
                    x.powi(power),
                    m * slope * x.powi((power - 1).max(0)),
                    m * l * slope * slope * x.powi((power - 2).max(0)),
                ];
                for d in 0..3 {
                    assert!((got[d] - expected[d]).abs() < 1e-12, "{n} {at}: {got:?} {expected:?}");
                }
            }
        }
    }

    #[test]
    fn straight_lines_by_hand() {
        // 0, 3, 0: mean 1, no slope
        let w = weights(3, 2, 1);
        let fit = |d: usize| w[1][d] * 3.0;
        assert!((fit(0) - 1.0).abs() < 1e-15 && fit(1).abs() < 1e-15 && fit(2) == 0.0);
    }

    /// Against the normal equations, in powers of t.
    #[test]
    fn weights_are_those_of_least_squares() {
        let mut rng = Rng::new(1);
        for (n, degree) in [(3usize, 1usize), (5, 2), (8, 3), (12, 4), (7, 6)] {
            let x: Vec<f64> = (0..n).map(|_| rng.signed()).collect();
            let t = |i: usize| (i as f64 - 0.5 * (n - 1) as f64) / n as f64;
            let size = degree + 1;
            let mut m = vec![vec![0.0; size + 1]; size];
            for i in 0..n {
                for a in 0..size {
                    (0..size).for_each(|b| m[a][b] += t(i).powi((a + b) as i32));
                    m[a][size] += t(i).powi(a as i32) * x[i];
                }
            }
            for j in 0..size {
                let pivot = (j..size).max_by(|a, b| m[*a][j].abs().total_cmp(&m[*b][j].abs())).unwrap();
                m.swap(j, pivot);
                for i in (0..size).filter(|i| *i != j) {
                    let factor = m[i][j] / m[j][j];
                    (j..=size).for_each(|k| m[i][k] -= factor * m[j][k]);
                }
            }
            let c: Vec<f64> = (0..size).map(|j| m[j][size] / m[j][j]).collect();
            for at in 0..n {
                let weights = weights(n, at, degree);
                let got = [0, 1, 2].map(|d| weights.iter().zip(&x).map(|(w, x)| w[d] * x).sum::<f64>());
                let power = |k: usize, d: usize| -> f64 {
                    let factor: f64 = (0..d).map(|j| k as f64 - j as f64).product();
                    factor * t(at).powi(k as i32 - d as i32) / (n as f64).powi(d as i32)
                };
                for d in 0..3 {
                    let expected: f64 = (d..size).map(|k| c[k] * power(k, d)).sum();
                    assert!((got[d] - expected).abs() < 1e-9, "{n} {degree} {at} {d}: {} {expected}", got[d]);
                }
            }
        }
    }

    /// Weights of the value sum to one, of slope and curvature to zero; reversed in time, slopes change sign.
    #[test]
    fn weights_of_a_constant_and_reversed_in_time() {
        for (n, degree) in [(1usize, 3usize), (4, 2), (9, 3), (21, 4)] {
            for at in 0..n {
                let (w, back) = (weights(n, at, degree), weights(n, n - 1 - at, degree));
                let sums = [0, 1, 2].map(|d| w.iter().map(|w| w[d]).sum::<f64>());
                assert!(
                    (sums[0] - 1.0).abs() < 1e-12 && sums[1].abs() < 1e-12 && sums[2].abs() < 1e-12,
                    "{sums:?}"
                );
                for i in 0..n {
                    let [a, b] = [w[i], back[n - 1 - i]];
                    assert!((a[0] - b[0]).abs() < 1e-12 && (a[1] + b[1]).abs() < 1e-12, "{n} {at} {i}");
                }
            }
        }
    }
}
