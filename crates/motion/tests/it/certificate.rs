//! The certificate names and locates faults added to clean motions.

use anthropi_app::scene;
use anthropi_motion::certificate::{Certificate, Fault, Finding};
use anthropi_motion::clip::Clip;
use anthropi_motion::inverse::{Inverse, Options};
use anthropi_motion::surroundings::Surroundings;
use std::sync::Arc;
use testkit::captured;

/// Index of the root's height in q.
const HEIGHT: usize = 2;

/// A simulated figure swaying on a floor: exact.
pub fn simulated() -> Clip {
    let scene = scene::read(include_str!("../../../app/scenes/stand-28.toml"), "stand-28.toml", None)
        .expect("a scene");
    let mut sim = scene.simulation().expect("it runs");
    let mut q = Vec::new();
    for step in 0..2500 {
        sim.step(1e-3).expect("a step");
        if step >= 500 && step % 8 == 0 {
            q.extend_from_slice(&sim.state().q);
        }
    }
    Clip::new("stand", Arc::new(scene.figure), 8e-3, q).expect("a clip")
}

/// The certificate of a motion on the ground alone: a walk above it could be on steps.
fn certify(clip: &Clip) -> Certificate {
    let options = Options { surroundings: Surroundings::none(), ..Options::default() };
    Certificate::from_inverse(&Inverse::from_clip(clip, &options, &mut |_| {}).expect("forces"))
}

/// The clip with coordinates changed by time, and another time between frames.
pub fn changed(clip: &Clip, dt: f64, change: impl Fn(f64, &mut [f64])) -> Clip {
    let nq = clip.figure().forest().nq();
    let mut q = clip.poses().to_vec();
    q.chunks_exact_mut(nq).enumerate().for_each(|(f, q)| change(clip.time(f), q));
    Clip::new(clip.name.clone(), clip.figure().clone(), dt, q).expect("a clip")
}

/// From 0 to 1 at `from` and back at `to`, smoothly.
pub fn window(t: f64, from: f64, to: f64) -> f64 {
    let x = ((t - from) / 0.1).clamp(0.0, 1.0) * ((to - t) / 0.1).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// The worst finding of a kind that lies within some seconds.
fn found<'a>(clip: &Clip, certificate: &'a Certificate, fault: Fault, from: f64, to: f64) -> &'a Finding {
    let inside = |f: &&Finding| {
        f.fault == fault && clip.time(f.frames.start) >= from - 0.1 && clip.time(f.frames.end) <= to + 0.1
    };
    certificate
        .findings
        .iter()
        .find(inside)
        .unwrap_or_else(|| panic!("no {fault}: {:#?}", certificate.findings))
}

#[test]
fn a_simulated_motion_is_consistent() {
    let certificate = certify(&simulated());
    assert!(certificate.is_consistent, "{:#?}", certificate.findings);
    assert!(certificate.residual.force_rms_bw < 1e-3, "{:?}", certificate.residual);
}

#[test]
fn faults_are_named_and_located() {
    for clip in [Some(simulated()), captured::clip("35_01")].into_iter().flatten() {
        let sunk = changed(&clip, clip.dt(), |t, q| q[HEIGHT] -= 0.07 * window(t, 0.7, 1.4));
        let certificate = certify(&sunk);
        let finding = found(&sunk, &certificate, Fault::Penetration, 0.7, 1.4);
        assert!(finding.size > 0.05, "{finding:?}");
        assert_eq!(certificate.findings[0].fault, Fault::Penetration, "{:#?}", certificate.findings);

        let raised = changed(&clip, clip.dt(), |t, q| q[HEIGHT] += 0.07 * window(t, 0.7, 1.4));
        found(&raised, &certify(&raised), Fault::Float, 0.7, 1.4);

        let hovering = changed(&clip, clip.dt(), |t, q| q[HEIGHT] += 0.2 * window(t, 0.5, 1.5));
        found(&hovering, &certify(&hovering), Fault::Float, 0.5, 1.5);

        // 0.35 m/s along x for half a second
        let sliding = changed(&clip, clip.dt(), |t, q| q[0] += 0.35 * (t - 0.8).clamp(0.0, 0.5));
        let certificate = certify(&sliding);
        let finding = certificate.findings.iter().find(|f| f.fault == Fault::Skate);
        let finding = finding.unwrap_or_else(|| panic!("{:#?}", certificate.findings));
        let (from, to) = (sliding.time(finding.frames.start), sliding.time(finding.frames.end));
        assert!(from < 1.3 && to > 0.8, "{finding:?}");
        assert!(!certificate.is_consistent);
    }
}

#[test]
fn wrong_speed_and_wrong_gravity_are_named() {
    if let Some(walk) = captured::clip("35_01") {
        let certificate = certify(&changed(&walk, 0.5 * walk.dt(), |_, _| {}));
        let first = &certificate.findings[0];
        assert!(first.fault == Fault::Tempo && (1.5..2.5).contains(&first.size), "{first:?}");
        assert!(certify(&walk).findings.iter().all(|f| f.fault != Fault::Tempo));
    }
    if let Some(jump) = captured::clip("13_11") {
        assert!(certify(&jump).findings.iter().all(|f| !matches!(f.fault, Fault::Tempo | Fault::Gravity)));
        for (dt, expected) in [(2f64.sqrt(), 0.5), (0.5, 3.0)] {
            let certificate = certify(&changed(&jump, dt * jump.dt(), |_, _| {}));
            let first = &certificate.findings[0];
            // relative error of gravity
            assert!(
                first.fault == Fault::Gravity && (first.size - expected).abs() < 0.15 * expected,
                "{first:?}"
            );
        }
    }
}

#[test]
fn captured_walks_are_nearly_consistent_and_a_broken_frame_is_found() {
    for name in ["02_01", "02_02", "07_01", "16_15", "16_19", "35_01"] {
        let Some(clip) = captured::clip(name) else { return };
        let residual = certify(&clip).residual;
        assert!(residual.force_rms_bw < 0.04, "{name}: {residual:?}");
    }
    // an arm jumps by 94 degrees in its first frames
    let certificate = certify(&captured::clip("16_15").expect("seen before"));
    assert!(certificate.findings[0].fault == Fault::Discontinuity && certificate.findings[0].worst < 5);
}
