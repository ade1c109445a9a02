//! The off-line run: a planned motion, tracked with feedback; where the figure falls, assistance is tried.
//!
//! The plan is made anew from the state of the figure several times a second (`replan`). Where the figure falls, the run
//! goes back to a state before, and assistance (`assist`) may act until the figure has passed that place, as little and as
//! late as suffices. What is decided is kept as a script, from which a second pass makes the result: the search leaves no
//! traces in it, and the second pass has its bits.
//! Checked by: `tests/it/filter.rs`.

use super::applied_force::AppliedForce;
use super::gains::Gains;
use super::momentum_plan::{MomentumPlan, SOLE_PART};
use super::recorder::{Recorder, has_fallen, mean_distance};
use super::reference::{Reference, ReferenceSample};
use super::replan::Replanner;
use super::run::SolvedStep;
use super::simulated_body::{SimulatedBody, steps_per_frame};
use crate::centroid::CentroidalTrajectory;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::Vec3;
use std::ops::Range;

/// Time between states to come back to, and how long they are kept, s.
const CHECKPOINT_INTERVAL: f64 = 0.1;
const CHECKPOINTS_KEPT: f64 = 3.0;
/// The usual tactic.
const USUAL: Tactic = Tactic {
    before: 0.0,
    plan_interval: 0.05,
    window: 1.2,
    soles: 1.0,
    momentum: 1.0,
    joints: 1.0,
    assist: 0.0,
    assisted: f64::INFINITY,
};
/// Tactics after a fall, in order: others than the usual one, then assistance, the briefest first, and last as much as is
/// allowed.
const AFTER_FALL: &[Tactic] = &[
    Tactic { before: 0.5, plan_interval: 0.025, soles: 0.9, ..USUAL },
    Tactic { before: 1.0, plan_interval: 0.025, ..USUAL },
    Tactic { before: 1.0, soles: 0.9, ..USUAL },
    Tactic { before: 1.0, joints: 0.5, ..USUAL },
    Tactic { before: 1.0, momentum: 0.3, ..USUAL },
    Tactic { before: 1.0, plan_interval: 0.025, window: 0.7, momentum: 3.0, ..USUAL },
    Tactic { before: 1.5, soles: 0.8, joints: 0.5, ..USUAL },
    Tactic { before: 1.0, plan_interval: 0.1, ..USUAL },
    Tactic { before: 2.0, plan_interval: 0.025, momentum: 0.1, ..USUAL },
    Tactic { before: 0.3, assist: 0.3, assisted: 0.15, ..USUAL },
    Tactic { before: 0.5, assist: 0.3, assisted: 0.15, ..USUAL },
    Tactic { before: 0.5, assist: 0.3, assisted: 0.3, ..USUAL },
    Tactic { before: 1.0, assist: 0.3, assisted: 0.3, ..USUAL },
    Tactic { before: 1.0, assist: 0.3, assisted: 0.6, ..USUAL },
    Tactic { before: 0.5, assist: 0.3, ..USUAL },
    Tactic { before: 1.0, assist: 0.3, ..USUAL },
    Tactic { before: 1.5, assist: 0.3, joints: 0.5, ..USUAL },
    Tactic { before: 2.0, assist: 0.3, ..USUAL },
    Tactic { before: 1.0, assist: f64::INFINITY, ..USUAL },
];
/// Time that attempts may simulate, s, and for each second of the motion, s; falls that no tactic prevents until none is tried.
const MIN_EFFORT: f64 = 25.0;
const MAX_EFFORT: f64 = 2.0;
/// Newton steps that count as one internal step: steps with many joints at their bounds cost a hundred times more.
const NEWTON_STEPS: f64 = 10.0;
const MAX_FAILURES: usize = 3;
/// Time after the fall until which an attempt must stand, s; its tactic ends there.
const BEYOND: f64 = 0.5;
/// Mean distance of the links from the motion beyond which the figure strays, m; time that it may stray where no tactic prevents it, s.
const STRAY_DISTANCE: f64 = 0.3;
const STRAYING: f64 = 1.0;

/// How the figure is kept up over a part of the motion.
#[derive(Clone, Copy, Debug)]
struct Tactic {
    /// how long before a fall it begins, s
    before: f64,
    /// time between plans, s
    plan_interval: f64,
    /// length of their windows, s
    window: f64,
    /// factor on the part of the soles that they use
    soles: f64,
    /// factor on the weights of centre of mass and angular momentum
    momentum: f64,
    /// factor on the feedback rate of joints
    joints: f64,
    /// largest assistance, body weights, and for how long, s
    assist: f64,
    assisted: f64,
}

/// How an attempt ended, and in which frame.
#[derive(Clone, Copy, Debug)]
enum Ending {
    Fell(usize),
    /// standing, but far from the motion
    Strayed(usize),
}

/// What is followed from a frame on.
#[derive(Clone, Debug)]
struct Decision {
    frame: usize,
    change: Option<CentroidalTrajectory>,
    /// footsteps by limb
    goals: Vec<Vec3>,
    gains: Gains,
    max_assist: f64,
    /// whether the figure is set to the reference here
    restarts: bool,
}

/// A state to come back to.
#[derive(Clone)]
struct Checkpoint {
    /// frames that are done
    frame: usize,
    body: SimulatedBody,
    decisions: usize,
    change: Option<CentroidalTrajectory>,
}

/// A run in the making.
pub(super) struct OfflineRun<'a> {
    body: SimulatedBody,
    /// as it was given: restarts begin from it, so that a replay has the bits of the search
    fresh: SimulatedBody,
    reference: Reference,
    /// the motion that falls are judged by
    target: Reference,
    replanner: Replanner<'a>,
    pushes: &'a [AppliedForce],
    /// frame time, s
    dt: f64,
    frames: usize,
    /// largest assistance, body weights
    max_assist: f64,
    usual_gains: Gains,
    /// time simulated, and in attempts after falls, s; hard steps count more
    work: f64,
    effort: f64,
    /// falls that no tactic prevented
    failures: usize,
    /// coordinates at the end of the search
    found: Vec<f64>,
    sample: ReferenceSample,
    applied: Vec<AppliedForce>,
    /// of the figure and of the motion
    kinematics: [Kinematics; 2],
    decisions: Vec<Decision>,
    checkpoints: Vec<Checkpoint>,
}

impl<'a> OfflineRun<'a> {
    pub fn new(
        body: SimulatedBody,
        plan: &'a MomentumPlan,
        target: Reference,
        pushes: &'a [AppliedForce],
        max_assist: f64,
    ) -> OfflineRun<'a> {
        OfflineRun {
            usual_gains: body.gains,
            // assistance is an unknown of the QP
            max_assist: if body.is_replanned { max_assist } else { 0.0 },
            fresh: body.clone(),
            work: 0.0,
            effort: 0.0,
            failures: 0,
            found: Vec::new(),
            body,
            reference: Reference::new(&plan.clip, &plan.schedule).with_plan(&plan.momentum),
            target,
            replanner: Replanner::new(plan),
            pushes,
            dt: plan.clip.dt(),
            frames: plan.clip.frames(),
            sample: ReferenceSample::default(),
            applied: Vec::new(),
            kinematics: Default::default(),
            decisions: Vec::new(),
            checkpoints: Vec::new(),
        }
    }

    /// Decides the whole motion. `progress` receives the completed fraction.
    pub fn search(&mut self, progress: &mut dyn FnMut(f64)) {
        self.restart(0);
        let (mut frame, last) = (0, self.frames - 1);
        // until when the figure may be anywhere
        let mut astray = 0;
        while frame < last {
            match self.attempt(frame..last, Some(astray), &USUAL, progress) {
                Ok(end) => frame = end,
                Err(ending) => {
                    frame = self.recover(ending, progress).unwrap_or_else(|| match ending {
                        Ending::Fell(at) => {
                            self.failures += 1;
                            self.restart(at);
                            at
                        }
                        Ending::Strayed(at) => {
                            astray = at + (STRAYING / self.dt) as usize;
                            at
                        }
                    });
                }
            }
        }
        self.found.clone_from(&self.body.q);
    }

    /// Sets the figure to the reference.
    fn set_to_reference(&mut self, frame: usize) {
        self.reference.at(frame as f64 * self.dt, &mut self.sample);
        self.body.clone_from(&self.fresh);
        self.body.start(&self.sample);
    }

    /// Goes on from the reference.
    fn restart(&mut self, frame: usize) {
        self.reference.change = None;
        self.set_to_reference(frame);
        self.replanner.restart();
        self.decide(frame, true);
        self.checkpoints.clear();
        self.keep(frame);
    }

    fn decide(&mut self, frame: usize, restarts: bool) {
        self.decisions.push(Decision {
            frame,
            change: self.reference.change.clone(),
            goals: self.body.limbs.iter().map(|l| l.goal).collect(),
            gains: self.body.gains,
            max_assist: self.body.max_assist,
            restarts,
        });
    }

    fn keep(&mut self, frame: usize) {
        let (body, change) = (self.body.clone(), self.reference.change.clone());
        self.checkpoints.push(Checkpoint { frame, body, decisions: self.decisions.len(), change });
    }

    fn go_back(&mut self, to: &Checkpoint, decisions: &[Decision]) {
        self.body = to.body.clone();
        self.reference.change.clone_from(&to.change);
        self.replanner.restart();
        self.decisions.clear();
        self.decisions.extend_from_slice(&decisions[..to.decisions]);
    }

    /// Simulates from a frame to another. From the frame `near` on, if any, the figure must stay near the motion.
    fn attempt(
        &mut self,
        frames: Range<usize>,
        near: Option<usize>,
        tactic: &Tactic,
        progress: &mut dyn FnMut(f64),
    ) -> Result<usize, Ending> {
        let from = frames.start;
        let every = |seconds: f64| ((seconds / self.dt).round() as usize).max(1);
        let (plan_every, keep_every) = (every(tactic.plan_interval), every(CHECKPOINT_INTERVAL));
        let kept = every(CHECKPOINTS_KEPT);
        self.replanner.sole_part = tactic.soles * SOLE_PART;
        for frame in frames.clone() {
            if frame == from || (frame % plan_every == 0 && frame > 0) {
                let is_assisted = ((frame - from) as f64 * self.dt) < tactic.assisted;
                self.body.max_assist = if is_assisted { tactic.assist.min(self.max_assist) } else { 0.0 };
                self.body.gains = self.usual_gains.scaled(tactic.momentum, tactic.joints);
                if frame > 0
                    && self.body.is_replanned
                    && let Some(change) = self.replanner.window(frame, tactic.window, &mut self.body)
                {
                    self.reference.change = Some(change);
                }
                self.decide(frame, false);
            }
            self.advance(frame, &mut |_| ());
            let now = frame + 1;
            self.target.at(now as f64 * self.dt, &mut self.sample);
            if has_fallen(&self.body, &self.sample) {
                return Err(Ending::Fell(now));
            }
            if near.is_some_and(|near| now >= near)
                && self.body.is_replanned
                && mean_distance(&self.body, &self.sample, &mut self.kinematics) > STRAY_DISTANCE
            {
                return Err(Ending::Strayed(now));
            }
            if now % keep_every == 0 {
                self.keep(now);
                let oldest = self.checkpoints.iter().position(|c| c.frame + kept >= now).unwrap_or(0);
                self.checkpoints.drain(..oldest);
                progress(now as f64 / self.frames as f64);
            }
        }
        Ok(frames.end)
    }

    /// Simulates one frame.
    fn advance(&mut self, frame: usize, each: &mut dyn FnMut(&SolvedStep)) {
        let steps = steps_per_frame(self.dt);
        let step = self.dt / steps as f64;
        for k in 0..steps {
            if !self.body.is_sane() {
                break; // a fall
            }
            let time = frame as f64 * self.dt + k as f64 * step;
            self.reference.at(time, &mut self.sample);
            self.applied.clear();
            self.applied.extend(self.pushes.iter().filter(|p| p.acts_at(time)));
            self.body.solve(&self.sample, &self.applied, step);
            self.work += step * (1.0 + self.body.solved().steps as f64 / NEWTON_STEPS);
            each(&SolvedStep { time, dt: step, body: &self.body, reference: &self.sample });
            self.body.finish(step);
        }
    }

    /// Goes back before the end of an attempt and tries other tactics, after a fall also assistance; returns the frame reached,
    /// `None` if all is as before since none serves.
    fn recover(&mut self, ending: Ending, progress: &mut dyn FnMut(f64)) -> Option<usize> {
        let (dt, last) = (self.dt, self.frames - 1);
        let (end, near, most) = match ending {
            Ending::Fell(at) => (at, None, self.max_assist),
            Ending::Strayed(at) => (at, Some(at), 0.0),
        };
        if near.is_some() {
            self.keep(end);
        }
        let frames = |seconds: f64| (seconds / dt).round() as usize;
        let until = (end + frames(BEYOND)).min(last);
        let decisions = core::mem::take(&mut self.decisions);
        let checkpoints = core::mem::take(&mut self.checkpoints);
        for tactic in AFTER_FALL.iter().filter(|t| most > 0.0 || t.assist == 0.0) {
            let start = end.saturating_sub(frames(tactic.before));
            let is_spent = self.effort > MIN_EFFORT + MAX_EFFORT * self.frames as f64 * dt;
            // assistance is always left to try
            if self.failures >= MAX_FAILURES || (is_spent && tactic.assist == 0.0) {
                continue;
            }
            let at = checkpoints.iter().rposition(|c| c.frame <= start).unwrap_or(0);
            self.go_back(&checkpoints[at], &decisions);
            self.checkpoints.clear();
            self.checkpoints.extend_from_slice(&checkpoints[..=at]);
            let work = self.work;
            let reached = self.attempt(checkpoints[at].frame..until, near, tactic, progress);
            self.effort += self.work - work;
            if reached.is_ok() {
                return Some(until);
            }
        }
        if let Some(state) = checkpoints.last().filter(|c| c.frame == end) {
            self.go_back(state, &decisions);
        }
        (self.decisions, self.checkpoints) = (decisions, checkpoints);
        None
    }

    /// Makes the result.
    pub fn replay<T: FnMut(f64, &mut ReferenceSample)>(
        mut self,
        recorder: &mut Recorder<T>,
        progress: &mut dyn FnMut(f64),
    ) {
        let decisions = core::mem::take(&mut self.decisions);
        let mut coming = decisions.iter().peekable();
        for frame in 0..self.frames {
            while let Some(decision) = coming.next_if(|d| d.frame == frame) {
                self.reference.change.clone_from(&decision.change);
                if decision.restarts {
                    self.set_to_reference(frame);
                }
                (self.body.max_assist, self.body.gains) = (decision.max_assist, decision.gains);
                self.body.limbs.iter_mut().zip(&decision.goals).for_each(|(limb, goal)| limb.goal = *goal);
            }
            if frame == 0 {
                recorder.frame(&self.body);
            }
            if frame + 1 < self.frames {
                self.advance(frame, &mut |step| recorder.step(step));
                let has_fallen = coming.peek().is_some_and(|d| d.frame == frame + 1 && d.restarts);
                recorder.frame_after(&self.body, has_fallen);
                progress(frame as f64 / self.frames as f64);
            }
        }
        debug_assert!(self.body.q == self.found, "the second pass has the bits of the search");
    }
}
