//! Clips, markers and tables as CSV: a header, then one line per instant; numbers read back exactly.

use crate::csv::{Lines, coordinate_names};
use anthropi_motion::Clip;
use anthropi_motion::markers::Markers;
use anthropi_motion::table::Table;

fn header(columns: impl Iterator<Item = String>) -> Lines {
    let mut lines = Lines::default();
    lines.value("t");
    columns.for_each(|name| lines.name(&name));
    lines.end_line();
    lines
}

/// Columns `t`, then `q:JOINT` or `q:JOINT.k`, as in simulation output.
pub fn from_clip(clip: &Clip) -> String {
    let mut lines = header(coordinate_names(clip.figure()).iter().map(|name| format!("q:{name}")));
    for frame in 0..clip.frames() {
        lines.value(clip.time(frame));
        clip.pose(frame).iter().for_each(|x| lines.value(x));
        lines.end_line();
    }
    lines.into_text()
}

/// Columns `t`, then `LABEL.x`, `LABEL.y`, `LABEL.z` in metres, z up; empty for unseen markers.
pub fn from_markers(markers: &Markers) -> String {
    let axes = |label: &String| ["x", "y", "z"].map(|axis| format!("{label}.{axis}"));
    let mut lines = header(markers.labels.iter().flat_map(axes));
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

/// Columns `t`, then those of the table; empty for values that are not finite.
pub fn from_table(table: &Table) -> String {
    let mut lines = header(table.labels.iter().cloned());
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
