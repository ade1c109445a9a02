//! The contact region: convex hull of a few points in the plane, its nearest features, and the yaw radius.
//!
//! Computes  the hull of a set of points, the feature of a hull nearest to a point, and d(p), the lever of friction
//! about p: 0.54 times the mean distance of the hull's corners from p, weighted by generalized barycentric coordinates
//! of p. With uniform pressure on a rectangle, friction about the middle has a lever of 0.536 times the corner's
//! distance (0.541 for a square, 0.525 for 25 by 10 cm); the weights make d continuous, equal to that of a line along
//! an edge and zero at a corner.
//! Source: [NY2000J eq. 26, 30] leaves d open; coordinates by [W1975].
//! Not here: three dimensions (`narrow`). Unlike a general planar hull this one keeps point identities, merges points
//! within a tolerance and has a fixed size.
//! Checked by: tests below.

use super::patch::MAX_VERTICES;

/// Lever of friction about the middle of a patch over the distance of its corners, for uniform pressure.
pub const YAW_FACTOR: f64 = 0.54;

/// Point in the plane of a patch.
pub type Point2 = [f64; 2];

/// A set of a patch's points, one bit each.
pub type Set = u8;

/// Corners of a convex region, counter-clockwise: one for a point, two for a line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hull {
    corners: [u8; MAX_VERTICES],
    count: u8,
}

/// The part of a region nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// distance; zero inside
    pub distance: f64,
    /// corners of the feature; all corners if inside
    pub feature: Set,
    /// the nearest point
    pub place: Point2,
}

/// Members of a set in order.
pub fn members(set: Set) -> impl Iterator<Item = usize> {
    (0..MAX_VERTICES).filter(move |i| set >> i & 1 != 0)
}

#[inline(always)]
fn minus(a: Point2, b: Point2) -> Point2 {
    [a[0] - b[0], a[1] - b[1]]
}

#[inline(always)]
fn cross(a: Point2, b: Point2) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

#[inline(always)]
fn dot(a: Point2, b: Point2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[inline(always)]
fn norm(a: Point2) -> f64 {
    dot(a, a).sqrt()
}

/// Moment about the normal of a force `f` at `p`.
#[inline(always)]
pub fn yaw_of(p: Point2, f: Point2) -> f64 {
    cross(p, f)
}

impl Hull {
    /// Hull of the points of a set, without points on edges.
    pub fn from_points(places: &[Point2], set: Set) -> Hull {
        let mut order = [0_u8; MAX_VERTICES];
        let mut n = 0;
        for i in members(set) {
            order[n] = i as u8;
            n += 1;
        }
        if n <= 1 {
            return Hull { corners: order, count: n as u8 };
        }
        let at = |i: u8| places[i as usize];
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for i in &order[..n] {
            for k in 0..2 {
                low[k] = low[k].min(at(*i)[k]);
                high[k] = high[k].max(at(*i)[k]);
            }
        }
        let size = (high[0] - low[0]).max(high[1] - low[1]);
        // merge points nearer than this, drop corners flatter than this
        let (near, flat) = (1e-9 * size.max(1e-3), 1e-9 * size * size);
        let mut keys = [(0_i64, 0_i64, 0_u8); MAX_VERTICES];
        for (key, i) in keys.iter_mut().zip(&order[..n]) {
            let coarse = |k: usize| ((at(*i)[k] - low[k]) / near + 0.5) as i64;
            *key = (coarse(0), coarse(1), *i);
        }
        keys[..n].sort_unstable();
        order.iter_mut().zip(&keys[..n]).for_each(|(o, k)| *o = k.2);
        let mut out = [0_u8; 2 * MAX_VERTICES];
        let mut count = 0;
        let mut chain = |sequence: &mut dyn Iterator<Item = u8>| {
            let first = count;
            for i in sequence {
                while count > first + 1 {
                    let (a, b) = (at(out[count - 2]), at(out[count - 1]));
                    if cross(minus(b, a), minus(at(i), b)) > flat {
                        break;
                    }
                    count -= 1;
                }
                out[count] = i;
                count += 1;
            }
            count -= 1; // the last of a chain is the first of the next
        };
        chain(&mut order[..n].iter().copied());
        chain(&mut order[..n].iter().rev().copied());
        if count == 2 && norm(minus(at(out[0]), at(out[1]))) <= near {
            count = 1;
        }
        let mut corners = [0; MAX_VERTICES];
        corners[..count].copy_from_slice(&out[..count]);
        Hull { corners, count: count as u8 }
    }

    /// Corners, counter-clockwise.
    #[inline(always)]
    pub fn corners(&self) -> &[u8] {
        &self.corners[..self.count as usize]
    }

    fn set(&self) -> Set {
        self.corners().iter().fold(0, |s, i| s | 1 << i)
    }

    /// The feature nearest to `p`. The region must not be empty.
    pub fn nearest(&self, places: &[Point2], p: Point2) -> Nearest {
        let c = self.corners();
        let at = |k: usize| places[c[k] as usize];
        if c.len() == 1 {
            return Nearest { distance: norm(minus(p, at(0))), feature: self.set(), place: at(0) };
        }
        let edges = if c.len() == 2 { 1 } else { c.len() };
        let next = |k: usize| if k + 1 == c.len() { 0 } else { k + 1 };
        let is_inside = |k: usize| cross(minus(at(next(k)), at(k)), minus(p, at(k))) >= 0.0;
        if c.len() > 2 && (0..edges).all(is_inside) {
            return Nearest { distance: 0.0, feature: self.set(), place: p };
        }
        let mut best = Nearest { distance: f64::INFINITY, feature: 0, place: p };
        for k in 0..edges {
            let (i, j) = (k, next(k));
            let (a, ab) = (at(i), minus(at(j), at(i)));
            let t = dot(minus(p, a), ab) / dot(ab, ab);
            let feature = match t {
                t if t <= 0.0 => 1 << c[i],
                t if t >= 1.0 => 1 << c[j],
                _ => 1 << c[i] | 1 << c[j],
            };
            let t = t.clamp(0.0, 1.0);
            let place = [a[0] + t * ab[0], a[1] + t * ab[1]];
            let distance = norm(minus(p, place));
            if distance < best.distance {
                best = Nearest { distance, feature, place };
            }
        }
        best
    }

    /// Lower bound of d(p)^2, from the nearest corner.
    #[inline(always)]
    pub fn least_yaw_radius_squared(&self, places: &[Point2], p: Point2) -> f64 {
        let square = |i: &u8| {
            let r = minus(places[*i as usize], p);
            dot(r, r)
        };
        let nearest = self.corners().iter().map(square).fold(f64::INFINITY, f64::min);
        (0.99 * YAW_FACTOR * YAW_FACTOR) * nearest
    }

    /// d(p): lever of friction about `p`, which must lie in the region.
    pub fn yaw_radius(&self, places: &[Point2], p: Point2) -> f64 {
        let c = self.corners();
        let n = c.len();
        let at = |k: usize| places[c[if k >= n { k - n } else { k }] as usize];
        if n <= 1 {
            return 0.0;
        }
        if n == 2 {
            let (a, b) = (norm(minus(p, at(0))), norm(minus(p, at(1))));
            return YAW_FACTOR * 2.0 * a * b / (a + b).max(1e-12);
        }
        // areas of the triangles of p and the edges; the weight of a corner omits those of its own two edges
        let mut area = [0.0; MAX_VERTICES];
        for (k, a) in area.iter_mut().enumerate().take(n) {
            *a = cross(minus(at(k), p), minus(at(k + 1), p)).max(0.0);
        }
        let largest = area[..n].iter().fold(0.0_f64, |m, a| m.max(*a));
        if largest == 0.0 {
            return 0.0;
        }
        area[..n].iter_mut().for_each(|a| *a /= largest);
        let (mut sum, mut weights) = (0.0, 0.0);
        for k in 0..n {
            let before = if k == 0 { n - 1 } else { k - 1 };
            let mut w = cross(minus(at(k), at(before)), minus(at(k + 1), at(before)));
            for (j, a) in area[..n].iter().enumerate() {
                if j != k && j != before {
                    w *= a;
                }
            }
            sum += w * norm(minus(at(k), p));
            weights += w;
        }
        if weights > 0.0 { YAW_FACTOR * sum / weights } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [Point2; 5] = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0]];

    #[test]
    fn hulls_are_counter_clockwise_without_points_on_edges() {
        let h = Hull::from_points(&SQUARE, 0b11111);
        assert_eq!(h.corners(), [0, 2, 1, 3]);
        assert_eq!(Hull::from_points(&SQUARE, 0b10101).corners(), [0, 2]); // a line
        assert_eq!(Hull::from_points(&SQUARE, 0b00010).corners(), [1]);
        assert_eq!(Hull::from_points(&SQUARE, 0).corners().len(), 0);
        let same = [[0.1, 0.2]; 3];
        assert_eq!(Hull::from_points(&same, 0b111).corners().len(), 1);
    }

    #[test]
    fn nearest_features() {
        let h = Hull::from_points(&SQUARE, 0b11111);
        assert_eq!(h.nearest(&SQUARE, [0.3, 0.4]).distance, 0.0);
        let edge = h.nearest(&SQUARE, [0.25, -0.5]);
        assert_eq!((edge.distance, edge.feature, edge.place), (0.5, 0b101, [0.25, 0.0]));
        let corner = h.nearest(&SQUARE, [4.0, 5.0]);
        assert_eq!((corner.distance, corner.feature), (5.0, 0b10));
    }

    #[test]
    fn the_yaw_radius_is_continuous_and_vanishes_at_corners() {
        let h = Hull::from_points(&SQUARE, 0b11111);
        let r = YAW_FACTOR * 0.5_f64.sqrt();
        assert!((h.yaw_radius(&SQUARE, [0.5, 0.5]) - r).abs() < 1e-15);
        assert!(h.yaw_radius(&SQUARE, [1.0, 1.0]) < 1e-12);
        let line = Hull::from_points(&SQUARE, 0b101);
        let p = [0.3, 0.0];
        let (on_edge, on_line) = (h.yaw_radius(&SQUARE, p), line.yaw_radius(&SQUARE, p));
        assert!((on_edge - on_line).abs() < 1e-12, "{on_edge} {on_line}");
        let near = h.yaw_radius(&SQUARE, [0.3, 1e-7]);
        assert!((near - on_line).abs() < 1e-6);
        // a corner next to a straight one: no division by zero
        assert!(h.yaw_radius(&SQUARE, [0.0, 0.0]).abs() < 1e-12);
    }

    #[test]
    fn uniform_pressure_on_a_rectangle() {
        // sum of |r| over the area / area, over the corner's distance
        for (a, b) in [(1.0, 1.0), (0.19, 0.12), (0.25, 0.1)] {
            let n = 400;
            let mut sum = 0.0;
            for i in 0..n {
                for j in 0..n {
                    let at = |k: i32, l: f64| ((k as f64 + 0.5) / n as f64 - 0.5) * l;
                    sum += norm([at(i, a), at(j, b)]);
                }
            }
            let mean = sum / (n * n) as f64;
            let exact = mean / norm([0.5 * a, 0.5 * b]);
            assert!((exact - YAW_FACTOR).abs() < 0.03 * YAW_FACTOR, "{exact}");
        }
    }
}
