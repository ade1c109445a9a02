//! Energy of a figure.
//!
//! Computes  T = 1/2 v^T M v  and  V = -m g.com,  without forming M.
//! Source: definition.
//! Not here: energy of springs (`Forest::spring_energy`).
//! Checked by: `tests/it/oracle.rs` (Pinocchio), `tests/it/trees.rs` (v^T M v; power equals rate of energy).

use super::centroidal::{center_of_mass, mass, turned_inertia};
use super::fk::Kinematics;
use crate::model::Forest;

/// Kinetic energy of the bodies, and of the rotors whose inertia is the armature.
pub fn kinetic(forest: &Forest, kinematics: &Kinematics, v: &[f64]) -> f64 {
    let mut twice = 0.0;
    for (b, c) in forest.bodies().iter().zip(&kinematics.bodies).skip(1) {
        twice += c.v.dot(turned_inertia(b, c) * c.v);
        if b.has_armature {
            twice += (0..b.joint.nv()).map(|k| b.armature[k] * v[b.iv as usize + k].powi(2)).sum::<f64>();
        }
    }
    0.5 * twice
}

/// Potential energy in gravity, zero at the world's origin.
pub fn potential(forest: &Forest, kinematics: &Kinematics) -> f64 {
    -mass(forest) * forest.gravity().dot(center_of_mass(forest, kinematics))
}
