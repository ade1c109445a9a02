//! Collision detection against independent computations.

use anthropi_dynamics::contact::{Detector, HeightField, MaterialIx, Patch, Scenery, SceneryShape, World};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{
    Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, PlacedShape, Shape, State,
};
use anthropi_dynamics::spatial::{Inertia, Mat3, Motion, Quat, Sym3, Transform, Vec3, vec3};
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

/// A detector for free bodies with given frames.
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

fn ground(ground: SceneryShape, world_from_it: Transform) -> World {
    let mut world = World::default();
    world.scenery.push(Scenery {
        name: "ground".into(),
        ground,
        world_from_it,
        material: MaterialIx::default(),
    });
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
    for _ in 0..90 {
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
            let (s, t) =
                query::details::closest_points_segment_segment_with_locations_nD((&p.a, &p.b), (&q.a, &q.b));
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
            let places =
                [Transform::new(rng.vec3(0.5), rng.quat()), Transform::new(rng.vec3(0.5), rng.quat())];
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

/// Largest separation over all directions, by a random climb: the signed distance of convex shapes.
fn best_separation(rng: &mut Rng, a: &Shape, at_a: &Transform, b: &Shape, at_b: &Transform) -> f64 {
    let see = |n: Vec3| separation(a, at_a, b, at_b, n);
    let mut best = (f64::NEG_INFINITY, Vec3::ZERO);
    for _ in 0..300 {
        let n = rng.unit();
        if see(n) > best.0 {
            best = (see(n), n);
        }
    }
    let mut step = 0.2;
    for _ in 0..1500 {
        let n = (best.1 + rng.vec3(step)).normalized().unwrap();
        if see(n) > best.0 { best = (see(n), n) } else { step = (step * 0.98).max(1e-6) }
    }
    best.0
}

/// Distances found by iteration, m.
const ITERATED: f64 = 2e-6;

fn compare_by_climbing(kind_a: usize, kind_b: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut distance = Residuals::new("signed distance", ITERATED);
    let (mut apart, mut overlapping) = (0, 0);
    for _ in 0..15 {
        let (a, b) = (random_shape(&mut rng, kind_a), random_shape(&mut rng, kind_b));
        let mut scene = Scene::new(&[a.clone(), b.clone()], &World::default());
        for _ in 0..10 {
            let places =
                [Transform::new(rng.vec3(0.4), rng.quat()), Transform::new(rng.vec3(0.4), rng.quat())];
            let want = best_separation(&mut rng, &b, &places[1], &a, &places[0]);
            let patches = scene.at(&places, 10.0);
            assert_eq!(patches.len(), 1);
            let gap = patches[0].gap();
            let bias = 1e-6 + 2e-4 * want.abs();
            // the separation along the normal is at most the signed distance, and the climb is no better
            let along = separation(&b, &places[1], &a, &places[0], patches[0].axes.z);
            distance.see((gap - along).abs().max(want - gap) - bias, || {
                format!("gap {gap} along {along} climb {want} {kind_a} {kind_b} {a:?} {b:?} {places:?}")
            });
            if want > 0.0 { apart += 1 } else { overlapping += 1 }
        }
    }
    assert!(apart > 10 && overlapping > 10, "{apart} {overlapping}");
    distance.finish();
}

#[test]
fn cylinders() {
    (0..6).for_each(|k| compare_by_climbing(3, k, 20 + k as u64));
}

#[test]
fn hulls() {
    (0..6).for_each(|k| compare_by_climbing(k, 4, 30 + k as u64));
}

#[test]
fn ellipsoids() {
    (0..6).for_each(|k| compare_by_climbing(5, k, 40 + k as u64));
}

#[test]
fn boxes_by_climbing_too() {
    (0..3).for_each(|k| compare_by_climbing(2, k, 50 + k as u64));
}

/// Poses and velocities of all bodies of a figure at home, moved by a common velocity.
fn at_home(figure: &Figure, velocity: Vec3) -> (Vec<Transform>, Vec<Motion>) {
    let k = testkit::kinematics_of(figure, &State::home(figure), None);
    let n = figure.forest().bodies().len();
    let (mut poses, mut velocities) =
        (vec![Transform::identity(); n], vec![Motion::new(Vec3::ZERO, Vec3::ZERO); n]);
    for (link, _) in figure.links() {
        let body = figure.forest().link_place(link).body;
        poses[body.index()] = k.body_pose(body);
        if body.index() > 0 {
            velocities[body.index()].linear = velocity;
        }
    }
    (poses, velocities)
}

fn home_patches(figure: &Figure, world: &World) -> (Detector, Vec<Patch>) {
    let mut detector = Detector::default();
    detector.prepare(figure, world);
    let (poses, velocities) = at_home(figure, Vec3::ZERO);
    let mut patches = Vec::new();
    detector.detect(&poses, &velocities, 1e-3, &mut patches);
    (detector, patches)
}

/// Pairs of names that touch.
fn touching(figure: &Figure, world: &World) -> Vec<(String, String)> {
    let (_, patches) = home_patches(figure, world);
    let name = |l: LinkHandle| figure.link(l).unwrap().spec.name.clone();
    let carrier = |p: &Patch| match p.pair.link_b {
        Some(l) => name(l),
        None => world.scenery[p.pair.scenery.unwrap() as usize].name.clone(),
    };
    patches.iter().map(|p| (name(p.pair.link_a), carrier(p))).collect()
}

fn cube(half: f64) -> Shape {
    Shape::Box { half: vec3(half, half, half) }
}

fn shift(x: f64, y: f64, z: f64) -> Transform {
    Transform::translation(vec3(x, y, z))
}

#[test]
fn every_shape_on_a_plane() {
    let mut rng = Rng::new(60);
    let mut lowest = Residuals::new("lowest point over a plane", 1e-12);
    for round in 0..600 {
        let shape = random_shape(&mut rng, round % 6);
        let tilt = Transform::new(rng.vec3(1.0), rng.quat());
        let mut scene = Scene::new(std::slice::from_ref(&shape), &ground(SceneryShape::Plane, tilt));
        let place = tilt * Transform::new(rng.vec3(0.5), rng.quat());
        let n = tilt.rotation.z;
        let patches = scene.at(&[place], 10.0);
        assert_eq!(patches.len(), 1);
        let want = shape.extent(&place, n).0 - n.dot(tilt.translation);
        lowest.see((patches[0].gap() - want).abs(), || format!("{shape:?}"));
        assert!((patches[0].axes.z - n).norm() < 1e-15);
        for v in patches[0].vertices() {
            let p = patches[0].place(v.xy);
            assert!(n.dot(p - tilt.translation).abs() < 1e-12, "not on the plane");
        }
    }
    lowest.finish();
}

#[test]
fn numbers_of_points_on_a_plane() {
    let count = |shape: Shape, turn: Quat, height: f64| {
        let mut scene = Scene::new(&[shape], &World::floor());
        scene.at(&[Transform::new(vec3(0.3, 0.1, height), turn)], 0.0)[0].vertices().len()
    };
    let side = Quat::about(vec3(0.0, 1.0, 0.0), core::f64::consts::FRAC_PI_2);
    assert_eq!(count(cube(0.1), Quat::IDENTITY, 0.1), 4);
    assert_eq!(count(Shape::Sphere { radius: 0.1 }, Quat::IDENTITY, 0.1), 1);
    assert_eq!(count(Shape::Capsule { radius: 0.1, half_length: 0.2 }, side, 0.1), 2);
    assert_eq!(count(Shape::Capsule { radius: 0.1, half_length: 0.2 }, Quat::IDENTITY, 0.3), 1);
    assert_eq!(count(Shape::Cylinder { radius: 0.1, half_length: 0.2 }, Quat::IDENTITY, 0.2), 4);
    assert_eq!(count(Shape::Cylinder { radius: 0.1, half_length: 0.2 }, side, 0.1), 2);
    let disc = (0..40).flat_map(|i| {
        let (s, c) = (i as f64 * 0.157).sin_cos();
        [vec3(0.2 * c, 0.2 * s, -0.1), vec3(0.2 * c, 0.2 * s, 0.1)]
    });
    assert_eq!(count(Shape::Convex { points: disc.collect() }, Quat::IDENTITY, 0.1), 8);
}

/// Faces that lie on each other give a normal without error and a point for each corner of the common region.
#[test]
fn faces_rest_on_faces() {
    let mut rng = Rng::new(70);
    let flat = |h: f64| vec3(0.2, 0.15, h);
    let hull = |half: Vec3| Shape::Convex { points: box_corners(half, &Transform::identity()) };
    let drum = Shape::Cylinder { radius: 0.15, half_length: 0.05 };
    let boxed = |h| Shape::Box { half: flat(h) };
    let pairs = [
        (boxed(0.1), boxed(0.05), 4),
        (hull(flat(0.1)), boxed(0.05), 4),
        (boxed(0.1), hull(flat(0.05)), 4),
        (hull(flat(0.1)), hull(flat(0.05)), 4),
        (drum.clone(), boxed(0.05), 4),
        (boxed(0.1), drum.clone(), 4),
        (drum.clone(), drum.clone(), 4),
        (Shape::Capsule { radius: 0.1, half_length: 0.1 }, boxed(0.05), 2),
        (Shape::Capsule { radius: 0.1, half_length: 0.1 }, drum.clone(), 2),
        (Shape::Ellipsoid { half: vec3(0.2, 0.2, 0.1) }, boxed(0.05), 1),
        (Shape::Sphere { radius: 0.1 }, drum, 1),
    ];
    for (top, bottom, least) in pairs {
        for gap in [1e-3, 1e-7, 1e-10, 0.0, -1e-10, -1e-7, -1e-4] {
            let base = Transform::new(rng.vec3(1.0), rng.quat());
            let n = base.rotation.z;
            let lying = match top {
                Shape::Capsule { .. } => Quat::about(vec3(1.0, 0.0, 0.0), core::f64::consts::FRAC_PI_2),
                _ => Quat::about(vec3(0.0, 0.0, 1.0), rng.signed()),
            };
            let turn = Transform::new(Vec3::ZERO, lying);
            let height = -top.extent(&turn, vec3(0.0, 0.0, 1.0)).0
                + bottom.extent(&Transform::identity(), vec3(0.0, 0.0, 1.0)).1;
            let above = base * Transform::new(vec3(0.02, -0.01, height + gap), lying);
            // the second body is carried
            let mut scene = Scene::new(&[bottom.clone(), top.clone()], &World::default());
            let patches = scene.at(&[base, above], 0.0);
            let what = format!("{top:?} on {bottom:?}, gap {gap:e}: {patches:?}");
            assert_eq!(patches.len(), 1, "{what}");
            let p = &patches[0];
            assert!((p.axes.z - n).norm() < 1e-12, "normal off by {:e}: {what}", (p.axes.z - n).norm());
            assert!(p.vertices().len() >= least, "{what}");
            assert!((p.gap() - gap).abs() < 1e-12, "gap off by {:e}: {what}", p.gap() - gap);
            let mut ids: Vec<u32> = p.vertices().iter().map(|v| v.id).collect();
            ids.dedup();
            assert_eq!(ids.len(), p.vertices().len(), "{what}");
        }
    }
}

#[test]
fn identities_stay_under_small_motion() {
    let mut rng = Rng::new(71);
    let pairs = [
        (cube(0.1), Shape::Box { half: vec3(0.5, 0.5, 0.1) }),
        (Shape::Box { half: vec3(0.3, 0.1, 0.1) }, Shape::Box { half: vec3(0.1, 0.3, 0.1) }),
        (cube(0.1), cube(0.1)),
        (Shape::Convex { points: box_corners(vec3(0.1, 0.1, 0.1), &Transform::identity()) }, cube(0.1)),
    ];
    for (top, bottom) in pairs {
        let mut scene = Scene::new(&[bottom.clone(), top.clone()], &World::default());
        let mut first: Option<Vec<u32>> = None;
        for _ in 0..500 {
            let jitter = Transform::new(rng.vec3(1e-8), Quat::exp(rng.vec3(1e-8)));
            let patches = scene.at(&[Transform::identity(), shift(0.0, 0.0, 0.2) * jitter], 0.0);
            assert_eq!(patches.len(), 1);
            let ids: Vec<u32> = patches[0].vertices().iter().map(|v| v.id).collect();
            assert_eq!(*first.get_or_insert_with(|| ids.clone()), ids, "{top:?} on {bottom:?}");
        }
    }
}

#[test]
fn swapped_shapes_give_the_same_contact() {
    let mut rng = Rng::new(72);
    for round in 0..400 {
        let (ka, kb) = (round % 6, (round / 6) % 6);
        let (a, b) = (random_shape(&mut rng, ka), random_shape(&mut rng, kb));
        let places = [Transform::new(rng.vec3(0.3), rng.quat()), Transform::new(rng.vec3(0.3), rng.quat())];
        let mut one = Scene::new(&[a.clone(), b.clone()], &World::default());
        let mut two = Scene::new(&[b.clone(), a.clone()], &World::default());
        let (p, q) = (one.at(&places, 5.0)[0], two.at(&[places[1], places[0]], 5.0)[0]);
        let tolerance = 1e-5 + 1e-3 * p.gap().abs();
        assert!((p.gap() - q.gap()).abs() < tolerance, "{a:?} {b:?}: {} {}", p.gap(), q.gap());
    }
}

#[test]
fn link_order_does_not_change_contacts() {
    let mut rng = Rng::new(73);
    let shapes: Vec<Shape> = (0..12).map(|i| random_shape(&mut rng, i % 6)).collect();
    let places: Vec<Transform> = (0..12).map(|_| Transform::new(rng.vec3(0.6), rng.quat())).collect();
    let mut world = World::floor();
    world.scenery.push(Scenery {
        name: "block".into(),
        ground: SceneryShape::Solid(cube(0.3)),
        world_from_it: shift(0.4, 0.4, 0.0),
        material: MaterialIx::default(),
    });
    let mut forward = Scene::new(&shapes, &world);
    let reverse: Vec<Shape> = shapes.iter().rev().cloned().collect();
    let mut backward = Scene::new(&reverse, &world);
    let back: Vec<Transform> = places.iter().rev().copied().collect();
    let gaps = |patches: &[Patch]| {
        assert!(patches.windows(2).all(|w| w[0].pair.key < w[1].pair.key), "not sorted");
        let mut all: Vec<f64> = patches.iter().map(|p| p.gap()).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let (f, b) = (gaps(forward.at(&places, 0.0)), gaps(backward.at(&back, 0.0)));
    assert!(f.len() > 10);
    assert_eq!(f.len(), b.len());
    f.iter().zip(&b).for_each(|(x, y)| assert!((x - y).abs() < 1e-5 + 1e-3 * x.abs(), "{x} {y}"));
}

/// Many colliders are swept, few compared: the same pairs.
#[test]
fn sweep_and_prune_finds_the_same_pairs() {
    let mut rng = Rng::new(74);
    let shapes: Vec<Shape> = (0..90).map(|_| random_shape(&mut rng, 0)).collect();
    let radius = |s: &Shape| if let Shape::Sphere { radius } = s { *radius } else { 0.0 };
    let mut scene = Scene::new(&shapes, &World::default());
    let mut places: Vec<Transform> = shapes.iter().map(|_| Transform::translation(rng.vec3(1.5))).collect();
    for _ in 0..50 {
        let mut want = 0;
        for i in 0..90 {
            for j in 0..i {
                let d = (places[i].translation - places[j].translation).norm();
                want += usize::from(d - radius(&shapes[i]) - radius(&shapes[j]) <= 2e-3);
            }
        }
        assert_eq!(scene.at(&places, 0.0).len(), want);
        places.iter_mut().for_each(|p| p.translation += rng.vec3(0.05));
    }
}

/// pelvis - thigh - shank, an arm that overlaps the thigh at home, a post in the world with a pendulum on it, a free box
fn family() -> (Figure, Vec<LinkHandle>) {
    let mut b = FigureBuilder::new("family");
    let mut add = |name: &str, kind: JointKind, parent: Option<LinkHandle>, place: Transform, half: f64| {
        let mut joint = JointSpec::new(format!("{name} joint"), kind);
        joint.parent = parent;
        joint.parent_from_joint = place;
        b.add(link_of(name, vec![at_origin(cube(half))]), joint).unwrap()
    };
    let hinge = JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) };
    let pelvis = add("pelvis", JointKind::Free, None, shift(0.0, 0.0, 2.0), 0.1);
    let thigh = add("thigh", hinge, Some(pelvis), shift(0.0, 0.0, -0.2), 0.1);
    let shank = add("shank", hinge, Some(thigh), shift(0.0, 0.0, -0.2), 0.1);
    let arm = add("arm", hinge, Some(pelvis), shift(0.15, 0.0, -0.2), 0.1);
    let nail = add("nail", JointKind::Fixed, Some(thigh), shift(0.0, 0.2, 0.0), 0.1);
    let post = add("post", JointKind::Fixed, None, shift(5.0, 0.0, 0.0), 0.1);
    let pendulum = add("pendulum", hinge, Some(post), shift(0.0, 0.0, 0.2), 0.1);
    let stone = add("stone", JointKind::Free, None, shift(5.0, 0.2, 0.2), 0.1);
    (b.build().unwrap(), vec![pelvis, thigh, shank, arm, nail, post, pendulum, stone])
}

fn has(all: &[(String, String)], a: &str, b: &str) -> bool {
    all.iter().any(|(x, y)| (x == a && y == b) || (x == b && y == a))
}

#[test]
fn contact_rules() {
    let (figure, links) = family();
    let [pelvis, thigh, shank, arm, _, _, pendulum, stone] = links[..] else { panic!() };
    let mut world = World::default();
    let all = touching(&figure, &world);
    assert!(!has(&all, "pelvis", "thigh") && !has(&all, "thigh", "shank"), "neighbours: {all:?}");
    assert!(!has(&all, "nail", "thigh"), "one body: {all:?}");
    assert!(!has(&all, "post", "pendulum"), "jointed to a fixed link: {all:?}");
    assert!(has(&all, "pendulum", "stone"), "{all:?}");
    assert!(!has(&all, "arm", "thigh"), "overlap at home: {all:?}");
    let (detector, patches) = home_patches(&figure, &world);
    let left_out = detector.left_out();
    assert!(
        left_out.iter().any(|o| o.a == "thigh" && o.b == "arm" || o.b == "thigh" && o.a == "arm"),
        "{left_out:?}"
    );
    assert!(patches.iter().all(|p| p.pair.b.index() == 0 || p.pair.key.a > p.pair.key.b));

    world.together.push((pelvis, thigh));
    world.together.push((arm, thigh));
    let all = touching(&figure, &world);
    assert!(has(&all, "pelvis", "thigh") && has(&all, "arm", "thigh"), "{all:?}");
    world.together.clear();
    world.apart.push((stone, pendulum));
    assert!(!has(&touching(&figure, &world), "pendulum", "stone"));
    world.apart.clear();
    world.ghosts.push(stone);
    assert!(!has(&touching(&figure, &world), "pendulum", "stone"));
    world.ghosts.clear();
    // arm and shank touch edge to edge at home without overlap
    world.not_self.push(shank);
    let all = touching(&figure, &world);
    assert!(!has(&all, "arm", "shank"), "{all:?}");
}

#[test]
fn connections_make_neighbours_and_keys_survive_edits() {
    let (mut figure, links) = family();
    let (pendulum, stone) = (links[6], links[7]);
    let world = World::default();
    let (_, before) = home_patches(&figure, &world);
    let key =
        |patches: &[Patch], l: LinkHandle| patches.iter().find(|p| p.pair.link_a == l).map(|p| p.pair.key);
    let old = key(&before, stone).expect("it touches");
    let mut state = State::home(&figure);
    let joint = JointSpec::new("glue", JointKind::Spherical).on(pendulum, shift(0.0, 0.1, 0.0));
    let change = figure.connect(stone, joint, &mut state);
    assert!(change.is_ok(), "{change:?}");
    assert!(!has(&touching(&figure, &world), "pendulum", "stone"));
    let (figure, links) = family();
    let (_, again) = home_patches(&figure, &world);
    assert_eq!(key(&again, links[7]), Some(old));
}

#[test]
fn jointed_to_the_world_and_scenery() {
    let mut b = FigureBuilder::new("door");
    let hinge = JointKind::Revolute { axis: vec3(0.0, 0.0, 1.0) };
    b.add(link_of("door", vec![at_origin(cube(0.5))]), JointSpec::new("hinge", hinge)).unwrap();
    let figure = b.build().unwrap();
    // the floor cuts through the door: it does not touch it; a stop beside it does
    let mut world = World::floor();
    world.scenery.push(Scenery {
        name: "stop".into(),
        ground: SceneryShape::Solid(cube(0.1)),
        world_from_it: shift(0.6, 0.0, 0.0),
        material: MaterialIx::default(),
    });
    let all = touching(&figure, &world);
    assert!(!has(&all, "door", "floor") && has(&all, "door", "stop"), "{all:?}");
}

#[test]
fn the_margin_follows_the_speed() {
    let mut detector = Detector::default();
    detector.prepare(&free_bodies(&[Shape::Sphere { radius: 0.1 }]), &World::floor());
    let mut patches = Vec::new();
    let mut see = |height: f64, velocity: Motion, h: f64| {
        let poses = [Transform::identity(), shift(0.0, 0.0, height)];
        detector.detect(&poses, &[Motion::new(Vec3::ZERO, Vec3::ZERO), velocity], h, &mut patches);
        patches.len()
    };
    let still = Motion::new(Vec3::ZERO, Vec3::ZERO);
    assert_eq!((see(0.1019, still, 1e-3), see(0.1021, still, 1e-3)), (1, 0));
    let falling = Motion::new(Vec3::ZERO, vec3(0.0, 0.0, -100.0));
    assert_eq!((see(0.1 + 0.1519, falling, 1e-3), see(0.1 + 0.1521, falling, 1e-3)), (1, 0));
    let spinning = Motion::new(vec3(0.0, 10.0, 0.0), Vec3::ZERO);
    assert_eq!((see(0.1 + 0.0034, spinning, 1e-3), see(0.1 + 0.0036, spinning, 1e-3)), (1, 0));
    // tunnelling: at any speed the ball is seen before it is through
    assert_eq!(see(0.1 + 0.9, Motion::new(Vec3::ZERO, vec3(0.0, 0.0, -1000.0)), 1e-3), 1);
}

/// A common velocity widens no margin between bodies.
#[test]
fn flying_together_is_not_coming_together() {
    let mut detector = Detector::default();
    detector.prepare(&free_bodies(&[cube(0.1), cube(0.1)]), &World::default());
    let poses = [Transform::identity(), Transform::identity(), shift(0.21, 0.0, 0.0)];
    let fast = Motion::new(Vec3::ZERO, vec3(500.0, 0.0, 0.0));
    let mut patches = Vec::new();
    detector.detect(&poses, &[Motion::new(Vec3::ZERO, Vec3::ZERO), fast, fast], 1e-3, &mut patches);
    assert!(patches.is_empty());
}

#[test]
fn anything_may_happen_to_shapes() {
    let mut rng = Rng::new(80);
    for ka in 0..6 {
        for kb in 0..6 {
            let (a, b) = (random_shape(&mut rng, ka), random_shape(&mut rng, kb));
            let mut world = ground(SceneryShape::Solid(b.clone()), shift(0.1, 0.0, 0.0));
            world.scenery.extend(World::floor().scenery);
            world.scenery.extend(
                ground(SceneryShape::HeightField(bumps(6, 0.2, 0.3, 5)), Transform::identity()).scenery,
            );
            let mut scene = Scene::new(&[a.clone(), b.clone()], &world);
            let turns =
                [Quat::IDENTITY, Quat::about(vec3(1.0, 0.0, 0.0), core::f64::consts::FRAC_PI_2), rng.quat()];
            let nan = f64::NAN;
            let places = [
                Vec3::ZERO,
                vec3(0.1, 0.0, 0.0),
                vec3(1e-300, 0.0, 0.0),
                vec3(0.0, 1e-17, 0.1),
                vec3(1e9, 0.0, 0.0),
                vec3(1e300, 1e300, -1e300),
                vec3(f64::INFINITY, 0.0, 0.0),
                vec3(nan, 0.0, 0.0),
            ];
            for p in places {
                for q in places {
                    for turn in turns {
                        let at = [Transform::new(p, Quat::IDENTITY), Transform::new(q, turn)];
                        for patch in scene.at(&at, 0.1) {
                            assert!(patch.axes.z.is_finite() && (patch.axes.z.norm() - 1.0).abs() < 1e-9);
                            assert!(patch.vertices().iter().all(|v| v.gap.is_finite()));
                        }
                    }
                }
            }
            let broken = Transform {
                rotation: Mat3 { x: vec3(nan, nan, nan), ..Mat3::identity() },
                translation: Vec3::ZERO,
            };
            scene.at(&[broken, Transform::identity()], 0.1);
        }
    }
}

#[test]
fn tumbling_boxes_stay_finite() {
    let mut rng = Rng::new(81);
    let mut scene = Scene::new(&[cube(0.1), Shape::Box { half: vec3(0.05, 0.2, 0.1) }], &World::floor());
    let mut places = [shift(0.0, 0.0, 0.1), shift(0.05, 0.0, 0.25)];
    let mut seen = 0;
    for _ in 0..2000 {
        for p in &mut places {
            let step = Transform::new(rng.vec3(0.01), Quat::exp(rng.vec3(0.1)));
            *p = Transform::new(
                p.translation.scale(0.98) + step.translation,
                p.orientation().then(step.orientation()),
            );
        }
        for patch in scene.at(&places, 0.0) {
            seen += 1;
            assert!((patch.axes.z.norm() - 1.0).abs() < 1e-12);
            assert!(patch.vertices().iter().all(|v| v.gap.is_finite() && v.gap > -1.0 && v.gap <= 2.001e-3));
            assert!(patch.vertices().windows(2).all(|w| w[0].id < w[1].id), "identities repeat: {patch:?}");
        }
    }
    assert!(seen > 2000, "{seen}");
}

fn bumps(points: usize, spacing: f64, height: f64, seed: u64) -> HeightField {
    let mut rng = Rng::new(seed);
    let heights = (0..points * points).map(|_| height * rng.signed()).collect();
    HeightField::new(points, points, [spacing, spacing], heights).unwrap()
}

#[test]
fn a_flat_height_field_is_a_plane() {
    let mut rng = Rng::new(90);
    let tilt = Transform::new(vec3(0.1, 0.2, 0.3), Quat::exp(vec3(0.2, -0.1, 0.5)));
    let flat = HeightField::new(21, 21, [0.1, 0.1], vec![0.0; 441]).unwrap();
    for round in 0..300 {
        let shape = random_shape(&mut rng, round % 6);
        let mut land =
            Scene::new(std::slice::from_ref(&shape), &ground(SceneryShape::HeightField(flat.clone()), tilt));
        let mut plane = Scene::new(std::slice::from_ref(&shape), &ground(SceneryShape::Plane, tilt));
        let at = tilt * Transform::new(rng.vec3(0.2), rng.quat());
        let (l, p) = (land.at(&[at], 0.05), plane.at(&[at], 0.05));
        assert_eq!(l.len(), p.len(), "{shape:?} {l:?}");
        let (Some(l), Some(p)) = (l.first(), p.first()) else { continue };
        assert!((l.axes.z - p.axes.z).norm() < 1e-12);
        // a hull keeps eight of many points; which ones is another matter
        assert!((l.gap() - p.gap()).abs() < 1e-12, "{shape:?}: {} {}", l.gap(), p.gap());
        if !matches!(shape, Shape::Convex { .. }) {
            assert_eq!(l.vertices().len(), p.vertices().len());
            for (v, w) in l.vertices().iter().zip(p.vertices()) {
                assert_eq!(v.id, w.id);
                assert!((l.place(v.xy) - p.place(w.xy)).norm() < 1e-12 && (v.gap - w.gap).abs() < 1e-12);
            }
        }
    }
}

/// Distance of a point from the surface of a height field, by looking at every triangle.
fn from_land(land: &HeightField, p: Vec3) -> f64 {
    let mut best = f64::INFINITY;
    for r in 0..land.rows() - 1 {
        for c in 0..land.columns() - 1 {
            let at = |i, j| vector(land.point(c + i, r + j));
            for (q, s) in [(at(1, 0), at(1, 1)), (at(1, 1), at(0, 1))] {
                let triangle = parry::Triangle::new(at(0, 0), q, s);
                let nearest = query::PointQuery::project_local_point(&triangle, vector(p), true).point;
                best = best.min((nearest - vector(p)).length());
            }
        }
    }
    best
}

#[test]
fn a_ball_rolls_over_bumps() {
    let land = bumps(8, 0.25, 0.1, 7);
    let radius = 0.2;
    let mut scene = Scene::new(
        &[Shape::Sphere { radius }],
        &ground(SceneryShape::HeightField(land.clone()), Transform::identity()),
    );
    let mut distance = Residuals::new("gap over bumps", 1e-9);
    let (mut last, mut jump) = (None, 0.0_f64);
    let step = 1e-3;
    for i in 0..1400 {
        let x = -0.7 + i as f64 * step;
        let p = vec3(x, 0.3 * x + 0.05, 0.3);
        let patches = scene.at(&[Transform::translation(p)], 1.0);
        let gap = patches.iter().map(|p| p.gap()).fold(f64::INFINITY, f64::min);
        distance.see((gap - (from_land(&land, p) - radius)).abs(), || format!("at {p:?}: {gap} {patches:?}"));
        if let Some(last) = last {
            jump = jump.max(f64::abs(gap - last));
        }
        last = Some(gap);
    }
    distance.finish();
    // the distance changes by no more than the ball moves
    assert!(jump <= 1.05 * step + 1e-9, "{jump}");
}

#[test]
fn a_box_stands_on_peaks_and_ridges() {
    // a roof along y at x = 0, and the box across it
    let heights = (0..5).flat_map(|_| [-0.5, -0.25, 0.0, -0.25, -0.5]).collect();
    let roof = HeightField::new(5, 5, [0.25, 0.25], heights).unwrap();
    let slab = Shape::Box { half: vec3(0.4, 0.1, 0.05) };
    let mut scene = Scene::new(&[slab], &ground(SceneryShape::HeightField(roof), Transform::identity()));
    for gap in [1e-3, 0.0, -1e-3] {
        let patches = scene.at(&[shift(0.0, 0.0, 0.05 + gap)], 0.0);
        assert!(!patches.is_empty());
        for p in patches {
            assert!((p.axes.z - vec3(0.0, 0.0, 1.0)).norm() < 1e-12, "{p:?}");
            assert!((p.gap() - gap).abs() < 1e-12);
            assert!(p.vertices().iter().all(|v| p.place(v.xy).x.abs() < 1e-9));
        }
    }
    // one peak under the middle of a box
    let mut heights = vec![0.0; 25];
    heights[12] = 0.3;
    let cone = HeightField::new(5, 5, [0.25, 0.25], heights).unwrap();
    let mut scene = Scene::new(&[cube(0.1)], &ground(SceneryShape::HeightField(cone), Transform::identity()));
    let patches = scene.at(&[shift(0.02, 0.01, 0.4 - 1e-4)], 0.0);
    assert_eq!(patches.len(), 1, "{patches:?}");
    assert!((patches[0].gap() + 1e-4).abs() < 1e-12 && (patches[0].axes.z.z - 1.0).abs() < 1e-12);
}

#[test]
fn detection_does_not_allocate_once_warm() {
    let mut rng = Rng::new(95);
    let shapes: Vec<Shape> = (0..12).map(|i| random_shape(&mut rng, i % 6)).collect();
    let mut world = World::floor();
    world
        .scenery
        .extend(ground(SceneryShape::HeightField(bumps(6, 0.2, 0.1, 3)), Transform::identity()).scenery);
    let mut scene = Scene::new(&shapes, &world);
    let mut poses = vec![Transform::identity()];
    poses.extend((0..12).map(|_| Transform::new(rng.vec3(0.4), rng.quat())));
    let velocities = vec![Motion::new(Vec3::ZERO, Vec3::ZERO); poses.len()];
    let mut go = || scene.detector.detect(&poses, &velocities, 1e-3, &mut scene.patches);
    go();
    let used = allocation_counter::measure(go).count_total;
    assert_eq!(used, 0);
    assert!(scene.patches.len() > 20);
}

/// A capsule near a corner of a face: its stretch over the face, or none of it.
#[test]
fn capsules_beside_faces() {
    let mut rng = Rng::new(75);
    let (half, radius, half_length) = (vec3(0.2, 0.15, 0.1), 0.05, 0.3);
    let shapes = [Shape::Box { half }, Shape::Capsule { radius, half_length }];
    let mut scene = Scene::new(&shapes, &World::default());
    let mut distance = Residuals::new("capsules beside faces", 1e-5);
    for _ in 0..3000 {
        // nearly flat, near the top face and its corners, also half a radius deep
        let lying = Quat::exp(vec3(0.0, core::f64::consts::FRAC_PI_2 + 1e-3 * rng.signed(), 0.0));
        let turn = Quat::about(vec3(0.0, 0.0, 1.0), 3.0 * rng.signed()).then(lying);
        let p = vec3(0.5 * rng.signed(), 0.5 * rng.signed(), 0.15 + 0.02 * rng.signed());
        let places = [Transform::identity(), Transform::new(p, turn)];
        let nearest = least(half_length, |s| from_box(places[1].point(vec3(0.0, 0.0, s)), half, &places[0]));
        let patches = scene.at(&places, 10.0);
        assert_eq!(patches.len(), 1);
        distance.see((patches[0].gap() - (nearest - radius)).abs(), || format!("{places:?} {patches:?}"));
        for v in patches[0].vertices() {
            // the common plane leaves an edge that is not quite in it
            let off = if v.id < 1 << 20 { 1e-6 } else { 1e-3 };
            assert!(from_box(patches[0].place(v.xy), half, &places[0]) < off, "not on the box: {patches:?}");
        }
    }
    distance.finish();
}
