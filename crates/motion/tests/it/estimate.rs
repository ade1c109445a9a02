//! The on-line estimator: exactness, noise, lag, and invalid frames.
//!
//! Data: `shared/data/bvh` beside the repository; the test with it is skipped when it is absent.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, Shape};
use anthropi_dynamics::spatial::{Quat, Transform, vec3};
use anthropi_motion::estimate::Delay;
use anthropi_motion::{Clip, Error, OnlineEstimator, Trajectory, Tuning, pose};
use testkit::motions::*;

const DT: f64 = 1.0 / 120.0;
/// Rounding of second differences: 1e-16 of a radian over dt^2, a hundredfold.
const EXACT: f64 = 1e-9;

/// A free ball with a hinge and a slide on it.
fn toy() -> Figure {
    let ball = Shape::Sphere { radius: 0.1 }.inertia(1000.0).unwrap();
    let mut b = FigureBuilder::new("toy");
    let body = b.add(LinkSpec::new("body", ball), JointSpec::new("root", JointKind::Free)).unwrap();
    for (name, kind) in [
        ("hinge", JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) }),
        ("slide", JointKind::Prismatic { axis: vec3(1.0, 0.0, 0.0) }),
    ] {
        b.add(LinkSpec::new(name, ball), JointSpec::new(name, kind).on(body, Transform::identity())).unwrap();
    }
    b.build().unwrap()
}

/// q, v, a of constant accelerations: p'' in world axes, a turn about a fixed axis, hinge and slide.
fn thrown(t: f64) -> [Vec<f64>; 3] {
    let axis = vec3(2.0, -1.0, 2.0).scale(1.0 / 3.0);
    let (w0, dw) = (1.5, -2.0);
    let turn = Quat::exp(vec3(0.2, 0.4, -0.3)).then(Quat::about(axis, w0 * t + 0.5 * dw * t * t));
    let place = vec3(1.0 - t, 2.0 * t, 0.3 + 3.0 * t - 4.905 * t * t);
    let (w, back) = (axis.scale(w0 + dw * t), turn.inverse());
    let linear = back.rotate(vec3(-1.0, 2.0, 3.0 - 9.81 * t));
    let change = back.rotate(vec3(0.0, 0.0, -9.81)) - w.cross(linear);
    let joined = |a: &[f64], b: &[f64], rest: [f64; 2]| [a, b, &rest].concat();
    let v = |a: anthropi_dynamics::spatial::Vec3, b: anthropi_dynamics::spatial::Vec3, rest| {
        joined(&a.to_array(), &b.to_array(), rest)
    };
    [
        joined(&place.to_array(), &turn.0, [0.1 + 2.0 * t * t, 0.5 * t]),
        v(w, linear, [4.0 * t, 0.5]),
        v(axis.scale(dw), change, [4.0, 0.0]),
    ]
}

fn far(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

#[test]
fn constant_accelerations_are_reproduced_exactly() {
    let figure = toy();
    for delay in [Delay::None, Delay::OneFrame] {
        let tuning = Tuning { delay, ..Tuning::walk(DT) };
        let mut estimator = OnlineEstimator::new(&figure, DT, tuning).unwrap();
        let start = estimator.start_frames();
        for k in 0..240 {
            let [q, _, _] = thrown(k as f64 * DT);
            let Some(e) = estimator.push(&q).unwrap() else {
                assert!(k == 0 && delay == Delay::OneFrame);
                continue;
            };
            assert_eq!(e.frame, if delay == Delay::None { k } else { k - 1 });
            let [q, v, a] = thrown(e.frame as f64 * DT);
            if e.frame >= 5 {
                let misses = [far(e.pose, &q), far(e.v, &v), far(e.a, &a)];
                assert!(
                    misses[0] < EXACT && misses[1] < EXACT / DT && misses[2] < EXACT / (DT * DT),
                    "{delay:?}, frame {} (start takes {start}): {misses:?}",
                    e.frame
                );
            }
        }
        // also through a missing frame
        estimator.skip();
        let [q, v, a] = thrown(240.0 * DT);
        let e = estimator.latest().unwrap();
        assert_eq!(e.frame, 240);
        assert!(far(e.pose, &q) < EXACT && far(e.v, &v) < 1e-6 && far(e.a, &a) < 1e-4);
    }
}

#[test]
fn rotation_axes_may_change() {
    // omega(t) = w + alpha t in child axes, not parallel; integrated finely
    let figure = toy();
    let (w, alpha) = (vec3(3.0, 0.0, 1.0), vec3(0.0, 4.0, -2.0));
    let (mut turn, n) = (Quat::IDENTITY, 200);
    let mut estimator = OnlineEstimator::new(&figure, DT, Tuning::walk(DT)).unwrap();
    let mut worst = [0.0f64; 2];
    for k in 0..120 {
        let pose = [&[0.0; 3][..], &turn.0, &[0.0; 2]].concat();
        if let Some(e) = estimator.push(&pose).unwrap().filter(|e| e.frame > 80) {
            let now = w + alpha.scale(e.frame as f64 * DT);
            worst[0] = worst[0].max(far(&e.v[..3], &now.to_array()));
            worst[1] = worst[1].max(far(&e.a[..3], &alpha.to_array()));
        }
        for i in 0..n {
            let t = DT * (k as f64 + (f64::from(i) + 0.5) / f64::from(n));
            turn = turn.then(Quat::exp((w + alpha.scale(t)).scale(DT / f64::from(n)))).normalized();
        }
    }
    // after start-up; without the curvature term v would be off by 7e-5
    println!("turning axis: {worst:?}");
    assert!(worst[0] < 1e-6 && worst[1] < 1e-5, "{worst:?}");
}

/// Standard deviations of pose, v and a of the hinge when frames are noise of deviation one.
fn noise_gain(tuning: Tuning) -> [f64; 3] {
    let figure = toy();
    let mut estimator = OnlineEstimator::new(&figure, DT, tuning).unwrap();
    let (mut seed, mut sums, n) = (7u64, [0.0; 3], 40_000);
    for k in 0..n + 200 {
        // uniform, of deviation one milliradian
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = ((seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5) * 12f64.sqrt() * 1e-3;
        let mut pose = figure.forest().home().to_vec();
        pose[7] = x;
        if let Some(e) = estimator.push(&pose).unwrap().filter(|_| k >= 200) {
            [e.pose[7], e.v[6], e.a[6]].iter().zip(&mut sums).for_each(|(x, s)| *s += x * x * 1e6);
        }
    }
    sums.map(|s| (s / f64::from(n)).sqrt())
}

/// The same from the impulse response: its sum of squares is the gain for white noise.
fn impulse_gain(tuning: Tuning) -> [f64; 3] {
    let figure = toy();
    let mut estimator = OnlineEstimator::new(&figure, DT, tuning).unwrap();
    let mut sums = [0.0; 3];
    for k in 0..1000 {
        let mut pose = figure.forest().home().to_vec();
        pose[7] = if k == 200 { 1e-3 } else { 0.0 };
        if let Some(e) = estimator.push(&pose).unwrap() {
            [e.pose[7], e.v[6], e.a[6]].iter().zip(&mut sums).for_each(|(x, s)| *s += x * x * 1e6);
        }
    }
    sums.map(f64::sqrt)
}

#[test]
fn noise_is_reduced_and_more_with_a_frame_of_delay() {
    /// Statistics of 40,000 correlated frames.
    const STATISTICS: f64 = 0.05;
    for (name, tuning) in [("walk", Tuning::walk(DT)), ("run", Tuning::run(DT))] {
        let at_once = Tuning { delay: Delay::None, ..tuning };
        let (noise, impulse) = (noise_gain(tuning), impulse_gain(tuning));
        for (a, b) in noise.iter().zip(impulse) {
            assert!((a / b - 1.0).abs() < STATISTICS, "{noise:?} {impulse:?}");
        }
        let now = impulse_gain(at_once);
        println!(
            "{name}: noise gains with delay {impulse:?}, at once {now:?}, raw second difference {}",
            6f64.sqrt() / DT / DT
        );
        assert!(impulse[0] < now[0] && now[0] < 1.0, "{impulse:?} {now:?}");
        assert!(impulse[2] < now[2], "{impulse:?} {now:?}");
        assert!(now[2] < 0.5 * 6f64.sqrt() / (DT * DT), "{now:?}");
    }
}

/// Time shift, s, that minimises the RMS difference of two signals, and that difference.
fn lag(estimate: &[f64], truth: &dyn Fn(f64) -> f64, from: usize) -> (f64, f64) {
    let rms = |shift: f64| {
        let sum: f64 =
            (from..estimate.len()).map(|k| (estimate[k] - truth(k as f64 * DT - shift)).powi(2)).sum();
        (sum / (estimate.len() - from) as f64).sqrt()
    };
    let shifts = (-100..=800).map(|i| f64::from(i) * 1e-4);
    let best = shifts.min_by(|a, b| rms(*a).total_cmp(&rms(*b))).unwrap();
    (best, rms(best))
}

#[test]
fn lag_of_a_walk() {
    let figure = human("human-28");
    let clip = SLOW_WALK.clip(&figure, 1.0 / DT, 4.0);
    let exact = Trajectory::from_clip(&clip, None);
    let knee = figure.forest().joint_place(figure.find_joint("left_knee").unwrap());
    // the knee is 0.3 - 0.25 sin(cycle + 0.5): its acceleration in closed form
    let rate = core::f64::consts::TAU * SLOW_WALK.cadence;
    let truth = |t: f64| 0.25 * rate * rate * (rate * t + 0.5).sin();
    assert!((exact.a(200)[knee.iv] - truth(200.0 * DT)).abs() < 1e-4);
    let mut found = Vec::new();
    for (name, cutoff) in [("walk", 6.0), ("run", 15.0)] {
        for delay in [Delay::None, Delay::OneFrame] {
            let tuning = Tuning { delay, ..Tuning::with_cutoff(cutoff, DT) };
            let mut estimator = OnlineEstimator::new(&figure, DT, tuning).unwrap();
            let (mut a, mut misses) = (Vec::new(), [0.0f64; 3]);
            for k in 0..clip.frames() {
                if let Some(e) = estimator.push(clip.pose(k)).unwrap() {
                    a.push(e.a[knee.iv]);
                    if e.frame > 120 {
                        let (_, v, acc) = exact.at(e.frame);
                        let all = [apart(&figure, e.pose, clip.pose(e.frame)), far(e.v, v), far(e.a, acc)];
                        misses.iter_mut().zip(all).for_each(|(m, x)| *m = m.max(x));
                    }
                }
            }
            let (seconds, rest) = lag(&a, &truth, 120);
            println!(
                "{name} {delay:?}: lag of accelerations {:.1} ms, rest {rest:.4}, worst pose v a {misses:?}",
                1e3 * seconds
            );
            found.push(seconds);
        }
    }
    // less with a frame of delay, and less with a higher cut-off
    assert!(found[1] < found[0] && found[3] < found[2] && found[2] < found[0], "{found:?}");
    // about 2 / w of continuous time for accelerations: 46 ms and 18 ms, less a frame
    assert!(found[0] < 0.05 && found[3] < 0.015, "{found:?}");
}

#[test]
fn invalid_frames_are_refused_without_effect() {
    let figure = toy();
    let clean = |k: usize| thrown(k as f64 * DT)[0].clone();
    let [mut a, mut b] = [0, 1].map(|_| OnlineEstimator::new(&figure, DT, Tuning::run(DT)).unwrap());
    for k in 0..40 {
        let (mut bad, short) = (clean(k), vec![0.0; 3]);
        if k == 3 || k == 30 {
            bad[7] = f64::NAN;
            let error = a.push(&bad).unwrap_err();
            assert_eq!(error, Error::NotFinite { clip: "toy".into(), frame: k, joint: "hinge".into() });
            bad = clean(k);
            bad[3..7].fill(0.0);
            assert!(matches!(a.push(&bad), Err(Error::NotFinite { joint, .. }) if joint == "root"));
            assert!(matches!(a.push(&short), Err(Error::Dimension { expected: 9, got: 3, .. })));
        }
        let (x, y) = (a.push(&clean(k)).unwrap(), b.push(&clean(k)).unwrap());
        assert_eq!(x, y, "frame {k}");
    }
    for (dt, tuning) in [
        (0.0, Tuning::walk(DT)),
        (DT, Tuning { noise: 0.0, ..Tuning::walk(DT) }),
        (DT, Tuning { jerk: f64::NAN, ..Tuning::walk(DT) }),
        (DT, Tuning::with_cutoff(70.0, DT)),
    ] {
        assert!(matches!(OnlineEstimator::new(&figure, dt, tuning), Err(Error::OutOfRange { .. })));
    }
}

#[test]
fn cut_offs_are_exact_and_frames_do_not_allocate() {
    for cutoff in [6.0, 15.0] {
        assert!((Tuning::with_cutoff(cutoff, DT).cutoff(DT) - cutoff).abs() < 1e-9);
    }
    // jerk 250 and noise 0.004, found by hand for recorded motions
    let by_hand = Tuning { jerk: 250.0, noise: 0.004, delay: Delay::OneFrame };
    println!("jerk 250, noise 0.004 at 120 Hz: {} Hz", by_hand.cutoff(DT));
    assert!((by_hand.cutoff(DT) - 12.1).abs() < 0.2);
    let figure = human("human-40");
    let clip = sines(&figure, 1.0 / DT, 60);
    let mut estimator = OnlineEstimator::new(&figure, DT, Tuning::walk(DT)).unwrap();
    println!("gains at 6 Hz {:?}, start {} frames", estimator.gains(), estimator.start_frames());
    let used = allocation_counter::measure(|| {
        for k in 0..60 {
            estimator.push(clip.pose(k)).unwrap();
        }
    });
    assert_eq!(used.count_total, 0);
}

#[test]
fn recorded_walk_on_line_against_off_line() {
    let Some(clip) = recorded("02_01.bvh") else { return };
    let exact = Trajectory::from_clip(&clip, Some(6.0));
    let rough = Trajectory::from_clip(&clip, Some(20.0));
    let on_line = misses(&exact, on_line_at(&clip, 6.0));
    let off_line = misses(
        &exact,
        (31..clip.frames())
            .map(|k| (k, rough.clip.pose(k).to_vec(), rough.v(k).to_vec(), rough.a(k).to_vec())),
    );
    println!(
        "against off-line 6 Hz (pose rad or m, v and a as parts): on-line 6 Hz {on_line:.4?}, off-line 20 Hz {off_line:.4?}"
    );
    // the recording is noisy: even off-line the cut-off matters more than causality
    assert!(
        on_line[0] < 0.01 && on_line[1] < 0.5 && on_line[2] < 0.5 * off_line[2],
        "{on_line:?} {off_line:?}"
    );
}

type Row = (usize, Vec<f64>, Vec<f64>, Vec<f64>);

/// Estimates with a cut-off, once started.
fn on_line_at(clip: &Clip, cutoff: f64) -> impl Iterator<Item = Row> + '_ {
    let tuning = Tuning::with_cutoff(cutoff, clip.dt());
    let mut estimator = OnlineEstimator::new(clip.figure(), clip.dt(), tuning).unwrap();
    (0..clip.frames()).filter_map(move |k| {
        let e = estimator.push(clip.pose(k)).unwrap().filter(|e| e.frame > 30)?;
        Some((e.frame, e.pose.to_vec(), e.v.to_vec(), e.a.to_vec()))
    })
}

/// RMS differences: of poses, and of velocities and accelerations relative to their own RMS.
fn misses(exact: &Trajectory, rows: impl Iterator<Item = Row>) -> [f64; 3] {
    let forest = exact.clip.figure().forest();
    let (mut way, mut squares, mut sizes) = (vec![0.0; forest.nv()], [0.0f64; 3], [0.0; 3]);
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>();
    for (frame, pose, its_v, its_a) in rows {
        let (q, v, a) = exact.at(frame);
        pose::difference(forest, q, &pose, &mut way);
        let found = [square(&way), square(&minus(&its_v, v)), square(&minus(&its_a, a))];
        let whole = [forest.nv() as f64, square(v), square(a)];
        (0..3).for_each(|i| (squares[i], sizes[i]) = (squares[i] + found[i], sizes[i] + whole[i]));
    }
    [0, 1, 2].map(|i| (squares[i] / sizes[i]).sqrt())
}
