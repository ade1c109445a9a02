//! How the root moves so that legs reach their footprints.
//!
//! Wanted is a shift r(t) of the root, as cubic B-splines in time, that speeds up little, is small, brings stances to
//! the ground's height, and keeps every hip within reach of its ankle's path:
//!     min  |r''|^2 / A^2 + |r|^2 / S^2 + sum over stances (r_z - depth)^2 / D^2   with  |hip + r - ankle| <= reach,
//! a quadratic program with balls (`program`). A leg that is nearly straight turns by a lot for a little way, so reach
//! ends a little before it is.
//! Not here: turns of the root.

use crate::program::{Basis, Form, Program, Weights, solve};
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Pieces of the splines, s.
const PIECE: f64 = 0.05;
/// Accelerations of this size, m/s2, count as much as...
const ACCELERATION: f64 = 0.5;
/// ...shifts along the ground of this size, m...
const SHIFT: f64 = 0.05;
/// ...or as this way from the height of the ground, m.
const DEPTH: f64 = 0.01;
/// A way out of reach costs as much as such a depth when it has this size, m.
const SLACK: f64 = 3e-5;

/// What a frame wants of the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// how far feet that touch are under the ground, m
    pub depths: Vec<f64>,
    /// from the end of a limb to its top, and how far that may be
    pub limbs: Vec<(Vec3, f64)>,
}

/// The shift of each frame.
pub(super) fn shifts(wanted: &[Wanted], dt: f64) -> Vec<Vec3> {
    let basis = Basis::over((wanted.len().max(2) - 1) as f64 * dt, PIECE, false);
    let at = |f: usize| basis.at(f as f64 * dt);
    let mut reach = Vec::new();
    let programs = [0, 1, 2].map(|axis| {
        let mut program = Program::new(basis.len());
        for (f, w) in wanted.iter().enumerate() {
            let at = at(f);
            program.wish(&bent(&at), ACCELERATION.powi(-2));
            program.wish(&shifted(&at), SHIFT.powi(-2));
            for depth in w.depths.iter().filter(|_| axis == 2) {
                program.wish(&shifted(&at).plus(-depth), DEPTH.powi(-2));
            }
            for (way, _) in &w.limbs {
                program.keep(shifted(&at).plus(way.to_array()[axis]));
            }
        }
        program
    });
    wanted.iter().for_each(|w| reach.extend(w.limbs.iter().map(|l| l.1)));
    let start = [(); 3].map(|()| vec![0.0; basis.len()]);
    let found = solve(&programs, SLACK.powi(-2), start, |row, way: [f64; 3]| {
        let long = vec3(way[0], way[1], way[2]).norm();
        way.map(|x| x * (reach[row] / long.max(f64::MIN_POSITIVE)).min(1.0))
    });
    let shift = |f: usize| {
        let at = at(f);
        let of = |k: usize| at.iter().map(|(i, w, _)| w * found[k][*i]).sum::<f64>();
        vec3(of(0), of(1), of(2))
    };
    (0..wanted.len()).map(shift).collect()
}

fn shifted(at: &Weights) -> Form {
    Form { entries: at.iter().map(|(i, w, _)| (*i, *w)).collect(), offset: 0.0 }
}

fn bent(at: &Weights) -> Form {
    Form { entries: at.iter().map(|(i, _, w)| (*i, *w)).collect(), offset: 0.0 }
}
