//! A captured or keyed motion on its own skeleton, as motion files hold it.
//!
//! Lengths in metres, z up, angles in radians: readers convert and say so in `notes`. How the file wrote it (channels,
//! unit, up axis) is kept beside it so that it can be written back.

use anthropi_dynamics::spatial::{Quat, Vec3};

/// One number of a frame in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// place along an axis (0, 1, 2) of the file
    Position(u8),
    /// turn about an axis (0, 1, 2) of the file
    Rotation(u8),
}

/// A joint of a skeleton and the bone that follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// its name in the file
    pub name: String,
    /// the bone it hangs on; `None` for roots. Parents come first
    pub parent: Option<usize>,
    /// from the parent's joint to this one at rest, in the parent's axes, m
    pub offset: Vec3,
    /// where the bone ends if nothing hangs there, in its own axes, m
    pub end: Option<Vec3>,
    /// numbers of a frame, in the order of the file
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

    /// Bones that hang on a bone.
    pub fn children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.bones.len()).filter(move |i| self.bones[*i].parent == Some(of))
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
    /// Our axis (0, 1, 2: x, y, z) that an axis of a file becomes: y up is z up with the axes in turn.
    pub fn axis(self, of_file: u8) -> usize {
        match self {
            Up::Y => (usize::from(of_file) + 1) % 3,
            Up::Z => usize::from(of_file),
        }
    }
}

/// How a file wrote a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convention {
    /// metres in a unit of length of the file
    pub unit: f64,
    /// which axis points up
    pub up: Up,
}

/// A motion on its own skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// its name: of the file, mostly
    pub name: String,
    /// its joints
    pub skeleton: Skeleton,
    /// seconds between frames
    pub dt: f64,
    /// by frame, then by bone: turn of the bone against its parent (against the world for roots)
    pub rotations: Vec<Quat>,
    /// by frame, then by bone: place of the bone's joint in the parent's axes, m; the offset where the file has no
    /// position channels
    pub positions: Vec<Vec3>,
    /// a first frame that is not part of the motion, as many converters add: turns and places of each bone
    pub rest: Option<(Vec<Quat>, Vec<Vec3>)>,
    /// how the file wrote it
    pub convention: Convention,
    /// what was found and decided, a sentence each: unit and why, up axis and why, T-pose frame, oddities
    pub notes: Vec<String>,
}

impl Recording {
    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.rotations.len().checked_div(self.skeleton.bones.len()).unwrap_or(0)
    }

    /// Turns of all bones in a frame.
    pub fn rotations_at(&self, frame: usize) -> &[Quat] {
        let n = self.skeleton.bones.len();
        &self.rotations[frame * n..(frame + 1) * n]
    }

    /// Places of all joints in a frame, in the axes of their parents.
    pub fn positions_at(&self, frame: usize) -> &[Vec3] {
        let n = self.skeleton.bones.len();
        &self.positions[frame * n..(frame + 1) * n]
    }

    /// Places and turns of all joints in a frame, world axes.
    pub fn world_at(&self, frame: usize, places: &mut Vec<(Vec3, Quat)>) {
        self.skeleton.world_of(self.rotations_at(frame), self.positions_at(frame), places);
    }
}

impl Skeleton {
    /// Places and turns of all joints in the world, from those against their parents.
    pub fn world_of(&self, rotations: &[Quat], positions: &[Vec3], places: &mut Vec<(Vec3, Quat)>) {
        places.clear();
        for (bone, (at, turn)) in
            self.bones.iter().zip(positions.iter().copied().zip(rotations.iter().copied()))
        {
            let placed = match bone.parent {
                None => (at, turn),
                Some(p) => {
                    let (origin, axes) = places[p];
                    (origin + axes.rotate(at), axes.then(turn))
                }
            };
            places.push(placed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::vec3;

    #[test]
    fn places_follow_the_parents() {
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
        let mut places = Vec::new();
        recording.world_at(0, &mut places);
        assert!((places[2].0 - vec3(-1.0, 1.0, 1.0)).norm() < 1e-15, "{:?}", places[2].0);
    }
}
