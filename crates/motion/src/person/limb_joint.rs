//! Joint of a limb on its parent: a ball joint, a joint with the channels of the file, or a fitted hinge.
//!
//! A bone with one rotation channel is a hinge about that axis, with two a universal joint, without any it is fixed:
//! its motion can be written back to the file. Three channels give a ball joint. A fitted hinge has the axis of most
//! rotation.

use super::bone_map::{BoneMap, Limb};
use super::measure::Measures;
use crate::note::Note;
use crate::pose;
use crate::recording::{Channel, Recording};
use anthropi_dynamics::joint::{JointKind, MAX_NQ};
use anthropi_dynamics::spatial::{Axis, Quat, Sym3, Vec3, vec3};

/// Largest deviation of the recording from its channels, rad.
const CHANNEL_TOLERANCE: f64 = 1e-6;

/// A hinge axis needs this fraction of the rotation, and this much rotation (RMS, rad).
const MIN_HINGE_SHARE: f64 = 0.6;
const MIN_HINGE_ROTATION: f64 = 0.05;

/// Joint of a limb on its parent.
#[derive(Clone, Copy, Debug)]
pub struct LimbJoint {
    /// rotation at zero coordinates
    pub reference: Quat,
    /// joint type, in the axes of the limb
    pub kind: JointKind,
}

impl LimbJoint {
    /// A ball joint.
    pub const BALL: LimbJoint = LimbJoint { reference: Quat::IDENTITY, kind: JointKind::Spherical };

    /// The joint of the channels between a limb and its parent; a ball joint if more than one bone rotates or the
    /// recording deviates from the channels.
    pub fn from_channels(
        recording: &Recording,
        measures: &Measures,
        parent: &Limb,
        limb: &Limb,
    ) -> LimbJoint {
        let bones = &recording.skeleton.bones;
        let chain: Vec<usize> =
            std::iter::successors(Some(limb.orientation_bone), |bone| bones[*bone].parent)
                .take_while(|bone| *bone != parent.orientation_bone)
                .collect();
        let hangs_on_parent =
            chain.last().is_some_and(|top| bones[*top].parent == Some(parent.orientation_bone));
        let axes = |bone: usize| {
            bones[bone].channels.iter().filter_map(|c| match c {
                Channel::Rotation(axis) => Some(recording.convention.up.axis(*axis)),
                Channel::Position(_) => None,
            })
        };
        let turning: Vec<Vec<usize>> =
            chain.iter().map(|bone| axes(*bone).collect()).filter(|a: &Vec<usize>| !a.is_empty()).collect();
        let unit = |axis: usize| [Axis::X, Axis::Y, Axis::Z][axis].unit();
        let kind = match turning.as_slice() {
            [] => JointKind::Fixed,
            [one] => match one[..] {
                [axis] => JointKind::Revolute { axis: unit(axis) },
                [a, b] if a != b => JointKind::Universal { first: unit(a), second: unit(b) },
                _ => return LimbJoint::BALL,
            },
            _ => return LimbJoint::BALL,
        };
        let reference = match kind {
            JointKind::Fixed => measures.turns(parent, limb).next().unwrap_or(Quat::IDENTITY),
            _ => Quat::IDENTITY,
        };
        let found = LimbJoint { reference, kind };
        let follows = |turn: Quat| {
            let mut q = [0.0; MAX_NQ];
            found.coordinates(turn, &mut q);
            found.turn(&q).inverse().then(turn).log().norm() < CHANNEL_TOLERANCE
        };
        if hangs_on_parent && measures.turns(parent, limb).all(follows) { found } else { LimbJoint::BALL }
    }

    /// Whether it is a ball joint.
    pub fn is_ball(&self) -> bool {
        self.kind == JointKind::Spherical
    }

    /// Coordinates closest to a rotation relative to the parent; `q` selects among equivalent angles.
    pub fn coordinates(&self, turn: Quat, q: &mut [f64]) {
        let turn = if self.is_ball() { turn } else { self.reference.inverse().then(turn) };
        pose::set_rotation(&self.kind, turn, q);
    }

    /// Rotation relative to the parent.
    pub fn turn(&self, q: &[f64]) -> Quat {
        self.reference.then(self.kind.transform(q).orientation())
    }
}

impl BoneMap {
    /// Limits joints to the rotations that the channels of the recording can express, and notes which.
    pub fn restrict_joints(&mut self, recording: &Recording, measures: &Measures, notes: &mut Vec<Note>) {
        let mut by_dofs: [Vec<String>; 3] = Default::default();
        for i in 0..self.limbs.len() {
            let Some(p) = self.limbs[i].parent else { continue };
            let model = LimbJoint::from_channels(recording, measures, &self.limbs[p], &self.limbs[i]);
            if !model.is_ball() {
                by_dofs[model.kind.nv()].push(self.limbs[i].joint.clone());
            }
            self.limbs[i].model = model;
        }
        for (joints, what) in by_dofs.iter().zip(["fixed", "hinges", "universal joints"]) {
            if !joints.is_empty() {
                notes.push(format!("{what} by the channels of the file: {}", joints.join(", ")).into());
            }
        }
    }
}

/// A hinge fitted to the recording; `None` without a dominant axis.
pub fn hinge(measures: &Measures, parent: &Limb, limb: &Limb) -> Option<LimbJoint> {
    let turns: Vec<Quat> = measures.turns(parent, limb).collect();
    let reference = mean(&turns)?;
    let rotations = turns.iter().map(|t| reference.inverse().then(*t).log());
    let spread = rotations.fold(Sym3::diagonal(Vec3::ZERO), |sum, u| sum + outer(u));
    let (values, axes) = spread.eigen();
    let total: f64 = values.iter().sum();
    let main = (0..3).max_by(|a, b| values[*a].total_cmp(&values[*b]))?;
    let is_hinge =
        values[main] > MIN_HINGE_SHARE * total && (total / turns.len() as f64).sqrt() > MIN_HINGE_ROTATION;
    let axis = [axes.x, axes.y, axes.z][main];
    is_hinge.then_some(LimbJoint { reference, kind: JointKind::Revolute { axis } })
}

/// Mean of similar rotations.
fn mean(turns: &[Quat]) -> Option<Quat> {
    let first = turns.first()?;
    let mut sum = [0.0; 4];
    for t in turns {
        let sign = if t.0.iter().zip(first.0).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        sum.iter_mut().zip(t.0).for_each(|(s, c)| *s += sign * c);
    }
    Some(Quat(sum).normalized())
}

/// u u^T.
fn outer(u: Vec3) -> Sym3 {
    // |u|^2 1 - u u^T is the second moment of a point; the trace gives the rest
    let m = Sym3::of_point(1.0, u);
    let all = u.dot(u);
    Sym3::diagonal(vec3(all, all, all)) + m.scaled(-1.0)
}
