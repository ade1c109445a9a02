//! The reference of the filter at an instant, and a whole motion as the reference at any time.
//!
//! Computes q, v, a of a quintic spline through the poses. Centre of mass and angular momentum are low-passed separately:
//! joint accelerations of captured motions are too rough for them. The ground below each contact point comes from its stances.

use crate::centroid::{CentroidalTrajectory, centroidal_signals};
use crate::clip::Clip;
use crate::contact_points::Site;
use crate::contact_schedule::ContactSchedule;
use crate::estimate::Estimate;
use crate::pose;
use crate::smooth;
use crate::spline::Spline;
use crate::trajectory::{Trajectory, velocities};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Vec3, vec3};
use std::ops::Range;
use std::sync::Arc;

/// Cut-off of centre of mass and angular momentum, Hz.
const CENTER_CUTOFF: f64 = 6.0;
/// Frames before and after a use in which points of the body meet a prop.
const PROP_FRAMES: usize = 30;

/// The ground below a contact point: the plane z = height + slope . (x, y).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Floor {
    /// height at the origin, m
    pub height: f64,
    /// slope along x and y
    pub slope: [f64; 2],
}

impl Floor {
    /// Level ground.
    pub const fn level(height: f64) -> Floor {
        Floor { height, slope: [0.0; 2] }
    }

    /// Height at a position, m.
    pub fn at(&self, x: f64, y: f64) -> f64 {
        self.height + self.rise(x, y)
    }

    /// Rise over a horizontal displacement, m.
    pub fn rise(&self, x: f64, y: f64) -> f64 {
        self.slope[0] * x + self.slope[1] * y
    }

    /// Upward normal, unit.
    pub fn normal(&self) -> Vec3 {
        let [x, y] = self.slope;
        vec3(-x, -y, 1.0).scale(1.0 / (1.0 + x * x + y * y).sqrt())
    }

    /// Height of a point above the plane, along the normal, m.
    pub fn above(&self, p: Vec3) -> f64 {
        (p.z - self.at(p.x, p.y)) * self.normal().z
    }

    /// Vertical projection of a point. For points within millimetres it equals the projection along the normal.
    pub(crate) fn under(&self, p: Vec3) -> Vec3 {
        vec3(p.x, p.y, self.at(p.x, p.y))
    }
}

/// Component of a vector tangential to the ground.
pub(crate) fn along(normal: Vec3, v: Vec3) -> Vec3 {
    v - normal.scale(normal.dot(v))
}

/// The reference at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReferenceSample {
    /// coordinates
    pub q: Vec<f64>,
    /// velocities
    pub v: Vec<f64>,
    /// accelerations
    pub a: Vec<f64>,
    /// centre of mass, its velocity and acceleration
    pub com: [Vec3; 3],
    /// angular momentum about it and its rate
    pub angular_momentum: [Vec3; 2],
    /// by contact point: whether it is in contact
    pub in_contact: Vec<bool>,
    /// by contact point: time until that changes, s; empty if unknown
    pub until_change: Vec<f64>,
    /// by contact point: the ground below it
    pub floor: Vec<Floor>,
    /// by contact point: share of the load where balance leaves the choice; empty for even shares
    pub load_share: Vec<f64>,
    /// whether contacts are exactly those of the sample and balance needs no adjustment
    pub is_planned: bool,
}

impl ReferenceSample {
    /// Time until a contact point lands or lifts, s; infinite if unknown.
    pub(crate) fn until_change(&self, contact_point: usize) -> f64 {
        self.until_change.get(contact_point).copied().unwrap_or(f64::INFINITY)
    }

    /// Copies pose, velocities and accelerations.
    pub(crate) fn take(&mut self, estimate: &Estimate) {
        let lists = [(&mut self.q, estimate.pose), (&mut self.v, estimate.v), (&mut self.a, estimate.a)];
        for (list, values) in lists {
            list.clear();
            list.extend_from_slice(values);
        }
    }

    /// Sets centre of mass and angular momentum from their six signals and the first and second derivatives of these.
    pub(crate) fn set_centroid(&mut self, signals: &[[f64; 6]; 3]) {
        self.com = signals.each_ref().map(|s| pose::triple(s, 0));
        self.angular_momentum = [0, 1].map(|k| pose::triple(&signals[k], 3));
    }
}

/// A reference known from start to end.
#[derive(Clone, Debug)]
pub struct Reference {
    figure: Arc<Figure>,
    dt: f64,
    poses: Spline,
    start: f64,
    plan: Option<CentroidalTrajectory>,
    /// change of the plan from a time on
    pub(crate) change: Option<CentroidalTrajectory>,
    center: Spline,
    /// by frame, then by contact point
    in_contact: Vec<Vec<bool>>,
    /// frame in which that changes, infinite if never; by frame, then by contact point
    changes: Vec<Vec<f64>>,
    floor: Vec<Vec<Floor>>,
    scratch: [Vec<f64>; 3],
}

impl Reference {
    /// From a smooth motion and its contact schedule.
    pub fn new(clip: &Clip, schedule: &ContactSchedule) -> Reference {
        let (figure, dt) = (clip.figure().clone(), clip.dt());
        let mut center = centroidal_signals(&Trajectory::from_clip(clip, None));
        smooth::low_pass(&mut center, 6, 1.0 / dt, CENTER_CUTOFF);
        let in_contact =
            |frame: usize| (0..schedule.points.len()).map(|k| schedule.is_on(k, frame)).collect();
        let nq = figure.forest().nq();
        Reference {
            dt,
            poses: Spline::through(clip.poses(), nq, dt),
            start: clip.start(),
            plan: None,
            change: None,
            center: Spline::through(&center, 6, dt),
            changes: next_changes(schedule),
            in_contact: (0..clip.frames()).map(in_contact).collect(),
            floor: floors(schedule),
            scratch: [vec![0.0; nq], vec![0.0; nq], vec![0.0; nq]],
            figure,
        }
    }

    /// With planned momentum.
    pub(crate) fn with_plan(mut self, plan: &CentroidalTrajectory) -> Reference {
        self.plan = Some(plan.clone());
        self
    }

    /// The reference at a time.
    pub fn at(&mut self, t: f64, sample: &mut ReferenceSample) {
        let forest = self.figure.forest();
        let [x, rate, second] = &mut self.scratch;
        self.poses.at(t, [x, rate, second]);
        sample.v.resize(forest.nv(), 0.0);
        sample.a.resize(forest.nv(), 0.0);
        velocities(forest, [x, rate, second], &mut sample.v, &mut sample.a);
        sample.q.clear();
        sample.q.extend_from_slice(x);
        pose::normalise(forest, &mut sample.q);
        let mut c = [[0.0; 6]; 3];
        let [value, first, curve] = &mut c;
        self.center.at(t, [value, first, curve]);
        sample.set_centroid(&c);
        if let Some(plan) = &self.plan {
            let t = self.start + t;
            let mut m = plan.at(t);
            if let Some(change) = &self.change {
                m = m.plus(&change.at(t));
            }
            sample.com = [m.com, m.velocity, m.acceleration];
            sample.angular_momentum = [m.angular_momentum, m.moment];
        }
        let frame = ((t / self.dt + 1e-9) as usize).min(self.in_contact.len() - 1);
        sample.in_contact.clone_from(&self.in_contact[frame]);
        sample.until_change.clear();
        sample.until_change.extend(self.changes[frame].iter().map(|f| f * self.dt - t));
        sample.floor.clone_from(&self.floor[frame]);
    }
}

/// The frame in which the contact of each point changes next, by frame, then by point.
fn next_changes(schedule: &ContactSchedule) -> Vec<Vec<f64>> {
    let mut next = vec![f64::INFINITY; schedule.points.len()];
    let mut changes: Vec<Vec<f64>> = Vec::with_capacity(schedule.frames());
    for f in (0..schedule.frames()).rev() {
        for (k, next) in next.iter_mut().enumerate() {
            if f + 1 < schedule.frames() && schedule.is_on(k, f) != schedule.is_on(k, f + 1) {
                *next = f as f64 + 1.0;
            }
        }
        changes.push(next.clone());
    }
    changes.reverse();
    changes
}

/// The ground below each contact point, by frame, then by point: the ground plane. On uneven ground (stairs, boxes) a point
/// has the height of its stance, and in the air the lower of the stances before and after, so that a foot on its way up
/// does not penetrate the next step.
pub(super) fn floors(schedule: &ContactSchedule) -> Vec<Vec<Floor>> {
    let ground = schedule.ground;
    let even = Floor { height: ground.height, slope: ground.slope };
    let mut floors = vec![vec![even; schedule.points.len()]; schedule.frames()];
    let rests_on_prop = |k: usize| matches!(schedule.points[k].site, Site::OnProp(..));
    let margin = PROP_FRAMES.min(schedule.frames());
    for k in (0..schedule.points.len()).filter(|k| rests_on_prop(*k)) {
        for (frames, prop) in schedule.intervals_on_props(k) {
            let near = frames.start.saturating_sub(margin)..(frames.end + margin).min(schedule.frames());
            near.for_each(|f| floors[f][k] = Floor::level(schedule.props[prop].at.z));
        }
    }
    for k in (0..schedule.points.len()).filter(|k| !ground.is_even && !rests_on_prop(*k)) {
        let mut put = |frames: Range<usize>, height: f64| {
            frames.for_each(|f| floors[f][k] = Floor::level(height));
        };
        let mut before: Option<(usize, f64)> = None;
        for interval in schedule.intervals(k) {
            let heights = &schedule.tracks[k].height[interval.clone()];
            let height = heights.iter().copied().fold(f64::INFINITY, f64::min);
            let (end, last) = before.unwrap_or((0, height));
            put(end..interval.start, height.min(last));
            put(interval.clone(), height);
            before = Some((interval.end, height));
        }
        if let Some((end, height)) = before {
            put(end..schedule.frames(), height);
        }
    }
    floors
}
