//! Contact mode of one contact as a hypothesis: loaded points, stick or slip; its rows and validity checks.
//!
//! Everything is in impulses p = (fx fy fz nx ny nz) and velocities u = (vx vy vz wx wy wz) of link a against link b, in
//! the axes of the patch about its origin. Solved for all contacts together (`check`):  u = u_free + G p.
//!
//! Rows  of the loaded points: v_z of one (point) or two (line) of them, or v_z, w_x, w_y (surface) [NY2000J Table 1],
//! each equal to the velocity the gap allows; and of friction: slip (v_x, v_y, d w_z) at the friction centre [Table 2].
//! Checks, in this order: f_z > 0; p_v inside the hull of the loaded points [eq. 26]; no other point penetrates;
//! |(f_x, f_y, n_z(p)/d)| <= mu f_z, and sliding friction opposes the slip [eq. 31-36].
//! Source: [NY2000J §4.2-4.7].
//! We differ, to terminate with many contacts: the limit surface is an ellipsoid instead of a diamond; friction rows do
//! not depend on the normal state; a contact that cannot stick starts to slide through a compliance, slip = -alpha
//! friction (symmetric, always solvable), and only then takes the modified column of eq. 36 with the derivative of the
//! slip direction (Newton's method on the direction); released points are checked again.
//! Checked by: `tests/it/contact_solver.rs`.

use super::face::{Block, Face, Six, norm3, solve3};
use super::region::{Set, members};

/// Tolerance of velocity conditions, m/s.
pub const TOLERANCE_VELOCITY: f64 = 1e-9;
/// Tolerance of force conditions, relative to the largest normal impulse.
pub const TOLERANCE_FORCE: f64 = 1e-9;
/// Change of the slip direction at which Newton's method has converged.
const TOLERANCE_DIRECTION: f64 = 1e-9;
/// Change of the slip direction beyond which Newton's method falls back to the compliance.
const LARGE_TURN: f64 = 0.2;
/// Relative change of the compliance below which Newton's method on the direction starts.
const SMALL_CHANGE: f64 = 0.05;

/// Tangential mode of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Grip {
    /// no slip
    #[default]
    Stick,
    /// slip = -alpha friction, direction unknown
    Compliant,
    /// friction mu f_z against the slip direction `s`
    Directed,
}

/// Mode of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hypothesis {
    /// loaded points
    pub set: Set,
    /// tangential mode
    pub grip: Grip,
    /// slip over friction
    pub alpha: f64,
    /// slip direction in (v_x, v_y, d w_z)
    pub slip: [f64; 3],
    /// friction limit over the trial force of Newton's method
    pub beta: f64,
}

/// Mode changes of a contact in this solve, to break cycles; and whether its friction centre moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct History {
    releases: u32,
    stops: u32,
    hulls: u32,
    alphas: u32,
    returns: u32,
    /// w_z / f_z if the friction centre follows the centre of pressure
    pub spin: Option<f64>,
    bracket_of: Option<Set>,
    low: f64,
    high: f64,
}

/// Mode change between passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// of the loaded points
    Normal(Hypothesis),
    /// of friction
    Friction(Hypothesis),
}

impl Face {
    /// Checks the impulse and velocity of one contact against its mode: the next mode, or `None` if valid. `scale` is the
    /// largest normal impulse of all contacts.
    #[allow(clippy::too_many_arguments)] // inputs of the check
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
            // little friction: the frictionless solution always exists, while stick may pull or tip the contact
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
                    loosened(1 << deepest.0, past) // a single point never pulls
                } else {
                    Hypothesis { set: sinking, ..Hypothesis::default() }
                })
            });
        }
        // (1) a contact that would pull is released
        if !(press > 0.0) {
            past.releases += 1;
            return Some(Change::Normal(Hypothesis::default()));
        }
        let with_set = |set: Set| {
            let grip = if hy.grip == Grip::Directed { Grip::Compliant } else { hy.grip };
            Change::Normal(Hypothesis { set, grip, ..*hy })
        };
        // (2) the centre of pressure leaves the region: the nearest edge or corner is loaded
        let places = &self.places[..self.count];
        let near = self.hull_of(hy.set).nearest(places, Face::pressure_center(p));
        if near.distance * press > 0.1 * TOLERANCE_FORCE * scale {
            past.hulls += 1;
            if hy.grip == Grip::Stick && (past.hulls == 3 || past.hulls == 6) {
                return Some(Change::Friction(loosened(hy.set, past)));
            }
            return Some(with_set(near.feature));
        }
        // not all points can touch: load those that can, under the centre of pressure
        if is_uneven
            && let Some(set) = self.facet(hy.set, near.place)
            && set != hy.set
        {
            return Some(with_set(set));
        }
        // an unloaded point penetrates: load it (the paper waits for the next step)
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

    /// (3) friction within its limit, opposing the slip.
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
                // negligible slip: it sticks, and the compliance distributes the load among redundant contacts
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

    /// A sliding mode in the direction of a solution.
    pub fn directed(&self, hy: &Hypothesis, p: &Six, u: &Six, rho: f64) -> Hypothesis {
        let (trial, size) = self.trial(&self.friction(p), u, rho);
        let beta = (self.dynamic_friction * p[2] / size).min(1.0);
        Hypothesis { grip: Grip::Directed, slip: trial.map(|t| -t / size), beta, ..*hy }
    }

    /// Violation of the normal conditions, as a part of the load or of the speed.
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
