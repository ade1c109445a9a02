//! Ground forces of each foot over time.

use super::super::curves::{HEIGHT, plot};
use super::super::{POINTS, WIDTH, figure};
use super::Report;
use crate::plot::{Plot, Series, Sheet};

/// Writes the plots.
pub fn write(out: &mut String, report: &Report) {
    let weight = report.weight();
    // forces of the right foot, the left one and both, along the way, to the left, up
    let lines = |axis: usize| -> Vec<Series> {
        let line = |name: &str, feet: &[usize]| {
            let value = |s: &anthropi_motion::gait::Sample| {
                let sum: f64 = feet.iter().map(|k| report.along(s.force[*k], s.time)[axis]).sum();
                (s.time, sum / weight)
            };
            Series { name: name.into(), points: report.samples().iter().map(value).collect() }.thinned(POINTS)
        };
        vec![line("right foot", &[1]), line("left foot", &[0]), line("both", &[0, 1])]
    };
    let draw = |out: &mut String, title: &str, what: &str, axis: usize, levels: Vec<(f64, String)>| {
        let sheet = Sheet { levels, ..report.sheet(WIDTH, HEIGHT) };
        let picture = Plot { marks: report.marks(), ..plot("force, BW", lines(axis)) };
        figure(out, title, what, &picture.to_svg_on(&sheet));
    };
    let standing = vec![(1.0, "standing still".to_string())];
    draw(out, "Ground force, vertical", "body weights; shaded: double support", 2, standing);
    draw(out, "Ground force, fore-aft", "along the way: below zero it brakes, above it drives", 0, vec![]);
    draw(out, "Ground force, lateral", "to the left of the way", 1, vec![]);
}
