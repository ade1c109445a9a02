//! A figure along a course on its virtual leg: joints follow the course, the base follows from the ground's force.
//!
//! Each step: centre of mass and angular momentum; the reaction at the virtual foot (the parent module); with the joints'
//! accelerations of the course and this force, the acceleration of the base and the joint torques [L1992 eq. 9.8-9.14]
//! (`algo::moving_base`); v += a dt, q (+)= v dt.
//! A foot carries at one point, the mean of where its points stand over its spell on the ground, moved along with where
//! the figure's own foot came down. Angular momentum is wanted as the course has it.
//! The rest length changes once a step, where a foot comes down, so that over the step the centre of mass is on average
//! as high as in the course: by secants, each a ride of the step. What is left of a step at either end of a course keeps
//! the rest length it finds.

use super::VirtualLeg;
use super::support::{Spell, Support, spells, support};
use crate::clip::Clip;
use crate::error::Error;
use crate::filter::terms::Terms;
use crate::hybrid::Course;
use crate::inverse::root_of;
use anthropi_dynamics::algo::moving_base;
use anthropi_dynamics::model::{Figure, JointHandle};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{Force, Vec3, vec3};
use std::sync::Arc;

/// Rides of a step to find the rest length, and the height that is near enough, m.
const RIDES: usize = 8;
const NEAR: f64 = 1e-5;
/// First change of the rest length, m.
const NUDGE: f64 = 0.01;
/// Rest lengths change by no more than this from one ride to the next, m.
const MOST: f64 = 0.05;

/// Less than this, s, is no step.
const STEP: f64 = 0.2;
/// Friction is told where the ground carries more than this part of the weight.
const CARRIES: f64 = 0.1;

/// Rest length on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// that of the leg
    Fixed,
    /// found anew for each step so that height is kept
    #[default]
    KeepsHeight,
}

/// What came of a ride, by instant.
#[derive(Clone, Debug)]
pub struct Ride {
    /// the motion
    pub motion: Clip,
    /// forces of the ground on the rear and the front foot, N; a foot alone is the front one
    pub forces: Vec<[Vec3; 2]>,
    /// joint torques; those of the root are zero
    pub torques: Vec<Vec<f64>>,
    /// centre of mass
    pub centers: Vec<Vec3>,
    /// rest length of each step, m
    pub rest_lengths: Vec<f64>,
    /// farthest way of a point that stands along the ground from where it came down, m
    pub slid: f64,
    /// farthest a point that stands is above or below where the course has it, m
    pub lifted: f64,
    /// largest tangent of the force to the vertical, where it carries: the friction it takes
    pub friction: f64,
}

/// How far two motions along one course are apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// centres of mass, root mean square and at the end, m
    pub center_rms: f64,
    /// m
    pub center_end: f64,
    /// their heights, root mean square, m
    pub height_rms: f64,
    /// vertical forces, root mean square, body weights
    pub force_rms: f64,
    /// highest vertical force of the one, body weights
    pub peak: f64,
    /// and of the other
    pub other_peak: f64,
    /// mean vertical force of the one over the course, body weights
    pub mean: f64,
    /// and of the other
    pub other_mean: f64,
}

impl Ride {
    /// Against another motion along the same course with the sums of its ground forces, such as that of rigid contact
    /// ([`crate::hybrid::Refined`]); as long as both last.
    pub fn against(&self, motion: &Clip, ground: &[Vec3]) -> Difference {
        let figure = motion.figure();
        let (weight, rest) = (figure.mass() * figure.gravity().norm(), vec![0.0; figure.forest().nv()]);
        let (mut d, mut terms) = (Difference::default(), Terms::default());
        let count = self.centers.len().min(motion.frames()).min(ground.len());
        for (n, other) in ground.iter().enumerate().take(count) {
            terms.follow(figure.forest(), motion.pose(n), &rest, &rest);
            let way = self.centers[n] - terms.center;
            let off = way.norm();
            d.height_rms += way.z * way.z;
            let [own, other] = [(self.forces[n][0] + self.forces[n][1]).z / weight, other.z / weight];
            d.center_rms += off * off;
            d.center_end = off;
            d.force_rms += (own - other) * (own - other);
            (d.mean, d.other_mean) = (d.mean + own, d.other_mean + other);
            (d.peak, d.other_peak) = (d.peak.max(own), d.other_peak.max(other));
        }
        let n = count.max(1) as f64;
        for x in [&mut d.center_rms, &mut d.height_rms, &mut d.force_rms] {
            *x = (*x / n).sqrt();
        }
        (d.mean, d.other_mean) = (d.mean / n, d.other_mean / n);
        d
    }
}

/// Moves a figure along the joints of a course on a virtual leg.
///
/// # Errors
/// A course that is not one of the figure; a figure that is not free or has connections; a leg out of its range.
pub fn ride(figure: &Arc<Figure>, course: &Course, leg: &VirtualLeg, rest: Rest) -> Result<Ride, Error> {
    leg.check()?;
    course.check(figure)?;
    let joint = root_of(figure)?;
    if !figure.forest().loops().is_empty() {
        let what = "it has connections that close loops; cut them first".into();
        return Err(Error::Unsuitable { subject: figure.name.clone(), what });
    }
    let spells = spells(course, figure);
    // steps begin where feet come down
    let mut steps: Vec<usize> = spells.iter().map(|s| s.from).collect();
    steps.push(0);
    steps.push(course.instants.len());
    steps.sort_unstable();
    steps.dedup();
    let mut rider = Rider::new(figure, course, &spells, joint);
    let mut rest_lengths = Vec::new();
    let mut leg = *leg;
    for step in steps.windows(2) {
        let start = rider.clone();
        if rest == Rest::KeepsHeight && (step[1] - step[0]) as f64 * course.dt >= STEP {
            leg.rest_length = rest_length(&start, leg, step[0]..step[1]);
        }
        rider = start;
        rider.go(&leg, step[0]..step[1]);
        rest_lengths.push(leg.rest_length);
        if !rider.is_sane() {
            let what = "the leg does not carry it: it left all bounds".into();
            return Err(Error::Unsuitable { subject: figure.name.clone(), what });
        }
    }
    let motion = Clip::new("virtual leg", figure.clone(), course.dt, rider.poses)?;
    Ok(Ride {
        motion,
        forces: rider.forces,
        torques: rider.torques,
        centers: rider.centers,
        rest_lengths,
        slid: rider.slid,
        lifted: rider.lifted,
        friction: rider.friction,
    })
}

/// The rest length that keeps the height over a step.
fn rest_length(start: &Rider, leg: VirtualLeg, step: core::ops::Range<usize>) -> f64 {
    let height = |rest_length: f64| {
        let mut trial = start.clone();
        trial.go(&VirtualLeg { rest_length, ..leg }, step.clone());
        trial.height_off
    };
    let mut last = leg.rest_length;
    let mut off = height(last);
    let (mut best, mut least) = (last, off.abs());
    let mut now = last + NUDGE;
    for _ in 0..RIDES {
        let off_now = height(now);
        if off_now.abs() < least {
            (best, least) = (now, off_now.abs());
        }
        if least < NEAR || !off_now.is_finite() || off_now == off {
            break;
        }
        let change = (-off_now * (now - last) / (off_now - off)).clamp(-MOST, MOST);
        (last, off) = (now, off_now);
        now = (now + change).max(0.0);
    }
    best
}

/// A figure on its way.
#[derive(Clone)]
struct Rider<'a> {
    figure: &'a Figure,
    course: &'a Course,
    spells: &'a [Spell],
    root_iv: usize,
    weight: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    /// how far each foot came down from where the course has it, along the ground
    landed: Vec<Option<Vec3>>,
    /// where points came down
    prints: Vec<Option<Vec3>>,
    terms: Terms,
    wanted: Terms,
    work: moving_base::Work,
    external: Vec<Force>,
    poses: Vec<f64>,
    forces: Vec<[Vec3; 2]>,
    torques: Vec<Vec<f64>>,
    centers: Vec<Vec3>,
    slid: f64,
    lifted: f64,
    friction: f64,
    /// mean height over the last stretch, less that of the course
    height_off: f64,
}

impl<'a> Rider<'a> {
    fn new(figure: &'a Figure, course: &'a Course, spells: &'a [Spell], joint: JointHandle) -> Rider<'a> {
        let (forest, first) = (figure.forest(), &course.instants[0]);
        Rider {
            figure,
            course,
            spells,
            root_iv: forest.joint_place(joint).iv,
            weight: figure.mass() * figure.gravity().norm(),
            q: first.q.clone(),
            v: first.v.clone(),
            landed: vec![None; spells.len()],
            prints: vec![None; course.points.len()],
            terms: Terms::default(),
            wanted: Terms::default(),
            work: moving_base::Work::default(),
            external: vec![Force::default(); forest.bodies().len()],
            poses: Vec::new(),
            forces: Vec::new(),
            torques: Vec::new(),
            centers: Vec::new(),
            slid: 0.0,
            lifted: 0.0,
            friction: 0.0,
            height_off: 0.0,
        }
    }

    fn is_sane(&self) -> bool {
        self.q.iter().chain(&self.v).all(|x| x.is_finite())
    }

    fn go(&mut self, leg: &VirtualLeg, stretch: core::ops::Range<usize>) {
        let (forest, dt) = (self.figure.forest(), self.course.dt);
        let count = stretch.len().max(1) as f64;
        self.height_off = 0.0;
        for n in stretch {
            let instant = &self.course.instants[n];
            self.wanted.follow(forest, &instant.q, &instant.v, &instant.a);
            self.terms.follow(forest, &self.q, &self.v, &instant.a);
            self.height_off += (self.terms.center.z - self.wanted.center.z) / count;
            self.watch(n);
            let pushes = self.pushes(leg, n);
            self.external.fill(Force::default());
            for (spell, at, force) in pushes.into_iter().flatten() {
                let body = forest.link_place(self.spells[spell].link).body;
                let arm = at - self.terms.kinematics.body_pose(body).translation;
                self.external[body.index()] += Force::at_point(force, arm);
            }
            let mut a = self.joints(n);
            let mut tau = vec![0.0; forest.nv()];
            let external = Some(&self.external[..]);
            moving_base::inverse_dynamics(
                forest,
                &self.q,
                &self.v,
                external,
                &mut self.work,
                &mut a,
                &mut tau,
            );
            tau[self.root_iv..self.root_iv + 6].fill(0.0);
            let forces = pushes.map(|p| p.map_or(Vec3::ZERO, |(_, _, f)| f));
            let sum = forces[0] + forces[1];
            if sum.z > CARRIES * self.weight {
                self.friction = self.friction.max(vec3(sum.x, sum.y, 0.0).norm() / sum.z);
            }
            self.poses.extend_from_slice(&self.q);
            self.centers.push(self.terms.center);
            self.forces.push(forces);
            self.torques.push(tau);
            self.v.iter_mut().zip(&a).for_each(|(v, a)| *v += a * dt);
            advance(forest, &mut self.q, &self.v, dt);
        }
    }

    /// Accelerations that bring the joints to the velocities of the course at the next instant.
    fn joints(&self, n: usize) -> Vec<f64> {
        let instant = &self.course.instants[n];
        let mut a = instant.a.clone();
        if let Some(next) = self.course.instants.get(n + 1) {
            (0..a.len()).for_each(|k| a[k] = (next.v[k] - self.v[k]) / self.course.dt);
        }
        a
    }

    /// Spell, place and force of the rear and the front foot.
    fn pushes(&mut self, leg: &VirtualLeg, n: usize) -> [Option<(usize, Vec3, Vec3)>; 2] {
        let (spin, wanted, center) = (self.terms.spin, self.wanted.spin, self.terms.center);
        match support(self.spells, n) {
            Support::None => [None, None],
            Support::One(one) => {
                let at = self.contact(one);
                let force = leg.reaction(at - center, spin, wanted).linear;
                [None, Some((one, at, force))]
            }
            Support::Two(rear, front, s) => {
                let (p, q) = (self.contact(rear), self.contact(front));
                let force = leg.reaction(leg.foot(p, q, s) - center, spin, wanted).linear;
                let [f, g] = leg.shared(force, s);
                [Some((rear, p, f)), Some((front, q, g))]
            }
        }
    }

    /// Where a spell carries: as the course has it, moved along the ground with where the own foot came down.
    fn contact(&mut self, spell: usize) -> Vec3 {
        let s = &self.spells[spell];
        let forest = self.figure.forest();
        let place = |t: &Terms| t.kinematics.link_pose(forest, s.link).translation;
        let off = place(&self.terms) - place(&self.wanted);
        let off = *self.landed[spell].get_or_insert(vec3(off.x, off.y, 0.0));
        off + s.middle()
    }

    /// How far points that stand have moved.
    fn watch(&mut self, n: usize) {
        let forest = self.figure.forest();
        for (k, (link, at)) in self.course.points.iter().enumerate() {
            if !self.course.instants[n].on[k] {
                self.prints[k] = None;
                continue;
            }
            let [own, asked] =
                [&self.terms, &self.wanted].map(|t| t.kinematics.link_pose(forest, *link).point(*at));
            let way = own - *self.prints[k].get_or_insert(own);
            self.slid = self.slid.max(vec3(way.x, way.y, 0.0).norm());
            self.lifted = self.lifted.max((own.z - asked.z).abs());
        }
    }
}
