//! A small generator whose numbers are the same on every platform (SplitMix64).

use anthropi_dynamics::spatial::{Quat, Vec3, vec3};

pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In [low, high).
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// In [-1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    pub fn chance(&mut self, part: f64) -> bool {
        self.uniform() < part
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    pub fn vec3(&mut self, size: f64) -> Vec3 {
        vec3(self.signed(), self.signed(), self.signed()).scale(size)
    }

    pub fn unit(&mut self) -> Vec3 {
        loop {
            let v = self.vec3(1.0);
            if v.norm() > 0.1
                && let Some(unit) = v.normalized()
            {
                return unit;
            }
        }
    }

    pub fn quat(&mut self) -> Quat {
        Quat::exp(self.vec3(1.5))
    }
}
