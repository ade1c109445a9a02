//! Balance: adapts the reference to the state of the figure by leaning and stepping.
//!
//! Leaning, while standing: if the centre of pressure that the reference needs,
//!     p = c - (c_z c'' -/+ L'/m) / (g + c_z''),
//! lies outside the support polygon, the desired centre of mass is slowly moved by the distance.
//! Stepping, while moving: swing feet are shifted by the error of the capture point, c + c'/omega, above a dead zone.
//! Source: the capture point [PCDG2006: capture point]; the rest is our own.

use super::reference::{Floor, ReferenceSample};
use super::simulated_body::SimulatedBody;
use crate::hull;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Rate at which swing feet follow the capture point, 1/s.
const STEP_RATE: f64 = 30.0;
/// Least height of the centre of mass in the capture point, parts of the standing height.
const MIN_HEIGHT: f64 = 0.4;
/// Part of the support polygon, about its middle, to which the centre of pressure is moved.
const POLYGON_PART: f64 = 0.8;
/// Speed of the centre of mass at which leaning is halved, m/s: faster figures step instead.
const LEAN_SPEED: f64 = 0.2;
/// Least load in the centre of pressure, parts of the weight.
const MIN_LOAD: f64 = 0.3;

impl SimulatedBody {
    /// Updates leaning and the shifts of the swing feet.
    pub(super) fn adjust_balance(&mut self, reference: &ReferenceSample, dt: f64) {
        if reference.is_planned {
            // the plan contains the steps
            return;
        }
        if self.is_replanned {
            self.lean_offset = Vec3::ZERO;
            for limb in self.limbs.iter_mut().filter(|l| l.is_foot) {
                if limb.is_in_contact() {
                    limb.shift = Vec3::ZERO;
                } else {
                    let goal = limb.goal;
                    let rise = limb
                        .contacts
                        .first()
                        .map_or(0.0, |c| reference.floor[c.contact_point].rise(goal.x, goal.y));
                    limb.shift += (Vec3 { z: rise, ..goal } - limb.shift).scale((dt * STEP_RATE).min(1.0));
                }
            }
            return;
        }
        self.update_lean(reference, dt);
        let gains = self.gains;
        let error = self.capture_error(reference);
        // small errors are left to the stance feet
        let beyond = 1.0 - gains.step_dead_zone / error.norm().max(gains.step_dead_zone);
        let step = error.scale(gains.step_gain * beyond);
        let step = step.scale((gains.max_step / (step.norm() + 1e-9)).min(1.0));
        for limb in self.limbs.iter_mut().filter(|l| l.is_foot) {
            if limb.is_in_contact() {
                limb.shift = Vec3::ZERO;
            } else {
                // along the ground
                let floor =
                    limb.contacts.first().map_or(Floor::default(), |c| reference.floor[c.contact_point]);
                let rise = floor.rise(step.x, step.y);
                let step = Vec3 { z: rise, ..step };
                limb.shift += (step - limb.shift).scale((dt * STEP_RATE).min(1.0));
            }
        }
    }

    /// Horizontal error of the capture point.
    pub(crate) fn capture_error(&self, reference: &ReferenceSample) -> Vec3 {
        let height = self.standing_height();
        let center = self.now.com;
        let feet = self.limbs.iter().filter(|l| l.is_foot).flat_map(|l| &l.contacts);
        let floors = feet.map(|c| reference.floor[c.contact_point].at(center.x, center.y));
        let floor = floors.fold(f64::INFINITY, f64::min);
        let now = (center.z - floor).max(MIN_HEIGHT * height);
        let omega = self.gains.omega * (height / now).sqrt();
        let offset = self.now.com - reference.com[0] - self.lean_offset;
        let speed = self.now.velocity - reference.com[1];
        Vec3 { z: 0.0, ..(offset + speed.scale(1.0 / omega)) }
    }

    fn update_lean(&mut self, reference: &ReferenceSample, dt: f64) {
        self.active_anchors.clear();
        let all = self.limbs.iter().flat_map(|l| &l.contacts).filter(|c| c.is_active && c.lift_time == 0.0);
        self.active_anchors.extend(all.map(|c| c.anchor));
        let mut distance = Vec3::ZERO;
        if let Some(floor) = self.active_anchors.iter().map(|p| p.z).reduce(f64::min) {
            let [c, _, a] = reference.com;
            let gravity = self.figure.forest().gravity().norm();
            let load = (a.z + gravity).max(MIN_LOAD * gravity);
            let turn = reference.angular_momentum[1]
                .scale(self.gains.angular_momentum_feedforward / self.figure.mass());
            let height = c.z - floor;
            let p = vec3(c.x - (height * a.x + turn.y) / load, c.y - (height * a.y - turn.x) / load, 0.0);
            let middle = self.hull.around(&self.active_anchors);
            let [x, y] = hull::nearest(&self.hull.corners, POLYGON_PART, [p.x - middle.x, p.y - middle.y]);
            distance = vec3(middle.x + x - p.x, middle.y + y - p.y, 0.0);
            distance = distance.scale((self.gains.max_lean / (distance.norm() + 1e-9)).min(1.0));
        }
        let stillness = 1.0 / (1.0 + (reference.com[1].norm() / LEAN_SPEED).powi(2));
        let part = (dt * self.gains.lean_rate).min(1.0);
        self.lean_offset += (distance.scale(stillness) - self.lean_offset).scale(part);
    }
}
