//! Thumbnails of the library, each at a characteristic instant.

use crate::library::Group;
use crate::{Error, library};
use anthropi_app::svg::{self, Pose};

/// Seconds from the start, where it is not [`DEFAULT`].
const INSTANTS: [(&str, f64); 22] = [
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
const DEFAULT: f64 = 0.7;

/// The thumbnail of an item, as SVG in the current text colour.
///
/// # Errors
/// An unknown name; an item that cannot be simulated.
pub fn draw(name: &str) -> Result<String, Error> {
    let mut session = library::open(name)?;
    let is_figure = library::find(name).is_some_and(|item| item.group == Group::Figure);
    let instant = INSTANTS.iter().find(|(n, _)| *n == name).map(|(_, time)| *time);
    let time = instant.unwrap_or(if is_figure { 0.0 } else { DEFAULT });
    session.advance((time / session.simulator().dt()).round() as u64)?;
    let simulator = session.simulator();
    let pose = Pose { figure: simulator.figure(), q: simulator.state().0, label: "" };
    Ok(svg::icon(&pose, simulator.scenery()))
}
