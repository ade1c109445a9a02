//! One contact's hypothesis: which of its points carry, whether it sticks or slides; the rows that follow, and the checks.
//!
//! Everything is in impulses p = (fx fy fz nx ny nz) and velocities u = (vx vy vz wx wy wz) of link a against link b, in
//! the axes of the patch about its origin. Solved for all contacts together (`check`):  u = u_free + G p.
//!
//! Rows  of the points that carry: v_z of one (point) or two (line) of them, or v_z, w_x, w_y (surface) [NY2000J Table 1],
//! each equal to what the gap allows; and of friction: slip (v_x, v_y, d w_z) at the friction centre [Table 2].
//! Checks, in this order: f_z > 0; p_v inside the hull of the points that carry [eq. 26]; no other point sinks;
//! |(f_x, f_y, n_z(p)/d)| <= mu f_z, and what slides has its friction against the slip [eq. 31-36].
//! Source: [NY2000J §4.2-4.7].
//! We differ, to end for many contacts: a limit surface that is an ellipsoid instead of a diamond; friction rows that do
//! not depend on the normal state; a contact that cannot stick begins to slide through a compliance, slip = -alpha
//! friction (symmetric, always solvable), and only then takes the modified column of eq. 36, with the derivative of the
//! slip direction beside it (Newton's method on the direction); points that were let go are looked at again.
//! Checked by: `tests/contact_solver.rs`.

use super::face::{Block, Face, Six, norm3, solve3};
use super::region::{Set, members};

/// Velocity conditions, m/s.
pub const TOLERANCE_VELOCITY: f64 = 1e-9;
/// Force conditions, against the largest normal impulse.
pub const TOLERANCE_FORCE: f64 = 1e-9;
/// Turn of the slip direction that counts as none.
const TOLERANCE_DIRECTION: f64 = 1e-9;
/// Turn of the slip direction beyond which Newton's method is left for the compliance.
const LARGE_TURN: f64 = 0.2;
/// Change of the compliance, relative, below which Newton's method on the direction begins.
const SMALL_CHANGE: f64 = 0.05;

/// How a contact is thought to move along.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Grip {
    /// no slip
    #[default]
    Stick,
    /// slip = -alpha friction, direction open
    Compliant,
    /// friction mu f_z against the slip direction `s`
    Directed,
}

/// What is thought of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hypothesis {
    /// points that carry
    pub set: Set,
    /// how it moves along
    pub grip: Grip,
    /// slip over friction
    pub alpha: f64,
    /// slip direction in (v_x, v_y, d w_z)
    pub slip: [f64; 3],
    /// limit of friction over the trial force of Newton's method
    pub beta: f64,
}

/// What happened to a contact in this solve, against cycles; and whether its friction centre follows.
#[derive(Clone, Copy, Debug, Default)]
pub struct History {
    releases: u32,
    stops: u32,
    hulls: u32,
    alphas: u32,
    returns: u32,
    /// w_z / f_z where the friction centre follows the centre of pressure
    pub spin: Option<f64>,
    bracket_of: Option<Set>,
    low: f64,
    high: f64,
}

/// Kinds of change between passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// of the points that carry
    Normal(Hypothesis),
    /// of friction
    Friction(Hypothesis),
}

impl Face {
    /// The checks of one contact, given the impulse and velocity of its hypothesis: what to think instead, or nothing.
    /// `scale` is the largest normal impulse of all contacts.
    #[allow(clippy::too_many_arguments)] // what the check looks at
    pub fn check(
        &self,
        g: &Block,
        hy: &Hypothesis,
        p: &Six,
        u: &Six,
        scale: f64,
        rho: f64,
        is_alone: bool,
        past: &mut History,
    ) -> Option<Change> {
        let mut sinking: Set = 0;
        let (mut deepest, mut least) = ((0, f64::INFINITY), f64::INFINITY);
        for i in 0..self.count {
            let v = self.normal_velocity(i, u);
            least = least.min(v);
            let short = v - self.target[i];
            if hy.set >> i & 1 == 0 && short < -TOLERANCE_VELOCITY {
                sinking |= 1 << i;
                if short < deepest.1 {
                    deepest = (i, short);
                }
            }
        }
        let press = p[2];
        let is_uneven = members(hy.set & self.all())
            .any(|i| self.normal_velocity(i, u) - self.target[i] < -TOLERANCE_VELOCITY);
        let loosened = |set: Set, past: &History| {
            // little friction: the frictionless answer always exists, while stick may pull or overturn the contact
            let pressed = press.max(-least / g[2][2]).max(1e-9);
            let slip = norm3(&self.slip(u)) / (self.dynamic_friction * pressed + 1e-12);
            let mean = self.mean_slip(g);
            let times = past.releases as i32 + past.hulls as i32 / 2 - 1;
            let alpha = slip.max(0.3 * mean) * power_of_4(times);
            Hypothesis { set, grip: Grip::Compliant, alpha, ..Hypothesis::default() }
        };
        if hy.set == 0 {
            return (sinking != 0).then(|| {
                Change::Normal(if past.releases > 0 {
                    loosened(1 << deepest.0, past) // one point alone never pulls
                } else {
                    Hypothesis { set: sinking, ..Hypothesis::default() }
                })
            });
        }
        // (1) what would have to pull lets go
        if !(press > 0.0) {
            past.releases += 1;
            return Some(Change::Normal(Hypothesis::default()));
        }
        let with_set = |set: Set| {
            let grip = if hy.grip == Grip::Directed { Grip::Compliant } else { hy.grip };
            Change::Normal(Hypothesis { set, grip, ..*hy })
        };
        // (2) the centre of pressure leaves the region: the nearest edge or corner carries
        let places = &self.places[..self.count];
        let near = self.hull_of(hy.set).nearest(places, Face::pressure_center(p));
        if near.distance * press > 0.1 * TOLERANCE_FORCE * scale {
            past.hulls += 1;
            if hy.grip == Grip::Stick && (past.hulls == 3 || past.hulls == 6) {
                return Some(Change::Friction(loosened(hy.set, past)));
            }
            return Some(with_set(near.feature));
        }
        // points that cannot all touch: those that can, under the centre of pressure
        if is_uneven
            && let Some(set) = self.facet(hy.set, near.place)
            && set != hy.set
        {
            return Some(with_set(set));
        }
        // a point that does not carry sinks: it must (the paper waits for the next step)
        if sinking != 0 {
            let is_cycling = past.hulls > 1;
            let set = hy.set | if is_cycling { 1 << deepest.0 } else { sinking };
            return Some(if is_cycling && hy.grip == Grip::Stick {
                Change::Normal(loosened(set, past))
            } else {
                with_set(set)
            });
        }
        self.check_friction(g, hy, p, u, scale, rho, is_alone, past).map(Change::Friction)
    }

    /// (3) friction within its limit, against the slip.
    #[allow(clippy::too_many_arguments)]
    fn check_friction(
        &self,
        g: &Block,
        hy: &Hypothesis,
        p: &Six,
        u: &Six,
        scale: f64,
        rho: f64,
        is_alone: bool,
        past: &mut History,
    ) -> Option<Hypothesis> {
        if self.friction_rows() == 0 {
            return None;
        }
        let (friction, press) = (self.friction(p), p[2]);
        let size = norm3(&friction);
        let limit = self.dynamic_friction * press;
        let stuck = Hypothesis { set: hy.set, ..Hypothesis::default() };
        let mut new = *hy;
        match hy.grip {
            Grip::Stick => {
                if size <= self.static_friction * press + TOLERANCE_FORCE * scale {
                    return None;
                }
                new.grip = Grip::Compliant;
                new.alpha = self.next_alpha(g, 0.0, &friction, limit).max(1e-6 * g[0][0]);
                Some(new)
            }
            Grip::Compliant => {
                // slip too small to see: it sticks, with a load that redundant contacts share as the compliance says
                if size <= self.static_friction * press && hy.alpha * size <= TOLERANCE_VELOCITY {
                    return None;
                }
                let next = self.next_alpha(g, hy.alpha, &friction, limit);
                if past.bracket_of != Some(hy.set) && !(is_alone && past.alphas > 6) {
                    past.bracket_of = Some(hy.set);
                    (past.low, past.high) = (0.0, f64::INFINITY);
                }
                if size > limit {
                    past.low = past.low.max(hy.alpha);
                } else {
                    past.high = past.high.min(hy.alpha);
                }
                let mut alpha = next;
                if !(alpha > 0.0) {
                    past.stops += 1;
                    if (past.stops == 1 && past.low == 0.0) || hy.alpha < 1e-9 * g[0][0] {
                        return Some(stuck);
                    }
                    alpha = (0.1 * hy.alpha).max((past.low * hy.alpha).sqrt());
                } else if !(past.low < alpha && alpha < past.high)
                    || (past.alphas > 6 && past.low > 0.0 && past.high.is_finite())
                {
                    alpha = if past.high.is_finite() {
                        (past.low.max(1e-10 * g[0][0]) * past.high).sqrt()
                    } else {
                        4.0 * hy.alpha
                    };
                }
                past.alphas += 1;
                new.alpha = alpha;
                if (alpha - hy.alpha).abs() < SMALL_CHANGE / power_of_4(past.returns.min(8) as i32) * alpha {
                    let (trial, size) = self.trial(&friction, u, rho);
                    new.grip = Grip::Directed;
                    new.slip = trial.map(|t| -t / size);
                    new.beta = (limit / size).min(1.0);
                }
                Some(new)
            }
            Grip::Directed => {
                let (trial, size) = self.trial(&friction, u, rho);
                if size <= limit {
                    past.stops += 1;
                    if past.stops > 1 {
                        new.grip = Grip::Compliant;
                        past.returns += 1;
                        let less = if past.returns > 1 { 0.9 } else { 0.2 };
                        new.alpha = (less * hy.alpha).max(1e-9 * g[0][0]);
                        return Some(new);
                    }
                    return Some(stuck);
                }
                new.slip = trial.map(|t| -t / size);
                new.beta = limit / size;
                new.alpha = norm3(&self.slip(u)).max(1e-12) / limit.max(1e-300);
                past.spin = past.spin.map(|_| u[5] / press);
                let is_off = (norm3(&friction) - limit).abs() > TOLERANCE_FORCE * scale;
                let turn = norm3(&[0, 1, 2].map(|i| new.slip[i] - hy.slip[i]));
                if turn > LARGE_TURN {
                    past.returns += 1;
                    new.grip = Grip::Compliant;
                    return Some(new);
                }
                (turn > TOLERANCE_DIRECTION || is_off && past.spin.is_some()).then_some(new)
            }
        }
    }

    /// A sliding hypothesis in the direction of an answer.
    pub fn directed(&self, hy: &Hypothesis, p: &Six, u: &Six, rho: f64) -> Hypothesis {
        let (trial, size) = self.trial(&self.friction(p), u, rho);
        let beta = (self.dynamic_friction * p[2] / size).min(1.0);
        Hypothesis { grip: Grip::Directed, slip: trial.map(|t| -t / size), beta, ..*hy }
    }

    /// How far an answer is from the conditions on the points that carry: part of the load or of the speed.
    pub fn normal_excess(&self, set: Set, p: &Six, u: &Six, speed: f64) -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..self.count {
            worst = worst.max((self.target[i] - self.normal_velocity(i, u)) / speed);
        }
        if set == 0 {
            return worst;
        }
        if !(p[2] > 0.0) {
            return f64::INFINITY;
        }
        let places = &self.places[..self.count];
        worst.max(self.hull_of(set).nearest(places, Face::pressure_center(p)).distance / 0.1)
    }

    /// friction - rho slip, and its size.
    fn trial(&self, friction: &[f64; 3], u: &Six, rho: f64) -> ([f64; 3], f64) {
        let slip = self.slip(u);
        let t = [0, 1, 2].map(|i| friction[i] - rho * slip[i]);
        (t, norm3(&t).max(1e-300))
    }

    /// More's update of the secular equation |friction(alpha)| = limit, with the contact's own G.
    fn next_alpha(&self, g: &Block, alpha: f64, friction: &[f64; 3], limit: f64) -> f64 {
        let k = self.friction_rows();
        let n = norm3(friction);
        if n == 0.0 {
            return 0.0;
        }
        let mut m = self.own_slip(g);
        (0..k).for_each(|i| m[i][i] += alpha);
        let x = solve3(&m, *friction, k);
        let along: f64 = (0..k).map(|i| friction[i] * x[i]).sum();
        alpha + n * n / along * (n / limit.max(1e-300) - 1.0)
    }
}

fn power_of_4(n: i32) -> f64 {
    let one = if n < 0 { 0.25 } else { 4.0 };
    (0..n.unsigned_abs().min(40)).fold(1.0, |p, _| p * one)
}
