//! Seeded random numbers and figures, the same on every machine.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkSpec};
use anthropi_dynamics::spatial::{Inertia, Quat, Sym3, Transform, Vec3, vec3};

/// A small random number generator (xorshift64).
pub struct Rng(pub u64);

impl Rng {
    /// From a seed.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        (0..8).for_each(|_| {
            rng.uniform();
        });
        rng
    }
    /// In [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    /// In [-1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }
    /// An index below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }
    /// Each coordinate in [-size, size).
    pub fn vec3(&mut self, size: f64) -> Vec3 {
        vec3(self.signed(), self.signed(), self.signed()).scale(size)
    }
    /// A direction.
    pub fn unit(&mut self) -> Vec3 {
        loop {
            let v = self.vec3(1.0);
            if v.norm() > 0.1 {
                return v.normalized().unwrap();
            }
        }
    }
    /// A rotation.
    pub fn quat(&mut self) -> Quat {
        Quat::exp(self.vec3(1.5))
    }
    /// A placement.
    pub fn transform(&mut self) -> Transform {
        Transform::new(self.vec3(0.4), self.quat())
    }
    /// Inertia of a box of random mass, size and placement.
    pub fn inertia(&mut self) -> Inertia {
        let mass = 0.5 + 3.0 * self.uniform();
        // principal moments of a box, rotated
        let e = vec3(0.05 + self.uniform(), 0.05 + self.uniform(), 0.05 + self.uniform()).scale(0.3);
        let (x, y, z) = (e.x * e.x, e.y * e.y, e.z * e.z);
        let central = Sym3::diagonal(vec3(y + z, x + z, x + y).scale(mass / 12.0));
        let turned = Sym3::turned(&central, &self.quat().to_matrix());
        Inertia::about_center(mass, self.vec3(0.3), turned)
    }
}

/// A tree with a free root and all kinds of joints.
pub fn free_figure(seed: u64, links: usize) -> Figure {
    let mut rng = Rng::new(seed);
    let mut b = FigureBuilder::new(format!("random-{seed}"));
    let root = JointSpec::new("j0", JointKind::Free);
    let mut all = vec![b.add(LinkSpec::new("l0", rng.inertia()), root).expect("sound")];
    for i in 1..links {
        let axis = rng.unit();
        let kind = match rng.below(4) {
            0 => JointKind::Revolute { axis },
            1 => JointKind::Prismatic { axis },
            2 => JointKind::Universal { first: axis, second: axis.any_perpendicular() },
            _ => JointKind::Spherical,
        };
        let parent = all[rng.below(all.len())];
        let joint = JointSpec::new(format!("j{i}"), kind).on(parent, rng.transform());
        all.push(b.add(LinkSpec::new(format!("l{i}"), rng.inertia()), joint).expect("sound"));
    }
    b.build().expect("a random figure is sound")
}
