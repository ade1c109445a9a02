//! Walks: figure, segments and pushes.

use super::{Coordinates, filter_scene, to_json, to_text};
use crate::args::FigureArgs;
use crate::report;
use crate::source::{self, Subject};
use anthropi_app::result::SegmentSummary;
use anthropi_app::walk::{PreparedWalk, WalkFile};
use anthropi_dynamics::model::State;
use anthropi_formats::names::counted;
use std::fmt::Write;

/// Prints a walk.
pub fn print(args: &FigureArgs, walk: WalkFile, as_json: bool) -> anyhow::Result<()> {
    let name = &args.figure;
    source::refuse_figure_options(args, "a walk")?;
    let PreparedWalk { walk, figure, load, segments, .. } = PreparedWalk::new(walk, &[])?;
    let figure = figure.as_ref().clone();
    let subject = Subject { start: State::home(&figure), figure, scene: None, warnings: Vec::new() };
    let coordinates = Coordinates::new(&subject)?;
    let steps: usize = segments.iter().map(|s| s.steps).sum();
    if as_json {
        let mut value = to_json(&subject, &coordinates);
        for (key, more) in [
            ("kind", "walk".into()),
            ("what", walk.what.as_str().into()),
            ("name", walk.name.as_str().into()),
            ("figure", subject.figure.name.as_str().into()),
            ("load_kg", load.into()),
            ("steps", steps.into()),
            ("stretches", serde_json::to_value(SegmentSummary::all(&walk.requests, &segments))?),
            ("pushes", walk.pushes().map(filter_scene::push_json).collect::<Vec<_>>().into()),
            ("run_by", format!("anthropi walk {name}").into()),
        ] {
            value[key] = more;
        }
        return report::json(&value);
    }
    let mut text = format!("{}: {}\n", walk.name, walk.what);
    let _ = writeln!(
        text,
        "walk of {}, {}; run it with `anthropi walk {name}`",
        counted(segments.len(), "segment"),
        counted(steps, "steady step")
    );
    for (i, (request, s)) in walk.requests.iter().zip(&segments).enumerate() {
        let p = s.parameters;
        let _ = writeln!(
            text,
            "segment {}: {} at {:.2} m/s, {:.2} m, {:.2} per s, {}",
            i + 1,
            counted(s.steps, "step"),
            p.speed,
            p.length,
            p.frequency,
            request.style.name
        );
    }
    report::print(&format!("{text}\n{}", to_text(&subject, &coordinates)))
}
