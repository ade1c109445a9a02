//! Intervals in which assistance keeps the figure up.

use super::super::{section, table};
use crate::assessment::FilterOutcome;
use crate::assessment::assistance::body_weights;
use anthropi_formats::names::counted;
use std::fmt::Write;

/// Most rows of the table.
const ROWS: usize = 50;

/// Writes the section, if there is assistance.
pub fn write(out: &mut String, outcome: &FilterOutcome) {
    let report = outcome.filtered.assist_report();
    if !report.is_used() {
        return;
    }
    section(out, "assistance", "Assistance");
    let weight = outcome.input.inverse.weight();
    let _ = writeln!(
        out,
        "<p>Ground contact and joints alone cannot keep the figure up. A limited external force and moment at the centre of mass \
         help for {:.2} s, in {:.1} % of the frames, with up to {} body weights ({:.0} N) and {} body weights \u{d7} m. The motion \
         is not physical there.</p>",
        report.duration,
        100.0 * report.fraction,
        body_weights(report.peak_bw),
        report.peak_bw * weight,
        body_weights(report.peak_moment_bw_m)
    );
    let start = outcome.time(0);
    let shown = report.intervals.iter().take(ROWS);
    table(
        out,
        &["from, s", "to, s", "largest force, body weights"],
        shown.map(|i| {
            vec![format!("{:.2}", start + i.from), format!("{:.2}", start + i.to), body_weights(i.peak_bw)]
        }),
    );
    if report.intervals.len() > ROWS {
        let more = counted(report.intervals.len() - ROWS, "interval");
        let _ = writeln!(out, "<p class=\"note\">Left out: {more}.</p>");
    }
    out.push_str("</section>\n");
}
