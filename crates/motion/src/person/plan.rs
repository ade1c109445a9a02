//! Which bones of a skeleton become links of a figure.

use super::Options;
use super::freedom::Freedom;
use super::hinge::hinge;
use super::measure::Measures;
use crate::anatomy::{Anatomy, Part, Side};
use crate::error::Error;
use crate::recording::{Recording, Skeleton};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Quat, Vec3};

/// Joints closer than this are at one place, m.
const NO_LENGTH: f64 = 1e-3;
/// Bones that turn less than this in the whole recording do not move, rad.
const STILL: f64 = 1e-4;
/// So many frames are looked at for movement.
const LOOKED_AT: usize = 300;

/// A link to be.
#[derive(Clone, Debug)]
pub struct Limb {
    /// what it is
    pub part: Part,
    /// name of the link
    pub name: String,
    /// name of its joint
    pub joint: String,
    /// bone whose joint carries it
    pub place: usize,
    /// bone with whose axes it turns
    pub turn: usize,
    /// limb it hangs on
    pub parent: Option<usize>,
    /// how it may turn against that
    pub freedom: Freedom,
}

/// Which bones become links.
#[derive(Clone, Debug)]
pub struct Plan {
    /// parents first; the pelvis is the first
    pub limbs: Vec<Limb>,
    /// limb that each bone moves with; `None` above the pelvis
    pub owner: Vec<Option<usize>>,
    /// first coordinate of each limb's joint
    pub joints: Vec<usize>,
    /// added to the places of bones: what was lost
    lift: Vec<Vec3>,
}

impl Plan {
    /// Walks from the pelvis outward.
    pub fn of(
        recording: &Recording,
        anatomy: &Anatomy,
        options: &Options,
        notes: &mut Vec<String>,
    ) -> Result<Plan, Error> {
        let skeleton = &recording.skeleton;
        let pelvis = anatomy.find(Part::Pelvis).ok_or_else(|| Error::Unsuitable {
            subject: recording.name.clone(),
            what: "no bone was recognised as the pelvis; name the parts of the body".into(),
        })?;
        let mut plan = Plan {
            limbs: Vec::new(),
            owner: vec![None; skeleton.bones.len()],
            joints: Vec::new(),
            lift: vec![Vec3::ZERO; skeleton.bones.len()],
        };
        if !options.keep_lost_thorax {
            plan.restore_thorax(skeleton, anatomy, notes);
        }
        plan.add(Part::Pelvis, pelvis, None);
        for bone in pelvis + 1..skeleton.bones.len() {
            let Some(owner) = skeleton.bones[bone].parent.and_then(|p| plan.owner[p]) else { continue };
            plan.owner[bone] = Some(owner);
            let Some(part) = anatomy.parts[bone] else { continue };
            let is_held = matches!(part, Part::Finger(_)) || (matches!(part, Part::Toes(_)) && !options.toes);
            if is_held || !plan.moves_apart(recording, bone, part, owner) {
                continue;
            }
            plan.add(part, bone, Some(owner));
        }
        plan.turn_with_the_last(anatomy);
        tell_what_is_held(recording, anatomy, &plan, notes);
        Ok(plan)
    }

    /// Places and turns of all bones in a frame, with what was lost put back.
    pub fn world(&self, recording: &Recording, frame: usize, places: &mut Vec<(Vec3, Quat)>) {
        self.world_of(
            &recording.skeleton,
            recording.rotations_at(frame),
            recording.positions_at(frame),
            places,
        );
    }

    /// The same of any pose.
    pub fn world_of(&self, skeleton: &Skeleton, turns: &[Quat], at: &[Vec3], places: &mut Vec<(Vec3, Quat)>) {
        let lifted: Vec<Vec3> = at.iter().zip(&self.lift).map(|(a, l)| *a + *l).collect();
        skeleton.world_of(turns, &lifted, places);
    }

    /// The first limb of a part.
    pub fn find(&self, part: Part) -> Option<usize> {
        self.limbs.iter().position(|l| l.part == part)
    }

    /// To the left of the person in the home pose, level, from hip to hip, else from arm to arm.
    pub fn left(&self, measures: &Measures) -> Vec3 {
        let between = |part: fn(Side) -> Part| {
            let at = |side| self.find(part(side)).map(|i| measures.home(&self.limbs[i]).translation);
            let across = at(Side::Left)? - at(Side::Right)?;
            Vec3 { z: 0.0, ..across }.normalized()
        };
        between(Part::Thigh).or_else(|| between(Part::UpperArm)).unwrap_or(Vec3 { x: 0.0, y: 1.0, z: 0.0 })
    }

    fn add(&mut self, part: Part, bone: usize, parent: Option<usize>) {
        let same = self.limbs.iter().filter(|l| l.part == part).count();
        let numbered = |name: String| if same == 0 { name } else { format!("{name}_{}", same + 1) };
        let (name, joint) = (numbered(part.to_string()), numbered(self.joint_name(part)));
        self.owner[bone] = Some(self.limbs.len());
        self.limbs.push(Limb { part, name, joint, place: bone, turn: bone, parent, freedom: Freedom::BALL });
    }

    fn joint_name(&self, part: Part) -> String {
        let has = |part: Part| self.find(part).is_some();
        let of =
            |side: Side, name: &str| format!("{}_{name}", if side == Side::Left { "left" } else { "right" });
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

    /// Whether a bone is a link of its own.
    fn moves_apart(&self, recording: &Recording, bone: usize, part: Part, owner: usize) -> bool {
        let is_first = self.find(part).is_none();
        let may_repeat = matches!(part, Part::Abdomen | Part::Chest | Part::Neck | Part::Head);
        match part {
            // below the pelvis, only connectors are pelvis
            Part::Pelvis => false,
            // a girdle that never moves is part of the chest
            Part::Shoulder(_) => is_first && moves(recording, bone) && !self.is_connector(recording, bone),
            _ if may_repeat => (is_first || moves(recording, bone)) && !self.is_connector(recording, bone),
            _ => is_first || self.limbs[owner].part != part && !self.limbs.iter().any(|l| l.part == part),
        }
    }

    /// Whether a bone only hands on to one other at the same place.
    fn is_connector(&self, recording: &Recording, bone: usize) -> bool {
        let mut children = recording.skeleton.children(bone);
        match (children.next(), children.next()) {
            (Some(child), None) => (recording.positions_at(0)[child] + self.lift[child]).norm() < NO_LENGTH,
            _ => false,
        }
    }

    /// A limb of several bones turns with the last of them.
    fn turn_with_the_last(&mut self, anatomy: &Anatomy) {
        for limb in &mut self.limbs {
            let is_chain = matches!(
                limb.part,
                Part::UpperArm(_)
                    | Part::Forearm(_)
                    | Part::Hand(_)
                    | Part::Thigh(_)
                    | Part::Shank(_)
                    | Part::Foot(_)
            );
            if let (true, Some(last)) = (is_chain, anatomy.last(limb.part)) {
                limb.turn = last;
            }
        }
    }

    /// Makes hinges of knees and elbows that are balls.
    pub fn find_hinges(&mut self, measures: &Measures, notes: &mut Vec<String>) {
        for i in 0..self.limbs.len() {
            let (limb, parent) = (&self.limbs[i], self.limbs[i].parent);
            let (Part::Shank(_) | Part::Forearm(_), Some(p), true) =
                (limb.part, parent, limb.freedom.is_ball())
            else {
                continue;
            };
            match hinge(measures, &self.limbs[p], limb) {
                Some(hinge) => self.limbs[i].freedom = hinge,
                None => notes.push(format!("{} does not turn about one axis and stays a ball", limb.joint)),
            }
        }
    }

    /// Coordinates of the figure from places and turns of the bones; `q` has those of a pose before. `turns` are those of
    /// the limbs as the figure has them: what a hinge cannot follow does not turn what hangs on it.
    pub fn pose(&self, places: &[(Vec3, Quat)], turns: &mut Vec<Quat>, q: &mut [f64]) {
        turns.clear();
        for (limb, joint) in self.limbs.iter().zip(&self.joints) {
            let turn = places[limb.turn].1;
            let Some(parent) = limb.parent else {
                q[*joint..joint + 3].copy_from_slice(&places[limb.place].0.to_array());
                q[joint + 3..joint + 7].copy_from_slice(&turn.0);
                turns.push(turn);
                continue;
            };
            let relative = turns[parent].inverse().then(turn);
            let own = &mut q[*joint..joint + limb.freedom.kind.nq()];
            limb.freedom.coordinates(relative, own);
            turns.push(if limb.freedom.is_ball() {
                turn
            } else {
                turns[parent].then(limb.freedom.turn(own))
            });
        }
    }

    /// Learns where the joints' coordinates are in the figure that was built.
    pub fn find_coordinates(&mut self, figure: &Figure) -> Result<(), Error> {
        for limb in &self.limbs {
            self.joints.push(figure.forest().joint_place(figure.find_joint(&limb.joint)?).iq);
        }
        Ok(())
    }

    /// Neck and both shoulders at the joint of the bone they hang on: the bone was lost in a conversion. It is put back
    /// with the length and direction of the bone below it.
    fn restore_thorax(&mut self, skeleton: &Skeleton, anatomy: &Anatomy, notes: &mut Vec<String>) {
        let Some(chest) = lost_thorax(skeleton, anatomy) else { return };
        let bone = skeleton.bones[chest].offset;
        for child in skeleton.children(chest) {
            self.lift[child] = bone;
        }
        notes.push(format!(
            "the thorax bone that was lost in a conversion is put back: what hangs on {} moves up by {:.1} cm, the length \
             of the bone below",
            skeleton.bones[chest].name,
            100.0 * bone.norm()
        ));
    }
}

/// The bone on which neck and shoulders hang without any length between, if there is one and it has a length itself.
fn lost_thorax(skeleton: &Skeleton, anatomy: &Anatomy) -> Option<usize> {
    let at_joint = |part: Part| {
        let bone = anatomy.find(part)?;
        (skeleton.bones[bone].offset.norm() < NO_LENGTH).then_some(skeleton.bones[bone].parent?)
    };
    let chest = at_joint(Part::Neck).or_else(|| at_joint(Part::Head))?;
    let arm = |side| at_joint(Part::Shoulder(side)).or_else(|| at_joint(Part::UpperArm(side)));
    let all = arm(Side::Left) == Some(chest) && arm(Side::Right) == Some(chest);
    (all && skeleton.bones[chest].offset.norm() > NO_LENGTH).then_some(chest)
}

fn moves(recording: &Recording, bone: usize) -> bool {
    let (n, frames) = (recording.skeleton.bones.len(), recording.frames());
    let step = (frames / LOOKED_AT).max(1);
    let first = recording.rotations[bone].inverse();
    (0..frames).step_by(step).any(|f| first.then(recording.rotations[f * n + bone]).log().norm() > STILL)
}

/// Moving bones that are no link of their own.
fn tell_what_is_held(recording: &Recording, anatomy: &Anatomy, plan: &Plan, notes: &mut Vec<String>) {
    let is_link = |bone: usize| plan.limbs.iter().any(|l| l.place == bone || l.turn == bone);
    let held = |bone: &usize| plan.owner[*bone].is_some() && !is_link(*bone) && moves(recording, *bone);
    let name = |bone: usize| recording.skeleton.bones[bone].name.as_str();
    let (known, strange): (Vec<usize>, Vec<usize>) =
        (0..plan.owner.len()).filter(held).partition(|b| anatomy.parts[*b].is_some());
    for (bones, what) in [
        (known, "held to the bone above in the figure, though they move"),
        (strange, "no part of a body, so they are left out though they move"),
    ] {
        if !bones.is_empty() {
            let names: Vec<&str> = bones.into_iter().map(name).collect();
            notes.push(format!("{what}: {}", names.join(", ")));
        }
    }
}
