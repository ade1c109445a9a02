//! Walks without end: speeds, styles, turns and runs that change on the way, pushes and falls.

use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_io::builtin;
use anthropi_motion::filter::Outside;
use anthropi_motion::gait::parameter::{Kind, Parameters, Request};
use anthropi_motion::gait::steps::Stretch;
use anthropi_motion::gait::{Stroll, Walker};
use std::sync::Arc;

fn walker(name: &str) -> Walker {
    let figure = Arc::new(builtin::figure(name).expect("built-in").expect("sound").figure);
    Walker::of(&figure, &[]).expect("it has legs")
}

fn ahead(walker: &Walker, speed: f64, kind: Kind) -> Stretch {
    let request = Request { speed: Some(speed), ..Request::default() };
    Stretch::ahead(Parameters::of(request, kind, walker.stature(None)).expect("people do"), 1)
}

fn go(stroll: &mut Stroll, seconds: f64) {
    let mut residual: f64 = 0.0;
    for _ in 0..(seconds / stroll.dt()).round() as usize {
        stroll.step(&[], &mut |step| residual = residual.max(step.body.left_over().0)).unwrap();
    }
    assert!(residual < 1e-6, "{residual} N without a source");
    assert_eq!(stroll.falls(), 0);
}

#[test]
fn speeds_are_those_asked_for_and_it_stops_and_goes() {
    for name in ["human-28", "anthropi-42"] {
        let walker = walker(name);
        let mut stroll = walker.stroll(ahead(&walker, 1.3, Kind::Walk), 1.0).unwrap();
        go(&mut stroll, 8.0);
        for speed in [1.3, 0.7, 1.8] {
            stroll.ask(Some(ahead(&walker, speed, Kind::Walk))).unwrap();
            go(&mut stroll, 8.0);
            let pace = stroll.pace();
            assert!((pace.speed - speed).abs() < 0.002 * speed, "{name}: {speed} {pace:?}");
            assert!((pace.length * pace.frequency - pace.speed).abs() < 1e-9);
        }
        stroll.ask(None).unwrap();
        go(&mut stroll, 13.0);
        assert_eq!((stroll.pace().speed, stroll.is_planning()), (0.0, false), "{name}");
        assert!(stroll.body().v().iter().all(|v| v.abs() < 1e-3));
        stroll.ask(Some(ahead(&walker, 1.0, Kind::Walk))).unwrap();
        go(&mut stroll, 9.0);
        assert!((stroll.pace().speed - 1.0).abs() < 0.01, "{name}: {:?}", stroll.pace());
    }
}

#[test]
fn it_turns_round_in_a_circle() {
    let walker = walker("anthropi-42");
    let straight = ahead(&walker, 1.0, Kind::Walk);
    let mut stroll = walker.stroll(Stretch { turn: 0.15, ..straight }, 1.0).unwrap();
    go(&mut stroll, 9.0);
    let mut places: Vec<Vec3> = Vec::new();
    // a round is 2 pi / 0.15 = 42 steps
    let round = (core::f64::consts::TAU / 0.15) / stroll.pace().frequency;
    for _ in 0..8 {
        places.push(stroll.body().center());
        go(&mut stroll, round / 8.0);
    }
    let middle = places.iter().fold(Vec3::ZERO, |sum, p| sum + *p).scale(1.0 / 8.0);
    let radius = straight.parameters.length / 0.15;
    for p in &places {
        let away = (p.x - middle.x).hypot(p.y - middle.y);
        assert!((away - radius).abs() < 0.05 * radius, "{away} {radius}");
    }
    // and straight on
    stroll.ask(Some(straight)).unwrap();
    go(&mut stroll, 6.0);
    // by whole cycles, as bodies sway
    let cycles = 2.0 * 2.0 / stroll.pace().frequency;
    let from = stroll.body().center();
    go(&mut stroll, cycles);
    let half = stroll.body().center() - from;
    go(&mut stroll, cycles);
    let rest = stroll.body().center() - from - half;
    let across = (half.x * rest.y - half.y * rest.x) / (half.norm() * rest.norm());
    assert!(across.abs() < 0.002, "{half:?} {rest:?} {across}");
}

#[test]
fn every_style_is_gone_over_to() {
    let walker = walker("anthropi-42");
    let mut stroll = walker.stroll(ahead(&walker, 1.2, Kind::Walk), 1.0).unwrap();
    go(&mut stroll, 6.0);
    for built in builtin::styles() {
        let style = builtin::style(built.name).expect("built-in").expect("sound").style;
        let who = walker.stature(None);
        let natural = |r| Parameters::of(r, Kind::Walk, who).ok();
        let request = style.request(Request::default(), natural);
        let parameters = Parameters::of(request, Kind::Walk, who).unwrap();
        stroll.ask(Some(Stretch { style, ..Stretch::ahead(parameters, 1) })).unwrap();
        go(&mut stroll, 9.0);
        let pace = stroll.pace();
        assert!((pace.speed - parameters.speed).abs() < 0.01 * parameters.speed, "{}: {pace:?}", built.name);
    }
}

#[test]
fn it_runs_and_walks_again() {
    let walker = walker("human-28");
    let mut stroll = walker.stroll(ahead(&walker, 1.4, Kind::Walk), 1.0).unwrap();
    go(&mut stroll, 6.0);
    stroll.ask(Some(ahead(&walker, 2.4, Kind::Run))).unwrap();
    go(&mut stroll, 9.0);
    assert!((stroll.pace().speed - 2.4).abs() < 0.05 * 2.4, "{:?}", stroll.pace());
    stroll.ask(Some(ahead(&walker, 1.3, Kind::Walk))).unwrap();
    go(&mut stroll, 9.0);
    assert!((stroll.pace().speed - 1.3).abs() < 0.01 * 1.3, "{:?}", stroll.pace());
}

#[test]
fn a_push_is_walked_off_and_a_blow_throws_it_down() {
    let walker = walker("human-28");
    let mut stroll = walker.stroll(ahead(&walker, 1.3, Kind::Walk), 1.0).unwrap();
    go(&mut stroll, 7.3);
    let chest = stroll.figure().find_link("chest").unwrap();
    let push = |newton: f64| {
        [Outside { link: chest, at: Vec3::ZERO, force: vec3(0.0, newton, 0.0), is_known: false }]
    };
    let before = stroll.body().center().y;
    for _ in 0..200 {
        stroll.step(&push(50.0), &mut |_| ()).unwrap();
    }
    go(&mut stroll, 5.0);
    assert!(stroll.body().center().y > before + 0.02);
    for _ in 0..300 {
        stroll.step(&push(900.0), &mut |_| ()).unwrap();
    }
    for _ in 0..12_000 {
        stroll.step(&[], &mut |_| ()).unwrap();
    }
    assert_eq!(stroll.falls(), 1);
    assert!((stroll.pace().speed - 1.3).abs() < 0.02, "{:?}", stroll.pace());
    // who stands falls and stands again
    stroll.ask(None).unwrap();
    for k in 0..20_000 {
        let push = if (14_000..14_300).contains(&k) { &push(900.0)[..] } else { &[] };
        stroll.step(push, &mut |_| ()).unwrap();
    }
    assert_eq!((stroll.falls(), stroll.is_down(), stroll.pace().speed), (2, false, 0.0));
    assert!(stroll.body().center().z > 0.8 && stroll.gait().is_none());
}

#[test]
fn copies_go_the_same_way_to_the_bit() {
    let walker = walker("human-28");
    let mut stroll = walker.stroll(ahead(&walker, 1.3, Kind::Walk), 1.0).unwrap();
    go(&mut stroll, 5.0);
    stroll.ask(Some(ahead(&walker, 1.0, Kind::Walk))).unwrap();
    // in the midst of planning, of which copies know nothing
    go(&mut stroll, 0.3);
    let mut copy = stroll.clone();
    go(&mut stroll, 3.0);
    go(&mut copy, 3.0);
    assert_eq!(stroll.body().q(), copy.body().q());
}

#[test]
fn what_cannot_be_walked_is_refused_and_changes_nothing() {
    let walker = walker("human-28");
    let usual = ahead(&walker, 1.3, Kind::Walk);
    let mut stroll = walker.stroll(usual, 1.0).unwrap();
    let climbing = Stretch { ground: anthropi_motion::gait::ground::Ground::Slope(0.1), ..usual };
    let jump = Stretch { parameters: Parameters { kind: Kind::Jump, ..usual.parameters }, ..usual };
    for bad in [climbing, jump, Stretch { turn: 2.0, ..usual }] {
        assert!(stroll.ask(Some(bad)).is_err());
        assert!(!stroll.is_planning());
    }
}
