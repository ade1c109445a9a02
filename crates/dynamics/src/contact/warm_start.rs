//! Warm start of a contact: its mode, friction centre, impulse and sticking pose of the last step.

use super::face::{Face, Six};
use super::hypothesis::{Grip, Hypothesis};
use super::patch::{MAX_VERTICES, Patch, PatchKey};
use super::region::{Set, members};
use crate::algo::aba::MovingBody;
use crate::spatial::{Quat, Transform, Vec3};

/// Warm start of one contact.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmStart {
    pub key: PatchKey,
    /// identities of the loaded points
    carried: [u32; MAX_VERTICES],
    count: u8,
    grip: Grip,
    alpha: f64,
    beta: f64,
    /// slip direction, world axes, and its yaw part
    slip: Vec3,
    slip_yaw: f64,
    /// friction centre in the axes of body a
    center: Option<Vec3>,
    /// impulse, in the axes of the patch
    pub impulse: Six,
    /// whether its island needed the cone solver
    pub is_hard: bool,
    /// pose of body a in body b when the contact began to stick
    anchor: Option<Transform>,
}

/// Slip below which a contact sticks, m/s and, at the yaw radius, rad/s.
const STILL: f64 = 1e-4;

impl WarmStart {
    /// Stores the end of a step. `slip_before` is the slip speed before the step.
    #[allow(clippy::too_many_arguments)] // the whole state of a contact
    pub fn from_step(
        patch: &Patch,
        face: &Face,
        hy: &Hypothesis,
        impulse: &Six,
        center: [f64; 2],
        bodies: [&MovingBody; 2],
        before: Option<&WarmStart>,
        slip_before: f64,
    ) -> WarmStart {
        let mut carried = [0; MAX_VERTICES];
        let mut count = 0;
        for i in members(hy.set) {
            carried[count] = patch.vertices()[i].id;
            count += 1;
        }
        let [a, b] = bodies;
        let is_held = hy.grip == Grip::Stick && face.is_surface(hy.set) && face.friction_rows() == 3;
        let anchor = if is_held {
            let kept = before.and_then(|m| m.anchor);
            kept.or_else(|| (slip_before < STILL).then(|| b.pose.inverse() * a.pose))
        } else {
            None
        };
        WarmStart {
            key: patch.pair.key,
            carried,
            count: count as u8,
            grip: hy.grip,
            alpha: hy.alpha,
            beta: hy.beta,
            slip: patch.axes.x.scale(hy.slip[0]) + patch.axes.y.scale(hy.slip[1]),
            slip_yaw: hy.slip[2],
            center: Some(a.pose.rotation.tr_mul(patch.place(center) - a.pose.translation)),
            impulse: *impulse,
            is_hard: false,
            anchor,
        }
    }

    /// Initial mode for the coming step.
    pub fn mode(&self, patch: &Patch) -> Hypothesis {
        let known = &self.carried[..self.count as usize];
        let set = patch
            .vertices()
            .iter()
            .enumerate()
            .fold(0 as Set, |s, (i, v)| if known.contains(&v.id) { s | 1 << i } else { s });
        if set == 0 {
            return Hypothesis::default();
        }
        let slip = [patch.axes.x.dot(self.slip), patch.axes.y.dot(self.slip), self.slip_yaw];
        Hypothesis { set, grip: self.grip, alpha: self.alpha, slip, beta: self.beta }
    }

    /// Discards positions relative to bodies, after a discontinuity of the pose or a change of body frames.
    pub fn forget_anchors(&mut self) {
        (self.center, self.anchor) = (None, None);
    }

    /// Friction centre in the plane of the patch.
    pub fn center(&self, patch: &Patch, a: &MovingBody) -> Option<[f64; 2]> {
        let r = a.pose.point(self.center?) - patch.point;
        Some([patch.axes.x.dot(r), patch.axes.y.dot(r)])
    }

    /// Creep of the patch's point along the surface and about the normal since it stuck: (x, y, yaw).
    pub fn drift(&self, patch: &Patch, bodies: [&MovingBody; 2]) -> Option<[f64; 3]> {
        let anchor = self.anchor?;
        let [a, b] = bodies;
        let expected = b.pose * anchor;
        let local = a.pose.rotation.tr_mul(patch.point - a.pose.translation);
        let moved = patch.point - expected.point(local);
        let turned = Quat::from_matrix(&a.pose.rotation.mul_mat(&expected.rotation.transpose())).log();
        Some([patch.axes.x.dot(moved), patch.axes.y.dot(moved), patch.axes.z.dot(turned)])
    }
}
