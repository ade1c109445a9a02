//! `batch`: a job for every motion in folders, many at once, and one table of what came out.
//!
//! | part | what it does |
//! |---|---|
//! | `find` | which motions are meant, and what they are called |
//! | `job` | what is done with each: the seam for more jobs |
//! | `certify`, `filter` | the jobs; `certificate`: a certificate's numbers in columns |
//! | `guard` | panics as errors of their clip |
//! | `journal` | rows that are done, safe from being killed |
//! | `table` | rows as CSV and Parquet |
//! | `hash`, `bar` | fingerprints; progress |

mod bar;
mod certificate;
mod certify;
mod filter;
mod find;
mod guard;
mod hash;
mod job;
mod journal;
mod table;

use super::Outcome;
use crate::args::BatchArgs;
use crate::{in_one_line, progress, report};
use anyhow::Context;
use bar::Bar;
use find::Entry;
use job::{Job, Row};
use journal::{Clip, Journal};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::time::Instant;

/// File of the journal.
const JOURNAL: &str = "journal.jsonl";
/// Rows of another version are done again.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Stack of a thread, bytes: that of the main thread on Linux, so that what `certify` can read, `batch` can.
const STACK: usize = 8 << 20;
/// So many failures are shown to people; the tables have all.
const SHOWN: usize = 20;

/// A row has what a job tells.
const OK: &str = "ok";
/// The file cannot be read or judged: it would be so again.
const REFUSED: &str = "refused";
/// The file system or the program is to blame: it may be better next time.
const FAILED: &str = "failed";

/// Runs the job over all clips, and writes the tables.
pub fn run(args: &BatchArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let entries = find::entries(&args.inputs, &args.out)?;
    let settings = job::settings(args)?.to_string();
    let job = job::of(args);
    fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    let journal = Journal::open(&args.out.join(JOURNAL))?;
    let before = match args.resume {
        true => journal.rows(&[("job", job.name()), ("settings", &settings), ("version", VERSION)])?,
        false => HashMap::new(),
    };
    // one line for all, not one for each clip
    progress::silence();
    let bar = Bar::new(entries.len(), as_json);
    let batch = Batch { args, job: &*job, settings, journal, before, bar };
    let (rows, done) = batch.all(&entries)?;
    drop(batch);
    table::write(&args.out, job.columns(), &rows)?;
    let summary = Summary { rows: &rows, done, seconds: started.elapsed().as_secs_f64() };
    if as_json {
        report::json(&summary.to_json())?;
    } else {
        report::print(&summary.to_text(args))?;
    }
    Ok(match summary.bad().count() {
        0 => Outcome::Fine,
        n => Outcome::No(format!("{n} of {} clips have no result", rows.len())),
    })
}

/// A run over clips.
struct Batch<'a> {
    args: &'a BatchArgs,
    job: &'a dyn Job,
    settings: String,
    journal: Journal,
    /// what earlier runs have done
    before: HashMap<Clip, Row>,
    bar: Bar,
}

impl Batch<'_> {
    /// Rows of all clips, sorted by path, and how many of them were done now.
    fn all(&self, entries: &[Entry]) -> anyhow::Result<(Vec<Row>, usize)> {
        guard::keep_panics_quiet();
        let threads = self.args.jobs.map_or(0, usize::from);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build()?;
        // large ones first, so that no thread is left alone with one at the end
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|k| Reverse(entries[*k].size));
        let one = |k: usize| self.one(&entries[k]).map(|(row, is_new)| (k, row, is_new));
        let mut rows: Vec<(usize, Row, bool)> =
            pool.install(|| order.into_iter().par_bridge().map(one).collect::<anyhow::Result<_>>())?;
        rows.sort_by_key(|(k, ..)| *k);
        let done = rows.iter().filter(|(.., is_new)| *is_new).count();
        Ok((rows.into_iter().map(|(_, row, _)| row).collect(), done))
    }

    /// The row of a clip, and whether it was done now.
    fn one(&self, entry: &Entry) -> anyhow::Result<(Row, bool)> {
        let started = Instant::now();
        let content = entry.content(&self.args.motion).map(|hash| hash.to_string());
        if let Some(row) = content.as_ref().ok().and_then(|content| self.done_before(entry, content)) {
            self.bar.done(row["status"] == OK);
            return Ok((row.clone(), false));
        }
        let shown = content.as_ref().map_or(Value::Null, |hash| hash.as_str().into());
        let result = content.and_then(|_| guard::run(|| self.job.run(entry)));
        let mut row = self.head(entry, shown, result.as_ref().err());
        row.insert("wall_s".into(), started.elapsed().as_secs_f64().into());
        row.extend(result.unwrap_or_default());
        self.journal.add(&row)?;
        self.bar.done(row["status"] == OK);
        Ok((row, true))
    }

    /// The row of an earlier run that is as good as a new one.
    fn done_before(&self, entry: &Entry, content: &str) -> Option<&Row> {
        let row = self.before.get(&(entry.name.clone(), content.into()))?;
        let is_done = match row.get("status")?.as_str()? {
            OK => self.job.outputs(entry).iter().all(|path| path.exists()),
            status => status == REFUSED,
        };
        is_done.then_some(row)
    }

    /// What every row begins with.
    fn head(&self, entry: &Entry, content: Value, error: Option<&anyhow::Error>) -> Row {
        // the same words wherever the folder is
        let said = |e| in_one_line(e).replace(&entry.path.display().to_string(), &entry.name);
        let row = json!({
            "path": entry.name, "content": content, "job": self.job.name(), "settings": self.settings,
            "version": VERSION, "status": error.map_or(OK, status), "error": error.map(said),
        });
        row.as_object().cloned().unwrap_or_default()
    }
}

/// Whose fault it is.
fn status(error: &anyhow::Error) -> &'static str {
    let is_ours = error.chain().any(|cause| cause.is::<io::Error>() || cause.is::<guard::Panicked>());
    if is_ours { FAILED } else { REFUSED }
}

/// What came out of all.
struct Summary<'a> {
    rows: &'a [Row],
    /// rows of this run; the others are from earlier ones
    done: usize,
    seconds: f64,
}

impl Summary<'_> {
    /// Rows without a result.
    fn bad(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row["status"] != OK)
    }

    fn to_json(&self) -> Value {
        let failures = self
            .bad()
            .map(|row| json!({ "path": row["path"], "status": row["status"], "error": row["error"] }));
        json!({
            "clips": self.rows.len(),
            "done": self.done,
            "skipped": self.rows.len() - self.done,
            "failed": self.bad().count(),
            "refused": self.bad().filter(|row| row["status"] == REFUSED).count(),
            "seconds": self.seconds,
            "failures": failures.collect::<Vec<_>>(),
        })
    }

    fn to_text(&self, args: &BatchArgs) -> String {
        let mut text = format!(
            "{} clips in {:.1} s: {} done now, {} done before, {} without a result -> {}\n",
            self.rows.len(),
            self.seconds,
            self.done,
            self.rows.len() - self.done,
            self.bad().count(),
            args.out.display()
        );
        let word = |row: &Row, name: &str| row[name].as_str().unwrap_or_default().to_string();
        for row in self.bad().take(SHOWN) {
            let (path, error) = (word(row, "path"), word(row, "error"));
            // most errors name their file
            let error = if error.contains(&path) { error } else { format!("{path}: {error}") };
            let _ = writeln!(text, "  {}  {error}", word(row, "status"));
        }
        if self.bad().count() > SHOWN {
            let _ = writeln!(text, "  and {} more (results.csv has all)", self.bad().count() - SHOWN);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use clap::Parser;
    use job::{Column, Kind};
    use std::path::{Path, PathBuf};

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

        fn run(&self, entry: &Entry) -> anyhow::Result<Row> {
            match entry.name.as_str() {
                "panics.bvh" => panic!("on purpose"),
                "kept.bvh" => Err(io::Error::from(io::ErrorKind::PermissionDenied)).context("kept.bvh"),
                "wrong.bvh" => anyhow::bail!("no motion"),
                _ => Ok(Row::from_iter([("fell".into(), true.into())])),
            }
        }
    }

    #[test]
    fn a_fault_in_one_clip_stops_no_other_and_is_tried_again() {
        let folder = std::env::temp_dir().join(format!("anthropi-batch-{}", std::process::id()));
        let out = folder.join("out");
        fs::create_dir_all(&out).unwrap();
        for name in ["fine.bvh", "kept.bvh", "panics.bvh", "wrong.bvh"] {
            fs::write(folder.join(name), name).unwrap();
        }
        let words = ["anthropi", "batch", folder.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let Command::Batch(args) = Args::parse_from(words).command else { panic!("it is batch") };
        let (first, done) = all(&args, &out);
        assert_eq!((texts(&first, "status"), done), (vec![OK, FAILED, FAILED, REFUSED], 4));
        assert!(texts(&first, "error")[2].contains("on purpose"), "{first:?}");
        assert_eq!(first[0]["fell"], true);
        let (second, done) = all(&args, &out);
        assert_eq!((texts(&second, "status"), done), (texts(&first, "status"), 2));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// All clips of a resumed run.
    fn all(args: &BatchArgs, out: &Path) -> (Vec<Row>, usize) {
        let entries = find::entries(&args.inputs, out).unwrap();
        let journal = Journal::open(&out.join(JOURNAL)).unwrap();
        let before = journal.rows(&[("job", "faulty")]).unwrap();
        let bar = Bar::new(entries.len(), true);
        Batch { args, job: &Faulty, settings: String::new(), journal, before, bar }.all(&entries).unwrap()
    }

    fn texts<'a>(rows: &'a [Row], name: &str) -> Vec<&'a str> {
        rows.iter().map(|row| row[name].as_str().unwrap_or_default()).collect()
    }
}
