//! Loads and edits the motion of a command: `anthropi_app::loaded_motion` with warnings on the terminal, and errors that
//! name options.

use crate::{report, source};
use anthropi_app::builtin;
use anthropi_app::filter_scene::{self, FilterScene, MotionEdits, MotionSource};
use anthropi_app::loaded_motion::{self, LoadedMotion, SubjectOptions, retarget_like, scaled};
use anthropi_app::resolve::{self, ItemKind};
use anthropi_dynamics::model::Figure;
use anthropi_formats::motion::{self, Motion, Options};
use anthropi_formats::names;
use anthropi_formats::{Error, file};
use anthropi_motion::Clip;
use anyhow::{anyhow, bail, ensure};
use std::path::Path;

/// The motion of a name or file; `None` for other kinds of items.
pub fn read(name: &str, options: &Options) -> anyhow::Result<Option<Motion>> {
    match resolve::kind(name)? {
        Some(ItemKind::Motion) => Ok(Some(resolve::motion(name, options).map_err(in_options)?)),
        _ => Ok(None),
    }
}

/// Refuses reader options that do not apply to files of this extension.
pub fn refuse_options(options: &Options, name: &str) -> anyhow::Result<()> {
    loaded_motion::refuse_options(options, name).map_err(in_options)
}

/// Adds the option that helps to an error.
pub fn in_options(error: Error) -> anyhow::Error {
    match error {
        Error::InapplicableOption { option, endings, file } => {
            anyhow!("--{} applies only to {endings} files, not to `{file}`", option.replace('_', "-"))
        }
        Error::NoModel { .. } => anyhow!("{error}: --figure MODEL.osim"),
        Error::Forces { why: Some(_), .. } => anyhow!("{error} (--parts FILE)"),
        error => error.into(),
    }
}

/// Adds the motion formats to the error about an unknown file format.
pub fn or_motions(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(anthropi_formats::Error::UnknownFormat { .. }) => anyhow!("{error}; {}", motion::MOTIONS_IN),
        _ => error,
    }
}

/// The filter scene of a name or file; `None` for other kinds of items.
pub fn scene(name: &str) -> anyhow::Result<Option<FilterScene>> {
    match resolve::kind(name)? {
        Some(ItemKind::FilterScene) => Ok(Some(resolve::filter_scene(name)?)),
        _ => Ok(None),
    }
}

/// The subject of a filter scene; options take precedence.
pub fn scene_subject(scene: &FilterScene, options: SubjectOptions) -> SubjectOptions {
    SubjectOptions {
        figure: options.figure.or_else(|| scene.figure.clone()),
        height: options.height.or(scene.height),
        mass: options.mass.or(scene.mass),
        ..options
    }
}

/// The motion of a filter scene before its edits, with the name of the scene.
pub fn load_scene(scene: &FilterScene, subject: &SubjectOptions) -> anyhow::Result<LoadedMotion> {
    let (duration, rate) = match &scene.motion {
        MotionSource::Motion(name) => {
            let mut loaded = load(name, &Options::default(), subject)?;
            loaded.clip.name.clone_from(&scene.name);
            return Ok(loaded);
        }
        MotionSource::Stand { duration, rate } => (*duration, *rate),
    };
    let name = subject.figure.as_deref().unwrap_or(filter_scene::STANDING);
    let figure = scaled(floating_figure(name)?, subject.height, subject.mass)?;
    let clip = loaded_motion::standing(&scene.name, figure, duration, rate)?;
    let notes = vec![format!("{name} stands in its home pose for {duration} s").into()];
    Ok(LoadedMotion { notes, parts: loaded_motion::parts(subject)?, ..clip.into() })
}

/// Whether a file has the extension of an animation format that we do not read.
fn is_other_animation_format(name: &str) -> bool {
    const ENDINGS: [&str; 10] = ["fbx", "glb", "gltf", "blend", "ma", "mb", "usd", "usda", "usdc", "dae"];
    file::has_extension(Path::new(name), &ENDINGS)
}

/// The motion of a name or file on the requested figure.
pub fn load(name: &str, options: &Options, subject: &SubjectOptions) -> anyhow::Result<LoadedMotion> {
    if name.contains(['*', '?']) && !Path::new(name).exists() {
        bail!(
            "`{name}` is a pattern, not a motion. `anthropi batch '{name}' --out results/` certifies all motions that match; \
             --task filter filters them"
        )
    }
    let path = Path::new(name);
    match resolve::kind(name)? {
        Some(ItemKind::Motion) => {
            on_subject(resolve::motion(name, options).map_err(in_options)?, name, subject)
        }
        Some(kind) if builtin::kind(name).is_some() => {
            bail!(source::wrong_kind(name, kind, ItemKind::Motion))
        }
        _ if path.is_dir() => {
            bail!(
                "`{name}` is a folder, not a motion. `anthropi batch {name} --out results/` certifies all motions in it; \
                 --task filter filters them"
            )
        }
        _ if path.extension().is_some() => {
            let export = if is_other_animation_format(name) {
                "; export it as BVH from the tool that made it"
            } else {
                ""
            };
            bail!("`{name}` is not a motion: {}, and keyframes from .toml{export}", motion::MOTIONS_IN)
        }
        _ => {
            let all = builtin::names(ItemKind::Motion);
            bail!(
                "{}; {}, and keyframes from .toml",
                names::unknown("built-in motion", name, all),
                motion::MOTIONS_IN
            )
        }
    }
}

/// A motion on the requested figure. Prints warnings.
pub fn on_subject(read: Motion, name: &str, subject: &SubjectOptions) -> anyhow::Result<LoadedMotion> {
    let loaded = loaded_motion::on_subject(read, name, subject).map_err(in_options)?;
    loaded.warnings.iter().for_each(|(file, warnings)| report::warnings(file, warnings));
    Ok(loaded)
}

/// A figure by name or file, with a floating base. Prints warnings.
pub fn floating_figure(name: &str) -> anyhow::Result<Figure> {
    let loaded = loaded_motion::floating_figure(name).map_err(in_options)?;
    report::warnings(name, &loaded.warnings);
    Ok(loaded.figure)
}

/// Applies edits to a motion; other motions are loaded on the same subject.
pub fn edited(clip: Clip, edits: &MotionEdits, subject: &SubjectOptions) -> anyhow::Result<Clip> {
    ensure!(
        edits.weight.is_none() || edits.blend.is_some(),
        "--weight needs --blend MOTION, the other motion"
    );
    // reader options do not apply to the other motions
    let other = |name: &str, clip: &Clip| -> anyhow::Result<Clip> {
        Ok(retarget_like(&load(name, &Options::default(), subject)?.clip, clip)?)
    };
    let wrong = |word, error| {
        let option = if word == "rate" { "resample" } else { word };
        anyhow::Error::from(error).context(format!("--{option}"))
    };
    edits.apply(clip, other, wrong)
}

/// Files that a subject and edits name.
pub fn reads<'a>(subject: &'a SubjectOptions, edits: &'a MotionEdits) -> [Option<&'a Path>; 4] {
    let [figure, blend, join] =
        [&subject.figure, &edits.blend, &edits.join].map(|name| name.as_deref().map(Path::new));
    [figure, subject.parts.as_deref(), blend, join]
}
