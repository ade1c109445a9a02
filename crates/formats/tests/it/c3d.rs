//! C3D: six encodings, parameters, force plates, real files against ezc3d, damaged files.

use crate::assert_messages;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_formats::c3d::{self, Options};
use anthropi_motion::markers::Markers;
use anthropi_motion::recording::Up;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Floats of a file have 24 bits.
const SINGLE: f64 = 1.0e-6;
/// ezc3d's samples are printed with nine decimals, mm and N mm.
const PRINTED: f64 = 1.0e-8;
const FUZZ: Duration = Duration::from_secs(3);

const INTEL: u8 = 84;
const DEC: u8 = 85;
const SGI: u8 = 86;

/// A parameter to write.
#[derive(Clone)]
enum Values {
    Text(Vec<&'static str>),
    Bytes(Vec<u8>),
    Words(Vec<i32>),
    Reals(Vec<f64>),
}
use Values::{Bytes, Reals, Text, Words};
use testkit::mutation::Random;

/// Writes C3D files for the tests.
#[derive(Clone)]
struct Writer {
    processor: u8,
    is_real: bool,
    scale: f64,
    first: u16,
    /// frame count in the header, if not the actual one
    last: Option<u16>,
    /// frames, points, x y z residual in scale units
    points: Vec<Vec<[i16; 4]>>,
    samples: usize,
    /// frames, then samples of all channels
    analog: Vec<Vec<i32>>,
    channels: usize,
    parameters: Vec<(&'static str, &'static str, Vec<u8>, Values)>,
}

impl Writer {
    fn new(processor: u8, is_real: bool) -> Writer {
        Writer {
            processor,
            is_real,
            scale: 0.25,
            first: 1,
            last: None,
            points: Vec::new(),
            samples: 0,
            analog: Vec::new(),
            channels: 0,
            parameters: vec![("POINT", "UNITS", vec![2], Text(vec!["mm"]))],
        }
    }

    fn with(mut self, group: &'static str, name: &'static str, dimensions: &[u8], values: Values) -> Writer {
        self.parameters.retain(|p| (p.0, p.1) != (group, name));
        self.parameters.push((group, name, dimensions.to_vec(), values));
        self
    }

    fn word(&self, x: i32) -> [u8; 2] {
        let x = x as u16;
        if self.processor == SGI { x.to_be_bytes() } else { x.to_le_bytes() }
    }

    fn real(&self, x: f64) -> [u8; 4] {
        match self.processor {
            SGI => (x as f32).to_be_bytes(),
            DEC => {
                let b = (x as f32 * 4.0).to_le_bytes();
                [b[2], b[3], b[0], b[1]]
            }
            _ => (x as f32).to_le_bytes(),
        }
    }

    fn number(&self, x: f64) -> Vec<u8> {
        if self.is_real { self.real(x).to_vec() } else { self.word(x as i32).to_vec() }
    }

    fn parameter_section(&self) -> Vec<u8> {
        let mut out = vec![1, 0x50, 0, self.processor];
        let mut groups: Vec<&str> = self.parameters.iter().map(|p| p.0).collect();
        groups.dedup();
        let mut known: Vec<&str> = Vec::new();
        for g in groups {
            if !known.contains(&g) {
                known.push(g);
            }
        }
        // parameters before their groups: any order is allowed
        for (group, name, dimensions, values) in &self.parameters {
            let id = known.iter().position(|g| g == group).unwrap() as u8 + 1;
            out.extend([name.len() as u8, id]);
            out.extend(name.bytes());
            let (kind, data): (i8, Vec<u8>) = match values {
                Text(t) => {
                    let length = usize::from(dimensions.first().copied().unwrap_or(1));
                    (-1, t.iter().flat_map(|t| format!("{t:<length$}").into_bytes()).collect())
                }
                Bytes(b) => (1, b.clone()),
                Words(w) => (2, w.iter().flat_map(|w| self.word(*w)).collect()),
                Reals(r) => (4, r.iter().flat_map(|r| self.real(*r)).collect()),
            };
            let next = 2 + 2 + dimensions.len() + data.len() + 1;
            out.extend(self.word(next as i32));
            out.extend([kind as u8, dimensions.len() as u8]);
            out.extend(dimensions);
            out.extend(data);
            out.push(0);
        }
        for (k, g) in known.iter().enumerate() {
            // locked groups have a negative length
            out.extend([(-(g.len() as i8)) as u8, (-(k as i8 + 1)) as u8]);
            out.extend(g.bytes());
            let is_last = k + 1 == known.len();
            out.extend(self.word(if is_last { 0 } else { 3 }));
            out.push(0);
        }
        out.resize(out.len().next_multiple_of(512), 0);
        out[2] = (out.len() / 512) as u8;
        out
    }

    fn bytes(&self) -> Vec<u8> {
        let parameters = self.parameter_section();
        let n = self.points.first().map_or(0, Vec::len);
        let frames = self.points.len().max(self.analog.len());
        let scale = if self.is_real { -self.scale } else { self.scale };
        let mut out = vec![2, 0x50];
        let last = self.last.unwrap_or(self.first + frames as u16 - 1);
        let start = 2 + parameters.len() / 512;
        for w in [n, self.samples * self.channels, usize::from(self.first), usize::from(last), 0] {
            out.extend(self.word(w as i32));
        }
        out.extend(self.real(scale));
        out.extend(self.word(start as i32));
        out.extend(self.word(self.samples as i32));
        out.extend(self.real(50.0));
        out.resize(512, 0);
        out.extend(parameters);
        for f in 0..frames {
            for p in self.points.get(f).into_iter().flatten() {
                for (k, x) in p.iter().enumerate() {
                    let x = f64::from(*x);
                    out.extend(self.number(if self.is_real && k < 3 { x * self.scale } else { x }));
                }
            }
            for a in self.analog.get(f).into_iter().flatten() {
                out.extend(self.number(f64::from(*a)));
            }
        }
        out.resize(out.len().next_multiple_of(512), 0);
        out
    }
}

/// Two points and two signals over three frames.
fn small(processor: u8, is_real: bool) -> Writer {
    let mut w = Writer::new(processor, is_real)
        .with("POINT", "USED", &[], Words(vec![2]))
        .with("POINT", "LABELS", &[4, 1], Text(vec!["HEAD"]))
        .with("POINT", "LABELS2", &[4, 1], Text(vec!["TOE"]))
        .with("POINT", "RATE", &[], Reals(vec![100.0]))
        .with("POINT", "Y_SCREEN", &[2], Text(vec!["+Z"]))
        .with("ANALOG", "USED", &[], Bytes(vec![2]))
        .with("ANALOG", "LABELS", &[3, 2], Text(vec!["EMG", "FX"]))
        .with("ANALOG", "UNITS", &[1, 2], Text(vec!["V", "N"]))
        .with("ANALOG", "SCALE", &[2], Reals(vec![0.5, -2.0]))
        .with("ANALOG", "OFFSET", &[2], Words(vec![10, -20]))
        .with("ANALOG", "GEN_SCALE", &[], Reals(vec![0.5]))
        .with("ANALOG", "RATE", &[1], Reals(vec![200.0]));
    w.points = vec![
        vec![[400, -800, 6800, 5], [0, 40, 80, 0]],
        vec![[404, -800, 6800, 5], [0, 0, 0, -1]],
        vec![[408, -801, 6800, 0x0103], [-4, 40, 80, 0]],
    ];
    (w.samples, w.channels) = (2, 2);
    w.analog = vec![vec![10, -20, 12, 30], vec![-300, 1, 2, 3], vec![0, 0, 0, 32000]];
    w
}

fn read(w: &Writer) -> Markers {
    c3d::read(&w.bytes(), "dir/t.c3d").unwrap_or_else(|e| panic!("{e}"))
}

fn error(bytes: &[u8]) -> String {
    c3d::read(bytes, "t.c3d").unwrap_err().to_string()
}

#[test]
fn six_encodings_give_the_same_recording() {
    let reference = read(&small(INTEL, false));
    assert_eq!(reference.name, "t");
    assert_eq!(reference.labels, ["HEAD", "TOE"]);
    assert_eq!((reference.rate, reference.unit, reference.first_frame), (100.0, 1e-3, 1));
    assert_eq!(reference.frames(), 3);
    assert_eq!(reference.at(1), [Some(vec3(0.101, -0.2, 1.7)), None]);
    assert_eq!(reference.analog.labels, ["EMG", "FX"]);
    assert_eq!(reference.analog.units, ["V", "N"]);
    assert_eq!(reference.analog.rate, 200.0);
    assert_eq!(reference.analog.values[..4], [0.0, 0.0, 0.5, -50.0]);
    assert_eq!(reference.analog.values.len(), 12);
    for processor in [INTEL, DEC, SGI] {
        for is_real in [false, true] {
            let mut other = read(&small(processor, is_real));
            other.notes = reference.notes.clone();
            assert_eq!(other, reference, "{processor} {is_real}");
        }
    }
}

#[test]
fn unsigned_signals_are_read() {
    let mut w = small(INTEL, false).with("ANALOG", "FORMAT", &[8], Text(vec!["UNSIGNED"])).with(
        "ANALOG",
        "OFFSET",
        &[2],
        Words(vec![0x8000, 0]),
    );
    w.analog[0][0] = 0xffff;
    assert_eq!(read(&w).analog.values[0], f64::from(0x7fff) * 0.25);
}

#[test]
fn units_and_axes_are_converted() {
    let w = small(INTEL, true);
    let m = read(&w.clone().with("POINT", "UNITS", &[2], Text(vec!["cm"])));
    assert_eq!(m.at(0)[1], Some(vec3(0.0, 0.1, 0.2)));
    let m = read(&w.clone().with("POINT", "Y_SCREEN", &[2], Text(vec!["+Y"])));
    assert_eq!(m.at(0)[1], Some(vec3(0.0, -0.02, 0.01)));
    // the points extend along z, which is up without screen axes
    let mut bare = w.clone();
    bare.parameters.retain(|p| p.1 != "Y_SCREEN" && p.1 != "UNITS");
    let m = read(&bare);
    assert_eq!((m.at(0)[1], m.unit), (Some(vec3(0.0, 0.01, 0.02)), 1e-3));
    assert!(m.notes.iter().any(|n| n.contains("guessed from the spread")), "{:?}", m.notes);
    let up = Options { up: Some(Up::Y), ..Options::default() };
    let m = c3d::read_with(&w.bytes(), "t", &up).unwrap();
    assert_eq!(m.at(0)[1], Some(vec3(0.0, -0.02, 0.01)));
}

#[test]
fn frame_counts_beyond_16_bits_are_read() {
    const FRAMES: usize = 70_000;
    let mut w = Writer::new(INTEL, false)
        .with("POINT", "USED", &[], Words(vec![1]))
        .with("POINT", "FRAMES", &[], Words(vec![-1]))
        .with("TRIAL", "ACTUAL_START_FIELD", &[2], Words(vec![5, 0]))
        .with("TRIAL", "ACTUAL_END_FIELD", &[2], Words(vec![70_004 - 65_536, 1]));
    w.points = vec![vec![[0, 0, 4, 0]]; FRAMES];
    w.last = Some(65535);
    let m = read(&w);
    assert_eq!((m.frames(), m.first_frame), (FRAMES, 5));
    assert_eq!(m.labels, ["point1"]);
    w.parameters.retain(|p| p.0 != "TRIAL");
    let m = read(&w.with("POINT", "LONG_FRAMES", &[], Reals(vec![70_000.0])));
    assert_eq!(m.frames(), FRAMES);
}

#[test]
fn errors_have_a_byte_offset() {
    let good = small(INTEL, false).bytes();
    let mut bad = good.clone();
    bad[512 + 3] = 83;
    let start = usize::from(good[16]) * 512 - 512;
    let truncated = format!("byte {}: data: the file ends inside frame 2 of 3", start + 24);
    let with = |group, name, dimensions: &[u8], values| {
        error(&small(INTEL, false).with(group, name, dimensions, values).bytes())
    };
    let (huge, not_a_number) = (Words(vec![]), Reals(vec![1.0, f64::NAN]));
    assert_messages([
        (error(&[]), "t.c3d: byte 0: header: the file has 0 bytes"),
        (error(b"a directory listing"), "byte 19: header"),
        (error(&[7; 600]), "byte 1: header: found 0x07, expected the key"),
        (error(&bad), "t.c3d: byte 515: processor: found 83, expected 84 (Intel), 85 (DEC) or 86 (SGI/MIPS)"),
        (error(&good[..start + 30]), &truncated),
        (with("POINT", "LABELS", &[255; 4], huge), "LABELS: dimensions [255, 255, 255, 255] exceed"),
        (with("ANALOG", "SCALE", &[2], not_a_number), "ANALOG:SCALE: found NaN, expected a finite number"),
    ]);
}

// force plates

const MIDDLE: Vec3 = vec3(0.3, 0.4, 0.0);

/// A plate at `MIDDLE`: its x is ours, its y and z are opposite to ours.
fn with_plate(kind: i32, origin: [f64; 3], units: [&'static str; 2], raw: &[i32]) -> Writer {
    let n = raw.len();
    let corners = [[0.25, -0.2], [-0.25, -0.2], [-0.25, 0.2], [0.25, 0.2]];
    let corners =
        corners.iter().flat_map(|c| [1e3 * (c[0] + MIDDLE.x), 1e3 * (c[1] + MIDDLE.y), 0.0]).collect();
    let mut w = Writer::new(INTEL, true)
        .with("POINT", "USED", &[], Words(vec![0]))
        .with("POINT", "Y_SCREEN", &[2], Text(vec!["+Z"]))
        .with("FORCE_PLATFORM", "USED", &[], Words(vec![1]))
        .with("FORCE_PLATFORM", "TYPE", &[1], Words(vec![kind]))
        .with("FORCE_PLATFORM", "CORNERS", &[3, 4, 1], Reals(corners))
        .with("FORCE_PLATFORM", "ORIGIN", &[3, 1], Reals(origin.to_vec()))
        .with("FORCE_PLATFORM", "CHANNEL", &[n as u8, 1], Words((1..=n as i32).collect()))
        .with("ANALOG", "USED", &[], Words(vec![n as i32]))
        .with("ANALOG", "UNITS", &[4, n as u8], Text((0..n).map(|k| units[usize::from(k > 2)]).collect()))
        .with("FORCE_PLATFORM", "ZERO", &[2], Words(vec![1, 2]));
    (w.samples, w.channels) = (2, n);
    // two frames at rest, then the load
    let twice = |v: &[i32]| [v, v].concat();
    w.analog = vec![twice(&vec![0; n]), twice(&vec![0; n]), twice(raw)];
    w
}

fn turned(v: Vec3) -> Vec3 {
    vec3(v.x, -v.y, -v.z)
}

fn near(a: Vec3, b: Vec3, tolerance: f64, what: &str) {
    assert!((a - b).norm() <= tolerance, "{what}: {a:?}, expected {b:?}");
}

/// Reads one plate and compares its wrench and centre.
fn check(w: &Writer, force: Vec3, moment: Vec3, center: Vec3) {
    let m = read(w);
    let [plate] = &m.plates[..] else { panic!("{:?}", m.notes) };
    assert_eq!(plate.force.len(), 6);
    assert_eq!((plate.center[0], plate.force[0]), (None, Vec3::ZERO));
    near(plate.force[5], force, SINGLE, "force");
    near(plate.moment[5], moment, SINGLE, "moment");
    near(plate.center[5].unwrap(), center, SINGLE, "centre");
    let middle = plate.corners.iter().fold(Vec3::ZERO, |s, c| s + c.scale(0.25));
    near(middle, MIDDLE, SINGLE, "middle");
}

const FORCE: Vec3 = vec3(20.0, -50.0, 700.0);
const ARM: Vec3 = vec3(0.05, -0.03, 0.0);
const FREE: Vec3 = vec3(0.0, 0.0, 4.0);

#[test]
fn plate_of_type_1() {
    let (f, p, t) = (turned(FORCE), turned(ARM), turned(FREE));
    let raw = [f.x, f.y, f.z, 1e3 * p.x, 1e3 * p.y, 1e3 * t.z].map(|x| x.round() as i32);
    let w = with_plate(1, [0.0; 3], ["N", "mm"], &raw);
    let w = w.with("ANALOG", "UNITS", &[3, 6], Text(vec!["N", "N", "N", "mm", "mm", "Nmm"]));
    check(&w, FORCE, ARM.cross(FORCE) + FREE, MIDDLE + ARM);
}

#[test]
fn plate_of_type_2_with_either_sign() {
    // the sensors' origin is 20 mm below the surface and slightly off centre
    let origin = vec3(1e-3, 2e-3, -20e-3);
    let about_middle = ARM.cross(FORCE) + FREE;
    let f = turned(FORCE);
    let m = turned(about_middle) - f.cross(origin);
    let raw = [f.x, f.y, f.z, 1e3 * m.x, 1e3 * m.y, 1e3 * m.z].map(|x| x.round() as i32);
    for sign in [1, -1] {
        for origin in [[1.0, 2.0, -20.0], [-1.0, -2.0, 20.0]] {
            let w = with_plate(2, origin, ["N", "Nmm"], &raw.map(|x| sign * x));
            check(&w, FORCE, about_middle, MIDDLE + ARM);
        }
    }
    // the same load in the frames of ZERO is not a baseline; a small one is subtracted
    let mut w = with_plate(2, [1.0, 2.0, -20.0], ["N", "Nmm"], &raw);
    let loaded = w.analog[2].clone();
    w.analog[0] = loaded.clone();
    near(read(&w).plates[0].force[5], FORCE, SINGLE, "loaded from the start");
    let offset: Vec<i32> = [3, -2, 5, 40, -60, 10].repeat(2);
    let shifted = |v: &[i32]| v.iter().zip(&offset).map(|(a, b)| a + b).collect::<Vec<_>>();
    w.analog = vec![offset.clone(), offset.clone(), shifted(&loaded)];
    check(&w, FORCE, about_middle, MIDDLE + ARM);
    let raw = c3d::read_with(&w.bytes(), "t", &Options { baseline: false, ..Options::default() }).unwrap();
    near(raw.plates[0].force[0], turned(vec3(3.0, -2.0, 5.0)), SINGLE, "not subtracted");
}

#[test]
fn plate_of_type_3() {
    let (a, b, depth) = (0.12, 0.2, 0.05);
    let raw = [10, -4, 7, 3, -200, -150, -120, -230];
    let c = raw.map(f64::from);
    // each sensor's force at its position, plate axes, z down
    let sensors = [
        (vec3(0.0, b, depth), vec3(c[0], 0.0, 0.0)),
        (vec3(0.0, -b, depth), vec3(c[1], 0.0, 0.0)),
        (vec3(a, 0.0, depth), vec3(0.0, c[2], 0.0)),
        (vec3(-a, 0.0, depth), vec3(0.0, c[3], 0.0)),
        (vec3(a, b, depth), vec3(0.0, 0.0, c[4])),
        (vec3(-a, b, depth), vec3(0.0, 0.0, c[5])),
        (vec3(-a, -b, depth), vec3(0.0, 0.0, c[6])),
        (vec3(a, -b, depth), vec3(0.0, 0.0, c[7])),
    ];
    let force = sensors.iter().fold(Vec3::ZERO, |s, (_, f)| s + *f);
    let moment = sensors.iter().fold(Vec3::ZERO, |s, (r, f)| s + r.cross(*f));
    let center = vec3(-moment.y / force.z, moment.x / force.z, 0.0);
    for z in [-50.0, 50.0] {
        let w = with_plate(3, [120.0, 200.0, z], ["N", "N"], &raw);
        check(&w, turned(force), turned(moment), MIDDLE + turned(center));
    }
}

#[test]
fn plate_of_type_4() {
    let mut matrix = vec![0.0; 36];
    for k in 0..6 {
        matrix[7 * k] = 2.0 + k as f64;
    }
    matrix[6 * 2] = 0.5; // row 0, column 2: the file goes down the columns
    let raw = [10, 20, -100, 300, -500, 70];
    let f = vec3(2.0 * 10.0 + 0.5 * -100.0, 3.0 * 20.0, 4.0 * -100.0);
    let m = vec3(5.0 * 0.3, 6.0 * -0.5, 7.0 * 0.07) + f.cross(vec3(0.0, 0.0, -0.02));
    let w = with_plate(4, [0.0, 0.0, -20.0], ["V", "V"], &raw);
    assert!(error(&w.bytes()).contains("CAL_MATRIX: has 0 numbers, but plate 1 of type 4 needs 36"));
    let w = w.with("FORCE_PLATFORM", "CAL_MATRIX", &[6, 6, 1], Reals(matrix));
    check(&w, turned(f), turned(m), MIDDLE + turned(vec3(-m.y / f.z, m.x / f.z, 0.0)));
}

#[test]
fn invalid_plates_are_ignored() {
    let base = with_plate(2, [0.0; 3], ["N", "Nmm"], &[0, 0, -100, 0, 0, 0]);
    let is_ignored = |name: &'static str, dimensions: &[u8], values: Values, why: &str| {
        let m = read(&base.clone().with("FORCE_PLATFORM", name, dimensions, values));
        assert!(m.plates.is_empty() && m.notes.iter().any(|n| n.contains(why)), "{:?}", m.notes);
    };
    is_ignored("TYPE", &[1], Words(vec![11]), "type 11 is not supported");
    is_ignored("CORNERS", &[3, 4], Reals(vec![0.0; 12]), "corners do not span a surface");
    is_ignored("CORNERS", &[3], Reals(vec![0.0; 3]), "CORNERS is too short");
    is_ignored("CHANNEL", &[6], Words(vec![1, 2, 3, 4, 5, 7]), "channel 7 was not");
    is_ignored("CHANNEL", &[6], Words(vec![1, 2, 3, 4, 5, 5]), "used twice");
    is_ignored("CHANNEL", &[4], Words(vec![1, 2, 3, 4]), "lacks some of its 6 channels");
}

// real files

fn data(name: &str) -> Option<PathBuf> {
    testkit::data(&format!("c3d/{name}"))
}

fn real_file(name: &str, options: &Options) -> Option<Markers> {
    let bytes = std::fs::read(data(name)?).unwrap();
    Some(c3d::read_with(&bytes, name, options).unwrap_or_else(|e| panic!("{e}")))
}

fn vector(v: &serde_json::Value) -> Option<Vec3> {
    let a: Vec<f64> = v.as_array().unwrap().iter().filter_map(serde_json::Value::as_f64).collect();
    (a.len() == 3).then(|| vec3(a[0], a[1], a[2]))
}

#[test]
fn real_files_agree_with_ezc3d() {
    let Some(path) = data("expected_ezc3d.json") else { return };
    let expected: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (name, e) in expected.as_object().unwrap().iter().filter(|(_, e)| e.get("error").is_none()) {
        // ezc3d subtracts no baseline
        let m = real_file(name, &Options { baseline: false, ..Options::default() }).unwrap();
        let count = |key: &str| e[key].as_u64().unwrap() as usize;
        assert_eq!(
            (m.labels.len(), m.frames(), m.analog.labels.len()),
            (count("points"), count("frames"), count("analogs"))
        );
        assert_eq!(
            (m.rate, m.analog.rate),
            (e["point_rate"].as_f64().unwrap(), e["analog_rate"].as_f64().unwrap())
        );
        assert_eq!(m.analog.values.len(), count("analog_samples") * count("analogs"));
        for (k, label) in m.labels.iter().enumerate() {
            assert_eq!(Some(label.as_str()), e["labels"][k].as_str());
        }
        assert_eq!(m.first_frame, e["first_frame"].as_u64().unwrap() + 1, "they count from zero");
        assert_eq!(m.points.iter().filter(|p| p.is_none()).count(), count("missing_points"), "{name}");

        // ours to their axes and unit
        let is_y_up = name.starts_with("FP_Type1");
        let back = |v: Vec3| if is_y_up { vec3(v.x, v.z, -v.y) } else { v };
        let unit = m.unit;
        let mut worst: f64 = 0.0;
        for (frame, points) in e["sample_points"].as_object().unwrap() {
            for (k, p) in points.as_array().unwrap().iter().enumerate() {
                let ours = m.at(frame.parse().unwrap())[k].map(|p| back(p).scale(1.0 / unit));
                let theirs = vector(p);
                assert_eq!(ours.is_some(), theirs.is_some(), "{name} {frame} {k}");
                if let (Some(ours), Some(theirs)) = (ours, theirs) {
                    worst = worst.max((ours - theirs).norm());
                }
            }
        }
        let mut worst_signal: f64 = 0.0;
        let n = m.analog.labels.len();
        for (key, sample) in [("analog_first_sample", 0), ("analog_mid_sample", count("analog_samples") / 2)]
        {
            for (k, v) in e[key].as_array().unwrap().iter().enumerate() {
                worst_signal =
                    worst_signal.max((m.analog.values[sample * n + k] - v.as_f64().unwrap()).abs());
            }
        }
        // corners of all plates but the first of FP_Type1 are invalid: we read only that one
        assert_eq!(m.plates.len(), if is_y_up { 1 } else { 2 }, "{:?}", m.notes);
        let mut worst_load = [0.0f64; 3];
        for (plate, e) in m.plates.iter().zip(e["platforms"].as_array().unwrap()) {
            let sample = e["peak_force_norm_sample"].as_u64().unwrap() as usize;
            let get = |key: &str| vector(&e[key]).unwrap();
            let force = (back(plate.force[sample]) - get("force_at_peak")).norm();
            // of type 1 their moment has the opposite sign
            let sign = if plate.kind == 1 { -1.0 } else { 1.0 };
            let moment = (back(plate.moment[sample]).scale(sign / unit) - get("moment_at_peak")).norm();
            let center =
                plate.center[sample].map(|c| (back(c).scale(1.0 / unit) - get("cop_at_peak")).norm());
            assert_eq!(center.is_none(), is_y_up, "loaded with less than 10 N only there");
            for (w, x) in worst_load.iter_mut().zip([force, moment, center.unwrap_or(0.0)]) {
                *w = w.max(x);
            }
        }
        println!(
            "{name}: points {worst:.1e}, signals {worst_signal:.1e}, force, moment, centre {worst_load:?}"
        );
        assert!(worst < PRINTED && worst_signal < PRINTED, "{name}: {worst} {worst_signal}");
        // moments are some 1e5 N mm from single floats
        assert!(
            worst_load[0] < PRINTED && worst_load[1] < 1e-3 * SINGLE * 1e5 && worst_load[2] < PRINTED,
            "{worst_load:?}"
        );
    }
}

#[test]
fn real_encodings_agree() {
    let Some(reference) = real_file("pc_real.c3d", &Options::default()) else { return };
    for name in ["pc_int", "dec_int", "dec_real", "sgi_int", "sgi_real"] {
        let m = real_file(&format!("{name}.c3d"), &Options::default()).unwrap();
        assert_eq!(
            (&m.labels, &m.analog.labels, m.rate),
            (&reference.labels, &reference.analog.labels, reference.rate)
        );
        if name.ends_with("real") {
            assert!(m.points == reference.points, "{name}");
        }
        let mut worst: f64 = 0.0;
        for (a, b) in m.points.iter().zip(&reference.points) {
            assert_eq!(a.is_some(), b.is_some());
            worst = worst.max(a.zip(*b).map_or(0.0, |(a, b)| (a - b).norm()));
        }
        println!("{name}: {worst:.1e} m");
        // the converters of these files round integers differently: one step of 0.28 mm along an axis
        assert!(worst < 3f64.sqrt() * 0.28118187e-3, "{name}: {worst}");
        assert!(m.analog == reference.analog, "{name}");
        assert!(m.plates == reference.plates, "{name}");
    }
}

/// A plate is unloaded before the step, after subtracting the baseline. Walking along +y, a foot first brakes
/// and then pushes off, so the sign of the horizontal force is that of the ground on the person too.
#[test]
fn a_step_on_a_plate_has_plausible_forces() {
    let Some(m) = real_file("Eb015pi.c3d", &Options::default()) else { return };
    for plate in &m.plates {
        let loaded: Vec<usize> = (0..plate.force.len()).filter(|s| plate.force[*s].z > 50.0).collect();
        assert!(plate.force[..20].iter().all(|f| f.norm() < 10.0));
        assert!(plate.center[0].is_none());
        let forward = |s: &&usize| plate.force[**s].y;
        let brake = loaded.iter().min_by(|a, b| forward(a).total_cmp(&forward(b))).unwrap();
        let push = loaded.iter().max_by(|a, b| forward(a).total_cmp(&forward(b))).unwrap();
        println!("brakes with {} N at {brake}, pushes with {} N at {push}", forward(&brake), forward(&push));
        assert!(brake < push && forward(&brake) < -20.0 && forward(&push) > 20.0);
        let peak = plate.force.iter().map(|f| f.z).fold(0.0, f64::max);
        assert!((780.0..900.0).contains(&peak), "82.7 kg walking: {peak}");
        // the centre of pressure stays on the plate and moves with the walk
        let at = |s: usize| plate.center[s].unwrap();
        assert!(at(loaded[loaded.len() - 1]).y > at(loaded[0]).y + 0.1);
    }
}

// hostile files

#[test]
fn mutated_files_never_panic() {
    let plate = with_plate(2, [1.0, 2.0, -20.0], ["N", "Nmm"], &[1, 2, -300, 4, 5, 6]);
    let seeds: Vec<Vec<u8>> =
        [small(INTEL, false), small(DEC, true), small(SGI, true), plate].iter().map(Writer::bytes).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    let (mut tries, mut good) = (0, 0);
    while start.elapsed() < FUZZ {
        let mut bytes = seeds[random.next(seeds.len())].clone();
        for _ in 0..1 + random.next(6) {
            let end = if random.next(4) == 0 { 24.min(bytes.len()) } else { bytes.len() };
            let at = random.next(end);
            match random.next(8) {
                0 => bytes.truncate(at + 1),
                1 => bytes[at] = 0xff,
                2 => bytes[at] = 0,
                3 => bytes[at] ^= 1 << random.next(8),
                _ => bytes[at] = random.next(256) as u8,
            }
        }
        good += usize::from(c3d::read(&bytes, "t").is_ok_and(|m| m.frames() < 1_000_000));
        tries += 1;
    }
    println!("{tries} files, {good} still read");
    assert!(tries > 100 && good > 0);
}
