//! Motions, points and tables as comma-separated values: a line of names, then a line an instant, numbers to the last bit.

use crate::csv::{Lines, names_of_coordinates};
use anthropi_motion::Clip;
use anthropi_motion::markers::Markers;
use anthropi_motion::table::Table;

/// Columns `t`, then `q:JOINT` or `q:JOINT.k`, as in the tables of simulations.
pub fn of_clip(clip: &Clip) -> String {
    let mut lines = Lines::default();
    lines.value("t");
    names_of_coordinates(clip.figure()).iter().for_each(|name| lines.name(&format!("q:{name}")));
    lines.end_line();
    for frame in 0..clip.frames() {
        lines.value(clip.time(frame));
        clip.pose(frame).iter().for_each(|x| lines.value(x));
        lines.end_line();
    }
    lines.into_text()
}

/// Columns `t`, then `LABEL.x`, `LABEL.y`, `LABEL.z` in metres, z up; empty where a point was not seen.
pub fn of_markers(markers: &Markers) -> String {
    let mut lines = Lines::default();
    lines.value("t");
    for label in &markers.labels {
        ["x", "y", "z"].iter().for_each(|axis| lines.name(&format!("{label}.{axis}")));
    }
    lines.end_line();
    for frame in 0..markers.frames() {
        lines.value(frame as f64 / markers.rate);
        for point in markers.at(frame) {
            match point {
                Some(p) => p.to_array().iter().for_each(|x| lines.value(x)),
                None => (0..3).for_each(|_| lines.nothing()),
            }
        }
        lines.end_line();
    }
    lines.into_text()
}

/// Columns `t`, then those of the table; empty where a value is not a number.
pub fn of_table(table: &Table) -> String {
    let mut lines = Lines::default();
    lines.value("t");
    table.labels.iter().for_each(|label| lines.name(label));
    lines.end_line();
    let n = table.labels.len();
    for (row, time) in table.time.iter().enumerate() {
        lines.value(time);
        for value in table.values.iter().skip(row * n).take(n) {
            if value.is_finite() { lines.value(value) } else { lines.nothing() }
        }
        lines.end_line();
    }
    lines.into_text()
}
