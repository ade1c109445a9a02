//! Kinematics and momentum at a state.
//!
//! Computes poses and velocities, centre of mass c, momentum, the matrix A with  momentum rate = A a + bias  (angular
//! part first, about c), and the motion of points with their Jacobians.

use crate::error::Error;
use crate::inverse::root_of;
use crate::pose;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::algo::{centroidal, jacobian, rnea};
use anthropi_dynamics::model::{Body, BodyIx, BodyJoint, Figure, Forest, LinkHandle};
use anthropi_dynamics::sim::advance;
use anthropi_dynamics::spatial::{Force, Inertia, Motion, Vec3};

/// Kinematics and momentum at a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct DynamicsTerms {
    /// of all bodies; accelerations for a = 0, or those of the reference
    pub kinematics: Kinematics,
    /// centre of mass
    pub com: Vec3,
    /// its velocity
    pub velocity: Vec3,
    /// angular momentum about it
    pub angular_momentum: Vec3,
    /// A, by degree of freedom
    pub momentum: Vec<Force>,
    /// momentum rate less gravity for a = 0
    pub bias: Force,
    /// joint forces for a = 0
    pub h: Vec<f64>,
    composite: Vec<Inertia>,
    work: rnea::Work,
    zero: Vec<f64>,
}

impl DynamicsTerms {
    /// Updates all terms of a figure whose free joint carries `root`; accelerations are those for a = 0.
    pub fn update(&mut self, forest: &Forest, root: BodyIx, q: &[f64], v: &[f64]) {
        let nv = forest.nv();
        self.kinematics.update(forest, q, Some(v), None);
        self.momentum.resize(nv, Force::default());
        centroidal::momentum_matrix(forest, &self.kinematics, &mut self.composite, &mut self.momentum);
        self.update_momentum(forest);
        self.h.resize(nv, 0.0);
        self.zero.resize(nv, 0.0);
        rnea::inverse_dynamics(forest, q, v, &self.zero, None, &mut self.work, &mut self.h);
        self.bias = self.root_wrench(forest, root, &self.h);
    }

    /// Updates kinematics with accelerations, centre of mass and momentum; no matrices.
    pub fn update_motion(&mut self, forest: &Forest, q: &[f64], v: &[f64], a: &[f64]) {
        self.kinematics.update(forest, q, Some(v), Some(a));
        self.update_momentum(forest);
    }

    fn update_momentum(&mut self, forest: &Forest) {
        let momentum = centroidal::momentum(forest, &self.kinematics);
        self.com = centroidal::center_of_mass(forest, &self.kinematics);
        self.velocity = momentum.linear.scale(1.0 / centroidal::mass(forest));
        self.angular_momentum = momentum.angular;
    }

    /// Wrench of the root joint under `tau`, about the centre of mass, world axes.
    pub fn root_wrench(&self, forest: &Forest, root: BodyIx, tau: &[f64]) -> Force {
        let iv = forest.bodies()[root.index()].dofs().start;
        let pose = self.kinematics.body_pose(root);
        let [moment, force] = [iv, iv + 3].map(|k| pose.rotation.mul(pose::triple(tau, k)));
        Force::new(moment + (pose.translation - self.com).cross(force), force)
    }

    /// A a.
    pub fn momentum_rate(&self, a: &[f64]) -> Force {
        self.momentum.iter().zip(a).fold(Force::default(), |sum, (m, a)| sum + m.times(*a))
    }

    /// From the origin of a body to a point of the world.
    pub fn arm(&self, body: BodyIx, point: Vec3) -> Vec3 {
        point - self.kinematics.body_pose(body).translation
    }

    /// Motion of a point of a body.
    pub fn point(&self, body: BodyIx, in_body: Vec3) -> PointMotion {
        let pose = self.kinematics.body_pose(body);
        let arm = pose.rotation.mul(in_body);
        PointMotion {
            at: pose.translation + arm,
            velocity: self.kinematics.body_velocity(body).shifted(arm).linear,
            acceleration: self.kinematics.point_acceleration(body, arm).linear,
        }
    }

    /// Motion of a point of a link.
    pub fn link_point(&self, forest: &Forest, link: LinkHandle, in_link: Vec3) -> PointMotion {
        let place = forest.link_place(link);
        self.point(place.body, place.body_from_link.point(in_link))
    }

    /// Acceleration J a of a point of a body demanded by feedback towards a reference, world axes:
    ///     J a = reference + d (velocity error) + k^2 (error) - J' v                              [NY2000F eq. 4]
    pub fn feedback(
        &self,
        reference: &DynamicsTerms,
        body: BodyIx,
        in_body: Vec3,
        [k, d]: [f64; 2],
    ) -> Motion {
        let [(pose, arm, v, bias), (to, to_arm, to_v, ahead)] = [self, reference].map(|terms| {
            let pose = terms.kinematics.body_pose(body);
            let arm = pose.rotation.mul(in_body);
            let v = terms.kinematics.body_velocity(body).shifted(arm);
            (pose, arm, v, terms.kinematics.point_acceleration(body, arm))
        });
        let turn = to.orientation().then(pose.orientation().inverse()).log();
        let error = Motion::new(turn, to.translation + to_arm - pose.translation - arm);
        ahead + (to_v - v).times(d) + error.times(k * k) - bias
    }

    /// Adds a force at a point of the world to the external forces by body.
    pub fn add_force(&self, body: BodyIx, at: Vec3, force: Vec3, external: &mut [Force]) {
        external[body.index()] += Force::at_point(force, self.arm(body, at));
    }
}

/// Position, velocity and acceleration of a point, world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PointMotion {
    pub at: Vec3,
    pub velocity: Vec3,
    pub acceleration: Vec3,
}

/// Jacobian of the origin of a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyJacobian {
    pub body: BodyIx,
    /// degrees of freedom that move the body, ascending
    pub dofs: Vec<u32>,
    /// by degree of freedom; zero for those that do not move the body
    pub columns: Vec<Motion>,
}

impl BodyJacobian {
    pub fn new(forest: &Forest, body: BodyIx) -> BodyJacobian {
        let (mut dofs, mut at) = (Vec::new(), body);
        while at != BodyIx::WORLD {
            let b = &forest.bodies()[at.index()];
            dofs.extend(b.dofs().map(|k| k as u32));
            at = b.parent;
        }
        dofs.sort_unstable();
        BodyJacobian { body, dofs, columns: vec![Motion::default(); forest.nv()] }
    }

    pub fn update(&mut self, forest: &Forest, terms: &DynamicsTerms) {
        let at = terms.kinematics.body_pose(self.body).translation;
        jacobian::of_body_point(forest, &terms.kinematics, self.body, at, &mut self.columns);
    }

    /// Column of the point at `arm` from the origin, translation only.
    pub fn of_point(&self, k: usize, arm: Vec3) -> Vec3 {
        self.columns[k].shifted(arm).linear
    }

    /// Rows x, y, z of the Jacobian of the point at `arm` from the origin.
    pub fn rows(&self, arm: Vec3) -> [Vec<f64>; 3] {
        [0, 1, 2]
            .map(|axis| (0..self.columns.len()).map(|k| self.of_point(k, arm).to_array()[axis]).collect())
    }
}

/// The first body that moves freely.
pub(crate) fn free_body(forest: &Forest) -> Option<&Body> {
    forest.bodies().iter().skip(1).find(|b| b.joint == BodyJoint::Free)
}

/// The body of the only free joint.
pub(crate) fn root_body(figure: &Figure) -> Result<BodyIx, Error> {
    let child = figure.joint(root_of(figure)?)?.child();
    Ok(figure.forest().link_place(child).body)
}

/// A semi-implicit Euler step: v += a dt, then q (+)= v dt.
pub(crate) fn integrate(forest: &Forest, q: &mut [f64], v: &mut [f64], a: &[f64], dt: f64) {
    v.iter_mut().zip(a).for_each(|(v, a)| *v += a * dt);
    advance(forest, q, v, dt);
}
