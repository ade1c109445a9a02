//! Warnings about inputs that cannot be filtered well: wrong unit of length, contacts missing from the motion.

use super::dynamics_terms::free_body;
use crate::centroid::CentroidalTrajectory;
use crate::clip::Clip;
use crate::contact_schedule::{ContactInterval, ContactSchedule, intervals};
use crate::hull;
use crate::note::Note;
use crate::pose;
use anthropi_dynamics::spatial::Vec3;

/// Plausible limits of the mean speed of the root and of the mean sliding speed of feet in contact, m/s.
const MAX_MEAN_SPEED: f64 = 15.0;
const MAX_MEAN_SLIDE: f64 = 0.5;
/// A contact is missing while the centre of mass is this far outside the support polygon, m, and slower than this, m/s,
/// for longer than this, s.
const UNSUPPORTED_DISTANCE: f64 = 0.08;
const UNSUPPORTED_SPEED: f64 = 0.5;
const UNSUPPORTED_TIME: f64 = 0.25;

/// Mean speed of the root, m/s.
pub(super) fn mean_speed(clip: &Clip) -> f64 {
    let Some(root) = free_body(clip.figure().forest()) else { return 0.0 };
    let at = |f: usize| pose::triple(clip.pose(f), root.coordinates().start);
    let length: f64 = (1..clip.frames()).map(|f| (at(f) - at(f - 1)).norm()).sum();
    length / clip.duration().max(f64::MIN_POSITIVE)
}

/// Horizontal distance of a point from the convex hull of points; zero inside.
pub(super) fn distance_outside(points: &[Vec3], p: Vec3) -> f64 {
    let (middle, corners) = hull::around(points);
    let p = [p.x - middle.x, p.y - middle.y];
    let [x, y] = hull::nearest(&corners, 1.0, p);
    (x - p[0]).hypot(y - p[1])
}

/// Warnings that the unit of length may be wrong; `speed`: mean speed of the root, m/s.
pub(super) fn unit_warnings(speed: f64, schedule: &ContactSchedule) -> Vec<Note> {
    let mut warnings = Vec::new();
    if speed > MAX_MEAN_SPEED {
        warnings.push(format!("the figure travels at {speed:.0} m/s: check the unit of length"));
    }
    let tracks = schedule.tracks.iter().enumerate();
    let speeds = tracks.flat_map(|(k, track)| schedule.intervals(k).into_iter().map(|s| &track.speed[s]));
    let speeds: Vec<f64> = speeds.flatten().copied().collect();
    let slide = speeds.iter().fold(0.0, |sum, s| sum + s) / speeds.len().max(1) as f64;
    if slide > MAX_MEAN_SLIDE {
        warnings.push(format!(
            "feet in contact slide at {slide:.1} m/s: unless this is a run, check the unit of length"
        ));
    }
    warnings.into_iter().map(Note::warning).collect()
}

/// Warnings about intervals in which something outside the motion must carry the figure: a seat, a rail, another figure.
pub(super) fn missing_contact_warnings(clip: &Clip, schedule: &ContactSchedule) -> Vec<Note> {
    let centroid = CentroidalTrajectory::from_clip(clip);
    let is_unsupported = |frame: usize| {
        let now = &centroid.frames()[frame];
        let on = (0..schedule.points.len()).filter(|k| schedule.is_on(*k, frame));
        let at: Vec<Vec3> = on.flat_map(|k| schedule.tracks[k].at(frame).to_vec()).collect();
        !at.is_empty()
            && now.velocity.norm() < UNSUPPORTED_SPEED
            && distance_outside(&at, now.com) > UNSUPPORTED_DISTANCE
    };
    let unsupported: Vec<bool> = (0..schedule.frames()).map(is_unsupported).collect();
    let mut long = intervals(&unsupported);
    long.retain(|s| s.len() as f64 * clip.dt() > UNSUPPORTED_TIME);
    let warning = |s: &ContactInterval| {
        let (from, to) = (clip.time(s.start), clip.time(s.end));
        Note::warning(format!(
            "contact missing from {from:.1} to {to:.1} s: the centre of mass is outside the support polygon, so a seat, a \
             rail or a hand must carry the figure"
        ))
    };
    long.iter().map(warning).collect()
}
