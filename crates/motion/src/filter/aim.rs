//! Where the reference is at an instant, and what it does.

use crate::estimate::Estimate;
use anthropi_dynamics::spatial::Vec3;

/// The reference at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aim {
    /// coordinates
    pub q: Vec<f64>,
    /// velocities
    pub v: Vec<f64>,
    /// accelerations
    pub a: Vec<f64>,
    /// centre of mass, its velocity and its acceleration
    pub center: [Vec3; 3],
    /// angular momentum about it and its rate
    pub spin: [Vec3; 2],
    /// by spot: whether it touches
    pub on: Vec<bool>,
    /// by spot: height of the ground below it
    pub floor: Vec<f64>,
}

impl Aim {
    /// Takes pose, velocities and accelerations.
    pub(super) fn take(&mut self, estimate: &Estimate) {
        let lists = [(&mut self.q, estimate.pose), (&mut self.v, estimate.v), (&mut self.a, estimate.a)];
        for (list, values) in lists {
            list.clear();
            list.extend_from_slice(values);
        }
    }
}
