//! The cost of a plan, its gradient and its Hessian.
//!
//! Squares of linear combinations of the unknowns (rows), soft limits of reach and of footsteps, and the price of the wrench
//! at each knot.

use super::wrench_price::{Six, price};
use super::{BAND, BLOCK, Planner, RADIUS, Reach, START_WEIGHT, Scales, TINY};
use crate::banded::Banded;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Footsteps that may carry at one knot.
const MAX_STEPS_AT_KNOT: usize = 3;

/// A linear combination of unknowns: index and factor.
pub(super) type Row = ([(usize, f64); 4], usize);

fn scaled((mut entries, count): Row, factor: f64) -> Row {
    entries.iter_mut().for_each(|e| e.1 *= factor);
    (entries, count)
}

fn row<const N: usize>(entries: [(usize, f64); N]) -> Row {
    let mut all = [(0, 0.0); 4];
    all[..N].copy_from_slice(&entries);
    (all, N)
}
impl Planner {
    /// Unknown: coefficient `j` of u (0..3) or r (3..6).
    pub(super) fn at(block: usize, j: usize) -> usize {
        BLOCK * block + j
    }

    /// Of u (axis 0..3) or r (axis 3..6), as are its derivatives.
    pub(super) fn shift(&self, k: usize, axis: usize) -> Row {
        let sixth = 1.0 / 6.0;
        row([
            (Self::at(k, axis), sixth),
            (Self::at(k + 1, axis), 4.0 * sixth),
            (Self::at(k + 2, axis), sixth),
        ])
    }

    pub(super) fn velocity(&self, k: usize, axis: usize) -> Row {
        let rate = 0.5 / self.h;
        row([(Self::at(k, axis), -rate), (Self::at(k + 2, axis), rate)])
    }

    pub(super) fn acceleration(&self, k: usize, axis: usize) -> Row {
        let rate = 1.0 / (self.h * self.h);
        row([(Self::at(k, axis), rate), (Self::at(k + 1, axis), -2.0 * rate), (Self::at(k + 2, axis), rate)])
    }

    /// Between a knot and the next.
    pub(super) fn jerk(&self, k: usize, axis: usize) -> Row {
        let rate = 1.0 / (self.h * self.h * self.h);
        let factors = [-rate, 3.0 * rate, -3.0 * rate, rate];
        row([0, 1, 2, 3].map(|i| (Self::at(k + i, axis), factors[i])))
    }

    /// N m s.
    pub(super) fn angular_momentum(&self, k: usize, axis: usize) -> Row {
        scaled(self.velocity(k, 3 + axis), self.inertia.to_array()[axis])
    }

    /// Body weights m.
    pub(super) fn moment(&self, k: usize, axis: usize) -> Row {
        scaled(self.acceleration(k, 3 + axis), self.inertia.to_array()[axis] / self.weight)
    }

    /// First unknown of the footsteps.
    pub(super) fn unknowns(&self) -> usize {
        BLOCK * (self.knots.len() + 2)
    }

    pub(super) fn footstep_change(&self, x: &[f64], s: usize) -> Vec3 {
        let at = self.unknowns() + 2 * s;
        vec3(x[at], x[at + 1], 0.0)
    }

    /// Lever arm of a contact about the centre of mass.
    pub(super) fn arm(&self, x: &[f64], k: usize, i: usize) -> Vec3 {
        let contact = &self.contacts[i];
        let u = Vec3::from_array(&[0, 1, 2].map(|a| value_of(&self.shift(k, a), x)));
        let step = contact.step.map_or(Vec3::ZERO, |s| self.footstep_change(x, s));
        contact.at + step - self.knots[k].reference.com - u
    }

    /// The wrench that contacts must give at a knot, body weights.
    pub(super) fn wrench(&self, x: &[f64], k: usize) -> Six {
        let reference = &self.knots[k].reference;
        let (a, moment) = (reference.acceleration.to_array(), reference.moment.to_array());
        let mut w = [0.0; 6];
        for axis in 0..3 {
            w[axis] = moment[axis] / self.weight + value_of(&self.moment(k, axis), x);
            w[3 + axis] = (a[axis] + value_of(&self.acceleration(k, axis), x)) / self.gravity;
        }
        w[5] += 1.0;
        w
    }

    /// Visits all squares: rows, what is added to them, and their weights.
    pub(super) fn squares(&self, scales: &Scales, mut visit: impl FnMut(&Row, f64, f64)) {
        let (h, n) = (self.h, self.knots.len());
        for k in 0..n {
            for axis in 0..3 {
                visit(&self.shift(k, axis), 0.0, h * scales.shift[axis / 2].powi(-2));
                visit(&self.acceleration(k, axis), 0.0, h * scales.acceleration.powi(-2));
                visit(&self.shift(k, 3 + axis), 0.0, h * scales.rotation.powi(-2));
                visit(&self.velocity(k, 3 + axis), 0.0, h * scales.spin.powi(-2));
                visit(&self.moment(k, axis), 0.0, h * scales.moment.powi(-2));
                if k + 1 < n {
                    visit(&self.jerk(k, axis), 0.0, h * scales.jerk.powi(-2));
                    visit(&self.jerk(k, 3 + axis), 0.0, h * (scales.jerk / RADIUS).powi(-2));
                }
            }
        }
        if let Some(start) = &self.start {
            for axis in 0..3 {
                visit(&self.shift(0, axis), -start.shift.to_array()[axis], START_WEIGHT);
                visit(&self.velocity(0, axis), -start.velocity.to_array()[axis], START_WEIGHT);
                visit(&self.shift(0, 3 + axis), -start.rotation.to_array()[axis], START_WEIGHT);
                let spin = start.angular_momentum.to_array()[axis] / self.inertia.to_array()[axis];
                visit(&self.velocity(0, 3 + axis), -spin, START_WEIGHT);
            }
        }
        if scales.end.is_finite() && n > 0 {
            // capture point u + u'/omega at the last knot
            let height = self.knots[n - 1].reference.com.z.max(0.3);
            let period = (height / self.gravity).sqrt();
            for axis in 0..2 {
                let ((mut all, count), (rate, _)) = (self.shift(n - 1, axis), self.velocity(n - 1, axis));
                all[0].1 += period * rate[0].1;
                all[2].1 += period * rate[1].1;
                visit(&(all, count), 0.0, scales.end.powi(-2));
            }
        }
        for (s, footstep) in self.footsteps.iter().enumerate() {
            for axis in 0..2 {
                let own = row([(self.unknowns() + 2 * s + axis, 1.0)]);
                visit(&own, footstep.now.to_array()[axis], scales.step.powi(-2));
            }
        }
        (0..self.unknowns()).for_each(|i| visit(&row([(i, 1.0)]), 0.0, TINY));
    }

    /// Cost of unknowns; prices the wrenches there.
    pub(super) fn evaluate(&mut self, x: &[f64], scales: &Scales) -> f64 {
        let mut cost = 0.0;
        self.squares(scales, |row, offset, weight| {
            cost += 0.5 * weight * (value_of(row, x) + offset).powi(2)
        });
        for k in 0..self.knots.len() {
            for reach in &self.reaches[self.knots[k].reaches.clone()] {
                cost += 0.5 * self.h * (self.out_of_reach(x, k, reach) / scales.reach).powi(2);
            }
            if self.knots[k].is_free {
                continue;
            }
            let wrench = self.wrench(x, k);
            let range = self.knots[k].contacts.clone();
            let contact = |i: usize| (self.arm(x, k, range.start + i), self.contacts[range.start + i].cone);
            let start = self.knots[k].priced.y;
            let priced = price(&wrench, range.len(), contact, &scales.slack, &start);
            cost += self.h * priced.value;
            self.knots[k].priced = priced;
        }
        // footsteps stay within their limits by a wall
        for (s, footstep) in self.footsteps.iter().enumerate() {
            let beyond = (self.footstep_change(x, s).norm() - footstep.max_change).max(0.0);
            cost += 0.5 * (beyond / scales.reach).powi(2);
        }
        cost
    }

    fn out_of_reach(&self, x: &[f64], k: usize, reach: &Reach) -> f64 {
        let u = Vec3::from_array(&[0, 1, 2].map(|a| value_of(&self.shift(k, a), x)));
        (u.dot(reach.direction) - reach.margin).max(0.0)
    }

    /// Assembles Hessian and gradient (in `step`, negated) at x, whose wrenches are priced.
    pub(super) fn linearise(&mut self, scales: &Scales) {
        let (n, dense) = (self.unknowns(), 2 * self.footsteps.len());
        let mut system = core::mem::take(&mut self.system);
        let mut g = core::mem::take(&mut self.step);
        system.clear(n, BAND, dense);
        g.clear();
        g.resize(n + dense, 0.0);
        let x = &self.x;
        self.squares(scales, |row, offset, weight| {
            add_square(&mut system, &mut g, row, value_of(row, x) + offset, weight)
        });
        for k in 0..self.knots.len() {
            for reach in &self.reaches[self.knots[k].reaches.clone()] {
                let beyond = self.out_of_reach(x, k, reach);
                if beyond > 0.0 {
                    self.add_direction(
                        &mut system,
                        &mut g,
                        k,
                        reach.direction,
                        beyond,
                        self.h * scales.reach.powi(-2),
                    );
                }
            }
            if !self.knots[k].is_free {
                self.add_price(&mut system, &mut g, k);
            }
        }
        for (s, footstep) in self.footsteps.iter().enumerate() {
            let change = self.footstep_change(x, s);
            let beyond = change.norm() - footstep.max_change;
            if beyond > 0.0 {
                let direction = change.scale(1.0 / change.norm()).to_array();
                let weight = scales.reach.powi(-2);
                for i in 0..2 {
                    g[n + 2 * s + i] -= weight * beyond * direction[i];
                    for j in 0..=i {
                        system.add(n + 2 * s + i, n + 2 * s + j, weight * direction[i] * direction[j]);
                    }
                }
            }
        }
        (self.system, self.step) = (system, g);
    }

    /// Adds weight (direction . u)^2 / 2 about a value.
    fn add_direction(
        &self,
        system: &mut Banded,
        g: &mut [f64],
        k: usize,
        direction: Vec3,
        value: f64,
        weight: f64,
    ) {
        let d = direction.to_array();
        let rows = [0, 1, 2].map(|a| self.shift(k, a));
        for (a, (own, _)) in rows.iter().enumerate() {
            for (i, x) in own.iter().take(3) {
                g[*i] -= weight * value * d[a] * x;
                for (b, (other, _)) in rows.iter().enumerate() {
                    for (j, y) in other.iter().take(3).filter(|(j, _)| j <= i) {
                        system.add(*i, *j, weight * d[a] * d[b] * x * y);
                    }
                }
            }
        }
    }

    /// Adds the price of the wrench of a knot: J^T y and J^T phi'' J, J the derivative of the wrench.
    fn add_price(&self, system: &mut Banded, g: &mut [f64], k: usize) {
        // columns of J: unknown and its effect on the wrench
        let mut columns: [(usize, Six); 18 + 2 * MAX_STEPS_AT_KNOT] =
            [(0, [0.0; 6]); 18 + 2 * MAX_STEPS_AT_KNOT];
        let mut count = 0;
        let priced = &self.knots[k].priced;
        let force = priced.force;
        for block in 0..3 {
            for axis in 0..3 {
                let mut c = [0.0; 6];
                let (shift, curve) = (self.shift(k, axis).0[block].1, self.acceleration(k, axis).0[block].1);
                // moving the centre of mass by u takes the moment u x F
                let mut unit = [0.0; 3];
                unit[axis] = shift;
                c[..3].copy_from_slice(&Vec3::from_array(&unit).cross(force).to_array());
                c[3 + axis] = curve / self.gravity;
                columns[count] = (Self::at(k + block, axis), c);
                let mut c = [0.0; 6];
                c[axis] = self.moment(k, axis).0[block].1;
                columns[count + 1] = (Self::at(k + block, 3 + axis), c);
                count += 2;
            }
        }
        let n = self.unknowns();
        for s in 0..self.footsteps.len() {
            let range = self.knots[k].contacts.clone();
            let own = range.filter(|i| self.contacts[*i].step == Some(s));
            let load = own.map(|i| self.force(k, i)).fold(Vec3::ZERO, |sum, f| sum + f);
            if load == Vec3::ZERO || count + 2 > columns.len() {
                continue;
            }
            for axis in 0..2 {
                let mut unit = [0.0; 3];
                unit[axis] = 1.0;
                let mut c = [0.0; 6];
                c[..3].copy_from_slice(&load.cross(Vec3::from_array(&unit)).to_array());
                columns[count] = (n + 2 * s + axis, c);
                count += 1;
            }
        }
        for a in 0..count {
            let (i, column) = &columns[a];
            let mut turned = [0.0; 6];
            for r in 0..6 {
                g[*i] -= self.h * column[r] * priced.y[r];
                turned[r] = self.h * (0..6).map(|c| priced.curvature[r][c] * column[c]).sum::<f64>();
            }
            for (j, other) in &columns[..count] {
                if j <= i {
                    system.add(*i, *j, (0..6).map(|r| other[r] * turned[r]).sum());
                }
            }
        }
    }
}

pub(super) fn value_of((entries, count): &Row, x: &[f64]) -> f64 {
    entries[..*count].iter().map(|(i, factor)| factor * x[*i]).sum()
}

/// Adds weight (row . x)^2 / 2 about `value`.
fn add_square(system: &mut Banded, g: &mut [f64], (entries, count): &Row, value: f64, weight: f64) {
    for (i, x) in &entries[..*count] {
        g[*i] -= weight * value * x;
        for (j, y) in entries[..*count].iter().filter(|(j, _)| j <= i) {
            system.add(*i, *j, weight * x * y);
        }
    }
}
