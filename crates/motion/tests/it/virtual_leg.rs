//! Virtual leg: a point mass against closed forms, one step of a walk against rigid contact.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, Shape};
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::papers::hidds::{DesiredMotion, DesiredSample, HiddsSettings, Refined, refine};
use anthropi_motion::papers::virtual_leg::{RestLength, Sharing, VirtualLeg, VirtualLegRun, simulate};
use anthropi_motion::pose;
use core::f64::consts::TAU;
use std::sync::Arc;
use testkit::keyed_step;

/// Length of the leg of the ball, m, and time between samples, s.
const LENGTH: f64 = 1.0;
const DT: f64 = 0.001;

/// A ball of 10 kg with a foot `LENGTH` below it.
fn ball() -> (Arc<Figure>, f64) {
    let shape = Shape::Sphere { radius: 0.1 };
    let density = 10.0 / shape.volume().unwrap();
    let mut b = FigureBuilder::new("ball");
    b.add(LinkSpec::new("ball", shape.inertia(density).unwrap()), JointSpec::new("free", JointKind::Free))
        .unwrap();
    let figure = Arc::new(b.build().unwrap());
    let weight = figure.mass() * figure.gravity().norm();
    (figure, weight)
}

/// Desired motion at rest on its foot.
fn resting(figure: &Figure, seconds: f64) -> DesiredMotion {
    let nv = figure.forest().nv();
    let mut q = figure.forest().home().to_vec();
    q[2] = LENGTH;
    let link = figure.find_link("ball").unwrap();
    let sample = DesiredSample { q, v: vec![0.0; nv], a: vec![0.0; nv], on: vec![true] };
    let points = vec![(link, vec3(0.0, 0.0, -LENGTH))];
    DesiredMotion { dt: DT, points, samples: vec![sample; (seconds / DT) as usize] }
}

#[test]
fn a_ball_rests_at_the_static_length() {
    let (figure, weight) = ball();
    let leg = VirtualLeg::new(weight, LENGTH);
    let r = simulate(&figure, &resting(&figure, 2.0), &leg, RestLength::Fixed).unwrap();
    let last = r.motion.pose(r.motion.frames() - 1);
    assert!((last[2] - LENGTH).abs() < 1e-9, "{last:?}");
    let f = r.forces[1000][1];
    assert!((f - vec3(0.0, 0.0, weight)).norm() < 1e-6 * weight && r.forces[1000][0] == Vec3::ZERO, "{f:?}");
    assert!(r.slip < 1e-12 && r.friction < 1e-12);
}

#[test]
fn a_ball_oscillates_at_the_natural_frequency_and_conserves_energy() {
    let (figure, weight) = ball();
    let rest = VirtualLeg::new(weight, LENGTH);
    // amplitude: the equilibrium is 2 cm lower
    let (depth, k, m) = (0.02, rest.stiffness, figure.mass());
    let leg = VirtualLeg { rest_length: rest.rest_length - depth, ..rest };
    let r = simulate(&figure, &resting(&figure, 10.0), &leg, RestLength::Fixed).unwrap();
    let error = |n: usize| r.motion.pose(n)[2] - (LENGTH - depth);
    // times of downward zero crossings
    let falling: Vec<f64> = (1..r.motion.frames())
        .filter(|n| error(n - 1) > 0.0 && error(*n) <= 0.0)
        .map(|n| DT * (n as f64 - error(n) / (error(n) - error(n - 1))))
        .collect();
    let turns = falling.len() - 1;
    let frequency = TAU * turns as f64 / (falling[turns] - falling[0]);
    let expected = (k / m).sqrt();
    println!("{frequency} rad/s, expected {expected}, over {turns} periods");
    assert!((frequency / expected - 1.0).abs() < 1e-4);
    // velocities of semi-implicit steps lie between the poses
    let energy = |n: usize| {
        let speed = (error(n + 1) - error(n - 1)) / (2.0 * DT);
        0.5 * m * speed * speed + 0.5 * k * error(n) * error(n)
    };
    let initial = 0.5 * k * depth * depth;
    let worst = (1..r.motion.frames() - 1).map(|n| (energy(n) / initial - 1.0).abs()).fold(0.0, f64::max);
    println!("energy error at most {worst:.1e}, {:.1e} at the end", energy(9998) / initial - 1.0);
    assert!(worst < 0.02, "{worst}");
}

#[test]
fn angular_momentum_decays_across_the_leg_and_is_constant_along_it() {
    let (figure, weight) = ball();
    let mut desired = resting(&figure, 0.2);
    (desired.samples[0].v[1], desired.samples[0].v[2]) = (0.5, 0.5);
    let leg = VirtualLeg::new(weight, LENGTH);
    let r = simulate(&figure, &desired, &leg, RestLength::Fixed).unwrap();
    let n = r.motion.frames() - 1;
    let [a, b] = [n - 1, n].map(|n| pose::quaternion(r.motion.pose(n), 3));
    let rate = a.inverse().then(b).log().scale(1.0 / DT);
    let expected = 0.5 * (-leg.turn_rate * DT * (n as f64 - 2.0)).exp();
    let across = (rate.x * rate.x + rate.y * rate.y).sqrt();
    println!("{rate:?}, expected {expected} across");
    assert!((across / expected - 1.0).abs() < 0.02 && (rate.z - 0.5).abs() < 1e-3);
}

#[test]
fn flight_is_ballistic_and_long_legs_do_not_pull() {
    let (figure, weight) = ball();
    let mut desired = resting(&figure, 0.3);
    desired.samples.iter_mut().for_each(|i| i.on[0] = false);
    let leg = VirtualLeg::new(weight, LENGTH);
    let r = simulate(&figure, &desired, &leg, RestLength::KeepsHeight).unwrap();
    let short = VirtualLeg { rest_length: 0.5 * LENGTH, ..leg };
    let s = simulate(&figure, &resting(&figure, 0.3), &short, RestLength::Fixed).unwrap();
    let (n, g) = (299.0, 9.81);
    let fallen = 0.5 * g * DT * DT * n * (n + 1.0);
    for r in [r, s] {
        assert!((LENGTH - r.motion.pose(299)[2] - fallen).abs() < 1e-9);
    }
}

#[test]
fn invalid_parameters_are_rejected() {
    let (figure, weight) = ball();
    let (desired, leg) = (resting(&figure, 0.1), VirtualLeg::new(weight, LENGTH));
    let rejection = |desired: &DesiredMotion, leg: &VirtualLeg| {
        simulate(&figure, desired, leg, RestLength::Fixed).expect_err("refused").to_string()
    };
    assert!(rejection(&desired, &VirtualLeg { stiffness: 0.0, ..leg }).contains("stiffness of the leg is 0"));
    let broken = VirtualLeg { turn_rate: f64::NAN, ..leg };
    assert!(rejection(&desired, &broken).contains("feedback rate of the angular momentum is NaN"));
    assert!(rejection(&desired.part(0, 0), &leg).contains("0 frames"));
    assert!(leg.reaction_on(&figure, [&[], &[]], Vec3::ZERO, Vec3::ZERO).is_err());
}

/// Compares a step on the leg with rigid contacts (HIDDS, same body).
fn compared(
    figure: &Arc<Figure>,
    desired: &DesiredMotion,
    rigid: &Refined,
    leg: &VirtualLeg,
    rest: RestLength,
) -> VirtualLegRun {
    let r = simulate(figure, desired, leg, rest).unwrap();
    let d = r.compared_with(&rigid.motion, &rigid.ground);
    println!(
        "{leg:?} {rest:?}: {d:.3?}, slip {:.3} m, height error {:.3} m, friction {:.2}, rest lengths {:.3?} m",
        r.slip, r.height_error, r.friction, r.rest_lengths
    );
    r
}

#[test]
fn a_step_is_close_to_rigid_contact() {
    for (name, sliding) in [("human-28", 0.13), ("anthropi-42", 0.15)] {
        let (figure, desired) = keyed_step::step(name);
        let weight = figure.mass() * figure.gravity().norm();
        let rigid = refine(&figure, &figure, &desired, &HiddsSettings::default()).unwrap();
        let default = VirtualLeg::new(weight, 0.95);
        println!("{name}");
        for weights_per_length in [7.0, 10.0, 14.0, 20.0] {
            let stiffness = weights_per_length * weight / 0.95;
            let leg = VirtualLeg { stiffness, rest_length: 0.95 + weight / stiffness, ..default };
            for rest in [RestLength::Fixed, RestLength::KeepsHeight] {
                compared(&figure, &desired, &rigid, &leg, rest);
            }
        }
        let rates = [0.0, 40.0].map(|turn_rate| VirtualLeg { turn_rate, ..default });
        let sharings = [Sharing::Linear, Sharing::Cubic].map(|sharing| VirtualLeg { sharing, ..default });
        for leg in rates.iter().chain(&sharings) {
            compared(&figure, &desired, &rigid, leg, RestLength::KeepsHeight);
        }
        let r = compared(&figure, &desired, &rigid, &default, RestLength::KeepsHeight);
        let d = r.compared_with(&rigid.motion, &rigid.ground);
        let rows = (0..r.forces.len()).step_by(50).map(|n| {
            let own = (r.forces[n][0] + r.forces[n][1]).z / weight;
            format!("{n} {own:.2} {:.2}", rigid.ground[n].z / weight)
        });
        let rows: Vec<String> = rows.collect();
        println!("ms, vertical force on the leg, rigid, body weights: {}", rows.join("; "));
        assert!(d.height_rms < 0.035 && d.center_rms < 0.1, "{d:?}");
        assert!((d.mean - d.other_mean).abs() < 0.2, "{d:?}");
        assert!(r.slip < sliding && r.friction < 0.8, "{} {}", r.slip, r.friction);
        // joints follow the desired motion: only the base is free
        let root = 7;
        let last = desired.samples.len() - 1;
        let [own, desired_q] = [r.motion.pose(last), &desired.samples[last].q];
        let error = (root..own.len()).map(|k| (own[k].abs() - desired_q[k].abs()).abs()).fold(0.0, f64::max);
        assert!(error < 1e-9, "{error}");
    }
}
