//! One cycle, from landing to landing of each foot: the mean of all steady ones.

use super::super::curves::plot;
use super::super::section;
use super::Report;
use crate::plot::{Plot, Series, Sheet, escape};
use anthropi_motion::gait::Sample;
use std::fmt::Write;

/// Size of a plot, pixels.
const WIDE: f64 = 480.0;
const HIGH: f64 = 250.0;
/// Parts of a cycle.
const PARTS: usize = 100;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    let cycles = [report.cycles(0), report.cycles(1)];
    let count: usize = cycles.iter().map(Vec::len).sum();
    if count == 0 {
        return;
    }
    section(out, "cycle", "One cycle");
    let _ = writeln!(
        out,
        "<p class=\"note\">Percent of the cycle, from a foot's landing to its next; mean of {} cycles of the left foot and {} of the \
         right. Dashed: the foot leaves the ground.</p>\n<div class=\"multiples\">",
        cycles[0].len(),
        cycles[1].len()
    );
    let share = |[from, lift, to]: &[f64; 3]| (lift - from) / (to - from);
    let leaves = 100.0 * cycles.iter().flatten().map(share).sum::<f64>() / count as f64;
    let weight = report.weight();
    let of = |title: &str, what: &str, y: &str, value: &dyn Fn(&Sample, usize) -> f64, out: &mut String| {
        let line = |side: usize, name: &str| Series {
            name: name.into(),
            points: mean(report, &cycles[side], &|s| value(s, side)),
        };
        let series = vec![line(1, "right"), line(0, "left")];
        let marks = vec![(leaves, "toe off".to_string())];
        let picture = Plot { x_label: "cycle, %".into(), marks, ..plot(y, series) };
        let sheet =
            Sheet { width: WIDE, height: HIGH, is_titled: false, x: Some((0.0, 100.0)), ..Sheet::default() };
        let _ = writeln!(
            out,
            "<figure class=\"cycle\"><figcaption><b>{}</b> <span>{}</span> <output></output></figcaption>{}</figure>",
            escape(title),
            escape(what),
            picture.to_svg_on(&sheet)
        );
    };
    let degrees = "angle, deg";
    of("Hip", "flexion is above zero", degrees, &|s, k| s.hip[k].to_degrees(), out);
    of("Knee", "flexion is above zero", degrees, &|s, k| s.knee[k].to_degrees(), out);
    of("Ankle", "dorsiflexion is above zero", degrees, &|s, k| s.ankle[k].to_degrees(), out);
    of("Foot", "toe up is above zero", degrees, &|s, k| s.foot[k].to_degrees(), out);
    let force = |axis: usize| move |s: &Sample, k: usize| report.along(s.force[k], s.time)[axis] / weight;
    of("Vertical force", "of the foot", "force, BW", &force(2), out);
    of("Fore-aft force", "below zero it brakes", "force, BW", &force(0), out);
    out.push_str("</div>\n</section>\n");
}

/// Mean over cycles, by percent.
fn mean(report: &Report, cycles: &[[f64; 3]], of: &dyn Fn(&Sample) -> f64) -> Vec<(f64, f64)> {
    let samples = report.samples();
    let at = |t: f64| {
        let k = samples.partition_point(|s| s.time < t).min(samples.len() - 1);
        of(&samples[k])
    };
    let value = |part: usize| {
        let share = part as f64 / PARTS as f64;
        let sum: f64 = cycles.iter().map(|[from, _, to]| at(from + share * (to - from))).sum();
        (100.0 * share, sum / cycles.len() as f64)
    };
    if cycles.is_empty() { Vec::new() } else { (0..=PARTS).map(value).collect() }
}
