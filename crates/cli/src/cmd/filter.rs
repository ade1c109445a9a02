//! `filter`: the nearest motion that physics allows, and what it is worth.
//!
//! | part | what it does |
//! |---|---|
//! | `asked` | the motion, from a file or scene, changed and pushed as asked |
//! | `judged` | the work: filters, and judges before and after |
//! | `record` | every internal step into files that other engines can check |
//! | `clock` | wall time of each frame |
//! | `survive` | the largest push that is survived, by direction |
//! | `told` | what came out, as JSON and as text |

mod asked;
mod clock;
mod judged;
pub mod record;
mod survive;
mod told;

use super::{Outcome, convert};
use crate::args::FilterArgs;
use crate::motions::Moving;
use crate::{motions, report};
use anthropi_io::motion::{self, is_motion_out};
use anthropi_io::report::filter::page;
use anthropi_io::{Warning, load};
use anyhow::bail;
use asked::Asked;
use std::path::Path;

pub use asked::push;
pub use judged::Judged;
pub use told::{files, to_json};

/// Filters, writes what is asked for, and tells.
pub fn run(args: &FilterArgs, as_json: bool) -> anyhow::Result<Outcome> {
    args.out.as_deref().map_or(Ok(()), |path| refuse_ending(path, "filtered motions"))?;
    let Asked { moving, how, pushes } = Asked::of(args)?;
    if args.push.survive {
        return survive::run(args, &moving, &how, as_json);
    }
    let judged = Judged::of(&args.input, &moving, &how, &args.force, &pushes, args.record.as_deref())?;
    if let Some(out) = &args.out {
        let lost = save(&moving, &judged, out)?;
        report::warnings(&out.display().to_string(), &lost);
    }
    if let Some(path) = &args.report {
        load::replace(path, page(&judged.report()).as_bytes())?;
    }
    if as_json {
        report::json(&to_json(&judged))?;
    } else {
        report::print(&told::to_text(&judged, args))?;
    }
    Ok(match judged.filtered.fell {
        None => Outcome::Fine,
        Some(t) => Outcome::No(format!("{} fell at {t:.2} s", args.input)),
    })
}

/// Writes the filtered motion: BVH on the skeleton it came on, where it still has its frames.
pub fn save(moving: &Moving, judged: &Judged, out: &Path) -> anyhow::Result<Vec<Warning>> {
    let after = &judged.filtered.clip;
    let is_bvh = out.extension().is_some_and(|e| e.eq_ignore_ascii_case("bvh"));
    match &moving.own {
        Some(own) if is_bvh => {
            let recording = motions::own::recording_of(own, &moving.clip, after);
            let mut lost = convert::motion::lost_on_the_way(own);
            lost.extend(motion::save_recording(out, &recording)?);
            Ok(lost)
        }
        _ => convert::motion::save_clip(after, out),
    }
}

/// Says before the work begins that the result could not be written.
pub fn refuse_ending(path: &Path, what: &str) -> anyhow::Result<()> {
    let is = |ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if (is_motion_out(path) && !is("trc")) || is("svg") {
        return Ok(());
    }
    bail!("{}: {what} are written as .bvh, .csv, .json, .mot, .sto, .glb, .gltf and .svg", path.display())
}
