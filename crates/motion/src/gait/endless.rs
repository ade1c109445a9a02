//! An endless walk whose gait changes on request.
//!
//! A plan of two segments, the current and the requested gait, contains a cycle of each and the transition. The last
//! cycle repeats, each time from where the previous one ended. After a request the next plan is computed while the
//! figure walks on, with passes at fixed simulation steps, so that the result does not depend on the clock; the figure
//! switches to it at the same phase of its cycle.
//! Source: our own.
//! Checked by: `tests/it/endless_walk.rs`.

use super::controller::WalkController;
use super::footsteps::{FootSize, Footsteps, Segment, Start};
use super::parameter::{Kind, Stature};
use super::plan::{DT, PlanFrame, WalkPlan};
use super::planning::Planner;
use super::refuse;
use super::terrain::{Footprint, Terrain};
use super::walk::Walker;
use crate::error::Error;
use crate::filter::{AppliedForce, SimulatedBody, SolvedStep, has_fallen};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Vec3, vec3};
use std::sync::Arc;

/// Steady footsteps before the cycle, in it, and after it until a transition or until braking: the centre of mass
/// anticipates the steps to come.
const STEPS_BEFORE: usize = 3;
const CYCLE_STEPS: usize = 2;
const STEPS_AFTER: [usize; 2] = [1, 3];
/// Samples planned per simulation step.
const SAMPLES_PER_STEP: usize = 100;
/// Simulation steps between checks for a fall, and from a fall to the restart.
const FALL_CHECK_STEPS: u64 = 10;
const RESTART_STEPS: u64 = 1000;
/// Time since the last landing after which a figure is standing, s.
const STANDING_TIME: f64 = 1.5;
/// Shortest swing phase of a measured step, s.
const MIN_SWING: f64 = 0.1;

/// An endless walk.
#[derive(Clone, Debug)]
pub struct EndlessWalk {
    walker: Walker,
    controller: WalkController,
    sample: usize,
    /// current gait; `None`: standing
    gait: Option<Segment>,
    /// last gait that was not standing
    last_gait: Segment,
    cycle: Option<Cycle>,
    next: Option<NextPlan>,
    steps: u64,
    pace_meter: PaceMeter,
    /// step of the restart after a fall
    restart_at: Option<u64>,
    falls: usize,
}

/// The repeated part of a plan, in simulation steps.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cycle {
    from: usize,
    to: usize,
    /// of the stance foot at its start and end
    prints: [Footprint; 2],
}

impl Cycle {
    /// The cycle in the steady steps of a segment, from toe-off of a right foot.
    fn find(steps: &Footsteps, segment: usize) -> Option<Cycle> {
        let all = &steps.steps;
        let first = all.iter().position(|s| s.segment == segment && s.is_steady)? + STEPS_BEFORE;
        let i = (first..all.len()).find(|i| all[*i].side == 1)?;
        let after = all.get(i + CYCLE_STEPS).filter(|s| s.segment == segment && s.is_steady)?;
        let [from, to] = [&all[i], after].map(|s| (s.lift / DT).round() as usize);
        Some(Cycle { from, to, prints: [all[i - 1].print, all[i + 1].print] })
    }
}

/// The next plan, in progress. A clone drops the planner and repeats its passes when needed.
#[derive(Debug)]
struct NextPlan {
    gait: Option<Segment>,
    steps: Footsteps,
    /// passes made, and simulation steps until the next
    passes: usize,
    wait: usize,
    planner: Option<Planner>,
    plan: Option<Arc<WalkPlan>>,
}

impl Clone for NextPlan {
    fn clone(&self) -> NextPlan {
        let NextPlan { gait, ref steps, passes, wait, planner: _, ref plan } = *self;
        NextPlan { gait, steps: steps.clone(), passes, wait, planner: None, plan: plan.clone() }
    }
}

impl NextPlan {
    fn new(gait: Option<Segment>, steps: Footsteps) -> NextPlan {
        NextPlan { gait, steps, passes: 0, wait: 0, planner: None, plan: None }
    }

    /// Continues planning by the share of one simulation step.
    fn advance(&mut self, walker: &mut Walker) {
        if self.plan.is_some() {
            return;
        }
        if self.wait > 0 {
            self.wait -= 1;
            return;
        }
        self.pass(walker);
    }

    fn pass(&mut self, walker: &mut Walker) {
        let leg_ik = &mut walker.leg_ik;
        let mut planner = self.planner.take().unwrap_or_else(|| {
            let mut planner = Planner::coarse(leg_ik, self.steps.clone());
            for _ in 0..self.passes {
                planner.pass(leg_ik);
            }
            planner
        });
        self.passes += 1;
        if planner.pass(leg_ik) {
            self.plan = Some(Arc::new(planner.plan));
        } else {
            self.wait = planner.plan.samples() / SAMPLES_PER_STEP;
            self.planner = Some(planner);
        }
    }

    /// Completes the plan at once.
    fn finish(mut self, walker: &mut Walker) -> Arc<WalkPlan> {
        loop {
            match self.plan {
                Some(plan) => return plan,
                None => self.pass(walker),
            }
        }
    }
}

impl Walker {
    /// An endless walk in progress. The turn of a gait is that of its number of steps.
    ///
    /// # Errors
    /// A gait that cannot be walked.
    pub fn endless(&self, gait: Segment, strength: f64) -> Result<EndlessWalk, Error> {
        let mut walker = self.clone();
        let gait = rounded(gait)?;
        let steps = walker.footsteps(&[gait], None)?;
        let plan = NextPlan::new(Some(gait), steps).finish(&mut walker);
        let body = SimulatedBody::new(&self.figure, &self.anatomy, self.contact_points.clone(), strength)?;
        let cycle = Cycle::find(&plan.steps, 0);
        let sample = cycle.map_or(0, |c| c.from);
        // the stance foot is beside the origin
        let at = cycle.map_or(Vec3::ZERO, |c| vec3(-c.prints[0].at.x, 0.0, 0.0));
        let controller =
            WalkController::at(sample, PlanFrame { at, turn: 0.0 }, plan, body, &self.contact_points);
        Ok(EndlessWalk {
            walker,
            controller,
            sample,
            gait: Some(gait),
            last_gait: gait,
            cycle,
            next: None,
            steps: 0,
            pace_meter: PaceMeter::default(),
            restart_at: None,
            falls: 0,
        })
    }

    /// Footsteps of a path on which each gait has a cycle.
    fn footsteps(&self, gaits: &[Segment], start: Option<&Start>) -> Result<Footsteps, Error> {
        let size = FootSize::new(&self.leg_ik);
        let mut segments: Vec<Segment> = Vec::new();
        let mut steps = None;
        for (n, gait) in gaits.iter().enumerate() {
            let after = STEPS_AFTER[usize::from(n + 1 == gaits.len())];
            // a cycle begins with the right foot, which may take one more step
            for long in [0, 1].map(|more| STEPS_BEFORE + CYCLE_STEPS + after + more) {
                segments.truncate(n);
                segments.push(Segment {
                    steps: long,
                    turn: gait.turn * long as f64 / gait.steps as f64,
                    ..*gait
                });
                let planned = Footsteps::plan(&segments, &size, start.cloned())?;
                let first = planned.steps.iter().position(|s| s.segment == n && s.is_steady).unwrap_or(0);
                let is_right = planned.steps[first + STEPS_BEFORE].side == 1;
                steps = Some(planned);
                if is_right {
                    break;
                }
            }
        }
        steps.map_or_else(|| refuse("the path has no steps"), Ok)
    }
}

/// The gait with steps of a whole number of samples.
fn rounded(mut gait: Segment) -> Result<Segment, Error> {
    if gait.ground != Terrain::Level {
        return refuse("an endless walk needs level ground");
    }
    if gait.parameters.kind == Kind::Jump {
        return refuse("an endless walk has no jumps");
    }
    gait.steps = gait.steps.max(1);
    gait.parameters = gait.parameters.rounded(DT);
    Ok(gait)
}

impl EndlessWalk {
    /// Requests another gait, or standing.
    ///
    /// # Errors
    /// A gait that cannot be walked; the current one continues.
    pub fn request(&mut self, gait: Option<Segment>) -> Result<(), Error> {
        let gait = gait.map(rounded).transpose()?;
        if gait == self.gait {
            self.next = None;
            return Ok(());
        }
        let steps = match (self.gait, gait) {
            (Some(now), gait) => {
                let both: Vec<Segment> = core::iter::once(now).chain(gait).collect();
                self.walker.footsteps(&both, None)?
            }
            (None, Some(gait)) => {
                self.walker.footsteps(&[gait], Some(&self.controller.plan.steps.after()))?
            }
            (None, None) => return Ok(()),
        };
        self.next = Some(NextPlan::new(gait, steps));
        Ok(())
    }

    /// Simulation time step, s.
    pub fn dt(&self) -> f64 {
        DT
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.steps as f64 * DT
    }

    /// The figure.
    pub fn figure(&self) -> &Arc<Figure> {
        &self.walker.figure
    }

    /// State and contact forces.
    pub fn body(&self) -> &SimulatedBody {
        &self.controller.body
    }

    /// Access to friction and gains.
    pub fn body_mut(&mut self) -> &mut SimulatedBody {
        &mut self.controller.body
    }

    /// Pose and velocities of the reference.
    pub fn planned(&self) -> (&[f64], &[f64]) {
        (&self.controller.reference.q, &self.controller.reference.v)
    }

    /// Body size.
    pub fn stature(&self) -> Stature {
        self.walker.stature(self.walker.figure.stature)
    }

    /// Measured pace of the last cycle.
    pub fn pace(&self) -> MeasuredPace {
        self.pace_meter.pace(self.time())
    }

    /// Current gait; `None` while standing or stopping.
    pub fn gait(&self) -> Option<&Segment> {
        self.gait.as_ref()
    }

    /// Whether the last request is still being planned.
    pub fn is_planning(&self) -> bool {
        self.next.is_some()
    }

    /// Number of falls.
    pub fn falls(&self) -> usize {
        self.falls
    }

    /// Whether it lies on the ground after a fall.
    pub fn is_down(&self) -> bool {
        self.restart_at.is_some()
    }

    /// Makes a simulation step; `watch` receives it once its forces are solved.
    ///
    /// # Errors
    /// A restart after a fall whose plan fails; not known to happen.
    pub fn step(
        &mut self,
        applied: &[AppliedForce],
        watch: &mut dyn FnMut(&SolvedStep),
    ) -> Result<(), Error> {
        if let Some(restart_at) = self.restart_at {
            self.steps += 1;
            if self.steps >= restart_at {
                self.restart()?;
            }
            return Ok(());
        }
        if let Some(next) = &mut self.next {
            next.advance(&mut self.walker);
            self.switch_to_next();
        }
        let time = self.time();
        self.controller.solve(self.sample, applied);
        watch(&SolvedStep {
            time,
            dt: DT,
            body: &self.controller.body,
            reference: &self.controller.reference,
        });
        self.controller.body.finish(DT);
        self.pace_meter.update(&self.controller.body, time);
        self.steps += 1;
        self.sample += 1;
        match self.cycle {
            Some(c) if self.sample >= c.to => {
                let plan_frame = self.controller.plan_frame.onto(&c.prints[0], &c.prints[1]);
                self.switch_to(self.controller.plan.clone(), plan_frame, self.sample - (c.to - c.from));
            }
            _ => self.sample = self.sample.min(self.controller.plan.last()),
        }
        if !self.controller.body.is_sane()
            || self.steps.is_multiple_of(FALL_CHECK_STEPS)
                && has_fallen(&self.controller.body, &self.controller.reference)
        {
            self.falls += 1;
            self.restart_at = Some(self.steps + RESTART_STEPS);
        }
        Ok(())
    }

    /// Switches to the next plan at the same phase of the cycle.
    fn switch_to_next(&mut self) {
        let Some(NextPlan { gait, plan: Some(plan), .. }) = &self.next else { return };
        let (gait, plan) = (*gait, plan.clone());
        let plan_frame = self.controller.plan_frame;
        let (plan_frame, sample) = match (&self.cycle, Cycle::find(&plan.steps, 0)) {
            (Some(here), Some(there)) if self.sample >= here.from => {
                (plan_frame.onto(&there.prints[0], &here.prints[0]), self.sample - here.from + there.from)
            }
            (None, _) if self.sample >= self.controller.plan.last() => (plan_frame, 0),
            _ => return,
        };
        let segment = usize::from(self.gait.is_some());
        self.cycle = gait.and_then(|_| Cycle::find(&plan.steps, segment));
        (self.gait, self.next) = (gait, None);
        self.last_gait = gait.unwrap_or(self.last_gait);
        self.switch_to(plan, plan_frame, sample);
    }

    fn switch_to(&mut self, plan: Arc<WalkPlan>, plan_frame: PlanFrame, sample: usize) {
        self.controller.switch_to(plan, plan_frame, self.sample, sample);
        self.sample = sample;
    }

    /// Restarts standing where it fell, and walks on if a gait is set.
    fn restart(&mut self) -> Result<(), Error> {
        self.restart_at = None;
        let gait = self.next.take().map_or(self.gait, |next| next.gait);
        self.last_gait = gait.unwrap_or(self.last_gait);
        let steps = self.walker.footsteps(&[self.last_gait], None)?;
        let plan = NextPlan::new(gait, steps).finish(&mut self.walker);
        // a plan begins and ends standing
        let (sample, prints) = match gait {
            Some(_) => (0, plan.steps.start),
            None => (plan.last(), plan.steps.after().prints),
        };
        let center = self.controller.body.center_of_mass();
        let here = if center.is_finite() { vec3(center.x, center.y, 0.0) } else { Vec3::ZERO };
        let plan_frame = PlanFrame { at: Vec3::ZERO, turn: self.controller.plan_frame.turn };
        let there = plan_frame.point((prints[0].at + prints[1].at).scale(0.5));
        let plan_frame = PlanFrame { at: here - there, ..plan_frame };
        let mut body = self.controller.body.clone();
        body.reset();
        self.cycle = gait.and_then(|_| Cycle::find(&plan.steps, 0));
        self.controller = WalkController::at(sample, plan_frame, plan, body, &self.walker.contact_points);
        (self.gait, self.sample, self.pace_meter) = (gait, sample, PaceMeter::default());
        Ok(())
    }
}

/// Measured pace; zero while standing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeasuredPace {
    /// m/s
    pub speed: f64,
    /// m
    pub length: f64,
    /// steps per second
    pub frequency: f64,
}

/// Measures the pace from times and positions of landings.
#[derive(Clone, Debug, Default)]
struct PaceMeter {
    /// by foot: last time of contact, s
    in_contact: Vec<f64>,
    /// by foot: time and position of the last two landings
    landed: Vec<[Option<(f64, Vec3)>; 2]>,
    /// foot that landed last
    last: usize,
}

impl PaceMeter {
    fn update(&mut self, body: &SimulatedBody, time: f64) {
        let feet = body.limbs.iter().filter(|l| l.is_foot);
        for (k, limb) in feet.enumerate() {
            if k >= self.in_contact.len() {
                self.in_contact.push(time);
                self.landed.push([None; 2]);
            }
            if !limb.is_in_contact() {
                continue;
            }
            if time - self.in_contact[k] > MIN_SWING {
                let at = body.now.kinematics.body_pose(limb.body).translation;
                self.landed[k] = [Some((time, at)), self.landed[k][0]];
                self.last = k;
            }
            self.in_contact[k] = time;
        }
    }

    /// Pace of the last cycle.
    fn pace(&self, time: f64) -> MeasuredPace {
        let Some([Some((t, now)), Some((before, then))]) = self.landed.get(self.last) else {
            return MeasuredPace::default();
        };
        if time - t > STANDING_TIME {
            return MeasuredPace::default();
        }
        let (cycle, travel) = (t - before, *now - *then);
        let speed = libm::hypot(travel.x, travel.y) / cycle;
        MeasuredPace { speed, length: 0.5 * speed * cycle, frequency: 2.0 / cycle }
    }
}
