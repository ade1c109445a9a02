//! No heap on hot paths once they are warm.

use allocation_counter::measure;
use anthropi_dynamics::algo::{
    aba, centroidal, crba, fk::Kinematics, jacobian, lanes, ltl, moving_base, rnea,
};
use anthropi_dynamics::contact::World;
use anthropi_dynamics::joint::{Dof, JointKind, LimitLaw, LimitSpring, Range};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, PlacedShape, Shape, State};
use anthropi_dynamics::sim::{Integrator, Script, ScriptedForce, Simulation};
use anthropi_dynamics::spatial::{Force, Lanes, Motion, Quat, Real, Transform, Vec3, vec3};
use testkit::*;

/// Fails when the second call of `f` touches the heap.
fn assert_none(what: &str, mut f: impl FnMut()) {
    f();
    let count = measure(&mut f).count_total;
    assert_eq!(count, 0, "{what}: {count} allocations once warm");
}

fn figures() -> [(Figure, State); 2] {
    [(3, JointKind::Free), (4, JointKind::Spherical)].map(|(seed, root)| {
        let figure = random_tree(seed, 30, root, true);
        let state = random_state(&figure, seed);
        (figure, state)
    })
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(core::hint::black_box(vec![0u8; 100]))).count_total, 1);
}

#[test]
fn algorithms_do_not_allocate() {
    for (figure, s) in figures() {
        let forest = figure.forest();
        let n = forest.nv();
        let (x, mut y) = (random_vector(n, 1, 2.0), vec![0.0; n]);
        let forces = random_body_forces(&figure, 1);
        let external = Some(&forces[..]);
        let implicit = vec![0.01; n];

        let mut work = rnea::Work::default();
        assert_none("rnea", || rnea::inverse_dynamics(forest, &s.q, &s.v, &x, external, &mut work, &mut y));
        let mut work = aba::Work::default();
        assert_none("aba", || {
            aba::forward_dynamics(forest, &s.q, &s.v, &x, external, Some(&implicit), &mut work, &mut y)
        });
        let (mut work, mut m) = (crba::Work::default(), crba::PathMatrix::default());
        assert_none("crba", || crba::mass_matrix(forest, &s.q, &mut work, &mut m));
        let mut factor = ltl::Factor::default();
        assert_none("ltl factor", || factor.compute(forest, &m).unwrap());
        assert_none("ltl solve", || factor.solve(forest, &mut y));

        let mut k = Kinematics::default();
        assert_none("fk", || k.update(forest, &s.q, Some(&s.v), Some(&x)));
        let tip = figure.links().last().unwrap().0;
        let mut columns = vec![Motion::default(); n];
        assert_none("jacobian", || {
            jacobian::of_link_point(forest, &k, tip, vec3(0.1, 0.2, 0.3), &mut columns)
        });
        let (mut composite, mut momenta) = (Vec::new(), vec![Force::default(); n]);
        assert_none("momentum matrix", || {
            centroidal::momentum_matrix(forest, &k, &mut composite, &mut momenta)
        });
        assert_none("momentum", || {
            core::hint::black_box(centroidal::momentum(forest, &k));
        });
        let (mut work, mut a) = (moving_base::Work::default(), x.clone());
        assert_none("moving base", || {
            moving_base::inverse_dynamics(forest, &s.q, &s.v, external, &mut work, &mut a, &mut y);
        });
        assert_none("passive forces", || forest.add_passive_forces(&s.q, &s.v, &mut y));
    }
}

#[test]
fn lanes_do_not_allocate() {
    for (figure, s) in figures() {
        let forest = figure.forest();
        let wide = |x: &[f64]| -> Vec<Lanes> { x.iter().map(|x| Lanes::splat(*x)).collect() };
        let (q, v, x) = (wide(&s.q), wide(&s.v), wide(&random_vector(forest.nv(), 1, 2.0)));
        let forces: Vec<Force<Lanes>> = random_body_forces(&figure, 1)
            .iter()
            .map(|f| Force::new(Vec3::splat(f.angular), Vec3::splat(f.linear)))
            .collect();
        let (mut work, mut y, mut m) = (lanes::Work::default(), x.clone(), crba::PathMatrix::default());
        let external = Some(&forces[..]);
        assert_none("lanes rnea", || {
            lanes::inverse_dynamics(forest, &q, &v, &x, external, &mut work, &mut y)
        });
        assert_none("lanes aba", || {
            lanes::forward_dynamics(forest, &q, &v, &x, external, None, &mut work, &mut y)
        });
        assert_none("lanes crba", || lanes::mass_matrix(forest, &q, &mut work, &mut m));
    }
}

/// A free trunk with limbs that have springs, dampers, friction and limits.
fn creature() -> Figure {
    let mut rng = Rng::new(5);
    let mut b = FigureBuilder::new("creature");
    let trunk =
        b.add(LinkSpec::new("trunk", rng.inertia()), JointSpec::new("base", JointKind::Free)).unwrap();
    let limit = LimitSpring { law: LimitLaw::Power { k: 50.0, n: 2.0 }, blend: 0.2, rebound: 0.0 };
    let range = Some(Range { lower: -1.0, upper: 1.0 });
    let dof =
        Dof { range, limit: Some(limit), stiffness: 5.0, damping: 0.5, friction: 0.1, ..Dof::default() };
    for i in 0..6 {
        let mut on = trunk;
        for (j, kind) in [
            JointKind::Spherical,
            JointKind::Revolute { axis: rng.unit() },
            JointKind::Universal { first: vec3(1.0, 0.0, 0.0), second: vec3(0.0, 1.0, 0.0) },
        ]
        .into_iter()
        .enumerate()
        {
            let mut joint = JointSpec::new(format!("joint {i} {j}"), kind).on(on, rng.transform());
            joint.dof = dofs(dof);
            on = b.add(LinkSpec::new(format!("link {i} {j}"), rng.inertia()), joint).unwrap();
        }
    }
    b.build().unwrap()
}

#[test]
fn steps_do_not_allocate() {
    let figure = creature();
    for integrator in [Integrator::Midpoint, Integrator::Euler, Integrator::Rk4] {
        let mut sim = Simulation::new(figure.clone(), State::home(&figure)).unwrap();
        sim.integrator = integrator;
        let joint = figure.find_joint("joint 0 0").unwrap();
        sim.push(ScriptedForce::Joint {
            joint,
            dof: 1,
            size: 2.0,
            script: Script::Sine { frequency: 2.0, phase: 0.1 },
        })
        .unwrap();
        let link = figure.find_link("link 3 2").unwrap();
        let script = Script::Table { points: vec![(0.0, 1.0), (1.0, 2.0)] };
        let (point, force, torque) = (vec3(0.1, 0.0, 0.2), vec3(1.0, 2.0, 3.0), vec3(0.1, 0.2, 0.3));
        sim.push(ScriptedForce::Link { link, point, force, torque, script }).unwrap();
        assert_none(&format!("{integrator:?}"), || {
            (0..10).for_each(|_| {
                sim.step(1e-4).unwrap();
            });
        });
        assert_none("energy", || {
            core::hint::black_box(sim.energy());
        });
        // and after an edit of a size seen before
        let knee = figure.find_joint("joint 0 1").unwrap();
        assert_none(&format!("{integrator:?} with lock and unlock"), || {
            sim.edit(|f, s| f.lock(knee, 0, s)).unwrap();
            sim.step(1e-4).unwrap();
            sim.edit(|f, s| f.unlock(knee, 0, s)).unwrap();
            sim.step(1e-4).unwrap();
        });
    }
}

#[test]
fn locking_does_not_allocate() {
    let mut figure = creature();
    let mut s = State::home(&figure);
    for (name, k) in [("joint 0 0", 1), ("joint 1 1", 0), ("joint 2 2", 1)] {
        let joint = figure.find_joint(name).unwrap();
        assert_none(name, || {
            figure.lock(joint, k, &mut s).unwrap();
            figure.unlock(joint, k, &mut s).unwrap();
        });
    }
}

#[test]
fn rerooting_does_not_allocate() {
    let mut figure = creature();
    let mut s = State::home(&figure);
    let (there, back) = (figure.find_link("link 3 2").unwrap(), figure.find_link("trunk").unwrap());
    assert_none("reroot there and back", || {
        figure.reroot(there, &mut s).unwrap();
        figure.reroot(back, &mut s).unwrap();
    });
}

#[test]
fn cutting_does_not_allocate_once_the_figure_has_grown() {
    // the first cut grows q and v; a second cut of the same figure's twin limb has room from a state grown before
    let mut figure = creature();
    let mut s = State::home(&figure);
    let mut counts = Vec::new();
    for i in 0..6 {
        let joint = figure.find_joint(&format!("joint {i} 1")).unwrap();
        counts.push(
            measure(|| {
                figure.cut(joint, &mut s).unwrap();
            })
            .count_total,
        );
    }
    eprintln!("allocations of six cuts, one after the other: {counts:?}");
    // some cuts grow vectors; one of six that doubles nothing must be free of allocation
    assert!(counts.contains(&0), "every cut allocates: {counts:?}");
}

#[test]
fn closed_chains_step_without_allocation() {
    for integrator in [Integrator::Midpoint, Integrator::Euler, Integrator::Rk4] {
        let figure = creature();
        let links: Vec<_> = figure.links().map(|(h, _)| h).collect();
        let s = State::home(&figure);
        let mut sim = Simulation::new(figure, s).unwrap();
        sim.integrator = integrator;
        let mut grip = JointSpec::new("grip", JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) });
        (grip.dof[0].stiffness, grip.dof[0].damping) = (5.0, 0.1);
        sim.connect(links[links.len() - 1], grip).unwrap();
        (0..3).for_each(|_| {
            sim.step(1e-3).unwrap();
        });
        assert_none("a step with a connection", || {
            sim.step(1e-3).unwrap();
        });
    }
}

#[test]
fn connecting_and_cutting_do_not_allocate() {
    let mut figure = creature();
    let mut s = State::home(&figure);
    let links: Vec<_> = figure.links().map(|(h, _)| h).collect();
    let (a, b) = (links[links.len() - 1], links[0]);
    // the name is the caller's
    let mut names: Vec<String> = (0..4).map(|i| format!("grip{i}")).collect();
    let mut once = || {
        let name = names.pop().unwrap_or_default();
        let joint = JointSpec { parent: Some(b), ..JointSpec::new(name, JointKind::Spherical) };
        let grip = figure.connect(a, joint, &mut s).unwrap();
        figure.cut(grip, &mut s).unwrap();
    };
    once();
    assert_none("connect and cut", once);
    // and stepping in between
    let mut sim = Simulation::new(figure, s).unwrap();
    let mut names: Vec<String> = (0..4).map(|i| format!("hold{i}")).collect();
    assert_none("connect, step, cut, step", || {
        let joint =
            JointSpec { parent: Some(b), ..JointSpec::new(names.pop().unwrap(), JointKind::Spherical) };
        let hold = sim.connect(a, joint).unwrap();
        sim.step(1e-3).unwrap();
        sim.cut(hold).unwrap();
        sim.step(1e-3).unwrap();
    });
}

/// A trunk on two legs, each of six degrees of freedom with a sole.
fn walker() -> Figure {
    let mut b = FigureBuilder::new("walker");
    let link = |name: String, shape: Shape| {
        let mut link = LinkSpec::new(name, shape.inertia(1000.0).unwrap());
        link.shapes.push(PlacedShape { shape, link_from_shape: Transform::identity() });
        link
    };
    let at = |x: f64, y: f64, z: f64| Transform::translation(vec3(x, y, z));
    let body = Shape::Box { half: vec3(0.1, 0.15, 0.25) };
    let trunk = b.add(link("trunk".into(), body), JointSpec::new("base", JointKind::Free)).unwrap();
    for (i, side) in [1.0, -1.0].into_iter().enumerate() {
        let mut on = trunk;
        let (y, x) = (vec3(0.0, 1.0, 0.0), vec3(1.0, 0.0, 0.0));
        let bone = |radius| Shape::Capsule { radius, half_length: 0.14 };
        for (name, shape, kind, place, up) in [
            ("thigh", bone(0.06), JointKind::Spherical, at(0.0, 0.1 * side, -0.27), 0.2),
            ("shank", bone(0.05), JointKind::Revolute { axis: y }, at(0.0, 0.0, -0.2), 0.2),
            (
                "foot",
                Shape::Box { half: vec3(0.1, 0.05, 0.02) },
                JointKind::Universal { first: y, second: x },
                at(0.03, 0.0, -0.2),
                0.03,
            ),
        ] {
            let mut joint = JointSpec::new(format!("{name} {i} joint"), kind).on(on, place);
            joint.child_from_joint = at(0.0, 0.0, up);
            joint.dof = dofs(Dof { damping: 0.5, ..Dof::default() });
            on = b.add(link(format!("{name} {i}"), shape), joint).unwrap();
        }
    }
    b.build().unwrap()
}

#[test]
fn steps_with_contact_do_not_allocate() {
    let figure = walker();
    for integrator in [Integrator::Midpoint, Integrator::Euler, Integrator::Rk4] {
        // on both soles, then falling over
        for (turn, v) in [(Vec3::ZERO, 0.0), (vec3(0.2, 0.3, 0.1), 1.0)] {
            let mut start = State::home(&figure);
            start.q[..7].copy_from_slice(&[0.0, 0.0, 1.12 + 0.1 * v, 1.0, 0.0, 0.0, 0.0]);
            start.q[3..7].copy_from_slice(&Quat::exp(turn).0);
            start.v[..6].copy_from_slice(&[0.2 * v, v, 0.1 * v, 0.5 * v, 0.0, 0.0]);
            let mut sim = Simulation::new(figure.clone(), start.clone()).unwrap();
            sim.integrator = integrator;
            sim.touch(World::floor()).unwrap();
            let mut touches = 0;
            assert_none(&format!("{integrator:?} with contact"), || {
                sim.edit(|_, s| {
                    s.q.copy_from_slice(&start.q);
                    s.v.copy_from_slice(&start.v);
                    Ok(())
                })
                .unwrap();
                (0..400).for_each(|_| {
                    sim.step(1e-3).unwrap();
                    touches = touches.max(sim.contacts().len());
                });
            });
            assert!(touches >= 2, "{touches}");
        }
    }
}
