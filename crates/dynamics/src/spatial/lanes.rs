//! Four figures side by side in one scalar.
//!
//! Plain arrays and loops: the compiler turns them into vector instructions inside functions compiled for avx2.
//! Every lane rounds exactly as `f64` does, so lanes and single calls give the same bits.

use super::Real;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// How many figures go through a kernel at once.
pub const LANES: usize = 4;

/// One number for each of [`LANES`] figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    #[inline(always)]
    fn zip(self, b: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = [0.0; LANES];
        for i in 0..LANES {
            out[i] = f(self.0[i], b.0[i]);
        }
        Lanes(out)
    }

    /// Sum over the lanes.
    #[inline(always)]
    pub(crate) fn total(self) -> f64 {
        (self.0[0] + self.0[1]) + (self.0[2] + self.0[3])
    }

    /// The bits of each lane that are set in its mask.
    #[inline(always)]
    pub(crate) fn masked(self, bits: &[u64; LANES]) -> Self {
        let mut out = self.0;
        for i in 0..LANES {
            out[i] = f64::from_bits(out[i].to_bits() & bits[i]);
        }
        Lanes(out)
    }

    /// The larger number, lane by lane.
    #[inline(always)]
    pub(crate) fn larger(self, b: Self) -> Self {
        self.zip(b, |x, y| if y > x { y } else { x })
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                self.zip(b, |x, y| x $op y)
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.zip(self, |x, _| -x)
    }
}
impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}
impl SubAssign for Lanes {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl Real for Lanes {
    const LANES: usize = LANES;
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Lanes([x; LANES])
    }
    #[inline(always)]
    fn scale(self, k: f64) -> Self {
        self.zip(self, |x, _| x * k)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.zip(self, |x, _| x.sqrt())
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        self.0[i]
    }
    #[inline(always)]
    fn set_lane(&mut self, i: usize, x: f64) {
        self.0[i] = x;
    }
}
