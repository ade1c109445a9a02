//! The six determinants over time, with their ranges, and a table of them.

use super::super::curves::plot;
use super::super::{figure, section};
use super::Report;
use crate::plot::{Plot, Series, Sheet};
use crate::walking::rounded;
use anthropi_motion::gait::Sample;
use anthropi_motion::gait::determinant::{Determinants, MOST_LIST, MOST_ROTATION, NAMES};
use anthropi_motion::gait::measure::Range;
use std::fmt::Write;

/// Size of a plot, pixels, and points of a line.
const WIDE: f64 = 480.0;
const HIGH: f64 = 230.0;
const POINTS: usize = 800;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    section(out, "determinants", "The six determinants of gait");
    let measured = &report.walked.measured.determinants;
    table(out, report, measured);
    out.push_str("<div class=\"scroll\"><div class=\"multiples\">\n");
    let one = |of: &dyn Fn(&Sample) -> f64| vec![line(report, "", of)];
    let two = |of: &dyn Fn(&Sample, usize) -> f64| {
        vec![line(report, "right", &|s| of(s, 1)), line(report, "left", &|s| of(s, 0))]
    };
    let draw = |out: &mut String, title: &str, what: &str, y: &str, series, levels: Vec<(f64, String)>| {
        let sheet = Sheet { levels, ..report.sheet(WIDE, HIGH) };
        let picture = Plot { marks: report.marks(), ..plot(y, series) };
        figure(out, title, what, &picture.to_svg_on(&sheet));
    };
    let both = |most: f64| {
        let most = most.to_degrees();
        vec![(most, format!("{most:.0}\u{b0}")), (-most, format!("-{most:.0}\u{b0}"))]
    };
    let seen = |name: &str| {
        let range = measured.iter().find(|(n, _)| *n == name).map(|(_, r)| *r).filter(|r| r.min <= r.max);
        let scale = if name == "lateral" { 100.0 } else { 1.0 };
        range.map_or(Vec::new(), |r| {
            vec![(scale * r.max, "most, steady".to_string()), (scale * r.min, "least, steady".to_string())]
        })
    };
    let carries = |s: &Sample, k: usize| report.on(s)[k];
    let degrees = "angle, deg";
    draw(
        out,
        "Pelvic rotation",
        "to the left, about the vertical",
        degrees,
        one(&|s| s.pelvis[0].to_degrees()),
        both(MOST_ROTATION),
    );
    draw(out, "Pelvic list", "left side up", degrees, one(&|s| s.pelvis[1].to_degrees()), both(MOST_LIST));
    let stance = |s: &Sample, k: usize| if carries(s, k) { s.knee[k].to_degrees() } else { f64::NAN };
    draw(out, "Knee in stance", "flexion while the foot carries", degrees, two(&stance), seen("stance_knee"));
    draw(out, "Foot", "toe up is above zero", degrees, two(&|s, k| s.foot[k].to_degrees()), seen("foot"));
    let swing = |s: &Sample, k: usize| if carries(s, k) { f64::NAN } else { s.knee[k].to_degrees() };
    draw(
        out,
        "Knee in swing",
        "flexion while the foot is in the air",
        degrees,
        two(&swing),
        seen("swing_knee"),
    );
    draw(
        out,
        "Lateral displacement",
        "centre of mass to the left of the way",
        "cm",
        one(&|s| 100.0 * report.walked.aside(s)),
        vec![],
    );
    out.push_str("</div></div>\n</section>\n");
}

fn line(report: &Report, name: &str, of: &dyn Fn(&Sample) -> f64) -> Series {
    let points = report.samples().iter().map(|s| (s.time, of(s))).collect();
    Series { name: name.into(), points }.thinned(POINTS)
}

fn table(out: &mut String, report: &Report, all: &[(&str, Range)]) {
    out.push_str(
        "<div class=\"scroll\"><table class=\"limits\"><thead><tr><th>determinant</th><th>least</th><th>most</th><th></th>\
         <th>amplitude</th><th>range of amplitudes</th></tr></thead>\n<tbody>\n",
    );
    for name in NAMES {
        let measured = all.iter().find(|(n, _)| *n == name);
        let (digits, unit) = if name == "lateral" { (3, "m") } else { (1, "\u{b0}") };
        let number = |x: Option<f64>| match x {
            Some(x) if x.is_finite() => format!("{x:.digits$}"),
            _ => "\u{2013}".into(),
        };
        let mut amounts: Vec<String> = report
            .parts
            .iter()
            .map(|p| {
                let mut all = p.manner.style.determinants;
                format!("{:.2}", all.get_mut(name).map_or(0.0, |x| *x))
            })
            .collect();
        amounts.dedup();
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{unit}</td><td class=\"number\">{}</td>\
             <td class=\"number\">0 to {}</td></tr>",
            name.replace('_', " "),
            number(measured.map(|(_, r)| r.min)),
            number(measured.map(|(_, r)| r.max)),
            amounts.join(", "),
            rounded(Determinants::most(name))
        );
    }
    out.push_str(
        "</tbody></table></div>\n<p class=\"note\">Measured over steady steps on the figure that walked. Amplitude 1 is usual, 0 is \
         off. In the plots double support is shaded.</p>\n",
    );
}
