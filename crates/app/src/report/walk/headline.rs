//! The outcome, and requested against actual parameters.

use super::super::header::{Grade, Header, Tile, outcome, write_tiles};
use super::super::table;
use super::Report;
use crate::plot::escape;
use crate::walk::{PreparedWalk, gait_word};
use anthropi_formats::names::counted;
use anthropi_motion::gait::measure::Range;
use anthropi_motion::gait::parameter::Kind;
use anthropi_motion::gait::terrain::Terrain;

/// Relative tolerance of a requested parameter; of durations, as a fraction of the cycle.
const MET: f64 = 0.01;

/// Writes the header.
pub fn write(out: &mut String, report: &Report) {
    let (walk, walked, clip) = (report.walk, &report.walked, &report.walked.filtered.clip);
    let (grade, answer) = outcome(walked.fell(), walked.filtered.is_consistent());
    let figure = clip.figure();
    let load = if walk.load > 0.0 { format!(" and a backpack of {} kg", walk.load) } else { String::new() };
    let header = Header {
        kind: "Gait",
        name: &walk.walk.name,
        facts: format!(
            "{} in {:.2} s; {}, {:.1} kg{}{load}",
            counted(walked.steps.steps.len(), "step"),
            clip.duration(),
            figure.name,
            figure.mass() - walk.load,
            figure.stature.map_or(String::new(), |s| format!(", {s:.2} m"))
        ),
        grade,
        answer: &answer,
        summary: format!("<p>{}</p>", escape(&summary(report))),
    };
    header.open(out);
    write_tiles(out, &tiles(report));
    if walk.segments.len() > 1 {
        segments(out, walk);
    }
    out.push_str("</header>\n");
}

/// Physics in a sentence.
fn summary(report: &Report) -> String {
    let (audit, m) = (&report.walked.filtered.audit, &report.walked.measured);
    let violations = audit.normal_violations + audit.friction_violations + audit.cop_outside;
    format!(
        "Only ground contact and joint torques within human strength move the figure: over {} steps of a millisecond the residual \
         force is at most {:.0e} N, with {}. Feet land at up to {:.3} m/s.",
        audit.steps,
        audit.force_peak,
        counted(violations, "contact violation"),
        m.landing
    )
}

/// Grade of a value against the request, if there is one.
fn grade(is_met: Option<bool>) -> Grade {
    match is_met {
        None => Grade::None,
        Some(true) => Grade::Good("as requested"),
        Some(false) => Grade::Borderline("not as requested"),
    }
}

fn tiles(report: &Report) -> Vec<Tile> {
    let m = &report.walked.measured;
    // compare only if there is one segment and no fall
    let requested = match &report.walk.segments[..] {
        [one] if report.walked.fell().is_none() => Some(one.parameters),
        _ => None,
    };
    let kind = report.walk.segments.first().map_or(Kind::Walk, |s| s.parameters.kind);
    let pair = |what, unit: &str, actual: f64, requested: Option<f64>, digits: usize| Tile {
        what,
        value: format!("{actual:.digits$} {unit}"),
        details: vec![
            requested.map_or("over all steady steps".into(), |r| format!("requested: {r:.digits$} {unit}")),
        ],
        grade: grade(requested.map(|r| (actual - r).abs() <= MET * r)),
    };
    let part = |what, actual: f64, requested: Option<f64>| Tile {
        what,
        value: format!("{:.1} %", 100.0 * actual),
        details: vec![match requested {
            Some(r) => format!("of the cycle; requested: {:.1} %", 100.0 * r),
            None => "of the cycle, over all steady steps".into(),
        }],
        grade: grade(requested.map(|r| (actual - r).abs() <= MET)),
    };
    let times = match kind {
        Kind::Walk => part("Double support", m.double_support, requested.map(|p| p.double / p.cycle())),
        Kind::Run | Kind::Jump => part("Flight", m.flight, requested.map(|p| -p.double / p.cycle())),
    };
    let plain =
        |what, value: String, detail: String| Tile { what, value, grade: Grade::None, details: vec![detail] };
    vec![
        pair("Speed", "m/s", m.speed, requested.map(|p| p.speed), 3),
        pair("Step length", "m", m.length, requested.map(|p| p.length), 3),
        pair("Step frequency", "/s", m.frequency, requested.map(|p| p.frequency), 3),
        times,
        plain("Vertical ground force", between(&m.load), "body weights, both feet, over steady steps".into()),
        plain(
            "Fore-aft ground force",
            between(&m.along),
            format!("body weights; friction used: {:.2} of {}", m.friction, report.walk.settings.friction),
        ),
        plain("Vertical excursion", format!("{:.1} cm", 100.0 * m.vertical), "of the centre of mass".into()),
        plain("Simulation speed", format!("{:.1} x", report.realtime_factor), "real time".into()),
    ]
}

/// A range, or a dash.
pub fn between(range: &Range) -> String {
    if range.min <= range.max { format!("{:.2} to {:.2}", range.min, range.max) } else { "\u{2013}".into() }
}

/// Table of segments.
fn segments(out: &mut String, walk: &PreparedWalk) {
    out.push_str("<h3>Segments</h3>\n");
    let header = ["#", "gait", "style", "steps", "speed, m/s", "step length, m", "steps/s", "turn", "ground"];
    let rows = walk.walk.requests.iter().zip(&walk.segments).enumerate().map(|(i, (request, s))| {
        let p = s.parameters;
        let ground = match s.ground {
            Terrain::Level => "level".to_string(),
            Terrain::Slope(angle) => format!("slope {:.0}\u{b0}", angle.to_degrees()),
            Terrain::Stairs { rise, tread } => format!("stairs {rise:.2} m, {tread:.2} m deep"),
        };
        let turn = format!("{:.0}\u{b0}", s.turn.to_degrees());
        let numbers = [p.speed, p.length, p.frequency].map(|x| format!("{x:.2}"));
        let gait = [gait_word(p.kind).to_string(), escape(&request.style.name), s.steps.to_string()];
        [&[(i + 1).to_string()], &gait[..], &numbers, &[turn, ground]].concat()
    });
    table(out, &header, rows);
}
