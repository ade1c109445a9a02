//! What the lamps of a certificate depend on: smoothing must not empty a motion, and estimated soles widen two limits.

use crate::certificate::{changed, simulated, window};
use anthropi_motion::Error;
use anthropi_motion::assumption::{Assumption, SOLE_UNCERTAINTY};
use anthropi_motion::certificate::{Certificate, Fault, Finding};
use anthropi_motion::clip::Clip;
use anthropi_motion::inverse::{Inverse, Options, Smoothing};
use anthropi_motion::lamps::LampState;

/// Index of the root's height in q.
const HEIGHT: usize = 2;
/// Cut-offs from absurd to harmless, Hz.
const CUTOFFS: [f64; 16] =
    [1e-6, 1e-3, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0];

fn at(clip: &Clip, cutoff: f64) -> Result<Certificate, Error> {
    let options = Options { smoothing: Smoothing::At(cutoff), ..Options::default() };
    Ok(Certificate::from_inverse(&Inverse::from_clip(clip, &options, &mut |_| {})?))
}

/// The motions that no person can make, each with a name.
fn impossible() -> [(&'static str, Clip); 5] {
    let stand = simulated();
    let with = |change: &dyn Fn(f64, &mut [f64])| changed(&stand, stand.dt(), change);
    [
        ("hovers 20 cm for a second", with(&|t, q| q[HEIGHT] += 0.2 * window(t, 0.5, 1.5))),
        ("hovers 7 cm for half a second", with(&|t, q| q[HEIGHT] += 0.07 * window(t, 0.7, 1.2))),
        ("bounces by 4 cm three times a second", with(&|t, q| q[HEIGHT] += 0.04 * (18.85 * t).sin())),
        (
            "bounces for half a second",
            with(&|t, q| q[HEIGHT] += 0.04 * window(t, 0.7, 1.2) * (25.0 * t).sin()),
        ),
        ("slides by 30 cm", with(&|t, q| q[0] += 0.6 * (t - 0.8).clamp(0.0, 0.5))),
    ]
}

#[test]
fn no_cutoff_makes_an_impossible_motion_consistent() {
    for (what, clip) in impossible() {
        let mut refused = 0;
        for cutoff in CUTOFFS {
            match at(&clip, cutoff) {
                Err(Error::CutoffTooLow { least, .. }) => {
                    refused += 1;
                    assert!(least > cutoff, "{what}: at least {least} instead of {cutoff} Hz");
                }
                Err(other) => panic!("{what}: {other}"),
                Ok(certificate) => {
                    assert!(!certificate.is_consistent, "{what} at {cutoff} Hz");
                    assert_eq!(certificate.physical().state, LampState::Red, "{what} at {cutoff} Hz");
                }
            }
        }
        assert!(refused >= 4, "{what}: {refused} refused");
    }
}

#[test]
fn the_least_cutoff_is_accepted_and_the_error_gives_the_reason() {
    for (what, clip) in impossible() {
        let Err(error @ Error::CutoffTooLow { .. }) = at(&clip, 0.7) else { panic!("{what}") };
        let text = error.to_string();
        let Error::CutoffTooLow { cutoff, least, .. } = error else { unreachable!("matched above") };
        assert_eq!(cutoff, 0.7);
        assert!(text.contains("0.7 Hz") && text.contains(&format!("at least {least} Hz")), "{text}");
        assert!(text.contains("move the links by") || text.contains("hide a force of"), "{text}");
        assert!(at(&clip, least).is_ok(), "{what}: {text}");
        assert!((0.7..=6.0).contains(&least), "{what}: {least}");
    }
    // quiet standing may be smoothed a lot, but not away
    let stand = simulated();
    assert!(at(&stand, 1.0).unwrap().is_consistent);
    let text = at(&stand, 1e-6).unwrap_err().to_string();
    assert!(text.contains("period is longer than the motion, 1.99 s"), "{text}");
}

#[test]
fn smoothing_that_moves_the_figure_is_a_fault() {
    let stand = simulated();
    let certificate = at(&stand, 6.0).unwrap();
    assert!(certificate.is_consistent);
    // a shake of 10 Hz and 9 cm: 6 Hz is never refused, but it is not overlooked
    let shaken = changed(&stand, stand.dt(), |t, q| q[1] += 0.09 * (62.8 * t).sin());
    let certificate = at(&shaken, 6.0).unwrap();
    let found = certificate.findings.iter().any(|f| f.fault == Fault::Smoothing);
    assert!(!certificate.is_consistent && found, "{:?}", certificate.findings);
}

#[test]
fn estimated_soles_widen_the_limits_of_pressure_and_moment_only() {
    let stand = simulated();
    let inverse = Inverse::from_clip(&stand, &Options::default(), &mut |_| {}).unwrap();
    let strict = Certificate::from_inverse(&inverse);
    let wide = Certificate::with_estimated_soles(&inverse);
    assert_eq!((strict.sole_uncertainty, wide.sole_uncertainty), (0.0, SOLE_UNCERTAINTY));
    let weight = inverse.weight();
    assert!((wide.moment_limit - strict.moment_limit - 0.03 * weight).abs() < 1e-9 * weight);
    // a motion that is consistent anyway does not depend on it
    assert!(strict.is_consistent && wide.is_consistent && wide.within_uncertainty().is_none());
    assert_eq!(strict.certain(&[]).state, LampState::Green);
    assert_eq!(wide.certain(&[Assumption::Soles]).state, LampState::Amber);
    // faults that have nothing to do with soles stay
    for (what, clip) in impossible() {
        let inverse = Inverse::from_clip(&clip, &Options::default(), &mut |_| {}).unwrap();
        let certificate = Certificate::with_estimated_soles(&inverse);
        assert!(!certificate.is_consistent && certificate.within_uncertainty().is_none(), "{what}");
    }
}

/// The stand, with both feet pitched by an angle for half a second, toes down.
fn pitched(angle: f64) -> Clip {
    let stand = simulated();
    let figure = stand.figure().clone();
    let ankle = |name| figure.forest().joint_place(figure.find_joint(name).expect("an ankle")).iq;
    let ankles = ["left_ankle", "right_ankle"].map(ankle);
    changed(&stand, stand.dt(), |t, q| ankles.iter().for_each(|k| q[*k] += angle * window(t, 0.7, 1.2)))
}

#[test]
fn tilted_soles_may_be_deeper_by_the_uncertainty_of_their_edges() {
    let mut stages = Vec::new();
    for step in 0..24 {
        let clip = pitched(0.02 * f64::from(step));
        let inverse = Inverse::from_clip(&clip, &Options::default(), &mut |_| {}).unwrap();
        let is_deep = |f: &Finding| f.fault == Fault::Penetration;
        let strict = Certificate::from_inverse(&inverse);
        let wide = Certificate::with_estimated_soles(&inverse);
        let [found, explained] = [&wide.findings, &wide.explained].map(|list| list.iter().any(is_deep));
        assert_eq!(strict.findings.iter().any(is_deep), found || explained, "step {step}");
        assert!(strict.explained.is_empty() && !(found && explained), "step {step}");
        for f in wide.findings.iter().chain(&wide.explained).filter(|f| is_deep(f)) {
            assert!(f.size > 0.03 && (f.size < 0.06 || found), "{f:?}");
        }
        assert_eq!(strict.contact, wide.contact, "measures do not change, only limits");
        stages.push(if found { 2 } else { i32::from(explained) });
    }
    assert!(stages.is_sorted() && [0, 1, 2].iter().all(|s| stages.contains(s)), "{stages:?}");
}

#[test]
fn a_verdict_that_needs_the_uncertainty_says_so() {
    let inverse = Inverse::from_clip(&simulated(), &Options::default(), &mut |_| {}).unwrap();
    let mut certificate = Certificate::with_estimated_soles(&inverse);
    let soles = [Assumption::Soles];
    assert_eq!(certificate.certain(&soles).reason, "soles are estimated");
    // a moment between the tolerance and the widened limit
    certificate.residual.moment_rms = 0.9 * certificate.moment_limit;
    let lamp = certificate.certain(&soles);
    assert!(certificate.is_consistent && certificate.physical().state == LampState::Green);
    assert_eq!(lamp.state, LampState::Amber);
    assert!(
        lamp.reason.starts_with("consistent within the uncertainty of the model: the residual moment is"),
        "{lamp:?}"
    );
    // a doubtful unit of length outweighs it
    assert_eq!(certificate.certain(&[Assumption::Unit, Assumption::Soles]).state, LampState::Red);
}
