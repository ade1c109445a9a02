//! Walks and styles: built-in ones, the reader, and a walk in every style.

use anthropi_app::builtin;
use anthropi_app::report::walk::{Report, compared, page};
use anthropi_app::resolve::{ItemKind, toml_kind};
use anthropi_app::walk::{self, NEUTRAL, PreparedWalk, SegmentLength, SegmentRequest, WalkFile};
use anthropi_motion::gait::backpack::with_backpack;
use anthropi_motion::gait::parameter::{Kind, PaceRequest};
use anthropi_motion::gait::style::Style;
use anthropi_motion::gait::terrain::Terrain;
use anthropi_motion::gait::{GaitMeasures, WalkResult, WalkSettings, Walker};
use anthropi_motion::papers::virtual_leg::Sharing;
use std::sync::Arc;

/// Steady steps of the test walks.
const STEPS: usize = 4;

fn walker(figure: &str) -> Walker {
    Walker::new(&Arc::new(builtin::figure(figure).unwrap().unwrap().figure), &[]).unwrap()
}

fn walked(walker: &Walker, walking: &WalkFile) -> WalkResult {
    let segments = walking.segments(walker.stature(Some(1.7))).unwrap();
    walker.walk(&segments, &WalkSettings::default(), &mut |_| (), &mut |_| ()).unwrap()
}

fn styled(name: &str) -> WalkFile {
    let style = builtin::style(name).unwrap().unwrap();
    WalkFile::new(
        name,
        vec![SegmentRequest { style, length: SegmentLength::Steps(STEPS), ..SegmentRequest::default() }],
    )
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = walk::read(text, "w.toml", None).expect_err("refused").to_string();
    for part in parts {
        assert!(message.contains(part), "expected {part}\ngot: {message}");
    }
}

#[track_caller]
fn refused_style(text: &str, parts: &[&str]) {
    let message = walk::read_style(text, "s.toml").expect_err("refused").to_string();
    for part in parts {
        assert!(message.contains(part), "expected {part}\ngot: {message}");
    }
}

#[test]
fn names_and_summaries_match_the_files() {
    for b in builtin::STYLES {
        let read = builtin::style(b.name).unwrap().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((read.name.as_str(), read.what.as_str()), (b.name, b.what));
        assert!(b.what.len() > 20, "{}", b.name);
    }
    for b in builtin::WALKS {
        let read = builtin::walk(b.name).unwrap().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((read.name.as_str(), read.what.as_str()), (b.name, b.what));
        assert_eq!(toml_kind(b.text, b.name).unwrap(), ItemKind::Walk);
    }
    assert!(builtin::style("no-such-style").is_none() && builtin::walk("no-such-walk").is_none());
}

#[test]
fn styles_are_many_and_no_two_are_alike() {
    let all: Vec<(&str, Style)> =
        builtin::STYLES.iter().map(|b| (b.name, builtin::style(b.name).unwrap().unwrap().style)).collect();
    assert!(all.len() >= 10, "{}", all.len());
    assert_eq!(all[0], (NEUTRAL, Style::default()), "the neutral style changes nothing");
    for (i, (a, first)) in all.iter().enumerate() {
        first.determinants.check().unwrap_or_else(|e| panic!("{a}: {e}"));
        for (b, second) in &all[i + 1..] {
            assert!(first != second, "{a} and {b}");
        }
    }
}

#[test]
fn a_style_lists_differences() {
    let text = "what = \"x\"\nspeed = 0.5\nlean_deg = 90e-1\nsharing = \"cubic\"\n[determinants]\nfoot = 0\n";
    let read = walk::read_style(text, "some/where/limping.toml").unwrap();
    assert_eq!((read.name.as_str(), read.what.as_str()), ("limping", "x"));
    let usual = Style::default();
    let mut wanted = Style { speed: 0.5, lean: 9f64.to_radians(), sharing: Sharing::Cubic, ..usual };
    wanted.determinants.foot = 0.0;
    assert_eq!(read.style, wanted);
}

#[test]
fn wrong_styles_are_refused_with_line_and_field() {
    refused_style("speed = 1\nlaen_deg = 3", &["s.toml:2:1", "laen_deg", "unknown key", "lean_deg"]);
    refused_style("\nspeed = 9", &["s.toml:2:9", "speed: is 9, expected 0.2 to 2"]);
    refused_style("arms = \"wide\"", &["s.toml:1:8", "arms: is a string, expected a number"]);
    refused_style("sharing = \"some\"", &["sharing", "\"linear\", \"cosine\", \"cubic\""]);
    refused_style(
        "[determinants]\nfoot = 7",
        &["s.toml:2:8", "foot of determinants: is 7, expected 0 to 1.2"],
    );
    refused_style("[determinants]\nhand = 1", &["s.toml:2:1", "hand of determinants", "unknown key"]);
    refused_style("determinants = 3", &["determinants: is a number, expected a table"]);
    refused_style("speed = ", &["s.toml:1:"]);
    refused_style(&" ".repeat(walk::MAX_BYTES + 1), &["files of this kind are read up to"]);
}

#[test]
fn all_fields_of_a_walk_are_read_and_follow_the_segment_before() {
    let text = r#"
        name = "all"
        what = "a line"
        figure = "human-28"
        height = 1.8
        mass = 75
        load_kg = 10
        friction = 0.5
        [[segment]]
        steps = 6
        speed = 1.2
        step_frequency = 1.9
        style = "happily"
        determinants = { foot = 0.5 }
        turn_deg = 90
        [[segment]]
        seconds = 4
        slope_deg = 5
        [[segment]]
        gait = "run"
        step_length = 0.7
        style = "neutral"
        stairs = { rise = 0.17, tread = 0.3 }
        [[segment]]
        steps = 2
        slope_deg = 0
        [[push]]
        at = 1
        for = 0.2
        link = "chest"
        force = [0, 50, 0]
    "#;
    let walk = walk::read(text, "w.toml", None).unwrap();
    assert_eq!((walk.name.as_str(), walk.what.as_str()), ("all", "a line"));
    assert_eq!((walk.figure.as_deref(), walk.height, walk.mass), (Some("human-28"), Some(1.8), Some(75.0)));
    assert_eq!((walk.load, walk.friction, walk.pushes().count()), (Some(10.0), Some(0.5), 1));
    let [a, b, c, d] = &walk.requests[..] else { panic!("{}", walk.requests.len()) };
    assert_eq!(
        (a.length, b.length, c.length),
        (SegmentLength::Steps(6), SegmentLength::Seconds(4.0), SegmentLength::Seconds(4.0))
    );
    let both = PaceRequest { speed: Some(1.2), frequency: Some(1.9), ..PaceRequest::default() };
    assert_eq!((a.pace, b.pace), (both, both));
    assert_eq!(c.pace, PaceRequest { length: Some(0.7), ..PaceRequest::default() });
    // stairs have their own pace; after them the pace requested before holds again
    assert_eq!(d.pace, both);
    assert_eq!((a.kind, b.kind, c.kind, d.kind), (Kind::Walk, Kind::Walk, Kind::Run, Kind::Run));
    assert_eq!((&*b.style.name, b.style.style.determinants.foot), ("happily", 0.5));
    assert_eq!((&*c.style.name, c.style.style.determinants.foot), (NEUTRAL, 1.0));
    assert_eq!((a.turn.to_degrees().round(), b.turn), (90.0, 0.0), "a turn is made once");
    assert_eq!((a.ground, b.ground), (Terrain::Level, Terrain::Slope(5f64.to_radians())));
    assert_eq!((c.ground, d.ground), (Terrain::Stairs { rise: 0.17, tread: 0.3 }, Terrain::Level));
}

#[test]
fn wrong_walks_are_refused_with_line_and_field() {
    let one = |fields: &str| format!("name = \"w\"\n[[segment]]\n{fields}\n");
    refused("name = \"w\"", &["w.toml", "segment", "is missing"]);
    // the name of version 0.1 still works, but not beside the present one
    assert_eq!(walk::read("name = \"w\"\n[[stretch]]\nsteps = 2", "w.toml", None).unwrap().requests.len(), 1);
    refused(&(one("steps = 2") + "[[stretch]]\nsteps = 2\n"), &["w.toml:4", "stretch", "unknown key"]);
    refused(&one("sped = 1"), &["w.toml:3:1", "sped of segment 1", "unknown key", "`speed`"]);
    refused(&one("speed = -1"), &["w.toml:3:9", "speed of segment 1: is -1, expected more than zero"]);
    refused(&one("steps = 2.5"), &["steps of segment 1", "whole number of steps"]);
    refused(&one("steps = 2\nseconds = 3"), &["w.toml:4", "seconds of segment 1", "conflicts with `steps`"]);
    refused(&one("style = \"gaily\""), &["w.toml:3:9", "no style `gaily`", "happily", "tired"]);
    refused(&one("gait = \"hop\""), &["gait of segment 1", "\"walk\", \"run\""]);
    refused(&one("stairs = { rise = 0.2 }"), &["tread of stairs", "is missing"]);
    refused(&one("stairs = { rise = 2, tread = 0.3 }"), &["rise of stairs: is 2, expected -0.35 to 0.35"]);
    refused(&one("slope_deg = 50"), &["slope_deg of segment 1: is 50, expected -20 to 20"]);
    refused(&one("determinants = { foot = 3 }"), &["foot of determinants: is 3"]);
    refused(&one("[[push]]\nat = 1"), &["push 1", "is missing"]);
    refused(&format!("figure = \"human-29\"\n{}", one("")), &["w.toml:1:10", "figure", "human-28"]);
    // errors of combined values name the line of the segment
    let stature = walker("anthropi-42").stature(Some(1.7));
    for (fields, part) in [
        ("step_length = 3\nstep_frequency = 1", "is 1.12 m"),
        ("step_frequency = 5", "the maximum is 182"),
        ("speed = 1\nstep_length = 1\nstep_frequency = 2", "give two"),
        ("stairs = { rise = 0.1, tread = 0.3 }\nstep_length = 0.5", "on stairs a step is a tread"),
    ] {
        let walk = walk::read(&one(fields), "w.toml", None).unwrap();
        let message = walk.segments(stature).expect_err("refused").to_string();
        assert!(message.contains("w.toml:2:1: segment 1") && message.contains(part), "{message}");
    }
}

#[test]
fn steps_of_stairs_are_treads() {
    let stature = walker("anthropi-42").stature(Some(1.7));
    let part =
        SegmentRequest { ground: Terrain::Stairs { rise: 0.17, tread: 0.3 }, ..SegmentRequest::default() };
    let p = part.parameters(stature).unwrap();
    assert!((p.length - 0.3).abs() < 1e-12 && (p.frequency - 1.3).abs() < 1e-12, "{p:?}");
    let part = SegmentRequest { pace: PaceRequest { speed: Some(0.6), ..PaceRequest::default() }, ..part };
    assert!((part.parameters(stature).unwrap().frequency - 2.0).abs() < 1e-12);
}

#[test]
fn every_style_walks_and_looks_different() {
    let walker = walker("anthropi-42");
    let looks: Vec<(&str, GaitMeasures)> = builtin::STYLES
        .iter()
        .map(|b| {
            let walked = walked(&walker, &styled(b.name));
            assert_eq!(walked.fell(), None, "{}", b.name);
            assert!(walked.filtered.is_consistent(), "{}", b.name);
            (b.name, walked.measured)
        })
        .collect();
    let neutral = &looks[0].1;
    for (name, look) in &looks[1..] {
        let far = |c: &anthropi_app::report::walk::Compared| {
            // by a twentieth, or visibly
            let seen = if c.unit == "deg" { 2.0 } else { 0.05 * c.neutral.abs() };
            c.by.abs() > seen
        };
        let differing = compared(look, neutral).iter().filter(|c| far(c)).count();
        assert!(differing >= 3, "{name} differs from neutral in {differing} numbers only: {look:?}");
    }
}

#[test]
fn a_load_is_carried_on_the_back() {
    let figure = builtin::figure("anthropi-42").unwrap().unwrap().figure;
    let heavy = with_backpack(&figure, 15.0, &[]).unwrap();
    assert!((heavy.mass() - figure.mass() - 15.0).abs() < 1e-9);
    assert_eq!(heavy.forest().nv(), figure.forest().nv());
    let chest = |f: &anthropi_dynamics::model::Figure| {
        let link = f.link(f.find_link("chest").unwrap()).unwrap().spec.clone();
        (link.inertia, link.shapes.len())
    };
    let ((own, shapes), (both, more)) = (chest(&figure), chest(&heavy));
    assert_eq!(more, shapes + 1);
    assert!(both.center().x < own.center().x - 0.02, "the pack is behind: {:?}", both.center());
    assert!(both.impossibility() < 1e-9);
    for (kg, part) in [(-1.0, "zero or more"), (f64::NAN, "zero or more"), (200.0, "maximum is its own mass")]
    {
        let message = with_backpack(&figure, kg, &[]).expect_err("refused").to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_page_has_all_its_parts() {
    let mut walking = styled("happily");
    (walking.name, walking.figure) = ("a <walk>".into(), Some("human-28".into()));
    let walk = PreparedWalk::new(walking, &[]).unwrap();
    let walked = walk.run(&mut |_| (), &mut |_| ()).unwrap();
    let (neutral, notes) = (Some(walked.measured.clone()), vec!["a note & more".into()]);
    let text = page(&Report { walk: &walk, walked, neutral, step: None, realtime_factor: 5.0, notes });
    for part in [
        "<title>a &lt;walk&gt;: a walk</title>",
        "No fall, physically consistent",
        "One gait cycle",
        "From standing to standing",
        "Footprints from above",
        "Contacts",
        "left heel",
        "right toe",
        "Ground force, vertical",
        "Ground force, fore-aft",
        "Ground force, lateral",
        "Hip",
        "Knee in stance",
        "Pelvic rotation",
        "Lateral displacement",
        "Comparison with the neutral walk",
        "Certificate",
        "a note &amp; more",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let text = text.split("<script").next().unwrap();
    assert!(!text.contains("NaN") && !text.contains(">inf"), "numbers are numbers");
    let paths = text.matches("<svg").count();
    assert!(paths >= 18, "{paths} pictures");
}
