//! Forward dynamics of the real figure under given torques, with constrained contacts.
//!
//! Computes at each step  M a = tau + tau_PD + passive - h + J^T f  with  J a = target  at the contacts, then v += a dt,
//! q (+)= v dt. At a landing, v changes by M^-1 J^T p with the impulse p that stops the points.
//! The feedback is implicit, kp (q* - q+) + kd (v* - v+), so that light limbs do not oscillate: M + dt kd + dt^2 kp
//! replaces M, except in the impulse.
//! Contacts are held at their landing positions (a spring and damper of rate `CONTACT_RATE` removes drift), or follow the
//! desired motion ([`ContactHold`]).
//! Source: [L1992 §9.5], direct dynamics under estimated torques. We differ: contacts are constraints, where the thesis has
//! the spring of its virtual leg (`virtual_leg`).
//! The four corners of a sole are redundant: (J M^-1 J^T + mu) f = r, refined to remove mu, gives the minimum-norm forces.
//! The constraints are bilateral; `contact_check` counts forces that a contact cannot provide.
//! Cost: one CRBA and a dense Cholesky factorisation of the rows per step.

use super::contact_rows::ContactRows;
use super::desired_motion::{self, DesiredMotion};
use crate::error::Error;
use crate::filter::dynamics_terms::{DynamicsTerms, PointMotion, integrate};
use crate::filter::normal_equations::{NormalEquations, sum_of_products};
use crate::pose;
use anthropi_dynamics::algo::{crba, ltl};
use anthropi_dynamics::model::{BodyIx, Figure};
use anthropi_dynamics::spatial::Vec3;

/// Targets of points in contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactHold {
    /// their positions at landing
    AtLanding,
    /// their desired motion; filtered motions creep by fractions of a millimetre
    #[default]
    Desired,
}

/// Critically damped rate at which contacts return to their targets, 1/s: slow relative to a time step of 1 ms, fast
/// relative to a step of a walk.
const CONTACT_RATE: f64 = 60.0;
/// mu, parts of the largest entry of J M^-1 J^T, and refinement rounds that remove it. The corners of a rotated sole
/// contradict each other in second order; mu bounds the resulting internal forces.
const DAMPING: f64 = 1e-7;
const REFINEMENTS: usize = 3;
/// Error at which a run has diverged, rad or m.
const MAX_ERROR: f64 = 3.0;

/// Weak joint feedback.
#[derive(Clone, Debug, Default)]
pub(super) struct Feedback {
    /// by degree of freedom, N m / rad; zero for the root
    pub stiffness: Vec<f64>,
    /// by degree of freedom, N m s / rad
    pub damping: Vec<f64>,
}

/// A simulated run, by sample.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    pub q: Vec<Vec<f64>>,
    pub v: Vec<Vec<f64>>,
    pub a: Vec<Vec<f64>>,
    /// feedback torques
    pub feedback_torque: Vec<Vec<f64>>,
    /// forces and positions of the points in contact, in order
    pub forces: Vec<Vec<Vec3>>,
    pub at: Vec<Vec<Vec3>>,
    /// displacement to the desired pose
    pub error: Vec<Vec<f64>>,
    /// whether it diverged before the end
    pub has_diverged: bool,
}

/// Simulation of the real figure.
#[derive(Clone, Debug)]
pub(super) struct ForwardSimulation<'a> {
    figure: &'a Figure,
    root: BodyIx,
    hold: ContactHold,
    desired: &'a DesiredMotion,
    /// desired motion of the points, by sample
    path: Vec<Vec<PointMotion>>,
    anchors: Vec<Option<Vec3>>,
}

/// Dynamics at a state: M (or M plus a diagonal) and J, factored.
struct ConstrainedDynamics {
    /// joint forces for a = 0
    h: Vec<f64>,
    contacts: ContactRows,
    mass: ltl::Factor,
    /// M^-1 J^T, by row of J
    responses: Vec<Vec<f64>>,
    /// J M^-1 J^T, row by row, and its damped factor
    gram: Vec<f64>,
    normal: NormalEquations,
}

impl<'a> ForwardSimulation<'a> {
    pub fn new(
        figure: &'a Figure,
        root: BodyIx,
        desired: &'a DesiredMotion,
        hold: ContactHold,
    ) -> ForwardSimulation<'a> {
        let mut terms = DynamicsTerms::default();
        let motions = |n| desired.point_motions(figure.forest(), n, &mut terms);
        let path = (0..desired.samples.len()).map(motions).collect();
        ForwardSimulation { figure, root, hold, desired, path, anchors: Vec::new() }
    }

    /// Simulates a run under torques (by sample; zero for the root) and feedback.
    pub fn run(&mut self, torques: &[Vec<f64>], feedback: &Feedback) -> Result<Run, Error> {
        let (forest, desired) = (self.figure.forest(), self.desired);
        let (nv, dt) = (forest.nv(), desired.dt);
        let implicit_diagonal: Vec<f64> =
            feedback.stiffness.iter().zip(&feedback.damping).map(|(k, d)| dt * d + dt * dt * k).collect();
        let mut run = Run::default();
        let (mut q, mut v) = (desired.samples[0].q.clone(), desired.samples[0].v.clone());
        self.anchors = vec![None; desired.points.len()];
        let mut before = vec![false; desired.points.len()];
        let (mut delta, mut passive) = (vec![0.0; nv], vec![0.0; nv]);
        for (n, sample) in desired.samples.iter().enumerate() {
            let is_landing = sample.on.iter().zip(&before).any(|(on, was)| *on && !was);
            let dynamics = match self.prepare(n, is_landing, (&q, &mut v), &implicit_diagonal) {
                Err(e) if n == 0 => return Err(e),
                Err(_) => {
                    run.has_diverged = true;
                    break;
                }
                Ok(dynamics) => dynamics,
            };
            before.clone_from(&sample.on);
            pose::difference(forest, &q, &sample.q, &mut delta);
            let mut feedback_torque: Vec<f64> = (0..nv)
                .map(|k| {
                    let speed = sample.v[k] + dt * sample.a[k] - v[k];
                    feedback.stiffness[k] * (delta[k] + dt * speed) + feedback.damping[k] * speed
                })
                .collect();
            passive.fill(0.0);
            forest.add_passive_forces(&q, &v, &mut passive);
            let mut a: Vec<f64> =
                (0..nv).map(|k| torques[n][k] + feedback_torque[k] + passive[k] - dynamics.h[k]).collect();
            dynamics.mass.solve(forest, &mut a);
            let forces = dynamics.constrain(&self.targets(n, &dynamics.contacts), &mut a);
            (0..nv).for_each(|k| feedback_torque[k] -= implicit_diagonal[k] * a[k]);
            if a.iter().any(|a| !a.is_finite()) {
                if n == 0 {
                    return Err(Error::ImplausibleForces { clip: desired_motion::NAME.into(), frame: 0 });
                }
                run.has_diverged = true;
                break;
            }
            run.q.push(q.clone());
            run.v.push(v.clone());
            run.feedback_torque.push(feedback_torque);
            run.forces.push(forces);
            run.at.push(dynamics.contacts.motions.iter().map(|m| m.at).collect());
            run.error.push(delta.clone());
            integrate(forest, &mut q, &mut v, &a, dt);
            run.a.push(a);
            let is_near = delta.iter().all(|x| x.abs() < MAX_ERROR);
            if !(is_near && q.iter().chain(&v).all(|x| x.is_finite())) {
                run.has_diverged = true;
                break;
            }
        }
        Ok(run)
    }

    /// Dynamics of a step, after the impulse of a landing.
    fn prepare(
        &mut self,
        n: usize,
        is_landing: bool,
        (q, v): (&[f64], &mut [f64]),
        implicit_diagonal: &[f64],
    ) -> Result<ConstrainedDynamics, Error> {
        let on = &self.desired.samples[n].on;
        self.anchors.iter_mut().zip(on).for_each(|(anchor, on)| *anchor = anchor.filter(|_| *on));
        if is_landing {
            // the impulse gives all contacts their target velocities
            let dynamics = self.dynamics(n, q, v, None)?;
            let ContactRows { indices, motions, .. } = &dynamics.contacts;
            for (point, now) in indices.iter().zip(motions) {
                self.anchors[*point].get_or_insert(now.at);
            }
            let target = |(k, now)| self.target(n, k, now).velocity.to_array();
            let targets: Vec<f64> = indices.iter().zip(motions).flat_map(target).collect();
            dynamics.constrain(&targets, v);
        }
        self.dynamics(n, q, v, Some(implicit_diagonal))
    }

    /// Dynamics at a state, of M or of M plus a diagonal.
    fn dynamics(
        &self,
        n: usize,
        q: &[f64],
        v: &[f64],
        diagonal: Option<&[f64]>,
    ) -> Result<ConstrainedDynamics, Error> {
        let forest = self.figure.forest();
        let mut terms = DynamicsTerms::default();
        terms.update(forest, self.root, q, v);
        let contacts = ContactRows::new(forest, &terms, self.desired, n);
        let (mut matrix, mut mass) = (crba::PathMatrix::default(), ltl::Factor::default());
        crba::mass_matrix(forest, q, &mut crba::Work::default(), &mut matrix);
        if let Some(diagonal) = diagonal {
            matrix.add_diagonal(forest, diagonal);
        }
        mass.compute(forest, &matrix)?;
        let m = contacts.rows.len();
        let mut responses = contacts.rows.clone();
        responses.iter_mut().for_each(|x| mass.solve(forest, x));
        let mut gram = vec![0.0; m * m];
        for i in 0..m {
            for j in i..m {
                let x = sum_of_products(&contacts.rows[i], &responses[j]);
                (gram[i * m + j], gram[j * m + i]) = (x, x);
            }
        }
        let mut normal = NormalEquations::default();
        normal.factor_matrix(m, DAMPING, |i, j| gram[i * m + j]);
        Ok(ConstrainedDynamics { h: terms.h, contacts, mass, responses, gram, normal })
    }

    /// Target of a contact.
    fn target(&self, n: usize, point: &usize, now: &PointMotion) -> PointMotion {
        match self.hold {
            ContactHold::AtLanding => {
                PointMotion { at: self.anchors[*point].unwrap_or(now.at), ..PointMotion::default() }
            }
            ContactHold::Desired => self.path[n][*point],
        }
    }

    /// Target accelerations of the contacts.
    fn targets(&self, n: usize, contacts: &ContactRows) -> Vec<f64> {
        let each = contacts.indices.iter().zip(&contacts.motions).flat_map(|(point, now)| {
            let to = self.target(n, point, now);
            let back = (to.velocity - now.velocity).scale(2.0 * CONTACT_RATE)
                + (to.at - now.at).scale(CONTACT_RATE * CONTACT_RATE);
            (to.acceleration + back - now.acceleration).to_array()
        });
        each.collect()
    }
}

impl ConstrainedDynamics {
    /// x := x + M^-1 J^T f with the minimum-norm f that makes J x the target; returns f by point.
    fn constrain(&self, targets: &[f64], x: &mut [f64]) -> Vec<Vec3> {
        let m = targets.len();
        let rows = &self.contacts.rows;
        let right: Vec<f64> = (0..m).map(|i| targets[i] - sum_of_products(&rows[i], x)).collect();
        let mut f = vec![0.0; m];
        for _ in 0..REFINEMENTS {
            let left = |i: usize| right[i] - sum_of_products(&self.gram[i * m..(i + 1) * m], &f);
            let mut more: Vec<f64> = (0..m).map(left).collect();
            self.normal.solve(&mut more);
            f.iter_mut().zip(&more).for_each(|(f, y)| *f += y);
        }
        for (f, answer) in f.iter().zip(&self.responses) {
            x.iter_mut().zip(answer).for_each(|(x, y)| *x += f * y);
        }
        f.chunks_exact(3).map(|f| pose::triple(f, 0)).collect()
    }
}
