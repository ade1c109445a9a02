//! Flight phases of a plan: ballistic centre of mass and constant angular momentum.
//!
//! Height: the load of a short ground contact is a half sine, 1 + z''/g = A sin(pi s), whose impulse balances the flights
//! before and after it, A = pi/2 (1 + (t_before + t_after) / (2 t_ground)). A long ground contact begins and ends with
//! such a push-off and follows the legs in between. In flight z'' = -g exactly.
//! Rotation: with L'_0 the rate of angular momentum of the poses, pelvis and trunk rotate by small angles e such that
//!     L'_0 + I e'' = 0 in flight, exactly, and on the ground small against m (g + z'') times a shift of the centre of
//!     pressure.
//! About the vertical only the chest rotates, and the free moment of friction replaces L'.
//!
//! Both solve  min sum weight (x - value)^2 + (x'' - second)^2 / slack  over samples, with x'' = second where slack is
//! zero, for x and the multipliers m of the second derivatives:
//!     weight dt^2 x + D m = weight dt^2 value,    D x - slack dt^2 m = dt^2 second,    D x = x[k-1] - 2 x[k] + x[k+1].
//! In the order x[0], m[0], x[1], ... the matrix has bandwidth three; it is eliminated with row pivoting. D^T D is never
//! formed: with steps of a millisecond it would lose all digits.
//! Source: our own.
//! Checked by: `tests/it/jumps.rs`, tests below.

use super::cop::CenterOfPressure;
use super::plan::DT;
use crate::curve::Curve;
use crate::ease::step as ease;
use core::f64::consts::{FRAC_PI_2, PI};

/// Shortest ground contact with walking in between push-offs, and duration of a push-off, s.
const LONG_CONTACT: f64 = 0.5;
const PUSH_OFF: f64 = 0.26;
/// Scales of the acceleration error: fraction of the half-sine load, and m/s2 in walking.
const LOAD_SCALE: f64 = 0.3;
const WALK_ACCELERATION_SCALE: f64 = 1.0;
/// Scales of the height error, m, and of the rotations, rad: far from flights, near flights.
const HEIGHT_SCALE: [f64; 2] = [0.002, 0.03];
const ROTATION_SCALE: [f64; 2] = [1e-4, 0.05];
/// Duration of "near flights" before and after a flight, and of its onset, s.
const NEAR_FLIGHT: f64 = 0.35;
const NEAR_ONSET: f64 = 0.3;
/// Scale of the shift of the centre of pressure left by the rotations, m.
const COP_SCALE: f64 = 0.06;
/// Lowering where the legs do not reach: largest, m, and fraction of the lack per pass.
const MAX_LOWERING: f64 = 0.15;
const LOWERING_GAIN: f64 = 0.6;
/// Half bandwidth; row exchanges add as many entries to the right again.
const SIDE: usize = 3;
const WIDTH: usize = 3 * SIDE + 1;

/// Flight and contact phases of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    /// contact phases, samples
    ground: Vec<[usize; 2]>,
    /// by sample: 1 near flights, else 0
    near: Vec<f64>,
    /// by contact phase: lowering of the centre of mass, m
    lower: Vec<f64>,
}

impl Flight {
    /// `None` for a plan without flight.
    pub fn find(pressure: &[CenterOfPressure]) -> Option<Flight> {
        let n = pressure.len();
        let mut ground: Vec<[usize; 2]> = Vec::new();
        for (k, p) in pressure.iter().enumerate() {
            match (p.in_flight, ground.last_mut()) {
                (true, _) => {}
                (false, Some(last)) if last[1] == k => last[1] = k + 1,
                (false, _) => ground.push([k, k + 1]),
            }
        }
        if ground.len() < 2 {
            return None;
        }
        let flights: Vec<[usize; 2]> = ground.windows(2).map(|w| [w[0][1], w[1][0]]).collect();
        let near = (0..n)
            .map(|k| {
                let away = flights.iter().map(|[a, b]| a.saturating_sub(k).max((k + 1).saturating_sub(*b)));
                let away = away.min().unwrap_or(n) as f64 * DT;
                1.0 - ease((away - NEAR_FLIGHT) / NEAR_ONSET)
            })
            .collect();
        let lower = vec![0.0; ground.len()];
        Some(Flight { ground, near, lower })
    }

    fn flies(&self, k: usize) -> bool {
        let n = self.ground.partition_point(|g| g[1] <= k);
        self.ground.get(n).is_none_or(|g| k < g[0])
    }

    /// Heights with ballistic flight, from those of the legs, their reach and the heights of the last pass.
    pub fn heights(&mut self, legs: &[f64], reach: &[f64], last: &[f64], gravity: f64) -> Vec<f64> {
        self.lower(reach, last);
        let lowering = self.lowering();
        let targets: Vec<Target> = (0..self.near.len())
            .map(|k| {
                let scale = HEIGHT_SCALE[0] * libm::pow(HEIGHT_SCALE[1] / HEIGHT_SCALE[0], self.near[k]);
                let down = self.near[k] * lowering.value(k as f64 * DT);
                let (weight, value) = (1.0 / (scale * scale), legs[k] + down);
                if self.flies(k) {
                    return Target { value, weight: 0.01 * weight, second: -gravity, slack: 0.0 };
                }
                let (second, scale) = match self.load(k) {
                    Some(load) => (gravity * (load - 1.0), LOAD_SCALE * gravity * load),
                    None => (second_derivative(legs, k, DT), WALK_ACCELERATION_SCALE),
                };
                Target { value, weight, second, slack: scale * scale }
            })
            .collect();
        fit(&targets, DT)
    }

    /// Lowers contact phases whose heights exceeded the reach in the last pass, and raises the others.
    fn lower(&mut self, reach: &[f64], last: &[f64]) {
        if last.iter().all(|z| *z == 0.0) {
            return;
        }
        for (n, [a, b]) in self.ground.iter().enumerate() {
            let from = if n == 0 { *a } else { (self.ground[n - 1][1] + a) / 2 };
            let to = self.ground.get(n + 1).map_or(*b, |g| (g[0] + b) / 2);
            let near = (from..to).filter(|k| self.near[*k] > 0.5);
            let miss = near.map(|k| last[k] - reach[k]).fold(f64::NEG_INFINITY, f64::max);
            if miss.is_finite() {
                self.lower[n] = (self.lower[n] + LOWERING_GAIN * miss).clamp(0.0, MAX_LOWERING);
            }
        }
    }

    /// Curve of the lowering over time.
    fn lowering(&self) -> Curve {
        let keys = self.ground.iter().enumerate().map(|(n, [a, b])| {
            let at = match n {
                0 => b.saturating_sub((PUSH_OFF / DT) as usize),
                _ if n + 1 == self.ground.len() => a + (PUSH_OFF / DT) as usize,
                _ => (a + b) / 2,
            };
            (at as f64 * DT, -self.lower[n])
        });
        Curve::through(&keys.collect::<Vec<_>>(), None)
    }

    /// Load of a contact near flights, body weights.
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
        if long < LONG_CONTACT && before > 0.0 && after > 0.0 {
            let peak = FRAC_PI_2 * (1.0 + 0.5 * (before + after) / long);
            return Some(peak * libm::sin(PI * since / long));
        }
        // push-off from walking, or landing into it
        let push = |t: f64, air: f64| {
            let s = 1.0 - t / PUSH_OFF;
            let peak = FRAC_PI_2 * (0.5 + 0.5 * air / PUSH_OFF);
            1.0 - ease(s) + peak * libm::sin(PI * s)
        };
        if after > 0.0 && left < PUSH_OFF {
            Some(push(left, after))
        } else if before > 0.0 && since < PUSH_OFF {
            Some(push(since, before))
        } else {
            None
        }
    }

    /// Rotations about an axis that cancel `rates`, the rates of angular momentum of the poses with the rotations `now`.
    /// `load`: ground reaction force, N; `inertia`: of the rotating part.
    pub fn rotations(&self, rates: &[f64], now: &[f64], load: &[f64], inertia: f64) -> Vec<f64> {
        let targets: Vec<Target> = (0..self.near.len())
            .map(|k| {
                let scale =
                    ROTATION_SCALE[0] * libm::pow(ROTATION_SCALE[1] / ROTATION_SCALE[0], self.near[k]);
                let free = if self.flies(k) { 0.0 } else { load[k].max(0.0) * COP_SCALE / inertia };
                let second = second_derivative(now, k, DT) - rates[k] / inertia;
                Target { value: 0.0, weight: 1.0 / (scale * scale), second, slack: free * free }
            })
            .collect();
        fit(&targets, DT)
    }
}

/// Second derivative of a sampled signal; zero at the ends.
pub(crate) fn second_derivative(x: &[f64], k: usize, dt: f64) -> f64 {
    if k == 0 || k + 1 >= x.len() { 0.0 } else { (x[k + 1] - 2.0 * x[k] + x[k - 1]) / (dt * dt) }
}

/// Target of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Target {
    value: f64,
    weight: f64,
    /// second derivative, and the squared scale of its error
    second: f64,
    slack: f64,
}

/// The best signal; second derivatives of the first and the last sample do not count.
fn fit(targets: &[Target], dt: f64) -> Vec<f64> {
    let n = targets.len();
    let mut band = Band::new(2 * n);
    for (k, w) in targets.iter().enumerate() {
        let (x, m) = (2 * k, 2 * k + 1);
        band.add(x, x, w.weight * dt * dt);
        band.rhs[x] = w.weight * dt * dt * w.value;
        if k == 0 || k + 1 == n {
            band.add(m, m, 1.0);
            continue;
        }
        for (j, weight) in [(k - 1, 1.0), (k, -2.0), (k + 1, 1.0)] {
            band.add(m, 2 * j, weight);
            band.add(2 * j, m, weight);
        }
        band.add(m, m, -w.slack * dt * dt);
        band.rhs[m] = dt * dt * w.second;
    }
    band.solve();
    band.rhs.iter().step_by(2).copied().collect()
}

/// A banded linear system.
struct Band {
    /// by row, from SIDE left of the diagonal on
    rows: Vec<[f64; WIDTH]>,
    rhs: Vec<f64>,
}

impl Band {
    fn new(n: usize) -> Band {
        Band { rows: vec![[0.0; WIDTH]; n], rhs: vec![0.0; n] }
    }

    fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row][column + SIDE - row] += value;
    }

    /// Replaces the right-hand side by the solution.
    fn solve(&mut self) {
        let n = self.rhs.len();
        for k in 0..n {
            let last = (k + SIDE).min(n - 1);
            // the largest entry of the column
            let at = |row: usize| k + SIDE - row;
            let best = (k..=last)
                .fold(k, |b, r| if self.rows[r][at(r)].abs() > self.rows[b][at(b)].abs() { r } else { b });
            if best != k {
                let (a, b) = (self.rows[k], self.rows[best]);
                let far = best - k;
                // each row holds columns from SIDE left of its own diagonal on
                let (mut up, mut down) = ([0.0; WIDTH], [0.0; WIDTH]);
                up[far..].copy_from_slice(&b[..WIDTH - far]);
                down[..WIDTH - far].copy_from_slice(&a[far..]);
                (self.rows[k], self.rows[best]) = (up, down);
                self.rhs.swap(k, best);
            }
            let pivot = self.rows[k];
            for r in k + 1..=last {
                let far = r - k;
                let factor = self.rows[r][SIDE - far] / pivot[SIDE];
                if factor == 0.0 {
                    continue;
                }
                for c in SIDE..WIDTH {
                    self.rows[r][c - far] -= factor * pivot[c];
                }
                self.rhs[r] -= factor * self.rhs[k];
            }
        }
        for k in (0..n).rev() {
            let row = &self.rows[k];
            let known: f64 =
                (1..WIDTH - SIDE).filter(|c| k + c < n).map(|c| row[SIDE + c] * self.rhs[k + c]).sum();
            self.rhs[k] = (self.rhs[k] - known) / row[SIDE];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flight_is_ballistic_and_contact_is_smooth() {
        let (dt, g) = (1e-3, 9.81);
        let flies = |k: usize| (400..600).contains(&k);
        let targets: Vec<Target> = (0..1001)
            .map(|k| Target {
                value: 1.0,
                weight: 1e4,
                second: if flies(k) { -g } else { 0.0 },
                slack: if flies(k) { 0.0 } else { 25.0 },
            })
            .collect();
        let x = fit(&targets, dt);
        let second = |k: usize| (x[k + 1] - 2.0 * x[k] + x[k - 1]) / (dt * dt);
        assert!((400..600).all(|k| (second(k) + g).abs() < 1e-6));
        assert!((1..1000).all(|k| second(k).abs() < 60.0));
        assert!(x.iter().all(|x| (x - 1.0).abs() < 0.05));
        assert!((x[0] - 1.0).abs() < 1e-3 && (x[500] - x[400] - 0.5 * g * 0.01).abs() < 1e-3);
    }
}
