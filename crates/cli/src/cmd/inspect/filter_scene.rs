//! Filter scenes: figure, motion and pushes.

use super::{Coordinates, to_json, to_text};
use crate::args::FigureArgs;
use crate::source::{self, Subject};
use crate::{motions, report};
use anthropi_app::filter_scene::{FilterScene, MotionSource, NamedForce};
use anthropi_app::loaded_motion::SubjectOptions;
use anthropi_app::result::mode_name;
use anthropi_dynamics::model::State;
use anthropi_formats::names::counted;
use serde_json::{Value, json};
use std::fmt::Write;

/// Prints a filter scene.
pub fn print(args: &FigureArgs, scene: &FilterScene, as_json: bool) -> anyhow::Result<()> {
    let name = &args.figure;
    source::refuse_figure_options(args, "a filter scene")?;
    let subject = motions::scene_subject(scene, SubjectOptions::default());
    let clip = motions::edited(motions::load_scene(scene, &subject)?.clip, &scene.edits, &subject)?;
    scene.pushes_on(clip.figure())?;
    let figure = clip.figure().as_ref().clone();
    let subject = Subject { start: State::home(&figure), figure, scene: None, warnings: Vec::new() };
    let coordinates = Coordinates::new(&subject)?;
    let (motion, mode) = (motion_name(scene), mode_name(scene.mode.unwrap_or_default()));
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
            ("pushes", scene.pushes().map(push_json).collect::<Vec<_>>().into()),
            ("run_by", format!("anthropi filter {name}").into()),
        ] {
            value[key] = more;
        }
        report::json(&value)
    } else {
        let mut text = format!("{}: {}\n", scene.name, scene.what);
        let _ = writeln!(
            text,
            "filter scene, {mode}: {motion}, {}, {:.2} s; run it with `anthropi filter {name}`",
            counted(clip.frames(), "frame"),
            clip.duration()
        );
        for p in scene.pushes() {
            let [x, y, z] = p.force.to_array();
            let _ = writeln!(text, "push at {} s for {} s: ({x}, {y}, {z}) N on {}", p.at, p.lasts, p.link);
        }
        report::print(&format!("{text}\n{}", to_text(&subject, &coordinates)))
    }
}

fn motion_name(scene: &FilterScene) -> &str {
    match &scene.motion {
        MotionSource::Motion(name) => name,
        MotionSource::Stand { .. } => "stand",
    }
}

pub fn push_json(p: &NamedForce) -> Value {
    json!({ "at_s": p.at, "for_s": p.lasts, "link": p.link, "force_N": p.force.to_array(), "known": p.is_known })
}
