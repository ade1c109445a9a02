//! Opens files: motions, figures, scenes, keyframes, walks and replays.

use crate::replay::Replay;
use crate::simulator::{SceneSimulator, Simulator, TrackingSimulator, level_floor};
use crate::{Error, Session, library, motions};
use anthropi_app::resolve::{self, ItemKind};
use anthropi_app::scene::{self, Scene};
use anthropi_app::{filter_scene, keyed, walk};
use anthropi_dynamics::contact::World;
use anthropi_dynamics::model::{Figure, State};
use anthropi_formats::load;
use anthropi_formats::motion::{self, MOTIONS_IN, Motion};
use anthropi_motion::Clip;
use anthropi_motion::filter::FilterSettings;
use anthropi_motion::person::{self, Person};
use std::path::Path;

/// Largest file, bytes.
const MAX_BYTES: usize = 64 << 20;

/// Opens files by name and bytes. The first that is not a skeleton is opened; the others may belong to it.
///
/// # Errors
/// Unsupported formats; errors of a reader, with file, line and field.
pub fn open_files(mut files: Vec<(String, Vec<u8>)>) -> Result<Session, Error> {
    let main = files.iter().position(|(name, _)| extension(name) != "asf");
    let Some(main) = main.or((!files.is_empty()).then_some(0)) else {
        return Err(Error("there is no file".into()));
    };
    let (name, bytes) = files.swap_remove(main);
    if bytes.len() > MAX_BYTES {
        let (size, most) = (bytes.len() >> 20, MAX_BYTES >> 20);
        return Err(Error(format!("{name}: the file has {size} MB; the limit is {most} MB")));
    }
    match extension(&name).as_str() {
        "toml" => {
            let text = text(&name, bytes)?;
            open_text(resolve::toml_kind(&text, &name)?, &name, &text)
        }
        "urdf" | "xml" | "mjcf" | "osim" => open_text(ItemKind::Figure, &name, &text(&name, bytes)?),
        "json" if is_replay(&bytes) => open_replay(&name, &text(&name, bytes)?, files),
        _ if motion::is_motion(Path::new(&name)) => {
            let mut skeleton = || match files.first() {
                Some((name, bytes)) => Ok((name.clone(), bytes.clone())),
                None => {
                    let what = "its skeleton, an .asf file, is missing; drop both together";
                    let source = std::io::Error::new(std::io::ErrorKind::NotFound, what);
                    Err(anthropi_formats::Error::File { file: name.clone(), source })
                }
            };
            let read =
                motion::read_bytes(bytes, Path::new(&name), &motion::Options::default(), &mut skeleton)?;
            track(&name, (to_clip(&name, read)?, FilterSettings::default()))
        }
        _ => Err(Error(format!(
            "{name}: unsupported format; {MOTIONS_IN}, figures from .toml, .urdf, .xml and .mjcf, scenes from .toml"
        ))),
    }
}

/// Opens a replay, whose source is in the library or among the other files, and runs it to its end.
fn open_replay(name: &str, text: &str, mut files: Vec<(String, Vec<u8>)>) -> Result<Session, Error> {
    let replay = Replay::read(text, name)?;
    let session = match files.iter().position(|(other, _)| *other == replay.source) {
        _ if library::find(&replay.source).is_some() => library::open(&replay.source)?,
        Some(n) => open_files(vec![files.swap_remove(n)])?,
        None => {
            return Err(Error(format!("{name}: it needs the file `{}`; drop both together", replay.source)));
        }
    };
    replay.run(session, &mut |_| ())
}

fn extension(name: &str) -> String {
    Path::new(name).extension().map_or_else(String::new, |e| e.to_string_lossy().to_ascii_lowercase())
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String, Error> {
    let text = String::from_utf8(bytes).map_err(|e| {
        Error(format!("{name}: not UTF-8 text from byte {} on", e.utf8_error().valid_up_to()))
    })?;
    Ok(text.trim_start_matches('\u{feff}').to_string())
}

/// A replay has a digest at its start, a motion a figure.
fn is_replay(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned();
    head.contains("\"source\"") && head.contains("\"digest\"")
}

/// Opens the item of a kind in a text; `name` is a built-in item or a file.
pub(crate) fn open_text(kind: ItemKind, name: &str, text: &str) -> Result<Session, Error> {
    match kind {
        ItemKind::Motion => track(name, (keyed::read(text, name)?, FilterSettings::default())),
        ItemKind::FilterScene => {
            track(name, motions::filter_scene_clip(&filter_scene::read(text, name, None)?)?)
        }
        ItemKind::Walk => track(name, motions::walk_clip(&walk::read(text, name, None)?)?),
        ItemKind::Scene => simulate(name, &scene::read(text, name, None)?),
        ItemKind::Figure | ItemKind::Style => {
            let figure = load::figure_from_text(text, Path::new(name))?.figure;
            simulate(name, &on_floor(name, figure))
        }
    }
}

fn simulate(name: &str, scene: &Scene) -> Result<Session, Error> {
    Ok(Session::new(name, Simulator::Scene(Box::new(SceneSimulator::new(scene)?))))
}

fn track(name: &str, (clip, settings): (Clip, FilterSettings)) -> Result<Session, Error> {
    let simulator = TrackingSimulator::new(clip, settings).map_err(|e| Error(format!("{name}: {e}")))?;
    Ok(Session::new(name, Simulator::Tracking(Box::new(simulator))))
}

/// A figure on the floor z = 0.
fn on_floor(name: &str, figure: Figure) -> Scene {
    let world = World { scenery: vec![level_floor()], ..World::default() };
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

/// The motion as a clip of a figure.
fn to_clip(name: &str, read: Motion) -> Result<Clip, Error> {
    match read {
        Motion::Clip(clip) => Ok(clip),
        Motion::Recording(recording) => {
            let person = Person::from_recording(&recording, &person::Options::default())
                .map_err(|e| Error(format!("{name}: {e}")))?;
            Ok(person.clip(&recording)?)
        }
        Motion::Markers(_) | Motion::Table(_) => Err(Error(format!(
            "{name}: markers or columns without a skeleton; the studio opens motions with a skeleton (.bvh, .amc with its .asf, .npz, .json)"
        ))),
    }
}
