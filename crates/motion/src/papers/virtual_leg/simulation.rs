//! Simulation of a figure on its virtual leg: joints follow a desired motion, the base follows from the ground force.
//!
//! Each step: centre of mass and angular momentum; the reaction force at the virtual foot (parent module); with the desired
//! joint accelerations and this force, the base acceleration and the joint torques [L1992 eq. 9.8-9.14]
//! (`algo::moving_base`); v += a dt, q (+)= v dt.
//! A foot carries at one point: the mean position of its points over the contact interval, shifted by its landing error. The
//! desired angular momentum is that of the desired motion.
//! The rest length changes once per step, at landing, so that the mean height of the centre of mass over the step is that of
//! the desired motion: by the secant method, simulating the step repeatedly. Incomplete steps at both ends keep the rest
//! length.

use super::VirtualLeg;
use super::support::{FootContact, Support, foot_contacts, support};
use crate::clip::Clip;
use crate::error::Error;
use crate::filter::dynamics_terms::{DynamicsTerms, integrate};
use crate::papers::hidds::DesiredMotion;
use crate::papers::root_of_tree;
use anthropi_dynamics::algo::moving_base;
use anthropi_dynamics::model::{BodyIx, Figure};
use anthropi_dynamics::spatial::{Force, Vec3, vec3};
use serde::Serialize;
use std::ops::Range;
use std::sync::Arc;

/// Search for the rest length: secant steps, tolerance of the height, m, first and largest change of the rest length, m.
const MAX_SECANTS: usize = 8;
const HEIGHT_TOLERANCE: f64 = 1e-5;
const FIRST_CHANGE: f64 = 0.01;
const MAX_CHANGE: f64 = 0.05;
/// Least duration of a complete step, s.
const MIN_STEP: f64 = 0.2;
/// Least load at which friction is measured, parts of the weight.
const MIN_LOAD: f64 = 0.1;

/// Choice of the rest length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestLength {
    /// constant
    Fixed,
    /// found for each step to keep the height
    #[default]
    KeepsHeight,
}

/// A simulation on a virtual leg, by sample.
#[derive(Clone, Debug)]
pub struct VirtualLegRun {
    /// the motion
    pub motion: Clip,
    /// ground forces of the rear and the front foot, N; in single support of the front foot
    pub forces: Vec<[Vec3; 2]>,
    /// joint torques; zero for the root
    pub torques: Vec<Vec<f64>>,
    /// centre of mass
    pub centers: Vec<Vec3>,
    /// rest length of each step, m
    pub rest_lengths: Vec<f64>,
    /// largest horizontal slip of a point in contact since landing, m
    pub slip: f64,
    /// largest height error of a point in contact, m
    pub height_error: f64,
    /// largest ratio of horizontal to vertical force: the required friction
    pub friction: f64,
}

/// Difference of two simulations of one desired motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Difference {
    /// difference of the heights of the centres of mass, RMS, m
    #[serde(rename = "height_rms_m")]
    pub height_rms: f64,
    /// distance of the centres of mass, RMS, m
    #[serde(rename = "center_rms_m")]
    pub center_rms: f64,
    /// distance of the centres of mass at the end, m
    #[serde(rename = "center_end_m")]
    pub center_end: f64,
    /// difference of the vertical forces, RMS, body weights
    #[serde(rename = "force_rms_bw")]
    pub force_rms: f64,
    /// largest vertical force of this one, body weights
    #[serde(rename = "peak_bw")]
    pub peak: f64,
    /// largest vertical force of the other, body weights
    #[serde(rename = "peak_rigid_bw")]
    pub other_peak: f64,
    /// mean vertical force of this one, body weights
    #[serde(rename = "mean_bw")]
    pub mean: f64,
    /// mean vertical force of the other, body weights
    #[serde(rename = "mean_rigid_bw")]
    pub other_mean: f64,
}

impl VirtualLegRun {
    /// Compares with another motion and its total ground forces, such as one with rigid contacts
    /// ([`crate::papers::hidds::Refined`]), up to the end of the shorter one.
    pub fn compared_with(&self, motion: &Clip, ground: &[Vec3]) -> Difference {
        let figure = motion.figure();
        let (weight, rest) = (figure.mass() * figure.gravity().norm(), vec![0.0; figure.forest().nv()]);
        let (mut d, mut terms) = (Difference::default(), DynamicsTerms::default());
        let count = self.centers.len().min(motion.frames()).min(ground.len());
        for (n, other) in ground.iter().enumerate().take(count) {
            terms.update_motion(figure.forest(), motion.pose(n), &rest, &rest);
            let displacement = self.centers[n] - terms.com;
            let off = displacement.norm();
            d.height_rms += displacement.z * displacement.z;
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

/// Simulates a figure on a virtual leg along the joints of a desired motion.
///
/// # Errors
/// A desired motion of another figure; a figure without a free root or with loop closures; parameters of the leg out of range.
pub fn simulate(
    figure: &Arc<Figure>,
    desired: &DesiredMotion,
    leg: &VirtualLeg,
    rest: RestLength,
) -> Result<VirtualLegRun, Error> {
    leg.check()?;
    desired.check(figure)?;
    let root = root_of_tree(figure)?;
    let foot_contacts = foot_contacts(desired, figure);
    // steps start at landings
    let mut steps = vec![0, desired.samples.len()];
    steps.extend(foot_contacts.iter().map(|s| s.from));
    steps.sort_unstable();
    steps.dedup();
    let mut simulation = Simulation::new(figure, desired, &foot_contacts, root);
    let mut rest_lengths = Vec::new();
    let mut leg = *leg;
    for step in steps.windows(2) {
        if rest == RestLength::KeepsHeight && (step[1] - step[0]) as f64 * desired.dt >= MIN_STEP {
            leg.rest_length = rest_length(&simulation, leg, step[0]..step[1]);
        }
        simulation.run(&leg, step[0]..step[1]);
        rest_lengths.push(leg.rest_length);
        if !simulation.is_finite() {
            let what = "the leg does not carry it: the simulation diverged".into();
            return Err(Error::Unsuitable { subject: figure.name.clone(), what });
        }
    }
    let motion = Clip::new("virtual leg", figure.clone(), desired.dt, simulation.poses)?;
    Ok(VirtualLegRun {
        motion,
        forces: simulation.forces,
        torques: simulation.torques,
        centers: simulation.centers,
        rest_lengths,
        slip: simulation.slip,
        height_error: simulation.height_error,
        friction: simulation.friction,
    })
}

/// The rest length that keeps the mean height over a step.
fn rest_length(start: &Simulation, leg: VirtualLeg, step: Range<usize>) -> f64 {
    let height = |rest_length: f64| {
        let leg = VirtualLeg { rest_length, ..leg };
        start.clone().run(&leg, step.clone())
    };
    let mut last = leg.rest_length;
    let mut off = height(last);
    let (mut best, mut least) = (last, off.abs());
    let mut now = last + FIRST_CHANGE;
    for _ in 0..MAX_SECANTS {
        let off_now = height(now);
        if off_now.abs() < least {
            (best, least) = (now, off_now.abs());
        }
        if least < HEIGHT_TOLERANCE || !off_now.is_finite() || off_now == off {
            break;
        }
        let change = (-off_now * (now - last) / (off_now - off)).clamp(-MAX_CHANGE, MAX_CHANGE);
        (last, off) = (now, off_now);
        now = (now + change).max(0.0);
    }
    best
}

/// State and results of a simulation.
#[derive(Clone)]
struct Simulation<'a> {
    figure: &'a Figure,
    desired: &'a DesiredMotion,
    foot_contacts: &'a [FootContact],
    root: BodyIx,
    q: Vec<f64>,
    v: Vec<f64>,
    /// horizontal landing error of each contact
    landing_offset: Vec<Option<Vec3>>,
    /// landing positions of the points
    landing_positions: Vec<Option<Vec3>>,
    terms: DynamicsTerms,
    desired_terms: DynamicsTerms,
    poses: Vec<f64>,
    forces: Vec<[Vec3; 2]>,
    torques: Vec<Vec<f64>>,
    centers: Vec<Vec3>,
    slip: f64,
    height_error: f64,
    friction: f64,
}

impl<'a> Simulation<'a> {
    fn new(
        figure: &'a Figure,
        desired: &'a DesiredMotion,
        foot_contacts: &'a [FootContact],
        root: BodyIx,
    ) -> Simulation<'a> {
        let first = &desired.samples[0];
        Simulation {
            figure,
            desired,
            foot_contacts,
            root,
            q: first.q.clone(),
            v: first.v.clone(),
            landing_offset: vec![None; foot_contacts.len()],
            landing_positions: vec![None; desired.points.len()],
            terms: DynamicsTerms::default(),
            desired_terms: DynamicsTerms::default(),
            poses: Vec::new(),
            forces: Vec::new(),
            torques: Vec::new(),
            centers: Vec::new(),
            slip: 0.0,
            height_error: 0.0,
            friction: 0.0,
        }
    }

    fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.v).all(|x| x.is_finite())
    }

    /// Simulates samples; returns their mean height error, m.
    fn run(&mut self, leg: &VirtualLeg, samples: Range<usize>) -> f64 {
        let (forest, dt) = (self.figure.forest(), self.desired.dt);
        let count = samples.len().max(1) as f64;
        let weight = self.figure.mass() * self.figure.gravity().norm();
        let mut mean_height_error = 0.0;
        for n in samples {
            let sample = &self.desired.samples[n];
            self.desired_terms.update_motion(forest, &sample.q, &sample.v, &sample.a);
            self.terms.update_motion(forest, &self.q, &self.v, &sample.a);
            mean_height_error += (self.terms.com.z - self.desired_terms.com.z) / count;
            self.measure_contacts(n);
            let foot_forces = self.foot_forces(leg, n);
            let mut external = vec![Force::default(); forest.bodies().len()];
            for (contact, at, force) in foot_forces.into_iter().flatten() {
                let body = forest.link_place(self.foot_contacts[contact].link).body;
                self.terms.add_force(body, at, force, &mut external);
            }
            let mut a = self.joints(n);
            let mut tau = vec![0.0; forest.nv()];
            let (external, work) = (Some(&external[..]), &mut moving_base::Work::default());
            moving_base::inverse_dynamics(forest, &self.q, &self.v, external, work, &mut a, &mut tau);
            tau[forest.bodies()[self.root.index()].dofs()].fill(0.0);
            let forces = foot_forces.map(|p| p.map_or(Vec3::ZERO, |(_, _, f)| f));
            let sum = forces[0] + forces[1];
            if sum.z > MIN_LOAD * weight {
                self.friction = self.friction.max(vec3(sum.x, sum.y, 0.0).norm() / sum.z);
            }
            self.poses.extend_from_slice(&self.q);
            self.centers.push(self.terms.com);
            self.forces.push(forces);
            self.torques.push(tau);
            integrate(forest, &mut self.q, &mut self.v, &a, dt);
        }
        mean_height_error
    }

    /// Accelerations that reach the desired joint velocities at the next sample.
    fn joints(&self, n: usize) -> Vec<f64> {
        let sample = &self.desired.samples[n];
        let mut a = sample.a.clone();
        if let Some(next) = self.desired.samples.get(n + 1) {
            (0..a.len()).for_each(|k| a[k] = (next.v[k] - self.v[k]) / self.desired.dt);
        }
        a
    }

    /// Contact, position and force of the rear and the front foot.
    fn foot_forces(&mut self, leg: &VirtualLeg, n: usize) -> [Option<(usize, Vec3, Vec3)>; 2] {
        let (center, now) = (self.terms.com, self.terms.angular_momentum);
        let desired = self.desired_terms.angular_momentum;
        let reaction = |foot: Vec3| leg.reaction(foot - center, now, desired).linear;
        match support(self.foot_contacts, n) {
            Support::None => [None, None],
            Support::Single(one) => {
                let at = self.contact(one);
                [None, Some((one, at, reaction(at)))]
            }
            Support::Double(rear, front, s) => {
                let (p, q) = (self.contact(rear), self.contact(front));
                let force = reaction(leg.foot(p, q, s));
                let [f, g] = leg.shared(force, s);
                [Some((rear, p, f)), Some((front, q, g))]
            }
        }
    }

    /// Position of a contact: the desired one, shifted by the landing error.
    fn contact(&mut self, contact: usize) -> Vec3 {
        let s = &self.foot_contacts[contact];
        let forest = self.figure.forest();
        let place = |t: &DynamicsTerms| t.kinematics.link_pose(forest, s.link).translation;
        let off = place(&self.terms) - place(&self.desired_terms);
        let off = *self.landing_offset[contact].get_or_insert(vec3(off.x, off.y, 0.0));
        off + s.middle()
    }

    /// Measures slip and height error of the points in contact.
    fn measure_contacts(&mut self, n: usize) {
        let forest = self.figure.forest();
        for (k, (link, at)) in self.desired.points.iter().enumerate() {
            if !self.desired.samples[n].on[k] {
                self.landing_positions[k] = None;
                continue;
            }
            let [own, desired_position] =
                [&self.terms, &self.desired_terms].map(|t| t.kinematics.link_pose(forest, *link).point(*at));
            let displacement = own - *self.landing_positions[k].get_or_insert(own);
            self.slip = self.slip.max(vec3(displacement.x, displacement.y, 0.0).norm());
            self.height_error = self.height_error.max((own.z - desired_position.z).abs());
        }
    }
}
