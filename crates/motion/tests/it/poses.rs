//! Poses of random figures on the configuration manifold, and clips of them.

use anthropi_dynamics::model::{Figure, State};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{Quat, vec3};
use anthropi_motion::clip::{Clip, Ease, Planar};
use anthropi_motion::{Trajectory, pose};
use std::sync::Arc;
use testkit::motions::{apart, clips_apart};
use testkit::{Rng, free_figure};

/// Only rounding.
const ROUNDING: f64 = 1e-12;

fn figure(seed: u64, links: usize) -> Arc<Figure> {
    Arc::new(free_figure(seed, links))
}

/// A pose within a turn of the home pose.
fn random_pose(figure: &Figure, rng: &mut Rng, size: f64) -> Vec<f64> {
    let forest = figure.forest();
    let way: Vec<f64> = (0..forest.nv()).map(|_| size * rng.signed()).collect();
    let mut q = forest.home().to_vec();
    pose::along(forest, forest.home(), &way, 1.0, &mut q);
    q
}

#[test]
fn displacements_are_invertible() {
    for seed in 0..20 {
        let (figure, mut rng) = (figure(seed, 8), Rng::new(seed + 100));
        let forest = figure.forest();
        let (a, b) = (random_pose(&figure, &mut rng, 1.0), random_pose(&figure, &mut rng, 1.0));
        let (mut way, mut back, mut q) = (vec![0.0; forest.nv()], vec![0.0; forest.nv()], a.clone());
        pose::difference(forest, &a, &b, &mut way);
        pose::along(forest, &a, &way, 1.0, &mut q);
        assert!(apart(&figure, &q, &b) < ROUNDING, "seed {seed}: it leads elsewhere");
        pose::along(forest, &a, &way, 0.0, &mut q);
        assert!(apart(&figure, &q, &a) < ROUNDING, "seed {seed}: none of the way leads somewhere");
        // symmetric in its ends
        for s in [0.0, 0.2, 0.5, 1.0] {
            let mut other = a.clone();
            pose::between(forest, &a, &b, s, &mut q);
            pose::between(forest, &b, &a, 1.0 - s, &mut other);
            assert!(apart(&figure, &q, &other) < 1e-10, "seed {seed}, {s}: {:e}", apart(&figure, &q, &other));
        }
        // rotation vectors are constant along the path: the way back is the negative
        pose::difference(forest, &b, &a, &mut back);
        for (k, (x, y)) in way.iter().zip(&back).enumerate() {
            assert!((x + y).abs() < 1e-10, "seed {seed}: degree of freedom {k} goes {x} and back {y}");
        }
    }
}

/// The displacement over a short time is the velocity: agrees with the engine's steps, travel rotated to world axes.
#[test]
fn small_displacements_are_velocities() {
    for seed in 0..10 {
        let (figure, mut rng) = (figure(seed, 6), Rng::new(seed + 200));
        let forest = figure.forest();
        let q = random_pose(&figure, &mut rng, 1.0);
        let v: Vec<f64> = (0..forest.nv()).map(|_| rng.signed()).collect();
        let h = 1e-6;
        let mut there = q.clone();
        advance(forest, &mut there, &v, h);
        let mut way = vec![0.0; forest.nv()];
        pose::difference(forest, &q, &there, &mut way);
        let turn = Quat([q[3], q[4], q[5], q[6]]);
        let linear = turn.rotate(vec3(v[3], v[4], v[5])).to_array();
        for (k, way) in way.iter().enumerate() {
            let expected = if (3..6).contains(&k) { linear[k - 3] } else { v[k] };
            assert!((way / h - expected).abs() < 1e-5, "seed {seed}: {k}: {} {expected}", way / h);
        }
    }
}

#[test]
fn normalising_keeps_the_pose_and_is_idempotent() {
    for seed in 0..20 {
        let (figure, mut rng) = (figure(seed, 8), Rng::new(seed + 300));
        let forest = figure.forest();
        let (before, q) = (random_pose(&figure, &mut rng, 0.5), random_pose(&figure, &mut rng, 0.5));
        let mut rough = q.clone();
        for i in pose::quaternions(forest) {
            let size = (0.3 + rng.uniform()).copysign(rng.signed());
            (0..4).for_each(|k| rough[i + k] *= size);
        }
        pose::make_continuous(forest, Some(&before), &mut rough);
        assert!(apart(&figure, &q, &rough) < ROUNDING, "seed {seed}: another pose");
        let once = rough.clone();
        pose::make_continuous(forest, Some(&before), &mut rough);
        assert_eq!(once, rough, "seed {seed}: settled again it changed");
        for i in pose::quaternions(forest) {
            let dot: f64 = (0..4).map(|k| rough[i + k] * before[i + k]).sum();
            assert!(dot >= 0.0, "seed {seed}: the sign jumps");
            assert!((pose::quaternion(&rough, i).norm() - 1.0).abs() < ROUNDING);
        }
    }
}

/// Random waves of every degree of freedom.
fn clip(figure: &Arc<Figure>, seed: u64, frames: usize, dt: f64) -> Clip {
    let mut rng = Rng::new(seed);
    let forest = figure.forest();
    let waves: Vec<[f64; 3]> = (0..forest.nv())
        .map(|_| [0.4 * rng.signed(), 2.0 + 3.0 * rng.uniform(), 6.0 * rng.uniform()])
        .collect();
    let mut q = Vec::new();
    let mut pose = forest.home().to_vec();
    for f in 0..frames {
        let way: Vec<f64> = waves.iter().map(|[a, w, p]| a * (w * f as f64 * dt + p).sin()).collect();
        pose::along(forest, forest.home(), &way, 1.0, &mut pose);
        q.extend_from_slice(&pose);
    }
    Clip::new("waves", figure.clone(), dt, q).unwrap()
}

/// Planar displacements form a group, and clips follow it.
#[test]
fn planar_displacements_are_a_group() {
    for seed in 0..6 {
        let clip = clip(&figure(seed, 5), seed, 30, 0.02);
        let mut rng = Rng::new(seed + 400);
        let (shift, yaw) = (rng.vec3(3.0), 3.0 * rng.signed());
        let there = clip.moved(shift, yaw).unwrap();
        let back = Quat::about(vec3(0.0, 0.0, 1.0), -yaw);
        let again = there.moved(vec3(0.0, 0.0, 0.0), -yaw).unwrap().moved(-back.rotate(shift), 0.0).unwrap();
        assert!(clips_apart(&again, &clip) < 1e-11, "seed {seed}: {:e}", clips_apart(&again, &clip));
        let forest = clip.figure().forest();
        for f in [0, 7, 29] {
            let onto = Planar::onto(forest, there.pose(f), clip.pose(f));
            let mut q = there.pose(f).to_vec();
            onto.apply(forest, &mut q);
            // heights stay, headings and positions agree
            q[2] -= shift.z;
            assert!(apart(clip.figure(), &q, clip.pose(f)) < 1e-11, "seed {seed}, frame {f}");
        }
    }
}

/// Edits in time and in space commute.
#[test]
fn edits_in_time_and_space_commute() {
    for seed in 0..6 {
        let clip = clip(&figure(seed, 5), seed, 61, 0.02);
        let (shift, yaw) = (vec3(1.0, -2.0, 0.5), 1.3);
        let moved = |c: &Clip| c.moved(shift, yaw).unwrap();
        let close = |a: &Clip, b: &Clip, what: &str| {
            let miss = clips_apart(a, b);
            assert!(a.dt() == b.dt() && miss < 1e-9, "seed {seed}: {what}: {miss:e}");
        };
        close(&moved(&clip.reversed()), &moved(&clip).reversed(), "reversed");
        close(&moved(&clip.cut(0.2, 0.9).unwrap()), &moved(&clip).cut(0.2, 0.9).unwrap(), "cut");
        close(&moved(&clip.at_speed(1.7).unwrap()), &moved(&clip).at_speed(1.7).unwrap(), "faster");
        let resampled = |c: &Clip| c.resampled(0.007).unwrap();
        // quaternion components are interpolated separately, which a rotation mixes: to the interpolation error
        let miss = clips_apart(&moved(&resampled(&clip)), &resampled(&moved(&clip)));
        assert!(miss < 1e-6, "seed {seed}: resampled: {miss:e}");
        close(&clip.reversed().reversed(), &clip, "twice backwards");
    }
}

#[test]
fn cutting_and_joining_restores_the_clip() {
    for seed in 0..6 {
        let clip = clip(&figure(seed, 5), seed, 101, 0.02);
        let mut rng = Rng::new(seed + 500);
        let (a, b) = (clip.cut(0.0, 1.3).unwrap(), clip.cut(0.9, 2.0).unwrap());
        let b = b.moved(vec3(rng.signed(), rng.signed(), 0.0), 3.0 * rng.signed()).unwrap();
        for ease in [Ease::Linear, Ease::Quintic] {
            let joined = a.joined(&b, 0.4, ease).unwrap();
            let miss = clips_apart(&joined, &clip);
            assert!(miss < 1e-8, "seed {seed}, {ease:?}: {miss:e}");
        }
    }
}

/// Inverse clocks restore the motion; keys at their own times change nothing.
#[test]
fn inverse_warps_restore_the_motion() {
    for seed in 0..4 {
        let clip = clip(&figure(seed, 5), seed, 201, 0.01);
        let keys = [(0.0, 0.0), (0.5, 0.9), (1.2, 1.4), (2.0, 2.0)];
        let back: Vec<(f64, f64)> = keys.iter().map(|(a, b)| (*b, *a)).collect();
        let there = clip.warped_by_keys(&keys).unwrap();
        for (old, new) in keys {
            let [mut a, mut b] = [clip.pose(0).to_vec(), clip.pose(0).to_vec()];
            clip.sample(old, &mut a);
            there.sample(new, &mut b);
            assert!(apart(clip.figure(), &a, &b) < 1e-6, "seed {seed}: what was at {old} is not at {new}");
        }
        let again = there.warped_by_keys(&back).unwrap();
        for (old, _) in keys {
            let frame = (old / 0.01_f64).round() as usize;
            let miss = apart(clip.figure(), again.pose(frame), clip.pose(frame));
            assert!(miss < 1e-5, "seed {seed}: at {old} s: {miss:e}");
        }
        let same = clip.warped_by_keys(&[(0.0, 0.0), (1.1, 1.1), (2.0, 2.0)]).unwrap();
        assert!(clips_apart(&same, &clip) < 1e-9, "seed {seed}");
    }
}

/// Velocities and accelerations of every kind of joint against the analytic motion, by short steps of the engine.
#[test]
fn derivatives_are_those_of_the_motion() {
    for seed in 0..6 {
        let figure = figure(seed, 6);
        let (dt, fine) = (0.01, 64);
        let clip = clip(&figure, seed, 80, dt);
        let trajectory = Trajectory::from_clip(&clip, None);
        let waves = self::clip(&figure, seed, 80 * fine, dt / fine as f64);
        let forest = figure.forest();
        for frame in 10..70 {
            let (q, v, a) = trajectory.at(frame);
            let h = dt / fine as f64;
            // a step with the midpoint velocity, to second order
            let middle: Vec<f64> = v.iter().zip(a).map(|(v, a)| v + 0.5 * h * a).collect();
            let mut there = q.to_vec();
            advance(forest, &mut there, &middle, h);
            let miss = apart(&figure, &there, waves.pose(frame * fine + 1)) / h;
            assert!(miss < 1e-4, "seed {seed}, frame {frame}: velocities are {miss:e} off");
        }
    }
}

/// Poses of other structures are refused, with both lengths.
#[test]
fn clips_of_wrong_numbers_are_refused() {
    let figure = figure(1, 4);
    let nq = figure.forest().nq();
    let home = State::home(&figure).q;
    let good = home.repeat(3);
    assert!(Clip::new("ok", figure.clone(), 0.1, good.clone()).is_ok());
    for (dt, q, word) in [
        (0.0, good.clone(), "a positive number"),
        (f64::NAN, good.clone(), "a positive number"),
        (0.1, Vec::new(), "at least one"),
        (0.1, good[..2 * nq - 1].to_vec(), &(2 * nq).to_string()),
        (0.1, [&good[..nq], &vec![f64::INFINITY; nq]].concat(), "j0"),
    ] {
        let error = Clip::new("bad", figure.clone(), dt, q).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains("bad"), "{error}");
    }
}
