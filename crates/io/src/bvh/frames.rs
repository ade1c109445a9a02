//! The motion of a BVH file: turns and places by frame and bone, still in axes and units of the file.

use super::text::{Cursor, shown};
use super::{MAX_PLACES, convention};
use crate::Error;
use crate::names::counted;
use anthropi_dynamics::spatial::{Quat, Real, Vec3};
use anthropi_motion::recording::{Bone, Channel, Convention, Recording, Skeleton, Up};

/// Angles beyond this, in degrees, are brought near zero before their sine is taken.
const LARGE_ANGLE: f64 = 1e6;
/// So many bone places may be made of any text; beyond it, one for a byte.
const FREE_PLACES: usize = 1 << 20;

/// Reads what follows MOTION.
pub(super) fn read(cursor: &mut Cursor, skeleton: Skeleton, notes: Vec<String>) -> Result<Recording, Error> {
    label(cursor, "Frames")?;
    let frames = claimed(cursor, &skeleton)?;
    label(cursor, "FrameTime")?;
    cursor.skip_blank();
    let from = cursor.at;
    let dt = cursor.number(b"", || "Frame Time".into())?;
    if !(dt > 0.0) {
        return Err(cursor.field(from, "Frame Time", &format!("{dt}; a time above zero was expected")));
    }
    let bones = skeleton.bones.len();
    let mut recording = Recording {
        name: String::new(),
        skeleton,
        dt,
        rotations: Vec::with_capacity(frames * bones),
        positions: Vec::with_capacity(frames * bones),
        rest: None,
        convention: Convention { unit: 1.0, up: Up::Z },
        notes,
    };
    rows(cursor, frames, &mut recording)?;
    convention::make_turns_steady(&mut recording.rotations, bones);
    Ok(recording)
}

/// `Frames:`, `Frame Time:`; blanks inside, case and the colon do not matter.
fn label(cursor: &mut Cursor, expected: &str) -> Result<(), Error> {
    cursor.skip_blank();
    let from = cursor.at;
    for letter in expected.bytes() {
        cursor.skip_blank();
        if !cursor.peek().is_some_and(|b| b.eq_ignore_ascii_case(&letter)) {
            cursor.at = from;
            let (found, name) =
                (cursor.word(b""), if expected == "Frames" { "Frames:" } else { "Frame Time:" });
            return Err(cursor.syntax(from, format!("`{}`; {name} was expected", shown(found))));
        }
        cursor.at += 1;
    }
    cursor.skip_blank();
    if cursor.peek() == Some(b':') {
        cursor.at += 1;
    }
    Ok(())
}

/// Number of frames the file claims, if the rest of the text can hold them.
fn claimed(cursor: &mut Cursor, skeleton: &Skeleton) -> Result<usize, Error> {
    let word = cursor.word(b"");
    let from = cursor.at - word.len();
    let refuse = |what: String| Err(cursor.field(from, "Frames", &what));
    let Ok(frames) = word.parse::<u64>() else {
        return refuse(format!("`{}`; a whole number was expected", shown(word)));
    };
    let channels: usize = skeleton.bones.iter().map(|b| b.channels.len()).sum();
    if channels == 0 && frames > 0 {
        return refuse(format!("{} of a skeleton without channels", counted(frames, "frame")));
    }
    // a value takes a digit and a blank
    let rest = cursor.bytes().len() - cursor.at;
    let room = (rest + 1) / (2 * channels).max(1);
    if frames > room as u64 {
        return refuse(format!(
            "{} of {}; the rest of the text has room for at most {room}",
            counted(frames, "frame"),
            counted(channels, "value")
        ));
    }
    let places = (frames as usize).saturating_mul(skeleton.bones.len());
    if places > MAX_PLACES.min(FREE_PLACES + rest) {
        return refuse(format!(
            "{frames} frames of {} joints; that is more than we take",
            skeleton.bones.len()
        ));
    }
    Ok(frames as usize)
}

/// The values. A frame is a line, or several whole lines; if already the first one ends inside a line, values flow
/// freely and their number must fit exactly.
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
            let (mut turn, mut place, mut turns) = (Quat::IDENTITY, bone.offset, 0);
            for channel in &bone.channels {
                cursor.skip_blank();
                if cursor.peek().is_none() {
                    return Err(too_few(cursor, if flows { first } else { from }, frame, frames, channels));
                }
                let value = cursor.number(b"", || format!("frame {}, {}", frame + 1, shown(&bone.name)))?;
                match channel {
                    Channel::Position(axis) => *component(&mut place, *axis) = value,
                    Channel::Rotation(axis) => {
                        turn = turned(turn, usize::from(*axis), value);
                        turns += 1;
                        if turns == 2 && !(value >= principal.0 && value <= principal.1) {
                            is_principal = false;
                        }
                    }
                }
            }
            rotations.push(turn);
            positions.push(place);
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
        notes.push(
            "second angles of joints leave their usual range; continuous angles write them back so".into(),
        );
    }
    cursor.skip_blank();
    let left = cursor.between(cursor.at, cursor.bytes().len());
    if flows && !left.is_empty() {
        return Err(uneven(cursor, first, 0, channels));
    }
    let lines = left.split(['\n', '\r']).filter(|l| !l.trim().is_empty()).count();
    if lines > 0 {
        let line = cursor.place(cursor.at).line;
        notes.push(format!(
            "left out: {} after the {} claimed, from line {line} on",
            counted(lines, "line"),
            counted(frames, "frame")
        ));
    }
    Ok(())
}

/// Where the second angle of a joint lies in a file of principal angles, degrees.
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
    let broken = if got == 0 {
        String::new()
    } else {
        format!(" and {got} of {} of the next", counted(channels, "value"))
    };
    let at = if got == 0 { cursor.at } else { from };
    cursor.field(
        at,
        "Frames",
        &format!("{frames} claimed; the text ends after {}{broken}", counted(frame, "frame")),
    )
}

/// The line of a frame has a wrong number of values.
fn uneven(cursor: &Cursor, from: usize, frame: usize, channels: usize) -> Error {
    let line = cursor.between(from, cursor.bytes().len()).split(['\n', '\r']).next().unwrap_or("");
    let got = line.split_ascii_whitespace().count();
    cursor.field(
        from,
        format!("frame {}", frame + 1),
        &format!("{}; {channels} were expected, one a channel", counted(got, "value")),
    )
}

fn component(v: &mut Vec3, axis: u8) -> &mut f64 {
    match axis {
        0 => &mut v.x,
        1 => &mut v.y,
        _ => &mut v.z,
    }
}

/// `q` followed in child axes by a turn about one of them.
#[inline(always)]
pub(crate) fn turned(q: Quat, axis: usize, angle_deg: f64) -> Quat {
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
