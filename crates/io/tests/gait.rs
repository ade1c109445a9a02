//! Walks from parameters: what was asked for is walked, forces are possible, nothing leaps, pushes are survived.

use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_io::builtin;
use anthropi_motion::filter::{Outside, Push, Step};
use anthropi_motion::gait::ground::Ground;
use anthropi_motion::gait::parameter::{Kind, Parameters, Request};
use anthropi_motion::gait::steps::Stretch;
use anthropi_motion::gait::{Settings, Walked, Walker};
use std::sync::Arc;

fn figure(name: &str) -> Arc<Figure> {
    Arc::new(builtin::figure(name).unwrap().unwrap().figure)
}

fn stretch(walker: &Walker, figure: &Figure, speed: f64, steps: usize) -> Stretch {
    let request = Request { speed: Some(speed), ..Request::default() };
    let parameters = Parameters::of(request, Kind::Walk, walker.stature(figure.stature)).unwrap();
    Stretch::ahead(parameters, steps)
}

fn walk(name: &str, change: impl Fn(&mut Stretch), settings: &Settings, speed: f64, steps: usize) -> Walked {
    let figure = figure(name);
    let walker = Walker::of(&figure, &[]).unwrap();
    let mut way = stretch(&walker, &figure, speed, steps);
    change(&mut way);
    let mut before: Option<(Vec<f64>, Vec<f64>)> = None;
    let mut watch = |step: &Step| {
        // the velocity that the forces of the last step explain, landings included
        if let Some((v, a)) = &before {
            for ((v, a), now) in v.iter().zip(a).zip(step.body.v()) {
                assert!((v + a * step.dt - now).abs() < 1e-12 * (1.0 + now.abs()), "at {}", step.time);
            }
        }
        before = Some((step.body.v().to_vec(), step.body.a().to_vec()));
    };
    let walked = walker.walk(&[way], settings, &mut |_| (), &mut watch).unwrap();
    let proof = &walked.filtered.proof;
    assert!(proof.force_peak < 1e-6 && proof.moment_peak < 1e-6, "{name} {speed}: {}", proof.force_peak);
    let violations = proof.normal_violations + proof.friction_violations + proof.cop_outside;
    assert_eq!(violations + proof.torque_violations, 0, "{name} {speed}");
    walked
}

fn is_as_asked(name: &str, speed: f64) {
    let figure = figure(name);
    let walker = Walker::of(&figure, &[]).unwrap();
    let asked = stretch(&walker, &figure, speed, 6).parameters;
    let walked = walk(name, |_| (), &Settings::default(), speed, 6);
    let m = &walked.measured;
    assert!(walked.fell().is_none(), "{name} {speed}: {:?}", walked.fell());
    let pairs = [(m.speed, asked.speed), (m.length, asked.length), (m.frequency, asked.frequency)];
    for (got, wanted) in pairs {
        assert!((got / wanted - 1.0).abs() < 0.01, "{name} {speed}: {got} for {wanted}");
    }
    let double = asked.double / asked.cycle();
    assert!((m.double_support - double).abs() < 0.01, "{name} {speed}: {} {double}", m.double_support);
    assert!(m.landing < 0.05, "{name} {speed}: lands with {} m/s", m.landing);
    let (_, rotation) = m.determinants[0];
    let (_, list) = m.determinants[1];
    assert!(rotation.max <= 4.0 && rotation.min >= -4.0 && list.max <= 5.0 && list.min >= -5.0);
    assert!(walked.filtered.tracking.joint_rms_deg < 0.5, "{}", walked.filtered.tracking.joint_rms_deg);
}

#[test]
fn slow_and_fast_walks_are_as_asked() {
    is_as_asked("human-28", 0.6);
    is_as_asked("human-28", 1.6);
    is_as_asked("anthropi-42", 0.8);
    is_as_asked("anthropi-42", 2.0);
}

/// Angles of a leg over a cycle from landing to landing: hip, knee, ankle in degrees, the vertical force and the force
/// along the way of both feet, and the same of its own foot, in body weights, by per cent.
fn cycle(walked: &Walked, weight: f64) -> Vec<[f64; 7]> {
    let steps: Vec<_> = walked.steps.steps.iter().filter(|s| s.is_steady).collect();
    let (from, to, side) = (steps[3].land, steps[5].land, steps[3].side);
    (0..=100)
        .map(|k| {
            let t = from + (to - from) * f64::from(k) / 100.0;
            let s = walked.samples.iter().find(|s| s.time >= t).unwrap();
            let sum = s.force[0] + s.force[1];
            let angles = [s.hip[side], s.knee[side], s.ankle[side]].map(f64::to_degrees);
            let own = s.force[side];
            let [hip, knee, ankle] = angles;
            [hip, knee, ankle, sum.z / weight, sum.x / weight, own.z / weight, own.x / weight]
        })
        .collect()
}

#[test]
fn a_usual_walk_looks_human() {
    let walked = walk("anthropi-42", |_| (), &Settings::default(), 1.3, 8);
    assert!(walked.fell().is_none());
    let weight = figure("anthropi-42").mass() * 9.81;
    let cycle = cycle(&walked, weight);
    let span = |n: usize, from: usize, to: usize| {
        let part = cycle[from..=to].iter().map(|c| c[n]);
        (part.clone().fold(f64::INFINITY, f64::min), part.fold(f64::NEG_INFINITY, f64::max))
    };
    // ranges of [W2009: kinematics] and [S2008], a little widened: hip flexed, extended; knee loaded, swinging; ankle
    let (extended, flexed) = span(0, 0, 100);
    assert!((25.0..48.0).contains(&flexed) && (-22.0..2.0).contains(&extended), "{extended} {flexed}");
    let (_, loaded) = span(1, 5, 45);
    assert!((10.0..30.0).contains(&loaded), "knee {loaded}");
    let (_, swinging) = span(1, 60, 90);
    assert!((50.0..72.0).contains(&swinging), "knee {swinging}");
    let (pushed, _) = span(2, 55, 75);
    assert!((-35.0..-8.0).contains(&pushed), "ankle {pushed}");
    // vertical force: two humps and a valley between them
    let (valley, _) = span(3, 15, 40);
    let (_, first) = span(3, 0, 15);
    let (_, second) = span(3, 38, 55);
    assert!((0.6..0.9).contains(&valley), "valley {valley}");
    assert!((1.0..1.31).contains(&first) && (1.0..1.31).contains(&second), "humps {first} {second}");
    // braking in the first half of a stance, pushing in the second
    let mean =
        |from: usize, to: usize| cycle[from..to].iter().map(|c| c[4]).sum::<f64>() / (to - from) as f64;
    assert!(mean(6, 28) < 0.0 && mean(40, 56) > 0.0, "{} {}", mean(6, 28), mean(40, 56));
}

/// Parts of the cycle in which hip, knee and ankle are within two standard deviations of people's at least.
const WITHIN: [f64; 3] = [0.97, 0.90, 0.74];

#[test]
fn a_foot_is_loaded_and_a_leg_bends_as_people_s() {
    let walked = walk("anthropi-42", |_| (), &Settings::default(), 1.3, 8);
    let cycle = cycle(&walked, figure("anthropi-42").mass() * 9.81);
    let most = |n: usize, from: usize, to: usize| {
        cycle[from..=to].iter().map(|c| c[n]).fold(f64::NEG_INFINITY, f64::max)
    };
    let least = |n: usize, from: usize, to: usize| {
        cycle[from..=to].iter().map(|c| c[n]).fold(f64::INFINITY, f64::min)
    };
    // one foot: two humps and a valley
    let (first, valley, second) = (most(5, 5, 25), least(5, 20, 40), most(5, 40, 58));
    assert!((1.0..1.3).contains(&first) && (1.0..1.3).contains(&second), "humps {first} {second}");
    assert!((0.6..0.9).contains(&valley), "valley {valley}");
    // it brakes, then pushes
    let mean =
        |from: usize, to: usize| cycle[from..to].iter().map(|c| c[6]).sum::<f64>() / (to - from) as f64;
    assert!(mean(8, 30) < -0.03 && mean(40, 60) > 0.03, "{} {}", mean(8, 30), mean(40, 60));
    // the knee that carries
    let (_, knee) = walked.measured.determinants[2];
    assert!(knee.max < 30.0, "{}", knee.max);
    for (near, least) in walked.nearness().iter().zip(WITHIN) {
        assert!(near.within[1] >= least, "{near:?}");
    }
}

#[test]
fn pushes_from_both_sides_are_survived() {
    for side in [-50.0, 50.0] {
        let figure = figure("human-28");
        let link = figure.find_link("chest").unwrap();
        let outside = Outside { link, at: vec3(0.0, 0.0, 0.2), force: vec3(0.0, side, 0.0), is_known: false };
        let pushes = vec![Push { from: 4.0, to: 4.2, outside }];
        let walked = walk("human-28", |_| (), &Settings { pushes, ..Settings::default() }, 1.2, 6);
        assert!(walked.fell().is_none(), "{side} N: {:?}", walked.fell());
    }
}

#[test]
fn it_walks_on_smooth_ground_round_corners_and_uphill() {
    let smooth = Settings { friction: 0.5, ..Settings::default() };
    assert!(walk("anthropi-42", |_| (), &smooth, 1.3, 4).fell().is_none());
    let round = walk("human-28", |s| s.turn = 1.5, &Settings::default(), 1.0, 6);
    assert!(round.fell().is_none());
    let end = round.steps.steps.last().unwrap().heading;
    assert!((end - 1.5).abs() < 1e-9, "{end}");
    let hill = walk("anthropi-42", |s| s.ground = Ground::Slope(0.087), &Settings::default(), 1.0, 5);
    assert!(hill.fell().is_none());
    let climbed = hill.steps.steps.last().unwrap().print.at.z;
    assert!(climbed > 0.15, "{climbed}");
}

/// Walks a few stairs with level ground before and after.
fn climb(name: &str, rise: f64, tread: f64) -> Walked {
    let figure = figure(name);
    let walker = Walker::of(&figure, &[]).unwrap();
    let request = Request { length: Some(tread), frequency: Some(1.3), ..Request::default() };
    let parameters = Parameters::of(request, Kind::Walk, walker.stature(figure.stature)).unwrap();
    let level = stretch(&walker, &figure, 0.7, 1);
    let stairs = Stretch { steps: 4, parameters, ground: Ground::Stairs { rise, tread }, ..level };
    walker.walk(&[level, stairs, level], &Settings::default(), &mut |_| (), &mut |_| ()).unwrap()
}

#[test]
fn usual_stairs_are_walked_up_and_down() {
    for name in ["anthropi-42", "human-28"] {
        for (rise, tread) in [(0.18, 0.28), (0.15, 0.32), (-0.18, 0.28), (-0.15, 0.32)] {
            let walked = climb(name, rise, tread);
            let (m, what) = (&walked.measured, format!("{name} {rise} {tread}"));
            assert_eq!(walked.fell(), None, "{what}");
            assert!(walked.filtered.is_consistent(), "{what}");
            assert!(m.landing < 0.05 && m.slip < 1e-3, "{what}: {} {}", m.landing, m.slip);
            assert!(m.load.min > 0.6 && m.load.max < 1.6, "{what}: {:?}", m.load);
            assert!(walked.filtered.tracking.joint_rms_deg < 0.3, "{what}");
            // four stairs are climbed, and what is measured does not count them
            let end = walked.steps.steps.last().unwrap().print.at.z;
            assert!((end - 4.0 * rise).abs() < 1e-9, "{what}: {end}");
            let climbed = walked.samples.last().unwrap().center.z - walked.samples[0].center.z;
            assert!((climbed - end).abs() < 0.02, "{what}: {climbed}");
            assert!(m.vertical < 0.12, "{what}: {}", m.vertical);
            let (_, knee) = m.determinants[4];
            assert!(knee.max > 80.0 && knee.max < 120.0, "{what}: {knee:?}");
        }
    }
}

#[test]
fn steep_slopes_are_walked_up_and_down() {
    for name in ["anthropi-42", "human-28"] {
        for slope in [-15f64, -10.0, 10.0, 15.0] {
            let figure = figure(name);
            let walker = Walker::of(&figure, &[]).unwrap();
            let level = stretch(&walker, &figure, 1.0, 2);
            let hill = Stretch { steps: 4, ground: Ground::Slope(slope.to_radians()), ..level };
            let way = [level, hill, level];
            let walked = walker.walk(&way, &Settings::default(), &mut |_| (), &mut |_| ()).unwrap();
            assert_eq!(walked.fell(), None, "{name} {slope}");
        }
    }
}

#[test]
fn who_is_thrown_away_has_fallen() {
    let figure = figure("human-28");
    let walker = Walker::of(&figure, &[]).unwrap();
    let way = stretch(&walker, &figure, 1.0, 2);
    let link = figure.find_link("chest").unwrap();
    let force = vec3(1e9, 1e9, 1e9);
    let outside = Outside { link, at: Vec3::ZERO, force, is_known: false };
    let pushes = vec![Push { from: 2.0, to: 2.5, outside }];
    let settings = Settings { pushes, ..Settings::default() };
    let walked = walker.walk(&[way], &settings, &mut |_| (), &mut |_| ()).unwrap();
    assert!(walked.fell().is_some_and(|t| (2.0..2.1).contains(&t)), "{:?}", walked.fell());
}
