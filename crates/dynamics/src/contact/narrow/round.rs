//! Spheres and capsules against each other: as segments with a radius.
//!
//! Checked by: `tests/it/detect.rs`.

use super::segment::{self, Thick};
use super::{Form, Manifold, Placed, UP, direction, within};
use crate::spatial::Vec3;

/// A capsule as a segment.
pub fn thick(it: &Placed, radius: f64, half_length: f64) -> Thick {
    Thick { centre: it.origin(), along: it.axes().z, half: half_length, radius }
}

/// Contact of two spheres or capsules nearer than `margin`.
pub fn touch(a: Placed, b: Placed, margin: f64, out: &mut Manifold) {
    match (a.form, b.form) {
        (&Form::Sphere { radius: ra }, &Form::Sphere { radius: rb }) => {
            balls(a.origin(), ra, b.origin(), rb, UP, margin, out);
        }
        (&Form::Sphere { radius: ra }, &Form::Capsule { radius: rb, half_length }) => {
            let b = thick(&b, rb, half_length);
            let s = within(b.along.dot(a.origin() - b.centre), b.half);
            balls(a.origin(), ra, b.at(s), rb, b.along.any_perpendicular(), margin, out);
        }
        (Form::Capsule { .. }, Form::Sphere { .. }) => {
            touch(b, a, margin, out);
            out.flip();
        }
        (&Form::Capsule { radius: ra, half_length: la }, &Form::Capsule { radius: rb, half_length: lb }) => {
            segment::touch(&thick(&a, ra, la), &thick(&b, rb, lb), margin, 0, out)
        }
        _ => {}
    }
}

/// Two balls; `spare` is the normal when their centres coincide.
fn balls(a: Vec3, ra: f64, b: Vec3, rb: f64, spare: Vec3, margin: f64, out: &mut Manifold) {
    let (n, distance) = direction(a - b).unwrap_or((spare, 0.0));
    let gap = distance - ra - rb;
    if gap <= margin {
        out.normal = n;
        out.push(0, n.mad(rb, b), gap);
    }
}
