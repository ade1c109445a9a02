//! Feet as rigid soles, their stances and footprints.
//!
//! A stance is an interval in which heel or toe are in contact. It has one footprint: the sole flat on the ground, with heel
//! and toe as near as a rigid sole allows to their mean positions in contact:
//!     min  n_h |H - mean heel|^2 + n_t |T - mean toe|^2   with  T = H + length u,
//! so that u is along the line between the means. On moving ground, positions are those at time zero.

use crate::contact_points::{ContactPoint, Site};
use crate::contact_schedule::{ContactSchedule, Ground, intervals};
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::{Mat3, Quat, Transform, Vec3, vec3};
use std::ops::Range;

/// Angle by which a foot has turned where a new footprint begins, rad, and least time that it takes, s.
const PIVOT_ANGLE: f64 = 0.5;
const PIVOT_TIME: f64 = 0.06;

/// Pose of a sole: its middle, and its axes (ahead, left, up).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolePose {
    pub position: Vec3,
    pub orientation: Quat,
}

/// Part of a foot in contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SoleContact {
    Air,
    Heel,
    Toe,
    Flat,
}

/// A contact interval of a foot.
#[derive(Clone, Debug)]
pub(crate) struct FootStance {
    pub frames: Range<usize>,
    /// the sole lying flat
    pub print: SolePose,
}

/// A foot with its stances.
#[derive(Clone, Debug)]
pub(crate) struct Foot {
    pub link: LinkHandle,
    pub link_from_sole: Transform,
    /// half the distance from heel to toe, m
    pub half: f64,
    /// half the breadth, m
    pub breadth: f64,
    /// by frame
    pub contact: Vec<SoleContact>,
    pub stances: Vec<FootStance>,
    /// intervals in which the sole is flat
    pub flat: Vec<Range<usize>>,
}

impl Foot {
    /// All feet with heel and toe.
    pub fn all(schedule: &ContactSchedule, dt: f64) -> Vec<Foot> {
        let pairs = schedule.points.iter().enumerate().filter_map(|(h, point)| {
            let Site::Heel(side) = point.site else { return None };
            let t = schedule.points.iter().position(|p| p.site == Site::Toe(side) && p.link == point.link)?;
            Foot::new(schedule, [h, t], dt)
        });
        pairs.collect()
    }

    fn new(schedule: &ContactSchedule, [heel, toe]: [usize; 2], dt: f64) -> Option<Foot> {
        let contact = |f: usize| match [heel, toe].map(|k| schedule.is_on(k, f)) {
            [false, false] => SoleContact::Air,
            [true, false] => SoleContact::Heel,
            [false, true] => SoleContact::Toe,
            [true, true] => SoleContact::Flat,
        };
        let mut contact: Vec<SoleContact> = (0..schedule.frames()).map(contact).collect();
        let heading = |f: usize| {
            let [heel, toe] = [heel, toe].map(|k| schedule.tracks[k].middle(f));
            libm::atan2(toe.y - heel.y, toe.x - heel.x)
        };
        cut_pivots(&mut contact, heading, dt);
        let runs =
            |is: &dyn Fn(SoleContact) -> bool| intervals(&contact.iter().map(|b| is(*b)).collect::<Vec<_>>());
        let (stances, flat) = (runs(&|b| b != SoleContact::Air), runs(&|b| b == SoleContact::Flat));
        let (h, t) = (middle(&schedule.points[heel]), middle(&schedule.points[toe]));
        let (link_from_sole, half, breadth) = sole(&schedule.points[heel], h, t)?;
        let link = schedule.points[heel].link;
        let mut foot = Foot { link, link_from_sole, half, breadth, contact, stances: Vec::new(), flat };
        let stance = |frames: Range<usize>| FootStance {
            print: foot.print(schedule, [heel, toe], frames.clone(), dt),
            frames,
        };
        foot.stances = stances.into_iter().map(stance).collect();
        Some(foot)
    }

    /// Footprint of a contact interval.
    fn print(
        &self,
        schedule: &ContactSchedule,
        points: [usize; 2],
        frames: Range<usize>,
        dt: f64,
    ) -> SolePose {
        let ground = &schedule.ground;
        let normal = ground.normal();
        let at =
            |k: usize, f: usize| schedule.tracks[points[k]].middle(f) - ground.velocity.scale(f as f64 * dt);
        let mut means = [(Vec3::ZERO, 0.0); 2];
        let mut heading = Vec3::ZERO;
        let Range { start, end } = frames;
        for f in frames {
            heading += at(1, f) - at(0, f);
            for (k, mean) in means.iter_mut().enumerate() {
                if [SoleContact::Flat, [SoleContact::Heel, SoleContact::Toe][k]].contains(&self.contact[f]) {
                    *mean = (mean.0 + at(k, f), mean.1 + 1.0);
                }
            }
        }
        let [heel, toe] = means.map(|(sum, n)| sum.scale(1.0 / f64::max(n, 1.0)));
        let level = |v: Vec3| v - normal.scale(v.dot(normal));
        let (length, [n_h, n_t]) = (2.0 * self.half, means.map(|m| m.1));
        let ahead = level(heading).normalized().unwrap_or_else(|| normal.any_perpendicular());
        // heel of the sole from the mean contact positions
        let rear = match (n_h > 0.0, n_t > 0.0) {
            (true, true) => heel + (level(toe - heel) - ahead.scale(length)).scale(n_t / (n_h + n_t)),
            (true, false) => heel,
            _ => toe - ahead.scale(length),
        };
        let mean = (heel.z * n_h + toe.z * n_t) / (n_h + n_t).max(1.0);
        let level = |k: usize| {
            (start..end).find_map(|f| schedule.level(points[k], f).filter(|_| schedule.is_on(points[k], f)))
        };
        let height = level(0).or_else(|| level(1)).unwrap_or(mean);
        let position = on_ground(ground, rear + ahead.scale(self.half), height);
        let orientation = Quat::from_matrix(&Mat3 { x: ahead, y: normal.cross(ahead), z: normal });
        SolePose { position, orientation }
    }

    /// The sole in contact: pitched about its rear or front edge, positive toe up.
    pub fn standing(&self, print: &SolePose, contact: SoleContact, pitch: f64) -> SolePose {
        let edge = match contact {
            SoleContact::Heel => -self.half,
            SoleContact::Toe => self.half,
            SoleContact::Flat | SoleContact::Air => return *print,
        };
        let edge = vec3(edge, 0.0, 0.0);
        let orientation = print.orientation.then(Quat::exp(vec3(0.0, -pitch, 0.0)));
        SolePose {
            position: print.position + print.orientation.rotate(edge) - orientation.rotate(edge),
            orientation,
        }
    }

    /// Corners of the sole: rear left, rear right, front left, front right.
    pub fn corners(&self, pose: &SolePose) -> [Vec3; 4] {
        let at = |x: f64, y: f64| pose.position + pose.orientation.rotate(vec3(x, y, 0.0));
        let (x, y) = (self.half, self.breadth);
        [at(-x, y), at(-x, -y), at(x, y), at(x, -y)]
    }
}

/// Cuts stances in which the foot turns: each part gets a footprint of its own, and the foot turns freely in between.
fn cut_pivots(contact: &mut [SoleContact], heading: impl Fn(usize) -> f64, dt: f64) {
    let turn = |from: usize, to: usize| {
        let angle = heading(to) - heading(from);
        libm::remainder(angle, core::f64::consts::TAU).abs()
    };
    let free = (0.5 * PIVOT_TIME / dt).ceil() as usize;
    for stance in intervals(&contact.iter().map(|c| *c != SoleContact::Air).collect::<Vec<_>>()) {
        let mut start = stance.start;
        for f in stance.clone() {
            if turn(start, f) > PIVOT_ANGLE {
                // the turn itself is about half-way
                let middle = (start..f).find(|k| turn(start, *k) > 0.5 * PIVOT_ANGLE).unwrap_or(f);
                let cut = middle.saturating_sub(free).max(stance.start + 1)..(f + free).min(stance.end - 1);
                contact[cut].fill(SoleContact::Air);
                start = f;
            }
        }
    }
}

/// Vertical projection of a point to the ground; uneven ground has the given height.
pub(crate) fn on_ground(ground: &Ground, p: Vec3, height: f64) -> Vec3 {
    let z =
        if ground.is_even { ground.height + ground.slope[0] * p.x + ground.slope[1] * p.y } else { height };
    Vec3 { z, ..p }
}

/// Middle of the points of a contact point, link axes.
pub(crate) fn middle(contact_point: &ContactPoint) -> Vec3 {
    let sum = contact_point.points.iter().fold(Vec3::ZERO, |s, p| s + *p);
    sum.scale(1.0 / contact_point.points.len().max(1) as f64)
}

/// Axes of a sole on its link, half its length and half its breadth; `None` for feet without extent.
fn sole(heel_edge: &ContactPoint, heel: Vec3, toe: Vec3) -> Option<(Transform, f64, f64)> {
    let [left, right] = heel_edge.points[..] else { return None };
    let (ahead, across) = (toe - heel, left - right);
    let x = ahead.normalized()?;
    let z = x.cross(across).normalized()?;
    let rotation = Mat3 { x, y: z.cross(x), z };
    let translation = (heel + toe).scale(0.5);
    Some((Transform { rotation, translation }, 0.5 * ahead.norm(), 0.5 * across.norm()))
}
