//! Tasks: goals for links with their errors and Jacobians.

use crate::error::Error;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::algo::jacobian;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Motion, Quat, Vec3};

/// Goal for a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// position of a point
    Position {
        /// the link
        link: LinkHandle,
        /// in link axes, m
        point: Vec3,
        /// in the world, m
        at: Vec3,
    },
    /// orientation
    Orientation {
        /// the link
        link: LinkHandle,
        /// world from link
        to: Quat,
    },
    /// direction of an axis, free about it
    Direction {
        /// the link
        link: LinkHandle,
        /// unit vector in link axes
        axis: Vec3,
        /// unit vector in the world
        to: Vec3,
    },
}

/// A goal with priority and weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// the goal
    pub goal: Goal,
    /// priority level; lower levels take precedence
    pub level: u8,
    /// weight within its level
    pub weight: f64,
}

impl Goal {
    fn link(&self) -> LinkHandle {
        match *self {
            Goal::Position { link, .. } | Goal::Orientation { link, .. } | Goal::Direction { link, .. } => {
                link
            }
        }
    }

    /// Error vector, m along or rad about world axes.
    pub(super) fn error(&self, figure: &Figure, kinematics: &Kinematics) -> Vec3 {
        let pose = kinematics.link_pose(figure.forest(), self.link());
        match *self {
            Goal::Position { point, at, .. } => at - pose.point(point),
            Goal::Orientation { to, .. } => to.normalized().then(pose.orientation().inverse()).log(),
            Goal::Direction { axis, to, .. } => rotation_between(pose.rotation.mul(axis), to),
        }
    }
}

impl Task {
    /// Refuses values that are not finite and negative weights.
    pub(super) fn check(&self, figure: &Figure) -> Result<(), Error> {
        let name = &figure.link(self.goal.link())?.spec.name;
        let is_finite = match self.goal {
            Goal::Position { point, at, .. } => point.is_finite() && at.is_finite(),
            Goal::Orientation { to, .. } => to.is_finite() && to.norm() > 0.0,
            Goal::Direction { axis, to, .. } => axis.is_finite() && to.is_finite(),
        };
        if !is_finite {
            let what = format!("goal of link `{name}`");
            return Err(Error::OutOfRange { what, value: f64::NAN, expected: "finite numbers" });
        }
        if !(self.weight >= 0.0 && self.weight.is_finite()) {
            let what = format!("weight of a task of link `{name}`");
            return Err(Error::OutOfRange { what, value: self.weight, expected: "zero or more" });
        }
        Ok(())
    }

    /// Weighted Jacobian rows with their errors.
    pub(super) fn linearise(
        &self,
        figure: &Figure,
        kinematics: &Kinematics,
        columns: &mut [Motion],
        mut add: impl FnMut(&mut dyn Iterator<Item = f64>, f64),
    ) {
        let (point, along) = match self.goal {
            Goal::Position { point, .. } => (point, None),
            Goal::Orientation { .. } => (Vec3::ZERO, None),
            Goal::Direction { to, .. } => (Vec3::ZERO, to.normalized()),
        };
        jacobian::of_link_point(figure.forest(), kinematics, self.goal.link(), point, columns);
        let (error, weight) = (self.goal.error(figure, kinematics).to_array(), self.weight.sqrt());
        for (axis, e) in error.into_iter().enumerate() {
            let mut row = columns.iter().map(|c| match self.goal {
                Goal::Position { .. } => c.linear.to_array()[axis] * weight,
                _ => {
                    // rotation about the direction itself is free
                    let free = along.map_or(Vec3::ZERO, |d| d.scale(d.dot(c.angular)));
                    (c.angular - free).to_array()[axis] * weight
                }
            });
            add(&mut row, e * weight);
        }
    }
}

/// Shortest rotation from one direction to another, as a rotation vector.
fn rotation_between(from: Vec3, to: Vec3) -> Vec3 {
    let (Some(from), Some(to)) = (from.normalized(), to.normalized()) else { return Vec3::ZERO };
    pose::shortest(from, to, from.any_perpendicular()).log()
}
