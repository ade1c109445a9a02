//! `filter`: the nearest motion that physics allows, and what it is worth.
//!
//! | part | what it does |
//! |---|---|
//! | `asked` | the motion, from a file or scene, changed and pushed as asked |
//! | `record` | every internal step into files that other engines can check |
//! | `survive` | the largest push that is survived, by direction |
//! | `told` | what came out, as JSON and as text |

mod asked;
pub mod record;
mod survive;
mod told;

use super::Outcome;
use crate::args::{FilterArgs, HowArgs};
use crate::motions::{self, Moving};
use crate::outputs;
use crate::progress::Bars;
use crate::report;
use anthropi_io::judging::{Judged, filter_json, save};
use anthropi_io::load;
use anthropi_io::motion::is_motion_out;
use anthropi_io::report::filter::page;
use anthropi_motion::filter::{Mode, Push, Settings, Step};
use anyhow::bail;
use asked::Asked;
use record::Record;
use std::path::Path;

pub use asked::push;
pub use told::files;

/// Filters, writes what is asked for, and tells.
pub fn run(args: &FilterArgs, as_json: bool) -> anyhow::Result<Outcome> {
    args.out.as_deref().map_or(Ok(()), |path| refuse_ending(path, "filtered motions"))?;
    if !args.push.survive {
        outputs::refuse_ending("--report", args.report.as_deref(), outputs::PAGE)?;
    }
    let Asked { moving, how, pushes } = Asked::of(args)?;
    if args.push.survive {
        return survive::run(args, &moving, &how, as_json);
    }
    let judged = judged(args, &moving, &how, pushes)?;
    if let Some(out) = &args.out {
        let lost = save(&moving, &judged, out)?;
        report::warnings(&out.display().to_string(), &lost);
    }
    if let Some(path) = &args.report {
        load::replace(path, page(&judged.report()).as_bytes())?;
    }
    if as_json {
        report::json(&filter_json(&judged))?;
    } else {
        report::print(&told::to_text(&judged, args))?;
    }
    Ok(match judged.filtered.fell {
        None => Outcome::Fine,
        Some(t) => Outcome::No(format!("{} fell at {t:.2} s", args.input)),
    })
}

/// Filters, and judges before and after; every step is written to the record, if there is one.
fn judged(args: &FilterArgs, moving: &Moving, how: &HowArgs, pushes: Vec<Push>) -> anyhow::Result<Judged> {
    let settings = Settings { pushes, ..how.settings(&args.force) };
    let frame = (settings.mode == Mode::Online).then(|| moving.clip.dt());
    let create = |dir| Record::create(dir, moving.clip.figure(), &settings.pushes, frame);
    let mut record = args.record.as_deref().map(create).transpose()?;
    let mut wrong = None;
    let mut watch = |step: &Step| {
        if let (Some(record), None) = (&mut record, &wrong) {
            wrong = record.step(step).err();
        }
    };
    let mut bars = Bars::default();
    let mut progress = |what, part| bars.at(what, part);
    let judged =
        Judged::of(&args.input, moving, &args.force.settings(), &settings, &mut progress, &mut watch)
            .map_err(motions::in_options)?;
    match wrong {
        Some(error) => Err(error),
        None => record.map_or(Ok(()), Record::finish).map(|()| judged),
    }
}

/// Says before the work begins that the result could not be written.
pub fn refuse_ending(path: &Path, what: &str) -> anyhow::Result<()> {
    let is = |ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if (is_motion_out(path) && !is("trc")) || is("svg") {
        return Ok(());
    }
    let such = path.with_extension("bvh");
    bail!(
        "{}: {what} are written as .bvh, .csv, .json, .mot, .sto, .glb, .gltf and .svg, such as {}",
        path.display(),
        such.display()
    )
}
