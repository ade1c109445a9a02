//! A signal near another one, with second derivatives near given ones, and at some times exactly those.
//!
//! Computes  min sum near (x - wish)^2 + (x'' - bend)^2 / slack  over samples, with x'' = bend where slack is zero, by the
//! equations of x and of the multipliers m of the bends, scaled so that both have the same size:
//!     near dt^2 x + D m = near dt^2 wish,    D x - slack dt^2 m = dt^2 bend,    D x = x[k-1] - 2 x[k] + x[k+1].
//! Unknowns in the order x[0], m[0], x[1], ... make a band of three to each side; eliminated with row exchanges. The
//! squares of D are never formed: at steps of a millisecond they would leave no digits.
//! Source: our own.
//! Checked by: tests below.

/// Entries left and right of the diagonal; row exchanges add as many to the right again.
const SIDE: usize = 3;
const WIDTH: usize = 3 * SIDE + 1;

/// What is wanted at a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wanted {
    /// value, and how much it counts
    pub wish: f64,
    pub near: f64,
    /// second derivative, and the square by which it may be missed
    pub bend: f64,
    pub slack: f64,
}

/// The signal; bends of the first and the last sample do not count.
pub(crate) fn nearest(wanted: &[Wanted], dt: f64) -> Vec<f64> {
    let n = wanted.len();
    let mut band = Band::new(2 * n);
    for (k, w) in wanted.iter().enumerate() {
        let (x, m) = (2 * k, 2 * k + 1);
        band.add(x, x, w.near * dt * dt);
        band.rhs[x] = w.near * dt * dt * w.wish;
        if k == 0 || k + 1 == n {
            band.add(m, m, 1.0);
            continue;
        }
        for (j, weight) in [(k - 1, 1.0), (k, -2.0), (k + 1, 1.0)] {
            band.add(m, 2 * j, weight);
            band.add(2 * j, m, weight);
        }
        band.add(m, m, -w.slack * dt * dt);
        band.rhs[m] = dt * dt * w.bend;
    }
    band.solve();
    band.rhs.iter().step_by(2).copied().collect()
}

/// Equations with few entries beside the diagonal.
struct Band {
    /// row after row, from SIDE left of the diagonal on
    rows: Vec<[f64; WIDTH]>,
    rhs: Vec<f64>,
}

impl Band {
    fn new(n: usize) -> Band {
        Band { rows: vec![[0.0; WIDTH]; n], rhs: vec![0.0; n] }
    }

    fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row][column + SIDE - row] += value;
    }

    /// The right-hand side becomes the solution.
    fn solve(&mut self) {
        let n = self.rhs.len();
        for k in 0..n {
            let last = (k + SIDE).min(n - 1);
            // the largest entry of the column
            let at = |row: usize| k + SIDE - row;
            let best = (k..=last)
                .fold(k, |b, r| if self.rows[r][at(r)].abs() > self.rows[b][at(b)].abs() { r } else { b });
            if best != k {
                let (a, b) = (self.rows[k], self.rows[best]);
                let far = best - k;
                // each row holds columns from SIDE left of its own diagonal on
                let (mut up, mut down) = ([0.0; WIDTH], [0.0; WIDTH]);
                up[far..].copy_from_slice(&b[..WIDTH - far]);
                down[..WIDTH - far].copy_from_slice(&a[far..]);
                (self.rows[k], self.rows[best]) = (up, down);
                self.rhs.swap(k, best);
            }
            let pivot = self.rows[k];
            for r in k + 1..=last {
                let far = r - k;
                let factor = self.rows[r][SIDE - far] / pivot[SIDE];
                if factor == 0.0 {
                    continue;
                }
                for c in SIDE..WIDTH {
                    self.rows[r][c - far] -= factor * pivot[c];
                }
                self.rhs[r] -= factor * self.rhs[k];
            }
        }
        for k in (0..n).rev() {
            let row = &self.rows[k];
            let known: f64 =
                (1..WIDTH - SIDE).filter(|c| k + c < n).map(|c| row[SIDE + c] * self.rhs[k + c]).sum();
            self.rhs[k] = (self.rhs[k] - known) / row[SIDE];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_falls_exactly_and_is_carried_smoothly() {
        let (dt, g) = (1e-3, 9.81);
        let flies = |k: usize| (400..600).contains(&k);
        let wanted: Vec<Wanted> = (0..1001)
            .map(|k| Wanted {
                wish: 1.0,
                near: 1e4,
                bend: if flies(k) { -g } else { 0.0 },
                slack: if flies(k) { 0.0 } else { 25.0 },
            })
            .collect();
        let x = nearest(&wanted, dt);
        let bend = |k: usize| (x[k + 1] - 2.0 * x[k] + x[k - 1]) / (dt * dt);
        assert!((400..600).all(|k| (bend(k) + g).abs() < 1e-6));
        assert!((1..1000).all(|k| bend(k).abs() < 60.0));
        assert!(x.iter().all(|x| (x - 1.0).abs() < 0.05));
        assert!((x[0] - 1.0).abs() < 1e-3 && (x[500] - x[400] - 0.5 * g * 0.01).abs() < 1e-3);
    }
}
