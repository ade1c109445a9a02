//! Dynamics of closed chains in generalized coordinates.
//!
//! Computes  tau_G = W^T tau_O,  S^T tau_A = tau_G  (inverse dynamics), and  (W^T M W) a_G = tau_G - W^T (h + M c)
//! (forward dynamics), c the accelerations at zero a_G.
//! Source: [NY2000 eq. 5-8, 22-24].
//! We differ: A = W^T M W instead of one inverse dynamics per unit vector; redundant actuation takes the least
//! weighted torques, optionally within bounds.
//! Not here: the matrices themselves (`closure`); time steps.
//! Checked by: `tests/it/closure.rs` (against the constraint view; the unit-vector form).

use super::closure::Closure;
use super::solve::{self, Work};
use crate::algo::{crba, rnea};
use crate::dense::{LowRank, stride};
use crate::model::{Figure, Forest};
use crate::spatial::Force;

/// Torques of the actuated coordinates, and their residual.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuation {
    /// one number for each actuated coordinate
    pub tau: Vec<f64>,
    /// largest generalized force that the actuators cannot supply
    pub missing: f64,
}

/// Resolution of redundant actuation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolution {
    /// weight of each actuated coordinate's torque squared; all one when empty
    pub weights: Vec<f64>,
    /// largest torque of each actuated coordinate; none when empty
    pub bounds: Vec<f64>,
}

/// Accelerations of the tree's coordinates from those of the generalized ones. [NY2000 eq. 18]
pub fn tree_accelerations(forest: &Forest, closure: &Closure, a_g: &[f64]) -> Vec<f64> {
    (0..forest.nv())
        .map(|c| closure.rate_of(c) + closure.row_of(c).iter().zip(a_g).map(|(w, a)| w * a).sum::<f64>())
        .collect()
}

/// tau_G = W^T tau_O. [NY2000 eq. 7]
pub fn generalized_force(closure: &Closure, tau_o: &[f64]) -> Vec<f64> {
    let w = closure.w();
    (0..closure.free()).map(|g| w.iter().zip(tau_o).map(|(row, t)| row[g] * t).sum()).collect()
}

/// Torques of the actuated coordinates for accelerations of the generalized ones. [NY2000 §III-A] `known` are passive
/// forces on the tree's coordinates: springs, damping.
#[allow(clippy::too_many_arguments)] // the quantities of the equation
pub fn inverse_dynamics(
    forest: &Forest,
    closure: &Closure,
    q: &[f64],
    v: &[f64],
    a_g: &[f64],
    known: Option<&[f64]>,
    external: Option<&[Force]>,
    actuated: &[usize],
    how: &Resolution,
) -> Actuation {
    let a = tree_accelerations(forest, closure, a_g);
    let mut tau_o = vec![0.0; forest.nv()];
    rnea::inverse_dynamics(forest, q, v, &a, external, &mut rnea::Work::default(), &mut tau_o);
    for (tau, known) in tau_o.iter_mut().zip(known.unwrap_or_default()) {
        *tau -= known;
    }
    let tau_g = generalized_force(closure, &tau_o);
    resolve(&closure.rows_of(actuated.iter().copied()), &tau_g, how)
}

/// Torques of all actuators of a figure for the accelerations `a` of the tree, of which the generalized ones count, with
/// passive forces of joints and connections in addition to `external`; in the work, the force of every connection.
/// [NY2000 §III-A]
pub fn actuation(
    figure: &Figure,
    closure: &Closure,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    external: &[Force],
    how: &Resolution,
) -> (Actuation, Work) {
    let (forest, actuated) = (figure.forest(), actuated(figure));
    let a_g: Vec<f64> = closure.generalized().iter().map(|c| a.get(*c).copied().unwrap_or(0.0)).collect();
    let (mut passive, mut pushed, mut work) = (vec![0.0; forest.nv()], external.to_vec(), Work::default());
    forest.add_passive_forces(q, v, &mut passive);
    work.constraints.place(forest, q, v);
    work.constraints.add_passive_forces(forest, &mut pushed);
    let (known, pushed) = (Some(&passive[..]), Some(&pushed[..]));
    let found = inverse_dynamics(forest, closure, q, v, &a_g, known, pushed, &actuated, how);
    connection_forces(forest, q, v, known, pushed, &actuated, &found.tau, &mut work);
    (found, work)
}

/// Coordinates with an actuator, those of connections included.
pub fn actuated(figure: &Figure) -> Vec<usize> {
    let driven = figure.is_driven();
    (0..driven.len()).filter(|c| driven[*c]).collect()
}

/// Motion under actuation: accelerations of the tree's coordinates, and in `work.constraints` the force of every
/// connection. After [`inverse_dynamics`] these are the target accelerations and their constraint forces, the
/// least-norm ones if connections are redundant. [NY2000J eq. 20]
#[allow(clippy::too_many_arguments)] // the quantities of the equation
pub fn connection_forces(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    known: Option<&[f64]>,
    external: Option<&[Force]>,
    actuated: &[usize],
    tau: &[f64],
    work: &mut Work,
) -> Vec<f64> {
    let mut on_tree = known.map_or_else(|| vec![0.0; forest.nv()], <[f64]>::to_vec);
    let mut on_bodies =
        external.map_or_else(|| vec![Force::default(); forest.bodies().len()], <[Force]>::to_vec);
    work.constraints.place(forest, q, v);
    for (c, tau) in actuated.iter().zip(tau) {
        match on_tree.get_mut(*c) {
            Some(own) => *own += tau,
            None => {
                let (i, k) = connection_coordinate(forest, *c);
                work.constraints.add_motor_force(forest, i, k, *tau, &mut on_bodies);
            }
        }
    }
    let mut a = vec![0.0; forest.nv()];
    solve::forward_dynamics(forest, q, v, &on_tree, Some(&on_bodies), None, work, &mut a);
    a
}

/// Connection and index of a coordinate beyond those of the tree.
fn connection_coordinate(forest: &Forest, c: usize) -> (usize, usize) {
    let mut k = c - forest.nv();
    for (i, l) in forest.loops().iter().enumerate() {
        let own = l.turn.count() + l.slide.count();
        if k < own {
            return (i, k);
        }
        k -= own;
    }
    unreachable!("coordinates are those of the tree and of its connections")
}

/// Accelerations of the generalized coordinates under forces `tau` on all coordinates of the tree. [NY2000 eq. 23-24]
pub fn forward_dynamics(forest: &Forest, closure: &Closure, q: &[f64], v: &[f64], tau: &[f64]) -> Vec<f64> {
    let n = closure.free();
    let (w, c) = (closure.w(), tree_accelerations(forest, closure, &vec![0.0; closure.free()]));
    let mut needed = vec![0.0; forest.nv()];
    rnea::inverse_dynamics(forest, q, v, &c, None, &mut rnea::Work::default(), &mut needed);
    let left: Vec<f64> = tau.iter().zip(&needed).map(|(t, h)| t - h).collect();
    let mut a_g = generalized_force(closure, &left);
    // A = W^T M W
    let mut m = crba::PathMatrix::default();
    crba::mass_matrix(forest, q, &mut crba::Work::default(), &mut m);
    let m = m.to_dense(forest);
    let mw: Vec<Vec<f64>> = m
        .iter()
        .map(|row| (0..n).map(|g| row.iter().zip(&w).map(|(m, w)| m * w[g]).sum()).collect())
        .collect();
    let mut a = vec![0.0; n * stride(n)];
    for i in 0..n {
        for j in i..n {
            a[i * stride(n) + j] = w.iter().zip(&mw).map(|(w, mw)| w[i] * mw[j]).sum();
        }
    }
    let mut factor = LowRank::default();
    factor.compute(&a, n, 0.0, 0.0);
    factor.solve(&mut a_g);
    a_g
}

/// tau with S^T tau = tau_G: unique, of least weighted size, or within bounds. [NY2000 eq. 8, 22]
///
/// The dual problem: tau_i = (S m)_i / w_i clamped to its bound, and m such that S^T tau(m) = tau_G, by Newton's method
/// with a line search on the concave dual. If the bounds leave no solution, the torques stay within them and `missing` is
/// the residual.
pub fn resolve(s: &[Vec<f64>], tau_g: &[f64], how: &Resolution) -> Actuation {
    let (count, n) = (s.len(), tau_g.len());
    let weight = |i: usize| how.weights.get(i).copied().unwrap_or(1.0);
    let bound = |i: usize| how.bounds.get(i).copied().unwrap_or(f64::INFINITY);
    let pull = |m: &[f64], i: usize| s[i].iter().zip(m).map(|(s, m)| s * m).sum::<f64>();
    let torque = |m: &[f64], i: usize| (pull(m, i) / weight(i)).clamp(-bound(i), bound(i));
    let dual = |m: &[f64]| {
        let own = |i: usize| {
            let t = torque(m, i);
            pull(m, i) * t - 0.5 * weight(i) * t * t
        };
        tau_g.iter().zip(m).map(|(t, m)| t * m).sum::<f64>() - (0..count).map(own).sum::<f64>()
    };
    let gap = |m: &[f64]| -> Vec<f64> {
        (0..n).map(|g| tau_g[g] - (0..count).map(|i| torque(m, i) * s[i][g]).sum::<f64>()).collect()
    };
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut m = vec![0.0; n];
    for _ in 0..MAX_ITERATIONS {
        let missing = gap(&m);
        if largest(&missing) <= REACHED * largest(tau_g) {
            break;
        }
        let is_free = |i: usize| torque(&m, i).abs() < bound(i);
        let step = least_multiplier(s, &missing, |i| if is_free(i) { 1.0 / weight(i) } else { 0.0 });
        let (now, mut part) = (dual(&m), 1.0);
        let tried = |part: f64| -> Vec<f64> { m.iter().zip(&step).map(|(m, s)| m + part * s).collect() };
        while part > SHORTEST && !(dual(&tried(part)) > now) {
            part *= 0.5;
        }
        if part <= SHORTEST {
            break;
        }
        m = tried(part);
    }
    let tau = (0..count).map(|i| torque(&m, i)).collect();
    Actuation { tau, missing: largest(&gap(&m)) }
}

/// Newton steps of [`resolve`].
const MAX_ITERATIONS: usize = 60;
/// Tolerance of the residual, part of the largest generalized force.
const REACHED: f64 = 1e-14;
/// Shortest Newton step tried.
const SHORTEST: f64 = 1e-10;

/// m with (S^T D S) m = r, D = diag of `d`: least-norm if singular.
fn least_multiplier(s: &[Vec<f64>], r: &[f64], d: impl Fn(usize) -> f64) -> Vec<f64> {
    let n = r.len();
    let mut g = vec![0.0; n * stride(n)];
    for (i, row) in s.iter().enumerate() {
        for a in 0..n {
            for b in a..n {
                g[a * stride(n) + b] += d(i) * row[a] * row[b];
            }
        }
    }
    let mut factor = LowRank::default();
    factor.compute(&g, n, 0.0, 0.0);
    let mut m = r.to_vec();
    factor.solve(&mut m);
    m
}
