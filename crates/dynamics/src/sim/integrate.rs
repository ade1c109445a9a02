//! Moving a pose along a velocity, and the time steps built on it.
//!
//! Computes  q (+) h v  by the exponential map [NY2000 eq. 39-44], and steps of three kinds:
//! - `Midpoint` (default), one evaluation of the dynamics, second order: half a step of position, accelerations at the
//!   middle pose with the velocity extrapolated to the middle, a whole step of velocity, the other half of position.
//!   For forces that depend on position alone this is the leapfrog, which conserves energy for all times; the
//!   gyroscopic forces, which make one-evaluation Euler gain energy, see the velocity of the middle instead of the
//!   beginning. Viscous damping is taken at the end of the step (implicitly), so stiff dampers are stable. A free
//!   figure's travel is integrated in the axes it is measured in, not in turning ones: a common velocity of everything
//!   changes nothing, and flight in constant gravity is exact.
//! - `Euler`: v += h a, q (+)= h v.
//! - `Rk4`: Munthe-Kaas form of the classical fourth-order method [MK1999], with the momentum of figures in free
//!   flight kept exactly (`momentum`).
//!
//! Source: [NY2000 §VI-A]; leapfrog and projection methods [HLW2006 §IV.4]; [MK1999 for RK4].
//! We differ from [NY2000 §VI]: the free joint's position is moved in world axes, exactly for constant velocity.
//! Not here: contact; what keeps loops closed after a step (`constraint::Projection`).
//! Checked by: `tests/integrate.rs` (orders, energy and momentum of a tumbling figure, ballistic flight).

use super::momentum::FreeFlight;
use crate::algo::{aba, at, at_mut, fit};
use crate::constraint::{Closed, Constraints, Projection};
use crate::error::Error;
use crate::model::{Body, BodyIx, BodyJoint, Figure, Forest, State};
use crate::spatial::{Force, Quat, Vec3};

/// How a step is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// one evaluation, second order
    #[default]
    Midpoint,
    /// one evaluation, semi-implicit, first order
    Euler,
    /// four evaluations, fourth order
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
fn advance_joints(forest: &Forest, q: &mut [f64], v: &[f64], h: f64) {
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
fn free_bodies(forest: &Forest) -> impl Iterator<Item = (usize, &Body)> {
    forest.bodies().iter().enumerate().skip(1).filter(|(_, b)| b.joint == BodyJoint::Free)
}

/// Moves a free figure, in the axes its position is measured in.
fn travel(q: &mut [f64], iq: usize, step: Vec3) {
    for (x, s) in at_mut::<3, f64>(q, iq).iter_mut().zip(step.to_array()) {
        *x += s;
    }
}

/// One step of renormalisation is enough: products of unit quaternions leave 1 by rounding only.
fn turn(q: &mut [f64; 4], u: Vec3) {
    *q = Quat(*q).then(Quat::exp(u)).normalized().0;
}

/// What pushes the joints and links at a pose, velocity and time. Viscous damping is the stepper's own.
pub trait Loads {
    /// Adds joint forces to `tau` and forces on bodies to `external`; returns whether it used `external`.
    fn add(
        &mut self,
        forest: &Forest,
        time: f64,
        q: &[f64],
        v: &[f64],
        tau: &mut [f64],
        external: &mut [Force],
    ) -> bool;
}

/// Scratch and memory of a stepper.
#[derive(Clone, Debug, Default)]
pub(super) struct Stepper {
    aba: aba::Work,
    tau: Vec<f64>,
    external: Vec<Force>,
    implicit: Vec<f64>,
    /// accelerations of the last evaluation
    a: Vec<f64>,
    /// whether `a` belongs to the step just before
    warm: bool,
    /// stages of RK4: velocities, accelerations, rates of the exponential coordinates, stage pose
    stage: [Stage; 4],
    q: Vec<f64>,
    v: Vec<f64>,
    flight: FreeFlight,
    /// of each free body
    travel: Vec<Travel>,
    constraints: Constraints,
    projection: Projection,
    closure: Closed,
    /// for each body, whether something pushed its figure during the step
    is_pushed: Vec<bool>,
}

/// Velocity and last acceleration of a free figure's origin, in the axes its position is measured in.
#[derive(Clone, Copy, Debug, Default)]
struct Travel {
    velocity: Vec3,
    acceleration: Vec3,
}

#[derive(Clone, Debug, Default)]
struct Stage {
    a: Vec<f64>,
    u: Vec<f64>,
}

impl Stepper {
    /// Forgets the past, after anything that makes velocities or accelerations jump.
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
        time: f64,
        h: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        fit(&mut self.a, v.len());
        fit(&mut self.tau, v.len());
        fit(&mut self.external, forest.bodies().len());
        match integrator {
            Integrator::Midpoint => self.midpoint(forest, loads, time, h, q, v),
            Integrator::Euler => self.euler(forest, loads, time, h, q, v),
            Integrator::Rk4 => self.rk4(forest, loads, time, h, q, v),
        }
        self.closure = Closed::default();
        if !forest.loops().is_empty() {
            self.closure = self.projection.apply(forest, q, v, advance);
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

    /// Closes all connections from the present pose.
    pub fn assemble(&mut self, figure: &Figure, state: &mut State) -> Result<Closed, Error> {
        self.restart();
        self.projection.assemble(figure, state, advance)
    }

    /// Turns free accelerations into those that keep the connections closed.
    fn constrain(&mut self, forest: &Forest, q: &[f64], v: &[f64], is_implicit: bool) {
        if forest.loops().is_empty() {
            return;
        }
        self.constraints.place(forest, q, v);
        self.constraints.factor(forest, &self.aba, is_implicit);
        self.constraints.accelerate(forest, &self.aba, &mut self.a, is_implicit);
    }

    /// Accelerations of the last evaluation.
    pub fn accelerations(&self) -> &[f64] {
        &self.a
    }

    fn midpoint(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        time: f64,
        h: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        let past = if self.warm { 0.5 * h } else { 0.0 };
        // the first half of the way, with the velocity of the start
        fit(&mut self.travel, forest.bodies().len());
        for (i, b) in free_bodies(forest) {
            let (iq, iv) = (b.iq as usize, b.iv as usize);
            let velocity = Quat(*at(q, iq + 3)).rotate(Vec3::from_array(at(v, iv + 3)));
            self.travel[i].velocity = velocity;
            travel(q, iq, velocity.scale(0.5 * h));
        }
        advance_joints(forest, q, v, 0.5 * h);
        // velocity of the middle, as the last accelerations let expect it
        self.v.clear();
        self.v.extend(v.iter().zip(&self.a).map(|(v, a)| v + past * a));
        let mut middle = core::mem::take(&mut self.v);
        for (i, b) in free_bodies(forest) {
            let Travel { velocity, acceleration } = self.travel[i];
            let axes = Quat(*at(q, b.iq as usize + 3)).to_matrix();
            let expected = axes.tr_mul(velocity + acceleration.scale(past));
            *at_mut(&mut middle, b.iv as usize + 3) = expected.to_array();
        }
        self.accelerate_damped(forest, loads, time + 0.5 * h, h, q, &middle, v);
        // the whole step of velocity; that of travel in its own axes, where the turning of the body has no part in it
        for (i, b) in free_bodies(forest) {
            let (iq, iv) = (b.iq as usize, b.iv as usize);
            let (w, lin) = (Vec3::from_array(at(&middle, iv)), Vec3::from_array(at(&middle, iv + 3)));
            let rate = Vec3::from_array(at(&self.a, iv + 3)) + w.cross(lin);
            let moved = &mut self.travel[i];
            moved.acceleration = Quat(*at(q, iq + 3)).rotate(rate);
            moved.velocity += moved.acceleration.scale(h);
        }
        for (v, a) in v.iter_mut().zip(&self.a) {
            *v += h * a;
        }
        // the second half of the way, with the velocity of the end
        advance_joints(forest, q, v, 0.5 * h);
        for (i, b) in free_bodies(forest) {
            let velocity = self.travel[i].velocity;
            travel(q, b.iq as usize, velocity.scale(0.5 * h));
            let axes = Quat(*at(q, b.iq as usize + 3)).to_matrix();
            *at_mut(v, b.iv as usize + 3) = axes.tr_mul(velocity).to_array();
        }
        core::mem::swap(&mut self.v, &mut middle);
        self.warm = true;
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
        self.accelerate_damped(forest, loads, time, h, q, &now, &now);
        self.v = now;
        for (v, a) in v.iter_mut().zip(&self.a) {
            *v += h * a;
        }
        advance(forest, q, v, h);
        self.warm = false;
    }

    /// Accelerations with damping at the end of the step: (M + h B) a = tau - B v_start - h(q, v).
    #[allow(clippy::too_many_arguments)]
    fn accelerate_damped(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        time: f64,
        h: f64,
        q: &[f64],
        v: &[f64],
        v_start: &[f64],
    ) {
        let pushed = self.load(forest, loads, time, q, v, false);
        let damped = forest.damping().iter().any(|b| *b != 0.0);
        if damped {
            self.implicit.clear();
            self.implicit.extend(forest.damping().iter().map(|b| h * b));
            for k in 0..v.len() {
                self.tau[k] -= forest.damping()[k] * v_start[k];
            }
        }
        let external = pushed.then_some(&self.external[..]);
        let implicit = damped.then_some(&self.implicit[..]);
        aba::forward_dynamics(forest, q, v, &self.tau, external, implicit, &mut self.aba, &mut self.a);
        self.constrain(forest, q, v, damped);
    }

    /// Fills `tau` and `external`.
    fn load(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        time: f64,
        q: &[f64],
        v: &[f64],
        damped: bool,
    ) -> bool {
        self.tau.fill(0.0);
        self.external.fill(Force::default());
        if damped {
            forest.add_passive_forces(q, v, &mut self.tau);
        } else {
            forest.add_undamped_forces(q, v, &mut self.tau);
        }
        let mut pushed = loads.add(forest, time, q, v, &mut self.tau, &mut self.external);
        if forest.loops().iter().any(|l| l.is_passive) {
            self.constraints.place(forest, q, v);
            pushed |= self.constraints.add_passive_forces(forest, &mut self.external);
        }
        pushed
    }

    /// Marks the roots of figures that something pushes from outside.
    fn note_pushes(&mut self, forest: &Forest) {
        if !forest.loops().is_empty() {
            self.is_pushed.fill(true); // the force of a connection may come from another figure or the world
            return;
        }
        let mut root = 0;
        for (i, b) in forest.bodies().iter().enumerate().skip(1) {
            if b.parent == BodyIx::WORLD {
                root = i;
            }
            let own = b.iv as usize..b.iv as usize + 6;
            let by_base = b.joint == BodyJoint::Free && self.tau[own].iter().any(|t| *t != 0.0);
            self.is_pushed[root] |= by_base || self.external[i] != Force::default();
        }
    }

    /// q = q0 (+) x,  x' = dexp^-1(x) v,  v' = a(q, v). [MK1999]
    fn rk4(
        &mut self,
        forest: &Forest,
        loads: &mut impl Loads,
        time: f64,
        h: f64,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        const NODES: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
        const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
        self.flight.remember(forest, q, v);
        self.is_pushed.clear();
        self.is_pushed.resize(forest.bodies().len(), false);
        for s in 0..4 {
            let c = NODES[s] * h;
            let (done, rest) = self.stage.split_at_mut(s);
            let Stage { a, u } = &mut rest[0];
            fit(a, v.len());
            fit(u, v.len());
            self.v.clear();
            self.v.extend_from_slice(v);
            self.q.clear();
            self.q.extend_from_slice(q);
            u.copy_from_slice(v);
            if let Some(last) = done.last() {
                for k in 0..v.len() {
                    self.v[k] += c * last.a[k];
                }
                move_from(forest, &mut self.q, &last.u, c);
                rates(forest, q, &last.u, c, &self.v, u);
            } else {
                rates(forest, q, v, 0.0, &self.v, u);
            }
            let (sq, sv) = (core::mem::take(&mut self.q), core::mem::take(&mut self.v));
            let pushed = self.load(forest, loads, time + c, &sq, &sv, true);
            self.note_pushes(forest);
            let external = pushed.then_some(&self.external[..]);
            aba::forward_dynamics(forest, &sq, &sv, &self.tau, external, None, &mut self.aba, &mut self.a);
            self.constrain(forest, &sq, &sv, false);
            self.stage[s].a.copy_from_slice(&self.a);
            (self.q, self.v) = (sq, sv);
        }
        for k in 0..v.len() {
            let mean =
                |of: fn(&Stage) -> &Vec<f64>| (0..4).map(|s| WEIGHTS[s] * of(&self.stage[s])[k]).sum::<f64>();
            v[k] += h * mean(|s| &s.a);
            self.v[k] = mean(|s| &s.u);
        }
        move_from(forest, q, &self.v, h);
        self.flight.restore(forest, q, v, h, |root| !self.is_pushed[root]);
        self.warm = false;
    }
}

/// q (+) h u where a free joint's linear part of `u` is the rate of its position itself.
fn move_from(forest: &Forest, q: &mut [f64], u: &[f64], h: f64) {
    for b in forest.bodies().iter().skip(1) {
        let (iq, iv) = (b.iq as usize, b.iv as usize);
        match b.joint {
            BodyJoint::Spherical => turn(at_mut(q, iq), Vec3::from_array(at(u, iv)).scale(h)),
            BodyJoint::Free => {
                for k in 0..3 {
                    q[iq + k] += h * u[iv + 3 + k];
                }
                turn(at_mut(q, iq + 3), Vec3::from_array(at(u, iv)).scale(h));
            }
            joint => (0..joint.nv()).for_each(|k| q[iq + k] += h * u[iv + k]),
        }
    }
}

/// Rates of the exponential coordinates x = h * `last` at the stage velocity `v`; those of a free joint's position
/// are its velocity in the axes it is measured in.
fn rates(forest: &Forest, q0: &[f64], last: &[f64], h: f64, v: &[f64], u: &mut [f64]) {
    for b in forest.bodies().iter().skip(1) {
        let (iq, iv) = (b.iq as usize, b.iv as usize);
        if !matches!(b.joint, BodyJoint::Spherical | BodyJoint::Free) {
            u[iv..iv + b.joint.nv()].copy_from_slice(&v[iv..iv + b.joint.nv()]);
            continue;
        }
        let x = Vec3::from_array(at(last, iv)).scale(h);
        *at_mut(u, iv) = inverse_right_jacobian(x, Vec3::from_array(at(v, iv))).to_array();
        if b.joint == BodyJoint::Free {
            let turned = Quat(*at(q0, iq + 3)).then(Quat::exp(x));
            *at_mut(u, iv + 3) = turned.rotate(Vec3::from_array(at(v, iv + 3))).to_array();
        }
    }
}

/// x' for R = R0 exp(x) turning with angular velocity `w` in its own axes: w + x x w / 2 + ... (Bernoulli series).
fn inverse_right_jacobian(x: Vec3, w: Vec3) -> Vec3 {
    let xw = x.cross(w);
    let tt = x.dot(x);
    w + xw.scale(0.5) + x.cross(xw).scale(1.0 / 12.0 + tt * (1.0 / 720.0 + tt / 30_240.0))
}
