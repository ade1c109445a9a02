//! Initial state: at the reference, with points in contact on the ground and at rest.
//!
//! Computes the pose nearest to the reference with the points in contact at ground height, by a few damped least-squares
//! steps, then the velocities nearest to those of the reference with these points at rest.

use super::normal_equations::NormalEquations;
use super::reference::ReferenceSample;
use super::simulated_body::SimulatedBody;
use crate::pose;
use anthropi_dynamics::spatial::Motion;

/// Least-squares steps.
const STEPS: usize = 8;
/// Points farther from the ground than this are ignored, m.
const MAX_HEIGHT: f64 = 0.08;
/// Weight of a point against a joint, 1/m2, and of the root against a joint.
const POINT_WEIGHT: f64 = 1e6;
const ROOT_WEIGHT: f64 = 10.0;
/// Weight of the momentum by mass against a joint, s2/m2.
const MOMENTUM_WEIGHT: f64 = 1e5;

impl SimulatedBody {
    /// Sets the state from the reference.
    pub fn start(&mut self, reference: &ReferenceSample) {
        self.q.copy_from_slice(&reference.q);
        self.v.copy_from_slice(&reference.v);
        self.has_diverged = false;
        self.reset();
        for step in 0..=STEPS {
            let forest = self.figure.forest();
            self.desired.update_motion(forest, &self.q, &self.v, &reference.a);
            for limb in &mut self.limbs {
                limb.update(forest, &self.desired, &self.desired);
            }
            let is_last = step == STEPS;
            if is_last && self.is_replanned {
                self.now.update(self.figure.forest(), self.root, &self.q, &self.v);
            }
            let mut normal = core::mem::take(&mut self.normal);
            self.assemble(&mut normal, reference, is_last);
            normal.factor();
            self.delta.copy_from_slice(&normal.g);
            normal.solve(&mut self.delta);
            self.normal = normal;
            if is_last {
                self.v.iter_mut().zip(&self.delta).for_each(|(v, d)| *v += d);
                self.now.update_motion(self.figure.forest(), &self.q, &self.v, &reference.a);
            } else {
                // displacements of free joints are in world axes, Jacobians in body axes
                pose::free_travel_to_world(forest, &self.q, &mut self.delta);
                let from = self.q.clone();
                pose::along(forest, &from, &self.delta, 1.0, &mut self.q);
            }
        }
    }

    fn assemble(&self, normal: &mut NormalEquations, reference: &ReferenceSample, of_velocity: bool) {
        normal.clear(self.figure.forest().nv());
        for (k, weight) in self.joint_weights.iter().enumerate() {
            normal.add_one(k, if *weight > 0.0 { 1.0 } else { ROOT_WEIGHT }, 0.0);
        }
        if of_velocity && self.is_replanned {
            // momentum is that of the plan
            let (mass, momentum) = (self.figure.mass(), &self.now.momentum);
            let turn = reference.angular_momentum[0] - self.now.angular_momentum;
            let miss = Motion::new(turn.scale(1.0 / mass), reference.com[1] - self.now.velocity);
            let columns = |i: usize| momentum[i].times(1.0 / mass).to_array();
            normal.add(&self.all_dofs, columns, [MOMENTUM_WEIGHT; 6], miss.to_array());
        }
        for limb in &self.limbs {
            for c in limb.contacts.iter().filter(|c| reference.in_contact[c.contact_point]) {
                let (floor, arm) = (reference.floor[c.contact_point], self.desired.arm(limb.body, c.now.at));
                let (above, up) = (floor.above(c.now.at), floor.normal());
                if above.abs() > MAX_HEIGHT || !limb.is_low(c) {
                    continue;
                }
                let (dofs, column) = (&limb.jacobian.dofs, |i: usize| limb.jacobian.of_point(i, arm));
                if of_velocity {
                    let b = c.now.velocity.scale(-1.0).to_array();
                    normal.add(dofs, |i| column(i).to_array(), [POINT_WEIGHT; 3], b);
                } else {
                    normal.add(dofs, |i| [up.dot(column(i))], [POINT_WEIGHT], [-above]);
                }
            }
        }
    }
}
