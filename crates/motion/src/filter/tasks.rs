//! Tasks: desired accelerations of a step as weighted least-squares rows.
//!
//! Each task is a few rows  J a = desired - J' v  with a weight; feedback is critically damped:
//!     desired = reference + 2 k (velocity error) + k^2 (error)                                  [NY2000F eq. 3, 4]
//! Joints, trunk, centre of mass, angular momentum, swing feet, points in contact, soles coming down.

use super::contact_state::{ContactState, EndEffector, LIFT_SPEED, TOUCH_HEIGHT};
use super::reference::{ReferenceSample, along};
use super::simulated_body::SimulatedBody;
use crate::pose;
use anthropi_dynamics::spatial::{Motion, Vec3, vec3};

/// Limits of the reference acceleration of a joint, rad/s2 or m/s2: captured, and planned (runs need more).
pub(crate) const MAX_ACCELERATION: f64 = 400.0;
const MAX_ACCELERATION_PLANNED: f64 = 3000.0;
/// Least weight of a coordinate, so that the root is never undetermined.
const MIN_WEIGHT: f64 = 1e-6;
/// Height below which hands and segments in contact come down, m.
const SEGMENT_HEIGHT: f64 = 0.05;
/// Weight of the other axes of ball joints that bend like hinges, against one joint.
const HINGE_WEIGHT: f64 = 30.0;
/// Least downward speed of a late foot, m/s.
const LATE_SPEED: f64 = 0.4;
/// A planned landing is made up for in this time, s, at most at this speed, m/s.
const LANDING_TIME: f64 = 0.024;
const LANDING_SPEED: f64 = 1.0;
/// Errors of a foot that is about to land decay by this exponent until it does; at most at the rate, 1/s.
const LANDING_PRECISION: f64 = 2.5;
const MAX_LANDING_RATE: f64 = 80.0;
/// The rest of a sole comes down at its height over this time, s, between these speeds, m/s, with this feedback rate, 1/s.
const DOWN_TIME: f64 = 0.02;
const DOWN_SPEED: [f64; 2] = [0.25, 1.2];
const DOWN_RATE: f64 = 60.0;
/// Ground clearance of points not in contact, m; it is kept at this rate, 1/s, by points lower than the third, m, that
/// would violate it within this time, s.
pub(crate) const CLEARANCE: f64 = 0.004;
const CLEARANCE_RATE: f64 = 60.0;
const CLEARANCE_HEIGHT: f64 = 0.02;
const CLEARANCE_TIME: f64 = 0.04;
/// Points that the reference lifts do so at this rate, 1/s, from below this height, m.
const LIFT_RATE: f64 = 25.0;
const LIFT_HEIGHT: f64 = 4.0 * TOUCH_HEIGHT;
/// Part of a penetrating velocity that one step stops.
const STOPPED_PART: f64 = 0.7;
/// Least factor on the stance task of a contact being released.
const MIN_HOLDING: f64 = 0.01;

impl SimulatedBody {
    /// Assembles all tasks; `part` scales the weight of the stance task.
    pub(super) fn assemble_tasks(&mut self, reference: &ReferenceSample, dt: f64, part: f64) {
        self.normal.clear(self.figure.forest().nv());
        self.add_joint_task(reference);
        self.add_trunk_task();
        self.add_momentum_task(reference);
        self.add_stance_task(dt, part);
        self.add_swing_task(reference);
        self.add_sole_tasks(reference);
    }

    fn add_joint_task(&mut self, reference: &ReferenceSample) {
        let forest = self.figure.forest();
        let (k, d) = (self.gains.joint, 2.0 * self.gains.damping * self.gains.joint);
        let limit = if reference.is_planned { MAX_ACCELERATION_PLANNED } else { MAX_ACCELERATION };
        pose::difference(forest, &self.q, &reference.q, &mut self.delta);
        for (n, weight) in self.joint_weights.iter().enumerate() {
            let ahead = reference.a[n].clamp(-limit, limit);
            let desired = ahead + d * (reference.v[n] - self.v[n]) + k * k * self.delta[n];
            self.normal.add_one(n, weight.max(MIN_WEIGHT), if *weight > 0.0 { desired } else { 0.0 });
        }
        // ball joints that bend like hinges keep to the other axes
        for (iv, axis) in &self.hinges {
            let sides = [axis.any_perpendicular(), axis.cross(axis.any_perpendicular())];
            let [x, v, a] = [&self.delta, &self.v, &reference.v].map(|values| pose::triple(values, *iv));
            let ahead = pose::triple(&reference.a, *iv);
            let desired = ahead + (a - v).scale(d) + x.scale(k * k);
            let dofs = [0, 1, 2].map(|i| (iv + i) as u32);
            let columns = |n: usize| sides.map(|side| side.to_array()[n - iv]);
            self.normal.add(&dofs, columns, [HINGE_WEIGHT; 2], sides.map(|side| side.dot(desired)));
        }
    }

    fn add_trunk_task(&mut self) {
        let (forest, k, w) = (self.figure.forest(), self.gains.trunk, self.gains.trunk_weight);
        let rates = [k, 2.0 * self.gains.damping * k];
        for t in &mut self.trunk {
            t.update(forest, &self.now);
            let b = self.now.feedback(&self.desired, t.body, Vec3::ZERO, rates).angular;
            self.normal.add(&t.dofs, |i| t.columns[i].angular.to_array(), [w; 3], b.to_array());
        }
    }

    /// Centre of mass and angular momentum.
    fn add_momentum_task(&mut self, reference: &ReferenceSample) {
        let gains = self.gains;
        let mass = self.figure.mass();
        let gravity = self.figure.forest().gravity();
        let [desired, velocity, ahead] = reference.com;
        let desired = desired + self.lean_offset;
        let (error, speed) = (desired - self.now.com, velocity - self.now.velocity);
        let feedback = |k: f64, at: f64, v: f64| 2.0 * k * v + k * k * at;
        let clip = |x: f64, limit: f64| x.clamp(-limit * gravity.norm(), limit * gravity.norm());
        let back = vec3(
            clip(feedback(gains.com_horizontal, error.x, speed.x), gains.max_com_feedback[0]),
            clip(feedback(gains.com_horizontal, error.y, speed.y), gains.max_com_feedback[0]),
            clip(feedback(gains.com_vertical, error.z, speed.z), gains.max_com_feedback[1]),
        );
        // bias holds the rate of momentum less gravity
        let bias = self.now.bias.linear.scale(1.0 / mass) + gravity;
        let b = ahead + back - bias;
        let turn = reference.angular_momentum[1].scale(gains.angular_momentum_feedforward)
            + (reference.angular_momentum[0] - self.now.angular_momentum).scale(gains.angular_momentum);
        let turn = (turn - self.now.bias.angular).scale(1.0 / mass);
        let momentum = &self.now.momentum;
        let columns = |i: usize| momentum[i].times(1.0 / mass).to_array();
        let (ws, wc) = (gains.angular_momentum_weight, gains.center_weight);
        self.normal.add(&self.all_dofs, columns, [ws, ws, ws, wc, wc, wc], Motion::new(turn, b).to_array());
    }

    fn add_stance_task(&mut self, dt: f64, part: f64) {
        let (k, weight) = (self.gains.contact_velocity, self.gains.contact_weight);
        // a penetrating velocity is stopped as fast as the step allows
        let stop = (STOPPED_PART / dt).max(k);
        for limb in &self.limbs {
            for c in limb.contacts.iter().filter(|c| c.is_active) {
                let arm = self.now.arm(limb.body, c.now.at);
                let error = c.anchor - c.now.at;
                let back = error.scale(self.gains.contact_position) + limb.pivot_velocity(c) - c.now.velocity;
                let normal = c.floor.normal();
                let up = normal.dot(back);
                let rate = along(normal, back).scale(k) + normal.scale(if up > 0.0 { stop } else { k } * up);
                let b = rate - c.now.acceleration;
                let weight = part * weight * c.stance().max(MIN_HOLDING);
                let columns = |i: usize| limb.jacobian.of_point(i, arm).to_array();
                self.normal.add(&limb.jacobian.dofs, columns, [weight; 3], b.to_array());
            }
        }
    }

    /// Swing feet track the reference, shifted by the capture-point error.
    fn add_swing_task(&mut self, reference: &ReferenceSample) {
        let gains = self.gains;
        let (k, d) = (gains.swing, 2.0 * gains.damping * gains.swing);
        let [wp, wo] = gains.swing_weight;
        for limb in self.limbs.iter().filter(|l| l.is_foot && !l.is_in_contact()) {
            let [now, mut desired] = [&self.now, &self.desired].map(|t| t.point(limb.body, Vec3::ZERO));
            let mut to = desired.at + limb.shift - now.at;
            let mut speed = desired.velocity + limb.shift_rate - now.velocity;
            if limb.contacts.iter().any(|c| reference.in_contact[c.contact_point]) {
                // late: reach straight down at a steady speed
                to.z = 0.0;
                let speed_of_late =
                    if self.is_replanned { self.landing_speed(limb, reference) } else { LATE_SPEED };
                speed.z = desired.velocity.z.min(-speed_of_late) - now.velocity.z;
                desired.acceleration.z = 0.0;
            }
            // a foot that is about to land is where and when the plan counts on it
            let landing = self.landing_rate(limb, reference).max(k);
            let (k_l, d_l) = (landing, d / k * landing);
            let wp = wp * (landing / k).powi(2);
            let linear = desired.acceleration + speed.scale(d_l) + to.scale(k_l * k_l) - now.acceleration;
            let turn = self.now.feedback(&self.desired, limb.body, Vec3::ZERO, [k, d]).angular;
            let (columns, b) = (&limb.jacobian.columns, Motion::new(turn, linear).to_array());
            self.normal.add(&limb.jacobian.dofs, |i| columns[i].to_array(), [wo, wo, wo, wp, wp, wp], b);
        }
    }

    /// Feedback rate of a foot in the air that lands soon or is late, 1/s.
    fn landing_rate(&self, limb: &EndEffector, reference: &ReferenceSample) -> f64 {
        if !self.is_replanned {
            return 0.0;
        }
        let until = |c: &ContactState| match reference.in_contact[c.contact_point] {
            true => 0.0,
            false => reference.until_change(c.contact_point),
        };
        let until = limb.contacts.iter().map(until).fold(f64::INFINITY, f64::min);
        (LANDING_PRECISION / until).min(MAX_LANDING_RATE)
    }

    /// Speed at which a late foot comes down: the plan counts on it.
    fn landing_speed(&self, limb: &EndEffector, reference: &ReferenceSample) -> f64 {
        let above = limb.contacts.iter().map(|c| reference.floor[c.contact_point].above(c.now.at));
        (above.fold(f64::INFINITY, f64::min) / LANDING_TIME).clamp(LATE_SPEED, LANDING_SPEED)
    }

    /// The rest of a sole in contact comes down; other points keep clear of the ground.
    fn add_sole_tasks(&mut self, reference: &ReferenceSample) {
        let gains = self.gains;
        let any = self.limbs.iter().any(|l| l.is_in_contact());
        for limb in &self.limbs {
            let in_contact = limb.is_in_contact();
            for c in limb.contacts.iter().filter(|c| !c.is_active) {
                let floor = reference.floor[c.contact_point];
                let normal = floor.normal();
                let (above, v) = (floor.above(c.now.at), normal.dot(c.now.velocity));
                let on = reference.in_contact[c.contact_point];
                let (rate, weight) = if on
                    && (in_contact || limb.is_foot || (self.is_replanned && above < SEGMENT_HEIGHT))
                    && limb.is_low(c)
                {
                    (lowering(above, v), gains.down_weight)
                } else if reference.is_planned {
                    continue;
                } else if !on
                    && !in_contact
                    && any
                    && above < CLEARANCE_HEIGHT
                    && above + CLEARANCE_TIME * v < CLEARANCE
                {
                    (clearing(CLEARANCE_RATE, above, v), gains.clearance_weight)
                } else if !on && normal.dot(c.desired.velocity) > LIFT_SPEED && above < LIFT_HEIGHT {
                    (clearing(LIFT_RATE, above, v), gains.lift_weight)
                } else {
                    continue;
                };
                // n . (v + w x arm) = n . v + w . lever
                let lever = self.now.arm(limb.body, c.now.at).cross(normal);
                let columns = |i: usize| {
                    let Motion { angular: w, linear: v } = limb.jacobian.columns[i];
                    [normal.dot(v) + w.x * lever.x + w.y * lever.y + w.z * lever.z]
                };
                let rate = rate - normal.dot(c.now.acceleration);
                self.normal.add(&limb.jacobian.dofs, columns, [weight], [rate]);
            }
        }
    }
}

/// Upward acceleration that brings a point down to the ground.
pub(crate) fn lowering(above: f64, v: f64) -> f64 {
    DOWN_RATE * (-(above / DOWN_TIME).clamp(DOWN_SPEED[0], DOWN_SPEED[1]) - v)
}

/// Upward acceleration that brings a point to the ground clearance.
pub(crate) fn clearing(rate: f64, above: f64, v: f64) -> f64 {
    rate * (rate * (CLEARANCE - above) - 2.0 * v)
}
