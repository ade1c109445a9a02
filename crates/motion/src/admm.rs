//! Small quadratic problems with soft convex constraints, by ADMM; cubic B-splines to state them.
//!
//! Computes  min sum w_i (a_i x + b_i)^2 + W sum distance(C_j x + d_j, K_j)^2  by the alternating direction method of
//! multipliers: x near the last projections, then projections towards the sets, then multipliers. The sets are soft, so
//! infeasible ones are harmless. Several problems may share sets: row j of all of them together is a point.
//! Source: textbooks of convex optimisation.
//! Checked by: tests below.

/// A linear form with offset, a x + b.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearForm {
    pub entries: Vec<(usize, f64)>,
    pub offset: f64,
}

impl LinearForm {
    pub fn plus(mut self, offset: f64) -> LinearForm {
        self.offset += offset;
        self
    }

    pub fn times(mut self, k: f64) -> LinearForm {
        self.offset *= k;
        self.entries.iter_mut().for_each(|e| e.1 *= k);
        self
    }

    /// Sum of two forms.
    pub fn with(mut self, other: LinearForm) -> LinearForm {
        self.offset += other.offset;
        self.entries.extend(other.entries);
        self
    }

    /// The same form of the unknowns `first`, `first + stride`, and so on.
    pub fn strided(mut self, [first, stride]: [usize; 2]) -> LinearForm {
        self.entries.iter_mut().for_each(|e| e.0 = first + stride * e.0);
        self
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.offset + self.entries.iter().map(|(i, a)| a * x[*i]).sum::<f64>()
    }
}

/// Unknowns with least-squares targets and constrained forms.
pub(crate) struct Problem {
    n: usize,
    /// targets: lower half of H, and g, of x H x / 2 + g x
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    constrained: Vec<LinearForm>,
}

impl Problem {
    pub fn new(n: usize) -> Problem {
        Problem { n, hessian: vec![0.0; n * n], gradient: vec![0.0; n], constrained: Vec::new() }
    }

    /// Adds weight form^2 / 2 to the cost.
    pub fn add_target(&mut self, form: &LinearForm, weight: f64) {
        add_square(&mut self.hessian, self.n, form, weight);
        form.entries.iter().for_each(|(i, a)| self.gradient[*i] += weight * form.offset * a);
    }

    /// Constrains the form to the next set.
    pub fn add_constraint(&mut self, form: LinearForm) {
        self.constrained.push(form);
    }
}

/// ADMM penalty, parts of the weight of the sets; it affects only the speed of convergence.
const PENALTY: f64 = 0.003;
/// Most rounds, and change of the unknowns in a round at which to stop.
const MAX_ROUNDS: usize = 3000;
const TOLERANCE: f64 = 1e-7;

/// A solution as the start of the next, similar problem.
#[derive(Clone, Debug)]
pub(crate) struct WarmStart<const P: usize> {
    pub x: [Vec<f64>; P],
    duals: Vec<[f64; P]>,
}

impl<const P: usize> WarmStart<P> {
    /// Starts at `x` with zero multipliers.
    pub fn at(x: [Vec<f64>; P]) -> WarmStart<P> {
        WarmStart { x, duals: Vec::new() }
    }
}

/// Solves problems that share sets of a given weight; `project` maps the values of a row to the nearest point of its set.
pub(crate) fn solve<const P: usize>(
    problems: &[Problem; P],
    weight: f64,
    start: [Vec<f64>; P],
    project: impl Fn(usize, [f64; P]) -> [f64; P],
) -> [Vec<f64>; P] {
    let mut warm_start = WarmStart::at(start);
    solve_from(problems, weight, MAX_ROUNDS, &mut warm_start, project);
    warm_start.x
}

/// As [`solve`], with warm start and a limit of rounds.
pub(crate) fn solve_from<const P: usize>(
    problems: &[Problem; P],
    weight: f64,
    rounds: usize,
    warm_start: &mut WarmStart<P>,
    project: impl Fn(usize, [f64; P]) -> [f64; P],
) {
    let (rho, part) = (PENALTY * weight, 1.0 / (1.0 + PENALTY));
    let factors = problems.each_ref().map(|p| {
        let mut h = p.hessian.clone();
        p.constrained.iter().for_each(|form| add_square(&mut h, p.n, form, rho));
        Factor::new(&h, p.n)
    });
    let rows = problems.iter().map(|p| p.constrained.len()).min().unwrap_or(0);
    let WarmStart { x, duals } = warm_start;
    duals.resize(rows, [0.0; P]);
    let values =
        |j: usize, x: &[Vec<f64>; P]| core::array::from_fn(|k| problems[k].constrained[j].value(&x[k]));
    let mut projections: Vec<[f64; P]> = (0..rows).map(|j| project(j, values(j, x))).collect();
    for _ in 0..rounds {
        let before = x.clone();
        for (k, p) in problems.iter().enumerate() {
            x[k].iter_mut().zip(&p.gradient).for_each(|(x, g)| *x = -g);
            for (j, form) in p.constrained.iter().enumerate().take(rows) {
                let pull = rho * (projections[j][k] - form.offset - duals[j][k]);
                form.entries.iter().for_each(|(i, a)| x[k][*i] += pull * a);
            }
            factors[k].solve(&mut x[k]);
        }
        for j in 0..rows {
            let now = values(j, x);
            let there = core::array::from_fn(|k| now[k] + duals[j][k]);
            let nearest = project(j, there);
            projections[j] = core::array::from_fn(|k| there[k] + part * (nearest[k] - there[k]));
            (0..P).for_each(|k| duals[j][k] = there[k] - projections[j][k]);
        }
        let changes = x.iter().flatten().zip(before.iter().flatten()).map(|(a, b)| (a - b).abs());
        if changes.fold(0.0, f64::max) < TOLERANCE {
            break;
        }
    }
}

fn add_square(h: &mut [f64], n: usize, form: &LinearForm, weight: f64) {
    for (i, a) in &form.entries {
        form.entries.iter().for_each(|(j, b)| h[i * n + j] += weight * a * b);
    }
}

/// Cholesky factor L of H = L L^T; rows start at their first nonzero entry, which keeps those of splines short.
pub(crate) struct Factor {
    rows: Vec<Vec<f64>>,
    first: Vec<usize>,
}

impl Factor {
    pub fn new(h: &[f64], n: usize) -> Factor {
        let first: Vec<usize> =
            (0..n).map(|i| h[i * n..i * n + i].iter().position(|x| *x != 0.0).unwrap_or(i)).collect();
        let mut rows: Vec<Vec<f64>> = (0..n).map(|i| h[i * n + first[i]..=i * n + i].to_vec()).collect();
        for i in 0..n {
            let (above, below) = rows.split_at_mut(i);
            let row = &mut below[0];
            for j in first[i]..=i {
                let from = first[i].max(first[j]);
                let other = if j < i { &above[j][from - first[j]..j - first[j]] } else { &[] };
                let own = &row[from - first[i]..j - first[i]];
                let sum: f64 = match j < i {
                    true => own.iter().zip(other).map(|(a, b)| a * b).sum(),
                    false => own.iter().map(|a| a * a).sum(),
                };
                let rest = row[j - first[i]] - sum;
                row[j - first[i]] = match j < i {
                    true => rest / above[j][j - first[j]],
                    false => rest.max(f64::MIN_POSITIVE).sqrt(),
                };
            }
        }
        Factor { rows, first }
    }

    pub fn solve(&self, x: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate() {
            let (entries, pivot) = (&row[..row.len() - 1], row[row.len() - 1]);
            let sum: f64 = entries.iter().zip(&x[self.first[i]..]).map(|(a, b)| a * b).sum();
            x[i] = (x[i] - sum) / pivot;
        }
        for (i, row) in self.rows.iter().enumerate().rev() {
            x[i] /= row[row.len() - 1];
            let (done, value) = (&row[..row.len() - 1], x[i]);
            x[self.first[i]..].iter_mut().zip(done).for_each(|(x, a)| *x -= a * value);
        }
    }
}

/// Uniform cubic B-splines over a time span, optionally periodic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplineBasis {
    step: f64,
    pieces: usize,
    is_periodic: bool,
}

/// The four coefficients that a spline uses at a time: index, weight in the value, weight in the second derivative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplineWeights(pub [(usize, f64, f64); 4]);

impl SplineWeights {
    /// Value of the spline as a form of its coefficients.
    pub fn value(&self) -> LinearForm {
        LinearForm { entries: self.0.iter().map(|(i, w, _)| (*i, *w)).collect(), offset: 0.0 }
    }

    /// Second derivative of the spline as a form of its coefficients.
    pub fn second_derivative(&self) -> LinearForm {
        LinearForm { entries: self.0.iter().map(|(i, _, w)| (*i, *w)).collect(), offset: 0.0 }
    }

    /// Value of the spline with these coefficients.
    pub fn value_of(&self, coefficients: &[f64]) -> f64 {
        self.0.iter().map(|(i, w, _)| w * coefficients[*i]).sum()
    }

    /// Second derivative of the spline with these coefficients.
    pub fn second_derivative_of(&self, coefficients: &[f64]) -> f64 {
        self.0.iter().map(|(i, _, w)| w * coefficients[*i]).sum()
    }
}

impl SplineBasis {
    /// With a knot distance of about `step` seconds.
    pub fn over(duration: f64, step: f64, is_periodic: bool) -> SplineBasis {
        let pieces = ((duration / step).round() as usize).max(4);
        SplineBasis { step: duration / pieces as f64, pieces, is_periodic }
    }

    /// Number of coefficients.
    pub fn len(&self) -> usize {
        self.pieces + if self.is_periodic { 0 } else { 3 }
    }

    pub fn at(&self, t: f64) -> SplineWeights {
        let x = (t / self.step).max(0.0);
        let piece = (x as usize).min(self.pieces - 1);
        let (s, h) = (x - piece as f64, self.step);
        let r = 1.0 - s;
        let value =
            [r * r * r, 3.0 * s * s * s - 6.0 * s * s + 4.0, 3.0 * r * r * r - 6.0 * r * r + 4.0, s * s * s];
        let bend = [r, 3.0 * s - 2.0, 3.0 * r - 2.0, s];
        SplineWeights(core::array::from_fn(|k| ((piece + k) % self.len(), value[k] / 6.0, bend[k] / (h * h))))
    }
}

#[cfg(test)]
mod tests;
