//! What is wanted of links, how far it is, and how it changes with the joints.

use crate::error::Error;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::algo::jacobian;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Motion, Quat, Vec3};

/// What is wanted of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// a point of it is at a place
    Place {
        /// which link
        link: LinkHandle,
        /// in link axes, m
        point: Vec3,
        /// in the world, m
        at: Vec3,
    },
    /// it is turned so
    Turn {
        /// which link
        link: LinkHandle,
        /// world from link
        to: Quat,
    },
    /// a direction of it points so; it may turn about that
    Direction {
        /// which link
        link: LinkHandle,
        /// unit vector in link axes
        axis: Vec3,
        /// unit vector in the world
        to: Vec3,
    },
}

/// A goal, when it counts and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// what is wanted
    pub goal: Goal,
    /// levels count one after the other, the lowest first
    pub level: u8,
    /// among tasks of its level
    pub weight: f64,
}

impl Goal {
    fn link(&self) -> LinkHandle {
        match *self {
            Goal::Place { link, .. } | Goal::Turn { link, .. } | Goal::Direction { link, .. } => link,
        }
    }

    /// The way to it: m along, or rad about, world axes.
    pub(super) fn error(&self, figure: &Figure, kinematics: &Kinematics) -> Vec3 {
        let pose = kinematics.link_pose(figure.forest(), self.link());
        match *self {
            Goal::Place { point, at, .. } => at - pose.point(point),
            Goal::Turn { to, .. } => to.normalized().then(pose.orientation().inverse()).log(),
            Goal::Direction { axis, to, .. } => turn_between(pose.rotation.mul(axis), to),
        }
    }
}

impl Task {
    /// Refuses what cannot be computed with.
    pub(super) fn check(&self, figure: &Figure) -> Result<(), Error> {
        let name = &figure.link(self.goal.link())?.spec.name;
        let is_finite = match self.goal {
            Goal::Place { point, at, .. } => point.is_finite() && at.is_finite(),
            Goal::Turn { to, .. } => to.is_finite() && to.norm() > 0.0,
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

    /// Its three rows for velocities, each with its error, weighted.
    pub(super) fn linearise(
        &self,
        figure: &Figure,
        kinematics: &Kinematics,
        columns: &mut [Motion],
        mut add: impl FnMut(&mut dyn Iterator<Item = f64>, f64),
    ) {
        let (point, along) = match self.goal {
            Goal::Place { point, .. } => (point, None),
            Goal::Turn { .. } => (Vec3::ZERO, None),
            Goal::Direction { to, .. } => (Vec3::ZERO, to.normalized()),
        };
        jacobian::of_link_point(figure.forest(), kinematics, self.goal.link(), point, columns);
        let (error, weight) = (self.goal.error(figure, kinematics).to_array(), self.weight.sqrt());
        for (axis, e) in error.into_iter().enumerate() {
            let mut row = columns.iter().map(|c| match self.goal {
                Goal::Place { .. } => c.linear.to_array()[axis] * weight,
                _ => {
                    // a turn about the direction itself changes nothing
                    let free = along.map_or(Vec3::ZERO, |d| d.scale(d.dot(c.angular)));
                    (c.angular - free).to_array()[axis] * weight
                }
            });
            add(&mut row, e * weight);
        }
    }
}

/// The shortest turn from one direction to another, as a rotation vector.
fn turn_between(from: Vec3, to: Vec3) -> Vec3 {
    let (Some(from), Some(to)) = (from.normalized(), to.normalized()) else { return Vec3::ZERO };
    pose::shortest(from, to, from.any_perpendicular()).log()
}
