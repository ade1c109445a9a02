//! Which shapes touch, or may touch within the coming step.

use super::patch::Patch;
use super::scenery::World;
use crate::model::Figure;
use crate::spatial::{Motion, Transform};

/// Finds contact patches.
#[derive(Clone, Debug, Default)]
pub struct Detector {}

impl Detector {
    /// Lists the shapes of a figure and a world, and the pairs of them that may touch. To be called again after every
    /// change of structure.
    pub fn prepare(&mut self, _figure: &Figure, _world: &World) {}

    /// All patches whose shapes are nearer than they may come together within `h` seconds, in the order of their keys.
    /// `poses` and `velocities` (about the bodies' origins, world axes) are those of the forest's bodies, the world first.
    pub fn detect(
        &mut self,
        _poses: &[Transform],
        _velocities: &[Motion],
        _h: f64,
        patches: &mut Vec<Patch>,
    ) {
        patches.clear();
    }
}
