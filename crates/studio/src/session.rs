//! A session: a simulator, the log of its commands, rewind and undo.
//!
//! Source and log determine the state to the last bit. Rewinding restores a snapshot, one per quarter of a second, and
//! repeats the steps from there; undo rewinds to the last edit and drops it.

use crate::Error;
use crate::command::Command;
use crate::recorder::PoseRecorder;
use crate::replay::{Entry, Replay};
use crate::simulator::Simulator;
use crate::user_forces::check_magnitude;
use anthropi_app::result::ForceCertificate;
use anthropi_formats::motion::clip_bytes;
use anthropi_motion::filter;
use serde_json::{Value, json};
use std::path::Path;

/// Interval between snapshots, s.
const INTERVAL: f64 = 0.25;
/// Snapshots kept: the last minute.
const CAPACITY: usize = 240;

/// An interactive simulation.
#[derive(Clone, Debug)]
pub struct Session {
    /// name of the library item or file
    pub source: String,
    simulator: Simulator,
    step: u64,
    log: Vec<Entry>,
    snapshots: Vec<(u64, Simulator)>,
    /// steps between snapshots
    every: u64,
    recorder: PoseRecorder,
}

impl Session {
    /// A session at its start.
    pub fn new(source: impl Into<String>, simulator: Simulator) -> Session {
        let every = (INTERVAL / simulator.dt()).round().max(1.0) as u64;
        let recorder = PoseRecorder::new(&simulator);
        let snapshots = vec![(0, simulator.clone())];
        Session { source: source.into(), snapshots, simulator, step: 0, log: Vec::new(), every, recorder }
    }

    /// The simulator in its current state.
    pub fn simulator(&self) -> &Simulator {
        &self.simulator
    }

    /// Event messages since the last call.
    pub fn take_messages(&mut self) -> Vec<String> {
        self.simulator.take_messages()
    }

    /// Steps since the start.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Earliest step to rewind to.
    pub fn earliest(&self) -> u64 {
        self.snapshots.first().map_or(self.step, |(step, _)| *step)
    }

    /// Commands so far.
    pub fn log(&self) -> &[Entry] {
        &self.log
    }

    /// Applies a command.
    ///
    /// # Errors
    /// A command that is refused; nothing changes.
    pub fn apply(&mut self, command: Command) -> Result<(), Error> {
        check_magnitude(self.simulator.figure(), &command)?;
        self.simulator.apply(&command)?;
        // within a step only the last drag target counts
        if let (Command::Drag { .. }, Some(last)) = (&command, self.log.last_mut())
            && last.step == self.step
            && matches!(last.command, Command::Drag { .. })
        {
            last.command = command;
            return Ok(());
        }
        self.log.push(Entry { step: self.step, command });
        Ok(())
    }

    /// Makes steps.
    ///
    /// # Errors
    /// A state that is no longer finite; the session stays before that step.
    pub fn advance(&mut self, steps: u64) -> Result<(), Error> {
        for _ in 0..steps {
            if let Err(error) = self.simulator.step() {
                self.restore(self.step, self.log.len())?;
                return Err(error);
            }
            self.step += 1;
            self.recorder.record(self.step, &self.simulator);
            if self.step.is_multiple_of(self.every) {
                self.snapshots.push((self.step, self.simulator.clone()));
                if self.snapshots.len() > CAPACITY {
                    self.snapshots.remove(0);
                }
            }
        }
        Ok(())
    }

    /// Rewinds to a step and discards everything after it.
    ///
    /// # Errors
    /// A step before the earliest or after the current one.
    pub fn rewind(&mut self, to: u64) -> Result<(), Error> {
        if to > self.step {
            return Err(Error(format!("step {to} is in the future")));
        }
        self.restore(to, self.log.partition_point(|e| e.step < to))
    }

    /// Rewinds to the last edit and drops it.
    ///
    /// # Errors
    /// Nothing to undo; an edit before the earliest snapshot.
    pub fn undo(&mut self) -> Result<(), Error> {
        let Some(n) = self.log.iter().rposition(|e| e.command.is_edit()) else {
            return Err(Error("there is nothing to undo".into()));
        };
        self.restore(self.log[n].step, n)
    }

    /// Restores a step from the last snapshot before it, with the first `kept` entries of the log. Without a snapshot
    /// nothing changes.
    fn restore(&mut self, to: u64, kept: usize) -> Result<(), Error> {
        let Some(n) = self.snapshots.iter().rposition(|(step, _)| *step <= to) else {
            return Err(Error("the history does not go back that far".into()));
        };
        self.snapshots.truncate(n + 1);
        self.log.truncate(kept);
        let (mut step, mut simulator) = self.snapshots[n].clone();
        // snapshots precede the commands of their step
        let first = self.log.partition_point(|e| e.step < step);
        let mut todo = self.log[first..].iter().peekable();
        loop {
            while let Some(entry) = todo.next_if(|e| e.step == step) {
                simulator.apply(&entry.command)?;
            }
            if step == to {
                break;
            }
            simulator.step()?;
            step += 1;
        }
        (self.simulator, self.step) = (simulator, to);
        self.recorder.rewind(to, &self.simulator);
        Ok(())
    }

    /// Name and bytes of a file with the motion since the last change of structure: `bvh`, `json`, `csv` or `glb`.
    ///
    /// # Errors
    /// Another extension; a motion that the format cannot store.
    pub fn export(&self, extension: &str) -> Result<(String, Vec<u8>), Error> {
        let stem = self.source.split('.').next().unwrap_or("motion");
        let name = format!("{stem}.{extension}");
        let clip = self.recorder.clip(stem, &self.simulator)?;
        let (bytes, _) = clip_bytes(Path::new(&name), &clip)?;
        Ok((name, bytes))
    }

    /// Certificate of the whole motion, filtered as by `anthropi filter`.
    ///
    /// # Errors
    /// A scene or endless walk; a motion that cannot be filtered.
    pub fn certificate(&self) -> Result<Value, Error> {
        let Simulator::Tracking(tracking) = &self.simulator else {
            return Err(Error("certificates are for motions; a scene or an endless walk is open".into()));
        };
        let filtered = filter::run(tracking.clip(), tracking.settings(), &mut |_| (), &mut |_| ())?;
        Ok(json!(ForceCertificate::new(&filtered)))
    }

    /// The session as a replay.
    pub fn replay(&self) -> Replay {
        Replay {
            source: self.source.clone(),
            steps: self.step,
            digest: format!("{:016x}", self.simulator.digest()),
            log: self.log.clone(),
        }
    }
}

impl Replay {
    /// Runs the replay in a new session of its source. `progress` is called with the completed fraction.
    ///
    /// # Errors
    /// A command that is refused.
    pub fn run(&self, mut session: Session, progress: &mut dyn FnMut(f64)) -> Result<Session, Error> {
        let mut todo = self.log.iter().peekable();
        for step in 0..=self.steps {
            while let Some(entry) = todo.next_if(|e| e.step == step) {
                session.apply(entry.command.clone())?;
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

    /// Whether a session ended in the recorded state.
    pub fn is_same(&self, session: &Session) -> bool {
        self.digest == format!("{:016x}", session.simulator().digest())
    }
}
