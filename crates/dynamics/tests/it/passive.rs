//! Forces that joints make by themselves: springs and their energy, damping, dry friction, limit springs.

use anthropi_dynamics::joint::{Dof, JointKind, LimitLaw, LimitSpring, Range};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, State};
use anthropi_dynamics::sim::{Integrator, Simulation, advance};
use anthropi_dynamics::spatial::{Inertia, Quat, RotationOrder, Sym3, Vec3, vec3};
use testkit::*;

/// Central differences of energies of about 10 J with step 1e-6.
const DIFFERENCE: f64 = 1e-8;
/// A few products and sums.
const ROUNDING: f64 = 1e-13;

const KINDS: [JointKind; 4] = [
    JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) },
    JointKind::Prismatic { axis: vec3(1.0, 0.0, 0.0) },
    JointKind::Universal { first: vec3(1.0, 0.0, 0.0), second: vec3(0.0, 1.0, 0.0) },
    JointKind::Spherical,
];

fn one_joint(kind: JointKind, order: RotationOrder, dof: [Dof; 3], home: Option<[f64; 7]>) -> Figure {
    let mut b = FigureBuilder::new("one joint");
    let inertia = Inertia::about_center(1.0, vec3(0.1, 0.0, -0.4), Sym3::diagonal(vec3(0.02, 0.03, 0.04)));
    let mut joint = JointSpec::new("joint", kind);
    (joint.order, joint.dof, joint.home) = (order, dof, home);
    b.add(LinkSpec::new("link", inertia), joint).unwrap();
    b.build().unwrap()
}

fn passive(figure: &Figure, s: &State) -> Vec<f64> {
    let mut tau = vec![0.0; figure.forest().nv()];
    figure.forest().add_passive_forces(&s.q, &s.v, &mut tau);
    tau
}

fn each_case(mut f: impl FnMut(JointKind, u64, &mut Rng)) {
    for kind in KINDS {
        (0..50).for_each(|seed| f(kind, seed, &mut Rng::new(seed)));
    }
}

#[test]
fn springs_pull_down_the_gradient_of_their_energy() {
    let mut gradient = Residuals::new("spring force against energy", DIFFERENCE);
    each_case(|kind, seed, rng| {
        let ball = kind == JointKind::Spherical;
        let k = 5.0 * rng.uniform();
        let dof = core::array::from_fn(|_| Dof {
            stiffness: if ball { k } else { 5.0 * rng.uniform() },
            rest: if ball { 0.0 } else { rng.signed() },
            ..Dof::default()
        });
        let mut home = kind.neutral();
        if ball {
            home[..4].copy_from_slice(&rng.quat().0);
        }
        let figure = one_joint(kind, RotationOrder::Xyz, dof, Some(home));
        let (forest, s) = (figure.forest(), random_state(&figure, seed));
        let energy_at = |t: f64| {
            let mut q = s.q.clone();
            advance(forest, &mut q, &s.v, t);
            forest.spring_energy(&q)
        };
        let h = 1e-6;
        let rate = (energy_at(h) - energy_at(-h)) / (2.0 * h);
        let power = dot(&passive(&figure, &s), &s.v);
        gradient.see((power + rate).abs() / rate.abs().max(1.0), || format!("{} seed {seed}", kind.name()));
        // at home with rest 0 nothing pulls
        if ball {
            assert_small("force at home", off(&passive(&figure, &State::home(&figure)), &[0.0; 3]), ROUNDING);
        }
    });
    gradient.finish();
}

#[test]
fn damping_takes_its_power_from_the_motion() {
    let mut power = Residuals::new("damping power", ROUNDING);
    each_case(|kind, seed, rng| {
        let dof = core::array::from_fn(|_| Dof { damping: 2.0 * rng.uniform(), ..Dof::default() });
        let figure = one_joint(kind, RotationOrder::Xyz, dof, None);
        let s = random_state(&figure, seed);
        let want: f64 = s.v.iter().zip(&dof).map(|(v, d)| -d.damping * v * v).sum();
        power.see((dot(&passive(&figure, &s), &s.v) - want).abs(), || format!("{} seed {seed}", kind.name()));
        // the implicit part and the rest add up to the whole
        let mut undamped = vec![0.0; s.v.len()];
        figure.forest().add_undamped_forces(&s.q, &s.v, &mut undamped);
        assert_eq!(undamped, vec![0.0; s.v.len()]);
        let want: Vec<f64> = dof[..s.v.len()].iter().map(|d| d.damping).collect();
        assert_eq!(figure.forest().damping(), want);
    });
    power.finish();
}

#[test]
fn dry_friction_dissipates_and_saturates() {
    each_case(|kind, seed, rng| {
        let dof = core::array::from_fn(|_| Dof { friction: 2.0 * rng.uniform() + 0.1, ..Dof::default() });
        let figure = one_joint(kind, RotationOrder::Xyz, dof, None);
        let mut s = random_state(&figure, seed);
        let tau = passive(&figure, &s);
        for (k, t) in tau.iter().enumerate() {
            assert!(t * s.v[k] < 0.0, "{} seed {seed}: friction drives", kind.name());
            assert!(t.abs() <= dof[k].friction, "more than dry friction");
            // well above the fading rate it is the whole of it
            assert!(s.v[k].abs() < 0.5 || t.abs() > 0.999 * dof[k].friction);
        }
        s.v.fill(0.0);
        assert_eq!(passive(&figure, &s), vec![0.0; tau.len()], "none at rest");
    });
}

fn limited(rng: &mut Rng, rebound: f64) -> Dof {
    let law = if rng.uniform() < 0.5 {
        LimitLaw::Power { k: 20.0 * rng.uniform(), n: 1.0 + 2.0 * rng.uniform() }
    } else {
        LimitLaw::Exponential { k: 2.0 * rng.uniform(), c: 5.0 * rng.uniform() }
    };
    let limit = LimitSpring { law, blend: 0.1 + 0.2 * rng.uniform(), rebound };
    let range = Range { lower: -0.6 * rng.uniform() - 0.2, upper: 0.6 * rng.uniform() + 0.2 };
    Dof { range: Some(range), limit: Some(limit), ..Dof::default() }
}

#[test]
fn limits_of_single_axes_push_back_and_only_on_the_way_out() {
    let mut acted = 0;
    each_case(|kind, seed, rng| {
        if kind == JointKind::Spherical {
            return;
        }
        let dof = core::array::from_fn(|_| limited(rng, 0.0));
        let figure = one_joint(kind, RotationOrder::Xyz, dof, None);
        let s = random_state(&figure, seed);
        for (k, t) in passive(&figure, &s).into_iter().enumerate() {
            let (d, range, x, rate) = (dof[k].limit.unwrap(), dof[k].range.unwrap(), s.q[k], s.v[k]);
            let (low, high) = (x < range.lower + d.blend, x > range.upper - d.blend);
            let wanted = (low && rate < 0.0) || (high && rate > 0.0);
            assert_eq!(t != 0.0, wanted, "{} seed {seed} x {x} rate {rate}", kind.name());
            assert!(t * rate <= 0.0, "never drives");
            assert!(t == 0.0 || (t > 0.0) == low, "pushes inwards");
            acted += usize::from(t != 0.0);
        }
    });
    assert!(acted > 30, "the limits were hardly met: {acted}");
}

/// Child-axes angular velocity per angle rate, by central differences: independent of the crate's own matrix.
fn rates_matrix(order: RotationOrder, angles: [f64; 3]) -> nalgebra::Matrix3<f64> {
    let h = 1e-6;
    let column = |k: usize| {
        let turned = |t: f64| {
            let mut a = angles;
            a[k] += t;
            order.quat(a)
        };
        let w = turned(-h).inverse().then(turned(h)).log().scale(0.5 / h);
        nalgebra::Vector3::from(w.to_array())
    };
    nalgebra::Matrix3::from_columns(&[column(0), column(1), column(2)])
}

#[test]
fn limits_of_a_ball_do_the_work_of_forces_on_its_angles() {
    let mut work = Residuals::new("virtual work of ball limits", 1e-7); // differences in `rates_matrix`
    let mut acted = 0;
    for order in RotationOrder::ALL {
        for seed in 0..100 {
            let mut rng = Rng::new(seed);
            let dof: [Dof; 3] = core::array::from_fn(|_| limited(&mut rng, 0.3));
            let figure = one_joint(JointKind::Spherical, order, dof, None);
            // away from the pose where first and last axes fall together
            let angles = [2.0 * rng.signed(), 1.4 * rng.signed(), 2.0 * rng.signed()];
            let mut s = State::home(&figure);
            s.q.copy_from_slice(&order.quat(angles).0);
            s.v = rng.vec3(2.0).to_array().to_vec();
            let e = rates_matrix(order, angles);
            let rates = e.lu().solve(&nalgebra::Vector3::from_column_slice(&s.v)).unwrap();
            let force: Vec<f64> = (0..3)
                .map(|k| dof[k].limit.unwrap().force(dof[k].range.unwrap(), angles[k], rates[k]))
                .collect();
            let tau = passive(&figure, &s);
            // along the motion, and along any other turn
            for turn in [Vec3::from_array(&[s.v[0], s.v[1], s.v[2]]), rng.vec3(1.0)] {
                let along = e.lu().solve(&nalgebra::Vector3::from(turn.to_array())).unwrap();
                let want = dot(&force, along.as_slice());
                let got = dot(&tau, &turn.to_array());
                work.see((got - want).abs() / want.abs().max(1.0), || format!("{order:?} seed {seed}"));
            }
            acted += usize::from(force.iter().any(|f| *f != 0.0));
        }
    }
    work.finish();
    assert!(acted > 300, "the limits were hardly met: {acted}");
}

#[test]
fn limits_of_a_ball_stay_finite_and_never_drive_near_the_gimbal_pose() {
    let right = core::f64::consts::FRAC_PI_2;
    for order in RotationOrder::ALL {
        for seed in 0..100 {
            let mut rng = Rng::new(seed);
            let dof: [Dof; 3] = core::array::from_fn(|_| limited(&mut rng, 0.0));
            let figure = one_joint(JointKind::Spherical, order, dof, None);
            let mut s = State::home(&figure);
            let near = [0.0, 1e-15, 1e-13, 1e-9, 1e-6, 1e-3, 0.02][rng.below(7)];
            let middle = (right - near).copysign(rng.signed());
            s.q.copy_from_slice(&order.quat([2.0 * rng.signed(), middle, 2.0 * rng.signed()]).0);
            s.v = rng.vec3(2.0).to_array().to_vec();
            let tau = passive(&figure, &s);
            assert!(tau.iter().all(|t| t.is_finite()), "{order:?} seed {seed}: {tau:?}");
            let power = dot(&tau, &s.v);
            assert!(power <= 0.0, "{order:?} seed {seed}, {near:e} before the right angle: power {power:e}");
            let most: f64 = (0..3)
                .map(|k| {
                    let (limit, range) = (dof[k].limit.unwrap(), dof[k].range.unwrap());
                    let far = core::f64::consts::PI;
                    limit.force(range, far, 1.0).abs().max(limit.force(range, -far, -1.0).abs())
                })
                .sum();
            // E^-1 grows to at most 1 / 0.05 there
            assert!(
                tau.iter().all(|t| t.abs() <= 25.0 * most),
                "{order:?} seed {seed}: {tau:?} with forces {most}"
            );
        }
    }
}

#[test]
fn springs_of_a_ball_stay_finite_at_half_a_turn() {
    let dof = dofs(Dof { stiffness: 3.0, damping: 0.1, friction: 0.1, ..Dof::default() });
    let figure = one_joint(JointKind::Spherical, RotationOrder::Xyz, dof, None);
    for axis in [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.6, 0.0, 0.8)] {
        let mut s = State::home(&figure);
        s.q.copy_from_slice(&Quat::about(axis, core::f64::consts::PI).0);
        let tau = passive(&figure, &s);
        let want = 3.0 * core::f64::consts::PI;
        let size = tau.iter().map(|t| t * t).sum::<f64>().sqrt();
        assert_small("torque at half a turn", (size - want).abs(), ROUNDING);
    }
}

#[test]
fn a_degree_of_freedom_of_a_ball_means_the_same_axis_locked_or_not() {
    // in the pose of all angles zero the k-th angle turns about the k-th axis of the order, and so do its damper,
    // spring and rotor, whether the other two angles are locked or not
    for order in RotationOrder::ALL {
        for k in 0..3 {
            let mut dof = dofs(Dof::default());
            dof[k] = Dof { damping: 1.5, friction: 0.2, armature: 0.3, ..Dof::default() };
            let free = one_joint(JointKind::Spherical, order, dof, None);
            let mut s = State::home(&free);
            s.v = order.axes()[k].unit().to_array().to_vec();
            let (mut locked, mut t) = (free.clone(), s.clone());
            let joint = locked.find_joint("joint").unwrap();
            (0..3).filter(|i| *i != k).for_each(|i| {
                locked.lock(joint, i, &mut t).unwrap();
            });
            assert_eq!(t.v, [1.0], "the same turn");
            let (got, want) = (dot(&passive(&free, &s), &s.v), dot(&passive(&locked, &t), &t.v));
            assert_small(
                &format!("{order:?} dof {k}: power {got} free, {want} locked"),
                (got - want).abs(),
                ROUNDING,
            );
            let inertia = |f: &Figure, s: &State| -> f64 {
                dense_mass_matrix(f, &s.q).iter().zip(&s.v).map(|(row, v)| v * dot(row, &s.v)).sum()
            };
            let (got, want) = (inertia(&free, &s), inertia(&locked, &t));
            assert_small(
                &format!("{order:?} dof {k}: inertia {got} free, {want} locked"),
                (got - want).abs(),
                ROUNDING,
            );
        }
    }
}

#[test]
fn a_pendulum_falling_on_its_limit_stays_near_it() {
    // m = 1 at 0.5 m under y; released with the arm level, the limit just before the lowest point
    let (mass, length, g) = (1.0, 0.5, 9.81);
    let (upper, blend, k) = (1.2, 0.1, 4000.0);
    let limit = LimitSpring { law: LimitLaw::Power { k, n: 2.0 }, blend, rebound: 0.0 };
    let dof = Dof { range: Some(Range { lower: -1.0, upper }), limit: Some(limit), ..Dof::default() };
    let mut b = FigureBuilder::new("pendulum");
    let arm = Inertia::about_center(mass, vec3(length, 0.0, 0.0), Sym3::default());
    let mut hinge = JointSpec::new("hinge", JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) });
    hinge.dof = dofs(dof);
    b.add(LinkSpec::new("arm", arm), hinge).unwrap();
    let figure = b.build().unwrap();
    // work of the spring k d^3 / 3 takes up no more than the whole fall: the deepest it can come
    let deepest = (3.0 * mass * g * length / k).cbrt() - blend;
    for integrator in [Integrator::Midpoint, Integrator::Euler, Integrator::Rk4] {
        let mut sim = Simulation::new(figure.clone(), State::home(&figure)).unwrap();
        sim.integrator = integrator;
        let mut largest: f64 = 0.0;
        for _ in 0..10_000 {
            sim.step(1e-3).unwrap();
            largest = largest.max(sim.state().q[0]);
        }
        assert!(largest > upper - blend, "{integrator:?}: it never came to the limit: {largest}");
        let margin = 0.01; // one step at 4 rad/s is 0.004 rad
        assert!(
            largest < upper + deepest + margin,
            "{integrator:?}: reached {largest}, bound {}",
            upper + deepest
        );
        let energy = sim.energy().total();
        assert!(energy <= 1e-3, "{integrator:?}: the limit gave energy: {energy}");
    }
}
