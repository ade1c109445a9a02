//! The pseudo-inverse solver of the dynamics filter: standing, walking, hanging on a bar.

use anthropi_app::builtin;
use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_dynamics::model::{BodyJoint, Figure};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::filter::{self, FilterSettings, Floor, Mode, ReferenceSample, SimulatedBody, Solver};
use anthropi_motion::{anatomy, contact_points, pose};
use testkit::motions::*;

/// Residual force and moment on the root, N and N m: rounding.
const MAX_RESIDUAL: f64 = 1e-9;
/// Error of a loop closure, m or rad.
const MAX_GAP: f64 = 1e-6;
/// Internal step, s.
const DT: f64 = 0.001;

#[test]
fn a_keyed_walk_runs_through() {
    let clip = builtin::motion("keyed-walk").expect("built in").expect("it is sound");
    for mode in [Mode::Online, Mode::Offline] {
        let settings = FilterSettings { mode, solver: Solver::PseudoInverse, ..FilterSettings::default() };
        let mut worst = 0.0_f64;
        let filtered = filter::run(&clip, &settings, &mut |_| (), &mut |step| {
            let (force, moment) = step.body.root_residual();
            worst = worst.max(force).max(moment);
        });
        let filtered = filtered.expect("the figure has feet");
        assert!(filtered.clip.poses().iter().all(|x| x.is_finite()));
        assert!(worst < MAX_RESIDUAL, "{mode:?}: {worst:e}");
        assert_eq!(filtered.fell, None, "{mode:?}");
        assert!(filtered.tracking.joint_rms_deg < 6.0, "{mode:?}: {} deg", filtered.tracking.joint_rms_deg);
    }
}

/// A body at a pose, and the reference to stay there.
pub fn at_rest(figure: &Figure, q: &[f64], on: bool) -> (SimulatedBody, ReferenceSample) {
    let anatomy = anatomy::from_figure(figure, &[]).expect("a human figure");
    let places = contact_points::find(figure, &anatomy).expect("it has feet");
    let count = places.len();
    let body = SimulatedBody::new(figure, &anatomy, places, 1.0).expect("it is free");
    let zero = vec![0.0; figure.forest().nv()];
    let mut reference =
        ReferenceSample { q: q.to_vec(), v: zero.clone(), a: zero, ..ReferenceSample::default() };
    reference.com[0] = center(figure, q);
    reference.in_contact = vec![on; count];
    reference.floor = vec![Floor::level(if on { 0.0 } else { -10.0 }); count];
    (body, reference)
}

/// Centre of mass of a pose.
pub fn center(figure: &Figure, q: &[f64]) -> Vec3 {
    let mut k = Kinematics::default();
    k.update(figure.forest(), q, None, None);
    centroidal::center_of_mass(figure.forest(), &k)
}

#[test]
fn a_figure_stands() {
    let clip = builtin::motion("keyed-sit-stand").expect("built in").expect("it is sound");
    let figure = clip.figure();
    let (mut body, reference) = at_rest(figure, clip.pose(clip.frames() - 1), true);
    body.set_solver(Solver::PseudoInverse).expect("always");
    body.start(&reference);
    let start = body.q().to_vec();
    for step in 0..2000 {
        body.solve(&reference, &[], DT);
        let (force, moment) = body.root_residual();
        assert!(force.max(moment) < MAX_RESIDUAL, "step {step}: {force:e} N, {moment:e} N m");
        body.finish(DT);
    }
    let total: f64 = body.ground().iter().map(|g| g.force.z).sum();
    let off = apart(figure, body.q(), &start);
    assert!(off < 0.05, "it moved by {off}");
    assert!((total / body.weight() - 1.0).abs() < 0.02, "the ground carries {total} N of {}", body.weight());
}

/// The pose of a figure on the bar of `high-bar`, rotated about the bar until its centre of mass is below it.
fn hanging(figure: &Figure, q: &[f64]) -> Vec<f64> {
    let bar = vec3(0.0, 0.0, 2.75);
    let from_bar = center(figure, q) - bar;
    let turn = Quat::exp(vec3(0.0, from_bar.x.atan2(-from_bar.z), 0.0));
    let mut turned = q.to_vec();
    let root = figure.forest().bodies().iter().find(|b| b.joint == BodyJoint::Free).expect("it is free");
    let i = root.coordinates().start;
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
    assert!(refused.set_solver(Solver::Qp).is_err(), "the QP refuses loop closures");
    let (mut body, mut reference) = at_rest(figure, &hanging(figure, &scene.state.q), false);
    body.start(&reference);
    // the knees swing a little
    let rest = reference.q.clone();
    let swings: Vec<usize> = ["left_knee", "right_knee"]
        .map(|name| figure.forest().joint_place(figure.find_joint(name).expect("a knee")).iv)
        .to_vec();
    let mut delta = vec![0.0; figure.forest().nv()];
    let (size, rate) = (0.2, 4.0);
    let mut worst = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut error = 0.0_f64;
    for step in 0..1500 {
        let t = f64::from(step) * DT;
        for k in &swings {
            delta[*k] = size * (1.0 - (rate * t).cos());
            reference.v[*k] = size * rate * (rate * t).sin();
            reference.a[*k] = size * rate * rate * (rate * t).cos();
        }
        pose::along(figure.forest(), &rest, &delta, 1.0, &mut reference.q);
        body.solve(&reference, &[], DT);
        let (force, moment) = body.root_residual();
        body.finish(DT);
        let (gap, angle) = body.closure_error();
        worst = (worst.0.max(gap), worst.1.max(angle), worst.2.max(force).max(moment));
        let mut off = vec![0.0; delta.len()];
        pose::difference(figure.forest(), body.q(), &reference.q, &mut off);
        error = swings.iter().fold(error, |m, k| m.max(off[*k].abs()));
    }
    let (gap, angle, residual) = worst;
    assert!(gap < MAX_GAP && angle < MAX_GAP, "{gap:e} m, {angle:e} rad");
    assert!(residual < MAX_RESIDUAL, "{residual:e}");
    assert!(error < 0.1, "knees are {error} rad off");
}

#[test]
fn hands_stay_on_the_bar_in_a_swing() {
    // no hinged grip can hold the leaning reference: the figure swings down
    let scene = builtin::scene("high-bar").expect("built in").expect("it is sound");
    let (mut body, reference) = at_rest(&scene.figure, &scene.state.q, false);
    body.start(&reference);
    let mut worst = 0.0_f64;
    for _ in 0..1000 {
        body.solve(&reference, &[], DT);
        let (force, moment) = body.root_residual();
        assert!(force.max(moment) < MAX_RESIDUAL, "{force:e} N, {moment:e} N m");
        body.finish(DT);
        let (gap, angle) = body.closure_error();
        worst = worst.max(gap).max(angle);
    }
    assert!(worst < MAX_GAP, "{worst:e}");
}
