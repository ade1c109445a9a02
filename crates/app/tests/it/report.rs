//! Report pages: well-formed, complete, safe, small, reproducible. Pages are kept in the target directory.

use anthropi_app::assessment::{Assessment, filter_and_assess};
use anthropi_app::builtin;
use anthropi_app::loaded_motion::LoadedMotion;
use anthropi_app::report;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec, PlacedShape, Shape};
use anthropi_dynamics::spatial::{Force, Transform, Vec3, vec3};
use anthropi_formats::bvh;
use anthropi_motion::certificate::{Certificate, Fault};
use anthropi_motion::clip::Clip;
use anthropi_motion::filter;
use anthropi_motion::inverse::{self, Inverse};
use anthropi_motion::note::Note;
use anthropi_motion::person::{Options, Person};
use roxmltree::{Document, ParsingOptions};
use std::path::Path;
use std::sync::Arc;

/// Largest page, bytes.
const LARGEST: usize = 2_000_000;
const HOSTILE: &str = "</title><script>alert('1')</script>\" onload=\"x\u{1}&amp;";

fn clip(name: &str) -> Option<(Clip, Vec<Note>)> {
    let path = testkit::data(&format!("bvh/{name}.bvh"))?;
    let recording = bvh::read(&std::fs::read_to_string(path).unwrap(), name).expect("a BVH file");
    let person = Person::from_recording(&recording, &Options::default()).expect("a person");
    let clip = person.clip(&recording).expect("its motion");
    Some((clip, person.notes))
}

fn assess(clip: &Clip, notes: &[Note]) -> Assessment {
    let inverse = Inverse::from_clip(clip, &inverse::Options::default(), &mut |_| {}).expect("forces");
    Assessment::new(inverse, notes.to_vec())
}

fn keep(name: &str, page: &str) {
    let _ = std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.html")), page);
}

fn parse(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).expect("well-formed markup")
}

/// Valid elements and links, nothing external, finite numbers.
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

fn assert_complete(page: &str, certificate: &Certificate) {
    let document = parse(page);
    let text = text_of(&document);
    for (i, finding) in certificate.findings.iter().enumerate() {
        assert!(text.contains(&finding.what), "{}", finding.what);
        for id in [format!("finding-{}", i + 1), format!("interval-{}", i + 1)] {
            assert!(document.descendants().any(|n| n.attribute("id") == Some(&id)), "{id}");
        }
    }
    assert_eq!(text.contains("Not consistent with physics"), !certificate.is_consistent);
    for word in ["de Leva", "Winter", "Hicks", "Residual force", "Centre of mass", "left heel", "low-pass"] {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn pages_of_recordings_are_complete() {
    for name in ["02_01", "13_11", "16_15", "49_06", "83_27"] {
        let Some((clip, notes)) = clip(name) else { return };
        let assessed = assess(&clip, &notes);
        let page = report::page(name, &assessed);
        keep(name, &page);
        assert_sound(&page);
        assert_complete(&page, &assessed.certificate);
        notes.iter().for_each(|note| assert!(text_of(&parse(&page)).contains(&note.text), "{note}"));
    }
}

#[test]
fn faults_are_listed_with_the_tolerances_of_the_certificate() {
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
    let assessed = assess(&faulty, &notes);
    let page = report::page("35_01 with faults", &assessed);
    keep("faults", &page);
    assert_sound(&page);
    assert_complete(&page, &assessed.certificate);
    let document = parse(&page);
    let limits = document.descendants().find(|n| n.attribute("class") == Some("limits")).expect("limits");
    let cells: Vec<&str> = limits.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect();
    for finding in &assessed.certificate.findings {
        let limit = (1e4 * finding.size / finding.severity).round() / 1e4;
        let printed = match finding.fault {
            Fault::Skate => format!("{limit} m/s"),
            Fault::Pull => format!("{limit} BW"),
            // widened for estimated soles, by what the frame allows
            Fault::Penetration => {
                assert!((0.03..=0.06).contains(&limit), "{limit}");
                continue;
            }
            Fault::Balance => format!("{} cm", 100.0 * limit),
            Fault::Gravity => format!("{} %", 100.0 * limit),
            Fault::Discontinuity => format!("{limit} rad/s"),
            _ => continue,
        };
        let is_printed = cells.iter().any(|cell| cell.starts_with(&printed));
        assert!(is_printed, "{}: {printed} in {cells:?}", finding.fault);
    }
}

/// Two feet under a pelvis, with hostile names.
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

/// A hopping and swaying motion.
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
    let assessed = assess(&hops(HOSTILE, 240), &[HOSTILE.into()]);
    let page = report::page(HOSTILE, &assessed);
    assert_sound(&page);
    let text = text_of(&parse(&page));
    assert!(text.matches(&HOSTILE.replace('\u{1}', "\u{fffd}")).count() >= 3, "name, note, figure");
}

#[test]
fn long_motions_make_reproducible_pages_of_bounded_size() {
    let assessed = assess(&hops("long", 40_000), &[]);
    let page = report::page("long", &assessed);
    keep("long", &page);
    println!("{} bytes, {} findings", page.len(), assessed.certificate.findings.len());
    assert_sound(&page);
    assert_eq!(page, report::page("long", &assessed));
}

#[test]
fn the_page_of_a_filtered_walk_is_sound() {
    let mut clip =
        builtin::motion("keyed-walk").expect("built in").expect("a motion").cut(0.0, 1.5).expect("a part");
    clip.name = HOSTILE.into();
    let clip = LoadedMotion::from(clip);
    for (strength, said) in [(1.0, "No fall, physically consistent"), (0.05, "Fell at")] {
        let settings =
            filter::FilterSettings { strength, max_assist: 0.0, ..filter::FilterSettings::default() };
        let mut outcome = filter_and_assess(
            HOSTILE,
            &clip,
            &inverse::Options::default(),
            &settings,
            &mut |_, _| (),
            &mut |_| (),
        )
        .expect("a motion");
        outcome.notes.push(HOSTILE.into());
        (outcome.from_motion, outcome.jitter) = (None, [Some(1.0), None]);
        let page = report::filter::page(&outcome);
        keep(&format!("filter-{strength}"), &page);
        assert_sound(&page);
        assert!(page.contains(said), "{strength}: {said}");
        assert!(
            page.contains("reference</label>") && !page.contains("data-forces=\"\""),
            "the reference is played too"
        );
        assert!(page.contains("Ground force, vertical") && page.contains("Joint tracking error"));
        assert!(!page.contains("<script>alert"), "names are escaped");
        assert!(!page.contains("id=\"assistance\"") && !page.contains("data-assist"));
        if strength == 1.0 {
            // half a body weight to the left in the last frames
            let last = outcome.filtered.assist.len() - 20;
            let force = vec3(0.0, 0.5 * clip.clip.figure().mass() * 9.81, 0.0);
            outcome.filtered.assist[last..].fill(Force::new(Vec3::ZERO, force));
            let page = report::filter::page(&outcome);
            keep("filter-assisted", &page);
            assert_sound(&page);
            for part in [
                "No fall, consistent but for assistance",
                "data-assist=",
                "<td>0.50</td>",
                "purple: assistance",
            ] {
                assert!(page.contains(part), "{part}");
            }
        }
    }
}
