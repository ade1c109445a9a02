//! Drivers: external code that supplies joint forces step by step.

use crate::model::{Figure, State};
use core::fmt;

/// Supplies joint forces at the beginning of every step.
///
/// They are constant over the step, in addition to springs, dampers, loads and controls. Cloning a simulation clones its
/// driver.
pub trait Driver: fmt::Debug + Send + Sync {
    /// Writes the joint forces of the step that begins at this time and state into `tau`, zero on entry, by degree of
    /// freedom.
    fn drive(&mut self, time: f64, state: &State, tau: &mut [f64]);

    /// Clones the driver.
    fn boxed(&self) -> Box<dyn Driver>;
}

/// A driver with the revision it knows.
#[derive(Debug)]
pub(super) struct Driven {
    driver: Box<dyn Driver>,
    /// revision of the figure it knows
    revision: u64,
    tau: Vec<f64>,
}

impl Clone for Driven {
    fn clone(&self) -> Driven {
        Driven { driver: self.driver.boxed(), revision: self.revision, tau: self.tau.clone() }
    }
}

impl Driven {
    pub fn new(driver: Box<dyn Driver>, figure: &Figure) -> Driven {
        Driven { driver, revision: figure.revision(), tau: vec![0.0; figure.forest().nv()] }
    }

    /// Joint forces of the coming step; none after a change of structure, which the driver does not know.
    pub fn forces(&mut self, figure: &Figure, time: f64, state: &State) -> &[f64] {
        if self.revision != figure.revision() {
            return &[];
        }
        self.tau.fill(0.0);
        self.driver.drive(time, state, &mut self.tau);
        &self.tau
    }
}
