//! Contacts, ground forces, residual, height and error over time; input dashed, filtered solid.

use super::super::curves::{HEIGHT, directions, plot, upward};
use super::super::timeline::contact_row;
use super::super::{POINTS, WIDTH, figure, limits, pressure};
use crate::assessment::FilterOutcome;
use crate::palette;
use crate::plot::{Lanes, Plot, Row, Series, Sheet};
use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::inverse::Frame;
use std::ops::Range;

/// Colour and CSS class of lanes of the input.
const INPUT: (&str, &str) = ("#9aa3a9", "touch before");
/// Of the lane of assistance.
const ASSIST: (&str, &str) = (palette::ASSIST, "touch c3");

/// Writes the plots.
pub fn write(out: &mut String, outcome: &FilterOutcome) {
    lanes(out, outcome);
    let (inverse, filtered) = (&outcome.input.inverse, &outcome.filtered);
    let (weight, up) = (inverse.weight(), upward(inverse));
    let given = |of: &dyn Fn(&Frame) -> f64, frame: usize| {
        if outcome.input.certificate.assessed.contains(&frame) {
            of(&inverse.frames[frame])
        } else {
            f64::NAN
        }
    };
    let needed = |frame: usize, along: Vec3| given(&|f| f.required.linear.dot(along) / weight, frame);
    let pushed = |frame: usize, along: Vec3| match frame {
        // the first frame has no step before it
        0 => f64::NAN,
        _ => filtered.forces[frame].iter().map(|f| f.force.dot(along)).sum::<f64>() / weight,
    };
    let line = |name: &str, of: &dyn Fn(usize) -> f64| {
        let points = (0..outcome.frames()).map(|i| (outcome.time(i), of(i))).collect();
        Series { name: name.into(), points }.thinned(POINTS)
    };
    let marks: Vec<(f64, String)> = outcome.fell().map(|t| (t, "fell".into())).into_iter().collect();
    let draw = |out: &mut String, title: &str, what: &str, y: &str, series, levels| {
        let sheet = Sheet { levels, ..outcome.sheet(WIDTH, HEIGHT) };
        let picture = Plot { marks: marks.clone(), ..plot(y, series) };
        figure(out, title, what, &picture.to_svg_on(&sheet));
    };

    let vertical = vec![
        line("filtered: from contacts", &|i| pushed(i, up)),
        line("input: required", &|i| needed(i, up)),
    ];
    let what = "against gravity; quiet standing is 1; mean over each frame";
    draw(out, "Ground force, vertical", what, "force, BW", vertical, vec![]);
    let ([ahead, left], [first, second], what) = directions(inverse);
    let horizontal = vec![
        line(&format!("{first}, filtered"), &|i| pushed(i, ahead)),
        line(&format!("{first}, input"), &|i| needed(i, ahead)),
        line(&format!("{second}, filtered"), &|i| pushed(i, left)),
        line(&format!("{second}, input"), &|i| needed(i, left)),
    ];
    draw(out, "Ground force, horizontal", what, "force, BW", horizontal, vec![]);

    let residual = vec![line("input", &|i| given(&|f| f.residual.linear.norm() / weight, i))];
    let left_over = format!(
        "not explained by any contact; filtered: at most {:.0e} N in a step",
        filtered.audit.force_peak
    );
    let pass = vec![(limits::FORCE, "tolerance (rms)".to_string())];
    draw(out, "Residual force of the input", &left_over, "force, BW", residual, pass);

    let forest = filtered.clip.figure().forest();
    let root = forest.joint_place(inverse.root).iq;
    let height = vec![
        line("filtered", &|i| filtered.clip.pose(i)[root + 2]),
        line("input", &|i| inverse.given.pose(i)[root + 2]),
    ];
    draw(out, "Height of the root", "in world coordinates", "height, m", height, vec![]);

    let errors: Vec<(f64, f64)> = (0..outcome.frames()).map(|i| outcome.joint_error(i)).collect();
    let error = vec![line("RMS", &|i| errors[i].0), line("maximum", &|i| errors[i].1)];
    draw(
        out,
        "Joint tracking error",
        "angle between each joint's rotation and the reference",
        "angle, deg",
        error,
        vec![],
    );
}

/// Two lanes for each contact point: filtered above input.
fn lanes(out: &mut String, outcome: &FilterOutcome) {
    let schedule = &outcome.input.inverse.schedule;
    let intervals = |frames: &[Range<usize>]| -> Vec<(f64, f64)> {
        let end = |frame: usize| outcome.time(frame.min(outcome.frames() - 1));
        frames.iter().map(|s| (end(s.start), end(s.end))).collect()
    };
    let mut rows: Vec<Row> = Vec::new();
    for (k, place) in outcome.filtered.contact_points.iter().enumerate() {
        let after = pressure::intervals(&outcome.filtered, k);
        let point = schedule.points.iter().position(|p| p.site == place.site);
        let before = point.map_or(Vec::new(), |p| schedule.intervals(p));
        if after.is_empty() && before.is_empty() {
            continue;
        }
        rows.push(contact_row(place.site, intervals(&after)));
        let (colour, class) = INPUT;
        let intervals = intervals(&before);
        rows.push(Row { name: "input".into(), colour, class, intervals, bars: Vec::new() });
    }
    let assist = outcome.filtered.assist_report();
    let what = if assist.is_used() {
        let (colour, class) = ASSIST;
        let start = outcome.time(0);
        let intervals = assist.intervals.iter().map(|i| (start + i.from, start + i.to)).collect();
        rows.push(Row { name: "assistance".into(), colour, class, intervals, bars: Vec::new() });
        "filtered motion in colour, input in grey; purple: assistance"
    } else {
        "filtered motion in colour, input in grey"
    };
    let svg = Lanes { rows, x_label: "time, s".into() }.to_svg_on(&outcome.sheet(WIDTH, 0.0));
    figure(out, "Contacts", what, &svg);
}
