//! What a plan with flights has to obey: in the air the centre of mass falls and angular momentum stays.
//!
//! Heights: loads of short times on the ground are half waves, 1 + z''/g = A sin(pi s), whose impulse carries the body over
//! the flights before and after, A = pi/2 (1 + (t_before + t_after) / (2 t_ground)); long times on the ground begin and end
//! with such pushes and are in between as legs ask. In flight z'' = -g holds exactly (`band`).
//! Turns: with L'_0 the rate of angular momentum of the poses, pelvis and trunk are turned by small angles e, such that
//!     L'_0 + I e'' = 0 in flight, exactly, and on the ground small against what a shift of pressure can give, m (g + z'').
//! About the vertical the chest alone turns, and what friction has to give is measured instead of L'.
//! Source: our own.
//! Checked by: `crates/io/tests/jumps.rs`.

use super::band::{Wanted, nearest};
use super::plan::DT;
use super::pressure::Pressure;
use crate::curve::Curve;
use crate::ease::step as ease;
use core::f64::consts::{FRAC_PI_2, PI};

/// Longer times on the ground have a middle that is walked, s; pushes before and after it take so long, s.
const LONG: f64 = 0.5;
const PUSH: f64 = 0.26;
/// Loads may differ from their half wave by this part of it...
const LOAD_FREE: f64 = 0.3;
/// ...in walking by this, m/s2; heights there from what legs ask by the first, in runs by the second, m.
const CALM: f64 = 1.0;
const NEAR: [f64; 2] = [0.002, 0.03];
/// Around flights the body is in flight's manner for so long, s, and comes to it within this, s.
const AROUND: f64 = 0.35;
const COME: f64 = 0.3;
/// Turns: size in walking and in runs, rad; shift of pressure they may leave, m.
const TURN: [f64; 2] = [1e-4, 0.05];
const SHIFT: f64 = 0.06;
/// The body is lowered at most by this where legs do not reach, m, and by this part of what is missing in a pass.
const LOWER_MOST: f64 = 0.15;
const LOWER: f64 = 0.6;

/// Times in the air and on the ground of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    /// samples on the ground, from and to
    ground: Vec<[usize; 2]>,
    samples: usize,
    /// by sample: 0 far from flights, 1 near
    part: Vec<f64>,
    /// by time on the ground: how far it is lowered, m
    lower: Vec<f64>,
}

impl Flight {
    /// Of a plan that has flights.
    pub fn of(pressure: &[Pressure]) -> Option<Flight> {
        let n = pressure.len();
        let mut ground: Vec<[usize; 2]> = Vec::new();
        for (k, p) in pressure.iter().enumerate() {
            match (p.is_free, ground.last_mut()) {
                (true, _) => {}
                (false, Some(last)) if last[1] == k => last[1] = k + 1,
                (false, _) => ground.push([k, k + 1]),
            }
        }
        if ground.len() < 2 {
            return None;
        }
        let flights: Vec<[usize; 2]> = ground.windows(2).map(|w| [w[0][1], w[1][0]]).collect();
        let part = (0..n)
            .map(|k| {
                let away = flights.iter().map(|[a, b]| a.saturating_sub(k).max((k + 1).saturating_sub(*b)));
                let away = away.min().unwrap_or(n) as f64 * DT;
                1.0 - ease((away - AROUND) / COME)
            })
            .collect();
        let lower = vec![0.0; ground.len()];
        Some(Flight { ground, samples: n, part, lower })
    }

    /// Whether a sample is in the air.
    fn flies(&self, k: usize) -> bool {
        let n = self.ground.partition_point(|g| g[1] <= k);
        self.ground.get(n).is_none_or(|g| k < g[0])
    }

    /// Heights that fall in flight, from those that legs ask for and allow.
    pub fn heights(&mut self, legs: &[f64], most: &[f64], last: &[f64], gravity: f64) -> Vec<f64> {
        self.lower(most, last);
        let down = self.lowered();
        let second = |k: usize| {
            if k == 0 || k + 1 == legs.len() {
                0.0
            } else {
                (legs[k + 1] - 2.0 * legs[k] + legs[k - 1]) / (DT * DT)
            }
        };
        let wanted: Vec<Wanted> = (0..self.samples)
            .map(|k| {
                let size = NEAR[0] * libm::pow(NEAR[1] / NEAR[0], self.part[k]);
                let (near, wish) = (1.0 / (size * size), legs[k] + down(k));
                if self.flies(k) {
                    return Wanted { wish, near: 0.01 * near, bend: -gravity, slack: 0.0 };
                }
                let (bend, free) = match self.load(k) {
                    Some(load) => (gravity * (load - 1.0), LOAD_FREE * gravity * load),
                    None => (second(k), CALM),
                };
                Wanted { wish, near, bend, slack: free * free }
            })
            .collect();
        nearest(&wanted, DT)
    }

    /// Where legs did not reach last time the body goes lower, and back where they do.
    fn lower(&mut self, most: &[f64], last: &[f64]) {
        if last.iter().all(|z| *z == 0.0) {
            return;
        }
        for (n, [a, b]) in self.ground.iter().enumerate() {
            let from = if n == 0 { *a } else { (self.ground[n - 1][1] + a) / 2 };
            let to = self.ground.get(n + 1).map_or(*b, |g| (g[0] + b) / 2);
            let near = (from..to).filter(|k| self.part[*k] > 0.5);
            let miss = near.map(|k| last[k] - most[k]).fold(f64::NEG_INFINITY, f64::max);
            if miss.is_finite() {
                self.lower[n] = (self.lower[n] + LOWER * miss).clamp(0.0, LOWER_MOST);
            }
        }
    }

    fn lowered(&self) -> impl Fn(usize) -> f64 + use<> {
        let keys = self.ground.iter().enumerate().map(|(n, [a, b])| {
            let (is_first, is_last) = (n == 0, n + 1 == self.ground.len());
            let at = match (is_first, is_last) {
                (true, _) => b.saturating_sub((PUSH / DT) as usize),
                (_, true) => a + (PUSH / DT) as usize,
                _ => (a + b) / 2,
            };
            (at as f64 * DT, -self.lower[n])
        });
        let curve = Curve::through(&keys.collect::<Vec<_>>(), None);
        let part = self.part.clone();
        move |k| part[k] * curve.value(k as f64 * DT)
    }

    /// Load on the ground near flights, body weights.
    fn load(&self, k: usize) -> Option<f64> {
        let n = self.ground.partition_point(|g| g[1] <= k);
        let [a, b] = self.ground[n];
        let air = |from: Option<usize>, to: Option<usize>| match (from, to) {
            (Some(a), Some(b)) => (b - a) as f64 * DT,
            _ => 0.0,
        };
        let before = air(n.checked_sub(1).map(|m| self.ground[m][1]), Some(a));
        let after = air(Some(b), self.ground.get(n + 1).map(|g| g[0]));
        let long = (b - a) as f64 * DT;
        let (since, left) = ((k - a) as f64 * DT + 0.5 * DT, (b - k) as f64 * DT - 0.5 * DT);
        if long < LONG && before > 0.0 && after > 0.0 {
            let most = FRAC_PI_2 * (1.0 + 0.5 * (before + after) / long);
            return Some(most * libm::sin(PI * since / long));
        }
        // a push off from walking, or a landing into it
        let push = |t: f64, air: f64| {
            let s = 1.0 - t / PUSH;
            let most = FRAC_PI_2 * (0.5 + 0.5 * air / PUSH);
            1.0 - ease(s) + most * libm::sin(PI * s)
        };
        if after > 0.0 && left < PUSH {
            Some(push(left, after))
        } else if before > 0.0 && since < PUSH {
            Some(push(since, before))
        } else {
            None
        }
    }

    /// Turns about an axis that leave little of `rates`, the rates of angular momentum that the poses have with the turns
    /// `now`. `load`: force of the ground, N, sample by sample; `inertia` of what turns.
    pub fn turn(&self, rates: &[f64], now: &[f64], load: &[f64], inertia: f64) -> Vec<f64> {
        let wanted: Vec<Wanted> = (0..self.samples)
            .map(|k| {
                let size = TURN[0] * libm::pow(TURN[1] / TURN[0], self.part[k]);
                let free = if self.flies(k) { 0.0 } else { load[k].max(0.0) * SHIFT / inertia };
                let bend = second(now, k) - rates[k] / inertia;
                Wanted { wish: 0.0, near: 1.0 / (size * size), bend, slack: free * free }
            })
            .collect();
        nearest(&wanted, DT)
    }
}

/// Second derivative of samples; none at the ends.
pub(crate) fn second(x: &[f64], k: usize) -> f64 {
    if k == 0 || k + 1 >= x.len() { 0.0 } else { (x[k + 1] - 2.0 * x[k] + x[k - 1]) / (DT * DT) }
}
