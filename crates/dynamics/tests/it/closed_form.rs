//! Motions and forces that have a formula.

use anthropi_dynamics::algo::energy;
use anthropi_dynamics::joint::{Dof, JointKind};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, State};
use anthropi_dynamics::sim::{Integrator, Script, ScriptedForce, Simulation};
use anthropi_dynamics::spatial::{Inertia, Quat, RotationOrder, Sym3, Transform, Vec3, vec3};
use testkit::*;

/// RK4 with a few thousand steps a period.
const RK4: f64 = 1e-8;
/// Formula against formula.
const FORMULA: f64 = 1e-12;
const G: f64 = 9.81;

const X: Vec3 = vec3(1.0, 0.0, 0.0);
const Y: Vec3 = vec3(0.0, 1.0, 0.0);
const Z: Vec3 = vec3(0.0, 0.0, 1.0);

fn single(kind: JointKind, inertia: Inertia, dof: Dof) -> Figure {
    let mut b = FigureBuilder::new("single");
    let mut joint = JointSpec::new("joint", kind);
    joint.dof = dofs(dof);
    b.add(LinkSpec::new("link", inertia), joint).unwrap();
    b.build().unwrap()
}

fn run(
    figure: &Figure,
    q: &[f64],
    v: &[f64],
    integrator: Integrator,
    steps: usize,
    h: f64,
    load: Option<ScriptedForce>,
) -> State {
    let mut s = State::home(figure);
    s.q.copy_from_slice(q);
    s.v.copy_from_slice(v);
    let mut sim = Simulation::new(figure.clone(), s).unwrap();
    sim.integrator = integrator;
    load.into_iter().for_each(|l| sim.push(l).unwrap());
    (0..steps).for_each(|_| {
        sim.step(h).unwrap();
    });
    sim.state().clone()
}

/// Arithmetic-geometric mean.
fn agm(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

#[test]
fn a_pendulum_swings_with_the_period_of_the_elliptic_integral() {
    let (mass, depth, own) = (1.7, 0.4, 0.05);
    let inertia = Inertia::about_center(mass, vec3(0.0, 0.0, -depth), Sym3::diagonal(vec3(own, own, 0.01)));
    let figure = single(JointKind::Revolute { axis: Y }, inertia, Dof::default());
    let moment = own + mass * depth * depth;
    let mut closes = Residuals::new("pendulum after one period", RK4);
    let mut hangs = Residuals::new("pendulum after a quarter", RK4);
    for start in [0.01_f64, 0.5, 1.5, 2.8, 3.1] {
        let small = 2.0 * core::f64::consts::PI * (moment / (mass * G * depth)).sqrt();
        // T = T_small / agm(1, cos(start / 2))
        let period = small / agm(1.0, (0.5 * start).cos());
        let steps = 8000;
        let s = run(&figure, &[start], &[0.0], Integrator::Rk4, steps, period / steps as f64, None);
        closes.see((s.q[0] - start).abs() + s.v[0].abs(), || format!("from {start}"));
        let s = run(&figure, &[start], &[0.0], Integrator::Rk4, steps / 4, period / steps as f64, None);
        let speed = (2.0 * mass * G * depth * (1.0 - start.cos()) / moment).sqrt();
        hangs.see(s.q[0].abs() + (s.v[0] + speed).abs(), || format!("from {start}"));
    }
    closes.finish();
    hangs.finish();
}

#[test]
fn a_double_pendulum_accelerates_as_in_the_textbook() {
    let mut worst = Residuals::new("double pendulum", FORMULA);
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let (m1, m2) = (0.5 + rng.uniform(), 0.5 + rng.uniform());
        let (l1, l2) = (0.3 + rng.uniform(), 0.3 + rng.uniform());
        let mut b = FigureBuilder::new("double pendulum");
        let point = |m: f64, l: f64| Inertia::about_center(m, vec3(0.0, 0.0, -l), Sym3::default());
        let hinge = |name: &str| JointSpec::new(name, JointKind::Revolute { axis: Y });
        let upper = b.add(LinkSpec::new("upper", point(m1, l1)), hinge("upper")).unwrap();
        let at_end = Transform::translation(vec3(0.0, 0.0, -l1));
        b.add(LinkSpec::new("lower", point(m2, l2)), hinge("lower").on(upper, at_end)).unwrap();
        let figure = b.build().unwrap();
        let s = random_state(&figure, seed);
        // angles against the vertical
        let (t1, t2, w1, w2) = (s.q[0], s.q[0] + s.q[1], s.v[0], s.v[0] + s.v[1]);
        let (d, below) = (t1 - t2, 2.0 * m1 + m2 - m2 * (2.0 * (t1 - t2)).cos());
        let a1 = (-G * (2.0 * m1 + m2) * t1.sin()
            - m2 * G * (t1 - 2.0 * t2).sin()
            - 2.0 * d.sin() * m2 * (w2 * w2 * l2 + w1 * w1 * l1 * d.cos()))
            / (l1 * below);
        let a2 = 2.0
            * d.sin()
            * (w1 * w1 * l1 * (m1 + m2) + G * (m1 + m2) * t1.cos() + w2 * w2 * l2 * m2 * d.cos())
            / (l2 * below);
        worst.see(off(&forward_dynamics(&figure, &s, &[0.0, 0.0], None), &[a1, a2 - a1]), || {
            format!("seed {seed}")
        });
    }
    worst.finish();
}

#[test]
fn a_symmetric_top_precesses_at_the_closed_form_rate() {
    // body rates turn about the symmetry axis with (I3 - I1) / I1 w3, the axis about L with |L| / I1
    let (i1, i3) = (0.4, 0.7);
    let mut rates = Residuals::new("top: body rates", RK4);
    let mut turn = Residuals::new("top: orientation", RK4);
    for kind in [JointKind::Spherical, JointKind::Free] {
        let mut figure = single(
            kind,
            Inertia::about_center(2.0, Vec3::ZERO, Sym3::diagonal(vec3(i1, i1, i3))),
            Dof::default(),
        );
        figure.set_gravity(Vec3::ZERO);
        let start = Quat::exp(vec3(0.3, -0.8, 0.5));
        let w = vec3(1.3, 0.0, 2.1);
        let at = if kind == JointKind::Free { 3 } else { 0 };
        let mut q = kind.neutral()[..kind.nq()].to_vec();
        q[at..].copy_from_slice(&start.0);
        let mut v = vec![0.0; kind.nv()];
        v[..3].copy_from_slice(&w.to_array());
        let (steps, time) = (5000, 5.0);
        let s = run(&figure, &q, &v, Integrator::Rk4, steps, time / steps as f64, None);
        let spin = (i3 - i1) / i1 * w.z;
        let (sin, cos) = (spin * time).sin_cos();
        rates.see(off(&s.v[..3], &[w.x * cos, w.x * sin, w.z]), || kind.name().into());
        let momentum = start.rotate(vec3(i1 * w.x, 0.0, i3 * w.z));
        let want = Quat::exp(momentum.scale(time / i1)).then(start).then(Quat::about(Z, -spin * time));
        let got = Quat([s.q[at], s.q[at + 1], s.q[at + 2], s.q[at + 3]]);
        turn.see(want.inverse().then(got).log().norm(), || kind.name().into());
        assert!(s.q[..at].iter().all(|x| *x == 0.0), "the centre stays");
    }
    rates.finish();
    turn.finish();
}

#[test]
fn a_thrown_body_flies_the_parabola() {
    let inertia = Inertia::about_center(2.0, Vec3::ZERO, Sym3::diagonal(vec3(0.4, 0.5, 0.7)));
    let figure = single(JointKind::Free, inertia, Dof::default());
    let (place, v, time) = (vec3(0.3, -1.0, 2.0), vec3(3.0, -1.0, 8.0), 1.6);
    let turned = Quat::exp(vec3(0.4, 1.0, -0.3));
    let mut flight = Residuals::new("parabola, not turning, default integrator", 1e-12); // 1600 roundings
    let mut tumbling = Residuals::new("parabola, tumbling, RK4", RK4);
    let q: Vec<f64> = place.to_array().into_iter().chain(turned.0).collect();
    let want = place + v.scale(time) + vec3(0.0, 0.0, -0.5 * G * time * time);
    let speed = v + vec3(0.0, 0.0, -G * time);
    let steps = 1600;
    for (w, integrator) in [(Vec3::ZERO, Integrator::default()), (vec3(1.0, -2.0, 0.5), Integrator::Rk4)] {
        let linear = turned.to_matrix().tr_mul(v);
        let start: Vec<f64> = w.to_array().into_iter().chain(linear.to_array()).collect();
        let s = run(&figure, &q, &start, integrator, steps, time / steps as f64, None);
        let now = Quat([s.q[3], s.q[4], s.q[5], s.q[6]]);
        let got = now.rotate(Vec3::from_array(&[s.v[3], s.v[4], s.v[5]]));
        let residual = off(&s.q[..3], &want.to_array()).max(off(&got.to_array(), &speed.to_array()));
        if w == Vec3::ZERO { &mut flight } else { &mut tumbling }.see(residual, || format!("{integrator:?}"));
    }
    flight.finish();
    tumbling.finish();
}

#[test]
fn a_tumbling_body_flies_the_parabola_to_second_order_with_the_default_integrator() {
    // the velocity is kept in body axes, so tumbling costs the exactness that straight flight has
    let inertia = Inertia::about_center(2.0, Vec3::ZERO, Sym3::diagonal(vec3(0.4, 0.5, 0.7)));
    let figure = single(JointKind::Free, inertia, Dof::default());
    let (v, w, time) = (vec3(3.0, -1.0, 8.0), vec3(1.0, -2.0, 0.5), 1.6);
    let miss = |steps: usize| {
        let start: Vec<f64> = w.to_array().into_iter().chain(v.to_array()).collect();
        let s = run(
            &figure,
            &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            &start,
            Integrator::Midpoint,
            steps,
            time / steps as f64,
            None,
        );
        let want = v.scale(time) + vec3(0.0, 0.0, -0.5 * G * time * time);
        off(&s.q[..3], &want.to_array())
    };
    let (coarse, fine) = (miss(800), miss(1600));
    if std::env::var("SHOW_RESIDUALS").is_ok() {
        eprintln!("RESIDUAL tumbling flight, midpoint: {coarse:.2e} at 2 ms, {fine:.2e} at 1 ms");
    }
    assert!(
        coarse < 1e-9 || coarse / fine > 3.5,
        "order {:.2}: {coarse:e} then {fine:e}",
        (coarse / fine).log2()
    );
    assert_small("tumbling flight at 1 ms", fine, 1e-4);
}

#[test]
fn a_sliding_mass_on_spring_and_damper_follows_the_exact_solution() {
    let (m, k, b, rest) = (1.5, 40.0, 0.8, 0.2);
    let dof = Dof { stiffness: k, damping: b, rest, ..Dof::default() };
    let inertia = Inertia::about_center(m, vec3(0.1, 0.2, -0.3), Sym3::diagonal(vec3(0.1, 0.1, 0.1)));
    let figure = single(JointKind::Prismatic { axis: X }, inertia, dof);
    let (start, speed, push, time) = (0.7, -1.2, 3.0, 3.0);
    let joint = figure.find_joint("joint").unwrap();
    let load = ScriptedForce::Joint { joint, dof: 0, size: push, script: Script::Constant };
    let s = run(&figure, &[start], &[speed], Integrator::Rk4, 6000, time / 6000.0, Some(load));
    // x = c + e^(-n t) (A cos w t + B sin w t)
    let (n, c) = (0.5 * b / m, rest + push / k);
    let w = (k / m - n * n).sqrt();
    let (p, r) = (start - c, (speed + n * (start - c)) / w);
    let (sin, cos) = (w * time).sin_cos();
    let decay = (-n * time).exp();
    let x = c + decay * (p * cos + r * sin);
    let v = decay * (w * (r * cos - p * sin) - n * (p * cos + r * sin));
    let mut worst = Residuals::new("mass, spring, damper", RK4);
    worst.see((s.q[0] - x).abs() + (s.v[0] - v).abs(), || "RK4".into());
    worst.finish();
}

#[test]
fn a_constant_torque_turns_a_body_uniformly_faster() {
    let (m, arm, own, torque, time) = (1.2, 0.3, 0.07, 0.9, 2.0);
    let inertia = Inertia::about_center(m, vec3(arm, 0.0, 0.1), Sym3::diagonal(vec3(0.06, 0.05, own)));
    let mut worst = Residuals::new("constant torque", FORMULA);
    for armature in [0.0, 0.15] {
        let figure = single(JointKind::Revolute { axis: Z }, inertia, Dof { armature, ..Dof::default() });
        let moment = own + m * arm * arm + armature;
        let joint = figure.find_joint("joint").unwrap();
        let load = ScriptedForce::Joint { joint, dof: 0, size: torque, script: Script::Constant };
        // gravity along the axis does nothing; uniform acceleration is exact for both second-order and RK4 steps
        for integrator in [Integrator::Midpoint, Integrator::Rk4] {
            let s = run(&figure, &[0.1], &[0.5], integrator, 1000, time / 1000.0, Some(load.clone()));
            let want = [0.1 + 0.5 * time + 0.5 * torque / moment * time * time, 0.5 + torque / moment * time];
            worst.see(off(&[s.q[0], s.v[0]], &want), || format!("{integrator:?} armature {armature}"));
        }
    }
    worst.finish();
}

/// The same body at the end of a chain of massless links that turn about the axes, and a tip beyond it.
fn chain(axes: &[Vec3], place: Transform, inertia: Inertia, tip: Inertia) -> Figure {
    let mut b = FigureBuilder::new("chain");
    let mut on = b
        .add(LinkSpec::new("base", inertia), JointSpec::new("base", JointKind::Revolute { axis: Y }))
        .unwrap();
    for (i, axis) in axes.iter().enumerate() {
        let frame = if i == 0 { place } else { Transform::identity() };
        let own = if i + 1 == axes.len() { inertia } else { Inertia::ZERO };
        let joint = JointSpec::new(format!("turn {i}"), JointKind::Revolute { axis: *axis }).on(on, frame);
        on = b.add(LinkSpec::new(format!("link {i}"), own), joint).unwrap();
    }
    let joint = JointSpec::new("tip", JointKind::Revolute { axis: X }).on(on, place);
    b.add(LinkSpec::new("tip", tip), joint).unwrap();
    b.build().unwrap()
}

/// The same with one joint instead of the chain.
fn joined(kind: JointKind, order: RotationOrder, place: Transform, inertia: Inertia, tip: Inertia) -> Figure {
    let mut b = FigureBuilder::new("joined");
    let base = b
        .add(LinkSpec::new("base", inertia), JointSpec::new("base", JointKind::Revolute { axis: Y }))
        .unwrap();
    let mut joint = JointSpec::new("turn", kind).on(base, place);
    joint.order = order;
    let on = b.add(LinkSpec::new("link", inertia), joint).unwrap();
    let joint = JointSpec::new("tip", JointKind::Revolute { axis: X }).on(on, place);
    b.add(LinkSpec::new("tip", tip), joint).unwrap();
    b.build().unwrap()
}

#[test]
fn a_universal_joint_is_two_hinges_with_a_massless_link_between() {
    let mut inverse = Residuals::new("universal: inverse dynamics", FORMULA);
    let mut matrix = Residuals::new("universal: mass matrix", FORMULA);
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let first = rng.unit();
        let second = if seed % 2 == 0 { first.any_perpendicular() } else { rng.unit() };
        let (place, inertia, tip) = (rng.transform(), rng.inertia(), rng.inertia());
        let one = joined(JointKind::Universal { first, second }, RotationOrder::Xyz, place, inertia, tip);
        let two = chain(&[first, second], place, inertia, tip);
        let s = random_state(&two, seed);
        let mut t = State::home(&one);
        (t.q, t.v) = (s.q.clone(), s.v.clone());
        let a = random_vector(4, seed, 3.0);
        let (got, want) = (inverse_dynamics(&one, &t, &a, None), inverse_dynamics(&two, &s, &a, None));
        inverse.see(off(&got, &want), || format!("seed {seed}"));
        for (g, w) in dense_mass_matrix(&one, &t.q).iter().zip(dense_mass_matrix(&two, &s.q)) {
            matrix.see(off(g, &w), || format!("seed {seed}"));
        }
    }
    inverse.finish();
    matrix.finish();
}

#[test]
fn a_ball_is_three_hinges_with_massless_links_between() {
    let mut same = Residuals::new("ball: energy and power", FORMULA);
    let mut forces = Residuals::new("ball: forces", 1e-7); // the rate of the rates matrix is a central difference
    for order in RotationOrder::ALL {
        for seed in 0..20 {
            let mut rng = Rng::new(seed);
            let (place, inertia, tip) = (rng.transform(), rng.inertia(), rng.inertia());
            let ball = joined(JointKind::Spherical, order, place, inertia, tip);
            let hinges = chain(&order.axes().map(|a| a.unit()), place, inertia, tip);
            let s = random_state(&hinges, seed);
            let (angles, rates) = ([s.q[1], s.q[2], s.q[3]], [s.v[1], s.v[2], s.v[3]]);
            let spliced = |x: &[f64], middle: &[f64]| -> Vec<f64> { [&x[..1], middle, &x[4..]].concat() };
            let e = order.rates_to_velocity(angles);
            let mut t = State::home(&ball);
            t.q = spliced(&s.q, &order.quat(angles).0);
            t.v = spliced(&s.v, &e.mul(Vec3::from_array(&rates)).to_array());
            let at = || format!("{order:?} seed {seed}");
            let (kb, kh) = (kinematics_of(&ball, &t, None), kinematics_of(&hinges, &s, None));
            let kinetic = |f: &Figure, k: &_, v: &[f64]| energy::kinetic(f.forest(), k, v);
            same.see(off(&[kinetic(&ball, &kb, &t.v)], &[kinetic(&hinges, &kh, &s.v)]), at);
            same.see(
                off(&[energy::potential(ball.forest(), &kb)], &[energy::potential(hinges.forest(), &kh)]),
                at,
            );
            // torque that holds the figure against gravity
            let (mut still_b, mut still_h) = (t.clone(), s.clone());
            still_b.v.fill(0.0);
            still_h.v.fill(0.0);
            let hold_b = inverse_dynamics(&ball, &still_b, &[0.0; 5], None);
            let hold_h = inverse_dynamics(&hinges, &still_h, &[0.0; 5], None);
            same.see(off(&[dot(&hold_b, &t.v)], &[dot(&hold_h, &s.v)]), at);
            // and in motion: w' = E r'' + E' r', torque on the hinges = E^T torque
            let a = random_vector(5, seed, 3.0);
            let h = 1e-6;
            let e_at = |d: f64| order.rates_to_velocity(core::array::from_fn(|k| angles[k] + d * rates[k]));
            let turned = (e_at(h) - e_at(-h)).scale_by(0.5 / h).mul(Vec3::from_array(&rates));
            let own = e.mul(vec3(a[1], a[2], a[3])) + turned;
            let tau = inverse_dynamics(&ball, &t, &spliced(&a, &own.to_array()), None);
            let got = spliced(&tau, &e.tr_mul(vec3(tau[1], tau[2], tau[3])).to_array());
            forces.see(off(&got, &inverse_dynamics(&hinges, &s, &a, None)), at);
        }
    }
    same.finish();
    forces.finish();
}
