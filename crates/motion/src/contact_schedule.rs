//! Contact intervals of heels, toes and hands, and the ground, from the motion alone.
//!
//! A contact point is in contact while it is slow and near its floor, estimated from nearby slow frames; the height has
//! hysteresis, and implausibly short intervals and gaps are removed. The ground is the plane through the points in
//! contact; if they are not coplanar (stairs), each stance has its own height. Captured feet drift by centimetres, so a
//! fixed height threshold would lose half the stances.
//! Source: our own, after common thresholds for foot contact.
//! Not here: forces (`split`, `inverse`).
//! Checked by: `tests/it/contact_schedule.rs`.

mod belt;
mod ground;
mod prop;
mod track;

pub use ground::Ground;
pub use prop::{Prop, PropKind, PropUse};
pub use track::Track;

use crate::contact_points::ContactPoint;
use crate::note::Note;
use crate::trajectory::Trajectory;
use anthropi_dynamics::spatial::Vec3;
use std::ops::Range;

/// Speed below which a point can be in contact, m/s;
const MAX_SPEED: f64 = 0.8;
/// raised in proportion when the person travels faster than this, m/s.
const TRAVEL_SPEED: f64 = 1.8;
/// Height above its floor below which contact starts, m,
const ON_HEIGHT: f64 = 0.030;
/// and above which it ends, m.
const OFF_HEIGHT: f64 = 0.035;
/// Half width of the window in which a point's floor is estimated, s,
const FLOOR_WINDOW: f64 = 0.6;
/// as this quantile of its heights.
const FLOOR_QUANTILE: f64 = 0.2;
/// Window over which the travel speed is averaged, s.
const TRAVEL_WINDOW: f64 = 0.8;
/// Shorter intervals and gaps are removed, s.
const MIN_INTERVAL: f64 = 0.05;
/// Highest contact of a foot above even ground, m.
const MAX_HEIGHT: f64 = 0.08;
/// Highest contact of a hand above the ground, m: skin and markers are not at the palm.
const MAX_HAND_HEIGHT: f64 = 0.06;

/// Points higher than the first above their typical height, m, are coming down or lifting if they move up or down faster
/// than the second, m/s.
const REST_HEIGHT: f64 = 0.006;
const MAX_RATE: f64 = 0.3;

/// Load above which a frame without contact is no flight, parts of the weight.
const MIN_LOAD: f64 = 0.3;
/// Largest distance of a point from rest on the ground that may carry where something must, sum of the parts of
/// [`ON_HEIGHT`] and [`MAX_SPEED`].
const MAX_DISTANCE: f64 = 4.0;

/// Time in which the force of a point that lands or lifts comes or goes, s.
const LOAD_RAMP: f64 = 0.05;

/// Frames of one contact, first to one past the last.
pub type ContactInterval = Range<usize>;

/// Contact intervals of each contact point.
#[derive(Clone, Debug)]
pub struct ContactSchedule {
    /// contact points
    pub points: Vec<ContactPoint>,
    /// position and speed of each, in the same order
    pub tracks: Vec<Track>,
    /// the ground
    pub ground: Ground,
    /// what carries besides the ground (`surroundings` finds it)
    pub props: Vec<Prop>,
    /// by point, then by frame
    on: Vec<Vec<bool>>,
    /// contact intervals on props: point, frames, and index of the prop
    on_props: Vec<(usize, ContactInterval, usize)>,
}

impl ContactSchedule {
    /// Labels the contacts of a motion. `ground` is the height of the ground if known.
    pub fn from_trajectory(
        trajectory: &Trajectory,
        points: Vec<ContactPoint>,
        ground: Option<f64>,
    ) -> ContactSchedule {
        let mut tracks = Track::all(trajectory, &points);
        let dt = trajectory.clip.dt();
        let velocity = belt::velocity(&tracks, dt);
        tracks.iter_mut().for_each(|t| t.make_relative(velocity));
        let gates = speed_gates(&points, &tracks, dt);
        let slow = slow_points(&tracks, &gates);
        let found = Ground::fit(&slow);
        let ground = ground.map_or(found, |height| Ground { spread: found.spread, ..Ground::level(height) });
        let ground = Ground { velocity, ..ground };
        let mut schedule = ContactSchedule {
            on: Vec::new(),
            ground,
            points,
            tracks,
            props: Vec::new(),
            on_props: Vec::new(),
        };
        schedule.on = (0..schedule.points.len()).map(|k| schedule.label(k, &gates, dt)).collect();
        schedule
    }

    /// The schedule without points of segments that never touch the ground.
    pub(crate) fn without_idle_segments(mut self) -> ContactSchedule {
        let is_used = |k: &usize| !self.points[*k].site.is_segment() || self.on[*k].contains(&true);
        let used: Vec<usize> = (0..self.points.len()).filter(is_used).collect();
        self.points = used.iter().map(|k| self.points[*k].clone()).collect();
        self.tracks = used.iter().map(|k| self.tracks[*k].clone()).collect();
        self.on = used.iter().map(|k| self.on[*k].clone()).collect();
        self
    }

    /// Whether a contact point is in contact.
    pub fn is_on(&self, point: usize, frame: usize) -> bool {
        self.on[point][frame]
    }

    /// Human-readable notes about the ground.
    pub fn notes(&self) -> Vec<Note> {
        let has_steps = self.props.iter().any(|p| p.kind == PropKind::Step && !p.uses.is_empty());
        let mut notes = Ground { is_even: self.ground.is_even || has_steps, ..self.ground }.notes();
        if has_steps {
            notes.push("feet stand on steps: penetration is not assessed".into());
        }
        notes
    }

    /// The prop on which a point in contact rests; `None` for the ground.
    pub fn prop(&self, point: usize, frame: usize) -> Option<&Prop> {
        self.prop_index(point, frame).map(|n| &self.props[n])
    }

    /// As [`ContactSchedule::prop`], as index.
    pub fn prop_index(&self, point: usize, frame: usize) -> Option<usize> {
        let here = |(k, frames, _): &&(usize, ContactInterval, usize)| *k == point && frames.contains(&frame);
        self.on_props.iter().find(here).map(|(_, _, prop)| *prop)
    }

    /// Share of its load that a point in contact may take, from 0 to 1, with frames `dt` apart: forces come and go within
    /// [`LOAD_RAMP`]. `None` in the air; the ends of the motion do not count.
    pub(crate) fn share(&self, point: usize, frame: usize, dt: f64) -> Option<f64> {
        if !self.is_on(point, frame) {
            return None;
        }
        let ramp = (LOAD_RAMP / dt).max(1.0);
        let frames = 1..ramp as usize + 1;
        let is_off = |f: usize| f < self.frames() && !self.is_on(point, f);
        let since = frames.clone().find(|n| frame >= *n && is_off(frame - n));
        let until = frames.clone().find(|n| is_off(frame + n));
        Some([since, until].map(|n| n.map_or(1.0, |n| n as f64 / ramp)).iter().product())
    }

    /// Normal of the surface below a point, unit.
    pub fn normal(&self, point: usize, frame: usize) -> Vec3 {
        match self.prop(point, frame) {
            Some(_) => Vec3 { x: 0.0, y: 0.0, z: 1.0 },
            None => self.ground.normal(),
        }
    }

    /// Height of the level surface on which a point stands, m: that of its prop, or where there are steps of the ground.
    pub(crate) fn level(&self, point: usize, frame: usize) -> Option<f64> {
        let has_steps = || self.props.iter().any(|p| p.kind == PropKind::Step && !p.uses.is_empty());
        self.prop(point, frame).map(|p| p.at.z).or_else(|| has_steps().then_some(self.ground.height))
    }

    /// Contact intervals of a point on props, with the indices of these.
    pub(crate) fn intervals_on_props(
        &self,
        point: usize,
    ) -> impl Iterator<Item = (&ContactInterval, usize)> + '_ {
        let own = self.on_props.iter().filter(move |(k, _, _)| *k == point);
        own.map(|(_, frames, prop)| (frames, *prop))
    }

    /// Adds a contact point without contacts; returns its index.
    pub(crate) fn add_point(&mut self, point: ContactPoint, track: Track) -> usize {
        self.on.push(vec![false; self.frames()]);
        self.points.push(point);
        self.tracks.push(track);
        self.points.len() - 1
    }

    /// Puts a point in contact with a prop.
    pub(crate) fn put_on(&mut self, point: usize, frames: ContactInterval, prop: usize) {
        self.on[point][frames.clone()].fill(true);
        self.on_props.push((point, frames, prop));
    }

    /// Removes the contact of a point.
    pub(crate) fn lift(&mut self, point: usize, frames: ContactInterval) {
        self.on[point][frames].fill(false);
    }

    /// Whether any contact point is in contact.
    pub fn any(&self, frame: usize) -> bool {
        self.on.iter().any(|on| on[frame])
    }

    /// Height of the lowest point above the ground, m.
    pub(crate) fn lowest(&self, frame: usize) -> f64 {
        let points = self.tracks.iter().flat_map(|t| t.at(frame));
        points.map(|p| self.ground.above(*p)).fold(f64::INFINITY, f64::min)
    }

    /// Height of the lowest contact above what carries it, m; `None` in flight.
    pub(crate) fn lowest_contact(&self, frame: usize) -> Option<f64> {
        let on = (0..self.points.len()).filter(|k| self.is_on(*k, frame));
        let above = |k: usize| {
            let low = self.tracks[k].lowest(frame);
            self.prop(k, frame).map_or_else(|| self.ground.above(low), |prop| low.z - prop.at.z)
        };
        on.map(above).reduce(f64::min)
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.on.first().map_or(0, Vec::len)
    }

    /// Intervals in which a point is in contact.
    pub fn intervals(&self, point: usize) -> Vec<ContactInterval> {
        intervals(&self.on[point])
    }

    /// Intervals without any contact.
    pub fn flights(&self) -> Vec<ContactInterval> {
        let up: Vec<bool> = (0..self.frames()).map(|f| !self.any(f)).collect();
        intervals(&up)
    }

    /// The schedule without frames at the ends of intervals in which a point is more than `within` above its typical
    /// height, or above it and moving up or down: a toe still coming down, a heel already rising.
    pub fn trimmed(&self, within: f64) -> ContactSchedule {
        let mut trimmed = self.clone();
        for (on, track) in trimmed.on.iter_mut().zip(&self.tracks) {
            for interval in intervals(on) {
                let mut heights = track.height[interval.clone()].to_vec();
                let k = (heights.len() as f64 * FLOOR_QUANTILE) as usize;
                let low = *heights.select_nth_unstable_by(k, f64::total_cmp).1;
                let is_down = |f: &usize| {
                    let (above, rate) = (track.height[*f] - low, track.velocity[*f].z.abs());
                    above < within && (above < REST_HEIGHT || rate < MAX_RATE)
                };
                let first = interval.clone().find(is_down).unwrap_or(interval.start);
                let last = interval.clone().rev().find(is_down).unwrap_or(interval.end - 1);
                // intervals cut by the clip are not trimmed there
                if interval.start > 0 {
                    on[interval.start..first].fill(false);
                }
                if interval.end < on.len() {
                    on[last + 1..interval.end].fill(false);
                }
            }
        }
        trimmed
    }

    /// The schedule with contacts where something must carry: in frames without contact in which the ground has to bear
    /// `loads`, parts of the weight, those of `given` are kept, else the foot point that is nearest to rest on the ground
    /// is added.
    pub fn with_support(&self, given: &ContactSchedule, loads: &[f64], dt: f64) -> ContactSchedule {
        let gates = speed_gates(&self.points, &self.tracks, dt);
        let mut supported = self.clone();
        let is_unsupported = |f: &usize| !self.any(*f) && loads[*f] > MIN_LOAD;
        for f in (0..self.frames()).filter(is_unsupported) {
            if given.any(f) {
                supported.on.iter_mut().zip(&given.on).for_each(|(on, given)| on[f] = given[f]);
                continue;
            }
            let distance = |k: usize| {
                let above = self.ground.above(self.tracks[k].lowest(f)).max(0.0);
                above / ON_HEIGHT + self.tracks[k].speed[f] / (MAX_SPEED * gates[f])
            };
            let feet = (0..self.points.len()).filter(|k| self.tracks[*k].is_foot);
            let nearest = feet.min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
            if let Some(k) = nearest.filter(|k| self.ground.is_even && distance(*k) < MAX_DISTANCE) {
                supported.on[k][f] = true;
            }
        }
        let least = (MIN_INTERVAL / dt).round() as usize;
        for on in &mut supported.on {
            *on = without_short(core::mem::take(on), least);
        }
        supported
    }

    fn label(&self, point: usize, gates: &[f64], dt: f64) -> Vec<bool> {
        let track = &self.tracks[point];
        let floor = floor_of(track, gates, dt);
        let mut now = true;
        let on = (0..track.height.len()).map(|frame| {
            let above = self.ground.above(track.lowest(frame));
            let limit = if now { OFF_HEIGHT } else { ON_HEIGHT };
            let is_down = match (track.is_foot, self.ground.is_even) {
                (true, true) => {
                    above < limit || (track.height[frame] - floor[frame] < limit && above < MAX_HEIGHT)
                }
                (true, false) => track.height[frame] - floor[frame] < limit,
                (false, _) => above < MAX_HAND_HEIGHT,
            };
            now = is_down && track.speed[frame] < MAX_SPEED * gates[frame];
            now
        });
        let on: Vec<bool> = on.collect();
        without_short(on, (MIN_INTERVAL / dt).round() as usize)
    }
}

/// Positions of slow feet, most of them in contact.
fn slow_points(tracks: &[Track], gates: &[f64]) -> Vec<Vec3> {
    let feet = tracks.iter().filter(|t| t.is_foot);
    feet.flat_map(|t| (0..gates.len()).filter(|f| t.speed[*f] < MAX_SPEED * gates[*f]).map(|f| t.lowest(f)))
        .collect()
}

/// Factor on the speed limit in each frame.
fn speed_gates(points: &[ContactPoint], tracks: &[Track], dt: f64) -> Vec<f64> {
    let feet: Vec<&Track> =
        tracks.iter().zip(points).filter(|(_, p)| p.site.is_foot()).map(|(t, _)| t).collect();
    let frames = feet.first().map_or(0, |t| t.speed.len());
    let travel: Vec<f64> =
        (0..frames).map(|f| feet.iter().map(|t| t.speed[f]).sum::<f64>() / feet.len() as f64).collect();
    let reach = (0.5 * TRAVEL_WINDOW / dt) as usize;
    means(&travel, reach).into_iter().map(|v| (v / TRAVEL_SPEED).max(1.0)).collect()
}

/// Running means over frames before and after.
fn means(values: &[f64], reach: usize) -> Vec<f64> {
    let mut sums = vec![0.0];
    values.iter().for_each(|v| sums.push(sums[sums.len() - 1] + v));
    let windows = (0..values.len()).map(|f| around(f, reach, values.len()));
    windows.map(|w| (sums[w.end] - sums[w.start]) / w.len() as f64).collect()
}

/// Frames up to `reach` before and after one, within the motion.
pub(crate) fn around(frame: usize, reach: usize, frames: usize) -> Range<usize> {
    frame.saturating_sub(reach)..(frame + reach + 1).min(frames)
}

/// Floor under a contact point around each frame: a low quantile of its heights while it is slow; its lowest height if
/// it never is.
fn floor_of(track: &Track, gates: &[f64], dt: f64) -> Vec<f64> {
    let (frames, reach) = (track.height.len(), (FLOOR_WINDOW / dt) as usize);
    let mut near = Vec::new();
    (0..frames)
        .map(|frame| {
            let window = around(frame, reach, frames);
            let slow = window.clone().filter(|f| track.speed[*f] < MAX_SPEED * gates[*f]);
            near.clear();
            near.extend(slow.map(|f| track.height[f]));
            if near.is_empty() {
                return window.map(|f| track.height[f]).fold(f64::INFINITY, f64::min);
            }
            let k = (near.len() as f64 * FLOOR_QUANTILE) as usize;
            *near.select_nth_unstable_by(k, f64::total_cmp).1
        })
        .collect()
}

/// Removes gaps, then intervals, shorter than `least` frames, except at the ends.
fn without_short(mut on: Vec<bool>, least: usize) -> Vec<bool> {
    for value in [false, true] {
        let same: Vec<bool> = on.iter().map(|x| *x == value).collect();
        for interval in intervals(&same) {
            if interval.len() < least && interval.start > 0 && interval.end < on.len() {
                on[interval].fill(!value);
            }
        }
    }
    on
}

/// Runs of `true`.
pub fn intervals(on: &[bool]) -> Vec<ContactInterval> {
    let mut end = 0;
    let runs = on.chunk_by(|a, b| a == b).map(|run| {
        end += run.len();
        (run[0], end - run.len()..end)
    });
    runs.filter_map(|(is_on, run)| is_on.then_some(run)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_intervals_and_gaps_are_removed() {
        let on = |text: &str| text.chars().map(|c| c == '#').collect::<Vec<bool>>();
        assert_eq!(without_short(on("#..###.###...#...##"), 2), on("#..#######.......##"));
        assert_eq!(intervals(&on("##..#")), [0..2, 4..5]);
    }
}
