//! Incremental convex hull of points, as triangles.
//!
//! Source: the incremental algorithm of the textbooks (de Berg et al., Computational Geometry, ch. 11), without its
//! conflict lists: shapes of links have few points. Points within rounding of a face are ignored: they are invisible.
//! Checked by: tests below.

use anthropi_dynamics::spatial::Vec3;

/// Least distance of a point outside a face, relative to the size.
const BEYOND: f64 = 1e-9;
/// Larger sets are sampled evenly: enough for rendering.
const MAX_POINTS: usize = 1000;

/// Triangles of point numbers, counter-clockwise from outside; nothing if the points are flat.
pub(super) fn triangles(points: &[Vec3]) -> Vec<[usize; 3]> {
    let size = points.iter().map(|p| (*p - points[0]).norm()).fold(0.0, f64::max);
    let least = BEYOND * size;
    let Some(mut faces) = first_faces(points, least) else { return Vec::new() };
    for p in (0..points.len()).step_by(points.len().div_ceil(MAX_POINTS)) {
        let (visible, hidden): (Vec<[usize; 3]>, Vec<[usize; 3]>) =
            faces.iter().partition(|f| height(points, **f, points[p]) > least);
        if visible.is_empty() {
            continue;
        }
        // the horizon: edges between visible and hidden faces
        let edges: Vec<(usize, usize)> =
            visible.iter().flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)]).collect();
        let horizon = edges.iter().filter(|(a, b)| !edges.contains(&(*b, *a)));
        faces = hidden.into_iter().chain(horizon.map(|(a, b)| [*a, *b, p])).collect();
    }
    faces
}

/// Signed distance of a point from the plane of a face, positive outside.
fn height(points: &[Vec3], [a, b, c]: [usize; 3], p: Vec3) -> f64 {
    let across = (points[b] - points[a]).cross(points[c] - points[a]);
    let area = across.norm();
    if area > 0.0 { across.dot(p - points[a]) / area } else { f64::NEG_INFINITY }
}

/// Tetrahedron of four distant points.
fn first_faces(points: &[Vec3], least: f64) -> Option<Vec<[usize; 3]>> {
    let farthest = |of: &dyn Fn(usize) -> f64| {
        (0..points.len()).max_by(|a, b| of(*a).total_cmp(&of(*b))).filter(|i| of(*i) > least)
    };
    let a = 0;
    let b = farthest(&|i| (points[i] - points[a]).norm())?;
    let along = (points[b] - points[a]).normalized()?;
    let c = farthest(&|i| along.cross(points[i] - points[a]).norm())?;
    let d = farthest(&|i| height(points, [a, b, c], points[i]).abs())?;
    let [a, b, c] = if height(points, [a, b, c], points[d]) > 0.0 { [a, c, b] } else { [a, b, c] };
    Some(vec![[a, b, c], [a, d, b], [b, d, c], [c, d, a]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::vec3;

    #[test]
    fn the_hull_of_a_sphere_is_closed() {
        // by Euler, a closed surface of triangles on n points has 2 n - 4 of them
        let golden = core::f64::consts::PI * (3.0 - 5f64.sqrt());
        let on_ball = |k: usize| {
            let z = 1.0 - (k as f64 + 0.5) / 50.0;
            let r = (1.0 - z * z).sqrt();
            vec3(r * (golden * k as f64).cos(), r * (golden * k as f64).sin(), z)
        };
        let mut points: Vec<Vec3> = (0..100).map(on_ball).collect();
        points.extend((0..100).map(|k| on_ball(k).scale(0.9)));
        let faces = triangles(&points);
        assert_eq!(faces.len(), 196);
        let volume: f64 =
            faces.iter().map(|f| points[f[0]].dot(points[f[1]].cross(points[f[2]])) / 6.0).sum();
        assert!(volume > 3.8 && volume < 4.19, "{volume}");
    }

    #[test]
    fn flat_points_have_no_hull() {
        let flat: Vec<Vec3> = (0..9).map(|k| vec3((k % 3) as f64, (k / 3) as f64, 1.0)).collect();
        assert!(triangles(&flat).is_empty());
        assert!(triangles(&[]).is_empty());
    }
}
