//! A captured or keyframed motion on its own skeleton, as in motion files.
//!
//! Lengths in metres, z up, angles in radians: readers convert and add `notes`. The file's conventions (channels, unit,
//! up axis) are kept for writing it back.

use crate::note::Note;
use anthropi_dynamics::spatial::{Quat, Vec3};

/// A channel of a bone in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// position along an axis (0, 1, 2) of the file
    Position(u8),
    /// rotation about an axis (0, 1, 2) of the file
    Rotation(u8),
}

/// A joint of a skeleton and its bone.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// name in the file
    pub name: String,
    /// parent bone; `None` for roots. Parents come first
    pub parent: Option<usize>,
    /// from the parent's joint to this one in the rest pose, parent's axes, m
    pub offset: Vec3,
    /// far end of a bone without children, its own axes, m
    pub end: Option<Vec3>,
    /// channels, in the order of the file
    pub channels: Vec<Channel>,
}

/// The joints of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// parents first
    pub bones: Vec<Bone>,
}

impl Skeleton {
    /// The bone of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.bones.iter().position(|b| b.name == name)
    }

    /// Children of a bone.
    pub fn children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.bones.len()).filter(move |i| self.bones[*i].parent == Some(of))
    }

    /// Positions and orientations of all joints in the world, from those relative to their parents.
    pub fn to_world(&self, rotations: &[Quat], positions: &[Vec3], poses: &mut Vec<(Vec3, Quat)>) {
        poses.clear();
        for (bone, (at, turn)) in self.bones.iter().zip(positions.iter().zip(rotations)) {
            poses.push(match bone.parent.map(|p| poses[p]) {
                None => (*at, *turn),
                Some((origin, axes)) => (origin + axes.rotate(*at), axes.then(*turn)),
            });
        }
    }
}

/// Which axis of a file points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// as in most BVH files
    #[default]
    Y,
    /// as here
    Z,
}

impl Up {
    /// Our axis (0, 1, 2: x, y, z) for an axis of a file: y up becomes z up by cyclic permutation.
    pub fn axis(self, of_file: u8) -> usize {
        match self {
            Up::Y => (usize::from(of_file) + 1) % 3,
            Up::Z => usize::from(of_file),
        }
    }
}

/// Conventions of a motion file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convention {
    /// metres in a unit of length of the file
    pub unit: f64,
    /// up axis
    pub up: Up,
}

/// A motion on its own skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// name, usually of the file
    pub name: String,
    /// skeleton
    pub skeleton: Skeleton,
    /// seconds between frames
    pub dt: f64,
    /// by frame, then by bone: orientation relative to the parent (to the world for roots)
    pub rotations: Vec<Quat>,
    /// by frame, then by bone: position of the joint in the parent's axes, m; the offset if the file has no position
    /// channels
    pub positions: Vec<Vec3>,
    /// rest pose that converters often insert as first frame, not part of the motion: rotations and positions of the bones
    pub rest: Option<(Vec<Quat>, Vec<Vec3>)>,
    /// conventions of the file
    pub convention: Convention,
    /// human-readable notes: unit, up axis, T-pose frame, oddities
    pub notes: Vec<Note>,
}

impl Recording {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.rotations.len().checked_div(self.skeleton.bones.len()).unwrap_or(0)
    }

    /// Relative orientations of all bones in a frame.
    pub fn rotations_at(&self, frame: usize) -> &[Quat] {
        let n = self.skeleton.bones.len();
        &self.rotations[frame * n..(frame + 1) * n]
    }

    /// Relative positions of all joints in a frame, in the axes of their parents.
    pub fn positions_at(&self, frame: usize) -> &[Vec3] {
        let n = self.skeleton.bones.len();
        &self.positions[frame * n..(frame + 1) * n]
    }

    /// Positions and orientations of all joints in a frame, world axes.
    pub fn world_at(&self, frame: usize, poses: &mut Vec<(Vec3, Quat)>) {
        self.skeleton.to_world(self.rotations_at(frame), self.positions_at(frame), poses);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::vec3;

    #[test]
    fn poses_follow_the_parents() {
        let bone = |name: &str, parent| Bone {
            name: name.into(),
            parent,
            offset: vec3(1.0, 0.0, 0.0),
            end: None,
            channels: Vec::new(),
        };
        let quarter = Quat::about(vec3(0.0, 0.0, 1.0), core::f64::consts::FRAC_PI_2);
        let recording = Recording {
            name: "two".into(),
            skeleton: Skeleton { bones: vec![bone("a", None), bone("b", Some(0)), bone("c", Some(1))] },
            dt: 0.01,
            rotations: vec![quarter, quarter, Quat::IDENTITY],
            positions: vec![vec3(0.0, 0.0, 1.0), vec3(1.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0)],
            rest: None,
            convention: Convention { unit: 1.0, up: Up::Z },
            notes: Vec::new(),
        };
        assert_eq!(recording.frames(), 1);
        let mut poses = Vec::new();
        recording.world_at(0, &mut poses);
        assert!((poses[2].0 - vec3(-1.0, 1.0, 1.0)).norm() < 1e-15, "{:?}", poses[2].0);
    }
}
