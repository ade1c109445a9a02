//! Where the reference is at an instant, and what it does.

use crate::estimate::Estimate;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// The ground below a spot: the plane z = height + slope . (x, y).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Floor {
    /// at the world's origin, m
    pub height: f64,
    /// rise along x and along y
    pub slope: [f64; 2],
}

impl Floor {
    /// Level ground.
    pub const fn level(height: f64) -> Floor {
        Floor { height, slope: [0.0; 2] }
    }

    /// Its height at a place, m.
    pub fn at(&self, x: f64, y: f64) -> f64 {
        self.height + self.rise(x, y)
    }

    /// How much it rises over a way, m.
    pub fn rise(&self, x: f64, y: f64) -> f64 {
        self.slope[0] * x + self.slope[1] * y
    }

    /// Away from it, unit.
    pub fn normal(&self) -> Vec3 {
        let [x, y] = self.slope;
        vec3(-x, -y, 1.0).scale(1.0 / (1.0 + x * x + y * y).sqrt())
    }

    /// How far a point is above it, along its normal, m.
    pub fn above(&self, p: Vec3) -> f64 {
        (p.z - self.at(p.x, p.y)) * self.normal().z
    }

    /// The point of it straight below or above another. Along the normal it would be a little farther uphill or
    /// downhill; points that are asked for are millimetres away.
    pub(super) fn under(&self, p: Vec3) -> Vec3 {
        vec3(p.x, p.y, self.at(p.x, p.y))
    }
}

/// The part of a vector along the ground with this normal.
pub(super) fn along(normal: Vec3, v: Vec3) -> Vec3 {
    v - normal.scale(normal.dot(v))
}

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
    /// by spot: the ground below it
    pub floor: Vec<Floor>,
    /// by spot: the part of the load it is meant to carry, where balance leaves the choice; empty if not said
    pub share: Vec<f64>,
    /// whether it is planned to the instant: points stand exactly while they touch in it, and nothing has to be leaned
    pub is_planned: bool,
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
