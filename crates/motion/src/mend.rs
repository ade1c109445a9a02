//! Frames that no body can have been in: leaps of a joint or of the whole figure, mended and told.
//!
//! A leap is a step from one frame to the next that is faster than any person. Between leaps a joint has runs of frames;
//! runs too short to be a motion are noise, and give way to what lies around them. A leap between two long runs is a
//! cut: joints go over it within a few frames; if the whole figure leaps, what follows is moved back. A motion that begins
//! or ends in the midst of a turn that is nearly so fast, and over at once, begins or ends with a leap that was smoothed.
//! Source: our own. Not here: noise within what people can do (`smooth`).
//! Checked by: tests below.

use crate::clip::{Clip, joint_of_coordinate};
use crate::pose;
use crate::touch::spells;
use anthropi_dynamics::model::{Body, BodyJoint};
use anthropi_dynamics::spatial::Quat;
use std::ops::Range;

/// No joint of a person turns faster, rad/s...
pub(crate) const TURN: f64 = 60.0;
/// ...and nobody moves faster, m/s.
pub(crate) const TRAVEL: f64 = 20.0;
/// So fast, as a part of that, no motion begins or ends; what it begins with lasts while it is faster than the second.
const AT_ENDS: [f64; 2] = [0.6, 0.25];
/// Runs shorter than this between leaps are noise, s.
const SHORT: f64 = 0.1;
/// Joints go over a cut within so long, s.
const OVER: f64 = 0.05;

/// The clip without leaps, and what was done, a sentence each.
pub fn mend(clip: &Clip) -> (Clip, Vec<String>) {
    let figure = clip.figure().clone();
    let (nq, frames, dt) = (figure.forest().nq(), clip.frames(), clip.dt());
    let mut q = clip.poses().to_vec();
    let mut notes = Vec::new();
    for body in figure.forest().bodies().iter().skip(1) {
        let haste: Vec<f64> = (1..frames).map(|f| haste(body, &q, nq, f, dt)).collect();
        let mut leaps: Vec<bool> = haste.iter().map(|h| *h > 1.0).collect();
        let smoothed = smoothed_at_ends(&haste, (SHORT / dt) as usize);
        smoothed.into_iter().for_each(|steps| leaps[steps].fill(true));
        if !leaps.contains(&true) {
            continue;
        }
        let name = joint_of_coordinate(&figure, body.iq as usize);
        let quiet: Vec<bool> = leaps.iter().map(|l| !l).collect();
        // runs of frames: a spell of quiet steps and the frame it ends at
        let mut runs: Vec<Range<usize>> = spells(&quiet).into_iter().map(|s| s.start..s.end + 1).collect();
        let least = ((SHORT / dt).ceil() as usize).min(frames / 3);
        runs.retain(|r| r.len() >= least.max(2));
        if runs.is_empty() {
            continue;
        }
        let bad = frames - runs.iter().map(Range::len).sum::<usize>();
        if bad > 0 {
            notes.push(format!("{name} leaps: {bad} of {frames} frames replaced by what lies around them"));
        }
        if body.joint == BodyJoint::Free {
            move_back(body, &mut q, nq, &runs, dt, &name, &mut notes);
        }
        for pair in runs.windows(2) {
            let over = if pair[0].end == pair[1].start { ((0.5 * OVER / dt) as usize).max(1) } else { 0 };
            let from = (pair[0].end - 1).saturating_sub(over).max(pair[0].start);
            let to = (pair[1].start + over).min(pair[1].end - 1);
            if over > 0 && body.joint != BodyJoint::Free {
                notes.push(format!(
                    "{name} leaps at {:.2} s; it goes over in {} frames",
                    clip.time(to),
                    to - from
                ));
            }
            (from + 1..to).for_each(|f| mix(body, &mut q, nq, [from, to], f));
        }
        let (first, last) = (runs[0].start, runs[runs.len() - 1].end - 1);
        (0..first).for_each(|f| mix(body, &mut q, nq, [first, first], f));
        (last + 1..frames).for_each(|f| mix(body, &mut q, nq, [last, last], f));
    }
    if notes.is_empty() {
        return (clip.clone(), notes);
    }
    // what was taken out may have turned signs
    for frame in 1..frames {
        let (before, now) = q.split_at_mut(frame * nq);
        pose::settle(figure.forest(), Some(&before[(frame - 1) * nq..]), &mut now[..nq]);
    }
    (clip.with_same_frames(q), notes)
}

/// Steps at the start and at the end that are leaps smoothed over a few frames.
fn smoothed_at_ends(haste: &[f64], most: usize) -> [Range<usize>; 2] {
    let [least, lasts] = AT_ENDS;
    let count = |steps: &mut dyn Iterator<Item = &f64>| {
        let mut steps = steps.peekable();
        match steps.peek() {
            Some(first) if **first > least => {
                let n = steps.take_while(|h| **h > lasts).count();
                if n <= most { n } else { 0 }
            }
            _ => 0,
        }
    };
    let all = haste.len();
    [0..count(&mut haste.iter()), all - count(&mut haste.iter().rev())..all]
}

/// How fast a joint goes into a frame, as a part of what a body can.
fn haste(body: &Body, q: &[f64], nq: usize, frame: usize, dt: f64) -> f64 {
    let [a, b] = [&q[(frame - 1) * nq..frame * nq], &q[frame * nq..(frame + 1) * nq]];
    let iq = body.iq as usize;
    let turn = |i: usize| pose::quaternion(a, i).inverse().then(pose::quaternion(b, i)).log().norm();
    match body.joint {
        BodyJoint::Spherical => turn(iq) / (TURN * dt),
        BodyJoint::Free => {
            let travel = (pose::triple(b, iq) - pose::triple(a, iq)).norm();
            (turn(iq + 3) / (TURN * dt)).max(travel / (TRAVEL * dt))
        }
        BodyJoint::Prismatic(_) => (b[iq] - a[iq]).abs() / (TRAVEL * dt),
        other => (0..other.nq()).fold(0.0, |most, k| (b[iq + k] - a[iq + k]).abs().max(most)) / (TURN * dt),
    }
}

/// Puts each run of a free joint where the one before leads, by travel alone.
fn move_back(
    body: &Body,
    q: &mut [f64],
    nq: usize,
    runs: &[Range<usize>],
    dt: f64,
    name: &str,
    notes: &mut Vec<String>,
) {
    let i = body.iq as usize;
    for pair in runs.windows(2) {
        let at = |q: &[f64], f: usize| pose::triple(&q[f * nq..(f + 1) * nq], i);
        let (last, first) = (pair[0].end - 1, pair[1].start);
        let speed = (at(q, last) - at(q, last - 1)).scale((first - last) as f64);
        let leap = at(q, first) - at(q, last) - speed;
        if leap.norm() > TRAVEL * dt {
            notes.push(format!(
                "{name} leaps by {:.2} m at {:.2} s; what follows is moved back",
                leap.norm(),
                first as f64 * dt
            ));
            for frame in first..q.len() / nq {
                let moved = at(q, frame) - leap;
                q[frame * nq + i..frame * nq + i + 3].copy_from_slice(&moved.to_array());
            }
        }
    }
}

/// The coordinates of a joint in a frame from those in two others.
fn mix(body: &Body, q: &mut [f64], nq: usize, [from, to]: [usize; 2], frame: usize) {
    let s = if to > from { (frame - from) as f64 / (to - from) as f64 } else { 0.0 };
    let turned = |q: &mut [f64], i: usize| {
        let [a, b] = [from, to].map(|f| pose::quaternion(&q[f * nq..(f + 1) * nq], i));
        let turn = Quat::exp(a.inverse().then(b).log().scale(s));
        q[frame * nq + i..frame * nq + i + 4].copy_from_slice(&a.then(turn).normalized().0);
    };
    let iq = body.iq as usize;
    let line = |q: &mut [f64], i: usize| {
        q[frame * nq + i] = q[from * nq + i] + s * (q[to * nq + i] - q[from * nq + i]);
    };
    match body.joint {
        BodyJoint::Spherical => turned(q, iq),
        BodyJoint::Free => {
            (0..3).for_each(|k| line(q, iq + k));
            turned(q, iq + 3);
        }
        other => (0..other.nq()).for_each(|k| line(q, iq + k)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::trajectory::Trajectory;
    use anthropi_dynamics::joint::JointKind;
    use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, Shape};
    use anthropi_dynamics::spatial::{Transform, Vec3, vec3};
    use std::sync::Arc;

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

    /// Two metres a second ahead, everything else in slow waves.
    fn calm(figure: &Arc<Figure>, frames: usize, change: impl Fn(usize, &mut [f64])) -> Clip {
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

    /// Largest step of any joint from frame to frame, in units of what is a leap.
    fn largest_step(clip: &Clip) -> f64 {
        let forest = clip.figure().forest();
        let mut way = vec![0.0; forest.nv()];
        let mut most: f64 = 0.0;
        for f in 1..clip.frames() {
            pose::difference(forest, clip.pose(f - 1), clip.pose(f), &mut way);
            for body in forest.bodies().iter().skip(1) {
                let part = |k: usize| pose::triple(&way, body.iv as usize + k).norm();
                most = most.max(
                    match body.joint {
                        BodyJoint::Free => (part(0) / TURN).max(part(3) / TRAVEL),
                        BodyJoint::Spherical => part(0) / TURN,
                        BodyJoint::Prismatic(_) => way[body.iv as usize].abs() / TRAVEL,
                        _ => way[body.iv as usize].abs() / TURN,
                    } / DT,
                );
            }
        }
        most
    }

    #[test]
    fn what_does_not_leap_is_left_alone() {
        let figure = figure();
        let clip = calm(&figure, 120, |_, _| ());
        let (same, notes) = mend(&clip);
        assert!(notes.is_empty() && same.poses() == clip.poses());
    }

    #[test]
    fn noise_gives_way_to_what_lies_around_it() {
        let figure = figure();
        let clean = calm(&figure, 120, |_, _| ());
        let noisy = calm(&figure, 120, |f, q| match f {
            40 | 41 => q[11] += 3.0,
            70 => q[7..11].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]),
            90..93 => q[12] -= 5.0,
            _ => (),
        });
        let (mended, notes) = mend(&noisy);
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes.iter().any(|n| n.contains("hinge leaps: 2 of 120")), "{notes:?}");
        for f in 0..120 {
            let mut way = vec![0.0; figure.forest().nv()];
            pose::difference(figure.forest(), clean.pose(f), mended.pose(f), &mut way);
            let off = way.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            // straight lines over a wave of 2 rad/s, for three frames
            assert!(off < 0.002, "frame {f} is {off} off");
        }
    }

    /// As converters leave it that smooth what they write: an arm comes down from the T-pose within five frames.
    #[test]
    fn a_leap_smoothed_at_an_end_gives_way_and_a_swing_that_begins_fast_does_not() {
        let figure = figure();
        let clean = calm(&figure, 120, |_, _| ());
        let smeared = calm(&figure, 120, |f, q| q[11] += [2.4, 1.6, 0.8, 0.3].get(f).unwrap_or(&0.0));
        let (mended, notes) = mend(&smeared);
        assert_eq!(notes, ["hinge leaps: 4 of 120 frames replaced by what lies around them"]);
        assert!((mended.pose(0)[11] - clean.pose(4)[11]).abs() < 1e-12);
        let (last, notes) =
            mend(&calm(&figure, 120, |f, q| q[11] -= [1.1, 0.3].get(119 - f).unwrap_or(&0.0)));
        assert!(notes.len() == 1 && (last.pose(119)[11] - clean.pose(117)[11]).abs() < 1e-12, "{notes:?}");
        // 43 rad/s at first, and on for a while
        let swing = calm(&figure, 120, |f, q| q[11] += 12.0 * (1.0 - (-0.06 * f as f64).exp()));
        assert_eq!(mend(&swing).1, Vec::<String>::new());
    }

    #[test]
    fn a_figure_that_leaps_goes_on_where_it_was() {
        let figure = figure();
        let clean = calm(&figure, 120, |_, _| ());
        let cut = calm(&figure, 120, |f, q| {
            (0..3).for_each(|k| q[k] += if f >= 60 { [5.0, -3.0, 0.4][k] } else { 0.0 })
        });
        let (mended, notes) = mend(&cut);
        assert!(notes.iter().any(|n| n.contains("moved back")), "{notes:?}");
        for f in [0, 59, 60, 61, 119] {
            let off = (pose::triple(mended.pose(f), 0) - pose::triple(clean.pose(f), 0)).norm();
            assert!(off < 0.01, "frame {f} is {off} m off");
        }
    }

    /// A ball that is elsewhere for two frames and comes back the other way round has the same turn with other signs.
    /// Derivatives go through the numbers, so those must not leap either.
    #[test]
    fn turns_that_come_back_the_other_way_round_have_no_speed() {
        let figure = figure();
        let turns = |angle: f64| Quat::about(vec3(0.0, 0.0, 1.0), angle).0;
        let noisy = calm(&figure, 90, |f, q| {
            q[7..11].copy_from_slice(&turns(match f {
                0..40 => 0.0,
                40 => 2.1,
                41 => 4.2,
                _ => core::f64::consts::TAU,
            }));
        });
        // settled frame by frame it ends as the negative of where it began
        assert!(noisy.pose(89)[7] < -0.99, "{:?}", &noisy.pose(89)[7..11]);
        let (mended, notes) = mend(&noisy);
        assert_eq!(notes.len(), 1, "{notes:?}");
        let trajectory = Trajectory::of(&mended, None);
        let iv = figure.forest().joint_place(figure.find_joint("ball").unwrap()).iv;
        for f in 0..90 {
            let speed = pose::triple(trajectory.v(f), iv).norm();
            assert!(speed < 1e-6, "frame {f}: a ball that stands still turns at {speed} rad/s");
        }
    }

    /// Bursts of any size anywhere: what is left is possible, and the frames between the bursts are as they were.
    #[test]
    fn whatever_leaps_nothing_leaps_afterwards() {
        let figure = figure();
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            // each of them farther than a body goes within a frame
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
            let (clean, noisy) = (calm(&figure, 150, |_, _| ()), calm(&figure, 150, change));
            let (mended, notes) = mend(&noisy);
            assert!(largest_step(&mended) < 1.0, "seed {seed}: {} {notes:?}", largest_step(&mended));
            for f in (0..150).filter(|f| is_in(*f).is_none()) {
                let mut way = vec![0.0; figure.forest().nv()];
                pose::difference(figure.forest(), clean.pose(f), mended.pose(f), &mut way);
                let off = way.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                assert!(off < 0.05, "seed {seed}: frame {f}, which was fine, moved by {off}");
            }
        }
    }
}
