//! What can be opened by name: built-in scenes, figures and motions.

use crate::actor::{Actor, Followed, Simulated};
use crate::{Error, Session};
use anthropi_io::builtin::{self, Builtin};
use anthropi_io::{scene, scene::Scene};
use serde::Serialize;

/// Something in the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// scene, motion or figure
    pub kind: &'static str,
    /// its name
    pub name: String,
    /// a line about it
    pub what: String,
}

/// All of it, what moves first.
pub fn items() -> Vec<Item> {
    let each = |kind, list: &[Builtin]| -> Vec<Item> {
        list.iter().map(|b| Item { kind, name: b.name.into(), what: b.what.into() }).collect()
    };
    [each("scene", builtin::scenes()), each("motion", builtin::motions()), each("figure", builtin::figures())]
        .concat()
}

/// Opens something by its name.
///
/// # Errors
/// A name that is not there; something that cannot begin.
pub fn open(name: &str) -> Result<Session, Error> {
    let actor = if let Some(scene) = builtin::scene(name) {
        Actor::Simulated(Box::new(Simulated::of(&scene?)?))
    } else if let Some(clip) = builtin::motion(name) {
        Actor::Followed(Box::new(Followed::of(clip?)?))
    } else if builtin::figure(name).is_some() {
        Actor::Simulated(Box::new(Simulated::of(&alone(name)?)?))
    } else {
        return Err(Error(format!("there is no scene, motion or figure `{name}`")));
    };
    Ok(Session::new(name, actor))
}

/// A built-in figure by itself on a floor.
fn alone(figure: &str) -> Result<Scene, Error> {
    let text = format!(
        "name = \"{figure}\"\ncontact = true\n[[figure]]\nuse = \"{figure}\"\n[[ground]]\nkind = \"plane\"\n"
    );
    Ok(scene::read(&text, figure, None)?)
}
