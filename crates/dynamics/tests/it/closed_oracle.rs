//! Closed chains against Pinocchio (`fixtures/oracle/closed.json`, made by `oracle/closed.py`): accelerations and the
//! wrenches of the connections by the constraint view, accelerations by the generalized-coordinate view.

use super::opensim::{list, text, vector as json_vector};
use super::oracle::{check, numbers, reference, vector};
use anthropi_dynamics::algo::aba;
use anthropi_dynamics::constraint::{CLOSED, Closure, Constraints, generalized};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, State};
use anthropi_dynamics::spatial::{Inertia, Quat, Sym3, Transform, Vec3, vec3};
use serde_json::Value;

/// Relative to the largest number of each reference; measured 3e-11 at the worst (the mass matrix of the swings has a
/// condition of 1e6).
const AGREEMENT: f64 = 1e-8;

fn placement(v: &Value) -> Transform {
    let q = numbers(&v["orientation"]);
    Transform::new(json_vector(&v["position"]), Quat([q[0], q[1], q[2], q[3]]))
}

fn kind(link: &Value) -> JointKind {
    let axes: Vec<Vec3> = list(&link["axes"]).iter().map(|a| axis(text(a))).collect();
    match text(&link["kind"]) {
        "free" => JointKind::Free,
        "spherical" => JointKind::Spherical,
        "universal" => JointKind::Universal { first: axes[0], second: axes[1] },
        "revolute" => JointKind::Revolute { axis: axes[0] },
        other => panic!("{other}"),
    }
}

fn axis(name: &str) -> Vec3 {
    match name {
        "x" => vec3(1.0, 0.0, 0.0),
        "y" => vec3(0.0, 1.0, 0.0),
        "z" => vec3(0.0, 0.0, 1.0),
        other => panic!("{other}"),
    }
}

/// The figure with the connections of one state.
fn build(name: &str, links: &[Value], connections: &[Value], gravity: Vec3) -> Figure {
    let mut b = FigureBuilder::new(name);
    b.gravity(gravity).unwrap();
    let mut made: Vec<(&str, LinkHandle)> = Vec::new();
    let find = |made: &[(&str, LinkHandle)], name: &str| made.iter().find(|m| m.0 == name).unwrap().1;
    for l in links {
        let (name, inertia) = (text(&l["name"]), Sym3::diagonal(json_vector(&l["inertia"])));
        let body = Inertia::about_center(l["mass"].as_f64().unwrap(), json_vector(&l["com"]), inertia);
        let joint = JointSpec {
            parent: l["parent"].as_str().map(|p| find(&made, p)),
            parent_from_joint: Transform::translation(json_vector(&l["pos"])),
            ..JointSpec::new(name, kind(l))
        };
        made.push((name, b.add(LinkSpec::new(name, body), joint).unwrap()));
    }
    for (i, c) in connections.iter().enumerate() {
        let kind = match text(&c["kind"]) {
            "fixed" => JointKind::Fixed,
            "spherical" => JointKind::Spherical,
            other => panic!("{other}"),
        };
        let joint = JointSpec {
            parent: c["b"].as_str().map(|p| find(&made, p)),
            parent_from_joint: placement(&c["on_b"]),
            child_from_joint: placement(&c["on_a"]),
            ..JointSpec::new(format!("connection{i}"), kind)
        };
        b.connect(find(&made, text(&c["a"])), joint).unwrap();
    }
    b.build().unwrap()
}

#[test]
fn closed_chains_agree_with_pinocchio() {
    let reference = reference("closed");
    let gravity = json_vector(&reference["gravity"]);
    let figures = list(&reference["figures"]);
    let names: Vec<&str> = figures.iter().map(|f| text(&f["name"])).collect();
    assert_eq!(names, ["human28", "swing34", "swing28"]);
    for f in figures {
        for (i, r) in list(&f["states"]).iter().enumerate() {
            let name = text(&f["name"]);
            let figure = build(name, list(&f["links"]), list(&r["connections"]), gravity);
            compare(&format!("{name} state {i}"), &figure, r);
        }
    }
}

fn compare(name: &str, figure: &Figure, r: &Value) {
    let forest = figure.forest();
    let mut s = State::home(figure);
    for (handle, joint) in figure.joints() {
        s.set_q(figure, handle, &numbers(&r["q"][&joint.name])).unwrap();
        s.set_v(figure, handle, &numbers(&r["v"][&joint.name])).unwrap();
    }
    let (tau, mut a) = (vector(figure, &r["tau"]), vec![0.0; forest.nv()]);
    let (mut work, mut constraints) = (aba::Work::default(), Constraints::default());
    aba::forward_dynamics(forest, &s.q, &s.v, &tau, None, None, &mut work, &mut a);
    constraints.place(forest, &s.q, &s.v);
    let (apart, turned) = constraints.closure_error();
    assert!(apart.max(turned) < CLOSED, "{name}: the loops are open by {apart:e} m, {turned:e} rad");
    constraints.factor(forest, &work, false);
    constraints.accelerate(forest, &work, &mut a, false);
    assert_eq!(constraints.rank(), constraints.len(), "{name}: rows that depend on each other");
    let want = vector(figure, &r["acceleration"]);
    check(&format!("{name}: acceleration"), &a, &want, AGREEMENT);
    for (i, want) in list(&r["wrenches"]).iter().enumerate() {
        let (wrench, _) = constraints.wrench(i);
        check(&format!("{name}: wrench of connection {i}"), &wrench.to_array(), &numbers(want), AGREEMENT);
    }
    let mut closure = Closure::default();
    closure.compute(figure, &s.q, &s.v, &[], &[]).unwrap();
    let a_g = generalized::forward_dynamics(forest, &closure, &s.q, &s.v, &tau);
    let a = generalized::tree_accelerations(forest, &closure, &a_g);
    check(&format!("{name}: acceleration by generalized coordinates"), &a, &want, AGREEMENT);
}
