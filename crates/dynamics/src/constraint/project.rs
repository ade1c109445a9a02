//! Closing loops: assembly from an open pose, and the correction after each time step that keeps them from drifting.
//!
//! Computes  q (+) dq  with  K dq = -e,  dq of least mass-weighted size (Newton on the manifold), then v with  K v = 0.
//! Source: [NY2000 §II] gives no control of drift; projection onto the constraint manifold after each step [HLW2006 §IV.4].
//! We differ: both corrections go through the articulated-body factor at the pose they are applied to, so they are
//! internal forces and change no momentum.
//! Not here: the size of a connection's force.
//! Checked by: `tests/constraint.rs`, `tests/closed_simulation.rs`.

use super::Constraints;
use crate::algo::{aba, fit};
use crate::error::Error;
use crate::model::{Figure, Forest, State};

/// Closure error that counts as closed, m and rad.
pub const CLOSED: f64 = 1e-11;
/// Iterations after a time step: two are enough unless something is badly wrong.
const MAX_STEP_ITERATIONS: usize = 5;
/// Iterations of an assembly.
const MAX_ASSEMBLY_ITERATIONS: usize = 100;
/// Largest displacement of one assembly iteration, rad or m: beyond it the linearisation is not to be trusted.
const LONGEST_STEP: f64 = 0.3;

/// Scratch of the projections.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    constraints: Constraints,
    work: aba::Work,
    zero: Vec<f64>,
    a: Vec<f64>,
    step: Vec<f64>,
}

/// How an assembly or correction ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Closed {
    /// Newton iterations
    pub iterations: usize,
    /// largest gap left, m
    pub linear: f64,
    /// largest angle left, rad
    pub angular: f64,
}

impl Projection {
    /// Corrects positions, then velocities. Returns the closure error left.
    pub fn apply(&mut self, forest: &Forest, q: &mut [f64], v: &mut [f64], advance: Advance) -> Closed {
        let closed = self.close(forest, q, v, MAX_STEP_ITERATIONS, advance);
        self.constraints.correct_velocity(forest, &self.work, v);
        closed
    }

    /// Newton iterations on positions; leaves constraints placed and factored at the last pose.
    fn close(&mut self, forest: &Forest, q: &mut [f64], v: &[f64], most: usize, advance: Advance) -> Closed {
        fit(&mut self.zero, forest.nv());
        self.zero.fill(0.0);
        fit(&mut self.a, forest.nv());
        fit(&mut self.step, forest.nv());
        for iterations in 0.. {
            let (work, a) = (&mut self.work, &mut self.a);
            aba::forward_dynamics(forest, q, &self.zero, &self.zero, None, None, work, a);
            self.constraints.place(forest, q, v);
            self.constraints.factor(forest, &self.work, false);
            let (linear, angular) = self.constraints.closure_error();
            if linear.max(angular) <= CLOSED || iterations == most {
                return Closed { iterations, linear, angular };
            }
            self.constraints.correction(forest, &self.work, &mut self.step);
            let longest = self.step.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let part = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
            advance(forest, q, &self.step, part);
        }
        unreachable!("the loop above ends by itself")
    }

    /// Closes all connections from the present pose, then makes the velocities agree with them.
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
        let closed = self.close(forest, &mut state.q, &state.v, MAX_ASSEMBLY_ITERATIONS, advance);
        if !(closed.linear.max(closed.angular) <= 1e3 * CLOSED) {
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

    /// The velocity jump of a connection just made: no position changes. [NY2000 eq. 25-38]
    pub fn jump(&mut self, forest: &Forest, q: &[f64], v: &mut [f64]) {
        fit(&mut self.zero, forest.nv());
        self.zero.fill(0.0);
        fit(&mut self.a, forest.nv());
        aba::forward_dynamics(forest, q, &self.zero, &self.zero, None, None, &mut self.work, &mut self.a);
        self.constraints.place(forest, q, v);
        self.constraints.factor(forest, &self.work, false);
        self.constraints.correct_velocity(forest, &self.work, v);
    }

    /// The constraints as last placed and factored.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }
}

/// q := q (+) h v; passed in because moving poses belongs to `sim`.
pub type Advance = fn(&Forest, &mut [f64], &[f64], f64);
