//! Shapes against everything below a plane: the shape's lowest features, exactly.
//!
//! Computes  gap = n . (p - o) at the corners, ends or rim points p of the shape; place = p - gap n.
//! Checked by: `tests/it/detect.rs`.

use super::hull::Hull;
use super::{Form, Manifold, Placed, direction};
use crate::spatial::{Mat3, Vec3};

/// A cylinder with its axis this near to the normal has no lowest side.
const UPRIGHT: f64 = 1e-9;

/// Contact of `a` nearer to the plane than `margin`.
pub fn touch(a: Placed, n: Vec3, point: Vec3, margin: f64, out: &mut Manifold) {
    out.normal = n;
    let centre = a.origin();
    let height = n.dot(centre - point);
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
        &Form::Cylinder { radius, half_length } => {
            rims(centre, height, axes, radius, half_length, n, margin, out)
        }
        Form::Ellipsoid { .. } => {
            let p = a.support(-n);
            see(0, p, n.dot(p - point));
        }
        Form::Convex(hull) => hull_corners(a, hull, n, point, margin, out),
        Form::Plane | Form::Heights(_) => {}
    }
}

/// Points on the rims of a cylinder: on each the lowest and three others a quarter turn on.
#[allow(clippy::too_many_arguments)] // one cylinder, one plane
fn rims(
    centre: Vec3,
    height: f64,
    axes: &Mat3,
    radius: f64,
    half_length: f64,
    n: Vec3,
    margin: f64,
    out: &mut Manifold,
) {
    let along = axes.z;
    let down = along.scale(along.dot(n)) - n;
    let x = if down.dot(down) < UPRIGHT * UPRIGHT { axes.x } else { direction(down).map_or(axes.x, |d| d.0) };
    let (x, y) = (x.scale(radius), along.cross(x).scale(radius));
    let (rise_x, rise_y) = (n.dot(x), n.dot(y));
    for (cap, end) in [-half_length, half_length].into_iter().enumerate() {
        let (middle, up) = (centre + along.scale(end), height + end * along.dot(n));
        let quarters = [(x, rise_x), (y, rise_y), (-x, -rise_x), (-y, -rise_y)];
        for (quarter, (aside, rise)) in quarters.into_iter().enumerate() {
            let gap = up + rise;
            if gap <= margin {
                out.push((4 * cap + quarter) as u32, middle + aside - n.scale(gap), gap);
            }
        }
    }
}

/// Corners of a hull, or the outermost ones if many are near.
fn hull_corners(a: Placed, hull: &Hull, n: Vec3, point: Vec3, margin: f64, out: &mut Manifold) {
    const ROOM: usize = 64;
    let mut near = [(0, Vec3::ZERO, 0.0); ROOM];
    let mut count = 0;
    for (id, p) in hull.points.iter().enumerate() {
        let p = a.world_from_it.point(*p);
        let gap = n.dot(p - point);
        if !(gap <= margin) {
            continue;
        }
        let it = (id as u32, p - n.scale(gap), gap);
        if count < ROOM {
            near[count] = it;
            count += 1;
        } else if let Some(high) = near.iter_mut().max_by(|p, q| p.2.total_cmp(&q.2))
            && gap < high.2
        {
            // more than there is room for: the lowest
            *high = it;
        }
    }
    out.push_extreme(&near[..count]);
}

/// Corners of a box, numbered by the signs of x (1), y (2), z (4).
#[inline(always)]
fn corners(centre: Vec3, height: f64, axes: &Mat3, half: Vec3, n: Vec3, margin: f64, out: &mut Manifold) {
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
