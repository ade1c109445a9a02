//! Seeded random figures and states, and dense linear algebra by others, for the tests.
#![allow(dead_code)] // each test uses a part

use anthropi_dynamics::joint::{Dof, JointKind, MAX_DOF};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, State};
use anthropi_dynamics::spatial::{Inertia, Quat, RotationOrder, Sym3, Transform, Vec3, vec3};

/// A small generator whose numbers are the same on every platform.
pub struct Rng(pub u64);

impl Rng {
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
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }
    pub fn vec3(&mut self, size: f64) -> Vec3 {
        vec3(self.signed(), self.signed(), self.signed()).scale(size)
    }
    pub fn unit(&mut self) -> Vec3 {
        loop {
            let v = self.vec3(1.0);
            if v.norm() > 0.1 {
                return v.normalized().unwrap();
            }
        }
    }
    pub fn quat(&mut self) -> Quat {
        Quat::exp(self.vec3(1.5))
    }
    pub fn transform(&mut self) -> Transform {
        Transform::new(self.vec3(0.4), self.quat())
    }
    pub fn inertia(&mut self) -> Inertia {
        let mass = 0.5 + 3.0 * self.uniform();
        // principal moments of a box, turned
        let e = vec3(0.05 + self.uniform(), 0.05 + self.uniform(), 0.05 + self.uniform()).scale(0.3);
        let (x, y, z) = (e.x * e.x, e.y * e.y, e.z * e.z);
        let central = Sym3::diagonal(vec3(y + z, x + z, x + y).scale(mass / 12.0));
        let turned = Sym3::turned(&central, &self.quat().to_matrix());
        Inertia::about_center(mass, self.vec3(0.3), turned)
    }
}

/// A tree (or several) of `links` links with all kinds of joints.
pub fn random_figure(seed: u64, links: usize) -> Figure {
    build_random(seed, links, false).build().expect("a random figure is sound")
}

/// The same with armature on about half of the joints, springs and damping on some.
pub fn random_figure_with_rotors(seed: u64, links: usize) -> Figure {
    build_random(seed, links, true).build().expect("a random figure is sound")
}

fn build_random(seed: u64, links: usize, rotors: bool) -> FigureBuilder {
    let mut rng = Rng::new(seed);
    let mut b = FigureBuilder::new(format!("random-{seed}"));
    let mut all: Vec<LinkHandle> = Vec::new();
    for i in 0..links {
        let parent = if i == 0 || rng.uniform() < 0.04 { None } else { Some(all[rng.below(all.len())]) };
        let kind = random_kind(&mut rng, parent.is_none());
        let mut joint = JointSpec::new(format!("j{i}"), kind);
        joint.parent = parent;
        // about half of the frames are parallel to the parent's, as in most figures
        joint.parent_from_joint = if rng.uniform() < 0.5 { rng.transform() } else { Transform::translation(rng.vec3(0.4)) };
        if rng.uniform() < 0.3 {
            joint.child_from_joint = rng.transform();
        }
        joint.order = RotationOrder::ALL[rng.below(6)];
        if rotors && kind != JointKind::Free && rng.uniform() < 0.5 {
            for d in &mut joint.dof {
                d.armature = 0.1 * rng.uniform();
                d.damping = 0.2 * rng.uniform();
                d.stiffness = 3.0 * rng.uniform();
            }
        }
        all.push(b.add(LinkSpec::new(format!("l{i}"), rng.inertia()), joint).expect("sound"));
    }
    b
}

pub fn random_kind(rng: &mut Rng, at_root: bool) -> JointKind {
    let axis = if rng.uniform() < 0.5 { rng.unit() } else { vec3(0.0, 1.0, 0.0) };
    match rng.below(if at_root { 7 } else { 6 }) {
        0 | 1 => JointKind::Revolute { axis },
        2 => JointKind::Prismatic { axis },
        3 => {
            let second = if rng.uniform() < 0.5 { rng.unit() } else { axis.any_perpendicular() };
            JointKind::Universal { first: axis, second }
        }
        4 => JointKind::Spherical,
        5 if !at_root && rng.uniform() < 0.5 => JointKind::Fixed,
        5 => JointKind::Spherical,
        _ => JointKind::Free,
    }
}

/// A random pose and velocity.
pub fn random_state(figure: &Figure, seed: u64) -> State {
    let mut rng = Rng::new(seed ^ 0xABCD);
    let mut s = State::home(figure);
    for (handle, joint) in figure.joints().map(|(h, j)| (h, j.clone())).collect::<Vec<_>>() {
        let c = joint.coordinates();
        let mut q: Vec<f64> = (0..c.nq()).map(|_| rng.signed() * 1.5).collect();
        if c.nq() > c.nv() {
            let at = q.len() - 4;
            q[at..].copy_from_slice(&rng.quat().0);
        }
        let v: Vec<f64> = (0..c.nv()).map(|_| rng.signed() * 2.0).collect();
        s.set_q(figure, handle, &q).unwrap();
        s.set_v(figure, handle, &v).unwrap();
    }
    s
}

pub fn random_vector(n: usize, seed: u64, size: f64) -> Vec<f64> {
    let mut rng = Rng::new(seed ^ 0x1234);
    (0..n).map(|_| rng.signed() * size).collect()
}

/// Largest difference, relative to the size of the reference (at least one).
pub fn relative(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let size = want.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    got.iter().zip(want).fold(0.0, |m: f64, (g, w)| m.max((g - w).abs())) / size
}

/// Fails with the residual; `TOL_SCALE=0` in the environment shows every residual.
pub fn assert_small(what: &str, residual: f64, tolerance: f64) {
    let scale: f64 = std::env::var("TOL_SCALE").ok().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    assert!(residual <= tolerance * scale, "{what}: residual {residual:e}, tolerance {tolerance:e}");
}

/// All degrees of freedom with the same properties.
pub fn dofs(d: Dof) -> [Dof; MAX_DOF] {
    [d; MAX_DOF]
}
