//! Loads the figure or scene of a command and applies the figure options to it.

use crate::args::{Base, FigureArgs};
use crate::report;
use anthropi_app::resolve::{self, ItemKind};
use anthropi_app::scene::Scene;
use anthropi_dynamics::model::{Figure, LinkHandle, State};
use anthropi_formats::{Loaded, Warning, names};
use anyhow::{Context, bail};

/// A figure, or a scene with all its figures in one, with the options applied.
#[derive(Debug)]
pub struct Subject {
    /// the figure with the options applied
    pub figure: Figure,
    /// start of the scene, or the home pose at rest
    pub start: State,
    /// the scene, without the options
    pub scene: Option<Scene>,
    /// warnings of the reader
    pub warnings: Vec<Warning>,
}

/// The figure or scene of the options. Prints warnings.
pub fn subject(args: &FigureArgs) -> anyhow::Result<Subject> {
    let Some(scene) = scene(&args.figure)? else {
        let Loaded { figure, warnings } = figure(args)?;
        return Ok(Subject { start: State::home(&figure), figure, scene: None, warnings });
    };
    report::warnings(&args.figure, &scene.warnings);
    let is_for_scenes = |option: &&str| ["--gravity", "--rigid"].contains(option);
    if let Some(option) = args.given().find(|option| !is_for_scenes(option)) {
        bail!("{option} is for figures; `{}` is a scene", args.figure);
    }
    if let (Some(option), Some(_)) = (args.given().next(), &scene.walk) {
        bail!("{option} is not for `{}`: its walk is planned for its own figure and gravity", args.figure);
    }
    let figure = with_options(scene.figure.clone(), args).with_context(|| args.figure.clone())?;
    Ok(Subject { figure, start: scene.state.clone(), warnings: scene.warnings.clone(), scene: Some(scene) })
}

/// The scene of a name or file; `None` for a figure.
fn scene(name: &str) -> anyhow::Result<Option<Scene>> {
    match resolve::kind(name)? {
        Some(ItemKind::Scene) => Ok(Some(resolve::scene(name)?)),
        Some(kind @ (ItemKind::FilterScene | ItemKind::Walk)) => {
            bail!(wrong_kind(name, kind, ItemKind::Figure))
        }
        _ => Ok(None),
    }
}

/// Error message for an item of another kind than wanted, with the command that takes it.
pub fn wrong_kind(name: &str, is: ItemKind, wanted: ItemKind) -> String {
    let hint = match (is, wanted) {
        (ItemKind::FilterScene, _) => format!("run `anthropi filter {name}`"),
        (ItemKind::Walk, ItemKind::Motion) => {
            format!("run `anthropi walk {name}`; --out FILE.bvh saves its motion")
        }
        (ItemKind::Walk, _) => format!("run `anthropi walk {name}`"),
        (ItemKind::Style, _) => format!("run `anthropi walk --style {name}`"),
        _ => format!("`anthropi list` shows the built-in {}s", wanted.noun()),
    };
    format!("`{name}` is a {}, not a {}: {hint}", is.noun(), wanted.noun())
}

/// Refuses figure options for another kind of item.
pub fn refuse_figure_options(args: &FigureArgs, kind: &str) -> anyhow::Result<()> {
    match args.given().next() {
        Some(option) => bail!("{option} is for figures; `{}` is {kind}", args.figure),
        None => Ok(()),
    }
}

/// The link of a figure by its name, or a message with similar names.
pub fn link(figure: &Figure, name: &str) -> Result<LinkHandle, String> {
    let all = figure.links().map(|(_, l)| l.spec.name.as_str());
    figure.find_link(name).map_err(|_| names::unknown("link", name, all))
}

/// A figure by name or file. Prints warnings.
pub fn load(name: &str) -> anyhow::Result<Loaded> {
    let loaded = resolve::figure(name)?;
    report::warnings(name, &loaded.warnings);
    Ok(loaded)
}

/// A figure by name or file, or the figures and connections of a scene as one figure in its initial pose. Prints
/// warnings, also about the parts of a scene that a figure cannot hold.
pub fn load_any(name: &str) -> anyhow::Result<Loaded> {
    let Some(scene) = scene(name)? else { return load(name) };
    let figure = scene.figure_at_start().with_context(|| name.to_string())?;
    let mut warnings = scene.warnings.clone();
    let omitted = [
        ("velocities at the start", scene.state.v.iter().any(|v| *v != 0.0)),
        ("controls", !scene.controls.is_empty()),
        ("events", !scene.events.is_empty()),
        ("its walk", scene.walk.is_some()),
        ("ground and materials", scene.world.is_some()),
    ];
    let omitted: Vec<&str> = omitted.iter().filter(|(_, is)| *is).map(|(what, _)| *what).collect();
    if !omitted.is_empty() {
        let what =
            format!("only the scene's figure at its start is converted, without {}", omitted.join(", "));
        warnings.push(Warning::new(what));
    }
    report::warnings(name, &warnings);
    Ok(Loaded { figure, warnings })
}

/// A figure with the figure options applied.
pub fn figure(args: &FigureArgs) -> anyhow::Result<Loaded> {
    let Loaded { figure, warnings } = load(&args.figure)?;
    let figure = with_options(figure, args).with_context(|| args.figure.clone())?;
    Ok(Loaded { figure, warnings })
}

fn with_options(mut figure: Figure, args: &FigureArgs) -> anyhow::Result<Figure> {
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
