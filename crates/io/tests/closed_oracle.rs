//! Closed chains against Pinocchio (`fixtures/oracle/closed.json`, made by `oracle/closed.py`): accelerations and the
//! wrenches of the connections by the constraint view, accelerations by the generalized-coordinate view.

use anthropi_dynamics::algo::aba;
use anthropi_dynamics::constraint::{CLOSED, Closure, Constraints, generalized};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, State};
use anthropi_dynamics::spatial::{Inertia, Quat, Sym3, Transform, Vec3, vec3};
use serde_json::Value;

/// Relative to the largest number of each reference; measured 3e-11 at the worst (the mass matrix of the swings has a
/// condition of 1e6).
const AGREEMENT: f64 = 1e-8;

fn list(v: &Value) -> &[Value] {
    v.as_array().unwrap()
}

fn text(v: &Value) -> &str {
    v.as_str().unwrap()
}

fn numbers(v: &Value) -> Vec<f64> {
    list(v).iter().map(|x| x.as_f64().unwrap()).collect()
}

fn vector3(v: &Value) -> Vec3 {
    let n = numbers(v);
    vec3(n[0], n[1], n[2])
}

fn placement(v: &Value) -> Transform {
    let q = numbers(&v["orientation"]);
    Transform::new(vector3(&v["position"]), Quat([q[0], q[1], q[2], q[3]]))
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
        let (name, inertia) = (text(&l["name"]), Sym3::diagonal(vector3(&l["inertia"])));
        let body = Inertia::about_center(l["mass"].as_f64().unwrap(), vector3(&l["com"]), inertia);
        let joint = JointSpec {
            parent: l["parent"].as_str().map(|p| find(&made, p)),
            parent_from_joint: Transform::translation(vector3(&l["pos"])),
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

/// A vector of all degrees of freedom from one entry a joint.
fn vector(figure: &Figure, by_joint: &Value) -> Vec<f64> {
    let mut out = vec![0.0; figure.forest().nv()];
    for (handle, joint) in figure.joints() {
        let place = figure.forest().joint_place(handle);
        out[place.iv..place.iv + place.nv].copy_from_slice(&numbers(&by_joint[&joint.name]));
    }
    out
}

fn check(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    assert!(got.iter().all(|x| x.is_finite()), "{what}: not finite");
    let size = want.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    let off = got.iter().zip(want).fold(0.0, |m: f64, (g, w)| m.max((g - w).abs())) / size;
    assert!(off <= AGREEMENT, "{what}: residual {off:e}");
}

#[test]
fn closed_chains_agree_with_pinocchio() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/oracle/closed.json");
    let reference: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let gravity = vector3(&reference["gravity"]);
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
    check(&format!("{name}: acceleration"), &a, &want);
    for (i, want) in list(&r["wrenches"]).iter().enumerate() {
        let (wrench, _) = constraints.wrench(i);
        check(&format!("{name}: wrench of connection {i}"), &wrench.to_array(), &numbers(want));
    }
    let mut closure = Closure::default();
    closure.compute(figure, &s.q, &s.v, &[], &[]).unwrap();
    let a_g = generalized::forward_dynamics(forest, &closure, &s.q, &s.v, &tau);
    let a = generalized::tree_accelerations(forest, &closure, &a_g);
    check(&format!("{name}: acceleration by generalized coordinates"), &a, &want);
}
