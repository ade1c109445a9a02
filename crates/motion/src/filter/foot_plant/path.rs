//! Paths of soles and hands that are exactly at rest in contact.
//!
//! In a stance the sole lies on its print, or pitches about its rear or front edge as in the motion; the pitch reaches zero
//! with two derivatives where the sole becomes flat. In the air the sole follows the motion plus a correction c(t) (shift and
//! rotation vector): polynomials from one stance to the next that match value, velocity and acceleration of c at both. Paths
//! are smooth when contacts change, and feet land at rest. Edges not in contact keep slightly clear of the ground.

use super::sole::{Foot, SoleContact, SolePose, middle, on_ground};
use crate::anatomy::Part;
use crate::contact_points::{ContactPoint, Site};
use crate::contact_schedule::{ContactSchedule, Ground};
use crate::ease::{Jet, at_least, least_of, quintic, step};
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use std::ops::Range;

/// Times in the air within which a correction, its velocity and its acceleration decay, s.
const DECAY_TIMES: [f64; 3] = [0.25, 0.15, 0.10];
/// Ground clearance of edges not in contact, m, from this time before and after contact, s; it is approached from this
/// multiple of it.
const CLEARANCE: f64 = 0.004;
const CLEARANCE_TIME: f64 = 0.1;
const CLEARANCE_ROUNDING: f64 = 4.0;
/// Length of the gaps before the first and after the last stance, frames: infinite in effect.
const OPEN_GAP: f64 = 1e6;

/// Ground and frame time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathContext {
    pub ground: Ground,
    pub dt: f64,
}

impl PathContext {
    /// Displacement of moving ground.
    pub fn drift(&self, frame: usize) -> Vec3 {
        self.ground.velocity.scale(frame as f64 * self.dt)
    }

    /// Ground clearance of a frame in a gap, m.
    fn clearance<const N: usize>(&self, frame: &GapFrame<N>) -> f64 {
        CLEARANCE * frame.frames_to_contact().map_or(1.0, |n| step(n * self.dt / CLEARANCE_TIME))
    }
}

impl Foot {
    /// Path of the sole near the one of the motion.
    pub fn path(&self, context: &PathContext, raw: &[SolePose]) -> Vec<SolePose> {
        let pitches = self.pitches(context, raw);
        let mut path = raw.to_vec();
        let stances: Vec<Range<usize>> = self.stances.iter().map(|s| s.frames.clone()).collect();
        let in_contact = |k: usize, contact: SoleContact, f: usize| {
            let pose = self.standing(&self.stances[k].print, contact, pitches[f]);
            SolePose { position: pose.position + context.drift(f), ..pose }
        };
        let correction_at = |k: usize, edge: usize| {
            jets(edge, raw.len(), |f| correction(&raw[f], &in_contact(k, self.contact[edge], f)))
        };
        for gap in gap_frames(&stances, raw.len(), context.dt, correction_at) {
            let pose = corrected(&raw[gap.frame], &gap.correction);
            path[gap.frame] = self.lifted(context, pose, &gap);
        }
        for (k, stance) in stances.into_iter().enumerate() {
            stance.for_each(|f| path[f] = in_contact(k, self.contact[f], f));
        }
        path
    }

    /// A sole in the air above the ground.
    fn lifted(&self, context: &PathContext, pose: SolePose, gap: &GapFrame<6>) -> SolePose {
        let ground = &context.ground;
        // on uneven ground the lower of the stances before and after
        let heights = gap.runs.into_iter().flatten().map(|k| self.stances[k].print.position.z);
        let floor = heights.reduce(f64::min).unwrap_or(f64::NEG_INFINITY);
        let above = |p: Vec3| if ground.is_even { ground.above(p) } else { p.z - floor };
        let clearance = context.clearance(gap);
        let low = least_of(clearance, self.corners(&pose).into_iter().map(above));
        if !low.is_finite() {
            return pose;
        }
        let rise = at_least(clearance, CLEARANCE_ROUNDING * clearance, low) - low;
        SolePose { position: pose.position + ground.normal().scale(rise), ..pose }
    }

    /// Pitch of the sole relative to the ground, positive toe up: as in the motion, zero where the sole is flat, and with the
    /// edge not in contact above the ground.
    fn pitches(&self, context: &PathContext, raw: &[SolePose]) -> Vec<f64> {
        let normal = context.ground.normal();
        let own =
            |p: &SolePose| libm::asin(p.orientation.rotate(vec3(1.0, 0.0, 0.0)).dot(normal).clamp(-1.0, 1.0));
        let own: Vec<f64> = raw.iter().map(own).collect();
        let mut pitches = vec![0.0; own.len()];
        let to_zero = |_, edge: usize| jets(edge, raw.len(), |f| [-own[f]]);
        for gap in gap_frames(&self.flat, raw.len(), context.dt, to_zero) {
            let pitch = own[gap.frame] + gap.correction[0];
            let clearance = context.clearance(&gap) / (2.0 * self.half);
            pitches[gap.frame] = match self.contact_near(gap.frame) {
                SoleContact::Heel => at_least(clearance, CLEARANCE_ROUNDING * clearance, pitch),
                SoleContact::Toe => -at_least(clearance, CLEARANCE_ROUNDING * clearance, -pitch),
                SoleContact::Air | SoleContact::Flat => pitch,
            };
        }
        pitches
    }

    /// Contact in a frame, or in the next or previous one if there is none.
    fn contact_near(&self, f: usize) -> SoleContact {
        let in_contact = |f: usize| self.contact.get(f).copied().filter(|b| *b != SoleContact::Air);
        in_contact(f)
            .or(in_contact(f + 1))
            .or(f.checked_sub(1).and_then(in_contact))
            .unwrap_or(SoleContact::Air)
    }
}

/// A hand, or another part on a prop, with its contact intervals.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    pub link: LinkHandle,
    pub point: Vec3,
    /// whether the root follows it: a pelvis on a seat
    pub is_pelvis: bool,
    /// frames and position, at time zero on moving ground
    intervals: Vec<(Range<usize>, Vec3)>,
}

impl Hand {
    /// All hands, and a pelvis on a seat, with contacts.
    pub fn all(schedule: &ContactSchedule, context: &PathContext) -> Vec<Hand> {
        let hand = |(k, contact_point): (usize, &ContactPoint)| {
            let interval = |frames: Range<usize>| {
                let at = |f: usize| schedule.tracks[k].middle(f) - context.drift(f);
                let sum = frames.clone().fold(Vec3::ZERO, |s, f| s + at(f));
                let mean = sum.scale(1.0 / frames.len().max(1) as f64);
                match schedule.prop(k, frames.start) {
                    Some(prop) => (frames, Vec3 { z: prop.at.z, ..mean }),
                    None => (frames, on_ground(&context.ground, mean, mean.z)),
                }
            };
            Hand {
                link: contact_point.link,
                point: middle(contact_point),
                is_pelvis: matches!(contact_point.site, Site::OnProp(Part::Pelvis, _)),
                intervals: schedule.intervals(k).into_iter().map(interval).collect(),
            }
        };
        let is_hand = |site: Site| match site {
            Site::Palm(_) => true,
            Site::OnProp(part, _) => matches!(part, Part::Hand(_) | Part::Pelvis),
            _ => false,
        };
        let hands = schedule.points.iter().enumerate().filter(|(_, p)| is_hand(p.site)).map(hand);
        hands.filter(|h| !h.intervals.is_empty()).collect()
    }

    /// Depth of a pelvis below its seat, m.
    pub fn depth(&self, frame: usize, now: Vec3) -> Option<f64> {
        let at =
            self.intervals.iter().filter(|_| self.is_pelvis).find(|(frames, _)| frames.contains(&frame))?;
        Some(at.1.z - now.z)
    }

    /// Path of the hand near the one of the motion.
    pub fn path(&self, context: &PathContext, raw: &[Vec3]) -> Vec<Vec3> {
        let mut path = raw.to_vec();
        let in_contact = |k: usize, f: usize| self.intervals[k].1 + context.drift(f);
        let runs: Vec<Range<usize>> = self.intervals.iter().map(|s| s.0.clone()).collect();
        let correction_at =
            |k: usize, edge: usize| jets(edge, raw.len(), |f| (in_contact(k, f) - raw[f]).to_array());
        for gap in gap_frames(&runs, raw.len(), context.dt, correction_at) {
            path[gap.frame] += Vec3::from_array(&gap.correction);
        }
        for (k, run) in runs.into_iter().enumerate() {
            run.for_each(|f| path[f] = in_contact(k, f));
        }
        path
    }
}

/// A frame before, between or after intervals of contact.
struct GapFrame<const N: usize> {
    frame: usize,
    /// indices of the intervals before and after
    runs: [Option<usize>; 2],
    /// last frame before the gap, and first after it
    span: [f64; 2],
    correction: [f64; N],
}

impl<const N: usize> GapFrame<N> {
    /// Number of frames since or until contact; `None` without contact.
    fn frames_to_contact(&self) -> Option<f64> {
        let (f, [from, to]) = (self.frame as f64, self.span);
        let near = [self.runs[0].map(|_| f - from), self.runs[1].map(|_| to - f)];
        near.into_iter().flatten().reduce(f64::min)
    }
}

/// All frames outside of intervals of contact, with the correction that leads from the interval before to the one after.
/// `correction_at` gives it with two derivatives, by frame, at a frame of an interval.
fn gap_frames<const N: usize>(
    runs: &[Range<usize>],
    frames: usize,
    dt: f64,
    correction_at: impl Fn(usize, usize) -> [Jet; N],
) -> Vec<GapFrame<N>> {
    let mut all = Vec::new();
    for k in 0..=runs.len() {
        let around = [k.checked_sub(1), (k < runs.len()).then_some(k)];
        let [before, after] = around.map(|k| k.map(|k| &runs[k]));
        let (start, end) = (before.map_or(0, |r| r.end), after.map_or(frames, |r| r.start));
        // gaps at the ends of the motion are open
        let from = if start > 0 { start as f64 - 1.0 } else { -OPEN_GAP };
        let to = if end < frames { end as f64 } else { frames as f64 + OPEN_GAP };
        let ends = [
            before.map_or([[0.0; 3]; N], |r| correction_at(k - 1, r.end - 1)),
            after.map_or([[0.0; 3]; N], |r| correction_at(k, r.start)),
        ];
        let within = DECAY_TIMES.map(|w| w / dt);
        all.extend((start..end).map(|frame| GapFrame {
            frame,
            runs: around,
            span: [from, to],
            correction: core::array::from_fn(|i| {
                quintic([from, to], within, [ends[0][i], ends[1][i]], frame as f64)
            }),
        }));
    }
    all
}

/// Value and two derivatives by frame; one-sided at the ends of the motion.
fn jets<const N: usize>(frame: usize, frames: usize, at: impl Fn(usize) -> [f64; N]) -> [Jet; N] {
    let (before, after) = (frame.saturating_sub(1), (frame + 1).min(frames - 1));
    let [a, x, b] = [before, frame, after].map(at);
    let both = after - before == 2;
    core::array::from_fn(|i| {
        let slope = (b[i] - a[i]) / (after - before).max(1) as f64;
        [x[i], slope, if both { a[i] - 2.0 * x[i] + b[i] } else { 0.0 }]
    })
}

/// Shift and rotation vector from one pose to another.
fn correction(from: &SolePose, to: &SolePose) -> [f64; 6] {
    let [x, y, z] = (to.position - from.position).to_array();
    let [u, v, w] = to.orientation.then(from.orientation.inverse()).log().to_array();
    [x, y, z, u, v, w]
}

fn corrected(pose: &SolePose, c: &[f64; 6]) -> SolePose {
    let orientation = Quat::exp(vec3(c[3], c[4], c[5])).then(pose.orientation).normalized();
    SolePose { position: pose.position + vec3(c[0], c[1], c[2]), orientation }
}
