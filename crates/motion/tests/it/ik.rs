//! Inverse kinematics: reachable goals are met, others approached; priorities and limits hold.

use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::{JointKind, Range};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, Shape, State};
use anthropi_dynamics::spatial::{Quat, RotationOrder, Transform, Vec3, vec3};
use anthropi_motion::ik::{Goal, Options, Outcome, Solver, Task, beyond_limits};
use std::sync::Arc;
use testkit::Rng;

/// Largest position error of a reachable goal, m.
const MET: f64 = 1e-6;
/// Largest disturbance of a level by lower ones, m.
const MAX_DISTURBANCE: f64 = 1e-4;

fn random_kind(rng: &mut Rng) -> JointKind {
    match rng.below(5) {
        0 | 1 => JointKind::Revolute { axis: rng.unit() },
        2 => JointKind::Prismatic { axis: rng.unit() },
        3 => {
            let first = rng.unit();
            JointKind::Universal { first, second: first.any_perpendicular() }
        }
        _ => JointKind::Spherical,
    }
}

fn spec(name: &str) -> LinkSpec {
    LinkSpec::new(name, Shape::Sphere { radius: 0.05 }.inertia(1000.0).unwrap())
}

/// A free root and a random tree with all joint types, limited to `range` on both sides of the home pose.
fn random_figure(rng: &mut Rng, links: usize, range: Option<f64>) -> Figure {
    let mut b = FigureBuilder::new("random");
    let mut all = vec![b.add(spec("l0"), JointSpec::new("j0", JointKind::Free)).unwrap()];
    for i in 1..links {
        let mut joint = JointSpec::new(format!("j{i}"), random_kind(rng));
        joint.parent = Some(all[rng.below(all.len())]);
        joint.parent_from_joint = Transform::new(rng.vec3(0.4), Quat::exp(rng.vec3(1.0)));
        joint.order = RotationOrder::ALL[rng.below(6)];
        joint.dof.iter_mut().for_each(|d| d.range = range.map(|r| Range { lower: -r, upper: r }));
        all.push(b.add(spec(&format!("l{i}")), joint).unwrap());
    }
    b.build().unwrap()
}

/// A random pose up to `size` from the home pose.
fn random_pose(figure: &Figure, rng: &mut Rng, size: f64) -> Vec<f64> {
    let mut state = State::home(figure);
    for (handle, joint) in figure.joints() {
        let q: Vec<f64> = match joint.kind {
            JointKind::Free => {
                let turn = Quat::exp(rng.vec3(size)).0;
                rng.vec3(1.0).to_array().into_iter().chain(turn).collect()
            }
            JointKind::Spherical => {
                joint.order.quat([rng.signed() * size, rng.signed() * size, 0.0]).0.to_vec()
            }
            other => (0..other.nv()).map(|_| rng.signed() * size).collect(),
        };
        state.set_q(figure, handle, &q).unwrap();
    }
    state.q
}

fn place(figure: &Figure, q: &[f64], link: LinkHandle, point: Vec3) -> Vec3 {
    let mut kinematics = Kinematics::default();
    kinematics.update(figure.forest(), q, None, None);
    kinematics.link_pose(figure.forest(), link).point(point)
}

fn links(figure: &Figure) -> Vec<LinkHandle> {
    figure.links().map(|(h, _)| h).collect()
}

fn at(link: LinkHandle, point: Vec3, at: Vec3, level: u8) -> Task {
    Task { goal: Goal::Position { link, point, at }, level, weight: 1.0 }
}

fn solve(figure: &Arc<Figure>, q: &mut [f64], tasks: &[Task], posture: Option<&[f64]>) -> Outcome {
    Solver::new(figure.clone()).solve(q, tasks, posture, &Options::default()).unwrap()
}

#[test]
fn reachable_positions_are_met() {
    let (mut met, mut worst) = (0, 0.0_f64);
    for seed in 1..40 {
        let mut rng = Rng::new(seed ^ 0x9E37_79B9_7F4A_7C15);
        let figure = Arc::new(random_figure(&mut rng, 14, None));
        let wanted = random_pose(&figure, &mut rng, 0.6);
        let ends: Vec<LinkHandle> = links(&figure).into_iter().skip(3).step_by(4).collect();
        let tasks: Vec<Task> = ends
            .iter()
            .map(|l| {
                let point = rng.vec3(0.2);
                at(*l, point, place(&figure, &wanted, *l, point), 0)
            })
            .collect();
        let mut q = figure.forest().home().to_vec();
        let outcome = solve(&figure, &mut q, &tasks, None);
        let error = outcome.residuals.iter().copied().fold(0.0, f64::max);
        assert!(q.iter().all(|x| x.is_finite()), "seed {seed}");
        met += usize::from(error < MET);
        worst = worst.max(error);
    }
    assert!(met >= 38, "{met} of 39 met, worst {worst:e} m");
}

#[test]
fn reachable_poses_are_met() {
    for seed in 1..20 {
        let mut rng = Rng::new(seed ^ 0xD134_2543_DE82_EF95);
        let figure = Arc::new(random_figure(&mut rng, 10, None));
        let wanted = random_pose(&figure, &mut rng, 0.5);
        let mut kinematics = Kinematics::default();
        kinematics.update(figure.forest(), &wanted, None, None);
        let mut tasks = Vec::new();
        for link in links(&figure) {
            let pose = kinematics.link_pose(figure.forest(), link);
            tasks.push(at(link, Vec3::ZERO, pose.translation, 0));
            tasks.push(Task {
                goal: Goal::Orientation { link, to: pose.orientation() },
                level: 1,
                weight: 1.0,
            });
        }
        let mut q = figure.forest().home().to_vec();
        let outcome = solve(&figure, &mut q, &tasks, None);
        let worst = outcome.residuals.iter().copied().fold(0.0, f64::max);
        assert!(worst < MET, "seed {seed}: {worst:e} after {}", outcome.iterations);
    }
}

/// A fixed arm of two links of half a metre, with a ball joint at the root and a hinge, stretched along x.
fn arm(elbow: Option<Range>) -> (Arc<Figure>, LinkHandle) {
    let mut b = FigureBuilder::new("arm");
    let upper = b.add(spec("upper"), JointSpec::new("shoulder", JointKind::Spherical)).unwrap();
    let mut joint = JointSpec::new("elbow", JointKind::Revolute { axis: vec3(0.0, 0.0, 1.0) });
    joint.parent = Some(upper);
    joint.parent_from_joint = Transform::translation(vec3(0.5, 0.0, 0.0));
    joint.dof[0].range = elbow;
    let fore = b.add(spec("fore"), joint).unwrap();
    (Arc::new(b.build().unwrap()), fore)
}

const HAND: Vec3 = vec3(0.5, 0.0, 0.0);

#[test]
fn the_arm_stretches_towards_unreachable_goals() {
    for target in [vec3(0.0, 2.0, 0.0), vec3(3.0, 0.0, 0.0), vec3(-1.0, -1.0, 1.0), vec3(1.0, 0.0, 0.0)] {
        let (figure, fore) = arm(None);
        let mut q = figure.forest().home().to_vec();
        let outcome = solve(&figure, &mut q, &[at(fore, HAND, target, 0)], None);
        let hand = place(&figure, &q, fore, HAND);
        let nearest = target.normalized().unwrap();
        assert!(outcome.residuals[0] - (target - nearest).norm() < 1e-5, "{target:?}: {hand:?}, {outcome:?}");
        assert!((outcome.residuals[0] - (target - hand).norm()).abs() < 1e-12);
    }
}

#[test]
fn a_stretched_arm_leaves_its_singularity() {
    let (figure, fore) = arm(None);
    let mut q = figure.forest().home().to_vec();
    let outcome = solve(&figure, &mut q, &[at(fore, HAND, vec3(0.5, 0.2, 0.1), 0)], None);
    assert!(outcome.residuals[0] < MET && outcome.has_converged, "{outcome:?}");
}

#[test]
fn lower_levels_do_not_disturb_higher_ones() {
    for seed in 1..30 {
        let mut rng = Rng::new(seed ^ 0xA24B_AED4_963E_E407);
        let figure = Arc::new(random_figure(&mut rng, 12, Some(1.2)));
        let all = links(&figure);
        let wanted = random_pose(&figure, &mut rng, 0.5);
        let first =
            at(all[11], vec3(0.1, 0.0, 0.0), place(&figure, &wanted, all[11], vec3(0.1, 0.0, 0.0)), 0);
        // out of reach, in conflict with the first
        let second = at(all[10], Vec3::ZERO, rng.unit().scale(5.0), 1);
        let turn = Task {
            goal: Goal::Orientation { link: all[11], to: Quat::exp(rng.vec3(2.0)) },
            level: 2,
            weight: 1.0,
        };
        let posture = random_pose(&figure, &mut rng, 0.9);
        let mut alone = figure.forest().home().to_vec();
        let mut both = alone.clone();
        let a = solve(&figure, &mut alone, &[first], None).residuals[0];
        let b = solve(&figure, &mut both, &[first, second, turn], Some(&posture)).residuals[0];
        assert!(b < a + MAX_DISTURBANCE, "seed {seed}: {a:e} alone, {b:e} with others");
        assert!(beyond_limits(&figure, &both) < 1e-9, "seed {seed}: {:e}", beyond_limits(&figure, &both));
    }
}

#[test]
fn limits_hold_and_are_reported() {
    let (figure, fore) = arm(Some(Range { lower: 0.2, upper: 1.0 }));
    let mut q = figure.forest().home().to_vec();
    // folded back to the shoulder: the elbow stops at one radian
    let outcome = solve(&figure, &mut q, &[at(fore, HAND, vec3(0.05, 0.0, 0.0), 0)], None);
    let reach = place(&figure, &q, fore, HAND).norm();
    assert!((reach - 2.0 * 0.5 * 0.5_f64.cos()).abs() < 1e-9, "{reach}");
    assert_eq!(outcome.at_limit, [3]);
    assert!(beyond_limits(&figure, &q) == 0.0);
    for seed in 1..30 {
        let mut rng = Rng::new(seed ^ 0x9FB2_1C65_1E98_DF25);
        let figure = Arc::new(random_figure(&mut rng, 12, Some(0.4)));
        let tasks: Vec<Task> = links(&figure).iter().map(|l| at(*l, Vec3::ZERO, rng.vec3(2.0), 0)).collect();
        let mut q = random_pose(&figure, &mut rng, 1.5);
        solve(&figure, &mut q, &tasks, None);
        assert!(beyond_limits(&figure, &q) < 1e-9, "seed {seed}: {:e}", beyond_limits(&figure, &q));
    }
}

#[test]
fn a_ball_joint_uses_ranges_beyond_gimbal_lock() {
    let mut b = FigureBuilder::new("shoulder");
    let mut joint = JointSpec::new("shoulder", JointKind::Spherical);
    let ranges = [(-3.1, 1.0), (-0.8, 2.1), (-1.5, 1.5)];
    for (dof, (lower, upper)) in joint.dof.iter_mut().zip(ranges) {
        dof.range = Some(Range { lower, upper });
    }
    let order = joint.order;
    let arm = b.add(spec("arm"), joint).unwrap();
    let figure = Arc::new(b.build().unwrap());
    for (angles, beyond) in [([0.3, 1.9, 0.2], 0.0), ([-2.0, -0.5, 1.0], 0.0), ([0.0, -1.0, 0.0], 0.2)] {
        let q = order.quat(angles).0;
        assert!(
            (beyond_limits(&figure, &q) - beyond).abs() < 1e-9,
            "{angles:?}: {}",
            beyond_limits(&figure, &q)
        );
    }
    // in small rotations through gimbal lock
    let mut q = order.quat([0.0, 0.5, 0.0]).0.to_vec();
    for k in 0..=30 {
        let to = order.quat([0.2, 0.5 + 0.05 * k as f64, -0.1]);
        let task = Task { goal: Goal::Orientation { link: arm, to }, level: 0, weight: 1.0 };
        let outcome = solve(&figure, &mut q, &[task], None);
        assert!(outcome.residuals[0] < MET, "{k}: {outcome:?}");
        assert!(beyond_limits(&figure, &q) < 1e-9);
    }
}

#[test]
fn free_coordinates_approach_the_posture() {
    let mut rng = Rng::new(77);
    let figure = Arc::new(random_figure(&mut rng, 8, None));
    let posture = random_pose(&figure, &mut rng, 0.5);
    let mut q = figure.forest().home().to_vec();
    let outcome = solve(&figure, &mut q, &[], Some(&posture));
    let mut way = vec![0.0; figure.forest().nv()];
    anthropi_motion::pose::difference(figure.forest(), &q, &posture, &mut way);
    let worst = way.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(worst < 1e-6 && outcome.has_converged, "{worst:e} {outcome:?}");
}

#[test]
fn direction_goals_leave_the_rotation_about_them_free() {
    let (figure, fore) = arm(None);
    let mut q = figure.forest().home().to_vec();
    let goal = Goal::Direction { link: fore, axis: vec3(1.0, 0.0, 0.0), to: vec3(-1.0, 0.0, 0.0) };
    let outcome = solve(&figure, &mut q, &[Task { goal, level: 0, weight: 1.0 }], None);
    assert!(outcome.residuals[0] < MET, "{outcome:?}");
}

#[test]
fn invalid_input_is_refused_by_name() {
    let (figure, fore) = arm(None);
    let mut solver = Solver::new(figure.clone());
    let options = Options::default();
    let mut q = figure.forest().home().to_vec();
    let error = solver.solve(&mut q[..3], &[], None, &options).unwrap_err().to_string();
    assert!(error.contains("pose to start from"), "{error}");
    let nan = at(fore, HAND, vec3(f64::NAN, 0.0, 0.0), 0);
    let error = solver.solve(&mut q, &[nan], None, &options).unwrap_err().to_string();
    assert!(error.contains("`fore`"), "{error}");
    let task = Task { weight: -1.0, ..at(fore, HAND, HAND, 0) };
    assert!(solver.solve(&mut q, &[task], None, &options).is_err());
}
