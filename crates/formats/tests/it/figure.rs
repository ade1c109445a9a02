//! The native format: figures read back bit for bit, and every error names line, column and field.

use crate::table;
use anthropi_app::builtin;
use anthropi_dynamics::joint::{Dof, JointKind, LimitLaw, LimitSpring, Range};
use anthropi_dynamics::model::{
    Figure, FigureBuilder, Joint, JointSpec, LinkSpec, PlacedShape, Shape, State,
};
use anthropi_dynamics::spatial::{Inertia, Quat, RotationOrder, Sym3, Transform, Vec3, vec3};
use anthropi_formats::figure;
use testkit::Rng;

fn vector(r: &mut Rng) -> Vec3 {
    r.vec3(1.0)
}

fn place(r: &mut Rng) -> Transform {
    match r.below(3) {
        0 => Transform::translation(vector(r)),
        1 => Transform::identity(),
        _ => Transform::new(vector(r), Quat::exp(r.vec3(2.0))),
    }
}

fn read(text: &str) -> Figure {
    let loaded = figure::read(text, "test.toml").unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(loaded.warnings, []);
    loaded.figure
}

/// All properties, bit for bit.
fn assert_same(a: &Figure, b: &Figure) {
    assert_eq!((&a.name, a.stature, a.gravity()), (&b.name, b.stature, b.gravity()));
    let name = |f: &Figure, l| f.link(l).unwrap().spec.name.clone();
    assert_eq!(a.links().count(), b.links().count());
    for ((_, x), (_, y)) in a.links().zip(b.links()) {
        assert_eq!(x.spec, y.spec);
        assert_eq!(x.parent().map(|p| name(a, p)), y.parent().map(|p| name(b, p)));
    }
    for ((_, x), (_, y)) in a.joints().zip(b.joints()) {
        assert_same_joint(x, y);
    }
    assert_eq!(a.connections().count(), b.connections().count());
    for ((_, p, x), (_, q, y)) in a.connections().zip(b.connections()) {
        assert_same_joint(x, y);
        assert_eq!(p.real().map(|l| name(a, l)), q.real().map(|l| name(b, l)));
        assert_eq!(p.parent().map(|l| name(a, l)), q.parent().map(|l| name(b, l)));
    }
    assert_eq!(State::home(a).q, State::home(b).q);
}

fn assert_same_joint(x: &Joint, y: &Joint) {
    assert_eq!((&x.name, x.kind, x.order, x.actuated), (&y.name, y.kind, y.order, y.actuated));
    let frames = |j: &Joint| (j.parent_from_joint, j.child_from_joint);
    assert_eq!(frames(x), frames(y), "{}", x.name);
    assert_eq!((x.home, x.dof), (y.home, y.dof), "{}", x.name);
    let (c, d) = (x.coordinates(), y.coordinates());
    assert_eq!(c.locked, d.locked, "{}", x.name);
    for k in (0..3).filter(|&k| c.locked[k]) {
        assert_eq!(c.locked_at[k], d.locked_at[k], "{}", x.name);
    }
}

#[test]
fn built_in_figures_round_trip() {
    for b in builtin::FIGURES {
        let figure = read(b.text);
        let text = figure::write(&figure);
        assert_same(&figure, &read(&text));
        assert_eq!(text, figure::write(&read(&text)), "written twice, the same text");
        let scaled = figure.scaled(Some(1.83), Some(91.7)).unwrap();
        assert_same(&scaled, &read(&figure::write(&scaled)));
    }
}

fn random_dof(r: &mut Rng) -> Dof {
    let a = 3.0 * r.signed();
    let law = match r.below(2) {
        0 => LimitLaw::Power { k: 10.0 + r.signed(), n: 3.0 },
        _ => LimitLaw::Exponential { k: 2.0 + r.signed(), c: 9.0 + r.signed() },
    };
    let ranged = r.below(3) > 0;
    let limited = ranged && r.below(2) > 0;
    Dof {
        range: ranged.then(|| Range { lower: -3.5, upper: 3.5 + a.abs() }),
        limit: limited.then(|| LimitSpring { law, blend: 0.1 + 0.01 * r.signed(), rebound: 0.5 }),
        stiffness: r.signed().abs(),
        rest: if r.below(2) > 0 { r.signed() } else { 0.0 },
        damping: if r.below(2) > 0 { r.signed().abs() } else { 0.0 },
        friction: r.signed().abs(),
        armature: r.signed().abs(),
        effort: if r.below(2) > 0 { f64::INFINITY } else { 100.0 * r.signed().abs() },
        locked: r.below(6) == 0,
    }
}

fn random_kind(r: &mut Rng) -> JointKind {
    match r.below(6) {
        0 => JointKind::Fixed,
        1 => JointKind::Revolute { axis: vector(r) },
        2 => JointKind::Prismatic { axis: vector(r) },
        3 => JointKind::Universal { first: vector(r), second: vector(r) },
        _ => JointKind::Spherical,
    }
}

fn random_shape(r: &mut Rng) -> Shape {
    let mut size = || 0.01 + r.signed().abs();
    let half = vec3(size(), size(), size());
    match r.below(6) {
        0 => Shape::Box { half },
        1 => Shape::Ellipsoid { half },
        2 => Shape::Sphere { radius: half.x },
        3 => Shape::Capsule { radius: half.x, half_length: half.y },
        4 => Shape::Cylinder { radius: half.x, half_length: half.y },
        _ => Shape::Convex { points: (0..8).map(|_| vector(r)).collect() },
    }
}

fn random_figure(seed: u64) -> Figure {
    let r = &mut Rng::new(seed);
    let mut b = FigureBuilder::new(format!("random \"{seed}\" \\ 'é'\n"));
    b.stature(1.0 + r.signed().abs()).unwrap();
    b.gravity(vector(r)).unwrap();
    let mut handles = Vec::new();
    for i in 0..12 {
        let kind = if i == 0 { JointKind::Free } else { random_kind(r) };
        let moments = Sym3::diagonal(vec3(0.3, 0.4, 0.5).scale(1.0 + r.signed().abs()));
        let turned = Sym3::turned(&moments, &Quat::exp(vector(r)).to_matrix());
        let inertia = Inertia::about_center(1.0 + r.signed().abs(), vector(r), turned);
        let shapes =
            (0..r.below(3)).map(|_| PlacedShape { shape: random_shape(r), link_from_shape: place(r) });
        let link = LinkSpec { name: format!("link {i}"), inertia, shapes: shapes.collect() };
        let mut joint = JointSpec::new(format!("joint.{i}"), kind);
        joint.parent = (i > 0).then(|| handles[r.below(handles.len())]);
        random_joint(r, &mut joint);
        handles.push(b.add(link, joint).unwrap());
    }
    for i in 0..3 {
        let kind = random_kind(r);
        let mut joint = JointSpec::new(format!("loop {i}"), kind);
        joint.parent = if i == 0 { None } else { Some(handles[r.below(6)]) };
        random_joint(r, &mut joint);
        b.connect(handles[6 + r.below(6)], joint).unwrap();
    }
    b.build().unwrap()
}

fn random_joint(r: &mut Rng, joint: &mut JointSpec) {
    (joint.parent_from_joint, joint.child_from_joint) = (place(r), place(r));
    joint.actuated = r.below(2) > 0;
    let mut home = joint.kind.neutral();
    match joint.kind {
        JointKind::Spherical => home[..4].copy_from_slice(&Quat::exp(vector(r)).0),
        JointKind::Free => {
            home[..3].copy_from_slice(&vector(r).to_array());
            home[3..].copy_from_slice(&Quat::exp(vector(r)).0);
        }
        kind => (0..kind.nv()).for_each(|k| home[k] = r.signed()),
    }
    if matches!(joint.kind, JointKind::Spherical | JointKind::Free) {
        joint.order = RotationOrder::ALL[r.below(6)];
    }
    joint.home = (r.below(3) > 0).then_some(home);
    if joint.kind != JointKind::Free {
        (0..joint.kind.nv()).for_each(|k| joint.dof[k] = random_dof(r));
    }
}

#[test]
fn random_figures_round_trip_bit_for_bit() {
    for seed in 1..200 {
        let figure = random_figure(seed);
        let text = figure::write(&figure);
        let back = figure::read(&text, "test.toml").unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_same(&figure, &back.figure);
    }
}

#[test]
fn locked_values_round_trip() {
    let mut figure = read(builtin::FIGURES[1].text);
    let mut state = State::home(&figure);
    let (knee, hip) = (figure.find_joint("left_knee").unwrap(), figure.find_joint("left_hip").unwrap());
    state.set_q(&figure, knee, &[0.7]).unwrap();
    state.set_q(&figure, hip, &Quat::exp(vec3(0.1, -0.4, 0.2)).0).unwrap();
    figure.lock(knee, 0, &mut state).unwrap();
    figure.lock(hip, 1, &mut state).unwrap();
    let back = read(&figure::write(&figure));
    let held = |f: &Figure, name: &str| f.joint(f.find_joint(name).unwrap()).unwrap().coordinates().locked_at;
    assert_eq!(held(&figure, "left_knee"), held(&back, "left_knee"));
    let (a, b) = (held(&figure, "left_hip"), held(&back, "left_hip"));
    assert!((a[1] - b[1]).abs() < 1e-15, "{a:?} {b:?}");
    assert_eq!(back.forest().nv(), figure.forest().nv());
}

/// The smallest figure, to be made invalid: link at line 2, joint at line 6.
const ROD: &str = r#"name = "rod"
[[link]]
name = "rod"
mass = 1
inertia = [1, 1, 1]
[link.joint]
name = "hinge"
kind = "revolute"
axis = "y"
"#;

#[test]
fn the_smallest_figure_reads() {
    let f = read(ROD);
    assert_eq!(f.dof_names(), ["hinge"]);
    assert_eq!(f.links().next().unwrap().1.spec.inertia.mass, 1.0);
}

#[test]
fn the_example_in_the_documentation_reads() {
    let lines = include_str!("../../src/figure.rs").lines().filter_map(|l| l.strip_prefix("//!"));
    let example = lines.skip_while(|l| *l != " ```toml").skip(1).take_while(|l| *l != " ```");
    let f = read(&example.collect::<Vec<_>>().join("\n"));
    assert_eq!((f.forest().nv(), f.joints().count()), (3, 1));
}

#[test]
fn all_forms_of_mass_agree() {
    let with = |properties: &str| {
        let shapes = "[[link.shape]]\nkind = \"box\"\nsize = [0.2, 0.4, 0.6]\nat = [0, 0, 0.5]\n";
        let text = ROD.replace("mass = 1\ninertia = [1, 1, 1]\n", &format!("{properties}\n{shapes}"));
        read(&text).links().next().unwrap().1.spec.inertia
    };
    let close = |a: Inertia, b: Inertia| {
        let worst =
            (a.mass - b.mass).abs() + (a.moment - b.moment).norm() + (a.second - b.second).full().max_abs();
        assert!(worst < 1e-13, "{a:?} {b:?}");
    };
    // 48 litres; moments m (b^2 + c^2) / 12
    let exact = with("mass = 48\ncenter = [0, 0, 0.5]\ninertia = [2.08, 1.6, 0.8]");
    close(with("density = 1000"), exact);
    close(with("mass = 48"), exact);
    close(with("mass = 48\nmoment = [0, 0, 24]\nsecond = [14.08, 13.6, 0.8]"), exact);
}

#[test]
fn all_forms_of_rotation_agree() {
    let turned = |how: &str| {
        let f = read(&ROD.replace("axis = \"y\"\n", &format!("axis = \"y\"\n{how}\n")));
        f.joints().next().unwrap().1.parent_from_joint.rotation
    };
    let want = turned("quaternion = [0.7071067811865476, 0, 0, 0.7071067811865476]");
    for how in [
        "turn_deg = [0, 0, 90]",
        "turn = [0, 0, 1.5707963267948966]",
        "quaternion = [1, 0, 0, 1]",
        "matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
        "turn_deg = [90, 0, 0]\nturn_order = \"zyx\"",
    ] {
        assert!((turned(how) - want).max_abs() < 1e-15, "{how}");
    }
}

#[test]
fn all_forms_of_home_are_read() {
    let q = |kind: &str, home: &str| {
        let f = read(&ROD.replace("kind = \"revolute\"\naxis = \"y\"\n", &format!("{kind}\n{home}\n")));
        State::home(&f).q
    };
    assert_eq!(q("kind = \"revolute\"\naxis = \"-z\"", "home_deg = 180"), [std::f64::consts::PI]);
    assert_eq!(q("kind = \"prismatic\"\naxis = [0, 2, 0]", "home = [0.5]"), [0.5]);
    assert_eq!(q("kind = \"universal\"\naxes = [\"x\", \"y\"]", "home = [0.1, 0.2]"), [0.1, 0.2]);
    assert_eq!(q("kind = \"spherical\"", "home = [0, 2, 0, 0]"), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(q("kind = \"free\"", "home = [1, 2, 3]"), [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]);
    let turned = q("kind = \"free\"", "home = [1, 2, 3]\nhome_deg = [180, 0, 0]");
    assert!((turned[4] - 1.0).abs() < 1e-15 && turned[2] == 3.0, "{turned:?}");
}

#[test]
fn questionable_joints_give_warnings() {
    let text = format!("{ROD}range_deg = [10, 20]\n");
    let warnings = figure::read(&text, "test.toml").unwrap().warnings;
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].to_string().starts_with("6:1: joint `hinge`: home of degree of freedom 0 is outside")
    );
    let text = format!("{ROD}limit = {{ law = \"power\", k = 1, blend = 0.1 }}\n");
    let warnings = figure::read(&text, "test.toml").unwrap().warnings;
    assert!(warnings[0].to_string().contains("has a limit but no range"), "{warnings:?}");
}

/// The error of the smallest figure after one replacement.
fn error_with(from: &str, to: &str) -> String {
    assert!(ROD.contains(from), "{from}");
    match figure::read(&ROD.replacen(from, to, 1), "rod.toml") {
        Err(e) => e.to_string(),
        Ok(_) => panic!("`{to}` in place of `{from}` was accepted"),
    }
}

/// Replacements in the smallest figure, with the start of the error they cause.
const ERRORS: &str = r#"
    // syntax
    mass = 1 | mass =  | 4:8:
    [[link]] | [[link] | 2:8:
    mass = 1 | mass = 1\nmass = 2 | 5:1: duplicate key
    // keys
    mass = 1 | masss = 1 | 4:1: masss of link `rod`: unknown key; the nearest known keys are `mass`, `
    axis | axiss | 9:1: axiss of joint `hinge`: unknown key; the nearest known keys are `axis`, `axes`
    name = "rod"\n[[ | naem = "rod"\n[[ | 1:1: naem: unknown key; the nearest known keys are `name`
    name = "rod"\n[[ | [[ | 1:1: name: is missing, expected a name
    name = "rod"\n[[ | name = ""\n[[ | 1:8: name: is empty
    name = "rod"\n[[ | name = 3\n[[ | 1:8: name: is a number, expected a string
    name = "rod"\nmass | mass | 2:1: name of link 1: is missing
    [link.joint]\nname = "hinge" | [link.joint] | 6:1: name of the joint of link `rod`: is missing
    \nmass = 1 | \n | 2:1: mass of link `rod`: is missing, expected a mass in kg, or a `density`
    kind = "revolute" |  | 6:1: kind of joint `hinge`: is missing, expected fixed, revolute,
    // masses
    mass = 1 | mass = -3 | 4:8: mass of link `rod`: is -3, expected zero or more
    mass = 1 | mass = nan | 4:8: mass of link `rod`: is NaN or out of range
    mass = 1 | mass = inf | 4:8: mass of link `rod`: is inf, expected a finite number
    mass = 1 | mass = "1" | 4:8: mass of link `rod`: is a string, expected a number
    inertia = [1, 1, 1] |  | 2:1: inertia of link `rod`: is missing, expected three or six numbers
    [1, 1, 1] | [1, 1] | 5:11: inertia of link `rod`: has 2 numbers, expected 3
    [1, 1, 1] | [1, 1, 3] | 2:1: link `rod`: link `rod` has an impossible inertia
    mass = 1\ninertia = [1, 1, 1] | mass = 0 | 5:1: joint `hinge`: joint `hinge` moves no inertia
    mass = 1 | mass = 1\ndensity = 1000 | 4:8: mass of link `rod`: conflicts with `density`
    mass = 1 | density = 1000 | 5:11: inertia of link `rod`: conflicts with `density`
    mass = 1\ninertia = [1, 1, 1] | density = 9 | 4:11: density of link `rod`: requires shapes
    inertia = [1, 1, 1] | center = [0, 0, 1] | 5:10: center of link `rod`: is given without `inertia`
    mass = 1 | mass = 1\ncenter = [0, 1] | 5:10: center of link `rod`: has 2 numbers, expected 3
    mass = 1 | mass = 1\nmoment = [0, 0, 0] | 6:11: inertia of link `rod`: conflicts with `moment`
    // shapes
    [link.joint] | [[link.shape]]\nkind = "ball"\n[link.joint] | 7:8: kind of shape 1 of link `rod`: is "ball", expected one of "box", "sphere", "ellipsoid"
    [link.joint] | [[link.shape]]\nkind = "sphere"\nradius = -1\n[link.joint] | 8:10: radius of shape 1 of link `rod`: is -1, expected more than zero
    [link.joint] | [[link.shape]]\nkind = "box"\nsize = [1, 1]\n[link.joint] | 8:8: size of shape 1 of link `rod`: has 2 numbers, expected 3
    [link.joint] | [[link.shape]]\nkind = "box"\nradius = 1\n[link.joint] | 8:1: radius of shape 1 of link `rod`: unknown key
    [link.joint] | [[link.shape]]\nkind = "convex"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]\n[link.joint] | 6:1: shape 1 of link `rod`: the points of a convex shape span no volume
    // joints
    "revolute" | "revolut" | 8:8: kind of joint `hinge`: is "revolut", expected one of "fixed"
    axis = "y" | axis = "w" | 9:8: axis of joint `hinge`: is "w", expected one of "x", "y"
    axis = "y" | axis = [0, 0, 0] | 9:8: axis of joint `hinge`: is zero
    axis = "y" | axis = [0, 1] | 9:8: axis of joint `hinge`: has 2 numbers, expected 3
    axis = "y" | axes = ["y", "z"] | 9:8: axes of joint `hinge`: does not apply to a revolute joint
    kind = "revolute"\naxis = "y" | kind = "universal"\naxes = ["y", [0, -2, 0]] | 9:8: axes of joint `hinge`: are parallel
    axis = "y" | axis = "y"\nparent = "arm" | 10:10: parent of joint `hinge`: there is no link `arm` above this one; parents precede
    axis = "y" | axis = "y"\nparent = "rod" | 10:10: parent of joint `hinge`: there is no link `rod` above
    axis = "y" | axis = "y"\nrange = [1, 2, 3] | 10:9: range of joint `hinge`: has 3 numbers, expected [lower
    axis = "y" | axis = "y"\nrange = [[0, 1], [0, 1]] | 10:9: range of joint `hinge`: has 2 ranges for 1 degree of freedom
    axis = "y" | axis = "y"\nrange_deg = [20, 10] | 10:13: range_deg of joint `hinge`: has 20 above 10
    axis = "y" | axis = "y"\nrange = [0, 1]\nrange_deg = [0, 1] | 11:13: range_deg of joint `hinge`: conflicts with `range`
    axis = "y" | axis = "y"\ndamping = [1, 2] | 10:11: damping of joint `hinge`: has 2 values for 1 degree
    axis = "y" | axis = "y"\ndamping = -1 | 10:11: damping of joint `hinge`: is -1, expected zero or more
    axis = "y" | axis = "y"\neffort = -1 | 10:10: effort of joint `hinge`: is -1, expected zero or more
    axis = "y" | axis = "y"\nlocked = 1 | 10:10: locked of joint `hinge`: is a number, expected true or false
    axis = "y" | axis = "y"\norder = "xyz" | 10:9: order of joint `hinge`: orders the angles of a spherical
    axis = "y" | axis = "y"\nhome = [1, 2] | 10:8: home of joint `hinge`: has 2 numbers, expected 1
    revolute"\naxis = "y" | spherical"\nhome = [0, 0, 0, 0] | 9:8: home of joint `hinge`: has length 0
    revolute"\naxis = "y" | free"\nhome = [0, 0] | 9:8: home of joint `hinge`: has 2 numbers, expected 3 or 7
    revolute"\naxis = "y" | free"\ndamping = 1 | 9:11: damping of joint `hinge`: does not apply to a free joint
    revolute"\naxis = "y" | fixed"\nhome = 1 | 9:8: home of joint `hinge`: does not apply to a fixed joint
    revolute" | prismatic"\nrange_deg = [0, 1] | 9:13: range_deg of joint `hinge`: is an angle, but the joint is prismatic; give `range` in metres
    axis = "y" | axis = "y"\nturn_deg = [0, 0] | 10:12: turn_deg of joint `hinge`: has 2 numbers, expected 3
    axis = "y" | axis = "y"\nturn_order = "xyz" | 10:14: turn_order of joint `hinge`: is the order of
    axis = "y" | axis = "y"\nmatrix = [[1, 0, 0], [0, 1, 0], [0, 0, -1]] | 10:10: matrix of joint `hinge`: is not a rotation
    axis = "y" | axis = "y"\nchild_quaternion = [0, 0, 0, 0] | 10:20: child_quaternion of joint `hinge`: has length 0
    // limits
    axis = "y" | axis = "y"\nlimit = { law = "linear", k = 1 } | 10:17: law of the limit of joint `hinge`: is "linear", expected one of "power", "exponential", "none"
    axis = "y" | axis = "y"\nlimit = { law = "power", k = 1 } | 10:9: the limit of joint `hinge`: has no `blend` or `blend_deg`
    axis = "y" | axis = "y"\nlimit = { law = "power", k = 1, c = 2, blend = 0.1 } | 10:37: c of the limit of joint `hinge`: does not apply to the law "power"
    axis = "y" | axis = "y"\nlimit = { law = "power", k = 1, blend = 0.1, rebound = 2 } | 10:56: rebound of the limit of joint `hinge`: is 2, expected 0
    axis = "y" | axis = "y"\nlimit = { law = "power", kk = 1, blend = 0.1 } | 10:26: kk of the limit of joint `hinge`: unknown key; the nearest known keys are `k`
    // connections
    axis = "y" | axis = "y"\n[[connect]]\nname = "c"\na = "arm"\nkind = "fixed" | 12:5: a of connection `c`: there is no link `arm`
    axis = "y" | axis = "y"\n[[connect]]\nname = "c"\nkind = "fixed" | 10:1: a of connection `c`: is missing
    axis = "y" | axis = "y"\n[[connect]]\nname = "c"\na = "rod"\nb = "rod"\nkind = "fixed" | 10:1: connection `c`: connection `c` joins link `rod` to itself
    axis = "y" | axis = "y"\n[[connect]]\nname = "hinge"\na = "rod"\nkind = "fixed" | 11:8: name of connection 1: there is already a joint `hinge`
    // a second link
    axis = "y" | axis = "y"\n[[link]]\nname = "rod"\nmass = 1 | 11:8: name of link `rod`: there is already
    axis = "y" | axis = "y"\n[[link]]\nname = "two"\nmass = 0\n[link.joint]\nname = "hinge" | 14:8: name of the joint of link `two`: there is already a joint `hinge`
    axis = "y" | axis = "y"\n[[link]]\nname = "two"\nmass = 0\n[link.joint]\nname = "f"\nkind = "free"\nparent = "rod" | 10:1: link `two`: free joint `f` hangs on link `rod`
"#;

#[test]
fn every_error_names_line_column_and_field() {
    let wrong: Vec<String> = table(ERRORS)
        .map(|[from, to, want]| (error_with(&from, &to), want))
        .filter(|(got, want)| !got.starts_with(&format!("rod.toml:{want}")))
        .map(|(got, want)| format!("expected {want}\n     got {got}\n"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.concat());
    assert_eq!(
        figure::read("name = \"x\"", "x.toml").unwrap_err().to_string(),
        "x.toml:1:1: link: is missing, expected at least one [[link]]"
    );
    assert_eq!(
        figure::read("name = \"é\"\nlink = []", "x.toml").unwrap_err().to_string(),
        "x.toml:2:8: link: is empty, expected at least one"
    );
}

#[test]
fn columns_count_characters() {
    let text = ROD
        .replace("inertia = [1, 1, 1]", "inertia = [1, 1, 1] # é")
        .replace("axis = \"y\"", "'axis' = \"é\"");
    assert!(
        figure::read(&text, "f")
            .unwrap_err()
            .to_string()
            .starts_with("f:9:10: axis of joint `hinge`: is \"é\"")
    );
}

#[test]
fn huge_files_are_rejected() {
    let huge = format!("{ROD}#{}", " ".repeat(figure::MAX_BYTES));
    assert!(figure::read(&huge, "f").unwrap_err().to_string().contains("are read up to"));
    let link = "[[link]]\nname = \"a\"\n".repeat(figure::MAX_ENTRIES + 1);
    assert!(
        figure::read(&format!("name = \"x\"\n{link}"), "f").unwrap_err().to_string().contains("at most 4096")
    );
    let deep = format!("name = {}", "[".repeat(100_000));
    assert!(figure::read(&deep, "f").is_err());
}

#[test]
fn truncated_and_mutated_texts_never_panic() {
    let mut texts: Vec<String> = builtin::FIGURES.iter().map(|b| b.text.into()).collect();
    texts.extend((1..4).map(|seed| figure::write(&random_figure(seed))));
    let spice = "nan|-inf|1e308|-0.0|[]|{}|\"|[|]|=|0x7fffffffffffffff|\u{0}|\n|1e-320|9223372036854775807|true|é|'|\
                 \"free\"|\"spherical\"|[0, 0, 0]|-1|0|#";
    let spice: Vec<&str> = spice.split('|').collect();
    let mut r = Rng::new(2000);
    for text in &texts {
        for _ in 0..300 {
            let cut = r.below(text.len());
            let cut = (0..=cut).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            let _ = figure::read(&text[..cut], "cut");
            let mut spoilt = text.clone();
            for _ in 0..=r.below(4) {
                mutate(&mut spoilt, &mut r, &spice);
            }
            let _ = figure::read(&spoilt, "spoilt");
        }
    }
}

/// Replaces a number or a word, moves a line, or drops a letter.
fn mutate(text: &mut String, r: &mut Rng, spice: &[&str]) {
    match r.below(3) {
        0 => {
            let tokens: Vec<(usize, usize)> =
                text.match_indices(|c: char| c.is_ascii_digit()).map(|(i, s)| (i, i + s.len())).collect();
            if let Some(&(from, to)) = tokens.get(r.below(tokens.len().max(1))) {
                text.replace_range(from..to, spice[r.below(spice.len())]);
            }
        }
        1 => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                let line = lines.remove(r.below(lines.len()));
                lines.insert(r.below(lines.len() + 1), line);
                *text = lines.join("\n");
            }
        }
        _ => {
            let at = r.below(text.len().max(1));
            if text.is_char_boundary(at) && at < text.len() {
                text.remove(at);
            }
        }
    }
}
