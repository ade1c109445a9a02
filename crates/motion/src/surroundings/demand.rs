//! The wrench that a motion requires of its contacts, and the part of it that given contacts cannot supply.

use crate::anatomy::Anatomy;
use crate::centroid::CentroidalTrajectory;
use crate::contact_points::{self, ContactPoint};
use crate::contact_schedule::{ContactSchedule, Track, intervals};
use crate::split::{Point, Splitter};
use crate::trajectory::Trajectory;
use anthropi_dynamics::spatial::{Force, Vec3};
use core::ops::Range;

/// Shorter motions need no props.
pub(super) const MIN_FRAMES: usize = 8;
/// Heights within this are the same, m.
pub(super) const SAME_HEIGHT: f64 = 0.04;
/// Cut-off of the momentum, Hz.
const CUTOFF: f64 = 4.0;
/// Instants per second at which forces are computed.
const RATE: f64 = 40.0;
/// Missing force, and missing moment over [`LENGTH`], that count as missing, body weights: centres of pressure are 5 cm off
/// by inaccuracy alone.
pub(super) const MISSING: f64 = 0.15;
/// Length that relates moments to forces, parts of the stature.
const LENGTH: f64 = 0.25;
/// Points of other segments this near to the ground carry there, m, if slower than this, m/s.
const LOW: f64 = 0.06;
const SLOW: f64 = 0.5;

/// What a motion requires of its contacts.
pub(super) struct Demand<'a> {
    pub trajectory: &'a Trajectory,
    /// m
    pub stature: f64,
    /// frame time, s
    pub dt: f64,
    friction: f64,
    mass: f64,
    gravity: Vec3,
    centroid: CentroidalTrajectory,
    /// frames between instants
    stride: usize,
    /// points of trunk, knees and elbows
    segments: Vec<Track>,
    splitter: Splitter,
    points: Vec<Point>,
    forces: Vec<Vec3>,
}

impl<'a> Demand<'a> {
    pub fn new(trajectory: &'a Trajectory, anatomy: &Anatomy, friction: f64) -> Demand<'a> {
        let clip = &trajectory.clip;
        let figure = clip.figure();
        let segments: Vec<ContactPoint> = contact_points::find_segments(figure, anatomy);
        Demand {
            trajectory,
            stature: figure.stature.unwrap_or(1.7),
            dt: clip.dt(),
            friction,
            mass: figure.mass(),
            gravity: figure.gravity(),
            centroid: CentroidalTrajectory::from_clip(clip).smoothed(CUTOFF),
            stride: ((1.0 / RATE / clip.dt()).round() as usize).max(1),
            segments: Track::all(trajectory, &segments),
            splitter: Splitter::default(),
            points: Vec::new(),
            forces: Vec::new(),
        }
    }

    /// Instants among frames.
    pub fn samples(&self, frames: Range<usize>) -> impl Iterator<Item = usize> + use<> {
        let stride = self.stride;
        (frames.start.next_multiple_of(stride)..frames.end).step_by(stride)
    }

    /// Frames that last a time, s.
    pub fn frames(&self, seconds: f64) -> usize {
        (seconds / self.dt).round() as usize
    }

    fn weight(&self) -> f64 {
        self.mass * self.gravity.norm()
    }

    /// A point of a surface with a normal.
    pub fn point(&self, at: Vec3, normal: Vec3) -> Point {
        Point { at, normal, friction: self.friction }
    }

    /// Points that carry in a frame: contacts that `counts` and low segments.
    fn collect(&mut self, schedule: &ContactSchedule, f: usize, counts: &dyn Fn(usize) -> bool) {
        self.points.clear();
        let normal = schedule.ground.normal();
        for k in (0..schedule.points.len()).filter(|k| schedule.is_on(*k, f) && counts(*k)) {
            let at = schedule.tracks[k].at(f).iter();
            self.points.extend(at.map(|at| Point { at: *at, normal, friction: self.friction }));
        }
        for track in self.segments.iter().filter(|t| t.speed[f] < SLOW) {
            let at = track.lowest(f);
            if schedule.ground.above(at) < LOW {
                self.points.push(Point { at, normal, friction: self.friction });
            }
        }
    }

    /// The part of the required wrench that contacts which `counts`, and `more` points cannot supply, body weights.
    pub fn missing(
        &mut self,
        schedule: &ContactSchedule,
        f: usize,
        counts: &dyn Fn(usize) -> bool,
        more: &[Point],
    ) -> f64 {
        self.collect(schedule, f, counts);
        self.points.extend_from_slice(more);
        let left = self.split(f);
        let (weight, length) = (self.weight(), LENGTH * self.stature);
        left.linear.norm() / weight + left.angular.norm() / (weight * length)
    }

    /// Frames with missing support, by instant; those between have the value of the instant before.
    pub fn is_missing(&mut self, schedule: &ContactSchedule) -> Vec<bool> {
        let mut is_missing = vec![false; schedule.frames()];
        for f in self.samples(0..schedule.frames()) {
            let value = self.missing(schedule, f, &|_| true, &[]) > MISSING;
            let end = (f + self.stride).min(schedule.frames());
            is_missing[f..end].fill(value);
        }
        is_missing
    }

    /// Vertical forces on props in a frame, body weights.
    pub fn loads(&mut self, schedule: &ContactSchedule, f: usize) -> Vec<(usize, f64)> {
        self.collect(schedule, f, &|_| true);
        self.split(f);
        let on = (0..schedule.points.len()).filter(|k| schedule.is_on(*k, f));
        let owners = on.flat_map(|k| {
            let prop = schedule.prop_index(k, f);
            schedule.tracks[k].at(f).iter().map(move |_| prop)
        });
        let weight = self.weight();
        let load = |(prop, force): (Option<usize>, &Vec3)| prop.map(|n| (n, force.z / weight));
        owners.zip(&self.forces).filter_map(load).collect()
    }

    /// Splits the required wrench over the collected points; returns what is missing.
    fn split(&mut self, f: usize) -> Force {
        let state = &self.centroid.frames()[f];
        let wrench = Force::new(state.moment, (state.acceleration - self.gravity).scale(self.mass));
        let units = [self.weight(), LENGTH * self.stature];
        self.splitter.split(wrench, state.com, &self.points, units, &mut self.forces).residual
    }
}

/// Runs of `true` with gaps of at most `gap` frames bridged.
pub(super) fn bridged(on: &[bool], gap: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for run in intervals(on) {
        match runs.last_mut() {
            Some(last) if run.start - last.end <= gap => last.end = run.end,
            _ => runs.push(run),
        }
    }
    runs
}

/// Median; zero for none.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
}
