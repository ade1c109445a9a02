//! Guesses the unit of length and the up axis of a motion file; conversion to metres and z up and back.
//!
//! Unit: the one in which the leg length, pelvis to ankles along the bones, is 0.6 m to 1.2 m. If none or several fit, the
//! one that gives the ratio to 0.95 m closest to one.
//! Up: the axis from the feet to the head, at rest and over the motion. If the two differ, the one along which the lowest
//! joint keeps its height, as on a floor. If neither is clear, y.

use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::assumption::Assumption;
use anthropi_motion::note::Note;
use anthropi_motion::recording::{Channel, Convention, Recording, Skeleton, Up};

/// Unit of the CMU database, m: lengths divided by 0.45 are inches.
const CMU: f64 = 0.0254 / 0.45;
/// Common units, m.
const UNITS: [(&str, f64); 5] = [
    ("metre", 1.0),
    ("centimetre", 0.01),
    ("millimetre", 0.001),
    ("inch", 0.0254),
    ("1/0.45 inch (CMU)", CMU),
];
/// Range of leg lengths, m.
const LEGS: std::ops::RangeInclusive<f64> = 0.6..=1.2;
/// Typical leg length of an adult, pelvis to ankle along the bones, m.
const TYPICAL_LEGS: f64 = 0.95;
/// Least cosine between the up axis and the direction from the feet to the head.
const CLEAR: f64 = 0.8;
/// Frames sampled, evenly over the motion.
const SAMPLES: usize = 32;
/// Rounding error of quaternions.
const ROUNDING: f64 = 1e-9;

/// Determines unit and up axis of a recording in units and axes of its file, converts it and adds notes.
///
/// `unit`: length in metres and its origin, if known; invalid lengths are ignored.
pub(crate) fn resolve(recording: &mut Recording, unit: Option<(f64, &str)>, up: Option<Up>) {
    let (unit, why_unit) = match unit.filter(|(unit, _)| *unit > 0.0 && unit.is_finite()) {
        Some((unit, why)) => (unit, format!("unit of length: {} m, {why}", short(unit)).into()),
        None => guess_unit(recording),
    };
    let (up, why_up) = match up {
        Some(up) => (up, format!("up axis: {}, as given", name(up))),
        None => guess_up(recording),
    };
    convert(recording, Convention { unit, up });
    recording.notes.push(why_unit);
    recording.notes.push(why_up.into());
}

/// Whether the leg length is plausible with a unit of `unit` metres.
pub(crate) fn legs_fit(recording: &Recording, unit: f64) -> bool {
    LEGS.contains(&(legs(recording).0 * unit))
}

/// To metres and z up, from units and axes of the file.
fn convert(recording: &mut Recording, convention: Convention) {
    let Convention { unit, up } = convention;
    let vector = |v: Vec3| axes_from_file(v, up).scale(unit);
    for bone in &mut recording.skeleton.bones {
        bone.offset = vector(bone.offset);
        bone.end = bone.end.map(vector);
    }
    recording.positions.iter_mut().for_each(|p| *p = vector(*p));
    if up == Up::Y {
        recording.rotations.iter_mut().for_each(|q| *q = Quat([q.0[0], q.0[3], q.0[1], q.0[2]]));
    }
    recording.convention = convention;
}

/// A vector in axes of the file, in ours.
pub(crate) fn axes_from_file(v: Vec3, up: Up) -> Vec3 {
    match up {
        Up::Y => vec3(v.z, v.x, v.y),
        Up::Z => v,
    }
}

/// A vector in our axes, in those of the file.
pub(crate) fn axes_to_file(v: Vec3, up: Up) -> Vec3 {
    match up {
        Up::Y => vec3(v.y, v.z, v.x),
        Up::Z => v,
    }
}

/// The axis of the file for one of ours.
pub(crate) fn axis_to_file(axis: usize, up: Up) -> u8 {
    match up {
        Up::Y => ((axis + 2) % 3) as u8,
        Up::Z => axis as u8,
    }
}

fn guess_unit(recording: &Recording) -> (f64, Note) {
    let (length, how) = legs(recording);
    if !(length > 0.0) {
        let text = "unit of length: centimetre, by default: the skeleton has no lengths";
        return (0.01, Note::from(text).assuming(Assumption::Unit));
    }
    let far = |unit: f64| (length * unit / TYPICAL_LEGS).max(TYPICAL_LEGS / (length * unit));
    let fits = |unit: f64| LEGS.contains(&(length * unit));
    let fitting = UNITS.iter().filter(|u| fits(u.1)).count();
    // those that fit come first
    let order = |a: f64, b: f64| fits(b).cmp(&fits(a)).then(far(a).total_cmp(&far(b)));
    let (name, unit) = UNITS.into_iter().min_by(|a, b| order(a.1, b.1)).unwrap_or(UNITS[0]);
    let caveat = match fitting {
        0 => "; no common unit gives 0.6 m to 1.2 m, so this is uncertain: set `unit`",
        1 => "",
        _ => "; other units fit too, this is nearest to 0.95 m",
    };
    let (metres, given) = (length * unit, short(length));
    let text = format!(
        "unit of length: {name}, {} m, from {how} of {given} units = {metres:.2} m{caveat}",
        short(unit)
    );
    let note = match fitting {
        0 => Note::warning(text).assuming(Assumption::Unit),
        _ => text.into(),
    };
    (unit, note)
}

/// Leg length, pelvis to ankles along the bones, and its description.
fn legs(recording: &Recording) -> (f64, &'static str) {
    let skeleton = &recording.skeleton;
    let Some(pelvis) = pelvis(skeleton) else { return (0.0, "") };
    let ways = distances(recording, pelvis);
    let feet = feet(skeleton);
    let mut known = feet.iter().filter_map(|f| ways[*f]).filter(|d| *d > 0.0).peekable();
    if known.peek().is_some() {
        let (sum, count) = known.fold((0.0, 0), |(s, n), d| (s + d, n + 1));
        return (sum / f64::from(count), "legs");
    }
    let end = |i: usize| skeleton.bones[i].end.map_or(0.0, Vec3::norm);
    let longest = (0..ways.len()).filter_map(|i| ways[i].map(|d| d + end(i))).fold(0.0, f64::max);
    (longest, "the longest chain (no feet found)")
}

/// Length of the bones between `from` and each of its descendants.
fn distances(recording: &Recording, from: usize) -> Vec<Option<f64>> {
    let bones = &recording.skeleton.bones;
    let mut ways = vec![None; bones.len()];
    ways[from] = Some(0.0);
    for i in from + 1..bones.len() {
        // the position in the first frame, not the offset: some files have all offsets zero
        let place = recording.positions.get(i).copied().unwrap_or(bones[i].offset);
        ways[i] = bones[i].parent.and_then(|p| ways[p]).map(|d: f64| d + place.norm());
    }
    ways
}

/// The first bone with more than one child.
fn pelvis(skeleton: &Skeleton) -> Option<usize> {
    let mut children = vec![0; skeleton.bones.len()];
    skeleton.bones.iter().filter_map(|b| b.parent).for_each(|p| children[p] += 1);
    children.iter().position(|n| *n > 1).or(if skeleton.bones.is_empty() { None } else { Some(0) })
}

/// Bones whose name contains one of `words`, the topmost of each limb.
fn named(skeleton: &Skeleton, words: &[&str]) -> Vec<usize> {
    let is = |i: usize| {
        let name = skeleton.bones[i].name.to_ascii_lowercase();
        words.iter().any(|w| name.contains(w))
    };
    let mut below = vec![false; skeleton.bones.len()];
    let mut found = Vec::new();
    for i in 0..skeleton.bones.len() {
        let parent_is = skeleton.bones[i].parent.is_some_and(|p| below[p]);
        let this = is(i);
        if this && !parent_is {
            found.push(i);
        }
        below[i] = this || parent_is;
    }
    found
}

fn feet(skeleton: &Skeleton) -> Vec<usize> {
    let feet = named(skeleton, &["foot", "ankle"]);
    if feet.is_empty() { named(skeleton, &["toe", "heel"]) } else { feet }
}

fn guess_up(recording: &Recording) -> (Up, String) {
    let skeleton = &recording.skeleton;
    let feet = feet(skeleton);
    let mut heads = named(skeleton, &["head"]);
    if heads.is_empty() {
        heads = named(skeleton, &["neck"]);
    }
    let say = |up: Up, why: &str| (up, format!("up axis: {}, {why}", name(up)));
    let (Some(head), false) = (heads.first(), feet.is_empty()) else {
        return say(Up::Y, "by default: no head and feet found");
    };
    let rise = |places: &[(Vec3, Quat)]| {
        let foot = feet.iter().fold(Vec3::ZERO, |s, f| s + places[*f].0).scale(1.0 / feet.len() as f64);
        (places[*head].0 - foot).normalized().unwrap_or(Vec3::ZERO)
    };
    let (mut mean, mut lowest, mut places) = (Vec3::ZERO, Vec::new(), Vec::new());
    let offsets: Vec<Vec3> = skeleton.bones.iter().map(|b| b.offset).collect();
    skeleton.to_world(&vec![Quat::IDENTITY; offsets.len()], &offsets, &mut places);
    let at_rest = upward(rise(&places));
    let samples = SAMPLES.min(recording.frames());
    for n in 0..samples {
        recording.world_at(n * recording.frames() / samples, &mut places);
        mean += rise(&places).scale(1.0 / samples as f64);
        let lower = |l: Vec3, p: Vec3| vec3(l.x.min(p.x), l.y.min(p.y), l.z.min(p.z));
        lowest.push(places.iter().fold(places[0].0, |l, p| lower(l, p.0)));
    }
    match (at_rest, upward(mean)) {
        (Some(a), Some(b)) if a == b => say(a, "from feet to head, at rest and in motion"),
        (Some(_), Some(_)) => {
            let spread = |of: fn(&Vec3) -> f64| {
                let all = || lowest.iter().map(of);
                all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
            };
            let up = if spread(|p| p.z) < spread(|p| p.y) { Up::Z } else { Up::Y };
            let why =
                "along which the lowest joint keeps its height; feet to head differs between rest and motion";
            say(up, why)
        }
        (Some(up), None) => say(up, "from feet to head, at rest"),
        (None, Some(up)) => say(up, "from feet to head, in motion"),
        (None, None) => say(Up::Y, "by default: feet to head is ambiguous"),
    }
}

fn upward(rise: Vec3) -> Option<Up> {
    let is_up = |x: f64| x > CLEAR * rise.norm() && x > 0.5;
    if is_up(rise.y) { Some(Up::Y) } else { is_up(rise.z).then_some(Up::Z) }
}

/// Chooses the sign of each quaternion: nearest to the previous frame; in the first frame with the first non-zero component
/// positive. So a rotation has a unique quaternion, independent of its Euler angles.
pub(crate) fn make_quaternions_continuous(rotations: &mut [Quat], bones: usize) {
    for i in 0..rotations.len() {
        let q = rotations[i];
        let leading = q.0.into_iter().find(|c| c.abs() > ROUNDING).unwrap_or(1.0);
        let mut sign = leading.signum();
        if let Some(before) = i.checked_sub(bones).map(|b| rotations[b]) {
            let along: f64 = q.0.iter().zip(before.0).map(|(a, b)| a * b).sum();
            if along.abs() > ROUNDING {
                sign = along.signum();
            }
        }
        if sign < 0.0 {
            rotations[i] = Quat(q.0.map(|c| -c));
        }
    }
}

fn name(up: Up) -> &'static str {
    match up {
        Up::Y => "y",
        Up::Z => "z",
    }
}

/// A recording without frames yet, in units and axes of its file.
pub(crate) fn empty(skeleton: Skeleton, dt: f64, frames: usize, notes: Vec<Note>) -> Recording {
    let samples = frames * skeleton.bones.len();
    Recording {
        name: String::new(),
        skeleton,
        dt,
        rotations: Vec::with_capacity(samples),
        positions: Vec::with_capacity(samples),
        rest: None,
        convention: Convention { unit: 1.0, up: Up::Z },
        notes,
    }
}

/// Channels of a joint with free position and rotation, in the most common order.
pub(crate) fn free_channels() -> Vec<Channel> {
    let positions = (0..3).map(Channel::Position);
    positions.chain(rotation_channels()).collect()
}

/// Channels of a joint with free rotation.
pub(crate) fn rotation_channels() -> Vec<Channel> {
    [2, 1, 0].map(Channel::Rotation).to_vec()
}

/// A number with up to six digits.
fn short(x: f64) -> String {
    let digits = (5 - x.abs().log10().floor().clamp(-12.0, 5.0) as i32).max(0) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}
