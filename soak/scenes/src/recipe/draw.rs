//! Random generation of a scene: surfaces, obstacles, trees, rings, people and actions.

use super::{Act, Family, Part, Person, Recipe, Thing, Verb};
use crate::rng::Rng;
use anthropi_dynamics::contact::Surface;
use anthropi_dynamics::joint::{Dof, JointKind, LimitLaw, LimitSpring, Range, Slide, Turn};
use anthropi_dynamics::model::Shape;
use anthropi_dynamics::sim::Integrator;
use anthropi_dynamics::spatial::{Quat, RotationOrder, Transform, Vec3, vec3};

/// Largest natural frequency of springs, rad/s: resolved by steps of two milliseconds.
const QUICKEST: f64 = 50.0;

const LIMBS: [&str; 6] =
    ["left_foot", "right_foot", "left_forearm", "right_forearm", "left_shank", "right_shank"];
const HANDS: [&str; 2] = ["left_hand", "right_hand"];

impl Recipe {
    pub fn new(seed: u64, steps: usize, only: Option<Family>) -> Recipe {
        let mut rng = Rng::new(seed);
        let drawn = rng.pick(&[
            Family::Trees,
            Family::Trees,
            Family::Heap,
            Family::Heap,
            Family::Heap,
            Family::People,
            Family::People,
            Family::Rings,
        ]);
        let family = only.unwrap_or(drawn);
        let touches = match family {
            Family::Trees => false,
            Family::Heap => true,
            Family::People | Family::Rings => rng.chance(0.7),
        };
        let gravity = match rng.below(4) {
            0 => rng.vec3(12.0),
            1 => Vec3::ZERO,
            _ => vec3(0.0, 0.0, -9.81),
        };
        let integrator = match rng.below(10) {
            0 => Integrator::Rk4,
            1 => Integrator::Euler,
            _ => Integrator::Midpoint,
        };
        let mut recipe = Recipe {
            seed,
            family,
            dt: rng.pick(&[1e-3, 1e-3, 1e-3, 5e-4, 2e-3]),
            steps,
            gravity,
            integrator,
            people: Vec::new(),
            parts: Vec::new(),
            things: Vec::new(),
            touches,
            surface: surface(&mut rng),
            acts: Vec::new(),
            by_text: rng.chance(0.1),
        };
        if touches {
            things(&mut rng, &mut recipe.things);
        }
        match family {
            Family::Trees => trees(&mut rng, &mut recipe, 24),
            Family::Heap => trees(&mut rng, &mut recipe, 10),
            Family::People => people(&mut rng, &mut recipe),
            Family::Rings => ring(&mut rng, &mut recipe),
        }
        let names = recipe.names();
        acts(&mut rng, &mut recipe, &names);
        recipe
    }

    /// Names of all links.
    fn names(&self) -> Vec<String> {
        let own = self.parts.iter().map(|p| p.name.clone());
        let limbs = (0..self.people.len()).flat_map(|i| {
            LIMBS.iter().chain(["pelvis", "chest", "head"].iter()).map(move |l| format!("p{i}/{l}"))
        });
        own.chain(limbs).collect()
    }
}

fn surface(rng: &mut Rng) -> Surface {
    let static_friction = rng.pick(&[0.0, 0.1, 0.5, 0.8, 1.5]);
    Surface {
        static_friction,
        dynamic_friction: static_friction * rng.pick(&[1.0, 1.0, 0.7]),
        restitution: rng.pick(&[0.0, 0.0, 0.0, 0.4, 1.0]),
        tangential_restitution: rng.pick(&[0.0, 0.0, 0.5]),
    }
}

fn things(rng: &mut Rng, out: &mut Vec<Thing>) {
    if rng.chance(0.15) {
        let heights = (0..49).map(|_| 0.1 * rng.signed()).collect();
        out.push(Thing::Heights { heights, spacing: 0.5 });
    } else {
        let slope = if rng.chance(0.2) { 0.5 * rng.signed() } else { 0.0 };
        out.push(Thing::Plane { slope });
    }
    for _ in 0..rng.below(3) {
        let at = vec3(rng.signed(), rng.signed(), 0.1 * rng.uniform());
        let turn = if rng.chance(0.5) { rng.quat() } else { Quat::IDENTITY };
        out.push(Thing::Solid { shape: shape(rng, 1.0), at, turn });
    }
}

fn shape(rng: &mut Rng, size: f64) -> Shape {
    let mut edge = || size * rng.within(0.04, 0.16);
    let (a, b, c) = (edge(), edge(), edge());
    match rng.below(8) {
        0..=2 => Shape::Box { half: vec3(a, b, c) },
        3 => Shape::Sphere { radius: a },
        4 | 5 => Shape::Capsule { radius: 0.5 * a, half_length: b },
        6 => Shape::Cylinder { radius: a, half_length: b },
        _ if rng.chance(0.5) => Shape::Ellipsoid { half: vec3(a, b, c) },
        _ => {
            let corner = |i: u32, bit: u32, x: f64| if i & bit == 0 { -x } else { x };
            let points = (0..8).map(|i| {
                vec3(corner(i, 1, a), corner(i, 2, b), corner(i, 4, c)).scale(1.0 + 0.3 * rng.uniform())
            });
            Shape::Convex { points: points.collect() }
        }
    }
}

fn kind(rng: &mut Rng) -> JointKind {
    let axis = if rng.chance(0.5) { rng.unit() } else { vec3(0.0, 1.0, 0.0) };
    match rng.below(8) {
        0..=2 => JointKind::Revolute { axis },
        3 => JointKind::Prismatic { axis },
        4 => JointKind::Universal { first: axis, second: axis.any_perpendicular() },
        5 if rng.chance(0.4) => JointKind::Fixed,
        _ => JointKind::Spherical,
    }
}

fn grip(rng: &mut Rng) -> JointKind {
    let axis = if rng.chance(0.5) { rng.unit() } else { vec3(0.0, 1.0, 0.0) };
    match rng.below(9) {
        0 | 1 => JointKind::Fixed,
        2 | 3 => JointKind::Revolute { axis },
        4 => JointKind::Prismatic { axis },
        5 => JointKind::Universal { first: axis, second: axis.any_perpendicular() },
        6 => JointKind::Partial {
            turn: rng.pick(&[Turn::None, Turn::About(axis), Turn::Any]),
            slide: rng.pick(&[Slide::Along(axis), Slide::Across(axis), Slide::None]),
        },
        _ => JointKind::Spherical,
    }
}

/// Passive properties of a joint for unit inertia; `build` scales them to the actual one.
fn dof(rng: &mut Rng, kind: JointKind, damped: f64) -> Dof {
    let strong = QUICKEST * QUICKEST;
    let mut d = Dof::default();
    if matches!(kind, JointKind::Free | JointKind::Fixed) || rng.chance(0.5) {
        return d;
    }
    let slides = matches!(kind, JointKind::Prismatic { .. });
    match rng.below(5) {
        0 => (d.stiffness, d.damping) = (strong * rng.uniform(), 1e-3 * strong * rng.uniform()),
        1 => d.damping = strong * rng.uniform() * damped,
        2 => d.friction = 0.005 * strong * rng.uniform(),
        3 => d.armature = rng.within(0.1, 10.0),
        _ => {
            let reach = if slides { 0.3 } else { 1.0 };
            let lower = -reach * rng.uniform();
            d.range = Some(Range { lower, upper: lower + reach * (0.5 + rng.uniform()) });
            let law = if rng.chance(0.5) {
                LimitLaw::Power { k: strong * rng.uniform(), n: 3.0 }
            } else {
                LimitLaw::Exponential { k: 0.02 * strong, c: rng.within(2.0, 4.0) }
            };
            d.limit = Some(LimitSpring { law, blend: 0.1, rebound: rng.pick(&[0.0, 0.2]) });
        }
    }
    d
}

/// Damping, relative to the strongest spring; unbounded if implicit.
fn damped(r: &Recipe) -> f64 {
    if r.integrator == Integrator::Midpoint { 1.0 } else { 1e-3 }
}

/// Bounding radius of a solid.
fn reach(shape: &Shape) -> f64 {
    shape.extent(&Transform::identity(), vec3(0.0, 0.0, 1.0)).1
}

fn trees(rng: &mut Rng, r: &mut Recipe, most: usize) {
    let links = 1 + rng.below(most);
    let roots_apart = rng.chance(0.8);
    let (speed, size) = (rng.pick(&[0.0, 0.5, 2.0, 8.0]), rng.pick(&[0.5, 1.0, 1.0, 2.0]));
    let mut roots = 0;
    let damped = damped(r);
    for i in 0..links {
        let parent = if i == 0 || rng.chance(0.2) { None } else { Some(rng.below(i)) };
        let solid = shape(rng, size);
        let kind = match parent {
            None if rng.chance(0.75) => JointKind::Free,
            _ => kind(rng),
        };
        let turned = |rng: &mut Rng| if rng.chance(0.5) { rng.quat() } else { Quat::IDENTITY };
        let end = |rng: &mut Rng, s: &Shape| rng.unit().scale(reach(s) * rng.within(0.8, 1.3));
        let spread = if roots_apart { 0.7 * size } else { 0.2 };
        let parent_from_joint = match parent {
            None if kind == JointKind::Free => Transform::identity(),
            None => Transform::new(
                vec3(spread * rng.signed(), spread * rng.signed(), rng.within(0.2, 1.5)),
                turned(rng),
            ),
            Some(up) => {
                let at: Vec3 = end(rng, &r.parts[up].solid);
                Transform::new(at, turned(rng))
            }
        };
        let child_from_joint = if kind == JointKind::Free {
            Transform::identity()
        } else {
            Transform::new(end(rng, &solid), turned(rng))
        };
        let mut q = kind.neutral();
        for x in q.iter_mut().take(if kind.nq() == kind.nv() { kind.nq() } else { 0 }) {
            *x = rng.signed();
        }
        if let JointKind::Prismatic { .. } = kind {
            q[0] *= 0.2;
        }
        if kind == JointKind::Spherical {
            q[..4].copy_from_slice(&rng.quat().0);
        }
        let mut gap = None;
        if kind == JointKind::Free {
            let (x, y) = if roots_apart {
                let k = roots as f64;
                (0.9 * size * k + 0.1 * rng.signed(), 0.3 * rng.signed())
            } else {
                (0.4 * rng.signed(), 0.4 * rng.signed())
            };
            q[..3].copy_from_slice(&[x, y, rng.within(0.5, 1.5)]);
            if rng.chance(0.7) {
                q[3..].copy_from_slice(&rng.quat().0);
            }
            if r.touches && rng.chance(0.8) {
                gap = Some(rng.pick(&[0.0, 0.0, 1e-3, 0.02, -1e-3]));
            }
            roots += 1;
        }
        let order = RotationOrder::ALL[rng.below(6)];
        let dof = dof(rng, kind, damped);
        if let Some(r) = dof.range {
            let angles = [(); 3].map(|()| rng.within(r.lower, r.upper));
            match kind {
                JointKind::Spherical => q[..4].copy_from_slice(&order.quat(angles).0),
                _ => q[..kind.nv()].copy_from_slice(&angles[..kind.nv()]),
            }
        }
        let mut v = [0.0; 6];
        v.iter_mut().for_each(|x| *x = speed * rng.signed());
        if r.touches && kind == JointKind::Free {
            // towards the others and the ground
            v[5] -= speed * rng.uniform();
        }
        let has_shape = rng.chance(0.9);
        let density = rng.pick(&[200.0, 1000.0, 1000.0, 5000.0]);
        r.parts.push(Part {
            name: format!("l{i}"),
            parent,
            kind,
            parent_from_joint,
            child_from_joint,
            order,
            shape: has_shape.then(|| solid.clone()),
            solid,
            density,
            dof,
            q,
            v,
            gap,
        });
    }
}

/// A chain of equal bars with fixed ends: straight or bent, planar or spatial.
fn ring(rng: &mut Rng, r: &mut Recipe) {
    let bars = 2 + rng.below(7);
    let damped = damped(r);
    let half = vec3(0.1, 0.02, 0.02);
    let (bend, planar) = (rng.pick(&[0.0, 1e-9, 1e-4, 0.3, 1.0]), rng.chance(0.6));
    let root =
        if rng.chance(0.5) { JointKind::Free } else { JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) } };
    let speed = rng.pick(&[0.0, 0.0, 1.0, 5.0]);
    for i in 0..bars {
        let kind = match i {
            0 => root,
            _ if planar => JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) },
            _ => rng.pick(&[
                JointKind::Spherical,
                JointKind::Universal { first: vec3(0.0, 1.0, 0.0), second: vec3(0.0, 0.0, 1.0) },
                JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) },
            ]),
        };
        let mut q = kind.neutral();
        if matches!(kind, JointKind::Revolute { .. } | JointKind::Universal { .. }) {
            q[0] = bend * rng.signed();
        }
        if kind == JointKind::Free {
            q[2] = 0.5;
        }
        let mut v = [0.0; 6];
        if kind.nv() == 1 {
            v[0] = speed * rng.signed();
        }
        let at = vec3(0.1, 0.0, 0.0);
        let hang = if i == 0 { vec3(0.0, 0.0, 0.5) } else { at };
        let is_free = kind == JointKind::Free;
        r.parts.push(Part {
            name: format!("l{i}"),
            parent: i.checked_sub(1),
            kind,
            parent_from_joint: if is_free { Transform::identity() } else { Transform::translation(hang) },
            child_from_joint: if is_free { Transform::identity() } else { Transform::translation(-at) },
            order: RotationOrder::default(),
            shape: Some(Shape::Box { half }),
            solid: Shape::Box { half },
            density: 1000.0,
            dof: if rng.chance(0.2) { dof(rng, kind, damped) } else { Dof::default() },
            q,
            v,
            gap: (is_free && r.touches && rng.chance(0.7)).then_some(0.0),
        });
    }
    // connects its end, and sometimes an inner link, to the world or to the other end
    let y = JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) };
    let last = format!("l{}", bars - 1);
    let to_world = rng.chance(0.6);
    let mut hold = |rng: &mut Rng, a: String, at: Vec3, b: Option<String>| {
        let kind = rng.pick(&[y, y, JointKind::Spherical, JointKind::Fixed]);
        r.acts.push(Act { step: 0, verb: Verb::Connect { a, b, kind, at, turn: Quat::IDENTITY } });
    };
    hold(rng, last, vec3(0.1, 0.0, 0.0), if to_world || bars < 3 { None } else { Some("l0".into()) });
    if root == JointKind::Free && to_world {
        hold(rng, "l0".into(), vec3(-0.1, 0.0, 0.0), None);
    }
    if rng.chance(0.4) {
        let middle = format!("l{}", bars / 2);
        hold(rng, middle, vec3(0.0, 0.0, 0.02), None);
    }
}

fn people(rng: &mut Rng, r: &mut Recipe) {
    let count = if rng.chance(0.2) { 2 } else { 1 };
    let mode = rng.below(4); // stands, hangs, tumbles, lies
    for i in 0..count {
        let figure = rng.pick(&["human-28", "human-28", "human-16", "human-40", "anthropi-42"]);
        let at = vec3(0.5 * i as f64, 0.3 * rng.signed() * i as f64, 0.0);
        let person = Person {
            figure,
            at: if mode == 1 || mode == 2 { at + vec3(0.0, 0.0, 1.0) } else { at },
            turn: match mode {
                0 | 1 => Quat::about(vec3(0.0, 0.0, 1.0), if rng.chance(0.5) { rng.signed() } else { 0.0 }),
                2 => rng.quat(),
                _ => Quat::about(vec3(0.0, 1.0, 0.0), rng.pick(&[1.5, -1.5])),
            },
            bend: rng.pick(&[0.0, 0.0, 0.1, 0.5]),
            posed: rng.bits(),
            speed: rng.pick(&[0.0, 0.0, 0.5, 3.0]),
            arms_up: mode == 1,
            rigid: rng.chance(0.4),
            gap: (mode == 0 || mode == 3).then(|| rng.pick(&[0.0, 0.0, 0.01])),
        };
        r.people.push(person);
    }
    let y = vec3(0.0, 1.0, 0.0);
    let mut hold = |rng: &mut Rng, step: usize, a: String, kind: JointKind, at: Vec3| {
        let turn = if rng.chance(0.3) { rng.quat() } else { Quat::IDENTITY };
        r.acts.push(Act { step, verb: Verb::Connect { a, b: None, kind, at, turn } });
    };
    if mode == 1 {
        let kind = rng.pick(&[JointKind::Revolute { axis: y }, JointKind::Spherical, JointKind::Fixed]);
        for hand in HANDS.iter().chain(&["left_forearm", "right_forearm"]) {
            hold(rng, 0, format!("p0/{hand}"), kind, vec3(0.0, 0.0, -0.09));
        }
    } else if rng.chance(0.7) {
        for _ in 0..=rng.below(3) {
            let limb = rng.pick(&LIMBS);
            let kind = grip(rng);
            let step = rng.below(40);
            hold(rng, step, format!("p0/{limb}"), kind, vec3(0.0, 0.0, 0.0));
        }
    }
}

fn acts(rng: &mut Rng, r: &mut Recipe, names: &[String]) {
    let lively = match r.family {
        Family::Rings => 4,
        _ => 14,
    };
    for _ in 0..rng.below(lively) {
        let step = rng.below(r.steps);
        let (a, b) = (rng.pick(names), rng.pick(names));
        let verb = match rng.below(20) {
            0..=5 if a != b => {
                let b = if rng.chance(0.3) { None } else { Some(b) };
                let turn = if rng.chance(0.5) { rng.quat() } else { Quat::IDENTITY };
                Verb::Connect { a, b, kind: grip(rng), at: rng.vec3(0.1), turn }
            }
            6..=8 => Verb::CutConnection(rng.below(4)),
            9 | 10 => Verb::CutJoint(a),
            11 | 12 => Verb::Lock(a, rng.below(3)),
            13 => Verb::Unlock(a, rng.below(3)),
            14 => Verb::Reroot(a),
            15 | 16 => {
                let (force, torque) = (rng.pick(&[5.0, 50.0]), rng.pick(&[0.0, 50.0]));
                let (point, force, torque) = (rng.vec3(0.1), rng.vec3(force), rng.vec3(torque));
                Verb::Push { link: a, point, force, torque, steps: 1 + rng.below(30) }
            }
            17 | 18 => Verb::Hold {
                links: (0..1 + rng.below(6)).map(|_| rng.pick(names)).collect(),
                stiffness: rng.pick(&[10.0, 300.0, 3000.0]),
                damping: rng.pick(&[0.0, 3.0, 30.0]),
                turn: rng.pick(&[0.0, 0.2, 1.0]),
                over: rng.pick(&[0.0, 0.05]),
            },
            _ => Verb::Drive { size: rng.pick(&[10.0, 100.0]) },
        };
        r.acts.push(Act { step, verb });
    }
    r.acts.sort_by_key(|a| a.step);
}
