//! The job of a batch: work on each clip.
//!
//! To add a job, implement [`Job`] in a file here, and add a variant to [`JobKind`] and a line to [`BatchRequest::job`]. A
//! job reads its clip, writes its outputs and returns a row; search, threads, panics, journal, resume and tables are
//! handled around it.

use super::certify::Certify;
use super::filter::Filter;
use super::find::Entry;
use super::hash::Fnv;
use super::index::PAGES;
use crate::builtin;
use crate::loaded_motion::SubjectOptions;
use crate::resolve::{self, ItemKind};
use anthropi_formats::Error;
use anthropi_formats::file;
use anthropi_formats::motion;
use anthropi_motion::{filter, inverse};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Values of a clip by column name; absent values are empty in the tables.
pub type Row = Map<String, Value>;

/// Type of the values in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// text
    Text,
    /// floating-point number
    Number,
    /// integer
    Whole,
    /// true or false
    Flag,
}

/// A column of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// its name
    pub name: String,
    /// type of its values
    pub kind: ColumnType,
}

impl Column {
    /// The column of a field, with a prefix before its name.
    pub(super) fn new(prefix: &str, (name, kind, _): &(&str, ColumnType, &str)) -> Column {
        Column { name: format!("{prefix}{name}"), kind: *kind }
    }
}

/// Fills the columns of some fields from their places (JSON pointers) in a result.
pub(super) fn fill(row: &mut Row, prefix: &str, fields: &[(&str, ColumnType, &str)], result: &Value) {
    for (name, _, place) in fields {
        let value = match result.pointer(place) {
            Some(Value::Array(list)) => list.len().into(),
            Some(value) => value.clone(),
            None => Value::Null,
        };
        row.insert(format!("{prefix}{name}"), value);
    }
}

/// Work on clips, one at a time in each of many threads.
pub trait Job: Send + Sync {
    /// Name of the job in options and tables.
    fn name(&self) -> &'static str;

    /// Columns of its rows, in the order of the tables.
    fn columns(&self) -> Vec<Column>;

    /// Files it writes for a clip. A clip without them is done again.
    fn outputs(&self, entry: &Entry) -> Vec<PathBuf>;

    /// Processes a clip; the row has values for [`Job::columns`] only.
    ///
    /// # Errors
    /// The reason why the clip has no result.
    fn run(&self, entry: &Entry) -> Result<Row, Error>;
}

/// A text of a row; empty if absent.
pub fn text<'a>(row: &'a Row, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A number of a row.
pub fn number(row: &Row, name: &str) -> Option<f64> {
    row.get(name).and_then(Value::as_f64)
}

/// Whether the filtered clip of a row fell.
pub fn has_fallen(row: &Row) -> bool {
    row.get("fell").and_then(Value::as_bool).unwrap_or(false)
}

/// The jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// assess each motion
    Certify,
    /// filter each motion
    Filter,
}

impl JobKind {
    /// Its name in options and tables.
    pub fn name(self) -> &'static str {
        match self {
            JobKind::Certify => "certify",
            JobKind::Filter => "filter",
        }
    }
}

/// A job with all its settings: together with the clip, they determine the row.
#[derive(Clone, Debug)]
pub struct BatchRequest {
    /// the job
    pub what: JobKind,
    /// whether to write a page per clip
    pub pages: bool,
    /// the subject
    pub subject: SubjectOptions,
    /// reader options
    pub options: motion::Options,
    /// inverse dynamics
    pub forces: inverse::Options,
    /// the filter
    pub filter: filter::FilterSettings,
}

impl BatchRequest {
    /// The job; outputs go to `out`.
    pub(super) fn job(&self, out: &Path) -> Box<dyn Job> {
        let (request, out) = (self.clone(), out.to_path_buf());
        match self.what {
            JobKind::Certify => Box::new(Certify { request, out }),
            JobKind::Filter => Box::new(Filter { request, out }),
        }
    }

    /// Path of the page of a clip, if there are pages.
    pub(super) fn page(&self, entry: &Entry, out: &Path) -> Option<PathBuf> {
        self.pages.then(|| out.join(PAGES).join(format!("{}.html", entry.name)))
    }

    /// Fingerprint of the settings: options, and the content of the files they name.
    ///
    /// # Errors
    /// Missing files, a figure that cannot be loaded: every clip would fail.
    pub(super) fn fingerprint(&self) -> Result<Fnv, Error> {
        let BatchRequest { what, subject, options, forces, filter, .. } = self;
        let how = (filter.mode, filter.solver, filter.strength, filter.max_assist, filter.retimes);
        let how = (how, forces.smoothing, forces.friction, forces.ground, &forces.surroundings);
        let mut hash = Fnv::default().then(format!("{:?}", (what, how, subject, options)).as_bytes());
        if let Some(figure) = &subject.figure {
            resolve::figure(figure)?;
            if builtin::find(ItemKind::Figure, figure).is_none() {
                hash = hash.then(&file::bytes(Path::new(figure))?);
            }
        }
        for file in subject.parts.iter().chain(&options.skeleton) {
            hash = hash.then(&file::bytes(file)?);
        }
        Ok(hash)
    }
}
