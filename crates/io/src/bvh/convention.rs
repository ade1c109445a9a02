//! Unit of length and up axis of a motion file, neither of which it states; to metres and z up and back.
//!
//! Unit: the way from the pelvis to the ankles, bone by bone, must be 0.6 m to 1.2 m in one of the units in use. If it
//! is in none (or in more than one) the unit that brings it nearest to 0.95 m in proportion is taken.
//! Up: the axis from the feet to the head, at rest and over the motion. Where the two differ, the one along which the
//! lowest joint stays at its height, as on a floor. Where neither speaks, y.

use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::recording::{Channel, Convention, Recording, Skeleton, Up};

/// Metres in a unit of the CMU database: lengths were multiplied by 0.45 and are inches then.
const CMU: f64 = 0.0254 / 0.45;
/// Units in use, metres each.
const UNITS: [(&str, f64); 5] = [
    ("metre", 1.0),
    ("centimetre", 0.01),
    ("millimetre", 0.001),
    ("inch", 0.0254),
    ("1/0.45 inch (CMU)", CMU),
];
/// Legs of standing people, m.
const LEGS: (f64, f64) = (0.6, 1.2);
/// Legs of a grown person, pelvis to ankle along the bones, m.
const TYPICAL_LEGS: f64 = 0.95;
/// An axis is up if it holds so much of the way from the feet to the head.
const CLEAR: f64 = 0.8;
/// So many frames are looked at, evenly over the motion.
const SAMPLES: usize = 32;
/// Differences of this size between quaternions are rounding.
const ROUNDING: f64 = 1e-9;

/// Decides unit and up axis of a recording that is still in units and axes of its file, converts it and tells.
///
/// `unit`: metres and where they are from, if known; what cannot be a unit is not known.
pub(crate) fn settle(recording: &mut Recording, unit: Option<(f64, &str)>, up: Option<Up>) {
    let (unit, why_unit) = match unit.filter(|(unit, _)| *unit > 0.0 && unit.is_finite()) {
        Some((unit, why)) => (unit, format!("unit of length: {} m, {why}", short(unit))),
        None => guess_unit(recording),
    };
    let (up, why_up) = match up {
        Some(up) => (up, format!("up axis: {}, as asked", name(up))),
        None => guess_up(recording),
    };
    convert(recording, Convention { unit, up });
    recording.notes.push(why_unit);
    recording.notes.push(why_up);
}

/// Whether people of legs of `length` in a unit of `unit` metres exist.
pub(crate) fn legs_fit(recording: &Recording, unit: f64) -> bool {
    let length = legs(recording).0 * unit;
    length >= LEGS.0 && length <= LEGS.1
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

/// The axis of the file that is one of ours.
pub(crate) fn axis_to_file(axis: usize, up: Up) -> u8 {
    match up {
        Up::Y => ((axis + 2) % 3) as u8,
        Up::Z => axis as u8,
    }
}

fn guess_unit(recording: &Recording) -> (f64, String) {
    let (length, how) = legs(recording);
    if !(length > 0.0) {
        return (0.01, "unit of length: centimetre, for lack of any length to judge by".into());
    }
    let far = |unit: f64| (length * unit / TYPICAL_LEGS).max(TYPICAL_LEGS / (length * unit));
    let fits = |unit: f64| length * unit >= LEGS.0 && length * unit <= LEGS.1;
    let best = |choice: &mut dyn Iterator<Item = (&'static str, f64)>| {
        choice.min_by(|a, b| far(a.1).total_cmp(&far(b.1)))
    };
    let fitting = UNITS.iter().filter(|u| fits(u.1)).count();
    let (name, unit) = best(&mut UNITS.into_iter().filter(|u| fits(u.1)))
        .or_else(|| best(&mut UNITS.into_iter()))
        .unwrap_or(UNITS[0]);
    let doubt = match fitting {
        0 => "; no unit in use gives 0.6 m to 1.2 m, so this is uncertain: say what it is (`unit`)",
        1 => "",
        _ => "; others fit as well, this is nearest to 0.95 m",
    };
    let metres = length * unit;
    (
        unit,
        format!(
            "unit of length: {name}, {} m, by {how} of {} units = {metres:.2} m{doubt}",
            short(unit),
            short(length)
        ),
    )
}

/// Pelvis to ankles along the bones, and what it is.
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

/// Length of the bones between `from` and each bone that hangs on it.
fn distances(recording: &Recording, from: usize) -> Vec<Option<f64>> {
    let bones = &recording.skeleton.bones;
    let mut ways = vec![None; bones.len()];
    ways[from] = Some(0.0);
    for i in from + 1..bones.len() {
        // a place of the first frame, not the offset: some files have all offsets zero
        let place = recording.positions.get(i).copied().unwrap_or(bones[i].offset);
        ways[i] = bones[i].parent.and_then(|p| ways[p]).map(|d: f64| d + place.norm());
    }
    ways
}

/// The first bone on which more than one hangs.
fn pelvis(skeleton: &Skeleton) -> Option<usize> {
    let mut hanging = vec![0; skeleton.bones.len()];
    skeleton.bones.iter().filter_map(|b| b.parent).for_each(|p| hanging[p] += 1);
    hanging.iter().position(|n| *n > 1).or(if skeleton.bones.is_empty() { None } else { Some(0) })
}

/// Bones named so, topmost of each limb.
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
        return say(Up::Y, "as is usual; no head and feet found to judge by");
    };
    let rise = |places: &[(Vec3, Quat)]| {
        let foot = feet.iter().fold(Vec3::ZERO, |s, f| s + places[*f].0).scale(1.0 / feet.len() as f64);
        (places[*head].0 - foot).normalized().unwrap_or(Vec3::ZERO)
    };
    let rest = rest_places(skeleton);
    let at_rest = upward(rise(&rest));
    let (mut mean, mut lowest, mut places) = (Vec3::ZERO, Vec::new(), Vec::new());
    let samples = SAMPLES.min(recording.frames());
    for n in 0..samples {
        recording.world_at(n * recording.frames() / samples, &mut places);
        mean += rise(&places).scale(1.0 / samples as f64);
        lowest.push(
            places.iter().fold(places[0].0, |l, p| vec3(l.x.min(p.0.x), l.y.min(p.0.y), l.z.min(p.0.z))),
        );
    }
    match (at_rest, upward(mean)) {
        (Some(a), Some(b)) if a == b => say(a, "by the head above the feet at rest and in motion"),
        (Some(_), Some(_)) => {
            let spread = |of: fn(&Vec3) -> f64| {
                let all = || lowest.iter().map(of);
                all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
            };
            let up = if spread(|p| p.z) < spread(|p| p.y) { Up::Z } else { Up::Y };
            say(
                up,
                "as the lowest joint keeps its height along it; at rest and in motion the head is in different directions",
            )
        }
        (Some(up), None) => say(up, "by the head above the feet at rest"),
        (None, Some(up)) => say(up, "by the head above the feet in motion"),
        (None, None) => say(Up::Y, "as is usual; head and feet do not tell"),
    }
}

/// Places of all joints with no turns.
fn rest_places(skeleton: &Skeleton) -> Vec<(Vec3, Quat)> {
    let mut places: Vec<(Vec3, Quat)> = Vec::with_capacity(skeleton.bones.len());
    for bone in &skeleton.bones {
        let origin = bone.parent.map_or(Vec3::ZERO, |p| places[p].0);
        places.push((origin + bone.offset, Quat::IDENTITY));
    }
    places
}

fn upward(rise: Vec3) -> Option<Up> {
    match () {
        () if rise.y > CLEAR * rise.norm() && rise.y > 0.5 => Some(Up::Y),
        () if rise.z > CLEAR * rise.norm() && rise.z > 0.5 => Some(Up::Z),
        () => None,
    }
}

/// Of the two quaternions of each turn the one near that of the frame before; in the first frame the one whose first
/// part that is not zero is positive. So a turn has one description, whatever angles it came from.
pub(crate) fn make_turns_steady(rotations: &mut [Quat], bones: usize) {
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

/// Channels of a joint that is placed and turned freely, as most files have them.
pub(crate) fn free_channels() -> Vec<Channel> {
    let places = (0..3).map(Channel::Position);
    places.chain(turn_channels()).collect()
}

/// Channels of a joint that is turned freely.
pub(crate) fn turn_channels() -> Vec<Channel> {
    [2, 1, 0].map(Channel::Rotation).to_vec()
}

/// Up to six digits.
fn short(x: f64) -> String {
    let digits = (5 - x.abs().log10().floor().clamp(-12.0, 5.0) as i32).max(0) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}
