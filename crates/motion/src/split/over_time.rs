//! A wrench over time, split over limbs whose forces change gradually.
//!
//! Where one limb touches, the wrench decides its force. Where several do, they may share it in many ways, which differ by
//! forces with which they push against each other. Computes, over each stretch of such instants, the limb forces g_ak with
//! the least
//!     sum_k h phi_k(g_k) + RATE sum_k |g_k - g_k-1|^2 / (2 h)
//! phi_k the least cost at which contacts give the wrench with limb forces g_k (`limb_price`): it asks for forces that pass
//! near a point above the hip, as legs push along themselves. Limbs in the air have g = 0 and the stretch is bounded by
//! instants with known forces, so that a foot takes over its load gradually and gives it back so.
//! Method: as in `planner`; Newton with a line search on prices, the Hessian is banded ([`crate::banded`]).
//! Source: our own; forces of walking pass near a point above the centre of mass [V2023].
//! Checked by: tests below, `tests/it/plates.rs`.

use super::LimbPoint;
use super::limb_price::{Asked, LimbPrice};
use crate::banded::Banded;
use anthropi_dynamics::spatial::{Force, Vec3};
use core::ops::Range;

/// Weight of the rate of limb forces against squares of forces, s2: a load is handed over within about a tenth of a second.
const RATE: f64 = 3e-3;
/// Most Newton steps.
const MAX_STEPS: usize = 30;
/// Decrement of the cost at which Newton's method stops, relative to the cost, shortest step of its line search, and required
/// decrease, parts of the slope.
const TOLERANCE: f64 = 1e-8;
const MIN_STEP: f64 = 1e-3;
const ARMIJO: f64 = 1e-4;

/// An instant.
#[derive(Clone, Debug)]
struct Instant {
    /// parts of the weight, and of weight times length, about `origin`
    wrench: Force,
    origin: Vec3,
    points: Range<usize>,
    /// limbs in contact, in order
    limbs: Vec<usize>,
    /// limb forces known beforehand
    known: Vec<(usize, Vec3)>,
    /// forces at the points, parts of the weight
    forces: Vec<Vec3>,
    y: Vec<f64>,
}

/// Splits a wrench over time.
#[derive(Clone, Debug)]
pub(crate) struct SplitOverTime {
    /// distance of the instants, s
    h: f64,
    /// N
    weight: f64,
    /// m
    length: f64,
    points: Vec<LimbPoint>,
    instants: Vec<Instant>,
    prices: LimbPrice,
}

impl SplitOverTime {
    /// For instants `h` apart. `weight` (N) and `length` (m) as in [`super::Splitter::split`].
    pub fn new(h: f64, [weight, length]: [f64; 2]) -> SplitOverTime {
        SplitOverTime {
            h,
            weight,
            length,
            points: Vec::new(),
            instants: Vec::new(),
            prices: LimbPrice::default(),
        }
    }

    /// Adds an instant with the wrench that its contacts have to give, about `origin`.
    pub fn add(&mut self, wrench: Force, origin: Vec3, points: &[LimbPoint]) {
        let first = self.points.len();
        self.points.extend_from_slice(points);
        let mut limbs: Vec<usize> = points.iter().map(|p| p.limb).collect();
        limbs.sort_unstable();
        limbs.dedup();
        let (angular, linear) = (1.0 / (self.weight * self.length), 1.0 / self.weight);
        self.instants.push(Instant {
            wrench: Force::new(wrench.angular.scale(angular), wrench.linear.scale(linear)),
            origin,
            points: first..self.points.len(),
            limbs,
            known: Vec::new(),
            forces: Vec::new(),
            y: Vec::new(),
        });
    }

    /// Adds an instant whose limb forces are known, N.
    pub fn add_known(&mut self, forces: &[(usize, Vec3)]) {
        self.add(Force::default(), Vec3::ZERO, &[]);
        let known = forces.iter().map(|(limb, force)| (*limb, force.scale(1.0 / self.weight))).collect();
        if let Some(last) = self.instants.last_mut() {
            last.known = known;
        }
    }

    /// Finds the forces; returns the largest number of Newton steps of a stretch.
    pub fn solve(&mut self) -> usize {
        let is_shared: Vec<bool> = self.instants.iter().map(|i| i.limbs.len() > 1).collect();
        for (k, _) in is_shared.iter().enumerate().filter(|(_, is_shared)| !**is_shared) {
            // the wrench decides
            self.price(k, &[]);
        }
        let stretches = crate::contact_schedule::intervals(&is_shared);
        stretches.into_iter().map(|frames| Stretch::new(self, frames).solve()).max().unwrap_or(0)
    }

    /// Forces at the points of an instant, in their order, N.
    pub fn forces(&self, instant: usize) -> impl Iterator<Item = Vec3> + '_ {
        self.instants[instant].forces.iter().map(|f| f.scale(self.weight))
    }

    /// Prices an instant; without wanted forces only its wrench counts.
    fn price(&mut self, instant: usize, wanted: &[f64]) -> f64 {
        let now = &mut self.instants[instant];
        let asked = Asked {
            wrench: now.wrench,
            origin: now.origin,
            points: &self.points[now.points.clone()],
            limbs: if wanted.is_empty() { &[] } else { &now.limbs },
            wanted,
        };
        self.prices.price(&asked, self.length, &mut now.y, &mut now.forces)
    }

    /// Force of a limb at an instant, parts of the weight.
    fn limb_force(&self, instant: usize, limb: usize) -> Vec3 {
        let now = &self.instants[instant];
        let points = self.points[now.points.clone()].iter().zip(&now.forces);
        let own = points.filter(|(p, _)| p.limb == limb).fold(Vec3::ZERO, |sum, (_, f)| sum + *f);
        now.known.iter().filter(|(l, _)| *l == limb).fold(own, |sum, (_, f)| sum + *f)
    }
}

/// Consecutive instants at which several limbs touch.
struct Stretch<'a> {
    split: &'a mut SplitOverTime,
    frames: Range<usize>,
    /// limbs in contact at any of them
    limbs: Vec<usize>,
    /// limb forces: of the instant before, of these, of the instant after, each by limb and axis
    x: Vec<f64>,
    /// whether they are to be found
    is_free: Vec<bool>,
    system: Banded,
}

impl Stretch<'_> {
    fn new(split: &mut SplitOverTime, frames: Range<usize>) -> Stretch<'_> {
        let mut limbs: Vec<usize> =
            split.instants[frames.clone()].iter().flat_map(|i| i.limbs.clone()).collect();
        limbs.sort_unstable();
        limbs.dedup();
        let size = 3 * limbs.len() * (frames.len() + 2);
        let (x, is_free) = (vec![0.0; size], vec![false; size]);
        let mut stretch = Stretch { split, frames, limbs, x, is_free, system: Banded::default() };
        for k in stretch.frames.clone() {
            stretch.unknowns(k).into_iter().for_each(|i| stretch.is_free[i] = true);
        }
        for (k, at) in
            [(stretch.frames.start.wrapping_sub(1), 0), (stretch.frames.end, stretch.frames.len() + 1)]
        {
            if k < stretch.split.instants.len() {
                for (a, limb) in stretch.limbs.iter().enumerate() {
                    let i = 3 * (stretch.limbs.len() * at + a);
                    stretch.x[i..i + 3].copy_from_slice(&stretch.split.limb_force(k, *limb).to_array());
                }
            }
        }
        stretch
    }

    /// Indices of the limb forces of an instant, by limb in contact and axis.
    fn unknowns(&self, instant: usize) -> Vec<usize> {
        let at = instant + 1 - self.frames.start;
        let block = |limb: &usize| 3 * (self.limbs.len() * at + self.limbs.partition_point(|l| l < limb));
        self.split.instants[instant].limbs.iter().map(block).flat_map(|i| i..i + 3).collect()
    }

    /// Pairs of limb forces of neighbouring instants; none at the ends of the whole time.
    fn rates(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let block = 3 * self.limbs.len();
        let first = usize::from(self.frames.start == 0);
        let last = self.frames.len() + usize::from(self.frames.end < self.split.instants.len());
        (block * first..block * last).map(move |i| (i, i + block))
    }

    /// Cost of limb forces.
    fn cost(&mut self, x: &[f64]) -> f64 {
        let mut cost = 0.0;
        for k in self.frames.clone() {
            let wanted: Vec<f64> = self.unknowns(k).into_iter().map(|i| x[i]).collect();
            cost += self.split.h * self.split.price(k, &wanted);
        }
        let rate = RATE / self.split.h;
        self.rates().fold(cost, |cost, (i, j)| cost + 0.5 * rate * (x[j] - x[i]).powi(2))
    }

    /// Assembles the Hessian and returns the gradient at `x`; `None` where an instant has no derivatives.
    fn linearise(&mut self) -> Option<Vec<f64>> {
        let (size, h) = (self.x.len(), self.split.h);
        let mut gradient = vec![0.0; size];
        self.system.clear(size, 3 * self.limbs.len(), 0);
        for k in self.frames.clone() {
            let own = self.unknowns(k);
            let wanted: Vec<f64> = own.iter().map(|i| self.x[*i]).collect();
            self.split.price(k, &wanted);
            if !self.split.prices.derive(own.len() / 3) {
                return None;
            }
            let prices = &self.split.prices;
            for (a, i) in own.iter().enumerate() {
                gradient[*i] += h * prices.gradient[a];
                for (b, j) in own[..=a].iter().enumerate() {
                    self.system.add(*i, *j, h * prices.hessian[a * own.len() + b]);
                }
            }
        }
        let rate = RATE / h;
        for (i, j) in self.rates() {
            let slope = rate * (self.x[j] - self.x[i]);
            for (k, sign) in [(i, -1.0), (j, 1.0)] {
                if self.is_free[k] {
                    gradient[k] += sign * slope;
                    self.system.add(k, k, rate);
                }
            }
            if self.is_free[i] && self.is_free[j] {
                self.system.add(j, i, -rate);
            }
        }
        (0..size).filter(|k| !self.is_free[*k]).for_each(|k| self.system.add(k, k, 1.0));
        Some(gradient)
    }

    /// Newton's method; leaves the forces of the best limb forces and returns the number of steps.
    fn solve(mut self) -> usize {
        let mut x = core::mem::take(&mut self.x);
        let mut cost = self.cost(&x);
        let mut steps = 0;
        while steps < MAX_STEPS {
            self.x = x.clone();
            let Some(gradient) = self.linearise() else { break };
            let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
            if !self.system.factor() {
                break;
            }
            self.system.solve(&mut step);
            let decrement = -step.iter().zip(&gradient).map(|(s, g)| s * g).sum::<f64>();
            steps += 1;
            if decrement < TOLERANCE * (1.0 + cost) {
                // rounding hides the last decreases: the full step
                x.iter_mut().zip(&step).for_each(|(x, s)| *x += s);
                break;
            }
            let mut length = 1.0;
            let better = loop {
                let trial: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + length * s).collect();
                let next = self.cost(&trial);
                if next <= cost - ARMIJO * length * decrement {
                    break Some((trial, next));
                }
                length *= 0.5;
                if length < MIN_STEP {
                    break None;
                }
            };
            match better {
                Some(better) => (x, cost) = better,
                None => break,
            }
        }
        self.cost(&x);
        steps
    }
}

#[cfg(test)]
mod tests;
