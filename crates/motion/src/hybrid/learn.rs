//! What a run teaches: the torques to try next.
//!
//! By the model ([`Law::Model`]). A run gave the real figure the accelerations a under torques tau and ground forces f,
//! all of them known afterwards, so  d = tau + J^T f - need(q, v, a)  is what the assumed figure does not know of the real
//! one, in all coordinates. The next torques are those of  need(wanted) + d,  shared anew with the ground (`need`). With M
//! assumed and M' real, d = (M' - M) a + ... at the motion of the run, and the next motion is off by about
//! M'^-1 (M' - M) times the last error: a tenth for masses a tenth off, without any gain to tune.
//!
//! By feedback ([`Law::Feedback`]), the plain law of iterative learning: tau += what the feedback had to add, a few
//! milliseconds later (feedback lags behind what it corrects), smoothed. It knows no model, and learns more slowly.
//! Source: [L1992 §9.6] proposes the repetition and leaves it open; both laws are textbook forms of it.

use super::Law;
use super::course::Course;
use super::need::Needs;
use super::plant::Run;

/// Smoothing of what feedback added: standard deviation, s...
const SMOOTH: f64 = 0.006;
/// ...and how much later it came than it was needed, s.
const LEAD: f64 = 0.008;
/// Standard deviations after which the bell is cut.
const CUT: f64 = 4.0;

/// Torques after a run under `torques`.
pub(super) fn next(
    law: Law,
    course: &Course,
    needs: &mut Needs,
    run: &Run,
    torques: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    match law {
        Law::Model => by_model(course, needs, run, torques),
        Law::Feedback => by_feedback(course.dt, run, torques),
    }
}

fn by_model(course: &Course, needs: &mut Needs, run: &Run, torques: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let nv = torques.first().map_or(0, Vec::len);
    let (mut known, mut next) = (vec![0.0; nv], torques.to_vec());
    for (n, instant) in course.instants.iter().enumerate().take(run.a.len()) {
        let (q, v, a) = (&run.q[n], &run.v[n], &run.a[n]);
        needs.of(q, v, a, &mut known);
        let mut unknown: Vec<f64> = (0..nv).map(|k| torques[n][k] + run.fed_back[n][k] - known[k]).collect();
        needs.add_forces(course, [q, v], &instant.on, (&run.forces[n], 1.0), &mut unknown);
        needs.of(&instant.q, &instant.v, &instant.a, &mut next[n]);
        next[n].iter_mut().zip(&unknown).for_each(|(need, d)| *need += d);
        needs.share(course, n, &mut next[n]);
    }
    next
}

fn by_feedback(dt: f64, run: &Run, torques: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (lead, reach) = ((LEAD / dt).round() as isize, (CUT * SMOOTH / dt).ceil() as isize);
    let bell: Vec<f64> =
        (-reach..=reach).map(|k| libm::exp(-0.5 * (k as f64 * dt / SMOOTH).powi(2))).collect();
    let whole: f64 = bell.iter().sum();
    let last = run.fed_back.len() as isize - 1;
    let mut next = torques.to_vec();
    for (n, tau) in next.iter_mut().enumerate() {
        for (weight, k) in bell.iter().zip(-reach..=reach) {
            let from = (n as isize + lead + k).clamp(0, last) as usize;
            tau.iter_mut().zip(&run.fed_back[from]).for_each(|(t, f)| *t += weight / whole * f);
        }
    }
    next
}
