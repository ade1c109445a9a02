//! Two thick segments: closest points, and the contact segment of nearly parallel ones.
//!
//! Computes  s, t with |s| <= l1, |t| <= l2 that bring c1 + s u1 and c2 + t u2 together as near as they can.
//! Source: textbook (clamped normal equations).
//! We differ: nearly parallel segments touch in two points. The contact segment is clipped where the surfaces curve
//! apart sideways, so that it shrinks to a point as the segments become crosswise.
//! Checked by: `tests/it/detect.rs` (sampling, `parry3d-f64`).

use super::{Manifold, direction, within};
use crate::spatial::Vec3;

/// Squared sine up to which segments count as nearly parallel.
const PARALLEL: f64 = 1e-2;
/// Sideways distance of the ends of a contact segment over the sum of the radii: the gap is half its square.
const SIDEWAYS: f64 = 1e-2;
/// Shorter contact segments are points, part of the segments.
const SHORT: f64 = 1e-9;

/// A segment with a radius.
#[derive(Clone, Copy, Debug)]
pub struct Thick {
    /// middle
    pub centre: Vec3,
    /// unit direction
    pub along: Vec3,
    /// half of its length
    pub half: f64,
    /// radius
    pub radius: f64,
}

impl Thick {
    /// Point at a distance from the middle.
    #[inline(always)]
    pub fn at(&self, s: f64) -> Vec3 {
        self.along.mad(s, self.centre)
    }
}

/// Distances from the middles of the two points that are nearest to each other.
#[inline(always)]
pub fn closest(a: &Thick, b: &Thick) -> (f64, f64) {
    let r = a.centre - b.centre;
    let (d, e) = (a.along.dot(r), b.along.dot(r));
    let cos = a.along.dot(b.along);
    let cross = a.along.cross(b.along);
    let sin2 = cross.dot(cross);
    let mut s = if sin2 > 1e-14 { (cos * e - d) / sin2 } else { -d };
    s = within(s, a.half);
    let t = cos * s + e;
    let held = within(t, b.half);
    if held != t {
        s = within(cos * held - d, a.half);
    }
    (s, held)
}

/// Contact of two thick segments nearer than `margin`. Identities: `first` for a point, the next two for a segment.
pub fn touch(a: &Thick, b: &Thick, margin: f64, first: u32, out: &mut Manifold) {
    let (s, t) = closest(a, b);
    let between = a.at(s) - b.at(t);
    let cross = a.along.cross(b.along);
    let (n, distance) = direction(between).unwrap_or_else(|| (outward(a, b, cross), 0.0));
    let radii = a.radius + b.radius;
    let gap = distance - radii;
    if !(gap <= margin) {
        return;
    }
    out.normal = n;
    match stretch(a, b, s, cross, radii) {
        Some(ends) => push_ends(a, b, n, ends, margin, first + 1, out),
        None => out.push(first, n.mad(b.radius, b.at(t)), gap),
    }
}

/// Adds the ends of a contact segment along a.
pub fn push_ends(a: &Thick, b: &Thick, n: Vec3, ends: [f64; 2], margin: f64, first: u32, out: &mut Manifold) {
    let (cos, e) = (a.along.dot(b.along), b.along.dot(a.centre - b.centre));
    for (id, s) in (first..).zip(ends) {
        let on_b = b.at(within(cos * s + e, b.half));
        let gap = n.dot(a.at(s) - on_b) - a.radius - b.radius;
        if gap <= margin {
            out.push(id, n.mad(b.radius, on_b), gap);
        }
    }
}

/// Normal of segments that cross: at right angles to both, towards a.
fn outward(a: &Thick, b: &Thick, cross: Vec3) -> Vec3 {
    let n = direction(cross).map_or_else(|| b.along.any_perpendicular(), |d| d.0);
    if n.dot(a.centre - b.centre) < 0.0 { -n } else { n }
}

/// Ends, along a, of the contact segment of nearly parallel segments.
pub fn stretch(a: &Thick, b: &Thick, s: f64, cross: Vec3, radii: f64) -> Option<[f64; 2]> {
    let sin2 = cross.dot(cross);
    if !(sin2 < PARALLEL) {
        return None;
    }
    let middle = a.along.dot(b.centre - a.centre);
    let reach = a.along.dot(b.along).abs() * b.half;
    let (mut low, mut high) = ((middle - reach).max(-a.half), (middle + reach).min(a.half));
    let sideways = SIDEWAYS * radii;
    if sin2 * (a.half + b.half) * (a.half + b.half) > sideways * sideways {
        let cut = sideways / sin2.sqrt();
        (low, high) = (low.max(s - cut), high.min(s + cut));
    }
    (high - low > SHORT * (a.half + b.half)).then_some([low, high])
}
