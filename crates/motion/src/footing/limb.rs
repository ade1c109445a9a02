//! Legs and arms as two segments and the joint between them.
//!
//! A limb that is nearly straight can bend either way, and turns by a lot for a little way of its end. So postures that
//! poses are sought near get a knee (elbow) that is bent a little, to the side to which it bends in the motion.

use super::sole::Pose;
use crate::clip::Clip;
use crate::ease::at_least;
use crate::pose;
use anthropi_dynamics::algo::{fk::Kinematics, jacobian};
use anthropi_dynamics::model::{BodyIx, BodyJoint, Figure, LinkHandle};
use anthropi_dynamics::spatial::{Motion, Vec3};

/// Shorter ways between joints are no segment, m.
const SEGMENT: f64 = 0.12;
/// Least bend of postures, rad.
const BEND: f64 = 0.1;
/// Mean sine of the bend from which the side is known.
const KNOWN: f64 = 0.05;

/// Hip, knee and ankle, or shoulder, elbow and wrist.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    pub top: BodyIx,
    middle: BodyIx,
    end: BodyIx,
    /// what has to get somewhere, seen from its goal
    end_in_goal: Vec3,
    /// how far it is from the top when it is straight, m
    pub length: f64,
    /// axis it bends about, axes of the top and of what is below the middle; none where that is not known
    axis: Option<(Vec3, Vec3)>,
}

impl Limb {
    /// The limb of a link; `goal`: a goal's pose at home, and whether the goal has a turn.
    pub fn of(figure: &Figure, link: LinkHandle, goal: (&Pose, bool)) -> Option<Limb> {
        let forest = figure.forest();
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, forest.home(), None, None);
        let at = |body: BodyIx| kinematics.body_pose(body).translation;
        let end = forest.link_place(link).body;
        let above = |from: BodyIx| {
            let mut body = from;
            while body != BodyIx::WORLD && (at(body) - at(from)).norm() < SEGMENT {
                body = forest.bodies()[body.index()].parent;
            }
            (body != BodyIx::WORLD).then_some(body)
        };
        let middle = above(end)?;
        let top = above(middle)?;
        let (goal, has_turn) = goal;
        let own = at(end) - goal.place;
        let (end_in_goal, more) =
            if has_turn { (goal.turn.inverse().rotate(own), 0.0) } else { (Vec3::ZERO, own.norm()) };
        let long = (at(top) - at(middle)).norm() + (at(middle) - at(end)).norm() + more;
        Some(Limb { top, middle, end, end_in_goal, length: long, axis: None })
    }

    /// From its end, when its goal is met, to its top.
    pub fn way(&self, kinematics: &Kinematics, goal: &Pose) -> Vec3 {
        kinematics.body_pose(self.top).translation - goal.place - goal.turn.rotate(self.end_in_goal)
    }

    /// Learns the axis from a motion.
    pub fn learn(&mut self, clip: &Clip) {
        let (forest, mut kinematics) = (clip.figure().forest(), Kinematics::default());
        let (mut sum, mut below) = (Vec3::ZERO, Vec3::ZERO);
        for frame in 0..clip.frames() {
            kinematics.update(forest, clip.pose(frame), None, None);
            let [upper, lower] = self.segments(&kinematics);
            sum += kinematics.body_pose(self.top).rotation.tr_mul(upper.cross(lower));
            below += kinematics.body_pose(self.middle).rotation.tr_mul(upper.cross(lower));
        }
        let is_known = sum.norm() > KNOWN * clip.frames() as f64;
        self.axis = sum.normalized().zip(below.normalized()).filter(|_| is_known);
    }

    /// The middle joint's place in v, if it is a ball, and the axis it bends about, child axes.
    pub fn hinge(&self, figure: &Figure) -> Option<(usize, Vec3)> {
        let body = &figure.forest().bodies()[self.middle.index()];
        Some((body.iv as usize, self.axis?.1)).filter(|_| body.joint == BodyJoint::Spherical)
    }

    /// Bends a posture at least a little.
    pub fn bend(&self, figure: &Figure, kinematics: &mut Kinematics, columns: &mut [Motion], q: &mut [f64]) {
        let (forest, Some((axis, _))) = (figure.forest(), self.axis) else { return };
        kinematics.update(forest, q, None, None);
        let axis = kinematics.body_pose(self.top).rotation.mul(axis);
        let [upper, lower] = self.segments(kinematics);
        let bend = libm::atan2(upper.cross(lower).dot(axis), upper.dot(lower));
        let more = at_least(BEND, BEND, bend) - bend;
        let here = kinematics.body_pose(self.middle).translation;
        jacobian::of_body_point(forest, kinematics, self.middle, here, columns);
        let body = &forest.bodies()[self.middle.index()];
        let mut way = vec![0.0; forest.nv()];
        for k in body.iv as usize..body.iv as usize + body.joint.nv() {
            way[k] = more * columns[k].angular.dot(axis);
        }
        let from = q.to_vec();
        pose::along(forest, &from, &way, 1.0, q);
    }

    /// Directions of both segments.
    fn segments(&self, kinematics: &Kinematics) -> [Vec3; 2] {
        let [a, b, c] = [self.top, self.middle, self.end].map(|body| kinematics.body_pose(body).translation);
        [b - a, c - b].map(|d| d.normalized().unwrap_or(Vec3::ZERO))
    }
}
