//! Mass properties of the solid enclosed by a triangle mesh.
//!
//! Computes  sums over the pyramids between a point inside and each triangle.
//! Source: the entry mesh/inertia of MuJoCo's XML reference, which defines the four rules; textbook integrals.
//! Checked by: tests below; `tests/it/mjcf.rs` against MuJoCo.

use anthropi_dynamics::model::Shape;
use anthropi_dynamics::spatial::{Inertia, Sym3, Vec3};

/// Least volume or area of a mesh; MuJoCo's value.
const LEAST_SIZE: f64 = 1e-15;

/// Mass distribution of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// pyramids have positive volume, regardless of the orientation of their triangle
    Legacy,
    /// triangles facing inward have negative volume
    Exact,
    /// of the convex hull
    Convex,
    /// of the surface itself, with uniform thickness
    Shell,
}

/// A triangle mesh; without faces, the convex hull of the points.
#[derive(Clone, Debug, Default)]
pub(super) struct Surface {
    pub points: Vec<Vec3>,
    pub faces: Vec<[usize; 3]>,
}

/// A triangle: its corners, and its normal scaled by its area.
struct Triangle {
    corners: [Vec3; 3],
    area: Vec3,
}

impl Triangle {
    fn center(&self) -> Vec3 {
        let [a, b, c] = self.corners;
        (a + b + c).scale(1.0 / 3.0)
    }

    /// Volume of the pyramid below it, or its own area.
    fn weight(&self, top: Vec3, rule: Rule) -> f64 {
        let volume = (self.center() - top).dot(self.area) / 3.0;
        match rule {
            Rule::Legacy => volume.abs(),
            Rule::Exact | Rule::Convex => volume,
            Rule::Shell => self.area.norm(),
        }
    }
}

impl Surface {
    /// Mass properties at unit density, or the reason why there are none.
    pub fn inertia(&self, rule: Rule) -> Result<Inertia, String> {
        let inertia = match rule {
            Rule::Convex => self.hull_inertia()?,
            _ if self.faces.is_empty() => self.hull_inertia()?,
            _ => self.inertia_of_faces(rule)?,
        };
        match inertia.is_finite() && inertia.mass > 0.0 {
            true => Ok(inertia),
            false => Err("its mass is not a positive number".into()),
        }
    }

    fn hull_inertia(&self) -> Result<Inertia, String> {
        Shape::Convex { points: self.points.clone() }.inertia(1.0).map_err(|e| e.to_string())
    }

    fn inertia_of_faces(&self, rule: Rule) -> Result<Inertia, String> {
        let mean = self.mean(|t| t.area.norm(), Triangle::center).ok_or("its surface is too small")?;
        let center = match rule {
            Rule::Shell => mean,
            // the centre of a pyramid is three quarters of the way from its top
            _ => self
                .mean(|t| t.weight(mean, rule), |t| t.center().scale(0.75) + mean.scale(0.25))
                .ok_or("its volume is negative or too small")?,
        };
        // products of inertia about the centre, of pyramids that have their top there
        let (mut mass, mut products) = (0.0, Sym3::default());
        let parts = if rule == Rule::Shell { 12.0 } else { 20.0 };
        for triangle in self.triangles() {
            let weight = triangle.weight(center, rule);
            let [a, b, c] = triangle.corners.map(|p| p - center);
            let sum = a + b + c;
            let corners = square(a) + square(b) + square(c) + square(sum);
            products += corners.scaled(weight / parts);
            mass += weight;
        }
        let trace = products.xx + products.yy + products.zz;
        let central = Sym3::diagonal(Vec3 { x: trace, y: trace, z: trace }) - products;
        Ok(Inertia::about_center(mass, center, central))
    }

    /// Weighted mean of a point of each triangle; `None` if the weights add up to nothing.
    fn mean(&self, weight: impl Fn(&Triangle) -> f64, point: impl Fn(&Triangle) -> Vec3) -> Option<Vec3> {
        let (mut total, mut sum) = (0.0, Vec3::ZERO);
        for triangle in self.triangles() {
            let w = weight(&triangle);
            total += w;
            sum += point(&triangle).scale(w);
        }
        (total >= LEAST_SIZE).then(|| sum.scale(1.0 / total))
    }

    fn triangles(&self) -> impl Iterator<Item = Triangle> {
        self.faces.iter().map(|face| {
            let corners = face.map(|i| self.points[i]);
            let [a, b, c] = corners;
            Triangle { corners, area: (b - a).cross(c - a).scale(0.5) }
        })
    }
}

/// `v v^T`.
fn square(v: Vec3) -> Sym3 {
    Sym3 { xx: v.x * v.x, yy: v.y * v.y, zz: v.z * v.z, xy: v.x * v.y, xz: v.x * v.z, yz: v.y * v.z }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::vec3;

    /// Edges of 2, 4 and 6 from the origin on.
    fn block() -> Surface {
        let corner = |i: usize| vec3((i & 1) as f64 * 2.0, (i >> 1 & 1) as f64 * 4.0, (i >> 2) as f64 * 6.0);
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let faces = sides.iter().flat_map(|s| [[s[0], s[1], s[2]], [s[0], s[2], s[3]]]).collect();
        Surface { points: (0..8).map(corner).collect(), faces }
    }

    #[test]
    fn a_block_has_the_mass_of_a_box_by_every_rule() {
        let half = vec3(1.0, 2.0, 3.0);
        let expected = Shape::Box { half }.inertia(1.0).unwrap();
        for rule in [Rule::Legacy, Rule::Exact, Rule::Convex] {
            let got = block().inertia(rule).unwrap();
            assert!((got.mass - expected.mass).abs() < 1e-12 * expected.mass, "{rule:?}");
            assert!((got.center() - half).norm() < 1e-12, "{rule:?}");
            assert!((got.central() - expected.central()).full().max_abs() < 1e-11 * got.mass, "{rule:?}");
        }
    }

    #[test]
    fn a_shell_has_the_mass_of_its_sides() {
        let got = block().inertia(Rule::Shell).unwrap();
        assert!((got.mass - 88.0).abs() < 1e-12 * 88.0);
        // about x: four plates on edge and two across, each by the parallel-axis theorem
        let plate = |m: f64, y: f64, z: f64, d: f64| m * ((y * y + z * z) / 12.0 + d * d);
        let expected =
            2.0 * (plate(8.0, 4.0, 0.0, 3.0) + plate(12.0, 0.0, 6.0, 2.0) + plate(24.0, 4.0, 6.0, 0.0));
        assert!((got.central().xx - expected).abs() < 1e-11 * expected, "{} {expected}", got.central().xx);
    }

    #[test]
    fn an_inverted_surface_has_no_exact_mass() {
        let mut surface = block();
        surface.faces.iter_mut().for_each(|f| f.swap(1, 2));
        assert!(surface.inertia(Rule::Exact).is_err());
        assert!(surface.inertia(Rule::Legacy).is_ok());
        assert!(Surface::default().inertia(Rule::Legacy).is_err());
    }
}
