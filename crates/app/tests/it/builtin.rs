//! Built-in figures: counts and masses of the papers, soles on the ground, left-right symmetry.

use anthropi_app::builtin;
use anthropi_app::resolve::{ItemKind, toml_kind};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, Joint, Link, LinkHandle, State};
use anthropi_dynamics::spatial::{Force, Inertia, Motion, Quat, Sym3, Transform, Vec3, vec3};
use serde_json::Value;

/// Sums of a few sizes written with three digits.
const LENGTH: f64 = 1e-12;

fn load(name: &str) -> Figure {
    let loaded = builtin::figure(name).expect("a built-in figure").expect("it reads");
    assert_eq!(loaded.warnings, [], "{name}");
    loaded.figure
}

fn all() -> Vec<Figure> {
    builtin::FIGURES.iter().map(|b| load(b.name)).collect()
}

fn count(figure: &Figure, kind: &str) -> usize {
    figure.joints().filter(|(_, j)| j.kind.name() == kind).count()
}

fn link<'a>(figure: &'a Figure, name: &str) -> &'a Link {
    figure.link(figure.find_link(name).expect(name)).expect(name)
}

fn joint<'a>(figure: &'a Figure, name: &str) -> &'a Joint {
    figure.joint(figure.find_joint(name).expect(name)).expect(name)
}

#[test]
fn names_are_unique_and_files_are_recognised_by_their_keys() {
    let mut names: Vec<&str> = ItemKind::ALL.into_iter().flat_map(builtin::names).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    for kind in ItemKind::ALL.into_iter().filter(|kind| *kind != ItemKind::Style) {
        for b in builtin::all(kind) {
            assert_eq!(toml_kind(b.text, b.name).unwrap(), kind, "{}", b.name);
        }
    }
    for b in builtin::STYLES {
        assert_eq!(toml_kind(b.text, b.name).unwrap(), ItemKind::Figure, "{}", b.name);
    }
    assert!(toml_kind("{", "x.toml").is_err());
}

#[test]
fn names_and_summaries_match_the_files() {
    for b in builtin::FIGURES {
        assert!(b.text.contains(&format!("\nname = {:?}\n", b.name)), "{}", b.name);
        assert!(b.text.contains(&format!("\nwhat = {:?}\n", b.what)), "{}", b.what);
        assert_eq!(load(b.name).name, b.name);
    }
    assert!(builtin::figure("no-such-figure").is_none());
}

#[test]
fn counts_are_those_of_the_ledger() {
    // links, degrees of freedom with the base, and joints of each kind
    let ledger = [("human-16", 15, 22, [4, 0, 4]), ("human-28", 13, 34, [2, 4, 6])];
    let ledger =
        ledger.into_iter().chain([("human-40", 17, 46, [4, 0, 12]), ("anthropi-42", 13, 42, [0, 0, 12])]);
    for (name, links, nv, kinds) in ledger {
        let f = load(name);
        assert_eq!((f.links().count(), f.forest().nv()), (links, nv), "{name}");
        assert_eq!(["revolute", "universal", "spherical"].map(|k| count(&f, k)), kinds, "{name}");
        assert_eq!(count(&f, "free"), 1, "{name}");
        assert_eq!(joint(&f, "root").child(), f.find_link("pelvis").unwrap(), "{name}");
        assert_eq!(f.connections().count(), 0, "{name}");
    }
}

#[test]
fn masses_add_up() {
    for (name, mass, tolerance) in [
        ("human-16", 70.0, 1e-12),
        ("human-28", 69.0, 1e-12),
        ("human-40", 70.0, 1e-12),
        ("anthropi-42", 70.0, 1e-4),
    ] {
        let got = load(name).mass();
        assert!((got - mass).abs() < tolerance, "{name}: {got} kg");
    }
}

#[test]
fn human_28_is_table_3() {
    // [NY2000J Table 3], our names; the offsets are those of `peers/gen_models.py`
    let f = load("human-28");
    let sides = ["left", "right"];
    let mut table = vec![
        ("pelvis".into(), 15.0, [0.4, 0.2, 0.4], vec3(0.0, 0.0, 0.02), vec3(0.0, 0.0, 0.94)),
        ("chest".into(), 16.0, [0.8, 0.4, 0.8], vec3(0.0, 0.0, 0.2), vec3(0.0, 0.0, 0.1)),
        ("head".into(), 4.0, [0.1, 0.1, 0.1], vec3(0.0, 0.0, 0.12), vec3(0.0, 0.0, 0.42)),
    ];
    for (side, y) in sides.into_iter().zip([1.0, -1.0]) {
        let limb = [0.1, 0.2, 0.2];
        table.extend([
            (format!("{side}_upper_arm"), 4.0, limb, vec3(0.0, 0.0, -0.13), vec3(0.0, y * 0.19, 0.36)),
            (format!("{side}_forearm"), 2.0, limb, vec3(0.0, 0.0, -0.12), vec3(0.0, 0.0, -0.28)),
            (format!("{side}_thigh"), 5.0, limb, vec3(0.0, 0.0, -0.19), vec3(0.0, y * 0.09, -0.05)),
            (format!("{side}_shank"), 4.0, limb, vec3(0.0, 0.0, -0.18), vec3(0.0, 0.0, -0.42)),
            (format!("{side}_foot"), 2.0, [0.02; 3], vec3(0.03, 0.0, -0.04), vec3(0.0, 0.0, -0.4)),
        ]);
    }
    assert_eq!(table.len(), f.links().count());
    for (name, mass, moments, center, offset) in table {
        let l = link(&f, &name);
        let want = Inertia::about_center(mass, center, Sym3::diagonal(Vec3::from_array(&moments)));
        assert_eq!(l.spec.inertia, want, "{name}");
        let j = f.joint(l.joint()).unwrap();
        let at = j.parent_from_joint.translation;
        let home = vec3(j.home[0], j.home[1], j.home[2]);
        assert_eq!(if j.kind == JointKind::Free { home } else { at }, offset, "{name}");
    }
    for side in sides {
        let elbow = JointKind::Universal { first: vec3(0.0, 1.0, 0.0), second: vec3(0.0, 0.0, 1.0) };
        let ankle = JointKind::Universal { first: vec3(0.0, 1.0, 0.0), second: vec3(1.0, 0.0, 0.0) };
        assert_eq!(joint(&f, &format!("{side}_elbow")).kind, elbow);
        assert_eq!(joint(&f, &format!("{side}_ankle")).kind, ankle);
        assert_eq!(
            joint(&f, &format!("{side}_knee")).kind,
            JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) }
        );
        // soles of 19 x 12 cm [NY2000J §5]
        let sole = &link(&f, &format!("{side}_foot")).spec.shapes[0];
        let (back, front) = sole.shape.extent(&sole.link_from_shape, vec3(1.0, 0.0, 0.0));
        let (right, left) = sole.shape.extent(&sole.link_from_shape, vec3(0.0, 1.0, 0.0));
        assert!((front - back - 0.19).abs() < LENGTH && (left - right - 0.12).abs() < LENGTH);
    }
}

#[test]
fn soles_are_on_the_ground_and_heights_match_the_stature() {
    for f in all() {
        let sole = f.lowest_point().expect("shapes");
        let up = vec3(0.0, 0.0, 1.0);
        let tops = f.links().flat_map(|(h, l)| {
            let place = f.home_pose(h);
            l.spec.shapes.iter().map(move |s| s.shape.extent(&(place * s.link_from_shape), up).1)
        });
        let top = tops.fold(f64::NEG_INFINITY, f64::max);
        assert!(sole.abs() < LENGTH, "{}: sole at {sole}", f.name);
        assert!((top - 1.70).abs() < LENGTH, "{}: top at {top}", f.name);
        assert_eq!(f.stature, Some(1.70), "{}", f.name);
        assert!(f.links().all(|(_, l)| !l.spec.shapes.is_empty()), "{}", f.name);
        // standing: the centre of mass is above the soles, which all end at the ground
        for side in ["left_foot", "right_foot"] {
            let handle = f.find_link(side).unwrap();
            let s = &link(&f, side).spec.shapes[0];
            let (low, _) = s.shape.extent(&(f.home_pose(handle) * s.link_from_shape), up);
            assert!(low.abs() < LENGTH, "{} {side} ends at {low}", f.name);
        }
    }
}

#[test]
fn left_and_right_are_mirror_images() {
    let mirrored = |v: Vec3| vec3(v.x, -v.y, v.z);
    for f in all() {
        let mut pairs = 0;
        for (_, l) in f.links().filter(|(_, l)| l.spec.name.starts_with("left_")) {
            let r = link(&f, &l.spec.name.replace("left_", "right_"));
            let (li, ri) = (&l.spec.inertia, &r.spec.inertia);
            assert_eq!((ri.mass, ri.center()), (li.mass, mirrored(li.center())), "{}", l.spec.name);
            let lj = f.joint(l.joint()).unwrap();
            let rj = f.joint(r.joint()).unwrap();
            assert_eq!(rj.name, lj.name.replace("left_", "right_"));
            assert_eq!(rj.parent_from_joint.translation, mirrored(lj.parent_from_joint.translation));
            assert_eq!(rj.kind, lj.kind);
            assert_eq!(l.spec.shapes.len(), r.spec.shapes.len());
            mirrored_dofs(&f.name, lj, rj);
            pairs += 1;
        }
        assert!(pairs >= 5, "{}", f.name);
    }
}

/// Turns about y are the same on both sides, those about x and z opposite.
fn mirrored_dofs(figure: &str, left: &Joint, right: &Joint) {
    let about_y: Vec<bool> = match left.kind {
        JointKind::Fixed | JointKind::Free | JointKind::Partial { .. } => return,
        JointKind::Revolute { axis } | JointKind::Prismatic { axis } => vec![axis.y == 1.0],
        JointKind::Universal { first, second } => vec![first.y == 1.0, second.y == 1.0],
        JointKind::Spherical => left.order.axes().map(|a| a.index() == 1).to_vec(),
    };
    for (k, same) in about_y.into_iter().enumerate() {
        let (l, r) = (&left.dof[k], &right.dof[k]);
        let (a, b) = (l.range.expect("a range"), r.range.expect("a range"));
        let want = if same { (a.lower, a.upper) } else { (-a.upper, -a.lower) };
        assert_eq!((b.lower, b.upper), want, "{figure}: {} {k}", right.name);
        assert_eq!(
            (l.limit, l.damping, l.effort),
            (r.limit, r.damping, r.effort),
            "{figure}: {}",
            right.name
        );
        assert!(l.damping > 0.0 && l.effort.is_finite(), "{figure}: {}", left.name);
    }
}

#[test]
fn joints_flex_in_the_human_direction() {
    // direction in which the middle of each range moves the child's shape, world axes
    for f in all() {
        for (name, child, wanted) in [
            ("left_knee", "left_shank", -1.0),
            ("left_elbow", "left_forearm", 1.0),
            ("left_hip", "left_thigh", 1.0),
        ] {
            let j = joint(&f, name);
            let bend = j.dof[0].range.map(|r| 0.5 * (r.lower + r.upper)).expect("a range");
            let q = Quat::about(vec3(0.0, 1.0, 0.0), bend);
            let moved = q.rotate(link(&f, child).spec.inertia.center());
            assert!(moved.x * wanted > 0.02, "{}: {name} moves {child} to x = {}", f.name, moved.x);
        }
        let shoulder = &joint(&f, "left_shoulder").dof[1];
        let outward = shoulder.range.expect("a range").upper;
        assert!(outward > 1.5, "the left arm goes out to the left about +x");
    }
}

#[test]
fn no_passive_forces_in_the_home_pose() {
    for f in all() {
        let state = State::home(&f);
        for rate in [-1.0, 1.0] {
            let v = vec![rate; f.forest().nv()];
            let mut tau = vec![0.0; v.len()];
            f.forest().add_undamped_forces(&state.q, &v, &mut tau);
            assert!(tau.iter().all(|t| *t == 0.0), "{}: {tau:?}", f.name);
        }
    }
}

#[test]
fn figures_scale_to_another_size() {
    for f in all() {
        let big = f.scaled(Some(1.85), Some(90.0)).unwrap();
        assert!((big.mass() - 90.0).abs() < 1e-12 * 90.0, "{}: {} kg", f.name, big.mass());
        assert_eq!(big.stature.map(|s| (s * 1e12).round()), Some(1.85e12), "{}", f.name);
        assert!(big.lowest_point().expect("shapes").abs() < LENGTH);
        let (small, grown) = (joint(&f, "left_knee"), joint(&big, "left_knee"));
        let ratio = grown.parent_from_joint.translation.z / small.parent_from_joint.translation.z;
        assert!((ratio - 1.85 / 1.70).abs() < LENGTH);
    }
}

/// Rounding of two programs that sum 40 bodies in different orders, relative to the largest number.
const ROUNDING: f64 = 1e-12;

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn close(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    let size = want.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    assert!(got.iter().all(|x| x.is_finite()));
    let worst = got.iter().zip(want).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(worst < ROUNDING * size, "{what}: {got:?}, expected {want:?}");
}

/// World placement of a link, and its velocity in its own axes, straight from the definition of each joint.
fn moving(f: &Figure, handle: LinkHandle, state: &Value) -> (Transform, Motion) {
    let l = f.link(handle).unwrap();
    let j = f.joint(l.joint()).unwrap();
    let (above, twist) = l.parent().map_or(Default::default(), |p| moving(f, p, state));
    let of = |key: &str| state[key].get(&j.name).map_or(Vec::new(), numbers);
    let (q, v) = (of("q"), of("v"));
    let parent_from_child = j.parent_from_joint * j.kind.transform(&q);
    (above * parent_from_child, parent_from_child.inverse() * twist + j.kind.velocity(&q, &v))
}

/// The oracle's conventions and its own mass properties are ours: poses, centre of mass, momentum and energies.
#[test]
fn pinocchio_agrees_on_poses_momentum_and_energy() {
    for f in all() {
        let path = format!("{}/../../fixtures/oracle/{}.json", env!("CARGO_MANIFEST_DIR"), f.name);
        let oracle: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(oracle["dofs"], Value::from(f.dof_names()), "{}", f.name);
        close("mass", &[f.mass()], &[oracle["mass"].as_f64().unwrap()]);
        let states = oracle["states"].as_array().unwrap();
        assert_eq!(states.len(), 4);
        for state in states {
            compare(&f, &oracle, state);
        }
    }
}

fn compare(f: &Figure, oracle: &Value, state: &Value) {
    let (mut moment, mut kinetic) = (Vec3::ZERO, 0.0);
    let mut momentum = Force::default();
    for (handle, l) in f.links() {
        let (pose, twist) = moving(f, handle, state);
        let want = &state["link_poses"][&l.spec.name];
        close(&l.spec.name, &pose.translation.to_array(), &numbers(&want["position"]));
        let [w, x, y, z]: [f64; 4] = numbers(&want["orientation"]).try_into().unwrap();
        let turn = pose.orientation().inverse().then(Quat([w, x, y, z])).log();
        assert!(turn.norm() < ROUNDING, "{}: turned by {turn:?}", l.spec.name);
        let h = l.spec.inertia * twist;
        moment += pose.point(l.spec.inertia.center()).scale(l.spec.inertia.mass);
        kinetic += 0.5 * twist.dot(h);
        momentum += pose * h;
    }
    let com = moment.scale(1.0 / f.mass());
    close("com", &com.to_array(), &numbers(&state["com"]));
    close("kinetic energy", &[kinetic], &[state["kinetic_energy"].as_f64().unwrap()]);
    let potential = -f.mass() * f.gravity().dot(com);
    close("potential energy", &[potential], &[state["potential_energy"].as_f64().unwrap()]);
    let angular = momentum.angular - com.cross(momentum.linear);
    close("linear momentum", &momentum.linear.to_array(), &numbers(&state["momentum"]["linear"]));
    close("angular momentum", &angular.to_array(), &numbers(&state["momentum"]["angular"]));
    // the lower triangle of the mass matrix gives the same energy
    let v: Vec<f64> = f.joints().filter_map(|(_, j)| state["v"].get(&j.name)).flat_map(numbers).collect();
    let rows: Vec<Vec<f64>> = state["mass_matrix"].as_array().unwrap().iter().map(numbers).collect();
    assert_eq!(rows.len(), oracle["dofs"].as_array().unwrap().len());
    let mut twice = 0.0;
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row.len(), i + 1);
        twice += (0..=i).map(|k| row[k] * v[i] * v[k] * if k == i { 1.0 } else { 2.0 }).sum::<f64>();
    }
    close("energy by the mass matrix", &[0.5 * twice], &[kinetic]);
}
