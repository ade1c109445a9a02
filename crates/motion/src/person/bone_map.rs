//! Mapping from the bones of a skeleton to the links of a figure.

use super::Options;
use super::limb_joint::{LimbJoint, hinge};
use super::measure::Measures;
use crate::anatomy::{Anatomy, Part, Side, left_axis};
use crate::assumption::Assumption;
use crate::error::Error;
use crate::note::Note;
use crate::recording::{Recording, Skeleton};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Quat, Vec3};

/// Joints closer than this coincide, m.
const COINCIDENT: f64 = 1e-3;
/// Bones that rotate less than this in the whole recording do not move, rad.
const MIN_ROTATION: f64 = 1e-4;
/// Frames searched for movement.
const SAMPLES: usize = 300;

/// A future link.
#[derive(Clone, Debug)]
pub struct Limb {
    /// body part
    pub part: Part,
    /// name of the link
    pub name: String,
    /// name of its joint
    pub joint: String,
    /// bone at its joint
    pub joint_bone: usize,
    /// bone that gives its orientation
    pub orientation_bone: usize,
    /// parent limb
    pub parent: Option<usize>,
    /// its joint on the parent
    pub model: LimbJoint,
}

/// Mapping from bones to links.
#[derive(Clone, Debug)]
pub struct BoneMap {
    /// parents first; the pelvis is the first
    pub limbs: Vec<Limb>,
    /// by bone: the limb it moves with; `None` above the pelvis
    pub owner: Vec<Option<usize>>,
    /// first coordinate of each limb's joint
    pub joints: Vec<usize>,
    /// restored offsets of bones
    lift: Vec<Vec3>,
}

impl BoneMap {
    /// Builds the map from the pelvis outward.
    pub fn new(
        recording: &Recording,
        anatomy: &Anatomy,
        options: &Options,
        notes: &mut Vec<Note>,
    ) -> Result<BoneMap, Error> {
        let skeleton = &recording.skeleton;
        let what = "no bone was recognised as the pelvis; assign the body parts";
        let pelvis = anatomy.find(Part::Pelvis).ok_or_else(|| Error::unsuitable(&recording.name, what))?;
        let mut map = BoneMap {
            limbs: Vec::new(),
            owner: vec![None; skeleton.bones.len()],
            joints: Vec::new(),
            lift: vec![Vec3::ZERO; skeleton.bones.len()],
        };
        if !options.keep_lost_thorax {
            map.restore_thorax(skeleton, anatomy, notes);
        }
        map.add(Part::Pelvis, pelvis, None);
        for bone in pelvis + 1..skeleton.bones.len() {
            let Some(owner) = skeleton.bones[bone].parent.and_then(|p| map.owner[p]) else { continue };
            map.owner[bone] = Some(owner);
            let Some(part) = anatomy.parts[bone] else { continue };
            let is_held = matches!(part, Part::Finger(_)) || (matches!(part, Part::Toes(_)) && !options.toes);
            if is_held || !map.moves_apart(recording, bone, part) {
                continue;
            }
            map.add(part, bone, Some(owner));
        }
        map.orient_by_last_bone(anatomy);
        note_merged_bones(recording, anatomy, &map, notes);
        Ok(map)
    }

    /// Positions and orientations of all bones in a frame, with lost offsets restored.
    pub fn world(&self, recording: &Recording, frame: usize, poses: &mut Vec<(Vec3, Quat)>) {
        self.to_world(
            &recording.skeleton,
            recording.rotations_at(frame),
            recording.positions_at(frame),
            poses,
        );
    }

    /// The same for any pose.
    pub fn to_world(&self, skeleton: &Skeleton, turns: &[Quat], at: &[Vec3], poses: &mut Vec<(Vec3, Quat)>) {
        let lifted: Vec<Vec3> = at.iter().zip(&self.lift).map(|(a, l)| *a + *l).collect();
        skeleton.to_world(turns, &lifted, poses);
    }

    /// The first limb of a part.
    pub fn find(&self, part: Part) -> Option<usize> {
        self.limbs.iter().position(|l| l.part == part)
    }

    /// Horizontal direction to the left in the home pose.
    pub fn left(&self, measures: &Measures) -> Vec3 {
        left_axis(|part| self.find(part).map(|i| measures.home(&self.limbs[i]).translation))
    }

    fn add(&mut self, part: Part, bone: usize, parent: Option<usize>) {
        let same = self.limbs.iter().filter(|l| l.part == part).count();
        let numbered = |name: String| if same == 0 { name } else { format!("{name}_{}", same + 1) };
        let (name, joint) = (numbered(part.to_string()), numbered(self.joint_name(part)));
        self.owner[bone] = Some(self.limbs.len());
        self.limbs.push(Limb {
            part,
            name,
            joint,
            joint_bone: bone,
            orientation_bone: bone,
            parent,
            model: LimbJoint::BALL,
        });
    }

    fn joint_name(&self, part: Part) -> String {
        let has = |part: Part| self.find(part).is_some();
        let of = |side: Side, name: &str| format!("{side}_{name}");
        match part {
            Part::Pelvis => "root".into(),
            Part::Abdomen => "waist".into(),
            Part::Chest => if has(Part::Abdomen) { "spine" } else { "waist" }.into(),
            Part::Neck => "neck".into(),
            Part::Head => if has(Part::Neck) { "head" } else { "neck" }.into(),
            Part::Shoulder(s) => of(s, "clavicle"),
            Part::UpperArm(s) => of(s, "shoulder"),
            Part::Forearm(s) => of(s, "elbow"),
            Part::Hand(s) => of(s, "wrist"),
            Part::Finger(s) => of(s, "fingers"),
            Part::Thigh(s) => of(s, "hip"),
            Part::Shank(s) => of(s, "knee"),
            Part::Foot(s) => of(s, "ankle"),
            Part::Toes(s) => of(s, "toes"),
        }
    }

    /// Whether a bone becomes a link of its own.
    fn moves_apart(&self, recording: &Recording, bone: usize, part: Part) -> bool {
        let is_first = self.find(part).is_none();
        match part {
            // further pelvis bones are connectors
            Part::Pelvis => false,
            // a shoulder girdle that never moves is part of the chest
            Part::Shoulder(_) => is_first && moves(recording, bone) && !self.is_connector(recording, bone),
            Part::Abdomen | Part::Chest | Part::Neck | Part::Head => {
                (is_first || moves(recording, bone)) && !self.is_connector(recording, bone)
            }
            _ => is_first,
        }
    }

    /// Whether a bone only connects to one child at the same position.
    fn is_connector(&self, recording: &Recording, bone: usize) -> bool {
        let mut children = recording.skeleton.children(bone);
        match (children.next(), children.next()) {
            (Some(child), None) => (recording.positions_at(0)[child] + self.lift[child]).norm() < COINCIDENT,
            _ => false,
        }
    }

    /// A limb of several bones takes the orientation of the last.
    fn orient_by_last_bone(&mut self, anatomy: &Anatomy) {
        use Part::*;
        for limb in &mut self.limbs {
            if let UpperArm(_) | Forearm(_) | Hand(_) | Thigh(_) | Shank(_) | Foot(_) = limb.part {
                limb.orientation_bone = anatomy.last(limb.part).unwrap_or(limb.orientation_bone);
            }
        }
    }

    /// Fits hinges to knees and elbows with ball joints.
    pub fn fit_hinges(&mut self, measures: &Measures, notes: &mut Vec<Note>) {
        let mut fitted = Vec::new();
        for i in 0..self.limbs.len() {
            let (limb, parent) = (&self.limbs[i], self.limbs[i].parent);
            let (Part::Shank(_) | Part::Forearm(_), Some(p), true) =
                (limb.part, parent, limb.model.is_ball())
            else {
                continue;
            };
            match hinge(measures, &self.limbs[p], limb) {
                Some(hinge) => {
                    fitted.push(limb.joint.clone());
                    self.limbs[i].model = hinge;
                }
                None => notes.push(
                    format!("{} does not rotate about one axis and stays a ball joint", limb.joint).into(),
                ),
            }
        }
        if !fitted.is_empty() {
            let what = "hinges fitted to the motion, which lose other rotations";
            notes.push(Note::from(format!("{what}: {}", fitted.join(", "))).assuming(Assumption::Hinges));
        }
    }

    /// Coordinates of the figure from poses of the bones; `q` holds those of the previous pose. `turns` are the
    /// orientations of the figure's limbs: rotation lost at a hinge does not rotate the child.
    pub fn pose(&self, poses: &[(Vec3, Quat)], turns: &mut Vec<Quat>, q: &mut [f64]) {
        turns.clear();
        for (limb, joint) in self.limbs.iter().zip(&self.joints) {
            let turn = poses[limb.orientation_bone].1;
            let Some(parent) = limb.parent else {
                q[*joint..joint + 3].copy_from_slice(&poses[limb.joint_bone].0.to_array());
                q[joint + 3..joint + 7].copy_from_slice(&turn.0);
                turns.push(turn);
                continue;
            };
            let relative = turns[parent].inverse().then(turn);
            let own = &mut q[*joint..joint + limb.model.kind.nq()];
            limb.model.coordinates(relative, own);
            turns.push(if limb.model.is_ball() { turn } else { turns[parent].then(limb.model.turn(own)) });
        }
    }

    /// Looks up the coordinates of the joints in the built figure.
    pub fn find_coordinates(&mut self, figure: &Figure) -> Result<(), Error> {
        for limb in &self.limbs {
            self.joints.push(figure.forest().joint_place(figure.find_joint(&limb.joint)?).iq);
        }
        Ok(())
    }

    /// Restores a thorax lost in a conversion, with the offset of the bone below: neck and both shoulders coincide with
    /// the joint of their parent.
    fn restore_thorax(&mut self, skeleton: &Skeleton, anatomy: &Anatomy, notes: &mut Vec<Note>) {
        let Some(chest) = lost_thorax(skeleton, anatomy) else { return };
        let bone = skeleton.bones[chest].offset;
        for child in skeleton.children(chest) {
            self.lift[child] = bone;
        }
        notes.push(
            Note::warning(format!(
            "restored the thorax bone lost in a conversion: the children of {} move up by {:.1} cm, the length of the bone \
             below",
            skeleton.bones[chest].name,
            100.0 * bone.norm()
        ))
        .assuming(Assumption::LostBone));
    }
}

/// The bone, of nonzero length, whose joint coincides with neck and shoulders, if any.
fn lost_thorax(skeleton: &Skeleton, anatomy: &Anatomy) -> Option<usize> {
    let at_joint = |part: Part| {
        let bone = anatomy.find(part)?;
        (skeleton.bones[bone].offset.norm() < COINCIDENT).then_some(skeleton.bones[bone].parent?)
    };
    let chest = at_joint(Part::Neck).or_else(|| at_joint(Part::Head))?;
    let arm = |side| at_joint(Part::Shoulder(side)).or_else(|| at_joint(Part::UpperArm(side)));
    let all = arm(Side::Left) == Some(chest) && arm(Side::Right) == Some(chest);
    (all && skeleton.bones[chest].offset.norm() > COINCIDENT).then_some(chest)
}

fn moves(recording: &Recording, bone: usize) -> bool {
    let (n, frames) = (recording.skeleton.bones.len(), recording.frames());
    let step = (frames / SAMPLES).max(1);
    let first = recording.rotations[bone].inverse();
    (0..frames)
        .step_by(step)
        .any(|f| first.then(recording.rotations[f * n + bone]).log().norm() > MIN_ROTATION)
}

/// Notes moving bones that are no link of their own.
fn note_merged_bones(recording: &Recording, anatomy: &Anatomy, map: &BoneMap, notes: &mut Vec<Note>) {
    let is_link = |bone: usize| map.limbs.iter().any(|l| l.joint_bone == bone || l.orientation_bone == bone);
    let held = |bone: &usize| map.owner[*bone].is_some() && !is_link(*bone) && moves(recording, *bone);
    let name = |bone: usize| recording.skeleton.bones[bone].name.as_str();
    let (known, strange): (Vec<usize>, Vec<usize>) =
        (0..map.owner.len()).filter(held).partition(|b| anatomy.parts[*b].is_some());
    for (bones, what) in [
        (known, "moving bones fixed to their parent in the figure"),
        (strange, "moving bones ignored, since they are no body part"),
    ] {
        if !bones.is_empty() {
            let names: Vec<&str> = bones.into_iter().map(name).collect();
            notes.push(format!("{what}: {}", names.join(", ")).into());
        }
    }
}
