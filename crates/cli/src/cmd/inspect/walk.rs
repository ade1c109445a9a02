//! What a walk is: its figure, as of any other, its stretches and its pushes.

use super::{Coordinates, filtering, to_json, to_text};
use crate::args::FigureArgs;
use crate::cmd::Outcome;
use crate::cmd::walk::requested;
use crate::report;
use crate::source::Subject;
use anthropi_dynamics::model::State;
use anthropi_io::names::counted;
use anthropi_io::walking::Person;
use anthropi_io::walking::Walking;
use anthropi_motion::gait::Walker;
use serde_json::Value;
use std::fmt::Write;

/// Tells it.
pub fn tell(args: &FigureArgs, walking: &Walking, as_json: bool) -> anyhow::Result<Outcome> {
    let name = &args.figure;
    filtering::refuse_options(args, "a walk")?;
    let person = Person::of(walking, Vec::new())?;
    let walker = Walker::of(&person.figure, &[])?;
    let stretches = walking.stretches(walker.stature(person.figure.stature))?;
    walking.pushes_on(&person.figure)?;
    let figure = person.figure.as_ref().clone();
    let subject = Subject { start: State::home(&figure), figure, scene: None, warnings: Vec::new() };
    let coordinates = Coordinates::of(&subject)?;
    let steps: usize = stretches.iter().map(|s| s.steps).sum();
    let each = || walking.parts.iter().zip(&stretches);
    if as_json {
        let mut value = to_json(&subject, &coordinates);
        let ways: Vec<Value> = each().map(|(part, s)| requested(part, s)).collect();
        for (key, more) in [
            ("kind", "walk".into()),
            ("what", walking.what.as_str().into()),
            ("name", walking.name.as_str().into()),
            ("figure", subject.figure.name.as_str().into()),
            ("load_kg", person.load.into()),
            ("steps", steps.into()),
            ("stretches", ways.into()),
            ("pushes", walking.pushes().map(filtering::push).collect::<Vec<_>>().into()),
            ("run_by", format!("anthropi walk {name}").into()),
        ] {
            value[key] = more;
        }
        report::json(&value)?;
        return Ok(Outcome::Fine);
    }
    let mut text = format!("{}: {}\n", walking.name, walking.what);
    let _ = writeln!(
        text,
        "a walk of {}, {}; `anthropi walk {name}` walks it",
        counted(stretches.len(), "stretch"),
        counted(steps, "steady step")
    );
    for (i, (part, s)) in each().enumerate() {
        let p = s.parameters;
        let _ = writeln!(
            text,
            "stretch {}: {} at {:.2} m/s, {:.2} m, {:.2} per s, {}",
            i + 1,
            counted(s.steps, "step"),
            p.speed,
            p.length,
            p.frequency,
            part.manner.name
        );
    }
    report::print(&format!("{text}\n{}", to_text(&subject, &coordinates)))?;
    Ok(Outcome::Fine)
}
