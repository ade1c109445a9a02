//! Keyframed motions: built-in ones are physical within the bounds below, and errors name their place.

use anthropi_app::resolve::{ItemKind, toml_kind};
use anthropi_app::{builtin, keyed};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_motion::certificate::Certificate;
use anthropi_motion::clip::Clip;
use anthropi_motion::inverse::{Inverse, Options, Smoothing};

/// Bounds of a motion.
struct Bounds {
    name: &'static str,
    is_consistent: bool,
    /// body weights, rms
    force: f64,
    /// m/s along the ground, mean of what counts as touching; feet that roll over heel and toe have some
    skate: f64,
}

/// Deepest point below the ground, m.
const DEPTH: f64 = 0.005;
/// Largest motion of a pinned sole per frame, m: tolerance of the IK.
const PINNED: f64 = 1e-6;
/// Relative error of gravity in flight: smoothing mixes thrust into it.
const GRAVITY: f64 = 0.05;

const BOUNDS: [Bounds; 5] = [
    Bounds { name: "keyed-sit-stand", is_consistent: true, force: 0.01, skate: 0.001 },
    Bounds { name: "keyed-walk", is_consistent: true, force: 0.02, skate: 0.04 },
    Bounds { name: "keyed-run", is_consistent: false, force: 0.15, skate: 0.08 },
    Bounds { name: "keyed-kick", is_consistent: true, force: 0.01, skate: 0.02 },
    Bounds { name: "keyed-jump", is_consistent: false, force: 0.06, skate: 0.01 },
];

fn made(name: &str) -> Clip {
    builtin::motion(name).expect("a built-in motion").expect("it reads")
}

#[test]
fn built_in_motions_are_physical_within_their_bounds() {
    assert_eq!(BOUNDS.len(), builtin::MOTIONS.len());
    for bounds in BOUNDS {
        let clip = made(bounds.name);
        let inverse = Inverse::from_clip(&clip, &Options::default(), &mut |_| {}).expect("forces");
        let c = Certificate::from_inverse(&inverse);
        let (force, contact) = (c.residual.force_rms_bw, c.contact);
        println!("{}: {} {force:.3} {:?} {contact:?}", bounds.name, c.is_consistent, c.residual);
        assert!(force < bounds.force, "{}: {force:.3} body weights", bounds.name);
        assert!(contact.skate_mean < bounds.skate, "{}: {:.3} m/s", bounds.name, contact.skate_mean);
        assert!(contact.penetration_max < DEPTH, "{}: {:.4} m", bounds.name, contact.penetration_max);
        assert!(c.is_consistent || !bounds.is_consistent, "{}: {:?}", bounds.name, c.findings);
    }
}

#[test]
fn flights_fall_freely() {
    for (name, flights) in [("keyed-jump", 1), ("keyed-run", 8)] {
        let clip = made(name);
        let settings = Options { smoothing: Smoothing::None, ..Options::default() };
        let inverse = Inverse::from_clip(&clip, &settings, &mut |_| {}).expect("forces");
        let (mass, g) = (clip.figure().mass(), clip.figure().gravity().norm());
        let flights_found = keys_in_the_air(name, &clip);
        assert_eq!(flights_found.len(), flights, "{name}");
        for flight in flights_found {
            // without the frames next to the ground, where splines of the derivatives mix in the thrust
            let inner = flight.start + flight.len() / 5..flight.end - flight.len() / 5;
            let fall = |f: usize| g - inverse.frames[f].required.linear.z / mass;
            let mean = inner.clone().map(fall).sum::<f64>() / inner.len() as f64;
            assert!((mean / g - 1.0).abs() < GRAVITY, "{name} {flight:?}: {mean:.2} m/s2");
        }
    }
}

/// Frames in which no foot is pinned.
fn keys_in_the_air(name: &str, clip: &Clip) -> Vec<std::ops::Range<usize>> {
    let text = builtin::MOTIONS.iter().find(|b| b.name == name).expect(name).text;
    let keys = keyed::read_keys(text, name).expect("it reads");
    let (period, mirrored) = keys.cycle.map_or((f64::INFINITY, false), |c| (keys.duration, c.is_mirrored));
    let is_pinned = |t: f64| {
        let on = |t: f64| keys.pins.iter().any(|p| p.from <= t && t <= p.to);
        let t = if period.is_finite() { t % period } else { t };
        on(t) || mirrored && on((t + 0.5 * period) % period)
    };
    let air: Vec<bool> = (0..clip.frames()).map(|f| !is_pinned(clip.time(f))).collect();
    anthropi_motion::contact_schedule::intervals(&air)
}

#[test]
fn pinned_feet_stay() {
    let clip = made("keyed-sit-stand");
    let figure = clip.figure();
    let mut kinematics = Kinematics::default();
    let mut place = |frame: usize, link: &str| {
        kinematics.update(figure.forest(), clip.pose(frame), None, None);
        kinematics.link_pose(figure.forest(), figure.find_link(link).expect(link)).translation
    };
    for link in ["left_foot", "right_foot"] {
        let first = place(0, link);
        let far = (0..clip.frames()).map(|f| (place(f, link) - first).norm()).fold(0.0, f64::max);
        assert!(far < PINNED, "{link}: {far:e} m");
    }
}

#[test]
fn cycles_close_and_mirror() {
    let clip = made("keyed-walk");
    let (figure, cycle) = (clip.figure(), 100);
    let mirrored = clip.mirrored().expect("both sides");
    for (name, other) in [("left_knee", "right_knee"), ("left_hip", "right_hip"), ("waist", "waist")] {
        let at = |name: &str| figure.forest().joint_place(figure.find_joint(name).expect(name));
        let (a, b) = (at(name), at(other));
        for frame in 0..cycle {
            let now = &clip.pose(frame)[a.coordinates()];
            assert_eq!(now, &clip.pose(frame + cycle)[a.coordinates()], "{name} {frame}");
            let half = &mirrored.pose(frame + cycle / 2)[a.coordinates()];
            let off = now.iter().zip(half).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(off < 0.02, "{name} against {other} ({}) in frame {frame}: {off}", b.iq);
        }
    }
}

#[test]
fn the_same_text_gives_the_same_bits() {
    for name in ["keyed-walk", "keyed-run"] {
        let bits = |clip: Clip| clip.poses().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(made(name)), bits(made(name)), "{name}");
    }
}

#[test]
fn names_and_summaries_match_the_files() {
    for b in builtin::MOTIONS {
        assert!(b.text.contains(&format!("\nname = {:?}\n", b.name)), "{}", b.name);
        assert!(b.text.contains(&format!("\nwhat = {:?}\n", b.what)), "{}", b.what);
        assert_eq!(toml_kind(b.text, b.name).unwrap(), ItemKind::Motion);
    }
    assert!(builtin::motion("no-such-motion").is_none());
}

const SMALL: &str = "name = \"small\"\nfigure = \"human-28\"\nfps = 50\nduration = 0.2\n\
                     [[key]]\nat = 0.0\nleft_knee = 20\n[[key]]\nat = 0.2\nleft_knee = 30\n";

#[test]
fn a_small_motion_without_pins_passes_its_keys() {
    let clip = keyed::read(SMALL, "small.toml").expect("it reads");
    let knee = clip.figure().forest().joint_place(clip.figure().find_joint("left_knee").expect("a knee")).iq;
    assert_eq!((clip.frames(), clip.name.as_str()), (11, "small"));
    for (frame, deg) in [(0, 20.0f64), (5, 25.0), (10, 30.0)] {
        assert!((clip.pose(frame)[knee].to_degrees() - deg).abs() < 1e-6, "{frame}");
    }
}

#[test]
fn errors_name_their_place() {
    let pin = |text: &str| format!("{SMALL}[[pin]]\n{text}\n");
    let cycle = |text: &str| format!("{SMALL}[cycle]\n{text}\n");
    let cases = [
        (
            SMALL.replace("human-28", "human-82"),
            "x:2:10: figure: there is no built-in figure `human-82`; the nearest are",
        ),
        (SMALL.replace("fps = 50", "fps = 5"), "x:3:7: fps: is 5, expected 10 to 1000"),
        (SMALL.replace("duration = 0.2", "duration = 1e9"), "x:4:12: duration: is 1000000000, expected"),
        (
            SMALL.replace("duration = 0.2", "length = 1"),
            "x:4:1: length: unknown key; the nearest known keys are",
        ),
        (
            SMALL.replace("at = 0.2", "at = 0.0"),
            "x:9:6: at of key 2: is 0, expected later than the key before it",
        ),
        (SMALL.replace("at = 0.2", "at = 0.3"), "x:9:6: at of key 2: is 0.3, expected 0 to 0.2"),
        (
            SMALL.replacen("left_knee", "left_nee", 1),
            "x:7:1: left_nee of key 1: unknown key; the nearest known keys are `left_knee`",
        ),
        (
            SMALL.replacen("= 20", "= [20, 1]", 1),
            "x:7:13: left_knee of key 1: has 2 angles, expected 1 for a revolute joint",
        ),
        (
            SMALL.replacen("left_knee = 20", "root = { hight = 1 }", 1),
            "hight of root of key 1: unknown key; the nearest known keys are `height`",
        ),
        (SMALL.replacen("= 20", "= nan", 1), "x:7:13: left_knee of key 1: is NaN or out of range"),
        (
            pin("foot = \"left_fot\"\non = \"flat\"\nfrom = 0\nto = 0.1"),
            "x:12:8: foot of pin 1: there is no link `left_fot`; the nearest are `left_foot`",
        ),
        (
            pin("foot = \"left_foot\"\non = \"edge\"\nfrom = 0\nto = 0.1"),
            "on of pin 1: is \"edge\", expected one of",
        ),
        (
            pin("foot = \"left_foot\"\non = \"flat\"\nfrom = 0.1\nto = 0.1"),
            "to of pin 1: is 0.1, expected later than `from`, 0.1",
        ),
        (
            pin(
                "foot = \"left_foot\"\non = \"flat\"\nfrom = 0\nto = 0.1\n[[pin]]\nfoot = \"left_foot\"\non = \"toe\"\nfrom = 0.05\nto = 0.2",
            ),
            "pin 2: overlaps pin 1 of the same foot",
        ),
        (
            pin("foot = \"chest\"\non = \"flat\"\nfrom = 0\nto = 0.2"),
            "link `chest` is pinned, but is no foot with a sole",
        ),
        (cycle("repeat = 2"), "x:9:6: at of key 2: is 0.2, the end of the cycle"),
        (
            cycle("repeat = 1e9").replace("at = 0.2", "at = 0.1"),
            "repeat of cycle: is 1000000000, expected 1 to 10000",
        ),
        (
            cycle("mirror = true").replace("duration = 0.2", "duration = 0.21"),
            "x:4:12: duration: is 10.500 frames, expected a whole number",
        ),
        ("fps = ".into(), "x:1:"),
        ("fps = 50\nduration = 1\nfigure = \"human-28\"".into(), "x:1:1: key: is missing, expected poses"),
    ];
    for (text, expected) in cases {
        let got = keyed::read(&text, "x").expect_err(expected).to_string();
        assert!(got.contains(expected), "expected {expected}\n     got {got}");
    }
}

#[test]
fn pins_out_of_reach_and_huge_texts_are_refused() {
    let high = "fps = 50\nduration = 0.2\nfigure = \"human-28\"\n[[key]]\nat = 0.0\nroot.height = 0.93\n[[key]]\nat = 0.2\n\
                root.height = 1.3\n[[pin]]\nfoot = \"left_foot\"\non = \"flat\"\nfrom = 0\nto = 0.2\n";
    let got = keyed::read(high, "high").expect_err("too high").to_string();
    assert!(got.contains("`left_foot` misses its pin by"), "{got}");
    let got = keyed::read(&" ".repeat(keyed::MAX_BYTES + 1), "huge").expect_err("too large").to_string();
    assert!(got.contains("huge: 1048577 bytes"), "{got}");
}

#[test]
fn errors_name_the_file_and_the_motion_once() {
    let text = "figure = 'human-28'\nfps = 100\nduration = 1\n[[key]]\nat = 0\nroot = { height = 3 }\n\
                [[pin]]\nfoot = 'left_foot'\non = 'flat'\nfrom = 0\nto = 0.5\n";
    let error = keyed::read(text, "here/high.toml").expect_err("no leg is as long").to_string();
    assert!(error.starts_with("here/high.toml:1:1: motion `high`: at 0.00 s `left_foot` misses"), "{error}");
    assert_eq!(error.matches("high").count(), 2, "{error}");
}
