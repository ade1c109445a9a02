//! Pushes as people write them: on a link by its name.

use crate::error::{Error, Place};
use crate::fields::{Field, Table};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::filter::{Outside, Push};

use super::MAX_PUSHES;

/// A force on a link for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Shove {
    /// when it begins, s from the first frame
    pub at: f64,
    /// how long it lasts, s
    pub lasts: f64,
    /// name of the link
    pub link: String,
    /// N, world axes
    pub force: Vec3,
    /// where, in the link's axes; else its centre of mass
    pub point: Option<Vec3>,
    /// whether the figure reckons with it
    pub is_known: bool,
}

impl Shove {
    /// The push on a figure; `None` where it has no such link.
    pub fn on(&self, figure: &Figure) -> Option<Push> {
        let link = figure.find_link(&self.link).ok()?;
        let at = match self.point {
            Some(point) => point,
            None => figure.link(link).ok()?.spec.inertia.center(),
        };
        let outside = Outside { link, at, force: self.force, is_known: self.is_known };
        Some(Push { from: self.at, to: self.at + self.lasts, outside })
    }
}

/// The pushes on a figure; a link that it does not have is named with its line.
pub fn on(pushes: &[(Shove, Place)], figure: &Figure, file: &str) -> Result<Vec<Push>, Error> {
    let push = |(i, (shove, place)): (usize, &(Shove, Place))| {
        shove.on(figure).ok_or_else(|| {
            let all: Vec<&str> = figure.links().map(|(_, l)| l.spec.name.as_str()).collect();
            Error::Field {
                file: file.into(),
                place: *place,
                field: format!("link of push {}", i + 1),
                what: format!("there is no link `{}`; `{}` has {}", shove.link, figure.name, all.join(", ")),
            }
        })
    };
    pushes.iter().enumerate().map(push).collect()
}

/// All pushes of a scene, and where each names its link.
pub fn read(root: &Table) -> Result<Vec<(Shove, Place)>, Error> {
    let Some(field) = root.get("push") else { return Ok(Vec::new()) };
    match field.list()? {
        list if list.len() > MAX_PUSHES => {
            Err(field.wrong(format!("has {} entries, expected at most {MAX_PUSHES}", list.len())))
        }
        list => list.iter().enumerate().map(|(i, f)| push(f, i)).collect(),
    }
}

fn push(field: &Field, i: usize) -> Result<(Shove, Place), Error> {
    let table = field.table(format!("push {}", i + 1))?;
    table.allow(&[&["at", "for", "link", "force", "point", "known"]])?;
    let vector = |f: Field| f.array().map(|a: [f64; 3]| Vec3::from_array(&a));
    let link = table.require("link", "the name of a link")?;
    let shove = Shove {
        at: table.require("at", "seconds from the first frame until it begins")?.not_negative()?,
        lasts: table.require("for", "seconds that it lasts")?.positive()?,
        link: link.string()?.into(),
        force: vector(table.require("force", "three numbers in N, world axes")?)?,
        point: table.get("point").map(vector).transpose()?,
        is_known: table.get("known").map_or(Ok(false), |f| f.bool())?,
    };
    Ok((shove, link.place()))
}
