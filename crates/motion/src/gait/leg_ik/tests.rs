//! Solved poses against the requested posture, by forward kinematics.

use super::*;
use crate::anatomy;
use crate::contact_points;
use crate::pose;
use testkit::Rng;

fn leg_ik(name: &str) -> LegIk {
    let figure = Arc::new(anthropi_app::builtin::figure(name).unwrap().unwrap().figure);
    let anatomy = anatomy::from_figure(&figure, &[]).unwrap();
    let contact_points = contact_points::find(&figure, &anatomy).unwrap();
    LegIk::new(&figure, &anatomy, &contact_points).unwrap()
}

/// A random standing posture with feet within reach.
fn posture(leg_ik: &LegIk, rng: &mut Rng) -> Posture {
    let heading = Quat::about(vec3(0.0, 0.0, 1.0), 3.0 * rng.signed());
    let at = vec3(rng.signed(), rng.signed(), 0.9 + 0.05 * rng.signed());
    let pelvis = (at, heading.then(Quat::exp(rng.vec3(0.15))));
    let feet = [0, 1].map(|s| {
        let hip = pelvis.0 + pelvis.1.rotate(leg_ik.hips[s]);
        let down = vec3(0.35 * rng.signed(), 0.1 * rng.signed(), -1.0).normalized().unwrap();
        let way = heading.rotate(down).scale(leg_ik.reach(s, 0.25 + 0.8 * rng.uniform()));
        let turn = Quat::about(vec3(0.0, 0.0, 1.0), 0.2 * rng.signed())
            .then(Quat::about(vec3(0.0, 1.0, 0.0), 0.3 * rng.signed()));
        (hip + way, heading.then(turn))
    });
    let [chest, head] = [0.15, 0.2].map(|size| heading.then(Quat::exp(rng.vec3(size))));
    let arms = [0, 1].map(|_| [0.5 * rng.signed(), 0.2 * rng.signed(), 0.6 * rng.uniform()]);
    Posture { pelvis, chest, head, arms, feet }
}

fn posed(leg_ik: &mut LegIk, posture: &Posture) -> (Vec<f64>, Kinematics) {
    let mut q = leg_ik.figure.forest().home().to_vec();
    leg_ik.pose(posture, &mut q);
    let mut kinematics = Kinematics::default();
    kinematics.update(leg_ik.figure.forest(), &q, None, None);
    (q, kinematics)
}

/// Angle between two orientations.
fn apart(a: Quat, b: Quat) -> f64 {
    a.inverse().then(b).log().norm()
}

#[test]
fn pelvis_and_feet_have_the_requested_pose() {
    for name in ["human-28", "human-40"] {
        let mut leg_ik = leg_ik(name);
        let mut rng = Rng::new(1);
        for n in 0..200 {
            let posture = posture(&leg_ik, &mut rng);
            let (q, kinematics) = posed(&mut leg_ik, &posture);
            assert!(q.iter().all(|x| x.is_finite()));
            let found = leg_ik.orientations(&kinematics);
            assert!(apart(found.pelvis, posture.pelvis.1) < 1e-9, "{name} {n}: pelvis");
            for s in 0..2 {
                let foot = kinematics.body_pose(leg_ik.leg_bodies[s][2]).translation;
                let miss = (foot - posture.feet[s].0).norm();
                assert!(miss < 1e-9, "{name} {n}: foot {s} is {miss:e} m off");
                let turn = apart(found.legs[s][2], posture.feet[s].1);
                assert!(turn < 1e-9, "{name} {n}: foot {s} is {turn:e} rad off");
            }
        }
    }
}

#[test]
fn joint_angles_do_not_depend_on_position_and_heading() {
    let mut leg_ik = leg_ik("human-28");
    let mut rng = Rng::new(2);
    for _ in 0..50 {
        let here = posture(&leg_ik, &mut rng);
        let (turn, shift) = (Quat::about(vec3(0.0, 0.0, 1.0), 3.0 * rng.signed()), rng.vec3(5.0));
        let place = |(at, q): (Vec3, Quat)| (turn.rotate(at) + shift, turn.then(q));
        let there = Posture {
            pelvis: place(here.pelvis),
            chest: turn.then(here.chest),
            head: turn.then(here.head),
            arms: here.arms,
            feet: here.feet.map(place),
        };
        let (a, _) = posed(&mut leg_ik, &here);
        let (b, _) = posed(&mut leg_ik, &there);
        let forest = leg_ik.figure.forest();
        let mut way = vec![0.0; forest.nv()];
        pose::difference(forest, &a, &b, &mut way);
        // only the root moves
        let root = forest.bodies()[leg_ik.root.index()].dofs().start;
        for (k, x) in way.iter().enumerate().filter(|(k, _)| !(root..root + 6).contains(k)) {
            assert!(x.abs() < 1e-9, "degree of freedom {k} differs by {x:e}");
        }
    }
}

/// The leg is nearly straight and points to the foot.
#[test]
fn feet_out_of_reach_are_met_in_direction() {
    let mut leg_ik = leg_ik("human-28");
    let mut rng = Rng::new(3);
    for _ in 0..50 {
        let mut posture = posture(&leg_ik, &mut rng);
        for s in 0..2 {
            let hip = posture.pelvis.0 + posture.pelvis.1.rotate(leg_ik.hips[s]);
            posture.feet[s].0 = hip + (posture.feet[s].0 - hip).scale(1.6);
        }
        let (q, kinematics) = posed(&mut leg_ik, &posture);
        assert!(q.iter().all(|x| x.is_finite()));
        for s in 0..2 {
            let [thigh, _, foot] = leg_ik.leg_bodies[s].map(|b| kinematics.body_pose(b).translation);
            let (way, wanted) = (foot - thigh, posture.feet[s].0 - thigh);
            let off = way.cross(wanted).norm() / (way.norm() * wanted.norm());
            assert!(
                off < 1e-9 && way.norm() <= leg_ik.reach(s, NEARLY_STRAIGHT[1]) + 1e-12,
                "{off} {}",
                way.norm()
            );
        }
    }
}

#[test]
fn knee_flexion_inverts_the_reach() {
    for name in ["human-28", "human-40"] {
        let leg_ik = leg_ik(name);
        for s in 0..2 {
            let mut last = f64::INFINITY;
            for k in 0..=20 {
                let knee = 0.1 * f64::from(k);
                let reach = leg_ik.reach(s, knee);
                assert!(reach < last, "{name}: reach grows with flexion");
                assert!((leg_ik.legs[s].bend(reach) - knee).abs() < 1e-6, "{name}: {knee}");
                last = reach;
            }
        }
    }
}

#[test]
fn figures_with_unsuitable_legs_are_refused() {
    let figure = Arc::new(anthropi_app::builtin::figure("human-16").unwrap().unwrap().figure);
    let anatomy = anatomy::from_figure(&figure, &[]).unwrap();
    let contact_points = contact_points::find(&figure, &anatomy).unwrap_or_default();
    let error = LegIk::new(&figure, &anatomy, &contact_points).unwrap_err().to_string();
    assert!(error.contains("human-16"), "{error}");
}
