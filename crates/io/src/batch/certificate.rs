//! A certificate in columns.

use super::job::{Column, Kind, Row};
use serde_json::Value;

/// Columns, and where they are in the JSON of `certify`; of a list, how long it is.
const FIELDS: [(&str, Kind, &str); 26] = [
    ("mass_kg", Kind::Number, "/figure/mass_kg"),
    ("stature_m", Kind::Number, "/figure/stature_m"),
    ("dof", Kind::Whole, "/figure/dof"),
    ("cutoff_hz", Kind::Number, "/cutoff/hz"),
    ("verdict", Kind::Text, "/verdict"),
    ("residual_force_rms_N", Kind::Number, "/root_residual/force_rms_N"),
    ("residual_force_peak_N", Kind::Number, "/root_residual/force_peak_N"),
    ("residual_force_rms_bw", Kind::Number, "/root_residual/force_rms_bw"),
    ("residual_moment_rms_Nm", Kind::Number, "/root_residual/moment_rms_Nm"),
    ("residual_moment_peak_Nm", Kind::Number, "/root_residual/moment_peak_Nm"),
    ("contact_frames", Kind::Whole, "/contact/frames"),
    ("normal_violations", Kind::Whole, "/contact/normal_violations"),
    ("friction_violations", Kind::Whole, "/contact/friction_violations"),
    ("cop_outside", Kind::Whole, "/contact/cop_outside"),
    ("unsupported", Kind::Whole, "/contact/unsupported"),
    ("penetration_max_m", Kind::Number, "/contact/penetration_max_m"),
    ("skate_mean_m_per_s", Kind::Number, "/contact/skate_mean_m_per_s"),
    ("grf_peak_bw", Kind::Number, "/grf/peak_bw"),
    ("torque_peak_Nm", Kind::Number, "/torque_peak_Nm"),
    ("torque_peak_joint", Kind::Text, "/torque_peak/joint"),
    ("power_peak_W", Kind::Number, "/power_peak_W"),
    ("power_peak_joint", Kind::Text, "/power_peak/joint"),
    ("findings", Kind::Whole, "/findings"),
    ("worst_finding", Kind::Text, "/findings/0/fault"),
    ("worst_severity", Kind::Number, "/findings/0/severity"),
    ("worst_what", Kind::Text, "/findings/0/what"),
];

/// Columns of a certificate; `before` tells those of several apart.
pub fn columns(before: &str) -> impl Iterator<Item = Column> {
    FIELDS.iter().map(move |(name, kind, _)| Column { name: format!("{before}{name}"), kind: *kind })
}

/// Puts a certificate, in the JSON of `certify`, into a row.
pub fn put(row: &mut Row, before: &str, certificate: &Value) {
    for (name, _, place) in FIELDS {
        let value = match certificate.pointer(place) {
            Some(Value::Array(list)) => list.len().into(),
            Some(value) => value.clone(),
            None => Value::Null,
        };
        row.insert(format!("{before}{name}"), value);
    }
}
