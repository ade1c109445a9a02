//! From keys to a clip.

use super::balance::{Balance, Shift};
use super::feet::{Feet, Placed};
use super::score::Score;
use super::{Cycle, Keyed};
use crate::clip::Clip;
use crate::error::Error;
use crate::ik::{Goal, Options, Solver, Task};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Quat, Vec3};

/// Rounds of balance and poses.
const ROUNDS: usize = 20;
/// A pinned foot may miss its place by this, m or rad: what the search leaves.
const MISS: f64 = 1e-5;

/// What is wanted of one frame.
struct Wanted {
    time: f64,
    /// as the keys have it
    q: Vec<f64>,
    feet: Vec<(LinkHandle, Placed)>,
}

/// The clip of a motion in keys.
pub(super) fn clip(keyed: &Keyed) -> Result<Clip, Error> {
    let score = Score::of(keyed)?;
    let feet = Feet::of(keyed, &score)?;
    let frames = (keyed.duration * keyed.fps).round() as usize + usize::from(keyed.cycle.is_none());
    let wanted: Vec<Wanted> = (0..frames).map(|f| wanted(keyed, &score, &feet, f)).collect();
    let mut poser = Poser::new(keyed, &score)?;
    let still = vec![Shift::default(); frames];
    let mut poses = poser.poses(&wanted, &still, None)?;
    if keyed.is_balanced {
        let carrying =
            wanted.iter().map(|w| w.feet.iter().flat_map(|f| f.1.carrying.clone()).collect()).collect();
        let mut balance = Balance::new(keyed, score.root(), &score.pins, carrying, &poses);
        balance.is_better(&poses)?;
        // the best of those in which all pinned feet stand; on the way to them some may not
        let mut best = poses.clone();
        for _ in 0..ROUNDS {
            if balance.is_found() {
                break;
            }
            let shifts = balance.shifts(&poses)?;
            let next = poser.poses(&wanted, &shifts, Some(&poses))?;
            if balance.is_better(&next)? {
                poses = next;
                if poser.miss(&wanted, &poses).is_none() {
                    best.clone_from(&poses);
                }
            }
        }
        poses = best;
    }
    poser.check(&wanted, &poses)?;
    let q = repeated(&poses, score.root(), keyed.cycle);
    Clip::new(keyed.name.clone(), keyed.figure.clone(), 1.0 / keyed.fps, q)
}

fn wanted(keyed: &Keyed, score: &Score, feet: &Feet, frame: usize) -> Wanted {
    let time = frame as f64 / keyed.fps;
    let mut q = keyed.figure.forest().home().to_vec();
    score.pose(time, &mut q);
    let feet = feet.feet.iter().filter_map(|foot| Some((foot.link, feet.at(foot, time)?))).collect();
    Wanted { time, q, feet }
}

/// All cycles one after the other, and the first frame of the next.
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

/// Poses with feet and pelvis where they are wanted.
struct Poser<'a> {
    keyed: &'a Keyed,
    solver: Solver,
    kinematics: Kinematics,
    root: usize,
    pelvis: LinkHandle,
}

impl Poser<'_> {
    fn new<'a>(keyed: &'a Keyed, score: &Score) -> Result<Poser<'a>, Error> {
        let root = keyed.figure.joints().find(|(_, j)| j.kind == JointKind::Free).map(|(_, j)| j.child());
        let pelvis = root.ok_or_else(|| keyed.wrong("its figure has no free joint that could move"))?;
        let (solver, kinematics) = (Solver::new(keyed.figure.clone()), Kinematics::default());
        Ok(Poser { keyed, solver, kinematics, root: score.root(), pelvis })
    }

    /// One pose a frame, with the pelvis shifted; the search starts from poses near them.
    fn poses(
        &mut self,
        wanted: &[Wanted],
        shifts: &[Shift],
        near: Option<&[Vec<f64>]>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let mut poses = Vec::with_capacity(wanted.len());
        for (i, (w, shift)) in wanted.iter().zip(shifts).enumerate() {
            let mut posture = w.q.clone();
            shift.apply(&mut posture, self.root);
            let mut q = near.map_or_else(|| posture.clone(), |n| n[i].clone());
            let tasks = self.tasks(w, &posture, shift);
            self.solver.solve(
                &mut q,
                &tasks,
                Some(&posture),
                &Options { iterations: 60, ..Options::default() },
            )?;
            poses.push(q);
        }
        Ok(poses)
    }

    fn tasks(&mut self, wanted: &Wanted, posture: &[f64], shift: &Shift) -> Vec<Task> {
        let forest = self.keyed.figure.forest();
        self.kinematics.update(forest, posture, None, None);
        let held = self.kinematics.link_pose(forest, self.pelvis);
        // a foot in the air must not disturb those that stand
        let feet = wanted.feet.iter().map(|(link, foot)| {
            let place = foot.place + shift.travel.scale(foot.air);
            (*link, place, foot.turn, u8::from(foot.carrying.is_empty()))
        });
        let pelvis = (self.pelvis, held.translation, held.orientation(), 0);
        let both = |(link, at, to, level): (LinkHandle, Vec3, Quat, u8)| {
            let goals = [Goal::Place { link, point: Vec3::ZERO, at }, Goal::Turn { link, to }];
            goals.map(|goal| Task { goal, level, weight: 1.0 })
        };
        core::iter::once(pelvis).chain(feet).flat_map(both).collect()
    }

    /// Refuses pinned feet that are not on their places.
    fn check(&mut self, wanted: &[Wanted], poses: &[Vec<f64>]) -> Result<(), Error> {
        let Some((time, link, miss)) = self.miss(wanted, poses) else { return Ok(()) };
        let name = &self.keyed.figure.link(link)?.spec.name;
        Err(self.keyed.wrong(format!(
            "at {time:.2} s `{name}` misses its place by {:.1} mm (or mrad): its leg does not get there, so change the \
             root or the pin",
            1e3 * miss
        )))
    }

    /// The first pinned foot that is not on its place: when, which, and by how much.
    fn miss(&mut self, wanted: &[Wanted], poses: &[Vec<f64>]) -> Option<(f64, LinkHandle, f64)> {
        let forest = self.keyed.figure.forest();
        for (w, q) in wanted.iter().zip(poses) {
            self.kinematics.update(forest, q, None, None);
            for (link, foot) in w.feet.iter().filter(|f| !f.1.carrying.is_empty()) {
                let pose = self.kinematics.link_pose(forest, *link);
                let turn = foot.turn.then(pose.orientation().inverse()).log().norm();
                let miss = (pose.translation - foot.place).norm().max(turn);
                if miss > MISS {
                    return Some((w.time, *link, miss));
                }
            }
        }
        None
    }
}
