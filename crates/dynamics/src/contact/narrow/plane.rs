//! Shapes against everything below a plane: the shape's lowest features, exactly.
//!
//! Computes  gap = n . (p - o) at the corners, ends or rim points p of the shape; place = p - gap n.
//! Checked by: `tests/detect.rs`.

use super::{Form, Manifold, Placed};
use crate::spatial::{Transform, Vec3};

/// Where `a` is nearer to the plane than `margin`.
pub fn touch(a: Placed, plane: &Transform, margin: f64, out: &mut Manifold) {
    let n = plane.rotation.z;
    out.normal = n;
    let centre = a.origin();
    let height = n.dot(centre - plane.translation);
    let axes = a.axes();
    let mut see = |id: u32, place: Vec3, gap: f64| {
        if gap <= margin {
            out.push(id, place - n.scale(gap), gap);
        }
    };
    match a.form {
        &Form::Box { half } => corners(centre, height, axes, half, n, margin, out),
        &Form::Sphere { radius } => see(0, centre - n.scale(radius), height - radius),
        &Form::Capsule { radius, half_length } => {
            let end = axes.z.scale(half_length);
            let rise = n.dot(end);
            let foot = centre - n.scale(radius);
            see(0, foot - end, height - rise - radius);
            see(1, foot + end, height + rise - radius);
        }
        Form::Plane => {}
    }
}

/// Corners of a box, numbered by the signs of x (1), y (2), z (4).
#[inline(always)]
fn corners(
    centre: Vec3,
    height: f64,
    axes: &crate::spatial::Mat3,
    half: Vec3,
    n: Vec3,
    margin: f64,
    out: &mut Manifold,
) {
    let edges = [axes.x.scale(half.x), axes.y.scale(half.y), axes.z.scale(half.z)];
    let rises = edges.map(|e| n.dot(e));
    if height - rises[0].abs() - rises[1].abs() - rises[2].abs() > margin {
        return;
    }
    for id in 0..8u32 {
        let sign = |bit: u32| if id & bit != 0 { 1.0 } else { -1.0 };
        let (x, y, z) = (sign(1), sign(2), sign(4));
        let gap = height + x * rises[0] + y * rises[1] + z * rises[2];
        if gap <= margin {
            let p = centre + edges[0].scale(x) + edges[1].scale(y) + edges[2].scale(z);
            out.push(id, p - n.scale(gap), gap);
        }
    }
}
