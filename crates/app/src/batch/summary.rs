//! Summary of a batch: counts, verdicts, falls and the worst clips.

use super::job::{JobKind, Row, has_fallen, text};
use super::order::worst_first;
use super::protocol::ProtocolSummary;
use super::{OK, REFUSED};
use crate::result::Verdict;
use serde::Serialize;

/// Number of worst clips.
const WORST: usize = 10;

/// Result of `batch`.
#[derive(Clone, Debug, Serialize)]
pub struct BatchSummary {
    /// number of clips
    pub clips: usize,
    /// clips processed by this run
    pub done: usize,
    /// clips processed by earlier runs
    pub skipped: usize,
    /// clips without a result
    pub failed: usize,
    /// clips without a result that would fail again
    pub refused: usize,
    /// wall time, s
    pub seconds: f64,
    /// path, status and error of each clip without a result
    pub failures: Vec<Row>,
    /// verdicts of the inputs
    pub verdicts: VerdictCounts,
    /// the worst clips, some columns of each
    pub worst: Vec<Row>,
    /// clips that fell; only for `filter`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fell: Option<usize>,
    /// verdicts of the filtered motions; only for `filter`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_verdicts: Option<VerdictCounts>,
    /// success and error of tracking; only for `filter`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProtocolSummary>,
}

/// Number of clips by verdict.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct VerdictCounts {
    /// consistent clips
    pub consistent: usize,
    /// other clips
    #[serde(rename = "not consistent")]
    pub not_consistent: usize,
}

impl BatchSummary {
    /// The summary of all rows, `done` of them by this run.
    pub fn new(rows: &[Row], done: usize, seconds: f64, job: JobKind) -> BatchSummary {
        let is_filtered = job == JobKind::Filter;
        let (good, bad): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row["status"] == OK);
        let verdicts = |column: &str| {
            let count = |v: Verdict| good.iter().filter(|row| text(row, column) == v.word()).count();
            VerdictCounts {
                consistent: count(Verdict::Consistent),
                not_consistent: count(Verdict::NotConsistent),
            }
        };
        let why = ["path", "verdict", "residual_force_rms_bw", "worst_finding", "worst_what"];
        let tracking = ["fell", "fell_at_s", "joint_rms_deg", "root_rms_m", "output_verdict"];
        let protocol = ["success", "max_error_m", "g_mpjpe_mm"];
        let columns = if is_filtered { [&why[..], &tracking, &protocol].concat() } else { why.to_vec() };
        BatchSummary {
            clips: rows.len(),
            done,
            skipped: rows.len() - done,
            failed: bad.len(),
            refused: bad.iter().filter(|row| row["status"] == REFUSED).count(),
            seconds,
            failures: bad.iter().map(|row| some(row, &["path", "status", "error"])).collect(),
            verdicts: verdicts("verdict"),
            worst: worst_clips(rows, job).into_iter().map(|row| some(row, &columns)).collect(),
            fell: is_filtered.then(|| good.iter().filter(|row| has_fallen(row)).count()),
            output_verdicts: is_filtered.then(|| verdicts("output_verdict")),
            protocol: is_filtered.then(|| ProtocolSummary::new(rows)),
        }
    }
}

/// Some columns of a row.
fn some(row: &Row, names: &[&str]) -> Row {
    names.iter().map(|name| ((*name).into(), row.get(*name).cloned().unwrap_or_default())).collect()
}

/// The worst clips with a result, in the order of the index; of certified clips only the inconsistent ones.
pub fn worst_clips(rows: &[Row], job: JobKind) -> Vec<&Row> {
    let is_listed = |row: &&Row| {
        row["status"] == OK && (job == JobKind::Filter || text(row, "verdict") != Verdict::Consistent.word())
    };
    worst_first(rows, job).into_iter().filter(is_listed).take(WORST).collect()
}
