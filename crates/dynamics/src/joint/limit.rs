//! Joint limits as springs that push back only near the limit and only on the way towards it.
//!
//! Computes  f = k d^n  or  f = k (exp(c d) - 1),  d = depth into the blend-in region before the limit.
//! Source: [L1992 §8.2.3] (compression and tension phases, propositions i-iii).
//! We differ: beyond the limit the same law goes on; `rebound` may keep a part of the force on the way back
//! (0 is the thesis: no force when moving away); the exponent of the exponential is capped.
//! Not here: hard limits.
//! Checked by: tests below; `tests/it/passive.rs`.

/// Allowed values of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// smallest
    pub lower: f64,
    /// largest
    pub upper: f64,
}

/// How the force grows with depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitLaw {
    /// k d^n: starts smoothly for n > 1
    Power {
        /// strength, N m / rad^n
        k: f64,
        /// exponent
        n: f64,
    },
    /// k (exp(c d) - 1)
    Exponential {
        /// strength, N m
        k: f64,
        /// rise, 1 / rad
        c: f64,
    },
}

/// The spring that guards both ends of a [`Range`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitSpring {
    /// force law
    pub law: LimitLaw,
    /// width of the region before each limit where the spring acts: the thesis' pi/s
    pub blend: f64,
    /// part of the force kept when moving away from the limit, 0 to 1
    pub rebound: f64,
}

impl LimitSpring {
    /// Joint force at coordinate `x` with rate `rate`.
    pub fn force(&self, range: Range, x: f64, rate: f64) -> f64 {
        let below = range.lower + self.blend - x;
        let above = x - range.upper + self.blend;
        let mut f = 0.0;
        if below > 0.0 {
            f += self.magnitude(below) * if rate < 0.0 { 1.0 } else { self.rebound };
        }
        if above > 0.0 {
            f -= self.magnitude(above) * if rate > 0.0 { 1.0 } else { self.rebound };
        }
        f
    }

    fn magnitude(&self, depth: f64) -> f64 {
        /// exp(50) = 5e21: stronger than any joint, far from overflow.
        const MAX_EXPONENT: f64 = 50.0;
        match self.law {
            LimitLaw::Power { k, n } => k * libm::pow(depth, n),
            LimitLaw::Exponential { k, c } => k * libm::expm1((c * depth).min(MAX_EXPONENT)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Range = Range { lower: -1.0, upper: 0.5 };

    #[test]
    fn acts_near_the_limit_and_towards_it_only() {
        for law in [LimitLaw::Power { k: 5.0, n: 3.0 }, LimitLaw::Exponential { k: 2.0, c: 4.0 }] {
            let s = LimitSpring { law, blend: 0.2, rebound: 0.0 };
            assert_eq!(s.force(RANGE, 0.0, 1.0), 0.0, "central range");
            assert!(s.force(RANGE, 0.45, 1.0) < 0.0, "pushes back from above");
            assert_eq!(s.force(RANGE, 0.45, -1.0), 0.0, "no force on the way back");
            assert!(s.force(RANGE, -0.95, -1.0) > 0.0, "pushes back from below");
            assert_eq!(s.force(RANGE, -0.95, 1.0), 0.0);
            assert!(s.force(RANGE, 0.6, 1.0) < s.force(RANGE, 0.5, 1.0), "stronger beyond the limit");
        }
    }

    #[test]
    fn the_laws_are_the_thesis() {
        let s = LimitSpring { law: LimitLaw::Power { k: 5.0, n: 3.0 }, blend: 0.2, rebound: 0.0 };
        assert!((s.force(RANGE, 0.5, 1.0) + 5.0 * 0.2_f64.powi(3)).abs() < 1e-15);
        let s = LimitSpring { law: LimitLaw::Exponential { k: 2.0, c: 4.0 }, blend: 0.2, rebound: 0.0 };
        assert!((s.force(RANGE, -1.0, -1.0) - 2.0 * (0.8_f64.exp() - 1.0)).abs() < 4e-15);
        assert!(s.force(RANGE, 1e9, 1.0).is_finite());
    }
}
