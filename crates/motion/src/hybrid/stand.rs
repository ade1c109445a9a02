//! Points that stand, as rows: their Jacobians, how they are to accelerate, and what their forces do to the joints.

use crate::filter::terms::{Moving, Terms};
use anthropi_dynamics::algo::jacobian;
use anthropi_dynamics::model::{Figure, LinkHandle};
use anthropi_dynamics::spatial::{Motion, Vec3};

/// Points of links, with their Jacobians at a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Stand {
    /// which points of the course these are
    pub which: Vec<usize>,
    /// where they are, how fast, and how they accelerate when no coordinate does
    pub moving: Vec<Moving>,
    /// three rows a point, x y z in world axes
    pub rows: Vec<Vec<f64>>,
    columns: Vec<Motion>,
}

impl Stand {
    /// Of the points that are on, at a state whose terms are known.
    pub fn update(&mut self, figure: &Figure, terms: &Terms, points: &[(LinkHandle, Vec3)], on: &[bool]) {
        let forest = figure.forest();
        self.columns.resize(forest.nv(), Motion::default());
        self.which.clear();
        self.moving.clear();
        self.which.extend((0..points.len()).filter(|n| on[*n]));
        self.rows.resize(3 * self.which.len(), Vec::new());
        for (k, n) in self.which.iter().enumerate() {
            let (link, at) = points[*n];
            let place = forest.link_place(link);
            self.moving.push(terms.point(place.body, place.body_from_link.point(at)));
            jacobian::of_link_point(forest, &terms.kinematics, link, at, &mut self.columns);
            for (axis, row) in self.rows[3 * k..3 * k + 3].iter_mut().enumerate() {
                row.clear();
                row.extend(self.columns.iter().map(|c| c.linear.to_array()[axis]));
            }
        }
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
