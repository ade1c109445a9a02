//! An actor in time: commands at their steps, a log of them, and the way back.
//!
//! All that happens follows from what was opened and the log, to the last bit: so going back is a copy of the past made
//! every quarter of a second, and the steps from there again; undoing goes back to before the last edit and leaves it out.

use crate::Error;
use crate::actor::Actor;
use crate::command::Command;
use crate::hands::refuse_absurd;
use crate::replay::{Entry, Replay};
use crate::tape::Tape;
use anthropi_io::filtering::certificate;
use anthropi_io::motion::clip_bytes;
use anthropi_motion::filter;
use serde_json::Value;
use std::path::Path;

/// Seconds between copies of the past, and how many are kept.
const EVERY: f64 = 0.25;
const KEPT: usize = 240;

/// A session.
#[derive(Clone, Debug)]
pub struct Session {
    /// what was opened
    pub source: String,
    actor: Actor,
    step: u64,
    log: Vec<Entry>,
    past: Vec<(u64, Actor)>,
    /// steps between copies
    every: u64,
    tape: Tape,
}

impl Session {
    /// Somebody at their start; `source` is what they were opened from.
    pub fn new(source: impl Into<String>, actor: Actor) -> Session {
        let every = (EVERY / actor.dt()).round().max(1.0) as u64;
        let tape = Tape::of(&actor);
        let past = vec![(0, actor.clone())];
        Session { source: source.into(), past, actor, step: 0, log: Vec::new(), every, tape }
    }

    /// Who moves.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// What happened since this was asked last, a sentence each.
    pub fn told(&mut self) -> Vec<String> {
        self.actor.told()
    }

    /// Steps made.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The earliest step one can go back to.
    pub fn earliest(&self) -> u64 {
        self.past.first().map_or(self.step, |(step, _)| *step)
    }

    /// What was done so far.
    pub fn log(&self) -> &[Entry] {
        &self.log
    }

    /// Does something now.
    ///
    /// # Errors
    /// What cannot be done, in words; nothing has changed then.
    pub fn obey(&mut self, command: Command) -> Result<(), Error> {
        refuse_absurd(self.actor.figure(), &command)?;
        self.actor.obey(&command)?;
        // a hand that moves on within a step takes the place of where it was
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
    /// A motion that is no longer finite: the session is then where it was before that step.
    pub fn advance(&mut self, steps: u64) -> Result<(), Error> {
        for _ in 0..steps {
            if let Err(error) = self.actor.step() {
                self.again(self.step, self.log.len())?;
                return Err(error);
            }
            self.step += 1;
            self.tape.take(self.step, &self.actor);
            if self.step.is_multiple_of(self.every) {
                self.past.push((self.step, self.actor.clone()));
                if self.past.len() > KEPT {
                    self.past.remove(0);
                }
            }
        }
        Ok(())
    }

    /// Goes back (or, within what was done, on) to a step; what was done after it is forgotten.
    ///
    /// # Errors
    /// A step before the earliest, or after now.
    pub fn rewind(&mut self, to: u64) -> Result<(), Error> {
        if to > self.step {
            return Err(Error(format!("step {to} has not been yet")));
        }
        self.again(to, self.log.partition_point(|e| e.step < to))
    }

    /// Undoes the last edit: goes back to before it.
    ///
    /// # Errors
    /// Nothing to undo; an edit that is too long ago.
    pub fn undo(&mut self) -> Result<(), Error> {
        let Some(n) = self.log.iter().rposition(|e| e.command.is_edit()) else {
            return Err(Error("there is nothing to undo".into()));
        };
        self.again(self.log[n].step, n)
    }

    /// The past at a step, from the last copy before it, with the first so many entries of the log; the others are
    /// forgotten. Nothing has changed where it is too long ago.
    fn again(&mut self, to: u64, kept: usize) -> Result<(), Error> {
        let Some(n) = self.past.iter().rposition(|(step, _)| *step <= to) else {
            return Err(Error("that is longer ago than is kept".into()));
        };
        self.past.truncate(n + 1);
        self.log.truncate(kept);
        let (mut step, mut actor) = self.past[n].clone();
        // copies are from before what was done at their step
        let first = self.log.partition_point(|e| e.step < step);
        let mut todo = self.log[first..].iter().peekable();
        loop {
            while let Some(entry) = todo.next_if(|e| e.step == step) {
                actor.obey(&entry.command)?;
            }
            if step == to {
                break;
            }
            actor.step()?;
            step += 1;
        }
        (self.actor, self.step) = (actor, to);
        self.tape.rewind(to, &self.actor);
        Ok(())
    }

    /// Name and bytes of a file of what has been seen since the structure changed last: `bvh`, `json`, `csv`, `glb`.
    ///
    /// # Errors
    /// An ending that is none of these; a motion that the format cannot hold.
    pub fn export(&self, ending: &str) -> Result<(String, Vec<u8>), Error> {
        let stem = self.source.split('.').next().unwrap_or("motion");
        let name = format!("{stem}.{ending}");
        let clip = self.tape.clip(stem, &self.actor)?;
        let (bytes, _) = clip_bytes(Path::new(&name), &clip)?;
        Ok((name, bytes))
    }

    /// The whole motion through the filter, off-line, and what its forces prove.
    ///
    /// # Errors
    /// A scene, which has no motion to filter; a motion that cannot be filtered.
    pub fn certificate(&self) -> Result<Value, Error> {
        let Actor::Followed(followed) = &self.actor else {
            return Err(Error(
                "a certificate is for a motion that ends; a scene or a walk without end is open".into(),
            ));
        };
        let filtered = filter::run(followed.clip(), followed.settings(), &mut |_| (), &mut |_| ())?;
        Ok(certificate(&filtered))
    }

    /// All of it as a file that can be replayed.
    pub fn replay(&self) -> Replay {
        Replay {
            source: self.source.clone(),
            steps: self.step,
            digest: format!("{:016x}", self.actor.digest()),
            log: self.log.clone(),
        }
    }
}

impl Replay {
    /// Makes the session again, from what was opened: one of the library has to be opened by
    /// [`crate::library::open`]. `progress` hears the part that is done.
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
