//! `batch`: a job for every motion in folders, many at once, and one table of what came out: `anthropi_io::batch` with
//! threads and a bar.

mod bar;

use super::Outcome;
use crate::args::BatchArgs;
use crate::{progress, report, source};
use anthropi_io::batch::{Entry, OK, REFUSED, Row, Run, STACK, Work, entries};
use bar::Bar;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::fmt::Write;
use std::time::Instant;

/// So many failures are shown to people; the tables have all.
const SHOWN: usize = 20;

/// Runs the job over all clips, and writes the tables.
pub fn run(args: &BatchArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let entries = entries(&args.inputs, &args.out)?;
    // doubts about a figure are told once
    args.person.figure.as_deref().map(source::load).transpose()?;
    let work = Work::of(&args.asked(), &args.out)?;
    let run = Run::begin(&work, &args.out, args.resume)?;
    run.warnings.iter().for_each(|what| report::say("warning", what));
    // one line for all, not one for each clip
    progress::silence();
    let bar = Bar::new(entries.len(), as_json);
    let (mut rows, done) = all(args, &work, &run, &bar, &entries)?;
    drop(bar);
    run.finish(&work, &mut rows)?;
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

/// Rows of all clips, and how many of them were done now.
fn all(
    args: &BatchArgs,
    work: &Work,
    run: &Run,
    bar: &Bar,
    entries: &[Entry],
) -> anyhow::Result<(Vec<Row>, usize)> {
    let threads = args.jobs.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build()?;
    // large ones first, so that no thread is left alone with one at the end
    let mut order: Vec<&Entry> = entries.iter().collect();
    order.sort_by_key(|entry| Reverse(entry.size));
    let one = |entry: &Entry| -> anyhow::Result<(Row, bool)> {
        let (row, is_new) = match run.done_before(work, entry) {
            Some(row) => (row.clone(), false),
            None => (work.row(entry), true),
        };
        if is_new {
            run.keep(&row)?;
        }
        bar.done(row["status"] == OK);
        Ok((row, is_new))
    };
    let rows: Vec<(Row, bool)> =
        pool.install(|| order.into_iter().par_bridge().map(one).collect::<anyhow::Result<_>>())?;
    let done = rows.iter().filter(|(_, is_new)| *is_new).count();
    Ok((rows.into_iter().map(|(row, _)| row).collect(), done))
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
