//! Generalized-coordinate view of closed chains: independent coordinates, and the dependent ones as their functions.
//!
//! Computes  J_C, its rank m, N_F = N_J - m, a choice of theta_G, and  H = d theta_S / d theta_G,  W = d theta_O / d theta_G,
//! S = d theta_A / d theta_G,  the term H-dot theta_G-dot.
//! Source: [NY2000 eq. 9-21].
//! We differ: theta_S is found by Gauss-Jordan elimination with full pivoting on J_C, which gives rank, choice and H in one
//! pass; undriven coordinates are preferred as dependent ones, and an earlier choice is kept while its pivots are large
//! enough (hysteresis). Columns are our degrees of freedom (angular part first), then those of the connections.
//! Not here: dynamics on these matrices (`generalized`).
//! Checked by: `tests/it/closure.rs` (null space of J_C, [NY2000 §VII-A] by hand, differences in time).

use super::rows::Ends;
use super::solve::ends;
use crate::algo::{fit, fk::Kinematics, jacobian};
use crate::error::Error;
use crate::joint::{Slide, Turn};
use crate::model::{Figure, Forest, Loop};
use crate::spatial::{Motion, Vec3};

/// A pivot smaller than this part of the largest entry of J_C is zero.
const DEPENDENT: f64 = 1e-9;
/// Weight of a driven coordinate's pivot in the choice of dependent coordinates.
const DRIVEN: f64 = 1e-2;
/// Weight of the pivot of a coordinate that was not dependent before.
const NEWCOMER: f64 = 1e-3;
/// Rows of a connection in J_C.
const ROWS: usize = 6;

/// Dependent and generalized coordinates of a closed chain at a pose. Coordinates are numbered as the degrees of freedom
/// of the tree (theta_O), then those of the connections in the order of [`Forest::loops`].
#[derive(Clone, Debug, Default)]
pub struct Closure {
    columns: usize,
    tree: usize,
    dependent: Vec<usize>,
    generalized: Vec<usize>,
    /// by dependent, then by generalized coordinate
    h: Vec<f64>,
    /// H-dot theta_G-dot, by dependent coordinate [NY2000 eq. 21]
    rate: Vec<f64>,
    /// J_C with the bias as last column, reduced in place
    rows: Vec<f64>,
    kinematics: Kinematics,
    ja: Vec<Motion>,
    jb: Vec<Motion>,
    pivot_of: Vec<Option<usize>>,
    was_dependent: Vec<bool>,
}

impl Closure {
    /// Finds rank, choice and H at a pose and velocity.
    ///
    /// `is_driven` marks actuated coordinates (missing entries are false). `forced` are coordinates that must be
    /// generalized ones.
    ///
    /// # Errors
    /// Dependent forced coordinates.
    pub fn compute(
        &mut self,
        figure: &Figure,
        q: &[f64],
        v: &[f64],
        is_driven: &[bool],
        forced: &[usize],
    ) -> Result<(), Error> {
        let forest = figure.forest();
        self.was_dependent.clear();
        self.was_dependent.resize(self.columns, false);
        self.dependent.iter().for_each(|c| self.was_dependent[*c] = true);
        let keeps_choice = self.columns == columns(forest) && !self.dependent.is_empty();
        self.fill(forest, q, v);
        let weight = |c: usize| {
            let driven = if is_driven.get(c).copied().unwrap_or(false) { DRIVEN } else { 1.0 };
            let newcomer = if keeps_choice && !self.was_dependent[c] { NEWCOMER } else { 1.0 };
            if forced.contains(&c) { 0.0 } else { driven * newcomer }
        };
        let weights: Vec<f64> = (0..self.columns).map(weight).collect();
        let left = self.reduce(&weights);
        if left > 0 {
            let names = figure.coordinate_names();
            let names: Vec<&str> = forced.iter().filter_map(|c| names.get(*c)).map(String::as_str).collect();
            let rank = self.dependent.len() + left;
            return Err(Error::DependentChoice { names: names.join(", "), rank, free: self.columns - rank });
        }
        self.read_off();
        Ok(())
    }

    /// Rank of J_C: the number of dependent coordinates.
    pub fn rank(&self) -> usize {
        self.dependent.len()
    }

    /// Degrees of freedom of the closed chain: N_F.
    pub fn free(&self) -> usize {
        self.generalized.len()
    }

    /// All coordinates, N_J.
    pub fn total(&self) -> usize {
        self.columns
    }

    /// theta_G.
    pub fn generalized(&self) -> &[usize] {
        &self.generalized
    }

    /// theta_S.
    pub fn dependent(&self) -> &[usize] {
        &self.dependent
    }

    /// Row of H for the i-th dependent coordinate. [NY2000 eq. 17]
    pub fn h(&self, i: usize) -> &[f64] {
        let n = self.free();
        &self.h[i * n..(i + 1) * n]
    }

    /// H-dot theta_G-dot of the i-th dependent coordinate. [NY2000 eq. 21]
    pub fn rate(&self, i: usize) -> f64 {
        self.rate[i]
    }

    /// Rows of d theta / d theta_G for the given coordinates: W for those of the tree, S for the actuated ones.
    pub fn rows_of(&self, coordinates: impl Iterator<Item = usize>) -> Vec<Vec<f64>> {
        coordinates.map(|c| self.row_of(c)).collect()
    }

    /// d theta_c / d theta_G. [NY2000 Figs. 5 and 6]
    pub fn row_of(&self, c: usize) -> Vec<f64> {
        if let Some(i) = self.dependent.iter().position(|d| *d == c) {
            return self.h(i).to_vec();
        }
        self.generalized.iter().map(|g| f64::from(u8::from(*g == c))).collect()
    }

    /// W = d theta_O / d theta_G.
    pub fn w(&self) -> Vec<Vec<f64>> {
        self.rows_of(0..self.tree)
    }

    /// Acceleration of a coordinate when no generalized coordinate accelerates.
    pub fn rate_of(&self, c: usize) -> f64 {
        self.dependent.iter().position(|d| *d == c).map_or(0.0, |i| self.rate[i])
    }

    /// Fills J_C and J_C-dot theta-dot. [NY2000 eq. 9-11]
    fn fill(&mut self, forest: &Forest, q: &[f64], v: &[f64]) {
        (self.tree, self.columns) = (forest.nv(), columns(forest));
        let width = self.columns + 1;
        self.rows.clear();
        self.rows.resize(ROWS * forest.loops().len() * width, 0.0);
        self.kinematics.update(forest, q, Some(v), None);
        fit(&mut self.ja, forest.nv());
        fit(&mut self.jb, forest.nv());
        let mut column = self.tree;
        for (i, l) in forest.loops().iter().enumerate() {
            let e = ends(|body| (self.kinematics.body_pose(body), self.kinematics.body_velocity(body)), l);
            let point = e.a.translation;
            jacobian::of_body_point(forest, &self.kinematics, l.a, point, &mut self.ja);
            jacobian::of_body_point(forest, &self.kinematics, l.b, point, &mut self.jb);
            let block = &mut self.rows[ROWS * i * width..ROWS * (i + 1) * width];
            let mut put = |column: usize, m: Motion| {
                m.to_array().into_iter().enumerate().for_each(|(r, x)| block[r * width + column] = x);
            };
            for k in 0..self.tree {
                put(k, self.ja[k] - self.jb[k]);
            }
            let own = virtual_columns(l, &e);
            let rates = virtual_rates(&own, &e);
            let mut bias = relative_bias(&self.kinematics, l, &e);
            for (c, rate) in own.list().iter().zip(rates) {
                put(column, -c.motion);
                bias -= c.rate.times(rate);
                column += 1;
            }
            put(width - 1, bias);
        }
    }

    /// Gauss-Jordan with full pivoting; returns the number of independent rows left for which only forced coordinates
    /// remain.
    fn reduce(&mut self, weights: &[f64]) -> usize {
        let (n, width) = (self.columns, self.columns + 1);
        let count = self.rows.len() / width.max(1);
        let entry = |rows: &[f64], r: usize, c: usize| rows[r * width + c].abs();
        let size = (0..count).flat_map(|r| (0..n).map(move |c| (r, c)));
        let least = DEPENDENT * size.fold(0.0_f64, |m, (r, c)| m.max(entry(&self.rows, r, c)));
        self.dependent.clear();
        self.pivot_of.clear();
        self.pivot_of.resize(n, None);
        let mut done = 0;
        while done < count {
            let mut best = (0.0, 0, 0);
            for r in done..count {
                for c in (0..n).filter(|c| self.pivot_of[*c].is_none()) {
                    let x = entry(&self.rows, r, c);
                    if x > least && x * weights[c] > best.0 {
                        best = (x * weights[c], r, c);
                    }
                }
            }
            let (worth, r, c) = best;
            if worth == 0.0 {
                break;
            }
            for k in 0..width {
                self.rows.swap(done * width + k, r * width + k);
            }
            let scale = 1.0 / self.rows[done * width + c];
            self.rows[done * width..(done + 1) * width].iter_mut().for_each(|x| *x *= scale);
            for other in (0..count).filter(|o| *o != done) {
                let k = self.rows[other * width + c];
                if k != 0.0 {
                    for j in 0..width {
                        self.rows[other * width + j] -= k * self.rows[done * width + j];
                    }
                    self.rows[other * width + c] = 0.0;
                }
            }
            self.pivot_of[c] = Some(done);
            self.dependent.push(c);
            done += 1;
        }
        (done..count)
            .filter(|r| (0..n).any(|c| self.pivot_of[c].is_none() && entry(&self.rows, *r, c) > least))
            .count()
    }

    /// H and H-dot theta_G-dot from the reduced rows: theta_S + (reduced J_G) theta_G + reduced bias = 0.
    fn read_off(&mut self) {
        let width = self.columns + 1;
        self.generalized.clear();
        self.generalized.extend((0..self.columns).filter(|c| self.pivot_of[*c].is_none()));
        self.dependent.sort_unstable();
        self.h.clear();
        self.rate.clear();
        for c in &self.dependent {
            let row = self.pivot_of[*c].expect("a dependent coordinate has its row");
            self.h.extend(self.generalized.iter().map(|g| -self.rows[row * width + g]));
            self.rate.push(-self.rows[row * width + self.columns]);
        }
    }
}

/// Coordinates of the tree and of the connections.
fn columns(forest: &Forest) -> usize {
    forest.nv() + forest.loops().iter().map(|l| l.turn.count() + l.slide.count()).sum::<usize>()
}

/// One coordinate of a connection's joint: relative motion of a and b at unit rate, and its time derivative.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VirtualColumn {
    pub motion: Motion,
    pub rate: Motion,
}

/// The coordinates of a connection's joint: rotations, then translations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VirtualColumns {
    list: [VirtualColumn; ROWS],
    len: usize,
}

impl VirtualColumns {
    fn turn(&mut self, axis: Vec3, w: Vec3) {
        self.push(Motion::new(axis, Vec3::ZERO), Motion::new(w.cross(axis), Vec3::ZERO));
    }

    fn slide(&mut self, axis: Vec3, w: Vec3) {
        self.push(Motion::new(Vec3::ZERO, axis), Motion::new(Vec3::ZERO, w.cross(axis)));
    }

    fn push(&mut self, motion: Motion, rate: Motion) {
        self.list[self.len] = VirtualColumn { motion, rate };
        self.len += 1;
    }

    pub fn list(&self) -> &[VirtualColumn] {
        &self.list[..self.len]
    }
}

pub(super) fn virtual_columns(l: &Loop, e: &Ends) -> VirtualColumns {
    let (ra, rb) = (&e.a.rotation, &e.b.rotation);
    let (wa, wb) = (e.va.angular, e.vb.angular);
    let mut all = VirtualColumns::default();
    match l.turn {
        Turn::None => {}
        Turn::About(axis) => all.turn(rb.mul(axis), wb),
        Turn::Twice(first, second) => {
            all.turn(rb.mul(first), wb);
            all.turn(ra.mul(second), wa);
        }
        Turn::Any => [ra.x, ra.y, ra.z].into_iter().for_each(|axis| all.turn(axis, wa)),
    }
    match l.slide {
        Slide::None => {}
        Slide::Along(axis) => all.slide(rb.mul(axis), wb),
        Slide::Across(normal) => {
            let x = normal.any_perpendicular();
            [rb.mul(x), rb.mul(normal.cross(x))].into_iter().for_each(|axis| all.slide(axis, wb));
        }
        Slide::Any => [rb.x, rb.y, rb.z].into_iter().for_each(|axis| all.slide(axis, wb)),
    }
    all
}

/// Rates of the connection's own coordinates, from the relative velocity of a and b.
pub(super) fn virtual_rates(own: &VirtualColumns, e: &Ends) -> [f64; ROWS] {
    let relative = e.va - e.vb;
    let mut rates = [0.0; ROWS];
    for (rate, c) in rates.iter_mut().zip(own.list()) {
        *rate = c.motion.angular.dot(relative.angular) + c.motion.linear.dot(relative.linear);
    }
    let turns = own.list().iter().filter(|c| c.motion.angular != Vec3::ZERO).count();
    if turns == 2 {
        // two axes, possibly not orthogonal
        let c = own.list[0].motion.angular.dot(own.list[1].motion.angular);
        let (x, y, det) = (rates[0], rates[1], 1.0 - c * c);
        (rates[0], rates[1]) = ((x - c * y) / det, (y - c * x) / det);
    }
    rates
}

/// Derivative of the relative velocity of a and b when no coordinate of the tree accelerates.
fn relative_bias(kinematics: &Kinematics, l: &Loop, e: &Ends) -> Motion {
    let of = |body| {
        let r = e.a.translation - kinematics.body_pose(body).translation;
        kinematics.point_acceleration(body, r)
    };
    let (a, b) = (of(l.a), of(l.b));
    let sliding = e.va.linear - e.vb.linear;
    Motion::new(a.angular - b.angular, a.linear - b.linear - e.vb.angular.cross(sliding))
}
