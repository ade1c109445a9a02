//! Whole-body pose from a posture: orientations of pelvis, chest and head, arm angles, and closed-form leg inverse
//! kinematics for the feet.
//!
//! Orientations are relative to the home pose in walking axes: x forward, y left, z up. The leg is solved from the foot:
//! knee angle from the hip-ankle distance, then ankle pitch and roll that align the leg with the hip; the hip takes the
//! rest. Exact for legs with 3 + 1 + 2 degrees of freedom; legs with more move like those.
//! Source: our own.
//! Checked by: `leg_ik/tests.rs`.

mod home_pose;
#[cfg(test)]
mod tests;

use crate::anatomy::{Anatomy, Side};
use crate::contact_points::ContactPoint;
use crate::error::Error;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{BodyIx, BodyJoint, Figure};
use anthropi_dynamics::spatial::{Axis, Quat, Vec3, vec3};
use home_pose::HomePose;
use std::sync::Arc;

/// Knee flexion at which a leg begins to resist extension, and its least flexion, rad.
pub(super) const NEARLY_STRAIGHT: [f64; 2] = [0.16, 0.03];

/// Posture of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Posture {
    pub pelvis: (Vec3, Quat),
    pub chest: Quat,
    pub head: Quat,
    /// arm about the y and x axes of the chest, and elbow flexion; left, right
    pub arms: [[f64; 3]; 2],
    /// ankle and orientation of the foot; left, right
    pub feet: [(Vec3, Quat); 2],
}

/// A sole relative to the ankle, in walking axes with the foot flat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SoleEdges {
    /// middle of the rear and of the front edge
    pub heel: Vec3,
    pub toe: Vec3,
    /// half the breadth
    pub half: f64,
}

/// Orientations of the pelvis, and of thigh, shank and foot by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orientations {
    pub pelvis: Quat,
    pub legs: [[Quat; 3]; 2],
}

/// Role of a body in the posture.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Root,
    /// blend from pelvis to chest
    Spine(f64),
    /// blend from chest to head
    Neck(f64),
    UpperArm(usize),
    Forearm(usize),
    Thigh(usize),
    Shank(usize),
    Foot(usize),
    Still,
}

/// Geometry of a leg in the home pose: thigh and shank vectors, knee axis.
#[derive(Clone, Copy, Debug)]
struct Leg {
    upper: Vec3,
    lower: Vec3,
    axis: Vec3,
}

/// Posture solver of a figure.
#[derive(Clone, Debug)]
pub(crate) struct LegIk {
    pub figure: Arc<Figure>,
    pub soles: [SoleEdges; 2],
    /// hips relative to the root, walking axes
    pub hips: [Vec3; 2],
    /// from hip to sole with a straight leg
    pub hip_height: f64,
    root: BodyIx,
    leg_bodies: [[BodyIx; 3]; 2],
    roles: Vec<Role>,
    /// orientations of the bodies in the home pose, walking axes
    home: Vec<Quat>,
    legs: [Leg; 2],
    /// rotations that make the arms hang
    hang: [Quat; 2],
    poses: Vec<(Vec3, Quat)>,
}

impl LegIk {
    /// # Errors
    /// No free root, no legs, hips that are not spherical, knees that do not flex, ankles without pitch and roll.
    pub fn new(
        figure: &Arc<Figure>,
        anatomy: &Anatomy,
        contact_points: &[ContactPoint],
    ) -> Result<LegIk, Error> {
        let mut home = HomePose::new(figure, anatomy, contact_points)?;
        home.trunk();
        let hang = Side::BOTH.map(|side| home.arm(side));
        let limbs = [home.limb(Side::Left)?, home.limb(Side::Right)?];
        let legs = limbs.map(|l| l.leg);
        let leg = legs.iter().map(|l| l.upper.norm() + l.lower.norm()).fold(f64::INFINITY, f64::min);
        let soles = limbs.map(|l| l.sole);
        Ok(LegIk {
            figure: figure.clone(),
            hip_height: leg - soles[0].heel.z.max(soles[1].heel.z),
            soles,
            hips: limbs.map(|l| l.hip),
            root: home.root,
            leg_bodies: limbs.map(|l| l.bodies),
            roles: home.roles,
            poses: vec![(Vec3::ZERO, Quat::IDENTITY); home.turns.len()],
            home: home.turns,
            legs,
            hang,
        })
    }

    /// Distance from hip to ankle for a knee flexion.
    pub fn reach(&self, side: usize, knee: f64) -> f64 {
        self.legs[side].reach(knee)
    }

    /// Coordinates of a posture; feet out of reach are met in direction only.
    pub fn pose(&mut self, posture: &Posture, q: &mut [f64]) {
        let figure = self.figure.clone();
        let forest = figure.forest();
        let mut limbs = [[Quat::IDENTITY; 3]; 2];
        for (n, b) in forest.bodies().iter().enumerate().skip(1) {
            let (parent_at, parent_turn) = self.poses[b.parent.index()];
            let before = if b.is_turned { parent_turn.then(Quat::from_matrix(&b.turn)) } else { parent_turn };
            let at = parent_at + parent_turn.rotate(b.origin);
            let (pelvis, chest) = (posture.pelvis.1, posture.chest);
            let arm = |s: usize| {
                let [swing, out, _] = posture.arms[s];
                chest.then(about_y(swing)).then(Quat::about(vec3(1.0, 0.0, 0.0), out))
            };
            let target = match self.roles[n] {
                Role::Root => {
                    let turn = pelvis.then(self.home[n]);
                    let iq = b.coordinates().start;
                    q[iq..iq + 3].copy_from_slice(&posture.pelvis.0.to_array());
                    q[iq + 3..iq + 7].copy_from_slice(&turn.0);
                    self.poses[n] = (posture.pelvis.0, turn);
                    continue;
                }
                Role::Spine(part) => part_way(pelvis, chest, part),
                Role::Neck(part) => part_way(chest, posture.head, part),
                Role::UpperArm(s) => arm(s).then(self.hang[s]),
                Role::Forearm(s) => arm(s).then(about_y(-posture.arms[s][2])).then(self.hang[s]),
                Role::Thigh(s) => {
                    let (ankle, foot) = posture.feet[s];
                    limbs[s] = self.legs[s].solve(ankle - at, foot);
                    limbs[s][0]
                }
                Role::Shank(s) => limbs[s][1],
                Role::Foot(s) => limbs[s][2],
                Role::Still => {
                    self.poses[n] = (at, before.then(turn_of(b.joint, &q[b.coordinates().start..])));
                    continue;
                }
            };
            let within = before.inverse().then(target.then(self.home[n]));
            set(b.joint, within, &mut q[b.coordinates().start..]);
            self.poses[n] = (at, before.then(turn_of(b.joint, &q[b.coordinates().start..])));
        }
    }

    /// Orientations of pelvis and legs relative to the home pose, walking axes.
    pub fn orientations(&self, kinematics: &Kinematics) -> Orientations {
        let of = |b: BodyIx| kinematics.body_pose(b).orientation().then(self.home[b.index()].inverse());
        Orientations { pelvis: of(self.root), legs: self.leg_bodies.map(|leg| leg.map(of)) }
    }
}

impl Leg {
    /// Knee angle of the straight leg.
    fn straight(&self) -> f64 {
        let (b, c) = self.parts();
        libm::atan2(c, b)
    }

    /// upper . R(axis, angle) lower = a + b cos + c sin: b and c.
    fn parts(&self) -> (f64, f64) {
        let level = self.lower - self.axis.scale(self.axis.dot(self.lower));
        (self.upper.dot(level), self.upper.dot(self.axis.cross(self.lower)))
    }

    /// Knee flexion for a hip-ankle distance.
    fn bend(&self, apart: f64) -> f64 {
        let (b, c) = self.parts();
        let a = self.axis.dot(self.upper) * self.axis.dot(self.lower);
        let squares = self.upper.dot(self.upper) + self.lower.dot(self.lower);
        libm::acos((((apart * apart - squares) / 2.0 - a) / libm::hypot(b, c)).clamp(-1.0, 1.0))
    }

    fn reach(&self, knee: f64) -> f64 {
        (self.upper + Quat::about(self.axis, self.straight() + knee).rotate(self.lower)).norm()
    }

    /// Hip-ankle distance with a soft limit near the straight leg.
    fn soft(&self, apart: f64) -> f64 {
        let [from, to] = NEARLY_STRAIGHT.map(|knee| self.reach(knee));
        if apart <= from { apart } else { from + (to - from) * libm::tanh((apart - from) / (to - from)) }
    }

    /// Orientations of thigh, shank and foot for the vector `leg` from hip to ankle.
    fn solve(&self, leg: Vec3, foot: Quat) -> [Quat; 3] {
        let far = leg.norm();
        let leg = leg.scale(self.soft(far) / far);
        let bend = Quat::about(self.axis, self.straight() + self.bend(leg.norm()));
        // hip to ankle in shank axes and in foot axes
        let own = bend.inverse().rotate(self.upper) + self.lower;
        let seen = foot.inverse().rotate(leg);
        let across = libm::hypot(seen.y, seen.z).max(1e-9);
        let lean = libm::atan2(seen.y, -seen.z);
        let own_y = (own.y * leg.norm() / own.norm() / across).clamp(-1.0, 1.0);
        let roll = libm::asin(own_y) - lean;
        let deep = -across * libm::cos(roll + lean);
        let pitch = libm::atan2(own.x, own.z) - libm::atan2(seen.x, deep);
        let ankle = about_y(pitch).then(Quat::about(vec3(1.0, 0.0, 0.0), roll));
        let shank = foot.then(ankle.inverse());
        [shank.then(bend.inverse()), shank, foot]
    }
}

fn about_y(angle: f64) -> Quat {
    Quat::about(vec3(0.0, 1.0, 0.0), angle)
}

fn part_way(a: Quat, b: Quat, part: f64) -> Quat {
    if part == 1.0 { b } else { a.then(Quat::exp(a.inverse().then(b).log().scale(part))) }
}

/// Rotation of a joint.
fn turn_of(joint: BodyJoint, q: &[f64]) -> Quat {
    match joint {
        BodyJoint::Revolute(a) => Quat::about(a.unit(), q[0]),
        BodyJoint::Universal(a, b) => Quat::about(a.unit(), q[0]).then(Quat::about(b.unit(), q[1])),
        BodyJoint::Spherical => Quat([q[0], q[1], q[2], q[3]]),
        BodyJoint::Prismatic(_) | BodyJoint::Free => Quat::IDENTITY,
    }
}

/// Joint coordinates closest to a rotation.
fn set(joint: BodyJoint, turn: Quat, q: &mut [f64]) {
    let about = |a: Axis| {
        let [w, x, y, z] = turn.0;
        let along = vec3(x, y, z).dot(a.unit());
        let angle = 2.0 * libm::atan2(along, w);
        // to (-pi, pi]
        if angle.abs() > core::f64::consts::PI {
            angle - angle.signum() * core::f64::consts::TAU
        } else {
            angle
        }
    };
    match joint {
        BodyJoint::Revolute(a) => q[0] = about(a),
        BodyJoint::Universal(a, b) => (q[0], q[1]) = (about(a), about(b)),
        BodyJoint::Spherical => q[..4].copy_from_slice(&turn.0),
        BodyJoint::Prismatic(_) | BodyJoint::Free => {}
    }
}
