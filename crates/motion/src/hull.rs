//! Hulls of what stands, in the ground plane.

use anthropi_dynamics::spatial::Vec3;

/// Middle of points, and their hull around it, counter-clockwise.
pub(crate) fn around(points: &[Vec3]) -> (Vec3, Vec<[f64; 2]>) {
    let middle = points.iter().fold(Vec3::ZERO, |s, p| s + *p).scale(1.0 / points.len().max(1) as f64);
    let mut flat: Vec<[f64; 2]> = points.iter().map(|p| [p.x - middle.x, p.y - middle.y]).collect();
    flat.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let cross =
        |o: [f64; 2], a: [f64; 2], b: [f64; 2]| (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while chain.len() > 1 && cross(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0 {
                chain.pop();
            }
            chain.push(p);
        }
        chain
    };
    let (mut lower, mut upper) = (chain(&mut flat.iter().copied()), chain(&mut flat.iter().rev().copied()));
    lower.pop();
    upper.pop();
    lower.extend(upper);
    (middle, lower)
}

/// The nearest point of a hull of another size.
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
}
