//! The page of a certificate: well-formed, complete, safe, small, the same each time. Pages are left in the target
//! directory for people to look at.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Transform, vec3};
use anthropi_io::report::{self, Report};
use anthropi_io::{builtin, bvh};
use anthropi_motion::certificate::{Certificate, Fault};
use anthropi_motion::clip::Clip;
use anthropi_motion::filter;
use anthropi_motion::inverse::{Inverse, Settings};
use anthropi_motion::person::{Options, Person};
use roxmltree::{Document, ParsingOptions};
use std::path::Path;
use std::sync::Arc;

/// A page stays below this, bytes.
const LARGEST: usize = 2_000_000;
const HOSTILE: &str = "</title><script>alert('1')</script>\" onload=\"x\u{1}&amp;";

fn clip(name: &str) -> Option<(Clip, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../shared/data/bvh/{name}.bvh"));
    let recording = bvh::read(&std::fs::read_to_string(path).ok()?, name).expect("a file of the data set");
    let person = Person::of(&recording, &Options::default()).expect("a person");
    let clip = person.clip(&recording).expect("its motion");
    Some((clip, person.notes))
}

fn judge(clip: &Clip) -> (Inverse, Certificate) {
    let inverse = Inverse::of(clip, &Settings::default(), &mut |_| {}).expect("forces");
    let certificate = Certificate::of(&inverse);
    (inverse, certificate)
}

fn page_of(name: &str, (inverse, certificate): &(Inverse, Certificate), notes: &[String]) -> String {
    report::page(&Report { name, inverse, certificate, notes })
}

fn keep(name: &str, page: &str) {
    let _ = std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.html")), page);
}

fn parse(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).expect("well-formed markup")
}

/// Elements are what they should be, links lead somewhere, nothing comes from elsewhere, all numbers are numbers.
fn assert_sound(page: &str) {
    let document = parse(page);
    let all = || document.descendants().filter(|n| n.is_element());
    let ids: Vec<&str> = all().filter_map(|n| n.attribute("id")).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "ids are unique");
    for node in all() {
        let tag = node.tag_name().name();
        assert!(
            !["link", "img", "iframe", "object", "embed", "image", "use", "base"].contains(&tag),
            "<{tag}>"
        );
        assert!(node.attribute("src").is_none(), "<{tag} src>");
        if let Some(to) = node.attribute("href") {
            assert!(to.strip_prefix('#').is_some_and(|id| ids.contains(&id)), "link to {to}");
        }
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on"), "<{tag} {}>", attribute.name());
            if ["d", "x", "y", "width", "height", "points", "data-x", "data-y"].contains(&attribute.name()) {
                assert!(!attribute.value().contains("NaN") && !attribute.value().contains("inf"), "{tag}");
            }
        }
    }
    assert_eq!(all().filter(|n| n.tag_name().name() == "script").count(), 1);
    let canvas = all().find(|n| n.tag_name().name() == "canvas").expect("a player");
    let of = |name: &str| canvas.attribute(name).expect("what the player needs");
    let (links, frames) =
        (of("data-links").parse::<usize>().expect("a number"), of("data-poses").len() * 3 / 4 / 14);
    assert!(frames >= links && frames <= 600 * links + 1, "{frames} places of {links} links");
    for (of_what, text) in
        ["data-time", "data-base", "data-step", "data-heading", "data-shapes"].map(|n| (n, of(n)))
    {
        let mut numbers = text.split([' ', ',']).map(str::parse::<f64>);
        assert!(numbers.all(|n| n.is_ok_and(f64::is_finite)), "{of_what}: {text}");
    }
    assert!(!page.contains("@import") && !page.contains("url(http"), "styles come from the page");
    assert!(page.len() < LARGEST, "{} bytes", page.len());
}

fn text_of(document: &Document) -> String {
    document.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect()
}

fn assert_tells(page: &str, certificate: &Certificate) {
    let document = parse(page);
    let text = text_of(&document);
    for (i, finding) in certificate.findings.iter().enumerate() {
        assert!(text.contains(&finding.what), "{}", finding.what);
        for id in [format!("finding-{}", i + 1), format!("spell-{}", i + 1)] {
            assert!(document.descendants().any(|n| n.attribute("id") == Some(&id)), "{id}");
        }
    }
    assert_eq!(text.contains("Not consistent with physics"), !certificate.is_consistent);
    for word in ["de Leva", "Winter", "Hicks", "Residual force", "Centre of mass", "left heel", "low-pass"] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn pages_of_recordings_tell_everything() {
    for name in ["02_01", "13_11", "16_15", "49_06", "83_27"] {
        let Some((clip, notes)) = clip(name) else { return };
        let judged = judge(&clip);
        let page = page_of(name, &judged, &notes);
        keep(name, &page);
        assert_sound(&page);
        assert_tells(&page, &judged.1);
        notes.iter().for_each(|note| assert!(text_of(&parse(&page)).contains(note), "{note}"));
    }
}

#[test]
fn faults_are_told_with_the_limits_of_the_certificate() {
    let Some((walk, notes)) = clip("35_01") else { return };
    let window = |t: f64, a: f64, b: f64| ((t - a) / 0.1).clamp(0.0, 1.0) * ((b - t) / 0.1).clamp(0.0, 1.0);
    let nq = walk.figure().forest().nq();
    let mut q = walk.poses().to_vec();
    for (f, q) in q.chunks_exact_mut(nq).enumerate() {
        let t = walk.time(f);
        q[2] += 0.06 * window(t, 0.3, 0.9) - 0.06 * window(t, 1.2, 1.8);
        q[0] += 0.3 * (t - 1.9).clamp(0.0, 0.6);
    }
    let faulty = Clip::new("faults", walk.figure().clone(), walk.dt(), q).unwrap();
    let judged = judge(&faulty);
    let page = page_of("35_01 with faults", &judged, &notes);
    keep("faults", &page);
    assert_sound(&page);
    assert_tells(&page, &judged.1);
    let document = parse(&page);
    let limits = document.descendants().find(|n| n.attribute("class") == Some("limits")).expect("limits");
    let cells: Vec<&str> = limits.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect();
    for finding in &judged.1.findings {
        let limit = (1e4 * finding.size / finding.severity).round() / 1e4;
        let printed = match finding.fault {
            Fault::Skate => format!("{limit} m/s"),
            Fault::Pull => format!("{limit} BW"),
            Fault::Penetration | Fault::Balance => format!("{} cm", 100.0 * limit),
            Fault::Gravity => format!("{} %", 100.0 * limit),
            Fault::Leap => format!("{limit} rad/s"),
            _ => continue,
        };
        assert!(cells.contains(&printed.as_str()), "{}: {printed} in {cells:?}", finding.fault);
    }
}

/// Two feet under a pelvis, with names nobody would like to meet.
fn walker(name: &str) -> Arc<Figure> {
    let block = |name: String, half| {
        let shape = Shape::Box { half };
        let mut link = LinkSpec::new(name, shape.inertia(1000.0).expect("a solid"));
        link.shapes.push(PlacedShape { shape, link_from_shape: Transform::identity() });
        link
    };
    let mut b = FigureBuilder::new(name);
    let mut root = JointSpec::new("root", JointKind::Free);
    root.home = Some([0.0, 0.0, 0.9, 1.0, 0.0, 0.0, 0.0]);
    let pelvis = b.add(block("pelvis".into(), vec3(0.1, 0.15, 0.1)), root).unwrap();
    for (side, y) in [("left", 0.1), ("right", -0.1)] {
        let mut on = pelvis;
        for (part, down, half) in [
            ("thigh", 0.0, vec3(0.06, 0.06, 0.2)),
            ("shank", 0.42, vec3(0.05, 0.05, 0.2)),
            ("foot", 0.42, vec3(0.12, 0.05, 0.03)),
        ] {
            let y = if part == "thigh" { y } else { 0.0 };
            let joint = JointSpec::new(format!("{side}_{part} {name}"), JointKind::Spherical)
                .on(on, Transform::translation(vec3(0.0, y, -down)));
            on = b.add(block(format!("{side}_{part}"), half), joint).unwrap();
        }
    }
    Arc::new(b.build().expect("a figure"))
}

/// Hops and sways for a while.
fn hops(name: &str, frames: usize) -> Clip {
    let figure = walker(name);
    let (home, dt) = (figure.forest().home().to_vec(), 1.0 / 120.0);
    let poses = (0..frames).flat_map(|f| {
        let (t, mut q) = (f as f64 * dt, home.clone());
        q[0] += 0.2 * t + 0.01 * (37.0 * t).sin();
        q[2] += 0.1 * (5.0 * t).sin().max(-0.2) * (0.3 * t).sin();
        q
    });
    Clip::new(name, figure.clone(), dt, poses.collect()).expect("a motion")
}

#[test]
fn hostile_names_are_only_text() {
    let judged = judge(&hops(HOSTILE, 240));
    let page = page_of(HOSTILE, &judged, &[HOSTILE.to_string()]);
    assert_sound(&page);
    let text = text_of(&parse(&page));
    assert!(text.matches(&HOSTILE.replace('\u{1}', "\u{fffd}")).count() >= 3, "name, note, figure");
}

#[test]
fn long_motions_make_pages_of_bounded_size_that_are_always_the_same() {
    let judged = judge(&hops("long", 40_000));
    let page = page_of("long", &judged, &[]);
    keep("long", &page);
    println!("{} bytes, {} findings", page.len(), judged.1.findings.len());
    assert_sound(&page);
    assert_eq!(page, page_of("long", &judged, &[]));
}

/// A walk made from keys through the filter, and its page.
#[test]
fn the_page_of_a_filtered_walk_is_sound() {
    let clip =
        builtin::motion("keyed-walk").expect("built in").expect("a motion").cut(0.0, 1.5).expect("a part");
    for (strength, said) in [(1.0, "every force has a source"), (0.05, "It fell at")] {
        let settings = filter::Settings { strength, ..filter::Settings::default() };
        let filtered = filter::run(&clip, &settings, &mut |_| (), &mut |_| ()).expect("a motion");
        let (inverse, certificate) = judge(&clip);
        let page = report::filter::page(&report::filter::Report {
            name: HOSTILE,
            given: (&inverse, &certificate),
            filtered: &filtered,
            alone: None,
            mode: settings.mode,
            jitter: [Some(1.0), None],
            realtime_factor: 3.0,
            notes: &[HOSTILE.into()],
        });
        keep(&format!("filter-{strength}"), &page);
        assert_sound(&page);
        assert!(page.contains(said), "{strength}: {said}");
        assert!(
            page.contains("reference</label>") && !page.contains("data-forces=\"\""),
            "what is played with it"
        );
        assert!(page.contains("Ground force, vertical") && page.contains("Joints off the reference"));
        assert!(!page.contains("<script>alert"), "names are escaped");
    }
}
