//! Gait measures of a simulated walk: footfalls, loads and joint angles, from the simulation and not from the plan.
//!
//! A foot is loaded above one per cent of body weight. Steps count from landing to landing; double support is the time
//! with both feet loaded, per step as a fraction of the cycle, as in [L1992 eq. 9.7].

use super::determinant::NAMES;
use super::footsteps::{Footstep, Footsteps};
use super::jump::{self, MeasuredJump};
use super::leg_ik::LegIk;
use super::parameter::Kind;
use super::walk::WalkResult;
use crate::anatomy::{Anatomy, Part, Side};
use crate::contact_points::{ContactPoint, Site};
use crate::filter::SolvedStep;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use serde::Serialize;

/// Load above which a foot is in stance, body weights.
pub const LOADED: f64 = 0.01;
/// Load above which the friction of a foot counts, body weights.
const FRICTION_LOAD: f64 = 0.05;
/// Steady steps excluded from angles and forces next to changes of speed.
const MARGIN_STEPS: usize = 2;

/// Minimum and maximum; infinite, and null in JSON, without values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// minimum
    pub min: f64,
    /// maximum
    pub max: f64,
}

impl Default for Range {
    fn default() -> Range {
        Range { min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Range {
    /// Maximum minus minimum.
    pub fn extent(&self) -> f64 {
        self.max - self.min
    }

    pub(super) fn extend(&mut self, x: f64) {
        self.min = self.min.min(x);
        self.max = self.max.max(x);
    }
}

/// Kinematics and forces of a walk at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// time, s
    pub time: f64,
    /// ground reaction force on the left and right foot, N
    pub force: [Vec3; 2],
    /// centre of mass, m
    pub center: Vec3,
    /// pelvic rotation relative to the path, and pelvic list, rad
    pub pelvis: [f64; 2],
    /// hip flexion, rad
    pub hip: [f64; 2],
    /// knee flexion, rad
    pub knee: [f64; 2],
    /// ankle dorsiflexion, rad
    pub ankle: [f64; 2],
    /// foot pitch, toe up, rad
    pub foot: [f64; 2],
    /// centres of the soles
    pub sole: [Vec3; 2],
}

/// Gait measures over the steady steps; serialised as far as Python returns them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GaitMeasures {
    /// m/s
    pub speed: f64,
    /// m
    #[serde(rename = "step_length")]
    pub length: f64,
    /// steps per second
    #[serde(rename = "step_frequency")]
    pub frequency: f64,
    /// double support, fraction of the cycle
    pub double_support: f64,
    /// flight, fraction of the cycle
    pub flight: f64,
    /// number of steady steps
    pub steps: usize,
    /// highest landing speed of a contact point, m/s
    #[serde(skip)]
    pub landing: f64,
    /// largest slip of a stance foot, m
    #[serde(skip)]
    pub slip: f64,
    /// vertical ground reaction force, body weights
    #[serde(skip)]
    pub load: Range,
    /// ground reaction force along the path, body weights
    #[serde(skip)]
    pub along: Range,
    /// largest friction coefficient used by a foot with more than a twentieth of body weight
    #[serde(skip)]
    pub friction: f64,
    /// vertical excursion of the centre of mass above the path, m
    #[serde(skip)]
    pub vertical: f64,
    /// mean forward lean of the chest, deg
    #[serde(skip)]
    pub lean: f64,
    /// the six determinants, deg; lateral displacement in m
    #[serde(skip)]
    pub determinants: Vec<(&'static str, Range)>,
    /// jumps in order
    #[serde(skip)]
    pub jumps: Vec<MeasuredJump>,
    /// time interval of angles and forces, s
    #[serde(skip)]
    pub span: [f64; 2],
}

impl GaitMeasures {
    /// Range of the named determinant, if it was measured.
    pub fn determinant(&self, name: &str) -> Option<Range> {
        self.determinants.iter().find(|(n, _)| *n == name).map(|(_, range)| *range)
    }
}

/// First sample from a time on.
pub(super) fn sample_at(samples: &[Sample], time: f64) -> Option<&Sample> {
    samples.get(samples.partition_point(|s| s.time < time))
}

/// Components of a vector along a heading and to its left.
pub(super) fn along(v: Vec3, heading: f64) -> [f64; 2] {
    let (sin, cos) = (libm::sin(heading), libm::cos(heading));
    [v.x * cos + v.y * sin, v.y * cos - v.x * sin]
}

/// Collects samples of a walk.
pub(crate) struct Meter {
    kinematics: Kinematics,
    edges: [[usize; 2]; 2],
    standing: Vec<bool>,
    pub landing: f64,
    pub samples: Vec<Sample>,
    weight: f64,
}

impl Meter {
    pub fn new(contact_points: &[ContactPoint]) -> Meter {
        let find = |site: Site| contact_points.iter().position(|p| p.site == site).unwrap_or(0);
        Meter {
            kinematics: Kinematics::default(),
            edges: Side::BOTH.map(|s| [find(Site::Heel(s)), find(Site::Toe(s))]),
            standing: Vec::new(),
            landing: 0.0,
            samples: Vec::new(),
            weight: 1.0,
        }
    }

    /// Records a solved simulation step.
    pub fn record(&mut self, step: &SolvedStep, leg_ik: &LegIk, heading: f64) {
        let body = step.body;
        self.weight = body.weight();
        let forest = leg_ik.figure.forest();
        self.kinematics.update(forest, body.q(), None, None);
        let mut sample = Sample { time: step.time, center: body.center_of_mass(), ..Sample::default() };
        let mut now = vec![false; body.contact_points.iter().map(|p| p.points.len()).sum()];
        for g in body.ground() {
            now[g.point] = true;
            if !self.standing.is_empty() && !self.standing[g.point] {
                self.landing = self.landing.max(g.velocity.norm());
            }
            for s in 0..2 {
                if self.edges[s].contains(&g.contact_point) {
                    sample.force[s] += g.force;
                }
            }
        }
        self.standing = now;
        let parts = leg_ik.orientations(&self.kinematics);
        let about = |turn: Quat| {
            let v = Quat::about(vec3(0.0, 0.0, 1.0), -heading).then(turn);
            let z = v.rotate(vec3(0.0, 0.0, 1.0));
            let y = v.rotate(vec3(0.0, 1.0, 0.0));
            // yaw, pitch, roll
            [libm::atan2(-y.x, y.y), libm::atan2(z.x, z.z), libm::asin(y.z.clamp(-1.0, 1.0))]
        };
        let pelvis = about(parts.pelvis);
        sample.pelvis = [pelvis[0], pelvis[2]];
        for s in 0..2 {
            let [thigh, shank, foot] = parts.legs[s].map(|t| about(t)[1]);
            sample.hip[s] = pelvis[1] - thigh;
            sample.knee[s] = shank - thigh;
            sample.ankle[s] = shank - foot;
            sample.foot[s] = -foot;
            let place = |k: usize| {
                let place = &body.contact_points[self.edges[s][k]];
                let pose = self.kinematics.link_pose(forest, place.link);
                let sum = place.points.iter().fold(Vec3::ZERO, |sum, p| sum + pose.point(*p));
                sum.scale(1.0 / place.points.len() as f64)
            };
            sample.sole[s] = (place(0) + place(1)).scale(0.5);
        }
        self.samples.push(sample);
    }

    /// Measures over the steady steps.
    pub fn measures(&self, steps: &Footsteps) -> GaitMeasures {
        let jumps = jump::measured(steps, &self.samples, self.weight);
        let mut found = GaitMeasures { landing: self.landing, jumps, ..GaitMeasures::default() };
        let all = &steps.steps;
        let steady: Vec<usize> =
            (1..all.len()).filter(|k| all[*k].is_steady && all[k - 1].is_steady).collect();
        let (Some(first), Some(last)) = (steady.first(), steady.last()) else {
            return self.jump_measures(steps, found);
        };
        // from landing to landing
        let print = |k: usize| self.stance_position(&all[k], all.get(k + 2));
        let (mut distance, mut time, mut count) = (0.0, 0.0, 0.0);
        for k in &steady {
            let (a, b) = (&all[k - 1], &all[*k]);
            let (Some((here, at)), Some((there, then))) = (print(k - 1), print(*k)) else { continue };
            // along the path, which may turn
            distance += along(there - here, 0.5 * (a.heading + b.heading))[0];
            time += then - at;
            count += 1.0;
        }
        if count == 0.0 || time <= 0.0 {
            return found;
        }
        found.steps = count as usize;
        found.length = distance / count;
        found.frequency = count / time;
        found.speed = distance / time;
        // angles and forces away from changes of speed
        let inner = if steady.len() > 2 * MARGIN_STEPS + 1 { MARGIN_STEPS } else { 0 };
        let span = all[first - 1 + inner].land..all[*last - inner].land;
        found.span = [span.start, span.end];
        let (mut both, mut none) = (0usize, 0usize);
        let mut ranges = vec![Range::default(); NAMES.len()];
        let within: Vec<&Sample> = self.samples.iter().filter(|s| span.contains(&s.time)).collect();
        for s in &within {
            let on = s.force.map(|f| f.norm() > LOADED * self.weight);
            both += usize::from(on == [true; 2]);
            none += usize::from(on == [false; 2]);
            self.add_forces(&mut found, s, heading_at(all, s.time));
            ranges[0].extend(s.pelvis[0].to_degrees());
            ranges[1].extend(s.pelvis[1].to_degrees());
            for k in 0..2 {
                // pre-swing knee flexion does not count as stance
                if on != [true; 2] {
                    ranges[if on[k] { 2 } else { 4 }].extend(s.knee[k].to_degrees());
                }
                ranges[3].extend(s.foot[k].to_degrees());
            }
        }
        let n = within.len().max(1) as f64;
        // two double-support phases per cycle
        found.double_support = both as f64 / n / 2.0;
        found.flight = none as f64 / n / 2.0;
        found.determinants = NAMES.into_iter().zip(ranges).collect();
        found.slip = all.iter().enumerate().map(|(k, s)| self.slid(s, all.get(k + 2))).fold(0.0, f64::max);
        found
    }

    /// Extends the ranges of ground reaction forces and the friction used.
    fn add_forces(&self, found: &mut GaitMeasures, s: &Sample, heading: f64) {
        let total = s.force[0] + s.force[1];
        found.load.extend(total.z / self.weight);
        found.along.extend(along(total, heading)[0] / self.weight);
        for f in s.force.iter().filter(|f| f.z > FRICTION_LOAD * self.weight) {
            found.friction = found.friction.max(libm::hypot(f.x, f.y) / f.z);
        }
    }

    /// Loads, flight and vertical excursion of a path without steady steps: from one second before a jump to one after.
    fn jump_measures(&self, steps: &Footsteps, mut found: GaitMeasures) -> GaitMeasures {
        let jumps = || steps.steps.iter().filter(|p| p.parameters.kind == Kind::Jump);
        let is_near = |s: &&Sample| jumps().any(|p| (p.lift - 1.0..p.land + 1.0).contains(&s.time));
        let near: Vec<&Sample> = self.samples.iter().filter(is_near).collect();
        let mut height = Range::default();
        for s in &near {
            self.add_forces(&mut found, s, 0.0);
            height.extend(s.center.z);
        }
        let is_in_air = |s: &&&Sample| (s.force[0] + s.force[1]).norm() < LOADED * self.weight;
        let air = near.iter().filter(is_in_air).count();
        if !near.is_empty() {
            (found.flight, found.vertical) = (air as f64 / near.len() as f64, height.extent());
        }
        found
    }

    /// Stance position of a foot after a step, and time of first loading.
    fn stance_position(&self, step: &Footstep, next: Option<&Footstep>) -> Option<(Vec3, f64)> {
        let end = next.map_or(f64::INFINITY, |n| n.lift);
        let middle = 0.5 * (step.land + end.min(step.land + 1.0));
        let at = sample_at(&self.samples, middle)?;
        // first loaded sample after mid swing
        let carries =
            |s: &&Sample| s.time >= step.mid_swing() && s.force[step.side].norm() > LOADED * self.weight;
        let landed = self.samples.iter().find(carries)?;
        Some((at.sole[step.side], landed.time))
    }

    /// Slip of a flat foot.
    fn slid(&self, step: &Footstep, next: Option<&Footstep>) -> f64 {
        let end = next.map_or(step.land + 0.5, |n| n.lift);
        let (a, b) = (step.land + 0.3 * (end - step.land), step.land + 0.5 * (end - step.land));
        let [a, b] = [a, b].map(|t| sample_at(&self.samples, t).map(|s| s.sole[step.side]));
        a.zip(b).map_or(0.0, |(a, b)| libm::hypot(a.x - b.x, a.y - b.y))
    }
}

/// Heading of the path at a time.
pub(crate) fn heading_at(steps: &[Footstep], t: f64) -> f64 {
    let n = steps.partition_point(|s| s.land <= t);
    if n == 0 {
        return 0.0;
    }
    let a = &steps[n - 1];
    let Some(b) = steps.get(n) else { return a.heading };
    let s = (t - a.land) / (b.land - a.land);
    let before = if n >= 2 { steps[n - 2].heading } else { 0.0 };
    let (from, to) = (0.5 * (before + a.heading), 0.5 * (a.heading + b.heading));
    from + (to - from) * s
}

impl WalkResult {
    /// Heading of the path at a time, rad from x to y.
    pub fn heading(&self, time: f64) -> f64 {
        heading_at(&self.steps.steps, time)
    }

    /// Time after a step at which its foot is flat and the other one swings, s.
    pub fn flat_time(&self, k: usize) -> f64 {
        let (step, next) = (&self.steps.steps[k], self.steps.steps.get(k + 2));
        let leaves = next.map_or(step.land + 0.6, |s| s.lift);
        step.land + 0.35 * (leaves - step.land)
    }

    /// Position of a flat foot after a step, m.
    fn stance_position(&self, k: usize) -> Vec3 {
        let step = &self.steps.steps[k];
        sample_at(&self.samples, self.flat_time(k)).map_or(step.print.at, |s| s.sole[step.side])
    }

    /// Displacement of the centre of mass to the left of the path, m.
    pub fn lateral_offset(&self, sample: &Sample) -> f64 {
        along(self.path_offset(sample), self.heading(sample.time))[1]
    }

    /// From the path, midway between footprints, to the centre of mass, m.
    fn path_offset(&self, sample: &Sample) -> Vec3 {
        let (start, steps) = (&self.steps.start, &self.steps.steps);
        let middle = |k: usize| {
            // between a footprint and the previous one of the other foot
            let before = if k == 0 { start[1 - steps[0].side].at } else { self.stance_position(k - 1) };
            (self.stance_position(k) + before).scale(0.5)
        };
        let at = match steps.partition_point(|s| s.land <= sample.time) {
            0 => (start[0].at + start[1].at).scale(0.5),
            n if n == steps.len() => middle(n - 1),
            n => {
                let (from, to) = (steps[n - 1].land, steps[n].land);
                middle(n - 1) + (middle(n) - middle(n - 1)).scale((sample.time - from) / (to - from))
            }
        };
        sample.center - at
    }

    /// Fills in the measures relative to the path, which may turn and climb: lateral and vertical excursion, lean.
    pub(super) fn measure_from_path(&mut self, anatomy: &Anatomy) {
        let steady = || self.steps.steps.iter().filter(|s| s.is_steady);
        let (Some(first), Some(last)) = (steady().next(), steady().next_back()) else { return };
        let lean = self.lean(anatomy, first.lift..last.land).to_degrees();
        let (mut lateral, mut height) = (Range::default(), Range::default());
        for s in self.samples.iter().filter(|s| (first.land..last.land).contains(&s.time)) {
            lateral.extend(self.lateral_offset(s));
        }
        let [from, to] = self.measured.span;
        for s in self.samples.iter().filter(|s| (from..to).contains(&s.time)) {
            height.extend(self.path_offset(s).z);
        }
        self.measured.lean = lean;
        if height.min <= height.max {
            self.measured.vertical = height.extent();
        }
        let all = self.measured.determinants.iter_mut();
        all.filter(|(name, _)| *name == "lateral").for_each(|(_, range)| *range = lateral);
    }

    /// Mean forward tilt of the chest relative to the home pose during a time interval, rad.
    fn lean(&self, anatomy: &Anatomy, during: core::ops::Range<f64>) -> f64 {
        let clip = &self.filtered.clip;
        let figure = clip.figure();
        let chest = anatomy.find(Part::Chest).and_then(|n| figure.links().nth(n));
        let Some((chest, _)) = chest else { return 0.0 };
        let up_in_chest = figure.home_pose(chest).rotation.tr_mul(vec3(0.0, 0.0, 1.0));
        let mut kinematics = Kinematics::default();
        let (mut sum, mut count) = (0.0, 0.0_f64);
        for frame in 0..clip.frames() {
            let t = clip.time(frame) - clip.start();
            if !during.contains(&t) {
                continue;
            }
            kinematics.update(figure.forest(), clip.pose(frame), None, None);
            let up = kinematics.link_pose(figure.forest(), chest).rotation.mul(up_in_chest);
            sum += libm::atan2(along(up, self.heading(t))[0], up.z);
            count += 1.0;
        }
        sum / count.max(1.0)
    }
}
