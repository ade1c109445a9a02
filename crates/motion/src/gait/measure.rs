//! What a walk was like, measured on the figure that walked: footfalls, loads and angles, not the plan.
//!
//! A foot carries when more than a hundredth of the weight is on it. Steps count from landing to landing; double support
//! is the part of the time in which both feet carry, per step as part of the cycle, as in [L1992 eq. 9.7].

use super::determinant::NAMES;
use super::jump::{self, Jumped};
use super::parameter::Kind;
use super::puppet::Puppet;
use super::steps::{Step as Planned, Steps};
use crate::filter::Step;
use crate::spots::{Place, Spot};
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

/// Loads below this part of the weight do not count.
const CARRIES: f64 = 0.01;

/// So many steps after and before the speed changes are not looked at for angles and forces.
const INNER: usize = 2;

/// Smallest and largest of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// smallest
    pub min: f64,
    /// largest
    pub max: f64,
}

impl Default for Range {
    fn default() -> Range {
        Range { min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Range {
    pub(super) fn take(&mut self, x: f64) {
        self.min = self.min.min(x);
        self.max = self.max.max(x);
    }
}

/// A figure that walks at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// time, s
    pub time: f64,
    /// force of the ground on the left and on the right foot, N
    pub force: [Vec3; 2],
    /// centre of mass, m
    pub center: Vec3,
    /// pelvis about the vertical against the way, and to the side, rad
    pub pelvis: [f64; 2],
    /// flexion of hips, rad
    pub hip: [f64; 2],
    /// flexion of knees, rad
    pub knee: [f64; 2],
    /// dorsiflexion of ankles, rad
    pub ankle: [f64; 2],
    /// feet, toe up, rad
    pub foot: [f64; 2],
    /// feet on the ground, in the middle of their soles
    pub sole: [Vec3; 2],
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// m/s, over the steady steps
    pub speed: f64,
    /// m
    pub length: f64,
    /// steps per second
    pub frequency: f64,
    /// time on both feet, part of the cycle
    pub double_support: f64,
    /// time on no foot, part of the cycle
    pub flight: f64,
    /// highest speed of a point of a sole when it lands, m/s
    pub landing: f64,
    /// farthest that a foot slid while it stood, m
    pub slip: f64,
    /// vertical force over steady steps, body weights: the lowest, and the highest
    pub load: Range,
    /// force along the way, body weights
    pub along: Range,
    /// largest friction used by a foot with more than a twentieth of the weight
    pub friction: f64,
    /// rise and fall of the centre of mass above the way, m
    pub vertical: f64,
    /// the six determinants over steady steps, deg, and m for the lateral one
    pub determinants: Vec<(&'static str, Range)>,
    /// steady steps that were measured
    pub steps: usize,
    /// jumps, one after the other
    pub jumps: Vec<Jumped>,
    /// times between which angles and forces were, s
    pub span: [f64; 2],
}

/// Measures while a figure walks.
pub(crate) struct Meter {
    kinematics: Kinematics,
    edges: [[usize; 2]; 2],
    standing: Vec<bool>,
    pub landing: f64,
    pub samples: Vec<Sample>,
    weight: f64,
}

impl Meter {
    pub fn new(places: &[Place]) -> Meter {
        let find = |wanted: fn(Spot) -> Option<usize>, s: usize| {
            places.iter().position(|p| wanted(p.spot) == Some(s)).unwrap_or(0)
        };
        let heel = |spot: Spot| match spot {
            Spot::Heel(s) => Some(usize::from(s == crate::anatomy::Side::Right)),
            _ => None,
        };
        let toe = |spot: Spot| match spot {
            Spot::Toe(s) => Some(usize::from(s == crate::anatomy::Side::Right)),
            _ => None,
        };
        Meter {
            kinematics: Kinematics::default(),
            edges: [0, 1].map(|s| [find(heel, s), find(toe, s)]),
            standing: Vec::new(),
            landing: 0.0,
            samples: Vec::new(),
            weight: 1.0,
        }
    }

    /// Takes a step that was solved.
    pub fn take(&mut self, step: &Step, puppet: &Puppet, heading: f64) {
        let body = step.body;
        self.weight = body.weight();
        let forest = puppet.figure.forest();
        self.kinematics.update(forest, body.q(), None, None);
        let mut sample = Sample { time: step.time, center: body.center(), ..Sample::default() };
        let ground = body.ground();
        let points: usize = body.places.iter().map(|p| p.points.len()).sum();
        let mut now = vec![false; points];
        for g in ground {
            now[g.point] = true;
            if !self.standing.is_empty() && !self.standing[g.point] {
                self.landing = self.landing.max(g.velocity.norm());
            }
            for s in 0..2 {
                if self.edges[s].contains(&g.place) {
                    sample.force[s] += g.force;
                }
            }
        }
        self.standing = now;
        let parts = puppet.turns(&self.kinematics);
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
                let place = &body.places[self.edges[s][k]];
                let pose = self.kinematics.link_pose(forest, place.link);
                let sum = place.points.iter().fold(Vec3::ZERO, |sum, p| sum + pose.point(*p));
                sum.scale(1.0 / place.points.len() as f64)
            };
            sample.sole[s] = (place(0) + place(1)).scale(0.5);
        }
        self.samples.push(sample);
    }

    /// What it was like over the steady steps.
    pub fn done(&self, steps: &Steps) -> Measured {
        let jumps = jump::measured(steps, &self.samples, self.weight);
        let mut told = Measured { landing: self.landing, jumps, ..Measured::default() };
        let all = &steps.steps;
        let steady: Vec<usize> =
            (1..all.len()).filter(|k| all[*k].is_steady && all[k - 1].is_steady).collect();
        let (Some(first), Some(last)) = (steady.first(), steady.last()) else {
            return self.only_jumps(steps, told);
        };
        // from landing to landing: the feet where they stand
        let print = |k: usize| self.stood(&all[k], all.get(k + 2));
        let (mut way, mut time, mut count) = (0.0, 0.0, 0.0);
        for k in &steady {
            let (a, b) = (&all[k - 1], &all[*k]);
            let (Some((here, at)), Some((there, then))) = (print(k - 1), print(*k)) else { continue };
            // along the way, which may turn
            let ahead = 0.5 * (a.heading + b.heading);
            let d = there - here;
            way += d.x * libm::cos(ahead) + d.y * libm::sin(ahead);
            time += then - at;
            count += 1.0;
        }
        if count == 0.0 || time <= 0.0 {
            return told;
        }
        told.steps = count as usize;
        told.length = way / count;
        told.frequency = count / time;
        told.speed = way / time;
        // angles and forces away from the changes of speed
        let inner = if steady.len() > 2 * INNER + 1 { INNER } else { 0 };
        let span = all[first - 1 + inner].land..all[*last - inner].land;
        told.span = [span.start, span.end];
        let (mut both, mut none) = (0usize, 0usize);
        let mut ranges = vec![Range::default(); NAMES.len()];
        let within: Vec<&Sample> = self.samples.iter().filter(|s| span.contains(&s.time)).collect();
        for s in &within {
            let on = s.force.map(|f| f.norm() > CARRIES * self.weight);
            both += usize::from(on[0] && on[1]);
            none += usize::from(!on[0] && !on[1]);
            let total = s.force[0] + s.force[1];
            told.load.take(total.z / self.weight);
            ranges[0].take(s.pelvis[0].to_degrees());
            ranges[1].take(s.pelvis[1].to_degrees());
            let heading = heading_at(all, s.time);
            let (ahead, aside) = (libm::cos(heading), libm::sin(heading));
            told.along.take((total.x * ahead + total.y * aside) / self.weight);
            for k in 0..2 {
                let f = s.force[k];
                if f.z > 0.05 * self.weight {
                    told.friction = told.friction.max(libm::hypot(f.x, f.y) / f.z);
                }
                let n = if on[k] { 2 } else { 4 };
                // the end of stance, when the knee bends to leave, is swing in all but name
                if !(on[0] && on[1] && n == 2) {
                    ranges[n].take(s.knee[k].to_degrees());
                }
                ranges[3].take(s.foot[k].to_degrees());
            }
        }
        let n = within.len().max(1) as f64;
        // two times of double support in a cycle of two steps
        told.double_support = both as f64 / n / 2.0;
        told.flight = none as f64 / n / 2.0;
        told.determinants = NAMES.into_iter().zip(ranges).collect();
        told.slip = all.iter().enumerate().map(|(k, s)| self.slid(s, all.get(k + 2))).fold(0.0, f64::max);
        told
    }

    /// Loads, flight and rise of a way without steady steps: over its jumps, from a second before to a second after.
    fn only_jumps(&self, steps: &Steps, mut told: Measured) -> Measured {
        let near = |s: &&Sample| {
            let jumps = |p: &Planned| p.parameters.kind == Kind::Jump;
            let within = |p: &Planned| jumps(p) && (p.lift - 1.0..p.land + 1.0).contains(&s.time);
            steps.steps.iter().any(within)
        };
        let mut height = Range::default();
        let (mut air, mut all) = (0.0, 0.0);
        for s in self.samples.iter().filter(near) {
            let total = s.force[0] + s.force[1];
            told.load.take(total.z / self.weight);
            told.along.take(total.x / self.weight);
            height.take(s.center.z);
            for f in s.force.iter().filter(|f| f.z > 0.05 * self.weight) {
                told.friction = told.friction.max(libm::hypot(f.x, f.y) / f.z);
            }
            air += f64::from(u8::from(total.norm() < CARRIES * self.weight));
            all += 1.0;
        }
        if all > 0.0 {
            (told.flight, told.vertical) = (air / all, height.max - height.min);
        }
        told
    }

    /// Where a foot stands after a step, and when it began to carry.
    fn stood(&self, step: &Planned, next: Option<&Planned>) -> Option<(Vec3, f64)> {
        let end = next.map_or(f64::INFINITY, |n| n.lift);
        let middle = 0.5 * (step.land + end.min(step.land + 1.0));
        let at = self.samples.iter().find(|s| s.time >= middle)?;
        // the first instant after mid swing in which it carries
        let from = 0.5 * (step.lift + step.land);
        let carries = |s: &&Sample| s.time >= from && s.force[step.side].norm() > CARRIES * self.weight;
        let landed = self.samples.iter().find(carries)?;
        Some((at.sole[step.side], landed.time))
    }

    /// How far a flat foot slid along the ground.
    fn slid(&self, step: &Planned, next: Option<&Planned>) -> f64 {
        let end = next.map_or(step.land + 0.5, |n| n.lift);
        let (a, b) = (step.land + 0.3 * (end - step.land), step.land + 0.5 * (end - step.land));
        let at = |t: f64| self.samples.iter().find(|s| s.time >= t).map(|s| s.sole[step.side]);
        match (at(a), at(b)) {
            (Some(a), Some(b)) => libm::hypot(a.x - b.x, a.y - b.y),
            _ => 0.0,
        }
    }
}

/// Direction of the way at a time.
pub(crate) fn heading_at(steps: &[Planned], t: f64) -> f64 {
    let n = steps.partition_point(|s| s.land <= t);
    let of = |k: usize| steps.get(k).or(steps.last()).map_or(0.0, |s| s.heading);
    if n == 0 {
        return 0.0;
    }
    let (a, b) = (&steps[n - 1], steps.get(n));
    let Some(b) = b else { return a.heading };
    let s = (t - a.land) / (b.land - a.land);
    let before = if n >= 2 { of(n - 2) } else { 0.0 };
    let (from, to) = (0.5 * (before + a.heading), 0.5 * (a.heading + b.heading));
    from + (to - from) * s
}
