//! Props that carry a figure besides the ground.

use super::{section, table};
use anthropi_formats::names::counted;
use anthropi_motion::contact_schedule::Prop;
use std::fmt::Write;

/// Most rows of the table.
const ROWS: usize = 50;

/// Writes the section, if there are props; `time` is the time of a frame.
pub fn write(out: &mut String, props: &[Prop], time: &dyn Fn(usize) -> f64) {
    if props.is_empty() {
        return;
    }
    section(out, "surroundings", "Surroundings");
    out.push_str(
        "<p>The motion needs these besides the ground, or they were given. Heights are above the ground, loads in body weights. The \
         animation draws them.</p>\n",
    );
    let row = |prop: &Prop| {
        let when = prop
            .uses
            .iter()
            .map(|u| format!("{:.2} to {:.2}", time(u.frames.start), time(u.frames.end.saturating_sub(1))));
        let [x, y, _] = prop.at.to_array();
        let given = if prop.is_given { ", given" } else { "" };
        vec![
            format!("{}{given}", prop.kind.word()),
            format!("{:.2}", prop.height),
            format!("{x:.2}, {y:.2}"),
            prop.half.map(|h| format!("{:.2}", 2.0 * h)).join(" \u{d7} "),
            when.collect::<Vec<_>>().join("; "),
            format!("{:.2}", prop.mean_bw()),
            format!("{:.2}", prop.peak_bw()),
        ]
    };
    table(
        out,
        &["prop", "height, m", "middle x, y, m", "size, m", "carries, s", "mean load", "largest load"],
        props.iter().take(ROWS).map(row),
    );
    if props.len() > ROWS {
        let _ = writeln!(out, "<p class=\"note\">Left out: {}.</p>", counted(props.len() - ROWS, "prop"));
    }
    out.push_str("</section>\n");
}
