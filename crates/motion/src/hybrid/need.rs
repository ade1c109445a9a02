//! What a motion needs: forces on all coordinates, and how ground and joints share them.
//!
//! Computes  need = M a + h - passive  of the assumed figure (all rows, the root's too), then ground forces f at the
//! points that stand that explain the six rows of the root, and torques  tau = need - J^T f  on the joints.
//! Source: [L1992 §9.5], inverse dynamics as the estimate of torques; the split over the ground is `split`.
//! We differ: the thesis gives the force on the base by hand (eq. 9.13); here the motion of the base is wanted, and the
//! ground is asked for the force. First inside the friction cones; what they cannot give, by the least forces whatever
//! their direction. What even these cannot give (two points leave a moment free, flight all six rows) moves the base, as
//! in the thesis, and torques are those that keep the joints at their accelerations all the same; it is told.
//! Checked by: `crates/io/tests/hybrid.rs`.

use super::course::Course;
use super::stand::Stand;
use crate::error::Error;
use crate::filter::dense::{Normal, sum_of_products};
use crate::filter::terms::Terms;
use crate::inverse::root_of;
use crate::split::{Point, Splitter, balance_rows};
use anthropi_dynamics::algo::{crba, rnea};
use anthropi_dynamics::model::{BodyIx, Figure};
use anthropi_dynamics::spatial::{Force, Vec3, vec3};

/// mu of the least forces, parts of the largest entry, and rounds that take it out again.
const SOFT: f64 = 1e-9;
const ROUNDS: usize = 4;
/// Less than this part of the weight moves no base.
const UNMOVED: f64 = 1e-9;
/// Moments compare to forces by this part of the height of the centre of mass above what stands.
const LENGTH: f64 = 0.5;

/// Finds torques for motions of one figure.
#[derive(Clone, Debug)]
pub(super) struct Needs<'a> {
    figure: &'a Figure,
    friction: f64,
    pub root: BodyIx,
    pub root_iv: usize,
    terms: Terms,
    work: rnea::Work,
    stand: Stand,
    splitter: Splitter,
    normal: Normal,
    points: Vec<Point>,
    forces: Vec<Vec3>,
    passive: Vec<f64>,
}

impl<'a> Needs<'a> {
    /// For a figure that is free and has no connections.
    pub fn new(figure: &'a Figure, friction: f64) -> Result<Needs<'a>, Error> {
        let forest = figure.forest();
        let joint = root_of(figure)?;
        if !forest.loops().is_empty() {
            let what = "it has connections that close loops; cut them first".into();
            return Err(Error::Unsuitable { subject: figure.name.clone(), what });
        }
        let child = figure.joint(joint)?.child();
        Ok(Needs {
            figure,
            friction,
            root: forest.link_place(child).body,
            root_iv: forest.joint_place(joint).iv,
            terms: Terms::default(),
            work: rnea::Work::default(),
            stand: Stand::default(),
            splitter: Splitter::default(),
            normal: Normal::default(),
            points: Vec::new(),
            forces: Vec::new(),
            passive: vec![0.0; forest.nv()],
        })
    }

    /// M a + h - passive, all rows.
    pub fn of(&mut self, q: &[f64], v: &[f64], a: &[f64], need: &mut [f64]) {
        let forest = self.figure.forest();
        rnea::inverse_dynamics(forest, q, v, a, None, &mut self.work, need);
        self.passive.fill(0.0);
        forest.add_passive_forces(q, v, &mut self.passive);
        need.iter_mut().zip(&self.passive).for_each(|(n, p)| *n -= p);
    }

    /// What forces at points that stand do at a state: tau += scale J^T f.
    pub fn add_forces(
        &mut self,
        course: &Course,
        [q, v]: [&[f64]; 2],
        on: &[bool],
        (forces, scale): (&[Vec3], f64),
        tau: &mut [f64],
    ) {
        self.terms.follow(self.figure.forest(), q, v, &vec![0.0; v.len()]);
        self.stand.update(self.figure, &self.terms, &course.points, on);
        self.stand.add_forces(forces, scale, tau);
    }

    /// Turns what is needed at an instant of a course into torques: the root's rows are given by the ground and become
    /// zero. Returns the force that no point can give, N; moments count by a length.
    pub fn share(&mut self, course: &Course, n: usize, need: &mut [f64]) -> f64 {
        let forest = self.figure.forest();
        let i = &course.instants[n];
        self.terms.follow(forest, &i.q, &i.v, &i.a);
        self.stand.update(self.figure, &self.terms, &course.points, &i.on);
        let wanted = self.terms.root_wrench(forest, self.root, need);
        let friction = self.friction;
        self.points.clear();
        self.points.extend(self.stand.moving.iter().map(|m| Point { at: m.at, normal: UP, friction }));
        let center = self.terms.center;
        let low = self.points.iter().map(|p| p.at.z).fold(f64::INFINITY, f64::min);
        let length = if low.is_finite() { (LENGTH * (center.z - low)).max(0.05) } else { 0.5 };
        let weight = (self.figure.mass() * forest.gravity().norm()).max(1e-3);
        let split = self.splitter.split(wanted, center, &self.points, [weight, length], &mut self.forces);
        let missing = self.add_least(split.missing, center, length);
        let missing = missing.linear.norm() + missing.angular.norm() / length;
        self.stand.add_forces(&self.forces, -1.0, need);
        if missing > UNMOVED * weight {
            self.let_base_move(&i.q, need);
        }
        need[self.root_iv..self.root_iv + 6].fill(0.0);
        missing
    }

    /// What is left in the root's rows moves the root: M_bb a' = J_b^T f' - left with J_b a' = 0, the points on the ground
    /// staying where they are; joints get what lets them accelerate as wanted all the same.
    fn let_base_move(&mut self, q: &[f64], need: &mut [f64]) {
        let (forest, iv, nv) = (self.figure.forest(), self.root_iv, need.len());
        let (mut work, mut mass) = (crba::Work::default(), crba::PathMatrix::default());
        crba::mass_matrix(forest, q, &mut work, &mut mass);
        let dense = mass.to_dense(forest);
        let mut base = Normal::default();
        let base = symmetric(&mut base, 6, 0.0, |i, j| dense[iv + i][iv + j]);
        let rows: Vec<&[f64]> = self.stand.rows.iter().map(|r| &r[iv..iv + 6]).collect();
        let mut answers: Vec<Vec<f64>> = rows.iter().map(|r| r.to_vec()).collect();
        answers.iter_mut().for_each(|x| solve(base, x));
        let gram = |i: usize, j: usize| sum_of_products(rows[i], &answers[j]);
        let m = rows.len();
        let held = symmetric(&mut self.normal, m, SOFT, gram);
        let mut move_base: Vec<f64> = need[iv..iv + 6].iter().map(|x| -x).collect();
        solve(base, &mut move_base);
        let mut forces = vec![0.0; m];
        for _ in 0..ROUNDS {
            let mut more: Vec<f64> = rows.iter().map(|r| -sum_of_products(r, &move_base)).collect();
            solve(held, &mut more);
            for (y, x) in more.iter().zip(&answers) {
                move_base.iter_mut().zip(x).for_each(|(a, x)| *a += y * x);
            }
            forces.iter_mut().zip(&more).for_each(|(f, y)| *f += y);
        }
        for k in 0..nv {
            need[k] += sum_of_products(&dense[k][iv..iv + 6], &move_base);
            need[k] -= (0..m).map(|r| self.stand.rows[r][k] * forces[r]).sum::<f64>();
        }
    }

    /// Adds the least forces that give a wrench; returns what they cannot give.
    fn add_least(&mut self, wanted: Force, center: Vec3, length: f64) -> Force {
        if self.points.is_empty() {
            return wanted;
        }
        // W: six rows, three columns a point, moments over the length
        let columns: Vec<[Vec3; 6]> =
            self.points.iter().map(|p| balance_rows((p.at - center).scale(1.0 / length))).collect();
        let row = |r: usize| columns.iter().flat_map(move |c| c[r].to_array()).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = (0..6).map(row).collect();
        let normal = symmetric(&mut self.normal, 6, SOFT, |i, j| sum_of_products(&rows[i], &rows[j]));
        let mut left = wanted;
        for _ in 0..ROUNDS {
            let mut y = Force::new(left.angular.scale(1.0 / length), left.linear).to_array();
            solve(normal, &mut y);
            for ((f, c), p) in self.forces.iter_mut().zip(&columns).zip(&self.points) {
                let own = (0..6).fold(Vec3::ZERO, |sum, r| sum + c[r].scale(y[r]));
                *f += own;
                left -= Force::new((p.at - center).cross(own), own);
            }
        }
        left
    }
}

/// The factor of a symmetric matrix, with a part of its largest entry added to its diagonal.
fn symmetric(into: &mut Normal, n: usize, soft: f64, entry: impl Fn(usize, usize) -> f64) -> &Normal {
    into.clear(n);
    let largest = (0..n).map(|i| entry(i, i)).fold(0.0, f64::max);
    for i in 0..n {
        (i..n).for_each(|j| into.add_at(i, j, entry(i, j)));
        into.add_at(i, i, soft * largest);
    }
    into.factor();
    into
}

fn solve(factor: &Normal, x: &mut [f64]) {
    factor.solve_transposed(x);
    factor.solve_upper(x);
}

const UP: Vec3 = vec3(0.0, 0.0, 1.0);
