//! Simulated walks: requested parameters, feasible forces, continuity, recovery from pushes.

use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::filter::{AppliedForce, SolvedStep};
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::{Kind, PaceRequest, Parameters};
use anthropi_motion::gait::terrain::Terrain;
use anthropi_motion::gait::{WalkResult, WalkSettings, Walker};
use std::sync::Arc;
use testkit::motions::human;

fn walker(name: &str) -> (Walker, Arc<Figure>) {
    let figure = human(name);
    (Walker::new(&figure, &[]).unwrap(), figure)
}

fn segment(walker: &Walker, figure: &Figure, request: PaceRequest, steps: usize) -> Segment {
    let parameters = Parameters::from_request(request, Kind::Walk, walker.stature(figure.stature)).unwrap();
    Segment::ahead(parameters, steps)
}

fn at(speed: f64) -> PaceRequest {
    PaceRequest { speed: Some(speed), ..PaceRequest::default() }
}

fn simulate(walker: &Walker, path: &[Segment], settings: &WalkSettings) -> WalkResult {
    walker.walk(path, settings, &mut |_| (), &mut |_| ()).unwrap()
}

/// A push of the chest from a time on.
fn push(figure: &Figure, force: Vec3, at: Vec3, [from, to]: [f64; 2]) -> WalkSettings {
    let push = AppliedForce::constant(figure.find_link("chest").unwrap(), at, force);
    WalkSettings { pushes: vec![AppliedForce { from, to, ..push }], ..WalkSettings::default() }
}

/// A walk whose forces explain its motion within all limits.
fn walk(
    name: &str,
    change: impl Fn(&mut Segment),
    settings: &WalkSettings,
    speed: f64,
    steps: usize,
) -> WalkResult {
    let (walker, figure) = walker(name);
    let mut path = segment(&walker, &figure, at(speed), steps);
    change(&mut path);
    let mut before: Option<(Vec<f64>, Vec<f64>)> = None;
    let mut watch = |step: &SolvedStep| {
        // the forces of the last step explain the velocity, landings included
        if let Some((v, a)) = &before {
            for ((v, a), now) in v.iter().zip(a).zip(step.body.v()) {
                assert!((v + a * step.dt - now).abs() < 1e-12 * (1.0 + now.abs()), "at {}", step.time);
            }
        }
        before = Some((step.body.v().to_vec(), step.body.a().to_vec()));
    };
    let walked = walker.walk(&[path], settings, &mut |_| (), &mut watch).unwrap();
    let audit = &walked.filtered.audit;
    assert!(audit.force_peak < 1e-6 && audit.moment_peak < 1e-6, "{name} {speed}: {}", audit.force_peak);
    let violations = audit.normal_violations + audit.friction_violations + audit.cop_outside;
    assert_eq!(violations + audit.torque_violations, 0, "{name} {speed}");
    walked
}

fn check_measures(name: &str, speed: f64) {
    let (walker, figure) = walker(name);
    let requested = segment(&walker, &figure, at(speed), 6).parameters;
    let walked = walk(name, |_| (), &WalkSettings::default(), speed, 6);
    let m = &walked.measured;
    assert!(walked.fell().is_none(), "{name} {speed}: {:?}", walked.fell());
    let pairs =
        [(m.speed, requested.speed), (m.length, requested.length), (m.frequency, requested.frequency)];
    for (got, wanted) in pairs {
        assert!((got / wanted - 1.0).abs() < 0.01, "{name} {speed}: {got} for {wanted}");
    }
    let double = requested.double / requested.cycle();
    assert!((m.double_support - double).abs() < 0.01, "{name} {speed}: {} {double}", m.double_support);
    assert!(m.landing < 0.05, "{name} {speed}: lands with {} m/s", m.landing);
    let (_, rotation) = m.determinants[0];
    let (_, list) = m.determinants[1];
    assert!(rotation.max <= 4.0 && rotation.min >= -4.0 && list.max <= 5.0 && list.min >= -5.0);
    assert!(walked.filtered.tracking.joint_rms_deg < 0.5, "{}", walked.filtered.tracking.joint_rms_deg);
}

#[test]
fn slow_and_fast_walks_have_the_requested_parameters() {
    check_measures("human-28", 0.6);
    check_measures("human-28", 1.6);
    check_measures("anthropi-42", 0.8);
    check_measures("anthropi-42", 2.0);
}

/// A leg over a cycle, by per cent: hip, knee and ankle angle in degrees; vertical and forward force of both feet, and of
/// its own foot, in body weights.
struct Cycle(Vec<[f64; 7]>);

impl Cycle {
    fn new(walked: &WalkResult) -> Cycle {
        let weight = walked.filtered.clip.figure().mass() * 9.81;
        let steps: Vec<_> = walked.steps.steps.iter().filter(|s| s.is_steady).collect();
        let (from, to, side) = (steps[3].land, steps[5].land, steps[3].side);
        let row = |k| {
            let t = from + (to - from) * f64::from(k) / 100.0;
            let s = walked.samples.iter().find(|s| s.time >= t).unwrap();
            let (sum, own) = (s.force[0] + s.force[1], s.force[side]);
            let [hip, knee, ankle] = [s.hip[side], s.knee[side], s.ankle[side]].map(f64::to_degrees);
            [hip, knee, ankle, sum.z / weight, sum.x / weight, own.z / weight, own.x / weight]
        };
        Cycle((0..=100).map(row).collect())
    }

    fn least(&self, n: usize, from: usize, to: usize) -> f64 {
        self.0[from..=to].iter().map(|c| c[n]).fold(f64::INFINITY, f64::min)
    }

    fn most(&self, n: usize, from: usize, to: usize) -> f64 {
        self.0[from..=to].iter().map(|c| c[n]).fold(f64::NEG_INFINITY, f64::max)
    }

    fn mean(&self, n: usize, from: usize, to: usize) -> f64 {
        self.0[from..to].iter().map(|c| c[n]).sum::<f64>() / (to - from) as f64
    }
}

/// Least fractions of the cycle with hip, knee and ankle within two standard deviations of the norm.
const WITHIN: [f64; 3] = [0.97, 0.90, 0.74];

#[test]
fn a_normal_walk_has_human_angles_and_forces() {
    let walked = walk("anthropi-42", |_| (), &WalkSettings::default(), 1.3, 8);
    assert!(walked.fell().is_none());
    let c = Cycle::new(&walked);
    // slightly wider than [W2009: kinematics] and [S2008]: hip flexed, extended; knee in stance, in swing; ankle
    let (extended, flexed) = (c.least(0, 0, 100), c.most(0, 0, 100));
    assert!((25.0..48.0).contains(&flexed) && (-22.0..2.0).contains(&extended), "{extended} {flexed}");
    let (loaded, swinging) = (c.most(1, 5, 45), c.most(1, 60, 90));
    assert!((10.0..30.0).contains(&loaded) && (50.0..72.0).contains(&swinging), "knee {loaded} {swinging}");
    let pushed = c.least(2, 55, 75);
    assert!((-35.0..-8.0).contains(&pushed), "ankle {pushed}");
    // vertical force of both feet and of one: two peaks with a valley in between
    for (first, valley, second, most) in [
        (c.most(3, 0, 15), c.least(3, 15, 40), c.most(3, 38, 55), 1.31),
        (c.most(5, 5, 25), c.least(5, 20, 40), c.most(5, 40, 58), 1.3),
    ] {
        assert!((0.6..0.9).contains(&valley), "valley {valley}");
        assert!((1.0..most).contains(&first) && (1.0..most).contains(&second), "peaks {first} {second}");
    }
    // braking in the first half of stance, propulsion in the second
    let (braking, propulsion) = (c.mean(4, 6, 28), c.mean(4, 40, 56));
    assert!(braking < 0.0 && propulsion > 0.0, "{braking} {propulsion}");
    let (braking, propulsion) = (c.mean(6, 8, 30), c.mean(6, 40, 60));
    assert!(braking < -0.03 && propulsion > 0.03, "{braking} {propulsion}");
    // stance knee
    let (_, knee) = walked.measured.determinants[2];
    assert!(knee.max < 30.0, "{}", knee.max);
    for (near, least) in walked.deviations().iter().zip(WITHIN) {
        assert!(near.within_2_sd >= least, "{near:?}");
    }
}

#[test]
fn it_recovers_from_pushes_to_both_sides() {
    for side in [-50.0, 50.0] {
        let (_, figure) = walker("human-28");
        let settings = push(&figure, vec3(0.0, side, 0.0), vec3(0.0, 0.0, 0.2), [4.0, 4.2]);
        let walked = walk("human-28", |_| (), &settings, 1.2, 6);
        assert!(walked.fell().is_none(), "{side} N: {:?}", walked.fell());
    }
}

#[test]
fn it_walks_on_slippery_ground_in_curves_and_uphill() {
    let slippery = WalkSettings { friction: 0.5, ..WalkSettings::default() };
    assert!(walk("anthropi-42", |_| (), &slippery, 1.3, 4).fell().is_none());
    let round = walk("human-28", |s| s.turn = 1.5, &WalkSettings::default(), 1.0, 6);
    assert!(round.fell().is_none());
    let end = round.steps.steps.last().unwrap().heading;
    assert!((end - 1.5).abs() < 1e-9, "{end}");
    let hill = walk("anthropi-42", |s| s.ground = Terrain::Slope(0.087), &WalkSettings::default(), 1.0, 5);
    assert!(hill.fell().is_none());
    let climbed = hill.steps.steps.last().unwrap().print.at.z;
    assert!(climbed > 0.15, "{climbed}");
}

/// A few stairs with level ground before and after.
pub fn climb(name: &str, rise: f64, tread: f64) -> WalkResult {
    let (walker, figure) = walker(name);
    let request = PaceRequest { length: Some(tread), frequency: Some(1.3), ..PaceRequest::default() };
    let stairs = segment(&walker, &figure, request, 4);
    let stairs = Segment { ground: Terrain::Stairs { rise, tread }, ..stairs };
    let level = segment(&walker, &figure, at(0.7), 1);
    simulate(&walker, &[level, stairs, level], &WalkSettings::default())
}

#[test]
fn it_walks_up_and_down_stairs() {
    for name in ["anthropi-42", "human-28"] {
        for (rise, tread) in [(0.18, 0.28), (0.15, 0.32), (-0.18, 0.28), (-0.15, 0.32)] {
            let walked = climb(name, rise, tread);
            let (m, what) = (&walked.measured, format!("{name} {rise} {tread}"));
            assert_eq!(walked.fell(), None, "{what}");
            assert!(walked.filtered.is_consistent(), "{what}");
            assert!(m.landing < 0.05 && m.slip < 1e-3, "{what}: {} {}", m.landing, m.slip);
            assert!(m.load.min > 0.6 && m.load.max < 1.6, "{what}: {:?}", m.load);
            assert!(walked.filtered.tracking.joint_rms_deg < 0.3, "{what}");
            // four stairs are climbed; measures are relative to the path
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
fn it_walks_up_and_down_steep_slopes() {
    for name in ["anthropi-42", "human-28"] {
        for slope in [-15f64, -10.0, 10.0, 15.0] {
            let (walker, figure) = walker(name);
            let level = segment(&walker, &figure, at(1.0), 2);
            let hill = Segment { steps: 4, ground: Terrain::Slope(slope.to_radians()), ..level };
            let walked = simulate(&walker, &[level, hill, level], &WalkSettings::default());
            assert_eq!(walked.fell(), None, "{name} {slope}");
        }
    }
}

#[test]
fn an_extreme_push_counts_as_a_fall() {
    let (walker, figure) = walker("human-28");
    let path = segment(&walker, &figure, at(1.0), 2);
    let settings = push(&figure, vec3(1e9, 1e9, 1e9), Vec3::ZERO, [2.0, 2.5]);
    let walked = simulate(&walker, &[path], &settings);
    assert!(walked.fell().is_some_and(|t| (2.0..2.1).contains(&t)), "{:?}", walked.fell());
}
