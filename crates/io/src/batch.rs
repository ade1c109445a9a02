//! A data set: a job for every motion in folders, and one table of what came out. Whoever runs the clips, many at once,
//! here or elsewhere, shares what is found, what a row is, what need not be repeated, and the tables.
//!
//! | part | what it does |
//! |---|---|
//! | `find` | which motions are meant, and what they are called |
//! | `job` | what is done with each: the seam for more jobs |
//! | `certify`, `filter` | the jobs; `certificate`: a certificate's numbers in columns |
//! | `guard` | panics as errors of their clip |
//! | `journal` | rows that are done, safe from being killed |
//! | `table` | rows as CSV and Parquet |
//! | `index` | the page that leads to the pages of all clips |
//! | `hash` | fingerprints |
//!
//! [`Work`] makes a row of a clip and needs nothing but the clip, so it may run in any process; [`Run`] belongs to the one
//! who writes the folder of results.

mod certificate;
mod certify;
mod filter;
mod find;
mod guard;
mod hash;
mod index;
mod job;
mod journal;
mod table;

pub use find::{Entry, entries};
pub use guard::keep_panics_quiet;
pub use hash::Fnv;
pub use index::INDEX;
pub use job::{Asked, Column, Job, Kind, Row, What, number, word};

use crate::error::Error;
use crate::load;
use crate::motion::Options;
use journal::{Clip, Journal};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// File of the journal.
const JOURNAL: &str = "journal.jsonl";
/// Rows of another version are done again.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Stack of a thread that works on clips, bytes: that of the main thread on Linux, so that what is read there is read here.
pub const STACK: usize = 8 << 20;

/// A row has what a job tells.
pub const OK: &str = "ok";
/// The file cannot be read or judged: it would be so again.
pub const REFUSED: &str = "refused";
/// The file system or the program is to blame: it may be better next time.
pub const FAILED: &str = "failed";

/// What is done with each clip.
pub struct Work {
    job: Box<dyn Job>,
    settings: String,
    options: Options,
    has_pages: bool,
}

impl Work {
    /// As it is asked for; outputs go to `out`.
    ///
    /// # Errors
    /// Files among the options that are not there.
    pub fn of(asked: &Asked, out: &Path) -> Result<Work, Error> {
        let settings = asked.settings()?.to_string();
        Ok(Work { has_pages: asked.pages, ..Work::new(asked.job(out), settings, asked.options.clone()) })
    }

    fn new(job: Box<dyn Job>, settings: String, options: Options) -> Work {
        keep_panics_quiet();
        Work { job, settings, options, has_pages: false }
    }

    /// The row of a clip; what goes wrong is in it.
    pub fn row(&self, entry: &Entry) -> Row {
        let started = Instant::now();
        let content = entry.content(&self.options).map(|hash| hash.to_string());
        let shown = content.as_ref().map_or(Value::Null, |hash| hash.as_str().into());
        let result = content.and_then(|_| guard::run(|| self.job.run(entry)));
        let mut row = self.head(entry, shown, result.as_ref().err());
        row.insert("wall_s".into(), started.elapsed().as_secs_f64().into());
        row.extend(result.unwrap_or_default());
        row
    }

    /// The row of a clip that nobody could work on: who did is gone, and `what` is all that is known.
    pub fn lost(&self, entry: &Entry, what: &str) -> Row {
        let content = entry.content(&self.options).map_or(Value::Null, |hash| hash.to_string().into());
        self.head(entry, content, Some(&Error::Fault { what: what.into() }))
    }

    /// What every row begins with.
    fn head(&self, entry: &Entry, content: Value, error: Option<&Error>) -> Row {
        // the same words wherever the folder is
        let said = |e: &Error| e.to_string().replace(&entry.path.display().to_string(), &entry.name);
        let row = json!({
            "path": entry.name, "content": content, "job": self.job.name(), "settings": self.settings,
            "version": VERSION, "status": error.map_or(OK, status), "error": error.map(said),
        });
        row.as_object().cloned().unwrap_or_default()
    }
}

/// Whose fault it is.
fn status(error: &Error) -> &'static str {
    if matches!(error, Error::File { .. } | Error::Fault { .. }) { FAILED } else { REFUSED }
}

/// A run that writes a folder of results; nobody else writes it meanwhile.
pub struct Run {
    out: PathBuf,
    journal: Journal,
    /// what earlier runs have done
    before: HashMap<Clip, Row>,
    /// what is to be told about the journal
    pub warnings: Vec<String>,
}

impl Run {
    /// Begins, or goes on where earlier runs ended.
    ///
    /// # Errors
    /// What the file system says; another run in the same folder.
    pub fn begin(work: &Work, out: &Path, is_resumed: bool) -> Result<Run, Error> {
        fs::create_dir_all(out).map_err(|source| Error::File { file: out.display().to_string(), source })?;
        let journal = Journal::open(&out.join(JOURNAL))?;
        // whoever wrote here before is gone: the journal is ours
        load::remove_unfinished(out);
        let same = [("job", work.job.name()), ("settings", &work.settings), ("version", VERSION)];
        let (before, warnings) = if is_resumed { journal.rows(&same)? } else { Default::default() };
        Ok(Run { out: out.to_path_buf(), journal, before, warnings })
    }

    /// The row of an earlier run that is as good as a new one.
    pub fn done_before(&self, work: &Work, entry: &Entry) -> Option<&Row> {
        if self.before.is_empty() {
            return None;
        }
        let content = entry.content(&work.options).ok()?.to_string();
        let row = self.before.get(&(entry.name.clone(), content))?;
        let is_done = match row.get("status")?.as_str()? {
            OK => work.job.outputs(entry).iter().all(|path| path.exists()),
            status => status == REFUSED,
        };
        is_done.then_some(row)
    }

    /// Keeps a row; it is on the disk when this returns.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep(&self, row: &Row) -> Result<(), Error> {
        self.journal.add(row)
    }

    /// Writes the tables, rows sorted by path, and the page that leads to the pages of clips, where they have some.
    ///
    /// # Errors
    /// What the file system says.
    pub fn finish(&self, work: &Work, rows: &mut [Row]) -> Result<(), Error> {
        rows.sort_by(|a, b| a["path"].as_str().cmp(&b["path"].as_str()));
        table::write(&self.out, work.job.columns(), rows)?;
        if work.has_pages { index::write(&self.out, rows) } else { Ok(()) }
    }
}

/// The folder of a file.
fn make_room(path: &Path) -> Result<(), Error> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.map_err(|source| Error::File { file: path.display().to_string(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Panics at one clip, and finds one that the file system keeps.
    struct Faulty;

    impl Job for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }

        fn columns(&self) -> Vec<Column> {
            vec![Column { name: "fell".into(), kind: Kind::Flag }]
        }

        fn outputs(&self, _: &Entry) -> Vec<PathBuf> {
            Vec::new()
        }

        fn run(&self, entry: &Entry) -> Result<Row, Error> {
            match entry.name.as_str() {
                "panics.bvh" => panic!("on purpose"),
                "kept.bvh" => {
                    let source = io::Error::from(io::ErrorKind::PermissionDenied);
                    Err(Error::File { file: "kept.bvh".into(), source })
                }
                "wrong.bvh" => Err(Error::NoModel { file: "wrong.bvh".into() }),
                _ => Ok(Row::from_iter([("fell".into(), true.into())])),
            }
        }
    }

    #[test]
    fn a_fault_in_one_clip_stops_no_other_and_is_tried_again() {
        let folder = std::env::temp_dir().join(format!("anthropi-batch-{}", std::process::id()));
        let out = folder.join("out");
        fs::create_dir_all(&folder).unwrap();
        for name in ["fine.bvh", "kept.bvh", "panics.bvh", "wrong.bvh"] {
            fs::write(folder.join(name), name).unwrap();
        }
        let (first, done) = all(&folder, &out);
        assert_eq!((texts(&first, "status"), done), (vec![OK, FAILED, FAILED, REFUSED], 4));
        assert!(texts(&first, "error")[2].contains("on purpose"), "{first:?}");
        assert_eq!(first[0]["fell"], true);
        let (second, done) = all(&folder, &out);
        assert_eq!((texts(&second, "status"), done), (texts(&first, "status"), 2));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// All clips of a resumed run, and how many were done now.
    fn all(folder: &Path, out: &Path) -> (Vec<Row>, usize) {
        let work = Work::new(Box::new(Faulty), String::new(), Options::default());
        let run = Run::begin(&work, out, true).unwrap();
        let mut done = 0;
        let one = |entry: &Entry| {
            run.done_before(&work, entry).cloned().unwrap_or_else(|| {
                done += 1;
                let row = work.row(entry);
                run.keep(&row).unwrap();
                row
            })
        };
        let rows = entries(&[folder.to_str().unwrap().into()], out).unwrap().iter().map(one).collect();
        (rows, done)
    }

    fn texts<'a>(rows: &'a [Row], name: &str) -> Vec<&'a str> {
        rows.iter().map(|row| row[name].as_str().unwrap_or_default()).collect()
    }
}
