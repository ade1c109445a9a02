//! Convex hulls in the plane, by Andrew's monotone chain.
//!
//! Not here: the contact region of the solver (`dynamics::contact::region`), which keeps point identities, merges points
//! within a tolerance and has a fixed size.

use anthropi_dynamics::spatial::Vec3;

/// Convex hull of points, counter-clockwise. Empty for fewer than two points.
pub fn convex(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let mut hull = Hull { corners: Vec::new(), flat: points };
    hull.build();
    hull.corners
}

/// Mean of points, and their horizontal hull relative to it, counter-clockwise.
pub(crate) fn around(points: &[Vec3]) -> (Vec3, Vec<[f64; 2]>) {
    let mut hull = Hull::default();
    let middle = hull.around(points);
    (middle, hull.corners)
}

/// A hull with its workspace. Does not allocate after its largest set of points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hull {
    /// counter-clockwise, relative to the mean of the points
    pub corners: Vec<[f64; 2]>,
    flat: Vec<[f64; 2]>,
}

impl Hull {
    /// Computes the horizontal hull of points; returns their mean.
    pub fn around(&mut self, points: &[Vec3]) -> Vec3 {
        let middle = points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / points.len().max(1) as f64);
        self.flat.clear();
        self.flat.extend(points.iter().map(|p| [p.x - middle.x, p.y - middle.y]));
        self.build();
        middle
    }

    fn build(&mut self) {
        self.flat.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        self.corners.clear();
        for k in 0..self.flat.len() {
            self.add(self.flat[k], 0);
        }
        self.corners.pop();
        // the upper chain starts where the lower one ended
        let first = self.corners.len();
        for k in (0..self.flat.len()).rev() {
            self.add(self.flat[k], first);
        }
        self.corners.pop();
    }

    fn add(&mut self, p: [f64; 2], first: usize) {
        let cross = |o: [f64; 2], a: [f64; 2]| (a[0] - o[0]) * (p[1] - o[1]) - (a[1] - o[1]) * (p[0] - o[0]);
        let c = &mut self.corners;
        while c.len() > first + 1 && cross(c[c.len() - 2], c[c.len() - 1]) <= 0.0 {
            c.pop();
        }
        c.push(p);
    }
}

/// The point nearest to `p` of a hull scaled by `size`.
pub(crate) fn nearest(hull: &[[f64; 2]], size: f64, p: [f64; 2]) -> [f64; 2] {
    let mut best = ([0.0; 2], f64::INFINITY);
    let mut is_inside = hull.len() > 2;
    for (i, a) in hull.iter().enumerate() {
        let b = hull[(i + 1) % hull.len()].map(|x| size * x);
        let a = a.map(|x| size * x);
        let (d, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
        is_inside &= d[0] * to[1] - d[1] * to[0] >= 0.0;
        let long = d[0] * d[0] + d[1] * d[1];
        let s = if long > 0.0 { ((d[0] * to[0] + d[1] * to[1]) / long).clamp(0.0, 1.0) } else { 0.0 };
        let there = [a[0] + s * d[0], a[1] + s * d[1]];
        let off = [p[0] - there[0], p[1] - there[1]];
        let far = off[0] * off[0] + off[1] * off[1];
        if far < best.1 {
            best = (there, far);
        }
    }
    if is_inside { p } else { best.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::vec3;
    use testkit::Rng;

    #[test]
    fn nearest_points_of_a_square_and_of_an_edge() {
        let corners = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0), (1.0, 1.5)];
        let (middle, square) = around(&corners.map(|(x, y)| vec3(x + 3.0, y, 0.7)));
        assert_eq!(square.len(), 4);
        let shift = [4.0 - middle.x, 1.0 - middle.y];
        let at = |x: f64, y: f64| nearest(&square, 1.0, [x + shift[0], y + shift[1]]);
        let near = |p: [f64; 2], x: f64, y: f64| (p[0] - shift[0] - x).hypot(p[1] - shift[1] - y) < 1e-12;
        assert!(
            near(at(0.3, -0.4), 0.3, -0.4) && near(at(5.0, 0.5), 1.0, 0.5) && near(at(-3.0, 9.0), -1.0, 1.0)
        );
        let (_, edge) = around(&[vec3(0.0, -1.0, 0.0), vec3(0.0, 1.0, 0.0)]);
        for (y, expected) in [(0.2, 0.2), (7.0, 0.5)] {
            let [x, got] = nearest(&edge, 0.5, [3.0, y]);
            assert!(x == 0.0 && (got - expected).abs() < 1e-12, "{x} {got}");
        }
        assert_eq!(nearest(&[], 1.0, [3.0, 7.0]), [0.0, 0.0]);
    }

    fn cross(o: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
        (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
    }

    #[test]
    fn hulls_contain_all_points_and_are_strictly_convex() {
        let mut rng = Rng::new(1);
        let mut hull = Hull::default();
        for n in [3, 4, 5, 8, 40] {
            for _ in 0..50 {
                // on a coarse grid, so that points coincide and lie on lines
                let points: Vec<Vec3> =
                    (0..n).map(|_| vec3(rng.below(6) as f64, rng.below(6) as f64, rng.signed())).collect();
                let middle = hull.around(&points);
                let flat: Vec<[f64; 2]> = points.iter().map(|p| [p.x - middle.x, p.y - middle.y]).collect();
                let c = &hull.corners;
                assert!(c.iter().all(|c| flat.contains(c)), "corners are points");
                if c.len() < 3 {
                    continue;
                }
                for i in 0..c.len() {
                    let (a, b, next) = (c[i], c[(i + 1) % c.len()], c[(i + 2) % c.len()]);
                    assert!(cross(a, b, next) > 0.0, "{c:?} does not turn left at {b:?}");
                    assert!(flat.iter().all(|p| cross(a, b, *p) >= -1e-12), "{c:?} leaves a point out");
                }
            }
        }
    }

    /// Against random points of the hull; and the nearest point of the nearest point is itself.
    #[test]
    fn no_point_of_the_hull_is_nearer() {
        let mut rng = Rng::new(2);
        for n in [1, 2, 3, 6, 12] {
            for _ in 0..40 {
                let points: Vec<Vec3> = (0..n).map(|_| rng.vec3(1.0)).collect();
                let (_, hull) = around(&points);
                let size = [0.0, 0.5, 1.0, 1.3][rng.below(4)];
                let p = [2.0 * rng.signed(), 2.0 * rng.signed()];
                let near = nearest(&hull, size, p);
                let far = |q: [f64; 2]| (q[0] - p[0]).hypot(q[1] - p[1]);
                for _ in 0..100 {
                    // a mean of corners lies inside
                    let weights: Vec<f64> = hull.iter().map(|_| rng.uniform().powi(4) + 1e-9).collect();
                    let sum: f64 = weights.iter().sum();
                    let mut q = [0.0; 2];
                    for (c, w) in hull.iter().zip(&weights) {
                        (0..2).for_each(|k| q[k] += size * c[k] * w / sum);
                    }
                    assert!(
                        far(q) >= far(near) - 1e-12,
                        "{q:?} is nearer to {p:?} than {near:?} of {hull:?}"
                    );
                }
                let again = nearest(&hull, size, near);
                let moved = (again[0] - near[0]).hypot(again[1] - near[1]);
                assert!(moved < 1e-12, "points inside stay: {moved:e}");
            }
        }
    }
}
