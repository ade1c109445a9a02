//! Causal detection of contacts and of the ground height.
//!
//! The causal counterpart of `contact_schedule`. A foot nearly at rest, close to the height of the last stance, is in contact,
//! and its lowest point is the ground; a foot coming down is compared with the height of the last stance. Captured stance
//! heights drift by centimetres, so the ground follows the feet in contact smoothly.

use super::dynamics_terms::PointMotion;
use anthropi_dynamics::spatial::Vec3;

/// Highest speed of a contact point in contact, and of a foot at rest, m/s; both grow in proportion to feet faster on
/// average than the third.
const CONTACT_SPEED: f64 = 0.8;
const REST_SPEED: f64 = 0.3;
const BRISK_SPEED: f64 = 1.8;
/// Heights below which a contact starts and above which it ends, m.
const START_HEIGHT: f64 = 0.025;
const END_HEIGHT: f64 = 0.028;
/// Largest height difference of stances on even ground, m.
const EVEN_GROUND: f64 = 0.08;
/// Time constant of the mean foot speed, s.
const SPEED_TIME: f64 = 0.4;
/// Time constant of each of the two lags with which the ground follows the feet, s.
const GROUND_TIME: f64 = 0.15;

/// An observed point of a contact point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObservedPoint {
    /// index of its contact point
    pub contact_point: usize,
    /// index of its foot or hand
    pub limb: usize,
    pub is_foot: bool,
    pub at: PointMotion,
}

/// Detects contacts frame by frame.
#[derive(Clone, Debug)]
pub(crate) struct ContactDetector {
    dt: f64,
    /// by contact point
    pub on: Vec<bool>,
    /// ground below each limb that is at rest
    ground_at_rest: Vec<Option<f64>>,
    /// height of the last stance
    stance_height: Option<f64>,
    foot_speed: Option<f64>,
    lags: Option<[f64; 2]>,
}

impl ContactDetector {
    pub fn new(contact_points: usize, limbs: usize, dt: f64) -> ContactDetector {
        ContactDetector {
            dt,
            on: vec![false; contact_points],
            ground_at_rest: vec![None; limbs],
            stance_height: None,
            foot_speed: None,
            lags: None,
        }
    }

    /// Height of the ground below the feet.
    pub fn ground(&self) -> f64 {
        self.lags.map_or(0.0, |l| l[1])
    }

    /// Takes the points of a frame.
    pub fn update(&mut self, points: &[ObservedPoint]) {
        let speed_factor = self.speed_factor(points);
        let low = points.iter().map(|s| s.at.at.z).fold(f64::INFINITY, f64::min);
        let is_first = self.stance_height.is_none();
        let stance_height = self.stance_height.unwrap_or(low);
        for (n, ground) in self.ground_at_rest.iter_mut().enumerate() {
            let own = points.iter().filter(|s| s.limb == n && s.is_foot);
            let Some(point) = own.min_by(|a, b| a.at.at.z.total_cmp(&b.at.at.z)) else { continue };
            let lowest = point.at.at.z;
            let is_resting = point.at.velocity.norm() < REST_SPEED * speed_factor
                && (lowest - stance_height).abs() < EVEN_GROUND;
            *ground = is_resting.then(|| ground.map_or(lowest, |g| g.min(lowest)));
        }
        for contact_point in 0..self.on.len() {
            let own = || points.iter().filter(move |s| s.contact_point == contact_point);
            let Some(one) = own().next() else { continue };
            let count = own().count() as f64;
            let low = own().map(|s| s.at.at.z).fold(f64::INFINITY, f64::min);
            let middle = own().fold(Vec3::ZERO, |sum, s| sum + s.at.velocity.scale(1.0 / count));
            let ground = self.ground_at_rest[one.limb].unwrap_or(stance_height);
            let limit = if self.on[contact_point] || is_first { END_HEIGHT } else { START_HEIGHT };
            self.on[contact_point] = low - ground < limit && middle.norm() < CONTACT_SPEED * speed_factor;
        }
        self.stance_height = Some(stance_height);
        self.follow_feet(points);
    }

    /// Factor on the speed limits.
    fn speed_factor(&mut self, points: &[ObservedPoint]) -> f64 {
        let feet = || points.iter().filter(|s| s.is_foot);
        let count = feet().count().max(1) as f64;
        let mean = feet().map(|s| s.at.velocity.norm()).sum::<f64>() / count;
        let before = self.foot_speed.unwrap_or(mean);
        let foot_speed = before + (mean - before) * (self.dt / SPEED_TIME).min(1.0);
        self.foot_speed = Some(foot_speed);
        (foot_speed / BRISK_SPEED).max(1.0)
    }

    fn follow_feet(&mut self, points: &[ObservedPoint]) {
        let in_contact = || points.iter().filter(|s| s.is_foot && self.on[s.contact_point]);
        let count = in_contact().count();
        if count > 0 {
            self.stance_height = Some(in_contact().map(|s| s.at.at.z).sum::<f64>() / count as f64);
        }
        let height = self.stance_height.unwrap_or(0.0);
        let part = 1.0 - libm::exp(-self.dt / GROUND_TIME);
        let [a, b] = self.lags.unwrap_or([height; 2]);
        let a = a + part * (height - a);
        self.lags = Some([a, b + part * (a - b)]);
    }
}
