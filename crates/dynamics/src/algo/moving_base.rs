//! Inverse dynamics with a moving base: accelerations of the joints and the force on the base are given, the
//! acceleration of the base and the joint forces are found.
//!
//! Computes  a_base with  M_bb a_base = tau_base - (force on the base at zero base acceleration),  then tau.
//! Source: [L1992 eq. 9.8-9.14].
//! We differ: eq. 9.9 is the composite inertia (the joints' accelerations are given, so the figure is one body to its
//! base); the two recursions are two calls of RNEA.
//! Not here: connections.
//! Cost: O(n): two RNEA and one composite sweep.
//! Checked by: `tests/it/moving_base.rs` (against RNEA of the full solution; momentum of a free figure).

use super::fk::Kinematics;
use super::{centroidal, fit, rnea};
use crate::model::{BodyJoint, Forest};
use crate::spatial::{Force, Inertia, Vec3};

/// Scratch of [`inverse_dynamics`].
#[derive(Clone, Debug, Default)]
pub struct Work {
    rnea: rnea::Work,
    kinematics: Kinematics,
    composite: Vec<Inertia>,
    /// forces on the bases as given, before RNEA writes over them
    given: Vec<f64>,
}

/// Fills in the accelerations of all free bodies in `a` and all other joint forces in `tau`.
///
/// On entry `a` holds the accelerations of the other joints and `tau` the forces on the free bodies' coordinates
/// (zero when nothing but `external` acts on them).
pub fn inverse_dynamics(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    external: Option<&[Force]>,
    work: &mut Work,
    a: &mut [f64],
    tau: &mut [f64],
) {
    let bodies = forest.bodies();
    let bases = || bodies.iter().enumerate().skip(1).filter(|(_, b)| b.joint == BodyJoint::Free);
    // force p_0 that the base would need to stay unaccelerated [L1992 eq. 9.11]
    work.given.clear();
    work.given.extend_from_slice(tau);
    bases().for_each(|(_, b)| a[b.iv as usize..b.iv as usize + 6].fill(0.0));
    rnea::inverse_dynamics(forest, q, v, a, external, &mut work.rnea, tau);
    work.kinematics.update(forest, q, None, None);
    fit(&mut work.composite, bodies.len());
    for (i, (b, c)) in bodies.iter().zip(&work.kinematics.bodies).enumerate() {
        work.composite[i] = centroidal::turned_inertia(b, c);
    }
    for (i, b) in bodies.iter().enumerate().skip(1).rev() {
        let up = b.parent.index();
        work.composite[up] = work.composite[up] + work.composite[i].shifted(work.kinematics.bodies[i].p.d);
    }
    for (i, b) in bases() {
        let own = b.iv as usize..b.iv as usize + 6;
        let given = &work.given[own.clone()];
        let r = &work.kinematics.bodies[i].p.r;
        let part = |x: &[f64]| Vec3::from_array(&[x[0], x[1], x[2]]);
        let missing = &tau[own.clone()];
        let (n, f) = (part(&given[..3]) - part(&missing[..3]), part(&given[3..]) - part(&missing[3..]));
        // a_0 = (I_0^A)^-1 (f_0 - p_0) [L1992 eq. 9.13], linear part eliminated first
        let whole = &work.composite[i];
        let (n, f, h) = (r.mul(n), r.mul(f), whole.moment);
        let al = whole.central().inverse().mul(n - h.cross(f).scale(1.0 / whole.mass));
        let lin = (f + h.cross(al)).scale(1.0 / whole.mass);
        a[own.start..own.start + 3].copy_from_slice(&r.tr_mul(al).to_array());
        a[own.start + 3..own.end].copy_from_slice(&r.tr_mul(lin).to_array());
    }
    // joint forces with the base moving so [L1992 eq. 9.14]
    rnea::inverse_dynamics(forest, q, v, a, external, &mut work.rnea, tau);
}
