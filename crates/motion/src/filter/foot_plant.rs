//! Foot-plant clean-up: no foot slides, floats or penetrates while in contact.
//!
//! Computes, in this order:
//! 1. footprints (`sole`): mean heel and toe positions of a stance, as a rigid sole on the ground;
//! 2. paths of soles and hands (`path`): exactly on their prints while in contact, blended into the motion in the air;
//! 3. a smooth shift of the root that brings stances to the ground and prints within reach (`root_shift`); then 2 again;
//! 4. poses with these soles (`posture_ik`).
//!
//! Source: our own; mean footprints and whole-body inverse kinematics are common for footskate clean-up.
//! Not here: whether the contacts can carry the motion (`momentum_plan`).
//! Checked by: `tests/it/foot_plant.rs`.

mod limb;
mod path;
mod posture_ik;
mod root_shift;
mod smoothing;
mod sole;

use super::momentum_plan::LegSpan;
use crate::clip::Clip;
use crate::contact_schedule::{ContactSchedule, Track};
use crate::note::Note;
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointHandle};
use anthropi_dynamics::spatial::{Motion, Vec3, vec3};
use limb::LimbChain;
use path::{Hand, PathContext};
use posture_ik::{Goal, PostureIk};
use root_shift::RootConstraints;
use sole::{Foot, SoleContact, SolePose};
use std::sync::Arc;

/// Rounds of foot paths and root shift.
const ROUNDS: usize = 2;
/// Stiffness of root translation, 1/m2, root rotation, 1/rad2, and joints outside the limbs, 1/rad2: in general, and with a
/// target for the centre of mass.
const STIFFNESS: [f64; 3] = [80.0, 80.0, 1.0];
const STIFFNESS_WITH_COM: [f64; 3] = [5.0, 20.0, 5.0];
/// Reach of a limb up to which the root stays where it is, parts of its length, and up to which feet and hands meet their
/// paths: a leg that is too short lifts its foot a little.
const MAX_REACH: f64 = 0.998;
const GOAL_REACH: f64 = 0.997;
/// Limbs farther than this from the end of their reach, m, do not constrain the root.
const REACH_MARGIN: f64 = 0.08;

/// A motion after foot-plant clean-up.
#[derive(Clone, Debug)]
pub struct FootPlant {
    /// the motion
    pub clip: Clip,
    /// contact schedule: intervals of the input, positions of the result
    pub schedule: ContactSchedule,
    /// human-readable notes and warnings
    pub notes: Vec<Note>,
    planted: Option<PlantedLimbs>,
}

impl FootPlant {
    /// Plants the feet of a motion on its ground.
    pub fn new(trajectory: &Trajectory, schedule: &ContactSchedule) -> FootPlant {
        let clip = &trajectory.clip;
        let planted = PlantedLimbs::new(clip, schedule);
        let mut foot_plant =
            FootPlant { clip: clip.clone(), schedule: schedule.clone(), notes: Vec::new(), planted };
        let Some(planted) = &foot_plant.planted else {
            foot_plant.notes.push(Note::warning("no foot touches the ground: foot-plant clean-up skipped"));
            return foot_plant;
        };
        let given: Vec<Vec<f64>> = (0..clip.frames()).map(|f| clip.pose(f).to_vec()).collect();
        let poses = planted.solve_poses(&planted.with_root_shift(&given, MAX_REACH, true), None);
        foot_plant.set_poses(clip, &poses);
        foot_plant
    }

    /// Replaces the poses, if they are finite.
    pub(crate) fn set_poses(&mut self, clip: &Clip, poses: &[Vec<f64>]) {
        match Clip::new(clip.name.clone(), clip.figure().clone(), clip.dt(), poses.concat()) {
            Ok(found) => self.clip = found.starting_at(clip.start()),
            Err(_) => {
                self.notes.push(Note::warning("foot-plant clean-up failed: motion left unchanged"));
                return;
            }
        }
        self.schedule.tracks = tracks(&self.clip, &self.schedule);
        self.schedule.ground.spread = 0.0;
    }

    pub(crate) fn planted(&self) -> Option<&PlantedLimbs> {
        self.planted.as_ref()
    }
}

/// Tracks of the contact points in another motion; speeds are relative to the ground.
fn tracks(clip: &Clip, schedule: &ContactSchedule) -> Vec<Track> {
    let mut tracks = Track::all(&Trajectory::from_clip(clip, None), &schedule.points);
    for track in &mut tracks {
        for (velocity, speed) in track.velocity.iter_mut().zip(&mut track.speed) {
            *velocity -= schedule.ground.velocity;
            *speed = velocity.norm();
        }
    }
    tracks
}

/// Feet and hands with their contact positions.
#[derive(Clone, Debug)]
pub(crate) struct PlantedLimbs {
    context: PathContext,
    root: JointHandle,
    figure: Arc<Figure>,
    feet: Vec<Foot>,
    hands: Vec<Hand>,
    /// of the feet, then of the hands
    limbs: Vec<Option<LimbChain>>,
}

impl PlantedLimbs {
    fn new(clip: &Clip, schedule: &ContactSchedule) -> Option<PlantedLimbs> {
        let figure = clip.figure().clone();
        let root = figure.joints().find(|(_, j)| j.kind == JointKind::Free).map(|(h, _)| h)?;
        let context = PathContext { ground: schedule.ground, dt: clip.dt() };
        let feet = Foot::all(schedule, clip.dt());
        let hands = Hand::all(schedule, &context);
        let touches_ground = !hands.is_empty() || feet.iter().any(|f| !f.stances.is_empty());
        let mut planted = PlantedLimbs { context, root, figure, feet, hands, limbs: Vec::new() };
        planted.limbs = planted.limbs(clip);
        touches_ground.then_some(planted)
    }

    /// First coordinate of the root.
    pub fn root(&self) -> usize {
        self.figure.forest().joint_place(self.root).iq
    }

    /// Poses near the postures with feet and hands on their paths, and optionally given centres of mass.
    pub fn solve_poses(&self, postures: &[Vec<f64>], centers: Option<&[Vec3]>) -> Vec<Vec<f64>> {
        let mut ik = self.posture_ik(centers.is_some());
        let raw: Vec<Vec<SolePose>> = postures.iter().map(|q| ik.goal_poses(q)).collect();
        let mut targets = self.targets(&raw);
        for (targets, center) in targets.iter_mut().zip(centers.unwrap_or(&[])) {
            targets.last_mut().into_iter().for_each(|t| t.position = *center);
        }
        let mut poses: Vec<Vec<f64>> = Vec::with_capacity(postures.len());
        let mut kinematics = Kinematics::default();
        let mut columns = vec![Motion::default(); self.figure.forest().nv()];
        for (posture, targets) in postures.iter().zip(&targets) {
            let mut near = posture.clone();
            for limb in self.limbs.iter().flatten() {
                limb.bend(&self.figure, &mut kinematics, &mut columns, &mut near);
            }
            kinematics.update(self.figure.forest(), &near, None, None);
            let mut targets = targets.clone();
            for (limb, goal) in self.limbs.iter().zip(&mut targets) {
                limb.iter().for_each(|limb| limb.bring_within_reach(&kinematics, GOAL_REACH, goal));
            }
            let mut q = near.clone();
            ik.solve(&near, &targets, &mut q);
            poses.push(q);
        }
        let forest = self.figure.forest();
        let iv = forest.joint_place(self.root).iv;
        smoothing::smooth(forest, iv..iv + 6, self.context.dt, postures, &mut poses);
        poses
    }

    fn posture_ik(&self, has_com_target: bool) -> PostureIk {
        let soles = self.feet.iter().map(|f| Goal::Sole(f.link, f.link_from_sole));
        let points = self.hands.iter().map(|h| Goal::Point(h.link, h.point));
        let mut goals: Vec<Goal> = soles.chain(points).collect();
        goals.extend(has_com_target.then_some(Goal::CenterOfMass));
        let stiffness = if has_com_target { STIFFNESS_WITH_COM } else { STIFFNESS };
        let mut ik = PostureIk::new(self.figure.clone(), self.root, goals, stiffness);
        let links = self.feet.iter().map(|f| f.link).chain(self.hands.iter().map(|h| h.link));
        for (k, link) in links.enumerate() {
            ik.make_soft(link, self.limbs.get(k).and_then(|l| l.as_ref().map(|l| l.top)));
        }
        let hinges = self.limbs.iter().flatten().filter_map(|l| l.hinge(&self.figure));
        hinges.for_each(|(iv, axis)| ik.make_hinge(iv, axis));
        ik
    }

    /// Paths of all goals, by frame, near those of the postures.
    fn targets(&self, raw: &[Vec<SolePose>]) -> Vec<Vec<SolePose>> {
        let mut targets = raw.to_vec();
        for (k, foot) in self.feet.iter().enumerate() {
            let poses: Vec<SolePose> = raw.iter().map(|g| g[k]).collect();
            let path = foot.path(&self.context, &poses);
            targets.iter_mut().zip(path).for_each(|(t, p)| t[k] = p);
        }
        for (k, hand) in (self.feet.len()..).zip(&self.hands) {
            let points: Vec<Vec3> = raw.iter().map(|g| g[k].position).collect();
            let path = hand.path(&self.context, &points);
            targets.iter_mut().zip(path).for_each(|(t, p)| t[k].position = p);
        }
        targets
    }

    /// Poses with a smoothly shifted root, so that limbs reach their targets within a part of their length and, with
    /// `is_grounding`, stances are at ground height.
    pub fn with_root_shift(&self, given: &[Vec<f64>], part: f64, is_grounding: bool) -> Vec<Vec<f64>> {
        let (root, mut ik, forest) = (self.root(), self.posture_ik(false), self.figure.forest());
        let raw: Vec<Vec<SolePose>> = given.iter().map(|q| ik.goal_poses(q)).collect();
        let mut kinematics = Kinematics::default();
        let mut postures = given.to_vec();
        for _ in 0..if is_grounding { ROUNDS } else { 1 } {
            let now: Vec<Vec<SolePose>> = postures.iter().map(|q| ik.goal_poses(q)).collect();
            let targets = self.targets(&now);
            let constraints = |f: usize| {
                kinematics.update(forest, &given[f], None, None);
                let feet = self.feet.iter().zip(&raw[f]).filter(|_| is_grounding);
                let hands = self.hands.iter().zip(&raw[f][self.feet.len()..]).filter(|_| is_grounding);
                let seats = hands.filter_map(|(hand, pose)| hand.depth(f, pose.position));
                let chains = self.limbs.iter().zip(&targets[f]);
                let limb = |(limb, goal): (&Option<LimbChain>, &SolePose)| {
                    let limb = limb.as_ref()?;
                    let (chain, max) = (limb.end_to_top(&kinematics, goal), part * limb.length);
                    (chain.norm() > max - REACH_MARGIN).then_some((chain, max))
                };
                RootConstraints {
                    depths: feet.filter_map(|(foot, pose)| foot.depth(f, pose)).chain(seats).collect(),
                    limbs: chains.filter_map(limb).collect(),
                }
            };
            let constraints: Vec<RootConstraints> = (0..given.len()).map(constraints).collect();
            for ((posture, given), shift) in
                postures.iter_mut().zip(given).zip(root_shift::shifts(&constraints, self.context.dt))
            {
                (0..3).for_each(|k| posture[root + k] = given[root + k] + shift.to_array()[k]);
            }
        }
        postures
    }

    /// Ball joints of limbs that bend like hinges: first degree of freedom, and axis in child axes.
    pub fn hinges(&self) -> Vec<(usize, Vec3)> {
        self.limbs.iter().flatten().filter_map(|limb| limb.hinge(&self.figure)).collect()
    }

    /// Legs over time.
    pub fn spans(&self, clip: &Clip) -> Vec<LegSpan> {
        let (forest, mut kinematics) = (self.figure.forest(), Kinematics::default());
        let legs = self.feet.iter().zip(&self.limbs).filter_map(|(foot, limb)| Some((foot, limb.as_ref()?)));
        let legs: Vec<(&Foot, &LimbChain)> = legs.collect();
        let new = |(foot, leg): &(&Foot, &LimbChain)| LegSpan {
            foot: foot.link,
            span: Vec::with_capacity(clip.frames()),
            length: leg.length,
        };
        let mut spans: Vec<LegSpan> = legs.iter().map(new).collect();
        for f in 0..clip.frames() {
            kinematics.update(forest, clip.pose(f), None, None);
            spans.iter_mut().zip(&legs).for_each(|(span, (_, leg))| span.span.push(leg.span(&kinematics)));
        }
        spans
    }

    /// A limb chain for each goal, with the bending axis of the clip.
    fn limbs(&self, clip: &Clip) -> Vec<Option<LimbChain>> {
        let home = self.posture_ik(false).goal_poses(self.figure.forest().home());
        let feet = self.feet.iter().map(|f| (f.link, true));
        let links = feet.chain(self.hands.iter().map(|h| (h.link, false)));
        links
            .zip(&home)
            .map(|((link, has_orientation), pose)| LimbChain::new(clip, link, (pose, has_orientation)))
            .collect()
    }
}

impl Foot {
    /// Depth of the contact edge below its print, m.
    fn depth(&self, frame: usize, now: &SolePose) -> Option<f64> {
        let stance = self.stances.iter().find(|s| s.frames.contains(&frame))?;
        let below = |k: usize| {
            let target = self.corners(&stance.print);
            let here = self.corners(now);
            let plane = stance.print.orientation.rotate(vec3(0.0, 0.0, 1.0));
            let over = |p: Vec3| (p - target[0]).dot(plane) / plane.z.max(0.1);
            -0.5 * (over(here[k]) + over(here[k + 1]))
        };
        match self.contact[frame] {
            SoleContact::Air => None,
            SoleContact::Heel => Some(below(0)),
            SoleContact::Toe => Some(below(2)),
            SoleContact::Flat => Some(0.5 * (below(0) + below(2))),
        }
    }
}
