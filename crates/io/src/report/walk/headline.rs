//! Whether it fell, and what was asked and walked.

use super::{Report, words};
use crate::names::counted;
use crate::plot::escape;
use anthropi_motion::gait::ground::Ground;
use anthropi_motion::gait::measure::Range;
use anthropi_motion::gait::parameter::Kind;
use std::fmt::Write;

/// A parameter is met where it is off by no more than this part; of times, by this part of the cycle.
const MET: f64 = 0.01;

/// Writes title, answer, key numbers, and what was asked.
pub fn write(out: &mut String, report: &Report) {
    let (walked, clip) = (report.walked, &report.walked.filtered.clip);
    let [_, did] = words(report.stretches);
    let (class, sign, answer) = match (walked.fell(), walked.filtered.is_consistent()) {
        (Some(t), _) => ("bad", "\u{2717}", format!("It fell at {t:.2} s")),
        (None, true) => ("good", "\u{2713}", format!("It {did}, and every force has a source")),
        (None, false) => ("bad", "\u{2717}", format!("It {did}, but not all of it is physical")),
    };
    let figure = clip.figure();
    let load = if report.load > 0.0 { format!(" and a pack of {} kg", report.load) } else { String::new() };
    let _ = writeln!(
        out,
        "<header>\n<p class=\"kind\">Gait</p>\n<h1>{}</h1>\n<p class=\"facts\">{} in {:.2} s; {}, {:.1} kg{}{load}</p>\n\
         <div class=\"verdict {class}\"><p class=\"answer\"><span class=\"sign\">{sign}</span> {answer}</p>\n<p>{}</p></div>\n\
         <div class=\"tiles\">",
        escape(report.name),
        counted(walked.steps.steps.len(), "step"),
        clip.duration(),
        escape(&figure.name),
        figure.mass() - report.load,
        figure.stature.map_or(String::new(), |s| format!(", {s:.2} m")),
        escape(&told(report)),
    );
    tiles(report).iter().for_each(|t| t.write(out));
    out.push_str("</div>\n");
    if report.stretches.len() > 1 {
        stretches(out, report);
    }
    out.push_str("</header>\n");
}

/// Physics in a sentence.
fn told(report: &Report) -> String {
    let (proof, m) = (&report.walked.filtered.proof, &report.walked.measured);
    let broken = proof.normal_violations + proof.friction_violations + proof.cop_outside;
    format!(
        "Nothing but the ground and joints within human strength moves the figure: in {} steps of a millisecond {:.0e} N came from \
         nowhere, and forces left friction or soles {}. Feet land at {:.3} m/s at most.",
        proof.steps,
        proof.force_peak,
        counted(broken, "time"),
        m.landing
    )
}

/// A number as it was asked for and walked.
struct Tile {
    what: &'static str,
    value: String,
    detail: String,
    /// whether it is as it should be, where it is judged
    is_met: Option<bool>,
}

impl Tile {
    fn write(&self, out: &mut String) {
        let (class, grade) = match self.is_met {
            None => ("none", String::new()),
            Some(true) => {
                ("good", "<p class=\"grade\"><span class=\"sign\">\u{2713}</span> as asked</p>".into())
            }
            Some(false) => {
                ("doubtful", "<p class=\"grade\"><span class=\"sign\">!</span> not as asked</p>".into())
            }
        };
        let _ = writeln!(
            out,
            "<div class=\"tile {class}\"><p class=\"what\">{}</p><p class=\"value\">{}</p>{grade}<p class=\"detail\">{}</p></div>",
            self.what,
            escape(&self.value),
            escape(&self.detail)
        );
    }
}

fn tiles(report: &Report) -> Vec<Tile> {
    let m = &report.walked.measured;
    // one stretch has one speed; where it fell nothing was walked as asked
    let asked = match report.stretches {
        [one] if report.walked.fell().is_none() => Some(one.parameters),
        _ => None,
    };
    let kind = report.stretches.first().map_or(Kind::Walk, |s| s.parameters.kind);
    let pair = |what, unit: &str, walked: f64, asked: Option<f64>, digits: usize| Tile {
        what,
        value: format!("{walked:.digits$} {unit}"),
        detail: asked.map_or("over all steady steps".into(), |a| format!("asked: {a:.digits$} {unit}")),
        is_met: asked.map(|a| (walked - a).abs() <= MET * a),
    };
    let part = |what, walked: f64, asked: Option<f64>| Tile {
        what,
        value: format!("{:.1} %", 100.0 * walked),
        detail: match asked {
            Some(a) => format!("of the cycle; asked: {:.1} %", 100.0 * a),
            None => "of the cycle, over all steady steps".into(),
        },
        is_met: asked.map(|a| (walked - a).abs() <= MET),
    };
    let times = match kind {
        Kind::Walk => part("Double support", m.double_support, asked.map(|p| p.double / p.cycle())),
        Kind::Run | Kind::Jump => part("Flight", m.flight, asked.map(|p| -p.double / p.cycle())),
    };
    let plain = |what, value: String, detail: String| Tile { what, value, detail, is_met: None };
    vec![
        pair("Speed", "m/s", m.speed, asked.map(|p| p.speed), 3),
        pair("Step length", "m", m.length, asked.map(|p| p.length), 3),
        pair("Steps a second", "", m.frequency, asked.map(|p| p.frequency), 3),
        times,
        plain("Vertical ground force", between(&m.load), "body weights, both feet, over steady steps".into()),
        plain(
            "Fore-aft ground force",
            between(&m.along),
            format!("body weights; friction used {:.2} of {}", m.friction, report.settings.friction),
        ),
        plain("Rise and fall", format!("{:.1} cm", 100.0 * m.vertical), "of the centre of mass".into()),
        plain("Speed of the engine", format!("{:.1} x", report.realtime_factor), "real time".into()),
    ]
}

/// A range, where there is one.
pub fn between(range: &Range) -> String {
    if range.min <= range.max { format!("{:.2} to {:.2}", range.min, range.max) } else { "\u{2013}".into() }
}

/// What was asked, stretch by stretch.
fn stretches(out: &mut String, report: &Report) {
    out.push_str(
        "<h3>The way</h3>\n<div class=\"scroll\"><table class=\"limits\"><thead><tr><th>#</th><th>gait</th><th>style</th>\
         <th>steps</th><th>speed, m/s</th><th>step, m</th><th>steps/s</th><th>turn</th><th>ground</th></tr></thead>\n<tbody>\n",
    );
    for (i, (part, s)) in report.parts.iter().zip(report.stretches).enumerate() {
        let ground = match s.ground {
            Ground::Level => "level".to_string(),
            Ground::Slope(angle) => format!("slope {:.0}\u{b0}", angle.to_degrees()),
            Ground::Stairs { rise, tread } => format!("stairs {rise:.2} m, {tread:.2} m deep"),
        };
        let p = s.parameters;
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{:.2}</td>\
             <td class=\"number\">{:.2}</td><td class=\"number\">{:.2}</td><td class=\"number\">{:.0}\u{b0}</td><td>{ground}</td></tr>",
            i + 1,
            match p.kind {
                Kind::Walk => "walk",
                Kind::Run => "run",
                Kind::Jump => "jump",
            },
            escape(&part.manner.name),
            s.steps,
            p.speed,
            p.length,
            p.frequency,
            s.turn.to_degrees()
        );
    }
    out.push_str("</tbody></table></div>\n");
}
