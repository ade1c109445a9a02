//! Opening files that were dropped on the page: motions, figures, scenes, keyframes, replays.
//!
//! One file is the one that is meant; others may belong to it, as the skeleton of an AMC file does.

use crate::actor::{Actor, Followed, Simulated};
use crate::replay::Replay;
use crate::{Error, Session, library, motions};
use anthropi_dynamics::contact::{Ground, Scenery, World};
use anthropi_dynamics::model::{Figure, State};
use anthropi_dynamics::spatial::Transform;
use anthropi_io::motion::{self, MOTIONS_IN, Motion};
use anthropi_io::scene::{self, Scene};
use anthropi_io::{filtering, keyed, load, walking};
use anthropi_motion::Clip;
use anthropi_motion::filter::Settings;
use anthropi_motion::person::{self, Person};
use std::path::Path;

/// Largest file, bytes.
const LARGEST: usize = 64 << 20;

/// Opens files, by name and bytes.
///
/// # Errors
/// Nothing that can be opened; what a reader says, with file, line and field.
pub fn open_files(mut files: Vec<(String, Vec<u8>)>) -> Result<Session, Error> {
    let Some(n) =
        files.iter().position(|(name, _)| ending(name) != "asf").or((!files.is_empty()).then_some(0))
    else {
        return Err(Error("there is no file".into()));
    };
    let (name, bytes) = files.swap_remove(n);
    if bytes.len() > LARGEST {
        return Err(Error(format!(
            "{name}: {} MB are more than the {} MB the page opens",
            bytes.len() >> 20,
            LARGEST >> 20
        )));
    }
    match ending(&name).as_str() {
        "toml" | "urdf" | "xml" | "mjcf" | "osim" => {
            let text = text(&name, bytes)?;
            of_text(&name, &text)
        }
        "json" if is_replay(&bytes) => {
            let replay = Replay::read(&text(&name, bytes)?, &name)?;
            let session = match library::items().iter().any(|i| i.name == replay.source) {
                true => library::open(&replay.source)?,
                false => match files.iter().position(|(other, _)| *other == replay.source) {
                    Some(n) => open_files(vec![files.swap_remove(n)])?,
                    None => {
                        return Err(Error(format!(
                            "{name}: it needs the file `{}`; drop both together",
                            replay.source
                        )));
                    }
                },
            };
            replay.run(session, &mut |_| ())
        }
        _ if motion::is_motion(Path::new(&name)) => {
            let mut skeleton = || match files.first() {
                Some((name, bytes)) => Ok((name.clone(), bytes.clone())),
                None => {
                    let what = "its skeleton, an .asf file, is not with it; drop both together";
                    let source = std::io::Error::new(std::io::ErrorKind::NotFound, what);
                    Err(anthropi_io::Error::File { file: name.clone(), source })
                }
            };
            let read =
                motion::read_bytes(bytes, Path::new(&name), &motion::Options::default(), &mut skeleton)?;
            followed(&name, clip_of(&name, read)?)
        }
        _ => Err(Error(format!(
            "{name}: nothing that can be opened; {MOTIONS_IN}, figures from .toml, .urdf, .xml and .mjcf, scenes from .toml"
        ))),
    }
}

fn ending(name: &str) -> String {
    Path::new(name).extension().map_or_else(String::new, |e| e.to_string_lossy().to_ascii_lowercase())
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String, Error> {
    let text = String::from_utf8(bytes)
        .map_err(|e| Error(format!("{name}: no text from byte {} on", e.utf8_error().valid_up_to())))?;
    Ok(text.trim_start_matches('\u{feff}').to_string())
}

fn is_replay(bytes: &[u8]) -> bool {
    // a motion has a figure, a replay has a log
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned();
    head.contains("\"source\"") && head.contains("\"digest\"")
}

/// Scenes, keyframes and figures.
fn of_text(name: &str, text: &str) -> Result<Session, Error> {
    if ending(name) == "toml" {
        if keyed::is_keyed(text) {
            return followed(name, keyed::read(text, name)?);
        }
        if filtering::is_filtering(text) {
            return with(name, motions::of_filtering(&filtering::read(text, name, None)?)?);
        }
        if walking::is_walking(text) {
            return with(name, motions::of_walking(&walking::read(text, name, None)?)?);
        }
        if scene::is_scene(text) {
            return simulated(name, &scene::read(text, name, None)?);
        }
    }
    let figure = load::figure_of(text, Path::new(name))?.figure;
    simulated(name, &on_a_floor(name, figure))
}

fn simulated(name: &str, scene: &Scene) -> Result<Session, Error> {
    Ok(Session::new(name, Actor::Simulated(Box::new(Simulated::of(scene)?))))
}

fn followed(name: &str, clip: Clip) -> Result<Session, Error> {
    with(name, (clip, Settings::default()))
}

fn with(name: &str, (clip, settings): (Clip, Settings)) -> Result<Session, Error> {
    let followed = Followed::with(clip, settings).map_err(|e| Error(format!("{name}: {e}")))?;
    Ok(Session::new(name, Actor::Followed(Box::new(followed))))
}

/// A figure by itself on a floor at z = 0.
fn on_a_floor(name: &str, figure: Figure) -> Scene {
    let floor = Scenery {
        name: "floor".into(),
        ground: Ground::Plane,
        world_from_it: Transform::identity(),
        material: Default::default(),
    };
    let world = World { scenery: vec![floor], ..World::default() };
    Scene {
        name: name.into(),
        what: String::new(),
        duration: 10.0,
        dt: 1e-3,
        state: State::home(&figure),
        figure,
        controls: Vec::new(),
        events: Vec::new(),
        environment: Vec::new(),
        world: Some(world),
        walk: None,
        warnings: Vec::new(),
    }
}

/// A motion of a person.
fn clip_of(name: &str, read: Motion) -> Result<Clip, Error> {
    match read {
        Motion::Clip(clip) => Ok(clip),
        Motion::Recording(recording) => {
            let person = Person::of(&recording, &person::Options::default())
                .map_err(|e| Error(format!("{name}: {e}")))?;
            Ok(person.clip(&recording)?)
        }
        Motion::Markers(_) | Motion::Table(_) => Err(Error(format!(
            "{name}: points or columns without a skeleton; the page opens motions with one (.bvh, .amc with its .asf, .npz, .json)"
        ))),
    }
}
