//! Method: smoothing, figure, ground, tolerances, sources.

use super::{limits, section, table};
use crate::assessment::Assessment;
use crate::plot::escape;
use anthropi_formats::names::counted;
use anthropi_motion::note::Note;
use std::fmt::Write;

const SOURCES: [&str; 3] = [
    "P. de Leva. Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters. Journal of Biomechanics 29(9), 1996. \
     doi:10.1016/0021-9290(95)00178-6: masses and inertias of body segments",
    "D. A. Winter. Biomechanics and Motor Control of Human Movement, 4th edition. Wiley, 2009. \
     doi:10.1002/9780470549148: smoothing of captured motion",
    "J. L. Hicks, T. K. Uchida, A. Seth, A. Rajagopal, S. L. Delp. Is my model good enough? Best practices for verification \
     and validation of musculoskeletal models and simulations of movement. Journal of Biomechanical Engineering 137(2), 2015. \
     doi:10.1115/1.4029304: residual forces within measurement error",
];

/// Writes the section.
pub fn write(out: &mut String, motion: &Assessment) {
    section(out, "method", "Method");
    out.push_str(
        "<p>The motion and the body's masses determine the external force and moment in each frame. These are distributed over \
         the heels, toes and hands in contact, which can only push, and hold by friction. What contacts cannot provide is the \
         residual. Inverse dynamics with these contact forces gives the joint torques.</p>\n<dl>\n",
    );
    for (term, text) in facts(motion) {
        let _ = writeln!(out, "<dt>{term}</dt><dd>{}</dd>", escape(&text));
    }
    out.push_str("</dl>\n");
    tolerances(out, motion);
    notes(out, &motion.notes);
    out.push_str("<h3>Sources</h3>\n");
    list(out, SOURCES.into_iter());
    out.push_str("</section>\n");
}

/// Writes warnings, and routine notes under a fold.
pub fn notes(out: &mut String, notes: &[Note]) {
    let (warnings, routine): (Vec<&Note>, Vec<&Note>) = notes.iter().partition(|n| n.is_warning);
    if !warnings.is_empty() {
        out.push_str("<h3>Warnings</h3>\n");
        list(out, warnings.iter().map(|n| n.text.as_str()));
    }
    if !routine.is_empty() {
        let _ = writeln!(out, "<details><summary>{}</summary>", counted(routine.len(), "note"));
        list(out, routine.iter().map(|n| n.text.as_str()));
        out.push_str("</details>\n");
    }
}

fn list<'a>(out: &mut String, items: impl Iterator<Item = &'a str>) {
    let items: String = items.map(|item| format!("<li>{}</li>\n", escape(item))).collect();
    let _ = writeln!(out, "<ul>\n{items}</ul>");
}

fn facts(motion: &Assessment) -> Vec<(&'static str, String)> {
    let inverse = &motion.inverse;
    let (clip, cutoff) = (&inverse.trajectory.clip, &inverse.cutoff);
    let smoothing = match cutoff.hz {
        Some(hz) => format!("low-pass at {hz} Hz: {}", cutoff.reason),
        None => format!("none: {}", cutoff.reason),
    };
    let (from, until) = motion.span(&motion.certificate.assessed);
    let assessed = &motion.certificate.assessed;
    vec![
        ("Smoothing", smoothing),
        (
            "Forces assessed",
            format!(
                "{from:.2} to {until:.2} s (frames {} to {} of {}): derivatives at the ends are one-sided",
                assessed.start,
                assessed.end.saturating_sub(1),
                clip.frames()
            ),
        ),
        ("Figure", figure_facts(motion)),
        ("Ground", ground(motion)),
        ("Friction", format!("{:.2}", inverse.friction)),
        (
            "Contact",
            format!(
                "in {} of {} frames; body weight (BW) is {:.0} N",
                motion.certificate.contact.frames,
                clip.frames(),
                inverse.weight()
            ),
        ),
    ]
}

fn figure_facts(motion: &Assessment) -> String {
    let figure = motion.inverse.trajectory.clip.figure();
    let stature = figure.stature.map_or("stature unknown".to_string(), |s| format!("{s:.2} m tall"));
    format!(
        "{}: {stature}, {:.1} kg, {}, {} of freedom",
        figure.name,
        figure.mass(),
        counted(figure.links().count(), "link"),
        counted(figure.forest().nv(), "degree")
    )
}

fn ground(motion: &Assessment) -> String {
    let g = motion.inverse.schedule.ground;
    let slope = match g.steepness() {
        0.0 => "level".to_string(),
        s => format!("slope {:.1}\u{b0}", s.atan().to_degrees()),
    };
    let even = match g.is_even {
        true => "even",
        false => "uneven, so heights above it are not assessed",
    };
    let height = 100.0 * g.height;
    let height = if height.abs() < 0.05 { 0.0 } else { height };
    format!("height {height:.1} cm, {slope}, {even}; stances scatter by {:.1} cm", 100.0 * g.spread)
}

fn tolerances(out: &mut String, motion: &Assessment) {
    let soles = motion.certificate.sole_uncertainty;
    let [widened, tilted] = match soles {
        0.0 => [String::new(), String::new()],
        soles => [
            format!(", of it {:.0} cm for the estimated soles", 100.0 * soles),
            format!("; a tilted estimated sole up to {:.0} cm more", 100.0 * soles),
        ],
    };
    let rows = [
        ("residual force, rms", format!("{} BW", limits::FORCE)),
        ("residual moment, rms", format!("{:.2} BW\u{b7}m{widened}", limits::MOMENT + soles)),
        ("penetration; stance above the ground", format!("{} cm{tilted}", 100.0 * limits::DEPTH)),
        ("skate: mean speed of a stance foot", format!("{} m/s", limits::SKATE)),
        ("pull: adhesive force", format!("{} BW", limits::PULL)),
        ("slip: required friction", format!("{:.2}", motion.inverse.friction)),
        (
            "balance: centre of pressure outside the support polygon",
            format!("{:.0} cm{widened}", 100.0 * (limits::OUTSIDE + soles)),
        ),
        ("gravity: deviation of the acceleration in flight", format!("{} %", 100.0 * limits::GRAVITY)),
        ("floating: weight carried without contact", format!("{} BW", limits::FLOATS)),
        (
            "smoothing: displacement; hidden force",
            format!("{} cm; {} BW", 100.0 * limits::SMOOTHED, limits::HIDDEN),
        ),
        ("discontinuity between frames", format!("{} rad/s", limits::DISCONTINUITY)),
    ];
    out.push_str("<h3>Tolerances</h3>\n");
    table(out, &[], rows.map(|(what, limit)| vec![what.to_string(), limit]));
    out.push_str(
        "<p class=\"note\">Consistent: both residuals are within tolerance and there are no faults. Peak ground \
         force, torque and power are compared with rules of thumb and do not affect the verdict.</p>\n",
    );
}
