//! Some accelerations, torques or constraint forces are known: the rest of them.
//!
//! Computes x = (a, lambda, tau) with
//!     M a - K^T lambda - tau = -h      K a = c      J_P a = r_P'' - J_P' v        [NY2000J eq. 11, 12, 22, 23]
//! from the components that are known. With as many of them as there are motors the rest is determined; with fewer it is
//! the least: with W the columns of what is not known, x = W^T y and (W W^T + mu) y = u, refined until W x = u, which
//! leads to the least-norm solution however redundant the rows are. So one call is forward dynamics (torques known),
//! inverse dynamics (accelerations known), and everything between: feet on their paths, the base on its own, and the
//! joints follow, together with the torques and the forces that make it so.
//! Checked by: `tests/known.rs`.

use super::dense::{Normal, sum_of_products};
use super::grips::Grips;
use super::terms::{Terms, path};
use crate::error::Error;
use crate::inverse::root_of;
use anthropi_dynamics::algo::crba;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Motion, Vec3};

/// Rows are met to this part of the largest right side.
const MET: f64 = 1e-9;
/// Rounds of refinement.
const ROUNDS: usize = 60;
/// mu, parts of the largest entry of W W^T.
const SOFT: f64 = 1e-10;

/// A point of a link that is to accelerate as wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// which link
    pub link: LinkHandle,
    /// which point, link axes
    pub at: Vec3,
    /// its acceleration, world axes
    pub acceleration: Vec3,
}

/// What is known. Lists may be shorter than what they are about; the rest of them is not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// accelerations, by degree of freedom
    pub a: Vec<Option<f64>>,
    /// torques, by degree of freedom; those of the free root are zero whatever is said here
    pub tau: Vec<Option<f64>>,
    /// points on given paths
    pub drawn: Vec<Drawn>,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Whole {
    /// accelerations
    pub a: Vec<f64>,
    /// joint forces
    pub tau: Vec<f64>,
    /// forces of the connections, by held direction
    pub lambda: Vec<f64>,
}

/// Finds the rest, for a figure that is free, at a state.
///
/// # Errors
/// A figure that is not free; known components that contradict each other or the constraints.
pub fn whole(figure: &Figure, q: &[f64], v: &[f64], known: &Known) -> Result<Whole, Error> {
    let forest = figure.forest();
    let (nv, joint) = (forest.nv(), root_of(figure)?);
    let root = forest.joint_place(joint).iv;
    let child = figure.joint(joint).map(|j| j.child()).expect("a joint of this figure");
    let mut terms = Terms::default();
    terms.update(forest, forest.link_place(child).body, q, v);
    let mut grips = Grips::default();
    grips.update(forest, &terms, q, v, STEP);
    let (mut work, mut mass) = (crba::Work::default(), crba::PathMatrix::default());
    crba::mass_matrix(forest, q, &mut work, &mut mass);
    let held = grips.rows.len();
    let n = 2 * nv + held;
    let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
    for k in 0..nv {
        let mut row = vec![0.0; n];
        mass.row_into(forest, k, &mut row[..nv]);
        grips.rows.iter().enumerate().for_each(|(i, g)| row[nv + i] = -g.row[k]);
        row[nv + held + k] = -1.0;
        rows.push((row, -terms.h[k]));
    }
    for g in &grips.rows {
        let mut row = vec![0.0; n];
        row[..nv].copy_from_slice(&g.row);
        rows.push((row, g.target));
    }
    let mut columns = vec![Motion::default(); nv];
    for d in &known.drawn {
        let place = forest.link_place(d.link);
        let in_body = place.body_from_link.point(d.at);
        let now = terms.point(place.body, in_body);
        terms.jacobian(forest, place.body, &mut columns);
        let arm = now.at - terms.kinematics.body_pose(place.body).translation;
        let missing = (d.acceleration - now.acceleration).to_array();
        for (axis, missing) in missing.into_iter().enumerate() {
            let mut row = vec![0.0; n];
            for k in path(forest, place.body) {
                let c = columns[k as usize];
                row[k as usize] = (c.linear + c.angular.cross(arm)).to_array()[axis];
            }
            rows.push((row, missing));
        }
    }
    let given = |k: usize| {
        if k < nv {
            known.a.get(k).copied().flatten()
        } else if k < nv + held {
            None
        } else if (root..root + 6).contains(&(k - nv - held)) {
            Some(0.0)
        } else {
            known.tau.get(k - nv - held).copied().flatten()
        }
    };
    let x = least(rows, (0..n).map(given).collect()).ok_or_else(|| Error::Unsuitable {
        subject: figure.name.clone(),
        what: "what is known contradicts itself, the constraints, or that nothing drives the root".into(),
    })?;
    Ok(Whole { a: x[..nv].to_vec(), lambda: x[nv..nv + held].to_vec(), tau: x[nv + held..].to_vec() })
}

/// Connections are closed within this time, s.
const STEP: f64 = 1e-3;

/// The least x with W x = u whose known components are as given; `None` if there is none.
fn least(mut rows: Vec<(Vec<f64>, f64)>, given: Vec<Option<f64>>) -> Option<Vec<f64>> {
    for (row, right) in &mut rows {
        for (x, known) in row.iter_mut().zip(&given) {
            if let Some(known) = known {
                *right -= *x * known;
                *x = 0.0;
            }
        }
        // rows of forces and rows of accelerations alike
        let size = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size > 0.0 {
            row.iter_mut().for_each(|x| *x /= size);
            *right /= size;
        }
    }
    let m = rows.len();
    let mut normal = Normal::default();
    normal.clear(m);
    for i in 0..m {
        for j in i..m {
            normal.add_at(i, j, sum_of_products(&rows[i].0, &rows[j].0) + if i == j { SOFT } else { 0.0 });
        }
    }
    normal.factor();
    let mut x: Vec<f64> = given.iter().map(|_| 0.0).collect();
    let largest = rows.iter().map(|r| r.1.abs()).fold(1.0, f64::max);
    for _ in 0..ROUNDS {
        let mut left: Vec<f64> = rows.iter().map(|(row, right)| right - sum_of_products(row, &x)).collect();
        if left.iter().all(|l| l.abs() < MET * largest) {
            given.iter().zip(&mut x).for_each(|(known, x)| *x = known.unwrap_or(*x));
            return Some(x);
        }
        normal.solve_transposed(&mut left);
        normal.solve_upper(&mut left);
        for ((row, _), y) in rows.iter().zip(&left) {
            x.iter_mut().zip(row).for_each(|(x, r)| *x += r * y);
        }
    }
    None
}
