//! AMASS files: arrays of all types in generated archives, damaged and hostile ones.

use crate::fuzz_readers::archive::crc32;
use crate::{assert_messages, world};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_formats::npz;
use anthropi_motion::recording::Up;
use std::time::{Duration, Instant};
use testkit::mutation::Random;

const FUZZ: Duration = Duration::from_secs(2);
/// The files have single precision.
const SINGLE: f64 = 1e-6;

/// An archive of members, stored or deflated.
fn zip(members: &[(&str, Vec<u8>)], is_deflated: bool) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in members {
        let (packed, method) = match is_deflated {
            true => (miniz_oxide::deflate::compress_to_vec(data, 6), 8),
            false => (data.clone(), 0),
        };
        member(&mut out, &mut directory, name, &packed, data.len(), crc32(data), method);
    }
    finish(out, &directory, members.len())
}

fn member(
    out: &mut Vec<u8>,
    directory: &mut Vec<u8>,
    name: &str,
    packed: &[u8],
    size: usize,
    crc: u32,
    method: u16,
) {
    let at = out.len() as u32;
    let mut common = Vec::new();
    for word in [20u16, 0, method, 0, 0] {
        common.extend(word.to_le_bytes());
    }
    for double in [crc, packed.len() as u32, size as u32] {
        common.extend(double.to_le_bytes());
    }
    common.extend((name.len() as u16).to_le_bytes());
    out.extend(b"PK\x03\x04");
    out.extend(&common);
    out.extend([4, 0]); // an extra field, as in NumPy's files
    out.extend(name.bytes());
    out.extend([1, 0, 0, 0]);
    out.extend(packed);
    directory.extend(b"PK\x01\x02\x14\x00");
    directory.extend(&common);
    directory.extend([0; 12]);
    directory.extend(at.to_le_bytes());
    directory.extend(name.bytes());
}

fn finish(mut out: Vec<u8>, directory: &[u8], members: usize) -> Vec<u8> {
    let (at, n) = (out.len() as u32, members as u16);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([n.to_le_bytes(), n.to_le_bytes()].concat());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0, 0]);
    out
}

fn npy(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    header += &" ".repeat(64 - (header.len() + 1) % 64);
    header += "\n";
    let mut out = b"\x93NUMPY".to_vec();
    out.extend([version, 0]);
    match version {
        1 => out.extend((header.len() as u16).to_le_bytes()),
        _ => out.extend((header.len() as u32).to_le_bytes()),
    }
    out.extend(header.bytes());
    out.extend(data);
    out
}

/// Encodes numbers as elements of a type.
fn encode(descr: &str, numbers: &[f64]) -> Vec<u8> {
    let is_big = descr.starts_with('>');
    let one = |x: &f64| {
        let mut b = match &descr[1..] {
            "f4" => (*x as f32).to_le_bytes().to_vec(),
            "f8" => x.to_le_bytes().to_vec(),
            "i4" => (*x as i32).to_le_bytes().to_vec(),
            "i8" => (*x as i64).to_le_bytes().to_vec(),
            other => panic!("{other}"),
        };
        if is_big {
            b.reverse();
        }
        b
    };
    numbers.iter().flat_map(one).collect()
}

/// Rotation of joint `j` in frame `f`.
fn turn(f: usize, j: usize) -> Vec3 {
    vec3(0.1 * f as f64, 0.02 * j as f64, -0.3)
}

fn table(frames: usize, columns: usize, fortran: bool, value: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let (outer, inner) = if fortran { (columns, frames) } else { (frames, columns) };
    let at = |a, b| if fortran { value(b, a) } else { value(a, b) };
    (0..outer).flat_map(|a| (0..inner).map(move |b| (a, b))).map(|(a, b)| at(a, b)).collect()
}

/// Members of an AMASS file.
fn members(version: u8, descr: &str, fortran: bool, columns: usize) -> Vec<(&'static str, Vec<u8>)> {
    let poses = table(3, columns, fortran, |f, c| turn(f, c / 3).to_array()[c % 3]);
    let trans = table(3, 3, fortran, |f, c| f as f64 + 0.1 * c as f64);
    let gender: Vec<u8> = "male".chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
    vec![
        ("poses.npy", npy(version, descr, fortran, &format!("(3, {columns})"), &encode(descr, &poses))),
        ("trans.npy", npy(version, descr, fortran, "(3, 3)", &encode(descr, &trans))),
        ("mocap_framerate.npy", npy(version, "<f8", false, "()", &encode("<f8", &[120.0]))),
        ("gender.npy", npy(version, "<U4", false, "()", &gender)),
        ("betas.npy", npy(version, descr, false, "(2,)", &encode(descr, &[0.0, 0.0]))),
    ]
}

fn error(bytes: &[u8]) -> String {
    npz::read(bytes, "t.npz").unwrap_err().to_string()
}

#[test]
fn arrays_of_all_types_are_read() {
    for (version, descr, fortran, columns, is_deflated) in [
        (1, "<f4", false, 156, false),
        (1, "<f8", true, 165, true),
        (2, ">f4", false, 72, true),
        (3, ">f8", true, 72, false),
        (1, "<f8", false, 66, true),
    ] {
        let bytes = zip(&members(version, descr, fortran, columns), is_deflated);
        let r = npz::read(&bytes, "dir/walk.npz").unwrap_or_else(|e| panic!("{e}"));
        let joints = if columns == 72 { 24 } else { 22 };
        assert_eq!((r.name.as_str(), r.frames(), r.skeleton.bones.len()), ("walk", 3, joints));
        assert_eq!((r.dt, r.convention.up, r.convention.unit), (1.0 / 120.0, Up::Z, 1.0));
        for f in 0..3 {
            for j in 0..joints {
                let (q, e) = (r.rotations_at(f)[j], Quat::exp(turn(f, j)));
                let apart = q.0.iter().zip(e.0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < SINGLE, "{descr} {f} {j}: {q:?} {e:?}");
            }
            // trans moves the pelvis, whose rest position is a constant
            let moved = r.positions_at(f)[0] - r.positions_at(0)[0];
            assert!((moved - vec3(f as f64, f as f64, f as f64)).norm() < SINGLE, "{moved:?}");
        }
        for note in ["gender: male", "`betas`) is ignored"] {
            assert!(r.notes.iter().any(|n| n.contains(note)), "{:?}", r.notes);
        }
    }
}

#[test]
fn both_names_of_the_rate_and_all_genders_are_read() {
    let with = |name: &'static str, array: Vec<u8>| {
        let mut m = members(1, "<f8", false, 72);
        m.retain(|(n, _)| *n != name && !(name.starts_with("mocap") && n.starts_with("mocap")));
        m.push((name, array));
        npz::read(&zip(&m, true), "t.npz")
    };
    for descr in ["<i8", ">i4", "<i4", ">i8"] {
        let r = with("mocap_frame_rate.npy", npy(1, descr, false, "(1,)", &encode(descr, &[60.0]))).unwrap();
        assert_eq!(r.dt, 1.0 / 60.0);
    }
    let r = with("gender.npy", npy(1, "|S8", false, "()", b"female\0\0")).unwrap();
    assert!(r.notes.contains(&"gender: female".into()), "{:?}", r.notes);
    let r = with("gender.npy", npy(1, "|O", false, "()", b"pickle")).unwrap();
    assert!(r.notes.iter().any(|n| n.text == "gender: unreadable"), "{:?}", r.notes);
    for bad in [0.0, -1.0, f64::NAN, 1e9] {
        let e = with("mocap_framerate.npy", npy(1, "<f8", false, "()", &encode("<f8", &[bad]))).unwrap_err();
        assert!(e.to_string().contains("mocap_framerate.npy"), "{e}");
    }
}

#[test]
fn the_skeleton_is_a_person_of_1_75_m() {
    let mut m = members(1, "<f4", false, 72);
    m[0].1 = npy(1, "<f4", false, "(1, 72)", &[0; 4 * 72]);
    m[1].1 = npy(1, "<f4", false, "(1, 3)", &[0; 12]);
    let r = npz::read(&zip(&m, false), "t").unwrap();
    let places = world(&r, 0);
    let at = |name: &str| places[r.skeleton.find(name).unwrap()].0;
    let end = |name: &str| {
        let k = r.skeleton.find(name).unwrap();
        places[k].0 + r.skeleton.bones[k].end.unwrap()
    };
    // at rest the body's y is up; the sole is about 2 cm below the ball of the foot
    let height = end("head").y - (at("left_foot").y - 0.015);
    assert!((height - 1.75).abs() < 0.02, "{height}");
    let span = end("left_hand").x - end("right_hand").x;
    assert!((span - 1.75).abs() < 0.1, "{span}");
    for name in r.skeleton.bones.iter().filter_map(|b| b.name.strip_prefix("left_")) {
        let (left, right) = (at(&format!("left_{name}")), at(&format!("right_{name}")));
        assert!((left.x + right.x).abs() < 1e-12 && left.x > 0.0 && (left.y - right.y).abs() < 1e-12);
    }
    for (k, bone) in r.skeleton.bones.iter().enumerate() {
        assert!(bone.parent.is_none_or(|p| p < k));
        assert_eq!(bone.end.is_some(), r.skeleton.children(k).count() == 0, "{}", bone.name);
    }
}

#[test]
fn errors_have_a_byte_offset() {
    assert_eq!(error(&[]), "t.npz: byte 0: zip: not an NPZ file: expected `PK` at its start");
    let good = zip(&members(1, "<f4", false, 156), true);
    assert!(error(&good[..good.len() / 2]).contains("the file is truncated"));
    let with = |k: usize, array: Vec<u8>| {
        let mut m = members(1, "<f4", false, 156);
        m[k].1 = array;
        error(&zip(&m, false))
    };
    let zeros = |n: usize| vec![0u8; 4 * n];
    let poses = |version, descr, shape, data: &[u8]| with(0, npy(version, descr, false, shape, data));
    let huge = "(9999999999999, 99999999999999)";
    let unmatched = "36 bytes of data do not match shape [2, 72] with elements of 4 bytes";
    assert_messages([
        (poses(1, "<f4", "(2, 10)", &zeros(20)), "poses.npy: has shape [2, 10], expected frames by 66"),
        (poses(1, "<f4", "(2, 72)", &zeros(9)), unmatched),
        (poses(1, "<f4", huge, &zeros(9)), "do not match"),
        (poses(1, "|O", "(2, 72)", &zeros(9)), "elements `|O`, expected numbers"),
        (poses(9, "<f4", "(2, 72)", &zeros(9)), "format version 9"),
        (poses(1, "<f4", "(0, 72)", &[]), "has 0 frames, expected 1 to"),
    ]);
    let trans = with(1, npy(1, "<f4", false, "(2, 3)", &zeros(6)));
    assert!(trans.contains("trans.npy: has shape [2, 3], expected [3, 3]"), "{trans}");
    let mut nan = zeros(9);
    nan[20..24].copy_from_slice(&f32::NAN.to_le_bytes());
    let array = npy(1, "<f4", false, "(3, 3)", &nan);
    let at = array.len() - 36 + 20;
    assert!(with(1, array).contains(&format!("byte {at}: trans.npy: NaN in row 1, column 2")));
    let mut m = members(1, "<f4", false, 156);
    m.remove(0);
    assert!(
        error(&zip(&m, false)).contains("poses: no such array; the file has trans.npy, mocap_framerate.npy")
    );
    // a flipped data bit: the checksum detects it
    let mut bytes = zip(&members(1, "<f4", false, 156), false);
    bytes[500] ^= 1;
    assert!(error(&bytes).contains("the file is damaged"), "{}", error(&bytes));
}

#[test]
fn zip_bombs_are_rejected() {
    // a stated gigabyte is rejected before inflating
    let packed = miniz_oxide::deflate::compress_to_vec(&vec![0u8; 10 << 20], 6);
    let file = |size: usize| {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        member(&mut out, &mut directory, "poses.npy", &packed, size, 0, 8);
        finish(out, &directory, 1)
    };
    assert!(error(&file(1 << 30)).contains("bytes, expected at most"), "{}", error(&file(1 << 30)));
    // inflating stops at the stated size
    assert!(error(&file(1000)).contains("does not inflate to 1000 bytes"), "{}", error(&file(1000)));
    // impossible compression ratio
    assert!(error(&file(200 << 20)).contains("impossible for deflated data"), "{}", error(&file(200 << 20)));
}

#[test]
fn mutated_files_never_panic() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let start = Instant::now();
    let (mut tries, mut good) = (0, 0);
    let mutate = |random: &mut Random, bytes: &mut Vec<u8>, within: usize| {
        for _ in 0..1 + random.next(4) {
            let at = random.next(within.min(bytes.len()));
            match random.next(6) {
                0 if random.next(4) == 0 => bytes.truncate(at + 1),
                1 => bytes[at] = 0xff,
                2 => bytes[at] = b'0' + random.next(10) as u8,
                _ => bytes[at] = random.next(256) as u8,
            }
        }
    };
    while start.elapsed() < FUZZ {
        let mut m = members(1 + random.next(3) as u8, "<f4", random.next(2) == 1, 72);
        // mutates the arrays, with correct checksums, or the archive
        let bytes = if random.next(2) == 0 {
            let k = random.next(m.len());
            mutate(&mut random, &mut m[k].1, 140);
            zip(&m, random.next(2) == 1)
        } else {
            let mut bytes = zip(&m, random.next(2) == 1);
            let within = bytes.len();
            mutate(&mut random, &mut bytes, within);
            bytes
        };
        good += usize::from(npz::read(&bytes, "t").is_ok());
        tries += 1;
    }
    println!("{tries} files, {good} still read");
    assert!(tries > 100 && good > 0);
}
