//! `filter --survive`: the largest push survived in each direction.

use super::request::FilterRequest;
use crate::args::{FilterArgs, PushArgs};
use crate::cmd::Outcome;
use crate::progress::Progress;
use crate::{outputs, report, source};
use anthropi_app::loaded_motion::LoadedMotion;
use anthropi_app::push_recovery::PushRecoveryResult;
use anthropi_dynamics::model::LinkHandle;
use anthropi_formats::file;
use anthropi_motion::anatomy::{self, Part};
use anthropi_motion::filter::FilterSettings;
use anthropi_motion::filter::push_recovery::PushTrial;
use anyhow::{Context, anyhow, bail};
use rayon::prelude::*;
use std::sync::Mutex;

/// Searches all directions and prints the result.
pub fn run(args: &FilterArgs, request: FilterRequest, as_json: bool) -> anyhow::Result<Outcome> {
    outputs::refuse_ending("--report", args.report.as_deref(), outputs::PICTURE_OR_PAGE)?;
    let FilterRequest { loaded, settings, .. } = request;
    let at = args.push.at.unwrap_or(loaded.clip.duration() / 3.0);
    let (link, name) = link(&loaded, &args.push)?;
    let mode = settings.mode;
    // the figure must survive by itself, and times are those of the motion as given
    let settings =
        FilterSettings { parts: loaded.parts.clone(), max_assist: 0.0, retimes: false, ..settings };
    let trial = PushTrial::new(&loaded.clip, settings, link, at, args.push.lasts)
        .map_err(|error| anyhow!("{error}; see --at and --for"))?;
    if !trial.survives(0.0, 0.0).with_context(|| args.input.clone())? {
        bail!("{}: falls even without a push", args.input);
    }
    let survived = search(&trial, usize::from(args.push.directions)).with_context(|| args.input.clone())?;
    let result = PushRecoveryResult::new(&trial, name, mode, &survived);
    if let Some(path) = &args.report {
        let is_svg = file::has_extension(path, outputs::PICTURE);
        let text = if is_svg { result.to_svg() } else { result.to_html() };
        file::replace(path, text.as_bytes())?;
    }
    if as_json {
        report::json(&result)?;
        return Ok(Outcome::Fine);
    }
    let mut table = report::table(&PushRecoveryResult::HEADER);
    result.rows().for_each(|row| {
        table.add_row(row);
    });
    let seen = args
        .report
        .as_ref()
        .map_or("for a polar plot: --report FILE.svg".into(), |path| format!("report: {}", path.display()));
    report::print(&format!(
        "{}, filtered {}\n\n{table}\n\n{}\n\n{seen}\n",
        result.title(),
        result.mode,
        result.criterion()
    ))?;
    Ok(Outcome::Fine)
}

/// Direction (rad) and force (N) of the largest pushes survived, in parallel.
fn search(trial: &PushTrial, directions: usize) -> anyhow::Result<Vec<(f64, f64)>> {
    let bar = Mutex::new((Progress::new("survive", directions as u64), 0));
    (0..directions)
        .into_par_iter()
        .map(|k| {
            let direction = k as f64 * core::f64::consts::TAU / directions as f64;
            let force = trial.largest_force(direction)?;
            if let Ok(mut bar) = bar.lock() {
                bar.1 += 1;
                let done = bar.1;
                bar.0.at(done);
            }
            Ok((direction, force))
        })
        .collect()
}

/// The link to push, and its name.
fn link<'a>(loaded: &'a LoadedMotion, args: &PushArgs) -> anyhow::Result<(LinkHandle, &'a str)> {
    let figure = loaded.clip.figure();
    let link = match &args.link {
        Some(name) => source::link(figure, name).map_err(|e| anyhow!("--link: {e}"))?,
        None => {
            let chest = anatomy::from_figure(figure, &loaded.parts)?.last(Part::Chest);
            chest.and_then(|n| figure.links().nth(n)).context("no chest found; use --link LINK")?.0
        }
    };
    Ok((link, &figure.link(link)?.spec.name))
}
