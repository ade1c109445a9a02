//! `walk`: generate a walk from gait parameters and styles.

mod output;
mod request;
mod step;

use super::Outcome;
use super::filter::record::Record;
use super::filter::refuse_ending;
use crate::args::WalkArgs;
use crate::progress::Bars;
use crate::{outputs, report};
use anthropi_app::loaded_motion;
use anthropi_app::report::walk::{Report, cycle_picture, page};
use anthropi_app::result::WalkSummary;
use anthropi_app::walk::PreparedWalk;
use anthropi_formats::file;
use anthropi_motion::filter::SolvedStep;
use anyhow::bail;
use std::time::Instant;

/// Runs the command.
pub fn run(args: &WalkArgs, as_json: bool) -> anyhow::Result<Outcome> {
    args.out.as_deref().map_or(Ok(()), |path| refuse_ending(path, "walks"))?;
    outputs::refuse_ending("--report", args.report.as_deref(), outputs::PAGE)?;
    outputs::refuse_ending("--cycle", args.cycle.as_deref(), outputs::PICTURE)?;
    let writes = [("--out", &args.out), ("--report", &args.report), ("--cycle", &args.cycle)];
    outputs::refuse_clashes(&[], &writes.map(|(option, path)| (option, path.as_deref())))?;
    let walk = request::prepare(args)?;
    let outcome = simulate(&walk, args)?;
    if let Some(out) = &args.out {
        let lost = loaded_motion::save(&outcome.walked.filtered.clip, out)?;
        report::warnings(&out.display().to_string(), &lost);
    }
    if let Some(path) = &args.report {
        file::replace(path, page(&outcome).as_bytes())?;
    }
    if let Some(path) = &args.cycle {
        let Some(svg) = cycle_picture(&outcome) else {
            bail!("--cycle needs a whole cycle of steady steps, such as --steps 4")
        };
        file::replace(path, svg.as_bytes())?;
    }
    if as_json {
        report::json(&WalkSummary::new(&outcome))?;
    } else {
        report::print(&output::to_text(&outcome, args))?;
    }
    Ok(match outcome.walked.fell() {
        None => Outcome::Fine,
        Some(t) => Outcome::No(format!("{} fell at {t:.2} s", walk.walk.name)),
    })
}

/// Simulates the walk and writes its record, if requested.
fn simulate<'a>(walk: &'a PreparedWalk, args: &WalkArgs) -> anyhow::Result<Report<'a>> {
    let record = args.record.as_deref();
    let mut record =
        record.map(|dir| Record::create(dir, &walk.figure, &walk.settings.pushes, None)).transpose()?;
    let mut recording = step::Recording::new(&args.step, walk)?;
    let mut failure = None;
    let mut bars = Bars::default();
    let start = Instant::now();
    let mut watch = |step: &SolvedStep| {
        if let (Some(record), None) = (&mut record, &failure) {
            failure = record.step(step).err();
        }
        if let Some(recording) = &mut recording {
            recording.course.add(step);
        }
    };
    let walked = walk.run(&mut |part| bars.at("walk", part), &mut watch)?;
    let seconds = start.elapsed().as_secs_f64();
    if let Some(error) = failure {
        return Err(error);
    }
    record.map_or(Ok(()), |record| record.finish(&[]))?;
    let neutral = walk.neutral(&walked, &mut |part| bars.at("neutral walk for comparison", part))?;
    drop(bars);
    let step = recording.map(|r| r.study(&args.step, walk, &walked)).transpose()?;
    let realtime_factor = walked.filtered.clip.duration() / seconds.max(f64::MIN_POSITIVE);
    let notes = walk.notes(&walked);
    Ok(Report { walk, walked, neutral, step, realtime_factor, notes })
}
