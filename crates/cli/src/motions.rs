//! Getting the motion a command works on, and the figure that moves in it: `anthropi_io::moving` in the words of options.

use crate::args::{FigureArgs, MotionArgs, PersonArgs};
use crate::report;
use anthropi_dynamics::model::Figure;
use anthropi_io::filtering::{self, Filtering, Start};
use anthropi_io::motion::{self, Motion};
use anthropi_io::moving;
use anthropi_io::names;
use anthropi_io::{Error, builtin, load};
use anthropi_motion::Clip;
use anyhow::{anyhow, bail};
use std::path::Path;
use std::sync::Arc;

pub use anthropi_io::moving::{Moving, like, scaled};

/// The motion of a file; `None` where the name is no motion file's.
pub fn read(name: &str, args: &MotionArgs) -> anyhow::Result<Option<Motion>> {
    moving::read(name, &args.options()).map_err(in_options)
}

/// Says so when an option was given that files of this ending have no use for.
pub fn refuse_options(args: &MotionArgs, name: &str) -> anyhow::Result<()> {
    moving::refuse_options(&args.options(), name).map_err(in_options)
}

/// What an error asks for, as an option.
pub fn in_options(error: Error) -> anyhow::Error {
    match error {
        Error::UselessOption { option, endings, file } => {
            anyhow!("--{} is for {endings} files; `{file}` is none", option.replace('_', "-"))
        }
        Error::NoModel { .. } => anyhow!("{error}: --figure MODEL.osim"),
        Error::Forces { why: Some(_), .. } => anyhow!("{error} (--parts FILE)"),
        error => error.into(),
    }
}

/// Says of a file of unknown kind that motions are read, too.
pub fn or_motions(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(anthropi_io::Error::UnknownFormat { .. }) => anyhow!("{error}; {}", motion::MOTIONS_IN),
        _ => error,
    }
}

/// Says so when an option for figures was given with a motion.
pub fn refuse_figure_options(args: &FigureArgs) -> anyhow::Result<()> {
    let given = [
        ("--base", args.base.is_some()),
        ("--gravity", args.gravity.is_some()),
        ("--rigid", args.rigid),
        ("--height", args.height.is_some()),
        ("--mass", args.mass.is_some()),
    ];
    match given.iter().find(|(_, is)| *is) {
        Some((option, _)) => bail!("{option} is for figures; `{}` is a motion", args.figure),
        None => Ok(()),
    }
}

/// The scene of the filter of that name or file; `None` where it is something else.
pub fn scene(name: &str) -> anyhow::Result<Option<Filtering>> {
    if let Some(scene) = builtin::filtering(name) {
        return Ok(Some(scene?));
    }
    let path = Path::new(name);
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        return Ok(None);
    }
    let text = load::text(path)?;
    match filtering::read(&text, name, path.parent()) {
        // text that is no TOML is nothing else, either
        Err(error @ anthropi_io::Error::Syntax { .. }) => Err(error.into()),
        read if filtering::is_filtering(&text) => Ok(Some(read?)),
        _ => Ok(None),
    }
}

/// Who moves in a scene of the filter, but for what is asked.
pub fn person_of(scene: &Filtering, asked: PersonArgs) -> PersonArgs {
    PersonArgs {
        figure: asked.figure.or_else(|| scene.figure.clone()),
        height: asked.height.or(scene.height),
        mass: asked.mass.or(scene.mass),
        ..asked
    }
}

/// The motion of a scene of the filter as it begins, before it is changed; it has the scene's name.
pub fn moving_in(scene: &Filtering, person: &PersonArgs) -> anyhow::Result<Moving> {
    let (duration, rate) = match &scene.motion {
        Start::Motion(name) => {
            let mut moving = moving(name, &MotionArgs::default(), person)?;
            moving.clip.name.clone_from(&scene.name);
            return Ok(moving);
        }
        Start::Stand { duration, rate } => (*duration, *rate),
    };
    let name = person.figure.as_deref().unwrap_or(filtering::STANDING);
    let figure = Arc::new(scaled(free(name)?, person.height, person.mass)?);
    let frames = (duration * rate).round() as usize + 1;
    let q = figure.forest().home().repeat(frames);
    let clip = Clip::new(scene.name.clone(), figure, 1.0 / rate, q)?;
    let notes = vec![format!("{name} stands in its home pose for {duration} s")];
    Ok(Moving { clip, notes, parts: moving::parts(&person.who())?, own: None, warnings: Vec::new() })
}

/// Whether a file has an ending that tools of animators write and nobody reads here.
fn is_of_other_tools(name: &str) -> bool {
    const ENDINGS: [&str; 10] = ["fbx", "glb", "gltf", "blend", "ma", "mb", "usd", "usda", "usdc", "dae"];
    let ending = Path::new(name).extension();
    ending.is_some_and(|ending| ENDINGS.iter().any(|e| ending.eq_ignore_ascii_case(e)))
}

/// The motion of a file on the figure that the options ask for.
pub fn moving(name: &str, motion: &MotionArgs, person: &PersonArgs) -> anyhow::Result<Moving> {
    if name.contains(['*', '?']) && !Path::new(name).exists() {
        bail!(
            "`{name}` is a pattern; one motion is asked for. `anthropi batch '{name}' --out results/` certifies all that it \
             means, with --job filter it filters them"
        )
    }
    match read(name, motion)? {
        Some(read) => moving_of(read, name, person),
        None if builtin::figures().iter().chain(builtin::scenes()).any(|b| b.name == name) => {
            bail!("`{name}` is no motion but a figure or scene; `anthropi list` shows built-in motions")
        }
        None if builtin::walks().iter().any(|b| b.name == name) => {
            bail!("`{name}` is a walk: `anthropi walk {name}` walks it, and --out FILE.bvh keeps the motion")
        }
        None if builtin::filterings().iter().any(|b| b.name == name) => {
            bail!("`{name}` is a scene of the filter: `anthropi filter {name}` runs it")
        }
        None if Path::new(name).is_dir() => {
            bail!(
                "`{name}` is a folder; one motion is asked for. `anthropi batch {name} --out results/` certifies all in it, with \
                 --job filter it filters them"
            )
        }
        None if Path::new(name).extension().is_some() => {
            let export =
                if is_of_other_tools(name) { "; export it as BVH from the tool that made it" } else { "" };
            bail!("`{name}` is no motion: {}, and keyframes from .toml{export}", motion::MOTIONS_IN)
        }
        None => {
            let all = builtin::motions().iter().map(|b| b.name);
            bail!(
                "{}; {}, and keyframes from .toml",
                names::unknown("built-in motion", name, all),
                motion::MOTIONS_IN
            )
        }
    }
}

/// A motion that was read, on the figure that the options ask for. Warnings are told on standard error.
pub fn moving_of(read: Motion, name: &str, person: &PersonArgs) -> anyhow::Result<Moving> {
    let moving = moving::of(read, name, &person.who()).map_err(in_options)?;
    moving.warnings.iter().for_each(|(file, warnings)| report::warnings(file, warnings));
    Ok(moving)
}

/// A figure by name or file, free to go about. Warnings are told on standard error.
pub fn free(name: &str) -> anyhow::Result<Figure> {
    let loaded = moving::free(name).map_err(in_options)?;
    report::warnings(name, &loaded.warnings);
    Ok(loaded.figure)
}
