//! The default step, and contact within it.
//!
//! Computes  one evaluation of the dynamics a step, second order: half a step of position, accelerations at the middle
//! pose with the velocity extrapolated to the middle, a whole step of velocity, the other half of position.
//! For forces that depend on position alone this is the leapfrog, which conserves energy for all times; the
//! gyroscopic forces, which make one-evaluation Euler gain energy, see the velocity of the middle instead of the
//! beginning. Viscous damping, and stiffness and damping of controls, are taken at the end of the step (implicitly), so
//! stiff ones are stable. A free figure's travel is integrated in the axes it is measured in, not in turning ones: a
//! common velocity of everything changes nothing, and flight in constant gravity is exact.
//!
//! Contacts are detected and solved at the midpoint pose. A figure with a new contact moves through the whole step with
//! its end velocity, and lands on the ground. Impacts with restitution happen at their own time: the step is split there.
//! Source: [NY2000 §VI-A], [NY2000J §4]; leapfrog and projection methods [HLW2006 §IV.4].
//! Checked by: `tests/it/integrate.rs`, `tests/it/contact.rs`.

use super::integrate::{Loads, Stepper, advance, advance_joints, free_bodies, travel};
use crate::algo::{aba, at, at_mut, fit};
use crate::contact::{Contacts, Instant};
use crate::model::Forest;
use crate::spatial::{Quat, Vec3};

/// Most impacts within one step; later ones do not bounce.
const MAX_BOUNCES: usize = 8;

/// Velocity and last acceleration of a free figure's origin, in the axes its position is measured in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Travel {
    velocity: Vec3,
    acceleration: Vec3,
}

/// Scratch of the step.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// state at the start, in case the step is cut
    q: Vec<f64>,
    v: Vec<f64>,
    past: Vec<f64>,
    travel: Vec<Travel>,
    /// velocities of the start and those without contact, in the axes of the middle
    old: Vec<f64>,
    free: Vec<f64>,
    /// accelerations without contact
    smooth: Vec<f64>,
    /// displacement beyond the smooth step
    extra: Vec<f64>,
    /// whether the step is part of a split one: its contact forces may be large because it is short
    is_part: bool,
}

/// Handling of impacts with restitution.
#[derive(Clone, Copy, PartialEq)]
enum Bounces {
    /// report the time of the first one
    Report,
    /// ignore them, they are handled afterwards
    Let,
    /// no more in this step
    Forget,
}

impl Stepper {
    #[allow(clippy::too_many_arguments)] // a whole step
    pub(super) fn midpoint(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        contacts: Option<&mut Contacts>,
        time: f64,
        h: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        let Some(contacts) = contacts else {
            self.midpoint_once(forest, loads, None, Bounces::Forget, time, h, q, v);
            return;
        };
        self.midpoint.is_part = false;
        contacts.begin(h);
        let (mut time, mut left) = (time, h);
        for bounce in 0.. {
            let is_cut_short = bounce < MAX_BOUNCES && contacts.can_bounce();
            let bounces = if is_cut_short { Bounces::Report } else { Bounces::Forget };
            if is_cut_short {
                self.keep(q, v);
            }
            let due = self.midpoint_once(forest, loads, Some(contacts), bounces, time, left, q, v);
            let Some(due) = due else { return };
            self.take_back(q, v);
            self.midpoint.is_part = true;
            if due > 1e-9 * h {
                self.midpoint_once(forest, loads, Some(contacts), Bounces::Let, time, due, q, v);
            }
            self.bounce(forest, contacts, left, q, v);
            time += due;
            left -= due;
            if !(left > 1e-9 * h) {
                return;
            }
        }
    }

    fn keep(&mut self, q: &[f64], v: &[f64]) {
        let m = &mut self.midpoint;
        for (to, from) in [(&mut m.q, q), (&mut m.v, v), (&mut m.past, &self.past[..])] {
            to.clear();
            to.extend_from_slice(from);
        }
        m.travel.clear();
        m.travel.extend_from_slice(&self.travel);
    }

    fn take_back(&mut self, q: &mut [f64], v: &mut [f64]) {
        let m = &self.midpoint;
        q.copy_from_slice(&m.q);
        v.copy_from_slice(&m.v);
        self.past.copy_from_slice(&m.past);
        if m.travel.len() == self.travel.len() {
            self.travel.copy_from_slice(&m.travel);
        }
    }

    /// Velocities after an impact at this pose.
    fn bounce(&mut self, forest: &Forest, contacts: &mut Contacts, h: f64, q: &[f64], v: &mut [f64]) {
        self.midpoint.extra.clear();
        self.midpoint.extra.resize(v.len(), 0.0);
        let zero = &self.midpoint.extra;
        aba::forward_dynamics(forest, q, zero, zero, None, None, &mut self.aba, &mut self.a);
        if !forest.loops().is_empty() {
            self.constraints.place(forest, q, v);
        }
        let (work, loops) = (&self.aba, &self.constraints);
        contacts.bounce(&Instant { forest, work, is_implicit: false, loops, h, since: 0.0 }, v);
    }

    /// One smooth step with contact; with [`Bounces::Report`] it may stop halfway and return the time at which to split.
    #[allow(clippy::too_many_arguments)]
    fn midpoint_once(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        contacts: Option<&mut Contacts>,
        bounces: Bounces,
        time: f64,
        h: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Option<f64> {
        if !self.warm {
            self.look_ahead(forest, loads, time, h, q, v);
        }
        let past = 0.5 * h;
        // first half of the displacement, with the velocity of the start
        fit(&mut self.travel, forest.bodies().len());
        for (i, b) in free_bodies(forest) {
            let (iq, iv) = (b.iq as usize, b.iv as usize);
            let velocity = Quat(*at(q, iq + 3)).rotate(Vec3::from_array(at(v, iv + 3)));
            self.travel[i].velocity = velocity;
            travel(q, iq, velocity.scale(0.5 * h));
        }
        advance_joints(forest, q, v, 0.5 * h);
        // velocity at the middle, extrapolated with the last accelerations
        self.v.clear();
        self.v.extend(v.iter().zip(&self.past).map(|(v, a)| v + past * a));
        let mut middle = core::mem::take(&mut self.v);
        for (i, b) in free_bodies(forest) {
            let Travel { velocity, acceleration } = self.travel[i];
            let axes = Quat(*at(q, b.iq as usize + 3)).to_matrix();
            let expected = axes.tr_mul(velocity + acceleration.scale(past));
            *at_mut(&mut middle, b.iv as usize + 3) = expected.to_array();
        }
        let is_implicit = self.accelerate_damped(forest, loads, time + 0.5 * h, 0.5 * h, h, q, &middle, v);
        let mut touched = None;
        if let Some(contacts) = contacts {
            let is_near = self.expect_contact(forest, contacts, is_implicit, h, q, &middle, v);
            if is_near {
                let (work, loops) = (&self.aba, &self.constraints);
                let instant = Instant { forest, work, is_implicit, loops, h, since: 0.5 * h };
                if bounces == Bounces::Report
                    && let Some(due) = contacts.first_bounce(&instant)
                {
                    self.v = middle;
                    return Some(due);
                }
                contacts.push(&instant, &mut self.a, bounces == Bounces::Let);
                touched = Some(contacts);
            }
        }
        self.past.copy_from_slice(&self.a);
        // the whole step of velocity; that of travel in its own axes, where the turning of the body has no part in it
        for (i, b) in free_bodies(forest) {
            let (iq, iv) = (b.iq as usize, b.iv as usize);
            let (w, lin) = (Vec3::from_array(at(&middle, iv)), Vec3::from_array(at(&middle, iv + 3)));
            let turning = w.cross(lin);
            let axes = Quat(*at(q, iq + 3));
            let rate = |a: &[f64]| axes.rotate(Vec3::from_array(at(a, iv + 3)) + turning);
            let acceleration = rate(&self.a);
            let moved = &mut self.travel[i];
            moved.acceleration = acceleration;
            if let Some(contacts) = touched.as_deref() {
                let has_met = contacts.has_met(i);
                if has_met {
                    // it moves through the whole step with the velocity of its end
                    travel(q, iq, acceleration.scale(0.5 * h * h));
                }
                if has_met || self.midpoint.is_part {
                    moved.acceleration = rate(&self.midpoint.smooth); // and begins the next one smoothly
                }
            }
            moved.velocity += acceleration.scale(h);
        }
        for (v, a) in v.iter_mut().zip(&self.a) {
            *v += h * a;
        }
        // second half of the displacement, with the velocity of the end
        advance_joints(forest, q, v, 0.5 * h);
        if let Some(contacts) = touched {
            self.finish_contact(forest, contacts, h, q);
        }
        for (i, b) in free_bodies(forest) {
            let velocity = self.travel[i].velocity;
            travel(q, b.iq as usize, velocity.scale(0.5 * h));
            let axes = Quat(*at(q, b.iq as usize + 3)).to_matrix();
            *at_mut(v, b.iv as usize + 3) = axes.tr_mul(velocity).to_array();
        }
        core::mem::swap(&mut self.v, &mut middle);
        self.warm = true;
        None
    }

    /// Accelerations at the start of a motion, or after a discontinuity, instead of those of the previous step.
    fn look_ahead(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        time: f64,
        h: f64,
        q: &[f64],
        v: &[f64],
    ) {
        self.accelerate_damped(forest, loads, time, h, h, q, v, v);
        self.past.copy_from_slice(&self.a);
        fit(&mut self.travel, forest.bodies().len());
        for (i, b) in free_bodies(forest) {
            let (iq, iv) = (b.iq as usize, b.iv as usize);
            let (w, lin) = (Vec3::from_array(at(v, iv)), Vec3::from_array(at(v, iv + 3)));
            let rate = Vec3::from_array(at(&self.a, iv + 3)) + w.cross(lin);
            self.travel[i].acceleration = Quat(*at(q, iq + 3)).rotate(rate);
        }
    }

    /// Finds contacts at the midpoint pose, and the free velocities at the end of the step.
    #[allow(clippy::too_many_arguments)]
    fn expect_contact(
        &mut self,
        forest: &Forest,
        contacts: &mut Contacts,
        is_implicit: bool,
        h: f64,
        q: &[f64],
        middle: &[f64],
        v: &[f64],
    ) -> bool {
        let m = &mut self.midpoint;
        m.old.clear();
        m.old.extend_from_slice(v);
        for (i, b) in free_bodies(forest) {
            let axes = Quat(*at(q, b.iq as usize + 3)).to_matrix();
            *at_mut(&mut m.old, b.iv as usize + 3) = axes.tr_mul(self.travel[i].velocity).to_array();
        }
        let (work, loops) = (&self.aba, &self.constraints);
        let instant = Instant { forest, work, is_implicit, loops, h, since: 0.5 * h };
        if !contacts.find(&instant, &m.old) {
            return false;
        }
        m.smooth.clear();
        m.smooth.extend_from_slice(&self.a);
        m.free.clear();
        m.free.extend(m.old.iter().zip(&self.a).map(|(v, a)| v + h * a));
        for (_, b) in free_bodies(forest) {
            let iv = b.iv as usize;
            let (w, lin) = (Vec3::from_array(at(middle, iv)), Vec3::from_array(at(middle, iv + 3)));
            let turning = w.cross(lin).scale(h).to_array();
            at_mut::<3, f64>(&mut m.free, iv + 3).iter_mut().zip(turning).for_each(|(x, t)| *x += t);
        }
        contacts.free(&instant, &m.free);
        true
    }

    /// Moves joints of figures with new contacts with the end velocity for the whole step, and everything by the contacts'
    /// correction.
    fn finish_contact(&mut self, forest: &Forest, contacts: &Contacts, h: f64, q: &mut [f64]) {
        if self.midpoint.is_part {
            self.past.copy_from_slice(&self.midpoint.smooth);
        }
        if contacts.any_met() {
            let extra = &mut self.midpoint.extra;
            extra.clear();
            extra.extend(self.a.iter().map(|a| 0.5 * h * h * a));
            for (i, b) in forest.bodies().iter().enumerate().skip(1) {
                let own = b.iv as usize..b.iv as usize + b.joint.nv();
                if contacts.has_met(i) {
                    self.past[own.clone()].copy_from_slice(&self.midpoint.smooth[own]);
                } else {
                    extra[own].fill(0.0);
                }
            }
            advance_joints(forest, q, extra, 1.0);
        }
        if let Some(dq) = contacts.displacement() {
            advance(forest, q, dq, 1.0);
        }
    }

    /// Accelerations with viscosity at the end of the step: (M + h B) a = tau - B v_start - h(q, v). Returns whether
    /// there is any.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn accelerate_damped(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        time: f64,
        rest: f64,
        h: f64,
        q: &[f64],
        v: &[f64],
        v_start: &[f64],
    ) -> bool {
        let pushed = self.load(forest, loads, time, q, v, Some(rest));
        let damped = self.implicit.iter().any(|b| *b != 0.0);
        if damped {
            for k in 0..v.len() {
                self.tau[k] -= self.implicit[k] * v_start[k];
                self.implicit[k] *= h;
            }
        }
        let external = pushed.then_some(&self.external[..]);
        let implicit = damped.then_some(&self.implicit[..]);
        aba::forward_dynamics(forest, q, v, &self.tau, external, implicit, &mut self.aba, &mut self.a);
        self.constrain(forest, q, v, h, damped);
        damped
    }
}
