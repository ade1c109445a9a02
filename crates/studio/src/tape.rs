//! Poses as they were, about sixty a second, since the structure changed last.

use crate::Error;
use crate::actor::Actor;
use anthropi_motion::Clip;
use std::sync::Arc;

/// Seconds between poses, about, and how many are kept: ten minutes.
const EVERY: f64 = 1.0 / 60.0;
const MOST: usize = 36_000;

/// Poses.
#[derive(Clone, Debug)]
pub struct Tape {
    revision: u64,
    /// steps between poses
    every: u64,
    /// step of the first pose
    first: u64,
    poses: Vec<Vec<f64>>,
}

impl Tape {
    /// Begins with where somebody is at step 0.
    pub fn of(actor: &Actor) -> Tape {
        let every = (EVERY / actor.dt()).round().max(1.0) as u64;
        let poses = vec![actor.state().0.to_vec()];
        Tape { revision: actor.figure().revision(), every, first: 0, poses }
    }

    /// Sees somebody after a step.
    pub fn take(&mut self, step: u64, actor: &Actor) {
        let revision = actor.figure().revision();
        if revision != self.revision {
            (self.revision, self.first) = (revision, step);
            self.poses.clear();
        }
        if (step - self.first).is_multiple_of(self.every) && self.poses.len() < MOST {
            self.poses.push(actor.state().0.to_vec());
        }
    }

    /// Forgets what came after a step.
    pub fn rewind(&mut self, to: u64, actor: &Actor) {
        if actor.figure().revision() != self.revision || to < self.first {
            *self = Tape { revision: actor.figure().revision(), first: to, poses: Vec::new(), ..*self };
            self.poses.push(actor.state().0.to_vec());
        } else {
            self.poses.truncate(((to - self.first) / self.every) as usize + 1);
        }
    }

    /// As a motion.
    pub fn clip(&self, name: &str, actor: &Actor) -> Result<Clip, Error> {
        if self.revision != actor.figure().revision() {
            return Err(Error("the structure has just changed: let it move first".into()));
        }
        let figure = Arc::new(actor.figure().clone());
        Ok(Clip::new(name, figure, self.every as f64 * actor.dt(), self.poses.concat())?)
    }
}
