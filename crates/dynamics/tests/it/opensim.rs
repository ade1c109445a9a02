//! Walking measured in a laboratory: our numbers against those of OpenSim 4.6 on the same skeletons.
//!
//! Data: `shared/data/opensim_*_pinknee.*.json` beside the repository (see the README there); skipped when absent.
//! A CustomJoint is a chain of massless links: slides along its axes, then turns; constants go into placements.

use super::oracle::numbers;
use anthropi_dynamics::algo::{centroidal, energy, fk::Kinematics};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointHandle, JointSpec, LinkHandle, LinkSpec, State};
use anthropi_dynamics::spatial::{Force, Inertia, Mat3, Quat, Sym3, Transform, Vec3, vec3};
use serde_json::Value;
use std::collections::BTreeMap;
use testkit::*;

/// An independent engine agrees with OpenSim to 3e-13 on these files.
const AGREEMENT: f64 = 1e-9; // measured here: 2e-14

fn load(name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(data(name)?).unwrap();
    Some(serde_json::from_str(&text).expect("the file is JSON"))
}

fn number(v: &Value) -> f64 {
    v.as_f64().expect("a number")
}
pub fn text(v: &Value) -> &str {
    v.as_str().expect("a string")
}
pub fn list(v: &Value) -> &[Value] {
    v.as_array().expect("a list")
}
pub fn vector(v: &Value) -> Vec3 {
    let x = numbers(v);
    vec3(x[0], x[1], x[2])
}
fn matrix(v: &Value) -> Mat3 {
    let row = |i: usize| vector(&v[i]).to_array();
    Mat3::from_rows([row(0), row(1), row(2)])
}
fn frame(v: &Value) -> Transform {
    Transform { rotation: matrix(&v["rotation"]), translation: vector(&v["translation"]) }
}

/// value = slope * coordinate + intercept
fn linear(function: &Value) -> (f64, f64) {
    match text(&function["type"]) {
        "Constant" => (0.0, number(&function["value"])),
        "LinearFunction" => (number(&function["slope"]), number(&function["intercept"])),
        "MultiplierFunction" => {
            let (scale, (slope, intercept)) = (number(&function["scale"]), linear(&function["function"]));
            (scale * slope, scale * intercept)
        }
        other => panic!("function {other} is not in these files"),
    }
}

/// One coordinate of OpenSim: the joint that carries it, and what our coordinate is per theirs.
struct Coordinate {
    joint: JointHandle,
    slope: f64,
}

struct Skeleton {
    figure: Figure,
    links: BTreeMap<String, LinkHandle>,
    /// in OpenSim's order
    coordinates: Vec<Coordinate>,
}

/// One moving element of a joint, with the constant placement before it.
struct Element {
    before: Transform,
    kind: JointKind,
    coordinate: String,
    slope: f64,
}

/// The moving elements of a joint from parent to child, and the constant placement after the last.
fn elements(joint: &Value) -> (Vec<Element>, Transform) {
    let mut before = frame(&joint["parent_frame"]);
    let mut all = Vec::new();
    match text(&joint["type"]) {
        "WeldJoint" => {}
        "PinJoint" => {
            let kind = JointKind::Revolute { axis: vec3(0.0, 0.0, 1.0) };
            all.push(Element { before, kind, coordinate: text(&joint["coordinates"][0]).into(), slope: 1.0 });
            before = Transform::identity();
        }
        "CustomJoint" => {
            let axes = list(&joint["spatial_transform"]);
            // R comes after p: translations first
            let is_slide = |a: &&Value| text(&a["axis_name"]).starts_with("translation");
            let (slides, turns): (Vec<&Value>, Vec<&Value>) = axes.iter().partition(is_slide);
            for (axis, slides) in slides.iter().map(|a| (a, true)).chain(turns.iter().map(|a| (a, false))) {
                let e = vector(&axis["axis"]).normalized().expect("an axis");
                let (slope, intercept) = linear(&axis["function"]);
                before = before
                    * if slides {
                        Transform::translation(e.scale(intercept))
                    } else {
                        Quat::about(e, intercept).to_transform()
                    };
                if slope == 0.0 {
                    continue;
                }
                let names = list(&axis["coordinates"]);
                assert_eq!(names.len(), 1, "an axis follows one coordinate");
                let kind =
                    if slides { JointKind::Prismatic { axis: e } } else { JointKind::Revolute { axis: e } };
                all.push(Element { before, kind, coordinate: text(&names[0]).into(), slope });
                before = Transform::identity();
            }
        }
        other => panic!("joint {other} is not in these files"),
    }
    (all, before)
}

fn build(skeleton: &Value) -> Skeleton {
    let inertias: BTreeMap<&str, Inertia> = list(&skeleton["bodies"])
        .iter()
        .map(|b| {
            let of = |k: &str| number(&b["inertia_about_com_body_axes"][k]);
            let central =
                Sym3 { xx: of("xx"), yy: of("yy"), zz: of("zz"), xy: of("xy"), xz: of("xz"), yz: of("yz") };
            (text(&b["name"]), Inertia::about_center(number(&b["mass"]), vector(&b["com"]), central))
        })
        .collect();
    let mut b = FigureBuilder::new(text(&skeleton["model"]));
    b.gravity(vector(&skeleton["gravity"])).unwrap();
    let mut links: BTreeMap<String, LinkHandle> = BTreeMap::new();
    let mut slopes: BTreeMap<String, f64> = BTreeMap::new();
    for joint in list(&skeleton["joints"]) {
        let (parent, child) =
            (text(&joint["parent_frame"]["base_body"]), text(&joint["child_frame"]["base_body"]));
        let mut on = (parent != "ground").then(|| links[parent]);
        let (moving, after) = elements(joint);
        // the last element carries the body itself
        let child_from_joint = frame(&joint["child_frame"]) * after.inverse();
        let (name, count) = (text(&joint["name"]), moving.len());
        for (i, e) in moving.into_iter().enumerate() {
            let is_last = i + 1 == count;
            let mut spec = JointSpec::new(e.coordinate.clone(), e.kind);
            (spec.parent, spec.parent_from_joint) = (on, e.before);
            let link = if is_last {
                spec.child_from_joint = child_from_joint;
                LinkSpec::new(child, inertias[child])
            } else {
                LinkSpec::new(format!("{name} {i}"), Inertia::ZERO)
            };
            assert_eq!(slopes.insert(e.coordinate, e.slope), None, "a coordinate drives one axis");
            on = Some(b.add(link, spec).unwrap());
        }
        if count == 0 {
            let mut spec = JointSpec::new(name, JointKind::Fixed);
            (spec.parent, spec.parent_from_joint, spec.child_from_joint) =
                (on, after, frame(&joint["child_frame"]));
            on = Some(b.add(LinkSpec::new(child, inertias[child]), spec).unwrap());
        }
        links.insert(child.into(), on.expect("the body was added"));
    }
    let figure = b.build().unwrap();
    let coordinates = list(&skeleton["coordinate_order"])
        .iter()
        .map(|name| Coordinate { joint: figure.find_joint(text(name)).unwrap(), slope: slopes[text(name)] })
        .collect();
    Skeleton { figure, links, coordinates }
}

impl Skeleton {
    /// Place in our v of each of their coordinates.
    fn places(&self) -> Vec<(usize, f64)> {
        self.coordinates.iter().map(|c| (self.figure.forest().joint_place(c.joint).iv, c.slope)).collect()
    }
    /// Ours from theirs.
    fn ours(&self, theirs: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; theirs.len()];
        for ((i, slope), t) in self.places().into_iter().zip(theirs) {
            x[i] = slope * t;
        }
        x
    }
    /// Forces: theirs from ours.
    fn theirs(&self, ours: &[f64]) -> Vec<f64> {
        self.places().into_iter().map(|(i, slope)| slope * ours[i]).collect()
    }
    fn external(&self, frame: &Value, k: &Kinematics) -> Vec<Force> {
        let forest = self.figure.forest();
        let mut forces = vec![Force::default(); forest.bodies().len()];
        for f in list(&frame["external_forces"]) {
            assert_eq!(
                (text(&f["force_expressed_in"]), text(&f["point_expressed_in"])),
                ("ground", "ground")
            );
            let body = forest.link_place(self.links[text(&f["body"])]).body;
            let arm = vector(&f["point"]) - k.body_pose(body).translation;
            let torque = Force::new(vector(&f["torque"]), Vec3::ZERO);
            forces[body.index()] += Force::at_point(vector(&f["force"]), arm) + torque;
        }
        forces
    }
}

fn compare(model: &str) {
    let names = ["skeleton", "frames"].map(|part| format!("opensim_{model}_pinknee.{part}.json"));
    let (Some(skeleton), Some(frames)) = (load(&names[0]), load(&names[1])) else { return };
    let s = build(&skeleton);
    let forest = s.figure.forest();
    assert_eq!(forest.nv(), s.coordinates.len());
    assert_eq!(frames["order"], skeleton["coordinate_order"]);
    let mut seen = [
        Residuals::new("mass", AGREEMENT),
        Residuals::new("forces without loads", AGREEMENT),
        Residuals::new("forces with loads", AGREEMENT),
        Residuals::new("mass matrix", AGREEMENT),
        Residuals::new("kinetic energy", AGREEMENT),
        Residuals::new("centre of mass", AGREEMENT),
        Residuals::new("velocity of the centre", AGREEMENT),
        Residuals::new("poses", AGREEMENT),
        Residuals::new("velocities", AGREEMENT),
        Residuals::new("accelerations from forces", AGREEMENT),
    ];
    seen[0].see((s.figure.mass() / number(&skeleton["total_mass"]) - 1.0).abs(), || model.into());
    assert_eq!(list(&frames["frames"]).len(), 20);
    for f in list(&frames["frames"]) {
        let at = || format!("{model} t = {}", f["time"]);
        let mut state = State::home(&s.figure);
        (state.q, state.v) = (s.ours(&numbers(&f["q"])), s.ours(&numbers(&f["qdot"])));
        let a = s.ours(&numbers(&f["qddot"]));
        let k = kinematics_of(&s.figure, &state, None);
        let forces = s.external(f, &k);
        let free = inverse_dynamics(&s.figure, &state, &a, None);
        let loaded = inverse_dynamics(&s.figure, &state, &a, Some(&forces));
        seen[1].see(off(&s.theirs(&free), &numbers(&f["tau_without_external_loads"])), at);
        seen[2].see(off(&s.theirs(&loaded), &numbers(&f["tau_with_external_loads"])), at);
        let m = dense_mass_matrix(&s.figure, &state.q);
        for (i, row) in s.places().into_iter().zip(list(&f["mass_matrix"])) {
            let ours: Vec<f64> = s.theirs(&m[i.0]).iter().map(|x| x * i.1).collect();
            seen[3].see(off(&ours, &numbers(row)), at);
        }
        let kinetic = number(&f["kinetic_energy"]);
        seen[4].see((energy::kinetic(forest, &k, &state.v) - kinetic).abs() / kinetic, at);
        seen[5]
            .see(off(&centroidal::center_of_mass(forest, &k).to_array(), &numbers(&f["com_position"])), at);
        seen[6].see(
            off(&centroidal::velocity_of_center(forest, &k).to_array(), &numbers(&f["com_velocity"])),
            at,
        );
        for (name, body) in f["bodies"].as_object().expect("bodies") {
            let link = s.links[name];
            let want =
                Transform { rotation: matrix(&body["rotation"]), translation: vector(&body["origin"]) };
            seen[7].see(pose_off(&k.link_pose(forest, link), &want), at);
            let v = k.link_velocity(forest, link);
            seen[8].see(off(&v.angular.to_array(), &numbers(&body["angular_velocity"])), at);
            seen[8].see(off(&v.linear.to_array(), &numbers(&body["origin_velocity"])), at);
        }
        seen[9].see(off(&forward_dynamics(&s.figure, &state, &free, None), &a), at);
    }
    seen.into_iter().for_each(Residuals::finish);
}

#[test]
fn planar_gait_of_ten_coordinates() {
    compare("gait10dof");
}

#[test]
fn spatial_gait_of_twenty_three_coordinates() {
    compare("gait2354");
}
