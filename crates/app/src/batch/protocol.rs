//! Success and error of a filtered data set by the protocol of learned motion trackers
//! (`anthropi_motion::tracking_protocol`).

use super::job::{Row, number};
use anthropi_formats::names::counted;
use anthropi_motion::tracking_protocol::{SAMPLE_RATE, SUCCESS_LIMIT};
use serde::Serialize;
use serde_json::Value;

/// Limited help: at most this force, body weights,
pub const MAX_HELP: f64 = 0.3;
/// in at most this part of the frames.
pub const MAX_HELPED_PART: f64 = 0.05;
/// Help up to this is rounding, body weights.
const NO_HELP: f64 = 1e-9;

/// Tracking of all clips of a data set. Clips without a result are failures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProtocolSummary {
    /// number of clips
    pub clips: usize,
    /// successful clips without help from outside
    pub success: usize,
    /// successful clips with no or limited help: at most 0.3 body weights in at most 5 % of the frames
    pub success_with_help: usize,
    /// successful clips with no help or any
    pub success_with_any_help: usize,
    /// mean G-MPJPE of the successful clips, mm
    pub g_mpjpe_mm: Option<f64>,
    /// mean velocity error of the successful clips, mm per frame at 30 frames per second
    pub e_vel_mm: Option<f64>,
    /// mean acceleration error of the successful clips, mm per frame squared
    pub e_acc_mm: Option<f64>,
}

impl ProtocolSummary {
    /// The summary of the rows of job `filter`.
    pub fn new(rows: &[Row]) -> ProtocolSummary {
        let good: Vec<&Row> = rows.iter().filter(|row| is_tracked(row)).collect();
        let count = |is: &dyn Fn(&Row) -> bool| good.iter().filter(|row| is(row)).count();
        let mean = |column: &str| {
            let values: Vec<f64> = good.iter().filter_map(|row| number(row, column)).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        ProtocolSummary {
            clips: rows.len(),
            success: count(&|row| help(row) <= NO_HELP),
            success_with_help: count(&|row| help(row) <= MAX_HELP && helped_part(row) <= MAX_HELPED_PART),
            success_with_any_help: good.len(),
            g_mpjpe_mm: mean("g_mpjpe_mm"),
            e_vel_mm: mean("e_vel_mm"),
            e_acc_mm: mean("e_acc_mm"),
        }
    }

    /// Number of successful clips as text; with and without help if there was any.
    pub fn success_text(&self) -> String {
        let part = |n: usize| format!("({:.1} %)", 100.0 * n as f64 / self.clips.max(1) as f64);
        let alone = format!("{} of {} {}", self.success, counted(self.clips, "clip"), part(self.success));
        if self.success_with_any_help == self.success {
            return format!("{alone}, no fall and joint error within {SUCCESS_LIMIT} m");
        }
        format!(
            "{alone} without help, {} {} with at most {MAX_HELP} BW in at most {:.0} % of the frames, {} {} with any help",
            self.success_with_help,
            part(self.success_with_help),
            100.0 * MAX_HELPED_PART,
            self.success_with_any_help,
            part(self.success_with_any_help)
        )
    }

    /// Errors of the successful clips as text; `None` without any.
    pub fn error_text(&self) -> Option<String> {
        let mean_error = self.g_mpjpe_mm?;
        let shown = |x: Option<f64>| x.map_or("\u{2013}".into(), |x| format!("{x:.2}"));
        Some(format!(
            "G-MPJPE {mean_error:.1} mm, E_vel {} mm/frame, E_acc {} mm/frame^2 at {SAMPLE_RATE} frames per second \
             (successful clips)",
            shown(self.e_vel_mm),
            shown(self.e_acc_mm)
        ))
    }
}

/// Whether a clip has a result and was tracked successfully.
pub fn is_tracked(row: &Row) -> bool {
    row.get("success").and_then(Value::as_bool).unwrap_or(false)
}

/// Largest force of the help, body weights.
fn help(row: &Row) -> f64 {
    number(row, "assist_peak_bw").unwrap_or(0.0)
}

/// Part of the frames with help.
fn helped_part(row: &Row) -> f64 {
    number(row, "assist_fraction").unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(value: &Value) -> Row {
        value.as_object().unwrap().clone()
    }

    fn tracked(error: f64, help: f64, part: f64) -> Row {
        row(&json!({ "status": "ok", "success": true, "g_mpjpe_mm": error, "e_vel_mm": 2.0 * error,
            "e_acc_mm": error / 10.0, "assist_peak_bw": help, "assist_fraction": part }))
    }

    #[test]
    fn only_successful_clips_have_errors_and_clips_without_a_result_fail() {
        let lost = row(&json!({ "status": "ok", "success": false, "g_mpjpe_mm": 900.0 }));
        let refused = row(&json!({ "status": "refused", "error": "the file is empty" }));
        let got = ProtocolSummary::new(&[tracked(20.0, 0.0, 0.0), lost, tracked(30.0, 0.0, 0.0), refused]);
        assert_eq!((got.clips, got.success, got.success_with_help, got.success_with_any_help), (4, 2, 2, 2));
        assert_eq!((got.g_mpjpe_mm, got.e_vel_mm, got.e_acc_mm), (Some(25.0), Some(50.0), Some(2.5)));
        assert_eq!(got.success_text(), "2 of 4 clips (50.0 %), no fall and joint error within 0.5 m");
        assert_eq!(
            got.error_text().unwrap(),
            "G-MPJPE 25.0 mm, E_vel 50.00 mm/frame, E_acc 2.50 mm/frame^2 at 30 frames per second (successful clips)"
        );
    }

    #[test]
    fn help_counts_by_force_and_by_time() {
        let rows = [
            tracked(20.0, 0.0, 0.0),
            tracked(20.0, 0.3, 0.05),
            tracked(20.0, 0.31, 0.01),
            tracked(20.0, 0.1, 0.06),
        ];
        let got = ProtocolSummary::new(&rows);
        assert_eq!((got.success, got.success_with_help, got.success_with_any_help), (1, 2, 4));
        assert_eq!(
            got.success_text(),
            "1 of 4 clips (25.0 %) without help, 2 (50.0 %) with at most 0.3 BW in at most 5 % of the frames, \
             4 (100.0 %) with any help"
        );
    }

    #[test]
    fn without_a_success_there_is_no_error() {
        let got = ProtocolSummary::new(&[row(&json!({ "status": "failed" }))]);
        assert_eq!((got.success, got.g_mpjpe_mm, got.error_text()), (0, None, None));
    }
}
