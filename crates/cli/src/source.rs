//! Getting the figure or scene a command works on: built in or from a file, changed as the options ask.

use crate::args::{Base, FigureArgs};
use crate::report;
use anthropi_dynamics::model::{Figure, State};
use anthropi_io::scene::{self, Scene};
use anthropi_io::{Loaded, Warning, builtin, load};
use anthropi_io::{filtering, walking};
use anyhow::{Context, bail};
use std::path::Path;

/// A figure, or a scene with all its figures in one, changed as the options ask.
#[derive(Debug)]
pub struct Subject {
    /// what is computed with
    pub figure: Figure,
    /// where it starts: the scene's start, or the home pose at rest
    pub start: State,
    /// the scene, if it is one; its own figure and start are as the scene has them
    pub scene: Option<Scene>,
    /// what is doubtful
    pub warnings: Vec<Warning>,
}

/// The figure or scene of the options, changed as they ask. Warnings are told on standard error.
pub fn subject(args: &FigureArgs) -> anyhow::Result<Subject> {
    let Some(scene) = scene_of(&args.figure)? else {
        let Loaded { figure, warnings } = figure(args)?;
        return Ok(Subject { start: State::home(&figure), figure, scene: None, warnings });
    };
    report::warnings(&args.figure, &scene.warnings);
    let given = [
        ("--base", args.base.is_some()),
        ("--height", args.height.is_some()),
        ("--mass", args.mass.is_some()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, is)| *is) {
        bail!("{option} is for figures; `{}` is a scene", args.figure);
    }
    let planned = [("--gravity", args.gravity.is_some()), ("--rigid", args.rigid)];
    if let (Some((option, _)), Some(_)) = (planned.iter().find(|(_, is)| *is), &scene.walk) {
        bail!("{option} is not for `{}`: its walk is planned for the figure and gravity it has", args.figure);
    }
    let figure = changed(scene.figure.clone(), args).with_context(|| args.figure.clone())?;
    Ok(Subject { figure, start: scene.state.clone(), warnings: scene.warnings.clone(), scene: Some(scene) })
}

/// The scene of that name or file; `None` where it is a figure.
fn scene_of(name: &str) -> anyhow::Result<Option<Scene>> {
    if builtin::filtering(name).is_some() {
        bail!(filtered(name));
    }
    if builtin::walk(name).is_some() {
        bail!(walked(name));
    }
    if let Some(scene) = builtin::scene(name) {
        return Ok(Some(scene?));
    }
    let path = Path::new(name);
    let is_toml = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    if builtin::figure(name).is_some() || !is_toml {
        return Ok(None);
    }
    let text = load::text(path)?;
    if filtering::is_filtering(&text) {
        bail!(filtered(name));
    }
    if walking::is_walking(&text) {
        bail!(walked(name));
    }
    Ok(if scene::is_scene(&text) { Some(scene::read(&text, name, path.parent())?) } else { None })
}

/// What to do with a scene of the filter.
fn filtered(name: &str) -> String {
    format!(
        "`{name}` is a scene of the filter, a motion to be made physical: `anthropi filter {name}` runs it"
    )
}

/// What to do with a walk.
fn walked(name: &str) -> String {
    format!("`{name}` is a walk in stretches: `anthropi walk {name}` walks it")
}

/// A figure by name or file, as the file has it. Warnings are told on standard error.
pub fn load(name: &str) -> anyhow::Result<Loaded> {
    let loaded = load::named(name)?;
    report::warnings(name, &loaded.warnings);
    Ok(loaded)
}

/// A figure by name or file, or a scene's figures and connections as one figure that is declared where the scene
/// starts. What of a scene is not in a figure is among the warnings; all are told on standard error.
pub fn load_any(name: &str) -> anyhow::Result<Loaded> {
    let Some(scene) = scene_of(name)? else { return load(name) };
    let figure = scene.figure_at_start().with_context(|| name.to_string())?;
    let mut warnings = scene.warnings.clone();
    let left = [
        ("velocities at the start", scene.state.v.iter().any(|v| *v != 0.0)),
        ("controls", !scene.controls.is_empty()),
        ("events", !scene.events.is_empty()),
        ("its walk", scene.walk.is_some()),
        ("ground and materials", scene.world.is_some()),
    ];
    let left: Vec<&str> = left.iter().filter(|(_, is)| *is).map(|(what, _)| *what).collect();
    if !left.is_empty() {
        let what = format!("only the scene's figure at its start is converted, without {}", left.join(", "));
        warnings.push(Warning { place: None, what });
    }
    report::warnings(name, &warnings);
    Ok(Loaded { figure, warnings })
}

/// The figure of the options, changed as they ask.
pub fn figure(args: &FigureArgs) -> anyhow::Result<Loaded> {
    let Loaded { figure, warnings } = load(&args.figure)?;
    let figure = changed(figure, args).with_context(|| args.figure.clone())?;
    Ok(Loaded { figure, warnings })
}

fn changed(mut figure: Figure, args: &FigureArgs) -> anyhow::Result<Figure> {
    figure = match args.base {
        None => figure,
        Some(Base::Free) => figure.with_free_base()?,
        Some(Base::Fixed) => figure.with_fixed_base()?,
    };
    if args.height.is_some() || args.mass.is_some() {
        figure = figure.scaled(args.height, args.mass)?;
    }
    if let Some(gravity) = args.gravity {
        figure.set_gravity(gravity);
    }
    Ok(if args.rigid { figure.rigid() } else { figure })
}
