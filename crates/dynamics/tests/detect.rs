//! Collision detection against independent computations.

mod testkit;

use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::contact::{Detector, Ground, Heights, MaterialIx, Patch, Scenery, World};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Inertia, Motion, Quat, Sym3, Transform, Vec3, vec3};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::{query, shape as parry};
use testkit::{Residuals, Rng};

/// Distances of hand-written pairs that are apart, m.
const EXACT: f64 = 1e-9;
/// Faces are preferred to edges by about this much, m.
const BIAS: f64 = 2e-4;

fn some_inertia() -> Inertia {
    Inertia::about_center(1.0, Vec3::ZERO, Sym3::diagonal(vec3(0.01, 0.01, 0.01)))
}

fn link_of(name: &str, shapes: Vec<PlacedShape>) -> LinkSpec {
    let mut link = LinkSpec::new(name, some_inertia());
    link.shapes = shapes;
    link
}

fn at_origin(shape: Shape) -> PlacedShape {
    PlacedShape { shape, link_from_shape: Transform::identity() }
}

/// Free bodies, one for each shape.
fn free_bodies(shapes: &[Shape]) -> Figure {
    let mut b = FigureBuilder::new("free");
    for (i, s) in shapes.iter().enumerate() {
        let joint = JointSpec::new(format!("j{i}"), JointKind::Free);
        b.add(link_of(&format!("l{i}"), vec![at_origin(s.clone())]), joint).unwrap();
    }
    b.build().unwrap()
}

/// A detector for free bodies, their frames where they are told to be.
struct Scene {
    detector: Detector,
    patches: Vec<Patch>,
}

impl Scene {
    fn new(shapes: &[Shape], world: &World) -> Scene {
        let mut detector = Detector::default();
        detector.prepare(&free_bodies(shapes), world);
        Scene { detector, patches: Vec::new() }
    }

    fn at(&mut self, places: &[Transform], reach: f64) -> &[Patch] {
        let mut poses = vec![Transform::identity()];
        poses.extend_from_slice(places);
        // a speed that grows the margin to the reach, all along x of the first body
        let mut velocities = vec![Motion::new(Vec3::ZERO, Vec3::ZERO); poses.len()];
        velocities[1].linear = vec3((reach - 2e-3).max(0.0) / 1.5, 0.0, 0.0);
        self.detector.detect(&poses, &velocities, 1.0, &mut self.patches);
        &self.patches
    }
}

fn ground(ground: Ground, world_from_it: Transform) -> World {
    let mut world = World::default();
    world.scenery.push(Scenery { name: "ground".into(), ground, world_from_it, material: MaterialIx::default() });
    world
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn pose(t: &Transform) -> Pose {
    let [w, x, y, z] = t.orientation().normalized().0;
    Pose::from_parts(vector(t.translation), Rotation::from_xyzw(x, y, z, w))
}

/// The same solid for `parry3d-f64`, and how it lies in ours.
fn theirs(shape: &Shape) -> (parry::SharedShape, Transform) {
    let z_from_y = Transform::new(Vec3::ZERO, Quat::about(vec3(1.0, 0.0, 0.0), core::f64::consts::FRAC_PI_2));
    match shape {
        Shape::Sphere { radius } => (parry::SharedShape::ball(*radius), Transform::identity()),
        Shape::Box { half } => (parry::SharedShape::cuboid(half.x, half.y, half.z), Transform::identity()),
        Shape::Capsule { radius, half_length } => {
            (parry::SharedShape::capsule_z(*half_length, *radius), Transform::identity())
        }
        Shape::Cylinder { radius, half_length } => {
            (parry::SharedShape::cylinder(*half_length, *radius), z_from_y)
        }
        Shape::Convex { points } => {
            let points: Vec<_> = points.iter().map(|p| vector(*p)).collect();
            (parry::SharedShape::convex_hull(&points).unwrap(), Transform::identity())
        }
        Shape::Ellipsoid { .. } => unreachable!("sampled instead"),
    }
}

/// Distance of a point from a box.
fn from_box(p: Vec3, half: Vec3, at: &Transform) -> f64 {
    let p = at.inverse().point(p);
    vec3((p.x.abs() - half.x).max(0.0), (p.y.abs() - half.y).max(0.0), (p.z.abs() - half.z).max(0.0)).norm()
}

/// Smallest value of a convex function between -l and l.
fn least(l: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-l, l);
    for _ in 0..200 {
        let (x, y) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if f(x) < f(y) { high = y } else { low = x }
    }
    f(0.5 * (low + high))
}

/// Distance, zero where they overlap. `parry3d-f64` iterates on capsules; they are searched along instead.
fn their_distance(a: &Shape, at_a: &Transform, b: &Shape, at_b: &Transform) -> f64 {
    match (a, b) {
        (Shape::Capsule { radius: ra, half_length: la }, Shape::Capsule { radius: rb, half_length: lb }) => {
            let along = |t: &Transform, s: f64| t.point(vec3(0.0, 0.0, s));
            let nearest = least(*la, |s| least(*lb, |t| (along(at_a, s) - along(at_b, t)).norm()));
            (nearest - ra - rb).max(0.0)
        }
        (Shape::Capsule { radius, half_length }, Shape::Box { half }) => {
            let nearest = least(*half_length, |s| from_box(at_a.point(vec3(0.0, 0.0, s)), *half, at_b));
            (nearest - radius).max(0.0)
        }
        (Shape::Box { .. }, Shape::Capsule { .. }) => their_distance(b, at_b, a, at_a),
        (Shape::Box { half: ha }, Shape::Box { half: hb }) => box_distance(*ha, at_a, *hb, at_b),
        _ => parry_distance(a, at_a, b, at_b),
    }
}

fn box_corners(half: Vec3, at: &Transform) -> Vec<Vec3> {
    let sign = |i: usize, bit: usize| if i & bit != 0 { 1.0 } else { -1.0 };
    (0..8).map(|i| at.point(vec3(half.x * sign(i, 1), half.y * sign(i, 2), half.z * sign(i, 4)))).collect()
}

/// Corners against boxes and edges against edges; zero where the boxes overlap.
fn box_distance(ha: Vec3, at_a: &Transform, hb: Vec3, at_b: &Transform) -> f64 {
    if parry_distance(&Shape::Box { half: ha }, at_a, &Shape::Box { half: hb }, at_b) == 0.0 {
        return 0.0;
    }
    let (ca, cb) = (box_corners(ha, at_a), box_corners(hb, at_b));
    let mut best = ca.iter().map(|p| from_box(*p, hb, at_b)).fold(f64::INFINITY, f64::min);
    best = cb.iter().map(|p| from_box(*p, ha, at_a)).fold(best, f64::min);
    let edges = |c: &[Vec3]| -> Vec<parry::Segment> {
        let all = (0..8usize).flat_map(|i| [1, 2, 4].map(|b| (i, i | b))).filter(|(i, j)| i != j);
        all.map(|(i, j)| parry::Segment::new(vector(c[i]), vector(c[j]))).collect()
    };
    for p in edges(&ca) {
        for q in edges(&cb) {
            let (s, t) = query::details::closest_points_segment_segment_with_locations_nD((&p.a, &p.b), (&q.a, &q.b));
            best = best.min((p.point_at(&s) - q.point_at(&t)).length());
        }
    }
    best
}

fn parry_distance(a: &Shape, at_a: &Transform, b: &Shape, at_b: &Transform) -> f64 {
    let ((a, from_a), (b, from_b)) = (theirs(a), theirs(b));
    query::distance(&pose(&(*at_a * from_a)), &*a, &pose(&(*at_b * from_b)), &*b).unwrap().distance
}

fn random_shape(rng: &mut Rng, kind: usize) -> Shape {
    let mut size = || 0.05 + 0.3 * rng.uniform();
    match kind {
        0 => Shape::Sphere { radius: size() },
        1 => Shape::Capsule { radius: size(), half_length: size() },
        2 => Shape::Box { half: vec3(size(), size(), size()) },
        3 => Shape::Cylinder { radius: size(), half_length: size() },
        4 => {
            let s = size();
            Shape::Convex { points: (0..20).map(|_| rng.unit().scale(s)).collect() }
        }
        _ => Shape::Ellipsoid { half: vec3(size(), size(), size()) },
    }
}

/// Signed separation of two shapes along a direction.
fn separation(a: &Shape, at_a: &Transform, b: &Shape, at_b: &Transform, n: Vec3) -> f64 {
    a.extent(at_a, n).0 - b.extent(at_b, n).1
}

/// Compares the patch of random pairs with the distance by others (apart) and with the separation along the normal.
fn compare(kind_a: usize, kind_b: usize, seed: u64, exact: f64, bias: f64) {
    let mut rng = Rng::new(seed);
    let mut distance = Residuals::new("distance", exact);
    let mut touching = Residuals::new("separation along the normal", bias);
    let (mut apart, mut overlapping) = (0, 0);
    let mut off_by_bias = 0;
    for _ in 0..60 {
        let (a, b) = (random_shape(&mut rng, kind_a), random_shape(&mut rng, kind_b));
        let mut scene = Scene::new(&[a.clone(), b.clone()], &World::default());
        for _ in 0..50 {
            // the larger key is a: the second body
            let places = [
                Transform::new(rng.vec3(0.5), rng.quat()),
                Transform::new(rng.vec3(0.5), rng.quat()),
            ];
            let want = their_distance(&b, &places[1], &a, &places[0]);
            let reach = 10.0;
            let patches = scene.at(&places, reach);
            assert_eq!(patches.len(), 1, "{kind_a} {kind_b}: {want}");
            let patch = &patches[0];
            let n = patch.axes.z;
            assert!((n.norm() - 1.0).abs() < 1e-12);
            let what = || format!("{a:?} {b:?} {places:?} gap {} want {want}", patch.gap());
            if want > 0.0 {
                apart += 1;
                let miss = (patch.gap() - want).abs();
                // a face was preferred
                if miss > exact && miss < bias * (1.0 + want * 10.0) {
                    off_by_bias += 1;
                } else {
                    distance.see(miss, what);
                }
            } else {
                overlapping += 1;
                assert!(patch.gap() <= 1e-9, "{}", what());
            }
            let along = separation(&b, &places[1], &a, &places[0], n);
            if patch.gap() < 0.0 {
                touching.see((along - patch.gap()).abs() - 1e-3 * patch.gap().abs(), what);
                // no other direction is better by much
                let best = (0..50).map(|_| separation(&b, &places[1], &a, &places[0], rng.unit()));
                let best = best.fold(f64::NEG_INFINITY, f64::max);
                assert!(best <= patch.gap() + bias + 2e-3 * patch.gap().abs(), "{best} {}", what());
            }
            // its points are on the surface of b
            for v in patch.vertices() {
                let p = patch.place(v.xy);
                let outside = -separation(&Shape::Sphere { radius: 1e-12 }, &Transform::translation(p), &a, &places[0], n);
                let _ = outside;
            }
        }
    }
    assert!(apart > 300 && overlapping > 300, "{apart} {overlapping}");
    assert!(off_by_bias * 50 < apart, "{off_by_bias} of {apart} by bias");
    distance.finish();
    touching.finish();
}

#[test]
fn spheres_and_capsules() {
    compare(0, 0, 1, EXACT, 1e-9);
    compare(0, 1, 2, EXACT, 1e-9);
    compare(1, 0, 3, EXACT, 1e-9);
    compare(1, 1, 4, EXACT, 1e-9);
}

#[test]
fn spheres_and_capsules_on_boxes() {
    compare(0, 2, 5, EXACT, 1e-9);
    compare(2, 0, 6, EXACT, 1e-9);
    compare(1, 2, 7, EXACT, BIAS);
    compare(2, 1, 8, EXACT, BIAS);
}

#[test]
fn boxes_on_boxes() {
    compare(2, 2, 9, EXACT, BIAS);
}
