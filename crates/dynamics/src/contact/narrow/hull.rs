//! Convex hulls of points: corners and flat faces.
//!
//! Source: the hull is that of `parry3d-f64`, which joins triangles of one plane into faces.
//! Checked by: `tests/it/detect.rs`.

use crate::spatial::{Vec3, vec3};
use parry3d_f64::math::Vector;
use parry3d_f64::shape::ConvexPolyhedron;

/// A convex solid with flat faces.
#[derive(Clone, Debug, Default)]
pub struct Hull {
    /// corners
    pub points: Vec<Vec3>,
    /// faces
    faces: Vec<HullFace>,
    /// corners of the faces, counterclockwise from outside
    ring: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct HullFace {
    normal: Vec3,
    first: u32,
    count: u32,
}

impl Hull {
    /// The hull of points; `None` if they are coplanar.
    pub fn new(points: &[Vec3]) -> Option<Hull> {
        if points.len() < 4 || !points.iter().all(|p| p.is_finite()) {
            return None;
        }
        let points: Vec<_> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        let (corners, triangles) = parry3d_f64::transformation::try_convex_hull(&points).ok()?;
        let solid = ConvexPolyhedron::from_convex_mesh(corners, &triangles)?;
        let mut hull = Hull { points: solid.points().iter().map(ours).collect(), ..Hull::default() };
        for f in solid.faces() {
            let (first, count) = (f.first_vertex_or_edge as usize, f.num_vertices_or_edges as usize);
            let ring = &solid.vertices_adj_to_face()[first..first + count];
            hull.add_face(ours(&f.normal), ring);
        }
        (!hull.faces.is_empty()).then_some(hull)
    }

    fn add_face(&mut self, normal: Vec3, ring: &[u32]) {
        let at = |i: usize| self.points[ring[i % ring.len()] as usize];
        // Newell's normal gives the orientation of the ring, and the mean plane of its corners
        let newell = (0..ring.len()).fold(Vec3::ZERO, |s, i| s + (at(i) - at(0)).cross(at(i + 1) - at(0)));
        let Some(newell) = newell.normalized() else { return };
        let is_forward = newell.dot(normal) > 0.0;
        let face = HullFace {
            normal: if is_forward { newell } else { -newell },
            first: self.ring.len() as u32,
            count: ring.len() as u32,
        };
        self.faces.push(face);
        if is_forward {
            self.ring.extend(ring);
        } else {
            self.ring.extend(ring.iter().rev());
        }
    }

    /// Number of the corner farthest in a direction.
    pub fn support(&self, toward: Vec3) -> usize {
        let along = |i: usize| self.points[i].dot(toward);
        let mut best = (0, along(0));
        for i in 1..self.points.len() {
            let x = along(i);
            if x > best.1 {
                best = (i, x);
            }
        }
        best.0
    }

    /// Of the faces at the corner farthest in a direction, the one that looks there most: its normal, number, corners.
    pub fn facing(&self, toward: Vec3) -> Option<(Vec3, usize, &[u32])> {
        let corner = self.support(toward) as u32;
        let mut best: Option<(f64, usize)> = None;
        for (i, f) in self.faces.iter().enumerate() {
            let along = f.normal.dot(toward);
            if best.is_none_or(|b| along > b.0) && self.ring_of(f).contains(&corner) {
                best = Some((along, i));
            }
        }
        let (_, i) = best?;
        Some((self.faces[i].normal, i, self.ring_of(&self.faces[i])))
    }

    fn ring_of(&self, f: &HullFace) -> &[u32] {
        &self.ring[f.first as usize..(f.first + f.count) as usize]
    }
}

fn ours(v: &Vector) -> Vec3 {
    vec3(v.x, v.y, v.z)
}
