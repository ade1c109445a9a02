//! Texts about assistance: how much, when and why.

use super::Assessment;
use super::filter::{BEFORE_FALL, worst_finding};
use anthropi_motion::filter::{AppliedForce, AssistReport, Filtered};
use anthropi_motion::note::Note;

/// Verdict on a filtered motion that is consistent if assistance counts as an applied force.
pub const ASSISTED: &str = "consistent but for assistance";
/// Verdict on a filtered motion that is consistent but far from the given one.
pub const UNFAITHFUL: &str = "consistent but not faithful";
/// Most intervals in a text.
const MAX_SHOWN: usize = 3;

/// Amount and duration of assistance: `up to 0.20 BW for 0.45 s`.
pub fn amount(report: &AssistReport, unit: &str) -> String {
    format!("up to {} {unit} for {:.2} s", body_weights(report.peak_bw), report.duration)
}

/// Intervals of assistance, s; of many only the first.
pub fn intervals(report: &AssistReport) -> String {
    let shown = report.intervals.iter().take(MAX_SHOWN);
    let mut text = shown.map(|i| format!("{:.2} to {:.2} s", i.from, i.to)).collect::<Vec<_>>().join(", ");
    if report.intervals.len() > MAX_SHOWN {
        text += &format!(" and {} more", report.intervals.len() - MAX_SHOWN);
    }
    text
}

/// A force in body weights.
pub fn body_weights(force: f64) -> String {
    match force {
        f if f < 0.001 => format!("{f:.0e}"),
        f if f < 0.1 => format!("{f:.3}"),
        f => format!("{f:.2}"),
    }
}

/// The warning about assistance with its likely cause: a push, or the worst finding of the input, shortly before.
pub(super) fn note(filtered: &Filtered, pushes: &[AppliedForce], given: &Assessment) -> Option<Note> {
    let report = filtered.assist_report();
    let first = report.intervals.first()?;
    let (from, to) = (first.from - BEFORE_FALL, first.to);
    let cause = if pushes.iter().any(|p| p.from < to && p.to > from) {
        "; a push acts shortly before".into()
    } else {
        worst_finding(given, [from, to], filtered.clip.dt())
            .map_or(String::new(), |f| format!("; input shortly before: {}", f.what))
    };
    Some(Note::warning(format!(
        "without assistance the figure falls: an external force of {} ({}) keeps it up{cause}",
        amount(&report, "body weights"),
        intervals(&report)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_motion::filter::AssistInterval;

    #[test]
    fn many_intervals_are_counted() {
        let one = |n: f64| AssistInterval { from: n, to: n + 0.25, peak_bw: 0.1 };
        let report = |n: u8| AssistReport {
            peak_bw: 0.1,
            duration: 0.25 * f64::from(n),
            intervals: (0..n).map(|n| one(n.into())).collect(),
            ..AssistReport::default()
        };
        assert_eq!(amount(&report(2), "BW"), "up to 0.10 BW for 0.50 s");
        assert_eq!(intervals(&report(2)), "0.00 to 0.25 s, 1.00 to 1.25 s");
        assert_eq!(intervals(&report(5)), "0.00 to 0.25 s, 1.00 to 1.25 s, 2.00 to 2.25 s and 2 more");
        assert_eq!([0.3, 0.0124, 0.0002].map(body_weights), ["0.30", "0.012", "2e-4"]);
    }
}
