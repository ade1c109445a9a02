//! Support points and flat or straight features of forms.
//!
//! A form is a core and a radius: spheres are points, capsules segments; the others have no radius.

use super::clip::{Face, MAX_CORNERS};
use super::{Form, Placed, boxes, direction};
use crate::spatial::{Vec3, vec3};

/// Cosine between the axis of a cylinder and a direction above which its cap looks there.
const CAP: f64 = core::f64::consts::FRAC_1_SQRT_2;
/// Corners that stand for the rim of a cap.
const RIM: usize = 8;
/// Points within this of an axis have no azimuth about it.
const ON_AXIS: f64 = 1e-9;

impl Form {
    /// Radius around the core.
    pub fn rounding(&self) -> f64 {
        match *self {
            Form::Sphere { radius } | Form::Capsule { radius, .. } => radius,
            _ => 0.0,
        }
    }

    /// Point of the core farthest in a direction, in its own frame.
    pub fn core_support(&self, d: Vec3) -> Vec3 {
        let signed = |x: f64, size: f64| if x < 0.0 { -size } else { size };
        match self {
            Form::Sphere { .. } | Form::Plane | Form::Heights(_) => Vec3::ZERO,
            Form::Capsule { half_length, .. } => vec3(0.0, 0.0, signed(d.z, *half_length)),
            Form::Box { half } => vec3(signed(d.x, half.x), signed(d.y, half.y), signed(d.z, half.z)),
            Form::Cylinder { radius, half_length } => {
                let r = (d.x * d.x + d.y * d.y).sqrt();
                let k = if r > 0.0 { radius / r } else { 0.0 };
                vec3(d.x * k, d.y * k, signed(d.z, *half_length))
            }
            Form::Ellipsoid { half: h } => {
                let s = vec3(h.x * d.x, h.y * d.y, h.z * d.z);
                let k = s.norm();
                if k > 0.0 { vec3(h.x * s.x / k, h.y * s.y / k, h.z * s.z / k) } else { vec3(0.0, 0.0, h.z) }
            }
            Form::Convex(hull) => hull.points[hull.support(d)],
        }
    }
}

impl Placed<'_> {
    /// Highest point along a unit direction, world axes.
    pub fn support(&self, toward: Vec3) -> Vec3 {
        let d = self.axes().tr_mul(toward);
        self.world_from_it.point(self.form.core_support(d)) + toward.scale(self.form.rounding())
    }

    /// The flat face that looks in a direction most: outward normal, the face, its number.
    pub fn flat(&self, toward: Vec3) -> Option<(Vec3, Face, u32)> {
        match self.form {
            &Form::Box { half } => {
                let (n, face, code) = boxes::facing(*self, half, toward);
                Some((n, face, code))
            }
            &Form::Cylinder { radius, half_length } => {
                let is_top = self.axes().z.dot(toward) >= 0.0;
                let n = if is_top { self.axes().z } else { -self.axes().z };
                Some((n, self.cap(radius, half_length, is_top, toward), u32::from(is_top)))
            }
            Form::Convex(hull) => {
                let (n, number, ring) = hull.facing(self.axes().tr_mul(toward))?;
                let mut face = Face::empty();
                // of a face with too many corners, some
                let step = ring.len().div_ceil(MAX_CORNERS).max(1);
                for (k, &c) in ring.iter().step_by(step).enumerate() {
                    face.push(c & 0xfff, k as u32, self.world_from_it.point(hull.points[c as usize]));
                }
                Some((self.axes().mul(n), face, number as u32 & 0xff))
            }
            _ => None,
        }
    }

    /// What meets something that lies in a direction: a face, a segment or a point, on the surface.
    pub fn feature(&self, toward: Vec3) -> Face {
        match self.form {
            &Form::Capsule { radius, half_length } => self.line(toward.scale(radius), half_length),
            &Form::Cylinder { radius, half_length } => {
                let along = self.axes().z.dot(toward);
                if along.abs() > CAP {
                    return self.cap(radius, half_length, along > 0.0, toward);
                }
                self.line(self.azimuth(toward).scale(radius), half_length)
            }
            Form::Box { .. } | Form::Convex(_) if let Some((_, face, _)) = self.flat(toward) => face,
            _ => {
                let mut point = Face::empty();
                point.push(0, 0, self.support(toward));
                point
            }
        }
    }

    /// A line along z, moved aside.
    fn line(&self, aside: Vec3, half_length: f64) -> Face {
        let mut face = Face::empty();
        let (centre, end) = (self.origin() + aside, self.axes().z.scale(half_length));
        face.push(30, 30, centre - end);
        face.push(31, 30, centre + end);
        face
    }

    /// The direction about z nearest to another; x of the body where there is none.
    fn azimuth(&self, toward: Vec3) -> Vec3 {
        let z = self.axes().z;
        let aside = toward - z.scale(z.dot(toward));
        if aside.dot(aside) < ON_AXIS * ON_AXIS {
            self.axes().x
        } else {
            direction(aside).map_or(self.axes().x, |d| d.0)
        }
    }

    /// Corners on the rim of a cap, the first one farthest in a direction.
    fn cap(&self, radius: f64, half_length: f64, is_top: bool, toward: Vec3) -> Face {
        const D: f64 = core::f64::consts::FRAC_1_SQRT_2;
        const TURN: [[f64; 2]; RIM] =
            [[1.0, 0.0], [D, D], [0.0, 1.0], [-D, D], [-1.0, 0.0], [-D, -D], [0.0, -1.0], [D, -D]];
        let z = if is_top { self.axes().z } else { -self.axes().z };
        let x = self.azimuth(toward);
        let y = z.cross(x);
        let centre = self.origin() + z.scale(half_length);
        let mut face = Face::empty();
        for (k, [c, s]) in TURN.into_iter().enumerate() {
            let id = k as u32 + if is_top { RIM as u32 } else { 0 };
            face.push(id, id, centre + x.scale(radius * c) + y.scale(radius * s));
        }
        face
    }
}
