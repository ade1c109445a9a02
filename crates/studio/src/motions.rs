//! Motions that scenes of the filter and walks ask for, with what is wanted of the filter.

use crate::Error;
use anthropi_dynamics::model::Figure;
use anthropi_io::filtering::{Filtering, STANDING, Start};
use anthropi_io::walking::{Person, WALKER, Walking};
use anthropi_io::{builtin, moving};
use anthropi_motion::Clip;
use anthropi_motion::filter::Settings;
use anthropi_motion::gait::{self, ground::Ground};
use std::sync::Arc;

/// The motion of a scene of the filter, changed as it asks, and its pushes.
///
/// # Errors
/// Motions and figures that are not built in; a motion that is to be carried over to another figure.
pub fn of_filtering(scene: &Filtering) -> Result<(Clip, Settings), Error> {
    let wrong = |what: String| Error(format!("{}: {what}", scene.name));
    let begun = match &scene.motion {
        Start::Stand { duration, rate } => {
            let name = scene.figure.as_deref().unwrap_or(STANDING);
            let figure = Arc::new(person(name, scene.height, scene.mass)?);
            let frames = (duration * rate).round() as usize + 1;
            Clip::new(scene.name.clone(), figure.clone(), 1.0 / rate, figure.forest().home().repeat(frames))?
        }
        Start::Motion(name) => {
            if scene.figure.is_some() || scene.height.is_some() || scene.mass.is_some() {
                let what = "the page plays motions on their own figure; `anthropi filter` carries them over";
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
                "`{name}` is a motion of another figure; `anthropi filter` carries it over"
            )));
        }
        Ok(Clip::new(name, clip.figure().clone(), other.dt(), other.poses().to_vec())?)
    };
    let clip = scene.changes.made(begun, other, |word, error| wrong(format!("{word}: {error}")))?;
    let pushes = scene.pushes_on(clip.figure())?;
    Ok((clip, Settings { mode: scene.mode.unwrap_or_default(), pushes, ..Settings::default() }))
}

/// A walk on level ground as it is walked when nobody disturbs it, and its pushes.
///
/// # Errors
/// Slopes and stairs; a figure that is not built in; a way that cannot be walked.
pub fn of_walking(walking: &Walking) -> Result<(Clip, Settings), Error> {
    if walking.parts.iter().any(|p| p.ground != Ground::Level) {
        return Err(Error(format!(
            "{}: the filter of the page knows level ground; slopes and stairs are walked by `anthropi walk`",
            walking.name
        )));
    }
    built_in(walking.figure.as_deref().unwrap_or(WALKER))?;
    let person = Person::of(walking, Vec::new())?;
    let walker = person.walker()?;
    let way = walking.stretches(walker.stature(person.figure.stature))?;
    let gait::Settings { friction, strength, pushes, parts } = person.settings(walking)?;
    let alone = gait::Settings { friction, strength, pushes: Vec::new(), parts };
    let mut clip = walker.walk(&way, &alone, &mut |_| (), &mut |_| ())?.filtered.clip;
    clip.name.clone_from(&walking.name);
    Ok((clip, Settings { friction, strength, pushes, ..Settings::default() }))
}

fn motion(name: &str) -> Result<Clip, Error> {
    Ok(builtin::motion(name).ok_or_else(|| Error(format!("there is no built-in motion `{name}`")))??)
}

/// A built-in figure, free to go about, in a height and mass.
pub(crate) fn person(name: &str, height: Option<f64>, mass: Option<f64>) -> Result<Figure, Error> {
    built_in(name)?;
    Ok(moving::scaled(moving::free(name)?.figure, height, mass)?)
}

/// Refuses figures that are elsewhere: the page has no other files than those that were dropped.
fn built_in(figure: &str) -> Result<(), Error> {
    match builtin::figure(figure) {
        Some(_) => Ok(()),
        None => Err(Error(format!("there is no built-in figure `{figure}`"))),
    }
}
