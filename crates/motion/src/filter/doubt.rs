//! What makes a motion hopeless before it is filtered: lengths in another unit than the figure's, and things that carry
//! the figure but are not there.

use crate::clip::Clip;
use crate::hull;
use crate::pose;
use crate::replan::Centroid;
use crate::touch::{Touches, spells};
use crate::trajectory::Trajectory;
use anthropi_dynamics::model::BodyJoint;
use anthropi_dynamics::spatial::Vec3;

/// Nobody travels faster in the mean, m/s.
const FAST: f64 = 15.0;
/// Feet that stand slide no faster in the mean, m/s.
const SLIDE: f64 = 0.5;

/// How fast the root travels in the mean, m/s.
pub(super) fn pace(clip: &Clip) -> f64 {
    let free = clip.figure().forest().bodies().iter().find(|b| b.joint == BodyJoint::Free);
    let Some(root) = free.map(|b| b.iq as usize) else { return 0.0 };
    let at = |f: usize| pose::triple(clip.pose(f), root);
    let way: f64 = (1..clip.frames()).map(|f| (at(f) - at(f - 1)).norm()).sum();
    way / clip.duration().max(f64::MIN_POSITIVE)
}

/// What speaks against the unit of length, a sentence each.
pub(super) fn doubts(trajectory: &Trajectory, touches: &Touches) -> Vec<String> {
    let clip = &trajectory.clip;
    let mut doubts = Vec::new();
    let speed = pace(clip);
    if speed > FAST {
        doubts.push(format!("the figure travels at {speed:.0} m/s: check the unit of length"));
    }
    let (mut sum, mut count) = (0.0, 0);
    for (k, track) in touches.tracks.iter().enumerate() {
        for frame in (0..touches.frames()).filter(|f| touches.is_on(k, *f)) {
            sum += track.speed[frame];
            count += 1;
        }
    }
    let slide = sum / f64::from(count.max(1));
    if slide > SLIDE {
        doubts.push(format!(
            "feet that stand slide at {slide:.1} m/s: if nobody runs here, check the unit of length"
        ));
    }
    doubts
}

/// A figure whose centre of mass is this far outside of what it stands on, m...
const OUTSIDE: f64 = 0.08;
/// ...and slower than this, m/s...
const SLOW: f64 = 0.5;
/// ...for so long, s, is carried by something else.
const LONG: f64 = 0.25;

/// When the figure is carried by something that is not in the motion: a seat, a rail, another figure.
pub(super) fn carried_otherwise(clip: &Clip, touches: &Touches) -> Vec<String> {
    let centroid = Centroid::of(clip);
    let is_carried = |frame: usize| {
        let now = &centroid.frames()[frame];
        let on = (0..touches.places.len()).filter(|k| touches.is_on(*k, frame));
        let at: Vec<Vec3> = on.flat_map(|k| touches.tracks[k].at(frame).to_vec()).collect();
        let (middle, corners) = hull::around(&at);
        let p = [now.center.x - middle.x, now.center.y - middle.y];
        let [x, y] = hull::nearest(&corners, 1.0, p);
        !at.is_empty() && now.velocity.norm() < SLOW && (x - p[0]).hypot(y - p[1]) > OUTSIDE
    };
    let carried: Vec<bool> = (0..touches.frames()).map(is_carried).collect();
    let long = spells(&carried).into_iter().filter(|s| s.len() as f64 * clip.dt() > LONG);
    long.map(|s| {
        let (from, to) = (clip.time(s.start), clip.time(s.end));
        format!(
            "from {from:.1} to {to:.1} s something that is not in the motion carries the figure (a seat, a rail, a \
             hand): without it nothing can move so"
        )
    })
    .collect()
}
