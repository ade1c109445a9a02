//! The job `filter`.

use super::certify::{CERTIFICATE, LAMPS, MOTION};
use super::find::Entry;
use super::job::{BatchRequest, Column, ColumnType, Job, JobKind, Row, fill};
use super::{make_folder_of, write};
use crate::assessment::{filter_and_assess, save};
use crate::loaded_motion;
use crate::report::filter::page;
use anthropi_formats::Error;
use serde_json::json;
use std::path::PathBuf;

/// Folder of the filtered motions.
const MOTIONS: &str = "motions";

/// Columns about falls and tracking, and their places in the JSON of `filter`.
const TRACKING: [(&str, ColumnType, &str); 6] = [
    ("fell", ColumnType::Flag, "/fell"),
    ("fell_at_s", ColumnType::Number, "/fell_at_s"),
    ("joint_rms_deg", ColumnType::Number, "/tracking/joint_rms_deg"),
    ("joint_max_deg", ColumnType::Number, "/tracking/joint_max_deg"),
    ("root_rms_m", ColumnType::Number, "/tracking/root_rms_m"),
    ("link_rms_m", ColumnType::Number, "/tracking/link_rms_m"),
];
/// Columns of the tracking protocol, and their places in the JSON of `filter`.
const PROTOCOL: [(&str, ColumnType, &str); 5] = [
    ("success", ColumnType::Flag, "/protocol/success"),
    ("max_error_m", ColumnType::Number, "/protocol/max_m"),
    ("g_mpjpe_mm", ColumnType::Number, "/protocol/g_mpjpe_mm"),
    ("e_vel_mm", ColumnType::Number, "/protocol/e_vel_mm"),
    ("e_acc_mm", ColumnType::Number, "/protocol/e_acc_mm"),
];
/// Columns of the assistance: largest force, body weights, and part of the frames with any; 0 without assistance.
const ASSIST: [(&str, ColumnType, &str); 2] = [
    ("assist_peak_bw", ColumnType::Number, "/assist/peak_bw"),
    ("assist_fraction", ColumnType::Number, "/assist/fraction"),
];
/// Prefix of the columns of the filtered motion.
const OUTPUT: &str = "output_";

/// Filters each motion.
pub struct Filter {
    pub request: BatchRequest,
    pub out: PathBuf,
}

impl Filter {
    fn motion(&self, entry: &Entry) -> PathBuf {
        self.out.join(MOTIONS).join(format!("{}.bvh", entry.output))
    }
}

impl Job for Filter {
    fn name(&self) -> &'static str {
        JobKind::Filter.name()
    }

    fn columns(&self) -> Vec<Column> {
        let input = MOTION.iter().chain(&CERTIFICATE).chain(&TRACKING).map(|c| Column::new("", c));
        let output = CERTIFICATE.iter().map(|c| Column::new(OUTPUT, c));
        let protocol = PROTOCOL.iter().chain(&ASSIST).chain(&LAMPS).map(|c| Column::new("", c));
        input.chain(output).chain(protocol).collect()
    }

    fn outputs(&self, entry: &Entry) -> Vec<PathBuf> {
        [self.motion(entry)].into_iter().chain(self.request.page(entry, &self.out)).collect()
    }

    fn run(&self, entry: &Entry) -> Result<Row, Error> {
        let BatchRequest { options, subject, forces, filter, .. } = &self.request;
        let input = entry.input()?;
        let loaded = loaded_motion::load(input, options, subject)?;
        let outcome = filter_and_assess(input, &loaded, forces, filter, &mut |_, _| (), &mut |_| ())?;
        let out = self.motion(entry);
        make_folder_of(&out)?;
        save(&loaded, &outcome, &out)?;
        if let Some(path) = self.request.page(entry, &self.out) {
            write(&path, &page(&outcome))?;
        }
        let result = json!(outcome.result());
        let mut row = Row::new();
        fill(&mut row, "", &MOTION, &result);
        fill(&mut row, "", &CERTIFICATE, &result["input"]);
        fill(&mut row, "", &TRACKING, &result);
        fill(&mut row, OUTPUT, &CERTIFICATE, &result["output"]);
        fill(&mut row, "", &PROTOCOL, &result);
        fill(&mut row, "", &ASSIST, &result);
        fill(&mut row, "", &LAMPS, &result);
        Ok(row)
    }
}
