//! What a scene of the filter is: its figure, as of any other, its motion and its pushes.

use super::{Coordinates, to_json, to_text};
use crate::args::{FigureArgs, PersonArgs};
use crate::cmd::Outcome;
use crate::source::Subject;
use crate::{edit, motions, report};
use anthropi_dynamics::model::State;
use anthropi_io::filtering::{Filtering, Shove, Start};
use anthropi_io::names::counted;
use anthropi_motion::filter::Mode;
use anyhow::bail;
use serde_json::{Value, json};
use std::fmt::Write;

/// Tells it.
pub fn tell(args: &FigureArgs, scene: &Filtering, as_json: bool) -> anyhow::Result<Outcome> {
    let name = &args.figure;
    refuse_options(args, "a scene of the filter")?;
    let person = motions::person_of(scene, PersonArgs::default());
    let changes = crate::args::EditArgs::default().or(&scene.changes);
    let clip = edit::edited(motions::moving_in(scene, &person)?.clip, &changes, &person)?;
    scene.pushes_on(clip.figure())?;
    let figure = clip.figure().as_ref().clone();
    let subject = Subject { start: State::home(&figure), figure, scene: None, warnings: Vec::new() };
    let coordinates = Coordinates::of(&subject)?;
    let (motion, mode) = (told(scene), if scene.mode == Some(Mode::Online) { "online" } else { "offline" });
    if as_json {
        let mut value = to_json(&subject, &coordinates);
        for (key, more) in [
            ("kind", "scene".into()),
            ("what", scene.what.as_str().into()),
            ("name", scene.name.as_str().into()),
            ("figure", subject.figure.name.as_str().into()),
            ("motion", motion.into()),
            ("mode", mode.into()),
            ("frames", clip.frames().into()),
            ("duration_s", clip.duration().into()),
            ("pushes", scene.pushes().map(push).collect::<Vec<_>>().into()),
            ("run_by", format!("anthropi filter {name}").into()),
        ] {
            value[key] = more;
        }
        report::json(&value)?;
    } else {
        let mut text = format!("{}: {}\n", scene.name, scene.what);
        let _ = writeln!(
            text,
            "a scene of the filter, {mode}: {motion}, {}, {:.2} s; `anthropi filter {name}` runs it",
            counted(clip.frames(), "frame"),
            clip.duration()
        );
        for p in scene.pushes() {
            let [x, y, z] = p.force.to_array();
            let _ = writeln!(text, "push at {} s for {} s: ({x}, {y}, {z}) N on {}", p.at, p.lasts, p.link);
        }
        report::print(&format!("{text}\n{}", to_text(&subject, &coordinates)))?;
    }
    Ok(Outcome::Fine)
}

fn told(scene: &Filtering) -> &str {
    match &scene.motion {
        Start::Motion(name) => name,
        Start::Stand { .. } => "stand",
    }
}

pub fn push(p: &Shove) -> Value {
    json!({ "at_s": p.at, "for_s": p.lasts, "link": p.link, "force_N": p.force.to_array(), "known": p.is_known })
}

/// Says so when an option for figures was given.
pub fn refuse_options(args: &FigureArgs, what: &str) -> anyhow::Result<()> {
    let given = [
        ("--base", args.base.is_some()),
        ("--gravity", args.gravity.is_some()),
        ("--rigid", args.rigid),
        ("--height", args.height.is_some()),
        ("--mass", args.mass.is_some()),
    ];
    match given.iter().find(|(_, is)| *is) {
        Some((option, _)) => bail!("{option} is for figures; `{}` is {what}", args.figure),
        None => Ok(()),
    }
}
