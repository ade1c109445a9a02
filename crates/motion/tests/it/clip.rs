//! Clips cut, warped, joined, looped, blended, turned, scaled and mirrored.
//!
//! Data: `shared/data/bvh` beside the repository; tests with it are skipped when it is absent.

use anthropi_dynamics::algo::{fk::Kinematics, rnea};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{BodyJoint, Figure, FigureBuilder, JointSpec, LinkSpec, Shape};
use anthropi_dynamics::spatial::{Quat, Transform, Vec3, vec3};
use anthropi_motion::anatomy::Side;
use anthropi_motion::clip::{Ease, Pace};
use anthropi_motion::{Clip, Error, Trajectory};
use std::sync::Arc;
use testkit::motions::*;

/// Only rounding.
const ROUNDING: f64 = 1e-12;
/// Mirroring twice converts to matrices and back.
const MIRRORED: f64 = 1e-9;
/// A quintic spline between frames of 60 Hz, of motions of a few Hz: a few h^6 times the sixth derivative.
const SPLINE: f64 = 1e-6;
/// A periodic motion in a loop: slopes at the seam are those of polynomials through frames on one side of it.
const CYCLE: f64 = 2e-4;
/// Delay of the foot's foremost position after the thigh's in the synthetic walk, s: the knee still extends.
const LATE: f64 = 0.063;
/// Moments of touchdowns at 60 Hz, s.
const TOUCHDOWN: f64 = 0.005;

fn place(clip: &Clip, frame: usize, link: &str) -> Vec3 {
    let figure = clip.figure();
    let mut k = Kinematics::default();
    k.update(figure.forest(), clip.pose(frame), None, None);
    k.link_pose(figure.forest(), figure.find_link(link).unwrap()).translation
}

#[test]
fn other_rates_keep_the_motion() {
    let figure = human("human-28");
    let clip = SLOW_WALK.clip(&figure, 60.0, 2.0).starting_at(3.0);
    assert_eq!(clip.resampled(clip.dt()).unwrap().poses(), clip.poses());
    let fine = clip.resampled(clip.dt() / 4.0).unwrap();
    assert_eq!((fine.frames(), fine.start()), (4 * (clip.frames() - 1) + 1, 3.0));
    for k in 0..fine.frames() {
        let miss = apart(&figure, fine.pose(k), &SLOW_WALK.pose(&figure, fine.time(k) - 3.0));
        assert!(miss < SPLINE, "frame {k}: {miss:e}");
    }
    assert_eq!(fine.resampled(clip.dt()).unwrap().poses(), clip.poses());
}

#[test]
fn cuts_keep_their_times() {
    let figure = human("human-28");
    let clip = SLOW_WALK.clip(&figure, 60.0, 2.0).starting_at(3.0);
    let part = clip.cut(3.5, 4.25).unwrap();
    assert_eq!((part.start(), part.frames()), (3.5, 46));
    assert_eq!(part.pose(0), clip.pose(30));
    let part = clip.cut(3.303, 4.0).unwrap();
    assert!(part.end() <= 4.0 && part.end() > 4.0 - clip.dt());
    let miss = apart(&figure, part.pose(7), &SLOW_WALK.pose(&figure, part.time(7) - 3.0));
    assert!(miss < SPLINE, "{miss:e}");
    for (from, to) in [(2.9, 4.0), (3.0, 5.1), (4.0, 3.9), (f64::NAN, 4.0)] {
        let error = clip.cut(from, to).unwrap_err();
        assert!(matches!(error, Error::OutOfRange { .. }), "{from} {to}: {error}");
    }
}

#[test]
fn keys_warp_time_monotonically() {
    let figure = human("human-28");
    let clip = SLOW_WALK.clip(&figure, 60.0, 3.0);
    let keys = [(0.5, 0.0), (1.0, 1.0), (2.0, 1.5), (2.5, 4.0)];
    let warped = clip.warped_by_keys(&keys).unwrap();
    assert!((warped.start(), warped.frames()) == (0.0, 241));
    for (old, new) in keys {
        let miss = apart(&figure, warped.pose((new * 60.0) as usize), &SLOW_WALK.pose(&figure, old));
        assert!(miss < SPLINE, "{old} at {new}: {miss:e}");
    }
    // the root travels uniformly, so its displacement is the clock: forward in every frame, with continuous speed
    let steps: Vec<f64> = (1..warped.frames()).map(|k| root(&warped, k).x - root(&warped, k - 1).x).collect();
    assert!(steps.iter().all(|s| *s > 0.0));
    let jump = steps.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
    assert!(jump < 0.25 * steps.iter().copied().fold(0.0, f64::max), "{jump}");
    assert!(clip.warped_by_keys(&[(0.5, 0.0), (0.4, 1.0)]).is_err());
    assert!(clip.warped_by_keys(&[(0.5, 0.0)]).is_err());
    let same = clip.warped(3.0, |t| t).unwrap();
    assert_eq!(same.poses(), clip.poses());
    assert!(clip.warped(3.0, |t| 1.0 - 0.1 * t).is_err());
    assert!(clip.warped(3.0, |t| 1.1 * t).is_err());
}

#[test]
fn speed_and_direction_of_time() {
    let clip = SLOW_WALK.clip(&human("human-28"), 60.0, 2.0);
    let fast = clip.at_speed(2.0).unwrap();
    assert!((fast.duration() - 1.0).abs() < ROUNDING);
    assert!(clip.at_speed(0.0).is_err() && clip.at_speed(f64::NAN).is_err());
    assert!(clip.resampled(f64::MIN_POSITIVE).is_err() && clip.looped(usize::MAX, 0.1).is_err());
    assert!(clip.warped(1e300, |_| 0.0).is_err() && clip.looped(0, 0.1).is_err());
    let back = clip.reversed();
    assert!(apart(clip.figure(), back.pose(0), clip.pose(120)) < ROUNDING);
    assert!(clips_apart(&back.reversed(), &clip) < ROUNDING);
}

#[test]
fn two_parts_joined_are_the_whole_regardless_of_position() {
    let whole = SLOW_WALK.clip(&human("human-28"), 60.0, 3.0);
    let (a, b) = (whole.cut(0.0, 1.75).unwrap(), whole.cut(1.25, 3.0).unwrap());
    let elsewhere = b.moved(vec3(3.0, -7.0, 0.0), 2.5).unwrap();
    for ease in [Ease::Linear, Ease::Cubic, Ease::Quintic] {
        let joined = a.joined(&elsewhere, 0.5, ease).unwrap();
        let miss = clips_apart(&joined, &whole);
        assert!(miss < 1e-9, "{ease:?}: {miss:e}");
    }
}

#[test]
fn joined_walks_are_continuous_in_position_and_speed() {
    let figure = human("human-28");
    // in phase in the middle of the overlap; poses and speeds differ
    let a = SLOW_WALK.clip(&figure, 120.0, 2.5);
    let b =
        Walk { phase: 0.64, ..QUICK_WALK }.clip(&figure, 80.0, 2.0).moved(vec3(1.0, 2.0, 0.0), -1.0).unwrap();
    let joined = a.joined(&b, 0.4, Ease::Quintic).unwrap();
    assert_eq!(joined.dt(), a.dt());
    assert!((joined.duration() - (2.5 + 2.0 - 0.4)).abs() < 1e-9, "{}", joined.duration());
    let worst = |clip: &Clip| {
        let t = Trajectory::from_clip(clip, None);
        (0..clip.frames()).flat_map(|k| t.a(k).to_vec()).fold(0.0, |m: f64, a| m.max(a.abs()))
    };
    let (of_join, of_parts) = (worst(&joined), worst(&a).max(worst(&b)));
    // a jump of 1 mm or 1 mrad within a frame would add 14 m/s^2, one of speed by 0.1 rad/s 12 rad/s^2
    assert!(of_join < 2.0 * of_parts, "{of_join} against {of_parts}");
    let last = joined.frames() - 1;
    let speed = (root(&joined, last) - root(&joined, last - 60)).norm() * 2.0;
    assert!((speed - 1.8).abs() < 0.05, "{speed}");
    // it continues in the direction of the first one
    let way = root(&joined, last) - root(&joined, last - 120);
    assert!((way.y / way.x).abs() < 0.1, "{way:?}");
}

#[test]
fn cycles_continue_where_they_end() {
    let figure = human("human-28");
    let cycle = SLOW_WALK.clip(&figure, 120.0, 1.25);
    let long = SLOW_WALK.clip(&figure, 120.0, 3.75);
    let miss = clips_apart(&cycle.looped(3, 0.2).unwrap(), &long);
    assert!(miss < CYCLE, "{miss:e}");
    // a cycle that is too short, and one that turns
    let short = SLOW_WALK.clip(&figure, 120.0, 1.2).turned_path(0.3, 0.3, 0.8).unwrap();
    let looped = short.looped(4, 0.2).unwrap();
    assert_eq!(looped.frames(), 4 * 144 + 1);
    let (whole, once) = (Trajectory::from_clip(&looped, None), Trajectory::from_clip(&short, None));
    let size = |a: &[f64]| a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let usual = (0..145).map(|k| size(once.a(k))).fold(0.0, f64::max);
    for seam in [144, 288, 432] {
        for k in seam - 30..seam + 30 {
            let [a, b] = [whole.a(k), whole.a(k + 1)];
            let jump = a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(jump < 0.3 * usual, "frame {k}: accelerations jump by {jump} (usual size {usual})");
        }
    }
    let headings = [0, 144, 288, 432, 576].map(|k| {
        let [w, _, _, z] = [3, 4, 5, 6].map(|i| looped.pose(k)[i]);
        2.0 * z.atan2(w)
    });
    let drift = (headings[4] - headings[0]) - 4.0 * (headings[1] - headings[0]);
    assert!(drift.abs() < 1e-9, "{headings:?}");
}

#[test]
fn touchdowns_of_synthetic_walks() {
    let figure = human("human-28");
    let clip = SLOW_WALK.clip(&figure, 60.0, 4.0);
    let steps = clip.touchdowns();
    assert_eq!(steps.len(), 7, "{steps:?}");
    let half = 0.5 / SLOW_WALK.cadence;
    for (k, step) in steps.iter().enumerate() {
        assert_eq!(step.side, if k % 2 == 0 { Side::Left } else { Side::Right });
        let late = step.time - k as f64 * half;
        assert!((late - LATE).abs() < TOUCHDOWN, "step {k}: {late} s after the thigh");
    }
    assert!(sines(&human("anthropi-42"), 60.0, 2).touchdowns().is_empty());
}

#[test]
fn blends_have_the_mean_cadence_and_length_of_steps() {
    let figure = human("human-28");
    let (a, b) = (
        SLOW_WALK.clip(&figure, 60.0, 6.0),
        QUICK_WALK.clip(&figure, 90.0, 6.0).moved(vec3(5.0, 1.0, 0.0), 1.0).unwrap(),
    );
    for w in [0.0, 0.25, 0.5, 1.0] {
        let blend = a.blended(&b, |_| w).unwrap();
        let steps = blend.touchdowns();
        let n = steps.len();
        assert!(n > 5, "{n} steps");
        let period = 2.0 * (steps[n - 2].time - steps[1].time) / (n - 3) as f64;
        let expected = (1.0 - w) / SLOW_WALK.cadence + w / QUICK_WALK.cadence;
        assert!((period - expected).abs() < 0.01, "weight {w}: cycle {period} s instead of {expected}");
        let stride =
            (1.0 - w) * SLOW_WALK.speed / SLOW_WALK.cadence + w * QUICK_WALK.speed / QUICK_WALK.cadence;
        let [from, to] = [steps[1], steps[n - 2]]
            .map(|s| root(&blend, ((s.time - blend.start()) / blend.dt()).round() as usize));
        let speed = (to - from).norm() / (steps[n - 2].time - steps[1].time);
        assert!(
            (speed - stride / expected).abs() < 0.03,
            "weight {w}: {speed} m/s, not {}",
            stride / expected
        );
    }
}

#[test]
fn blends_without_steps_and_with_changing_weights() {
    let figure = human("human-40");
    let a = sines(&figure, 60.0, 91);
    let b = sines(&figure, 60.0, 121).moved(vec3(0.0, 1.0, 0.0), 0.3).unwrap();
    assert!(clips_apart(&a.blended(&b, |_| 0.0).unwrap(), &a) < 1e-9);
    let half = a.blended(&b, |_| 0.5).unwrap();
    assert!((half.duration() - 1.75).abs() < 1e-9, "{}", half.duration());
    let eased = a.blended(&a, |t| Ease::Quintic.at(t)).unwrap();
    assert!(clips_apart(&eased, &a) < 1e-9);
    assert!(matches!(a.blended(&b, |_| 1.5), Err(Error::OutOfRange { .. })));
    let other = SLOW_WALK.clip(&human("human-28"), 60.0, 1.0);
    assert!(matches!(a.blended(&other, |_| 0.5), Err(Error::DifferentFigures { .. })));
    assert!(matches!(a.joined(&other, 0.2, Ease::Quintic), Err(Error::DifferentFigures { .. })));
    // the same figure loaded twice is one figure
    let again = sines(&human("human-40"), 60.0, 91);
    assert!(a.joined(&again, 0.2, Ease::Quintic).is_ok());
    assert!(a.joined(&again, 9.0, Ease::Quintic).is_err());
}

#[test]
fn a_walk_turns_by_thirty_degrees() {
    let figure = human("human-28");
    let clip = SLOW_WALK.clip(&figure, 60.0, 4.0);
    let angle = 30f64.to_radians();
    let bent = clip.turned_path(angle, 1.0, 2.0).unwrap();
    // the same until the turn, the same turned and shifted after it, steps of the same length in between
    for k in 0..=60 {
        assert!(apart(&figure, bent.pose(k), clip.pose(k)) < ROUNDING, "frame {k}");
    }
    let yaw = Quat::about(vec3(0.0, 0.0, 1.0), angle);
    let shift = root(&bent, 120) - yaw.rotate(root(&clip, 120));
    let straight = clip.moved(shift, angle).unwrap();
    for k in 120..241 {
        let miss = apart(&figure, bent.pose(k), straight.pose(k));
        assert!(miss < ROUNDING, "frame {k}: {miss:e}");
    }
    for k in 1..241 {
        let [a, b] = [&bent, &clip].map(|c| (root(c, k) - root(c, k - 1)).norm());
        assert!((a - b).abs() < ROUNDING, "frame {k}: {a} {b}");
    }
    // the path is that of the motion, not of its frames: of second order in the time between them
    let fine = SLOW_WALK.clip(&figure, 960.0, 4.0).turned_path(angle, 1.0, 2.0).unwrap();
    let miss = (root(&fine, 3840) - root(&bent, 240)).norm();
    assert!(miss < 1e-4, "{miss:e}");
    assert!(clip.turned_path(angle, 2.0, 1.0).is_err() && clip.turned_path(f64::NAN, 1.0, 2.0).is_err());
}

#[test]
fn mirroring_twice_is_the_identity_and_feet_swap_sides() {
    for name in ["human-16", "human-28", "human-40", "anthropi-42"] {
        let clip = sines(&human(name), 60.0, 120);
        let mirrored = clip.mirrored().unwrap();
        let miss = clips_apart(&mirrored.mirrored().unwrap(), &clip);
        assert!(miss < MIRRORED, "{name}: {miss:e}");
        assert!(clips_apart(&mirrored, &clip) > 0.1, "{name}: nothing happened");
        for frame in [0, 50, 119] {
            for (one, other) in
                [("left_foot", "right_foot"), ("right_forearm", "left_forearm"), ("head", "head")]
            {
                let (a, b) = (place(&mirrored, frame, one), place(&clip, frame, other));
                let miss = (a - vec3(b.x, -b.y, b.z)).norm();
                assert!(miss < MIRRORED, "{name}, frame {frame}: {one} is {miss:e} off");
            }
        }
    }
}

/// A body with two rods whose hinges and slides have opposite axes, away from the world's axis.
fn opposite_axes() -> Figure {
    let ball = Shape::Sphere { radius: 0.1 }.inertia(1000.0).unwrap();
    let mut b = FigureBuilder::new("opposite");
    let mut root = JointSpec::new("root", JointKind::Free);
    root.home = Some([0.0, 0.5, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let body = b.add(LinkSpec::new("body", ball), root).unwrap();
    for (side, sign) in [("l", 1.0), ("r", -1.0)] {
        let at = |x: f64| Transform::translation(vec3(x, 0.2 * sign, 0.0));
        let hinge = JointKind::Revolute { axis: vec3(0.0, sign, 0.0) };
        let slide = JointKind::Prismatic { axis: vec3(sign, 0.0, 0.0) };
        let rod = JointSpec::new(format!("{side}hinge"), hinge).on(body, at(0.0));
        let rod = b.add(LinkSpec::new(format!("{side}rod"), ball), rod).unwrap();
        let tip = JointSpec::new(format!("{side}slide"), slide).on(rod, at(0.3));
        b.add(LinkSpec::new(format!("{side}tip"), ball), tip).unwrap();
    }
    b.build().unwrap()
}

#[test]
fn mirroring_uses_the_figures_own_plane_and_joint_axes() {
    let clip = sines(&Arc::new(opposite_axes()), 60.0, 30);
    let mirrored = clip.mirrored().unwrap();
    let miss = clips_apart(&mirrored.mirrored().unwrap(), &clip);
    assert!(miss < MIRRORED, "{miss:e}");
    for frame in [0, 29] {
        for (one, other) in [("ltip", "rtip"), ("rrod", "lrod"), ("body", "body")] {
            let (a, b) = (place(&mirrored, frame, one), place(&clip, frame, other));
            let miss = (a - vec3(b.x, 1.0 - b.y, b.z)).norm();
            assert!(miss < MIRRORED, "frame {frame}: {one} is {miss:e} off");
        }
    }
    let mut b = FigureBuilder::new("one-armed");
    let ball = Shape::Sphere { radius: 0.1 }.inertia(1000.0).unwrap();
    b.add(LinkSpec::new("left_arm", ball), JointSpec::new("root", JointKind::Free)).unwrap();
    let clip = sines(&Arc::new(b.build().unwrap()), 60.0, 3);
    assert!(matches!(clip.mirrored(), Err(Error::Unsuitable { .. })));
    let mut b = FigureBuilder::new("tied");
    let hinge = JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) };
    b.add(LinkSpec::new("rod", ball), JointSpec::new("hinge", hinge)).unwrap();
    let clip = sines(&Arc::new(b.build().unwrap()), 60.0, 9);
    assert!(matches!(clip.moved(vec3(1.0, 0.0, 0.0), 0.0), Err(Error::Unsuitable { .. })));
    assert!(matches!(clip.looped(2, 0.1), Err(Error::Unsuitable { .. })));
}

/// Same pose, half the length, a fifth of the mass, time scaled by the square root of length: forces scale with the mass,
/// moments with mass times length.
#[test]
fn similar_motions_have_similar_forces() {
    let clip = sines(&human("anthropi-42"), 60.0, 60);
    let small = clip.with_stature_and_mass(Some(0.85), Some(14.0), Pace::Similar).unwrap();
    let ratio = 14.0 / clip.figure().mass();
    let forces = |clip: &Clip| {
        let (t, forest) = (Trajectory::from_clip(clip, None), clip.figure().forest());
        let (mut work, mut tau) = (rnea::Work::default(), vec![0.0; forest.nv()]);
        let (q, v, a) = t.at(30);
        rnea::inverse_dynamics(forest, q, v, a, None, &mut work, &mut tau);
        tau
    };
    let (large, small) = (forces(&clip), forces(&small));
    let most = large.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    for (i, (large, small)) in large.iter().zip(&small).enumerate() {
        let expected = large * ratio * if (3..6).contains(&i) { 1.0 } else { 0.5 };
        assert!((small - expected).abs() < 1e-9 * most, "{i}: {small} instead of {expected}");
    }
}

#[test]
fn the_same_motion_in_another_size() {
    for name in ["human-28", "anthropi-42"] {
        let clip = sines(&human(name), 60.0, 20);
        let small = clip.with_stature_and_mass(Some(0.85), Some(20.0), Pace::Similar).unwrap();
        assert!((small.figure().mass() - 20.0).abs() < 1e-9);
        assert!((small.dt() / clip.dt() - 0.5f64.sqrt()).abs() < ROUNDING);
        for frame in [0, 19] {
            for link in ["left_foot", "head"] {
                let miss = (place(&small, frame, link) - place(&clip, frame, link).scale(0.5)).norm();
                assert!(miss < ROUNDING, "{name} {link}: {miss:e}");
            }
        }
        let heavy = clip.with_stature_and_mass(None, Some(100.0), Pace::Same).unwrap();
        assert_eq!((heavy.poses(), heavy.dt()), (clip.poses(), clip.dt()));
        assert!(clip.with_stature_and_mass(Some(-1.0), None, Pace::Same).is_err());
    }
}

/// Mean speed of the slower foot: foot skate, m/s.
fn slide(clip: &Clip) -> f64 {
    let feet = |k: usize| ["left_foot", "right_foot"].map(|foot| place(clip, k, foot));
    let slower = (1..clip.frames()).map(|k| {
        let (now, before) = (feet(k), feet(k - 1));
        (now[0] - before[0]).norm().min((now[1] - before[1]).norm()) / clip.dt()
    });
    slower.sum::<f64>() / (clip.frames() - 1) as f64
}

/// RMS of all accelerations under 12 Hz: noise, and the increase by an operation.
fn acceleration(clip: &Clip) -> f64 {
    let t = Trajectory::from_clip(clip, Some(12.0));
    let squares: f64 = (0..clip.frames()).flat_map(|k| t.a(k)).map(|a| a * a).sum();
    (squares / clip.frames() as f64).sqrt()
}

#[test]
fn recorded_walks() {
    let [Some(slow), Some(fast)] = ["02_01.bvh", "02_02.bvh"].map(recorded) else { return };
    for clip in [&slow, &fast] {
        let steps = clip.touchdowns();
        assert!(steps.len() >= 4, "{}: {steps:?}", clip.name);
        assert!(steps.windows(2).all(|w| w[0].side != w[1].side), "{}: {steps:?}", clip.name);
        for pair in steps.windows(2) {
            let step = pair[1].time - pair[0].time;
            assert!((0.35..0.85).contains(&step), "{}: a step of {step} s", clip.name);
        }
        assert!(clips_apart(&clip.mirrored().unwrap().mirrored().unwrap(), clip) < MIRRORED);
        let looped = clip.cut(steps[0].time, steps[2].time).unwrap().looped(4, 0.15).unwrap();
        let (size, usual) = (acceleration(&looped), acceleration(clip));
        println!("{}: accelerations in a loop {size}, as recorded {usual}", clip.name);
        assert!(size < 1.1 * usual, "{}: {size} {usual}", clip.name);
    }
    let speed = |c: &Clip| {
        let way = root(c, c.frames() - 1) - root(c, 0);
        vec3(way.x, way.y, 0.0).norm() / c.duration()
    };
    let blend = slow.blended(&fast, |_| 0.5).unwrap();
    let bent = slow.turned_path(30f64.to_radians(), 0.8, 2.0).unwrap();
    println!("speeds {} {} {}", speed(&slow), speed(&blend), speed(&fast));
    println!("slide {} {} {}, bent {}", slide(&slow), slide(&blend), slide(&fast), slide(&bent));
    assert!(speed(&blend) > speed(&slow) && speed(&blend) < speed(&fast));
    // the blend skates about as little as its sources
    assert!(slide(&blend) < 1.5 * slide(&slow).max(slide(&fast)), "{}", slide(&blend));
}

#[test]
fn a_cubic_has_constant_jerk() {
    let figure = human("human-28");
    let forest = figure.forest();
    let joints: Vec<_> = forest.bodies().iter().skip(1).filter(|b| b.joint != BodyJoint::Free).collect();
    let hinge = joints.iter().find(|b| b.joint.nv() == 1).expect("a knee").coordinates().start;
    let (dt, jerk) = (0.01, 12.0);
    let pose = |k: u32| {
        let mut q = forest.home().to_vec();
        q[hinge] += jerk / 6.0 * (f64::from(k) * dt).powi(3);
        q
    };
    let clip = Clip::new("cubic", figure.clone(), dt, (0..9).flat_map(pose).collect()).unwrap();
    let dofs: usize = joints.iter().map(|b| b.joint.nv()).sum();
    let expected = jerk / (dofs as f64).sqrt();
    let got = clip.jitter(9).expect("nine frames");
    assert!((got - expected).abs() < 1e-6 * expected, "{got} {expected}");
    assert_eq!(clip.jitter(3), None);
}
