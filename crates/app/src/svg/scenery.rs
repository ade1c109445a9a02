//! Scenery near a figure: a piece of each plane, solids with their visible faces, height fields.

use super::{Patch, balls, hull, project};
use anthropi_dynamics::contact::{HeightField, Scenery, SceneryShape};
use anthropi_dynamics::model::{PlacedShape, Shape};
use anthropi_dynamics::spatial::{Transform, Vec3, vec3};

/// How far around a figure the ground is drawn, m.
const NEAR: f64 = 0.6;
/// Ground further below or above a figure than this is not drawn, m.
const FAR: f64 = 3.0;
/// Colours of faces that look up, to the camera, and elsewhere.
const UP: (f64, f64, f64) = (0.93, 0.92, 0.89);
const SIDE: (f64, f64, f64) = (0.83, 0.82, 0.79);
const END: (f64, f64, f64) = (0.75, 0.74, 0.71);

/// Scenery near the box from `lower` to `upper`, back to front.
pub fn patches(scenery: &[Scenery], [lower, upper]: &[Vec3; 2]) -> Vec<Patch> {
    let sides = vec3(NEAR, NEAR, FAR);
    let near = [*lower - sides, *upper + sides];
    if !near.iter().all(|p| p.is_finite()) {
        return Vec::new();
    }
    let (mut planes, mut others) = (Vec::new(), Vec::new());
    for it in scenery {
        match &it.ground {
            SceneryShape::Plane => planes.extend(plane(&it.world_from_it, &near)),
            SceneryShape::Solid(shape) => others.extend(solid(&it.world_from_it, shape, &near)),
            SceneryShape::HeightField(heights) => others.extend(land(&it.world_from_it, heights, &near)),
        }
    }
    others.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    planes.extend(others);
    planes
}

/// The piece of a plane under a figure.
fn plane(place: &Transform, near: &[Vec3; 2]) -> Option<Patch> {
    let inside: Vec<Vec3> = corners(near).iter().map(|p| place.inverse().point(*p)).collect();
    let range = |of: fn(&Vec3) -> f64| {
        inside.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    };
    let (height, slope) = (range(|p| p.z), place.rotation.z.z);
    if height.0 > 0.0 || height.1 < 0.0 {
        return None;
    }
    // a nearly level plane: the piece below the figure; others: all that the box could cut
    let points = match slope > 0.5 {
        true => {
            let below = |x: f64, y: f64| {
                let (n, o) = (place.rotation.z, place.translation);
                vec3(x, y, o.z - (n.x * (x - o.x) + n.y * (y - o.y)) / n.z)
            };
            let (l, u) = (near[0], near[1]);
            [below(l.x, l.y), below(u.x, l.y), below(u.x, u.y), below(l.x, u.y)]
        }
        false => {
            let ((x0, x1), (y0, y1)) = (range(|p| p.x), range(|p| p.y));
            [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(|(x, y)| place.point(vec3(x, y, 0.0)))
        }
    };
    Some(face(&points, UP))
}

fn solid(place: &Transform, shape: &Shape, near: &[Vec3; 2]) -> Vec<Patch> {
    let axes = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)];
    let is_near = axes.iter().all(|axis| {
        let (low, high) = shape.extent(place, *axis);
        high >= near[0].dot(*axis) && low <= near[1].dot(*axis)
    });
    match shape {
        _ if !is_near => Vec::new(),
        Shape::Box { half } => sides(place, *half, [UP, SIDE, END]),
        _ => {
            let placed = PlacedShape { shape: shape.clone(), link_from_shape: Transform::identity() };
            vec![Patch { colour: SIDE, ..super::patch("", balls(place, &placed)) }]
        }
    }
}

/// Visible faces of a box, in the colours of faces that look up, to the camera, and elsewhere. All have the depth of its
/// centre, since boxes do not intersect.
pub fn sides(place: &Transform, half: Vec3, colours: [(f64, f64, f64); 3]) -> Vec<Patch> {
    let axes =
        [place.rotation.x.scale(half.x), place.rotation.y.scale(half.y), place.rotation.z.scale(half.z)];
    let depth = project(place.translation).z;
    let mut seen = Vec::new();
    for k in 0..3 {
        for sign in [-1.0, 1.0] {
            let (out, a, b) = (axes[k].scale(sign), axes[(k + 1) % 3], axes[(k + 2) % 3]);
            if project(out).z <= 0.0 {
                continue;
            }
            let middle = place.translation + out;
            let colour = match out.z > 0.7 * out.norm() {
                true => colours[0],
                false if project(out).z > 0.7 * out.norm() => colours[1],
                false => colours[2],
            };
            let side = face(&[middle + a + b, middle + a - b, middle - a - b, middle - a + b], colour);
            seen.push(Patch { depth, ..side });
        }
    }
    seen
}

/// The cells of a height field near a figure, two triangles each.
fn land(place: &Transform, heights: &HeightField, near: &[Vec3; 2]) -> Vec<Patch> {
    let at = |column: usize, row: usize| place.point(heights.point(column, row));
    let is_near = |p: &Vec3| {
        (near[0].x..=near[1].x).contains(&p.x)
            && (near[0].y..=near[1].y).contains(&p.y)
            && (near[0].z..=near[1].z).contains(&p.z)
    };
    let mut cells = Vec::new();
    for row in 1..heights.rows() {
        for column in 1..heights.columns() {
            let [a, b] = [at(column - 1, row - 1), at(column, row)];
            if is_near(&a) || is_near(&b) {
                cells.push(face(&[a, at(column, row - 1), b], UP));
                cells.push(face(&[a, b, at(column - 1, row)], UP));
            }
        }
    }
    cells
}

fn corners(near: &[Vec3; 2]) -> [Vec3; 8] {
    let pick = |i: usize, bit: usize| near[usize::from(i & bit != 0)];
    core::array::from_fn(|i| vec3(pick(i, 1).x, pick(i, 2).y, pick(i, 4).z))
}

fn face(points: &[Vec3], colour: (f64, f64, f64)) -> Patch {
    let on_paper: Vec<Vec3> = points.iter().map(|p| project(*p)).collect();
    let depth = on_paper.iter().map(|p| p.z).sum::<f64>() / points.len().max(1) as f64;
    Patch { depth, colour, outline: hull(on_paper.iter().map(|p| (p.x, p.y)).collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::contact::MaterialIx;

    fn thing(ground: SceneryShape, at: Vec3) -> Scenery {
        let world_from_it = Transform::translation(at);
        Scenery { name: "it".into(), ground, world_from_it, material: MaterialIx::default() }
    }

    #[test]
    fn only_near_scenery_is_drawn() {
        let figure = [vec3(-0.2, -0.2, 0.0), vec3(0.2, 0.2, 1.7)];
        let cube = || SceneryShape::Solid(Shape::Box { half: vec3(0.1, 0.1, 0.1) });
        let count = |ground, x: f64| patches(&[thing(ground, vec3(x, 0.0, 0.0))], &figure).len();
        assert_eq!((count(SceneryShape::Plane, 0.0), count(SceneryShape::Plane, 50.0)), (1, 1));
        assert_eq!((count(cube(), 0.5), count(cube(), 2.0)), (3, 0));
        let ball = || SceneryShape::Solid(Shape::Sphere { radius: 0.3 });
        assert_eq!((count(ball(), 1.0), count(ball(), 1.2)), (1, 0));
        let flat =
            || SceneryShape::HeightField(HeightField::new(11, 11, [0.2, 0.2], vec![0.0; 121]).unwrap());
        assert!((40..=200).contains(&count(flat(), 0.0)), "{}", count(flat(), 0.0));
        assert_eq!(patches(&[thing(SceneryShape::Plane, vec3(0.0, 0.0, -9.0))], &figure).len(), 0);
    }

    #[test]
    fn a_level_plane_is_as_wide_as_the_figure_and_its_surroundings() {
        let figure = [vec3(-0.2, -0.2, 0.0), vec3(0.2, 0.2, 1.7)];
        let [floor] = &patches(&[thing(SceneryShape::Plane, vec3(0.0, 0.0, 0.0))], &figure)[..] else {
            panic!("one piece")
        };
        let expected = project(vec3(0.8, 0.8, 0.0)).x;
        assert!(floor.outline.iter().any(|p| (p.0 - expected).abs() < 1e-12), "{:?}", floor.outline);
    }
}
