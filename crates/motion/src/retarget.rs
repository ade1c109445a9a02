//! A motion of one figure as a motion of another.
//!
//! Computes  for each frame the pose of the target whose segments are turned and whose ends are placed as the source's,
//! as far as its joints and their limits allow: feet that stand first, then ends, then turns, then staying near the
//! pose before.
//! Source: segment frames and priorities are ours; the solver is [`crate::ik`].
//! Not here: who stands when (labels), forces.
//! Checked by: `crates/io/tests/retarget.rs`.

mod body;
mod report;
mod stance;
mod wish;

pub use report::{End, Limit, Report};

use crate::anatomy::{Anatomy, Part};
use crate::clip::Clip;
use crate::error::Error;
use crate::ik::{self, Goal, Solver, Task};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use body::Body;
use report::Watch;
use stance::Holds;
use std::sync::Arc;
use wish::{Wish, Wishes};

/// Whose sizes count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// steps and heights by the legs, reaches by the arms of the target
    #[default]
    ToFigure,
    /// places in the world as they are, as far as the target reaches
    Keep,
}

/// A foot or hand that stands from a frame to before another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// a foot or a hand
    pub part: Part,
    /// what stands, in the axes of the target's link; the ball of the foot or the wrist where it is `None`
    pub point: Option<Vec3>,
    /// first frame
    pub from: usize,
    /// first frame that is not part of it any more
    pub to: usize,
}

/// How to carry over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// whose sizes count
    pub scale: Scale,
    /// a stance is come to and left within this time, s
    pub ease: f64,
    /// where places are kept, a stance moves a foot by no more than this to hold it, m
    pub most: f64,
    /// how to search in each frame
    pub ik: ik::Options,
}

impl Default for Options {
    fn default() -> Self {
        let ik = ik::Options { iterations: 12, tolerance: 1e-5, ..ik::Options::default() };
        Options { scale: Scale::default(), ease: 0.1, most: 0.015, ik }
    }
}

/// A motion of the target, and how well it follows.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// the motion
    pub clip: Clip,
    /// how well it follows
    pub report: Report,
}

/// Steps for the first frame, which starts far away.
const FIRST: usize = 300;
/// Levels of what is wanted.
const PIN: u8 = 0;
const PLACE: u8 = 1;
const TURN: u8 = 1;
/// What a metre of an end counts against a radian of a segment, where places count most...
const END: f64 = 1000.0;
/// ...and where they only follow from turns and lengths.
const FOLLOWER: f64 = 100.0;
/// What a metre of the hips counts when steps are scaled to the legs...
const HIPS: f64 = 30.0;
/// ...and when places are kept: less than an end, so that legs of another length may lower them.
const LOOSE_HIPS: f64 = 100.0;

/// Carries a motion over to another figure. Anatomies are those of the figures ([`crate::anatomy::of_figure`]).
///
/// # Errors
/// Anatomies of other figures or without legs; stances outside the motion or of parts that are not there.
pub fn retarget(
    source: &Clip,
    source_anatomy: &Anatomy,
    target: Arc<Figure>,
    target_anatomy: &Anatomy,
    stances: &[Stance],
    options: &Options,
) -> Result<Retargeted, Error> {
    let from = Body::new(source.figure(), source_anatomy)?;
    let to = Body::new(&target, target_anatomy)?;
    let wishes = Wishes::new(&from, &to, options.scale);
    let mut pose = Kinematics::default();
    let mut frames = Vec::with_capacity(source.frames());
    for frame in 0..source.frames() {
        pose.update(source.figure().forest(), source.pose(frame), None, None);
        frames.push(wishes.of(&pose));
    }
    let ease = (options.ease / source.dt()).round() as usize;
    let most = if options.scale == Scale::Keep { options.most } else { f64::INFINITY };
    let holds = Holds::new(stances, &wishes, &frames, ease, most)?;
    let mut watch = Watch::new(&wishes, &target);
    let mut solver = Solver::new(target.clone());
    let (mut q, mut all) = (first_pose(&to, &wishes, &frames[0]), Vec::new());
    let mut ik = ik::Options { iterations: FIRST, ..options.ik };
    for (frame, wish) in frames.iter().enumerate() {
        let tasks = tasks(&wishes, wish, &holds, frame);
        let before = q.clone();
        let outcome = solver.solve(&mut q, &tasks, Some(&before), &ik)?;
        ik = ik::Options { caution: outcome.caution, ..options.ik };
        watch.see(&tasks, &outcome, &target, &q);
        all.extend_from_slice(&q);
    }
    let report = watch.report(&wishes, &holds);
    let clip = Clip::new(source.name.clone(), target.clone(), source.dt(), all)?.starting_at(source.start());
    Ok(Retargeted { clip, report })
}

/// What is wanted of the solver in a frame; places of ends come first, in the order of the ends.
fn tasks(wishes: &Wishes, wish: &Wish, holds: &Holds, frame: usize) -> Vec<Task> {
    let mut tasks = Vec::new();
    let is_kept = wishes.scale == Scale::Keep;
    for (k, (part, point)) in wishes.ends.iter().enumerate() {
        let at = wish.ends[k] + holds.shifts[frame * wishes.ends.len() + k];
        tasks.push(Task {
            goal: Goal::Place { link: point.link, point: point.at, at },
            level: PLACE,
            weight: if is_kept || matches!(part, Part::Foot(_)) { END } else { FOLLOWER },
        });
    }
    for hold in holds.at(frame) {
        let goal = Goal::Place { link: hold.point.link, point: hold.point.at, at: hold.place(frame) };
        tasks.push(Task { goal, level: PIN, weight: 1.0 });
    }
    for (segment, turn) in wishes.target.segments.iter().zip(&wish.turns) {
        let Some(to) = *turn else { continue };
        tasks.push(Task {
            goal: Goal::Turn { link: segment.link, to },
            level: TURN,
            weight: weight(segment.part),
        });
    }
    let weight = 0.5 * if is_kept { LOOSE_HIPS } else { HIPS };
    for hip in wishes.target.hips() {
        // each hip where the middle of both is wished, the half width aside as the pelvis is turned
        let at = wish.hips + wishes.aside(wish, &hip);
        tasks.push(Task { goal: Goal::Place { link: hip.link, point: hip.at, at }, level: TURN, weight });
    }
    tasks
}

/// How much the turn of a part counts.
fn weight(part: Part) -> f64 {
    match part {
        Part::Pelvis | Part::Chest | Part::Foot(_) => 1.0,
        Part::Finger(_) | Part::Toes(_) | Part::Shoulder(_) => 0.1,
        _ => 0.4,
    }
}

/// The declared pose, with the root where the first frame wants it.
fn first_pose(target: &Body, wishes: &Wishes, wish: &Wish) -> Vec<f64> {
    let forest = target.figure.forest();
    let mut q = forest.home().to_vec();
    for (handle, joint) in target.figure.joints() {
        let place = forest.joint_place(handle);
        if place.nv != 6 {
            continue;
        }
        let turn = wishes.pelvis_turn(wish);
        let hips = target.hips().map(|p| target.rest[target.index(p.link)].point(p.at));
        let middle = (hips[0] + hips[1]).scale(0.5);
        let rest = target.rest[target.index(joint.child())];
        let at = wish.hips + turn.rotate(rest.translation - middle);
        let world_from_link = anthropi_dynamics::spatial::Transform::new(at, turn.then(rest.orientation()));
        let x = joint.parent_from_joint.inverse() * world_from_link * joint.child_from_joint;
        q[place.iq..place.iq + 3].copy_from_slice(&x.translation.to_array());
        q[place.iq + 3..place.iq + 7].copy_from_slice(&x.orientation().0);
    }
    q
}
