//! Curves through keys: cubic splines with a continuous second derivative.
//!
//! Computes the slopes m_i at the keys from  m_{i-1}/h_{i-1} + 2 (1/h_{i-1} + 1/h_i) m_i + m_{i+1}/h_i
//! = 3 (d_{i-1}/h_{i-1} + d_i/h_i)  with d the secants. Slopes at the ends are zero, or the curve is periodic.
//! Source: [dB1978] for the equations.
//! Checked by: tests below.

/// A curve through keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    times: Vec<f64>,
    values: Vec<f64>,
    slopes: Vec<f64>,
    period: Option<f64>,
}

impl Curve {
    /// Curve through at least one key, times increasing; keys of a periodic curve lie within one period.
    pub fn through(points: &[(f64, f64)], period: Option<f64>) -> Curve {
        let (mut times, mut values): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        if let Some(period) = period {
            times.push(times[0] + period);
            values.push(values[0]);
        }
        let slopes = slopes(&times, &values, period.is_some());
        Curve { times, values, slopes, period }
    }

    /// Value at a time; constant beyond the ends if not periodic.
    pub fn value(&self, t: f64) -> f64 {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let t = self.period.map_or(t, |p| first + (t - first).rem_euclid(p)).clamp(first, last);
        let i = self.times.partition_point(|k| *k <= t).clamp(1, self.times.len().max(2) - 1);
        if self.times.len() == 1 {
            return self.values[0];
        }
        let h = self.times[i] - self.times[i - 1];
        let (s, [a, b]) = ((t - self.times[i - 1]) / h, [self.values[i - 1], self.values[i]]);
        let [p, q] = [self.slopes[i - 1] * h, self.slopes[i] * h];
        let r = 1.0 - s;
        r * r * (1.0 + 2.0 * s) * a + s * s * (3.0 - 2.0 * s) * b + r * r * s * p - s * s * r * q
    }
}

/// Slopes at the keys; the last key of a closed curve repeats the first.
fn slopes(times: &[f64], values: &[f64], is_closed: bool) -> Vec<f64> {
    let n = times.len();
    let unknown = if is_closed { n - 1 } else { n };
    let mut matrix = vec![vec![0.0; unknown + 1]; unknown];
    for (i, row) in matrix.iter_mut().enumerate() {
        if !is_closed && (i == 0 || i == n - 1) {
            row[i] = 1.0;
            continue;
        }
        let before = if i == 0 { n - 2 } else { i - 1 };
        for (k, other) in [(before, before), (i, (i + 1) % unknown)] {
            let h = times[k + 1] - times[k];
            row[other] += 1.0 / h;
            row[i] += 2.0 / h;
            row[unknown] += 3.0 * (values[k + 1] - values[k]) / (h * h);
        }
    }
    let mut slopes = eliminate(matrix);
    if is_closed {
        slopes.push(slopes[0]);
    }
    slopes
}

/// Solves a diagonally dominant system; the last column is the right side.
fn eliminate(mut m: Vec<Vec<f64>>) -> Vec<f64> {
    let n = m.len();
    for j in 0..n {
        let (above, below) = m.split_at_mut(j + 1);
        for row in below.iter_mut().filter(|row| row[j] != 0.0) {
            let factor = row[j] / above[j][j];
            (j..=n).for_each(|k| row[k] -= factor * above[j][k]);
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let rest: f64 = (i + 1..n).map(|k| m[i][k] * x[k]).sum();
        x[i] = (m[i][n] - rest) / m[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Rng;

    /// Second derivatives left and right of a time.
    fn bends(curve: &Curve, t: f64) -> [f64; 2] {
        let h = 1e-4;
        [-1.0, 1.0].map(|s| {
            let at = |k: f64| curve.value(t + s * k * h);
            (2.0 * at(0.0) - 5.0 * at(1.0) + 4.0 * at(2.0) - at(3.0)) / (h * h)
        })
    }

    #[test]
    fn passes_its_keys_with_continuous_curvature() {
        let keys = [(0.0, 1.0), (0.3, -0.5), (0.5, 0.2), (1.1, 0.7)];
        for period in [None, Some(1.5)] {
            let curve = Curve::through(&keys, period);
            for (t, x) in keys {
                assert!((curve.value(t) - x).abs() < 1e-14, "{t}");
            }
            for (t, _) in &keys[1..3] {
                let [a, b] = bends(&curve, *t);
                assert!((a - b).abs() < 1e-2, "{t}: {a} {b}");
            }
        }
        let closed = Curve::through(&keys, Some(1.5));
        let [a, b] = bends(&closed, 1.5);
        assert!((closed.value(1.7) - closed.value(0.2)).abs() < 1e-14 && (a - b).abs() < 1e-2, "{a} {b}");
        let open = Curve::through(&keys, None);
        assert!((open.value(1e-6) - 1.0).abs() < 1e-9 && open.value(-3.0) == 1.0 && open.value(9.0) == 0.7);
    }

    #[test]
    fn one_key_is_a_constant_and_two_a_wave() {
        for period in [None, Some(2.0)] {
            let x = Curve::through(&[(0.5, 3.0)], period).value(0.9);
            assert!((x - 3.0).abs() < 1e-14, "{x}");
        }
        let wave = Curve::through(&[(0.0, -1.0), (1.0, 1.0)], Some(2.0));
        assert!((wave.value(0.5)).abs() < 1e-14 && (wave.value(2.0) + 1.0).abs() < 1e-14);
    }

    /// A closed curve does not depend on which key is first.
    #[test]
    fn closed_curves_do_not_depend_on_the_first_key() {
        let mut rng = Rng::new(1);
        for n in 1..8 {
            let period = 2.0;
            let mut times: Vec<f64> = (0..n).map(|_| period * rng.uniform()).collect();
            times.sort_by(f64::total_cmp);
            if times.windows(2).any(|w| w[1] - w[0] < 0.02) {
                continue;
            }
            let keys: Vec<(f64, f64)> = times.iter().map(|t| (*t, rng.signed())).collect();
            let curve = Curve::through(&keys, Some(period));
            for first in 0..n {
                let turned: Vec<(f64, f64)> = (0..n)
                    .map(|k| {
                        (
                            keys[(first + k) % n].0 + if first + k >= n { period } else { 0.0 },
                            keys[(first + k) % n].1,
                        )
                    })
                    .collect();
                let other = Curve::through(&turned, Some(period));
                for k in 0..60 {
                    let t = 0.1 * f64::from(k) - 1.7;
                    let [a, b] = [curve.value(t), other.value(t)];
                    assert!((a - b).abs() < 1e-10 * (1.0 + a.abs()), "{n} keys, first {first}, {t}: {a} {b}");
                }
            }
        }
    }

    /// A cubic with zero slope at both ends is reproduced from any keys on it.
    #[test]
    fn cubics_with_zero_end_slopes_are_reproduced() {
        let mut rng = Rng::new(2);
        let cubic = |t: f64| 2.0 + 3.0 * t * t - 2.0 * t * t * t;
        for n in 2..9 {
            let mut times: Vec<f64> = (0..n - 2).map(|_| 0.05 + 0.9 * rng.uniform()).collect();
            times.extend([0.0, 1.0]);
            times.sort_by(f64::total_cmp);
            times.dedup_by(|a, b| *a - *b < 1e-3);
            let keys: Vec<(f64, f64)> = times.iter().map(|t| (*t, cubic(*t))).collect();
            let curve = Curve::through(&keys, None);
            for k in 0..=50 {
                let t = f64::from(k) / 50.0;
                assert!((curve.value(t) - cubic(t)).abs() < 1e-9, "{n} keys, {t}: {}", curve.value(t));
            }
        }
    }

    /// Of all curves through the keys with these end slopes, the spline has the least integrated squared curvature.
    #[test]
    fn no_other_curve_bends_less() {
        let keys = [(0.0, 0.3), (0.4, -0.2), (0.9, 0.8), (1.3, 0.1)];
        let curve = Curve::through(&keys, None);
        let n = 2600;
        let h = 1.3 / f64::from(n);
        let bending = |f: &dyn Fn(f64) -> f64| {
            let second = |t: f64| (f(t + h) - 2.0 * f(t) + f(t - h)) / (h * h);
            (1..n).map(|k| second(f64::from(k) * h).powi(2) * h).sum::<f64>()
        };
        let least = bending(&|t| curve.value(t));
        // zero at all keys, with zero slope at both ends
        let other = |t: f64| t * t * (t - 0.4) * (t - 0.9) * (1.3 - t) * (1.3 - t);
        for size in [-3.0, -0.5, 0.5, 3.0] {
            let more = bending(&|t| curve.value(t) + size * other(t));
            assert!(more > least, "{size}: {more} is less than {least}");
        }
    }
}
