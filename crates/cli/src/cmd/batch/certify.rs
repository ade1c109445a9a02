//! The job `certify`.

use super::certificate;
use super::find::Entry;
use super::job::{Column, Job, Kind, Row};
use crate::args::BatchArgs;
use crate::cmd::{certify, inverse};
use anthropi_io::load;
use anthropi_io::report::{Report, page};
use anthropi_motion::certificate::Certificate;
use anyhow::Context;
use std::fs;
use std::path::PathBuf;

/// Folder of the pages.
const PAGES: &str = "pages";

/// Columns of the motion itself, as the JSON of `certify` has them.
pub const MOTION: [(&str, Kind); 3] =
    [("frames", Kind::Whole), ("fps", Kind::Number), ("duration_s", Kind::Number)];

/// Could a person have moved so?
pub struct Certify<'a> {
    args: &'a BatchArgs,
}

impl<'a> Certify<'a> {
    pub fn new(args: &'a BatchArgs) -> Certify<'a> {
        Certify { args }
    }
}

impl Job for Certify<'_> {
    fn name(&self) -> &'static str {
        "certify"
    }

    fn columns(&self) -> Vec<Column> {
        let motion = MOTION.iter().map(|(name, kind)| Column { name: (*name).into(), kind: *kind });
        motion.chain(certificate::columns("")).collect()
    }

    fn outputs(&self, entry: &Entry) -> Vec<PathBuf> {
        let page = || entry.output(&self.args.out.join(PAGES), "html");
        self.args.pages.then(page).into_iter().collect()
    }

    fn run(&self, entry: &Entry) -> anyhow::Result<Row> {
        let BatchArgs { motion, person, force, .. } = self.args;
        let input = entry.path.to_str().context("its name is not UTF-8")?;
        let (inverse, notes) = inverse::forces(input, motion, person, force, None)?;
        let certificate = Certificate::of(&inverse);
        for path in self.outputs(entry) {
            let report =
                Report { name: &entry.name, inverse: &inverse, certificate: &certificate, notes: &notes };
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            load::replace(&path, page(&report).as_bytes())?;
        }
        let told = certify::to_json(&inverse, &certificate, &notes);
        let mut row: Row = MOTION.iter().map(|(name, _)| ((*name).into(), told[*name].clone())).collect();
        certificate::put(&mut row, "", &told);
        Ok(row)
    }
}
