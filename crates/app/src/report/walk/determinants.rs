//! The six determinants of gait over time, with their ranges, and a table of them.

use super::super::{section, table};
use super::Report;
use crate::plot::Sheet;
use crate::walk::{SegmentRequest, rounded};
use anthropi_motion::gait::Sample;
use anthropi_motion::gait::determinant::{Determinants, MAX_PELVIC_LIST, MAX_PELVIC_ROTATION, NAMES};

/// Size of a plot, pixels, and points of a line.
const WIDE: f64 = 480.0;
const HIGH: f64 = 230.0;
const POINTS: usize = 800;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    section(out, "determinants", "The six determinants of gait");
    ranges(out, report);
    out.push_str("<div class=\"scroll\"><div class=\"multiples\">\n");
    let one = |of: &dyn Fn(&Sample) -> f64| vec![report.line("", POINTS, of)];
    let two = |of: &dyn Fn(&Sample, usize) -> f64| {
        Vec::from([("left", 0), ("right", 1)].map(|(name, k)| report.line(name, POINTS, |s| of(s, k))))
    };
    let mut draw = |title: &str, what: &str, y: &str, series, levels: Vec<(f64, String)>| {
        report.draw(out, title, what, y, series, &Sheet { levels, ..report.sheet(WIDE, HIGH) });
    };
    let both = |limit: f64| {
        let limit = limit.to_degrees();
        vec![(limit, format!("{limit:.0}\u{b0}")), (-limit, format!("-{limit:.0}\u{b0}"))]
    };
    let range = |name: &str| {
        let range = report.walked.measured.determinant(name).filter(|r| r.min <= r.max);
        range.map_or(Vec::new(), |r| vec![(r.max, "maximum".to_string()), (r.min, "minimum".to_string())])
    };
    let (rotation, list) = (one(&|s| s.pelvis[0].to_degrees()), one(&|s| s.pelvis[1].to_degrees()));
    let knee = |is_stance: bool| {
        two(&|s, k| if report.in_stance(s)[k] == is_stance { s.knee[k].to_degrees() } else { f64::NAN })
    };
    let foot = two(&|s, k| s.foot[k].to_degrees());
    let lateral = one(&|s| 100.0 * report.walked.lateral_offset(s));
    let deg = "angle, deg";
    draw("Pelvic rotation", "about the vertical, positive: left", deg, rotation, both(MAX_PELVIC_ROTATION));
    draw("Pelvic list", "positive: left side up", deg, list, both(MAX_PELVIC_LIST));
    draw("Knee in stance", "flexion", deg, knee(true), range("stance_knee"));
    draw("Foot", "positive: toe up", deg, foot, range("foot"));
    draw("Knee in swing", "flexion", deg, knee(false), range("swing_knee"));
    draw("Lateral displacement", "centre of mass to the left of the path", "cm", lateral, vec![]);
    out.push_str("</div></div>\n</section>\n");
}

fn ranges(out: &mut String, report: &Report) {
    let header = ["determinant", "minimum", "maximum", "", "amplitude", "range of amplitudes"];
    let row = |name: &'static str| {
        let measured = report.walked.measured.determinant(name);
        let (digits, unit) = if name == "lateral" { (3, "m") } else { (1, "\u{b0}") };
        let number = |x: Option<f64>| match x {
            Some(x) if x.is_finite() => format!("{x:.digits$}"),
            _ => "\u{2013}".into(),
        };
        let amplitude = |request: &SegmentRequest| {
            let mut all = request.style.style.determinants;
            format!("{:.2}", all.get_mut(name).map_or(0.0, |x| *x))
        };
        let mut amounts: Vec<String> = report.walk.walk.requests.iter().map(amplitude).collect();
        amounts.dedup();
        vec![
            name.replace('_', " "),
            number(measured.map(|r| r.min)),
            number(measured.map(|r| r.max)),
            unit.into(),
            amounts.join(", "),
            format!("0 to {}", rounded(Determinants::max_amplitude(name))),
        ]
    };
    table(out, &header, NAMES.into_iter().map(row));
    out.push_str(
        "<p class=\"note\">Measured over steady steps of the simulated figure. Amplitude 1 is normal, 0 is off. \
         Double support is shaded in the plots.</p>\n",
    );
}
