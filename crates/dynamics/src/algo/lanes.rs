//! The same algorithms for four figures at once: the only place where kernels are compiled for lanes.
//!
//! Four states of one forest go through one pass; lane i has the bits that a single call would give for state i.
//! Checked by: `tests/lanes.rs`.

use super::{aba, crba, rnea};
use crate::model::Forest;
use crate::spatial::{Force, Lanes};
use multiversion::multiversion;

/// [`rnea::inverse_dynamics`] of four states.
#[multiversion(targets("x86_64+avx+avx2"))]
pub fn inverse_dynamics(
    forest: &Forest,
    q: &[Lanes],
    v: &[Lanes],
    a: &[Lanes],
    external: Option<&[Force<Lanes>]>,
    work: &mut rnea::Work<Lanes>,
    tau: &mut [Lanes],
) {
    rnea::kernel(forest, q, v, a, external, work, tau);
}

/// [`aba::forward_dynamics`] of four states.
#[multiversion(targets("x86_64+avx+avx2"))]
#[allow(clippy::too_many_arguments)] // the quantities of the equation
pub fn forward_dynamics(
    forest: &Forest,
    q: &[Lanes],
    v: &[Lanes],
    tau: &[Lanes],
    external: Option<&[Force<Lanes>]>,
    implicit: Option<&[f64]>,
    work: &mut aba::Work<Lanes>,
    a: &mut [Lanes],
) {
    aba::kernel(forest, q, v, tau, external, implicit, work, a);
}

/// [`crba::mass_matrix`] of four states.
#[multiversion(targets("x86_64+avx+avx2"))]
pub fn mass_matrix(
    forest: &Forest,
    q: &[Lanes],
    work: &mut crba::Work<Lanes>,
    m: &mut crba::PathMatrix<Lanes>,
) {
    crba::kernel(forest, q, work, m);
}
