//! What is asked of the accelerations in a step.
//!
//! Each task is a few rows  J a = wanted - J' v  with a weight; feedback is critically damped:
//!     wanted = reference + 2 k (velocity error) + k^2 (error)                                   [NY2000F eq. 3, 4]
//! Joints, trunk, centre of mass, angular momentum, feet in the air, points that stand, soles that come down.

use super::aim::{Aim, along};
use super::body::Body;
use super::stance::NEAR;
use crate::pose;
use anthropi_dynamics::spatial::{Motion, Vec3, vec3};

/// No reference accelerates a joint more, rad/s2 or m/s2; one that is planned may, in runs.
const ABSURD: f64 = 400.0;
const ABSURD_PLANNED: f64 = 3000.0;
/// A foot that is late goes down at least so fast, m/s.
const LATE: f64 = 0.4;
/// The rest of a sole goes down between these speeds, m/s: in the time over the way, never as an asymptote.
const DOWN: [f64; 2] = [0.25, 1.2];
const DOWN_TIME: f64 = 0.02;
const DOWN_RATE: f64 = 60.0;
/// Points that are not to touch keep this far above the ground, m.
const CLEAR: f64 = 0.004;
/// ...by this rate, 1/s, as soon as they would be below in this time, s.
const CLEAR_RATE: f64 = 60.0;
const CLEAR_TIME: f64 = 0.04;
/// Points that are lifted come off the ground at this rate, 1/s.
const LIFT_RATE: f64 = 25.0;
/// Part of a downward velocity that a step stops.
const STOP: f64 = 0.7;

impl Body {
    /// All tasks; points that stand are held by a part of their weight.
    pub(super) fn ask(&mut self, aim: &Aim, dt: f64, part: f64) {
        self.normal.clear(self.figure.forest().nv());
        self.ask_joints(aim);
        self.ask_trunk();
        self.ask_center(aim);
        self.ask_standing(dt, part);
        self.ask_swinging(aim);
        self.ask_soles(aim);
    }

    fn ask_joints(&mut self, aim: &Aim) {
        let forest = self.figure.forest();
        let (k, d) = (self.gains.joint, 2.0 * self.gains.damping * self.gains.joint);
        let absurd = if aim.is_planned { ABSURD_PLANNED } else { ABSURD };
        pose::difference(forest, &self.q, &aim.q, &mut self.way);
        for (n, weight) in self.joint_weights.iter().enumerate() {
            let ahead = aim.a[n].clamp(-absurd, absurd);
            let wanted = ahead + d * (aim.v[n] - self.v[n]) + k * k * self.way[n];
            // the root has a trace of weight: nothing is undetermined
            self.normal.add_one(n, weight.max(1e-6), if *weight > 0.0 { wanted } else { 0.0 });
        }
    }

    fn ask_trunk(&mut self) {
        let (forest, k, w) = (self.figure.forest(), self.gains.trunk, self.gains.trunk_weight);
        let d = 2.0 * self.gains.damping * k;
        for t in &mut self.trunk {
            self.now.jacobian(forest, t.body, &mut t.jacobian);
            let error = turn_between(
                self.now.kinematics.body_pose(t.body).orientation(),
                self.wanted.kinematics.body_pose(t.body).orientation(),
            );
            let (v, wanted_v) = (
                self.now.kinematics.body_velocity(t.body).angular,
                self.wanted.kinematics.body_velocity(t.body).angular,
            );
            let (bias, ahead) = (
                self.now.kinematics.body_acceleration(t.body).angular,
                self.wanted.kinematics.body_acceleration(t.body).angular,
            );
            let b = ahead + (wanted_v - v).scale(d) + error.scale(k * k) - bias;
            let columns = |i: usize| t.jacobian[i].angular.to_array();
            self.normal.add(&t.path, columns, [w; 3], b.to_array());
        }
    }

    /// Centre of mass and angular momentum.
    fn ask_center(&mut self, aim: &Aim) {
        let gains = self.gains;
        let mass = self.figure.mass();
        let gravity = self.figure.forest().gravity();
        let [wanted, velocity, ahead] = aim.center;
        let wanted = wanted + self.leaning;
        let (place, speed) = (wanted - self.now.center, velocity - self.now.velocity);
        let level = |k: f64, at: f64, v: f64| 2.0 * k * v + k * k * at;
        let clip = |x: f64, most: f64| x.clamp(-most * gravity.norm(), most * gravity.norm());
        let back = vec3(
            clip(level(gains.level, place.x, speed.x), gains.most[0]),
            clip(level(gains.level, place.y, speed.y), gains.most[0]),
            clip(level(gains.height, place.z, speed.z), gains.most[1]),
        );
        // bias holds the rate of momentum less gravity
        let bias = self.now.bias.linear.scale(1.0 / mass) + gravity;
        let b = ahead + back - bias;
        let turn = aim.spin[1].scale(gains.spin_ahead) + (aim.spin[0] - self.now.spin).scale(gains.spin);
        let turn = (turn - self.now.bias.angular).scale(1.0 / mass);
        let momentum = &self.now.momentum;
        let columns = |i: usize| momentum[i].times(1.0 / mass).to_array();
        let [a, b] = [turn.to_array(), b.to_array()];
        let (ws, wc) = (gains.spin_weight, gains.center_weight);
        self.normal.add(&self.all, columns, [ws, ws, ws, wc, wc, wc], [a[0], a[1], a[2], b[0], b[1], b[2]]);
    }

    fn ask_standing(&mut self, dt: f64, part: f64) {
        let (k, weight) = (self.gains.hold, self.gains.hold_weight);
        // downward a point is stopped as fast as steps allow
        let stop = (STOP / dt).max(k);
        for limb in &self.limbs {
            let origin = self.now.kinematics.body_pose(limb.body).translation;
            for c in limb.contacts.iter().filter(|c| c.stands) {
                let arm = c.now.at - origin;
                let columns = |i: usize| {
                    let m = limb.jacobian[i];
                    (m.linear + m.angular.cross(arm)).to_array()
                };
                let error = c.anchor - c.now.at;
                let back = error.scale(self.gains.back) - c.now.velocity;
                let normal = c.floor.normal();
                let up = normal.dot(back);
                let rate = along(normal, back).scale(k) + normal.scale(if up > 0.0 { stop } else { k } * up);
                let b = rate - c.now.acceleration;
                let weight = part * weight * c.hold().max(0.01);
                self.normal.add(&limb.path, columns, [weight; 3], b.to_array());
            }
        }
    }

    /// Feet in the air go where the reference has them, shifted by the capture point's error.
    fn ask_swinging(&mut self, aim: &Aim) {
        let gains = self.gains;
        let (k, d) = (gains.swing, 2.0 * gains.damping * gains.swing);
        for limb in &self.limbs {
            if limb.stands() || !limb.is_foot {
                continue;
            }
            let body = limb.body;
            let (pose, wanted) =
                (self.now.kinematics.body_pose(body), self.wanted.kinematics.body_pose(body));
            let (v, wanted_v) =
                (self.now.kinematics.body_velocity(body), self.wanted.kinematics.body_velocity(body));
            let (bias, ahead) =
                (self.now.kinematics.body_acceleration(body), self.wanted.kinematics.body_acceleration(body));
            let mut to = wanted.translation + limb.shift - pose.translation;
            let (mut speed, mut ahead_at) = (wanted_v.linear + limb.shift_rate - v.linear, ahead.linear);
            if limb.is_wanted(aim) {
                // late: reach straight down at a steady speed, however the ground lies
                to.z = 0.0;
                speed.z = wanted_v.linear.z.min(-LATE) - v.linear.z;
                ahead_at.z = 0.0;
            }
            let place = ahead_at + speed.scale(d) + to.scale(k * k) - bias.linear;
            let error = turn_between(pose.orientation(), wanted.orientation());
            let turn =
                ahead.angular + (wanted_v.angular - v.angular).scale(d) + error.scale(k * k) - bias.angular;
            let [wp, wo] = gains.swing_weight;
            let ([a, b], j) = ([turn.to_array(), place.to_array()], &limb.jacobian);
            let weights = [wo, wo, wo, wp, wp, wp];
            self.normal.add(&limb.path, |i| j[i].to_array(), weights, [a[0], a[1], a[2], b[0], b[1], b[2]]);
        }
    }

    /// The rest of a sole that stands comes down; what is not to touch stays clear.
    fn ask_soles(&mut self, aim: &Aim) {
        let gains = self.gains;
        let any = self.limbs.iter().any(|l| l.stands());
        for limb in &self.limbs {
            let origin = self.now.kinematics.body_pose(limb.body).translation;
            let stands = limb.stands();
            for c in limb.contacts.iter().filter(|c| !c.stands) {
                let floor = aim.floor[c.place];
                let normal = floor.normal();
                let (above, v) = (floor.above(c.now.at), normal.dot(c.now.velocity));
                let on = aim.on[c.place];
                let (rate, weight) = if on && (stands || limb.is_foot) {
                    let down = -(above / DOWN_TIME).clamp(DOWN[0], DOWN[1]);
                    (DOWN_RATE * (down - v), gains.down_weight)
                } else if aim.is_planned {
                    continue;
                } else if !on && !stands && any && above < 0.02 && above + CLEAR_TIME * v < CLEAR {
                    (CLEAR_RATE * (CLEAR_RATE * (CLEAR - above) - 2.0 * v), gains.clear_weight)
                } else if !on && normal.dot(c.wanted.velocity) > 0.05 && above < 4.0 * NEAR {
                    (LIFT_RATE * (LIFT_RATE * (CLEAR - above) - 2.0 * v), gains.lift_weight)
                } else {
                    continue;
                };
                // n . (v + w x arm) = n . v + w . lever
                let lever = (c.now.at - origin).cross(normal);
                let columns = |i: usize| {
                    let Motion { angular: w, linear: v } = limb.jacobian[i];
                    [normal.dot(v) + w.x * lever.x + w.y * lever.y + w.z * lever.z]
                };
                let rate = rate - normal.dot(c.now.acceleration);
                self.normal.add(&limb.path, columns, [weight], [rate]);
            }
        }
    }
}

/// The turn that leads from one orientation to another, world axes.
fn turn_between(from: anthropi_dynamics::spatial::Quat, to: anthropi_dynamics::spatial::Quat) -> Vec3 {
    to.then(from.inverse()).log()
}
