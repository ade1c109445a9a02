//! AMC: values of the dofs of each bone, frame by frame.

use super::lines::Lines;
use super::skeleton::{Acclaim, Dof, along, find, turn};
use super::{DEFAULT_RATE, MAX_SAMPLES};
use crate::Error;
use crate::bvh::convention::{self, free_channels, make_quaternions_continuous, rotation_channels};
use crate::names::{clipped, counted, enumerated};
use anthropi_dynamics::spatial::Quat;
use anthropi_motion::note::Note;
use anthropi_motion::recording::{Bone, Recording, Skeleton};

/// Samples allowed for any text; beyond it, one per byte.
const FREE_SAMPLES: usize = 1 << 20;

/// The skeleton with one frame of zero dofs.
pub(super) fn at_rest(acclaim: &Acclaim) -> Recording {
    let mut recording = empty(acclaim);
    push_frame(acclaim, &acclaim.zeros(), acclaim.is_degrees, &mut recording);
    recording
}

/// Anomalies of bones and frame numbers, reported once.
#[derive(Default)]
struct Anomalies {
    missing: Option<(String, usize)>,
    from_zero: Vec<String>,
    number: Option<(usize, u64, u64)>,
}

/// Reads a motion, in axes and units of the file.
pub(super) fn read(acclaim: &Acclaim, text: &str, file: &str) -> Result<Recording, Error> {
    let mut lines = Lines::new(text, file)?;
    let mut is_degrees = acclaim.is_degrees;
    let mut recording = empty(acclaim);
    while lines.next() && lines.word(0).starts_with(':') {
        if lines.is(0, ":degrees") {
            is_degrees = true;
        } else if lines.is(0, ":radians") {
            is_degrees = false;
        }
    }
    if lines.len() == 0 {
        return Err(lines.ends("frame numbers and values"));
    }
    lines.keep();
    let mut values = acclaim.zeros();
    let mut seen_in = vec![0; acclaim.bones.len()]; // number of the frame, counted from one
    let (mut frames, mut last_number, mut odd) = (0, None, Anomalies::default());
    let most = MAX_SAMPLES.min(FREE_SAMPLES + lines.size()) / acclaim.bones.len();
    while lines.next() {
        let number = frame_number(&lines)?;
        if let Some(last) = last_number
            && number != last + 1
            && odd.number.is_none()
        {
            odd.number = Some((lines.line(), last, number));
        }
        (last_number, frames) = (Some(number), frames + 1);
        if frames > most {
            let what = format!("more than {most} frames of {} bones", acclaim.bones.len());
            return Err(lines.wrong(0, "frames", &what));
        }
        while lines.next() {
            if lines.len() == 1 && lines.word(0).bytes().all(|b| b.is_ascii_digit()) {
                lines.keep();
                break;
            }
            let bone = bone(&lines, acclaim, &mut values)?;
            if std::mem::replace(&mut seen_in[bone], frames) == frames {
                let what = format!("`{}` twice", clipped(lines.word(0)));
                return Err(lines.wrong(0, &format!("frame {number}"), &what));
            }
        }
        let missing = |i: &usize| seen_in[*i] < frames && !acclaim.bones[*i].dofs.is_empty();
        for i in (0..values.len()).filter(missing) {
            let name = &acclaim.bones[i].name;
            odd.missing.get_or_insert_with(|| (name.clone(), frames)); // keeps its last value
            if frames == 1 {
                odd.from_zero.push(name.clone());
            }
        }
        push_frame(acclaim, &values, is_degrees, &mut recording);
    }
    odd.add_notes(&mut recording.notes);
    make_quaternions_continuous(&mut recording.rotations, acclaim.bones.len());
    Ok(recording)
}

fn frame_number(lines: &Lines) -> Result<u64, Error> {
    let number = lines.word(0).parse::<u64>().ok().filter(|n| lines.len() == 1 && *n < u64::MAX);
    let expected = "a frame number alone on its line";
    number.ok_or_else(|| lines.unexpected(0, "frame", lines.word(0), expected))
}

/// Values of a bone from its line.
fn bone(lines: &Lines, acclaim: &Acclaim, values: &mut [Vec<f64>]) -> Result<usize, Error> {
    let name = lines.word(0);
    let Some(bone) = find(&acclaim.by_name, name) else {
        return Err(lines.wrong(0, "bone", &format!("`{}` is not a bone of the skeleton", clipped(name))));
    };
    let (expected, got) = (acclaim.bones[bone].dofs.len(), lines.len() - 1);
    if got != expected {
        let what = format!("has {}, expected {expected}, one per dof", counted(got, "value"));
        return Err(lines.wrong(1 + got.min(expected), &clipped(name), &what));
    }
    for n in 0..expected {
        values[bone][n] = lines.number(n + 1, name)?;
    }
    Ok(bone)
}

impl Anomalies {
    fn add_notes(self, notes: &mut Vec<Note>) {
        let what = "bones missing in the first frame, zero assumed";
        notes.extend(enumerated(what, self.from_zero).map(Note::from));
        if let Some((name, frame)) = self.missing.filter(|m| m.1 > 1) {
            notes.push(Note::warning(format!(
                "bones missing in frames keep their last values; first {name} in frame {frame}"
            )));
        }
        if let Some((line, last, number)) = self.number {
            let what = format!("frame {number} follows frame {last} in line {line}; the numbers are ignored");
            notes.push(what.into());
        }
    }
}

fn empty(acclaim: &Acclaim) -> Recording {
    let bones = acclaim.bones.iter().enumerate().map(|(i, bone)| {
        let is_leaf = acclaim.bones.iter().all(|b| b.parent != Some(i));
        let turns = bone.dofs.iter().any(|d| matches!(d, Dof::Rotation(_)));
        Bone {
            name: bone.name.clone(),
            parent: bone.parent,
            offset: bone.parent.map_or(acclaim.position, |p| acclaim.bones[p].vector),
            end: is_leaf.then_some(bone.vector),
            channels: match (bone.parent, turns) {
                (None, _) => free_channels(),
                (_, true) => rotation_channels(),
                (_, false) => Vec::new(),
            },
        }
    });
    let mut notes = acclaim.notes.clone();
    let moves = |d: &Dof| !matches!(d, Dof::Rotation(_));
    let moving = acclaim.bones[1..].iter().filter(|b| b.dofs.iter().any(moves)).map(|b| &b.name);
    let ignored = enumerated("dofs that translate or stretch a bone are ignored", moving);
    notes.extend(ignored.map(Note::warning));
    convention::empty(Skeleton { bones: bones.collect() }, 1.0 / DEFAULT_RATE, 0, notes)
}

/// Rotations and positions of a frame from the values of the dofs.
#[allow(non_snake_case)] // C: axes of the dofs, R: rotation about them
fn push_frame(acclaim: &Acclaim, values: &[Vec<f64>], is_degrees: bool, recording: &mut Recording) {
    for (i, bone) in acclaim.bones.iter().enumerate() {
        let (mut R, mut place) = (Quat::IDENTITY, recording.skeleton.bones[i].offset);
        for (dof, value) in bone.dofs.iter().zip(&values[i]) {
            match dof {
                Dof::Rotation(axis) => R = turn(*axis, *value, is_degrees).then(R),
                Dof::Translation(axis) if bone.parent.is_none() => place += along(*axis, *value),
                _ => {}
            }
        }
        let C = bone.axes;
        let turn = if bone.parent.is_none() { R.then(C) } else { C.then(R).then(C.inverse()) };
        recording.rotations.push(turn);
        recording.positions.push(place);
    }
}
