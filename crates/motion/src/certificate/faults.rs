//! Frame intervals with a fault.

use super::limits::{DEPTH, DISCONTINUITY, FLOATS, HIDDEN, OUTSIDE, PULL, SKATE, SMOOTHED};
use super::soles::{self, Depth};
use super::{Contact, flight, tempo};
use crate::contact_schedule::{around, intervals};
use crate::inverse::Inverse;
use crate::pose;
use crate::smoothing_loss::{SmoothingLoss, Worst};
use crate::split::{Point, Splitter};
use anthropi_dynamics::spatial::{Force, Vec3};
use std::fmt;
use std::ops::Range;

/// Shorter slides are not reported, m.
const SKATE_DISTANCE: f64 = 0.02;
/// Part of a stance excluded at each end, where the foot rolls.
const ROLL_PART: f64 = 0.2;
/// Feet under less load than this do not slip, body weights.
const MIN_LOAD: f64 = 0.2;
/// Ground farther than this from height zero is reported, m,
const FLOOR_OFFSET: f64 = 0.05;
/// unless it is farther than this, m: the origin is then elsewhere.
const MAX_FLOOR_OFFSET: f64 = 0.5;
/// Shorter intervals are not reported, s.
const MIN_DURATION: f64 = 0.04;
/// Intervals closer than this are merged, s.
const MERGE_GAP: f64 = 0.05;
/// A discontinuity: the root rises or sinks faster than this, m/s, and this many times faster than in nearby frames.
const DISCONTINUITY_RISE: f64 = 4.0;
const DISCONTINUITY_RATIO: f64 = 6.0;
const NEARBY_FRAMES: usize = 4;

/// A force fault within this time of another fault, s, may be its consequence and ranks after it.
const CAUSE_WINDOW: f64 = 0.15;
const CONSEQUENCE_RANK: f64 = 0.9;

/// Kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// implausible at this playback speed
    Tempo,
    /// free fall with wrong gravity
    Gravity,
    /// weight carried without contact, or feet above the ground
    Float,
    /// feet below the ground
    Penetration,
    /// contacts slide
    Skate,
    /// the ground would have to pull
    Pull,
    /// feet would slip
    Slip,
    /// the centre of pressure would have to be outside the support
    Balance,
    /// a jump from one frame to the next
    Discontinuity,
    /// the smoothed motion, whose forces are assessed, is not the given one
    Smoothing,
}

impl Fault {
    /// Whether it may only be a consequence of another fault.
    pub fn is_consequence(self) -> bool {
        matches!(self, Fault::Pull | Fault::Slip | Fault::Balance)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Fault::Tempo => "tempo",
            Fault::Gravity => "gravity",
            Fault::Float => "float",
            Fault::Penetration => "penetration",
            Fault::Skate => "skate",
            Fault::Pull => "pull",
            Fault::Slip => "slip",
            Fault::Balance => "balance",
            Fault::Discontinuity => "leap",
            Fault::Smoothing => "smoothing",
        })
    }
}

/// Unit of a finding's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// m
    Metres,
    /// m/s
    MetresPerSecond,
    /// rad/s
    RadiansPerSecond,
    /// weights of the figure
    BodyWeights,
    /// none
    Ratio,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Unit::Metres => "m",
            Unit::MetresPerSecond => "m/s",
            Unit::RadiansPerSecond => "rad/s",
            Unit::BodyWeights => "BW",
            Unit::Ratio => "1",
        })
    }
}

/// A fault in an interval of frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// kind
    pub fault: Fault,
    /// frames
    pub frames: Range<usize>,
    /// worst frame
    pub worst: usize,
    /// size in the worst frame
    pub size: f64,
    /// unit of the size
    pub unit: Unit,
    /// size over tolerance
    pub severity: f64,
    /// description
    pub what: String,
}

/// Collects findings.
pub struct Faults<'a> {
    pub inverse: &'a Inverse,
    pub assessed: Range<usize>,
    pub findings: Vec<Finding>,
    /// that the uncertainty of the soles explains
    pub explained: Vec<Finding>,
    pub contact: Contact,
    /// of the edges of the soles, m
    pub sole_uncertainty: f64,
}

impl<'a> Faults<'a> {
    pub fn new(inverse: &'a Inverse, assessed: Range<usize>, sole_uncertainty: f64) -> Faults<'a> {
        Faults {
            inverse,
            assessed,
            findings: Vec::new(),
            explained: Vec::new(),
            contact: Contact::default(),
            sole_uncertainty,
        }
    }

    /// Runs all checks; worst finding first.
    pub fn find(&mut self) {
        self.discontinuities();
        self.skate();
        self.depths();
        flight::find(self);
        self.ground_forces();
        self.smoothing();
        tempo::find(self);
        self.rank();
    }

    /// Sorts worst first, consequences after their causes.
    fn rank(&mut self) {
        let near = (CAUSE_WINDOW / self.dt()) as usize;
        let causes: Vec<(Range<usize>, f64)> = self
            .findings
            .iter()
            .filter(|f| !f.fault.is_consequence())
            .map(|f| (f.frames.start.saturating_sub(near)..f.frames.end + near, f.severity))
            .collect();
        let rank = |f: &Finding| {
            let overlaps = |c: &&(Range<usize>, f64)| c.0.start < f.frames.end && f.frames.start < c.0.end;
            let cause = causes.iter().filter(overlaps).map(|c| c.1).reduce(f64::max);
            match cause {
                Some(cause) if f.fault.is_consequence() => f.severity.min(CONSEQUENCE_RANK * cause),
                _ => f.severity,
            }
        };
        let mut ranked: Vec<(f64, Finding)> = self.findings.drain(..).map(|f| (rank(&f), f)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.findings.extend(ranked.into_iter().map(|(_, f)| f));
        self.explained.sort_by(|a, b| b.severity.total_cmp(&a.severity));
    }

    pub fn dt(&self) -> f64 {
        self.inverse.trajectory.clip.dt()
    }

    /// Adds a finding.
    pub fn add(
        &mut self,
        (fault, unit): (Fault, Unit),
        frames: Range<usize>,
        worst: usize,
        size: f64,
        limit: f64,
        what: String,
    ) {
        self.findings.push(Finding { fault, frames, worst, size, unit, severity: size / limit, what });
    }

    /// Adds a finding for each interval of sizes above a limit.
    pub fn add_intervals(
        &mut self,
        kind: (Fault, Unit),
        sizes: &[f64],
        limit: f64,
        what: impl Fn(f64) -> String,
    ) {
        let found = self.above((kind, sizes), |_| limit, what);
        self.findings.extend(found);
    }

    /// A finding for each interval of sizes above the limits of the frames.
    pub fn above(
        &self,
        ((fault, unit), sizes): ((Fault, Unit), &[f64]),
        limit: impl Fn(usize) -> f64,
        what: impl Fn(f64) -> String,
    ) -> Vec<Finding> {
        let severity = |f: usize| sizes[f] / limit(f);
        let gap = (MERGE_GAP / self.dt()) as usize;
        let mut found: Vec<Range<usize>> = Vec::new();
        for interval in intervals(&(0..sizes.len()).map(|f| sizes[f] > limit(f)).collect::<Vec<_>>()) {
            match found.last_mut() {
                Some(last) if interval.start <= last.end + gap => last.end = interval.end,
                _ => found.push(interval),
            }
        }
        found.retain(|interval| interval.len() as f64 * self.dt() >= MIN_DURATION);
        let finding = |frames: Range<usize>| {
            let worst = frames.clone().max_by(|a, b| severity(*a).total_cmp(&severity(*b)));
            let worst = worst.unwrap_or(frames.start);
            let size = sizes[worst];
            Finding { fault, frames, worst, size, unit, severity: severity(worst), what: what(size) }
        };
        found.into_iter().map(finding).collect()
    }

    fn count(&self, sizes: &[f64], limit: f64) -> usize {
        sizes.iter().filter(|s| **s > limit).count()
    }

    /// Sizes by frame; zero where forces are not assessed.
    fn sizes(&self, of: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..self.inverse.frames.len()).map(|f| if self.assessed.contains(&f) { of(f) } else { 0.0 }).collect()
    }

    /// Jumps between consecutive frames.
    fn discontinuities(&mut self) {
        let given = &self.inverse.given;
        let forest = given.figure().forest();
        let names = given.figure().dof_names();
        let place = forest.joint_place(self.inverse.root);
        let root = place.iv + 3..place.iv + 6;
        let mut step = vec![0.0; forest.nv()];
        let frames = given.frames();
        let [mut turns, mut travel] = [(); 2].map(|()| vec![(0.0f64, 0); frames]);
        for f in 1..frames {
            pose::difference(forest, given.pose(f - 1), given.pose(f), &mut step);
            for (k, w) in step.iter().enumerate() {
                let fastest = if root.contains(&k) { &mut travel[f] } else { &mut turns[f] };
                *fastest = if w.abs() / self.dt() > fastest.0 { (w.abs() / self.dt(), k) } else { *fastest };
            }
        }
        // of the root's travel only the vertical part counts
        let up = self.inverse.schedule.ground.normal();
        let height = |f: usize| pose::triple(given.pose(f), place.iq).dot(up);
        for (f, fastest) in travel.iter_mut().enumerate().skip(1) {
            *fastest = ((height(f) - height(f - 1)).abs() / self.dt(), fastest.1);
        }
        self.add_discontinuities(&turns, DISCONTINUITY, Unit::RadiansPerSecond, |k| names[k].clone());
        self.add_discontinuities(&travel, DISCONTINUITY_RISE, Unit::MetresPerSecond, |_| {
            "the whole figure".into()
        });
    }

    /// Adds frames whose speed exceeds a limit and is far above that of nearby frames.
    fn add_discontinuities(
        &mut self,
        speed: &[(f64, usize)],
        limit: f64,
        unit: Unit,
        name: impl Fn(usize) -> String,
    ) {
        let usual = |f: usize| {
            let near = around(f, NEARBY_FRAMES, speed.len());
            let mut others: Vec<f64> = near.filter(|g| *g != f).map(|g| speed[g].0).collect();
            others.sort_by(f64::total_cmp);
            others[others.len() / 2]
        };
        let discontinuities =
            (1..speed.len()).filter(|f| speed[*f].0 > limit && speed[*f].0 > DISCONTINUITY_RATIO * usual(*f));
        for worst in discontinuities {
            let (size, k) = speed[worst];
            let what = format!("{} jumps from one frame to the next, at {size:.0} {unit}", name(k));
            self.add((Fault::Discontinuity, unit), worst - 1..worst + 1, worst, size, limit, what);
        }
    }

    fn skate(&mut self) {
        let schedule = &self.inverse.schedule;
        let normal = schedule.ground.normal();
        let along = |v: Vec3| (v - normal.scale(normal.dot(v))).norm();
        let (mut sum, mut count, mut found) = (0.0, 0usize, Vec::new());
        for (place, track) in schedule.tracks.iter().enumerate().filter(|(_, t)| t.is_foot) {
            for interval in schedule.intervals(place) {
                for f in interval.clone() {
                    (sum, count) = (sum + along(track.velocity[f]), count + 1);
                }
                let trim = (interval.len() as f64 * ROLL_PART) as usize;
                let middle = interval.start + trim..interval.end - trim;
                let mean = middle.clone().map(|f| along(track.velocity[f])).sum::<f64>()
                    / middle.len().max(1) as f64;
                let step = mean * middle.len() as f64 * self.dt();
                if mean > SKATE && step > SKATE_DISTANCE {
                    found.push((place, interval, middle, mean, step));
                }
            }
        }
        self.contact.skate_mean = sum / count.max(1) as f64;
        for (place, frames, middle, size, step) in found {
            let (site, track) = (schedule.points[place].site, &schedule.tracks[place]);
            let worst = middle.max_by(|a, b| along(track.velocity[*a]).total_cmp(&along(track.velocity[*b])));
            let worst = worst.unwrap_or(frames.start);
            let site = site.to_string().replace('_', " ");
            let what = format!("{site} slides {:.0} cm at {size:.2} m/s while in contact", 100.0 * step);
            self.add((Fault::Skate, Unit::MetresPerSecond), frames, worst, size, SKATE, what);
        }
    }

    /// Feet below the ground, and contacts above it.
    fn depths(&mut self) {
        let schedule = &self.inverse.schedule;
        if !schedule.ground.is_even {
            return;
        }
        self.ground_offset();
        let frames = 0..schedule.frames();
        let depths: Vec<Depth> =
            frames.clone().map(|f| soles::depth(schedule, f, self.sole_uncertainty)).collect();
        let [deepest, beyond] =
            [|d: &Depth| d.deepest, |d: &Depth| d.beyond].map(|of| depths.iter().map(of).collect::<Vec<_>>());
        let gaps: Vec<f64> = frames.map(|f| schedule.lowest_contact(f).unwrap_or(0.0)).collect();
        self.contact.penetration_max = deepest.iter().copied().fold(0.0, f64::max);
        self.add_beyond_uncertainty(
            (Fault::Penetration, Unit::Metres),
            [&deepest, &beyond],
            DEPTH,
            |f| depths[f].allowance,
            |size| format!("a foot or hand is {:.1} cm below the ground", 100.0 * size),
        );
        self.add_intervals((Fault::Float, Unit::Metres), &gaps, DEPTH, |size| {
            format!("it is supported {:.1} cm above the ground", 100.0 * size)
        });
    }

    /// Files usually have the floor at height zero; a motion slightly above or below it was shifted as a whole.
    fn ground_offset(&mut self) {
        let ground = self.inverse.schedule.ground;
        let size = ground.height.abs();
        if self.inverse.is_ground_known
            || ground.steepness() > 0.0
            || !(FLOOR_OFFSET..MAX_FLOOR_OFFSET).contains(&size)
        {
            return;
        }
        let (fault, side) =
            if ground.height > 0.0 { (Fault::Float, "above") } else { (Fault::Penetration, "below") };
        let what = format!(
            "the ground is {:.1} cm {side} height zero, the usual floor of motion files; if that is right, set the ground \
             height",
            100.0 * size
        );
        self.add((fault, Unit::Metres), 0..self.inverse.frames.len(), 0, size, FLOOR_OFFSET, what);
    }

    /// A low-pass that changes the motion: what is assessed is then another one.
    fn smoothing(&mut self) {
        let SmoothingLoss { displacement, acceleration } = self.inverse.smoothing_loss;
        let moved = format!("moves the links by {:.1} cm", 100.0 * displacement.rms);
        let hidden = format!("hides a force of {:.2} body weights", acceleration.rms);
        for (Worst { rms, frame }, unit, limit, what) in
            [(displacement, Unit::Metres, SMOOTHED, moved), (acceleration, Unit::BodyWeights, HIDDEN, hidden)]
        {
            if rms > limit {
                let what =
                    format!("smoothing {what} (RMS over half a second): what is assessed is another motion");
                self.add((Fault::Smoothing, unit), frame..frame + 1, frame, rms, limit, what);
            }
        }
    }

    /// Violations of unilateral contact, friction and balance.
    fn ground_forces(&mut self) {
        let (inverse, weight) = (self.inverse, self.inverse.weight());
        let (schedule, mu) = (&inverse.schedule, inverse.friction);
        let normal = schedule.ground.normal();
        self.contact.frames = (0..inverse.frames.len()).filter(|f| schedule.any(*f)).count();
        let up = |f: usize| inverse.frames[f].required.linear.dot(normal) / weight;
        let pull = self.sizes(|f| if schedule.any(f) { (-up(f)).max(0.0) } else { 0.0 });
        let slip = self.sizes(|f| {
            let force = inverse.frames[f].required.linear;
            let across = (force - normal.scale(force.dot(normal))).norm() / weight;
            if schedule.any(f) && up(f) > MIN_LOAD { across / up(f) } else { 0.0 }
        });
        let (outside, sole_uncertainty) = (self.outside(), self.sole_uncertainty);
        let carried = self
            .sizes(|f| if schedule.any(f) { 0.0 } else { inverse.frames[f].required.linear.norm() / weight });
        self.contact.normal_violations = self.count(&pull, PULL);
        self.contact.friction_violations = self.count(&slip, mu);
        self.contact.cop_outside = self.count(&outside, OUTSIDE);
        self.contact.unsupported = self.count(&carried, FLOATS);
        self.add_intervals((Fault::Pull, Unit::BodyWeights), &pull, PULL, |size| {
            format!("the ground would have to pull with {size:.2} body weights")
        });
        self.add_intervals((Fault::Slip, Unit::Ratio), &slip, mu, |size| {
            format!("feet would slip: requires a friction coefficient of {size:.2}, available is {mu:.2}")
        });
        self.add_beyond_uncertainty(
            (Fault::Balance, Unit::Metres),
            [&outside, &outside],
            OUTSIDE,
            |_| sole_uncertainty,
            |size| {
                format!("it would fall: the centre of pressure is {:.0} cm outside the support", 100.0 * size)
            },
        );
    }

    /// Distance of the centre of pressure from the support, m: the moment that frictionless contacts cannot supply, over
    /// the normal force.
    fn outside(&self) -> Vec<f64> {
        let (inverse, weight) = (self.inverse, self.inverse.weight());
        let normal = inverse.schedule.ground.normal();
        let (mut splitter, mut forces, mut points) = (Splitter::default(), Vec::new(), Vec::new());
        let mut sizes = vec![0.0; inverse.frames.len()];
        for f in self.assessed.clone() {
            let frame = &inverse.frames[f];
            let up = frame.required.linear.dot(normal);
            if frame.contact_forces.is_empty() || up < MIN_LOAD * weight {
                continue;
            }
            points.clear();
            points.extend(frame.contact_forces.iter().map(|p| Point { at: p.at, normal, friction: 0.0 }));
            // normal forces only: drop the tangential force and the normal moment
            let middle = points.iter().fold(Vec3::ZERO, |s, p| s + p.at).scale(1.0 / points.len() as f64);
            let across = frame.required.linear - normal.scale(up);
            let at_ground = frame.required.angular + (frame.center - middle).cross(frame.required.linear);
            let level = at_ground - normal.scale(normal.dot(at_ground));
            let wanted = Force::new(level, frame.required.linear - across);
            let split = splitter.split(wanted, middle, &points, [weight, 0.02], &mut forces);
            sizes[f] = split.residual.angular.norm() / up;
        }
        sizes
    }
}
