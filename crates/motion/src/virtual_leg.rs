//! The ground reaction as a controller: a spring along the leg from the centre of mass to the ground, and a moment that
//! brings the angular momentum to where it is wanted.
//!
//! Computes with r from the centre of mass to the contact point, H the angular momentum about the centre of mass,
//!     f . r/|r| = k (|r| - r_s)              [L1992 eq. 7.1]
//!     r x f = k_h (H_wanted - H)             [L1992 eq. 7.2]
//! so  f = k (|r| - r_s) r/|r| + M x r / |r|^2,  the least f with this moment.
//! In double support the foot is between the feet, p = (1 - alpha) p_rear + alpha p_front, and they share the force as
//! alpha does [L1992 §9.4.5]; alpha goes from 0 to 1 as [`Sharing`] says.
//! We differ: r_s > |r| is compression, which pushes the body away from the ground; §9.4.5 has the sign the other way.
//! Eq. 7.2 has three rows and only two of them can be met: no force at the contact point has a moment about r itself. What
//! is asked along r is left out. A leg longer than its rest does not pull: the force along it is zero.
//! Not here: holding the foot. The spring is no constraint, and feet slide (`docs/virtual_leg.md`).
//! Checked by: tests below, `crates/io/tests/virtual_leg.rs`.
//!
//! | part | what it does |
//! |---|---|
//! | `support` | which foot carries when, from a course |
//! | `ride` | a figure along a course on this leg |

mod ride;
mod support;

pub use ride::{Difference, Rest, Ride, ride};

use crate::error::Error;
use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Force, Vec3};
use core::f64::consts::PI;

/// How the share of the front foot grows in double support.
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
    /// alpha at a part `s` of double support; 0 before it and 1 after it.
    pub fn at(self, s: f64) -> f64 {
        let s = s.clamp(0.0, 1.0);
        match self {
            Sharing::Linear => s,
            Sharing::Cosine => 0.5 * (1.0 - libm::cos(PI * s)),
            Sharing::Cubic => s * s * (3.0 - 2.0 * s),
        }
    }
}

/// A leg that is a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualLeg {
    /// k, N/m
    pub stiffness: f64,
    /// r_s, m
    pub rest_length: f64,
    /// k_h, 1/s: rate at which angular momentum comes to where it is wanted
    pub turn_rate: f64,
    /// how feet share the force in double support
    pub sharing: Sharing,
}

/// Stiffness of a leg, body weights for its length: so it gives by a tenth of its length under the weight. The thesis
/// leaves it to experiments; ours are in `docs/virtual_leg.md`.
const STIFF: f64 = 10.0;
/// Angular momentum comes to where it is wanted at this rate, 1/s.
const TURN: f64 = 10.0;

impl VirtualLeg {
    /// The leg of a figure of some weight (N) whose centre of mass is `length` from its foot, so that it carries the
    /// weight at this length.
    pub fn new(weight: f64, length: f64) -> VirtualLeg {
        let stiffness = STIFF * weight / length;
        let rest_length = length + weight / stiffness;
        VirtualLeg { stiffness, rest_length, turn_rate: TURN, sharing: Sharing::default() }
    }

    /// The rest length with which the spring carries a weight (N) along a leg: the vertical part of its force is the
    /// weight. A leg that lies down carries nothing.
    pub fn carrying(&self, leg: Vec3, weight: f64) -> f64 {
        let length = leg.norm();
        let upright = (-leg.z / length).max(LYING);
        length + weight / (self.stiffness * upright)
    }

    /// Force of the ground, and its moment about the centre of mass, for a leg from the centre of mass to the contact
    /// point and angular momenta about the centre of mass, world axes.
    pub fn reaction(&self, leg: Vec3, spin: Vec3, wanted: Vec3) -> Force {
        let length = leg.norm().max(SHORT);
        // [L1992 eq. 7.1], never a pull
        let along = (self.stiffness * (length - self.rest_length)).min(0.0);
        // [L1992 eq. 7.2]: r x (M x r) = |r|^2 M less what is along r
        let moment = (wanted - spin).scale(self.turn_rate);
        let force = leg.scale(along / length) + moment.cross(leg).scale(1.0 / (length * length));
        Force::new(leg.cross(force), force)
    }

    /// The same for a figure at a state with its contact point in the world.
    ///
    /// # Errors
    /// Lists of the wrong length.
    pub fn reaction_on(
        &self,
        figure: &Figure,
        [q, v]: [&[f64]; 2],
        contact: Vec3,
        wanted: Vec3,
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
        Ok(self.reaction(leg, centroidal::momentum(forest, &kinematics).angular, wanted))
    }

    /// Forces of the rear and the front foot at a part `s` of double support, from that of the virtual foot.
    pub fn shared(&self, force: Vec3, s: f64) -> [Vec3; 2] {
        let alpha = self.sharing.at(s);
        [force.scale(1.0 - alpha), force.scale(alpha)]
    }

    /// The virtual foot at a part `s` of double support.
    pub fn foot(&self, rear: Vec3, front: Vec3, s: f64) -> Vec3 {
        rear + (front - rear).scale(self.sharing.at(s))
    }

    fn check(&self) -> Result<(), Error> {
        let own = [
            ("stiffness of the leg", self.stiffness),
            ("rest length of the leg", self.rest_length),
            ("rate of turning", self.turn_rate),
        ];
        for (what, value) in own {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::OutOfRange { what: what.into(), value, expected: "zero or more" });
            }
        }
        if self.stiffness == 0.0 {
            let what = "stiffness of the leg".into();
            return Err(Error::OutOfRange { what, value: 0.0, expected: "more than zero" });
        }
        Ok(())
    }
}

/// A leg is at least this long, m: the direction of none is not known.
const SHORT: f64 = 1e-3;
/// Cosine of a leg to the vertical that still carries.
const LYING: f64 = 0.2;

#[cfg(test)]
mod tests {
    use super::*;
    use anthropi_dynamics::spatial::vec3;

    const ROUNDING: f64 = 1e-12;

    #[test]
    fn shares_begin_at_none_and_end_at_all_and_are_symmetric() {
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
            // smooth ones set out and arrive at rest
            let slope = sharing.at(1e-4) / 1e-4;
            assert_eq!(slope < 0.01, sharing != Sharing::Linear, "{sharing:?} {slope}");
        }
    }

    #[test]
    fn feet_share_what_the_virtual_foot_gives() {
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
    fn the_spring_pushes_away_and_never_pulls() {
        let leg = VirtualLeg { rest_length: 1.0, ..VirtualLeg::new(700.0, 0.9) };
        let down = vec3(0.0, 0.0, -1.0);
        let at = |length: f64| leg.reaction(down.scale(length), Vec3::ZERO, Vec3::ZERO);
        let push = at(0.95).linear;
        assert!((push - vec3(0.0, 0.0, 0.05 * leg.stiffness)).norm() < ROUNDING * leg.stiffness, "{push:?}");
        assert_eq!(at(1.05).linear.norm(), 0.0);
        // the weight is carried at the length it was made for
        let made = VirtualLeg::new(700.0, 0.9);
        assert!((made.reaction(down.scale(0.9), Vec3::ZERO, Vec3::ZERO).linear.z - 700.0).abs() < 1e-9);
        let slanted = vec3(0.3, 0.0, -0.8);
        let carrying = VirtualLeg { rest_length: made.carrying(slanted, 700.0), ..made };
        let up = carrying.reaction(slanted, Vec3::ZERO, Vec3::ZERO).linear;
        assert!((up.z - 700.0).abs() < 1e-9 && up.cross(slanted).norm() < 1e-9, "{up:?}");
    }

    #[test]
    fn the_moment_is_that_of_the_law_but_for_what_is_along_the_leg() {
        let leg = VirtualLeg::new(700.0, 0.9);
        let (r, spin, wanted) = (vec3(0.2, -0.1, -0.85), vec3(1.0, -2.0, 0.5), vec3(0.3, 3.0, -0.7));
        let found = leg.reaction(r, spin, wanted);
        let asked = (wanted - spin).scale(leg.turn_rate);
        let unit = r.scale(1.0 / r.norm());
        let can = asked - unit.scale(asked.dot(unit));
        assert!((found.angular - can).norm() < ROUNDING * 1e3, "{:?} {can:?}", found.angular);
        assert!((r.cross(found.linear) - found.angular).norm() < ROUNDING);
        // the part across the leg does not change the part along it
        let plain = leg.reaction(r, spin, spin).linear;
        assert!(((found.linear - plain).dot(unit)).abs() < ROUNDING * 1e3);
        assert!((plain.dot(unit) - leg.stiffness * (r.norm() - leg.rest_length)).abs() < 1e-9);
    }
}
