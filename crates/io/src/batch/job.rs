//! What a batch does with each clip: the seam at which jobs are added.
//!
//! A job is a file here with a type that implements [`Job`], a word in [`What`], and a line in [`Asked::job`]. It reads its
//! clip, writes outputs where [`Entry::output`] says, and hands back values for its columns; finding, threads, panics, the
//! journal, resuming and the tables are none of its business.

use super::certify::Certify;
use super::filter::Filter;
use super::find::Entry;
use super::hash::Fnv;
use crate::error::Error;
use crate::moving::Who;
use crate::{load, motion, shelf};
use anthropi_motion::{filter, inverse};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Values of a clip by the names of columns; what is not there is missing in the tables.
pub type Row = Map<String, Value>;

/// What values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// words
    Text,
    /// any number
    Number,
    /// without fractions
    Whole,
    /// true or false
    Flag,
}

/// A column of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// its name
    pub name: String,
    /// what its values are
    pub kind: Kind,
}

/// Work on one clip after the other, by many threads at once.
pub trait Job: Send + Sync {
    /// The word people choose it by.
    fn name(&self) -> &'static str;

    /// What it tells of a clip, in the order of the tables.
    fn columns(&self) -> Vec<Column>;

    /// What it writes for a clip; a clip is done only while all of it is there.
    fn outputs(&self, entry: &Entry) -> Vec<PathBuf>;

    /// Does the work; the row has values for [`Job::columns`] only.
    ///
    /// # Errors
    /// What the row tells instead.
    fn run(&self, entry: &Entry) -> Result<Row, Error>;
}

/// A text of a row; what is not there is empty.
pub fn word<'a>(row: &'a Row, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A number of a row, where it has one.
pub fn number(row: &Row, name: &str) -> Option<f64> {
    row.get(name).and_then(Value::as_f64)
}

/// What is done with each clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// could a person have moved so?
    Certify,
    /// the nearest motion that physics allows
    Filter,
}

/// A job, with all that decides what comes out but for the clip itself.
#[derive(Clone, Debug)]
pub struct Asked {
    /// what is done
    pub what: What,
    /// whether a page is written for each clip
    pub pages: bool,
    /// who moves
    pub who: Who,
    /// what motion files do not say
    pub options: motion::Options,
    /// how forces are found
    pub forces: inverse::Settings,
    /// how motions are filtered
    pub filter: filter::Settings,
}

impl Asked {
    /// A job with everything as usual.
    pub fn new(what: What) -> Asked {
        Asked {
            what,
            pages: false,
            who: Who::default(),
            options: motion::Options::default(),
            forces: inverse::Settings::default(),
            filter: filter::Settings::default(),
        }
    }

    /// The job itself; outputs go to `out`.
    pub fn job(&self, out: &Path) -> Box<dyn Job> {
        let (asked, out) = (self.clone(), out.to_path_buf());
        match self.what {
            What::Certify => Box::new(Certify::new(asked, out)),
            What::Filter => Box::new(Filter::new(asked, out)),
        }
    }

    /// Fingerprint of all that decides what comes out: options, and the content of files they name.
    ///
    /// # Errors
    /// Files that are not there, a figure that cannot be had: every clip would say so.
    pub fn settings(&self) -> Result<Fnv, Error> {
        let Asked { what, who, options, forces, filter, .. } = self;
        let how =
            (filter.mode, filter.solver, filter.strength, forces.smoothing, forces.friction, forces.ground);
        let mut hash = Fnv::default().then(format!("{:?}", (what, how, who, options)).as_bytes());
        if let Some(figure) = &who.figure {
            load::named(figure)?;
            if shelf::find(shelf::FIGURES, figure).is_none() {
                hash = hash.then(&load::bytes(Path::new(figure))?);
            }
        }
        for file in who.parts.iter().chain(&options.skeleton) {
            hash = hash.then(&load::bytes(file)?);
        }
        Ok(hash)
    }
}
