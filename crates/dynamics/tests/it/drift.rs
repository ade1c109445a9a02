//! Loops do not drift: a minute on the high bar with both hands, every scene with its events.

use anthropi_app::builtin;
use anthropi_dynamics::constraint::{Closure, forward_dynamics, generalized};
use anthropi_dynamics::sim::Integrator;

/// Closure error of every scene at every step, m and rad.
const CLOSED: f64 = 1e-8;

#[test]
fn a_minute_on_the_high_bar_with_both_hands() {
    let mut scene = builtin::scene("high-bar").unwrap().unwrap();
    scene.events.clear();
    let mut sim = scene.simulation().unwrap();
    sim.integrator = Integrator::Rk4;
    let start = sim.energy();
    let mut drift: f64 = 0.0;
    for k in 0..60_000 {
        sim.step(1e-3).unwrap();
        let c = sim.closure();
        assert!(c.linear.max(c.angular) < CLOSED, "step {k}: {c:?}");
        if k % 100 == 0 {
            drift = drift.max((sim.energy().total() - start.total()).abs());
        }
    }
    eprintln!("energy drift {:.2e} relative", drift / start.total());
    assert!(drift / start.total() < 1e-5, "energy drift {drift:e} J of {:e} J", start.total());
}

#[test]
fn every_scene_stays_closed() {
    // a tenth of a minute each here; a minute was run by hand with the same result
    for b in builtin::SCENES {
        let scene = builtin::scene(b.name).unwrap().unwrap();
        if scene.world.is_some() {
            continue; // scenes of contact have no connections
        }
        let mut sim = scene.simulation().unwrap();
        for k in 0..6_000 {
            sim.step(1e-3).unwrap_or_else(|e| panic!("{}: {e}", b.name));
            let c = sim.closure();
            assert!(c.linear.max(c.angular) < CLOSED, "{} step {k}: {c:?}", b.name);
        }
    }
}

#[test]
fn both_views_agree_in_every_scene() {
    for b in builtin::SCENES {
        let scene = builtin::scene(b.name).unwrap().unwrap();
        if scene.world.is_some() {
            continue; // scenes of contact have no connections
        }
        let mut sim = scene.simulation().unwrap();
        for k in 0..40 {
            for _ in 0..25 {
                sim.step(1e-3).unwrap();
            }
            let (figure, s) = (sim.figure(), sim.state());
            let forest = figure.forest();
            let tau: Vec<f64> = (0..forest.nv()).map(|i| ((i * 7 + k) % 11) as f64 - 5.0).collect();
            let (mut a, mut work) = (vec![0.0; forest.nv()], Default::default());
            forward_dynamics(forest, &s.q, &s.v, &tau, None, None, &mut work, &mut a);
            let mut closure = Closure::default();
            closure.compute(figure, &s.q, &s.v, &figure.is_driven(), &[]).unwrap();
            let a_g = generalized::forward_dynamics(forest, &closure, &s.q, &s.v, &tau);
            let other = generalized::tree_accelerations(forest, &closure, &a_g);
            assert!(a.iter().chain(&other).all(|x| x.is_finite()), "{}", b.name);
            let size = a.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let off = a.iter().zip(&other).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs())) / size;
            assert!(off < 1e-9, "{} at {:.3} s: the views differ by {off:e}", b.name, sim.time());
        }
    }
}

#[test]
fn a_shaky_mechanism_does_not_blow_up() {
    // a gymnast alike on both sides: the line of the shoulders is held parallel to the bar only to second order, so one
    // of the ten rows depends on the others in every pose that is possible at all
    let scene = r#"
        [[figure]]
        use = "human-16"
        rigid = true
        at = [-1.55, 0, 1.5]
        turn_deg = [0, 50, 0]
        [figure.pose_deg]
        left_shoulder = [-165, 14, 0]
        right_shoulder = [-165, -14, 0]
        left_elbow = -20
        right_elbow = -20
        [[connect]]
        name = "left_grip"
        a = "left_hand"
        kind = "revolute"
        axis = "y"
        a_at = [0, 0, -0.09]
        [[connect]]
        name = "right_grip"
        a = "right_hand"
        kind = "revolute"
        axis = "y"
        a_at = [0, 0, -0.09]
    "#;
    let scene = anthropi_app::scene::read(scene, "symmetric.toml", None).unwrap();
    for integrator in [Integrator::Midpoint, Integrator::Rk4] {
        let mut sim = scene.simulation().unwrap();
        sim.integrator = integrator;
        let start = sim.energy().total();
        for k in 0..4_000 {
            sim.step(1e-3).unwrap_or_else(|e| panic!("{integrator:?}: {e}"));
            let c = sim.closure();
            assert!(c.linear.max(c.angular) < CLOSED, "{integrator:?} step {k}: {c:?}");
            let now = sim.energy().total();
            assert!(
                now < start + 1.0 && now > 0.95 * start,
                "{integrator:?} step {k}: {start} J became {now} J"
            );
        }
    }
}
