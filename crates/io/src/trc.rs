//! TRC: captured points as text, of Motion Analysis and OpenSim.
//!
//! Five lines of header, then a row a frame: number, time, x y z of each point; empty cells where a point was not seen.
//! Source: OpenSim's documentation of marker files. Lengths become metres; y is up in these files, here z is.
//! Checked by: `tests/tables.rs`.

mod write;

pub use write::write;

use crate::c3d::axes::{self, Upwards};
use crate::error::Error;
use crate::sto::{Line, Text, quote};
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::markers::{Analog, Markers};
use anthropi_motion::recording::Up;

/// Most markers of one file: more would be a mistake in its header.
const MAX_MARKERS: usize = 100_000;
/// Points beyond one a byte of the file: rows may leave out their empty cells at the end, but not without bound.
const SPARE_POINTS: usize = 1 << 20;
/// Cells before the first coordinate: frame and time.
const BEFORE: usize = 2;
/// A mean rate of the time column this near to the header's agrees with it, relative: times are often rounded.
const SAME_RATE: f64 = 0.01;

/// Reads a TRC file whose y axis is up, as OpenSim has it.
///
/// # Errors
/// A text that is not UTF-8 or no TRC file, or whose counts, labels and numbers disagree: line, column and what was
/// expected.
pub fn read(bytes: &[u8], file: &str) -> Result<Markers, Error> {
    read_with(bytes, file, Up::Y)
}

/// [`read`] for files with another axis up.
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
        return Err(text.error(first, first.text, "header", "not a TRC file: `PathFileType` expected"));
    }
    let (keys, values) = (next("the names of its header")?, next("the values of its header")?);
    let header = Header::read(&text, keys, values)?;
    let line = next("its labels")?;
    let labels = labels(&text, line, header.markers)?;
    next("the names of its axes")?;

    let upwards = if up == Up::Y { Upwards::Y } else { Upwards::Z };
    let mut notes = vec![format!("lengths in {}, {} is up", header.unit_name, upwards.name())];
    let mut rows = Rows::default();
    let mut last = line;
    for line in lines.filter(|l| !l.text.trim().is_empty()) {
        last = line;
        rows.push(&text, line, &labels)?;
    }
    if rows.times.len() != header.frames {
        let what = format!(
            "line {} says {} frames, but {} are there",
            values.number,
            header.frames,
            rows.times.len()
        );
        return Err(text.error(last, last.text, "NumFrames", what));
    }

    if rows.partial > 0 {
        notes.push(format!("{} points have some coordinates but not all: taken as unseen", rows.partial));
    }
    if let Some(body) = axes::along_the_body(&rows.points, labels.len()).filter(|body| *body != upwards) {
        notes.push(format!("the points spread most along {}: up is doubtful", body.name()));
    }
    let rate = header.rate(&text, values, &rows.times, &mut notes)?;
    for p in rows.points.iter_mut().flatten() {
        *p = upwards.to_z_up(p.scale(header.unit));
    }
    Ok(Markers {
        name: text.stem(),
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

/// What the second and third line say.
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
        let cells =
            |line: &Line<'_>| -> Vec<String> { line.text.split_whitespace().map(String::from).collect() };
        let (names, given) = (cells(&keys), cells(&values));
        // an empty cell would shift what follows: then tabs have to tell
        let by_tabs: Vec<String> = values.text.split('\t').map(|c| c.trim().to_string()).collect();
        let given = if given.len() < names.len() && by_tabs.len() >= names.len() { by_tabs } else { given };
        let find = |name: &str| {
            let k = names.iter().position(|n| n.eq_ignore_ascii_case(name))?;
            given.get(k).map(String::as_str).filter(|v| !v.is_empty())
        };
        let need = |name: &str| {
            find(name).ok_or_else(|| {
                text.error(
                    values,
                    values.text,
                    name,
                    format!("a value is missing (named in line {})", keys.number),
                )
            })
        };
        let rate = |name| find(name).map(|v| text.number(values, v, name)).transpose();
        let unit_name = need("Units")?.to_string();
        let unit = axes::metres(&unit_name).ok_or_else(|| {
            let what = format!("`{}` is no unit of length (mm, cm, m, in, ...)", quote(&unit_name));
            text.error(values, values.text, "Units", what)
        })?;
        let markers = text.count(values, need("NumMarkers")?, "NumMarkers")?;
        if markers > MAX_MARKERS {
            return Err(text.error(
                values,
                values.text,
                "NumMarkers",
                format!("{markers}; at most {MAX_MARKERS} are read"),
            ));
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

    /// The rate of the data; that of the cameras if it is all there is. Times that say something else are noted.
    fn rate(&self, text: &Text, line: Line, times: &[f64], notes: &mut Vec<String>) -> Result<f64, Error> {
        let usable = |rate: &f64| rate.is_finite() && *rate > 0.0;
        let Some(rate) = self.data_rate.filter(usable).or(self.camera_rate.filter(usable)) else {
            return Err(text.error(
                line,
                line.text,
                "DataRate",
                "a number of frames a second above zero expected",
            ));
        };
        if let Some(camera) = self.camera_rate.filter(|c| usable(c) && *c != rate) {
            notes.push(format!("the cameras ran at {camera} Hz, the data at {rate} Hz: taken {rate}"));
        }
        if let [first, .., last] = times {
            let measured = (times.len() - 1) as f64 / (last - first);
            if !((measured - rate).abs() <= SAME_RATE * rate) {
                notes.push(format!(
                    "the times run at {measured:.3} Hz, the header says {rate} Hz: taken {rate}"
                ));
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
        _ => return Err(text.error(line, line.text, "labels", "`Frame#`, `Time` and labels expected")),
    }
    let labels: Vec<String> = cells[BEFORE..].iter().map(|c| c.to_string()).collect();
    if labels.len() != markers {
        let what =
            format!("{} labels, but NumMarkers in line {} says {markers}", labels.len(), line.number - 1);
        return Err(text.error(line, line.text, "labels", what));
    }
    Ok(labels)
}

/// Frames as they are read, in the units and axes of the file.
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
        // only tabs can say that cells are empty
        if cells.len() > columns || cells.len() < BEFORE || (!is_tabbed && cells.len() < columns) {
            let what = format!(
                "{} cells, {columns} expected: frame, time and three for each of {} markers",
                cells.len(),
                labels.len()
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
            return Err(text.error(
                line,
                cells[1],
                "Time",
                format!("{time} after {before}: time must run forwards"),
            ));
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
