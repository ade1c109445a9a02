//! Pushes on links by name.

use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_formats::fields::{Field, Table};
use anthropi_formats::{Error, Place};
use anthropi_motion::filter::AppliedForce;

use super::MAX_PUSHES;

/// A force on a link during an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedForce {
    /// start, s from the first frame
    pub at: f64,
    /// duration, s
    pub lasts: f64,
    /// name of the link
    pub link: String,
    /// N, world axes
    pub force: Vec3,
    /// point of application, link axes; default: the centre of mass
    pub point: Option<Vec3>,
    /// whether the filter compensates it
    pub is_known: bool,
}

impl NamedForce {
    /// The force on a figure; `None` without such a link.
    pub fn on(&self, figure: &Figure) -> Option<AppliedForce> {
        let link = figure.find_link(&self.link).ok()?;
        let point = match self.point {
            Some(point) => point,
            None => figure.link(link).ok()?.spec.inertia.center(),
        };
        let (from, to) = (self.at, self.at + self.lasts);
        Some(AppliedForce { link, point, force: self.force, from, to, is_known: self.is_known })
    }
}

/// The pushes on a figure.
///
/// # Errors
/// A link that the figure does not have, with its line.
pub fn on(pushes: &[(NamedForce, Place)], figure: &Figure, file: &str) -> Result<Vec<AppliedForce>, Error> {
    let push = |(i, (named, place)): (usize, &(NamedForce, Place))| {
        named.on(figure).ok_or_else(|| {
            let all: Vec<&str> = figure.links().map(|(_, l)| l.spec.name.as_str()).collect();
            Error::Field {
                file: file.into(),
                place: *place,
                field: format!("link of push {}", i + 1),
                what: format!("there is no link `{}`; `{}` has {}", named.link, figure.name, all.join(", ")),
            }
        })
    };
    pushes.iter().enumerate().map(push).collect()
}

/// All pushes of a scene, each with the place of its link.
pub fn read(root: &Table) -> Result<Vec<(NamedForce, Place)>, Error> {
    root.entries("push", MAX_PUSHES)?.iter().enumerate().map(|(i, f)| push(f, i)).collect()
}

fn push(field: &Field, i: usize) -> Result<(NamedForce, Place), Error> {
    let table = field.table(format!("push {}", i + 1))?;
    table.allow(&[&["at", "for", "link", "force", "point", "known"]])?;
    let vector = |f: &Field| f.array().map(|a: [f64; 3]| Vec3::from_array(&a));
    let link = table.require("link", "the name of a link")?;
    let named = NamedForce {
        at: table.require("at", "the start in seconds")?.not_negative()?,
        lasts: table.require("for", "the duration in seconds")?.positive()?,
        link: link.string()?.into(),
        force: vector(&table.require("force", "three numbers in N, world axes")?)?,
        point: table.optional("point", vector)?,
        is_known: table.flag("known")?,
    };
    Ok((named, link.place()))
}
