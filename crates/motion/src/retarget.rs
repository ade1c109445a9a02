//! Motion retargeting: a motion of one figure transferred to another.
//!
//! Computes  for each frame the pose of the target whose segment orientations and end positions match the source within
//! its joint limits. Priorities: held contacts, then ends and orientations, then the previous pose.
//! Source: segment frames and priorities are ours; the solver is [`crate::ik`].
//! Not here: contact detection, forces.
//! Checked by: `tests/it/retarget.rs`.

mod hold;
mod report;
mod rest_pose;
mod target;

pub use report::{EndError, LimitUse, Report};

use crate::anatomy::{Anatomy, Part};
use crate::clip::Clip;
use crate::error::Error;
use crate::ik::{self, Goal, Solver, Task};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use hold::Holds;
use report::ReportBuilder;
use rest_pose::{Point, RestPose};
use std::sync::Arc;
use target::{Correspondence, FrameTarget};

/// Scaling of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// to the target: steps and heights by its legs, reaches by its arms
    #[default]
    ToFigure,
    /// none: world positions are kept within the reach of the target
    Keep,
}

/// A contact of a foot or hand that is held in place over an interval of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactHold {
    /// a foot or a hand
    pub part: Part,
    /// contact point in the axes of the target's link; `None`: the ball of the foot or the wrist
    pub point: Option<Vec3>,
    /// first frame
    pub from: usize,
    /// end frame, exclusive
    pub to: usize,
}

/// Options of retargeting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// scaling of positions
    pub scale: Scale,
    /// transition time before and after a held contact, s
    pub ease: f64,
    /// largest correction of a held contact if world positions are kept, m
    pub max_correction: f64,
    /// inverse kinematics of each frame
    pub ik: ik::Options,
}

impl Default for Options {
    fn default() -> Self {
        let ik = ik::Options { iterations: 12, tolerance: 1e-5, ..ik::Options::default() };
        Options { scale: Scale::default(), ease: 0.1, max_correction: 0.015, ik }
    }
}

/// A motion of the target with its report.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// the motion
    pub clip: Clip,
    /// quality of the result
    pub report: Report,
}

/// IK iterations of the first frame, which starts far from the solution.
const FIRST_ITERATIONS: usize = 300;
/// Priority levels.
const HOLD_LEVEL: u8 = 0;
const POSE_LEVEL: u8 = 1;
/// Weights of a metre against a radian of a segment: ends whose position is transferred, ends whose position follows
/// from orientations and lengths.
const END_WEIGHT: f64 = 1000.0;
const FOLLOWER_WEIGHT: f64 = 100.0;
/// Hips with scaled steps, and with world positions, where legs of another length may lower them.
const HIP_WEIGHT: f64 = 30.0;
const KEPT_HIP_WEIGHT: f64 = 100.0;

/// Transfers a motion to another figure. Anatomies are those of the figures ([`crate::anatomy::from_figure`]).
///
/// # Errors
/// Anatomies of other figures or without legs; contacts outside the motion or of missing parts.
pub fn retarget(
    source: &Clip,
    source_anatomy: &Anatomy,
    target: Arc<Figure>,
    target_anatomy: &Anatomy,
    contacts: &[ContactHold],
    options: &Options,
) -> Result<Retargeted, Error> {
    let from = RestPose::new(source.figure(), source_anatomy)?;
    let to = RestPose::new(&target, target_anatomy)?;
    let map = Correspondence::new(&from, &to, options.scale);
    let mut pose = Kinematics::default();
    let mut frames = Vec::with_capacity(source.frames());
    for frame in 0..source.frames() {
        pose.update(source.figure().forest(), source.pose(frame), None, None);
        frames.push(map.target(&pose));
    }
    let ease = (options.ease / source.dt()).round() as usize;
    let max_correction = if options.scale == Scale::Keep { options.max_correction } else { f64::INFINITY };
    let holds = Holds::new(contacts, &map, &frames, ease, max_correction)?;
    let mut report = ReportBuilder::new(&map, &target);
    let mut solver = Solver::new(target.clone());
    let (mut q, mut all) = (first_pose(&to, &map, &frames[0]), Vec::new());
    let mut ik = ik::Options { iterations: FIRST_ITERATIONS, ..options.ik };
    for (frame, goal) in frames.iter().enumerate() {
        let tasks = tasks(&map, goal, &holds, frame);
        let before = q.clone();
        let outcome = solver.solve(&mut q, &tasks, Some(&before), &ik)?;
        ik = ik::Options { damping: outcome.damping, ..options.ik };
        report.add_frame(&tasks, &outcome, &target, &q);
        all.extend_from_slice(&q);
    }
    let report = report.build(&map, &holds);
    let clip = Clip::new(source.name.clone(), target.clone(), source.dt(), all)?.starting_at(source.start());
    Ok(Retargeted { clip, report })
}

/// IK tasks of a frame; those of the ends come first.
fn tasks(map: &Correspondence, goal: &FrameTarget, holds: &Holds, frame: usize) -> Vec<Task> {
    let mut tasks = Vec::new();
    let reach = |&Point { link, at: point }: &Point, at: Vec3, level: u8, weight: f64| Task {
        goal: Goal::Position { link, point, at },
        level,
        weight,
    };
    let is_kept = map.scale == Scale::Keep;
    for (k, (part, point)) in map.ends.iter().enumerate() {
        let at = goal.ends[k] + holds.shifts[frame * map.ends.len() + k];
        let weight = if is_kept || matches!(part, Part::Foot(_)) { END_WEIGHT } else { FOLLOWER_WEIGHT };
        tasks.push(reach(point, at, POSE_LEVEL, weight));
    }
    tasks.extend(holds.at(frame).map(|hold| reach(&hold.point, hold.place(frame), HOLD_LEVEL, 1.0)));
    for (segment, turn) in map.target.segments.iter().zip(&goal.turns) {
        let Some(to) = *turn else { continue };
        let goal = Goal::Orientation { link: segment.link, to };
        tasks.push(Task { goal, level: POSE_LEVEL, weight: weight(segment.part) });
    }
    let weight = 0.5 * if is_kept { KEPT_HIP_WEIGHT } else { HIP_WEIGHT };
    let hips = map.target.hips().map(|hip| (hip, goal.hips + map.hip_offset(goal, &hip)));
    tasks.extend(hips.map(|(hip, at)| reach(&hip, at, POSE_LEVEL, weight)));
    tasks
}

/// Weight of the orientation of a part.
fn weight(part: Part) -> f64 {
    match part {
        Part::Pelvis | Part::Chest | Part::Foot(_) => 1.0,
        Part::Finger(_) | Part::Toes(_) | Part::Shoulder(_) => 0.1,
        _ => 0.4,
    }
}

/// The home pose with the root at the target of the first frame.
fn first_pose(target: &RestPose, map: &Correspondence, goal: &FrameTarget) -> Vec<f64> {
    let forest = target.figure.forest();
    let mut q = forest.home().to_vec();
    for (handle, joint) in target.figure.joints() {
        let place = forest.joint_place(handle);
        if place.nv != 6 {
            continue;
        }
        let turn = map.pelvis_rotation(goal);
        let hips = target.hips().map(|p| target.rest_position(&p));
        let middle = (hips[0] + hips[1]).scale(0.5);
        let rest = target.rest[target.index(joint.child())];
        let at = goal.hips + turn.rotate(rest.translation - middle);
        let world_from_link = anthropi_dynamics::spatial::Transform::new(at, turn.then(rest.orientation()));
        let x = joint.parent_from_joint.inverse() * world_from_link * joint.child_from_joint;
        q[place.iq..place.iq + 3].copy_from_slice(&x.translation.to_array());
        q[place.iq + 3..place.iq + 7].copy_from_slice(&x.orientation().0);
    }
    q
}
