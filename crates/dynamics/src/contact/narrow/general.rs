//! Any two convex shapes: nearest or deepest direction by GJK and EPA, then the features there.
//!
//! Computes  the direction of largest separation; along it a face clipped by a face, two parallel lines, or a point.
//! Source: GJK and EPA of `parry3d-f64`.
//! We differ: a flat face that separates as well as the direction found, within a bias, gives the normal: near contact
//! the difference of the nearest points has no digits left, a face has all. Every separation is measured again by
//! support points.
//! Checked by: `tests/it/detect.rs` (`parry3d-f64`, sampling).

use super::clip::{Face, Owner, face_face};
use super::segment::{self, Thick};
use super::{Form, Manifold, Placed, direction};
use crate::spatial::{Transform, Vec3, vec3};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

/// Faces are preferred by this part of the size of the shapes ...
const BIAS_SIZE: f64 = 1e-6;
/// ... and this part of the separation.
const BIAS_RELATIVE: f64 = 1e-4;
/// Identities of points start here, after those of faces.
const LINES: u32 = 1 << 28;
const POINT: u32 = 1 << 29;
/// Refinement steps for the direction of rounded shapes.
const POLISH: usize = 12;

/// Buffers.
pub struct Work {
    simplex: VoronoiSimplex,
    epa: EPA,
}

impl Default for Work {
    fn default() -> Work {
        Work { simplex: VoronoiSimplex::new(), epa: EPA::new() }
    }
}

impl Clone for Work {
    fn clone(&self) -> Work {
        Work::default()
    }
}

impl core::fmt::Debug for Work {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        f.write_str("Work")
    }
}

/// The core of a form for `parry3d-f64`.
struct Core<'a>(&'a Form);

impl SupportMap for Core<'_> {
    fn local_support_point(&self, d: Vector) -> Vector {
        theirs(self.0.core_support(vec3(d.x, d.y, d.z)))
    }
}

fn theirs(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// Direction of largest separation, and the point of the core of b it was found at.
struct Way {
    normal: Vec3,
    on_b: Vec3,
}

/// Contact of two convex shapes nearer than `margin`.
pub fn touch(a: Placed, b: Placed, margin: f64, work: &mut Work, out: &mut Manifold) {
    let b_from_a = b.world_from_it.inverse() * *a.world_from_it;
    let is_sane = |v: Vec3| v.dot(v) < 1e12;
    let r = &b_from_a.rotation;
    if ![b_from_a.translation, r.x, r.y, r.z].into_iter().all(is_sane) {
        return;
    }
    let Some(mut way) = shortest(a, b, &b_from_a, margin, work) else { return };
    polish(&a, &b, &mut way);
    let measure = |n: Vec3| n.dot(a.support(-n) - b.support(n));
    let straight = measure(way.normal);
    let face_b = b.flat(way.normal).map(|f| (measure(f.0), f));
    let face_a = a.flat(-way.normal).map(|f| (measure(-f.0), f));
    let best = face_a.iter().chain(&face_b).fold(straight, |m, f| f.0.max(m));
    if !(best <= margin) {
        return;
    }
    let size = a.form.bounds().2.min(b.form.bounds().2);
    let bias = BIAS_SIZE * size + BIAS_RELATIVE * best.abs();
    let is_shown = |out: &Manifold| out.points().iter().any(|p| p.2 <= best + bias);
    if let Some((gap, (n, face, number))) = &face_b
        && *gap >= best - bias
    {
        out.normal = *n;
        face_face(face, Owner::B, &a.feature(-*n), margin, number << 16, out);
        if is_shown(out) {
            return;
        }
    }
    if let Some((gap, (n, face, number))) = &face_a
        && *gap >= best - bias
    {
        out.clear();
        out.normal = -*n;
        face_face(face, Owner::A, &b.feature(*n), margin, (256 + number) << 16, out);
        if is_shown(out) {
            return;
        }
    }
    out.clear();
    out.normal = way.normal;
    lines(&a, &b, way.normal, size, margin, out);
    if is_shown(out) {
        return;
    }
    out.clear();
    let on_b = way.on_b + way.normal.scale(b.form.rounding());
    if straight <= margin {
        out.push(POINT, on_b, straight);
    }
}

/// By GJK, and by EPA where the cores overlap. In b's frame, as the first shape.
fn shortest(a: Placed, b: Placed, b_from_a: &Transform, margin: f64, work: &mut Work) -> Option<Way> {
    let (core_b, core_a) = (Core(b.form), Core(a.form));
    let [w, x, y, z] = b_from_a.orientation().0;
    let at = Pose::from_parts(theirs(b_from_a.translation), Rotation::from_xyzw(x, y, z, w));
    let first = direction(b_from_a.translation).map_or(super::UP, |d| d.0);
    let simplex = &mut work.simplex;
    simplex.reset(CsoPoint::from_shapes(&at, &core_b, &core_a, theirs(first)));
    let reach = margin + a.form.rounding() + b.form.rounding();
    let found = match gjk::closest_points(&at, &core_b, &core_a, reach, true, simplex) {
        GJKResult::Intersection => work.epa.closest_points(&at, &core_b, &core_a, simplex),
        GJKResult::ClosestPoints(p, q, n) => Some((p, q, n)),
        GJKResult::Proximity(_) => None,
        GJKResult::NoIntersection(_) => return None,
    };
    let world = |v: Vector| b.world_from_it.point(vec3(v.x, v.y, v.z));
    let way = found.and_then(|(p, _, n)| {
        let normal = b.axes().mul(vec3(n.x, n.y, n.z)).normalized()?;
        Some(Way { normal, on_b: world(p) })
    });
    // nothing found: along the centres
    Some(way.unwrap_or_else(|| {
        let n = direction(a.origin() - b.origin()).map_or(super::UP, |d| d.0);
        Way { normal: n, on_b: b.support(n) }
    }))
}

/// Climbs to the largest separation of shapes with curved surfaces, where GJK and EPA stop early.
fn polish(a: &Placed, b: &Placed, way: &mut Way) {
    let is_curved = |p: &Placed| matches!(p.form, Form::Ellipsoid { .. } | Form::Cylinder { .. });
    if !(is_curved(a) || is_curved(b)) {
        return;
    }
    let see = |n: Vec3| {
        let (p, q) = (a.support(-n), b.support(n));
        (n.dot(p - q), p, q)
    };
    let mut n = way.normal;
    let (mut gap, mut p, mut q) = see(n);
    let mut step = 1.0 / (a.form.bounds().2 + b.form.bounds().2 + gap.abs());
    let mut is_better = false;
    for _ in 0..POLISH {
        let aside = (p - q) - n.scale(gap);
        let Some((next, _)) = direction(n + aside.scale(step)) else { break };
        let (g, pp, qq) = see(next);
        if g > gap {
            (n, gap, p, q) = (next, g, pp, qq);
            step *= 2.0;
            is_better = true;
        } else {
            step *= 0.25;
        }
    }
    if is_better {
        *way = Way { normal: n, on_b: q - n.scale(b.form.rounding()) };
    }
}

/// Two nearly parallel lines on the surfaces.
fn lines(a: &Placed, b: &Placed, n: Vec3, size: f64, margin: f64, out: &mut Manifold) {
    let (fa, fb) = (a.feature(-n), b.feature(n));
    let (Some(on_a), Some(on_b)) = (line(&fa), line(&fb)) else { return };
    let (s, _) = segment::closest(&on_a, &on_b);
    let cross = on_a.along.cross(on_b.along);
    if let Some(ends) = segment::stretch(&on_a, &on_b, s, cross, size) {
        segment::push_ends(&on_a, &on_b, n, ends, margin, LINES, out);
    }
}

fn line(f: &Face) -> Option<Thick> {
    let [p, q] = f.corners() else { return None };
    let (along, length) = direction(q.place - p.place)?;
    let centre = p.place + (q.place - p.place).scale(0.5);
    Some(Thick { centre, along, half: 0.5 * length, radius: 0.0 })
}
