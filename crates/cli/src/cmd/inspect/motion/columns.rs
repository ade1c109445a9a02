//! Markers, and columns over time.

use super::duration;
use anthropi_formats::names::counted;
use anthropi_motion::markers::{Markers, Plate};
use anthropi_motion::table::Table;
use serde_json::{Value, json};
use std::fmt::Write;

pub fn markers_json(m: &Markers) -> Value {
    json!({
        "kind": "markers",
        "name": m.name,
        "frames": m.frames(),
        "fps": m.rate,
        "duration_s": duration(m.frames(), 1.0 / m.rate),
        "first_frame": m.first_frame,
        "labels": m.labels,
        "seen": seen(m),
        "unit_m": m.unit,
        "plates": m.plates.iter().map(plate_json).collect::<Vec<_>>(),
        "analog": { "labels": m.analog.labels, "units": m.analog.units, "rate": m.analog.rate,
            "samples": m.analog.values.len().checked_div(m.analog.labels.len()).unwrap_or(0) },
    })
}

fn plate_json(plate: &Plate) -> Value {
    json!({
        "kind": plate.kind,
        "peak_force_N": peak(plate),
        "samples": plate.force.len(),
        "corners_m": plate.corners.map(|c| c.to_array()),
    })
}

pub fn markers_text(m: &Markers) -> String {
    let mut text = format!(
        "{}: {}, {}, {:.3} s at {:.3} frames per second; unit {:.6} m, {:.1} % of the markers seen\n",
        m.name,
        counted(m.labels.len(), "marker"),
        counted(m.frames(), "frame"),
        duration(m.frames(), 1.0 / m.rate),
        m.rate,
        m.unit,
        100.0 * seen(m),
    );
    let _ = writeln!(text, "markers: {}", m.labels.join(", "));
    if !m.analog.labels.is_empty() {
        let _ = writeln!(text, "signals at {:.3} Hz: {}", m.analog.rate, m.analog.labels.join(", "));
    }
    for (k, plate) in m.plates.iter().enumerate() {
        let _ = writeln!(text, "force plate {}: type {}, up to {:.1} N", k + 1, plate.kind, peak(plate));
    }
    text
}

pub fn table_json(t: &Table) -> Value {
    json!({
        "kind": "table",
        "name": t.name,
        "frames": t.rows(),
        "fps": rate(t),
        "duration_s": span(t),
        "columns": t.labels,
        "in_degrees": t.in_degrees,
        "header": t.header.iter().map(|(k, v)| json!([k, v])).collect::<Vec<_>>(),
    })
}

pub fn table_text(t: &Table) -> String {
    let rate = rate(t).map_or("uneven".into(), |r| format!("{r:.3} Hz"));
    let angles = if t.in_degrees { "in degrees" } else { "not in degrees" };
    let (name, columns, rows) = (&t.name, counted(t.labels.len(), "column"), counted(t.rows(), "row"));
    let mut text = format!("{name}: {columns}, {rows}, {:.3} s, {rate}; angles are {angles}\n", span(t));
    let _ = writeln!(text, "columns: {}", t.labels.join(", "));
    text
}

/// Rows per second; `None` for uneven times.
fn rate(t: &Table) -> Option<f64> {
    /// Tolerance for rounded times, fraction of a step.
    const EVEN: f64 = 0.05;
    let step = span(t) / t.rows().checked_sub(1).filter(|n| *n > 0)? as f64;
    let is_even = t.time.windows(2).all(|w| ((w[1] - w[0]) - step).abs() <= EVEN * step);
    (step > 0.0 && is_even).then_some(1.0 / step)
}

fn span(t: &Table) -> f64 {
    t.time.first().zip(t.time.last()).map_or(0.0, |(first, last)| last - first)
}

/// Fraction of the markers that were seen.
fn seen(m: &Markers) -> f64 {
    let all = m.points.len().max(1);
    m.points.iter().flatten().count() as f64 / all as f64
}

fn peak(plate: &Plate) -> f64 {
    plate.force.iter().map(|f| f.norm()).fold(0.0, f64::max)
}
