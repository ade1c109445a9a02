//! Small pictures of what is in the library, each at an instant that tells what it is.

use crate::actor::Actor;
use crate::{Error, library};
use anthropi_dynamics::contact::{Ground, Scenery};
use anthropi_dynamics::spatial::Transform;
use anthropi_io::svg::{self, Pose};

/// Seconds from the start, where it is not the usual one.
const TELLING: [(&str, f64); 22] = [
    ("pendulum", 0.0),
    ("four-bar", 0.2),
    ("two-link-ground", 0.0),
    ("high-bar", 0.9),
    ("monkey-swing", 0.3),
    ("drop-box", 0.3),
    ("dominoes", 0.6),
    ("stand-28", 0.0),
    ("step-28", 1.2),
    ("walk-28", 1.6),
    ("fall-28", 1.5),
    ("two-figures-collide", 0.35),
    ("keyed-walk", 1.1),
    ("keyed-sit-stand", 1.4),
    ("keyed-kick", 1.73),
    ("keyed-jump", 1.25),
    ("filter-walk", 1.1),
    ("filter-kick", 1.73),
    ("filter-turn-30", 2.1),
    ("push-standing", 1.5),
    ("walk-tour", 2.25),
    ("run-jump", 4.2),
];
const USUAL: f64 = 0.7;

/// The picture of something in the library, as scalable vector graphics in the colour of the text around it.
///
/// # Errors
/// A name that is not there; something that cannot begin or go on.
pub fn of(name: &str) -> Result<String, Error> {
    let mut session = library::open(name)?;
    let is_still = library::items().iter().any(|i| i.name == name && i.kind == "figure");
    let told = TELLING.iter().find(|(n, _)| *n == name).map(|(_, time)| *time);
    let time = told.unwrap_or(if is_still { 0.0 } else { USUAL });
    session.advance((time / session.actor().dt()).round() as u64)?;
    let actor = session.actor();
    let floor = Scenery {
        name: "floor".into(),
        ground: Ground::Plane,
        world_from_it: Transform::identity(),
        material: Default::default(),
    };
    let around = match actor {
        Actor::Simulated(_) => actor.scenery().to_vec(),
        _ => vec![floor],
    };
    Ok(svg::icon(&Pose { figure: actor.figure(), q: actor.state().0, label: "" }, &around))
}
