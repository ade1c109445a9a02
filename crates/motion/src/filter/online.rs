//! The filter frame by frame, with one frame of delay and no other future.
//!
//! A frame comes in; the one before it is known better by that (`estimate`); contacts and ground are felt (`causal`);
//! the figure goes from where it was to there in steps of about a millisecond.

use super::aim::{Aim, Floor};
use super::body::{Body, Outside};
use super::causal::{CausalTouch, Seen};
use super::guard::{BRIDGE, Guard, Verdict};
use super::stance::Limb;
use super::terms::Terms;
use super::track::fallen;
use super::tracker::Tracker;
use crate::anatomy;
use crate::error::Error;
use crate::estimate::{Gains, OnlineEstimator, Tuning};
use crate::pose;
use crate::spots;
use anthropi_dynamics::model::{BodyJoint, Figure};
use anthropi_dynamics::spatial::Vec3;

/// Cut-off of joints, Hz.
const JOINTS: f64 = 10.0;
/// Cut-off of centre of mass and angular momentum, Hz.
const CENTER: f64 = 6.0;
/// Ground that is found nearer to zero than this is at zero, m.
const NEAR_ZERO: f64 = 0.08;
/// Longest internal step, s.
const STEP: f64 = 0.001;

/// The dynamics filter, on-line.
#[derive(Clone, Debug)]
pub struct OnlineFilter {
    /// the figure that moves
    pub body: Body,
    /// forces from outside, until they are changed
    pub outside: Vec<Outside>,
    /// what was wrong with what came, a sentence each
    pub notes: Vec<String>,
    dt: f64,
    steps: usize,
    guard: Guard,
    held: Vec<f64>,
    estimator: OnlineEstimator,
    touch: CausalTouch,
    tracker: Tracker,
    limbs: Vec<Limb>,
    seen: Vec<Seen>,
    terms: Terms,
    /// the frame before, and the one after
    from: Aim,
    to: Aim,
    aim: Aim,
    way: Vec<f64>,
    rates: [Vec<f64>; 2],
    frames: usize,
    /// height of the ground at the origin
    level: Option<f64>,
    /// how it rises along x and y
    slope: [f64; 2],
}

impl OnlineFilter {
    /// For frames of a figure that come `dt` seconds apart.
    ///
    /// # Errors
    /// A figure without feet or that is not free; a time between frames that makes no sense.
    pub fn new(figure: &Figure, dt: f64) -> Result<OnlineFilter, Error> {
        let anatomy = anatomy::of_figure(figure, &[])?;
        let places = spots::of_figure(figure, &anatomy)?;
        OnlineFilter::of(Body::new(figure, &anatomy, places, 1.0)?, dt)
    }

    /// For a figure with settings of its own.
    ///
    /// # Errors
    /// A time between frames that makes no sense.
    pub fn of(body: Body, dt: f64) -> Result<OnlineFilter, Error> {
        let figure = &body.figure;
        let forest = figure.forest();
        let nyquist = 0.4 / dt;
        let estimator = OnlineEstimator::new(figure, dt, Tuning::with_cutoff(JOINTS.min(nyquist), dt))?;
        let slow = OnlineEstimator::new(figure, dt, Tuning::with_cutoff(CENTER.min(nyquist), dt))?;
        let gains: Gains = slow.gains();
        let limbs = Limb::all(forest, &body.places);
        Ok(OnlineFilter {
            steps: (dt / STEP - 1e-9).ceil().max(1.0) as usize,
            touch: CausalTouch::new(body.places.len(), limbs.len(), dt),
            tracker: Tracker::new(gains, dt),
            seen: Vec::new(),
            terms: Terms::default(),
            from: Aim::default(),
            to: Aim::default(),
            aim: Aim::default(),
            way: vec![0.0; forest.nv()],
            rates: [vec![0.0; forest.nv()], vec![0.0; forest.nv()]],
            outside: Vec::new(),
            notes: Vec::new(),
            guard: Guard::default(),
            held: Vec::new(),
            frames: 0,
            level: None,
            slope: [0.0; 2],
            body,
            dt,
            estimator,
            limbs,
        })
    }

    /// Takes a frame; gives the figure at the frame before, `None` at the first.
    ///
    /// # Errors
    /// A frame of the wrong length or with numbers that are none; the figure goes on at the next.
    pub fn push(&mut self, frame: &[f64]) -> Result<Option<&[f64]>, Error> {
        self.push_watched(frame, &mut |_, _| ())
    }

    /// As [`OnlineFilter::push`]; `watch` sees every internal step after it is solved and before it is made.
    ///
    /// # Errors
    /// As [`OnlineFilter::push`].
    pub fn push_watched(
        &mut self,
        frame: &[f64],
        watch: &mut dyn FnMut(&Body, &Aim),
    ) -> Result<Option<&[f64]>, Error> {
        self.estimator.check(frame)?;
        let verdict = self.guard.judge(self.body.figure.forest(), frame, self.dt, &mut self.notes);
        match verdict {
            Verdict::Good => {}
            Verdict::Lost => return Ok(self.bridge(watch)),
            Verdict::Anew => self.estimator.begin_anew(),
        }
        match self.estimator.push(&self.guard.frame)? {
            Some(estimate) => {
                core::mem::swap(&mut self.from, &mut self.to);
                self.to.take(&estimate);
            }
            None => return Ok(None),
        }
        Ok(Some(self.go(watch)))
    }

    /// A frame that was lost: the figure goes on as the motion was, for a moment, and then stands still.
    pub fn miss(&mut self) -> Option<&[f64]> {
        self.guard.lose();
        self.bridge(&mut |_, _| ())
    }

    fn bridge(&mut self, watch: &mut dyn FnMut(&Body, &Aim)) -> Option<&[f64]> {
        if self.guard.lost() as f64 * self.dt <= BRIDGE {
            self.estimator.skip();
        } else {
            self.held.clear();
            self.held.extend_from_slice(self.estimator.latest()?.pose);
            // its own pose again: numbers that are finite
            self.estimator.push(&self.held).ok()?;
        }
        let estimate = self.estimator.delayed()?;
        core::mem::swap(&mut self.from, &mut self.to);
        self.to.take(&estimate);
        Some(self.go(watch))
    }

    /// Goes to the frame that was put into `to`.
    fn go(&mut self, watch: &mut dyn FnMut(&Body, &Aim)) -> &[f64] {
        self.feel();
        self.frames += 1;
        if self.frames == 1 {
            self.from.clone_from(&self.to);
            self.body.start(&self.to);
        } else {
            self.advance(watch);
        }
        if !self.body.is_sane() {
            const WILD: &str = "the figure moved as nothing can: it begins anew at the reference";
            if !self.notes.iter().any(|n| n == WILD) {
                self.notes.push(WILD.into());
            }
            self.restart();
            self.body.is_lost = true;
        }
        self.body.q()
    }

    /// Tells the height of the ground, m, where it is known.
    pub fn set_ground(&mut self, height: f64) {
        self.level = Some(height);
    }

    /// Tells the ground where it is known: a ramp.
    pub fn set_floor(&mut self, floor: Floor) {
        (self.level, self.slope) = (Some(floor.height), floor.slope);
    }

    /// Length of the internal step, s.
    pub fn step(&self) -> f64 {
        self.dt / self.steps as f64
    }

    /// Whether the figure has fallen: it is far from the reference, lower or turned over.
    pub fn has_fallen(&self) -> bool {
        self.frames > 0 && fallen(&self.body, &self.to)
    }

    /// Puts the figure where the reference is now.
    pub fn restart(&mut self) {
        self.body.start(&self.to);
    }

    /// Contacts, ground and centre of mass of the frame that is aimed at; the frame is put on the ground.
    fn feel(&mut self) {
        let forest = self.body.figure.forest();
        let to = &mut self.to;
        self.terms.follow(forest, &to.q, &to.v, &to.a);
        self.seen.clear();
        for (n, limb) in self.limbs.iter().enumerate() {
            self.seen.extend(limb.contacts.iter().map(|c| {
                let mut at = self.terms.point(limb.body, c.in_body);
                // heights are those above a ground made level
                at.at.z -= Floor { height: 0.0, slope: self.slope }.at(at.at.x, at.at.y);
                Seen { place: c.place, limb: n, is_foot: limb.is_foot, at }
            }));
        }
        self.touch.update(&self.seen);
        let first = self.touch.ground();
        // floors are at zero by convention; where feet say otherwise, they are right
        let level = *self.level.get_or_insert(if first.abs() < NEAR_ZERO { 0.0 } else { first });
        let ground = self.touch.ground() - level;
        let root = forest.bodies().iter().find(|b| b.joint == BodyJoint::Free);
        if let Some(root) = root {
            to.q[root.iq as usize + 2] -= ground;
        }
        to.on.clear();
        to.on.extend_from_slice(&self.touch.on);
        to.floor.clear();
        to.floor.resize(to.on.len(), Floor { height: level, slope: self.slope });
        let (c, s, v) = (self.terms.center, self.terms.spin, self.terms.velocity);
        self.tracker.push([c.x, c.y, c.z - ground, s.x, s.y, s.z], [v.x, v.y, v.z, 0.0, 0.0, 0.0]);
        let known = self.tracker.delayed();
        for i in 0..3 {
            to.center[i] = Vec3 { x: known[i][0], y: known[i][1], z: known[i][2] };
        }
        for i in 0..2 {
            to.spin[i] = Vec3 { x: known[i][3], y: known[i][4], z: known[i][5] };
        }
    }

    /// From the frame before to the one aimed at.
    fn advance(&mut self, watch: &mut dyn FnMut(&Body, &Aim)) {
        let forest = self.body.figure.forest();
        pose::difference(forest, &self.from.q, &self.to.q, &mut self.way);
        for (rate, aim) in self.rates.iter_mut().zip([&self.from, &self.to]) {
            rate.copy_from_slice(&aim.v);
            pose::free_ways_to_world(forest, &aim.q, rate);
        }
        let dt = self.dt / self.steps as f64;
        for k in 0..self.steps {
            if !self.body.is_sane() {
                break;
            }
            self.between(k as f64 / self.steps as f64);
            self.body.solve(&self.aim, &self.outside, dt);
            watch(&self.body, &self.aim);
            self.body.finish(dt);
        }
    }

    /// The aim at a part of the way: places by Hermite's cubic, rates between those of the ends.
    fn between(&mut self, s: f64) {
        let (from, to, aim) = (&self.from, &self.to, &mut self.aim);
        let forest = self.body.figure.forest();
        let (h10, h01, h11) = (s * (1.0 - s) * (1.0 - s), s * s * (3.0 - 2.0 * s), s * s * (s - 1.0));
        aim.v.resize(forest.nv(), 0.0);
        aim.a.resize(forest.nv(), 0.0);
        aim.q.resize(forest.nq(), 0.0);
        // v holds the way for a moment
        for k in 0..self.way.len() {
            let [v0, v1] = [self.rates[0][k], self.rates[1][k]];
            aim.v[k] = h01 * self.way[k] + self.dt * (h10 * v0 + h11 * v1);
        }
        pose::along(forest, &from.q, &aim.v, 1.0, &mut aim.q);
        for k in 0..self.way.len() {
            aim.v[k] = from.v[k] + s * (to.v[k] - from.v[k]);
            aim.a[k] = from.a[k] + s * (to.a[k] - from.a[k]);
        }
        let mix = |a: Vec3, b: Vec3| a + (b - a).scale(s);
        for i in 0..3 {
            aim.center[i] = mix(from.center[i], to.center[i]);
        }
        for i in 0..2 {
            aim.spin[i] = mix(from.spin[i], to.spin[i]);
        }
        aim.on.clone_from(&from.on);
        aim.floor.clone_from(&from.floor);
        aim.share.clone_from(&from.share);
    }
}
