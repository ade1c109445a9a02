//! Price of a wrench: the least cost at which contacts can provide it.
//!
//! Computes, for a wrench w (moment, force) on the whole body,
//!     phi(w) = min  sum eps_i |f_i|^2 / 2 + slack(s)   with  sum W_i f_i + s = w,  f_i in its friction cone,
//! by the dual with six unknowns y:  phi(w) = max  y.w - sum eps_i |P_i(W_i^T y / eps_i)|^2 / 2 - barrier(y), P_i the
//! projection to the cone. The barrier  -k P log(1 - |y|^2 / P^2), one for the moment and one for the force, keeps the
//! prices y of both below P: slack is nearly free of curvature, as an L1 norm with price P, and the problem is never
//! infeasible. The gradient of phi is y, its Hessian the inverse of that of the dual.
//! Source: our own; Moreau's decomposition for the dual, as in `dual`.
//! Checked by: tests below.

use crate::dual::{Cone, project};
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Most Newton steps.
const MAX_STEPS: usize = 40;
/// Tolerance of the balance, body weights.
const TOLERANCE: f64 = 1e-8;
/// Required decrease of a line-search step, parts of the slope (Armijo).
const ARMIJO: f64 = 1e-4;
/// Part of the way to the bound of the prices that a step may take.
const TO_BOUND: f64 = 0.95;

/// Six numbers: moment, then force.
pub(crate) type Six = [f64; 6];
pub(crate) type SixBySix = [Six; 6];

/// Prices of slack, and the parts of them that round their corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlackPrice {
    /// of a moment, per body weight and metre
    pub moment: f64,
    /// of a force, per body weight
    pub force: f64,
    /// slack at half the price, body weights
    pub rounding: f64,
}

/// A priced wrench.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Priced {
    /// phi
    pub value: f64,
    /// its gradient
    pub y: Six,
    /// its Hessian
    pub curvature: SixBySix,
    /// sum of the contact forces
    pub force: Vec3,
}

/// Prices `wrench`, starting at the prices `y`. `contact(i)` gives the arm and the cone of a contact.
pub(crate) fn price(
    wrench: &Six,
    contacts: usize,
    contact: impl Fn(usize) -> (Vec3, Cone),
    slack: &SlackPrice,
    start: &Six,
) -> Priced {
    let dual = Dual { wrench, contacts, contact, slack };
    let mut y = *start;
    let mut now = dual.at(&y);
    // zero prices give zero: a start above that is a poor one
    if !(now.value <= 0.0) {
        y = [0.0; 6];
        now = dual.at(&y);
    }
    for _ in 0..MAX_STEPS {
        if now.gradient.iter().all(|g| g.abs() < TOLERANCE) {
            break;
        }
        let Some(factor) = cholesky(&now.hessian) else { break };
        let step = solve(&factor, &now.gradient.map(|g| -g));
        let slope: f64 = step.iter().zip(&now.gradient).map(|(s, g)| s * g).sum();
        let mut length = dual.longest(&y, &step);
        let is_flat = slope.abs() < 1e-13 * (1.0 + now.value.abs());
        let next = loop {
            let trial: Six = core::array::from_fn(|k| y[k] + length * step[k]);
            let next = dual.at(&trial);
            if is_flat || next.value <= now.value + ARMIJO * length * slope {
                y = trial;
                break Some(next);
            }
            length *= 0.5;
            if length < 1e-9 {
                break None;
            }
        };
        match next {
            Some(next) => now = next,
            None => break,
        }
        if is_flat {
            break;
        }
    }
    let curvature = cholesky(&now.hessian).map_or([[0.0; 6]; 6], |factor| {
        core::array::from_fn(|k| solve(&factor, &core::array::from_fn(|i| if i == k { 1.0 } else { 0.0 })))
    });
    Priced { value: -now.value, y, curvature, force: now.force }
}

/// Contact force at the prices `y`.
pub(crate) fn contact_force(y: &Six, arm: Vec3, cone: &Cone) -> Vec3 {
    project(unprojected(y, arm, cone), cone).0
}

/// W^T y / eps.
fn unprojected(y: &Six, arm: Vec3, cone: &Cone) -> Vec3 {
    let [moment, force] = [vec3(y[0], y[1], y[2]), vec3(y[3], y[4], y[5])];
    (force + moment.cross(arm)).scale(1.0 / cone.eps)
}

struct Dual<'a, C> {
    wrench: &'a Six,
    contacts: usize,
    contact: C,
    slack: &'a SlackPrice,
}

/// The dual at some prices.
struct Evaluated {
    value: f64,
    gradient: Six,
    hessian: SixBySix,
    force: Vec3,
}

impl<C: Fn(usize) -> (Vec3, Cone)> Dual<'_, C> {
    fn at(&self, y: &Six) -> Evaluated {
        let mut e = Evaluated { value: 0.0, gradient: [0.0; 6], hessian: [[0.0; 6]; 6], force: Vec3::ZERO };
        for k in 0..6 {
            e.value -= y[k] * self.wrench[k];
            e.gradient[k] = -self.wrench[k];
        }
        for (from, price) in [(0, self.slack.moment), (3, self.slack.force)] {
            e.add_barrier(y, from, price, self.slack.rounding);
        }
        for i in 0..self.contacts {
            let (arm, cone) = (self.contact)(i);
            let (f, slope) = project(unprojected(y, arm, &cone), &cone);
            let Some(slope) = slope else { continue };
            e.value += 0.5 * cone.eps * f.dot(f);
            e.force += f;
            let moment = arm.cross(f).to_array();
            let own = f.to_array();
            for k in 0..3 {
                e.gradient[k] += moment[k];
                e.gradient[3 + k] += own[k];
            }
            // G = slope / eps; blocks  G,  [arm]x G,  [arm]x G [arm]x^T
            let unit = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)];
            let g = unit.map(|u| slope.apply(u).scale(1.0 / cone.eps));
            let turned = g.map(|c| arm.cross(c));
            for j in 0..3 {
                let (column, moment) = (g[j].to_array(), turned[j].to_array());
                for i in 0..3 {
                    e.hessian[3 + i][3 + j] += column[i];
                    e.hessian[i][3 + j] += moment[i];
                    e.hessian[3 + j][i] += moment[i];
                }
            }
            // rows of [arm]x G, each crossed with the arm
            for i in 0..3 {
                let row = vec3(turned[0].to_array()[i], turned[1].to_array()[i], turned[2].to_array()[i]);
                let own = arm.cross(row).to_array();
                (0..3).for_each(|j| e.hessian[i][j] += own[j]);
            }
        }
        e
    }

    /// The longest step, at most one, that keeps prices within their bounds.
    fn longest(&self, y: &Six, step: &Six) -> f64 {
        let mut length: f64 = 1.0;
        for (from, price) in [(0, self.slack.moment), (3, self.slack.force)] {
            let dot = |a: &Six, b: &Six| (from..from + 3).map(|k| a[k] * b[k]).sum::<f64>();
            // |y + t s|^2 = price^2
            let (a, b, c) = (dot(step, step), dot(y, step), dot(y, y) - price * price);
            if a > 0.0 {
                let root = (b * b - a * c).max(0.0).sqrt();
                length = length.min(TO_BOUND * (root - b) / a);
            }
        }
        length
    }
}

impl Evaluated {
    /// -k P log(1 - |y|^2 / P^2) with 4/3 k = rounding, so that slack at half the price is the rounding.
    fn add_barrier(&mut self, y: &Six, from: usize, price: f64, rounding: f64) {
        let k = 0.75 * rounding * price;
        let square: f64 = (from..from + 3).map(|k| y[k] * y[k]).sum();
        let room = (price * price - square).max(1e-12 * price * price);
        self.value -= k * libm::log(room / (price * price));
        let rate = 2.0 * k / room;
        for i in from..from + 3 {
            self.gradient[i] += rate * y[i];
            self.hessian[i][i] += rate;
            for j in from..from + 3 {
                self.hessian[i][j] += 2.0 * rate / room * y[i] * y[j];
            }
        }
    }
}

/// Lower factor; `None` if not positive definite.
fn cholesky(m: &SixBySix) -> Option<SixBySix> {
    let mut l = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in 0..=i {
            let sum = m[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if i == j {
                if !(sum > 0.0) {
                    return None;
                }
                l[i][i] = sum.sqrt();
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    }
    Some(l)
}

fn solve(l: &SixBySix, b: &Six) -> Six {
    let mut x = *b;
    for i in 0..6 {
        let sum: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i][i];
    }
    for i in (0..6).rev() {
        let sum: f64 = (i + 1..6).map(|k| l[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLACK: SlackPrice = SlackPrice { moment: 1e4, force: 5e3, rounding: 2e-3 };
    const UP: Vec3 = vec3(0.0, 0.0, 1.0);

    fn feet() -> Vec<(Vec3, Cone)> {
        let at = [(-0.05, 0.1), (0.15, 0.1), (-0.05, -0.1), (0.15, -0.1)];
        at.map(|(x, y)| (vec3(x, y, -0.9), Cone { normal: UP, friction: 0.6, eps: 0.2 })).to_vec()
    }

    fn priced(wrench: Six) -> Priced {
        let feet = feet();
        price(&wrench, feet.len(), |i| feet[i], &SLACK, &[0.0; 6])
    }

    #[test]
    fn the_gradient_and_the_hessian_are_those_of_the_value() {
        // inside the cones, at their edge, and beyond what contacts can give
        for w in [
            [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            [0.02, -0.05, 0.01, 0.5, 0.1, 0.8],
            [0.3, 0.0, 0.0, 0.0, 0.9, 0.4],
        ] {
            let found = priced(w);
            for k in 0..6 {
                let h = 1e-5;
                let [more, less] = [h, -h].map(|h| {
                    let mut moved = w;
                    moved[k] += h;
                    priced(moved)
                });
                let slope = (more.value - less.value) / (2.0 * h);
                assert!(
                    (slope - found.y[k]).abs() < 1e-3 * (1.0 + slope.abs()),
                    "{w:?} {k}: {slope} {:?}",
                    found.y
                );
                for i in 0..6 {
                    let curve = (more.y[i] - less.y[i]) / (2.0 * h);
                    let scale = 1.0 + (found.curvature[i][i] * found.curvature[k][k]).sqrt();
                    assert!(
                        (curve - found.curvature[i][k]).abs() < 0.05 * scale,
                        "{w:?} {i} {k}: {curve} {}",
                        found.curvature[i][k]
                    );
                }
            }
        }
    }

    #[test]
    fn feasible_wrenches_are_cheap_and_others_cost_their_slack() {
        let standing = priced([0.0, -0.05, 0.0, 0.0, 0.0, 1.0]);
        assert!(standing.value < 0.1 && (standing.force.z - 1.0).abs() < 1e-3, "{standing:?}");
        // contacts cannot pull: the slack is the whole force
        let pull = priced([0.0, 0.0, 0.0, 0.0, 0.0, -0.5]);
        assert!(
            (pull.value / (0.5 * SLACK.force) - 1.0).abs() < 0.05 && pull.force.norm() < 1e-6,
            "{pull:?}"
        );
        // half a body weight sideways beyond the cone
        let slide = priced([0.0, 0.0, 0.0, 1.1, 0.0, 1.0]);
        assert!(slide.value > 1000.0 && slide.force.x <= 0.6 * slide.force.z + 1e-9, "{slide:?}");
    }
}
