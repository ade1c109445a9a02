//! How a limb may turn on the one it hangs on: as a ball, or only as the channels of its file can say.
//!
//! A joint of a file with one rotation is a hinge about that axis, with two a universal joint, with none it is stiff:
//! what the figure does there can be written back. Three rotations say every turn and leave a ball.

use super::measure::Measures;
use super::plan::{Limb, Plan};
use crate::pose;
use crate::recording::{Channel, Recording};
use anthropi_dynamics::joint::{JointKind, MAX_NQ};
use anthropi_dynamics::spatial::{Axis, Quat};

/// Turns that differ by less than this are the same, rad.
const SAME: f64 = 1e-6;

/// How a limb turns against its parent: by `reference`, then as the joint does.
#[derive(Clone, Copy, Debug)]
pub struct Freedom {
    /// turn at coordinates zero
    pub reference: Quat,
    /// axes are those of the limb
    pub kind: JointKind,
}

impl Freedom {
    /// Every turn.
    pub const BALL: Freedom = Freedom { reference: Quat::IDENTITY, kind: JointKind::Spherical };

    /// Of the channels between a limb and its parent; a ball where they say every turn, where more than one bone turns, or
    /// where the recording turns otherwise.
    pub fn of_channels(recording: &Recording, measures: &Measures, parent: &Limb, limb: &Limb) -> Freedom {
        let bones = &recording.skeleton.bones;
        let way: Vec<usize> = std::iter::successors(Some(limb.turn), |bone| bones[*bone].parent)
            .take_while(|bone| *bone != parent.turn)
            .collect();
        let hangs_on_parent = way.last().is_some_and(|top| bones[*top].parent == Some(parent.turn));
        let axes = |bone: usize| {
            bones[bone].channels.iter().filter_map(|c| match c {
                Channel::Rotation(axis) => Some(recording.convention.up.axis(*axis)),
                Channel::Position(_) => None,
            })
        };
        let turning: Vec<Vec<usize>> =
            way.iter().map(|bone| axes(*bone).collect()).filter(|a: &Vec<usize>| !a.is_empty()).collect();
        let unit = |axis: usize| [Axis::X, Axis::Y, Axis::Z][axis].unit();
        let kind = match turning.as_slice() {
            [] => JointKind::Fixed,
            [one] => match one[..] {
                [axis] => JointKind::Revolute { axis: unit(axis) },
                [a, b] if a != b => JointKind::Universal { first: unit(a), second: unit(b) },
                _ => return Freedom::BALL,
            },
            _ => return Freedom::BALL,
        };
        let reference = match kind {
            JointKind::Fixed => measures.turns(parent, limb).next().unwrap_or(Quat::IDENTITY),
            _ => Quat::IDENTITY,
        };
        let found = Freedom { reference, kind };
        let follows = |turn: Quat| {
            let mut q = [0.0; MAX_NQ];
            found.coordinates(turn, &mut q);
            found.turn(&q).inverse().then(turn).log().norm() < SAME
        };
        if hangs_on_parent && measures.turns(parent, limb).all(follows) { found } else { Freedom::BALL }
    }

    /// Whether it says every turn.
    pub fn is_ball(&self) -> bool {
        self.kind == JointKind::Spherical
    }

    /// Coordinates that come nearest to a turn against the parent; those in `q` tell which of angles that are the same.
    pub fn coordinates(&self, turn: Quat, q: &mut [f64]) {
        let turn = if self.is_ball() { turn } else { self.reference.inverse().then(turn) };
        pose::turned(&self.kind, turn, q);
    }

    /// The turn of coordinates, against the parent.
    pub fn turn(&self, q: &[f64]) -> Quat {
        self.reference.then(self.kind.transform(q).orientation())
    }
}

impl Plan {
    /// Lets limbs turn only as the channels of the recording can say, and tells which ones.
    pub fn find_freedoms(&mut self, recording: &Recording, measures: &Measures, notes: &mut Vec<String>) {
        let mut told: [Vec<String>; 3] = Default::default();
        for i in 0..self.limbs.len() {
            let Some(p) = self.limbs[i].parent else { continue };
            let freedom = Freedom::of_channels(recording, measures, &self.limbs[p], &self.limbs[i]);
            if !freedom.is_ball() {
                told[freedom.kind.nv()].push(self.limbs[i].joint.clone());
            }
            self.limbs[i].freedom = freedom;
        }
        for (joints, what) in told.iter().zip(["do not turn", "turn about one axis", "turn about two axes"]) {
            if !joints.is_empty() {
                notes.push(format!("{what}, as the channels of the file say: {}", joints.join(", ")));
            }
        }
    }
}
