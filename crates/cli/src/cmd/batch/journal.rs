//! The journal: a line of JSON for each clip that is done, written the moment it is, so that a run that is killed loses
//! none. Lines are only ever added; of several for the same clip the last counts.

use super::job::Row;
use crate::report;
use anyhow::{Context, bail};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Path and content of a clip.
pub type Clip = (String, String);

/// A journal open for this run alone.
#[derive(Debug)]
pub struct Journal {
    file: Mutex<File>,
    path: PathBuf,
}

impl Journal {
    /// Opens the journal of a folder; a new one where there is none. What a run that was killed left of a line is ended.
    ///
    /// # Errors
    /// What the file system says; another run that has it open.
    pub fn open(path: &Path) -> anyhow::Result<Journal> {
        let told = || path.display().to_string();
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).with_context(told)?;
        // not all file systems have locks
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!("{}: another run is writing it", told());
        }
        end_last_line(&file).with_context(told)?;
        Ok(Journal { file: Mutex::new(file), path: path.to_path_buf() })
    }

    /// Rows with these values.
    ///
    /// # Errors
    /// What the file system says. Lines that are no rows are told and passed over.
    pub fn rows(&self, values: &[(&str, &str)]) -> anyhow::Result<HashMap<Clip, Row>> {
        let mut rows = HashMap::new();
        let told = || self.path.display().to_string();
        let mut file = self.file();
        file.seek(SeekFrom::Start(0)).with_context(told)?;
        // line by line: journals of large collections are large, and a torn line may not be UTF-8
        let lines = BufReader::new(&*file).split(b'\n');
        for (k, line) in lines.enumerate() {
            let line = line.with_context(told)?;
            let Some((clip, row)) = serde_json::from_slice(&line).ok().and_then(with_clip) else {
                report::say(
                    "warning",
                    &format!("{}:{}: no row; its clip is not counted as done", told(), k + 1),
                );
                continue;
            };
            if values.iter().all(|(name, value)| row.get(*name).is_some_and(|v| v == value)) {
                rows.insert(clip, row);
            }
        }
        Ok(rows)
    }

    /// Adds a row; it is on the disk when this returns.
    pub fn add(&self, row: &Row) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(row)?;
        line.push(b'\n');
        let mut file = self.file();
        file.write_all(&line).and_then(|()| file.sync_data()).with_context(|| self.path.display().to_string())
    }

    /// A thread that panicked while it held the file left at worst a torn line.
    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end_last_line(mut file: &File) -> std::io::Result<()> {
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last == [b'\n'] { Ok(()) } else { file.write_all(b"\n") }
}

fn with_clip(row: Row) -> Option<(Clip, Row)> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).map(String::from);
    Some(((text("path")?, text("content")?), row))
}
