//! What comes with the program: figures, scenes, motions, scenes of the filter, styles and walks, by their names.

use crate::error::Error;
use crate::filtering::{self, Filtering};
use crate::scene::{self, Scene};
use crate::walking::{self, Manner, Walking};
use crate::{Loaded, keyed, load, shelf};
use anthropi_motion::clip::Clip;

pub use shelf::Builtin;

/// All figures, smallest first.
pub fn figures() -> &'static [Builtin] {
    shelf::FIGURES
}

/// The built-in figure of that name.
pub fn figure(name: &str) -> Option<Result<Loaded, Error>> {
    load::built_in(name)
}

/// All scenes: those of connections, then those of contact, smallest first.
pub fn scenes() -> &'static [Builtin] {
    shelf::SCENES
}

/// The built-in scene of that name.
pub fn scene(name: &str) -> Option<Result<Scene, Error>> {
    shelf::find(shelf::SCENES, name).map(|b| scene::read(b.text, b.name, None))
}

/// All motions, made from keys; slowest first.
pub fn motions() -> &'static [Builtin] {
    shelf::MOTIONS
}

/// The built-in motion of that name.
pub fn motion(name: &str) -> Option<Result<Clip, Error>> {
    keyed::built_in(name)
}

/// All scenes of the dynamics filter, in the order of the paper.
pub fn filterings() -> &'static [Builtin] {
    shelf::FILTERINGS
}

/// The built-in scene of the filter of that name.
pub fn filtering(name: &str) -> Option<Result<Filtering, Error>> {
    shelf::find(shelf::FILTERINGS, name).map(|b| filtering::read(b.text, b.name, None))
}

/// All styles of walking, the usual one first, then from quick to slow.
pub fn styles() -> &'static [Builtin] {
    shelf::STYLES
}

/// The built-in style of that name.
pub fn style(name: &str) -> Option<Result<Manner, Error>> {
    walking::built_in_style(name)
}

/// All walks.
pub fn walks() -> &'static [Builtin] {
    shelf::WALKS
}

/// The built-in walk of that name.
pub fn walk(name: &str) -> Option<Result<Walking, Error>> {
    shelf::find(shelf::WALKS, name).map(|b| walking::read(b.text, b.name, None))
}
