//! Data sets: a job for every motion in folders, and one table of results. The command line and Python run the clips, in
//! many threads or processes; they share the search, the rows, the journal and the tables.
//!
//! | part | contents |
//! |---|---|
//! | `find` | finds the motions and names them |
//! | `job` | the interface of jobs, and their settings |
//! | `certify`, `filter` | the jobs |
//! | `guard` | turns panics into errors of their clip |
//! | `journal` | finished rows, kept through a crash |
//! | `table` | CSV and Parquet |
//! | `protocol` | success and error of tracking, over all clips |
//! | `order` | the order of the lists: worst first |
//! | `summary` | counts and worst clips |
//! | `index` | HTML index of the pages |
//! | `hash` | fingerprints |
//!
//! [`Work`] makes the row of a clip and needs only the clip, so it can run in any process; one [`Run`] writes the folder of
//! results.

mod certify;
mod filter;
mod find;
mod guard;
mod hash;
mod index;
mod job;
mod journal;
mod order;
mod protocol;
mod summary;
mod table;

pub use find::{Entry, entries};
pub use index::INDEX;
pub use job::{BatchRequest, JobKind, Row, number, text};
pub use protocol::ProtocolSummary;
pub use summary::{BatchSummary, VerdictCounts, worst_clips};

use anthropi_formats::Error;
use anthropi_formats::file;
use anthropi_formats::motion::Options;
use guard::keep_panics_quiet;
use job::Job;
use journal::{Clip, Journal};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// File name of the journal.
const JOURNAL: &str = "journal.jsonl";
/// Rows of another version are not reused.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Stack of worker threads, bytes: that of the main thread on Linux, so that deeply nested files can be read.
pub const STACK: usize = 8 << 20;

/// Status of a row with a result.
pub const OK: &str = "ok";
/// Status of a clip that cannot be read or assessed, and would fail again.
pub const REFUSED: &str = "refused";
/// Status after an error of the file system or the program: the clip is tried again.
pub const FAILED: &str = "failed";

/// A job that makes the row of a clip.
pub struct Work {
    job: Box<dyn Job>,
    settings: String,
    options: Options,
    has_pages: bool,
}

impl Work {
    /// The requested job; outputs go to `out`.
    ///
    /// # Errors
    /// Missing files among the options, a figure that cannot be loaded.
    pub fn new(request: &BatchRequest, out: &Path) -> Result<Work, Error> {
        let settings = request.fingerprint()?.to_string();
        let work = Work::with_job(request.job(out), settings, request.options.clone());
        Ok(Work { has_pages: request.pages, ..work })
    }

    fn with_job(job: Box<dyn Job>, settings: String, options: Options) -> Work {
        keep_panics_quiet();
        Work { job, settings, options, has_pages: false }
    }

    /// The row of a clip, with an error or a result.
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

    /// The row of a clip whose worker process died; `what` is the error.
    pub fn lost(&self, entry: &Entry, what: &str) -> Row {
        let content = entry.content(&self.options).map_or(Value::Null, |hash| hash.to_string().into());
        self.head(entry, content, Some(&Error::Internal { what: what.into() }))
    }

    /// The first columns of every row.
    fn head(&self, entry: &Entry, content: Value, error: Option<&Error>) -> Row {
        // the same message wherever the folder is
        let message = |e: &Error| e.to_string().replace(&entry.path.display().to_string(), &entry.name);
        let row = json!({
            "path": entry.name, "content": content, "job": self.job.name(), "settings": self.settings,
            "version": VERSION, "status": error.map_or(OK, status), "error": error.map(message),
        });
        row.as_object().cloned().unwrap_or_default()
    }
}

/// Status for an error.
fn status(error: &Error) -> &'static str {
    if matches!(error, Error::File { .. } | Error::Internal { .. }) { FAILED } else { REFUSED }
}

/// A run that writes a folder of results, and holds its lock.
pub struct Run {
    out: PathBuf,
    journal: Journal,
    /// rows of earlier runs
    before: HashMap<Clip, Row>,
    /// warnings about the journal
    pub warnings: Vec<String>,
}

impl Run {
    /// Starts a run; a resumed run reuses the rows of earlier ones.
    ///
    /// # Errors
    /// Errors of the file system; another run in the same folder.
    pub fn begin(work: &Work, out: &Path, is_resumed: bool) -> Result<Run, Error> {
        fs::create_dir_all(out).map_err(|source| Error::File { file: out.display().to_string(), source })?;
        let journal = Journal::open(&out.join(JOURNAL))?;
        // we hold the lock: no other run writes here
        file::remove_unfinished(out);
        let same = [("job", work.job.name()), ("settings", &work.settings), ("version", VERSION)];
        let (before, warnings) = if is_resumed { journal.rows(&same)? } else { Default::default() };
        Ok(Run { out: out.to_path_buf(), journal, before, warnings })
    }

    /// The row of an earlier run, if it is still valid.
    pub fn done_before(&self, work: &Work, entry: &Entry) -> Option<&Row> {
        if self.before.is_empty() {
            return None;
        }
        let content = entry.content(&work.options).ok()?.to_string();
        let row = self.before.get(&(entry.name.clone(), content))?;
        let is_done = match row.get("status")?.as_str()? {
            OK => {
                let has_columns = work.job.columns().iter().all(|c| row.contains_key(&c.name));
                has_columns && work.job.outputs(entry).iter().all(|path| path.exists())
            }
            status => status == REFUSED,
        };
        is_done.then_some(row)
    }

    /// Writes a row to the journal and to disk.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn keep(&self, row: &Row) -> Result<(), Error> {
        self.journal.add(row)
    }

    /// Sorts the rows by path and writes the tables, and the index if the clips have pages.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn finish(&self, work: &Work, rows: &mut [Row]) -> Result<(), Error> {
        rows.sort_by(|a, b| a["path"].as_str().cmp(&b["path"].as_str()));
        table::write(&self.out, work.job.columns(), rows)?;
        if work.has_pages { index::write(&self.out, rows) } else { Ok(()) }
    }
}

/// Creates the folder of a file.
fn make_folder_of(path: &Path) -> Result<(), Error> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.map_err(|source| Error::File { file: path.display().to_string(), source })
}

/// Writes a file, and creates its folder.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    make_folder_of(path)?;
    file::replace(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::job::{Column, ColumnType};
    use super::*;
    use std::io;

    /// Panics at one clip, and cannot open another.
    struct Faulty;

    impl Job for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }

        fn columns(&self) -> Vec<Column> {
            vec![Column { name: "fell".into(), kind: ColumnType::Flag }]
        }

        fn outputs(&self, _: &Entry) -> Vec<PathBuf> {
            Vec::new()
        }

        fn run(&self, entry: &Entry) -> Result<Row, Error> {
            match entry.name.as_str() {
                "panics.bvh" => panic!("on purpose"),
                "locked.bvh" => {
                    let source = io::Error::from(io::ErrorKind::PermissionDenied);
                    Err(Error::File { file: "locked.bvh".into(), source })
                }
                "wrong.bvh" => Err(Error::NoModel { file: "wrong.bvh".into() }),
                _ => Ok(Row::from_iter([("fell".into(), true.into())])),
            }
        }
    }

    #[test]
    fn a_fault_in_one_clip_leaves_the_others_and_is_retried() {
        let folder = std::env::temp_dir().join(format!("anthropi-batch-{}", std::process::id()));
        let out = folder.join("out");
        fs::create_dir_all(&folder).unwrap();
        for name in ["fine.bvh", "locked.bvh", "panics.bvh", "wrong.bvh"] {
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

    /// Rows of a resumed run, and the number of clips processed by it.
    fn all(folder: &Path, out: &Path) -> (Vec<Row>, usize) {
        let work = Work::with_job(Box::new(Faulty), String::new(), Options::default());
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
