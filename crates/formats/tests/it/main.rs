//! Readers and writers of figures and motions.

mod acclaim;
mod anatomy;
mod bvh;
mod c3d;
mod clips;
mod figure;
mod fuzz_readers;
mod gltf;
mod hostile_xml;
mod mjcf;
mod npz;
mod osim;
mod round_trips;
mod skeleton;
mod tables;
mod urdf;

use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{
    Figure, FigureBuilder, Joint, JointSpec, LinkHandle, LinkSpec, PlacedShape, Shape,
};
use anthropi_dynamics::spatial::{Inertia, Quat, Sym3, Transform, Vec3, vec3};
use anthropi_formats::Loaded;
use anthropi_motion::recording::Recording;
use serde_json::Value;

/// Rounding of poses and inertias in text and a few products.
const ROUNDING: f64 = 1e-12;

/// Rows of a table of strings: cells are separated by ` | `, `\n` in a cell is a line end, `//` begins a comment.
fn table<const N: usize>(text: &str) -> impl Iterator<Item = [String; N]> {
    let rows = text.lines().map(str::trim_start).filter(|l| !l.is_empty() && !l.starts_with("//"));
    rows.map(|row| {
        let cells: Vec<String> = row.split(" | ").map(|cell| cell.replace("\\n", "\n")).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("{cells:?}"))
    })
}

/// Checks that messages contain the text expected of them.
fn assert_messages<S: AsRef<str>>(cases: impl IntoIterator<Item = (String, S)>) {
    for (got, expected) in cases {
        let expected = expected.as_ref();
        assert!(got.contains(expected), "expected {expected}\n     got {got}");
    }
}

/// A text of the recorded data, if it is there.
fn data_text(name: &str) -> Option<String> {
    Some(std::fs::read_to_string(testkit::data(name)?).unwrap())
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn has_note(recording: &Recording, part: &str) -> bool {
    recording.notes.iter().any(|n| n.contains(part))
}

fn says(loaded: &Loaded, what: &str) -> bool {
    loaded.warnings.iter().any(|w| w.to_string().contains(what))
}

fn turn_between(a: Quat, b: Quat) -> f64 {
    a.inverse().then(b).log().norm()
}

/// Positions and orientations of all joints in a frame.
fn world(recording: &Recording, frame: usize) -> Vec<(Vec3, Quat)> {
    let mut places = Vec::new();
    recording.world_at(frame, &mut places);
    places
}

fn joint<'a>(figure: &'a Figure, name: &str) -> &'a Joint {
    figure.joint(figure.find_joint(name).unwrap_or_else(|e| panic!("{e}"))).unwrap()
}

fn inertia(figure: &Figure, name: &str) -> Inertia {
    figure.link(figure.find_link(name).unwrap()).unwrap().spec.inertia
}

fn kinematics(figure: &Figure, q: &[f64]) -> Kinematics {
    let mut kinematics = Kinematics::default();
    kinematics.update(figure.forest(), q, None, None);
    kinematics
}

/// Checks that the links with mass have the same mass properties in world axes, regardless of their frames.
fn assert_same_masses((a, q_a): (&Figure, &[f64]), (b, q_b): (&Figure, &[f64])) {
    let masses = |figure: &Figure, q: &[f64]| -> Vec<(String, Inertia)> {
        let k = kinematics(figure, q);
        let all = figure
            .links()
            .map(|(h, l)| (l.spec.name.clone(), k.link_pose(figure.forest(), h) * l.spec.inertia));
        all.filter(|(_, i)| i.mass > 0.0).collect()
    };
    let (a, b) = (masses(a, q_a), masses(b, q_b));
    assert_eq!(a.len(), b.len());
    for ((name, a), (other, b)) in a.iter().zip(&b) {
        assert_eq!(name, other);
        let d = (a.center() - b.center()).norm()
            + (a.central() - b.central()).full().max_abs()
            + (a.mass - b.mass).abs();
        assert!(d < ROUNDING, "{name}: {d:e}");
    }
}

/// A placement without special values.
fn generic(x: f64, turn: Vec3) -> Transform {
    Transform::new(vec3(x, 0.2, -x), Quat::exp(turn))
}

/// A base with solids and a chain of links on it, a joint of each kind, in generic frames; and the last link.
fn generic_chain(
    root: JointSpec,
    solids: Vec<Shape>,
    kinds: &[(&str, JointKind)],
    set: impl Fn(&mut JointSpec),
) -> (FigureBuilder, LinkHandle) {
    let moments = Sym3 { xy: 0.01, ..Sym3::diagonal(vec3(0.3, 0.4, 0.5)) };
    let inertia = |mass: f64| Inertia::about_center(mass, vec3(0.1, -0.2, 0.3), moments);
    let link_from_shape = generic(0.3, vec3(0.1, 0.0, 1.0));
    let mut b = FigureBuilder::new("every <kind> & \"more\"");
    let mut base = LinkSpec::new("base", inertia(3.0));
    base.shapes = solids.into_iter().map(|shape| PlacedShape { shape, link_from_shape }).collect();
    let mut parent = b.add(base, root).unwrap();
    for (i, (name, kind)) in kinds.iter().enumerate() {
        let x = 0.1 * (i + 1) as f64;
        let mut joint = JointSpec::new(*name, *kind).on(parent, generic(x, vec3(x, 1.0, -0.3)));
        joint.child_from_joint = generic(-x, vec3(0.4, -x, 0.2));
        set(&mut joint);
        parent = b.add(LinkSpec::new(format!("link-{name}"), inertia(1.0 + x)), joint).unwrap();
    }
    (b, parent)
}
