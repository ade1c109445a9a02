//! The cubic spline of SIMM.
//!
//! Computes  y(x) through points, twice differentiable, linear beyond the ends.
//! Source: OpenSim's `SimmSpline`, which is the spline of Forsythe, Malcolm and Moler (1977): at each end the third
//! derivative is that of the cubic through the four points nearest to it.
//! Checked by: tests below (cubics are exact), `tests/it/osim.rs` (values and derivatives from OpenSim).

/// An interpolating cubic spline.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spline {
    x: Vec<f64>,
    y: Vec<f64>,
    /// a sixth of the second derivative at each point
    c: Vec<f64>,
}

impl Spline {
    /// None for fewer than two points, or x that does not increase.
    pub fn new(x: Vec<f64>, y: Vec<f64>) -> Option<Spline> {
        if x.len() < 2 || x.len() != y.len() || x.windows(2).any(|w| !(w[0] < w[1])) {
            return None;
        }
        let c = curvature(&x, &y);
        Some(Spline { x, y, c })
    }

    /// The points.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.x.iter().copied().zip(self.y.iter().copied())
    }

    /// Value and first derivative.
    pub fn at(&self, x: f64) -> (f64, f64) {
        let last = self.x.len() - 1;
        let inside = x.clamp(self.x[0], self.x[last]);
        let i = self.x.partition_point(|k| *k <= inside).clamp(1, last) - 1;
        let (h, t) = (self.x[i + 1] - self.x[i], inside - self.x[i]);
        let slope = (self.y[i + 1] - self.y[i]) / h - h * (self.c[i + 1] + 2.0 * self.c[i]);
        let (c, d) = (3.0 * self.c[i], (self.c[i + 1] - self.c[i]) / h);
        let rate = slope + t * (2.0 * c + t * 3.0 * d);
        (self.y[i] + t * (slope + t * (c + t * d)) + rate * (x - inside), rate)
    }

    /// Value.
    pub fn value(&self, x: f64) -> f64 {
        self.at(x).0
    }
}

/// Solves the tridiagonal system of continuous slopes for a sixth of the second derivatives.
fn curvature(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    if n == 2 {
        return vec![0.0; 2];
    }
    let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
    let secant: Vec<f64> = (0..n - 1).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
    let jump = |i: usize| secant[i] - secant[i - 1];
    let third = |i: usize| {
        // a sixth of the third derivative of the cubic through the points i .. i + 3
        (jump(i + 2) / (x[i + 3] - x[i + 1]) - jump(i + 1) / (x[i + 2] - x[i])) / (x[i + 3] - x[i])
    };
    let (mut diagonal, mut c) = (vec![0.0; n], vec![0.0; n]);
    for i in 1..n - 1 {
        (diagonal[i], c[i]) = (2.0 * (h[i - 1] + h[i]), jump(i));
    }
    (diagonal[0], diagonal[n - 1]) = (-h[0], -h[n - 2]);
    if n > 3 {
        c[0] = third(0) * h[0] * h[0];
        c[n - 1] = -third(n - 4) * h[n - 2] * h[n - 2];
    }
    for i in 1..n {
        let t = h[i - 1] / diagonal[i - 1];
        diagonal[i] -= t * h[i - 1];
        c[i] -= t * c[i - 1];
    }
    c[n - 1] /= diagonal[n - 1];
    for i in (0..n - 1).rev() {
        c[i] = (c[i] - h[i] * c[i + 1]) / diagonal[i];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_its_own_spline() {
        let f = |x: f64| 0.3 - x * (2.0 - x * (0.7 + 0.9 * x));
        let rate = |x: f64| -2.0 + x * (1.4 + 2.7 * x);
        let x = vec![-1.0, -0.4, 0.1, 0.9, 2.0];
        let spline = Spline::new(x.clone(), x.iter().map(|x| f(*x)).collect()).unwrap();
        for t in [-1.0, -0.7, 0.1, 0.5, 1.999, 2.0] {
            let (value, slope) = spline.at(t);
            assert!((value - f(t)).abs() < 1e-13 && (slope - rate(t)).abs() < 1e-12, "{t}");
        }
        // linear beyond the ends
        assert!((spline.value(3.0) - f(2.0) - rate(2.0)).abs() < 1e-12);
        assert!((spline.value(-3.0) - f(-1.0) + 2.0 * rate(-1.0)).abs() < 1e-12);
    }

    #[test]
    fn short_and_invalid_splines() {
        assert_eq!(Spline::new(vec![0.0, 2.0], vec![1.0, 2.0]).unwrap().at(1.0), (1.5, 0.5));
        assert!(Spline::new(vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 0.0]).unwrap().value(1.0) == 1.0);
        assert!(Spline::new(vec![0.0], vec![1.0]).is_none());
        assert!(Spline::new(vec![0.0, 0.0], vec![1.0, 2.0]).is_none());
        assert!(Spline::new(vec![0.0, 1.0], vec![1.0]).is_none());
    }
}
