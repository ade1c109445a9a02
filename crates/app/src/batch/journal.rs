//! The journal: one line of JSON per finished clip, written at once, so that a killed run loses none. Lines are only
//! appended; the last line of a clip counts.

use super::job::Row;
use anthropi_formats::Error;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Path and content of a clip.
pub type Clip = (String, String);

/// A journal, locked by this run.
#[derive(Debug)]
pub struct Journal {
    file: Mutex<File>,
    path: PathBuf,
}

impl Journal {
    /// Opens or creates a journal, and ends a line that a killed run left incomplete.
    ///
    /// # Errors
    /// Errors of the file system; another run that holds the lock.
    pub fn open(path: &Path) -> Result<Journal, Error> {
        let wrong = |source| Error::File { file: path.display().to_string(), source };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(wrong)?;
        // not all file systems have locks
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::Locked { file: path.display().to_string() });
        }
        end_last_line(&file).map_err(wrong)?;
        Ok(Journal { file: Mutex::new(file), path: path.to_path_buf() })
    }

    /// Rows with these values, and warnings about lines that are not rows.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn rows(&self, values: &[(&str, &str)]) -> Result<(HashMap<Clip, Row>, Vec<String>), Error> {
        let (mut rows, mut torn) = (HashMap::new(), Vec::new());
        let wrong = |source| self.wrong(source);
        let mut file = self.file();
        file.seek(SeekFrom::Start(0)).map_err(wrong)?;
        // line by line: journals of large collections are large, and a torn line may not be UTF-8
        let lines = BufReader::new(&*file).split(b'\n');
        for (k, line) in lines.enumerate() {
            let line = line.map_err(wrong)?;
            let Some((clip, row)) = serde_json::from_slice(&line).ok().and_then(with_clip) else {
                let path = self.path.display();
                torn.push(format!("{path}:{}: not a row; its clip counts as not done", k + 1));
                continue;
            };
            if values.iter().all(|(name, value)| row.get(*name).is_some_and(|v| v == value)) {
                rows.insert(clip, row);
            }
        }
        Ok((rows, torn))
    }

    /// Appends a row and flushes it to disk.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn add(&self, row: &Row) -> Result<(), Error> {
        let line = Value::from(row.clone()).to_string() + "\n";
        let mut file = self.file();
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data()).map_err(|source| self.wrong(source))
    }

    fn wrong(&self, source: std::io::Error) -> Error {
        Error::File { file: self.path.display().to_string(), source }
    }

    /// A thread that panicked while holding the file left at worst a torn line.
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
