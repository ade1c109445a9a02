//! Closed chains in motion: no drift, energy, capture in flight.

use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, State};
use anthropi_dynamics::sim::{Integrator, Simulation};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, Vec3, vec3};
use testkit::*;

const Y: Vec3 = vec3(0.0, 1.0, 0.0);

/// A rod of 1 kg along x.
pub fn rod(length: f64) -> Inertia {
    let i = length * length / 12.0;
    Inertia::about_center(1.0, vec3(0.5 * length, 0.0, 0.0), Sym3::diagonal(vec3(1e-3, i, i)))
}

/// A planar four-bar in space: three moving rods, the last pinned to the ground. Two of its five rows depend on others.
fn four_bar() -> Figure {
    let mut b = FigureBuilder::new("four-bar");
    let hinge = |name: &str| JointSpec::new(name, JointKind::Revolute { axis: Y });
    let crank = b.add(LinkSpec::new("crank", rod(0.5)), hinge("a")).unwrap();
    let at = |x: f64| Transform::translation(vec3(x, 0.0, 0.0));
    let coupler = b.add(LinkSpec::new("coupler", rod(1.2)), hinge("b").on(crank, at(0.5))).unwrap();
    let rocker = b.add(LinkSpec::new("rocker", rod(1.0)), hinge("c").on(coupler, at(1.2))).unwrap();
    let mut pin = hinge("d");
    (pin.parent_from_joint, pin.child_from_joint) = (at(1.0), at(1.0));
    b.connect(rocker, pin).unwrap();
    b.build().unwrap()
}

#[test]
fn a_four_bar_is_assembled_and_runs_for_a_minute_without_drift() {
    let figure = four_bar();
    let mut s = State::home(&figure);
    s.q.copy_from_slice(&[-1.0, 0.5, 1.5]);
    let mut sim = Simulation::new(figure, s).unwrap();
    let closed = sim.assemble().unwrap();
    assert!(closed.iterations > 0);
    let start = sim.energy().total();
    let mut worst: f64 = 0.0;
    let mut drift: f64 = 0.0;
    for _ in 0..60_000 {
        sim.step(1e-3).unwrap();
        worst = worst.max(sim.closure().linear).max(sim.closure().angular);
        drift = drift.max((sim.energy().total() - start).abs());
    }
    assert_small("closure", worst, 1e-8);
    assert_small("energy drift of the default step, J", drift, 2e-3);
}

#[test]
fn a_loop_that_cannot_close_says_by_how_much() {
    let mut b = FigureBuilder::new("too short");
    let hinge = |name: &str| JointSpec::new(name, JointKind::Revolute { axis: Y });
    let arm = b.add(LinkSpec::new("arm", rod(1.0)), hinge("a")).unwrap();
    let mut pin = hinge("far");
    pin.parent_from_joint = Transform::translation(vec3(3.0, 0.0, 0.0));
    pin.child_from_joint = Transform::translation(vec3(1.0, 0.0, 0.0));
    b.connect(arm, pin).unwrap();
    let figure = b.build().unwrap();
    let s = State::home(&figure);
    let mut sim = Simulation::new(figure, s.clone()).unwrap();
    let e = sim.assemble().unwrap_err().to_string();
    assert!(e.contains("far") && e.contains("2.0"), "{e}");
    assert_eq!(sim.state().q, s.q);
}

#[test]
fn a_hanging_figure_of_two_grips_keeps_energy_by_rk4() {
    // a ladder of links held at both ends: spherical joints, redundant grips
    let mut b = FigureBuilder::new("rope");
    let mut last = None;
    for i in 0..6 {
        let mut joint = JointSpec::new(format!("j{i}"), JointKind::Spherical);
        if let Some(parent) = last {
            joint = joint.on(parent, Transform::translation(vec3(0.3, 0.0, 0.0)));
        }
        let inertia =
            Inertia::about_center(0.5, vec3(0.15, 0.0, 0.0), Sym3::diagonal(vec3(1e-3, 4e-3, 4e-3)));
        last = Some(b.add(LinkSpec::new(format!("l{i}"), inertia), joint).unwrap());
    }
    let mut grip = JointSpec::new("grip", JointKind::Spherical);
    grip.child_from_joint = Transform::translation(vec3(0.3, 0.0, 0.0));
    grip.parent_from_joint = Transform::translation(vec3(1.2, 0.3, 0.2));
    b.connect(last.unwrap(), grip).unwrap();
    let figure = b.build().unwrap();
    let s = random_state(&figure, 4);
    let mut sim = Simulation::new(figure, s).unwrap();
    sim.assemble().unwrap();
    sim.integrator = Integrator::Rk4;
    let start = sim.energy();
    for _ in 0..5_000 {
        sim.step(1e-3).unwrap();
        assert_small("closure", sim.closure().linear, 1e-9);
    }
    let end = sim.energy();
    let size = start.kinetic.max(start.total().abs());
    assert_small("energy", (end.total() - start.total()).abs() / size, 1e-5);
}

#[test]
fn grabbing_and_letting_go_in_flight_keeps_momentum() {
    // a figure that hangs together and floats: only then is the grab an internal force
    let floats = |f: &Figure| {
        let roots = f.links().filter(|(_, l)| l.parent().is_none()).count();
        roots == 1 && f.joints().next().is_some_and(|(_, j)| j.kind == JointKind::Free)
    };
    let figure = (0..).map(|seed| random_figure(seed, 9)).find(floats).unwrap();
    let s = random_state(&figure, 12);
    let links: Vec<_> = figure.links().map(|(h, _)| h).collect();
    let mut sim = Simulation::new(figure, s).unwrap();
    let momentum = |sim: &mut Simulation| {
        let forest = sim.figure().forest().clone();
        centroidal::momentum(&forest, sim.kinematics())
    };
    for _ in 0..20 {
        sim.step(1e-3).unwrap();
    }
    let before = momentum(&mut sim);
    let joint = JointSpec { parent: Some(links[1]), ..JointSpec::new("grab", JointKind::Spherical) };
    let t0 = sim.energy().kinetic;
    let grab = sim.connect(links[8], joint).unwrap();
    assert_small("momentum at the grab", relative(&momentum(&mut sim).to_array(), &before.to_array()), 1e-12);
    assert!(sim.energy().kinetic <= t0 * (1.0 + 1e-12));
    for _ in 0..100 {
        sim.step(1e-3).unwrap();
        assert_small("closure", sim.closure().linear, 1e-9);
    }
    let (before, t0) = (momentum(&mut sim), sim.energy().kinetic);
    sim.cut(grab).unwrap();
    assert_small(
        "momentum at the release",
        relative(&momentum(&mut sim).to_array(), &before.to_array()),
        1e-12,
    );
    assert_small("energy at the release", (sim.energy().kinetic - t0).abs() / t0, 1e-12);
    sim.step(1e-3).unwrap();
    assert!(sim.cut(grab).is_err(), "a handle of a connection that was cut is refused");
}

/// Rods on hinges about y one after the other, the first on the world and the last held where it is.
fn held_chain(rods: usize, bend: f64, end: JointKind) -> Simulation {
    let mut b = FigureBuilder::new("chain");
    let mut last = None;
    for i in 0..rods {
        let mut joint = JointSpec::new(format!("j{i}"), JointKind::Revolute { axis: Y });
        if let Some(last) = last {
            joint = joint.on(last, Transform::translation(vec3(0.2, 0.0, 0.0)));
        }
        last = Some(b.add(LinkSpec::new(format!("l{i}"), rod(0.2)), joint).unwrap());
    }
    let figure = b.build().unwrap();
    let mut s = State::home(&figure);
    s.q.iter_mut().enumerate().for_each(|(i, q)| *q = bend * if i % 2 == 0 { 1.0 } else { -1.7 });
    let mut sim = Simulation::new(figure, s).unwrap();
    let mut joint = JointSpec::new("end", end);
    joint.child_from_joint = Transform::translation(vec3(0.2, 0.0, 0.0));
    sim.connect(last.unwrap(), joint).unwrap();
    sim
}

#[test]
fn a_taut_chain_hangs_where_it_is() {
    // straight, no row holds it to first order: the forces that would are without bound
    for integrator in [Integrator::Midpoint, Integrator::Rk4] {
        for end in [JointKind::Revolute { axis: Y }, JointKind::Spherical, JointKind::Fixed] {
            for rods in [2, 3, 4, 5, 8] {
                for bend in [0.0, 1e-9, 1e-4, 0.1] {
                    let what = format!("{integrator:?}, {rods} rods bent by {bend}, {end:?}");
                    let mut sim = held_chain(rods, bend, end);
                    sim.integrator = integrator;
                    let start = sim.energy().total();
                    for k in 0..1000 {
                        sim.step(1e-3).unwrap_or_else(|e| panic!("{what}: {e}"));
                        let (open, gained) = (sim.closure().error(), sim.energy().total() - start);
                        // eight rods have seven buckling modes, and each iteration removes only a quarter of the error
                        let most = if rods < 8 { 1e-8 } else { 3e-8 };
                        assert!(open < most, "{what}, step {k}: open by {open:e}");
                        // bent chains swing through straight poses, and whip there
                        let most = if bend < 0.1 { 5e-3 } else { 0.05 };
                        assert!(gained < most, "{what}, step {k}: gained {gained} J");
                    }
                }
            }
        }
    }
}
