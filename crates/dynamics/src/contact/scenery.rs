//! The world: ground and other fixed scenery, materials, and which links may touch.
//!
//! Links fixed to the world act as scenery too; they need no entry here.

use super::material::{MaterialIx, Materials};
use crate::error::Error;
use crate::model::{LinkHandle, Shape};
use crate::spatial::{Transform, Vec3};

/// A fixed object.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    /// name
    pub name: String,
    /// shape
    pub ground: SceneryShape,
    /// pose
    pub world_from_it: Transform,
    /// material
    pub material: MaterialIx,
}

/// Shape of scenery, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum SceneryShape {
    /// everything below z = 0
    Plane,
    /// a solid
    Solid(Shape),
    /// height field
    HeightField(HeightField),
}

/// Heights over a regular grid, with two triangles in each cell, split from its (-x, -y) to its (+x, +y) corner.
/// Everything below the surface is solid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    columns: usize,
    rows: usize,
    /// metres between grid points along x and y
    spacing: [f64; 2],
    /// by row (along y), then by column (along x); the middle of the grid is at the origin
    heights: Vec<f64>,
}

impl HeightField {
    /// A grid of at least 2 by 2 heights, given row by row; x grows along a row, y from row to row.
    ///
    /// # Errors
    /// Too few numbers, numbers that are not finite, spacing that is not positive.
    pub fn new(
        columns: usize,
        rows: usize,
        spacing: [f64; 2],
        heights: Vec<f64>,
    ) -> Result<HeightField, Error> {
        let expected = columns.saturating_mul(rows);
        if columns < 2 || rows < 2 || heights.len() != expected {
            let what = format!("a height field of {columns} columns and {rows} rows (at least 2 each)");
            return Err(Error::Dimension { what, expected: expected.max(4), got: heights.len() });
        }
        if !heights.iter().all(|h| h.is_finite()) {
            return Err(Error::NotFinite { what: "a height of a height field".into() });
        }
        for s in spacing {
            if !(s > 0.0 && s.is_finite()) {
                let what = "spacing of a height field".into();
                return Err(Error::OutOfRange { what, value: s, expected: "a positive number" });
            }
        }
        Ok(HeightField { columns, rows, spacing, heights })
    }

    /// Grid points along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Grid points along y.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Metres between grid points along x and y.
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// The grid point in a column and row.
    pub fn point(&self, column: usize, row: usize) -> Vec3 {
        let along = |i: usize, n: usize, s: f64| (i as f64 - 0.5 * (n as f64 - 1.0)) * s;
        Vec3 {
            x: along(column, self.columns, self.spacing[0]),
            y: along(row, self.rows, self.spacing[1]),
            z: self.heights[row * self.columns + column],
        }
    }
}

/// Everything a figure can touch, and the contact rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    /// materials
    pub materials: Materials,
    /// fixed objects
    pub scenery: Vec<Scenery>,
    /// links not made of the first material
    pub link_materials: Vec<(LinkHandle, MaterialIx)>,
    /// links without contact
    pub ghosts: Vec<LinkHandle>,
    /// excluded pairs of links
    pub apart: Vec<(LinkHandle, LinkHandle)>,
    /// included pairs of links: neighbours, or links of a figure without self-contact
    pub together: Vec<(LinkHandle, LinkHandle)>,
    /// links without contact to the same figure
    pub not_self: Vec<LinkHandle>,
}

impl World {
    /// An endless floor at z = 0.
    pub fn floor() -> World {
        let mut world = World::default();
        world.scenery.push(Scenery {
            name: "floor".into(),
            ground: SceneryShape::Plane,
            world_from_it: Transform::identity(),
            material: MaterialIx::default(),
        });
        world
    }

    /// Checks sizes and numbers.
    pub fn check(&self) -> Result<(), Error> {
        for s in &self.scenery {
            let r = &s.world_from_it.rotation;
            if ![s.world_from_it.translation, r.x, r.y, r.z].iter().all(|v| v.is_finite()) {
                return Err(Error::NotFinite { what: format!("pose of `{}`", s.name) });
            }
            if let SceneryShape::Solid(shape) = &s.ground {
                shape.check()?;
            }
        }
        Ok(())
    }

    /// Material of a link.
    pub fn material_of(&self, link: LinkHandle) -> MaterialIx {
        self.link_materials.iter().rev().find(|(l, _)| *l == link).map_or(MaterialIx::default(), |(_, m)| *m)
    }
}
