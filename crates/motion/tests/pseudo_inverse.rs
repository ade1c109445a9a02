//! The dynamics filter by pseudo-inverses: standing, walking, hanging on a bar.

mod testkit;

use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_dynamics::model::{BodyJoint, Figure};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_io::builtin;
use anthropi_motion::filter::{self, Aim, Body, Floor, Mode, Settings, Solver};
use anthropi_motion::{anatomy, pose, spots};
use testkit::*;

/// Force and moment on the root that nothing gives, N and N m: only rounding.
const NOTHING: f64 = 1e-9;
/// Gap of a connection, m.
const CLOSED: f64 = 1e-6;
/// Internal step, s.
const DT: f64 = 0.001;

#[test]
fn a_keyed_walk_runs_through() {
    let clip = builtin::motion("keyed-walk").expect("built in").expect("it is sound");
    for mode in [Mode::Online, Mode::Offline] {
        let settings = Settings { mode, solver: Solver::PseudoInverse, ..Settings::default() };
        let mut worst = 0.0_f64;
        let told = filter::run(&clip, &settings, &mut |_| (), &mut |step| {
            let (force, moment) = step.body.left_over();
            worst = worst.max(force).max(moment);
        });
        let told = told.expect("the figure has feet");
        assert!(told.clip.poses().iter().all(|x| x.is_finite()));
        assert!(worst < NOTHING, "{mode:?}: {worst:e}");
        assert_eq!(told.fell, None, "{mode:?}");
        assert!(told.tracking.joint_rms_deg < 6.0, "{mode:?}: {} deg", told.tracking.joint_rms_deg);
    }
}

/// A body at a pose, and the aim to stay there.
fn at_rest(figure: &Figure, q: &[f64], on: bool) -> (Body, Aim) {
    let anatomy = anatomy::of_figure(figure, &[]).expect("a human figure");
    let places = spots::of_figure(figure, &anatomy).expect("it has feet");
    let count = places.len();
    let body = Body::new(figure, &anatomy, places, 1.0).expect("it is free");
    let zero = vec![0.0; figure.forest().nv()];
    let mut aim = Aim { q: q.to_vec(), v: zero.clone(), a: zero, ..Aim::default() };
    aim.center[0] = center(figure, q);
    aim.on = vec![on; count];
    aim.floor = vec![Floor::level(if on { 0.0 } else { -10.0 }); count];
    (body, aim)
}

fn center(figure: &Figure, q: &[f64]) -> Vec3 {
    let mut k = Kinematics::default();
    k.update(figure.forest(), q, None, None);
    centroidal::center_of_mass(figure.forest(), &k)
}

#[test]
fn a_figure_that_is_to_stand_stands() {
    let clip = builtin::motion("keyed-sit-stand").expect("built in").expect("it is sound");
    let figure = clip.figure();
    let (mut body, aim) = at_rest(figure, clip.pose(clip.frames() - 1), true);
    body.set_solver(Solver::PseudoInverse).expect("always");
    body.start(&aim);
    let start = body.q().to_vec();
    for step in 0..2000 {
        body.solve(&aim, &[], DT);
        let (force, moment) = body.left_over();
        assert!(force.max(moment) < NOTHING, "step {step}: {force:e} N, {moment:e} N m");
        body.finish(DT);
    }
    let total: f64 = body.ground().iter().map(|g| g.force.z).sum();
    let off = apart(figure, body.q(), &start);
    assert!(off < 0.05, "it moved by {off}");
    assert!((total / body.weight() - 1.0).abs() < 0.02, "the ground carries {total} N of {}", body.weight());
}

/// The pose of a figure on the bar of `high-bar`, turned about the bar until its centre of mass is below it.
fn hanging(figure: &Figure, q: &[f64]) -> Vec<f64> {
    let bar = vec3(0.0, 0.0, 2.75);
    let from_bar = center(figure, q) - bar;
    let turn = Quat::exp(vec3(0.0, from_bar.x.atan2(-from_bar.z), 0.0));
    let mut turned = q.to_vec();
    let root = figure.forest().bodies().iter().find(|b| b.joint == BodyJoint::Free).expect("it is free");
    let i = root.iq as usize;
    let at = bar + turn.rotate(pose::triple(q, i) - bar);
    turned[i..i + 3].copy_from_slice(&at.to_array());
    turned[i + 3..i + 7].copy_from_slice(&turn.then(pose::quaternion(q, i + 3)).0);
    turned
}

#[test]
fn hands_stay_on_the_bar() {
    let scene = builtin::scene("high-bar").expect("built in").expect("it is sound");
    let figure = &scene.figure;
    assert_eq!(figure.forest().loops().len(), 2);
    let (mut refused, _) = at_rest(figure, &scene.state.q, false);
    assert!(refused.set_solver(Solver::Program).is_err(), "the program does not hold connections");
    let (mut body, mut aim) = at_rest(figure, &hanging(figure, &scene.state.q), false);
    body.start(&aim);
    // the knees swing a little
    let still = aim.q.clone();
    let swings: Vec<usize> = ["left_knee", "right_knee"]
        .map(|name| figure.forest().joint_place(figure.find_joint(name).expect("a knee")).iv)
        .to_vec();
    let mut way = vec![0.0; figure.forest().nv()];
    let (size, rate) = (0.2, 4.0);
    let mut worst = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut miss = 0.0_f64;
    for step in 0..1500 {
        let t = f64::from(step) * DT;
        for k in &swings {
            way[*k] = size * (1.0 - (rate * t).cos());
            aim.v[*k] = size * rate * (rate * t).sin();
            aim.a[*k] = size * rate * rate * (rate * t).cos();
        }
        pose::along(figure.forest(), &still, &way, 1.0, &mut aim.q);
        body.solve(&aim, &[], DT);
        let (force, moment) = body.left_over();
        body.finish(DT);
        let (gap, angle) = body.closure_error();
        worst = (worst.0.max(gap), worst.1.max(angle), worst.2.max(force).max(moment));
        let mut off = vec![0.0; way.len()];
        pose::difference(figure.forest(), body.q(), &aim.q, &mut off);
        miss = swings.iter().fold(miss, |m, k| m.max(off[*k].abs()));
    }
    let (gap, angle, nothing) = worst;
    assert!(gap < CLOSED && angle < CLOSED, "{gap:e} m, {angle:e} rad");
    assert!(nothing < NOTHING, "{nothing:e}");
    assert!(miss < 0.1, "knees are {miss} rad off");
}

#[test]
fn hands_stay_on_the_bar_in_a_swing() {
    // the reference leans in the air, which no grip that turns can hold: the figure swings down
    let scene = builtin::scene("high-bar").expect("built in").expect("it is sound");
    let (mut body, aim) = at_rest(&scene.figure, &scene.state.q, false);
    body.start(&aim);
    let mut worst = 0.0_f64;
    for _ in 0..1000 {
        body.solve(&aim, &[], DT);
        let (force, moment) = body.left_over();
        assert!(force.max(moment) < NOTHING, "{force:e} N, {moment:e} N m");
        body.finish(DT);
        let (gap, angle) = body.closure_error();
        worst = worst.max(gap).max(angle);
    }
    assert!(worst < CLOSED, "{worst:e}");
}
