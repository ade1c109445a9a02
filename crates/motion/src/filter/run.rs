//! Filters a whole motion, on-line or off-line.

use super::applied_force::AppliedForce;
use super::assist::AssistReport;
use super::audit::Audit;
use super::foot_plant::FootPlant;
use super::momentum_plan::MomentumPlan;
use super::offline::OfflineRun;
use super::online::OnlineFilter;
use super::prepare::Prepared;
use super::recorder::{Recorder, TrackingError, loaded_props};
use super::reference::{Reference, ReferenceSample};
use super::simulated_body::{GroundForce, SimulatedBody, Solver};
use super::warning::missing_contact_warnings;
use crate::anatomy::Part;
use crate::certificate::limits;
use crate::clip::Clip;
use crate::contact_points;
use crate::contact_schedule::Prop;
use crate::error::Error;
use crate::note::Note;
use crate::pose;
use crate::surroundings::Surroundings;
use crate::trajectory::Trajectory;
use anthropi_dynamics::spatial::Force;

/// Share of an off-line run spent until foot-plant clean-up, planning, and the search end.
const CLEANED_UP: f64 = 0.05;
const PLANNED: f64 = 0.25;
const SEARCHED: f64 = 0.85;
/// Cut-off of the reference after foot-plant clean-up, parts of the cut-off of the input.
const REFERENCE_CUTOFF: f64 = 1.5;

/// Largest assistance by default, body weights.
pub const MAX_ASSIST: f64 = 0.3;

/// Whether the filter may use future frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// causal, one frame of look-ahead
    Online,
    /// the whole motion is known
    #[default]
    Offline,
}

/// Settings of a filter run.
#[derive(Clone, Debug)]
pub struct FilterSettings {
    /// whether future frames may be used
    pub mode: Mode,
    /// solver for each step
    pub solver: Solver,
    /// factor on human strength; infinite for no torque limits
    pub strength: f64,
    /// coefficient of friction of the ground
    pub friction: f64,
    /// height of the ground, m; detected if `None`
    pub ground: Option<f64>,
    /// body parts of links by name, overriding the detection
    pub parts: Vec<(String, Part)>,
    /// props besides the ground, off-line
    pub surroundings: Surroundings,
    /// whether off-line motions labelled with the wrong frame rate are retimed
    pub retimes: bool,
    /// largest assistance where an off-line motion cannot stand without it, body weights; zero for none
    pub max_assist: f64,
    /// applied forces
    pub pushes: Vec<AppliedForce>,
}

impl Default for FilterSettings {
    fn default() -> FilterSettings {
        FilterSettings {
            mode: Mode::Offline,
            solver: Solver::Qp,
            strength: 1.0,
            friction: crate::inverse::FRICTION,
            ground: None,
            parts: Vec::new(),
            surroundings: Surroundings::default(),
            retimes: true,
            max_assist: MAX_ASSIST,
            pushes: Vec::new(),
        }
    }
}

/// An internal step, solved but not yet integrated.
#[derive(Clone, Copy, Debug)]
pub struct SolvedStep<'a> {
    /// time, s
    pub time: f64,
    /// step length, s
    pub dt: f64,
    /// state, accelerations, torques and ground forces
    pub body: &'a SimulatedBody,
    /// reference at this time
    pub reference: &'a ReferenceSample,
}

/// A filtered motion.
#[derive(Clone, Debug)]
pub struct Filtered {
    /// physically consistent motion
    pub clip: Clip,
    /// reference of the tracking error: the input after foot-plant clean-up
    pub reference: Clip,
    /// contact points of the figure
    pub contact_points: Vec<contact_points::ContactPoint>,
    /// props that carry besides the ground, with the loads of the filtered motion
    pub props: Vec<Prop>,
    /// ground forces by frame and point: means over the steps since the previous frame
    pub forces: Vec<Vec<GroundForce>>,
    /// assistance by frame: mean wrench about the centre of mass over the steps since the previous frame
    pub assist: Vec<Force>,
    /// time of the first fall, s
    pub fell: Option<f64>,
    /// number of falls; after each the figure restarts at the reference
    pub falls: usize,
    /// tracking error until the first fall
    pub tracking: TrackingError,
    /// audit of the forces over all internal steps
    pub audit: Audit,
    /// delay of the output, frames
    pub delay: usize,
    /// human-readable notes and warnings
    pub notes: Vec<Note>,
}

impl Filtered {
    /// Assistance over the whole motion.
    pub fn assist_report(&self) -> AssistReport {
        let figure = self.clip.figure();
        let weight = figure.mass() * figure.gravity().norm();
        AssistReport::from_frames(&self.assist, weight, self.clip.dt())
    }

    /// Whether the motion is physically consistent: no assistance, no fall, residual force and moment within limits, no contact or
    /// strength violation, no skating or penetrating feet.
    pub fn is_consistent(&self) -> bool {
        !self.assist_report().is_used() && self.is_consistent_but_for_assistance()
    }

    /// Like [`Filtered::is_consistent`], where assistance counts as an applied force.
    pub fn is_consistent_but_for_assistance(&self) -> bool {
        let (audit, figure) = (&self.audit, self.clip.figure());
        let weight = figure.mass() * figure.gravity().norm();
        let violations =
            [audit.normal_violations, audit.friction_violations, audit.cop_outside, audit.torque_violations];
        self.fell.is_none()
            && violations.iter().all(|n| *n == 0)
            && audit.force_rms_bw <= limits::FORCE
            && audit.moment_rms <= limits::MOMENT * weight
            && audit.penetration_max <= limits::DEPTH
            && audit.skate_mean <= limits::SKATE
    }
}

/// Filters a clip. `progress` receives the completed fraction; `watch` every solved internal step.
///
/// # Errors
/// A figure without feet or without a free root; a figure with loop closures for the QP; fewer than three frames, or
/// frames more than a quarter of a second apart.
pub fn run(
    clip: &Clip,
    settings: &FilterSettings,
    progress: &mut dyn FnMut(f64),
    watch: &mut dyn FnMut(&SolvedStep),
) -> Result<Filtered, Error> {
    let prepared = Prepared::from_clip(clip, settings, progress)?;
    let mut notes = prepared.notes.clone();
    let Prepared { input, clip, anatomy, contact_points, trajectory, schedule, cutoff, .. } = &prepared;
    let foot_plant = FootPlant::new(trajectory, schedule);
    progress(0.0);
    notes.extend(missing_contact_warnings(&foot_plant.clip, &foot_plant.schedule));
    let smooth = Trajectory::from_clip(&foot_plant.clip, Some(REFERENCE_CUTOFF * cutoff)).clip;
    let mut target = Reference::new(&smooth, &foot_plant.schedule);

    let mut body = SimulatedBody::new(clip.figure(), anatomy, contact_points.clone(), settings.strength)?;
    body.friction = settings.friction;
    body.set_solver(settings.solver)?;
    let judge = target.clone();
    let mut recorder = Recorder::new(clip.dt(), |t, sample| target.at(t, sample), watch);
    match settings.mode {
        Mode::Offline => {
            let plan = MomentumPlan::new(&foot_plant, &mut |part| {
                progress(CLEANED_UP + (PLANNED - CLEANED_UP) * part)
            });
            let hinges = foot_plant.planted().map_or(Vec::new(), |p| p.hinges());
            body.track_plans(hinges);
            let mut run = OfflineRun::new(body, &plan, judge, &settings.pushes, settings.max_assist);
            run.search(&mut |part| progress(PLANNED + (SEARCHED - PLANNED) * part));
            run.replay(&mut recorder, &mut |part| progress(SEARCHED + (1.0 - SEARCHED) * part));
        }
        Mode::Online => {
            let mut filter = OnlineFilter::with_body(body, clip.dt())?;
            settings.ground.iter().for_each(|height| filter.set_ground(*height));
            online(&mut filter, input, clip, &settings.pushes, &mut recorder, progress)?;
            notes.append(&mut filter.notes);
        }
    }
    progress(1.0);
    let delay = usize::from(settings.mode == Mode::Online);
    notes.extend(foot_plant.notes);
    let mut filtered = recorder.into_filtered(clip, foot_plant.clip, notes, contact_points.clone(), delay)?;
    filtered.props = loaded_props(&foot_plant.schedule, &filtered.forces, filtered.clip.figure());
    prepared.restore(filtered)
}

/// Feeds the unrepaired input frame by frame, then one extrapolated frame to flush the delay.
fn online<T: FnMut(f64, &mut ReferenceSample)>(
    filter: &mut OnlineFilter,
    input: &Clip,
    repaired: &Clip,
    pushes: &[AppliedForce],
    recorder: &mut Recorder<T>,
    progress: &mut dyn FnMut(f64),
) -> Result<(), Error> {
    let (dt, step, frames) = (input.dt(), filter.step(), input.frames());
    let after = extrapolated_pose(repaired);
    for frame in 0..=frames {
        let pose = if frame < frames { input.pose(frame) } else { &after };
        let mut k = 0;
        let start = frame as f64 - 2.0;
        collect_acting(pushes, start * dt, &mut filter.applied);
        let mut record = |body: &SimulatedBody, reference: &ReferenceSample| {
            let time = start * dt + f64::from(k) * step;
            recorder.step(&SolvedStep { time, dt: step, body, reference });
            k += 1;
        };
        if filter.push_watched(pose, &mut record)?.is_some() && recorder.frame(&filter.body) {
            filter.restart();
        }
        progress(frame as f64 / frames as f64);
    }
    Ok(())
}

/// The pose one frame after the last, at constant velocity.
fn extrapolated_pose(clip: &Clip) -> Vec<f64> {
    let forest = clip.figure().forest();
    let (mut delta, mut after) = (vec![0.0; forest.nv()], vec![0.0; forest.nq()]);
    let n = clip.frames();
    pose::difference(forest, clip.pose(n - 2), clip.pose(n - 1), &mut delta);
    pose::along(forest, clip.pose(n - 1), &delta, 1.0, &mut after);
    after
}

/// Collects the forces that act at a time.
fn collect_acting(pushes: &[AppliedForce], time: f64, acting: &mut Vec<AppliedForce>) {
    acting.clear();
    acting.extend(pushes.iter().filter(|p| p.acts_at(time)));
}
