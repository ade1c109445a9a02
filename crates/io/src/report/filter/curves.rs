//! Who stands, ground forces, residual, height and error over time; before dashed, after solid.

use super::super::curves::{HEIGHT, directions, plot, upward};
use super::super::timeline::{LEFT, RIGHT};
use super::super::{POINTS, WIDTH, figure, limits};
use super::Report;
use crate::plot::{Lanes, Plot, Row, Series, Sheet};
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::filter::GroundForce;
use anthropi_motion::inverse::Frame;
use anthropi_motion::touch;
use std::ops::Range;

/// Lanes of the given motion.
const BEFORE: (&str, &str) = ("#9aa3a9", "touch before");

/// Writes the plots.
pub fn write(out: &mut String, report: &Report) {
    lanes(out, report);
    let (inverse, filtered) = (report.given.0, report.filtered);
    let (weight, up) = (inverse.weight(), upward(inverse));
    let given = |of: &dyn Fn(&Frame) -> f64, frame: usize| {
        if report.given.1.judged.contains(&frame) { of(&inverse.frames[frame]) } else { f64::NAN }
    };
    let needed = |frame: usize, along: Vec3| given(&|f| f.wanted.linear.dot(along) / weight, frame);
    let pushed = |frame: usize, along: Vec3| match frame {
        // no step ends at the first frame
        0 => f64::NAN,
        _ => filtered.forces[frame].iter().map(|f| f.force.dot(along)).sum::<f64>() / weight,
    };
    let line = |name: &str, of: &dyn Fn(usize) -> f64| {
        let points = (0..report.frames()).map(|i| (report.time(i), of(i))).collect();
        Series { name: name.into(), points }.thinned(POINTS)
    };
    let marks: Vec<(f64, String)> = report.fell().map(|t| (t, "fell".into())).into_iter().collect();
    let draw = |out: &mut String, title: &str, what: &str, y: &str, series, levels| {
        let sheet = Sheet { levels, ..report.sheet(WIDTH, HEIGHT) };
        let picture = Plot { marks: marks.clone(), ..plot(y, series) };
        figure(out, title, what, &picture.to_svg_on(&sheet));
    };

    let vertical = vec![
        line("after: given by the ground", &|i| pushed(i, up)),
        line("before: required", &|i| needed(i, up)),
    ];
    let what = "against gravity; standing still is 1; mean over each frame";
    draw(out, "Ground force, vertical", what, "force, BW", vertical, vec![]);
    let ([ahead, left], [first, second], what) = directions(inverse);
    let level = vec![
        line(&format!("{first}, after"), &|i| pushed(i, ahead)),
        line(&format!("{first}, before"), &|i| needed(i, ahead)),
        line(&format!("{second}, after"), &|i| pushed(i, left)),
        line(&format!("{second}, before"), &|i| needed(i, left)),
    ];
    draw(out, "Ground force, level", what, "force, BW", level, vec![]);

    let residual = vec![line("before", &|i| given(&|f| f.missing.linear.norm() / weight, i))];
    let left_over = format!(
        "what no contact could give in the given motion; after: {:.0e} N at most in a step",
        filtered.proof.force_peak
    );
    let pass = vec![(limits::FORCE, "let pass (rms)".to_string())];
    draw(out, "Residual force before", &left_over, "force, BW", residual, pass);

    let forest = filtered.clip.figure().forest();
    let root = forest.joint_place(inverse.root).iq;
    let height = vec![
        line("after", &|i| filtered.clip.pose(i)[root + 2]),
        line("before", &|i| inverse.given.pose(i)[root + 2]),
    ];
    draw(out, "Height of the root", "as the file counts it", "height, m", height, vec![]);

    let errors: Vec<(f64, f64)> = (0..report.frames()).map(|i| report.joint_error(i)).collect();
    let error = vec![line("root mean square", &|i| errors[i].0), line("largest", &|i| errors[i].1)];
    draw(
        out,
        "Joints off the reference",
        "angle of each joint's turn to where it was",
        "angle, deg",
        error,
        vec![],
    );
}

/// Two lanes for each spot that touches: after above before.
fn lanes(out: &mut String, report: &Report) {
    let touches = &report.given.0.touches;
    let spells = |spells: &[Range<usize>]| -> Vec<(f64, f64)> {
        let end = |frame: usize| report.time(frame.min(report.frames() - 1));
        spells.iter().map(|s| (end(s.start), end(s.end))).collect()
    };
    let mut rows: Vec<Row> = Vec::new();
    for (k, place) in report.filtered.places.iter().enumerate() {
        let name = place.spot.to_string().replace('_', " ");
        let (colour, class) = if name.starts_with("left") { LEFT } else { RIGHT };
        let presses = |frame: &Vec<GroundForce>| frame.iter().any(|f| f.place == k);
        let on: Vec<bool> = report.filtered.forces.iter().map(presses).collect();
        let after = touch::spells(&on);
        let place = touches.places.iter().position(|p| p.spot == place.spot);
        let before = place.map_or(Vec::new(), |p| touches.spells(p));
        if after.is_empty() && before.is_empty() {
            continue;
        }
        let (spells_after, spells_before) = (spells(&after), spells(&before));
        rows.push(Row { name, colour, class, spells: spells_after, bars: Vec::new() });
        let (colour, class) = BEFORE;
        rows.push(Row { name: "before".into(), colour, class, spells: spells_before, bars: Vec::new() });
    }
    let svg = Lanes { rows, x_label: "time, s".into() }.to_svg_on(&report.sheet(WIDTH, 0.0));
    figure(
        out,
        "Who stands",
        "what the ground pushes, in colour; what touched in the given motion, in grey",
        &svg,
    );
}
