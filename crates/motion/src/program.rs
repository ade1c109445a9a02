//! Small quadratic programs: wishes in least squares, and linear forms that are kept within convex sets.
//!
//! Computes  min sum w_i (a_i x + b_i)^2 + W sum distance(C_j x + d_j, K_j)^2  by the alternating direction method of
//! multipliers: x with the forms pulled to their last goals, then goals on the way to the sets, then multipliers. The
//! sets are soft, so that those no x can reach do no harm. Several programs may share sets: row j of all of them
//! together is a point.
//! Source: the method as textbooks of convex optimisation have it.
//! Checked by: tests below.

/// Entries, and what is added: a x + b.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form {
    pub entries: Vec<(usize, f64)>,
    pub offset: f64,
}

impl Form {
    pub fn plus(mut self, offset: f64) -> Form {
        self.offset += offset;
        self
    }

    pub fn times(mut self, k: f64) -> Form {
        self.offset *= k;
        self.entries.iter_mut().for_each(|e| e.1 *= k);
        self
    }

    /// The sum of two.
    pub fn with(mut self, other: Form) -> Form {
        self.offset += other.offset;
        self.entries.extend(other.entries);
        self
    }

    fn value(&self, x: &[f64]) -> f64 {
        self.offset + self.entries.iter().map(|(i, a)| a * x[*i]).sum::<f64>()
    }
}

/// Unknowns with wishes and forms to be kept.
pub(crate) struct Program {
    n: usize,
    /// of the wishes: lower half of H, and g, of x H x / 2 + g x
    hessian: Vec<f64>,
    gradient: Vec<f64>,
    kept: Vec<Form>,
}

impl Program {
    pub fn new(n: usize) -> Program {
        Program { n, hessian: vec![0.0; n * n], gradient: vec![0.0; n], kept: Vec::new() }
    }

    /// The form should be zero, with a weight.
    pub fn wish(&mut self, form: &Form, weight: f64) {
        add_square(&mut self.hessian, self.n, form, weight);
        form.entries.iter().for_each(|(i, a)| self.gradient[*i] += weight * form.offset * a);
    }

    /// The form lies in a set.
    pub fn keep(&mut self, form: Form) {
        self.kept.push(form);
    }
}

/// Pull of the goals, as part of the weight of the sets; only the pace depends on it.
const PULL: f64 = 0.003;
/// Most rounds of the method; it ends when no unknown changes by more than this in a round.
const ROUNDS: usize = 3000;
const SETTLED: f64 = 1e-7;

/// What a solution leaves for the next of nearly the same programs.
#[derive(Clone, Debug)]
pub(crate) struct Memory<const P: usize> {
    pub x: [Vec<f64>; P],
    duals: Vec<[f64; P]>,
}

impl<const P: usize> Memory<P> {
    /// A start.
    pub fn at(x: [Vec<f64>; P]) -> Memory<P> {
        Memory { x, duals: Vec::new() }
    }
}

/// Solves programs that share their sets, which have a weight, from a start; `project` takes the values of a row to the
/// nearest point of its set.
pub(crate) fn solve<const P: usize>(
    programs: &[Program; P],
    weight: f64,
    start: [Vec<f64>; P],
    project: impl Fn(usize, [f64; P]) -> [f64; P],
) -> [Vec<f64>; P] {
    let mut memory = Memory::at(start);
    solve_again(programs, weight, ROUNDS, &mut memory, project);
    memory.x
}

/// The same from what the last solution left, in so many rounds at most.
pub(crate) fn solve_again<const P: usize>(
    programs: &[Program; P],
    weight: f64,
    rounds: usize,
    memory: &mut Memory<P>,
    project: impl Fn(usize, [f64; P]) -> [f64; P],
) {
    let (rho, part) = (PULL * weight, 1.0 / (1.0 + PULL));
    let factors = programs.each_ref().map(|p| {
        let mut h = p.hessian.clone();
        p.kept.iter().for_each(|form| add_square(&mut h, p.n, form, rho));
        Factor::of(&h, p.n)
    });
    let rows = programs.iter().map(|p| p.kept.len()).min().unwrap_or(0);
    let Memory { x, duals } = memory;
    duals.resize(rows, [0.0; P]);
    let values = |j: usize, x: &[Vec<f64>; P]| core::array::from_fn(|k| programs[k].kept[j].value(&x[k]));
    let mut goals: Vec<[f64; P]> = (0..rows).map(|j| project(j, values(j, x))).collect();
    for _ in 0..rounds {
        let before = x.clone();
        for (k, p) in programs.iter().enumerate() {
            x[k].iter_mut().zip(&p.gradient).for_each(|(x, g)| *x = -g);
            for (j, form) in p.kept.iter().enumerate().take(rows) {
                let pull = rho * (goals[j][k] - form.offset - duals[j][k]);
                form.entries.iter().for_each(|(i, a)| x[k][*i] += pull * a);
            }
            factors[k].solve(&mut x[k]);
        }
        for j in 0..rows {
            let now = values(j, x);
            let there = core::array::from_fn(|k| now[k] + duals[j][k]);
            let nearest = project(j, there);
            goals[j] = core::array::from_fn(|k| there[k] + part * (nearest[k] - there[k]));
            (0..P).for_each(|k| duals[j][k] = there[k] - goals[j][k]);
        }
        let changes = x.iter().flatten().zip(before.iter().flatten()).map(|(a, b)| (a - b).abs());
        if changes.fold(0.0, f64::max) < SETTLED {
            break;
        }
    }
}

fn add_square(h: &mut [f64], n: usize, form: &Form, weight: f64) {
    for (i, a) in &form.entries {
        form.entries.iter().for_each(|(j, b)| h[i * n + j] += weight * a * b);
    }
}

/// A factor L of H = L L^T, by rows from the first entry that is not zero: those of splines are short.
pub(crate) struct Factor {
    rows: Vec<Vec<f64>>,
    first: Vec<usize>,
}

impl Factor {
    pub fn of(h: &[f64], n: usize) -> Factor {
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

/// Uniform cubic B-splines over a span of time; those of a period close.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis {
    step: f64,
    pieces: usize,
    is_closed: bool,
}

/// Coefficients that count at a time: which, with what weight in the value and in the second derivative.
pub(crate) type Weights = [(usize, f64, f64); 4];

impl Basis {
    /// With pieces of about `step` seconds.
    pub fn over(duration: f64, step: f64, is_closed: bool) -> Basis {
        let pieces = ((duration / step).round() as usize).max(4);
        Basis { step: duration / pieces as f64, pieces, is_closed }
    }

    /// Number of coefficients.
    pub fn len(&self) -> usize {
        self.pieces + if self.is_closed { 0 } else { 3 }
    }

    pub fn at(&self, t: f64) -> Weights {
        let x = (t / self.step).max(0.0);
        let piece = (x as usize).min(self.pieces - 1);
        let (s, h) = (x - piece as f64, self.step);
        let r = 1.0 - s;
        let value =
            [r * r * r, 3.0 * s * s * s - 6.0 * s * s + 4.0, 3.0 * r * r * r - 6.0 * r * r + 4.0, s * s * s];
        let bend = [r, 3.0 * s - 2.0, 3.0 * r - 2.0, s];
        core::array::from_fn(|k| ((piece + k) % self.len(), value[k] / 6.0, bend[k] / (h * h)))
    }
}

#[cfg(test)]
mod tests;
