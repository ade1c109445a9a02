//! Legs and arms as two segments and the joint between them.
//!
//! A nearly straight limb can bend either way, and small motions of its end need large joint rotations. So the postures for
//! inverse kinematics get a slightly bent knee (elbow), to the side to which it bends in the motion.

use super::sole::SolePose;
use crate::clip::Clip;
use crate::ease::at_least;
use crate::pose;
use anthropi_dynamics::algo::{fk::Kinematics, jacobian};
use anthropi_dynamics::model::{BodyIx, BodyJoint, Figure, LinkHandle};
use anthropi_dynamics::spatial::{Motion, Vec3};

/// Least length of a segment, m.
const MIN_SEGMENT: f64 = 0.12;
/// Least bend of postures, rad.
const MIN_BEND: f64 = 0.1;
/// Part of the length over which limbs approach the end of their reach.
const REACH_ROUNDING: f64 = 0.01;
/// Least mean sine of the bend that determines the side.
const MIN_BEND_SINE: f64 = 0.05;

/// Hip, knee and ankle, or shoulder, elbow and wrist.
#[derive(Clone, Debug)]
pub(super) struct LimbChain {
    pub top: BodyIx,
    middle: BodyIx,
    end: BodyIx,
    /// end of the limb, axes of its goal
    end_in_goal: Vec3,
    /// length of the straight limb, m
    pub length: f64,
    /// bending axis, in axes of the top and of the middle body; `None` if unknown
    axis: Option<(Vec3, Vec3)>,
}

impl LimbChain {
    /// The limb that ends at a link, with the bending axis of a motion; `goal`: pose of the goal at home, and whether it has
    /// an orientation.
    pub fn new(clip: &Clip, link: LinkHandle, goal: (&SolePose, bool)) -> Option<LimbChain> {
        let forest = clip.figure().forest();
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, forest.home(), None, None);
        let at = |body: BodyIx| kinematics.body_pose(body).translation;
        let end = forest.link_place(link).body;
        let above = |from: BodyIx| {
            let mut body = from;
            while body != BodyIx::WORLD && (at(body) - at(from)).norm() < MIN_SEGMENT {
                body = forest.bodies()[body.index()].parent;
            }
            (body != BodyIx::WORLD).then_some(body)
        };
        let middle = above(end)?;
        let top = above(middle)?;
        let (goal, has_orientation) = goal;
        let own = at(end) - goal.position;
        let (end_in_goal, more) = if has_orientation {
            (goal.orientation.inverse().rotate(own), 0.0)
        } else {
            (Vec3::ZERO, own.norm())
        };
        let length = (at(top) - at(middle)).norm() + (at(middle) - at(end)).norm() + more;
        let mut limb = LimbChain { top, middle, end, end_in_goal, length, axis: None };
        limb.axis = limb.bending_axis(clip);
        Some(limb)
    }

    /// From the end of the limb, with its goal met, to its top.
    pub fn end_to_top(&self, kinematics: &Kinematics, goal: &SolePose) -> Vec3 {
        kinematics.body_pose(self.top).translation - goal.position - goal.orientation.rotate(self.end_in_goal)
    }

    /// Moves a goal that is farther than a part of the limb's length from its top towards it.
    pub fn bring_within_reach(&self, kinematics: &Kinematics, part: f64, goal: &mut SolePose) {
        let chain = self.end_to_top(kinematics, goal);
        let (distance, reach) = (chain.norm(), part * self.length);
        let within = -at_least(-reach, REACH_ROUNDING * self.length, -distance);
        goal.position += chain.scale((distance - within) / distance.max(f64::MIN_POSITIVE));
    }

    /// From the end of the limb to its top in a pose.
    pub fn span(&self, kinematics: &Kinematics) -> Vec3 {
        kinematics.body_pose(self.top).translation - kinematics.body_pose(self.end).translation
    }

    fn bending_axis(&self, clip: &Clip) -> Option<(Vec3, Vec3)> {
        let (forest, mut kinematics) = (clip.figure().forest(), Kinematics::default());
        let (mut sum, mut below) = (Vec3::ZERO, Vec3::ZERO);
        for frame in 0..clip.frames() {
            kinematics.update(forest, clip.pose(frame), None, None);
            let [upper, lower] = self.segments(&kinematics);
            sum += kinematics.body_pose(self.top).rotation.tr_mul(upper.cross(lower));
            below += kinematics.body_pose(self.middle).rotation.tr_mul(upper.cross(lower));
        }
        let is_known = sum.norm() > MIN_BEND_SINE * clip.frames() as f64;
        sum.normalized().zip(below.normalized()).filter(|_| is_known)
    }

    /// First degree of freedom of the middle joint, if it is a ball, and its bending axis, child axes.
    pub fn hinge(&self, figure: &Figure) -> Option<(usize, Vec3)> {
        let body = &figure.forest().bodies()[self.middle.index()];
        Some((body.dofs().start, self.axis?.1)).filter(|_| body.joint == BodyJoint::Spherical)
    }

    /// Bends a posture by at least [`MIN_BEND`].
    pub fn bend(&self, figure: &Figure, kinematics: &mut Kinematics, columns: &mut [Motion], q: &mut [f64]) {
        let (forest, Some((axis, _))) = (figure.forest(), self.axis) else { return };
        kinematics.update(forest, q, None, None);
        let axis = kinematics.body_pose(self.top).rotation.mul(axis);
        let [upper, lower] = self.segments(kinematics);
        let bend = libm::atan2(upper.cross(lower).dot(axis), upper.dot(lower));
        let more = at_least(MIN_BEND, MIN_BEND, bend) - bend;
        let here = kinematics.body_pose(self.middle).translation;
        jacobian::of_body_point(forest, kinematics, self.middle, here, columns);
        let body = &forest.bodies()[self.middle.index()];
        let mut delta = vec![0.0; forest.nv()];
        for k in body.dofs() {
            delta[k] = more * columns[k].angular.dot(axis);
        }
        let from = q.to_vec();
        pose::along(forest, &from, &delta, 1.0, q);
    }

    /// Directions of both segments.
    fn segments(&self, kinematics: &Kinematics) -> [Vec3; 2] {
        let [a, b, c] = [self.top, self.middle, self.end].map(|body| kinematics.body_pose(body).translation);
        [b - a, c - b].map(|d| d.normalized().unwrap_or(Vec3::ZERO))
    }
}
