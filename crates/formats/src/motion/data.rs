//! Markers and tables as JSON, complete, in SI units; null for unseen markers.

use anthropi_dynamics::spatial::Vec3;
use anthropi_motion::markers::{Analog, Markers, Plate};
use anthropi_motion::note::texts;
use anthropi_motion::table::Table;
use serde::Serialize;

#[derive(Serialize)]
struct MarkersData<'a> {
    format: &'static str,
    name: &'a str,
    rate: f64,
    first_frame: u64,
    labels: &'a [String],
    frames: Vec<Vec<Option<[f64; 3]>>>,
    analog: AnalogData<'a>,
    plates: Vec<PlateData>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct AnalogData<'a> {
    labels: &'a [String],
    units: &'a [String],
    rate: f64,
    samples: Vec<&'a [f64]>,
}

#[derive(Serialize)]
struct PlateData {
    kind: u32,
    corners: [[f64; 3]; 4],
    force: Vec<[f64; 3]>,
    moment: Vec<[f64; 3]>,
    center: Vec<Option<[f64; 3]>>,
}

#[derive(Serialize)]
struct TableData<'a> {
    format: &'static str,
    name: &'a str,
    in_degrees: bool,
    columns: &'a [String],
    time: &'a [f64],
    rows: Vec<&'a [f64]>,
}

/// Markers, analog signals and force plates.
pub fn from_markers(markers: &Markers) -> String {
    let frame = |f: usize| markers.at(f).iter().map(|p| p.map(Vec3::to_array)).collect();
    let Markers { name, labels, rate, first_frame, analog, plates, notes, .. } = markers;
    text(&MarkersData {
        format: "anthropi markers",
        name,
        rate: *rate,
        first_frame: *first_frame,
        labels,
        frames: (0..markers.frames()).map(frame).collect(),
        analog: analog_data(analog),
        plates: plates.iter().map(plate_data).collect(),
        notes: texts(notes),
    })
}

/// The columns of a table, row by row.
pub fn from_table(table: &Table) -> String {
    text(&TableData {
        format: "anthropi table",
        name: &table.name,
        in_degrees: table.in_degrees,
        columns: &table.labels,
        time: &table.time,
        rows: table.values.chunks(table.labels.len().max(1)).collect(),
    })
}

fn analog_data(analog: &Analog) -> AnalogData<'_> {
    let samples = analog.values.chunks(analog.labels.len().max(1)).collect();
    AnalogData { labels: &analog.labels, units: &analog.units, rate: analog.rate, samples }
}

fn plate_data(plate: &Plate) -> PlateData {
    let arrays = |vectors: &[Vec3]| vectors.iter().map(|v| v.to_array()).collect();
    PlateData {
        kind: plate.kind,
        corners: plate.corners.map(Vec3::to_array),
        force: arrays(&plate.force),
        moment: arrays(&plate.moment),
        center: plate.center.iter().map(|c| c.map(Vec3::to_array)).collect(),
    }
}

fn text(data: &impl Serialize) -> String {
    let mut text = serde_json::to_string(data).expect("numbers and strings are valid JSON");
    text.push('\n');
    text
}
