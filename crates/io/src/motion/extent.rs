//! How far the shapes of a link reach in a direction, and where a link that carries nothing ends.

use anthropi_dynamics::model::{LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Shorter is no direction, m.
const NO_LENGTH: f64 = 1e-6;

/// Largest component along a unit direction of any point of a shape, link axes.
fn reach(placed: &PlacedShape, direction: Vec3) -> f64 {
    let t = &placed.link_from_shape;
    let d = t.rotation.tr_mul(direction);
    let own = match &placed.shape {
        Shape::Box { half } => half.x * d.x.abs() + half.y * d.y.abs() + half.z * d.z.abs(),
        Shape::Sphere { radius } => *radius,
        Shape::Ellipsoid { half } => vec3(half.x * d.x, half.y * d.y, half.z * d.z).norm(),
        Shape::Capsule { radius, half_length } => radius + half_length * d.z.abs(),
        Shape::Cylinder { radius, half_length } => radius * d.x.hypot(d.y) + half_length * d.z.abs(),
        Shape::Convex { points } => points.iter().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max),
    };
    own + t.translation.dot(direction)
}

/// Where a link ends that turns about `origin` and carries nothing: as far as its shapes reach, through their middle;
/// twice the way to its centre of mass if it has none. From `origin`, link axes.
pub(super) fn end(link: &LinkSpec, origin: Vec3) -> Vec3 {
    if link.shapes.is_empty() {
        let is_massive = link.inertia.mass > 0.0;
        return if is_massive { (link.inertia.center() - origin).scale(2.0) } else { Vec3::ZERO };
    }
    let middle = link.shapes.iter().fold(Vec3::ZERO, |sum, s| sum + middle(s));
    let way = middle.scale(1.0 / link.shapes.len() as f64) - origin;
    let far = |d: Vec3| {
        let reach = link.shapes.iter().map(|s| reach(s, d)).fold(f64::NEG_INFINITY, f64::max);
        reach - origin.dot(d)
    };
    if way.norm() > NO_LENGTH {
        let direction = way.scale(1.0 / way.norm());
        return direction.scale(far(direction));
    }
    let axes = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)];
    let longest = axes.into_iter().max_by(|a, b| far(*a).total_cmp(&far(*b)));
    longest.map_or(Vec3::ZERO, |d| d.scale(far(d)))
}

fn middle(placed: &PlacedShape) -> Vec3 {
    let own = match &placed.shape {
        Shape::Convex { points } => {
            points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / points.len().max(1) as f64)
        }
        _ => Vec3::ZERO,
    };
    placed.link_from_shape.point(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::{Inertia, Quat, Transform};

    #[test]
    fn a_limb_ends_where_its_capsule_does() {
        let turned = Quat::about(vec3(0.0, 1.0, 0.0), core::f64::consts::FRAC_PI_2);
        let capsule = PlacedShape {
            shape: Shape::Capsule { radius: 0.05, half_length: 0.2 },
            link_from_shape: Transform::new(vec3(0.25, 0.0, 0.0), turned),
        };
        let mut link = LinkSpec::new("arm", Inertia::ZERO);
        link.shapes.push(capsule);
        assert!((end(&link, Vec3::ZERO) - vec3(0.5, 0.0, 0.0)).norm() < 1e-12);
        assert!((end(&link, vec3(0.25, 0.0, 0.0)) - vec3(0.25, 0.0, 0.0)).norm() < 1e-12, "about its middle");
    }
}
