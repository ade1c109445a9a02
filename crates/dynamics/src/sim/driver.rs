//! Who moves the joints from outside the engine: joint forces from whoever knows them, step by step.

use crate::model::{Figure, State};
use core::fmt;

/// Gives the forces of joints at the beginning of every step.
///
/// They are held over the step, and act beside springs, dampers, loads and controls. A simulation can be cloned, and its
/// driver with it.
pub trait Driver: fmt::Debug + Send + Sync {
    /// Writes the joint forces of the step that begins at this time and state; `tau` comes as zeros, by degree of
    /// freedom.
    fn drive(&mut self, time: f64, state: &State, tau: &mut [f64]);

    /// The same driver once more.
    fn boxed(&self) -> Box<dyn Driver>;
}

/// A driver at work.
#[derive(Debug)]
pub(super) struct Driven {
    driver: Box<dyn Driver>,
    /// of the figure it knows
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

    /// Joint forces of the coming step; none once the structure has changed, as the driver does not know the new one.
    pub fn forces(&mut self, figure: &Figure, time: f64, state: &State) -> &[f64] {
        if self.revision != figure.revision() {
            return &[];
        }
        self.tau.fill(0.0);
        self.driver.drive(time, state, &mut self.tau);
        &self.tau
    }
}
