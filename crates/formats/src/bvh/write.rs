//! BVH writer, with the channels, unit and up axis of the recording's file.

use super::convention::axes_to_file;
use super::{Angles, angles};
use crate::Warning;
use anthropi_dynamics::spatial::{Quat, Vec3};
use anthropi_motion::recording::{Bone, Channel, Recording, Skeleton, Up};

/// Decimals of angles in degrees.
const ANGLE_DECIMALS: usize = 9;
/// Resolution of lengths, m.
const LENGTH_STEP: f64 = 1e-10;
/// Largest indentation.
const DEEPEST_INDENT: usize = 64;

/// Least lost rotation that is reported, rad.
const LEAST_ROTATION: f64 = 1e-6;
/// Least lost translation that is reported, m.
const LEAST_TRANSLATION: f64 = 1e-7;

/// Encodes a recording as BVH; a rest pose becomes the first frame again.
///
/// Joints are in depth-first order, with their channels. Motion the channels cannot represent (a rotation of a joint with
/// fewer than three rotation channels, a translation without position channels) is lost and reported for each joint. Each
/// angle is within half a turn of the previous frame, so it may exceed 180 degrees; the second one of a joint stays in its
/// range ([`Angles::Principal`]).
pub fn write(recording: &Recording) -> (String, Vec<Warning>) {
    write_with(recording, Angles::Principal)
}

/// As [`write()`], with a choice of angles.
pub fn write_with(recording: &Recording, angles: Angles) -> (String, Vec<Warning>) {
    let mut writer = Writer::new(recording, angles);
    writer.hierarchy();
    writer.motion();
    let warnings = writer.warnings();
    (writer.text, warnings)
}

struct Writer<'a> {
    recording: &'a Recording,
    angles: Angles,
    /// bones depth first, as in the file
    order: Vec<usize>,
    length_decimals: usize,
    /// largest lost rotation (rad) and translation (m) of each bone
    lost: Vec<(f64, f64)>,
    text: String,
}

impl<'a> Writer<'a> {
    fn new(recording: &'a Recording, angles: Angles) -> Self {
        let decimals = (recording.convention.unit / LENGTH_STEP).log10().ceil();
        let length_decimals = if decimals.is_finite() { decimals.clamp(0.0, 15.0) as usize } else { 10 };
        let lost = vec![(0.0, 0.0); recording.skeleton.bones.len()];
        let text = String::from("HIERARCHY\n");
        Writer { recording, angles, order: Vec::new(), length_decimals, lost, text }
    }

    fn hierarchy(&mut self) {
        let skeleton: &Skeleton = &self.recording.skeleton;
        let mut children = vec![Vec::new(); skeleton.bones.len()];
        let mut left: Vec<(usize, usize)> = Vec::new();
        for (i, bone) in skeleton.bones.iter().enumerate().rev() {
            match bone.parent {
                Some(p) => children[p].push(i),
                None => left.push((i, 0)),
            }
        }
        // children are pushed in reverse order, so the first is popped next
        let mut depth_before = 0;
        while let Some((i, depth)) = left.pop() {
            self.close(depth_before, depth);
            self.bone(&skeleton.bones[i], depth);
            self.order.push(i);
            left.extend(children[i].iter().map(|c| (*c, depth + 1)));
            depth_before = depth + 1;
        }
        self.close(depth_before, 0);
    }

    /// Closing braces from one depth to another.
    fn close(&mut self, from: usize, to: usize) {
        (to..from).rev().for_each(|depth| self.line(depth, "}"));
    }

    fn bone(&mut self, bone: &Bone, depth: usize) {
        let kind = if bone.parent.is_none() { "ROOT" } else { "JOINT" };
        self.line(depth, &format!("{kind} {}", name(&bone.name)));
        self.line(depth, "{");
        self.offset(depth + 1, bone.offset);
        let mut channels = format!("CHANNELS {}", bone.channels.len());
        for channel in &bone.channels {
            let (axis, kind) = match channel {
                Channel::Position(axis) => (axis, "position"),
                Channel::Rotation(axis) => (axis, "rotation"),
            };
            channels.push(' ');
            channels.push(['X', 'Y', 'Z'][usize::from(*axis).min(2)]);
            channels.push_str(kind);
        }
        self.line(depth + 1, &channels);
        if let Some(end) = bone.end {
            self.line(depth + 1, "End Site");
            self.line(depth + 1, "{");
            self.offset(depth + 2, end);
            self.line(depth + 1, "}");
        }
    }

    fn line(&mut self, depth: usize, what: &str) {
        self.text.extend(std::iter::repeat_n('\t', depth.min(DEEPEST_INDENT)));
        self.text.push_str(what);
        self.text.push('\n');
    }

    fn offset(&mut self, depth: usize, v: Vec3) {
        let mut what = String::from("OFFSET");
        for x in self.lengths(v) {
            what.push(' ');
            number(&mut what, x, self.length_decimals);
        }
        self.line(depth, &what);
    }

    /// In axes and units of the file.
    fn lengths(&self, v: Vec3) -> [f64; 3] {
        axes_to_file(v, self.recording.convention.up).to_array().map(|x| x / self.recording.convention.unit)
    }

    fn motion(&mut self) {
        let recording = self.recording;
        let frames = recording.frames() + usize::from(recording.rest.is_some());
        self.text.push_str(&format!("MOTION\nFrames: {frames}\nFrame Time: {}\n", recording.dt));
        if let Some((rotations, positions)) = &recording.rest {
            let mut none = vec![None; recording.skeleton.bones.len()];
            self.frame(rotations, positions, &mut none);
        }
        let mut before = vec![None; recording.skeleton.bones.len()];
        for frame in 0..recording.frames() {
            self.frame(recording.rotations_at(frame), recording.positions_at(frame), &mut before);
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        let warning = |(bone, (rotation, translation)): (&Bone, &(f64, f64))| {
            let mut what = Vec::new();
            if *rotation > LEAST_ROTATION {
                what.push(format!("rotations of up to {:.3} degrees", rotation.to_degrees()));
            }
            if *translation > LEAST_TRANSLATION {
                what.push(format!("translations of up to {translation:.4} m"));
            }
            let (name, lost) = (&bone.name, what.join(" and "));
            let warning =
                || Warning::new(format!("{name}: {lost} are lost, because it has no channels for them"));
            (!what.is_empty()).then(warning)
        };
        self.recording.skeleton.bones.iter().zip(&self.lost).filter_map(warning).collect()
    }

    /// Writes a frame; updates `before`, the angles of the previous frame.
    fn frame(&mut self, rotations: &[Quat], positions: &[Vec3], before: &mut [Option<[f64; 3]>]) {
        let up = self.recording.convention.up;
        let mut first = true;
        for n in 0..self.order.len() {
            let i = self.order[n];
            let bone = &self.recording.skeleton.bones[i];
            let (mut axes, mut count) = ([0; 3], 0);
            for channel in &bone.channels {
                if let (Channel::Rotation(axis), true) = (channel, count < 3) {
                    axes[count] = up.axis(*axis);
                    count += 1;
                }
            }
            let angles =
                angles::angles(rotations[i], &axes[..count], before[i], self.angles == Angles::Principal);
            before[i] = Some(angles);
            self.lost[i].0 = self.lost[i].0.max(lost_rotation(rotations[i], &axes[..count], angles));
            self.lost[i].1 = self.lost[i].1.max(lost_translation(positions[i], bone, up));
            let (lengths, mut next) = (self.lengths(positions[i]), angles.into_iter());
            for channel in &bone.channels {
                if !std::mem::replace(&mut first, false) {
                    self.text.push(' ');
                }
                match channel {
                    Channel::Position(axis) => {
                        number(&mut self.text, lengths[usize::from(*axis).min(2)], self.length_decimals);
                    }
                    Channel::Rotation(_) => {
                        number(&mut self.text, next.next().unwrap_or(0.0).to_degrees(), ANGLE_DECIMALS);
                    }
                }
            }
        }
        self.text.push('\n');
    }
}

/// Part of a rotation not represented by angles about fewer than three axes, rad.
fn lost_rotation(rotation: Quat, axes: &[usize], angles: [f64; 3]) -> f64 {
    if axes.len() == 3 {
        return 0.0;
    }
    let held = axes.iter().zip(angles).fold(Quat::IDENTITY, |q, (axis, t)| q.then(angles::about(*axis, t)));
    held.inverse().then(rotation).log().norm()
}

/// Distance of a position from the offset along axes without a channel.
fn lost_translation(position: Vec3, bone: &Bone, up: Up) -> f64 {
    let mut lost = (position - bone.offset).to_array();
    for channel in &bone.channels {
        if let Channel::Position(axis) = channel {
            lost[up.axis(*axis)] = 0.0;
        }
    }
    Vec3::from_array(&lost).norm()
}

/// A name on one line, quoted if the reader would otherwise end it elsewhere.
fn name(name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let plain = !clean.contains('{') && !clean.starts_with('"') && clean.trim() == clean && !clean.is_empty();
    if plain { clean } else { format!("\"{}\"", clean.replace('"', "'")) }
}

/// A number with some decimals, without trailing zeros.
fn number(text: &mut String, x: f64, decimals: usize) {
    /// Integers up to here are exact.
    const EXACT: f64 = 9e15;
    let scale = 10u64.pow(decimals as u32);
    let scaled = (x.abs() * scale as f64).round();
    if !(scaled < EXACT) {
        text.push_str(&x.to_string());
        return;
    }
    let scaled = scaled as u64;
    if x < 0.0 && scaled > 0 {
        text.push('-');
    }
    let (whole, mut fraction) = (scaled / scale, scaled % scale);
    push_digits(text, whole, 1);
    if fraction > 0 {
        let mut digits = decimals;
        while fraction % 10 == 0 {
            (fraction, digits) = (fraction / 10, digits - 1);
        }
        text.push('.');
        push_digits(text, fraction, digits);
    }
}

/// An integer with at least `least` digits.
fn push_digits(text: &mut String, mut n: u64, least: usize) {
    let mut digits = [b'0'; 20];
    let mut from = digits.len();
    while n > 0 || digits.len() - from < least {
        from -= 1;
        digits[from] = b'0' + (n % 10) as u8;
        n /= 10;
    }
    text.extend(digits[from..].iter().map(|d| char::from(*d)));
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_short_and_exact() {
        for (x, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (-1e-12, "0"),
            (1.5, "1.5"),
            (-3.8766, "-3.8766"),
            (0.05, "0.05"),
            (120.0, "120"),
        ] {
            let mut text = String::new();
            number(&mut text, x, 9);
            assert_eq!(text, expected);
        }
        let mut text = String::new();
        number(&mut text, 1e12 + 0.5, 9);
        assert_eq!(text.parse::<f64>().unwrap(), 1e12 + 0.5);
    }
}
