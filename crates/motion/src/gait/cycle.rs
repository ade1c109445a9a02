//! A cycle, from a foot's landing to its next: the mean of all steady ones.

use super::measure::Sample;
use super::walk::Walked;

/// Parts into which a cycle is cut.
const PARTS: usize = 100;

impl Walked {
    /// Times from landing to landing of a foot (0 left, 1 right) over steady steps, with when it leaves the ground between, s.
    pub fn cycles(&self, side: usize) -> Vec<[f64; 3]> {
        let steps = &self.steps.steps;
        let end = self.samples.last().map_or(0.0, |s| s.time);
        let all = steps.iter().zip(steps.iter().skip(2));
        all.filter(|(a, b)| a.side == side && a.is_steady && b.is_steady && b.land < end)
            .map(|(a, b)| [a.land, b.lift, b.land])
            .collect()
    }

    /// Mean over the cycles of a foot of what is measured at each per cent; empty where there is no cycle.
    pub fn mean_cycle(&self, side: usize, of: impl Fn(&Sample) -> f64) -> Vec<(f64, f64)> {
        let cycles = self.cycles(side);
        let at = |t: f64| {
            let k = self.samples.partition_point(|s| s.time < t).min(self.samples.len() - 1);
            of(&self.samples[k])
        };
        let value = |part: usize| {
            let share = part as f64 / PARTS as f64;
            let sum: f64 = cycles.iter().map(|[from, _, to]| at(from + share * (to - from))).sum();
            (100.0 * share, sum / cycles.len() as f64)
        };
        if cycles.is_empty() { Vec::new() } else { (0..=PARTS).map(value).collect() }
    }
}
