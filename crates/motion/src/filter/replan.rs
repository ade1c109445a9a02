//! The plan made anew from the state of the figure, over a window ahead; feet in the air step where balance needs them.
//!
//! A window starts at the centre of mass, angular momentum and rotation of the figure, and ends where its capture point
//! returns to that of the plan. Feet on the ground stay where they are; a foot in the air carries at the earliest when it can
//! be down, and its footstep may move, as may those after it. Windows start from the last one: they overlap.
//! Source: our own; footsteps as variables of a preview are common in walking pattern generation.
//! Not here: the program (`planner`); tracking (`tasks`).
//! Checked by: `tests/it/filter.rs`.

use super::contact_state::EndEffector;
use super::momentum_plan::{
    LegSpan, MomentumPlan, SOLE_PART, Support, add_contacts, add_reach, inertia, share, stride,
};
use super::reference::{Floor, floors};
use super::simulated_body::{SimulatedBody, steps_per_frame};
use crate::centroid::{CentroidalState, CentroidalTrajectory};
use crate::planner::{Footstep, Planner, Scales, Start};
use anthropi_dynamics::spatial::Vec3;

/// Least number of knots of a window.
const MIN_KNOTS: usize = 5;
/// Windows start from the last one up to this many knots earlier.
const MAX_CARRY: usize = 8;
/// Iterations for each level of rounding.
const ITERATIONS: usize = 8;
/// Speed at which a foot in the air comes down, m/s, from above this height, m.
const LANDING_SPEED: f64 = 1.5;
const LANDING_HEIGHT: f64 = 0.005;
/// Speed at which a footstep moves at most, m/s, and how far, m.
const STEP_SPEED: f64 = 1.5;
const MAX_STEP: f64 = 0.3;
/// Load share of points that are in contact though the schedule has none.
const LEFTOVER_SHARE: f64 = 0.05;

/// Makes windows of a plan.
pub(crate) struct Replanner<'a> {
    plan: &'a MomentumPlan,
    /// frame time, s
    pub dt: f64,
    planner: Planner,
    /// frame of the last window
    last: Option<usize>,
    /// ground below the contact points, by frame
    floors: Vec<Vec<Floor>>,
    inertia: Vec3,
    /// part of a sole, about its middle, that windows use
    pub sole_part: f64,
}

/// A limb in a window.
struct WindowLimb {
    /// displacement of its points from the reference during the present contact
    offset: Vec3,
    /// when it can be on the ground at the earliest, s
    earliest: f64,
    /// number of the stance: 0 the present one
    stance: usize,
    was_on: bool,
    /// footsteps by stance
    steps: Vec<(usize, usize)>,
}

impl WindowLimb {
    /// Footstep of its present stance.
    fn step(&self) -> Option<usize> {
        self.steps.iter().find(|(stance, _)| *stance == self.stance).map(|(_, step)| *step)
    }
}

impl<'a> Replanner<'a> {
    pub fn new(plan: &'a MomentumPlan) -> Replanner<'a> {
        Replanner {
            dt: plan.clip.dt(),
            planner: Planner::default(),
            last: None,
            floors: floors(&plan.schedule),
            inertia: inertia(&plan.clip),
            sole_part: SOLE_PART,
            plan,
        }
    }

    pub fn frames(&self) -> usize {
        self.plan.schedule.frames()
    }

    /// Forgets the last window.
    pub fn restart(&mut self) {
        self.last = None;
    }

    /// Changes of the plan from a frame on, over a window of `length` seconds; sets where feet in the air are to step. `None`
    /// shortly before the end.
    pub fn window(
        &mut self,
        frame: usize,
        length: f64,
        body: &mut SimulatedBody,
    ) -> Option<CentroidalTrajectory> {
        let stride = stride(self.dt);
        let h = stride as f64 * self.dt;
        let knots = (length / h).round() as usize + 1;
        let at: Vec<usize> = (0..knots).map(|k| frame + k * stride).filter(|f| *f < self.frames()).collect();
        if at.len() < MIN_KNOTS {
            return None;
        }
        let mut planner = core::mem::take(&mut self.planner);
        let passed = self.last.filter(|last| *last < frame && (frame - last).is_multiple_of(stride));
        if let Some(knots) = passed.map(|last| (frame - last) / stride).filter(|knots| *knots <= MAX_CARRY) {
            planner.carry_over(knots);
        }
        planner.begin(h, body.weight(), body.figure.gravity().norm(), self.inertia);
        planner.start_at(self.start(frame, body));
        let mut limbs: Vec<WindowLimb> = body.limbs.iter().map(|limb| self.limb(limb, frame)).collect();
        for (k, f) in at.iter().enumerate() {
            self.add_knot(&mut planner, &mut limbs, body, (k, *f, k as f64 * h));
        }
        planner.solve(&Scales::WINDOW, ITERATIONS);
        for (limb, window) in body.limbs.iter_mut().zip(&limbs) {
            let next = window.steps.iter().find(|(stance, _)| *stance == 1).filter(|_| !limb.is_in_contact());
            limb.goal = next.map_or(Vec3::ZERO, |(_, step)| planner.footstep(*step));
        }
        let changes: Vec<CentroidalState> = (0..planner.knots()).map(|k| planner.change(k)).collect();
        (self.planner, self.last) = (planner, Some(frame));
        Some(CentroidalTrajectory::from_states(changes, self.plan.clip.time(frame), h))
    }

    fn start(&self, frame: usize, body: &SimulatedBody) -> Start {
        let plan = self.plan.momentum.frames()[frame];
        let [com, velocity, angular_momentum] = body.momentum_now();
        // the state is that before the last step
        let step = self.dt / steps_per_frame(self.dt) as f64;
        Start {
            shift: com + velocity.scale(step) - plan.com,
            velocity: velocity - plan.velocity,
            rotation: body.rotation_error(),
            angular_momentum: angular_momentum - plan.angular_momentum,
        }
    }

    fn limb(&self, limb: &EndEffector, frame: usize) -> WindowLimb {
        let active = || limb.contacts.iter().filter(|c| c.is_active);
        let sum = active().fold(Vec3::ZERO, |sum, c| sum + c.now.at - c.desired.at);
        let is_down = limb.is_in_contact();
        let offset = match is_down {
            true => Vec3 { z: 0.0, ..sum.scale(1.0 / active().count() as f64) },
            false => limb.shift,
        };
        let heights = limb.contacts.iter().map(|c| self.floors[frame][c.contact_point].above(c.now.at));
        let above = heights.fold(f64::INFINITY, f64::min);
        let earliest = if is_down { 0.0 } else { (above - LANDING_HEIGHT).max(0.0) / LANDING_SPEED };
        WindowLimb { offset, earliest, stance: usize::from(!is_down), was_on: is_down, steps: Vec::new() }
    }

    /// Adds knot `k` at a frame, `t` seconds ahead.
    fn add_knot(
        &self,
        planner: &mut Planner,
        limbs: &mut [WindowLimb],
        body: &SimulatedBody,
        (k, f, t): (usize, usize, f64),
    ) {
        let schedule = &self.plan.schedule;
        for (window, limb) in limbs.iter_mut().zip(&body.limbs) {
            let is_on = limb.contacts.iter().any(|c| schedule.is_on(c.contact_point, f));
            if window.was_on && !is_on {
                window.stance += 1;
            }
            window.was_on = is_on;
            if is_on && window.stance > 0 && limb.is_foot && window.step().is_none() {
                let is_next = !limb.is_in_contact() && window.stance == 1;
                let (now, max_change) = match is_next {
                    true => (limb.shift, (STEP_SPEED * t).min(MAX_STEP)),
                    false => (Vec3::ZERO, MAX_STEP),
                };
                window.steps.push((window.stance, planner.add_footstep(Footstep { now, max_change })));
            }
        }
        planner.add_knot(self.plan.momentum.frames()[f], false);
        let support = |point: usize| -> Option<Support> {
            let of = |limb: &EndEffector| limb.contacts.iter().any(|c| c.contact_point == point);
            let n = body.limbs.iter().position(of)?;
            let (limb, window) = (&body.limbs[n], &limbs[n]);
            let is_active = limb.contacts.iter().any(|c| c.contact_point == point && c.is_active);
            let share = share(schedule, point, f, self.dt);
            if k == 0 {
                let share = share.unwrap_or(LEFTOVER_SHARE);
                return is_active.then_some(Support { share, shift: window.offset, step: None });
            }
            let is_next = !limb.is_in_contact() && window.stance == 1;
            if is_next && t < window.earliest {
                return None;
            }
            let shift = if window.stance == 0 || is_next { window.offset } else { Vec3::ZERO };
            Some(Support { share: share?, shift, step: window.step() })
        };
        add_contacts(planner, schedule, f, self.sole_part, &support);
        for span in &self.plan.spans {
            self.add_span(planner, limbs, body, span, f);
        }
    }

    /// Adds the reach of a leg in contact.
    fn add_span(
        &self,
        planner: &mut Planner,
        limbs: &[WindowLimb],
        body: &SimulatedBody,
        span: &LegSpan,
        f: usize,
    ) {
        let foot = body.figure.forest().link_place(span.foot).body;
        let Some(n) = body.limbs.iter().position(|l| l.body == foot) else { return };
        if limbs[n].was_on {
            let shift = if limbs[n].stance == 0 { limbs[n].offset } else { Vec3::ZERO };
            add_reach(planner, span, f, shift);
        }
    }
}
