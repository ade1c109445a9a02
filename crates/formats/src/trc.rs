//! TRC: marker positions as text, of Motion Analysis and OpenSim.
//!
//! Five header lines, then one row per frame: number, time, x y z of each marker; empty cells for unseen markers.
//! Source: OpenSim's documentation of marker files. Lengths become metres, y up becomes z up.
//! Checked by: `tests/it/tables.rs`.

use crate::c3d::axes::{self, Upwards};
use crate::error::Error;
use crate::names::{clipped, stem};
use crate::sto::{Line, Text};
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::markers::{Analog, Markers};
use anthropi_motion::note::Note;
use anthropi_motion::recording::Up;
use std::fmt::Write;

/// Most markers of one file: more indicate an invalid header.
const MAX_MARKERS: usize = 100_000;
/// Points allowed beyond one per byte: rows may omit trailing empty cells, within bounds.
const SPARE_POINTS: usize = 1 << 20;
/// Cells before the first coordinate: frame and time.
const BEFORE: usize = 2;
/// Tolerated relative difference between the rate of the time column and the header's: times are often rounded.
const SAME_RATE: f64 = 0.01;

/// Millimetres per metre.
const SCALE: f64 = 1000.0;

/// Reads a TRC file with y up, as in OpenSim.
///
/// # Errors
/// Text that is not UTF-8 or not TRC, or whose counts, labels and numbers disagree: with line and column.
pub fn read(bytes: &[u8], file: &str) -> Result<Markers, Error> {
    read_with(bytes, file, Up::Y)
}

/// As [`read`], with another up axis.
///
/// # Errors
/// As [`read`].
pub fn read_with(bytes: &[u8], file: &str, up: Up) -> Result<Markers, Error> {
    let text = Text::new(bytes, file)?;
    let mut lines = text.lines();
    let mut next = |what: &str| {
        lines
            .next()
            .ok_or_else(|| text.error(text.end(), "", "header", format!("the file ends before {what}")))
    };
    let first = next("its first line")?;
    if !first.text.trim_start().starts_with("PathFileType") {
        return Err(text.error(first, first.text, "header", "not a TRC file: expected `PathFileType`"));
    }
    let (keys, values) = (next("the names of its header")?, next("the values of its header")?);
    let header = Header::read(&text, keys, values)?;
    let line = next("its labels")?;
    let labels = labels(&text, line, header.markers)?;
    next("the names of its axes")?;

    let upwards = if up == Up::Y { Upwards::Y } else { Upwards::Z };
    let mut notes = vec![Note::from(format!("lengths in {}, {} is up", header.unit_name, upwards.name()))];
    let mut rows = Rows::default();
    let mut last = line;
    for line in lines.filter(|l| !l.text.trim().is_empty()) {
        last = line;
        rows.push(&text, line, &labels)?;
    }
    if rows.times.len() != header.frames {
        let (line, stated, found) = (values.number, header.frames, rows.times.len());
        let what = format!("line {line} states {stated} frames, but there are {found}");
        return Err(text.error(last, last.text, "NumFrames", what));
    }

    if rows.partial > 0 {
        let what = format!("{} points have only some coordinates: treated as unseen", rows.partial);
        notes.push(Note::warning(what));
    }
    if let Some(body) = axes::along_the_body(&rows.points, labels.len()).filter(|body| *body != upwards) {
        let axis = body.name();
        let what = format!("the up axis is uncertain: the points extend most along {axis}");
        notes.push(Note::warning(what));
    }
    let rate = header.rate(&text, values, &rows.times, &mut notes)?;
    for p in rows.points.iter_mut().flatten() {
        *p = upwards.to_z_up(p.scale(header.unit));
    }
    Ok(Markers {
        name: stem(text.file),
        labels,
        rate,
        first_frame: rows.first_frame,
        points: rows.points,
        analog: Analog::default(),
        plates: Vec::new(),
        unit: header.unit,
        notes,
    })
}

/// Values of the second and third line.
#[derive(Debug)]
struct Header {
    data_rate: Option<f64>,
    camera_rate: Option<f64>,
    frames: usize,
    markers: usize,
    unit: f64,
    unit_name: String,
}

impl Header {
    fn read(text: &Text, keys: Line, values: Line) -> Result<Header, Error> {
        let cells = |line: &Line| -> Vec<String> { line.text.split_whitespace().map(String::from).collect() };
        let (names, given) = (cells(&keys), cells(&values));
        // with empty cells, split by tabs
        let by_tabs: Vec<String> = values.text.split('\t').map(|c| c.trim().to_string()).collect();
        let given = if given.len() < names.len() && by_tabs.len() >= names.len() { by_tabs } else { given };
        let find = |name: &str| {
            let k = names.iter().position(|n| n.eq_ignore_ascii_case(name))?;
            given.get(k).map(String::as_str).filter(|v| !v.is_empty())
        };
        let missing = format!("the value is missing (named in line {})", keys.number);
        let need =
            |name: &str| find(name).ok_or_else(|| text.error(values, values.text, name, missing.as_str()));
        let rate = |name| find(name).map(|v| text.number(values, v, name)).transpose();
        let unit_name = need("Units")?.to_string();
        let unit = axes::metres(&unit_name).ok_or_else(|| {
            let what =
                format!("found `{}`, expected a unit of length (mm, cm, m, in, ...)", clipped(&unit_name));
            text.error(values, values.text, "Units", what)
        })?;
        let markers = text.count(values, need("NumMarkers")?, "NumMarkers")?;
        if markers > MAX_MARKERS {
            let what = format!("found {markers}, expected at most {MAX_MARKERS}");
            return Err(text.error(values, values.text, "NumMarkers", what));
        }
        Ok(Header {
            data_rate: rate("DataRate")?,
            camera_rate: rate("CameraRate")?,
            frames: text.count(values, need("NumFrames")?, "NumFrames")?,
            markers,
            unit,
            unit_name,
        })
    }

    /// The data rate, or else the camera rate; notes report contradicting times.
    fn rate(&self, text: &Text, line: Line, times: &[f64], notes: &mut Vec<Note>) -> Result<f64, Error> {
        let usable = |rate: &f64| rate.is_finite() && *rate > 0.0;
        let Some(rate) = self.data_rate.filter(usable).or(self.camera_rate.filter(usable)) else {
            return Err(text.error(line, line.text, "DataRate", "expected a frame rate above zero"));
        };
        if let Some(camera) = self.camera_rate.filter(|c| usable(c) && *c != rate) {
            notes.push(format!("camera rate {camera} Hz, data rate {rate} Hz: {rate} used").into());
        }
        if let [first, .., last] = times {
            let measured = (times.len() - 1) as f64 / (last - first);
            if !((measured - rate).abs() <= SAME_RATE * rate) {
                let what =
                    format!("the times have {measured:.3} Hz, the header states {rate} Hz: {rate} used");
                notes.push(what.into());
            }
        }
        Ok(rate)
    }
}

/// The labels of the fourth line, each over three columns.
fn labels(text: &Text, line: Line, markers: usize) -> Result<Vec<String>, Error> {
    let cells: Vec<&str> = if line.text.contains('\t') {
        line.text.split('\t').map(str::trim).filter(|c| !c.is_empty()).collect()
    } else {
        line.text.split_whitespace().collect()
    };
    match cells.first() {
        Some(first) if first.starts_with("Frame") && cells.len() >= BEFORE => {}
        _ => return Err(text.error(line, line.text, "labels", "expected `Frame#`, `Time` and labels")),
    }
    let labels: Vec<String> = cells[BEFORE..].iter().map(|c| c.to_string()).collect();
    if labels.len() != markers {
        let what =
            format!("has {} labels, but NumMarkers in line {} is {markers}", labels.len(), line.number - 1);
        return Err(text.error(line, line.text, "labels", what));
    }
    Ok(labels)
}

/// Frames read so far, in units and axes of the file.
#[derive(Debug, Default)]
struct Rows {
    first_frame: u64,
    times: Vec<f64>,
    points: Vec<Option<Vec3>>,
    partial: usize,
}

impl Rows {
    fn push(&mut self, text: &Text, line: Line, labels: &[String]) -> Result<(), Error> {
        let columns = BEFORE + 3 * labels.len();
        let is_tabbed = line.text.contains('\t');
        let mut cells: Vec<&str> = if is_tabbed {
            line.text.split('\t').map(str::trim).collect()
        } else {
            line.text.split_whitespace().collect()
        };
        while cells.last().is_some_and(|c| c.is_empty()) {
            cells.pop();
        }
        // only tabs can delimit empty cells
        if cells.len() > columns || cells.len() < BEFORE || (!is_tabbed && cells.len() < columns) {
            let (found, markers) = (cells.len(), labels.len());
            let what = format!(
                "has {found} cells, expected {columns}: frame, time and three for each of {markers} markers"
            );
            return Err(text.error(line, line.text, "row", what));
        }
        if self.points.len() + labels.len() > text.text.len() + SPARE_POINTS {
            return Err(text.error(line, line.text, "row", "too many rows without coordinates"));
        }
        let frame = text.number(line, cells[0], "Frame#")?;
        if self.times.is_empty() {
            self.first_frame = frame.max(0.0) as u64;
        }
        let time = text.number(line, cells[1], "Time")?;
        let before = self.times.last().copied().unwrap_or(f64::NEG_INFINITY);
        if !(time.is_finite() && time > before) {
            let what = format!("found {time} after {before}, expected time to increase");
            return Err(text.error(line, cells[1], "Time", what));
        }
        self.times.push(time);
        for (k, label) in labels.iter().enumerate() {
            let mut p = [f64::NAN; 3];
            for (j, c) in p.iter_mut().enumerate() {
                if let Some(cell) = cells.get(BEFORE + 3 * k + j).filter(|c| !c.is_empty()) {
                    *c = text.number(line, cell, label)?;
                }
            }
            let seen = p.iter().filter(|c| c.is_finite()).count();
            self.partial += usize::from(seen == 1 || seen == 2);
            self.points.push((seen == 3).then(|| vec3(p[0], p[1], p[2])));
        }
        Ok(())
    }
}

/// Encodes markers as TRC: millimetres, y up, as OpenSim expects; cells of unseen markers are empty.
///
/// # Errors
/// Labels that would not read back.
pub fn write(markers: &Markers) -> Result<String, Error> {
    if let Some(label) = markers.labels.iter().find(|l| l.trim().is_empty() || l.contains(['\t', '\n', '\r']))
    {
        return Err(Error::NotRepresentable { format: "TRC", what: format!("the label {label:?}") });
    }
    let (rate, frames, first) = (markers.rate, markers.frames(), markers.first_frame);
    let mut out = format!(
        "PathFileType\t4\t(X/Y/Z)\t{}.trc\n\
         DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n\
         {rate}\t{rate}\t{frames}\t{}\tmm\t{rate}\t{first}\t{frames}\nFrame#\tTime",
        markers.name.replace(char::is_control, " "),
        markers.labels.len(),
    );
    // writing to a string cannot fail
    for label in &markers.labels {
        let _ = write!(out, "\t{}\t\t", label.trim());
    }
    out.push_str("\n\t");
    for k in 1..=markers.labels.len() {
        let _ = write!(out, "\tX{k}\tY{k}\tZ{k}");
    }
    out.push_str("\n\n");
    for frame in 0..frames {
        let _ = write!(out, "{}\t{}", first + frame as u64, frame as f64 / rate);
        for point in markers.at(frame) {
            match point {
                Some(p) => {
                    let p = p.scale(SCALE);
                    let _ = write!(out, "\t{}\t{}\t{}", p.x, p.z, -p.y);
                }
                None => out.push_str("\t\t\t"),
            }
        }
        out.push('\n');
    }
    Ok(out)
}
