//! The scalar of all kernels.
//!
//! Computes  + - * / sqrt sin cos  on one `f64`, or on four figures side by side ([`super::Lanes`]).
//! Source: sine and cosine use the polynomials of fdlibm `k_sin.c`, `k_cos.c` on [-pi/4, pi/4].
//! We differ: the argument is reduced by pi, halved, and the angle doubled again, so that no branch and no select is left.
//! Not here: `exp`, `atan2` (crate `libm`, only used outside the kernels).
//! Checked by: tests below against the standard library; `tests/it/lanes.rs` (same bits in lanes).

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A real number, or several of them that go through the same computation.
///
/// Only operations that round the same way everywhere: no fused multiply-add, no library sine.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// How many figures one value holds.
    const LANES: usize;
    /// The same number in every lane.
    fn splat(x: f64) -> Self;
    /// `self * k` with a constant of the model, which stays a plain `f64`.
    fn scale(self, k: f64) -> Self;
    /// Square root of each lane.
    fn sqrt(self) -> Self;
    /// Number in lane `i`.
    fn lane(self, i: usize) -> f64;
    /// Writes lane `i`.
    fn set_lane(&mut self, i: usize, x: f64);

    /// `self * b + c`, rounded twice.
    #[inline(always)]
    fn mad(self, b: Self, c: Self) -> Self {
        self * b + c
    }

    /// One over `self`.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::splat(1.0) / self
    }

    /// Sine and cosine, each within [`SIN_COS_ERROR`] of the exact value for |x| < [`SIN_COS_RANGE`] rad.
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        sin_cos(self)
    }
}

/// Largest absolute error of [`Real::sin_cos`].
pub const SIN_COS_ERROR: f64 = 4.5e-16;
/// Angles up to this size keep the bound; beyond it the error grows in proportion to the angle.
pub const SIN_COS_RANGE: f64 = 1e5;

impl Real for f64 {
    const LANES: usize = 1;
    #[inline(always)]
    fn splat(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn scale(self, k: f64) -> f64 {
        self * k
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn lane(self, _: usize) -> f64 {
        self
    }
    #[inline(always)]
    fn set_lane(&mut self, _: usize, x: f64) {
        *self = x;
    }
}

/// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// pi in three parts of 33 bits: k times the first two is exact for |k| < 2^20 (Cody and Waite).
const PI_1: f64 = 2.0 * 1.570_796_326_734_125_6;
const PI_2: f64 = 2.0 * 6.077_100_506_303_966e-11;
const PI_3: f64 = 2.0 * 2.022_266_248_795_950_6e-21;

/// With x = k pi + 2 r:  sin x = (-1)^k 2 sin r cos r,  cos x = (-1)^k (1 - 2 sin^2 r).
#[inline(always)]
fn sin_cos<T: Real>(x: T) -> (T, T) {
    let nearest = |t: T| (t + T::splat(ROUND)) - T::splat(ROUND);
    let k = nearest(x.scale(core::f64::consts::FRAC_1_PI));
    let r = (x - k.scale(PI_1) - k.scale(PI_2) - k.scale(PI_3)).scale(0.5);
    // (-1)^k without a branch: k/2 is half an integer away from an integer exactly when k is odd
    let half = k.scale(0.5);
    let odd = half - nearest(half);
    let sign = T::splat(1.0) - (odd * odd).scale(8.0);
    let (s, c) = sin_cos_near_zero(r);
    let signed = s * sign;
    ((signed + signed) * c, sign - (signed * s).scale(2.0))
}

/// fdlibm's polynomials on [-pi/4, pi/4], split into even and odd powers for short dependency chains.
#[inline(always)]
fn sin_cos_near_zero<T: Real>(r: T) -> (T, T) {
    let k = T::splat;
    let z = r * r;
    let z2 = z * z;
    let s_low = z.mad(k(8.333_333_333_322_49e-3), k(-1.666_666_666_666_663_2e-1));
    let s_mid = z.mad(k(2.755_731_370_707_007e-6), k(-1.984_126_982_985_795e-4));
    let s_high = z.mad(k(1.589_690_995_211_55e-10), k(-2.505_076_025_340_686_3e-8));
    let sin = (r * z).mad(z2.mad(z2.mad(s_high, s_mid), s_low), r);
    let c_low = z.mad(k(-1.388_888_888_887_411e-3), k(4.166_666_666_666_660_2e-2));
    let c_mid = z.mad(k(-2.755_731_435_139_066_3e-7), k(2.480_158_728_947_673e-5));
    let c_high = z.mad(k(-1.135_964_755_778_819_5e-11), k(2.087_572_321_298_175e-9));
    let poly = z2.mad(z2.mad(c_high, c_mid), c_low);
    // 1 - z/2 with its rounding error carried along
    let half = z.scale(0.5);
    let w = k(1.0) - half;
    let cos = w + ((k(1.0) - w - half) + z2 * poly);
    (sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(xs: impl Iterator<Item = f64>) -> f64 {
        xs.map(|x| {
            let ((s, c), (es, ec)) = (Real::sin_cos(x), f64::sin_cos(x));
            (s - es).abs().max((c - ec).abs())
        })
        .fold(0.0, f64::max)
    }

    #[test]
    fn sin_cos_keeps_its_bound() {
        let small = worst((-400_000..400_000).map(|i| i as f64 * 1.1e-5));
        let large = worst((-400_000..400_000).map(|i| i as f64 * (SIN_COS_RANGE / 400_000.0)));
        assert!(small < SIN_COS_ERROR, "near zero: {small:e}");
        assert!(large < SIN_COS_ERROR, "up to 1e5 rad: {large:e}");
        assert_eq!(Real::sin_cos(0.0), (0.0, 1.0));
    }

    #[test]
    fn odd_symmetry_is_exact() {
        for i in 0..1000 {
            let x = 0.013 * i as f64;
            let ((s, c), (t, d)) = (Real::sin_cos(x), Real::sin_cos(-x));
            assert_eq!((s, c), (-t, d));
        }
    }
}
