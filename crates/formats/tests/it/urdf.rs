//! URDF: each feature, error positions, real files against their references, and round trips.

use crate::{
    ROUNDING, assert_messages, assert_same_masses, generic_chain, inertia, joint, kinematics, numbers, says,
    table,
};
use anthropi_dynamics::algo::crba;
use anthropi_dynamics::joint::{Dof, JointKind, Range};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, Shape, State};
use anthropi_dynamics::spatial::{Inertia, Quat, RotationOrder, Sym3, Transform, Vec3, vec3};
use anthropi_formats::{Loaded, urdf};
use testkit::data;

fn read(text: &str) -> Loaded {
    urdf::read(text, "t.urdf").unwrap_or_else(|e| panic!("{e}"))
}

fn error(text: &str) -> String {
    urdf::read(text, "t.urdf").expect_err("should be rejected").to_string()
}

/// Two links and a joint with the given content.
fn pair(kind: &str, inside: &str) -> String {
    format!(
        "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"><inertial><mass value=\"2\"/>\
         <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n\
         <joint name=\"j\" type=\"{kind}\">\n<parent link=\"a\"/><child link=\"b\"/>\n{inside}\n</joint>\n</robot>"
    )
}

#[test]
fn joints_may_be_in_any_order() {
    let l = read(
        r#"<robot name="arm">
             <joint name="second" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 0 2"/>
               <limit lower="-1" upper="2" effort="30" velocity="1"/></joint>
             <link name="c"><inertial><mass value="1"/>
               <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
             <joint name="first" type="continuous"><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
               <parent link="a"/><child link="b"/><dynamics damping="0.5" friction="0.1"/></joint>
             <link name="a"/><link name="b"/>
           </robot>"#,
    );
    let f = &l.figure;
    assert_eq!(f.name, "arm");
    let names: Vec<&str> = f.joints().map(|(_, j)| j.name.as_str()).collect();
    assert_eq!(names, ["root", "first", "second"]);
    let first = joint(f, "first");
    assert_eq!(first.kind, JointKind::Revolute { axis: vec3(1.0, 0.0, 0.0) }, "default axis");
    assert_eq!((first.dof[0].damping, first.dof[0].friction, first.dof[0].range), (0.5, 0.1, None));
    let x = first.parent_from_joint.rotation.mul(vec3(1.0, 0.0, 0.0));
    assert!((x - vec3(0.0, 1.0, 0.0)).norm() < ROUNDING, "yaw of a quarter turn");
    let second = joint(f, "second");
    assert_eq!(second.kind, JointKind::Prismatic { axis: vec3(0.0, 0.0, 1.0) });
    assert_eq!(second.dof[0].range, Some(Range { lower: -1.0, upper: 2.0 }));
    assert_eq!(second.dof[0].effort, 30.0);
    assert!(says(&l, "limit velocity"));
}

#[test]
fn rpy_is_yaw_then_pitch_then_roll() {
    let f =
        read(&pair("revolute", "<origin rpy=\"0.1 0.2 0.3\"/><limit lower=\"0\" upper=\"1\" effort=\"1\"/>"))
            .figure;
    let got = joint(&f, "j").parent_from_joint.orientation();
    let about = |x, y, z, a| Quat::about(vec3(x, y, z), a);
    let want = about(0.0, 0.0, 1.0, 0.3).then(about(0.0, 1.0, 0.0, 0.2)).then(about(1.0, 0.0, 0.0, 0.1));
    assert!(got.inverse().then(want).log().norm() < ROUNDING);
}

#[test]
fn inertia_is_transformed_to_the_link() {
    let f = read(
        r#"<robot name="r"><link name="a"><inertial><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><mass value="2"/>
           <inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#,
    )
    .figure;
    let i = inertia(&f, "a");
    assert_eq!(i.mass, 2.0);
    assert!((i.center() - vec3(0.0, 0.0, 1.0)).norm() < ROUNDING);
    let c = i.central();
    assert!((c - Sym3::diagonal(vec3(2.0, 1.0, 2.5))).full().max_abs() < ROUNDING, "x and y swapped: {c:?}");
}

#[test]
fn shapes_come_from_collision_or_else_visual_elements() {
    let l = read(
        r#"<robot name="r"><link name="a">
             <visual><geometry><sphere radius="9"/></geometry></visual>
             <collision><origin xyz="1 0 0"/><geometry><box size="2 4 6"/></geometry></collision>
             <collision><geometry><cylinder radius="1" length="4"/></geometry></collision>
             <collision><geometry><mesh filename="package://x/y.stl"/></geometry></collision>
             <collision><geometry><box size="0 0 0"/></geometry></collision>
           </link>
           <link name="b"><visual><geometry><sphere radius="3"/></geometry></visual></link>
           <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
           <transmission name="t"/><gazebo/><gazebo/></robot>"#,
    );
    let shapes = |name| l.figure.link(l.figure.find_link(name).unwrap()).unwrap().spec.shapes.clone();
    let a = shapes("a");
    assert_eq!(a.len(), 2);
    assert_eq!(a[0].shape, Shape::Box { half: vec3(1.0, 2.0, 3.0) });
    assert_eq!(a[0].link_from_shape, Transform::translation(vec3(1.0, 0.0, 0.0)));
    assert_eq!(a[1].shape, Shape::Cylinder { radius: 1.0, half_length: 2.0 });
    assert_eq!(shapes("b")[0].shape, Shape::Sphere { radius: 3.0 });
    assert!(says(&l, "link \"a\": meshes are not read"));
    assert!(says(&l, "left out: transmission, gazebo (2 times)"), "{:?}", l.warnings);
    assert!(says(&l, "size zero"));
}

#[test]
fn spherical_floating_and_mimic() {
    let l = read(&pair("spherical", "<mimic joint=\"k\"/>"));
    assert_eq!(l.figure.forest().nq(), 4);
    assert!(says(&l, "joint \"j\": mimic is not supported"));
    let l = read(&pair("floating", "<origin xyz=\"0 0 1\"/>"));
    let root = joint(&l.figure, "j");
    assert_eq!(root.kind, JointKind::Free);
    assert_eq!(root.home, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    assert!(l.figure.find_link("a").is_err() && says(&l, "represents the world"));
    let named_root = pair("fixed", "").replace("name=\"j\"", "name=\"root\"");
    assert!(read(&named_root).figure.find_joint("root_fixed").is_ok());
}

/// An arm with a massless tip, like Romeo's thumbs; limits in Bullet's notation for none.
const TIP: &str = r#"
<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="x" value="1"/><link name="base/a"/>
<link name="b"><inertial><origin xyz="0.5 0 0" rpy="0.1 0.2 0.3"/><mass value="2"/>
  <inertia ixx="1" iyy="1.5" izz="2" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial></link>
<link name="tip"/>
<joint name="j" type="revolute"><origin rpy="0.3 0.2 0.1"/><parent link="base/a"/><child link="b"/><axis xyz="0 1 1"/>
  <limit lower="1" upper="-1" effort="1" velocity="1"/></joint>
<joint name="k" type="revolute"><origin xyz="1 0 0"/><parent link="b"/><child link="tip"/><axis xyz="0 0 1"/>
  <limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>"#;

#[test]
fn joints_that_carry_no_mass_are_locked() {
    let l = read(TIP);
    let k = joint(&l.figure, "k");
    assert!(k.dof[0].locked && says(&l, "9:1: joint \"k\": locked, because it carries no mass"));
    let mut m = crba::PathMatrix::default();
    crba::mass_matrix(l.figure.forest(), &[0.4], &mut crba::Work::default(), &mut m);
    // Pinocchio 4.1.0; its row of `k` is zero
    let m = m.to_dense(l.figure.forest());
    assert!(m.len() == 1 && (m[0][0] - 2.541_388_881_627_179_7).abs() < ROUNDING, "{m:?}");
}

#[test]
fn reversed_limits_are_ignored() {
    let l = read(TIP);
    assert_eq!(joint(&l.figure, "j").dof[0].range, None);
    assert!(says(&l, "7:1: joint \"j\": lower limit above the upper"), "{:?}", l.warnings);
}

#[test]
fn equal_warnings_are_grouped() {
    let link = |i| {
        format!(
            "<link name=\"l{i}\"><visual><geometry><mesh filename=\"{i}.stl\"/></geometry></visual></link>"
        )
    };
    let joint = |i| {
        format!("<joint name=\"j{i}\" type=\"fixed\"><parent link=\"l0\"/><child link=\"l{i}\"/></joint>")
    };
    let links: String = (0..7).map(link).collect();
    let joints: String = (1..7).map(joint).collect();
    let l = read(&format!("<robot name=\"r\">{links}{joints}</robot>"));
    let said: Vec<String> = l.warnings.iter().map(ToString::to_string).collect();
    let expected = r#"1:17: meshes are not read: link "l0", link "l1", link "l2", link "l3" and 3 more"#;
    assert_eq!(said, [expected]);
}

/// Kind and content of the joint of a [`pair`], with the error they cause.
const PAIR_ERRORS: &str = r#"
    planar |  | t.urdf:4:17: joint "j" type: found "planar", expected another type
    bendy |  | t.urdf:4:17: joint "j" type: found "bendy", expected fixed
    revolute | <axis xyz="0 0"/> | t.urdf:6:7: joint "j" axis xyz: found "0 0", expected 3 numbers
    revolute | <axis xyz="0 0 1 4"/> | t.urdf:6:7: joint "j" axis xyz: found "0 0 1 4", expected at most 3 numbers
    revolute | <axis xyz="0 0 0"/> | t.urdf:6:7: joint "j" axis xyz: found "0 0 0", expected a direction
    revolute | <axis xyz="0 x 0"/> | t.urdf:6:7: joint "j" axis xyz: found "x" in "0 x 0", expected a number
    revolute | <axis xyz="0 nan 0"/> | expected a finite number
    revolute | <axis/> | t.urdf:6:1: joint "j" axis xyz: missing
    revolute | <origin xyz="${x} 0 0"/> | t.urdf:6:9: joint "j" origin xyz: found "${x}" in "${x} 0 0", expected a number: expand the file with xacro
    revolute | <limit effort="-3"/> | joint "j" limit effort: found "-3", expected zero or more
    revolute | <dynamics damping="-1"/> | t.urdf:4:1: joint "j": damping of joint `j` is -1
"#;

/// Replacements in a [`pair`], with the error they cause.
const CHANGE_ERRORS: &str = r#"
    parent link="a" | parent link="q" | t.urdf:5:9: joint "j" parent link: found "q", expected the name of a link
    <child link="b"/> |  | t.urdf:4:1: joint "j" child: missing
    <link name="a"/> | <link name="b"/> | t.urdf:3:7: link "b" name: found "b", expected a unique name; line 2 has the same
    <link name="a"/> | <link name="a"/><link name="c"/> | link "c": has no parent joint, and neither has link "a"
    type="fixed" |  | joint "j" type: missing
    mass value="2" | mass value="-2" | link "b" mass value: found "-2", expected zero or more
    izz="1" |  | link "b" inertia izz: missing
    mass value="2" | mass value="1e400" | expected a finite number
"#;

/// Files, with the error they cause.
const FILE_ERRORS: &str = r#"
    <robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:leg side="l"/></robot> | t.urdf:1:1: robot: found xacro macros, expected plain URDF
    <robot name="r"/> | robot: has no link
    <mujoco/> | t.urdf:1:1: mujoco: found as the outermost element, expected robot
    <robot name="r">\n<link | t.urdf:2:
"#;

#[test]
fn errors_have_position_and_field() {
    assert_messages(table(PAIR_ERRORS).map(|[kind, inside, want]| (error(&pair(&kind, &inside)), want)));
    let fixed = pair("fixed", "");
    assert_messages(table(CHANGE_ERRORS).map(|[from, to, want]| (error(&fixed.replace(&from, &to)), want)));
    assert_messages(table(FILE_ERRORS).map(|[text, want]| (error(&text), want)));
}

#[test]
fn loops_and_second_parents_are_rejected() {
    let joint = |name: &str, a: &str, b: &str| {
        format!("<joint name=\"{name}\" type=\"fixed\"><parent link=\"{a}\"/><child link=\"{b}\"/></joint>\n")
    };
    let links = "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\n";
    let text = format!("{links}{}{}</robot>", joint("x", "b", "c"), joint("y", "c", "b"));
    assert!(error(&text).contains("t.urdf:3:1: joint \"x\": is part of a loop"), "{}", error(&text));
    let text =
        format!("{links}{}{}{}</robot>", joint("x", "a", "b"), joint("y", "b", "c"), joint("z", "c", "a"));
    assert!(error(&text).contains("part of a loop"), "{}", error(&text));
    let text =
        format!("{links}{}{}{}</robot>", joint("x", "a", "b"), joint("y", "a", "c"), joint("z", "b", "c"));
    let want = "joint \"z\" child link: found \"c\", expected a link without a parent; it is already the child of joint";
    assert_messages([(error(&text), want)]);
    let text = pair("floating", "").replace("<link name=\"a\"/>", "<link name=\"w\"/><link name=\"a\"/>");
    let text = text.replace(
        "</robot>",
        "<joint name=\"k\" type=\"fixed\"><parent link=\"w\"/><child link=\"a\"/></joint></robot>",
    );
    assert!(error(&text).contains("joint \"j\" type: found \"floating\" below"), "{}", error(&text));
}

#[test]
fn massless_joints_are_reported_with_position() {
    let text =
        pair("revolute", "<axis xyz=\"0 0 1\"/>").replace("<mass value=\"2\"/>", "<mass value=\"0\"/>");
    let text = text.replace("\"1\" iyy=\"1\" izz=\"1\"", "\"0\" iyy=\"0\" izz=\"0\"");
    assert_messages([(error(&text), "t.urdf:4:1: joint \"j\": joint `j` moves no inertia")]);
}

#[test]
fn real_files_agree_with_pinocchio() {
    for name in ["humanSubject01_48dof", "g1_29dof_rev_1_0", "simple_humanoid"] {
        let Some(path) = data(&format!("urdf/{name}.urdf")) else { return };
        let l = urdf::read(&std::fs::read_to_string(&path).unwrap(), name).unwrap_or_else(|e| panic!("{e}"));
        let reference = std::fs::read_to_string(path.with_extension("ref.json")).unwrap();
        let reference: serde_json::Value = serde_json::from_str(&reference).unwrap();
        let mass = reference["total_mass"].as_f64().unwrap();
        assert!((l.figure.mass() - mass).abs() < 1e-9, "{name}: {} {mass}", l.figure.mass());
        let figure = l.figure.with_free_base();
        let figure = figure.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(figure.forest().nv() as u64, reference["nv"].as_u64().unwrap(), "{name}");
        let joints: Vec<String> = reference["joint_names"].as_array().unwrap().iter().map(text).collect();
        joints[1..].iter().for_each(|j| assert!(figure.find_joint(j).is_ok(), "{name}: {j}"));
        let worst = check_placements(&figure, &joints, &reference);
        assert!(worst < 1e-12, "{name}: {worst:e}");
    }
}

fn text(v: &serde_json::Value) -> String {
    v.as_str().unwrap().into()
}

/// Largest distance between our joint frames and the reference's.
fn check_placements(figure: &Figure, joints: &[String], reference: &serde_json::Value) -> f64 {
    let mut worst = 0.0_f64;
    for frame in reference["frames"].as_array().unwrap() {
        let q = numbers(&frame["q"]);
        let mut state = State::home(figure);
        let root = figure.find_joint("root").unwrap();
        state.set_q(figure, root, &[q[0], q[1], q[2], q[6], q[3], q[4], q[5]]).unwrap();
        for (joint, x) in joints[1..].iter().zip(&q[7..]) {
            state.set_q(figure, figure.find_joint(joint).unwrap(), &[*x]).unwrap();
        }
        let k = kinematics(figure, &state.q);
        for joint in &joints[1..] {
            let child = figure.joint(figure.find_joint(joint).unwrap()).unwrap().child();
            let got = k.link_pose(figure.forest(), child);
            let want = &frame["joint_placements"][joint];
            let p = Vec3::from_array(&numbers(&want["p"]).try_into().unwrap());
            worst = worst.max((got.translation - p).norm());
            for (row, want) in got.rotation.to_rows().iter().zip(want["R"].as_array().unwrap()) {
                (0..3).for_each(|i| worst = worst.max((row[i] - want[i].as_f64().unwrap()).abs()));
            }
        }
    }
    worst
}

/// A figure with every kind of joint and generic frames.
fn every_kind() -> Figure {
    let kinds = [
        ("hinge", JointKind::Revolute { axis: vec3(0.6, 0.0, 0.8) }),
        ("slide", JointKind::Prismatic { axis: vec3(0.0, 1.0, 0.0) }),
        ("cross", JointKind::Universal { first: vec3(1.0, 0.0, 0.0), second: vec3(0.0, 0.8, 0.6) }),
        ("ball", JointKind::Spherical),
        ("weld", JointKind::Fixed),
    ];
    let range = Some(Range { lower: -1.0, upper: 1.5 });
    let dof = Dof { damping: 0.5, friction: 0.25, range, effort: 7.0, ..Dof::default() };
    let root = JointSpec::new("root", JointKind::Fixed);
    let solid = Shape::Box { half: vec3(0.1, 0.2, 0.3) };
    generic_chain(root, vec![solid], &kinds, |joint| joint.dof = [dof; 3]).0.build().unwrap()
}

#[test]
fn figures_round_trip() {
    let figure = every_kind();
    let (text, warnings) = urdf::write(&figure).unwrap();
    assert!(
        warnings.iter().any(|w| w.what.contains("three revolute joints about xyz, `ball.0` to `ball.2`"))
    );
    let back = read(&text).figure;
    assert_eq!(back.name, figure.name);
    assert_eq!(back.dof_names(), ["hinge", "slide", "cross.0", "cross.1", "ball.0", "ball.1", "ball.2"]);
    let angles = [0.3, -0.4, 0.5];
    let mut q = vec![0.7, -0.2, 0.4, -0.9];
    let mut with_quat = q.clone();
    q.extend(angles);
    with_quat.extend(RotationOrder::Xyz.quat(angles).0);
    assert_same_masses((&back, &q), (&figure, &with_quat));
    assert_eq!(joint(&back, "hinge").dof[0], joint(&figure, "hinge").dof[0]);
    // with URDF's own frames, writing changes only rounding
    assert_eq!(back.links().map(|(_, l)| l.spec.shapes.len()).sum::<usize>(), 1);
}

#[test]
fn a_free_figure_is_written_without_its_base() {
    let figure = every_kind().with_free_base().unwrap();
    let (text, warnings) = urdf::write(&figure).unwrap();
    assert!(warnings.iter().any(|w| w.what.contains("URDF has no base joint")));
    assert_eq!(read(&text).figure.joints().next().unwrap().1.kind, JointKind::Fixed);
}

#[test]
fn several_figures_share_a_world_link() {
    let mut b = FigureBuilder::new("two");
    let ball = Inertia::about_center(1.0, Vec3::ZERO, Sym3::diagonal(vec3(1.0, 1.0, 1.0)));
    b.add(LinkSpec::new("a", ball), JointSpec::new("fa", JointKind::Free)).unwrap();
    b.add(LinkSpec::new("b", ball), JointSpec::new("hb", JointKind::Revolute { axis: vec3(0.0, 0.0, 1.0) }))
        .unwrap();
    let (text, _) = urdf::write(&b.build().unwrap()).unwrap();
    let back = read(&text).figure;
    assert_eq!(back.forest().nv(), 7, "{text}");
    assert_eq!(joint(&back, "fa").kind, JointKind::Free);
}
