//! What is strange about a recording: a first frame that is not part of the motion is set apart, the rest is told.
//!
//! Many converters put a T-pose before the motion, at the place of its first frame. It is recognised by a change to
//! the second frame far beyond all others while the root stays, or with no turns at all in it.

use crate::names::counted;
use anthropi_dynamics::spatial::{Quat, Vec3};
use anthropi_motion::recording::{Channel, Recording, Skeleton};

/// A T-pose is left by a change so many times the usual one...
const TIMES_MEDIAN: f64 = 10.0;
/// ...and so many times what nineteen of twenty frames stay below...
const TIMES_FREQUENT: f64 = 3.0;
/// ...and of at least this much, summed over the joints, rad.
const LEAST_CHANGE: f64 = 0.3;
/// So many changes between frames are looked at.
const CHANGES: usize = 500;
/// Shorter is no length, m.
const NO_LENGTH: f64 = 1e-6;
/// Left and right bones may differ by this, m.
const SIDES_DIFFER: f64 = 0.01;
/// Turns smaller than this are none (sine of half the angle).
const NO_TURN: f64 = 1e-7;
/// A turn between frames beyond this (twice the sine of its half) is a jump, if it also is so many times those before
/// and after it.
const JUMP: f64 = 0.5;
const TIMES_NEIGHBOURS: f64 = 8.0;
/// A speed of the root beyond this is a jump, under the same condition. m/s
const JUMP_SPEED: f64 = 12.0;
/// So many names are listed.
const LISTED: usize = 8;

/// Moves a T-pose in front of the motion to `rest`.
pub(crate) fn set_rest_apart(recording: &mut Recording) {
    if recording.frames() < 3 {
        return;
    }
    let bones = recording.skeleton.bones.len();
    let first = (recording.rotations_at(0), recording.positions_at(0));
    let Some(why) = stray(first, recording, 1) else { return };
    let turns = recording.rotations.drain(..bones).collect();
    let places = recording.positions.drain(..bones).collect();
    recording.rest = Some((turns, places));
    recording.notes.push(format!("the first frame is set apart as the rest pose: {why}"));
}

/// Whether the rest pose of a recording, written before its motion, would be set apart again by who reads it.
pub(crate) fn is_rest_told_apart(recording: &Recording) -> bool {
    let Some((turns, places)) = &recording.rest else { return false };
    recording.frames() > 1 && stray((turns, places), recording, 0).is_some()
}

/// Why a pose (turns and places of all bones) before frame `from` is no part of the motion that begins there.
fn stray((turns, places): (&[Quat], &[Vec3]), recording: &Recording, from: usize) -> Option<String> {
    let last = recording.frames() - 1;
    let change = |f: usize| change(recording.rotations_at(f), recording.rotations_at(f + 1));
    let mut changes: Vec<f64> = (from..last.min(CHANGES)).map(change).collect();
    changes.sort_by(f64::total_cmp);
    let (median, frequent) = (changes[changes.len() / 2], changes[changes.len() * 19 / 20]);
    let first = self::change(turns, recording.rotations_at(from));
    if first < LEAST_CHANGE || first < TIMES_MEDIAN * median || first < TIMES_FREQUENT * frequent {
        return None;
    }
    let still = |q: &Quat| half_sine(*q, Quat::IDENTITY) < NO_TURN;
    if turns.iter().all(still) {
        return Some("nothing is turned in it and the second is far from it".into());
    }
    let stays = (places[0] - recording.positions_at(from)[0]).norm() <= NO_LENGTH;
    let times = if median > 0.0 { format!("{:.0} times", first / median) } else { "far more than".into() };
    stays.then(|| format!("the root stays while the joints turn {times} the usual change between frames"))
}

/// Turns of all joints from a pose to another, rad.
fn change(from: &[Quat], to: &[Quat]) -> f64 {
    from.iter().zip(to).map(|(a, b)| 2.0 * half_sine(*a, *b)).sum()
}

/// Sine of half the angle between two turns, exact also for small ones.
#[inline(always)]
fn half_sine(a: Quat, b: Quat) -> f64 {
    let ([w, x, y, z], [bw, bx, by, bz]) = (a.0, b.0);
    let dx = w * bx - x * bw - y * bz + z * by;
    let dy = w * by + x * bz - y * bw - z * bx;
    let dz = w * bz - x * by + y * bx - z * bw;
    (dx * dx + dy * dy + dz * dz).sqrt()
}

/// Adds a note for each kind of strangeness.
pub(crate) fn tell(recording: &mut Recording) {
    let skeleton = &recording.skeleton;
    let mut notes = Vec::new();
    notes.extend(same_names(skeleton));
    notes.extend(no_length(skeleton));
    notes.extend(lost_thorax(skeleton));
    notes.extend(uneven_sides(skeleton));
    notes.extend(jumps(recording));
    notes.extend(unmoved(recording));
    recording.notes.extend(notes);
}

fn same_names(skeleton: &Skeleton) -> Option<String> {
    let mut names: Vec<&str> = skeleton.bones.iter().map(|b| b.name.as_str()).collect();
    names.sort_unstable();
    let mut twice: Vec<&str> = names.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0]).collect();
    twice.dedup();
    (!twice.is_empty()).then(|| format!("names that several joints have: {}", list(&twice)))
}

fn has_no_length(skeleton: &Skeleton, bone: usize) -> bool {
    let bone = &skeleton.bones[bone];
    bone.parent.is_some() && bone.offset.norm() < NO_LENGTH && !bone.channels.contains(&Channel::Position(0))
}

fn no_length(skeleton: &Skeleton) -> Option<String> {
    let mut carries = vec![false; skeleton.bones.len()];
    skeleton.bones.iter().filter_map(|b| b.parent).for_each(|p| carries[p] = true);
    let empty = (0..carries.len()).filter(|i| carries[*i] && has_no_length(skeleton, *i));
    let names: Vec<&str> = empty.map(|i| skeleton.bones[i].name.as_str()).collect();
    (!names.is_empty())
        .then(|| format!("joints at the place of their parent that carry others: {}", list(&names)))
}

/// Neck and both shoulders at the place of one parent: a bone was lost between.
fn lost_thorax(skeleton: &Skeleton) -> Option<String> {
    let word = |i: usize, w: &str| skeleton.bones[i].name.to_ascii_lowercase().contains(w);
    let neck = (0..skeleton.bones.len()).find(|i| word(*i, "neck") && has_no_length(skeleton, *i))?;
    let parent = skeleton.bones[neck].parent?;
    let shoulders = skeleton.children(parent).filter(|i| {
        (word(*i, "shoulder") || word(*i, "clavicle") || word(*i, "collar")) && has_no_length(skeleton, *i)
    });
    (shoulders.count() >= 2).then(|| {
        format!(
            "neck and shoulders sit at the place of {}: the bone between (thorax) was lost in a conversion, head and \
             arms are too low by its length (about 12 cm)",
            skeleton.bones[parent].name
        )
    })
}

fn uneven_sides(skeleton: &Skeleton) -> Option<String> {
    let mut uneven = Vec::new();
    for bone in &skeleton.bones {
        let Some(other) = other_side(&bone.name).and_then(|n| skeleton.find(&n)) else { continue };
        let (left, right) = (bone.offset.norm(), skeleton.bones[other].offset.norm());
        if (left - right).abs() > SIDES_DIFFER {
            uneven.push(format!("{} {:.1} cm", bone.name, 100.0 * (left - right)));
        }
    }
    let names: Vec<&str> = uneven.iter().map(String::as_str).collect();
    (!names.is_empty())
        .then(|| format!("left longer or shorter than right, up to the joint: {}", list(&names)))
}

/// The name of the right one for a left one: LeftArm, lfemur, L_Arm, Arm_L, arm.l, mixamorig:LeftArm.
pub(crate) fn other_side(left: &str) -> Option<String> {
    for (l, r) in [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")] {
        if left.contains(l) {
            return Some(left.replacen(l, r, 1));
        }
    }
    let ends = [("_L", "_R"), (".L", ".R"), ("_l", "_r"), (".l", ".r")];
    if let Some((l, r)) = ends.into_iter().find(|(l, _)| left.ends_with(l)) {
        return Some(format!("{}{r}", left.strip_suffix(l)?));
    }
    [("L", "R"), ("l", "r")]
        .into_iter()
        .find_map(|(l, r)| left.strip_prefix(l).map(|rest| format!("{r}{rest}")))
}

/// Joints that have rotation channels and never turn.
fn unmoved(recording: &Recording) -> Option<String> {
    let bones = &recording.skeleton.bones;
    if recording.frames() < 2 {
        return None;
    }
    let n = bones.len();
    let still = |i: &usize| {
        let first = recording.rotations[*i];
        recording.rotations.iter().skip(*i).step_by(n).all(|q| half_sine(first, *q) < NO_TURN)
    };
    let may_turn = |i: &usize| bones[*i].channels.iter().any(|c| matches!(c, Channel::Rotation(_)));
    let names: Vec<&str> = (0..n).filter(may_turn).filter(still).map(|i| bones[i].name.as_str()).collect();
    (!names.is_empty()).then(|| format!("joints that never turn: {}", list(&names)))
}

/// Frames at which a joint or a root leaps.
fn jumps(recording: &Recording) -> Option<String> {
    let (frames, n) = (recording.frames(), recording.skeleton.bones.len());
    if frames < 4 {
        return None;
    }
    let turn = |f: usize, i: usize| {
        2.0 * half_sine(recording.rotations[f * n + i], recording.rotations[(f + 1) * n + i])
    };
    let step =
        |f: usize, i: usize| (recording.positions[(f + 1) * n + i] - recording.positions[f * n + i]).norm();
    let leaps = |size: f64, least: f64, f: usize, i: usize, of: &dyn Fn(usize, usize) -> f64| {
        let calm = |g: Option<usize>| {
            g.filter(|g| *g + 1 < frames).is_none_or(|g| size > TIMES_NEIGHBOURS * of(g, i))
        };
        size > least && calm(f.checked_sub(1)) && calm(Some(f + 1))
    };
    let (mut count, mut first) = (0, None);
    for f in 0..frames - 1 {
        for (i, bone) in recording.skeleton.bones.iter().enumerate() {
            let (turned, moved) = (turn(f, i), if bone.parent.is_none() { step(f, i) } else { 0.0 });
            if turned <= JUMP && moved <= JUMP_SPEED * recording.dt {
                continue;
            }
            let by_turn = leaps(turned, JUMP, f, i, &turn);
            if by_turn || leaps(moved, JUMP_SPEED * recording.dt, f, i, &step) {
                count += 1;
                first.get_or_insert((f, &bone.name, if by_turn { degrees(turned) } else { moved }, by_turn));
            }
        }
    }
    let row = |f: usize| f + 1 + usize::from(recording.rest.is_some());
    first.map(|(f, name, size, by_turn)| {
        let what = if by_turn { format!("turns {size:.0} degrees") } else { format!("moves {size:.2} m") };
        format!(
            "{}; the first between rows {} and {} of the file, where {name} {what}",
            counted(count, "jump"),
            row(f),
            row(f + 1)
        )
    })
}

/// The angle of twice its half's sine.
fn degrees(twice_half_sine: f64) -> f64 {
    (2.0 * (0.5 * twice_half_sine).min(1.0).asin()).to_degrees()
}

/// Some names and how many more there are.
pub(crate) fn list(names: &[&str]) -> String {
    let shown = names[..names.len().min(LISTED)].join(", ");
    if names.len() > LISTED { format!("{shown} and {} more", names.len() - LISTED) } else { shown }
}
