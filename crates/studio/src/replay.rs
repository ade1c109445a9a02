//! Replay files: source, commands with their steps, and a digest of the final state.

use crate::Error;
use crate::command::Command;
use serde::{Deserialize, Serialize};

/// A logged command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// steps made before it
    pub step: u64,
    /// the command
    #[serde(flatten)]
    pub command: Command,
}

/// A recorded session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// name of a library item or file
    pub source: String,
    /// number of steps
    pub steps: u64,
    /// hash of the final state, hexadecimal
    pub digest: String,
    /// commands in order
    pub log: Vec<Entry>,
}

/// Most steps of a replay: three hours at 1 ms.
const MAX_STEPS: u64 = 10_800_000;

impl Replay {
    /// Parses a replay file.
    ///
    /// # Errors
    /// Text that is not a replay, with line and column.
    pub fn read(text: &str, file: &str) -> Result<Replay, Error> {
        let replay: Replay =
            serde_json::from_str(text).map_err(|e| Error(format!("{file}: not a studio replay: {e}")))?;
        if replay.steps > MAX_STEPS {
            return Err(Error(format!("{file}: steps: {}, expected at most {MAX_STEPS}", replay.steps)));
        }
        let is_late = |e: &&Entry| e.step > replay.steps;
        if let Some(late) = replay.log.iter().find(is_late) {
            return Err(Error(format!(
                "{file}: log: step {} is after the last step, {}",
                late.step, replay.steps
            )));
        }
        if !replay.log.is_sorted_by_key(|e| e.step) {
            return Err(Error(format!("{file}: log: steps are not in ascending order")));
        }
        Ok(replay)
    }

    /// The replay as file content.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).expect("a replay has string keys and finite numbers only") + "\n"
    }
}
