//! The job `certify`, and the columns of a certificate.

use super::find::Entry;
use super::job::{BatchRequest, Column, ColumnType, Job, JobKind, Row, fill};
use super::write;
use crate::assessment::assess;
use crate::loaded_motion;
use crate::report::page;
use anthropi_formats::Error;
use serde_json::json;
use std::path::PathBuf;

/// Columns of the motion, and their places in the JSON of `certify` and `filter`.
pub const MOTION: [(&str, ColumnType, &str); 3] = [
    ("frames", ColumnType::Whole, "/frames"),
    ("fps", ColumnType::Number, "/fps"),
    ("duration_s", ColumnType::Number, "/duration_s"),
];

/// Columns of a certificate, and their places in the JSON of `certify`. A list is counted.
pub const CERTIFICATE: [(&str, ColumnType, &str); 26] = [
    ("mass_kg", ColumnType::Number, "/figure/mass_kg"),
    ("stature_m", ColumnType::Number, "/figure/stature_m"),
    ("dof", ColumnType::Whole, "/figure/dof"),
    ("cutoff_hz", ColumnType::Number, "/cutoff/hz"),
    ("verdict", ColumnType::Text, "/verdict"),
    ("residual_force_rms_N", ColumnType::Number, "/root_residual/force_rms_N"),
    ("residual_force_peak_N", ColumnType::Number, "/root_residual/force_peak_N"),
    ("residual_force_rms_bw", ColumnType::Number, "/root_residual/force_rms_bw"),
    ("residual_moment_rms_Nm", ColumnType::Number, "/root_residual/moment_rms_Nm"),
    ("residual_moment_peak_Nm", ColumnType::Number, "/root_residual/moment_peak_Nm"),
    ("contact_frames", ColumnType::Whole, "/contact/frames"),
    ("normal_violations", ColumnType::Whole, "/contact/normal_violations"),
    ("friction_violations", ColumnType::Whole, "/contact/friction_violations"),
    ("cop_outside", ColumnType::Whole, "/contact/cop_outside"),
    ("unsupported", ColumnType::Whole, "/contact/unsupported"),
    ("penetration_max_m", ColumnType::Number, "/contact/penetration_max_m"),
    ("skate_mean_m_per_s", ColumnType::Number, "/contact/skate_mean_m_per_s"),
    ("grf_peak_bw", ColumnType::Number, "/grf/peak_bw"),
    ("torque_peak_Nm", ColumnType::Number, "/torque_peak_Nm"),
    ("torque_peak_joint", ColumnType::Text, "/torque_peak/joint"),
    ("power_peak_W", ColumnType::Number, "/power_peak_W"),
    ("power_peak_joint", ColumnType::Text, "/power_peak/joint"),
    ("findings", ColumnType::Whole, "/findings"),
    ("worst_finding", ColumnType::Text, "/findings/0/fault"),
    ("worst_severity", ColumnType::Number, "/findings/0/severity"),
    ("worst_what", ColumnType::Text, "/findings/0/what"),
];

/// Columns of the lamps, and their places in the JSON of `certify` and `filter`. Certificates have no lamp `faithful`.
pub const LAMPS: [(&str, ColumnType, &str); 3] = [
    ("physical", ColumnType::Text, "/lamps/physical/state"),
    ("faithful", ColumnType::Text, "/lamps/faithful/state"),
    ("certain", ColumnType::Text, "/lamps/certain/state"),
];

/// Assesses each motion.
pub struct Certify {
    pub request: BatchRequest,
    pub out: PathBuf,
}

impl Job for Certify {
    fn name(&self) -> &'static str {
        JobKind::Certify.name()
    }

    fn columns(&self) -> Vec<Column> {
        MOTION.iter().chain(&CERTIFICATE).chain(&LAMPS).map(|c| Column::new("", c)).collect()
    }

    fn outputs(&self, entry: &Entry) -> Vec<PathBuf> {
        self.request.page(entry, &self.out).into_iter().collect()
    }

    fn run(&self, entry: &Entry) -> Result<Row, Error> {
        let BatchRequest { options, subject, forces, .. } = &self.request;
        let input = entry.input()?;
        let loaded = loaded_motion::load(input, options, subject)?;
        let assessment = assess(input, &loaded, forces, &mut |_| ())?;
        for path in self.outputs(entry) {
            write(&path, &page(&entry.name, &assessment))?;
        }
        let result = json!(assessment.result());
        let mut row = Row::new();
        fill(&mut row, "", &MOTION, &result);
        fill(&mut row, "", &CERTIFICATE, &result);
        fill(&mut row, "", &LAMPS, &result);
        Ok(row)
    }
}
