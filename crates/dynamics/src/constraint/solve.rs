//! Constraint view of closed chains: constraint forces and accelerations on the articulated-body factor.
//!
//! Computes  G lambda = r  with  G = K M^-1 K^T,  and  M^-1 K^T lambda.  [NY2000J eq. 20-21]
//! Source: [NY2000J §3.1]; unit wrenches propagate through the factor of ABA (Popov-Vereshchagin form), so that neither
//! M nor its inverse is formed.
//! We differ: redundant and singular rows are allowed; the force is then the least-norm one. A pivoted Cholesky finds
//! the rank (`dense::low_rank`); nearly singular directions are damped, and refined while that helps.
//! Not here: the generalized-coordinate view (`closure`).
//! Checked by: `tests/it/constraint.rs` (dense KKT by another library).

use super::climb::{self, Climb, Side};
use super::response::{self, Response};
use super::rows::{Ends, LoopState};
use crate::algo::aba::MovingBody;
use crate::algo::{aba, energy, fit, fk::Kinematics};
use crate::dense::{DAMPING, LowRank, stride};
use crate::model::{BodyIx, Forest, Loop};
use crate::spatial::{Force, Motion, Transform, Vec3};

/// Largest energy of the velocity change due to rotating connections in a step, part of the kinetic energy: the square of
/// the angle of rotation. More means that the step is too long.
const MAX_TURNING_ENERGY: f64 = 0.1;
/// Most refinements of a solution with dependent or weak rows.
const MAX_REFINEMENTS: usize = 8;

/// The constraints of a forest at a pose, with the factor of G.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// pose and velocity of each body, or of bodies with connections only
    bodies: Vec<MovingBody>,
    ends: Vec<Ends>,
    states: Vec<LoopState>,
    /// first row of each connection, and the number of all rows
    start: Vec<usize>,
    kinematics: Kinematics,
    climb: Climb,
    g: Vec<f64>,
    factor: LowRank,
    rhs: Vec<f64>,
    lambda: Vec<f64>,
    /// accelerations of bodies without velocity terms
    freed: Vec<Motion>,
    /// velocity terms of the rows' accelerations
    turning: Vec<f64>,
    /// the first solution, while it is refined
    first: Vec<f64>,
    /// lambda, packed for each connection
    sides: Vec<Side>,
    response: Response,
}

/// Workspace of [`forward_dynamics`]: the factor of the tree and the constraints on it.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// factor of the mass matrix
    pub aba: aba::Work,
    /// connections as last placed, with their forces
    pub constraints: Constraints,
}

/// Accelerations under the joint forces `tau` with all connections held; their forces are in `work.constraints`.
/// Arguments as those of [`aba::forward_dynamics`].
///
/// The propagation of the rows also yields their free accelerations, so that the bodies are accelerated only once, with
/// the forces of the connections already in the factor. Dependent rows take the plain path.
#[allow(clippy::too_many_arguments)] // the quantities of the equation
pub fn forward_dynamics(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    external: Option<&[Force]>,
    implicit: Option<&[f64]>,
    work: &mut Work,
    a: &mut [f64],
) {
    if forest.loops().is_empty() {
        return aba::forward_dynamics(forest, q, v, tau, external, implicit, &mut work.aba, a);
    }
    let Work { aba, constraints } = work;
    aba::factorize(forest, q, v, tau, external, implicit, aba);
    constraints.place_from(forest, aba, v);
    constraints.climb(forest, aba, implicit.is_some(), true);
    if constraints.factor.is_regular() {
        constraints.push(forest, aba);
        aba::accelerations(forest, v, implicit, aba, a);
    } else {
        aba::accelerations(forest, v, implicit, aba, a);
        constraints.accelerate(forest, aba, a, implicit.is_some());
    }
}

/// The plain path of [`forward_dynamics`]: accelerations without connections first, then the response to their forces.
#[allow(clippy::too_many_arguments)]
pub fn plain_forward_dynamics(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    external: Option<&[Force]>,
    implicit: Option<&[f64]>,
    work: &mut Work,
    a: &mut [f64],
) {
    let Work { aba, constraints } = work;
    aba::forward_dynamics(forest, q, v, tau, external, implicit, aba, a);
    constraints.place(forest, q, v);
    constraints.factor(forest, aba, implicit.is_some());
    constraints.accelerate(forest, aba, a, implicit.is_some());
}

impl Constraints {
    /// Independent directions among the constrained ones.
    pub fn rank(&self) -> usize {
        self.factor.rank()
    }

    /// Number of constrained directions.
    pub fn len(&self) -> usize {
        self.start.last().copied().unwrap_or(0)
    }

    /// Whether nothing is constrained.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Force of the connections on their links a, one number a row: the last solution.
    pub fn lambda(&self) -> &[f64] {
        &self.lambda
    }

    /// Wrench of connection `i` on its link a, world axes, about the point of the connection (returned second).
    pub fn wrench(&self, i: usize) -> (Force, Vec3) {
        let s = &self.states[i];
        let of = self.start[i]..self.start[i + 1];
        let sum =
            s.rows().iter().zip(&self.lambda[of]).fold(Force::default(), |f, (r, l)| f + r.wrench.times(*l));
        (sum, s.point)
    }

    /// Velocity terms of the rows' accelerations, from the last [`Constraints::accelerate_within`].
    pub(crate) fn turning(&self) -> &[f64] {
        &self.turning
    }

    /// Constrained directions of each connection, as last placed.
    pub fn states(&self) -> &[LoopState] {
        &self.states
    }

    /// Places the ends of all connections; errors and velocities can be read afterwards.
    pub fn place(&mut self, forest: &Forest, q: &[f64], v: &[f64]) {
        self.kinematics.update(forest, q, Some(v), None);
        MovingBody::collect(forest, &self.kinematics, &mut self.bodies);
        self.place_ends(forest, true);
    }

    /// The same from what the articulated-body algorithm has just computed at this pose and velocity.
    fn place_from(&mut self, forest: &Forest, work: &aba::Work, v: &[f64]) {
        fit(&mut self.bodies, forest.bodies().len());
        for l in forest.loops() {
            self.bodies[l.a.index()] = work.place_body(forest, v, l.a);
            self.bodies[l.b.index()] = work.place_body(forest, v, l.b);
        }
        self.place_ends(forest, false);
    }

    fn place_ends(&mut self, forest: &Forest, with_errors: bool) {
        fit(&mut self.ends, forest.loops().len());
        fit(&mut self.states, forest.loops().len());
        self.start.clear();
        self.start.push(0);
        let mut rows = 0;
        for ((l, state), own) in forest.loops().iter().zip(&mut self.states).zip(&mut self.ends) {
            let of = |body: BodyIx| (self.bodies[body.index()].pose, self.bodies[body.index()].velocity);
            *own = ends(of, l);
            state.compute(l, own, with_errors);
            rows += state.rows().len();
            self.start.push(rows);
        }
        fit(&mut self.lambda, rows);
        fit(&mut self.rhs, rows);
        fit(&mut self.turning, rows);
    }

    /// Adds the forces that connections make along their free directions, as last placed, to the bodies' external
    /// forces; returns whether there are any.
    pub fn add_passive_forces(&self, forest: &Forest, external: &mut [Force]) -> bool {
        let mut any = false;
        for (l, e) in forest.loops().iter().zip(&self.ends).filter(|(l, _)| l.is_passive) {
            self.push_apart(l, e, super::drive::passive_wrench(l, e), external);
            any = true;
        }
        any
    }

    /// Adds the force `f` of a motor on coordinate `k` of connection `i`, as last placed.
    pub fn add_motor_force(&self, forest: &Forest, i: usize, k: usize, f: f64, external: &mut [Force]) {
        let (l, e) = (&forest.loops()[i], &self.ends[i]);
        self.push_apart(l, e, super::drive::motor_wrench(l, e, k, f), external);
    }

    /// A wrench about the connection's point on link a, and its opposite on link b.
    fn push_apart(&self, l: &Loop, e: &Ends, wrench: Force, external: &mut [Force]) {
        for (body, wrench) in [(l.a, wrench), (l.b, -wrench)] {
            let arm = self.bodies[body.index()].pose.translation - e.a.translation;
            external[body.index()] += wrench.shifted(arm);
        }
    }

    /// Largest linear (m) and angular (rad) closure error as last placed.
    pub fn closure_error(&self) -> (f64, f64) {
        let mut worst = (0.0_f64, 0.0_f64);
        for r in self.states.iter().flat_map(|s| s.rows()) {
            if r.wrench.angular == Vec3::ZERO {
                worst.0 = worst.0.max(r.error.abs());
            } else {
                worst.1 = worst.1.max(r.error.abs());
            }
        }
        worst
    }

    /// The connection with the largest closure error.
    pub(super) fn worst_connection(&self) -> Option<usize> {
        let worst = |s: &LoopState| s.rows().iter().fold(0.0_f64, |m, r| m.max(r.error.abs()));
        (0..self.states.len()).max_by(|i, j| worst(&self.states[*i]).total_cmp(&worst(&self.states[*j])))
    }

    /// G and its factor, from the factor of M that `work` holds.
    pub fn factor(&mut self, forest: &Forest, work: &aba::Work, implicit: bool) {
        self.climb(forest, work, implicit, false);
    }

    /// The same; with `free`, also the free accelerations of the rows.
    fn climb(&mut self, forest: &Forest, work: &aba::Work, implicit: bool, free: bool) {
        self.climb.reset(forest, forest.loops().len());
        for (i, l) in forest.loops().iter().enumerate() {
            let state = &self.states[i];
            let wrenches = state.wrenches();
            for (body, sign) in [(l.a, 1.0), (l.b, -1.0)] {
                let arm = state.point - self.bodies[body.index()].pose.translation;
                let end = climb::End { body, arm, sign };
                if body != BodyIx::WORLD || free {
                    climb::climb(&mut self.climb, forest, work, i, &wrenches, end, implicit, free);
                }
            }
        }
        let m = self.len();
        fit(&mut self.g, m * stride(m));
        climb::delassus(&self.climb, forest, &self.start, &mut self.g);
        if free {
            for (i, ends) in self.ends.iter().enumerate() {
                let relative = ends.va - ends.vb;
                for (k, row) in self.states[i].rows().iter().enumerate() {
                    self.rhs[self.start[i] + k] = -(self.climb.free(i, k) + row.turning(relative));
                }
            }
        }
        let rhs = if free { &self.rhs[..] } else { &[] };
        self.factor.compute_with(&self.g, m, self.climb.scale(), DAMPING, rhs);
    }

    /// Computes the forces that keep the connections closed, after [`Constraints::climb`] with `free`, and adds them to the
    /// factor.
    fn push(&mut self, forest: &Forest, work: &mut aba::Work) {
        self.lambda.copy_from_slice(&self.rhs);
        self.factor.solution(&mut self.lambda);
        self.put_side_by_side();
        response::push(&self.climb, forest, work, &self.sides);
    }

    /// Constrained accelerations: turns the free accelerations `a` (for which `work` holds the bodies' accelerations)
    /// into those that keep the connections closed. `self` must be placed and factored at the same pose.
    pub fn accelerate(&mut self, forest: &Forest, work: &aba::Work, a: &mut [f64], implicit: bool) {
        self.place_accelerations(forest, work);
        self.respond(forest, work, a, implicit);
    }

    /// The right-hand side that keeps the rows closed, from the bodies' accelerations without connections.
    fn place_accelerations(&mut self, forest: &Forest, work: &aba::Work) {
        for (i, l) in forest.loops().iter().enumerate() {
            let ends = &self.ends[i];
            let point = self.states[i].point;
            let of = |body: BodyIx| {
                let c = &work.bodies[body.index()];
                let r = point - self.bodies[body.index()].pose.translation;
                Motion::new(c.al, c.a + c.al.cross(r) + c.w.centripetal(r))
            };
            let (aa, ab) = (of(l.a), of(l.b));
            let relative = ends.va - ends.vb;
            for (k, row) in self.states[i].rows().iter().enumerate() {
                self.rhs[self.start[i] + k] = -((aa - ab).dot(row.wrench) + row.turning(relative));
            }
        }
    }

    /// The same for a step of `h` from the velocities `v`, with which `self` must have been placed. The forces due to the
    /// rotation of the connections are unbounded near a singular pose. If they would add more than a tenth of the kinetic
    /// energy in a step, they are omitted: connections then stay closed by the step's projection alone, which never adds
    /// energy.
    pub fn accelerate_within(
        &mut self,
        forest: &Forest,
        work: &aba::Work,
        v: &[f64],
        h: f64,
        a: &mut [f64],
        implicit: bool,
    ) {
        self.place_accelerations(forest, work);
        self.find_turning(forest, work, a);
        // kinetic energy of the change of velocity: (h^2 / 2) b G^+ b
        self.lambda.copy_from_slice(&self.turning);
        self.factor.solve(&mut self.lambda);
        let twice: f64 = self.lambda.iter().zip(&self.turning).map(|(l, b)| l * b).sum();
        if 0.5 * h * h * twice > MAX_TURNING_ENERGY * energy::kinetic(forest, &self.kinematics, v) {
            self.rhs.iter_mut().zip(&self.turning).for_each(|(r, b)| *r += b);
        }
        self.respond(forest, work, a, implicit);
    }

    /// Velocity terms of the rows' accelerations: the right-hand side less K a.
    fn find_turning(&mut self, forest: &Forest, work: &aba::Work, a: &[f64]) {
        work.move_bodies(forest, a, &mut self.freed);
        for (i, (s, l)) in self.states.iter().zip(forest.loops()).enumerate() {
            let of =
                |b: BodyIx| self.freed[b.index()].shifted(s.point - self.bodies[b.index()].pose.translation);
            let relative = of(l.a) - of(l.b);
            for (k, row) in s.rows().iter().enumerate() {
                let at = self.start[i] + k;
                self.turning[at] = -self.rhs[at] - relative.dot(row.wrench);
            }
        }
    }

    /// x += M^-1 K^T lambda with K M^-1 K^T lambda = right-hand side.
    fn respond(&mut self, forest: &Forest, work: &aba::Work, x: &mut [f64], implicit: bool) {
        self.solve();
        self.add_response(forest, work, x, implicit);
        if !self.factor.is_regular() {
            self.refine(forest, work, x, implicit);
        }
    }

    /// Refines the response to dependent or weak rows while that helps: nearly singular directions converge, singular ones
    /// do not and stay.
    fn refine(&mut self, forest: &Forest, work: &aba::Work, a: &mut [f64], implicit: bool) {
        self.first.clear();
        self.first.extend_from_slice(&self.lambda);
        let mut last = f64::INFINITY;
        for _ in 0..MAX_REFINEMENTS {
            let missing = self.take_response_from_rhs(forest);
            if !(missing < 0.5 * last) {
                break;
            }
            last = missing;
            self.solve();
            self.add_response(forest, work, a, implicit);
            self.first.iter_mut().zip(&self.lambda).for_each(|(sum, l)| *sum += l);
        }
        self.lambda.copy_from_slice(&self.first);
    }

    /// Subtracts the last response from the right-hand side; returns the largest remainder.
    fn take_response_from_rhs(&mut self, forest: &Forest) -> f64 {
        let mut largest = 0.0_f64;
        for (i, l) in forest.loops().iter().enumerate() {
            let point = self.states[i].point;
            let of = |body: BodyIx| {
                let (al, a) = self.response.of(body);
                Motion::new(al, a + al.cross(point - self.bodies[body.index()].pose.translation))
            };
            let relative = of(l.a) - of(l.b);
            for (k, row) in self.states[i].rows().iter().enumerate() {
                let left = &mut self.rhs[self.start[i] + k];
                *left -= relative.dot(row.wrench);
                largest = largest.max(left.abs());
            }
        }
        largest
    }

    /// Velocities that keep the connections closed, with the least change in the mass metric: v + M^-1 K^T lambda with
    /// K v = 0. This is also the impact of connecting two moving links. [NY2000 eq. 25-38], [NY2000J eq. 18-19]
    pub fn correct_velocity(&mut self, forest: &Forest, work: &aba::Work, v: &mut [f64]) {
        for (i, s) in self.states.iter().enumerate() {
            for (k, row) in s.rows().iter().enumerate() {
                self.rhs[self.start[i] + k] = -row.velocity(&self.ends[i]);
            }
        }
        self.respond(forest, work, v, false);
    }

    /// Displacement that closes the connections to first order, with the least change in the mass metric.
    pub fn correction(&mut self, forest: &Forest, work: &aba::Work, step: &mut [f64]) {
        for (i, s) in self.states.iter().enumerate() {
            for (k, row) in s.rows().iter().enumerate() {
                self.rhs[self.start[i] + k] = -row.error;
            }
        }
        self.solve();
        step.fill(0.0);
        self.add_response(forest, work, step, false);
    }

    /// lambda from the right-hand side: exact, or the least-norm solution.
    fn solve(&mut self) {
        self.lambda.copy_from_slice(&self.rhs);
        self.factor.solve(&mut self.lambda);
    }

    fn put_side_by_side(&mut self) {
        self.sides.clear();
        for at in self.start.windows(2) {
            self.sides.push(response::side(&self.lambda[at[0]..at[1]]));
        }
    }

    /// x += M^-1 K^T lambda.
    fn add_response(&mut self, forest: &Forest, work: &aba::Work, x: &mut [f64], implicit: bool) {
        self.put_side_by_side();
        self.response.add(&self.climb, forest, work, &self.sides, implicit, x);
    }
}

/// Pose and velocity of the two frames of a connection, from those of the bodies.
#[inline(always)]
pub(super) fn ends(of: impl Fn(BodyIx) -> (Transform, Motion), l: &Loop) -> Ends {
    let ((pose_a, va), (pose_b, vb)) = (of(l.a), of(l.b));
    let (a, b) = (pose_a * l.a_from_joint, pose_b * l.b_from_joint);
    let at_point = |pose: &Transform, v: Motion| v.shifted(a.translation - pose.translation);
    Ends { a, b, va: at_point(&pose_a, va), vb: at_point(&pose_b, vb) }
}
