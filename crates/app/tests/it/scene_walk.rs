//! Scenes with a walk: the figure arrives with the simulation's own contact and falls without torques; errors name place
//! and field.

use anthropi_app::scene::Scene;
use anthropi_app::{builtin, scene};
use anthropi_dynamics::contact::{Tally, Touch};
use anthropi_dynamics::model::{LinkHandle, State};
use anthropi_dynamics::sim::{Driver, Simulation};
use anthropi_dynamics::spatial::Vec3;
use anthropi_formats::Error;
use anthropi_motion::pose;

/// Largest slip of a foot in stance, m.
const SLIP: f64 = 0.01;
/// Relative error of the distance.
const WAY: f64 = 0.05;
/// RMS errors against the plan of joints, degrees, and of vertical forces, body weights: twice the measured values.
const NEAR_DEG: f64 = 0.4;
const NEAR_FORCE: f64 = 0.04;
/// Lowest pelvis, m; 0.94 in the home pose.
const UPRIGHT: f64 = 0.75;
/// Largest landing impulse, body weights times seconds: twice the measured value.
const BLOW: f64 = 0.01;
/// Steps over which forces are compared: a landing is an impulse in the simulation and a ramp in the plan.
const WINDOW: usize = 50;

const HUMAN: &str = "\"human-28\"";

/// The built-in scene with other numbers; `figure` as in the file.
fn walk(figure: &str, speed: f64, steps: usize) -> Scene {
    let text = builtin::SCENES.iter().find(|b| b.name == "walk-28").unwrap().text;
    let text = text.replace("use = \"human-28\"", &format!("use = {figure}"));
    let text = text.replace("speed = 1.2", &format!("speed = {speed}"));
    let text = text.replace("\nsteps = ", &format!("\nsteps = {steps} # "));
    scene::read(&text, "walk.toml", None).unwrap_or_else(|e| panic!("{e}"))
}

/// Course of a walk.
#[derive(Debug)]
struct Course {
    /// by the root, m
    way: f64,
    /// lowest place of the root, m
    low: f64,
    /// largest slip of a stance, m
    slip: f64,
    /// joints against the plan, degrees
    joints: f64,
    /// vertical force against the plan's, means over the window, root mean square, body weights
    force: f64,
    /// largest impulse of a step, body weights times seconds
    blow: f64,
    tally: Tally,
    digest: u64,
}

fn run(scene: &Scene, simulation: &mut Simulation) -> Course {
    let walk = scene.walk.as_ref().unwrap();
    let (root, steps) = (walk.root_in_scene(), (scene.duration / scene.dt).round() as usize);
    let weight = scene.figure.mass() * scene.figure.gravity().norm();
    let own = scene.figure.forest();
    let mut way = vec![0.0; own.nv()];
    let mut stances: Vec<(LinkHandle, f64, usize)> = Vec::new();
    let mut loads: Vec<[f64; 2]> = Vec::new();
    let (mut low, mut slip, mut sum, mut count, mut blow) = (f64::INFINITY, 0f64, 0.0, 0.0, 0f64);
    for k in 0..steps {
        let t = k as f64 * scene.dt;
        simulation.step(scene.dt).unwrap();
        low = low.min(simulation.state().q[root + 2]);
        let mut up = 0.0;
        for c in simulation.contacts().iter().filter(|c| c.touch != Touch::Free) {
            up += c.wrench.linear.z;
            let Some(center) = c.center else { continue };
            let [vx, vy, .., w] = c.velocity;
            let arm: Vec3 = center - c.patch.point;
            let (x, y) = (c.patch.axes.x.dot(arm), c.patch.axes.y.dot(arm));
            let speed = (vx - w * y).hypot(vy + w * x);
            let link = c.patch.pair.link_a;
            match stances.iter_mut().find(|s| s.0 == link) {
                // a new stance after this many milliseconds in the air
                Some(s) if k > s.2 + 50 => *s = (link, 0.0, k),
                Some(s) => (s.1, s.2) = (s.1 + speed * scene.dt, k),
                None => stances.push((link, 0.0, k)),
            }
            slip = stances.iter().map(|s| s.1).fold(slip, f64::max);
        }
        blow = blow.max(up / weight * scene.dt);
        loads.push([up / weight, walk.driver.planned_force(t).z / weight]);
        let now = walk.own_coordinates(&simulation.state().q);
        pose::difference(own, walk.driver.planned(t + scene.dt), &now, &mut way);
        let joints = own.bodies().iter().skip(1).filter(|b| b.coordinates().start != root);
        for b in joints {
            let turn = &way[b.dofs()];
            (sum, count) = (sum + turn.iter().map(|x| x * x).sum::<f64>(), count + 1.0);
        }
    }
    let means = loads.windows(WINDOW).map(|w| w.iter().map(|[a, b]| a - b).sum::<f64>() / WINDOW as f64);
    let force = (means.clone().map(|d| d * d).sum::<f64>() / means.count() as f64).sqrt();
    Course {
        way: simulation.state().q[root] - scene.state.q[root],
        low,
        slip,
        joints: f64::to_degrees((sum / count).sqrt()),
        force,
        blow,
        tally: simulation.contact_tally(),
        digest: simulation.digest(),
    }
}

#[track_caller]
fn assert_walked(scene: &Scene, course: &Course) {
    let planned = scene.walk.as_ref().unwrap().distance();
    let tally = &course.tally;
    assert_eq!((tally.violations, tally.unsolved), (0, 0), "{course:?}");
    assert!(course.low > UPRIGHT && course.slip < SLIP && course.blow < BLOW, "{course:?}");
    assert!((course.way - planned).abs() < WAY * planned, "{planned} m planned: {course:?}");
    assert!(course.joints < NEAR_DEG && course.force < NEAR_FORCE, "{course:?}");
}

#[test]
fn the_built_in_scene_walks_its_whole_way_and_repeats_bit_for_bit() {
    let scene = builtin::scene("walk-28").unwrap().unwrap();
    assert_eq!(scene.warnings, []);
    let run = || run(&scene, &mut scene.simulation().unwrap());
    let course = run();
    println!("{course:?}");
    assert_walked(&scene, &course);
    assert_eq!((course.tally.fallbacks, course.digest), (0, run().digest));
    assert_eq!(scene.duration, scene.walk.as_ref().unwrap().driver.duration());
}

#[test]
fn slow_and_fast_walks_arrive() {
    for speed in [0.8, 1.4] {
        let scene = walk(HUMAN, speed, 1);
        let course = run(&scene, &mut scene.simulation().unwrap());
        println!("{speed} m/s: {course:?}");
        assert_walked(&scene, &course);
    }
}

#[test]
fn shorter_steps_of_the_simulation_keep_the_torques_of_the_millisecond() {
    let scene = Scene { dt: 5e-4, ..walk(HUMAN, 1.0, 1) };
    let course = run(&scene, &mut scene.simulation().unwrap());
    println!("{course:?}");
    assert_walked(&scene, &course);
}

#[test]
fn without_torques_it_falls() {
    #[derive(Clone, Debug)]
    struct NoTorques;
    impl Driver for NoTorques {
        fn drive(&mut self, _: f64, _: &State, _: &mut [f64]) {}
        fn boxed(&self) -> Box<dyn Driver> {
            Box::new(NoTorques)
        }
    }
    let scene = Scene { duration: 2.0, ..walk(HUMAN, 1.2, 1) };
    let mut simulation = scene.simulation().unwrap();
    simulation.drive(Box::new(NoTorques));
    let course = run(&scene, &mut simulation);
    assert!(course.low < 0.5, "{course:?}");
}

#[test]
fn a_walk_among_others_is_the_same_walk() {
    let alone = walk(HUMAN, 1.0, 1);
    let text = "[[figure]]\nname = \"ball\"\nrole = \"environment\"\nat = [0, 5, 0.2]\n[[figure.link]]\nname = \"it\"\nmass = 1\n\
         inertia = [1, 1, 1]\n[[figure.link.shape]]\nkind = \"sphere\"\nradius = 0.2\n[figure.link.joint]\nname = \"free\"\n\
         kind = \"free\"\n[[figure]]\nname = \"she\"\nuse = \"human-28\"\n[walk]\nfigure = \"she\"\nspeed = 1\nsteps = 1\n\
         [[ground]]\nkind = \"plane\"\n";
    let scene = scene::read(text, "two.toml", None).unwrap_or_else(|e| panic!("{e}"));
    let [mut a, mut b] = [&alone, &scene].map(|s| s.simulation().unwrap());
    for _ in 0..3000 {
        a.step(1e-3).unwrap();
        b.step(1e-3).unwrap();
    }
    let [a, b] =
        [(&alone, &a), (&scene, &b)].map(|(s, sim)| s.walk.as_ref().unwrap().own_coordinates(&sim.state().q));
    let apart = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // the ball's contact is solved together with that of the feet: not the same bits
    assert!(apart < 1e-3, "{apart}");
}

#[test]
fn wrong_walks_are_refused_with_place_and_field() {
    let refusal = |walk: &str, figure: &str, more: &str| {
        let text = format!("[[figure]]\nuse = \"human-28\"\n{figure}\n[walk]\n{walk}\n{more}");
        match scene::read(&text, "walk.toml", None) {
            Err(e @ Error::Field { .. }) => e.to_string(),
            Err(e) => panic!("{e}"),
            Ok(_) => panic!("{walk} is taken"),
        }
    };
    let ground = "[[ground]]\nkind = \"plane\"\n";
    for (walk, figure, more, expected) in [
        ("speed = 1", "", "", "4:1: walk: there is no [[ground]] to walk on"),
        ("speed = -1", "", ground, "5:9: speed of walk: is -1, expected more than zero"),
        ("speed = 9", "", ground, "4:1: walk: 282 steps per minute are requested"),
        ("steps = 1.5", "", ground, "5:9: steps of walk: is 1.5, expected a whole number from 1 to 200"),
        ("pace = 1", "", ground, "5:1: pace of walk: unknown key"),
        ("figure = \"he\"", "", ground, "5:10: figure of walk: there is no figure of the name `he`"),
        ("speed = 1", "at = [0, 0, 1]", ground, "3:6: at of figure 1: conflicts with [walk]"),
    ] {
        let message = refusal(walk, figure, more);
        assert!(message.starts_with(&format!("walk.toml:{expected}")), "{message}");
    }
    let no_ankles = "[[figure]]\nuse = \"human-16\"\n[walk]\n[[ground]]\nkind = \"plane\"\n";
    let message = scene::read(no_ankles, "walk.toml", None).unwrap_err().to_string();
    assert!(message.contains("3:1: walk: `human-16`: the left ankle is neither"), "{message}");
}
