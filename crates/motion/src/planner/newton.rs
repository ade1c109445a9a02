//! Newton's method for a plan.

use super::cost::{Row, value_of};
use super::wrench_price::SlackPrice;
use super::{ARMIJO, BLOCK, CONTINUATION, MAX_CHANGE, MIN_STEP, Planner, Scales, TOLERANCE};
use anthropi_dynamics::spatial::{Vec3, vec3};

impl Planner {
    /// Makes the plan in at most `iterations` of Newton's method; returns how many it took.
    pub fn solve(&mut self, scales: &Scales, iterations: usize) -> usize {
        let size = self.unknowns() + 2 * self.footsteps.len();
        let mut x = core::mem::take(&mut self.x);
        let mut trial = core::mem::take(&mut self.trial);
        let carried = self.carried.take();
        if let Some((knots, blocks)) = carried {
            // what lay before the window goes, the last coefficients stay
            let last = BLOCK * (blocks - 1);
            x.truncate(last + BLOCK);
            x.drain(..(BLOCK * knots).min(last));
            while x.len() < self.unknowns() {
                x.extend_from_within(x.len() - BLOCK..);
            }
            x.truncate(self.unknowns());
            x.resize(size, 0.0);
        } else {
            x.clear();
            x.resize(size, 0.0);
        }
        self.begin_near_start(&mut x);
        trial.clear();
        trial.resize(size, 0.0);
        self.x = x;
        let mut taken = 0;
        for factor in CONTINUATION.into_iter().skip(if carried.is_some_and(|c| c.0 == 0) { 2 } else { 0 }) {
            let slack = SlackPrice { rounding: scales.slack.rounding * factor, ..scales.slack };
            taken += self.descend(&Scales { slack, ..*scales }, iterations, &mut trial);
        }
        self.trial = trial;
        taken
    }

    /// Newton's method from `x`; returns the number of iterations.
    fn descend(&mut self, scales: &Scales, iterations: usize, trial: &mut [f64]) -> usize {
        let x = core::mem::take(&mut self.x);
        let mut cost = self.evaluate(&x, scales);
        self.x = x;
        let mut taken = 0;
        while taken < iterations {
            taken += 1;
            self.linearise(scales);
            let mut step = core::mem::take(&mut self.step);
            // `step` holds the negative gradient
            trial.copy_from_slice(&step);
            if !self.system.factor() {
                self.step = step;
                break;
            }
            self.system.solve(&mut step);
            let decrement: f64 = step.iter().zip(&*trial).map(|(s, g)| s * g).sum();
            let vectors = step[..self.unknowns()].chunks_exact(3);
            let furthest = vectors.map(|v| vec3(v[0], v[1], v[2]).norm()).fold(0.0, f64::max);
            let mut length = (MAX_CHANGE / furthest.max(MAX_CHANGE)).min(1.0);
            let mut is_better = false;
            while length > MIN_STEP && decrement > TOLERANCE * (1.0 + cost) {
                trial.iter_mut().zip(&self.x).zip(&step).for_each(|((t, x), s)| *t = x + length * s);
                let next = self.evaluate(trial, scales);
                if next <= cost - ARMIJO * length * decrement {
                    cost = next;
                    self.x.copy_from_slice(trial);
                    is_better = true;
                    break;
                }
                length *= 0.5;
            }
            self.step = step;
            if !is_better {
                break;
            }
        }
        let x = core::mem::take(&mut self.x);
        self.evaluate(&x, scales);
        self.x = x;
        taken
    }

    /// Changes the unknowns so that they meet the start; the change decays: a Newton step away from it would be far out.
    fn begin_near_start(&self, x: &mut [f64]) {
        let Some(start) = &self.start else { return };
        let now = |row: &dyn Fn(usize) -> Row| Vec3::from_array(&[0, 1, 2].map(|a| value_of(&row(a), x)));
        let shift = start.shift - now(&|a| self.shift(0, a));
        let velocity = start.velocity - now(&|a| self.velocity(0, a));
        let rotation = start.rotation - now(&|a| self.shift(0, 3 + a));
        let spin = self.spin(start.angular_momentum) - now(&|a| self.velocity(0, 3 + a));
        let height = self.knots.first().map_or(1.0, |k| k.reference.com.z.max(0.3));
        let rate = (self.gravity / height).sqrt();
        for block in 0..self.knots.len() + 2 {
            let t = (block as f64 - 1.0) * self.h;
            // critically damped
            let fade = libm::exp(-rate * t);
            let u = (shift + (velocity + shift.scale(rate)).scale(t)).scale(fade).to_array();
            let r = (rotation + (spin + rotation.scale(rate)).scale(t)).scale(fade).to_array();
            for axis in 0..3 {
                x[Self::at(block, axis)] += u[axis];
                x[Self::at(block, 3 + axis)] += r[axis];
            }
        }
    }

    /// r' of an angular momentum.
    fn spin(&self, l: Vec3) -> Vec3 {
        vec3(l.x / self.inertia.x, l.y / self.inertia.y, l.z / self.inertia.z)
    }

    /// Cost of the plan.
    #[cfg(test)]
    pub(super) fn cost(&mut self, x: &[f64], scales: &Scales) -> f64 {
        self.evaluate(x, scales)
    }
}
