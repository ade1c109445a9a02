//! The motion of a BVH file: rotations and positions by frame and bone, in axes and units of the file.

use super::text::Cursor;
use super::{MAX_SAMPLES, convention};
use crate::Error;
use crate::names::{clipped, counted};
use anthropi_dynamics::spatial::{Quat, Real, Vec3};
use anthropi_motion::note::Note;
use anthropi_motion::recording::{Bone, Channel, Recording, Skeleton};

/// Larger angles, in degrees, are reduced before their sine is taken.
const LARGE_ANGLE: f64 = 1e6;
/// Samples allowed for any text; beyond it, one per byte.
const FREE_SAMPLES: usize = 1 << 20;

/// Reads the text after MOTION.
pub(super) fn read(cursor: &mut Cursor, skeleton: Skeleton, notes: Vec<Note>) -> Result<Recording, Error> {
    label(cursor, "Frames")?;
    let frames = frame_count(cursor, &skeleton)?;
    label(cursor, "FrameTime")?;
    cursor.skip_blank();
    let from = cursor.at;
    let dt = cursor.number(b"", || "Frame Time".into())?;
    if !(dt > 0.0) {
        return Err(cursor.field(from, "Frame Time", &format!("found {dt}, expected a time above zero")));
    }
    let bones = skeleton.bones.len();
    let mut recording = convention::empty(skeleton, dt, frames, notes);
    rows(cursor, frames, &mut recording)?;
    convention::make_quaternions_continuous(&mut recording.rotations, bones);
    Ok(recording)
}

/// `Frames:`, `Frame Time:`, ignoring white space, case and the colon.
fn label(cursor: &mut Cursor, expected: &str) -> Result<(), Error> {
    cursor.skip_blank();
    let from = cursor.at;
    for letter in expected.bytes() {
        cursor.skip_blank();
        if !cursor.peek().is_some_and(|b| b.eq_ignore_ascii_case(&letter)) {
            cursor.at = from;
            let found = cursor.word(b"");
            let name = if expected == "Frames" { "Frames:" } else { "Frame Time:" };
            return Err(cursor.syntax(from, format!("found `{}`, expected {name}", clipped(found))));
        }
        cursor.at += 1;
    }
    cursor.skip_blank();
    if cursor.peek() == Some(b':') {
        cursor.at += 1;
    }
    Ok(())
}

/// The stated number of frames, if the rest of the text can hold them.
fn frame_count(cursor: &mut Cursor, skeleton: &Skeleton) -> Result<usize, Error> {
    let word = cursor.word(b"");
    let from = cursor.at - word.len();
    let refuse = |what: String| Err(cursor.field(from, "Frames", &what));
    let Ok(frames) = word.parse::<u64>() else {
        return refuse(format!("found `{}`, expected a whole number", clipped(word)));
    };
    let channels: usize = skeleton.bones.iter().map(|b| b.channels.len()).sum();
    if channels == 0 && frames > 0 {
        return refuse(format!("{} of a skeleton without channels", counted(frames, "frame")));
    }
    // a value takes a digit and a space
    let rest = cursor.bytes().len() - cursor.at;
    let room = (rest + 1) / (2 * channels).max(1);
    if frames > room as u64 {
        let (frames, values) = (counted(frames, "frame"), counted(channels, "value"));
        return refuse(format!("{frames} of {values}, but the rest of the text has room for at most {room}"));
    }
    let samples = (frames as usize).saturating_mul(skeleton.bones.len());
    if samples > MAX_SAMPLES.min(FREE_SAMPLES + rest) {
        return refuse(format!("{frames} frames of {} joints exceed the limit", skeleton.bones.len()));
    }
    Ok(frames as usize)
}

/// Reads the values. A frame is one or more whole lines; if the first one ends inside a line, line ends are ignored and
/// the number of values must match exactly.
fn rows(cursor: &mut Cursor, frames: usize, recording: &mut Recording) -> Result<(), Error> {
    let Recording { skeleton, rotations, positions, notes, .. } = recording;
    let principal: Vec<(f64, f64)> = skeleton.bones.iter().map(principal_range).collect();
    let channels: usize = skeleton.bones.iter().map(|b| b.channels.len()).sum();
    cursor.skip_blank();
    let first = cursor.at;
    let (mut flows, mut is_principal) = (false, true);
    for frame in 0..frames {
        cursor.skip_blank();
        let from = cursor.at;
        for (bone, principal) in skeleton.bones.iter().zip(&principal) {
            let (mut rotation, mut position, mut count) = (Quat::IDENTITY, bone.offset.to_array(), 0);
            for channel in &bone.channels {
                cursor.skip_blank();
                if cursor.peek().is_none() {
                    return Err(too_few(cursor, if flows { first } else { from }, frame, frames, channels));
                }
                let value = cursor.number(b"", || format!("frame {}, {}", frame + 1, clipped(&bone.name)))?;
                match channel {
                    Channel::Position(axis) => position[usize::from(*axis)] = value,
                    Channel::Rotation(axis) => {
                        rotation = rotated(rotation, usize::from(*axis), value);
                        count += 1;
                        if count == 2 && !(value >= principal.0 && value <= principal.1) {
                            is_principal = false;
                        }
                    }
                }
            }
            rotations.push(rotation);
            positions.push(Vec3::from_array(&position));
        }
        if !cursor.skip_to_line_end() && !flows {
            if frame > 0 {
                return Err(uneven(cursor, from, frame, channels));
            }
            flows = true;
        }
        if frame == 0 && cursor.between(from, cursor.at).contains(['\n', '\r']) {
            notes.push("frames are wrapped over several lines".into());
        }
    }
    if !is_principal {
        notes.push(Note::warning(
            "second angles of joints exceed their principal range; write continuous angles to preserve them",
        ));
    }
    cursor.skip_blank();
    let left = cursor.between(cursor.at, cursor.bytes().len());
    if flows && !left.is_empty() {
        return Err(uneven(cursor, first, 0, channels));
    }
    let lines = left.split(['\n', '\r']).filter(|l| !l.trim().is_empty()).count();
    if lines > 0 {
        let line = cursor.place(cursor.at).line;
        let (lines, stated) = (counted(lines, "line"), counted(frames, "frame"));
        let what = format!("ignored: {lines} after the {stated} stated, from line {line} on");
        notes.push(Note::warning(what));
    }
    Ok(())
}

/// Range of the second angle of a joint in a file of principal angles, degrees.
fn principal_range(bone: &Bone) -> (f64, f64) {
    let mut axes = bone.channels.iter().filter(|c| matches!(c, Channel::Rotation(_)));
    match (axes.next(), axes.next(), axes.next()) {
        (Some(first), Some(_), Some(third)) if first == third => (0.0, 180.0),
        (Some(_), Some(_), Some(_)) => (-90.0, 90.0),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

fn too_few(cursor: &Cursor, from: usize, frame: usize, frames: usize, channels: usize) -> Error {
    let got = cursor.between(from, cursor.at).split_ascii_whitespace().count();
    let (at, partial) = match got {
        0 => (cursor.at, String::new()),
        _ => (from, format!(" and {got} of {} of the next", counted(channels, "value"))),
    };
    let what = format!("states {frames}, but the file ends after {}{partial}", counted(frame, "frame"));
    cursor.field(at, "Frames", &what)
}

/// An error about the number of values of a frame.
fn uneven(cursor: &Cursor, from: usize, frame: usize, channels: usize) -> Error {
    let line = cursor.between(from, cursor.bytes().len()).split(['\n', '\r']).next().unwrap_or("");
    let got = line.split_ascii_whitespace().count();
    let what = format!("has {}, expected {channels}, one per channel", counted(got, "value"));
    cursor.field(from, format!("frame {}", frame + 1), &what)
}

/// `q` followed by a rotation about a child axis.
#[inline(always)]
pub(crate) fn rotated(q: Quat, axis: usize, angle_deg: f64) -> Quat {
    let angle_deg = if angle_deg.abs() > LARGE_ANGLE { angle_deg % 720.0 } else { angle_deg };
    let (s, c) = Real::sin_cos(angle_deg * (core::f64::consts::PI / 360.0));
    let (i, j, k) = (1 + axis, 1 + (axis + 1) % 3, 1 + (axis + 2) % 3);
    let mut r = [0.0; 4];
    r[0] = q.0[0] * c - q.0[i] * s;
    r[i] = q.0[i] * c + q.0[0] * s;
    r[j] = q.0[j] * c + q.0[k] * s;
    r[k] = q.0[k] * c - q.0[j] * s;
    Quat(r)
}
