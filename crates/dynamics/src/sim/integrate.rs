//! Moving a pose along a velocity, and what all time steps share.
//!
//! Computes  q (+) h v  by the exponential map [NY2000 eq. 39-44], and steps of three kinds: `Midpoint` (default, see
//! `midpoint`), `Euler` (v += h a, q (+)= h v), `Rk4` (see `rk4`).
//! Source: [NY2000 §VI-A].
//! We differ from [NY2000 §VI]: the free joint's position is moved in world axes, exactly for constant velocity.
//! Not here: closing loops after a step (`constraint::Projection`).
//! Checked by: `tests/it/integrate.rs` (orders, energy and momentum of a tumbling figure, ballistic flight).

use super::midpoint::Travel;
use super::momentum::FreeFlight;
use crate::algo::{aba, at, at_mut, fit};
use crate::constraint::{Closed, Constraints, Projection};
use crate::contact::Contacts;
use crate::error::Error;
use crate::model::{Body, BodyJoint, Figure, Forest, State};
use crate::spatial::{Force, Quat, Vec3};

/// Integration method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// one evaluation, second order
    #[default]
    Midpoint,
    /// one evaluation, semi-implicit, first order
    Euler,
    /// four evaluations, fourth order; like `Euler`, replaced by `Midpoint` in steps with possible contact
    Rk4,
}

/// q := q (+) h v.
pub fn advance(forest: &Forest, q: &mut [f64], v: &[f64], h: f64) {
    for (_, b) in free_bodies(forest) {
        let (iq, iv) = (b.iq as usize, b.iv as usize);
        let (w, lin) = (Vec3::from_array(at(v, iv)), Vec3::from_array(at(v, iv + 3)));
        // velocity along the axes of the middle: second order for turning bodies
        let mut half = *at::<4, f64>(q, iq + 3);
        turn(&mut half, w.scale(0.5 * h));
        travel(q, iq, Quat(half).rotate(lin).scale(h));
    }
    advance_joints(forest, q, v, h);
}

/// q (+) h v but for the travel of free figures.
pub(super) fn advance_joints(forest: &Forest, q: &mut [f64], v: &[f64], h: f64) {
    for b in forest.bodies().iter().skip(1) {
        let (iq, iv) = (b.iq as usize, b.iv as usize);
        match b.joint {
            BodyJoint::Revolute(_) | BodyJoint::Prismatic(_) => q[iq] += h * v[iv],
            BodyJoint::Universal(..) => {
                q[iq] += h * v[iv];
                q[iq + 1] += h * v[iv + 1];
            }
            BodyJoint::Spherical => turn(at_mut(q, iq), Vec3::from_array(at(v, iv)).scale(h)),
            BodyJoint::Free => turn(at_mut(q, iq + 3), Vec3::from_array(at(v, iv)).scale(h)),
        }
    }
}

/// Bodies that move freely against the world, with their indices.
pub(super) fn free_bodies(forest: &Forest) -> impl Iterator<Item = (usize, &Body)> {
    forest.bodies().iter().enumerate().skip(1).filter(|(_, b)| b.joint == BodyJoint::Free)
}

/// Moves a free figure, in the axes its position is measured in.
pub(super) fn travel(q: &mut [f64], iq: usize, step: Vec3) {
    for (x, s) in at_mut::<3, f64>(q, iq).iter_mut().zip(step.to_array()) {
        *x += s;
    }
}

/// Turns an orientation by the rotation vector `u`, in its own axes.
#[inline(always)]
pub(super) fn turn(q: &mut [f64; 4], u: Vec3) {
    *q = Quat(*q).then(Quat::exp(u)).renormalized().0;
}

/// Accumulated forces.
pub struct ForceSum<'a> {
    /// joint forces
    pub tau: &'a mut [f64],
    /// forces on bodies, world axes, about their origins
    pub external: &'a mut [Force],
    /// where the step is implicit
    pub soft: Option<Soft<'a>>,
}

/// Resistance to velocity that a step takes at its end: beside `tau`, the force -viscosity v there.
pub struct Soft<'a> {
    /// seconds from the pose to the end of the step
    pub rest: f64,
    /// of each degree of freedom
    pub viscosity: &'a mut [f64],
}

/// Forces on joints and links at a pose, velocity and time. The stepper handles viscous damping itself.
pub trait Loads {
    /// Adds forces; returns whether any act on bodies.
    fn add(&mut self, forest: &Forest, time: f64, q: &[f64], v: &[f64], push: ForceSum) -> bool;
}

/// Workspace and history of a stepper.
#[derive(Clone, Debug, Default)]
pub(super) struct Stepper {
    pub(super) aba: aba::Work,
    pub(super) tau: Vec<f64>,
    pub(super) external: Vec<Force>,
    /// viscosity of the step, then times the step
    pub(super) implicit: Vec<f64>,
    /// accelerations of the last evaluation
    pub(super) a: Vec<f64>,
    /// smooth accelerations of the last step
    pub(super) past: Vec<f64>,
    /// whether `past` belongs to the step just before
    pub(super) warm: bool,
    pub(super) midpoint: super::midpoint::Scratch,
    /// stages of RK4: velocities, accelerations, rates of the exponential coordinates, stage pose
    pub(super) stage: [Stage; 4],
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) flight: FreeFlight,
    /// of each free body
    pub(super) travel: Vec<Travel>,
    pub(super) constraints: Constraints,
    pub(super) projection: Projection,
    closure: Closed,
    /// for each body, whether external forces acted on its figure during the step
    pub(super) is_pushed: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Stage {
    pub a: Vec<f64>,
    pub u: Vec<f64>,
}

impl Stepper {
    /// Discards the history, after a discontinuity of velocities or accelerations.
    pub fn restart(&mut self) {
        self.warm = false;
    }

    /// One step of `h` seconds from `time`. After it, the last accelerations can be read by [`Stepper::accelerations`].
    #[allow(clippy::too_many_arguments)] // a whole step
    pub fn step(
        &mut self,
        integrator: Integrator,
        forest: &Forest,
        loads: &mut impl Loads,
        contacts: Option<&mut Contacts>,
        time: f64,
        h: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        fit(&mut self.a, v.len());
        fit(&mut self.past, v.len());
        fit(&mut self.tau, v.len());
        fit(&mut self.external, forest.bodies().len());
        let mut contacts = contacts;
        let mut is_near = false;
        if integrator != Integrator::Midpoint
            && let Some(contacts) = contacts.as_deref_mut()
        {
            is_near = !contacts.near(forest, q, v, h).is_empty();
            if !is_near {
                contacts.clear();
            }
        }
        match integrator {
            _ if is_near => self.midpoint(forest, loads, contacts, time, h, q, v),
            Integrator::Midpoint => self.midpoint(forest, loads, contacts, time, h, q, v),
            Integrator::Euler => self.euler(forest, loads, time, h, q, v),
            Integrator::Rk4 => self.rk4(forest, loads, time, h, q, v),
        }
        self.closure = Closed::default();
        if !forest.loops().is_empty() {
            self.closure = self.projection.apply(forest, q, v, h, advance);
        }
    }

    /// Closure error after the last step.
    pub fn closure(&self) -> Closed {
        self.closure
    }

    /// Constraint forces of the last evaluation of the dynamics.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// Velocities after new connections were made. [NY2000 eq. 25-38]
    pub fn jump(&mut self, forest: &Forest, q: &[f64], v: &mut [f64]) {
        self.projection.jump(forest, q, v);
        self.restart();
    }

    /// Closes all connections from the current pose.
    pub fn assemble(&mut self, figure: &Figure, state: &mut State) -> Result<Closed, Error> {
        self.projection.assemble(figure, state, advance)
    }

    /// Turns free accelerations into those that keep the connections closed.
    pub(super) fn constrain(&mut self, forest: &Forest, q: &[f64], v: &[f64], h: f64, is_implicit: bool) {
        if forest.loops().is_empty() {
            return;
        }
        self.constraints.place(forest, q, v);
        self.constraints.factor(forest, &self.aba, is_implicit);
        self.constraints.accelerate_within(forest, &self.aba, v, h, &mut self.a, is_implicit);
    }

    /// Accelerations of the last evaluation.
    pub fn accelerations(&self) -> &[f64] {
        &self.a
    }

    fn euler(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        time: f64,
        h: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        self.v.clear();
        self.v.extend_from_slice(v);
        let now = core::mem::take(&mut self.v);
        self.accelerate_damped(forest, loads, time, h, h, q, &now, &now);
        self.v = now;
        for (v, a) in v.iter_mut().zip(&self.a) {
            *v += h * a;
        }
        advance(forest, q, v, h);
        self.warm = false;
    }

    /// Fills `tau` and `external`; damping and other viscosity goes to `implicit` where the step is implicit and ends
    /// `rest` seconds after this pose. Returns whether forces act on bodies.
    pub(super) fn load(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        time: f64,
        q: &[f64],
        v: &[f64],
        rest: Option<f64>,
    ) -> bool {
        self.tau.fill(0.0);
        self.external.fill(Force::default());
        if rest.is_none() {
            forest.add_passive_forces(q, v, &mut self.tau);
        } else {
            forest.add_undamped_forces(q, v, &mut self.tau);
            self.implicit.clear();
            self.implicit.extend_from_slice(forest.damping());
        }
        let soft = rest.map(|rest| Soft { rest, viscosity: &mut self.implicit });
        let push = ForceSum { tau: &mut self.tau, external: &mut self.external, soft };
        let mut pushed = loads.add(forest, time, q, v, push);
        if forest.loops().iter().any(|l| l.is_passive) {
            self.constraints.place(forest, q, v);
            pushed |= self.constraints.add_passive_forces(forest, &mut self.external);
        }
        pushed
    }
}
