//! Contact in time against closed forms.

use super::contact_robust::{floor, rough, slope, solids};
use anthropi_dynamics::contact::{Material, Slip, Surface, Touch, World};
use anthropi_dynamics::model::Shape;
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use testkit::{place, throw, velocity};

const G: f64 = 9.81;
const H: f64 = 1e-3;

fn upright(shape: Shape, at: Vec3) -> Simulation {
    solids(&[(shape, at, Quat::IDENTITY)])
}

/// Steps and checks at each that the forces are valid.
fn run(sim: &mut Simulation, seconds: f64) {
    for _ in 0..(seconds / H).round() as usize {
        sim.step(H).unwrap();
        assert_eq!(sim.contact_tally().violations, 0, "at {}", sim.time());
    }
}

const BOX: Vec3 = vec3(0.1, 0.15, 0.2);

#[test]
fn a_block_on_an_incline_sticks_or_slides_as_its_friction_angle_says() {
    for (angle, friction) in [(0.2, 0.25), (0.3, 0.25), (0.45, 0.3), (0.6, 0.2), (0.4, 0.0)] {
        let turn = Quat::about(vec3(0.0, 1.0, 0.0), angle);
        let shape = Shape::Box { half: vec3(0.2, 0.15, 0.1) };
        let mut sim = solids(&[(shape, turn.rotate(vec3(0.0, 0.0, 0.1)), turn)]);
        sim.touch(slope(angle, rough(friction, 0.0))).unwrap();
        let downhill = turn.rotate(vec3(1.0, 0.0, 0.0));
        run(&mut sim, 0.5);
        let before = velocity(&sim, 0).dot(downhill);
        run(&mut sim, 0.5);
        let acceleration = (velocity(&sim, 0).dot(downhill) - before) / 0.5;
        let expected = (G * (angle.sin() - friction * angle.cos())).max(0.0);
        assert!((acceleration - expected).abs() < 1e-9, "{angle} {friction}: {acceleration} {expected}");
        assert!((velocity(&sim, 0) - downhill.scale(expected)).norm() < 1e-9);
        let contact = sim.contacts()[0];
        let expected = if expected > 0.0 { Slip::Slide } else { Slip::Stick };
        assert_eq!((contact.touch, contact.slip), (Touch::Surface, expected));
        if expected == Slip::Stick {
            assert!((place(&sim, 0) - turn.rotate(vec3(0.0, 0.0, 0.1))).norm() < 1e-12);
        }
    }
}

#[test]
fn static_friction_holds_what_dynamic_friction_would_not() {
    let (angle, mut surface) = (0.3, rough(0.35, 0.0));
    surface.dynamic_friction = 0.2;
    let turn = Quat::about(vec3(0.0, 1.0, 0.0), angle);
    let shape = Shape::Box { half: vec3(0.2, 0.15, 0.1) };
    let downhill = turn.rotate(vec3(1.0, 0.0, 0.0));
    for (kick, expected) in [(0.0, 0.0), (0.5, G * (angle.sin() - 0.2 * angle.cos()))] {
        let mut sim = solids(&[(shape.clone(), turn.rotate(vec3(0.0, 0.0, 0.1)), turn)]);
        sim.touch(slope(angle, surface)).unwrap();
        throw(&mut sim, 0, downhill.scale(kick), Vec3::ZERO);
        run(&mut sim, 1.0);
        let moved = velocity(&sim, 0).dot(downhill) - kick;
        assert!((moved - expected).abs() < 1e-9, "{moved} {expected}");
    }
}

#[test]
fn a_sphere_rolls_or_slides_down_an_incline() {
    let r = 0.1;
    for (angle, friction) in [(0.3, 0.5), (0.3, 0.05), (0.8, 0.2)] {
        let normal = vec3(f64::sin(angle), 0.0, f64::cos(angle));
        let mut sim = upright(Shape::Sphere { radius: r }, normal.scale(r));
        sim.touch(slope(angle, rough(friction, 0.0))).unwrap();
        run(&mut sim, 1.0);
        let downhill = vec3(f64::cos(angle), 0.0, -f64::sin(angle));
        let rolls = friction >= 2.0 / 7.0 * f64::tan(angle);
        let (a, spin) = if rolls {
            (5.0 / 7.0 * G * angle.sin(), 5.0 / 7.0 * G * angle.sin() / r)
        } else {
            (G * (angle.sin() - friction * angle.cos()), 2.5 * friction * G * angle.cos() / r)
        };
        assert!((velocity(&sim, 0) - downhill.scale(a)).norm() < 1e-9, "{:?}", velocity(&sim, 0));
        assert!((sim.state().v[1] - spin).abs() < 1e-8, "{} {spin}", sim.state().v[1]);
        // second order in the step: the ball is where it should be, and on the plane
        let at = place(&sim, 0);
        assert!((at.dot(downhill) - 0.5 * a).abs() < 1e-8, "{}", at.dot(downhill) - 0.5 * a);
        assert!((at.dot(normal) - r).abs() < 1e-9);
    }
}

#[test]
fn a_bowled_ball_slides_then_rolls() {
    let (r, speed, friction) = (0.1, 3.0, 0.2);
    let mut sim = upright(Shape::Sphere { radius: r }, vec3(0.0, 0.0, r));
    sim.touch(floor(rough(friction, 0.0))).unwrap();
    throw(&mut sim, 0, vec3(speed, 0.0, 0.0), Vec3::ZERO);
    let rolls_at = 2.0 * speed / (7.0 * friction * G);
    run(&mut sim, rolls_at - 5e-3);
    let expected = speed - friction * G * sim.time();
    assert!((velocity(&sim, 0).x - expected).abs() < 1e-9);
    run(&mut sim, 1.0);
    assert!((velocity(&sim, 0).x - 5.0 / 7.0 * speed).abs() < 1e-9, "{}", velocity(&sim, 0).x);
    assert!((sim.state().v[1] - 5.0 / 7.0 * speed / r).abs() < 1e-8);
}

#[test]
fn a_ball_bounces_to_the_heights_restitution_says() {
    for e in [0.8_f64, 0.5, 1.0] {
        let (r, drop) = (0.1, 0.7);
        let mut sim = upright(Shape::Sphere { radius: r }, vec3(0.0, 0.0, r + drop));
        sim.touch(floor(rough(0.5, e))).unwrap();
        let (mut bounces, mut top, mut rising) = (0, 0.0_f64, false);
        for _ in 0..4000 {
            sim.step(H).unwrap();
            let (z, v) = (place(&sim, 0).z - r, velocity(&sim, 0).z);
            assert!(z > -1e-9, "inside the floor by {z}");
            top = top.max(z + v * v / (2.0 * G)); // energy says how high it will get
            if v > 0.0 && !rising {
                bounces += 1;
                let height = z + v * v / (2.0 * G);
                let expected = drop * e.powi(2 * bounces);
                if expected < 1e-3 {
                    break; // below the speed at which things bounce at all
                }
                assert!((height - expected).abs() < 1e-6 * expected, "{e} {bounces}: {height} {expected}");
            }
            rising = v > 0.0;
        }
        assert!(bounces >= 4 && top <= drop * (1.0 + 1e-9), "{bounces} {top}");
    }
}

#[test]
fn a_superball_turns_its_spin_around() {
    // tangential restitution 1 and enough friction: the contact point's whole velocity is reversed [NY2000J eq. 15]
    let r = 0.1;
    let mut sim = upright(Shape::Sphere { radius: r }, vec3(0.0, 0.0, r + 0.3));
    let surface = Surface { tangential_restitution: 1.0, ..rough(5.0, 1.0) };
    sim.touch(floor(surface)).unwrap();
    throw(&mut sim, 0, vec3(1.0, 0.0, 0.0), vec3(0.0, 2.0, 0.0));
    let before = sim.energy().total();
    run(&mut sim, 0.3);
    let (v, w) = (velocity(&sim, 0), sim.state().v[1]);
    let slip = v.x - w * r;
    assert!((slip + (1.0 - 2.0 * r)).abs() < 1e-9, "{slip}");
    assert!(v.z > 0.0 && (sim.energy().total() - before).abs() < 1e-9 * before);
}

#[test]
fn slip_is_returned_without_normal_restitution() {
    // each direction has its own coefficient [NY2000J eq. 15]: the ball stays down and slides back
    let (r, h) = (0.1, 1e-3);
    let mut sim = upright(Shape::Sphere { radius: r }, vec3(0.0, 0.0, r + 0.3));
    sim.touch(floor(Surface { tangential_restitution: 0.5, ..rough(5.0, 0.0) })).unwrap();
    throw(&mut sim, 0, vec3(1.0, 0.0, 0.0), vec3(0.0, 2.0, 0.0));
    while sim.contact_tally().impacts == 0 {
        sim.step(h).unwrap();
    }
    let slip = velocity(&sim, 0).x - sim.state().v[1] * r;
    // friction of the ball's weight slows the slip for the rest of the step
    let slowed = 3.5 * 5.0 * 9.81 * h;
    let returned = -0.5 * (1.0 - 2.0 * r);
    assert!((returned..=returned + slowed).contains(&slip), "{slip}, returned {returned}");
    assert!(velocity(&sim, 0).z.abs() < 1e-9);
}

#[test]
fn equal_balls_exchange_their_velocities() {
    let r = 0.1;
    let ball = Shape::Sphere { radius: r };
    let at = |x: f64| (ball.clone(), vec3(x, 0.0, 0.0), Quat::IDENTITY);
    let mut sim = solids(&[at(0.0), at(0.5), at(0.75)]);
    sim.edit(|f, _| {
        f.set_gravity(Vec3::ZERO);
        Ok(())
    })
    .unwrap();
    let mut world = World::default();
    world.materials.add(Material { name: "default".into(), surface: rough(0.3, 1.0) }).unwrap();
    sim.touch(world).unwrap();
    throw(&mut sim, 0, vec3(2.0, 0.0, 0.0), Vec3::ZERO);
    run(&mut sim, 0.6);
    let v: Vec<f64> = (0..3).map(|i| velocity(&sim, i).x).collect();
    let sum: f64 = v.iter().sum();
    let square: f64 = v.iter().map(|v| v * v).sum();
    assert!((sum - 2.0).abs() < 1e-12 && (square - 4.0).abs() < 1e-9, "{v:?}");
    assert!(v[0].abs() < 1e-9 && v[1].abs() < 1e-9, "{v:?}");
}

#[test]
fn a_spinning_plate_stops_by_yaw_friction() {
    let (side, friction, spin) = (0.4, 0.3, 5.0);
    let half = vec3(0.5 * side, 0.5 * side, 0.01);
    let mut sim = upright(Shape::Box { half }, vec3(0.0, 0.0, 0.01));
    sim.touch(floor(rough(friction, 0.0))).unwrap();
    throw(&mut sim, 0, Vec3::ZERO, vec3(0.0, 0.0, spin));
    // I dw/dt = -mu m g d, with I = m side^2 / 6 and d = 0.54 of the corner's distance
    let d = 0.54 * side / 2.0_f64.sqrt();
    let stops_at = spin * side * side / 6.0 / (friction * G * d);
    run(&mut sim, stops_at - 2e-3);
    let left = sim.state().v[2];
    let expected = spin * (1.0 - sim.time() / stops_at);
    assert!((left - expected).abs() < 1e-9, "{left} {expected}");
    assert_eq!(sim.contacts()[0].slip, Slip::Spin);
    run(&mut sim, 3e-3);
    assert!(sim.state().v[2].abs() < 1e-12);
    assert!(place(&sim, 0).norm() - 0.01 < 1e-9, "it stays where it is");
}

#[test]
fn a_block_tips_over_its_lower_edge_when_its_weight_leaves_it() {
    let half = vec3(0.1, 0.1, 0.3);
    let tips_at = f64::atan2(half.x, half.z);
    for (angle, tips) in [(tips_at - 0.01, false), (tips_at + 0.01, true)] {
        let turn = Quat::about(vec3(0.0, 1.0, 0.0), angle);
        let mut sim = solids(&[(Shape::Box { half }, turn.rotate(vec3(0.0, 0.0, half.z)), turn)]);
        sim.touch(slope(angle, rough(2.0, 0.0))).unwrap();
        sim.step(H).unwrap();
        if tips {
            let contact = sim.contacts()[0];
            assert_eq!((contact.touch, contact.slip), (Touch::Line, Slip::Stick));
            // about the lower edge: I_edge dw/dt = m g |r| sin(excess)
            let (m, r2) = (1.0, half.x * half.x + half.z * half.z);
            let about_edge = m * (r2 / 3.0 + r2);
            let expected = m * G * r2.sqrt() * f64::sin(angle - tips_at) / about_edge;
            let w = sim.state().v[1];
            assert!((w / H - expected).abs() < 1e-6 * expected, "{} {expected}", w / H);
            let link = contact.virtual_link().unwrap();
            assert!((link.axes.x.y.abs() - 1.0).abs() < 1e-12, "x along the edge");
            assert_eq!(link.held, [true, true, true, false, true, true]);
        }
        run(&mut sim, 2.0);
        let fell = Quat([sim.state().q[3], sim.state().q[4], sim.state().q[5], sim.state().q[6]])
            .rotate(vec3(0.0, 0.0, 1.0))
            .z;
        assert_eq!(fell < 0.5, tips, "{angle} {fell}");
    }
}

#[test]
fn a_stack_of_three_is_at_rest() {
    let half = vec3(0.2, 0.15, 0.1);
    let at = |i: usize, turn: f64| {
        let up = vec3(0.0, 0.0, 0.1 + 0.2 * i as f64);
        (Shape::Box { half }, up, Quat::about(vec3(0.0, 0.0, 1.0), turn))
    };
    let mut sim = solids(&[at(0, 0.0), at(1, 0.3), at(2, -0.2)]);
    sim.touch(floor(rough(0.6, 0.0))).unwrap();
    run(&mut sim, 5.0);
    for i in 0..3 {
        let expected = vec3(0.0, 0.0, 0.1 + 0.2 * i as f64);
        assert!((place(&sim, i) - expected).norm() < 1e-9, "{i} {:?}", place(&sim, i));
    }
    assert!(sim.contacts().iter().filter(|c| c.center.is_some()).all(|c| c.touch == Touch::Surface));
    let weight = half.x * half.y * half.z * 8000.0 * G;
    let on_floor = sim.contacts().iter().find(|c| c.patch.pair.scenery.is_some()).unwrap();
    assert!((on_floor.wrench.linear - vec3(0.0, 0.0, 3.0 * weight)).norm() < 1e-8 * weight);
}

#[test]
fn a_dropped_box_comes_to_rest_and_gains_nothing() {
    let tilt = Quat::exp(vec3(0.3, 0.4, 0.1));
    let mut sim = solids(&[(Shape::Box { half: BOX }, vec3(0.0, 0.0, 0.8), tilt)]);
    sim.touch(floor(rough(0.6, 0.0))).unwrap();
    let start = sim.energy().total();
    for _ in 0..4000 {
        sim.step(H).unwrap();
        assert!(sim.energy().total() <= start * (1.0 + 1e-9));
        assert!(sim.penetration() < 5e-4);
    }
    assert_eq!(sim.contact_tally().violations, 0);
    assert!(sim.state().v.iter().all(|v| v.abs() < 1e-9), "{:?}", sim.state().v);
}

#[test]
fn initial_overlap_resolves_gently() {
    let mut sim = upright(Shape::Box { half: BOX }, vec3(0.0, 0.0, 0.15)); // 5 cm deep
    let overlaps = sim.touch(floor(rough(0.6, 0.0))).unwrap();
    assert!((overlaps[0].depth - 0.05).abs() < 1e-12);
    assert_eq!((overlaps[0].a.as_str(), overlaps[0].b.as_str()), ("solid0", "thing0"));
    for _ in 0..1000 {
        let before = place(&sim, 0).z;
        sim.step(H).unwrap();
        assert!(place(&sim, 0).z - before < 1.01e-3, "not faster than 1 m/s");
        assert!(sim.state().v.iter().all(|v| v.abs() < 1e-9));
    }
    assert!((place(&sim, 0).z - 0.2).abs() < 1e-6, "{}", place(&sim, 0).z);
    // two boxes in each other
    let at = |x: f64| (Shape::Box { half: BOX }, vec3(x, 0.0, 0.2), Quat::IDENTITY);
    let mut sim = solids(&[at(0.0), at(0.15)]);
    assert_eq!(sim.touch(floor(rough(0.6, 0.0))).unwrap().len(), 1);
    run(&mut sim, 1.0);
    assert!(sim.penetration() < 2e-5 && velocity(&sim, 0).norm() < 1e-6);
}

#[test]
fn momentum_is_kept_when_boxes_collide() {
    let at = |x: f64, turn: Vec3| (Shape::Box { half: BOX }, vec3(x, 0.0, 0.0), Quat::exp(turn));
    let mut sim = solids(&[at(0.0, vec3(0.1, 0.2, 0.3)), at(0.6, vec3(-0.4, 0.5, 0.1))]);
    sim.edit(|f, _| {
        f.set_gravity(Vec3::ZERO);
        Ok(())
    })
    .unwrap();
    let mut world = World::default();
    world.materials.add(Material { name: "default".into(), surface: rough(0.4, 0.3) }).unwrap();
    sim.touch(world).unwrap();
    throw(&mut sim, 0, vec3(2.0, 0.1, 0.0), vec3(0.3, 1.0, -0.5));
    let start = sim.energy().total();
    let mass = 8.0 * BOX.x * BOX.y * BOX.z * 1000.0;
    for _ in 0..1000 {
        sim.step(H).unwrap();
        let p = (velocity(&sim, 0) + velocity(&sim, 1)).scale(mass);
        assert!((p - vec3(2.0, 0.1, 0.0).scale(mass)).norm() < 1e-12 * mass * 2.0);
        assert!(sim.energy().total() < start * (1.0 + 1e-4));
    }
    assert!(sim.contact_tally().impacts > 0 && sim.contact_tally().violations == 0);
    assert!(velocity(&sim, 1).x > 0.5);
}

#[test]
fn virtual_links_hold_what_the_tables_say() {
    // [NY2000J Table 1, Table 2]: v_x, v_y, v_z, w_x, w_y, w_z; lines are in the tipping block above
    let held = |sim: &Simulation| sim.contacts()[0].virtual_link().unwrap();
    let slow = rough(0.3, 0.0);
    let plate = Shape::Box { half: vec3(0.2, 0.2, 0.01) };
    let on_floor = vec3(0.0, 0.0, 0.01);
    // a surface: at rest, sliding, spinning about a centre inside the region
    let mut rests = upright(plate.clone(), on_floor);
    let mut slides = upright(plate.clone(), on_floor);
    let mut spins = upright(plate, on_floor);
    throw(&mut slides, 0, vec3(2.0, 0.0, 0.0), vec3(0.0, 0.0, 0.1));
    throw(&mut spins, 0, vec3(0.1, 0.0, 0.0), vec3(0.0, 0.0, 3.0));
    for sim in [&mut rests, &mut slides, &mut spins] {
        sim.touch(floor(slow)).unwrap();
        run(sim, 0.01);
    }
    assert_eq!(held(&rests).held, [true; 6]);
    assert_eq!(held(&slides).held, [false, false, true, true, true, false]);
    let spin = held(&spins);
    assert_eq!(spin.held, [true, true, true, true, true, false]);
    // its origin is the centre of rotation: v + w x r = 0, but for half a step's way, for it belongs to the step's middle
    let half_step = 0.5 * H * 0.1 * 3.0;
    let v = velocity(&spins, 0) + vec3(0.0, 0.0, spins.state().v[2]).cross(spin.point - place(&spins, 0));
    assert!(v.norm() < half_step && spin.point.z.abs() < 1e-9, "{v:?}");
    // a point: rolling, sliding; its turns are free
    let ball = |speed: f64, turn: f64| {
        let mut sim = upright(Shape::Sphere { radius: 0.1 }, vec3(0.0, 0.0, 0.1));
        throw(&mut sim, 0, vec3(speed, 0.0, 0.0), vec3(0.0, turn, 1.0));
        sim.touch(floor(slow)).unwrap();
        run(&mut sim, 0.01);
        sim
    };
    let rolls = ball(1.0, 10.0);
    assert_eq!(held(&rolls).held, [true, true, true, false, false, false]);
    assert!((held(&rolls).point - vec3(place(&rolls, 0).x, 0.0, 0.0)).norm() < 0.51 * H);
    assert_eq!(held(&ball(3.0, 0.0)).held, [false, false, true, false, false, false]);
    // z is out of what carries
    assert!([&rests, &slides, &spins].iter().all(|s| (held(s).axes.z - vec3(0.0, 0.0, 1.0)).norm() < 1e-12));
}
