//! Simulated walks: the plan is the reference; joint torques and ground reaction forces alone move the figure (`filter::SimulatedBody`).
//!
//! [`WalkDriver`] computes the torques for a walk simulated elsewhere: each millisecond the controller takes over the
//! state of the simulation and solves a step towards the plan there. Its contact forces are only a prediction; the
//! simulation decides what sticks, slips or lands, and the next state shows it. The controller therefore tolerates
//! touchdowns a few milliseconds off the plan. The simulation applies springs and dampers of the joints; the torques
//! account for them.
//! Checked by: `tests/it/gait.rs`, `crates/app/tests/it/scene_walk.rs`.

use super::controller::WalkController;
use super::footsteps::{Footsteps, Segment};
use super::leg_ik::LegIk;
use super::measure::{GaitMeasures, Meter, Sample, heading_at};
use super::parameter::Stature;
use super::plan::{DT, PlanFrame, WalkPlan};
use crate::anatomy::{self, Anatomy, Part};
use crate::clip::Clip;
use crate::contact_points::{self, ContactPoint};
use crate::error::Error;
use crate::filter::{AppliedForce, Filtered, Recorder, ReferenceSample, SimulatedBody, SolvedStep};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;
use std::sync::Arc;

/// Simulation steps per frame.
const STEPS: usize = 10;
/// Leg length (hip to sole) by body height.
const LEG_BY_HEIGHT: f64 = 0.52;

/// Settings of a simulated walk.
#[derive(Clone, Debug)]
pub struct WalkSettings {
    /// coefficient of friction of the ground
    pub friction: f64,
    /// factor on human strength; infinite: unlimited
    pub strength: f64,
    /// external forces
    pub pushes: Vec<AppliedForce>,
}

impl Default for WalkSettings {
    fn default() -> WalkSettings {
        WalkSettings { friction: crate::inverse::FRICTION, strength: 1.0, pushes: Vec::new() }
    }
}

/// A figure with the data for walking.
#[derive(Clone, Debug)]
pub struct Walker {
    pub(super) figure: Arc<Figure>,
    pub(super) anatomy: Anatomy,
    pub(super) contact_points: Vec<ContactPoint>,
    pub(super) leg_ik: LegIk,
}

/// Result of a simulated walk.
#[derive(Clone, Debug)]
pub struct WalkResult {
    /// motion and forces, in the form of a filtered motion
    pub filtered: Filtered,
    /// gait measures
    pub measured: GaitMeasures,
    /// samples of every millisecond
    pub samples: Vec<Sample>,
    /// planned footsteps
    pub steps: Footsteps,
    /// largest distance of a planned foot beyond the reach of its leg, m
    pub out_of_reach: f64,
}

impl Walker {
    /// Prepares a figure for walking; `parts` are body parts of links that recognition gets wrong.
    ///
    /// # Errors
    /// A figure without suitable legs.
    pub fn new(figure: &Arc<Figure>, parts: &[(String, Part)]) -> Result<Walker, Error> {
        let anatomy = anatomy::from_figure(figure, parts)?;
        let contact_points = contact_points::find(figure, &anatomy)?;
        let leg_ik = LegIk::new(figure, &anatomy, &contact_points)?;
        Ok(Walker { figure: figure.clone(), anatomy, contact_points, leg_ik })
    }

    /// Contact points of the figure.
    pub fn contact_points(&self) -> &[ContactPoint] {
        &self.contact_points
    }

    /// Body size; without `height` it is estimated from the legs.
    pub fn stature(&self, height: Option<f64>) -> Stature {
        let leg = self.leg_ik.hip_height;
        Stature { height: height.unwrap_or(leg / LEG_BY_HEIGHT), leg }
    }

    /// Plans and simulates a walk. `progress` receives the completed fraction, `watch` every simulation step.
    ///
    /// # Errors
    /// A path that cannot be walked.
    pub fn walk(
        &self,
        segments: &[Segment],
        settings: &WalkSettings,
        progress: &mut dyn FnMut(f64),
        watch: &mut dyn FnMut(&SolvedStep),
    ) -> Result<WalkResult, Error> {
        let mut controller = self.controller(segments, settings)?;
        progress(0.5);
        let frames = (controller.plan.samples() - 2) / STEPS;
        let reference = self.reference(&controller.plan, frames)?;
        let mut meter = Meter::new(&self.contact_points);
        // the reference of the last step
        let last = core::cell::RefCell::new(controller.reference.clone());
        let last_reference = |_: f64, sample: &mut ReferenceSample| sample.clone_from(&last.borrow());
        let mut recorder = Recorder::new(STEPS as f64 * DT, last_reference, watch);
        recorder.frame(&controller.body);
        let mut applied = Vec::new();
        for frame in 1..frames {
            for k in 0..STEPS {
                let sample = (frame - 1) * STEPS + k;
                let time = sample as f64 * DT;
                applied.clear();
                applied.extend(settings.pushes.iter().filter(|p| p.acts_at(time)));
                controller.solve(sample, &applied);
                let step =
                    SolvedStep { time, dt: DT, body: &controller.body, reference: &controller.reference };
                recorder.step(&step);
                meter.record(&step, &self.leg_ik, heading_at(&controller.plan.steps.steps, time));
                controller.body.finish(DT);
                if !controller.body.is_sane() {
                    // the frame reports a fall
                    break;
                }
            }
            last.borrow_mut().clone_from(&controller.reference);
            if recorder.frame(&controller.body) {
                break;
            }
            progress(0.5 + 0.5 * frame as f64 / frames as f64);
        }
        let plan = controller.plan;
        let filtered = recorder.into_filtered(
            &reference,
            reference.clone(),
            Vec::new(),
            self.contact_points.clone(),
            0,
        )?;
        let mut walked = WalkResult {
            filtered,
            measured: meter.measures(&plan.steps),
            samples: meter.samples,
            out_of_reach: plan.out_of_reach,
            steps: plan.steps.clone(),
        };
        walked.measure_from_path(&self.anatomy);
        Ok(walked)
    }

    /// A driver along a path, from standing to standing. External forces of the settings are ignored: they belong to the
    /// simulation.
    ///
    /// # Errors
    /// A path that cannot be walked.
    pub fn driver(&self, segments: &[Segment], settings: &WalkSettings) -> Result<WalkDriver, Error> {
        let controller = self.controller(segments, settings)?;
        let start = [controller.body.q().to_vec(), controller.body.v().to_vec()];
        let tau = vec![0.0; start[1].len()];
        Ok(WalkDriver { controller, start, sample: None, tau })
    }

    fn controller(&self, segments: &[Segment], settings: &WalkSettings) -> Result<WalkController, Error> {
        let plan = WalkPlan::along(&mut self.leg_ik.clone(), segments)?;
        let mut body =
            SimulatedBody::new(&self.figure, &self.anatomy, self.contact_points.clone(), settings.strength)?;
        body.friction = settings.friction;
        Ok(WalkController::at(0, PlanFrame::default(), Arc::new(plan), body, &self.contact_points))
    }

    /// The plan as a clip.
    fn reference(&self, plan: &WalkPlan, frames: usize) -> Result<Clip, Error> {
        let nq = self.figure.forest().nq();
        let poses = plan.q.chunks_exact(nq).step_by(STEPS).take(frames).flatten().copied().collect();
        Clip::new("walk".to_string(), self.figure.clone(), STEPS as f64 * DT, poses)
    }
}

impl WalkResult {
    /// Time of the fall, if any, s.
    pub fn fell(&self) -> Option<f64> {
        self.filtered.fell
    }
}

/// Walking controller that drives an external simulation.
#[derive(Clone, Debug)]
pub struct WalkDriver {
    controller: WalkController,
    start: [Vec<f64>; 2],
    /// sample of the current torques
    sample: Option<usize>,
    tau: Vec<f64>,
}

impl WalkDriver {
    /// Coordinates and velocities at the start.
    pub fn start(&self) -> [&[f64]; 2] {
        [&self.start[0], &self.start[1]]
    }

    /// Duration from standing to standing, s; after that the figure keeps standing.
    pub fn duration(&self) -> f64 {
        self.last() as f64 * DT
    }

    /// Planned footsteps.
    pub fn steps(&self) -> &Footsteps {
        &self.controller.plan.steps
    }

    /// Joint torques at a time and state, by degree of freedom; zero for the root. Updated every millisecond.
    pub fn torques(&mut self, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        let sample = nearest(time);
        if self.sample != Some(sample) {
            self.sample = Some(sample);
            self.controller.body.set_state(q, v);
            self.controller.solve(sample, &[]);
            self.tau.copy_from_slice(self.controller.body.tau());
            let root = self.controller.body.root_iv;
            self.tau[root..root + 6].fill(0.0);
        }
        tau.copy_from_slice(&self.tau);
    }

    /// Planned coordinates at a time.
    pub fn planned(&self, time: f64) -> &[f64] {
        let nq = self.start[0].len();
        let k = nearest(time).min(self.last());
        &self.controller.plan.q[k * nq..(k + 1) * nq]
    }

    /// Planned ground reaction force at a time, N.
    pub fn planned_force(&self, time: f64) -> Vec3 {
        let figure = &self.controller.body.figure;
        let rate = self.controller.plan.acceleration(nearest(time).min(self.last()));
        (rate - figure.gravity()).scale(figure.mass())
    }

    /// State and predicted contact forces of the last solve.
    pub fn body(&self) -> &SimulatedBody {
        &self.controller.body
    }

    fn last(&self) -> usize {
        self.controller.plan.last()
    }
}

/// Sample nearest to a time.
fn nearest(time: f64) -> usize {
    (time / DT).round().max(0.0) as usize
}
