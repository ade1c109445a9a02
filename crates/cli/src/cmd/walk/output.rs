//! Text output of a walk.

use super::step;
use crate::args::WalkArgs;
use crate::report;
use anthropi_app::report::walk::{Report, between, compared, deviation_text, is_comparable, words};
use anthropi_app::walk::gait_word;
use anthropi_motion::gait::GaitMeasures;
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::Kind;
use anthropi_motion::gait::terrain::Terrain;
use comfy_table::Table;
use std::fmt::Write;

/// Text for the terminal.
pub fn to_text(outcome: &Report, args: &WalkArgs) -> String {
    let (walk, walked) = (outcome.walk, &outcome.walked);
    let clip = &walked.filtered.clip;
    let [_, did] = words(&walk.segments);
    let mut text = format!(
        "{}: {} steps in {:.2} s by {}: {}\n\n",
        walk.walk.name,
        walked.steps.steps.len(),
        clip.duration(),
        walk.figure.name,
        walked.fell().map_or_else(
            || did.to_string(),
            |t| report::paint(&format!("FELL at {t:.2} s"), report::Tone::Bad)
        ),
    );
    text.push_str(&parameters(outcome));
    text.push('\n');
    if walk.segments.iter().any(|s| s.parameters.kind != Kind::Jump) {
        let _ = writeln!(text, "{}\n", determinants(outcome));
    }
    if let Some(neutral) = &outcome.neutral {
        let _ = writeln!(text, "{}\n", against_neutral(&walked.measured, neutral));
    }
    text.push_str(&forces(outcome));
    if is_comparable(walk) {
        text.push_str("\nagainst normative data at self-selected speed\n");
        walked.deviations().iter().for_each(|n| {
            let _ = writeln!(text, "  {}", deviation_text(n));
        });
    }
    if let Some(study) = &outcome.step {
        let _ = write!(text, "\n{}", step::to_text(study));
    }
    text.push_str(&report::notes(&outcome.notes));
    text.push('\n');
    text.push_str(&crate::cmd::filter::files(
        args.out.as_deref(),
        args.report.as_deref(),
        args.record.as_deref(),
    ));
    text
}

fn determinants(outcome: &Report) -> Table {
    let mut table = report::table(&["determinant", "least", "most", ""]);
    for (name, r) in &outcome.walked.measured.determinants {
        let unit = if *name == "lateral" { "m" } else { "deg" };
        let digits = if *name == "lateral" { 3 } else { 1 };
        table.add_row([
            name.replace('_', " "),
            format!("{:.digits$}", r.min),
            format!("{:.digits$}", r.max),
            unit.into(),
        ]);
    }
    table
}

fn against_neutral(this: &GaitMeasures, neutral: &GaitMeasures) -> Table {
    let mut table = report::table(&["against the neutral walk", "this", "neutral", "by", ""]);
    for c in compared(this, neutral) {
        table.add_row([&[c.what.to_string()], &c.numbers()[..], &[c.unit.to_string()]].concat());
    }
    table
}

/// Ground forces, landing and slip, and the physics check.
fn forces(outcome: &Report) -> String {
    let (filtered, m) = (&outcome.walked.filtered, &outcome.walked.measured);
    let audit = &filtered.audit;
    let broken =
        audit.normal_violations + audit.friction_violations + audit.cop_outside + audit.torque_violations;
    let mut text = String::new();
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "  {what:<18}{value}");
    };
    line(
        "ground force",
        format!(
            "vertical {} BW, fore-aft {} BW; friction used {:.2} of {}",
            between(&m.load),
            between(&m.along),
            m.friction,
            outcome.walk.settings.friction
        ),
    );
    line(
        "landing",
        format!("at most {:.3} m/s; feet in stance slip at most {:.2} mm", m.landing, 1000.0 * m.slip),
    );
    line(
        "physics",
        format!(
            "{}: residual force {:.0e} N over {} steps, {broken} violations of friction, sole or strength limits",
            match (filtered.is_consistent(), filtered.fell) {
                (true, _) => "consistent",
                (false, None) => "NOT consistent",
                (false, Some(_)) => "NOT consistent: fell",
            },
            audit.force_peak,
            audit.steps
        ),
    );
    line("speed", format!("{:.1} times real time", outcome.realtime_factor));
    text
}

/// Requested and measured parameters; for several segments, the requested ones of each.
fn parameters(outcome: &Report) -> String {
    let (walk, m) = (outcome.walk, &outcome.walked.measured);
    if let [segment] = &walk.segments[..] {
        let p = segment.parameters;
        let mut table = report::table(&["", "requested", words(&walk.segments)[1], ""]);
        // a fall before the first steady step leaves nothing to measure
        let is_measured = m.speed > 0.0 || p.kind == Kind::Jump;
        let mut row = |what: &str, requested: f64, walked: f64, digits: usize, unit: &str| {
            let walked = if is_measured { format!("{walked:.digits$}") } else { "-".into() };
            table.add_row([what.to_string(), format!("{requested:.digits$}"), walked, unit.to_string()]);
        };
        if p.kind == Kind::Jump {
            for j in &m.jumps {
                row("rise", p.rise, j.height, 3, "m");
                row("length", p.length, j.length, 3, "m");
                row("flight", -p.double, j.flight, 3, "s");
            }
            return format!("{table}\n");
        }
        row("speed", p.speed, m.speed, 3, "m/s");
        row("step length", p.length, m.length, 3, "m");
        row("step frequency", p.frequency, m.frequency, 3, "per s");
        let (what, requested, actual) = match p.kind {
            Kind::Walk => ("double support", p.double, m.double_support),
            _ => ("flight", -p.double, m.flight),
        };
        row(what, 100.0 * requested / p.cycle(), 100.0 * actual, 1, "% of the cycle");
        return format!("{table}\n");
    }
    let mut table = report::table(&["segment", "steps", "m/s", "m", "per s", "style"]);
    for (i, (request, s)) in walk.walk.requests.iter().zip(&walk.segments).enumerate() {
        let p = s.parameters;
        table.add_row([
            format!("{} {}{}", i + 1, gait_word(p.kind), terrain_text(s)),
            s.steps.to_string(),
            format!("{:.2}", p.speed),
            format!("{:.2}", p.length),
            format!("{:.2}", p.frequency),
            request.style.name.clone(),
        ]);
    }
    format!(
        "{table}\n\nover all steady steps: {:.3} m/s, {:.3} m, {:.3} per s, double support {:.1} %\n",
        m.speed,
        m.length,
        m.frequency,
        100.0 * m.double_support
    )
}

/// Turn and ground of a segment, unless straight and level.
fn terrain_text(segment: &Segment) -> String {
    let ground = match segment.ground {
        Terrain::Level => String::new(),
        Terrain::Slope(angle) => format!(", slope {:.0} deg", angle.to_degrees()),
        Terrain::Stairs { rise, tread } => format!(", stairs {rise:.2} x {tread:.2} m"),
    };
    match segment.turn {
        0.0 => ground,
        turn => format!("{ground}, turn {:.0} deg", turn.to_degrees()),
    }
}
