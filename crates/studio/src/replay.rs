//! The log of a session as a file: what was opened, what was done at which step, and where it ended.

use crate::Error;
use crate::command::Command;
#[cfg(doc)]
use crate::library;
use crate::session::Session;
use serde::{Deserialize, Serialize};

/// Something done at a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// before this step was made
    pub step: u64,
    /// what
    #[serde(flatten)]
    pub command: Command,
}

/// A session that can be made again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// what was opened: a built-in scene, motion or figure, or the name of a file
    pub source: String,
    /// steps made
    pub steps: u64,
    /// of the state at the end, hexadecimal
    pub digest: String,
    /// in the order it was done
    pub log: Vec<Entry>,
}

/// Most steps of a replay: three hours in steps of a millisecond.
const MOST_STEPS: u64 = 10_800_000;

impl Replay {
    /// Reads a file.
    ///
    /// # Errors
    /// Text that is no replay, with line and column.
    pub fn read(text: &str, file: &str) -> Result<Replay, Error> {
        let replay: Replay =
            serde_json::from_str(text).map_err(|e| Error(format!("{file}: no replay of the studio: {e}")))?;
        if replay.steps > MOST_STEPS {
            return Err(Error(format!(
                "{file}: steps: {} are asked for, expected at most {MOST_STEPS}",
                replay.steps
            )));
        }
        let is_late = |e: &&Entry| e.step > replay.steps;
        if let Some(late) = replay.log.iter().find(is_late) {
            return Err(Error(format!(
                "{file}: log: step {} comes after the last, {}",
                late.step, replay.steps
            )));
        }
        if !replay.log.is_sorted_by_key(|e| e.step) {
            return Err(Error(format!("{file}: log: its steps do not go up")));
        }
        Ok(replay)
    }

    /// As a file.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).expect("names and numbers") + "\n"
    }

    /// Makes the session again, from what was opened: one of the library has to be opened by [`library::open`].
    /// `progress` hears the part that is done.
    ///
    /// # Errors
    /// Something that cannot be done.
    pub fn run(&self, mut session: Session, progress: &mut dyn FnMut(f64)) -> Result<Session, Error> {
        let mut todo = self.log.iter().peekable();
        for step in 0..=self.steps {
            while let Some(entry) = todo.next_if(|e| e.step == step) {
                session.obey(entry.command.clone())?;
            }
            if step < self.steps {
                session.advance(1)?;
            }
            if step.is_multiple_of(1000) {
                progress(step as f64 / self.steps.max(1) as f64);
            }
        }
        Ok(session)
    }

    /// Whether a session ended as this one did.
    pub fn is_same(&self, session: &Session) -> bool {
        self.digest == format!("{:016x}", session.actor().digest())
    }
}
