//! The job `certify`.

use super::certificate;
use super::find::Entry;
use super::index::PAGES;
use super::job::{Asked, Column, Job, Kind, Row};
use super::make_room;
use crate::error::Error;
use crate::judging::{self, certificate_json};
use crate::report::{Report, page};
use crate::{load, moving};
use anthropi_motion::certificate::Certificate;
use anthropi_motion::inverse;
use std::path::PathBuf;

/// Columns of the motion itself, as the JSON of `certify` has them.
pub const MOTION: [(&str, Kind); 3] =
    [("frames", Kind::Whole), ("fps", Kind::Number), ("duration_s", Kind::Number)];

/// Could a person have moved so?
pub struct Certify {
    asked: Asked,
    out: PathBuf,
}

impl Certify {
    pub fn new(asked: Asked, out: PathBuf) -> Certify {
        Certify { asked, out }
    }
}

impl Job for Certify {
    fn name(&self) -> &'static str {
        "certify"
    }

    fn columns(&self) -> Vec<Column> {
        let motion = MOTION.iter().map(|(name, kind)| Column { name: (*name).into(), kind: *kind });
        motion.chain(certificate::columns("")).collect()
    }

    fn outputs(&self, entry: &Entry) -> Vec<PathBuf> {
        let page = || entry.output(&self.out.join(PAGES), "html");
        self.asked.pages.then(page).into_iter().collect()
    }

    fn run(&self, entry: &Entry) -> Result<Row, Error> {
        let Asked { options, who, forces, .. } = &self.asked;
        let input = entry.input()?;
        let moving = moving::load(input, options, who)?;
        let settings = inverse::Settings { parts: moving.parts.clone(), ..forces.clone() };
        let inverse = judging::forces(input, &moving, &settings, &mut |_| ())?;
        let (certificate, notes) = (Certificate::of(&inverse), judging::notes(&moving, &inverse));
        for path in self.outputs(entry) {
            let report =
                Report { name: &entry.name, inverse: &inverse, certificate: &certificate, notes: &notes };
            make_room(&path)?;
            load::replace(&path, page(&report).as_bytes())?;
        }
        let told = certificate_json(&inverse, &certificate, &notes);
        let mut row: Row = MOTION.iter().map(|(name, _)| ((*name).into(), told[*name].clone())).collect();
        certificate::put(&mut row, "", &told);
        Ok(row)
    }
}
