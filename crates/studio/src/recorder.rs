//! Past poses for export: about sixty per second since the last change of structure.

use crate::Error;
use crate::simulator::Simulator;
use anthropi_motion::Clip;
use std::sync::Arc;

/// Approximate interval between poses, s.
const INTERVAL: f64 = 1.0 / 60.0;
/// Most poses kept: ten minutes.
const CAPACITY: usize = 36_000;

/// Recorded poses.
#[derive(Clone, Debug)]
pub struct PoseRecorder {
    revision: u64,
    /// steps between poses
    every: u64,
    /// step of the first pose
    first: u64,
    poses: Vec<Vec<f64>>,
}

impl PoseRecorder {
    /// Starts with the pose at step 0.
    pub fn new(simulator: &Simulator) -> PoseRecorder {
        let every = (INTERVAL / simulator.dt()).round().max(1.0) as u64;
        let poses = vec![simulator.state().0.to_vec()];
        PoseRecorder { revision: simulator.figure().revision(), every, first: 0, poses }
    }

    /// Records the pose after a step.
    pub fn record(&mut self, step: u64, simulator: &Simulator) {
        let revision = simulator.figure().revision();
        if revision != self.revision {
            (self.revision, self.first) = (revision, step);
            self.poses.clear();
        }
        if (step - self.first).is_multiple_of(self.every) && self.poses.len() < CAPACITY {
            self.poses.push(simulator.state().0.to_vec());
        }
    }

    /// Discards the poses after a step.
    pub fn rewind(&mut self, to: u64, simulator: &Simulator) {
        if simulator.figure().revision() != self.revision || to < self.first {
            *self = PoseRecorder { first: to, ..PoseRecorder::new(simulator) };
        } else {
            self.poses.truncate(((to - self.first) / self.every) as usize + 1);
        }
    }

    /// The poses as a clip.
    ///
    /// # Errors
    /// A structure without poses yet.
    pub fn clip(&self, name: &str, simulator: &Simulator) -> Result<Clip, Error> {
        if self.revision != simulator.figure().revision() {
            return Err(Error("the structure has just changed; play on before exporting".into()));
        }
        let figure = Arc::new(simulator.figure().clone());
        Ok(Clip::new(name, figure, self.every as f64 * simulator.dt(), self.poses.concat())?)
    }
}
