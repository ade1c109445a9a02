//! The gait cycle, from heel strike to heel strike of each foot: mean of all steady cycles, on a page or as an SVG.
//!
//! Hips, knees and ankles of walks on level ground are compared with normative data (`gait::normative`).

use super::super::curves::plot;
use super::super::section;
use super::Report;
use crate::plot::{Plot, Series, Sheet, escape};
use crate::walk::PreparedWalk;
use anthropi_formats::names::counted;
use anthropi_motion::gait::Sample;
use anthropi_motion::gait::normative::{Deviation, NORMATIVE, angle};
use anthropi_motion::gait::parameter::Kind;
use anthropi_motion::gait::terrain::Terrain;
use std::fmt::Write;

/// Size of a plot, pixels.
const WIDE: f64 = 480.0;
const HIGH: f64 = 250.0;
/// Range of self-selected speeds, m/s.
const SPEEDS: [f64; 2] = [1.0, 1.6];
/// Plots per row of the SVG.
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
    section(out, "cycle", "Gait cycle");
    let count = |side: usize| report.walked.cycles(side).len();
    let normative = if is_comparable(report.walk) {
        " Band: normative data at self-selected speed, mean and one standard deviation (Schwartz et al. 2008)."
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "<p class=\"note\">Percent of the gait cycle, from heel strike to heel strike; mean of {} of the left foot and {} of the \
         right. Dashed: toe off.{normative}</p>\n<div class=\"multiples\">",
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
    if is_comparable(report.walk) {
        let all: Vec<String> = report.walked.deviations().iter().map(deviation_text).collect();
        let _ = writeln!(out, "<p class=\"note\">Deviation from normative data: {}.</p>", all.join("; "));
    }
    out.push_str("</section>\n");
}

/// The gait cycle as SVG; `None` without a complete steady cycle.
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

/// Deviation of a joint from normative data, in words.
pub fn deviation_text(n: &Deviation) -> String {
    format!(
        "{} within one standard deviation in {:.0} % of the cycle, within two in {:.0} %, largest deviation {:+.0} deg at {:.0} %",
        n.name,
        100.0 * n.within_1_sd,
        100.0 * n.within_2_sd,
        n.farthest,
        n.at
    )
}

/// Whether normative data apply: straight walking on level ground at self-selected speed.
pub fn is_comparable(walk: &PreparedWalk) -> bool {
    let about = SPEEDS[0]..=SPEEDS[1];
    walk.segments.iter().all(|s| {
        let p = &s.parameters;
        p.kind == Kind::Walk && s.ground == Terrain::Level && s.turn == 0.0 && about.contains(&p.speed)
    })
}

/// All plots; none without a complete cycle.
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
        let series = vec![line(0, "left"), line(1, "right")];
        let marks = vec![(leaves, "toe off".to_string())];
        let sheet =
            Sheet { width: WIDE, height: HIGH, is_titled: false, x: Some((0.0, 100.0)), ..Sheet::default() };
        Drawn { title, what, picture: Plot { x_label: "cycle, %".into(), marks, ..plot(y, series) }, sheet }
    };
    let joint = |title, what, n: usize| {
        let mut drawn = of(title, what, "angle, deg", &|s, side| angle(s, n, side));
        if is_comparable(report.walk) {
            let band = (0..=100).map(f64::from).map(|p| (p, NORMATIVE[n].at(p)));
            drawn.sheet.band = band.map(|(p, [mean, off])| [p, mean - off, mean + off]).collect();
        }
        drawn
    };
    let weight = report.weight();
    let force = |axis: usize| move |s: &Sample, k: usize| report.along(s.force[k], s.time)[axis] / weight;
    vec![
        joint("Hip", "positive: flexion", 0),
        joint("Knee", "positive: flexion", 1),
        joint("Ankle", "positive: dorsiflexion", 2),
        of("Foot", "positive: toe up", "angle, deg", &|s, k| s.foot[k].to_degrees()),
        of("Vertical force", "on the foot", "force, BW", &force(2)),
        of("Fore-aft force", "negative: braking", "force, BW", &force(0)),
    ]
}
