//! The job `filter`.

use super::certificate;
use super::certify::MOTION;
use super::find::Entry;
use super::index::PAGES;
use super::job::{Asked, Column, Job, Kind, Row};
use super::make_room;
use crate::error::Error;
use crate::judging::{Judged, filter_json, save};
use crate::report::filter::page;
use crate::{load, moving};
use std::path::PathBuf;

/// Folder of the motions.
const MOTIONS: &str = "motions";

/// Columns about the way there, and where they are in the JSON of `filter`.
const WAY: [(&str, Kind, &str); 6] = [
    ("fell", Kind::Flag, "/fell"),
    ("fell_at_s", Kind::Number, "/fell_at_s"),
    ("joint_rms_deg", Kind::Number, "/tracking/joint_rms_deg"),
    ("joint_max_deg", Kind::Number, "/tracking/joint_max_deg"),
    ("root_rms_m", Kind::Number, "/tracking/root_rms_m"),
    ("link_rms_m", Kind::Number, "/tracking/link_rms_m"),
];
/// Before the columns of the filtered motion.
const OUTPUT: &str = "output_";

/// The nearest motion that physics allows.
pub struct Filter {
    asked: Asked,
    out: PathBuf,
}

impl Filter {
    pub fn new(asked: Asked, out: PathBuf) -> Filter {
        Filter { asked, out }
    }

    fn motion(&self, entry: &Entry) -> PathBuf {
        entry.output(&self.out.join(MOTIONS), "bvh")
    }

    fn page(&self, entry: &Entry) -> Option<PathBuf> {
        self.asked.pages.then(|| entry.output(&self.out.join(PAGES), "html"))
    }
}

impl Job for Filter {
    fn name(&self) -> &'static str {
        "filter"
    }

    fn columns(&self) -> Vec<Column> {
        let own = |name: &str, kind: Kind| Column { name: name.into(), kind };
        let motion = MOTION.iter().map(|(name, kind)| own(name, *kind));
        let way = WAY.iter().map(|(name, kind, _)| own(name, *kind));
        motion.chain(certificate::columns("")).chain(way).chain(certificate::columns(OUTPUT)).collect()
    }

    fn outputs(&self, entry: &Entry) -> Vec<PathBuf> {
        [self.motion(entry)].into_iter().chain(self.page(entry)).collect()
    }

    fn run(&self, entry: &Entry) -> Result<Row, Error> {
        let Asked { options, who, forces, filter, .. } = &self.asked;
        let input = entry.input()?;
        let moving = moving::load(input, options, who)?;
        let judged = Judged::of(input, &moving, forces, filter, &mut |_, _| (), &mut |_| ())?;
        let out = self.motion(entry);
        make_room(&out)?;
        save(&moving, &judged, &out)?;
        if let Some(path) = self.page(entry) {
            make_room(&path)?;
            load::replace(&path, page(&judged.report()).as_bytes())?;
        }
        let told = filter_json(&judged);
        let mut row: Row = MOTION.iter().map(|(name, _)| ((*name).into(), told[*name].clone())).collect();
        certificate::put(&mut row, "", &told["input"]);
        row.extend(
            WAY.iter().map(|(name, _, at)| ((*name).into(), told.pointer(at).cloned().unwrap_or_default())),
        );
        certificate::put(&mut row, OUTPUT, &told["output"]);
        Ok(row)
    }
}
