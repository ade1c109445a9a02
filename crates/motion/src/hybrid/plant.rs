//! Direct dynamics of the real figure along a course: torques in, motion and ground forces out.
//!
//! Computes at each step  M a = tau + tau_PD + passive - h + J^T f  with  J a = target  at the points that stand, then
//! v += a dt, q (+)= v dt. Where contact begins, v changes by M^-1 J^T p with the impulse p that stops the points.
//! Feedback acts at the end of the step, kp (q* - q+) + kd (v* - v+), so that light limbs cannot ring: M + dt kd + dt^2 kp
//! takes the place of M, but not in the impulse.
//! Targets are those of points held at their place (a spring and damper in the acceleration, of rate `RATE`, takes
//! out drift), or on the path the course gives them ([`Hold`]).
//! Source: [L1992 §9.5], direct dynamics under estimated torques. We differ: contact is held rigidly, by rows, where the
//! thesis has the spring of its virtual leg (`virtual_leg`).
//! Four corners of a sole are redundant: (J M^-1 J^T + mu) f = r, refined until mu is out of it; the least forces.
//! Rows hold both ways: whether the ground could give their forces is judged afterwards (`ground`).
//! Cost: one CRBA and a dense Cholesky of the rows a step.

use super::course::{self, Course};
use super::stand::Stand;
use crate::error::Error;
use crate::filter::dense::{Normal, sum_of_products};
use crate::filter::terms::{Moving, Terms};
use crate::pose;
use anthropi_dynamics::algo::{crba, ltl};
use anthropi_dynamics::model::{BodyIx, Figure};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::Vec3;

/// How points that stand are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// where they were when contact began
    Still,
    /// where the course has them: still, if the course is; a course of the filter creeps by parts of a millimetre
    #[default]
    Along,
}

/// Rate at which points come back to where they are held, 1/s; critically damped. Slow against a step of 1 ms, fast
/// against a step of a walk.
const RATE: f64 = 60.0;
/// mu, parts of the largest entry of J M^-1 J^T, and rounds that take it out again. Corners of a sole that is off its
/// path by a turn contradict each other in second order; mu bounds the forces by which they do, and these add up to none.
const SOFT: f64 = 1e-7;
const ROUNDS: usize = 3;
/// A figure this far off, rad or m, is lost.
const LOST: f64 = 3.0;

/// Weak feedback on the joints.
#[derive(Clone, Debug, Default)]
pub(super) struct Feedback {
    /// N m / rad, by degree of freedom; zero for the root
    pub stiffness: Vec<f64>,
    /// N m s / rad
    pub damping: Vec<f64>,
}

/// A run: everything by instant.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    pub q: Vec<Vec<f64>>,
    pub v: Vec<Vec<f64>>,
    pub a: Vec<Vec<f64>>,
    /// torque of the feedback
    pub fed_back: Vec<Vec<f64>>,
    /// forces at the points that stand, in their order, and where they are
    pub forces: Vec<Vec<Vec3>>,
    pub at: Vec<Vec<Vec3>>,
    /// way to the pose wanted
    pub error: Vec<Vec<f64>>,
    /// whether it ended before the course did
    pub is_lost: bool,
}

/// The real figure.
#[derive(Clone, Debug)]
pub(super) struct Plant<'a> {
    figure: &'a Figure,
    root: BodyIx,
    hold: Hold,
    /// where the course has its points, by instant
    path: Vec<Vec<Moving>>,
    anchors: Vec<Option<Vec3>>,
    terms: Terms,
    stand: Stand,
    mass: crba::PathMatrix,
    work: crba::Work,
    factor: ltl::Factor,
    normal: Normal,
    /// M^-1 J^T, by row of J
    answers: Vec<Vec<f64>>,
    gram: Vec<f64>,
}

impl<'a> Plant<'a> {
    pub fn new(figure: &'a Figure, root: BodyIx, course: &Course, hold: Hold) -> Plant<'a> {
        let mut terms = Terms::default();
        let mut path = Vec::with_capacity(course.instants.len());
        for n in 0..course.instants.len() {
            let mut points = Vec::new();
            course.moving(figure, n, &mut terms, &mut points);
            path.push(points);
        }
        Plant {
            figure,
            root,
            hold,
            path,
            anchors: Vec::new(),
            terms,
            stand: Stand::default(),
            mass: crba::PathMatrix::default(),
            work: crba::Work::default(),
            factor: ltl::Factor::default(),
            normal: Normal::default(),
            answers: Vec::new(),
            gram: Vec::new(),
        }
    }

    /// Runs along the course under torques (by instant, all coordinates; the root's are zero) and feedback.
    pub fn run(&mut self, course: &Course, torques: &[Vec<f64>], feedback: &Feedback) -> Result<Run, Error> {
        let forest = self.figure.forest();
        let (nv, dt) = (forest.nv(), course.dt);
        let viscous: Vec<f64> =
            feedback.stiffness.iter().zip(&feedback.damping).map(|(k, d)| dt * d + dt * dt * k).collect();
        let mut run = Run::default();
        let (mut q, mut v) = (course.instants[0].q.clone(), course.instants[0].v.clone());
        self.anchors = vec![None; course.points.len()];
        let mut before = vec![false; course.points.len()];
        let (mut way, mut passive) = (vec![0.0; nv], vec![0.0; nv]);
        for (n, instant) in course.instants.iter().enumerate() {
            let begins = instant.on.iter().zip(&before).any(|(on, was)| *on && !was);
            if let Err(e) = self.prepare(n, begins, course, (&q, &mut v), &viscous) {
                if n == 0 {
                    return Err(e);
                }
                run.is_lost = true;
                break;
            }
            before.clone_from(&instant.on);
            pose::difference(forest, &q, &instant.q, &mut way);
            let mut fed_back: Vec<f64> = (0..nv)
                .map(|k| {
                    let speed = instant.v[k] + dt * instant.a[k] - v[k];
                    feedback.stiffness[k] * (way[k] + dt * speed) + feedback.damping[k] * speed
                })
                .collect();
            passive.fill(0.0);
            forest.add_passive_forces(&q, &v, &mut passive);
            let mut a: Vec<f64> =
                (0..nv).map(|k| torques[n][k] + fed_back[k] + passive[k] - self.terms.h[k]).collect();
            self.factor.solve(forest, &mut a);
            let targets = self.targets(n);
            let forces = self.held(&targets, &mut a);
            (0..nv).for_each(|k| fed_back[k] -= viscous[k] * a[k]);
            if a.iter().any(|a| !a.is_finite()) {
                if n == 0 {
                    return Err(Error::Absurd { clip: course::NAME.into(), frame: 0 });
                }
                run.is_lost = true;
                break;
            }
            run.q.push(q.clone());
            run.v.push(v.clone());
            run.fed_back.push(fed_back);
            run.forces.push(forces);
            run.at.push(self.stand.moving.iter().map(|m| m.at).collect());
            run.error.push(way.clone());
            v.iter_mut().zip(&a).for_each(|(v, a)| *v += a * dt);
            advance(forest, &mut q, &v, dt);
            run.a.push(a);
            let is_near = way.iter().all(|x| x.abs() < LOST);
            if !(is_near && q.iter().chain(&v).all(|x| x.is_finite())) {
                run.is_lost = true;
                break;
            }
        }
        Ok(run)
    }

    /// All for a step, after the impulse of contact that begins.
    fn prepare(
        &mut self,
        n: usize,
        begins: bool,
        course: &Course,
        (q, v): (&[f64], &mut [f64]),
        viscous: &[f64],
    ) -> Result<(), Error> {
        let on = &course.instants[n].on;
        if begins {
            self.at(q, v, course, on, None)?;
            self.begin(n, v);
        }
        self.at(q, v, course, on, Some(viscous))
    }

    /// Terms, rows and factors at a state, of M or of M and a diagonal.
    fn at(
        &mut self,
        q: &[f64],
        v: &[f64],
        course: &Course,
        on: &[bool],
        diagonal: Option<&[f64]>,
    ) -> Result<(), Error> {
        let forest = self.figure.forest();
        self.terms.update(forest, self.root, q, v);
        self.stand.update(self.figure, &self.terms, &course.points, on);
        for (n, anchor) in self.anchors.iter_mut().enumerate() {
            *anchor = anchor.filter(|_| on[n]);
        }
        crba::mass_matrix(forest, q, &mut self.work, &mut self.mass);
        if let Some(diagonal) = diagonal {
            self.mass.add_diagonal(forest, diagonal);
        }
        self.factor.compute(forest, &self.mass)?;
        let m = self.stand.rows.len();
        self.answers.clone_from(&self.stand.rows);
        self.answers.iter_mut().for_each(|x| self.factor.solve(forest, x));
        self.gram.clear();
        self.gram.resize(m * m, 0.0);
        let mut largest = 0.0f64;
        for i in 0..m {
            for j in i..m {
                let x = sum_of_products(&self.stand.rows[i], &self.answers[j]);
                (self.gram[i * m + j], self.gram[j * m + i]) = (x, x);
            }
            largest = largest.max(self.gram[i * m + i]);
        }
        self.normal.clear(m);
        for i in 0..m {
            (i..m).for_each(|j| self.normal.add_at(i, j, self.gram[i * m + j]));
            self.normal.add_at(i, i, SOFT * largest);
        }
        self.normal.factor();
        Ok(())
    }

    /// Contact begins: the impulse that gives all points that stand the velocity they are held to.
    fn begin(&mut self, n: usize, v: &mut [f64]) {
        for (k, &which) in self.stand.which.iter().enumerate() {
            self.anchors[which].get_or_insert(self.stand.moving[k].at);
        }
        let wanted = self.stand.which.iter().map(|&which| match self.hold {
            Hold::Still => Vec3::ZERO,
            Hold::Along => self.path[n][which].velocity,
        });
        let targets: Vec<f64> = wanted.flat_map(|w| w.to_array()).collect();
        self.held(&targets, v);
    }

    /// How the points that stand are to accelerate.
    fn targets(&self, n: usize) -> Vec<f64> {
        let each = self.stand.which.iter().zip(&self.stand.moving).flat_map(|(&which, now)| {
            let to = match self.hold {
                Hold::Still => Moving { at: self.anchors[which].unwrap_or(now.at), ..Moving::default() },
                Hold::Along => self.path[n][which],
            };
            let back = (to.velocity - now.velocity).scale(2.0 * RATE) + (to.at - now.at).scale(RATE * RATE);
            (to.acceleration + back - now.acceleration).to_array()
        });
        each.collect()
    }

    /// x := x + M^-1 J^T f with the least f that makes J x the target; returns f by point.
    fn held(&self, targets: &[f64], x: &mut [f64]) -> Vec<Vec3> {
        let m = targets.len();
        let rows = &self.stand.rows;
        let right: Vec<f64> = (0..m).map(|i| targets[i] - sum_of_products(&rows[i], x)).collect();
        let mut f = vec![0.0; m];
        for _ in 0..ROUNDS {
            let left = |i: usize| right[i] - sum_of_products(&self.gram[i * m..(i + 1) * m], &f);
            let mut more: Vec<f64> = (0..m).map(left).collect();
            self.normal.solve_transposed(&mut more);
            self.normal.solve_upper(&mut more);
            f.iter_mut().zip(&more).for_each(|(f, y)| *f += y);
        }
        for (f, answer) in f.iter().zip(&self.answers) {
            x.iter_mut().zip(answer).for_each(|(x, y)| *x += f * y);
        }
        f.chunks_exact(3).map(|f| Vec3 { x: f[0], y: f[1], z: f[2] }).collect()
    }
}
