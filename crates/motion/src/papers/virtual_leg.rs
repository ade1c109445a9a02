//! Ground reaction force as a controller: a spring along the leg from the centre of mass to the ground, and a moment that
//! regulates the angular momentum.
//!
//! Computes with r from the centre of mass to the contact point, H the angular momentum about the centre of mass,
//!     f . r/|r| = k (|r| - r_s)              [L1992 eq. 7.1]
//!     r x f = k_h (H_desired - H)            [L1992 eq. 7.2]
//! so  f = k (|r| - r_s) r/|r| + M x r / |r|^2,  the minimum-norm f with this moment.
//! In double support the virtual foot is between the feet, p = (1 - alpha) p_rear + alpha p_front, and they share the force
//! in the same proportion [L1992 §9.4.5]; alpha goes from 0 to 1 by [`Sharing`].
//! We differ: r_s > |r| is compression, which pushes the body away from the ground; §9.4.5 has the opposite sign.
//! Only two of the three rows of eq. 7.2 can be satisfied: no force at the contact point has a moment about r itself, so that
//! component is dropped. A leg longer than its rest length does not pull: the force along it is zero.
//! Not here: contact constraints. The spring is none, and feet slide (`docs/virtual_leg.md`).
//! Checked by: tests below, `tests/it/virtual_leg.rs`.
//!
//! | part | content |
//! |---|---|
//! | `support` | contact intervals and support phases of a desired motion |
//! | `simulation` | simulates a figure on this leg along a desired motion |

mod simulation;
mod support;

pub use simulation::{Difference, RestLength, VirtualLegRun, simulate};

use super::check_range;
use crate::error::Error;
use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Force, Vec3};
use core::f64::consts::PI;

/// Load share of the front foot in double support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// alpha = s
    Linear,
    /// alpha = (1 - cos(pi s)) / 2
    #[default]
    Cosine,
    /// alpha = 3 s^2 - 2 s^3
    Cubic,
}

impl Sharing {
    /// alpha at a fraction `s` of double support; 0 before it and 1 after it.
    pub fn at(self, s: f64) -> f64 {
        let s = s.clamp(0.0, 1.0);
        match self {
            Sharing::Linear => s,
            Sharing::Cosine => 0.5 * (1.0 - libm::cos(PI * s)),
            Sharing::Cubic => s * s * (3.0 - 2.0 * s),
        }
    }
}

/// A spring leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualLeg {
    /// k, N/m
    pub stiffness: f64,
    /// r_s, m
    pub rest_length: f64,
    /// k_h, 1/s: feedback rate of the angular momentum
    pub turn_rate: f64,
    /// load transfer in double support
    pub sharing: Sharing,
}

/// Stiffness of a leg, body weights per length: it compresses by a tenth of its length under the weight. The thesis leaves
/// it to experiments; ours are in `docs/virtual_leg.md`.
const STIFFNESS: f64 = 10.0;
/// Feedback rate of the angular momentum, 1/s.
const TURN_RATE: f64 = 10.0;
/// Least length of a leg, m, so that it has a direction.
const MIN_LENGTH: f64 = 1e-3;
/// Least cosine between leg and vertical in [`VirtualLeg::carrying`].
const MIN_COSINE: f64 = 0.2;

impl VirtualLeg {
    /// A leg that carries a weight, N, at this length, m.
    pub fn new(weight: f64, length: f64) -> VirtualLeg {
        let stiffness = STIFFNESS * weight / length;
        let rest_length = length + weight / stiffness;
        VirtualLeg { stiffness, rest_length, turn_rate: TURN_RATE, sharing: Sharing::default() }
    }

    /// The rest length with which the vertical component of the spring force is a weight, N. Nearly horizontal legs carry
    /// less.
    pub fn carrying(&self, leg: Vec3, weight: f64) -> f64 {
        let length = leg.norm();
        let upright = (-leg.z / length).max(MIN_COSINE);
        length + weight / (self.stiffness * upright)
    }

    /// Ground force, and its moment about the centre of mass, for a leg from the centre of mass to the contact point, and
    /// actual and desired angular momentum about the centre of mass, world axes.
    pub fn reaction(&self, leg: Vec3, angular_momentum: Vec3, desired: Vec3) -> Force {
        let length = leg.norm().max(MIN_LENGTH);
        // [L1992 eq. 7.1], never a pull
        let along = (self.stiffness * (length - self.rest_length)).min(0.0);
        // [L1992 eq. 7.2]: r x (M x r) = |r|^2 M less the component along r
        let moment = (desired - angular_momentum).scale(self.turn_rate);
        let force = leg.scale(along / length) + moment.cross(leg).scale(1.0 / (length * length));
        Force::new(leg.cross(force), force)
    }

    /// As [`VirtualLeg::reaction`], for a figure at a state with its contact point in the world.
    ///
    /// # Errors
    /// Lists of the wrong length.
    pub fn reaction_on(
        &self,
        figure: &Figure,
        [q, v]: [&[f64]; 2],
        contact: Vec3,
        desired: Vec3,
    ) -> Result<Force, Error> {
        let forest = figure.forest();
        for (what, got, expected) in [("q", q.len(), forest.nq()), ("v", v.len(), forest.nv())] {
            if got != expected {
                return Err(Error::Dimension { what: what.into(), expected, got });
            }
        }
        let mut kinematics = Kinematics::default();
        kinematics.update(forest, q, Some(v), None);
        let leg = contact - centroidal::center_of_mass(forest, &kinematics);
        Ok(self.reaction(leg, centroidal::momentum(forest, &kinematics).angular, desired))
    }

    /// Forces of the rear and the front foot at a fraction `s` of double support, from that of the virtual foot.
    pub fn shared(&self, force: Vec3, s: f64) -> [Vec3; 2] {
        let alpha = self.sharing.at(s);
        [force.scale(1.0 - alpha), force.scale(alpha)]
    }

    /// Position of the virtual foot at a fraction `s` of double support.
    pub fn foot(&self, rear: Vec3, front: Vec3, s: f64) -> Vec3 {
        rear + (front - rear).scale(self.sharing.at(s))
    }

    fn check(&self) -> Result<(), Error> {
        check_range("stiffness of the leg", self.stiffness, "zero or more", |x| x >= 0.0)?;
        check_range("rest length of the leg", self.rest_length, "zero or more", |x| x >= 0.0)?;
        check_range("feedback rate of the angular momentum", self.turn_rate, "zero or more", |x| x >= 0.0)?;
        check_range("stiffness of the leg", self.stiffness, "more than zero", |x| x > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::vec3;

    const ROUNDING: f64 = 1e-12;

    #[test]
    fn shares_go_from_zero_to_one_symmetrically() {
        for sharing in [Sharing::Linear, Sharing::Cosine, Sharing::Cubic] {
            assert_eq!((sharing.at(0.0), sharing.at(-3.0)), (0.0, 0.0), "{sharing:?}");
            assert_eq!((sharing.at(1.0), sharing.at(7.0)), (1.0, 1.0), "{sharing:?}");
            assert!((sharing.at(0.5) - 0.5).abs() < ROUNDING, "{sharing:?}");
            let mut last = 0.0;
            for k in 0..=100 {
                let s = f64::from(k) / 100.0;
                assert!((sharing.at(s) + sharing.at(1.0 - s) - 1.0).abs() < ROUNDING, "{sharing:?} {s}");
                assert!(sharing.at(s) >= last, "{sharing:?} {s}");
                last = sharing.at(s);
            }
            // smooth laws start and end with zero slope
            let slope = sharing.at(1e-4) / 1e-4;
            assert_eq!(slope < 0.01, sharing != Sharing::Linear, "{sharing:?} {slope}");
        }
    }

    #[test]
    fn both_feet_together_match_the_virtual_foot() {
        let leg = VirtualLeg::new(700.0, 0.9);
        let (rear, front, f) = (vec3(-0.2, 0.1, 0.0), vec3(0.3, -0.1, 0.0), vec3(50.0, -20.0, 800.0));
        for s in [0.0, 0.3, 0.5, 1.0] {
            let [a, b] = leg.shared(f, s);
            let moment = rear.cross(a) + front.cross(b);
            assert!((a + b - f).norm() < ROUNDING * 1e3);
            assert!((moment - leg.foot(rear, front, s).cross(f)).norm() < ROUNDING * 1e3, "{s}");
        }
    }

    #[test]
    fn the_spring_pushes_and_never_pulls() {
        let leg = VirtualLeg { rest_length: 1.0, ..VirtualLeg::new(700.0, 0.9) };
        let down = vec3(0.0, 0.0, -1.0);
        let at = |length: f64| leg.reaction(down.scale(length), Vec3::ZERO, Vec3::ZERO);
        let push = at(0.95).linear;
        assert!((push - vec3(0.0, 0.0, 0.05 * leg.stiffness)).norm() < ROUNDING * leg.stiffness, "{push:?}");
        assert_eq!(at(1.05).linear.norm(), 0.0);
        // the weight is carried at the design length
        let made = VirtualLeg::new(700.0, 0.9);
        assert!((made.reaction(down.scale(0.9), Vec3::ZERO, Vec3::ZERO).linear.z - 700.0).abs() < 1e-9);
        let slanted = vec3(0.3, 0.0, -0.8);
        let carrying = VirtualLeg { rest_length: made.carrying(slanted, 700.0), ..made };
        let up = carrying.reaction(slanted, Vec3::ZERO, Vec3::ZERO).linear;
        assert!((up.z - 700.0).abs() < 1e-9 && up.cross(slanted).norm() < 1e-9, "{up:?}");
    }

    #[test]
    fn the_moment_follows_the_law_except_along_the_leg() {
        let leg = VirtualLeg::new(700.0, 0.9);
        let (r, angular_momentum, desired) =
            (vec3(0.2, -0.1, -0.85), vec3(1.0, -2.0, 0.5), vec3(0.3, 3.0, -0.7));
        let found = leg.reaction(r, angular_momentum, desired);
        let moment = (desired - angular_momentum).scale(leg.turn_rate);
        let unit = r.scale(1.0 / r.norm());
        let expected = moment - unit.scale(moment.dot(unit));
        assert!((found.angular - expected).norm() < ROUNDING * 1e3, "{:?} {expected:?}", found.angular);
        assert!((r.cross(found.linear) - found.angular).norm() < ROUNDING);
        // the transverse component does not change the one along the leg
        let plain = leg.reaction(r, angular_momentum, angular_momentum).linear;
        assert!(((found.linear - plain).dot(unit)).abs() < ROUNDING * 1e3);
        assert!((plain.dot(unit) - leg.stiffness * (r.norm() - leg.rest_length)).abs() < 1e-9);
    }
}
