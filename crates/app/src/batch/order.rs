//! The order of clips in the index and in the table of the worst clips.

use super::OK;
use super::job::{JobKind, Row, number, text};
use super::protocol::is_tracked;
use std::cmp::Ordering;

/// All clips, worst first: those without a result, then by [`badness`], then by path.
pub fn worst_first(rows: &[Row], job: JobKind) -> Vec<&Row> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|a, b| {
        let by_badness = badness(b, job).partial_cmp(&badness(a, job)).unwrap_or(Ordering::Equal);
        by_badness.then_with(|| text(a, "path").cmp(text(b, "path")))
    });
    sorted
}

/// Filtered clips: failures of the protocol first, then by the largest joint error. Certified clips: by the worst
/// finding, then by the residual force.
fn badness(row: &Row, job: JobKind) -> [f64; 3] {
    let flag = |is: bool| f64::from(u8::from(is));
    let amount = |name: &str| number(row, name).unwrap_or(0.0);
    let has_no_result = flag(row["status"] != OK);
    match job {
        JobKind::Filter => [has_no_result, flag(!is_tracked(row)), amount("max_error_m")],
        JobKind::Certify => [has_no_result, amount("worst_severity"), amount("residual_force_rms_bw")],
    }
}
