//! Hybrid dynamics: forward and inverse dynamics with any mix of prescribed accelerations, torques and point motions.
//!
//! Computes x = (a, lambda, tau) with
//!     M a - K^T lambda - tau = -h      K a = c      J_P a = r_P'' - J_P' v        [NY2000J eq. 11, 12, 22, 23]
//! from the prescribed components. With as many of them as motors the rest is determined; with fewer the minimum-norm
//! solution is found: with W the columns of the unknowns, x = W^T y and (W W^T + mu) y = u, refined until W x = u, for any
//! redundancy of the rows. With all torques prescribed it is forward dynamics, with all accelerations inverse dynamics; feet
//! on prescribed paths with a free base lie in between.
//! Checked by: `tests/it/hybrid_dynamics.rs`.

use crate::error::Error;
use crate::filter::dynamics_terms::{BodyJacobian, DynamicsTerms, root_body};
use crate::filter::loop_closure::LoopClosures;
use crate::filter::normal_equations::{NormalEquations, sum_of_products};
use anthropi_dynamics::algo::crba;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::Vec3;

/// Tolerance of the rows, parts of the largest right-hand side.
const TOLERANCE: f64 = 1e-9;
/// Most rounds of refinement.
const MAX_ROUNDS: usize = 60;
/// mu; the rows of W have norm one.
const DAMPING: f64 = 1e-10;
/// Time within which loop closures are closed, s.
const CLOSURE_TIME: f64 = 1e-3;

/// A point with a prescribed acceleration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrescribedPoint {
    /// link of the point
    pub link: LinkHandle,
    /// position, link axes
    pub at: Vec3,
    /// acceleration, world axes
    pub acceleration: Vec3,
}

/// Prescribed components. Missing entries of short lists are unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prescribed {
    /// accelerations, by degree of freedom
    pub a: Vec<Option<f64>>,
    /// torques, by degree of freedom; those of the free root are always zero
    pub tau: Vec<Option<f64>>,
    /// points with prescribed accelerations
    pub points: Vec<PrescribedPoint>,
}

/// All accelerations and forces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HybridSolution {
    /// accelerations
    pub a: Vec<f64>,
    /// joint forces
    pub tau: Vec<f64>,
    /// loop-closure forces, by constrained direction
    pub lambda: Vec<f64>,
}

/// Solves for the unknown components at a state.
///
/// # Errors
/// A figure without a free root; prescribed components that contradict each other or the constraints.
pub fn solve(
    figure: &Figure,
    q: &[f64],
    v: &[f64],
    prescribed: &Prescribed,
) -> Result<HybridSolution, Error> {
    let forest = figure.forest();
    let (nv, root) = (forest.nv(), root_body(figure)?);
    let undriven = forest.bodies()[root.index()].dofs();
    let mut terms = DynamicsTerms::default();
    terms.update(forest, root, q, v);
    let mut closures = LoopClosures::default();
    closures.update(forest, &terms, q, v, CLOSURE_TIME);
    let (mut work, mut mass) = (crba::Work::default(), crba::PathMatrix::default());
    crba::mass_matrix(forest, q, &mut work, &mut mass);
    let constrained = closures.rows.len();
    let n = 2 * nv + constrained;
    let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
    for k in 0..nv {
        let mut row = vec![0.0; n];
        mass.row_into(forest, k, &mut row[..nv]);
        closures.rows.iter().enumerate().for_each(|(i, g)| row[nv + i] = -g.coefficients[k]);
        row[nv + constrained + k] = -1.0;
        rows.push((row, -terms.h[k]));
    }
    for g in &closures.rows {
        let mut row = vec![0.0; n];
        row[..nv].copy_from_slice(&g.coefficients);
        rows.push((row, g.target));
    }
    for d in &prescribed.points {
        let now = terms.link_point(forest, d.link, d.at);
        let mut jacobian = BodyJacobian::new(forest, forest.link_place(d.link).body);
        jacobian.update(forest, &terms);
        let acceleration = (d.acceleration - now.acceleration).to_array();
        for (mut row, acceleration) in
            jacobian.rows(terms.arm(jacobian.body, now.at)).into_iter().zip(acceleration)
        {
            row.resize(n, 0.0);
            rows.push((row, acceleration));
        }
    }
    let given = |k: usize| {
        if k < nv {
            prescribed.a.get(k).copied().flatten()
        } else if k < nv + constrained {
            None
        } else if undriven.contains(&(k - nv - constrained)) {
            Some(0.0)
        } else {
            prescribed.tau.get(k - nv - constrained).copied().flatten()
        }
    };
    let x = min_norm(rows, (0..n).map(given).collect()).ok_or_else(|| Error::Unsuitable {
        subject: figure.name.clone(),
        what: "the prescribed values contradict each other, the constraints, or the undriven root".into(),
    })?;
    Ok(HybridSolution {
        a: x[..nv].to_vec(),
        lambda: x[nv..nv + constrained].to_vec(),
        tau: x[nv + constrained..].to_vec(),
    })
}

/// The minimum-norm x with W x = u and the prescribed components; `None` if there is none.
fn min_norm(mut rows: Vec<(Vec<f64>, f64)>, given: Vec<Option<f64>>) -> Option<Vec<f64>> {
    for (row, right) in &mut rows {
        for (x, prescribed) in row.iter_mut().zip(&given) {
            if let Some(prescribed) = prescribed {
                *right -= *x * prescribed;
                *x = 0.0;
            }
        }
        // scale rows of forces and accelerations to norm one
        let size = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size > 0.0 {
            row.iter_mut().for_each(|x| *x /= size);
            *right /= size;
        }
    }
    let m = rows.len();
    let mut normal = NormalEquations::default();
    normal.clear(m);
    for i in 0..m {
        for j in i..m {
            normal.add_at(i, j, sum_of_products(&rows[i].0, &rows[j].0) + if i == j { DAMPING } else { 0.0 });
        }
    }
    normal.factor();
    let mut x: Vec<f64> = given.iter().map(|_| 0.0).collect();
    let largest = rows.iter().map(|r| r.1.abs()).fold(1.0, f64::max);
    for _ in 0..MAX_ROUNDS {
        let mut left: Vec<f64> = rows.iter().map(|(row, right)| right - sum_of_products(row, &x)).collect();
        if left.iter().all(|l| l.abs() < TOLERANCE * largest) {
            given.iter().zip(&mut x).for_each(|(prescribed, x)| *x = prescribed.unwrap_or(*x));
            return Some(x);
        }
        normal.solve(&mut left);
        for ((row, _), y) in rows.iter().zip(&left) {
            x.iter_mut().zip(row).for_each(|(x, r)| *x += r * y);
        }
    }
    None
}
