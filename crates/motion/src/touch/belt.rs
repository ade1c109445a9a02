//! Whether the ground moves: a treadmill.
//!
//! Feet that are low are mostly on the ground, and what is on the ground moves with it. If most velocities of low feet
//! agree with each other and not with zero while the person stays where it is, the ground has that velocity.

use super::Track;
use anthropi_dynamics::spatial::Vec3;

/// Feet are low within this of the lowest they reach around, m...
const LOW: f64 = 0.02;
/// ...so many seconds before and after.
const NEAR: f64 = 0.6;
/// Velocities agree within this, m/s.
const AGREE: f64 = 0.25;
/// Slower belts are none, m/s.
const LEAST: f64 = 0.4;
/// Part of the low feet that must agree on a belt...
const MOST: f64 = 0.45;
/// ...and, against those, at most this part stands still.
const STILL: f64 = 0.3;
/// Who walks on a belt stays in place: travels at no more than this part of the belt's speed.
const STAYS: f64 = 0.3;
/// So many velocities are tried.
const TRIED: usize = 300;

/// Velocity of the ground, m/s; zero unless the feet agree on another.
pub fn velocity(tracks: &[Track], dt: f64) -> Vec3 {
    let low: Vec<Vec3> = tracks.iter().filter(|t| t.is_foot).flat_map(|t| low_velocities(t, dt)).collect();
    let near = |v: Vec3| low.iter().filter(|u| (**u - v).norm() < AGREE).count();
    let tried = low.iter().step_by(low.len().div_ceil(TRIED).max(1));
    let Some((count, mode)) = tried.map(|v| (near(*v), *v)).max_by_key(|(count, _)| *count) else {
        return Vec3::ZERO;
    };
    let is_belt = mode.norm() > LEAST
        && travel(tracks).norm() < STAYS * mode.norm()
        && count as f64 > MOST * low.len() as f64
        && (near(Vec3::ZERO) as f64) < STILL * count as f64;
    if !is_belt {
        return Vec3::ZERO;
    }
    let agreeing = low.iter().filter(|u| (**u - mode).norm() < AGREE);
    agreeing.fold(Vec3::ZERO, |sum, v| sum + *v).scale(1.0 / count as f64)
}

/// Mean level velocity of all feet: that of the person.
fn travel(tracks: &[Track]) -> Vec3 {
    let feet = tracks.iter().filter(|t| t.is_foot).flat_map(|t| &t.velocity);
    let (sum, count) = feet.fold((Vec3::ZERO, 0), |(sum, n), v| (sum + *v, n + 1));
    Vec3 { z: 0.0, ..sum }.scale(1.0 / f64::from(count.max(1)))
}

/// Level velocities of a spot while it is low.
fn low_velocities(track: &Track, dt: f64) -> Vec<Vec3> {
    let (frames, reach) = (track.height.len(), (NEAR / dt) as usize);
    let least = |f: usize| {
        let around = &track.height[f.saturating_sub(reach)..(f + reach + 1).min(frames)];
        around.iter().copied().fold(f64::INFINITY, f64::min)
    };
    // every few frames is enough
    let step = (frames / 2000).max(1);
    (0..frames)
        .step_by(step)
        .filter(|f| track.height[*f] < least(*f) + LOW)
        .map(|f| Vec3 { z: 0.0, ..track.velocity[f] })
        .collect()
}
