//! A motion put on its feet: no foot slides, floats or sinks while it touches.
//!
//! Computes, in this order:
//! 1. footprints (`sole`): where heel and toe were on the mean of a stance, as a rigid sole on the ground;
//! 2. paths of soles and hands (`path`): exactly on their prints while they touch, with velocity and acceleration of the
//!    motion given up in the air before and after;
//! 3. a smooth shift of the root that brings stances to the ground and prints within reach (`root`); 2. again from there;
//! 4. poses with these soles (`reach`).
//!
//! Source: our own; footprints as means and whole-body inverse kinematics are usual for footskate.
//! Not here: whether the ground can carry the motion (`replan`).
//! Checked by: `crates/io/tests/footing.rs`.

mod limb;
pub(crate) mod path;
pub(crate) mod reach;
mod root;
pub(crate) mod sole;

use crate::clip::Clip;
use crate::touch::{Touches, Track};
use crate::trajectory::Trajectory;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointHandle};
use anthropi_dynamics::spatial::{Motion, Vec3, vec3};
use limb::Limb;
use path::{Hand, Scene};
use reach::{Goal, Reach};
use root::Wanted;
use sole::{Bearing, Foot, Pose};
use std::sync::Arc;

/// Rounds of paths and of the root, which feet in the air go along with.
const ROUNDS: usize = 2;
/// Stiffness of the root, 1/m2 and 1/rad2, and of what leads to no goal...
const STIFF: [f64; 3] = [80.0, 80.0, 1.0];
/// ...and where the centre of mass has a place to go to.
const CENTERED: [f64; 3] = [5.0, 20.0, 5.0];

/// A limb reaches this part of its length: knees stay bent by sixteen degrees where feet are moved.
const STRAIGHT: f64 = 0.99;

/// Limbs this far from the end of their reach need not be looked at, m.
const SAFE: f64 = 0.08;

/// A motion on its feet.
#[derive(Clone, Debug)]
pub struct Footing {
    /// the motion
    pub clip: Clip,
    /// who touches when: as before, at the places of now
    pub touches: Touches,
    /// what was found and decided, a sentence each
    pub notes: Vec<String>,
    planted: Option<Planted>,
}

impl Footing {
    /// Puts a motion on the ground that its feet were found to touch.
    pub fn of(trajectory: &Trajectory, touches: &Touches) -> Footing {
        let clip = &trajectory.clip;
        let mut footing = Footing {
            clip: clip.clone(),
            touches: touches.clone(),
            notes: Vec::new(),
            planted: Planted::of(clip, touches),
        };
        let Some(planted) = &footing.planted else {
            footing.notes.push("no foot touches the ground, so nothing was put on it".into());
            return footing;
        };
        let given: Vec<Vec<f64>> = (0..clip.frames()).map(|f| clip.pose(f).to_vec()).collect();
        let poses = planted.put(&planted.approached(&given, STRAIGHT, true), None);
        footing.stand(clip, &poses);
        footing
    }

    /// Takes other poses of the same frames, if they are finite.
    pub(crate) fn stand(&mut self, clip: &Clip, poses: &[Vec<f64>]) {
        match Clip::new(clip.name.clone(), clip.figure().clone(), clip.dt(), poses.concat()) {
            Ok(found) => self.clip = found.starting_at(clip.start()),
            Err(_) => {
                self.notes.push("the feet could not be put on the ground: the motion is as it was".into());
                return;
            }
        }
        self.touches.tracks = tracks(&self.clip, &self.touches);
        self.touches.ground.spread = 0.0;
    }

    pub(crate) fn planted(&self) -> Option<&Planted> {
        self.planted.as_ref()
    }
}

/// Tracks of the places of touches in another motion; speeds are over the ground.
fn tracks(clip: &Clip, touches: &Touches) -> Vec<Track> {
    let mut tracks = Track::all(&Trajectory::of(clip, None), &touches.places);
    for track in &mut tracks {
        for (velocity, speed) in track.velocity.iter_mut().zip(&mut track.speed) {
            *velocity -= touches.ground.velocity;
            *speed = velocity.norm();
        }
    }
    tracks
}

/// Feet and hands with the places they stand on.
#[derive(Clone, Debug)]
pub(crate) struct Planted {
    scene: Scene,
    root: JointHandle,
    figure: Arc<Figure>,
    feet: Vec<Foot>,
    hands: Vec<Hand>,
    /// of feet, then hands
    limbs: Vec<Option<Limb>>,
}

impl Planted {
    fn of(clip: &Clip, touches: &Touches) -> Option<Planted> {
        let figure = clip.figure().clone();
        let root = figure.joints().find(|(_, j)| j.kind == JointKind::Free).map(|(h, _)| h)?;
        let scene = Scene { ground: touches.ground, dt: clip.dt() };
        let feet = Foot::all(touches, clip.dt());
        let hands = Hand::all(touches, &scene);
        let touches_ground = !hands.is_empty() || feet.iter().any(|f| !f.stances.is_empty());
        let mut planted = Planted { scene, root, figure, feet, hands, limbs: Vec::new() };
        planted.limbs = planted.limbs(clip);
        touches_ground.then_some(planted)
    }

    /// Where the coordinates of the root begin.
    pub fn root(&self) -> usize {
        self.figure.forest().joint_place(self.root).iq
    }

    /// Poses with feet and hands on their places, each near a posture; with the centre of mass in given places.
    pub fn put(&self, postures: &[Vec<f64>], centers: Option<&[Vec3]>) -> Vec<Vec<f64>> {
        let mut reach = self.reach(centers.is_some());
        let raw: Vec<Vec<Pose>> = postures.iter().map(|q| reach.places(q)).collect();
        let mut targets = self.targets(&raw);
        for (targets, center) in targets.iter_mut().zip(centers.unwrap_or(&[])) {
            targets.last_mut().into_iter().for_each(|t| t.place = *center);
        }
        let mut poses: Vec<Vec<f64>> = Vec::with_capacity(postures.len());
        let mut kinematics = Kinematics::default();
        let mut columns = vec![Motion::default(); self.figure.forest().nv()];
        for (posture, targets) in postures.iter().zip(&targets) {
            let mut near = posture.clone();
            for limb in self.limbs.iter().flatten() {
                limb.bend(&self.figure, &mut kinematics, &mut columns, &mut near);
            }
            let mut q = near.clone();
            reach.solve(&near, targets, &mut q);
            poses.push(q);
        }
        poses
    }

    fn reach(&self, is_centered: bool) -> Reach {
        let soles = self.feet.iter().map(|f| Goal::Sole(f.link, f.link_from_sole));
        let points = self.hands.iter().map(|h| Goal::Point(h.link, h.point));
        let mut goals: Vec<Goal> = soles.chain(points).collect();
        goals.extend(is_centered.then_some(Goal::Center));
        let stiffness = if is_centered { CENTERED } else { STIFF };
        let mut reach = Reach::new(self.figure.clone(), self.root, goals, stiffness);
        let links = self.feet.iter().map(|f| f.link).chain(self.hands.iter().map(|h| h.link));
        for (k, link) in links.enumerate() {
            reach.loosen(link, self.limbs.get(k).and_then(|l| l.as_ref().map(|l| l.top)));
        }
        let hinges = self.limbs.iter().flatten().filter_map(|l| l.hinge(&self.figure));
        hinges.for_each(|(iv, axis)| reach.bend_about(iv, axis));
        reach
    }

    /// Paths of all goals, by frame, near those of postures.
    fn targets(&self, raw: &[Vec<Pose>]) -> Vec<Vec<Pose>> {
        let of = |k: usize| raw.iter().map(|g| g[k]).collect::<Vec<Pose>>();
        let mut targets = raw.to_vec();
        for (k, foot) in self.feet.iter().enumerate() {
            let path = foot.path(&self.scene, &of(k));
            targets.iter_mut().zip(path).for_each(|(t, p)| t[k] = p);
        }
        for (k, hand) in (self.feet.len()..).zip(&self.hands) {
            let points: Vec<Vec3> = of(k).iter().map(|p| p.place).collect();
            let path = hand.path(&self.scene, &points);
            targets.iter_mut().zip(path).for_each(|(t, p)| t[k].place = p);
        }
        targets
    }

    /// Poses with a root that moves so that limbs reach their places within a part of their length, smoothly, and,
    /// where that is asked for, so that stances are at the ground's height.
    pub fn approached(&self, given: &[Vec<f64>], part: f64, is_grounding: bool) -> Vec<Vec<f64>> {
        let (root, mut reach, forest) = (self.root(), self.reach(false), self.figure.forest());
        let raw: Vec<Vec<Pose>> = given.iter().map(|q| reach.places(q)).collect();
        let mut kinematics = Kinematics::default();
        let mut postures = given.to_vec();
        for _ in 0..if is_grounding { ROUNDS } else { 1 } {
            let now: Vec<Vec<Pose>> = postures.iter().map(|q| reach.places(q)).collect();
            let targets = self.targets(&now);
            let wanted = |f: usize| {
                kinematics.update(forest, &given[f], None, None);
                let feet = self.feet.iter().zip(&raw[f]).filter(|_| is_grounding);
                let ways = self.limbs.iter().zip(&targets[f]);
                let limb = |(limb, goal): (&Option<Limb>, &Pose)| {
                    let limb = limb.as_ref()?;
                    let (way, reach) = (limb.way(&kinematics, goal), part * limb.length);
                    (way.norm() > reach - SAFE).then_some((way, reach))
                };
                Wanted {
                    depths: feet.filter_map(|(foot, pose)| foot.depth(f, pose)).collect(),
                    limbs: ways.filter_map(limb).collect(),
                }
            };
            let wanted: Vec<Wanted> = (0..given.len()).map(wanted).collect();
            for ((posture, given), shift) in
                postures.iter_mut().zip(given).zip(root::shifts(&wanted, self.scene.dt))
            {
                (0..3).for_each(|k| posture[root + k] = given[root + k] + shift.to_array()[k]);
            }
        }
        postures
    }

    /// A limb for each goal, with the side it bends to in a clip.
    fn limbs(&self, clip: &Clip) -> Vec<Option<Limb>> {
        let home = self.reach(false).places(self.figure.forest().home());
        let feet = self.feet.iter().map(|f| (f.link, true));
        let links = feet.chain(self.hands.iter().map(|h| (h.link, false)));
        let limbs = links.zip(&home).map(|((link, has_turn), pose)| {
            let mut limb = Limb::of(&self.figure, link, (pose, has_turn))?;
            limb.learn(clip);
            Some(limb)
        });
        limbs.collect()
    }
}

impl Foot {
    /// How far what touches is under its print, m.
    fn depth(&self, frame: usize, now: &Pose) -> Option<f64> {
        let stance = self.stances.iter().find(|s| s.frames.contains(&frame))?;
        let below = |k: usize| {
            let there = self.corners(&stance.print);
            let here = self.corners(now);
            let plane = stance.print.turn.rotate(vec3(0.0, 0.0, 1.0));
            let over = |p: Vec3| (p - there[0]).dot(plane) / plane.z.max(0.1);
            -0.5 * (over(here[k]) + over(here[k + 1]))
        };
        match self.bearing[frame] {
            Bearing::Air => None,
            Bearing::Heel => Some(below(0)),
            Bearing::Toe => Some(below(2)),
            Bearing::Flat => Some(0.5 * (below(0) + below(2))),
        }
    }
}
