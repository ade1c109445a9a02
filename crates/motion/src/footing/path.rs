//! Paths of soles and hands that stand exactly where they stand.
//!
//! In a stance the sole lies on its print, or turns about its rear or front edge by the pitch of the motion, which is
//! brought to zero with two derivatives where the sole comes to lie flat. In the air the sole goes as the motion has it,
//! plus a correction c(t) (shift and rotation vector): polynomials that take it away from one stance and to the next
//! with value, velocity and acceleration of c there. Nothing leaps when labels change, and no landing has a speed.
//! What does not touch is held a little above the ground, rounded off.

use super::sole::{Bearing, Foot, Pose, on_ground};
use crate::ease::{Jet, at_least, least_of, quintic, step};
use crate::touch::{Ground, Touches};
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use std::ops::Range;

/// A correction is given up within this time in the air, s...
const EASE: f64 = 0.25;
/// ...its velocity and its acceleration within these.
const LEAVE: f64 = 0.15;
const GIVE: f64 = 0.10;
/// What does not touch is this far above the ground, m...
const CLEAR: f64 = 0.004;
/// ...so long before and after it touches, s...
const RISE: f64 = 0.1;
/// ...and approaches that height within so many times of it.
const ROUND: f64 = 4.0;

/// So many frames a motion goes on beyond its ends.
const BEYOND: f64 = 1e6;

/// Shift, then rotation vector.
type Correction = [f64; 6];

/// Ground and time that paths are made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    pub ground: Ground,
    pub dt: f64,
}

impl Scene {
    /// How far ground that moves has come.
    pub fn drift(&self, frame: usize) -> Vec3 {
        self.ground.velocity.scale(frame as f64 * self.dt)
    }

    fn windows(&self) -> [f64; 3] {
        [EASE, LEAVE, GIVE].map(|w| w / self.dt)
    }

    /// How far above the ground something has to be so many frames from touching it, m.
    fn clear(&self, frames: Option<f64>) -> f64 {
        CLEAR * frames.map_or(1.0, |n| step(n * self.dt / RISE))
    }
}

impl Foot {
    /// The path of the sole near the path of a motion.
    pub fn path(&self, scene: &Scene, raw: &[Pose]) -> Vec<Pose> {
        let pitches = self.pitches(scene, raw);
        let mut path = raw.to_vec();
        // in the air, from stance to stance
        let gaps = gaps(self.stances.iter().map(|s| s.frames.clone()), raw.len());
        for (k, gap) in gaps.into_iter().enumerate() {
            let (before, after) = (k.checked_sub(1).map(|k| &self.stances[k]), self.stances.get(k));
            let parting = |stance: &super::sole::Stance, edge: usize| {
                let bearing = self.bearing[edge];
                jets(edge, raw.len(), |f| {
                    let mut there = self.standing(&stance.print, bearing, pitches[f]);
                    there.place += scene.drift(f);
                    correction(&raw[f], &there)
                })
            };
            let ends = [
                before.map_or([[0.0; 3]; 6], |s| parting(s, s.frames.end - 1)),
                after.map_or([[0.0; 3]; 6], |s| parting(s, s.frames.start)),
            ];
            let span = span(&gap, raw.len());
            for f in gap.clone() {
                let c = core::array::from_fn(|i| {
                    quintic(span, scene.windows(), [ends[0][i], ends[1][i]], f as f64)
                });
                path[f] = corrected(&raw[f], &c);
                let near = [before.map(|_| f as f64 - span[0]), after.map(|_| span[1] - f as f64)];
                let heights = [before, after].map(|s| s.map(|s| s.print.place.z));
                self.lift(scene, &mut path[f], near, heights);
            }
        }
        for stance in &self.stances {
            for f in stance.frames.clone() {
                path[f] = self.standing(&stance.print, self.bearing[f], pitches[f]);
                path[f].place += scene.drift(f);
            }
        }
        path
    }

    /// Lifts a sole in the air over the ground; `near`: frames since and until a stance.
    fn lift(&self, scene: &Scene, pose: &mut Pose, near: [Option<f64>; 2], heights: [Option<f64>; 2]) {
        let ground = &scene.ground;
        // over uneven ground the lower of what is before and after
        let floor = heights.into_iter().flatten().reduce(f64::min).unwrap_or(f64::NEG_INFINITY);
        let above = |p: Vec3| if ground.is_even { ground.above(p) } else { p.z - floor };
        let clear = scene.clear(near.into_iter().flatten().reduce(f64::min));
        let low = least_of(clear, self.corners(pose).into_iter().map(above));
        if low.is_finite() {
            pose.place += ground.normal().scale(at_least(clear, ROUND * clear, low) - low);
        }
    }

    /// Pitch of the sole over the ground, toe up above zero: that of the motion, but none where the sole is flat, and
    /// with the end that does not touch above the ground.
    fn pitches(&self, scene: &Scene, raw: &[Pose]) -> Vec<f64> {
        let normal = scene.ground.normal();
        let own = |p: &Pose| libm::asin(p.turn.rotate(vec3(1.0, 0.0, 0.0)).dot(normal).clamp(-1.0, 1.0));
        let own: Vec<f64> = raw.iter().map(own).collect();
        let mut pitches = own.clone();
        let to_zero = |f: usize| jets(f, raw.len(), |f| [-own[f]])[0];
        self.flat.iter().for_each(|flat| pitches[flat.clone()].fill(0.0));
        for (k, gap) in gaps(self.flat.iter().cloned(), raw.len()).into_iter().enumerate() {
            let (before, after) = (k.checked_sub(1).map(|k| &self.flat[k]), self.flat.get(k));
            let ends = [
                before.map_or([0.0; 3], |r| to_zero(r.end - 1)),
                after.map_or([0.0; 3], |r| to_zero(r.start)),
            ];
            let span = span(&gap, raw.len());
            for f in gap {
                let wanted = own[f] + quintic(span, scene.windows(), ends, f as f64);
                let near = [before.map(|_| f as f64 - span[0]), after.map(|_| span[1] - f as f64)];
                let clear = scene.clear(near.into_iter().flatten().reduce(f64::min)) / (2.0 * self.half);
                pitches[f] = match self.bearing_near(f) {
                    Bearing::Heel => at_least(clear, ROUND * clear, wanted),
                    Bearing::Toe => -at_least(clear, ROUND * clear, -wanted),
                    Bearing::Air | Bearing::Flat => wanted,
                };
            }
        }
        pitches
    }

    /// What touches in a frame, or in the one before or after it where nothing does.
    fn bearing_near(&self, f: usize) -> Bearing {
        let touching = |f: usize| self.bearing.get(f).copied().filter(|b| *b != Bearing::Air);
        touching(f).or(touching(f + 1)).or(f.checked_sub(1).and_then(touching)).unwrap_or(Bearing::Air)
    }
}

/// A hand with the spells in which it stands.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    pub link: LinkHandle,
    pub point: Vec3,
    /// frames and place, at time zero on ground that moves
    spells: Vec<(Range<usize>, Vec3)>,
}

impl Hand {
    /// All that touch at some time.
    pub fn all(touches: &Touches, scene: &Scene) -> Vec<Hand> {
        let places = touches.places.iter().enumerate();
        let hands = places.filter(|(k, p)| !p.spot.is_foot() && !touches.spells(*k).is_empty());
        hands
            .map(|(k, place)| {
                let spell = |frames: Range<usize>| {
                    let at = |f: usize| touches.tracks[k].middle(f) - scene.drift(f);
                    let sum = frames.clone().fold(Vec3::ZERO, |s, f| s + at(f));
                    let mean = sum.scale(1.0 / frames.len().max(1) as f64);
                    (frames, on_ground(&scene.ground, mean, mean.z))
                };
                Hand {
                    link: place.link,
                    point: place.points.first().copied().unwrap_or(Vec3::ZERO),
                    spells: touches.spells(k).into_iter().map(spell).collect(),
                }
            })
            .collect()
    }

    /// The path of the hand near the path of a motion.
    pub fn path(&self, scene: &Scene, raw: &[Vec3]) -> Vec<Vec3> {
        let mut path = raw.to_vec();
        for (k, gap) in gaps(self.spells.iter().map(|s| s.0.clone()), raw.len()).into_iter().enumerate() {
            let parting = |place: Vec3, edge: usize| {
                jets(edge, raw.len(), |f| (place + scene.drift(f) - raw[f]).to_array())
            };
            let none = [[0.0; 3]; 3];
            let before = k.checked_sub(1).map(|k| &self.spells[k]);
            let ends = [
                before.map_or(none, |(r, p)| parting(*p, r.end - 1)),
                self.spells.get(k).map_or(none, |(r, p)| parting(*p, r.start)),
            ];
            let span = span(&gap, raw.len());
            for f in gap {
                let c = |i: usize| quintic(span, scene.windows(), [ends[0][i], ends[1][i]], f as f64);
                path[f] += vec3(c(0), c(1), c(2));
            }
        }
        for (frames, place) in &self.spells {
            frames.clone().for_each(|f| path[f] = *place + scene.drift(f));
        }
        path
    }
}

/// Runs of frames before, between and after others, one more than those.
fn gaps(runs: impl Iterator<Item = Range<usize>>, frames: usize) -> Vec<Range<usize>> {
    let (mut gaps, mut from) = (Vec::new(), 0);
    for run in runs {
        gaps.push(from..run.start);
        from = run.end;
    }
    gaps.push(from..frames);
    gaps
}

/// Last frame before a gap and first after it; a gap at an end of the motion goes on beyond it.
fn span(gap: &Range<usize>, frames: usize) -> [f64; 2] {
    let before = if gap.start > 0 { gap.start as f64 - 1.0 } else { -BEYOND };
    [before, if gap.end < frames { gap.end as f64 } else { frames as f64 + BEYOND }]
}

/// Value and two derivatives by frame; at the ends of the motion slopes to one side.
fn jets<const N: usize>(frame: usize, frames: usize, at: impl Fn(usize) -> [f64; N]) -> [Jet; N] {
    let (before, after) = (frame.saturating_sub(1), (frame + 1).min(frames - 1));
    let [a, x, b] = [before, frame, after].map(at);
    let both = after - before == 2;
    core::array::from_fn(|i| {
        let slope = (b[i] - a[i]) / (after - before).max(1) as f64;
        [x[i], slope, if both { a[i] - 2.0 * x[i] + b[i] } else { 0.0 }]
    })
}

fn correction(from: &Pose, to: &Pose) -> Correction {
    let (shift, turn) = (to.place - from.place, to.turn.then(from.turn.inverse()).log());
    [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]
}

fn corrected(pose: &Pose, c: &Correction) -> Pose {
    let turn = Quat::exp(vec3(c[3], c[4], c[5])).then(pose.turn).normalized();
    Pose { place: pose.place + vec3(c[0], c[1], c[2]), turn }
}
