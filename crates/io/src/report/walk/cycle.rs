//! One cycle, from landing to landing of each foot: the mean of all steady ones, on a page or as a picture of its own.
//!
//! Behind hips, knees and ankles of walks on level ground lies how people walk (`gait::people`).

use super::super::curves::plot;
use super::super::section;
use super::Report;
use crate::names::counted;
use crate::plot::{Plot, Series, Sheet, escape};
use anthropi_motion::gait::Sample;
use anthropi_motion::gait::ground::Ground;
use anthropi_motion::gait::parameter::Kind;
use anthropi_motion::gait::people::{Nearness, USUAL, angle};
use std::fmt::Write;

/// Size of a plot, pixels.
const WIDE: f64 = 480.0;
const HIGH: f64 = 250.0;
/// People choose about these speeds, m/s.
const SPEEDS: [f64; 2] = [1.0, 1.6];
/// Plots in a row of the picture.
const ROW: usize = 2;

/// A plot of the cycle.
struct Drawn {
    title: &'static str,
    what: &'static str,
    picture: Plot,
    sheet: Sheet,
}

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    let all = plots(report);
    if all.is_empty() {
        return;
    }
    section(out, "cycle", "One cycle");
    let count = |side: usize| report.walked.cycles(side).len();
    let people = if is_usual(report) {
        " Tinted: people at the speed they choose, mean and one standard deviation (Schwartz and others, 2008)."
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "<p class=\"note\">Percent of the cycle, from a foot's landing to its next; mean of {} of the left foot and {} of the \
         right. Dashed: the foot leaves the ground.{people}</p>\n<div class=\"multiples\">",
        counted(count(0), "cycle"),
        count(1)
    );
    for Drawn { title, what, picture, sheet } in all {
        let _ = writeln!(
            out,
            "<figure class=\"cycle\"><figcaption><b>{}</b> <span>{}</span> <output></output></figcaption>{}</figure>",
            escape(title),
            escape(what),
            picture.to_svg_on(&sheet)
        );
    }
    out.push_str("</div>\n");
    if is_usual(report) {
        let told: Vec<String> = report.walked.nearness().iter().map(near).collect();
        let _ = writeln!(out, "<p class=\"note\">Against people: {}.</p>", told.join("; "));
    }
    out.push_str("</section>\n");
}

/// One cycle as a picture; `None` where there is no whole cycle of steady steps.
pub fn picture(report: &Report) -> Option<String> {
    let all = plots(report);
    let rows = all.len().div_ceil(ROW);
    let (wide, high) = (ROW as f64 * WIDE, rows as f64 * HIGH);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\">\n"
    );
    for (k, Drawn { title, what, mut picture, sheet }) in all.into_iter().enumerate() {
        picture.title = format!("{title}: {what}");
        let svg = picture.to_svg_on(&Sheet { is_titled: true, ..sheet });
        let (x, y) = ((k % ROW) as f64 * WIDE, (k / ROW) as f64 * HIGH);
        out.push_str(&svg.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1));
    }
    out.push_str("</svg>\n");
    (rows > 0).then_some(out)
}

/// How near a joint is to people's, in words.
pub fn near(n: &Nearness) -> String {
    format!(
        "{} within one standard deviation in {:.0} % of the cycle, within two in {:.0} %, farthest {:+.0} deg at {:.0} %",
        n.name,
        100.0 * n.within[0],
        100.0 * n.within[1],
        n.farthest,
        n.at
    )
}

/// Whether it is the kind of walk that people were measured in: ahead on level ground, about as fast.
pub fn is_usual(report: &Report) -> bool {
    let mut all = report.stretches.iter();
    let about = SPEEDS[0]..=SPEEDS[1];
    all.all(|s| {
        let p = &s.parameters;
        p.kind == Kind::Walk && s.ground == Ground::Level && s.turn == 0.0 && about.contains(&p.speed)
    })
}

/// All plots; none where no foot has a whole cycle.
fn plots(report: &Report) -> Vec<Drawn> {
    let cycles: Vec<[f64; 3]> = (0..2).flat_map(|side| report.walked.cycles(side)).collect();
    if cycles.is_empty() {
        return Vec::new();
    }
    let share = |[from, lift, to]: &[f64; 3]| (lift - from) / (to - from);
    let leaves = 100.0 * cycles.iter().map(share).sum::<f64>() / cycles.len() as f64;
    let of = |title, what, y: &str, value: &dyn Fn(&Sample, usize) -> f64| {
        let line = |side: usize, name: &str| Series {
            name: name.into(),
            points: report.walked.mean_cycle(side, |s| value(s, side)),
        };
        let series = vec![line(1, "right"), line(0, "left")];
        let marks = vec![(leaves, "toe off".to_string())];
        let sheet =
            Sheet { width: WIDE, height: HIGH, is_titled: false, x: Some((0.0, 100.0)), ..Sheet::default() };
        Drawn { title, what, picture: Plot { x_label: "cycle, %".into(), marks, ..plot(y, series) }, sheet }
    };
    let joint = |title, what, n: usize| {
        let mut drawn = of(title, what, "angle, deg", &|s, side| angle(s, n, side));
        if is_usual(report) {
            let band = (0..=100).map(f64::from).map(|p| (p, USUAL[n].at(p)));
            drawn.sheet.band = band.map(|(p, [mean, off])| [p, mean - off, mean + off]).collect();
        }
        drawn
    };
    let weight = report.weight();
    let force = |axis: usize| move |s: &Sample, k: usize| report.along(s.force[k], s.time)[axis] / weight;
    vec![
        joint("Hip", "flexion is above zero", 0),
        joint("Knee", "flexion is above zero", 1),
        joint("Ankle", "dorsiflexion is above zero", 2),
        of("Foot", "toe up is above zero", "angle, deg", &|s, k| s.foot[k].to_degrees()),
        of("Vertical force", "of the foot", "force, BW", &force(2)),
        of("Fore-aft force", "below zero it brakes", "force, BW", &force(0)),
    ]
}
