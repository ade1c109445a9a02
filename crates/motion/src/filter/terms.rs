//! What a figure is and does at an instant, as the filter needs it.
//!
//! Computes poses and velocities, centre of mass c, momentum, the matrix A with  momentum rate = A a + bias  (angular
//! about c first), and points of links with their Jacobians.

use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::algo::{centroidal, jacobian, rnea};
use anthropi_dynamics::model::{BodyIx, Forest};
use anthropi_dynamics::spatial::{Force, Inertia, Motion, Vec3, vec3};

/// Kinematics and momentum at a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// of all bodies; accelerations are those of no coordinate accelerating, or of the reference
    pub kinematics: Kinematics,
    /// centre of mass
    pub center: Vec3,
    /// its velocity
    pub velocity: Vec3,
    /// angular momentum about it
    pub spin: Vec3,
    /// A, by degree of freedom
    pub momentum: Vec<Force>,
    /// rate of momentum less gravity when no coordinate accelerates
    pub bias: Force,
    /// joint forces when no coordinate accelerates
    pub h: Vec<f64>,
    composite: Vec<Inertia>,
    work: rnea::Work,
    zero: Vec<f64>,
}

impl Terms {
    /// Of a figure that is free at `root`.
    pub fn update(&mut self, forest: &Forest, root: BodyIx, q: &[f64], v: &[f64]) {
        let nv = forest.nv();
        self.kinematics.update(forest, q, Some(v), None);
        self.momentum.resize(nv, Force::default());
        centroidal::momentum_matrix(forest, &self.kinematics, &mut self.composite, &mut self.momentum);
        self.moving(forest);
        self.h.resize(nv, 0.0);
        self.zero.resize(nv, 0.0);
        rnea::inverse_dynamics(forest, q, v, &self.zero, None, &mut self.work, &mut self.h);
        self.bias = self.root_wrench(forest, root, &self.h);
    }

    /// Of a reference, accelerations included; no matrices.
    pub fn follow(&mut self, forest: &Forest, q: &[f64], v: &[f64], a: &[f64]) {
        self.kinematics.update(forest, q, Some(v), Some(a));
        self.moving(forest);
    }

    fn moving(&mut self, forest: &Forest) {
        let momentum = centroidal::momentum(forest, &self.kinematics);
        self.center = centroidal::center_of_mass(forest, &self.kinematics);
        self.velocity = momentum.linear.scale(1.0 / centroidal::mass(forest));
        self.spin = momentum.angular;
    }

    /// What the root's joint gives by `tau`, about the centre of mass, world axes.
    pub fn root_wrench(&self, forest: &Forest, root: BodyIx, tau: &[f64]) -> Force {
        let iv = forest.bodies()[root.index()].iv as usize;
        let pose = self.kinematics.body_pose(root);
        let of = |k: usize| pose.rotation.mul(vec3(tau[iv + k], tau[iv + k + 1], tau[iv + k + 2]));
        let (moment, force) = (of(0), of(3));
        Force::new(moment + (pose.translation - self.center).cross(force), force)
    }

    /// A a.
    pub fn momentum_rate(&self, a: &[f64]) -> Force {
        self.momentum.iter().zip(a).fold(Force::default(), |sum, (m, a)| sum + m.times(*a))
    }

    /// Place, velocity and acceleration of a body's point.
    pub fn point(&self, body: BodyIx, in_body: Vec3) -> Moving {
        let pose = self.kinematics.body_pose(body);
        let arm = pose.rotation.mul(in_body);
        let (v, a) = (self.kinematics.body_velocity(body), self.kinematics.point_acceleration(body, arm));
        Moving {
            at: pose.translation + arm,
            velocity: v.linear + v.angular.cross(arm),
            acceleration: a.linear,
        }
    }

    /// Columns of the Jacobian of a body's origin.
    pub fn jacobian(&self, forest: &Forest, body: BodyIx, columns: &mut [Motion]) {
        let at = self.kinematics.body_pose(body).translation;
        jacobian::of_body_point(forest, &self.kinematics, body, at, columns);
    }
}

/// A point in motion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moving {
    pub at: Vec3,
    pub velocity: Vec3,
    pub acceleration: Vec3,
}

/// Degrees of freedom that move a body, ascending.
pub(crate) fn path(forest: &Forest, body: BodyIx) -> Vec<u32> {
    let mut path = Vec::new();
    let mut at = body;
    while at != BodyIx::WORLD {
        let b = &forest.bodies()[at.index()];
        path.extend(b.iv..b.iv + b.joint.nv() as u32);
        at = b.parent;
    }
    path.sort_unstable();
    path
}
