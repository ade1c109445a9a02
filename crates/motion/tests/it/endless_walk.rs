//! Endless walks: changes of speed, style, direction and gait, pushes and falls.

use anthropi_app::builtin;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::filter::AppliedForce;
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::{Kind, PaceRequest, Parameters};
use anthropi_motion::gait::{EndlessWalk, Walker};
use testkit::motions::human;

fn walker(name: &str) -> Walker {
    Walker::new(&human(name), &[]).expect("it has legs")
}

fn ahead(walker: &Walker, speed: f64, kind: Kind) -> Segment {
    let request = PaceRequest { speed: Some(speed), ..PaceRequest::default() };
    Segment::ahead(Parameters::from_request(request, kind, walker.stature(None)).expect("a human pace"), 1)
}

fn go(walk: &mut EndlessWalk, seconds: f64) {
    let mut residual: f64 = 0.0;
    for _ in 0..(seconds / walk.dt()).round() as usize {
        walk.step(&[], &mut |step| residual = residual.max(step.body.root_residual().0)).unwrap();
    }
    assert!(residual < 1e-6, "residual force {residual} N");
    assert_eq!(walk.falls(), 0);
}

#[test]
fn it_walks_at_the_requested_speeds_stops_and_starts_again() {
    for name in ["human-28", "anthropi-42"] {
        let walker = walker(name);
        let mut walk = walker.endless(ahead(&walker, 1.3, Kind::Walk), 1.0).unwrap();
        go(&mut walk, 8.0);
        for speed in [1.3, 0.7, 1.8] {
            walk.request(Some(ahead(&walker, speed, Kind::Walk))).unwrap();
            go(&mut walk, 8.0);
            let pace = walk.pace();
            assert!((pace.speed - speed).abs() < 0.002 * speed, "{name}: {speed} {pace:?}");
            assert!((pace.length * pace.frequency - pace.speed).abs() < 1e-9);
        }
        walk.request(None).unwrap();
        go(&mut walk, 13.0);
        assert_eq!((walk.pace().speed, walk.is_planning()), (0.0, false), "{name}");
        assert!(walk.body().v().iter().all(|v| v.abs() < 1e-3));
        walk.request(Some(ahead(&walker, 1.0, Kind::Walk))).unwrap();
        go(&mut walk, 9.0);
        assert!((walk.pace().speed - 1.0).abs() < 0.01, "{name}: {:?}", walk.pace());
    }
}

#[test]
fn a_constant_turn_gives_a_circle() {
    let walker = walker("anthropi-42");
    let straight = ahead(&walker, 1.0, Kind::Walk);
    let mut walk = walker.endless(Segment { turn: 0.15, ..straight }, 1.0).unwrap();
    go(&mut walk, 9.0);
    let mut places: Vec<Vec3> = Vec::new();
    // a full circle is 2 pi / 0.15 = 42 steps
    let round = (core::f64::consts::TAU / 0.15) / walk.pace().frequency;
    for _ in 0..8 {
        places.push(walk.body().center_of_mass());
        go(&mut walk, round / 8.0);
    }
    let middle = places.iter().fold(Vec3::ZERO, |sum, p| sum + *p).scale(1.0 / 8.0);
    let radius = straight.parameters.length / 0.15;
    for p in &places {
        let away = (p.x - middle.x).hypot(p.y - middle.y);
        assert!((away - radius).abs() < 0.05 * radius, "{away} {radius}");
    }
    // then straight ahead
    walk.request(Some(straight)).unwrap();
    go(&mut walk, 6.0);
    // over whole cycles, since the body sways
    let cycles = 2.0 * 2.0 / walk.pace().frequency;
    let from = walk.body().center_of_mass();
    go(&mut walk, cycles);
    let half = walk.body().center_of_mass() - from;
    go(&mut walk, cycles);
    let rest = walk.body().center_of_mass() - from - half;
    let across = (half.x * rest.y - half.y * rest.x) / (half.norm() * rest.norm());
    assert!(across.abs() < 0.002, "{half:?} {rest:?} {across}");
}

#[test]
fn it_changes_to_every_style() {
    let walker = walker("anthropi-42");
    let mut walk = walker.endless(ahead(&walker, 1.2, Kind::Walk), 1.0).unwrap();
    go(&mut walk, 6.0);
    for built in builtin::STYLES {
        let style = builtin::style(built.name).expect("built-in").expect("sound").style;
        let stature = walker.stature(None);
        let natural = |r| Parameters::from_request(r, Kind::Walk, stature).ok();
        let request = style.request(PaceRequest::default(), natural);
        let parameters = Parameters::from_request(request, Kind::Walk, stature).unwrap();
        walk.request(Some(Segment { style, ..Segment::ahead(parameters, 1) })).unwrap();
        go(&mut walk, 9.0);
        let pace = walk.pace();
        assert!((pace.speed - parameters.speed).abs() < 0.01 * parameters.speed, "{}: {pace:?}", built.name);
    }
}

#[test]
fn it_runs_and_walks_again() {
    let walker = walker("human-28");
    let mut walk = walker.endless(ahead(&walker, 1.4, Kind::Walk), 1.0).unwrap();
    go(&mut walk, 6.0);
    walk.request(Some(ahead(&walker, 2.4, Kind::Run))).unwrap();
    go(&mut walk, 9.0);
    assert!((walk.pace().speed - 2.4).abs() < 0.05 * 2.4, "{:?}", walk.pace());
    walk.request(Some(ahead(&walker, 1.3, Kind::Walk))).unwrap();
    go(&mut walk, 9.0);
    assert!((walk.pace().speed - 1.3).abs() < 0.01 * 1.3, "{:?}", walk.pace());
}

#[test]
fn it_recovers_from_a_push_and_restarts_after_a_fall() {
    let walker = walker("human-28");
    let mut walk = walker.endless(ahead(&walker, 1.3, Kind::Walk), 1.0).unwrap();
    go(&mut walk, 7.3);
    let chest = walk.figure().find_link("chest").unwrap();
    let push = |newton: f64| [AppliedForce::constant(chest, Vec3::ZERO, vec3(0.0, newton, 0.0))];
    let before = walk.body().center_of_mass().y;
    for _ in 0..200 {
        walk.step(&push(50.0), &mut |_| ()).unwrap();
    }
    go(&mut walk, 5.0);
    assert!(walk.body().center_of_mass().y > before + 0.02);
    for _ in 0..300 {
        walk.step(&push(900.0), &mut |_| ()).unwrap();
    }
    for _ in 0..12_000 {
        walk.step(&[], &mut |_| ()).unwrap();
    }
    assert_eq!(walk.falls(), 1);
    assert!((walk.pace().speed - 1.3).abs() < 0.02, "{:?}", walk.pace());
    // a fall while standing: the figure restarts from standing
    walk.request(None).unwrap();
    for k in 0..20_000 {
        let push = if (14_000..14_300).contains(&k) { &push(900.0)[..] } else { &[] };
        walk.step(push, &mut |_| ()).unwrap();
    }
    assert_eq!((walk.falls(), walk.is_down(), walk.pace().speed), (2, false, 0.0));
    assert!(walk.body().center_of_mass().z > 0.8 && walk.gait().is_none());
}

#[test]
fn clones_continue_bit_for_bit() {
    let walker = walker("human-28");
    let mut walk = walker.endless(ahead(&walker, 1.3, Kind::Walk), 1.0).unwrap();
    go(&mut walk, 5.0);
    walk.request(Some(ahead(&walker, 1.0, Kind::Walk))).unwrap();
    // cloned while planning; a clone does not copy the planner
    go(&mut walk, 0.3);
    let mut copy = walk.clone();
    go(&mut walk, 3.0);
    go(&mut copy, 3.0);
    assert_eq!(walk.body().q(), copy.body().q());
}

#[test]
fn impossible_requests_are_refused_and_change_nothing() {
    let walker = walker("human-28");
    let normal = ahead(&walker, 1.3, Kind::Walk);
    let mut walk = walker.endless(normal, 1.0).unwrap();
    let climbing = Segment { ground: anthropi_motion::gait::terrain::Terrain::Slope(0.1), ..normal };
    let jump = Segment { parameters: Parameters { kind: Kind::Jump, ..normal.parameters }, ..normal };
    for bad in [climbing, jump, Segment { turn: 2.0, ..normal }] {
        assert!(walk.request(Some(bad)).is_err());
        assert!(!walk.is_planning());
    }
}
