//! Conversion between the unlocked coordinates of a joint and those of the full joint.
//!
//! A spherical joint with a locked degree of freedom is described by the angles of its rotation order that are still
//! free; unlocked it is a quaternion again. [L1992 ch. 8: locked degrees of freedom, choice of rotation order]

use super::{Dof, JointKind, MAX_DOF, MAX_NQ};
use crate::spatial::{Quat, RotationOrder, Vec3, vec3};

/// Most numbers in the v of one joint.
pub const MAX_NV: usize = 6;

/// Position and velocity of a whole joint, as if nothing were locked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointState {
    /// the first `nq` numbers count
    pub q: [f64; MAX_NQ],
    /// the first `nv` numbers count
    pub v: [f64; MAX_NV],
    /// angles and rates of a spherical joint with locks: a quaternion would lose which of its two triples of angles, and
    /// which revolution
    pub angles: Option<([f64; MAX_DOF], [f64; MAX_DOF])>,
}

impl JointState {
    /// At rest at the whole joint's coordinates.
    pub fn at_rest(q: [f64; MAX_NQ]) -> JointState {
        JointState { q, v: [0.0; MAX_NV], angles: None }
    }
}

/// The unlocked coordinates of a joint, and the values of the locked ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    /// the joint with nothing locked
    pub kind: JointKind,
    /// angle convention of a spherical joint with locks
    pub order: RotationOrder,
    /// which are locked
    pub locked: [bool; MAX_DOF],
    /// values of the locked ones
    pub locked_at: [f64; MAX_DOF],
}

impl Coordinates {
    /// Locks as declared by the degrees of freedom.
    pub fn new(
        kind: JointKind,
        order: RotationOrder,
        dof: &[Dof; MAX_DOF],
        locked_at: [f64; MAX_DOF],
    ) -> Self {
        let mut locked = [false; MAX_DOF];
        if !matches!(kind, JointKind::Free | JointKind::Partial { .. }) {
            for k in 0..kind.nv() {
                locked[k] = dof[k].locked;
            }
        }
        Coordinates { kind, order, locked, locked_at }
    }

    /// Whether anything is locked.
    pub fn has_locks(&self) -> bool {
        self.locked.contains(&true)
    }

    /// Degrees of freedom that are left.
    pub fn nv(&self) -> usize {
        self.kind.nv() - self.locked.iter().filter(|l| **l).count()
    }

    /// Numbers in q that are left.
    pub fn nq(&self) -> usize {
        if self.has_locks() { self.nv() } else { self.kind.nq() }
    }

    /// Degree of freedom behind each remaining number of v.
    pub fn free_dofs(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.kind.nv()).filter(|&k| k >= MAX_DOF || !self.locked[k])
    }

    /// The whole joint's state from the remaining coordinates.
    pub fn expand(&self, q: &[f64], v: &[f64]) -> JointState {
        let mut full = JointState::at_rest(self.kind.neutral());
        if !self.has_locks() {
            full.q[..q.len()].copy_from_slice(q);
            full.v[..v.len()].copy_from_slice(v);
            return full;
        }
        let (mut angles, mut rates) = (self.locked_at, [0.0; MAX_DOF]);
        for (i, k) in self.free_dofs().enumerate() {
            (angles[k], rates[k]) = (q[i], v[i]);
        }
        if self.kind == JointKind::Spherical {
            let w = self.order.rates_to_velocity(angles).mul(Vec3::from_array(&rates));
            full.q[..4].copy_from_slice(&self.order.quat(angles).0);
            full.v[..3].copy_from_slice(&w.to_array());
            full.angles = Some((angles, rates));
        } else {
            let n = self.kind.nv();
            full.q[..n].copy_from_slice(&angles[..n]);
            full.v[..n].copy_from_slice(&rates[..n]);
        }
        full
    }

    /// The remaining coordinates of a whole joint's state; what is locked is dropped.
    pub fn reduce(&self, full: &JointState, q: &mut [f64], v: &mut [f64]) {
        if !self.has_locks() {
            q.copy_from_slice(&full.q[..q.len()]);
            v.copy_from_slice(&full.v[..v.len()]);
            return;
        }
        let (angles, rates) = self.angles_and_rates(full);
        for (i, k) in self.free_dofs().enumerate() {
            (q[i], v[i]) = (angles[k], rates[k]);
        }
    }

    /// One number and its rate for each degree of freedom (angles of the rotation order for a spherical joint).
    pub fn angles_and_rates(&self, full: &JointState) -> ([f64; MAX_DOF], [f64; MAX_DOF]) {
        if let Some(known) = full.angles {
            return known;
        }
        if self.kind == JointKind::Spherical {
            let angles = self.order.angles(Quat([full.q[0], full.q[1], full.q[2], full.q[3]]));
            let e = self.order.rates_to_velocity(angles);
            let (bc, ca, ab) = (e.y.cross(e.z), e.z.cross(e.x), e.x.cross(e.y));
            let w = vec3(full.v[0], full.v[1], full.v[2]);
            let det = e.x.dot(bc);
            /// As in `passive`: the first and last axes coincide there.
            const MIN_DETERMINANT: f64 = 0.05;
            let k = 1.0 / if det.abs() < MIN_DETERMINANT { MIN_DETERMINANT.copysign(det) } else { det };
            return (angles, [bc.dot(w) * k, ca.dot(w) * k, ab.dot(w) * k]);
        }
        let (mut angles, mut rates) = ([0.0; MAX_DOF], [0.0; MAX_DOF]);
        let n = self.kind.nv().min(MAX_DOF);
        angles[..n].copy_from_slice(&full.q[..n]);
        rates[..n].copy_from_slice(&full.v[..n]);
        (angles, rates)
    }

    /// The whole joint at rest at one number for each degree of freedom, as [`Coordinates::angles_and_rates`] has them; a
    /// free joint has no such numbers and stays neutral.
    pub fn at_angles(&self, angles: [f64; MAX_DOF]) -> JointState {
        let mut full = JointState::at_rest(self.kind.neutral());
        match self.kind {
            JointKind::Free | JointKind::Partial { .. } => {}
            JointKind::Spherical => {
                full.q[..4].copy_from_slice(&self.order.quat(angles).0);
                full.angles = Some((angles, [0.0; MAX_DOF]));
            }
            kind => full.q[..kind.nv()].copy_from_slice(&angles[..kind.nv()]),
        }
        full
    }
}
