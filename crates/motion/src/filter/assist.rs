//! Assistance: a bounded wrench from outside on the whole body, where its contacts cannot keep it up.
//!
//! Computes, about the centre of mass, a force that pulls the capture point back to that of the reference and a moment that
//! brings the angular momentum back, both limited. It acts only where the run allows it (`offline`), and everything it gives
//! is recorded: no motion that needed it counts as consistent.
//! Source: our own; external root forces with a limit, as in the residual force control of learned trackers.
//! Checked by: `tests/it/filter.rs`.

use super::reference::ReferenceSample;
use super::simulated_body::SimulatedBody;
use anthropi_dynamics::spatial::{Force, Vec3};

/// Lever of the largest moment, parts of the standing height.
const LEVER: f64 = 0.1;
/// Capture-point error below which there is no assistance, m.
const DEAD_ZONE: f64 = 0.02;
/// Feedback on the capture-point error, parts of the force with which a pendulum falls.
const FEEDBACK: f64 = 4.0;
/// Gaps between intervals up to this are bridged in reports, s.
const GAP: f64 = 0.1;
/// Forces below this are rounding, body weights.
const ROUNDING: f64 = 1e-9;

/// Frames in which assistance acted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AssistInterval {
    /// start, s
    pub from: f64,
    /// end, s
    pub to: f64,
    /// largest force, body weights
    pub peak_bw: f64,
}

/// Assistance over a whole motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistReport {
    /// largest force, body weights
    pub peak_bw: f64,
    /// largest moment, body weights times metres
    pub peak_moment_bw_m: f64,
    /// part of the frames in which any acts
    pub fraction: f64,
    /// how long any acts, s
    pub duration: f64,
    /// when; short gaps are bridged
    pub intervals: Vec<AssistInterval>,
}

impl AssistReport {
    /// Of the mean wrench in each frame, N and N m, for a figure of this weight, N.
    pub fn from_frames(frames: &[Force], weight: f64, dt: f64) -> AssistReport {
        let force = |f: usize| frames[f].linear.norm() / weight;
        let moment = |f: usize| frames[f].angular.norm() / weight;
        let acts: Vec<bool> = (0..frames.len()).map(|f| force(f).max(moment(f)) > ROUNDING).collect();
        let gap = (GAP / dt) as usize;
        let mut intervals = crate::contact_schedule::intervals(&acts);
        intervals.dedup_by(|later, first| {
            let is_near = later.start - first.end <= gap;
            if is_near {
                first.end = later.end;
            }
            is_near
        });
        // the wrench of a frame acts in the interval before it
        let before = |frame: usize| frame.saturating_sub(1) as f64 * dt;
        let count = acts.iter().filter(|a| **a).count() as f64;
        AssistReport {
            duration: count * dt,
            peak_bw: (0..frames.len()).map(force).fold(0.0, f64::max),
            peak_moment_bw_m: (0..frames.len()).map(moment).fold(0.0, f64::max),
            fraction: count / frames.len().max(1) as f64,
            intervals: intervals
                .into_iter()
                .map(|i| AssistInterval {
                    from: before(i.start),
                    to: before(i.end),
                    peak_bw: i.map(force).fold(0.0, f64::max),
                })
                .collect(),
        }
    }

    /// Whether any acted.
    pub fn is_used(&self) -> bool {
        !self.intervals.is_empty()
    }
}

impl SimulatedBody {
    /// The assistance of a step, about the centre of mass.
    pub(super) fn assist_wrench(&self, reference: &ReferenceSample) -> Force {
        if self.max_assist <= 0.0 {
            return Force::default();
        }
        let (weight, omega) = (self.weight(), self.gains.omega);
        let behind = (reference.com[1] - self.now.velocity).scale(1.0 / omega);
        let error = reference.com[0] - self.now.com + behind;
        let beyond = (1.0 - DEAD_ZONE / error.norm().max(DEAD_ZONE)).max(0.0);
        if beyond == 0.0 {
            return Force::default();
        }
        let force = error.scale(FEEDBACK * beyond * self.figure.mass() * omega * omega);
        let spin = reference.angular_momentum[0] - self.now.angular_momentum;
        let moment = spin.scale(self.gains.angular_momentum);
        let most = self.max_assist * weight;
        let limit = |v: Vec3, max: f64| v.scale((max / v.norm().max(f64::MIN_POSITIVE)).min(1.0));
        Force::new(limit(moment, most * LEVER * self.standing_height()), limit(force, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_bridges_short_gaps_and_knows_the_time_before_each_frame() {
        let acts = |frame: usize| [10, 11, 15, 40].contains(&frame);
        let force =
            |frame| Force::new(Vec3::ZERO, Vec3 { x: 0.0, y: if acts(frame) { 30.0 } else { 0.0 }, z: 0.0 });
        let report = AssistReport::from_frames(&(0..50).map(force).collect::<Vec<_>>(), 100.0, 0.02);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(report.is_used() && near(report.peak_bw, 0.3) && near(report.duration, 0.08));
        let [a, b] = report.intervals[..] else { panic!("{:?}", report.intervals) };
        assert!(
            near(a.from, 0.18) && near(a.to, 0.30) && near(b.from, 0.78) && near(b.to, 0.80),
            "{a:?} {b:?}"
        );
        assert!(!AssistReport::from_frames(&[Force::default(); 5], 100.0, 0.02).is_used());
    }
}
