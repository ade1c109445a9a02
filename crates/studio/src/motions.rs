//! Motions of filter scenes and walks, with their filter settings. Only built-in motions and figures: the page has no files.

use crate::Error;
use anthropi_app::filter_scene::{FilterScene, MotionSource, STANDING};
use anthropi_app::walk::{PreparedWalk, WALKER, WalkFile};
use anthropi_app::{builtin, loaded_motion};
use anthropi_dynamics::model::Figure;
use anthropi_motion::Clip;
use anthropi_motion::filter::FilterSettings;
use anthropi_motion::gait::{WalkSettings, terrain::Terrain};

/// The edited motion of a filter scene, and its pushes.
///
/// # Errors
/// Motions and figures that are not built in; a motion to retarget to another figure.
pub fn filter_scene_clip(scene: &FilterScene) -> Result<(Clip, FilterSettings), Error> {
    let wrong = |what: String| Error(format!("{}: {what}", scene.name));
    let begun = match &scene.motion {
        MotionSource::Stand { duration, rate } => {
            let name = scene.figure.as_deref().unwrap_or(STANDING);
            let figure = floating_figure(name, scene.height, scene.mass)?;
            loaded_motion::standing(&scene.name, figure, *duration, *rate)?
        }
        MotionSource::Motion(name) => {
            if scene.figure.is_some() || scene.height.is_some() || scene.mass.is_some() {
                let what = "the studio plays motions on their own figure; `anthropi filter` retargets them";
                return Err(wrong(what.into()));
            }
            let mut clip = motion(name)?;
            clip.name.clone_from(&scene.name);
            clip
        }
    };
    let other = |name: &str, clip: &Clip| {
        let other = motion(name)?;
        let joints =
            |figure: &Figure| figure.joints().map(|(_, j)| (j.name.clone(), j.kind)).collect::<Vec<_>>();
        if joints(other.figure()) != joints(clip.figure()) {
            return Err(wrong(format!(
                "`{name}` is a motion of another figure; `anthropi filter` retargets it"
            )));
        }
        Ok(Clip::new(name, clip.figure().clone(), other.dt(), other.poses().to_vec())?)
    };
    let clip = scene.edits.apply(begun, other, |word, error| wrong(format!("{word}: {error}")))?;
    let pushes = scene.pushes_on(clip.figure())?;
    Ok((clip, FilterSettings { mode: scene.mode.unwrap_or_default(), pushes, ..FilterSettings::default() }))
}

/// An undisturbed walk on level ground, and its pushes.
///
/// # Errors
/// Slopes and stairs; a figure that is not built in; a walk that cannot be planned.
pub fn walk_clip(walk: &WalkFile) -> Result<(Clip, FilterSettings), Error> {
    if walk.requests.iter().any(|p| p.ground != Terrain::Level) {
        return Err(Error(format!(
            "{}: the studio supports level ground only; use `anthropi walk` for slopes and stairs",
            walk.name
        )));
    }
    check_built_in(walk.figure.as_deref().unwrap_or(WALKER))?;
    let mut walk = PreparedWalk::new(walk.clone(), &[])?;
    let pushes = std::mem::take(&mut walk.settings.pushes);
    let clip = walk.run(&mut |_| (), &mut |_| ())?.filtered.clip;
    let WalkSettings { friction, strength, .. } = walk.settings;
    Ok((clip, FilterSettings { friction, strength, pushes, ..FilterSettings::default() }))
}

fn motion(name: &str) -> Result<Clip, Error> {
    Ok(builtin::motion(name).ok_or_else(|| Error(format!("there is no built-in motion `{name}`")))??)
}

/// A built-in figure with a floating base, scaled to a height and mass.
pub(crate) fn floating_figure(name: &str, height: Option<f64>, mass: Option<f64>) -> Result<Figure, Error> {
    check_built_in(name)?;
    Ok(loaded_motion::scaled(loaded_motion::floating_figure(name)?.figure, height, mass)?)
}

fn check_built_in(figure: &str) -> Result<(), Error> {
    match builtin::figure(figure) {
        Some(_) => Ok(()),
        None => Err(Error(format!("there is no built-in figure `{figure}`"))),
    }
}
