//! Mechanisms with closed-form answers: slider-crank, four-bar, Stewart platform.

use super::closed_simulation::rod;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::constraint::{Closure, generalized};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, State};
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, Vec3, vec3};
use testkit::*;

const Y: Vec3 = vec3(0.0, 1.0, 0.0);
/// Closure to 1e-11 leaves about this in derived quantities.
const CLOSED_FORM: f64 = 1e-9;

fn along_x(x: f64) -> Transform {
    Transform::translation(vec3(x, 0.0, 0.0))
}

fn hinge(name: &str) -> JointSpec {
    JointSpec::new(name, JointKind::Revolute { axis: Y })
}

#[test]
fn slider_crank() {
    // crank r about y, rod l, slider along x: x = r cos t + sqrt(l^2 - r^2 sin^2 t)
    let (r, l) = (0.3, 1.1);
    let mut b = FigureBuilder::new("slider-crank");
    let crank = b.add(LinkSpec::new("crank", rod(r)), hinge("crank")).unwrap();
    let coupler = b.add(LinkSpec::new("rod", rod(l)), hinge("pin").on(crank, along_x(r))).unwrap();
    let slide = JointSpec::new("slider", JointKind::Prismatic { axis: vec3(1.0, 0.0, 0.0) });
    let body = Inertia::about_center(2.0, Vec3::ZERO, Sym3::diagonal(vec3(0.01, 0.01, 0.01)));
    let slider = b.add(LinkSpec::new("slider", body), slide).unwrap();
    let mut joint = hinge("wrist");
    (joint.parent, joint.child_from_joint) = (Some(slider), along_x(l));
    b.connect(coupler, joint).unwrap();
    let figure = b.build().unwrap();
    for t in [0.4, 1.3, 2.5, -1.0] {
        let mut s = State::home(&figure);
        // turning about y takes x to -z: the rod comes back to z = 0
        let back = (r * f64::sin(t) / l).asin();
        s.q.copy_from_slice(&[t, -t - back, r * t.cos() + l * back.cos()]);
        let mut c = Closure::default();
        c.compute(&figure, &s.q, &s.v, &[], &[0]).unwrap();
        assert_eq!((c.total(), c.free()), (4, 1));
        let root = (l * l - (r * t.sin()).powi(2)).sqrt();
        let speed = -r * t.sin() - r * r * t.sin() * t.cos() / root;
        assert_small("slider speed", (c.row_of(2)[0] - speed).abs(), 1e-12);
        // acceleration at constant crank speed w, by differences of the closed form
        let w = 2.0;
        for i in 0..3 {
            s.v[i] = c.row_of(i)[0] * w;
        }
        c.compute(&figure, &s.q, &s.v, &[], &[0]).unwrap();
        let x = |t: f64| r * t.cos() + (l * l - (r * t.sin()).powi(2)).sqrt();
        let h = 1e-4;
        let wanted = (x(t + h) - 2.0 * x(t) + x(t - h)) / (h * h) * w * w;
        assert_small("slider acceleration", (c.rate_of(2) - wanted).abs(), 1e-6);
    }
}

#[test]
fn four_bar_velocity_ratio() {
    // ground g, crank a, coupler b, rocker c: w_c / w_a = a sin(t_a - t_b) / (c sin(t_c - t_b)) with absolute angles
    let (g, a, bl, c) = (1.0, 0.4, 1.1, 0.9);
    let mut b = FigureBuilder::new("four-bar");
    let crank = b.add(LinkSpec::new("crank", rod(a)), hinge("a")).unwrap();
    let coupler = b.add(LinkSpec::new("coupler", rod(bl)), hinge("b").on(crank, along_x(a))).unwrap();
    let mut ground = hinge("d");
    ground.parent_from_joint = along_x(g);
    let rocker = b.add(LinkSpec::new("rocker", rod(c)), ground).unwrap();
    let mut pin = hinge("c");
    (pin.parent, pin.parent_from_joint, pin.child_from_joint) = (Some(rocker), along_x(c), along_x(bl));
    b.connect(coupler, pin).unwrap();
    let figure = b.build().unwrap();
    for t in [-0.6, -1.4, -2.2] {
        let mut s = State::home(&figure);
        s.q.copy_from_slice(&[t, 0.6 - t * 0.5, -1.5]);
        let mut sim = Simulation::new(figure.clone(), s).unwrap();
        sim.assemble().unwrap();
        let q = sim.state().q.clone();
        let (ta, tb, tc) = (q[0], q[0] + q[1], q[2]);
        let mut closure = Closure::default();
        closure.compute(&figure, &q, &[0.0; 3], &[], &[0]).unwrap();
        let ratio = a * (ta - tb).sin() / (c * (tc - tb).sin());
        assert_small("rocker speed", (closure.row_of(2)[0] - ratio).abs(), CLOSED_FORM);
    }
}

/// Platform on six legs: universal at the ground, prismatic, spherical connection to the platform.
fn stewart() -> (Figure, Vec<Vec3>, Vec<Vec3>) {
    let mut b = FigureBuilder::new("stewart");
    let plate = Inertia::about_center(20.0, Vec3::ZERO, Sym3::diagonal(vec3(0.6, 0.6, 1.1)));
    let mut joint = JointSpec::new("platform", JointKind::Free);
    joint.home = Some([0.03, -0.02, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let platform = b.add(LinkSpec::new("platform", plate), joint).unwrap();
    let circle = |radius: f64, deg: f64, z: f64| {
        vec3(radius * deg.to_radians().cos(), radius * deg.to_radians().sin(), z)
    };
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for i in 0..6 {
        let turn = 120.0 * f64::from(i / 2);
        let side = if i % 2 == 0 { -1.0 } else { 1.0 };
        low.push(circle(1.0, turn + 12.0 * side, 0.0));
        high.push(circle(0.6, turn + 48.0 * side, 0.0));
    }
    let light = Inertia::about_center(1e-6, Vec3::ZERO, Sym3::diagonal(vec3(1e-9, 1e-9, 1e-9)));
    for i in 0..6 {
        let mut foot = JointSpec::new(
            format!("foot{i}"),
            JointKind::Universal { first: vec3(1.0, 0.0, 0.0), second: Y },
        );
        foot.parent_from_joint = Transform::translation(low[i]);
        foot.actuated = false;
        let cylinder = b.add(LinkSpec::new(format!("cylinder{i}"), light), foot).unwrap();
        let rod = JointSpec::new(format!("leg{i}"), JointKind::Prismatic { axis: vec3(0.0, 0.0, 1.0) });
        let piston = b
            .add(LinkSpec::new(format!("piston{i}"), light), rod.on(cylinder, Transform::identity()))
            .unwrap();
        let mut ball = JointSpec::new(format!("ball{i}"), JointKind::Spherical);
        (ball.parent, ball.parent_from_joint, ball.actuated) =
            (Some(platform), Transform::translation(high[i]), false);
        b.connect(piston, ball).unwrap();
    }
    (b.build().unwrap(), low, high)
}

#[test]
fn stewart_platform() {
    let (figure, low, high) = stewart();
    let mut s = State::home(&figure);
    // legs start at a guess; assembly turns and stretches them
    for i in 0..6 {
        let leg = figure.find_joint(&format!("leg{i}")).unwrap();
        s.set_q(&figure, leg, &[1.0]).unwrap();
    }
    let mut sim = Simulation::new(figure.clone(), s).unwrap();
    sim.assemble().unwrap();
    let s = sim.state().clone();
    let mut k = Kinematics::default();
    k.update(figure.forest(), &s.q, None, None);
    let platform = k.link_pose(figure.forest(), figure.find_link("platform").unwrap());
    let root = figure.forest().joint_place(figure.find_joint("platform").unwrap());
    let forced: Vec<usize> = (root.iv..root.iv + 6).collect();
    let mut c = Closure::default();
    c.compute(&figure, &s.q, &s.v, &figure.is_driven(), &forced).unwrap();
    assert_eq!(c.free(), 6);
    // rate of a leg's length: n . (v + w x r), v and w of the platform in its own axes
    let mut legs = Vec::new();
    let mut rows = Vec::new();
    for i in 0..6 {
        let arm = platform.rotation.mul(high[i]);
        let n = (platform.translation + arm - low[i]).normalized().unwrap();
        let place = figure.forest().joint_place(figure.find_joint(&format!("leg{i}")).unwrap());
        let length = (platform.translation + arm - low[i]).norm();
        assert_small("length of a leg", (s.q[place.iq] - length).abs(), 1e-9);
        let (turn, shift) = (platform.rotation.tr_mul(arm.cross(n)), platform.rotation.tr_mul(n));
        let want = [turn.x, turn.y, turn.z, shift.x, shift.y, shift.z];
        assert_small("row of S", relative(&c.row_of(place.iv), &want), CLOSED_FORM);
        legs.push(place.iv);
        rows.push(want);
    }
    // static forces: J^T f = weight, solved densely by another library
    let zero = vec![0.0; figure.forest().nv()];
    let how = generalized::Resolution::default();
    let got =
        generalized::inverse_dynamics(figure.forest(), &c, &s.q, &zero, &[0.0; 6], None, None, &legs, &how);
    let j = nalgebra::DMatrix::from_fn(6, 6, |r, g| rows[r][g]);
    let up = platform.rotation.tr_mul(vec3(0.0, 0.0, 20.0 * 9.81));
    let weight = nalgebra::DVector::from_column_slice(&[0.0, 0.0, 0.0, up.x, up.y, up.z]);
    let forces = j.transpose().lu().solve(&weight).unwrap();
    // the legs' own weight is a microgram each
    assert_small("leg forces", relative(&got.tau, forces.as_slice()), 1e-5);
    assert_small("they carry the platform", got.missing, 1e-9);
}
