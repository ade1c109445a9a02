//! Names of links, joints and other things in a scene, and what to say about one that is not there.

use crate::error::Error;
use crate::figure::fields::{Field, distance};
use anthropi_dynamics::model::{Figure, JointHandle, LinkHandle};

/// Near names told about an unknown one.
const SUGGESTIONS: usize = 3;

/// The link a field names.
pub fn link(figure: &Figure, field: &Field) -> Result<LinkHandle, Error> {
    let given = field.string()?;
    let all = || figure.links().map(|(_, l)| l.spec.name.as_str());
    figure.find_link(given).map_err(|_| unknown(field, "link", given, all()))
}

/// The joint or connection a field names.
pub fn joint(figure: &Figure, field: &Field) -> Result<JointHandle, Error> {
    let given = field.string()?;
    figure.find_joint(given).map_err(|_| unknown(field, "joint or connection", given, joints(figure)))
}

/// Names of all joints and connections.
pub fn joints(figure: &Figure) -> impl Iterator<Item = &str> {
    let own = figure.joints().map(|(_, j)| j.name.as_str());
    own.chain(figure.connections().map(|(_, _, j)| j.name.as_str()))
}

/// Says that a name is not known, and which ones are near.
pub fn unknown<'a>(field: &Field, what: &str, given: &str, all: impl IntoIterator<Item = &'a str>) -> Error {
    let mut near: Vec<&str> = all.into_iter().collect();
    near.sort_by_key(|other| distance(other, given));
    near.truncate(SUGGESTIONS);
    let hint = match near[..] {
        [] => "there is none".into(),
        _ => format!("the nearest are `{}`", near.join("`, `")),
    };
    field.wrong(format!("there is no {what} `{given}`; {hint}"))
}
