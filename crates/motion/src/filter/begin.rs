//! Where the figure begins: at the reference, with what touches on the ground and at rest.
//!
//! Computes the pose nearest to the reference whose points that touch are at the height of the ground, by a few steps of
//! damped least squares, and the velocities nearest to the reference's with which these points rest.

use super::aim::Aim;
use super::body::Body;
use super::dense::Normal;
use crate::pose;

/// Steps towards the pose.
const STEPS: usize = 8;
/// Points farther from the ground than this are not brought to it, m.
const FAR: f64 = 0.08;
/// Weight of a point against that of a joint, 1/m2.
const POINT: f64 = 1e6;
/// Weight of the root against that of a joint.
const ROOT: f64 = 10.0;

impl Body {
    /// Puts the figure where the reference is.
    pub fn start(&mut self, aim: &Aim) {
        self.q.copy_from_slice(&aim.q);
        self.v.copy_from_slice(&aim.v);
        self.is_lost = false;
        self.forget();
        for step in 0..=STEPS {
            let forest = self.figure.forest();
            self.wanted.follow(forest, &self.q, &self.v, &aim.a);
            for limb in &mut self.limbs {
                limb.update(forest, &self.wanted, &self.wanted);
            }
            let is_last = step == STEPS;
            let mut normal = core::mem::take(&mut self.normal);
            self.near(&mut normal, aim, is_last);
            normal.factor();
            self.way.copy_from_slice(&normal.g);
            normal.solve_transposed(&mut self.way);
            normal.solve_upper(&mut self.way);
            self.normal = normal;
            if is_last {
                self.v.iter_mut().zip(&self.way).for_each(|(v, d)| *v += d);
                self.now.follow(self.figure.forest(), &self.q, &self.v, &aim.a);
            } else {
                // ways of free joints are in world axes, Jacobians in the body's
                pose::free_ways_to_world(forest, &self.q, &mut self.way);
                let from = self.q.clone();
                pose::along(forest, &from, &self.way, 1.0, &mut self.q);
            }
        }
    }

    fn near(&self, normal: &mut Normal, aim: &Aim, of_velocity: bool) {
        normal.clear(self.figure.forest().nv());
        for (k, weight) in self.joint_weights.iter().enumerate() {
            normal.add_one(k, if *weight > 0.0 { 1.0 } else { ROOT }, 0.0);
        }
        for limb in &self.limbs {
            let origin = self.wanted.kinematics.body_pose(limb.body).translation;
            for c in limb.contacts.iter().filter(|c| aim.on[c.place]) {
                let (floor, arm) = (aim.floor[c.place], c.now.at - origin);
                let (above, up) = (floor.above(c.now.at), floor.normal());
                if above.abs() > FAR {
                    continue;
                }
                let column = |i: usize| {
                    let m = limb.jacobian[i];
                    m.linear + m.angular.cross(arm)
                };
                if of_velocity {
                    let b = c.now.velocity.scale(-1.0).to_array();
                    normal.add(&limb.path, |i| column(i).to_array(), [POINT; 3], b);
                } else {
                    normal.add(&limb.path, |i| [up.dot(column(i))], [POINT], [-above]);
                }
            }
        }
    }
}
