//! Springs, damping and limits on connections act as they do on joints of a tree.

use anthropi_dynamics::joint::{JointKind, LimitLaw, LimitSpring, Range, Slide, Turn};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, State};
use anthropi_dynamics::sim::{Control, Hold, Integrator, Script, ScriptedForce, Simulation};
use anthropi_dynamics::spatial::{Inertia, Sym3, Vec3, vec3};
use testkit::*;

const Y: Vec3 = vec3(0.0, 1.0, 0.0);

fn body() -> LinkSpec {
    LinkSpec::new(
        "body",
        Inertia::about_center(1.3, vec3(0.1, 0.2, -0.4), Sym3::diagonal(vec3(0.05, 0.06, 0.04))),
    )
}

/// A body on a joint of the tree, and the same body floating but connected by that joint.
fn pair(joint: JointSpec) -> (Figure, Figure) {
    let mut tree = FigureBuilder::new("tree");
    tree.add(body(), joint.clone()).unwrap();
    let mut closed = FigureBuilder::new("closed");
    let link = closed.add(body(), JointSpec::new("base", JointKind::Free)).unwrap();
    closed.connect(link, joint).unwrap();
    (tree.build().unwrap(), closed.build().unwrap())
}

fn place_of_body(sim: &mut Simulation) -> [f64; 3] {
    let figure = sim.figure().clone();
    let link = figure.find_link("body").unwrap();
    sim.kinematics().link_pose(figure.forest(), link).point(vec3(0.1, 0.2, -0.4)).to_array()
}

fn compare(joint: JointSpec, q: f64, v: f64) {
    let (tree, closed) = pair(joint.clone());
    let mut s = State::home(&tree);
    (s.q[0], s.v[0]) = (q, v);
    let mut c = State::home(&closed);
    let t = joint.kind.transform(&[q]);
    let m = joint.kind.velocity(&[q], &[v]);
    let ([w, x, y, z], p) = (t.orientation().0, t.translation);
    c.q.copy_from_slice(&[p.x, p.y, p.z, w, x, y, z]);
    c.v.copy_from_slice(&m.to_array());
    let (mut a, mut b) = (Simulation::new(tree, s).unwrap(), Simulation::new(closed, c).unwrap());
    (a.integrator, b.integrator) = (Integrator::Rk4, Integrator::Rk4);
    for _ in 0..600 {
        a.step(1e-3).unwrap();
        b.step(1e-3).unwrap();
    }
    // both of fourth order, with different errors
    assert_small("place after 0.6 s", relative(&place_of_body(&mut b), &place_of_body(&mut a)), 1e-7);
}

#[test]
fn a_hinge_with_spring_and_damping() {
    let mut joint = JointSpec::new("hinge", JointKind::Revolute { axis: Y });
    (joint.dof[0].stiffness, joint.dof[0].rest, joint.dof[0].damping) = (7.0, 0.3, 0.4);
    compare(joint, -0.4, 1.0);
}

#[test]
fn a_slide_with_spring() {
    let mut joint = JointSpec::new("slide", JointKind::Prismatic { axis: vec3(0.6, 0.0, 0.8) });
    (joint.dof[0].stiffness, joint.dof[0].damping) = (90.0, 2.0);
    compare(joint, 0.1, -0.5);
}

#[test]
fn a_hinge_with_a_limit() {
    let mut joint = JointSpec::new("hinge", JointKind::Revolute { axis: Y });
    joint.dof[0].range = Some(Range { lower: -0.5, upper: 0.5 });
    joint.dof[0].limit =
        Some(LimitSpring { law: LimitLaw::Power { k: 400.0, n: 2.0 }, blend: 0.2, rebound: 1.0 });
    compare(joint, 0.4, 2.0);
}

#[test]
fn a_cylinder_turns_and_slides_by_its_springs() {
    // small vibrations: two springs, two frequencies
    let kind = JointKind::Partial { turn: Turn::About(Y), slide: Slide::Along(Y) };
    let mut joint = JointSpec::new("cylinder", kind);
    (joint.dof[0].stiffness, joint.dof[1].stiffness) = (5.0, 40.0);
    let mut b = FigureBuilder::new("cylinder");
    let inertia = Inertia::about_center(2.0, Vec3::ZERO, Sym3::diagonal(vec3(0.1, 0.1, 0.1)));
    let link = b.add(LinkSpec::new("body", inertia), JointSpec::new("base", JointKind::Free)).unwrap();
    b.connect(link, joint).unwrap();
    let mut figure = b.build().unwrap();
    figure.set_gravity(Vec3::ZERO);
    let mut s = State::home(&figure);
    (s.v[1], s.v[4]) = (0.2, 0.3);
    let mut sim = Simulation::new(figure, s).unwrap();
    sim.integrator = Integrator::Rk4;
    for _ in 0..500 {
        sim.step(1e-3).unwrap();
    }
    let (wt, ws): (f64, f64) = ((5.0_f64 / 0.1).sqrt(), (40.0_f64 / 2.0).sqrt());
    let q = &sim.state().q;
    assert_small("turn", (2.0 * q[5].atan2(q[3]) - 0.2 / wt * (wt * 0.5).sin()).abs(), 1e-8);
    assert_small("slide", (q[1] - 0.3 / ws * (ws * 0.5).sin()).abs(), 1e-8);
}

#[test]
fn a_motor_on_a_connection_is_a_motor_on_a_joint() {
    let joint = JointSpec::new("hinge", JointKind::Revolute { axis: Y });
    let (tree, closed) = pair(joint);
    let run = |figure: Figure| {
        let motor = figure.find_joint("hinge").unwrap();
        let s = State::home(&figure);
        let mut sim = Simulation::new(figure, s).unwrap();
        sim.integrator = Integrator::Rk4;
        let script = Script::Sine { frequency: 1.5, phase: 0.4 };
        sim.push(ScriptedForce::Joint { joint: motor, dof: 0, size: 6.0, script }).unwrap();
        for _ in 0..500 {
            sim.step(1e-3).unwrap();
        }
        place_of_body(&mut sim)
    };
    assert_small("place after 0.5 s", relative(&run(closed), &run(tree)), 1e-7);
}

#[test]
fn a_control_at_its_limit_does_not_shake() {
    // a light foot: the limit alone would throw it past its target within a step
    for (effort, inertia) in [(20.0, 1e-3), (100.0, 1e-3), (100.0, 1e-5), (1e-2, 1e-2), (f64::INFINITY, 1e-3)]
    {
        let mut joint = JointSpec::new("ankle", JointKind::Revolute { axis: Y });
        joint.dof[0].effort = effort;
        let mut b = FigureBuilder::new("foot");
        let foot = Inertia::about_center(0.1, Vec3::ZERO, Sym3::diagonal(vec3(inertia, inertia, inertia)));
        b.add(LinkSpec::new("foot", foot), joint).unwrap();
        let figure = b.build().unwrap();
        let ankle = figure.find_joint("ankle").unwrap();
        let state = State::home(&figure);
        let mut sim = Simulation::new(figure, state).unwrap();
        let hold = Hold { joint: ankle, target: vec![0.2], stiffness: 3000.0, damping: 30.0 };
        sim.control(Control { name: "hold".into(), holds: vec![hold], over: 0.0 }, true).unwrap();
        let mut fastest = 0.0_f64;
        for k in 0..3000 {
            let before = sim.state().v[0];
            sim.step(1e-3).unwrap();
            let now = sim.state();
            fastest = fastest.max(now.v[0]);
            assert!(now.q[0] < 0.201 || effort < 1.0, "{effort} N m: past the target, {} rad", now.q[0]);
            let force = inertia * (now.v[0] - before).abs() / 1e-3;
            assert!(force <= effort * (1.0 + 1e-9), "{effort} N m, step {k}: {force} N m");
        }
        let off = (sim.state().q[0] - 0.2).abs();
        assert!(
            off < 1e-3 || effort < 1.0,
            "{effort} N m on {inertia} kg m2: {off} rad off, up to {fastest} rad/s"
        );
    }
}
