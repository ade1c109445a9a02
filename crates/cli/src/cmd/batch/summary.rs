//! The summary of a batch as text.

use crate::report;
use anthropi_app::batch::{
    BatchRequest, BatchSummary, INDEX, JobKind, ProtocolSummary, Row, VerdictCounts, number, text,
    worst_clips,
};
use anthropi_app::result::Verdict;
use anthropi_formats::names::counted;
use std::fmt::Write;
use std::path::Path;

/// Most failures in the text; the tables have all.
const SHOWN: usize = 20;

/// The summary as text.
pub fn to_text(summary: &BatchSummary, rows: &[Row], request: &BatchRequest, out: &Path) -> String {
    let mut lines = format!(
        "{} in {:.1} s: {} done now, {} done before, {} of them without a result -> {}\n",
        counted(summary.clips, "clip"),
        summary.seconds,
        summary.done,
        summary.skipped,
        summary.failed,
        out.display()
    );
    for row in summary.failures.iter().take(SHOWN) {
        let (path, error) = (text(row, "path"), text(row, "error"));
        // most errors name their file
        let error = if error.contains(path) { error.into() } else { format!("{path}: {error}") };
        let _ = writeln!(lines, "  {}  {error}", text(row, "status"));
    }
    if summary.failed > SHOWN {
        let _ = writeln!(lines, "  and {} more (results.csv has all)", summary.failed - SHOWN);
    }
    if summary.failed < summary.clips {
        lines.push_str(&verdicts(summary));
        lines.push_str(&worst(rows, request.what));
        if request.pages {
            let _ = writeln!(lines, "\nreports: open {} in a browser", out.join(INDEX).display());
        }
    }
    lines
}

fn verdicts(summary: &BatchSummary) -> String {
    let counts =
        |v: &VerdictCounts| format!("{} consistent with physics, {} not", v.consistent, v.not_consistent);
    match (&summary.output_verdicts, summary.fell) {
        (Some(output), Some(fell)) => format!(
            "input: {}\nfiltered: {} without a fall, {fell} fell; {}\n{}",
            counts(&summary.verdicts),
            summary.clips - summary.failed - fell,
            counts(output),
            summary.protocol.as_ref().map_or_else(String::new, protocol)
        ),
        _ => format!("{}\n", counts(&summary.verdicts)),
    }
}

/// Success and error of tracking.
fn protocol(protocol: &ProtocolSummary) -> String {
    let error = protocol.error_text().map_or_else(String::new, |error| format!("tracking error: {error}\n"));
    format!("tracking success: {}\n{error}", protocol.success_text())
}

fn worst(rows: &[Row], job: JobKind) -> String {
    let worst = worst_clips(rows, job);
    if worst.is_empty() {
        return String::new();
    }
    let is_filtered = job == JobKind::Filter;
    let header: &[&str] = match is_filtered {
        true => &[
            "worst",
            "fell at, s",
            "max, m",
            "mean, mm",
            "joints, deg",
            "root, cm",
            "residual, BW",
            "worst finding of the input",
        ],
        false => &["worst", "relative to limit", "residual, BW", "worst finding"],
    };
    let mut table = report::table(header);
    if let Some(last) = table.column_mut(header.len() - 1) {
        last.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    for row in worst {
        let amount = |name: &str| number(row, name).unwrap_or(0.0);
        let severity = amount("worst_severity");
        let numbers = match is_filtered {
            true => vec![
                number(row, "fell_at_s").map_or("-".into(), |t| format!("{t:.2}")),
                format!("{:.2}", amount("max_error_m")),
                format!("{:.1}", amount("g_mpjpe_mm")),
                format!("{:.1}", amount("joint_rms_deg")),
                format!("{:.1}", 100.0 * amount("root_rms_m")),
            ],
            false => vec![if severity > 0.0 { format!("{severity:.1}") } else { "-".into() }],
        };
        let residual = format!("{:.3}", amount("residual_force_rms_bw"));
        let finding = match (text(row, "worst_finding"), text(row, "worst_what")) {
            ("", _) if text(row, "verdict") == Verdict::Consistent.word() => "none".into(),
            ("", _) => "residual force throughout".into(),
            (fault, what) => format!("{fault}: {what}"),
        };
        let cells = [text(row, "path").to_string()].into_iter().chain(numbers);
        table.add_row(cells.chain([residual, finding]));
    }
    format!("\n{table}\n")
}
