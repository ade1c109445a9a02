//! The same algorithms for four figures at once: the only place where kernels are compiled for lanes.
//!
//! Computes  what `rnea`, `aba` and `crba` compute, lane by lane.
//! Source: theirs.
//! Not here: connections in lanes.
//!
//! Four states of one forest go through one pass; lane i has the bits that a single call would give for state i.
//! Machines without avx2 take the four states one after the other, which is as fast there and spares the compiler.
//! Checked by: `tests/it/lanes.rs`.

use super::{aba, crba, fit, rnea};
use crate::model::Forest;
use crate::spatial::{Force, LANES, Lanes, Real, Vec3};
use multiversion::{multiversion, target::match_target};

/// Scratch of the functions here.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // only avx2 takes four at once
pub struct Work {
    rnea: rnea::Work<Lanes>,
    aba: aba::Work<Lanes>,
    crba: crba::Work<Lanes>,
    single: Single,
}

/// [`rnea::inverse_dynamics`] of four states.
#[multiversion(targets("x86_64+avx+avx2"))]
pub fn inverse_dynamics(
    forest: &Forest,
    q: &[Lanes],
    v: &[Lanes],
    a: &[Lanes],
    external: Option<&[Force<Lanes>]>,
    work: &mut Work,
    tau: &mut [Lanes],
) {
    match_target! {
        "x86_64+avx+avx2" => { rnea::kernel(forest, q, v, a, external, &mut work.rnea, tau); }
        _ => {
            let s = &mut work.single;
            for lane in 0..LANES {
                s.take(lane, q, v, a, external);
                let e = external.map(|_| &s.external[..]);
                rnea::inverse_dynamics(forest, &s.q, &s.v, &s.input, e, &mut s.rnea, &mut s.output);
                give(lane, &s.output, tau);
            }
        }
    }
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
    work: &mut Work,
    a: &mut [Lanes],
) {
    match_target! {
        "x86_64+avx+avx2" => { aba::kernel(forest, q, v, tau, external, implicit, &mut work.aba, a); }
        _ => {
            let s = &mut work.single;
            for lane in 0..LANES {
                s.take(lane, q, v, tau, external);
                let e = external.map(|_| &s.external[..]);
                aba::forward_dynamics(forest, &s.q, &s.v, &s.input, e, implicit, &mut s.aba, &mut s.output);
                give(lane, &s.output, a);
            }
        }
    }
}

/// [`crba::mass_matrix`] of four states.
#[multiversion(targets("x86_64+avx+avx2"))]
pub fn mass_matrix(forest: &Forest, q: &[Lanes], work: &mut Work, m: &mut crba::PathMatrix<Lanes>) {
    match_target! {
        "x86_64+avx+avx2" => { crba::kernel(forest, q, &mut work.crba, m); }
        _ => {
            let s = &mut work.single;
            for lane in 0..LANES {
                s.take(lane, q, &[], &[], None);
                crba::mass_matrix(forest, &s.q, &mut s.crba, &mut s.matrix);
                fit(&mut m.packed, s.matrix.packed.len());
                give(lane, &s.matrix.packed, &mut m.packed);
            }
        }
    }
}

/// One lane at a time, for machines without avx2.
#[derive(Clone, Debug, Default)]
struct Single {
    rnea: rnea::Work,
    aba: aba::Work,
    crba: crba::Work,
    matrix: crba::PathMatrix,
    q: Vec<f64>,
    v: Vec<f64>,
    input: Vec<f64>,
    output: Vec<f64>,
    external: Vec<Force>,
}

impl Single {
    fn take(
        &mut self,
        lane: usize,
        q: &[Lanes],
        v: &[Lanes],
        input: &[Lanes],
        external: Option<&[Force<Lanes>]>,
    ) {
        for (to, from) in [(&mut self.q, q), (&mut self.v, v), (&mut self.input, input)] {
            to.clear();
            to.extend(from.iter().map(|x| x.lane(lane)));
        }
        fit(&mut self.output, v.len());
        self.external.clear();
        let of = |x: Vec3<Lanes>| Vec3 { x: x.x.lane(lane), y: x.y.lane(lane), z: x.z.lane(lane) };
        self.external
            .extend(external.unwrap_or_default().iter().map(|f| Force::new(of(f.angular), of(f.linear))));
    }
}

fn give(lane: usize, from: &[f64], to: &mut [Lanes]) {
    for (to, from) in to.iter_mut().zip(from) {
        to.set_lane(lane, *from);
    }
}
