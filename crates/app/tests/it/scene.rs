//! Scenes: built-in ones match their papers; errors name place, field and expectation.

use anthropi_app::builtin;
use anthropi_app::resolve::{ItemKind, toml_kind};
use anthropi_app::scene::{self, Scene};
use anthropi_dynamics::sim;
use anthropi_formats::Error;

fn load(name: &str) -> Scene {
    builtin::scene(name).expect("a built-in scene").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_scene_loads_and_starts_closed() {
    assert!(builtin::scene("no-such-scene").is_none());
    for b in builtin::SCENES {
        let s = load(b.name);
        assert_eq!((s.name.as_str(), s.what.as_str()), (b.name, b.what));
        assert_eq!(toml_kind(b.text, b.name).unwrap(), ItemKind::Scene);
        assert!(s.duration > 0.0 && s.dt > 0.0);
        assert!(s.warnings.is_empty(), "{}: {:?}", b.name, s.warnings);
        let mut sim = s.simulation().unwrap();
        let closed = sim.assemble().unwrap();
        assert_eq!(closed.iterations, 0, "{} starts closed: {closed:?}", b.name);
        for _ in 0..200 {
            sim.step(s.dt).unwrap_or_else(|e| panic!("{}: {e}", b.name));
            let c = sim.closure();
            assert!(c.linear.max(c.angular) < 1e-10, "{}: {c:?}", b.name);
        }
    }
}

#[test]
fn coordinates_are_those_of_the_papers() {
    let expected = [
        ("pendulum", 1, 0, 0),
        ("four-bar", 4, 1, 3),
        ("two-link-ground", 8, 1, 0),
        ("fig14", 7, 0, 0),
        ("fig15", 5, 1, 0),
        ("high-bar", 24, 2, 0),
        ("swing-break", 32, 4, 2),
        ("monkey-swing", 34, 2, 12),
        ("rope-lift", 48, 2, 8),
    ];
    for (name, total, connections, environment) in expected {
        let s = load(name);
        assert_eq!(sim::coordinates(&s.figure), total, "{name}");
        assert_eq!(s.figure.connections().count(), connections, "{name}");
        let nv = |h| s.figure.joint(h).unwrap().coordinates().nv();
        assert_eq!(s.environment.iter().map(|h| nv(*h)).sum::<usize>(), environment, "{name}");
    }
}

#[test]
fn structures_change_as_the_papers_say() {
    let run = |name: &str, signals: &[(&str, u64)]| {
        let s = load(name);
        let mut sim = s.simulation().unwrap();
        for k in 0..(s.duration / s.dt) as u64 {
            signals.iter().filter(|(_, at)| *at == k).for_each(|(signal, _)| sim.signal(signal));
            sim.step(s.dt).unwrap();
        }
        sim.happened().iter().map(|h| h.coordinates).collect::<Vec<_>>()
    };
    assert_eq!(run("fig14", &[]), [8]);
    assert_eq!(run("fig15", &[]), [10]);
    assert_eq!(run("high-bar", &[]), [23, 22]);
    assert_eq!(run("swing-break", &[]), [32, 32, 31, 30]);
    // the tree hangs by the left hand: letting go gives the figure a free joint of its own
    assert_eq!(run("monkey-swing", &[("click_right", 100), ("click_left", 200)]), [31, 34]);
    assert_eq!(run("monkey-swing", &[("click_left", 100)]), [37]);
}

#[test]
fn a_pulled_rope_lifts_the_figure() {
    let s = load("rope-lift");
    let mut sim = s.simulation().unwrap();
    let head = s.figure.find_link("head").unwrap();
    let height = |sim: &mut sim::Simulation| {
        let forest = sim.figure().forest().clone();
        sim.kinematics().link_pose(&forest, head).translation.z
    };
    let before = height(&mut sim);
    (0..4000).for_each(|_| {
        sim.step(s.dt).unwrap();
    });
    assert!(height(&mut sim) - before > 0.2, "rises by {}", height(&mut sim) - before);
}

/// Two free bricks; `more` is added to the text.
fn bricks(more: &str) -> Result<Scene, Error> {
    let brick = |name: &str, x: f64| {
        format!(
            "[[figure]]\nname = \"{name}\"\nat = [{x}, 0, 0]\n[[figure.link]]\nname = \"brick\"\nmass = 2\n\
             [[figure.link.shape]]\nkind = \"box\"\nsize = [0.2, 0.1, 0.1]\n[figure.link.joint]\nname = \"root\"\n\
             kind = \"free\"\n"
        )
    };
    scene::read(&format!("{}{}{more}", brick("one", 0.0), brick("two", 1.0)), "bricks.toml", None)
}

#[test]
fn several_figures_have_prefixes_places_and_velocities() {
    let s = bricks("").unwrap();
    let joints: Vec<&str> = s.figure.joints().map(|(_, j)| j.name.as_str()).collect();
    assert_eq!(joints, ["one/root", "two/root"]);
    let two = s.figure.find_joint("two/root").unwrap();
    assert_eq!(s.state.q_of(&s.figure, two).unwrap()[..3], [1.0, 0.0, 0.0]);
    assert_eq!(s.name, "bricks");
}

#[test]
fn a_connection_without_a_place_on_b_is_closed_where_it_is() {
    let s = bricks("[[connect]]\nname = \"rod\"\na = \"one/brick\"\nb = \"two/brick\"\nkind = \"fixed\"\n")
        .unwrap();
    let two = s.figure.find_joint("two/root").unwrap();
    assert_eq!(s.state.q_of(&s.figure, two).unwrap()[0], 1.0);
    let s = bricks(
        "[[connect]]\nname = \"rod\"\na = \"one/brick\"\nb = \"two/brick\"\nkind = \"spherical\"\na_at = [0.1, 0, 0]\n\
         b_at = [-0.1, 0, 0]\n",
    )
    .unwrap();
    let (one, two) = (s.figure.find_joint("one/root").unwrap(), s.figure.find_joint("two/root").unwrap());
    let x = |h| s.state.q_of(&s.figure, h).unwrap()[0];
    assert!((x(two) - x(one) - 0.2).abs() < 1e-10, "brought together: {} and {}", x(one), x(two));
}

#[test]
fn a_grip_that_is_pulled_too_hard_breaks() {
    // one brick hangs on the world, the other on the first: 2 and 4 times its weight of 2 kg
    let text = "[[connect]]\nname = \"nail\"\na = \"one/brick\"\nkind = \"spherical\"\n\
                [[connect]]\nname = \"glue\"\na = \"two/brick\"\nb = \"one/brick\"\nkind = \"fixed\"\nbreak_force = 15\n";
    let s = bricks(text).unwrap();
    let mut sim = s.simulation().unwrap();
    for _ in 0..1000 {
        sim.step(1e-3).unwrap();
    }
    let broke: Vec<(&str, usize)> = sim.happened().iter().map(|h| (h.what.as_str(), h.coordinates)).collect();
    assert_eq!(broke, [("glue broke", 15)]);
}

/// The error must contain all parts.
#[track_caller]
fn refused(more: &str, parts: &[&str]) {
    let error = bricks(more).expect_err("a scene that is wrong").to_string();
    for part in parts.iter().chain(&["bricks.toml"]) {
        assert!(error.contains(part), "expected: {part}\ngot: {error}");
    }
}

#[test]
fn wrong_scenes_are_refused_with_their_place() {
    let connect = |rest: &str| format!("[[connect]]\nname = \"c\"\n{rest}");
    refused("[[conect]]\n", &["25:3: conect: unknown key", "`connect`"]);
    refused("[[connect]]\na = \"x\"\n", &["25:1: name of connection 1: is missing"]);
    refused(
        &connect("a = \"one/brik\"\nkind = \"fixed\"\n"),
        &["27:5: a of connection `c`: there is no link `one/brik`; the nearest are `one/brick`"],
    );
    refused(
        &connect("a = \"one/brick\"\nkind = \"glued\"\n"),
        &["28:8: kind of connection `c`: is \"glued\""],
    );
    refused(
        &connect("a = \"one/brick\"\nb = \"one/brick\"\nkind = \"fixed\"\n"),
        &["28:5: b of connection `c`: joins a link to itself"],
    );
    refused(
        &connect("a = \"one/brick\"\nkind = \"fixed\"\njoint = 1\n"),
        &["29:1: joint of connection `c`: unknown key"],
    );
    refused(
        &connect("a = \"one/brick\"\nkind = \"fixed\"\nlater = true\nb_at = [0, 0, 0]\n"),
        &["30:8: b_at of connection `c`", "closes at the pose of that time"],
    );
    refused(
        &connect("a = \"one/brick\"\nkind = \"fixed\"\nbreak_force = -1\n"),
        &["29:15", "more than zero"],
    );
    refused(
        "[[event]]\ndo = \"cut\"\nwhat = \"one/root\"\n",
        &["25:1: event 1: has no `at`, `signal` or `when`"],
    );
    refused(
        "[[event]]\nat = 1\nsignal = \"x\"\ndo = \"cut\"\nwhat = \"one/root\"\n",
        &["27:10", "conflicts with `at`"],
    );
    refused(
        "[[event]]\nat = 1\ndo = \"cut\"\nwhat = \"one/rot\"\n",
        &["28:8: what of event 1", "`one/root`"],
    );
    refused(
        "[[event]]\nat = 1\ndo = \"drop\"\nwhat = \"one/root\"\n",
        &["27:6", "\"cut\", \"connect\", \"start\", \"stop\""],
    );
    refused(
        "[[event]]\nat = 1\ndo = \"connect\"\nwhat = \"c\"\n",
        &["28:8", "`later = true`", "none is defined"],
    );
    refused("[[event]]\nat = 1\ndo = \"stop\"\nwhat = \"c\"\n", &["28:8", "no control `c`"]);
    refused(
        "[[event]]\nwhen = { leaves = \"one/brick\", box = [[1, 0, 0], [0, 1, 1]] }\ndo = \"cut\"\nwhat = \"one/root\"\n",
        &["26:38", "wrong order"],
    );
    refused(
        "[[event]]\nwhen = { force_of = \"grip\", above = 3 }\ndo = \"cut\"\nwhat = \"one/root\"\n",
        &["26:21", "no connection `grip`"],
    );
    refused(
        "[[control]]\nkind = \"pose\"\njoints = [\"one/rot\"]\nstiffness = 1\n",
        &["27:11", "`one/root`"],
    );
    refused(
        "[[control]]\nkind = \"pose\"\njoints = [\"one/root\"]\nstiffness = 1\n",
        &["one/root", "free", "held"],
    );
    refused("[[control]]\nkind = \"magic\"\n", &["26:8", "\"none\", \"pose\", \"limits\""]);
    refused(
        "[[control]]\nkind = \"pose\"\nstifness = 1\n",
        &["27:1: stifness of control 1: unknown key", "`stiffness`"],
    );
    refused("[[control]]\nkind = \"limits\"\nk = 3\n", &["blend_deg of control 1: is missing"]);
}

#[test]
fn wrong_figures_are_refused_with_their_place() {
    #[track_caller]
    fn refused(text: &str, parts: &[&str]) {
        let error = scene::read(text, "s.toml", None).expect_err("a scene that is wrong").to_string();
        for part in parts.iter().chain(&["s.toml"]) {
            assert!(error.contains(part), "expected: {part}\ngot: {error}");
        }
    }
    refused("dt = 1\n", &["figure: is missing"]);
    refused("figure = 3\n", &["1:10: figure: is a number, expected a list"]);
    refused("[[figure]]\n", &["1:1: use of figure 1: is missing"]);
    refused("[[figure]]\nuse = \"human-61\"\n", &["2:7: use of figure 1", "the nearest are `human-16`"]);
    refused("[[figure]]\nuse = \"human-16\"\nrole = \"extra\"\n", &["3:8", "\"figure\", \"environment\""]);
    refused(
        "[[figure]]\nuse = \"human-16\"\npose_deg = { left_kne = 3 }\n",
        &["3:14: left_kne", "`left_knee`"],
    );
    refused(
        "[[figure]]\nuse = \"human-16\"\npose_deg = { left_knee = [3, 4] }\n",
        &["3:26", "2 numbers, expected 1"],
    );
    refused(
        "[[figure]]\nuse = \"human-16\"\npose_deg = { root = [0, 0, 0] }\n",
        &["3:21", "belongs in `pose`"],
    );
    refused("[[figure]]\nuse = \"human-16\"\nvelocity = { root = 3 }\n", &["3:21", "1 numbers, expected 6"]);
    refused("[[figure]]\nuse = \"human-16\"\n[[figure]]\nuse = \"human-16\"\n", &["3:1: name of figure 2"]);
    refused("[[figure]]\nuse = \"human-16\"\nlink = [1]\n", &["3:8", "conflicts with `use`"]);
    refused("[[figure]]\nlink = [{ name = \"a\" }]\n", &["2:8", "[[figure.link]]"]);
    refused("dt = 0\n[[figure]]\nuse = \"human-16\"\n", &["1:6: dt: is 0, expected more than zero"]);
    refused(
        "[[figure]]\nuse = \"human-16\"\n[figure.hang]\nlink = \"left_hnd\"\nname = \"g\"\nkind = \"spherical\"\n",
        &["4:8: link of hang of figure 1", "`left_hand`"],
    );
    // inside an inline figure, by the reader of figures
    let inline = "[[figure]]\nrigid = true\n[[figure.link]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n  [figure.link.joint]\n  kind = \"hing\"\n";
    refused(inline, &["7:3: name of the joint of link `a`: is missing"]);
    refused(&inline.replace("kind", "name = \"j\"\n  kind"), &["9:10: kind of joint `j`: is \"hing\""]);
}

#[test]
fn connections_that_cannot_close_say_by_how_much() {
    let text = "[[figure]]\n[[figure.link]]\nname = \"arm\"\nmass = 1\ninertia = [1, 1, 1]\n[figure.link.joint]\n\
                name = \"j\"\nkind = \"revolute\"\naxis = \"y\"\n[[connect]]\nname = \"far\"\na = \"arm\"\n\
                kind = \"spherical\"\na_at = [1, 0, 0]\nb_at = [3, 0, 0]\n";
    let error = scene::read(text, "far.toml", None).unwrap_err().to_string();
    assert!(
        error.starts_with("far.toml: ") && error.contains("2.000e0 m") && error.contains("`far`"),
        "{error}"
    );
}

#[test]
fn springs_of_a_limits_control_act_at_the_ends_of_the_range() {
    let text = |control: &str| {
        format!(
            "gravity = [0, 0, 0]\n[[figure]]\nvelocity = {{ j = 2 }}\n[[figure.link]]\nname = \"arm\"\nmass = 1\n\
             inertia = [1, 1, 1]\n[figure.link.joint]\nname = \"j\"\nkind = \"revolute\"\naxis = \"y\"\n\
             range_deg = [-45, 45]\n{control}"
        )
    };
    let furthest = |control: &str| {
        let s = scene::read(&text(control), "arm.toml", None).unwrap();
        let mut sim = s.simulation().unwrap();
        let mut most: f64 = 0.0;
        for _ in 0..1000 {
            sim.step(1e-3).unwrap();
            most = most.max(sim.state().q[0]);
        }
        most.to_degrees()
    };
    assert!(furthest("") > 100.0);
    assert!(furthest("[[control]]\nkind = \"none\"\n") > 100.0);
    let held = furthest("[[control]]\nkind = \"limits\"\nk = 500\nn = 2\nblend_deg = 10\n");
    assert!((35.0..50.0).contains(&held), "{held}");
}
