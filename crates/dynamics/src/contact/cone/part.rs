//! The cone of one contact, its slack and dual, and their Nesterov-Todd scaling. [AG2003]

use super::{FREE, MAX_SIZE, inner};
use crate::contact::face::{Block, Face, Six};
use crate::contact::patch::MAX_VERTICES;

/// The cone of one contact, its slack and dual, and their scaling.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    /// number of points that can carry, which they are, and number of friction rows
    pub n: usize,
    pub points: [u8; MAX_VERTICES],
    pub k: usize,
    /// wrenches of unit shares and unit friction
    pub columns: [Six; MAX_SIZE],
    pub mu: f64,
    /// mu |slip| if fixed; otherwise updated in every iteration
    pub correction: Option<f64>,
    /// dual of w >= 0; not used where the friction cone implies it (a single point)
    pub lw: [f64; MAX_VERTICES],
    pub has_orthant: bool,
    /// slack (mu sum w, phi) and dual of the friction cone, first entry first
    pub s: [f64; 4],
    pub l: [f64; 4],
    /// scaling of the friction cone: eta and the unit vector, and the scaled point
    pub eta: f64,
    pub unit: [f64; 4],
    pub v: [f64; 4],
    /// right-hand sides of the complementarity in scaled axes
    pub xw: [f64; MAX_VERTICES],
    pub xs: [f64; 4],
    pub dlw: [f64; MAX_VERTICES],
    pub dw: [f64; MAX_VERTICES],
    pub ds: [f64; 4],
    pub dl: [f64; 4],
}

impl Part {
    /// The cone of a contact.
    pub fn new(f: &Face) -> Part {
        let mut part = Part { mu: f.dynamic_friction, ..Part::default() };
        for i in (0..f.count).filter(|i| f.target[*i] > FREE) {
            let [x, y] = f.places[i];
            part.points[part.n] = i as u8;
            part.columns[part.n] = [0.0, 0.0, 1.0, y, -x, 0.0];
            part.n += 1;
        }
        if part.n > 0 {
            part.k = f.friction_rows();
            (0..part.k).for_each(|j| part.columns[part.n + j] = f.friction_column(j));
        }
        part.has_orthant = part.n > 1 || part.k == 0;
        part
    }

    /// Wrench of shares and friction.
    #[inline(always)]
    pub fn wrench(&self, x: &[f64]) -> Six {
        let mut p = [0.0; 6];
        for (column, x) in self.columns[..self.n + self.k].iter().zip(x) {
            (0..6).for_each(|r| p[r] += column[r] * x);
        }
        p
    }

    /// Scaling of the friction cone at its slack and dual.
    pub fn scale(&mut self) {
        if self.k == 0 {
            return;
        }
        let (ds, dl) = (det(&self.s).max(1e-300), det(&self.l).max(1e-300));
        let (rs, rl) = (ds.sqrt(), dl.sqrt());
        let (s, l) = (self.s.map(|x| x / rs), self.l.map(|x| x / rl));
        let gamma = (0.5 * (1.0 + dot(&s, &l))).sqrt();
        let flip = |i: usize| if i == 0 { l[0] } else { -l[i] };
        for i in 0..4 {
            self.unit[i] = (s[i] + flip(i)) / (2.0 * gamma);
        }
        self.eta = (rs / rl).sqrt();
        self.v = self.scaled(&self.l);
    }

    /// W x of the friction cone.
    pub fn scaled(&self, x: &[f64; 4]) -> [f64; 4] {
        let w = &self.unit;
        let along = w[1] * x[1] + w[2] * x[2] + w[3] * x[3];
        let f = x[0] + along / (1.0 + w[0]);
        let mut y = [w[0] * x[0] + along, x[1], x[2], x[3]];
        (1..4).for_each(|i| y[i] += f * w[i]);
        y.map(|v| self.eta * v)
    }

    /// W^-1 x of the friction cone.
    pub fn unscaled(&self, x: &[f64; 4]) -> [f64; 4] {
        let w = &self.unit;
        let along = w[1] * x[1] + w[2] * x[2] + w[3] * x[3];
        let f = -x[0] + along / (1.0 + w[0]);
        let mut y = [w[0] * x[0] - along, x[1], x[2], x[3]];
        (1..4).for_each(|i| y[i] += f * w[i]);
        y.map(|v| v / self.eta)
    }

    /// Adds A^T W^-2 A; A maps (w, phi) to (w), and to (mu sum w, phi).
    fn add_to(&self, h: &mut [[f64; MAX_SIZE]; MAX_SIZE], x: &[f64]) {
        if self.has_orthant {
            for i in 0..self.n {
                h[i][i] += self.lw[i] / x[i];
            }
        }
        if self.k == 0 {
            return;
        }
        // W^-2 = (2 (J u)(J u)^T - J) / eta^2
        let w = &self.unit;
        let ju = [w[0], -w[1], -w[2], -w[3]];
        let mut q = [[0.0; 4]; 4];
        for i in 0..4 {
            for j in 0..4 {
                q[i][j] = 2.0 * ju[i] * ju[j];
            }
            q[i][i] += if i == 0 { -1.0 } else { 1.0 };
        }
        let f = 1.0 / (self.eta * self.eta);
        let column = |i: usize| if i < self.n { (0, self.mu) } else { (1 + i - self.n, 1.0) };
        for j in 0..self.n + self.k {
            let (b, mb) = column(j);
            let y = [q[0][b], q[1][b], q[2][b], q[3][b]].map(|x| f * mb * x);
            let share = self.mu * self.corrected(&y);
            (0..self.n).for_each(|i| h[i][j] += share);
            (0..self.k).for_each(|i| h[self.n + i][j] += y[1 + i]);
        }
    }

    /// Effect of a change of the dual on the shares' rows over mu: l_0 minus the correction |l_1|.
    pub fn corrected(&self, dl: &[f64; 4]) -> f64 {
        if self.correction.is_some() {
            return dl[0];
        }
        let n = norm(&self.l[1..]).max(1e-300);
        dl[0] - (self.l[1] * dl[1] + self.l[2] * dl[2] + self.l[3] * dl[3]) / n
    }

    /// Right-hand side of the complementarity in scaled axes: the predictor's, or the corrector's with the target.
    pub fn complementarity(&mut self, x: &[f64], target: Option<(f64, bool)>) {
        if self.has_orthant {
            for i in 0..self.n {
                let (s, l) = (x[i], self.lw[i]);
                let v = (s * l).sqrt();
                // v (ds/W + W dl) = -v^2 [- ds dl + target]
                let second = self.dw[i] * self.dlw[i];
                let more = target.map_or(0.0, |(t, is_second)| if is_second { t - second } else { t });
                self.xw[i] = -v + more / v;
            }
        }
        if self.k > 0 {
            let v = self.v;
            let mut r = jordan(&v, &v).map(|x| -x);
            if let Some((t, is_second)) = target {
                if is_second {
                    let cross = jordan(&self.unscaled(&self.ds), &self.scaled(&self.dl));
                    (0..4).for_each(|i| r[i] -= cross[i]);
                }
                r[0] += t;
            }
            self.xs = divide(&v, &r);
        }
    }

    /// A^T W^-1 of the complementarity's right-hand side.
    pub fn pull_back(&self, x: &[f64], r: &mut [f64; MAX_SIZE]) {
        if self.has_orthant {
            for i in 0..self.n {
                // W = sqrt(s / l)
                r[i] += self.xw[i] * (self.lw[i] / x[i]).sqrt();
            }
        }
        if self.k > 0 {
            let y = self.unscaled(&self.xs);
            let share = self.mu * self.corrected(&y);
            (0..self.n).for_each(|i| r[i] += share);
            (0..self.k).for_each(|j| r[self.n + j] += y[1 + j]);
        }
    }

    pub fn directions(&mut self, x: &[f64], dx: &[f64]) {
        let mut sum = 0.0;
        for i in 0..self.n {
            self.dw[i] = dx[i];
            sum += dx[i];
            if self.has_orthant {
                let w = (x[i] / self.lw[i]).sqrt();
                self.dlw[i] = (self.xw[i] - dx[i] / w) / w;
            }
        }
        if self.k > 0 {
            self.ds = [self.mu * sum, 0.0, 0.0, 0.0];
            (0..self.k).for_each(|j| self.ds[1 + j] = dx[self.n + j]);
            let scaled = self.unscaled(&self.ds);
            let mut r = self.xs;
            (0..4).for_each(|i| r[i] -= scaled[i]);
            self.dl = self.unscaled(&r);
        }
    }

    /// Longest step that stays in the cones.
    pub fn longest(&self, x: &[f64]) -> f64 {
        let mut step = f64::INFINITY;
        if self.has_orthant {
            for i in 0..self.n {
                for (a, d) in [(x[i], self.dw[i]), (self.lw[i], self.dlw[i])] {
                    if d < 0.0 {
                        step = step.min(-a / d);
                    }
                }
            }
        }
        if self.k > 0 {
            step = step.min(to_boundary(&self.s, &self.ds)).min(to_boundary(&self.l, &self.dl));
        }
        step
    }

    pub fn gap_after(&self, x: &[f64], step: f64) -> (f64, f64) {
        let (mut gap, mut cones) = (0.0, 0.0);
        if self.has_orthant {
            for i in 0..self.n {
                gap += (x[i] + step * self.dw[i]) * (self.lw[i] + step * self.dlw[i]);
                cones += 1.0;
            }
        }
        if self.k > 0 {
            gap += (0..4)
                .map(|i| (self.s[i] + step * self.ds[i]) * (self.l[i] + step * self.dl[i]))
                .sum::<f64>();
            cones += 1.0;
        }
        (gap, cones)
    }

    pub fn advance(&mut self, x: &[f64], step: f64) {
        if self.has_orthant {
            (0..self.n).for_each(|i| self.lw[i] += step * self.dlw[i]);
        }
        if self.k > 0 {
            self.s = [self.mu * x[..self.n].iter().sum::<f64>(), 0.0, 0.0, 0.0];
            (0..self.k).for_each(|j| self.s[1 + j] = x[self.n + j]);
            (0..4).for_each(|i| self.l[i] += step * self.dl[i]);
        }
    }
}

/// Factor of a contact's own rows of Newton's matrix, and H = C^T S^-1 C of `space`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    s: [[f64; MAX_SIZE]; MAX_SIZE],
    lu: [[f64; MAX_SIZE]; MAX_SIZE],
    order: [u8; MAX_SIZE],
    pub h: Block,
}

impl Own {
    /// Factors S = A^T W^-2 A + `soft`, with row pivots.
    pub fn factor(&mut self, part: &Part, x: &[f64], soft: f64) {
        let n = part.n + part.k;
        let a = &mut self.lu;
        a[..n].iter_mut().for_each(|row| row[..n].fill(0.0));
        part.add_to(a, x);
        (0..n).for_each(|i| a[i][i] += soft);
        self.s[..n].copy_from_slice(&a[..n]);
        (0..n).for_each(|i| self.order[i] = i as u8);
        for k in 0..n {
            let best = (k..n).fold(k, |b, i| if a[i][k].abs() > a[b][k].abs() { i } else { b });
            a.swap(k, best);
            self.order.swap(k, best);
            let row = a[k];
            let inverse = 1.0 / row[k];
            for below in &mut a[k + 1..n] {
                let f = below[k] * inverse;
                below[k] = f;
                (k + 1..n).for_each(|j| below[j] -= f * row[j]);
            }
        }
        self.h = [[0.0; 6]; 6];
        for c in 0..6 {
            let mut x = [0.0; MAX_SIZE];
            (0..n).for_each(|i| x[i] = part.columns[i][c]);
            self.solve(&mut x[..n]);
            for (column, x) in part.columns[..n].iter().zip(&x) {
                (0..6).for_each(|r| self.h[r][c] += column[r] * x);
            }
        }
    }

    /// Row `i` of S x.
    pub fn row(&self, i: usize, x: &[f64]) -> f64 {
        inner(&self.s[i], x)
    }

    /// x := S^-1 x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = x.len();
        let mut y = [0.0; MAX_SIZE];
        for i in 0..n {
            let s: f64 = (0..i).map(|j| self.lu[i][j] * y[j]).sum();
            y[i] = x[self.order[i] as usize] - s;
        }
        for i in (0..n).rev() {
            let s: f64 = (i + 1..n).map(|j| self.lu[i][j] * x[j]).sum();
            x[i] = (y[i] - s) / self.lu[i][i];
        }
    }
}

pub(super) fn dot(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

pub(super) fn norm(a: &[f64]) -> f64 {
    inner(a, a).sqrt()
}

/// a_0^2 - |a_1|^2, without losing digits near the boundary.
fn det(a: &[f64; 4]) -> f64 {
    let n = norm(&a[1..]);
    (a[0] - n) * (a[0] + n)
}

/// Product of the cone's algebra.
fn jordan(a: &[f64; 4], b: &[f64; 4]) -> [f64; 4] {
    let mut c = [dot(a, b), 0.0, 0.0, 0.0];
    (1..4).for_each(|i| c[i] = a[0] * b[i] + b[0] * a[i]);
    c
}

/// x with jordan(a, x) = b.
fn divide(a: &[f64; 4], b: &[f64; 4]) -> [f64; 4] {
    let d = det(a);
    let along = a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let x0 = (a[0] * b[0] - along) / d;
    let mut x = [x0, 0.0, 0.0, 0.0];
    (1..4).for_each(|i| x[i] = (b[i] - x0 * a[i]) / a[0]);
    x
}

/// Largest t with a + t d in the cone.
fn to_boundary(a: &[f64; 4], d: &[f64; 4]) -> f64 {
    // |a_1 + t d_1|^2 = (a_0 + t d_0)^2
    let qa = det(d);
    let qb = a[0] * d[0] - (a[1] * d[1] + a[2] * d[2] + a[3] * d[3]);
    let qc = det(a).max(0.0);
    let mut t = f64::INFINITY;
    let disc = qb * qb - qa * qc;
    if disc >= 0.0 {
        let root = disc.sqrt();
        // roots of qa t^2 + 2 qb t + qc, the small ones without cancellation
        let q = -(qb + root.copysign(qb));
        for r in [q / qa, qc / q] {
            if r > 0.0 && r.is_finite() {
                t = t.min(r);
            }
        }
    }
    if d[0] < 0.0 {
        t = t.min(-a[0] / d[0]);
    }
    t
}
