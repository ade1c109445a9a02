//! Links and joints of a scene by name.

use anthropi_dynamics::model::{Figure, JointHandle, LinkHandle};
use anthropi_formats::Error;
use anthropi_formats::fields::Field;

/// The link a field names.
pub fn link(figure: &Figure, field: &Field) -> Result<LinkHandle, Error> {
    let given = field.string()?;
    let all = || figure.links().map(|(_, l)| l.spec.name.as_str());
    figure.find_link(given).map_err(|_| field.unknown("link", given, all()))
}

/// The joint or connection a field names.
pub fn joint(figure: &Figure, field: &Field) -> Result<JointHandle, Error> {
    let given = field.string()?;
    figure.find_joint(given).map_err(|_| field.unknown("joint or connection", given, joints(figure)))
}

/// Names of all joints and connections.
pub fn joints(figure: &Figure) -> impl Iterator<Item = &str> {
    let own = figure.joints().map(|(_, j)| j.name.as_str());
    own.chain(figure.connections().map(|(_, _, j)| j.name.as_str()))
}
