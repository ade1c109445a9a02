//! Motions from keyframes: joint angles at a few times, and foot contacts.
//!
//! Computes, in this order:
//! 1. curves through the keys of each angle (`curves`), cubic with continuous second derivatives; cycles close;
//! 2. foot trajectories (`foot_path`): exactly at rest while pinned, keyed in swing;
//! 3. poses with these feet and the keyed pelvis, by `ik`;
//! 4. on request, a dynamically feasible pelvis path (`balance`) and 3. again, until both agree.
//!
//! Source: our own; for 4. the cart-table model of walking robots.
//! Not here: files (`anthropi_app::keyed`).
//! Checked by: `crates/app/tests/it/keyed.rs`.

mod balance;
mod curves;
mod foot_path;

use crate::clip::Clip;
use crate::error::Error;
use crate::ik::{Goal, Options, Solver, Task};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{Figure, JointHandle, LinkHandle};
use anthropi_dynamics::spatial::{Quat, Vec3};
use balance::{Balance, PelvisShift};
use curves::JointCurves;
use foot_path::{FootPaths, FootTarget};
use std::sync::Arc;

/// Largest number of iterations of balance and poses, and of the IK in each.
const BALANCE_ITERATIONS: usize = 20;
const IK_ITERATIONS: usize = 60;
/// Largest error of a pinned foot, m or rad.
const PIN_TOLERANCE: f64 = 1e-5;

/// Part of a sole in contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoleContact {
    /// the whole sole
    Flat,
    /// rear edge
    Heel,
    /// front edge
    Toe,
}

/// A foot contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// the foot
    pub link: LinkHandle,
    /// part of the sole in contact
    pub sole: SoleContact,
    /// start, s
    pub from: f64,
    /// end, s
    pub to: f64,
}

/// Keys of one coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyTrack {
    /// joint of the track
    pub joint: JointHandle,
    /// index of the Euler angle; root joint: x forward, y left, z up, then bend, tilt, twist (yxz)
    pub component: usize,
    /// time and value, in ascending order of time; s, m or rad
    pub keys: Vec<(f64, f64)>,
}

/// Repetition of a cyclic motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// forward travel per cycle at constant speed, m; keys of the root's x are relative to it
    pub travel: f64,
    /// number of cycles
    pub repeat: usize,
    /// whether each side repeats the other side's keys half a cycle later
    pub is_mirrored: bool,
}

/// A keyframed motion.
#[derive(Clone, Debug)]
pub struct KeyedMotion {
    /// name
    pub name: String,
    /// the figure
    pub figure: Arc<Figure>,
    /// frames per second; a cycle has a whole number of frames
    pub fps: f64,
    /// duration of the motion or of one cycle, s
    pub duration: f64,
    /// repetition, if it is cyclic
    pub cycle: Option<Cycle>,
    /// keys by coordinate; coordinates without keys keep their home value
    pub tracks: Vec<KeyTrack>,
    /// foot contacts
    pub pins: Vec<Pin>,
    /// whether the pelvis path is adapted to be dynamically feasible
    pub is_balanced: bool,
}

impl KeyedMotion {
    /// Computes the motion.
    ///
    /// # Errors
    /// A figure without a root or feet; sides that do not mirror; a pinned foot out of reach.
    pub fn clip(&self) -> Result<Clip, Error> {
        let curves = JointCurves::new(self)?;
        let feet = FootPaths::new(self, &curves)?;
        let frames = (self.duration * self.fps).round() as usize + usize::from(self.cycle.is_none());
        let targets: Vec<FrameTarget> = (0..frames).map(|f| self.target(&curves, &feet, f)).collect();
        let mut poser = Poser {
            keyed: self,
            solver: Solver::new(self.figure.clone()),
            kinematics: Kinematics::default(),
            root: curves.root,
            pelvis: curves.pelvis,
        };
        let mut poses = poser.poses(&targets, &vec![PelvisShift::default(); frames], None)?;
        if self.is_balanced {
            let contacts =
                targets.iter().map(|w| w.feet.iter().flat_map(|f| f.1.contacts.clone()).collect()).collect();
            let mut balance = Balance::new(self, curves.root, &curves.pins, contacts, &poses);
            balance.is_better(&poses)?;
            // the best iterate with all pinned feet in contact; intermediate ones may violate that
            let mut best = poses.clone();
            for _ in 0..BALANCE_ITERATIONS {
                if balance.has_converged() {
                    break;
                }
                let shifts = balance.shifts(&poses)?;
                let next = poser.poses(&targets, &shifts, Some(&poses))?;
                if balance.is_better(&next)? {
                    poses = next;
                    if poser.pin_error(&targets, &poses).is_none() {
                        best.clone_from(&poses);
                    }
                }
            }
            poses = best;
        }
        poser.check_pins(&targets, &poses)?;
        let q = repeated(&poses, curves.root, self.cycle);
        Clip::new(self.name.clone(), self.figure.clone(), 1.0 / self.fps, q)
    }

    fn target(&self, curves: &JointCurves, feet: &FootPaths, frame: usize) -> FrameTarget {
        let time = frame as f64 / self.fps;
        let mut q = self.figure.forest().home().to_vec();
        curves.pose(time, &mut q);
        let feet = feet.feet.iter().filter_map(|foot| Some((foot.link, feet.at(foot, time)?))).collect();
        FrameTarget { time, q, feet }
    }

    fn wrong(&self, what: impl Into<String>) -> Error {
        Error::unsuitable(&self.name, what)
    }
}

/// Target of a frame.
struct FrameTarget {
    time: f64,
    /// keyed pose
    q: Vec<f64>,
    feet: Vec<(LinkHandle, FootTarget)>,
}

/// Frames of all cycles, and the first frame of the next.
fn repeated(poses: &[Vec<f64>], root: usize, cycle: Option<Cycle>) -> Vec<f64> {
    let Some(cycle) = cycle else { return poses.concat() };
    let mut q = Vec::new();
    for k in 0..=poses.len() * cycle.repeat {
        let mut pose = poses[k % poses.len()].clone();
        pose[root] += cycle.travel * (k / poses.len()) as f64;
        q.extend(pose);
    }
    q
}

/// Poses with feet and pelvis at their targets.
struct Poser<'a> {
    keyed: &'a KeyedMotion,
    solver: Solver,
    kinematics: Kinematics,
    root: usize,
    pelvis: LinkHandle,
}

impl Poser<'_> {
    /// One pose per frame with the pelvis shifted; `start` warm-starts the IK.
    fn poses(
        &mut self,
        targets: &[FrameTarget],
        shifts: &[PelvisShift],
        start: Option<&[Vec<f64>]>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let options = Options { iterations: IK_ITERATIONS, ..Options::default() };
        let mut poses = Vec::with_capacity(targets.len());
        for (i, (w, shift)) in targets.iter().zip(shifts).enumerate() {
            let mut posture = w.q.clone();
            shift.apply(&mut posture, self.root);
            let mut q = start.map_or_else(|| posture.clone(), |n| n[i].clone());
            let tasks = self.tasks(w, &posture, shift);
            self.solver.solve(&mut q, &tasks, Some(&posture), &options)?;
            poses.push(q);
        }
        Ok(poses)
    }

    fn tasks(&mut self, target: &FrameTarget, posture: &[f64], shift: &PelvisShift) -> Vec<Task> {
        let forest = self.keyed.figure.forest();
        self.kinematics.update(forest, posture, None, None);
        let held = self.kinematics.link_pose(forest, self.pelvis);
        // a swing foot must not disturb feet in contact
        let feet = target.feet.iter().map(|(link, foot)| {
            let position = foot.position + shift.travel.scale(foot.mobility);
            (*link, position, foot.turn, u8::from(foot.contacts.is_empty()))
        });
        let pelvis = (self.pelvis, held.translation, held.orientation(), 0);
        let both = |(link, at, to, level): (LinkHandle, Vec3, Quat, u8)| {
            let goals = [Goal::Position { link, point: Vec3::ZERO, at }, Goal::Orientation { link, to }];
            goals.map(|goal| Task { goal, level, weight: 1.0 })
        };
        core::iter::once(pelvis).chain(feet).flat_map(both).collect()
    }

    /// Refuses poses with a pin error.
    fn check_pins(&mut self, targets: &[FrameTarget], poses: &[Vec<f64>]) -> Result<(), Error> {
        let Some((time, link, error)) = self.pin_error(targets, poses) else { return Ok(()) };
        let name = &self.keyed.figure.link(link)?.spec.name;
        Err(self.keyed.wrong(format!(
            "at {time:.2} s `{name}` misses its pin by {:.1} mm (or mrad): it is out of reach, so change the root or the \
             pin",
            1e3 * error
        )))
    }

    /// The first pinned foot that misses its target: time, foot and error.
    fn pin_error(&mut self, targets: &[FrameTarget], poses: &[Vec<f64>]) -> Option<(f64, LinkHandle, f64)> {
        let forest = self.keyed.figure.forest();
        for (w, q) in targets.iter().zip(poses) {
            self.kinematics.update(forest, q, None, None);
            for (link, foot) in w.feet.iter().filter(|f| !f.1.contacts.is_empty()) {
                let pose = self.kinematics.link_pose(forest, *link);
                let turn = foot.turn.then(pose.orientation().inverse()).log().norm();
                let error = (pose.translation - foot.position).norm().max(turn);
                if error > PIN_TOLERANCE {
                    return Some((w.time, *link, error));
                }
            }
        }
        None
    }
}
