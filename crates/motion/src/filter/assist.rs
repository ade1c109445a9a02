//! Assistance: a bounded wrench from outside on the whole body, where its contacts cannot keep it up.
//!
//! Force and moment about the centre of mass are unknowns of the step (`qp`) beside the contact forces, limited in size and
//! with a price: they act only where the tasks gain more than that, and no more than needed. They are allowed only where the
//! run says so (`offline`), and everything they give is recorded: no motion that needed it counts as consistent.
//! Source: our own; external root forces with a limit, as in the residual force control of learned trackers.
//! Checked by: `tests/it/filter.rs`.

use super::simulated_body::SimulatedBody;
use crate::dual::PricedForce;
use crate::split::balance_rows;
use anthropi_dynamics::spatial::{Force, Vec3};

/// Lever of the largest moment, parts of the standing height.
const LEVER: f64 = 0.1;
/// Price of assistance, and cost of its square, per body weight: in the units of the tasks, where one joint that is off by
/// 1 rad/s2 costs a half.
const PRICE: f64 = 5e4;
const COST: f64 = 1e4;
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
    /// Force and moment about the centre of mass that may act, with their rows in the six balances.
    pub(super) fn priced_assistance(&self) -> impl Iterator<Item = (PricedForce, [Vec3; 6])> {
        let [weight, height] = self.units();
        let of = |unit: f64| PricedForce {
            price: PRICE / unit,
            eps: COST / (unit * unit),
            limit: self.max_assist * unit,
        };
        let rows = balance_rows(Vec3::ZERO);
        let turned = [rows[3], rows[4], rows[5], Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        let both = [(of(weight), rows), (of(weight * LEVER * height), turned)];
        both.into_iter().filter(|_| self.max_assist > 0.0)
    }

    /// Assistance as a wrench on the root body, about its origin.
    pub(super) fn assistance_on_root(&self, assist: Force) -> Force {
        let arm = self.now.arm(self.root, self.now.com);
        Force::new(assist.angular + arm.cross(assist.linear), assist.linear)
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
