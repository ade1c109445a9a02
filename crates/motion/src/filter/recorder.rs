//! Records a run of the filter: poses, forces, tracking error, falls and audit.

use super::audit::Audit;
use super::dynamics_terms::free_body;
use super::reference::ReferenceSample;
use super::run::{Filtered, SolvedStep};
use super::simulated_body::{GroundForce, SimulatedBody};
use crate::clip::Clip;
use crate::contact_points;
use crate::contact_schedule::{ContactSchedule, Prop};
use crate::error::Error;
use crate::note::Note;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{BodyJoint, Figure};
use anthropi_dynamics::spatial::Force;

/// Errors above which a figure has fallen: height of the centre of mass, m, orientation of the root, rad, and position of
/// the root, m.
const MAX_DROP: f64 = 0.3;
const MAX_TILT: f64 = 1.0;
const MAX_DISTANCE: f64 = 1.0;

/// Collects the results of a run.
pub(crate) struct Recorder<'a, T> {
    /// evaluates the reference at a time
    reference_at: T,
    reference: ReferenceSample,
    dt: f64,
    watch: &'a mut dyn FnMut(&SolvedStep),
    poses: Vec<f64>,
    tracking: TrackingError,
    audit: Audit,
    forces: Vec<Vec<GroundForce>>,
    /// mean by frame, and sum since the last frame
    assist: Vec<Force>,
    assist_sum: Force,
    ground_forces: Vec<GroundForce>,
    steps: usize,
    fell: Option<f64>,
    falls: usize,
}

impl<'a, T: FnMut(f64, &mut ReferenceSample)> Recorder<'a, T> {
    pub fn new(dt: f64, reference_at: T, watch: &'a mut dyn FnMut(&SolvedStep)) -> Recorder<'a, T> {
        Recorder {
            reference_at,
            reference: ReferenceSample::default(),
            dt,
            watch,
            poses: Vec::new(),
            tracking: TrackingError::default(),
            audit: Audit::default(),
            forces: Vec::new(),
            assist: Vec::new(),
            assist_sum: Force::default(),
            ground_forces: Vec::new(),
            steps: 0,
            fell: None,
            falls: 0,
        }
    }

    pub fn step(&mut self, step: &SolvedStep) {
        (self.watch)(step);
        self.audit.add(step);
        self.ground_forces.extend_from_slice(step.body.ground());
        self.assist_sum += step.body.assist();
        self.steps += 1;
    }

    /// Records a frame; true if the figure has fallen and must restart.
    pub fn frame(&mut self, body: &SimulatedBody) -> bool {
        self.frame_after(body, false)
    }

    /// As [`Recorder::frame`]; a figure that restarts has fallen.
    pub fn frame_after(&mut self, body: &SimulatedBody, restarts: bool) -> bool {
        let frame = self.forces.len();
        (self.reference_at)(frame as f64 * self.dt, &mut self.reference);
        if body.is_sane() || self.poses.is_empty() {
            self.poses.extend_from_slice(body.q());
        } else {
            // repeat the last pose
            let from = self.poses.len() - body.q().len();
            self.poses.extend_from_within(from..);
        }
        self.forces.push(mean_forces(&self.ground_forces, self.steps));
        self.assist.push(self.assist_sum.times(1.0 / self.steps.max(1) as f64));
        self.assist_sum = Force::default();
        self.ground_forces.clear();
        self.steps = 0;
        let total: f64 = self.forces[frame].iter().map(|f| f.force.z).sum();
        self.audit.grf_peak = self.audit.grf_peak.max(total / body.weight());
        let has_fallen = restarts || has_fallen(body, &self.reference);
        if self.fell.is_none() && !has_fallen {
            self.tracking.add(body, &self.reference);
        }
        if has_fallen {
            self.fell.get_or_insert(frame as f64 * self.dt);
            self.falls += 1;
        }
        has_fallen
    }

    pub fn into_filtered(
        mut self,
        clip: &Clip,
        reference: Clip,
        mut notes: Vec<Note>,
        contact_points: Vec<contact_points::ContactPoint>,
        delay: usize,
    ) -> Result<Filtered, Error> {
        if let Some(t) = self.fell {
            let after = match self.falls {
                1 if self.forces.len() as f64 * self.dt - t < 1.5 * self.dt => "the motion ends there".into(),
                1 => "it restarts at the reference, so the motion is discontinuous there".into(),
                n => format!(
                    "it fell {n} times and restarted at the reference each time, so the motion is discontinuous there"
                ),
            };
            notes.push(Note::warning(format!("the figure fell at {t:.2} s; {after}")));
        }
        // the delayed output may have repeated the last frame
        self.poses.truncate(clip.poses().len());
        self.forces.truncate(clip.frames());
        self.assist.truncate(clip.frames());
        self.tracking.finish();
        Ok(Filtered {
            clip: Clip::new(clip.name.clone(), clip.figure().clone(), clip.dt(), self.poses)?,
            reference,
            forces: self.forces,
            assist: self.assist,
            fell: self.fell,
            falls: self.falls,
            tracking: self.tracking,
            audit: self.audit.finished(),
            contact_points,
            props: Vec::new(),
            delay,
            notes,
        })
    }
}

/// The props of a schedule, with the loads that forces put on them.
pub(super) fn loaded_props(
    schedule: &ContactSchedule,
    forces: &[Vec<GroundForce>],
    figure: &Figure,
) -> Vec<Prop> {
    let weight = figure.mass() * figure.gravity().norm();
    let mut props = schedule.props.clone();
    for (n, prop) in props.iter_mut().enumerate() {
        for used in &mut prop.uses {
            let load = |f: usize| {
                let on = forces[f].iter().filter(|c| schedule.prop_index(c.contact_point, f) == Some(n));
                on.map(|c| c.force.z).sum::<f64>() / weight
            };
            let loads = used.frames.clone().filter(|f| *f < forces.len()).map(load);
            let (sum, peak, count) =
                loads.fold((0.0, 0.0, 0.0), |(s, p, n), l: f64| (s + l, f64::max(p, l), n + 1.0));
            (used.mean_bw, used.peak_bw) = (sum / f64::max(count, 1.0), peak);
        }
    }
    props
}

/// Mean force of each point over the steps of a frame, at its last position.
pub(super) fn mean_forces(all: &[GroundForce], steps: usize) -> Vec<GroundForce> {
    let mut mean_forces: Vec<GroundForce> = Vec::new();
    for f in all {
        let part = f.force.scale(1.0 / steps.max(1) as f64);
        match mean_forces.iter_mut().find(|m| m.point == f.point) {
            Some(m) => *m = GroundForce { force: m.force + part, ..*f },
            None => mean_forces.push(GroundForce { force: part, ..*f }),
        }
    }
    mean_forces
}

/// Deviation from the reference.
#[derive(Clone, Debug, Default)]
pub struct TrackingError {
    /// joint angle error, RMS over joints and frames, degrees
    pub joint_rms_deg: f64,
    /// largest joint angle error, degrees
    pub joint_max_deg: f64,
    /// position error of the root, RMS, m
    pub root_rms_m: f64,
    /// position error of all links, RMS, m
    pub link_rms_m: f64,
    sums: [f64; 3],
    counts: [f64; 3],
    delta: Vec<f64>,
    kinematics: [Kinematics; 2],
}

impl TrackingError {
    fn add(&mut self, body: &SimulatedBody, reference: &ReferenceSample) {
        let forest = body.figure.forest();
        self.delta.resize(forest.nv(), 0.0);
        pose::difference(forest, &reference.q, body.q(), &mut self.delta);
        for b in forest.bodies().iter().skip(1) {
            let own = &self.delta[b.dofs()];
            let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
            let (kind, size) = match b.joint {
                BodyJoint::Free => (1, square(&own[3..6])),
                _ => (0, square(own)),
            };
            self.sums[kind] += size;
            self.counts[kind] += 1.0;
            if kind == 0 {
                self.joint_max_deg = self.joint_max_deg.max(size.sqrt().to_degrees());
            }
        }
        let [a, b] = &mut self.kinematics;
        a.update(forest, body.q(), None, None);
        b.update(forest, &reference.q, None, None);
        for (link, _) in body.figure.links() {
            let off = a.link_pose(forest, link).translation - b.link_pose(forest, link).translation;
            self.sums[2] += off.dot(off);
            self.counts[2] += 1.0;
        }
    }

    fn finish(&mut self) {
        let rms = |k: usize| (self.sums[k] / self.counts[k].max(1.0)).sqrt();
        (self.joint_rms_deg, self.root_rms_m, self.link_rms_m) = (rms(0).to_degrees(), rms(1), rms(2));
    }
}

/// Whether a figure has fallen or its simulation has diverged.
pub(crate) fn has_fallen(body: &SimulatedBody, reference: &ReferenceSample) -> bool {
    let has_diverged = body.has_diverged || !body.is_sane();
    let Some(root) = free_body(body.figure.forest()) else { return has_diverged };
    let i = root.coordinates().start;
    let away = (pose::triple(body.q(), i) - pose::triple(&reference.q, i)).norm();
    let turn = pose::quaternion(body.q(), i + 3).inverse().then(pose::quaternion(&reference.q, i + 3));
    let tilt = turn.log().norm();
    let low = reference.com[0].z - body.center_of_mass().z;
    has_diverged || !(away <= MAX_DISTANCE && tilt <= MAX_TILT && low <= MAX_DROP)
}

/// Mean distance of the links from the reference, m.
pub(crate) fn mean_distance(
    body: &SimulatedBody,
    reference: &ReferenceSample,
    work: &mut [Kinematics; 2],
) -> f64 {
    let forest = body.figure.forest();
    let [now, wanted] = work;
    now.update(forest, body.q(), None, None);
    wanted.update(forest, &reference.q, None, None);
    let off =
        |link| (now.link_pose(forest, link).translation - wanted.link_pose(forest, link).translation).norm();
    let (sum, count) =
        body.figure.links().fold((0.0, 0.0), |(sum, count), (link, _)| (sum + off(link), count + 1.0));
    sum / f64::max(count, 1.0)
}
