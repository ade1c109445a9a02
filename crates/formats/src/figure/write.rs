//! Writer of the native format; the text reads back to the same figure bit for bit.
//!
//! Numbers have as many digits as they need. Values with a short form that reads back exactly (degrees, a centre and an
//! inertia about it, a quaternion) are written in it, others in the form that is always exact.

use super::placement::{Keys, ON_A, ON_B, ON_CHILD, ON_PARENT};
use anthropi_dynamics::joint::{Dof, JointKind, LimitLaw, LimitSpring, MAX_DOF, MAX_NQ, Range, Slide, Turn};
use anthropi_dynamics::model::{Figure, Joint, Link, LinkHandle, PlacedShape, STANDARD_GRAVITY, Shape};
use anthropi_dynamics::spatial::{Axis, Inertia, Mat3, Quat, RotationOrder, Sym3, Transform, Vec3};
use std::fmt::Write;

/// The figure in the native format.
pub fn write(figure: &Figure) -> String {
    let mut out = Text::default();
    out.line("name", quoted(&figure.name));
    if let Some(stature) = figure.stature {
        out.line("stature", number(stature));
    }
    if figure.gravity() != STANDARD_GRAVITY {
        out.line("gravity", vector(figure.gravity()));
    }
    for (_, link) in figure.links() {
        out.header("\n[[link]]");
        write_link(&mut out, figure, link);
    }
    for (_, link, joint) in figure.connections() {
        out.header("\n[[connect]]");
        out.line("name", quoted(&joint.name));
        out.name_of("a", figure, link.real());
        out.name_of("b", figure, link.parent());
        write_joint(&mut out, joint, &ON_B, &ON_A);
    }
    out.0
}

/// Lines of TOML.
#[derive(Default)]
struct Text(String);

impl Text {
    fn header(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn line(&mut self, key: &str, value: impl AsRef<str>) {
        // writing to a string cannot fail
        let _ = writeln!(self.0, "{key} = {}", value.as_ref());
    }

    fn name_of(&mut self, key: &str, figure: &Figure, link: Option<LinkHandle>) {
        if let Some(link) = link.and_then(|l| figure.link(l).ok()) {
            self.line(key, quoted(&link.spec.name));
        }
    }

    /// One number for all degrees of freedom, or a list; nothing if all have the `default`.
    fn per_dof(&mut self, key: &str, dof: &[Dof], default: f64, of: impl Fn(&Dof) -> f64) {
        let values: Vec<f64> = dof.iter().map(of).collect();
        if values.iter().any(|v| *v != default) {
            let all_equal = values.windows(2).all(|w| w[0] == w[1]);
            self.line(key, if all_equal { number(values[0]) } else { numbers(&values) });
        }
    }
}

fn write_link(out: &mut Text, figure: &Figure, link: &Link) {
    out.line("name", quoted(&link.spec.name));
    write_inertia(out, &link.spec.inertia);
    for shape in &link.spec.shapes {
        out.header("[[link.shape]]");
        write_shape(out, shape);
    }
    out.header("[link.joint]");
    // every link has its joint
    if let Ok(joint) = figure.joint(link.joint()) {
        out.line("name", quoted(&joint.name));
        out.name_of("parent", figure, link.parent());
        write_joint(out, joint, &ON_PARENT, &ON_CHILD);
    }
}

fn write_inertia(out: &mut Text, inertia: &Inertia) {
    out.line("mass", number(inertia.mass));
    if *inertia == Inertia::ZERO {
        return;
    }
    let (center, central) = (inertia.center(), inertia.central());
    let sizes = [(rounded(center), rounded_all(central)), (center, rounded_all(central)), (center, central)];
    let exact = sizes.into_iter().find(|(c, j)| Inertia::about_center(inertia.mass, *c, *j) == *inertia);
    match exact {
        Some((center, central)) => {
            if center != Vec3::ZERO {
                out.line("center", vector(center));
            }
            out.line("inertia", symmetric(central));
        }
        None => {
            out.line("moment", vector(inertia.moment));
            out.line("second", symmetric(inertia.second));
        }
    }
}

fn write_shape(out: &mut Text, placed: &PlacedShape) {
    let size = |out: &mut Text, half: Vec3| out.line("size", vector(half.scale(2.0)));
    let kind = match placed.shape {
        Shape::Box { .. } => "box",
        Shape::Sphere { .. } => "sphere",
        Shape::Ellipsoid { .. } => "ellipsoid",
        Shape::Capsule { .. } => "capsule",
        Shape::Cylinder { .. } => "cylinder",
        Shape::Convex { .. } => "convex",
    };
    out.line("kind", quoted(kind));
    match &placed.shape {
        Shape::Box { half } | Shape::Ellipsoid { half } => size(out, *half),
        Shape::Sphere { radius } => out.line("radius", number(*radius)),
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            out.line("radius", number(*radius));
            out.line("length", number(2.0 * half_length));
        }
        Shape::Convex { points } => out.line("points", list(points.iter().map(|p| vector(*p)))),
    }
    write_placement(out, &placed.link_from_shape, &ON_PARENT);
}

fn write_placement(out: &mut Text, place: &Transform, keys: &Keys) {
    let [at, _, _, _, quaternion, matrix] = *keys;
    if place.translation != Vec3::ZERO {
        out.line(at, vector(place.translation));
    }
    if place.rotation == Mat3::identity() {
        return;
    }
    let q = place.orientation();
    if q.to_matrix() == place.rotation {
        out.line(quaternion, numbers(&q.0));
    } else {
        out.line(matrix, list(place.rotation.to_rows().iter().map(|row| numbers(row))));
    }
}

/// Writes a joint, except for name and parent.
fn write_joint(out: &mut Text, joint: &Joint, on_parent: &Keys, on_child: &Keys) {
    out.line("kind", quoted(kind_word(joint.kind)));
    match joint.kind {
        JointKind::Revolute { axis } | JointKind::Prismatic { axis } => out.line("axis", axis_text(axis)),
        JointKind::Universal { first, second } => out.line("axes", axes_text(first, second)),
        JointKind::Fixed | JointKind::Spherical | JointKind::Free => {}
        JointKind::Partial { turn: Turn::About(a), slide: Slide::Along(b) | Slide::Across(b) } if a == b => {
            out.line("axis", axis_text(a))
        }
        JointKind::Partial { turn, slide } => write_freedom(out, turn, slide),
    }
    write_placement(out, &joint.parent_from_joint, on_parent);
    write_placement(out, &joint.child_from_joint, on_child);
    let turns = matches!(joint.kind, JointKind::Spherical | JointKind::Free);
    if turns && joint.order != RotationOrder::default() {
        out.line("order", quoted(joint.order.name()));
    }
    write_home(out, joint);
    let is_default = joint.actuated != matches!(joint.kind, JointKind::Fixed | JointKind::Free);
    if !is_default {
        out.line("actuated", joint.actuated.to_string());
    }
    if matches!(joint.kind, JointKind::Free | JointKind::Fixed | JointKind::Partial { .. }) {
        return;
    }
    write_dofs(out, joint.kind, &joint.dof[..joint.kind.nv()]);
}

/// The `kind` of a joint; `cylindrical` and `planar` only if rotation and translation share their axis.
fn kind_word(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Partial { turn: Turn::About(a), slide: Slide::Along(b) | Slide::Across(b) } if a != b => {
            "partial"
        }
        other => other.name(),
    }
}

fn write_freedom(out: &mut Text, turn: Turn, slide: Slide) {
    match turn {
        Turn::None => {}
        Turn::About(axis) => out.line("free_turn", axis_text(axis)),
        Turn::Twice(first, second) => out.line("free_turn", axes_text(first, second)),
        Turn::Any => out.line("free_turn", quoted("any")),
    }
    match slide {
        Slide::None => {}
        Slide::Along(axis) => out.line("free_slide", axis_text(axis)),
        Slide::Across(normal) => {
            let x = normal.any_perpendicular();
            out.line("free_slide", axes_text(x, normal.cross(x)));
        }
        Slide::Any => out.line("free_slide", quoted("any")),
    }
}

fn write_home(out: &mut Text, joint: &Joint) {
    let home = held_home(joint);
    let (n, neutral) = (joint.kind.nq(), joint.kind.neutral());
    if home[..n] == neutral[..n] {
        return;
    }
    match joint.kind {
        JointKind::Revolute { .. } | JointKind::Universal { .. } => write_home_angles(out, &home[..n]),
        JointKind::Free if home[3..] == neutral[3..] => out.line("home", numbers(&home[..3])),
        _ => out.line("home", numbers(&home[..n])),
    }
}

/// The home pose, with locked degrees of freedom at their locked values.
fn held_home(joint: &Joint) -> [f64; MAX_NQ] {
    let c = joint.coordinates();
    let mut home = joint.home;
    if joint.kind == JointKind::Spherical {
        let mut angles = joint.order.angles(Quat([home[0], home[1], home[2], home[3]]));
        let held = (0..MAX_DOF).filter(|&k| c.locked[k] && c.locked_at[k] != angles[k]).collect::<Vec<_>>();
        if !held.is_empty() {
            held.into_iter().for_each(|k| angles[k] = c.locked_at[k]);
            home[..4].copy_from_slice(&joint.order.quat(angles).0);
        }
    } else {
        (0..MAX_DOF).filter(|&k| c.locked[k]).for_each(|k| home[k] = c.locked_at[k]);
    }
    home
}

fn write_dofs(out: &mut Text, kind: JointKind, dof: &[Dof]) {
    let slides = matches!(kind, JointKind::Prismatic { .. });
    if dof.iter().any(|d| d.range.is_some()) {
        write_ranges(out, dof, slides);
    }
    if dof.iter().any(|d| d.limit.is_some()) {
        let limits: Vec<String> = dof.iter().map(|d| limit_text(d.limit, slides)).collect();
        let all_equal = dof.windows(2).all(|w| w[0].limit == w[1].limit);
        out.line("limit", if all_equal { limits[0].clone() } else { list(limits) });
    }
    let default = Dof::default();
    out.per_dof("stiffness", dof, default.stiffness, |d| d.stiffness);
    out.per_dof("rest", dof, default.rest, |d| d.rest);
    out.per_dof("damping", dof, default.damping, |d| d.damping);
    out.per_dof("friction", dof, default.friction, |d| d.friction);
    out.per_dof("armature", dof, default.armature, |d| d.armature);
    out.per_dof("effort", dof, default.effort, |d| d.effort);
    if dof.iter().any(|d| d.locked) {
        out.line("locked", list(dof.iter().map(|d| d.locked.to_string())));
    }
}

fn write_ranges(out: &mut Text, dof: &[Dof], slides: bool) {
    let pairs = |end: &dyn Fn(f64) -> Option<f64>| -> Option<String> {
        let pair = |r: Range| Some(list([number(end(r.lower)?), number(end(r.upper)?)]));
        let texts: Option<Vec<String>> =
            dof.iter().map(|d| d.range.map_or(Some("[]".into()), pair)).collect();
        texts.map(|t| if t.len() == 1 { t[0].clone() } else { list(t) })
    };
    match pairs(&|x| exact_degrees(x).filter(|_| !slides)) {
        Some(text) => out.line("range_deg", text),
        None => out.line("range", pairs(&Some).unwrap_or_default()),
    }
}

fn write_home_angles(out: &mut Text, angles: &[f64]) {
    let degrees: Option<Vec<f64>> = angles.iter().map(|x| exact_degrees(*x)).collect();
    let (key, values) = degrees.as_deref().map_or(("home", angles), |degrees| ("home_deg", degrees));
    out.line(key, if let [one] = *values { number(one) } else { numbers(values) });
}

fn limit_text(limit: Option<LimitSpring>, slides: bool) -> String {
    let Some(l) = limit else { return "{ law = \"none\" }".into() };
    let law = match l.law {
        LimitLaw::Power { k, n } => format!("law = \"power\", k = {k:?}, n = {n:?}"),
        LimitLaw::Exponential { k, c } => format!("law = \"exponential\", k = {k:?}, c = {c:?}"),
    };
    let blend = match exact_degrees(l.blend).filter(|_| !slides) {
        Some(d) => format!("blend_deg = {d:?}"),
        None => format!("blend = {:?}", l.blend),
    };
    format!("{{ {law}, {blend}, rebound = {:?} }}", l.rebound)
}

/// The angle in rounded degrees, if that reads back to the same bits.
fn exact_degrees(x: f64) -> Option<f64> {
    let degrees = round_to(x.to_degrees(), 1e6);
    (degrees.to_radians() == x).then_some(degrees)
}

fn round_to(x: f64, per_unit: f64) -> f64 {
    let r = (x * per_unit).round() / per_unit;
    // huge numbers overflow; avoids negative zeros
    if r.is_finite() { r + 0.0 } else { x }
}

/// Decimals of a hand-written number: a thousandth of a nanometre.
const DIGITS: f64 = 1e12;

fn rounded(v: Vec3) -> Vec3 {
    Vec3::from_array(&v.to_array().map(|x| round_to(x, DIGITS)))
}

fn rounded_all(s: Sym3) -> Sym3 {
    let [xx, yy, zz, xy, xz, yz] = [s.xx, s.yy, s.zz, s.xy, s.xz, s.yz].map(|x| round_to(x, DIGITS));
    Sym3 { xx, yy, zz, xy, xz, yz }
}

/// A letter, or a vector whose normalisation gives exactly this axis.
fn axis_text(axis: Vec3) -> String {
    let named = [("x", Axis::X), ("y", Axis::Y), ("z", Axis::Z)];
    if let Some((word, _)) = named.iter().find(|(_, a)| a.unit() == axis) {
        return quoted(word);
    }
    // normalising a unit vector again may change its last bits; some multiple of it gives the same ones
    const TRIES: u32 = 4096;
    let multiples = (0..TRIES).map(|k| axis.scale(1.0 + f64::from(k) / f64::from(TRIES)));
    vector(multiples.into_iter().find(|a| a.normalized() == Some(axis)).unwrap_or(axis))
}

fn axes_text(first: Vec3, second: Vec3) -> String {
    list([axis_text(first), axis_text(second)])
}

fn symmetric(s: Sym3) -> String {
    let all = [s.xx, s.yy, s.zz, s.xy, s.xz, s.yz];
    numbers(if all[3..] == [0.0; 3] { &all[..3] } else { &all[..] })
}

fn vector(v: Vec3) -> String {
    numbers(&v.to_array())
}

fn numbers(all: &[f64]) -> String {
    list(all.iter().map(|x| number(*x)))
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

fn number(x: f64) -> String {
    format!("{x:?}")
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
