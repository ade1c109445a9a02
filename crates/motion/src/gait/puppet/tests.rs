//! Poses against what was asked of them, by the kinematics of the dynamics.

use super::*;
use crate::anatomy;
use crate::rng::Rng;
use crate::spots;

fn puppet(name: &str) -> Puppet {
    let figure = Arc::new(anthropi_io::builtin::figure(name).unwrap().unwrap().figure);
    let anatomy = anatomy::of_figure(&figure, &[]).unwrap();
    let places = spots::of_figure(&figure, &anatomy).unwrap();
    Puppet::of(&figure, &anatomy, &places).unwrap()
}

/// Somebody who stands about, turned anywhere, feet within reach and turned a little.
fn posture(puppet: &Puppet, rng: &mut Rng) -> Posture {
    let heading = Quat::about(vec3(0.0, 0.0, 1.0), 3.0 * rng.signed());
    let at = vec3(rng.signed(), rng.signed(), 0.9 + 0.05 * rng.signed());
    let pelvis = (at, heading.then(Quat::exp(rng.vec3(0.15))));
    let feet = [0, 1].map(|s| {
        let hip = pelvis.0 + pelvis.1.rotate(puppet.hips[s]);
        let down = vec3(0.35 * rng.signed(), 0.1 * rng.signed(), -1.0).normalized().unwrap();
        let way = heading.rotate(down).scale(puppet.reach(s, 0.25 + 0.8 * rng.uniform()));
        let turn = Quat::about(vec3(0.0, 0.0, 1.0), 0.2 * rng.signed())
            .then(Quat::about(vec3(0.0, 1.0, 0.0), 0.3 * rng.signed()));
        (hip + way, heading.then(turn))
    });
    let [chest, head] = [0.15, 0.2].map(|size| heading.then(Quat::exp(rng.vec3(size))));
    let arms = [0, 1].map(|_| [0.5 * rng.signed(), 0.2 * rng.signed(), 0.6 * rng.uniform()]);
    Posture { pelvis, chest, head, arms, feet }
}

fn posed(puppet: &mut Puppet, posture: &Posture) -> (Vec<f64>, Kinematics) {
    let mut q = puppet.figure.forest().home().to_vec();
    puppet.pose(posture, &mut q);
    let mut kinematics = Kinematics::default();
    kinematics.update(puppet.figure.forest(), &q, None, None);
    (q, kinematics)
}

/// Angle between two turns.
fn apart(a: Quat, b: Quat) -> f64 {
    a.inverse().then(b).log().norm()
}

#[test]
fn feet_are_where_they_are_asked_to_be_and_as_they_are_turned() {
    for name in ["human-28", "human-40"] {
        let mut puppet = puppet(name);
        let mut rng = Rng::new(1);
        for n in 0..200 {
            let posture = posture(&puppet, &mut rng);
            let (q, kinematics) = posed(&mut puppet, &posture);
            assert!(q.iter().all(|x| x.is_finite()));
            let turns = puppet.turns(&kinematics);
            assert!(apart(turns.pelvis, posture.pelvis.1) < 1e-9, "{name} {n}: pelvis");
            for s in 0..2 {
                let foot = kinematics.body_pose(puppet.leg_bodies[s][2]).translation;
                let miss = (foot - posture.feet[s].0).norm();
                assert!(miss < 1e-9, "{name} {n}: foot {s} is {miss:e} m off");
                let turn = apart(turns.legs[s][2], posture.feet[s].1);
                assert!(turn < 1e-9, "{name} {n}: foot {s} is {turn:e} rad off");
            }
        }
    }
}

/// What the legs do is the same for whoever stands elsewhere and looks elsewhere.
#[test]
fn poses_do_not_depend_on_the_place() {
    let mut puppet = puppet("human-28");
    let mut rng = Rng::new(2);
    for _ in 0..50 {
        let here = posture(&puppet, &mut rng);
        let (turn, shift) = (Quat::about(vec3(0.0, 0.0, 1.0), 3.0 * rng.signed()), rng.vec3(5.0));
        let place = |(at, q): (Vec3, Quat)| (turn.rotate(at) + shift, turn.then(q));
        let there = Posture {
            pelvis: place(here.pelvis),
            chest: turn.then(here.chest),
            head: turn.then(here.head),
            arms: here.arms,
            feet: here.feet.map(place),
        };
        let (a, _) = posed(&mut puppet, &here);
        let (b, _) = posed(&mut puppet, &there);
        let forest = puppet.figure.forest();
        let mut way = vec![0.0; forest.nv()];
        pose::difference(forest, &a, &b, &mut way);
        // the root moves, nothing else
        let root = forest.bodies()[puppet.root.index()].iv as usize;
        for (k, x) in way.iter().enumerate().filter(|(k, _)| !(root..root + 6).contains(k)) {
            assert!(x.abs() < 1e-9, "degree of freedom {k} differs by {x:e}");
        }
    }
}

/// A foot that is too far is reached for: the leg is nearly straight and points to it.
#[test]
fn feet_out_of_reach_are_met_in_direction() {
    let mut puppet = puppet("human-28");
    let mut rng = Rng::new(3);
    for _ in 0..50 {
        let mut posture = posture(&puppet, &mut rng);
        for s in 0..2 {
            let hip = posture.pelvis.0 + posture.pelvis.1.rotate(puppet.hips[s]);
            posture.feet[s].0 = hip + (posture.feet[s].0 - hip).scale(1.6);
        }
        let (q, kinematics) = posed(&mut puppet, &posture);
        assert!(q.iter().all(|x| x.is_finite()));
        for s in 0..2 {
            let [thigh, _, foot] = puppet.leg_bodies[s].map(|b| kinematics.body_pose(b).translation);
            let (way, wanted) = (foot - thigh, posture.feet[s].0 - thigh);
            let off = way.cross(wanted).norm() / (way.norm() * wanted.norm());
            assert!(off < 1e-9 && way.norm() <= puppet.reach(s, NEARLY[1]) + 1e-12, "{off} {}", way.norm());
        }
    }
}

/// Bend, reach and the straight leg are one triangle.
#[test]
fn knees_bend_as_far_as_the_ankle_is_near() {
    for name in ["human-28", "human-40"] {
        let puppet = puppet(name);
        for s in 0..2 {
            let mut last = f64::INFINITY;
            for k in 0..=20 {
                let knee = 0.1 * f64::from(k);
                let reach = puppet.reach(s, knee);
                assert!(reach < last, "{name}: a knee bent more reaches farther");
                assert!((puppet.legs[s].bend(reach) - knee).abs() < 1e-6, "{name}: {knee}");
                last = reach;
            }
        }
    }
}

/// Figures whose legs cannot walk are told why.
#[test]
fn who_cannot_walk_is_told_why() {
    let figure = Arc::new(anthropi_io::builtin::figure("human-16").unwrap().unwrap().figure);
    let anatomy = anatomy::of_figure(&figure, &[]).unwrap();
    let places = spots::of_figure(&figure, &anatomy).unwrap_or_default();
    let error = Puppet::of(&figure, &anatomy, &places).unwrap_err().to_string();
    assert!(error.contains("human-16"), "{error}");
}
