//! Jacobian rows of points in contact, and the generalized forces of contact forces.

use super::desired_motion::DesiredMotion;
use crate::filter::dynamics_terms::{DynamicsTerms, PointMotion};
use anthropi_dynamics::algo::jacobian;
use anthropi_dynamics::model::Forest;
use anthropi_dynamics::spatial::{Motion, Vec3};

/// Points in contact, with their Jacobians at a state.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactRows {
    /// indices of the points
    pub indices: Vec<usize>,
    /// their motion, with accelerations for a = 0
    pub motions: Vec<PointMotion>,
    /// three rows per point, x y z in world axes
    pub rows: Vec<Vec<f64>>,
}

impl ContactRows {
    /// Those of the points that are in contact at a sample of the desired motion.
    pub fn new(
        forest: &Forest,
        terms: &DynamicsTerms,
        desired: &DesiredMotion,
        sample: usize,
    ) -> ContactRows {
        let mut contacts = ContactRows::default();
        let mut columns = vec![Motion::default(); forest.nv()];
        for (n, (link, at)) in
            desired.points.iter().enumerate().filter(|(n, _)| desired.samples[sample].on[*n])
        {
            contacts.indices.push(n);
            contacts.motions.push(terms.link_point(forest, *link, *at));
            jacobian::of_link_point(forest, &terms.kinematics, *link, *at, &mut columns);
            let row = |axis: usize| columns.iter().map(|c| c.linear.to_array()[axis]).collect();
            contacts.rows.extend([0, 1, 2].map(row));
        }
        contacts
    }

    /// tau += scale J^T f.
    pub fn add_forces(&self, forces: &[Vec3], scale: f64, tau: &mut [f64]) {
        for (f, rows) in forces.iter().zip(self.rows.chunks_exact(3)) {
            for (f, row) in f.to_array().into_iter().zip(rows) {
                tau.iter_mut().zip(row).for_each(|(t, r)| *t += scale * f * r);
            }
        }
    }
}
