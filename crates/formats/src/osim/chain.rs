//! One joint of the file as joints of the figure: a free or spherical one, or a chain of revolute and prismatic ones.
//!
//! Joint frames keep the axes of the file, link frames are rotated to z up: with P and C the joint's frames on parent and
//! child and U the rotation, parent_from_joint = U P and child_from_joint = U C.

use super::axis::Axis;
use super::build::Tree;
use super::coordinates::{By, Line, Travel, Turns};
use super::joint::DeclaredJoint;
use super::z_up_from_y_up;
use crate::error::Error;
use crate::mjcf::chain::{Motion, free_coordinates};
use anthropi_dynamics::joint::{Dof, JointKind, MAX_NQ, Range};
use anthropi_dynamics::model::{BASE_NAME, JointSpec, LinkHandle, LinkSpec};
use anthropi_dynamics::spatial::{Axis as Direction, Inertia, RotationOrder, Transform};
use std::f64::consts::PI;

/// Least volume spanned by three translation axes; below it they are dependent.
const LEAST_VOLUME: f64 = 1e-6;

impl Tree<'_> {
    /// The motion of a body with six free coordinates relative to ground.
    pub fn travel(&self, joint: &DeclaredJoint, slides: &[Axis], turns: &[Axis]) -> Option<Travel> {
        let is_locked = |c: usize| self.joints.coordinates[c].is_locked;
        let mut used = Vec::new();
        let mut line = |axis: &Axis| {
            let (coordinate, slope, intercept) = axis.line()?;
            let is_new = !used.contains(&coordinate) && !is_locked(coordinate);
            used.push(coordinate);
            is_new.then_some((axis.direction, Line { coordinate, slope, intercept }))
        };
        let (slides, turns) = (<&[Axis; 3]>::try_from(slides).ok()?, <&[Axis; 3]>::try_from(turns).ok()?);
        let [Some(s0), Some(s1), Some(s2)] = slides.each_ref().map(&mut line) else { return None };
        let [Some(t0), Some(t1), Some(t2)] = turns.each_ref().map(&mut line) else { return None };
        // translations in a plane do not reach all positions
        let volume = s0.0.cross(s1.0).dot(s2.0).abs();
        if joint.parent.body.is_some() || volume < LEAST_VOLUME {
            return None;
        }
        Some(Travel {
            world_from_joint: z_up_from_y_up() * joint.parent.body_from_frame,
            link_from_joint: z_up_from_y_up() * joint.child_from_joint,
            slides: [s0, s1, s2],
            turns: Turns { axes: [t0.0, t1.0, t2.0], by: [t0.1, t1.1, t2.1] },
        })
    }

    /// A free joint.
    pub fn free(&mut self, joint: &DeclaredJoint, travel: Travel) -> Result<LinkHandle, Error> {
        let values: Vec<f64> = self.joints.coordinates.iter().map(|c| c.default).collect();
        let mut spec = JointSpec::new(self.names.joint(BASE_NAME), JointKind::Free);
        spec.home = Some(free_coordinates(&travel.pose(&values)));
        let link = self.put(joint, self.body_link(joint), spec)?;
        self.moved.push((link, By::Free(Box::new(travel))));
        Ok(link)
    }

    /// A spherical joint.
    pub fn ball(&mut self, joint: &DeclaredJoint, first: usize, is_idle: bool) -> Result<LinkHandle, Error> {
        let line = |k: usize| Line { coordinate: first + k, slope: 1.0, intercept: 0.0 };
        let axes = RotationOrder::Xyz.axes().map(Direction::unit);
        let turns = Turns { axes, by: [line(0), line(1), line(2)] };
        let mut spec = JointSpec::new(self.names.joint(joint.node.title()), JointKind::Spherical);
        spec.order = RotationOrder::Xyz;
        spec.dof = [0, 1, 2].map(|k| self.dof(first + k, 1.0, is_idle));
        let [a, b, c] = [0, 1, 2].map(|k| self.joints.coordinates[first + k].default);
        let mut home = [0.0; MAX_NQ];
        home[..4].copy_from_slice(&spec.order.quat([a, b, c]).0);
        spec.home = Some(home);
        spec.parent = joint.parent.body.and_then(|b| self.links[b]);
        spec.parent_from_joint = z_up_from_y_up() * joint.parent.body_from_frame;
        spec.child_from_joint = z_up_from_y_up() * joint.child_from_joint;
        let link = self.put(joint, self.body_link(joint), spec)?;
        self.moved.push((link, By::Ball(turns)));
        Ok(link)
    }

    /// One link per coordinate, the last one for the body; a fixed joint without coordinates.
    pub fn chain(
        &mut self,
        joint: &DeclaredJoint,
        slides: &[Axis],
        turns: &[Axis],
        is_idle: bool,
    ) -> Result<LinkHandle, Error> {
        let (steps, after) = self.steps(joint, slides, turns);
        let mut parent = joint.parent.body.and_then(|b| self.links[b]);
        let Some((last, others)) = steps.split_last() else {
            let mut spec = JointSpec::new(self.names.joint(joint.node.title()), JointKind::Fixed);
            (spec.parent, spec.parent_from_joint) = (parent, after);
            return self.put(joint, self.body_link(joint), spec);
        };
        // translations relative to ground are not actuated
        let drifts = joint.parent.body.is_none() && steps.iter().any(|s| !s.motion.is_hinge());
        let body = self.bodies.list[joint.child].name;
        for step in others {
            let spec = self.single(step, parent, drifts, is_idle);
            let link = LinkSpec::new(self.names.link(&format!("{body}/{}", spec.name)), Inertia::ZERO);
            let link = self.put(joint, link, spec)?;
            self.moved.push((link, By::Single(step.line)));
            parent = Some(link);
        }
        let mut spec = self.single(last, parent, drifts, is_idle);
        spec.child_from_joint = after.inverse();
        let link = self.put(joint, self.body_link(joint), spec)?;
        self.moved.push((link, By::Single(last.line)));
        Ok(link)
    }

    /// The joint of one coordinate.
    fn single(&mut self, step: &Step, parent: Option<LinkHandle>, drifts: bool, is_idle: bool) -> JointSpec {
        let coordinate = &self.joints.coordinates[step.line.coordinate];
        let mut spec = JointSpec::new(self.names.single(coordinate), step.motion.kind());
        (spec.parent, spec.parent_from_joint) = (parent, step.before);
        spec.dof[0] = self.dof(step.line.coordinate, step.line.slope, is_idle);
        let mut home = [0.0; MAX_NQ];
        home[0] = step.line.slope * coordinate.default;
        spec.home = Some(home);
        spec.actuated &= !drifts;
        spec
    }

    /// Elementary motions with the constant placement before each, and the constant placement after all.
    fn steps(&mut self, joint: &DeclaredJoint, slides: &[Axis], turns: &[Axis]) -> (Vec<Step>, Transform) {
        // a coordinate moves its first linear axis, rotations before translations; others are frozen
        let mut claimed: Vec<(usize, &Axis)> = Vec::new();
        for axis in turns.iter().chain(slides) {
            if let Some((c, ..)) = axis.line()
                && claimed.iter().all(|(other, _)| *other != c)
            {
                claimed.push((c, axis));
            }
        }
        let mut before = z_up_from_y_up() * joint.parent.body_from_frame;
        let mut steps = Vec::new();
        let slides = slides.iter().map(|a| (a, Motion::Slide(a.direction)));
        for (axis, motion) in slides.chain(turns.iter().map(|a| (a, Motion::Hinge(a.direction)))) {
            let is_free = claimed.iter().any(|(_, claim)| std::ptr::eq(*claim, axis));
            let Some((coordinate, slope, intercept)) = axis.line().filter(|_| is_free) else {
                before = before * motion.at(self.frozen(joint, axis, motion));
                continue;
            };
            let motion_up = match motion {
                Motion::Slide(axis) if slope < 0.0 => Motion::Slide(-axis),
                Motion::Hinge(axis) if slope < 0.0 => Motion::Hinge(-axis),
                same => same,
            };
            if slope.abs() != 1.0 {
                let name = &self.joints.coordinates[coordinate].name;
                let what = format!("q of the joint {name} is {} times its coordinate", slope.abs());
                self.warnings.push(joint.node.warn(what));
            }
            let line = Line { coordinate, slope: slope.abs(), intercept: 0.0 };
            before = before * motion.at(intercept);
            steps.push(Step { before: std::mem::take(&mut before), motion: motion_up, line });
        }
        (steps, before * (z_up_from_y_up() * joint.child_from_joint).inverse())
    }

    /// Value of an axis that does not become a joint; a warning if it moves.
    fn frozen(&mut self, joint: &DeclaredJoint, axis: &Axis, motion: Motion) -> f64 {
        let Some(c) = axis.coordinate.map(|c| &self.joints.coordinates[c]) else {
            return axis.function.value(0.0);
        };
        let range = c.range.unwrap_or(Range { lower: -PI, upper: PI });
        let at = if (range.lower..=range.upper).contains(&0.0) { 0.0 } else { c.default };
        let value = axis.function.value(at);
        let far = axis.function.deviation(at, range);
        if far > 0.0 {
            let (motion, unit, per_unit) = if motion.is_hinge() {
                ("rotation about", "degrees", 180.0 / PI)
            } else {
                ("translation along", "mm", 1e3)
            };
            let [x, y, z] = axis.direction.to_array();
            let (value, far) = (value * per_unit, far * per_unit);
            let what = format!(
                "the {motion} ({x} {y} {z}) by {} is frozen at {value:.2} {unit}, its value at {at}; \
                 over the range it deviates by up to {far:.2} {unit}",
                c.name
            );
            self.warnings.push(joint.node.warn(what));
        }
        value
    }

    fn dof(&self, coordinate: usize, slope: f64, is_idle: bool) -> Dof {
        let c = &self.joints.coordinates[coordinate];
        let range = c.range.map(|r| Range { lower: slope * r.lower, upper: slope * r.upper });
        Dof { range, locked: c.is_locked || is_idle, ..Dof::default() }
    }
}

/// An elementary motion of a chain.
struct Step {
    before: Transform,
    motion: Motion,
    line: Line,
}
