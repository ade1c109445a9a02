//! `batch`: run a job on every motion of a data set, with threads and a progress bar.

mod bar;
mod summary;

use super::Outcome;
use crate::args::BatchArgs;
use crate::{progress, report, source};
use anthropi_app::batch::{BatchSummary, Entry, OK, Row, Run, STACK, Work, entries};
use bar::Bar;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::time::Instant;

/// Runs the job on all clips and writes the tables.
pub fn run(args: &BatchArgs, as_json: bool) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let request = args.request()?;
    let entries = entries(&args.inputs, &args.out)?;
    // warnings about a figure are printed once
    args.person.figure.as_deref().map(source::load).transpose()?;
    let work = Work::new(&request, &args.out)?;
    let run = Run::begin(&work, &args.out, args.resume)?;
    run.warnings.iter().for_each(|what| report::say("warning", what));
    // one bar for all clips
    progress::silence();
    let bar = Bar::new(entries.len(), as_json);
    let (mut rows, done) = all(args, &work, &run, &bar, &entries)?;
    drop(bar);
    run.finish(&work, &mut rows)?;
    let summary = BatchSummary::new(&rows, done, started.elapsed().as_secs_f64(), request.what);
    report::show(as_json, || &summary, || summary::to_text(&summary, &rows, &request, &args.out))?;
    Ok(match summary.failed {
        0 => Outcome::Fine,
        n => Outcome::No(format!("{n} of {} clips have no result", rows.len())),
    })
}

/// Rows of all clips, and the number processed now.
fn all(
    args: &BatchArgs,
    work: &Work,
    run: &Run,
    bar: &Bar,
    entries: &[Entry],
) -> anyhow::Result<(Vec<Row>, usize)> {
    let threads = args.jobs.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build()?;
    // large clips first, so that none runs alone at the end
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
