//! A contact patch: where two shapes touch, or soon may, as points in a common plane.
//!
//! Two convex shapes touch in a point, a line or a face, so one plane and its few corner points say everything. Each
//! point has an identity that stays while the same features of the shapes meet.

use super::material::Surface;
use crate::model::{BodyIx, LinkHandle};
use crate::spatial::{Mat3, Vec3};

/// Most points of a patch.
pub const MAX_VERTICES: usize = 8;

/// Which two shapes meet; the same from step to step and across changes of structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchKey {
    /// the shape that is carried
    pub a: u32,
    /// the shape that carries
    pub b: u32,
    /// part of the one that carries, where it has parts
    pub part: u32,
}

/// A point of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// which features of the shapes meet here
    pub id: u32,
    /// place in the patch's plane, along its x and y from its point
    pub xy: [f64; 2],
    /// distance between the shapes here along the normal; negative where they overlap
    pub gap: f64,
}

/// Where two shapes touch, or soon may.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// which shapes meet, and how
    pub meeting: Meeting,
    /// origin of the plane, world axes
    pub point: Vec3,
    /// axes of the plane in world axes: x and y in it, z is the normal, out of b towards a
    pub axes: Mat3,
    vertices: [Vertex; MAX_VERTICES],
    count: usize,
}

/// What stays the same about two shapes while they meet.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    /// which shapes meet
    pub key: PatchKey,
    /// body that is carried
    pub a: BodyIx,
    /// body that carries
    pub b: BodyIx,
    /// link that is carried
    pub link_a: LinkHandle,
    /// link that carries; `None` for scenery
    pub link_b: Option<LinkHandle>,
    /// index of the scenery that carries
    pub scenery: Option<u32>,
    /// how the materials meet
    pub surface: Surface,
}

impl Patch {
    /// A patch from its points: identity, place on the surface of b in world axes, gap. `None` without points, and with
    /// numbers that are not finite.
    ///
    /// # Panics
    /// With more points than [`MAX_VERTICES`].
    pub fn new(meeting: Meeting, normal: Vec3, points: &[(u32, Vec3, f64)]) -> Option<Patch> {
        let first = points.first()?;
        if !(normal.is_finite() && points.iter().all(|p| p.1.is_finite() && p.2.is_finite())) {
            return None;
        }
        let sum = points.iter().fold(Vec3::ZERO, |s, p| s + (p.1 - first.1));
        let point = first.1 + sum.scale(1.0 / points.len() as f64);
        let x = normal.any_perpendicular();
        let axes = Mat3 { x, y: normal.cross(x), z: normal };
        let mut vertices = [Vertex::default(); MAX_VERTICES];
        for (v, (id, p, gap)) in vertices.iter_mut().zip(points) {
            let r = *p - point;
            *v = Vertex { id: *id, xy: [axes.x.dot(r), axes.y.dot(r)], gap: *gap };
        }
        let count = points.len();
        vertices[..count].sort_unstable_by_key(|v| v.id);
        Some(Patch { meeting, point, axes, vertices, count })
    }

    /// The points, in the order of their identities.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// Smallest gap.
    pub fn gap(&self) -> f64 {
        self.vertices().iter().fold(f64::INFINITY, |m, v| m.min(v.gap))
    }

    /// A place of the plane in world axes.
    pub fn place(&self, xy: [f64; 2]) -> Vec3 {
        self.point + self.axes.x.scale(xy[0]) + self.axes.y.scale(xy[1])
    }
}
