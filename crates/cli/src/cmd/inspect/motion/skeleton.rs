//! Motions of skeletons and figures, joint by joint.

use super::duration;
use crate::report;
use anthropi_dynamics::model::{Joint, JointHandle};
use anthropi_formats::csv::coordinate_names;
use anthropi_formats::motion::recording_from_clip;
use anthropi_formats::names::counted;
use anthropi_motion::Clip;
use anthropi_motion::anatomy::{self, Anatomy};
use anthropi_motion::recording::{Channel, Recording, Skeleton, Up};
use serde_json::{Value, json};
use std::fmt::Write;

pub fn recording_json(r: &Recording) -> Value {
    let bones = &r.skeleton.bones;
    let anatomy = anatomy::from_recording(r, &[]).unwrap_or_default();
    let joint = |i: usize| {
        let bone = &bones[i];
        json!({
            "part": part(&anatomy, i),
            "confidence": anatomy.confidence.get(i),
            "name": bone.name,
            "parent": bone.parent.map(|p| bones[p].name.as_str()),
            "channels": bone.channels.iter().map(|c| channel(*c)).collect::<Vec<_>>(),
            "length_m": length(&r.skeleton, i),
            "offset_m": bone.offset.to_array(),
        })
    };
    json!({
        "kind": "motion",
        "name": r.name,
        "frames": r.frames(),
        "fps": 1.0 / r.dt,
        "duration_s": duration(r.frames(), r.dt),
        "joints": (0..bones.len()).map(joint).collect::<Vec<_>>(),
        "rest_frame": r.rest.is_some(),
        "unit_m": r.convention.unit,
        "up": up(r.convention.up),
        "missing_parts": anatomy.missing().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

pub fn recording_text(r: &Recording) -> String {
    let bones = &r.skeleton.bones;
    let mut text = format!(
        "{}: {}, {}, {:.3} s at {:.3} frames per second; unit {:.6} m, {} up\n\n",
        r.name,
        counted(bones.len(), "joint"),
        counted(r.frames(), "frame"),
        duration(r.frames(), r.dt),
        1.0 / r.dt,
        r.convention.unit,
        up(r.convention.up),
    );
    let anatomy = anatomy::from_recording(r, &[]).unwrap_or_default();
    let mut table = report::table(&["joint", "channels", "length m", "body part", "confidence"]);
    let mut depths: Vec<usize> = Vec::with_capacity(bones.len());
    for (i, bone) in bones.iter().enumerate() {
        let depth = bone.parent.map_or(0, |p| depths[p] + 1);
        depths.push(depth);
        // deep chains stay readable
        let name = format!("{}{}", "  ".repeat(depth.min(20)), bone.name);
        let (channels, length) = (short_channels(&bone.channels), format!("{:.3}", length(&r.skeleton, i)));
        let confidence = anatomy.confidence.get(i).map_or(String::new(), |c| format!("{:.0} %", 100.0 * c));
        table.add_row([name, channels, length, part(&anatomy, i).unwrap_or_default(), confidence]);
    }
    let _ = writeln!(text, "{table}");
    let missing: Vec<String> = anatomy.missing().iter().map(ToString::to_string).collect();
    if !missing.is_empty() {
        let _ = writeln!(text, "body parts not recognised: {}", missing.join(", "));
    }
    text
}

/// Body part of a bone.
fn part(anatomy: &Anatomy, bone: usize) -> Option<String> {
    anatomy.parts.get(bone).copied().flatten().map(|p| p.to_string())
}

/// A motion of a figure is in metres with z up; its channels are the figure's coordinates.
pub fn clip_json(clip: &Clip) -> Value {
    let figure = clip.figure();
    let (skeleton, names) = (recording_from_clip(clip).skeleton, coordinate_names(figure));
    let joint = |(i, (handle, joint)): (usize, (JointHandle, &Joint))| {
        let place = figure.forest().joint_place(handle);
        let bone = &skeleton.bones[i];
        json!({
            "name": joint.name,
            "parent": bone.parent.map(|p| skeleton.bones[p].name.as_str()),
            "child": bone.name,
            "type": joint.kind.name(),
            "channels": names[place.coordinates()],
            "length_m": length(&skeleton, i),
        })
    };
    json!({
        "kind": "motion",
        "name": clip.name,
        "figure": figure.name,
        "frames": clip.frames(),
        "fps": 1.0 / clip.dt(),
        "duration_s": clip.duration(),
        "joints": figure.joints().enumerate().map(joint).collect::<Vec<_>>(),
        "unit_m": 1.0,
        "up": "z",
    })
}

pub fn clip_text(clip: &Clip) -> String {
    let (figure, frames, rate) = (clip.figure(), clip.frames(), 1.0 / clip.dt());
    let seconds = clip.duration();
    let mut text = format!(
        "{}: motion of the figure {}, {}, {seconds:.3} s at {rate:.3} frames per second\n\n",
        clip.name,
        figure.name,
        counted(frames, "frame")
    );
    let mut table = report::table(&["joint", "type", "coordinates"]);
    for (handle, joint) in figure.joints() {
        let nq = figure.forest().joint_place(handle).nq;
        table.add_row([joint.name.clone(), joint.kind.name().into(), nq.to_string()]);
    }
    let _ = writeln!(text, "{table}");
    text
}

/// Largest distance from a joint to a child joint or the bone's end.
fn length(skeleton: &Skeleton, bone: usize) -> f64 {
    let offsets = skeleton.children(bone).map(|c| skeleton.bones[c].offset).chain(skeleton.bones[bone].end);
    offsets.map(|offset| offset.norm()).fold(0.0, f64::max)
}

fn channel(channel: Channel) -> String {
    let (axis, kind) = match channel {
        Channel::Position(axis) => (axis, "position"),
        Channel::Rotation(axis) => (axis, "rotation"),
    };
    format!("{}{kind}", ["X", "Y", "Z"][usize::from(axis).min(2)])
}

/// `XYZzyx`: positions in upper case, rotations in lower case.
fn short_channels(channels: &[Channel]) -> String {
    let letter = |c: &Channel| match c {
        Channel::Position(axis) => ["X", "Y", "Z"][usize::from(*axis).min(2)],
        Channel::Rotation(axis) => ["x", "y", "z"][usize::from(*axis).min(2)],
    };
    channels.iter().map(letter).collect()
}

fn up(up: Up) -> &'static str {
    match up {
        Up::Y => "y",
        Up::Z => "z",
    }
}
