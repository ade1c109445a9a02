//! Repairs discontinuities: jumps of a joint or of the whole figure between two frames.
//!
//! A jump is a motion between two frames faster than any person's. Jumps divide the frames of a joint into runs. Runs too
//! short to be a motion are noise and are interpolated. A jump between two long runs is a cut: joints are blended over it
//! within a few frames; if the whole figure jumps, the rest is moved back. A very fast, very short turn at the start or end
//! of a motion is a jump that was smoothed.
//! Source: our own. Not here: noise at plausible speeds (`smooth`).
//! Checked by: tests below.

use crate::clip::{Clip, joint_of_coordinate};
use crate::contact_schedule::intervals;
use crate::note::Note;
use crate::pose;
use anthropi_dynamics::model::{Body, BodyJoint};
use anthropi_dynamics::spatial::Quat;
use std::ops::Range;

/// Highest plausible joint speed, rad/s, and travelling speed, m/s.
pub(crate) const MAX_TURN_SPEED: f64 = 60.0;
pub(crate) const MAX_TRAVEL_SPEED: f64 = 20.0;
/// A motion that starts or ends faster than the first part of these has a smoothed jump there, which lasts while the speed
/// is above the second part.
const SPEED_AT_ENDS: [f64; 2] = [0.6, 0.25];
/// Runs between jumps shorter than this are noise, s.
const MIN_RUN: f64 = 0.1;
/// Time over which joints are blended at a cut, s.
const BLEND_TIME: f64 = 0.05;

/// The clip without jumps, and a warning for each repair.
pub fn repair(clip: &Clip) -> (Clip, Vec<Note>) {
    let figure = clip.figure().clone();
    let (nq, frames, dt) = (figure.forest().nq(), clip.frames(), clip.dt());
    let mut q = clip.poses().to_vec();
    let mut notes = Vec::new();
    for body in figure.forest().bodies().iter().skip(1) {
        let mut track = JointTrack { body, q: &mut q, nq, dt };
        let relative_speed: Vec<f64> = (1..frames).map(|f| track.relative_speed(f)).collect();
        let mut is_quiet: Vec<bool> = relative_speed.iter().map(|h| !(*h > 1.0)).collect();
        let smoothed = smoothed_jumps_at_ends(&relative_speed, (MIN_RUN / dt) as usize);
        smoothed.into_iter().for_each(|steps| is_quiet[steps].fill(false));
        if !is_quiet.contains(&false) {
            continue;
        }
        let name = joint_of_coordinate(&figure, body.coordinates().start);
        // a run of frames: an interval without jumps and the frame it ends at
        let mut runs: Vec<Range<usize>> =
            intervals(&is_quiet).into_iter().map(|s| s.start..s.end + 1).collect();
        let min = ((MIN_RUN / dt).ceil() as usize).min(frames / 3);
        runs.retain(|r| r.len() >= min.max(2));
        let [Some(first), Some(last)] = [runs.first(), runs.last()] else { continue };
        let (first, last) = (first.start, last.end - 1);
        let bad = frames - runs.iter().map(Range::len).sum::<usize>();
        if bad > 0 {
            notes.push(Note::warning(format!(
                "discontinuity of {name}: {bad} of {frames} frames interpolated"
            )));
        }
        if body.joint == BodyJoint::Free {
            track.move_back(&runs, &name, &mut notes);
        }
        for pair in runs.windows(2) {
            let over =
                if pair[0].end == pair[1].start { ((0.5 * BLEND_TIME / dt) as usize).max(1) } else { 0 };
            let from = (pair[0].end - 1).saturating_sub(over).max(pair[0].start);
            let to = (pair[1].start + over).min(pair[1].end - 1);
            if over > 0 && body.joint != BodyJoint::Free {
                notes.push(Note::warning(format!(
                    "discontinuity of {name} at {:.2} s: blended over {} frames",
                    clip.time(to),
                    to - from
                )));
            }
            (from + 1..to).for_each(|f| track.interpolate([from, to], f));
        }
        (0..first).for_each(|f| track.interpolate([first, first], f));
        (last + 1..frames).for_each(|f| track.interpolate([last, last], f));
    }
    if notes.is_empty() {
        return (clip.clone(), notes);
    }
    // interpolation may have changed the signs of quaternions
    for frame in 1..frames {
        let (before, now) = q.split_at_mut(frame * nq);
        pose::make_continuous(figure.forest(), Some(&before[(frame - 1) * nq..]), &mut now[..nq]);
    }
    (clip.with_same_frames(q), notes)
}

/// Frame intervals at the start and at the end that are smoothed jumps.
fn smoothed_jumps_at_ends(relative_speed: &[f64], max: usize) -> [Range<usize>; 2] {
    let [min, lasts] = SPEED_AT_ENDS;
    let count = |steps: &mut dyn Iterator<Item = &f64>| {
        let mut steps = steps.peekable();
        match steps.peek() {
            Some(first) if **first > min => {
                let n = steps.take_while(|h| **h > lasts).count();
                if n <= max { n } else { 0 }
            }
            _ => 0,
        }
    };
    let all = relative_speed.len();
    [0..count(&mut relative_speed.iter()), all - count(&mut relative_speed.iter().rev())..all]
}

/// The coordinates of a joint over time.
struct JointTrack<'a> {
    body: &'a Body,
    /// poses by frame, `nq` numbers each
    q: &'a mut [f64],
    nq: usize,
    dt: f64,
}

impl JointTrack<'_> {
    /// Coordinates in a frame.
    fn at(&self, frame: usize) -> &[f64] {
        &self.q[frame * self.nq..][self.body.coordinates()]
    }

    fn at_mut(&mut self, frame: usize) -> &mut [f64] {
        &mut self.q[frame * self.nq..][self.body.coordinates()]
    }

    /// Speed into a frame, parts of the highest plausible speed.
    fn relative_speed(&self, frame: usize) -> f64 {
        let (a, b, dt) = (self.at(frame - 1), self.at(frame), self.dt);
        let turn = |i: usize| pose::quaternion(a, i).inverse().then(pose::quaternion(b, i)).log().norm();
        match self.body.joint {
            BodyJoint::Spherical => turn(0) / (MAX_TURN_SPEED * dt),
            BodyJoint::Free => {
                let travel = (pose::triple(b, 0) - pose::triple(a, 0)).norm();
                (turn(3) / (MAX_TURN_SPEED * dt)).max(travel / (MAX_TRAVEL_SPEED * dt))
            }
            BodyJoint::Prismatic(_) => (b[0] - a[0]).abs() / (MAX_TRAVEL_SPEED * dt),
            _ => b.iter().zip(a).fold(0.0, |max, (b, a)| (b - a).abs().max(max)) / (MAX_TURN_SPEED * dt),
        }
    }

    /// Translates each run of a free joint to continue the run before it.
    fn move_back(&mut self, runs: &[Range<usize>], name: &str, notes: &mut Vec<Note>) {
        for pair in runs.windows(2) {
            let at = |f: usize| pose::triple(self.at(f), 0);
            let (last, first) = (pair[0].end - 1, pair[1].start);
            let speed = (at(last) - at(last - 1)).scale((first - last) as f64);
            let jump = at(first) - at(last) - speed;
            if jump.norm() > MAX_TRAVEL_SPEED * self.dt {
                notes.push(Note::warning(format!(
                    "discontinuity: {name} jumps by {:.2} m at {:.2} s; the rest is moved back",
                    jump.norm(),
                    first as f64 * self.dt
                )));
                for frame in first..self.q.len() / self.nq {
                    let q = self.at_mut(frame);
                    let moved = pose::triple(q, 0) - jump;
                    q[..3].copy_from_slice(&moved.to_array());
                }
            }
        }
    }

    /// Interpolates a frame between two others.
    fn interpolate(&mut self, [from, to]: [usize; 2], frame: usize) {
        let s = if to > from { (frame - from) as f64 / (to - from) as f64 } else { 0.0 };
        let [a, b] = [from, to].map(|f| self.at(f).to_vec());
        let rotation = match self.body.joint {
            BodyJoint::Spherical => 0,
            BodyJoint::Free => 3,
            _ => a.len(),
        };
        let q = self.at_mut(frame);
        (0..rotation).for_each(|k| q[k] = a[k] + s * (b[k] - a[k]));
        if rotation < a.len() {
            let [a, b] = [&a, &b].map(|q| pose::quaternion(q, rotation));
            let turn = Quat::exp(a.inverse().then(b).log().scale(s));
            q[rotation..].copy_from_slice(&a.then(turn).normalized().0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::Trajectory;
    use anthropi_dynamics::joint::JointKind;
    use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, Shape};
    use anthropi_dynamics::spatial::{Transform, Vec3, vec3};
    use std::sync::Arc;
    use testkit::Rng;
    use testkit::motions::apart;

    const DT: f64 = 1.0 / 60.0;

    /// A free body with a ball, a hinge on it, and a slide on that.
    fn figure() -> Arc<Figure> {
        let ball = Shape::Sphere { radius: 0.1 }.inertia(1000.0).unwrap();
        let mut b = FigureBuilder::new("few");
        let mut last = b.add(LinkSpec::new("body", ball), JointSpec::new("root", JointKind::Free)).unwrap();
        for (name, kind) in [
            ("ball", JointKind::Spherical),
            ("hinge", JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) }),
            ("slide", JointKind::Prismatic { axis: vec3(1.0, 0.0, 0.0) }),
        ] {
            let joint = JointSpec::new(name, kind).on(last, Transform::translation(vec3(0.0, 0.0, 0.3)));
            last = b.add(LinkSpec::new(name, ball), joint).unwrap();
        }
        Arc::new(b.build().unwrap())
    }

    /// Two metres a second ahead, all other coordinates in slow waves.
    fn smooth_clip(figure: &Arc<Figure>, frames: usize, change: impl Fn(usize, &mut [f64])) -> Clip {
        let mut q = Vec::new();
        for f in 0..frames {
            let t = f as f64 * DT;
            let wave = |k: f64| 0.3 * (2.0 * t + k).sin();
            let mut pose = vec![2.0 * t, wave(0.0), 1.0];
            pose.extend(Quat::exp(vec3(wave(1.0), wave(2.0), wave(3.0))).0);
            pose.extend(Quat::exp(vec3(wave(4.0), wave(5.0), wave(6.0))).0);
            pose.extend([wave(7.0), wave(8.0)]);
            change(f, &mut pose);
            q.extend(pose);
        }
        Clip::new("calm", figure.clone(), DT, q).unwrap()
    }

    /// Largest speed of any joint, parts of the highest plausible speed.
    fn largest_step(clip: &Clip) -> f64 {
        let forest = clip.figure().forest();
        let mut delta = vec![0.0; forest.nv()];
        let mut max: f64 = 0.0;
        for f in 1..clip.frames() {
            pose::difference(forest, clip.pose(f - 1), clip.pose(f), &mut delta);
            for body in forest.bodies().iter().skip(1) {
                let part = |k: usize| pose::triple(&delta, body.dofs().start + k).norm();
                max = max.max(
                    match body.joint {
                        BodyJoint::Free => (part(0) / MAX_TURN_SPEED).max(part(3) / MAX_TRAVEL_SPEED),
                        BodyJoint::Spherical => part(0) / MAX_TURN_SPEED,
                        BodyJoint::Prismatic(_) => delta[body.dofs().start].abs() / MAX_TRAVEL_SPEED,
                        _ => delta[body.dofs().start].abs() / MAX_TURN_SPEED,
                    } / DT,
                );
            }
        }
        max
    }

    #[test]
    fn smooth_motion_is_unchanged() {
        let figure = figure();
        let clip = smooth_clip(&figure, 120, |_, _| ());
        let (same, notes) = repair(&clip);
        assert!(notes.is_empty() && same.poses() == clip.poses());
    }

    #[test]
    fn noise_is_interpolated() {
        let figure = figure();
        let clean = smooth_clip(&figure, 120, |_, _| ());
        let noisy = smooth_clip(&figure, 120, |f, q| match f {
            40 | 41 => q[11] += 3.0,
            70 => q[7..11].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]),
            90..93 => q[12] -= 5.0,
            _ => (),
        });
        let (repaired, notes) = repair(&noisy);
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes.iter().any(|n| n.contains("hinge: 2 of 120")), "{notes:?}");
        for f in 0..120 {
            let off = apart(&figure, clean.pose(f), repaired.pose(f));
            // straight lines over a wave of 2 rad/s, for three frames
            assert!(off < 0.002, "frame {f} is {off} off");
        }
    }

    /// Left by converters that smooth their output: an arm comes down from the T-pose within five frames.
    #[test]
    fn smoothed_jumps_at_the_ends_are_repaired_and_fast_swings_are_not() {
        let figure = figure();
        let clean = smooth_clip(&figure, 120, |_, _| ());
        let smeared = smooth_clip(&figure, 120, |f, q| q[11] += [2.4, 1.6, 0.8, 0.3].get(f).unwrap_or(&0.0));
        let (repaired, notes) = repair(&smeared);
        assert_eq!(notes, [Note::warning("discontinuity of hinge: 4 of 120 frames interpolated")]);
        assert!((repaired.pose(0)[11] - clean.pose(4)[11]).abs() < 1e-12);
        let (last, notes) =
            repair(&smooth_clip(&figure, 120, |f, q| q[11] -= [1.1, 0.3].get(119 - f).unwrap_or(&0.0)));
        assert!(notes.len() == 1 && (last.pose(119)[11] - clean.pose(117)[11]).abs() < 1e-12, "{notes:?}");
        // 43 rad/s at first, slowing down gradually
        let swing = smooth_clip(&figure, 120, |f, q| q[11] += 12.0 * (1.0 - (-0.06 * f as f64).exp()));
        assert_eq!(repair(&swing).1, []);
    }

    #[test]
    fn a_figure_that_jumps_continues_from_its_last_position() {
        let figure = figure();
        let clean = smooth_clip(&figure, 120, |_, _| ());
        let cut = smooth_clip(&figure, 120, |f, q| {
            (0..3).for_each(|k| q[k] += if f >= 60 { [5.0, -3.0, 0.4][k] } else { 0.0 })
        });
        let (repaired, notes) = repair(&cut);
        assert!(notes.iter().any(|n| n.contains("moved back")), "{notes:?}");
        for f in [0, 59, 60, 61, 119] {
            let off = (pose::triple(repaired.pose(f), 0) - pose::triple(clean.pose(f), 0)).norm();
            assert!(off < 0.01, "frame {f} is {off} m off");
        }
    }

    /// A ball joint that is elsewhere for two frames and returns the other way round has the same rotation with negated
    /// quaternion. Derivatives use the numbers, so these must be continuous as well.
    #[test]
    fn quaternions_that_return_negated_have_no_speed() {
        let figure = figure();
        let turns = |angle: f64| Quat::about(vec3(0.0, 0.0, 1.0), angle).0;
        let noisy = smooth_clip(&figure, 90, |f, q| {
            q[7..11].copy_from_slice(&turns(match f {
                0..40 => 0.0,
                40 => 2.1,
                41 => 4.2,
                _ => core::f64::consts::TAU,
            }));
        });
        // continuous frame by frame, it ends as the negative of its start
        assert!(noisy.pose(89)[7] < -0.99, "{:?}", &noisy.pose(89)[7..11]);
        let (repaired, notes) = repair(&noisy);
        assert_eq!(notes.len(), 1, "{notes:?}");
        let trajectory = Trajectory::from_clip(&repaired, None);
        let iv = figure.forest().joint_place(figure.find_joint("ball").unwrap()).iv;
        for f in 0..90 {
            let speed = pose::triple(trajectory.v(f), iv).norm();
            assert!(speed < 1e-6, "frame {f}: a ball at rest turns at {speed} rad/s");
        }
    }

    /// Bursts of any size anywhere: the result is plausible, and frames between the bursts are unchanged.
    #[test]
    fn repaired_motions_have_no_jumps() {
        let figure = figure();
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            // each implausibly far within a frame
            let mut burst = |k: usize| {
                let turn = rng.unit().scale(1.5 + 1.4 * rng.uniform());
                (
                    20 + 40 * k + rng.below(10),
                    1 + rng.below(4),
                    turn,
                    (3.0 + 6.0 * rng.uniform()).copysign(rng.signed()),
                )
            };
            let bursts: Vec<(usize, usize, Vec3, f64)> = (0..3).map(&mut burst).collect();
            let is_in = |f: usize| bursts.iter().find(|b| (b.0..b.0 + b.1).contains(&f));
            let change = |f: usize, q: &mut [f64]| {
                if let Some((_, _, turn, slip)) = is_in(f) {
                    q[0] += slip;
                    let turned = pose::quaternion(q, 7).then(Quat::exp(*turn));
                    q[7..11].copy_from_slice(&turned.0);
                    q[11] += slip;
                }
            };
            let (clean, noisy) = (smooth_clip(&figure, 150, |_, _| ()), smooth_clip(&figure, 150, change));
            let (repaired, notes) = repair(&noisy);
            assert!(largest_step(&repaired) < 1.0, "seed {seed}: {} {notes:?}", largest_step(&repaired));
            for f in (0..150).filter(|f| is_in(*f).is_none()) {
                let off = apart(&figure, clean.pose(f), repaired.pose(f));
                assert!(off < 0.05, "seed {seed}: valid frame {f} moved by {off}");
            }
        }
    }
}
