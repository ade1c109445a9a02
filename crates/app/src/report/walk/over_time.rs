//! Contact of heels and toes and ground forces of each foot over time, with double support shaded.

use super::super::curves::HEIGHT;
use super::super::timeline::contact_row;
use super::super::{POINTS, WIDTH, figure, pressure, section};
use super::Report;
use crate::plot::{Lanes, Row, Series, Sheet};
use anthropi_motion::gait::Sample;

/// Writes the section.
pub fn write(out: &mut String, report: &Report) {
    section(out, "over-time", "Over time");
    out.push_str("<div class=\"scroll\">\n");
    contacts(out, report);
    forces(out, report);
    out.push_str("</div>\n</section>\n");
}

/// Contact of heels and toes.
fn contacts(out: &mut String, report: &Report) {
    let filtered = &report.walked.filtered;
    let time = |frame: usize| frame as f64 * filtered.clip.dt();
    let mut rows: Vec<Row> = Vec::new();
    for (k, place) in filtered.contact_points.iter().enumerate().filter(|(_, p)| p.site.is_foot()) {
        // forces belong to the interval that ends at their frame
        let intervals = pressure::intervals(filtered, k);
        let intervals = intervals.iter().map(|s| (time(s.start.saturating_sub(1)), time(s.end - 1)));
        rows.push(contact_row(place.site, intervals.collect()));
    }
    rows.sort_by_key(|r| r.name.starts_with("right"));
    let svg = Lanes { rows, x_label: "time, s".into() }.to_svg_on(&report.sheet(WIDTH, 0.0));
    let what = "heel strike, flat foot, heel rise, toe off; shaded: double support";
    figure(out, "Contacts", what, &svg);
}

/// Ground forces of each foot.
fn forces(out: &mut String, report: &Report) {
    let weight = report.weight();
    // force along the path (0), to its left (1) or up (2)
    let lines = |axis: usize| -> Vec<Series> {
        let line = |name: &str, feet: &[usize]| {
            let along = |s: &Sample, k: usize| report.along(s.force[k], s.time)[axis];
            report.line(name, POINTS, |s| feet.iter().map(|k| along(s, *k)).sum::<f64>() / weight)
        };
        vec![line("left foot", &[0]), line("right foot", &[1]), line("both", &[0, 1])]
    };
    let draw = |out: &mut String, title: &str, what: &str, axis: usize, levels: Vec<(f64, String)>| {
        let sheet = Sheet { levels, ..report.sheet(WIDTH, HEIGHT) };
        report.draw(out, title, what, "force, BW", lines(axis), &sheet);
    };
    let standing = vec![(1.0, "quiet standing".to_string())];
    draw(out, "Ground force, vertical", "body weights; shaded: double support", 2, standing);
    draw(out, "Ground force, fore-aft", "negative: braking, positive: propulsion", 0, vec![]);
    draw(out, "Ground force, lateral", "positive: to the left", 1, vec![]);
}
