//! A figure posed by what its parts do: pelvis, chest and head by their orientation, arms by their swing, legs by where
//! the feet are.
//!
//! Orientations are turns from the home pose in walking axes: x ahead, y left, z up. Legs in closed form, seen from the
//! foot: the knee's angle from the distance of hip and ankle, then the ankle's pitch and roll, which turn the leg into
//! the line to the hip; the hip takes the rest. So legs of six freedoms (3, 1, 2) are exact, and those of more bend
//! like them.
//! Source: our own.
//! Checked by: `puppet/tests.rs`.

mod home;
#[cfg(test)]
mod tests;

use crate::anatomy::{Anatomy, Side};
use crate::error::Error;
use crate::pose;
use crate::spots::Place;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{BodyIx, BodyJoint, Figure};
use anthropi_dynamics::spatial::{Axis, Quat, Vec3, vec3};
use home::Home;
use std::sync::Arc;

/// Knees of legs that are asked to reach farther than with the first are never straighter than the second, rad.
pub(super) const NEARLY: [f64; 2] = [0.16, 0.03];

/// What the parts do at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Posture {
    pub pelvis: (Vec3, Quat),
    pub chest: Quat,
    pub head: Quat,
    /// arm about the chest's y and x axes, and bend of the elbow; left, right
    pub arms: [[f64; 3]; 2],
    /// ankle and orientation of the foot; left, right
    pub feet: [(Vec3, Quat); 2],
}

/// A sole as seen from the ankle, in walking axes with the foot flat on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sole {
    /// middle of the rear and of the front edge
    pub heel: Vec3,
    pub toe: Vec3,
    /// half of its breadth
    pub half: f64,
}

/// Orientations of pelvis, and of thighs, shanks and feet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    pub pelvis: Quat,
    pub legs: [[Quat; 3]; 2],
}

/// Which turn a body gets.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Root,
    /// part of the way from pelvis to chest
    Spine(f64),
    /// part of the way from chest to head
    Neck(f64),
    UpperArm(usize),
    Forearm(usize),
    Thigh(usize),
    Shank(usize),
    Foot(usize),
    Still,
}

/// A leg at home.
#[derive(Clone, Copy, Debug)]
struct Leg {
    upper: Vec3,
    lower: Vec3,
    axis: Vec3,
}

/// A figure that can be posed.
#[derive(Clone, Debug)]
pub(crate) struct Puppet {
    pub figure: Arc<Figure>,
    pub soles: [Sole; 2],
    /// of hips from the root's origin, walking axes
    pub hips: [Vec3; 2],
    /// from hip to sole when straight
    pub hip_height: f64,
    root: BodyIx,
    leg_bodies: [[BodyIx; 3]; 2],
    roles: Vec<Role>,
    /// orientation of bodies at home in walking axes
    home: Vec<Quat>,
    legs: [Leg; 2],
    /// turn that lets an arm hang
    hang: [Quat; 2],
    poses: Vec<(Vec3, Quat)>,
}

impl Puppet {
    /// A figure with two legs whose joints can do it.
    ///
    /// # Errors
    /// No free root, no legs, hips that are no balls, knees that do not bend, ankles that cannot pitch and roll.
    pub fn of(figure: &Arc<Figure>, anatomy: &Anatomy, places: &[Place]) -> Result<Puppet, Error> {
        let mut home = Home::of(figure, anatomy)?;
        home.trunk();
        let hang = Side::BOTH.map(|side| home.arm(side));
        let limbs = [home.limb(Side::Left, places)?, home.limb(Side::Right, places)?];
        let legs = limbs.map(|l| l.leg);
        let leg = legs.iter().map(|l| l.upper.norm() + l.lower.norm()).fold(f64::INFINITY, f64::min);
        let soles = limbs.map(|l| l.sole);
        Ok(Puppet {
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

    /// Longest way from hip to ankle with the knee bent by an angle.
    pub fn reach(&self, side: usize, knee: f64) -> f64 {
        self.legs[side].reach(knee)
    }

    /// Poses the figure; feet that are farther than the legs reach are met in direction only.
    pub fn pose(&mut self, posture: &Posture, q: &mut [f64]) {
        let figure = self.figure.clone();
        let forest = figure.forest();
        let mut limbs = [[Quat::IDENTITY; 3]; 2];
        for (n, b) in forest.bodies().iter().enumerate().skip(1) {
            let (above, turn_above) = self.poses[b.parent.index()];
            let before = if b.is_turned { turn_above.then(Quat::from_matrix(&b.turn)) } else { turn_above };
            let at = above + turn_above.rotate(b.origin);
            let (pelvis, chest) = (posture.pelvis.1, posture.chest);
            let arm = |s: usize| {
                let [swing, out, _] = posture.arms[s];
                chest.then(about_y(swing)).then(Quat::about(vec3(1.0, 0.0, 0.0), out))
            };
            let wanted = match self.roles[n] {
                Role::Root => {
                    let turn = pelvis.then(self.home[n]);
                    let iq = b.iq as usize;
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
                    self.poses[n] = (at, before.then(turn_of(b.joint, &q[b.iq as usize..])));
                    continue;
                }
            };
            let within = before.inverse().then(wanted.then(self.home[n]));
            set(b.joint, within, &mut q[b.iq as usize..]);
            self.poses[n] = (at, before.then(turn_of(b.joint, &q[b.iq as usize..])));
        }
    }

    /// Orientations of its parts, as turns from the home pose in walking axes.
    pub fn turns(&self, kinematics: &Kinematics) -> Turns {
        let of = |b: BodyIx| kinematics.body_pose(b).orientation().then(self.home[b.index()].inverse());
        Turns { pelvis: of(self.root), legs: self.leg_bodies.map(|leg| leg.map(of)) }
    }

    /// Gives numbers that do not leap from one pose to the next.
    pub fn settle(&self, before: Option<&[f64]>, q: &mut [f64]) {
        pose::settle(self.figure.forest(), before, q);
    }
}

impl Leg {
    /// Angle of the knee at which the leg is straight.
    fn straight(&self) -> f64 {
        let (b, c) = self.parts();
        libm::atan2(c, b)
    }

    /// upper . R(axis, angle) lower = a + b cos + c sin: b and c.
    fn parts(&self) -> (f64, f64) {
        let level = self.lower - self.axis.scale(self.axis.dot(self.lower));
        (self.upper.dot(level), self.upper.dot(self.axis.cross(self.lower)))
    }

    /// Bend from straight when hip and ankle are this far apart.
    fn bend(&self, apart: f64) -> f64 {
        let (b, c) = self.parts();
        let a = self.axis.dot(self.upper) * self.axis.dot(self.lower);
        let squares = self.upper.dot(self.upper) + self.lower.dot(self.lower);
        libm::acos((((apart * apart - squares) / 2.0 - a) / libm::hypot(b, c)).clamp(-1.0, 1.0))
    }

    fn reach(&self, knee: f64) -> f64 {
        (self.upper + Quat::about(self.axis, self.straight() + knee).rotate(self.lower)).norm()
    }

    /// A distance of hip and ankle as far as it can be had: a leg that is nearly straight gives less and less.
    fn soft(&self, apart: f64) -> f64 {
        let [from, to] = NEARLY.map(|knee| self.reach(knee));
        if apart <= from { apart } else { from + (to - from) * libm::tanh((apart - from) / (to - from)) }
    }

    /// Orientations of thigh, shank and foot with the ankle at `way` from the hip.
    fn solve(&self, way: Vec3, foot: Quat) -> [Quat; 3] {
        let far = way.norm();
        let way = way.scale(self.soft(far) / far);
        let bend = Quat::about(self.axis, self.straight() + self.bend(way.norm()));
        // hip to ankle in the shank's axes, and in the foot's
        let own = bend.inverse().rotate(self.upper) + self.lower;
        let seen = foot.inverse().rotate(way);
        let across = libm::hypot(seen.y, seen.z).max(1e-9);
        let lean = libm::atan2(seen.y, -seen.z);
        let own_y = (own.y * way.norm() / own.norm() / across).clamp(-1.0, 1.0);
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

/// Turn of a joint by its coordinates.
fn turn_of(joint: BodyJoint, q: &[f64]) -> Quat {
    match joint {
        BodyJoint::Revolute(a) => Quat::about(a.unit(), q[0]),
        BodyJoint::Universal(a, b) => Quat::about(a.unit(), q[0]).then(Quat::about(b.unit(), q[1])),
        BodyJoint::Spherical => Quat([q[0], q[1], q[2], q[3]]),
        BodyJoint::Prismatic(_) | BodyJoint::Free => Quat::IDENTITY,
    }
}

/// Coordinates of a joint that come nearest to a turn.
fn set(joint: BodyJoint, turn: Quat, q: &mut [f64]) {
    let about = |a: Axis| {
        let [w, x, y, z] = turn.0;
        let along = vec3(x, y, z).dot(a.unit());
        let angle = 2.0 * libm::atan2(along, w);
        // the short way round
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
