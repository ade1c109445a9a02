//! Plan-tracking walking controller with capture-point foot placement.
//!
//! In each step the plan, moved to the figure, is the reference of the filter. With e the error of the capture point
//! c + c'/w and t the time to landing, the error grows to e exp(w t), less r (exp(w t) - 1) by a shift r of the centre of
//! pressure within the sole. The footprint moves by the rest,
//!     d = sign(e) max(0, |e| exp(w t) - r (exp(w t) - 1)),
//! and the remaining plan moves with the landed foot. After a change of plan the discontinuity of the reference decays
//! smoothly.
//! Source: [PCDG2006: capture point] for the capture point; the rest is our own, tuned with pushes.

use super::footsteps::sign;
use super::parameter::Kind;
use super::plan::{DT, PlanFrame, WalkPlan};
use crate::anatomy::Side;
use crate::contact_points::{ContactPoint, Site};
use crate::filter::{AppliedForce, Floor, ReferenceSample, SimulatedBody};
use crate::pose;
use anthropi_dynamics::model::{BodyJoint, Forest};
use anthropi_dynamics::spatial::{Vec3, vec3};
use std::sync::Arc;

// foot placement; lengths in m for legs of REFERENCE_LEG
/// Shift of the centre of pressure until landing: forward, lateral.
const COP_SHIFT: [f64; 2] = [0.03, 0.035];
/// Dead band of the foot placement: walking, running.
const MIN_SHIFT: f64 = 0.01;
const MIN_SHIFT_RUN: f64 = 0.03;
/// Largest shift of a footprint: forward or back, outward, inward; on stairs.
const MAX_SHIFT: [f64; 3] = [0.18, 0.24, 0.06];
const MAX_SHIFT_STAIRS: f64 = 0.02;
/// The footprint is fixed in the last moment of swing, s.
const FREEZE: f64 = 0.06;
/// The footprint moves as a critically damped spring of this rate, 1/s, with limited acceleration, m/s2.
const SHIFT_RATE: f64 = 20.0;
const MAX_ACCELERATION: f64 = 30.0;
/// Landing error below which the plan stays in place, m.
const LANDING_TOLERANCE: f64 = 0.004;
/// Decay time of a discontinuity of the reference, s.
const DECAY_TIME: f64 = 0.4;

/// Controller of a simulated figure.
#[derive(Clone, Debug)]
pub(crate) struct WalkController {
    pub plan: Arc<WalkPlan>,
    pub body: SimulatedBody,
    pub reference: ReferenceSample,
    /// pose of the plan in the world
    pub plan_frame: PlanFrame,
    discontinuity: Option<Discontinuity>,
    /// by contact point: side, and whether it is the toe
    contact_sides: Vec<(usize, bool)>,
    root: usize,
    was_in_contact: [bool; 2],
}

impl WalkController {
    /// A controller that starts at a sample of a plan posed in the world.
    pub fn at(
        sample: usize,
        plan_frame: PlanFrame,
        plan: Arc<WalkPlan>,
        body: SimulatedBody,
        contact_points: &[ContactPoint],
    ) -> WalkController {
        let forest = body.figure.forest();
        let root =
            forest.bodies().iter().find(|b| b.joint == BodyJoint::Free).map_or(0, |b| b.coordinates().start);
        let of = |p: &ContactPoint| match p.site {
            Site::Heel(s) => (usize::from(s == Side::Right), false),
            Site::Toe(s) => (usize::from(s == Side::Right), true),
            // no foot
            Site::Palm(_) | Site::Segment(_) | Site::OnProp(..) => (2, false),
        };
        let contact_sides = contact_points.iter().map(of).collect();
        let mut controller = WalkController {
            plan,
            body,
            reference: ReferenceSample { is_planned: true, ..ReferenceSample::default() },
            plan_frame,
            discontinuity: None,
            contact_sides,
            root,
            was_in_contact: [true; 2],
        };
        controller.update_reference(sample);
        let reference = controller.reference.clone();
        controller.body.start(&reference);
        controller
    }

    /// Solves the simulation step that begins at a sample.
    pub fn solve(&mut self, sample: usize, applied: &[AppliedForce]) {
        self.update_reference(sample);
        self.body.solve(&self.reference, applied, DT);
        self.place_feet(sample);
    }

    /// Switches to a sample of another plan or of the same one, with a continuous reference.
    pub fn switch_to(&mut self, plan: Arc<WalkPlan>, plan_frame: PlanFrame, from: usize, to: usize) {
        self.update_reference(from);
        let old = self.reference.clone();
        (self.plan, self.plan_frame, self.discontinuity) = (plan, plan_frame, None);
        self.update_reference(to);
        self.discontinuity = Some(Discontinuity::between(self.body.figure.forest(), &old, &self.reference));
        self.reference = old;
    }

    /// The plan at a sample, posed in the world.
    fn update_reference(&mut self, sample: usize) {
        let reference = &mut self.reference;
        plan_at(&self.plan, &self.contact_sides, self.body.figure.forest(), sample, reference);
        self.plan_frame.apply(self.root, reference);
        if self.discontinuity.as_mut().is_some_and(|d| !d.apply(self.body.figure.forest(), reference, DT)) {
            self.discontinuity = None;
        }
    }

    /// Shifts the footprints of swing feet, and the plan with a landed foot.
    fn place_feet(&mut self, sample: usize) {
        let t = sample as f64 * DT;
        let error = self.body.capture_error(&self.reference);
        let omega = self.body.gains.omega;
        let scale = self.plan.size.scale;
        for limb in self.body.limbs.iter_mut().filter(|l| l.is_foot) {
            let side = self.contact_sides[limb.contacts[0].contact_point].0;
            let was_in_contact = core::mem::replace(&mut self.was_in_contact[side], limb.is_in_contact());
            if limb.is_in_contact() {
                let [now, wanted] = [&self.body.now, &self.body.desired]
                    .map(|state| state.kinematics.body_pose(limb.body).translation);
                let off = Vec3 { z: 0.0, ..(now - wanted) };
                if !was_in_contact && off.norm() > LANDING_TOLERANCE {
                    let [_, slope] = self.plan.print_at(side, t).plane;
                    self.plan_frame.at += Vec3 { z: slope * off.x, ..off };
                }
                (limb.shift, limb.shift_rate) = (off, Vec3::ZERO);
                continue;
            }
            let Some(step) = self.plan.steps.steps.iter().find(|s| s.side == side && s.land > t) else {
                continue;
            };
            let left = step.land - t;
            if left > FREEZE {
                let grow = libm::exp(omega * left);
                let heading = step.heading + self.plan_frame.turn;
                let (sin, cos) = (libm::sin(heading), libm::cos(heading));
                let own = [error.x * cos + error.y * sin, -error.x * sin + error.y * cos];
                let min = if step.parameters.kind == Kind::Run { MIN_SHIFT_RUN } else { MIN_SHIFT };
                let far = |e: f64, room: f64| {
                    let d = (e.abs() * grow - room * scale * (grow - 1.0)).max(0.0);
                    if d < min { 0.0 } else { d.copysign(e) }
                };
                let out = sign(side);
                let [ahead, outward, inward] = MAX_SHIFT.map(|m| m * scale);
                let x = far(own[0], COP_SHIFT[0]).clamp(-ahead, ahead);
                let y = out * (out * far(own[1], COP_SHIFT[1])).clamp(-inward, outward);
                let max = if step.is_flat { MAX_SHIFT_STAIRS } else { f64::INFINITY };
                let (x, y) = (x.clamp(-max, max), y.clamp(-max, max));
                let to = vec3(x * cos - y * sin, x * sin + y * cos, 0.0);
                let pull = (to - limb.shift).scale(SHIFT_RATE * SHIFT_RATE)
                    - limb.shift_rate.scale(2.0 * SHIFT_RATE);
                let pull = pull.scale((MAX_ACCELERATION / pull.norm().max(MAX_ACCELERATION)).min(1.0));
                limb.shift_rate += pull.scale(DT);
            } else {
                limb.shift_rate = limb.shift_rate.scale(1.0 - (DT * 2.0 * SHIFT_RATE).min(1.0));
            }
            limb.shift += limb.shift_rate.scale(DT);
        }
    }
}

/// The plan at a sample as a reference.
fn plan_at(
    plan: &WalkPlan,
    contact_sides: &[(usize, bool)],
    forest: &Forest,
    sample: usize,
    reference: &mut ReferenceSample,
) {
    let sample = sample.min(plan.last());
    let t = sample as f64 * DT;
    // sample of the plan, which may be coarse
    let mut k = sample;
    if plan.dt > DT {
        k = (t / plan.dt).round() as usize;
        plan.at(forest, t, reference);
    } else {
        let (nq, nv) = (forest.nq(), forest.nv());
        plan.q[k * nq..(k + 1) * nq].clone_into(&mut reference.q);
        plan.v[k * nv..(k + 1) * nv].clone_into(&mut reference.v);
        plan.a[k * nv..(k + 1) * nv].clone_into(&mut reference.a);
        let (before, momentum) = (plan.center[k.saturating_sub(1)], &plan.angular_momentum);
        reference.com = [plan.center[k], (plan.center[k] - before).scale(1.0 / DT), plan.acceleration(k)];
        reference.angular_momentum = [momentum[k], (momentum[k + 1] - momentum[k]).scale(1.0 / DT)];
    }
    reference.in_contact.clear();
    reference.floor.clear();
    reference.load_share.clear();
    for &(side, is_toe) in contact_sides {
        let (mut is_on, mut floor, mut share) = (false, Floor::level(0.0), 0.0);
        if let Some(foot) = plan.feet.get(side) {
            let [height, slope] = plan.print_at(side, t).plane;
            (is_on, floor) = (foot.samples[k].on[usize::from(is_toe)], Floor { height, slope: [slope, 0.0] });
            share = plan.pressure[k].share[2 * side + usize::from(is_toe)];
        }
        reference.in_contact.push(is_on);
        reference.floor.push(floor);
        reference.load_share.push(share);
    }
}

/// A decaying discontinuity of the reference.
#[derive(Clone, Debug)]
pub(crate) struct Discontinuity {
    /// from the new to the old reference: coordinates, and centre of mass
    displacement: Vec<f64>,
    center: Vec3,
    /// time since the discontinuity, s
    since: f64,
}

impl Discontinuity {
    pub fn between(forest: &Forest, old: &ReferenceSample, new: &ReferenceSample) -> Discontinuity {
        let mut displacement = vec![0.0; forest.nv()];
        pose::difference(forest, &new.q, &old.q, &mut displacement);
        Discontinuity { displacement, center: old.com[0] - new.com[0], since: 0.0 }
    }

    /// Adds the remaining discontinuity to the reference and advances by `dt`; returns false once it has decayed.
    pub fn apply(&mut self, forest: &Forest, reference: &mut ReferenceSample, dt: f64) -> bool {
        let s = self.since / DECAY_TIME;
        self.since += dt;
        if s >= 1.0 {
            return false;
        }
        // 1 - 10 s^3 + 15 s^4 - 6 s^5 and its derivatives
        let part = 1.0 - s * s * s * (10.0 - s * (15.0 - 6.0 * s));
        let rate = -30.0 * s * s * (1.0 - s) * (1.0 - s) / DECAY_TIME;
        let second = -60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (DECAY_TIME * DECAY_TIME);
        let q = reference.q.clone();
        pose::along(forest, &q, &self.displacement, part, &mut reference.q);
        let mut own = self.displacement.clone();
        pose::free_travel_to_child(forest, &reference.q, &mut own);
        for (i, w) in own.iter().enumerate() {
            reference.v[i] += rate * w;
            reference.a[i] += second * w;
        }
        for (c, k) in reference.com.iter_mut().zip([part, rate, second]) {
            *c += self.center.scale(k);
        }
        true
    }
}
