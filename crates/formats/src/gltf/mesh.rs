//! Triangle meshes of shapes with normals, counter-clockwise from outside.

use super::hull;
use anthropi_dynamics::model::{PlacedShape, Shape};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use core::f64::consts::{FRAC_PI_2, PI, TAU};

/// Segments of a circle.
const AROUND: usize = 16;
/// Rings from pole to pole; even, to include the equator.
const RINGS: usize = 8;
/// Width of a bone relative to its length.
const SLENDER: f64 = 0.1;
/// Shorter bones are not drawn, m.
const NO_LENGTH: f64 = 1e-4;
/// Least sine of the angle of a triangle with a normal.
const THIN: f64 = 1e-9;

/// A triangle mesh.
#[derive(Debug, Default)]
pub(super) struct Mesh {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    /// three per triangle
    pub corners: Vec<u32>,
}

impl Mesh {
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// Adds a placed shape.
    pub fn add_shape(&mut self, placed: &PlacedShape) {
        let from = self.positions.len();
        let cube = |x: f64| vec3(x, x, x);
        match &placed.shape {
            Shape::Box { half } => self.solid_box(*half),
            Shape::Sphere { radius } => self.ball(cube(*radius), 0.0),
            Shape::Ellipsoid { half } => self.ball(*half, 0.0),
            Shape::Capsule { radius, half_length } => self.ball(cube(*radius), *half_length),
            Shape::Cylinder { radius, half_length } => self.cylinder(*radius, *half_length),
            Shape::Convex { points } => {
                hull::triangles(points).iter().for_each(|t| self.triangle(t.map(|i| points[i])));
            }
        }
        let t = &placed.link_from_shape;
        self.positions[from..].iter_mut().for_each(|p| *p = t.point(*p));
        self.normals[from..].iter_mut().for_each(|n| *n = t.rotation.mul(*n));
    }

    /// Adds a slender double pyramid from the origin to a point.
    pub fn add_bone(&mut self, to: Vec3) {
        let length = to.norm();
        if !(length > NO_LENGTH) {
            return;
        }
        let along = to.scale(1.0 / length);
        let side = along.any_perpendicular();
        let side = side.normalized().unwrap_or(side);
        let other = along.cross(side);
        let width = SLENDER * length;
        let ring = [side, other, -side, -other].map(|s| to.scale(0.2) + s.scale(width));
        for k in 0..4 {
            let (a, b) = (ring[k], ring[(k + 1) % 4]);
            self.triangle([a, b, to]);
            self.triangle([b, a, Vec3::ZERO]);
        }
    }

    /// Adds a flat triangle with its own vertices.
    fn triangle(&mut self, [a, b, c]: [Vec3; 3]) {
        let (u, v) = (b - a, c - a);
        let across = u.cross(v);
        if !(across.norm() > THIN * u.norm() * v.norm()) {
            return;
        }
        let normal = across.scale(1.0 / across.norm());
        let first = self.positions.len() as u32;
        self.positions.extend([a, b, c]);
        self.normals.extend([normal; 3]);
        self.corners.extend([first, first + 1, first + 2]);
    }

    fn solid_box(&mut self, half: Vec3) {
        let at = |x: f64, y: f64, z: f64| vec3(x * half.x, y * half.y, z * half.z);
        // the face towards z, and rotations to the others
        let quarter = |x, y, z| Quat::about(vec3(x, y, z), FRAC_PI_2);
        let turns = [
            Quat::IDENTITY,
            Quat::about(vec3(1.0, 0.0, 0.0), PI),
            quarter(1.0, 0.0, 0.0),
            quarter(-1.0, 0.0, 0.0),
            quarter(0.0, 1.0, 0.0),
            quarter(0.0, -1.0, 0.0),
        ];
        for turn in turns {
            let corner = |x: f64, y: f64| {
                let d = turn.rotate(vec3(x, y, 1.0));
                at(d.x.round(), d.y.round(), d.z.round())
            };
            let [a, b, c, d] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            self.triangle([a, b, c]);
            self.triangle([a, c, d]);
        }
    }

    /// An ellipsoid with its halves moved apart along z by `half_length` each.
    fn ball(&mut self, half: Vec3, half_length: f64) {
        let first = self.positions.len();
        // the equator is doubled if the halves are apart
        let mut rings: Vec<(f64, f64)> =
            (0..=RINGS).map(|n| (PI * n as f64 / RINGS as f64, half_length)).collect();
        rings.iter_mut().skip(RINGS / 2 + 1).for_each(|r| r.1 = -half_length);
        if half_length > 0.0 {
            rings.insert(RINGS / 2 + 1, (FRAC_PI_2, -half_length));
        }
        for (polar, shift) in &rings {
            for k in 0..=AROUND {
                let turn = TAU * k as f64 / AROUND as f64;
                let d = vec3(polar.sin() * turn.cos(), polar.sin() * turn.sin(), polar.cos());
                self.positions.push(vec3(half.x * d.x, half.y * d.y, half.z * d.z + shift));
                let normal = vec3(d.x / half.x, d.y / half.y, d.z / half.z);
                self.normals.push(normal.normalized().unwrap_or(d));
            }
        }
        for ring in 0..rings.len() - 1 {
            let is_cap = |n: usize| n == 0 || n == rings.len() - 1;
            for k in 0..AROUND {
                let at = |r: usize, k: usize| (first + r * (AROUND + 1) + k) as u32;
                let (a, b) = (at(ring, k), at(ring, k + 1));
                let (c, d) = (at(ring + 1, k + 1), at(ring + 1, k));
                if !is_cap(ring) {
                    self.corners.extend([a, d, b]);
                }
                if !is_cap(ring + 1) {
                    self.corners.extend([b, d, c]);
                }
            }
        }
    }

    fn cylinder(&mut self, radius: f64, half_length: f64) {
        let around = |k: usize| {
            let turn = TAU * k as f64 / AROUND as f64;
            vec3(turn.cos(), turn.sin(), 0.0)
        };
        let end = vec3(0.0, 0.0, half_length);
        let first = self.positions.len() as u32;
        for k in 0..=AROUND {
            self.positions.extend([around(k).scale(radius) + end, around(k).scale(radius) - end]);
            self.normals.extend([around(k); 2]);
        }
        for k in 0..AROUND as u32 {
            let (a, b) = (first + 2 * k, first + 2 * k + 2);
            self.corners.extend([a, a + 1, b, b, a + 1, b + 1]);
        }
        for k in 0..AROUND {
            let (a, b) = (around(k).scale(radius), around(k + 1).scale(radius));
            self.triangle([end, a + end, b + end]);
            self.triangle([-end, b - end, a - end]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::Transform;

    fn volume_and_normals(shape: Shape) -> (f64, f64) {
        let at = Transform::new(vec3(0.3, -0.2, 0.1), Quat::about(vec3(0.6, 0.0, 0.8), 1.0));
        let mut mesh = Mesh::default();
        mesh.add_shape(&PlacedShape { shape, link_from_shape: at });
        assert!(mesh.normals.iter().all(|n| (n.norm() - 1.0).abs() < 1e-9));
        let (mut volume, mut worst) = (0.0, f64::INFINITY);
        for t in mesh.corners.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|k| mesh.positions[t[k] as usize] - at.translation);
            volume += a.dot(b.cross(c)) / 6.0;
            let face = (b - a).cross(c - a);
            let face = face.scale(1.0 / face.norm());
            worst = t.iter().map(|k| mesh.normals[*k as usize].dot(face)).fold(worst, f64::min);
        }
        (volume, worst)
    }

    #[test]
    fn every_shape_is_closed_with_outward_normals() {
        let cube: Vec<Vec3> =
            (0..8).map(|k| vec3((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64)).collect();
        let shapes = [
            Shape::Box { half: vec3(0.1, 0.2, 0.3) },
            Shape::Sphere { radius: 0.2 },
            Shape::Ellipsoid { half: vec3(0.1, 0.2, 0.3) },
            Shape::Capsule { radius: 0.1, half_length: 0.3 },
            Shape::Cylinder { radius: 0.1, half_length: 0.3 },
            Shape::Convex { points: cube },
        ];
        for shape in shapes {
            let exact = shape.volume().unwrap();
            let (volume, facing) = volume_and_normals(shape.clone());
            // facets lie inside round shapes
            assert!(volume <= exact * 1.000_001 && volume > 0.85 * exact, "{shape:?}: {volume} of {exact}");
            assert!(facing > 0.7, "{shape:?}: {facing}");
        }
        let mut bone = Mesh::default();
        bone.add_bone(vec3(0.1, 0.2, -0.4));
        assert_eq!(bone.corners.len(), 24);
        bone.add_bone(Vec3::ZERO);
        assert_eq!(bone.corners.len(), 24);
    }
}
