//! Contact patch: contact points of two shapes, or points that may soon touch, in a common plane.
//!
//! Two convex shapes touch in a point, a line or a face, so a plane and a few corner points describe the contact. Each
//! point has an identity that persists while the same features of the shapes touch.

use super::material::Surface;
use crate::model::{BodyIx, LinkHandle};
use crate::spatial::{Mat3, Vec3};

/// Most points of a patch.
pub const MAX_VERTICES: usize = 8;

/// Identity of a pair of shapes, stable across steps and changes of structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchKey {
    /// supported shape
    pub a: u32,
    /// supporting shape
    pub b: u32,
    /// part of the supporting shape, if it has parts
    pub part: u32,
}

/// A point of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// identity of the touching features
    pub id: u32,
    /// position in the patch's plane, along its x and y from its point
    pub xy: [f64; 2],
    /// distance between the shapes along the normal; negative if they overlap
    pub gap: f64,
}

/// Contact points of two shapes.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// the two shapes
    pub pair: ContactPair,
    /// origin of the plane, world axes
    pub point: Vec3,
    /// axes of the plane in world axes: x and y in it, z is the normal, out of b towards a
    pub axes: Mat3,
    vertices: [Vertex; MAX_VERTICES],
    count: usize,
}

/// Two shapes in contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactPair {
    /// identity
    pub key: PatchKey,
    /// supported body
    pub a: BodyIx,
    /// supporting body
    pub b: BodyIx,
    /// supported link
    pub link_a: LinkHandle,
    /// supporting link; `None` for scenery
    pub link_b: Option<LinkHandle>,
    /// index of the supporting scenery
    pub scenery: Option<u32>,
    /// friction and restitution of the two materials
    pub surface: Surface,
}

impl Patch {
    /// A patch from its points: identity, position on the surface of b in world axes, gap. `None` without points, or with
    /// numbers that are not finite.
    ///
    /// # Panics
    /// With more points than [`MAX_VERTICES`].
    pub fn new(pair: ContactPair, normal: Vec3, points: &[(u32, Vec3, f64)]) -> Option<Patch> {
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
        Some(Patch { pair, point, axes, vertices, count })
    }

    /// The points, in the order of their identities.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// Smallest gap.
    pub fn gap(&self) -> f64 {
        self.vertices().iter().fold(f64::INFINITY, |m, v| m.min(v.gap))
    }

    /// World position of a point of the plane.
    pub fn place(&self, xy: [f64; 2]) -> Vec3 {
        self.point + self.axes.x.scale(xy[0]) + self.axes.y.scale(xy[1])
    }
}
