//! The simulated figure and its internal step.
//!
//! A step updates the contacts (`contact_state`), assembles the desired accelerations (`tasks`), solves for the nearest
//! feasible ones (`qp`, or `pseudo_inverse` with its own desired accelerations), then integrates v += a dt, q (+)= v dt.
//! With a = (v+ - v)/dt the equation of motion holds at every step for the reported forces, landings included: contact
//! forces of the following steps stop a landing foot; there are no velocity jumps without a force.

use super::applied_force::AppliedForce;
use super::contact_state::{self, ContactState, EndEffector};
use super::dynamics_terms::{BodyJacobian, DynamicsTerms, integrate, root_body};
use super::gains::Gains;
use super::loop_closure::LoopClosures;
use super::normal_equations::NormalEquations;
use super::qp::{ActiveContact, Qp, SolveReport, StepSolution};
use super::reference::ReferenceSample;
use super::strength;
use crate::anatomy::{Anatomy, Part};
use crate::contact_points::ContactPoint;
use crate::dual::Cone;
use crate::error::Error;
use crate::hull::Hull;
use crate::papers::pseudo_inverse::PseudoInverse;
use anthropi_dynamics::model::{BodyIx, BodyJoint, Figure, JointHandle, LinkHandle};
use anthropi_dynamics::spatial::{Force, Vec3};

/// A ground reaction force at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundForce {
    /// index of the contact point
    pub contact_point: usize,
    /// index of the point, counted over all contact points
    pub point: usize,
    /// position, world axes, m
    pub at: Vec3,
    /// N, world axes
    pub force: Vec3,
    /// velocity of the point before the step
    pub velocity: Vec3,
    /// height of the point above the ground, m
    pub above: f64,
    /// ground normal, unit
    pub normal: Vec3,
}

/// Solver for each step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// QP with friction cones and torque limits: all forces are feasible
    #[default]
    Qp,
    /// pseudo-inverses of the first dynamics filter [NY2000F §4.1]: forces are unbounded; infeasible ones are counted
    PseudoInverse,
}

/// A figure simulated by the filter.
#[derive(Clone, Debug)]
pub struct SimulatedBody {
    pub(crate) figure: Figure,
    /// contact points
    pub contact_points: Vec<ContactPoint>,
    /// feedback rates and task weights
    pub gains: Gains,
    default_gains: Gains,
    /// coefficient of friction
    pub friction: f64,
    solver: Solver,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) limbs: Vec<EndEffector>,
    /// trunk segments whose orientation tracks the reference
    pub(crate) trunk: Vec<BodyJacobian>,
    pub(crate) all_dofs: Vec<u32>,
    pub(crate) joint_weights: Vec<f64>,
    /// ball joints that bend like hinges: first degree of freedom, and axis in child axes
    pub(crate) hinges: Vec<(usize, Vec3)>,
    pub(crate) now: DynamicsTerms,
    pub(crate) desired: DynamicsTerms,
    pub(crate) normal: NormalEquations,
    /// shift of the desired centre of mass towards the support polygon
    pub(crate) lean_offset: Vec3,
    pub(crate) active_anchors: Vec<Vec3>,
    pub(crate) hull: Hull,
    pub(crate) root: BodyIx,
    pub(crate) root_iv: usize,
    /// torque limits by degree of freedom
    pub(crate) strength: Vec<f64>,
    qp: Qp,
    pub(crate) pseudo_inverse: PseudoInverse,
    solution: StepSolution,
    pub(crate) closures: LoopClosures,
    pub(crate) contacts: Vec<ActiveContact>,
    /// applied forces: summed about the centre of mass; by body, about its origin; by degree of freedom, with springs and
    /// dampers
    pub(crate) applied_wrench: Force,
    pub(crate) applied_forces: Vec<Force>,
    pub(crate) applied_tau: Vec<f64>,
    /// springs and dampers, by degree of freedom
    pub(crate) passive: Vec<f64>,
    pub(crate) delta: Vec<f64>,
    ground: Vec<GroundForce>,
    solved: SolveReport,
    is_started: bool,
    /// whether its momentum plan is made anew all the time: it neither leans nor steps by itself
    pub(crate) is_replanned: bool,
    /// whether it diverged and was reset to the reference
    pub(crate) has_diverged: bool,
    /// largest assistance, body weights
    pub(crate) max_assist: f64,
}

/// Longest internal step, s.
const MAX_STEP: f64 = 0.001;
/// Factors on the weight of the stance task, tried in order until the QP is feasible: a leg at the end of its reach cannot
/// hold its foot.
const STANCE_WEIGHTS: [f64; 3] = [1.0, 0.03, 0.001];
/// Least load share of a point, parts of an even share.
const MIN_LOAD_SHARE: f64 = 0.01;
/// Joints at their torque limit above which the next stance weight is tried.
const MAX_SATURATED: usize = 6;
/// Limits beyond which the simulation has diverged: joint speed, rad/s, and position, m.
const MAX_SPEED: f64 = 200.0;
const MAX_DISTANCE: f64 = 1e6;
/// Weight of hand and finger joints against others.
const HAND_WEIGHT: f64 = 0.3;
/// Factor by which the force cost of a contact grows while it is released.
const RELEASE_COST: f64 = 200.0;
/// Least height of the centre of mass that gains are made for, m, and least gravity, m/s2.
const MIN_HEIGHT: f64 = 0.05;
const MIN_GRAVITY: f64 = 0.1;

impl SimulatedBody {
    /// `strength` scales the table of human strength; infinite for no torque limits.
    ///
    /// # Errors
    /// A figure without a free root, or with undriven joints on the world.
    pub fn new(
        figure: &Figure,
        anatomy: &Anatomy,
        contact_points: Vec<ContactPoint>,
        strength: f64,
    ) -> Result<SimulatedBody, Error> {
        let forest = figure.forest();
        let root = root_body(figure)?;
        let root_iv = forest.bodies()[root.index()].dofs().start;
        reject_world_joints(figure)?;
        let nv = forest.nv();
        let links: Vec<LinkHandle> = figure.links().map(|(handle, _)| handle).collect();
        let body_of = |n: usize| forest.link_place(links[n]).body;
        let mut trunk = [Part::Pelvis, Part::Chest].map(|p| anatomy.last(p).map_or(root, body_of)).to_vec();
        trunk.dedup();
        let mut joint_weights = vec![1.0; nv];
        joint_weights[root_iv..root_iv + 6].fill(0.0);
        for (n, part) in anatomy.parts.iter().enumerate() {
            if matches!(part, Some(Part::Hand(_) | Part::Finger(_))) {
                joint_weights[forest.bodies()[body_of(n).index()].dofs()].fill(HAND_WEIGHT);
            }
        }
        let mut terms = DynamicsTerms::default();
        terms.update_motion(forest, forest.home(), &vec![0.0; nv], &vec![0.0; nv]);
        let low = contact_points
            .iter()
            .flat_map(|p| p.points.iter().map(|at| terms.kinematics.link_pose(forest, p.link).point(*at).z))
            .fold(f64::INFINITY, f64::min);
        let height = (terms.com.z - low).max(MIN_HEIGHT);
        let gains = Gains::from_height(height, forest.gravity().norm().max(MIN_GRAVITY));
        Ok(SimulatedBody {
            limbs: EndEffector::all(forest, &contact_points),
            q: forest.home().to_vec(),
            v: vec![0.0; nv],
            all_dofs: (0..nv as u32).collect(),
            applied_wrench: Force::default(),
            applied_forces: vec![Force::default(); forest.bodies().len()],
            applied_tau: vec![0.0; nv],
            passive: vec![0.0; nv],
            delta: vec![0.0; nv],
            strength: strength::from_figure(figure, anatomy, strength),
            figure: figure.clone(),
            friction: crate::inverse::FRICTION,
            now: DynamicsTerms::default(),
            desired: DynamicsTerms::default(),
            normal: NormalEquations::default(),
            lean_offset: Vec3::ZERO,
            active_anchors: Vec::new(),
            hull: Hull::default(),
            solver: if forest.loops().is_empty() { Solver::Qp } else { Solver::PseudoInverse },
            qp: Qp::default(),
            pseudo_inverse: PseudoInverse::new(figure, anatomy, root),
            solution: StepSolution::default(),
            closures: LoopClosures::default(),
            contacts: Vec::new(),
            ground: Vec::new(),
            solved: SolveReport::default(),
            is_started: false,
            is_replanned: false,
            has_diverged: false,
            max_assist: 0.0,
            contact_points,
            gains,
            default_gains: gains,
            hinges: Vec::new(),
            trunk: trunk.into_iter().map(|body| BodyJacobian::new(forest, body)).collect(),
            joint_weights,
            root,
            root_iv,
        })
    }

    /// Prepares for plans that are made anew while they are tracked, with the QP; `hinges` are the ball joints that bend like
    /// hinges, as first degree of freedom and axis in child axes.
    pub(super) fn track_plans(&mut self, hinges: Vec<(usize, Vec3)>) {
        if self.solver == Solver::Qp {
            self.is_replanned = true;
            self.gains = self.gains.momentum_first();
            self.hinges = hinges;
        }
    }

    /// Chooses the solver. Default: the QP; the pseudo-inverse for figures with loop closures.
    ///
    /// # Errors
    /// The QP for a figure with loop closures.
    pub fn set_solver(&mut self, solver: Solver) -> Result<(), Error> {
        if solver == Solver::Qp && !self.figure.forest().loops().is_empty() {
            let what = "loop closures need the pseudo-inverse solver".into();
            return Err(Error::Unsuitable { subject: self.figure.name.clone(), what });
        }
        self.solver = solver;
        Ok(())
    }

    /// Coordinates.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Velocities.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// Accelerations of the last step.
    pub fn a(&self) -> &[f64] {
        &self.solution.a
    }

    /// Joint torques of the last step, without springs and dampers.
    pub fn tau(&self) -> &[f64] {
        &self.solution.tau
    }

    /// Torques of joint springs and dampers in the last step.
    pub fn passive(&self) -> &[f64] {
        &self.passive
    }

    /// Ground forces of the last step.
    pub fn ground(&self) -> &[GroundForce] {
        &self.ground
    }

    /// Assistance in the last step, about the centre of mass, N m and N.
    pub fn assist(&self) -> Force {
        self.solution.assist
    }

    /// Solver report of the last step.
    pub fn solved(&self) -> SolveReport {
        self.solved
    }

    /// Whether the state is within plausible limits.
    pub fn is_sane(&self) -> bool {
        self.q.iter().all(|q| q.abs() < MAX_DISTANCE) && self.v.iter().all(|v| v.abs() < MAX_SPEED)
    }

    /// Scales the table of human strength; infinite for no torque limits.
    pub fn set_strength(&mut self, anatomy: &Anatomy, scale: f64) {
        self.strength = strength::from_figure(&self.figure, anatomy, scale);
    }

    /// Gains derived from the figure.
    pub fn default_gains(&self) -> Gains {
        self.default_gains
    }

    /// Torque limits by degree of freedom.
    pub fn strength(&self) -> &[f64] {
        &self.strength
    }

    /// Degrees of freedom of each joint except the root.
    pub fn joints(&self) -> impl Iterator<Item = core::ops::Range<usize>> + '_ {
        let bodies = self.figure.forest().bodies().iter().skip(1);
        bodies.filter(|b| b.joint != BodyJoint::Free).map(|b| b.dofs())
    }

    /// Largest gap of the loop closures, m, and largest angle, rad.
    pub fn closure_error(&self) -> (f64, f64) {
        self.closures.clone().error(self.figure.forest(), &self.q, &self.v)
    }

    /// Residual force and moment on the root in the last step, N and N m.
    pub fn root_residual(&self) -> (f64, f64) {
        let left = self.now.root_wrench(self.figure.forest(), self.root, &self.solution.tau);
        (left.linear.norm(), left.angular.norm())
    }

    /// Centre of mass before the last step.
    pub fn center_of_mass(&self) -> Vec3 {
        self.now.com
    }

    /// Centre of mass, its velocity and angular momentum before the last step.
    pub(crate) fn momentum_now(&self) -> [Vec3; 3] {
        [self.now.com, self.now.velocity, self.now.angular_momentum]
    }

    /// Mean rotation of the trunk from the reference, rotation vector, rad.
    pub(crate) fn rotation_error(&self) -> Vec3 {
        let turn = |t: &BodyJacobian| {
            let [now, to] = [&self.now, &self.desired].map(|terms| terms.kinematics.body_pose(t.body));
            now.orientation().then(to.orientation().inverse()).log()
        };
        let sum = self.trunk.iter().map(turn).fold(Vec3::ZERO, |s, r| s + r);
        sum.scale(1.0 / self.trunk.len().max(1) as f64)
    }

    /// Body weight, N.
    pub fn weight(&self) -> f64 {
        self.figure.mass() * self.figure.forest().gravity().norm()
    }

    /// Clears contacts and shifts of the reference.
    pub(crate) fn reset(&mut self) {
        self.lean_offset = Vec3::ZERO;
        self.is_started = false;
        for limb in &mut self.limbs {
            limb.shift = Vec3::ZERO;
            limb.contacts.iter_mut().for_each(|c| c.is_active = false);
        }
    }

    /// Solves a step of `dt` towards the reference. State and forces can be read until [`SimulatedBody::finish`] integrates
    /// the step.
    pub fn solve(&mut self, reference: &ReferenceSample, applied: &[AppliedForce], dt: f64) {
        let forest = self.figure.forest();
        self.desired.update_motion(forest, &reference.q, &reference.v, &reference.a);
        if !self.is_started {
            self.closures.close(forest, &mut self.q, &mut self.v);
        }
        self.now.update(forest, self.root, &self.q, &self.v);
        for limb in &mut self.limbs {
            limb.update(forest, &self.now, &self.desired);
            if !self.is_replanned {
                limb.pivot = 0.0;
            }
        }
        self.closures.update(forest, &self.now, &self.q, &self.v, dt);
        if !self.is_started {
            contact_state::start(&mut self.limbs, reference);
            self.is_started = true;
        }
        let falls = self.now.velocity.z < 0.0;
        contact_state::update(&mut self.limbs, reference, dt, falls);
        // the pseudo-inverse knows all applied forces, as in the paper
        self.collect_forces(applied, self.solver == Solver::Qp);
        self.adjust_balance(reference, dt);
        self.collect_contacts(reference);
        match self.solver {
            Solver::Qp => {
                for part in STANCE_WEIGHTS {
                    self.assemble_tasks(reference, dt, part);
                    self.normal.factor();
                    self.solve_step(false);
                    if self.solved.is_optimal && self.solved.at_bounds <= MAX_SATURATED {
                        break;
                    }
                }
                if applied.iter().any(|o| !o.is_known) {
                    self.collect_forces(applied, false);
                    self.solve_step(true);
                }
            }
            Solver::PseudoInverse => {
                self.set_desired_accelerations(reference);
                self.solve_step(false);
                self.reset_anchors();
            }
        }
        self.ground.clear();
        for (t, f) in self.contacts.iter().zip(&self.solution.forces) {
            let c = &self.limbs[t.limb].contacts[t.contact];
            let above = c.floor.above(c.now.at);
            self.ground.push(GroundForce {
                contact_point: c.contact_point,
                point: c.point,
                at: t.at,
                force: *f,
                velocity: c.now.velocity,
                above,
                normal: t.cone.normal,
            });
        }
    }

    /// Solves for the nearest feasible motion, or for the motion under the torques found before.
    fn solve_step(&mut self, torques_are_known: bool) {
        let mut solution = core::mem::take(&mut self.solution);
        match self.solver {
            Solver::Qp => {
                let mut qp = core::mem::take(&mut self.qp);
                if torques_are_known {
                    qp.solve_with_torques(self, &mut solution);
                } else {
                    self.solved = qp.solve(self, &mut solution);
                }
                self.qp = qp;
            }
            Solver::PseudoInverse => {
                let mut pseudo_inverse = core::mem::take(&mut self.pseudo_inverse);
                self.solved = pseudo_inverse.solve(self, &mut solution);
                self.pseudo_inverse = pseudo_inverse;
            }
        }
        solution.close_root_balance(self);
        self.solution = solution;
    }

    /// Units of force, N, and length, m, that make balances comparable.
    pub(crate) fn units(&self) -> [f64; 2] {
        [self.weight(), self.standing_height()]
    }

    /// Sets the state; contacts stay as they are.
    pub(crate) fn set_state(&mut self, q: &[f64], v: &[f64]) {
        self.q.copy_from_slice(q);
        self.v.copy_from_slice(v);
    }

    /// Integrates the solved step.
    pub fn finish(&mut self, dt: f64) {
        integrate(self.figure.forest(), &mut self.q, &mut self.v, &self.solution.a, dt);
    }

    /// Height of the centre of mass while standing, m.
    pub(crate) fn standing_height(&self) -> f64 {
        self.figure.forest().gravity().norm() / (self.gains.omega * self.gains.omega)
    }

    /// Collects applied forces, all or only the known ones.
    fn collect_forces(&mut self, applied: &[AppliedForce], known: bool) {
        self.applied_forces.fill(Force::default());
        self.passive.fill(0.0);
        self.figure.forest().add_passive_forces(&self.q, &self.v, &mut self.passive);
        self.applied_tau.copy_from_slice(&self.passive);
        self.applied_wrench = Force::default();
        let forest = self.figure.forest();
        for force in applied.iter().filter(|o| o.is_known || !known) {
            let place = forest.link_place(force.link);
            let pose = self.now.kinematics.body_pose(place.body);
            let arm = pose.rotation.mul(place.body_from_link.point(force.point));
            self.applied_forces[place.body.index()] += Force::at_point(force.force, arm);
            self.applied_wrench += Force::at_point(force.force, pose.translation + arm - self.now.com);
            let mut jacobian = BodyJacobian::new(forest, place.body);
            jacobian.update(forest, &self.now);
            for (k, h) in self.applied_tau.iter_mut().enumerate() {
                *h += jacobian.of_point(k, arm).dot(force.force);
            }
        }
    }

    /// Friction cones of the active contacts. Among forces with the same motion the solver minimises sum eps_i |f_i|^2, so
    /// loads go as 1 / eps_i as far as balance allows: eps is divided by the load share of the point, parts of an even share.
    fn collect_contacts(&mut self, reference: &ReferenceSample) {
        let weight = self.weight();
        let eps = self.gains.force_weight / (weight * weight);
        let active = || self.limbs.iter().flat_map(|l| &l.contacts).filter(|c| c.is_active);
        // load share of an active point, and its mean
        let share = |c: &ContactState| {
            let points = active().filter(|other| other.contact_point == c.contact_point).count();
            reference.load_share.get(c.contact_point).map_or(0.0, |s| s.max(0.0) / points as f64)
        };
        let mean = active().map(share).sum::<f64>() / active().count().max(1) as f64;
        self.contacts.clear();
        for (l, limb) in self.limbs.iter().enumerate() {
            for (n, c) in limb.contacts.iter().enumerate().filter(|(_, c)| c.is_active) {
                let mut eps = eps * (1.0 + RELEASE_COST * (1.0 - c.holding()));
                if mean > 0.0 {
                    eps /= (share(c) / mean).max(MIN_LOAD_SHARE);
                }
                let cone = Cone { normal: c.floor.normal(), friction: self.friction, eps };
                self.contacts.push(ActiveContact { limb: l, contact: n, at: c.now.at, cone });
            }
        }
    }
}

/// Number of internal steps between frames `dt` apart.
pub(super) fn steps_per_frame(dt: f64) -> usize {
    (dt / MAX_STEP - 1e-9).ceil().max(1.0) as usize
}

/// Rejects joints on the world other than the free root: nothing drives them.
fn reject_world_joints(figure: &Figure) -> Result<(), Error> {
    let forest = figure.forest();
    let is_undriven = |j: JointHandle| {
        let mut bodies = forest.bodies().iter().skip(1).filter(|b| b.parent == BodyIx::WORLD);
        bodies.any(|b| b.joint != BodyJoint::Free && b.dofs().start == forest.joint_place(j).iv)
    };
    match figure.joints().find(|(j, _)| is_undriven(*j)) {
        Some((_, joint)) => {
            let what = "this joint on the world is not driven; the filter needs fixed surroundings".into();
            Err(Error::Unsuitable { subject: joint.name.clone(), what })
        }
        None => Ok(()),
    }
}
