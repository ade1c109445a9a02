//! Anomalies of a recording: a rest pose in the first frame is split off, others are reported in notes.
//!
//! Many converters put a T-pose before the motion, with the root position of its first frame. It is recognised by a change
//! to the second frame far beyond all others while the root stays, or by zero rotations.

use crate::names::{counted, enumerated};
use anthropi_dynamics::spatial::{Quat, Vec3};
use anthropi_motion::note::Note;
use anthropi_motion::recording::{Channel, Recording, Skeleton};

/// Least change from a T-pose to the next frame, relative to the median change...
const TIMES_MEDIAN: f64 = 10.0;
/// ...relative to the 95th percentile...
const TIMES_FREQUENT: f64 = 3.0;
/// ...and absolute, summed over the joints, rad.
const LEAST_CHANGE: f64 = 0.3;
/// Most frames used for these statistics.
const CHANGES: usize = 500;
/// Shorter bones have zero length, m.
const NO_LENGTH: f64 = 1e-6;
/// Tolerated difference between left and right bones, m.
const SIDES_DIFFER: f64 = 0.01;
/// Smaller rotations are zero (sine of half the angle).
const NO_ROTATION: f64 = 1e-7;
/// Least rotation between frames of a discontinuity (twice the sine of half the angle)...
const JUMP: f64 = 0.5;
/// ...and relative to the rotations before and after it.
const TIMES_NEIGHBOURS: f64 = 8.0;
/// Least root speed of a discontinuity, under the same condition, m/s.
const JUMP_SPEED: f64 = 12.0;

/// Moves a T-pose before the motion to `rest`.
pub fn split_off_rest_pose(recording: &mut Recording) {
    if recording.frames() < 3 {
        return;
    }
    let bones = recording.skeleton.bones.len();
    let first = (recording.rotations_at(0), recording.positions_at(0));
    let Some(why) = rest_pose_evidence(first, recording, 1) else { return };
    let rotations = recording.rotations.drain(..bones).collect();
    let positions = recording.positions.drain(..bones).collect();
    recording.rest = Some((rotations, positions));
    recording.notes.push(format!("the first frame is taken as the rest pose: {why}").into());
}

/// Whether a reader would recognise the rest pose of a recording if it were written before the motion.
pub fn is_rest_pose_distinct(recording: &Recording) -> bool {
    let Some((rotations, positions)) = &recording.rest else { return false };
    recording.frames() > 1 && rest_pose_evidence((rotations, positions), recording, 0).is_some()
}

/// Why a pose (rotations and positions of all bones) before frame `from` is not part of the motion that starts there.
fn rest_pose_evidence(
    (rotations, positions): (&[Quat], &[Vec3]),
    recording: &Recording,
    from: usize,
) -> Option<String> {
    let last = recording.frames() - 1;
    let change = |f: usize| change(recording.rotations_at(f), recording.rotations_at(f + 1));
    let mut changes: Vec<f64> = (from..last.min(CHANGES)).map(change).collect();
    changes.sort_by(f64::total_cmp);
    let (median, frequent) = (changes[changes.len() / 2], changes[changes.len() * 19 / 20]);
    let first = self::change(rotations, recording.rotations_at(from));
    if first < LEAST_CHANGE || first < TIMES_MEDIAN * median || first < TIMES_FREQUENT * frequent {
        return None;
    }
    let still = |q: &Quat| half_sine(*q, Quat::IDENTITY) < NO_ROTATION;
    if rotations.iter().all(still) {
        return Some("all its rotations are zero and the second frame is far from it".into());
    }
    let stays = (positions[0] - recording.positions_at(from)[0]).norm() <= NO_LENGTH;
    let times = if median > 0.0 { format!("{:.0} times", first / median) } else { "far more than".into() };
    stays.then(|| format!("the root stays while the joints rotate {times} the median change between frames"))
}

/// Sum of the rotations of all joints between two poses, rad.
fn change(from: &[Quat], to: &[Quat]) -> f64 {
    from.iter().zip(to).map(|(a, b)| 2.0 * half_sine(*a, *b)).sum()
}

/// Sine of half the angle between two rotations, accurate for small ones.
#[inline(always)]
fn half_sine(a: Quat, b: Quat) -> f64 {
    let ([w, x, y, z], [bw, bx, by, bz]) = (a.0, b.0);
    let dx = w * bx - x * bw - y * bz + z * by;
    let dy = w * by + x * bz - y * bw - z * bx;
    let dz = w * bz - x * by + y * bx - z * bw;
    (dx * dx + dy * dy + dz * dz).sqrt()
}

/// Adds a note for each kind of anomaly.
pub fn add_notes(recording: &mut Recording) {
    let skeleton = &recording.skeleton;
    let mut notes = Vec::new();
    notes.extend(same_names(skeleton).map(Note::warning));
    notes.extend(no_length(skeleton).map(Note::from));
    notes.extend(lost_thorax(skeleton).map(Note::warning));
    notes.extend(uneven_sides(skeleton).map(Note::from));
    notes.extend(jumps(recording).map(Note::warning));
    notes.extend(unmoved(recording).map(Note::from));
    recording.notes.extend(notes);
}

fn same_names(skeleton: &Skeleton) -> Option<String> {
    let mut names: Vec<&str> = skeleton.bones.iter().map(|b| b.name.as_str()).collect();
    names.sort_unstable();
    let mut twice: Vec<&str> = names.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0]).collect();
    twice.dedup();
    enumerated("duplicate joint names", twice)
}

fn has_no_length(skeleton: &Skeleton, bone: usize) -> bool {
    let bone = &skeleton.bones[bone];
    bone.parent.is_some() && bone.offset.norm() < NO_LENGTH && !bone.channels.contains(&Channel::Position(0))
}

fn no_length(skeleton: &Skeleton) -> Option<String> {
    let mut carries = vec![false; skeleton.bones.len()];
    skeleton.bones.iter().filter_map(|b| b.parent).for_each(|p| carries[p] = true);
    let empty = (0..carries.len()).filter(|i| carries[*i] && has_no_length(skeleton, *i));
    let names = empty.map(|i| &skeleton.bones[i].name);
    enumerated("joints at the position of their parent that have children", names)
}

/// Neck and both shoulders at the position of one parent: a bone between them was lost.
fn lost_thorax(skeleton: &Skeleton) -> Option<String> {
    let word = |i: usize, w: &str| skeleton.bones[i].name.to_ascii_lowercase().contains(w);
    let neck = (0..skeleton.bones.len()).find(|i| word(*i, "neck") && has_no_length(skeleton, *i))?;
    let parent = skeleton.bones[neck].parent?;
    let shoulders = skeleton.children(parent).filter(|i| {
        (word(*i, "shoulder") || word(*i, "clavicle") || word(*i, "collar")) && has_no_length(skeleton, *i)
    });
    (shoulders.count() >= 2).then(|| {
        format!(
            "neck and shoulders are at the position of {}: a conversion lost the bone between (thorax), so head and \
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
    enumerated("bones of different length on the left and the right, left minus right", uneven)
}

/// Name of the right counterpart of a left bone: LeftArm, lfemur, L_Arm, Arm_L, arm.l, mixamorig:LeftArm.
pub fn other_side(left: &str) -> Option<String> {
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

/// Joints with rotation channels that never rotate.
fn unmoved(recording: &Recording) -> Option<String> {
    let bones = &recording.skeleton.bones;
    if recording.frames() < 2 {
        return None;
    }
    let n = bones.len();
    let still = |i: &usize| {
        let first = recording.rotations[*i];
        recording.rotations.iter().skip(*i).step_by(n).all(|q| half_sine(first, *q) < NO_ROTATION)
    };
    let may_turn = |i: &usize| bones[*i].channels.iter().any(|c| matches!(c, Channel::Rotation(_)));
    enumerated("joints that never rotate", (0..n).filter(may_turn).filter(still).map(|i| &bones[i].name))
}

/// Discontinuities of joint rotations and root positions.
fn jumps(recording: &Recording) -> Option<String> {
    let (frames, n) = (recording.frames(), recording.skeleton.bones.len());
    if frames < 4 {
        return None;
    }
    let Recording { rotations, positions, .. } = recording;
    let turn = |f: usize, i: usize| 2.0 * half_sine(rotations[f * n + i], rotations[(f + 1) * n + i]);
    let step = |f: usize, i: usize| (positions[(f + 1) * n + i] - positions[f * n + i]).norm();
    let is_jump = |size: f64, least: f64, f: usize, i: usize, of: &dyn Fn(usize, usize) -> f64| {
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
            let by_rotation = is_jump(turned, JUMP, f, i, &turn);
            if by_rotation || is_jump(moved, JUMP_SPEED * recording.dt, f, i, &step) {
                count += 1;
                let size = if by_rotation { degrees(turned) } else { moved };
                first.get_or_insert((f, &bone.name, size, by_rotation));
            }
        }
    }
    let row = |f: usize| f + 1 + usize::from(recording.rest.is_some());
    first.map(|(f, name, size, by_rotation)| {
        let what =
            if by_rotation { format!("rotates {size:.0} degrees") } else { format!("moves {size:.2} m") };
        format!(
            "{}; the first between rows {} and {} of the file, where {name} {what}",
            counted(count, "discontinuity"),
            row(f),
            row(f + 1)
        )
    })
}

/// The angle, given twice the sine of its half.
fn degrees(twice_half_sine: f64) -> f64 {
    (2.0 * (0.5 * twice_half_sine).min(1.0).asin()).to_degrees()
}
