//! The log of a session as a file: what was opened, what was done at which step, and where it ended.

use crate::Error;
use crate::command::Command;
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
}
