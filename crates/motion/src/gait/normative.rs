//! Normative hip, knee and ankle angles over the gait cycle at self-selected speed, and the deviation of a walk from them.
//!
//! A cycle runs from one landing of a foot to the next.
//! Source: [S2008: free speed], 83 typically developing subjects; sagittal angles in degrees, rounded to a tenth;
//! flexion and dorsiflexion are positive.

use super::measure::Sample;
use super::walk::WalkResult;
use serde::Serialize;

/// Rows per joint, and per cent of the cycle between rows.
const ROWS: usize = 26;
const ROW_PERCENT: f64 = 4.0;
/// Intervals of a mean cycle.
const CYCLE_INTERVALS: usize = 100;

/// A joint angle over the cycle: mean and standard deviation, degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormativeAngle {
    /// name of the joint
    pub name: &'static str,
    rows: [[f64; 2]; ROWS],
}

/// Hip, knee and ankle.
#[rustfmt::skip]
pub const NORMATIVE: [NormativeAngle; 3] = [
    NormativeAngle { name: "hip", rows: [
        [35.8, 5.4], [35.5, 5.6], [34.2, 5.9], [31.1, 6.0], [26.9, 6.0], [22.5, 6.0], [18.1, 5.9], [13.6, 6.0], [9.3, 6.1],
        [5.3, 6.4], [1.6, 6.7], [-1.7, 6.8], [-4.4, 6.8], [-5.8, 6.8], [-4.9, 6.7], [-0.9, 6.8], [6.1, 6.6], [14.1, 6.3],
        [21.4, 6.0], [27.4, 5.7], [32.0, 5.5], [35.1, 5.4], [36.6, 5.4], [36.5, 5.5], [35.8, 5.5], [35.5, 5.5],
    ] },
    NormativeAngle { name: "knee", rows: [
        [5.6, 5.7], [10.9, 5.6], [16.9, 6.1], [19.3, 6.3], [18.6, 6.2], [16.5, 5.9], [13.9, 5.7], [11.3, 5.5], [9.0, 5.5],
        [7.2, 5.7], [6.2, 5.7], [6.8, 5.7], [9.5, 5.6], [14.5, 5.8], [22.6, 6.2], [33.9, 6.6], [46.3, 6.4], [55.7, 5.7],
        [59.1, 5.9], [56.9, 6.8], [49.8, 7.8], [38.8, 8.5], [25.5, 8.7], [12.5, 8.1], [4.6, 6.6], [5.4, 5.6],
    ] },
    NormativeAngle { name: "ankle", rows: [
        [-2.1, 5.6], [-5.6, 4.8], [-4.1, 4.0], [-0.2, 4.0], [2.9, 4.0], [5.2, 3.8], [6.8, 3.7], [8.0, 3.8], [9.1, 3.9],
        [10.2, 4.1], [11.1, 4.4], [11.8, 4.7], [11.5, 5.2], [8.4, 6.2], [-0.2, 8.3], [-13.8, 9.5], [-19.8, 8.8], [-14.7, 8.2],
        [-7.9, 6.8], [-2.4, 5.7], [1.1, 4.9], [2.5, 4.2], [1.8, 4.1], [0.1, 4.7], [-1.1, 5.3], [-2.3, 5.4],
    ] },
];

impl NormativeAngle {
    /// Mean and standard deviation at a per cent of the cycle, degrees.
    pub fn at(&self, percent: f64) -> [f64; 2] {
        let x = (percent / ROW_PERCENT).clamp(0.0, (ROWS - 1) as f64);
        let n = (x as usize).min(ROWS - 2);
        let ([a, s], [b, t]) = (self.rows[n], self.rows[n + 1]);
        let part = x - n as f64;
        [a + part * (b - a), s + part * (t - s)]
    }
}

/// Deviation of a joint angle from the normative mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Deviation {
    /// name of the joint
    #[serde(skip)]
    pub name: &'static str,
    /// fraction of the cycle within one standard deviation
    pub within_1_sd: f64,
    /// fraction of the cycle within two standard deviations
    pub within_2_sd: f64,
    /// largest deviation from the mean, degrees, signed
    #[serde(rename = "farthest_deg")]
    pub farthest: f64,
    /// its position in the cycle, per cent
    #[serde(rename = "at_percent")]
    pub at: f64,
}

/// Angle of the `joint`-th entry of [`NORMATIVE`] in a sample, degrees.
pub fn angle(sample: &Sample, joint: usize, side: usize) -> f64 {
    [sample.hip, sample.knee, sample.ankle][joint][side].to_degrees()
}

impl WalkResult {
    /// Deviations of hip, knee and ankle over the mean cycles of both legs; empty without a complete cycle.
    pub fn deviations(&self) -> Vec<Deviation> {
        let both = |joint: usize| {
            let legs = [0, 1].map(|side| self.mean_cycle(side, |s| angle(s, joint, side)));
            legs.concat()
        };
        NORMATIVE.iter().enumerate().filter_map(|(joint, normal)| deviations(normal, &both(joint))).collect()
    }

    /// Steady cycles of a foot (0 left, 1 right): times of landing, toe-off and next landing, s.
    pub fn cycles(&self, side: usize) -> Vec<[f64; 3]> {
        let steps = &self.steps.steps;
        let end = self.samples.last().map_or(0.0, |s| s.time);
        let all = steps.iter().zip(steps.iter().skip(2));
        all.filter(|(a, b)| a.side == side && a.is_steady && b.is_steady && b.land < end)
            .map(|(a, b)| [a.land, b.lift, b.land])
            .collect()
    }

    /// Mean of a measure over the cycles of a foot, as (per cent, value); empty without a complete cycle.
    pub fn mean_cycle(&self, side: usize, measure: impl Fn(&Sample) -> f64) -> Vec<(f64, f64)> {
        let cycles = self.cycles(side);
        let at = |t: f64| {
            let k = self.samples.partition_point(|s| s.time < t).min(self.samples.len() - 1);
            measure(&self.samples[k])
        };
        let value = |part: usize| {
            let share = part as f64 / CYCLE_INTERVALS as f64;
            let sum: f64 = cycles.iter().map(|[from, _, to]| at(from + share * (to - from))).sum();
            (100.0 * share, sum / cycles.len() as f64)
        };
        if cycles.is_empty() { Vec::new() } else { (0..=CYCLE_INTERVALS).map(value).collect() }
    }
}

fn deviations(normal: &NormativeAngle, points: &[(f64, f64)]) -> Option<Deviation> {
    let off = points.iter().map(|(percent, angle)| {
        let [mean, deviation] = normal.at(*percent);
        (*percent, angle - mean, deviation)
    });
    let within = |times: f64| {
        let count = off.clone().filter(|(_, off, deviation)| off.abs() <= times * deviation).count();
        count as f64 / points.len() as f64
    };
    let (at, farthest, _) = off.clone().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let (within_1_sd, within_2_sd) = (within(1.0), within(2.0));
    Some(Deviation { name: normal.name, within_1_sd, within_2_sd, farthest, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_itself_has_no_deviation_and_an_offset_is_measured() {
        for normal in &NORMATIVE {
            let mean: Vec<(f64, f64)> = (0..=100).map(f64::from).map(|p| (p, normal.at(p)[0])).collect();
            let found = deviations(normal, &mean).unwrap();
            assert_eq!([found.within_1_sd, found.within_2_sd, found.farthest], [1.0, 1.0, 0.0]);
            let off: Vec<(f64, f64)> = mean.iter().map(|(p, x)| (*p, x - 1.5 * normal.at(*p)[1])).collect();
            let found = deviations(normal, &off).unwrap();
            assert!(found.within_1_sd == 0.0 && found.within_2_sd == 1.0 && found.farthest < 0.0);
        }
        assert_eq!(deviations(&NORMATIVE[0], &[]), None);
        assert!((NORMATIVE[1].at(2.0)[0] - 8.25).abs() < 1e-12 && NORMATIVE[1].at(100.0)[0] == 5.4);
    }
}
