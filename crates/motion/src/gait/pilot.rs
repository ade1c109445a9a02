//! Who walks by a plan: each step of the engine the plan is the reference of the filter's body, moved to where the
//! figure is, and feet land where the capture point asks for.
//!
//! With e the error of the capture point c + c'/w against the plan's, and t the time until the foot lands, the error will
//! have grown to e exp(w t), less what the centre of pressure can take back by moving within the sole, r (exp(w t) - 1):
//!     d = sign(e) max(0, |e| exp(w t) - r (exp(w t) - 1))
//! moves the landing place. When the foot has landed, the rest of the plan moves with it.
//! Source: [PCDG2006: capture point] for the capture point; the rest is our own, after experiments with pushes.

use super::course::Course;
use super::leap::Leap;
use super::parameter::Kind;
use super::plan::{DT, Plan};
use crate::anatomy::Side;
use crate::filter::{Aim, Body, Floor, Outside};
use crate::spots::{Place, Spot};
use anthropi_dynamics::model::{BodyJoint, Forest};
use anthropi_dynamics::spatial::{Vec3, vec3};
use std::sync::Arc;

/// Way of the centre of pressure that may be spent until a foot lands, m: ahead and aside, for legs of 0.89 m.
const ROOM: [f64; 2] = [0.03, 0.035];
/// Smaller moves of a foot are not made, m; in runs.
const LEAST: f64 = 0.01;
const LEAST_RUN: f64 = 0.03;
/// Feet are moved by at most: ahead or back, outward, inward, m.
const MOST: [f64; 3] = [0.18, 0.24, 0.06];
/// In the last moment before it lands a foot is not moved any more, s.
const FROZEN: f64 = 0.06;
/// The landing place moves as a critically damped spring of this rate, 1/s, accelerating at most by this, m/s2.
const RATE: f64 = 20.0;
const HARD: f64 = 30.0;
/// Feet that land so near to where they should have landed, m, leave the plan where it is.
const EXACT: f64 = 0.004;
/// On stairs feet are moved by no more, m.
const ON_STAIRS: f64 = 0.02;

/// A figure that walks by a plan.
#[derive(Clone, Debug)]
pub(crate) struct Pilot {
    pub plan: Arc<Plan>,
    pub body: Body,
    pub aim: Aim,
    /// where the plan is
    pub course: Course,
    leap: Option<Leap>,
    places: Vec<(usize, bool)>,
    root: usize,
    stood: [bool; 2],
}

impl Pilot {
    pub fn new(plan: Plan, body: Body, places: &[Place]) -> Pilot {
        Pilot::at(0, Course::default(), Arc::new(plan), body, places)
    }

    /// The same from a sample on, elsewhere.
    pub fn at(sample: usize, course: Course, plan: Arc<Plan>, body: Body, places: &[Place]) -> Pilot {
        let forest = body.figure.forest();
        let root = forest.bodies().iter().find(|b| b.joint == BodyJoint::Free).map_or(0, |b| b.iq as usize);
        let of = |p: &Place| match p.spot {
            Spot::Heel(s) => (usize::from(s == Side::Right), false),
            Spot::Toe(s) => (usize::from(s == Side::Right), true),
            // no foot
            Spot::Palm(_) => (2, false),
        };
        let places = places.iter().map(of).collect();
        let mut pilot = Pilot {
            plan,
            body,
            aim: Aim { is_planned: true, ..Aim::default() },
            course,
            leap: None,
            places,
            root,
            stood: [true; 2],
        };
        pilot.look(sample);
        let aim = pilot.aim.clone();
        pilot.body.start(&aim);
        pilot
    }

    /// Solves the step that begins at a sample.
    pub fn solve(&mut self, sample: usize, outside: &[Outside]) {
        self.look(sample);
        self.body.solve(&self.aim, outside, DT);
        self.adjust(sample);
    }

    /// Goes over to a sample of another plan, or of the same one; the reference does not leap.
    pub fn go_over(&mut self, plan: Arc<Plan>, course: Course, from: usize, to: usize) {
        self.look(from);
        let old = self.aim.clone();
        (self.plan, self.course, self.leap) = (plan, course, None);
        self.look(to);
        self.leap = Some(Leap::between(self.body.figure.forest(), &old, &self.aim));
        self.aim = old;
    }

    /// The plan at a sample, where it was moved to.
    fn look(&mut self, sample: usize) {
        let aim = &mut self.aim;
        plan_at(&self.plan, &self.places, self.body.figure.forest(), sample, aim);
        self.course.lead(self.root, aim);
        if !self.leap.as_mut().is_none_or(|leap| leap.hide(self.body.figure.forest(), aim, DT)) {
            self.leap = None;
        }
    }

    /// Where feet in the air are to land, and the plan when one has.
    fn adjust(&mut self, sample: usize) {
        let t = sample as f64 * DT;
        let error = self.body.capture_error(&self.aim);
        let omega = self.body.gains.omega;
        let scale = self.plan.size.scale;
        for limb in self.body.limbs.iter_mut().filter(|l| l.is_foot) {
            let side = self.places[limb.contacts[0].place].0;
            let stands = limb.stands();
            let (now, wanted) = (
                self.body.now.kinematics.body_pose(limb.body).translation,
                self.body.wanted.kinematics.body_pose(limb.body).translation,
            );
            if stands {
                if !self.stood[side] {
                    let off = Vec3 { z: 0.0, ..(now - wanted) };
                    if off.norm() > EXACT {
                        let [_, slope] = self.plan.print_at(side, t).plane;
                        self.course.at += Vec3 { z: slope * off.x, ..off };
                    }
                }
                limb.shift = Vec3 { z: 0.0, ..(now - wanted) };
                limb.shift_rate = Vec3::ZERO;
                self.stood[side] = true;
                continue;
            }
            self.stood[side] = false;
            let Some(step) = self.plan.steps.steps.iter().find(|s| s.side == side && s.land > t) else {
                continue;
            };
            let left = step.land - t;
            if left > FROZEN {
                let grow = libm::exp(omega * left);
                let heading = step.heading + self.course.turn;
                let (sin, cos) = (libm::sin(heading), libm::cos(heading));
                let own = [error.x * cos + error.y * sin, -error.x * sin + error.y * cos];
                let least = if step.parameters.kind == Kind::Run { LEAST_RUN } else { LEAST };
                let far = |e: f64, room: f64| {
                    let d = (e.abs() * grow - room * scale * (grow - 1.0)).max(0.0);
                    if d < least { 0.0 } else { d.copysign(e) }
                };
                let out = if side == 0 { 1.0 } else { -1.0 };
                let [ahead, outward, inward] = MOST.map(|m| m * scale);
                let x = far(own[0], ROOM[0]).clamp(-ahead, ahead);
                let y = out * (out * far(own[1], ROOM[1])).clamp(-inward, outward);
                let most = if step.is_flat { ON_STAIRS } else { f64::INFINITY };
                let (x, y) = (x.clamp(-most, most), y.clamp(-most, most));
                let to = vec3(x * cos - y * sin, x * sin + y * cos, 0.0);
                let pull = (to - limb.shift).scale(RATE * RATE) - limb.shift_rate.scale(2.0 * RATE);
                let pull = pull.scale((HARD / pull.norm().max(HARD)).min(1.0));
                limb.shift_rate += pull.scale(DT);
            } else {
                limb.shift_rate = limb.shift_rate.scale(1.0 - (DT * 2.0 * RATE).min(1.0));
            }
            limb.shift += limb.shift_rate.scale(DT);
        }
    }
}

/// The plan at a sample as a reference; places as (side, whether it is a toe).
pub(crate) fn plan_at(plan: &Plan, places: &[(usize, bool)], forest: &Forest, sample: usize, aim: &mut Aim) {
    let sample = sample.min(plan.last());
    let t = sample as f64 * DT;
    // of the plan's own samples
    let mut k = sample;
    if plan.dt > DT {
        k = (t / plan.dt).round() as usize;
        plan.at(forest, t, aim);
    } else {
        exactly(plan, [forest.nq(), forest.nv()], k, aim);
    }
    aim.on.clear();
    aim.floor.clear();
    aim.share.clear();
    for (side, is_toe) in places {
        let Some(foot) = plan.feet.get(*side) else {
            aim.on.push(false);
            aim.floor.push(Floor::level(0.0));
            aim.share.push(0.0);
            continue;
        };
        aim.on.push(if *is_toe { foot.toe_on[k] } else { foot.heel_on[k] });
        let [height, slope] = plan.print_at(*side, t).plane;
        aim.floor.push(Floor { height, slope: [slope, 0.0] });
        aim.share.push(plan.pressure[k].share[2 * side + usize::from(*is_toe)]);
    }
}

/// What moves, at a sample.
fn exactly(plan: &Plan, [nq, nv]: [usize; 2], k: usize, aim: &mut Aim) {
    let put = |list: &mut Vec<f64>, values: &[f64]| {
        list.clear();
        list.extend_from_slice(values);
    };
    put(&mut aim.q, &plan.q[k * nq..(k + 1) * nq]);
    put(&mut aim.v, &plan.v[k * nv..(k + 1) * nv]);
    put(&mut aim.a, &plan.a[k * nv..(k + 1) * nv]);
    let before = plan.center[k.saturating_sub(1)];
    aim.center = [plan.center[k], (plan.center[k] - before).scale(1.0 / DT), plan.acceleration(k)];
    aim.spin = [plan.spin[k], (plan.spin[k + 1] - plan.spin[k]).scale(1.0 / DT)];
}
