//! Forces that act on the figure besides gravity and the ground.

use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::spatial::Vec3;

/// A force on a link during a time interval: a push, a rope, a load that is carried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AppliedForce {
    /// link it acts on
    pub link: LinkHandle,
    /// point of application, link axes, m
    pub point: Vec3,
    /// N, world axes
    pub force: Vec3,
    /// start, s
    pub from: f64,
    /// end, s; the force acts at `from <= t < to`
    pub to: f64,
    /// whether the controller takes it into account, like the weight of a load; if not, it is an unmodelled disturbance
    pub is_known: bool,
}

impl AppliedForce {
    /// An unmodelled disturbance that always acts.
    pub fn constant(link: LinkHandle, point: Vec3, force: Vec3) -> AppliedForce {
        AppliedForce { link, point, force, from: f64::NEG_INFINITY, to: f64::INFINITY, is_known: false }
    }

    /// Whether it acts at a time, s.
    pub fn acts_at(&self, time: f64) -> bool {
        (self.from..self.to).contains(&time)
    }
}
