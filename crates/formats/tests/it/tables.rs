//! TRC, MOT and STO: small, real and damaged files.

use anthropi_dynamics::spatial::vec3;
use anthropi_formats::{sto, trc};
use anthropi_motion::recording::Up;
use anthropi_motion::table::Table;
use std::time::{Duration, Instant};
use testkit::mutation::Random;

const FUZZ: Duration = Duration::from_secs(2);

const TRC: &str = "PathFileType\t4\t(X/Y/Z)\tc:\\old path\\a.trc\n\
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n\
50.00\t100.00\t3\t2\tmm\t50.00\t1\t3\n\
Frame#\tTime\tR.ASIS\t\t\tTop Head\t\t\t\n\
\t\tX1\tY1\tZ1\tX2\tY2\tZ2\t\n\
\n\
7\t0.00\t100\t1000\t-20\t110.5\t1700\t-30\t\n\
8\t0.02\t101\t1001\t-21\t\t\t\t\n\
9\t0.04\t\t\t\t112\t1702\tNaN\n";

const STO: &str = "walk one\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\n\nUnits are S.I. units\nendheader\n\
time\tknee angle\tpelvis_tx\n     0.0\t  -1.5\t 2e-3\n0.5\tnan\t3\n";

fn trc_error(text: &str) -> String {
    trc::read(text.as_bytes(), "t.trc").unwrap_err().to_string()
}

fn sto_error(text: &str) -> String {
    sto::read(text.as_bytes(), "t.sto").unwrap_err().to_string()
}

#[test]
fn trc_is_read_in_metres_and_z_up() {
    for text in [TRC.to_string(), TRC.replace('\n', "\r\n"), format!("\u{feff}{TRC}")] {
        let m = trc::read(text.as_bytes(), "dir/a.trc").unwrap();
        assert_eq!((m.name.as_str(), m.rate, m.first_frame, m.unit), ("a", 50.0, 7, 1e-3));
        assert_eq!(m.labels, ["R.ASIS", "Top Head"]);
        assert_eq!(m.frames(), 3);
        assert_eq!(m.at(0), [Some(vec3(0.1, 0.02, 1.0)), Some(vec3(0.1105, 0.03, 1.7))]);
        assert_eq!(m.at(1), [Some(vec3(0.101, 0.021, 1001.0 * 1e-3)), None]);
        assert_eq!(m.at(2), [None, None]);
        assert!(m.notes.iter().any(|n| n.contains("camera rate 100 Hz")), "{:?}", m.notes);
        assert!(m.notes.iter().any(|n| n.contains("1 points have only some coordinates")), "{:?}", m.notes);
    }
    let m = trc::read_with(TRC.as_bytes(), "a", Up::Z).unwrap();
    assert_eq!(m.at(0)[0], Some(vec3(0.1, 1.0, -0.02)));
    assert!(m.notes.iter().any(|n| n.contains("the up axis is uncertain")), "{:?}", m.notes);
    // spaces instead of tabs
    let full: Vec<&str> = TRC.lines().take(7).collect();
    let blank = full.join("\n").replace("Top Head", "Top").replace('\t', " ").replace(" 3 2 mm", " 1 2 mm");
    assert_eq!(
        trc::read(blank.as_bytes(), "a").unwrap().at(0),
        trc::read(TRC.as_bytes(), "a").unwrap().at(0)
    );
}

#[test]
fn trc_errors_have_a_position() {
    let wrong = |old: &str, new: &str, message: &str| {
        assert!(TRC.contains(old));
        let error = trc_error(&TRC.replacen(old, new, 1));
        assert_eq!(error, format!("t.trc:{message}"));
    };
    wrong("\t3\t2\tmm", "\t3\t3\tmm", "4:1: labels: has 2 labels, but NumMarkers in line 3 is 3");
    wrong("\t3\t2\tmm", "\t4\t2\tmm", "9:1: NumFrames: line 3 states 4 frames, but there are 3");
    wrong("mm", "ells", "3:1: Units: found `ells`, expected a unit of length (mm, cm, m, in, ...)");
    wrong("1000", "1o00", "7:12: R.ASIS: found `1o00`, expected a number");
    wrong("0.02\t101", "0.00\t101", "8:3: Time: found 0 after 0, expected time to increase");
    wrong(
        "-30\t\n",
        "-30\t5\n",
        "7:1: row: has 9 cells, expected 8: frame, time and three for each of 2 markers",
    );
    wrong("PathFileType", "Path", "1:1: header: not a TRC file: expected `PathFileType`");
    wrong("50.00\t100.00\t", "0\t-1\t", "3:1: DataRate: expected a frame rate above zero");
    assert_eq!(trc_error(""), "t.trc:1:1: header: the file ends before its first line");
    assert!(trc::read(b"\xff\xfe", "t").unwrap_err().to_string().contains("not UTF-8"));
    let cut: String = TRC.lines().take(3).map(|l| format!("{l}\n")).collect();
    assert_eq!(trc_error(&cut), "t.trc:3:1: header: the file ends before its labels");
}

#[test]
fn trc_rows_without_cells_are_bounded() {
    let n = 50_000;
    let labels: String = (0..n).map(|k| format!("\tm{k}")).collect();
    let rows: String = (0..5_000).map(|k| format!("{k}\t{k}\n")).collect();
    let text = format!(
        "PathFileType\nDataRate\tNumFrames\tNumMarkers\tUnits\n1\t5000\t{n}\tm\nFrame#\tTime{labels}\nX\n{rows}"
    );
    assert!(trc_error(&text).contains("too many rows without coordinates"));
}

#[test]
fn sto_round_trips() {
    for text in [STO.to_string(), STO.replace('\n', "\r\n"), STO.replace("endheader", "endheader\t\t\t")] {
        let t = sto::read(text.as_bytes(), "x.sto").unwrap();
        assert_eq!(t.name, "walk one");
        assert_eq!(t.labels, ["knee angle", "pelvis_tx"]);
        assert_eq!(t.time, [0.0, 0.5]);
        assert!(t.in_degrees && t.values[2].is_nan());
        assert_eq!((t.values[0], t.values[1], t.values[3]), (-1.5, 2e-3, 3.0));
        assert_eq!(
            t.header,
            [("version".into(), "1".into()), ("Units are S.I. units".into(), String::new())]
        );
        let again = sto::read(sto::write(&t).unwrap().as_bytes(), "y.sto").unwrap();
        assert_eq!(format!("{again:?}"), format!("{t:?}"));
    }
}

#[test]
fn other_headers_are_read() {
    // OpenSim 4: no counts, no name; spaces between cells
    let text = "inDegrees=no\nDataType=double\nversion=3\nOpenSimVersion=4.1\nendheader\n\n time a  b\n0 1 2\n1 3 4\n";
    let t = sto::read(text.as_bytes(), "dir/run.sto").unwrap();
    assert_eq!((t.name.as_str(), t.rows(), t.values.len()), ("run", 2, 4));
    assert_eq!(t.column(1).collect::<Vec<_>>(), [2.0, 4.0]);
    let again = sto::read(sto::write(&t).unwrap().as_bytes(), "z").unwrap();
    assert_eq!((again.header, again.values), (t.header, t.values));
    // SIMM
    let text = "name walk.mot\ndatacolumns 2\ndatarows 1\nrange 0.0 1.0\nendheader\ntime a\n0.0 1\n";
    let t = sto::read(text.as_bytes(), "t").unwrap();
    assert_eq!((t.name.as_str(), t.rows(), t.header.len()), ("walk.mot", 1, 1));
}

#[test]
fn sto_errors_have_a_position() {
    let wrong = |old: &str, new: &str, message: &str| {
        assert!(STO.contains(old));
        assert_eq!(sto_error(&STO.replacen(old, new, 1)), format!("t.sto:{message}"));
    };
    wrong("nRows=2", "nRows=3", "11:1: nRows: line 3 states 3 rows, but there are 2");
    wrong("nRows=2", "nRows=two", "3:7: nRows: found `two`, expected a count");
    wrong("nColumns=3", "nColumns=4", "4:1: nColumns: states 4, but line 9 has 3 labels including `time`");
    wrong("inDegrees=yes", "inDegrees=perhaps", "5:11: inDegrees: found `perhaps`, expected `yes` or `no`");
    wrong("nan\t3", "3", "11:1: row: has 2 numbers, expected 3");
    wrong("-1.5", "-1,5", "10:12: knee angle: found `-1,5`, expected a number");
    wrong("0.5", "-0.5", "11:1: time: found -0.5 after 0, expected time not to decrease");
    wrong("time\t", "t\t", "9:1: labels: expected `time` as the first column");
    wrong("knee angle", "", "9:1: labels: column 2 has no label");
    wrong("version=1", "DataType=Vec3", "2:10: DataType: found `Vec3`, expected `double`");
    assert_eq!(sto_error(""), "t.sto:1:1: header: has no line `endheader`");
    assert_eq!(sto_error("a\nendheader\n"), "t.sto:2:1: labels: expected a line of labels after `endheader`");
}

#[test]
fn unrepresentable_tables_are_rejected() {
    let good = Table {
        name: "a".into(),
        labels: vec!["x".into()],
        time: vec![0.0],
        values: vec![1.0],
        ..Table::default()
    };
    assert!(sto::write(&good).is_ok());
    let bad = [
        Table { name: "a\nb".into(), ..good.clone() },
        Table { labels: vec!["a\tb".into()], ..good.clone() },
        Table { values: vec![], ..good.clone() },
        Table { header: vec![("nRows".into(), "7".into())], ..good.clone() },
        Table { header: vec![("endheader".into(), String::new())], ..good },
    ];
    for table in bad {
        assert!(sto::write(&table).unwrap_err().to_string().starts_with("STO cannot represent"), "{table:?}");
    }
}

fn data(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(testkit::data(&format!("opensim/{name}"))?).unwrap())
}

#[test]
fn real_tables_are_read() {
    for (name, rows, columns, in_degrees) in [
        ("gait10dof18musc/subject01_walk_IK.mot", 151, 11, true),
        ("gait10dof18musc/subject01_walk_grf.mot", 1501, 19, true),
        ("gait10dof18musc/subject01_walk_ID.reference.sto", 151, 11, false),
        ("gait2354/subject01_walk1_ik.mot", 73, 24, true),
        ("gait2354/inverse_dynamics.opensim46.sto", 73, 24, false),
        ("gait2354/rra_reference/subject01_walk1_RRA_Kinematics_q.sto", 0, 24, true),
    ] {
        let Some(bytes) = data(name) else { return };
        let t = sto::read(&bytes, name).unwrap_or_else(|e| panic!("{e}"));
        assert!(
            (rows == 0 || t.rows() == rows) && t.labels.len() + 1 == columns,
            "{name} {}",
            t.labels.len()
        );
        assert_eq!(t.in_degrees, in_degrees, "{name}");
        let again = sto::read(sto::write(&t).unwrap().as_bytes(), name).unwrap();
        assert_eq!(again, t, "{name}");
    }
    let Some(bytes) = data("gait10dof18musc/subject01_walk_grf.mot") else { return };
    let t = sto::read(&bytes, "grf").unwrap();
    assert_eq!(t.values[t.find("ground_force_vy").unwrap()], 745.4661142);
}

#[test]
fn real_markers_are_read() {
    let Some(bytes) = data("gait2354/subject01_walk1.trc") else { return };
    let m = trc::read(&bytes, "subject01_walk1.trc").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((m.labels.len(), m.frames(), m.rate), (41, 151, 60.0));
    let p = m.at(0)[0].unwrap();
    assert!((p - vec3(0.617_247_62, -0.170_781_98, 1.055_275_02)).norm() < 1e-12, "{p:?}");
    let seen: Vec<_> = m.points.iter().flatten().collect();
    assert!(seen.iter().all(|p| p.z > -0.05 && p.z < 2.0), "z is up");
    assert!(!m.notes.iter().any(|n| n.contains("uncertain")), "{:?}", m.notes);
}

#[test]
fn mutated_files_never_panic() {
    let pieces = b"\t|\n|=|| |99999999999|-1|nan|endheader|\xff|\xe2\x82\xac|1e999";
    let pieces: Vec<&[u8]> = pieces.split(|b| *b == b'|').collect();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let start = Instant::now();
    let (mut tries, mut good) = (0, 0);
    while start.elapsed() < FUZZ {
        let mut bytes = [TRC, STO][random.next(2)].as_bytes().to_vec();
        for _ in 0..1 + random.next(4) {
            let at = random.next(bytes.len());
            let end = (at + random.next(6)).min(bytes.len());
            let piece = pieces[random.next(pieces.len())];
            bytes.splice(at..end, piece.iter().copied());
        }
        let table = sto::read(&bytes, "t");
        good += usize::from(trc::read(&bytes, "t").is_ok()) + usize::from(table.is_ok());
        // everything read can be written, or is rejected with an error; and it round-trips
        if let Some(text) = table.ok().and_then(|t| sto::write(&t).ok()) {
            sto::read(text.as_bytes(), "t").unwrap_or_else(|e| panic!("{e} in {text}"));
        }
        tries += 1;
    }
    println!("{tries} files, {good} still read");
    assert!(tries > 100 && good > 0);
}
