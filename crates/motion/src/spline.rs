//! Quintic interpolating splines at equal steps, many signals at once.
//!
//! Computes the coefficients c of uniform B-splines of degree 5 with s(i) = x_i, which give values and derivatives at
//! any time; the second derivative is of fourth order in the step, that of a cubic spline of second.
//! Source: [dB1978 passim] for B-splines and not-a-knot ends: the fifth derivative is continuous at the two knots next
//! to each end, so that the ends are as accurate as the middle.
//! Not here: noise (`smooth`); coordinates (`trajectory`).
//! Checked by: tests below (polynomials to rounding, sines to their order).

/// Fewest samples that determine a quintic spline.
const MIN_SAMPLES: usize = 6;
/// Entries of a row left and right of the diagonal.
const BAND: usize = 6;
/// Entries of a row: row exchanges add up to `BAND` entries on the right.
const WIDTH: usize = 3 * BAND + 1;

/// Splines through samples of several signals.
#[derive(Clone, Debug)]
pub struct Spline {
    /// number of signals
    signals: usize,
    /// number of samples
    samples: usize,
    /// seconds between samples
    dt: f64,
    /// by coefficient, then by signal; coefficient j belongs to sample j - 2
    coefficients: Vec<f64>,
}

impl Spline {
    /// Spline through `values`, by sample then by signal, `dt` seconds apart; the interpolating polynomial if there are
    /// fewer than six samples.
    pub fn through(values: &[f64], signals: usize, dt: f64) -> Spline {
        let samples = values.len().checked_div(signals).unwrap_or(0);
        if samples == 0 {
            return Spline { signals, samples, dt, coefficients: Vec::new() };
        }
        let mut right = vec![0.0; 2 * signals];
        right.extend_from_slice(values);
        continue_polynomial(&mut right, 2, samples, signals);
        let n = samples.max(MIN_SAMPLES);
        right.resize((n + 4) * signals, 0.0);
        Band::interpolation(n).solve(&mut right, signals);
        Spline { signals, samples, dt, coefficients: right }
    }

    /// Value, first and second derivative of all signals at sample `i`.
    pub fn at_sample(&self, i: usize, out: [&mut [f64]; 3]) {
        let h = self.dt;
        let weights = [
            [1.0, 26.0, 66.0, 26.0, 1.0].map(|w| w / 120.0),
            [-1.0, -10.0, 0.0, 10.0, 1.0].map(|w| w / (24.0 * h)),
            [1.0, 2.0, -6.0, 2.0, 1.0].map(|w| w / (6.0 * h * h)),
        ];
        for (out, weights) in out.into_iter().zip(weights) {
            self.combine(i, &weights, out);
        }
    }

    /// Values of all signals at a time from the first sample, s; clamped to the ends.
    pub fn value(&self, t: f64, out: &mut [f64]) {
        let (i, u) = self.piece(t);
        self.combine(i, &basis(5, u), out);
    }

    /// Values, first and second derivatives at a time from the first sample, s; clamped to the ends.
    pub fn at(&self, t: f64, [value, rate, second]: [&mut [f64]; 3]) {
        let (i, u) = self.piece(t);
        let (b4, b3) = (basis(4, u), basis(3, u));
        let before = |b: &[f64; 6], k: usize| k.checked_sub(1).map_or(0.0, |k| b[k]);
        let first = core::array::from_fn::<f64, 6, _>(|k| before(&b4, k) - b4[k]);
        let slope = core::array::from_fn::<f64, 6, _>(|k| before(&b3, k) - b3[k]);
        let curve = core::array::from_fn::<f64, 6, _>(|k| before(&slope, k) - slope[k]);
        self.combine(i, &basis(5, u), value);
        self.combine(i, &first.map(|w| w / self.dt), rate);
        self.combine(i, &curve.map(|w| w / (self.dt * self.dt)), second);
    }

    /// The interval of a time, and the fraction within it.
    fn piece(&self, t: f64) -> (usize, f64) {
        let last = self.samples.saturating_sub(1);
        let x = (t / self.dt).clamp(0.0, last as f64);
        let i = (x as usize).min(last.saturating_sub(1));
        (i, x - i as f64)
    }

    fn combine(&self, first: usize, weights: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (k, w) in weights.iter().enumerate() {
            let c = &self.coefficients[(first + k) * self.signals..][..self.signals];
            out.iter_mut().zip(c).for_each(|(o, c)| *o += w * c);
        }
    }
}

/// Non-zero B-splines of a degree up to 5 at `u` of 0 to 1 after a knot, by their recursion.
fn basis(degree: usize, u: f64) -> [f64; 6] {
    let mut b = [0.0; 6];
    b[0] = 1.0;
    for degree in 1..=degree {
        let mut carried = 0.0;
        for k in 0..degree {
            let left = u + (degree - 1 - k) as f64;
            let part = b[k] / degree as f64;
            b[k] = carried + (degree as f64 - left) * part;
            carried = left * part;
        }
        b[degree] = carried;
    }
    b
}

/// Extrapolates the interpolating polynomial until there are enough samples for a spline.
fn continue_polynomial(rows: &mut Vec<f64>, first: usize, samples: usize, signals: usize) {
    for n in samples..MIN_SAMPLES {
        for s in 0..signals {
            // the difference of order `samples` is zero: sum of (-1)^k binomial(samples, k) x_{n-k} = 0
            let (mut next, mut binomial) = (0.0, 1.0);
            for k in 1..=samples {
                binomial *= -((samples + 1 - k) as f64) / k as f64;
                next -= binomial * rows[(first + n - k) * signals + s];
            }
            rows.push(next);
        }
    }
}

/// A band matrix, LU-factored with row exchanges.
struct Band {
    rows: Vec<[f64; WIDTH]>,
    /// first column of each row
    from: Vec<usize>,
    /// pivot row of each column, and the multipliers of the rows below
    steps: Vec<(usize, [f64; BAND])>,
}

impl Band {
    /// The interpolation conditions: two at each end, and one per sample.
    fn interpolation(n: usize) -> Band {
        let size = n + 4;
        let mut rows = Vec::with_capacity(size);
        let mut from = Vec::with_capacity(size);
        let mut push = |first: usize, entries: &[f64]| {
            let mut row = [0.0; WIDTH];
            row[..entries.len()].copy_from_slice(entries);
            rows.push(row);
            from.push(first);
        };
        let no_knot = [1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0];
        push(0, &no_knot);
        push(1, &no_knot);
        for i in 0..n {
            push(i, &[1.0, 26.0, 66.0, 26.0, 1.0].map(|w| w / 120.0));
        }
        push(n - 4, &no_knot);
        push(n - 3, &no_knot);
        let mut band = Band { rows, from, steps: Vec::with_capacity(size) };
        band.factor();
        band
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        j.checked_sub(self.from[i]).and_then(|k| self.rows[i].get(k)).copied().unwrap_or(0.0)
    }

    fn factor(&mut self) {
        let n = self.rows.len();
        for j in 0..n {
            let below = (j + BAND + 1).min(n);
            let pivot = (j..below)
                .max_by(|a, b| self.entry(*a, j).abs().total_cmp(&self.entry(*b, j).abs()))
                .unwrap_or(j);
            self.rows.swap(j, pivot);
            self.from.swap(j, pivot);
            self.align(j, j);
            let mut factors = [0.0; BAND];
            for i in j + 1..below {
                if self.entry(i, j) == 0.0 {
                    continue;
                }
                self.align(i, j);
                let factor = self.rows[i][0] / self.rows[j][0];
                let (head, tail) = self.rows.split_at_mut(i);
                tail[0].iter_mut().zip(&head[j]).for_each(|(x, p)| *x -= factor * p);
                factors[i - j - 1] = factor;
            }
            self.steps.push((pivot, factors));
        }
    }

    /// Shifts row `i` to start at column `j`.
    fn align(&mut self, i: usize, j: usize) {
        let shift = j - self.from[i];
        self.rows[i].rotate_left(shift);
        self.rows[i][WIDTH - shift..].fill(0.0);
        self.from[i] = j;
    }

    /// Solves for all signals in place, by row then by signal.
    fn solve(&self, x: &mut [f64], signals: usize) {
        let n = self.rows.len();
        for (j, (pivot, factors)) in self.steps.iter().enumerate() {
            if *pivot != j {
                (0..signals).for_each(|s| x.swap(j * signals + s, pivot * signals + s));
            }
            for (k, factor) in factors.iter().enumerate().filter(|(_, f)| **f != 0.0) {
                subtract(x, j + 1 + k, j, *factor, signals);
            }
        }
        for j in (0..n).rev() {
            for k in (1..WIDTH.min(n - j)).filter(|k| self.rows[j][*k] != 0.0) {
                subtract(x, j, j + k, self.rows[j][k], signals);
            }
            x[j * signals..(j + 1) * signals].iter_mut().for_each(|x| *x /= self.rows[j][0]);
        }
    }
}

/// Row `to` minus a factor times row `of`.
fn subtract(x: &mut [f64], to: usize, of: usize, factor: f64, signals: usize) {
    let rows = [to, of].map(|row| row * signals..(row + 1) * signals);
    let [to, of] = x.get_disjoint_mut(rows).expect("two different rows");
    to.iter_mut().zip(of.iter()).for_each(|(t, o)| *t -= factor * o);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest errors of value, first and second derivative over all samples.
    fn errors(n: usize, dt: f64, f: impl Fn(f64) -> [f64; 3]) -> [f64; 3] {
        let values: Vec<f64> = (0..n).map(|i| f(i as f64 * dt)[0]).collect();
        let spline = Spline::through(&values, 1, dt);
        let mut worst = [0.0f64; 3];
        for i in 0..n {
            let (mut x, mut v, mut a) = ([0.0], [0.0], [0.0]);
            spline.at_sample(i, [&mut x, &mut v, &mut a]);
            let exact = f(i as f64 * dt);
            for (w, e) in worst.iter_mut().zip([x[0] - exact[0], v[0] - exact[1], a[0] - exact[2]]) {
                *w = w.max(e.abs());
            }
        }
        worst
    }

    #[test]
    fn polynomials_are_reproduced() {
        let quintic = |t: f64| {
            [
                1.0 - t + 2.0 * t.powi(3) - 0.3 * t.powi(5),
                -1.0 + 6.0 * t * t - 1.5 * t.powi(4),
                12.0 * t - 6.0 * t.powi(3),
            ]
        };
        for n in [6, 7, 8, 9, 30] {
            let [x, v, a] = errors(n, 0.1, quintic);
            assert!(x < 1e-13 && v < 1e-11 && a < 1e-9, "{n}: {x:e} {v:e} {a:e}");
        }
        for n in 1..6i32 {
            let t = |t: f64, k: i32| if k < 0 { 0.0 } else { t.powi(k) };
            let power = |x: f64| {
                let (k, d) = (n - 1, f64::from(n - 1));
                [t(x, k), d * t(x, k - 1), d * (d - 1.0) * t(x, k - 2)]
            };
            let [x, v, a] = errors(n as usize, 0.5, power);
            assert!(x < 1e-13 && v < 1e-12 && a < 1e-11, "{n}: {x:e} {v:e} {a:e}");
        }
    }

    #[test]
    fn second_derivatives_are_of_fourth_order() {
        let sine = |t: f64| [(3.0 * t).sin(), 3.0 * (3.0 * t).cos(), -9.0 * (3.0 * t).sin()];
        let coarse = errors(100, 0.02, sine)[2];
        let fine = errors(200, 0.01, sine)[2];
        assert!(fine < 1e-4 && coarse / fine > 12.0, "{coarse:e} {fine:e}");
    }

    #[test]
    fn values_between_samples() {
        let spline = Spline::through(&[0.0, 1.0, 16.0, 81.0, 256.0, 625.0, 1296.0], 1, 2.0);
        let mut x = [0.0];
        for (t, expected) in [(0.0, 0.0), (1.0, 0.0625), (5.0, 39.0625), (12.0, 1296.0), (20.0, 1296.0)] {
            spline.value(t, &mut x);
            assert!((x[0] - expected).abs() < 1e-10, "{t}: {} instead of {expected}", x[0]);
        }
    }
}
