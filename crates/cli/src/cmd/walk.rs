//! `walk`: a figure walks from parameters and words.
//!
//! | part | what it does |
//! |---|---|
//! | `asked` | the way, from options or a script, who walks it, and what happens on it |
//! | `done` | the walk, and the neutral one it is compared with |
//! | `step` | one step looked into: HIDDS, the virtual leg |
//! | `told` | what came out, as JSON and as text |

mod asked;
mod done;
mod step;
mod told;

pub use asked::script;
pub use told::requested;

use super::Outcome;
use super::filter::refuse_ending;
use crate::args::WalkArgs;
use crate::{outputs, report};
use anthropi_io::report::walk::{cycle_picture, page};
use anthropi_io::{load, moving};
use anyhow::bail;

/// Walks, writes what is asked for, and tells.
pub fn run(args: &WalkArgs, as_json: bool) -> anyhow::Result<Outcome> {
    args.out.as_deref().map_or(Ok(()), |path| refuse_ending(path, "walks"))?;
    outputs::refuse_ending("--report", args.report.as_deref(), outputs::PAGE)?;
    outputs::refuse_ending("--cycle", args.cycle.as_deref(), outputs::PICTURE)?;
    let writes = [("--out", &args.out), ("--report", &args.report), ("--cycle", &args.cycle)];
    outputs::refuse_clashes(&[], &writes.map(|(option, path)| (option, path.as_deref())))?;
    let asked = asked::Asked::of(args)?;
    let done = done::Done::of(&asked, args)?;
    if let Some(out) = &args.out {
        let lost = moving::save(&done.walked.filtered.clip, out)?;
        report::warnings(&out.display().to_string(), &lost);
    }
    if let Some(path) = &args.report {
        load::replace(path, page(&done.report(&asked)).as_bytes())?;
    }
    if let Some(path) = &args.cycle {
        let Some(svg) = cycle_picture(&done.report(&asked)) else {
            bail!("--cycle needs a whole cycle of steady steps: ask for --steps 4")
        };
        load::replace(path, svg.as_bytes())?;
    }
    if as_json {
        report::json(&told::to_json(&asked, &done))?;
    } else {
        report::print(&told::to_text(&asked, &done, args))?;
    }
    Ok(match done.walked.fell() {
        None => Outcome::Fine,
        Some(t) => Outcome::No(format!("{} fell at {t:.2} s", asked.walking.name)),
    })
}
