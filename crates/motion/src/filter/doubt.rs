//! Whether a motion looks as if its lengths were in another unit than its figure's.

use crate::pose;
use crate::touch::Touches;
use crate::trajectory::Trajectory;
use anthropi_dynamics::model::BodyJoint;

/// Nobody travels faster in the mean, m/s.
const FAST: f64 = 15.0;
/// Feet that stand slide no faster in the mean, m/s.
const SLIDE: f64 = 0.5;

/// What speaks against the unit of length, a sentence each.
pub(super) fn doubts(trajectory: &Trajectory, touches: &Touches) -> Vec<String> {
    let clip = &trajectory.clip;
    let mut doubts = Vec::new();
    let free = clip.figure().forest().bodies().iter().find(|b| b.joint == BodyJoint::Free);
    if let Some(root) = free.map(|b| b.iq as usize) {
        let at = |f: usize| pose::triple(clip.pose(f), root);
        let way: f64 = (1..clip.frames()).map(|f| (at(f) - at(f - 1)).norm()).sum();
        let speed = way / clip.duration().max(f64::MIN_POSITIVE);
        if speed > FAST {
            doubts.push(format!("the figure travels at {speed:.0} m/s: check the unit of length"));
        }
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
        doubts.push(format!("feet that stand slide at {slide:.1} m/s: check the unit of length"));
    }
    doubts
}
