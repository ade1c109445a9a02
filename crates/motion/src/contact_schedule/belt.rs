//! Detects a treadmill: the velocity of the ground.
//!
//! Low feet are usually in contact and move with the ground. If most velocities of low feet
//! agree with each other and not with zero while the person stays in place, the ground has that velocity.

use super::{Track, around};
use anthropi_dynamics::spatial::Vec3;

/// A foot is low within this of its lowest height nearby, m,
const LOW_BAND: f64 = 0.02;
/// with nearby this many seconds before and after.
const LOW_WINDOW: f64 = 0.6;
/// Velocities agree within this, m/s.
const VELOCITY_TOLERANCE: f64 = 0.25;
/// Slowest belt, m/s.
const MIN_SPEED: f64 = 0.4;
/// Share of the low feet that must agree on a belt velocity,
const MIN_AGREEING: f64 = 0.45;
/// and the largest share of those that is at rest.
const MAX_AT_REST: f64 = 0.3;
/// On a belt the person travels at no more than this part of the belt's speed.
const MAX_TRAVEL: f64 = 0.3;
/// Candidate velocities.
const CANDIDATES: usize = 300;

/// Velocity of the ground, m/s; zero unless the feet agree on a belt.
pub fn velocity(tracks: &[Track], dt: f64) -> Vec3 {
    let low: Vec<Vec3> = tracks.iter().filter(|t| t.is_foot).flat_map(|t| low_velocities(t, dt)).collect();
    let near = |v: Vec3| low.iter().filter(|u| (**u - v).norm() < VELOCITY_TOLERANCE).count();
    let tried = low.iter().step_by(low.len().div_ceil(CANDIDATES).max(1));
    let Some((count, mode)) = tried.map(|v| (near(*v), *v)).max_by_key(|(count, _)| *count) else {
        return Vec3::ZERO;
    };
    let is_belt = mode.norm() > MIN_SPEED
        && travel(tracks).norm() < MAX_TRAVEL * mode.norm()
        && count as f64 > MIN_AGREEING * low.len() as f64
        && (near(Vec3::ZERO) as f64) < MAX_AT_REST * count as f64;
    if !is_belt {
        return Vec3::ZERO;
    }
    let agreeing = low.iter().filter(|u| (**u - mode).norm() < VELOCITY_TOLERANCE);
    agreeing.fold(Vec3::ZERO, |sum, v| sum + *v).scale(1.0 / count as f64)
}

/// Mean horizontal velocity of all feet: that of the person.
fn travel(tracks: &[Track]) -> Vec3 {
    let feet = tracks.iter().filter(|t| t.is_foot).flat_map(|t| &t.velocity);
    let (sum, count) = feet.fold((Vec3::ZERO, 0), |(sum, n), v| (sum + *v, n + 1));
    Vec3 { z: 0.0, ..sum }.scale(1.0 / f64::from(count.max(1)))
}

/// Horizontal velocities of a contact point while it is low.
fn low_velocities(track: &Track, dt: f64) -> Vec<Vec3> {
    let (frames, reach) = (track.height.len(), (LOW_WINDOW / dt) as usize);
    let least =
        |f: usize| track.height[around(f, reach, frames)].iter().copied().fold(f64::INFINITY, f64::min);
    // every few frames is enough
    let step = (frames / 2000).max(1);
    (0..frames)
        .step_by(step)
        .filter(|f| track.height[*f] < least(*f) + LOW_BAND)
        .map(|f| Vec3 { z: 0.0, ..track.velocity[f] })
        .collect()
}
