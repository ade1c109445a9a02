//! Scenes with contact: effect of each table; errors name place, field and expectation.

use anthropi_app::builtin;
use anthropi_app::resolve::{ItemKind, toml_kind};
use anthropi_app::scene::{self, Scene};
use anthropi_dynamics::contact::{SceneryShape, Surface, World};
use anthropi_dynamics::model::Shape;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_formats::Error;

const CONTACT_SCENES: [&str; 10] = [
    "drop-box",
    "slide-incline",
    "spin-plate",
    "rocking-block",
    "dominoes",
    "stand-28",
    "step-28",
    "walk-28",
    "fall-28",
    "two-figures-collide",
];

/// A figure of two links, the first line at `head`; `more` begins in line 19.
fn arm(head: &str, keys: &str, more: &str) -> Result<Scene, Error> {
    let text = format!(
        "{head}\n[[figure]]\n{keys}\n[[figure.link]]\nname = \"upper\"\nmass = 1\n\
         inertia = [1, 1, 1]\n[figure.link.joint]\nname = \"root\"\nkind = \"free\"\n[[figure.link]]\nname = \"lower\"\n\
         mass = 1\ninertia = [1, 1, 1]\n[figure.link.joint]\nname = \"elbow\"\nparent = \"upper\"\nkind = \"spherical\"\n\
         {more}"
    );
    scene::read(&text, "arm.toml", None)
}

#[track_caller]
fn world(more: &str) -> World {
    arm("", "", more).unwrap_or_else(|e| panic!("{e}")).world.expect("contact")
}

#[test]
fn contact_is_on_only_on_request() {
    assert!(arm("", "", "").unwrap().world.is_none());
    assert!(arm("contact = true", "", "").unwrap().world.is_some());
    assert!(arm("contact = false", "", "").unwrap().world.is_none());
    assert!(arm("contact = false", "", "[[ground]]\nkind = \"plane\"\n").unwrap().world.is_none());
    for table in [
        "[[ground]]\nkind = \"plane\"\n",
        "[[material]]\nname = \"ice\"\n",
        "[[pair]]\nof = [\"default\", \"default\"]\nfriction = 1\n",
        "[[collide]]\na = \"upper\"\nb = \"lower\"\ntouch = true\n",
    ] {
        assert!(arm("", "", table).unwrap().world.is_some(), "{table}");
    }
    for b in builtin::SCENES {
        let scene = builtin::scene(b.name).unwrap().unwrap();
        assert_eq!(scene.world.is_some(), CONTACT_SCENES.contains(&b.name), "{}", b.name);
    }
    let idle = arm("", "collide = \"ground\"", "").unwrap();
    assert!(idle.world.is_none());
    assert_eq!(
        idle.warnings[0].to_string(),
        "3:11: collide of figure 1 has no effect without [[ground]] or `contact = true`"
    );
}

#[test]
fn materials_and_pairs_have_their_numbers() {
    let w = world(
        "[[material]]\nname = \"ice\"\nfriction = [0.04, 0.02]\nrestitution = 0.3\n[[material]]\nname = \"rubber\"\n\
         tangential_restitution = 0.5\n[[material]]\nname = \"default\"\nfriction = 0.5\n\
         [[pair]]\nof = [\"rubber\", \"ice\"]\nfriction = 0.25\n",
    );
    let m = &w.materials;
    let [ice, rubber, first] = ["ice", "rubber", "default"].map(|n| m.find(n).unwrap());
    let of = |static_friction, dynamic_friction, restitution, tangential_restitution| Surface {
        static_friction,
        dynamic_friction,
        restitution,
        tangential_restitution,
    };
    assert_eq!(m.between(ice, ice), of(0.04, 0.02, 0.3, 0.0));
    assert_eq!(m.between(rubber, rubber), of(0.8, 0.8, 0.0, 0.5));
    assert_eq!(first, Default::default());
    assert_eq!(m.between(first, first), of(0.5, 0.5, 0.0, 0.0));
    // omitted numbers of a pair are the means
    assert_eq!(m.between(ice, rubber), of(0.25, 0.25, 0.0, 0.0));
}

#[test]
fn figures_and_links_have_materials_and_may_be_left_out() {
    let scene =
        arm("", "material = \"a\"\nmaterials = { lower = \"b\" }\ncollide = \"ground\"", MATERIALS).unwrap();
    let w = scene.world.unwrap();
    let [upper, lower] = ["upper", "lower"].map(|n| scene.figure.find_link(n).unwrap());
    let name =
        |link| w.materials.list().iter().find(|m| w.materials.find(&m.name) == Some(w.material_of(link)));
    assert_eq!((name(upper).unwrap().name.as_str(), name(lower).unwrap().name.as_str()), ("a", "b"));
    assert_eq!((&w.not_self[..], &w.ghosts[..]), (&[upper, lower][..], &[][..]));
    let w = arm("", "collide = \"none\"", MATERIALS).unwrap().world.unwrap();
    assert_eq!((&w.not_self[..], &w.ghosts[..]), (&[][..], &[upper, lower][..]));
    let more = "[[collide]]\na = \"upper\"\nb = \"lower\"\ntouch = ";
    let w = world(&format!("{more}true\n"));
    assert_eq!((&w.together[..], &w.apart[..]), (&[(upper, lower)][..], &[][..]));
    let w = world(&format!("{more}false\n"));
    assert_eq!((&w.together[..], &w.apart[..]), (&[][..], &[(upper, lower)][..]));
}

const MATERIALS: &str = "[[material]]\nname = \"a\"\n[[material]]\nname = \"b\"\n";

#[test]
fn every_kind_of_ground_is_where_it_is_put() {
    let w = world(
        "[[ground]]\nkind = \"plane\"\nslope_deg = 30\nat = [1, 2, 3]\nmaterial = \"b\"\n\
         [[ground]]\nkind = \"plane\"\nturn_deg = [0, -30, 0]\n\
         [[ground]]\nkind = \"box\"\nsize = [1, 2, 3]\n[[ground]]\nkind = \"sphere\"\nradius = 0.5\nname = \"ball\"\n\
         [[ground]]\nkind = \"capsule\"\nradius = 0.1\nlength = 2\n\
         [[ground]]\nkind = \"cylinder\"\nradius = 0.1\nlength = 2\n\
         [[ground]]\nkind = \"heights\"\nspacing = [0.5, 1]\nrows = [[0, 0.1, 0.2], [1, 1.1, 1.2]]\n\
         [[material]]\nname = \"b\"\n",
    );
    let names: Vec<&str> = w.scenery.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["plane", "plane-2", "box", "ball", "capsule", "cylinder", "heights"]);
    assert_eq!(Some(w.scenery[0].material), w.materials.find("b"));
    assert_eq!(w.scenery[0].world_from_it.translation, vec3(1.0, 2.0, 3.0));
    // downhill towards +x, so the normal leans that way; the other plane the other way
    let (n, m) = (w.scenery[0].world_from_it.rotation.z, w.scenery[1].world_from_it.rotation.z);
    assert!((n - vec3(0.5, 0.0, 0.75_f64.sqrt())).norm() < 1e-15, "{n:?}");
    assert!((m - vec3(-0.5, 0.0, 0.75_f64.sqrt())).norm() < 1e-15, "{m:?}");
    assert_eq!(w.scenery[2].ground, SceneryShape::Solid(Shape::Box { half: vec3(0.5, 1.0, 1.5) }));
    assert_eq!(w.scenery[3].ground, SceneryShape::Solid(Shape::Sphere { radius: 0.5 }));
    assert_eq!(w.scenery[4].ground, SceneryShape::Solid(Shape::Capsule { radius: 0.1, half_length: 1.0 }));
    assert_eq!(w.scenery[5].ground, SceneryShape::Solid(Shape::Cylinder { radius: 0.1, half_length: 1.0 }));
    let SceneryShape::HeightField(h) = &w.scenery[6].ground else { panic!("heights") };
    assert_eq!((h.columns(), h.rows(), h.spacing()), (3, 2, [0.5, 1.0]));
    assert_eq!(h.point(2, 1), vec3(0.5, 0.5, 1.2));
}

#[test]
fn stairs_are_boxes_from_the_ground_to_each_tread() {
    let stairs = "kind = \"stairs\"\nsteps = 3\nrise = 0.2\nrun = 0.3\nwidth = 2\nat = [1, 0, 0.5]\n";
    let w = world(&format!(
        "[[ground]]\n{stairs}[[ground]]\n{stairs}[[ground]]\nname = \"back\"\nturn_deg = [0, 0, 180]\n{stairs}"
    ));
    let names: Vec<&str> = w.scenery.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names[..3], ["stairs-1", "stairs-2", "stairs-3"]);
    assert_eq!(names[3..6], ["stairs-2-1", "stairs-2-2", "stairs-2-3"]);
    assert_eq!(names[6..], ["back-1", "back-2", "back-3"]);
    let ends = |i: usize, axis: Vec3| {
        let SceneryShape::Solid(shape) = &w.scenery[i].ground else { panic!("a solid") };
        shape.extent(&w.scenery[i].world_from_it, axis)
    };
    #[track_caller]
    fn near(a: (f64, f64), b: (f64, f64)) {
        assert!((a.0 - b.0).abs().max((a.1 - b.1).abs()) < 1e-12, "{a:?} {b:?}");
    }
    for i in 0..3 {
        let k = i as f64;
        near(ends(i, vec3(1.0, 0.0, 0.0)), (1.0 + 0.3 * k, 1.3 + 0.3 * k));
        near(ends(i, vec3(0.0, 1.0, 0.0)), (-1.0, 1.0));
        near(ends(i, vec3(0.0, 0.0, 1.0)), (0.5, 0.7 + 0.2 * k));
        near(ends(6 + i, vec3(1.0, 0.0, 0.0)), (0.7 - 0.3 * k, 1.0 - 0.3 * k));
    }
}

#[track_caller]
fn refused_with(keys: &str, more: &str, parts: &[&str]) {
    let error = arm("", keys, more).expect_err("a scene that is wrong").to_string();
    for part in parts.iter().chain(&["arm.toml:"]) {
        assert!(error.contains(part), "expected: {part}\ngot: {error}");
    }
}

#[track_caller]
fn refused(more: &str, parts: &[&str]) {
    refused_with("", more, parts);
}

#[test]
fn wrong_materials_are_refused_with_their_place() {
    let material = |rest: &str| format!("[[material]]\nname = \"ice\"\n{rest}\n");
    refused("[[material]]\nfriction = 1\n", &["19:1: name of material 1: is missing, expected a name"]);
    refused("[[material]]\nname = \"\"\n", &["20:8: name of material 1: is empty"]);
    refused(&material("fricton = 1"), &["21:1: fricton of material `ice`: unknown key", "`friction`"]);
    refused(
        &material("friction = -0.1"),
        &["21:12: friction of material `ice`: is -0.1, expected 0 to 1000"],
    );
    refused(&material("friction = \"low\""), &["21:12", "is a string, expected a number"]);
    refused(&material("friction = [0.1, -0.1]"), &["21:18: friction of material `ice`: is -0.1"]);
    refused(
        &material("friction = [0.1, 0.2]"),
        &["21:18: friction of material `ice`: is 0.2 while sliding", "not more than the static 0.1"],
    );
    refused(
        &material("friction = [1, 1, 1]"),
        &["21:12", "has 3 numbers, expected one number or [static, dynamic]"],
    );
    refused(
        &material("restitution = 1.5"),
        &["21:15: restitution of material `ice`: is 1.5, expected 0 to 1"],
    );
    refused(&material("tangential_restitution = -2"), &["21:26", "is -2, expected -1 to 1"]);
    refused(&material(&material("")), &["22:8: name of material 2: there is already a material `ice`"]);
    let twice = "[[material]]\nname = \"default\"\n";
    refused(&format!("{twice}{twice}"), &["22:8", "there is already a material `default`"]);

    let pair = |rest: &str| format!("[[material]]\nname = \"ice\"\n[[pair]]\n{rest}\n");
    refused(&pair("friction = 1"), &["21:1: of of pair 1: is missing, expected the names of two materials"]);
    refused(
        &pair("of = [\"ice\"]\nfriction = 1"),
        &["22:6", "has 1 name, expected the names of two materials"],
    );
    refused(
        &pair("of = [\"ice\", \"defalt\"]\nfriction = 1"),
        &["22:14: of of pair 1: there is no material `defalt`; the nearest are `default`"],
    );
    refused(&pair("of = [\"ice\", \"ice\"]"), &["21:1: friction of pair 1: is missing"]);
    let one = "of = [\"ice\", \"default\"]\nfriction = 1\n";
    let other = "of = [\"default\", \"ice\"]\nfriction = 1\n";
    refused(&pair(&format!("{one}[[pair]]\n{other}")), &["25:6: of of pair 2: there is already a pair"]);
}

#[test]
fn wrong_grounds_are_refused_with_their_place() {
    let ground = |rest: &str| format!("[[ground]]\n{rest}\n");
    refused(&ground(""), &["19:1: kind of ground 1: is missing, expected plane, box, sphere"]);
    refused(&ground("kind = \"floor\""), &["20:8: kind of ground 1: is \"floor\"", "\"plane\", \"box\""]);
    refused(&ground("kind = \"plane\"\nsize = [1, 1, 1]"), &["21:1: size of ground 1: unknown key"]);
    refused(
        &ground("kind = \"plane\"\nmaterial = \"defaul\""),
        &["21:12: material of ground 1: there is no material `defaul`; the nearest are `default`"],
    );
    refused(
        &ground("kind = \"plane\"\nslope_deg = 10\nturn_deg = [0, 10, 0]"),
        &["21:13: slope_deg of ground 1: conflicts with `turn_deg`"],
    );
    refused(&ground("kind = \"plane\"\nslope_deg = 90"), &["21:13", "is 90, expected between -90 and 90"]);
    refused(&ground("name = \"b\"\nkind = \"box\""), &["19:1: size of ground `b`: is missing"]);
    refused(&ground("kind = \"box\"\nsize = [1, -1, 1]"), &["21:12", "is -1, expected more than zero"]);
    refused(&ground("kind = \"box\"\nsize = [1, 1]"), &["21:8", "has 2 numbers, expected 3"]);
    refused(&ground("kind = \"sphere\"\nradius = 0"), &["21:10", "more than zero"]);
    refused(&ground("kind = \"capsule\"\nradius = 1"), &["length of ground 1: is missing"]);
    refused(&ground("kind = \"plane\"\nname = \"upper\""), &["21:8", "there is already a link `upper`"]);
    refused(&ground("kind = \"plane\"\nname = \"\""), &["21:8", "is empty"]);
    let named = "[[ground]]\nkind = \"plane\"\nname = \"floor\"\n";
    refused(&format!("{named}{named}"), &["24:8: name of ground 2: there is already a ground `floor`"]);

    let stairs = |change: (&str, &str)| {
        ground(&"kind = \"stairs\"\nsteps = 3\nrise = 0.2\nrun = 0.3\nwidth = 2".replace(change.0, change.1))
    };
    refused(
        &stairs(("steps = 3", "steps = 2.5")),
        &["21:9", "is 2.5, expected a whole number from 1 to 4096"],
    );
    refused(&stairs(("steps = 3", "steps = 1e9")), &["21:9", "expected a whole number"]);
    refused(&stairs(("steps = 3", "steps = -3")), &["21:9", "more than zero"]);
    refused(
        &stairs(("rise = 0.2\n", "")),
        &["19:1: rise of ground 1: is missing, expected a length in metres"],
    );
    refused(&stairs(("rise = 0.2", "rise = -0.2")), &["22:8", "is -0.2, expected more than zero"]);

    let heights = |rest: &str| ground(&format!("kind = \"heights\"\n{rest}"));
    refused(&heights("rows = [[0, 0], [0, 0]]"), &["19:1: spacing of ground 1: is missing"]);
    refused(
        &heights("spacing = [1, 0]\nrows = [[0, 0], [0, 0]]"),
        &["21:15", "is 0, expected more than zero"],
    );
    refused(
        &heights("spacing = [1, 1, 1]\nrows = [[0, 0], [0, 0]]"),
        &["21:11", "has 3 numbers, expected 2"],
    );
    refused(
        &heights("spacing = 1\nrows = [[0, 0]]"),
        &["22:8", "has 1 row of 2 heights, expected at least 2 of 2"],
    );
    refused(&heights("spacing = 1\nrows = []"), &["22:8", "has 0 rows of 0 heights"]);
    refused(
        &heights("spacing = 1\nrows = [[0, 0], [0]]"),
        &["22:17", "has 1 height, expected 2 as in the first row"],
    );
    refused(&heights("spacing = 1\nrows = [[0, 0], [0, nan]]"), &["22:21", "NaN"]);
    refused(&heights("spacing = 1\nrows = [1, 2]"), &["22:9", "is a number, expected a list"]);
}

#[test]
fn wrong_touch_is_refused_with_its_place() {
    refused_with(
        "material = \"wod\"",
        "[[material]]\nname = \"wood\"\n",
        &["3:12: material of figure 1", "`wood`"],
    );
    refused_with(
        "name = \"x\"\nmaterial = \"wod\"",
        "",
        &["4:12: material of figure `x`: there is no material `wod`"],
    );
    refused_with(
        "materials = { uper = \"default\" }",
        "",
        &["3:15: uper of materials of figure 1", "`upper`"],
    );
    refused_with(
        "materials = { upper = \"x\" }",
        "",
        &["3:23: upper of materials of figure 1", "no material `x`"],
    );
    refused_with("collide = \"self\"", "", &["3:11: collide of figure 1", "\"all\", \"ground\", \"none\""]);
    let collide = |rest: &str| format!("[[collide]]\n{rest}\n");
    refused(
        &collide("a = \"upper\"\nb = \"lower\""),
        &["19:1: touch of collide 1: is missing, expected true or false"],
    );
    refused(&collide("a = \"upper\"\ntouch = true"), &["19:1: b of collide 1: is missing"]);
    refused(
        &collide("a = \"uper\"\nb = \"lower\"\ntouch = true"),
        &["20:5", "no link `uper`; the nearest are `upper`"],
    );
    refused(&collide("a = \"upper\"\nb = \"upper\"\ntouch = true"), &["21:5", "is the same link as `a`"]);
    let pair = "a = \"upper\"\nb = \"lower\"\ntouch = true\n";
    refused(&collide(&format!("{pair}[[collide]]\n{pair}")), &["23:1: collide 2: repeats a pair"]);
    let error = arm("contact = 1", "", "").unwrap_err().to_string();
    assert!(error.contains("1:11: contact: is a number, expected true or false"), "{error}");
    assert_eq!(toml_kind("[[ground]]\nkind = \"plane\"\n", "x").unwrap(), ItemKind::Scene);
    let error = scene::read("[[ground]]\nkind = \"plane\"\n", "s.toml", None).unwrap_err().to_string();
    assert!(error.contains("figure: is missing, expected at least one [[figure]]"), "{error}");
}

/// Lowest point of a figure's shapes, m.
fn lowest(scene: &Scene, names: &str) -> f64 {
    let (mut sim, figure) = (scene.simulation().unwrap(), &scene.figure);
    let kinematics = sim.kinematics();
    let mut low = f64::INFINITY;
    for (handle, link) in figure.links().filter(|(_, l)| l.spec.name.contains(names)) {
        let place = kinematics.link_pose(figure.forest(), handle);
        for s in &link.spec.shapes {
            low = low.min(s.shape.extent(&(place * s.link_from_shape), vec3(0.0, 0.0, 1.0)).0);
        }
    }
    low
}

#[test]
fn figures_start_where_their_scenes_place_them() {
    const ROUNDING: f64 = 1e-15;
    let low = |scene: &str, names: &str| lowest(&builtin::scene(scene).unwrap().unwrap(), names);
    for (scene, names) in [
        ("stand-28", "left_foot"),
        ("stand-28", "right_foot"),
        ("step-28", ""),
        ("spin-plate", ""),
        ("rocking-block", "rocks"),
        ("rocking-block", "tips"),
        ("dominoes", "d1/"),
        ("dominoes", "d12/"),
    ] {
        assert!(low(scene, names).abs() <= ROUNDING, "{scene} {names}: {}", low(scene, names));
    }
    assert!((low("drop-box", "") - 0.5).abs() <= ROUNDING);
    // feet a metre above the tread of the seventh of eight steps
    assert!((low("fall-28", "") - 7.0 * 0.17 - 1.01).abs() < 1e-9);

    let incline = builtin::scene("slide-incline").unwrap().unwrap();
    let normal = incline.world.as_ref().unwrap().scenery[0].world_from_it.rotation.z;
    let kinematics = incline.simulation().unwrap().kinematics().clone();
    for (handle, link) in incline.figure.links() {
        let place = kinematics.link_pose(incline.figure.forest(), handle);
        let (low, _) = link.spec.shapes[0].shape.extent(&place, normal);
        assert!(low.abs() <= ROUNDING, "{}: {low}", link.spec.name);
    }
}

#[test]
fn inline_figures_end_where_other_tables_begin() {
    // a material between two inline figures belongs to neither
    let scene = scene::read(
        "[[figure]]\nname = \"a\"\n[[figure.link]]\nname = \"x\"\nmass = 1\ninertia = [1, 1, 1]\n[figure.link.joint]\n\
         name = \"root\"\nkind = \"free\"\n[[material]]\nname = \"ice\"\n[[ground]]\nkind = \"plane\"\n[[collide]]\n\
         a = \"a/x\"\nb = \"b/x\"\ntouch = false\n[[pair]]\nof = [\"ice\", \"ice\"]\nfriction = 0\n[[figure]]\n\
         name = \"b\"\nmaterial = \"ice\"\n[[figure.link]]\nname = \"x\"\nmass = 1\ninertia = [1, 1, 1]\n\
         [figure.link.joint]\nname = \"root\"\nkind = \"free\"\n",
        "s.toml",
        None,
    )
    .unwrap();
    let world = scene.world.unwrap();
    assert_eq!((world.scenery.len(), world.apart.len(), world.link_materials.len()), (1, 1, 1));
}

#[test]
fn a_figure_that_starts_in_the_floor_is_a_warning() {
    let text = "[[figure]]\nuse = \"human-28\"\nat = [0, 0, -0.012]\n[[ground]]\nname = \"floor\"\nkind = \"plane\"\n";
    let scene = scene::read(text, "s.toml", None).unwrap();
    let texts: Vec<String> = scene.warnings.iter().map(ToString::to_string).collect();
    for foot in ["left_foot", "right_foot"] {
        let expected = format!("`{foot}` starts 12 mm inside `floor`; they are separated gradually");
        assert!(texts.contains(&expected), "{texts:?}");
    }
}
