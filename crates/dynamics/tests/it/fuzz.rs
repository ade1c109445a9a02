//! Ten thousand random changes of structure in motion, a step after each.

use anthropi_dynamics::algo::centroidal;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointHandle, JointSpec, LinkHandle};
use anthropi_dynamics::sim::Simulation;
use testkit::*;

/// Momentum across connect and cut, relative to the momentum that flows inside the figure.
const MOMENTUM: f64 = 1e-12;

/// A figure that floats and hangs together.
fn floating(seed: u64, links: usize) -> Figure {
    let floats = |f: &Figure| {
        let roots: Vec<_> = f.links().filter(|(_, l)| l.parent().is_none()).collect();
        roots.iter().all(|(_, l)| f.joint(l.joint()).is_ok_and(|j| j.kind == JointKind::Free))
    };
    (0..).map(|k| random_figure(seed + 1000 * k, links)).find(floats).expect("one of them floats")
}

/// Momentum about the world's origin, and the size to compare it with.
fn momentum(sim: &mut Simulation) -> ([f64; 6], f64) {
    let kinetic = sim.energy().kinetic;
    let forest = sim.figure().forest().clone();
    let h = centroidal::momentum_about_origin(&forest, sim.kinematics());
    assert!(h.to_array().iter().all(|x| x.is_finite()) && kinetic.is_finite(), "a number is not finite");
    let reach = 1.0 + centroidal::center_of_mass(&forest, sim.kinematics()).norm();
    (h.to_array(), reach * (2.0 * centroidal::mass(&forest) * kinetic).sqrt().max(1e-3))
}

fn pointers_are_consistent(figure: &Figure) {
    let all: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
    for (handle, link) in figure.links() {
        assert_eq!(figure.joint(link.joint()).unwrap().child(), handle);
        let mut next = link.child();
        while let Some(child) = next {
            let c = figure.link(child).unwrap();
            assert_eq!(c.parent(), Some(handle));
            assert!(c.is_virtual() || all.contains(&child));
            next = c.brother();
        }
    }
    for (_, link, joint) in figure.connections() {
        assert!(all.contains(&link.real().unwrap()), "{}", joint.name);
    }
    assert_eq!(figure.forest().loops().len(), figure.connections().count());
}

#[test]
fn ten_thousand_edits() {
    let mut edits = 0;
    for round in 0..40 {
        let mut rng = Rng::new(round);
        let figure = floating(round, 5 + rng.below(56));
        let links: Vec<LinkHandle> = figure.links().map(|(h, _)| h).collect();
        let s = random_state(&figure, round);
        let mut sim = Simulation::new(figure, s).unwrap();
        let mut grips: Vec<JointHandle> = Vec::new();
        let mut locked: Vec<(JointHandle, usize)> = Vec::new();
        for k in 0..250 {
            let before = momentum(&mut sim);
            let energy = sim.energy().kinetic;
            match rng.below(10) {
                0..=3 if grips.len() < 6 => {
                    let (a, b) = (links[rng.below(links.len())], links[rng.below(links.len())]);
                    let kind =
                        [JointKind::Spherical, JointKind::Fixed, JointKind::Revolute { axis: rng.unit() }]
                            [rng.below(3)];
                    let joint =
                        JointSpec { parent: Some(b), ..JointSpec::new(format!("grip{round}-{k}"), kind) };
                    match sim.connect(a, joint) {
                        Ok(grip) => grips.push(grip),
                        Err(_) => assert_eq!(a, b, "only a link with itself is refused"),
                    }
                    let after = momentum(&mut sim);
                    let off = after.0.iter().zip(before.0).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
                    assert_small(&format!("{round}/{k} momentum at connect"), off / before.1, MOMENTUM);
                    let now = sim.energy().kinetic;
                    assert!(
                        now <= energy * (1.0 + 1e-10) + 1e-12,
                        "{round}/{k}: energy grew from {energy} to {now}"
                    );
                }
                0..=5 if !grips.is_empty() => {
                    let grip = grips.swap_remove(rng.below(grips.len()));
                    sim.cut(grip).unwrap();
                    assert!(sim.figure().joint(grip).is_err(), "the handle is stale");
                    let after = momentum(&mut sim);
                    let off = after.0.iter().zip(before.0).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
                    assert_small(&format!("{round}/{k} momentum at release"), off / before.1, MOMENTUM);
                }
                6 => {
                    let joints: Vec<JointHandle> = sim
                        .figure()
                        .joints()
                        .filter(|(_, j)| !matches!(j.kind, JointKind::Free))
                        .map(|(h, _)| h)
                        .collect();
                    // a few cuts a round, or nothing is left to be connected by joints
                    if k % 5 == 0 && !joints.is_empty() {
                        let joint = joints[rng.below(joints.len())];
                        sim.cut(joint).unwrap();
                        locked.retain(|l| l.0 != joint);
                        let after = momentum(&mut sim);
                        let off =
                            after.0.iter().zip(before.0).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
                        assert_small(&format!("{round}/{k} momentum at cut"), off / before.1, MOMENTUM);
                    }
                }
                7 => {
                    let joints: Vec<(JointHandle, usize)> = sim
                        .figure()
                        .joints()
                        .map(|(h, j)| (h, j.kind.nv()))
                        .filter(|(_, n)| (1..=3).contains(n))
                        .collect();
                    if !joints.is_empty() && locked.len() < 4 {
                        let (joint, n) = joints[rng.below(joints.len())];
                        let dof = rng.below(n);
                        sim.edit(|f, s| f.lock(joint, dof, s)).unwrap();
                        locked.push((joint, dof));
                    }
                }
                8 => {
                    if let Some((joint, dof)) = locked.pop() {
                        sim.edit(|f, s| f.unlock(joint, dof, s)).unwrap();
                    }
                }
                _ => {
                    let link = links[rng.below(links.len())];
                    // only a figure with a free root can be rerooted; all of ours have one
                    sim.edit(|f, s| f.reroot(link, s)).unwrap();
                    let after = momentum(&mut sim);
                    let off = after.0.iter().zip(before.0).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
                    assert_small(&format!("{round}/{k} momentum at reroot"), off / before.1, 1e-11);
                }
            }
            sim.step(1e-3).unwrap_or_else(|e| panic!("{round}/{k}: {e}"));
            pointers_are_consistent(sim.figure());
            edits += 1;
        }
    }
    assert_eq!(edits, 10_000);
}
