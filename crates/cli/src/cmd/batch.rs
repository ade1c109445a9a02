//! `batch`: a job for every motion in folders, many at once, and one table of what came out: `anthropi_io::batch` with
//! threads and a bar.

mod bar;
mod summary;

use super::Outcome;
use crate::args::BatchArgs;
use crate::{progress, report, source};
use anthropi_io::batch::{Entry, OK, Row, Run, STACK, What, Work, entries};
use bar::Bar;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::time::Instant;
use summary::Summary;

/// Runs the job over all clips, and writes the tables.
pub fn run(args: &BatchArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let entries = entries(&args.inputs, &args.out)?;
    // doubts about a figure are told once
    args.person.figure.as_deref().map(source::load).transpose()?;
    let asked = args.asked();
    let work = Work::of(&asked, &args.out)?;
    let run = Run::begin(&work, &args.out, args.resume)?;
    run.warnings.iter().for_each(|what| report::say("warning", what));
    // one line for all, not one for each clip
    progress::silence();
    let bar = Bar::new(entries.len(), as_json);
    let (mut rows, done) = all(args, &work, &run, &bar, &entries)?;
    drop(bar);
    run.finish(&work, &mut rows)?;
    let seconds = started.elapsed().as_secs_f64();
    let (is_filtered, has_pages) = (asked.what == What::Filter, asked.pages);
    let summary = Summary { rows: &rows, done, seconds, is_filtered, has_pages };
    if as_json {
        report::json(&summary.to_json())?;
    } else {
        report::print(&summary.to_text(&args.out))?;
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
