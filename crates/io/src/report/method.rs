//! How it was judged: smoothing, figure, ground, limits, sources.

use super::{Report, limits, section};
use crate::names::counted;
use crate::plot::escape;
use std::fmt::Write;

const SOURCES: [&str; 3] = [
    "P. de Leva. Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters. Journal of Biomechanics 29(9), 1996. \
     doi:10.1016/0021-9290(95)00178-6: masses and inertias of body segments",
    "D. A. Winter. Biomechanics and Motor Control of Human Movement, 4th edition. Wiley, 2009. \
     doi:10.1002/9780470549148: smoothing of captured motion",
    "J. L. Hicks, T. K. Uchida, A. Seth, A. Rajagopal, S. L. Delp. Is my model good enough? Best practices for verification \
     and validation of musculoskeletal models and simulations of movement. Journal of Biomechanical Engineering 137(2), 2015. \
     doi:10.1115/1.4029304: residual forces that may be put down to measuring",
];

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    section(out, "method", "How it was judged");
    out.push_str(
        "<p>From the motion and the masses of the body follow the force and moment that must come from outside in each frame. \
         They are split over the heels, toes and hands that touch, which can only push and hold by friction. What no such \
         push can give is the residual. Joint torques follow from the motion and these pushes.</p>\n<dl>\n",
    );
    for (term, text) in facts(report) {
        let _ = writeln!(out, "<dt>{term}</dt><dd>{}</dd>", escape(&text));
    }
    out.push_str("</dl>\n");
    passes(out, report);
    if !report.notes.is_empty() {
        out.push_str("<h3>Notes of the reader and on the figure</h3>\n");
        list(out, report.notes.iter().map(String::as_str));
    }
    out.push_str("<h3>Sources</h3>\n");
    list(out, SOURCES.into_iter());
    out.push_str("</section>\n");
}

pub fn list<'a>(out: &mut String, items: impl Iterator<Item = &'a str>) {
    let items: String = items.map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    let _ = writeln!(out, "<ul>\n{items}</ul>");
}

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let inverse = report.inverse;
    let (clip, cutoff) = (&inverse.trajectory.clip, &inverse.cutoff);
    let smoothing = match cutoff.hz {
        Some(hz) => format!("low-pass at {hz} Hz: {}", cutoff.why),
        None => format!("none: {}", cutoff.why),
    };
    let (from, until) = report.span(&report.certificate.judged);
    let judged = &report.certificate.judged;
    vec![
        ("Smoothing", smoothing),
        (
            "Judged by forces",
            format!(
                "{from:.2} to {until:.2} s (frames {} to {} of {}): at the ends derivatives know one side only",
                judged.start,
                judged.end.saturating_sub(1),
                clip.frames()
            ),
        ),
        ("Figure", figure_facts(report)),
        ("Ground", ground(report)),
        ("Friction", format!("{:.2}", inverse.friction)),
        (
            "Contact",
            format!(
                "in {} of {} frames; body weight (BW) is {:.0} N",
                report.certificate.contact.frames,
                clip.frames(),
                inverse.weight()
            ),
        ),
    ]
}

fn figure_facts(report: &Report) -> String {
    let figure = report.inverse.trajectory.clip.figure();
    let stature = figure.stature.map_or("stature unknown".to_string(), |s| format!("{s:.2} m tall"));
    format!(
        "{}: {stature}, {:.1} kg, {}, {} of freedom",
        figure.name,
        figure.mass(),
        counted(figure.links().count(), "link"),
        counted(figure.forest().nv(), "degree")
    )
}

fn ground(report: &Report) -> String {
    let g = report.inverse.touches.ground;
    let slope = match g.steepness() {
        0.0 => "level".to_string(),
        s => format!("slope {:.1}\u{b0}", s.atan().to_degrees()),
    };
    let even = match g.is_even {
        true => "even",
        false => "uneven, so heights above it are not judged",
    };
    let height = 100.0 * g.height;
    let height = if height.abs() < 0.05 { 0.0 } else { height };
    format!("height {height:.1} cm, {slope}, {even}; stances scatter by {:.1} cm about it", 100.0 * g.spread)
}

/// What is let pass.
fn passes(out: &mut String, report: &Report) {
    let rows: [(&str, String); 10] = [
        ("residual force, rms", format!("{} BW", limits::FORCE)),
        ("residual moment, rms", format!("{} BW\u{b7}m", limits::MOMENT)),
        ("penetration; standing above the ground", format!("{} cm", 100.0 * limits::DEPTH)),
        ("skate: mean speed of a stance", format!("{} m/s", limits::SKATE)),
        ("pull of the ground", format!("{} BW", limits::PULL)),
        ("slip: friction that is needed", format!("{:.2}", report.inverse.friction)),
        ("balance: centre of pressure outside of what touches", format!("{} cm", 100.0 * limits::OUTSIDE)),
        ("gravity in flights, off by", format!("{} %", 100.0 * limits::GRAVITY)),
        ("float: weight carried while nothing touches", format!("{} BW", limits::FLOATS)),
        ("leap from one frame to the next", format!("{} rad/s", limits::LEAP)),
    ];
    out.push_str("<h3>What is let pass</h3>\n<table class=\"limits\"><tbody>\n");
    for (what, limit) in rows {
        let _ = writeln!(out, "<tr><td>{what}</td><td class=\"number\">{limit}</td></tr>");
    }
    out.push_str(
        "</tbody></table>\n<p class=\"note\">Consistent: both residuals are within limits and no fault was found. Peak ground \
         force, torque and power are told beside rules of thumb and are no part of the verdict.</p>\n",
    );
}
