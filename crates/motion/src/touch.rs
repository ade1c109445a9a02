//! Which heel, toe or hand is on the ground when, and where the ground is, from the motion alone.
//!
//! A spot touches while it is slow and near the floor it had in the slow frames around; the height has
//! hysteresis, and spells or gaps too short to be real are removed. The ground is the plane through the spots that
//! touch; where they lie in no plane (stairs) each stance has its own height. Captured feet wander by centimetres, so a
//! fixed height would lose half the stances.
//! Source: our own, after thresholds that are usual for foot contact.
//! Not here: forces (`split`, `inverse`).
//! Checked by: `crates/io/tests/touch.rs`.

mod belt;
mod ground;
mod track;

pub use ground::Ground;
pub use track::Track;

use crate::spots::Place;
use crate::trajectory::Trajectory;
use anthropi_dynamics::spatial::Vec3;
use std::ops::Range;

/// Slower than this a spot may touch, m/s...
const SPEED: f64 = 0.8;
/// ...and faster in proportion when the person travels faster than this, m/s.
const TRAVEL: f64 = 1.8;
/// Closer than this to its floor a spot begins to touch, m.
const ON: f64 = 0.030;
/// Farther than this it ends, m.
const OFF: f64 = 0.035;
/// A spot's floor is found among its heights within so many seconds before and after...
const NEAR: f64 = 0.6;
/// ...as the height that this part of them is below.
const LOW: f64 = 0.2;
/// Travel is measured over so many seconds.
const OVER: f64 = 0.8;
/// Shorter spells and gaps are not real, s.
const SHORT: f64 = 0.05;
/// On even ground a spot touches no farther than this from it, m.
const EVEN: f64 = 0.08;
/// A hand touches no farther than this from the ground, m: skin and markers are not at the palm.
const HAND: f64 = 0.06;

/// Who touches when.
#[derive(Clone, Debug)]
pub struct Touches {
    /// spots that can touch
    pub places: Vec<Place>,
    /// where each was and how fast, in the same order
    pub tracks: Vec<Track>,
    /// the ground
    pub ground: Ground,
    /// by place, then by frame
    on: Vec<Vec<bool>>,
}

impl Touches {
    /// Labels the contacts of a motion. `ground` is its height where that is known.
    pub fn of(trajectory: &Trajectory, places: Vec<Place>, ground: Option<f64>) -> Touches {
        let mut tracks = Track::all(trajectory, &places);
        let dt = trajectory.clip.dt();
        let velocity = belt::velocity(&tracks, dt);
        tracks.iter_mut().for_each(|t| t.move_with(velocity));
        let gates = speed_gates(&places, &tracks, dt);
        let slow = slow_points(&tracks, &gates);
        let found = Ground::through(&slow);
        let ground = ground.map_or(found, |height| Ground { spread: found.spread, ..Ground::level(height) });
        let ground = Ground { velocity, ..ground };
        let mut touches = Touches { on: Vec::new(), ground, places, tracks };
        touches.on = (0..touches.places.len()).map(|k| touches.label(k, &gates, dt)).collect();
        touches
    }

    /// Whether a spot touches.
    pub fn is_on(&self, place: usize, frame: usize) -> bool {
        self.on[place][frame]
    }

    /// Whether anything touches.
    pub fn any(&self, frame: usize) -> bool {
        self.on.iter().any(|on| on[frame])
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.on.first().map_or(0, Vec::len)
    }

    /// Spells in which a spot touches.
    pub fn spells(&self, place: usize) -> Vec<Range<usize>> {
        spells(&self.on[place])
    }

    /// Spells in which nothing touches.
    pub fn flights(&self) -> Vec<Range<usize>> {
        let up: Vec<bool> = (0..self.frames()).map(|f| !self.any(f)).collect();
        spells(&up)
    }

    /// The same without the frames at the ends of spells in which a spot is farther than `within` above where it mostly
    /// was: a toe that is on its way down, a heel that has begun to rise.
    pub fn trimmed(&self, within: f64) -> Touches {
        let mut trimmed = self.clone();
        for (on, track) in trimmed.on.iter_mut().zip(&self.tracks) {
            for spell in spells(on) {
                let mut heights = track.height[spell.clone()].to_vec();
                let k = (heights.len() as f64 * LOW) as usize;
                let low = *heights.select_nth_unstable_by(k, f64::total_cmp).1;
                let is_down = |f: &usize| track.height[*f] < low + within;
                let first = spell.clone().find(is_down).unwrap_or(spell.start);
                let last = spell.clone().rev().find(is_down).unwrap_or(spell.end - 1);
                // what the clip cuts is not trimmed there
                if spell.start > 0 {
                    on[spell.start..first].fill(false);
                }
                if spell.end < on.len() {
                    on[last + 1..spell.end].fill(false);
                }
            }
        }
        trimmed
    }

    fn label(&self, place: usize, gates: &[f64], dt: f64) -> Vec<bool> {
        let track = &self.tracks[place];
        let floor = floor_of(track, gates, dt);
        let mut now = true;
        let on = (0..track.height.len()).map(|frame| {
            let above = self.ground.above(track.lowest(frame));
            let limit = if now { OFF } else { ON };
            let is_down = match (track.is_foot, self.ground.is_even) {
                (true, true) => above < limit || (track.height[frame] - floor[frame] < limit && above < EVEN),
                (true, false) => track.height[frame] - floor[frame] < limit,
                (false, _) => above < HAND,
            };
            now = is_down && track.speed[frame] < SPEED * gates[frame];
            now
        });
        let on: Vec<bool> = on.collect();
        without_short(on, (SHORT / dt).round() as usize)
    }
}

/// Places of feet that are slow: mostly they stand.
fn slow_points(tracks: &[Track], gates: &[f64]) -> Vec<Vec3> {
    let feet = tracks.iter().filter(|t| t.is_foot);
    feet.flat_map(|t| (0..gates.len()).filter(|f| t.speed[*f] < SPEED * gates[*f]).map(|f| t.lowest(f)))
        .collect()
}

/// By how much the limit of speed is wider in each frame.
fn speed_gates(places: &[Place], tracks: &[Track], dt: f64) -> Vec<f64> {
    let feet: Vec<&Track> =
        tracks.iter().zip(places).filter(|(_, p)| p.spot.is_foot()).map(|(t, _)| t).collect();
    let frames = feet.first().map_or(0, |t| t.speed.len());
    let travel: Vec<f64> =
        (0..frames).map(|f| feet.iter().map(|t| t.speed[f]).sum::<f64>() / feet.len() as f64).collect();
    let reach = (0.5 * OVER / dt) as usize;
    means(&travel, reach).into_iter().map(|v| (v / TRAVEL).max(1.0)).collect()
}

/// Running means over frames before and after.
fn means(values: &[f64], reach: usize) -> Vec<f64> {
    let mut sums = vec![0.0];
    values.iter().for_each(|v| sums.push(sums[sums.len() - 1] + v));
    let window = |f: usize| (f.saturating_sub(reach), (f + reach + 1).min(values.len()));
    (0..values.len())
        .map(|f| {
            let (a, b) = window(f);
            (sums[b] - sums[a]) / (b - a) as f64
        })
        .collect()
}

/// The floor under a spot around each frame: low among its heights while it is slow. Where it never is, its lowest.
fn floor_of(track: &Track, gates: &[f64], dt: f64) -> Vec<f64> {
    let (frames, reach) = (track.height.len(), (NEAR / dt) as usize);
    let mut near = Vec::new();
    (0..frames)
        .map(|frame| {
            let window = frame.saturating_sub(reach)..(frame + reach + 1).min(frames);
            near.clear();
            near.extend(
                window.clone().filter(|f| track.speed[*f] < SPEED * gates[*f]).map(|f| track.height[f]),
            );
            if near.is_empty() {
                return window.map(|f| track.height[f]).fold(f64::INFINITY, f64::min);
            }
            let k = (near.len() as f64 * LOW) as usize;
            *near.select_nth_unstable_by(k, f64::total_cmp).1
        })
        .collect()
}

/// Gaps, then spells, shorter than `least` frames are removed; not those at the ends.
fn without_short(mut on: Vec<bool>, least: usize) -> Vec<bool> {
    for value in [false, true] {
        let same: Vec<bool> = on.iter().map(|x| *x == value).collect();
        for spell in spells(&same) {
            if spell.len() < least && spell.start > 0 && spell.end < on.len() {
                on[spell].fill(!value);
            }
        }
    }
    on
}

/// Runs of frames in which something is so.
pub fn spells(on: &[bool]) -> Vec<Range<usize>> {
    let mut spells = Vec::new();
    let mut start = None;
    for (frame, on) in on.iter().chain([&false]).enumerate() {
        match (*on, start) {
            (true, None) => start = Some(frame),
            (false, Some(from)) => {
                spells.push(from..frame);
                start = None;
            }
            _ => {}
        }
    }
    spells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_spells_and_gaps_go() {
        let on = |text: &str| text.chars().map(|c| c == '#').collect::<Vec<bool>>();
        assert_eq!(without_short(on("#..###.###...#...##"), 2), on("#..#######.......##"));
        assert_eq!(spells(&on("##..#")), [0..2, 4..5]);
    }
}
