//! Mean geometry of a recording's limbs, and the home pose.

use super::bone_map::{BoneMap, Limb};
use crate::anatomy::{Part, Side};
use crate::recording::Recording;
use anthropi_dynamics::spatial::{Quat, Transform, Vec3};

/// Largest number of frames measured.
const MAX_FRAMES: usize = 400;
/// Least height of the head above the hips, and of the hips above the feet, in an upright pose, fraction of leg length.
const UPRIGHT: f64 = 0.3;

/// Poses of the bones in some frames, and in the home pose.
#[derive(Clone, Debug)]
pub struct Measures {
    frames: Vec<Vec<(Vec3, Quat)>>,
    /// the frame after each of `frames` and the seconds between
    after: Vec<Vec<(Vec3, Quat)>>,
    dt: f64,
    home: Vec<(Vec3, Quat)>,
    /// by bone: ends of the bones at and below it in the same limb, as (bone, end in its axes)
    tips: Vec<Vec<(usize, Vec3)>>,
}

impl Measures {
    /// Measures frames spread over the recording.
    pub fn from_recording(recording: &Recording, map: &BoneMap) -> Measures {
        let count = recording.frames();
        let step = count.div_ceil(MAX_FRAMES);
        let world = |frame: usize| {
            let mut poses = Vec::new();
            map.world(recording, frame, &mut poses);
            poses
        };
        let chosen: Vec<usize> = (0..count).step_by(step).collect();
        let mut measures = Measures {
            frames: chosen.iter().map(|f| world(*f)).collect(),
            after: chosen.iter().map(|f| world((*f + 1).min(count - 1))).collect(),
            dt: recording.dt,
            home: Vec::new(),
            tips: tips(recording, map),
        };
        measures.home = measures.home_pose(recording, map);
        measures
    }

    /// Home pose of a limb.
    pub fn home(&self, limb: &Limb) -> Transform {
        Transform::new(self.home[limb.joint_bone].0, self.home[limb.orientation_bone].1)
    }

    /// Rotates a limb in the home pose so that a direction in its axes points up.
    pub fn level(&mut self, limb: &Limb, up: Vec3) {
        let turn = self.home[limb.orientation_bone].1;
        let now = turn.rotate(up);
        let axis = now.cross(Vec3 { x: 0.0, y: 0.0, z: 1.0 });
        let (sine, cosine) = (axis.norm(), now.z);
        let axis = axis.normalized().unwrap_or_else(|| now.any_perpendicular());
        self.home[limb.orientation_bone].1 = Quat::about(axis, libm::atan2(sine, cosine)).then(turn);
    }

    /// Mean position of a limb's joint in the parent's axes, and the largest deviation.
    pub fn offset(&self, parent: &Limb, limb: &Limb) -> (Vec3, f64) {
        let mean = self.mean_on(parent, |poses| poses[limb.joint_bone].0);
        let miss = |poses: &Vec<(Vec3, Quat)>| (on(parent, poses, poses[limb.joint_bone].0) - mean).norm();
        (mean, self.frames.iter().map(miss).fold(0.0, f64::max))
    }

    /// Mean over the frames of a point in a limb's axes.
    pub fn mean_on(&self, limb: &Limb, point: impl Fn(&[(Vec3, Quat)]) -> Vec3) -> Vec3 {
        let sum = self.frames.iter().fold(Vec3::ZERO, |sum, poses| sum + on(limb, poses, point(poses)));
        sum.scale(1.0 / self.frames.len() as f64)
    }

    /// End of a limb in the home pose: the farthest end of its bones.
    pub fn home_end(&self, limb: &Limb) -> Option<Vec3> {
        let from = self.home[limb.joint_bone].0;
        let ends = self.tips[limb.joint_bone]
            .iter()
            .map(|(bone, end)| self.home[*bone].0 + self.home[*bone].1.rotate(*end));
        ends.max_by(|a, b| (*a - from).norm().total_cmp(&(*b - from).norm()))
    }

    /// End of a limb in its axes.
    pub fn bone_end(&self, limb: &Limb) -> Option<Vec3> {
        self.home_end(limb).map(|end| self.home(limb).inverse().point(end))
    }

    /// Length of a terminal bone, m.
    pub fn tip_length(&self, bone: usize) -> Option<f64> {
        let (_, end) = self.tips[bone].iter().find(|(b, _)| *b == bone)?;
        Some(end.norm())
    }

    /// Rotations of a limb relative to its parent.
    pub fn turns<'a>(&'a self, parent: &'a Limb, limb: &'a Limb) -> impl Iterator<Item = Quat> + 'a {
        self.frames
            .iter()
            .map(|poses| poses[parent.orientation_bone].1.inverse().then(poses[limb.orientation_bone].1))
    }

    /// Hip-to-ankle length, mean of both sides, m.
    pub fn leg(&self, map: &BoneMap) -> Option<f64> {
        let side = |side: Side| {
            let limb = |part: Part| map.find(part).map(|i| &map.limbs[i]);
            let (thigh, shank, foot) =
                (limb(Part::Thigh(side))?, limb(Part::Shank(side))?, limb(Part::Foot(side))?);
            Some(self.offset(thigh, shank).0.norm() + self.offset(shank, foot).0.norm())
        };
        match (side(Side::Left), side(Side::Right)) {
            (Some(l), Some(r)) => Some(0.5 * (l + r)),
            (one, other) => one.or(other),
        }
    }

    /// Measured frames with the speed of a bone's joint, m/s.
    pub fn speeds(&self, bone: usize) -> impl Iterator<Item = (&[(Vec3, Quat)], f64)> {
        let pairs = self.frames.iter().zip(&self.after);
        pairs.map(move |(now, next)| (&now[..], (next[bone].0 - now[bone].0).norm() / self.dt))
    }

    /// The first upright pose of: rest pose of the file, zero rotations, first frame.
    fn home_pose(&self, recording: &Recording, map: &BoneMap) -> Vec<(Vec3, Quat)> {
        let skeleton = &recording.skeleton;
        let world = |turns: &[Quat], at: &[Vec3]| {
            let mut poses = Vec::new();
            map.to_world(skeleton, turns, at, &mut poses);
            poses
        };
        let offsets: Vec<Vec3> = skeleton.bones.iter().map(|b| b.offset).collect();
        let zero = world(&vec![Quat::IDENTITY; offsets.len()], &offsets);
        let mut candidates = recording.rest.iter().map(|(turns, at)| world(turns, at)).chain([zero]);
        candidates.find(|c| self.is_upright(map, c)).unwrap_or_else(|| self.frames[0].clone())
    }

    fn is_upright(&self, map: &BoneMap, poses: &[(Vec3, Quat)]) -> bool {
        let height = |part: Part| map.find(part).map(|i| poses[map.limbs[i].joint_bone].0.z);
        let (Some(hip), Some(foot), Some(leg)) =
            (height(Part::Thigh(Side::Left)), height(Part::Foot(Side::Left)), self.leg(map))
        else {
            return false;
        };
        let head = height(Part::Head).or(height(Part::Neck)).or(height(Part::Chest));
        hip - foot > UPRIGHT * leg && head.is_none_or(|head| head - hip > UPRIGHT * leg)
    }
}

fn tips(recording: &Recording, map: &BoneMap) -> Vec<Vec<(usize, Vec3)>> {
    let bones = &recording.skeleton.bones;
    let mut tips = vec![Vec::new(); bones.len()];
    for (i, end) in bones.iter().enumerate().filter_map(|(i, b)| b.end.map(|e| (i, e))) {
        let same = |bone: &usize| map.owner[*bone] == map.owner[i];
        let up = std::iter::successors(Some(i), |bone| bones[*bone].parent).take_while(same);
        up.for_each(|bone| tips[bone].push((i, end)));
    }
    tips
}

/// A point in the axes of a limb.
fn on(limb: &Limb, poses: &[(Vec3, Quat)], point: Vec3) -> Vec3 {
    poses[limb.orientation_bone].1.inverse().rotate(point - poses[limb.joint_bone].0)
}
