//! Solid shapes of links, and their mass properties from a density.
//!
//! Computes  mass, centre and second moment of a homogeneous solid.
//! Source: textbook integrals; convex hulls by `parry3d-f64`. [L1992 App. 5A] prints wrong moments of the box: these
//! are derived (centroidal moments, then the parallel-axis theorem).
//! Not here: contact.
//! Checked by: tests below (Monte-Carlo-free: each against a decomposition into other shapes).

use crate::error::Error;
use crate::spatial::{Inertia, Sym3, Transform, Vec3, vec3};
use core::f64::consts::PI;
use parry3d_f64::mass_properties::MassProperties;

/// Smallest volume of a convex shape, against the cube of its size.
const FLAT: f64 = 1e-12;

/// A solid, centred at its own origin.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// right-angled, with half of each edge
    Box {
        /// half edges
        half: Vec3,
    },
    /// ball
    Sphere {
        /// radius
        radius: f64,
    },
    /// half edges along the axes
    Ellipsoid {
        /// half axes
        half: Vec3,
    },
    /// cylinder along z with a half ball at each end
    Capsule {
        /// radius
        radius: f64,
        /// half of the cylindrical part's length
        half_length: f64,
    },
    /// along z
    Cylinder {
        /// radius
        radius: f64,
        /// half of the length
        half_length: f64,
    },
    /// convex hull of points
    Convex {
        /// its points
        points: Vec<Vec3>,
    },
}

/// A shape somewhere on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedShape {
    /// the solid
    pub shape: Shape,
    /// where it is
    pub link_from_shape: Transform,
}

impl Shape {
    /// Checks that every size is positive and finite.
    pub fn check(&self) -> Result<(), Error> {
        let positive = |what: &str, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(Error::OutOfRange { what: what.into(), value, expected: "more than zero" })
            }
        };
        match self {
            Shape::Box { half } | Shape::Ellipsoid { half } => {
                half.to_array().into_iter().try_for_each(|h| positive("half edge of a shape", h))
            }
            Shape::Sphere { radius } => positive("radius of a sphere", *radius),
            Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
                positive("radius of a shape", *radius)?;
                positive("half length of a shape", *half_length)
            }
            Shape::Convex { points } => match points.iter().find(|p| !p.is_finite()) {
                Some(_) => Err(Error::NotFinite { what: "a point of a convex shape".into() }),
                None => self.inertia(1.0).map(|_| ()),
            },
        }
    }

    /// Volume of the solid.
    pub fn volume(&self) -> Result<f64, Error> {
        Ok(self.inertia(1.0)?.mass)
    }

    /// Mass properties of the solid at a density, in its own frame.
    pub fn inertia(&self, density: f64) -> Result<Inertia, Error> {
        let centred = |mass: f64, d: Vec3| Inertia::about_center(mass, Vec3::ZERO, Sym3::diagonal(d));
        Ok(match *self {
            Shape::Box { half: h } => {
                let m = density * 8.0 * h.x * h.y * h.z;
                let (x, y, z) = (h.x * h.x, h.y * h.y, h.z * h.z);
                centred(m, vec3(y + z, x + z, x + y).scale(m / 3.0))
            }
            Shape::Sphere { radius: r } => {
                let m = density * 4.0 / 3.0 * PI * r * r * r;
                centred(m, vec3(1.0, 1.0, 1.0).scale(0.4 * m * r * r))
            }
            Shape::Ellipsoid { half: h } => {
                let m = density * 4.0 / 3.0 * PI * h.x * h.y * h.z;
                let (x, y, z) = (h.x * h.x, h.y * h.y, h.z * h.z);
                centred(m, vec3(y + z, x + z, x + y).scale(m / 5.0))
            }
            Shape::Cylinder { radius: r, half_length: l } => {
                let m = density * PI * r * r * 2.0 * l;
                let side = m * (r * r / 4.0 + l * l / 3.0);
                centred(m, vec3(side, side, m * r * r / 2.0))
            }
            Shape::Capsule { radius: r, half_length: l } => {
                let shaft = density * PI * r * r * 2.0 * l;
                let balls = density * 4.0 / 3.0 * PI * r * r * r;
                // half balls: centre 3r/8 beyond the shaft's end
                let side = shaft * (r * r / 4.0 + l * l / 3.0) + balls * (0.4 * r * r + l * l + 0.75 * l * r);
                centred(shaft + balls, vec3(side, side, shaft * r * r / 2.0 + balls * 0.4 * r * r))
            }
            Shape::Convex { ref points } => {
                let (vertices, faces) = hull(points)?;
                let p = MassProperties::from_convex_polyhedron(density, &vertices, &faces);
                let (c, i) = (p.local_com, p.reconstruct_inertia_matrix());
                let size = points.iter().fold(0.0, |m: f64, p| m.max(p.norm()));
                if !(p.mass() > FLAT * density * size * size * size) {
                    return Err(Error::FlatShape);
                }
                let central = Sym3 {
                    xx: i.x_axis.x,
                    yy: i.y_axis.y,
                    zz: i.z_axis.z,
                    xy: i.y_axis.x,
                    xz: i.z_axis.x,
                    yz: i.z_axis.y,
                };
                Inertia::about_center(p.mass(), vec3(c.x, c.y, c.z), central)
            }
        })
    }

    /// Lowest and highest point of the placed solid along a direction.
    pub fn extent(&self, place: &Transform, direction: Vec3) -> (f64, f64) {
        let d = place.rotation.tr_mul(direction);
        let centre = place.translation.dot(direction);
        let abs = vec3(d.x.abs(), d.y.abs(), d.z.abs());
        let reach = match *self {
            Shape::Box { half } => half.dot(abs),
            Shape::Sphere { radius } => radius,
            Shape::Ellipsoid { half: h } => vec3(h.x * d.x, h.y * d.y, h.z * d.z).norm(),
            Shape::Capsule { radius, half_length } => radius + half_length * abs.z,
            Shape::Cylinder { radius, half_length } => {
                radius * (d.x * d.x + d.y * d.y).sqrt() + half_length * abs.z
            }
            Shape::Convex { ref points } => {
                let along = points.iter().map(|p| p.dot(d));
                let (low, high) =
                    along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
                return (centre + low, centre + high);
            }
        };
        (centre - reach, centre + reach)
    }

    /// The same shape, `k` times the size.
    pub fn scaled(&self, k: f64) -> Shape {
        match self {
            Shape::Box { half } => Shape::Box { half: half.scale(k) },
            Shape::Sphere { radius } => Shape::Sphere { radius: radius * k },
            Shape::Ellipsoid { half } => Shape::Ellipsoid { half: half.scale(k) },
            Shape::Capsule { radius, half_length } => {
                Shape::Capsule { radius: radius * k, half_length: half_length * k }
            }
            Shape::Cylinder { radius, half_length } => {
                Shape::Cylinder { radius: radius * k, half_length: half_length * k }
            }
            Shape::Convex { points } => Shape::Convex { points: points.iter().map(|p| p.scale(k)).collect() },
        }
    }
}

type Hull = (Vec<parry3d_f64::math::Vector>, Vec<[u32; 3]>);

/// Corners and triangles of the convex hull.
fn hull(points: &[Vec3]) -> Result<Hull, Error> {
    if points.len() < 4 {
        return Err(Error::FlatShape);
    }
    let points: Vec<_> = points.iter().map(|p| parry3d_f64::math::Vector::new(p.x, p.y, p.z)).collect();
    parry3d_f64::transformation::try_convex_hull(&points).map_err(|_| Error::FlatShape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Inertia, b: Inertia, tol: f64) {
        assert!((a.mass - b.mass).abs() < tol * b.mass, "mass {} {}", a.mass, b.mass);
        assert!((a.center() - b.center()).norm() < tol, "centre");
        let size = b.central().full().max_abs();
        assert!(
            (a.central() - b.central()).full().max_abs() < tol * size,
            "{:?} {:?}",
            a.central(),
            b.central()
        );
    }

    #[test]
    fn convex_box_is_a_box() {
        let half = vec3(0.1, 0.2, 0.3);
        let corners = (0..8).map(|i| {
            let s = |b: i32, h: f64| if i & b != 0 { h } else { -h };
            vec3(s(1, half.x), s(2, half.y), s(4, half.z)) + vec3(0.5, 0.0, -1.0)
        });
        let convex = Shape::Convex { points: corners.collect() };
        let there = Transform::translation(vec3(0.5, 0.0, -1.0));
        close(convex.inertia(700.0).unwrap(), there * Shape::Box { half }.inertia(700.0).unwrap(), 1e-12);
    }

    #[test]
    fn capsule_is_a_stack_of_discs() {
        let (r, l, n) = (0.1, 0.25, 20_000);
        let mut sum = Inertia::ZERO;
        for i in 0..n {
            let dz = (l + r) / n as f64;
            for side in [-1.0, 1.0] {
                let z = (i as f64 + 0.5) * dz;
                let radius = if z < l { r } else { (r * r - (z - l) * (z - l)).sqrt() };
                let disc = Shape::Cylinder { radius, half_length: 0.5 * dz }.inertia(1000.0).unwrap();
                sum = sum + Transform::translation(vec3(0.0, 0.0, side * z)) * disc;
            }
        }
        close(Shape::Capsule { radius: r, half_length: l }.inertia(1000.0).unwrap(), sum, 1e-6);
    }

    #[test]
    fn round_ellipsoid_is_a_sphere() {
        let e = Shape::Ellipsoid { half: vec3(0.3, 0.3, 0.3) }.inertia(2.0).unwrap();
        close(e, Shape::Sphere { radius: 0.3 }.inertia(2.0).unwrap(), 1e-14);
    }

    #[test]
    fn bad_sizes_are_refused() {
        assert!(Shape::Sphere { radius: -1.0 }.check().is_err());
        assert!(Shape::Box { half: vec3(1.0, f64::NAN, 1.0) }.check().is_err());
        let flat = vec![vec3(0.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(1.0, 1.0, 0.0)];
        assert!(Shape::Convex { points: flat }.check().is_err());
        assert!(Shape::Convex { points: vec![] }.check().is_err());
    }
}
