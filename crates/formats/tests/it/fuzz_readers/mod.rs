//! Fuzzes every reader of motions: no panic, errors with their position, bounded memory and time.
//!
//! `ANTHROPI_FUZZ_SECONDS` sets the seconds per reader; there is one thread per processor. Files depend only on the reader
//! and their number, so that failures are reproducible.

pub mod archive;
mod mutate;

use anthropi_formats::motion::{csv, json, recording_from_clip, table_from_clip};
use anthropi_formats::{Error, acclaim, bvh, c3d, gltf, npz, sto, trc};
use anthropi_motion::Clip;
use anthropi_motion::recording::Recording;
use mutate::{mutate, mutate_in_place};
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use testkit::Rng;

/// Default seconds per reader.
const SECONDS: u64 = 10;
/// Memory per byte of a file, bytes: a rotation and a position for a digit and a space, and their growth.
const MEMORY_PER_BYTE: u64 = 200;
/// Additional memory, bytes: readers accept a million omitted values.
const MEMORY: u64 = 64 << 20;
/// Time limit per file: at most 100 kB, on a busy machine.
const TIME: Duration = Duration::from_secs(5);

const BVH: &[u8] = include_bytes!("seeds/walk.bvh");
const DIALECT: &[u8] = include_bytes!("seeds/dialect.bvh");
const ASF: &[u8] = include_bytes!("seeds/walk.asf");
const AMC: &[u8] = include_bytes!("seeds/walk.amc");
const TRC: &[u8] = include_bytes!("seeds/walk.trc");
const STO: &[u8] = include_bytes!("seeds/walk.sto");
const JSON: &[u8] = include_bytes!("seeds/arm.json");
const C3D: [&[u8]; 3] =
    [include_bytes!("seeds/intel.c3d"), include_bytes!("seeds/sgi.c3d"), include_bytes!("seeds/plate.c3d")];
const STORED: &[u8] = include_bytes!("seeds/stored.npz");
const DEFLATED: &[u8] = include_bytes!("seeds/deflated.npz");

/// A reader, its seeds, and whether it reports bytes instead of lines.
struct Reader {
    name: &'static str,
    seeds: &'static [&'static [u8]],
    read: fn(&[u8]) -> Result<(), Error>,
    is_binary: bool,
}

/// Decodes text that is not UTF-8 like `motion::read`.
fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap_or_else(|e| e.into_bytes().into_iter().map(char::from).collect())
}

/// Typical uses of a recording.
fn use_recording(recording: &Recording) {
    let mut places = Vec::new();
    if recording.frames() > 0 {
        recording.world_at(recording.frames() - 1, &mut places);
    }
    let _ = bvh::write(recording);
}

/// Every writer accepts every motion.
fn write_everywhere(clip: &Clip) {
    let _ = json::write(clip);
    let _ = csv::from_clip(clip);
    let _ = sto::write(&table_from_clip(clip));
    let _ = gltf::write(clip, gltf::Form::Binary);
    use_recording(&recording_from_clip(clip));
}

const READERS: [Reader; 8] = [
    reader("bvh", &[BVH, DIALECT], false, |b| bvh::read(&text(b), "f").map(|r| use_recording(&r))),
    reader("asf", &[ASF], false, |b| {
        acclaim::read_at_rest(&text(b), "f", &acclaim::Options::default()).map(|r| use_recording(&r))
    }),
    reader("amc", &[AMC], false, |b| {
        acclaim::read(&text(ASF), "f", &text(b), "f").map(|r| use_recording(&r))
    }),
    reader("trc", &[TRC], false, |b| trc::read(text(b).as_bytes(), "f").map(drop)),
    reader("sto", &[STO], false, |b| sto::read(text(b).as_bytes(), "f").map(drop)),
    reader("json", &[JSON], false, |b| json::read(&text(b), "f").map(|c| write_everywhere(&c))),
    reader("c3d", &C3D, true, |b| c3d::read(b, "f").map(drop)),
    reader("npz", &[STORED, DEFLATED], true, |b| npz::read(b, "f").map(drop)),
];

const fn reader(
    name: &'static str,
    seeds: &'static [&'static [u8]],
    is_binary: bool,
    read: fn(&[u8]) -> Result<(), Error>,
) -> Reader {
    Reader { name, seeds, read, is_binary }
}

/// The file with a number.
fn file(reader: &Reader, number: u64) -> Vec<u8> {
    let mut random = Rng::new(number);
    let seed = reader.seeds[random.below(reader.seeds.len())];
    let mut bytes = seed.to_vec();
    if seed == STORED && random.below(4) > 0 {
        mutate_in_place(&mut bytes, &mut random);
        archive::repair(&mut bytes, seed);
    } else {
        mutate(&mut bytes, &mut random);
    }
    bytes
}

/// Checks that an error has a position.
fn missing_position(error: &Error, is_binary: bool) -> Option<String> {
    let is_placed = match error {
        Error::Syntax { place, .. } | Error::Field { place, .. } => {
            !is_binary && place.line > 0 && place.column > 0
        }
        Error::Binary { .. } => is_binary,
        Error::Encoding { .. } => true,
        _ => false,
    };
    (!is_placed).then(|| format!("no place: {error:?}"))
}

/// Reads one file; returns the failure, if any, and the memory used.
fn attempt(reader: &Reader, bytes: &[u8]) -> (Result<bool, String>, u64) {
    let started = Instant::now();
    let mut outcome = Ok(false);
    let info = allocation_counter::measure(|| {
        outcome = match catch_unwind(|| (reader.read)(bytes)) {
            Err(_) => Err("a panic".into()),
            Ok(Ok(())) => Ok(true),
            Ok(Err(error)) => missing_position(&error, reader.is_binary).map_or(Ok(false), Err),
        };
    });
    let took = started.elapsed();
    if outcome.is_ok() && info.bytes_max > MEMORY + MEMORY_PER_BYTE * bytes.len() as u64 {
        outcome = Err(format!("{} bytes of memory for {} bytes", info.bytes_max, bytes.len()));
    }
    if outcome.is_ok() && took > TIME {
        outcome = Err(format!("{took:?}"));
    }
    (outcome, info.bytes_max)
}

/// Reads files for some time; saves a failing one.
fn fuzz(reader: &Reader, time: Duration) -> Result<String, String> {
    let started = Instant::now();
    let (mut number, mut good, mut most) = (0, 0, 0);
    while started.elapsed() < time {
        let bytes = file(reader, number);
        let (outcome, memory) = attempt(reader, &bytes);
        good += u64::from(outcome.map_err(|what| {
            let kept = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", reader.name));
            let _ = std::fs::write(&kept, &bytes);
            format!("{}, file {number}: {what} (kept as {})", reader.name, kept.display())
        })?);
        most = most.max(memory);
        number += 1;
    }
    assert!(good > 0 && good < number, "{}: {good} of {number} files could be read", reader.name);
    Ok(format!("{}: {number} files, {good} could be read, at most {} kB of memory", reader.name, most >> 10))
}

#[test]
fn every_seed_is_read() {
    for reader in &READERS {
        for seed in reader.seeds {
            (reader.read)(seed).unwrap_or_else(|e| panic!("{}: {e}", reader.name));
        }
    }
    let mut again = STORED.to_vec();
    archive::repair(&mut again, STORED);
    assert_eq!(again, STORED);
}

#[test]
fn readers_refuse_what_they_cannot_read() {
    let seconds = std::env::var("ANTHROPI_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(SECONDS);
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(reader) = READERS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = fuzz(reader, Duration::from_secs(seconds));
                    outcomes.lock().unwrap().push(outcome);
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().unwrap();
    outcomes.iter().for_each(|o| println!("{}", o.as_ref().unwrap_or_else(|e| e)));
    assert_eq!(outcomes.len(), READERS.len());
    let failures: Vec<&String> = outcomes.iter().filter_map(|o| o.as_ref().err()).collect();
    assert!(failures.is_empty(), "{failures:#?}");
}
