//! Where a plan is in the world: turned about the vertical, then moved.

use super::ground::Print;
use crate::filter::Aim;
use crate::pose;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// A place and a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Course {
    /// where the plan's origin is, m
    pub at: Vec3,
    /// by how much it is turned, rad
    pub turn: f64,
}

impl Course {
    /// The course on which one print is where another one is on this course.
    pub fn onto(&self, print: &Print, other: &Print) -> Course {
        let turn = self.turn + other.yaw - print.yaw;
        Course { at: self.point(other.at) - about(turn).rotate(print.at), turn }
    }

    /// A point of the plan, in the world.
    pub fn point(&self, p: Vec3) -> Vec3 {
        self.at + about(self.turn).rotate(p)
    }

    /// A reference of the plan as it is on the course; `root` is where the coordinates of the figure's root begin.
    pub fn lead(&self, root: usize, aim: &mut Aim) {
        let turn = about(self.turn);
        aim.center = aim.center.map(|c| turn.rotate(c));
        aim.spin = aim.spin.map(|s| turn.rotate(s));
        aim.center[0] += self.at;
        let at = self.point(pose::triple(&aim.q, root));
        aim.q[root..root + 3].copy_from_slice(&at.to_array());
        if self.turn != 0.0 {
            let facing = turn.then(pose::quaternion(&aim.q, root + 3));
            aim.q[root + 3..root + 7].copy_from_slice(&facing.0);
        }
    }
}

fn about(turn: f64) -> Quat {
    if turn == 0.0 { Quat::IDENTITY } else { Quat::about(vec3(0.0, 0.0, 1.0), turn) }
}
