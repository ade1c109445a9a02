//! Centre of mass, momentum, and the matrix that gives momentum from velocities.
//!
//! Computes  com,  h_G = A_G(q) v  (angular about the centre of mass),  A_G.
//! Source: [OGL2013: centroidal momentum matrix].
//! We differ: angular part first; links fixed to the world count for the centre of mass.
//! Not here: rates of momentum, which are the outer forces.
//! Cost: O(n).
//! Checked by: `tests/it/oracle.rs` (Pinocchio), `tests/it/trees.rs` (A_G v = momentum).

use super::fit;
use super::fk::Kinematics;
use crate::model::{BodyIx, BodyJoint, Forest};
use crate::spatial::{Force, Inertia, Motion, Vec3};

/// Total mass, moving or not.
pub fn mass(forest: &Forest) -> f64 {
    forest.bodies()[0].subtree_mass + forest.bodies()[0].mass
}

/// Centre of mass; the origin for a figure without mass.
pub fn center_of_mass(forest: &Forest, kinematics: &Kinematics) -> Vec3 {
    let total = mass(forest);
    if total > 0.0 { first_moment(forest, kinematics).scale(1.0 / total) } else { Vec3::ZERO }
}

/// Velocity of the centre of mass.
pub fn velocity_of_center(forest: &Forest, kinematics: &Kinematics) -> Vec3 {
    let total = mass(forest);
    if total > 0.0 { momentum(forest, kinematics).linear.scale(1.0 / total) } else { Vec3::ZERO }
}

/// Momentum: linear, and angular about the centre of mass.
pub fn momentum(forest: &Forest, kinematics: &Kinematics) -> Force {
    let about_origin = momentum_about_origin(forest, kinematics);
    about_origin.shifted(center_of_mass(forest, kinematics))
}

/// Momentum: linear, and angular about the world's origin.
pub fn momentum_about_origin(forest: &Forest, kinematics: &Kinematics) -> Force {
    let mut sum = Force::default();
    for (b, c) in forest.bodies().iter().zip(&kinematics.bodies).skip(1) {
        let own = turned_inertia(b, c) * c.v;
        sum += own.shifted(-c.x);
    }
    sum
}

/// Centroidal momentum matrix: column k is the momentum (angular about the centre of mass) at unit rate of degree of
/// freedom k. `composite` is scratch.
pub fn momentum_matrix(
    forest: &Forest,
    kinematics: &Kinematics,
    composite: &mut Vec<Inertia>,
    columns: &mut [Force],
) {
    let n = forest.bodies().len();
    fit(composite, n);
    for (i, (b, c)) in forest.bodies().iter().zip(&kinematics.bodies).enumerate() {
        composite[i] = turned_inertia(b, c);
    }
    let com = center_of_mass(forest, kinematics);
    for (i, b) in forest.bodies().iter().enumerate().skip(1).rev() {
        let c = &kinematics.bodies[i];
        let whole = composite[i];
        let up = b.parent.index();
        composite[up] = composite[up] + whole.shifted(c.p.d);
        let of = |m: Motion| (whole * m).shifted(com - c.x);
        let (turning, sliding) = (|e: Vec3| Motion::new(e, Vec3::ZERO), |e: Vec3| Motion::new(Vec3::ZERO, e));
        let (r, own) = (&c.p.r, &mut columns[b.iv as usize..]);
        match b.joint {
            BodyJoint::Revolute(_) => own[0] = of(turning(c.p.e1)),
            BodyJoint::Prismatic(_) => own[0] = of(sliding(c.p.e1)),
            BodyJoint::Universal(..) => {
                own[0] = of(turning(c.p.e1));
                own[1] = of(turning(c.p.e2));
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                for (k, e) in [r.x, r.y, r.z].into_iter().enumerate() {
                    own[k] = of(turning(e));
                    if b.joint == BodyJoint::Free {
                        own[k + 3] = of(sliding(e));
                    }
                }
            }
        }
    }
}

/// Inertia of a body in world axes about its origin.
pub fn body_inertia(forest: &Forest, kinematics: &Kinematics, body: BodyIx) -> Inertia {
    turned_inertia(&forest.bodies()[body.index()], &kinematics.bodies[body.index()])
}

pub(super) fn turned_inertia(b: &crate::model::Body, c: &super::fk::Record<f64>) -> Inertia {
    Inertia {
        mass: b.mass,
        moment: c.p.r.mul(b.moment),
        second: crate::spatial::Sym3::turned(&b.second, &c.p.r),
    }
}

fn first_moment(forest: &Forest, kinematics: &Kinematics) -> Vec3 {
    let each = forest.bodies().iter().zip(&kinematics.bodies);
    each.fold(Vec3::ZERO, |sum, (b, c)| sum + c.p.r.mul(b.moment) + c.x.scale(b.mass))
}
