//! A figure on its virtual leg: a point mass against closed forms, one step of a walk against rigid contact.

mod keyed_step;

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, Shape};
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::hybrid::{Course, Instant, Refined, Settings, refine};
use anthropi_motion::virtual_leg::{Rest, Ride, Sharing, VirtualLeg, ride};
use core::f64::consts::TAU;
use std::sync::Arc;

/// Length of the leg of the ball, m, and time between instants, s.
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

/// It is to stay where it is, on its foot.
fn staying(figure: &Figure, seconds: f64) -> Course {
    let nv = figure.forest().nv();
    let mut q = figure.forest().home().to_vec();
    q[2] = LENGTH;
    let link = figure.find_link("ball").unwrap();
    let instant = Instant { q, v: vec![0.0; nv], a: vec![0.0; nv], on: vec![true] };
    let points = vec![(link, vec3(0.0, 0.0, -LENGTH))];
    Course { dt: DT, points, instants: vec![instant; (seconds / DT) as usize] }
}

#[test]
fn a_ball_rests_at_the_static_length() {
    let (figure, weight) = ball();
    let leg = VirtualLeg::new(weight, LENGTH);
    let r = ride(&figure, &staying(&figure, 2.0), &leg, Rest::Fixed).unwrap();
    let last = r.motion.pose(r.motion.frames() - 1);
    assert!((last[2] - LENGTH).abs() < 1e-9, "{last:?}");
    let f = r.forces[1000][1];
    assert!((f - vec3(0.0, 0.0, weight)).norm() < 1e-6 * weight && r.forces[1000][0] == Vec3::ZERO, "{f:?}");
    assert!(r.slid < 1e-12 && r.friction < 1e-12);
}

#[test]
fn it_swings_with_the_root_of_stiffness_over_mass_and_keeps_its_energy() {
    let (figure, weight) = ball();
    let rest = VirtualLeg::new(weight, LENGTH);
    // at rest 2 cm lower, so it swings by these
    let (depth, k, m) = (0.02, rest.stiffness, figure.mass());
    let leg = VirtualLeg { rest_length: rest.rest_length - depth, ..rest };
    let r = ride(&figure, &staying(&figure, 10.0), &leg, Rest::Fixed).unwrap();
    let off = |n: usize| r.motion.pose(n)[2] - (LENGTH - depth);
    // falling through the middle: time from the first to the last
    let falling: Vec<f64> = (1..r.motion.frames())
        .filter(|n| off(n - 1) > 0.0 && off(*n) <= 0.0)
        .map(|n| DT * (n as f64 - off(n) / (off(n) - off(n - 1))))
        .collect();
    let turns = falling.len() - 1;
    let frequency = TAU * turns as f64 / (falling[turns] - falling[0]);
    let expected = (k / m).sqrt();
    println!("{frequency} rad/s, expected {expected}, over {turns} periods");
    assert!((frequency / expected - 1.0).abs() < 1e-4);
    // speeds of a semi-implicit step lie between its poses
    let energy = |n: usize| {
        let speed = (off(n + 1) - off(n - 1)) / (2.0 * DT);
        0.5 * m * speed * speed + 0.5 * k * off(n) * off(n)
    };
    let whole = 0.5 * k * depth * depth;
    let worst = (1..r.motion.frames() - 1).map(|n| (energy(n) / whole - 1.0).abs()).fold(0.0, f64::max);
    println!("energy off by {worst:.1e} at most, at the end by {:.1e}", energy(9998) / whole - 1.0);
    assert!(worst < 0.02, "{worst}");
}

#[test]
fn angular_momentum_decays_at_the_rate_of_the_law_across_the_leg_and_stays_along_it() {
    let (figure, weight) = ball();
    let mut course = staying(&figure, 0.2);
    (course.instants[0].v[1], course.instants[0].v[2]) = (0.5, 0.5);
    let leg = VirtualLeg::new(weight, LENGTH);
    let r = ride(&figure, &course, &leg, Rest::Fixed).unwrap();
    let n = r.motion.frames() - 1;
    let [a, b] = [n - 1, n].map(|n| {
        let q = r.motion.pose(n);
        anthropi_dynamics::spatial::Quat([q[3], q[4], q[5], q[6]])
    });
    let rate = a.inverse().then(b).log().scale(1.0 / DT);
    let expected = 0.5 * (-leg.turn_rate * DT * (n as f64 - 2.0)).exp();
    let across = (rate.x * rate.x + rate.y * rate.y).sqrt();
    println!("{rate:?}, expected {expected} across");
    assert!((across / expected - 1.0).abs() < 0.02 && (rate.z - 0.5).abs() < 1e-3);
}

#[test]
fn flight_is_free_fall_and_a_leg_that_is_too_long_does_not_pull() {
    let (figure, weight) = ball();
    let mut course = staying(&figure, 0.3);
    course.instants.iter_mut().for_each(|i| i.on[0] = false);
    let leg = VirtualLeg::new(weight, LENGTH);
    let r = ride(&figure, &course, &leg, Rest::KeepsHeight).unwrap();
    let short = VirtualLeg { rest_length: 0.5 * LENGTH, ..leg };
    let s = ride(&figure, &staying(&figure, 0.3), &short, Rest::Fixed).unwrap();
    let (n, g) = (299.0, 9.81);
    let fallen = 0.5 * g * DT * DT * n * (n + 1.0);
    for r in [r, s] {
        assert!((LENGTH - r.motion.pose(299)[2] - fallen).abs() < 1e-9);
    }
}

#[test]
fn legs_and_courses_out_of_range_are_refused() {
    let (figure, weight) = ball();
    let (course, leg) = (staying(&figure, 0.1), VirtualLeg::new(weight, LENGTH));
    let refused = |course: &Course, leg: &VirtualLeg| {
        ride(&figure, course, leg, Rest::Fixed).expect_err("refused").to_string()
    };
    assert!(refused(&course, &VirtualLeg { stiffness: 0.0, ..leg }).contains("stiffness of the leg is 0"));
    assert!(refused(&course, &VirtualLeg { turn_rate: f64::NAN, ..leg }).contains("rate of turning is NaN"));
    assert!(refused(&course.part(0, 0), &leg).contains("0 frames"));
    assert!(leg.reaction_on(&figure, [&[], &[]], Vec3::ZERO, Vec3::ZERO).is_err());
}

/// A step on the leg against rigid contact: the same course, held by rows (HIDDS, the same body).
fn compared(figure: &Arc<Figure>, course: &Course, rigid: &Refined, leg: &VirtualLeg, rest: Rest) -> Ride {
    let r = ride(figure, course, leg, rest).unwrap();
    let d = r.against(&rigid.motion, &rigid.ground);
    let lengths: Vec<String> = r.rest_lengths.iter().map(|l| format!("{l:.3}")).collect();
    println!(
        "k {:5.0} k_h {:2.0} {:?} {rest:?}: height {:.1} cm, centre {:.1} end {:.1} cm, force {:.2} peak {:.2} \
         mean {:.2} (rigid {:.2}, {:.2}), slid {:.1} lifted {:.1} cm, friction {:.2}, r_s {}",
        leg.stiffness,
        leg.turn_rate,
        leg.sharing,
        100.0 * d.height_rms,
        100.0 * d.center_rms,
        100.0 * d.center_end,
        d.force_rms,
        d.peak,
        d.mean,
        d.other_peak,
        d.other_mean,
        100.0 * r.slid,
        100.0 * r.lifted,
        r.friction,
        lengths.join(" ")
    );
    r
}

#[test]
fn a_figure_stays_up_over_a_step_and_is_near_rigid_contact() {
    for (name, sliding) in [("human-28", 0.12), ("anthropi-42", 0.15)] {
        let (figure, course) = keyed_step::step(name);
        let weight = figure.mass() * figure.gravity().norm();
        let rigid = refine(&figure, &figure, &course, &Settings::default()).unwrap();
        let usual = VirtualLeg::new(weight, 0.95);
        println!("{name}");
        for stiff in [7.0, 10.0, 14.0, 20.0] {
            let stiffness = stiff * weight / 0.95;
            let leg = VirtualLeg { stiffness, rest_length: 0.95 + weight / stiffness, ..usual };
            for rest in [Rest::Fixed, Rest::KeepsHeight] {
                compared(&figure, &course, &rigid, &leg, rest);
            }
        }
        for turn_rate in [0.0, 40.0] {
            compared(&figure, &course, &rigid, &VirtualLeg { turn_rate, ..usual }, Rest::KeepsHeight);
        }
        for sharing in [Sharing::Linear, Sharing::Cubic] {
            compared(&figure, &course, &rigid, &VirtualLeg { sharing, ..usual }, Rest::KeepsHeight);
        }
        let r = compared(&figure, &course, &rigid, &usual, Rest::KeepsHeight);
        let d = r.against(&rigid.motion, &rigid.ground);
        let rows = (0..r.forces.len()).step_by(50).map(|n| {
            let own = (r.forces[n][0] + r.forces[n][1]).z / weight;
            format!("{n} {own:.2} {:.2}", rigid.ground[n].z / weight)
        });
        println!(
            "ms, vertical force on the leg, rigid, body weights: {}",
            rows.collect::<Vec<_>>().join("; ")
        );
        assert!(d.height_rms < 0.035 && d.center_rms < 0.1, "{d:?}");
        assert!((d.mean - d.other_mean).abs() < 0.2, "{d:?}");
        assert!(r.slid < sliding && r.friction < 0.8, "{} {}", r.slid, r.friction);
        // joints are those of the course: only the base is free
        let root = 7;
        let last = course.instants.len() - 1;
        let [own, asked] = [r.motion.pose(last), &course.instants[last].q];
        let off = (root..own.len()).map(|k| (own[k].abs() - asked[k].abs()).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{off}");
    }
}
