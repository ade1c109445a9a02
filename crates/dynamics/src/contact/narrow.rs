//! Narrow phase: normal, points and gaps of a pair of shapes.
//!
//! Computes  for shapes a and b nearer than a margin: the unit normal out of b towards a, up to eight points on the
//!           surface of b, and the gap at each along the normal (negative where they overlap).
//! Source: textbook geometry ([`boxes`] by separating axes, [`general`] by GJK and EPA of `parry3d-f64`).
//! We differ: no state between steps; identities of points come from the touching features.
//! Not here: candidate pairs (`collider`, `broad`).
//! Checked by: `tests/it/detect.rs` (distances and normals of `parry3d-f64`, sampling).

mod box_round;
mod boxes;
mod clip;
mod feature;
mod general;
mod heights;
mod hull;
mod plane;
mod round;
mod segment;

pub(super) use general::Work;
pub(super) use heights::Field;
pub(super) use hull::Hull;

use super::patch::MAX_VERTICES;
use crate::spatial::{Mat3, Transform, Vec3, vec3};

/// Shorter vectors have no direction.
const NO_LENGTH: f64 = 1e-100;
/// Normal where geometry offers none.
const UP: Vec3 = vec3(0.0, 0.0, 1.0);

/// A solid in its own frame.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// everything below z = 0
    Plane,
    /// ball
    Sphere { radius: f64 },
    /// segment along z, thickened
    Capsule { radius: f64, half_length: f64 },
    /// box
    Box { half: Vec3 },
    /// along z
    Cylinder { radius: f64, half_length: f64 },
    /// ellipsoid
    Ellipsoid { half: Vec3 },
    /// convex hull
    Convex(Hull),
    /// height field
    Heights(Field),
}

/// Identity, position on the surface of b, gap.
pub(super) type Point = (u32, Vec3, f64);

/// A common plane and up to [`MAX_VERTICES`] points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manifold {
    /// out of b towards a
    pub normal: Vec3,
    /// part of b
    pub part: u32,
    points: [Point; MAX_VERTICES],
    count: usize,
}

impl Default for Manifold {
    fn default() -> Manifold {
        Manifold { normal: UP, part: 0, points: [(0, Vec3::ZERO, 0.0); MAX_VERTICES], count: 0 }
    }
}

impl Manifold {
    /// Removes the points.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
        self.part = 0;
    }

    /// Adds a point while there is room.
    #[inline(always)]
    pub fn push(&mut self, id: u32, place: Vec3, gap: f64) {
        if let Some(p) = self.points.get_mut(self.count) {
            *p = (id, place, gap);
            self.count += 1;
        }
    }

    /// The points.
    #[inline(always)]
    pub fn points(&self) -> &[Point] {
        &self.points[..self.count]
    }

    /// Exchanges a and b.
    fn flip(&mut self) {
        for p in &mut self.points[..self.count] {
            p.1 += self.normal.scale(p.2);
        }
        self.normal = -self.normal;
    }

    /// Keeps at most [`MAX_VERTICES`] points: the extreme ones in eight directions of the plane, and the deepest.
    fn push_extreme(&mut self, points: &[Point]) {
        if points.len() <= MAX_VERTICES {
            points.iter().for_each(|p| self.push(p.0, p.1, p.2));
            return;
        }
        const D: f64 = core::f64::consts::FRAC_1_SQRT_2;
        const DIRECTIONS: [[f64; 2]; 8] =
            [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [D, D], [-D, D], [-D, -D], [D, -D]];
        let x = self.normal.any_perpendicular();
        let y = self.normal.cross(x);
        let mut kept = [usize::MAX; MAX_VERTICES];
        let mut count = 0;
        let largest = |measure: &dyn Fn(&Point) -> f64| {
            (1..points.len()).fold(0, |m, i| if measure(&points[i]) > measure(&points[m]) { i } else { m })
        };
        let deepest = largest(&|p| -p.2);
        for [dx, dy] in DIRECTIONS {
            let far = largest(&|p| p.1.dot(x) * dx + p.1.dot(y) * dy);
            if !kept[..count].contains(&far) {
                kept[count] = far;
                count += 1;
            }
        }
        if !kept[..count].contains(&deepest) {
            count = (count + 1).min(MAX_VERTICES);
            kept[count - 1] = deepest;
        }
        for &i in &kept[..count] {
            let p = &points[i];
            self.push(p.0, p.1, p.2);
        }
    }
}

impl Form {
    /// Middle and half edges of a box around it, and the radius of a ball about that middle. A plane has no box.
    pub fn bounds(&self) -> (Vec3, Vec3, f64) {
        let endless = f64::INFINITY;
        match *self {
            Form::Plane => (Vec3::ZERO, vec3(endless, endless, endless), endless),
            Form::Sphere { radius: r } => (Vec3::ZERO, vec3(r, r, r), r),
            Form::Capsule { radius: r, half_length: l } => (Vec3::ZERO, vec3(r, r, l + r), l + r),
            Form::Box { half } => (Vec3::ZERO, half, half.norm()),
            Form::Cylinder { radius: r, half_length: l } => {
                (Vec3::ZERO, vec3(r, r, l), vec3(r, 0.0, l).norm())
            }
            Form::Ellipsoid { half } => (Vec3::ZERO, half, half.x.max(half.y).max(half.z)),
            Form::Convex(ref hull) => around(&hull.points),
            Form::Heights(ref field) => field.bounds(),
        }
    }
}

/// A form with its pose.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub form: &'a Form,
    pub world_from_it: &'a Transform,
}

impl Placed<'_> {
    #[inline(always)]
    fn origin(&self) -> Vec3 {
        self.world_from_it.translation
    }
    #[inline(always)]
    fn axes(&self) -> &Mat3 {
        &self.world_from_it.rotation
    }
}

/// Middle, half edges and radius of a box and ball around points.
fn around(points: &[Vec3]) -> (Vec3, Vec3, f64) {
    let endless = f64::INFINITY;
    let mut low = vec3(endless, endless, endless);
    let mut high = -low;
    for p in points {
        low = vec3(low.x.min(p.x), low.y.min(p.y), low.z.min(p.z));
        high = vec3(high.x.max(p.x), high.y.max(p.y), high.z.max(p.z));
    }
    let middle = (low + high).scale(0.5);
    let radius = points.iter().fold(0.0, |m: f64, p| m.max((*p - middle).norm()));
    (middle, (high - low).scale(0.5), radius)
}

/// Contact points of a and b nearer than `margin`. Neither is a height field.
pub(super) fn touch(a: Placed, b: Placed, margin: f64, work: &mut Work, out: &mut Manifold) {
    out.clear();
    match (a.form, b.form) {
        (_, Form::Plane) => plane::touch(a, b.axes().z, b.origin(), margin, out),
        (&Form::Box { half: ha }, &Form::Box { half: hb }) => boxes::touch(a, ha, b, hb, margin, out),
        (Form::Sphere { .. } | Form::Capsule { .. }, Form::Sphere { .. } | Form::Capsule { .. }) => {
            round::touch(a, b, margin, out);
        }
        (&Form::Sphere { radius }, &Form::Box { half }) => {
            box_round::sphere(a.origin(), radius, b, half, margin, out);
        }
        (&Form::Capsule { radius, half_length }, &Form::Box { half }) => {
            box_round::capsule(a, radius, half_length, b, half, margin, out);
        }
        (Form::Plane, _) | (Form::Box { .. }, Form::Sphere { .. } | Form::Capsule { .. }) => {
            touch(b, a, margin, work, out);
            out.flip();
        }
        (Form::Heights(_), _) | (_, Form::Heights(_)) => {}
        _ => general::touch(a, b, margin, work, out),
    }
}

/// Contact points of a nearer to a height field than `margin`, by part.
pub(super) fn touch_heights(
    a: Placed,
    field: &Field,
    world_from_field: &Transform,
    margin: f64,
    work: &mut Work,
    found: &mut Vec<Manifold>,
) {
    heights::touch(a, field, world_from_field, margin, work, found);
}

/// Direction and length of a vector; `None` for one without a direction.
#[inline(always)]
fn direction(v: Vec3) -> Option<(Vec3, f64)> {
    let n = v.norm();
    (n > NO_LENGTH && n.is_finite()).then(|| (v.scale(1.0 / n), n))
}

/// Component by number.
#[inline(always)]
fn columns(m: &Mat3) -> [Vec3; 3] {
    [m.x, m.y, m.z]
}

/// Clamps to -l and l; unlike `clamp` it accepts any numbers.
#[inline(always)]
fn within(x: f64, l: f64) -> f64 {
    x.min(l).max(-l)
}
