//! Forward kinematics: pose, velocity and acceleration of every body.
//!
//! Computes  world placement, velocity and (classical) acceleration of each body's origin, from q, v, a, in O(n).
//! Source: [F2008 ch. 4-5].
//! We differ: world axes; accelerations are those of points, without gravity.
//! Not here: Jacobians (`jacobian`), which read the result.
//! Checked by: `tests/it/oracle.rs` (Pinocchio placements), `tests/it/trees.rs` (differences in time).

use super::{Placed, at, fit, place};
use crate::model::{BodyIx, BodyJoint, Forest, LinkHandle};
use crate::spatial::{Force, Mat3, Motion, Real, Transform, Vec3};

/// Poses, velocities and accelerations of the bodies of a forest.
#[derive(Clone, Debug, Default)]
pub struct Kinematics<T = f64> {
    pub(super) bodies: Vec<Record<T>>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record<T> {
    pub p: Placed<T>,
    /// origin, world axes
    pub x: Vec3<T>,
    /// velocity of the origin, world axes
    pub v: Motion<T>,
    /// acceleration of the origin, world axes
    pub a: Motion<T>,
}

impl<T: Real> Kinematics<T> {
    /// Places every body. Without `v` velocities are zero; without `a` accelerations are those at zero coordinate
    /// acceleration, the bias accelerations J-dot v.
    pub fn update(&mut self, forest: &Forest, q: &[T], v: Option<&[T]>, a: Option<&[T]>) {
        fit(&mut self.bodies, forest.bodies().len());
        let ws = &mut self.bodies[..];
        ws[0] = Record::default();
        ws[0].p.r = Mat3::identity();
        for (i, b) in forest.bodies().iter().enumerate().skip(1) {
            let up = &ws[b.parent.index()];
            let p = place(b, q, &up.p.r);
            let mut c = Record { p, x: up.x + p.d, ..Record::default() };
            if let Some(v) = v {
                move_with(b.joint, b.iv as usize, up, &mut c, v, a);
            }
            ws[i] = c;
        }
    }

    /// World placement of a body.
    pub fn body_pose(&self, body: BodyIx) -> Transform<T> {
        let c = &self.bodies[body.index()];
        Transform { rotation: c.p.r, translation: c.x }
    }

    /// Velocity of a body about its origin, world axes.
    pub fn body_velocity(&self, body: BodyIx) -> Motion<T> {
        self.bodies[body.index()].v
    }

    /// Acceleration of a body: angular, and that of its origin, world axes.
    pub fn body_acceleration(&self, body: BodyIx) -> Motion<T> {
        self.bodies[body.index()].a
    }
}

impl Kinematics {
    /// World placement of a link.
    pub fn link_pose(&self, forest: &Forest, link: LinkHandle) -> Transform {
        let place = forest.link_place(link);
        self.body_pose(place.body) * place.body_from_link
    }

    /// A force and a torque on a link as external force of its body: `point` is where the force acts, world axes; the
    /// origin of the link where there is none.
    pub fn force_on_link(
        &self,
        forest: &Forest,
        link: LinkHandle,
        point: Option<Vec3>,
        force: Vec3,
        torque: Vec3,
    ) -> (BodyIx, Force) {
        let body = forest.link_place(link).body;
        let point = point.unwrap_or(self.link_pose(forest, link).translation);
        let arm = point - self.body_pose(body).translation;
        (body, Force::at_point(force, arm) + Force::new(torque, Vec3::ZERO))
    }

    /// Velocity of a link: angular, and that of its origin, world axes.
    pub fn link_velocity(&self, forest: &Forest, link: LinkHandle) -> Motion {
        let place = forest.link_place(link);
        let c = &self.bodies[place.body.index()];
        c.v.shifted(c.p.r.mul(place.body_from_link.translation))
    }

    /// Acceleration of a link: angular, and that of its origin, world axes.
    pub fn link_acceleration(&self, forest: &Forest, link: LinkHandle) -> Motion {
        let place = forest.link_place(link);
        let r = self.bodies[place.body.index()].p.r.mul(place.body_from_link.translation);
        self.point_acceleration(place.body, r)
    }

    /// Acceleration of the point of a body that is `r` (world axes) away from its origin.
    pub fn point_acceleration(&self, body: BodyIx, r: Vec3) -> Motion {
        let c = &self.bodies[body.index()];
        let u = Mat3::point_acceleration(c.v.angular, c.a.angular);
        Motion { angular: c.a.angular, linear: c.a.linear + u.mul(r) }
    }
}

/// Velocity and acceleration of a body from its parent's and its own coordinates.
#[inline(always)]
fn move_with<T: Real>(
    joint: BodyJoint,
    iv: usize,
    up: &Record<T>,
    c: &mut Record<T>,
    v: &[T],
    a: Option<&[T]>,
) {
    let p = &c.p;
    let (up_w, up_al) = (up.v.angular, up.a.angular);
    let none = Vec3::default();
    // rates of the joint: turning, sliding, and what turns or slides at zero coordinate acceleration
    let (mut wj, mut sj, mut extra) = (none, none, none);
    let (mut aj, mut tj) = (none, none);
    let one = |x: &[T]| at::<1, T>(x, iv)[0];
    match joint {
        BodyJoint::Revolute(_) => {
            wj = p.e1.times(one(v));
            if let Some(a) = a {
                aj = p.e1.times(one(a));
            }
        }
        BodyJoint::Prismatic(_) => {
            sj = p.e1.times(one(v));
            if let Some(a) = a {
                tj = p.e1.times(one(a));
            }
        }
        BodyJoint::Universal(..) => {
            let [v1, v2] = *at::<2, T>(v, iv);
            wj = p.e2.mad(v2, p.e1.times(v1));
            extra = p.e1.cross(p.e2).times(v1 * v2);
            if let Some(a) = a {
                let [a1, a2] = *at::<2, T>(a, iv);
                aj = p.e2.mad(a2, p.e1.times(a1));
            }
        }
        BodyJoint::Spherical | BodyJoint::Free => {
            let w = Vec3::from_array(at(v, iv));
            wj = p.r.mul(w);
            if let Some(a) = a {
                aj = p.r.mul(Vec3::from_array(at(a, iv)));
            }
            if joint == BodyJoint::Free {
                let lin = Vec3::from_array(at(v, iv + 3));
                let rate = a.map_or(none, |a| Vec3::from_array(at(a, iv + 3)));
                c.v = Motion::new(wj, p.r.mul(lin));
                c.a = Motion::new(aj, p.r.mul(rate + w.cross(lin)));
                return;
            }
        }
    }
    let u = Mat3::point_acceleration(up_w, up_al);
    c.v = Motion::new(up_w + wj, up.v.linear + up_w.cross(p.d) + sj);
    c.a =
        Motion::new(up_al + aj + extra + up_w.cross(wj), up.a.linear + u.mul(p.d) + tj + up_w.cross(sj + sj));
}
