//! Closing loops: assembly from an open pose, and drift correction after each time step.
//!
//! Computes  q (+) dq  with  K dq = -e,  dq of least mass-weighted size (Newton on the manifold), then v with  K v = 0.
//! Source: [NY2000 §II] gives no control of drift; projection onto the constraint manifold after each step [HLW2006 §IV.4].
//! We differ: both corrections use the articulated-body factor at the pose they are applied to, so they are internal
//! forces and preserve momentum.
//! Not here: the forces of connections.
//! Checked by: `tests/it/constraint.rs`, `tests/it/closed_simulation.rs`.

use super::Constraints;
use crate::algo::{aba, energy, fit, fk::Kinematics};
use crate::error::Error;
use crate::model::{Figure, Forest, State};

/// Closure error that counts as closed, m and rad.
pub const CLOSED: f64 = 1e-11;
/// Iterations that a time step's discretisation error needs.
const USUAL_ITERATIONS: usize = 3;
/// Iterations after a time step: two suffice unless the pose is singular.
const MAX_STEP_ITERATIONS: usize = 5;
/// Iterations after a time step while each of them leaves less than [`SLOW`] of the error: at a singular pose they at best
/// quarter it.
const MAX_SLOW_ITERATIONS: usize = 60;
const SLOW: f64 = 0.99;
/// Backtracking factor of a correction that increases the error, and the shortest part tried.
const SHORTER: f64 = 0.25;
const SHORTEST: f64 = 1e-2;
/// Iterations of an assembly.
const MAX_ASSEMBLY_ITERATIONS: usize = 100;
/// Largest displacement of one assembly iteration, rad or m: beyond it the linearisation is inaccurate.
const LONGEST_STEP: f64 = 0.3;

/// Workspace of the projections.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    constraints: Constraints,
    work: aba::Work,
    zero: Vec<f64>,
    a: Vec<f64>,
    step: Vec<f64>,
    /// the best pose so far
    kept: Vec<f64>,
    /// sum of a correction's displacements
    moved: Vec<f64>,
    kinematics: Kinematics,
}

/// Result of an assembly or correction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Closed {
    /// Newton iterations
    pub iterations: usize,
    /// largest gap left, m
    pub linear: f64,
    /// largest angle left, rad
    pub angular: f64,
}

impl Closed {
    /// The larger of both, m or rad.
    pub fn error(&self) -> f64 {
        self.linear.max(self.angular)
    }
}

impl Projection {
    /// Corrects positions, then velocities, after a step of `h`. Returns the closure error left.
    pub fn apply(
        &mut self,
        forest: &Forest,
        q: &mut [f64],
        v: &mut [f64],
        h: f64,
        advance: Advance,
    ) -> Closed {
        let closed = self.close_gently(forest, q, v, advance);
        if closed.iterations > USUAL_ITERATIONS {
            self.take_back(forest, q, v, h);
            self.constraints.place(forest, q, v);
        }
        self.constraints.correct_velocity(forest, &self.work, v);
        closed
    }

    /// Applies the position correction to the velocities too, as far as it slows them: at a singular pose the rows do not see
    /// a motion that the connections prevent.
    fn take_back(&mut self, forest: &Forest, q: &[f64], v: &mut [f64], h: f64) {
        self.moved.iter_mut().for_each(|x| *x /= h);
        let kinematics = &mut self.kinematics;
        let mut energy = |v: &[f64]| {
            kinematics.update(forest, q, Some(v), None);
            energy::kinetic(forest, kinematics, v)
        };
        let (before, moved) = (energy(v), energy(&self.moved));
        v.iter_mut().zip(&self.moved).for_each(|(v, m)| *v += m);
        // |v + s moved|^2 is least where s = -v M moved / moved M moved
        let both = energy(v) - before - moved;
        let part = (-0.5 * both / moved).clamp(0.0, 1.0);
        let too_much = if part.is_finite() { 1.0 - part } else { 1.0 };
        v.iter_mut().zip(&self.moved).for_each(|(v, m)| *v -= too_much * m);
    }

    /// Newton iterations from anywhere; leaves constraints placed and factored at the last pose.
    fn close(&mut self, forest: &Forest, q: &mut [f64], v: &[f64], advance: Advance) -> Closed {
        let mut closed = self.look(forest, q, v);
        while closed.error() > CLOSED && closed.iterations < MAX_ASSEMBLY_ITERATIONS {
            let part = self.next_step(forest);
            advance(forest, q, &self.step, part);
            closed = Closed { iterations: closed.iterations + 1, ..self.look(forest, q, v) };
        }
        closed
    }

    /// Newton iterations from nearby, with backtracking. At a singular pose the error is of second order in the free
    /// displacements, and a full step may diverge.
    fn close_gently(&mut self, forest: &Forest, q: &mut [f64], v: &[f64], advance: Advance) -> Closed {
        let mut closed = self.look(forest, q, v);
        self.moved.clear();
        self.moved.resize(forest.nv(), 0.0);
        let mut is_slow = false;
        while closed.error() > CLOSED && closed.iterations < MAX_SLOW_ITERATIONS {
            if is_slow && closed.iterations >= MAX_STEP_ITERATIONS {
                break;
            }
            self.kept.clear();
            self.kept.extend_from_slice(q);
            let mut part = self.next_step(forest);
            let mut next = closed;
            while part > SHORTEST {
                q.copy_from_slice(&self.kept);
                advance(forest, q, &self.step, part);
                next = Closed { iterations: next.iterations + 1, ..self.look(forest, q, v) };
                if next.error() < closed.error() {
                    break;
                }
                part *= SHORTER;
            }
            if !(next.error() < closed.error()) {
                q.copy_from_slice(&self.kept);
                return Closed { iterations: next.iterations, ..self.look(forest, q, v) };
            }
            self.moved.iter_mut().zip(&self.step).for_each(|(m, s)| *m += part * s);
            is_slow = next.error() > SLOW * closed.error();
            closed = next;
        }
        closed
    }

    /// Places and factors the constraints at a pose; returns their error.
    fn look(&mut self, forest: &Forest, q: &[f64], v: &[f64]) -> Closed {
        fit(&mut self.zero, forest.nv());
        self.zero.fill(0.0);
        fit(&mut self.a, forest.nv());
        let (work, a) = (&mut self.work, &mut self.a);
        aba::forward_dynamics(forest, q, &self.zero, &self.zero, None, None, work, a);
        self.constraints.place(forest, q, v);
        self.constraints.factor(forest, &self.work, false);
        let (linear, angular) = self.constraints.closure_error();
        Closed { iterations: 0, linear, angular }
    }

    /// The Newton step from the last pose, and its admissible part.
    fn next_step(&mut self, forest: &Forest) -> f64 {
        fit(&mut self.step, forest.nv());
        self.constraints.correction(forest, &self.work, &mut self.step);
        let longest = self.step.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 }
    }

    /// Closes all connections from the current pose, then makes the velocities consistent.
    ///
    /// # Errors
    /// Connections that cannot be closed; the state is then unchanged.
    pub fn assemble(
        &mut self,
        figure: &Figure,
        state: &mut State,
        advance: Advance,
    ) -> Result<Closed, Error> {
        figure.check(state)?;
        let forest = figure.forest();
        let before = state.q.clone();
        let closed = self.close(forest, &mut state.q, &state.v, advance);
        if !(closed.error() <= 1e3 * CLOSED) {
            state.q = before;
            let worst = self.constraints.worst_connection();
            let joint = worst.map(|i| forest.loops()[i].joint);
            let connection =
                joint.and_then(|j| figure.joint(j).ok()).map(|j| j.name.clone()).unwrap_or_default();
            let Closed { iterations, linear, angular } = closed;
            return Err(Error::NotClosed { iterations, linear, angular, connection });
        }
        self.constraints.correct_velocity(forest, &self.work, &mut state.v);
        Ok(closed)
    }

    /// The velocity jump when a connection is made; positions stay. [NY2000 eq. 25-38]
    pub fn jump(&mut self, forest: &Forest, q: &[f64], v: &mut [f64]) {
        self.look(forest, q, v);
        self.constraints.correct_velocity(forest, &self.work, v);
    }

    /// The constraints as last placed and factored.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }
}

/// q := q (+) h v; passed in because moving poses belongs to `sim`.
pub type Advance = fn(&Forest, &mut [f64], &[f64], f64);
