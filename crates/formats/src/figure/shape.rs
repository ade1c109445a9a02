//! Solid shapes, of links and of scenery.

use super::entries;
use super::placement::{ON_PARENT, placement};
use crate::error::Error;
use crate::fields::{Field, Table};
use crate::names::counted;
use anthropi_dynamics::model::{PlacedShape, Shape};
use anthropi_dynamics::spatial::Vec3;

/// Kinds of solids.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// `size`: full edge lengths
    Box,
    /// `radius`
    Sphere,
    /// `size`: full lengths of its axes
    Ellipsoid,
    /// `radius` and `length` along z, caps not included
    Capsule,
    /// `radius` and `length` along z
    Cylinder,
    /// `points`: their convex hull
    Convex,
}

const KINDS: [(&str, Kind); 6] = [
    ("box", Kind::Box),
    ("sphere", Kind::Sphere),
    ("ellipsoid", Kind::Ellipsoid),
    ("capsule", Kind::Capsule),
    ("cylinder", Kind::Cylinder),
    ("convex", Kind::Convex),
];

impl Kind {
    /// Keys of its sizes.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Kind::Box | Kind::Ellipsoid => &["size"],
            Kind::Sphere => &["radius"],
            Kind::Capsule | Kind::Cylinder => &["radius", "length"],
            Kind::Convex => &["points"],
        }
    }
}

/// The shapes of a link.
pub fn shapes(link: &Table) -> Result<Vec<PlacedShape>, Error> {
    let Some(field) = link.get("shape") else { return Ok(Vec::new()) };
    let list = entries(&field)?;
    list.iter()
        .enumerate()
        .map(|(i, f)| shape(&f.table(format!("shape {} of {}", i + 1, link.label))?))
        .collect()
}

fn shape(table: &Table) -> Result<PlacedShape, Error> {
    let field = table.require("kind", "box, sphere, ellipsoid, capsule, cylinder or convex")?;
    let kind = field.word(&KINDS)?;
    table.allow(&[&["kind"], kind.keys(), &ON_PARENT])?;
    Ok(PlacedShape { shape: solid(table, kind)?, link_from_shape: placement(table, &ON_PARENT)? })
}

/// The solid whose sizes a table gives.
pub fn solid(table: &Table, kind: Kind) -> Result<Shape, Error> {
    let positive = |key: &str| table.require(key, "a length in metres")?.positive();
    let half_length = || Ok::<f64, Error>(0.5 * positive("length")?);
    let half_size = || {
        let field = table.require("size", "three lengths in metres")?;
        let edges = field.list()?.iter().map(Field::positive).collect::<Result<Vec<_>, _>>()?;
        let [x, y, z] = edges[..] else {
            return Err(field.wrong(format!("has {}, expected 3", counted(edges.len(), "number"))));
        };
        Ok(Vec3 { x, y, z }.scale(0.5))
    };
    let shape = match kind {
        Kind::Box => Shape::Box { half: half_size()? },
        Kind::Ellipsoid => Shape::Ellipsoid { half: half_size()? },
        Kind::Sphere => Shape::Sphere { radius: positive("radius")? },
        Kind::Capsule => Shape::Capsule { radius: positive("radius")?, half_length: half_length()? },
        Kind::Cylinder => Shape::Cylinder { radius: positive("radius")?, half_length: half_length()? },
        Kind::Convex => {
            let points = entries(&table.require("points", "a list of points")?)?;
            Shape::Convex { points: points.iter().map(Field::vector).collect::<Result<_, _>>()? }
        }
    };
    shape.check().map_err(|e| table.wrong(e.to_string()))?;
    Ok(shape)
}
