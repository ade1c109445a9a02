//! Runs and jumps: they fly, they land, and nothing but the ground and the joints moves them.

use anthropi_io::builtin;
use anthropi_motion::gait::parameter::{Kind, Parameters, Request};
use anthropi_motion::gait::steps::Stretch;
use anthropi_motion::gait::{Settings, Walked, Walker};
use std::sync::Arc;

/// Gravity of the built-in figures, m/s2.
const GRAVITY: f64 = 9.81;
/// Shorter halves of flights tell nothing, ms.
const SHORT: usize = 25;
/// Speeds, heights and lengths are met by this part.
const MET: f64 = 0.02;

fn walker(name: &str) -> (Walker, Option<f64>) {
    let figure = Arc::new(builtin::figure(name).unwrap().unwrap().figure);
    (Walker::of(&figure, &[]).unwrap(), figure.stature)
}

fn stretch(walker: &Walker, stature: Option<f64>, kind: Kind, request: Request, steps: usize) -> Stretch {
    let parameters = Parameters::of(request, kind, walker.stature(stature)).unwrap();
    Stretch::ahead(parameters, steps)
}

fn done(walker: &Walker, way: &[Stretch]) -> Walked {
    walker.walk(way, &Settings::default(), &mut |_| (), &mut |_| ()).unwrap()
}

fn jump(height: f64, length: f64) -> Request {
    Request { height: Some(height), length: Some(length), ..Request::default() }
}

#[track_caller]
fn is_physical(w: &Walked) {
    let p = &w.filtered.proof;
    assert_eq!(w.fell(), None);
    assert_eq!([p.normal_violations, p.friction_violations, p.cop_outside, p.torque_violations], [0; 4]);
    assert!(p.force_peak < 1e-8, "{} N without a source", p.force_peak);
}

/// In the air nothing pulls but gravity: the way of the centre of mass is a parabola.
#[track_caller]
fn falls_in_flight(w: &Walked) {
    let air = |k: usize| w.samples[k].force.iter().all(|f| f.norm() == 0.0);
    let (mut from, mut flights) = (0, 0);
    for k in 1..w.samples.len() {
        if air(k) && !air(k - 1) {
            from = k;
        }
        let half = (k - from) / 2;
        if air(k - 1) && !air(k) && half > SHORT {
            let z = [from, from + half, from + 2 * half].map(|k| w.samples[k].center.z);
            let (time, sag) = (half as f64 * 1e-3, z[1] - 0.5 * (z[0] + z[2]));
            let expected = 0.5 * GRAVITY * time * time;
            assert!((sag / expected - 1.0).abs() < MET, "{sag} m of {expected} at {}", w.samples[k].time);
            flights += 1;
        }
    }
    assert!(flights > 0);
}

#[test]
fn it_runs_at_two_speeds_and_flies_between_steps() {
    let (walker, stature) = walker("human-28");
    for (speed, flight) in [(2.0, 0.27), (3.0, 0.34)] {
        let request = Request { speed: Some(speed), ..Request::default() };
        let w = done(&walker, &[stretch(&walker, stature, Kind::Run, request, 10)]);
        is_physical(&w);
        falls_in_flight(&w);
        let m = &w.measured;
        assert!((m.speed / speed - 1.0).abs() < MET, "{} m/s", m.speed);
        // both feet off the ground, part of the step
        assert!((2.0 * m.flight - flight).abs() < 0.02, "{}", m.flight);
        assert!((1.8..2.8).contains(&m.load.max), "{} body weights", m.load.max);
        assert!((155.0..185.0).contains(&(60.0 * m.frequency)), "{}", m.frequency);
        assert!(m.double_support == 0.0);
    }
}

#[test]
fn jumps_rise_and_go_as_far_as_asked() {
    for (name, far) in [("human-28", (0.2, 0.4)), ("anthropi-42", (0.1, 0.2))] {
        let (walker, stature) = walker(name);
        for (height, length) in [(0.1, 0.0), far] {
            let w = done(&walker, &[stretch(&walker, stature, Kind::Jump, jump(height, length), 1)]);
            is_physical(&w);
            falls_in_flight(&w);
            let [j] = w.measured.jumps[..] else { panic!("{:?}", w.measured.jumps) };
            assert!((j.height / height - 1.0).abs() < MET, "{name}: {} m of {height}", j.height);
            let off = if length > 0.0 { MET * length } else { 0.015 };
            assert!((j.length - length).abs() < off, "{name}: {} m of {length}", j.length);
            assert!(w.measured.flight > 0.1 && j.load.max < 4.0, "{j:?}");
        }
    }
}

#[test]
fn walks_jumps_and_runs_come_one_after_the_other() {
    let (walker, stature) = walker("human-28");
    let at = |speed: f64| Request { speed: Some(speed), ..Request::default() };
    let way = [
        stretch(&walker, stature, Kind::Walk, at(1.2), 2),
        stretch(&walker, stature, Kind::Jump, jump(0.15, 0.3), 1),
        stretch(&walker, stature, Kind::Run, at(2.0), 3),
        stretch(&walker, stature, Kind::Walk, at(1.2), 2),
    ];
    let w = done(&walker, &way);
    is_physical(&w);
    assert_eq!(w.measured.jumps.len(), 1);
    assert!((w.measured.jumps[0].height / 0.15 - 1.0).abs() < MET);
    let last = w.steps.steps.last().unwrap();
    assert_eq!((w.steps.steps[0].stretch, last.stretch), (0, 3));
}

#[test]
fn jumps_that_nobody_makes_are_refused_with_the_limit() {
    let (walker, stature) = walker("human-28");
    let who = walker.stature(stature);
    let told = |r: Request, kind: Kind| Parameters::of(r, kind, who).unwrap_err().to_string();
    assert!(told(jump(0.9, 0.0), Kind::Jump).contains("0.4"));
    assert!(told(jump(0.001, 0.0), Kind::Jump).contains("0.03"));
    assert!(told(jump(0.2, 2.0), Kind::Jump).contains("0.8"));
    assert!(told(jump(0.2, -0.1), Kind::Jump).contains("allow 0 to"));
    assert!(told(jump(f64::NAN, 0.0), Kind::Jump).contains("rise"));
    let fast = Request { speed: Some(2.0), ..Request::default() };
    assert!(told(fast, Kind::Jump).contains("height and a length"));
    let high = Request { height: Some(0.2), ..Request::default() };
    assert!(told(high, Kind::Run).contains("only jumps"));
    let turned = Stretch { turn: 1.0, ..stretch(&walker, stature, Kind::Jump, jump(0.2, 0.0), 1) };
    let refused = walker.walk(&[turned], &Settings::default(), &mut |_| (), &mut |_| ());
    assert!(refused.unwrap_err().to_string().contains("turn before or after"));
}
