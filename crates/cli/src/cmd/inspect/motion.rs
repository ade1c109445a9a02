//! What a motion file holds: joints and frames, points and plates, columns.

use crate::report;
use anthropi_dynamics::model::{Joint, JointHandle};
use anthropi_io::csv::names_of_coordinates;
use anthropi_io::motion::{Motion, recording_of};
use anthropi_motion::Clip;
use anthropi_motion::markers::{Markers, Plate};
use anthropi_motion::recording::{Channel, Recording, Skeleton, Up};
use anthropi_motion::table::Table;
use serde_json::{Value, json};
use std::fmt::Write;

/// Notes with one of these words speak of a loss or a doubt.
const DOUBTS: [&str; 10] = [
    "uncertain",
    "doubtful",
    "left out",
    "missing",
    "lost",
    "jumps",
    "not readable",
    "assumed",
    "not UTF-8",
    "several joints",
];

/// Tells it.
pub fn tell(motion: &Motion, as_json: bool) -> anyhow::Result<()> {
    let (mut value, text) = match motion {
        Motion::Recording(r) => (recording_json(r), recording_text(r)),
        Motion::Clip(c) => (clip_json(c), clip_text(c)),
        Motion::Markers(m) => (markers_json(m), markers_text(m)),
        Motion::Table(t) => (table_json(t), table_text(t)),
    };
    let notes = motion.notes();
    if as_json {
        let doubts = notes.iter().filter(|n| DOUBTS.iter().any(|d| n.contains(d)));
        value["notes"] = notes.into();
        value["warnings"] = doubts.cloned().collect::<Vec<_>>().into();
        return report::json(&value);
    }
    let notes: String = notes.iter().map(|n| format!("- {n}\n")).collect();
    report::print(&if notes.is_empty() { text } else { format!("{text}\n{notes}") })
}

fn recording_json(r: &Recording) -> Value {
    let bones = &r.skeleton.bones;
    let joint = |i: usize| {
        let bone = &bones[i];
        json!({
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
    })
}

fn recording_text(r: &Recording) -> String {
    let bones = &r.skeleton.bones;
    let mut text = format!(
        "{}: {} joints, {} frames, {:.3} s at {:.3} frames a second; unit {:.6} m, {} up\n\n",
        r.name,
        bones.len(),
        r.frames(),
        duration(r.frames(), r.dt),
        1.0 / r.dt,
        r.convention.unit,
        up(r.convention.up),
    );
    let mut table = report::table(&["joint", "channels", "length m"]);
    let mut depths: Vec<usize> = Vec::with_capacity(bones.len());
    for (i, bone) in bones.iter().enumerate() {
        let depth = bone.parent.map_or(0, |p| depths[p] + 1);
        depths.push(depth);
        // deep chains stay readable
        let name = format!("{}{}", "  ".repeat(depth.min(20)), bone.name);
        table.add_row([name, short_channels(&bone.channels), format!("{:.3}", length(&r.skeleton, i))]);
    }
    let _ = writeln!(text, "{table}");
    text
}

/// A motion of a figure is in our units and axes; its channels are the figure's coordinates.
fn clip_json(clip: &Clip) -> Value {
    let figure = clip.figure();
    let skeleton = recording_of(clip).skeleton;
    let joint = |(i, (handle, joint)): (usize, (JointHandle, &Joint))| {
        let place = figure.forest().joint_place(handle);
        let bone = &skeleton.bones[i];
        json!({
            "name": joint.name,
            "parent": bone.parent.map(|p| skeleton.bones[p].name.as_str()),
            "child": bone.name,
            "type": joint.kind.name(),
            "channels": names_of_coordinates(figure)[place.iq..place.iq + place.nq],
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

fn clip_text(clip: &Clip) -> String {
    let (figure, frames, rate) = (clip.figure(), clip.frames(), 1.0 / clip.dt());
    let seconds = clip.duration();
    let mut text = format!(
        "{}: motion of the figure {}, {frames} frames, {seconds:.3} s at {rate:.3} frames a second\n\n",
        clip.name, figure.name
    );
    let mut table = report::table(&["joint", "type", "numbers"]);
    for (handle, joint) in figure.joints() {
        let numbers = figure.forest().joint_place(handle).nq;
        table.add_row([joint.name.clone(), joint.kind.name().into(), numbers.to_string()]);
    }
    let _ = writeln!(text, "{table}");
    text
}

fn markers_json(m: &Markers) -> Value {
    json!({
        "kind": "markers",
        "name": m.name,
        "frames": m.frames(),
        "fps": m.rate,
        "duration_s": duration(m.frames(), 1.0 / m.rate),
        "first_frame": m.first_frame,
        "labels": m.labels,
        "seen": seen(m),
        "unit_m": m.unit,
        "plates": m.plates.iter().map(plate_json).collect::<Vec<_>>(),
        "analog": { "labels": m.analog.labels, "units": m.analog.units, "rate": m.analog.rate,
            "samples": m.analog.values.len().checked_div(m.analog.labels.len()).unwrap_or(0) },
    })
}

fn plate_json(plate: &Plate) -> Value {
    json!({
        "kind": plate.kind,
        "peak_force_N": peak(plate),
        "samples": plate.force.len(),
        "corners_m": plate.corners.map(|c| c.to_array()),
    })
}

fn markers_text(m: &Markers) -> String {
    let mut text = format!(
        "{}: {} points, {} frames, {:.3} s at {:.3} frames a second; unit {:.6} m, {:.1} % of the points seen\n",
        m.name,
        m.labels.len(),
        m.frames(),
        duration(m.frames(), 1.0 / m.rate),
        m.rate,
        m.unit,
        100.0 * seen(m),
    );
    let _ = writeln!(text, "points: {}", m.labels.join(", "));
    if !m.analog.labels.is_empty() {
        let _ = writeln!(text, "signals at {:.3} Hz: {}", m.analog.rate, m.analog.labels.join(", "));
    }
    for (k, plate) in m.plates.iter().enumerate() {
        let _ = writeln!(text, "force plate {}: type {}, up to {:.1} N", k + 1, plate.kind, peak(plate));
    }
    text
}

fn table_json(t: &Table) -> Value {
    json!({
        "kind": "table",
        "name": t.name,
        "frames": t.rows(),
        "fps": rate(t),
        "duration_s": span(t),
        "columns": t.labels,
        "in_degrees": t.in_degrees,
        "header": t.header.iter().map(|(k, v)| json!([k, v])).collect::<Vec<_>>(),
    })
}

fn table_text(t: &Table) -> String {
    let rate = rate(t).map_or("uneven".into(), |r| format!("{r:.3} Hz"));
    let angles = if t.in_degrees { "in degrees" } else { "not in degrees" };
    let (name, columns, rows) = (&t.name, t.labels.len(), t.rows());
    let mut text =
        format!("{name}: {columns} columns, {rows} rows, {:.3} s, {rate}; angles are {angles}\n", span(t));
    let _ = writeln!(text, "columns: {}", t.labels.join(", "));
    text
}

/// Rows a second; `None` where times are not even.
fn rate(t: &Table) -> Option<f64> {
    /// Times of files are rounded: so much of a step.
    const EVEN: f64 = 0.05;
    let step = span(t) / t.rows().checked_sub(1).filter(|n| *n > 0)? as f64;
    let is_even = t.time.windows(2).all(|w| ((w[1] - w[0]) - step).abs() <= EVEN * step);
    (step > 0.0 && is_even).then_some(1.0 / step)
}

fn span(t: &Table) -> f64 {
    t.time.first().zip(t.time.last()).map_or(0.0, |(first, last)| last - first)
}

fn duration(frames: usize, dt: f64) -> f64 {
    frames.saturating_sub(1) as f64 * dt
}

/// Part of the points that were seen.
fn seen(m: &Markers) -> f64 {
    let all = m.points.len().max(1);
    m.points.iter().flatten().count() as f64 / all as f64
}

fn peak(plate: &Plate) -> f64 {
    plate.force.iter().map(|f| f.norm()).fold(0.0, f64::max)
}

/// The longest way from a joint to one that hangs on it, or to the bone's end.
fn length(skeleton: &Skeleton, bone: usize) -> f64 {
    let ways = skeleton.children(bone).map(|c| skeleton.bones[c].offset).chain(skeleton.bones[bone].end);
    ways.map(|w| w.norm()).fold(0.0, f64::max)
}

fn channel(channel: Channel) -> String {
    let (axis, kind) = match channel {
        Channel::Position(axis) => (axis, "position"),
        Channel::Rotation(axis) => (axis, "rotation"),
    };
    format!("{}{kind}", ["X", "Y", "Z"][usize::from(axis).min(2)])
}

/// `XYZ zyx`: positions in capitals, rotations small.
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
