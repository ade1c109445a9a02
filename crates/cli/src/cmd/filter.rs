//! `filter`: the nearest physically consistent motion, and its assessment.
//!
//! | part | contents |
//! |---|---|
//! | `request` | the motion of a file or filter scene, with edits and pushes |
//! | `record` | writes every internal step, for checks with other engines |
//! | `survive` | the largest push survived in each direction |
//! | `output` | the result as text |

mod output;
pub mod record;
mod request;
mod survive;

use super::Outcome;
use crate::args::FilterArgs;
use crate::motions;
use crate::outputs;
use crate::progress::Bars;
use crate::report;
use anthropi_app::assessment::{FilterOutcome, filter_and_assess, save};
use anthropi_app::filter_scene::prop;
use anthropi_app::report::filter::page;
use anthropi_formats::file;
use anthropi_formats::motion::is_motion_out;
use anthropi_motion::filter::{Mode, SolvedStep};
use anthropi_motion::inverse::Options;
use anyhow::bail;
use record::Record;
use request::FilterRequest;
use std::path::Path;

pub use output::files;
pub use request::push;

/// Filters a motion, writes the requested files and prints the result.
pub fn run(args: &FilterArgs, as_json: bool) -> anyhow::Result<Outcome> {
    args.out.as_deref().map_or(Ok(()), |path| refuse_ending(path, "filtered motions"))?;
    if !args.push.survive {
        outputs::refuse_ending("--report", args.report.as_deref(), outputs::PAGE)?;
    }
    outputs::refuse_ending("--save-props", args.save_props.as_deref(), &["toml"])?;
    let request = FilterRequest::from_args(args)?;
    if args.save_props.is_some() && request.is_scene {
        bail!("--save-props needs a motion, not a filter scene: {}", args.input);
    }
    if args.push.survive {
        return survive::run(args, request, as_json);
    }
    let outcome = filter(args, &request)?;
    if let Some(out) = &args.out {
        let lost = save(&request.loaded, &outcome, out)?;
        report::warnings(&out.display().to_string(), &lost);
    }
    if let Some(path) = &args.report {
        file::replace(path, page(&outcome).as_bytes())?;
    }
    if let Some(path) = &args.save_props {
        let motion = std::path::absolute(&args.input).ok().filter(|path| path.is_file());
        let motion = motion.map_or(args.input.clone(), |path| path.display().to_string());
        file::replace(path, prop::to_scene(&motion, &outcome.filtered.props).as_bytes())?;
    }
    report::show(as_json, || outcome.result(), || output::to_text(&outcome, args))?;
    Ok(match outcome.filtered.fell {
        None => Outcome::Fine,
        Some(t) => Outcome::No(format!("{} fell at {t:.2} s", args.input)),
    })
}

/// Filters and assesses a motion, and records every step if requested.
fn filter(
    args: &FilterArgs,
    FilterRequest { loaded, settings, .. }: &FilterRequest,
) -> anyhow::Result<FilterOutcome> {
    let frame = (settings.mode == Mode::Online).then(|| loaded.clip.dt());
    let create = |dir| Record::create(dir, loaded.clip.figure(), &settings.pushes, frame);
    let mut record = args.record.as_deref().map(create).transpose()?;
    let mut wrong = None;
    let mut watch = |step: &SolvedStep| {
        if let (Some(record), None) = (&mut record, &wrong) {
            wrong = record.step(step).err();
        }
    };
    let mut bars = Bars::default();
    let mut progress = |what, part| bars.at(what, part);
    let options = Options { surroundings: settings.surroundings.clone(), ..args.force.settings() };
    let outcome = filter_and_assess(&args.input, loaded, &options, settings, &mut progress, &mut watch)
        .map_err(motions::in_options)?;
    match wrong {
        Some(error) => Err(error),
        None => record.map_or(Ok(()), |record| record.finish(&outcome.filtered.props)).map(|()| outcome),
    }
}

/// Refuses an output file that cannot hold a motion of a figure, before the work begins.
pub fn refuse_ending(path: &Path, what: &str) -> anyhow::Result<()> {
    if (is_motion_out(path) && !file::has_extension(path, &["trc"])) || file::has_extension(path, &["svg"]) {
        return Ok(());
    }
    let such = path.with_extension("bvh");
    bail!(
        "{}: {what} are written as .bvh, .csv, .json, .mot, .sto, .glb, .gltf and .svg, such as {}",
        path.display(),
        such.display()
    )
}
