//! How the reference is adapted to where the figure is and to what the ground can carry.
//!
//! Standing figures lean: if the centre of pressure that the reference needs,
//!     p = c - (c_z c'' -/+ L'/m) / (g + c_z''),
//! lies outside of what stands, its centre of mass is moved by what is missing, slowly.
//! Moving figures step: feet in the air go by the error of the capture point, c + c'/omega, beyond a small one.
//! Source: the capture point [PCDG2006: capture point]; the rest is our own.

use super::aim::Aim;
use super::body::Body;
use crate::hull;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// The foot in the air follows the capture point at this rate, 1/s.
const STEP_RATE: f64 = 30.0;
/// Lowest centre of mass for which the capture point is computed, parts of the standing height.
const CROUCHED: f64 = 0.4;
/// The reference is leaned to this part of what stands, from its middle.
const INSIDE: f64 = 0.8;
/// Centres of mass faster than this, m/s, are not leaned: a step carries them.
const STILL: f64 = 0.2;
/// Loads below this part of the weight count as this.
const LIGHT: f64 = 0.3;

impl Body {
    /// Leans, and finds where feet in the air are to step.
    pub(super) fn adapt(&mut self, aim: &Aim, dt: f64) {
        if aim.is_planned {
            // who planned it knows where to step
            return;
        }
        self.lean(aim, dt);
        let gains = self.gains;
        let error = self.capture_error(aim);
        // small errors are left to the feet that stand
        let beyond = 1.0 - gains.step_least / error.norm().max(gains.step_least);
        let step = error.scale(gains.step * beyond);
        let step = step.scale((gains.step_most / (step.norm() + 1e-9)).min(1.0));
        for limb in self.limbs.iter_mut().filter(|l| l.is_foot) {
            if limb.stands() {
                limb.shift = Vec3::ZERO;
            } else {
                // along the ground
                let rise = limb.contacts.first().map_or(0.0, |c| aim.floor[c.place].rise(step.x, step.y));
                let step = Vec3 { z: rise, ..step };
                limb.shift += (step - limb.shift).scale((dt * STEP_RATE).min(1.0));
            }
        }
    }

    /// How far the capture point is from the reference's, level.
    pub(crate) fn capture_error(&self, aim: &Aim) -> Vec3 {
        let height = self.standing_height();
        let center = self.now.center;
        let feet = self.limbs.iter().filter(|l| l.is_foot).flat_map(|l| &l.contacts);
        let floor = feet.map(|c| aim.floor[c.place].at(center.x, center.y)).fold(f64::INFINITY, f64::min);
        let now = (center.z - floor).max(CROUCHED * height);
        let omega = self.gains.omega * (height / now).sqrt();
        let (place, speed) =
            (self.now.center - aim.center[0] - self.leaning, self.now.velocity - aim.center[1]);
        Vec3 { z: 0.0, ..(place + speed.scale(1.0 / omega)) }
    }

    fn lean(&mut self, aim: &Aim, dt: f64) {
        self.standing_at.clear();
        let all = self.limbs.iter().flat_map(|l| &l.contacts).filter(|c| c.stands && c.lifted == 0.0);
        self.standing_at.extend(all.map(|c| c.anchor));
        let mut missing = Vec3::ZERO;
        if let Some(floor) = self.standing_at.iter().map(|p| p.z).reduce(f64::min) {
            let [c, _, a] = aim.center;
            let gravity = self.figure.forest().gravity().norm();
            let load = (a.z + gravity).max(LIGHT * gravity);
            let turn = aim.spin[1].scale(self.gains.spin_ahead / self.figure.mass());
            let height = c.z - floor;
            let p = vec3(c.x - (height * a.x + turn.y) / load, c.y - (height * a.y - turn.x) / load, 0.0);
            let middle = self.hull.around(&self.standing_at);
            let [x, y] = hull::nearest(&self.hull.corners, INSIDE, [p.x - middle.x, p.y - middle.y]);
            missing = vec3(middle.x + x - p.x, middle.y + y - p.y, 0.0);
            missing = missing.scale((self.gains.lean_most / (missing.norm() + 1e-9)).min(1.0));
        }
        let still = 1.0 / (1.0 + (aim.center[1].norm() / STILL).powi(2));
        let part = (dt * self.gains.lean).min(1.0);
        self.leaning += (missing.scale(still) - self.leaning).scale(part);
    }
}
