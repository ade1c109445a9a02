//! Time steps: order of convergence, energy and momentum of tumbling figures, ballistic flight, stiff damping.

use super::tumble::measure;
use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, State};
use anthropi_dynamics::sim::{Integrator, Simulation};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, Vec3, vec3};
use testkit::*;

/// Thirteen links on twelve spherical joints and a free root: a body of about 69 kg, as the peers tumble it.
fn tumbler() -> Figure {
    let mut b = FigureBuilder::new("tumbler");
    let i = |m: f64, z: f64, d: [f64; 3]| {
        Inertia::about_center(m, vec3(0.0, 0.0, z), Sym3::diagonal(Vec3::from_array(&d)))
    };
    let root = b
        .add(LinkSpec::new("body", i(15.0, 0.02, [0.4, 0.2, 0.4])), JointSpec::new("root", JointKind::Free))
        .unwrap();
    let ball = |b: &mut FigureBuilder, name: &str, parent, at: Vec3, inertia| {
        let joint = JointSpec::new(name, JointKind::Spherical).on(parent, Transform::translation(at));
        b.add(LinkSpec::new(name, inertia), joint).unwrap()
    };
    let chest = ball(&mut b, "chest", root, vec3(0.0, 0.0, 0.1), i(16.0, 0.2, [0.8, 0.4, 0.8]));
    ball(&mut b, "head", chest, vec3(0.0, 0.0, 0.42), i(4.0, 0.12, [0.1, 0.1, 0.1]));
    for (s, y) in [("l", 1.0), ("r", -1.0)] {
        let arm = ball(
            &mut b,
            &format!("{s}arm"),
            chest,
            vec3(0.0, 0.19 * y, 0.36),
            i(4.0, -0.13, [0.1, 0.2, 0.2]),
        );
        ball(&mut b, &format!("{s}fore"), arm, vec3(0.0, 0.0, -0.28), i(2.0, -0.12, [0.1, 0.2, 0.2]));
        let leg = ball(
            &mut b,
            &format!("{s}leg"),
            root,
            vec3(0.0, 0.09 * y, -0.05),
            i(5.0, -0.19, [0.1, 0.2, 0.2]),
        );
        let shank =
            ball(&mut b, &format!("{s}shank"), leg, vec3(0.0, 0.0, -0.42), i(4.0, -0.18, [0.1, 0.2, 0.2]));
        ball(&mut b, &format!("{s}foot"), shank, vec3(0.0, 0.0, -0.40), i(2.0, -0.04, [0.02, 0.02, 0.02]));
    }
    b.build().unwrap()
}

fn tumbling(seed: u64) -> Simulation {
    let figure = tumbler();
    let mut s = State::home(&figure);
    let mut rng = Rng::new(seed);
    let step: Vec<f64> = (0..figure.forest().nv()).map(|_| 0.7 * rng.signed()).collect();
    anthropi_dynamics::sim::advance(figure.forest(), &mut s.q, &step, 1.0);
    s.v.iter_mut().for_each(|v| *v = 3.0 * rng.signed());
    s.v[3..6].copy_from_slice(&[0.5, 0.2, 6.0]);
    Simulation::new(figure, s).unwrap()
}

#[test]
fn tumbling_ten_seconds_by_rk4_keeps_energy_and_momentum() {
    let mut sim = tumbling(5);
    sim.integrator = Integrator::Rk4;
    let (internal, total, h) = measure(&mut sim);
    for _ in 0..10_000 {
        sim.step(1e-3).unwrap();
    }
    let (i1, t1, h1) = measure(&mut sim);
    assert_small("total energy", ((t1 - total) / total).abs(), 1e-6);
    assert_small("internal kinetic energy", ((i1 - internal) / internal).abs(), 1e-6);
    assert_small("angular momentum", (h1.angular - h.angular).norm() / h.angular.norm(), 1e-10);
    let fallen = h.linear + vec3(0.0, 0.0, -9.81 * 10.0 * 69.0);
    assert_small("linear momentum", (h1.linear - fallen).norm() / fallen.norm(), 1e-10);
}

#[test]
fn tumbling_ten_seconds_by_the_default_step_keeps_energy() {
    // one-evaluation Euler of the peers gains 20.6 % on such a case
    for seed in [5, 6, 7] {
        let mut sim = tumbling(seed);
        let (internal, _, h) = measure(&mut sim);
        let mut worst: f64 = 0.0;
        for _ in 0..10_000 {
            sim.step(1e-3).unwrap();
            let (now, _, _) = measure(&mut sim);
            worst = worst.max(((now - internal) / internal).abs());
        }
        let (_, _, h1) = measure(&mut sim);
        assert_small(&format!("seed {seed}: internal kinetic energy"), worst, 0.02);
        assert_small(
            &format!("seed {seed}: angular momentum"),
            (h1.angular - h.angular).norm() / h.angular.norm(),
            1e-2,
        );
    }
}

#[test]
fn steps_converge_with_their_order() {
    let end = |integrator, n: usize| {
        let mut sim = tumbling(3);
        sim.integrator = integrator;
        for _ in 0..n {
            sim.step(0.2 / n as f64).unwrap();
        }
        sim.state().clone()
    };
    let exact = end(Integrator::Rk4, 1600);
    let error = |integrator, n| {
        let s = end(integrator, n);
        relative(&s.q, &exact.q) + relative(&s.v, &exact.v)
    };
    for (integrator, n, order) in
        [(Integrator::Euler, 200, 1.0), (Integrator::Midpoint, 200, 2.0), (Integrator::Rk4, 50, 4.0)]
    {
        let (coarse, fine) = (error(integrator, n), error(integrator, 2 * n));
        let seen = (coarse / fine).log2();
        assert!((seen - order).abs() < 0.35, "{integrator:?}: order {seen:.2}, errors {coarse:e} {fine:e}");
    }
}

#[test]
fn stiff_damping_is_stable_by_default() {
    let mut b = FigureBuilder::new("damped");
    let mut joint = JointSpec::new("hinge", JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) });
    joint.dof[0].damping = 1e4;
    let bob = Inertia::about_center(1.0, vec3(0.0, 0.0, -0.5), Sym3::diagonal(vec3(0.01, 0.01, 0.01)));
    b.add(LinkSpec::new("bob", bob), joint).unwrap();
    let figure = b.build().unwrap();
    let mut s = State::home(&figure);
    (s.q[0], s.v[0]) = (1.0, 5.0);
    let mut sim = Simulation::new(figure, s).unwrap();
    for _ in 0..1000 {
        sim.step(1e-3).unwrap();
    }
    // creeps at m g l sin(q) / b
    let creep = -9.81 * 0.5 * sim.state().q[0].sin() / 1e4;
    assert_small("creep", (sim.state().v[0] - creep).abs() / creep.abs(), 1e-2);
}

#[test]
fn bad_steps_and_divergence_are_errors() {
    let mut sim = tumbling(1);
    assert!(sim.step(0.0).is_err());
    assert!(sim.step(f64::NAN).is_err());
    let figure = tumbler();
    let mut s = State::home(&figure);
    s.v[0] = 1e200;
    let mut sim = Simulation::new(figure, s).unwrap();
    let outcome = (0..10).try_for_each(|_| sim.step(1e-3).map(|_| ()));
    assert!(matches!(outcome, Err(anthropi_dynamics::Error::Diverged { .. })), "{outcome:?}");
}

#[test]
fn the_same_start_gives_the_same_bits() {
    let run = || {
        let mut sim = tumbling(9);
        (0..500).for_each(|_| {
            sim.step(1e-3).unwrap();
        });
        sim.digest()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_common_velocity_changes_nothing() {
    // a tumbling figure in a train at 500 m/s moves in it as it would at home: Galilei
    let run = |speed: f64| {
        let mut sim = tumbling(5);
        let mut s = sim.state().clone();
        let q = anthropi_dynamics::spatial::Quat([s.q[3], s.q[4], s.q[5], s.q[6]]);
        let along = q.inverse().rotate(vec3(speed, 0.0, 0.0)).to_array();
        (0..3).for_each(|k| s.v[3 + k] += along[k]);
        sim = Simulation::new(sim.figure().clone(), s).unwrap();
        for _ in 0..2000 {
            sim.step(1e-3).unwrap();
        }
        sim.state().q.clone()
    };
    let (home, mut train) = (run(0.0), run(500.0));
    train[0] -= 500.0 * 2.0;
    // a thousand metres leave thirteen digits, and tumbling multiplies what is lost
    assert_small("pose in the train", relative(&train, &home), 1e-9);
}

#[test]
fn the_centre_of_a_tumbling_figure_flies_a_parabola() {
    // the root is not the centre of mass: the inner motion leaves a second-order error in its flight
    let miss = |steps: usize| {
        let mut sim = tumbling(6);
        let forest = sim.figure().forest().clone();
        let start = centroidal::center_of_mass(&forest, sim.kinematics());
        let v = centroidal::velocity_of_center(&forest, sim.kinematics());
        let t = 2.0;
        for _ in 0..steps {
            sim.step(t / steps as f64).unwrap();
        }
        let wanted = start + v.scale(t) + forest.gravity().scale(0.5 * t * t);
        (centroidal::center_of_mass(&forest, sim.kinematics()) - wanted).norm()
    };
    let (coarse, fine) = (miss(2000), miss(4000));
    assert!(coarse < 2e-4 && (coarse / fine).log2() > 1.6, "{coarse:e} m at 1 ms, {fine:e} m at 0.5 ms");
}
