//! The plan of a whole motion: centre of mass and angular momentum that its contacts can carry, and poses to match.
//!
//! Computes, in rounds: the plan (`planner`) of the smoothed momentum; poses with the root moved accordingly and the feet on
//! their footprints (`foot_plant`), which change the angular momentum slightly. The last plan is made on the last poses.
//! Source: our own; the rounds are a fixed-point iteration of momentum and poses.
//! Not here: torques, impacts; feedback (`replan`).
//! Checked by: `tests/it/foot_plant.rs`.

use super::foot_plant::FootPlant;
use crate::centroid::{CentroidalState, CentroidalTrajectory};
use crate::clip::Clip;
use crate::contact_schedule::ContactSchedule;
use crate::dual::Cone;
use crate::note::Note;
use crate::planner::{PlanContact, Planner, Reach, Scales};
use crate::pose;
use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_dynamics::model::{BodyIx, LinkHandle};
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Rounds of plan and poses before the last plan.
const ROUNDS: usize = 1;
/// Iterations for each level of rounding.
const ITERATIONS: usize = 60;
/// Reach of limbs of planned poses, parts of their length, and of legs in the plan.
const MAX_REACH: f64 = 0.996;
const PLANNED_REACH: f64 = 0.985;
/// Cut-off of the momentum that plans start from, Hz.
const CUTOFF: f64 = 6.0;
/// Frames at each end with poor accelerations, whose forces are ignored.
const END_FRAMES: usize = 4;
/// Knots per second.
const KNOT_RATE: f64 = 40.0;
/// Least share of the load while forces come and go.
const MIN_SHARE: f64 = 0.01;
/// Part of a sole, about its middle, that the plan uses, and its coefficient of friction: the figure has some to spare.
pub(super) const SOLE_PART: f64 = 0.93;
const FRICTION: f64 = 0.6;
/// Cost of a contact force squared, body weights.
const FORCE_COST: f64 = 0.05;
/// Points of a segment up to this above its lowest may carry, m.
const LOW_BAND: f64 = 0.03;

/// A motion with planned momentum.
#[derive(Clone, Debug)]
pub struct MomentumPlan {
    /// the motion
    pub clip: Clip,
    /// contact schedule
    pub schedule: ContactSchedule,
    /// the plan by frame
    pub momentum: CentroidalTrajectory,
    /// human-readable notes and warnings
    pub notes: Vec<Note>,
    /// legs
    pub(crate) spans: Vec<LegSpan>,
}

/// A leg over time.
#[derive(Clone, Debug)]
pub(crate) struct LegSpan {
    pub foot: LinkHandle,
    /// from ankle to hip, by frame
    pub span: Vec<Vec3>,
    /// of the straight leg, m
    pub length: f64,
}

impl MomentumPlan {
    /// Plans the momentum of a cleaned-up motion. `progress` receives the completed fraction.
    pub fn new(foot_plant: &FootPlant, progress: &mut dyn FnMut(f64)) -> MomentumPlan {
        let clip = &foot_plant.clip;
        let given = CentroidalTrajectory::from_clip(clip);
        let smooth = given.smoothed(CUTOFF);
        let mut plan = MomentumPlan {
            clip: clip.clone(),
            schedule: foot_plant.schedule.clone(),
            momentum: smooth.clone(),
            notes: foot_plant.notes.clone(),
            spans: Vec::new(),
        };
        if clip.frames() >= 4 * stride(clip.dt()) {
            let mut planner = Planner::default();
            let rounds = if foot_plant.planted().is_some() { ROUNDS } else { 0 };
            for round in 0..=rounds {
                progress(round as f64 / (rounds + 1) as f64);
                let (reference, changes) = plan.solve(&mut planner, &smooth, round);
                if round < rounds {
                    plan.pose(foot_plant, &given, &changes);
                } else {
                    let changed = |f: usize| reference[f].plus(&changes.at(clip.time(f)));
                    let states = (0..clip.frames()).map(changed).collect();
                    plan.momentum = CentroidalTrajectory::from_states(states, clip.start(), clip.dt());
                }
            }
        }
        plan.spans = foot_plant.planted().map_or(Vec::new(), |p| p.spans(&plan.clip));
        plan
    }

    /// Plans the momentum of the present poses: what it starts from, by frame, and the changes.
    fn solve(
        &self,
        planner: &mut Planner,
        smooth: &CentroidalTrajectory,
        round: usize,
    ) -> (Vec<CentroidalState>, CentroidalTrajectory) {
        let (clip, dt) = (&self.clip, self.clip.dt());
        let (figure, stride) = (clip.figure(), stride(dt));
        let spins = CentroidalTrajectory::from_clip(clip).smoothed(CUTOFF);
        let reference = |f: usize| {
            let CentroidalState { angular_momentum, moment, .. } = spins.frames()[f];
            CentroidalState { angular_momentum, moment, ..smooth.frames()[f] }
        };
        let reference: Vec<CentroidalState> = (0..clip.frames()).map(reference).collect();
        if round > 0 {
            planner.carry_over(0);
        }
        let (gravity, h) = (figure.gravity().norm(), stride as f64 * dt);
        planner.begin(h, figure.mass() * gravity, gravity, inertia(clip));
        for f in (0..clip.frames()).step_by(stride) {
            planner.add_knot(reference[f], f < END_FRAMES || f + END_FRAMES >= clip.frames());
            let whole = |k: usize| {
                let share = share(&self.schedule, k, f, dt)?;
                Some(Support { share, shift: Vec3::ZERO, step: None })
            };
            add_contacts(planner, &self.schedule, f, SOLE_PART, &whole);
        }
        planner.solve(&Scales::WHOLE, ITERATIONS);
        let changes = (0..planner.knots()).map(|k| planner.change(k)).collect();
        (reference, CentroidalTrajectory::from_states(changes, clip.start(), h))
    }

    /// Poses with the changed centre of mass.
    fn pose(&mut self, foot_plant: &FootPlant, given: &CentroidalTrajectory, changes: &CentroidalTrajectory) {
        let Some(planted) = foot_plant.planted() else { return };
        let clip = &foot_plant.clip;
        let root = planted.root();
        let change = |f: usize| changes.at(clip.time(f)).com;
        let moved = |f: usize| {
            let (mut q, shift) = (clip.pose(f).to_vec(), change(f).to_array());
            (0..3).for_each(|k| q[root + k] += shift[k]);
            q
        };
        let moved: Vec<Vec<f64>> = (0..clip.frames()).map(moved).collect();
        let postures = planted.with_root_shift(&moved, MAX_REACH, false);
        let center = |f: usize| {
            let more = pose::triple(&postures[f], root) - pose::triple(&moved[f], root);
            given.frames()[f].com + change(f) + more
        };
        let centers: Vec<Vec3> = (0..clip.frames()).map(center).collect();
        let poses = planted.solve_poses(&postures, Some(&centers));
        let mut replanted = foot_plant.clone();
        replanted.set_poses(clip, &poses);
        (self.clip, self.schedule) = (replanted.clip, replanted.schedule);
    }
}

/// Inertia of the whole body about its centre of mass, by axis, kg m2: mean over a motion, and over horizontal axes, so that
/// plans do not depend on the heading.
pub(super) fn inertia(clip: &Clip) -> Vec3 {
    let forest = clip.figure().forest();
    let mut kinematics = Kinematics::default();
    let frames: Vec<usize> = (0..clip.frames()).step_by((clip.frames() / 20).max(1)).collect();
    let mut bodies: Vec<BodyIx> = clip.figure().links().map(|(l, _)| forest.link_place(l).body).collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies.retain(|b| *b != BodyIx::WORLD);
    let mut sum = Vec3::ZERO;
    for f in &frames {
        kinematics.update(forest, clip.pose(*f), None, None);
        let com = centroidal::center_of_mass(forest, &kinematics);
        for body in &bodies {
            let at = kinematics.body_pose(*body).translation - com;
            let second = centroidal::body_inertia(forest, &kinematics, *body).shifted(at).second;
            sum += vec3(second.xx, second.yy, second.zz);
        }
    }
    let horizontal = 0.5 * (sum.x + sum.y);
    vec3(horizontal, horizontal, sum.z).scale(1.0 / frames.len() as f64)
}

/// Frames between knots.
pub(super) fn stride(dt: f64) -> usize {
    ((1.0 / KNOT_RATE / dt).round() as usize).max(1)
}

/// Share of the load that a contact point may take in a frame, from 0 to 1: forces come and go gradually. `None` in the air.
pub(super) fn share(schedule: &ContactSchedule, k: usize, f: usize, dt: f64) -> Option<f64> {
    Some(schedule.share(k, f, dt)?.clamp(MIN_SHARE, 1.0))
}

/// Adds the reach of a leg whose foot stands in a frame, moved by `shift`, to the last knot.
pub(super) fn add_reach(planner: &mut Planner, leg: &LegSpan, f: usize, shift: Vec3) {
    let span = leg.span[f] - shift;
    let now = span.norm();
    if let Some(direction) = span.normalized() {
        // a reference beyond the reach keeps what it has
        let most = (PLANNED_REACH * leg.length).max(leg.span[f].norm().min(leg.length));
        planner.add_reach(Reach { direction, margin: (most - now).max(0.0) });
    }
}

/// What a contact point may do at a knot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Support {
    /// share of the load, from 0 to 1
    pub share: f64,
    /// displacement from the schedule
    pub shift: Vec3,
    /// index of its footstep
    pub step: Option<usize>,
}

/// Adds the contacts of a frame to the last knot, drawn in a little towards the middle of their limb.
pub(super) fn add_contacts(
    planner: &mut Planner,
    schedule: &ContactSchedule,
    f: usize,
    sole_part: f64,
    support: &dyn Fn(usize) -> Option<Support>,
) {
    let limb = |k: usize| (schedule.points[k].link, schedule.points[k].site.is_foot());
    let on: Vec<(usize, Support)> =
        (0..schedule.points.len()).filter_map(|k| Some((k, support(k)?))).collect();
    for (k, Support { share, shift, step }) in &on {
        let mates = on.iter().filter(|(o, _)| limb(*o) == limb(*k));
        let around: Vec<Vec3> = mates.flat_map(|(o, _)| schedule.tracks[*o].at(f).to_vec()).collect();
        let middle = around.iter().fold(Vec3::ZERO, |a, b| a + *b).scale(1.0 / around.len().max(1) as f64);
        // a segment touches with its low side
        let low = schedule.tracks[*k].lowest(f).z + LOW_BAND;
        let is_segment = schedule.points[*k].site.is_segment();
        for p in schedule.tracks[*k].at(f).iter().filter(|p| !is_segment || p.z < low) {
            let cone = Cone { normal: schedule.normal(*k, f), friction: FRICTION, eps: FORCE_COST / share };
            let at = middle + (*p - middle).scale(sole_part) + *shift;
            planner.add_contact(PlanContact { at, cone, step: *step });
        }
    }
}
