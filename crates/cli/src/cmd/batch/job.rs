//! What a batch does with each clip: the seam at which jobs are added.
//!
//! A job is a file here with a type that implements [`Job`], a word in `args::JobWord`, and a line in [`of`]. It reads its
//! clip, writes outputs where [`Entry::output`] says, and hands back values for its columns; finding, threads, panics, the
//! journal, resuming and the tables are none of its business.

use super::certify::Certify;
use super::filter::Filter;
use super::find::Entry;
use super::hash::Fnv;
use crate::args::{BatchArgs, HowArgs, JobWord};
use crate::source;
use anthropi_io::{builtin, load};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Values of a clip by the names of columns; what is not there is missing in the tables.
pub type Row = Map<String, Value>;

/// What values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Whole,
    /// true or false
    Flag,
}

/// A column of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

/// Work on one clip after the other, by many threads at once.
pub trait Job: Sync {
    /// The word people choose it by.
    fn name(&self) -> &'static str;

    /// What it tells of a clip, in the order of the tables.
    fn columns(&self) -> Vec<Column>;

    /// What it writes for a clip; a clip is done only while all of it is there.
    fn outputs(&self, entry: &Entry) -> Vec<PathBuf>;

    /// Does the work; the row has values for [`Job::columns`] only.
    fn run(&self, entry: &Entry) -> anyhow::Result<Row>;
}

/// The job that was asked for.
pub fn of(args: &BatchArgs) -> Box<dyn Job + '_> {
    match args.job {
        JobWord::Certify => Box::new(Certify::new(args)),
        JobWord::Filter => Box::new(Filter::new(args)),
    }
}

/// Fingerprint of all that decides what comes out, but for the clip itself: options, and the content of files they name.
///
/// # Errors
/// Files that are not there, a figure that cannot be had: every clip would say so.
pub fn settings(args: &BatchArgs) -> anyhow::Result<Fnv> {
    let BatchArgs { how, force, person, motion, job, .. } = args;
    // said or not, the same mode is the same work
    let how = HowArgs { mode: Some(how.mode()), ..*how };
    let mut hash = Fnv::new().then(format!("{:?}", (job, how, force, person, motion)).as_bytes());
    if let Some(figure) = &person.figure {
        source::load(figure)?;
        if builtin::figure(figure).is_none() {
            hash = hash.then(&load::bytes(Path::new(figure))?);
        }
    }
    for file in person.parts.iter().chain(&motion.asf) {
        hash = hash.then(&load::bytes(file)?);
    }
    Ok(hash)
}
