//! The filter frame by frame, causal with one frame of delay.
//!
//! Each new frame refines the estimate of the frame before it (`estimate`). Contacts and ground are detected
//! (`contact_detector`), and the figure is simulated up to that frame in steps of at most a millisecond.

use super::applied_force::AppliedForce;
use super::centroid_tracker::CentroidTracker;
use super::contact_detector::{ContactDetector, ObservedPoint};
use super::contact_state::EndEffector;
use super::dynamics_terms::{DynamicsTerms, free_body};
use super::input_guard::{InputGuard, MAX_BRIDGE, Verdict};
use super::recorder::has_fallen;
use super::reference::{Floor, ReferenceSample};
use super::simulated_body::{SimulatedBody, steps_per_frame};
use crate::anatomy;
use crate::contact_points;
use crate::error::Error;
use crate::estimate::{OnlineEstimator, Tuning};
use crate::note::Note;
use crate::pose;
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::Vec3;

/// Cut-off of joints, and of centre of mass and angular momentum, Hz.
const JOINT_CUTOFF: f64 = 10.0;
const CENTROID_CUTOFF: f64 = 6.0;
/// Highest cut-off, parts of the frame rate.
const MAX_CUTOFF: f64 = 0.4;
/// A first ground height nearer to zero than this, m, is taken as zero.
const GROUND_SNAP: f64 = 0.08;

/// The dynamics filter, on-line.
#[derive(Clone, Debug)]
pub struct OnlineFilter {
    /// the simulated figure
    pub body: SimulatedBody,
    /// applied forces, until changed
    pub applied: Vec<AppliedForce>,
    /// warnings about the input
    pub notes: Vec<Note>,
    dt: f64,
    steps: usize,
    guard: InputGuard,
    held_pose: Vec<f64>,
    estimator: OnlineEstimator,
    detector: ContactDetector,
    tracker: CentroidTracker,
    limbs: Vec<EndEffector>,
    observed: Vec<ObservedPoint>,
    terms: DynamicsTerms,
    /// reference at the previous frame and at the one simulated to
    from: ReferenceSample,
    to: ReferenceSample,
    sample: ReferenceSample,
    delta: Vec<f64>,
    rates: [Vec<f64>; 2],
    frames: usize,
    /// height of the ground at the origin, m
    ground_height: Option<f64>,
    /// slope along x and y
    slope: [f64; 2],
}

impl OnlineFilter {
    /// For frames of a figure that come `dt` seconds apart.
    ///
    /// # Errors
    /// A figure without feet or without a free root; an invalid time between frames.
    pub fn new(figure: &Figure, dt: f64) -> Result<OnlineFilter, Error> {
        let anatomy = anatomy::from_figure(figure, &[])?;
        let contact_points = contact_points::find(figure, &anatomy)?;
        OnlineFilter::with_body(SimulatedBody::new(figure, &anatomy, contact_points, 1.0)?, dt)
    }

    /// For a body with its own settings.
    ///
    /// # Errors
    /// An invalid time between frames.
    pub fn with_body(body: SimulatedBody, dt: f64) -> Result<OnlineFilter, Error> {
        let figure = &body.figure;
        let forest = figure.forest();
        let tuned =
            |hz: f64| OnlineEstimator::new(figure, dt, Tuning::with_cutoff(hz.min(MAX_CUTOFF / dt), dt));
        let (estimator, slow) = (tuned(JOINT_CUTOFF)?, tuned(CENTROID_CUTOFF)?);
        let limbs = EndEffector::all(forest, &body.contact_points);
        Ok(OnlineFilter {
            steps: steps_per_frame(dt),
            detector: ContactDetector::new(body.contact_points.len(), limbs.len(), dt),
            tracker: CentroidTracker::new(slow.gains(), dt),
            observed: Vec::new(),
            terms: DynamicsTerms::default(),
            from: ReferenceSample::default(),
            to: ReferenceSample::default(),
            sample: ReferenceSample::default(),
            delta: vec![0.0; forest.nv()],
            rates: [vec![0.0; forest.nv()], vec![0.0; forest.nv()]],
            applied: Vec::new(),
            notes: Vec::new(),
            guard: InputGuard::default(),
            held_pose: Vec::new(),
            frames: 0,
            ground_height: None,
            slope: [0.0; 2],
            body,
            dt,
            estimator,
            limbs,
        })
    }

    /// Takes a frame; returns the filtered pose of the frame before, `None` at the first.
    ///
    /// # Errors
    /// A frame of the wrong length or with numbers that are not finite; filtering goes on with the next frame.
    pub fn push(&mut self, frame: &[f64]) -> Result<Option<&[f64]>, Error> {
        self.push_watched(frame, &mut |_, _| ())
    }

    /// As [`OnlineFilter::push`]; `watch` receives every internal step, solved but not yet integrated.
    ///
    /// # Errors
    /// As [`OnlineFilter::push`].
    pub fn push_watched(
        &mut self,
        frame: &[f64],
        watch: &mut dyn FnMut(&SimulatedBody, &ReferenceSample),
    ) -> Result<Option<&[f64]>, Error> {
        self.estimator.check(frame)?;
        match self.guard.check(self.body.figure.forest(), frame, self.dt, &mut self.notes) {
            Verdict::Accept => {}
            Verdict::Reject => return Ok(self.bridge(watch)),
            Verdict::Restart => self.estimator.reset(),
        }
        let Some(estimate) = self.estimator.push(&self.guard.frame)? else { return Ok(None) };
        core::mem::swap(&mut self.from, &mut self.to);
        self.to.take(&estimate);
        Ok(Some(self.simulate_frame(watch)))
    }

    /// Bridges a lost frame: extrapolates the motion for a moment, then holds the pose.
    pub fn miss(&mut self) -> Option<&[f64]> {
        self.guard.lost += 1;
        self.bridge(&mut |_, _| ())
    }

    fn bridge(&mut self, watch: &mut dyn FnMut(&SimulatedBody, &ReferenceSample)) -> Option<&[f64]> {
        if self.guard.lost as f64 * self.dt <= MAX_BRIDGE {
            self.estimator.skip();
        } else {
            self.held_pose.clear();
            self.held_pose.extend_from_slice(self.estimator.latest()?.pose);
            // its own latest pose, so finite
            self.estimator.push(&self.held_pose).ok()?;
        }
        let estimate = self.estimator.delayed()?;
        core::mem::swap(&mut self.from, &mut self.to);
        self.to.take(&estimate);
        Some(self.simulate_frame(watch))
    }

    /// Simulates to the frame in `to`.
    fn simulate_frame(&mut self, watch: &mut dyn FnMut(&SimulatedBody, &ReferenceSample)) -> &[f64] {
        self.detect_contacts();
        self.frames += 1;
        if self.frames == 1 {
            self.from.clone_from(&self.to);
            self.body.start(&self.to);
        } else {
            self.integrate_frame(watch);
        }
        if !self.body.is_sane() {
            const DIVERGED: &str = "the simulation diverged and restarts at the reference";
            if !self.notes.iter().any(|n| n.text == DIVERGED) {
                self.notes.push(Note::warning(DIVERGED));
            }
            self.restart();
            self.body.has_diverged = true;
        }
        self.body.q()
    }

    /// Sets the height of the ground, m.
    pub fn set_ground(&mut self, height: f64) {
        self.ground_height = Some(height);
    }

    /// Sets the ground plane, such as a ramp.
    pub fn set_floor(&mut self, floor: Floor) {
        (self.ground_height, self.slope) = (Some(floor.height), floor.slope);
    }

    /// Length of the internal step, s.
    pub fn step(&self) -> f64 {
        self.dt / self.steps as f64
    }

    /// Whether the figure has fallen: far from the reference, too low or turned over.
    pub fn has_fallen(&self) -> bool {
        self.frames > 0 && has_fallen(&self.body, &self.to)
    }

    /// Resets the figure to the reference.
    pub fn restart(&mut self) {
        self.body.start(&self.to);
    }

    /// Detects contacts and ground of the frame in `to`, puts it on the ground, and tracks its centre of mass.
    fn detect_contacts(&mut self) {
        let forest = self.body.figure.forest();
        let to = &mut self.to;
        self.terms.update_motion(forest, &to.q, &to.v, &to.a);
        self.observed.clear();
        for (n, limb) in self.limbs.iter().enumerate() {
            self.observed.extend(limb.contacts.iter().map(|c| {
                let mut at = self.terms.point(limb.body, c.in_body);
                // heights above the sloping ground
                at.at.z -= Floor { height: 0.0, slope: self.slope }.at(at.at.x, at.at.y);
                ObservedPoint { contact_point: c.contact_point, limb: n, is_foot: limb.is_foot, at }
            }));
        }
        self.detector.update(&self.observed);
        let first = self.detector.ground();
        // floors are at zero by convention, unless the feet are clearly elsewhere
        let ground_height =
            *self.ground_height.get_or_insert(if first.abs() < GROUND_SNAP { 0.0 } else { first });
        let ground = self.detector.ground() - ground_height;
        if let Some(root) = free_body(forest) {
            to.q[root.coordinates().start + 2] -= ground;
        }
        to.in_contact.clear();
        to.in_contact.extend_from_slice(&self.detector.on);
        to.floor.clear();
        to.floor.resize(to.in_contact.len(), Floor { height: ground_height, slope: self.slope });
        let (c, s, v) = (self.terms.com, self.terms.angular_momentum, self.terms.velocity);
        self.tracker.push([c.x, c.y, c.z - ground, s.x, s.y, s.z], [v.x, v.y, v.z, 0.0, 0.0, 0.0]);
        to.set_centroid(&self.tracker.delayed());
    }

    /// Simulates from the previous frame to the one in `to`.
    fn integrate_frame(&mut self, watch: &mut dyn FnMut(&SimulatedBody, &ReferenceSample)) {
        let forest = self.body.figure.forest();
        pose::difference(forest, &self.from.q, &self.to.q, &mut self.delta);
        for (rate, sample) in self.rates.iter_mut().zip([&self.from, &self.to]) {
            rate.copy_from_slice(&sample.v);
            pose::free_travel_to_world(forest, &sample.q, rate);
        }
        let dt = self.step();
        for k in 0..self.steps {
            if !self.body.is_sane() {
                break;
            }
            self.interpolate(k as f64 / self.steps as f64);
            self.body.solve(&self.sample, &self.applied, dt);
            watch(&self.body, &self.sample);
            self.body.finish(dt);
        }
    }

    /// Interpolates the reference: poses by cubic Hermite splines, velocities and accelerations linearly.
    fn interpolate(&mut self, s: f64) {
        let (from, to, sample) = (&self.from, &self.to, &mut self.sample);
        let forest = self.body.figure.forest();
        let (h10, h01, h11) = (s * (1.0 - s) * (1.0 - s), s * s * (3.0 - 2.0 * s), s * s * (s - 1.0));
        sample.v.resize(forest.nv(), 0.0);
        sample.a.resize(forest.nv(), 0.0);
        sample.q.resize(forest.nq(), 0.0);
        // v holds the displacement for a moment
        for k in 0..self.delta.len() {
            let [v0, v1] = [self.rates[0][k], self.rates[1][k]];
            sample.v[k] = h01 * self.delta[k] + self.dt * (h10 * v0 + h11 * v1);
        }
        pose::along(forest, &from.q, &sample.v, 1.0, &mut sample.q);
        for k in 0..self.delta.len() {
            sample.v[k] = from.v[k] + s * (to.v[k] - from.v[k]);
            sample.a[k] = from.a[k] + s * (to.a[k] - from.a[k]);
        }
        let mix = |a: Vec3, b: Vec3| a + (b - a).scale(s);
        sample.com = core::array::from_fn(|i| mix(from.com[i], to.com[i]));
        sample.angular_momentum =
            core::array::from_fn(|i| mix(from.angular_momentum[i], to.angular_momentum[i]));
        sample.in_contact.clone_from(&from.in_contact);
        sample.floor.clone_from(&from.floor);
        sample.load_share.clone_from(&from.load_share);
    }
}
