//! MJCF: each feature, error positions, real files against their references, and round trips.

use crate::{
    ROUNDING, assert_messages, assert_same_masses, generic, generic_chain, inertia, joint, kinematics,
    numbers, says, table,
};
use anthropi_dynamics::joint::{Dof, JointKind, Range};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, PlacedShape, Shape, State};
use anthropi_dynamics::spatial::{Inertia, Quat, RotationOrder, Sym3, Transform, Vec3, vec3};
use anthropi_formats::{Loaded, mjcf};
use std::f64::consts::{FRAC_PI_2, PI};
use std::path::Path;
use testkit::data;

const BALL: &str = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>";

fn read(text: &str) -> Loaded {
    mjcf::read(text, "t.xml", None).unwrap_or_else(|e| panic!("{e}"))
}

/// A model with the given worldbody content.
fn world(inside: &str) -> Loaded {
    read(&format!("<mujoco><worldbody>{inside}</worldbody></mujoco>"))
}

fn error(text: &str) -> String {
    mjcf::read(text, "t.xml", None).expect_err("should be rejected").to_string()
}

fn pose(figure: &Figure, q: &[f64], link: &str) -> Transform {
    kinematics(figure, q).link_pose(figure.forest(), figure.find_link(link).unwrap())
}

fn close(a: Transform, b: Transform) {
    let d = (a.translation - b.translation).norm() + (a.rotation - b.rotation).max_abs();
    assert!(d < ROUNDING, "{a:?}\n{b:?}");
}

#[test]
fn all_forms_of_orientation_agree() {
    let quarter = Quat::about(vec3(0.0, 0.0, 1.0), FRAC_PI_2);
    let about = |x, y, z, a| Quat::about(vec3(x, y, z), a);
    let euler = about(1.0, 0.0, 0.0, 0.1).then(about(0.0, 1.0, 0.0, 0.2)).then(about(0.0, 0.0, 1.0, 0.3));
    let fixed = about(0.0, 0.0, 1.0, 0.3).then(about(0.0, 1.0, 0.0, 0.2)).then(about(1.0, 0.0, 0.0, 0.1));
    let cases = [
        ("", "quat=\"2 0 0 2\"", quarter),
        ("", "axisangle=\"0 0 3 90\"", quarter),
        ("", "euler=\"0 0 90\"", quarter),
        ("", "xyaxes=\"0 2 0 -1 5 0\"", quarter),
        ("", "zaxis=\"0 -4 0\"", about(1.0, 0.0, 0.0, FRAC_PI_2)),
        ("", "zaxis=\"0 0 -1\"", about(1.0, 0.0, 0.0, PI)),
        ("<compiler angle=\"radian\"/>", "euler=\"0.1 0.2 0.3\"", euler),
        ("<compiler angle=\"radian\" eulerseq=\"XYZ\"/>", "euler=\"0.1 0.2 0.3\"", fixed),
    ];
    for (compiler, attribute, want) in cases {
        let text = format!(
            "<mujoco>{compiler}<worldbody><body name=\"b\" pos=\"1 2 3\" {attribute}>{BALL}</body></worldbody></mujoco>"
        );
        let f = read(&text).figure;
        close(pose(&f, &[], "b"), Transform::new(vec3(1.0, 2.0, 3.0), want));
        assert_eq!(joint(&f, "b_fixed").kind, JointKind::Fixed);
    }
}

#[test]
fn joint_attributes_in_degrees_and_radians() {
    let body = format!(
        "<body name=\"b\">{BALL}<joint name=\"h\" axis=\"0 2 0\" range=\"-90 180\" damping=\"1\" stiffness=\"2\" \
         springref=\"90\" armature=\"3\" frictionloss=\"4\"/></body>"
    );
    let f = world(&body).figure;
    let h = joint(&f, "h");
    assert_eq!(h.kind, JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) });
    let d = h.dof[0];
    assert_eq!((d.damping, d.stiffness, d.armature, d.friction), (1.0, 2.0, 3.0, 4.0));
    assert!((d.rest - FRAC_PI_2).abs() < ROUNDING);
    let r = d.range.unwrap();
    assert!((r.lower + FRAC_PI_2).abs() + (r.upper - PI).abs() < ROUNDING);
    assert!(h.actuated, "no actuator section: everything is driven");
    let radian = format!("<mujoco><compiler angle=\"radian\"/><worldbody>{body}</worldbody></mujoco>");
    assert_eq!(joint(&read(&radian).figure, "h").dof[0].range, Some(Range { lower: -90.0, upper: 180.0 }));
    let slide =
        world(&format!("<body>{BALL}<joint type=\"slide\" axis=\"1 0 0\" range=\"-2 2\"/></body>")).figure;
    assert_eq!(joint(&slide, "body1_joint").dof[0].range, Some(Range { lower: -2.0, upper: 2.0 }));
    let off = body.replace("damping", "limited=\"false\" damping");
    assert_eq!(joint(&world(&off).figure, "h").dof[0].range, None);
}

#[test]
fn ref_is_the_coordinate_of_the_reference_pose() {
    let f = world(&format!(
        "<body name=\"a\" pos=\"0 0 1\"><joint name=\"h\" pos=\"0 0 0.5\" axis=\"1 0 0\" ref=\"30\"/>{BALL}\
         <body name=\"b\" pos=\"0 1 0\"><joint name=\"s\" type=\"slide\" axis=\"0 1 0\" ref=\"0.25\"/>{BALL}</body></body>"
    ))
    .figure;
    let home = State::home(&f).q;
    assert!((home[0] - PI / 6.0).abs() < ROUNDING && home[1] == 0.25);
    close(pose(&f, &home, "a"), Transform::translation(vec3(0.0, 0.0, 1.0)));
    close(pose(&f, &home, "b"), Transform::translation(vec3(0.0, 1.0, 1.0)));
    // a quarter turn from the reference pose, about the anchor at height 1.5
    let turned = pose(&f, &[home[0] + FRAC_PI_2, 0.5], "a");
    close(turned, Transform::new(vec3(0.0, 0.5, 1.5), Quat::about(vec3(1.0, 0.0, 0.0), FRAC_PI_2)));
}

#[test]
fn several_joints_of_a_body_become_a_chain() {
    let f = world(&format!(
        "<body name=\"a\" pos=\"1 0 0\"><joint name=\"x\" axis=\"1 0 0\"/><joint axis=\"0 0 1\" pos=\"0 1 0\"/>\
         <joint axis=\"0 1 0\" type=\"slide\"/>{BALL}</body>"
    ))
    .figure;
    let names: Vec<&str> = f.links().map(|(_, l)| l.spec.name.as_str()).collect();
    assert_eq!(names, ["a/x", "a/a_joint", "a"]);
    assert_eq!(f.dof_names(), ["x", "a_joint", "a_joint2"]);
    // T = body, rotation about x, rotation about z through (0,1,0), translation along y
    let anchor = Transform::translation(vec3(0.0, 1.0, 0.0));
    let want = Transform::translation(vec3(1.0, 0.0, 0.0))
        * Quat::about(vec3(1.0, 0.0, 0.0), 0.3).to_transform()
        * anchor
        * Quat::about(vec3(0.0, 0.0, 1.0), -0.7).to_transform()
        * anchor.inverse()
        * Transform::translation(vec3(0.0, 0.2, 0.0));
    close(pose(&f, &[0.3, -0.7, 0.2], "a"), want);
}

#[test]
fn free_and_ball_joints() {
    let l = world(&format!(
        "<body name=\"a\" pos=\"1 2 3\" quat=\"0 2 0 0\"><freejoint name=\"root\"/>{BALL}\
         <body name=\"b\" pos=\"0 0 1\"><joint name=\"ball\" type=\"ball\" pos=\"0 0 0.5\" damping=\"2\" range=\"0 45\"/>{BALL}</body></body>"
    ));
    let f = &l.figure;
    assert_eq!((joint(f, "root").kind, f.forest().nq(), f.forest().nv()), (JointKind::Free, 11, 9));
    assert_eq!(joint(f, "root").home, [1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(joint(f, "root").parent_from_joint, Transform::identity());
    assert!(!joint(f, "root").actuated && joint(f, "ball").actuated);
    assert_eq!(joint(f, "ball").dof.map(|d| d.damping), [2.0; 3]);
    assert!(says(&l, "joint \"ball\": the range of a ball joint is a cone"));
    let text = |inside: &str| format!("<mujoco><worldbody>{inside}</worldbody></mujoco>");
    let nested = text(&format!("<body>{BALL}\n<body>{BALL}<freejoint/></body></body>"));
    assert!(error(&nested).contains("t.xml:2:"), "{}", error(&nested));
    assert!(error(&nested).contains("freejoint: a free joint must be the only joint"));
}

#[test]
fn default_classes_apply_to_joints_and_geoms() {
    let f = read(
        r#"<mujoco>
          <default><joint damping="1" armature="5"/><geom type="capsule" density="500"/>
            <default class="arm"><joint damping="2"/>
              <default class="hand"><joint stiffness="7"/><geom density="100"/></default></default></default>
          <worldbody>
            <body name="a"><joint name="ja"/><geom size="1 1"/>
              <body name="b" childclass="hand"><joint name="jb"/><geom size="1 1"/>
                <body name="c"><joint name="jc" class="arm"/><joint name="jd" class="main" axis="1 0 0"/><geom type="sphere" size="1"/></body>
              </body></body>
            <body name="d"><freejoint name="f"/><geom size="1 1"/></body>
          </worldbody></mujoco>"#,
    )
    .figure;
    let of = |name| {
        (joint(&f, name).dof[0].damping, joint(&f, name).dof[0].stiffness, joint(&f, name).dof[0].armature)
    };
    assert_eq!(of("ja"), (1.0, 0.0, 5.0));
    assert_eq!(of("jb"), (2.0, 7.0, 5.0));
    assert_eq!(of("jc"), (2.0, 0.0, 5.0));
    assert_eq!(of("jd"), (1.0, 0.0, 5.0));
    let capsule = PI * 2.0 + 4.0 / 3.0 * PI;
    assert!((inertia(&f, "a").mass - 500.0 * capsule).abs() < 1e-9);
    assert!((inertia(&f, "b").mass - 100.0 * capsule).abs() < 1e-9);
    assert!((inertia(&f, "c").mass - 100.0 * 4.0 / 3.0 * PI).abs() < 1e-9);
}

#[test]
fn mass_comes_from_geoms_or_inertial() {
    let f = world(
        r#"<body name="a"><geom type="box" size="1 2 3" mass="6"/><geom type="sphere" size="1" pos="0 0 4" mass="2"/></body>
           <body name="b"><geom type="cylinder" fromto="0 0 0 0 4 0" size="0.5" mass="3"/></body>
           <body name="c"><inertial pos="0 0 1" mass="2" fullinertia="2 3 4 0.1 0.2 0.3"/><geom size="1"/></body>
           <body name="d"><inertial pos="0 0 0" quat="1 0 0 1" mass="2" diaginertia="2 3 4"/></body>
           <body name="e"><geom type="ellipsoid" size="1 2 3" mass="5" group="6"/><geom type="plane" size="1 1 1"/></body>"#,
    )
    .figure;
    let a = inertia(&f, "a");
    assert_eq!(a.mass, 8.0);
    assert!((a.center() - vec3(0.0, 0.0, 1.0)).norm() < ROUNDING);
    // box: m/3 (h^2 + h^2) about its own centre, which is 1 away; sphere 2/5 m r^2, 3 away
    let xx = 6.0 / 3.0 * (4.0 + 9.0) + 6.0 + 0.8 + 2.0 * 9.0;
    assert!(
        (a.central().xx - xx).abs() < ROUNDING && (a.central().zz - (6.0 / 3.0 * 5.0 + 0.8)).abs() < ROUNDING
    );
    let b = inertia(&f, "b");
    assert!((b.center() - vec3(0.0, 2.0, 0.0)).norm() < ROUNDING);
    assert!((b.central().yy - 3.0 * 0.25 / 2.0).abs() < ROUNDING, "axis along y");
    assert!((b.central().xx - 3.0 * (0.25 / 4.0 + 4.0 / 3.0)).abs() < ROUNDING);
    let c = inertia(&f, "c").central();
    let want = Sym3 { xx: 2.0, yy: 3.0, zz: 4.0, xy: 0.1, xz: 0.2, yz: 0.3 };
    assert!((c - want).full().max_abs() < ROUNDING);
    assert!((inertia(&f, "d").central() - Sym3::diagonal(vec3(3.0, 2.0, 4.0))).full().max_abs() < ROUNDING);
    assert_eq!(inertia(&f, "e"), Inertia::ZERO, "group 6 is outside the default range");
}

#[test]
fn compiler_settings_change_masses() {
    let model = |compiler: &str| {
        read(&format!(
            "<mujoco><compiler {compiler}/><worldbody><body name=\"a\">\
             <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 4\"/><geom type=\"sphere\" size=\"1\" mass=\"9\"/></body>\
             <body name=\"b\"><geom type=\"sphere\" size=\"1\" mass=\"3\"/></body></worldbody></mujoco>"
        ))
    };
    let plain = model("");
    assert_eq!(plain.figure.mass(), 4.0);
    assert!(says(&plain, "impossible inertia"));
    assert_eq!(model("inertiafromgeom=\"true\"").figure.mass(), 12.0);
    assert_eq!(model("inertiafromgeom=\"false\"").figure.mass(), 1.0);
    assert!((model("settotalmass=\"10\"").figure.mass() - 10.0).abs() < ROUNDING);
    let balanced = inertia(&model("balanceinertia=\"true\"").figure, "a").central();
    assert!((balanced - Sym3::diagonal(vec3(2.0, 2.0, 2.0))).full().max_abs() < ROUNDING);
    let bound = inertia(&model("boundmass=\"2\" boundinertia=\"1.5\"").figure, "a");
    assert_eq!(bound.mass, 2.0);
    assert!((bound.central() - Sym3::diagonal(vec3(1.5, 1.5, 4.0))).full().max_abs() < ROUNDING);
}

#[test]
fn shapes_are_the_colliding_geoms() {
    let l = world(
        r#"<body name="a"><geom type="box" size="1 2 3" contype="0" conaffinity="0"/><geom type="sphere" size="1" pos="1 0 0"/></body>
           <body name="b"><geom type="box" size="1 2 3" contype="0" conaffinity="0"/></body>
           <body name="c"><geom type="mesh" mesh="bone"/></body><geom type="plane" size="1 1 1"/><light/>"#,
    );
    let shapes = |n| l.figure.link(l.figure.find_link(n).unwrap()).unwrap().spec.shapes.clone();
    assert_eq!(
        shapes("a"),
        [PlacedShape {
            shape: Shape::Sphere { radius: 1.0 },
            link_from_shape: Transform::translation(vec3(1.0, 0.0, 0.0))
        }]
    );
    assert_eq!(shapes("b").len(), 1);
    assert!(says(&l, "mesh \"bone\" (no such asset): the mass of meshes is unknown"), "{:?}", l.warnings);
    assert!(says(&l, "left out: geom of the world, light, geom mesh"), "{:?}", l.warnings);
}

#[test]
fn gravity_can_be_disabled() {
    let gravity = |option: &str| read(&format!("<mujoco>{option}<worldbody/></mujoco>")).figure.gravity();
    assert_eq!(gravity("<option gravity=\"0 0 -3\"/>"), vec3(0.0, 0.0, -3.0));
    assert_eq!(gravity("<option gravity=\"0 0 -3\"><flag gravity=\"disable\"/></option>"), Vec3::ZERO);
    assert_eq!(gravity("<option><flag contact=\"disable\"/></option>"), vec3(0.0, 0.0, -9.81));
    let text = "<mujoco><option><flag gravity=\"off\"/></option></mujoco>";
    assert!(error(text).contains("flag gravity: found \"off\", expected enable or disable"));
}

/// A block with a dent; a second object that is not read.
const DENT: &str = "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 0.75 1.5 3.25\nv 0 2 3\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\no other\nf 1 2 3\n";

fn with_mesh(mesh: &str, geom: &str) -> String {
    format!(
        "<mujoco><compiler meshdir=\"meshes\" strippath=\"true\"/><default><mesh scale=\"0.5 -1 0.25\"/></default>\
         <asset><mesh name=\"m\" {mesh}/></asset><worldbody>\n<body name=\"b\"><joint name=\"j\"/>\
         <geom type=\"mesh\" mesh=\"m\" {geom}/></body></worldbody></mujoco>"
    )
}

#[test]
fn meshes_define_the_mass_of_bodies() {
    // MuJoCo 4.0.0: mass, centre, and moments; its eigenvalue solver stops at 4e-9 from the true ones (50 digits)
    let cases = "
        legacy 6.770833333333331 1.7627930548743163 -0.5904306667399276 -0.1385454065523223 \
            3.658235002820827 2.499383382370664 4.924621792843422 1.9633492774 0.9187326942 -1.3082445164
        exact 6.770833333333331 1.7627930548743163 -0.5904306667399276 -0.1385454065523223 \
            3.658235002820827 2.499383382370664 4.924621792843422 1.9633492774 0.9187326942 -1.3082445164
        convex 7.083333333333332 1.761475442083165 -0.6015285661740242 -0.13624421666906497 \
            3.77919575815076 2.5712025132511664 5.08100252133708 2.0190076011 0.9461637893 -1.3424422063
        shell 76.98925373708107 1.7872827928677806 -0.6149084103559597 -0.14669966768592285 \
            49.52497902584969 33.505360170617756 66.44305522292012 24.088256219 11.5957161793 -16.92149904";
    let folder = std::env::temp_dir().join(format!("anthropi-mesh-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("meshes")).unwrap();
    std::fs::write(folder.join("meshes/b.obj"), DENT).unwrap();
    for case in cases.trim().lines() {
        let (rule, numbers) = case.trim().split_once(' ').unwrap();
        let numbers: Vec<f64> = numbers.split_whitespace().map(|x| x.parse().unwrap()).collect();
        let [mass, x, y, z, xx, yy, zz, xy, xz, yz] = numbers[..] else { panic!("{case}") };
        let mesh =
            format!("file=\"other\\b.obj\" inertia=\"{rule}\" refpos=\"0.1 0.2 0.3\" refquat=\"1 2 3 4\"");
        let text = with_mesh(&mesh, "pos=\"1 0 0\" euler=\"10 20 30\" density=\"10\"");
        let l = mjcf::read(&text, "t.xml", Some(&folder)).unwrap_or_else(|e| panic!("{e}"));
        let got = inertia(&l.figure, "b");
        assert!((got.mass - mass).abs() < ROUNDING * mass, "{rule}: {}", got.mass);
        assert!((got.center() - vec3(x, y, z)).norm() < ROUNDING, "{rule}: {:?}", got.center());
        let moments = Sym3 { xx, yy, zz, xy, xz, yz };
        assert!((got.central() - moments).full().max_abs() < 1e-8 * zz, "{rule}: {:?}", got.central());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn meshes_may_be_inline() {
    // a corner of a cube: a sixth of its volume, with and without faces
    for faces in ["", "face=\"0 2 1 0 1 3 0 3 2 1 2 3\""] {
        let corners = "vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" scale=\"1 1 1\"";
        let text = with_mesh(&format!("{corners} {faces}"), "density=\"6\"");
        let got = inertia(&read(&text).figure, "b");
        assert!((got.mass - 1.0).abs() < ROUNDING, "{got:?}");
        assert!((got.center() - vec3(0.25, 0.25, 0.25)).norm() < ROUNDING, "{got:?}");
    }
    let text = with_mesh("vertex=\"0 0 0\" face=\"0 0 1\"", "");
    assert!(error(&text).contains("mesh \"m\" face: found \"0 0 1\", expected indices of vertices"));
}

#[test]
fn missing_meshes_are_reported() {
    let text = with_mesh("file=\"no.stl\"", "");
    let got = mjcf::read(&text, "t.xml", Some(Path::new("."))).unwrap_err().to_string();
    assert!(got.contains("moves no inertia") && got.contains("mesh \"m\" (no.stl: not found)"), "{got}");
    assert!(error(&text).contains("(the model was not read from a folder) is unknown"), "{}", error(&text));
}

#[test]
fn frames_are_resolved() {
    let f = world(
        "<frame pos=\"0 0 1\" euler=\"0 0 90\"><body name=\"a\" pos=\"1 0 0\"><frame pos=\"0 0 2\" quat=\"0 1 0 0\">\
         <joint name=\"j\" axis=\"0 0 1\"/><geom type=\"sphere\" size=\"1\" mass=\"1\"/></frame></body></frame>"
    )
    .figure;
    close(
        pose(&f, &[0.0], "a"),
        Transform::new(vec3(0.0, 1.0, 1.0), Quat::about(vec3(0.0, 0.0, 1.0), FRAC_PI_2)),
    );
    let JointKind::Revolute { axis } = joint(&f, "j").kind else { panic!() };
    assert!((axis - vec3(0.0, 0.0, -1.0)).norm() < ROUNDING);
    assert!((inertia(&f, "a").center() - vec3(0.0, 0.0, 2.0)).norm() < ROUNDING);
}

#[test]
fn actuators_drive_their_joints() {
    let l = read(&format!(
        "<mujoco><default><motor ctrlrange=\"-1 2\"/></default><worldbody>\
         <body>{BALL}<joint name=\"a\"/><body>{BALL}<joint name=\"b\"/><body>{BALL}<joint name=\"c\" actuatorfrcrange=\"-8 8\"/>\
         <body>{BALL}<joint name=\"d\"/></body></body></body></body></worldbody>\
         <actuator><motor joint=\"a\" gear=\"-10\"/><position joint=\"b\" kp=\"3\" ctrlrange=\"-1 1\"/><motor joint=\"c\" gear=\"50\"/>\
         <motor tendon=\"t\"/></actuator><sensor/><keyframe/><keyframe/></mujoco>"
    ));
    let of = |n| (joint(&l.figure, n).actuated, joint(&l.figure, n).dof[0].effort);
    assert_eq!(of("a"), (true, 20.0));
    assert_eq!(of("b"), (true, f64::INFINITY));
    assert_eq!(of("c"), (true, 8.0));
    assert_eq!(of("d"), (false, f64::INFINITY));
    assert!(
        says(&l, "left out: actuator motor not on a joint, sensor, keyframe (2 times)"),
        "{:?}",
        l.warnings
    );
}

#[test]
fn equality_closes_loops() {
    let l = read(&format!(
        "<mujoco><option gravity=\"0 -1 0\"/><worldbody><body name=\"a\" pos=\"1 0 0\">{BALL}<joint/></body>\
         <body name=\"b\" pos=\"0 1 0\" euler=\"0 0 90\">{BALL}<joint/></body></worldbody><equality>\
         <connect name=\"c\" body1=\"a\" body2=\"b\" anchor=\"0 0 1\"/><connect body1=\"a\" anchor=\"0 0 0\"/>\
         <weld name=\"w\" body1=\"a\" body2=\"b\"/><weld name=\"r\" body1=\"a\" body2=\"b\" relpose=\"1 2 3 2 0 0 0\" anchor=\"0 0 1\"/>\
         <joint joint1=\"x\"/></equality></mujoco>"
    ));
    let f = &l.figure;
    assert_eq!(f.gravity(), vec3(0.0, -1.0, 0.0));
    let all: Vec<_> =
        f.connections().map(|(_, l, j)| (j.name.clone(), l.real(), l.parent(), j.kind)).collect();
    let (a, b) = (f.find_link("a").unwrap(), f.find_link("b").unwrap());
    let get = |name: &str| all.iter().find(|x| x.0 == name).unwrap().clone();
    assert_eq!(get("c"), ("c".into(), Some(a), Some(b), JointKind::Spherical));
    assert_eq!(get("connect2"), ("connect2".into(), Some(a), None, JointKind::Spherical));
    assert_eq!(get("w").3, JointKind::Fixed);
    // in the reference pose every connection is closed, except the one with a given pose
    let place = |name: &str| {
        let j = joint(f, name);
        j.parent_from_joint * j.child_from_joint.inverse()
    };
    let world_a = Transform::translation(vec3(1.0, 0.0, 0.0));
    let world_b = Transform::new(vec3(0.0, 1.0, 0.0), Quat::about(vec3(0.0, 0.0, 1.0), FRAC_PI_2));
    close(world_b * place("c"), world_a);
    close(place("connect2"), world_a);
    close(world_b * place("w"), world_a);
    // the anchor (0 0 1) of b is fixed to (1 2 3) of a
    close(place("r").inverse(), Transform::translation(vec3(1.0, 2.0, 2.0)));
    assert!(says(&l, "left out: equality joint"), "{:?}", l.warnings);
}

#[test]
fn equality_between_sites_uses_their_frames() {
    let l = read(&format!(
        "<mujoco><default><default class=\"k\"><site pos=\"1 2 3\" quat=\"1 1 0 0\"/></default></default>\
         <worldbody><site name=\"w\" pos=\"0 0 5\" axisangle=\"0 0 1 90\"/>\
         <body name=\"a\" pos=\"1 0 0\" childclass=\"k\">{BALL}<joint name=\"a1\"/><joint name=\"a2\" axis=\"1 0 0\"/>\
         <site name=\"plain\"/><site name=\"turned\" euler=\"0 0 90\"/><site name=\"unused\"/></body>\
         <body name=\"b\" pos=\"0 1 0\" euler=\"0 0 90\">{BALL}<joint type=\"ball\"/>\
         <frame pos=\"0 0 1\" euler=\"90 0 0\"><site name=\"framed\" pos=\"0 1 0\"/></frame>\
         <site name=\"long\" type=\"capsule\" size=\"1\" fromto=\"0 0 0 2 0 0\"/></body></worldbody><equality>\
         <connect name=\"c\" site1=\"plain\" site2=\"framed\"/><weld site1=\"w\" site2=\"long\"/>\
         <weld name=\"v\" site1=\"turned\" site2=\"w\"/></equality></mujoco>"
    ));
    let f = &l.figure;
    let (a, b) = (f.find_link("a").unwrap(), f.find_link("b").unwrap());
    let all: Vec<_> =
        f.connections().map(|(_, l, j)| (j.name.as_str(), l.real(), l.parent(), j.kind)).collect();
    let want = [
        ("c", Some(a), Some(b), JointKind::Spherical),
        ("weld2", Some(b), None, JointKind::Fixed),
        ("v", Some(a), None, JointKind::Fixed),
    ];
    assert_eq!(all, want);
    let quarter = |x, y, z| Quat::about(vec3(x, y, z), FRAC_PI_2);
    let frames = |name: &str| (joint(f, name).child_from_joint, joint(f, name).parent_from_joint);
    let in_world = Transform::new(vec3(0.0, 0.0, 5.0), quarter(0.0, 0.0, 1.0));
    // all from the class
    close(frames("c").0, Transform::new(vec3(1.0, 2.0, 3.0), quarter(1.0, 0.0, 0.0)));
    // y of the frame is z of the body
    close(frames("c").1, Transform::new(vec3(0.0, 0.0, 2.0), quarter(1.0, 0.0, 0.0)));
    // z points to its start, so along -x
    close(frames("weld2").0, Transform::new(vec3(1.0, 0.0, 0.0), quarter(0.0, -1.0, 0.0)));
    close(frames("weld2").1, in_world);
    // its own orientation overrides that of the class, even by another attribute
    close(frames("v").0, Transform::new(vec3(1.0, 2.0, 3.0), quarter(0.0, 0.0, 1.0)));
    close(frames("v").1, in_world);
    assert!(says(&l, "left out: site") && l.warnings.len() == 1, "{:?}", l.warnings);
}

/// Content of a body, with the error it causes.
const BODY_ERRORS: &str = r#"
    <joint name="j" axis="0 1"/> | t.xml:4:17: joint "j" axis: found "0 1", expected 3 numbers
    <joint name="j" type="screw"/> | t.xml:4:17: joint "j" type: found "screw", expected hinge, slide, ball or free
    <joint name="j" axis="0 0 0"/> | joint "j" axis: is zero
    <joint name="j" range="1 0"/> | joint "j" range: found "1 0", expected the lower number first
    <joint name="j" limited="true"/> | joint "j" range: missing, but limited is set
    <joint name="j" limited="yes"/> | joint "j" limited: found "yes", expected true, false or auto
    <joint name="j" class="c"/> | joint "j" class: found "c", expected the name of a default class
    <joint name="j" damping="-1"/> | joint "j" damping: found "-1", expected zero or more
    <joint name="j"/> | t.xml:4:1: joint "j": joint `j` moves no inertia
    <geom type="blob" size="1"/> | t.xml:4:7: body "b" geom type: found "blob", expected plane
    <geom type="capsule" size="1"/> | body "b" geom size: found "1", expected at least 2 numbers for a capsule
    <geom/> | t.xml:4:1: body "b" geom size: missing
    <geom size="-1"/> | t.xml:4:1: body "b" geom: radius of a sphere is -1
    <geom size="1" mass="-1"/> | body "b" geom mass: gives a mass of -1
    <geom type="capsule" size="1" fromto="1 2 3 1 2 3"/> | fromto: found "1 2 3 1 2 3", expected two different points
    <inertial pos="0 0 0"/> | t.xml:4:1: body "b" inertial mass: missing
    <inertial mass="1" quat="1 0 0 0" fullinertia="1 1 1 0 0 0"/> | fullinertia: conflicts with an orientation
    <body quat="0 0 0 0"/> | quat: found "0 0 0 0", expected a non-zero quaternion
    <body name="b"/> | t.xml:4:7: body "b" name: found "b", expected a unique name
    <include file="x.xml"/> | include file: found "x.xml", expected no include: the model was not read from a folder
"#;

/// Constraints of two sites of the world, with the error they cause.
const SITE_ERRORS: &str = r#"
    <connect site1="s"/> | t.xml:3:1: connect site2: missing
    <connect site2="s"/> | connect site1: missing
    <connect site1="s" site2="s"/> | connect: connects the world to itself
    <weld site1="s" site2="s" body1="b"/> | t.xml:3:27: weld body1: conflicts with site1 and site2
    <weld site1="t" site2="s"/> | t.xml:2:23: site "t" name: found "t", expected a unique name
"#;

/// Files, with the error they cause.
const FILE_ERRORS: &str = r#"
    <mujoco>\n<compiler angle="grad"/></mujoco> | t.xml:2:11: compiler angle: found "grad", expected degree or radian
    <mujoco><compiler coordinate="global"/></mujoco> | compiler coordinate: found "global", expected local
    <mujoco><compiler eulerseq="xyw"/></mujoco> | expected three of the letters
    <mujoco><default><default/></default></mujoco> | default class: missing
    <mujoco><actuator><motor joint="k"/></actuator></mujoco> | motor joint: found "k", expected the name of a joint
    <mujoco><equality><weld body1="k"/></equality></mujoco> | weld body1: found "k", expected the name of a body
    <mujoco><equality>\n<weld site1="k" site2="k"/></equality></mujoco> | t.xml:2:7: weld site1: found "k", expected the name of a site
    <mujoco><equality><weld/></equality></mujoco> | weld body1: missing
    <robot/> | t.xml:1:1: robot: found as the outermost element, expected mujoco
    <mujoco>\n<worldbody> | t.xml:2:12: the file ends inside an element
"#;

#[test]
fn errors_have_position_and_field() {
    let sites = |constraint: &str| {
        let sites = "<site name=\"s\"/>\n<site name=\"t\"/><site name=\"t\"/>";
        format!("<mujoco><worldbody>{sites}</worldbody><equality>\n{constraint}</equality></mujoco>")
    };
    let body = |inside: &str| {
        format!("<mujoco>\n<worldbody>\n<body name=\"b\">\n{inside}\n</body></worldbody></mujoco>")
    };
    assert_messages(table(BODY_ERRORS).map(|[inside, want]| (error(&body(&inside)), want)));
    assert_messages(table(SITE_ERRORS).map(|[constraint, want]| (error(&sites(&constraint)), want)));
    assert_messages(table(FILE_ERRORS).map(|[text, want]| (error(&text), want)));
}

#[test]
fn includes_are_expanded_and_cycles_rejected() {
    let folder = std::env::temp_dir().join(format!("anthropi-mjcf-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    put(
        "sub/arm.xml",
        &format!("<mujocoinclude><body name=\"arm\"><joint name=\"j\"/>{BALL}</body></mujocoinclude>"),
    );
    put("loop.xml", "<mujoco>\n<include file=\"loop.xml\"/></mujoco>");
    put("bad.xml", "<mujoco>\n\n  <body name=\"x\" pos=\"1\"/></mujoco>");
    let read = |inside: &str| {
        let text = format!("<mujoco><worldbody>{inside}</worldbody></mujoco>");
        mjcf::read(&text, "t.xml", Some(&folder)).map_err(|e| e.to_string())
    };
    let figure =
        read(&format!("<body name=\"b\">{BALL}<include file=\"sub/arm.xml\"/></body>")).unwrap().figure;
    let arm = figure.link(figure.find_link("arm").unwrap()).unwrap();
    assert_eq!(arm.parent(), figure.find_link("b").ok());
    let err = read("<include file=\"loop.xml\"/>").unwrap_err();
    assert!(
        err.contains(
            "loop.xml:2:10: include file: found \"loop.xml\", expected a file that does not include itself"
        ),
        "{err}"
    );
    let err = read("<include file=\"bad.xml\"/>").unwrap_err();
    assert!(err.contains("bad.xml:3:18: body \"x\" pos: found \"1\", expected 3 numbers"), "{err}");
    assert!(read("<include file=\"none.xml\"/>").unwrap_err().contains("none.xml"));
    assert!(read("<include file=\"sub\"/>").unwrap_err().contains("not an ordinary file"));
    std::fs::remove_dir_all(&folder).unwrap();
}

fn load(path: &Path) -> Loaded {
    let text = std::fs::read_to_string(path).unwrap();
    mjcf::read(&text, &path.display().to_string(), path.parent()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn real_files_agree_with_mujoco() {
    for name in ["humanoid_CMU", "g1_29dof_rev_1_0.nomesh"] {
        let Some(path) = data(&format!("mjcf/{name}.xml")) else { return };
        let l = load(&path);
        let reference = std::fs::read_to_string(data(&format!("mjcf/{name}.ref.json")).unwrap()).unwrap();
        let reference: serde_json::Value = serde_json::from_str(&reference).unwrap();
        check_against(name, &l.figure, &reference);
        let (text, warnings) = mjcf::write(&l.figure).unwrap();
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        let back = mjcf::read(&text, "back", None).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(back.warnings.is_empty(), "{name}: {:?}", back.warnings);
        check_against(&format!("{name} written"), &back.figure, &reference);
        same_properties(&l.figure, &back.figure);
    }
}

#[test]
fn missing_meshes_do_not_matter_if_masses_are_given() {
    let Some(path) = data("mjcf/g1_29dof_rev_1_0.xml") else { return };
    let l = load(&path);
    assert!((l.figure.mass() - 33.341142).abs() < 1e-9);
    assert!(says(&l, "geom mesh") && !says(&l, "is missing"), "{:?}", l.warnings);
}

fn check_against(name: &str, f: &Figure, reference: &serde_json::Value) {
    let total = reference["total_mass"].as_f64().unwrap();
    assert!((f.mass() - total).abs() < 1e-11 * total, "{name}: {} {total}", f.mass());
    assert_eq!(f.forest().nq() as u64, reference["nq"].as_u64().unwrap(), "{name}");
    assert_eq!(f.forest().nv() as u64, reference["nv"].as_u64().unwrap(), "{name}");
    for j in reference["joints"].as_array().unwrap() {
        let place = f.forest().joint_place(f.find_joint(j["name"].as_str().unwrap()).unwrap());
        assert_eq!(
            (place.iq as u64, place.iv as u64),
            (j["qposadr"].as_u64().unwrap(), j["dofadr"].as_u64().unwrap())
        );
    }
    for b in reference["bodies"].as_array().unwrap() {
        let i = inertia(f, b["name"].as_str().unwrap());
        let moments = Sym3::diagonal(Vec3::from_array(&numbers(&b["inertia_diag"]).try_into().unwrap()));
        let [w, x, y, z]: [f64; 4] = numbers(&b["iquat"]).try_into().unwrap();
        let want = Sym3::turned(&moments, &Quat([w, x, y, z]).to_matrix());
        let centre = Vec3::from_array(&numbers(&b["ipos"]).try_into().unwrap());
        let size = want.full().max_abs();
        let d = (i.central() - want).full().max_abs() / size + (i.center() - centre).norm();
        assert!(d < 1e-9, "{name}: {} {d:e}", b["name"]);
    }
    let mut worst = 0.0_f64;
    for frame in reference["frames"].as_array().unwrap() {
        let q = numbers(&frame["qpos"]);
        let k = kinematics(f, &q);
        for (body, p) in frame["body_pos"].as_object().unwrap() {
            let Ok(link) = f.find_link(body) else { continue };
            let got = k.link_pose(f.forest(), link);
            let [w, x, y, z]: [f64; 4] = numbers(&frame["body_quat"][body]).try_into().unwrap();
            let p = Vec3::from_array(&numbers(p).try_into().unwrap());
            worst = worst.max((got.translation - p).norm());
            worst = worst.max((got.rotation - Quat([w, x, y, z]).to_matrix()).max_abs());
        }
    }
    assert!(worst < 1e-12, "{name}: {worst:e}");
}

fn same_properties(a: &Figure, b: &Figure) {
    assert_eq!(a.dof_names(), b.dof_names());
    for (_, x) in a.joints().filter(|(_, j)| j.kind.nv() > 0) {
        let y = joint(b, &x.name);
        assert_eq!((x.kind.name(), x.actuated, x.dof), (y.kind.name(), y.actuated, y.dof), "{}", x.name);
        assert!((0..7).all(|i| (x.home[i] - y.home[i]).abs() < 1e-15), "{}", x.name);
    }
}

/// A figure with every kind of joint, a lock, springs, home poses, and generic frames.
fn every_kind() -> Figure {
    let half = vec3(0.1, 0.2, 0.3);
    let shapes = vec![
        Shape::Box { half },
        Shape::Sphere { radius: 0.1 },
        Shape::Capsule { radius: 0.1, half_length: 0.2 },
        Shape::Cylinder { radius: 0.1, half_length: 0.2 },
        Shape::Ellipsoid { half },
    ];
    let mut root = JointSpec::new("root", JointKind::Free);
    let [w, x, y, z] = Quat::exp(vec3(0.3, 0.2, 0.1)).0;
    root.home = Some([1.0, 2.0, 3.0, w, x, y, z]);
    let kinds = [
        ("hinge", JointKind::Revolute { axis: vec3(0.6, 0.0, 0.8) }),
        ("slide", JointKind::Prismatic { axis: vec3(0.0, 1.0, 0.0) }),
        ("cross", JointKind::Universal { first: vec3(1.0, 0.0, 0.0), second: vec3(0.0, 0.8, 0.6) }),
        ("ball", JointKind::Spherical),
        ("held", JointKind::Spherical),
        ("weld", JointKind::Fixed),
    ];
    let (mut b, end) = generic_chain(root, shapes, &kinds, |joint| {
        let dof = Dof { damping: 0.5, friction: 0.25, armature: 0.125, effort: 7.0, ..Dof::default() };
        joint.dof = [dof; 3];
        if joint.kind.nq() == joint.kind.nv() && joint.kind.nv() > 0 {
            joint.dof =
                [Dof { stiffness: 2.0, rest: 0.3, range: Some(Range { lower: -1.0, upper: 1.5 }), ..dof }; 3];
            joint.home = Some([0.25, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        if joint.name == "held" {
            joint.order = RotationOrder::Zxy;
            joint.dof[1].locked = true;
            let mut home = [0.0; 7];
            home[..4].copy_from_slice(&RotationOrder::Zxy.quat([0.1, 0.2, 0.3]).0);
            joint.home = Some(home);
        }
        joint.actuated = joint.name != "slide";
    });
    b.gravity(vec3(0.0, 1.0, -9.0)).unwrap();
    let mut tie = JointSpec::new("tie", JointKind::Fixed);
    tie.parent_from_joint = generic(0.5, vec3(0.1, 0.2, 0.3));
    tie.child_from_joint = generic(0.1, vec3(-0.1, 0.2, 0.3));
    b.connect(end, tie).unwrap();
    b.build().unwrap()
}

#[test]
fn figures_round_trip() {
    let figure = every_kind();
    let (text, _) = mjcf::write(&figure).unwrap();
    let back = read(&text).figure;
    assert_eq!((&back.name, back.gravity()), (&figure.name, figure.gravity()));
    let names = back.dof_names();
    assert_eq!(names, figure.dof_names());
    assert_eq!(back.forest().nq(), figure.forest().nq());
    // the same coordinates give the same motion
    let mut q = State::home(&figure).q;
    for (i, x) in q.iter_mut().enumerate() {
        *x += 0.1 * ((i * 7 % 5) as f64 - 2.0);
    }
    let ball = figure.forest().joint_place(figure.find_joint("ball").unwrap()).iq;
    for at in [3, ball] {
        let n = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
        q[at..at + 4].iter_mut().for_each(|x| *x /= n);
    }
    assert_same_masses((&back, &q), (&figure, &q));
    for (old, new) in
        [("hinge", "hinge"), ("slide", "slide"), ("cross", "cross.1"), ("ball", "ball"), ("held", "held.2")]
    {
        let (old, new) = (joint(&figure, old), joint(&back, new));
        let k = new.name.rsplit_once('.').map_or(0, |(_, k)| k.parse().unwrap());
        assert_eq!((old.dof[k], old.actuated), (new.dof[0], new.actuated), "{}", new.name);
    }
    assert!(
        (State::home(&back).q.iter().zip(State::home(&figure).q).take(ball))
            .all(|(a, b)| (a - b).abs() < ROUNDING)
    );
    let shapes = |f: &Figure| f.links().next().unwrap().1.spec.shapes.clone();
    assert_eq!(shapes(&figure).len(), shapes(&back).len());
    // the connection is closed in the same pose; only the frame of its link was rotated to its joint
    let placed = |f: &Figure| {
        let (_, link, j) = f.connections().next().unwrap();
        let real = f.link(link.real().unwrap()).unwrap();
        let inertia = j.parent_from_joint * j.child_from_joint.inverse() * real.spec.inertia;
        (inertia.center(), inertia.central())
    };
    let (a, b) = (placed(&figure), placed(&back));
    assert!((a.0 - b.0).norm() + (a.1 - b.1).full().max_abs() < ROUNDING);
}

#[test]
fn losses_are_rejected_or_reported() {
    let mut b = FigureBuilder::new("loop");
    let ball = Inertia::about_center(1.0, Vec3::ZERO, Sym3::diagonal(vec3(1.0, 1.0, 1.0)));
    let hinge = |n: &str| JointSpec::new(n, JointKind::Revolute { axis: vec3(0.0, 0.0, 1.0) });
    b.add(LinkSpec::new("b\u{1}", ball), hinge("y")).unwrap();
    let err = mjcf::write(&b.build().unwrap()).unwrap_err().to_string();
    assert!(err.contains("MJCF cannot represent the control character"), "{err}");
    let mut d = FigureBuilder::new("loop");
    let a = d.add(LinkSpec::new("a", ball), hinge("x")).unwrap();
    d.connect(a, hinge("tie")).unwrap();
    let err = mjcf::write(&d.build().unwrap()).unwrap_err().to_string();
    assert!(err.contains("MJCF cannot represent connection `tie`, which is revolute"), "{err}");
}

/// A spherical joint with a non-zero home pose, and connections of both kinds to a link and to the world.
fn swinging() -> Figure {
    let inertia = Inertia::about_center(1.0, Vec3::ZERO, Sym3::diagonal(vec3(1.0, 1.0, 1.0)));
    let at = |x: f64, y: f64, z: f64| Transform::new(vec3(x, y, z), Quat::exp(vec3(y, z, x)));
    let mut b = FigureBuilder::new("swinging");
    let mut shoulder = JointSpec::new("shoulder", JointKind::Spherical);
    shoulder.parent_from_joint = at(0.0, 0.1, 2.0);
    let [w, x, y, z] = Quat::exp(vec3(0.3, -1.2, 0.5)).0;
    shoulder.home = Some([w, x, y, z, 0.0, 0.0, 0.0]);
    let arm = b.add(LinkSpec::new("arm", inertia), shoulder).unwrap();
    let elbow = JointSpec::new("elbow", JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) });
    let hand = b.add(LinkSpec::new("hand", inertia), elbow.on(arm, at(0.3, 0.0, 0.1))).unwrap();
    let ends = [
        ("grip", JointKind::Spherical, hand, None),
        ("grip_a", JointKind::Spherical, arm, Some(hand)),
        ("glue", JointKind::Fixed, hand, Some(arm)),
        ("nail", JointKind::Fixed, arm, None),
    ];
    for (i, (name, kind, real, parent)) in ends.into_iter().enumerate() {
        let mut tie = JointSpec::new(name, kind);
        tie.parent = parent;
        tie.parent_from_joint = at(0.2, 0.7 * i as f64, -0.4);
        tie.child_from_joint = at(-0.5, 0.1, 0.3 * i as f64);
        b.connect(real, tie).unwrap();
    }
    b.build().unwrap()
}

#[test]
fn connections_round_trip() {
    let figure = swinging();
    let (text, warnings) = mjcf::write(&figure).unwrap();
    assert!(!warnings.iter().any(|w| w.to_string().contains("connection")), "{warnings:?}");
    assert!(text.contains("<connect name=\"grip\" site1=\"grip_a\" site2=\"grip_b\"/>"), "{text}");
    assert!(text.contains("<weld name=\"glue\" site1=\"glue_a\" site2=\"glue_b\"/>"), "{text}");
    let loaded = read(&text);
    assert!(!says(&loaded, "site") && !says(&loaded, "equality"), "{:?}", loaded.warnings);
    let back = &loaded.figure;
    let name = |f: &Figure, h| f.link(h).unwrap().spec.name.clone();
    let ends = |f: &Figure| -> Vec<_> {
        let list = f.connections().map(|(_, l, j)| {
            let links = [l.real(), l.parent()].map(|h| h.map(|h| name(f, h)));
            (j.name.clone(), j.kind, links)
        });
        list.collect()
    };
    assert_eq!(ends(back), ends(&figure));
    assert_eq!(figure.connections().count(), 4);
    for ((_, _, old), (_, _, new)) in figure.connections().zip(back.connections()) {
        close(new.child_from_joint, old.child_from_joint);
        close(new.parent_from_joint, old.parent_from_joint);
    }
}
