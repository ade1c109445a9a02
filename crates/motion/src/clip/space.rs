//! Edits in space: moving, bending the path, scaling the figure.
//!
//! Computes  p'(t) = p(0) + integral of R_z(psi) dp,  R'(t) = R_z(psi) R(t)  with a yaw psi(t) that grows smoothly from
//! zero to the angle of the turn: each step of the root keeps its length and is rotated by psi at its midpoint.
//! Source: [NY2000F §2, Fig. 9], which connects two walks of different headings.
//! We differ: one walk bends; further roots move rigidly with the first.
//! Not here: forces of the turn (the dynamics filter); stance feet rotate on the ground.
//! Checked by: `tests/it/clip.rs`.

use super::Clip;
use super::join::Ease;
use crate::error::Error;
use crate::pose;
use anthropi_dynamics::model::{Body, BodyIx, BodyJoint, Forest};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3, vec3};
use std::sync::Arc;

/// A rigid displacement that keeps the vertical: a rotation about the world's z axis, then a translation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Planar {
    /// rotation about z, counter-clockwise seen from above
    pub yaw: f64,
    /// translation after the rotation, world axes, m
    pub shift: Vec3,
}

impl Planar {
    /// The displacement from one pose to the position and heading of another; heights stay.
    pub fn onto(forest: &Forest, from: &[f64], to: &[f64]) -> Planar {
        Planar::between(Heading::from_pose(forest, from), Heading::from_pose(forest, to))
    }

    /// The displacement between two headings; heights stay.
    pub(super) fn between(from: Heading, to: Heading) -> Planar {
        let yaw = to.yaw - from.yaw;
        let there = turned(yaw, from.place);
        Planar { yaw, shift: vec3(to.place.x - there.x, to.place.y - there.y, 0.0) }
    }

    /// Rotates a direction.
    pub fn turn(self, direction: Vec3) -> Vec3 {
        turned(self.yaw, direction)
    }

    /// Moves a pose of a figure with free roots.
    pub fn apply(self, forest: &Forest, q: &mut [f64]) {
        let moved = Transform::new(self.shift, Quat::about(UP, self.yaw));
        for root in roots(forest) {
            let i = root.coordinates().start;
            // the joint's frame on the world stays in place
            let world_from_joint = Transform { rotation: root.turn, translation: root.origin };
            let t = world_from_joint.inverse() * moved * world_from_joint;
            let place = t.point(pose::triple(q, i));
            let turn = t.orientation().then(pose::quaternion(q, i + 3));
            q[i..i + 3].copy_from_slice(&place.to_array());
            q[i + 3..i + 7].copy_from_slice(&turn.0);
        }
    }
}

const UP: Vec3 = vec3(0.0, 0.0, 1.0);

/// Position and heading of the first root, relative to the home pose.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heading {
    /// position of the root, world axes
    pub place: Vec3,
    /// rotation about z
    pub yaw: f64,
}

impl Heading {
    pub(super) fn from_pose(forest: &Forest, q: &[f64]) -> Heading {
        let Some(root) = roots(forest).next() else { return Heading::default() };
        let i = root.coordinates().start;
        let turn = pose::quaternion(q, i + 3).then(pose::quaternion(forest.home(), i + 3).inverse());
        // twist about the world's z axis
        let axis = root.turn.tr_mul(UP);
        let [w, x, y, z] = turn.0;
        let place = root.origin + root.turn.mul(pose::triple(q, i));
        Heading { place, yaw: 2.0 * libm::atan2(vec3(x, y, z).dot(axis), w) }
    }

    /// Step to another heading in the axes of this one: forward, left and up, and the yaw wrapped to half a turn.
    pub(super) fn step_to(self, next: Heading) -> (Vec3, f64) {
        (turned(-self.yaw, next.place - self.place), pose::wrap_angle(next.yaw - self.yaw))
    }

    /// The heading after a step given in the axes of this one.
    pub(super) fn after(self, (step, turn): (Vec3, f64)) -> Heading {
        Heading { place: self.place + turned(self.yaw, step), yaw: self.yaw + turn }
    }
}

pub(super) fn roots(forest: &Forest) -> impl Iterator<Item = &Body> {
    forest.bodies().iter().skip(1).filter(|b| b.parent == BodyIx::WORLD)
}

pub(super) fn turned(yaw: f64, v: Vec3) -> Vec3 {
    Quat::about(UP, yaw).rotate(v)
}

/// Time scaling when the size changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// unchanged
    #[default]
    Same,
    /// scales with the square root of the height: dynamically similar under the same gravity
    Similar,
}

impl Clip {
    /// The motion rotated about the world's vertical, then translated.
    ///
    /// # Errors
    /// A figure without a free root.
    pub fn moved(&self, shift: Vec3, yaw: f64) -> Result<Clip, Error> {
        self.check_free()?;
        self.check_range("yaw", yaw, [-f64::MAX, f64::MAX], "a finite angle")?;
        self.check_range("shift", shift.norm(), [0.0, f64::MAX], "finite")?;
        Ok(self.each_moved(|_| Planar { yaw, shift }))
    }

    /// Bends the path by `angle` (radians, to the left) between two times.
    ///
    /// # Errors
    /// A figure without a free root; times outside the clip or in the wrong order.
    pub fn turned_path(&self, angle: f64, from: f64, to: f64) -> Result<Clip, Error> {
        self.check_free()?;
        self.check_range("angle of a turn", angle, [-f64::MAX, f64::MAX], "a finite angle")?;
        self.check_range("start of a turn", from, [self.start(), self.end()], "a time of the clip")?;
        let after = from + f64::EPSILON * from.abs().max(1.0);
        self.check_range("end of a turn", to, [after, f64::MAX], "after its start")?;
        let psi = |frame: f64| {
            let t = self.start() + frame * self.dt();
            angle * Ease::Quintic.at((t - from) / (to - from))
        };
        let place = |k: usize| Heading::from_pose(self.figure().forest(), self.pose(k)).place;
        let mut there = place(0);
        Ok(self.each_moved(|k| {
            if k > 0 {
                there += turned(psi(k as f64 - 0.5), place(k) - place(k - 1));
            }
            let from = Heading { place: place(k), yaw: 0.0 };
            Planar::between(from, Heading { place: there, yaw: psi(k as f64) })
        }))
    }

    /// The same motion on the figure scaled to another stature (m) and mass (kg); `None` keeps the value. Paths scale with
    /// the stature, from the world's origin.
    ///
    /// # Errors
    /// A height or mass not positive; a figure of unknown stature.
    pub fn with_stature_and_mass(
        &self,
        height: Option<f64>,
        mass: Option<f64>,
        pace: Pace,
    ) -> Result<Clip, Error> {
        let figure = self.figure().scaled(height, mass)?;
        let present = self.figure().scaled(None, None)?.stature;
        let ratio = height.zip(present).map_or(1.0, |(height, present)| height / present);
        let mut q = self.poses().to_vec();
        for body in figure.forest().bodies().iter().skip(1) {
            let lengths = match body.joint {
                BodyJoint::Free => 3,
                BodyJoint::Prismatic(_) => 1,
                _ => 0,
            };
            for pose in q.chunks_exact_mut(self.nq()) {
                pose[body.coordinates().start..][..lengths].iter_mut().for_each(|x| *x *= ratio);
            }
        }
        let stretch = if pace == Pace::Similar { ratio.sqrt() } else { 1.0 };
        Ok(Clip { figure: Arc::new(figure), dt: self.dt * stretch, q, ..self.clone() })
    }

    /// Moves each frame by its own displacement.
    pub(super) fn each_moved(&self, mut by: impl FnMut(usize) -> Planar) -> Clip {
        let mut q = self.poses().to_vec();
        for (k, pose) in q.chunks_exact_mut(self.nq()).enumerate() {
            by(k).apply(self.figure().forest(), pose);
        }
        self.with_frames(self.start(), self.dt(), q)
    }

    /// Refuses figures whose roots are not free joints.
    pub(super) fn check_free(&self) -> Result<(), Error> {
        let forest = self.figure().forest();
        if roots(forest).all(|b| b.joint == BodyJoint::Free) {
            return Ok(());
        }
        let what = "its figure is fixed to the world and cannot be moved; the root must be a free joint";
        Err(Error::unsuitable(&self.name, what))
    }
}
