//! Runs and jumps: ballistic flight, landing, no residual forces.

use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::{Kind, PaceRequest, Parameters};
use anthropi_motion::gait::{WalkResult, WalkSettings, Walker};
use testkit::motions::human;

/// Gravity of the built-in figures, m/s2.
const GRAVITY: f64 = 9.81;
/// Least half duration of a measured flight, ms.
const MIN_HALF_FLIGHT: usize = 25;
/// Relative error of speeds, heights and lengths.
const TOLERANCE: f64 = 0.02;

fn walker(name: &str) -> (Walker, Option<f64>) {
    let figure = human(name);
    (Walker::new(&figure, &[]).unwrap(), figure.stature)
}

fn segment(walker: &Walker, stature: Option<f64>, kind: Kind, request: PaceRequest, steps: usize) -> Segment {
    let parameters = Parameters::from_request(request, kind, walker.stature(stature)).unwrap();
    Segment::ahead(parameters, steps)
}

fn done(walker: &Walker, path: &[Segment]) -> WalkResult {
    walker.walk(path, &WalkSettings::default(), &mut |_| (), &mut |_| ()).unwrap()
}

fn jump(height: f64, length: f64) -> PaceRequest {
    PaceRequest { height: Some(height), length: Some(length), ..PaceRequest::default() }
}

#[track_caller]
fn is_physical(w: &WalkResult) {
    let p = &w.filtered.audit;
    assert_eq!(w.fell(), None);
    assert_eq!([p.normal_violations, p.friction_violations, p.cop_outside, p.torque_violations], [0; 4]);
    assert!(p.force_peak < 1e-8, "residual force {} N", p.force_peak);
}

/// In flight the centre of mass follows a parabola.
#[track_caller]
fn is_ballistic_in_flight(w: &WalkResult) {
    let air = |k: usize| w.samples[k].force.iter().all(|f| f.norm() == 0.0);
    let (mut from, mut flights) = (0, 0);
    for k in 1..w.samples.len() {
        if air(k) && !air(k - 1) {
            from = k;
        }
        let half = (k - from) / 2;
        if air(k - 1) && !air(k) && half > MIN_HALF_FLIGHT {
            let z = [from, from + half, from + 2 * half].map(|k| w.samples[k].center.z);
            let (time, sag) = (half as f64 * 1e-3, z[1] - 0.5 * (z[0] + z[2]));
            let expected = 0.5 * GRAVITY * time * time;
            assert!(
                (sag / expected - 1.0).abs() < TOLERANCE,
                "{sag} m of {expected} at {}",
                w.samples[k].time
            );
            flights += 1;
        }
    }
    assert!(flights > 0);
}

#[test]
fn running_has_the_requested_speed_and_a_flight_phase() {
    let (walker, stature) = walker("human-28");
    for (speed, flight) in [(2.0, 0.27), (3.0, 0.34)] {
        let request = PaceRequest { speed: Some(speed), ..PaceRequest::default() };
        let w = done(&walker, &[segment(&walker, stature, Kind::Run, request, 10)]);
        is_physical(&w);
        is_ballistic_in_flight(&w);
        let m = &w.measured;
        assert!((m.speed / speed - 1.0).abs() < TOLERANCE, "{} m/s", m.speed);
        // flight as a fraction of the step
        assert!((2.0 * m.flight - flight).abs() < 0.02, "{}", m.flight);
        assert!((1.8..2.8).contains(&m.load.max), "{} body weights", m.load.max);
        assert!((155.0..185.0).contains(&(60.0 * m.frequency)), "{}", m.frequency);
        assert!(m.double_support == 0.0);
    }
}

#[test]
fn jumps_have_the_requested_height_and_length() {
    for (name, far) in [("human-28", (0.2, 0.4)), ("anthropi-42", (0.1, 0.2))] {
        let (walker, stature) = walker(name);
        for (height, length) in [(0.1, 0.0), far] {
            let w = done(&walker, &[segment(&walker, stature, Kind::Jump, jump(height, length), 1)]);
            is_physical(&w);
            is_ballistic_in_flight(&w);
            let [j] = w.measured.jumps[..] else { panic!("{:?}", w.measured.jumps) };
            assert!((j.height / height - 1.0).abs() < TOLERANCE, "{name}: {} m of {height}", j.height);
            let off = if length > 0.0 { TOLERANCE * length } else { 0.015 };
            assert!((j.length - length).abs() < off, "{name}: {} m of {length}", j.length);
            assert!(w.measured.flight > 0.1 && j.peak < 4.0, "{j:?}");
        }
    }
}

#[test]
fn walks_jumps_and_runs_can_be_combined() {
    let (walker, stature) = walker("human-28");
    let at = |speed: f64| PaceRequest { speed: Some(speed), ..PaceRequest::default() };
    let path = [
        segment(&walker, stature, Kind::Walk, at(1.2), 2),
        segment(&walker, stature, Kind::Jump, jump(0.15, 0.3), 1),
        segment(&walker, stature, Kind::Run, at(2.0), 3),
        segment(&walker, stature, Kind::Walk, at(1.2), 2),
    ];
    let w = done(&walker, &path);
    is_physical(&w);
    assert_eq!(w.measured.jumps.len(), 1);
    assert!((w.measured.jumps[0].height / 0.15 - 1.0).abs() < TOLERANCE);
    let last = w.steps.steps.last().unwrap();
    assert_eq!((w.steps.steps[0].segment, last.segment), (0, 3));
}

#[test]
fn impossible_jumps_are_refused_with_the_limit() {
    let (walker, stature) = walker("human-28");
    let size = walker.stature(stature);
    let message =
        |r: PaceRequest, kind: Kind| Parameters::from_request(r, kind, size).unwrap_err().to_string();
    assert!(message(jump(0.9, 0.0), Kind::Jump).contains("0.4"));
    assert!(message(jump(0.001, 0.0), Kind::Jump).contains("0.03"));
    assert!(message(jump(0.2, 2.0), Kind::Jump).contains("0.8"));
    assert!(message(jump(0.2, -0.1), Kind::Jump).contains("allow 0 to"));
    assert!(message(jump(f64::NAN, 0.0), Kind::Jump).contains("jump height of NaN"));
    let fast = PaceRequest { speed: Some(2.0), ..PaceRequest::default() };
    assert!(message(fast, Kind::Jump).contains("height and a length"));
    let high = PaceRequest { height: Some(0.2), ..PaceRequest::default() };
    assert!(message(high, Kind::Run).contains("is no jump"));
    let turned = Segment { turn: 1.0, ..segment(&walker, stature, Kind::Jump, jump(0.2, 0.0), 1) };
    let refused = walker.walk(&[turned], &WalkSettings::default(), &mut |_| (), &mut |_| ());
    assert!(refused.unwrap_err().to_string().contains("turn before or after"));
}
