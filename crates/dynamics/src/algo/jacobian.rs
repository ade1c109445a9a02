//! Jacobians of points of links, and their bias accelerations.
//!
//! Computes  J with  velocity of the point = J v,  and  J-dot v.
//! Source: [F2008 §4.2]; [NY2000 §II] uses them for loops.
//! We differ: columns are motions in world axes, about the point itself.
//! Not here: loops, whose Jacobian is a difference of these (`constraint::Closure`).
//! Cost: O(depth) nonzero columns.
//! Checked by: `tests/it/trees.rs` (J v against kinematics, differences in time).

use super::fk::Kinematics;
use crate::model::{BodyIx, BodyJoint, Forest, LinkHandle};
use crate::spatial::{Mat3, Motion, Vec3};

/// Columns of the Jacobian of a point of a link, given in link axes. `columns` has one entry a degree of freedom.
pub fn of_link_point(
    forest: &Forest,
    kinematics: &Kinematics,
    link: LinkHandle,
    point_in_link: Vec3,
    columns: &mut [Motion],
) {
    let body = forest.link_place(link).body;
    let point = kinematics.link_pose(forest, link).point(point_in_link);
    of_body_point(forest, kinematics, body, point, columns);
}

/// Columns of the Jacobian of the point of a body that is now at `point` in the world.
pub fn of_body_point(
    forest: &Forest,
    kinematics: &Kinematics,
    body: BodyIx,
    point: Vec3,
    columns: &mut [Motion],
) {
    columns.fill(Motion::default());
    let mut at = body;
    while at != BodyIx::WORLD {
        let (b, c) = (&forest.bodies()[at.index()], &kinematics.bodies[at.index()]);
        let arm = point - c.x;
        let turning = |e: Vec3| Motion::new(e, e.cross(arm));
        let sliding = |e: Vec3| Motion::new(Vec3::ZERO, e);
        let (r, own): (&Mat3, _) = (&c.p.r, &mut columns[b.iv as usize..]);
        match b.joint {
            BodyJoint::Revolute(_) => own[0] = turning(c.p.e1),
            BodyJoint::Prismatic(_) => own[0] = sliding(c.p.e1),
            BodyJoint::Universal(..) => {
                own[0] = turning(c.p.e1);
                own[1] = turning(c.p.e2);
            }
            BodyJoint::Spherical | BodyJoint::Free => {
                for (k, e) in [r.x, r.y, r.z].into_iter().enumerate() {
                    own[k] = turning(e);
                    if b.joint == BodyJoint::Free {
                        own[k + 3] = sliding(e);
                    }
                }
            }
        }
        at = b.parent;
    }
}

/// J-dot v of a point of a link: its acceleration when no coordinate accelerates. `kinematics` must have been updated
/// with v and without a.
pub fn bias_of_link_point(
    forest: &Forest,
    kinematics: &Kinematics,
    link: LinkHandle,
    point_in_link: Vec3,
) -> Motion {
    let place = forest.link_place(link);
    let r = kinematics.body_pose(place.body).rotation.mul(place.body_from_link.point(point_in_link));
    kinematics.point_acceleration(place.body, r)
}
