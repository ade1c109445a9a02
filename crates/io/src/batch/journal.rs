//! The journal: a line of JSON for each clip that is done, written the moment it is, so that a run that is killed loses
//! none. Lines are only ever added; of several for the same clip the last counts.

use super::job::Row;
use crate::error::Error;
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
    pub fn open(path: &Path) -> Result<Journal, Error> {
        let told = |source| Error::File { file: path.display().to_string(), source };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(told)?;
        // not all file systems have locks
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::Locked { file: path.display().to_string() });
        }
        end_last_line(&file).map_err(told)?;
        Ok(Journal { file: Mutex::new(file), path: path.to_path_buf() })
    }

    /// Rows with these values, and what is told of lines that are no rows.
    ///
    /// # Errors
    /// What the file system says.
    pub fn rows(&self, values: &[(&str, &str)]) -> Result<(HashMap<Clip, Row>, Vec<String>), Error> {
        let (mut rows, mut torn) = (HashMap::new(), Vec::new());
        let told = |source| self.wrong(source);
        let mut file = self.file();
        file.seek(SeekFrom::Start(0)).map_err(told)?;
        // line by line: journals of large collections are large, and a torn line may not be UTF-8
        let lines = BufReader::new(&*file).split(b'\n');
        for (k, line) in lines.enumerate() {
            let line = line.map_err(told)?;
            let Some((clip, row)) = serde_json::from_slice(&line).ok().and_then(with_clip) else {
                let path = self.path.display();
                torn.push(format!("{path}:{}: no row; its clip is not counted as done", k + 1));
                continue;
            };
            if values.iter().all(|(name, value)| row.get(*name).is_some_and(|v| v == value)) {
                rows.insert(clip, row);
            }
        }
        Ok((rows, torn))
    }

    /// Adds a row; it is on the disk when this returns.
    ///
    /// # Errors
    /// What the file system says.
    pub fn add(&self, row: &Row) -> Result<(), Error> {
        let line = Value::from(row.clone()).to_string() + "\n";
        let mut file = self.file();
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data()).map_err(|source| self.wrong(source))
    }

    fn wrong(&self, source: std::io::Error) -> Error {
        Error::File { file: self.path.display().to_string(), source }
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
