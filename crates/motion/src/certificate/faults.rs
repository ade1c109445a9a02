//! Spells of frames in which something is wrong.

use super::limits::{DEPTH, FLOATS, LEAP, OUTSIDE, PULL, SKATE};
use super::{Contact, flight, tempo};
use crate::inverse::Inverse;
use crate::pose;
use crate::split::{Point, Splitter};
use crate::touch::spells;
use anthropi_dynamics::spatial::{Force, Vec3};
use std::fmt;
use std::ops::Range;

/// Skating leads this far, m.
const SKATE_WAY: f64 = 0.02;
/// Stances are looked at without these parts at both ends, where feet roll.
const ROLLS: f64 = 0.2;
/// Feet slip only if this much weight is on them, body weights.
const LOADED: f64 = 0.2;
/// Ground farther than this from height zero is told, m...
const ZERO: f64 = 0.05;
/// ...but not so far, m: then the origin is somewhere else.
const ELSEWHERE: f64 = 0.5;
/// Shorter spells are not told, s.
const SHORT: f64 = 0.04;
/// Spells closer than this are told as one, s.
const GAP: f64 = 0.05;
/// A figure that goes up or down faster than this leaps, m/s, and so many times faster than around; joints likewise.
const LEAP_UP: f64 = 4.0;
const LEAP_TIMES: f64 = 6.0;

/// What is wrong with forces may follow from another fault so near in time, s; then it comes after it in rank.
const NEAR: f64 = 0.15;
const AFTER: f64 = 0.9;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// it plays at a speed at which it is not possible
    Tempo,
    /// it falls, but not as things fall
    Gravity,
    /// weight is carried and nothing touches, or feet stand above the ground
    Float,
    /// feet are in the ground
    Penetration,
    /// what touches slides
    Skate,
    /// the ground would have to pull
    Pull,
    /// feet would slip
    Slip,
    /// it would fall over: the centre of pressure is outside of what touches
    Balance,
    /// a pose that does not follow from the one before
    Leap,
}

impl Fault {
    /// Whether it may only be what follows from another fault.
    pub fn follows(self) -> bool {
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
            Fault::Leap => "leap",
        })
    }
}

/// What the size of a finding is told in.
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

/// Something wrong, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// what
    pub fault: Fault,
    /// in which frames
    pub frames: Range<usize>,
    /// the worst of them
    pub worst: usize,
    /// how large it is there
    pub size: f64,
    /// in which unit
    pub unit: Unit,
    /// size as multiple of what is let pass
    pub severity: f64,
    /// in a sentence
    pub what: String,
}

/// Collects what is wrong.
pub struct Faults<'a> {
    pub inverse: &'a Inverse,
    pub judged: Range<usize>,
    pub findings: Vec<Finding>,
    pub contact: Contact,
}

impl<'a> Faults<'a> {
    pub fn new(inverse: &'a Inverse, judged: Range<usize>) -> Faults<'a> {
        Faults { inverse, judged, findings: Vec::new(), contact: Contact::default() }
    }

    /// Looks for everything; worst first.
    pub fn find(&mut self) {
        self.leaps();
        self.skate();
        self.depths();
        flight::find(self);
        self.ground_forces();
        tempo::find(self);
        self.rank();
    }

    /// Worst first; what follows from something else comes after it.
    fn rank(&mut self) {
        let near = (NEAR / self.dt()) as usize;
        let causes: Vec<(Range<usize>, f64)> = self
            .findings
            .iter()
            .filter(|f| !f.fault.follows())
            .map(|f| (f.frames.start.saturating_sub(near)..f.frames.end + near, f.severity))
            .collect();
        let rank = |f: &Finding| {
            let overlaps = |c: &&(Range<usize>, f64)| c.0.start < f.frames.end && f.frames.start < c.0.end;
            let cause = causes.iter().filter(overlaps).map(|c| c.1).reduce(f64::max);
            match cause {
                Some(cause) if f.fault.follows() => f.severity.min(AFTER * cause),
                _ => f.severity,
            }
        };
        let mut ranked: Vec<(f64, Finding)> = self.findings.drain(..).map(|f| (rank(&f), f)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.findings.extend(ranked.into_iter().map(|(_, f)| f));
    }

    pub fn dt(&self) -> f64 {
        self.inverse.trajectory.clip.dt()
    }

    /// Adds a finding for each spell of sizes above a limit.
    pub fn add_spells(
        &mut self,
        (fault, unit): (Fault, Unit),
        sizes: &[f64],
        limit: f64,
        what: impl Fn(f64) -> String,
    ) {
        let gap = (GAP / self.dt()) as usize;
        let mut found: Vec<Range<usize>> = Vec::new();
        for spell in spells(&sizes.iter().map(|s| *s > limit).collect::<Vec<_>>()) {
            match found.last_mut() {
                Some(last) if spell.start <= last.end + gap => last.end = spell.end,
                _ => found.push(spell),
            }
        }
        found.retain(|spell| spell.len() as f64 * self.dt() >= SHORT);
        for frames in found {
            let worst = frames.clone().max_by(|a, b| sizes[*a].total_cmp(&sizes[*b])).unwrap_or(frames.start);
            let size = sizes[worst];
            self.findings.push(Finding {
                fault,
                frames,
                worst,
                size,
                unit,
                severity: size / limit,
                what: what(size),
            });
        }
    }

    fn count(&self, sizes: &[f64], limit: f64) -> usize {
        sizes.iter().filter(|s| **s > limit).count()
    }

    /// Zero where forces are not judged.
    fn sizes(&self, of: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..self.inverse.frames.len()).map(|f| if self.judged.contains(&f) { of(f) } else { 0.0 }).collect()
    }

    /// Poses that do not follow from those before.
    fn leaps(&mut self) {
        let given = &self.inverse.given;
        let forest = given.figure().forest();
        let names = given.figure().dof_names();
        let root = forest.joint_place(self.inverse.root).iv + 3..forest.joint_place(self.inverse.root).iv + 6;
        let mut way = vec![0.0; forest.nv()];
        let frames = given.frames();
        let [mut turns, mut travel] = [(); 2].map(|()| vec![(0.0f64, 0); frames]);
        for f in 1..frames {
            pose::difference(forest, given.pose(f - 1), given.pose(f), &mut way);
            for (k, w) in way.iter().enumerate() {
                let fastest = if root.contains(&k) { &mut travel[f] } else { &mut turns[f] };
                *fastest = if w.abs() / self.dt() > fastest.0 { (w.abs() / self.dt(), k) } else { *fastest };
            }
        }
        // the root's way up and down says more than its way ahead
        let up = self.inverse.touches.ground.normal();
        let height = |f: usize| pose::triple(given.pose(f), forest.joint_place(self.inverse.root).iq).dot(up);
        for (f, fastest) in travel.iter_mut().enumerate().skip(1) {
            *fastest = ((height(f) - height(f - 1)).abs() / self.dt(), fastest.1);
        }
        self.add_leaps(&turns, LEAP, Unit::RadiansPerSecond, |k| names[k].clone());
        self.add_leaps(&travel, LEAP_UP, Unit::MetresPerSecond, |_| "the whole figure".into());
    }

    /// Frames whose speed is far beyond a limit and that of those around.
    fn add_leaps(&mut self, speed: &[(f64, usize)], limit: f64, unit: Unit, name: impl Fn(usize) -> String) {
        let around = |f: usize| {
            let near = f.saturating_sub(4)..(f + 5).min(speed.len());
            let mut others: Vec<f64> = near.filter(|g| *g != f).map(|g| speed[g].0).collect();
            others.sort_by(f64::total_cmp);
            others[others.len() / 2]
        };
        let leaps = (1..speed.len()).filter(|f| speed[*f].0 > limit && speed[*f].0 > LEAP_TIMES * around(*f));
        for worst in leaps {
            let (size, k) = speed[worst];
            let what = format!("{} leaps from one frame to the next, at {size:.0} {unit}", name(k));
            let (frames, severity) = (worst - 1..worst + 1, size / limit);
            self.findings.push(Finding { fault: Fault::Leap, frames, worst, size, unit, severity, what });
        }
    }

    fn skate(&mut self) {
        let touches = &self.inverse.touches;
        let normal = touches.ground.normal();
        let along = |v: Vec3| (v - normal.scale(normal.dot(v))).norm();
        let (mut sum, mut count, mut found) = (0.0, 0usize, Vec::new());
        for (place, track) in touches.tracks.iter().enumerate().filter(|(_, t)| t.is_foot) {
            for spell in touches.spells(place) {
                for f in spell.clone() {
                    (sum, count) = (sum + along(track.velocity[f]), count + 1);
                }
                let trim = (spell.len() as f64 * ROLLS) as usize;
                let middle = spell.start + trim..spell.end - trim;
                let mean = middle.clone().map(|f| along(track.velocity[f])).sum::<f64>()
                    / middle.len().max(1) as f64;
                let way = mean * middle.len() as f64 * self.dt();
                if mean > SKATE && way > SKATE_WAY {
                    found.push((place, spell, middle, mean, way));
                }
            }
        }
        self.contact.skate_mean = sum / count.max(1) as f64;
        for (place, frames, middle, size, way) in found {
            let (spot, track) = (touches.places[place].spot, &touches.tracks[place]);
            let worst = middle.max_by(|a, b| along(track.velocity[*a]).total_cmp(&along(track.velocity[*b])));
            let worst = worst.unwrap_or(frames.start);
            let spot = spot.to_string().replace('_', " ");
            let what = format!("{spot} slides {:.0} cm at {size:.2} m/s while it is down", 100.0 * way);
            let severity = size / SKATE;
            self.findings.push(Finding {
                fault: Fault::Skate,
                frames,
                worst,
                size,
                unit: Unit::MetresPerSecond,
                severity,
                what,
            });
        }
    }

    /// Feet in the ground, and feet that stand above it.
    fn depths(&mut self) {
        let touches = &self.inverse.touches;
        if !touches.ground.is_even {
            return;
        }
        let deepest = |f: usize| {
            let points = touches.tracks.iter().flat_map(|t| t.at(f));
            points.map(|p| -touches.ground.above(*p)).fold(0.0, f64::max)
        };
        let standing = |f: usize| {
            let all = touches.tracks.iter().enumerate().filter(|(k, _)| touches.is_on(*k, f));
            let lowest = all.map(|(_, t)| touches.ground.above(t.lowest(f))).reduce(f64::min);
            lowest.unwrap_or(0.0)
        };
        self.height_of_the_ground();
        let depths: Vec<f64> = (0..touches.frames()).map(deepest).collect();
        let gaps: Vec<f64> = (0..touches.frames()).map(standing).collect();
        self.contact.penetration_max = depths.iter().copied().fold(0.0, f64::max);
        self.add_spells((Fault::Penetration, Unit::Metres), &depths, DEPTH, |size| {
            format!("a foot or hand is {:.1} cm in the ground", 100.0 * size)
        });
        self.add_spells((Fault::Float, Unit::Metres), &gaps, DEPTH, |size| {
            format!("it stands on air, {:.1} cm above the ground", 100.0 * size)
        });
    }

    /// Files mean the floor by height zero; a motion that stands somewhat above or below it was lifted or sunk whole.
    fn height_of_the_ground(&mut self) {
        let ground = self.inverse.touches.ground;
        let size = ground.height.abs();
        if self.inverse.is_ground_known || ground.steepness() > 0.0 || !(ZERO..ELSEWHERE).contains(&size) {
            return;
        }
        let (fault, way) =
            if ground.height > 0.0 { (Fault::Float, "above") } else { (Fault::Penetration, "below") };
        let what = format!(
            "all of it stands {:.1} cm {way} height zero, where files have their floor; if that is right, give the height of \
             the ground",
            100.0 * size
        );
        let frames = 0..self.inverse.frames.len();
        let (worst, severity) = (frames.start, size / ZERO);
        self.findings.push(Finding { fault, frames, worst, size, unit: Unit::Metres, severity, what });
    }

    /// What the ground would have to do.
    fn ground_forces(&mut self) {
        let (inverse, weight) = (self.inverse, self.inverse.weight());
        let (touches, mu) = (&inverse.touches, inverse.friction);
        let normal = touches.ground.normal();
        self.contact.frames = (0..inverse.frames.len()).filter(|f| touches.any(*f)).count();
        let up = |f: usize| inverse.frames[f].wanted.linear.dot(normal) / weight;
        let pull = self.sizes(|f| if touches.any(f) { (-up(f)).max(0.0) } else { 0.0 });
        let slip = self.sizes(|f| {
            let force = inverse.frames[f].wanted.linear;
            let across = (force - normal.scale(force.dot(normal))).norm() / weight;
            if touches.any(f) && up(f) > LOADED { across / up(f) } else { 0.0 }
        });
        let outside = self.outside();
        let carried = self
            .sizes(|f| if touches.any(f) { 0.0 } else { inverse.frames[f].wanted.linear.norm() / weight });
        self.contact.normal_violations = self.count(&pull, PULL);
        self.contact.friction_violations = self.count(&slip, mu);
        self.contact.cop_outside = self.count(&outside, OUTSIDE);
        self.contact.unsupported = self.count(&carried, FLOATS);
        self.add_spells((Fault::Pull, Unit::BodyWeights), &pull, PULL, |size| {
            format!("the ground would have to pull with {size:.2} body weights")
        });
        self.add_spells((Fault::Slip, Unit::Ratio), &slip, mu, |size| {
            format!("feet would slip: friction of {size:.2} is needed, {mu:.2} is there")
        });
        self.add_spells((Fault::Balance, Unit::Metres), &outside, OUTSIDE, |size| {
            format!(
                "it would fall over: the centre of pressure is {:.0} cm outside of what touches",
                100.0 * size
            )
        });
    }

    /// How far the centre of pressure is outside of what touches, m: the moment that is missing when friction is no
    /// matter, over the vertical force.
    fn outside(&self) -> Vec<f64> {
        let (inverse, weight) = (self.inverse, self.inverse.weight());
        let normal = inverse.touches.ground.normal();
        let (mut splitter, mut forces, mut points) = (Splitter::default(), Vec::new(), Vec::new());
        let mut sizes = vec![0.0; inverse.frames.len()];
        for f in self.judged.clone() {
            let frame = &inverse.frames[f];
            let up = frame.wanted.linear.dot(normal);
            if frame.pushes.is_empty() || up < LOADED * weight {
                continue;
            }
            points.clear();
            points.extend(frame.pushes.iter().map(|p| Point { at: p.at, normal, friction: 0.0 }));
            // only what presses: the moment of the force across the ground is that of its height above it
            let middle = points.iter().fold(Vec3::ZERO, |s, p| s + p.at).scale(1.0 / points.len() as f64);
            let across = frame.wanted.linear - normal.scale(up);
            let at_ground = frame.wanted.angular + (frame.center - middle).cross(frame.wanted.linear);
            let level = at_ground - normal.scale(normal.dot(at_ground));
            let wanted = Force::new(level, frame.wanted.linear - across);
            let split = splitter.split(wanted, middle, &points, [weight, 0.02], &mut forces);
            sizes[f] = split.missing.angular.norm() / up;
        }
        sizes
    }
}
