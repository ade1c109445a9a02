//! The data section of a C3D file: layout, points and analog signals.

use super::parameters::Parameters;
use super::{BLOCK, SAME_RATE, names};
use crate::bytes::Bytes;
use crate::error::Error;
use crate::names::counted;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_motion::markers::Analog;
use anthropi_motion::note::Note;

/// Numbers of a point: x, y, z, residual.
const PER_POINT: usize = 4;
/// Largest count in the header and in POINT:FRAMES.
const LAST_WORD: u64 = 65535;

/// Layout of the data section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// floats, as opposed to integers
    pub is_real: bool,
    /// scale of integer points, units of length
    pub scale: f64,
    pub points: usize,
    /// analog channels
    pub channels: usize,
    /// per channel and frame
    pub samples: usize,
    pub frames: usize,
    /// as numbered in the file
    pub first_frame: u64,
    /// frame rate, Hz
    pub rate: f64,
    /// first byte
    start: usize,
}

impl Layout {
    pub fn find(bytes: Bytes, parameters: &Parameters, notes: &mut Vec<Note>) -> Result<Layout, Error> {
        let header = |at, field| bytes.word(at, field).map(u64::from);
        let scale = parameters.number("POINT", "SCALE").unwrap_or(bytes.real(12, "point scale")?);
        let rate = positive(parameters.number("POINT", "RATE"))
            .or(positive(Some(bytes.real(20, "frame rate")?)))
            .ok_or_else(|| bytes.error(20, "POINT:RATE", "expected a frame rate above zero"))?;
        if !scale.is_finite() || scale == 0.0 {
            let what = format!("found {scale}, expected a finite non-zero number");
            return Err(bytes.error(12, "POINT:SCALE", what));
        }

        // parameters override the header
        let points = one_of("points", parameters.count("POINT", "USED"), header(2, "points")?, notes);
        let per_frame = header(4, "analog measurements")?;
        let samples = match header(18, "analog samples per frame")? {
            0 => (parameters.number("ANALOG", "RATE").unwrap_or(0.0) / rate).round() as u64,
            n => n,
        };
        let by_header = per_frame / samples.max(1);
        let channels = one_of("signals", parameters.count("ANALOG", "USED"), by_header, notes);
        let samples = if channels == 0 { 0 } else { samples.max(1) };

        let start = match header(16, "data start")?.max(1) - 1 {
            0 => parameters.count("POINT", "DATA_START").unwrap_or(0).saturating_sub(1),
            block => block,
        };
        // products stay below 2^48
        let is_real = scale < 0.0;
        let limit = |n: u64| n.min(1 << 20) as usize;
        let mut layout = Layout {
            is_real,
            scale: scale.abs(),
            points: limit(points),
            channels: limit(channels),
            samples: limit(samples),
            frames: 0,
            first_frame: 1,
            rate,
            start: limit(start) * BLOCK,
        };
        if layout.start == 0 && layout.frame_bytes() > 0 {
            return Err(bytes.error(16, "data start", "expected the data after the first block"));
        }
        layout.count_frames(bytes, parameters, notes)?;
        Ok(layout)
    }

    fn size(&self) -> usize {
        if self.is_real { 4 } else { 2 }
    }

    fn frame_bytes(&self) -> usize {
        self.size() * (PER_POINT * self.points + self.channels * self.samples)
    }

    /// Sets the number of frames: the first count that fits the file, preferring those with a wide range.
    fn count_frames(
        &mut self,
        bytes: Bytes,
        parameters: &Parameters,
        notes: &mut Vec<Note>,
    ) -> Result<(), Error> {
        let (first, last) =
            (u64::from(bytes.word(6, "first frame")?), u64::from(bytes.word(8, "last frame")?));
        let field = |name| {
            let words = parameters.counts("TRIAL", name);
            match words[..] {
                [low, high, ..] => Some(low.saturating_add(high.saturating_mul(LAST_WORD + 1))),
                [low] => Some(low),
                [] => None,
            }
        };
        let trial = (field("ACTUAL_START_FIELD"), field("ACTUAL_END_FIELD"));
        let between = |first: u64, last: u64| last.checked_sub(first).map_or(0, |n| n.saturating_add(1));
        self.first_frame = trial.0.filter(|n| *n > 0).unwrap_or(first);
        let counts = [
            ("POINT:LONG_FRAMES", parameters.count("POINT", "LONG_FRAMES").unwrap_or(0)),
            (
                "TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD",
                trial.0.zip(trial.1).map_or(0, |(a, b)| between(a, b)),
            ),
            ("POINT:FRAMES", parameters.count("POINT", "FRAMES").unwrap_or(0)),
            ("the header", between(first, last)),
        ];
        let held =
            bytes.data.len().saturating_sub(self.start).checked_div(self.frame_bytes()).unwrap_or(0) as u64;
        let mut stated = counts.into_iter().filter(|(_, n)| *n > 0);
        if self.frame_bytes() == 0 {
            return Ok(());
        }
        let Some((by, frames)) = stated.clone().find(|(_, n)| *n <= held) else {
            let Some((by, n)) = stated.next() else { return Ok(()) };
            let at = self.start.min(bytes.data.len()) + held as usize * self.frame_bytes();
            let (frame, size) = (held + 1, self.frame_bytes());
            let what = format!("the file ends inside frame {frame} of {n} ({by}), at {size} bytes each");
            return Err(bytes.error(at, "data", what));
        };
        for (other, n) in stated.filter(|(_, n)| *n != frames && !(*n == LAST_WORD && frames > *n)) {
            notes.push(format!("{by} states {frames} frames, {other} {n}: {frames} used").into());
        }
        self.frames = frames as usize;
        Ok(())
    }

    /// The bytes of each frame: points, then signals.
    fn frames_in<'a>(&self, bytes: Bytes<'a>) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let (size, points) = (self.frame_bytes(), self.size() * PER_POINT * self.points);
        let all = bytes.data.get(self.start..).unwrap_or_default();
        all.chunks_exact(size.max(1)).take(self.frames).map(move |frame| frame.split_at(points))
    }
}

fn positive(x: Option<f64>) -> Option<f64> {
    x.filter(|x| x.is_finite() && *x > 0.0)
}

fn one_of(what: &str, parameter: Option<u64>, header: u64, notes: &mut Vec<Note>) -> u64 {
    match parameter {
        Some(n) if n != header => {
            notes.push(format!("the header states {header} {what}, the parameters {n}: {n} used").into());
            n
        }
        _ => header,
    }
}

/// Points in units and axes of the file; `None` for a negative residual.
pub(super) fn points(bytes: Bytes, layout: &Layout, notes: &mut Vec<Note>) -> Vec<Option<Vec3>> {
    let mut points = Vec::with_capacity(layout.frames * layout.points);
    let (mut broken, mut at_origin) = (0usize, 0usize);
    for (frame, _) in layout.frames_in(bytes) {
        for b in frame.chunks_exact(PER_POINT * layout.size()) {
            let [x, y, z, residual] = if layout.is_real {
                [0, 4, 8, 12].map(|k| bytes.processor.real(&b[k..]))
            } else {
                let n = [0, 2, 4, 6].map(|k| f64::from(bytes.processor.word(&b[k..]) as i16));
                [n[0] * layout.scale, n[1] * layout.scale, n[2] * layout.scale, n[3]]
            };
            let p = vec3(x, y, z);
            let is_seen = residual >= 0.0;
            broken += usize::from(is_seen && !p.is_finite());
            at_origin += usize::from(is_seen && p == Vec3::ZERO);
            points.push((is_seen && p.is_finite()).then_some(p));
        }
    }
    if broken > 0 {
        let points = counted(broken, "point");
        notes.push(Note::warning(format!("treated as unseen: {points} with non-finite coordinates")));
    }
    if at_origin > 0 {
        let points = counted(at_origin, "point");
        let what = format!("exactly at the origin: {points}, possibly unseen, though not marked as such");
        notes.push(what.into());
    }
    points
}

/// Signals: (raw - offset) * scale * general scale.
pub(super) fn analog(
    bytes: Bytes,
    parameters: &Parameters,
    layout: &Layout,
    notes: &mut Vec<Note>,
) -> Result<Analog, Error> {
    let n = layout.channels;
    if n == 0 {
        return Ok(Analog::default());
    }
    let rate = layout.rate * layout.samples as f64;
    if let Some(stated) = parameters.number("ANALOG", "RATE").filter(|r| (r - rate).abs() > SAME_RATE * rate)
    {
        let what =
            format!("ANALOG:RATE is {stated} Hz, but the frames hold samples at {rate} Hz: {rate} used");
        notes.push(what.into());
    }
    let labels = names(parameters.continued("ANALOG", "LABELS", Parameters::texts), n, "signal", notes);
    let mut units = parameters.continued("ANALOG", "UNITS", Parameters::texts);
    units.resize(n, String::new());

    let is_unsigned = parameters.word("ANALOG", "FORMAT").is_some_and(|f| f.eq_ignore_ascii_case("UNSIGNED"));
    let mut scales = parameters.continued("ANALOG", "SCALE", Parameters::numbers);
    scales.resize(n, 1.0);
    let mut offsets = parameters.continued("ANALOG", "OFFSET", |p, group, name| {
        let signed = p.numbers(group, name);
        if is_unsigned {
            signed.into_iter().map(|x| if x < 0.0 { x + 65536.0 } else { x }).collect()
        } else {
            signed
        }
    });
    offsets.resize(n, 0.0);
    let general = parameters.number("ANALOG", "GEN_SCALE").unwrap_or(1.0);
    for (name, values) in [("SCALE", &scales[..]), ("OFFSET", &offsets), ("GEN_SCALE", &[general])] {
        if let Some(bad) = values.iter().find(|x| !x.is_finite()) {
            let at = parameters.get("ANALOG", name).map_or(0, |p| p.at);
            let what = format!("found {bad}, expected a finite number");
            return Err(bytes.error(at, format!("ANALOG:{name}"), what));
        }
    }

    let mut values = Vec::with_capacity(layout.frames * layout.samples * n);
    for (_, samples) in layout.frames_in(bytes) {
        for (k, b) in samples.chunks_exact(layout.size()).enumerate() {
            let raw = match (layout.is_real, is_unsigned) {
                (true, _) => bytes.processor.real(b),
                (false, true) => f64::from(bytes.processor.word(b)),
                (false, false) => f64::from(bytes.processor.word(b) as i16),
            };
            values.push((raw - offsets[k % n]) * scales[k % n] * general);
        }
    }
    Ok(Analog { labels, units, rate, values })
}
