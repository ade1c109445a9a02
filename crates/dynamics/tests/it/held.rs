//! Connections made while in contact: contacts they hold become inactive, without extra cost.

use anthropi_app::builtin;
use anthropi_dynamics::contact::World;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{JointSpec, State};
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::vec3;
use std::time::Instant;

/// Half a second on one held foot is fast; a step once took a third of a second because the contact below the foot was
/// solved for rounding errors. Far above the need of a busy machine.
const SECONDS: f64 = 20.0;

#[test]
fn a_stance_foot_can_be_held() {
    let kinds = [JointKind::Fixed, JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) }, JointKind::Spherical];
    for kind in kinds {
        let mut sim = builtin::scene("stand-28").unwrap().unwrap().simulation().unwrap();
        for _ in 0..50 {
            sim.step(1e-3).unwrap();
        }
        let foot = sim.figure().find_link("left_foot").unwrap();
        let pin = sim.connect(foot, JointSpec::new("pin", kind)).unwrap();
        let (start, start_height) = (Instant::now(), sim.state().q[2]);
        for k in 0..500 {
            sim.step(1e-3).unwrap();
            let c = sim.closure();
            assert!(c.linear.max(c.angular) < 1e-8, "{kind:?} step {k}: {c:?}");
            assert!(
                start.elapsed().as_secs_f64() < SECONDS,
                "{kind:?}: {k} steps took {:?}",
                start.elapsed()
            );
        }
        assert_eq!(sim.contact_tally().violations, 0, "{kind:?}");
        let sunk = start_height - sim.state().q[2];
        assert!(sunk < 0.05, "{kind:?}: the pelvis sank by {sunk} m");
        // and let go again: the floor carries the foot
        sim.cut(pin).unwrap();
        for _ in 0..200 {
            sim.step(1e-3).unwrap();
        }
        let load: f64 = sim.contacts().iter().map(|c| c.wrench.linear.z).sum();
        let weight = sim.figure().mass() * 9.81;
        assert!((load / weight - 1.0).abs() < 0.2, "{kind:?}: the floor carries {load} N of {weight} N");
    }
}

/// A sole held at a point can only rotate: its contact must not respond to impossible motion, with arbitrary forces and after
/// seconds.
#[test]
fn a_falling_figure_can_be_grabbed_at_foot_or_shank() {
    for name in ["human-16", "human-28", "human-40", "anthropi-42"] {
        let figure = builtin::figure(name).unwrap().unwrap().figure;
        for kind in [JointKind::Spherical, JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) }] {
            for link in ["left_foot", "right_shank"] {
                let mut sim = Simulation::new(figure.clone(), State::home(&figure)).unwrap();
                sim.touch(World::floor()).unwrap();
                for _ in 0..50 {
                    sim.step(1e-3).unwrap();
                }
                sim.connect(sim.figure().find_link(link).unwrap(), JointSpec::new("pin", kind)).unwrap();
                let start = Instant::now();
                for _ in 0..30 {
                    sim.step(1e-3).unwrap();
                    assert!(sim.closure().linear < 1e-8, "{name} {link}: {:?}", sim.closure());
                }
                let seconds = start.elapsed().as_secs_f64();
                assert!(seconds < 0.3, "{name} by its {link}, {kind:?}: 30 steps took {seconds} s");
                let tally = sim.contact_tally();
                assert!(tally.violations == 0 && tally.unsolved <= 1, "{name} by its {link}, {kind:?}");
            }
        }
    }
}
