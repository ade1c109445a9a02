//! What can be opened by name: built-in scenes, motions, scenes of the filter, walks and figures.

use crate::actor::{Actor, Followed, Simulated, Strolled};
use crate::asked::Asked;
use crate::{Error, Session, motions};
use anthropi_io::builtin::{self, Builtin};
use anthropi_io::{scene, scene::Scene};
use anthropi_motion::Clip;
use anthropi_motion::filter::Settings;
use serde::Serialize;
use std::sync::Arc;

/// Something in the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// stroll, scene, motion, filter (a scene of it), walk or figure
    pub kind: &'static str,
    /// its name
    pub name: String,
    /// a line about it
    pub what: String,
}

/// Walks on slopes and stairs: the filter that plays a motion frame by frame knows level ground.
const STEEP: [&str; 2] = ["walk-stairs", "walk-hill"];

/// Walks without end: name, who walks, and a line about it.
const STROLLS: [(&str, &str, &str); 2] = [
    ("stroll", "anthropi-42", "walks without end: change its speed, style and way, and push it"),
    ("stroll-28", "human-28", "the same with a simpler figure"),
];

/// All of it, what moves first.
pub fn items() -> Vec<Item> {
    let kinds: [(&'static str, &'static [Builtin]); 5] = [
        ("scene", builtin::scenes()),
        ("motion", builtin::motions()),
        ("filter", builtin::filterings()),
        ("walk", builtin::walks()),
        ("figure", builtin::figures()),
    ];
    let each = |(kind, list): (&'static str, &'static [Builtin])| {
        let open = list.iter().filter(|b| !STEEP.contains(&b.name));
        open.map(move |b| Item { kind, name: b.name.into(), what: b.what.into() })
    };
    let strolls = STROLLS.iter().map(|(name, _, what)| Item {
        kind: "stroll",
        name: (*name).into(),
        what: (*what).into(),
    });
    strolls.chain(kinds.into_iter().flat_map(each)).collect()
}

/// Opens something by its name.
///
/// # Errors
/// A name that is not there; something that cannot begin.
pub fn open(name: &str) -> Result<Session, Error> {
    let actor = if let Some((_, who, _)) = STROLLS.iter().find(|(n, ..)| *n == name) {
        let figure = Arc::new(motions::person(who, None, None)?);
        Actor::Strolled(Box::new(Strolled::of(&figure, Asked::default())?))
    } else if let Some(scene) = builtin::scene(name) {
        Actor::Simulated(Box::new(Simulated::of(&scene?)?))
    } else if let Some(clip) = builtin::motion(name) {
        Actor::Followed(Box::new(Followed::of(clip?)?))
    } else if let Some(scene) = builtin::filtering(name) {
        followed(motions::of_filtering(&scene?)?)?
    } else if let Some(walking) = builtin::walk(name) {
        followed(motions::of_walking(&walking?)?)?
    } else if builtin::figure(name).is_some() {
        Actor::Simulated(Box::new(Simulated::of(&alone(name)?)?))
    } else {
        return Err(Error(format!("there is no scene, motion, walk or figure `{name}`")));
    };
    Ok(Session::new(name, actor))
}

fn followed((clip, settings): (Clip, Settings)) -> Result<Actor, Error> {
    Ok(Actor::Followed(Box::new(Followed::with(clip, settings)?)))
}

/// A built-in figure by itself on a floor.
fn alone(figure: &str) -> Result<Scene, Error> {
    let text = format!(
        "name = \"{figure}\"\ncontact = true\n[[figure]]\nuse = \"{figure}\"\n[[ground]]\nkind = \"plane\"\n"
    );
    Ok(scene::read(&text, figure, None)?)
}
